//! Promises of a launch ([`PromiseKind`]), which make its pipelines shorter; the constants by which pipelines write
//! images of sRGB, and the formats of images that they read.

use opencl_sys::{CL_sBGRA, CL_sRGBA};
use pumice_reflection::PromiseKind;
use pumice_vulkan_layer::Capabilities;
use smallvec::SmallVec;

use super::regions::Region;
use super::{ArgValue, Executable, KernelInterface, LaunchError, NdRange, Result};
use crate::executable::image_formats::ImageFormats;

impl Executable {
    /// The specialization of a region's pipeline by what the launch promises; `near`: see
    /// [`arguments_are_near`]. Ranges of kernels with local memory in a buffer are often cut: without a promise of no offset
    /// all their regions share a pipeline.
    pub(super) fn promises(
        &self,
        kernel: &KernelInterface,
        range: &NdRange,
        region: &Region,
        near: bool,
    ) -> impl Iterator<Item = (u32, u32)> {
        let is_cut = kernel.local_buffer.is_some();
        let no_offset = !is_cut && range.global_offset == [0; 3] && region.first_item == [0; 3];
        let holds = move |kind| match kind {
            PromiseKind::NearArguments => near,
            PromiseKind::NoOffset => no_offset,
        };
        let promises = self.interface.promises.iter();
        let held = promises.filter(move |promise| holds(promise.kind));
        held.map(|promise| (promise.spec_id, 1))
    }
}

/// Returns whether every pointer argument is the start of a buffer that 32 bits can count the bytes of. Pointers into shared
/// memory may point into the middle of it, and be followed backwards; where the device has a copy of that memory, they are a buffer
/// with an offset, as sub-buffers are.
pub(super) fn arguments_are_near(kernel: &KernelInterface, args: &[Option<ArgValue>]) -> bool {
    const MOST: u64 = 1 << 32;
    args.iter()
        .take(kernel.info.args.len())
        .all(|arg| match arg {
            Some(ArgValue::Buffer { offset, size, .. }) => *offset == 0 && *size <= MOST,
            Some(ArgValue::Pointer(_)) => false,
            _ => true,
        })
}

/// The specialization constants of the images whose channels are of sRGB.
pub(super) fn srgb_constants(
    kernel: &KernelInterface,
    args: &[Option<ArgValue>],
) -> SmallVec<[u32; 2]> {
    let is_srgb = |arg: &Option<ArgValue>| matches!(arg, Some(ArgValue::Image { order, .. }) if [CL_sRGBA, CL_sBGRA].contains(order));
    let args = args.iter().zip(&kernel.info.args);
    args.filter_map(|(arg, meta)| meta.srgb_spec.filter(|_| is_srgb(arg)))
        .collect()
}

/// The formats of a kernel's images that need one.
///
/// # Errors
/// [`LaunchError::Format`] for an image of a format that the device does not read as a storage image.
pub(super) fn image_formats(
    kernel: &KernelInterface,
    args: &[Option<ArgValue>],
    caps: &Capabilities,
) -> Result<ImageFormats> {
    let format = |&(variable, ordinal): &(u32, usize)| {
        let Some(Some(ArgValue::Image { view, .. })) = args.get(ordinal) else {
            return Err(LaunchError::Args(ordinal));
        };
        match view.is_read_in_storage(caps) {
            true => Ok((variable, view.format())),
            false => Err(LaunchError::Format(ordinal)),
        }
    };
    kernel.read_images.iter().map(format).collect()
}
