//! The device's clock and the host's.

use ash::vk;

use crate::device::LogicalDevice;
use crate::device::pools::TimePair;
use crate::error::{Context, Error, Result};
use crate::os::monotonic_ns;

/// A calibration this old is made anew, since clocks drift.
const CALIBRATION_LIFE_NS: u64 = 1_000_000_000;

/// Submissions by which clocks are compared where the driver does not do it.
const MEASUREMENTS: u32 = 4;

/// The most that clocks run apart: a nanosecond in so many.
const DRIFT: u64 = 10_000;

/// The pair with the smaller distance of the host's clock from the device's.
fn closer(one: Option<TimePair>, other: TimePair) -> TimePair {
    let distance = |pair: TimePair| pair.host.wrapping_sub(pair.device) as i64;
    match one {
        Some(one) if distance(one) <= distance(other) => one,
        _ => other,
    }
}

/// The latest host time for a later device time.
fn drifted(pair: TimePair, device: u64) -> TimePair {
    let passed = device.saturating_sub(pair.device);
    TimePair {
        device,
        host: pair.host + passed + passed / DRIFT,
    }
}

/// CLOCK_MONOTONIC in nanoseconds, the host clock that [`TimePair`] speaks of.
pub fn host_time_ns() -> u64 {
    monotonic_ns()
}

impl LogicalDevice {
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

    /// The host's clock is read after the device's: a device time is never before the host's when
    /// what it times was submitted. The smallest distance of the clocks is nearest to the truth.
    fn measure_clocks(&self) -> Result<TimePair> {
        let queue = self.create_queue()?;
        let mut best: Option<TimePair> = None;
        for _ in 0..MEASUREMENTS {
            let mut recorder = queue.recorder()?;
            let timestamp = recorder.write_timestamp()?;
            let value = queue.submit(recorder, &[])?;
            queue.wait(value, None)?;
            let host = monotonic_ns();
            let device = timestamp.device_ns()?;
            best = Some(closer(best, TimePair { device, host }));
        }
        let mut clock = self.shared.clock.0.lock();
        let found = match (*clock, best) {
            (Some(old), Some(new)) => closer(Some(drifted(old, new.device)), new),
            (None, Some(new)) => new,
            (_, None) => return Err(Error::Unsupported("timestamps".into())),
        };
        *clock = Some(found);
        Ok(found)
    }

    /// A device time on the host's clock.
    ///
    /// # Errors
    /// As [`LogicalDevice::device_and_host_time`].
    pub fn to_host_time(&self, device_ns: u64) -> Result<u64> {
        let last = *self.shared.clock.0.lock();
        let fresh =
            last.filter(|pair| monotonic_ns().saturating_sub(pair.host) < CALIBRATION_LIFE_NS);
        let pair = match fresh {
            Some(pair) => pair,
            None => self.device_and_host_time()?,
        };
        Ok(pair.host.wrapping_add(device_ns.wrapping_sub(pair.device)))
    }
}
