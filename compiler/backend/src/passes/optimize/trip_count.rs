//! The number of rounds that a loop runs, if it is a constant.
//!
//! An exit that each round passes is decided by the loop's block parameters: those that begin with
//! constants and go on from their own values alone are followed from round to round, as a run would,
//! until the exit is taken. So every kind of step is understood, at the cost of the rounds followed.

use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::eval;
use pumice_ir::{
    AccessFlags, BinaryOp, Block, Cfg, DomTree, Function, Inst, InstKind, IntCond, Loop, LoopNest,
    Type, UnaryOp, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// Operations that one round's exit may take to decide.
const MAX_OPERATIONS: u32 = 64;

/// Operations on the way from an index to the counters that it is made of.
const MAX_INDEX_PARTS: u32 = 6;

/// Operations on the way from a condition to the comparisons that it is made of.
const MAX_PARTS: u32 = 5;

/// An upper bound of the rounds of a loop, the one that leaves it counted; `None` where none is
/// found up to `limit`.
pub(crate) fn rounds(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
    this: Loop,
    limit: u64,
) -> Option<u64> {
    let loop_ = Followed::of(func, cfg, dom, nest.loops[this].header);
    let mut least = None;
    for exit in loop_.passed_exits(dom, nest, this) {
        let found = loop_.rounds(&exit, least.unwrap_or(limit));
        least = found.or(least);
    }
    least
}

/// Finds the loops that end whatever they read: each of their exits is passed in each round, and a counter alone decides it.
pub(crate) fn left_by_counters(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
) -> SecondaryMap<Loop, bool> {
    let mut exits: SecondaryMap<Loop, Vec<Block>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        let mut around = nest.innermost(block);
        while let Some(this) = around {
            let mut next = cfg.succs(block).iter();
            if next.all(|&next| nest.contains(this, next)) {
                break;
            }
            exits[this].push(block);
            around = nest.loops[this].parent;
        }
    }
    let blocks = func.inst_blocks();
    let mut found = SecondaryMap::new();
    for (this, data) in nest.loops.iter() {
        let loop_ = Followed::of(func, cfg, dom, data.header);
        let counters = loop_.counters();
        let is_outside = |value| match *func.def(value) {
            ValueDef::Const(_) => true,
            ValueDef::Undef => false,
            ValueDef::Param(block, _) => !nest.contains(this, block),
            ValueDef::Result(inst, _) => blocks[inst].is_some_and(|at| !nest.contains(this, at)),
        };
        let by_counter = |&block: &Block| {
            let exit = Exit::of(func, nest, this, block);
            let counted = exit.is_some_and(|exit| exit.is_counted(func, &counters, &is_outside));
            counted && loop_.is_passed(dom, block)
        };
        found[this] = !exits[this].is_empty() && exits[this].iter().all(by_counter);
    }
    found
}

/// Finds the loops that a test leaves only once their counter has wrapped: they go on while a counter that grows is
/// above a number, or while one that falls is below one, taken as signed.
pub(crate) fn left_by_wrapping(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
) -> SecondaryMap<Loop, bool> {
    let mut exits: SecondaryMap<Loop, Vec<Exit>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        if let Some(this) = nest.innermost(block) {
            exits[this].extend(Exit::of(func, nest, this, block));
        }
    }
    let mut found = SecondaryMap::new();
    for (this, data) in nest.loops.iter() {
        if exits[this].is_empty() {
            continue;
        }
        let counters = Followed::of(func, cfg, dom, data.header).counters();
        found[this] = exits[this].iter().any(|exit| {
            let goes_on = !exit.leaves_if;
            steps_away(func, &counters, exit.condition, goes_on, MAX_PARTS)
        });
    }
    found
}

/// Returns whether a loop, of which the first block comes first, accesses memory at a place that its counter gives, counted
/// from an address that `is_array` takes: in copies of the loop such places are constants.
pub(crate) fn indexes_by_counter(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    blocks: &[Block],
    is_array: impl Fn(Value) -> bool,
) -> bool {
    let counters = Followed::of(func, cfg, dom, blocks[0]).counters();
    if counters.is_empty() {
        return false;
    }
    let by_counter = |inst: &Inst| match func.insts[*inst].kind {
        InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. } => {
            indexed(func, &counters, ptr).is_some_and(&is_array)
        }
        _ => false,
    };
    let mut blocks = blocks.iter();
    blocks.any(|&block| func.layout.insts[block].iter().any(by_counter))
}

