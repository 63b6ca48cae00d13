//! Vectors of small lanes are loaded and stored as words, for drivers that gather a vector's
//! components one by one for each work-item
//! ([`QuirkKind::VectorsByWords`](pumice_target::QuirkKind::VectorsByWords)).
//!
//! A `float4` aligned to 8 is two 64-bit words, a `uchar4` aligned to 4 one 32-bit word: half or
//! a quarter of the gathers. Words are as wide as the alignment allows, 64 bits at most; bit
//! casts join them to the vectors. Local memory is accessed so only if all of the function's
//! accesses to it can be: otherwise its arrays have narrower elements, and words are pieced
//! together; in a buffer they have no elements. Private memory is left alone.

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::{
    AccessFlags, AddressSpace, ConvertOp, Function, Inst, InstKind, Scalar, Type, align_at,
};
use smallvec::SmallVec;

/// Widens the accesses of one function.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    if ctx.target.abi.descriptors().is_some() {
        return Changed::No;
    }
    let local = ctx.target.keeps_local_in_buffers() || local_words(func);
    let mut changed = Changed::No;
    for block in func.layout.blocks.clone() {
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let words = MemoryAccess::of(func, inst).and_then(|access| {
                let wanted = match access.space(func) {
                    Some(AddressSpace::Global | AddressSpace::Constant) => true,
                    Some(AddressSpace::Local) => local,
                    _ => false,
                };
                wanted.then(|| words(&access)).flatten()
            });
            let Some(words) = words else {
                kept.push(inst);
                continue;
            };
            changed = Changed::Yes;
            widen(func, inst, words, &mut kept);
        }
        func.layout.insts[block] = kept;
    }
    changed
}

/// The words that a load or store can be made of, if they are wider than its lanes.
fn words(access: &MemoryAccess) -> Option<Type> {
    let MemoryAccess {
        ty, align, flags, ..
    } = *access;
    if flags.contains(AccessFlags::VOLATILE) || ty.scalar.is_ptr() || ty.scalar == Scalar::Bool {
        return None;
    }
    let lane = ty.scalar.bytes();
    let bytes = lane * u32::from(ty.lanes);
    let of_width = |width: u32| width > lane && width <= align && bytes % width == 0;
    let scalar = [(8, Scalar::I64), (4, Scalar::I32), (2, Scalar::I16)]
        .into_iter()
        .find(|&(width, _)| of_width(width))?
        .1;
    Some(Type::vector(scalar, (bytes / scalar.bytes()) as u8))
}

/// Returns whether all accesses to local memory can be words of one width.
fn local_words(func: &Function) -> bool {
    let mut all: Option<Scalar> = None;
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            let mut local = false;
            kind.for_each_value(|value| {
                local |= func.ty(value).address_space() == Some(AddressSpace::Local);
            });
            if !local || matches!(kind, InstKind::PtrAdd { .. }) {
                continue;
            }
            let found = match MemoryAccess::of(func, inst) {
                Some(access) if access.space(func) == Some(AddressSpace::Local) => words(&access),
                // Atomics, calls, casts, pointers stored and compared.
                _ => None,
            };
            match found {
                Some(words) if all.is_none_or(|scalar| scalar == words.scalar) => {
                    all = Some(words.scalar);
                }
                _ => return false,
            }
        }
    }
    all.is_some()
}

/// Takes accesses of global and constant memory apart whose lanes make no words, into an access of each.
pub fn take_apart(func: &mut Function) {
    for block in func.layout.blocks.clone() {
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            match MemoryAccess::of(func, inst).filter(|access| is_apart(func, access)) {
                Some(access) => lanes(func, inst, &access, &mut kept),
                None => kept.push(inst),
            }
        }
        func.layout.insts[block] = kept;
    }
}

/// Returns whether an access is taken apart.
fn is_apart(func: &Function, access: &MemoryAccess) -> bool {
    let outside = matches!(
        access.space(func),
        Some(AddressSpace::Global | AddressSpace::Constant)
    );
    let is_small = access.ty.lanes > 1 && access.ty.scalar.bytes() < 8;
    outside && is_small && AccessFlags::READ_ONLY.contains(access.flags) && words(access).is_none()
}

/// Puts an access of each lane in the place of `inst`.
fn lanes(func: &mut Function, inst: Inst, access: &MemoryAccess, block: &mut Vec<Inst>) {
    let MemoryAccess { ty, flags, .. } = *access;
    let loc = func.insts[inst].loc;
    let lane_ty = Type::scalar(ty.scalar);
    let mut make = |func: &mut Function, kind: InstKind, results: &[Type]| {
        let made = func.make_inst(kind, results, loc);
        block.push(made);
        made
    };
    let mut loaded = SmallVec::new();
    for lane in 0..ty.lanes {
        let distance = u32::from(lane) * ty.scalar.bytes();
        let offset = func.i64(i64::from(distance));
        let base = access.ptr;
        let ptr_ty = func.ty(base);
        let add = make(func, InstKind::PtrAdd { base, offset }, &[ptr_ty]);
        let ptr = func.result(add);
        let align = align_at(access.align, distance.into());
        if let Some(vector) = access.stored {
            let extract = make(func, InstKind::Extract { vector, lane }, &[lane_ty]);
            let value = func.result(extract);
            let store = InstKind::Store {
                ptr,
                value,
                align,
                flags,
            };
            make(func, store, &[]);
        } else {
            let load = make(func, InstKind::Load { ptr, align, flags }, &[lane_ty]);
            loaded.push(func.result(load));
        }
    }
    if access.stored.is_none() {
        func.insts[inst].kind = InstKind::Build { lanes: loaded };
        block.push(inst);
    }
}

/// Puts the access in words in the place of `inst`, with the bit cast that it needs.
fn widen(func: &mut Function, inst: Inst, words: Type, block: &mut Vec<Inst>) {
    let loc = func.insts[inst].loc;
    let cast = |arg| InstKind::Convert {
        op: ConvertOp::Bitcast,
        arg,
        rounding: None,
    };
    let mut kind = func.insts[inst].kind.clone();
    if let InstKind::Store { value, .. } = &mut kind {
        let made = func.make_inst(cast(*value), &[words], loc);
        *value = func.result(made);
        func.insts[inst].kind = kind;
        block.extend([made, inst]);
    } else {
        let load = func.make_inst(kind, &[words], loc);
        func.insts[inst].kind = cast(func.result(load));
        block.extend([load, inst]);
    }
}
