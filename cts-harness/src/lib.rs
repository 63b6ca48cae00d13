//! The client side: tools that drive any OpenCL driver through the system's ICD loader.
//!
//! Takes test data (kernel files with expectations, OpenCL-CTS builds, a list of applications)
//! and a driver; gives results and reports. Never links our driver's crates: what it sees is what
//! an application sees.

pub mod apps;
pub mod bench;
pub mod cl;
pub mod difffuzz;
pub mod expect;
pub mod facts;
pub mod html;
pub mod isa;
pub mod kernel_file;
pub mod kit;
pub mod process;
pub mod progress;
pub mod record;
pub mod result;
pub mod run;
pub mod suite;
