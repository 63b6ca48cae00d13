//! Shader modules, layouts and compute pipelines.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};

/// Kind of resource in a binding of a descriptor set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BindingKind {
    /// A storage buffer.
    StorageBuffer,
    /// A uniform buffer.
    UniformBuffer,
    /// A sampled image.
    SampledImage,
    /// A storage image.
    StorageImage,
    /// A sampler.
    Sampler,
    /// A storage texel buffer.
    StorageTexelBuffer,
    /// A uniform texel buffer.
    UniformTexelBuffer,
}

impl BindingKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::StorageBuffer,
        Self::UniformBuffer,
        Self::SampledImage,
        Self::StorageImage,
        Self::Sampler,
        Self::StorageTexelBuffer,
        Self::UniformTexelBuffer,
    ];

    pub(crate) fn raw(self) -> vk::DescriptorType {
        match self {
            Self::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
            Self::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
            Self::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
            Self::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
            Self::Sampler => vk::DescriptorType::SAMPLER,
            Self::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Self::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        }
    }
}

/// A binding of a descriptor set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binding {
    /// Its number.
    pub binding: u32,
    /// Kind of resource (one descriptor).
    pub kind: BindingKind,
}

/// The interface of a pipeline: descriptor sets and push constants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PipelineLayoutDesc {
    /// The bindings of set 0, set 1, …; a set without bindings is empty.
    pub sets: Vec<Vec<Binding>>,
    /// Bytes of push constants from offset 0 on.
    pub push_constant_size: u32,
}

/// A pipeline layout with its descriptor set layouts. Cheap to clone.
#[derive(Clone)]
pub struct PipelineLayout(pub(crate) Arc<PipelineLayoutInner>);

pub(crate) struct PipelineLayoutInner {
    pub device: Arc<DeviceShared>,
    pub raw: vk::PipelineLayout,
    pub sets: Vec<vk::DescriptorSetLayout>,
    pub desc: PipelineLayoutDesc,
}

/// A shader module: SPIR-V that the driver has. Cheap to clone.
#[derive(Clone)]
pub struct ShaderModule(pub(super) Arc<ModuleInner>);

pub(super) struct ModuleInner {
    pub device: Arc<DeviceShared>,
    pub raw: vk::ShaderModule,
}

/// Creation parameters of a compute pipeline.
#[derive(Clone, Copy)]
pub struct PipelineDesc<'a> {
    /// The module.
    pub module: &'a ShaderModule,
    /// The entry point's name.
    pub entry: &'a str,
    /// The layout.
    pub layout: &'a PipelineLayout,
    /// Specialization ids with their 32-bit values; ids that the module lacks are ignored.
    pub specialization: &'a [(u32, u32)],
    /// Allows [`crate::Recorder::dispatch_base`].
    pub dispatch_base: bool,
    /// The subgroup size to require, where [`crate::caps::Subgroup::required_size`] holds.
    pub subgroup_size: Option<u32>,
    /// No subgroup has work-items missing: groups are made of whole ones in the first dimension. Where
    /// `compute_full_subgroups` is among the features.
    pub full_subgroups: bool,
}

/// A compute pipeline. Cheap to clone.
#[derive(Clone)]
pub struct Pipeline(pub(crate) Arc<PipelineInner>);

pub(crate) struct PipelineInner {
    device: Arc<DeviceShared>,
    pub raw: vk::Pipeline,
    pub layout: PipelineLayout,
    pub dispatch_base: bool,
    /// True once a dispatch has been recorded.
    pub is_dispatched: AtomicBool,
}

