//! THE list of device features: each is a Vulkan feature bit, a field of [`Features`], a name to
//! mask, and a bit to enable at device creation.

use ash::vk;

use crate::raw::ShaderUntypedPointersFeatures;
use crate::raw::enqueue::ShaderEnqueueFeatures;

mod promoted;

pub(crate) use promoted::Promoted;
use promoted::Structs;

/// The feature structs of a query or a device creation. Each value is linked at most once,
/// since linking leaves pointers in it.
#[derive(Default)]
pub(crate) struct Chain {
    pub core: vk::PhysicalDeviceFeatures,
    pub v11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub v12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub v13: vk::PhysicalDeviceVulkan13Features<'static>,
    pub atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    pub atomic_float2: vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT<'static>,
    pub explicit_layout: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    pub rotate: vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR<'static>,
    pub clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    pub matrix: vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'static>,
    pub reconvergence: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>,
    pub untyped: ShaderUntypedPointersFeatures,
    pub enqueue: ShaderEnqueueFeatures,
}

/// Feature structs of the chain that the device knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Present {
    pub v12: bool,
    pub v13: bool,
    pub promoted: Promoted,
    pub atomic_float: bool,
    pub atomic_float2: bool,
    pub explicit_layout: bool,
    pub rotate: bool,
    pub clock: bool,
    pub matrix: bool,
    pub reconvergence: bool,
    pub untyped: bool,
    pub enqueue: bool,
}

impl Chain {
    /// Links the structs that are present and hands the head to `use_it`.
    pub fn link<R>(
        &mut self,
        present: Present,
        use_it: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R,
    ) -> R {
        let mut promoted = Structs::of(self);
        let mut head = vk::PhysicalDeviceFeatures2::default().features(self.core);
        if present.v12 {
            head = head.push_next(&mut self.v11).push_next(&mut self.v12);
        }
        if present.v13 {
            head = head.push_next(&mut self.v13);
        }
        if present.atomic_float {
            head = head.push_next(&mut self.atomic_float);
        }
        if present.atomic_float2 {
            head = head.push_next(&mut self.atomic_float2);
        }
        if present.explicit_layout {
            head = head.push_next(&mut self.explicit_layout);
        }
        if present.rotate {
            head = head.push_next(&mut self.rotate);
        }
        if present.clock {
            head = head.push_next(&mut self.clock);
        }
        if present.matrix {
            head = head.push_next(&mut self.matrix);
        }
        if present.reconvergence {
            head = head.push_next(&mut self.reconvergence);
        }
        if present.untyped {
            head = head.push_next(&mut self.untyped);
        }
        if present.enqueue {
            head = head.push_next(&mut self.enqueue);
        }
        head = promoted.link(present.promoted, head);
        let result = use_it(&mut head);
        self.core = head.features;
        promoted.give(present.promoted, self);
        result
    }
}

macro_rules! features {
    ($( $field:ident $name:literal $member:ident.$raw:ident, )*) => {
        /// Feature bits of a device, named as in the Vulkan specification.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Features { $( #[doc = concat!("`", $name, "`")] pub $field: bool, )* }

        impl Features {
            /// The Vulkan names of all features here.
            pub const NAMES: &'static [&'static str] = &[$( $name, )*];

            /// Takes the bits out of a queried chain.
            pub(crate) fn from_chain(chain: &Chain) -> Self {
                Self { $( $field: chain.$member.$raw != vk::FALSE, )* }
            }

            /// Sets the bits in a fresh chain.
            pub(crate) fn to_chain(self) -> Chain {
                let mut chain = Chain::default();
                $( chain.$member.$raw = vk::Bool32::from(self.$field); )*
                chain
            }

            /// Clears the feature of that Vulkan name; false when there is none.
            pub(crate) fn mask(&mut self, name: &str) -> bool {
                match name {
                    $( $name => self.$field = false, )*
                    _ => return false,
                }
                true
            }

            /// The names of the features that are there.
            pub fn names(&self) -> Vec<&'static str> {
                let all = [$( ($name, self.$field), )*];
                all.into_iter().filter_map(|(name, there)| there.then_some(name)).collect()
            }
        }
    };
}

