//! Images and samplers.

use rspirv::spirv::{Capability, Dim, ImageOperands, Op};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::table::{ImageOp, Lower};
use crate::lang::opaque::{ImageKind, OpaqueKind};
use crate::lang::types::{TypeId, TypeTable};
use crate::sema::typed::ExprId;
use pumice_target::image::{channel_order, channel_type, sampler_mask};

impl FunctionEmitter<'_, '_> {
    /// Image functions; `None` for other rows.
    pub fn image(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let Lower::Image(op) = lower else {
            return Ok(None);
        };
        let Some(OpaqueKind::Image(kind, _)) =
            self.e.module.types.opaque(self.body.expr(args[0]).ty)
        else {
            unreachable!("the table's image functions take an image first");
        };
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(*arg)?);
        }
        Ok(Some(match op {
            ImageOp::Read => self.image_read(kind, args, &values, ty),
            ImageOp::Write => self.image_write(kind, args, &values),
            ImageOp::Format => {
                self.image_enumerant(Op::ImageQueryFormat, channel_type::SNORM_INT8, values[0])
            }
            ImageOp::Order => {
                self.image_enumerant(Op::ImageQueryOrder, channel_order::R, values[0])
            }
            ImageOp::Samples => self.image_number(Op::ImageQuerySamples, values[0]),
            ImageOp::Levels => {
                self.e.b.capability(Capability::ImageMipmap);
                self.image_number(Op::ImageQueryLevels, values[0])
            }
            ImageOp::Size(component) => {
                let component = component.unwrap_or(kind.coordinates() - 1);
                let size = self.image_size(kind, values[0]);
                let int = self.e.b.ty_int(32);
                let number = if kind.coordinates() == 1 {
                    size
                } else {
                    let operands = [size, u32::from(component)];
                    self.e.b.op(Op::CompositeExtract, int, &operands)
                };
                if self.e.module.types.size(ty) == 4 {
                    number
                } else {
                    let wide = self.e.value_type(ty);
                    self.e.b.op(Op::UConvert, wide, &[number])
                }
            }
            ImageOp::Dim => self.image_dim(kind, values[0], ty),
        }))
    }

    /// Sign or zero extension of an integer texel, from SPIR-V 1.4 on. Before that the
    /// instructions do not say which, and a consumer follows the image's format.
    fn extension(&mut self, texel: TypeId) -> Option<ImageOperands> {
        if self.is_float(texel) || self.e.il_version < (1, 4) {
            return None;
        }
        self.e.b.need_version((1, 4));
        Some(if self.e.module.types.is_signed(texel) {
            ImageOperands::SIGN_EXTEND
        } else {
            ImageOperands::ZERO_EXTEND
        })
    }

    fn image_read(&mut self, kind: ImageKind, args: &[ExprId], values: &[u32], ty: TypeId) -> u32 {
        let body = self.body;
        let second = body.expr(args[1]).ty;
        let extension = self.extension(ty);
        let mut mask = extension.unwrap_or(ImageOperands::NONE);
        let sampled = self.e.module.types.opaque(second) == Some(OpaqueKind::Sampler);
        if !sampled {
            let mut operands = vec![values[0], values[1]];
            if kind.shape().multisampled {
                mask |= ImageOperands::SAMPLE;
            }
            if !mask.is_empty() {
                operands.push(mask.bits());
                operands.extend(&values[2..]);
            }
            if kind.shape().depth {
                let float4 = self.vector_type((TypeTable::FLOAT, 4));
                let texel = self.e.b.op(Op::ImageRead, float4, &operands);
                return self.first_component(texel);
            }
            let texel = self.e.value_type(ty);
            return self.e.b.op(Op::ImageRead, texel, &operands);
        }
        let image_ty = self.e.value_type(body.expr(args[0]).ty);
        let joined = self.e.b.unique(Op::TypeSampledImage, None, &[image_ty]);
        let both = self.e.b.op(Op::SampledImage, joined, &values[..2]);
        let mut operands = vec![both, values[2]];
        match values[3..] {
            [] => {
                let zero = self.float_constant(TypeTable::FLOAT, 0.0);
                operands.extend([(mask | ImageOperands::LOD).bits(), zero]);
            }
            [lod] => operands.extend([(mask | ImageOperands::LOD).bits(), lod]),
            ref gradients => {
                operands.push((mask | ImageOperands::GRAD).bits());
                for gradient in gradients {
                    // SPIR-V's have as many components as the image has dimensions.
                    operands.push(if kind.shape().dim == Dim::Dim3D {
                        let float3 = self.vector_type((TypeTable::FLOAT, 3));
                        let components = [*gradient, *gradient, 0, 1, 2];
                        self.e.b.op(Op::VectorShuffle, float3, &components)
                    } else {
                        *gradient
                    });
                }
            }
        }
        if values.len() > 3 {
            self.e.b.capability(Capability::ImageMipmap);
        }
        let op = Op::ImageSampleExplicitLod;
        if kind.shape().depth {
            let float4 = self.vector_type((TypeTable::FLOAT, 4));
            let texel = self.e.b.op(op, float4, &operands);
            return self.first_component(texel);
        }
        let texel = self.e.value_type(ty);
        self.e.b.op(op, texel, &operands)
    }

    fn first_component(&mut self, vector: u32) -> u32 {
        let float = self.e.b.ty_float(32);
        self.e.b.op(Op::CompositeExtract, float, &[vector, 0])
    }

    fn image_write(&mut self, kind: ImageKind, args: &[ExprId], values: &[u32]) -> u32 {
        let body = self.body;
        let texel = values[values.len() - 1];
        let texel_ty = body.expr(args[args.len() - 1]).ty;
        let mut mask = if kind.shape().depth {
            ImageOperands::NONE
        } else {
            self.extension(texel_ty).unwrap_or(ImageOperands::NONE)
        };
        // The level stands between coordinates and texel.
        let level = &values[2..values.len() - 1];
        if !level.is_empty() {
            mask |= ImageOperands::LOD;
            self.e.b.capability(Capability::ImageMipmap);
        }
        let mut operands = vec![values[0], values[1], texel];
        if !mask.is_empty() {
            operands.push(mask.bits());
            operands.extend(level);
        }
        self.e.b.op_void(Op::ImageWrite, &operands);
        0
    }

    /// The size in pixels and layers: a scalar or vector of int.
    fn image_size(&mut self, kind: ImageKind, image: u32) -> u32 {
        let result = self.vector_type((TypeTable::INT, kind.coordinates()));
        let shape = kind.shape();
        if shape.multisampled || shape.dim == Dim::DimBuffer {
            self.e.b.op(Op::ImageQuerySize, result, &[image])
        } else {
            let lod = self.e.b.const_u32(0);
            self.e.b.op(Op::ImageQuerySizeLod, result, &[image, lod])
        }
    }

    fn image_number(&mut self, op: Op, image: u32) -> u32 {
        let int = self.e.b.ty_int(32);
        self.e.b.op(op, int, &[image])
    }

    /// OpImageQueryFormat or OpImageQueryOrder, which count from OpenCL's first number.
    fn image_enumerant(&mut self, op: Op, first: u32, image: u32) -> u32 {
        let number = self.image_number(op, image);
        let first = self.e.b.const_u32(first);
        let int = self.e.b.ty_int(32);
        self.e.b.op(Op::IAdd, int, &[number, first])
    }

    /// `get_image_dim`: width and height, for 3D images depth and 0 too.
    fn image_dim(&mut self, kind: ImageKind, image: u32, ty: TypeId) -> u32 {
        let size = self.image_size(kind, image);
        let result = self.e.value_type(ty);
        let coordinates = u32::from(kind.coordinates());
        let (_, lanes) = self.e.module.types.elem_lanes(ty);
        if coordinates == u32::from(lanes) {
            return size;
        }
        if lanes == 2 {
            return self.e.b.op(Op::VectorShuffle, result, &[size, size, 0, 1]);
        }
        let zero = self.e.b.const_u32(0);
        self.e.b.op(Op::CompositeConstruct, result, &[size, zero])
    }

    /// OpConstantSampler of a sum of `CLK_*` constants.
    pub fn sampler(&mut self, mask: u32, ty: TypeId) -> u32 {
        self.e.b.capability(Capability::LiteralSampler);
        let ty = self.e.value_type(ty);
        let addressing = (mask & sampler_mask::ADDRESS) >> sampler_mask::ADDRESS.trailing_zeros();
        let normalized = u32::from(mask & sampler_mask::NORMALIZED != 0);
        let linear = u32::from(mask & sampler_mask::LINEAR != 0);
        let operands = [addressing, normalized, linear];
        self.e.b.unique(Op::ConstantSampler, Some(ty), &operands)
    }
}
