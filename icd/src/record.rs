//! The clCommand* entry points (cl_khr_command_buffer).

use std::ffi::c_void;

use opencl_sys::{
    cl_command_buffer_khr, cl_command_properties_khr, cl_command_queue, cl_kernel, cl_mem,
    cl_mutable_command_khr, cl_sync_point_khr, cl_uint,
};
use pumice_runtime::base::error::Result;
use pumice_runtime::base::object::Ref;
use pumice_runtime::base::region::Layout;
use pumice_runtime::command::{Command, copy, fill, image_copy, ndrange, svm};
use pumice_runtime::command_buffer::{CommandArgs, CommandBuffer, Recipe};
use pumice_runtime::context::Placement;
use pumice_runtime::executable::RangeRequest;
use pumice_runtime::memory::Mem;
use pumice_runtime::program::kernel::Kernel;
use pumice_runtime::queue::Queue;

use crate::enqueue::{image_origin, triple};
use crate::handle;
use crate::image::fill_color as color_of;
use crate::memory::host_slice;

/// The arguments that all of these calls have.
struct Call {
    buffer: Ref<CommandBuffer>,
    args: CommandArgs,
    sync_point: *mut cl_sync_point_khr,
}

impl Call {
    /// # Safety
    /// The arguments are those of a clCommand* function.
    unsafe fn new(
        (buffer, queue): (cl_command_buffer_khr, cl_command_queue),
        properties: *const cl_command_properties_khr,
        (count, list): (cl_uint, *const cl_sync_point_khr),
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> Result<Self> {
        // SAFETY: the caller's contract.
        unsafe {
            let buffer = handle::get::<CommandBuffer>(buffer)?;
            let matching = list.is_null() == (count == 0);
            let args = CommandArgs {
                queue: handle::optional::<Queue>(queue)?,
                properties: handle::properties(properties),
                waits: matching.then(|| handle::slice(list, count as usize).to_vec()),
                takes_handle: !mutable_handle.is_null(),
            };
            Ok(Self {
                buffer,
                args,
                sync_point,
            })
        }
    }

    /// Records a command.
    ///
    /// # Safety
    /// `sync_point` is NULL or writable.
    unsafe fn record(
        self,
        recipe: impl Fn(&Placement) -> Result<Command> + Send + Sync + 'static,
    ) -> Result<()> {
        let recipe: Recipe = Box::new(recipe);
        let point = self.buffer.record(self.args, recipe)?;
        // SAFETY: the caller's contract.
        unsafe { handle::write(self.sync_point, point) };
        Ok(())
    }
}

pub unsafe fn barrier(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandBarrierWithWaitListKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        call.record(|_| Ok(Command::Barrier))
    }
}

pub unsafe fn copy_buffer(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandCopyBufferKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let source = handle::get::<Mem>(src_buffer)?;
        let destination = handle::get::<Mem>(dst_buffer)?;
        call.record(move |on| copy::linear(on, &source, &destination, src_offset, dst_offset, size))
    }
}

pub unsafe fn copy_buffer_rect(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandCopyBufferRectKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let source = handle::get::<Mem>(src_buffer)?;
        let destination = handle::get::<Mem>(dst_buffer)?;
        let extent = triple(region)?;
        let origins = [triple(src_origin)?, triple(dst_origin)?];
        let tight = (src_row_pitch == 0 || src_slice_pitch == 0).then_some(origins);
        call.record(move |on| {
            let from = Layout::new(origins[0], extent, src_row_pitch, src_slice_pitch)?;
            let to = Layout::new(origins[1], extent, dst_row_pitch, dst_slice_pitch)?;
            copy::rect(on, &source, &destination, [from, to], extent, tight)
        })
    }
}

