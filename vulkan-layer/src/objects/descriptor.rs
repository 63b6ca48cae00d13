//! Descriptor sets, from pools that grow.

use std::collections::HashMap;
use std::sync::Arc;

use ash::vk;

use crate::device::pools::POOL_SETS;
use crate::device::sampler::Sampler;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::image::{BufferView, ImageView};
use crate::objects::pipeline::{Binding, BindingKind, PipelineLayout};

/// Resource for a binding.
#[derive(Clone)]
#[non_exhaustive]
pub enum Resource {
    /// A range of a buffer, for storage and uniform buffer bindings.
    Buffer {
        /// The buffer.
        buffer: Buffer,
        /// First byte; a multiple of the device's alignment for the binding's kind.
        offset: u64,
        /// Bytes, at least 1; at most the device's range for the binding's kind.
        range: u64,
    },
    /// A view of an image, for sampled and storage image bindings.
    Image(ImageView),
    /// A sampler.
    Sampler(Sampler),
    /// A view of a buffer, for texel buffer bindings.
    Texels(BufferView),
}

/// Contents of a descriptor set. Cheap to clone; it keeps its resources alive. The Vulkan set is
/// made only when a recording binds it, so that there are never more sets than recordings need:
/// lavapipe 25.0 maps memory for each one and crashes when the process runs out of mappings.
#[derive(Clone)]
pub struct DescriptorSet(Arc<SetInner>);

struct SetInner {
    device: Arc<DeviceShared>,
    layout: PipelineLayout,
    /// The set's number in its layout.
    index: u32,
    /// By their bindings, which the layout has.
    resources: Vec<(u32, Resource)>,
}

/// A descriptor set of Vulkan's, written once.
pub(crate) struct RawSet {
    pub raw: vk::DescriptorSet,
    pool: vk::DescriptorPool,
    /// Kept until nothing uses the set.
    of: DescriptorSet,
}

/// Descriptors of each kind in a new pool: for many usual sets, and for at least one of these
/// bindings.
fn pool_sizes(bindings: &[Binding]) -> [vk::DescriptorPoolSize; BindingKind::ALL.len()] {
    BindingKind::ALL.map(|kind| {
        let usual = match kind {
            BindingKind::StorageBuffer => POOL_SETS * 4,
            _ => POOL_SETS,
        };
        let here = bindings
            .iter()
            .filter(|binding| binding.kind == kind)
            .count();
        vk::DescriptorPoolSize {
            ty: kind.raw(),
            descriptor_count: usual.max(here as u32),
        }
    })
}

impl LogicalDevice {
    /// Makes set `index` of a layout, with a resource for each of its bindings.
    ///
    /// # Errors
    /// [`Error::InvalidUse`] where resources and bindings do not match or a range breaks the
    /// device's alignment, [`Error::TooLarge`] beyond its limits.
    pub fn create_descriptor_set(
        &self,
        layout: &PipelineLayout,
        index: u32,
        resources: &[(u32, Resource)],
    ) -> Result<DescriptorSet> {
        let device = &self.shared;
        let slot = index as usize;
        let Some(bindings) = layout.0.desc.sets.get(slot) else {
            return Err(Error::InvalidUse(format!("the layout has no set {index}")));
        };
        if !Arc::ptr_eq(&layout.0.device, device) {
            return Err(Error::InvalidUse("a layout of another device".into()));
        }
        infos(device, bindings, resources)?;
        Ok(DescriptorSet(Arc::new(SetInner {
            device: Arc::clone(device),
            layout: layout.clone(),
            index,
            resources: resources.to_vec(),
        })))
    }
}

impl DescriptorSet {
    /// The set's number in its layout.
    pub fn index(&self) -> u32 {
        self.0.index
    }

    /// Makes Vulkan's set.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn allocate(&self) -> Result<RawSet> {
        let SetInner {
            device,
            layout,
            index,
            resources,
        } = &*self.0;
        let bindings = &layout.0.desc.sets[*index as usize];
        let infos = infos(device, bindings, resources)?;
        let set_layout = layout.0.sets[*index as usize];
        let (pool, raw) =
            (device.descriptors).allocate(device, set_layout, || pool_sizes(bindings))?;
        let writes: Vec<_> = (bindings.iter().zip(&infos))
            .map(|(binding, info)| {
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(raw)
                    .dst_binding(binding.binding)
                    .descriptor_type(binding.kind.raw());
                match info {
                    Info::Buffer(info) => write.buffer_info(std::slice::from_ref(info)),
                    Info::Image(info) => write.image_info(std::slice::from_ref(info)),
                    Info::Texels(view) => write.texel_buffer_view(std::slice::from_ref(view)),
                }
            })
            .collect();
        // SAFETY: the set is fresh, so nothing uses it; the resources are alive and kept below.
        unsafe { device.raw.update_descriptor_sets(&writes, &[]) };
        let of = self.clone();
        Ok(RawSet { raw, pool, of })
    }
}

