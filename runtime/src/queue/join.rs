//! Commands whose events nobody gets. In an in-order queue such a command ends with the batch in which the one before
//! it stands, so that one's event serves for both: nothing is made for the command, and nothing ended.
//!
//! Later commands follow the event, clFinish waits for it, and it keeps the queue alive.

use std::sync::Arc;

use super::{Queue, WaitList};
use crate::base::error::Result;
use crate::base::object::{Object, Ref};
use crate::base::reason;
use crate::base::trace;
use crate::command::{Command, DeviceCommand, Launched};
use crate::memory::residency;

use super::batch::Joined;
use super::schedule::tell_failure;

/// The lane of an in-order queue.
const ONLY: usize = 0;

impl Object<Queue> {
    /// Puts a command into the queue whose event nobody gets.
    ///
    /// # Errors
    /// As [`Object::enqueue`].
    pub fn enqueue_without_event(
        self: &Ref<Queue>,
        command: Command,
        wait: WaitList,
    ) -> Result<()> {
        if let (Command::Device(device), []) = (&command, &wait.events[..]) {
            if self.join(device)? {
                return Ok(());
            }
        }
        self.enqueue(command, wait, false).map(drop)
    }

    /// Puts a launch into the queue whose event nobody gets and that waits for nothing, if the queue has just recorded the
    /// same. False if it has not, or something has changed since.
    ///
    /// # Errors
    /// CL_CONTEXT_TERMINATED_KHR, CL_OUT_OF_RESOURCES after a device loss.
    pub fn launch_again(self: &Ref<Queue>, launch: &Launched<'_>) -> Result<bool> {
        if !self.order.has_last() || trace::enabled() {
            return Ok(false);
        }
        self.context().check_live()?;
        let repeated = self.repeat(residency::changes(), |last| last.is_launch(launch));
        Ok(repeated.is_some_and(|joined| {
            self.has_joined(joined, launch.kernel.name());
            true
        }))
    }

    /// Records the last command once more, if `is_it` is true of it.
    fn repeat(
        self: &Ref<Queue>,
        changes: u64,
        is_it: impl Fn(&dyn DeviceCommand) -> bool,
    ) -> Option<Joined> {
        let is_last = |event: &_| self.order.is_last(event);
        self.lanes[ONLY].repeat(is_it, self.on(), changes, is_last)
    }

    /// Records a command behind the last one, whose event stands for both; false if it needs one of its own.
    fn join(self: &Ref<Queue>, command: &Arc<dyn DeviceCommand>) -> Result<bool> {
        // A trace shows the times of each command.
        if !self.order.has_last() || trace::enabled() || !command.joins() {
            return Ok(false);
        }
        self.context().check_live()?;
        let changes = residency::changes();
        let same = |last: &dyn DeviceCommand| std::ptr::addr_eq(last, Arc::as_ptr(command));
        let joined = self.repeat(changes, same).or_else(|| {
            // The contents are brought as they are now: with a command between that has not been recorded, that is too early.
            let is_last = |event: &_| self.order.is_last(event);
            if !self.lanes[ONLY].ends_with(is_last) {
                return None;
            }
            let mut waits = Vec::new();
            let writing = self.writing(ONLY);
            let clears = self
                .find_contents(&**command, (ONLY, &writing), &mut waits)
                .ok()?;
            if !clears.is_empty() || !waits.is_empty() {
                return None;
            }
            self.lanes[ONLY].join(command, self.on(), changes, is_last)
        });
        Ok(joined.is_some_and(|joined| {
            self.has_joined(joined, command.name());
            true
        }))
    }

    /// Does what follows from a command that was recorded behind another.
    fn has_joined(self: &Ref<Queue>, joined: Joined, name: &str) {
        self.follow_up(ONLY, joined.submissions.into_iter().flatten());
        if let Err(error) = joined.recorded {
            tell_failure(self, name, reason::take(error), error);
            self.untold.note(error);
        }
        if joined.is_too_much {
            self.hold_back();
        }
    }
}
