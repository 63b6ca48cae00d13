//! Reads of textures with samples a pixel: no transfer of OpenGL's has these, so a shader fetches each sample.

use std::ptr::null;

use crate::context::Gl;
use crate::draw::prefix;
use crate::error::ObjectError;
use crate::format::{Channels, TextureFormat};
use crate::functions as gl;
use crate::object::{Picture, Shape, shape_of_target};

/// The parameters of a texture that decide what shaders fetch from it, with their values at first:
/// `GL_TEXTURE_SWIZZLE_R` to `GL_TEXTURE_SWIZZLE_A` and `GL_DEPTH_STENCIL_TEXTURE_MODE`.
const FETCHED: [(u32, i32); 5] = [
    (0x8E42, 0x1903),
    (0x8E43, 0x1904),
    (0x8E44, 0x1905),
    (0x8E45, 0x1906),
    (0x90EA, 0x1902),
];

/// Gives each pixel a sample of the texel at its place. OpenGL takes sRGB's curve away, which host memory has.
fn fragment(format: &TextureFormat, arrayed: bool) -> String {
    let prefix = prefix(format.kind());
    let (out, pixel) = match format.steps() {
        Some(steps) => ("ivec4".into(), format!("ivec4(round(texel * {steps}.0))")),
        None => (format!("{prefix}vec4"), "texel".into()),
    };
    let (sampler, at) = match arrayed {
        true => ("sampler2DMSArray", "ivec3(gl_FragCoord.xy, layer)"),
        false => ("sampler2DMS", "ivec2(gl_FragCoord.xy)"),
    };
    let curve = match format.channels {
        Channels::SrgbAlpha => {
            "vec3 curve = 1.055 * pow(texel.rgb, vec3(1.0 / 2.4)) - 0.055;
    texel.rgb = mix(12.92 * texel.rgb, curve, greaterThan(texel.rgb, vec3(0.0031308)));"
        }
        _ => "",
    };
    format!(
        "#version 150
uniform {prefix}{sampler} texels;
uniform int layer;
uniform int index;
out {out} pixel;
void main() {{
    {prefix}vec4 texel = texelFetch(texels, {at}, index);
    {curve}
    pixel = {pixel};
}}
"
    )
}

impl Gl {
    /// Copies the samples of the texture that is bound to the host. The memory has the picture's bytes.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if OpenGL refuses.
    pub(crate) fn read_samples(
        &self,
        target: u32,
        picture: &Picture,
        to: &mut [u8],
    ) -> Result<(), ObjectError> {
        let changed = self.set_fetched(target);
        let done = self.fetch_samples(target, picture, to);
        for (parameter, value) in changed {
            // SAFETY: the context is current on this thread.
            unsafe { (self.functions().tex_parameter)(target, parameter, value) };
        }
        done
    }

    /// Gives the texture that is bound the parameters' first values; the others that it had.
    fn set_fetched(&self, target: u32) -> Vec<(u32, i32)> {
        let f = self.functions();
        let mut changed = Vec::new();
        for (parameter, first) in FETCHED {
            let mut value = first;
            // SAFETY: the context is current on this thread, and there is space for one value.
            unsafe {
                (f.get_tex_parameter)(target, parameter, &mut value);
                if value != first {
                    changed.push((parameter, value));
                    (f.tex_parameter)(target, parameter, first);
                }
            }
        }
        // Versions that lack a parameter act as if it had its first value.
        self.clear_errors();
        changed
    }

    /// Draws each sample onto a plane of its own and copies that.
    fn fetch_samples(
        &self,
        target: u32,
        picture: &Picture,
        to: &mut [u8],
    ) -> Result<(), ObjectError> {
        let f = self.functions();
        let (internal, format, data_type) = picture.format.drawn();
        let [width, height, _] = picture.size.map(|n| n as i32);
        let arrayed = shape_of_target(target) == Some(Shape::D2ArraySamples);
        let (plane, color) = (gl::TEXTURE_2D, gl::COLOR_ATTACHMENT0);
        let bytes = picture.bytes() / (picture.size[2] * picture.samples) as usize;
        let draw = |texture| {
            let attach =
                |attachment| self.attach_texture(gl::DRAW_FRAMEBUFFER, attachment, texture);
            self.with_framebuffer(gl::DRAW_FRAMEBUFFER, (color, color), attach, || {
                for (place, to) in (0..).zip(to.chunks_exact_mut(bytes)) {
                    let [layer, index] = [place / picture.samples, place % picture.samples];
                    let uniforms = [(c"layer", layer as i32), (c"index", index as i32)];
                    self.draw(
                        fragment(picture.format, arrayed),
                        [width, height],
                        &uniforms,
                    )?;
                    // SAFETY: the context is current on this thread; the memory has the bytes of a plane.
                    unsafe {
                        (f.get_tex_image)(plane, 0, format, data_type, to.as_mut_ptr().cast());
                    }
                }
                self.check("a read of a texture with samples")
            })
        };
        // SAFETY: no texels are given.
        unsafe { self.with_plane(picture.size, (internal, format, data_type), null(), draw) }
    }
}
