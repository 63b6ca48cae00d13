//! clEnqueueSVM*, and the commands on shared memory of extensions.
//!
//! In memory that the host and the device both see, copies and fills are done on the host, and maps, unmaps and
//! migrations are no more than their place in the order. For an allocation of which the host has a copy, or to which it
//! has no access, the device does its part; a map fills the host's copy, and an unmap writes it back.

use std::sync::Arc;

use opencl_sys as cl;
use pumice_vulkan_layer::CopyRegion;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::json::Fields;
use crate::command::fill::check_pattern;
use crate::command::{Command, DeviceCommand, Empty, HostCommand, Retire, Visit, map, migrate};
use crate::context::Placement;
use crate::context::svm::{self, Allocation};
use crate::device::gpu;

/// The application's function of clEnqueueSVMFree, given the pointers.
pub type FreeFunction = Box<dyn Fn(Vec<usize>) + Send + Sync>;

/// Memory that a pointer leads to.
#[derive(Clone)]
enum SvmRegion {
    /// The host's, which may be the device's as well.
    Host(HostSlice),
    /// The device's alone.
    Device {
        allocation: Arc<Allocation>,
        offset: usize,
        size: usize,
    },
}

impl SvmRegion {
    /// Its size in bytes.
    fn size(&self) -> usize {
        match self {
            SvmRegion::Host(memory) => memory.len(),
            SvmRegion::Device { size, .. } => *size,
        }
    }
}

/// Work on shared memory.
struct Svm {
    command_type: u32,
    work: Work,
}

enum Work {
    Copy {
        from: SvmRegion,
        to: SvmRegion,
    },
    Fill {
        to: SvmRegion,
        pattern: Vec<u8>,
    },
    /// A map, which fills the host's copy, or an unmap, which writes it back.
    Update {
        allocation: Arc<Allocation>,
        map: svm::Map,
        to_host: bool,
    },
    Free {
        pointers: Vec<usize>,
        /// `None` for the context's own way of freeing.
        function: Option<FreeFunction>,
    },
}

fn null_pointer() -> Error {
    Error::InvalidValue.because("the SVM pointer is NULL")
}

fn empty(command_type: u32) -> Command {
    Command::Empty(Empty {
        command_type,
        keeps: None,
        parts: None,
    })
}

/// CL_INVALID_OPERATION if the device does not support SVM.
///
/// # Errors
/// [`Error::InvalidOperation`].
pub fn check_device(on: &Placement) -> Result<()> {
    if !on.device().has_svm() {
        let reason = "the device does not support shared virtual memory";
        return Err(Error::InvalidOperation.because(reason));
    }
    Ok(())
}

/// The memory behind a pointer of the application's: CL_INVALID_VALUE if an allocation ends before it does.
fn place(on: &Placement, memory: HostSlice) -> Result<SvmRegion> {
    let Some((allocation, offset)) = on.context().svm_find(memory.address()) else {
        return Ok(SvmRegion::Host(memory));
    };
    let size = memory.len();
    if size > allocation.size() - offset {
        let reason = format!("{size} bytes are not inside one allocation");
        return Err(Error::InvalidValue.because(reason));
    }
    Ok(match allocation.is_away() {
        true => SvmRegion::Device {
            allocation,
            offset,
            size,
        },
        false => SvmRegion::Host(memory),
    })
}

/// clEnqueueSVMFree.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMFree, in its order.
pub fn free(
    on: &Placement,
    pointers: Vec<usize>,
    function: Option<FreeFunction>,
) -> Result<Command> {
    check_device(on)?;
    Ok(Command::Host(Arc::new(Svm {
        command_type: cl::CL_COMMAND_SVM_FREE,
        work: Work::Free { pointers, function },
    })))
}

/// clEnqueueSVMMemcpy; `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMemcpy, in its order.
pub fn copy(on: &Placement, to: Option<HostSlice>, from: Option<HostSlice>) -> Result<Command> {
    check_device(on)?;
    copy_as(on, cl::CL_COMMAND_SVM_MEMCPY, to, from)
}

/// A copy between pointers, of any command type.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMemcpy, in its order.
pub fn copy_as(
    on: &Placement,
    command_type: u32,
    to: Option<HostSlice>,
    from: Option<HostSlice>,
) -> Result<Command> {
    // CL_INVALID_VALUE if dst_ptr or src_ptr is NULL.
    let (to, from) = to.zip(from).ok_or_else(null_pointer)?;
    // CL_MEM_COPY_OVERLAP if the regions overlap.
    let end = |slice: HostSlice| slice.address().saturating_add(slice.len());
    if to.address() < end(from) && from.address() < end(to) {
        return Err(Error::MemCopyOverlap.because("the regions overlap"));
    }
    let (to, from) = (place(on, to)?, place(on, from)?);
    Ok(command(on, command_type, Work::Copy { from, to }))
}

/// clEnqueueSVMMemFill; `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMemFill, in its order.
pub fn fill(on: &Placement, to: Option<HostSlice>, pattern: Option<&[u8]>) -> Result<Command> {
    check_device(on)?;
    fill_as(on, cl::CL_COMMAND_SVM_MEMFILL, to, pattern)
}

