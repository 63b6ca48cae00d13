//! Objects and values that a device keeps for all that is made from it.

use ash::vk;
use parking_lot::Mutex;

use super::{DeviceShared, fault};
use crate::error::{Context, Error, Result};

/// The device's pools. The lock is Vulkan's external synchronisation of all of them.
#[derive(Default)]
pub(crate) struct DescriptorPools(Mutex<Vec<vk::DescriptorPool>>);

/// Sets per pool.
pub(crate) const POOL_SETS: u32 = 256;

impl DescriptorPools {
    /// # Safety
    /// No set of any pool is in use, and `device` is the one that the pools were made from.
    pub unsafe fn destroy(&self, device: &ash::Device) {
        for pool in self.0.lock().drain(..) {
            // SAFETY: by this function's contract.
            unsafe { device.destroy_descriptor_pool(pool, None) };
        }
    }

    /// Makes a set of a layout, in a new pool with descriptors for `sizes` if none has room.
    ///
    /// # Errors
    /// Out of memory.
    pub fn allocate<const N: usize>(
        &self,
        device: &DeviceShared,
        layout: vk::DescriptorSetLayout,
        sizes: impl FnOnce() -> [vk::DescriptorPoolSize; N],
    ) -> Result<(vk::DescriptorPool, vk::DescriptorSet)> {
        let mut pools = self.0.lock();
        let layouts = [layout];
        let from = |pool| {
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            // SAFETY: pool and layout are alive; the lock is held.
            unsafe { device.raw.allocate_descriptor_sets(&info) }
        };
        for &pool in pools.iter().rev() {
            match from(pool) {
                Ok(sets) => return Ok((pool, sets[0])),
                Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) => {}
                Err(result) => return Err(Error::from_vk("vkAllocateDescriptorSets", result)),
            }
        }
        let pool = new_pool(device, &sizes())?;
        pools.push(pool);
        let sets = from(pool).call("vkAllocateDescriptorSets")?;
        Ok((pool, sets[0]))
    }

    /// Gives a set back.
    ///
    /// # Safety
    /// `set` came from `pool` by [`DescriptorPools::allocate`], nothing uses it, and `device` is the
    /// one that the pools were made from.
    pub unsafe fn free(
        &self,
        device: &ash::Device,
        pool: vk::DescriptorPool,
        set: vk::DescriptorSet,
    ) {
        let _pools = self.0.lock();
        // SAFETY: by this function's contract; the pools' lock is held. Freeing from a pool made
        // for it cannot fail.
        let _ = unsafe { device.free_descriptor_sets(pool, &[set]) };
    }
}

fn new_pool(device: &DeviceShared, sizes: &[vk::DescriptorPoolSize]) -> Result<vk::DescriptorPool> {
    let mut flags = vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET;
    if device.caps.limits.update_after_bind {
        flags |= vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND;
    }
    let info = vk::DescriptorPoolCreateInfo::default()
        .flags(flags)
        .max_sets(POOL_SETS)
        .pool_sizes(sizes);
    fault::check("vkCreateDescriptorPool")?;
    // SAFETY: `info` and what it points at live through the call.
    let pool = unsafe { device.raw.create_descriptor_pool(&info, None) };
    pool.call("vkCreateDescriptorPool")
}

/// Semaphores or fences that are used again and not destroyed before the device.
///
/// Mesa's drivers with a submission thread (lavapipe, seen in 22.3.6) signal a submission and only then
/// give back what it waited for, a timeline's lock among it, so that a semaphore destroyed after the
/// signal, as Vulkan allows, is used after its end: a crash, or a thread that waits for a lost lock for
/// ever. A queue made later goes on where the last one of a timeline semaphore stopped.
pub(crate) struct Recycled<T> {
    /// Guards those that nothing uses.
    pub idle: Mutex<Vec<T>>,
    /// Guards those that cannot be used again: the device was lost, or a call failed.
    pub stuck: Mutex<Vec<T>>,
}

impl<T> Default for Recycled<T> {
    fn default() -> Self {
        Self {
            idle: Mutex::default(),
            stuck: Mutex::default(),
        }
    }
}

impl<T> Recycled<T> {
    /// Takes back one that nothing uses, or that cannot be used again.
    pub fn give_back(&self, object: T, idle: bool) {
        let list = if idle { &self.idle } else { &self.stuck };
        list.lock().push(object);
    }

    /// Hands all to `destroy`, each once.
    pub fn drain(&self, mut destroy: impl FnMut(T)) {
        for list in [&self.idle, &self.stuck] {
            list.lock().drain(..).for_each(&mut destroy);
        }
    }
}

/// The last calibration.
#[derive(Default)]
pub(crate) struct Clock(pub Mutex<Option<TimePair>>);

/// One moment on both clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePair {
    /// The device's clock.
    pub device: u64,
    /// CLOCK_MONOTONIC.
    pub host: u64,
}
