//! The list of entry points that only clGetExtensionFunctionAddressForPlatform knows: functions of
//! extensions that are neither in the dispatch table nor exported. The lines have the form of those in `table.rs`.
#![allow(non_camel_case_types, non_snake_case, reason = "names of the C API")]

use std::ffi::c_void;

use opencl_sys::{
    cl_bitfield, cl_bool, cl_command_buffer_info_khr, cl_command_buffer_khr,
    cl_command_buffer_properties_khr, cl_command_buffer_update_type_khr, cl_command_properties_khr,
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_external_semaphore_handle_type_khr,
    cl_image_desc, cl_image_format, cl_image_requirements_info_ext, cl_import_properties_arm,
    cl_int, cl_kernel, cl_mem, cl_mem_advice_intel, cl_mem_device_address_ext, cl_mem_flags,
    cl_mem_info_intel, cl_mem_migration_flags, cl_mem_properties, cl_mem_properties_intel,
    cl_mutable_command_info_khr, cl_mutable_command_khr, cl_platform_id, cl_semaphore_info_khr,
    cl_semaphore_khr, cl_semaphore_payload_khr, cl_semaphore_properties_khr,
    cl_semaphore_reimport_properties_khr, cl_svm_alloc_properties_khr, cl_svm_capabilities_khr,
    cl_svm_free_flags_khr, cl_svm_free_properties_khr, cl_svm_pointer_info_khr, cl_sync_point_khr,
    cl_uint,
};

use crate::shapes::entry_point;
use crate::{
    command_buffer, context, enqueue, hand_over, image, kernel, memory, platform, record,
    semaphore, shim, usm,
};

/// `size_t`.
type size_t = usize;

