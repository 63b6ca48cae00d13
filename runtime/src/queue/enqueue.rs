//! The one entry of commands into queues.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opencl_sys as cl;
use smallvec::SmallVec;

use super::blocking::Until;
use super::event::{Event, Node, Progress};
use super::schedule::{complete, launch};
use super::{Queue, WaitList};
use crate::base::error::{Error, Result};
use crate::base::object::{Object, Ref};
use crate::command::Command;

/// Events that a command depends on, with the progress that it needs of each.
type Needs = SmallVec<[(Ref<Event>, Progress); 1]>;

/// Tells whether a command acquires objects of OpenGL or EGL, or releases them.
fn hands_over(command: &Command) -> bool {
    matches!(
        command.command_type(),
        cl::CL_COMMAND_ACQUIRE_GL_OBJECTS
            | cl::CL_COMMAND_RELEASE_GL_OBJECTS
            | cl::cl_egl::CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR
            | cl::cl_egl::CL_COMMAND_RELEASE_EGL_OBJECTS_KHR
    )
}

impl Object<Queue> {
    /// Puts a command into the queue. With `blocking`, returns when it has ended, or when nobody can tell.
    ///
    /// # Errors
    /// CL_INVALID_CONTEXT if an event is of another context; if the call blocks,
    /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if an event of the list failed, and
    /// CL_OUT_OF_RESOURCES if the command did. What making the command noted is then taken back.
    pub fn enqueue(
        self: &Ref<Queue>,
        command: Command,
        wait: WaitList,
        blocking: bool,
    ) -> Result<Ref<Event>> {
        let until = blocking.then(|| self.blocks_until(&command, wait.gives_event));
        let node = self.admit(&command, wait, until);
        let node = node.inspect_err(|_| command.withdraw())?;
        let event = node.event.clone();
        if node.satisfy() {
            // Everything is there: this thread, the application's, may do host work itself.
            launch(node, true);
        }
        match until {
            // A blocking call reports what became of its command.
            Some(until) => {
                let ended = self.block(&event, until);
                ended.inspect_err(|_| command.withdraw())?;
            }
            None => self.hold_back(),
        }
        Ok(event)
    }

    /// Makes a command's node, with all that it waits for.
    fn admit(
        self: &Ref<Queue>,
        command: &Command,
        wait: WaitList,
        until: Option<Until>,
    ) -> Result<Arc<Node>> {
        let WaitList {
            events: wait_list,
            gives_event,
        } = wait;
        self.context().check_live()?;
        // CL_INVALID_CONTEXT if the queue's context and that of an event are not the same.
        for event in &wait_list {
            self.on().check_context(event.context())?;
        }
        // CL_INVALID_EVENT if a command that acquires and releases nothing waits for a fence of another API.
        if !hands_over(command) && wait_list.iter().any(|event| event.is_of_fence()) {
            let reason = "an event of a fence is for commands that acquire or release objects";
            return Err(Error::InvalidEvent.because(reason));
        }
        if until.is_some() {
            // The caller would wait anyway: with nothing left to wait for, it does the host's work itself
            // instead of handing it to another thread.
            if !matches!(command, Command::Device(_)) {
                self.wait_idle();
            }
            for event in &wait_list {
                event.wait();
            }
            // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the call blocks and an event failed.
            if wait_list.iter().any(|e| e.status() < 0) {
                return Err(Error::ExecStatusErrorForEventsInWaitList);
            }
        }
        let event = Event::of_command(self, command);
        let implicit = self.order.place(&event, command, wait_list.is_empty());
        // The context was terminated while the command took its place: who ended its commands may not have seen it.
        self.context().check_live().inspect_err(|error| {
            complete(&event, error.code());
        })?;
        let needed = |other: &Ref<Event>| {
            // Of one device, and where nothing is left for the host: batches of an in-order queue end in their order, those
            // of others may be found to have ended before the ones that they waited for.
            let is_enough = |queue: &Ref<Queue>| {
                let in_order = queue.handle() == self.handle() && !self.out_of_order();
                queue.device().handle() == self.device().handle()
                    && (in_order || !queue.order.has_host_ends())
            };
            match command {
                Command::Device(_) if other.queue().is_some_and(is_enough) => Progress::Recorded,
                _ => Progress::Complete,
            }
        };
        // Asked once: what is enough may change meanwhile.
        let with_need = |event: &Ref<Event>| (event.clone(), needed(event));
        let listed: Needs = wait_list.iter().map(with_need).collect();
        let implied: Needs = implicit.iter().map(with_need).collect();
        let unordered = match self.out_of_order() {
            true => &implied[..],
            false => &[],
        };
        let after = (listed.iter().chain(unordered))
            .filter(|(event, need)| *need == Progress::Recorded && !event.is_done())
            .map(|(event, _)| event.clone())
            .collect();
        let node = Arc::new(Node {
            event,
            queue: self.clone(),
            command: command.clone(),
            after,
            wait_list,
            gives_event,
            is_told: gives_event || until == Some(Until::Ended),
            pending: AtomicUsize::new(1),
        });
        for (dependency, need) in listed.iter().chain(&implied) {
            if dependency.is_done() {
                continue;
            }
            node.pending.fetch_add(1, Ordering::AcqRel);
            if !dependency.subscribe(*need, &node) {
                node.satisfy();
            }
        }
        Ok(node)
    }
}
