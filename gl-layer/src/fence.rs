//! Waits for fences of OpenGL.

use crate::context::Gl;
use crate::functions as gl;
use crate::functions::Sync;
use crate::sync::{Fence, SyncState};

impl Gl {
    /// Tells whether a value names a fence of the share group.
    pub fn is_fence(&self, fence: Fence) -> bool {
        // SAFETY: the context is current on this thread; OpenGL knows what is no fence.
        fence.0 != 0 && unsafe { (self.functions().is_sync)(fence.0 as Sync) } != 0
    }

    /// Tells whether a fence has been passed, waiting for up to `limit` nanoseconds.
    pub fn wait(&self, fence: Fence, limit: u64) -> SyncState {
        if !self.is_fence(fence) {
            return SyncState::Gone;
        }
        // SAFETY: the context is current on this thread, and the value names a fence.
        let state = unsafe { (self.functions().client_wait_sync)(fence.0 as Sync, 0, limit) };
        match state {
            gl::ALREADY_SIGNALED | gl::CONDITION_SATISFIED => SyncState::Passed,
            gl::TIMEOUT_EXPIRED => SyncState::Waiting,
            _ => SyncState::Gone,
        }
    }

    /// Waits for a fence of our own and deletes it.
    pub fn consume(&self, fence: Fence) {
        while self.wait(fence, 1_000_000_000) == SyncState::Waiting {}
        // SAFETY: the context is current on this thread, and the fence is our own.
        unsafe { (self.functions().delete_sync)(fence.0 as Sync) };
    }
}
