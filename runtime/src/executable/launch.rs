//! One NDRange: from arguments and a range to pipelines, descriptors, push constants and
//! dispatches.

use std::collections::BTreeMap;

use pumice_vulkan_layer::{
    self as vk, BindingKind, Buffer, BufferView, DescriptorSet, Device, ImageView, Pipeline,
    Recorder, Resource, SamplerDesc,
};

use super::Executable;
use super::facts::{Facts, SpecValues};
use super::interface::{
    ArgKind, Content, Interface, KernelInterface, ModulePlace, Place, RangePush, Source,
};
use super::ndrange::{MAX_REGIONS, NdRange, Region, regions};
use super::on_device::{OnDevice, PipelineKey};

/// The value of an argument.
#[derive(Clone)]
pub enum ArgValue {
    /// A POD's bytes.
    Bytes(Box<[u8]>),
    /// A range of a buffer (a buffer or sub-buffer object).
    Buffer {
        /// The buffer.
        buffer: Buffer,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
    },
    /// A device address (SVM); what it points at is the caller's to keep.
    Address(u64),
    /// A NULL pointer.
    Null,
    /// The size of a local argument in bytes.
    Local {
        /// In bytes.
        size: u64,
    },
    /// An image, as the kernel's binding has it.
    Image {
        /// The view.
        view: ImageArg,
        /// CL_R, …
        order: u32,
        /// CL_UNORM_INT8, …
        data_type: u32,
    },
    /// A sampler.
    Sampler {
        /// What it is.
        desc: SamplerDesc,
        /// What kernels are told of it.
        mask: u32,
    },
}

/// What a kernel gets of an image.
#[derive(Clone)]
pub enum ImageArg {
    /// For sampled and storage images.
    Image(ImageView),
    /// For texel buffers.
    Texels(BufferView),
}

/// What is to be run.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// Index into [`Executable::kernels`].
    pub kernel: usize,
    /// The range.
    pub range: &'a NdRange,
    /// One value per argument; `None` only where the kernel does not use it.
    pub args: &'a [Option<ArgValue>],
}

/// Why a launch cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// An argument is not set, or its value does not suit it (CL_INVALID_KERNEL_ARGS).
    #[error("argument {0} is not set, or not to a value of its kind")]
    Args(usize),
    /// CL_INVALID_WORK_GROUP_SIZE.
    #[error("work-group size: {0}")]
    WorkGroupSize(String),
    /// CL_INVALID_WORK_ITEM_SIZE: a dimension is beyond the device's limit.
    #[error("work-item size: {0}")]
    WorkItemSize(String),
    /// CL_INVALID_GLOBAL_OFFSET.
    #[error("global offset: {0}")]
    GlobalOffset(String),
    /// CL_INVALID_GLOBAL_WORK_SIZE.
    #[error("global size: {0}")]
    GlobalSize(String),
    /// CL_MISALIGNED_SUB_BUFFER_OFFSET.
    #[error("argument {0}: the sub-buffer's offset is not aligned for the device")]
    Misaligned(usize),
    /// CL_OUT_OF_RESOURCES.
    #[error("out of resources: {0}")]
    Resources(String),
    /// The Vulkan layer's error.
    #[error(transparent)]
    Vulkan(#[from] vk::Error),
}

type Result<T> = std::result::Result<T, LaunchError>;

/// A launch with everything made that it needs. It can be recorded more than once.
pub struct Prepared {
    sets: Vec<DescriptorSet>,
    dispatches: Vec<Dispatch>,
    keep: Vec<Buffer>,
    printf: Option<Buffer>,
}

struct Dispatch {
    pipeline: Pipeline,
    push: Vec<u8>,
    /// First work-group, for vkCmdDispatchBase.
    base: Option<[u32; 3]>,
    groups: [u32; 3],
}

/// How a range of several regions stays right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Splitting {
    /// The module adds the region's offsets, or uses nothing that they change.
    PushConstants,
    /// The module uses work-group ids alone: vkCmdDispatchBase gives the right ones.
    DispatchBase,
}

const NUM_WORKGROUPS: u32 = 24;
const WORKGROUP_ID: u32 = 26;
const LOCAL_INVOCATION_ID: u32 = 27;
const GLOBAL_INVOCATION_ID: u32 = 28;
const LOCAL_INVOCATION_INDEX: u32 = 29;

