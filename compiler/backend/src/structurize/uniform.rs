//! Finds the branches inside of loops that go the same way for all work-items of a work-group that
//! reach them together: those whose condition comes of constants, arguments and counters alone.
//!
//! Loads, calls and joins of several ways are taken to differ. A loop's own parameters do not
//! if what they start with and what they become do not: the work-items in a loop count in step.
//! Behind the loop they may have left at different counts.

use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, BuiltIn, Cfg, Function, InstKind, Loop, LoopNest, Value, ValueDef};
use rustc_hash::FxHashSet;

/// A condition that depends on more values than this is taken to differ.
const MAX_VALUES: usize = 64;

/// The blocks inside of loops that end in such a branch. Block parameters are still there.
pub(crate) fn branches(func: &Function) -> SecondaryMap<Block, bool> {
    let mut uniform = SecondaryMap::new();
    let cfg = Cfg::new(func);
    let Some((_, nest)) = LoopNest::find(&cfg) else {
        return uniform;
    };
    let scan = Scan {
        func,
        cfg: &cfg,
        nest: &nest,
    };
    for &block in cfg.reverse_postorder() {
        let (Some(_), Some(inst)) = (nest.innermost(block), func.terminator(block)) else {
            continue;
        };
        if let InstKind::Branch { cond, .. } = func.insts[inst].kind {
            uniform[block] = scan.is_uniform(cond, block);
        }
    }
    uniform
}

struct Scan<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    nest: &'a LoopNest,
}

impl Scan<'_> {
    /// Returns whether a value is the same for all that use it in `block` at one time.
    fn is_uniform(&self, value: Value, block: Block) -> bool {
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            if seen.len() > MAX_VALUES || !self.sources(value, block, &mut work) {
                return false;
            }
        }
        true
    }

    /// Adds what a value is made of; false where it differs whatever that is.
    fn sources(&self, value: Value, block: Block, work: &mut Vec<Value>) -> bool {
        match *self.func.def(value) {
            ValueDef::Const(_) => true,
            ValueDef::Undef => false,
            ValueDef::Param(owner, index) => {
                let preds = self.cfg.preds(owner);
                let steps = match self.loop_of_header(owner) {
                    Some(this) => self.nest.contains(this, block) && preds.len() == 2,
                    None => preds.len() == 1,
                };
                if !steps {
                    return false;
                }
                for &pred in preds {
                    let Some(inst) = self.func.terminator(pred) else {
                        return false;
                    };
                    let calls = self.func.insts[inst].kind.successors();
                    let calls = calls.iter().filter(|call| call.block == owner);
                    work.extend(calls.map(|call| call.args[usize::from(index)]));
                }
                true
            }
            ValueDef::Result(inst, _) => {
                let kind = &self.func.insts[inst].kind;
                kind.for_each_value(|operand| work.push(operand));
                is_same_for_same(kind)
            }
        }
    }

    fn loop_of_header(&self, block: Block) -> Option<Loop> {
        let this = self.nest.innermost(block)?;
        (self.nest.loops[this].header == block).then_some(this)
    }
}

/// Returns whether an instruction gives all work-items of a work-group one result for one operand.
pub(crate) fn is_same_for_same(kind: &InstKind) -> bool {
    match kind {
        InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => matches!(
            which,
            BuiltIn::GroupId
                | BuiltIn::GlobalSize
                | BuiltIn::LocalSize
                | BuiltIn::EnqueuedLocalSize
                | BuiltIn::NumGroups
                | BuiltIn::GlobalOffset
                | BuiltIn::WorkDim
                | BuiltIn::SubgroupMaxSize
                | BuiltIn::NumSubgroups
                | BuiltIn::NumEnqueuedSubgroups
                | BuiltIn::AddressDelta
                | BuiltIn::TerminationFlag
        ),
        InstKind::Image { op, image, .. } => op.is_pure(*image),
        // A lane that is not there may have any value.
        InstKind::ExtractDyn { .. } | InstKind::InsertDyn { .. } => false,
        InstKind::HandleArg { .. }
        | InstKind::HandleInfo { .. }
        | InstKind::LoadArg { .. }
        | InstKind::LoadArgWord { .. }
        | InstKind::LocalArg { .. } => true,
        _ => kind.is_computation(),
    }
}
