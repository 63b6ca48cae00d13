//! Windows. It has no file descriptors for memory and semaphores, so devices offer no import of them.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;

/// A file descriptor, of which there are none.
#[derive(Debug)]
pub enum Fd {}

/// The Vulkan loader's library.
pub(crate) const VULKAN_LIBRARY: &str = "vulkan-1.dll";

const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_DECOMMIT: u32 = 0x4000;
const MEM_RELEASE: u32 = 0x8000;
const PAGE_NOACCESS: u32 = 0x01;
const PAGE_READWRITE: u32 = 0x04;

/// SYSTEM_INFO.
#[repr(C)]
#[derive(Default)]
struct SystemInfo {
    architecture: u32,
    page_size: u32,
    minimum_address: usize,
    maximum_address: usize,
    active_processor_mask: usize,
    number_of_processors: u32,
    processor_type: u32,
    allocation_granularity: u32,
    processor_level: u16,
    processor_revision: u16,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetSystemInfo(info: *mut SystemInfo);
    fn VirtualAlloc(at: *mut c_void, size: usize, kind: u32, protection: u32) -> *mut c_void;
    fn VirtualFree(at: *mut c_void, size: usize, kind: u32) -> i32;
}

fn system_info() -> SystemInfo {
    let mut info = SystemInfo::default();
    // SAFETY: `info` is a valid struct to fill.
    unsafe { GetSystemInfo(&raw mut info) };
    info
}

/// The size of a page in bytes.
pub(crate) fn page_size() -> usize {
    system_info().page_size as usize
}

/// The most address space that the process may have, in bytes.
pub(crate) fn most_address_space() -> usize {
    system_info().maximum_address
}

/// Calls VirtualAlloc; `None` if it refuses.
fn allocate(at: usize, size: usize, kind: u32, protection: u32) -> Option<usize> {
    // SAFETY: new memory, or pages of address space that the caller owns.
    let start = unsafe { VirtualAlloc(at as *mut c_void, size, kind, protection) };
    (!start.is_null()).then_some(start as usize)
}

/// Allocates `size` bytes (not 0) of memory that is 0, `None` if there is no room.
pub(crate) fn fresh(size: usize) -> Option<NonNull<u8>> {
    let start = allocate(0, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)?;
    NonNull::new(start as *mut u8)
}

/// Reserves address space without memory, near an address if there is room.
pub(crate) fn reserve(near: usize, size: usize) -> Option<usize> {
    let at = |at| allocate(at, size, MEM_RESERVE, PAGE_NOACCESS);
    at(near).or_else(|| at(0))
}

/// Gives pages of the caller's reserved address space memory; those that have some keep it. Returns false if
/// there is none.
pub(crate) fn commit(start: usize, size: usize) -> bool {
    allocate(start, size, MEM_COMMIT, PAGE_READWRITE).is_some()
}

/// Takes the memory of pages away, whose address space stays the caller's.
pub(crate) fn uncommit(start: usize, size: usize) {
    // SAFETY: the pages are the caller's, and nothing uses them any more.
    let _ = unsafe { VirtualFree(start as *mut c_void, size, MEM_DECOMMIT) };
}

/// Gives what [`fresh`] has allocated back to the system.
pub(crate) fn release(start: usize, _size: usize) {
    // SAFETY: the allocation was made by this module, and its owner is gone. A release takes no size.
    let _ = unsafe { VirtualFree(start as *mut c_void, 0, MEM_RELEASE) };
}

/// Memory of the host that can be mapped several times. A view cannot replace pages of reserved address
/// space here, so there is none: buffers that would need it are copies.
#[derive(Debug)]
pub(crate) enum SharedMemory {}

impl SharedMemory {
    /// Always `None`.
    pub fn new(_size: usize) -> Option<Self> {
        None
    }

    /// Is never called.
    pub fn map(&self, _size: usize) -> Option<usize> {
        match *self {}
    }

    /// Is never called.
    pub fn map_at(&self, _start: usize, _size: usize) -> bool {
        match *self {}
    }
}

/// Nanoseconds of the clock behind QueryPerformanceCounter, since the first call.
pub(crate) fn monotonic_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Always `None`: there are no descriptors.
///
/// # Safety
/// None is needed; other systems need that the descriptor stays open during the call.
pub unsafe fn duplicate(_raw: i32) -> Option<Fd> {
    None
}

/// Is never called with a descriptor.
pub(crate) fn duplicate_own(fd: &Fd) -> Option<Fd> {
    match *fd {}
}

/// Always `None`.
///
/// # Safety
/// None is needed; other systems need that nobody else closes the descriptor.
pub unsafe fn adopt(_raw: i32) -> Option<Fd> {
    None
}

/// Is never called with a descriptor.
pub fn into_raw(fd: Fd) -> i32 {
    match fd {}
}

/// Is never called with a descriptor.
pub(crate) fn number(fd: &Fd) -> i32 {
    match *fd {}
}

/// Is never called with a descriptor.
pub(crate) fn file_size(fd: &Fd) -> Option<u64> {
    match *fd {}
}

/// Is never called with a descriptor.
pub(crate) fn close_refused(_raw: i32, same: Fd) {
    match same {}
}