/// The counters of all loops that run no more rounds than `limit` gives for each, with what a round adds to them.
pub(crate) fn counters_of_short_loops(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
    limit: impl Fn(Loop) -> u64,
) -> FxHashMap<Value, i64> {
    let loops = nest.loops.iter();
    let short =
        loops.filter(|&(this, _)| rounds(func, cfg, dom, nest, this, limit(this)).is_some());
    short
        .flat_map(|(_, data)| Followed::of(func, cfg, dom, data.header).counters())
        .collect()
}

/// Returns whether an index is made of counters and constants alone.
pub(crate) fn is_counted(func: &Function, counters: &FxHashMap<Value, i64>, index: Value) -> bool {
    is_made_of(func, counters, index, MAX_INDEX_PARTS)
}

/// The address to which a pointer adds what counters give; `None` if they give nothing.
fn indexed(func: &Function, counters: &FxHashMap<Value, i64>, pointer: Value) -> Option<Value> {
    let (mut at, mut counted) = (pointer, false);
    while let Some(&InstKind::PtrAdd { base, offset }) =
        func.def_inst(at).map(|inst| &func.insts[inst].kind)
    {
        if !is_made_of(func, counters, offset, MAX_INDEX_PARTS) {
            break;
        }
        counted |= func.const_bits(offset).is_none();
        at = base;
    }
    counted.then_some(at)
}

/// Returns whether a value is made of counters and constants alone.
fn is_made_of(func: &Function, counters: &FxHashMap<Value, i64>, value: Value, depth: u32) -> bool {
    if counters.contains_key(&value) || func.const_bits(value).is_some() {
        return true;
    }
    let (Some(inst), Some(depth)) = (func.def_inst(value), depth.checked_sub(1)) else {
        return false;
    };
    let part = |value| is_made_of(func, counters, value, depth);
    match func.insts[inst].kind {
        InstKind::Binary {
            op: BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::IMul | BinaryOp::Shl | BinaryOp::And,
            args: [a, b],
            ..
        } => part(a) && part(b),
        InstKind::Convert { arg, .. } => part(arg),
        _ => false,
    }
}

/// Returns whether a counter whose comparison is part of a condition steps away from what would end the loop; the loop
/// goes on where the condition is `goes_on`.
fn steps_away(
    func: &Function,
    counters: &FxHashMap<Value, i64>,
    condition: Value,
    goes_on: bool,
    depth: u32,
) -> bool {
    let (Some(inst), Some(depth)) = (func.def_inst(condition), depth.checked_sub(1)) else {
        return false;
    };
    let part = |value, goes_on| steps_away(func, counters, value, goes_on, depth);
    match func.insts[inst].kind {
        InstKind::Unary {
            op: UnaryOp::Not,
            arg,
        } => part(arg, !goes_on),
        InstKind::Binary {
            op: BinaryOp::And | BinaryOp::Or,
            args,
            ..
        } => args.iter().any(|&arg| part(arg, goes_on)),
        InstKind::Select { cond, then, other } => {
            let values = [cond, then, other];
            values.iter().any(|&value| part(value, goes_on))
        }
        InstKind::ICmp { cond, args: [a, b] } => {
            let cond = if goes_on { cond } else { cond.inverted() };
            [(a, cond), (b, cond.swapped())]
                .iter()
                .any(|(value, cond)| {
                    counters.get(value).is_some_and(|&step| match cond {
                        IntCond::Ugt | IntCond::Uge | IntCond::Sgt | IntCond::Sge => step > 0,
                        IntCond::Slt | IntCond::Sle => step < 0,
                        _ => false,
                    })
                })
        }
        _ => false,
    }
}

/// A branch out of a loop.
#[derive(Clone)]
struct Exit {
    condition: Value,
    leaves_if: bool,
}

