//! Constants: evaluated once, kept by value, written as bytes or made IR values on demand.

use super::ops;
use super::preamble::{Def, Preamble};
use super::reader::{Inst, Result, charge};
use super::types::{Ty, TypeKind, Types};
use pumice_ir::analysis::eval;
use pumice_ir::{BinaryOp, FloatCond, GlobalId, Relocation, Type, literal_sampler};
use pumice_reflection::MAX_INITIAL_DATA;
use rspirv::spirv::{Op, SamplerAddressingMode, SamplerFilterMode};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

pub(super) type Lanes = SmallVec<[u64; 1]>;

/// The value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ConstVal {
    /// Bits of each lane.
    Bits(Lanes),
    /// All zeros, of any type.
    Null,
    /// Anything.
    Undef,
    /// A structure or array.
    Composite(Vec<Const>),
    /// A structure or array of numbers alone, as it lies in memory: as many bytes as its type has.
    Bytes(Rc<[u8]>),
    /// The address of a variable, as a pointer or 64-bit integer.
    Addr { global: GlobalId, addend: i64 },
}

/// A constant with its type. Composites share nothing: types bound their size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Const {
    pub ty: Ty,
    pub val: ConstVal,
}

/// No composite constant holds more parts than this, however it is nested.
const MAX_PARTS: usize = 1 << 21;
/// Arrays of numbers with more elements than this are kept as bytes.
const MAX_LOOSE: usize = 64;
/// All composites that are kept as bytes have at most this many together.
const MAX_BYTES: u64 = 2 * MAX_INITIAL_DATA;

impl Const {
    fn parts(&self) -> usize {
        match &self.val {
            ConstVal::Composite(parts) => parts
                .iter()
                .fold(1, |sum: usize, part| sum.saturating_add(part.parts())),
            _ => 1,
        }
    }

    /// The lanes of a constant of a scalar or vector type.
    pub fn lanes(&self, types: &Types) -> Option<Lanes> {
        let ty = types.get(self.ty).leaf?;
        match &self.val {
            ConstVal::Bits(lanes) => Some(lanes.clone()),
            ConstVal::Null | ConstVal::Undef => Some(SmallVec::from_elem(0, usize::from(ty.lanes))),
            ConstVal::Composite(_) | ConstVal::Bytes(_) | ConstVal::Addr { .. } => None,
        }
    }

    /// Returns whether the constant is made of numbers alone: its bytes say all of it.
    fn is_plain(&self) -> bool {
        match &self.val {
            ConstVal::Bits(_) | ConstVal::Null | ConstVal::Undef | ConstVal::Bytes(_) => true,
            ConstVal::Composite(parts) => parts.iter().all(Const::is_plain),
            ConstVal::Addr { .. } => false,
        }
    }

    /// A scalar constant's bits.
    pub fn scalar(&self, types: &Types) -> Option<u64> {
        match self.lanes(types)?.as_slice() {
            [bits] => Some(*bits),
            _ => None,
        }
    }

    /// The n-th constituent of a structure, array or vector.
    pub fn part(&self, types: &Types, index: u64) -> Option<(ConstVal, Option<Ty>)> {
        if let Some(leaf) = types.get(self.ty).leaf {
            let lane = *self.lanes(types)?.get(usize::try_from(index).ok()?)?;
            return leaf
                .is_vector()
                .then(|| (ConstVal::Bits(SmallVec::from_elem(lane, 1)), None));
        }
        let (ty, _) = types.member(self.ty, index)?;
        let val = match &self.val {
            ConstVal::Null => ConstVal::Null,
            ConstVal::Undef => ConstVal::Undef,
            ConstVal::Composite(parts) => parts.get(usize::try_from(index).ok()?)?.val.clone(),
            ConstVal::Bytes(bytes) => {
                let (ty, at) = types.member(self.ty, index)?;
                let at = usize::try_from(at).ok()?;
                let size = usize::try_from(types.get(ty).size).ok()?;
                value_of(types, ty, bytes.get(at..at.checked_add(size)?)?)?
            }
            ConstVal::Bits(_) | ConstVal::Addr { .. } => return None,
        };
        Some((val, Some(ty)))
    }

