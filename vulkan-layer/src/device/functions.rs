//! Functions that are core since Vulkan 1.2, by the name that the device has them under.

use ash::vk;

/// Those of a device. Each may be called only where the device's feature is enabled: calling another
/// panics.
pub(crate) struct Functions {
    /// timelineSemaphore.
    pub get_semaphore_counter_value: vk::PFN_vkGetSemaphoreCounterValue,
    /// timelineSemaphore.
    pub wait_semaphores: vk::PFN_vkWaitSemaphores,
    /// bufferDeviceAddress.
    pub get_buffer_device_address: vk::PFN_vkGetBufferDeviceAddress,
    /// hostQueryReset.
    pub reset_query_pool: vk::PFN_vkResetQueryPool,
}

impl Functions {
    /// Takes the core functions, or before Vulkan 1.2 those of extensions.
    pub fn load(instance: &ash::Instance, device: &ash::Device, version: (u32, u32, u32)) -> Self {
        if version >= (1, 2, 0) {
            let core = device.fp_v1_2();
            return Self {
                get_semaphore_counter_value: core.get_semaphore_counter_value,
                wait_semaphores: core.wait_semaphores,
                get_buffer_device_address: core.get_buffer_device_address,
                reset_query_pool: core.reset_query_pool,
            };
        }
        let timeline = ash::khr::timeline_semaphore::Device::new(instance, device);
        let address = ash::khr::buffer_device_address::Device::new(instance, device);
        let reset = ash::ext::host_query_reset::Device::new(instance, device);
        Self {
            get_semaphore_counter_value: timeline.fp().get_semaphore_counter_value_khr,
            wait_semaphores: timeline.fp().wait_semaphores_khr,
            get_buffer_device_address: address.fp().get_buffer_device_address_khr,
            reset_query_pool: reset.fp().reset_query_pool_ext,
        }
    }
}
