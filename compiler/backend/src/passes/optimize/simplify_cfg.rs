//! The shape of the control flow: constant branches are decided, blocks with one way in and
//! one way out are merged, jumps to jumps go straight to the end, and a two-way branch to
//! one block with different arguments becomes selects.
//!
//! Jumps back to a loop's header are left alone, so that a loop keeps one latch.

use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::dce;
use crate::rewrite::Replacements;
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::eval;
use pumice_ir::{
    Block, BlockCall, Cfg, Function, Inst, InstKind, UnaryOp, UnrollHint, Value, ValueDef,
};
use smallvec::SmallVec;

/// At most this many selects replace one branch.
const MAX_SELECTS: usize = 4;

/// Simplifies the control flow of one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let mut changed = dce::remove_unreachable_blocks(func);
    // Each round that changes something removes an edge or a block, so this ends.
    loop {
        let mut decided = Changed::No;
        for index in 0..func.layout.blocks.len() {
            decided |= fold_terminator(func, func.layout.blocks[index]);
        }
        if decided.is_yes() {
            let _ = dce::remove_unreachable_blocks(func);
        }
        let threaded = thread_jumps(func);
        if threaded.is_yes() {
            let _ = dce::remove_unreachable_blocks(func);
        }
        let mut round = decided;
        round |= threaded;
        // Merging leaves nothing unreachable.
        round |= merge_blocks(func);
        changed |= round;
        if !round.is_yes() {
            return changed;
        }
    }
}

/// Decides branches whose outcome is known.
fn fold_terminator(func: &mut Function, block: Block) -> Changed {
    let Some(inst) = func.terminator(block) else {
        return Changed::No;
    };
    let new = match &func.insts[inst].kind {
        InstKind::Branch { cond, then, other } => {
            if then == other {
                Some(InstKind::Jump { dest: then.clone() })
            } else if let Some(bits) = func.const_bits(*cond) {
                let dest = if bits != 0 { then } else { other };
                Some(InstKind::Jump { dest: dest.clone() })
            } else if let ValueDef::Undef = func.def(*cond) {
                Some(InstKind::Jump {
                    dest: other.clone(),
                })
            } else if let Some(InstKind::Unary {
                op: UnaryOp::Not,
                arg,
            }) = func.def_inst(*cond).map(|inst| &func.insts[inst].kind)
            {
                Some(InstKind::Branch {
                    cond: *arg,
                    then: other.clone(),
                    other: then.clone(),
                })
            } else {
                return branch_to_selects(func, block, inst);
            }
        }
        InstKind::Switch {
            value,
            default,
            cases,
        } => {
            if let Some(bits) = func.const_bits(*value) {
                let bits = eval::mask(func.ty(*value).scalar, bits);
                let dest = cases
                    .iter()
                    .find(|(case, _)| *case == bits)
                    .map_or(default, |(_, dest)| dest);
                Some(InstKind::Jump { dest: dest.clone() })
            } else if cases.iter().all(|(_, dest)| dest == default) {
                Some(InstKind::Jump {
                    dest: default.clone(),
                })
            } else if cases.iter().any(|(_, dest)| dest == default) {
                Some(InstKind::Switch {
                    value: *value,
                    default: default.clone(),
                    cases: cases
                        .iter()
                        .filter(|(_, dest)| dest != default)
                        .cloned()
                        .collect(),
                })
            } else {
                None
            }
        }
        _ => None,
    };
    match new {
        Some(kind) => {
            func.insts[inst].kind = kind;
            Changed::Yes
        }
        None => Changed::No,
    }
}

/// `branch c, B(x), B(y)` becomes `jump B(select c, x, y)`.
fn branch_to_selects(func: &mut Function, block: Block, inst: Inst) -> Changed {
    let InstKind::Branch { cond, then, other } = &func.insts[inst].kind else {
        return Changed::No;
    };
    if then.block != other.block {
        return Changed::No;
    }
    let pairs = then.args.iter().zip(&other.args);
    // No device chooses between two matrices.
    if then.args.iter().any(|&arg| func.matrix_type(arg).is_some()) {
        return Changed::No;
    }
    if pairs.clone().filter(|(a, b)| a != b).count() > MAX_SELECTS {
        return Changed::No;
    }
    let (cond, target) = (*cond, then.block);
    let pairs: SmallVec<[(Value, Value); 4]> = pairs.map(|(&a, &b)| (a, b)).collect();
    let loc = func.insts[inst].loc;
    func.layout.insts[block].pop();
    let args = pairs
        .iter()
        .map(|&(a, b)| {
            if a == b {
                return a;
            }
            let ty = func.ty(a);
            let kind = InstKind::Select {
                cond,
                then: a,
                other: b,
            };
            func.append_value(block, kind, ty, loc)
        })
        .collect();
    let dest = BlockCall {
        block: target,
        args,
    };
    func.append(block, InstKind::Jump { dest }, &[], loc);
    Changed::Yes
}

