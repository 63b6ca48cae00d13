//! Memory of other APIs and semaphores (cl_khr_external_memory, cl_khr_semaphore).

use super::{Buffer, Result, Session, check};
use cl_sys::{
    CL_MEM_READ_WRITE, cl_command_queue, cl_context, cl_event, cl_int, cl_mem, cl_mem_flags,
    cl_uint,
};
use std::ffi::{CStr, c_void};
use std::ptr;

type Handle = *mut c_void;
pub(super) type Transfer = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Create = unsafe extern "C" fn(cl_context, *const u64, *mut cl_int) -> Handle;
type OfQueue = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const Handle,
    *const u64,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type OfSemaphore = unsafe extern "C" fn(Handle) -> cl_int;

unsafe extern "C" {
    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: *const u64,
        flags: cl_mem_flags,
        size: usize,
        host: *mut c_void,
        code: *mut cl_int,
    ) -> cl_mem;
}

/// CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR.
const OPAQUE_MEMORY: u64 = 0x2060;
/// CL_SEMAPHORE_TYPE_KHR and CL_SEMAPHORE_TYPE_BINARY_KHR.
const BINARY: [u64; 2] = [0x203D, 1];

/// A buffer of memory that another API has allocated.
pub struct SharedBuffer {
    buffer: Buffer,
    queue: cl_command_queue,
    /// Acquires it and releases it, in this order; each function with its name.
    transfers: [(&'static str, Transfer); 2],
}

/// A binary semaphore.
pub struct Semaphore {
    handle: Handle,
    queue: cl_command_queue,
    signal: OfQueue,
    wait: OfQueue,
    release: OfSemaphore,
}

impl Session {
    /// A buffer of the memory that an opaque file descriptor is. The descriptor is the driver's then.
    ///
    /// # Errors
    /// A driver without such memory, or the error that a call returned.
    pub fn shared_buffer(&self, fd: i32, size: usize) -> Result<SharedBuffer> {
        let transfers = self.transfers([
            c"clEnqueueAcquireExternalMemObjectsKHR",
            c"clEnqueueReleaseExternalMemObjectsKHR",
        ])?;
        let list = [OPAQUE_MEMORY, fd as u64, 0];
        let (flags, host) = (CL_MEM_READ_WRITE, ptr::null_mut());
        let mut code = 0;
        // SAFETY: a terminated list, and no memory of the host's.
        let mem = unsafe {
            let list = list.as_ptr();
            clCreateBufferWithProperties(self.context, list, flags, size, host, &mut code)
        };
        check("clCreateBufferWithProperties", code)?;
        Ok(SharedBuffer::new(self, Buffer { mem, size }, transfers))
    }

    /// The functions of these names, which acquire shared objects and release them.
    pub(super) fn transfers(
        &self,
        names: [&'static CStr; 2],
    ) -> Result<[(&'static str, Transfer); 2]> {
        let transfer = |name: &'static CStr| -> Result<(&'static str, Transfer)> {
            let function = self.function(name)?;
            // SAFETY: functions that acquire and release objects have this type in every specification.
            let function = unsafe { std::mem::transmute::<Handle, Transfer>(function) };
            Ok((name.to_str().unwrap_or_default(), function))
        };
        Ok([transfer(names[0])?, transfer(names[1])?])
    }

    /// A binary semaphore.
    ///
    /// # Errors
    /// A driver without semaphores, or the error that a call returned.
    pub fn semaphore(&self) -> Result<Semaphore> {
        // SAFETY: the functions have these types in the extension's specification.
        let (create, signal, wait, release) = unsafe {
            (
                std::mem::transmute::<Handle, Create>(
                    self.function(c"clCreateSemaphoreWithPropertiesKHR")?,
                ),
                std::mem::transmute::<Handle, OfQueue>(
                    self.function(c"clEnqueueSignalSemaphoresKHR")?,
                ),
                std::mem::transmute::<Handle, OfQueue>(
                    self.function(c"clEnqueueWaitSemaphoresKHR")?,
                ),
                std::mem::transmute::<Handle, OfSemaphore>(
                    self.function(c"clReleaseSemaphoreKHR")?,
                ),
            )
        };
        let list = [BINARY[0], BINARY[1], 0];
        let mut code = 0;
        // SAFETY: a terminated list.
        let handle = unsafe { create(self.context, list.as_ptr(), &mut code) };
        check("clCreateSemaphoreWithPropertiesKHR", code)?;
        Ok(Semaphore {
            handle,
            queue: self.queue,
            signal,
            wait,
            release,
        })
    }
}

impl SharedBuffer {
    /// A buffer of the session's context, with the functions that acquire and release it.
    pub(super) fn new(
        session: &Session,
        buffer: Buffer,
        transfers: [(&'static str, Transfer); 2],
    ) -> Self {
        Self {
            buffer,
            queue: session.queue,
            transfers,
        }
    }

    /// Acquires it and releases it again.
    ///
    /// # Errors
    /// The error that a call returned.
    pub fn hand_over(&self) -> Result<()> {
        let (none, event) = (ptr::null(), ptr::null_mut());
        for (name, transfer) in self.transfers {
            // SAFETY: one object of the queue's context, and no events.
            let code = unsafe { transfer(self.queue, 1, &self.buffer.mem, 0, none, event) };
            check(name, code)?;
        }
        Ok(())
    }
}

impl Semaphore {
    /// Signals it and waits for it, on the queue.
    ///
    /// # Errors
    /// The error that a call returned.
    pub fn pass(&self) -> Result<()> {
        let (none, event) = (ptr::null(), ptr::null_mut());
        // SAFETY: one semaphore of the queue's context, and no events.
        unsafe {
            let signaled = (self.signal)(self.queue, 1, &self.handle, ptr::null(), 0, none, event);
            check("clEnqueueSignalSemaphoresKHR", signaled)?;
            let waited = (self.wait)(self.queue, 1, &self.handle, ptr::null(), 0, none, event);
            check("clEnqueueWaitSemaphoresKHR", waited)
        }
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // SAFETY: made by the create call, released once.
        unsafe { (self.release)(self.handle) };
    }
}
