//! Pages of the host's address space that belong to buffers: reserved, backed by memory, and given back.
//!
//! [`Reserved`] is address space without memory. A part of it gets memory of its own ([`HostPages::of_own`]) or shows
//! memory that also lies elsewhere ([`HostPages::showing`]), and is only reserved again afterwards.

use std::ptr::NonNull;

use crate::error::{Error, Result};
use crate::os::{self, SharedMemory, most_address_space, page_size};

/// Address space that nothing else in the process gets. It stays until the process ends.
#[derive(Debug)]
pub(crate) struct Reserved {
    start: usize,
    size: usize,
}

/// An address far from where programs, libraries and mappings lie: what is reserved there stands in nobody's way.
/// Right below the process's other mappings it would push those that follow to its other side, and with them the
/// memory of drivers that run on the processor.
const APART: usize = 32 << 40;

impl Reserved {
    /// Reserves `size` bytes; `None` where there is no room, or where the process may not have much more.
    pub fn new(size: usize) -> Option<Self> {
        if size > most_address_space() / 4 {
            return None;
        }
        let start = os::reserve(APART, size)?;
        Some(Self { start, size })
    }

    /// The address of its middle.
    pub fn middle(&self) -> usize {
        self.start + self.size / 2
    }

    /// Tells whether all pages of a range lie inside.
    pub fn holds(&self, start: usize, size: usize) -> bool {
        let page = page_size();
        let end = start
            .checked_add(size)
            .and_then(|end| end.checked_next_multiple_of(page));
        start >= self.start && end.is_some_and(|end| end <= self.start + self.size)
    }
}

/// The host's side of pointers on a device whose addresses are not the host's.
#[derive(Debug)]
pub(crate) struct Window {
    /// The address space in which pointers lie.
    pub reserved: Reserved,
    /// The number that makes a device address of a pointer.
    pub delta: u64,
}

/// A range of reserved address space with memory behind it.
#[derive(Debug)]
pub(crate) struct HostPages {
    start: usize,
    size: usize,
    /// The address of the first byte of a second place that the same memory has.
    other: Option<usize>,
}

impl HostPages {
    /// Gives a range of `reserved` memory of its own, filled with zeros.
    ///
    /// # Errors
    /// A range outside, or out of memory.
    pub fn of_own(reserved: &Reserved, start: usize, size: usize) -> Result<Self> {
        check(reserved, start, size)?;
        let page = page_size();
        let first = start & !(page - 1);
        let length = (start + size).next_multiple_of(page) - first;
        // Pages at the ends may serve other buffers as well, to which they stay what they are.
        match os::commit(first, length) {
            false => Err(Error::OutOfHostMemory),
            true => Ok(Self {
                start,
                size,
                other: None,
            }),
        }
    }

    /// Shows memory that lies elsewhere in a range of `reserved`, which begins and ends with pages. Owns it then.
    ///
    /// # Errors
    /// A range outside, or out of memory.
    pub fn showing(memory: &mut TwiceMapped, reserved: &Reserved, start: usize) -> Result<Self> {
        let size = memory.size;
        check(reserved, start, size)?;
        if start % page_size() != 0 {
            return Err(Error::Unsupported(
                "buffers between pages as the host's memory".into(),
            ));
        }
        if !memory.file.map_at(start, size) {
            return Err(Error::OutOfHostMemory);
        }
        Ok(Self {
            start,
            size,
            other: Some(memory.give_up()),
        })
    }

    /// The address of the first byte.
    pub fn pointer(&self) -> Option<NonNull<u8>> {
        NonNull::new(self.start as *mut u8)
    }

    /// Tells whether the buffer is other memory than the pages.
    pub fn is_copy(&self) -> bool {
        self.other.is_none()
    }
}

fn check(reserved: &Reserved, start: usize, size: usize) -> Result<()> {
    match reserved.holds(start, size) {
        true => Ok(()),
        false => Err(Error::Unsupported(format!(
            "memory at {start:#x}, outside of the reserved address space"
        ))),
    }
}

impl Drop for HostPages {
    fn drop(&mut self) {
        let page = page_size();
        // The pages at the ends may serve other buffers as well.
        let first = self.start.next_multiple_of(page);
        let last = (self.start + self.size) & !(page - 1);
        if last > first {
            os::uncommit(first, last - first);
        }
        if let Some(other) = self.other {
            os::release(other, self.size);
        }
    }
}

/// Memory of the host that can be mapped again.
#[derive(Debug)]
pub(crate) struct TwiceMapped {
    file: SharedMemory,
    start: usize,
    size: usize,
}

impl TwiceMapped {
    /// Allocates `size` bytes, which are a multiple of the page size, filled with zeros.
    ///
    /// # Errors
    /// Out of memory, or of file descriptors.
    pub fn new(size: usize) -> Result<Self> {
        let file = SharedMemory::new(size).ok_or(Error::OutOfHostMemory)?;
        let start = file.map(size).ok_or(Error::OutOfHostMemory)?;
        Ok(Self { file, start, size })
    }

    /// The address of the first byte.
    pub fn pointer(&self) -> Option<NonNull<u8>> {
        NonNull::new(self.start as *mut u8)
    }

    /// Gives the address to another owner.
    fn give_up(&mut self) -> usize {
        std::mem::take(&mut self.start)
    }
}

impl Drop for TwiceMapped {
    fn drop(&mut self) {
        if self.start != 0 {
            os::release(self.start, self.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostPages, Reserved, TwiceMapped};
    use crate::os::page_size;

    #[test]
    fn pages_of_a_range_are_memory_while_it_is_used() {
        let reserved = Reserved::new(1 << 30).unwrap();
        let at = reserved.middle() + 256;
        let size = 3 * page_size();
        for _ in 0..2 {
            let pages = HostPages::of_own(&reserved, at, size).unwrap();
            let first = pages.pointer().unwrap().as_ptr();
            assert_eq!(first as usize, at);
            // SAFETY: the range has memory.
            unsafe {
                let inside = first.add(page_size());
                assert_eq!(inside.read(), 0, "pages that were used before are empty");
                first.write_bytes(7, size);
                assert_eq!(first.add(size - 1).read(), 7);
            }
        }
        assert!(HostPages::of_own(&reserved, at, 1 << 30).is_err());
        assert!(HostPages::of_own(&reserved, 4096, 1).is_err());
    }

    #[test]
    fn memory_is_seen_at_both_places() {
        let reserved = Reserved::new(1 << 30).unwrap();
        let mut memory = TwiceMapped::new(page_size()).unwrap();
        let other = memory.pointer().unwrap().as_ptr();
        let pages = HostPages::showing(&mut memory, &reserved, reserved.middle()).unwrap();
        let here = pages.pointer().unwrap().as_ptr();
        assert_ne!(here, other);
        assert!(!pages.is_copy());
        // SAFETY: both places have memory.
        unsafe {
            other.add(5).write(9);
            assert_eq!(here.add(5).read(), 9);
        }
    }

    #[test]
    fn a_range_larger_than_any_is_refused() {
        assert!(Reserved::new(usize::MAX / 2).is_none());
    }
}
