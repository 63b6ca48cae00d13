//! Operations, orders and scopes of memory accesses that several work-items see.

use serde::{Deserialize, Serialize};
/// Read-modify-write operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Memory orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
