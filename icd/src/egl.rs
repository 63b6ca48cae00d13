//! Entry points of cl_khr_egl_image and cl_khr_egl_event.

use opencl_sys::cl_egl::{
    CLeglDisplayKHR, CLeglImageKHR, CLeglSyncKHR, cl_egl_image_properties_khr,
};
use opencl_sys::{cl_context, cl_event, cl_mem, cl_mem_flags};
use pumice_gl_layer::{BindingKind, EglSync, Request, ShareGroup};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::memory::egl;
use pumice_runtime::queue::gl::of_egl_sync;

use crate::handle;

pub unsafe fn create_from_image(
    context: cl_context,
    display: CLeglDisplayKHR,
    image: CLeglImageKHR,
    flags: cl_mem_flags,
    properties: *const cl_egl_image_properties_khr,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateFromEGLImageKHR.
    unsafe {
        let context = handle::live_context(context)?;
        let properties = handle::properties(properties).unwrap_or_default();
        egl::check_arguments(flags, !properties.is_empty())?;
        // CL_INVALID_VALUE if display is not a valid display.
        let request = Request {
            kind: BindingKind::Egl,
            display: display as usize,
            context: 0,
        };
        let group = context.group_of_display(request.display, || {
            let opened = ShareGroup::open(request);
            opened.map_err(|refusal| Error::InvalidValue.because(refusal.to_string()))
        })?;
        egl::create(&context, &group, image as usize, flags).map(handle::publish)
    }
}

pub unsafe fn create_event_from_sync(
    context: cl_context,
    sync: CLeglSyncKHR,
    display: CLeglDisplayKHR,
) -> Result<cl_event> {
    // SAFETY: the arguments are those of clCreateEventFromEGLSyncKHR.
    unsafe {
        let context = handle::live_context(context)?;
        // CL_INVALID_CONTEXT if the context was not created from a context of OpenGL.
        context.share_group()?;
        // CL_INVALID_EGL_OBJECT_KHR if sync is no fence of the display.
        let found = EglSync::find(display as usize, sync as usize);
        let found =
            found.map_err(|refusal| Error::InvalidEglObject.because(refusal.to_string()))?;
        of_egl_sync(&context, found).map(handle::publish)
    }
}
