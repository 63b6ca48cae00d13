//! clEnqueueAcquireExternalMemObjectsKHR and clEnqueueReleaseExternalMemObjectsKHR.

use std::sync::Arc;

use pumice_vulkan_layer::Buffer;

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::command::{Command, DeviceCommand, Empty, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::Mem;
use crate::memory::external::{ExternalMemory, Owner};
use crate::memory::image::ImageMem;
use crate::memory::residency::Access;

/// Objects that change hands.
struct HandOver {
    objects: Vec<Ref<Mem>>,
    /// True for acquire.
    to_us: bool,
}

/// clEnqueueAcquireExternalMemObjectsKHR, if `to_us`, and clEnqueueReleaseExternalMemObjectsKHR.
///
/// # Errors
/// Those that the specification lists for these functions, in its order.
pub fn hand_over(on: &Placement, objects: Vec<Ref<Mem>>, to_us: bool) -> Result<Command> {
    for object in &objects {
        let external = external(object)?;
        // CL_INVALID_COMMAND_QUEUE if the queue's device is not the one that the memory is on.
        if external.device.handle() != on.device().handle() {
            return Err(Error::InvalidCommandQueue);
        }
        on.check_context(object.context())?;
    }
    let command = HandOver { objects, to_us };
    // Without objects it is a place in the order.
    if command.objects.is_empty() {
        return Ok(Command::Empty(Empty {
            command_type: command.command_type(),
            keeps: None,
            parts: None,
        }));
    }
    Ok(Command::Device(Arc::new(command)))
}

/// CL_INVALID_MEM_OBJECT if the object was not made of an external handle.
fn external(object: &Mem) -> Result<&ExternalMemory> {
    object.external_memory().ok_or(Error::InvalidMemObject)
}

impl DeviceCommand for HandOver {
    fn command_type(&self) -> u32 {
        Owner::Memory.command_type(self.to_us)
    }

    fn name(&self) -> &str {
        Owner::Memory.command_name(self.to_us)
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        let access = match self.to_us {
            true => Access::Overwrite,
            false => Access::Read,
        };
        (self.objects.iter()).try_for_each(|object| visit(object.contents(), access))
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        for object in &self.objects {
            let bytes = &external(object)?.bytes;
            if self.to_us {
                recorder.hand_over(bytes, true).map_err(gpu::error)?;
            }
            if let Some(image) = object.image() {
                self.copy(on, recorder, image, bytes)?;
                if !self.to_us {
                    recorder.barrier();
                }
            }
            if !self.to_us {
                recorder.hand_over(bytes, false).map_err(gpu::error)?;
            }
        }
        Ok(Retire::nothing())
    }
}

impl HandOver {
    /// Copies an image's texels from its memory or back.
    fn copy(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
        image: &ImageMem,
        bytes: &Buffer,
    ) -> Result<()> {
        let (texels, whole) = image.texels(on.index())?;
        let rows = image.layout().texel_rows(image.format().texel_size());
        let rows = rows.ok_or(Error::OutOfResources)?;
        let copied = match self.to_us {
            true => recorder.copy_buffer_to_image(bytes, rows, &texels, whole),
            false => recorder.copy_image_to_buffer(&texels, whole, bytes, rows),
        };
        copied.map_err(gpu::error)
    }
}
