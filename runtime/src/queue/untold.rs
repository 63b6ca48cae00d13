//! Failures of commands whose events nobody has.
//!
//! A command may fail after its call has returned, for want of memory for example, and what it should have written is then
//! not there. The next command of its in-order queue that tells the application how it ended fails for it, or clFinish
//! does; the failure is told once.

use std::sync::atomic::{AtomicI32, Ordering};

use opencl_sys as cl;

use super::event::Node;
use super::open_batch::Recorded;
use crate::base::error::{Error, Result};
use crate::base::log;

/// The status of the first such command of a queue; CL_COMPLETE if there is none.
#[derive(Default)]
pub(super) struct Untold(AtomicI32);

impl Untold {
    /// Keeps a failure until it is told.
    pub fn note(&self, error: Error) {
        let none = cl::CL_COMPLETE;
        let (set, fetch) = (Ordering::AcqRel, Ordering::Relaxed);
        let _ = (self.0).compare_exchange(none, error.code(), set, fetch);
    }

    /// Keeps the failure of a command, unless its caller waits for it or has its event.
    pub fn note_of(&self, node: &Node, error: Error) {
        if !node.is_told {
            self.note(error);
        }
    }

    fn take(&self) -> Option<i32> {
        if self.0.load(Ordering::Acquire) == cl::CL_COMPLETE {
            return None;
        }
        let status = self.0.swap(cl::CL_COMPLETE, Ordering::AcqRel);
        (status != cl::CL_COMPLETE).then_some(status)
    }

    /// The status of a command of an in-order queue that has done its work: CL_COMPLETE, or that of an untold failure.
    pub fn status_of(&self, node: &Node) -> i32 {
        if !node.is_told || node.queue.out_of_order() {
            return cl::CL_COMPLETE;
        }
        let Some(status) = self.take() else {
            return cl::CL_COMPLETE;
        };
        log::warn!("a command before this one failed with {status}: this one says so");
        status
    }

    /// Tells of a failure.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if there was one.
    pub fn tell(&self) -> Result<()> {
        match self.take() {
            None => Ok(()),
            Some(status) => {
                let reason = format!("a command of the queue failed with {status}");
                Err(Error::OutOfResources.because(reason))
            }
        }
    }
}

/// A batch that could not be submitted.
pub(super) struct Unsent {
    pub commands: Vec<Recorded>,
    /// True if the application does not learn the end of one of its commands.
    pub has_untold: bool,
    pub error: Error,
}

impl Unsent {
    /// A batch of `count` commands, of which those with an event are known.
    pub fn new(commands: Vec<Recorded>, count: usize, error: Error) -> Self {
        let is_told = |recorded: &Recorded| recorded.node.is_told;
        Self {
            has_untold: count > commands.len() || !commands.iter().all(is_told),
            commands,
            error,
        }
    }
}
