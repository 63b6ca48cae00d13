//! Robust mode: accesses of global memory that its object does not have go to memory of the launch's checks instead.
//!
//! The test of check mode chooses the pointer, without a branch: reads then take zeros, writes and atomics go where
//! nothing reads. An access of a variable of program scope takes the variable's start, so that it stays an access of
//! that variable for the passes behind. Copies that are long, or of unknown length, are left out by a branch.
//! Offsets that are known to be small need no test.

use super::check_memory::{Access, Size, Tests, accesses};
use super::roots::Root;
use crate::expand::{Expander, Replacement, expand};
use pumice_check::layout::{SINK, SINK_BYTES, ZEROS};
use pumice_ir::{
    AddressSpace, BinaryOp, CheckKind, ConvertOp, Function, Inst, InstKind, IntCond, LowerError,
    Type, Value, ValueDef,
};

/// The most steps on the way to an offset's origin.
const MOST_STEPS: u32 = 8;

impl Tests<'_> {
    /// Confines the accesses of an instruction.
    pub(super) fn confine(
        &mut self,
        x: &mut Expander<'_>,
        inst: Inst,
        accesses: &[Access],
    ) -> Option<Replacement> {
        let short = |access: &Access| match access.size {
            Size::Bytes(bytes) => bytes <= SINK_BYTES,
            Size::Value(_) => false,
        };
        if accesses.iter().all(short) {
            for &access in accesses {
                if let Some(pointer) = self.confined(x, access) {
                    set_pointer(&mut x.func.insts[inst].kind, access, pointer);
                }
            }
            return None;
        }
        let tests = accesses.iter().filter_map(|&access| {
            let root = self.roots.of(access.ptr);
            self.has_bytes(x, access, root)
        });
        let tests: Vec<Value> = tests.collect();
        let (&first, others) = tests.split_first()?;
        let ok = others
            .iter()
            .fold(first, |ok, &other| x.bin(BinaryOp::And, ok, other));
        Some(only_if(x, inst, ok))
    }

    /// The pointer of an access, or one to other memory; `None` if it needs no choice.
    fn confined(&mut self, x: &mut Expander<'_>, access: Access) -> Option<Value> {
        let root = self.roots.of(access.ptr);
        let ok = self.has_bytes(x, access, root)?;
        let Size::Bytes(bytes) = access.size else {
            return None;
        };
        let ty = x.ty(access.ptr);
        if let Some(Root::Variable(global)) = root {
            let data = &self.globals[global];
            if data.size >= bytes && ty == Type::ptr(data.space) {
                let (offset, zero) = (self.offsets.of(access.ptr), x.func.i64(0));
                let offset = x.select(ok, offset, zero);
                let base = x.value(InstKind::GlobalAddr { global }, ty);
                return Some(x.value(InstKind::PtrAdd { base, offset }, ty));
            }
        }
        let other = match access.kind {
            CheckKind::Read => x.offset(self.memory, ZEROS),
            _ => x.offset(self.memory, SINK),
        };
        let other = match x.ty(other) == ty {
            true => other,
            false => x.convert(ConvertOp::AddressSpaceCast, other, ty),
        };
        Some(x.select(ok, access.ptr, other))
    }

    /// True if the access's object has its bytes; `None` if that is known, or decided where the access is emitted.
    fn has_bytes(
        &mut self,
        x: &mut Expander<'_>,
        access: Access,
        root: Option<Root>,
    ) -> Option<Value> {
        let space = x.ty(access.ptr).address_space()?;
        if matches!(space, AddressSpace::Local | AddressSpace::Private) {
            return None;
        }
        if let (Some(root), Size::Bytes(bytes)) = (root, access.size) {
            let offset = most(x.func, self.offsets.of(access.ptr), MOST_STEPS);
            let end = offset.and_then(|offset| offset.checked_add(bytes));
            // The size of an argument counts as 0.
            if end.is_some_and(|end| end <= self.object_size(x.func, root)) {
                return None;
            }
        }
        let value = self.number(x, access.ptr, root);
        let size = match access.size {
            Size::Bytes(bytes) => x.func.i64(bytes as i64),
            Size::Value(size) => size,
        };
        self.within(x, access, root, value, size)
    }
}