/// A fill of any command type.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMemFill, in its order.
pub fn fill_as(
    on: &Placement,
    command_type: u32,
    to: Option<HostSlice>,
    pattern: Option<&[u8]>,
) -> Result<Command> {
    // CL_INVALID_VALUE if svm_ptr is NULL.
    let to = to.ok_or_else(null_pointer)?;
    let pattern = check_pattern(pattern)?;
    // CL_INVALID_VALUE if svm_ptr is not aligned to the pattern's size, or size no multiple of it.
    if to.address() % pattern.len() != 0 || to.len() % pattern.len() != 0 {
        let size = pattern.len();
        let reason = format!("address and size must be multiples of the pattern's {size} bytes");
        return Err(Error::InvalidValue.because(reason));
    }
    let (to, pattern) = (place(on, to)?, pattern.to_vec());
    Ok(command(on, command_type, Work::Fill { to, pattern }))
}

/// The device's command where all memory is its own, else the host's.
fn command(on: &Placement, command_type: u32, work: Work) -> Command {
    let is_own = |place: &SvmRegion| match place {
        SvmRegion::Device {
            allocation, size, ..
        } => allocation.device() == on.index() && *size > 0,
        SvmRegion::Host(_) => false,
    };
    let of_device = match &work {
        Work::Copy { from, to } => is_own(from) && is_own(to),
        Work::Fill { to, .. } => is_own(to),
        Work::Update { .. } | Work::Free { .. } => false,
    };
    let svm = Arc::new(Svm { command_type, work });
    match of_device {
        true => Command::Device(svm),
        false => Command::Host(svm),
    }
}

/// clEnqueueSVMMap.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMap, in its order.
pub fn map(on: &Placement, flags: u64, region: Option<HostSlice>) -> Result<Command> {
    check_device(on)?;
    // CL_INVALID_VALUE if svm_ptr is NULL, size is 0 or the flags are not valid.
    let region = region.ok_or_else(null_pointer)?;
    if region.is_empty() {
        return Err(Error::InvalidValue.because("the size is 0"));
    }
    map::check_flags(flags)?;
    // The specification names no error for a range beyond an allocation's end; that is CL_INVALID_VALUE here too.
    let command_type = cl::CL_COMMAND_SVM_MAP;
    let SvmRegion::Device {
        allocation, size, ..
    } = place(on, region)?
    else {
        return Ok(empty(command_type));
    };
    // CL_INVALID_VALUE if the host has no access to it.
    on.context().check_host_memory(region)?;
    let invalidate = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    let map = svm::Map {
        address: region.address(),
        size,
        writes: flags & (cl::CL_MAP_WRITE | invalidate) != 0,
    };
    allocation.add_map(map);
    if flags & invalidate != 0 {
        return Ok(empty(command_type));
    }
    let work = Work::Update {
        allocation,
        map,
        to_host: true,
    };
    Ok(command(on, command_type, work))
}

/// clEnqueueSVMUnmap.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMUnmap, in its order.
pub fn unmap(on: &Placement, address: usize) -> Result<Command> {
    check_device(on)?;
    // CL_INVALID_VALUE if svm_ptr is NULL.
    if address == 0 {
        return Err(null_pointer());
    }
    let command_type = cl::CL_COMMAND_SVM_UNMAP;
    let found = on.context().svm_find(address);
    let mapped = found.and_then(|(allocation, _)| {
        let map = allocation.take_map(address)?;
        Some((allocation, map))
    });
    let Some((allocation, map)) = mapped.filter(|(_, map)| map.writes) else {
        return Ok(empty(command_type));
    };
    let work = Work::Update {
        allocation,
        map,
        to_host: false,
    };
    Ok(command(on, command_type, work))
}

/// clEnqueueSVMMigrateMem; `regions` are addresses and sizes, 0 for the whole allocation.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMigrateMem, in its order.
pub fn migrate(on: &Placement, regions: &[(usize, usize)], flags: u64) -> Result<Command> {
    check_device(on)?;
    // CL_INVALID_VALUE if there is no pointer, or the flags are not valid.
    if regions.is_empty() {
        return Err(Error::InvalidValue);
    }
    migrate::check_flags(flags)?;
    for &(address, size) in regions {
        // CL_INVALID_VALUE if a range is not within one allocation.
        let found = on.context().svm_find(address);
        if found.is_none_or(|(allocation, offset)| size > allocation.size() - offset) {
            let reason = format!("{size} bytes at {address:#x} are not inside one allocation");
            return Err(Error::InvalidValue.because(reason));
        }
    }
    Ok(empty(cl::CL_COMMAND_SVM_MIGRATE_MEM))
}

/// A hint about shared memory, which has no effect but its place in the order.
pub fn hint(command_type: u32) -> Command {
    empty(command_type)
}

/// A migration that is no more than a hint.
///
/// # Errors
/// CL_INVALID_VALUE if the flags are not valid.
pub fn migrate_hint(command_type: u32, flags: u64) -> Result<Command> {
    migrate::check_flags(flags)?;
    Ok(empty(command_type))
}

