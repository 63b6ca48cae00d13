//! Contexts of GLX.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Refusal;
use crate::library::Loaded;
use crate::request::Request;

const SCREEN: c_int = 0x800C;
const DRAWABLE_TYPE: c_int = 0x8010;
const PBUFFER_BIT: c_int = 4;
const RENDER_TYPE: c_int = 0x8011;
const RGBA_BIT: c_int = 1;
const RGBA_TYPE: c_int = 0x8014;
const PBUFFER_HEIGHT: c_int = 0x8040;
const PBUFFER_WIDTH: c_int = 0x8041;
const CONTEXT_MAJOR_VERSION: c_int = 0x2091;
const CONTEXT_MINOR_VERSION: c_int = 0x2092;
const CONTEXT_PROFILE_MASK: c_int = 0x9126;
const CORE_PROFILE: c_int = 1;

type Display = *mut c_void;
type Config = *mut c_void;
type Context = *mut c_void;
type Drawable = c_ulong;
type ErrorHandler = Option<unsafe extern "C" fn(Display, *mut c_void) -> c_int>;
type CreateContextAttribs =
    unsafe extern "C" fn(Display, Config, Context, c_int, *const c_int) -> Context;

/// The functions of GLX and Xlib that are used.
pub(crate) struct Functions {
    get_proc_address: unsafe extern "C" fn(*const c_char) -> *const c_void,
    pub get_current_context: unsafe extern "C" fn() -> Context,
    query_context: unsafe extern "C" fn(Display, Context, c_int, *mut c_int) -> c_int,
    choose_config: unsafe extern "C" fn(Display, c_int, *const c_int, *mut c_int) -> *mut Config,
    create_context: unsafe extern "C" fn(Display, Config, c_int, Context, c_int) -> Context,
    destroy_context: unsafe extern "C" fn(Display, Context),
    is_direct: unsafe extern "C" fn(Display, Context) -> c_int,
    create_pbuffer: unsafe extern "C" fn(Display, Config, *const c_int) -> Drawable,
    destroy_pbuffer: unsafe extern "C" fn(Display, Drawable),
    make_current: unsafe extern "C" fn(Display, Drawable, Drawable, Context) -> c_int,
    free: unsafe extern "C" fn(*mut c_void) -> c_int,
    sync: unsafe extern "C" fn(Display, c_int) -> c_int,
    set_error_handler: unsafe extern "C" fn(ErrorHandler) -> ErrorHandler,
    /// Keep the functions where they are.
    _libraries: [Loaded; 2],
}

impl Functions {
    fn load() -> Result<Self, Refusal> {
        let gl = Loaded::find(&["libGLX.so.0", "libGL.so.1"])?;
        let x = Loaded::find(&["libX11.so.6"])?;
        // SAFETY: the types are those of GL/glx.h and X11/Xlib.h.
        unsafe {
            Ok(Self {
                get_proc_address: gl.function("glXGetProcAddressARB")?,
                get_current_context: gl.function("glXGetCurrentContext")?,
                query_context: gl.function("glXQueryContext")?,
                choose_config: gl.function("glXChooseFBConfig")?,
                create_context: gl.function("glXCreateNewContext")?,
                destroy_context: gl.function("glXDestroyContext")?,
                is_direct: gl.function("glXIsDirect")?,
                create_pbuffer: gl.function("glXCreatePbuffer")?,
                destroy_pbuffer: gl.function("glXDestroyPbuffer")?,
                make_current: gl.function("glXMakeContextCurrent")?,
                free: x.function("XFree")?,
                sync: x.function("XSync")?,
                set_error_handler: x.function("XSetErrorHandler")?,
                _libraries: [gl, x],
            })
        }
    }

