//! Scalar replacement: private variables leave memory.
//!
//! Each round finds the slots whose every use is known ([`super::slots`]), turns copies of
//! them into typed loads and stores, and makes SSA values of their pieces
//! ([`super::mem2reg`]). Pointers kept in slots become plain values that way, which may free
//! the slots that they point to: rounds go on until nothing more is found. Indices that are computed
//! from constants are folded once nothing else is left, except under checks, which test the indices
//! of the source.

use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::{fold, mem2reg};
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::slots::{Address, Pieces, Uses};
use pumice_ir::{
    AccessFlags, Cfg, Function, Inst, InstKind, LowerError, Scalar, SourceLoc, StackSlot, Type,
    Value, align_at,
};
use rustc_hash::FxHashSet;

/// Bound on what [`propagate`] collects; beyond it copies are left alone.
const MAX_RANGES: usize = 20_000;

/// Promotes the private variables of one function.
///
/// # Errors
/// Variables whose values take too much memory or time.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    let folds = !ctx.options.math.opt_disable && !ctx.target.checks.any();
    if func.slots.is_empty() {
        return Ok(changed);
    }
    let mut cfg = Cfg::new(func);
    loop {
        let mut uses = Uses::new(func, &cfg);
        if !uses.copies.is_empty() {
            if expand_copies(func, &uses).is_yes() {
                changed = Changed::Yes;
                uses = Uses::new(func, &cfg);
            }
            // What is still copied as a block stays in memory.
            escape_copies(&mut uses, func);
        }
        let pieces = Pieces::new(func, &uses);
        if pieces.data.is_empty() {
            if folds && has_computed_index(func, &cfg, &uses) && fold::run(func, ctx).is_yes() {
                changed = Changed::Yes;
                cfg = Cfg::new(func);
                continue;
            }
            return Ok(changed);
        }
        mem2reg::promote(func, &cfg, &uses, &pieces, ctx.target.zero_private)?;
        changed = Changed::Yes;
        if func.slots.keys().all(|slot| pieces.of_slot[slot].is_some()) {
            return Ok(changed);
        }
    }
}

/// Instructions between an index and the constants that it is computed from.
const INDEX_STEPS: u32 = 8;

/// Returns whether a slot is addressed at an index that is computed from constants alone.
fn has_computed_index(func: &Function, cfg: &Cfg, uses: &Uses) -> bool {
    let blocks = cfg.reverse_postorder().iter();
    let mut insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts.any(|&inst| match func.insts[inst].kind {
        InstKind::PtrAdd { base, offset } => {
            uses.is_slot_address(base)
                && func.const_bits(offset).is_none()
                && is_made_of_constants(func, offset, INDEX_STEPS)
        }
        _ => false,
    })
}

fn is_made_of_constants(func: &Function, value: Value, steps: u32) -> bool {
    let (Some(inst), true) = (func.def_inst(value), steps > 0) else {
        return func.const_bits(value).is_some();
    };
    let kind = &func.insts[inst].kind;
    let mut all = matches!(
        kind,
        InstKind::Unary { .. } | InstKind::Binary { .. } | InstKind::Convert { .. }
    );
    if all {
        kind.for_each_value(|operand| all = all && is_made_of_constants(func, operand, steps - 1));
    }
    all
}

type Ranges = SecondaryMap<StackSlot, Vec<(u32, Type)>>;

/// The operands of a copy.
#[derive(Clone, Copy)]
struct Copy {
    dst: Value,
    src: Value,
    size: u64,
    dst_align: u32,
    src_align: u32,
}

fn copy_of(func: &Function, inst: Inst) -> Option<Copy> {
    match func.insts[inst].kind {
        InstKind::MemCopy {
            dst,
            src,
            size,
            dst_align,
            src_align,
            ..
        } => Some(Copy {
            dst,
            src,
            size: func.const_bits(size)?,
            dst_align,
            src_align,
        }),
        _ => None,
    }
}

/// Replaces copies from or to slots that may leave memory by loads and stores.
fn expand_copies(func: &mut Function, uses: &Uses) -> Changed {
    let mut ranges = uses.ranges();
    // A slot that stays is memory like any other.
    let promotable = |ptr: Value| {
        uses.address(ptr)
            .filter(|address| !uses.stays(address.slot))
    };
    // A copy into memory reads every byte of its source.
    for copy in uses.copies.iter().filter_map(|&inst| copy_of(func, inst)) {
        if let (None, Some(src)) = (promotable(copy.dst), promotable(copy.src)) {
            let mut parts = Vec::new();
            within(&ranges[src.slot], src, copy.size, &mut parts);
            for (offset, ty) in cover(parts, &copy, true) {
                add_range(&mut ranges, src, offset, ty);
            }
        }
    }
    if !propagate(func, uses, &mut ranges) {
        return Changed::No;
    }
    let expand: FxHashSet<Inst> = uses
        .copies
        .iter()
        .copied()
        .filter(|&inst| {
            copy_of(func, inst).is_some_and(|copy| {
                promotable(copy.dst).is_some() || promotable(copy.src).is_some()
            })
        })
        .collect();
    if expand.is_empty() {
        return Changed::No;
    }
    for block in func.layout.blocks.clone() {
        if !func.layout.insts[block]
            .iter()
            .any(|inst| expand.contains(inst))
        {
            continue;
        }
        let old = std::mem::take(&mut func.layout.insts[block]);
        let mut new = Vec::with_capacity(old.len() + 8);
        for inst in old {
            let copy = copy_of(func, inst).filter(|_| expand.contains(&inst));
            let Some(copy) = copy else {
                new.push(inst);
                continue;
            };
            let (dst, src) = (promotable(copy.dst), promotable(copy.src));
            let mut parts = Vec::new();
            for address in [dst, src].into_iter().flatten() {
                within(&ranges[address.slot], address, copy.size, &mut parts);
            }
            let parts = cover(parts, &copy, dst.is_none());
            let loc = func.insts[inst].loc;
            for (offset, ty) in parts {
                emit_part(func, &mut new, &copy, offset, ty, loc);
            }
        }
        func.layout.insts[block] = new;
    }
    Changed::Yes
}

