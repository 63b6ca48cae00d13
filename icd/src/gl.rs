//! Entry points of cl_khr_gl_sharing and cl_khr_gl_event.

use std::ffi::c_void;

use opencl_sys::{
    cl_GLenum, cl_GLint, cl_GLsync, cl_GLuint, cl_context, cl_context_properties, cl_event,
    cl_gl_context_info, cl_gl_object_type, cl_gl_texture_info, cl_mem, cl_mem_flags,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::context::gl;
use pumice_runtime::device::platform::Platform;
use pumice_runtime::memory::Mem;
use pumice_runtime::memory::gl::{TextureForm, create_buffer, create_renderbuffer, create_texture};
use pumice_runtime::queue::gl::of_gl_sync;

use crate::context::{checked_properties, share_group};
use crate::{handle, info};

pub unsafe fn create_from_buffer(
    context: cl_context,
    flags: cl_mem_flags,
    bufobj: cl_GLuint,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateFromGLBuffer.
    let context = unsafe { handle::live_context(context) }?;
    create_buffer(&context, flags, bufobj).map(handle::publish)
}

/// The common part of the three forms.
///
/// # Safety
/// The context is one of the application's.
unsafe fn from_texture(
    context: cl_context,
    flags: cl_mem_flags,
    form: TextureForm,
    texture: (cl_GLenum, cl_GLint, cl_GLuint),
) -> Result<cl_mem> {
    // SAFETY: the caller's contract.
    let context = unsafe { handle::live_context(context) }?;
    create_texture(&context, flags, form, texture).map(handle::publish)
}

pub unsafe fn create_from_texture(
    context: cl_context,
    flags: cl_mem_flags,
    target: cl_GLenum,
    miplevel: cl_GLint,
    texture: cl_GLuint,
) -> Result<cl_mem> {
    let form = TextureForm::Any;
    // SAFETY: the arguments are those of clCreateFromGLTexture.
    unsafe { from_texture(context, flags, form, (target, miplevel, texture)) }
}

pub unsafe fn create_from_texture_2d(
    context: cl_context,
    flags: cl_mem_flags,
    target: cl_GLenum,
    miplevel: cl_GLint,
    texture: cl_GLuint,
) -> Result<cl_mem> {
    let form = TextureForm::Planes;
    // SAFETY: the arguments are those of clCreateFromGLTexture2D.
    unsafe { from_texture(context, flags, form, (target, miplevel, texture)) }
}

pub unsafe fn create_from_texture_3d(
    context: cl_context,
    flags: cl_mem_flags,
    target: cl_GLenum,
    miplevel: cl_GLint,
    texture: cl_GLuint,
) -> Result<cl_mem> {
    let form = TextureForm::Boxes;
    // SAFETY: the arguments are those of clCreateFromGLTexture3D.
    unsafe { from_texture(context, flags, form, (target, miplevel, texture)) }
}

pub unsafe fn create_from_renderbuffer(
    context: cl_context,
    flags: cl_mem_flags,
    renderbuffer: cl_GLuint,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateFromGLRenderbuffer.
    let context = unsafe { handle::live_context(context) }?;
    create_renderbuffer(&context, flags, renderbuffer).map(handle::publish)
}

pub unsafe fn get_object_info(
    memobj: cl_mem,
    gl_object_type: *mut cl_gl_object_type,
    gl_object_name: *mut cl_GLuint,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetGLObjectInfo.
    unsafe {
        let [kind, name] = handle::get::<Mem>(memobj)?.gl_object_info()?;
        handle::write(gl_object_type, kind);
        handle::write(gl_object_name, name);
        Ok(())
    }
}

pub unsafe fn get_texture_info(
    memobj: cl_mem,
    param_name: cl_gl_texture_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetGLTextureInfo.
    unsafe {
        let info = handle::get::<Mem>(memobj)?.gl_texture_info(param_name);
        check_answer_place(param_value, param_value_size_ret)?;
        info::write(info, param_value_size, param_value, param_value_size_ret)
    }
}

/// CL_INVALID_VALUE if param_value and param_value_size_ret are NULL.
fn check_answer_place(value: *const c_void, size_ret: *const usize) -> Result<()> {
    match value.is_null() && size_ret.is_null() {
        true => Err(Error::InvalidValue.because("there is no place for the answer")),
        false => Ok(()),
    }
}

pub unsafe fn get_context_info(
    platform: &Ref<Platform>,
    properties: *const cl_context_properties,
    param_name: cl_gl_context_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetGLContextInfoKHR.
    unsafe {
        // CL_INVALID_VALUE if a property name is invalid.
        let list = checked_properties(platform, properties).map_err(|error| match error {
            Error::InvalidProperty => Error::InvalidValue,
            other => other,
        })?;
        // CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR if the list names no context that can be shared with.
        let group = share_group(list.as_deref())?.ok_or_else(|| {
            let reason = "the properties name no context of OpenGL";
            Error::InvalidGlShareGroup.because(reason)
        })?;
        let info = gl::context_info(platform, &group, param_name);
        info::write(info, param_value_size, param_value, param_value_size_ret)
    }
}

pub unsafe fn create_event_from_sync(context: cl_context, sync: cl_GLsync) -> Result<cl_event> {
    // SAFETY: the arguments are those of clCreateEventFromGLsyncKHR.
    let context = unsafe { handle::live_context(context) }?;
    of_gl_sync(&context, sync as usize).map(handle::publish)
}
