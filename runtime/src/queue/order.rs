//! The order between the commands of a queue, apart from their wait lists.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::event::Event;
use crate::base::object::Ref;
use crate::command::Command;

/// Events that a command follows: mostly one.
pub(super) type Events = SmallVec<[Ref<Event>; 1]>;

/// The commands of a queue that others must follow.
pub(super) struct QueueOrder {
    out_of_order: bool,
    /// The address of `state.last`'s event, for reading without the lock; 0 if there is none.
    last: AtomicUsize,
    /// The number of `state.host_ends`, for reading without the lock.
    host_ends: AtomicUsize,
    /// Guards the commands.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In-order queues: the last command.
    last: Option<Ref<Event>>,
    /// Out-of-order queues: the last barrier.
    barrier: Option<Ref<Event>>,
    /// Every command that has not ended, by its event's address.
    outstanding: FxHashMap<usize, Ref<Event>>,
    /// Those of them that end on the host ([`Command::ends_on_host`]).
    host_ends: FxHashSet<usize>,
}

impl QueueOrder {
    pub fn new(out_of_order: bool) -> Self {
        Self {
            out_of_order,
            last: AtomicUsize::new(0),
            host_ends: AtomicUsize::new(0),
            state: Mutex::default(),
        }
    }

    /// Gives a new command its place; returns the events that it follows from that alone, without
    /// its wait list.
    pub fn place(&self, event: &Ref<Event>, command: &Command, empty_wait_list: bool) -> Events {
        let mut state = self.state.lock();
        let mut after = Events::new();
        if self.out_of_order {
            // A marker or barrier without a wait list waits for every earlier command; a barrier
            // holds back every later one.
            if matches!(command, Command::Marker | Command::Barrier) && empty_wait_list {
                after.extend(state.outstanding.values().cloned());
            }
            after.extend(state.barrier.clone());
            if matches!(command, Command::Barrier) {
                state.barrier = Some(event.clone());
            }
        } else {
            after.extend(state.last.replace(event.clone()));
            self.last.store(event.handle(), Ordering::Release);
        }
        state.outstanding.insert(event.handle(), event.clone());
        if command.ends_on_host() {
            state.host_ends.insert(event.handle());
            self.host_ends
                .store(state.host_ends.len(), Ordering::Release);
        }
        after
    }

    /// Drops a command that has ended.
    pub fn forget(&self, event: &Ref<Event>) {
        let is_this = |other: &Option<Ref<Event>>| {
            other
                .as_ref()
                .is_some_and(|other| other.handle() == event.handle())
        };
        let mut state = self.state.lock();
        // The references are dropped after the lock is released.
        let _last = is_this(&state.last).then(|| {
            self.last.store(0, Ordering::Release);
            state.last.take()
        });
        let _barrier = is_this(&state.barrier).then(|| state.barrier.take());
        let _entry = state.outstanding.remove(&event.handle());
        if state.host_ends.remove(&event.handle()) {
            self.host_ends
                .store(state.host_ends.len(), Ordering::Release);
        }
        drop(state);
    }

    /// Tells whether a command that has not ended ends on the host.
    pub fn has_host_ends(&self) -> bool {
        self.host_ends.load(Ordering::Acquire) != 0
    }

    /// The last command of an in-order queue, if it has not ended.
    pub fn last(&self) -> Option<Ref<Event>> {
        self.state.lock().last.clone()
    }

    /// Tells whether it is the order of an in-order queue, one of whose commands has not ended.
    pub fn has_last(&self) -> bool {
        self.last.load(Ordering::Acquire) != 0
    }

    /// Tells whether this is the event of an in-order queue's last command.
    pub fn is_last(&self, event: &Ref<Event>) -> bool {
        self.last.load(Ordering::Acquire) == event.handle()
    }

    /// All commands that have not ended.
    pub fn outstanding(&self) -> Vec<Ref<Event>> {
        self.state.lock().outstanding.values().cloned().collect()
    }
}
