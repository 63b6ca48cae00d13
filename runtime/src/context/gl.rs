//! The share group of OpenGL that a context is created with (cl_khr_gl_sharing).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use opencl_sys as cl;
use pumice_gl_layer::{BindingKind, Gl, Refusal, Request, ShareGroup};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::Ref;
use crate::context::{Context, property};
use crate::device::platform::Platform;

/// The longest that clReleaseContext waits for the driver's threads. They take microseconds.
const LETTING_GO: Duration = Duration::from_millis(100);
/// The time between two looks.
const LOOK: Duration = Duration::from_micros(100);

/// CL_CONTEXT_INTEROP_USER_SYNC.
const USER_SYNC: isize = cl::CL_CONTEXT_INTEROP_USER_SYNC;

/// clGetGLContextInfoKHR: every device with images gets copies. Those that OpenGL renders on stand first.
///
/// # Errors
/// CL_INVALID_VALUE if the name is not known.
pub fn context_info(platform: &Ref<Platform>, group: &ShareGroup, name: u32) -> Result<Info> {
    let uuids = group.call(Gl::device_uuids);
    let uuids = uuids.unwrap_or_default();
    let devices = platform.devices().iter();
    let mut devices: Vec<_> = devices
        .filter(|device| device.has_images())
        .cloned()
        .collect();
    devices.sort_by_key(|device| !uuids.contains(&device.capabilities().device_uuid));
    match name {
        // Where OpenGL renders on none of them, or does not tell, the first one is as good as others.
        cl::CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR => devices.truncate(1),
        cl::CL_DEVICES_FOR_GL_CONTEXT_KHR => {}
        _ => return Err(Error::InvalidValue.because("param_name is not known")),
    }
    Ok(Info::objects(&devices))
}

/// Tells whether a context property is one of cl_khr_gl_sharing.
pub(super) fn is_property(name: isize) -> bool {
    matches!(
        name,
        cl::CL_GL_CONTEXT_KHR
            | cl::CL_EGL_DISPLAY_KHR
            | cl::CL_GLX_DISPLAY_KHR
            | cl::CL_WGL_HDC_KHR
            | cl::CL_CGL_SHAREGROUP_KHR
    )
}

/// CL_INVALID_PROPERTY if CL_CONTEXT_INTEROP_USER_SYNC stands beside a property of cl_khr_gl_sharing.
pub(super) fn check_user_sync(list: &[isize]) -> Result<()> {
    let mut names = list.chunks_exact(2).map(|pair| pair[0]);
    let user_sync = names.clone().any(|name| name == USER_SYNC);
    match user_sync && names.any(is_property) {
        true => Err(Error::InvalidProperty
            .because("CL_CONTEXT_INTEROP_USER_SYNC does not go with a context of OpenGL")),
        false => Ok(()),
    }
}

/// The context of OpenGL that a property list names; `None` if all values are the default ones.
///
/// # Errors
/// Those that the specification lists for clCreateContext in cl_khr_gl_sharing, in its order, as far as the list alone
/// tells.
pub fn request(list: Option<&[isize]>) -> Result<Option<Request>> {
    let value = |name| property(list, name).unwrap_or_default() as usize;
    let context = value(cl::CL_GL_CONTEXT_KHR);
    let [egl, glx, wgl, cgl] = [
        cl::CL_EGL_DISPLAY_KHR,
        cl::CL_GLX_DISPLAY_KHR,
        cl::CL_WGL_HDC_KHR,
        cl::CL_CGL_SHAREGROUP_KHR,
    ]
    .map(value);
    if [context, egl, glx, wgl, cgl] == [0; 5] {
        return Ok(None);
    }
    // CL_INVALID_OPERATION if the interface is not supported, or several are named.
    if wgl != 0 || cgl != 0 {
        return Err(Error::InvalidOperation.because("there is neither WGL nor CGL"));
    }
    if egl != 0 && glx != 0 {
        return Err(Error::InvalidOperation.because("a display of EGL and one of GLX are given"));
    }
    // CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR if the values do not identify a context.
    let (kind, display) = match (egl, glx) {
        (0, 0) => {
            let reason = "CL_GL_CONTEXT_KHR is given without a display";
            return Err(Error::InvalidGlShareGroup.because(reason));
        }
        (egl, 0) => (BindingKind::Egl, egl),
        (_, glx) => (BindingKind::Glx, glx),
    };
    if context == 0 {
        let reason = "a display is given without CL_GL_CONTEXT_KHR";
        return Err(Error::InvalidGlShareGroup.because(reason));
    }
    Ok(Some(Request {
        kind,
        display,
        context,
    }))
}

