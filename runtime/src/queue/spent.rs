//! Batches that have ended, and the time that the device has spent on them.

use super::open_batch::Recorded;
use crate::base::clock::host_time;
use crate::base::error::Error;
use crate::command::Command;

/// Nanoseconds for which a batch is recent.
const RECENT: u64 = 200_000;

/// Tells whether a batch was submitted a short time ago.
pub(super) fn is_recent(submitted: u64) -> bool {
    host_time().saturating_sub(submitted) < RECENT
}

/// A batch that has ended.
pub(super) struct Finished {
    pub commands: Vec<Recorded>,
    /// The time for which the device has run it, at most: start and end in nanoseconds of the host's clock.
    pub ran: (u64, u64),
    /// Set when the device is lost: nobody knows what became of the commands.
    pub lost: Option<Error>,
}

/// The batches of a lane on the host's clock, in nanoseconds: what the device did earlier is no part of a batch's time.
#[derive(Default)]
pub(super) struct Spending {
    /// The time at which the last batch was found to have ended.
    ended: u64,
}

impl Spending {
    /// Notes that a batch is found to have ended that was submitted at a time; gives [`Finished::ran`].
    pub fn end(&mut self, submitted: u64) -> (u64, u64) {
        let now = host_time();
        let start = submitted.max(self.ended);
        self.ended = now;
        (start, now.max(start))
    }
}

impl Finished {
    /// Tells the commands their shares of the batch's time.
    pub fn note_time(&self) {
        let commands = self.commands.iter();
        let count: usize = commands.map(|recorded| 1 + recorded.joined.len()).sum();
        let (start, end) = self.ran;
        let share = (end - start) / (count as u64).max(1);
        for recorded in &self.commands {
            if let Command::Device(command) = &recorded.node.command {
                command.note_time(share);
            }
            for command in &recorded.joined {
                command.note_time(share);
            }
        }
    }
}
