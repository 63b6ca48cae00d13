//! Values that are used where their definition no longer dominates go through private variables.
//!
//! A pass that gives blocks new predecessors calls this, and scalar replacement afterwards.

use crate::expand::{Expander, Replacement, expand};
use crate::passes::check::code::{load_slot, store_slot};
use pumice_ir::{
    Block, Cfg, ConvertOp, DomTree, Function, Inst, InstKind, IntCond, LowerError, Scalar,
    StackSlot, StackSlotData, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// Moves instructions without operands whose result never changes to the function's start, where they dominate all.
pub(super) fn hoist_constants(func: &mut Function) {
    let Some(entry) = func.entry() else { return };
    let mut hoisted: Vec<Inst> = Vec::new();
    for block in func.layout.blocks.clone() {
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let (constant, rest): (Vec<Inst>, Vec<Inst>) = insts
            .into_iter()
            .partition(|&inst| is_constant(&func.insts[inst].kind));
        hoisted.extend(constant);
        func.layout.insts[block] = rest;
    }
    func.layout.insts[entry].splice(0..0, hoisted);
}

/// Returns whether an instruction is one of these.
pub(super) fn is_constant(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::StackAddr { .. }
            | InstKind::GlobalAddr { .. }
            | InstKind::LoadArg { .. }
            | InstKind::LocalArg { .. }
            | InstKind::HandleArg { .. }
            | InstKind::HandleInfo { .. }
            | InstKind::BuiltIn { .. }
    )
}

/// Makes definitions dominate uses again.
///
/// # Errors
/// Never.
pub(super) fn demote(func: &mut Function) -> Result<(), LowerError> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let blocks = func.inst_blocks();
    let home = |func: &Function, value: Value| match *func.def(value) {
        ValueDef::Result(inst, _) => blocks[inst],
        ValueDef::Param(block, _) => Some(block),
        _ => None,
    };
    let mut slots: FxHashMap<Value, StackSlot> = FxHashMap::default();
    for &block in cfg.reverse_postorder() {
        for inst in func.layout.insts[block].clone() {
            let mut far: Vec<Value> = Vec::new();
            func.insts[inst].kind.for_each_value(|value| {
                if home(func, value).is_some_and(|home| !dom.dominates(home, block)) {
                    far.push(value);
                }
            });
            for value in far {
                let ty = in_memory(func.ty(value));
                let size = ty.alloc_bytes().next_multiple_of(4);
                let align = ty.alloc_bytes().next_power_of_two().max(4);
                slots
                    .entry(value)
                    .or_insert_with(|| func.slots.push(StackSlotData::new(size, align)));
            }
        }
    }
    if slots.is_empty() {
        return Ok(());
    }
    let first: FxHashMap<Inst, Block> = (cfg.reverse_postorder().iter())
        .filter_map(|&block| Some((*func.layout.insts[block].first()?, block)))
        .collect();
    // Values that were defined by the instruction before.
    let mut fresh: Vec<Value> = Vec::new();
    let mut own: FxHashMap<Value, Block> = FxHashMap::default();
    for &value in slots.keys() {
        own.extend(home(func, value).map(|home| (value, home)));
    }
    let _ = expand(func, |x, inst| {
        if let Some(&block) = first.get(&inst) {
            fresh.extend(x.func.blocks[block].params.iter());
        }
        for value in fresh.drain(..) {
            if let Some(&slot) = slots.get(&value) {
                store(x, slot, value);
            }
        }
        let block = blocks[inst];
        let mut kind = x.func.insts[inst].kind.clone();
        let mut loaded: FxHashMap<Value, Value> = FxHashMap::default();
        kind.for_each_value_mut(|operand| {
            let value = *operand;
            let is_of_other_block = own.get(&value).copied() != block;
            let slot = slots.get(&value).filter(|_| is_of_other_block);
            if let Some(&slot) = slot {
                *operand = *loaded.entry(value).or_insert_with(|| load(x, slot, value));
            }
        });
        x.func.insts[inst].kind = kind;
        fresh.extend(x.func.insts[inst].results.iter());
        Ok(None::<Replacement>)
    })?;
    Ok(())
}

/// The type of a value in memory.
fn in_memory(ty: Type) -> Type {
    match ty.scalar {
        Scalar::Bool => ty.with_scalar(Scalar::I32),
        _ => ty,
    }
}

fn store(x: &mut Expander<'_>, slot: StackSlot, value: Value) {
    let ty = in_memory(x.ty(value));
    let value = x.convert(ConvertOp::ZExt, value, ty);
    store_slot(x, slot, value);
}

fn load(x: &mut Expander<'_>, slot: StackSlot, like: Value) -> Value {
    let ty = x.ty(like);
    let value = load_slot(x, slot, in_memory(ty));
    match ty.scalar {
        Scalar::Bool => x.icmp_const(IntCond::Ne, value, 0),
        _ => value,
    }
}