impl LogicalDevice {
    /// Makes a layout.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where it is beyond the device's limits, out of memory.
    pub fn create_pipeline_layout(&self, desc: &PipelineLayoutDesc) -> Result<PipelineLayout> {
        check_layout(&self.shared, desc)?;
        let raw = &self.shared.raw;
        let mut layout = PipelineLayoutInner {
            device: Arc::clone(&self.shared),
            raw: vk::PipelineLayout::null(),
            sets: Vec::new(),
            desc: desc.clone(),
        };
        let mut flags = vk::DescriptorSetLayoutCreateFlags::empty();
        if self.shared.caps.limits.update_after_bind {
            flags |= vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
        }
        for set in &desc.sets {
            let bindings: Vec<_> = (set.iter())
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding.binding)
                        .descriptor_type(binding.kind.raw())
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default()
                .flags(flags)
                .bindings(&bindings);
            fault::check("vkCreateDescriptorSetLayout")?;
            // SAFETY: `info` and what it points at live through the call.
            let set = unsafe { raw.create_descriptor_set_layout(&info, None) };
            layout.sets.push(set.call("vkCreateDescriptorSetLayout")?);
        }
        let range = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            // Vulkan wants multiples of 4.
            size: desc.push_constant_size.next_multiple_of(4),
        }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layout.sets);
        if desc.push_constant_size > 0 {
            info = info.push_constant_ranges(&range);
        }
        fault::check("vkCreatePipelineLayout")?;
        // SAFETY: the set layouts are alive; `info` lives through the call.
        let result = unsafe { raw.create_pipeline_layout(&info, None) };
        layout.raw = result.call("vkCreatePipelineLayout")?;
        Ok(PipelineLayout(Arc::new(layout)))
    }

    /// Gives a module to the driver, without its non-semantic instruction sets.
    ///
    /// The words must be valid Vulkan SPIR-V: only header and word counts are checked here.
    ///
    /// # Errors
    /// [`Error::Pipeline`] for words that are not SPIR-V or that the driver refuses.
    pub fn create_shader_module(&self, words: &[u32]) -> Result<ShaderModule> {
        let broken = |error: pumice_spirv::Malformed| Error::Pipeline(error.to_string());
        pumice_spirv::header(words).map_err(broken)?;
        for inst in pumice_spirv::instructions(words) {
            inst.map_err(broken)?;
        }
        let words = pumice_reflection::strip_non_semantic(words);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        fault::check("vkCreateShaderModule")?;
        // SAFETY: `info` points at the words, which live through the call.
        let raw = unsafe { self.shared.raw.create_shader_module(&info, None) };
        let raw = raw.map_err(|result| pipeline_error("vkCreateShaderModule", result))?;
        Ok(ShaderModule(Arc::new(ModuleInner {
            device: Arc::clone(&self.shared),
            raw,
        })))
    }

    /// Makes a compute pipeline.
    ///
    /// # Errors
    /// [`Error::Pipeline`] where the driver refuses it, [`Error::InvalidUse`] for an entry name
    /// with a NUL or objects of another device.
    pub fn create_pipeline(&self, desc: &PipelineDesc<'_>) -> Result<Pipeline> {
        let same = |device: &Arc<DeviceShared>| Arc::ptr_eq(device, &self.shared);
        if !same(&desc.module.0.device) || !same(&desc.layout.0.device) {
            return Err(Error::InvalidUse("objects of another device".into()));
        }
        let entry = entry_name(desc.entry)?;
        let values = Specialization::of(desc.specialization);
        let specialization = values.info();
        let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(desc.module.0.raw)
            .name(&entry)
            .specialization_info(&specialization);
        if let Some(size) = desc.subgroup_size {
            if !self.shared.caps.subgroup.required_size {
                return Err(Error::Unsupported("a required subgroup size".into()));
            }
            required = required.required_subgroup_size(size);
            stage = stage.push_next(&mut required);
        }
        if desc.full_subgroups && self.shared.caps.features.compute_full_subgroups {
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
        }
        let flags = if desc.dispatch_base {
            vk::PipelineCreateFlags::DISPATCH_BASE
        } else {
            vk::PipelineCreateFlags::empty()
        };
        let info = vk::ComputePipelineCreateInfo::default()
            .flags(flags)
            .stage(stage)
            .layout(desc.layout.0.raw);
        fault::check("vkCreateComputePipelines")?;
        // SAFETY: module and layout are alive and of this device; `info` lives through the call.
        let result = unsafe {
            (self.shared.raw).create_compute_pipelines(self.shared.pipeline_cache, &[info], None)
        };
        let raw = match result {
            Ok(pipelines) => pipelines[0],
            Err((pipelines, result)) => {
                for pipeline in pipelines {
                    // SAFETY: a failed creation leaves null handles, which destruction ignores.
                    unsafe { self.shared.raw.destroy_pipeline(pipeline, None) };
                }
                return Err(pipeline_error("vkCreateComputePipelines", result));
            }
        };
        Ok(Pipeline(Arc::new(PipelineInner {
            device: Arc::clone(&self.shared),
            raw,
            layout: desc.layout.clone(),
            dispatch_base: desc.dispatch_base,
            is_dispatched: AtomicBool::new(false),
        })))
    }
}

/// An entry point's name for Vulkan.
pub(super) fn entry_name(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::InvalidUse("an entry point's name with a NUL".into()))
}

