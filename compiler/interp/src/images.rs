//! Image operations, by OpenCL's formulas (section 8.2 of the specification). They serve the operations that
//! `lower_images` leaves too: what Vulkan's mean is no more than what OpenCL's mean with those operands.
//!
//! An image's pixels lie in a buffer, row after row without gaps.

use super::lanes::Lanes;
use super::memory::{Access, Memory, buffer_address};
use super::pixel::Format;
use super::{ErrorKind, Image};
use pumice_ir::{
    HandleInfo, ImageOp, ImageType, InstKind, KernelInfo, Module, Texel, Type, literal_mask,
};
use pumice_target::image::sampler_mask::{
    self, ADDRESS, CLAMP, CLAMP_TO_EDGE, MIRRORED_REPEAT, REPEAT,
};
use pumice_target::image::{channel_order, channel_type};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// The images and samplers of a kernel's arguments, by ordinal.
#[derive(Clone, Debug, Default)]
pub(super) struct Handles {
    images: FxHashMap<u64, Image>,
    masks: FxHashMap<u64, u32>,
    /// The samplers whose mask the kernel asks for: drivers bind normalised ones in their place
    /// (ClspvReflection's instruction 41).
    normalized: Vec<u32>,
}

impl Handles {
    /// Takes an argument that is an image.
    pub fn add_image(
        &mut self,
        ordinal: usize,
        ty: ImageType,
        image: Image,
    ) -> Result<(), ErrorKind> {
        let bad = |what: &str| {
            Err(ErrorKind::BadArguments(format!(
                "argument {ordinal}: {what}"
            )))
        };
        if ty.depth || ty.multisampled {
            return bad("an image of depths or samples");
        }
        if (image.dim, image.arrayed) != (ty.dim, ty.arrayed) {
            return bad("an image of another type than the kernel's");
        }
        if Format::of(image.order, image.data_type).is_none() {
            return bad("an unknown format");
        }
        self.images.insert(ordinal as u64, image);
        Ok(())
    }

    /// Takes an argument that is a sampler.
    pub fn add_sampler(&mut self, ordinal: usize, mask: u32) {
        self.masks.insert(ordinal as u64, mask);
    }

    /// Finds out what the kernel asks of its samplers.
    pub fn find_asked(&mut self, module: &Module, kernel: &KernelInfo) {
        let func = &module.functions[kernel.func];
        let blocks = func.layout.blocks.iter();
        let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
        self.normalized = insts
            .filter_map(|&inst| match func.insts[inst].kind {
                InstKind::HandleInfo {
                    ordinal,
                    which: HandleInfo::SamplerMask,
                } => Some(ordinal),
                _ => None,
            })
            .collect();
    }

    fn image(&self, handle: u64) -> Result<Image, ErrorKind> {
        let image = self.images.get(&handle).copied();
        image.ok_or_else(|| ErrorKind::BadArguments(format!("argument {handle} is no image")))
    }

    /// The mask of the sampler that reads are made with.
    fn mask(&self, handle: u64) -> Result<u32, ErrorKind> {
        if let Some(mask) = literal_mask(handle) {
            return Ok(mask);
        }
        let mask = self.masks.get(&handle).copied();
        let mask = mask
            .ok_or_else(|| ErrorKind::BadArguments(format!("argument {handle} is no sampler")))?;
        match self.normalized.iter().any(|&n| u64::from(n) == handle) {
            true => Ok(mask | sampler_mask::NORMALIZED),
            false => Ok(mask),
        }
    }

    /// A fact that the driver tells.
    pub fn info(&self, ordinal: u32, which: HandleInfo) -> Result<Lanes, ErrorKind> {
        let handle = u64::from(ordinal);
        let image = || self.image(handle);
        let number = match which {
            HandleInfo::ChannelOrder => image()?.order,
            HandleInfo::ChannelDataType => image()?.data_type,
            HandleInfo::SamplerMask => self.masks.get(&handle).copied().unwrap_or(0),
            HandleInfo::SizeX => image()?.size[0],
            HandleInfo::SizeY => image()?.size[1],
            HandleInfo::SizeZ => image()?.size[2],
            HandleInfo::Levels => 1,
            HandleInfo::LodMin | HandleInfo::WritesSrgb => 0,
            HandleInfo::LodMax => f32::MAX.to_bits(),
            HandleInfo::Samples => return Err(ErrorKind::Unsupported(which.name().into())),
        };
        Ok(smallvec![u64::from(number)])
    }
}

/// The pixel along one dimension that a sampler reads; `None` for the border.
fn along(mask: u32, coordinate: Coordinate, size: u32) -> Result<Option<u32>, ErrorKind> {
    let (last, width) = (i64::from(size) - 1, size as f32);
    let number = match coordinate {
        Coordinate::Integer(number) => i64::from(number),
        Coordinate::Float(lane) => {
            let normalized = mask & sampler_mask::NORMALIZED != 0;
            let pixels = match mask & ADDRESS {
                REPEAT => (lane - lane.floor()) * width,
                MIRRORED_REPEAT => (lane - 2.0 * (0.5 * lane).round_ties_even()).abs() * width,
                _ if normalized => lane * width,
                _ => lane,
            };
            pixels.floor() as i64
        }
    };
    let inside = (0..=last).contains(&number);
    let at = match mask & ADDRESS {
        CLAMP if !inside => return Ok(None),
        REPEAT if number > last => number - i64::from(size),
        CLAMP | CLAMP_TO_EDGE | REPEAT | MIRRORED_REPEAT => number.clamp(0, last),
        _ if inside => number,
        _ => return Err(outside()),
    };
    Ok(Some(at as u32))
}