/// How ranges of several regions can run; `None` where results would be wrong, since the module
/// takes ids from Vulkan without adding a region's offsets.
pub(super) fn splitting(interface: &Interface, facts: &Facts) -> Option<Splitting> {
    let uses = |built_in| facts.built_ins.contains(&built_in);
    let offsets = interface.region_offset.is_some();
    let group_offsets = interface.region_group_offset.is_some();
    let has_global_ids = uses(GLOBAL_INVOCATION_ID) && !offsets;
    let has_num_groups = uses(NUM_WORKGROUPS) && interface.num_groups.is_none();
    if has_global_ids || has_num_groups {
        return None;
    }
    if uses(WORKGROUP_ID) && !offsets && !group_offsets {
        // With local ids, the module may put global ids together itself, with the local size of
        // the region instead of the range's.
        let local = uses(LOCAL_INVOCATION_ID) || uses(LOCAL_INVOCATION_INDEX);
        return (!local).then_some(Splitting::DispatchBase);
    }
    Some(Splitting::PushConstants)
}

impl Executable {
    /// Makes everything that a launch needs.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub fn prepare(&self, device: &Device, launch: &Launch<'_>) -> Result<Prepared> {
        let Some(kernel) = self.interface.kernels.get(launch.kernel) else {
            return Err(LaunchError::Resources(format!(
                "there is no kernel {}",
                launch.kernel
            )));
        };
        check_args(kernel, launch.args)?;
        check_range(kernel, launch.range, device)?;
        let regions = self.regions(kernel, launch.range, device)?;
        let specialization = self.specialization(kernel, launch, device)?;
        if regions.is_empty() {
            return Ok(Prepared {
                sets: Vec::new(),
                dispatches: Vec::new(),
                keep: Vec::new(),
                printf: None,
            });
        }

        let on_device = self.on_device(device)?;
        let mut builder = Builder {
            interface: &self.interface,
            kernel,
            on_device: &on_device,
            args: launch.args,
            push: vec![0; kernel.layout.push_constant_size as usize],
            keep: on_device.data.clone(),
            printf: None,
        };
        builder.printf()?;
        builder.push_constants(launch.range)?;
        let sets = builder.descriptor_sets(launch.kernel)?;
        let Builder {
            push, keep, printf, ..
        } = builder;

