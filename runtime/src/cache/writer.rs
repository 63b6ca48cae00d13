//! Entries are written on a thread of their own: making a file can take as long as compiling a
//! small kernel, and no build waits for it.
//!
//! An entry that waits to be written is found as if it were there. The end of the process waits for the rest;
//! a process that ends without its exit handlers loses some entries and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::folder::Folder;

/// Writing begins so long after there is something to write: who has built a program is about to
/// run it, and perhaps to build more.
const PAUSE: Duration = Duration::from_millis(20);
/// No more bytes than this wait: who comes with more writes them itself.
const MAX_WAITING: usize = 64 << 20;
/// The thread's stack, in bytes.
const STACK_BYTES: usize = 256 << 10;

/// The entries that wait for the thread.
pub struct Writer {
    /// Guards the list; never held while a file is written.
    state: Mutex<State>,
    /// The list has grown, or is empty.
    changed: Condvar,
    /// The process that the thread belongs to.
    process: OnceLock<u32>,
}

struct State {
    /// By name. The one being written stays until it is.
    waiting: BTreeMap<String, Entry>,
    /// Bytes of all that waits.
    bytes: usize,
    /// True if the thread has been started.
    started: bool,
    /// True if somebody waits for the end, so that nothing may be put off.
    hurry: bool,
}

#[derive(Clone)]
struct Entry {
    folder: &'static Folder,
    contents: Arc<[u8]>,
}

impl Writer {
    /// Nothing waits.
    pub const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: BTreeMap::new(),
                bytes: 0,
                started: false,
                hurry: false,
            }),
            changed: Condvar::new(),
            process: OnceLock::new(),
        }
    }

    /// Tells whether this process is the thread's. A child that was forked has no such thread, and
    /// perhaps a lock that nobody gives back.
    fn is_own(&self) -> bool {
        let process = std::process::id();
        *self.process.get_or_init(|| process) == process
    }

    /// Stores an entry, soon.
    pub fn put(&'static self, folder: &'static Folder, name: &str, contents: Vec<u8>) {
        if self.is_own() && contents.len() <= MAX_WAITING {
            let mut state = self.state.lock();
            let room = state.bytes + contents.len() <= MAX_WAITING;
            if room && self.has_thread(&mut state) {
                state.bytes += contents.len();
                let contents = contents.into();
                if state.waiting.is_empty() {
                    self.changed.notify_all();
                }
                let before = (state.waiting).insert(name.into(), Entry { folder, contents });
                state.bytes -= before.map_or(0, |entry| entry.contents.len());
                return;
            }
        }
        folder.put(name, &contents);
    }

    /// The contents of an entry that waits or is there.
    pub fn get(&self, folder: &Folder, name: &str) -> Option<Vec<u8>> {
        let waiting = match self.is_own() {
            true => self.state.lock().waiting.get(name).cloned(),
            false => None,
        };
        match waiting.filter(|entry| std::ptr::eq(entry.folder, folder)) {
            Some(entry) => Some(entry.contents.to_vec()),
            None => folder.get(name),
        }
    }

    /// Waits until everything is written, or for so long.
    pub fn finish(&self, patience: Duration) {
        let end = Instant::now() + patience;
        if !self.is_own() {
            return;
        }
        let Some(mut state) = self.state.try_lock_until(end) else {
            return;
        };
        state.hurry = true;
        self.changed.notify_all();
        while !state.waiting.is_empty() && !self.changed.wait_until(&mut state, end).timed_out() {}
    }

    /// Starts the thread, once; false where there can be none.
    fn has_thread(&'static self, state: &mut State) -> bool {
        if !state.started {
            let thread = std::thread::Builder::new()
                .name("pumice-cache".into())
                .stack_size(STACK_BYTES)
                .spawn(|| self.work());
            state.started = thread.is_ok();
        }
        state.started
    }

    fn pause(&self, state: &mut MutexGuard<'_, State>) {
        if !state.hurry {
            self.changed.wait_for(state, PAUSE);
        }
    }

    fn work(&self) {
        let mut state = self.state.lock();
        self.pause(&mut state);
        loop {
            let next = state.waiting.first_key_value();
            let Some((name, entry)) = next.map(|(name, entry)| (name.clone(), entry.clone()))
            else {
                self.changed.notify_all();
                self.changed.wait(&mut state);
                self.pause(&mut state);
                continue;
            };
            MutexGuard::unlocked(&mut state, || entry.folder.put(&name, &entry.contents));
            // What has come under the name meanwhile waits on.
            let is_same = |now: &Entry| Arc::ptr_eq(&now.contents, &entry.contents);
            if state.waiting.get(&name).is_some_and(is_same) {
                state.waiting.remove(&name);
                state.bytes -= entry.contents.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Folder, MAX_WAITING, Writer};
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(600);

    fn both(name: &str) -> (&'static Writer, &'static Folder) {
        let path = std::env::temp_dir().join(format!("pumice-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let folder = Folder::new(path, 1 << 30);
        (
            Box::leak(Box::new(Writer::new())),
            Box::leak(Box::new(folder)),
        )
    }

    #[test]
    fn entries_are_found_before_and_after_they_are_written() {
        let (writer, folder) = both("writer");
        assert_eq!(writer.get(folder, "0"), None);
        for number in 0..200_u8 {
            let name = format!("{number}");
            writer.put(folder, &name, vec![0; 10]);
            writer.put(folder, &name, vec![number; 1000]);
            assert_eq!(writer.get(folder, &name), Some(vec![number; 1000]));
        }
        writer.finish(LONG);
        for number in 0..200_u8 {
            let name = format!("{number}");
            assert_eq!(folder.get(&name), Some(vec![number; 1000]));
            assert_eq!(writer.get(folder, &name), Some(vec![number; 1000]));
        }
        assert_eq!(writer.state.lock().bytes, 0);
        // The thread is there for more.
        writer.put(folder, "more", vec![1]);
        writer.finish(LONG);
        assert_eq!(folder.get("more"), Some(vec![1]));
        std::fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn what_is_too_much_to_wait_is_written_at_once() {
        let (writer, folder) = both("large");
        writer.put(folder, "large", vec![3; MAX_WAITING + 1]);
        assert!(folder.get("large").is_some() && !writer.state.lock().started);
        std::fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn another_process_writes_itself() {
        let (writer, folder) = both("forked");
        writer.process.set(std::process::id() ^ 1).unwrap();
        // As if the lock had been held when the process was forked.
        let _held = writer.state.lock();
        writer.put(folder, "one", vec![5; 10]);
        assert_eq!(folder.get("one"), Some(vec![5; 10]));
        assert_eq!(writer.get(folder, "one"), Some(vec![5; 10]));
        writer.finish(LONG);
        std::fs::remove_dir_all(folder.path()).unwrap();
    }
}
