//! Staging memory of transfers that are recorded among other commands.
//!
//! Buffers are kept for later transfers. Transfers that have not ended reserve their bytes, so that an
//! application which never waits needs no more and more memory, and reads reserve the memory that they will
//! write: what a write takes from there is not there yet.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{Buffer, LogicalDevice, MemoryClass};
use rustc_hash::FxHashMap;

use crate::base::error::Result;
use crate::base::host_ptr::HostSlice;
use crate::device::gpu;

/// Bytes of all transfers that have not ended.
const MOST_BYTES: usize = 64 << 20;
/// Transfers that have not ended.
const MOST_TRANSFERS: usize = 4096;
/// Bytes of the buffers of one class that are kept for later, and their number.
const KEPT: u64 = 16 << 20;
const KEPT_BUFFERS: usize = 6;
/// The smallest buffer, in bytes.
const LEAST: u64 = 4096;

/// A device's staging memory.
#[derive(Default)]
pub struct Staging {
    /// Guards the buffers kept for writing, and those for reading.
    buffers: [Mutex<Vec<Buffer>>; 2],
    /// Guards what is reserved.
    reserved: Mutex<Reserved>,
}

#[derive(Default)]
struct Reserved {
    bytes: usize,
    transfers: usize,
    /// Host memory that reads will write: start and end, by the reads' numbers.
    targets: FxHashMap<usize, (usize, usize)>,
    /// The number of the last read.
    last: usize,
}

/// The staging memory of one transfer, reserved until the value is dropped.
pub struct Reservation {
    staging: Arc<Staging>,
    bytes: usize,
    target: Option<usize>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reserved = self.staging.reserved.lock();
        reserved.bytes -= self.bytes;
        reserved.transfers -= 1;
        if let Some(target) = self.target {
            reserved.targets.remove(&target);
        }
    }
}

fn span(host: HostSlice) -> (usize, usize) {
    (host.address(), host.address() + host.len())
}

impl Staging {
    fn reserve(
        self: &Arc<Self>,
        bytes: usize,
        then: impl FnOnce(&mut Reserved) -> Option<Option<usize>>,
    ) -> Option<Reservation> {
        let mut reserved = self.reserved.lock();
        if reserved.bytes + bytes > MOST_BYTES || reserved.transfers >= MOST_TRANSFERS {
            return None;
        }
        let target = then(&mut reserved)?;
        reserved.bytes += bytes;
        reserved.transfers += 1;
        drop(reserved);
        Some(Reservation {
            staging: self.clone(),
            bytes,
            target,
        })
    }

    /// Frees the buffers that no transfer uses.
    pub fn forget_idle(&self) {
        for kept in &self.buffers {
            kept.lock().retain(|buffer| !buffer.is_only());
        }
    }

    /// Reserves staging memory for a read to the host; `None` if there is none left.
    pub fn reserve_read(self: &Arc<Self>, bytes: usize, to: HostSlice) -> Option<Reservation> {
        self.reserve(bytes, |reserved| {
            reserved.last += 1;
            reserved.targets.insert(reserved.last, span(to));
            Some(Some(reserved.last))
        })
    }

    /// Reserves staging memory for a write from the host; `None` if there is none left, or if a read that
    /// has not ended will write there.
    pub fn reserve_write(self: &Arc<Self>, bytes: usize, from: HostSlice) -> Option<Reservation> {
        let (start, end) = span(from);
        self.reserve(bytes, |reserved| {
            let mut targets = reserved.targets.values();
            let awaited = targets.any(|target| target.0 < end && start < target.1);
            (!awaited).then_some(None)
        })
    }
}

impl Reservation {
    /// Its memory, `size` bytes or more of a class, which nothing else uses while a clone of the buffer
    /// lives.
    ///
    /// # Errors
    /// Out of memory.
    pub fn take(&self, device: &LogicalDevice, class: MemoryClass, size: usize) -> Result<Buffer> {
        let size = (size as u64).max(LEAST);
        let place = usize::from(class == MemoryClass::Readback);
        let mut kept = self.staging.buffers[place].lock();
        let suits = |b: &&Buffer| (size..=4 * size).contains(&b.size()) && b.is_only();
        let free = kept.iter().find(suits);
        if let Some(buffer) = free {
            return Ok(buffer.clone());
        }
        let buffer = device.create_buffer(size, class).map_err(gpu::error)?;
        let has_room = |kept: &Vec<Buffer>| {
            let bytes: u64 = kept.iter().map(Buffer::size).sum();
            kept.len() < KEPT_BUFFERS && bytes + size <= KEPT
        };
        if !has_room(&kept) {
            kept.retain(|buffer| !buffer.is_only());
        }
        if has_room(&kept) {
            kept.push(buffer.clone());
        }
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{MOST_BYTES, MOST_TRANSFERS, Staging};
    use crate::base::host_ptr::HostBlock;

    #[test]
    fn a_write_of_what_a_read_will_write_is_refused() {
        let staging = Arc::new(Staging::default());
        let mut block = HostBlock::new(100).unwrap();
        let host = block.slice();
        let read = staging.reserve_read(10, host.part(40, 10)).unwrap();
        assert!(staging.reserve_write(5, host.part(49, 5)).is_none());
        assert!(staging.reserve_write(5, host.part(36, 5)).is_none());
        assert!(staging.reserve_write(5, host.part(50, 5)).is_some());
        assert!(staging.reserve_write(5, host.part(35, 5)).is_some());
        drop(read);
        assert!(staging.reserve_write(5, host.part(49, 5)).is_some());
        assert_eq!(staging.reserved.lock().bytes, 0);
    }

    #[test]
    fn reservations_end() {
        let staging = Arc::new(Staging::default());
        let host = HostBlock::new(8).unwrap().slice();
        assert!(staging.reserve_read(MOST_BYTES + 1, host).is_none());
        let most = staging.reserve_read(MOST_BYTES, host).unwrap();
        assert!(staging.reserve_read(1, host).is_none());
        drop(most);
        let many = (0..MOST_TRANSFERS).map(|_| staging.reserve_read(0, host));
        let many: Option<Vec<_>> = many.collect();
        assert!(many.is_some() && staging.reserve_read(0, host).is_none());
        drop(many);
        assert!(staging.reserve_read(1, host).is_some());
    }
}