/// Returns the descriptors to write, in the order of the bindings.
fn infos(
    device: &Arc<DeviceShared>,
    bindings: &[Binding],
    resources: &[(u32, Resource)],
) -> Result<Vec<Info>> {
    let given: HashMap<u32, &Resource> = (resources.iter())
        .map(|(number, resource)| (*number, resource))
        .collect();
    if given.len() != resources.len() || given.len() != bindings.len() {
        return Err(Error::InvalidUse("not one resource per binding".into()));
    }
    (bindings.iter())
        .map(|binding| info(device, *binding, given.get(&binding.binding).copied()))
        .collect()
}

/// Descriptor to write.
enum Info {
    Buffer(vk::DescriptorBufferInfo),
    Image(vk::DescriptorImageInfo),
    Texels(vk::BufferView),
}

/// Checks that a resource suits its binding.
fn info(device: &Arc<DeviceShared>, binding: Binding, resource: Option<&Resource>) -> Result<Info> {
    use BindingKind as K;
    let image = vk::DescriptorImageInfo::default().image_layout(vk::ImageLayout::GENERAL);
    let (own, info) = match (binding.kind, resource) {
        (
            K::StorageBuffer | K::UniformBuffer,
            Some(&Resource::Buffer {
                ref buffer,
                offset,
                range,
            }),
        ) => return buffer_info(device, binding, buffer, offset, range).map(Info::Buffer),
        (K::SampledImage, Some(Resource::Image(view))) => {
            let info = Info::Image(image.image_view(view.raw()));
            (view.belongs_to(device), info)
        }
        (K::StorageImage, Some(Resource::Image(view))) if view.is_identity() => {
            let info = Info::Image(image.image_view(view.raw()));
            (view.belongs_to(device), info)
        }
        (K::Sampler, Some(Resource::Sampler(sampler))) => {
            let info = vk::DescriptorImageInfo::default().sampler(sampler.raw());
            (sampler.belongs_to(device), Info::Image(info))
        }
        (K::StorageTexelBuffer | K::UniformTexelBuffer, Some(Resource::Texels(view))) => {
            (view.belongs_to(device), Info::Texels(view.raw()))
        }
        (kind, resource) => {
            let there = if resource.is_some() { "another" } else { "no" };
            let number = binding.binding;
            return Err(Error::InvalidUse(format!(
                "binding {number}, a {kind:?}, has {there} resource"
            )));
        }
    };
    match own {
        true => Ok(info),
        false => Err(Error::InvalidUse("a resource of another device".into())),
    }
}

fn buffer_info(
    device: &Arc<DeviceShared>,
    binding: Binding,
    buffer: &Buffer,
    offset: u64,
    range: u64,
) -> Result<vk::DescriptorBufferInfo> {
    let number = binding.binding;
    let limits = &device.caps.limits;
    let (what, alignment, limit) = match binding.kind {
        BindingKind::UniformBuffer => (
            "a uniform buffer's range",
            limits.min_uniform_buffer_alignment,
            limits.max_uniform_buffer_range,
        ),
        _ => (
            "a storage buffer's range",
            limits.min_storage_buffer_alignment,
            limits.max_storage_buffer_range,
        ),
    };
    if !buffer.belongs_to(device) {
        return Err(Error::InvalidUse("a buffer of another device".into()));
    }
    if range == 0 || offset % alignment.max(1) != 0 {
        return Err(Error::InvalidUse(format!(
            "binding {number}: {range} bytes at {offset}, the alignment is {alignment}"
        )));
    }
    if range > u64::from(limit) {
        return Err(Error::TooLarge {
            what,
            size: range,
            limit: u64::from(limit),
        });
    }
    if offset
        .checked_add(range)
        .is_none_or(|end| end > buffer.size_in_words())
    {
        buffer.check_range(offset, range)?;
    }
    Ok(vk::DescriptorBufferInfo {
        buffer: buffer.raw(),
        offset,
        range,
    })
}

impl Drop for RawSet {
    fn drop(&mut self) {
        let device = &self.of.0.device;
        // SAFETY: recordings keep the set until the device is done, and it came from this pool.
        unsafe { device.descriptors.free(&device.raw, self.pool, self.raw) };
    }
}
