//! A share group, reached through a context of our own that is current on a thread of its own.

use std::any::Any;
use std::ffi::CStr;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded, unbounded};

use crate::binding::{Current, OwnContext};
use crate::context::Gl;
use crate::error::Refusal;
use crate::extensions::Extensions;
use crate::functions::{self as gl, Functions};
use crate::request::{BindingKind, Request};
use crate::sync::Fence;

/// The oldest version of OpenGL that has all that is used.
const OLDEST: (u32, u32) = (3, 2);

/// A version of OpenGL or OpenGL ES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    embedded: bool,
    number: (u32, u32),
}

impl Version {
    /// Reads GL_VERSION: `4.5 (…)`, `OpenGL ES 3.2 …`.
    fn parse(text: &str) -> Self {
        let start = text.find(|c: char| c.is_ascii_digit());
        let numbers = start.map_or("", |start| &text[start..]);
        let mut numbers = numbers.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        Self {
            embedded: text.starts_with("OpenGL ES"),
            number: match (numbers.next(), numbers.next()) {
                (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
                _ => (0, 0),
            },
        }
    }

    /// The version of the context that is current on this thread.
    ///
    /// # Safety
    /// There is one.
    unsafe fn here(functions: &Functions) -> Self {
        // SAFETY: the caller's contract.
        let text = unsafe { (functions.get_string)(gl::VERSION) };
        if text.is_null() {
            return Self::parse("");
        }
        // SAFETY: OpenGL gives a C string that stays.
        Self::parse(&unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy())
    }

    fn has_fences(self) -> bool {
        let since = if self.embedded { (3, 0) } else { OLDEST };
        self.number >= since
    }
}

/// Work for the thread of the context.
type Job = Box<dyn FnOnce(&Gl) + Send>;

/// A share group of the application's.
pub struct ShareGroup {
    request: Request,
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    current: Current,
    functions: Arc<Functions>,
}

impl std::fmt::Debug for ShareGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShareGroup")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

/// The context, made on the thread that calls.
///
/// # Safety
/// As [`ShareGroup::open`].
unsafe fn open(request: Request) -> Result<Gl, Refusal> {
    // SAFETY: the caller's contract.
    let context = unsafe { OwnContext::make(request) }?;
    // SAFETY: the library's own answer to the name.
    let functions = unsafe { Functions::load(|name| context.address(name)) };
    let functions = functions
        .map_err(|missing| Refusal::NotShareable(format!("OpenGL has no function {missing}")))?;
    // SAFETY: the context is current on this thread.
    let version = unsafe { Version::here(&functions) };
    let (major, minor) = version.number;
    if version.embedded || version.number < OLDEST {
        let reason = format!(
            "OpenGL {major}.{minor} is older than {}.{}",
            OLDEST.0, OLDEST.1
        );
        return Err(Refusal::NotShareable(reason));
    }
    // Texels lie without gaps in the host's memory, and a read keeps numbers below 0.
    // SAFETY: the context is current on this thread.
    let extensions = unsafe {
        (functions.pixel_store)(gl::PACK_ALIGNMENT, 1);
        (functions.pixel_store)(gl::UNPACK_ALIGNMENT, 1);
        (functions.clamp_color)(gl::CLAMP_READ_COLOR, gl::FALSE);
        Extensions::load(&functions, |name| context.address(name))
    };
    let gl = Gl {
        functions: Arc::new(functions),
        extensions,
        programs: Default::default(),
        context,
    };
    gl.clear_errors();
    Ok(gl)
}

impl ShareGroup {
    /// Makes a context in the share group of the application's.
    ///
    /// # Errors
    /// [`Refusal`].
    ///
    /// # Safety
    /// The handles of the request are those of a display and a context, or such that EGL or GLX refuses them, and a display
    /// stays until the value has gone.
    pub unsafe fn open(request: Request) -> Result<Self, Refusal> {
        let (jobs, queue) = unbounded::<Job>();
        let (answer, opened) = bounded(1);
        let work = move || {
            // SAFETY: the caller's contract.
            let gl = match unsafe { open(request) } {
                Ok(made) => made,
                Err(refusal) => {
                    let _ = answer.send(Err(refusal));
                    return;
                }
            };
            let _ = answer.send(Ok((gl.context.current(), gl.functions.clone())));
            for job in queue {
                job(&gl);
            }
        };
        let failed = |_| Refusal::NotShareable("a thread cannot be started".into());
        let builder = std::thread::Builder::new().name("pumice-gl".into());
        let thread = builder.spawn(work).map_err(failed)?;
        let opened = opened.recv().unwrap_or_else(|_| {
            Err(Refusal::NotShareable(
                "the thread of the context ended".into(),
            ))
        });
        match opened {
            Ok((current, functions)) => Ok(Self {
                request,
                jobs: Some(jobs),
                thread: Some(thread),
                current,
                functions,
            }),
            Err(refusal) => {
                let _ = thread.join();
                Err(refusal)
            }
        }
    }

