//! Bare edges: block parameters become variables, arguments become definitions at edges.

use super::work::{Var, VarData, Work, jump};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_ir::{Block, BlockCall, Cfg, DomTree, Function, InstKind, SourceLoc, Type};
use rustc_hash::FxHashMap;

/// Removes unreachable blocks, frees the entry of predecessors and turns parameters into
/// variables.
pub(super) fn prepare(func: &mut Function) -> Work<'_> {
    let cfg = Cfg::new(func);
    func.layout.blocks = cfg.reverse_postorder().to_vec();
    for block in func.layout.blocks.clone() {
        simplify_terminator(func, block);
    }
    free_entry(func);
    let cfg = Cfg::new(func);
    let original_dom = DomTree::new(&cfg);
    let mut origin = func.block_map();
    for &block in &func.layout.blocks {
        origin[block] = Some(block);
    }
    let mut vars = PrimaryMap::new();
    let mut var_of = FxHashMap::default();
    let label = vars.push(VarData {
        ty: Type::I32,
        home: None,
        live_into_home: true,
    });
    let label_value = func.undef(Type::I32);
    var_of.insert(label_value, label);
    let mut work = Work {
        func,
        vars,
        var_of,
        params: SecondaryMap::new(),
        edge_defs: FxHashMap::default(),
        block_defs: FxHashMap::default(),
        origin,
        copied: SecondaryMap::new(),
        uniform: SecondaryMap::new(),
        original_dom,
        label,
        label_value,
    };
    free_edges(&mut work);
    work
}

/// A branch whose targets and arguments are all the same is a jump.
fn simplify_terminator(func: &mut Function, block: Block) {
    let Some(inst) = func.terminator(block) else {
        return;
    };
    let calls = func.insts[inst].kind.successors();
    let Some(&first) = calls.first() else { return };
    if calls.iter().all(|&call| call == first) {
        let dest = first.clone();
        drop(calls);
        func.insts[inst].kind = InstKind::Jump { dest };
    }
}

/// Puts a block before the entry if something branches to it.
fn free_entry(func: &mut Function) {
    let Some(old) = func.entry() else { return };
    let is_target = func.layout.blocks.iter().any(|&block| {
        func.terminator(block).is_some_and(|inst| {
            let calls = func.insts[inst].kind.successors();
            calls.iter().any(|call| call.block == old)
        })
    });
    if !is_target {
        return;
    }
    let new = func.make_block();
    let args = func
        .params
        .clone()
        .into_iter()
        .map(|ty| func.append_param(new, ty))
        .collect();
    let dest = BlockCall { block: old, args };
    func.append(new, InstKind::Jump { dest }, &[], SourceLoc::default());
    func.layout.blocks.insert(0, new);
}

/// Makes every parameter outside of the entry a variable.
fn free_edges(work: &mut Work<'_>) {
    let blocks = work.func.layout.blocks.clone();
    let mut params: SecondaryMap<Block, Vec<Var>> = work.func.block_map();
    for &block in &blocks[1..] {
        let values = std::mem::take(&mut work.func.blocks[block].params);
        for &value in &values {
            let ty = work.func.ty(value);
            let var = work.vars.push(VarData {
                ty,
                home: Some(block),
                live_into_home: true,
            });
            work.var_of.insert(value, var);
            params[block].push(var);
        }
        work.params[block] = values.to_vec();
    }
    for &block in &blocks {
        let Some(inst) = work.func.terminator(block) else {
            continue;
        };
        let mut kind = std::mem::replace(&mut work.func.insts[inst].kind, InstKind::Unreachable);
        let is_jump = matches!(kind, InstKind::Jump { .. });
        // Edges with equal arguments share a block.
        let mut between: FxHashMap<BlockCall, Block> = FxHashMap::default();
        for call in kind.successors_mut() {
            if call.args.is_empty() {
                continue;
            }
            let defs = |call: &BlockCall| {
                let vars = params[call.block].iter().copied();
                vars.zip(call.args.iter().copied()).collect()
            };
            if is_jump {
                work.edge_defs.insert(block, defs(call));
                call.args.clear();
                continue;
            }
            let via = match between.get(call) {
                Some(&via) => via,
                None => {
                    let via = work.func.append_block();
                    work.set_terminator(via, jump(call.block));
                    work.edge_defs.insert(via, defs(call));
                    between.insert(call.clone(), via);
                    via
                }
            };
            *call = BlockCall::new(via, &[]);
        }
        work.func.insts[inst].kind = kind;
    }
}
