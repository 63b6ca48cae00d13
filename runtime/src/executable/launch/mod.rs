//! Prepares one launch: pipelines, descriptors, push constants and dispatches, from arguments and a
//! range.
//!
//! - `range.rs`: ranges, their checks and the choice of a work-group size
//! - `regions.rs`: the parts of a range that one dispatch can run
//! - `plan.rs`: what the range decides, kept for the next launch
//! - `bind.rs`: from arguments to push constants and descriptors
//! - `node.rs`: the same for nodes of a work graph
//! - `checks.rs`: the memory of a launch's checks
//! - `variable_memory.rs`: bounds of the private or local memory that kernels have in a buffer
//! - `coarse.rs`: launches of copies that run several work-items in an invocation
//! - `rewrite.rs`: a launch like another, with other numbers
//! - `promises.rs`: what a launch tells its pipelines

mod bind;
mod checks;
mod coarse;
mod join;
mod node;
mod plan;
mod promises;
mod range;
mod record;
mod regions;
mod rewrite;
mod slices;
mod variable_memory;

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use pumice_check::Table;
use pumice_vulkan_layer::{
    self as vk, BindingKind, Buffer, BufferView, DescriptorSet, ImageKind, ImageView,
    LogicalDevice, SamplerDesc,
};
use smallvec::SmallVec;

use self::bind::{Buffers, LaunchBuilder, Push, put_range};
pub use self::checks::CheckMemory;
pub use self::join::LeastGroups;
pub(super) use self::node::NodeConstants;
pub(super) use self::plan::Plan;
use self::plan::PlannedDispatch;
pub use self::range::{NdRange, RangeLimits, RangeRequest};
use self::regions::{MAX_REGIONS, Region, regions, sides};
use self::variable_memory::VariableMemory;
pub(super) use self::variable_memory::most_work_items;
use super::Executable;
use super::interface::module_scan::{ModuleScan, SpecValues};
use super::interface::{ArgKind, ArgPlace, Interface, KernelInterface};
use crate::device::local_memory;

/// The bytes of an argument, mostly few.
pub struct ArgBytes(SmallVec<[u8; 16]>);

impl From<&[u8]> for ArgBytes {
    fn from(bytes: &[u8]) -> Self {
        Self(SmallVec::from_slice(bytes))
    }
}

impl Clone for ArgBytes {
    /// Copies them at once, which SmallVec's own does not.
    fn clone(&self) -> Self {
        Self::from(&self.0[..])
    }
}

impl Deref for ArgBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// The value of an argument.
#[derive(Clone)]
pub enum ArgValue {
    /// A POD's bytes.
    Bytes(ArgBytes),
    /// A range of a buffer (a buffer or sub-buffer object).
    Buffer {
        /// The buffer.
        buffer: Buffer,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
    },
    /// A pointer as kernels see it (SVM); what it points at is the caller's to keep.
    Pointer(u64),
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
        /// The number of its mip levels.
        mip_levels: u32,
        /// The number of its samples a pixel, which the view shows as layers; 0 for an image without samples.
        samples: u32,
        /// Its size in level 0, as [`Fact::SizeX`](pumice_reflection::Fact::SizeX) and its siblings say.
        size: [u32; 3],
        /// The views of level 1 and those behind it, as many as the kernel has images of levels; those beyond the
        /// last level show that one.
        levels: Vec<ImageView>,
    },
    /// A sampler.
    Sampler {
        /// Its description.
        desc: SamplerDesc,
        /// Its mask, for kernels that read it.
        mask: u32,
        /// The least and the largest level of detail.
        lod: [f32; 2],
    },
}

impl ArgValue {
    /// Tells whether both are the same value of the application's; false for memory and images.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(one), Self::Bytes(other)) => **one == **other,
            (Self::Pointer(one), Self::Pointer(other)) => one == other,
            (Self::Local { size: one }, Self::Local { size: other }) => one == other,
            (Self::Null, Self::Null) => true,
            _ => false,
        }
    }
}

/// The view of an image that a kernel gets.
#[derive(Clone)]
pub enum ImageArg {
    /// For sampled and storage images.
    Image(ImageView),
    /// For texel buffers.
    Texels(BufferView),
}

