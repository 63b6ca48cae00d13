//! Images and samplers: types of image arguments and operations on them.
//!
//! An image or sampler is a handle, a value of type I32 that only image operations take. A
//! sampler that the source spells out is a constant handle ([`literal_sampler`]); all others are
//! arguments of kernels ([`super::InstKind::HandleArg`]). Handles take any way through a
//! function's values; `lower_images` finds out which argument each operation means, and leaves
//! operations whose handles are arguments or constants themselves.

use super::{Scalar, Type};
use smallvec::SmallVec;

/// Handles of literal samplers have this bit; the rest is the sampler's mask.
const LITERAL: u64 = 0x8000_0000;

/// The handle of a literal sampler.
pub fn literal_sampler(mask: u32) -> u64 {
    LITERAL | u64::from(mask)
}

/// The mask of a literal sampler's handle; `None` for other numbers.
pub fn literal_mask(handle: u64) -> Option<u32> {
    (handle & LITERAL != 0).then_some((handle & !LITERAL) as u32)
}

/// Dimensionality of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDim {
    /// A row of pixels.
    D1,
    /// A plane of pixels.
    D2,
    /// A box of pixels.
    D3,
    /// A row of pixels in a buffer's memory.
    Buffer,
}

/// The use that kernels may make of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageAccess {
    /// Reading, with samplers too.
    Read,
    /// Writing.
    Write,
    /// Both, without samplers.
    ReadWrite,
}

/// The type of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageType {
    /// Dimensionality of one layer.
    pub dim: ImageDim,
    /// Has layers.
    pub arrayed: bool,
    /// Holds depth values.
    pub depth: bool,
    /// Has several samples a pixel.
    pub multisampled: bool,
    /// The use that kernels may make of it.
    pub access: ImageAccess,
}

impl ImageType {
    /// Counts the coordinates of a position in a layer.
    pub fn dimensions(self) -> u8 {
        match self.dim {
            ImageDim::D1 | ImageDim::Buffer => 1,
            ImageDim::D2 => 2,
            ImageDim::D3 => 3,
        }
    }

    /// Counts the coordinates that address a pixel, the layer included.
    pub fn coordinates(self) -> u8 {
        self.dimensions() + u8::from(self.arrayed)
    }

    /// Returns whether it can be read through a sampler.
    pub fn is_sampled(self) -> bool {
        self.access == ImageAccess::Read
    }

    /// Returns whether its sizes are asked for by level of detail.
    pub fn has_levels(self) -> bool {
        self.is_sampled() && self.can_be_mipmapped()
    }

    /// Returns whether images of the type may have several levels.
    pub fn can_be_mipmapped(self) -> bool {
        !self.multisampled && self.dim != ImageDim::Buffer
    }

    /// The type in OpenCL C, with its access qualifier.
    pub fn display(self) -> String {
        let access = match self.access {
            ImageAccess::Read => "read_only",
            ImageAccess::Write => "write_only",
            ImageAccess::ReadWrite => "read_write",
        };
        let dim = match self.dim {
            ImageDim::D1 => "1d",
            ImageDim::D2 => "2d",
            ImageDim::D3 => "3d",
            ImageDim::Buffer => "1d_buffer",
        };
        let mut name = format!("{access} image{dim}");
        for (has, part) in [
            (self.arrayed, "_array"),
            (self.multisampled, "_msaa"),
            (self.depth, "_depth"),
        ] {
            if has {
                name.push_str(part);
            }
        }
        name + "_t"
    }
}

/// The class of numbers that an image's channels are read or written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Texel {
    /// Floats, normalised formats included.
    Float,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// The bits of a whole pixel of 8, 16 or 32 bits, whatever its channels: the first lane.
    Raw,
}

impl Texel {
    /// The type of a pixel in registers.
    pub fn ty(self) -> Type {
        match self {
            Texel::Float => Type::vector(Scalar::F32, 4),
            Texel::Signed | Texel::Unsigned | Texel::Raw => Type::vector(Scalar::I32, 4),
        }
    }
}

/// The source of the level of detail of a read through a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lod {
    /// The level: F32.
    Explicit,
    /// From two gradients: as many F32 lanes each as the image has dimensions.
    Gradient,
}

/// A fact about an image or sampler argument that Vulkan does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandleInfo {
    /// The channel order: a `cl_channel_order`.
    ChannelOrder,
    /// The channels' type: a `cl_channel_type`.
    ChannelDataType,
    /// A sampler's mask: the sum of its `CLK_*` constants and [`MIP_LINEAR`](pumice_target::image::sampler_mask::MIP_LINEAR).
    SamplerMask,
    /// The number of an image's mip levels.
    Levels,
    /// The number of an image's samples a pixel.
    Samples,
    /// A sampler's least level of detail: the bits of an F32.
    LodMin,
    /// A sampler's largest level of detail: the bits of an F32.
    LodMax,
    /// The first number of an image's size in level 0, as [`ImageOp::Size`] gives it.
    SizeX,
    /// The second one.
    SizeY,
    /// The third one.
    SizeZ,
    /// 1 if the numbers written to an image become sRGB, else 0. A specialization constant.
    WritesSrgb,
}

