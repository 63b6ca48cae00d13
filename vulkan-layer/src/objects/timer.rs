//! Times of work that the device itself reads.

use std::sync::Arc;

use ash::vk;

use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};

/// The device's time at the start and the end of some commands, written anew by each run of them.
/// Cheap to clone.
#[derive(Clone)]
pub struct Timer(pub(crate) Arc<TimerInner>);

pub(crate) struct TimerInner {
    device: Arc<DeviceShared>,
    pub raw: vk::QueryPool,
}

impl LogicalDevice {
    /// Makes a timer.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device's queues have no timestamps, out of memory.
    pub fn create_timer(&self) -> Result<Timer> {
        if self.shared.caps.timestamp_bits == 0 {
            return Err(Error::Unsupported("timestamps".into()));
        }
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(2);
        fault::check("vkCreateQueryPool")?;
        // SAFETY: `info` lives through the call.
        let raw = unsafe { self.shared.raw.create_query_pool(&info, None) };
        Ok(Timer(Arc::new(TimerInner {
            device: Arc::clone(&self.shared),
            raw: raw.call("vkCreateQueryPool")?,
        })))
    }
}

impl Timer {
    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        Arc::ptr_eq(&self.0.device, device)
    }
}

impl Drop for TimerInner {
    fn drop(&mut self) {
        // SAFETY: recordings keep their timers until the device is done with them.
        unsafe { self.device.raw.destroy_query_pool(self.raw, None) };
    }
}
