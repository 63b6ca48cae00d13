//! The largest numbers that integers can be.
//!
//! A number is bounded by the operation that makes it. A parameter of a block is bounded if all that is passed
//! to it is; what a loop adds to its own parameter counts where a comparison with a constant that leads there
//! keeps the sum from growing past the bound.

use pumice_ir::analysis::eval;
use pumice_ir::{
    BinaryOp, Block, BuiltIn, Cfg, ConvertOp, DomTree, Function, Inst, InstKind, IntCond, Scalar,
    Value, ValueDef,
};
use pumice_target::MOST_GROUP_INVOCATIONS;

/// Operations that are looked back through.
const MAX_DEPTH: u32 = 8;

/// Values that a question may look at: a parameter asks for all that is passed to it, parameters among them.
const MAX_STEPS: u32 = 1024;

/// Numbers that count work-items of a work-group, or its sub-groups, are not above it.
const MOST_OF_GROUP: u64 = MOST_GROUP_INVOCATIONS as u64;

/// Answers questions about a function's integers.
pub(super) struct Bounds<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    /// Parameters that are at most the number beside them if what is looked at is bounded.
    assumed: Vec<(Value, u64)>,
    /// Values that the question may still look at.
    steps: u32,
}

/// The greatest number of an integer type, taken as unsigned.
pub(super) fn greatest(scalar: Scalar) -> u64 {
    eval::mask(scalar, u64::MAX)
}

/// The greatest number of an integer type, taken as signed.
pub(super) fn greatest_signed(scalar: Scalar) -> u64 {
    greatest(scalar) >> 1
}

/// The largest number below a limit, or the limit, whose bits are ones behind zeros.
fn ones_within(limit: u64) -> u64 {
    match limit.checked_add(1) {
        Some(above) => (1 << above.ilog2()) - 1,
        None => limit,
    }
}

impl<'a> Bounds<'a> {
    pub fn new(func: &'a Function, cfg: &'a Cfg, dom: &'a DomTree) -> Self {
        let assumed = Vec::new();
        Self {
            func,
            cfg,
            dom,
            assumed,
            steps: 0,
        }
    }

    /// Returns whether an integer, or each lane of a vector of them, taken as unsigned, is known to be at most
    /// `limit`.
    pub fn at_most(&mut self, value: Value, limit: u64) -> bool {
        self.assumed.clear();
        self.steps = MAX_STEPS;
        self.within(value, limit, MAX_DEPTH)
    }

    /// Returns whether an integer, taken as signed, is known not to be negative.
    pub fn never_negative(&mut self, value: Value) -> bool {
        self.at_most(value, greatest_signed(self.func.ty(value).scalar))
    }

    /// Takes steps of those that are left; false if they are fewer.
    fn spend(&mut self, steps: usize) -> bool {
        let left = u32::try_from(steps).map(|steps| self.steps.checked_sub(steps));
        let left = left.ok().flatten();
        self.steps = left.unwrap_or(0);
        left.is_some()
    }

    fn within(&mut self, value: Value, limit: u64, depth: u32) -> bool {
        if !self.spend(1) {
            return false;
        }
        let func = self.func;
        let scalar = func.ty(value).scalar;
        if !(scalar.is_int() || scalar == Scalar::Bool) {
            return false;
        }
        if greatest(scalar) <= limit {
            return true;
        }
        if let Some(lanes) = func.const_lanes(value) {
            return lanes.iter().all(|&lane| eval::mask(scalar, lane) <= limit);
        }
        match *func.def(value) {
            ValueDef::Result(inst, _) => self.result(inst, value, limit, depth),
            ValueDef::Param(block, index) => self.param(value, block, index as usize, limit, depth),
            _ => false,
        }
    }

    /// The number that each lane of a constant is, as an unsigned one.
    fn constant(&self, value: Value) -> Option<u64> {
        let lanes = self.func.const_lanes(value)?;
        let &first = lanes.first()?;
        let same = lanes.iter().all(|&lane| lane == first);
        same.then(|| eval::mask(self.func.ty(value).scalar, first))
    }

