//! The reflection's instructions about images and samplers.

use std::collections::BTreeMap;

use pumice_reflection::{DescriptorArgument, ImageInfoPush, ImageInfoUniform, Instruction};
use pumice_vulkan_layer::{AddressMode, BindingKind, SamplerDesc};

use super::gather::{InterfaceBuilder, Result};
use super::{ArgKind, ArgMeta, ArgPlace, BindingSource, Content};

impl InterfaceBuilder<'_> {
    /// One of the instructions about images and samplers; others say nothing here.
    pub(super) fn image_instruction(&mut self, inst: &Instruction) -> Result<()> {
        use Instruction as I;
        match inst {
            I::ArgumentSampledImage(a) => self.image(a, BindingKind::SampledImage),
            I::ArgumentStorageImage(a) => self.image(a, BindingKind::StorageImage),
            I::ArgumentStorageTexelBuffer(a) => self.image(a, BindingKind::StorageTexelBuffer),
            I::ArgumentUniformTexelBuffer(a) => self.image(a, BindingKind::UniformTexelBuffer),
            I::ArgumentSampler(a) => self.descriptor(a, BindingKind::Sampler, ArgKind::Sampler),
            I::LiteralSampler(sampler) => {
                let desc = literal_sampler(sampler.mask)
                    .ok_or_else(|| format!("a literal sampler of mask {:#x}", sampler.mask))?;
                let kind = BindingKind::Sampler;
                self.share(
                    sampler.set,
                    sampler.binding,
                    kind,
                    BindingSource::Sampler(desc),
                )
            }
            I::ImageArgumentInfoChannelOrderPushConstant(a) => {
                self.number_in_push_constants(a, Content::ChannelOrder, inst)
            }
            I::ImageArgumentInfoChannelDataTypePushConstant(a) => {
                self.number_in_push_constants(a, Content::ChannelDataType, inst)
            }
            I::NormalizedSamplerMaskPushConstant(a) => {
                // Every kernel's range holds it.
                self.reserve(a.offset, a.size)?;
                self.number_in_push_constants(a, Content::SamplerMask, inst)
            }
            I::ImageArgumentInfoChannelOrderUniform(a) => {
                self.number_in_block(a, Content::ChannelOrder, inst)
            }
            I::ImageArgumentInfoChannelDataTypeUniform(a) => {
                self.number_in_block(a, Content::ChannelDataType, inst)
            }
            _ => Ok(()),
        }
    }

    fn image(&mut self, a: &DescriptorArgument, binding: BindingKind) -> Result<()> {
        let function = self.draft(a.kernel)?.function;
        let kind = self.scan.image_kind(function, a.set, a.binding);
        let raw = false;
        self.descriptor(a, binding, ArgKind::Image { binding, kind, raw })
    }

    /// A number about an image or sampler in the push constants.
    fn number_in_push_constants(
        &mut self,
        a: &ImageInfoPush,
        content: Content,
        inst: &Instruction,
    ) -> Result<()> {
        check_word(a.size, inst)?;
        let place = ArgPlace::Push {
            offset: a.offset,
            size: a.size,
            content,
        };
        let draft = self.draft(a.kernel)?;
        draft.places.push((a.ordinal as usize, place));
        Ok(())
    }

    /// A number about an image in a uniform buffer.
    fn number_in_block(
        &mut self,
        a: &ImageInfoUniform,
        content: Content,
        inst: &Instruction,
    ) -> Result<()> {
        check_word(a.size, inst)?;
        let place = ArgPlace::Block {
            set: a.set,
            binding: a.binding,
            offset: a.offset,
            size: a.size,
            content,
        };
        let draft = self.draft(a.kernel)?;
        draft.places.push((a.ordinal as usize, place));
        let kind = BindingKind::UniformBuffer;
        draft.places.push(block_kind(a.set, a.binding, kind));
        Ok(())
    }
}

/// The sampler of a LiteralSampler's mask; `None` for a mask that is none.
fn literal_sampler(mask: u32) -> Option<SamplerDesc> {
    let address = match mask & 0xe {
        0 | 2 => AddressMode::ClampToEdge,
        4 => AddressMode::ClampToBorder,
        6 => AddressMode::Repeat,
        8 => AddressMode::MirroredRepeat,
        _ => return None,
    };
    let linear = match mask & 0x30 {
        0x10 => false,
        0x20 => true,
        _ => return None,
    };
    (mask & !0x3f == 0).then_some(SamplerDesc {
        address,
        linear,
        normalized: mask & 1 != 0,
    })
}

/// Numbers about images and samplers are 32-bit, or wider by zeros.
fn check_word(size: u32, inst: &Instruction) -> Result<()> {
    match size {
        4 | 8 => Ok(()),
        _ => Err(format!(
            "{} has {size} bytes, 4 are supported",
            inst.row().name
        )),
    }
}

/// Numbers about images are about arguments that are images, and likewise of samplers.
pub(super) fn check_number(
    ordinal: usize,
    content: Content,
    args: &BTreeMap<u32, ArgMeta>,
) -> Result<()> {
    let arg = u32::try_from(ordinal).ok().and_then(|o| args.get(&o));
    let kind = arg.map(|arg| arg.kind);
    let right = match content {
        Content::Bytes | Content::Pointer => true,
        Content::ChannelOrder | Content::ChannelDataType => {
            matches!(kind, Some(ArgKind::Image { .. }))
        }
        Content::SamplerMask => kind == Some(ArgKind::Sampler),
    };
    match right {
        true => Ok(()),
        false => Err(format!("argument {ordinal} has no {content:?}")),
    }
}

/// A block's kind, which travels as a descriptor place without an argument of its own.
pub(super) fn block_kind(set: u32, binding: u32, kind: BindingKind) -> (usize, ArgPlace) {
    (usize::MAX, ArgPlace::Descriptor { set, binding, kind })
}
