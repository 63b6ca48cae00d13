//! The places where control leaves a function for the dispatch and comes back.

use crate::rewrite::Replacements;
use cranelift_entity::EntitySet;
use pumice_ir::{
    Block, BlockCall, Cfg, FuncId, Function, Inst, InstKind, Loop, LoopNest, SourceLoc, Type,
    UnrollHint, Value,
};
use std::collections::BTreeSet;

/// A place where control leaves.
pub(super) struct Stop {
    /// Ends in a jump to the block that control comes back to.
    pub block: Block,
    /// The call before the jump; `None` where a loop goes round.
    pub call: Option<Inst>,
    /// The number of the block that control comes back to.
    pub resume: usize,
}

/// The result of [`cut`].
#[derive(Default)]
pub(super) struct Cuts {
    pub stops: Vec<Stop>,
    /// The blocks that control comes back to. Each is reached from stops only.
    pub resumes: Vec<Block>,
}

/// Cuts blocks behind the calls of shared functions, and gives the edges by which loops with such calls go round a block
/// of their own.
pub(super) fn cut(func: &mut Function, shared: &BTreeSet<FuncId>) -> Cuts {
    let mut cuts = Cuts::default();
    cut_calls(func, shared, &mut cuts);
    cut_rounds(func, &mut cuts);
    cuts
}

/// Returns whether an instruction calls one of some functions.
pub(super) fn calls_one_of(kind: &InstKind, functions: &BTreeSet<FuncId>) -> bool {
    matches!(kind, InstKind::Call { func, .. } if functions.contains(func))
}

fn cut_calls(func: &mut Function, shared: &BTreeSet<FuncId>, cuts: &mut Cuts) {
    let mut replaced = Replacements::default();
    let blocks = std::mem::take(&mut func.layout.blocks);
    let mut order = Vec::with_capacity(blocks.len());
    for block in blocks {
        order.push(block);
        let mut at = block;
        for inst in std::mem::take(&mut func.layout.insts[block]) {
            func.layout.insts[at].push(inst);
            if !calls_one_of(&func.insts[inst].kind, shared) {
                continue;
            }
            let resume = func.make_block();
            for result in func.insts[inst].results.clone() {
                let param = func.append_param(resume, func.ty(result));
                replaced.replace(result, param);
            }
            cuts.stops.push(Stop {
                block: at,
                call: Some(inst),
                resume: cuts.resumes.len(),
            });
            cuts.resumes.push(resume);
            order.push(resume);
            at = resume;
        }
    }
    func.layout.blocks = order;
    replaced.apply(func);
    for stop in &cuts.stops {
        let results = stop.call.map(|call| func.insts[call].results.to_vec());
        let dest = BlockCall::new(cuts.resumes[stop.resume], &results.unwrap_or_default());
        func.append(
            stop.block,
            InstKind::Jump { dest },
            &[],
            SourceLoc::default(),
        );
    }
}

fn cut_rounds(func: &mut Function, cuts: &mut Cuts) {
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return;
    };
    let mut called: EntitySet<Loop> = EntitySet::new();
    for stop in &cuts.stops {
        let mut around = nest.innermost(stop.block);
        while let Some(this) = around.filter(|&this| called.insert(this)) {
            around = nest.loops[this].parent;
        }
    }
    for this in called.iter() {
        let header = nest.loops[this].header;
        func.blocks[header].unroll = UnrollHint::None;
        let resume = func.append_block();
        let types: Vec<Type> = (func.blocks[header].params.iter())
            .map(|&param| func.ty(param))
            .collect();
        let params: Vec<Value> = (types.into_iter())
            .map(|ty| func.append_param(resume, ty))
            .collect();
        let dest = BlockCall::new(header, &params);
        func.append(resume, InstKind::Jump { dest }, &[], SourceLoc::default());
        for &pred in cfg.preds(header) {
            if dom.dominates(header, pred) {
                cut_edges(func, pred, header, resume, cuts);
            }
        }
        cuts.resumes.push(resume);
    }
}

/// Gives each branch of `block` to the header a block that goes to the next one of `cuts.resumes` instead.
fn cut_edges(func: &mut Function, block: Block, header: Block, resume: Block, cuts: &mut Cuts) {
    let Some(last) = func.terminator(block) else {
        return;
    };
    let mut kind = func.insts[last].kind.clone();
    for call in kind.successors_mut() {
        if call.block != header {
            continue;
        }
        let edge = func.append_block();
        let dest = BlockCall {
            block: resume,
            args: std::mem::take(&mut call.args),
        };
        func.append(edge, InstKind::Jump { dest }, &[], SourceLoc::default());
        call.block = edge;
        cuts.stops.push(Stop {
            block: edge,
            call: None,
            resume: cuts.resumes.len(),
        });
    }
    func.insts[last].kind = kind;
}
