//! The return of calls that block.
//!
//! A call that writes an object needs the application's memory until it is copied, which is when the command is recorded.
//! With a wait for the command's end, the device would have nothing to do until the next call, and the application until the commands
//! before it have ended. The application cannot tell the two apart where only later commands of the same in-order queue see
//! the object: its context has no other queue, and nobody has the command's event.

use std::sync::Arc;

use super::event::Event;
use super::{Queue, of_context};
use crate::base::callback;
use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::object::{Object, Ref};
use crate::command::Command;

/// The state of its command that a call waits for, if it blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The command is recorded; it has ended, if the context has other queues then.
    Recorded,
    /// The command has ended.
    Ended,
}

impl Queue {
    /// The state of the command that the call which enqueues it waits for, if it blocks.
    pub(super) fn blocks_until(&self, command: &Command, gives_event: bool) -> Until {
        let is_recorded = matches!(command, Command::Device(c) if c.only_takes_from_host());
        match is_recorded && !gives_event && !self.out_of_order() {
            true => Until::Recorded,
            false => Until::Ended,
        }
    }
}

impl Object<Queue> {
    /// Blocks a call that has enqueued a command.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if the command has failed until then.
    pub(super) fn block(self: &Ref<Queue>, event: &Ref<Event>, until: Until) -> Result<()> {
        let leaves = match until {
            Until::Recorded => {
                // What it waits for may not have been submitted yet.
                self.flush();
                exit::outside(|| event.wait_recorded()).is_some() && self.leaves(event)
            }
            Until::Ended => false,
        };
        match leaves {
            true => {
                self.flush();
                self.hold_back();
            }
            false => {
                event.wait();
                callback::wait_called(callback::STAY_OF_WAITS);
            }
        }
        if event.status() >= 0 {
            return Ok(());
        }
        if until == Until::Recorded {
            // This call tells of the failure, so that no other does.
            let _ = self.untold.tell();
        }
        self.context().check_live()?;
        Err(Error::OutOfResources)
    }

    /// Notes that a call returns before its recorded command has ended, unless the context has other queues.
    fn leaves(self: &Ref<Queue>, event: &Ref<Event>) -> bool {
        // Locked first: a queue that is added later waits for what is noted here.
        let mut left = self.left.lock();
        let is_alone = of_context(self.context()).len() == 1;
        if is_alone {
            *left = Arc::downgrade(event);
        }
        is_alone
    }

    /// Blocks until the commands have ended whose calls returned before. For queues that are new in the context, once they
    /// are in the list of queues.
    pub(super) fn wait_left(&self) {
        let left = std::mem::take(&mut *self.left.lock());
        if let Some(event) = left.upgrade() {
            event.wait();
        }
    }
}
