//! Operations, orders and scopes of memory accesses that several work-items see.

use super::{BinaryOp, FloatFlags, InstKind, MathOp, Value};
use smallvec::SmallVec;

/// Read-modify-write operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Exchange (integer or float of the same width).
    Xchg,
    /// Add.
    Add,
    /// Subtract.
    Sub,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// Floating add.
    FAdd,
    /// Floating minimum.
    FMin,
    /// Floating maximum.
    FMax,
}

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

/// Memory orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// Relaxed.
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

/// Scopes of execution and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// One work-item.
    Invocation,
    /// Sub-group.
    Subgroup,
    /// Work-group.
    Workgroup,
    /// Device.
    Device,
    /// All devices and the host.
    CrossDevice,
}
