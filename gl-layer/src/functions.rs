//! The functions and enumerants of OpenGL that are used.
#![allow(missing_docs, reason = "names of the OpenGL specification")]

use std::ffi::{CStr, c_char, c_void};

/// `GLsync`.
pub(crate) type Sync = *mut c_void;

macro_rules! functions {
    ($($field:ident $name:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions, as a context's library gives them.
        pub(crate) struct Functions {
            $(pub $field: unsafe extern "system" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks all of them up; an error with the name of the first that is missing.
            ///
            /// # Safety
            /// `find` gives the address of the OpenGL function of a name, or NULL.
            pub unsafe fn load(find: impl Fn(&CStr) -> *const c_void) -> Result<Self, &'static str> {
                $(
                    let $field = find(const {
                        match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                            Ok(name) => name,
                            Err(_) => panic!("a name with a NUL"),
                        }
                    });
                    if $field.is_null() {
                        return Err($name);
                    }
                )*
                Ok(Self {
                    $(
                        // SAFETY: the address is that of the function with this type (the caller's contract).
                        $field: unsafe {
                            std::mem::transmute::<
                                *const c_void,
                                unsafe extern "system" fn($($argument),*) $(-> $result)?,
                            >($field)
                        },
                    )*
                })
            }
        }
    };
}

