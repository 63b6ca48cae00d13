//! OpenCL.std: memory and lane instructions expand here, the others become `MathOp::Ocl`.

use super::arith::rounding;
use super::body::Body;
use super::locals::{Leaves, Val};
use super::reader::{Inst, Result};
use pumice_ir::analysis::literal;
use pumice_ir::{
    AccessFlags, BinaryOp, ConvertOp, InstKind, IntCond, MathOp, PrintfArg, Rounding, Scalar, Type,
    Value,
};
use pumice_printf::{Kind, directives};
use rspirv::grammar::OPENCL_STD_100_INSTRUCTION_TABLE;
use rspirv::spirv::OpenclStd100Op as Ocl;
use smallvec::SmallVec;

impl Body<'_, '_> {
    /// Imports an instruction of OpenCL.std.
    pub(super) fn ocl_std(&mut self, inst: &Inst<'_>) -> Result<()> {
        let number = inst.arg(1)?;
        let op = Ocl::from_u32(number)
            .ok_or_else(|| inst.error(format_args!("unknown OpenCL.std instruction {number}")))?;
        // Operands from here on are those of the extended instruction.
        let ext = Inst {
            args: inst.rest(2),
            ..*inst
        };
        let named = |error: super::reader::ImportError| super::reader::ImportError {
            message: format!("{} (OpenCL.std {op:?})", error.message),
        };
        self.ocl_inst(&ext, op).map_err(named)
    }

    fn ocl_inst(&mut self, inst: &Inst<'_>, op: Ocl) -> Result<()> {
        match op {
            Ocl::vloadn => {
                let (_, ty) = self.result_type(inst)?;
                let align = ty.scalar.bytes();
                let ptr = self.indexed(inst, 0, 1, align * u32::from(ty.lanes))?;
                let value = self.load_leaf(ptr, ty, align, AccessFlags::empty());
                self.define_value(inst, value)
            }
            Ocl::vstoren => {
                let value = self.arg(inst, 0)?;
                let ty = self.func.ty(value);
                let align = ty.scalar.bytes();
                let ptr = self.indexed(inst, 1, 2, align * u32::from(ty.lanes))?;
                self.store_leaf(ptr, value, align, AccessFlags::empty());
                self.define_void(inst)
            }
            Ocl::vload_half | Ocl::vload_halfn | Ocl::vloada_halfn => {
                let (_, ty) = self.result_type(inst)?;
                let (stride, align) = half_layout(ty.lanes, op == Ocl::vloada_halfn);
                let ptr = self.indexed(inst, 0, 1, stride)?;
                let half = ty.with_scalar(Scalar::F16);
                let value = self.load_leaf(ptr, half, align, AccessFlags::empty());
                let value = self.convert(ConvertOp::FToF, value, ty);
                self.define_value(inst, value)
            }
            Ocl::vstore_half
            | Ocl::vstore_half_r
            | Ocl::vstore_halfn
            | Ocl::vstore_halfn_r
            | Ocl::vstorea_halfn
            | Ocl::vstorea_halfn_r => {
                let rounding = match op {
                    Ocl::vstore_half_r | Ocl::vstore_halfn_r | Ocl::vstorea_halfn_r => {
                        Some(rounding(inst, inst.arg(3)?)?)
                    }
                    _ => None,
                };
                let aligned = matches!(op, Ocl::vstorea_halfn | Ocl::vstorea_halfn_r);
                self.store_half(inst, aligned, rounding)
            }
            Ocl::shuffle | Ocl::shuffle2 => self.shuffle(inst, op == Ocl::shuffle2),
            Ocl::prefetch => self.define_void(inst),
            Ocl::printf => self.printf(inst),
            Ocl::select => {
                let (a, b, c) = (self.arg(inst, 0)?, self.arg(inst, 1)?, self.arg(inst, 2)?);
                let (ty, cond_ty) = (self.func.ty(a), self.func.ty(c));
                let fits =
                    self.func.ty(b) == ty && cond_ty.scalar.is_int() && cond_ty.lanes == ty.lanes;
                if !fits {
                    return Err(inst.error("the operands' types are wrong"));
                }
                // A scalar condition counts as a whole, a vector's lanes by their top bits.
                let cond = if cond_ty.is_vector() {
                    let zero = self.func.splat_constant(cond_ty, 0);
                    self.icmp(IntCond::Slt, [c, zero])
                } else {
                    self.is_nonzero(c)
                };
                let value = self.select_value(cond, b, a);
                self.define_value(inst, value)
            }
            Ocl::bitselect => {
                let mut args = [self.arg(inst, 0)?, self.arg(inst, 1)?, self.arg(inst, 2)?];
                let ty = self.func.ty(args[0]);
                let int = Scalar::int_of_bits(ty.scalar.bits())
                    .ok_or_else(|| inst.error("the operands' types are wrong"))?;
                for arg in &mut args {
                    if self.func.ty(*arg) != ty {
                        return Err(inst.error("the operands' types are wrong"));
                    }
                    *arg = self.bitcast(inst, *arg, ty.with_scalar(int))?;
                }
                // a ^ ((a ^ b) & c)
                let [a, b, c] = args;
                let differ = self.binary(BinaryOp::Xor, [a, b]);
                let chosen = self.binary(BinaryOp::And, [differ, c]);
                let bits = self.binary(BinaryOp::Xor, [a, chosen]);
                let value = self.bitcast(inst, bits, ty)?;
                self.define_value(inst, value)
            }
            _ => {
                let args = (0..inst.args.len())
                    .map(|n| self.arg(inst, n))
                    .collect::<Result<SmallVec<_>>>()?;
                let (_, ty) = self.result_type(inst)?;
                let types: SmallVec<[Type; 3]> = args.iter().map(|&a| self.func.ty(a)).collect();
                if !operands_fit(op, &types, ty) {
                    return Err(inst.error("the operands' types are wrong"));
                }
                let flags = self.float_flags(inst.id);
                let op = MathOp::Ocl(op);
                let value = self.emit(InstKind::Math { op, args, flags }, ty);
                self.define_value(inst, value)
            }
        }
    }

