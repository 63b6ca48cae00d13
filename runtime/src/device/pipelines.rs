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
    feed.part(caps.driver.to_string().as_bytes());
    feed.key()
}

/// Nothing but the header that every driver's pipeline cache has (Vulkan 1.3 §10.7.2), or hardly
/// more.
const EMPTY_PIPELINES: usize = 64;
/// The most bytes of an entry. Every process that opens the device reads it, and a driver adds what each of them compiles to
/// what it was given.
const LARGEST: usize = 32 << 20;

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

/// Keeps what the device's driver has compiled. `before` is the size in bytes of what was loaded.
pub fn store(device: &LogicalDevice, before: usize) {
    match device.pipeline_cache_data() {
        Ok(data) => match fate(data.len(), before) {
            Fate::Stored => cache::put_now(&key(device), &data),
            Fate::Dropped => cache::remove(&key(device)),
            Fate::Unchanged => {}
        },
        Err(error) => log::info!("the pipeline cache is not given: {error}"),
    }
}

/// Decision about the entry at the end of a process.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// The driver has compiled something.
    Stored,
    /// It has compiled nothing.
    Unchanged,
    /// The entry would be too large, so that the next process begins anew.
    Dropped,
}

fn fate(size: usize, before: usize) -> Fate {
    if size <= before.max(EMPTY_PIPELINES) {
        Fate::Unchanged
    } else if size <= LARGEST {
        Fate::Stored
    } else {
        Fate::Dropped
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTY_PIPELINES, Fate, LARGEST, fate};

    #[test]
    fn an_entry_grows_until_it_is_too_large() {
        assert_eq!(fate(EMPTY_PIPELINES, 0), Fate::Unchanged);
        assert_eq!(fate(EMPTY_PIPELINES + 1, 0), Fate::Stored);
        assert_eq!(fate(5000, 5000), Fate::Unchanged);
        assert_eq!(fate(LARGEST, 5000), Fate::Stored);
        assert_eq!(fate(LARGEST + 1, LARGEST), Fate::Dropped);
    }
}
