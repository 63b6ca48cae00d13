//! The Vulkan driver that a driver is implemented on, if it tells (VK_KHR_maintenance7).

use std::ptr::from_mut;

use ash::vk;

use super::query::text;
use super::{Capabilities, Driver};
use crate::raw::layered_api::{LayeredApi, LayeredApiList, LayeredVulkan, MAINTENANCE_7, VULKAN};

/// Asks for the first such driver.
pub(super) fn query(
    caps: &Capabilities,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Option<Box<Driver>> {
    if !caps.has_extension(MAINTENANCE_7) {
        return None;
    }
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut vulkan = LayeredVulkan::default();
    vulkan.properties = vulkan.properties.push_next(&mut driver);
    let mut api = LayeredApi::default();
    api.p_next = from_mut(&mut vulkan).cast();
    let mut list = LayeredApiList::default();
    list.count = 1;
    list.apis = &raw mut api;
    let mut head = vk::PhysicalDeviceProperties2::default().push_next(&mut list);
    // SAFETY: the device has the extension of the list, which has room for one API. What it links lives until the call returns.
    unsafe { instance.get_physical_device_properties2(physical, &mut head) };
    let is_vulkan = list.count == 1 && api.api == VULKAN;
    let version = vulkan.properties.properties.driver_version;
    is_vulkan.then(|| {
        Box::new(Driver {
            id: driver.driver_id.as_raw() as u32,
            name: text(&driver.driver_name),
            info: text(&driver.driver_info),
            version,
            hosts: &[],
            host: None,
        })
    })
}
