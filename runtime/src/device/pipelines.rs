//! The Vulkan driver's pipeline cache, kept on disk where the driver gives it out.

use pumice_vulkan_layer::LogicalDevice;

use crate::base::log;
use crate::cache::{self, Feed, Key};

/// The key of a device's pipeline cache.
fn key(device: &LogicalDevice) -> Key {
    let caps = device.capabilities();
    let mut feed = Feed::new("pipelines");
    feed.part(&caps.device_uuid);
    feed.part(&caps.driver_uuid);
    for number in [caps.vendor_id, caps.device_id] {
        feed.part(&number.to_le_bytes());
    }
    feed.part(caps.driver.info.as_bytes());
    feed.key()
}

/// Nothing but the header that every driver's pipeline cache has (Vulkan 1.3 §10.7.2), or hardly
/// more.
const EMPTY_PIPELINES: usize = 64;

/// Gives a device what its driver compiled in earlier processes; gives the size of that.
pub fn load(device: &LogicalDevice) -> usize {
    let Some(bytes) = cache::get(&key(device)) else {
        return 0;
    };
    match device.add_pipeline_cache_data(&bytes) {
        Ok(()) => bytes.len(),
        Err(error) => {
            log::info!("the pipeline cache is not taken: {error}");
            0
        }
    }
}

/// Keeps what the device's driver has compiled, if it is more than `before` bytes.
pub fn store(device: &LogicalDevice, before: usize) {
    match device.pipeline_cache_data() {
        Ok(data) if data.len() > before.max(EMPTY_PIPELINES) => {
            cache::put_now(&key(device), &data);
        }
        Ok(_) => {}
        Err(error) => log::info!("the pipeline cache is not given: {error}"),
    }
}