/// Values of 32-bit specialization constants, as Vulkan wants them.
pub(super) struct Specialization {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Specialization {
    /// Lays out ids with their values.
    pub fn of(values: &[(u32, u32)]) -> Self {
        let entry = |(index, &(constant_id, _)): (usize, &(u32, u32))| vk::SpecializationMapEntry {
            constant_id,
            offset: index as u32 * 4,
            size: 4,
        };
        Self {
            entries: values.iter().enumerate().map(entry).collect(),
            data: (values.iter())
                .flat_map(|&(_, value)| value.to_ne_bytes())
                .collect(),
        }
    }

    pub fn info(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default()
            .map_entries(&self.entries)
            .data(&self.data)
    }
}

pub(super) fn pipeline_error(call: &'static str, result: vk::Result) -> Error {
    match Error::from_vk(call, result) {
        Error::Vulkan { call, result } => Error::Pipeline(format!("{call}: {result}")),
        other => other,
    }
}

/// Holds a layout against the device's limits, so that no driver sees one beyond them.
fn check_layout(device: &DeviceShared, desc: &PipelineLayoutDesc) -> Result<()> {
    let limits = &device.caps.limits;
    let within = |what: &'static str, size: usize, limit: u32| {
        if size as u64 > u64::from(limit) {
            return Err(Error::TooLarge {
                what,
                size: size as u64,
                limit: u64::from(limit),
            });
        }
        Ok(())
    };
    let count = |kinds: &[BindingKind]| {
        let all = desc.sets.iter().flatten();
        all.filter(|binding| kinds.contains(&binding.kind)).count()
    };
    let sampled = [BindingKind::SampledImage, BindingKind::UniformTexelBuffer];
    let storage = [BindingKind::StorageImage, BindingKind::StorageTexelBuffer];
    within(
        "push constants",
        desc.push_constant_size as usize,
        limits.max_push_constants,
    )?;
    within(
        "a number of descriptor sets",
        desc.sets.len(),
        limits.max_bound_sets,
    )?;
    let buffers = count(&[BindingKind::StorageBuffer]);
    within(
        "a number of storage buffers",
        buffers,
        limits.max_storage_buffers,
    )?;
    let uniforms = count(&[BindingKind::UniformBuffer]);
    within(
        "a number of uniform buffers",
        uniforms,
        limits.max_uniform_buffers,
    )?;
    within(
        "a number of sampled images",
        count(&sampled),
        limits.max_sampled_images,
    )?;
    within(
        "a number of storage images",
        count(&storage),
        limits.max_storage_images,
    )?;
    let samplers = count(&[BindingKind::Sampler]);
    within("a number of samplers", samplers, limits.max_samplers)?;
    let resources = count(&BindingKind::ALL) - samplers;
    within("a number of resources", resources, limits.max_resources)?;
    for set in &desc.sets {
        let mut numbers: Vec<u32> = set.iter().map(|binding| binding.binding).collect();
        numbers.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::InvalidUse(
                "a binding number twice in one set".into(),
            ));
        }
    }
    Ok(())
}

impl PipelineLayout {
    /// Returns the parameters that the layout was created with.
    pub fn desc(&self) -> &PipelineLayoutDesc {
        &self.0.desc
    }
}

impl Pipeline {
    /// Returns whether both handles refer to the same pipeline.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns whether the next dispatch is the first one, and the driver generates the pipeline's code then
    /// ([`CodeAtFirstDispatch`](crate::quirks::QuirkKind::CodeAtFirstDispatch)); one of no work-groups will do.
    pub fn lacks_code(&self) -> bool {
        self.0.device.generates_code_late && !self.0.is_dispatched.load(Ordering::Relaxed)
    }

    /// The pipeline's layout.
    pub fn layout(&self) -> &PipelineLayout {
        &self.0.layout
    }
}

impl Drop for PipelineLayoutInner {
    fn drop(&mut self) {
        // SAFETY: pipelines, sets and recordings keep the layout, so nothing uses it; a null
        // pipeline layout (creation failed) is ignored.
        unsafe {
            self.device.raw.destroy_pipeline_layout(self.raw, None);
            for &set in &self.sets {
                self.device.raw.destroy_descriptor_set_layout(set, None);
            }
        }
    }
}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need their module after creation.
        unsafe { self.device.raw.destroy_shader_module(self.raw, None) };
    }
}

impl Drop for PipelineInner {
    fn drop(&mut self) {
        // SAFETY: recordings keep the pipeline until the device is done with it.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}
