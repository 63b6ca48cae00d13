//! Checks what a module asks for against the device's limits.

use pumice_vulkan_layer::{BindingKind, Capabilities};

use super::{ModuleData, ModulePlace};

/// Text for the build log.
type Result<T> = std::result::Result<T, String>;

/// Checks that the device has addresses, and pointers of that many bytes.
pub(super) fn pointer_size(caps: &Capabilities, size: u32) -> Result<()> {
    if !caps.features.buffer_device_address {
        return Err("the module passes addresses, which the device does not have".into());
    }
    match size {
        4 | 8 => Ok(()),
        _ => Err(format!("a pointer of {size} bytes")),
    }
}

/// The end of a range of push constants, within the device's limit.
pub(super) fn push_end(caps: &Capabilities, offset: u32, size: u32) -> Result<u32> {
    let limit = caps.limits.max_push_constants;
    let end = offset.checked_add(size).filter(|&end| end <= limit);
    end.ok_or_else(|| {
        format!("push constants up to {offset}+{size} bytes, the device takes {limit}")
    })
}

/// Checks that a kernel has no more descriptors of a kind, and in all, than the device takes.
pub(super) fn check_counts(
    caps: &Capabilities,
    kinds: impl Iterator<Item = BindingKind>,
) -> Result<()> {
    use BindingKind as K;
    let limits = &caps.limits;
    let kinds: Vec<BindingKind> = kinds.collect();
    // Samplers count by themselves alone.
    let resources: Vec<K> = (K::ALL.into_iter())
        .filter(|&kind| kind != K::Sampler)
        .collect();
    for (what, limit, of) in [
        (
            "storage buffers",
            limits.max_storage_buffers,
            &[K::StorageBuffer][..],
        ),
        (
            "uniform buffers",
            limits.max_uniform_buffers,
            &[K::UniformBuffer],
        ),
        (
            "sampled images",
            limits.max_sampled_images,
            &[K::SampledImage, K::UniformTexelBuffer],
        ),
        (
            "storage images",
            limits.max_storage_images,
            &[K::StorageImage, K::StorageTexelBuffer],
        ),
        ("samplers", limits.max_samplers, &[K::Sampler]),
        ("resources", limits.max_resources, &resources),
    ] {
        let count = kinds.iter().filter(|kind| of.contains(kind)).count();
        if count > limit as usize {
            return Err(format!("{count} {what}, the device takes {limit}"));
        }
    }
    Ok(())
}

/// Checks the number of a descriptor set.
pub(super) fn check_set(caps: &Capabilities, set: u32) -> Result<()> {
    let limit = caps.limits.max_bound_sets;
    if set < limit {
        Ok(())
    } else {
        Err(format!("descriptor set {set}, the device takes {limit}"))
    }
}

/// Checks the size of constant data or program-scope variables.
pub(super) fn check_data(caps: &Capabilities, data: &ModuleData) -> Result<()> {
    let limit = match data.place {
        ModulePlace::Push { .. } => caps.limits.max_buffer,
        ModulePlace::Descriptor if data.uniform => u64::from(caps.limits.max_uniform_buffer_range),
        ModulePlace::Descriptor => u64::from(caps.limits.max_storage_buffer_range),
    };
    let size = data.bytes.len();
    match size as u64 > limit {
        true => Err(format!(
            "{size} bytes of constant data, the device takes {limit}"
        )),
        false => Ok(()),
    }
}

/// Sets a value that the reflection may give once.
pub(super) fn set_once<T>(slot: &mut Option<T>, value: T, what: &str) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("the reflection has {what} twice")),
    }
}
