//! 8- and 16-bit integers on devices without them, or without them in memory: words hold them.
//!
//! A value keeps its number and becomes an I32 whose upper bits are zero. An operation
//! that may set them is followed by a mask; one that depends on the sign extends it first. Memory is
//! accessed by words and by parts of words (`AccessFlags::BYTE`, `SHORT`); a store of a part leaves the
//! word's other bytes alone. Wider numbers that are not aligned to a word are made of such parts.
//!
//! Cost: one instruction for a mask, two for a sign, two for a part of a word that is loaded, two
//! atomic operations for one that is stored where others may see it.

mod memory;
mod pieces;

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::legalize::retype::{constant_of_its_own, retype};
use cranelift_entity::SecondaryMap;
use pieces::{masked, regroup, sizes_of};
use pumice_ir::LowerError;
use pumice_ir::{
    AtomicOp, BinaryOp, ConvertOp, Function, GroupOp, Inst, InstKind, IntCond, Module, Scalar,
    Scope, Type, Value,
};
use pumice_target::Target;
use smallvec::SmallVec;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let target = ctx.target;
    if target.has_integers(1) && target.has_integers(2) {
        return Ok(Changed::No);
    }
    let mut changed = Changed::No;
    for f in module.functions.values_mut() {
        changed |= legalize(f, target)?;
    }
    Ok(changed)
}

/// The types that an instruction had: of its first operand (of what it stores), and of its result.
#[derive(Clone, Copy, Debug, Default)]
struct Types {
    operand: Option<Type>,
    result: Option<Type>,
}

struct Small<'t> {
    target: &'t Target,
    types: SecondaryMap<Inst, Types>,
}

fn legalize(f: &mut Function, target: &Target) -> Result<Changed, LowerError> {
    let mut small = Small {
        target,
        types: SecondaryMap::new(),
    };
    let mut changed = false;
    for ty in f.params.iter_mut().chain(&mut f.results) {
        if small.is_small(ty.scalar) {
            ty.scalar = Scalar::I32;
            changed = true;
        }
    }
    if f.entry().is_none() {
        return Ok(Changed::from_bool(changed));
    }
    small.note_types(f);
    changed |= small.widen_values(f);
    let expanded = expand(f, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let types = small.types[inst];
        Ok(small.rule(x, kind, types))
    })?;
    Ok(Changed::from_bool(changed || expanded.is_yes()))
}

/// The operand whose type decides what an instruction does.
fn deciding_operand(kind: &InstKind) -> Option<Value> {
    match kind {
        InstKind::Store { value, .. } => Some(*value),
        InstKind::ICmp { args, .. } => Some(args[0]),
        InstKind::Convert { arg, .. } => Some(*arg),
        _ => None,
    }
}

