//! The device's clock and the host's.

use ash::vk;

use crate::device::Device;
use crate::device::pools::TimePair;
use crate::error::{Context, Result};
use crate::raw::host_clock_ns;

/// A calibration this old is made anew, since clocks drift.
const CALIBRATION_LIFE_NS: u64 = 1_000_000_000;

/// CLOCK_MONOTONIC in nanoseconds, the host clock that [`TimePair`] speaks of.
pub fn host_time_ns() -> u64 {
    host_clock_ns()
}

impl Device {
    /// This moment on the device's and the host's clock (clGetDeviceAndHostTimer). Exact where
    /// the driver calibrates; elsewhere a small submission is timed, which takes longer.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device has no timestamps, [`Error::DeviceLost`].
    pub fn device_and_host_time(&self) -> Result<TimePair> {
        let Some(functions) = &self.shared.calibrated else {
            return self.measure_clocks();
        };
        let info = [
            vk::TimeDomainEXT::DEVICE,
            vk::TimeDomainEXT::CLOCK_MONOTONIC,
        ]
        .map(|domain| vk::CalibratedTimestampInfoEXT::default().time_domain(domain));
        // SAFETY: the extension is enabled and offers both domains.
        let both = unsafe { functions.get_calibrated_timestamps(&info) };
        let (times, _) = both.call("vkGetCalibratedTimestampsEXT")?;
        let pair = TimePair {
            device: self.shared.ns(times[0]),
            host: times[1],
        };
        *self.shared.clock.0.lock() = Some(pair);
        Ok(pair)
    }

    fn measure_clocks(&self) -> Result<TimePair> {
        let queue = self.create_queue()?;
        let mut recorder = queue.recorder()?;
        let timestamp = recorder.write_timestamp()?;
        let before = host_clock_ns();
        let value = queue.submit(recorder, &[])?;
        queue.wait(value, None)?;
        let after = host_clock_ns();
        let pair = TimePair {
            device: timestamp.device_ns()?,
            host: before + (after - before) / 2,
        };
        *self.shared.clock.0.lock() = Some(pair);
        Ok(pair)
    }

    /// A device time on the host's clock.
    ///
    /// # Errors
    /// As [`Device::device_and_host_time`].
    pub fn to_host_time(&self, device_ns: u64) -> Result<u64> {
        let last = *self.shared.clock.0.lock();
        let fresh =
            last.filter(|pair| host_clock_ns().saturating_sub(pair.host) < CALIBRATION_LIFE_NS);
        let pair = match fresh {
            Some(pair) => pair,
            None => self.device_and_host_time()?,
        };
        Ok(pair.host.wrapping_add(device_ns.wrapping_sub(pair.device)))
    }
}
