//! Acquires and releases of objects that another API has too, and their order.

use crate::base::error::Result;
use crate::base::object::Ref;
use crate::command::{external, gl};
use crate::memory::Mem;
use crate::memory::external::Owner;
use crate::queue::event::Event;
use crate::queue::{Queue, WaitList};

/// Enqueues the command that acquires objects from their owner, if `to_us`, or releases them.
///
/// # Errors
/// Those that the specification lists for the owner's functions, in its order.
pub fn enqueue(
    queue: &Ref<Queue>,
    owner: Owner,
    objects: Vec<Ref<Mem>>,
    to_us: bool,
    wait: WaitList,
) -> Result<Ref<Event>> {
    match owner {
        Owner::Memory => memory(queue, &objects, to_us, wait),
        Owner::Gl | Owner::Egl => shared(queue, owner, objects, to_us, wait),
    }
}

/// Hands memory over. Each command takes place after the one that was enqueued before it for the same object, on whichever
/// queue: an acquire that came first would take the memory's old contents for the newest.
fn memory(
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

/// Hands objects of OpenGL or EGL over.
fn shared(
    queue: &Ref<Queue>,
    owner: Owner,
    objects: Vec<Ref<Mem>>,
    to_us: bool,
    wait: WaitList,
) -> Result<Ref<Event>> {
    let command = gl::hand_over(queue.on(), owner, objects.clone(), to_us)?;
    let event = queue.enqueue(command, wait, false)?;
    // cl_khr_gl_event: what this thread tells OpenGL next comes behind a release.
    let groups = gl::groups(owner, &objects)?;
    if !to_us && groups.iter().any(|group| group.is_current_here()) {
        event.wait_before_gl();
    }
    Ok(event)
}
