//! Common subexpressions: one computation per value.
//!
//! Pure instructions are numbered over the dominator tree: an equal one in a dominating
//! block stands for a later one. Loads are forwarded from stores and earlier loads of this block
//! and of dominating ones, unless something on the way may have written there
//! ([`super::alias`]); loads of constant memory are pure.

use crate::pass::{Changed, FunctionCtx};
use crate::rewrite::Replacements;
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::alias::{Effect, Effects, Memory, effect, space};
use pumice_ir::{
    AccessFlags, AddressSpace, Block, Cfg, DomTree, Function, Inst, InstKind, MathOp, Step, Value,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

/// Removes repeated computations from one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let Some(entry) = func.entry() else {
        return Changed::No;
    };
    let count = func.layout.blocks.iter();
    let count = count.map(|&block| func.layout.insts[block].len()).sum();
    let mut cse = Cse {
        known: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
        replacements: Replacements::default(),
        at_end: func.block_map(),
        changed: false,
    };
    let mut effects = Effects::new(func, &cfg);
    // The keys that each block on the way from the entry has added.
    let mut added = Vec::new();
    // Arms come before the block where they meet, so that their addresses are known.
    for step in dom.walk(entry) {
        match step {
            Step::Enter(block) => {
                let mut memory = Memory::default();
                if let Some(before) = dom.idom(block) {
                    memory = cse.at_end[before].clone();
                    if !memory.is_empty() && *cfg.preds(block) != [before] {
                        for mut effect in effects.between(&cfg, before, block) {
                            if let Effect::Writes(ptr, _) = &mut effect {
                                *ptr = cse.replacements.resolve(*ptr);
                            }
                            memory.apply(func, effect);
                        }
                    }
                }
                added.push(cse.block(func, block, memory));
            }
            Step::Leave => {
                // The last one first, so that those before it are found where they were put.
                for key in added.pop().into_iter().flatten().rev() {
                    cse.known.remove(&key);
                }
            }
        }
    }
    cse.replacements.apply(func);
    Changed::from_bool(cse.changed)
}

struct Cse {
    /// Computations by the hash of the operation, its operands and its result's type, or by the next number that was free.
    known: FxHashMap<u64, Inst>,
    replacements: Replacements,
    /// The contents of memory that are known at the end of each block.
    at_end: SecondaryMap<Block, Memory>,
    changed: bool,
}

impl Cse {
    /// Numbers a block, given what is known of memory before it; gives the keys to forget when
    /// its subtree is done.
    fn block(&mut self, func: &mut Function, block: Block, mut memory: Memory) -> Vec<u64> {
        let mut added = Vec::new();
        let mut insts = std::mem::take(&mut func.layout.insts[block]);
        let mut kept = 0;
        for index in 0..insts.len() {
            let inst = insts[index];
            let replacements = &mut self.replacements;
            if !replacements.is_empty() {
                func.insts[inst]
                    .kind
                    .for_each_value_mut(|value| *value = replacements.resolve(*value));
            }
            if let Some(value) = self.equal_value(func, inst, &mut added) {
                let result = func.result(inst);
                self.replacements.replace(result, value);
                self.changed = true;
                continue;
            }
            match func.insts[inst].kind {
                InstKind::Load { ptr, flags, .. } if flags.is_plain() => {
                    let result = func.result(inst);
                    if let Some(value) = memory.find(func, ptr, func.ty(result)) {
                        self.replacements.replace(result, value);
                        self.changed = true;
                        continue;
                    }
                    memory.learn(ptr, result);
                }
                InstKind::Store {
                    ptr, value, flags, ..
                } => {
                    memory.apply(func, effect(func, &func.insts[inst].kind));
                    if flags.is_plain() {
                        memory.learn(ptr, value);
                    }
                }
                ref kind => memory.apply(func, effect(func, kind)),
            }
            insts[kept] = inst;
            kept += 1;
        }
        insts.truncate(kept);
        func.layout.insts[block] = insts;
        self.at_end[block] = memory;
        added
    }

    /// The value of an equal instruction that dominates this one; else remembers this one.
    fn equal_value(&mut self, func: &Function, inst: Inst, added: &mut Vec<u64>) -> Option<Value> {
        let data = &func.insts[inst];
        if data.results.len() != 1 || !is_pure(func, &data.kind) {
            return None;
        }
        let ty = func.ty(data.results[0]);
        let mut key = FxBuildHasher.hash_one((&data.kind, ty));
        loop {
            match self.known.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(inst);
                    added.push(key);
                    return None;
                }
                Entry::Occupied(known) => {
                    let other = &func.insts[*known.get()];
                    if other.kind == data.kind && func.ty(other.results[0]) == ty {
                        return Some(other.results[0]);
                    }
                    key = key.wrapping_add(1);
                }
            }
        }
    }
}

/// Returns whether equal operands always give an equal result.
fn is_pure(func: &Function, kind: &InstKind) -> bool {
    match kind {
        InstKind::Load { ptr, flags, .. } => {
            space(func, *ptr) == Some(AddressSpace::Constant)
                && !flags.contains(AccessFlags::VOLATILE)
        }
        InstKind::Math {
            op: MathOp::Ocl(_),
            args,
            ..
        } => !args.iter().any(|&arg| func.ty(arg).scalar.is_ptr()),
        InstKind::Image { op, image, .. } => op.is_pure(*image),
        _ => !kind.has_side_effects(),
    }
}
