//! Variables become block parameters again.
//!
//! Works on demand: a use asks for the variable's value at its block. The answer is found by
//! walking up through blocks with one predecessor to a definition, or to a block where
//! several paths meet; that block gets a parameter, whose arguments are asked for later. A
//! variable that was not defined on the way in the original program has no value there.

use super::work::{Var, Work};
use cranelift_entity::SecondaryMap;
use pumice_budget as budget;
use pumice_ir::{Block, Cfg, DomTree, Inst, InstKind, LowerError, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// The values that branches of a function may hand on whose cycles had several entries, beside
/// [`ARGUMENTS_PER_INSTRUCTION`]: each dispatch hands on all that changes in its cycle, from each of its entries.
const ARGUMENTS: usize = 1 << 18;
const ARGUMENTS_PER_INSTRUCTION: usize = 16;

struct Repair<'a> {
    work: Work<'a>,
    cfg: Cfg,
    dom: DomTree,
    block_of: SecondaryMap<Inst, Option<Block>>,
    known: FxHashMap<(Var, Block), Value>,
    undefs: FxHashMap<Type, Value>,
    /// Parameters whose arguments are still missing, in the order they were added.
    missing: Vec<(Var, Block)>,
}

/// The meaning of an operand at a block.
enum Meaning {
    /// A value that can be used there.
    Direct(Value),
    /// Whatever the variable holds at the block's start.
    AtStart(Var),
}

/// Rewrites all operands; the control flow is final. `tangled`: cycles had several entries.
///
/// # Errors
/// Such cycles in which too much changes; values that take too much memory or time.
pub(super) fn repair(work: Work<'_>, tangled: bool) -> Result<(), LowerError> {
    let size = work.func.size();
    let mut left = match tangled {
        true => ARGUMENTS + ARGUMENTS_PER_INSTRUCTION * size,
        false => usize::MAX,
    };
    let cfg = Cfg::new(work.func);
    let dom = DomTree::new(&cfg);
    let block_of = work.func.inst_blocks();
    let mut repair = Repair {
        work,
        cfg,
        dom,
        block_of,
        known: FxHashMap::default(),
        undefs: FxHashMap::default(),
        missing: Vec::new(),
    };
    for block in repair.cfg.reverse_postorder().to_vec() {
        budget::check()?;
        for index in 0..repair.work.func.layout.insts[block].len() {
            let inst = repair.work.func.layout.insts[block][index];
            repair.rewrite(inst, block);
        }
    }
    let mut next = 0;
    while let Some(&(var, block)) = repair.missing.get(next) {
        next += 1;
        let preds = repair.cfg.preds(block).len();
        budget::charge((preds * size_of::<Value>()) as u64)?;
        repair.fill(var, block);
        left = left.saturating_sub(preds);
        if left == 0 {
            return Err(repair.work.too_tangled());
        }
    }
    Ok(())
}

impl Repair<'_> {
    fn rewrite(&mut self, inst: Inst, block: Block) {
        let mut kind =
            std::mem::replace(&mut self.work.func.insts[inst].kind, InstKind::Unreachable);
        kind.for_each_value_mut(|value| *value = self.value_in(*value, block));
        self.work.func.insts[inst].kind = kind;
    }

    /// Adds the arguments for a parameter on all edges into its block.
    fn fill(&mut self, var: Var, block: Block) {
        for pred in self.cfg.preds(block).to_vec() {
            let value = self.value_at_end(var, pred);
            let Some(inst) = self.work.func.terminator(pred) else {
                continue;
            };
            for call in self.work.func.insts[inst].kind.successors_mut() {
                if call.block == block {
                    call.args.push(value);
                }
            }
        }
    }

    fn meaning(&mut self, value: Value, block: Block) -> Meaning {
        if let Some(&var) = self.work.var_of.get(&value) {
            return match self.work.func.def_inst(value) {
                Some(inst) if self.block_of[inst] == Some(block) => Meaning::Direct(value),
                _ => Meaning::AtStart(var),
            };
        }
        let &ValueDef::Result(inst, _) = self.work.func.def(value) else {
            return Meaning::Direct(value);
        };
        let home = self.block_of[inst].unwrap_or_else(|| panic!("{value}: defined in no block"));
        if self.dom.dominates(home, block) {
            return Meaning::Direct(value);
        }
        Meaning::AtStart(self.work.result_var(value, home))
    }

    fn value_in(&mut self, value: Value, block: Block) -> Value {
        match self.meaning(value, block) {
            Meaning::Direct(value) => value,
            Meaning::AtStart(var) => self.value_at_start(var, block),
        }
    }

    fn value_at_end(&mut self, var: Var, block: Block) -> Value {
        match self.definition(var, block) {
            Some(value) => self.value_in(value, block),
            None => self.value_at_start(var, block),
        }
    }

    /// Gives the value that a block itself gives a variable, on its edge or by an instruction.
    fn definition(&self, var: Var, block: Block) -> Option<Value> {
        let on_edge = self.work.edge_defs.get(&block).and_then(|defs| {
            let found = defs.iter().rev().find(|(defined, _)| *defined == var);
            found.map(|(_, value)| *value)
        });
        on_edge.or_else(|| self.work.block_defs.get(&(var, block)).copied())
    }

    fn value_at_start(&mut self, var: Var, block: Block) -> Value {
        let (mut var, mut block) = (var, block);
        let mut path = Vec::new();
        let value = loop {
            if let Some(&value) = self.known.get(&(var, block)) {
                break value;
            }
            if !self.may_be_live(var, block) {
                break self.undef(var);
            }
            path.push((var, block));
            if let Some(home) = self.home_above(var, block) {
                block = home;
                continue;
            }
            match *self.cfg.preds(block) {
                [] => break self.undef(var),
                [pred] => {
                    block = pred;
                    let Some(value) = self.definition(var, pred) else {
                        continue;
                    };
                    match self.meaning(value, pred) {
                        Meaning::Direct(value) => break value,
                        Meaning::AtStart(other) => var = other,
                    }
                }
                _ => {
                    let ty = self.work.vars[var].ty;
                    let value = self.work.func.append_param(block, ty);
                    self.missing.push((var, block));
                    break value;
                }
            }
        };
        budget::spend_on::<((Var, Block), Value)>(path.len());
        for key in path {
            self.known.insert(key, value);
        }
        value
    }

    /// The home of a former parameter, if the variable is in `block` what it was when the home was
    /// last entered: all its definitions are on edges there, and only blocks made here, which do
    /// nothing but branch, can stand between such a definition and the home.
    fn home_above(&self, var: Var, block: Block) -> Option<Block> {
        let data = &self.work.vars[var];
        let home = data.home.filter(|_| data.live_into_home)?;
        let original = self.work.origin[block].is_some() && block != home;
        let alone = !self.work.copied[home];
        (original && alone && self.dom.dominates(home, block)).then_some(home)
    }

    /// Returns whether the variable can hold a value that is still needed when the block starts.
    fn may_be_live(&self, var: Var, block: Block) -> bool {
        let data = &self.work.vars[var];
        match (data.home, self.work.origin[block]) {
            (Some(home), Some(origin)) => {
                self.work.original_dom.dominates(home, origin)
                    && (data.live_into_home || home != origin)
            }
            _ => true,
        }
    }

    fn undef(&mut self, var: Var) -> Value {
        let ty = self.work.vars[var].ty;
        let func = &mut *self.work.func;
        *self.undefs.entry(ty).or_insert_with(|| func.undef(ty))
    }
}
