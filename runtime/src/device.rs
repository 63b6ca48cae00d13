//! Devices.

use crate::error::{Error, Result};
use crate::info::Info;
use crate::object::{Kind, Ref};
use crate::platform::Platform;

/// A device.
#[derive(Debug)]
pub struct Device {
    device_type: u64,
}

impl Kind for Device {
    const TAG: u64 = u64::from_le_bytes(*b"pmcDEVIC");
    const INVALID: Error = Error::InvalidDevice;
}

/// Finds the devices.
pub fn enumerate(_platform: &Ref<Platform>) -> Vec<Ref<Device>> {
    Vec::new()
}

impl Device {
    /// CL_DEVICE_TYPE.
    pub fn device_type(&self) -> u64 {
        self.device_type
    }

    /// clGetDeviceInfo.
    pub fn info(&self, _name: u32) -> Result<Info> {
        Err(Error::InvalidValue)
    }
}

/// Nanoseconds of the host's monotonic clock since the driver's first use of it.
pub fn host_time() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_nanos() as u64
        + 1
}

impl Device {
    /// CL clGetHostTimer.
    pub fn host_time(&self) -> u64 {
        host_time()
    }
}
