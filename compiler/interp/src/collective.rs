//! Collectives over the active work-items of a work-group or sub-group.

use super::ErrorKind;
use super::eval;
use super::lanes::Lanes;
use pumice_ir::{AtomicOp, BinaryOp, GroupOp, GroupOperation, Scope, Type};
use smallvec::{SmallVec, smallvec};

/// One active work-item.
pub(super) struct Lane {
    /// Position in the sub-group or work-group.
    pub number: u64,
    pub local_id: [u64; 3],
    pub args: SmallVec<[Lanes; 3]>,
}

impl Lane {
    fn arg(&self, n: usize) -> u64 {
        self.args
            .get(n)
            .and_then(|a| a.first())
            .copied()
            .unwrap_or(0)
    }
}

/// The result of each work-item, in order; `ty` is the type of the first operand, `width` the
/// largest size of a sub-group.
pub(super) fn evaluate(
    op: GroupOp,
    scope: Scope,
    ty: Type,
    width: u64,
    lanes: &[Lane],
) -> Result<Vec<Lanes>, ErrorKind> {
    let all = |value: Lanes| vec![value; lanes.len()];
    let flag = |value: bool| -> Lanes { smallvec![u64::from(value)] };
    let value_of = |number: u64| {
        let found = lanes.iter().find(|lane| lane.number == number);
        // An inactive lane's value is unspecified, but 0 for the AMD swizzles.
        found.map_or_else(
            || smallvec![0; usize::from(ty.lanes)],
            |l| l.args[0].clone(),
        )
    };
    let identity = op.identity(ty.scalar);
    let each = |f: &dyn Fn(&Lane) -> Lanes| lanes.iter().map(f).collect::<Vec<_>>();
    Ok(match op {
        GroupOp::Elect => lanes
            .iter()
            .enumerate()
            .map(|(i, _)| flag(i == 0))
            .collect(),
        GroupOp::All => all(flag(lanes.iter().all(|l| l.arg(0) != 0))),
        GroupOp::Any => all(flag(lanes.iter().any(|l| l.arg(0) != 0))),
        GroupOp::AllEqual => all(flag(lanes.iter().all(|l| l.args[0] == lanes[0].args[0]))),
        GroupOp::Broadcast if scope == Scope::Workgroup => {
            let mut id = [0; 3];
            for (dest, &source) in id.iter_mut().zip(&lanes[0].args[1]) {
                *dest = source;
            }
            let found = lanes.iter().find(|lane| lane.local_id == id);
            all(found.unwrap_or(&lanes[0]).args[0].clone())
        }
        GroupOp::Broadcast | GroupOp::Shuffle => each(&|l| value_of(l.arg(1))),
        GroupOp::BroadcastFirst => all(lanes[0].args[0].clone()),
        GroupOp::ShuffleXor => each(&|l| value_of(l.number ^ l.arg(1))),
        GroupOp::ShuffleUp => each(&|l| value_of(l.number.wrapping_sub(l.arg(1)))),
        GroupOp::ShuffleDown => each(&|l| value_of(l.number.wrapping_add(l.arg(1)))),
        GroupOp::Rotate => each(&|l| {
            let cluster = match l.args.get(2) {
                Some(_) => l.arg(2).max(1),
                None => width,
            };
            let base = l.number / cluster * cluster;
            value_of(base + (l.number - base + l.arg(1)) % cluster)
        }),
        GroupOp::Ballot => {
            let mut words = [0u64; 4];
            for lane in lanes.iter().filter(|l| l.arg(0) != 0) {
                words[(lane.number / 32) as usize & 3] |= 1 << (lane.number % 32);
            }
            all(Lanes::from_slice(&words))
        }
        GroupOp::InverseBallot => each(&|l| flag(bit(&l.args[0], l.number))),
        GroupOp::BallotBitExtract => each(&|l| flag(bit(&l.args[0], l.arg(1)))),
        GroupOp::BallotBitCount(operation) => each(&|l| {
            let end = match operation {
                GroupOperation::InclusiveScan => l.number + 1,
                GroupOperation::ExclusiveScan => l.number,
                _ => 128,
            };
            smallvec![(0..end).filter(|&n| bit(&l.args[0], n)).count() as u64]
        }),
        GroupOp::BallotFindLsb => {
            each(&|l| smallvec![(0..128).find(|&n| bit(&l.args[0], n)).unwrap_or(0)])
        }
        GroupOp::BallotFindMsb => {
            each(&|l| smallvec![(0..128).rev().find(|&n| bit(&l.args[0], n)).unwrap_or(0)])
        }
        GroupOp::Arithmetic(AtomicOp::Xchg, _) | GroupOp::AmdArithmetic(AtomicOp::Xchg, _) => {
            return Err(ErrorKind::Unsupported(op.name()));
        }
        GroupOp::Arithmetic(combine, operation) | GroupOp::AmdArithmetic(combine, operation) => {
            fold(lanes, operation, ty, identity, &|a, b| {
                eval::atomic(combine, ty.scalar, a, b)
            })
        }
        GroupOp::IMul(operation) => fold(lanes, operation, ty, identity, &|a, b| {
            eval::binary(BinaryOp::IMul, ty.scalar, a, b)
        }),
        GroupOp::FMul(operation) => fold(lanes, operation, ty, identity, &|a, b| {
            eval::binary(BinaryOp::FMul, ty.scalar, a, b)
        }),
        GroupOp::FAddRelaxed(operation) => fold(lanes, operation, ty, identity, &|a, b| {
            eval::binary(BinaryOp::FAdd, ty.scalar, a, b)
        }),
        GroupOp::AmdSwizzle(picks) => each(&|l| {
            let pick = u64::from(picks) >> (2 * (l.number & 3)) & 3;
            value_of((l.number & !3) | pick)
        }),
        GroupOp::AmdSwizzleMasked([and, or, xor]) => each(&|l| {
            let [and, or, xor] = [and, or, xor].map(u64::from);
            value_of((((l.number & 31 & and) | or) ^ xor) | (l.number & 32))
        }),
        GroupOp::AmdWriteInvocation => each(&|l| l.args[usize::from(l.arg(2) == l.number)].clone()),
        GroupOp::AmdMbcnt => each(&|l| {
            let lower = u32::MAX
                .checked_shr(32 - l.number.min(32) as u32)
                .unwrap_or(0);
            smallvec![u64::from((l.arg(0) as u32 & lower).count_ones())]
        }),
    })
}

