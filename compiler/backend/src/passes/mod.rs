//! The passes, by kind. [`crate::pipeline`] says in which order they run.

pub mod check;
pub mod driver_quirks;
pub mod follow;
pub mod legalize;
pub mod lower;
pub mod optimize;
pub mod robust;
