//! clEnqueueSVM*: copies and fills are done on the host, whose memory it is; maps, unmaps and
//! migrations are no more than their place in the order.

use opencl_sys as cl;
use parking_lot::Mutex;

use crate::command::{Class, Command, WaitList};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::host_ptr::HostSlice;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// The application's function of clEnqueueSVMFree, given the pointers.
pub type FreeFunction = Box<dyn FnOnce(Vec<usize>) + Send>;

/// A command on shared virtual memory.
pub struct Svm {
    /// CL_COMMAND_SVM_*.
    pub command_type: u32,
    work: Work,
}

enum Work {
    Copy {
        from: HostSlice,
        to: HostSlice,
    },
    Fill {
        to: HostSlice,
        pattern: Vec<u8>,
    },
    /// Guards what is freed and by whom, which happens once.
    Free(Mutex<(Vec<usize>, Option<FreeFunction>)>),
    Nothing,
}

fn enqueue(
    queue: &Ref<Queue>,
    command_type: u32,
    work: Work,
    wait: WaitList,
    blocking: bool,
) -> Result<Ref<Event>> {
    let command = Command::Svm(Svm { command_type, work });
    scheduler::enqueue(queue, command, wait, blocking)
}

/// CL_INVALID_OPERATION if the queue's device does not support SVM.
pub fn check_device(queue: &Ref<Queue>) -> Result<()> {
    if !queue.device().has_svm() {
        return Err(Error::InvalidOperation);
    }
    Ok(())
}

/// clEnqueueSVMFree.
pub fn free(
    queue: &Ref<Queue>,
    pointers: Vec<usize>,
    function: Option<FreeFunction>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_device(queue)?;
    let work = Work::Free(Mutex::new((pointers, function)));
    enqueue(queue, cl::CL_COMMAND_SVM_FREE, work, wait, false)
}

/// clEnqueueSVMMemcpy; `None` for NULL.
pub fn copy(
    queue: &Ref<Queue>,
    blocking: bool,
    to: Option<HostSlice>,
    from: Option<HostSlice>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_device(queue)?;
    // CL_INVALID_VALUE if dst_ptr or src_ptr is NULL.
    let (to, from) = to.zip(from).ok_or(Error::InvalidValue)?;
    // CL_MEM_COPY_OVERLAP if the regions overlap.
    let end = |slice: HostSlice| slice.address().saturating_add(slice.len());
    if to.address() < end(from) && from.address() < end(to) {
        return Err(Error::MemCopyOverlap);
    }
    let work = Work::Copy { from, to };
    enqueue(queue, cl::CL_COMMAND_SVM_MEMCPY, work, wait, blocking)
}

/// clEnqueueSVMMemFill; `None` for NULL.
pub fn fill(
    queue: &Ref<Queue>,
    to: Option<HostSlice>,
    pattern: Option<&[u8]>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_device(queue)?;
    // CL_INVALID_VALUE if svm_ptr or pattern is NULL, or the pattern's size is not one of 1, 2,
    // 4, … 128.
    let (to, pattern) = to.zip(pattern).ok_or(Error::InvalidValue)?;
    if !pattern.len().is_power_of_two() || pattern.len() > 128 {
        return Err(Error::InvalidValue);
    }
    // CL_INVALID_VALUE if svm_ptr is not aligned to the pattern's size, or size no multiple of it.
    if to.address() % pattern.len() != 0 || to.len() % pattern.len() != 0 {
        return Err(Error::InvalidValue);
    }
    let pattern = pattern.to_vec();
    let work = Work::Fill { to, pattern };
    enqueue(queue, cl::CL_COMMAND_SVM_MEMFILL, work, wait, false)
}

/// clEnqueueSVMMap.
pub fn map(
    queue: &Ref<Queue>,
    blocking: bool,
    flags: u64,
    region: Option<HostSlice>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_device(queue)?;
    // CL_INVALID_VALUE if svm_ptr is NULL, size is 0 or the flags are not valid.
    let region = region.ok_or(Error::InvalidValue)?;
    let whole = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    let part = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
    let mixed = flags & whole != 0 && flags & part != 0;
    if region.is_empty() || flags & !(whole | part) != 0 || mixed {
        return Err(Error::InvalidValue);
    }
    enqueue(queue, cl::CL_COMMAND_SVM_MAP, Work::Nothing, wait, blocking)
}

/// clEnqueueSVMUnmap.
pub fn unmap(queue: &Ref<Queue>, address: usize, wait: WaitList) -> Result<Ref<Event>> {
    check_device(queue)?;
    // CL_INVALID_VALUE if svm_ptr is NULL.
    if address == 0 {
        return Err(Error::InvalidValue);
    }
    enqueue(queue, cl::CL_COMMAND_SVM_UNMAP, Work::Nothing, wait, false)
}

/// clEnqueueSVMMigrateMem; `regions` are addresses and sizes, 0 for the whole allocation.
pub fn migrate(
    queue: &Ref<Queue>,
    regions: &[(usize, usize)],
    flags: u64,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_device(queue)?;
    // CL_INVALID_VALUE if there is no pointer, or the flags are not valid.
    let known = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    if regions.is_empty() || flags & !known != 0 {
        return Err(Error::InvalidValue);
    }
    for &(address, size) in regions {
        // CL_INVALID_VALUE if a range is not within one allocation.
        let (buffer, offset) = (queue.context().svm_find(address)).ok_or(Error::InvalidValue)?;
        if size as u64 > buffer.size() - offset {
            return Err(Error::InvalidValue);
        }
    }
    let command_type = cl::CL_COMMAND_SVM_MIGRATE_MEM;
    enqueue(queue, command_type, Work::Nothing, wait, false)
}

impl Svm {
    /// Where it does its work.
    pub fn class(&self) -> Class {
        match &self.work {
            Work::Copy { .. } | Work::Fill { .. } => Class::Host,
            Work::Free(_) => Class::Callback,
            Work::Nothing => Class::Nothing,
        }
    }

    /// Does it.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        match &self.work {
            Work::Copy { from, to } => to.copy_from(*from),
            Work::Fill { to, pattern } => to.fill(pattern),
            Work::Free(what) => {
                let (pointers, function) = std::mem::take(&mut *what.lock());
                match function {
                    Some(function) => function(pointers),
                    None => pointers
                        .into_iter()
                        .for_each(|p| queue.context().svm_free(p)),
                }
            }
            Work::Nothing => {}
        }
        Ok(())
    }
}
