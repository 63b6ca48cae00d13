//! The one place of the runtime that touches memory through raw pointers: what the application
//! passes to reads, writes and maps, and mapped device memory.
//!
//! The application answers for its pointers (OpenCL's contract), the Vulkan layer for mapped
//! memory. Lengths are checked here.

use pumice_vulkan_layer::{Buffer, LogicalDevice};

use crate::base::log;
use crate::os;

/// A stretch of memory outside the runtime's ownership.
///
/// Copies are not synchronised: commands are ordered by events, and overlapping accesses that
/// the application does not order are its data race, as OpenCL says.
#[derive(Clone, Copy, Debug)]
pub struct HostSlice {
    start: *mut u8,
    length: usize,
}

// SAFETY: a HostSlice is an address; whoever made it promised that it may be used until the
// command that holds it has ended, from any thread.
unsafe impl Send for HostSlice {}
// SAFETY: as above.
unsafe impl Sync for HostSlice {}

impl HostSlice {
    /// Wraps memory.
    ///
    /// # Safety
    /// `start` points to `length` bytes that stay readable, and writable if the slice is written
    /// to, for as long as the slice or a part of it is used.
    pub unsafe fn new(start: *mut u8, length: usize) -> Self {
        Self { start, length }
    }

    /// A buffer's memory, where the host can reach it. Use it only while the buffer lives.
    pub fn of_buffer(buffer: &Buffer) -> Option<Self> {
        let start = buffer.mapped()?;
        // SAFETY: the mapping covers the buffer and stays while a clone of the buffer lives;
        // commands hold the buffers whose slices they use.
        Some(unsafe { Self::new(start.as_ptr(), buffer.size() as usize) })
    }

    /// The host's memory at a buffer's pointer ([`Buffer::at_pointer`]), and whether it is a copy.
    pub fn at_pointer(buffer: &Buffer) -> Option<(Self, bool)> {
        let (start, copied) = buffer.at_pointer()?;
        // SAFETY: as above: the pages stay while a clone of the buffer lives.
        let slice = unsafe { Self::new(start.as_ptr(), buffer.size() as usize) };
        Some((slice, copied))
    }

    /// Makes a buffer of the memory itself, without a copy; `None` where the device cannot, or
    /// not at this address. The memory must outlive the buffer, which whoever made the slice has
    /// promised of memory given with CL_MEM_USE_HOST_PTR.
    pub fn import(self, device: &LogicalDevice) -> Option<Buffer> {
        let alignment = device.capabilities().host_import_alignment?;
        // The whole pages that the memory lies in are there; the buffer uses none of the rest.
        let size = (self.length as u64).checked_next_multiple_of(alignment)?;
        let page = 4096;
        if self.start as u64 % alignment != 0 || alignment > page {
            return None;
        }
        let start = std::ptr::NonNull::new(self.start)?;
        // SAFETY: the memory stays until the buffer is gone (see above), and up to the end of
        // its last page, which `size` does not pass.
        match unsafe { device.import_host_memory(start, size) } {
            Ok(buffer) => Some(buffer),
            Err(error) => {
                log::info!("host memory is copied, not imported: {error}");
                None
            }
        }
    }

    /// The whole pages that the memory lies in. They are there wherever the memory is; only the memory itself
    /// may be used.
    pub fn whole_pages(self) -> Self {
        let page = os::page_size();
        let before = self.address() % page;
        Self {
            start: self.start.wrapping_sub(before),
            length: (before + self.length).next_multiple_of(page),
        }
    }

    /// A slice of no bytes.
    pub fn empty() -> Self {
        Self {
            start: std::ptr::NonNull::dangling().as_ptr(),
            length: 0,
        }
    }