    pub fn address(&self, name: &CStr) -> *const c_void {
        // SAFETY: the name is a C string.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }
}

/// Set by [`note_error`].
static FAILED: AtomicBool = AtomicBool::new(false);

/// Notes that the X server has refused a request; Xlib's own handler would end the process.
unsafe extern "C" fn note_error(_: Display, _: *mut c_void) -> c_int {
    FAILED.store(true, Ordering::SeqCst);
    0
}

/// A context of our own, current on the thread that made it.
pub(crate) struct GlxContext {
    functions: Arc<Functions>,
    display: Display,
    context: Context,
    pbuffer: Drawable,
}

impl GlxContext {
    /// Makes a context in the share group of the application's, on its connection to the X server: libraries of OpenGL
    /// share nothing across two.
    ///
    /// # Safety
    /// As [`crate::binding::OwnContext::make`].
    pub unsafe fn make(request: Request) -> Result<Self, Refusal> {
        let functions = Arc::new(Functions::load()?);
        let mut made = Self {
            functions: functions.clone(),
            display: request.display as Display,
            context: null_mut(),
            pbuffer: 0,
        };
        // SAFETY: the application's connection (the caller's contract). What is asked for before belongs to the
        // application's handler.
        unsafe {
            (functions.sync)(made.display, 0);
            FAILED.store(false, Ordering::SeqCst);
            let handler = (functions.set_error_handler)(Some(note_error));
            let created = made.create(request.context as Context);
            (functions.sync)(made.display, 0);
            (functions.set_error_handler)(handler);
            created?;
        }
        match FAILED.load(Ordering::SeqCst) {
            true => Err(Refusal::NotShareable("the X server refused".into())),
            false => Ok(made),
        }
    }

    /// Makes the context, in the compatible profile if the driver has it, and makes it current.
    ///
    /// # Safety
    /// `share` is a context of the display.
    unsafe fn create(&mut self, share: Context) -> Result<(), Refusal> {
        let functions = self.functions.clone();
        let display = self.display;
        let refused = |call: &str| Refusal::NotShareable(format!("{call} failed"));
        // SAFETY: the caller's contract; the lists end with 0.
        unsafe {
            if (functions.is_direct)(display, share) == 0 {
                let reason = "the context renders through the X server";
                return Err(Refusal::NotShareable(reason.into()));
            }
            let mut screen = 0;
            if (functions.query_context)(display, share, SCREEN, &mut screen) != 0 {
                return Err(refused("glXQueryContext"));
            }
            let wanted = [DRAWABLE_TYPE, PBUFFER_BIT, RENDER_TYPE, RGBA_BIT, 0];
            let mut count = 0;
            let list = (functions.choose_config)(display, screen, wanted.as_ptr(), &mut count);
            if list.is_null() || count == 0 {
                return Err(refused("glXChooseFBConfig"));
            }
            let config = *list;
            (functions.free)(list.cast());
            self.context = (functions.create_context)(display, config, RGBA_TYPE, share, 1);
            if self.context.is_null() {
                self.context = self.create_core(config, share);
            }
            if self.context.is_null() {
                return Err(refused("glXCreateNewContext"));
            }
            let size = [PBUFFER_WIDTH, 1, PBUFFER_HEIGHT, 1, 0];
            self.pbuffer = (functions.create_pbuffer)(display, config, size.as_ptr());
            let pbuffer = self.pbuffer;
            match (functions.make_current)(display, pbuffer, pbuffer, self.context) {
                0 => Err(refused("glXMakeContextCurrent")),
                _ => Ok(()),
            }
        }
    }

    /// A context of the core profile; NULL if there is none.
    ///
    /// # Safety
    /// The configuration and the context are of the display.
    unsafe fn create_core(&self, config: Config, share: Context) -> Context {
        let address = self.functions.address(c"glXCreateContextAttribsARB");
        if address.is_null() {
            return null_mut();
        }
        let attributes = [
            CONTEXT_MAJOR_VERSION,
            3,
            CONTEXT_MINOR_VERSION,
            2,
            CONTEXT_PROFILE_MASK,
            CORE_PROFILE,
            0,
        ];
        // SAFETY: the type is that of GLX_ARB_create_context; the caller's contract.
        unsafe {
            let create = std::mem::transmute::<*const c_void, CreateContextAttribs>(address);
            create(self.display, config, share, 1, attributes.as_ptr())
        }
    }

    pub fn functions(&self) -> &Arc<Functions> {
        &self.functions
    }
}

impl Drop for GlxContext {
    fn drop(&mut self) {
        // SAFETY: the handles are ours, and the connection is open while the OpenCL context lives (the caller's contract).
        unsafe {
            (self.functions.make_current)(self.display, 0, 0, null::<c_void>().cast_mut());
            if self.pbuffer != 0 {
                (self.functions.destroy_pbuffer)(self.display, self.pbuffer);
            }
            if !self.context.is_null() {
                (self.functions.destroy_context)(self.display, self.context);
            }
        }
    }
}
