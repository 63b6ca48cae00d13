//! The order of acquires and releases of memory of other APIs (cl_khr_external_memory).
//!
//! Each takes place after the one that was enqueued before it for the same object, on whichever queue: an acquire that came
//! first would take the memory's old contents for the newest.

use crate::base::error::Result;
use crate::base::object::Ref;
use crate::command::external;
use crate::memory::Mem;
use crate::queue::event::Event;
use crate::queue::{Queue, WaitList};

/// clEnqueueAcquireExternalMemObjectsKHR, if `to_us`, and clEnqueueReleaseExternalMemObjectsKHR.
///
/// # Errors
/// Those that the specification lists for these functions, in its order.
pub fn enqueue(
    queue: &Ref<Queue>,
    objects: &[Ref<Mem>],
    to_us: bool,
    mut wait: WaitList,
) -> Result<Ref<Event>> {
    let command = external::hand_over(queue.on(), objects.to_vec(), to_us)?;
    let memories = || objects.iter().filter_map(|object| object.external_memory());
    for memory in memories() {
        let last = memory.last_hand_over::<Ref<Event>>();
        wait.events.extend(last.filter(|last| !last.is_done()));
    }
    let event = queue.enqueue(command, wait, false)?;
    for memory in memories() {
        memory.note_hand_over(event.clone());
    }
    Ok(event)
}