macro_rules! addressed {
    ($($shape:ident $name:ident => $module:ident::$function:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        mod entry {
            #[allow(clippy::wildcard_imports, reason = "the names that the list uses")]
            use super::*;
            $(entry_point!($shape $name => $module::$function($($arg: $ty),*) $(-> $ret)?);)*
        }

        /// The address of an entry point of the list; NULL for other names.
        pub(crate) fn find(name: &str) -> *mut c_void {
            match name {
                $(stringify!($name) => entry::$name as *mut c_void,)*
                _ => std::ptr::null_mut(),
            }
        }
    };
}

addressed! {
    status clTerminateContextKHR => context::terminate(context: cl_context);
    object clCreateCommandBufferKHR => command_buffer::create(
        num_queues: cl_uint, queues: *const cl_command_queue,
        properties: *const cl_command_buffer_properties_khr
    ) -> cl_command_buffer_khr;
    status clRetainCommandBufferKHR => command_buffer::retain(command_buffer: cl_command_buffer_khr);
    status clReleaseCommandBufferKHR => command_buffer::release(command_buffer: cl_command_buffer_khr);
    status clFinalizeCommandBufferKHR => command_buffer::finalize(command_buffer: cl_command_buffer_khr);
    status clEnqueueCommandBufferKHR => command_buffer::enqueue(
        num_queues: cl_uint, queues: *const cl_command_queue, command_buffer: cl_command_buffer_khr,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clGetCommandBufferInfoKHR => command_buffer::get_info(
        command_buffer: cl_command_buffer_khr, param_name: cl_command_buffer_info_khr,
        param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t
    );
    object clRemapCommandBufferKHR => command_buffer::remap(
        command_buffer: cl_command_buffer_khr, automatic: cl_bool, num_queues: cl_uint,
        queues: *const cl_command_queue, num_handles: cl_uint, handles: *const cl_mutable_command_khr,
        handles_ret: *mut cl_mutable_command_khr
    ) -> cl_command_buffer_khr;
    status clUpdateMutableCommandsKHR => command_buffer::update(
        command_buffer: cl_command_buffer_khr, num_configs: cl_uint,
        config_types: *const cl_command_buffer_update_type_khr, configs: *const *const c_void
    );
    status clGetMutableCommandInfoKHR => command_buffer::get_command_info(
        command: cl_mutable_command_khr, param_name: cl_mutable_command_info_khr,
        param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t
    );
    status clCommandBarrierWithWaitListKHR => record::barrier(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandCopyBufferKHR => record::copy_buffer(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem,
        src_offset: size_t, dst_offset: size_t, size: size_t, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandCopyBufferRectKHR => record::copy_buffer_rect(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem,
        src_origin: *const size_t, dst_origin: *const size_t, region: *const size_t,
        src_row_pitch: size_t, src_slice_pitch: size_t, dst_row_pitch: size_t, dst_slice_pitch: size_t,
        num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandCopyBufferToImageKHR => record::copy_buffer_to_image(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_image: cl_mem,
        src_offset: size_t, dst_origin: *const size_t, region: *const size_t,
        num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandCopyImageKHR => record::copy_image(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, src_image: cl_mem, dst_image: cl_mem,
        src_origin: *const size_t, dst_origin: *const size_t, region: *const size_t,
        num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandCopyImageToBufferKHR => record::copy_image_to_buffer(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, src_image: cl_mem, dst_buffer: cl_mem,
        src_origin: *const size_t, region: *const size_t, dst_offset: size_t,
        num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandFillBufferKHR => record::fill_buffer(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, buffer: cl_mem, pattern: *const c_void,
        pattern_size: size_t, offset: size_t, size: size_t, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandFillImageKHR => record::fill_image(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, image: cl_mem, fill_color: *const c_void,
        origin: *const size_t, region: *const size_t, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandNDRangeKernelKHR => record::nd_range_kernel(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, kernel: cl_kernel, work_dim: cl_uint,
        global_work_offset: *const size_t, global_work_size: *const size_t,
        local_work_size: *const size_t, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandSVMMemcpyKHR => record::svm_memcpy(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, dst_ptr: *mut c_void, src_ptr: *const c_void,
        size: size_t, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    status clCommandSVMMemFillKHR => record::svm_mem_fill(
        command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr, svm_ptr: *mut c_void, pattern: *const c_void,
        pattern_size: size_t, size: size_t, num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr
    );
    object clHostMemAllocINTEL => usm::host_alloc(
        context: cl_context, properties: *const cl_mem_properties_intel, size: size_t, alignment: cl_uint
    ) -> *mut c_void;
    object clDeviceMemAllocINTEL => usm::device_alloc(
        context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel,
        size: size_t, alignment: cl_uint
    ) -> *mut c_void;
    object clSharedMemAllocINTEL => usm::shared_alloc(
        context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel,
        size: size_t, alignment: cl_uint
    ) -> *mut c_void;
    status clMemFreeINTEL => usm::free(context: cl_context, ptr: *mut c_void);
    status clMemBlockingFreeINTEL => usm::blocking_free(context: cl_context, ptr: *mut c_void);
    status clGetMemAllocInfoINTEL => usm::get_alloc_info(
        context: cl_context, ptr: *const c_void, param_name: cl_mem_info_intel,
        param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t
    );
    status clSetKernelArgMemPointerINTEL => usm::set_kernel_arg_mem_pointer(
        kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void
    );
    status clEnqueueMemFillINTEL => usm::enqueue_fill(
        command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void,
        pattern_size: size_t, size: size_t, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueMemsetINTEL => usm::enqueue_set(
        command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: size_t,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueMemcpyINTEL => usm::enqueue_copy(
        command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void,
        src_ptr: *const c_void, size: size_t, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueMigrateMemINTEL => usm::enqueue_migrate(
        command_queue: cl_command_queue, ptr: *const c_void, size: size_t,
        flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueMemAdviseINTEL => usm::enqueue_advise(
        command_queue: cl_command_queue, ptr: *const c_void, size: size_t,
        advice: cl_mem_advice_intel, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event
    );
    object clSVMAllocWithPropertiesKHR => usm::svm_alloc(
        context: cl_context, properties: *const cl_svm_alloc_properties_khr,
        svm_type_index: cl_uint, size: size_t
    ) -> *mut c_void;
    status clSVMFreeWithPropertiesKHR => usm::svm_free(
        context: cl_context, properties: *const cl_svm_free_properties_khr,
        flags: cl_svm_free_flags_khr, ptr: *mut c_void
    );
    status clGetSVMPointerInfoKHR => usm::get_svm_pointer_info(
        context: cl_context, device: cl_device_id, ptr: *const c_void,
        param_name: cl_svm_pointer_info_khr, param_value_size: size_t, param_value: *mut c_void,
        param_value_size_ret: *mut size_t
    );
    status clGetSVMSuggestedTypeIndexKHR => usm::get_svm_suggested_type_index(
        context: cl_context, required_capabilities: cl_svm_capabilities_khr,
        desired_capabilities: cl_svm_capabilities_khr,
        properties: *const cl_svm_alloc_properties_khr, size: size_t,
        suggested_svm_type_index: *mut cl_uint
    );
    status clSetKernelArgDevicePointerEXT => kernel::set_kernel_arg_device_pointer(
        kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_mem_device_address_ext
    );
    object clCreateSemaphoreWithPropertiesKHR => semaphore::create(
        context: cl_context, sema_props: *const cl_semaphore_properties_khr
    ) -> cl_semaphore_khr;
    status clRetainSemaphoreKHR => semaphore::retain(sema_object: cl_semaphore_khr);
    status clReleaseSemaphoreKHR => semaphore::release(sema_object: cl_semaphore_khr);
    status clEnqueueWaitSemaphoresKHR => semaphore::enqueue_wait(
        command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
        sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueSignalSemaphoresKHR => semaphore::enqueue_signal(
        command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
        sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clGetSemaphoreHandleForTypeKHR => semaphore::get_handle(
        sema_object: cl_semaphore_khr, device: cl_device_id,
        handle_type: cl_external_semaphore_handle_type_khr, handle_size: size_t,
        handle_ptr: *mut c_void, handle_size_ret: *mut size_t
    );
    status clGetSemaphoreInfoKHR => semaphore::get_info(
        sema_object: cl_semaphore_khr, param_name: cl_semaphore_info_khr, param_value_size: size_t,
        param_value: *mut c_void, param_value_size_ret: *mut size_t
    );
    status clEnqueueAcquireExternalMemObjectsKHR => hand_over::acquire_memory(
        command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueReleaseExternalMemObjectsKHR => hand_over::release_memory(
        command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event
    );
    status clEnqueueMigrateMemObjectEXT => enqueue::enqueue_migrate_mem_object_ext(
        command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
        flags: cl_bitfield, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
        event: *mut cl_event
    );
    object clCreateBufferWithPropertiesINTEL => memory::create_buffer_with_properties_intel(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: size_t,
        host_ptr: *mut c_void
    ) -> cl_mem;
    object clImportMemoryARM => memory::import_memory(
        context: cl_context, flags: cl_mem_flags, properties: *const cl_import_properties_arm,
        memory: *mut c_void, size: size_t
    ) -> cl_mem;
    status clGetImageRequirementsInfoEXT => image::get_image_requirements_info(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
        image_format: *const cl_image_format, image_desc: *const cl_image_desc,
        param_name: cl_image_requirements_info_ext, param_value_size: size_t, param_value: *mut c_void,
        param_value_size_ret: *mut size_t
    );
    status clSetContentSizeBufferPoCL => memory::set_content_size_buffer(
        buffer: cl_mem, content_size_buffer: cl_mem
    );
    status clReImportSemaphoreSyncFdKHR => semaphore::reimport_sync_fd(
        sema_object: cl_semaphore_khr, reimport_props: *const cl_semaphore_reimport_properties_khr,
        fd: cl_int
    );
    // Ours alone, for pumice-info.
    status pumiceReport => platform::report(
        platform: cl_platform_id, size: size_t, text: *mut c_void, size_ret: *mut size_t
    );
}
