//! OpSpecConstantOp: constants computed from other constants.

use super::consts::{Const, ConstVal, Lanes, MAX_PARTS};
use super::ops;
use super::preamble::Preamble;
use super::reader::{Inst, Result};
use super::types::Ty;
use pumice_ir::analysis::eval;
use pumice_ir::{BinaryOp, FloatCond, GlobalId, Type};
use rspirv::spirv::Op;
use smallvec::SmallVec;
use std::borrow::Cow;

impl Preamble<'_> {
    /// The value of an OpSpecConstantOp of type `ty`.
    pub(super) fn spec_constant_op(&self, inst: &Inst<'_>, ty: Ty) -> Result<ConstVal> {
        let opcode = inst.arg(0)?;
        let op = Op::from_u32(opcode)
            .ok_or_else(|| inst.error(format_args!("unknown operation {opcode}")))?;
        let args = inst.rest(1);
        let arg = |n: usize| -> Result<Cow<'_, Const>> {
            let id = args
                .get(n)
                .ok_or_else(|| inst.error(format_args!("Op{op:?}: operand {n} is missing")))?;
            self.operand(inst, *id)
        };
        let fail = || inst.error(format_args!("Op{op:?} cannot be evaluated here"));
        match op {
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => {
                let base = arg(0)?;
                let ptr_chain = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                // With nothing but an element both types are the same, except in what the LLVM
                // translator makes of a `getelementptr i8` on a constant: there it is the result.
                let of = if ptr_chain && args.len() == 2 {
                    ty
                } else {
                    base.ty
                };
                let offset = self.constant_offset(inst, of, &args[1..], ptr_chain)?;
                match base.val {
                    ConstVal::Addr { global, addend } => Ok(ConstVal::Addr {
                        global,
                        addend: addend.wrapping_add(offset),
                    }),
                    _ => {
                        let bits = base.scalar(&self.types).ok_or_else(fail)?;
                        let bits = bits.wrapping_add(offset as u64);
                        Ok(ConstVal::Bits(SmallVec::from_elem(bits, 1)))
                    }
                }
            }
            Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::CopyObject => {
                let value = arg(0)?;
                let to = self.types.get(ty).leaf.ok_or_else(fail)?;
                let from = self.types.get(value.ty).leaf.ok_or_else(fail)?;
                match &value.val {
                    ConstVal::Addr { .. } if to.scalar.bits() == 64 && to.lanes == 1 => {
                        Ok(value.val.clone())
                    }
                    ConstVal::Null | ConstVal::Undef => Ok(value.val.clone()),
                    ConstVal::Bits(lanes) => {
                        let lanes = match op {
                            Op::ConvertPtrToU | Op::ConvertUToPtr => lanes
                                .iter()
                                .map(|&bits| eval::mask(to.scalar, bits))
                                .collect(),
                            _ => eval::bitcast(from, to, lanes)
                                .ok_or_else(fail)?
                                .into_iter()
                                .collect::<Lanes>(),
                        };
                        Ok(ConstVal::Bits(lanes))
                    }
                    _ => Err(fail()),
                }
            }
            Op::Select => {
                let cond = arg(0)?.lanes(&self.types).ok_or_else(fail)?;
                let (then, other) = (arg(1)?, arg(2)?);
                if let [cond] = cond.as_slice() {
                    return Ok(if *cond != 0 { then } else { other }.into_owned().val);
                }
                let then = then.lanes(&self.types).ok_or_else(fail)?;
                let other = other.lanes(&self.types).ok_or_else(fail)?;
                if then.len() != cond.len() || other.len() != cond.len() {
                    return Err(fail());
                }
                Ok(ConstVal::Bits(
                    (0..cond.len())
                        .map(|i| if cond[i] != 0 { then[i] } else { other[i] })
                        .collect(),
                ))
            }
            Op::CompositeExtract => {
                let mut part = arg(0)?.into_owned();
                for &index in &args[1..] {
                    let (val, inner) = part
                        .part(&self.types, u64::from(index))
                        .ok_or_else(|| inst.error("the index is outside the composite"))?;
                    // A lane has the result's type.
                    part = Const {
                        ty: inner.unwrap_or(ty),
                        val,
                    };
                }
                Ok(part.val)
            }
            Op::CompositeInsert => {
                let object = arg(0)?.into_owned();
                let mut whole = arg(1)?.into_owned();
                self.insert_part(inst, &mut whole, object.val, &args[2.min(args.len())..])?;
                Ok(whole.val)
            }
            Op::VectorShuffle => {
                let mut lanes = arg(0)?.lanes(&self.types).ok_or_else(fail)?;
                lanes.extend(arg(1)?.lanes(&self.types).ok_or_else(fail)?);
                args[2..]
                    .iter()
                    .map(|&index| match index {
                        u32::MAX => Some(0),
                        _ => lanes.get(index as usize).copied(),
                    })
                    .collect::<Option<Lanes>>()
                    .map(ConstVal::Bits)
                    .ok_or_else(fail)
            }
            _ => self.evaluate(inst, op, ty, args),
        }
    }

    /// Puts `object` into a constant, at the part that the indices lead to.
    fn insert_part(
        &self,
        inst: &Inst<'_>,
        whole: &mut Const,
        object: ConstVal,
        indices: &[u32],
    ) -> Result<()> {
        let Some((&index, rest)) = indices.split_first() else {
            whole.val = object;
            return Ok(());
        };
        let outside = || inst.error("the index is outside the composite");
        if self.types.get(whole.ty).leaf.is_some() {
            let mut lanes = whole.lanes(&self.types).ok_or_else(outside)?;
            let bits = match object {
                ConstVal::Bits(bits) if bits.len() == 1 => bits[0],
                ConstVal::Null | ConstVal::Undef => 0,
                _ => return Err(outside()),
            };
            *lanes.get_mut(index as usize).ok_or_else(outside)? = bits;
            whole.val = ConstVal::Bits(lanes);
            return Ok(());
        }
        if matches!(whole.val, ConstVal::Null | ConstVal::Undef) {
            let count = self.types.member_count(whole.ty).ok_or_else(outside)?;
            if count > MAX_PARTS as u64 {
                return Err(inst.error("the constant has too many parts"));
            }
            let fill = whole.val.clone();
            let parts = (0..count).filter_map(|i| {
                self.types.member(whole.ty, i).map(|(ty, _)| Const {
                    ty,
                    val: fill.clone(),
                })
            });
            whole.val = ConstVal::Composite(parts.collect());
        }
        if matches!(whole.val, ConstVal::Bytes(_)) {
            let count = self.types.member_count(whole.ty).ok_or_else(outside)?;
            if count > MAX_PARTS as u64 {
                return Err(inst.error("the constant has too many parts"));
            }
            let part = |i| {
                let (val, ty) = whole.part(&self.types, i)?;
                Some(Const { ty: ty?, val })
            };
            let parts = (0..count).map(part).collect::<Option<Vec<Const>>>();
            whole.val = ConstVal::Composite(parts.ok_or_else(outside)?);
        }
        let ConstVal::Composite(parts) = &mut whole.val else {
            return Err(outside());
        };
        let part = parts.get_mut(index as usize).ok_or_else(outside)?;
        self.insert_part(inst, part, object, rest)
    }

    /// Lane-wise operations.
    fn evaluate(&self, inst: &Inst<'_>, op: Op, ty: Ty, args: &[u32]) -> Result<ConstVal> {
        let fail = || inst.error(format_args!("Op{op:?} cannot be evaluated here"));
        let to = self.types.get(ty).leaf.ok_or_else(fail)?;
        let mut operands: SmallVec<[(Type, Lanes); 2]> = SmallVec::new();
        for &id in args {
            let value = self.operand(inst, id)?;
            let leaf = self.types.get(value.ty).leaf.ok_or_else(fail)?;
            // Addresses take part in additions of constants only.
            if let ConstVal::Addr { global, addend } = value.val {
                return self.address_arithmetic(inst, op, args, global, addend);
            }
            let lanes = value.lanes(&self.types).ok_or_else(fail)?;
            if lanes.len() != usize::from(to.lanes) {
                return Err(fail());
            }
            operands.push((leaf, lanes));
        }
        let one = |lane: usize| -> Option<u64> {
            let (ty, lanes) = operands.first()?;
            let (scalar, a) = (ty.scalar, lanes[lane]);
            if let Some(op) = ops::unary(op) {
                return eval::unary(op, scalar, a);
            }
            if let Some(convert) = ops::convert(op, scalar.bits(), to.scalar.bits(), false) {
                return match convert {
                    Some(op) => eval::convert(op, scalar, to.scalar, None, a).or(Some(0)),
                    None => Some(a),
                };
            }
            let b = operands.get(1)?.1[lane];
            if let Some(cond) = ops::icmp(op) {
                return Some(u64::from(eval::icmp(cond, scalar, a, b)));
            }
            if let Some(cond) = ops::fcmp(op) {
                return eval::fcmp(cond, scalar, a, b).map(u64::from);
            }
            if op == Op::LogicalEqual {
                return Some(u64::from(a == b));
            }
            if op == Op::SMod {
                let (sa, sb) = (eval::sign_extend(scalar, a), eval::sign_extend(scalar, b));
                let rem = if sb == 0 { 0 } else { sa.wrapping_rem(sb) };
                let rem = if rem != 0 && (rem < 0) != (sb < 0) {
                    rem + sb
                } else {
                    rem
                };
                return Some(eval::mask(scalar, rem as u64));
            }
            if op == Op::FMod {
                let zero = |value| eval::fcmp(FloatCond::Oeq, scalar, value, 0);
                let less = |value| eval::fcmp(FloatCond::Olt, scalar, value, 0);
                let rem = eval::binary(BinaryOp::FRem, scalar, a, b)?;
                return if !zero(rem)? && less(rem)? != less(b)? {
                    eval::binary(BinaryOp::FAdd, scalar, rem, b)
                } else {
                    Some(rem)
                };
            }
            let op = ops::binary(op)?;
            // Division by zero is unspecified, not an error.
            let divides = matches!(
                op,
                BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem
            );
            eval::binary(op, scalar, a, b).or(divides.then_some(0))
        };
        (0..usize::from(to.lanes))
            .map(one)
            .collect::<Option<Lanes>>()
            .map(ConstVal::Bits)
            .ok_or_else(fail)
    }

    /// A sum or difference of a variable's address and a number.
    fn address_arithmetic(
        &self,
        inst: &Inst<'_>,
        op: Op,
        args: &[u32],
        global: GlobalId,
        addend: i64,
    ) -> Result<ConstVal> {
        let fail = || inst.error(format_args!("Op{op:?} on an address is not supported"));
        let &[a, b] = args else { return Err(fail()) };
        let (a, b) = (self.operand(inst, a)?, self.operand(inst, b)?);
        let addend = match (op, &a.val, b.scalar(&self.types), a.scalar(&self.types)) {
            (Op::IAdd, ConstVal::Addr { .. }, Some(bits), _) => addend.wrapping_add(bits as i64),
            (Op::IAdd, _, _, Some(bits)) => addend.wrapping_add(bits as i64),
            (Op::ISub, ConstVal::Addr { .. }, Some(bits), _) => addend.wrapping_sub(bits as i64),
            _ => return Err(fail()),
        };
        Ok(ConstVal::Addr { global, addend })
    }
}
