//! Vulkan structs that ash 0.38 (Vulkan 1.3.281) lacks, and the host clock.
//!
//! Each goes when ash has it.

use std::ffi::{CStr, c_void};

use ash::vk;

pub(crate) mod enqueue;
pub(crate) mod layered_api;

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
