//! The one list of entry points: what the dispatch table holds, what the library exports, and
//! what the address queries answer.
//!
//! Order and types are those of the Khronos dispatch table (`cl_icd_dispatch`), checked by the
//! compiler where [`TABLE`] is filled. Each line gives
//! - the shape: `status` returns a `cl_int`; `object` returns a handle or pointer and gets the
//!   `errcode_ret` argument appended, `linked` likewise and may give a handle with an error;
//!   `plain` returns its own type,
//! - the C name and the function that serves it,
//! - the arguments with the names and types of the specification. `@name,` in front passes what the
//!   function `name` of this file returns: platform and address queries need the table, and know no
//!   module above them.
//!
//! Invariant: table entries are private functions (`entry`), the exported names (`exported`) are
//! thin wrappers around them. A table of exported functions would be preempted by the loader's
//! functions of the same names in a program linked with -lOpenCL, and call itself for ever.
#![allow(non_camel_case_types, non_snake_case, reason = "names of the C API")]

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::cl_egl::{
    CLeglDisplayKHR, CLeglImageKHR, CLeglSyncKHR, cl_egl_image_properties_khr,
};
use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{
    cl_GLenum, cl_GLint, cl_GLsync, cl_GLuint, cl_addressing_mode, cl_bool, cl_buffer_create_type,
    cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context,
    cl_context_info, cl_context_properties, cl_device_id, cl_device_info,
    cl_device_partition_property, cl_device_type, cl_event, cl_event_info, cl_filter_mode,
    cl_gl_context_info, cl_gl_object_type, cl_gl_texture_info, cl_image_desc, cl_image_format,
    cl_image_info, cl_int, cl_kernel, cl_kernel_arg_info, cl_kernel_exec_info, cl_kernel_info,
    cl_kernel_sub_group_info, cl_kernel_work_group_info, cl_map_flags, cl_mem, cl_mem_flags,
    cl_mem_info, cl_mem_migration_flags, cl_mem_object_type, cl_mem_properties, cl_pipe_info,
    cl_pipe_properties, cl_platform_id, cl_platform_info, cl_profiling_info, cl_program,
    cl_program_build_info, cl_program_info, cl_queue_properties, cl_sampler, cl_sampler_info,
    cl_sampler_properties, cl_svm_mem_flags, cl_uint, cl_ulong,
};

use pumice_runtime::base::object::Ref;
use pumice_runtime::device::platform::Platform;

use crate::callback::{
    ContextCallback, ContextDestructor, EventCallback, MemCallback, NativeKernel, ProgramCallback,
    SvmFreeCallback,
};
use crate::shapes::{entry_point, entry_points, exported};
use crate::{
    addressed, context, device, egl, enqueue, event, gl, hand_over, image, kernel, launch, memory,
    pipe, platform, program, queue, sampler, shim, svm,
};

/// `size_t`.
type size_t = usize;
/// `unsigned char`.
type c_uchar = u8;

/// The one platform, which points at [`TABLE`].
fn the_platform() -> &'static Ref<Platform> {
    platform::instance(&TABLE)
}

/// The function that knows the extensions' entry points.
fn addresses() -> platform::Addresses {
    extension_address
}

// SAFETY: the structure holds only integers and optional function pointers, for which all zero
// bits are a value.
const EMPTY: cl_icd_dispatch = unsafe { std::mem::zeroed() };

