//! Mip levels: the level of detail of a read through a sampler, and accesses of a level of a storage image.
//!
//! - A sampler's range of levels is no part of Vulkan's sampler here: functions without a level of detail read level 0
//!   whatever the range is. The driver tells the range of a sampler that is an argument, and the level of detail is
//!   brought into it; that of a literal sampler is everything.
//! - Vulkan's storage images have one level. A kernel that accesses others has an image for each
//!   ([`ImageLevel`](pumice_reflection::Need::ImageLevel)); what the source does not fix is decided by branches.

use crate::expand::Expander;
use crate::passes::lower::channel_types::on_image;
use pumice_ir::{
    BinaryOp, ConvertOp, HandleInfo, ImageOp, ImageType, InstKind, IntCond, Lod, MathOp, Scalar,
    Type, Value,
};
use pumice_reflection::MAX_LEVELS;
use smallvec::SmallVec;

/// The level of detail of a read through a sampler: F32, and `None` for level 0. `args` are the operands of the read;
/// `sampler` is the ordinal of a sampler that is an argument.
pub(super) fn of_sample(
    x: &mut Expander<'_>,
    lod: Lod,
    image: ImageType,
    args: &[Value],
    sampler: Option<u32>,
) -> Option<Value> {
    let lod = match lod {
        Lod::Explicit if x.func.const_bits(args[3]) == Some(0) => return None,
        Lod::Explicit => args[3],
        Lod::Gradient => of_gradients(x, image, args[0], [args[3], args[4]]),
    };
    let Some(ordinal) = sampler else {
        return Some(lod);
    };
    let mut told = |which| {
        let bits = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
        x.convert(ConvertOp::Bitcast, bits, Type::F32)
    };
    let range = [HandleInfo::LodMin, HandleInfo::LodMax].map(&mut told);
    let raised = x.math(MathOp::FMax, &[lod, range[0]]);
    Some(x.math(MathOp::FMin, &[raised, range[1]]))
}

/// The level at which a step along either gradient is one texel, or less for the shorter: log2 of the longer one in
/// texels of level 0.
fn of_gradients(
    x: &mut Expander<'_>,
    image: ImageType,
    handle: Value,
    gradients: [Value; 2],
) -> Value {
    let size = size_lanes(x, image, handle);
    let squares = gradients.map(|gradient| {
        let mut sum: Option<Value> = None;
        for (lane, &size) in (0..).zip(&size) {
            let step = x.lane(gradient, lane);
            let texels = x.bin(BinaryOp::FMul, step, size);
            let square = x.bin(BinaryOp::FMul, texels, texels);
            sum = Some(match sum {
                Some(sum) => x.bin(BinaryOp::FAdd, sum, square),
                None => square,
            });
        }
        sum.unwrap_or_else(|| x.float(Type::F32, 0.0))
    });
    let longer = x.math(MathOp::FMax, &squares);
    // No step at all is level 0, as any step below a texel.
    let one = x.float(Type::F32, 1.0);
    let longer = x.math(MathOp::FMax, &[longer, one]);
    let log = x.math(MathOp::NativeLog2, &[longer]);
    let half = x.float(Type::F32, 0.5);
    x.bin(BinaryOp::FMul, log, half)
}

/// The size of level 0, as [`ImageOp::Size`] gives it.
pub(super) fn size(x: &mut Expander<'_>, image: ImageType, handle: Value) -> Value {
    let kind = InstKind::Image {
        op: ImageOp::Size,
        image,
        args: SmallVec::from_slice(&[handle]),
    };
    x.value(kind, Type::vector(Scalar::I32, image.coordinates()))
}

/// The size of an image's layers in pixels of level 0: F32 each.
pub(super) fn size_lanes(x: &mut Expander<'_>, image: ImageType, handle: Value) -> Vec<Value> {
    let size = size(x, image, handle);
    (0..image.dimensions())
        .map(|n| {
            let lane = x.lane(size, n);
            x.convert(ConvertOp::UToF, lane, Type::F32)
        })
        .collect()
}

/// The size of a level, computed from that of level 0: Vulkan tells no other of storage images, and lavapipe that of one
/// work-item's level to all.
pub(super) fn size_of_level(
    x: &mut Expander<'_>,
    image: ImageType,
    handle: Value,
    level: Value,
) -> Value {
    let size = size(x, image, handle);
    smaller(x, image, size, level)
}

/// The size of a level of an image with this size of level 0.
pub(super) fn smaller(x: &mut Expander<'_>, image: ImageType, size: Value, level: Value) -> Value {
    let lanes: SmallVec<[Value; 4]> = (0..image.coordinates())
        .map(|n| {
            let lane = x.lane(size, n);
            if n >= image.dimensions() {
                return lane;
            }
            let halved = x.bin(BinaryOp::LShr, lane, level);
            let one = x.splat(Type::I32, 1);
            x.bin(BinaryOp::UMax, halved, one)
        })
        .collect();
    x.build(&lanes)
}

/// A read or write of a level of a storage image, the last operand; its result, if it has one. Levels that no image has
/// are written nowhere and read as zeros.
pub(super) fn on_storage_image(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
) -> Option<Value> {
    let (&level, rest) = args.split_last()?;
    let plain = match op {
        ImageOp::ReadLevel { texel } => ImageOp::Read { texel },
        ImageOp::WriteLevel { texel } => ImageOp::Write { texel },
        _ => op,
    };
    let known = |x: &mut Expander<'_>, level: u32| {
        if level == 0 {
            return on_image(x, plain, image, rest);
        }
        let mut args: SmallVec<[Value; 4]> = SmallVec::from_slice(rest);
        args.push(x.splat(Type::I32, u64::from(level)));
        on_image(x, op, image, &args)
    };
    let fixed = x.func.const_bits(level).map(|bits| bits as u32);
    if let Some(fixed) = fixed.filter(|&level| level < MAX_LEVELS) {
        return known(x, fixed);
    }
    let done = x.new_block();
    let result = op.result(image);
    let pixel = result.map(|ty| x.func.append_param(done, ty));
    let levels = if fixed.is_some() { 0 } else { MAX_LEVELS };
    for number in 0..levels {
        let here = x.icmp_const(IntCond::Eq, level, u64::from(number));
        let (then, next) = (x.new_block(), x.new_block());
        x.branch_bare(here, [then, next], then);
        let value: SmallVec<[Value; 1]> = known(x, number).into_iter().collect();
        x.jump(done, &value, next);
    }
    let nothing: SmallVec<[Value; 1]> = result.map(|ty| x.splat(ty, 0)).into_iter().collect();
    x.jump(done, &nothing, done);
    pixel
}
