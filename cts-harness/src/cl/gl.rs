//! Buffers of OpenGL (cl_khr_gl_sharing), in a context of surfaceless EGL.

use super::external::SharedBuffer;
use super::{Buffer, Error, Result, Session, check};
use cl_sys::{CL_MEM_READ_WRITE, cl_context, cl_int, cl_mem, cl_mem_flags};
use libloading::os::unix::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

type Handle = *mut c_void;

/// CL_GL_CONTEXT_KHR and CL_EGL_DISPLAY_KHR.
const PROPERTIES: [isize; 2] = [0x2008, 0x2009];
/// EGL_PLATFORM_SURFACELESS_MESA.
const SURFACELESS: c_uint = 0x31DD;
/// EGL_OPENGL_API.
const OPENGL: c_uint = 0x30A2;
/// EGL_SURFACE_TYPE with EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE with EGL_OPENGL_BIT, EGL_NONE.
const CONFIG: [c_int; 5] = [0x3033, 1, 0x3040, 8, 0x3038];
/// GL_ARRAY_BUFFER and GL_DYNAMIC_COPY.
const ARRAY_BUFFER: c_uint = 0x8892;
const DYNAMIC_COPY: c_uint = 0x88EA;

/// A context of OpenGL that is current in the thread that made it.
pub struct GlContext {
    display: Handle,
    context: Handle,
    destroy: unsafe extern "C" fn(Handle, Handle) -> c_uint,
    make_current: unsafe extern "C" fn(Handle, Handle, Handle, Handle) -> c_uint,
    address: unsafe extern "C" fn(*const c_char) -> Handle,
    // Keeps the functions where they are.
    _library: Library,
}

type FromBuffer = unsafe extern "C" fn(cl_context, cl_mem_flags, c_uint, *mut cl_int) -> cl_mem;

/// The failure of a function of EGL or OpenGL, which has no code of OpenCL.
fn refused(call: &'static str) -> Error {
    Error { call, code: 0 }
}

impl GlContext {
    /// A context without a surface.
    ///
    /// # Errors
    /// A system without surfaceless EGL, or without OpenGL on it; the code is 0.
    pub fn open() -> Result<Self> {
        // SAFETY: libEGL's initializers have no conditions; the types below are those of EGL/egl.h.
        unsafe {
            let library = Library::new("libEGL.so.1").map_err(|_| refused("libEGL.so.1"))?;
            macro_rules! function {
                ($name:literal, ($($arg:ty),*) -> $result:ty) => {
                    *library
                        .get::<unsafe extern "C" fn($($arg),*) -> $result>($name.as_bytes())
                        .map_err(|_| refused($name))?
                };
            }
            let display =
                function!("eglGetPlatformDisplay", (c_uint, Handle, *const isize) -> Handle);
            let initialize = function!("eglInitialize", (Handle, *mut c_int, *mut c_int) -> c_uint);
            let bind = function!("eglBindAPI", (c_uint) -> c_uint);
            let choose = function!(
                "eglChooseConfig",
                (Handle, *const c_int, *mut Handle, c_int, *mut c_int) -> c_uint
            );
            let create = function!(
                "eglCreateContext",
                (Handle, Handle, Handle, *const c_int) -> Handle
            );
            let make_current =
                function!("eglMakeCurrent", (Handle, Handle, Handle, Handle) -> c_uint);
            let destroy = function!("eglDestroyContext", (Handle, Handle) -> c_uint);
            let address = function!("eglGetProcAddress", (*const c_char) -> Handle);
            let none = ptr::null_mut();
            let display = display(SURFACELESS, none, ptr::null());
            if display.is_null() || initialize(display, ptr::null_mut(), ptr::null_mut()) == 0 {
                return Err(refused("eglInitialize"));
            }
            let (mut config, mut count) = (none, 0);
            let chosen = choose(display, CONFIG.as_ptr(), &mut config, 1, &mut count);
            if bind(OPENGL) == 0 || chosen == 0 || count == 0 {
                return Err(refused("eglChooseConfig"));
            }
            let context = create(display, config, none, ptr::null());
            if context.is_null() {
                return Err(refused("eglCreateContext"));
            }
            let made = Self {
                display,
                context,
                destroy,
                make_current,
                address,
                _library: library,
            };
            match make_current(display, none, none, context) {
                0 => Err(refused("eglMakeCurrent")),
                _ => Ok(made),
            }
        }
    }

    fn function(&self, name: &'static CStr) -> Result<Handle> {
        // SAFETY: a terminated name.
        let found = unsafe { (self.address)(name.as_ptr()) };
        match found.is_null() {
            true => Err(refused("eglGetProcAddress")),
            false => Ok(found),
        }
    }

    /// The name of a new buffer of OpenGL, which lives as long as the context.
    fn buffer(&self, size: usize) -> Result<c_uint> {
        // SAFETY: the context is current, and the types are those of GL/glext.h.
        unsafe {
            type Generate = unsafe extern "C" fn(c_int, *mut c_uint);
            type Bind = unsafe extern "C" fn(c_uint, c_uint);
            type Data = unsafe extern "C" fn(c_uint, isize, *const c_void, c_uint);
            type Finish = unsafe extern "C" fn();
            let generate = std::mem::transmute::<Handle, Generate>(self.function(c"glGenBuffers")?);
            let bind = std::mem::transmute::<Handle, Bind>(self.function(c"glBindBuffer")?);
            let data = std::mem::transmute::<Handle, Data>(self.function(c"glBufferData")?);
            let finish = std::mem::transmute::<Handle, Finish>(self.function(c"glFinish")?);
            let mut name = 0;
            generate(1, &mut name);
            bind(ARRAY_BUFFER, name);
            data(ARRAY_BUFFER, size as isize, ptr::null(), DYNAMIC_COPY);
            finish();
            Ok(name)
        }
    }
}

impl Drop for GlContext {
    fn drop(&mut self) {
        let none = ptr::null_mut();
        // SAFETY: made by `open`, destroyed once.
        unsafe {
            (self.make_current)(self.display, none, none, none);
            (self.destroy)(self.display, self.context);
        }
    }
}

impl Session {
    /// As [`Session::open`], with a context that shares objects with one of OpenGL.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn open_with_gl(platform: &str, gl: &GlContext) -> Result<Session> {
        let [context, display] = [gl.context, gl.display].map(|handle| handle as isize);
        Self::open_with(
            platform,
            &[PROPERTIES[0], context, PROPERTIES[1], display, 0],
        )
    }

    /// A buffer of so many bytes that is OpenGL's.
    ///
    /// # Errors
    /// A driver without sharing, or the error that a call returned.
    pub fn gl_buffer(&self, gl: &GlContext, size: usize) -> Result<SharedBuffer> {
        let transfers =
            self.transfers([c"clEnqueueAcquireGLObjects", c"clEnqueueReleaseGLObjects"])?;
        let create = self.function(c"clCreateFromGLBuffer")?;
        // SAFETY: the function has this type in the extension's specification.
        let create = unsafe { std::mem::transmute::<Handle, FromBuffer>(create) };
        let name = gl.buffer(size)?;
        let mut code = 0;
        // SAFETY: the name of a buffer in the context that this one shares objects with.
        let mem = unsafe { create(self.context, CL_MEM_READ_WRITE, name, &mut code) };
        check("clCreateFromGLBuffer", code)?;
        Ok(SharedBuffer::new(self, Buffer { mem, size }, transfers))
    }
}