        let dispatch_base = regions.len() > 1
            && splitting(&self.interface, &self.facts) == Some(Splitting::DispatchBase);
        let mut dispatches = Vec::with_capacity(regions.len());
        for region in &regions {
            let mut specialization = specialization.clone();
            if let Some(ids) = self.interface.spec_local_size {
                specialization.extend(ids.into_iter().zip(region.local_size));
            }
            let key = PipelineKey {
                kernel: launch.kernel,
                specialization,
                dispatch_base,
            };
            let pipeline = on_device.pipeline(&kernel.info.name, key)?;
            dispatches.push(Dispatch {
                pipeline,
                push: self.region_push(&push, launch.range, region)?,
                base: dispatch_base.then(|| region.first_group.map(|group| group as u32)),
                groups: region.groups,
            });
        }
        Ok(Prepared {
            sets,
            dispatches,
            keep,
            printf,
        })
    }

    fn regions(
        &self,
        kernel: &KernelInterface,
        range: &NdRange,
        device: &Device,
    ) -> Result<Vec<Region>> {
        let max_groups = device.capabilities().limits.max_group_count;
        let regions = regions(range, max_groups).ok_or_else(|| {
            LaunchError::Resources(format!(
                "the range takes more than {MAX_REGIONS} dispatches"
            ))
        })?;
        let varies = regions
            .iter()
            .any(|region| region.local_size != range.local_size);
        let name = &kernel.info.name;
        if let Some(fixed) = kernel.fixed_local_size {
            if varies || range.local_size != fixed {
                return Err(LaunchError::WorkGroupSize(format!(
                    "kernel `{name}` runs in groups of {fixed:?} only"
                )));
            }
        }
        if regions.len() > 1 && splitting(&self.interface, &self.facts).is_none() {
            let text = format!("kernel `{name}` was compiled without offsets of regions");
            return Err(if varies {
                LaunchError::WorkGroupSize(format!("{text}: groups must be of one size"))
            } else {
                LaunchError::GlobalSize(format!("{text}: the range has too many groups"))
            });
        }
        Ok(regions)
    }

    /// Every specialization constant but the region's local size.
    fn specialization(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        device: &Device,
    ) -> Result<Vec<(u32, u32)>> {
        let caps = device.capabilities();
        let range = launch.range;
        let mut all = Vec::new();
        for &(ordinal, place) in &kernel.places {
            let Place::Local { spec_id, elem_size } = place else {
                continue;
            };
            if let Some(Some(ArgValue::Local { size })) = launch.args.get(ordinal) {
                // An array has one element at least.
                let count = size.div_ceil(u64::from(elem_size)).max(1);
                let count = u32::try_from(count)
                    .map_err(|_| LaunchError::Resources("work-group memory".into()))?;
                all.push((spec_id, count));
            }
        }
        if let Some(ids) = self.interface.spec_global_offset {
            for (id, offset) in ids.into_iter().zip(range.global_offset) {
                all.push((id, narrow_offset(offset)?));
            }
        }
        if let Some(id) = self.interface.spec_work_dim {
            all.push((id, range.work_dim));
        }
        if let Some(id) = self.interface.spec_subgroup_size {
            let subgroup = &caps.subgroup;
            let size = if subgroup.required_size {
                subgroup.size
            } else {
                subgroup.max_size
            };
            all.push((id, size));
        }
        let spec: SpecValues = all.iter().copied().collect();
        let (needed, limit) = (
            self.local_memory_with(kernel, &spec),
            u64::from(caps.limits.max_shared_memory),
        );
        if needed > limit {
            return Err(LaunchError::Resources(format!(
                "{needed} bytes of local memory, the device has {limit}"
            )));
        }
        let has_offset = range.global_offset != [0; 3];
        let takes_offset = self.interface.spec_global_offset.is_some()
            || self.interface.global_offset.is_some()
            || self.interface.region_offset.is_some();
        let has_ids = self.facts.built_ins.contains(&GLOBAL_INVOCATION_ID);
        if has_offset && !takes_offset && has_ids {
            return Err(LaunchError::GlobalOffset(format!(
                "kernel `{}` was compiled without one",
                kernel.info.name
            )));
        }
        Ok(all)
    }

    /// The push constants of one region.
    fn region_push(&self, push: &[u8], range: &NdRange, region: &Region) -> Result<Vec<u8>> {
        let mut push = push.to_vec();
        let first: [u64; 3] = std::array::from_fn(|d| {
            let skipped = region.first_group[d] * u64::from(range.local_size[d]);
            range.global_offset[d].wrapping_add(skipped)
        });
        put_range(&mut push, self.interface.region_offset, first)?;
        put_range(
            &mut push,
            self.interface.region_group_offset,
            region.first_group,
        )?;
        Ok(push)
    }
}

fn narrow_offset(offset: u64) -> Result<u32> {
    let text = || LaunchError::GlobalOffset("the module takes 32-bit offsets".into());
    u32::try_from(offset).map_err(|_| text())
}

fn check_args(kernel: &KernelInterface, args: &[Option<ArgValue>]) -> Result<()> {
    for (ordinal, meta) in kernel.info.args.iter().enumerate() {
        let value = args.get(ordinal).and_then(Option::as_ref);
        let suits = match (meta.kind, value) {
            (ArgKind::Unused, _) => true,
            (ArgKind::Pod { size }, Some(ArgValue::Bytes(bytes))) => bytes.len() == size as usize,
            (
                ArgKind::Buffer,
                Some(ArgValue::Buffer { .. } | ArgValue::Address(_) | ArgValue::Null),
            ) => true,
            (ArgKind::Local, Some(ArgValue::Local { .. })) => true,
            (ArgKind::Image { binding, kind }, Some(ArgValue::Image { view, .. })) => match view {
                ImageArg::Image(view) => {
                    let images = [BindingKind::SampledImage, BindingKind::StorageImage];
                    let shape = view.image().desc().kind;
                    images.contains(&binding) && kind.is_none_or(|kind| kind == shape)
                }
                ImageArg::Texels(_) => {
                    let texels = [
                        BindingKind::UniformTexelBuffer,
                        BindingKind::StorageTexelBuffer,
                    ];
                    texels.contains(&binding)
                }
            },
            (ArgKind::Sampler, Some(ArgValue::Sampler { .. })) => true,
            _ => false,
        };
        if !suits {
            return Err(LaunchError::Args(ordinal));
        }
    }
    Ok(())
}

