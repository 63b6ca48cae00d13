//! clEnqueueAcquireGLObjects, clEnqueueReleaseGLObjects, clEnqueueAcquireEGLObjectsKHR and clEnqueueReleaseEGLObjectsKHR.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_gl_layer::{Fence, Picture, ShareGroup};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostBlock;
use crate::base::json::Fields;
use crate::base::log;
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::command::{Command, Empty, HostCommand};
use crate::context::Placement;
use crate::memory::Mem;
use crate::memory::external::{Owner, Shared};
use crate::memory::gl::answered;
use crate::memory::image::ImageMem;
use crate::memory::part::Part;

/// Objects that change hands.
struct HandOver {
    owner: Owner,
    /// True for acquire.
    to_us: bool,
    /// Guards the ends of what the enqueuing thread had told OpenGL, by share group; emptied once they have passed.
    fences: Mutex<Vec<(Arc<ShareGroup>, Fence)>>,
    /// Dropped last, with the context that they may be the last to hold.
    objects: Vec<Ref<Mem>>,
}

/// The share groups that objects are in, each once.
///
/// # Errors
/// As [`Mem::shared`].
pub fn groups(owner: Owner, objects: &[Ref<Mem>]) -> Result<Vec<Arc<ShareGroup>>> {
    let mut groups: Vec<Arc<ShareGroup>> = Vec::new();
    for object in objects {
        let group = &object.shared(owner)?.group;
        if !groups.iter().any(|known| Arc::ptr_eq(known, group)) {
            groups.push(group.clone());
        }
    }
    Ok(groups)
}

/// The commands that acquire objects of OpenGL or EGL, if `to_us`, and release them.
///
/// # Errors
/// Those that the specification lists for these functions, in its order.
pub fn hand_over(
    on: &Placement,
    owner: Owner,
    objects: Vec<Ref<Mem>>,
    to_us: bool,
) -> Result<Command> {
    // CL_INVALID_CONTEXT if the context was not created from a context of OpenGL.
    if owner == Owner::Gl {
        on.context().share_group()?;
    }
    for object in &objects {
        let of_context = on.check_context(object.context());
        // CL_INVALID_MEM_OBJECT if an object is not of the queue's context; OpenGL's functions have CL_INVALID_CONTEXT.
        if owner == Owner::Egl && of_context.is_err() {
            let reason = "an object is not of the queue's context";
            return Err(Error::InvalidMemObject.because(reason));
        }
        object.shared(owner)?;
        of_context?;
    }
    // Without objects it is a place in the order.
    if objects.is_empty() {
        return Ok(Command::Empty(Empty {
            command_type: owner.command_type(to_us),
            keeps: None,
            parts: None,
        }));
    }
    // cl_khr_gl_event: what this thread has told OpenGL ends before.
    let mut fences = Vec::new();
    if to_us {
        for group in groups(owner, &objects)? {
            let fence = group.fence_here();
            fences.extend(fence.map(|fence| (group, fence)));
        }
    }
    Ok(Command::Host(Arc::new(HandOver {
        owner,
        objects,
        to_us,
        fences: Mutex::new(fences),
    })))
}

/// The part of an image that one of its levels is, and the place of its texels in a block of their own.
fn part(image: &ImageMem, level: usize, picture: &Picture) -> Result<(Part, Layout)> {
    let mut origin = [0; 4];
    if let Some(element) = image.level_element() {
        origin[element] = level;
    }
    let area = match image.samples() {
        0 => image.region(origin, picture.size.map(|n| n as usize))?,
        _ => image.all_samples(),
    };
    Ok((image.part(area), image.host_layout(area, 0, 0)?))
}

impl HandOver {
    /// Copies an object's bytes.
    fn copy_bytes(&self, on: &Placement, mem: &Mem, object: &Shared) -> Result<()> {
        let part = match mem.image() {
            Some(image) => image.bytes_behind()?,
            None => mem.bytes(0, mem.size())?,
        };
        self.copy(on, object, None, &part, Layout::linear(0))
    }

    /// Copies a part between OpenGL's object and the memory object.
    fn copy(
        &self,
        on: &Placement,
        shared: &Shared,
        level: Option<&(u32, Picture)>,
        part: &Part,
        layout: Layout,
    ) -> Result<()> {
        let Shared { group, object, .. } = shared;
        let mut block = HostBlock::new(part.bytes()).ok_or(Error::OutOfHostMemory)?;
        if self.to_us {
            let bytes = block.bytes();
            answered(group.call(|gl| match level {
                Some((level, picture)) => gl.read_picture(*object, *level, picture, bytes),
                None => gl.read_bytes(*object, bytes),
            }))?;
            part.write(on.index(), block.slice(), layout)?;
            shared.note_acquired();
            return Ok(());
        }
        part.read(on.index(), block.slice(), layout)?;
        let bytes = block.bytes();
        answered(group.call(|gl| match level {
            Some((level, picture)) => gl.write_picture(*object, *level, picture, bytes),
            None => gl.write_bytes(*object, bytes),
        }))
    }

    /// Waits for the fences.
    fn pass_fences(&self) {
        for (group, fence) in std::mem::take(&mut *self.fences.lock()) {
            group.call(|gl| gl.consume(fence));
        }
    }

    fn hand_over(&self, on: &Placement) -> Result<()> {
        self.pass_fences();
        for mem in &self.objects {
            let object = mem.shared(self.owner)?;
            // Nothing writes samples.
            let samples = mem.image().map_or(0, ImageMem::samples);
            if !self.to_us && (samples > 0 || object.is_unchanged(mem)) {
                continue;
            }
            match mem.image() {
                Some(image) if !object.levels.is_empty() => {
                    for (index, level) in object.levels.iter().enumerate() {
                        let (part, layout) = part(image, index, &level.1)?;
                        self.copy(on, object, Some(level), &part, layout)?;
                    }
                }
                _ => self.copy_bytes(on, mem, object)?,
            }
        }
        if !self.to_us {
            for group in groups(self.owner, &self.objects)? {
                group.call(|gl| gl.finish());
            }
        }
        Ok(())
    }
}

impl HostCommand for HandOver {
    fn command_type(&self) -> u32 {
        self.owner.command_type(self.to_us)
    }

    fn name(&self) -> &str {
        self.owner.command_name(self.to_us)
    }

    fn details(&self) -> Fields {
        let bytes: usize = self.objects.iter().map(|object| object.size()).sum();
        Fields::default().with("bytes", bytes)
    }

    fn run(&self, on: &Placement) -> Result<()> {
        let call = crate::base::reason::Call::begin();
        self.hand_over(on).inspect_err(|error| {
            let reason = call.reason(Some(*error));
            let reason = reason.map_or(String::new(), |(text, _)| text);
            log::error!("{} failed with {error}: {reason}", self.name());
        })
    }
}

impl Drop for HandOver {
    fn drop(&mut self) {
        // Fences are left if the command never ran.
        self.pass_fences();
    }
}
