//! Image instructions.
//!
//! Handles of images and samplers are I32 values, a sampled image is both of its handles.
//! Coordinates lose the lanes that they have too many, halves become floats, and a pixel's class
//! comes from its type and from the operands SignExtend and ZeroExtend.

use super::body::Body;
use super::locals::{Leaves, Val};
use super::reader::{Inst, Result};
use super::types::TypeKind;
use pumice_ir::{ConvertOp, ImageOp, ImageType, InstKind, Lod, Scalar, Texel, Type, Value};
use rspirv::spirv::{ImageOperands, Op};
use smallvec::SmallVec;

/// Image operands that have a meaning here.
#[derive(Clone, Copy, Debug, Default)]
struct Operands {
    lod: Option<Value>,
    gradients: Option<[Value; 2]>,
    sample: Option<Value>,
    signed: bool,
}

impl Body<'_, '_> {
    /// Imports an instruction on images; false if the opcode is none.
    pub(super) fn image(&mut self, inst: &Inst<'_>) -> Result<bool> {
        match inst.op {
            Op::SampledImage => {
                let (_, image) = self.image_operand(inst, 0)?;
                let sampler = self.local(inst, inst.arg(1)?)?;
                if self.pre.types.get(sampler.ty).kind != TypeKind::Sampler {
                    return Err(inst.error("the second operand is no sampler"));
                }
                let sampler = self.arg(inst, 1)?;
                self.define_leaves(inst, Leaves::from_slice(&[image, sampler]))?;
            }
            Op::Image => {
                let (_, leaves) = self.sampled(inst)?;
                let ty = self.pre.type_of_id(inst, inst.ty)?;
                self.define(inst, ty, Val::Leaves(SmallVec::from_elem(leaves[0], 1)))?;
            }
            Op::ImageSampleExplicitLod => self.sample(inst)?,
            Op::ImageRead | Op::ImageFetch => self.read_image(inst)?,
            Op::ImageWrite => self.write_image(inst)?,
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.image_size(inst)?,
            Op::ImageQueryLevels => self.image_query(inst, ImageOp::Levels)?,
            Op::ImageQuerySamples => self.image_query(inst, ImageOp::Samples)?,
            Op::ImageQueryOrder => self.image_query(inst, ImageOp::Order)?,
            Op::ImageQueryFormat => self.image_query(inst, ImageOp::Format)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An operand that is an image.
    pub(super) fn image_operand(
        &mut self,
        inst: &Inst<'_>,
        n: usize,
    ) -> Result<(ImageType, Value)> {
        let (ty, leaves) = self.leaves(inst, inst.arg(n)?)?;
        match self.pre.types.get(ty).kind {
            TypeKind::Image(image) => Ok((image, leaves[0])),
            _ => Err(inst.error("the operand is no image")),
        }
    }

    /// The first operand, a sampled image: its type and both handles.
    fn sampled(&mut self, inst: &Inst<'_>) -> Result<(ImageType, Leaves)> {
        let (ty, leaves) = self.leaves(inst, inst.arg(0)?)?;
        match self.pre.types.get(ty).kind {
            TypeKind::SampledImage(image) => Ok((image, leaves)),
            _ => Err(inst.error("the operand is no sampled image")),
        }
    }

    /// Image operands from word `n` on.
    fn image_operands(&mut self, inst: &Inst<'_>, n: usize) -> Result<Operands> {
        let mut operands = Operands::default();
        let Some(&bits) = inst.args.get(n) else {
            return Ok(operands);
        };
        let mask = ImageOperands::from_bits(bits)
            .ok_or_else(|| inst.error(format_args!("unknown image operands {bits:#x}")))?;
        let known = ImageOperands::LOD
            | ImageOperands::GRAD
            | ImageOperands::SAMPLE
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NONTEMPORAL;
        if let Some((name, _)) = mask.difference(known).iter_names().next() {
            return Err(inst.error(format_args!("image operand {name} is not supported")));
        }
        let mut next = n + 1;
        if mask.contains(ImageOperands::LOD) {
            operands.lod = Some(self.arg(inst, next)?);
            next += 1;
        }
        if mask.contains(ImageOperands::GRAD) {
            operands.gradients = Some([self.arg(inst, next)?, self.arg(inst, next + 1)?]);
            next += 2;
        }
        if mask.contains(ImageOperands::SAMPLE) {
            operands.sample = Some(self.arg(inst, next)?);
        }
        operands.signed = mask.contains(ImageOperands::SIGN_EXTEND);
        Ok(operands)
    }

    /// The first `lanes` lanes of a vector, which has as many or more.
    fn first_lanes(&mut self, inst: &Inst<'_>, value: Value, lanes: u8) -> Result<Value> {
        let ty = self.func.ty(value);
        if ty.lanes < lanes {
            return Err(inst.error(format_args!("{lanes} coordinates are needed")));
        }
        if ty.lanes == lanes {
            return Ok(value);
        }
        if lanes == 1 {
            let lane = InstKind::Extract {
                vector: value,
                lane: 0,
            };
            return Ok(self.emit(lane, ty.lane()));
        }
        let shuffle = InstKind::Shuffle {
            args: [value, value],
            mask: (0..lanes).map(Some).collect(),
        };
        Ok(self.emit(shuffle, ty.with_lanes(lanes)))
    }

    /// Coordinates: I32 or, for samplers, F32.
    pub(super) fn coordinates(
        &mut self,
        inst: &Inst<'_>,
        n: usize,
        image: ImageType,
        floats: bool,
    ) -> Result<Value> {
        let value = self.arg(inst, n)?;
        let value = self.first_lanes(inst, value, image.coordinates())?;
        let ty = self.func.ty(value);
        let to = |scalar| ty.with_scalar(scalar);
        Ok(match ty.scalar {
            Scalar::I32 => value,
            Scalar::F32 if floats => value,
            Scalar::F16 if floats => self.convert(ConvertOp::FToF, value, to(Scalar::F32)),
            Scalar::I8 | Scalar::I16 => self.convert(ConvertOp::SExt, value, to(Scalar::I32)),
            Scalar::I64 => self.convert(ConvertOp::Trunc, value, to(Scalar::I32)),
            _ => return Err(inst.error("these are no coordinates")),
        })
    }

    /// The class of pixels of a type.
    fn texel(&self, inst: &Inst<'_>, ty: Type, operands: &Operands) -> Result<Texel> {
        match ty.scalar {
            Scalar::F16 | Scalar::F32 if matches!(ty.lanes, 1 | 4) => Ok(Texel::Float),
            Scalar::I32 if ty.lanes == 4 && operands.signed => Ok(Texel::Signed),
            Scalar::I32 if ty.lanes == 4 => Ok(Texel::Unsigned),
            _ => Err(inst.error("pixels have four lanes of float, half or int")),
        }
    }

    pub(super) fn operation(
        &mut self,
        inst: &Inst<'_>,
        op: ImageOp,
        image: ImageType,
        args: &[Value],
    ) -> Result<InstKind> {
        if !op.fits(image) {
            return Err(inst.error(format_args!("{} does not allow this", image.display())));
        }
        Ok(InstKind::Image {
            op,
            image,
            args: SmallVec::from_slice(args),
        })
    }

    /// Defines the result as the pixel that was read, in the result's own type.
    fn define_pixel(&mut self, inst: &Inst<'_>, kind: InstKind, texel: Texel) -> Result<()> {
        let (_, ty) = self.result_type(inst)?;
        let mut pixel = self.emit(kind, texel.ty());
        if ty.scalar == Scalar::F16 {
            let halves = texel.ty().with_scalar(Scalar::F16);
            pixel = self.convert(ConvertOp::FToF, pixel, halves);
        }
        let pixel = self.first_lanes(inst, pixel, ty.lanes)?;
        self.define_value(inst, pixel)
    }

    fn sample(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (image, handles) = self.sampled(inst)?;
        let coordinates = self.coordinates(inst, 1, image, true)?;
        let operands = self.image_operands(inst, 2)?;
        let (_, ty) = self.result_type(inst)?;
        let texel = self.texel(inst, ty, &operands)?;
        let mut args: SmallVec<[Value; 5]> = handles.iter().copied().collect();
        args.push(coordinates);
        let float = |this: &Self, value: Value| this.func.ty(value).scalar == Scalar::F32;
        let lod = match (operands.lod, operands.gradients) {
            (Some(lod), None) if self.func.ty(lod) == Type::F32 => {
                args.push(lod);
                Lod::Explicit
            }
            (Some(lod), None) if self.func.ty(lod) == Type::I32 => {
                let lod = self.convert(ConvertOp::SToF, lod, Type::F32);
                args.push(lod);
                Lod::Explicit
            }
            (None, Some(gradients)) if gradients.iter().all(|&g| float(self, g)) => {
                for gradient in gradients {
                    args.push(self.first_lanes(inst, gradient, image.dimensions())?);
                }
                Lod::Gradient
            }
            _ => return Err(inst.error("a level of detail or gradients are needed")),
        };
        let kind = self.operation(inst, ImageOp::Sample { texel, lod }, image, &args)?;
        self.define_pixel(inst, kind, texel)
    }

    /// The level of an access without a sampler, as I32; `None` for level 0.
    fn level(&mut self, inst: &Inst<'_>, operands: &Operands) -> Result<Option<Value>> {
        let lod = operands
            .lod
            .filter(|&lod| self.func.const_bits(lod) != Some(0));
        let Some(lod) = lod else {
            return Ok(None);
        };
        if operands.sample.is_some() {
            return Err(inst.error("a level and the number of a sample do not go together"));
        }
        match self.func.ty(lod) {
            // Kernels of OpenCL may have floats here.
            Type::F32 => Ok(Some(self.convert(ConvertOp::FToS, lod, Type::I32))),
            ty if ty.scalar.is_int() && ty.lanes == 1 => {
                self.resize_int(inst, lod, Type::I32).map(Some)
            }
            _ => Err(inst.error("a level is one number")),
        }
    }

    fn read_image(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (image, handle) = self.image_operand(inst, 0)?;
        let coordinates = self.coordinates(inst, 1, image, false)?;
        let operands = self.image_operands(inst, 2)?;
        let level = self.level(inst, &operands)?;
        let (_, ty) = self.result_type(inst)?;
        let texel = self.texel(inst, ty, &operands)?;
        let mut args: SmallVec<[Value; 3]> = SmallVec::from_slice(&[handle, coordinates]);
        if image.multisampled {
            let sample = operands.sample.filter(|&s| self.func.ty(s) == Type::I32);
            args.push(sample.ok_or_else(|| inst.error("the number of a sample is needed"))?);
        }
        args.extend(level);
        let op = match level {
            Some(_) => ImageOp::ReadLevel { texel },
            None => ImageOp::Read { texel },
        };
        let kind = self.operation(inst, op, image, &args)?;
        self.define_pixel(inst, kind, texel)
    }

    fn write_image(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (image, handle) = self.image_operand(inst, 0)?;
        let coordinates = self.coordinates(inst, 1, image, false)?;
        let mut pixel = self.arg(inst, 2)?;
        let operands = self.image_operands(inst, 3)?;
        let level = self.level(inst, &operands)?;
        let texel = self.texel(inst, self.func.ty(pixel), &operands)?;
        if self.func.ty(pixel).scalar == Scalar::F16 {
            let floats = self.func.ty(pixel).with_scalar(Scalar::F32);
            pixel = self.convert(ConvertOp::FToF, pixel, floats);
        }
        if self.func.ty(pixel).lanes == 1 {
            pixel = self.emit(InstKind::Splat { arg: pixel }, texel.ty());
        }
        let mut args: SmallVec<[Value; 4]> = SmallVec::from_slice(&[handle, coordinates, pixel]);
        args.extend(level);
        let op = match level {
            Some(_) => ImageOp::WriteLevel { texel },
            None => ImageOp::Write { texel },
        };
        let kind = self.operation(inst, op, image, &args)?;
        self.effect(kind);
        Ok(())
    }

    fn image_size(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (image, handle) = self.image_operand(inst, 0)?;
        let mut args: SmallVec<[Value; 2]> = SmallVec::from_slice(&[handle]);
        let mut op = ImageOp::Size;
        if inst.op == Op::ImageQuerySizeLod {
            let lod = self.arg(inst, 1)?;
            if self.func.const_bits(lod) != Some(0) {
                args.push(self.resize_int(inst, lod, Type::I32)?);
                op = ImageOp::SizeOfLevel;
            }
        }
        let kind = self.operation(inst, op, image, &args)?;
        let size = self.emit(kind, Type::vector(Scalar::I32, image.coordinates()));
        let (_, ty) = self.result_type(inst)?;
        if ty.lanes != image.coordinates() || !ty.scalar.is_int() {
            return Err(inst.error("the result type has not as many integers as the size"));
        }
        let size = self.resize_int(inst, size, ty)?;
        self.define_value(inst, size)
    }

    fn image_query(&mut self, inst: &Inst<'_>, op: ImageOp) -> Result<()> {
        let (image, handle) = self.image_operand(inst, 0)?;
        let kind = self.operation(inst, op, image, &[handle])?;
        let number = self.emit(kind, Type::I32);
        let (_, ty) = self.result_type(inst)?;
        let number = self.resize_int(inst, number, ty)?;
        self.define_value(inst, number)
    }
}
