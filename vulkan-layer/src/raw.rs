//! Vulkan structs that ash 0.38 (Vulkan 1.3.281) lacks, and the host clock.
//!
//! Each goes when ash has it.

use std::ffi::{CStr, c_int, c_long, c_void};

use ash::vk;

pub(crate) mod enqueue;

/// `VK_KHR_shader_untyped_pointers`.
pub(crate) const UNTYPED_POINTERS_NAME: &CStr = c"VK_KHR_shader_untyped_pointers";

/// VkPhysicalDeviceShaderUntypedPointersFeaturesKHR.
#[repr(C)]
pub(crate) struct ShaderUntypedPointersFeatures {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub shader_untyped_pointers: vk::Bool32,
}

const _: () = assert!(size_of::<ShaderUntypedPointersFeatures>() == 24);
const _: () = assert!(std::mem::offset_of!(ShaderUntypedPointersFeatures, p_next) == 8);

impl Default for ShaderUntypedPointersFeatures {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_387_000),
            p_next: std::ptr::null_mut(),
            shader_untyped_pointers: vk::FALSE,
        }
    }
}

// SAFETY: the struct begins with sType and pNext, and the specification lists it as extending
// VkPhysicalDeviceFeatures2 and VkDeviceCreateInfo.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for ShaderUntypedPointersFeatures {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for ShaderUntypedPointersFeatures {}

#[repr(C)]
struct Timespec {
    seconds: c_long,
    nanoseconds: c_long,
}

const CLOCK_MONOTONIC: c_int = 1;

unsafe extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

/// CLOCK_MONOTONIC in nanoseconds: the host clock that device times are compared with.
pub(crate) fn host_clock_ns() -> u64 {
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: `time` is a valid struct timespec (two longs on 64-bit Linux) for the call to fill.
    let result = unsafe { clock_gettime(CLOCK_MONOTONIC, &mut time) };
    debug_assert_eq!(result, 0, "CLOCK_MONOTONIC is always there");
    time.seconds as u64 * 1_000_000_000 + time.nanoseconds as u64
}
