//! The language as every stage of the front end knows it: types and their spelling, names of
//! types and attributes, what the version and the device switch on.

pub mod attributes;
pub mod foreign;
pub mod names;
mod numbers;
pub mod opaque;
pub mod options;
mod spelling;
pub mod types;

pub use options::LangOptions;
