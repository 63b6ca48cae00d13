//! Constants: evaluated once, kept by value, written as bytes or made IR values on demand.

use super::preamble::{Def, Preamble};
use super::reader::{Inst, Result, charge};
use super::types::{Ty, TypeKind, Types};
use pumice_ir::analysis::eval;
use pumice_ir::{GlobalId, Relocation, Type, literal_sampler};
use pumice_reflection::MAX_INITIAL_DATA;
use pumice_target::image::sampler_mask;
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
pub(super) const MAX_PARTS: usize = 1 << 21;
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
                ConstVal::Bits(SmallVec::from_elem(
                    literal_sampler(mask_of_sampler(inst)?),
                    1,
                ))
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
    pub(super) fn operand(&self, inst: &Inst<'_>, id: u32) -> Result<Cow<'_, Const>> {
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
        if self.types.native_matrix_of(ty).is_some() {
            let one = self.matrix_constituents(inst, ty)?.unwrap_or_default();
            let parts = one
                .iter()
                .map(|&id| Ok(self.operand(inst, id)?.into_owned()));
            return Ok(ConstVal::Composite(parts.collect::<Result<_>>()?));
        }
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
        let spread = self.matrix_constituents(inst, ty)?;
        let ids = spread.as_deref().unwrap_or(ids);
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
}

/// The mask of an OpConstantSampler, as OpenCL C's constants make it.
fn mask_of_sampler(inst: &Inst<'_>) -> Result<u32> {
    let (addressing, normalized, filter) = (inst.arg(0)?, inst.arg(1)?, inst.arg(2)?);
    if addressing > SamplerAddressingMode::RepeatMirrored as u32 {
        return Err(inst.error(format_args!("unknown addressing mode {addressing}")));
    }
    let filter = match SamplerFilterMode::from_u32(filter) {
        Some(SamplerFilterMode::Nearest) => sampler_mask::NEAREST,
        Some(SamplerFilterMode::Linear) => sampler_mask::LINEAR,
        None => return Err(inst.error(format_args!("unknown filter mode {filter}"))),
    };
    let coordinates = match normalized {
        0 => 0,
        _ => sampler_mask::NORMALIZED,
    };
    Ok(addressing << sampler_mask::ADDRESS.trailing_zeros() | coordinates | filter)
}