/// The error of clCreateContext where objects cannot be shared.
pub fn refused(refusal: &Refusal) -> Error {
    match refusal {
        Refusal::NoBinding(_) => Error::InvalidOperation,
        Refusal::NotShareable(_) => Error::InvalidGlShareGroup,
    }
    .because(refusal.to_string())
}

impl Context {
    /// The share group: CL_INVALID_CONTEXT if the context was not created from a context of OpenGL.
    ///
    /// # Errors
    /// [`Error::InvalidContext`].
    pub fn share_group(&self) -> Result<&Arc<ShareGroup>> {
        self.share_group.as_ref().ok_or_else(|| {
            Error::InvalidContext.because("the context was not created from a context of OpenGL")
        })
    }

    /// The share group by which images of a display of EGL are reached; `open` makes it if there is none yet, or if the
    /// application has ended the display since.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn group_of_display(
        &self,
        display: usize,
        open: impl FnOnce() -> Result<ShareGroup>,
    ) -> Result<Arc<ShareGroup>> {
        if let Some(own) = &self.share_group {
            if own.is_on_display(display) {
                return Ok(own.clone());
            }
        }
        let mut groups = self.display_groups.lock();
        if let Some(known) = groups.iter().find(|group| group.is_on_display(display)) {
            return Ok(known.clone());
        }
        groups.retain(|group| !group.was_on_display(display));
        let opened = Arc::new(open()?);
        groups.push(opened.clone());
        Ok(opened)
    }

    /// Waits until the driver's threads have let go of a context with a share group, which the application releases
    /// for the last time: it may close the display of that group next. Objects that it still has hold the context too, so
    /// the wait ends after [`LETTING_GO`].
    ///
    /// `held` is the number of references that the caller knows of.
    pub fn wait_for_threads(context: &Ref<Self>, held: usize) {
        if context.share_group.is_none() && context.display_groups.lock().is_empty() {
            return;
        }
        let end = Instant::now() + LETTING_GO;
        while Arc::strong_count(context) > held && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
    }

    /// Notes a new user event.
    pub(crate) fn user_event_opened(&self) {
        self.open_user_events.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes that a user event has its status, or that nobody can set it any more.
    pub(crate) fn user_event_closed(&self) {
        self.open_user_events.fetch_sub(1, Ordering::AcqRel);
    }

    /// Tells whether the application has user events to set, which commands may wait for.
    pub(crate) fn has_open_user_events(&self) -> bool {
        self.open_user_events.load(Ordering::Acquire) != 0
    }
}

#[cfg(test)]
mod tests {
    use opencl_sys as cl;
    use pumice_gl_layer::BindingKind;

    use super::{check_user_sync, request};
    use crate::base::error::Error;

    #[test]
    fn lists_name_one_context_or_none() {
        let asked = |list: &[isize]| request(Some(list));
        let (context, egl) = (cl::CL_GL_CONTEXT_KHR, cl::CL_EGL_DISPLAY_KHR);
        let (glx, wgl) = (cl::CL_GLX_DISPLAY_KHR, cl::CL_WGL_HDC_KHR);
        assert_eq!(request(None), Ok(None));
        assert_eq!(asked(&[context, 0, egl, 0, 0]), Ok(None));
        let found = asked(&[egl, 8, context, 16, 0]).unwrap().unwrap();
        assert_eq!(
            (found.kind, found.display, found.context),
            (BindingKind::Egl, 8, 16)
        );
        let found = asked(&[glx, 8, context, 16, 0]).unwrap().unwrap();
        assert_eq!(found.kind, BindingKind::Glx);
        let (operation, group) = (Error::InvalidOperation, Error::InvalidGlShareGroup);
        assert_eq!(asked(&[egl, 8, glx, 8, context, 16, 0]), Err(operation));
        assert_eq!(asked(&[wgl, 8, context, 16, 0]), Err(operation));
        assert_eq!(asked(&[context, 16, 0]), Err(group));
        assert_eq!(asked(&[egl, 16, 0]), Err(group));
    }

    #[test]
    fn the_application_cannot_take_over_the_order() {
        let (user, egl) = (cl::CL_CONTEXT_INTEROP_USER_SYNC, cl::CL_EGL_DISPLAY_KHR);
        assert_eq!(check_user_sync(&[user, 1]), Ok(()));
        assert_eq!(check_user_sync(&[egl, 0]), Ok(()));
        let both = check_user_sync(&[user, 0, egl, 0]);
        assert_eq!(both, Err(Error::InvalidProperty));
    }
}