    /// The address of the first byte.
    pub fn address(self) -> usize {
        self.start as usize
    }

    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.length
    }

    /// Tells whether it has no bytes.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// `length` bytes from `offset`; panics when they are not all inside.
    pub fn part(self, offset: usize, length: usize) -> HostSlice {
        assert!(
            offset <= self.length && length <= self.length - offset,
            "bytes {offset}+{length} of {}",
            self.length
        );
        HostSlice {
            // SAFETY: `offset` is at most the length of the memory (checked above).
            start: unsafe { self.start.add(offset) },
            length,
        }
    }

    /// Everything from `offset`.
    pub fn from(self, offset: usize) -> HostSlice {
        self.part(offset, self.length.saturating_sub(offset))
    }

    /// Copies the whole of `source`, which may overlap, to the start of this slice.
    pub fn copy_from(self, source: HostSlice) {
        let _ = self.part(0, source.length);
        // SAFETY: both sides have `source.length` bytes (checked above); `copy` allows overlap.
        unsafe { std::ptr::copy(source.start, self.start, source.length) };
    }

    /// Copies bytes to the start of this slice.
    pub fn write(self, source: &[u8]) {
        let _ = self.part(0, source.len());
        // SAFETY: this side has `source.len()` bytes (checked above). A Rust slice cannot be
        // this memory, which nobody owns in Rust.
        unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), self.start, source.len()) };
    }

    /// A copy of the bytes.
    pub fn to_vec(self) -> Vec<u8> {
        let mut bytes = vec![0; self.length];
        // SAFETY: both sides have `self.length` bytes, and the new one overlaps nothing.
        unsafe { std::ptr::copy_nonoverlapping(self.start, bytes.as_mut_ptr(), self.length) };
        bytes
    }

    /// Fills the slice with repetitions of `pattern`.
    pub fn fill(self, pattern: &[u8]) {
        if pattern.len() == 1 {
            // SAFETY: the slice has `self.length` writable bytes.
            unsafe { std::ptr::write_bytes(self.start, pattern[0], self.length) };
            return;
        }
        let mut at = 0;
        while at < self.length {
            let length = pattern.len().min(self.length - at);
            self.part(at, length).write(&pattern[..length]);
            at += length;
        }
    }
}

/// Memory of our own behind a [`HostSlice`], aligned for every OpenCL type.
#[derive(Debug)]
pub struct HostBlock {
    blocks: Vec<[Aligned; 1]>,
    length: usize,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
struct Aligned {
    _bytes: [u8; 128],
}

impl HostBlock {
    /// Zeroed memory, `None` when there is not enough.
    pub fn new(length: usize) -> Option<Self> {
        let count = length.div_ceil(128);
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).ok()?;
        blocks.resize(count, [Aligned { _bytes: [0; 128] }]);
        Some(Self { blocks, length })
    }

    /// The bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.blocks.as_mut_ptr().cast::<u8>();
        // SAFETY: the vector holds at least `length` bytes, which are initialised and borrowed for as long as the result.
        unsafe { std::slice::from_raw_parts_mut(start, self.length) }
    }

    /// The memory. The block must outlive every use of the slice.
    pub fn slice(&mut self) -> HostSlice {
        // SAFETY: the vector holds at least `length` bytes at a fixed address: it never grows.
        unsafe { HostSlice::new(self.blocks.as_mut_ptr().cast(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostBlock, HostSlice};

    #[test]
    fn fill_repeats_and_cuts_the_pattern() {
        let mut block = HostBlock::new(7).unwrap();
        let slice = block.slice();
        slice.fill(&[1, 2, 3]);
        assert_eq!(slice.to_vec(), [1, 2, 3, 1, 2, 3, 1]);
        assert_eq!(slice.address() % 128, 0);
    }

    #[test]
    #[should_panic(expected = "bytes 4+4 of 7")]
    fn parts_are_checked() {
        let mut block = HostBlock::new(7).unwrap();
        block.slice().part(4, 4);
    }

    #[test]
    fn overlapping_copies_keep_the_bytes() {
        let mut block = HostBlock::new(4).unwrap();
        let slice = block.slice();
        slice.write(&[1, 2, 3, 4]);
        slice.from(1).copy_from(slice.part(0, 3));
        assert_eq!(slice.to_vec(), [1, 1, 2, 3]);
        assert!(HostSlice::empty().is_empty());
    }
}