entry_points! {
    tabled {
        status clGetPlatformIDs => platform::get_platform_ids(
            @the_platform, num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint
        );
        status clUnloadCompiler => program::unload_compiler();
        status clGetPlatformInfo => platform::get_platform_info(
            @the_platform, platform: cl_platform_id, param_name: cl_platform_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clGetDeviceIDs => device::get_device_ids(
            @the_platform, platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint,
            devices: *mut cl_device_id, num_devices: *mut cl_uint
        );
        status clGetDeviceInfo => device::get_device_info(
            device: cl_device_id, param_name: cl_device_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        object clCreateContext => context::create_context(
            @the_platform, properties: *const cl_context_properties, num_devices: cl_uint, devices: *const cl_device_id,
            pfn_notify: ContextCallback, user_data: *mut c_void
        ) -> cl_context;
        object clCreateContextFromType => context::create_context_from_type(
            @the_platform, properties: *const cl_context_properties, device_type: cl_device_type, pfn_notify: ContextCallback,
            user_data: *mut c_void
        ) -> cl_context;
        status clRetainContext => context::retain_context(context: cl_context);
        status clReleaseContext => context::release_context(context: cl_context);
        status clGetContextInfo => context::get_context_info(
            context: cl_context, param_name: cl_context_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        object clCreateCommandQueue => queue::create_command_queue(
            context: cl_context, device: cl_device_id, properties: cl_command_queue_properties
        ) -> cl_command_queue;
        status clRetainCommandQueue => queue::retain_command_queue(command_queue: cl_command_queue);
        status clReleaseCommandQueue => queue::release_command_queue(command_queue: cl_command_queue);
        status clGetCommandQueueInfo => queue::get_command_queue_info(
            command_queue: cl_command_queue, param_name: cl_command_queue_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clSetCommandQueueProperty => queue::set_command_queue_property(
            command_queue: cl_command_queue, properties: cl_command_queue_properties, enable: cl_bool,
            old_properties: *mut cl_command_queue_properties
        );
        object clCreateBuffer => memory::create_buffer(
            context: cl_context, flags: cl_mem_flags, size: size_t, host_ptr: *mut c_void
        ) -> cl_mem;
        object clCreateImage2D => image::create_image_2d(
            context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: size_t,
            image_height: size_t, image_row_pitch: size_t, host_ptr: *mut c_void
        ) -> cl_mem;
        object clCreateImage3D => image::create_image_3d(
            context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: size_t,
            image_height: size_t, image_depth: size_t, image_row_pitch: size_t, image_slice_pitch: size_t,
            host_ptr: *mut c_void
        ) -> cl_mem;
        status clRetainMemObject => memory::retain_mem_object(memobj: cl_mem);
        status clReleaseMemObject => memory::release_mem_object(memobj: cl_mem);
        status clGetSupportedImageFormats => image::get_supported_image_formats(
            context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
            image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint
        );
        status clGetMemObjectInfo => memory::get_mem_object_info(
            memobj: cl_mem, param_name: cl_mem_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        status clGetImageInfo => image::get_image_info(
            image: cl_mem, param_name: cl_image_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        object clCreateSampler => sampler::create_sampler(
            context: cl_context, normalized_coords: cl_bool, addressing_mode: cl_addressing_mode,
            filter_mode: cl_filter_mode
        ) -> cl_sampler;
        status clRetainSampler => sampler::retain_sampler(sampler: cl_sampler);
        status clReleaseSampler => sampler::release_sampler(sampler: cl_sampler);
        status clGetSamplerInfo => sampler::get_sampler_info(
            sampler: cl_sampler, param_name: cl_sampler_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        object clCreateProgramWithSource => program::create_program_with_source(
            context: cl_context, count: cl_uint, strings: *mut *const c_char, lengths: *const size_t
        ) -> cl_program;
        object clCreateProgramWithBinary => program::create_program_with_binary(
            context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const size_t,
            binaries: *mut *const c_uchar, binary_status: *mut cl_int
        ) -> cl_program;
        status clRetainProgram => program::retain_program(program: cl_program);
        status clReleaseProgram => program::release_program(program: cl_program);
        status clBuildProgram => program::build_program(
            program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            pfn_notify: ProgramCallback, user_data: *mut c_void
        );
        status clGetProgramInfo => program::get_program_info(
            program: cl_program, param_name: cl_program_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clGetProgramBuildInfo => program::get_program_build_info(
            program: cl_program, device: cl_device_id, param_name: cl_program_build_info,
            param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        object clCreateKernel => kernel::create_kernel(
            program: cl_program, kernel_name: *const c_char
        ) -> cl_kernel;
        status clCreateKernelsInProgram => kernel::create_kernels_in_program(
            program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint
        );
        status clRetainKernel => kernel::retain_kernel(kernel: cl_kernel);
        status clReleaseKernel => kernel::release_kernel(kernel: cl_kernel);
        status clSetKernelArg => kernel::set_kernel_arg(
            kernel: cl_kernel, arg_index: cl_uint, arg_size: size_t, arg_value: *const c_void
        );
        status clGetKernelInfo => kernel::get_kernel_info(
            kernel: cl_kernel, param_name: cl_kernel_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        status clGetKernelWorkGroupInfo => kernel::get_kernel_work_group_info(
            kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_work_group_info,
            param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clWaitForEvents => event::wait_for_events(num_events: cl_uint, event_list: *const cl_event);
        status clGetEventInfo => event::get_event_info(
            event: cl_event, param_name: cl_event_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        status clRetainEvent => event::retain_event(event: cl_event);
        status clReleaseEvent => event::release_event(event: cl_event);
        status clGetEventProfilingInfo => event::get_event_profiling_info(
            event: cl_event, param_name: cl_profiling_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        status clFlush => queue::flush(command_queue: cl_command_queue);
        status clFinish => queue::finish(command_queue: cl_command_queue);
        status clEnqueueReadBuffer => enqueue::enqueue_read_buffer(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: size_t,
            size: size_t, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueWriteBuffer => enqueue::enqueue_write_buffer(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: size_t,
            size: size_t, ptr: *const c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueCopyBuffer => enqueue::enqueue_copy_buffer(
            command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: size_t,
            dst_offset: size_t, size: size_t, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueReadImage => image::enqueue_read_image(
            command_queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool, origin: *const size_t,
            region: *const size_t, row_pitch: size_t, slice_pitch: size_t, ptr: *mut c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueWriteImage => image::enqueue_write_image(
            command_queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool, origin: *const size_t,
            region: *const size_t, input_row_pitch: size_t, input_slice_pitch: size_t, ptr: *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueCopyImage => image::enqueue_copy_image(
            command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem, src_origin: *const size_t,
            dst_origin: *const size_t, region: *const size_t, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueCopyImageToBuffer => image::enqueue_copy_image_to_buffer(
            command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const size_t,
            region: *const size_t, dst_offset: size_t, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueCopyBufferToImage => image::enqueue_copy_buffer_to_image(
            command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: size_t,
            dst_origin: *const size_t, region: *const size_t, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        object clEnqueueMapBuffer => enqueue::enqueue_map_buffer(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags,
            offset: size_t, size: size_t, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        ) -> *mut c_void;
        object clEnqueueMapImage => image::enqueue_map_image(
            command_queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags,
            origin: *const size_t, region: *const size_t, image_row_pitch: *mut size_t,
            image_slice_pitch: *mut size_t, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        ) -> *mut c_void;
        status clEnqueueUnmapMemObject => enqueue::enqueue_unmap_mem_object(
            command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueNDRangeKernel => launch::enqueue_nd_range_kernel(
            command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const size_t, global_work_size: *const size_t, local_work_size: *const size_t,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueTask => launch::enqueue_task(
            command_queue: cl_command_queue, kernel: cl_kernel, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueNativeKernel => launch::enqueue_native_kernel(
            command_queue: cl_command_queue, user_func: NativeKernel, args: *mut c_void, cb_args: size_t,
            num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueMarker => enqueue::enqueue_marker(
            command_queue: cl_command_queue, event: *mut cl_event
        );
        status clEnqueueWaitForEvents => enqueue::enqueue_wait_for_events(
            command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event
        );
        status clEnqueueBarrier => enqueue::enqueue_barrier(command_queue: cl_command_queue);
        plain clGetExtensionFunctionAddress => platform::get_extension_function_address(
            @addresses, func_name: *const c_char
        ) -> *mut c_void;
        object clCreateFromGLBuffer => gl::create_from_buffer(context: cl_context, flags: cl_mem_flags, bufobj: cl_GLuint) -> cl_mem;
        object clCreateFromGLTexture2D => gl::create_from_texture_2d(
            context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint) -> cl_mem;
        object clCreateFromGLTexture3D => gl::create_from_texture_3d(
            context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint) -> cl_mem;
        object clCreateFromGLRenderbuffer => gl::create_from_renderbuffer(
            context: cl_context, flags: cl_mem_flags, renderbuffer: cl_GLuint) -> cl_mem;
        status clGetGLObjectInfo => gl::get_object_info(
            memobj: cl_mem, gl_object_type: *mut cl_gl_object_type, gl_object_name: *mut cl_GLuint
        );
        status clGetGLTextureInfo => gl::get_texture_info(
            memobj: cl_mem, param_name: cl_gl_texture_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        status clEnqueueAcquireGLObjects => hand_over::acquire_gl(
            command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueReleaseGLObjects => hand_over::release_gl(
            command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clGetGLContextInfoKHR => gl::get_context_info(
            @the_platform, properties: *const cl_context_properties, param_name: cl_gl_context_info,
            param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clSetEventCallback => event::set_event_callback(
            event: cl_event, command_exec_callback_type: cl_int, pfn_notify: EventCallback,
            user_data: *mut c_void
        );
        object clCreateSubBuffer => memory::create_sub_buffer(
            buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
            buffer_create_info: *const c_void
        ) -> cl_mem;
        status clSetMemObjectDestructorCallback => memory::set_mem_object_destructor_callback(
            memobj: cl_mem, pfn_notify: MemCallback, user_data: *mut c_void
        );
        object clCreateUserEvent => event::create_user_event(context: cl_context) -> cl_event;
        status clSetUserEventStatus => event::set_user_event_status(event: cl_event, execution_status: cl_int);
        status clEnqueueReadBufferRect => enqueue::enqueue_read_buffer_rect(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool,
            buffer_origin: *const size_t, host_origin: *const size_t, region: *const size_t,
            buffer_row_pitch: size_t, buffer_slice_pitch: size_t, host_row_pitch: size_t,
            host_slice_pitch: size_t, ptr: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueWriteBufferRect => enqueue::enqueue_write_buffer_rect(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool,
            buffer_origin: *const size_t, host_origin: *const size_t, region: *const size_t,
            buffer_row_pitch: size_t, buffer_slice_pitch: size_t, host_row_pitch: size_t,
            host_slice_pitch: size_t, ptr: *const c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueCopyBufferRect => enqueue::enqueue_copy_buffer_rect(
            command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const size_t,
            dst_origin: *const size_t, region: *const size_t, src_row_pitch: size_t, src_slice_pitch: size_t,
            dst_row_pitch: size_t, dst_slice_pitch: size_t, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clCreateSubDevices => device::create_sub_devices(
            in_device: cl_device_id, properties: *const cl_device_partition_property, num_devices: cl_uint,
            out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint
        );
        status clRetainDevice => device::retain_device(device: cl_device_id);
        status clReleaseDevice => device::release_device(device: cl_device_id);
        object clCreateEventFromGLsyncKHR => gl::create_event_from_sync(context: cl_context, sync: cl_GLsync) -> cl_event;
        object clCreateImage => image::create_image(
            context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
            image_desc: *const cl_image_desc, host_ptr: *mut c_void
        ) -> cl_mem;
        object clCreateProgramWithBuiltInKernels => program::create_program_with_built_in_kernels(
            context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
            kernel_names: *const c_char
        ) -> cl_program;
        status clCompileProgram => program::compile_program(
            program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            num_input_headers: cl_uint, input_headers: *const cl_program,
            header_include_names: *mut *const c_char, pfn_notify: ProgramCallback, user_data: *mut c_void
        );
        linked clLinkProgram => program::link_program(
            context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            num_input_programs: cl_uint, input_programs: *const cl_program, pfn_notify: ProgramCallback,
            user_data: *mut c_void
        ) -> cl_program;
        status clUnloadPlatformCompiler => program::unload_platform_compiler(platform: cl_platform_id);
        status clGetKernelArgInfo => kernel::get_kernel_arg_info(
            kernel: cl_kernel, arg_index: cl_uint, param_name: cl_kernel_arg_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clEnqueueFillBuffer => enqueue::enqueue_fill_buffer(
            command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: size_t,
            offset: size_t, size: size_t, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueFillImage => image::enqueue_fill_image(
            command_queue: cl_command_queue, image: cl_mem, fill_color: *const c_void, origin: *const size_t,
            region: *const size_t, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueMigrateMemObjects => enqueue::enqueue_migrate_mem_objects(
            command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
            flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueMarkerWithWaitList => enqueue::enqueue_marker_with_wait_list(
            command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueBarrierWithWaitList => enqueue::enqueue_barrier_with_wait_list(
            command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        plain clGetExtensionFunctionAddressForPlatform => platform::get_extension_function_address_for_platform(
            @addresses, platform: cl_platform_id, func_name: *const c_char
        ) -> *mut c_void;
        object clCreateFromGLTexture => gl::create_from_texture(
            context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint) -> cl_mem;
        object clCreateFromEGLImageKHR => egl::create_from_image(
            context: cl_context, display: CLeglDisplayKHR, image: CLeglImageKHR, flags: cl_mem_flags,
            properties: *const cl_egl_image_properties_khr
        ) -> cl_mem;
        status clEnqueueAcquireEGLObjectsKHR => hand_over::acquire_egl(
            command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueReleaseEGLObjectsKHR => hand_over::release_egl(
            command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
        );
        object clCreateEventFromEGLSyncKHR => egl::create_event_from_sync(
            context: cl_context, sync: CLeglSyncKHR, display: CLeglDisplayKHR) -> cl_event;
        object clCreateCommandQueueWithProperties => queue::create_command_queue_with_properties(
            context: cl_context, device: cl_device_id, properties: *const cl_queue_properties
        ) -> cl_command_queue;
        object clCreatePipe => pipe::create_pipe(
            context: cl_context, flags: cl_mem_flags, pipe_packet_size: cl_uint, pipe_max_packets: cl_uint,
            properties: *const cl_pipe_properties
        ) -> cl_mem;
        status clGetPipeInfo => pipe::get_pipe_info(
            pipe: cl_mem, param_name: cl_pipe_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t
        );
        plain clSVMAlloc => svm::svm_alloc(
            context: cl_context, flags: cl_svm_mem_flags, size: size_t, alignment: cl_uint
        ) -> *mut c_void;
        plain clSVMFree => svm::svm_free(context: cl_context, svm_pointer: *mut c_void) -> ();
        status clEnqueueSVMFree => svm::enqueue_svm_free(
            command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void,
            pfn_free_func: SvmFreeCallback, user_data: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueSVMMemcpy => svm::enqueue_svm_memcpy(
            command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void,
            src_ptr: *const c_void, size: size_t, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clEnqueueSVMMemFill => svm::enqueue_svm_mem_fill(
            command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: size_t,
            size: size_t, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueSVMMap => svm::enqueue_svm_map(
            command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void,
            size: size_t, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event
        );
        status clEnqueueSVMUnmap => svm::enqueue_svm_unmap(
            command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        object clCreateSamplerWithProperties => sampler::create_sampler_with_properties(
            context: cl_context, sampler_properties: *const cl_sampler_properties
        ) -> cl_sampler;
        status clSetKernelArgSVMPointer => svm::set_kernel_arg_svm_pointer(
            kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void
        );
        status clSetKernelExecInfo => kernel::set_kernel_exec_info(
            kernel: cl_kernel, param_name: cl_kernel_exec_info, param_value_size: size_t,
            param_value: *const c_void
        );
        status clGetKernelSubGroupInfoKHR => kernel::get_kernel_sub_group_info_khr(
            kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info,
            input_value_size: size_t, input_value: *const c_void, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        object clCloneKernel => kernel::clone_kernel(source_kernel: cl_kernel) -> cl_kernel;
        object clCreateProgramWithIL => program::create_program_with_il(
            context: cl_context, il: *const c_void, length: size_t
        ) -> cl_program;
        status clEnqueueSVMMigrateMem => svm::enqueue_svm_migrate_mem(
            command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void,
            sizes: *const size_t, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event
        );
        status clGetDeviceAndHostTimer => device::get_device_and_host_timer(
            device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong
        );
        status clGetHostTimer => device::get_host_timer(device: cl_device_id, host_timestamp: *mut cl_ulong);
        status clGetKernelSubGroupInfo => kernel::get_kernel_sub_group_info(
            kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info,
            input_value_size: size_t, input_value: *const c_void, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t
        );
        status clSetDefaultDeviceCommandQueue => queue::set_default_device_command_queue(
            context: cl_context, device: cl_device_id, command_queue: cl_command_queue
        );
        status clSetProgramReleaseCallback => program::set_program_release_callback(
            program: cl_program, pfn_notify: ProgramCallback, user_data: *mut c_void
        );
        status clSetProgramSpecializationConstant => program::set_program_specialization_constant(
            program: cl_program, spec_id: cl_uint, spec_size: size_t, spec_value: *const c_void
        );
        object clCreateBufferWithProperties => memory::create_buffer_with_properties(
            context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: size_t,
            host_ptr: *mut c_void
        ) -> cl_mem;
        object clCreateImageWithProperties => image::create_image_with_properties(
            context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
            image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void
        ) -> cl_mem;
        status clSetContextDestructorCallback => context::set_context_destructor_callback(
            context: cl_context, pfn_notify: ContextDestructor, user_data: *mut c_void
        );
        status clGetKernelSuggestedLocalWorkSize => kernel::get_kernel_suggested_local_work_size(
            command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const size_t, global_work_size: *const size_t,
            suggested_local_work_size: *mut size_t
        );
    }

    // Not in the table: the loader looks the symbol up.
    untabled {
        status clIcdGetPlatformIDsKHR => platform::icd_get_platform_ids(
            @the_platform, num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint
        );
        // Extension names of core functions, with their rules.
        object clCreateCommandQueueWithPropertiesKHR => queue::create_command_queue_with_properties(
            context: cl_context, device: cl_device_id, properties: *const cl_queue_properties
        ) -> cl_command_queue;
        object clCreateProgramWithILKHR => program::create_program_with_il(
            context: cl_context, il: *const c_void, length: size_t
        ) -> cl_program;
        status clGetKernelSuggestedLocalWorkSizeKHR => kernel::get_kernel_suggested_local_work_size(
            command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const size_t, global_work_size: *const size_t,
            suggested_local_work_size: *mut size_t
        );
    }

    // What clGetExtensionFunctionAddressForPlatform knows.
    extensions {
        clIcdGetPlatformIDsKHR,
        clGetKernelSubGroupInfoKHR,
        clCreateCommandQueueWithPropertiesKHR,
        clCreateProgramWithILKHR,
        clGetKernelSuggestedLocalWorkSizeKHR,
        clCreateFromGLBuffer, clCreateFromGLTexture, clCreateFromGLTexture2D, clCreateFromGLTexture3D,
        clCreateFromGLRenderbuffer, clGetGLObjectInfo, clGetGLTextureInfo, clEnqueueAcquireGLObjects,
        clEnqueueReleaseGLObjects, clGetGLContextInfoKHR, clCreateEventFromGLsyncKHR, clCreateEventFromEGLSyncKHR,
        clCreateFromEGLImageKHR, clEnqueueAcquireEGLObjectsKHR, clEnqueueReleaseEGLObjectsKHR,
    }
}

#[cfg(test)]
mod tests {
    use super::{TABLE, extension_address};

    #[test]
    fn only_extensions_are_extension_functions() {
        assert!(extension_address(c"clNoSuchFunction").is_null());
        assert!(extension_address(c"clCreateContext").is_null());
        assert!(!extension_address(c"clIcdGetPlatformIDsKHR").is_null());
    }

    #[test]
    fn the_table_ends_with_the_last_function_of_3_1() {
        assert!(TABLE.clGetKernelSuggestedLocalWorkSize.is_some());
        // Functions, not the tags of cl_khr_icd 2.0.
        assert!(TABLE.clGetPlatformIDs.is_some() && TABLE.clUnloadCompiler.is_some());
        assert_eq!(
            std::mem::offset_of!(
                opencl_sys::cl_icd::cl_icd_dispatch,
                clGetKernelSuggestedLocalWorkSize
            ) + size_of::<usize>(),
            size_of_val(&TABLE)
        );
    }
}
