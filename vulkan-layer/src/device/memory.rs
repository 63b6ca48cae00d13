//! Memory for buffers and images, and what drivers say of it when there is none.

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use crate::caps::query;
use crate::device::DeviceShared;
use crate::device::fault;
use crate::error::{Error, Result};

/// MAP_FAILED, the address that mmap gives when it fails.
const MAP_FAILED: usize = usize::MAX;

/// From here on a buffer or an image gets a VkDeviceMemory of its own.
pub(crate) const DEDICATED_FROM: u64 = 16 << 20;

/// Address space that must be free before a driver is asked for much, in bytes: for its threads'
/// stacks, its compiler and what it does not check the allocation of.
const HEADROOM: usize = 512 << 20;
/// The same for each processor: drivers that compute on it start a thread for each.
const HEADROOM_PER_PROCESSOR: usize = 16 << 20;

/// Checks that there is address space for a driver to work in (RLIMIT_AS). Mesa's lavapipe does not
/// check its own allocations in vkCreateDevice and in its compiler; without this it would crash there.
/// Reserves no memory: the pages are never touched.
///
/// # Errors
/// [`Error::OutOfHostMemory`].
pub(crate) fn check_headroom() -> Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let size = HEADROOM + processors.min(64) * HEADROOM_PER_PROCESSOR;
    let mut space: Vec<u8> = Vec::new();
    let reserved = space.try_reserve_exact(size);
    // Seen by the optimiser as used: an unused allocation may be left out.
    std::hint::black_box(&mut space);
    reserved.map_err(|_| Error::OutOfHostMemory)
}

/// Allocates memory, mapped where the host can reach it.
///
/// A driver that does not check its own mmap (lavapipe under RLIMIT_AS) gives memory at MAP_FAILED
/// and calls that a success. The allocator keeps such a block and takes more from it; every part of
/// it is refused here, and `alone`, which asks for a block of its own, is tried instead. So it is where
/// there is no memory left for one of the allocator's blocks, which are large.
///
/// # Errors
/// [`Error::OutOfDeviceMemory`], [`Error::OverBudget`]; [`Error::OutOfHostMemory`] for memory at no address.
pub(crate) fn allocate(
    device: &DeviceShared,
    desc: &AllocationCreateDesc<'_>,
    alone: AllocationScheme,
) -> Result<Allocation> {
    fault::check("vkAllocateMemory")?;
    check_budget(device, desc)?;
    let mut allocator = device.allocator.lock();
    let mut failure = Error::OutOfDeviceMemory;
    let mut schemes = [Some(desc.allocation_scheme), None];
    if desc.allocation_scheme == AllocationScheme::GpuAllocatorManaged {
        schemes[1] = Some(alone);
    }
    for allocation_scheme in schemes.into_iter().flatten() {
        let allocation = allocator.allocate(&AllocationCreateDesc {
            allocation_scheme,
            ..desc.clone()
        });
        match allocation {
            Ok(allocation) if is_at_map_failed(&allocation) => {
                failure = Error::OutOfHostMemory;
                // Freeing fails only for allocations of another allocator.
                let _ = allocator.free(allocation);
            }
            Ok(allocation) => return Ok(allocation),
            Err(_) => failure = Error::OutOfDeviceMemory,
        }
    }
    Err(failure)
}

/// Checks that an allocation of a card's own memory keeps within the process's budget. Beyond it drivers give memory
/// that is not on the card, or whose use makes submissions fail.
///
/// # Errors
/// [`Error::OverBudget`].
fn check_budget(device: &DeviceShared, desc: &AllocationCreateDesc<'_>) -> Result<()> {
    let caps = &device.caps;
    let (size, bits) = (desc.requirements.size, desc.requirements.memory_type_bits);
    // Smaller ones share blocks, most of which are there.
    let large = size >= DEDICATED_FROM && desc.location == MemoryLocation::GpuOnly;
    if !large || caps.unified_memory || !caps.has_budget() {
        return Ok(());
    }
    let local = |(index, kind): &(u32, &vk::MemoryType)| {
        let flags = kind.property_flags;
        bits & (1 << index) != 0 && flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
    };
    let Some((_, kind)) = (0..).zip(&device.memory_types).find(local) else {
        return Ok(());
    };
    let budgets = query::budgets(&device.instance.raw, device.physical);
    let heap = kind.heap_index as usize;
    let left = left(budgets.heap_budget[heap], budgets.heap_usage[heap]);
    match left {
        Some(left) if left < size => Err(Error::OverBudget { size, left }),
        _ => Ok(()),
    }
}

/// Bytes left of a budget; `None` if the driver gives none.
fn left(budget: u64, usage: u64) -> Option<u64> {
    (budget > 0).then(|| budget.saturating_sub(usage))
}

/// Returns whether the block of an allocation was mapped to MAP_FAILED.
fn is_at_map_failed(allocation: &Allocation) -> bool {
    let mapped = allocation.mapped_ptr().map(|start| start.as_ptr() as usize);
    mapped.is_some_and(|start| block_address(start, allocation.offset()) == MAP_FAILED)
}

/// The address of a block, from that of a part of it and the part's offset in bytes. Addresses
/// behind MAP_FAILED have wrapped round.
fn block_address(part: usize, offset: u64) -> usize {
    part.wrapping_sub(offset as usize)
}

#[cfg(test)]
mod tests {
    use super::{MAP_FAILED, block_address, left};

    #[test]
    fn budgets_that_are_used_up_or_unknown() {
        assert_eq!(left(100, 30), Some(70));
        assert_eq!(left(100, 130), Some(0));
        assert_eq!(left(0, 30), None);
    }

    #[test]
    fn every_part_of_a_failed_block_is_known() {
        for offset in [0, 1, 256, 64 << 20] {
            let part = MAP_FAILED.wrapping_add(offset as usize);
            assert_eq!(block_address(part, offset), MAP_FAILED);
        }
        assert_ne!(block_address(0x7000_0100, 0x100), MAP_FAILED);
    }
}
