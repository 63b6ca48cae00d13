//! The function types that applications give to the driver.

use std::ffi::{c_char, c_void};

use opencl_sys::{cl_command_queue, cl_context, cl_event, cl_int, cl_mem, cl_program, cl_uint};

/// clCreateContext's error callback.
pub type ContextCallback =
    Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;
/// clSetContextDestructorCallback's function.
pub type ContextDestructor = Option<unsafe extern "C" fn(cl_context, *mut c_void)>;
/// clSetEventCallback's function.
pub type EventCallback = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
/// clSetMemObjectDestructorCallback's function.
pub type MemCallback = Option<unsafe extern "C" fn(cl_mem, *mut c_void)>;
/// CL_PRINTF_CALLBACK_ARM's function: text, its length, whether it ends a launch's output, user_data.
pub type PrintfFunction = unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void);
/// clEnqueueNativeKernel's function.
pub type NativeKernel = Option<unsafe extern "C" fn(*mut c_void)>;
/// clBuildProgram's, clCompileProgram's and clLinkProgram's function.
pub type ProgramCallback = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;
/// clEnqueueSVMFree's function.
pub type SvmFreeCallback =
    Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>;

/// The application's `user_data`: handed back to its own function, never looked at.
#[derive(Clone, Copy, Debug)]
pub struct UserData(pub *mut c_void);

// SAFETY: the driver only passes the word on; the specification makes the application answer
// for its callbacks being thread-safe.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// The pointer. A method, so that a closure captures the whole wrapper.
    pub fn get(self) -> *mut c_void {
        self.0
    }
}
