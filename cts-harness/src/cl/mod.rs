//! A small safe client of the OpenCL API, through whatever ICD loader is linked.
//!
//! Only what the tools of this crate call. Every error is the `cl_int` with the name of the
//! function that returned it. All `unsafe` of the crate is here, in the raw-Vulkan twin of the
//! benchmark, in the one call that sends a signal (`process.rs`), and in the one that asks for a library (`kit.rs`).

mod any_kernel;
mod external;
mod gl;
mod images;
mod messages;
mod queue;
mod replay;

pub use gl::GlContext;
pub use images::{Image, Sampler};
use messages::Messages;
pub use queue::{DeviceQueue, Event};
pub use replay::CommandBuffer;

use cl_sys::{
    CL_DEVICE_EXTENSIONS, CL_DEVICE_NAME, CL_DEVICE_TYPE_ALL, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
    CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE, CL_PLATFORM_NAME,
    CL_PROGRAM_BUILD_LOG, CL_TRUE, cl_command_queue, cl_context, cl_device_id, cl_device_info,
    cl_int, cl_kernel, cl_mem, cl_platform_id, cl_program, cl_sampler, cl_uint,
};
use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr;

/// A failed OpenCL call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The function that returned the code.
    pub call: &'static str,
    /// The error code, for example -11 for CL_BUILD_PROGRAM_FAILURE.
    pub code: cl_int,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.code)
    }
}

impl std::error::Error for Error {}

/// Result of an OpenCL call.
pub type Result<T> = std::result::Result<T, Error>;

