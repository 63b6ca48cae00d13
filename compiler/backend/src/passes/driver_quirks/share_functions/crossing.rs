//! The values that are needed behind the places where control comes back.

use super::cuts::Cuts;
use super::passed_along::is_same_everywhere;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_budget as budget;
use pumice_ir::{AddressSpace, Block, Cfg, Function, Inst, InstKind, LowerError, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that lives into a block where control comes back.
pub(super) struct Crossing {
    pub value: Value,
    /// The blocks that it lives into, and the one where it is made.
    pub blocks: Vec<Block>,
}

/// Finds these values. Those that are cheap to compute are computed again where they are used, and are none.
///
/// # Errors
/// A function that takes too much memory or time.
pub(super) fn find(func: &mut Function, cuts: &Cuts) -> Result<Vec<Crossing>, LowerError> {
    let mut is_resume: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &block in &cuts.resumes {
        is_resume[block] = true;
    }
    // Each round goes to the operands of what the last one has copied.
    loop {
        let found = live_across(func, &is_resume)?;
        let values = found.iter().map(|crossing| crossing.value);
        let cheap: FxHashSet<Value> = values.filter(|&value| is_cheap(func, value)).collect();
        if cheap.is_empty() {
            let blocks = found.iter().map(|crossing| crossing.blocks.len());
            budget::spend_on::<Block>(blocks.sum());
            return Ok(found);
        }
        compute_again(func, &cheap);
    }
}

/// Returns whether a value is computed again rather than kept.
fn is_cheap(func: &Function, value: Value) -> bool {
    let Some(inst) = func.def_inst(value) else {
        return false;
    };
    match func.insts[inst].kind {
        InstKind::StackAddr { .. } | InstKind::BuiltInWord { .. } => true,
        // Addresses in private or local memory that are kept would join all variables that they may point at.
        InstKind::PtrAdd { base, offset } => {
            let space = func.ty(base).address_space();
            let is_near = matches!(space, Some(AddressSpace::Private | AddressSpace::Local));
            is_near || func.const_lanes(offset).is_some()
        }
        ref kind => is_same_everywhere(kind),
    }
}

/// The values that live into one of these blocks.
fn live_across(
    func: &Function,
    is_resume: &SecondaryMap<Block, bool>,
) -> Result<Vec<Crossing>, LowerError> {
    let cfg = Cfg::new(func);
    let mut made_in: SecondaryMap<Value, PackedOption<Block>> = SecondaryMap::new();
    made_in.resize(func.num_values());
    for &block in &func.layout.blocks {
        for &param in &func.blocks[block].params {
            made_in[param] = block.into();
        }
        for &inst in &func.layout.insts[block] {
            for &result in &func.insts[inst].results {
                made_in[result] = block.into();
            }
        }
    }
    let mut used_in: SecondaryMap<Value, Vec<Block>> = SecondaryMap::new();
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            func.insts[inst].kind.for_each_value(|value| {
                let elsewhere = made_in[value].expand().is_some_and(|made| made != block);
                if elsewhere && used_in[value].last() != Some(&block) {
                    used_in[value].push(block);
                }
            });
        }
    }
    let mut found = Vec::new();
    let mut seen: SecondaryMap<Block, u32> = SecondaryMap::new();
    for (round, value) in (1u32..).zip(func.values()) {
        let Some(made) = made_in[value].expand() else {
            continue;
        };
        let mut work = std::mem::take(&mut used_in[value]);
        if work.is_empty() {
            continue;
        }
        budget::check()?;
        let mut lives_into = Vec::new();
        while let Some(block) = work.pop() {
            if block == made || seen[block] == round {
                continue;
            }
            seen[block] = round;
            lives_into.push(block);
            work.extend_from_slice(cfg.preds(block));
        }
        if lives_into.iter().any(|&block| is_resume[block]) {
            lives_into.push(made);
            let blocks = lives_into;
            found.push(Crossing { value, blocks });
        }
    }
    Ok(found)
}

/// Computes values at the start of every other block that uses them.
fn compute_again(func: &mut Function, cheap: &FxHashSet<Value>) {
    for block in func.layout.blocks.clone() {
        let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
        let mut made_here: FxHashSet<Value> = FxHashSet::default();
        let mut before: Vec<Inst> = Vec::new();
        let insts = std::mem::take(&mut func.layout.insts[block]);
        for &inst in &insts {
            let mut used = Vec::new();
            func.insts[inst].kind.for_each_value(|value| {
                if cheap.contains(&value) && !made_here.contains(&value) {
                    used.push(value);
                }
            });
            for value in used {
                if let (false, Some(def)) = (copies.contains_key(&value), func.def_inst(value)) {
                    let (kind, loc) = (func.insts[def].kind.clone(), func.insts[def].loc);
                    let ty: Type = func.ty(value);
                    let copy = func.make_inst(kind, &[ty], loc);
                    before.push(copy);
                    copies.insert(value, func.result(copy));
                }
            }
            let kind = &mut func.insts[inst].kind;
            kind.for_each_value_mut(|value| {
                if let Some(&copy) = copies.get(value) {
                    *value = copy;
                }
            });
            made_here.extend(func.insts[inst].results.iter().copied());
        }
        before.extend(insts);
        func.layout.insts[block] = before;
    }
}
