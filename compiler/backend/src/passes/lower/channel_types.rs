//! Accesses of images that depend on the type of their channels, which shows at the launch alone and
//! which the driver tells.
//!
//! - Image buffers of RGBA in 16-bit UNORM are bound as unsigned integers on devices that have no such
//!   texel buffers to read. Reads and writes of floats stand behind a branch there: Vulkan lets no
//!   instruction see texels of another class of numbers than its own.
//! - OpenCL clamps integers to the channels that they are written to; some drivers cut them
//!   ([`QuirkKind::ClampIntegerPixels`](pumice_target::QuirkKind::ClampIntegerPixels)).
//! - OpenCL writes 0 for NaN where channels are no floats, and NaN where they are; some drivers write
//!   something else ([`QuirkKind::ZeroNanPixels`](pumice_target::QuirkKind::ZeroNanPixels)).
//! - Numbers beyond halves are infinite as halves; some drivers write most of them as something else
//!   ([`QuirkKind::ClampHalfPixels`](pumice_target::QuirkKind::ClampHalfPixels)).

use crate::expand::Expander;
use pumice_ir::{
    BinaryOp, ConvertOp, HandleInfo, ImageDim, ImageOp, ImageType, InstKind, IntCond, MathOp,
    Scalar, Texel, Type, UnaryOp, Value,
};
use pumice_target::image::channel_type;
use smallvec::SmallVec;

/// The first power of 2 that halves have no number for. Its bits as a half are those of infinity.
const BEYOND_HALF: f64 = 65536.0;
/// The number whose bits would be those of NaN as a half, with an exponent that halves have no numbers for.
const NAN_AS_HALF: f64 = 1.5 * BEYOND_HALF;
/// The integer that 16-bit UNORM has for one.
const MOST: f64 = 65535.0;

const FLOATS: Type = Type::vector(Scalar::F32, 4);
const INTS: Type = Type::vector(Scalar::I32, 4);

/// Returns whether an operation reads or writes floats of an image buffer.
pub(super) fn is_float_of_buffer(op: ImageOp, image: ImageType) -> bool {
    let floats = matches!(op, ImageOp::Read { .. } | ImageOp::Write { .. })
        && op.texel() == Some(Texel::Float);
    floats && image.dim == ImageDim::Buffer
}

/// The integers that a write clamps to the channels of the image that is argument `ordinal`.
pub(super) fn clamped(x: &mut Expander<'_>, texel: Texel, pixel: Value, ordinal: u32) -> Value {
    let (first, limits) = match texel {
        Texel::Float | Texel::Raw => return pixel,
        Texel::Signed => (channel_type::SIGNED_INT8, [0x7f, 0x7fff, 0x7fff_ffff]),
        Texel::Unsigned => (channel_type::UNSIGNED_INT8, [0xff, 0xffff, 0xffff_ffff]),
    };
    let data_type = data_type(x, ordinal);
    let is_byte = x.icmp_const(IntCond::Eq, data_type, u64::from(first));
    let is_short = x.icmp_const(IntCond::Eq, data_type, u64::from(first + 1));
    let [byte, short, word] = limits.map(|bits| x.splat(Type::I32, bits));
    let wide = x.select(is_short, short, word);
    let most = x.select(is_byte, byte, wide);
    let most = x.value(InstKind::Splat { arg: most }, INTS);
    if texel == Texel::Unsigned {
        return x.bin(BinaryOp::UMin, pixel, most);
    }
    let least = x.un(UnaryOp::Not, most);
    let raised = x.bin(BinaryOp::SMax, pixel, least);
    x.bin(BinaryOp::SMin, raised, most)
}

