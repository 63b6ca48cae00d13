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

    /// Makes a fence of our own behind what this context was told.
    pub fn fence(&self) -> Fence {
        let f = self.functions();
        // SAFETY: the context is current on this thread.
        unsafe {
            let fence = (f.fence_sync)(gl::SYNC_GPU_COMMANDS_COMPLETE, 0);
            (f.flush)();
            Fence(fence as usize)
        }
    }

    /// Makes a fence of our own that is passed after another one. It stays when the application deletes that.
    pub fn follow(&self, fence: Fence) -> Fence {
        // SAFETY: the context is current on this thread; OpenGL knows what is no fence.
        unsafe { (self.functions().wait_sync)(fence.0 as Sync, 0, gl::TIMEOUT_IGNORED) };
        self.fence()
    }

    /// Deletes a fence of our own.
    pub fn delete(&self, fence: Fence) {
        // SAFETY: the context is current on this thread; OpenGL knows what is no fence.
        unsafe { (self.functions().delete_sync)(fence.0 as Sync) };
    }

    /// Waits for a fence of our own and deletes it.
    pub fn consume(&self, fence: Fence) {
        while self.wait(fence, 1_000_000_000) == SyncState::Waiting {}
        self.delete(fence);
    }
}