/// A kernel, its range and its arguments.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// Index into [`Executable::kernels`].
    pub kernel: usize,
    /// The range, which [`RangeLimits::check`] has passed.
    pub range: &'a NdRange,
    /// One value per argument; `None` only where the kernel does not use it.
    pub args: &'a [Option<ArgValue>],
    /// The device address of the memory of device-side enqueue, for kernels that take it.
    pub enqueue: Option<u64>,
    /// The memory that the launch may access, for kernels with checks.
    pub checks: Option<&'a Table>,
    /// The word that tells its kernel to end; a kernel that looks for one and gets none runs to its end.
    pub termination: Option<&'a Buffer>,
    /// Tells queues apart: launches of one queue, which is one of Vulkan's, share memory in turn.
    pub queue: usize,
    /// True if it may be cut into slices, for several submissions.
    pub may_slice: bool,
}

/// The reason for which a launch is refused.
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
    /// CL_IMAGE_FORMAT_NOT_SUPPORTED.
    #[error("argument {0}: the device reads no image of this format that a kernel writes too")]
    Format(usize),
    /// CL_OUT_OF_RESOURCES.
    #[error("out of resources: {0}")]
    Resources(String),
    /// The Vulkan layer's error.
    #[error(transparent)]
    Vulkan(#[from] vk::Error),
}

pub(super) type Result<T> = std::result::Result<T, LaunchError>;

/// A launch with everything made that it needs. It can be recorded more than once.
pub struct Prepared {
    sets: Vec<DescriptorSet>,
    /// The push constants of each dispatch of the plan.
    pushes: SmallVec<[Push; 1]>,
    held: Arc<Held>,
    printf: Option<Buffer>,
    check: Option<CheckMemory>,
}

/// Everything that the dispatches of a launch use.
struct Held {
    plan: Arc<Plan>,
    #[expect(dead_code, reason = "keeps memory that shaders reach by address")]
    buffers: Buffers,
}

/// The way in which the ids of a range of several regions stay right.
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

