//! Image operations in the forms that Vulkan has, each naming its image and its sampler.
//!
//! Handles take any way through a function. This pass follows each back to the arguments and
//! literal samplers that it may be; where these are several, a read is done for each and chosen
//! by the handle's number, a write stands behind branches. What remains is the difference between
//! OpenCL's and Vulkan's addressing:
//!
//! - Integer coordinates become floats in the middle of their pixel, and a layer is rounded to
//!   the nearest even, as OpenCL does, before Vulkan may round it otherwise.
//! - Vulkan has unnormalised coordinates for images of one or two dimensions without layers only.
//!   Elsewhere the coordinates are divided by the image's size and the sampler is a normalised
//!   one: a literal sampler's twin or, for an argument, what the driver binds to arguments whose
//!   mask it is asked for (ClspvReflection's instruction 41). A sampler argument that is used so
//!   once in a kernel is used so everywhere in it, since it has one descriptor.
//! - For the nearest filter coordinates move to the middle of their pixel first, so that neither
//!   that division nor a device's fixed-point coordinates can reach another pixel.
//! - Levels of detail and accesses of mip levels ([`mip_levels`]).
//! - Some accesses depend on the type of an image's channels ([`channel_types`]).
//! - Samples a pixel become layers ([`samples`]).
//! - Channel order and type are told by the driver as OpenCL numbers them; SPIR-V counts from 0.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::channel_types;
use crate::passes::lower::handles::{Root, Use, find_uses};
use crate::passes::lower::image_bytes;
use crate::passes::lower::mip_levels::{self, size_lanes};
use crate::passes::lower::read_by_sampler::{self, can_read};
use crate::passes::lower::sample_exactly::{Mask, Sampled, sample, sample_levels};
use crate::passes::lower::samples;
use crate::passes::lower::srgb;
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, ConvertOp, Function, HandleInfo, ImageAccess, ImageDim, ImageOp, ImageType, InstKind,
    IntCond, KernelArgKind, KernelInfo, Lod, MathOp, Module, SourceLoc, Texel, Type, Value,
};
use pumice_reflection::MAX_LEVELS;
use pumice_target::image::{channel_order, channel_type, sampler_mask};
use pumice_target::{QuirkKind, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Facts about a whole kernel.
struct Arguments {
    /// The handle of each argument that is used, made where it reaches every block.
    handles: FxHashMap<u32, Value>,
    /// Samplers that stand for normalised ones.
    masked: FxHashSet<u32>,
    /// Reads through samplers are computed, without the device's samplers.
    exactly: bool,
    /// Pixels are read through a sampler of the device where they can be.
    by_sampler: bool,
    /// Image buffers of RGBA in 16-bit UNORM are bound as integers.
    unorm_by_integers: bool,
    /// Integers are clamped before they are written.
    clamps: bool,
    /// NaN is kept out of channels that are no floats.
    zeroes_nan: bool,
    /// Numbers beyond halves are clamped before they are written to channels that are halves.
    clamps_halves: bool,
    /// Floats that are written may become sRGB.
    srgb_writes: bool,
    /// Arguments whose pixels the kernel reads or writes; with descriptors all.
    accessed: FxHashSet<u32>,
}

impl Arguments {
    fn handle(&self, x: &mut Expander<'_>, root: Root) -> Value {
        let known = match root {
            Root::Arg(ordinal) => self.handles.get(&ordinal).copied(),
            Root::Literal(_) => None,
        };
        known.unwrap_or_else(|| x.splat(Type::I32, root.number()))
    }
}

/// Runs the pass.
///
/// # Errors
/// Images that the device does not have, and handles whose origin does not show.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    for k in 0..module.kernels.len() {
        let kernel = &module.kernels[k];
        check_device(kernel, ctx.target)?;
        changed |= lower(&mut module.functions[kernel.func], kernel, ctx.target)?;
    }
    Ok(changed)
}

fn check_device(kernel: &KernelInfo, target: &Target) -> Result<(), LowerError> {
    for (ordinal, arg) in kernel.args.iter().enumerate() {
        let missing = match arg.kind {
            KernelArgKind::Sampler => (!target.images).then(|| "samplers".to_string()),
            KernelArgKind::Image(image) => {
                let has = target.images
                    && match image.access {
                        ImageAccess::Read => true,
                        ImageAccess::Write => image.dim != ImageDim::D3 || target.image_3d_writes,
                        ImageAccess::ReadWrite => target.read_write_images,
                    };
                (!has).then(|| format!("arguments of type {}", image.display()))
            }
            _ => None,
        };
        if let Some(missing) = missing {
            return Err(LowerError::new(format!(
                "argument {ordinal} of kernel '{}': this device has no {missing}",
                kernel.name
            )));
        }
    }
    Ok(())
}

