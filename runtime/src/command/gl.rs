//! clEnqueueAcquireGLObjects and clEnqueueReleaseGLObjects.

use std::sync::Arc;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_gl_layer::{Fence, Picture};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostBlock;
use crate::base::json::Fields;
use crate::base::log;
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::command::{Command, Empty, HostCommand};
use crate::context::Placement;
use crate::memory::Mem;
use crate::memory::gl::{GlObject, answered};
use crate::memory::image::ImageMem;
use crate::memory::part::Part;

/// Objects that change hands.
struct HandOver {
    objects: Vec<Ref<Mem>>,
    /// True for acquire.
    to_us: bool,
    /// Guards the end of what the enqueuing thread had told OpenGL; `None` once it has passed.
    fence: Mutex<Option<Fence>>,
}

/// The type of the command.
fn command_type(to_us: bool) -> u32 {
    match to_us {
        true => cl::CL_COMMAND_ACQUIRE_GL_OBJECTS,
        false => cl::CL_COMMAND_RELEASE_GL_OBJECTS,
    }
}

/// clEnqueueAcquireGLObjects, if `to_us`, and clEnqueueReleaseGLObjects.
///
/// # Errors
/// Those that the specification lists for these functions, in its order.
pub fn hand_over(on: &Placement, objects: Vec<Ref<Mem>>, to_us: bool) -> Result<Command> {
    let group = on.context().share_group()?;
    for object in &objects {
        object.gl_object()?;
        on.check_context(object.context())?;
    }
    // Without objects it is a place in the order.
    if objects.is_empty() {
        return Ok(Command::Empty(Empty {
            command_type: command_type(to_us),
            keeps: None,
            parts: None,
        }));
    }
    // cl_khr_gl_event: what this thread has told OpenGL ends before.
    let fence = match to_us {
        true => group.fence_here(),
        false => None,
    };
    Ok(Command::Host(Arc::new(HandOver {
        objects,
        to_us,
        fence: Mutex::new(fence),
    })))
}

/// The part of an image that one of its levels is, and the place of its texels in a block of their own.
fn part(image: &ImageMem, level: usize, picture: &Picture) -> Result<(Part, Layout)> {
    let mut origin = [0; 4];
    if let Some(element) = image.level_element() {
        origin[element] = level;
    }
    let area = image.region(origin, picture.size.map(|n| n as usize))?;
    Ok((image.part(area), image.host_layout(area, 0, 0)?))
}

impl HandOver {
    /// Copies an object's bytes.
    fn copy_bytes(&self, on: &Placement, mem: &Mem, object: &GlObject) -> Result<()> {
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
        object: &GlObject,
        level: Option<&(u32, Picture)>,
        part: &Part,
        layout: Layout,
    ) -> Result<()> {
        let group = on.context().share_group()?;
        let name = object.object();
        let mut block = HostBlock::new(part.bytes()).ok_or(Error::OutOfHostMemory)?;
        if self.to_us {
            let bytes = block.bytes();
            answered(group.call(|gl| match level {
                Some((level, picture)) => gl.read_picture(name, *level, picture, bytes),
                None => gl.read_bytes(name, bytes),
            }))?;
            return part.write(on.index(), block.slice(), layout);
        }
        part.read(on.index(), block.slice(), layout)?;
        let bytes = block.bytes();
        answered(group.call(|gl| match level {
            Some((level, picture)) => gl.write_picture(name, *level, picture, bytes),
            None => gl.write_bytes(name, bytes),
        }))
    }

    fn hand_over(&self, on: &Placement) -> Result<()> {
        let group = on.context().share_group()?;
        if let Some(fence) = self.fence.lock().take() {
            group.call(|gl| gl.consume(fence));
        }
        for mem in &self.objects {
            // Kernels have not written it.
            if !self.to_us && mem.flags() & cl::CL_MEM_READ_ONLY != 0 {
                continue;
            }
            let object = mem.gl_object()?;
            match mem.image() {
                Some(image) if !object.levels().is_empty() => {
                    for (index, level) in object.levels().iter().enumerate() {
                        let (part, layout) = part(image, index, &level.1)?;
                        self.copy(on, object, Some(level), &part, layout)?;
                    }
                }
                _ => self.copy_bytes(on, mem, object)?,
            }
        }
        if !self.to_us {
            group.call(|gl| gl.finish());
        }
        Ok(())
    }
}

impl HostCommand for HandOver {
    fn command_type(&self) -> u32 {
        command_type(self.to_us)
    }

    fn name(&self) -> &str {
        match self.to_us {
            true => "acquire of OpenGL",
            false => "release to OpenGL",
        }
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
        let (Some(fence), Some(first)) = (self.fence.get_mut().take(), self.objects.first()) else {
            return;
        };
        // The command never ran.
        if let Ok(group) = first.context().share_group() {
            group.call(|gl| gl.consume(fence));
        }
    }
}
