//! Constant folding and algebraic identities.
//!
//! One walk in reverse postorder; operands are simplified before their users. Every rewrite
//! is exact: same integers, same floats including signed zeros (unless the operation's flags
//! say otherwise). A rule either names a value that stands for the result or changes the
//! instruction in place, helped by new instructions in front of it. The rules are in
//! [`super::fold_rules`] and [`super::fold_vectors`].

use crate::pass::{Changed, FunctionCtx};
use crate::rewrite::Replacements;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_ir::{
    Block, Cfg, Function, GlobalData, GlobalId, Inst, InstKind, SourceLoc, Type, Value, ValueDef,
};

/// The result of a rule.
pub(super) enum Found {
    /// The result is this value.
    Value(Value),
    /// The instruction is better written so.
    Kind(InstKind),
}

/// State of the walk.
pub(super) struct Folder<'f> {
    pub func: &'f mut Function,
    pub globals: &'f PrimaryMap<GlobalId, GlobalData>,
    replacements: Replacements,
    out: Vec<Inst>,
    loc: SourceLoc,
    changed: bool,
}

/// Folds one function.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    let mut folder = Folder {
        func,
        globals: ctx.globals,
        replacements: Replacements::default(),
        out: Vec::new(),
        loc: SourceLoc::default(),
        changed: false,
    };
    let cfg = Cfg::new(folder.func);
    let incoming = incoming(folder.func, &cfg);
    for &block in cfg.reverse_postorder() {
        folder.params(block, &incoming[block]);
        folder.block(block);
    }
    let Folder {
        func,
        mut replacements,
        changed,
        ..
    } = folder;
    // Loops use values of later blocks: one more walk over the operands.
    let changed = changed || !replacements.is_empty();
    replacements.apply(func);
    Changed::from_bool(changed)
}

/// The branches into each block.
fn incoming(func: &Function, cfg: &Cfg) -> SecondaryMap<Block, Vec<Inst>> {
    let mut incoming: SecondaryMap<Block, Vec<Inst>> = func.block_map();
    for &block in cfg.reverse_postorder() {
        if let Some(inst) = func.terminator(block) {
            for call in func.insts[inst].kind.successors() {
                if incoming[call.block].last() != Some(&inst) {
                    incoming[call.block].push(inst);
                }
            }
        }
    }
    incoming
}

/// A rule is asked again after it changed the instruction, at most so often.
const MAX_STEPS: usize = 8;

impl Folder<'_> {
    /// A block parameter for which all branches bring one value is that value.
    fn params(&mut self, block: Block, incoming: &[Inst]) {
        if incoming.is_empty() {
            return;
        }
        for (index, param) in self.func.blocks[block]
            .params
            .clone()
            .into_iter()
            .enumerate()
        {
            let mut only = None;
            let mut single = true;
            for &inst in incoming {
                for call in self.func.insts[inst].kind.successors() {
                    if call.block != block {
                        continue;
                    }
                    let arg = self.replacements.resolve(call.args[index]);
                    if arg == param || only == Some(arg) {
                        continue;
                    }
                    single &= only.is_none();
                    only = Some(arg);
                }
            }
            // That one value arrives by every way in, so its definition comes first.
            if let (true, Some(only)) = (single, only) {
                if !matches!(self.func.def(only), ValueDef::Undef) {
                    self.replacements.replace(param, only);
                }
            }
        }
    }

    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.func.layout.insts[block]);
        self.out = Vec::with_capacity(insts.len());
        for inst in insts {
            self.loc = self.func.insts[inst].loc;
            let replacements = &mut self.replacements;
            if !replacements.is_empty() {
                self.func.insts[inst]
                    .kind
                    .for_each_value_mut(|value| *value = replacements.resolve(*value));
            }
            if self.func.insts[inst].results.len() == 1 {
                let result = self.func.result(inst);
                for _ in 0..MAX_STEPS {
                    match self.simplify(inst, result) {
                        Some(Found::Value(value)) => {
                            debug_assert_eq!(self.func.ty(value), self.func.ty(result));
                            self.replacements.replace(result, value);
                            break;
                        }
                        Some(Found::Kind(kind)) => {
                            self.func.insts[inst].kind = kind;
                            self.changed = true;
                        }
                        None => break,
                    }
                }
            }
            // A replaced instruction stays until dead code goes: it may have effects.
            self.out.push(inst);
        }
        self.func.layout.insts[block] = std::mem::take(&mut self.out);
    }

    fn simplify(&mut self, inst: Inst, result: Value) -> Option<Found> {
        let kind = self.func.insts[inst].kind.clone();
        let ty = self.func.ty(result);
        self.constant_result(&kind, ty)
            .map(Found::Value)
            .or_else(|| self.scalar_rule(&kind, ty))
            .or_else(|| self.vector_rule(&kind, ty))
            .or_else(|| self.pointer_rule(&kind, ty))
    }

    // ---- what rules work with ----

    /// The instruction that defines a value.
    pub fn kind_of(&self, value: Value) -> Option<&InstKind> {
        self.func
            .def_inst(value)
            .map(|inst| &self.func.insts[inst].kind)
    }

    /// A new instruction in front of the one being simplified.
    pub fn emit(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.func.make_inst(kind, &[ty], self.loc);
        self.out.push(inst);
        self.changed = true;
        self.func.result(inst)
    }

    /// The bits that every lane of a constant has.
    pub fn splat_bits(&self, value: Value) -> Option<u64> {
        let lanes = self.func.const_lanes(value)?;
        let &first = lanes.first()?;
        lanes.iter().all(|&lane| lane == first).then_some(first)
    }

    /// Returns whether a value is a constant.
    pub fn is_const(&self, value: Value) -> bool {
        self.func.const_lanes(value).is_some()
    }
}
