//! Images among the arguments of launches, and those that a launch has for rows of buffers.

use std::ops::RangeBounds;

use pumice_vulkan_layer::{BindingKind, ImageView};

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::command::image::{check_device, image_of};
use crate::context::Placement;
use crate::device::gpu;
use crate::executable::{ArgMeta, ArgValue, ImageArg, Prepared};
use crate::memory::Mem;
use crate::memory::image::Shown;
use crate::memory::image_rows::{StagedUse, Using, queues_overlap};
use crate::program::own_kernels;

/// The images that a launch has for rows of buffers.
pub(super) struct Staging {
    /// The queue whose launches use them in turn; `None` for images of the launch's own.
    pub queue: Option<usize>,
    /// Their uses so far.
    pub uses: Vec<StagedUse>,
}

/// The image for a binding, with as many levels as images of their own as the argument has.
/// CL_IMAGE_FORMAT_NOT_SUPPORTED if the device cannot give the kernel an image of this format, or not its bits where
/// the kernel wants these (`raw`).
///
/// # Errors
/// [`Error::ImageFormatNotSupported`]; out of memory, or a lost device.
pub(super) fn image_value(
    on: &Placement,
    mem: &Ref<Mem>,
    (binding, raw): (BindingKind, bool),
    meta: &ArgMeta,
    staging: &mut Staging,
) -> Result<ArgValue> {
    let image = image_of(mem)?;
    check_device(on.device(), image)?;
    let (index, gpu) = (on.index(), on.device().gpu()?);
    let view = match binding {
        BindingKind::SampledImage | BindingKind::StorageImage => {
            let writes = binding == BindingKind::StorageImage;
            let shown = image.shown(writes, raw)?;
            if writes && !raw && !meta.is_write_only() {
                image.check_places()?;
            }
            // Bits are written as they are. A kernel that only writes has the constant if it writes colours.
            let is_plain = meta.srgb_spec.is_none() && !meta.is_write_only();
            image.check_srgb(writes && !raw && is_plain)?;
            ImageArg::Image(match image.rows() {
                Some(_) => rows_view(on, mem, writes, shown, staging)?,
                None => image.view(index, gpu, shown)?,
            })
        }
        _ => ImageArg::Texels(image.buffer_view(index, gpu)?),
    };
    if meta.is_read_write() {
        image.check_read_and_written(view.is_read_in_storage(on.device().capabilities()))?;
    }
    let last = image.levels() - 1;
    let staged = staging.uses.last().filter(|_| image.rows().is_some());
    let levels = (1..meta.level_images).map(|level| match (&view, staged) {
        (ImageArg::Image(view), _) if last == 0 => Ok(view.clone()),
        (_, Some(staged)) => staged.level_view(gpu, image.shown_level(level.min(last))?),
        _ => image.level_view(index, gpu, level.min(last)),
    });
    let levels = levels.collect::<Result<_>>()?;
    let format = image.format();
    Ok(ArgValue::Image {
        view,
        mip_levels: image.levels(),
        samples: image.samples(),
        size: image.size_in_kernels(),
        levels,
        order: format.order,
        data_type: format.data_type,
    })
}

/// The view of the image that the launch has for rows of a buffer.
fn rows_view(
    on: &Placement,
    mem: &Ref<Mem>,
    writes: bool,
    shown: Shown,
    staging: &mut Staging,
) -> Result<ImageView> {
    let image = image_of(mem)?;
    let rows = image.rows().ok_or(Error::InvalidMemObject)?;
    let using = Using {
        index: on.index(),
        queue: staging.queue,
        device: on.device().gpu()?,
        overlaps: queues_overlap(on.device().capabilities()),
        kernels: &|| own_kernels::of_texels(on.device()),
    };
    let made = rows.staged(&using)?;
    let view = made.view(using.device, shown)?;
    let writes = writes && mem.kernel_writes();
    (staging.uses).push(StagedUse::new(rows, made, writes, &using)?);
    Ok(view)
}

/// Records the dispatches, with the copies that images of rows need before and after.
///
/// # Errors
/// As [`StagedUse::before`].
pub(super) fn record_staged(
    prepared: &Prepared,
    staged: &[StagedUse],
    dispatches: impl RangeBounds<usize>,
    recorder: &mut gpu::Recorder,
) -> Result<()> {
    if !staged.is_empty() {
        // Launches of the queue use one image in turn.
        recorder.barrier();
        for staged in staged {
            staged.before(recorder)?;
        }
        recorder.barrier();
    }
    let recorded = prepared.record_dispatches(recorder, dispatches);
    recorded.map_err(gpu::error)?;
    if !staged.is_empty() {
        recorder.barrier();
        for staged in staged {
            staged.after(recorder)?;
        }
    }
    Ok(())
}
