//! Reads of pixels through a sampler, for drivers that sample faster than they fetch
//! ([`QuirkKind::ReadBySampler`](pumice_target::QuirkKind::ReadBySampler)).
//!
//! The sampler takes the nearest pixel of level 0, and the coordinates are the middle of the pixel. They are normalised,
//! since Vulkan has others for images of one level only, and how many levels an image has shows at the launch.
//!
//! A linear filter is left to the device as well where it has floats for it. lavapipe filters bytes in 8 bits if the sampler
//! repeats the image or clamps to its edge. In the place of such an edge stands another that gives the same:
//!
//! - Normalised coordinates are clamped to the image, and the sampler mirrors it: beside its first pixel is the first pixel.
//! - Others are clamped to the middles of the outermost pixels, and the sampler has a border, of which no share is left.

use crate::expand::Expander;
use crate::passes::lower::handles::Root;
use crate::passes::lower::mip_levels::size_lanes;
use pumice_ir::{
    BinaryOp, ConvertOp, ImageDim, ImageOp, ImageType, InstKind, Lod, MathOp, Texel, Type, Value,
};
use pumice_target::image::sampler_mask::{
    ADDRESS, CLAMP, CLAMP_TO_EDGE, LINEAR, MIRRORED_REPEAT, NEAREST, NORMALIZED,
};
use smallvec::SmallVec;

/// The mask of the sampler.
const SAMPLER: u32 = NORMALIZED | CLAMP_TO_EDGE | NEAREST;

/// The literal sampler that stands for one of the mask `mask`, and the coordinates for it; `None` where the device does not filter
/// in floats. `coordinates` are F32 lanes with the layer last.
pub(super) fn filtered(
    x: &mut Expander<'_>,
    image: ImageType,
    handle: Value,
    mask: u32,
    coordinates: Value,
) -> Option<(u32, Value)> {
    if mask & LINEAR == 0 || image.depth {
        return None;
    }
    match mask & ADDRESS {
        0 | CLAMP_TO_EDGE => {}
        CLAMP => return Some((mask, coordinates)),
        _ => return None,
    }
    let mut lanes = x.lanes(coordinates);
    let within = |x: &mut Expander<'_>, lane: &mut Value, [first, last]: [Value; 2]| {
        let above = x.math(MathOp::FMax, &[*lane, first]);
        *lane = x.math(MathOp::FMin, &[above, last]);
    };
    let mask = mask & !ADDRESS;
    if mask & NORMALIZED != 0 {
        let ends = [0.0, 1.0].map(|end| x.float(Type::F32, end));
        for lane in &mut lanes[..usize::from(image.dimensions())] {
            within(x, lane, ends);
        }
        return Some((mask | MIRRORED_REPEAT, x.build(&lanes)));
    }
    let half = x.float(Type::F32, 0.5);
    for (lane, size) in lanes.iter_mut().zip(size_lanes(x, image, handle)) {
        let last = x.bin(BinaryOp::FSub, size, half);
        within(x, lane, [half, last]);
    }
    Some((mask | CLAMP, x.build(&lanes)))
}

/// Returns whether images of a type have pixels that can be read through a sampler.
pub(super) fn can_read(image: ImageType) -> bool {
    image.is_sampled() && image.dim != ImageDim::Buffer && !image.multisampled
}

/// The pixel of level 0 at integer coordinates, the layer last. `sizes` are those of a layer in pixels.
pub(super) fn read(
    x: &mut Expander<'_>,
    image: ImageType,
    handle: Value,
    texel: Texel,
    (coordinates, sizes): (&[Value], &[Value]),
) -> Value {
    let mut lanes: SmallVec<[Value; 4]> = (coordinates.iter())
        .map(|&lane| x.convert(ConvertOp::SToF, lane, Type::F32))
        .collect();
    for (lane, &size) in lanes.iter_mut().zip(sizes) {
        let half = x.float(Type::F32, 0.5);
        let middle = x.bin(BinaryOp::FAdd, *lane, half);
        // A product with the reciprocal misses the middle by less than a hundredth of a pixel in images of 2^15.
        let one = x.float(Type::F32, 1.0);
        let size = x.convert(ConvertOp::SToF, size, Type::F32);
        let reciprocal = x.bin(BinaryOp::FDiv, one, size);
        *lane = x.bin(BinaryOp::FMul, middle, reciprocal);
    }
    let at = x.build(&lanes);
    let sampler = x.splat(Type::I32, Root::Literal(SAMPLER).number());
    let level = x.float(Type::F32, 0.0);
    let lod = Lod::Explicit;
    let op = ImageOp::Sample { texel, lod };
    let args = SmallVec::from_slice(&[handle, sampler, at, level]);
    x.value(InstKind::Image { op, image, args }, texel.ty())
}