fn lower(func: &mut Function, kernel: &KernelInfo, target: &Target) -> Result<Changed, LowerError> {
    let uses = find_uses(func, kernel)?;
    let accesses = func.layout.blocks.iter();
    let accesses = accesses.flat_map(|&block| &func.layout.insts[block]);
    image_bytes::check(kernel, func, accesses, |inst| {
        uses.get(&inst).map(|found| &found.images[..])
    })?;
    if uses.is_empty() {
        return Ok(Changed::No);
    }
    let mut arguments = Arguments {
        handles: FxHashMap::default(),
        masked: FxHashSet::default(),
        exactly: target.quirks.has(QuirkKind::SampleExactly),
        by_sampler: target.quirks.has(QuirkKind::ReadBySampler),
        unorm_by_integers: !target.unorm16_texel_buffers,
        clamps: target.quirks.has(QuirkKind::ClampIntegerPixels),
        zeroes_nan: target.quirks.has(QuirkKind::ZeroNanPixels),
        clamps_halves: target.quirks.has(QuirkKind::ClampHalfPixels),
        srgb_writes: target.has_extension("cl_khr_srgb_image_writes"),
        accessed: FxHashSet::default(),
    };
    let ordinal = |root: &Root| match *root {
        Root::Arg(ordinal) => Some(ordinal),
        Root::Literal(_) => None,
    };
    // Who consumes descriptors need not know facts of our own instruction set.
    let by_binding = target.abi.descriptors().is_some();
    let mut used: Vec<u32> = Vec::new();
    for (&inst, found) in &uses {
        let roots = found.images.iter().chain(&found.samplers);
        used.extend(roots.filter_map(ordinal));
        if let InstKind::Image { op, image, .. } = func.insts[inst].kind {
            if by_binding || op.texel().is_some() || image_bytes::is_of_bytes(op) {
                (arguments.accessed).extend(found.images.iter().filter_map(ordinal));
            }
            if needs_normalized(image) {
                let samplers = found.samplers.iter().filter_map(ordinal);
                arguments.masked.extend(samplers);
            }
        }
    }
    used.sort_unstable();
    used.dedup();
    let Some(entry) = func.entry() else {
        return Ok(Changed::No);
    };
    let mut head = Vec::with_capacity(used.len());
    for ordinal in used {
        let kind = InstKind::HandleArg { ordinal };
        let inst = func.make_inst(kind, &[Type::I32], SourceLoc::default());
        arguments.handles.insert(ordinal, func.result(inst));
        head.push(inst);
    }
    func.layout.insts[entry].splice(0..0, head);
    expand(func, |x, inst| {
        let InstKind::Image { op, image, args } = x.func.insts[inst].kind.clone() else {
            return Ok(None);
        };
        let Some(found) = uses.get(&inst) else {
            return Ok(None);
        };
        Ok(Some(chosen(x, op, image, &args, found, &arguments)))
    })
}

/// Returns whether Vulkan reads an image of this type with normalised coordinates only.
fn needs_normalized(image: ImageType) -> bool {
    image.arrayed || image.dim == ImageDim::D3
}

/// The operation on whichever of its images and samplers the handles say.
fn chosen(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
    found: &Use,
    arguments: &Arguments,
) -> Replacement {
    let mut pairs: Vec<(Root, Option<Root>)> = Vec::new();
    for &image in &found.images {
        if found.samplers.is_empty() {
            pairs.push((image, None));
        }
        pairs.extend(found.samplers.iter().map(|&sampler| (image, Some(sampler))));
    }
    let is_pair = |x: &mut Expander<'_>, (image, sampler): (Root, Option<Root>)| {
        let mut conds: SmallVec<[Value; 2]> = SmallVec::new();
        if found.images.len() > 1 {
            conds.push(x.icmp_const(IntCond::Eq, args[0], image.number()));
        }
        if let (Some(sampler), true) = (sampler, found.samplers.len() > 1) {
            conds.push(x.icmp_const(IntCond::Eq, args[1], sampler.number()));
        }
        conds.into_iter().reduce(|a, b| x.bin(BinaryOp::And, a, b))
    };
    if !op.has_side_effects() {
        let mut result: Option<Value> = None;
        for pair in pairs {
            let here = known(x, op, image, args, pair, arguments);
            result = match (result, here) {
                (Some(other), Some(here)) => match is_pair(x, pair) {
                    Some(cond) => {
                        let lanes = x.ty(here).lanes;
                        let cond = if lanes > 1 {
                            x.value(InstKind::Splat { arg: cond }, Type::BOOL.with_lanes(lanes))
                        } else {
                            cond
                        };
                        Some(x.select(cond, here, other))
                    }
                    None => Some(here),
                },
                (other, here) => here.or(other),
            };
        }
        return result.into_iter().collect();
    }
    let last = pairs.len() - 1;
    let done = (last > 0).then(|| x.new_block());
    for (i, pair) in pairs.into_iter().enumerate() {
        let (Some(done), Some(cond)) = (done, is_pair(x, pair)) else {
            known(x, op, image, args, pair, arguments);
            continue;
        };
        if i == last {
            known(x, op, image, args, pair, arguments);
            x.jump(done, &[], done);
            continue;
        }
        let (here, next) = (x.new_block(), x.new_block());
        x.branch_bare(cond, [here, next], here);
        known(x, op, image, args, pair, arguments);
        x.jump(done, &[], next);
    }
    Replacement::new()
}

