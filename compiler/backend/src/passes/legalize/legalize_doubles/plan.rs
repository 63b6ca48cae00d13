//! Plans of the flags of a run.
//!
//! If each double that enters a run is zero or at least 2^-n, it is a whole multiple of 2^(-n - 52), and [`Extent`]s tell
//! which results are multiples of a power of two that is no denormal. Then what enters is looked at once, and not each
//! operation. The others, such as quotients, are watched themselves. The run is planned for some n and for none, in which
//! case every operation is watched, and the cheapest plan is taken. Numbers below 2^-n are right too, but slow.

use super::flags::all;
use super::multiples::{Extent, Multiples, extent_of};
use super::{LEAST_NORMAL, Member, Operation};
use pumice_ir::{Function, Scalar, Value};
use rustc_hash::FxHashMap;

/// The values of n. The least one is as good as any for the product of three numbers.
const BOUNDS: [Option<i32>; 4] = [Some(900), Some(450), Some(280), None];
/// The instructions that look at a value which enters a run that has a bound.
const ENTERING_COST: usize = 3;
/// The same where there is none: a denormal is looked for.
const DENORMAL_COST: usize = 5;

/// The values and operations of a run that are watched.
pub(super) struct Plan {
    /// The values that must be zero or at least 2^-n, with that n.
    pub entering: Vec<Value>,
    pub bound: i32,
    /// The members' operations that are watched.
    pub watched: Vec<bool>,
    /// The facts about doubles of the run.
    pub extents: FxHashMap<Value, Extent>,
    cost: usize,
}

impl Plan {
    /// The cheapest plan for a run.
    pub fn of(func: &Function, members: &[Member], multiples: &Multiples) -> Self {
        let [first, others @ ..] =
            BOUNDS.map(|bound| Self::with_bound(func, members, multiples, bound));
        (others.into_iter()).fold(first, |best, plan| match plan.cost < best.cost {
            true => plan,
            false => best,
        })
    }

    fn with_bound(
        func: &Function,
        members: &[Member],
        multiples: &Multiples,
        bound: Option<i32>,
    ) -> Self {
        let mut plan = Self {
            entering: Vec::new(),
            bound: bound.unwrap_or(0),
            watched: Vec::with_capacity(members.len()),
            extents: FxHashMap::default(),
            cost: 0,
        };
        for member in members {
            let operation = Operation::of(func, &member.kind).filter(|_| !member.plain);
            let known = match operation {
                // A denormal lies on the same side of a normal constant as zero does.
                Some(Operation::Compare(_, args)) => args
                    .iter()
                    .any(|&arg| all(func, arg, |m| m >= LEAST_NORMAL)),
                _ => false,
            };
            let mut normal = true;
            let mut entered = 0;
            member.kind.for_each_value(|value| {
                if known || func.ty(value).scalar != Scalar::F64 {
                    return;
                }
                let extent = *plan.extents.entry(value).or_insert_with(|| {
                    let extent = multiples.extent(func, value);
                    if extent.is_normal() || func.const_lanes(value).is_some() {
                        return extent;
                    }
                    entered += 1;
                    let Some(bound) = bound else {
                        return extent;
                    };
                    plan.entering.push(value);
                    Extent::of_entering(bound)
                });
                normal &= extent.is_normal();
            });
            let of = |value: Value| match plan.extents.get(&value) {
                Some(&extent) => extent,
                None => multiples.extent(func, value),
            };
            let mut extent = extent_of(func, &member.kind, &of);
            let is_double = func.ty(member.result).scalar == Scalar::F64;
            let safe = normal && (extent.is_normal() || !is_double) || known;
            let watched = !safe && operation.is_some();
            if watched {
                let is_quotient = matches!(operation, Some(Operation::Quotient(_)));
                extent = match bound {
                    Some(bound) if is_quotient => {
                        plan.entering.push(member.result);
                        Extent::of_entering(bound)
                    }
                    _ => Extent::ANY,
                };
            }
            plan.cost += operation.filter(|_| watched).map_or(0, watching_cost);
            // Sums are watched whatever enters them.
            let is_sum = matches!(
                operation,
                Some(Operation::Sum(_) | Operation::Difference(_))
            );
            if bound.is_none() && !is_sum {
                plan.cost += entered * DENORMAL_COST;
            }
            plan.watched.push(watched);
            plan.extents.insert(member.result, extent);
        }
        plan.cost += plan.entering.len() * ENTERING_COST;
        plan
    }
}

/// The instructions that watch an operation.
fn watching_cost(operation: Operation) -> usize {
    match operation {
        Operation::Sum(_) | Operation::Difference(_) => 6,
        Operation::Product(_) | Operation::Quotient(_) => 9,
        Operation::Fma(_) => 12,
        Operation::Root(_)
        | Operation::Round(..)
        | Operation::Minimum(_)
        | Operation::Maximum(_)
        | Operation::Compare(..) => 0,
    }
}
