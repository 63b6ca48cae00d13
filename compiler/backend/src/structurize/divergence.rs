//! The blocks that the work-items of a work-group may come to apart from each other.
//!
//! A value may differ between work-items if it is made of an id, of memory that kernels write, or of values that
//! differ. Behind a branch on such a value work-items are apart until all ways meet again (the immediate
//! postdominator). What blocks on these ways are given as parameters differs too, which covers the values of loops that
//! work-items leave in different rounds.

use crate::structurize::uniform::is_same_for_same;
use cranelift_entity::EntitySet;
use pumice_ir::{
    AddressSpace, Block, Cfg, Ends, Function, GroupOp, GroupOperation, Inst, InstKind, Scope,
    Value, ValueDef,
};

/// Facts about a function.
pub(crate) struct Divergence {
    differs: EntitySet<Value>,
    apart: EntitySet<Block>,
    /// Blocks whose branch has been looked at.
    parted: EntitySet<Block>,
    changed: bool,
}

impl Divergence {
    /// Looks at a function whose private variables have left memory where they can.
    pub fn new(func: &mut Function) -> Self {
        let cfg = Cfg::new(func);
        let ends = Ends::new(func, &cfg);
        let mut found = Self {
            differs: EntitySet::new(),
            apart: EntitySet::new(),
            parted: EntitySet::new(),
            changed: true,
        };
        while std::mem::take(&mut found.changed) {
            for &block in cfg.reverse_postorder() {
                for &inst in &func.layout.insts[block] {
                    found.inst(func, inst);
                }
                found.terminator(func, &cfg, &ends, block);
            }
        }
        found
    }

    /// Returns whether only some work-items of a group may be in the block at a time.
    pub fn is_apart(&self, block: Block) -> bool {
        self.apart.contains(block)
    }

    fn may_differ(&self, func: &Function, value: Value) -> bool {
        match func.def(value) {
            ValueDef::Const(_) => false,
            ValueDef::Undef => true,
            _ => self.differs.contains(value),
        }
    }

    fn mark(&mut self, value: Value) {
        self.changed |= self.differs.insert(value);
    }

    fn inst(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        if !data.results.is_empty() && self.results_differ(func, &data.kind) {
            for &result in &data.results {
                self.mark(result);
            }
        }
        for call in data.kind.successors() {
            for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                if self.may_differ(func, arg) {
                    self.mark(param);
                }
            }
        }
    }

    fn results_differ(&self, func: &Function, kind: &InstKind) -> bool {
        let same_of_all = match *kind {
            InstKind::Group {
                op,
                scope: Scope::Workgroup,
                ..
            } => {
                return !matches!(
                    (op, op.operation()),
                    (
                        GroupOp::All | GroupOp::Any | GroupOp::AllEqual | GroupOp::Broadcast,
                        _
                    ) | (_, Some(GroupOperation::Reduce))
                );
            }
            // Nobody writes it while the kernel runs.
            InstKind::Load { ptr, .. } => {
                func.ty(ptr).address_space() == Some(AddressSpace::Constant)
            }
            InstKind::GlobalAddr { .. } => true,
            _ => is_same_for_same(kind),
        };
        let mut any = false;
        kind.for_each_value(|value| any |= self.may_differ(func, value));
        any || !same_of_all
    }

    /// Marks what lies behind a branch on a value that differs.
    fn terminator(&mut self, func: &Function, cfg: &Cfg, ends: &Ends, block: Block) {
        let Some(inst) = func.terminator(block) else {
            return;
        };
        let (InstKind::Branch { cond: value, .. } | InstKind::Switch { value, .. }) =
            func.insts[inst].kind
        else {
            return;
        };
        if !self.may_differ(func, value) || !self.parted.insert(block) {
            return;
        }
        self.changed = true;
        let meet = ends.meet(block);
        let mut seen: EntitySet<Block> = EntitySet::new();
        let mut work: Vec<Block> = cfg.succs(block).to_vec();
        while let Some(next) = work.pop() {
            if !seen.insert(next) {
                continue;
            }
            for &param in &func.blocks[next].params {
                self.mark(param);
            }
            if Some(next) != meet {
                self.apart.insert(next);
                work.extend(cfg.succs(next));
            }
        }
    }
}
