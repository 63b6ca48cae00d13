//! Contexts that can be terminated (cl_khr_terminate_context): the flags that their kernels look at while they run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use pumice_vulkan_layer::{self as vk, Buffer, LogicalDevice, MemoryClass};

use crate::base::error::{Error, Result};
use crate::base::log;
use crate::base::object::Ref;
use crate::device::{Device, gpu};

/// The word that ends kernels.
const SET: [u8; 4] = 1_u32.to_le_bytes();

/// The longest wait for a queue without commands to set a flag.
const PATIENCE: Duration = Duration::from_secs(1);

/// The flags of a context, and whether they are set.
pub(super) struct Termination {
    /// One for each device.
    flags: Vec<Buffer>,
    terminated: AtomicBool,
    /// Guards the queues on which devices set their flags, which stay until that has happened.
    setting: Mutex<Vec<vk::Queue>>,
}

impl Termination {
    /// Flags that are not set.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(devices: &[Ref<Device>]) -> Result<Self> {
        let flag = |device: &Ref<Device>| {
            let made = (device.gpu()?.raw()).create_buffer(4, MemoryClass::HostVisibleDevice);
            let flag = made.map_err(gpu::error)?;
            flag.write(0, &[0; 4]).map_err(gpu::error)?;
            Ok(flag)
        };
        Ok(Self {
            flags: devices.iter().map(flag).collect::<Result<_>>()?,
            terminated: AtomicBool::new(false),
            setting: Mutex::default(),
        })
    }

    /// The flag of the device at a place.
    pub fn flag(&self, index: usize) -> Option<&Buffer> {
        self.flags.get(index)
    }

    /// Tells whether the flags are set.
    pub fn is_set(&self) -> bool {
        self.terminated.load(Ordering::Acquire)
    }

    /// Sets the flags.
    ///
    /// # Errors
    /// [`Error::ContextTerminated`] if they are set.
    pub fn set(&self, devices: &[Ref<Device>]) -> Result<()> {
        if self.terminated.swap(true, Ordering::AcqRel) {
            return Err(Error::ContextTerminated.because("it has been terminated before"));
        }
        for (device, flag) in devices.iter().zip(&self.flags) {
            flag.write(0, &SET).map_err(gpu::error)?;
            if let Err(error) = self.set_on_device(device, flag) {
                log::warn!("a device with several queues does not set its flag: {error}");
            }
        }
        Ok(())
    }

    /// Has the device set the flag: what it has read it may keep in a cache, which its own writes pass, but not the
    /// host's. A queue without commands does so at once. Where all have some, each is told to, without order: the kernels
    /// that run may be on any of them, and all write the same.
    fn set_on_device(&self, device: &Ref<Device>, flag: &Buffer) -> vk::Result<()> {
        let Ok(gpu) = device.gpu() else { return Ok(()) };
        let raw = gpu.raw();
        let queues = raw.capabilities().opened_queues();
        if queues < 2 {
            return Ok(());
        }
        let busy = gpu.busy_queues();
        let idle = (0..queues).find(|index| !busy.contains(index));
        if let Some(index) = idle {
            let (queue, value) = set_on_queue(raw, index, flag)?;
            let is_set = queue.wait(value, Some(PATIENCE))?;
            self.setting.lock().push(queue);
            if is_set {
                return Ok(());
            }
        }
        for index in (0..queues).filter(|&index| idle != Some(index)) {
            let (queue, _) = set_on_queue(raw, index, flag)?;
            self.setting.lock().push(queue);
        }
        Ok(())
    }
}

/// Submits the write of a flag to a queue of the device's; gives the value at its end.
fn set_on_queue(raw: &LogicalDevice, index: u32, flag: &Buffer) -> vk::Result<(vk::Queue, u64)> {
    let queue = raw.create_queue_at(Some(index))?;
    let mut recorder = queue.recorder()?;
    recorder.fill_buffer(flag, 0, 4, &SET)?;
    let value = queue.submit(recorder, &[])?;
    Ok((queue, value))
}
