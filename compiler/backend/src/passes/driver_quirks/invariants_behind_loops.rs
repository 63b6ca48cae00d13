//! For drivers that skip a branch which no work-item takes, and use what was computed there behind the loop around it
//! ([`QuirkKind::InvariantsBehindLoops`](pumice_target::QuirkKind::InvariantsBehindLoops)).
//!
//! The code behind a loop may stand in the branch that leaves it. What it computes is there in the driver's view wherever the
//! loop is left by this branch alone; in the machine's, all work-items go round together, and the last round may skip the
//! branch. Mesa passes such values through phis, but for those that no round changes. So what depends on nothing in the loop
//! and is used behind it is computed once more behind it, where its operands are there as well.

use crate::pass::{Changed, FunctionCtx};
use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, Function, Inst, InstKind, Merge, Value};
use rustc_hash::FxHashMap;

/// Loops inside one another that a value is taken out of.
const MAX_DEPTH: u32 = 16;

/// Rewrites a structured function; it stays structured.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Changed {
    let mut changed = Changed::No;
    for _ in 0..MAX_DEPTH {
        let invariants = Invariants::of(func);
        if !invariants.compute_behind(func).is_yes() {
            break;
        }
        changed = Changed::Yes;
    }
    changed
}

/// A loop: its blocks are those from one place in the layout up to another.
#[derive(Clone, Copy)]
struct LoopBlocks {
    start: usize,
    end: usize,
    merge: Block,
}

/// The values that are computed in loops and depend on nothing there, as far as each may be computed once more.
#[derive(Default)]
struct Invariants {
    /// For each place in the layout the innermost loop.
    innermost: Vec<Option<LoopBlocks>>,
    /// For each value the place where it is made.
    place: SecondaryMap<Value, Option<usize>>,
    /// For each invariant the instruction that computes it.
    inst: SecondaryMap<Value, Option<Inst>>,
}

impl Invariants {
    /// Finds those of a function, whose blocks stand behind those that dominate them.
    fn of(func: &Function) -> Self {
        let mut found = Self {
            innermost: innermost_loops(func),
            ..Self::default()
        };
        for (place, &block) in func.layout.blocks.iter().enumerate() {
            for &param in &func.blocks[block].params {
                found.place[param] = Some(place);
            }
            for &inst in &func.layout.insts[block] {
                let data = &func.insts[inst];
                for &result in &data.results {
                    found.place[result] = Some(place);
                }
                if let (Some(own), [result]) = (found.innermost[place], &data.results[..]) {
                    let mut is_invariant = may_be_repeated(&data.kind);
                    data.kind.for_each_value(|arg| {
                        is_invariant &= !found.is_in(arg, own) || found.in_loop(arg, own);
                    });
                    if is_invariant {
                        found.inst[*result] = Some(inst);
                    }
                }
            }
        }
        found
    }

    /// Returns whether a value is made in a loop.
    fn is_in(&self, value: Value, own: LoopBlocks) -> bool {
        self.place[value].is_some_and(|place| (own.start..own.end).contains(&place))
    }

    /// Returns whether a value is an invariant of just this loop.
    fn in_loop(&self, value: Value, own: LoopBlocks) -> bool {
        let innermost = self.place[value].and_then(|place| self.innermost[place]);
        self.inst[value].is_some() && innermost.is_some_and(|found| found.start == own.start)
    }

    /// The invariant's loop, where a place is behind it.
    fn loop_left(&self, value: Value, place: usize) -> Option<LoopBlocks> {
        self.inst[value]?;
        let own = self.innermost[self.place[value]?]?;
        (!(own.start..own.end).contains(&place)).then_some(own)
    }

    /// Computes those that are used behind their loops there.
    fn compute_behind(&self, func: &mut Function) -> Changed {
        let mut copied: FxHashMap<Value, Value> = FxHashMap::default();
        let mut copies: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
        for (place, block) in func.layout.blocks.clone().into_iter().enumerate() {
            for inst in func.layout.insts[block].clone() {
                let mut left: Vec<(Value, LoopBlocks)> = Vec::new();
                func.insts[inst].kind.for_each_value(|value| {
                    left.extend(self.loop_left(value, place).map(|own| (value, own)));
                });
                for (value, own) in left {
                    let copies = copies.entry(own.merge).or_default();
                    self.copy(func, value, own, &mut copied, copies);
                    let copy = copied[&value];
                    func.insts[inst].kind.for_each_value_mut(|arg| {
                        if *arg == value {
                            *arg = copy;
                        }
                    });
                }
            }
        }
        let changed = Changed::from_bool(!copied.is_empty());
        for (merge, insts) in copies {
            func.layout.insts[merge].splice(..0, insts);
        }
        changed
    }

    /// Computes an invariant once more, behind those of the same loop that it is computed from.
    fn copy(
        &self,
        func: &mut Function,
        value: Value,
        own: LoopBlocks,
        copied: &mut FxHashMap<Value, Value>,
        copies: &mut Vec<Inst>,
    ) {
        // Chains of operands may be longer than the stack.
        let mut work = vec![value];
        while let Some(&value) = work.last() {
            let Some(inst) = self.inst[value].filter(|_| !copied.contains_key(&value)) else {
                work.pop();
                continue;
            };
            let before = work.len();
            let mut kind = func.insts[inst].kind.clone();
            kind.for_each_value_mut(|arg| {
                if self.in_loop(*arg, own) {
                    match copied.get(arg) {
                        Some(&copy) => *arg = copy,
                        None => work.push(*arg),
                    }
                }
            });
            if work.len() == before {
                let (ty, loc) = (func.ty(value), func.insts[inst].loc);
                let made = func.make_inst(kind, &[ty], loc);
                copies.push(made);
                copied.insert(value, func.result(made));
            }
        }
    }
}

/// The innermost loop of each block, by their places in the layout.
fn innermost_loops(func: &Function) -> Vec<Option<LoopBlocks>> {
    let mut places: SecondaryMap<Block, usize> = func.block_map();
    for (place, &block) in func.layout.blocks.iter().enumerate() {
        places[block] = place;
    }
    let mut around: Vec<LoopBlocks> = Vec::new();
    let blocks = func.layout.blocks.iter().enumerate();
    let innermost = blocks.map(|(start, &block)| {
        while around.last().is_some_and(|outer| outer.end <= start) {
            around.pop();
        }
        if let Some(Merge::Loop { merge, .. }) = func.blocks[block].merge {
            let end = places[merge];
            around.push(LoopBlocks { start, end, merge });
        }
        around.last().copied()
    });
    innermost.collect()
}

/// Returns whether an instruction gives the same wherever its operands are there, and does nothing else.
fn may_be_repeated(kind: &InstKind) -> bool {
    let is_same_everywhere = matches!(
        kind,
        InstKind::StackAddr { .. }
            | InstKind::GlobalAddr { .. }
            | InstKind::BuiltIn { .. }
            | InstKind::BuiltInWord { .. }
            | InstKind::LoadArg { .. }
            | InstKind::LoadArgWord { .. }
    );
    is_same_everywhere || kind.is_computation()
}