/// The operation on one image through one sampler; its result.
fn known(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
    (root, sampler): (Root, Option<Root>),
    arguments: &Arguments,
) -> Option<Value> {
    let Root::Arg(ordinal) = root else {
        return None;
    };
    let info = |x: &mut Expander<'_>, which, first| {
        let number = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
        let first = x.splat(Type::I32, u64::from(first));
        Some(x.bin(BinaryOp::ISub, number, first))
    };
    match op {
        ImageOp::Order => return info(x, HandleInfo::ChannelOrder, channel_order::R),
        ImageOp::Format => return info(x, HandleInfo::ChannelDataType, channel_type::SNORM_INT8),
        ImageOp::Samples => return info(x, HandleInfo::Samples, 0),
        ImageOp::Levels if !image.is_sampled() => return info(x, HandleInfo::Levels, 0),
        // A binding has a class of numbers, and nothing tells that of an image which is only asked.
        ImageOp::Levels if !arguments.accessed.contains(&ordinal) => {
            return info(x, HandleInfo::Levels, 0);
        }
        // The binding has other layers than the image.
        ImageOp::Size if image.multisampled => return Some(told_size(x, image, ordinal)),
        ImageOp::Size | ImageOp::SizeOfLevel if !arguments.accessed.contains(&ordinal) => {
            let size = told_size(x, image, ordinal);
            return Some(match args.get(1) {
                Some(&level) => mip_levels::smaller(x, image, size, level),
                None => size,
            });
        }
        _ => {}
    }
    let mut op = op;
    let mut args: SmallVec<[Value; 4]> = SmallVec::from_slice(args);
    args[0] = arguments.handle(x, root);
    if let (ImageOp::Read { .. }, true) = (op, image.multisampled) {
        let (layers, at) = samples::layer_of_sample(x, image, &args, ordinal);
        return channel_types::on_image(x, op, layers, &[args[0], at]);
    }
    if let (Some(mut sampler), ImageOp::Sample { texel, lod }) = (sampler, op) {
        let own = match sampler {
            Root::Literal(_) => None,
            Root::Arg(ordinal) => Some(ordinal),
        };
        // Vulkan's own sampler takes the gradients where nothing limits the level.
        let level = match (lod, arguments.exactly || own.is_some()) {
            (Lod::Gradient, false) => None,
            _ => mip_levels::of_sample(x, lod, image, &args, own),
        };
        let filtered = match level {
            None => filtered_by_device(x, image, texel, sampler, &args, arguments),
            Some(_) => None,
        };
        if let Some((mask, coordinates)) = filtered {
            sampler = Root::Literal(mask);
            args[2] = coordinates;
        } else if arguments.exactly {
            let mask = match sampler {
                Root::Literal(mask) => Mask::Known(mask),
                Root::Arg(ordinal) => {
                    let which = HandleInfo::SamplerMask;
                    Mask::Told(x.value(InstKind::HandleInfo { ordinal, which }, Type::I32))
                }
            };
            let handle = args[0];
            let sampled = Sampled {
                image,
                ordinal,
                handle,
                texel,
                mask,
                level: None,
                by_sampler: arguments.by_sampler,
            };
            return Some(match level {
                Some(level) => sample_levels(x, &sampled, args[2], level),
                None => sample(x, &sampled, args[2]),
            });
        }
        if let Some(level) = level {
            let lod = Lod::Explicit;
            op = ImageOp::Sample { texel, lod };
            args.truncate(3);
            // No image has more levels; drivers take much larger numbers for small ones.
            let most = x.float(Type::F32, f64::from(MAX_LEVELS));
            args.push(x.math(MathOp::FMin, &[level, most]));
        }
        let (sampler, coordinates) = addressed(x, image, args[0], sampler, args[2], arguments);
        args[1] = arguments.handle(x, sampler);
        args[2] = coordinates;
    }
    if image_bytes::is_of_bytes(op) {
        return image_bytes::access(x, op, image, &args, ordinal);
    }
    let written = match op {
        ImageOp::Write { texel } | ImageOp::WriteLevel { texel } => Some(texel),
        _ => None,
    };
    if let (true, Some(texel)) = (arguments.clamps, written) {
        args[2] = channel_types::clamped(x, texel, args[2], ordinal);
    }
    if arguments.zeroes_nan && written == Some(Texel::Float) {
        args[2] = channel_types::without_nan(x, args[2], ordinal);
    }
    if arguments.clamps_halves && written == Some(Texel::Float) {
        args[2] = channel_types::within_halves(x, args[2], ordinal);
    }
    let may_be_srgb = image.access == ImageAccess::Write && image.dim != ImageDim::Buffer;
    if arguments.srgb_writes && may_be_srgb && written == Some(Texel::Float) {
        args[2] = srgb::of_image(x, args[2], ordinal);
    }
    match op {
        ImageOp::SizeOfLevel => return Some(mip_levels::size_of_level(x, image, args[0], args[1])),
        ImageOp::ReadLevel { .. } | ImageOp::WriteLevel { .. } if !image.is_sampled() => {
            return mip_levels::on_storage_image(x, op, image, &args);
        }
        _ => {}
    }
    if let (ImageOp::Read { texel }, true) = (op, arguments.by_sampler && can_read(image)) {
        let size = mip_levels::size(x, image, args[0]);
        let (at, sizes) = (x.lanes(args[1]), x.lanes(size));
        let sizes = &sizes[..usize::from(image.dimensions())];
        return Some(read_by_sampler::read(
            x,
            image,
            args[0],
            texel,
            (&at, sizes),
        ));
    }
    if arguments.unorm_by_integers && channel_types::is_float_of_buffer(op, image) {
        return channel_types::access_floats(x, op, image, &args, ordinal);
    }
    channel_types::on_image(x, op, image, &args)
}