fn check_range(kernel: &KernelInterface, range: &NdRange, device: &Device) -> Result<()> {
    let limits = &device.capabilities().limits;
    let local = range.local_size;
    if let Some(required) = kernel.info.required_work_group_size {
        if local != required {
            return Err(LaunchError::WorkGroupSize(format!(
                "kernel `{}` requires groups of {required:?}",
                kernel.info.name
            )));
        }
    }
    if local.contains(&0) {
        return Err(LaunchError::WorkGroupSize("a dimension of 0".into()));
    }
    if (0..3).any(|d| local[d] > limits.max_group_size[d]) {
        let most = limits.max_group_size;
        return Err(LaunchError::WorkItemSize(format!(
            "the device takes up to {most:?}"
        )));
    }
    let invocations: u64 = local.iter().map(|&size| u64::from(size)).product();
    if invocations > u64::from(limits.max_group_invocations) {
        let most = limits.max_group_invocations;
        return Err(LaunchError::WorkGroupSize(format!(
            "the device takes {most} work-items"
        )));
    }
    for d in 0..3 {
        if range.global_offset[d]
            .checked_add(range.global_size[d])
            .is_none()
        {
            return Err(LaunchError::GlobalOffset(
                "offset plus size overflow".into(),
            ));
        }
    }
    Ok(())
}

/// Writes three values, low dimension first, as the module takes them.
fn put_range(push: &mut [u8], place: Option<RangePush>, values: [u64; 3]) -> Result<()> {
    let Some(RangePush { offset, wide }) = place else {
        return Ok(());
    };
    for (index, value) in values.into_iter().enumerate() {
        if wide {
            put(push, offset as usize + index * 8, &value.to_le_bytes());
        } else {
            let narrow = u32::try_from(value).map_err(|_| {
                LaunchError::GlobalSize("the module takes 32-bit sizes and offsets".into())
            })?;
            put(push, offset as usize + index * 4, &narrow.to_le_bytes());
        }
    }
    Ok(())
}

