//! Tests of straight-line code whose outcomes are looked at together, behind the last of them.
//!
//! A report or a race mark that is written in place adds some ten blocks to the kernel. The compilers of Vulkan drivers take
//! a time that grows with the square of the blocks, so that a kernel with [`MANY`] tested accesses gathers up to [`MOST`]
//! outcomes and goes over them in one loop.

use super::code::{add, has_places};
use crate::expand::Expander;
use pumice_ir::{
    BinaryOp, Block, Cfg, FuncId, Function, Inst, InstKind, IntCond, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Tested accesses of a kernel from which on outcomes are gathered.
pub(crate) const MANY: usize = 32;
/// The most outcomes that are looked at together.
pub(crate) const MOST: usize = 32;

/// Returns whether a kernel gathers outcomes, by the number of accesses that each instruction has.
pub(crate) fn is_long(func: &Function, accesses: impl Fn(Inst) -> usize) -> bool {
    let located = has_places(func);
    let insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    let insts = insts.filter(|&&inst| !located || func.insts[inst].loc.line != 0);
    insts.map(|&inst| accesses(inst)).sum::<usize>() >= MANY
}

/// Returns whether outcomes from before an instruction are looked at before it: what comes behind may not run, may run
/// at another time, or may wait for other work-items.
pub(crate) fn ends_group(kind: &InstKind) -> bool {
    kind.is_terminator() || kind.is_convergent() || matches!(kind, InstKind::Call { .. })
}

/// The ends of a kernel's groups.
///
/// A tested access stands in a block of its own that is left out if the test fails, and so does the report of another
/// test. Groups go on over such blocks; an access in one is looked at behind it, under the block's condition.
#[derive(Default)]
pub(crate) struct Groups {
    /// The condition under which each instruction of such a block runs.
    conditions: FxHashMap<Inst, Value>,
    /// The instructions of these blocks, and the branches to them.
    passed: FxHashSet<Inst>,
}

impl Groups {
    /// The groups of a kernel, by the function that reports. They go on over blocks that access no memory or, with
    /// `tested`, whose accesses take no value of their own block.
    pub fn of(func: &Function, report: FuncId, tested: bool) -> Self {
        let cfg = Cfg::new(func);
        let inner_blocks = Inner {
            located: has_places(func),
            report,
            tested,
        };
        let mut groups = Self::default();
        for &block in &func.layout.blocks {
            let insts = &func.layout.insts[block];
            let Some((&branch, _)) = insts.split_last() else {
                continue;
            };
            let InstKind::Branch { cond, then, other } = &func.insts[branch].kind else {
                continue;
            };
            let (inner, after) = (then.block, other.block);
            let inside = &func.layout.insts[inner];
            let Some((&end, body)) = inside.split_last() else {
                continue;
            };
            let joins =
                matches!(&func.insts[end].kind, InstKind::Jump { dest } if dest.block == after);
            let is_single = |block: Block, count: usize| cfg.preds(block).len() == count;
            if joins && is_single(inner, 1) && is_single(after, 2) && inner_blocks.has(func, body) {
                let conditions = body.iter().map(|&inst| (inst, *cond));
                groups.conditions.extend(conditions);
                groups.passed.extend([branch, end]);
                groups.passed.extend(body);
            }
        }
        groups
    }

    /// Returns whether a group ends before an instruction.
    pub fn end_before(&self, func: &Function, inst: Inst) -> bool {
        ends_group(&func.insts[inst].kind) && !self.passed.contains(&inst)
    }

    /// The condition of an instruction whose block groups go over.
    pub fn condition(&self, inst: Inst) -> Option<Value> {
        self.conditions.get(&inst).copied()
    }

    /// Returns whether an instruction is in a block that groups go over.
    pub fn is_inside(&self, func: &Function, inst: Inst) -> bool {
        let is_end = || matches!(func.insts[inst].kind, InstKind::Jump { .. });
        self.conditions.contains_key(&inst) || (self.passed.contains(&inst) && is_end())
    }
}

/// The blocks that groups go on over.
struct Inner {
    /// Instructions without a place are not the program's.
    located: bool,
    report: FuncId,
    tested: bool,
}

impl Inner {
    /// Returns whether a block with these instructions is one.
    fn has(&self, func: &Function, insts: &[Inst]) -> bool {
        let results: FxHashSet<Value> = (insts.iter())
            .flat_map(|&inst| func.insts[inst].results.iter().copied())
            .collect();
        insts.iter().all(|&inst| {
            let data = &func.insts[inst];
            let reports = matches!(data.kind, InstKind::Call { func, .. } if func == self.report);
            let is_own = self.located && data.loc.line == 0;
            let mut takes = false;
            (data.kind).for_each_value(|value| takes |= results.contains(&value));
            let is_fine = is_own || !accesses_memory(&data.kind) || (self.tested && !takes);
            reports || (is_fine && !ends_group(&data.kind))
        })
    }
}

fn accesses_memory(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::MemCopy { .. }
            | InstKind::AtomicLoad { .. }
            | InstKind::AtomicStore { .. }
            | InstKind::AtomicRmw { .. }
            | InstKind::AtomicCmpXchg { .. }
    )
}

