//! Staging memory of transfers and maps.
//!
//! Buffers are kept for later transfers, up to [`KEPT`] bytes of each class. Transfers that are recorded among other commands
//! and have not ended reserve their bytes, so that an application which never waits needs no more and more memory, and reads
//! reserve the memory that they will write: what a write takes from there is not there yet.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{Buffer, MemoryClass};
use rustc_hash::FxHashMap;

use crate::base::error::Result;
use crate::base::host_ptr::HostSlice;
use crate::device::gpu::OpenDevice;

/// Bytes of all transfers that have not ended.
const MOST_BYTES: usize = 64 << 20;
/// Transfers that have not ended.
const MOST_TRANSFERS: usize = 4096;
/// Bytes of the buffers of one class that are kept for later.
const KEPT: u64 = 32 << 20;
/// The number of those buffers.
const KEPT_BUFFERS: usize = 32;
/// The smallest buffer, in bytes.
const LEAST: u64 = 4096;

/// A device's staging memory.
#[derive(Default)]
pub struct Staging {
    /// Guards the buffers kept for writing, and those for reading, each with the latest used at the end.
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

    /// The buffers kept of a class.
    fn kept(&self, class: MemoryClass) -> &Mutex<Vec<Buffer>> {
        &self.buffers[usize::from(class == MemoryClass::Readback)]
    }

    /// The smallest idle buffer of a class with `size` bytes.
    fn find(&self, class: MemoryClass, size: u64) -> Option<Buffer> {
        let mut kept = self.kept(class).lock();
        let suits = |(_, buffer): &(usize, &Buffer)| buffer.size() >= size && buffer.is_only();
        let fitting = kept.iter().enumerate().filter(suits);
        let (place, _) = fitting.min_by_key(|(_, buffer)| buffer.size())?;
        let found = kept.remove(place);
        kept.push(found.clone());
        Some(found)
    }

    /// Keeps a new buffer of a class, in the place of those that have been idle for longest, if they give it room.
    fn keep(&self, class: MemoryClass, buffer: &Buffer) {
        let mut kept = self.kept(class).lock();
        let has_room = |kept: &Vec<Buffer>| {
            let bytes: u64 = kept.iter().map(Buffer::size).sum();
            kept.len() < KEPT_BUFFERS && bytes + buffer.size() <= KEPT
        };
        let mut freed = Vec::new();
        while !has_room(&kept) {
            let Some(idle) = kept.iter().position(Buffer::is_only) else {
                return;
            };
            freed.push(kept.remove(idle));
        }
        kept.push(buffer.clone());
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

/// The size of a new buffer for a transfer of `size` bytes: one of few, so that transfers of any sizes find each other's, and at
/// most a quarter more.
fn rounded(size: usize) -> u64 {
    let size = (size as u64).max(LEAST);
    size.next_multiple_of((size.next_power_of_two() / 8).max(LEAST))
}

impl OpenDevice {
    /// Staging memory of a class, `size` bytes or more, which nothing else uses while a clone of the buffer lives. Its
    /// contents are undefined.
    ///
    /// # Errors
    /// Out of memory.
    pub fn take_staging(&self, class: MemoryClass, size: usize) -> Result<Buffer> {
        let staging = self.staging();
        if let Some(idle) = staging.find(class, size as u64) {
            return Ok(idle);
        }
        let made = self.with_room(|| self.raw().create_buffer(rounded(size), class))?;
        staging.keep(class, &made);
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{LEAST, MOST_BYTES, MOST_TRANSFERS, Staging, rounded};
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
    fn buffers_have_few_sizes() {
        for exact in [LEAST, 2 * LEAST, 1 << 20, 5 << 20, 8 << 20] {
            assert_eq!(rounded(exact as usize), exact);
        }
        let mut sizes: Vec<u64> = (1..8 << 20).step_by(1000).map(rounded).collect();
        let waste = |(i, size): (usize, &u64)| *size as f64 / (1 + 1000 * i) as f64;
        let most = sizes.iter().enumerate().skip(5).map(waste);
        assert!(most.fold(0.0, f64::max) < 1.25 + 0.5);
        sizes.dedup();
        assert!(sizes.len() < 48, "{sizes:?}");
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
