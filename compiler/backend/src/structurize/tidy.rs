//! Removes what the earlier steps made too much of: parameters with one possible argument,
//! blocks that only continue their only predecessor, empty arms. Gives switches the few blocks that drivers want.

use super::work::targets;
use cranelift_entity::SecondaryMap;
use pumice_budget::{self as budget, Exhausted};
use pumice_ir::{Block, BlockCall, Cfg, Function, InstKind, Merge, SourceLoc, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Simplifies a structured function without changing its constructs.
///
/// # Errors
/// A build that takes too long.
pub(super) fn tidy(
    func: &mut Function,
    merges: &mut SecondaryMap<Block, Option<Merge>>,
) -> Result<(), Exhausted> {
    let cfg = Cfg::new(func);
    drop_single_valued_params(func, &cfg)?;
    let mut fixed: FxHashSet<Block> = FxHashSet::default();
    for &block in &func.layout.blocks {
        if let Some(merge) = merges[block] {
            fixed.insert(merge.merge());
            if let Merge::Loop {
                continue_target, ..
            } = merge
            {
                fixed.insert(continue_target);
                fixed.insert(block);
            }
        }
    }
    let cfg = join_chains(func, cfg, merges, &fixed);
    let cfg = skip_empty_arms(func, cfg, merges, &fixed);
    drop_single_valued_params(func, &cfg)
}

/// Takes blocks out of the layout that are joined to others or that nothing branches to any more; gives the graph
/// afterwards.
fn without(func: &mut Function, cfg: Cfg, gone: &FxHashSet<Block>) -> Cfg {
    if gone.is_empty() {
        return cfg;
    }
    func.layout.blocks.retain(|block| !gone.contains(block));
    Cfg::new(func)
}

/// The values that others have turned out to be.
#[derive(Default)]
struct Renamed(FxHashMap<Value, Value>);

impl Renamed {
    /// Gives the value that one is in the end; shortens the way there.
    fn resolve(&mut self, value: Value) -> Value {
        let mut end = value;
        while let Some(&next) = self.0.get(&end) {
            end = next;
        }
        let mut at = value;
        while at != end {
            at = self.0.insert(at, end).unwrap_or(end);
        }
        end
    }
}

/// A parameter with the arguments that all edges give it.
struct Param {
    value: Value,
    args: Vec<Value>,
    /// So many of the arguments are known to be `only`, or the parameter itself. Values only ever
    /// turn out to be equal, so that they stay known.
    seen: usize,
    only: Option<Value>,
}

impl Param {
    /// The one value that all arguments are, if they are.
    fn single_value(&mut self, renamed: &mut Renamed) -> Option<Value> {
        let value = self.value;
        self.only = self.only.map(|only| renamed.resolve(only));
        self.only = self.only.filter(|&only| only != value);
        while let Some(&arg) = self.args.get(self.seen) {
            let arg = renamed.resolve(arg);
            if arg != value && *self.only.get_or_insert(arg) != arg {
                return None;
            }
            self.seen += 1;
        }
        self.only
    }
}

/// The parameters of all blocks but the entry, in reverse postorder.
fn params_with_args(func: &Function, cfg: &Cfg) -> Vec<Param> {
    let mut number: FxHashMap<Value, usize> = FxHashMap::default();
    let mut params: Vec<Param> = Vec::new();
    for &block in cfg.reverse_postorder().iter().skip(1) {
        for &value in &func.blocks[block].params {
            number.insert(value, params.len());
            params.push(Param {
                value,
                args: Vec::new(),
                seen: 0,
                only: None,
            });
        }
    }
    if params.is_empty() {
        return params;
    }
    for &block in cfg.reverse_postorder() {
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        for call in func.insts[inst].kind.successors() {
            for (param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                if let Some(&number) = number.get(param) {
                    params[number].args.push(arg);
                }
            }
        }
    }
    params
}

/// A parameter whose arguments are all one value (or itself) is that value.
fn drop_single_valued_params(func: &mut Function, cfg: &Cfg) -> Result<(), Exhausted> {
    let mut params = params_with_args(func, cfg);
    if params.is_empty() {
        return Ok(());
    }
    // Whose argument a parameter is, as long as it is not renamed.
    let mut users: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
    for param in &params {
        users.insert(param.value, Vec::new());
    }
    for (number, param) in params.iter().enumerate() {
        for arg in &param.args {
            if let Some(users) = users.get_mut(arg) {
                users.push(number);
            }
        }
    }
    let mut renamed = Renamed::default();
    let mut work: Vec<usize> = (0..params.len()).rev().collect();
    while let Some(number) = work.pop() {
        let value = params[number].value;
        if renamed.0.contains_key(&value) {
            continue;
        }
        if let Some(only) = params[number].single_value(&mut renamed) {
            budget::check()?;
            renamed.0.insert(value, only);
            let mut moved = users.remove(&value).unwrap_or_default();
            moved.retain(|&user| !renamed.0.contains_key(&params[user].value));
            work.extend_from_slice(&moved);
            if let Some(users) = users.get_mut(&only) {
                users.append(&mut moved);
            }
        }
    }
    if renamed.0.is_empty() {
        return Ok(());
    }
    for &block in cfg.reverse_postorder() {
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        let mut kind = std::mem::replace(&mut func.insts[inst].kind, InstKind::Unreachable);
        for call in kind.successors_mut() {
            let params = &func.blocks[call.block].params;
            let mut index = 0;
            call.args.retain(|_| {
                index += 1;
                !renamed.0.contains_key(&params[index - 1])
            });
        }
        func.insts[inst].kind = kind;
    }
    for &block in cfg.reverse_postorder() {
        func.retain_params(block, |_, param| !renamed.0.contains_key(&param));
    }
    func.rewrite_values(|value| renamed.resolve(value));
    Ok(())
}

/// Appends a block to its only predecessor when that jumps to it and nothing names it. Gives the graph afterwards.
fn join_chains(
    func: &mut Function,
    cfg: Cfg,
    merges: &mut SecondaryMap<Block, Option<Merge>>,
    fixed: &FxHashSet<Block>,
) -> Cfg {
    let mut renamed = Renamed::default();
    let mut gone: FxHashSet<Block> = FxHashSet::default();
    for &first in cfg.reverse_postorder() {
        if gone.contains(&first) {
            continue;
        }
        while merges[first].is_none() {
            let Some(inst) = func.terminator(first) else {
                break;
            };
            let InstKind::Jump { dest } = &func.insts[inst].kind else {
                break;
            };
            let next = dest.block;
            if fixed.contains(&next) || cfg.preds(next).len() != 1 {
                break;
            }
            for (&param, &arg) in func.blocks[next].params.iter().zip(&dest.args) {
                renamed.0.insert(param, arg);
            }
            func.blocks[next].params.clear();
            func.layout.insts[first].pop();
            let rest = std::mem::take(&mut func.layout.insts[next]);
            func.layout.insts[first].extend(rest);
            merges[first] = merges[next].take();
            gone.insert(next);
        }
    }
    let cfg = without(func, cfg, &gone);
    if !renamed.0.is_empty() {
        func.rewrite_values(|value| renamed.resolve(value));
    }
    cfg
}

/// Lets a branch go straight where an empty arm would take it. Gives the graph afterwards.
fn skip_empty_arms(
    func: &mut Function,
    cfg: Cfg,
    merges: &SecondaryMap<Block, Option<Merge>>,
    fixed: &FxHashSet<Block>,
) -> Cfg {
    let mut gone: FxHashSet<Block> = FxHashSet::default();
    let mut leads_to: FxHashMap<Block, FxHashSet<Block>> = FxHashMap::default();
    for &arm in cfg.reverse_postorder() {
        let ([inst], [pred]) = (&func.layout.insts[arm][..], cfg.preds(arm)) else {
            continue;
        };
        let (InstKind::Jump { dest }, Some(Merge::Selection { .. })) =
            (&func.insts[*inst].kind, merges[*pred])
        else {
            continue;
        };
        let in_the_way = fixed.contains(&arm) || !func.blocks[arm].params.is_empty();
        let Some(branch) = func.terminator(*pred).filter(|_| !in_the_way) else {
            continue;
        };
        // Cases keep their empty blocks ([`part_cases_from_merges`]).
        if matches!(func.insts[branch].kind, InstKind::Switch { .. }) {
            continue;
        }
        let known = leads_to.entry(*pred);
        let known = known.or_insert_with(|| targets(func, *pred).into_iter().collect());
        if !known.insert(dest.block) {
            continue;
        }
        known.remove(&arm);
        let dest = dest.clone();
        for call in func.insts[branch].kind.successors_mut() {
            if call.block == arm {
                *call = dest.clone();
            }
        }
        gone.insert(arm);
    }
    without(func, cfg, &gone)
}

/// Gives the cases of switches that go to the switch's own merge block an empty block of their own.
///
/// Without it Mesa takes a switch inside a case for a break out of that case, and makes the case a loop of one round. It
/// removes such loops later, one of a list of blocks each time that it runs all its passes, and keeps those with more than
/// three ends.
pub(super) fn part_cases_from_merges(
    func: &mut Function,
    merges: &SecondaryMap<Block, Option<Merge>>,
) {
    let mut order = Vec::with_capacity(func.layout.blocks.len());
    for block in std::mem::take(&mut func.layout.blocks) {
        order.push(block);
        let (Some(Merge::Selection { merge }), Some(last)) =
            (merges[block], func.terminator(block))
        else {
            continue;
        };
        let is_direct = |call: &&BlockCall| call.block == merge;
        let InstKind::Switch { .. } = func.insts[last].kind else {
            continue;
        };
        // All cases give the merge block the same arguments.
        let successors = func.insts[last].kind.successors();
        let Some(dest) = successors.into_iter().find(is_direct).cloned() else {
            continue;
        };
        let empty = func.make_block();
        let jump = InstKind::Jump { dest };
        func.append(empty, jump, &[], SourceLoc::default());
        let successors = func.insts[last].kind.successors_mut();
        for call in successors.into_iter().filter(|call| call.block == merge) {
            *call = BlockCall::new(empty, &[]);
        }
        order.push(empty);
    }
    func.layout.blocks = order;
}
