//! Revision 2 of VK_AMDX_shader_enqueue.
//!
//! ash 0.38 has revision 1, whose commands have the same names and other arguments.

use std::ffi::c_void;

use ash::vk;

/// The extension's revision that this crate speaks.
pub(crate) const SPEC_VERSION: u32 = 2;

/// VkPhysicalDeviceShaderEnqueueFeaturesAMDX.
#[repr(C)]
pub(crate) struct ShaderEnqueueFeatures {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub shader_enqueue: vk::Bool32,
    /// shaderMeshEnqueue, which is not enabled.
    shader_mesh_enqueue: vk::Bool32,
}

const _: () = assert!(size_of::<ShaderEnqueueFeatures>() == 24);

impl Default for ShaderEnqueueFeatures {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
            p_next: std::ptr::null_mut(),
            shader_enqueue: vk::FALSE,
            shader_mesh_enqueue: vk::FALSE,
        }
    }
}

// SAFETY: the struct begins with sType and pNext, and the specification lists it as extending
// VkPhysicalDeviceFeatures2 and VkDeviceCreateInfo.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for ShaderEnqueueFeatures {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for ShaderEnqueueFeatures {}

/// VkPhysicalDeviceShaderEnqueuePropertiesAMDX.
#[repr(C)]
pub(crate) struct ShaderEnqueueProperties {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub max_depth: u32,
    pub max_output_nodes: u32,
    pub max_payload_size: u32,
    pub max_payload_count: u32,
    /// executionGraphDispatchAddressAlignment.
    _alignment: u32,
    pub max_group_count: [u32; 3],
    pub max_groups: u32,
}

const _: () = assert!(size_of::<ShaderEnqueueProperties>() == 56);
const _: () = assert!(std::mem::offset_of!(ShaderEnqueueProperties, max_payload_size) == 24);

impl Default for ShaderEnqueueProperties {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX,
            p_next: std::ptr::null_mut(),
            max_depth: 0,
            max_output_nodes: 0,
            max_payload_size: 0,
            max_payload_count: 0,
            _alignment: 0,
            max_group_count: [0; 3],
            max_groups: 0,
        }
    }
}

// SAFETY: the struct begins with sType and pNext, and the specification lists it as extending
// VkPhysicalDeviceProperties2.
unsafe impl vk::ExtendsPhysicalDeviceProperties2 for ShaderEnqueueProperties {}

/// VkExecutionGraphPipelineScratchSizeAMDX.
#[repr(C)]
pub(crate) struct ScratchSize {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub min_size: u64,
    max_size: u64,
    size_granularity: u64,
}

const _: () = assert!(size_of::<ScratchSize>() == 40);

impl Default for ScratchSize {
    fn default() -> Self {
        Self {
            s_type: vk::StructureType::EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX,
            p_next: std::ptr::null_mut(),
            min_size: 0,
            max_size: 0,
            size_granularity: 0,
        }
    }
}

type GetScratchSize =
    unsafe extern "system" fn(vk::Device, vk::Pipeline, *mut ScratchSize) -> vk::Result;
type InitializeScratch =
    unsafe extern "system" fn(vk::CommandBuffer, vk::Pipeline, vk::DeviceAddress, vk::DeviceSize);
type DispatchGraph = unsafe extern "system" fn(
    vk::CommandBuffer,
    vk::DeviceAddress,
    vk::DeviceSize,
    *const vk::DispatchGraphCountInfoAMDX,
);

/// The extension's commands.
pub(crate) struct Functions {
    pub create_pipelines: vk::PFN_vkCreateExecutionGraphPipelinesAMDX,
    pub get_scratch_size: GetScratchSize,
    pub get_node_index: vk::PFN_vkGetExecutionGraphPipelineNodeIndexAMDX,
    pub initialize_scratch: InitializeScratch,
    pub dispatch_graph: DispatchGraph,
}

impl Functions {
    /// Loads the commands; `None` where the driver lacks one.
    ///
    /// # Safety
    /// The device is open, with the extension enabled in [`SPEC_VERSION`].
    pub unsafe fn load(instance: &ash::Instance, device: &ash::Device) -> Option<Self> {
        let get = |name: &std::ffi::CStr| {
            // SAFETY: the device belongs to the instance and the name is a C string.
            unsafe { instance.get_device_proc_addr(device.handle(), name.as_ptr()) }
        };
        // SAFETY: each name is that of a command with the field's type.
        unsafe {
            Some(Self {
                create_pipelines: std::mem::transmute::<
                    unsafe extern "system" fn(),
                    vk::PFN_vkCreateExecutionGraphPipelinesAMDX,
                >(get(c"vkCreateExecutionGraphPipelinesAMDX")?),
                get_scratch_size: std::mem::transmute::<unsafe extern "system" fn(), GetScratchSize>(
                    get(c"vkGetExecutionGraphPipelineScratchSizeAMDX")?,
                ),
                get_node_index: std::mem::transmute::<
                    unsafe extern "system" fn(),
                    vk::PFN_vkGetExecutionGraphPipelineNodeIndexAMDX,
                >(get(
                    c"vkGetExecutionGraphPipelineNodeIndexAMDX",
                )?),
                initialize_scratch: std::mem::transmute::<
                    unsafe extern "system" fn(),
                    InitializeScratch,
                >(get(
                    c"vkCmdInitializeGraphScratchMemoryAMDX",
                )?),
                dispatch_graph: std::mem::transmute::<unsafe extern "system" fn(), DispatchGraph>(
                    get(c"vkCmdDispatchGraphAMDX")?,
                ),
            })
        }
    }
}
