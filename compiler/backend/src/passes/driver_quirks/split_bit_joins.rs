//! For drivers whose compiler joins bits of two values wrongly
//! ([`QuirkKind::SplitBitJoins`](pumice_target::QuirkKind::SplitBitJoins)):
//! `(a & C) | (b & !C)` becomes `(a | !C) & (b | C)`.
//!
//! LLVM (14 to 19 at least) makes one three-operand instruction of such a join where the CPU has
//! AVX-512. If the result is then kept for some work-items only (behind a branch), and one of the
//! two values for the others, it exchanges operands without exchanging the truth table. Products
//! of sums it leaves alone.
//!
//! Joins are found by `|`, `^` and `+` of two values masked by complementary constants, and by
//! `b ^ ((a ^ b) & C)`; a pair of shifts masks too. A number that was widened has a mask
//! by itself, and so has a masked one that is shifted: writes of parts of a private variable are joined of these.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::LowerError;
use pumice_ir::{BinaryOp, ConvertOp, Function, InstKind, Scalar, Value};

/// Runs the pass.
///
/// # Errors
/// A construct that the pass cannot lower.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let InstKind::Binary { op, args, .. } = x.func.insts[inst].kind else {
            return Ok(None);
        };
        let join = match op {
            BinaryOp::Or | BinaryOp::IAdd => complementary(x, args),
            BinaryOp::Xor => complementary(x, args).or_else(|| merge(x, args)),
            _ => None,
        };
        Ok(join.map(|join| Replacement::from_slice(&[product(x, join)])))
    })
}

/// Bits of `first` where the mask has ones, bits of `second` elsewhere.
struct Join {
    first: Value,
    second: Value,
    mask: Vec<u64>,
}

fn product(x: &mut Expander<'_>, join: Join) -> Value {
    let ty = x.ty(join.first);
    let inverse = inverse(x, join.first, &join.mask);
    let (mask, inverse) = (
        x.func.constant(ty, &join.mask),
        x.func.constant(ty, &inverse),
    );
    let first = x.bin(BinaryOp::Or, join.first, inverse);
    let second = x.bin(BinaryOp::Or, join.second, mask);
    x.bin(BinaryOp::And, first, second)
}

/// All ones in the width of a value's lanes.
fn ones(x: &Expander<'_>, value: Value) -> u64 {
    u64::MAX >> (64 - 8 * x.ty(value).scalar.bytes())
}

fn inverse(x: &Expander<'_>, value: Value, mask: &[u64]) -> Vec<u64> {
    let ones = ones(x, value);
    mask.iter().map(|lane| !lane & ones).collect()
}

fn complementary(x: &Expander<'_>, args: [Value; 2]) -> Option<Join> {
    let [(first, mask), (second, other)] = [masked(x, args[0])?, masked(x, args[1])?];
    (inverse(x, first, &mask) == other).then_some(Join {
        first,
        second,
        mask,
    })
}

/// `b ^ ((a ^ b) & C)`
fn merge(x: &Expander<'_>, args: [Value; 2]) -> Option<Join> {
    [args, [args[1], args[0]]]
        .into_iter()
        .find_map(|[b, change]| {
            let (difference, mask) = masked(x, change)?;
            let [p, q] = operands(x, BinaryOp::Xor, difference)?;
            let first = if p == b {
                q
            } else if q == b {
                p
            } else {
                return None;
            };
            Some(Join {
                first,
                second: b,
                mask,
            })
        })
}

fn operands(x: &Expander<'_>, wanted: BinaryOp, value: Value) -> Option<[Value; 2]> {
    match x.func.insts[x.func.def_inst(value)?].kind {
        InstKind::Binary { op, args, .. } if op == wanted => Some(args),
        _ => None,
    }
}

/// A value, and the mask that it is seen through.
type Masked = (Value, Vec<u64>);

/// The constant that each lane is.
fn lanes(x: &Expander<'_>, value: Value) -> Option<Vec<u64>> {
    x.func.const_lanes(value).map(|lanes| lanes.to_vec())
}

/// The value and the mask that it is seen through.
fn masked(x: &Expander<'_>, value: Value) -> Option<Masked> {
    let not_moved = |value| {
        let by_and = seen_by_and(x, value).or_else(|| seen_by_shifts(x, value));
        by_and.or_else(|| Some((value, widened(x, value)?)))
    };
    not_moved(value).or_else(|| {
        let shifts = [BinaryOp::Shl, BinaryOp::LShr].into_iter();
        let (op, [source, by]) =
            (shifts.filter_map(|op| Some((op, operands(x, op, value)?)))).next()?;
        let ((_, mask), counts) = (not_moved(source)?, counts(x, by)?);
        let ones = ones(x, value);
        let moved = mask.iter().zip(counts).map(|(mask, count)| match op {
            BinaryOp::Shl => (mask << count) & ones,
            _ => mask >> count,
        });
        Some((value, moved.collect()))
    })
}

fn seen_by_and(x: &Expander<'_>, value: Value) -> Option<Masked> {
    let [a, b] = operands(x, BinaryOp::And, value)?;
    let of = |value, mask| Some((value, lanes(x, mask)?));
    of(a, b).or_else(|| of(b, a))
}

/// The bits that a widened number can have.
fn widened(x: &Expander<'_>, value: Value) -> Option<Vec<u64>> {
    let InstKind::Convert {
        op: ConvertOp::ZExt,
        arg,
        ..
    } = x.func.insts[x.func.def_inst(value)?].kind
    else {
        return None;
    };
    let ty = x.ty(arg);
    let bits = match ty.scalar {
        Scalar::Bool => 1,
        scalar => scalar.bits(),
    };
    Some(vec![u64::MAX >> (64 - bits); usize::from(ty.lanes)])
}

/// The counts of a shift by constants that are less than the width.
fn counts(x: &Expander<'_>, by: Value) -> Option<Vec<u64>> {
    let bits = u64::from(x.ty(by).scalar.bytes()) * 8;
    lanes(x, by).filter(|counts| counts.iter().all(|&count| count < bits))
}

fn seen_by_shifts(x: &Expander<'_>, value: Value) -> Option<Masked> {
    let pairs = [
        (BinaryOp::Shl, BinaryOp::LShr),
        (BinaryOp::LShr, BinaryOp::Shl),
    ];
    pairs.into_iter().find_map(|(outer, inner)| {
        let [shifted, back] = operands(x, outer, value)?;
        let [source, there] = operands(x, inner, shifted)?;
        let (back, there) = (counts(x, back)?, counts(x, there)?);
        if back != there {
            return None;
        }
        let ones = ones(x, value);
        let mask = back.iter().map(|&count| match outer {
            BinaryOp::Shl => (ones << count) & ones,
            _ => ones >> count,
        });
        Some((source, mask.collect()))
    })
}
