//! The part of a launch that its range and the sizes of its arguments decide: dispatches with their
//! pipelines, and push constants that tell of them. Most launches of a kernel repeat the last one's plan, so
//! each kernel keeps that.

use std::sync::Arc;

use pumice_vulkan_layer::{LogicalDevice, Pipeline};
use smallvec::SmallVec;

use super::bind::{Push, range_constants};
use super::coarse::{Copies, suits};
use super::promises::{arguments_are_near, image_formats, srgb_constants};
use super::regions::Region;
use super::{
    ArgValue, Launch, NdRange, Result, Splitting, check_sub_groups, required_sub_group_size,
};
use crate::executable::Executable;
use crate::executable::compiled_module::PipelineKey;
use crate::executable::device_module::DeviceModule;
use crate::executable::image_formats::ImageFormats;
use crate::executable::interface::{ArgPlace, KernelInterface};

/// Plans of more dispatches are not kept: they take memory, and their launches time.
const KEPT_DISPATCHES: usize = 64;

/// More sizes of work-groups than this are not remembered of a kernel.
const KEPT_SIZES: usize = 64;

/// See the module.
pub(in crate::executable) struct Plan {
    pub device_module: Arc<DeviceModule>,
    range: NdRange,
    args: OfArguments,
    /// Dispatches may be of the kernel's coarse copies.
    coarse: Copies,
    pub dispatches: Vec<PlannedDispatch>,
    /// See [`Launch::may_slice`].
    may_slice: bool,
    /// True if each dispatch is a submission of its own.
    pub is_sliced: bool,
    /// Everything but arguments, what regions change, and the place of the launch's own printf buffer.
    pub push: Push,
    /// Bytes of the memory of private or local variables that the dispatches use in turn.
    pub variables: Option<u64>,
}

/// A dispatch of a plan.
pub(in crate::executable) struct PlannedDispatch {
    pub pipeline: Pipeline,
    pub region: Region,
    /// First work-group, for vkCmdDispatchBase.
    pub base: Option<[u32; 3]>,
    /// Work-items of an invocation: 1, or those of the kernel's coarse copy.
    pub items: u32,
}

/// The part of a plan that the arguments of a launch decide.
#[derive(PartialEq)]
struct OfArguments {
    locals: LocalSizes,
    /// See [`arguments_are_near`].
    near: bool,
    /// See [`srgb_constants`].
    srgb: SmallVec<[u32; 2]>,
    /// See [`image_formats`].
    formats: ImageFormats,
}

impl OfArguments {
    fn new(
        kernel: &KernelInterface,
        args: &[Option<ArgValue>],
        device: &LogicalDevice,
    ) -> Result<Self> {
        Ok(Self {
            locals: local_sizes(kernel, args),
            near: arguments_are_near(kernel, args),
            srgb: srgb_constants(kernel, args),
            formats: image_formats(kernel, args, device.capabilities())?,
        })
    }
}

/// The sizes of a launch's local arguments in bytes, in the order of their uses; `None` where there is none.
type LocalSizes = SmallVec<[Option<u64>; 4]>;

fn local_sizes(kernel: &KernelInterface, args: &[Option<ArgValue>]) -> LocalSizes {
    let locals =
        (kernel.places.iter()).filter(|(_, place)| matches!(place, ArgPlace::Local { .. }));
    locals
        .map(|(ordinal, _)| match args.get(*ordinal) {
            Some(Some(ArgValue::Local { size })) => Some(*size),
            _ => None,
        })
        .collect()
}

impl Executable {
    /// The plan of a launch whose arguments are of their kinds.
    ///
    /// # Errors
    /// See [`super::LaunchError`].
    pub(super) fn plan(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        device: &LogicalDevice,
    ) -> Result<Arc<Plan>> {
        let args = OfArguments::new(kernel, launch.args, device)?;
        let coarse = self.coarse_copies(launch);
        let slot = &self.plans[launch.kernel];
        let last = slot.lock().clone();
        let serves = |plan: &Arc<Plan>| {
            plan.range == *launch.range
                && plan.may_slice == launch.may_slice
                && plan.args == args
                && plan.coarse == coarse
        };
        if let Some(plan) = last.filter(serves) {
            return Ok(plan);
        }
        let made = Arc::new(self.make_plan(kernel, launch, device, args, coarse)?);
        if made.dispatches.len() <= KEPT_DISPATCHES {
            *slot.lock() = Some(Arc::clone(&made));
        }
        Ok(made)
    }

    fn make_plan(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        device: &LogicalDevice,
        args: OfArguments,
        coarse: Copies,
    ) -> Result<Plan> {
        let range = launch.range;
        check_sub_groups(kernel, range, device)?;
        let specialization = self.specialization(kernel, launch, device)?;
        let variables = self.variable_memory(launch.kernel, &specialization);
        let (regions, is_sliced) = self.regions(kernel, launch, variables, device)?;
        let regions = self.for_copies(launch, regions, &coarse);
        let device_module = self.device_module(device)?;
        let variables = variables.map(|variables| variables.size(&regions));
        let dispatch_base = regions.len() > 1 && self.splitting == Some(Splitting::DispatchBase);
        let subgroup_size = required_sub_group_size(kernel, device);
        let width = subgroup_size.unwrap_or(device.capabilities().subgroup.size);
        let dispatch = |region: Region| {
            let mut specialization = specialization.clone();
            let mut copies = coarse.iter();
            let copy = copies.find(|copy| suits(**copy, range, &region, width));
            let (index, items) =
                copy.map_or((launch.kernel, 1), |copy| (copy.index, copy.form.items));
            let [x, y, z] = region.local_size;
            let local_size = [x / items, y, z];
            if let Some(ids) = self.interface.spec_local_size {
                specialization.extend(ids.into_iter().zip(local_size));
            }
            specialization.extend(args.srgb.iter().map(|&id| (id, 1)));
            specialization.extend(self.promises(kernel, range, &region, args.near));
            let entry = &self.interface.kernels[index];
            let key = PipelineKey {
                kernel: index,
                specialization,
                dispatch_base,
                subgroup_size,
                full_subgroups: kernel.info.whole_sub_groups && region.local_size[0] % width == 0,
                formats: image_formats(entry, launch.args, device.capabilities())?,
            };
            Ok(PlannedDispatch {
                pipeline: device_module.compiled.pipeline(&entry.info.name, key)?,
                region,
                base: dispatch_base.then(|| region.first_group.map(|group| group as u32)),
                items,
            })
        };
        let dispatches = regions.into_iter().map(dispatch).collect::<Result<_>>()?;
        let mut sizes = self.group_sizes[launch.kernel].lock();
        if sizes.len() < KEPT_SIZES && !sizes.contains(&range.local_size) {
            sizes.push(range.local_size);
        }
        drop(sizes);
        Ok(Plan {
            push: range_constants(&self.interface, kernel, &device_module, range)?,
            device_module,
            range: *range,
            args,
            coarse,
            dispatches,
            may_slice: launch.may_slice,
            is_sliced,
            variables,
        })
    }
}
