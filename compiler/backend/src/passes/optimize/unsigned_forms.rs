//! Signed comparisons and shifts of integers that are never negative become unsigned ones.
//!
//! Drivers bound unsigned numbers (a local id is below the work-group's size) and unroll the loops whose
//! rounds such bounds limit; of signed ones they know nothing. A shift with a mask behind it is one
//! instruction of many devices if it is unsigned.
//!
//! A number is never negative by the operation that makes it. A parameter of a block is none if all
//! that is passed to it is none; what a loop adds to its own parameter counts where a comparison with a
//! constant that leads there keeps the sum from overflowing.

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    BinaryOp, Block, BuiltIn, Cfg, ConvertOp, DomTree, Function, Inst, InstKind, IntCond, Scalar,
    Value, ValueDef,
};
use smallvec::{SmallVec, smallvec};

/// Operations that are looked back through.
const MAX_DEPTH: u32 = 8;

/// Runs the pass.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let signed: Vec<Inst> = (func.layout.blocks.iter())
        .flat_map(|&block| &func.layout.insts[block])
        .copied()
        .filter(|&inst| unsigned(&func.insts[inst].kind).is_some())
        .collect();
    if signed.is_empty() {
        return Changed::No;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let mut changed = false;
    for inst in signed {
        let Some((kind, operands)) = unsigned(&func.insts[inst].kind) else {
            continue;
        };
        let mut signs = Signs {
            func,
            cfg: &cfg,
            dom: &dom,
            assumed: Vec::new(),
        };
        let mut operands = operands.iter();
        if operands.all(|&operand| signs.never_negative(operand, MAX_DEPTH)) {
            func.insts[inst].kind = kind;
            changed = true;
        }
    }
    Changed::from_bool(changed)
}

/// The unsigned form of a signed operation, and the operands that must not be negative for it.
fn unsigned(kind: &InstKind) -> Option<(InstKind, SmallVec<[Value; 2]>)> {
    Some(match *kind {
        InstKind::ICmp { cond, args } => {
            let cond = match cond {
                IntCond::Slt => IntCond::Ult,
                IntCond::Sle => IntCond::Ule,
                IntCond::Sgt => IntCond::Ugt,
                IntCond::Sge => IntCond::Uge,
                _ => return None,
            };
            (InstKind::ICmp { cond, args }, args.into())
        }
        InstKind::Binary {
            op: BinaryOp::AShr,
            args,
            flags,
        } => {
            let op = BinaryOp::LShr;
            (InstKind::Binary { op, args, flags }, smallvec![args[0]])
        }
        _ => return None,
    })
}

struct Signs<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    /// Parameters that are none if what is looked at is none.
    assumed: Vec<Value>,
}

