//! Contexts, images and fences of EGL.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use crate::error::Refusal;
use crate::library::Loaded;
use crate::request::Request;
use crate::sync::SyncState;

const NONE: c_int = 0x3038;
const CONFIG_ID: c_int = 0x3028;
const RENDERABLE_TYPE: c_int = 0x3040;
const SURFACE_TYPE: c_int = 0x3033;
const PBUFFER_BIT: c_int = 1;
const OPENGL_BIT: c_int = 8;
const EXTENSIONS: c_int = 0x3055;
const SUCCESS: c_int = 0x3000;
const OBJECT_IMAGE: c_uint = 0x33B4;
const WIDTH: c_int = 0x3057;
const HEIGHT: c_int = 0x3056;
const OPENGL_API: c_uint = 0x30A2;
const CONTEXT_MAJOR_VERSION: c_int = 0x3098;
const CONTEXT_MINOR_VERSION: c_int = 0x30FB;
const CONTEXT_OPENGL_PROFILE_MASK: c_int = 0x30FD;
const CORE_PROFILE: c_int = 1;
const SYNC_TYPE: c_int = 0x30F7;
const SYNC_FENCE: c_int = 0x30F9;
const CONDITION_SATISFIED: c_int = 0x30F6;

type Display = *mut c_void;
type Config = *mut c_void;
type Context = *mut c_void;
type Surface = *mut c_void;

/// The functions of EGL that are used.
pub(crate) struct Functions {
    get_proc_address: unsafe extern "C" fn(*const c_char) -> *const c_void,
    pub get_current_context: unsafe extern "C" fn() -> Context,
    get_error: unsafe extern "C" fn() -> c_int,
    query_context: unsafe extern "C" fn(Display, Context, c_int, *mut c_int) -> c_uint,
    query_string: unsafe extern "C" fn(Display, c_int) -> *const c_char,
    choose_config:
        unsafe extern "C" fn(Display, *const c_int, *mut Config, c_int, *mut c_int) -> c_uint,
    bind_api: unsafe extern "C" fn(c_uint) -> c_uint,
    create_context: unsafe extern "C" fn(Display, Config, Context, *const c_int) -> Context,
    destroy_context: unsafe extern "C" fn(Display, Context) -> c_uint,
    create_pbuffer: unsafe extern "C" fn(Display, Config, *const c_int) -> Surface,
    destroy_surface: unsafe extern "C" fn(Display, Surface) -> c_uint,
    make_current: unsafe extern "C" fn(Display, Surface, Surface, Context) -> c_uint,
    release_thread: unsafe extern "C" fn() -> c_uint,
    get_sync_attrib: unsafe extern "C" fn(Display, *mut c_void, c_int, *mut c_int) -> c_uint,
    client_wait_sync: unsafe extern "C" fn(Display, *mut c_void, c_int, u64) -> c_int,
    wait_sync: unsafe extern "C" fn(Display, *mut c_void, c_int) -> c_int,
    /// `eglLabelObjectKHR` (EGL_KHR_debug).
    label_object: Option<LabelObject>,
    /// Keeps the functions where they are.
    _library: Loaded,
}

/// `eglLabelObjectKHR`.
type LabelObject = unsafe extern "C" fn(Display, c_uint, *mut c_void, *mut c_void) -> c_int;

impl Functions {
    fn load() -> Result<Self, Refusal> {
        let library = Loaded::find(&["libEGL.so.1"])?;
        // SAFETY: the types are those of EGL/egl.h and of EGL_KHR_fence_sync.
        unsafe {
            let get_proc_address: unsafe extern "C" fn(*const c_char) -> *const c_void =
                library.function("eglGetProcAddress")?;
            let extension = |name: &CStr| match get_proc_address(name.as_ptr()) {
                address if address.is_null() => {
                    Err(Refusal::NoBinding(format!("EGL has no {name:?}")))
                }
                address => Ok(address),
            };
            Ok(Self {
                get_proc_address,
                get_current_context: library.function("eglGetCurrentContext")?,
                get_error: library.function("eglGetError")?,
                query_context: library.function("eglQueryContext")?,
                query_string: library.function("eglQueryString")?,
                choose_config: library.function("eglChooseConfig")?,
                bind_api: library.function("eglBindAPI")?,
                create_context: library.function("eglCreateContext")?,
                destroy_context: library.function("eglDestroyContext")?,
                create_pbuffer: library.function("eglCreatePbufferSurface")?,
                destroy_surface: library.function("eglDestroySurface")?,
                make_current: library.function("eglMakeCurrent")?,
                release_thread: library.function("eglReleaseThread")?,
                get_sync_attrib: std::mem::transmute::<
                    *const c_void,
                    unsafe extern "C" fn(Display, *mut c_void, c_int, *mut c_int) -> c_uint,
                >(extension(c"eglGetSyncAttribKHR")?),
                client_wait_sync: std::mem::transmute::<
                    *const c_void,
                    unsafe extern "C" fn(Display, *mut c_void, c_int, u64) -> c_int,
                >(extension(c"eglClientWaitSyncKHR")?),
                wait_sync: std::mem::transmute::<
                    *const c_void,
                    unsafe extern "C" fn(Display, *mut c_void, c_int) -> c_int,
                >(extension(c"eglWaitSyncKHR")?),
                label_object: match extension(c"eglLabelObjectKHR") {
                    Ok(address) => Some(std::mem::transmute::<*const c_void, LabelObject>(address)),
                    Err(_) => None,
                },
                _library: library,
            })
        }
    }