/// The literal sampler and the coordinates by which a device filters exactly that does not do so with all samplers.
fn filtered_by_device(
    x: &mut Expander<'_>,
    image: ImageType,
    texel: Texel,
    sampler: Root,
    args: &[Value],
    arguments: &Arguments,
) -> Option<(u32, Value)> {
    let Root::Literal(mask) = sampler else {
        return None;
    };
    let are_floats = texel == Texel::Float && !x.ty(args[2]).scalar.is_int();
    // Divisions by the size would be rounded, and move the place between two pixels.
    let divides = needs_normalized(image) && mask & sampler_mask::NORMALIZED == 0;
    if !(arguments.exactly && arguments.by_sampler && are_floats) || divides {
        return None;
    }
    read_by_sampler::filtered(x, image, args[0], mask, args[2])
}

/// The size of an image as the driver tells it.
fn told_size(x: &mut Expander<'_>, image: ImageType, ordinal: u32) -> Value {
    let count = usize::from(image.coordinates());
    let lanes: SmallVec<[Value; 4]> = HandleInfo::SIZE[..count]
        .iter()
        .map(|&which| x.value(InstKind::HandleInfo { ordinal, which }, Type::I32))
        .collect();
    x.build(&lanes)
}

/// The sampler that stands for one of OpenCL's, and the coordinates for it.
fn addressed(
    x: &mut Expander<'_>,
    image: ImageType,
    handle: Value,
    sampler: Root,
    coordinates: Value,
    arguments: &Arguments,
) -> (Root, Value) {
    let ty = x.ty(coordinates);
    let integers = ty.scalar.is_int();
    let floats = ty.with_scalar(pumice_ir::Scalar::F32);
    let coordinates = match integers {
        true => x.convert(ConvertOp::SToF, coordinates, floats),
        false => coordinates,
    };
    let count = usize::from(image.dimensions());
    let mut lanes = x.lanes(coordinates);
    if let (Some(layer), false) = (lanes.get_mut(count), integers) {
        *layer = x.math(MathOp::RoundEven, &[*layer]);
    }
    let lanes_of_layer = &mut lanes[..count];
    let mut stand_in = sampler;
    match sampler {
        Root::Literal(mask) if mask & sampler_mask::NORMALIZED != 0 => {}
        Root::Literal(mask) => {
            if integers || mask & sampler_mask::NEAREST != 0 {
                lanes_of_layer
                    .iter_mut()
                    .for_each(|lane| *lane = middle(x, *lane, integers));
            }
            if needs_normalized(image) {
                stand_in = Root::Literal(mask | sampler_mask::NORMALIZED);
                let size = size_lanes(x, image, handle);
                for (lane, size) in lanes_of_layer.iter_mut().zip(size) {
                    *lane = x.bin(BinaryOp::FDiv, *lane, size);
                }
            }
        }
        Root::Arg(ordinal) if arguments.masked.contains(&ordinal) => {
            let which = HandleInfo::SamplerMask;
            let mask = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
            let bit = |x: &mut Expander<'_>, bit: u32| {
                let bit = x.bin_const(BinaryOp::And, mask, u64::from(bit));
                x.icmp_const(IntCond::Ne, bit, 0)
            };
            let normalized = bit(x, sampler_mask::NORMALIZED);
            let nearest = bit(x, sampler_mask::NEAREST);
            let size = size_lanes(x, image, handle);
            for (lane, size) in lanes_of_layer.iter_mut().zip(size) {
                let mut pixels = middle(x, *lane, integers);
                if !integers {
                    pixels = x.select(nearest, pixels, *lane);
                }
                let divided = x.bin(BinaryOp::FDiv, pixels, size);
                // Integers are in pixels always; yet the mask stays in use, which asks for a
                // normalised sampler.
                *lane = x.select(normalized, *lane, divided);
            }
        }
        Root::Arg(_) if integers => {
            lanes_of_layer
                .iter_mut()
                .for_each(|lane| *lane = middle(x, *lane, true));
        }
        Root::Arg(_) => {}
    }
    (stand_in, x.build(&lanes))
}