    /// Writes the constant at `offset`.
    fn write(&self, types: &Types, offset: u64, bytes: &mut [u8], relocs: &mut Vec<Relocation>) {
        match &self.val {
            ConstVal::Null | ConstVal::Undef => {}
            ConstVal::Addr { global, addend } => relocs.push(Relocation {
                offset,
                target: *global,
                addend: *addend,
            }),
            ConstVal::Bits(lanes) => {
                let Some(leaf) = types.get(self.ty).leaf else {
                    return;
                };
                let width = leaf.scalar.bytes() as usize;
                for (i, lane) in lanes.iter().enumerate() {
                    let at = offset as usize + i * width;
                    if let Some(dst) = bytes.get_mut(at..at + width) {
                        dst.copy_from_slice(&lane.to_le_bytes()[..width]);
                    }
                }
            }
            ConstVal::Bytes(own) => {
                let at = offset as usize;
                if let Some(dst) = bytes.get_mut(at..at + own.len()) {
                    dst.copy_from_slice(own);
                }
            }
            ConstVal::Composite(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    if let Some((_, at)) = types.member(self.ty, i as u64) {
                        part.write(types, offset + at, bytes, relocs);
                    }
                }
            }
        }
    }

    /// Initial bytes and relocations; no bytes stand for zeros.
    pub fn image(&self, types: &Types, inst: &Inst<'_>) -> Result<(Vec<u8>, Vec<Relocation>)> {
        if matches!(self.val, ConstVal::Null | ConstVal::Undef) {
            return Ok((Vec::new(), Vec::new()));
        }
        let size = types.get(self.ty).size;
        if size > MAX_INITIAL_DATA {
            return Err(inst.error(format_args!(
                "an initial value of {size} bytes is too large"
            )));
        }
        charge(size)?;
        let (mut bytes, mut relocations) = (vec![0; size as usize], Vec::new());
        self.write(types, 0, &mut bytes, &mut relocations);
        relocations.sort_by_key(|r| r.offset);
        Ok((bytes, relocations))
    }
}

/// The value of a type that lies in memory as these bytes.
fn value_of(types: &Types, ty: Ty, bytes: &[u8]) -> Option<ConstVal> {
    let Some(leaf) = types.get(ty).leaf else {
        return Some(ConstVal::Bytes(Rc::from(bytes)));
    };
    let width = leaf.scalar.bytes() as usize;
    let lane = |lane: &[u8]| {
        let mut word = [0; 8];
        word[..width].copy_from_slice(lane);
        u64::from_le_bytes(word)
    };
    let lanes = bytes.chunks_exact(width).take(usize::from(leaf.lanes));
    Some(ConstVal::Bits(lanes.map(lane).collect()))
}