impl HandleInfo {
    /// The numbers of an image's size, by their places.
    pub const SIZE: [HandleInfo; 3] = [HandleInfo::SizeX, HandleInfo::SizeY, HandleInfo::SizeZ];
}

/// Operations on an image, which is the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageOp {
    /// Reads through a sampler: image, sampler, coordinates (F32 or I32), level or gradients.
    Sample {
        /// The pixel's class.
        texel: Texel,
        /// The meaning of the last operands.
        lod: Lod,
    },
    /// Reads without a sampler: image, coordinates (I32), the sample where there are several.
    Read {
        /// The pixel's class.
        texel: Texel,
    },
    /// Writes a pixel: image, coordinates (I32), pixel.
    Write {
        /// The pixel's class.
        texel: Texel,
    },
    /// Reads four bytes of a row, whatever the channels: image, byte and row (I32). Bytes outside are those of
    /// the nearest pixel.
    ReadBytes,
    /// Writes four bytes of a row: image, byte (a multiple of four) and row (I32), a word. Bytes outside are dropped.
    WriteBytes,
    /// Reads a pixel of a level without a sampler: image, coordinates (I32), level (I32).
    ReadLevel {
        /// The pixel's class.
        texel: Texel,
    },
    /// Writes a pixel of a level: image, coordinates (I32), pixel, level (I32).
    WriteLevel {
        /// The pixel's class.
        texel: Texel,
    },
    /// The size in pixels and layers: I32 lanes.
    Size,
    /// The size of a level: image, level (I32).
    SizeOfLevel,
    /// The number of levels: I32.
    Levels,
    /// The number of samples a pixel: I32.
    Samples,
    /// The channel order, counted from 0 as SPIR-V does: I32.
    Order,
    /// The channels' type, counted from 0 as SPIR-V does: I32.
    Format,
}

impl ImageOp {
    /// The class of pixels that it reads or writes.
    pub fn texel(self) -> Option<Texel> {
        match self {
            ImageOp::Sample { texel, .. }
            | ImageOp::Read { texel }
            | ImageOp::Write { texel }
            | ImageOp::ReadLevel { texel }
            | ImageOp::WriteLevel { texel } => Some(texel),
            _ => None,
        }
    }

    /// The result's type on an image of this type; `None` for a write.
    pub fn result(self, image: ImageType) -> Option<Type> {
        Some(match self {
            ImageOp::Sample { texel, .. }
            | ImageOp::Read { texel }
            | ImageOp::ReadLevel { texel } => texel.ty(),
            ImageOp::Write { .. } | ImageOp::WriteLevel { .. } | ImageOp::WriteBytes => {
                return None;
            }
            ImageOp::Size | ImageOp::SizeOfLevel => Type::vector(Scalar::I32, image.coordinates()),
            ImageOp::ReadBytes
            | ImageOp::Levels
            | ImageOp::Samples
            | ImageOp::Order
            | ImageOp::Format => Type::I32,
        })
    }

    /// Types of the operands. Coordinates for a sampler may be I32 or F32; here they are F32.
    pub fn operands(self, image: ImageType) -> SmallVec<[Type; 5]> {
        let mut types: SmallVec<[Type; 5]> = SmallVec::from_slice(&[Type::I32]);
        let coordinates = |scalar| Type::vector(scalar, image.coordinates());
        match self {
            ImageOp::Sample { lod, .. } => {
                types.extend([Type::I32, coordinates(Scalar::F32)]);
                match lod {
                    Lod::Explicit => types.push(Type::F32),
                    Lod::Gradient => {
                        let gradient = Type::vector(Scalar::F32, image.dimensions());
                        types.extend([gradient; 2]);
                    }
                }
            }
            ImageOp::Read { .. } => {
                types.push(coordinates(Scalar::I32));
                if image.multisampled {
                    types.push(Type::I32);
                }
            }
            ImageOp::Write { texel } => types.extend([coordinates(Scalar::I32), texel.ty()]),
            ImageOp::ReadBytes => types.push(coordinates(Scalar::I32)),
            ImageOp::WriteBytes => types.extend([coordinates(Scalar::I32), Type::I32]),
            ImageOp::ReadLevel { .. } => types.extend([coordinates(Scalar::I32), Type::I32]),
            ImageOp::WriteLevel { texel } => {
                types.extend([coordinates(Scalar::I32), texel.ty(), Type::I32]);
            }
            ImageOp::SizeOfLevel => types.push(Type::I32),
            _ => {}
        }
        types
    }

