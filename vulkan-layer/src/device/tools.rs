//! Layers that check the calls made on a device.

use ash::vk;
use parking_lot::{Mutex, MutexGuard};

use crate::device::instance::{PhysicalDevice, VALIDATION_LAYER};

/// Lets the calls that wait for timelines or move them on through one at a time on a device that
/// a validation layer watches, and all at once on others.
///
/// Vulkan lets any number of threads wait for a semaphore. The Khronos layer keeps a map of each
/// timeline's values, to which a wait adds; 1.3.239 does so under a lock that it takes shared, so
/// that two waits at once tear the map (a crash in `std::map`, once in many runs of
/// `tests/clients/soak.c`).
pub(crate) struct Turnstile(Option<Mutex<()>>);

impl Turnstile {
    pub fn of(physical: &PhysicalDevice) -> Self {
        Self(validates(physical).then(Mutex::default))
    }

    /// Returns whether calls are serialised; a thread that blocks in a call then stops all others.
    pub fn is_narrow(&self) -> bool {
        self.0.is_some()
    }

    /// To be held during the call, and not during anything else.
    pub fn enter(&self) -> Option<MutexGuard<'_, ()>> {
        self.0.as_ref().map(Mutex::lock)
    }
}

/// Returns whether an active layer reports validation as its purpose.
fn validates(physical: &PhysicalDevice) -> bool {
    let name = match physical.caps.api_version >= (1, 3, 0) {
        true => c"vkGetPhysicalDeviceToolProperties",
        false if lists_tools(physical) => c"vkGetPhysicalDeviceToolPropertiesEXT",
        // There is nothing to ask with.
        false => return false,
    };
    let instance = &physical.instance.raw;
    // SAFETY: the instance is alive and the name is a C string. A loader older than the device's
    // driver may not know the command.
    let known = unsafe {
        (physical.instance.entry).get_instance_proc_addr(instance.handle(), name.as_ptr())
    };
    let Some(known) = known else {
        return false;
    };
    // SAFETY: both names are those of functions of this type.
    let get = unsafe {
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkGetPhysicalDeviceToolProperties>(
            known,
        )
    };
    let mut count = 0;
    // SAFETY: the device has the function, and a NULL list asks for its length.
    if unsafe { get(physical.raw, &mut count, std::ptr::null_mut()) } != vk::Result::SUCCESS {
        return false;
    }
    let mut tools = vec![vk::PhysicalDeviceToolProperties::default(); count as usize];
    // SAFETY: as above; the list has the length that was just reported.
    let listed = unsafe { get(physical.raw, &mut count, tools.as_mut_ptr()) };
    let validation = vk::ToolPurposeFlags::VALIDATION;
    listed == vk::Result::SUCCESS && tools.iter().any(|tool| tool.purposes.contains(validation))
}

/// Returns whether the device or, where it is installed, the validation layer has VK_EXT_tooling_info.
fn lists_tools(physical: &PhysicalDevice) -> bool {
    if physical.caps.has_extension("VK_EXT_tooling_info") {
        return true;
    }
    let list = physical
        .instance
        .raw
        .fp_v1_0()
        .enumerate_device_extension_properties;
    let mut count = 0;
    let layer = VALIDATION_LAYER.as_ptr();
    // SAFETY: the device is the instance's, the layer's name a C string, and a NULL list asks for its length.
    let sized = unsafe { list(physical.raw, layer, &mut count, std::ptr::null_mut()) };
    if sized != vk::Result::SUCCESS {
        return false;
    }
    let mut extensions = vec![vk::ExtensionProperties::default(); count as usize];
    // SAFETY: as above; the list has the length that was just reported.
    let listed = unsafe { list(physical.raw, layer, &mut count, extensions.as_mut_ptr()) };
    let tools = Ok(ash::ext::tooling_info::NAME);
    listed == vk::Result::SUCCESS
        && (extensions.iter()).any(|extension| extension.extension_name_as_c_str() == tools)
}