fn check(call: &'static str, code: cl_int) -> Result<()> {
    if code == 0 {
        Ok(())
    } else {
        Err(Error { call, code })
    }
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Arg<'a> {
    /// Plain bytes.
    Bytes(&'a [u8]),
    /// A buffer.
    Buffer(&'a Buffer),
    /// A device queue.
    Queue(&'a DeviceQueue),
    /// An image.
    Image(&'a Image),
    /// A sampler.
    Sampler(&'a Sampler),
    /// A null buffer.
    Null,
    /// So many bytes of local memory.
    Local(usize),
}

/// A device with a context and an in-order queue.
pub struct Session {
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
    /// Messages to the context's notification function. Never freed, since that may be called at any time.
    messages: &'static Messages,
    /// CL_PLATFORM_NAME.
    pub platform_name: String,
    /// CL_DEVICE_NAME.
    pub name: String,
    /// CL_DEVICE_VERSION, and CL_DRIVER_VERSION behind it.
    pub version: String,
}

/// A device as the driver names it, before anything is made for it.
#[derive(Clone, Copy)]
pub struct DeviceId(cl_device_id);

impl DeviceId {
    /// The bytes of one clGetDeviceInfo query.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn info(self, query: cl_device_info) -> Result<Vec<u8>> {
        bytes_info(|size, value, ret| {
            // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
            unsafe { cl_sys::clGetDeviceInfo(self.0, query, size, value, ret) }
        })
    }
}

impl Session {
    /// The name of the first platform whose name contains `platform` and that has a device, and
    /// that device.
    ///
    /// # Errors
    /// CL_DEVICE_NOT_FOUND if there is none; the error of the OpenCL call.
    pub fn find(platform: &str) -> Result<(String, DeviceId)> {
        let mut platforms: [cl_platform_id; 16] = [ptr::null_mut(); 16];
        let mut count: cl_uint = 0;
        // SAFETY: the array has the sixteen entries that the call is told of.
        check("clGetPlatformIDs", unsafe {
            cl_sys::clGetPlatformIDs(16, platforms.as_mut_ptr(), &mut count)
        })?;
        for &candidate in &platforms[..(count as usize).min(16)] {
            let name = string(bytes_info(|size, value, ret| {
                // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
                unsafe { cl_sys::clGetPlatformInfo(candidate, CL_PLATFORM_NAME, size, value, ret) }
            })?);
            if !name.contains(platform) {
                continue;
            }
            let mut device: cl_device_id = ptr::null_mut();
            // SAFETY: room for one device id is passed.
            let found = unsafe {
                cl_sys::clGetDeviceIDs(
                    candidate,
                    CL_DEVICE_TYPE_ALL,
                    1,
                    &mut device,
                    ptr::null_mut(),
                )
            };
            if found == 0 {
                return Ok((name, DeviceId(device)));
            }
        }
        Err(Error {
            call: "clGetDeviceIDs",
            code: -1,
        })
    }

    /// The first device of the first platform whose name contains `platform`, ready for work.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn open(platform: &str) -> Result<Session> {
        Self::open_with(platform, &[0])
    }

    /// As [`Session::open`], with properties of the context and their terminator.
    fn open_with(platform: &str, properties: &[isize]) -> Result<Session> {
        let (platform_name, id) = Self::find(platform)?;
        let info = |query| Ok(string(id.info(query)?));
        let name = info(CL_DEVICE_NAME)?;
        let version = format!(
            "{}, driver {}",
            info(CL_DEVICE_VERSION)?,
            info(CL_DRIVER_VERSION)?
        );
        let device = id.0;
        let mut code = 0;
        let messages: &'static Messages = Box::leak(Box::default());
        let data = ptr::from_ref(messages).cast_mut().cast();
        // SAFETY: one valid device and a terminated list; the function may be called with `data` for ever.
        let context = unsafe {
            cl_sys::clCreateContext(
                properties.as_ptr(),
                1,
                &device,
                Some(messages::notify),
                data,
                &mut code,
            )
        };
        check("clCreateContext", code)?;
        // SAFETY: the context was made for this device just now.
        let queue = unsafe { cl_sys::clCreateCommandQueue(context, device, 0, &mut code) };
        check("clCreateCommandQueue", code)?;
        Ok(Session {
            device,
            context,
            queue,
            messages,
            platform_name,
            name,
            version,
        })
    }

    /// The bytes of one clGetDeviceInfo query.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn info(&self, query: cl_device_info) -> Result<Vec<u8>> {
        DeviceId(self.device).info(query)
    }

    /// CL_DEVICE_EXTENSIONS.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn extensions(&self) -> Result<String> {
        Ok(string(self.info(CL_DEVICE_EXTENSIONS)?))
    }

    /// Returns whether CL_DEVICE_EXTENSIONS has a name.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn has_extension(&self, name: &str) -> Result<bool> {
        Ok(self.extensions()?.split(' ').any(|other| other == name))
    }

    /// Builds a program; `Err` carries the log.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn build(
        &self,
        source: &[u8],
        options: &str,
    ) -> std::result::Result<Program, (Error, String)> {
        let options = CString::new(options).unwrap_or_default();
        let mut code = 0;
        let text = source.as_ptr().cast();
        // SAFETY: one string with its length.
        let program = unsafe {
            cl_sys::clCreateProgramWithSource(self.context, 1, &text, &source.len(), &mut code)
        };
        check("clCreateProgramWithSource", code).map_err(|error| (error, String::new()))?;
        let program = Program { program };
        // SAFETY: the program and device are valid, the options NUL-terminated.
        let code = unsafe {
            cl_sys::clBuildProgram(
                program.program,
                1,
                &self.device,
                options.as_ptr(),
                None,
                ptr::null_mut(),
            )
        };
        match check("clBuildProgram", code) {
            Ok(()) => Ok(program),
            Err(error) => {
                let log = bytes_info(|size, value, ret| {
                    // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
                    unsafe {
                        cl_sys::clGetProgramBuildInfo(
                            program.program,
                            self.device,
                            CL_PROGRAM_BUILD_LOG,
                            size,
                            value,
                            ret,
                        )
                    }
                });
                Err((error, log.map(string).unwrap_or_default()))
            }
        }
    }

    /// A read-write buffer with the given contents.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn buffer(&self, contents: &[u8]) -> Result<Buffer> {
        let mut code = 0;
        // SAFETY: COPY_HOST_PTR reads exactly `len` bytes during the call.
        let mem = unsafe {
            cl_sys::clCreateBuffer(
                self.context,
                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                contents.len(),
                contents.as_ptr() as *mut c_void,
                &mut code,
            )
        };
        check("clCreateBuffer", code)?;
        Ok(Buffer {
            mem,
            size: contents.len(),
        })
    }

    /// Makes an empty pipe. It has no bytes that could be read back.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn pipe(&self, packet_size: u32, max_packets: u32) -> Result<Buffer> {
        let mut code = 0;
        let (flags, none) = (CL_MEM_HOST_NO_ACCESS, ptr::null());
        // SAFETY: the list of properties is null.
        let mem = unsafe {
            cl_sys::clCreatePipe(
                self.context,
                flags,
                packet_size,
                max_packets,
                none,
                &mut code,
            )
        };
        check("clCreatePipe", code)?;
        Ok(Buffer { mem, size: 0 })
    }

    /// Reads a whole buffer back, after everything enqueued before.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u8>> {
        let mut bytes = vec![0u8; buffer.size];
        self.read_into(buffer, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads the first bytes of a buffer, after everything enqueued before. The call fails where
    /// the buffer is smaller.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn read_into(&self, buffer: &Buffer, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the blocking read writes `size` bytes into a vector of that length.
        let code = unsafe {
            cl_sys::clEnqueueReadBuffer(
                self.queue,
                buffer.mem,
                CL_TRUE,
                0,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueReadBuffer", code)
    }

    /// Writes the first bytes of a buffer and waits for that. The call fails where the buffer is
    /// smaller.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        // SAFETY: the blocking write reads `len` bytes of the slice.
        let code = unsafe {
            cl_sys::clEnqueueWriteBuffer(
                self.queue,
                buffer.mem,
                CL_TRUE,
                0,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueWriteBuffer", code)
    }

    /// Writes the first bytes of a buffer so many times before one wait.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn write_often(&self, buffer: &Buffer, bytes: &[u8], count: usize) -> Result<()> {
        let mut result = Ok(());
        for _ in 0..count {
            // SAFETY: the write reads `len` bytes of the slice, and its end is waited for below.
            let code = unsafe {
                cl_sys::clEnqueueWriteBuffer(
                    self.queue,
                    buffer.mem,
                    cl_sys::CL_FALSE,
                    0,
                    bytes.len(),
                    bytes.as_ptr().cast(),
                    0,
                    ptr::null(),
                    ptr::null_mut(),
                )
            };
            result = result.and(check("clEnqueueWriteBuffer", code));
        }
        result.and(self.finish())
    }

    /// Sets a kernel's first arguments.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn set_args(&self, kernel: &Kernel, args: &[Arg<'_>]) -> Result<()> {
        (0..)
            .zip(args)
            .try_for_each(|(index, arg)| kernel.set(index, arg))
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn run(
        &self,
        kernel: &Kernel,
        args: &[Arg<'_>],
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<()> {
        self.set_args(kernel, args)?;
        self.enqueue(kernel, offset, global, local)?;
        self.finish()
    }

    /// Waits for everything enqueued.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn finish(&self) -> Result<()> {
        // SAFETY: a valid queue.
        check("clFinish", unsafe { cl_sys::clFinish(self.queue) })
    }

    /// Enqueues a kernel with the arguments that it has.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    ///
    /// # Panics
    /// If offset or local size have fewer dimensions than the global size.
    pub fn enqueue(
        &self,
        kernel: &Kernel,
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<()> {
        let enough = |sizes: Option<&[usize]>| sizes.is_none_or(|s| s.len() >= global.len());
        assert!(enough(offset) && enough(local), "sizes of equal dimensions");
        let raw = |sizes: Option<&[usize]>| sizes.map_or(ptr::null(), <[usize]>::as_ptr);
        // SAFETY: the size arrays have `global.len()` entries each, as asserted.
        let code = unsafe {
            cl_sys::clEnqueueNDRangeKernel(
                self.queue,
                kernel.kernel,
                global.len() as cl_uint,
                raw(offset),
                global.as_ptr(),
                raw(local),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueNDRangeKernel", code)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: both were created by `with` and are released once. Failure leaves nothing to do.
        unsafe {
            cl_sys::clReleaseCommandQueue(self.queue);
            cl_sys::clReleaseContext(self.context);
        }
    }
}

/// A built program.
pub struct Program {
    program: cl_program,
}

impl Program {
    /// One of its kernels.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = CString::new(name).unwrap_or_default();
        let mut code = 0;
        // SAFETY: a valid program and a NUL-terminated name.
        let kernel = unsafe { cl_sys::clCreateKernel(self.program, name.as_ptr(), &mut code) };
        check("clCreateKernel", code)?;
        Ok(Kernel { kernel })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created by `build`, released once.
        unsafe { cl_sys::clReleaseProgram(self.program) };
    }
}

/// A kernel.
pub struct Kernel {
    kernel: cl_kernel,
}

impl Kernel {
    /// Sets one argument.
    fn set(&self, index: cl_uint, arg: &Arg<'_>) -> Result<()> {
        let (size, value): (usize, *const c_void) = match arg {
            Arg::Bytes(bytes) => (bytes.len(), bytes.as_ptr().cast()),
            Arg::Buffer(buffer) => (size_of::<cl_mem>(), ptr::from_ref(&buffer.mem).cast()),
            Arg::Queue(queue) => (
                size_of::<cl_command_queue>(),
                ptr::from_ref(&queue.queue).cast(),
            ),
            Arg::Image(image) => (size_of::<cl_mem>(), ptr::from_ref(&image.memory.mem).cast()),
            Arg::Sampler(sampler) => (
                size_of::<cl_sampler>(),
                ptr::from_ref(&sampler.sampler).cast(),
            ),
            Arg::Null => (size_of::<cl_mem>(), ptr::null()),
            Arg::Local(size) => (*size, ptr::null()),
        };
        // SAFETY: `value` points at `size` bytes that outlive the call, or is null where
        // the API takes null.
        let code = unsafe { cl_sys::clSetKernelArg(self.kernel, index, size, value) };
        check("clSetKernelArg", code)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: created by `Program::kernel`, released once.
        unsafe { cl_sys::clReleaseKernel(self.kernel) };
    }
}

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    mem: cl_mem,
    size: usize,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: created by `Session::buffer`, released once.
        unsafe { cl_sys::clReleaseMemObject(self.mem) };
    }
}

/// Asks twice: for the size, then for the bytes.
fn bytes_info(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>> {
    let mut size = 0;
    check("clGet*Info", ask(0, ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    check(
        "clGet*Info",
        ask(size, bytes.as_mut_ptr().cast(), ptr::null_mut()),
    )?;
    Ok(bytes)
}

/// A string of the API without its final NUL.
fn string(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
