//! Device queues: the properties of memory that kernels enqueue others into. The memory itself belongs
//! to launches.

use std::sync::{Arc, Weak};

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::context::Context;
use crate::device::queue_limits::{MAX_SIZE, PLACES, PREFERRED_SIZE};
use crate::device::{Device, extensions};

/// The device queues of one device of a context.
#[derive(Default)]
pub(super) struct DeviceQueues {
    /// The numbers in use.
    taken: [bool; PLACES],
    default: Weak<Object<DeviceQueue>>,
}

/// A command queue on the device.
pub struct DeviceQueue {
    context: Ref<Context>,
    device: Ref<Device>,
    /// The device's place in the context.
    index: usize,
    number: u32,
    size: u32,
    properties: u64,
    /// The list given to clCreateCommandQueueWithProperties, with its terminator.
    property_list: Vec<u64>,
}

impl std::fmt::Debug for DeviceQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceQueue")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl Kind for DeviceQueue {
    const TAG: u64 = u64::from_le_bytes(*b"pmcDEVQU");
    const INVALID: Error = Error::InvalidCommandQueue;

    fn error_callback(&self) -> Option<Callback> {
        self.context.error_callback()
    }
}

impl DeviceQueue {
    /// clCreateCommandQueueWithProperties with CL_QUEUE_ON_DEVICE, after the list. The default queue
    /// that there is already is given again.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateCommandQueueWithProperties, in its order.
    pub fn create(
        context: &Ref<Context>,
        device: &Ref<Device>,
        properties: u64,
        property_list: Vec<u64>,
        size: Option<u32>,
    ) -> Result<Ref<DeviceQueue>> {
        // CL_INVALID_DEVICE if device is not associated with context.
        let index = context.device_index(device).ok_or(Error::InvalidDevice)?;
        // CL_INVALID_QUEUE_PROPERTIES if the device does not support the properties.
        if !device.has_device_enqueue() {
            let reason = "the device has no device queues";
            return Err(Error::InvalidQueueProperties.because(reason));
        }
        let size = size.unwrap_or(PREFERRED_SIZE);
        if size > MAX_SIZE {
            let reason = format!("CL_QUEUE_SIZE is {size}, the device's most is {MAX_SIZE}");
            return Err(Error::InvalidQueueProperties.because(reason));
        }
        let is_default = properties & cl::CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        let mut all = context.device_queues.lock();
        let queues = &mut all[index];
        if let (true, Some(default)) = (is_default, queues.default.upgrade()) {
            return Ok(default);
        }
        let free = queues.taken.iter().position(|taken| !taken);
        let number = free.ok_or_else(|| {
            let reason = format!("the device has {PLACES} device queues already");
            Error::OutOfResources.because(reason)
        })?;
        queues.taken[number] = true;
        let queue = Object::new(DeviceQueue {
            context: context.clone(),
            device: device.clone(),
            index,
            number: number as u32,
            size,
            properties,
            property_list,
        });
        if is_default {
            queues.default = Arc::downgrade(&queue);
        }
        Ok(queue)
    }

    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The device.
    pub fn device(&self) -> &Ref<Device> {
        &self.device
    }

    /// Its number among the device's.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// CL_QUEUE_SIZE.
    pub fn size(&self) -> u32 {
        self.size
    }
}

impl Object<DeviceQueue> {
    /// clGetCommandQueueInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<DeviceQueue>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_QUEUE_CONTEXT => Info::object(&self.context),
            cl::CL_QUEUE_DEVICE => Info::object(&self.device),
            cl::CL_QUEUE_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_QUEUE_PROPERTIES => Info::u64(self.properties),
            cl::CL_QUEUE_PROPERTIES_ARRAY => Info::u64s(&self.property_list),
            cl::CL_QUEUE_SIZE => Info::u32(self.size),
            cl::CL_QUEUE_DEVICE_DEFAULT => {
                Info::optional(self.context.default_device_queue(&self.device).as_ref())
            }
            _ => return Err(Error::InvalidValue),
        })
    }
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        let mut all = self.context.device_queues.lock();
        all[self.index].taken[self.number as usize] = false;
    }
}

impl Device {
    /// Tells whether kernels can enqueue others.
    pub fn has_device_enqueue(&self) -> bool {
        extensions::device_enqueue(self.offered())
    }
}

impl Object<Context> {
    /// The default device queue of a device.
    pub fn default_device_queue(&self, device: &Ref<Device>) -> Option<Ref<DeviceQueue>> {
        let index = self.device_index(device)?;
        self.device_queues.lock()[index].default.upgrade()
    }

    /// clSetDefaultDeviceCommandQueue, after the handle.
    ///
    /// # Errors
    /// Those that the specification lists for clSetDefaultDeviceCommandQueue.
    pub fn set_default_device_queue(
        self: &Ref<Context>,
        device: &Ref<Device>,
        queue: &Ref<DeviceQueue>,
    ) -> Result<()> {
        let index = self.device_index(device).ok_or(Error::InvalidDevice)?;
        // CL_INVALID_COMMAND_QUEUE if it is no device queue of the device.
        if queue.context.handle() != self.handle() || queue.index != index {
            let reason = "the queue is of another context or device";
            return Err(Error::InvalidCommandQueue.because(reason));
        }
        self.device_queues.lock()[index].default = Arc::downgrade(queue);
        Ok(())
    }
}
