//! Images and samplers.

use super::{Buffer, Result, Session, check};
use cl_sys::{
    CL_MEM_COPY_HOST_PTR, CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D, CL_MEM_READ_WRITE, CL_TRUE, cl_image_desc, cl_image_format, cl_sampler,
    cl_uint,
};
use pumice_filetests::{Image as Shape, ImageKind, Sampler as Modes};
use std::ptr;

/// An image.
#[derive(Debug)]
pub struct Image {
    /// The memory object.
    pub(super) memory: Buffer,
    /// The buffer that holds the pixels of an image of a buffer.
    of: Option<Buffer>,
    region: [usize; 3],
    bytes: usize,
}

/// A sampler.
#[derive(Debug)]
pub struct Sampler {
    pub(super) sampler: cl_sampler,
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: created by `Session::sampler`, released once.
        unsafe { cl_sys::clReleaseSampler(self.sampler) };
    }
}

/// The type of the memory object, and whether the last size counts layers.
fn type_of(kind: ImageKind) -> (cl_uint, bool) {
    match kind {
        ImageKind::Image1d => (CL_MEM_OBJECT_IMAGE1D, false),
        ImageKind::Image1dArray => (CL_MEM_OBJECT_IMAGE1D_ARRAY, true),
        ImageKind::Image1dBuffer => (CL_MEM_OBJECT_IMAGE1D_BUFFER, false),
        ImageKind::Image2d => (CL_MEM_OBJECT_IMAGE2D, false),
        ImageKind::Image2dArray => (CL_MEM_OBJECT_IMAGE2D_ARRAY, true),
        ImageKind::Image3d => (CL_MEM_OBJECT_IMAGE3D, false),
    }
}

impl Session {
    /// Makes an image that kernels may read and write, with these pixels, row after row without gaps.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    ///
    /// # Panics
    /// If the pixels are fewer bytes than the image's.
    pub fn image(&self, shape: &Shape, contents: &[u8]) -> Result<Image> {
        assert!(contents.len() >= shape.bytes(), "all pixels");
        let format = cl_image_format {
            image_channel_order: shape.order,
            image_channel_data_type: shape.data_type,
        };
        let of = match shape.kind {
            ImageKind::Image1dBuffer => Some(self.buffer(contents)?),
            _ => None,
        };
        let (image_type, has_layers) = type_of(shape.kind);
        let [width, height, depth] = shape.size.map(|n| n as usize);
        let layers = match shape.kind {
            ImageKind::Image1dArray => height,
            _ => depth,
        };
        let desc = cl_image_desc {
            image_type,
            image_width: width,
            image_height: height,
            image_depth: depth,
            image_array_size: if has_layers { layers } else { 1 },
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: of.as_ref().map_or(ptr::null_mut(), |buffer| buffer.mem),
        };
        let (flags, pixels) = match of {
            Some(_) => (CL_MEM_READ_WRITE, ptr::null_mut()),
            None => (
                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                contents.as_ptr().cast_mut().cast(),
            ),
        };
        let mut code = 0;
        // SAFETY: both structs live through the call, which copies as many bytes as the image has.
        let mem = unsafe {
            cl_sys::clCreateImage(self.context, flags, &format, &desc, pixels, &mut code)
        };
        check("clCreateImage", code)?;
        Ok(Image {
            memory: Buffer { mem, size: 0 },
            of,
            region: [width, height, depth],
            bytes: shape.bytes(),
        })
    }

    /// Reads all pixels of an image back, after everything enqueued before.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn read_image(&self, image: &Image) -> Result<Vec<u8>> {
        if let Some(buffer) = &image.of {
            return self.read(buffer);
        }
        let mut bytes = vec![0u8; image.bytes];
        // SAFETY: the blocking read writes the region's pixels without gaps, as many bytes as there are.
        let code = unsafe {
            cl_sys::clEnqueueReadImage(
                self.queue,
                image.memory.mem,
                CL_TRUE,
                [0usize; 3].as_ptr(),
                image.region.as_ptr(),
                0,
                0,
                bytes.as_mut_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueReadImage", code)?;
        Ok(bytes)
    }

    /// Makes a sampler.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn sampler(&self, modes: Modes) -> Result<Sampler> {
        let mut code = 0;
        // SAFETY: the context is alive.
        let sampler = unsafe {
            cl_sys::clCreateSampler(
                self.context,
                cl_uint::from(modes.normalized),
                modes.addressing,
                modes.filter,
                &mut code,
            )
        };
        check("clCreateSampler", code)?;
        Ok(Sampler { sampler })
    }
}