impl Exit {
    fn of(func: &Function, nest: &LoopNest, this: Loop, block: Block) -> Option<Self> {
        let InstKind::Branch { cond, then, other } = &func.insts[func.terminator(block)?].kind
        else {
            return None;
        };
        let inside = [then, other].map(|call| nest.contains(this, call.block));
        (inside[0] != inside[1]).then_some(Exit {
            condition: *cond,
            leaves_if: inside[1],
        })
    }

    /// Returns whether it is taken in the end, since it compares a counter. `is_outside` tells which values are the same in all
    /// rounds.
    fn is_counted(
        &self,
        func: &Function,
        counters: &FxHashMap<Value, i64>,
        is_outside: &dyn Fn(Value) -> bool,
    ) -> bool {
        let kind_of = |value| func.def_inst(value).map(|inst| &func.insts[inst].kind);
        let Some(&InstKind::ICmp { cond, args: [a, b] }) = kind_of(self.condition) else {
            return false;
        };
        let leaves = match self.leaves_if {
            true => cond,
            false => cond.inverted(),
        };
        let unconverted = |value| match kind_of(value) {
            Some(&InstKind::Convert { arg, .. }) => arg,
            _ => value,
        };
        let step = |value| {
            let step = counters.get(&value);
            let step = step.or_else(|| counters.get(&unconverted(value)));
            step.copied().filter(|&step| step != 0)
        };
        // A number in memory that nobody is told to watch.
        let is_plain_load = |value| match kind_of(value) {
            Some(InstKind::Load { flags, .. }) => !flags.contains(AccessFlags::VOLATILE),
            _ => false,
        };
        let mut sides = [(a, b), (b, a)].into_iter();
        sides.any(|(counter, bound)| {
            let bound = unconverted(bound);
            match (step(counter), leaves) {
                (None, _) => false,
                // A longer step may pass over the number.
                (Some(step), IntCond::Eq) => step.abs() == 1 && is_outside(bound),
                (Some(_), _) => is_outside(bound) || is_plain_load(bound),
            }
        })
    }
}

struct Followed<'a> {
    func: &'a Function,
    header: Block,
    /// The blocks that go round.
    latches: Vec<Block>,
    /// The blocks that enter the loop.
    entries: Vec<Block>,
}

impl<'a> Followed<'a> {
    fn of(func: &'a Function, cfg: &Cfg, dom: &DomTree, header: Block) -> Self {
        let preds = cfg.preds(header).iter();
        let (latches, entries) = preds.partition(|&&pred| dom.dominates(header, pred));
        Followed {
            func,
            header,
            latches,
            entries,
        }
    }

    /// Tells whether each round passes a block.
    fn is_passed(&self, dom: &DomTree, block: Block) -> bool {
        let mut latches = self.latches.iter();
        latches.all(|&latch| dom.dominates(block, latch))
    }

    /// The exits that each round passes: they dominate its end, from where they are found going up.
    fn passed_exits(
        &self,
        dom: &'a DomTree,
        nest: &'a LoopNest,
        this: Loop,
    ) -> impl Iterator<Item = Exit> {
        let up = |&at: &Block| (at != self.header).then(|| dom.idom(at)).flatten();
        let blocks = std::iter::successors(self.latches.first().copied(), up);
        let passed = blocks.filter(move |&at| self.is_passed(dom, at));
        passed.filter_map(move |at| Exit::of(self.func, nest, this, at))
    }

    /// The number of the round that takes the exit.
    fn rounds(&self, exit: &Exit, limit: u64) -> Option<u64> {
        let mut state: FxHashMap<Value, u64> = FxHashMap::default();
        let mut steps = Vec::new();
        for (index, &param) in self.func.blocks[self.header].params.iter().enumerate() {
            let start = self.incoming(&self.entries, index);
            let start = start.and_then(|value| self.func.const_bits(value));
            if let (Some(start), Some(step)) = (start, self.incoming(&self.latches, index)) {
                state.insert(param, start);
                steps.push((param, step));
            }
        }
        for round in 1..=limit {
            let mut known = state;
            let mut left = MAX_OPERATIONS;
            let leaves = self.eval(exit.condition, &mut known, &mut left)? != 0;
            if leaves == exit.leaves_if {
                return Some(round);
            }
            // A parameter whose next value is unknown is unknown from here on.
            state = steps
                .iter()
                .filter_map(|&(param, step)| {
                    let mut left = MAX_OPERATIONS;
                    let next = self.eval(step, &mut known, &mut left)?;
                    Some((param, next))
                })
                .collect();
        }
        None
    }

