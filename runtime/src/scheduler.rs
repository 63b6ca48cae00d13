//! When commands run: dependencies, launching, completion.
//!
//! A [`Node`] is a command that has been enqueued. It counts the events that it still waits for;
//! at zero it is launched: a device command is recorded into its queue's open batch by the thread
//! that found it ready, a host command runs on the enqueuing thread or on its queue's host
//! thread. Ending a command wakes the nodes that waited for its event.
//!
//! Invariant: a node is launched only when everything that it depends on has been recorded on the
//! same device or has ended, so nothing is ever submitted to Vulkan that waits for a signal not
//! yet submitted. User events and other devices' commands therefore hold back their dependants
//! here, and no other queue.
//!
//! Invariant: no function here calls another with a lock of an event or queue held.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opencl_sys as cl;

use crate::command::{Class, Command, WaitList};
use crate::device::host_time;
use crate::error::{Error, Result};
use crate::event::{Event, Moment, Need};
use crate::log;
use crate::object::Ref;
use crate::queue::Queue;
use crate::trace;

/// An enqueued command.
pub struct Node {
    /// The command's event.
    pub event: Ref<Event>,
    /// The queue.
    pub queue: Ref<Queue>,
    /// What to do.
    pub command: Command,
    /// The events of the wait list, whose failure is passed on.
    wait_list: Vec<Ref<Event>>,
    /// Whether the application has the event, and may ask for the command's times.
    pub gives_event: bool,
    /// Recorded commands of other queues of the device, ordered by semaphores.
    pub after: Vec<Ref<Event>>,
    /// Dependencies not yet satisfied, plus one while the node is being set up.
    pending: AtomicUsize,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node").field("event", &*self.event).finish()
    }
}

impl Node {
    /// Whether an event of the wait list ended abnormally.
    pub fn wait_list_failed(&self) -> bool {
        self.wait_list.iter().any(|e| e.status() < 0)
    }

