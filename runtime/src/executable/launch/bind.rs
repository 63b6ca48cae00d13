//! Makes push constants and descriptors of the arguments of a launch.

use std::collections::BTreeMap;
use std::mem::take;

use pumice_reflection::Fact;
use pumice_vulkan_layer::{
    BindingKind, Buffer, Capabilities, DescriptorSet, Format, Resource, SamplerDesc,
};
use smallvec::SmallVec;

use super::range::NdRange;
use super::{ArgValue, ImageArg, LaunchError, Result};
use crate::executable::device_module::DeviceModule;
use crate::executable::interface::{
    ArgPlace, BindingSource, Content, Interface, KernelInterface, ModulePlace, RangePush,
};

/// Push constants of a dispatch.
pub(in crate::executable) type Push = SmallVec<[u8; 64]>;
/// Buffers that a launch reaches by address.
pub(in crate::executable) type Buffers = SmallVec<[Buffer; 4]>;

impl ImageArg {
    /// The format of what a kernel sees.
    pub fn format(&self) -> Format {
        match self {
            Self::Image(view) => view.format(),
            Self::Texels(view) => view.format(),
        }
    }

    /// Tells whether a kernel can read the image as a storage image, by which it could write it.
    pub fn is_read_in_storage(&self, caps: &Capabilities) -> bool {
        let features = caps.format(self.format());
        match self {
            Self::Image(_) => features.storage_read,
            Self::Texels(_) => features.storage_texel_read,
        }
    }
}

/// The push constants that a range and the module's own data decide, with zeros for all others.
pub(super) fn range_constants(
    interface: &Interface,
    kernel: &KernelInterface,
    device_module: &DeviceModule,
    range: &NdRange,
) -> Result<Push> {
    let mut push = SmallVec::from_elem(0, kernel.layout.push_constant_size as usize);
    let local = range.local_size.map(u64::from);
    for (place, values) in [
        (interface.global_offset, range.global_offset),
        (interface.global_size, range.global_size),
        (interface.enqueued_local_size, local),
        (interface.num_groups, range.num_groups()),
    ] {
        put_range(&mut push, place, values)?;
    }
    for (data, buffer) in interface.data.iter().zip(&device_module.data) {
        if let ModulePlace::Push { offset, size } = data.place {
            let pointer = device_module.pointer(buffer.address());
            put_number(&mut push, offset, size, pointer)?;
        }
    }
    if let Some(offset) = interface.address_delta {
        let bytes = device_module.delta.to_le_bytes();
        put(&mut push, offset as usize, &bytes);
    }
    Ok(push)
}

/// Writes three values, low dimension first, as the module takes them.
pub(super) fn put_range(push: &mut [u8], place: Option<RangePush>, values: [u64; 3]) -> Result<()> {
    let Some(RangePush { offset, wide }) = place else {
        return Ok(());
    };
    for (index, value) in values.into_iter().enumerate() {
        if wide {
            put(push, offset as usize + index * 8, &value.to_le_bytes());
        } else {
            let narrow = u32::try_from(value).map_err(|_| {
                LaunchError::GlobalSize("the module takes 32-bit sizes and offsets".into())
            })?;
            put(push, offset as usize + index * 4, &narrow.to_le_bytes());
        }
    }
    Ok(())
}

