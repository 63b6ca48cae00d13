//! Timestamps.

use std::sync::Arc;

use ash::vk;
use parking_lot::Mutex;

use crate::device::DeviceShared;
use crate::device::fault;
use crate::error::{Context, Error, Result};
use crate::objects::buffer::{Buffer, MemoryClass};

/// The device's time at a place between commands, written by [`crate::Recorder::write_timestamp`].
/// Cheap to clone.
#[derive(Clone)]
pub struct Timestamp(Arc<Slot>);

struct Slot {
    pools: Arc<TimestampPools>,
    /// Index into the pools.
    pool: usize,
    index: u32,
    /// The pool's results.
    results: Buffer,
}

/// A queue's query pools.
pub(crate) struct TimestampPools {
    device: Arc<DeviceShared>,
    pools: Mutex<Pools>,
}

#[derive(Default)]
struct Pools {
    all: Vec<Pool>,
    /// Index of the pool that new timestamps come from.
    open: usize,
}

/// Queries that are used again when all have been used and none is in use. The host resets them together
/// then; where it cannot, the device resets each before it is written.
struct Pool {
    raw: vk::QueryPool,
    /// Buffer that the device copies the times to. Asking the driver for them would make some
    /// drivers (lavapipe) wait for everything submitted.
    results: Buffer,
    /// Queries handed out since the pool is used again, the first of the pool.
    taken: u32,
    /// Those of them that are in use.
    live: u32,
}

/// Consecutive queries of a pool.
pub(crate) struct QueryRun {
    pub pool: vk::QueryPool,
    pub first: u32,
    pub count: u32,
    pub results: Buffer,
}

/// Queries per pool.
const POOL_QUERIES: u32 = 512;
/// Bytes of a result.
pub(crate) const RESULT_SIZE: u64 = 8;

impl Pool {
    fn create(device: &Arc<DeviceShared>) -> Result<Self> {
        let size = u64::from(POOL_QUERIES) * RESULT_SIZE;
        let results = Buffer::allocate(device, size, MemoryClass::Readback)?;
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(POOL_QUERIES);
        fault::check("vkCreateQueryPool")?;
        // SAFETY: `info` lives through the call.
        let raw = unsafe { device.raw.create_query_pool(&info, None) };
        let mut pool = Self {
            raw: raw.call("vkCreateQueryPool")?,
            results,
            taken: 0,
            live: 0,
        };
        pool.reset(device);
        Ok(pool)
    }

    fn reset(&mut self, device: &DeviceShared) {
        if device.caps.features.host_query_reset {
            let reset = device.functions.reset_query_pool;
            // SAFETY: recorders keep their timestamps until the device is done, and none is left, so
            // no query is in use; hostQueryReset is enabled.
            unsafe { reset(device.raw.handle(), self.raw, 0, POOL_QUERIES) };
        }
        self.taken = 0;
    }
}

impl TimestampPools {
    pub fn new(device: &Arc<DeviceShared>) -> Arc<Self> {
        Arc::new(Self {
            device: Arc::clone(device),
            pools: Mutex::default(),
        })
    }

    /// A timestamp whose query was reset, if the host can do that.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device's queues have none, out of memory.
    pub fn take(self: &Arc<Self>) -> Result<Timestamp> {
        if self.device.caps.timestamp_bits == 0 {
            return Err(Error::Unsupported("timestamps".into()));
        }
        let mut guard = self.pools.lock();
        let pools = &mut *guard;
        let full = |pool: &Pool| pool.taken == POOL_QUERIES;
        if pools.all.get(pools.open).is_none_or(full) {
            pools.open = match pools.all.iter().position(|pool| pool.live == 0) {
                Some(idle) => {
                    pools.all[idle].reset(&self.device);
                    idle
                }
                None => {
                    pools.all.push(Pool::create(&self.device)?);
                    pools.all.len() - 1
                }
            };
        }
        let pool = &mut pools.all[pools.open];
        let index = pool.taken;
        pool.taken += 1;
        pool.live += 1;
        Ok(Timestamp(Arc::new(Slot {
            pools: Arc::clone(self),
            pool: pools.open,
            index,
            results: pool.results.clone(),
        })))
    }
}

impl Drop for TimestampPools {
    fn drop(&mut self) {
        for pool in self.pools.get_mut().all.drain(..) {
            // SAFETY: timestamps keep this, and recorders the timestamps until the device is done,
            // so no query is in use.
            unsafe { self.device.raw.destroy_query_pool(pool.raw, None) };
        }
    }
}

/// Ticks to nanoseconds, without the rounding of a float product.
fn ticks_to_ns(ticks: u64, period: f32) -> u64 {
    const SHIFT: u32 = 24;
    let scaled = (f64::from(period) * f64::from(1 << SHIFT)).round() as u128;
    ((u128::from(ticks) * scaled) >> SHIFT) as u64
}

impl DeviceShared {
    /// Nanoseconds of a timestamp on the device's clock.
    pub fn ns(&self, ticks: u64) -> u64 {
        let bits = self.caps.timestamp_bits;
        let mask = u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0);
        ticks_to_ns(ticks & mask, self.caps.timestamp_period)
    }
}

impl Timestamp {
    /// The raw pool and its query, to be written.
    pub(crate) fn place(&self) -> (vk::QueryPool, u32) {
        let slot = &self.0;
        (slot.pools.pools.lock().all[slot.pool].raw, slot.index)
    }

    /// The device's time in nanoseconds. To be called once the submission that writes it is done.
    ///
    /// # Errors
    /// None that a device can give.
    pub fn device_ns(&self) -> Result<u64> {
        let mut ticks = [0; RESULT_SIZE as usize];
        let slot = &self.0;
        (slot.results).read(u64::from(slot.index) * RESULT_SIZE, &mut ticks)?;
        Ok(slot.pools.device.ns(u64::from_ne_bytes(ticks)))
    }
}

/// The queries of timestamps of one queue, in the order of their writing, as few runs.
pub(crate) fn runs(timestamps: &[Timestamp]) -> Vec<QueryRun> {
    let mut runs: Vec<QueryRun> = Vec::new();
    for timestamp in timestamps {
        let (pool, index) = timestamp.place();
        match runs.last_mut() {
            Some(run) if run.pool == pool && run.first + run.count == index => run.count += 1,
            _ => runs.push(QueryRun {
                pool,
                first: index,
                count: 1,
                results: timestamp.0.results.clone(),
            }),
        }
    }
    runs
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Recorders keep the timestamp until the device has written it.
        self.pools.pools.lock().all[self.pool].live -= 1;
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
