//! Arguments that need not be passed: those that come from a kernel's own arguments by way of all calls, or are the same
//! constant in all of them.
//!
//! Path tracers give each function the kernel's pointers to their scene: nine tenths of LuxCore's arguments are such. The
//! kernel's one function computes each once, at its entry.

use super::cuts::calls_one_of;
use crate::rewrite::Replacements;
use pumice_budget as budget;
use pumice_ir::{
    Cfg, FuncId, Function, Inst, InstKind, LowerError, Module, SourceLoc, Type, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The source of a value that is the same everywhere in a kernel.
#[derive(Clone, PartialEq, Eq)]
enum Origin {
    /// An instruction without operands whose result depends on the work-item alone.
    Computed(InstKind),
    Constant(SmallVec<[u64; 1]>),
}

impl Origin {
    fn of(func: &Function, value: Value) -> Option<Self> {
        if let Some(lanes) = func.const_lanes(value) {
            return Some(Self::Constant(SmallVec::from_slice(lanes)));
        }
        let kind = &func.insts[func.def_inst(value)?].kind;
        is_same_everywhere(kind).then(|| Self::Computed(kind.clone()))
    }
}

/// Returns whether an instruction takes no operand, and gives a work-item the same value wherever it is in a kernel.
pub(super) fn is_same_everywhere(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::GlobalAddr { .. }
            | InstKind::BuiltIn { .. }
            | InstKind::HandleArg { .. }
            | InstKind::HandleInfo { .. }
            | InstKind::LoadArg { .. }
            | InstKind::LocalArg { .. }
    )
}

/// The origins of a function's arguments in the calls seen so far; `None` for those that are passed.
type Origins = Vec<Option<Origin>>;

/// Copies a kernel and the functions that it leads to, callers first, without such arguments. `order` holds all functions,
/// callees first.
///
/// # Errors
/// Functions that take too much memory or time.
pub(super) fn copies(
    module: &Module,
    order: &[FuncId],
    shared: &BTreeSet<FuncId>,
    kernel: FuncId,
) -> Result<Vec<(FuncId, Function)>, LowerError> {
    let mut copies = Vec::new();
    let mut known: FxHashMap<FuncId, Origins> = FxHashMap::default();
    known.insert(kernel, Vec::new());
    for &id in order.iter().rev() {
        let Some(origins) = known.get(&id) else {
            continue;
        };
        let mut func = module.functions[id].clone();
        func.spend();
        budget::check()?;
        take_from_origins(&mut func, origins);
        for inst in calls(&func, shared) {
            if let InstKind::Call { func: callee, args } = &func.insts[inst].kind {
                note(&mut known, &func, module, *callee, args);
            }
        }
        copies.push((id, func));
    }
    for (_, func) in &mut copies {
        for inst in calls(func, shared) {
            if let InstKind::Call { func: callee, args } = &mut func.insts[inst].kind {
                let mut origins = known[callee].iter();
                args.retain(|_| origins.next().is_none_or(Option::is_none));
            }
        }
    }
    Ok(copies)
}

/// The calls of shared functions.
fn calls(func: &Function, shared: &BTreeSet<FuncId>) -> Vec<Inst> {
    let insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    let is_one = |inst: &Inst| calls_one_of(&func.insts[*inst].kind, shared);
    insts.copied().filter(is_one).collect()
}

/// Notes the arguments of a call.
fn note(
    known: &mut FxHashMap<FuncId, Origins>,
    caller: &Function,
    module: &Module,
    callee: FuncId,
    args: &[Value],
) {
    let found = || args.iter().map(|&arg| Origin::of(caller, arg));
    match known.get_mut(&callee) {
        Some(origins) => {
            for (origin, found) in origins.iter_mut().zip(found()) {
                if *origin != found {
                    *origin = None;
                }
            }
        }
        None => {
            let func = &module.functions[callee];
            // Those of an entry that a loop goes back to are the loop's.
            let is_loop = func
                .entry()
                .is_some_and(|entry| !Cfg::new(func).preds(entry).is_empty());
            let origins = match is_loop {
                true => vec![None; args.len()],
                false => found().collect(),
            };
            known.insert(callee, origins);
        }
    }
}

/// Computes the parameters that have an origin, which are parameters no more.
fn take_from_origins(func: &mut Function, origins: &Origins) {
    let Some(entry) = func.entry().filter(|_| !origins.is_empty()) else {
        return;
    };
    let params = func.blocks[entry].params.clone();
    let mut replaced = Replacements::default();
    let mut computed = Vec::new();
    for (&param, origin) in params.iter().zip(origins) {
        let ty: Type = func.ty(param);
        let value = match origin {
            None => continue,
            Some(Origin::Constant(lanes)) => func.constant(ty, lanes),
            Some(Origin::Computed(kind)) => {
                let inst = func.make_inst(kind.clone(), &[ty], SourceLoc::default());
                computed.push(inst);
                func.result(inst)
            }
        };
        replaced.replace(param, value);
    }
    func.layout.insts[entry].splice(..0, computed);
    replaced.apply(func);
    let is_passed = |index: usize| origins.get(index).is_none_or(Option::is_none);
    func.retain_params(entry, |index, _| is_passed(index));
    let mut indices = 0..;
    func.params
        .retain(|_| indices.next().is_none_or(&is_passed));
}
