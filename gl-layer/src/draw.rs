//! Transfers of texels by drawing.

use std::ffi::{CStr, CString, c_char};
use std::ptr::null;

use crate::context::Gl;
use crate::error::ObjectError;
use crate::format::Kind;
use crate::functions as gl;

/// A triangle that covers everything.
const VERTEX: &str = "#version 150
void main() {
    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(at * 4.0 - 1.0, 0.0, 1.0);
}
";

/// The letter before GLSL's types of samplers and vectors.
pub(crate) fn prefix(kind: Kind) -> &'static str {
    match kind {
        Kind::Floats => "",
        Kind::Signed => "i",
        Kind::Unsigned => "u",
    }
}

/// Gives each pixel the texel at its place.
fn fragment(kind: Kind) -> String {
    let prefix = prefix(kind);
    format!(
        "#version 150
uniform {prefix}sampler2D texels;
out {prefix}vec4 pixel;
void main() {{ pixel = texelFetch(texels, ivec2(gl_FragCoord.xy), 0); }}
"
    )
}

impl Gl {
    /// Draws the texture that is bound to `GL_TEXTURE_2D`, whose texels are of that kind, onto the framebuffer that is bound.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if OpenGL refuses.
    pub(crate) fn draw_texels(&self, kind: Kind, size: [i32; 2]) -> Result<(), ObjectError> {
        self.draw(fragment(kind), size, &[])
    }

    /// Runs a fragment shader on each pixel of the framebuffer that is bound, with these integers as uniforms.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if OpenGL refuses.
    pub(crate) fn draw(
        &self,
        fragment: String,
        [width, height]: [i32; 2],
        uniforms: &[(&CStr, i32)],
    ) -> Result<(), ObjectError> {
        let program = self.known_program(fragment)?;
        let f = self.functions();
        let mut vertices = 0;
        // SAFETY: the context is current on this thread, and the triangle has no arrays.
        unsafe {
            (f.gen_vertex_arrays)(1, &mut vertices);
            (f.bind_vertex_array)(vertices);
            (f.viewport)(0, 0, width, height);
            (f.use_program)(program);
            for (name, value) in uniforms {
                (f.uniform_int)((f.get_uniform_location)(program, name.as_ptr()), *value);
            }
            (f.draw_arrays)(gl::TRIANGLES, 0, 3);
            (f.use_program)(0);
            (f.bind_vertex_array)(0);
            (f.delete_vertex_arrays)(1, &vertices);
        }
        Ok(())
    }

    /// The program of a fragment shader, made at its first use.
    fn known_program(&self, fragment: String) -> Result<u32, ObjectError> {
        let mut programs = self.programs.borrow_mut();
        if let Some((_, program)) = programs.iter().find(|(known, _)| *known == fragment) {
            return Ok(*program);
        }
        let made = self.program(&fragment)?;
        programs.push((fragment, made));
        Ok(made)
    }

    /// Makes a program.
    fn program(&self, fragment: &str) -> Result<u32, ObjectError> {
        let f = self.functions();
        let mut linked = 0;
        // SAFETY: the context is current on this thread, and there is space for one value.
        let program = unsafe {
            let program = (f.create_program)();
            for (kind, source) in [(gl::VERTEX_SHADER, VERTEX), (gl::FRAGMENT_SHADER, fragment)] {
                let shader = self.shader(kind, source);
                (f.attach_shader)(program, shader);
                // It goes with the program.
                (f.delete_shader)(shader);
            }
            (f.link_program)(program);
            (f.get_program_parameter)(program, gl::LINK_STATUS, &mut linked);
            program
        };
        match linked {
            0 => Err(ObjectError::Invalid("OpenGL cannot link a shader".into())),
            _ => Ok(program),
        }
    }

    /// Deletes the programs, which the share group would keep otherwise.
    pub(crate) fn delete_programs(&self) {
        for (_, program) in self.programs.take() {
            // SAFETY: the context is current on this thread.
            unsafe { (self.functions().delete_program)(program) };
        }
    }

    fn shader(&self, kind: u32, source: &str) -> u32 {
        let f = self.functions();
        let source = CString::new(source).unwrap_or_default();
        let list: [*const c_char; 1] = [source.as_ptr()];
        // SAFETY: the context is current on this thread, and the list has one C string.
        unsafe {
            let shader = (f.create_shader)(kind);
            (f.shader_source)(shader, 1, list.as_ptr(), null());
            (f.compile_shader)(shader);
            shader
        }
    }
}
