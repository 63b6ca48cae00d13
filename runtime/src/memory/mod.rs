//! Memory objects and the bytes behind them.

pub mod buffer;
pub mod format;
pub mod host_ptr;
pub mod image;
mod image_storage;
pub mod part;
pub mod region;
pub mod residency;
pub mod storage;
pub mod svm;
pub mod texel;

pub use buffer::Mem;