/// Writes bytes at a place that the interface has reserved.
fn put(block: &mut [u8], offset: usize, bytes: &[u8]) {
    block[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// An address in the bytes that the module has for it.
fn address_bytes(address: u64, size: u32) -> Result<Vec<u8>> {
    let mut bytes = address.to_le_bytes().to_vec();
    if bytes[size as usize..].iter().any(|&byte| byte != 0) {
        return Err(LaunchError::Resources(
            "4-byte pointers to this memory".into(),
        ));
    }
    bytes.truncate(size as usize);
    Ok(bytes)
}

struct Builder<'a> {
    interface: &'a Interface,
    kernel: &'a KernelInterface,
    on_device: &'a OnDevice,
    args: &'a [Option<ArgValue>],
    /// Everything but what regions change.
    push: Vec<u8>,
    keep: Vec<Buffer>,
    printf: Option<Buffer>,
}

impl Builder<'_> {
    fn printf(&mut self) -> Result<()> {
        if let Some(printf) = self.interface.printf {
            if self.kernel.info.may_use_printf {
                let buffer = self.on_device.printf_buffer(printf.size)?;
                self.keep.push(buffer.clone());
                self.printf = Some(buffer);
            }
        }
        Ok(())
    }

    /// The bytes that an argument has in a block or push constants.
    fn value(&mut self, ordinal: usize, size: u32, content: Content) -> Result<Vec<u8>> {
        use Content as C;
        let number = match (content, self.args.get(ordinal).and_then(Option::as_ref)) {
            (C::Bytes, Some(ArgValue::Bytes(bytes))) => return Ok(bytes.to_vec()),
            (C::Pointer, Some(ArgValue::Buffer { buffer, offset, .. })) => {
                self.keep.push(buffer.clone());
                buffer.address() + offset
            }
            (C::Pointer, Some(ArgValue::Address(address))) => *address,
            (C::Pointer, Some(ArgValue::Null)) => 0,
            (C::ChannelOrder, Some(ArgValue::Image { order, .. })) => u64::from(*order),
            (C::ChannelDataType, Some(ArgValue::Image { data_type, .. })) => u64::from(*data_type),
            (C::SamplerMask, Some(ArgValue::Sampler { mask, .. })) => u64::from(*mask),
            _ => return Err(LaunchError::Args(ordinal)),
        };
        address_bytes(number, size)
    }

    fn push_constants(&mut self, range: &NdRange) -> Result<()> {
        let local = range.local_size.map(u64::from);
        for (place, values) in [
            (self.interface.global_offset, range.global_offset),
            (self.interface.global_size, range.global_size),
            (self.interface.enqueued_local_size, local),
            (self.interface.num_groups, range.num_groups()),
        ] {
            put_range(&mut self.push, place, values)?;
        }
        for (data, buffer) in self.interface.data.iter().zip(&self.on_device.data) {
            if let ModulePlace::Push { offset, size } = data.place {
                let bytes = address_bytes(buffer.address(), size)?;
                put(&mut self.push, offset as usize, &bytes);
            }
        }
        let printf = self.interface.printf.map(|printf| printf.place);
        if let (Some(ModulePlace::Push { offset, size }), Some(buffer)) = (printf, &self.printf) {
            let bytes = address_bytes(buffer.address(), size)?;
            put(&mut self.push, offset as usize, &bytes);
        }
        for &(ordinal, place) in &self.kernel.places {
            if let Place::Push {
                offset,
                size,
                content,
            } = place
            {
                let bytes = self.value(ordinal, size, content)?;
                put(&mut self.push, offset as usize, &bytes);
            }
        }
        Ok(())
    }

    fn descriptor_sets(&mut self, kernel: usize) -> Result<Vec<DescriptorSet>> {
        let mut blocks: BTreeMap<(u32, u32), Vec<u8>> = BTreeMap::new();
        for &(ordinal, place) in &self.kernel.places {
            let Place::Block {
                set,
                binding,
                offset,
                size,
                content,
            } = place
            else {
                continue;
            };
            let bytes = self.value(ordinal, size, content)?;
            let length = match self.kernel.bindings.get(&(set, binding)) {
                Some((_, Source::Block(length))) => *length as usize,
                _ => continue,
            };
            let block = blocks
                .entry((set, binding))
                .or_insert_with(|| vec![0; length]);
            put(block, offset as usize, &bytes);
        }

        let mut resources: BTreeMap<u32, Vec<(u32, Resource)>> = BTreeMap::new();
        for (&(set, binding), &(kind, source)) in &self.kernel.bindings {
            let resource = match source {
                Source::Argument(ordinal) => match kind {
                    BindingKind::StorageBuffer | BindingKind::UniformBuffer => {
                        self.buffer_argument(ordinal, kind)?
                    }
                    BindingKind::Sampler => self.sampler_argument(ordinal)?,
                    _ => self.image_argument(ordinal)?,
                },
                Source::Sampler(desc) => Resource::Sampler(self.on_device.device.sampler(desc)?),
                Source::Block(_) => {
                    let bytes = blocks.remove(&(set, binding)).unwrap_or_default();
                    let (buffer, offset) = self.on_device.place_block(&bytes)?;
                    let range = bytes.len() as u64;
                    Resource::Buffer {
                        buffer,
                        offset,
                        range,
                    }
                }
                Source::Data(index) => whole(&self.on_device.data[index]),
                Source::Printf => whole(self.printf.as_ref().unwrap_or(&self.on_device.nothing)),
            };
            resources.entry(set).or_default().push((binding, resource));
        }
        let device = &self.on_device.device;
        let layout = &self.on_device.layouts[kernel];
        (resources.iter())
            .map(|(&set, resources)| Ok(device.create_descriptor_set(layout, set, resources)?))
            .collect()
    }

    fn image_argument(&self, ordinal: usize) -> Result<Resource> {
        match self.args.get(ordinal).and_then(Option::as_ref) {
            Some(ArgValue::Image { view, .. }) => Ok(match view {
                ImageArg::Image(view) => Resource::Image(view.clone()),
                ImageArg::Texels(view) => Resource::Texels(view.clone()),
            }),
            _ => Err(LaunchError::Args(ordinal)),
        }
    }

    /// The sampler; with normalised coordinates where the kernel is told its mask, since it
    /// divides the others itself then: Vulkan has none in texels for boxes and arrays.
    fn sampler_argument(&self, ordinal: usize) -> Result<Resource> {
        let Some(Some(ArgValue::Sampler { desc, .. })) = self.args.get(ordinal) else {
            return Err(LaunchError::Args(ordinal));
        };
        let is_mask = |place: &Place| {
            let content = Content::SamplerMask;
            matches!(place, Place::Push { content: c, .. } if *c == content)
        };
        let mut places = self.kernel.places.iter();
        let told = places.any(|(o, place)| *o == ordinal && is_mask(place));
        let desc = SamplerDesc {
            normalized: desc.normalized || told,
            ..*desc
        };
        Ok(Resource::Sampler(self.on_device.device.sampler(desc)?))
    }

    fn buffer_argument(&self, ordinal: usize, kind: BindingKind) -> Result<Resource> {
        let limits = &self.on_device.device.capabilities().limits;
        let (alignment, most) = match kind {
            BindingKind::UniformBuffer => (
                limits.min_uniform_buffer_alignment,
                limits.max_uniform_buffer_range,
            ),
            _ => (
                limits.min_storage_buffer_alignment,
                limits.max_storage_buffer_range,
            ),
        };
        match self.args.get(ordinal).and_then(Option::as_ref) {
            // Less than a word, by which our own modules know it.
            Some(ArgValue::Null) => Ok(Resource::Buffer {
                buffer: self.on_device.nothing.clone(),
                offset: 0,
                range: 1,
            }),
            Some(&ArgValue::Buffer {
                ref buffer,
                offset,
                size,
            }) => {
                if offset % alignment.max(1) != 0 {
                    return Err(LaunchError::Misaligned(ordinal));
                }
                if size > u64::from(most) {
                    return Err(LaunchError::Resources(format!(
                        "argument {ordinal} has {size} bytes, a descriptor takes {most}"
                    )));
                }
                // Whole words, as they are accessed where the device has nothing smaller.
                let left = buffer.size_in_words().saturating_sub(offset);
                Ok(Resource::Buffer {
                    buffer: buffer.clone(),
                    offset,
                    range: size.next_multiple_of(4).min(left),
                })
            }
            // A descriptor cannot be made of a bare address.
            _ => Err(LaunchError::Args(ordinal)),
        }
    }
}

