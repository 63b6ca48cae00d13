//! Contexts that can be terminated (cl_khr_terminate_context): the flags that their kernels look at while they run.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use pumice_vulkan_layer::{self as vk, Buffer, MemoryClass};

use crate::base::error::{Error, Result};
use crate::base::log;
use crate::base::object::Ref;
use crate::device::{Device, gpu};

/// The word that ends kernels.
const SET: [u8; 4] = 1_u32.to_le_bytes();

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

    /// Has the device set the flag on each of its queues: one of them may be free of the kernels that run. What a
    /// device has read it may keep in a cache, which its own writes pass, but not the host's.
    fn set_on_device(&self, device: &Ref<Device>, flag: &Buffer) -> vk::Result<()> {
        let Ok(gpu) = device.gpu() else { return Ok(()) };
        let raw = gpu.raw();
        let queues = raw.capabilities().opened_queues();
        if queues < 2 {
            return Ok(());
        }
        let mut setting = self.setting.lock();
        for index in 0..queues {
            let queue = raw.create_queue_at(Some(index))?;
            let mut recorder = queue.recorder()?;
            recorder.fill_buffer(flag, 0, 4, &SET)?;
            queue.submit(recorder, &[])?;
            setting.push(queue);
        }
        Ok(())
    }
}