impl Preamble<'_> {
    /// Reads a constant instruction; `None` if the opcode is no constant.
    pub(super) fn read_constant(&mut self, inst: &Inst<'_>) -> Result<Option<Const>> {
        let is_const = matches!(
            inst.op,
            Op::ConstantTrue
                | Op::ConstantSampler
                | Op::ConstantFalse
                | Op::SpecConstantTrue
                | Op::SpecConstantFalse
                | Op::Constant
                | Op::SpecConstant
                | Op::ConstantComposite
                | Op::SpecConstantComposite
                | Op::ConstantCompositeReplicateEXT
                | Op::SpecConstantCompositeReplicateEXT
                | Op::ConstantNull
                | Op::ConstantPipeStorage
                | Op::Undef
                | Op::SpecConstantOp
        );
        if !is_const {
            return Ok(None);
        }
        let ty = self.type_of_id(inst, inst.ty)?;
        let leaf = self.types.get(ty).leaf;
        if !self.types.is_sized(ty) {
            return Err(inst.error("the type has no values"));
        }
        let val = match inst.op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                if leaf != Some(Type::BOOL) {
                    return Err(inst.error("the result type is not bool"));
                }
                let mut value = matches!(inst.op, Op::ConstantTrue | Op::SpecConstantTrue);
                if matches!(inst.op, Op::SpecConstantTrue | Op::SpecConstantFalse) {
                    if let Some(bits) = self.specialised(inst.id) {
                        value = bits & 0xFF != 0;
                    }
                }
                ConstVal::Bits(SmallVec::from_elem(u64::from(value), 1))
            }
            Op::Constant | Op::SpecConstant => {
                let leaf = leaf
                    .filter(|ty| ty.lanes == 1 && (ty.scalar.is_int() || ty.scalar.is_float()))
                    .ok_or_else(|| inst.error("the result type is not a number"))?;
                let words = if leaf.scalar.bits() == 64 { 2 } else { 1 };
                if inst.args.len() != words {
                    return Err(inst.error("the literal does not fit the type"));
                }
                let mut bits = inst
                    .args
                    .iter()
                    .rev()
                    .fold(0, |bits, &word| bits << 32 | u64::from(word));
                if inst.op == Op::SpecConstant {
                    bits = self.specialised(inst.id).unwrap_or(bits);
                }
                ConstVal::Bits(SmallVec::from_elem(eval::mask(leaf.scalar, bits), 1))
            }
            Op::ConstantSampler => {
                if self.types.get(ty).kind != TypeKind::Sampler {
                    return Err(inst.error("the result type is no sampler"));
                }
                ConstVal::Bits(SmallVec::from_elem(literal_sampler(sampler_mask(inst)?), 1))
            }
            Op::ConstantNull => self.types.check_null(inst, ty).map(|()| ConstVal::Null)?,
            Op::ConstantPipeStorage => self.pipe_storage(inst, ty)?,
            Op::Undef => ConstVal::Undef,
            Op::ConstantComposite | Op::SpecConstantComposite => {
                self.composite(inst, ty, inst.args)?
            }
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                self.composite(inst, ty, &self.replicated(inst, ty)?)?
            }
            _ => self.spec_constant_op(inst, ty)?,
        };
        let constant = Const { ty, val };
        if let ConstVal::Bytes(bytes) = &constant.val {
            self.bytes = self.bytes.saturating_add(bytes.len() as u64);
            if self.bytes > MAX_BYTES {
                return Err(inst.error("the module's constants are too large"));
            }
        }
        self.parts = self.parts.saturating_add(constant.parts());
        if self.parts > MAX_PARTS {
            return Err(inst.error("the module's constants have too many parts"));
        }
        Ok(Some(constant))
    }

    /// A constant operand; a variable's id stands for its address.
    fn operand(&self, inst: &Inst<'_>, id: u32) -> Result<Cow<'_, Const>> {
        if let Def::Global(global, ty) = self.def(id) {
            return Ok(Cow::Owned(Const {
                ty,
                val: ConstVal::Addr { global, addend: 0 },
            }));
        }
        self.constant(inst, id).map(Cow::Borrowed)
    }

    /// The constituents of an instruction that names one for all of them.
    pub(super) fn replicated(&self, inst: &Inst<'_>, ty: Ty) -> Result<Vec<u32>> {
        let count = match self.types.get(ty).leaf {
            Some(leaf) => Some(u64::from(leaf.lanes)),
            None => self.types.member_count(ty),
        };
        let count = count.and_then(|count| usize::try_from(count).ok());
        match count {
            Some(count) if count <= MAX_PARTS => Ok(vec![inst.arg(0)?; count]),
            Some(_) => Err(inst.error("the composite has too many parts")),
            None => Err(inst.error("the result type is not a composite")),
        }
    }

    fn composite(&self, inst: &Inst<'_>, ty: Ty, ids: &[u32]) -> Result<ConstVal> {
        if let Some(leaf) = self.types.get(ty).leaf {
            if !leaf.is_vector() || ids.len() != usize::from(leaf.lanes) {
                return Err(inst.error("the number of constituents is wrong"));
            }
            let mut lanes = Lanes::new();
            for &id in ids {
                let part = self.operand(inst, id)?;
                if self.types.get(part.ty).leaf != Some(leaf.lane()) {
                    return Err(inst.error("a constituent has the wrong type"));
                }
                let bits = part
                    .scalar(&self.types)
                    .ok_or_else(|| inst.error("a lane that is an address is not supported"))?;
                lanes.push(bits);
            }
            return Ok(ConstVal::Bits(lanes));
        }
        if self.types.member_count(ty) != Some(ids.len() as u64) {
            return Err(inst.error("the number of constituents is wrong"));
        }
        if ids.len() > MAX_LOOSE {
            if let Some(bytes) = self.plain_array(inst, ty, ids)? {
                return Ok(ConstVal::Bytes(bytes));
            }
        }
        let mut parts = Vec::with_capacity(ids.len());
        let mut total = 0usize;
        for (i, &id) in ids.iter().enumerate() {
            let part = self.operand(inst, id)?;
            let expected = self.types.member(ty, i as u64).map(|(ty, _)| ty);
            if expected.is_none_or(|expected| !self.types.same_leaves(expected, part.ty))
                && expected != Some(part.ty)
            {
                return Err(inst.error(format_args!("constituent {i} has the wrong type")));
            }
            total = total.saturating_add(part.parts());
            if total > MAX_PARTS {
                return Err(inst.error("the constant has too many parts"));
            }
            parts.push(part.into_owned());
        }
        Ok(ConstVal::Composite(parts))
    }

    /// The bytes of an array, or structure of arrays, all of whose constituents are plain; `None`
    /// where they are not, or have not the type that they should have.
    fn plain_array(&self, inst: &Inst<'_>, ty: Ty, ids: &[u32]) -> Result<Option<Rc<[u8]>>> {
        let size = self.types.get(ty).size;
        if size > MAX_INITIAL_DATA {
            return Ok(None);
        }
        // Once more where it is shared.
        charge(2 * size)?;
        let mut bytes = vec![0; size as usize];
        for (i, &id) in ids.iter().enumerate() {
            let part = self.operand(inst, id)?;
            let member = self.types.member(ty, i as u64);
            let place = member.filter(|(ty, _)| *ty == part.ty && part.is_plain());
            let Some((_, at)) = place else {
                return Ok(None);
            };
            part.write(&self.types, at, &mut bytes, &mut Vec::new());
        }
        Ok(Some(bytes.into()))
    }

    fn spec_constant_op(&self, inst: &Inst<'_>, ty: Ty) -> Result<ConstVal> {
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

    /// The byte offset of an access chain with constant indices.
    fn constant_offset(
        &self,
        inst: &Inst<'_>,
        base: Ty,
        indices: &[u32],
        ptr_chain: bool,
    ) -> Result<i64> {
        let mut ty = self.pointee(inst, base)?;
        let mut offset = 0i64;
        let mut indices = indices.iter();
        let index_of = |id: u32| -> Result<i64> {
            let index = self.constant(inst, id)?;
            let leaf = self.types.get(index.ty).leaf;
            match (index.scalar(&self.types), leaf) {
                (Some(bits), Some(leaf)) if leaf.scalar.is_int() => {
                    Ok(eval::sign_extend(leaf.scalar, bits))
                }
                _ => Err(inst.error("an index is not a constant integer")),
            }
        };
        if ptr_chain {
            if let Some(&id) = indices.next() {
                let size = self.types.get(ty).size as i64;
                offset = index_of(id)?.wrapping_mul(size);
            }
        }
        for &id in indices {
            let index = index_of(id)?;
            let step = self.chain_step(inst, ty, Some(index))?;
            offset = offset.wrapping_add(match step {
                ChainStep::Member { offset, .. } => offset as i64,
                ChainStep::Element { stride, .. } => index.wrapping_mul(stride as i64),
                ChainStep::Lane { bytes, .. } => index.wrapping_mul(i64::from(bytes)),
            });
            match step {
                ChainStep::Member { ty: next, .. } | ChainStep::Element { ty: next, .. } => {
                    ty = next;
                }
                ChainStep::Lane { .. } => break,
            }
        }
        Ok(offset)
    }

    /// Takes one index of an access chain.
    pub(super) fn chain_step(
        &self,
        inst: &Inst<'_>,
        ty: Ty,
        index: Option<i64>,
    ) -> Result<ChainStep> {
        let info = self.types.get(ty);
        match &info.kind {
            TypeKind::Array { elem, .. } => Ok(ChainStep::Element {
                ty: *elem,
                stride: self.types.get(*elem).size,
            }),
            TypeKind::Struct { packed, .. } => {
                let index =
                    index.ok_or_else(|| inst.error("a structure's index must be a constant"))?;
                let (ty, offset) = u64::try_from(index)
                    .ok()
                    .and_then(|index| self.types.member(ty, index))
                    .ok_or_else(|| inst.error(format_args!("there is no member {index}")))?;
                Ok(ChainStep::Member {
                    ty,
                    offset,
                    packed: *packed,
                })
            }
            _ => match info.leaf {
                Some(leaf) if leaf.is_vector() => Ok(ChainStep::Lane {
                    bytes: leaf.scalar.bytes(),
                }),
                _ => Err(inst.error("an index into something that has no parts")),
            },
        }
    }

    /// The type that a pointer type points to.
    pub(super) fn pointee(&self, inst: &Inst<'_>, pointer: Ty) -> Result<Ty> {
        match self.types.get(pointer).kind {
            TypeKind::Pointer { pointee, .. } => self.type_of_id(inst, pointee),
            _ => Err(inst.error("the base is not a pointer")),
        }
    }
}

/// One step of an access chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChainStep {
    /// A structure's member.
    Member { ty: Ty, offset: u64, packed: bool },
    /// An array's element.
    Element { ty: Ty, stride: u64 },
    /// A vector's lane; nothing can follow.
    Lane { bytes: u32 },
}

/// The mask of an OpConstantSampler, as OpenCL C's constants make it.
fn sampler_mask(inst: &Inst<'_>) -> Result<u32> {
    let (addressing, normalized, filter) = (inst.arg(0)?, inst.arg(1)?, inst.arg(2)?);
    if addressing > SamplerAddressingMode::RepeatMirrored as u32 {
        return Err(inst.error(format_args!("unknown addressing mode {addressing}")));
    }
    let filter = match SamplerFilterMode::from_u32(filter) {
        Some(SamplerFilterMode::Nearest) => 0x10,
        Some(SamplerFilterMode::Linear) => 0x20,
        None => return Err(inst.error(format_args!("unknown filter mode {filter}"))),
    };
    Ok(addressing << 1 | u32::from(normalized != 0) | filter)
}
