//! clEnqueueMapBuffer, clEnqueueMapImage and clEnqueueUnmapMemObject.
//!
//! Making a map notes the mapping in its object, and making an unmap takes it from there, so that
//! CL_MEM_MAP_COUNT counts what the application asked for. [`HostCommand::withdraw`] undoes it.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::command::image::{check_moves, image_of};
use crate::command::{Command, HostCommand};
use crate::context::Placement;
use crate::memory::Mem;
use crate::memory::image::Origin;
use crate::memory::mapping::Mapping;
use crate::memory::part::Part;
use crate::memory::residency::Access;

/// A map: brings the host's view up to date.
struct Map {
    object: Ref<Mem>,
    mapping: Mapping,
    /// True if the application is to see what is there.
    fill: bool,
}

/// An unmap: brings the device's contents up to date.
struct Unmap {
    object: Ref<Mem>,
    mapping: Mapping,
}

/// clEnqueueMapBuffer; gives the mapped address too.
///
/// # Errors
/// Those that the specification lists for clEnqueueMapBuffer, in its order.
pub fn buffer(
    on: &Placement,
    buffer: &Ref<Mem>,
    flags: u64,
    offset: usize,
    size: usize,
) -> Result<(Command, usize)> {
    on.check_context(buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds, size is 0, or the flags are not valid.
    buffer.check_range(offset, size)?;
    if size == 0 {
        return Err(Error::InvalidValue.because("the size is 0"));
    }
    check_flags(flags)?;
    buffer.check_alignment(on.device())?;
    map(on, buffer, buffer.bytes(offset, size)?, flags)
}

/// clEnqueueMapImage; gives the mapped address, and row and slice pitch, too. The slice pitch is 0
/// where the image has no slices.
///
/// # Errors
/// Those that the specification lists for clEnqueueMapImage, in its order.
pub fn image(
    on: &Placement,
    mem: &Ref<Mem>,
    flags: u64,
    origin: Origin,
    region: [usize; 3],
    [has_row_pitch, has_slice_pitch]: [bool; 2],
) -> Result<(Command, usize, [usize; 2])> {
    on.check_context(mem.context())?;
    let image = image_of(mem)?;
    // CL_INVALID_VALUE if the region is out of bounds or the flags are not valid.
    let area = image.region(origin, region)?;
    check_flags(flags)?;
    check_access(mem, flags)?;
    // CL_INVALID_VALUE if image_row_pitch is NULL, or image_slice_pitch for an image with slices.
    let pitches = image.map_pitches(area.level);
    if !has_row_pitch || pitches[1] != 0 && !has_slice_pitch {
        return Err(Error::InvalidValue.because(match has_row_pitch {
            true => "image_slice_pitch is NULL, but the image has slices",
            false => "image_row_pitch is NULL",
        }));
    }
    check_moves(on.device(), image)?;
    let (command, address) = map(on, mem, image.part(area), flags)?;
    Ok((command, address, pitches))
}

fn map(on: &Placement, object: &Ref<Mem>, part: Part, flags: u64) -> Result<(Command, usize)> {
    let writes = check_access(object, flags)?;
    // CL_MAP_FAILURE if there is no host memory for the view.
    let view = part.host_view(on.index())?;
    let address = view.address();
    let mapping = Mapping {
        address,
        copied: if view.copied { part.bytes() } else { 0 },
        part,
        writes,
    };
    // CL_INVALID_OPERATION if regions that overlap would be mapped for writing.
    object.mappings().add(mapping.clone())?;
    let command = Map {
        object: object.clone(),
        mapping,
        fill: flags & cl::CL_MAP_WRITE_INVALIDATE_REGION == 0,
    };
    Ok((Command::Host(Arc::new(command)), address))
}

/// CL_INVALID_VALUE if map flags are not valid.
pub(super) fn check_flags(flags: u64) -> Result<()> {
    let whole = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    let part = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
    if flags & !(whole | part) != 0 || flags & whole != 0 && flags & part != 0 {
        return Err(Error::InvalidValue.because(format!(
            "map flags {flags:#x} are not known, or join CL_MAP_WRITE_INVALIDATE_REGION with others"
        )));
    }
    Ok(())
}

/// CL_INVALID_OPERATION if the host may not access the object in this way; tells whether it writes.
fn check_access(object: &Mem, flags: u64) -> Result<bool> {
    if flags & cl::CL_MAP_READ != 0 {
        object.check_host_reads()?;
    }
    let writes = flags & (cl::CL_MAP_WRITE | cl::CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    if writes {
        object.check_host_writes()?;
    }
    Ok(writes)
}

/// clEnqueueUnmapMemObject.
///
/// # Errors
/// Those that the specification lists for clEnqueueUnmapMemObject, in its order.
pub fn unmap(on: &Placement, object: &Ref<Mem>, address: usize) -> Result<Command> {
    on.check_context(object.context())?;
    // CL_INVALID_VALUE if mapped_ptr is not a pointer that a map of this object gave.
    let mapping = object.mappings().take(address).ok_or_else(|| {
        Error::InvalidValue.because("mapped_ptr is no address that a map of this object gave")
    })?;
    Ok(Command::Host(Arc::new(Unmap {
        object: object.clone(),
        mapping,
    })))
}

/// The bytes that a command copies for a mapping, if it copies.
fn details(mapping: &Mapping, copies: bool) -> Fields {
    match copies && mapping.copied > 0 {
        true => Fields::default().with("bytes", mapping.copied),
        false => Fields::default(),
    }
}

impl HostCommand for Map {
    fn command_type(&self) -> u32 {
        match self.object.image() {
            Some(_) => cl::CL_COMMAND_MAP_IMAGE,
            None => cl::CL_COMMAND_MAP_BUFFER,
        }
    }

    fn name(&self) -> &str {
        "map"
    }

    fn details(&self) -> Fields {
        details(&self.mapping, self.fill)
    }

    /// Copies the device's contents to the host's view, where that is a copy.
    fn run(&self, on: &Placement) -> Result<()> {
        let part = &self.mapping.part;
        let view = part.host_view(on.index())?;
        match (view.copied, self.fill) {
            (true, true) => part.read_to_view(on.index(), view),
            (true, false) => Ok(()),
            (false, true) => part.contents().bring(on.index(), Access::Read),
            (false, false) => part.written_in_place(on.index()),
        }
    }

    fn withdraw(&self) {
        let _ = self.object.mappings().take(self.mapping.address);
    }
}

impl HostCommand for Unmap {
    fn command_type(&self) -> u32 {
        cl::CL_COMMAND_UNMAP_MEM_OBJECT
    }

    fn name(&self) -> &str {
        "unmap"
    }

    fn details(&self) -> Fields {
        details(&self.mapping, self.mapping.writes)
    }

    /// Copies what the application may have written from the host's view to the device.
    fn run(&self, on: &Placement) -> Result<()> {
        if !self.mapping.writes {
            return Ok(());
        }
        let part = &self.mapping.part;
        let view = part.host_view(on.index())?;
        match view.copied {
            true => part.write_from_view(on.index(), view),
            false => part.written_in_place(on.index()),
        }
    }

    fn withdraw(&self) {
        self.object.mappings().put_back(self.mapping.clone());
    }
}
