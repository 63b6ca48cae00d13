//! Reads through a sampler as OpenCL's own formulas (section 8.2), pixel by pixel: for devices
//! whose samplers are coarser than OpenCL wants them
//! ([`QuirkKind::SampleExactly`](pumice_target::QuirkKind::SampleExactly)).
//!
//! A sampler is its mask here, known or told by the driver. Each dimension gives one pixel for the
//! nearest filter and two with their shares for the linear one; every pixel is read at a place
//! inside the image, and replaced by the border's colour where the formula is outside.

use crate::expand::Expander;
use crate::passes::lower::mip_levels::size_of_level;
use crate::passes::lower::read_by_sampler;
use pumice_ir::{
    BinaryOp, BlockCall, ConvertOp, FloatCond, HandleInfo, ImageOp, ImageType, InstKind, IntCond,
    MathOp, Scalar, Texel, Type, Value,
};
use pumice_target::image::channel_order;
use pumice_target::image::sampler_mask::{self, ADDRESS, CLAMP, LINEAR, MIRRORED_REPEAT, REPEAT};
use smallvec::SmallVec;

/// The orders without alpha by their distance from CL_R: R, RG, RGB, LUMINANCE and sRGB.
const OPAQUE: u64 = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 9 | 1 << 15;

/// A sampler's mask.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mask {
    /// A literal's.
    Known(u32),
    /// An argument's, I32.
    Told(Value),
}

/// A condition that may be known.
#[derive(Clone, Copy)]
enum Cond {
    Known(bool),
    Value(Value),
}

impl Mask {
    fn is(self, x: &mut Expander<'_>, bits: u32, value: u32) -> Cond {
        match self {
            Mask::Known(mask) => Cond::Known(mask & bits == value),
            Mask::Told(mask) => {
                let part = x.bin_const(BinaryOp::And, mask, u64::from(bits));
                Cond::Value(x.icmp_const(IntCond::Eq, part, u64::from(value)))
            }
        }
    }
}

