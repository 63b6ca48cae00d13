//! Timestamps, and how the device's clock relates to the host's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use parking_lot::Mutex;

use crate::device::{Device, DeviceShared};
use crate::error::{Context, Error, Result};
use crate::fault;
use crate::raw::host_clock_ns;

/// A place for the device's time, written by [`crate::Recorder::write_timestamp`]. Cheap to clone.
#[derive(Clone)]
pub struct Timestamp(Arc<Slot>);

struct Slot {
    device: Arc<DeviceShared>,
    raw: vk::QueryPool,
    /// Which of the device's pools that is.
    pool: usize,
    index: u32,
    written: AtomicBool,
}

/// The device's query pools.
#[derive(Default)]
pub(crate) struct QueryPools(Mutex<Pools>);

#[derive(Default)]
struct Pools {
    all: Vec<Pool>,
    /// Which of them new timestamps come from.
    open: usize,
}

/// Queries that are reset together, by the host, when none of them is in use and all have been.
struct Pool {
    raw: vk::QueryPool,
    /// Queries handed out since the reset, the first of the pool.
    taken: u32,
    /// Those of them that are in use.
    live: u32,
}

/// Queries per pool.
const POOL_QUERIES: u32 = 512;

/// The last calibration.
#[derive(Default)]
pub(crate) struct Clock(Mutex<Option<TimePair>>);

/// One moment on both clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePair {
    /// The device's clock.
    pub device: u64,
    /// CLOCK_MONOTONIC.
    pub host: u64,
}

/// A calibration this old is made anew, since clocks drift.
const CALIBRATION_LIFE_NS: u64 = 1_000_000_000;

/// CLOCK_MONOTONIC in nanoseconds, the host clock that [`TimePair`] speaks of.
pub fn host_time_ns() -> u64 {
    host_clock_ns()
}

impl Pool {
    fn create(device: &DeviceShared) -> Result<Self> {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(POOL_QUERIES);
        fault::check("vkCreateQueryPool")?;
        // SAFETY: `info` lives through the call.
        let raw = unsafe { device.raw.create_query_pool(&info, None) };
        let raw = raw.call("vkCreateQueryPool")?;
        let mut pool = Self {
            raw,
            taken: 0,
            live: 0,
        };
        pool.reset(device);
        Ok(pool)
    }

    fn reset(&mut self, device: &DeviceShared) {
        // SAFETY: recorders keep their timestamps until the device is done, and none is left, so
        // no query is in use; hostQueryReset is enabled where there are timestamps.
        unsafe { device.raw.reset_query_pool(self.raw, 0, POOL_QUERIES) };
        self.taken = 0;
    }
}

impl QueryPools {
    /// # Safety
    /// No query is in use, and `device` is the one that the pools were made from.
    pub unsafe fn destroy(&self, device: &ash::Device) {
        for pool in self.0.lock().all.drain(..) {
            // SAFETY: by this function's contract.
            unsafe { device.destroy_query_pool(pool.raw, None) };
        }
    }

    /// A query that was reset: its pool, which of the device's that is, and its place there.
    fn take(&self, device: &DeviceShared) -> Result<(vk::QueryPool, usize, u32)> {
        let mut guard = self.0.lock();
        let pools = &mut *guard;
        let full = |pool: &Pool| pool.taken == POOL_QUERIES;
        if pools.all.get(pools.open).is_none_or(full) {
            pools.open = match pools.all.iter().position(|pool| pool.live == 0) {
                Some(idle) => {
                    pools.all[idle].reset(device);
                    idle
                }
                None => {
                    pools.all.push(Pool::create(device)?);
                    pools.all.len() - 1
                }
            };
        }
        let pool = &mut pools.all[pools.open];
        let index = pool.taken;
        pool.taken += 1;
        pool.live += 1;
        Ok((pool.raw, pools.open, index))
    }
}

/// Ticks to nanoseconds, without the rounding of a float product.
fn ticks_to_ns(ticks: u64, period: f32) -> u64 {
    const SHIFT: u32 = 24;
    let scaled = (f64::from(period) * f64::from(1 << SHIFT)).round() as u128;
    ((u128::from(ticks) * scaled) >> SHIFT) as u64
}

impl DeviceShared {
    fn ns(&self, ticks: u64) -> u64 {
        let bits = self.caps.timestamp_bits;
        let mask = u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0);
        ticks_to_ns(ticks & mask, self.caps.timestamp_period)
    }
}

impl Device {
    /// Makes a timestamp.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device's queues have none or the host cannot reset queries,
    /// out of memory.
    pub fn create_timestamp(&self) -> Result<Timestamp> {
        let caps = &self.shared.caps;
        if caps.timestamp_bits == 0 || !caps.features.host_query_reset {
            return Err(Error::Unsupported("timestamps".into()));
        }
        let (raw, pool, index) = self.shared.queries.take(&self.shared)?;
        Ok(Timestamp(Arc::new(Slot {
            device: Arc::clone(&self.shared),
            raw,
            pool,
            index,
            written: AtomicBool::new(false),
        })))
    }

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
        let timestamp = self.create_timestamp()?;
        let mut recorder = queue.recorder()?;
        recorder.write_timestamp(&timestamp)?;
        let before = host_clock_ns();
        let value = queue.submit(recorder, &[])?;
        queue.wait(value, None)?;
        let after = host_clock_ns();
        let device = timestamp.device_ns()?;
        let pair = TimePair {
            device: device.ok_or_else(|| Error::Unsupported("timestamps".into()))?,
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

impl Timestamp {
    pub(crate) fn place(&self, device: &Arc<DeviceShared>) -> Result<(vk::QueryPool, u32)> {
        if !Arc::ptr_eq(&self.0.device, device) {
            return Err(Error::InvalidUse("a timestamp of another device".into()));
        }
        Ok((self.0.raw, self.0.index))
    }

    pub(crate) fn mark_written(&self) {
        self.0.written.store(true, Ordering::Release);
    }

    /// The device's time in nanoseconds; `None` while it is not written. To be called once the
    /// submission that writes it is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn device_ns(&self) -> Result<Option<u64>> {
        if !self.0.written.load(Ordering::Acquire) {
            return Ok(None);
        }
        let mut ticks = [0_u64];
        // SAFETY: the query belongs to this timestamp; `ticks` holds one 64-bit result.
        let result = unsafe {
            (self.0.device.raw).get_query_pool_results(
                self.0.raw,
                self.0.index,
                &mut ticks,
                vk::QueryResultFlags::TYPE_64,
            )
        };
        match result {
            Ok(()) => Ok(Some(self.0.device.ns(ticks[0]))),
            Err(vk::Result::NOT_READY) => Ok(None),
            Err(result) => Err(Error::from_vk("vkGetQueryPoolResults", result)),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Recorders keep the timestamp until the device has written it.
        self.device.queries.0.lock().all[self.pool].live -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::ticks_to_ns;

    #[test]
    fn ticks() {
        assert_eq!(ticks_to_ns(u64::MAX, 1.0), u64::MAX);
        assert_eq!(ticks_to_ns(1 << 60, 0.5), 1 << 59);
        assert_eq!(ticks_to_ns(12, 83.333), 999);
        assert_eq!(ticks_to_ns(1_000_000_007, 1.0), 1_000_000_007);
    }
}
