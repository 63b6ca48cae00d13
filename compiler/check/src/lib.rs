//! Check mode: the memory in which checked kernels report, and reports as text.
//!
//! Takes what a launch's memory held afterwards, the places that the module tests and what the host knows of the
//! launch; gives reports in the layout of a compiler's diagnostics. The back end writes the code that fills the
//! memory ([`layout`] is what both know). Never: I/O, globals, knowledge of OpenCL objects.
#![forbid(unsafe_code)]

pub mod layout;
mod message;
mod report;
mod table;

pub use layout::Layout;
pub use report::{Allocation, Argument, Launch, Reports, read};
pub use table::{Object, Place, Range, Table};