    /// One dependency is satisfied; true when it was the last.
    fn satisfy(&self) -> bool {
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// Puts a command into a queue. With `blocking`, returns when it has ended.
pub fn enqueue(
    queue: &Ref<Queue>,
    command: Command,
    wait: WaitList,
    blocking: bool,
) -> Result<Ref<Event>> {
    let WaitList {
        events: wait_list,
        gives_event,
    } = wait;
    // CL_INVALID_CONTEXT if the queue's context and that of an event are not the same.
    if wait_list
        .iter()
        .any(|e| e.context().handle() != queue.context().handle())
    {
        return Err(Error::InvalidContext);
    }
    let class = command.class();
    if blocking {
        // The caller would wait anyway: with nothing left to wait for, it does the work itself
        // instead of handing it to another thread.
        queue.wait_idle();
        for event in &wait_list {
            event.wait();
        }
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the call blocks and an event failed.
        if wait_list.iter().any(|e| e.status() < 0) {
            return Err(Error::ExecStatusErrorForEventsInWaitList);
        }
    }
    let event = Event::of_command(queue, command.command_type());
    let implicit = queue.order(&event, &command, wait_list.is_empty());
    let same_device = |other: &Ref<Event>| {
        class == Class::Device
            && other
                .queue()
                .is_some_and(|q| q.device().handle() == queue.device().handle())
    };
    let dependencies: Vec<(Need, Ref<Event>)> = wait_list
        .iter()
        .chain(&implicit)
        .filter(|e| !e.is_done())
        .map(|e| {
            let need = if same_device(e) {
                Need::Recorded
            } else {
                Need::Complete
            };
            (need, e.clone())
        })
        .collect();
    let node = Arc::new(Node {
        event: event.clone(),
        queue: queue.clone(),
        command,
        after: dependencies
            .iter()
            .filter(|(need, _)| *need == Need::Recorded)
            .map(|(_, e)| e.clone())
            .collect(),
        wait_list,
        gives_event,
        pending: AtomicUsize::new(1),
    });
    for (need, dependency) in &dependencies {
        node.pending.fetch_add(1, Ordering::AcqRel);
        if !dependency.subscribe(*need, &node) {
            node.satisfy();
        }
    }
    if node.satisfy() {
        // Everything is there: this thread, the application's, may do host work itself.
        launch(node, true);
    }
    if blocking {
        event.wait();
        // A blocking call reports what became of its command.
        if event.status() < 0 {
            return Err(Error::OutOfResources);
        }
    } else {
        queue.hold_back();
    }
    Ok(event)
}

/// Launches a node that waits for nothing more, and whatever that makes ready in turn. With
/// `inline`, the node's own host work may run on this thread.
fn launch(node: Arc<Node>, mut inline: bool) {
    let mut ready = VecDeque::from([node]);
    while let Some(node) = ready.pop_front() {
        let woken = launch_one(&node, inline);
        ready.extend(woken.into_iter().filter(|next| next.satisfy()));
        inline = false;
    }
}

/// Launches one node; gives the nodes that were told.
fn launch_one(node: &Arc<Node>, inline: bool) -> Vec<Arc<Node>> {
    if node.wait_list_failed() {
        return end(
            &node.event,
            Error::ExecStatusErrorForEventsInWaitList.code(),
        )
        .unwrap_or_default();
    }
    let now = host_time();
    node.event.mark(Moment::Submit, now);
    match node.command.class() {
        Class::Device => record(node),
        Class::Nothing => {
            node.event.mark(Moment::Start, now);
            node.event.mark(Moment::End, now);
            end(&node.event, cl::CL_COMPLETE).unwrap_or_default()
        }
        Class::Host if inline => run_on_host(node),
        Class::Host | Class::Callback => {
            let _ = node.event.advance(cl::CL_SUBMITTED);
            node.queue.post_host(node.clone());
            Vec::new()
        }
    }
}

/// Records a device command; gives the nodes that were told.
fn record(node: &Arc<Node>) -> Vec<Arc<Node>> {
    match node.queue.record(node) {
        Ok(value) => {
            let _ = node.event.advance(cl::CL_SUBMITTED);
            let ready = node.event.set_recorded(value);
            // Only now: a batch that ends before its events know their value is still found by
            // the completion thread, which holds the nodes.
            node.queue.submit_if_idle();
            ready
        }
        Err(error) => {
            log::warn!("a command could not be recorded: {error}");
            end(&node.event, error.code()).unwrap_or_default()
        }
    }
}

/// Runs a host command on this thread; gives the nodes that were told.
fn run_on_host(node: &Arc<Node>) -> Vec<Arc<Node>> {
    let _ = node.event.advance(cl::CL_SUBMITTED);
    let start = host_time();
    node.event.mark(Moment::Start, start);
    let _ = node.event.advance(cl::CL_RUNNING);
    let result = node.command.run_on_host(&node.queue);
    let ended = host_time();
    node.event.mark(Moment::End, ended);
    trace::command(node.queue.track(), node.command.name(), (start, ended));
    let status = match result {
        Ok(()) => cl::CL_COMPLETE,
        Err(error) => {
            log::warn!("a host command failed: {error}");
            error.code()
        }
    };
    end(&node.event, status).unwrap_or_default()
}

/// Runs a host command on the queue's host thread, and launches what it made ready.
pub fn run_posted(node: &Arc<Node>) {
    wake(run_on_host(node));
}

/// Launches the nodes that waited for nothing else.
fn wake(told: Vec<Arc<Node>>) {
    for node in told {
        if node.satisfy() {
            launch(node, false);
        }
    }
}

/// Ends a command; gives the nodes that were told. `None` if it had ended before.
fn end(event: &Ref<Event>, status: i32) -> Option<Vec<Arc<Node>>> {
    let waiters = event.advance(status)?;
    if let Some(queue) = event.queue() {
        queue.forget(event);
    }
    Some(waiters)
}

/// Ends a command and launches what waited for it. False if it had ended before.
pub fn complete(event: &Ref<Event>, status: i32) -> bool {
    let Some(waiters) = end(event, status) else {
        return false;
    };
    wake(waiters);
    true
}
