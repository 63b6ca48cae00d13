//! Structures passed by value are read where the arguments lie, if nothing writes to them.
//!
//! `lower_kernel_args` fills a private copy of a structure at the kernel's start. One with an array that is read at a computed
//! place stays in memory after scalar replacement: registers, or memory of each work-item, filled by a copy. Its loads may as
//! well read the argument block, as vendors' compilers let them.
//!
//! Only blocks in buffers are read so: indices into push constants that differ between work-items are beyond some drivers.
//! In robust mode and under checks copies stay, since private memory is confined and followed, and arguments are not.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx, FunctionCtx};
use crate::passes::lower::loop_arg_copies::{WordCopy, copied_words};
use crate::passes::optimize::dce;
use pumice_ir::analysis::AddressZeros;
use pumice_ir::analysis::slots::{SlotAddress, SlotAddresses};
use pumice_ir::{
    ArgLayout, BinaryOp, Cfg, ConvertOp, Function, Inst, InstKind, LowerError, Module, Scalar,
    StackSlot, Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    if ctx.target.checks.any() {
        return Ok(changed);
    }
    let in_buffers = module.kernels.iter().filter(|kernel| {
        ArgLayout::of(kernel, &ctx.target.abi).size > ctx.target.max_push_constants_size
    });
    for id in in_buffers.map(|kernel| kernel.func).collect::<Vec<_>>() {
        let func = &mut module.functions[id];
        let Some(in_place) = InPlace::find(func) else {
            continue;
        };
        changed |= expand(func, |x, inst| Ok(in_place.rewrite(x, inst)))?;
        // The words that were read one by one, and the addresses.
        let ctx = FunctionCtx {
            target: ctx.target,
            options: ctx.options,
            globals: &module.globals,
        };
        let _ = dce::run(&mut module.functions[id], &ctx);
    }
    Ok(changed)
}

/// The variables of a kernel that are read in the argument block.
struct InPlace {
    /// The byte offset in the argument block at which each begins.
    places: FxHashMap<StackSlot, u32>,
    addresses: SlotAddresses,
}

impl InPlace {
    /// Finds those that only ever hold what was passed, and are read at a place that is not constant, if there are any.
    fn find(func: &Function) -> Option<Self> {
        let mut places = FxHashMap::default();
        let mut out = FxHashSet::default();
        let mut copied = FxHashSet::default();
        for WordCopy {
            inst,
            slot,
            to,
            from,
        } in copied_words(func)
        {
            copied.insert(inst);
            match from.checked_sub(to) {
                Some(place) if *places.entry(slot).or_insert(place) == place => {}
                _ => {
                    out.insert(slot);
                }
            }
        }
        if places.is_empty() {
            return None;
        }
        let cfg = Cfg::new(func);
        let addresses = SlotAddresses::of(func, &cfg);
        let zeros = AddressZeros::of(func);
        let mut wanted = FxHashSet::default();
        let blocks = cfg.reverse_postorder().iter();
        for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
            let kind = &func.insts[inst].kind;
            match *kind {
                InstKind::PtrAdd { .. } => {}
                InstKind::Load { ptr, flags, .. } => {
                    let Some(SlotAddress { slot, offset }) = addresses.get(ptr) else {
                        continue;
                    };
                    let ty = func.ty(func.result(inst));
                    let words = is_words(ty) && zeros.alignment(ptr, 4) == 4;
                    if !flags.is_plain() || !words {
                        out.insert(slot);
                    } else if offset.is_none() {
                        wanted.insert(slot);
                    }
                }
                InstKind::Store { .. } if copied.contains(&inst) => {}
                _ => kind.for_each_value(|value| {
                    out.extend(addresses.get(value).map(|address| address.slot));
                }),
            }
        }
        places.retain(|slot, _| wanted.contains(slot) && !out.contains(slot));
        (!places.is_empty()).then_some(InPlace { places, addresses })
    }

    /// Replaces a load of a variable, and removes the copy into it.
    fn rewrite(&self, x: &mut Expander<'_>, inst: Inst) -> Option<Replacement> {
        match x.func.insts[inst].kind {
            InstKind::Store { ptr, .. } => {
                let SlotAddress { slot, .. } = self.addresses.get(ptr)?;
                self.places.contains_key(&slot).then(Replacement::new)
            }
            InstKind::Load { ptr, .. } => {
                let SlotAddress { slot, offset } = self.addresses.get(ptr)?;
                let place = *self.places.get(&slot)?;
                let ty = x.ty(x.func.result(inst));
                let size = x.func.slots[slot].size;
                let inside = |at: &u32| {
                    let end = at.checked_add(ty.access_bytes());
                    end.is_some_and(|end| end <= size)
                };
                let constant = offset.and_then(|at| u32::try_from(at).ok());
                if let Some(at) = constant.filter(inside) {
                    let offset = place + at;
                    let value = x.value(InstKind::LoadArg { offset }, ty);
                    return Some(Replacement::from_elem(value, 1));
                }
                let bytes = bytes_into(x, ptr);
                let low = x.convert(ConvertOp::Trunc, bytes, Type::I32);
                let index = x.bin_const(BinaryOp::LShr, low, 2);
                Some(Replacement::from_elem(read(x, place, index, ty), 1))
            }
            _ => None,
        }
    }
}

/// Returns whether a value is made of whole words, of which every lane is one or two.
fn is_words(ty: Type) -> bool {
    matches!(
        ty.scalar,
        Scalar::I32 | Scalar::F32 | Scalar::I64 | Scalar::F64
    )
}

/// The bytes between a variable's start and an address in it.
fn bytes_into(x: &mut Expander<'_>, mut address: Value) -> Value {
    let mut sum = x.func.i64(0);
    while let Some(inst) = x.func.def_inst(address) {
        let InstKind::PtrAdd { base, offset } = x.func.insts[inst].kind else {
            break;
        };
        sum = match x.func.const_bits(sum) {
            Some(0) => offset,
            _ => x.bin(BinaryOp::IAdd, sum, offset),
        };
        address = base;
    }
    sum
}

/// Reads a value of words from word `index` behind a place in the argument block on.
fn read(x: &mut Expander<'_>, place: u32, index: Value, ty: Type) -> Value {
    let words: Vec<Value> = (0..ty.scalar.bytes() / 4 * u32::from(ty.lanes))
        .map(|at| {
            let offset = place + 4 * at;
            x.value(InstKind::LoadArgWord { offset, index }, Type::I32)
        })
        .collect();
    x.of_words(&words, ty)
}