    fn result(&mut self, inst: Inst, value: Value, limit: u64, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let of_group = limit >= MOST_OF_GROUP && self.is_of_group(value);
        of_group
            || match self.func.insts[inst].kind {
                InstKind::Binary { op, args, .. } => self.binary(op, args, limit, depth),
                InstKind::Convert { op, arg, .. } => self.converted(op, arg, value, limit, depth),
                InstKind::Extract { vector, .. } | InstKind::ExtractDyn { vector, .. } => {
                    self.within(vector, limit, depth)
                }
                InstKind::Splat { arg } => self.within(arg, limit, depth),
                InstKind::Build { ref lanes } => {
                    lanes.iter().all(|&lane| self.within(lane, limit, depth))
                }
                InstKind::Insert { vector, scalar, .. }
                | InstKind::InsertDyn { vector, scalar, .. } => {
                    self.within(scalar, limit, depth) && self.within(vector, limit, depth)
                }
                InstKind::Shuffle { args, ref mask } => {
                    mask.iter().all(Option::is_some)
                        && args.iter().all(|&arg| self.within(arg, limit, depth))
                }
                InstKind::Select { then, other, .. } => {
                    self.within(then, limit, depth) && self.within(other, limit, depth)
                }
                _ => false,
            }
    }

    fn converted(
        &mut self,
        op: ConvertOp,
        arg: Value,
        value: Value,
        limit: u64,
        depth: u32,
    ) -> bool {
        let from = self.func.ty(arg).scalar;
        match op {
            ConvertOp::ZExt => self.within(arg, limit, depth),
            ConvertOp::SExt if from.is_int() => {
                self.within(arg, limit.min(greatest_signed(from)), depth)
            }
            ConvertOp::Trunc => {
                // The low half of such a number is all of it.
                let of_group = self.func.ty(value).scalar == Scalar::I32 && self.is_of_group(arg);
                (of_group && limit >= MOST_OF_GROUP) || self.within(arg, limit, depth)
            }
            _ => false,
        }
    }

    fn binary(&mut self, op: BinaryOp, [a, b]: [Value; 2], limit: u64, depth: u32) -> bool {
        let scalar = self.func.ty(a).scalar;
        let most = greatest_signed(scalar);
        let number = self.constant(b);
        let count = number.map(|count| count % u64::from(scalar.bits()));
        let mut within = |value, limit| self.within(value, limit, depth);
        // Not negative, and within the limit.
        let signed = limit.min(most);
        match op {
            BinaryOp::And | BinaryOp::UMin => within(a, limit) || within(b, limit),
            BinaryOp::Or | BinaryOp::Xor => {
                let ones = ones_within(limit);
                within(a, ones) && within(b, ones)
            }
            BinaryOp::UMax => within(a, limit) && within(b, limit),
            BinaryOp::SMax if limit >= most => within(a, most) || within(b, most),
            BinaryOp::SMax => within(a, limit) && within(b, limit),
            BinaryOp::SMin => {
                (within(a, signed) && within(b, most)) || (within(b, signed) && within(a, most))
            }
            BinaryOp::UDiv => {
                let scaled = number.filter(|&by| by > 0).map(|by| {
                    let most = limit.saturating_mul(by);
                    most.saturating_add(by - 1)
                });
                within(a, scaled.unwrap_or(limit))
            }
            BinaryOp::URem => {
                number.is_some_and(|by| by > 0 && by - 1 <= limit)
                    || within(a, limit)
                    || within(b, limit)
            }
            BinaryOp::SDiv => within(a, signed) && within(b, most),
            BinaryOp::SRem => {
                let small = number.is_some_and(|by| (1..=most).contains(&by) && by - 1 <= limit);
                within(a, if small { most } else { signed })
            }
            BinaryOp::LShr => within(a, shifted_back(limit, count)),
            BinaryOp::AShr => within(a, shifted_back(limit, count).min(most)),
            BinaryOp::Shl => count.is_some_and(|count| within(a, limit >> count)),
            BinaryOp::IAdd => match number {
                Some(by) => by <= limit && within(a, limit - by),
                None => within(a, limit / 2) && within(b, limit - limit / 2),
            },
            BinaryOp::ISub => self
                .constant(a)
                .is_some_and(|from| from <= limit && self.within(b, from, depth)),
            BinaryOp::IMul => match number {
                Some(0) => true,
                Some(by) => within(a, limit / by),
                None => {
                    let root = limit.isqrt();
                    within(a, root) && within(b, root)
                }
            },
            _ => false,
        }
    }

    /// Returns whether a number counts work-items of a work-group.
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