/// Goes over the outcomes that have their bit in `mask`.
pub(crate) fn for_each(
    x: &mut Expander<'_>,
    mask: Value,
    count: usize,
    body: impl FnOnce(&mut Expander<'_>, &Picked),
) {
    let any = x.icmp_const(IntCond::Ne, mask, 0);
    x.when(any, |x| {
        let [from, to] = [0, count].map(|number| x.func.i32(number as i32));
        let _ = x.fold_range([from, to], from, |x, index, sum| {
            let is_set = bit(x, mask, index);
            x.when(is_set, |x| {
                let picked = Picked::new(x, index, count);
                body(x, &picked);
            });
            sum
        });
    });
}

/// A word with a bit for each condition, the first lowest.
pub(crate) fn mask(x: &mut Expander<'_>, conditions: &[Value]) -> Value {
    let mut mask = x.func.i32(0);
    for (index, &condition) in conditions.iter().enumerate() {
        let (set, clear) = (x.splat(Type::I32, 1 << index), x.func.i32(0));
        let bit = x.select(condition, set, clear);
        mask = x.bin(BinaryOp::Or, mask, bit);
    }
    mask
}

/// True if a bit of a word is set.
fn bit(x: &mut Expander<'_>, mask: Value, index: Value) -> Value {
    let moved = x.bin(BinaryOp::LShr, mask, index);
    let low = x.bin_const(BinaryOp::And, moved, 1);
    x.icmp_const(IntCond::Ne, low, 0)
}

/// One of the outcomes, known when the kernel runs.
pub(crate) struct Picked {
    index: Value,
    /// True for the outcome of each number.
    is: Vec<Value>,
}

impl Picked {
    fn new(x: &mut Expander<'_>, index: Value, count: usize) -> Self {
        let is = (0..count).map(|number| x.icmp_const(IntCond::Eq, index, number as u64));
        let is = is.collect();
        Self { index, is }
    }

    /// The outcome's own of these values, one for each outcome.
    pub fn value(&self, x: &mut Expander<'_>, values: &[Value]) -> Value {
        let mut picked = values[0];
        for (&is, &value) in self.is.iter().zip(values).skip(1) {
            if value != picked {
                picked = x.select(is, value, picked);
            }
        }
        picked
    }

    /// The same of values that are mostly one value and a constant added: those are added here, so that few values
    /// live up to here.
    pub fn sum(&self, x: &mut Expander<'_>, values: &[Value]) -> Value {
        let parts: Vec<(Value, u64)> = values.iter().map(|&value| sum(x.func, value)).collect();
        let [bases, added]: [Vec<Value>; 2] = [
            parts.iter().map(|part| part.0).collect(),
            parts
                .iter()
                .map(|part| x.splat(Type::I64, part.1))
                .collect(),
        ];
        let base = self.value(x, &bases);
        let offset = self.value(x, &added);
        match x.ty(base).scalar.is_ptr() {
            true => add(x, base, offset),
            false => x.bin(BinaryOp::IAdd, base, offset),
        }
    }

    /// The same of constants.
    pub fn number(&self, x: &mut Expander<'_>, ty: Type, numbers: &[u64]) -> Value {
        let values: Vec<Value> = numbers.iter().map(|&bits| x.splat(ty, bits)).collect();
        self.value(x, &values)
    }

    /// The outcome's bit in a word.
    pub fn bit(&self, x: &mut Expander<'_>, mask: Value) -> Value {
        bit(x, mask, self.index)
    }
}

/// A pointer or 64-bit integer as another one and a constant that is added.
fn sum(func: &Function, mut value: Value) -> (Value, u64) {
    let mut added = 0u64;
    while let ValueDef::Result(inst, _) = *func.def(value) {
        let (base, offset) = match func.insts[inst].kind {
            InstKind::PtrAdd { base, offset } => (base, offset),
            InstKind::Binary {
                op: BinaryOp::IAdd,
                args: [base, offset],
                ..
            } => (base, offset),
            _ => break,
        };
        let Some(bits) = func.const_bits(offset) else {
            break;
        };
        added = added.wrapping_add(bits);
        value = base;
    }
    (value, added)
}