pub unsafe fn copy_buffer_to_image(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    src_offset: usize,
    dst_origin: *const usize,
    region: *const usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandCopyBufferToImageKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let buffer = handle::get::<Mem>(src_buffer)?;
        let image = handle::get::<Mem>(dst_image)?;
        let (origin, region) = (image_origin(&image, dst_origin)?, triple(region)?);
        call.record(move |on| {
            image_copy::from_buffer(on, [&buffer, &image], src_offset, origin, region)
        })
    }
}

pub unsafe fn copy_image(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    src_image: cl_mem,
    dst_image: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandCopyImageKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let source = handle::get::<Mem>(src_image)?;
        let destination = handle::get::<Mem>(dst_image)?;
        let origins = [
            image_origin(&source, src_origin)?,
            image_origin(&destination, dst_origin)?,
        ];
        let region = triple(region)?;
        call.record(move |on| image_copy::copy(on, [&source, &destination], origins, region))
    }
}

pub unsafe fn copy_image_to_buffer(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    region: *const usize,
    dst_offset: usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandCopyImageToBufferKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let image = handle::get::<Mem>(src_image)?;
        let buffer = handle::get::<Mem>(dst_buffer)?;
        let (origin, region) = (image_origin(&image, src_origin)?, triple(region)?);
        call.record(move |on| {
            image_copy::to_buffer(on, [&image, &buffer], origin, region, dst_offset)
        })
    }
}

pub unsafe fn fill_buffer(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandFillBufferKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let buffer = handle::get::<Mem>(buffer)?;
        let pattern = pattern_of(pattern, pattern_size);
        call.record(move |on| fill::buffer(on, &buffer, pattern.as_deref(), offset, size))
    }
}

/// The bytes of a pattern; `None` for NULL. Of a pattern that is too long one byte too many is read,
/// enough to refuse it.
///
/// # Safety
/// `pattern` is NULL or has `size` readable bytes.
unsafe fn pattern_of(pattern: *const c_void, size: usize) -> Option<Vec<u8>> {
    let most = size.min(fill::MOST_PATTERN + 1);
    // SAFETY: the caller's contract.
    (!pattern.is_null()).then(|| unsafe { handle::slice(pattern.cast::<u8>(), most) }.to_vec())
}

pub unsafe fn fill_image(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    image: cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandFillImageKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let image = handle::get::<Mem>(image)?;
        let color = color_of(&image, fill_color);
        let (origin, region) = (image_origin(&image, origin)?, triple(region)?);
        call.record(move |on| image_copy::fill(on, &image, color, origin, region))
    }
}

pub unsafe fn nd_range_kernel(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    local_work_size: *const usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandNDRangeKernelKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let kernel = handle::get::<Kernel>(kernel)?;
        ndrange::check_dimensions(work_dim)?;
        let request = RangeRequest {
            dimensions: work_dim,
            offset: handle::dimensions(global_work_offset, work_dim, 0),
            global: handle::dimensions(global_work_size, work_dim, 1),
            local: handle::dimensions(local_work_size, work_dim, 1),
        };
        let (point, command) = call.buffer.record_kernel(call.args, &kernel, request)?;
        handle::write(call.sync_point, point);
        if let Some(command) = command {
            handle::write(mutable_handle, command.handle() as *mut c_void);
        }
    }
    Ok(())
}

pub unsafe fn svm_memcpy(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandSVMMemcpyKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let (to, from) = (host_slice(dst_ptr, size), host_slice(src_ptr, size));
        call.record(move |on| svm::copy(on, to, from))
    }
}

pub unsafe fn svm_mem_fill(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    svm_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<()> {
    // SAFETY: the arguments are those of clCommandSVMMemFillKHR.
    unsafe {
        let call = Call::new(
            (command_buffer, command_queue),
            properties,
            (num_sync_points_in_wait_list, sync_point_wait_list),
            sync_point,
            mutable_handle,
        )?;
        let (to, pattern) = (host_slice(svm_ptr, size), pattern_of(pattern, pattern_size));
        call.record(move |on| svm::fill(on, to, pattern.as_deref()))
    }
}
