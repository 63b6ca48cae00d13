//! The driver's state for `pumice-info`: devices, cache and configuration as one JSON text.
//!
//! The text is for that program alone and may change with every version.

use pumice_compiler::Abi;
use pumice_vulkan_layer::{FaultCount, Features, fault_counts, quirks};

use crate::base::config;
use crate::base::json::{Fields, list, texts};
use crate::base::object::Ref;
use crate::cache;
use crate::device::platform::Platform;
use crate::device::{Absent, Device, extensions};
use crate::os;

/// Describes the driver; opens every device, since the probes run then.
pub fn report(platform: &Ref<Platform>) -> String {
    let found = platform.found();
    let left_out = found.left_out.iter().map(left_out);
    Fields::default()
        .text("version", env!("CARGO_PKG_VERSION"))
        .maybe("vulkan_failure", found.failure.as_deref())
        .with("devices", list(found.devices.iter().map(device)))
        .with("left_out", list(left_out))
        .with("hidden", texts(&found.hidden))
        .with("cache", cache_state())
        .with("configuration", configuration())
        .with("faults", list(fault_counts().into_iter().map(fault)))
        .object()
}

fn fault(count: FaultCount) -> String {
    Fields::default()
        .text("call", &count.call)
        .with("calls", count.calls)
        .with("given", count.given)
        .object()
}

fn left_out(absent: &Absent) -> String {
    Fields::default()
        .text("name", &absent.device.name)
        .text("reason", &absent.device.reason)
        .text("cure", &absent.cure)
        .with("faulty", absent.device.faulty)
        .with("replaced", absent.replaced)
        .object()
}

fn device(device: &Ref<Device>) -> String {
    let caps = device.capabilities();
    let offered = device.offered();
    let (major, minor) = extensions::version(offered);
    let (vulkan_major, vulkan_minor, patch) = caps.api_version;
    let there = caps.features.names();
    let missing = Features::NAMES.iter().filter(|name| !there.contains(name));
    let quirks = quirks::of(&caps.driver).map(|quirk| {
        Fields::default()
            .text("name", &format!("{:?}", quirk.kind))
            .text("reason", quirk.reason)
            .text("cure", &quirk.cure())
            .with("wrong_results", quirk.kind.leaves_out())
            .object()
    });
    let limits = Fields::default()
        .with("global_memory", caps.device_memory())
        .with("allocation", device.max_allocation())
        .with("local_memory", device.local_memory())
        .with("work_group", caps.limits.max_group_invocations)
        .with("push_constants", caps.limits.max_push_constants)
        .with("storage_buffer", caps.limits.max_storage_buffer_range)
        .with("storage_buffers", caps.limits.max_storage_buffers);
    let sizes = caps.subgroup.sizes().into_iter();
    let pointers = match device.abi() {
        Abi::Addresses
            if device
                .target()
                .is_ok_and(|target| device.descriptor_target(&target).is_some()) =>
        {
            "mixed"
        }
        Abi::Addresses => "addresses",
        Abi::Descriptors(_) => "descriptors",
    };
    let compute_units = (caps.compute_units).map_or("null".into(), |count| count.to_string());
    let fields = Fields::default()
        .text("name", device.name())
        .text("vulkan_name", &caps.name)
        .text("type", &format!("{:?}", caps.device_type))
        .text("opencl", &format!("{major}.{minor}"))
        .text("vulkan", &format!("{vulkan_major}.{vulkan_minor}.{patch}"))
        .text("driver", &caps.driver.to_string())
        .text("pointers", pointers)
        .with("unified_memory", caps.unified_memory)
        .with("compute_units", compute_units)
        .with("doubles", extensions::doubles(offered))
        .with("images", extensions::images(offered))
        .with("shared_virtual_memory", device.has_svm())
        .with("sub_group_sizes", list(sizes.map(|size| size.to_string())))
        .with("limits", limits.object())
        .with("features", texts(&there))
        .with("missing_features", texts(missing))
        .with("masked", texts(&caps.masked))
        .with(
            "extensions",
            texts(extensions::of_device(offered).map(|extension| extension.name)),
        )
        .with("quirks", list(quirks));
    match (device.gpu(), device.target()) {
        (Ok(gpu), Ok(target)) => fields
            .with("open", true)
            .with("probes", probes(&gpu.probes()))
            .with("target", target.to_json()),
        _ => fields.with("open", false),
    }
    .object()
}

fn probes(probes: &crate::device::gpu::Probes) -> String {
    Fields::default()
        .with("arithmetic", probes.arithmetic.to_json())
        .with("denormals_double", probes.denorms_f64)
        .with("host_addresses", probes.host_addresses)
        .with("notes", texts(&probes.notes))
        .object()
}

fn cache_state() -> String {
    match cache::state() {
        Some(state) => Fields::default()
            .text("folder", &state.path.display().to_string())
            .with("limit", state.limit)
            .with("entries", state.entries)
            .with("bytes", state.bytes)
            .with("stale", state.stale)
            .with("hits", state.lookups.hits)
            .with("misses", state.lookups.misses)
            .maybe("fault", state.fault.as_deref())
            .object(),
        None if config::CACHE.flag(true) => Fields::default()
            .text(
                "fault",
                "there is no home folder, and PUMICE_CACHE_DIR names no other",
            )
            .object(),
        None => Fields::default().maybe("fault", None).object(),
    }
}

fn configuration() -> String {
    let file = config::file_path().map(|path| path.display().to_string());
    let options = config::in_force()
        .into_iter()
        .map(|(variable, value, environment)| {
            Fields::default()
                .text("name", variable.name)
                .text("value", &value)
                .text("from", if environment { "environment" } else { "file" })
                .object()
        });
    Fields::default()
        .maybe("file", file.as_deref())
        .with("options", list(options))
        .with("ignored", texts(config::complaints()))
        .with("privileged", os::is_privileged())
        .object()
}

#[cfg(test)]
mod tests {
    use super::{cache_state, configuration};

    /// The parts that need no device are JSON in every environment.
    #[test]
    fn parts_are_objects() {
        for part in [cache_state(), configuration()] {
            assert!(part.starts_with('{') && part.ends_with('}'), "{part}");
        }
    }
}
