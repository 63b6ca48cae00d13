//! Command buffers (cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch).

use super::{Buffer, Error, Kernel, Result, Session, check};
use cl_sys::{CL_DEVICE_PLATFORM, cl_command_queue, cl_event, cl_int, cl_kernel, cl_uint};
use std::ffi::{CStr, c_void};
use std::ptr;

type Handle = *mut c_void;
type Create =
    unsafe extern "C" fn(cl_uint, *const cl_command_queue, *const u64, *mut cl_int) -> Handle;
type OfBuffer = unsafe extern "C" fn(Handle) -> cl_int;
type Enqueue = unsafe extern "C" fn(
    cl_uint,
    *mut cl_command_queue,
    Handle,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Launch = unsafe extern "C" fn(
    Handle,
    cl_command_queue,
    *const u64,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *const usize,
    cl_uint,
    *const cl_uint,
    *mut cl_uint,
    *mut Handle,
) -> cl_int;
type Update = unsafe extern "C" fn(Handle, cl_uint, *const cl_uint, *const *const c_void) -> cl_int;

/// CL_COMMAND_BUFFER_FLAGS_KHR.
const FLAGS: u64 = 0x1293;
/// CL_COMMAND_BUFFER_MUTABLE_KHR.
const MUTABLE: u64 = 1 << 1;

/// cl_mutable_dispatch_arg_khr.
#[repr(C)]
struct ArgChange {
    index: cl_uint,
    size: usize,
    value: *const c_void,
}

/// cl_mutable_dispatch_config_khr.
#[repr(C)]
struct Change {
    command: Handle,
    num_args: cl_uint,
    num_svm_args: cl_uint,
    num_exec_infos: cl_uint,
    work_dim: cl_uint,
    args: *const ArgChange,
    svm_args: *const ArgChange,
    exec_infos: *const c_void,
    sizes: [*const usize; 3],
}

/// A finalized command buffer that launches one kernel often.
pub struct CommandBuffer {
    buffer: Handle,
    commands: Vec<Handle>,
    enqueue: Enqueue,
    update: Option<Update>,
    release: OfBuffer,
}

impl Session {
    /// The address of an extension's function.
    pub(super) fn function(&self, name: &'static CStr) -> Result<*mut c_void> {
        let missing = Error {
            call: "clGetExtensionFunctionAddressForPlatform",
            code: -30,
        };
        let mut platform: cl_sys::cl_platform_id = ptr::null_mut();
        // SAFETY: room for one platform.
        check("clGetDeviceInfo", unsafe {
            let room = ptr::from_mut(&mut platform).cast();
            let size = size_of_val(&platform);
            cl_sys::clGetDeviceInfo(self.device, CL_DEVICE_PLATFORM, size, room, ptr::null_mut())
        })?;
        // SAFETY: the device's platform and a name.
        let found = unsafe {
            cl_sys::clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr().cast())
        };
        match found.is_null() {
            true => Err(missing),
            false => Ok(found),
        }
    }

    /// A command buffer of so many launches of a kernel, whose arguments may change if it is `mutable`.
    ///
    /// # Errors
    /// A driver without command buffers, or the error that a call returned.
    pub fn command_buffer(
        &self,
        kernel: &Kernel,
        count: usize,
        mutable: bool,
    ) -> Result<CommandBuffer> {
        // SAFETY: the functions have these types in the extensions' specifications.
        let (create, launch, finalize, enqueue, release, update) = unsafe {
            (
                std::mem::transmute::<Handle, Create>(self.function(c"clCreateCommandBufferKHR")?),
                std::mem::transmute::<Handle, Launch>(self.function(c"clCommandNDRangeKernelKHR")?),
                std::mem::transmute::<Handle, OfBuffer>(
                    self.function(c"clFinalizeCommandBufferKHR")?,
                ),
                std::mem::transmute::<Handle, Enqueue>(
                    self.function(c"clEnqueueCommandBufferKHR")?,
                ),
                std::mem::transmute::<Handle, OfBuffer>(
                    self.function(c"clReleaseCommandBufferKHR")?,
                ),
                match mutable {
                    true => Some(std::mem::transmute::<Handle, Update>(
                        self.function(c"clUpdateMutableCommandsKHR")?,
                    )),
                    false => None,
                },
            )
        };
        let properties = [FLAGS, if mutable { MUTABLE } else { 0 }, 0];
        let mut code = 0;
        // SAFETY: one queue, a terminated list.
        let buffer = unsafe { create(1, &self.queue, properties.as_ptr(), &mut code) };
        check("clCreateCommandBufferKHR", code)?;
        let mut made = CommandBuffer {
            buffer,
            commands: Vec::new(),
            enqueue,
            update,
            release,
        };
        let global = 64;
        for _ in 0..count {
            let mut command = ptr::null_mut();
            // SAFETY: one dimension with its size, no sync points, room for a handle.
            check("clCommandNDRangeKernelKHR", unsafe {
                launch(
                    buffer,
                    ptr::null_mut(),
                    ptr::null(),
                    kernel.kernel,
                    1,
                    ptr::null(),
                    &global,
                    ptr::null(),
                    0,
                    ptr::null(),
                    ptr::null_mut(),
                    if mutable {
                        &mut command
                    } else {
                        ptr::null_mut()
                    },
                )
            })?;
            made.commands.push(command);
        }
        // SAFETY: a command buffer that records.
        check("clFinalizeCommandBufferKHR", unsafe { finalize(buffer) })?;
        Ok(made)
    }
}

impl CommandBuffer {
    /// Enqueues it.
    ///
    /// # Errors
    /// The error that the call returned.
    pub fn enqueue(&self) -> Result<()> {
        // SAFETY: an executable command buffer, its own queue, no events.
        check("clEnqueueCommandBufferKHR", unsafe {
            (self.enqueue)(
                0,
                ptr::null_mut(),
                self.buffer,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// Gives one of its launches another buffer as the first argument.
    ///
    /// # Errors
    /// The error that the call returned.
    pub fn set_first_argument(&self, launch: usize, buffer: &Buffer) -> Result<()> {
        let Some(update) = self.update else {
            return Ok(());
        };
        let arg = ArgChange {
            index: 0,
            size: size_of::<Handle>(),
            value: ptr::from_ref(&buffer.mem).cast(),
        };
        let change = Change {
            command: self.commands[launch],
            num_args: 1,
            num_svm_args: 0,
            num_exec_infos: 0,
            work_dim: 0,
            args: &arg,
            svm_args: ptr::null(),
            exec_infos: ptr::null(),
            sizes: [ptr::null(); 3],
        };
        let changes = [ptr::from_ref(&change).cast()];
        // SAFETY: one change of the kind 0, which lives through the call.
        check("clUpdateMutableCommandsKHR", unsafe {
            update(self.buffer, 1, &0, changes.as_ptr())
        })
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        // SAFETY: made by the create call, released once.
        unsafe { (self.release)(self.buffer) };
    }
}
