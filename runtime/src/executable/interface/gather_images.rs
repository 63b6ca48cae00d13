//! The reflection's instructions about images and samplers.

use std::collections::BTreeMap;

use pumice_reflection::{
    DescriptorArgument, Fact, ImageInfoPush, ImageInfoUniform, Instruction, MAX_LEVELS, Need,
};
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

    /// Places the mip levels of a kernel's images, and the facts that it is told of images and samplers; other needs
    /// say nothing here.
    pub(super) fn image_need(&mut self, need: Need) -> Result<()> {
        let (ordinal, place) = match need {
            Need::HandleFactPushConstant {
                ordinal,
                fact,
                offset,
                ..
            } => {
                let place = ArgPlace::Push {
                    offset,
                    size: 4,
                    content: Content::Fact(known_fact(fact)?),
                };
                (ordinal, place)
            }
            Need::HandleFactUniform {
                kernel,
                ordinal,
                fact,
                set,
                binding,
                offset,
            } => {
                let place = ArgPlace::Block {
                    set,
                    binding,
                    offset,
                    size: 4,
                    content: Content::Fact(known_fact(fact)?),
                };
                let kind = BindingKind::UniformBuffer;
                self.draft(kernel)?.note_block(set, binding, kind)?;
                (ordinal, place)
            }
            Need::ImageLevel {
                kernel,
                ordinal,
                level,
                set,
                binding,
            } => {
                let arg = self.draft(kernel)?.args.get_mut(&ordinal);
                let storage = |arg: &&mut ArgMeta| {
                    let binding = BindingKind::StorageImage;
                    matches!(arg.kind, ArgKind::Image { binding: b, .. } if b == binding)
                };
                let Some(arg) = arg.filter(storage) else {
                    return Err(format!("argument {ordinal} is no storage image"));
                };
                if level == 0 || level >= MAX_LEVELS {
                    return Err(format!("argument {ordinal} has no level {level}"));
                }
                arg.level_images = arg.level_images.max(level + 1);
                (ordinal, ArgPlace::ImageLevel(level, set, binding))
            }
            _ => return Ok(()),
        };
        let draft = self.draft(need.kernel())?;
        draft.places.push((ordinal as usize, place));
        Ok(())
    }

    fn image(&mut self, a: &DescriptorArgument, binding: BindingKind) -> Result<()> {
        let function = self.draft(a.kernel)?.function;
        let kind = self.scan.image_kind(function, a.set, a.binding);
        let kind = ArgKind::Image {
            binding,
            kind,
            raw: false,
            samples: false,
        };
        self.descriptor(a, binding, kind)
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
        draft.note_block(a.set, a.binding, kind)
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
        mip_linear: false,
    })
}

fn known_fact(number: u32) -> Result<Fact> {
    Fact::of(number).ok_or_else(|| format!("there is no fact {number} about images and samplers"))
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
        Content::Bytes | Content::Pointer | Content::Address => true,
        Content::ChannelOrder
        | Content::ChannelDataType
        | Content::Fact(Fact::Levels | Fact::SizeX | Fact::SizeY | Fact::SizeZ | Fact::Samples) => {
            matches!(kind, Some(ArgKind::Image { .. }))
        }
        Content::SamplerMask | Content::Fact(Fact::LodMin | Fact::LodMax) => {
            kind == Some(ArgKind::Sampler)
        }
    };
    match right {
        true => Ok(()),
        false => Err(format!("argument {ordinal} has no {content:?}")),
    }
}
