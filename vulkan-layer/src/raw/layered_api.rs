//! The layered APIs of VK_KHR_maintenance7, which ash 0.38 lacks.

use std::ffi::{c_char, c_void};

use ash::vk;

/// The extension's name.
pub(crate) const MAINTENANCE_7: &str = "VK_KHR_maintenance7";
/// VK_PHYSICAL_DEVICE_LAYERED_API_VULKAN_KHR.
pub(crate) const VULKAN: u32 = 0;

/// VkPhysicalDeviceLayeredApiPropertiesListKHR.
#[repr(C)]
pub(crate) struct LayeredApiList {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub count: u32,
    pub apis: *mut LayeredApi,
}

const _: () = assert!(size_of::<LayeredApiList>() == 32);

impl Default for LayeredApiList {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_562_002),
            p_next: std::ptr::null_mut(),
            count: 0,
            apis: std::ptr::null_mut(),
        }
    }
}

// SAFETY: the struct begins with sType and pNext, and the specification lists it as extending
// VkPhysicalDeviceProperties2.
unsafe impl vk::ExtendsPhysicalDeviceProperties2 for LayeredApiList {}

/// VkPhysicalDeviceLayeredApiPropertiesKHR.
#[repr(C)]
pub(crate) struct LayeredApi {
    s_type: vk::StructureType,
    pub p_next: *mut c_void,
    vendor_id: u32,
    device_id: u32,
    /// VkPhysicalDeviceLayeredApiKHR.
    pub api: u32,
    device_name: [c_char; vk::MAX_PHYSICAL_DEVICE_NAME_SIZE],
}

const _: () = assert!(size_of::<LayeredApi>() == 288);

impl Default for LayeredApi {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_562_003),
            p_next: std::ptr::null_mut(),
            vendor_id: 0,
            device_id: 0,
            api: VULKAN,
            device_name: [0; vk::MAX_PHYSICAL_DEVICE_NAME_SIZE],
        }
    }
}

/// VkPhysicalDeviceLayeredApiVulkanPropertiesKHR.
#[repr(C)]
pub(crate) struct LayeredVulkan<'a> {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    /// It may link VkPhysicalDeviceDriverProperties and VkPhysicalDeviceIDProperties.
    pub properties: vk::PhysicalDeviceProperties2<'a>,
}

impl Default for LayeredVulkan<'_> {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_562_004),
            p_next: std::ptr::null_mut(),
            properties: vk::PhysicalDeviceProperties2::default(),
        }
    }
}
