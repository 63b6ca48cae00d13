//! Vectors of three bytes or shorts are loaded and stored with the lane that pads them.
//!
//! In memory they take as much as those of four (OpenCL C 6.3.5), and no other object has the fourth lane. An access of four is one
//! of a word, or of two, where one of three is three. The lane is unspecified afterwards, as with compilers built on clang.
//! Only accesses that are aligned as such a vector are taken: what `vstore3` writes is aligned as its lanes, and nothing is added to
//! that before this pass.

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::{AddressSpace, Function, Inst, InstKind, Type, Value};

/// Runs the pass. Takes time that is linear in the number of instructions.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    let mut changed = Changed::No;
    // These follow each byte.
    if ctx.target.checks.any() {
        return changed;
    }
    for block in func.layout.blocks.clone() {
        let is_any = (func.layout.insts[block].iter()).any(|&inst| access(func, inst).is_some());
        if !is_any {
            continue;
        }
        let mut kept = Vec::new();
        for inst in std::mem::take(&mut func.layout.insts[block]) {
            match access(func, inst) {
                Some(ty) => pad(func, inst, ty, &mut kept),
                None => kept.push(inst),
            }
        }
        func.layout.insts[block] = kept;
        changed = Changed::Yes;
    }
    changed
}

/// The type of a vector of three bytes or shorts that an instruction loads or stores, with its padding.
fn access(func: &Function, inst: Inst) -> Option<Type> {
    let access = MemoryAccess::of(func, inst)?;
    let MemoryAccess {
        ty, align, flags, ..
    } = access;
    let space = access.space(func);
    let is_outside = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
    let is_small = ty.lanes == 3 && ty.scalar.bytes() <= 2;
    let is_element = align >= ty.alloc_bytes();
    (is_outside && is_small && is_element && flags.is_plain()).then(|| Type::vector(ty.scalar, 4))
}

/// Makes an access one of four lanes.
fn pad(func: &mut Function, inst: Inst, ty: Type, kept: &mut Vec<Inst>) {
    let loc = func.insts[inst].loc;
    let lanes = |value: Value, padding: bool| InstKind::Shuffle {
        args: [value; 2],
        mask: (0..3).map(Some).chain(padding.then_some(None)).collect(),
    };
    match func.insts[inst].kind.clone() {
        InstKind::Store {
            ptr,
            value,
            align,
            flags,
        } => {
            let padded = func.make_inst(lanes(value, true), &[ty], loc);
            let value = func.result(padded);
            func.insts[inst].kind = InstKind::Store {
                ptr,
                value,
                align,
                flags,
            };
            kept.extend([padded, inst]);
        }
        load => {
            let padded = func.make_inst(load, &[ty], loc);
            func.insts[inst].kind = lanes(func.result(padded), false);
            kept.extend([padded, inst]);
        }
    }
}
