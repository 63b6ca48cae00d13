//! Calls of built-in functions, by the table's lowering.

use rspirv::spirv::{BuiltIn, Capability, Op, OpenclStd100Op as Std};

use super::EmitError;
use super::function::FunctionEmitter;
use super::types::storage_class;
use crate::builtins::BuiltinId;
use crate::builtins::names::{Suffix, unpack};
use crate::builtins::table::Lower;
use crate::lang::types::{AddrSpace, TypeId, TypeTable};
use crate::sema::typed::{ConvertKind, ExprId, ExprKind};

impl FunctionEmitter<'_, '_> {
    /// Writes a call; `id` is the call's own node.
    pub fn builtin(
        &mut self,
        id: ExprId,
        row: BuiltinId,
        args: &[ExprId],
    ) -> Result<u32, EmitError> {
        let body = self.body;
        let (row, suffix) = unpack(row);
        let ty = body.expr(id).ty;
        let span = body.expr(id).span;
        self.checked_at(span);
        if let Some(result) = self.synchronisation(row.lower, args)? {
            return Ok(result);
        }
        if let Some(result) = self.async_copies(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.atomic(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.group(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.device(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.matrix(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.media(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.motion(row.lower, args, ty)? {
            return Ok(result);
        }
        if let Some(result) = self.image(row.lower, args, ty)? {
            return Ok(result);
        }
        let types: Vec<TypeId> = args.iter().map(|a| body.expr(*a).ty).collect();
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(*arg)?);
        }
        self.checked_at(span);
        let first = types.first().copied().unwrap_or(TypeTable::VOID);
        Ok(match row.lower {
            Lower::Ocl(op) => self.ocl(op, &values, &types, ty),
            Lower::OclSign(signed, unsigned) => {
                let is_signed = self.e.module.types.is_signed(first);
                let op = if is_signed { signed } else { unsigned };
                self.ocl(op, &values, &types, ty)
            }
            Lower::Nan => self.ocl(Std::nan, &values, &types, ty),
            Lower::Dot => {
                let result = self.e.value_type(ty);
                let op = if self.e.module.types.is_vector(first) {
                    Op::Dot
                } else {
                    Op::FMul
                };
                self.e.b.op(op, result, &values)
            }
            Lower::IntDot(op, swap) => self.int_dot(op, swap, first, values, ty),
            Lower::ReadClock(scope) => {
                self.e.b.capability(Capability::ShaderClockKHR);
                self.e.b.extension("SPV_KHR_shader_clock");
                let scope = self.e.b.const_u32(scope as u32);
                let result = self.e.value_type(ty);
                self.e.b.op(Op::ReadClockKHR, result, &[scope])
            }
            Lower::BitOp(op) => {
                self.e.b.capability(Capability::BitInstructions);
                self.e.b.extension("SPV_KHR_bit_instructions");
                let result = self.e.value_type(ty);
                self.e.b.op(op, result, &values)
            }
            Lower::Relation(op) => {
                let bools = self.bool_type(first);
                let result = self.e.b.op(op, bools, &values);
                self.truth(result, ty)
            }
            Lower::AnyAll(op) => {
                let mut result = self.sign_bits(values[0], first);
                if self.e.module.types.is_vector(first) {
                    let bool_ty = self.e.b.ty_bool();
                    result = self.e.b.op(op, bool_ty, &[result]);
                }
                self.truth(result, ty)
            }
            Lower::BitSelect => self.bit_select(&values, ty),
            Lower::Select => {
                let mask_ty = types[2];
                let picked = if self.e.module.types.is_vector(ty) {
                    self.sign_bits(values[2], mask_ty)
                } else {
                    self.non_zero(values[2], mask_ty)
                };
                let result = self.e.value_type(ty);
                let operands = [picked, values[1], values[0]];
                self.e.b.op(Op::Select, result, &operands)
            }
            Lower::VLoad => {
                let operands = [values[0], values[1], u32::from(suffix.lanes)];
                self.ext(Std::vloadn, ty, &operands)
            }
            Lower::VStore => self.ext(Std::vstoren, ty, &values),
            Lower::VLoadHalf(aligned) => {
                if suffix.lanes == 0 {
                    self.ext(Std::vload_half, ty, &values)
                } else {
                    let op = if aligned {
                        Std::vloada_halfn
                    } else {
                        Std::vload_halfn
                    };
                    let operands = [values[0], values[1], u32::from(suffix.lanes)];
                    self.ext(op, ty, &operands)
                }
            }
            Lower::VStoreHalf(aligned) => self.store_half(aligned, suffix, &values, ty),
            Lower::Shuffle => {
                let op = if values.len() == 2 {
                    Std::shuffle
                } else {
                    Std::shuffle2
                };
                self.ext(op, ty, &values)
            }
            Lower::Convert => self.numeric(values[0], first, ty, suffix),
            Lower::AsType => self.bitcast(values[0], first, ty),
            Lower::WorkItem(which) => {
                let (variable, loaded) = self.e.input(which);
                let value = self.load_input(variable, loaded, 0);
                let module = self.e.module;
                if module.types.is_vector(ty) {
                    return Ok(value);
                }
                let from = if module.types.size(ty) == 8 {
                    TypeTable::ULONG
                } else {
                    TypeTable::UINT
                };
                self.convert_value(ConvertKind::IntToInt, value, from, ty)
            }
            Lower::WorkItemDim(which, outside) => {
                let constant = self.constant_argument(args[0]);
                self.work_item_dim(which, outside, values[0], constant)
            }
            Lower::Printf => {
                let result = self.e.value_type(ty);
                self.e.b.ext(Std::printf as u32, result, &values)
            }
            Lower::ToSpace(space) => {
                let result = self.e.value_type(ty);
                let class = storage_class(space) as u32;
                let operands = [values[0], class];
                self.e.b.op(Op::GenericCastToPtrExplicit, result, &operands)
            }
            Lower::GetFence => {
                // WorkgroupMemory is bit 8, CLK_LOCAL_MEM_FENCE bit 0; global is one above.
                let int = self.e.b.ty_int(32);
                let semantics = self.e.b.op(Op::GenericPtrMemSemantics, int, &[values[0]]);
                let eight = self.e.b.const_u32(8);
                let three = self.e.b.const_u32(3);
                let shifted = self.e.b.op(Op::ShiftRightLogical, int, &[semantics, eight]);
                self.e.b.op(Op::BitwiseAnd, int, &[shifted, three])
            }
            Lower::Prefetch => self.ext(Std::prefetch, ty, &values),
            _ => unreachable!("lowered before, or its gate is closed: {}", row.name),
        })
    }

    /// A dot product of four bytes each, in vectors or packed in words.
    fn int_dot(
        &mut self,
        op: Op,
        swap: bool,
        factor: TypeId,
        mut operands: Vec<u32>,
        ty: TypeId,
    ) -> u32 {
        self.e.b.extension("SPV_KHR_integer_dot_product");
        self.e.b.capability(Capability::DotProduct);
        if swap {
            operands.swap(0, 1);
        }
        // Without saturation the accumulator is simply added.
        let saturates = matches!(op, Op::UDotAccSat | Op::SDotAccSat | Op::SUDotAccSat);
        let addend = operands.get(2).copied().filter(|_| !saturates);
        if addend.is_some() {
            operands.truncate(2);
        }
        let types = &self.e.module.types;
        if !types.is_vector(factor) {
            self.e.b.capability(Capability::DotProductInput4x8BitPacked);
            operands.push(rspirv::spirv::PackedVectorFormat::PackedVectorFormat4x8Bit as u32);
        } else if types.size(factor) == 4 && types.elem_lanes(factor).1 == 4 {
            self.e.b.capability(Capability::DotProductInput4x8Bit);
        } else {
            self.e.b.capability(Capability::DotProductInputAll);
        }
        let result = self.e.value_type(ty);
        let dot = self.e.b.op(op, result, &operands);
        match addend {
            Some(addend) => self.e.b.op(Op::IAdd, result, &[dot, addend]),
            None => dot,
        }
    }

    /// The value of an argument that is an integer constant.
    pub fn constant_argument(&self, arg: ExprId) -> Option<u64> {
        match self.body.expr(arg).kind {
            ExprKind::Int(value) => Some(value),
            ExprKind::Convert {
                kind: ConvertKind::IntToInt,
                operand,
            } => match self.body.expr(operand).kind {
                ExprKind::Int(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// An OpenCL.std instruction with a result of type `ty`.
    pub fn ext(&mut self, op: Std, ty: TypeId, operands: &[u32]) -> u32 {
        let result = if ty == TypeTable::VOID {
            self.e.b.ty_void()
        } else {
            self.e.value_type(ty)
        };
        self.e.b.ext(op as u32, result, operands)
    }

    /// The same on values, scalars widened to the result's lanes.
    fn ocl(&mut self, op: Std, values: &[u32], types: &[TypeId], ty: TypeId) -> u32 {
        let module = self.e.module;
        let (_, lanes) = module.types.elem_lanes(ty);
        let mut operands = Vec::with_capacity(values.len());
        for (value, from) in values.iter().zip(types) {
            let widen = lanes > 1 && module.types.is_arithmetic(*from);
            operands.push(if widen {
                let vector = self.vector_type((*from, lanes));
                let parts = vec![*value; usize::from(lanes)];
                self.e.b.construct(vector, &parts)
            } else {
                *value
            });
        }
        self.ext(op, ty, &operands)
    }

    /// `(a & ~c) | (b & c)` on the bits.
    fn bit_select(&mut self, values: &[u32], ty: TypeId) -> u32 {
        let module = self.e.module;
        let (elem, lanes) = module.types.elem_lanes(ty);
        let bits = (module.types.size(elem) * 8) as u32;
        let int = self.e.b.ty_int(bits);
        let int = self.e.b.ty_vector(int, u32::from(lanes));
        let own = self.e.value_type(ty);
        let mut raw = [0; 3];
        for (raw, value) in raw.iter_mut().zip(values) {
            *raw = if own == int {
                *value
            } else {
                self.e.b.op(Op::Bitcast, int, &[*value])
            };
        }
        let [a, b, mask] = raw;
        let inverse = self.e.b.op(Op::Not, int, &[mask]);
        let left = self.e.b.op(Op::BitwiseAnd, int, &[a, inverse]);
        let right = self.e.b.op(Op::BitwiseAnd, int, &[b, mask]);
        let result = self.e.b.op(Op::BitwiseOr, int, &[left, right]);
        if own == int {
            result
        } else {
            self.e.b.op(Op::Bitcast, own, &[result])
        }
    }

    fn store_half(&mut self, aligned: bool, suffix: Suffix, values: &[u32], ty: TypeId) -> u32 {
        let mut operands = values.to_vec();
        let vector = suffix.lanes != 0;
        let op = match (vector, aligned, suffix.rounding) {
            (false, _, None) => Std::vstore_half,
            (false, _, Some(_)) => Std::vstore_half_r,
            (true, false, None) => Std::vstore_halfn,
            (true, false, Some(_)) => Std::vstore_halfn_r,
            (true, true, None) => Std::vstorea_halfn,
            (true, true, Some(_)) => Std::vstorea_halfn_r,
        };
        operands.extend(suffix.rounding.map(|r| r as u32));
        self.ext(op, ty, &operands)
    }

    fn load_input(&mut self, variable: u32, ty: u32, align: u32) -> u32 {
        if align == 0 {
            self.e.b.op(Op::Load, ty, &[variable])
        } else {
            self.e.b.op(Op::Load, ty, &[variable, 2, align])
        }
    }

    /// A component of a built-in vector; `outside` for dimensions that do not exist.
    fn work_item_dim(
        &mut self,
        which: BuiltIn,
        outside: u32,
        dim: u32,
        constant: Option<u64>,
    ) -> u32 {
        let size = self.e.size_type();
        if constant.is_some_and(|dim| dim > 2) {
            return self.e.size_constant(u64::from(outside));
        }
        let (variable, vector) = self.e.input(which);
        let value = self.load_input(variable, vector, 32);
        if let Some(dim) = constant {
            return self
                .e
                .b
                .op(Op::CompositeExtract, size, &[value, dim as u32]);
        }
        let bool_ty = self.e.b.ty_bool();
        let int = self.e.b.ty_int(32);
        let three = self.e.b.const_u32(3);
        let zero = self.e.b.const_u32(0);
        let inside = self.e.b.op(Op::ULessThan, bool_ty, &[dim, three]);
        let index = self.e.b.op(Op::Select, int, &[inside, dim, zero]);
        let found = self.e.b.op(Op::VectorExtractDynamic, size, &[value, index]);
        let otherwise = self.e.size_constant(u64::from(outside));
        self.e.b.op(Op::Select, size, &[inside, found, otherwise])
    }

    /// The address space that a pointer argument points to.
    pub fn argument_space(&self, arg: ExprId) -> AddrSpace {
        let types = &self.e.module.types;
        types
            .pointer_parts(self.body.expr(arg).ty)
            .map_or(AddrSpace::Private, |(_, space)| space.of_language())
    }
}
