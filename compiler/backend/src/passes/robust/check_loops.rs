//! Robust mode: the loops of a work-item end.
//!
//! A work-item counts the rounds of its loops down, all loops together. Every [`SLICE`] rounds it asks
//! `report::spend` for another slice, of which the launch's memory says how many there are. When none is left, or
//! another work-item of the launch had none left, the place is reported and the work-item returns.
//!
//! The count stands at the heads of cycles ([`long_cycles`]); a loop that goes few rounds does not count. Behind the pass
//! the count is block parameters, as scalar replacement makes them, or private memory where cycles have several entries.

use crate::expand::{Expander, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::check::report::{self, Sites, call_report};
use crate::passes::optimize::{long_cycles, sroa};
use pumice_check::layout::{Code, SLICE};
use pumice_ir::{
    BinaryOp, Block, BuiltIn, Cfg, CheckKind, CheckSite, CheckedObject, FuncId, Function, Inst,
    InstKind, IntCond, LoopNest, LowerError, Module, SourceLoc, Type, Value, is_reducible,
};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Rounds of loops, with those inside of them, up to which they do not count.
const UNCOUNTED: u64 = 1 << 12;

/// Runs the pass.
///
/// # Errors
/// A module that robust mode cannot protect.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    report::refuse_unprotected(module, ctx)?;
    if module.kernels.is_empty() {
        return Ok(Changed::No);
    }
    let helpers = Helpers {
        report: report::report(module, ctx),
        slices: report::slices(module),
        spend: report::spend(module),
    };
    let mut changed = Changed::No;
    for (index, kernel) in module.kernels.iter().enumerate() {
        let func = &mut module.functions[kernel.func];
        if func.entry().is_none() {
            continue;
        }
        let heads = counted(func);
        if heads.is_empty() {
            continue;
        }
        count(
            func,
            &heads,
            helpers,
            Sites::new(&mut module.checks, Some(index)),
        )?;
        // Where cycles have several entries, each of them would hand the count on by itself.
        let cfg = Cfg::new(func);
        if is_reducible(&cfg) {
            let _ = sroa::run(func, &ctx.of_functions(&module.globals))?;
        }
        changed = Changed::Yes;
    }
    Ok(changed)
}

/// Functions that the code calls.
#[derive(Clone, Copy)]
struct Helpers {
    report: FuncId,
    slices: FuncId,
    spend: FuncId,
}

/// The blocks at which rounds count, with their places in the source.
fn counted(func: &Function) -> Vec<(Block, SourceLoc)> {
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Vec::new();
    };
    let heads = long_cycles::heads(func, &cfg, &dom, &nest, UNCOUNTED);
    let heads = heads.iter();
    heads
        .map(|head| (head.block, place(func, &cfg, head.block)))
        .collect()
}

/// The first known place in a block or in one that follows it.
fn place(func: &Function, cfg: &Cfg, block: Block) -> SourceLoc {
    let blocks = std::iter::once(&block).chain(cfg.succs(block));
    let mut insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts
        .find_map(|&inst| Some(func.insts[inst].loc).filter(|loc| loc.line != 0))
        .unwrap_or_default()
}

/// The count in a function.
struct Count {
    memory: Value,
    /// Rounds that are left of the slice.
    rounds: Value,
    /// Slices that are left behind it.
    slices: Value,
}

fn count(
    func: &mut Function,
    heads: &[(Block, SourceLoc)],
    helpers: Helpers,
    mut sites: Sites<'_>,
) -> Result<(), LowerError> {
    let first = |func: &Function, block| func.layout.insts[block].first().copied();
    let start = func.entry().and_then(|entry| first(func, entry));
    let places: FxHashMap<Inst, SourceLoc> = (heads.iter())
        .filter_map(|&(block, loc)| Some((first(func, block)?, loc)))
        .collect();
    let mut state: Option<Count> = None;
    let _ = expand(func, |x, inst| {
        if Some(inst) == start {
            state = Some(begin(x, helpers));
        }
        if let (Some(count), Some(&loc)) = (&state, places.get(&inst)) {
            let own = std::mem::replace(&mut x.loc, loc);
            round(x, count, helpers, &mut sites);
            x.loc = own;
        }
        Ok(None)
    })?;
    Ok(())
}

/// The count at the start of the kernel: nothing is left if the launch has ended.
fn begin(x: &mut Expander<'_>, helpers: Helpers) -> Count {
    let which = BuiltIn::CheckMemory;
    let memory = x.value(InstKind::BuiltIn { which }, which.ty());
    let (_, rounds) = x.slot(4, 4);
    let (_, slices) = x.slot(4, 4);
    let (func, args) = (helpers.slices, smallvec![memory]);
    let all = x.value(InstKind::Call { func, args }, Type::I32);
    let ended = x.icmp_const(IntCond::Eq, all, 0);
    let (zero, slice) = (x.func.i32(0), x.func.i32(SLICE as i32));
    let left = x.select(ended, zero, slice);
    x.store(rounds, left, 4);
    let others = x.bin_const(BinaryOp::ISub, all, 1);
    x.store(slices, others, 4);
    Count {
        memory,
        rounds,
        slices,
    }
}

/// Counts one round.
fn round(x: &mut Expander<'_>, count: &Count, helpers: Helpers, sites: &mut Sites<'_>) {
    let left = x.load(count.rounds, Type::I32, 4);
    let spent = x.icmp_const(IntCond::Eq, left, 0);
    let next = x.bin_const(BinaryOp::ISub, left, 1);
    x.store(count.rounds, next, 4);
    x.when(spent, |x| {
        let before = x.load(count.slices, Type::I32, 4);
        let (func, args) = (helpers.spend, smallvec![count.memory, before]);
        let after = x.value(InstKind::Call { func, args }, Type::I32);
        let ends = x.icmp_const(IntCond::Eq, after, u64::from(u32::MAX));
        let (end, on) = (x.new_block(), x.new_block());
        x.branch_bare(ends, [end, on], end);
        let site = sites.add(CheckSite {
            kernel: None,
            kind: CheckKind::Loop,
            size: 0,
            align: 1,
            object: CheckedObject::Unknown,
            loc: x.loc,
        });
        let code = x.func.i32(Code::Operation as i32);
        let none = x.func.i64(0);
        call_report(x, helpers.report, count.memory, (site, code), [none, none]);
        let values = smallvec![];
        x.end_block(InstKind::Return { values }, on);
        x.store(count.slices, after, 4);
        let slice = x.func.i32(SLICE as i32 - 1);
        x.store(count.rounds, slice, 4);
    });
}
