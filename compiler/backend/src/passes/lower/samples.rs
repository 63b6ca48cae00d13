//! Images with samples a pixel: Vulkan's image has a layer for each sample, so that it needs no multisampled images.
//!
//! A sample of layer l is layer l times samples, plus the sample. The driver tells the number of samples, and the sizes,
//! since the binding's own are those of its layers.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, HandleInfo, ImageType, InstKind, Type, Value};
use smallvec::SmallVec;

/// The type of image that has the samples as layers, and the coordinates of one in it. `args` are the operands of a read:
/// image, coordinates, sample.
pub(super) fn layer_of_sample(
    x: &mut Expander<'_>,
    image: ImageType,
    args: &[Value],
    ordinal: u32,
) -> (ImageType, Value) {
    let (coordinates, sample) = (args[1], args[2]);
    let layer = match image.arrayed {
        false => sample,
        true => {
            let which = HandleInfo::Samples;
            let samples = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
            let layer = x.lane(coordinates, 2);
            let first = x.bin(BinaryOp::IMul, layer, samples);
            x.bin(BinaryOp::IAdd, first, sample)
        }
    };
    let lanes: SmallVec<[Value; 3]> = [x.lane(coordinates, 0), x.lane(coordinates, 1), layer]
        .into_iter()
        .collect();
    let layers = ImageType {
        arrayed: true,
        multisampled: false,
        ..image
    };
    (layers, x.build(&lanes))
}
