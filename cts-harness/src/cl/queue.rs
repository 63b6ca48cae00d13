//! More of a device: other queues, events, mapped memory, sub-buffers.

use super::{Buffer, Kernel, Result, Session, check};
use cl_sys::{
    CL_BUFFER_CREATE_TYPE_REGION, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_READ_WRITE, CL_QUEUE_ON_DEVICE,
    CL_QUEUE_ON_DEVICE_DEFAULT, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, CL_TRUE, cl_buffer_region, cl_command_queue,
    cl_command_queue_properties, cl_event, cl_uint,
};
use std::ptr;

/// An event.
pub struct Event {
    event: cl_event,
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: returned by an enqueue, released once.
        unsafe { cl_sys::clReleaseEvent(self.event) };
    }
}

/// CL_QUEUE_SIZE of queues other than the default one, in bytes: as the interpreter has it.
const SMALL_QUEUE: cl_sys::cl_queue_properties = 64 << 10;

/// A queue that kernels enqueue into.
#[derive(Debug)]
pub struct DeviceQueue {
    pub(super) queue: cl_command_queue,
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        // SAFETY: returned by clCreateCommandQueueWithProperties, released once.
        unsafe { cl_sys::clReleaseCommandQueue(self.queue) };
    }
}

impl Session {
    /// Makes a queue on the device: the one that get_default_queue gives, of the preferred size, or a
    /// small one.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn device_queue(&self, is_default: bool) -> Result<DeviceQueue> {
        let default = if is_default {
            CL_QUEUE_ON_DEVICE_DEFAULT
        } else {
            0
        };
        let bits = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | default;
        let size = if is_default { 0 } else { SMALL_QUEUE };
        // Without a size the list ends there.
        let name = if is_default { 0 } else { CL_QUEUE_SIZE };
        let list = [CL_QUEUE_PROPERTIES.into(), bits, name.into(), size, 0];
        let mut code = 0;
        // SAFETY: the context is this device's, and the list ends with 0.
        let queue = unsafe {
            cl_sys::clCreateCommandQueueWithProperties(
                self.context,
                self.device,
                list.as_ptr(),
                &mut code,
            )
        };
        check("clCreateCommandQueueWithProperties", code)?;
        Ok(DeviceQueue { queue })
    }

    /// The same device and context with an out-of-order queue.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn out_of_order(&self) -> Result<Session> {
        self.with_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    }

    /// The same device and context with a queue that profiles.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn profiling(&self) -> Result<Session> {
        self.with_queue(CL_QUEUE_PROFILING_ENABLE)
    }

    fn with_queue(&self, properties: cl_command_queue_properties) -> Result<Session> {
        let mut code = 0;
        // SAFETY: the context is this device's.
        let queue = unsafe {
            cl_sys::clCreateCommandQueue(self.context, self.device, properties, &mut code)
        };
        check("clCreateCommandQueue", code)?;
        // SAFETY: a valid context; the new device's `Drop` gives the reference back.
        check("clRetainContext", unsafe {
            cl_sys::clRetainContext(self.context)
        })?;
        Ok(Session {
            device: self.device,
            context: self.context,
            queue,
            platform_name: self.platform_name.clone(),
            name: self.name.clone(),
            version: self.version.clone(),
        })
    }

    /// Enqueues a kernel behind an event and gives the event of its end.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn enqueue_after(
        &self,
        kernel: &Kernel,
        global: usize,
        wait: Option<&Event>,
    ) -> Result<Event> {
        let list = wait.map(|event| event.event);
        let list = list.as_slice();
        let waits = if list.is_empty() {
            ptr::null()
        } else {
            list.as_ptr()
        };
        let mut event: cl_event = ptr::null_mut();
        // SAFETY: one dimension with its size, a list of its length, room for one event.
        let code = unsafe {
            cl_sys::clEnqueueNDRangeKernel(
                self.queue,
                kernel.kernel,
                1,
                ptr::null(),
                &global,
                ptr::null(),
                list.len() as cl_uint,
                waits,
                &mut event,
            )
        };
        check("clEnqueueNDRangeKernel", code)?;
        Ok(Event { event })
    }

    /// A buffer that nothing has written.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn new_buffer(&self, size: usize) -> Result<Buffer> {
        let mut code = 0;
        // SAFETY: a valid context, and no memory of the host's.
        let mem = unsafe {
            cl_sys::clCreateBuffer(
                self.context,
                CL_MEM_READ_WRITE,
                size,
                ptr::null_mut(),
                &mut code,
            )
        };
        check("clCreateBuffer", code)?;
        Ok(Buffer { mem, size })
    }

    /// Enqueues a kernel a thousand times and waits.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn launch_many(&self, kernel: &Kernel) -> Result<()> {
        for _ in 0..1000 {
            self.enqueue(kernel, None, &[64], None)?;
        }
        self.finish()
    }

    /// Maps the first bytes of a buffer for reading and writing, hands them to `work`, unmaps
    /// them and waits for that.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn with_mapped(
        &self,
        buffer: &Buffer,
        bytes: usize,
        work: impl FnOnce(&mut [u8]),
    ) -> Result<()> {
        let mut code = 0;
        // SAFETY: a valid queue and buffer; the call fails where the buffer is smaller.
        let pointer = unsafe {
            cl_sys::clEnqueueMapBuffer(
                self.queue,
                buffer.mem,
                CL_TRUE,
                CL_MAP_READ | CL_MAP_WRITE,
                0,
                bytes,
                0,
                ptr::null(),
                ptr::null_mut(),
                &mut code,
            )
        };
        check("clEnqueueMapBuffer", code)?;
        // SAFETY: the blocking map has succeeded for `bytes` bytes, which are ours until unmapped.
        work(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), bytes) });
        // SAFETY: the pointer that the map returned, and no slice of it is left.
        let code = unsafe {
            cl_sys::clEnqueueUnmapMemObject(
                self.queue,
                buffer.mem,
                pointer,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueUnmapMemObject", code)?;
        self.finish()
    }

    /// A part of a buffer as a buffer.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn sub_buffer(&self, buffer: &Buffer, origin: usize, size: usize) -> Result<Buffer> {
        let region = cl_buffer_region { origin, size };
        let mut code = 0;
        // SAFETY: the create info is the region that the create type asks for.
        let mem = unsafe {
            cl_sys::clCreateSubBuffer(
                buffer.mem,
                CL_MEM_READ_WRITE,
                CL_BUFFER_CREATE_TYPE_REGION,
                ptr::from_ref(&region).cast(),
                &mut code,
            )
        };
        check("clCreateSubBuffer", code)?;
        Ok(Buffer { mem, size })
    }
}
