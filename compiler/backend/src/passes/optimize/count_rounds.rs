//! Loops over parts of an array get a counter of their rounds, which tells drivers a bound.
//!
//! `for (i = get_local_id(0); i < 256; i += 128)` runs at most twice, since ids are not negative. Drivers
//! unroll loops whose bound they find, and do not know that one. A second condition that always holds,
//! the counter below the bound, is one that they understand, and it disappears with the loop. Loops of
//! up to [`MOST_ROUNDS`] rounds get it, whose header compares a value that only grows by a constant with
//! another constant. A start that is a constant itself needs no help.
//!
//! Takes linear time.

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    BinaryOp, Block, BuiltIn, Cfg, ConvertOp, DomTree, FloatFlags, Function, InstKind, IntCond,
    LoopNest, Scalar, Type, UnrollHint, Value,
};

/// Rounds of a loop that is worth unrolling, whatever it does.
const MOST_ROUNDS: u64 = 4;
/// No sum of a value below the limit and a step overflows where both are at most this.
const MOST: u64 = 1 << 30;

/// A loop that gets a counter.
struct Bounded {
    header: Block,
    rounds: u64,
}

/// Bounds the loops of one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let nest = LoopNest::new(&cfg, &dom);
    let found: Vec<Bounded> = nest
        .loops
        .iter()
        .filter_map(|(this, data)| {
            let inside = |block| nest.contains(this, block);
            let rounds = rounds(func, &cfg, &dom, data.header, inside)?;
            Some(Bounded {
                header: data.header,
                rounds,
            })
        })
        .collect();
    for bounded in &found {
        count(func, &cfg, &dom, bounded);
    }
    Changed::from_bool(!found.is_empty())
}

/// The most rounds of a loop, where its header's branch tells it.
fn rounds(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    header: Block,
    inside: impl Fn(Block) -> bool,
) -> Option<u64> {
    let InstKind::Branch { cond, then, other } = &func.insts[func.terminator(header)?].kind else {
        return None;
    };
    let asked = func.blocks[header].unroll;
    if !inside(then.block) || inside(other.block) || asked == UnrollHint::DontUnroll {
        return None;
    }
    let InstKind::ICmp { cond, args } = func.insts[func.def_inst(*cond)?].kind else {
        return None;
    };
    let params = &func.blocks[header].params;
    let index = params.iter().position(|&param| param == args[0])?;
    if func.ty(args[0]) != Type::I32 {
        return None;
    }
    let limit = func.const_bits(args[1])?;
    let (entries, latches): (Vec<Block>, Vec<Block>) =
        (cfg.preds(header).iter()).partition(|&&pred| !dom.dominates(header, pred));
    let starts = incoming(func, header, &entries, index)?;
    let steps = incoming(func, header, &latches, index)?;
    let step = (steps.iter())
        .map(|&next| step_of(func, args[0], next))
        .min()??;
    let known = match cond {
        IntCond::Ult => true,
        IntCond::Slt => starts.iter().all(|&start| is_not_negative(func, start)),
        _ => false,
    };
    let constant = starts.iter().all(|&start| func.const_bits(start).is_some());
    if !known || constant || limit > MOST {
        return None;
    }
    let rounds = limit.div_ceil(step);
    (1..=MOST_ROUNDS).contains(&rounds).then_some(rounds)
}

/// The values that these blocks pass to a parameter of the header.
fn incoming(func: &Function, header: Block, preds: &[Block], index: usize) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for &pred in preds {
        let term = func.terminator(pred)?;
        let calls = func.insts[term].kind.successors().into_iter();
        let here = calls.filter(|call| call.block == header);
        values.extend(here.map(|call| call.args[index]));
    }
    Some(values)
}

/// The constant by which the next value is greater.
fn step_of(func: &Function, value: Value, next: Value) -> Option<u64> {
    let InstKind::Binary {
        op: BinaryOp::IAdd,
        args,
        ..
    } = func.insts[func.def_inst(next)?].kind
    else {
        return None;
    };
    let step = func.const_bits(args[1])?;
    (args[0] == value && (1..=MOST).contains(&step)).then_some(step)
}

/// Returns whether a value is a number of work-items in a group, or a constant that is not negative.
fn is_not_negative(func: &Function, value: Value) -> bool {
    if let Some(bits) = func.const_signed(value) {
        return bits >= 0;
    }
    let Some(inst) = func.def_inst(value) else {
        return false;
    };
    match func.insts[inst].kind {
        InstKind::Convert {
            op: ConvertOp::Trunc,
            arg,
            ..
        } => is_not_negative(func, arg),
        InstKind::Extract { vector, .. } => is_not_negative(func, vector),
        InstKind::BuiltIn { which } => {
            matches!(which, BuiltIn::LocalId | BuiltIn::LocalLinearId)
        }
        _ => false,
    }
}

/// Adds the counter: a parameter of the header, which the branch asks too.
fn count(func: &mut Function, cfg: &Cfg, dom: &DomTree, bounded: &Bounded) {
    let header = bounded.header;
    let Some(term) = func.terminator(header) else {
        return;
    };
    let loc = func.insts[term].loc;
    let counter = func.append_param(header, Type::I32);
    let (zero, one) = (func.i32(0), func.i32(1));
    let most = func.i32(bounded.rounds as i32);
    let bool_ty = Type::scalar(Scalar::Bool);
    let InstKind::Branch { cond: old, .. } = func.insts[term].kind else {
        return;
    };
    let binary = |op, a, b| InstKind::Binary {
        op,
        args: [a, b],
        flags: FloatFlags::empty(),
    };
    let add = |func: &mut Function, kind: InstKind, ty: Type| {
        let inst = func.make_inst(kind, &[ty], loc);
        let insts = &mut func.layout.insts[header];
        insts.insert(insts.len() - 1, inst);
        func.result(inst)
    };
    let below = InstKind::ICmp {
        cond: IntCond::Ult,
        args: [counter, most],
    };
    let below = add(func, below, bool_ty);
    let both = add(func, binary(BinaryOp::And, old, below), bool_ty);
    let next = add(func, binary(BinaryOp::IAdd, counter, one), Type::I32);
    if let InstKind::Branch { cond, .. } = &mut func.insts[term].kind {
        *cond = both;
    }
    for &pred in cfg.preds(header) {
        let arg = match dom.dominates(header, pred) {
            true => next,
            false => zero,
        };
        let Some(term) = func.terminator(pred) else {
            continue;
        };
        for call in func.insts[term].kind.successors_mut() {
            if call.block == header && call.args.len() + 1 == func.blocks[header].params.len() {
                call.args.push(arg);
            }
        }
    }
}