/// Chooses the way in which ranges of several regions run; `None` where results would be wrong, since the module
/// takes ids from Vulkan without adding a region's offsets.
pub(super) fn splitting(interface: &Interface, scan: &ModuleScan) -> Option<Splitting> {
    // Such a module numbers memory of variables and blocks by Vulkan's ids, and everything else by offsets.
    let mut kernels = interface.kernels.iter();
    let counts_groups = |kernel: &KernelInterface| {
        let has_memory = kernel.info.private_bytes.is_some() || kernel.local_buffer.is_some();
        has_memory || kernel.part.is_some()
    };
    if kernels.any(counts_groups) {
        return Some(Splitting::PushConstants);
    }
    let uses = |built_in| scan.built_ins.contains(&built_in);
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
    pub fn prepare(&self, device: &LogicalDevice, launch: &Launch<'_>) -> Result<Prepared> {
        let Some(kernel) = self.interface.kernels.get(launch.kernel) else {
            return Err(LaunchError::Resources(format!(
                "there is no kernel {}",
                launch.kernel
            )));
        };
        check_args(kernel, launch.args)?;
        let plan = self.plan(kernel, launch, device)?;
        let device_module = &plan.device_module;
        let mut args = Cow::Borrowed(launch.args);
        let own = kernel.info.args.len() + usize::from(plan.variables.is_some());
        if let Some(size) = plan.variables {
            let args = args.to_mut();
            let buffer = device_module.variable_memory(launch.queue, size)?;
            args.truncate(kernel.info.args.len());
            args.push(Some(ArgValue::Buffer {
                buffer,
                offset: 0,
                size,
            }));
        }
        if kernel.info.enqueues {
            let address = launch.enqueue.ok_or_else(|| {
                LaunchError::Resources("it enqueues kernels, which cannot be here".into())
            })?;
            let args = args.to_mut();
            args.truncate(own);
            let pointer = address.wrapping_sub(device.address_delta());
            args.push(Some(ArgValue::Pointer(pointer)));
        }
        let mut check = None;
        if kernel.info.checked {
            let memory = self.check_memory(device_module, kernel, launch.checks)?;
            let args = args.to_mut();
            args.truncate(own + usize::from(kernel.info.enqueues));
            args.push(Some(memory.argument()));
            check = Some(memory);
        }
        let mut builder = LaunchBuilder {
            interface: &self.interface,
            kernel,
            device_module,
            args: &args,
            push: SmallVec::from_slice(&plan.push),
            keep: Buffers::new(),
            printf: None,
        };
        builder.printf()?;
        builder.termination(launch.termination)?;
        builder.push_constants()?;
        let sets = builder.descriptor_sets(launch.kernel)?;
        let LaunchBuilder {
            push, keep, printf, ..
        } = builder;
        let mut pushes = SmallVec::new();
        for dispatch in &plan.dispatches {
            let push = SmallVec::from_slice(&push);
            pushes.push(self.region_push(push, launch.range, dispatch)?);
        }
        Ok(Prepared {
            sets,
            pushes,
            held: Arc::new(Held {
                plan,
                buffers: keep,
            }),
            printf,
            check,
        })
    }

    fn regions(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        variables: Option<VariableMemory>,
        device: &LogicalDevice,
    ) -> Result<(Vec<Region>, bool)> {
        let range = launch.range;
        let limits = &device.capabilities().limits;
        let max_groups = match variables {
            Some(variables) => variables.groups_within(range, limits)?,
            None => limits.max_group_count,
        };
        let in_slices = self.slices(kernel, launch, device);
        let in_slices = in_slices.and_then(|most| regions(range, sides(most, range, max_groups)));
        let is_sliced = in_slices.is_some();
        let regions = in_slices.or_else(|| regions(range, max_groups));
        let regions = regions.ok_or_else(|| {
            LaunchError::Resources(format!(
                "the range takes more than {MAX_REGIONS} dispatches"
            ))
        })?;
        let varies = regions
            .iter()
            .any(|region| region.local_size != range.local_size);
        if let Some(fixed) = kernel.fixed_local_size {
            if varies || range.local_size != fixed {
                return Err(LaunchError::WorkGroupSize(format!(
                    "it runs in groups of {fixed:?} only"
                )));
            }
        }
        if regions.len() > 1 && self.splitting.is_none() {
            let text = "it was compiled without offsets of regions";
            return Err(if varies {
                LaunchError::WorkGroupSize(format!("{text}: groups must be of one size"))
            } else {
                LaunchError::GlobalSize(format!("{text}: the range has too many groups"))
            });
        }
        Ok((regions, is_sliced))
    }

    /// The most work-groups of a slice; `None` if the launch is submitted as a whole.
    fn slices(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        device: &LogicalDevice,
    ) -> Option<u64> {
        if !launch.may_slice || self.splitting.is_none() {
            return None;
        }
        let may_wait = !kernel.no_waits && self.scan.atomics;
        let most = slices::most_groups(device.capabilities(), may_wait)?;
        let groups = launch.range.num_groups().into_iter();
        let groups = groups.fold(1, u64::saturating_mul);
        (groups > most).then(|| most.max(groups.div_ceil(slices::MOST)))
    }

    /// Every specialization constant but the region's local size.
    fn specialization(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        device: &LogicalDevice,
    ) -> Result<Vec<(u32, u32)>> {
        let caps = device.capabilities();
        let range = launch.range;
        let mut all = Vec::new();
        for &(ordinal, place) in &kernel.places {
            let ArgPlace::Local { spec_id, elem_size } = place else {
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
            let size = required_sub_group_size(kernel, device);
            all.push((id, size.unwrap_or(caps.subgroup.max_size)));
        }
        if self.scan.has_local_memory() || kernel.local_buffer.is_some() {
            let spec: SpecValues = all.iter().copied().collect();
            let (shared, in_buffer) = self.local_memory_with(kernel, &spec);
            let needed = shared.saturating_add(in_buffer);
            let most = match in_buffer {
                0 => caps.limits.max_shared_memory,
                _ => local_memory::with_buffers(caps),
            };
            if shared > u64::from(caps.limits.max_shared_memory) || needed > u64::from(most) {
                return Err(LaunchError::Resources(format!(
                    "{needed} bytes of local memory, the kernel can have {most}"
                )));
            }
        }
        let has_offset = range.global_offset != [0; 3];
        let takes_offset = self.interface.spec_global_offset.is_some()
            || self.interface.global_offset.is_some()
            || self.interface.region_offset.is_some();
        let has_ids = self.scan.built_ins.contains(&GLOBAL_INVOCATION_ID);
        if has_offset && !takes_offset && has_ids {
            return Err(LaunchError::GlobalOffset(
                "it was compiled without one".into(),
            ));
        }
        Ok(all)
    }

    /// The push constants of one region.
    fn region_push(
        &self,
        mut push: Push,
        range: &NdRange,
        dispatch: &PlannedDispatch,
    ) -> Result<Push> {
        let region = &dispatch.region;
        let mut first: [u64; 3] =
            std::array::from_fn(|d| range.global_offset[d].wrapping_add(region.first_item[d]));
        // A coarse copy counts invocations.
        first[0] /= u64::from(dispatch.items);
        put_range(&mut push, self.interface.region_offset, first)?;
        put_range(
            &mut push,
            self.interface.region_group_offset,
            region.first_group,
        )?;
        Ok(push)
    }
}

/// The size that a kernel's pipelines require of their sub-groups, where they may: the kernel's own,
/// else the one that queries and get_sub_group_size tell of.
fn required_sub_group_size(kernel: &KernelInterface, device: &LogicalDevice) -> Option<u32> {
    let subgroup = &device.capabilities().subgroup;
    let of_device = !kernel.info.made_sub_groups;
    let required = kernel.info.required_sub_group_size.filter(|_| of_device);
    let size = required.or(kernel.info.sees_sub_groups.then_some(subgroup.size));
    size.filter(|_| subgroup.varies() && subgroup.required_size)
}

/// A kernel that requires a size of sub-groups runs where the device or its own code has that size.
fn check_sub_groups(
    kernel: &KernelInterface,
    range: &NdRange,
    device: &LogicalDevice,
) -> Result<()> {
    let Some(size) = kernel.info.required_sub_group_size else {
        return Ok(());
    };
    if kernel.info.made_sub_groups {
        return Ok(());
    }
    let subgroup = &device.capabilities().subgroup;
    let sizes = subgroup.sizes();
    if !sizes.contains(&size) {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        let there = match sizes.is_empty() {
            true => "none of a size that can be chosen".to_string(),
            false => sizes.join(", "),
        };
        return Err(LaunchError::Resources(format!(
            "it requires sub-groups of {size} work-items, the device has {there}"
        )));
    }
    let work_items: u64 = range.local_size.iter().map(|&n| u64::from(n)).product();
    match subgroup.most_work_items(size) {
        Some(most) if work_items > u64::from(most) => Err(LaunchError::WorkGroupSize(format!(
            "it takes {most} work-items in sub-groups of {size}"
        ))),
        _ => Ok(()),
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
            (ArgKind::Queue, Some(ArgValue::Bytes(bytes))) => bytes.len() == 8,
            (
                ArgKind::Buffer,
                Some(ArgValue::Buffer { .. } | ArgValue::Pointer(_) | ArgValue::Null),
            ) => true,
            (ArgKind::Local, Some(ArgValue::Local { .. })) => true,
            (
                ArgKind::Image {
                    binding,
                    kind,
                    samples: of_samples,
                    ..
                },
                Some(ArgValue::Image { view, samples, .. }),
            ) => {
                // The binding's shape, not the argument's.
                let kind = match of_samples {
                    true => Some(ImageKind::D2Array),
                    false => kind,
                };
                of_samples == (*samples != 0)
                    && match view {
                        ImageArg::Image(view) => {
                            let images = [BindingKind::SampledImage, BindingKind::StorageImage];
                            let shape = view.image().desc().kind;
                            images.contains(&binding) && kind.is_none_or(|kind| kind == shape)
                        }
                        ImageArg::Texels(_) => {
                            use BindingKind::{StorageTexelBuffer, UniformTexelBuffer};
                            [UniformTexelBuffer, StorageTexelBuffer].contains(&binding)
                        }
                    }
            }
            (ArgKind::Sampler, Some(ArgValue::Sampler { .. })) => true,
            _ => false,
        };
        if !suits {
            return Err(LaunchError::Args(ordinal));
        }
    }
    Ok(())
}