    /// Instructions without a value still have a result id.
    fn define_void(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        self.define(inst, ty, Val::Leaves(Leaves::new()))
    }

    /// `pointer + index * stride` for operands `index` and `pointer`.
    fn indexed(
        &mut self,
        inst: &Inst<'_>,
        index: usize,
        pointer: usize,
        stride: u32,
    ) -> Result<Value> {
        let (index, base) = (self.arg(inst, index)?, self.arg(inst, pointer)?);
        let ty = self.func.ty(base);
        if !ty.scalar.is_ptr() {
            return Err(inst.error("the operand is not a pointer"));
        }
        let index = self.resize_int(inst, index, Type::I64)?;
        let stride = self.func.i64(i64::from(stride));
        let offset = self.binary(BinaryOp::IMul, [index, stride]);
        Ok(self.emit(InstKind::PtrAdd { base, offset }, ty))
    }

    fn store_half(
        &mut self,
        inst: &Inst<'_>,
        aligned: bool,
        rounding: Option<Rounding>,
    ) -> Result<()> {
        let value = self.arg(inst, 0)?;
        let ty = self.func.ty(value);
        if !ty.scalar.is_float() {
            return Err(inst.error("the operand is not a float"));
        }
        let (stride, align) = half_layout(ty.lanes, aligned);
        let ptr = self.indexed(inst, 1, 2, stride)?;
        let half = ty.with_scalar(Scalar::F16);
        let value = if ty == half {
            value
        } else {
            self.convert_rounded(ConvertOp::FToF, value, rounding, half)
        };
        self.store_leaf(ptr, value, align, AccessFlags::empty());
        self.define_void(inst)
    }

    /// Lanes picked by a vector of indices, of which only the low bits count.
    fn shuffle(&mut self, inst: &Inst<'_>, two: bool) -> Result<()> {
        let a = self.arg(inst, 0)?;
        let b = if two { self.arg(inst, 1)? } else { a };
        let picks = self.arg(inst, 1 + usize::from(two))?;
        let (ty, picks_ty) = (self.func.ty(a), self.func.ty(picks));
        let (_, to) = self.result_type(inst)?;
        let fits = ty.is_vector()
            && self.func.ty(b) == ty
            && picks_ty.scalar.is_int()
            && picks_ty.lanes == to.lanes
            && to == Type::vector(ty.scalar, to.lanes)
            && ty.lanes.is_power_of_two();
        if !fits {
            return Err(inst.error("the operands' types are wrong"));
        }
        let total = u64::from(ty.lanes) << u32::from(two);
        if let Some(lanes) = self.func.const_lanes(picks) {
            let mask = lanes
                .iter()
                .map(|&lane| Some((lane & (total - 1)) as u8))
                .collect();
            let args = [a, b];
            let value = self.emit(InstKind::Shuffle { args, mask }, to);
            return self.define_value(inst, value);
        }
        let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..to.lanes {
            let vector = picks;
            let pick = self.emit(InstKind::Extract { vector, lane }, picks_ty.lane());
            let low_mask = self
                .func
                .splat_constant(picks_ty.lane(), u64::from(ty.lanes) - 1);
            let index = self.binary(BinaryOp::And, [pick, low_mask]);
            let from_a = self.emit(InstKind::ExtractDyn { vector: a, index }, ty.lane());
            lanes.push(if two {
                let from_b = self.emit(InstKind::ExtractDyn { vector: b, index }, ty.lane());
                let which = self
                    .func
                    .splat_constant(picks_ty.lane(), u64::from(ty.lanes));
                let second = self.binary(BinaryOp::And, [pick, which]);
                let second = self.is_nonzero(second);
                self.select_value(second, from_b, from_a)
            } else {
                from_a
            });
        }
        let value = self.emit(InstKind::Build { lanes }, to);
        self.define_value(inst, value)
    }