    pub fn address(&self, name: &CStr) -> *const c_void {
        // SAFETY: the name is a C string.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }

    fn has_extension(&self, display: Display, name: &str) -> bool {
        // SAFETY: EGL refuses a display that is none with NULL; else it gives a C string that stays.
        let text = unsafe { (self.query_string)(display, EXTENSIONS) };
        if text.is_null() {
            return false;
        }
        // SAFETY: as above.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        text.split_whitespace().any(|word| word == name)
    }

    /// Tells whether a display has a context.
    fn knows_context(&self, display: Display, context: Context) -> bool {
        let mut config_id = 0;
        // SAFETY: EGL checks both handles, and there is space for one value.
        unsafe { (self.query_context)(display, context, CONFIG_ID, &mut config_id) != 0 }
    }

    /// The first configuration that has all attributes.
    fn config(&self, display: Display, attributes: &[c_int]) -> Option<Config> {
        let (mut config, mut count) = (null_mut(), 0);
        // SAFETY: the list ends with EGL_NONE, and there is space for one configuration.
        let found = unsafe {
            (self.choose_config)(display, attributes.as_ptr(), &mut config, 1, &mut count)
        };
        (found != 0 && count > 0).then_some(config)
    }

    fn refused(&self, call: &str) -> Refusal {
        // SAFETY: takes nothing.
        let code = unsafe { (self.get_error)() };
        Refusal::NotShareable(format!("{call} failed with {code:#x}"))
    }
}

/// A context of our own, current on the thread that made it.
pub(crate) struct EglContext {
    functions: Arc<Functions>,
    display: Display,
    context: Context,
    surface: Surface,
}

impl EglContext {
    /// Makes a context in the share group of the application's, or alone on the display.
    ///
    /// # Safety
    /// As [`crate::binding::OwnContext::make`].
    pub unsafe fn make(request: Request) -> Result<Self, Refusal> {
        let functions = Arc::new(Functions::load()?);
        let display = request.display as Display;
        let share = request.context as Context;
        if !share.is_null() && !functions.knows_context(display, share) {
            return Err(functions.refused("eglQueryContext"));
        }
        let mut made = Self {
            functions,
            display,
            context: null_mut(),
            surface: null_mut(),
        };
        made.create(share)?;
        // Libraries give addresses of functions that they do not have, too; EGL_KHR_debug is of no display.
        let functions = Arc::get_mut(&mut made.functions);
        if let Some(functions) = functions.filter(|f| !f.has_extension(null_mut(), "EGL_KHR_debug"))
        {
            functions.label_object = None;
        }
        Ok(made)
    }

