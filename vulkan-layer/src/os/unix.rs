//! Linux and Android.

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::ptr::NonNull;

/// A file descriptor that stands for memory or a semaphore; closed when it is dropped.
pub type Fd = OwnedFd;

/// The Vulkan loader's library.
#[cfg(not(target_os = "android"))]
pub(crate) const VULKAN_LIBRARY: &str = "libvulkan.so.1";
/// The Vulkan loader's library.
#[cfg(target_os = "android")]
pub(crate) const VULKAN_LIBRARY: &str = "libvulkan.so";

const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;
const UNUSED: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

/// The size of a large page in bytes, on processors whose plain pages have 4 KiB.
const LARGE_PAGE: usize = 2 << 20;

/// The size of a page in bytes.
pub(crate) fn page_size() -> usize {
    // SAFETY: a query without arguments that point anywhere.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// The most address space that the process may have, in bytes.
pub(crate) fn most_address_space() -> usize {
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

/// Maps `size` bytes, at `at` if that is free or the flags say that it is the caller's.
fn map(at: usize, size: usize, protection: i32, flags: i32, file: i32) -> Option<usize> {
    // SAFETY: a fixed address is inside address space that the caller owns, so nothing of anybody else's is replaced.
    let mapped = unsafe { libc::mmap(at as *mut c_void, size, protection, flags, file, 0) };
    (mapped != libc::MAP_FAILED).then_some(mapped as usize)
}

/// Maps `size` bytes (not 0) of memory that is 0, `None` if there is no room. No page exists until it is
/// touched. Memory of a large page or more begins with one, and is made of them where the system has them to give: it has
/// fewer faults then, and fewer misses of the processor's table of pages.
pub(crate) fn fresh(size: usize) -> Option<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let plain = || map(0, size, READ_WRITE, flags, -1);
    let start = match size < LARGE_PAGE {
        true => plain(),
        false => with_large_pages(size, flags).or_else(plain),
    };
    NonNull::new(start? as *mut u8)
}

fn with_large_pages(size: usize, flags: i32) -> Option<usize> {
    let whole = size.checked_add(LARGE_PAGE)?;
    let first = map(0, whole, READ_WRITE, flags, -1)?;
    let start = first.next_multiple_of(LARGE_PAGE);
    let end = (start + size).next_multiple_of(page_size());
    if start > first {
        release(first, start - first);
    }
    if first + whole > end {
        release(end, first + whole - end);
    }
    // SAFETY: the range was mapped above. The advice changes no contents, and may be refused.
    unsafe { libc::madvise(start as *mut c_void, size, libc::MADV_HUGEPAGE) };
    Some(start)
}

/// Reserves address space without memory, near an address if there is room.
pub(crate) fn reserve(near: usize, size: usize) -> Option<usize> {
    map(near, size, libc::PROT_NONE, UNUSED, -1)
}

/// Gives pages of the caller's reserved address space memory; those that have some keep it. Returns false if
/// there is none.
pub(crate) fn commit(start: usize, size: usize) -> bool {
    // SAFETY: the pages are the caller's address space; memory that is there stays as it is.
    unsafe { libc::mprotect(start as *mut c_void, size, READ_WRITE) == 0 }
}

/// Takes the memory of pages away, whose address space stays the caller's. Where that fails the memory stays
/// until the process ends.
pub(crate) fn uncommit(start: usize, size: usize) {
    let _ = map(start, size, libc::PROT_NONE, UNUSED | libc::MAP_FIXED, -1);
}

/// Gives what [`fresh`] or [`SharedMemory::map`] has mapped back to the system.
pub(crate) fn release(start: usize, size: usize) {
    // SAFETY: the range was mapped by this module, and its owner is gone.
    let _ = unsafe { libc::munmap(start as *mut c_void, size) };
}

/// Memory of the host that can be mapped several times.
#[derive(Debug)]
pub(crate) struct SharedMemory(OwnedFd);

impl SharedMemory {
    /// Makes `size` bytes, filled with zeros; `None` without memory or descriptors.
    pub fn new(size: usize) -> Option<Self> {
        // SAFETY: the name is a C string.
        let file = unsafe { libc::memfd_create(c"pumice".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: the descriptor is new, and this function's.
        let memory = Self(unsafe { adopt(file) }?);
        let length = libc::off_t::try_from(size).ok()?;
        // SAFETY: the descriptor is this function's.
        let failed = unsafe { libc::ftruncate(memory.0.as_raw_fd(), length) } != 0;
        (!failed).then_some(memory)
    }

    /// Maps all of it at an address of the system's choice.
    pub fn map(&self, size: usize) -> Option<usize> {
        map(0, size, READ_WRITE, libc::MAP_SHARED, self.0.as_raw_fd())
    }

    /// Maps all of it at pages of the caller's reserved address space.
    pub fn map_at(&self, start: usize, size: usize) -> bool {
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        map(start, size, READ_WRITE, flags, self.0.as_raw_fd()).is_some()
    }
}

/// CLOCK_MONOTONIC in nanoseconds: the host clock that device times are compared with.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid struct for the call to fill.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    debug_assert_eq!(result, 0, "CLOCK_MONOTONIC is always there");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Another descriptor of the application's file; `None` if the number is no descriptor.
///
/// # Safety
/// A descriptor that is open stays so during the call.
pub unsafe fn duplicate(raw: i32) -> Option<Fd> {
    if raw < 0 {
        return None;
    }
    // SAFETY: the caller's contract; a number that is no descriptor cannot be duplicated, and says so.
    unsafe { BorrowedFd::borrow_raw(raw) }
        .try_clone_to_owned()
        .ok()
}

/// Another descriptor of the same file; `None` if there is no room for it.
pub(crate) fn duplicate_own(fd: &Fd) -> Option<Fd> {
    fd.try_clone().ok()
}

/// Owns a descriptor that a driver or the system has made for the caller, or that the application has given
/// up; `None` for negative numbers.
///
/// # Safety
/// Nobody else closes the descriptor.
pub unsafe fn adopt(raw: i32) -> Option<Fd> {
    // SAFETY: the caller's contract.
    (raw >= 0).then(|| unsafe { OwnedFd::from_raw_fd(raw) })
}

/// The number of a descriptor, which is the caller's to close.
pub fn into_raw(fd: Fd) -> i32 {
    fd.into_raw_fd()
}

/// The number of a descriptor.
pub(crate) fn number(fd: &Fd) -> i32 {
    fd.as_raw_fd()
}

/// The size of a regular file in bytes.
pub(crate) fn file_size(fd: &Fd) -> Option<u64> {
    let data = File::from(fd.try_clone().ok()?).metadata().ok()?;
    data.is_file().then_some(data.len())
}

/// Closes a descriptor that a driver has refused, if the driver has not done so: Vulkan leaves that to the
/// caller, and lavapipe 22.3 to 25.0 closes it. `same` is another descriptor of the same file.
pub(crate) fn close_refused(raw: RawFd, same: Fd) {
    let identity = |fd: OwnedFd| {
        let data = File::from(fd).metadata().ok()?;
        Some((data.dev(), data.ino()))
    };
    // SAFETY: nothing else closes the number meanwhile but the driver, whose call has ended.
    let Some(there) = (unsafe { duplicate(raw) }) else {
        return;
    };
    let there = identity(there);
    // Another thread may have got the number meanwhile, for another file.
    if there.is_some() && there == identity(same) {
        // SAFETY: the descriptor is open and ours: the driver has not taken it.
        drop(unsafe { adopt(raw) });
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE_PAGE, fresh, page_size, release};

    /// The flags of the mapping in `/proc/self/smaps` that an address lies in.
    #[cfg(target_os = "linux")]
    fn flags(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let holds = |line: &str| {
            let (start, end) = line.split(' ').next()?.split_once('-')?;
            let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16));
            Some((start.ok()?..end.ok()?).contains(&address))
        };
        let mut lines = maps.lines().skip_while(|line| holds(line) != Some(true));
        let flags = lines.find(|line| line.starts_with("VmFlags:"))?;
        Some(flags.to_string())
    }

    #[test]
    fn fresh_memory_is_zero_up_to_its_ends() {
        let page = page_size();
        for size in [1, page, LARGE_PAGE, 3 * LARGE_PAGE + page] {
            let start = fresh(size).unwrap().as_ptr();
            let is_large = size >= LARGE_PAGE;
            let alignment = if is_large { LARGE_PAGE } else { page };
            assert_eq!(start as usize % alignment, 0, "{size} bytes");
            // SAFETY: the range has just been mapped, and nothing else uses it.
            let memory = unsafe { std::slice::from_raw_parts_mut(start, size) };
            assert!(memory.iter().all(|&byte| byte == 0));
            memory[0] = 1;
            memory[size - 1] = 1;
            #[cfg(target_os = "linux")]
            {
                let knows_them =
                    std::fs::exists("/sys/kernel/mm/transparent_hugepage/enabled").unwrap();
                let asks = |address| flags(address).unwrap().split(' ').any(|flag| flag == "hg");
                for address in [start as usize, start as usize + size - 1] {
                    assert_eq!(asks(address), is_large && knows_them, "{size} bytes");
                }
                let behind = (start as usize + size).next_multiple_of(page);
                assert!(!is_large || flags(behind).is_none_or(|flags| !flags.contains(" hg")));
            }
            release(start as usize, size);
        }
    }
}