fn name_of(work: &Work) -> &'static str {
    match work {
        Work::Copy { .. } => "SVM copy",
        Work::Fill { .. } => "SVM fill",
        Work::Update { to_host: true, .. } => "SVM map",
        Work::Update { .. } => "SVM unmap",
        Work::Free { .. } => "SVM free",
    }
}

impl HostCommand for Svm {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        name_of(&self.work)
    }

    fn details(&self) -> Fields {
        match &self.work {
            Work::Copy { to, .. } | Work::Fill { to, .. } => {
                Fields::default().with("bytes", to.size())
            }
            // Where the host reaches the memory, nothing is copied.
            Work::Update {
                allocation, map, ..
            } => match allocation.is_away() {
                true => Fields::default().with("bytes", map.size),
                false => Fields::default(),
            },
            Work::Free { pointers, .. } => Fields::default().with("pointers", pointers.len()),
        }
    }

    fn takes_long(&self) -> bool {
        matches!(self.work, Work::Free { .. })
    }

    fn run(&self, on: &Placement) -> Result<()> {
        let open = |allocation: &Allocation| {
            let devices = on.context().devices();
            devices[allocation.device()].gpu()
        };
        match &self.work {
            Work::Copy { from, to } => match (from, to) {
                (SvmRegion::Host(from), SvmRegion::Host(to)) => to.copy_from(*from),
                (
                    SvmRegion::Device {
                        allocation, offset, ..
                    },
                    SvmRegion::Host(to),
                ) => {
                    open(allocation)?.read(allocation.memory(), *offset as u64, *to)?;
                }
                (
                    SvmRegion::Host(from),
                    SvmRegion::Device {
                        allocation, offset, ..
                    },
                ) => {
                    open(allocation)?.write(allocation.memory(), *offset as u64, *from)?;
                }
                (
                    SvmRegion::Device {
                        allocation,
                        offset,
                        size,
                    },
                    SvmRegion::Device {
                        allocation: target,
                        offset: to,
                        ..
                    },
                ) => {
                    let mut block = HostBlock::new(*size).ok_or(Error::OutOfHostMemory)?;
                    let bytes = block.slice().part(0, *size);
                    open(allocation)?.read(allocation.memory(), *offset as u64, bytes)?;
                    open(target)?.write(target.memory(), *to as u64, bytes)?;
                }
            },
            Work::Fill { to, pattern } => match to {
                SvmRegion::Host(to) => to.fill(pattern),
                SvmRegion::Device {
                    allocation,
                    offset,
                    size,
                } => {
                    let mut block = HostBlock::new(*size).ok_or(Error::OutOfHostMemory)?;
                    let bytes = block.slice().part(0, *size);
                    bytes.fill(pattern);
                    open(allocation)?.write(allocation.memory(), *offset as u64, bytes)?;
                }
            },
            Work::Update {
                allocation,
                map,
                to_host,
            } => {
                let offset = map.address - allocation.start();
                if let Some(copy) = allocation.copy_for_host(offset, map.size) {
                    let (gpu, memory) = (open(allocation)?, allocation.memory());
                    match to_host {
                        true => gpu.read(memory, offset as u64, copy)?,
                        false => gpu.write(memory, offset as u64, copy)?,
                    }
                }
            }
            Work::Free { pointers, function } => match function {
                Some(function) => function(pointers.clone()),
                None => pointers.iter().for_each(|&p| on.context().svm_free(p)),
            },
        }
        Ok(())
    }

    fn withdraw(&self) {
        if let Work::Update {
            allocation,
            map,
            to_host,
        } = &self.work
        {
            match to_host {
                true => drop(allocation.take_map(map.address)),
                false => allocation.add_map(*map),
            }
        }
    }
}

impl DeviceCommand for Svm {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        name_of(&self.work)
    }

    fn details(&self) -> Fields {
        HostCommand::details(self)
    }

    fn joins(&self) -> bool {
        true
    }

    fn uses(&self, _: &mut Visit<'_>) -> Result<()> {
        Ok(())
    }

    fn record(&self, _: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let recorded = match &self.work {
            Work::Copy {
                from:
                    SvmRegion::Device {
                        allocation,
                        offset,
                        size,
                    },
                to:
                    SvmRegion::Device {
                        allocation: target,
                        offset: to,
                        ..
                    },
            } => {
                let region = CopyRegion {
                    from: *offset as u64,
                    to: *to as u64,
                    size: *size as u64,
                };
                recorder.copy_buffer(allocation.memory(), target.memory(), &[region])
            }
            Work::Fill {
                to:
                    SvmRegion::Device {
                        allocation,
                        offset,
                        size,
                    },
                pattern,
            } => recorder.fill_buffer(allocation.memory(), *offset as u64, *size as u64, pattern),
            // The host does everything else.
            _ => Ok(()),
        };
        recorded.map_err(gpu::error)?;
        Ok(Retire::nothing())
    }
}
