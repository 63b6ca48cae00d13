//! Arithmetic, comparisons, conversions and mathematical functions.

use super::builder::Id;
use super::emitter::Emitter;
use super::inst::{GENERIC_LOCAL, GENERIC_PRIVATE, internal};
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, BinaryOp, ConvertOp, FloatCond, FloatFlags, IntCond, MathOp, Scalar, Type,
    UnaryOp, Value,
};
use pumice_target::QuirkKind;
use rspirv::spirv::{Decoration, GlslStd450Op, Op};
use smallvec::SmallVec;

impl Emitter<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, arg: Value, ty: Type) -> Id {
        let opcode = match op {
            UnaryOp::INeg => Op::SNegate,
            UnaryOp::Not if ty.scalar == Scalar::Bool => Op::LogicalNot,
            UnaryOp::Not => Op::Not,
            UnaryOp::FNeg => Op::FNegate,
        };
        let arg = self.value(arg);
        let ty = self.ty(ty);
        self.b.op(opcode, ty, &[arg])
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        args: [Value; 2],
        flags: FloatFlags,
        ty: Type,
    ) -> Result<Id, LowerError> {
        let [a, mut b] = args.map(|v| self.value(v));
        let bool_ty = ty.scalar == Scalar::Bool;
        let id_ty = self.ty(ty);
        let opcode = match op {
            BinaryOp::IAdd => Op::IAdd,
            BinaryOp::ISub => Op::ISub,
            BinaryOp::IMul => Op::IMul,
            BinaryOp::UDiv => Op::UDiv,
            BinaryOp::URem => Op::UMod,
            BinaryOp::And if bool_ty => Op::LogicalAnd,
            BinaryOp::Or if bool_ty => Op::LogicalOr,
            BinaryOp::Xor if bool_ty => Op::LogicalNotEqual,
            BinaryOp::And => Op::BitwiseAnd,
            BinaryOp::Or => Op::BitwiseOr,
            BinaryOp::Xor => Op::BitwiseXor,
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                b = self.shift_count(args[1], b, ty);
                match op {
                    BinaryOp::Shl => Op::ShiftLeftLogical,
                    BinaryOp::LShr => Op::ShiftRightLogical,
                    _ => Op::ShiftRightArithmetic,
                }
            }
            BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMin | BinaryOp::UMax => {
                let opcode = match op {
                    BinaryOp::SMin => Op::SLessThan,
                    BinaryOp::SMax => Op::SGreaterThan,
                    BinaryOp::UMin => Op::ULessThan,
                    _ => Op::UGreaterThan,
                };
                let bools = self.ty(ty.as_bool());
                let first = self.b.op(opcode, bools, &[a, b]);
                return Ok(self.b.op(Op::Select, id_ty, &[first, a, b]));
            }
            BinaryOp::FAdd => Op::FAdd,
            BinaryOp::FSub => Op::FSub,
            BinaryOp::FMul => Op::FMul,
            BinaryOp::FDiv => Op::FDiv,
            BinaryOp::SMulHi | BinaryOp::UMulHi if ty.scalar == Scalar::I32 => {
                let opcode = match op {
                    BinaryOp::SMulHi => Op::SMulExtended,
                    _ => Op::UMulExtended,
                };
                let halves = self.b.unique(Op::TypeStruct, None, &[id_ty, id_ty]);
                let product = self.b.op(opcode, halves, &[a, b]);
                return Ok(self.b.op(Op::CompositeExtract, id_ty, &[product, 1]));
            }
            BinaryOp::SMulHi
            | BinaryOp::UMulHi
            | BinaryOp::SDiv
            | BinaryOp::SRem
            | BinaryOp::FRem => return Err(internal(op)),
        };
        let id = self.b.op(opcode, id_ty, &[a, b]);
        if ty.scalar.is_float() && !flags.contains(FloatFlags::CONTRACT) {
            self.b.decorate(id, Decoration::NoContraction, &[]);
        }
        Ok(id)
    }

    /// Shift counts are modulo the width in the IR, undefined above it in SPIR-V.
    fn shift_count(&mut self, value: Value, id: Id, ty: Type) -> Id {
        let bits = ty.scalar.bits();
        let known = self.module.functions[self.cur].const_lanes(value);
        if let Some(lanes) = known {
            let lanes = lanes.iter().map(|n| n & u64::from(bits - 1));
            let lanes: SmallVec<[u64; 4]> = lanes.collect();
            return self.constant(ty, &lanes);
        }
        let lanes: SmallVec<[u64; 4]> =
            std::iter::repeat_n(u64::from(bits - 1), usize::from(ty.lanes)).collect();
        let mask = self.constant(ty, &lanes);
        let ty = self.ty(ty);
        self.b.op(Op::BitwiseAnd, ty, &[id, mask])
    }

    pub(super) fn icmp(&mut self, cond: IntCond, args: [Value; 2], ty: Type) -> Id {
        let bools = self.value_ty(args[0]).scalar == Scalar::Bool;
        let opcode = match cond {
            IntCond::Eq if bools => Op::LogicalEqual,
            IntCond::Ne if bools => Op::LogicalNotEqual,
            IntCond::Eq => Op::IEqual,
            IntCond::Ne => Op::INotEqual,
            IntCond::Slt => Op::SLessThan,
            IntCond::Sle => Op::SLessThanEqual,
            IntCond::Sgt => Op::SGreaterThan,
            IntCond::Sge => Op::SGreaterThanEqual,
            IntCond::Ult => Op::ULessThan,
            IntCond::Ule => Op::ULessThanEqual,
            IntCond::Ugt => Op::UGreaterThan,
            IntCond::Uge => Op::UGreaterThanEqual,
        };
        let args = args.map(|v| self.compared(v));
        let ty = self.ty(ty);
        self.b.op(opcode, ty, &args)
    }

    pub(super) fn fcmp(&mut self, cond: FloatCond, args: [Value; 2], ty: Type) -> Id {
        let [a, b] = args.map(|v| self.value(v));
        let ty_id = self.ty(ty);
        let opcode = match cond {
            FloatCond::Oeq => Op::FOrdEqual,
            FloatCond::One => Op::FOrdNotEqual,
            FloatCond::Olt => Op::FOrdLessThan,
            FloatCond::Ole => Op::FOrdLessThanEqual,
            FloatCond::Ogt => Op::FOrdGreaterThan,
            FloatCond::Oge => Op::FOrdGreaterThanEqual,
            FloatCond::Ueq => Op::FUnordEqual,
            FloatCond::Une => Op::FUnordNotEqual,
            FloatCond::Ult => Op::FUnordLessThan,
            FloatCond::Ule => Op::FUnordLessThanEqual,
            FloatCond::Ugt => Op::FUnordGreaterThan,
            FloatCond::Uge => Op::FUnordGreaterThanEqual,
            FloatCond::Ord | FloatCond::Uno => {
                // OpOrdered and OpUnordered need the Kernel capability.
                let x = self.b.op(Op::IsNan, ty_id, &[a]);
                let y = self.b.op(Op::IsNan, ty_id, &[b]);
                let any = self.b.op(Op::LogicalOr, ty_id, &[x, y]);
                return match cond {
                    FloatCond::Uno => any,
                    _ => self.b.op(Op::LogicalNot, ty_id, &[any]),
                };
            }
        };
        self.b.op(opcode, ty_id, &[a, b])
    }

    pub(super) fn convert(
        &mut self,
        op: ConvertOp,
        arg: Value,
        ty: Type,
    ) -> Result<Id, LowerError> {
        if let Some(id) = self.convert_buffer_pointer(op, arg, ty)? {
            return Ok(id);
        }
        let from = self.value_ty(arg);
        let id = self.value(arg);
        let ty_id = self.ty(ty);
        if from.scalar == Scalar::Bool {
            let one = match op {
                ConvertOp::ZExt => 1,
                ConvertOp::SExt => u64::MAX,
                _ => return Err(internal(op)),
            };
            let lanes = usize::from(ty.lanes);
            let ones: SmallVec<[u64; 4]> = std::iter::repeat_n(one, lanes).collect();
            let zeros: SmallVec<[u64; 4]> = std::iter::repeat_n(0, lanes).collect();
            let (ones, zeros) = (self.constant(ty, &ones), self.constant(ty, &zeros));
            return Ok(self.b.op(Op::Select, ty_id, &[id, ones, zeros]));
        }
        Ok(match op {
            ConvertOp::Trunc if ty.scalar == Scalar::Bool => {
                let lanes = usize::from(ty.lanes);
                let ones: SmallVec<[u64; 4]> = std::iter::repeat_n(1, lanes).collect();
                let zeros: SmallVec<[u64; 4]> = std::iter::repeat_n(0, lanes).collect();
                let (one, zero) = (self.constant(from, &ones), self.constant(from, &zeros));
                let from = self.ty(from);
                let low = self.b.op(Op::BitwiseAnd, from, &[id, one]);
                self.b.op(Op::INotEqual, ty_id, &[low, zero])
            }
            ConvertOp::Trunc | ConvertOp::ZExt if from == ty => id,
            ConvertOp::Trunc if from == Type::I64 && ty == Type::I32 => self.low_word(arg)?,
            ConvertOp::Trunc | ConvertOp::ZExt => self.b.op(Op::UConvert, ty_id, &[id]),
            ConvertOp::SExt if from == ty => id,
            ConvertOp::SExt => self.b.op(Op::SConvert, ty_id, &[id]),
            ConvertOp::FToS => self.conversion(Op::ConvertFToS, ty_id, id),
            ConvertOp::FToU => self.conversion(Op::ConvertFToU, ty_id, id),
            ConvertOp::SToF => self.conversion(Op::ConvertSToF, ty_id, id),
            ConvertOp::UToF => self.conversion(Op::ConvertUToF, ty_id, id),
            ConvertOp::FToF if from == ty => id,
            ConvertOp::FToF => self.conversion(Op::FConvert, ty_id, id),
            ConvertOp::Bitcast if from == ty => id,
            ConvertOp::Bitcast => self.b.op(Op::Bitcast, ty_id, &[id]),
            ConvertOp::PtrToInt => match self.is_offset_pointer(from) {
                true => self.widen(id),
                false => id,
            },
            ConvertOp::IntToPtr => match self.is_offset_pointer(ty) {
                true => self.wide_low(id),
                false => id,
            },
            ConvertOp::AddressSpaceCast => self.space_cast(id, from, ty)?,
            ConvertOp::SatSToS
            | ConvertOp::SatSToU
            | ConvertOp::SatUToS
            | ConvertOp::SatUToU
            | ConvertOp::FToSSat
            | ConvertOp::FToUSat => return Err(internal(op)),
        })
    }

    /// A conversion from or to a float ([`QuirkKind::ExactConversions`]).
    fn conversion(&mut self, op: Op, ty: Id, arg: Id) -> Id {
        let id = self.b.op(op, ty, &[arg]);
        if self.target.quirks.has(QuirkKind::ExactConversions) {
            self.b.decorate(id, Decoration::NoContraction, &[]);
        }
        id
    }

    /// Casts to and from generic: 64 bits with the space in the top bits, NULL staying 0.
    fn space_cast(&mut self, id: Id, from: Type, to: Type) -> Result<Id, LowerError> {
        let (Some(source), Some(dest)) = (from.address_space(), to.address_space()) else {
            return Err(internal(ConvertOp::AddressSpaceCast));
        };
        let tag = match source {
            AddressSpace::Local => GENERIC_LOCAL,
            AddressSpace::Private => GENERIC_PRIVATE,
            _ => 0,
        };
        Ok(match (source, dest) {
            (a, b) if a == b => id,
            (AddressSpace::Local | AddressSpace::Private, AddressSpace::Generic) => {
                let bool_ty = self.b.ty_bool();
                let wide = self.widen(id);
                let tagged = self.wide_masked(Op::BitwiseOr, wide, tag);
                let (zero32, zero) = (self.b.const_u32(0), self.wide_constant(0));
                let null = self.b.op(Op::IEqual, bool_ty, &[id, zero32]);
                self.wide_select(null, zero, tagged)
            }
            (AddressSpace::Generic, AddressSpace::Local | AddressSpace::Private) => {
                self.wide_low(id)
            }
            (
                AddressSpace::Generic | AddressSpace::Global | AddressSpace::Constant,
                AddressSpace::Generic | AddressSpace::Global | AddressSpace::Constant,
            ) => id,
            _ => {
                return Err(LowerError::new(
                    "cast between pointers of disjoint address spaces",
                ));
            }
        })
    }

    pub(super) fn math(&mut self, op: MathOp, args: &[Value], ty: Type) -> Result<Id, LowerError> {
        let ids: SmallVec<[Id; 3]> = args.iter().map(|&v| self.value(v)).collect();
        let ty_id = self.ty(ty);
        let glsl = match op {
            MathOp::Ocl(name) => {
                return Err(LowerError::new(format!(
                    "internal: OpenCL.std {name:?} reached emission"
                )));
            }
            MathOp::Fma => GlslStd450Op::Fma,
            MathOp::Sqrt => GlslStd450Op::Sqrt,
            MathOp::FAbs => GlslStd450Op::FAbs,
            MathOp::Floor => GlslStd450Op::Floor,
            MathOp::Ceil => GlslStd450Op::Ceil,
            MathOp::Trunc => GlslStd450Op::Trunc,
            MathOp::RoundEven => GlslStd450Op::RoundEven,
            MathOp::FMin => GlslStd450Op::NMin,
            MathOp::FMax => GlslStd450Op::NMax,
            MathOp::NativeSin => GlslStd450Op::Sin,
            MathOp::NativeCos => GlslStd450Op::Cos,
            MathOp::NativeExp2 => GlslStd450Op::Exp2,
            MathOp::NativeLog2 => GlslStd450Op::Log2,
            MathOp::NativeSqrt => GlslStd450Op::Sqrt,
            MathOp::NativeRsqrt => GlslStd450Op::InverseSqrt,
            MathOp::PopCount => return Ok(self.b.op(Op::BitCount, ty_id, &ids)),
            MathOp::BitReverse => return Ok(self.b.op(Op::BitReverse, ty_id, &ids)),
            MathOp::IsNan => return Ok(self.b.op(Op::IsNan, ty_id, &ids)),
            MathOp::IsInf => return Ok(self.b.op(Op::IsInf, ty_id, &ids)),
            MathOp::Clz => {
                // FindUMsb gives -1 for 0: 31 - msb is right for every operand.
                let msb = self.b.glsl(GlslStd450Op::FindUMsb, ty_id, &ids);
                let top = self.constant_splat(ty, 31);
                return Ok(self.b.op(Op::ISub, ty_id, &[top, msb]));
            }
            MathOp::Ctz => {
                let lsb = self.b.glsl(GlslStd450Op::FindILsb, ty_id, &ids);
                let (zero, width) = (self.constant_splat(ty, 0), self.constant_splat(ty, 32));
                let bools = self.ty(ty.as_bool());
                let empty = self.b.op(Op::IEqual, bools, &[ids[0], zero]);
                return Ok(self.b.op(Op::Select, ty_id, &[empty, width, lsb]));
            }
        };
        let id = self.b.glsl(glsl, ty_id, &ids);
        if op == MathOp::Fma {
            // Else a driver may take fma(a, b, 0) for a * b, which has another sign of zero.
            self.b.decorate(id, Decoration::NoContraction, &[]);
        }
        Ok(id)
    }

    fn constant_splat(&mut self, ty: Type, bits: u64) -> Id {
        let lanes: SmallVec<[u64; 4]> = std::iter::repeat_n(bits, usize::from(ty.lanes)).collect();
        self.constant(ty, &lanes)
    }
}
