//! Loops that follow one another are unrolled whole, for drivers that unroll one of them at a time
//! ([`UnrollSeries`](pumice_target::QuirkKind::UnrollSeries)).
//!
//! Mesa unrolls the first loop of a sequence, runs all its passes on the whole kernel, and only then unrolls the next one:
//! the time grows with the square of the kernel's size. 544 loops in the products of 256-bit numbers of one kernel took
//! lavapipe 25 s.
//!
//! Kernels with [`SERIES`] such loops and more, copies of functions for each call counted, have all of them unrolled that the
//! driver would unroll unasked ([`UNASKED`]), and those of twice the size that index private arrays by their counter. The
//! loops around them become innermost ones, which may be unrolled in turn.

use super::bound_unrolling::UNASKED;
use super::copyable_loop::{CountedLoop, tidy};
use super::trip_count::indexes_by_counter;
use crate::pass::{Changed, Ctx};
use crate::passes::driver_quirks::share_functions;
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::{functions_called_from, reachable_functions};
use pumice_ir::{AddressSpace, Cfg, FuncId, Function, LoopNest, LowerError, Module};
use std::collections::BTreeSet;

/// Loops of a kernel from which on they are unrolled: each takes all of the driver's passes once.
const SERIES: u64 = 16;
/// Instructions that a kernel may have with the copies of its loops.
const MOST: u64 = 1 << 18;
/// Loops inside one another that are unrolled.
const MAX_DEPTH: u32 = 3;

/// Runs the pass.
///
/// # Errors
/// Those of [`tidy`].
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let order = reachable_functions(module)?;
    let mut chosen: Option<BTreeSet<FuncId>> = None;
    let mut changed = Changed::No;
    for _ in 0..MAX_DEPTH {
        let found = Found::of(module, &order, chosen.as_ref());
        let functions = found.choose(module, chosen.as_ref());
        if functions.is_empty() {
            break;
        }
        changed = Changed::Yes;
        let ctx = ctx.of_functions(&module.globals);
        for &id in &functions {
            let func = &mut module.functions[id];
            for counted in &found.loops[id] {
                counted.unroll(func);
            }
            tidy(func, &ctx)?;
        }
        chosen = Some(functions);
    }
    Ok(changed)
}

/// The loops that may be unrolled, and what would become of the functions.
#[derive(Default)]
struct Found {
    loops: SecondaryMap<FuncId, Vec<CountedLoop>>,
    /// Their number, with a copy of a function for each call.
    series: SecondaryMap<FuncId, u64>,
    /// Instructions with all loops unrolled, with a copy of a function for each call.
    copied: SecondaryMap<FuncId, u64>,
}

impl Found {
    /// Looks through functions that come callees first; through those alone of `chosen` if there are some.
    fn of(module: &Module, order: &[FuncId], chosen: Option<&BTreeSet<FuncId>>) -> Self {
        let mut found = Self::default();
        for &id in order {
            let func = &module.functions[id];
            if chosen.is_none_or(|chosen| chosen.contains(&id)) {
                found.loops[id] = loops(func);
            }
            let own = &found.loops[id];
            let grown = own.iter().map(CountedLoop::grows);
            let (mut series, mut copied) =
                (own.len() as u64, func.size() as u64 + grown.sum::<u64>());
            for callee in func.calls() {
                series = series.saturating_add(found.series[callee]);
                copied = copied.saturating_add(found.copied[callee]);
            }
            (found.series[id], found.copied[id]) = (series, copied);
        }
        found
    }

    /// Chooses the functions whose loops are unrolled: those of kernels that have many loops, unless a kernel became too large.
    /// In a later round they are some of those that were chosen before.
    fn choose(&self, module: &Module, before: Option<&BTreeSet<FuncId>>) -> BTreeSet<FuncId> {
        let is_series = |id: FuncId| before.is_some() || self.series[id] >= SERIES;
        let mut chosen = BTreeSet::new();
        if !module.kernels.iter().any(|kernel| is_series(kernel.func)) {
            return chosen;
        }
        let mut kept = BTreeSet::new();
        for kernel in &module.kernels {
            let mut functions = functions_called_from(module, kernel.func);
            functions.insert(kernel.func);
            if self.copied[kernel.func] > limit(module, &functions) {
                kept.append(&mut functions);
            } else if is_series(kernel.func) {
                chosen.append(&mut functions);
            }
        }
        let has_loops = |id: &FuncId| !self.loops[*id].is_empty();
        chosen.retain(|id| has_loops(id) && !kept.contains(id));
        chosen
    }
}

/// The instructions that a kernel with these functions may have: no more than let it keep its calls, where some could be
/// shared.
fn limit(module: &Module, functions: &BTreeSet<FuncId>) -> u64 {
    let mut called = BTreeSet::new();
    let mut calls = functions
        .iter()
        .flat_map(|&id| module.functions[id].calls());
    match calls.all(|callee| called.insert(callee)) {
        true => MOST,
        false => share_functions::Limits::default().copied,
    }
}

/// The innermost loops of a function that may be unrolled.
fn loops(func: &Function) -> Vec<CountedLoop> {
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Vec::new();
    };
    let is_private = |address| func.ty(address).address_space() == Some(AddressSpace::Private);
    let mut found = CountedLoop::all(func, &cfg, &dom, &nest);
    found.retain(|counted| {
        let blocks = &counted.loop_.blocks;
        counted.grows() <= UNASKED
            || counted.grows() <= 2 * UNASKED
                && indexes_by_counter(func, &cfg, &dom, blocks, is_private)
    });
    found
}
