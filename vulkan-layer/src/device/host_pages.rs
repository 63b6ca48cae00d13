//! Pages of the host's address space that belong to buffers: reserved, backed by memory, and given back.
//!
//! [`Reserved`] is address space without memory. A part of it gets memory of its own ([`HostPages::of_own`]) or shows
//! memory that also lies elsewhere ([`HostPages::showing`]), and is only reserved again afterwards.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::error::{Error, Result};

/// Address space that nothing else in the process gets. It stays until the process ends.
#[derive(Debug)]
pub(crate) struct Reserved {
    start: usize,
    size: usize,
}

/// The size of a page in bytes.
pub(crate) fn page_size() -> usize {
    // SAFETY: a query without arguments that point anywhere.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// The most address space that the process may have, in bytes.
fn most_address_space() -> usize {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a valid struct to fill.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } != 0;
    match failed || limit.rlim_cur == libc::RLIM_INFINITY {
        true => usize::MAX,
        false => usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX),
    }
}

/// Maps `size` bytes, at `at` if that is not 0, which the caller owns.
fn map(at: usize, size: usize, protection: i32, flags: i32, file: i32) -> Result<usize> {
    let fixed = if at == 0 { 0 } else { libc::MAP_FIXED };
    map_near(at, size, protection, flags | fixed, file)
}

/// Maps `size` bytes, at `at` if that is free or the flags say that it is the caller's.
fn map_near(at: usize, size: usize, protection: i32, flags: i32, file: i32) -> Result<usize> {
    // SAFETY: a fixed address is inside address space that the caller owns, so nothing of anybody else's is replaced.
    let mapped = unsafe { libc::mmap(at as *mut c_void, size, protection, flags, file, 0) };
    match mapped == libc::MAP_FAILED {
        true => Err(Error::OutOfHostMemory),
        false => Ok(mapped as usize),
    }
}

/// An address far from where programs, libraries and mappings lie: what is reserved there stands in nobody's way.
/// Right below the process's other mappings it would push those that follow to its other side, and with them the
/// memory of drivers that run on the processor.
const APART: usize = 32 << 40;

const UNUSED: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

impl Reserved {
    /// Reserves `size` bytes; `None` where there is no room, or where the process may not have much more.
    pub fn new(size: usize) -> Option<Self> {
        if size > most_address_space() / 4 {
            return None;
        }
        let start = map_near(APART, size, libc::PROT_NONE, UNUSED, -1).ok()?;
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
        // SAFETY: the pages are address space that `reserved` owns; those at the ends may serve other buffers as
        // well, to which they stay what they are.
        let failed = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mprotect(first as *mut c_void, length, protection) != 0
        };
        match failed {
            true => Err(Error::OutOfHostMemory),
            false => Ok(Self {
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
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        map(start, size, protection, libc::MAP_SHARED, memory.file)?;
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
            // Failure leaves the memory where it is, until the process ends.
            let _ = map(first, last - first, libc::PROT_NONE, UNUSED, -1);
        }
        if let Some(other) = self.other {
            unmap(other, self.size);
        }
    }
}

fn unmap(start: usize, size: usize) {
    // SAFETY: the range was mapped by this module, and its owner is gone.
    let _ = unsafe { libc::munmap(start as *mut c_void, size) };
}

/// Memory of the host that can be mapped again.
#[derive(Debug)]
pub(crate) struct TwiceMapped {
    file: i32,
    start: usize,
    size: usize,
}

impl TwiceMapped {
    /// Allocates `size` bytes, which are a multiple of the page size, filled with zeros.
    ///
    /// # Errors
    /// Out of memory, or of file descriptors.
    pub fn new(size: usize) -> Result<Self> {
        // SAFETY: the name is a C string.
        let file = unsafe { libc::memfd_create(c"pumice".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(Error::OutOfHostMemory);
        }
        let mut memory = Self {
            file,
            start: 0,
            size,
        };
        let length = libc::off_t::try_from(size).map_err(|_| Error::OutOfHostMemory)?;
        // SAFETY: the descriptor is this function's.
        if unsafe { libc::ftruncate(file, length) } != 0 {
            return Err(Error::OutOfHostMemory);
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        memory.start = map(0, size, protection, libc::MAP_SHARED, file)?;
        Ok(memory)
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
        // SAFETY: the descriptor is this object's.
        unsafe { libc::close(self.file) };
        if self.start != 0 {
            unmap(self.start, self.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostPages, Reserved, TwiceMapped, page_size};

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
