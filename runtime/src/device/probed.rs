//! The results of the start-up probes, kept on disk: to probe takes longer than the rest of a start.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use pumice_vulkan_layer::{Capabilities, DeviceType, LogicalDevice, Probes};

use crate::base::log;
use crate::cache::{self, Feed, Key};

/// Variables that change what drivers and layers of Vulkan do, by the beginning or the end of their names.
const PREFIXES: [&str; 4] = ["VK_", "MESA_", "LP_", "GALLI"];
const SUFFIXES: [&str; 2] = ["_DEBUG", "_PERFTEST"];

/// Gives a device the results that an earlier process found, or runs the probes and keeps theirs.
pub fn settle(device: &LogicalDevice) {
    let Some(key) = key(device.capabilities()) else {
        device.probes();
        return;
    };
    match cache::get(&key).map(|bytes| Probes::from_json(&bytes)) {
        Some(Some(known)) => {
            log::debug!("start-up probes: an earlier process's results");
            device.take_probes(known);
            return;
        }
        Some(None) => log::info!("start-up probes: the cache's entry cannot be read"),
        None => {}
    }
    let probes = device.probes();
    // What failed here may work in the next process.
    if !probes.failed {
        cache::put(&key, probes.to_json().into_bytes());
    }
}

/// The key of a device's results: all that the device says of itself, and what else decides how shaders run. `None` where
/// that is not known.
fn key(caps: &Capabilities) -> Option<Key> {
    let mut feed = Feed::new("probes");
    feed.part(env!("PUMICE_PROBES_HASH").as_bytes());
    feed.part(description(caps).as_bytes());
    if caps.device_type == DeviceType::Cpu {
        feed.part(processor()?.as_bytes());
    }
    let variables = std::env::vars_os().filter(|(name, _)| is_of_drivers(name));
    for (name, value) in variables.collect::<BTreeMap<_, _>>() {
        feed.part(name.as_encoded_bytes());
        feed.part(value.as_encoded_bytes());
    }
    Some(feed.key())
}

/// All that the device says of itself, without the memory that is free at the moment.
fn description(caps: &Capabilities) -> String {
    let heaps = Vec::new();
    format!(
        "{:?}",
        Capabilities {
            heaps,
            ..caps.clone()
        }
    )
}

/// The processor's name and instructions: a driver on the processor compiles for those that are there. `None` where the
/// system does not tell.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let told = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default().trim();
        matches!(
            name,
            "model name" | "flags" | "Features" | "CPU implementer" | "CPU part" | "isa"
        )
    };
    let first = text.lines().take_while(|line| !line.is_empty());
    let lines: Vec<&str> = first.filter(told).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns whether a variable is one that drivers and layers read.
fn is_of_drivers(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let starts = |prefix: &&str| name.starts_with(prefix.as_bytes());
    let ends = |suffix: &&str| name.ends_with(suffix.as_bytes());
    PREFIXES.iter().any(starts) || SUFFIXES.iter().any(ends)
}

#[cfg(test)]
mod tests {
    use super::{Capabilities, DeviceType, is_of_drivers, key};
    use pumice_vulkan_layer::caps::MemoryHeap;

    fn name(caps: &Capabilities) -> Option<String> {
        key(caps).map(|key| key.to_string())
    }

    #[test]
    fn keys_depend_on_the_device_and_not_on_what_is_free() {
        let caps = Capabilities::default();
        let mut other = caps.clone();
        other.heaps.push(MemoryHeap::default());
        assert_eq!(name(&caps), name(&other));
        other.masked.push("exactFma".to_string());
        assert_ne!(name(&caps), name(&other));
        let mut processor = caps.clone();
        processor.device_type = DeviceType::Cpu;
        assert_ne!(name(&caps), name(&processor));
    }

    #[test]
    fn variables_of_drivers_are_known() {
        for name in ["VK_DRIVER_FILES", "LP_NATIVE_VECTOR_WIDTH", "RADV_DEBUG"] {
            assert!(is_of_drivers(name.as_ref()), "{name}");
        }
        for name in ["HOME", "PUMICE_LOG", "DEBUGGER"] {
            assert!(!is_of_drivers(name.as_ref()), "{name}");
        }
    }
}
