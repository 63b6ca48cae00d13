//! CL_DEVICE_LOCAL_MEM_SIZE.
//!
//! A device may offer more local memory than Vulkan has shared memory: a kernel with more has it in a buffer
//! (`passes/legalize/local_in_buffers`).

use pumice_compiler::Abi;
use pumice_vulkan_layer::{Capabilities, DeviceType};

use crate::device::checks;

/// The bytes that OpenCL asks of a device of the full profile (OpenCL 3.0 API §4.2).
pub(super) const LEAST: u32 = 32 << 10;
/// The bytes that GPUs have and programs for them take. Processors have no other local memory than buffers, lavapipe 32 KiB of it.
const ON_PROCESSORS: u32 = 64 << 10;

/// The bytes that a work-group may have, some in a buffer.
pub(crate) fn with_buffers(caps: &Capabilities) -> u32 {
    let least = match caps.device_type {
        DeviceType::Cpu => ON_PROCESSORS,
        _ => LEAST,
    };
    caps.limits.max_shared_memory.max(least)
}

/// The bytes that a device offers programs with such pointers. Checks know the limits of shared memory alone.
pub(super) fn offered(caps: &Capabilities, abi: &Abi) -> u32 {
    match *abi == Abi::Addresses && !checks::of_all_programs().any() {
        true => with_buffers(caps),
        false => caps.limits.max_shared_memory,
    }
}