/// The floats that are written to the image that is argument `ordinal`: 0 for NaN, unless its channels are floats.
pub(super) fn without_nan(x: &mut Expander<'_>, pixel: Value, ordinal: u32) -> Value {
    let data_type = data_type(x, ordinal);
    let beyond_half = x.bin_const(
        BinaryOp::ISub,
        data_type,
        u64::from(channel_type::HALF_FLOAT),
    );
    let are_floats = x.icmp_const(IntCond::Ult, beyond_half, 2);
    let is_nan = x.math(MathOp::IsNan, &[pixel]);
    let none = x.splat(FLOATS, 0);
    let numbers = x.select(is_nan, none, pixel);
    x.select(are_floats, pixel, numbers)
}

/// The floats that are written to the image that is argument `ordinal`: none beyond the first that is infinite as a half, and
/// for NaN the number that has its bits, if its channels are halves.
pub(super) fn within_halves(x: &mut Expander<'_>, pixel: Value, ordinal: u32) -> Value {
    let data_type = data_type(x, ordinal);
    let are_halves = x.icmp_const(IntCond::Eq, data_type, u64::from(channel_type::HALF_FLOAT));
    let [least, most] = [-BEYOND_HALF, BEYOND_HALF].map(|number| x.float(FLOATS, number));
    let raised = x.math(MathOp::FMax, &[pixel, least]);
    let clamped = x.math(MathOp::FMin, &[raised, most]);
    let is_nan = x.math(MathOp::IsNan, &[pixel]);
    let nan = x.float(FLOATS, NAN_AS_HALF);
    let numbers = x.select(is_nan, nan, clamped);
    x.select(are_halves, numbers, pixel)
}

fn data_type(x: &mut Expander<'_>, ordinal: u32) -> Value {
    let which = HandleInfo::ChannelDataType;
    x.value(InstKind::HandleInfo { ordinal, which }, Type::I32)
}

/// A read or write of floats of the image buffer that is argument `ordinal`; its result, if it has one.
pub(super) fn access_floats(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
    ordinal: u32,
) -> Option<Value> {
    let data_type = data_type(x, ordinal);
    let is_unorm = x.icmp_const(IntCond::Eq, data_type, u64::from(channel_type::UNORM_INT16));
    let [unorm, other, done] = [(); 3].map(|()| x.new_block());
    let pixel = match op {
        ImageOp::Read { .. } => Some(x.func.append_param(done, FLOATS)),
        _ => None,
    };
    x.branch_bare(is_unorm, [unorm, other], unorm);
    let here: SmallVec<[Value; 1]> = by_integers(x, op, image, args).into_iter().collect();
    x.jump(done, &here, other);
    let here: SmallVec<[Value; 1]> = on_image(x, op, image, args).into_iter().collect();
    x.jump(done, &here, done);
    pixel
}

fn by_integers(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
) -> Option<Value> {
    let texel = Texel::Unsigned;
    let ImageOp::Write { .. } = op else {
        let ints = on_image(x, ImageOp::Read { texel }, image, args)?;
        let floats = x.convert(ConvertOp::UToF, ints, FLOATS);
        let share = x.float(FLOATS, 1.0 / MOST);
        return Some(x.bin(BinaryOp::FMul, floats, share));
    };
    let [low, high, most] = [0.0, 1.0, MOST].map(|number| x.float(FLOATS, number));
    // A NaN becomes 0: of it and a number the maximum is the number.
    let clamped = x.math(MathOp::FMax, &[args[2], low]);
    let clamped = x.math(MathOp::FMin, &[clamped, high]);
    let scaled = x.bin(BinaryOp::FMul, clamped, most);
    let rounded = x.math(MathOp::RoundEven, &[scaled]);
    let ints = x.convert(ConvertOp::FToU, rounded, INTS);
    on_image(
        x,
        ImageOp::Write { texel },
        image,
        &[args[0], args[1], ints],
    )
}

/// The operation as it is.
pub(super) fn on_image(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
) -> Option<Value> {
    let args = SmallVec::from_slice(args);
    let kind = InstKind::Image { op, image, args };
    match op.result(image) {
        Some(ty) => Some(x.value(kind, ty)),
        None => {
            x.emit(kind, &[]);
            None
        }
    }
}
