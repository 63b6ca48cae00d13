//! Memory objects and the bytes behind them.

pub mod buffer;
pub mod format;
pub mod host_ptr;
pub mod image;
pub mod image_storage;
pub mod region;
pub mod storage;
pub mod svm;
pub mod texel;

pub use buffer::Mem;
