//! Features that Vulkan 1.2 and 1.3 have in one struct each, as devices before these have them: each
//! extension brings a struct of its own, apart from those of Vulkan 1.1.

use std::ffi::CStr;

use ash::vk;

use super::Chain;
use crate::promoted::promoted;

promoted! {
    Chain, PhysicalDeviceFeatures2;
    storage16 PhysicalDevice16BitStorageFeatures (1, 2) None => v11 {
        storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access storage_push_constant16
    }
    variable_pointers PhysicalDeviceVariablePointersFeatures (1, 2) None => v11 {
        variable_pointers_storage_buffer variable_pointers
    }
    storage8 PhysicalDevice8BitStorageFeatures (1, 2) Some(ash::khr::_8bit_storage::NAME) => v12 {
        storage_buffer8_bit_access uniform_and_storage_buffer8_bit_access storage_push_constant8
    }
    atomic_int64 PhysicalDeviceShaderAtomicInt64Features (1, 2)
        Some(ash::khr::shader_atomic_int64::NAME) => v12 {
        shader_buffer_int64_atomics shader_shared_int64_atomics
    }
    float16_int8 PhysicalDeviceShaderFloat16Int8Features (1, 2)
        Some(ash::khr::shader_float16_int8::NAME) => v12 {
        shader_float16 shader_int8
    }
    scalar_layout PhysicalDeviceScalarBlockLayoutFeatures (1, 2)
        Some(ash::ext::scalar_block_layout::NAME) => v12 {
        scalar_block_layout
    }
    uniform_layout PhysicalDeviceUniformBufferStandardLayoutFeatures (1, 2)
        Some(ash::khr::uniform_buffer_standard_layout::NAME) => v12 {
        uniform_buffer_standard_layout
    }
    extended_types PhysicalDeviceShaderSubgroupExtendedTypesFeatures (1, 2)
        Some(ash::khr::shader_subgroup_extended_types::NAME) => v12 {
        shader_subgroup_extended_types
    }
    query_reset PhysicalDeviceHostQueryResetFeatures (1, 2)
        Some(ash::ext::host_query_reset::NAME) => v12 {
        host_query_reset
    }
    timelines PhysicalDeviceTimelineSemaphoreFeatures (1, 2)
        Some(ash::khr::timeline_semaphore::NAME) => v12 {
        timeline_semaphore
    }
    addresses PhysicalDeviceBufferDeviceAddressFeatures (1, 2)
        Some(ash::khr::buffer_device_address::NAME) => v12 {
        buffer_device_address
    }
    memory_model PhysicalDeviceVulkanMemoryModelFeatures (1, 2)
        Some(ash::khr::vulkan_memory_model::NAME) => v12 {
        vulkan_memory_model vulkan_memory_model_device_scope
        vulkan_memory_model_availability_visibility_chains
    }
    subgroup_size PhysicalDeviceSubgroupSizeControlFeatures (1, 3)
        Some(ash::ext::subgroup_size_control::NAME) => v13 {
        subgroup_size_control compute_full_subgroups
    }
    zero_local PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures (1, 3)
        Some(ash::khr::zero_initialize_workgroup_memory::NAME) => v13 {
        shader_zero_initialize_workgroup_memory
    }
    dot_product PhysicalDeviceShaderIntegerDotProductFeatures (1, 3)
        Some(ash::khr::shader_integer_dot_product::NAME) => v13 {
        shader_integer_dot_product
    }
    maintenance4 PhysicalDeviceMaintenance4Features (1, 3)
        Some(ash::khr::maintenance4::NAME) => v13 {
        maintenance4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_replace_extensions() {
        let all = |_: &CStr| true;
        let none = |_: &CStr| false;
        let count = |version| Promoted::of(version, all).extensions().len();
        assert_eq!(
            (count((1, 1, 0)), count((1, 2, 7)), count((1, 3, 0))),
            (14, 4, 0)
        );
        let bare = Promoted::of((1, 1, 0), none);
        assert!(bare.storage16 && bare.variable_pointers && bare.extensions().is_empty());
    }

    #[test]
    fn bits_go_to_the_structs_and_back() {
        let mut chain = Chain::default();
        chain.v12.shader_int8 = vk::TRUE;
        chain.v13.maintenance4 = vk::TRUE;
        let structs = Structs::of(&chain);
        assert_eq!(structs.float16_int8.shader_int8, vk::TRUE);
        assert_eq!(structs.float16_int8.shader_float16, vk::FALSE);
        let mut back = Chain::default();
        // A device of Vulkan 1.2 has extensions only for what 1.3 brought.
        structs.give(Promoted::of((1, 2, 0), |_| true), &mut back);
        assert_eq!(
            (back.v12.shader_int8, back.v13.maintenance4),
            (vk::FALSE, vk::TRUE)
        );
    }
}
