//! The intermediate representation of the back half.
//!
//! SSA over a control-flow graph. Block parameters stand in place of phis; entities are
//! newtyped `u32`s in dense maps (`cranelift-entity`); data flow ([`Function::insts`],
//! [`Function::values`]) is kept apart from layout ([`Function::layout`]).
//!
//! Takes: what the back end's importer reads from Kernel SPIR-V, or the text form ([`text`]).
//! Gives: what the passes rewrite and the Vulkan emitter writes.
//! Never: aggregates. Structs and arrays are memory; the importer explodes aggregate SSA
//! values into their scalar and vector leaves (several parameters, several results).
//!
//! Invariant: a pointer is an integer and memory is bytes. Pointers are untyped and carry
//! only an address space; the access type, alignment and volatility sit on the load or
//! store. All address arithmetic is [`InstKind::PtrAdd`] in bytes.
//! Invariant: constants are values, not instructions, and are hash-consed per function.
//! Invariant: every block ends in exactly one terminator, which is its last instruction.
#![forbid(unsafe_code)]

pub mod analysis;
mod arg_layout;
mod atomic;
mod cfg;
mod check;
mod combining;
mod convert;
mod dom;
mod edit;
pub mod effort;
mod entities;
mod error;
mod flags;
mod function;
mod group;
mod image;
mod inst;
mod loops;
mod matrix;
mod module;
mod node;
mod operands;
pub mod phis;
mod postdom;
pub mod stored;
mod strings;
pub mod text;
mod types;
pub mod verify;
mod verify_inst;
mod verify_matrix;
mod verify_node;
#[cfg(test)]
mod verify_tests;

pub use arg_layout::{ArgLayout, ArgPlace};
pub use atomic::{AtomicOp, MemoryOrder, Scope};
pub use cfg::{Cfg, reachable, reachable_by, reverse_postorder};
pub use check::{CheckSite, CheckedObject, SourceFile};
pub use convert::ConvertOp;
pub use dom::{DomTree, Step};
pub use entities::{Block, FuncId, GlobalId, Inst, PayloadId, StackSlot, StringId, Value};
pub use error::LowerError;
pub use flags::{AccessFlags, FloatFlags};
pub use function::{
    BlockData, Function, InstData, LIBRARY_PREFIX, Layout, Linkage, Merge, SourceLoc,
    StackSlotData, UnrollHint, ValueDef,
};
pub use group::{GroupOp, GroupOperation};
pub use image::{
    HandleInfo, ImageAccess, ImageDim, ImageOp, ImageType, Lod, Texel, literal_mask,
    literal_sampler,
};
pub use inst::{
    BinaryOp, BlockCall, BuiltIn, FloatCond, InstKind, IntCond, MathOp, PrintfArg, UnaryOp,
};
pub use loops::{Loop, LoopData, LoopNest, is_reducible};
pub use matrix::MatrixOp;
pub use module::{
    ArgAccess, ArgAddress, ArgInfo, Coarse, EnqueueRole, GlobalData, KernelArg, KernelArgKind,
    KernelInfo, Module, Pointee, PrintfRecord, Relocation,
};
pub use node::{NodeInfo, NodeName, NodeOp, PayloadArray};
pub use postdom::Ends;
pub use pumice_numerics::Rounding;
pub use pumice_target::CheckKind;
pub use strings::StringTable;
pub use types::{AddressSpace, MatrixType, Scalar, Type, align_at};
pub use verify::{VerifyError, verify};
