//! The clock of profiling times and traces.

/// Nanoseconds of the host's clock, in which profiling times are given.
pub fn host_time() -> u64 {
    pumice_vulkan_layer::host_time_ns()
}