/// The middle of the pixel that a coordinate in pixels is in.
fn middle(x: &mut Expander<'_>, lane: Value, whole: bool) -> Value {
    let lane = match whole {
        true => lane,
        false => x.math(MathOp::Floor, &[lane]),
    };
    let half = x.float(Type::F32, 0.5);
    x.bin(BinaryOp::FAdd, lane, half)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::pass::Ctx;
    use crate::passes::lower::lower_kernel_args;
    use crate::{LowerOptions, Target};
    use pumice_ir::text::parse_module;

    fn lowered(text: &str, target: &Target) -> Result<(), String> {
        let mut module = parse_module(text).map_err(|e| e.to_string())?;
        let options = LowerOptions::default();
        let ctx = Ctx {
            target,
            options: &options,
        };
        let _ = lower_kernel_args::run(&mut module, &ctx);
        run(&mut module, &ctx).map(|_| ()).map_err(|e| e.message)
    }

    const SIZE: &str = "\
kernel \"k\" fn0 {
  image.2d.ACCESS
  pointer global
}
func fn0 \"k\"(i32, ptr.global) -> () internal {
block0(v0: i32, v1: ptr.global):
  v2: i32x2 = image.2d.ACCESS.size v0
  store v1, v2, align 8
  return
}
";

    #[test]
    fn handles_come_from_arguments() {
        let target = Target::reference();
        let text = SIZE.replace("ACCESS", "read_only");
        assert_eq!(lowered(&text, &target), Ok(()));
        let loaded = text
            .replace("v2: i32x2", "v3: i32 = load v1, align 4\n  v2: i32x2")
            .replace("size v0", "size v3");
        let unknown = "an image or sampler in 'k' is not known to be a kernel argument or a \
                       literal: there are none in memory";
        assert_eq!(lowered(&loaded, &target).unwrap_err(), unknown);
        // A sampler is no image, and neither is an image of another type.
        for other in ["sampler", "image.2d.write_only", "image.3d.read_only"] {
            let wrong = text.replacen("image.2d.read_only", other, 1);
            assert_eq!(lowered(&wrong, &target).unwrap_err(), unknown, "{other}");
        }
    }

    #[test]
    fn devices_lack_what_they_lack() {
        let target = Target::reference().without_images();
        let text = SIZE.replace("ACCESS", "read_only");
        assert_eq!(
            lowered(&text, &target).unwrap_err(),
            "argument 0 of kernel 'k': this device has no arguments of type read_only image2d_t"
        );
        let target = Target {
            read_write_images: false,
            ..Target::reference()
        };
        let text = SIZE.replace("ACCESS", "read_write");
        assert_eq!(
            lowered(&text, &target).unwrap_err(),
            "argument 0 of kernel 'k': this device has no arguments of type read_write image2d_t"
        );
    }
}