fn whole(buffer: &Buffer) -> Resource {
    Resource::Buffer {
        buffer: buffer.clone(),
        offset: 0,
        range: buffer.size(),
    }
}

impl Prepared {
    /// Records the launch: binds and dispatches, without barriers.
    ///
    /// # Errors
    /// A recorder of another device.
    pub fn record(&self, recorder: &mut Recorder) -> vk::Result<()> {
        let mut bound: Option<&Pipeline> = None;
        for dispatch in &self.dispatches {
            if bound.is_none_or(|bound| !bound.same(&dispatch.pipeline)) {
                recorder.bind_pipeline(&dispatch.pipeline);
            }
            if bound.is_none() {
                // All pipelines of a kernel have one layout, so the sets stay bound.
                for set in &self.sets {
                    recorder.bind_descriptors(set)?;
                }
            }
            bound = Some(&dispatch.pipeline);
            recorder.push_constants(0, &dispatch.push)?;
            match dispatch.base {
                Some(base) => recorder.dispatch_base(base, dispatch.groups)?,
                None => recorder.dispatch(dispatch.groups)?,
            }
        }
        if !self.keep.is_empty() {
            recorder.keep(self.keep.clone());
        }
        Ok(())
    }

    /// The printf buffer of this launch, to be given to [`Executable::decode_printf`] once the
    /// submission is done. `None` when the kernel does not print, or it was taken.
    pub fn take_printf(&mut self) -> Option<Buffer> {
        self.printf.take()
    }
}