impl Cond {
    fn choose(
        self,
        x: &mut Expander<'_>,
        then: impl FnOnce(&mut Expander<'_>) -> Value,
        other: impl FnOnce(&mut Expander<'_>) -> Value,
    ) -> Value {
        match self {
            Cond::Known(true) => then(x),
            Cond::Known(false) => other(x),
            Cond::Value(cond) => {
                let (then, other) = (then(x), other(x));
                x.select(cond, then, other)
            }
        }
    }
}

/// The image that is read, and its sampler.
#[derive(Clone, Copy)]
pub(super) struct Sampled {
    /// The image's type.
    pub image: ImageType,
    /// Its argument's ordinal.
    pub ordinal: u32,
    /// Its handle.
    pub handle: Value,
    /// The class of its pixels.
    pub texel: Texel,
    /// The sampler.
    pub mask: Mask,
    /// The mip level, I32; `None` for level 0.
    pub level: Option<Value>,
    /// Pixels of level 0 are read through a sampler of the device.
    pub by_sampler: bool,
}

/// A pixel along one dimension.
#[derive(Clone, Copy)]
struct Along {
    /// Inside the image, I32.
    at: Value,
    /// True if the border's colour takes its place; `None` where it never does.
    outside: Option<Value>,
    /// The image's size in this dimension, I32.
    size: Value,
}

/// The colour at these coordinates, I32 or F32 lanes with the layer last.
pub(super) fn sample(x: &mut Expander<'_>, s: &Sampled, coordinates: Value) -> Value {
    let integers = x.ty(coordinates).scalar.is_int();
    let dimensions = s.image.dimensions();
    let size = match s.level {
        Some(level) => size_of_level(x, s.image, s.handle, level),
        None => image_op(x, ImageOp::Size, s, &[]),
    };
    let (sizes, lanes) = (x.lanes(size), x.lanes(coordinates));
    let layer = s.image.arrayed.then(|| {
        let n = usize::from(dimensions);
        layer(x, lanes[n], sizes[n], integers)
    });
    let (lanes, sizes) = (
        &lanes[..usize::from(dimensions)],
        &sizes[..usize::from(dimensions)],
    );
    if integers {
        let places: SmallVec<[Along; 3]> = (lanes.iter().zip(sizes))
            .map(|(&lane, &size)| inside(x, s.mask, lane, size))
            .collect();
        return pixel(x, s, &places, layer);
    }
    let mut units: SmallVec<[Value; 3]> = SmallVec::new();
    for (&lane, &size) in lanes.iter().zip(sizes) {
        units.push(in_pixels(x, s.mask, lane, size));
    }
    // A linear filter of integers is undefined.
    let linear = match s.texel {
        Texel::Float => s.mask.is(x, LINEAR, LINEAR),
        Texel::Signed | Texel::Unsigned | Texel::Raw => Cond::Known(false),
    };
    match linear {
        Cond::Known(false) => nearest(x, s, &units, sizes, layer),
        Cond::Known(true) => interpolated(x, s, &units, sizes, layer),
        Cond::Value(cond) => {
            let (then, other, done) = (x.new_block(), x.new_block(), x.new_block());
            let result = x.func.append_param(done, s.texel.ty());
            x.branch_bare(cond, [then, other], then);
            let color = interpolated(x, s, &units, sizes, layer);
            x.jump(done, &[color], other);
            let color = nearest(x, s, &units, sizes, layer);
            x.jump(done, &[color], done);
            result
        }
    }
}

/// The colour at these coordinates at a level of detail, F32: that of the nearest mip level, or of the two next to it
/// in their shares.
pub(super) fn sample_levels(
    x: &mut Expander<'_>,
    s: &Sampled,
    coordinates: Value,
    lod: Value,
) -> Value {
    let count = image_op(x, ImageOp::Levels, s, &[]);
    let last = x.bin_const(BinaryOp::IAdd, count, u64::from(u32::MAX));
    let most = to_float(x, last);
    let zero = x.float(Type::F32, 0.0);
    let lod = x.math(MathOp::FMax, &[lod, zero]);
    let lod = x.math(MathOp::FMin, &[lod, most]);
    let at = |x: &mut Expander<'_>, level: Value| {
        let level = x.convert(ConvertOp::FToS, level, Type::I32);
        let level = Some(level);
        sample(x, &Sampled { level, ..*s }, coordinates)
    };
    let half = x.float(Type::F32, 0.5);
    let above = x.bin(BinaryOp::FAdd, lod, half);
    let above = x.math(MathOp::Ceil, &[above]);
    let one = x.float(Type::F32, 1.0);
    let nearer = x.bin(BinaryOp::FSub, above, one);
    // A linear filter of integers is undefined.
    let linear = match s.texel {
        Texel::Float => {
            let bit = sampler_mask::MIP_LINEAR;
            s.mask.is(x, bit, bit)
        }
        Texel::Signed | Texel::Unsigned | Texel::Raw => Cond::Known(false),
    };
    let linear = match linear {
        Cond::Known(false) => return at(x, nearer),
        Cond::Known(true) => None,
        Cond::Value(cond) => Some(cond),
    };
    let below = x.math(MathOp::Floor, &[lod]);
    let first = match linear {
        Some(cond) => x.select(cond, below, nearer),
        None => below,
    };
    let color = at(x, first);
    let share = x.bin(BinaryOp::FSub, lod, below);
    let between = x.fcmp(FloatCond::Ogt, share, zero);
    let mixed = match linear {
        Some(cond) => x.bin(BinaryOp::And, cond, between),
        None => between,
    };
    let (then, done) = (x.new_block(), x.new_block());
    let result = x.func.append_param(done, s.texel.ty());
    x.branch(
        mixed,
        BlockCall::new(then, &[]),
        BlockCall::new(done, &[color]),
        then,
    );
    let next = x.bin(BinaryOp::FAdd, below, one);
    let other = at(x, next);
    let rest = x.bin(BinaryOp::FSub, one, share);
    let sum = mix(x, [color, other], [rest, share]);
    x.jump(done, &[sum], done);
    result
}

/// The sum of two colours in their shares.
fn mix(x: &mut Expander<'_>, [low, high]: [Value; 2], shares: [Value; 2]) -> Value {
    let ty = x.ty(low);
    let [rest, share] = shares.map(|part| x.value(InstKind::Splat { arg: part }, ty));
    let low = x.bin(BinaryOp::FMul, low, rest);
    let high = x.bin(BinaryOp::FMul, high, share);
    x.bin(BinaryOp::FAdd, low, high)
}

fn image_op(x: &mut Expander<'_>, op: ImageOp, s: &Sampled, operands: &[Value]) -> Value {
    let mut args: SmallVec<[Value; 4]> = SmallVec::from_slice(&[s.handle]);
    args.extend_from_slice(operands);
    let ty = op.result(s.image).unwrap_or(Type::I32);
    let image = s.image;
    x.value(InstKind::Image { op, image, args }, ty)
}

fn to_float(x: &mut Expander<'_>, value: Value) -> Value {
    x.convert(ConvertOp::SToF, value, Type::F32)
}

/// A number in F32 as I32; beyond what both hold it is as good as any.
fn to_int(x: &mut Expander<'_>, value: Value, size: Value) -> Value {
    // Two pixels beyond either end are as far outside as any.
    let low = x.float(Type::F32, -2.0);
    let above = x.fcmp(FloatCond::Ogt, value, low);
    let value = x.select(above, value, low);
    let high = x.bin_const(BinaryOp::IAdd, size, 2);
    let high = to_float(x, high);
    let below = x.fcmp(FloatCond::Olt, value, high);
    let value = x.select(below, value, high);
    x.convert(ConvertOp::FToS, value, Type::I32)
}

fn clamped(x: &mut Expander<'_>, value: Value, size: Value) -> Value {
    let zero = x.splat(Type::I32, 0);
    let last = x.bin_const(BinaryOp::IAdd, size, u64::from(u32::MAX));
    let value = x.bin(BinaryOp::SMax, value, zero);
    x.bin(BinaryOp::SMin, value, last)
}

/// The layer: the nearest even of a float, and one that there is.
fn layer(x: &mut Expander<'_>, lane: Value, count: Value, integers: bool) -> Value {
    let number = match integers {
        true => lane,
        false => {
            let even = x.math(MathOp::RoundEven, &[lane]);
            to_int(x, even, count)
        }
    };
    clamped(x, number, count)
}

/// A coordinate in pixels, repeated and mirrored ones within the image.
fn in_pixels(x: &mut Expander<'_>, mask: Mask, lane: Value, size: Value) -> Value {
    let width = to_float(x, size);
    let repeat = mask.is(x, ADDRESS, REPEAT);
    let mirrored = mask.is(x, ADDRESS, MIRRORED_REPEAT);
    let normalized = mask.is(x, sampler_mask::NORMALIZED, sampler_mask::NORMALIZED);
    repeat.choose(
        x,
        |x| {
            let floor = x.math(MathOp::Floor, &[lane]);
            let part = x.bin(BinaryOp::FSub, lane, floor);
            x.bin(BinaryOp::FMul, part, width)
        },
        |x| {
            mirrored.choose(
                x,
                |x| {
                    let half = x.float(Type::F32, 0.5);
                    let half = x.bin(BinaryOp::FMul, lane, half);
                    let even = x.math(MathOp::RoundEven, &[half]);
                    let even = x.bin(BinaryOp::FAdd, even, even);
                    let apart = x.bin(BinaryOp::FSub, lane, even);
                    let apart = x.math(MathOp::FAbs, &[apart]);
                    x.bin(BinaryOp::FMul, apart, width)
                },
                |x| normalized.choose(x, |x| x.bin(BinaryOp::FMul, lane, width), |_| lane),
            )
        },
    )
}

/// The pixel of a number, by the sampler's addressing.
fn inside(x: &mut Expander<'_>, mask: Mask, number: Value, size: Value) -> Along {
    let repeat = mask.is(x, ADDRESS, REPEAT);
    let number = repeat.choose(
        x,
        |x| {
            let zero = x.splat(Type::I32, 0);
            let below = x.icmp(IntCond::Slt, number, zero);
            let up = x.bin(BinaryOp::IAdd, number, size);
            let number_up = x.select(below, up, number);
            let above = x.icmp(IntCond::Sge, number_up, size);
            let down = x.bin(BinaryOp::ISub, number_up, size);
            x.select(above, down, number_up)
        },
        |_| number,
    );
    let at = clamped(x, number, size);
    let outside = match mask.is(x, ADDRESS, CLAMP) {
        Cond::Known(false) => None,
        Cond::Known(true) => Some(x.icmp(IntCond::Ne, at, number)),
        Cond::Value(clamp) => {
            let moved = x.icmp(IntCond::Ne, at, number);
            Some(x.bin(BinaryOp::And, clamp, moved))
        }
    };
    Along { at, outside, size }
}

fn nearest(
    x: &mut Expander<'_>,
    s: &Sampled,
    units: &[Value],
    sizes: &[Value],
    layer: Option<Value>,
) -> Value {
    let mut places: SmallVec<[Along; 3]> = SmallVec::new();
    for (&u, &size) in units.iter().zip(sizes) {
        let floor = x.math(MathOp::Floor, &[u]);
        let number = to_int(x, floor, size);
        places.push(inside(x, s.mask, number, size));
    }
    pixel(x, s, &places, layer)
}

fn interpolated(
    x: &mut Expander<'_>,
    s: &Sampled,
    units: &[Value],
    sizes: &[Value],
    layer: Option<Value>,
) -> Value {
    let mut both: SmallVec<[[Along; 2]; 3]> = SmallVec::new();
    let mut shares: SmallVec<[Value; 3]> = SmallVec::new();
    for (&u, &size) in units.iter().zip(sizes) {
        let half = x.float(Type::F32, -0.5);
        let u = x.bin(BinaryOp::FAdd, u, half);
        let floor = x.math(MathOp::Floor, &[u]);
        shares.push(x.bin(BinaryOp::FSub, u, floor));
        let first = to_int(x, floor, size);
        let second = x.bin_const(BinaryOp::IAdd, first, 1);
        both.push([first, second].map(|number| inside(x, s.mask, number, size)));
    }
    let mut colors: SmallVec<[Value; 8]> = SmallVec::new();
    for corner in 0..1_usize << both.len() {
        let places: SmallVec<[Along; 3]> = (both.iter().enumerate())
            .map(|(d, pair)| pair[corner >> d & 1])
            .collect();
        colors.push(pixel(x, s, &places, layer));
    }
    // Dimension by dimension: corners that differ in the first one stand side by side.
    for share in shares {
        let one = x.float(Type::F32, 1.0);
        let rest = x.bin(BinaryOp::FSub, one, share);
        colors = (colors.chunks_exact(2))
            .map(|pair| mix(x, [pair[0], pair[1]], [rest, share]))
            .collect();
    }
    colors[0]
}

/// The colour of a pixel, or of the border.
fn pixel(x: &mut Expander<'_>, s: &Sampled, places: &[Along], layer: Option<Value>) -> Value {
    let mut at: SmallVec<[Value; 4]> = places.iter().map(|place| place.at).collect();
    at.extend(layer);
    let texel = s.texel;
    let color = match s.level {
        Some(level) => {
            let at = x.build(&at);
            image_op(x, ImageOp::ReadLevel { texel }, s, &[at, level])
        }
        None if s.by_sampler => {
            let sizes: SmallVec<[Value; 3]> = places.iter().map(|place| place.size).collect();
            read_by_sampler::read(x, s.image, s.handle, texel, (&at, &sizes))
        }
        None => {
            let at = x.build(&at);
            image_op(x, ImageOp::Read { texel }, s, &[at])
        }
    };
    let outside = places.iter().filter_map(|place| place.outside);
    let Some(outside) = outside.reduce(|a, b| x.bin(BinaryOp::Or, a, b)) else {
        return color;
    };
    let border = border(x, s);
    let lanes = x.ty(color).lanes;
    let ty = Type::BOOL.with_lanes(lanes);
    let outside = x.value(InstKind::Splat { arg: outside }, ty);
    x.select(outside, border, color)
}

/// The border's colour: zeros, with an alpha of one where the order has none.
fn border(x: &mut Expander<'_>, s: &Sampled) -> Value {
    let which = HandleInfo::ChannelOrder;
    let ordinal = s.ordinal;
    let order = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
    let ty = s.texel.ty().lane();
    let zero = x.splat(ty, 0);
    let one = match ty.scalar {
        Scalar::F32 => x.float(ty, 1.0),
        _ => x.splat(ty, 1),
    };
    let base = x.splat(Type::I32, u64::from(channel_order::R));
    let number = x.bin(BinaryOp::ISub, order, base);
    let orders = x.splat(Type::I32, OPAQUE);
    let shifted = x.bin(BinaryOp::LShr, orders, number);
    let bit = x.bin_const(BinaryOp::And, shifted, 1);
    let opaque = x.icmp_const(IntCond::Ne, bit, 0);
    let alpha = x.select(opaque, one, zero);
    x.build(&[zero, zero, zero, alpha])
}
