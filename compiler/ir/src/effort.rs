//! Counts what the compiler looks at, so that tests can fit how its work grows with its input.
//!
//! Counted are accesses to instructions, to blocks' lists of instructions, predecessors and
//! successors, to loops, and to the types and origins of values: an algorithm over the IR that
//! takes more than linear time shows here. What works on tokens, words or its own tables alone is
//! not seen. Builds without debug assertions count nothing.

use std::cell::Cell;
use std::ops::{Deref, DerefMut, Index, IndexMut};

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// Accesses that this thread has made so far; 0 in builds without debug assertions.
pub fn looks() -> u64 {
    LOOKS.get()
}

/// Counts an access.
#[inline]
pub(super) fn look() {
    if cfg!(debug_assertions) {
        LOOKS.set(LOOKS.get() + 1);
    }
}

/// A map whose look-ups are counted.
#[derive(Clone, Debug, Default)]
pub struct Counted<T>(T);

impl<T> Deref for Counted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Counted<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<K, T: Index<K>> Index<K> for Counted<T> {
    type Output = T::Output;

    #[inline]
    fn index(&self, key: K) -> &T::Output {
        look();
        &self.0[key]
    }
}

impl<K, T: IndexMut<K>> IndexMut<K> for Counted<T> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut T::Output {
        look();
        &mut self.0[key]
    }
}
