//! The operations that read-modify-writes, reductions and scans combine two values with.

use super::{AtomicOp, BinaryOp, FloatFlags, GroupOp, InstKind, MathOp, Value};
use smallvec::SmallVec;

impl AtomicOp {
    /// The operation on the value that is there and the operand; `None` for an exchange.
    pub fn combining(self, old: Value, value: Value) -> Option<InstKind> {
        let math = |op| InstKind::Math {
            op,
            args: SmallVec::from_slice(&[old, value]),
            flags: FloatFlags::empty(),
        };
        let op = match self {
            AtomicOp::Xchg => return None,
            AtomicOp::FMin => return Some(math(MathOp::FMin)),
            AtomicOp::FMax => return Some(math(MathOp::FMax)),
            AtomicOp::Add => BinaryOp::IAdd,
            AtomicOp::Sub => BinaryOp::ISub,
            AtomicOp::SMin => BinaryOp::SMin,
            AtomicOp::SMax => BinaryOp::SMax,
            AtomicOp::UMin => BinaryOp::UMin,
            AtomicOp::UMax => BinaryOp::UMax,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::FAdd => BinaryOp::FAdd,
        };
        Some(InstKind::Binary {
            op,
            args: [old, value],
            flags: FloatFlags::empty(),
        })
    }
}

impl GroupOp {
    /// The operation that combines two values of a reduction or scan; `None` for other operations.
    pub fn combining(self, a: Value, b: Value) -> Option<InstKind> {
        let binary = |op| InstKind::Binary {
            op,
            args: [a, b],
            flags: FloatFlags::empty(),
        };
        Some(match self {
            GroupOp::IMul(_) => binary(BinaryOp::IMul),
            GroupOp::FMul(_) => binary(BinaryOp::FMul),
            GroupOp::FAddRelaxed(_) => binary(BinaryOp::FAdd),
            GroupOp::Arithmetic(op, _) | GroupOp::AmdArithmetic(op, _) => op.combining(a, b)?,
            GroupOp::All => binary(BinaryOp::And),
            GroupOp::Any => binary(BinaryOp::Or),
            _ => return None,
        })
    }
}