impl Small<'_> {
    /// Returns whether so many bytes are less than a word, and the device lacks accesses to them or
    /// integers of that size.
    fn lacks(&self, bytes: u32) -> bool {
        bytes < 4 && !self.target.has_integers(bytes)
    }

    /// Returns whether words hold values of a type.
    fn is_small(&self, scalar: Scalar) -> bool {
        matches!(scalar, Scalar::I8 | Scalar::I16) && self.lacks(scalar.bytes())
    }

    fn note_types(&mut self, f: &Function) {
        for &block in &f.layout.blocks {
            for &inst in &f.layout.insts[block] {
                let data = &f.insts[inst];
                self.types[inst] = Types {
                    operand: deciding_operand(&data.kind).map(|value| f.ty(value)),
                    result: data.results.first().map(|&value| f.ty(value)),
                };
            }
        }
    }

    /// Makes all small values words.
    fn widen_values(&self, f: &mut Function) -> bool {
        // Whatever an undefined value is, its upper bits are zero.
        let undef = |f: &mut Function, ty: Type| {
            let zeros = std::iter::repeat_n(0, usize::from(ty.lanes)).collect();
            constant_of_its_own(f, ty, zeros)
        };
        retype(f, |ty| self.is_small(ty.scalar), Scalar::I32, undef)
    }

    /// The bits of a type whose values words hold.
    fn small_bits(&self, ty: Option<Type>) -> Option<u32> {
        let scalar = ty?.scalar;
        self.is_small(scalar).then(|| scalar.bits())
    }

    fn rule(&self, x: &mut Expander<'_>, kind: InstKind, types: Types) -> Option<Replacement> {
        match kind {
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } => {
                let ty = types.operand?;
                if !self.is_small_access(ty, align) {
                    return None;
                }
                self.store(x, (ptr, value), ty, align, flags);
                Some(Replacement::new())
            }
            kind => {
                let value = self.value(x, kind, types)?;
                Some(Replacement::from_slice(&[value]))
            }
        }
    }

    fn value(&self, x: &mut Expander<'_>, kind: InstKind, types: Types) -> Option<Value> {
        let result = types.result?;
        let bits = self.small_bits(types.result);
        match kind {
            InstKind::Load { ptr, align, flags } => self
                .is_small_access(result, align)
                .then(|| self.load(x, ptr, result, align, flags)),
            InstKind::LoadArg { offset } => self
                .lacks(result.scalar.bytes())
                .then(|| self.load_arg(x, offset, result)),
            InstKind::Unary { op, arg } => bits.map(|bits| {
                let value = x.un(op, arg);
                masked(x, value, bits / 8)
            }),
            InstKind::Binary { op, args, .. } => binary(x, op, args, bits?),
            InstKind::ICmp { cond, args } => {
                let bits = self.small_bits(types.operand)?;
                let signed = matches!(
                    cond,
                    IntCond::Slt | IntCond::Sle | IntCond::Sgt | IntCond::Sge
                );
                signed.then(|| {
                    let [a, b] = args.map(|arg| sign_extended(x, arg, bits));
                    x.icmp(cond, a, b)
                })
            }
            InstKind::Convert { op, arg, .. } => self.convert(x, op, arg, [types.operand?, result]),
            InstKind::Group { op, scope, args } => group(x, (op, scope), &args, bits?),
            _ => None,
        }
    }

    fn convert(
        &self,
        x: &mut Expander<'_>,
        op: ConvertOp,
        arg: Value,
        [from, to]: [Type; 2],
    ) -> Option<Value> {
        if op == ConvertOp::Bitcast {
            let concerned = [from, to]
                .iter()
                .any(|ty| self.is_small(ty.scalar) || ty.scalar == Scalar::F16 && self.lacks(2));
            let same = from.scalar == to.scalar;
            return (concerned && !same).then(|| {
                let pieces = self.pieces_of(x, arg, from);
                let pieces = regroup(x, &pieces, sizes_of(to));
                self.value_of(x, &pieces, to)
            });
        }
        let words = to.with_scalar(Scalar::I32);
        let (source, dest) = (self.small_bits(Some(from)), self.small_bits(Some(to)));
        if source.is_none() && dest.is_none() {
            return None;
        }
        // The number in a word, as large as it is.
        let number = match (op, source) {
            (ConvertOp::SExt | ConvertOp::SToF, Some(bits)) => sign_extended(x, arg, bits),
            _ => arg,
        };
        let Some(bits) = dest else {
            return Some(match op {
                ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc => {
                    let narrower = to.scalar.bytes() < 4;
                    let op = if narrower { ConvertOp::Trunc } else { op };
                    x.convert(op, number, to)
                }
                _ => x.convert(op, number, to),
            });
        };
        let value = match op {
            ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt => {
                let is_wider = x.ty(number).scalar.bytes() > 4;
                let op = match op {
                    _ if is_wider => ConvertOp::Trunc,
                    // From a narrower type that the device has.
                    ConvertOp::Trunc => ConvertOp::ZExt,
                    op => op,
                };
                x.convert(op, number, words)
            }
            // A signed word holds every number in range.
            ConvertOp::FToS | ConvertOp::FToU => x.convert(ConvertOp::FToS, number, words),
            _ => x.convert(op, number, words),
        };
        let kept = op == ConvertOp::ZExt && from.scalar.bytes() <= to.scalar.bytes();
        Some(match kept {
            true => value,
            false => masked(x, value, bits / 8),
        })
    }
}

/// The signed number whose low bits a word holds.
fn sign_extended(x: &mut Expander<'_>, word: Value, bits: u32) -> Value {
    let by = u64::from(32 - bits);
    let top = x.bin_const(BinaryOp::Shl, word, by);
    x.bin_const(BinaryOp::AShr, top, by)
}

fn binary(x: &mut Expander<'_>, op: BinaryOp, args: [Value; 2], bits: u32) -> Option<Value> {
    let [mut a, mut b] = args;
    match op {
        BinaryOp::UDiv
        | BinaryOp::URem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::UMin
        | BinaryOp::UMax => return None,
        BinaryOp::SMin | BinaryOp::SMax => [a, b] = args.map(|arg| sign_extended(x, arg, bits)),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            b = x.bin_const(BinaryOp::And, b, u64::from(bits - 1));
            if op == BinaryOp::AShr {
                a = sign_extended(x, a, bits);
            }
        }
        _ => {}
    }
    let value = x.bin(op, a, b);
    Some(match op {
        BinaryOp::LShr => value,
        _ => masked(x, value, bits / 8),
    })
}

/// A collective that may set bits above the number, or looks at its sign.
fn group(
    x: &mut Expander<'_>,
    (op, scope): (GroupOp, Scope),
    args: &[Value],
    bits: u32,
) -> Option<Value> {
    let mut args: SmallVec<[Value; 3]> = SmallVec::from_slice(args);
    let ty = x.ty(*args.first()?);
    let bound = match op {
        GroupOp::Arithmetic(AtomicOp::SMin, _) | GroupOp::AmdArithmetic(AtomicOp::SMin, _) => {
            Some((BinaryOp::SMin, (1u64 << (bits - 1)) - 1))
        }
        GroupOp::Arithmetic(AtomicOp::SMax, _) | GroupOp::AmdArithmetic(AtomicOp::SMax, _) => {
            Some((BinaryOp::SMax, (1u64 << (bits - 1)).wrapping_neg()))
        }
        GroupOp::Arithmetic(..) | GroupOp::AmdArithmetic(..) | GroupOp::IMul(_) => None,
        _ => return None,
    };
    if bound.is_some() {
        args[0] = sign_extended(x, args[0], bits);
    }
    let mut value = x.value(InstKind::Group { op, scope, args }, ty);
    if let Some((op, bound)) = bound {
        // A scan begins with the identity of words.
        value = x.bin_const(op, value, bound);
    }
    Some(masked(x, value, bits / 8))
}