/// Writes bytes at a place that the interface has reserved.
fn put(block: &mut [u8], offset: usize, bytes: &[u8]) {
    block[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Writes a number of up to 8 bytes in the bytes that the module has for it.
fn put_number(block: &mut [u8], offset: u32, size: u32, number: u64) -> Result<()> {
    let bytes = number.to_le_bytes();
    let (low, high) = bytes.split_at(size as usize);
    if high.iter().any(|&byte| byte != 0) {
        return Err(LaunchError::Resources(
            "4-byte pointers to this memory".into(),
        ));
    }
    put(block, offset as usize, low);
    Ok(())
}

/// A launch's push constants and descriptors while they are made.
pub(super) struct LaunchBuilder<'a> {
    pub interface: &'a Interface,
    pub kernel: &'a KernelInterface,
    pub device_module: &'a DeviceModule,
    pub args: &'a [Option<ArgValue>],
    /// Everything but what regions change.
    pub push: Push,
    pub keep: Buffers,
    pub printf: Option<Buffer>,
}

impl LaunchBuilder<'_> {
    pub fn printf(&mut self) -> Result<()> {
        if let Some(printf) = self.interface.printf {
            if self.kernel.info.may_use_printf {
                let buffer = self.device_module.printf_buffer(printf.size)?;
                self.keep.push(buffer.clone());
                self.printf = Some(buffer);
            }
        }
        Ok(())
    }

    /// Writes the pointer to the word that tells the kernel to end. Without one it gets a word that stays 0.
    pub fn termination(&mut self, flag: Option<&Buffer>) -> Result<()> {
        if let Some(offset) = self.interface.termination_flag {
            let flag = flag.unwrap_or(&self.device_module.null_buffer);
            let pointer = self.device_module.pointer(flag.address());
            put_number(&mut self.push, offset, 8, pointer)?;
            self.keep.push(flag.clone());
        }
        Ok(())
    }

    /// Writes an argument into a block or push constants, at an offset; `keep` gets what it points at.
    fn put_value(
        &self,
        (block, keep): (&mut [u8], &mut Buffers),
        ordinal: usize,
        (offset, size): (u32, u32),
        content: Content,
    ) -> Result<()> {
        use Content as C;
        let number = match (content, self.args.get(ordinal).and_then(Option::as_ref)) {
            (C::Bytes, Some(ArgValue::Bytes(bytes))) => {
                put(block, offset as usize, bytes);
                return Ok(());
            }
            (C::Pointer | C::Address, Some(ArgValue::Buffer { buffer, offset, .. })) => {
                keep.push(buffer.clone());
                self.pointer(content, buffer.address() + offset)
            }
            (C::Pointer | C::Address, Some(ArgValue::Pointer(pointer))) => {
                let delta = self.device_module.device.address_delta();
                self.pointer(content, pointer.wrapping_add(delta))
            }
            (C::Pointer | C::Address, Some(ArgValue::Null)) => 0,
            (C::ChannelOrder, Some(ArgValue::Image { order, .. })) => u64::from(*order),
            (C::ChannelDataType, Some(ArgValue::Image { data_type, .. })) => u64::from(*data_type),
            (C::SamplerMask, Some(ArgValue::Sampler { mask, .. })) => u64::from(*mask),
            (C::Fact(Fact::Levels), Some(ArgValue::Image { mip_levels, .. })) => {
                u64::from(*mip_levels)
            }
            (C::Fact(Fact::Samples), Some(ArgValue::Image { samples, .. })) => u64::from(*samples),
            (C::Fact(fact), Some(ArgValue::Image { size, .. })) => u64::from(
                size[match fact {
                    Fact::SizeY => 1,
                    Fact::SizeZ => 2,
                    _ => 0,
                }],
            ),
            (C::Fact(Fact::LodMin), Some(ArgValue::Sampler { lod, .. })) => {
                u64::from(lod[0].to_bits())
            }
            (C::Fact(Fact::LodMax), Some(ArgValue::Sampler { lod, .. })) => {
                u64::from(lod[1].to_bits())
            }
            _ => return Err(LaunchError::Args(ordinal)),
        };
        put_number(block, offset, size, number)
    }

    /// The pointer to a byte at a device address, as the kernel takes this argument.
    fn pointer(&self, content: Content, address: u64) -> u64 {
        match content {
            Content::Address => address,
            _ => self.device_module.pointer(address),
        }
    }

    pub fn push_constants(&mut self) -> Result<()> {
        let printf = self.interface.printf.map(|printf| printf.place);
        if let (Some(ModulePlace::Push { offset, size }), Some(buffer)) = (printf, &self.printf) {
            let pointer = self.device_module.pointer(buffer.address());
            put_number(&mut self.push, offset, size, pointer)?;
        }
        let (mut push, mut keep) = (take(&mut self.push), take(&mut self.keep));
        for &(ordinal, place) in &self.kernel.places {
            if let ArgPlace::Push {
                offset,
                size,
                content,
            } = place
            {
                self.put_value((&mut push, &mut keep), ordinal, (offset, size), content)?;
            }
        }
        (self.push, self.keep) = (push, keep);
        Ok(())
    }

    pub fn descriptor_sets(&mut self, kernel: usize) -> Result<Vec<DescriptorSet>> {
        let mut blocks: BTreeMap<(u32, u32), Vec<u8>> = BTreeMap::new();
        let mut keep = take(&mut self.keep);
        for &(ordinal, place) in &self.kernel.places {
            let ArgPlace::Block {
                set,
                binding,
                offset,
                size,
                content,
            } = place
            else {
                continue;
            };
            let length = match self.kernel.bindings.get(&(set, binding)) {
                Some((_, BindingSource::Block(length))) => *length as usize,
                _ => continue,
            };
            let block = blocks
                .entry((set, binding))
                .or_insert_with(|| vec![0; length]);
            self.put_value((block, &mut keep), ordinal, (offset, size), content)?;
        }
        self.keep = keep;

        let mut resources: BTreeMap<u32, Vec<(u32, Resource)>> = BTreeMap::new();
        for (&(set, binding), &(kind, source)) in &self.kernel.bindings {
            let resource = match source {
                BindingSource::Argument(ordinal) => match kind {
                    BindingKind::StorageBuffer | BindingKind::UniformBuffer => {
                        self.buffer_argument(ordinal, kind)?
                    }
                    BindingKind::Sampler => self.sampler_argument(ordinal)?,
                    _ => self.image_argument(ordinal)?,
                },
                BindingSource::ImageLevel { ordinal, level } => self.image_level(ordinal, level)?,
                BindingSource::Sampler(desc) => {
                    Resource::Sampler(self.device_module.device.sampler(desc)?)
                }
                BindingSource::Block(_) => {
                    let bytes = blocks.remove(&(set, binding)).unwrap_or_default();
                    let (buffer, offset) = self.device_module.place_block(&bytes)?;
                    let range = bytes.len() as u64;
                    Resource::Buffer {
                        buffer,
                        offset,
                        range,
                    }
                }
                BindingSource::Data(index) => whole(&self.device_module.data[index]),
                BindingSource::Printf => whole(
                    self.printf
                        .as_ref()
                        .unwrap_or(&self.device_module.null_buffer),
                ),
            };
            resources.entry(set).or_default().push((binding, resource));
        }
        let device = &self.device_module.device;
        let layout = &self.device_module.compiled.layouts[kernel];
        (resources.iter())
            .map(|(&set, resources)| Ok(device.create_descriptor_set(layout, set, resources)?))
            .collect()
    }

    fn image_argument(&self, ordinal: usize) -> Result<Resource> {
        match self.args.get(ordinal).and_then(Option::as_ref) {
            Some(ArgValue::Image { view, .. }) => Ok(match view {
                ImageArg::Image(view) => Resource::Image(view.clone()),
                ImageArg::Texels(view) => Resource::Texels(view.clone()),
            }),
            _ => Err(LaunchError::Args(ordinal)),
        }
    }

    fn image_level(&self, ordinal: usize, level: u32) -> Result<Resource> {
        match self.args.get(ordinal).and_then(Option::as_ref) {
            // The first is that of level 1.
            Some(ArgValue::Image { levels, .. }) => (levels.get(level as usize - 1))
                .map(|view| Resource::Image(view.clone()))
                .ok_or(LaunchError::Args(ordinal)),
            _ => Err(LaunchError::Args(ordinal)),
        }
    }

    /// The sampler; with normalised coordinates where the kernel is told its mask, since it
    /// divides the others itself then: Vulkan has none in texels for boxes and arrays.
    fn sampler_argument(&self, ordinal: usize) -> Result<Resource> {
        let Some(Some(ArgValue::Sampler { desc, .. })) = self.args.get(ordinal) else {
            return Err(LaunchError::Args(ordinal));
        };
        let is_mask = |place: &ArgPlace| {
            let content = Content::SamplerMask;
            matches!(place, ArgPlace::Push { content: c, .. } if *c == content)
        };
        let mut places = self.kernel.places.iter();
        let told = places.any(|(o, place)| *o == ordinal && is_mask(place));
        let desc = SamplerDesc {
            normalized: desc.normalized || told,
            ..*desc
        };
        Ok(Resource::Sampler(self.device_module.device.sampler(desc)?))
    }

    fn buffer_argument(&self, ordinal: usize, kind: BindingKind) -> Result<Resource> {
        let limits = &self.device_module.device.capabilities().limits;
        let (alignment, most) = match kind {
            BindingKind::UniformBuffer => (
                limits.min_uniform_buffer_alignment,
                limits.max_uniform_buffer_range,
            ),
            _ => (
                limits.min_storage_buffer_alignment,
                limits.max_storage_buffer_range,
            ),
        };
        match self.args.get(ordinal).and_then(Option::as_ref) {
            // Less than a word, by which our own modules know it.
            Some(ArgValue::Null) => Ok(Resource::Buffer {
                buffer: self.device_module.null_buffer.clone(),
                offset: 0,
                range: 1,
            }),
            Some(&ArgValue::Buffer {
                ref buffer,
                offset,
                size,
            }) => {
                if offset % alignment.max(1) != 0 {
                    return Err(LaunchError::Misaligned(ordinal));
                }
                if size > u64::from(most) {
                    return Err(LaunchError::Resources(format!(
                        "argument {ordinal} has {size} bytes, a descriptor takes {most}"
                    )));
                }
                // Whole words, as they are accessed where the device has nothing smaller.
                let left = buffer.size_in_words().saturating_sub(offset);
                Ok(Resource::Buffer {
                    buffer: buffer.clone(),
                    offset,
                    range: size.next_multiple_of(4).min(left),
                })
            }
            // A descriptor cannot be made of a bare pointer.
            _ => Err(LaunchError::Args(ordinal)),
        }
    }
}

fn whole(buffer: &Buffer) -> Resource {
    Resource::Buffer {
        buffer: buffer.clone(),
        offset: 0,
        range: buffer.size(),
    }
}
