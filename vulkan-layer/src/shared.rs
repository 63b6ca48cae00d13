//! Memory whose pointers have one value on the host and in kernels.
//!
//! On a device whose addresses are the process's own, every mapped buffer is such memory. On others kernels add
//! [`LogicalDevice::address_delta`] to the pointers that they follow: a byte at device address A has the pointer A minus the
//! delta. The delta is chosen so that the addresses of buffers, which only the driver chooses, give pointers inside a
//! large range of the host's address space that is reserved for this. The host's memory then follows the device's: at a
//! buffer's pointer lie pages with a copy of the buffer, or the very pages that the buffer was made of.

use std::ptr::NonNull;

use crate::device::LogicalDevice;
use crate::device::host_pages::{HostPages, Reserved, TwiceMapped, Window};
use crate::device::memory::DEDICATED_FROM;
use crate::error::{Error, Result};
use crate::objects::buffer::{Buffer, MemoryClass};
use crate::os::page_size;
use crate::probe;

/// Sizes of the reserved range, in bytes. Drivers spread buffers over as much as their device has memory.
const SIZES: [usize; 3] = [16 << 40, 1 << 40, 64 << 30];
/// The delta is a multiple of this, in bytes: pages of the device are pages of the host.
const GRANULE: u64 = 2 << 20;

/// The memory that the host finds at a buffer's pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// None that it may use.
    DeviceOnly,
    /// A copy, which the caller brings up to date.
    Copied,
    /// The buffer itself.
    Whole,
}

/// Reserves address space around the pointer of a sample of the device's memory.
fn new_window(device: &LogicalDevice) -> Option<Window> {
    // Small buffers would keep a block of memory that nobody may come to need.
    let sample = device
        .create_buffer(DEDICATED_FROM, MemoryClass::DeviceLocal)
        .ok()?;
    let reserved = SIZES.into_iter().find_map(Reserved::new)?;
    let middle = reserved.middle() as u64;
    let pointer = (middle & !(GRANULE - 1)) + sample.address() % GRANULE;
    Some(Window {
        reserved,
        delta: sample.address().wrapping_sub(pointer),
    })
}

/// Tests whether a kernel and the host see each other's writes in memory that is shared as a whole.
fn sees_host_memory(device: &LogicalDevice) -> Result<bool> {
    const VALUES: [u32; 4] = [0x0123_4567, 0x89ab_cdef, 7, 0xffff_0000];
    let buffer = device.create_shared_buffer(4096, MemoryClass::Staging, Sharing::Whole, 1)?;
    let Some((host, false)) = buffer.at_pointer() else {
        return Ok(false);
    };
    // SAFETY: the buffer's pages are there, and no kernel uses them yet.
    unsafe { host.cast().write_volatile(VALUES) };
    let mut push = buffer.address().to_ne_bytes().to_vec();
    push.extend((buffer.address() + 64).to_ne_bytes());
    probe::run_at_addresses(device, VALUES.len() as u32, &push)?;
    // SAFETY: the kernel has ended.
    Ok(unsafe { host.add(64).cast::<[u32; 4]>().read_volatile() } == VALUES)
}

impl LogicalDevice {
    fn window(&self) -> Option<&Window> {
        let addresses = self.capabilities().features.buffer_device_address;
        if !addresses || self.probes().host_addresses {
            return None;
        }
        let window = self.shared.window.get_or_init(|| new_window(self));
        window.as_ref()
    }

    /// The number that makes a device address of a pointer: 0 where they are the same.
    pub fn address_delta(&self) -> u64 {
        self.window().map_or(0, |window| window.delta)
    }

    /// Returns whether pointers have one value on the host and in kernels.
    pub fn shares_pointers(&self) -> bool {
        self.probes().host_addresses || self.window().is_some()
    }

    /// Returns whether buffers can be shared as [`Sharing::Whole`].
    pub fn shares_memory(&self) -> bool {
        *(self.shared.shares_memory).get_or_init(|| {
            self.probes().host_addresses
                || self.window().is_some() && sees_host_memory(self).unwrap_or(false)
        })
    }

    /// Allocates a buffer with a pointer, aligned as by [`LogicalDevice::create_aligned_buffer`]. `class` is the memory of one that is not shared as a whole, and of all
    /// where pointers are addresses.
    ///
    /// # Errors
    /// Out of memory; [`Error::Unsupported`] where the device cannot share it so.
    pub fn create_shared_buffer(
        &self,
        size: u64,
        class: MemoryClass,
        sharing: Sharing,
        alignment: u64,
    ) -> Result<Buffer> {
        if self.probes().host_addresses {
            return self.create_aligned_buffer(size, class, alignment);
        }
        let unsupported = || Error::Unsupported("pointers of the host's in kernels".into());
        let window = self.window().ok_or_else(unsupported)?;
        let host = |buffer: &Buffer| buffer.address().wrapping_sub(window.delta) as usize;
        let length = usize::try_from(size).map_err(|_| Error::OutOfHostMemory)?;
        match sharing {
            Sharing::DeviceOnly => {
                let buffer = self.create_aligned_buffer(size, class, alignment)?;
                match window.reserved.holds(host(&buffer), length) {
                    true => Ok(buffer),
                    false => Err(unsupported()),
                }
            }
            Sharing::Copied => {
                let buffer = self.create_aligned_buffer(size, class, alignment)?;
                let pages = HostPages::of_own(&window.reserved, host(&buffer), length)?;
                Ok(buffer.with_pages(pages))
            }
            Sharing::Whole => {
                let alignment = self.capabilities().host_import_alignment;
                if alignment.is_none_or(|alignment| alignment > page_size() as u64) {
                    return Err(unsupported());
                }
                let length = length.next_multiple_of(page_size());
                let mut memory = TwiceMapped::new(length)?;
                let start = memory.pointer().ok_or(Error::OutOfHostMemory)?;
                // SAFETY: the memory stays mapped until the buffer is gone, which owns it through its pages; should
                // showing it fail, the buffer goes first.
                let buffer = unsafe { self.import_host_memory(start, length as u64) }?;
                match HostPages::showing(&mut memory, &window.reserved, host(&buffer)) {
                    Ok(pages) => Ok(buffer.with_pages(pages)),
                    Err(error) => {
                        drop(buffer);
                        Err(error)
                    }
                }
            }
        }
    }
}

impl Buffer {
    /// The value that a pointer to the first byte has in kernels.
    pub fn pointer(&self) -> u64 {
        self.address().wrapping_sub(self.device().address_delta())
    }

    /// The host's memory at the buffer's pointer, and whether it is a copy; `None` where the host has none there.
    pub fn at_pointer(&self) -> Option<(NonNull<u8>, bool)> {
        match self.pages() {
            Some(pages) => Some((pages.pointer()?, pages.is_copy())),
            None => {
                let mapped = self.mapped()?;
                (mapped.as_ptr() as u64 == self.pointer()).then_some((mapped, false))
            }
        }
    }
}
