//! Fences as callers know them.

/// The state of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncState {
    /// Commands before it are still under way.
    Waiting,
    /// All commands before it have ended.
    Passed,
    /// There is no such object any more.
    Gone,
}

/// A fence in the share group, as an integer that threads may pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence(pub usize);
