//! The number of a GPU's compute units, which makers' extensions tell.

use std::ffi::CStr;

use ash::vk;

use super::Capabilities;

/// Asks the first extension that the device has; `None` if it has none of them, or they tell 0.
pub(super) fn query(
    caps: &Capabilities,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Option<u32> {
    let has = |name: &CStr| name.to_str().is_ok_and(|name| caps.has_extension(name));
    // SAFETY: each answer is asked of a device that has its extension.
    let count = unsafe {
        if has(ash::nv::shader_sm_builtins::NAME) {
            let told: vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV<'_> = ask(instance, physical);
            told.shader_sm_count
        } else if has(ash::amd::shader_core_properties2::NAME) {
            let told: vk::PhysicalDeviceShaderCoreProperties2AMD<'_> = ask(instance, physical);
            told.active_compute_unit_count
        } else if has(ash::amd::shader_core_properties::NAME) {
            let told: vk::PhysicalDeviceShaderCorePropertiesAMD<'_> = ask(instance, physical);
            let arrays = told.shader_engine_count * told.shader_arrays_per_engine_count;
            arrays * told.compute_units_per_shader_array
        } else if has(ash::arm::shader_core_builtins::NAME) {
            let told: vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM<'_> =
                ask(instance, physical);
            told.shader_core_count
        } else {
            0
        }
    };
    (count > 0).then_some(count)
}

/// Asks for the properties of an extension.
///
/// # Safety
/// The device has the extension that defines `T`.
unsafe fn ask<T: vk::ExtendsPhysicalDeviceProperties2 + Default>(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> T {
    let mut told = T::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut told);
    // SAFETY: the caller's promise.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    told
}