    /// Does work on the context's thread and waits for it.
    ///
    /// # Panics
    /// If the work does: on this thread, not on the context's.
    pub fn call<R: Send>(&self, work: impl FnOnce(&Gl) -> R + Send) -> Option<R> {
        type Outcome<R> = Result<R, Box<dyn Any + Send>>;
        let (answer, done) = bounded::<Outcome<R>>(1);
        let job = move |gl: &Gl| {
            let work = std::panic::AssertUnwindSafe(|| work(gl));
            let _ = answer.send(std::panic::catch_unwind(work));
        };
        let job: Box<dyn FnOnce(&Gl) + Send + '_> = Box::new(job);
        // SAFETY: only the lifetime changes, and what the work borrows outlives it: this function returns when the answer has
        // come, or when the job was dropped, which drops `answer`.
        let job = unsafe { std::mem::transmute::<Box<dyn FnOnce(&Gl) + Send + '_>, Job>(job) };
        self.jobs.as_ref()?.send(job).ok()?;
        match done.recv().ok()? {
            Ok(value) => Some(value),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Tells whether a context is current on this thread, of that interface.
    pub fn is_current_here(&self) -> bool {
        self.current.get() != 0
    }

    /// Orders what this thread has told OpenGL before whatever is behind the fence: `None` if no context is current here, or
    /// if all has ended already.
    pub fn fence_here(&self) -> Option<Fence> {
        match self.current.get() {
            0 => None,
            // A fence is of the share group.
            context if context == self.request.context && self.has_fences_here() => {
                // SAFETY: a context is current on this thread, whose version has fences: it shares objects with ours.
                let fence = unsafe {
                    let fence = (self.functions.fence_sync)(gl::SYNC_GPU_COMMANDS_COMPLETE, 0);
                    (self.functions.flush)();
                    fence
                };
                match fence.is_null() {
                    true => self.finish_here(),
                    false => Some(Fence(fence as usize)),
                }
            }
            _ => self.finish_here(),
        }
    }

    /// Has OpenGL begin what this thread has told it, if a context is current here.
    pub fn flush_here(&self) {
        if self.is_current_here() {
            // SAFETY: a context is current on this thread.
            unsafe { (self.functions.flush)() };
        }
    }

    /// Tells whether the context is one of EGL.
    pub fn is_of_egl(&self) -> bool {
        self.request.kind == BindingKind::Egl
    }

    /// Tells whether it is, or was, reached through a display of EGL.
    pub fn was_on_display(&self, display: usize) -> bool {
        self.is_of_egl() && self.request.display == display
    }

    /// Tells whether it is reached through a display of EGL that the application has not ended.
    pub fn is_on_display(&self, display: usize) -> bool {
        self.was_on_display(display) && self.call(Gl::is_valid) == Some(true)
    }

    fn has_fences_here(&self) -> bool {
        // SAFETY: a context is current on this thread (the caller asked).
        unsafe { Version::here(&self.functions) }.has_fences()
    }

    fn finish_here(&self) -> Option<Fence> {
        // SAFETY: a context is current on this thread (the callers asked).
        unsafe { (self.functions.finish)() };
        None
    }
}

impl Drop for ShareGroup {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_read() {
        let of = |text| {
            let version = Version::parse(text);
            (version.embedded, version.number, version.has_fences())
        };
        assert_eq!(
            of("4.5 (Compatibility Profile) Mesa 22.3.6"),
            (false, (4, 5), true)
        );
        assert_eq!(of("OpenGL ES 3.2 Mesa 22.3.6"), (true, (3, 2), true));
        assert_eq!(of("OpenGL ES 2.0"), (true, (2, 0), false));
        assert_eq!(of("2.1"), (false, (2, 1), false));
        assert_eq!(of(""), (false, (0, 0), false));
    }
}