    /// Returns whether an image of this type allows it.
    pub fn fits(self, image: ImageType) -> bool {
        match self {
            ImageOp::Sample { .. } => {
                image.is_sampled() && !image.multisampled && image.dim != ImageDim::Buffer
            }
            ImageOp::ReadBytes | ImageOp::WriteBytes
                if image.dim != ImageDim::D2
                    || image.arrayed
                    || image.depth
                    || image.multisampled =>
            {
                false
            }
            ImageOp::Read { .. } | ImageOp::ReadBytes => image.access != ImageAccess::Write,
            ImageOp::Write { .. } | ImageOp::WriteBytes => {
                image.access != ImageAccess::Read && !image.multisampled
            }
            ImageOp::ReadLevel { .. } => {
                image.access != ImageAccess::Write && image.can_be_mipmapped()
            }
            ImageOp::WriteLevel { .. } => {
                image.access != ImageAccess::Read && image.can_be_mipmapped()
            }
            ImageOp::SizeOfLevel | ImageOp::Levels => image.can_be_mipmapped(),
            ImageOp::Samples => image.multisampled,
            ImageOp::Size | ImageOp::Order | ImageOp::Format => true,
        }
    }

    /// Returns whether it changes the image, or tells what another work-item may change.
    pub fn has_side_effects(self) -> bool {
        matches!(
            self,
            ImageOp::Write { .. } | ImageOp::WriteLevel { .. } | ImageOp::WriteBytes
        )
    }

    /// Returns whether equal operands always give an equal result.
    pub fn is_pure(self, image: ImageType) -> bool {
        match self {
            ImageOp::Write { .. } | ImageOp::WriteLevel { .. } | ImageOp::WriteBytes => false,
            ImageOp::Read { .. } | ImageOp::ReadLevel { .. } | ImageOp::ReadBytes => {
                image.access == ImageAccess::Read
            }
            _ => true,
        }
    }
}

/// The mnemonic's words of an image's type: `2d.array.depth.msaa.read_only`.
impl ImageType {
    /// Words of the text form.
    pub fn words(self) -> Vec<&'static str> {
        let mut words = vec![self.dim.name()];
        for (has, word) in [
            (self.arrayed, "array"),
            (self.depth, "depth"),
            (self.multisampled, "msaa"),
        ] {
            if has {
                words.push(word);
            }
        }
        words.push(self.access.name());
        words
    }

    /// Reads [`Self::words`] from the front; what is left of the words comes too.
    pub fn from_words<'w, 's>(words: &'w [&'s str]) -> Option<(Self, &'w [&'s str])> {
        let (first, mut rest) = words.split_first()?;
        let dim = ImageDim::from_name(first)?;
        let mut flag = |name: &str| match rest {
            [word, more @ ..] if *word == name => {
                rest = more;
                true
            }
            _ => false,
        };
        let (arrayed, depth, multisampled) = (flag("array"), flag("depth"), flag("msaa"));
        let (last, rest) = rest.split_first()?;
        let ty = Self {
            dim,
            arrayed,
            depth,
            multisampled,
            access: ImageAccess::from_name(last)?,
        };
        Some((ty, rest))
    }
}

impl ImageOp {
    /// Words of the text form.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            ImageOp::Sample { texel, lod } => vec!["sample", texel.name(), lod.name()],
            ImageOp::Read { texel } => vec!["read", texel.name()],
            ImageOp::Write { texel } => vec!["write", texel.name()],
            ImageOp::ReadBytes => vec!["read_bytes"],
            ImageOp::WriteBytes => vec!["write_bytes"],
            ImageOp::ReadLevel { texel } => vec!["read_level", texel.name()],
            ImageOp::WriteLevel { texel } => vec!["write_level", texel.name()],
            ImageOp::Size => vec!["size"],
            ImageOp::SizeOfLevel => vec!["size_of_level"],
            ImageOp::Levels => vec!["levels"],
            ImageOp::Samples => vec!["samples"],
            ImageOp::Order => vec!["order"],
            ImageOp::Format => vec!["format"],
        }
    }

    /// Reads [`Self::words`].
    pub fn from_words(words: &[&str]) -> Option<Self> {
        Some(match *words {
            ["sample", texel, lod] => ImageOp::Sample {
                texel: Texel::from_name(texel)?,
                lod: Lod::from_name(lod)?,
            },
            ["read", texel] => ImageOp::Read {
                texel: Texel::from_name(texel)?,
            },
            ["write", texel] => ImageOp::Write {
                texel: Texel::from_name(texel)?,
            },
            ["read_bytes"] => ImageOp::ReadBytes,
            ["write_bytes"] => ImageOp::WriteBytes,
            ["read_level", texel] => ImageOp::ReadLevel {
                texel: Texel::from_name(texel)?,
            },
            ["write_level", texel] => ImageOp::WriteLevel {
                texel: Texel::from_name(texel)?,
            },
            ["size"] => ImageOp::Size,
            ["size_of_level"] => ImageOp::SizeOfLevel,
            ["levels"] => ImageOp::Levels,
            ["samples"] => ImageOp::Samples,
            ["order"] => ImageOp::Order,
            ["format"] => ImageOp::Format,
            _ => return None,
        })
    }
}
