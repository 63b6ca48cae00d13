//! Image entry points: creation, queries, and the enqueue calls.

use std::ffi::c_void;

use opencl_sys::{
    CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D, cl_bool, cl_command_queue, cl_context, cl_event,
    cl_image_desc, cl_image_format, cl_image_info, cl_image_requirements_info_ext, cl_map_flags,
    cl_mem, cl_mem_flags, cl_mem_object_type, cl_mem_properties, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::command::image::ImageRegion;
use pumice_runtime::command::transfer::Direction;
use pumice_runtime::command::{image, image_copy, map};
use pumice_runtime::context::Context;
use pumice_runtime::memory::Mem;
use pumice_runtime::memory::image::{ImageMem, Origin};
use pumice_runtime::memory::image_create::supported_formats;
use pumice_runtime::memory::image_desc::Desc;
use pumice_runtime::memory::image_requirements::requirements;
use pumice_runtime::queue::Queue;

use crate::enqueue::{enqueue, triple};
use crate::memory::{check_properties, host_slice, with_properties};
use crate::{handle, info};

/// The origin of a box of an image: `size_t[3]`, or `size_t[4]` where the image's mip level is the fourth; NULL is
/// CL_INVALID_VALUE.
///
/// # Safety
/// `from` is NULL or points to as many elements.
pub unsafe fn image_origin(image: &Ref<Mem>, from: *const usize) -> Result<Origin> {
    // SAFETY: the caller's contract.
    let [x, y, z] = unsafe { triple(from) }?;
    let element = image.image().and_then(ImageMem::level_element);
    let last = match element {
        // SAFETY: the caller's contract.
        Some(3) => unsafe { from.add(3).read() },
        _ => 0,
    };
    Ok([x, y, z, last])
}

/// `cl_image_format`; `None` for NULL.
///
/// # Safety
/// `format` is NULL or readable.
unsafe fn format(format: *const cl_image_format) -> Option<[u32; 2]> {
    // SAFETY: the caller's contract.
    let format = unsafe { format.as_ref() }?;
    Some([format.image_channel_order, format.image_channel_data_type])
}

/// # Safety
/// The arguments are those of clCreateImageWithProperties.
unsafe fn create(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    desc: Option<Desc>,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the caller's contract; the host's memory has the size that the image's has.
    unsafe {
        let context = handle::live_context(context)?;
        let format = format(image_format);
        with_properties(&context, properties, |properties| {
            Mem::create_image(
                &context,
                properties,
                flags,
                format,
                desc,
                !host_ptr.is_null(),
                |size| host_slice(host_ptr, size),
            )
        })
    }
}

/// `cl_image_desc`; `None` for NULL. CL_INVALID_IMAGE_DESCRIPTOR if its object is none.
///
/// # Safety
/// `desc` is NULL or readable, and its object NULL or a handle.
unsafe fn description(desc: *const cl_image_desc) -> Result<Option<Desc>> {
    // SAFETY: the caller's contract.
    let Some(desc) = (unsafe { desc.as_ref() }) else {
        return Ok(None);
    };
    // SAFETY: the caller's contract.
    let object = unsafe { handle::optional::<Mem>(desc.buffer) };
    Ok(Some(Desc {
        image_type: desc.image_type,
        width: desc.image_width,
        height: desc.image_height,
        depth: desc.image_depth,
        array_size: desc.image_array_size,
        row_pitch: desc.image_row_pitch,
        slice_pitch: desc.image_slice_pitch,
        num_mip_levels: desc.num_mip_levels,
        num_samples: desc.num_samples,
        mem_object: object.map_err(|_| {
            Error::InvalidImageDescriptor
                .because("mem_object of the descriptor is no memory object")
        })?,
    }))
}

pub unsafe fn get_image_requirements_info(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    param_name: cl_image_requirements_info_ext,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetImageRequirementsInfoEXT.
    unsafe {
        let context = handle::get::<Context>(context)?;
        check_properties(&context, properties)?;
        let format = format(image_format);
        let desc = description(image_desc)?;
        info::write(
            requirements(&context, flags, format, desc.as_ref(), param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn create_image_with_properties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateImageWithProperties.
    unsafe {
        let desc = description(image_desc)?;
        create(context, properties, flags, image_format, desc, host_ptr)
    }
}

pub unsafe fn create_image(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    let properties = std::ptr::null();
    // SAFETY: the arguments are those of clCreateImage.
    unsafe {
        create_image_with_properties(
            context,
            properties,
            flags,
            image_format,
            image_desc,
            host_ptr,
        )
    }
}

/// The common part of the calls of OpenCL 1.0.
///
/// # Safety
/// The arguments are those of clCreateImage2D or clCreateImage3D.
unsafe fn create_legacy(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_type: cl_mem_object_type,
    [width, height, depth]: [usize; 3],
    [row_pitch, slice_pitch]: [usize; 2],
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_IMAGE_SIZE if a size is 0, or a pitch is not valid.
    let wrong = |error: Error| match error {
        Error::InvalidImageDescriptor => Error::InvalidImageSize,
        error => error,
    };
    let desc = Desc {
        image_type,
        width,
        height,
        depth,
        array_size: 0,
        row_pitch,
        slice_pitch,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: None,
    };
    let none = std::ptr::null();
    // SAFETY: the caller's contract.
    unsafe { create(context, none, flags, image_format, Some(desc), host_ptr) }.map_err(wrong)
}

pub unsafe fn create_image_2d(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_width: usize,
    image_height: usize,
    image_row_pitch: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateImage2D.
    unsafe {
        create_legacy(
            context,
            flags,
            image_format,
            CL_MEM_OBJECT_IMAGE2D,
            [image_width, image_height, 0],
            [image_row_pitch, 0],
            host_ptr,
        )
    }
}

pub unsafe fn create_image_3d(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_width: usize,
    image_height: usize,
    image_depth: usize,
    image_row_pitch: usize,
    image_slice_pitch: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateImage3D.
    unsafe {
        // CL_INVALID_IMAGE_SIZE if image_depth is 1, which clCreateImage takes.
        if image_depth == 1 {
            handle::get::<Context>(context)?.check_images()?;
            return Err(Error::InvalidImageSize.because("image_depth is not more than 1"));
        }
        create_legacy(
            context,
            flags,
            image_format,
            CL_MEM_OBJECT_IMAGE3D,
            [image_width, image_height, image_depth],
            [image_row_pitch, image_slice_pitch],
            host_ptr,
        )
    }
}

pub unsafe fn get_supported_image_formats(
    context: cl_context,
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: *mut cl_image_format,
    num_image_formats: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSupportedImageFormats.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let formats = supported_formats(&context, flags, image_type)?;
        // CL_INVALID_VALUE if num_entries is 0 and image_formats is not NULL.
        if num_entries == 0 && !image_formats.is_null() {
            let reason = "image_formats is given, but num_entries is 0";
            return Err(Error::InvalidValue.because(reason));
        }
        if !image_formats.is_null() {
            for (index, [order, data_type]) in formats.iter().take(num_entries as usize).enumerate()
            {
                image_formats.add(index).write(cl_image_format {
                    image_channel_order: *order,
                    image_channel_data_type: *data_type,
                });
            }
        }
        handle::write(num_image_formats, formats.len() as cl_uint);
    }
    Ok(())
}

pub unsafe fn get_image_info(
    image: cl_mem,
    param_name: cl_image_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetImageInfo.
    unsafe {
        let image = handle::get::<Mem>(image)?;
        info::write(
            image.image_info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

/// The common part of clEnqueueReadImage and clEnqueueWriteImage.
///
/// # Safety
/// The arguments are those of either call.
unsafe fn transfer(
    command_queue: cl_command_queue,
    image: cl_mem,
    direction: Direction,
    blocking: cl_bool,
    [origin, region]: [*const usize; 2],
    [row_pitch, slice_pitch]: [usize; 2],
    ptr: *const c_void,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let image = handle::get::<Mem>(image)?;
        let wait = handle::wait_list(count, list, event)?;
        let region = ImageRegion {
            origin: image_origin(&image, origin)?,
            region: triple(region)?,
            row_pitch,
            slice_pitch,
        };
        let host = |size| host_slice(ptr, size);
        let command = image::transfer(queue.on(), &image, direction, region, host)?;
        enqueue(&queue, command, wait, blocking != 0, event)
    }
}

pub unsafe fn enqueue_read_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_read: cl_bool,
    origin: *const usize,
    region: *const usize,
    row_pitch: usize,
    slice_pitch: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueReadImage.
    unsafe {
        transfer(
            command_queue,
            image,
            Direction::Read,
            blocking_read,
            [origin, region],
            [row_pitch, slice_pitch],
            ptr,
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_write_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_write: cl_bool,
    origin: *const usize,
    region: *const usize,
    input_row_pitch: usize,
    input_slice_pitch: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueWriteImage.
    unsafe {
        transfer(
            command_queue,
            image,
            Direction::Write,
            blocking_write,
            [origin, region],
            [input_row_pitch, input_slice_pitch],
            ptr,
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_copy_image(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_image: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueCopyImage.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let source = handle::get::<Mem>(src_image)?;
        let destination = handle::get::<Mem>(dst_image)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let origins = [
            image_origin(&source, src_origin)?,
            image_origin(&destination, dst_origin)?,
        ];
        let images = [&source, &destination];
        let command = image_copy::copy(queue.on(), images, origins, triple(region)?)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_copy_image_to_buffer(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    region: *const usize,
    dst_offset: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueCopyImageToBuffer.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let image = handle::get::<Mem>(src_image)?;
        let buffer = handle::get::<Mem>(dst_buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (origin, region) = (image_origin(&image, src_origin)?, triple(region)?);
        let sides = [&image, &buffer];
        let command = image_copy::to_buffer(queue.on(), sides, origin, region, dst_offset)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_copy_buffer_to_image(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    src_offset: usize,
    dst_origin: *const usize,
    region: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueCopyBufferToImage.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(src_buffer)?;
        let image = handle::get::<Mem>(dst_image)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (origin, region) = (image_origin(&image, dst_origin)?, triple(region)?);
        let sides = [&buffer, &image];
        let command = image_copy::from_buffer(queue.on(), sides, src_offset, origin, region)?;
        enqueue(&queue, command, wait, false, event)
    }
}

/// The colour of a fill; `None` for NULL.
///
/// # Safety
/// `color` is NULL or points to four components of 32 bits, or to one for a depth image.
pub unsafe fn fill_color(image: &Ref<Mem>, color: *const c_void) -> Option<[u32; 4]> {
    // SAFETY: the caller's contract.
    unsafe {
        match (color.is_null(), image.is_depth_image()) {
            (true, _) => None,
            (false, true) => Some([color.cast::<u32>().read_unaligned(); 4]),
            (false, false) => Some(color.cast::<[u32; 4]>().read_unaligned()),
        }
    }
}

pub unsafe fn enqueue_fill_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueFillImage.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let image = handle::get::<Mem>(image)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let color = self::fill_color(&image, fill_color);
        let (origin, region) = (image_origin(&image, origin)?, triple(region)?);
        let command = image_copy::fill(queue.on(), &image, color, origin, region)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_map_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    origin: *const usize,
    region: *const usize,
    image_row_pitch: *mut usize,
    image_slice_pitch: *mut usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are those of clEnqueueMapImage.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let image = handle::get::<Mem>(image)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (origin, region) = (image_origin(&image, origin)?, triple(region)?);
        let given = [image_row_pitch, image_slice_pitch].map(|pitch| !pitch.is_null());
        let on = queue.on();
        let (command, address, [row, slice]) =
            map::image(on, &image, map_flags, origin, region, given)?;
        enqueue(&queue, command, wait, blocking_map != 0, event)?;
        handle::write(image_row_pitch, row);
        handle::write(image_slice_pitch, slice);
        Ok(address as *mut c_void)
    }
}