functions! {
    get_error "glGetError" () -> u32;
    get_string "glGetString" (u32) -> *const u8;
    get_string_indexed "glGetStringi" (u32, u32) -> *const u8;
    get_integer "glGetIntegerv" (u32, *mut i32);
    finish "glFinish" ();
    flush "glFlush" ();
    pixel_store "glPixelStorei" (u32, i32);
    is_buffer "glIsBuffer" (u32) -> u8;
    gen_buffers "glGenBuffers" (i32, *mut u32);
    delete_buffers "glDeleteBuffers" (i32, *const u32);
    bind_buffer "glBindBuffer" (u32, u32);
    buffer_data "glBufferData" (u32, isize, *const c_void, u32);
    get_buffer_parameter "glGetBufferParameteriv" (u32, u32, *mut i32);
    get_buffer_sub_data "glGetBufferSubData" (u32, isize, isize, *mut c_void);
    copy_buffer_sub_data "glCopyBufferSubData" (u32, u32, isize, isize, isize);
    is_texture "glIsTexture" (u32) -> u8;
    gen_textures "glGenTextures" (i32, *mut u32);
    delete_textures "glDeleteTextures" (i32, *const u32);
    bind_texture "glBindTexture" (u32, u32);
    tex_parameter "glTexParameteri" (u32, u32, i32);
    get_tex_parameter "glGetTexParameteriv" (u32, u32, *mut i32);
    get_tex_level_parameter "glGetTexLevelParameteriv" (u32, i32, u32, *mut i32);
    get_tex_image "glGetTexImage" (u32, i32, u32, u32, *mut c_void);
    tex_image_2d "glTexImage2D" (u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
    tex_sub_image_1d "glTexSubImage1D" (u32, i32, i32, i32, u32, u32, *const c_void);
    tex_sub_image_2d "glTexSubImage2D" (u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
    tex_sub_image_3d "glTexSubImage3D" (
        u32, i32, i32, i32, i32, i32, i32, i32, u32, u32, *const c_void
    );
    is_renderbuffer "glIsRenderbuffer" (u32) -> u8;
    gen_renderbuffers "glGenRenderbuffers" (i32, *mut u32);
    delete_renderbuffers "glDeleteRenderbuffers" (i32, *const u32);
    bind_renderbuffer "glBindRenderbuffer" (u32, u32);
    get_renderbuffer_parameter "glGetRenderbufferParameteriv" (u32, u32, *mut i32);
    gen_framebuffers "glGenFramebuffers" (i32, *mut u32);
    delete_framebuffers "glDeleteFramebuffers" (i32, *const u32);
    bind_framebuffer "glBindFramebuffer" (u32, u32);
    framebuffer_texture_2d "glFramebufferTexture2D" (u32, u32, u32, u32, i32);
    framebuffer_renderbuffer "glFramebufferRenderbuffer" (u32, u32, u32, u32);
    get_attachment_parameter "glGetFramebufferAttachmentParameteriv" (u32, u32, u32, *mut i32);
    check_framebuffer_status "glCheckFramebufferStatus" (u32) -> u32;
    blit_framebuffer "glBlitFramebuffer" (i32, i32, i32, i32, i32, i32, i32, i32, u32, u32);
    read_buffer "glReadBuffer" (u32);
    draw_buffer "glDrawBuffer" (u32);
    clamp_color "glClampColor" (u32, u32);
    read_pixels "glReadPixels" (i32, i32, i32, i32, u32, u32, *mut c_void);
    viewport "glViewport" (i32, i32, i32, i32);
    create_shader "glCreateShader" (u32) -> u32;
    shader_source "glShaderSource" (u32, i32, *const *const c_char, *const i32);
    compile_shader "glCompileShader" (u32);
    delete_shader "glDeleteShader" (u32);
    create_program "glCreateProgram" () -> u32;
    attach_shader "glAttachShader" (u32, u32);
    link_program "glLinkProgram" (u32);
    get_uniform_location "glGetUniformLocation" (u32, *const c_char) -> i32;
    uniform_int "glUniform1i" (i32, i32);
    get_program_parameter "glGetProgramiv" (u32, u32, *mut i32);
    delete_program "glDeleteProgram" (u32);
    use_program "glUseProgram" (u32);
    gen_vertex_arrays "glGenVertexArrays" (i32, *mut u32);
    delete_vertex_arrays "glDeleteVertexArrays" (i32, *const u32);
    bind_vertex_array "glBindVertexArray" (u32);
    draw_arrays "glDrawArrays" (u32, i32, i32);
    fence_sync "glFenceSync" (u32, u32) -> Sync;
    is_sync "glIsSync" (Sync) -> u8;
    delete_sync "glDeleteSync" (Sync);
    wait_sync "glWaitSync" (Sync, u32, u64);
    client_wait_sync "glClientWaitSync" (Sync, u32, u64) -> u32;
}

pub(crate) const NO_ERROR: u32 = 0;
pub(crate) const INVALID_OPERATION: u32 = 0x0502;
pub(crate) const VERSION: u32 = 0x1F02;
pub(crate) const EXTENSIONS: u32 = 0x1F03;
pub(crate) const NUM_EXTENSIONS: u32 = 0x821D;
pub(crate) const PACK_ALIGNMENT: u32 = 0x0D05;
pub(crate) const UNPACK_ALIGNMENT: u32 = 0x0CF5;

pub(crate) const COPY_READ_BUFFER: u32 = 0x8F36;
pub(crate) const COPY_WRITE_BUFFER: u32 = 0x8F37;
pub(crate) const STREAM_COPY: u32 = 0x88E2;
pub(crate) const BUFFER_SIZE: u32 = 0x8764;

pub(crate) const TEXTURE_1D: u32 = 0x0DE0;
pub(crate) const TEXTURE_2D: u32 = 0x0DE1;
pub(crate) const TEXTURE_3D: u32 = 0x806F;
pub(crate) const TEXTURE_RECTANGLE: u32 = 0x84F5;
pub(crate) const TEXTURE_CUBE_MAP: u32 = 0x8513;
pub(crate) const TEXTURE_CUBE_MAP_POSITIVE_X: u32 = 0x8515;
pub(crate) const TEXTURE_CUBE_MAP_NEGATIVE_Z: u32 = 0x851A;
pub(crate) const TEXTURE_1D_ARRAY: u32 = 0x8C18;
pub(crate) const TEXTURE_2D_ARRAY: u32 = 0x8C1A;
pub(crate) const TEXTURE_BUFFER: u32 = 0x8C2A;
pub(crate) const TEXTURE_2D_MULTISAMPLE: u32 = 0x9100;
pub(crate) const TEXTURE_2D_MULTISAMPLE_ARRAY: u32 = 0x9102;
pub(crate) const TEXTURE_SAMPLES: u32 = 0x9106;
pub(crate) const TEXTURE_BUFFER_DATA_STORE_BINDING: u32 = 0x8C2D;
pub(crate) const TEXTURE_BUFFER_OFFSET: u32 = 0x919D;
pub(crate) const TEXTURE_FILTERS: [u32; 2] = [0x2800, 0x2801];
pub(crate) const TEXTURE_BASE_LEVEL: u32 = 0x813C;
pub(crate) const TEXTURE_MAX_LEVEL: u32 = 0x813D;
pub(crate) const TEXTURE_WIDTH: u32 = 0x1000;
pub(crate) const TEXTURE_HEIGHT: u32 = 0x1001;
pub(crate) const TEXTURE_DEPTH: u32 = 0x8071;
pub(crate) const TEXTURE_INTERNAL_FORMAT: u32 = 0x1003;
pub(crate) const TEXTURE_BORDER: u32 = 0x1005;
pub(crate) const TEXTURE_RED_SIZE: u32 = 0x805C;
pub(crate) const TEXTURE_ALPHA_SIZE: u32 = 0x805F;

pub(crate) const RENDERBUFFER: u32 = 0x8D41;
pub(crate) const RENDERBUFFER_WIDTH: u32 = 0x8D42;
pub(crate) const RENDERBUFFER_HEIGHT: u32 = 0x8D43;
pub(crate) const RENDERBUFFER_INTERNAL_FORMAT: u32 = 0x8D44;
pub(crate) const RENDERBUFFER_SAMPLES: u32 = 0x8CAB;
/// Those of red, green, blue and alpha.
pub(crate) const RENDERBUFFER_SIZES: [u32; 4] = [0x8D50, 0x8D51, 0x8D52, 0x8D53];
pub(crate) const ATTACHMENT_COMPONENT_TYPE: u32 = 0x8211;
pub(crate) const ATTACHMENT_COLOR_ENCODING: u32 = 0x8210;
pub(crate) const SRGB: i32 = 0x8C40;

pub(crate) const READ_FRAMEBUFFER: u32 = 0x8CA8;
pub(crate) const DRAW_FRAMEBUFFER: u32 = 0x8CA9;
pub(crate) const COLOR_ATTACHMENT0: u32 = 0x8CE0;
pub(crate) const DEPTH_ATTACHMENT: u32 = 0x8D00;
pub(crate) const FRAMEBUFFER_COMPLETE: u32 = 0x8CD5;
pub(crate) const COLOR_BUFFER_BIT: u32 = 0x4000;
pub(crate) const DEPTH_BUFFER_BIT: u32 = 0x0100;
pub(crate) const CLAMP_READ_COLOR: u32 = 0x891C;
pub(crate) const FALSE: u32 = 0;
pub(crate) const NEAREST: u32 = 0x2600;
pub(crate) const NONE: u32 = 0;

pub(crate) const TRIANGLES: u32 = 4;
pub(crate) const FRAGMENT_SHADER: u32 = 0x8B30;
pub(crate) const VERTEX_SHADER: u32 = 0x8B31;
pub(crate) const LINK_STATUS: u32 = 0x8B82;

pub(crate) const SYNC_GPU_COMMANDS_COMPLETE: u32 = 0x9117;
pub(crate) const TIMEOUT_IGNORED: u64 = u64::MAX;
pub(crate) const ALREADY_SIGNALED: u32 = 0x911A;
pub(crate) const TIMEOUT_EXPIRED: u32 = 0x911B;
pub(crate) const CONDITION_SATISFIED: u32 = 0x911C;

/// GL_NUM_DEVICE_UUIDS_EXT (GL_EXT_memory_object).
pub(crate) const NUM_DEVICE_UUIDS: u32 = 0x9596;
/// GL_DEVICE_UUID_EXT (GL_EXT_memory_object).
pub(crate) const DEVICE_UUID: u32 = 0x9597;
