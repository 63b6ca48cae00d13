//! Short arms of branches are computed before the branch, whichever way it goes.
//!
//! If a branch's arm holds a few cheap operations and then meets the other arm, or the code behind
//! an `if` without `else`, its operations move in front of the branch, and `simplify_cfg` selects
//! one of what the arms passed on. The outcome may be a short arm of a branch around. `a && b` in a
//! loop's condition is a usual case: the loop then has one exit, and `b`'s subexpressions are found
//! again in the loop's body; chains of `?:` are another, and some drivers' compilers choke on
//! thousands of blocks. Only operations that cannot trap and cost little move, some lanes at most.

use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::simplify_cfg;
use pumice_ir::{BinaryOp, Block, Cfg, ConvertOp, Function, InstKind, MathOp};

/// At most so many lanes are computed for nothing.
const MAX_LANES: u32 = 20;
/// As many values as `simplify_cfg` selects instead of a branch.
const MAX_SELECTS: usize = 4;

/// Empties short arms into the blocks before them.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    // Arms that compute nothing are selected at once, and may leave a short arm of the branch around.
    let mut changed = simplify_cfg::run(func, ctx);
    // Each round takes the innermost branches of a nest away, so this ends.
    while one_level(func).is_yes() {
        let _ = simplify_cfg::run(func, ctx);
        changed = Changed::Yes;
    }
    changed
}

fn one_level(func: &mut Function) -> Changed {
    let cfg = Cfg::new(func);
    let mut changed = Changed::No;
    for &block in cfg.reverse_postorder().iter().rev() {
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        let InstKind::Branch { then, other, .. } = &func.insts[inst].kind else {
            continue;
        };
        let (then, other) = (then.block, other.block);
        if then == other {
            continue;
        }
        let ends = [then, other].map(|arm| arm_end(func, &cfg, block, arm));
        let (arms, lanes): (&[Block], u32) = match ends {
            [Some((to, a)), Some((same, b))] if to == same => (&[then, other], a + b),
            [Some((to, lanes)), _] if to == other => (&[then], lanes),
            [_, Some((to, lanes))] if to == then => (&[other], lanes),
            _ => continue,
        };
        if lanes == 0 || lanes > MAX_LANES {
            continue;
        }
        for &arm in arms {
            let mut moved = std::mem::take(&mut func.layout.insts[arm]);
            let jump = moved.pop();
            func.layout.insts[arm].extend(jump);
            let insts = &mut func.layout.insts[block];
            let branch = insts.pop();
            insts.extend(moved);
            insts.extend(branch);
        }
        changed = Changed::Yes;
    }
    changed
}

/// Gives the block that an arm leads to, and the lanes that it computes, if all of it may move.
fn arm_end(func: &Function, cfg: &Cfg, from: Block, arm: Block) -> Option<(Block, u32)> {
    if cfg.preds(arm) != [from] || !func.blocks[arm].params.is_empty() {
        return None;
    }
    let (last, insts) = func.layout.insts[arm].split_last()?;
    let InstKind::Jump { dest } = &func.insts[*last].kind else {
        return None;
    };
    let forward = cfg.rpo_number(dest.block) > cfg.rpo_number(arm);
    if !forward || dest.args.len() > MAX_SELECTS {
        return None;
    }
    let mut lanes = 0;
    for &inst in insts {
        if !is_cheap(&func.insts[inst].kind) {
            return None;
        }
        lanes += u32::from(func.ty(func.result(inst)).lanes);
    }
    Some((dest.block, lanes))
}

/// Returns whether an operation takes about as long as a select, and cannot trap.
pub(super) fn is_cheap(kind: &InstKind) -> bool {
    match kind {
        InstKind::Binary { op, .. } => !matches!(
            op,
            BinaryOp::UDiv
                | BinaryOp::SDiv
                | BinaryOp::URem
                | BinaryOp::SRem
                | BinaryOp::FDiv
                | BinaryOp::FRem
                | BinaryOp::SMulHi
                | BinaryOp::UMulHi
        ),
        InstKind::Convert { op, rounding, .. } => {
            rounding.is_none()
                && matches!(
                    op,
                    ConvertOp::Trunc
                        | ConvertOp::ZExt
                        | ConvertOp::SExt
                        | ConvertOp::SToF
                        | ConvertOp::UToF
                        | ConvertOp::Bitcast
                        | ConvertOp::PtrToInt
                        | ConvertOp::IntToPtr
                )
        }
        InstKind::Math { op, .. } => matches!(
            op,
            MathOp::FAbs
                | MathOp::FMin
                | MathOp::FMax
                | MathOp::Fma
                | MathOp::IsNan
                | MathOp::IsInf
        ),
        InstKind::Unary { .. }
        | InstKind::ICmp { .. }
        | InstKind::FCmp { .. }
        | InstKind::Select { .. }
        | InstKind::Build { .. }
        | InstKind::Splat { .. }
        | InstKind::Extract { .. }
        | InstKind::Insert { .. }
        | InstKind::Shuffle { .. }
        | InstKind::PtrAdd { .. } => true,
        _ => false,
    }
}
