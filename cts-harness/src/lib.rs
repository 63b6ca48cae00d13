//! The client side: tools that drive any OpenCL driver through the system's ICD loader.
//!
//! Takes test data (kernel files with expectations, later OpenCL-CTS builds and application
//! lists) and a platform's name; gives results and reports. Never links our driver's crates:
//! what it sees is what an application sees.

pub mod bench;
pub mod cl;
pub mod kernel_file;
pub mod result;
pub mod run;
pub mod suite;
