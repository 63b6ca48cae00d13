//! Gives a kernel a second way.

use super::elements::{Condition, DIMS, Source, id};
use super::find::Exchange;
use crate::rewrite::{Copies, Replacements};
use pumice_ir::{
    BinaryOp, Block, BlockCall, BuiltIn, FloatFlags, Function, Inst, InstKind, IntCond, Scalar,
    SourceLoc, Type, Value,
};
use rustc_hash::FxHashMap;

/// Puts a branch before a kernel's function: to the function as it is, or to a copy without local memory.
pub(super) fn add(func: &mut Function, exchange: &Exchange) {
    let Some(entry) = func.entry() else {
        return;
    };
    let head = func.make_block();
    func.layout.blocks.insert(0, head);
    let mut shared = Vec::new();
    // Both ways take them from there.
    let mut insts = std::mem::take(&mut func.layout.insts[entry]);
    insts.retain(|&inst| {
        let mut has_operands = false;
        let kind = &func.insts[inst].kind;
        kind.for_each_value(|_| has_operands = true);
        let stays = has_operands || kind.has_side_effects();
        if !stays {
            shared.push(inst);
        }
        stays
    });
    func.layout.insts[entry] = insts;
    func.layout.insts[head] = shared.clone();
    let mut way = func.clone();
    way.spend();
    way.layout.blocks.remove(0);
    without_local_memory(&mut way, exchange);
    let mut copies = Copies::new(func, &way);
    for inst in shared {
        for &value in &func.insts[inst].results {
            copies.values[value] = value.into();
        }
    }
    copies.copy(func, &mut way, true, |loc| loc);
    func.layout.blocks.extend_from_slice(&copies.order);
    let cond = write_conditions(func, head, &exchange.conditions);
    let [then, other] = [copies.order[0], entry].map(|block| BlockCall::new(block, &[]));
    let branch = InstKind::Branch { cond, then, other };
    func.append(head, branch, &[], SourceLoc::default());
}

/// Computes whether all conditions hold.
fn write_conditions(func: &mut Function, head: Block, conditions: &[Condition]) -> Value {
    let loc = SourceLoc::default();
    let which = BuiltIn::LocalSize;
    let ids = Type::vector(Scalar::I64, DIMS as u8);
    let vector = func.append_value(head, InstKind::BuiltIn { which }, ids, loc);
    let sizes = [0, 1, 2].map(|lane| {
        let kind = InstKind::Extract { vector, lane };
        func.append_value(head, kind, Type::I64, loc)
    });
    let mut all: Option<Value> = None;
    for condition in conditions {
        let args = match *condition {
            Condition::AtMost(dim, most) => [sizes[dim], func.i64(most as i64)],
            Condition::NotAbove(dim, other) => [sizes[dim], sizes[other]],
        };
        let cond = IntCond::Ule;
        let holds = func.append_value(head, InstKind::ICmp { cond, args }, Type::BOOL, loc);
        all = Some(match all {
            Some(before) => {
                let kind = InstKind::Binary {
                    op: BinaryOp::And,
                    args: [before, holds],
                    flags: FloatFlags::empty(),
                };
                func.append_value(head, kind, Type::BOOL, loc)
            }
            None => holds,
        });
    }
    all.unwrap_or_else(|| func.constant(Type::BOOL, &[1]))
}

/// Computes what is loaded in the place of each load.
fn without_local_memory(func: &mut Function, exchange: &Exchange) {
    let mut replaced = Replacements::default();
    for block in func.layout.blocks.clone() {
        let old = std::mem::take(&mut func.layout.insts[block]);
        let mut out = Vec::with_capacity(old.len());
        for inst in old {
            let load = exchange.loads.iter().find(|&&(load, _)| load == inst);
            if let Some(&(_, source)) = load {
                let value = computed_by(func, &mut out, exchange, source);
                replaced.replace(func.result(inst), value);
            } else if inst != exchange.store && inst != exchange.barrier {
                out.push(inst);
            }
        }
        func.layout.insts[block] = out;
    }
    replaced.apply(func);
}

/// The value that another work-item has stored.
fn computed_by(
    func: &mut Function,
    out: &mut Vec<Inst>,
    exchange: &Exchange,
    source: Source,
) -> Value {
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    let ids = own_ids(func, out);
    for &inst in &exchange.computed {
        let result = func.result(inst);
        let value = match id(func, result) {
            Some((BuiltIn::LocalId, dim)) => ids[source[dim]],
            // So many more than its own global id as the local id is more than its own.
            Some((_, dim)) => {
                let own = append(func, out, func.insts[inst].kind.clone(), Type::I64);
                let apart = binary(func, out, BinaryOp::ISub, [ids[source[dim]], ids[dim]]);
                binary(func, out, BinaryOp::IAdd, [own, apart])
            }
            None => {
                let (mut kind, ty) = (func.insts[inst].kind.clone(), func.ty(result));
                kind.replace_values(&values);
                append(func, out, kind, ty)
            }
        };
        values.insert(result, value);
    }
    values
        .get(&exchange.value)
        .copied()
        .unwrap_or(exchange.value)
}

/// The work-item's own local ids.
fn own_ids(func: &mut Function, out: &mut Vec<Inst>) -> [Value; DIMS] {
    let which = BuiltIn::LocalId;
    let ids = Type::vector(Scalar::I64, DIMS as u8);
    let vector = append(func, out, InstKind::BuiltIn { which }, ids);
    [0, 1, 2].map(|lane| append(func, out, InstKind::Extract { vector, lane }, Type::I64))
}

fn binary(func: &mut Function, out: &mut Vec<Inst>, op: BinaryOp, args: [Value; 2]) -> Value {
    let flags = FloatFlags::empty();
    append(func, out, InstKind::Binary { op, args, flags }, Type::I64)
}

fn append(func: &mut Function, out: &mut Vec<Inst>, kind: InstKind, ty: Type) -> Value {
    let inst = func.make_inst(kind, &[ty], SourceLoc::default());
    out.push(inst);
    func.result(inst)
}
