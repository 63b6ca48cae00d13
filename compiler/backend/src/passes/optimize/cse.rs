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
    AccessFlags, AddressSpace, Block, Cfg, DomTree, Function, Inst, InstKind, MathOp, Type, Value,
};
use rustc_hash::FxHashMap;

/// Removes repeated computations from one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let Some(entry) = func.entry() else {
        return Changed::No;
    };
    let mut cse = Cse {
        known: FxHashMap::default(),
        replacements: Replacements::default(),
        at_end: func.block_map(),
        changed: false,
    };
    let mut effects = Effects::new(func, &cfg);
    enum Step {
        Enter(Block),
        Leave(Vec<Key>),
    }
    let mut steps = vec![Step::Enter(entry)];
    while let Some(step) = steps.pop() {
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
                let added = cse.block(func, block, memory);
                steps.push(Step::Leave(added));
                // Arms before the block where they meet, so that their addresses are known.
                let mut children = dom.children(block).to_vec();
                children.sort_by_key(|&child| std::cmp::Reverse(cfg.rpo_number(child)));
                steps.extend(children.into_iter().map(Step::Enter));
            }
            Step::Leave(added) => {
                for key in added {
                    cse.known.remove(&key);
                }
            }
        }
    }
    cse.replacements.apply(func);
    Changed::from_bool(cse.changed)
}

/// An operation with its operands and result type.
type Key = (InstKind, Type);

struct Cse {
    known: FxHashMap<Key, Value>,
    replacements: Replacements,
    /// The contents of memory that are known at the end of each block.
    at_end: SecondaryMap<Block, Memory>,
    changed: bool,
}

impl Cse {
    /// Numbers a block, given what is known of memory before it; gives the keys to forget when
    /// its subtree is done.
    fn block(&mut self, func: &mut Function, block: Block, mut memory: Memory) -> Vec<Key> {
        let mut added = Vec::new();
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
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
            kept.push(inst);
        }
        func.layout.insts[block] = kept;
        self.at_end[block] = memory;
        added
    }

    /// The value of an equal instruction that dominates this one; else remembers this one.
    fn equal_value(&mut self, func: &Function, inst: Inst, added: &mut Vec<Key>) -> Option<Value> {
        let data = &func.insts[inst];
        if data.results.len() != 1 || !is_pure(func, &data.kind) {
            return None;
        }
        let result = data.results[0];
        let key = (data.kind.clone(), func.ty(result));
        if let Some(&value) = self.known.get(&key) {
            return Some(value);
        }
        self.known.insert(key.clone(), result);
        added.push(key);
        None
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