fn outside() -> ErrorKind {
    ErrorKind::Unsupported("an access outside of an image".into())
}

#[derive(Clone, Copy)]
enum Coordinate {
    Integer(i32),
    Float(f32),
}

fn coordinates((ty, lanes): &(Type, Lanes)) -> Vec<Coordinate> {
    let lanes = lanes.iter().map(|&lane| match ty.scalar.is_int() {
        true => Coordinate::Integer(lane as i32),
        false => Coordinate::Float(f32::from_bits(lane as u32)),
    });
    lanes.collect()
}

impl Handles {
    /// Executes an operation on an image in a memory, with operands and their types; the lanes of its result.
    pub fn execute(
        &self,
        memory: &mut Memory,
        op: ImageOp,
        ty: ImageType,
        args: &[(Type, Lanes)],
    ) -> Result<Lanes, ErrorKind> {
        let image = self.image(args[0].1[0])?;
        match op {
            ImageOp::Sample { texel, .. } => {
                let mask = self.mask(args[1].1[0])?;
                let place = sampled(mask, ty, &image, &coordinates(&args[2]))?;
                read_pixel(memory, &image, texel, place)
            }
            ImageOp::Read { texel } | ImageOp::ReadLevel { texel } => {
                let place = place(&image, &args[1].1)?;
                read_pixel(memory, &image, texel, Some(place))
            }
            ImageOp::Write { texel } | ImageOp::WriteLevel { texel } => {
                let place = place(&image, &args[1].1)?;
                write_pixel(memory, &image, texel, place, &args[2].1)
            }
            ImageOp::Size | ImageOp::SizeOfLevel => {
                let sizes = image.size[..usize::from(ty.coordinates())].iter();
                Ok(sizes.map(|&n| u64::from(n)).collect())
            }
            ImageOp::Levels => Ok(smallvec![1]),
            ImageOp::Order => Ok(smallvec![u64::from(image.order - channel_order::R)]),
            ImageOp::Format => Ok(smallvec![u64::from(
                image.data_type - channel_type::SNORM_INT8
            )]),
            ImageOp::ReadBytes | ImageOp::WriteBytes | ImageOp::Samples => {
                let words = op.words().join(".");
                Err(ErrorKind::Unsupported(format!(
                    "{words} of {}",
                    ty.display()
                )))
            }
        }
    }
}

fn read_pixel(
    memory: &Memory,
    image: &Image,
    texel: Texel,
    place: Option<[u32; 3]>,
) -> Result<Lanes, ErrorKind> {
    let format = format_of(image, texel)?;
    match place {
        Some(place) => {
            let bytes = memory.load(access(image, &format, place))?;
            Ok(format.read(bytes))
        }
        None => Ok(format.border()),
    }
}

fn write_pixel(
    memory: &mut Memory,
    image: &Image,
    texel: Texel,
    place: [u32; 3],
    pixel: &[u64],
) -> Result<Lanes, ErrorKind> {
    let format = format_of(image, texel)?;
    let access = access(image, &format, place);
    memory.store(access, &format.write(pixel), None)?;
    Ok(Lanes::new())
}

fn format_of(image: &Image, texel: Texel) -> Result<Format, ErrorKind> {
    let format = Format::of(image.order, image.data_type);
    let format = format.ok_or_else(|| ErrorKind::BadArguments("an unknown format".into()))?;
    format.check(texel)?;
    Ok(format)
}

/// The bytes of a pixel in the image's buffer.
fn access(image: &Image, format: &Format, [x, y, z]: [u32; 3]) -> Access {
    let [width, height, _] = image.size.map(u64::from);
    let index = (u64::from(z) * height + u64::from(y)) * width + u64::from(x);
    Access {
        address: buffer_address(image.buffer) + index * format.bytes(),
        size: format.bytes(),
        align: 1,
    }
}

/// The pixel that a kernel names itself.
fn place(image: &Image, lanes: &[u64]) -> Result<[u32; 3], ErrorKind> {
    let mut place = [0; 3];
    for ((to, &lane), &size) in place.iter_mut().zip(lanes).zip(&image.size) {
        *to = lane as u32;
        if *to >= size {
            return Err(outside());
        }
    }
    Ok(place)
}

/// The pixel that a sampler with the nearest filter reads; `None` for the border.
fn sampled(
    mask: u32,
    ty: ImageType,
    image: &Image,
    lanes: &[Coordinate],
) -> Result<Option<[u32; 3]>, ErrorKind> {
    let whole = lanes
        .iter()
        .all(|lane| matches!(lane, Coordinate::Integer(_)));
    if !whole && mask & sampler_mask::NEAREST == 0 {
        return Err(ErrorKind::Unsupported("a linear filter".into()));
    }
    let mut place = [0; 3];
    let dimensions = usize::from(ty.dimensions());
    for (n, (&lane, &size)) in lanes.iter().zip(&image.size).enumerate() {
        if n == dimensions {
            // The layer: the nearest that there is.
            let number = match lane {
                Coordinate::Integer(number) => i64::from(number),
                Coordinate::Float(number) => number.round_ties_even() as i64,
            };
            place[n] = number.clamp(0, i64::from(size) - 1) as u32;
            continue;
        }
        let Some(at) = along(mask, lane, size)? else {
            return Ok(None);
        };
        place[n] = at;
    }
    Ok(Some(place))
}
