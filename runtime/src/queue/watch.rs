//! Batches whose ends no thread is woken for.
//!
//! A lane's completion thread ends batches. Where the application waits for each of its commands, its own thread ends them as
//! soon, and waking the other costs more processor time than a short kernel. While waits are expected, a batch is left: the
//! completion thread is not told of it, but patrols, that is, looks every [`ROUND`]. It takes up a batch that it finds left
//! twice and that nobody waits for. One that is waited for that long is no short kernel: the thread takes it up after a
//! [`LONG_ROUND`], in which the one that waits ends most of them, and does not patrol until it is told of the next. It is
//! told of a left batch as soon as more than memory depends on the batch's end: another command is recorded, or somebody asks
//! to hear of an event. A batch is left for a long round at most, so that nothing that waits for its end in another way, as
//! the destructor callback of a buffer, waits for ever.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

/// The time between two looks of a completion thread that patrols.
const ROUND: Duration = Duration::from_millis(1);

/// The time for which a batch is left to a thread of the application's that waits for more than a round.
const LONG_ROUND: Duration = Duration::from_millis(100);

/// Looks in vain after which it sleeps until it is told of a batch.
const VAIN_ROUNDS: u32 = 16;

/// The waits of the application's threads for a queue's commands.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    threads: AtomicUsize,
    /// True if the last batch that ended was waited for.
    expected: AtomicBool,
}

impl Waiting {
    /// Notes that a thread waits until [`Waiting::end`].
    pub fn begin(&self) {
        self.threads.fetch_add(1, Ordering::AcqRel);
        self.expected.store(true, Ordering::Release);
    }

    /// Ends what [`Waiting::begin`] began.
    pub fn end(&self) {
        self.threads.fetch_sub(1, Ordering::AcqRel);
    }

    /// Tells whether a wait for the next batch is expected.
    pub fn is_expected(&self) -> bool {
        self.expected.load(Ordering::Acquire)
    }

    /// Tells whether a thread waits.
    pub fn is_going_on(&self) -> bool {
        self.threads.load(Ordering::Acquire) > 0
    }

    /// Tells whether a thread waits; if not, no wait is expected any more.
    fn goes_on(&self) -> bool {
        let waits = self.is_going_on();
        if !waits {
            self.expected.store(false, Ordering::Release);
        }
        waits
    }
}

/// The batches of a lane that are left.
#[derive(Debug, Default)]
pub(super) struct Watch {
    patrols: bool,
    /// The timeline value of the last one, until the completion thread is told of it or it has ended.
    left: Option<u64>,
    /// True if one was left since the last look, ended or not.
    is_new: bool,
    /// True if the last look left it to a thread that waits.
    is_waited_for: bool,
    /// Looks since there was a new one.
    vain: u32,
}

/// The next step of a completion thread that has looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It looks again after this time, or when it is told of a batch.
    Again(Duration),
    /// It waits for a timeline value.
    TakeUp(u64),
    /// It sleeps until it is told of a batch.
    Sleep,
}

impl Watch {
    /// Leaves a batch with nobody told of it; false if the completion thread does not patrol.
    pub fn leave(&mut self, value: u64) -> bool {
        if self.patrols {
            self.left = Some(value);
            self.is_new = true;
            self.is_waited_for = false;
        }
        self.patrols
    }

    /// The batch that the completion thread has to be told of now.
    pub fn tell(&mut self) -> Option<u64> {
        self.left.take()
    }

    /// Notes that a batch has ended.
    pub fn has_ended(&mut self, value: u64) {
        if self.left.is_some_and(|left| left <= value) {
            self.left = None;
        }
    }

    /// A look of the completion thread, which patrols while waits are expected.
    pub fn look(&mut self, waiting: &Waiting) -> Look {
        if !self.patrols && self.left.is_none() && waiting.is_expected() {
            self.patrols = true;
            self.vain = 0;
            return Look::Again(ROUND);
        }
        if std::mem::take(&mut self.is_new) {
            self.vain = 0;
            return Look::Again(ROUND);
        }
        if let Some(left) = self.left {
            if waiting.goes_on() && !std::mem::replace(&mut self.is_waited_for, true) {
                self.patrols = false;
                return Look::Again(LONG_ROUND);
            }
            self.left = None;
            return Look::TakeUp(left);
        }
        self.vain += 1;
        self.patrols &= self.vain < VAIN_ROUNDS;
        match self.patrols {
            true => Look::Again(ROUND),
            false => Look::Sleep,
        }
    }
}

/// Gives `end` each timeline value that a completion thread is told of or takes up, until nobody can tell it of one. `look` is
/// [`Watch::look`]; `None` once the queue is gone.
pub(super) fn complete_batches(
    told: &Receiver<u64>,
    look: impl Fn() -> Option<Look>,
    end: impl Fn(u64),
) {
    let mut round = None;
    loop {
        let next = match round {
            Some(round) => told.recv_timeout(round),
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(value) => end(value),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        round = match look() {
            Some(Look::Again(round)) => Some(round),
            Some(Look::TakeUp(value)) => {
                end(value);
                Some(ROUND)
            }
            Some(Look::Sleep) => None,
            None => return,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG_ROUND, Look, ROUND, VAIN_ROUNDS, Waiting, Watch};

    /// A lane whose completion thread patrols.
    fn patrolling() -> (Watch, Waiting) {
        let (mut watch, waiting) = (Watch::default(), Waiting::default());
        assert_eq!(watch.look(&waiting), Look::Sleep);
        assert!(!watch.leave(1));
        waiting.begin();
        waiting.end();
        assert_eq!(watch.look(&waiting), Look::Again(ROUND));
        (watch, waiting)
    }

    #[test]
    fn a_batch_that_nobody_waits_for_is_taken_up_at_the_second_look() {
        let (mut watch, waiting) = patrolling();
        assert!(watch.leave(7));
        assert_eq!(watch.look(&waiting), Look::Again(ROUND));
        assert!(waiting.is_expected());
        assert_eq!(watch.look(&waiting), Look::TakeUp(7));
        assert!(!waiting.is_expected());
        assert_eq!(watch.tell(), None);
    }

    #[test]
    fn a_batch_is_left_to_a_thread_that_waits_for_a_long_round() {
        let (mut watch, waiting) = patrolling();
        waiting.begin();
        assert!(watch.leave(7));
        assert_eq!(watch.look(&waiting), Look::Again(ROUND));
        assert_eq!(watch.look(&waiting), Look::Again(LONG_ROUND));
        assert!(!watch.leave(8));
        watch.has_ended(6);
        assert_eq!(watch.left, Some(7));
        assert_eq!(watch.look(&waiting), Look::TakeUp(7));
        assert_eq!(watch.tell(), None);
        waiting.end();
        assert!(waiting.is_expected());
        assert_eq!(watch.look(&waiting), Look::Again(ROUND));
        assert!(watch.leave(9));
    }

    #[test]
    fn the_patrol_ends_when_nothing_is_left_any_more() {
        let (mut watch, waiting) = patrolling();
        let looks = (0..VAIN_ROUNDS)
            .map(|_| watch.look(&waiting))
            .collect::<Vec<_>>();
        let (last, before) = looks.split_last().unwrap();
        assert!(before.iter().all(|look| *look == Look::Again(ROUND)));
        assert_eq!(*last, Look::Sleep);
        assert!(!watch.leave(8));
    }

    #[test]
    fn a_batch_is_told_of_once() {
        let (mut watch, _) = patrolling();
        assert!(watch.leave(7));
        assert_eq!(watch.tell(), Some(7));
        assert_eq!(watch.tell(), None);
    }
}
