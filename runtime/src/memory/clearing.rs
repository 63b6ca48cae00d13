//! Clears of new contents by the device, in the batch of the first command that uses them.
//!
//! A clear is followed by a barrier, so the queue that records it needs nothing more. Commands of other
//! queues wait for the end of its batch, and so does the host.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::base::error::{Error, Result};
use crate::device::gpu;

/// A submission that clears contents, made or to be made. Clones are one.
#[derive(Clone)]
pub struct Clearing(Arc<Inner>);

struct Inner {
    /// The end of the submission.
    end: gpu::Wait,
    /// Submits what has been recorded.
    submit: Box<dyn Fn() + Send + Sync>,
    stage: AtomicU8,
}

/// It is recorded.
const RECORDED: u8 = 0;
/// The device does it.
const SUBMITTED: u8 = 1;
/// The device has done it.
const ENDED: u8 = 2;
/// It will never be done, and neither will any command recorded behind it.
const FAILED: u8 = 3;

impl Clearing {
    /// A batch that ends with `end` and that `submit` submits.
    pub fn recorded(end: gpu::Wait, submit: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            end,
            submit: Box::new(submit),
            stage: AtomicU8::new(RECORDED),
        }))
    }

    /// A submission that ends with `end`.
    pub fn submitted(end: gpu::Wait) -> Self {
        let clearing = Self::recorded(end, || {});
        clearing.note_submission(true);
        clearing
    }

    fn stage(&self) -> u8 {
        self.0.stage.load(Ordering::Acquire)
    }

    /// Notes what became of the attempt to submit it.
    pub fn note_submission(&self, done: bool) {
        let stage = if done { SUBMITTED } else { FAILED };
        self.0.stage.store(stage, Ordering::Release);
    }

    /// Tells whether it will never be done.
    pub fn has_failed(&self) -> bool {
        self.stage() == FAILED
    }

    /// Tells whether it is known to have ended.
    pub fn is_over(&self) -> bool {
        match self.stage() {
            SUBMITTED => self.0.end.is_over(),
            stage => stage == ENDED,
        }
    }

    /// Tells whether it stands on a timeline: what follows there comes behind it.
    pub fn is_on(&self, timeline: &gpu::Timeline) -> bool {
        self.0.end.timeline.same(timeline)
    }

    /// Tells whether both stand on one timeline.
    pub fn is_beside(&self, other: &Clearing) -> bool {
        self.is_on(&other.0.end.timeline)
    }

    /// Its end, if the device has been given it.
    pub fn end(&self) -> Option<&gpu::Wait> {
        (self.stage() == SUBMITTED).then_some(&self.0.end)
    }

    /// Has it submitted. No lock of a queue or of contents may be held.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if that is not possible any more.
    pub fn submit(&self) -> Result<()> {
        if self.stage() == RECORDED {
            (self.0.submit)();
        }
        match self.stage() {
            RECORDED => Err(Error::OutOfResources),
            _ => Ok(()),
        }
    }

    /// Has it submitted and blocks until it has ended or failed. No lock of a queue or of contents may be
    /// held.
    ///
    /// # Errors
    /// A lost device.
    pub fn finish(&self) -> Result<()> {
        self.submit()?;
        if self.stage() == SUBMITTED {
            gpu::wait(&self.0.end)?;
            self.0.stage.store(ENDED, Ordering::Release);
        }
        Ok(())
    }
}