/// Carries the ranges that are read of copies' targets to their sources until nothing is new. False
/// if there is too much of it.
fn propagate(func: &Function, uses: &Uses, ranges: &mut Ranges) -> bool {
    let mut total = 0;
    loop {
        let mut grown = false;
        for &inst in &uses.copies {
            let Some(copy) = copy_of(func, inst) else {
                continue;
            };
            let (Some(dst), Some(src)) = (uses.address(copy.dst), uses.address(copy.src)) else {
                continue;
            };
            let mut found = Vec::new();
            within(&ranges[dst.slot], dst, copy.size, &mut found);
            for (offset, ty) in found {
                if add_range(ranges, src, offset, ty) {
                    grown = true;
                    total += 1;
                }
            }
            if total > MAX_RANGES {
                return false;
            }
        }
        if !grown {
            return true;
        }
    }
}

/// Adds a range `offset` bytes behind an address; false if it was there.
fn add_range(ranges: &mut Ranges, address: Address, offset: u32, ty: Type) -> bool {
    let range = ((address.offset + i64::from(offset)) as u32, ty);
    match ranges[address.slot].binary_search(&range) {
        Ok(_) => false,
        Err(at) => {
            ranges[address.slot].insert(at, range);
            true
        }
    }
}

/// The ranges inside `size` bytes at an address, relative to it. What sticks out is cut to
/// lanes, and lanes that stick out to bytes.
fn within(ranges: &[(u32, Type)], address: Address, size: u64, out: &mut Vec<(u32, Type)>) {
    let (start, end) = (address.offset, address.offset + size as i64);
    let mut add = |offset: i64, ty: Type| {
        let inside = offset >= start && offset + i64::from(ty.access_bytes()) <= end;
        if inside {
            out.push(((offset - start) as u32, ty));
        }
        inside
    };
    for &(offset, ty) in ranges {
        let offset = i64::from(offset);
        if offset >= end || offset + i64::from(ty.access_bytes()) <= start || add(offset, ty) {
            continue;
        }
        let bytes = i64::from(ty.scalar.bytes());
        for lane in 0..i64::from(ty.lanes) {
            let at = offset + lane * bytes;
            if at < end && at + bytes > start && !add(at, ty.lane()) {
                for byte in at..at + bytes {
                    add(byte, Type::I8);
                }
            }
        }
    }
}

/// Chooses the parts to move: large ones first, smaller ones only where they add bytes; with
/// `fill`, every byte is moved.
fn cover(mut parts: Vec<(u32, Type)>, copy: &Copy, fill: bool) -> Vec<(u32, Type)> {
    parts.sort_by_key(|&(offset, ty)| (std::cmp::Reverse(ty.access_bytes()), offset, ty));
    let mut covered = vec![false; copy.size as usize];
    let mut chosen = Vec::new();
    for (offset, ty) in parts {
        let bytes = &mut covered[offset as usize..(offset + ty.access_bytes()) as usize];
        if bytes.iter().any(|done| !done) {
            bytes.fill(true);
            chosen.push((offset, ty));
        }
    }
    if fill {
        let align = copy.dst_align.min(copy.src_align).min(8);
        let mut at = 0;
        while at < covered.len() {
            if covered[at] {
                at += 1;
                continue;
            }
            let free = covered[at..].iter().take_while(|done| !**done).count();
            let mut width = align as usize;
            while width > free || at % width != 0 {
                width /= 2;
            }
            let scalar = Scalar::int_of_bits(width as u32 * 8).unwrap_or(Scalar::I8);
            chosen.push((at as u32, Type::scalar(scalar)));
            at += width;
        }
    }
    chosen.sort_unstable();
    chosen
}

fn emit_part(
    func: &mut Function,
    out: &mut Vec<Inst>,
    copy: &Copy,
    offset: u32,
    ty: Type,
    loc: SourceLoc,
) {
    let mut at = |func: &mut Function, base: Value| {
        if offset == 0 {
            return base;
        }
        let (by, ptr_ty) = (func.i64(i64::from(offset)), func.ty(base));
        let inst = func.make_inst(InstKind::PtrAdd { base, offset: by }, &[ptr_ty], loc);
        out.push(inst);
        func.result(inst)
    };
    let (src, dst) = (at(func, copy.src), at(func, copy.dst));
    let load = func.make_inst(
        InstKind::Load {
            ptr: src,
            align: align_at(copy.src_align, offset.into()),
            flags: AccessFlags::empty(),
        },
        &[ty],
        loc,
    );
    let value = func.result(load);
    let store = func.make_inst(
        InstKind::Store {
            ptr: dst,
            value,
            align: align_at(copy.dst_align, offset.into()),
            flags: AccessFlags::empty(),
        },
        &[],
        loc,
    );
    out.extend([load, store]);
}

/// Copies that nobody expanded keep their slots in memory.
fn escape_copies(uses: &mut Uses, func: &Function) {
    for inst in std::mem::take(&mut uses.copies) {
        if let Some(copy) = copy_of(func, inst) {
            for ptr in [copy.dst, copy.src] {
                if let Some(address) = uses.address(ptr) {
                    uses.escaped[address.slot] = true;
                }
            }
        }
    }
}
