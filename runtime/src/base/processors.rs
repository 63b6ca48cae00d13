//! The processors of the machine.

use std::sync::OnceLock;

/// The number of processors that the process may use, at least 1.
pub(crate) fn processors() -> u32 {
    static NUMBER: OnceLock<u32> = OnceLock::new();
    *NUMBER.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get() as u32))
}
