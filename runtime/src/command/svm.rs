//! clEnqueueSVM*: copies and fills are done on the host, whose memory it is; maps, unmaps and
//! migrations are no more than their place in the order.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::json::Fields;
use crate::command::fill::check_pattern;
use crate::command::{Command, Empty, HostCommand, map, migrate};
use crate::context::Placement;

/// The application's function of clEnqueueSVMFree, given the pointers.
pub type FreeFunction = Box<dyn Fn(Vec<usize>) + Send + Sync>;

/// Work on shared virtual memory.
enum Svm {
    Copy {
        from: HostSlice,
        to: HostSlice,
    },
    Fill {
        to: HostSlice,
        pattern: Vec<u8>,
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
    Ok(Command::Host(Arc::new(Svm::Free { pointers, function })))
}

/// clEnqueueSVMMemcpy; `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMemcpy, in its order.
pub fn copy(on: &Placement, to: Option<HostSlice>, from: Option<HostSlice>) -> Result<Command> {
    check_device(on)?;
    // CL_INVALID_VALUE if dst_ptr or src_ptr is NULL.
    let (to, from) = to.zip(from).ok_or_else(null_pointer)?;
    // CL_MEM_COPY_OVERLAP if the regions overlap.
    let end = |slice: HostSlice| slice.address().saturating_add(slice.len());
    if to.address() < end(from) && from.address() < end(to) {
        return Err(Error::MemCopyOverlap.because("the regions overlap"));
    }
    Ok(Command::Host(Arc::new(Svm::Copy { from, to })))
}

/// clEnqueueSVMMemFill; `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueSVMMemFill, in its order.
pub fn fill(on: &Placement, to: Option<HostSlice>, pattern: Option<&[u8]>) -> Result<Command> {
    check_device(on)?;
    // CL_INVALID_VALUE if svm_ptr is NULL.
    let to = to.ok_or_else(null_pointer)?;
    let pattern = check_pattern(pattern)?;
    // CL_INVALID_VALUE if svm_ptr is not aligned to the pattern's size, or size no multiple of it.
    if to.address() % pattern.len() != 0 || to.len() % pattern.len() != 0 {
        let size = pattern.len();
        let reason = format!("address and size must be multiples of the pattern's {size} bytes");
        return Err(Error::InvalidValue.because(reason));
    }
    let pattern = pattern.to_vec();
    Ok(Command::Host(Arc::new(Svm::Fill { to, pattern })))
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
    Ok(empty(cl::CL_COMMAND_SVM_MAP))
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
    Ok(empty(cl::CL_COMMAND_SVM_UNMAP))
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
        if found.is_none_or(|(buffer, offset)| size as u64 > buffer.size() - offset) {
            let reason = format!("{size} bytes at {address:#x} are not inside one allocation");
            return Err(Error::InvalidValue.because(reason));
        }
    }
    Ok(empty(cl::CL_COMMAND_SVM_MIGRATE_MEM))
}

impl HostCommand for Svm {
    fn command_type(&self) -> u32 {
        match self {
            Svm::Copy { .. } => cl::CL_COMMAND_SVM_MEMCPY,
            Svm::Fill { .. } => cl::CL_COMMAND_SVM_MEMFILL,
            Svm::Free { .. } => cl::CL_COMMAND_SVM_FREE,
        }
    }

    fn name(&self) -> &str {
        "SVM"
    }

    fn details(&self) -> Fields {
        match self {
            Svm::Copy { to, .. } | Svm::Fill { to, .. } => {
                Fields::default().with("bytes", to.len())
            }
            Svm::Free { pointers, .. } => Fields::default().with("pointers", pointers.len()),
        }
    }

    fn calls_application(&self) -> bool {
        matches!(self, Svm::Free { .. })
    }

    fn run(&self, on: &Placement) -> Result<()> {
        match self {
            Svm::Copy { from, to } => to.copy_from(*from),
            Svm::Fill { to, pattern } => to.fill(pattern),
            Svm::Free { pointers, function } => match function {
                Some(function) => function(pointers.clone()),
                None => pointers.iter().for_each(|&p| on.context().svm_free(p)),
            },
        }
        Ok(())
    }
}
