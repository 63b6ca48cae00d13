//! Memory objects and the bytes behind them.

pub mod buffer;
pub mod host_ptr;
pub mod region;
pub mod storage;
pub mod svm;

pub use buffer::Mem;
