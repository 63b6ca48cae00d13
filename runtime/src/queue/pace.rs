//! The pace of submissions to a device with a processor of its own.
//!
//! Such a device ends a short launch before the next one is enqueued, and a submission costs as much as dozens of launches. So a
//! stream of short launches would be submitted one by one, at many times its cost. The completion thread holds an ended batch
//! of such a stream back for [`GATHER`] behind its submission: meanwhile launches are collected, as they are while a batch
//! runs. Who waits or flushes is not held back, nor is a launch that does not follow another one closely.

use super::Queue;
use crate::base::clock::host_time;

/// Nanoseconds from the submission of a batch for which it stays in flight at least. Submissions that follow each other faster
/// are a stream.
const GATHER: u64 = 30_000;

/// The submissions of a lane.
#[derive(Default)]
pub(super) struct Pace {
    /// The host's time of the last one, in nanoseconds.
    last: u64,
}

impl Pace {
    /// Notes a submission at a time of the host's; `is_short` is true of a batch whose last command is a launch that waits for
    /// nothing. Returns the time until which more is collected.
    pub fn note(&mut self, now: u64, is_short: bool) -> Option<u64> {
        let before = std::mem::replace(&mut self.last, now);
        (is_short && now.saturating_sub(before) < GATHER).then_some(now + GATHER)
    }
}

impl Queue {
    /// Lets commands be collected behind a batch that has ended, unless somebody waits.
    pub(super) fn gather(&self, lane: usize, value: u64) {
        let Some(end) = self.lanes[lane].gathers_until(value) else {
            return;
        };
        while host_time() < end && !self.waiting.is_going_on() {
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GATHER, Pace};

    #[test]
    fn short_batches_in_close_order_are_a_stream() {
        let mut pace = Pace::default();
        let start = 1_000_000_000;
        assert_eq!(pace.note(start, true), None);
        let next = start + GATHER / 2;
        assert_eq!(pace.note(next, true), Some(next + GATHER));
        assert_eq!(pace.note(next + 1, false), None);
        assert_eq!(pace.note(next + 1 + GATHER, true), None);
    }
}