/// Confines the accesses through some pointers to the memory of `bytes` bytes, 128 or more, that `base` points to; `base`
/// dominates them all.
///
/// # Errors
/// Never.
pub(crate) fn confine_to(
    func: &mut Function,
    base: Value,
    bytes: u64,
    is_inside: impl Fn(Value) -> bool,
) -> Result<(), LowerError> {
    let _ = expand(func, |x, inst| {
        let mut fits: Option<Value> = None;
        for access in accesses(x.func, inst) {
            if !is_inside(access.ptr) {
                continue;
            }
            let [at, start] =
                [access.ptr, base].map(|ptr| x.convert(ConvertOp::PtrToInt, ptr, Type::I64));
            let offset = x.bin(BinaryOp::ISub, at, start);
            match access.size {
                Size::Bytes(size) if size <= bytes => {
                    let ok = x.icmp_const(IntCond::Ule, offset, bytes - size);
                    let pointer = x.select(ok, access.ptr, base);
                    set_pointer(&mut x.func.insts[inst].kind, access, pointer);
                }
                size => {
                    let size = match size {
                        Size::Bytes(size) => x.func.i64(size as i64),
                        Size::Value(size) => size,
                    };
                    let begins = x.icmp_const(IntCond::Ule, offset, bytes);
                    let all = x.func.i64(bytes as i64);
                    let left = x.bin(BinaryOp::ISub, all, offset);
                    let short = x.icmp(IntCond::Ule, size, left);
                    let ok = x.bin(BinaryOp::And, begins, short);
                    fits = Some(match fits {
                        None => ok,
                        Some(other) => x.bin(BinaryOp::And, other, ok),
                    });
                }
            }
        }
        Ok(fits.map(|ok| only_if(x, inst, ok)))
    })?;
    Ok(())
}

/// An instruction without results, if a condition holds.
fn only_if(x: &mut Expander<'_>, inst: Inst, ok: Value) -> Replacement {
    let kind = x.func.insts[inst].kind.clone();
    x.when(ok, |x| {
        x.emit(kind, &[]);
    });
    Replacement::new()
}

/// Gives an instruction another pointer for one of its accesses.
fn set_pointer(kind: &mut InstKind, access: Access, pointer: Value) {
    match kind {
        InstKind::Load { ptr, .. }
        | InstKind::Store { ptr, .. }
        | InstKind::AtomicLoad { ptr, .. }
        | InstKind::AtomicStore { ptr, .. }
        | InstKind::AtomicRmw { ptr, .. }
        | InstKind::AtomicCmpXchg { ptr, .. } => *ptr = pointer,
        InstKind::MemCopy { src, .. } if access.kind == CheckKind::Read => *src = pointer,
        InstKind::MemCopy { dst, .. } => *dst = pointer,
        _ => {}
    }
}

/// The greatest number that an integer can be, as an unsigned one; `None` where nothing is known.
fn most(func: &Function, value: Value, steps: u32) -> Option<u64> {
    if let Some(bits) = func.const_bits(value) {
        return Some(bits);
    }
    let ValueDef::Result(inst, _) = *func.def(value) else {
        return None;
    };
    let bits = func.ty(value).scalar.bits();
    let all = u64::MAX.checked_shr(64 - bits)?;
    let steps = steps.checked_sub(1)?;
    let of = |value| most(func, value, steps);
    let found = match func.insts[inst].kind {
        InstKind::Convert { op, arg, .. } => {
            let from = func.ty(arg).scalar.bits();
            let known = of(arg);
            match op {
                ConvertOp::ZExt => Some(known.unwrap_or(u64::MAX.checked_shr(64 - from)?)),
                // A number without its sign bit is the same in more bits.
                ConvertOp::SExt => known.filter(|&most| most >> (from - 1) == 0),
                ConvertOp::Trunc => known.filter(|&most| most <= all),
                _ => None,
            }
        }
        InstKind::Binary {
            op, args: [a, b], ..
        } => match op {
            BinaryOp::And => match (of(a), of(b)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (one, other) => one.or(other),
            },
            BinaryOp::URem => of(b).and_then(|most| most.checked_sub(1)),
            BinaryOp::LShr => {
                let count = func.const_bits(b)?;
                of(a).unwrap_or(all).checked_shr(count as u32)
            }
            BinaryOp::Shl => {
                let (most, count) = (of(a)?, func.const_bits(b)?);
                1u64.checked_shl(count as u32)?.checked_mul(most)
            }
            BinaryOp::IMul => of(a)?.checked_mul(of(b)?),
            BinaryOp::IAdd => of(a)?.checked_add(of(b)?),
            _ => None,
        },
        InstKind::Select { then, other, .. } => Some(of(then)?.max(of(other)?)),
        _ => None,
    };
    found.filter(|&most| most <= all)
}