    fn printf(&mut self, inst: &Inst<'_>) -> Result<()> {
        let format = self.arg(inst, 0)?;
        let text = literal(&self.func, self.globals, format)
            .ok_or_else(|| inst.error("the format is not a string literal"))?;
        let mut args = SmallVec::new();
        let kinds: Vec<Kind> = directives(&text).map(|d| d.kind).collect();
        for n in 1..inst.args.len() {
            let value = self.arg(inst, n)?;
            if kinds.get(n - 1) == Some(&Kind::String) {
                // A parameter's string shows once its function is inlined.
                args.push(match literal(&self.func, self.globals, value) {
                    Some(text) => PrintfArg::String(self.strings.id(text)),
                    None if self.func.ty(value).scalar.is_ptr() => PrintfArg::Value(value),
                    None => {
                        return Err(inst.error(format_args!(
                            "argument {n}, for %s, is not a string literal"
                        )));
                    }
                });
            } else {
                if self.func.ty(value).scalar == Scalar::Bool {
                    return Err(inst.error(format_args!("argument {n} is a bool")));
                }
                args.push(PrintfArg::Value(value));
            }
        }
        let format = self.strings.id(text);
        let value = self.emit(InstKind::Printf { format, args }, Type::I32);
        self.define_value(inst, value)
    }
}

/// Returns whether an instruction that stays OpenCL.std has the operands of its specification.
fn operands_fit(op: Ocl, args: &[Type], result: Type) -> bool {
    let float = result.scalar.is_float();
    let ints = Type::vector(Scalar::I32, result.lanes);
    let is_ptr = |ty: &Type| ty.scalar.is_ptr() && ty.lanes == 1;
    match op {
        Ocl::ldexp | Ocl::pown | Ocl::rootn => float && args == [result, ints],
        Ocl::fract | Ocl::modf | Ocl::sincos | Ocl::frexp | Ocl::lgamma_r => {
            float && matches!(args, [x, p] if *x == result && is_ptr(p))
        }
        Ocl::remquo => float && matches!(args, [x, y, p] if [*x, *y] == [result; 2] && is_ptr(p)),
        Ocl::ilogb => {
            result.scalar == Scalar::I32
                && matches!(args, [x] if x.scalar.is_float() && x.lanes == result.lanes)
        }
        Ocl::nan => {
            let bits = Scalar::int_of_bits(result.scalar.bits());
            float && matches!(args, [x] if Some(x.scalar) == bits && x.lanes == result.lanes)
        }
        Ocl::length | Ocl::fast_length => {
            float && matches!(args, [x] if x.lane() == result && x.lanes <= 4)
        }
        Ocl::distance | Ocl::fast_distance => {
            float && matches!(args, [x, y] if x == y && x.lane() == result && x.lanes <= 4)
        }
        Ocl::cross => float && matches!(result.lanes, 3 | 4) && args == [result; 2],
        Ocl::normalize | Ocl::fast_normalize => float && result.lanes <= 4 && args == [result],
        Ocl::s_upsample | Ocl::u_upsample => {
            let half = Scalar::int_of_bits(result.scalar.bits() / 2);
            let half = half.map(|scalar| result.with_scalar(scalar));
            result.scalar.is_int()
                && matches!(args, [high, low] if high == low && Some(*high) == half)
        }
        Ocl::s_mad24 | Ocl::u_mad24 => result == ints && args == [result; 3],
        Ocl::s_mul24 | Ocl::u_mul24 => result == ints && args == [result; 2],
        // All others take operands of the result's type, as many as the grammar says. The
        // numbers up to fast_normalize are functions of floats, those above of integers.
        _ => {
            let count = OPENCL_STD_100_INSTRUCTION_TABLE
                .lookup_opcode(op as u32)
                .map(|grammar| grammar.operands.len());
            let of_floats = (op as u32) <= Ocl::fast_normalize as u32;
            let right_kind = if of_floats {
                float
            } else {
                result.scalar.is_int()
            };
            right_kind && Some(args.len()) == count && args.iter().all(|&arg| arg == result)
        }
    }
}

/// Bytes from one vector to the next in memory, and their alignment.
fn half_layout(lanes: u8, aligned: bool) -> (u32, u32) {
    let lanes = match lanes {
        3 if aligned => 4,
        lanes => u32::from(lanes),
    };
    (lanes * 2, if aligned { lanes * 2 } else { 2 })
}