impl Signs<'_> {
    fn never_negative(&mut self, value: Value, depth: u32) -> bool {
        let func = self.func;
        if func.ty(value).is_vector() {
            return false;
        }
        if let Some(number) = self.constant(value) {
            return number >= 0;
        }
        match *func.def(value) {
            ValueDef::Result(inst, _) => self.result(inst, value, depth),
            ValueDef::Param(block, index) => self.param(value, block, index as usize, depth),
            _ => false,
        }
    }

    /// The value of a constant, as a signed number.
    fn constant(&self, value: Value) -> Option<i64> {
        let bits = self.func.const_bits(value)?;
        let unused = 64_u32.checked_sub(self.func.ty(value).scalar.bits())?;
        Some((bits << unused) as i64 >> unused)
    }

    fn result(&mut self, inst: Inst, value: Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match self.func.insts[inst].kind {
            InstKind::Binary { op, args, .. } => self.binary(op, args, depth),
            InstKind::Convert {
                op: ConvertOp::ZExt,
                ..
            } => true,
            InstKind::Convert {
                op: ConvertOp::SExt,
                arg,
                ..
            } => self.never_negative(arg, depth),
            InstKind::Convert {
                op: ConvertOp::Trunc,
                arg,
                ..
            } => self.func.ty(value).scalar == Scalar::I32 && self.is_of_group(arg),
            InstKind::Extract { .. } => self.is_of_group(value),
            InstKind::Select { then, other, .. } => {
                self.never_negative(then, depth) && self.never_negative(other, depth)
            }
            InstKind::BuiltInWord { .. } | InstKind::BuiltIn { .. } => self.is_of_group(value),
            _ => false,
        }
    }

    fn binary(&mut self, op: BinaryOp, [a, b]: [Value; 2], depth: u32) -> bool {
        let mut none = |value| self.never_negative(value, depth);
        match op {
            BinaryOp::And | BinaryOp::UMin | BinaryOp::SMax => none(a) || none(b),
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::UMax | BinaryOp::SMin => none(a) && none(b),
            BinaryOp::UDiv | BinaryOp::AShr => none(a),
            BinaryOp::URem => none(a) || none(b),
            BinaryOp::LShr => none(a) || self.constant(b).is_some_and(|count| count > 0),
            _ => false,
        }
    }

    /// Returns whether a number counts work-items of a work-group: its low half is below 2^31.
    fn is_of_group(&self, value: Value) -> bool {
        let Some(inst) = self.func.def_inst(value) else {
            return false;
        };
        let which = match self.func.insts[inst].kind {
            InstKind::Extract { vector, .. } => return self.is_of_group(vector),
            InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => which,
            _ => return false,
        };
        matches!(
            which,
            BuiltIn::LocalId
                | BuiltIn::LocalSize
                | BuiltIn::EnqueuedLocalSize
                | BuiltIn::LocalLinearId
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupMaxSize
                | BuiltIn::NumSubgroups
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupLocalId
        )
    }

    fn param(&mut self, value: Value, block: Block, index: usize, depth: u32) -> bool {
        if self.assumed.contains(&value) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if self.cfg.preds(block).is_empty() {
            return false;
        }
        self.assumed.push(value);
        let preds = self.cfg.preds(block).to_vec();
        let all = preds.iter().all(|&pred| {
            let Some(term) = self.func.terminator(pred) else {
                return false;
            };
            let calls = self.func.insts[term].kind.successors();
            calls.iter().filter(|call| call.block == block).all(|call| {
                let arg = call.args[index];
                self.never_negative(arg, depth) || self.grows_safely(arg, value, pred)
            })
        });
        if !all {
            // What was found out under the assumption is of no use any more.
            self.assumed.clear();
        }
        all
    }

    /// Returns whether what reaches the end of `block` is `param` and a constant, without overflow.
    fn grows_safely(&self, next: Value, param: Value, block: Block) -> bool {
        let Some(inst) = self.func.def_inst(next) else {
            return false;
        };
        let InstKind::Binary {
            op: BinaryOp::IAdd,
            args,
            ..
        } = self.func.insts[inst].kind
        else {
            return false;
        };
        let step = match args {
            [a, b] if a == param => self.constant(b),
            [a, b] if b == param => self.constant(a),
            _ => None,
        };
        let largest = i64::MAX >> (64 - self.func.ty(param).scalar.bits());
        match (step, self.bound(param, block)) {
            (Some(step), Some(bound)) => {
                step >= 0 && bound.checked_add(step).is_some_and(|sum| sum <= largest)
            }
            _ => false,
        }
    }

    /// The largest value of a parameter that a comparison on the way to `block` lets pass.
    fn bound(&self, param: Value, block: Block) -> Option<i64> {
        let mut inner = block;
        while let Some(outer) = self.dom.idom(inner) {
            let found = (self.func.terminator(outer)).and_then(|term| {
                let InstKind::Branch {
                    cond,
                    ref then,
                    ref other,
                } = self.func.insts[term].kind
                else {
                    return None;
                };
                // The branch was taken one way if that way's block leads here and has no other way in than
                // from what it leads to itself.
                let passed = |way: Block| {
                    let preds = self.cfg.preds(way).iter();
                    let entries = preds.filter(|&&pred| !self.dom.dominates(way, pred));
                    self.dom.dominates(way, block) && entries.count() == 1
                };
                if then.block == other.block {
                    return None;
                }
                match (passed(then.block), passed(other.block)) {
                    (true, false) => self.largest(param, cond, true),
                    (false, true) => self.largest(param, cond, false),
                    _ => None,
                }
            });
            if found.is_some() {
                return found;
            }
            inner = outer;
        }
        None
    }

    /// The largest value of a parameter for which a condition holds, or does not.
    fn largest(&self, param: Value, cond: Value, holds: bool) -> Option<i64> {
        let inst = self.func.def_inst(cond)?;
        let InstKind::ICmp { cond, args } = self.func.insts[inst].kind else {
            return None;
        };
        let (cond, limit) = match args {
            [a, b] if a == param => (cond, self.constant(b)?),
            [a, b] if b == param => (cond.swapped(), self.constant(a)?),
            _ => return None,
        };
        // Comparisons that this pass has made unsigned were of numbers that are not negative.
        match (cond, holds) {
            (IntCond::Slt, true) | (IntCond::Sge, false) => limit.checked_sub(1),
            (IntCond::Sle, true) | (IntCond::Sgt, false) => Some(limit),
            (IntCond::Ult, true) | (IntCond::Uge, false) if limit >= 0 => limit.checked_sub(1),
            (IntCond::Ule, true) | (IntCond::Ugt, false) if limit >= 0 => Some(limit),
            _ => None,
        }
    }
}
