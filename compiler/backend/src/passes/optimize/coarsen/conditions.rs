//! Conditions of branches: whether all neighbours go the same way.

use super::copy::Copier;
use pumice_ir::{
    AtomicOp, BinaryOp, Block, GroupOp, GroupOperation, InstKind, IntCond, Scope, SourceLoc, Type,
    UnaryOp, Value,
};
use smallvec::smallvec;

/// The depth to which conditions are taken apart; a part may be reached along several ways.
const MAX_DEPTH: u32 = 4;

/// Returns whether a comparison holds for the least left operands, and for the least right ones; `None` if it is not one of order.
fn order(cond: IntCond) -> Option<[bool; 2]> {
    match cond {
        IntCond::Ult | IntCond::Ule | IntCond::Slt | IntCond::Sle => Some([true, false]),
        IntCond::Ugt | IntCond::Uge | IntCond::Sgt | IntCond::Sge => Some([false, true]),
        IntCond::Eq | IntCond::Ne => None,
    }
}

impl Copier<'_> {
    /// A condition with one outcome for all neighbours; `None` if it is not known to be such a one.
    pub(super) fn shared_condition(
        &mut self,
        at: Block,
        cond: Value,
        loc: SourceLoc,
    ) -> Option<Value> {
        if !self.differs(cond) {
            return Some(self.value(cond, 0));
        }
        let old = self.old;
        let InstKind::ICmp { cond, args } = old.insts[old.def_inst(cond)?].kind else {
            return None;
        };
        let are_own = args.iter().all(|&arg| self.differs(arg));
        if !are_own || !self.strides.are_parallel(args) {
            return None;
        }
        let [left, right] = args.map(|arg| self.first_value(arg));
        let args = [left?, right?];
        Some(self.append(at, InstKind::ICmp { cond, args }, Type::BOOL, loc))
    }

    /// The condition that all neighbours take the first way, or all the second; `None` if it does not pay to ask: the lanes
    /// would have to vote, and the way is short. Where they do not go the same way by their ids, they seldom do.
    pub(super) fn all_take(
        &mut self,
        at: Block,
        (cond, first): (Value, bool),
        is_short: bool,
        loc: SourceLoc,
    ) -> Option<Value> {
        if let Some(all) = self.all_have(at, cond, (first, MAX_DEPTH), loc) {
            return Some(all);
        }
        if is_short && self.lanes.is_some() {
            return None;
        }
        let op = match first {
            true => BinaryOp::And,
            false => BinaryOp::Or,
        };
        let mut all = self.of_neighbours(at, op, cond, loc);
        if !first {
            let kind = InstKind::Unary {
                op: UnaryOp::Not,
                arg: all,
            };
            all = self.append(at, kind, Type::BOOL, loc);
        }
        Some(self.of_all_lanes(at, all, loc))
    }

    /// The condition of a branch whose first way, or else second one, all neighbours take if one of them does.
    pub(super) fn one_takes(
        &mut self,
        at: Block,
        (cond, first): (Value, bool),
        loc: SourceLoc,
    ) -> Value {
        let op = match first {
            true => BinaryOp::Or,
            false => BinaryOp::And,
        };
        self.of_neighbours(at, op, cond, loc)
    }

    /// The conditions of all neighbours, joined by an operation.
    fn of_neighbours(&mut self, at: Block, op: BinaryOp, cond: Value, loc: SourceLoc) -> Value {
        let mut joined = self.value(cond, 0);
        for item in 1..self.items() {
            let next = self.value(cond, item);
            joined = self.binary(at, op, [joined, next], loc);
        }
        joined
    }

    /// Finds out if a condition is `wanted` for all neighbours and lanes; `None` unless their first and last one tell.
    fn all_have(
        &mut self,
        at: Block,
        cond: Value,
        (wanted, depth): (bool, u32),
        loc: SourceLoc,
    ) -> Option<Value> {
        let old = self.old;
        let span = self.items() as u64 * self.lanes.as_ref()?.width() as u64;
        let shared = self.shared_condition(at, cond, loc);
        let kind = &old.insts[old.def_inst(cond)?].kind;
        let holds = match *kind {
            _ if shared.is_some() => shared?,
            InstKind::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                args,
                ..
            } if (op == BinaryOp::And) == wanted => {
                let depth = depth.checked_sub(1)?;
                let mut each = |cond| self.all_have(at, cond, (wanted, depth), loc);
                let both = [each(args[0])?, each(args[1])?];
                return Some(self.binary(at, BinaryOp::And, both, loc));
            }
            InstKind::ICmp { cond, args } => {
                let [is_below, is_above] = order(cond)?;
                let [left, right] = args.map(|arg| self.differs(arg));
                // The number that grows from neighbour to neighbour, and whether the condition holds for the least ones.
                let (number, is_of_least) = match (left, right) {
                    (true, false) => (args[0], is_below),
                    (false, true) => (args[1], is_above),
                    _ => return None,
                };
                let step = self.strides.of_number(number)?;
                let mut end = self.first_value(number)?;
                if is_of_least == wanted {
                    let ty = self.ty(end);
                    let distance = self.splat(ty, step * (span - 1));
                    end = self.binary(at, BinaryOp::IAdd, [end, distance], loc);
                }
                let args = args.map(|arg| match arg == number {
                    true => end,
                    false => self.value(arg, 0),
                });
                let kind = InstKind::ICmp { cond, args };
                self.append(at, kind, Type::BOOL, loc)
            }
            _ => return None,
        };
        if wanted {
            return Some(holds);
        }
        let kind = InstKind::Unary {
            op: UnaryOp::Not,
            arg: holds,
        };
        Some(self.append(at, kind, Type::BOOL, loc))
    }

    /// A condition of all lanes of the sub-group, which take the branch together. Drivers reduce words in a few instructions,
    /// and vote in a loop over the lanes.
    fn of_all_lanes(&mut self, at: Block, cond: Value, loc: SourceLoc) -> Value {
        if self.lanes.is_none() {
            return cond;
        }
        let [then, other] = [1, 0].map(|number| self.splat(Type::I32, number));
        let kind = InstKind::Select { cond, then, other };
        let word = self.append(at, kind, Type::I32, loc);
        let kind = InstKind::Group {
            op: GroupOp::Arithmetic(AtomicOp::And, GroupOperation::Reduce),
            scope: Scope::Subgroup,
            args: smallvec![word],
        };
        let args = [self.append(at, kind, Type::I32, loc), other];
        let cond = IntCond::Ne;
        self.append(at, InstKind::ICmp { cond, args }, Type::BOOL, loc)
    }
}
