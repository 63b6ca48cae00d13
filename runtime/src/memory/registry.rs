//! The buffers of all contexts, as reports of checks name them: those that are there, and those that went last.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::base::object::{Object, Ref};
use crate::context::Context;
use crate::memory::Mem;
use crate::memory::storage::Storage;

/// Released buffers that are remembered when the list is cleaned up.
const MOST_RELEASED: usize = 64;
/// Entries from which on the list is cleaned up when it has doubled.
const FIRST_CLEANUP: usize = 256;

/// A buffer.
struct Entry {
    /// The context's handle.
    context: usize,
    buffer: Weak<Object<Mem>>,
    /// The pointer to its first byte on the context's first device, where it has memory from the beginning.
    first: u64,
    size: u64,
}

/// Guards the buffers in the order of their creation, and the length at which the list is cleaned up.
static LIST: Mutex<(Vec<Entry>, usize)> = Mutex::new((Vec::new(), FIRST_CLEANUP));

/// A range of memory that a buffer has or had.
#[derive(Clone, Debug)]
pub struct Range {
    /// The pointer to its first byte.
    pub first: u64,
    /// In bytes.
    pub size: u64,
    /// True if the buffer is gone.
    pub released: bool,
    /// Its bytes.
    pub storage: Weak<Storage>,
}

/// Notes a new buffer.
pub(super) fn note(buffer: &Ref<Mem>) {
    let memory = (buffer.storage().ok()).and_then(|storage| storage.present(0));
    let entry = Entry {
        context: buffer.context().handle(),
        buffer: Arc::downgrade(buffer),
        first: memory.map_or(0, |memory| memory.pointer()),
        size: buffer.size() as u64,
    };
    let mut list = LIST.lock();
    let (entries, cleanup) = &mut *list;
    entries.push(entry);
    if entries.len() >= *cleanup {
        let gone = |entry: &Entry| entry.buffer.strong_count() == 0;
        let mut surplus = entries.iter().filter(|entry| gone(entry)).count();
        surplus = surplus.saturating_sub(MOST_RELEASED);
        entries.retain(|entry| {
            let drops = surplus > 0 && gone(entry);
            surplus -= usize::from(drops);
            !drops
        });
        *cleanup = (entries.len() * 2).max(FIRST_CLEANUP);
    }
}

/// The memory of a context's buffers on its device number `index`.
pub fn ranges(context: &Ref<Context>, index: usize) -> Vec<Range> {
    let mut live = Vec::new();
    let mut all = Vec::new();
    {
        let list = LIST.lock();
        for entry in list
            .0
            .iter()
            .filter(|entry| entry.context == context.handle())
        {
            match entry.buffer.upgrade() {
                Some(buffer) => live.push(buffer),
                None if index == 0 && entry.first != 0 => all.push(Range {
                    first: entry.first,
                    size: entry.size,
                    released: true,
                    storage: Weak::new(),
                }),
                None => {}
            }
        }
    }
    // Not under the lock: each may be the last reference.
    for buffer in live {
        let Ok(storage) = buffer.storage() else {
            continue;
        };
        all.extend(storage.present(index).map(|memory| Range {
            first: memory.pointer() + buffer.origin() as u64,
            size: buffer.size() as u64,
            released: false,
            storage: Arc::downgrade(storage),
        }));
    }
    all
}
