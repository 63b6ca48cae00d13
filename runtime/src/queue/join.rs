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
use crate::command::{Command, DeviceCommand};

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

    /// Records a command behind the last one, whose event stands for both; false if it needs one of its own.
    fn join(self: &Ref<Queue>, command: &Arc<dyn DeviceCommand>) -> Result<bool> {
        // A trace shows the times of each command.
        if !self.order.has_last() || trace::enabled() || !command.joins() {
            return Ok(false);
        }
        self.context().check_live()?;
        let mut waits = Vec::new();
        let found = self.find_contents(&**command, ONLY, &mut waits);
        let Ok(true) = found.map(|clears| clears.is_empty() && waits.is_empty()) else {
            return Ok(false);
        };
        let is_last = |event: &_| self.order.is_last(event);
        let Some(joined) = self.lanes[ONLY].join(command, self.on(), is_last) else {
            return Ok(false);
        };
        self.follow_up(ONLY, joined.submission);
        if let Err(error) = joined.recorded {
            tell_failure(self, command.name(), reason::take(error), error);
        }
        if joined.is_too_much {
            self.hold_back();
        }
        Ok(true)
    }
}
