//! Helper threads that start when they first have something to do.

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;

use crate::base::log;

/// A thread that takes items in the order in which they are sent. It ends when the worker is dropped
/// and all items are taken.
pub(super) struct Worker<T> {
    name: &'static str,
    /// Guards the way to the thread, once there is one.
    sender: Mutex<Option<Sender<T>>>,
}

impl<T: Send + 'static> Worker<T> {
    /// No thread yet. `name` is the thread's.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            sender: Mutex::new(None),
        }
    }

    /// Hands an item to the thread, which runs `body` from its start on.
    ///
    /// # Errors
    /// The item, if the thread cannot be started.
    pub fn send(&self, item: T, body: impl FnOnce(Receiver<T>) + Send + 'static) -> Result<(), T> {
        let mut slot = self.sender.lock();
        if slot.is_none() {
            let (sender, receiver) = unbounded();
            let spawned = std::thread::Builder::new()
                .name(self.name.into())
                .spawn(move || body(receiver));
            match spawned {
                Ok(_) => *slot = Some(sender),
                Err(error) => log::error!("cannot start the thread {}: {error}", self.name),
            }
        }
        match slot.as_ref() {
            Some(sender) => sender.send(item).map_err(|unsent| unsent.0),
            None => Err(item),
        }
    }
}
