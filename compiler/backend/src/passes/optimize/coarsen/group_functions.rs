//! Functions of work-groups: neighbours combine their values among themselves, and the invocations what comes of it.

use super::copy::Copier;
use pumice_ir::{
    BinaryOp, Block, Function, GroupOp, GroupOperation, Inst, InstKind, IntCond, Scope, SourceLoc,
    Type, Value,
};
use smallvec::{SmallVec, smallvec};

/// The result of a function of work-groups.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupFunction {
    /// One value to all: the values of all combined.
    Reduction,
    /// To each the values before its own combined, with its own or not.
    Scan { with_own: bool },
    /// One value to all: that of one work-item, by its number in a work-group of one dimension.
    Broadcast,
}

/// The function of work-groups that an instruction is, if copies can have it.
pub(super) fn group_function(func: &Function, kind: &InstKind) -> Option<GroupFunction> {
    let InstKind::Group {
        op,
        scope: Scope::Workgroup,
        args,
    } = kind
    else {
        return None;
    };
    match (op, op.operation()) {
        (GroupOp::All | GroupOp::Any, _) => Some(GroupFunction::Reduction),
        (GroupOp::Broadcast, _) => {
            let is_scalar = !func.ty(args[1]).is_vector();
            is_scalar.then_some(GroupFunction::Broadcast)
        }
        (GroupOp::BallotBitCount(_), _) => None,
        (_, Some(GroupOperation::Reduce)) => Some(GroupFunction::Reduction),
        (_, Some(GroupOperation::InclusiveScan)) => Some(GroupFunction::Scan { with_own: true }),
        (_, Some(GroupOperation::ExclusiveScan)) => Some(GroupFunction::Scan { with_own: false }),
        _ => None,
    }
}

impl Copier<'_> {
    /// Writes a function of the work-group for all neighbours.
    pub(super) fn group_function_of_all(&mut self, at: Block, inst: Inst, function: GroupFunction) {
        let old = self.old;
        let data = &old.insts[inst];
        let (InstKind::Group { op, args, .. }, &[result]) = (&data.kind, data.results.as_slice())
        else {
            return;
        };
        let (op, loc) = (*op, data.loc);
        let values: Vec<Value> = (0..self.items())
            .map(|item| self.value(args[0], item))
            .collect();
        match function {
            GroupFunction::Reduction => {
                let sums = self.running(at, op, &values, loc);
                let all = self.group(at, op, smallvec![sums[sums.len() - 1]], loc);
                self.share(result, all);
            }
            GroupFunction::Scan { with_own } => {
                let sums = self.running(at, op, &values, loc);
                let before_all = op.with_operation(GroupOperation::ExclusiveScan);
                let first = self.group(at, before_all, smallvec![sums[sums.len() - 1]], loc);
                for item in 0..values.len() {
                    let own = match (with_own, item) {
                        (true, _) => Some(sums[item]),
                        (false, 0) => None,
                        (false, _) => Some(sums[item - 1]),
                    };
                    let value = match own {
                        Some(own) => self.combined(at, op, first, own, loc),
                        None => first,
                    };
                    self.give(result, item, value);
                }
            }
            GroupFunction::Broadcast => {
                let id = self.value(args[1], 0);
                let ty = self.ty(id);
                let items = self.splat(ty, values.len() as u64);
                let invocation = self.binary(at, BinaryOp::UDiv, [id, items], loc);
                let number = self.binary(at, BinaryOp::URem, [id, items], loc);
                let mut chosen = values[0];
                for (value, item) in values.into_iter().zip(0..).skip(1) {
                    let item = self.splat(ty, item);
                    let args = [number, item];
                    let cond = IntCond::Eq;
                    let kind = InstKind::ICmp { cond, args };
                    let cond = self.append(at, kind, Type::BOOL, loc);
                    let (then, other, ty) = (value, chosen, self.ty(value));
                    chosen = self.append(at, InstKind::Select { cond, then, other }, ty, loc);
                }
                let all = self.group(at, op, smallvec![chosen, invocation], loc);
                self.share(result, all);
            }
        }
    }

    /// For each neighbour, its value combined with those before.
    fn running(&mut self, at: Block, op: GroupOp, values: &[Value], loc: SourceLoc) -> Vec<Value> {
        let mut sums = vec![values[0]];
        for (place, &value) in values[1..].iter().enumerate() {
            let sum = self.combined(at, op, sums[place], value, loc);
            sums.push(sum);
        }
        sums
    }

    fn combined(
        &mut self,
        at: Block,
        op: GroupOp,
        first: Value,
        second: Value,
        loc: SourceLoc,
    ) -> Value {
        let ty = self.ty(first);
        match op.combining(first, second) {
            Some(kind) => self.append(at, kind, ty, loc),
            None => first,
        }
    }

    fn group(
        &mut self,
        at: Block,
        op: GroupOp,
        args: SmallVec<[Value; 3]>,
        loc: SourceLoc,
    ) -> Value {
        let ty = self.ty(args[0]);
        let args = SmallVec::from_slice(&args);
        let scope = Scope::Workgroup;
        self.append(at, InstKind::Group { op, scope, args }, ty, loc)
    }
}
