//! Reads of pixels through a sampler, for drivers that sample faster than they fetch
//! ([`QuirkKind::ReadBySampler`](pumice_target::QuirkKind::ReadBySampler)).
//!
//! The sampler takes the nearest pixel of level 0, and the coordinates are the middle of the pixel. They are normalised,
//! since Vulkan has others for images of one level only, and how many levels an image has shows at the launch.

use crate::expand::Expander;
use crate::passes::lower::handles::Root;
use pumice_ir::{
    BinaryOp, ConvertOp, ImageDim, ImageOp, ImageType, InstKind, Lod, Texel, Type, Value,
};
use pumice_target::image::sampler_mask::{CLAMP_TO_EDGE, NEAREST, NORMALIZED};
use smallvec::SmallVec;

/// The mask of the sampler.
const SAMPLER: u32 = NORMALIZED | CLAMP_TO_EDGE | NEAREST;

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