    fn param(&mut self, value: Value, block: Block, index: usize, limit: u64, depth: u32) -> bool {
        let known = |&(param, most): &(Value, u64)| param == value && most <= limit;
        if self.assumed.iter().any(known) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let preds = self.cfg.preds(block);
        if preds.is_empty() {
            return false;
        }
        self.assumed.push((value, limit));
        let all = preds.iter().all(|&pred| {
            let Some(term) = self.func.terminator(pred) else {
                return false;
            };
            let calls = self.func.insts[term].kind.successors();
            if !self.spend(calls.len()) {
                return false;
            }
            calls.iter().filter(|call| call.block == block).all(|call| {
                let arg = call.args[index];
                self.grows_safely(arg, value, pred, limit, depth) || self.within(arg, limit, depth)
            })
        });
        if !all {
            // What was found out under the assumption is of no use any more.
            self.assumed.clear();
        }
        all
    }

    /// Returns whether what reaches the end of `block` is `param` and a number, and at most `limit`, if
    /// `param` is at most `limit`.
    fn grows_safely(
        &mut self,
        next: Value,
        param: Value,
        block: Block,
        limit: u64,
        depth: u32,
    ) -> bool {
        let Some(step) = self.step(next, param) else {
            return false;
        };
        // A signed comparison bounds what is not negative.
        if limit > greatest_signed(self.func.ty(param).scalar) {
            return false;
        }
        let room = (self.bound(param, block)).and_then(|bound| limit.checked_sub(bound));
        room.is_some_and(|room| self.within(step, room, depth))
    }

    /// The number that is added to `param`, as it is or as a wider number that is made narrow again.
    fn step(&self, next: Value, param: Value) -> Option<Value> {
        let kind = |value| Some(&self.func.insts[self.func.def_inst(value)?].kind);
        let sum = match *kind(next)? {
            InstKind::Convert {
                op: ConvertOp::Trunc,
                arg,
                ..
            } => arg,
            _ => next,
        };
        let InstKind::Binary {
            op: BinaryOp::IAdd,
            args: [a, b],
            ..
        } = *kind(sum)?
        else {
            return None;
        };
        let is_param = |value| {
            let extended = || match *kind(value)? {
                InstKind::Convert {
                    op: ConvertOp::SExt | ConvertOp::ZExt,
                    arg,
                    ..
                } => Some(arg),
                _ => None,
            };
            value == param || extended() == Some(param)
        };
        match (is_param(a), is_param(b)) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        }
    }

    /// The largest value of a parameter, which is not negative, that a comparison on the way to `block` lets
    /// pass.
    fn bound(&mut self, param: Value, block: Block) -> Option<u64> {
        let mut inner = block;
        while let Some(outer) = self.dom.idom(inner) {
            if !self.spend(1) {
                return None;
            }
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
                    self.dom.dominates(way, block) && entries.take(2).count() == 1
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

    /// The largest value of a parameter that is not negative for which a condition holds, or does not.
    fn largest(&self, param: Value, cond: Value, holds: bool) -> Option<u64> {
        let inst = self.func.def_inst(cond)?;
        let InstKind::ICmp { cond, args } = self.func.insts[inst].kind else {
            return None;
        };
        let (cond, limit) = match args {
            [a, b] if a == param => (cond, self.constant(b)?),
            [a, b] if b == param => (cond.swapped(), self.constant(a)?),
            _ => return None,
        };
        if limit > greatest_signed(self.func.ty(param).scalar) {
            return None;
        }
        match (cond, holds) {
            (IntCond::Slt | IntCond::Ult, true) | (IntCond::Sge | IntCond::Uge, false) => {
                limit.checked_sub(1)
            }
            (IntCond::Sle | IntCond::Ule, true) | (IntCond::Sgt | IntCond::Ugt, false) => {
                Some(limit)
            }
            _ => None,
        }
    }
}

/// The largest number that a shift right by `count` makes `limit` at most; `limit` where the count is not known.
fn shifted_back(limit: u64, count: Option<u64>) -> u64 {
    let Some(count) = count else {
        return limit;
    };
    match limit.leading_zeros() as u64 >= count {
        true => limit << count | ((1 << count) - 1),
        false => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::{ones_within, shifted_back};

    #[test]
    fn limits_of_operands() {
        assert_eq!(
            [0, 1, 2, 254, 255, 256, u64::MAX].map(ones_within),
            [0, 1, 1, 127, 255, 255, u64::MAX]
        );
        assert_eq!(shifted_back(3, Some(4)), 63);
        assert_eq!(shifted_back(u64::MAX, Some(0)), u64::MAX);
        assert_eq!(shifted_back(1, Some(63)), u64::MAX);
        assert_eq!(shifted_back(2, Some(63)), u64::MAX);
        assert_eq!(shifted_back(9, None), 9);
    }
}