/// Sends branches to blocks that only jump on to where those lead.
fn thread_jumps(func: &mut Function) -> Changed {
    let entry = func.entry();
    let only_jumps = |&block: &Block| {
        let &[inst] = func.layout.insts[block].as_slice() else {
            return false;
        };
        matches!(func.insts[inst].kind, InstKind::Jump { .. }) && Some(block) != entry
    };
    let jumps: Vec<Block> = func
        .layout
        .blocks
        .iter()
        .copied()
        .filter(only_jumps)
        .collect();
    if jumps.is_empty() {
        return Changed::No;
    }
    let with_params = (jumps.iter()).any(|&block| !func.blocks[block].params.is_empty());
    let cfg = Cfg::new(func);
    let mut forwards: SecondaryMap<Block, bool> = func.block_map();
    for block in jumps {
        let mut dests = cfg.succs(block).iter();
        forwards[block] = dests.all(|&dest| cfg.rpo_number(dest) > cfg.rpo_number(block));
    }
    // Parameters of such blocks may be used by nothing but the block's own jump.
    let mut used_elsewhere: SecondaryMap<Block, bool> = func.block_map();
    let blocks = if with_params {
        &func.layout.blocks[..]
    } else {
        &[]
    };
    for &block in blocks {
        for &inst in &func.layout.insts[block] {
            func.insts[inst].kind.for_each_value(|value| {
                if let ValueDef::Param(owner, _) = *func.def(value) {
                    if owner != block {
                        used_elsewhere[owner] = true;
                    }
                }
            });
        }
    }
    let may_pass = |block: Block| forwards[block] && !used_elsewhere[block];
    let mut changed = Changed::No;
    // From the end: the blocks behind have been threaded, so that no chain is gone along more than once.
    for block in func.layout.blocks.clone().into_iter().rev() {
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        let kind = &func.insts[inst].kind;
        if !(kind.successors().iter()).any(|call| may_pass(call.block)) {
            continue;
        }
        let mut kind = kind.clone();
        let mut threaded = false;
        for call in kind.successors_mut() {
            // Chains are acyclic: each step goes forward in the reverse postorder.
            while may_pass(call.block) {
                let middle = call.block;
                let &[jump] = func.layout.insts[middle].as_slice() else {
                    break;
                };
                let InstKind::Jump { dest } = &func.insts[jump].kind else {
                    break;
                };
                let args = dest
                    .args
                    .iter()
                    .map(|&arg| match *func.def(arg) {
                        ValueDef::Param(owner, index) if owner == middle => {
                            call.args[usize::from(index)]
                        }
                        _ => arg,
                    })
                    .collect();
                *call = BlockCall {
                    block: dest.block,
                    args,
                };
                // A loop that is entered behind its header has a new one.
                let unroll = func.blocks[middle].unroll;
                if func.blocks[call.block].unroll == UnrollHint::None {
                    func.blocks[call.block].unroll = unroll;
                }
                threaded = true;
            }
        }
        if threaded {
            func.insts[inst].kind = kind;
            changed = Changed::Yes;
        }
    }
    changed
}

/// Gives a block with one way in what comes that way in place of its parameters, and appends it to its predecessor
/// when that one only jumps there. All blocks can be reached.
fn merge_blocks(func: &mut Function) -> Changed {
    let mut edges: SecondaryMap<Block, u32> = func.block_map();
    for &block in &func.layout.blocks {
        if let Some(inst) = func.terminator(block) {
            for call in func.insts[inst].kind.successors() {
                edges[call.block] += 1;
            }
        }
    }
    let mut replacements = Replacements::default();
    let mut gone: SecondaryMap<Block, bool> = func.block_map();
    let mut changed = Changed::No;
    let entry = func.entry();
    for block in func.layout.blocks.clone() {
        if gone[block] {
            continue;
        }
        while let Some(inst) = func.terminator(block) {
            changed |= pass_straight_on(func, inst, &edges, &mut replacements);
            let InstKind::Jump { dest } = &func.insts[inst].kind else {
                break;
            };
            let next = dest.block;
            if edges[next] != 1 || next == block || Some(next) == entry {
                break;
            }
            let moved = std::mem::take(&mut func.layout.insts[next]);
            let insts = &mut func.layout.insts[block];
            insts.pop();
            insts.extend(moved);
            gone[next] = true;
            changed = Changed::Yes;
        }
    }
    if changed.is_yes() {
        func.layout.blocks.retain(|&block| !gone[block]);
        replacements.apply(func);
    }
    changed
}

/// Replaces the parameters of those blocks to which a terminator branches that have no other way in.
fn pass_straight_on(
    func: &mut Function,
    inst: Inst,
    edges: &SecondaryMap<Block, u32>,
    replacements: &mut Replacements,
) -> Changed {
    let entry = func.entry();
    let only_way = |call: &BlockCall| {
        !call.args.is_empty() && edges[call.block] == 1 && Some(call.block) != entry
    };
    let kind = &func.insts[inst].kind;
    if !kind.successors().into_iter().any(only_way) {
        return Changed::No;
    }
    for call in func.insts[inst].kind.successors_mut() {
        if only_way(call) {
            let params = std::mem::take(&mut func.blocks[call.block].params);
            for (param, arg) in params.into_iter().zip(std::mem::take(&mut call.args)) {
                replacements.replace(param, arg);
            }
        }
    }
    Changed::Yes
}
