//! The device and the build options as the compiler knows them.
//!
//! Plain data that the runtime (or `pumicec`) fills in and every stage reads. Equal values give
//! equal output for equal input, so all of it is part of every cache key.
#![forbid(unsafe_code)]

pub mod abi;
mod arithmetic;
mod check_kind;
mod checks;
pub mod coarse;
mod described;
pub mod device_queue;
pub mod flags;
pub mod image;
pub mod matrix;
pub mod options;
pub mod pipe;
mod quirks;
pub mod similar;
mod target;
mod words;

pub use abi::Abi;
pub use arithmetic::Arithmetic;
pub use check_kind::CheckKind;
pub use checks::{Check, Checks};
pub use described::{DESCRIBED, Described};
pub use options::{CompileOptions, LinkOptions, LowerOptions};
pub use quirks::{QuirkKind, Quirks};
pub use target::{
    FEATURES, FloatAtomics, FloatControls, MOST_GROUP_INVOCATIONS, SmallStorage, SubgroupOps,
    Target,
};