    /// The header's parameters that each round adds a constant to, and their sums, with the constant.
    fn counters(&self) -> FxHashMap<Value, i64> {
        let mut counters = FxHashMap::default();
        for (index, &param) in self.func.blocks[self.header].params.iter().enumerate() {
            let next = self.incoming(&self.latches, index);
            if let Some((next, step)) = next.and_then(|next| Some((next, self.step(next, param)?)))
            {
                counters.extend([(param, step), (next, step)]);
            }
        }
        counters
    }

    /// The constant that `next` is more than `param`.
    fn step(&self, next: Value, param: Value) -> Option<i64> {
        let InstKind::Binary { op, args, .. } = self.func.insts[self.func.def_inst(next)?].kind
        else {
            return None;
        };
        match (op, args) {
            (BinaryOp::IAdd, [a, b]) if a == param => self.func.const_signed(b),
            (BinaryOp::IAdd, [a, b]) if b == param => self.func.const_signed(a),
            (BinaryOp::ISub, [a, b]) if a == param => {
                self.func.const_signed(b).map(i64::wrapping_neg)
            }
            _ => None,
        }
    }

    /// The one value that these blocks pass to a parameter of the header.
    fn incoming(&self, preds: &[Block], index: usize) -> Option<Value> {
        let mut only = None;
        for &pred in preds {
            let term = self.func.terminator(pred)?;
            for call in self.func.insts[term].kind.successors() {
                if call.block == self.header {
                    let arg = call.args[index];
                    if only.is_some_and(|only| only != arg) {
                        return None;
                    }
                    only = Some(arg);
                }
            }
        }
        only
    }

    fn eval(&self, value: Value, known: &mut FxHashMap<Value, u64>, left: &mut u32) -> Option<u64> {
        if let Some(&bits) = known.get(&value) {
            return Some(bits);
        }
        let inst = match self.func.def(value) {
            ValueDef::Const(_) => return self.func.const_bits(value),
            &ValueDef::Result(inst, _) => inst,
            _ => return None,
        };
        *left = left.checked_sub(1)?;
        let ty = self.func.ty(value);
        let bits = self.operation(&self.func.insts[inst].kind, ty, known, left)?;
        known.insert(value, bits);
        Some(bits)
    }

    fn operation(
        &self,
        kind: &InstKind,
        ty: Type,
        known: &mut FxHashMap<Value, u64>,
        left: &mut u32,
    ) -> Option<u64> {
        if ty.is_vector() {
            return None;
        }
        match kind {
            InstKind::Unary { op, arg } => {
                eval::unary(*op, ty.scalar, self.eval(*arg, known, left)?)
            }
            InstKind::Binary { op, args, .. } => {
                let [a, b] = [
                    self.eval(args[0], known, left)?,
                    self.eval(args[1], known, left)?,
                ];
                eval::binary(*op, ty.scalar, a, b)
            }
            InstKind::ICmp { cond, args } => {
                let scalar = self.func.ty(args[0]).scalar;
                let [a, b] = [
                    self.eval(args[0], known, left)?,
                    self.eval(args[1], known, left)?,
                ];
                Some(u64::from(eval::icmp(*cond, scalar, a, b)))
            }
            InstKind::FCmp { cond, args, .. } => {
                let scalar = self.func.ty(args[0]).scalar;
                let [a, b] = [
                    self.eval(args[0], known, left)?,
                    self.eval(args[1], known, left)?,
                ];
                eval::fcmp(*cond, scalar, a, b).map(u64::from)
            }
            InstKind::Convert { op, arg, rounding } => {
                let from = self.func.ty(*arg);
                if from.is_vector() {
                    return None;
                }
                let arg = self.eval(*arg, known, left)?;
                eval::convert(*op, from.scalar, ty.scalar, *rounding, arg)
            }
            InstKind::Select { cond, then, other } => {
                let cond = self.eval(*cond, known, left)?;
                self.eval(if cond != 0 { *then } else { *other }, known, left)
            }
            _ => None,
        }
    }
}