fn bit(ballot: &[u64], number: u64) -> bool {
    let word = ballot.get((number / 32) as usize).copied().unwrap_or(0);
    word >> (number % 32) & 1 != 0
}

fn fold(
    lanes: &[Lane],
    operation: GroupOperation,
    ty: Type,
    identity: u64,
    combine: &dyn Fn(u64, u64) -> u64,
) -> Vec<Lanes> {
    let neutral: Lanes = smallvec![identity; usize::from(ty.lanes)];
    let join =
        |a: &Lanes, b: &Lanes| -> Lanes { a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect() };
    let cluster = match (operation, lanes[0].args.get(1)) {
        (GroupOperation::ClusteredReduce, Some(_)) => lanes[0].arg(1).max(1),
        _ => u64::MAX,
    };
    let mut results = Vec::new();
    for lane in lanes {
        let before = lanes.iter().filter(|other| {
            other.number / cluster == lane.number / cluster
                && match operation {
                    GroupOperation::Reduce | GroupOperation::ClusteredReduce => true,
                    GroupOperation::InclusiveScan => other.number <= lane.number,
                    GroupOperation::ExclusiveScan => other.number < lane.number,
                }
        });
        results.push(before.fold(neutral.clone(), |sum, other| join(&sum, &other.args[0])));
    }
    results
}