    /// Makes the context, in the compatible profile if the driver has it, and makes it current.
    fn create(&mut self, share: Context) -> Result<(), Refusal> {
        let functions = self.functions.clone();
        let with_pbuffer = [RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, PBUFFER_BIT, NONE];
        let any = [RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, 0, NONE];
        let config = functions
            .config(self.display, &with_pbuffer)
            .or_else(|| functions.config(self.display, &any));
        // Without EGL_KHR_no_config_context a context needs one.
        let no_config = functions.has_extension(self.display, "EGL_KHR_no_config_context");
        let config = match config {
            Some(config) => config,
            None if no_config => null_mut(),
            None => {
                let reason = "the display has no configuration for OpenGL";
                return Err(Refusal::NotShareable(reason.into()));
            }
        };
        let core = [
            CONTEXT_MAJOR_VERSION,
            3,
            CONTEXT_MINOR_VERSION,
            2,
            CONTEXT_OPENGL_PROFILE_MASK,
            CORE_PROFILE,
            NONE,
        ];
        // SAFETY: EGL checks its handles; the lists end with EGL_NONE.
        unsafe {
            if (functions.bind_api)(OPENGL_API) == 0 {
                return Err(functions.refused("eglBindAPI for OpenGL"));
            }
            for attributes in [&core[6..], &core[..]] {
                self.context =
                    (functions.create_context)(self.display, config, share, attributes.as_ptr());
                if !self.context.is_null() {
                    break;
                }
            }
            if self.context.is_null() {
                return Err(functions.refused("eglCreateContext"));
            }
            if functions.has_extension(self.display, "EGL_KHR_surfaceless_context") {
                let none = null_mut();
                if (functions.make_current)(self.display, none, none, self.context) != 0 {
                    return Ok(());
                }
            }
            let size = [WIDTH, 1, HEIGHT, 1, NONE];
            self.surface = (functions.create_pbuffer)(self.display, config, size.as_ptr());
            let surface = self.surface;
            match (functions.make_current)(self.display, surface, surface, self.context) {
                0 => Err(functions.refused("eglMakeCurrent")),
                _ => Ok(()),
            }
        }
    }

    pub fn functions(&self) -> &Arc<Functions> {
        &self.functions
    }

    /// Tells whether the display still knows the context.
    pub fn is_valid(&self) -> bool {
        self.functions.knows_context(self.display, self.context)
    }

    /// Tells whether the display has an image; true as well where EGL gives no means to ask. Mesa's OpenGL reads whatever a
    /// value points to.
    pub fn knows_image(&self, image: usize) -> bool {
        let Some(label_object) = self.functions.label_object else {
            return true;
        };
        let label = null_mut();
        // SAFETY: EGL checks its handles. The label of an image shows in messages to debuggers alone.
        let answer =
            unsafe { label_object(self.display, OBJECT_IMAGE, image as *mut c_void, label) };
        answer == SUCCESS
    }
}

impl Drop for EglContext {
    fn drop(&mut self) {
        let none = null_mut();
        // SAFETY: the handles are ours; EGL refuses them if the application has ended the display.
        unsafe {
            (self.functions.make_current)(self.display, none, none, none);
            if !self.surface.is_null() {
                (self.functions.destroy_surface)(self.display, self.surface);
            }
            if !self.context.is_null() {
                (self.functions.destroy_context)(self.display, self.context);
            }
            (self.functions.release_thread)();
        }
    }
}

/// A fence of EGL that the application made.
pub struct EglSync {
    functions: Functions,
    display: usize,
    sync: usize,
}

impl EglSync {
    /// Looks at a sync object.
    ///
    /// # Errors
    /// [`Refusal`] if it is no fence of that display.
    ///
    /// # Safety
    /// `display` and `sync` are handles of EGL, or such that EGL refuses them.
    pub unsafe fn find(display: usize, sync: usize) -> Result<Self, Refusal> {
        let functions = Functions::load()?;
        let mut kind = 0;
        // SAFETY: the caller's contract.
        let known = unsafe {
            (functions.get_sync_attrib)(display as Display, sync as Surface, SYNC_TYPE, &mut kind)
        };
        if known == 0 {
            return Err(functions.refused("eglGetSyncAttribKHR"));
        }
        if kind != SYNC_FENCE {
            let reason = format!("the sync object's type {kind:#x} is not EGL_SYNC_FENCE_KHR");
            return Err(Refusal::NotShareable(reason));
        }
        Ok(Self {
            functions,
            display,
            sync,
        })
    }

    /// Has the context of EGL that is current on this thread wait for the fence before whatever it is told next. False if
    /// EGL refuses.
    pub fn wait_in_context(&self) -> bool {
        let (display, sync) = (self.display as Display, self.sync as Surface);
        // SAFETY: the handles were found valid; EGL refuses them if the application has destroyed the object.
        unsafe { (self.functions.wait_sync)(display, sync, 0) != 0 }
    }

    /// Tells whether the fence has been passed; does not wait.
    pub fn poll(&self) -> SyncState {
        // SAFETY: the handles were found valid; EGL refuses them if the application has destroyed the object.
        let state = unsafe {
            let (display, sync) = (self.display as Display, self.sync as Surface);
            (self.functions.client_wait_sync)(display, sync, 0, 0)
        };
        match state {
            CONDITION_SATISFIED => SyncState::Passed,
            0 => SyncState::Gone,
            _ => SyncState::Waiting,
        }
    }
}