features! {
    shader_float64 "shaderFloat64" core.shader_float64,
    shader_int64 "shaderInt64" core.shader_int64,
    shader_int16 "shaderInt16" core.shader_int16,
    shader_storage_image_extended_formats "shaderStorageImageExtendedFormats"
        core.shader_storage_image_extended_formats,
    shader_storage_image_read_without_format "shaderStorageImageReadWithoutFormat"
        core.shader_storage_image_read_without_format,
    shader_storage_image_write_without_format "shaderStorageImageWriteWithoutFormat"
        core.shader_storage_image_write_without_format,
    shader_uniform_buffer_array_dynamic_indexing "shaderUniformBufferArrayDynamicIndexing"
        core.shader_uniform_buffer_array_dynamic_indexing,
    shader_storage_buffer_array_dynamic_indexing "shaderStorageBufferArrayDynamicIndexing"
        core.shader_storage_buffer_array_dynamic_indexing,
    shader_sampled_image_array_dynamic_indexing "shaderSampledImageArrayDynamicIndexing"
        core.shader_sampled_image_array_dynamic_indexing,
    shader_storage_image_array_dynamic_indexing "shaderStorageImageArrayDynamicIndexing"
        core.shader_storage_image_array_dynamic_indexing,
    storage_buffer16_bit_access "storageBuffer16BitAccess" v11.storage_buffer16_bit_access,
    uniform_and_storage_buffer16_bit_access "uniformAndStorageBuffer16BitAccess"
        v11.uniform_and_storage_buffer16_bit_access,
    storage_push_constant16 "storagePushConstant16" v11.storage_push_constant16,
    variable_pointers_storage_buffer "variablePointersStorageBuffer"
        v11.variable_pointers_storage_buffer,
    variable_pointers "variablePointers" v11.variable_pointers,
    storage_buffer8_bit_access "storageBuffer8BitAccess" v12.storage_buffer8_bit_access,
    uniform_and_storage_buffer8_bit_access "uniformAndStorageBuffer8BitAccess"
        v12.uniform_and_storage_buffer8_bit_access,
    storage_push_constant8 "storagePushConstant8" v12.storage_push_constant8,
    shader_buffer_int64_atomics "shaderBufferInt64Atomics" v12.shader_buffer_int64_atomics,
    shader_shared_int64_atomics "shaderSharedInt64Atomics" v12.shader_shared_int64_atomics,
    shader_float16 "shaderFloat16" v12.shader_float16,
    shader_int8 "shaderInt8" v12.shader_int8,
    sampler_mirror_clamp_to_edge "samplerMirrorClampToEdge" v12.sampler_mirror_clamp_to_edge,
    scalar_block_layout "scalarBlockLayout" v12.scalar_block_layout,
    uniform_buffer_standard_layout "uniformBufferStandardLayout"
        v12.uniform_buffer_standard_layout,
    shader_subgroup_extended_types "shaderSubgroupExtendedTypes"
        v12.shader_subgroup_extended_types,
    host_query_reset "hostQueryReset" v12.host_query_reset,
    timeline_semaphore "timelineSemaphore" v12.timeline_semaphore,
    buffer_device_address "bufferDeviceAddress" v12.buffer_device_address,
    vulkan_memory_model "vulkanMemoryModel" v12.vulkan_memory_model,
    vulkan_memory_model_device_scope "vulkanMemoryModelDeviceScope"
        v12.vulkan_memory_model_device_scope,
    vulkan_memory_model_availability_visibility_chains
        "vulkanMemoryModelAvailabilityVisibilityChains"
        v12.vulkan_memory_model_availability_visibility_chains,
    subgroup_size_control "subgroupSizeControl" v13.subgroup_size_control,
    compute_full_subgroups "computeFullSubgroups" v13.compute_full_subgroups,
    shader_zero_initialize_workgroup_memory "shaderZeroInitializeWorkgroupMemory"
        v13.shader_zero_initialize_workgroup_memory,
    shader_integer_dot_product "shaderIntegerDotProduct" v13.shader_integer_dot_product,
    maintenance4 "maintenance4" v13.maintenance4,
    shader_buffer_float32_atomics "shaderBufferFloat32Atomics"
        atomic_float.shader_buffer_float32_atomics,
    shader_buffer_float32_atomic_add "shaderBufferFloat32AtomicAdd"
        atomic_float.shader_buffer_float32_atomic_add,
    shader_buffer_float64_atomics "shaderBufferFloat64Atomics"
        atomic_float.shader_buffer_float64_atomics,
    shader_buffer_float64_atomic_add "shaderBufferFloat64AtomicAdd"
        atomic_float.shader_buffer_float64_atomic_add,
    shader_shared_float32_atomics "shaderSharedFloat32Atomics"
        atomic_float.shader_shared_float32_atomics,
    shader_shared_float32_atomic_add "shaderSharedFloat32AtomicAdd"
        atomic_float.shader_shared_float32_atomic_add,
    shader_shared_float64_atomics "shaderSharedFloat64Atomics"
        atomic_float.shader_shared_float64_atomics,
    shader_shared_float64_atomic_add "shaderSharedFloat64AtomicAdd"
        atomic_float.shader_shared_float64_atomic_add,
    shader_buffer_float32_atomic_min_max "shaderBufferFloat32AtomicMinMax"
        atomic_float2.shader_buffer_float32_atomic_min_max,
    shader_buffer_float64_atomic_min_max "shaderBufferFloat64AtomicMinMax"
        atomic_float2.shader_buffer_float64_atomic_min_max,
    shader_shared_float32_atomic_min_max "shaderSharedFloat32AtomicMinMax"
        atomic_float2.shader_shared_float32_atomic_min_max,
    shader_shared_float64_atomic_min_max "shaderSharedFloat64AtomicMinMax"
        atomic_float2.shader_shared_float64_atomic_min_max,
    workgroup_memory_explicit_layout "workgroupMemoryExplicitLayout"
        explicit_layout.workgroup_memory_explicit_layout,
    workgroup_memory_explicit_layout_scalar_block_layout
        "workgroupMemoryExplicitLayoutScalarBlockLayout"
        explicit_layout.workgroup_memory_explicit_layout_scalar_block_layout,
    workgroup_memory_explicit_layout8_bit_access "workgroupMemoryExplicitLayout8BitAccess"
        explicit_layout.workgroup_memory_explicit_layout8_bit_access,
    workgroup_memory_explicit_layout16_bit_access "workgroupMemoryExplicitLayout16BitAccess"
        explicit_layout.workgroup_memory_explicit_layout16_bit_access,
    shader_subgroup_rotate "shaderSubgroupRotate" rotate.shader_subgroup_rotate,
    shader_subgroup_rotate_clustered "shaderSubgroupRotateClustered"
        rotate.shader_subgroup_rotate_clustered,
    shader_subgroup_clock "shaderSubgroupClock" clock.shader_subgroup_clock,
    shader_device_clock "shaderDeviceClock" clock.shader_device_clock,
    cooperative_matrix "cooperativeMatrix" matrix.cooperative_matrix,
    shader_maximal_reconvergence "shaderMaximalReconvergence"
        reconvergence.shader_maximal_reconvergence,
    shader_untyped_pointers "shaderUntypedPointers" untyped.shader_untyped_pointers,
    shader_enqueue "shaderEnqueue" enqueue.shader_enqueue,
}

impl Features {
    /// Clears what is of no use without a feature that is missing.
    pub(crate) fn settle(&mut self) {
        self.shader_buffer_int64_atomics &= self.shader_int64;
        self.shader_shared_int64_atomics &= self.shader_int64;
        // A graph's scratch memory is given by its address.
        self.shader_enqueue &= self.buffer_device_address;
    }
}
