//! Buffers of host memory: the application's, and fresh memory of the process's own.

use std::ptr::NonNull;
use std::sync::Arc;

use ash::vk;

use crate::caps::DeviceType;
use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::objects::buffer::{
    Backing, Buffer, MemoryClass, RawBuffer, allocate_imported, check_size,
};
use crate::os;

/// Size of pages, in bytes; their alignment suits every device that imports them.
const PAGE: u64 = 4096;

/// Memory that the system has just given to the process: every byte is 0, and no page exists until it is
/// touched.
pub(crate) struct Pages {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the pages are an address range that this value owns; nothing in it belongs to a thread.
unsafe impl Send for Pages {}
// SAFETY: as above; this value reads and writes nothing.
unsafe impl Sync for Pages {}

impl Pages {
    /// Maps `size` bytes (not 0), `None` if there is no room.
    fn map(size: usize) -> Option<Self> {
        let start = os::fresh(size)?;
        Some(Self { start, size })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        os::release(self.start.as_ptr() as usize, self.size);
    }
}

/// Makes a buffer of fresh pages where the device is the host's processor, whose driver would take its
/// memory from the same place, but used before. `None` where that cannot be.
pub(crate) fn allocate(
    device: &Arc<DeviceShared>,
    size: u64,
    class: MemoryClass,
) -> Option<Buffer> {
    let alignment = device.caps.host_import_alignment?;
    if device.caps.device_type != DeviceType::Cpu || alignment > PAGE {
        return None;
    }
    let whole = size.next_multiple_of(PAGE);
    let pages = Pages::map(usize::try_from(whole).ok()?)?;
    let start = pages.start;
    // SAFETY: the pages are whole, and outlive the import.
    let (buffer, memory) = unsafe { import(device, start, whole) }.ok()?;
    let backing = Backing::Pages(memory, pages);
    Some(Buffer::finish(
        device,
        buffer,
        size,
        class,
        Some(start),
        backing,
    ))
}

/// Makes host memory a Vulkan buffer, without a copy.
///
/// # Safety
/// As for [`LogicalDevice::import_host_memory`].
unsafe fn import(
    device: &DeviceShared,
    pointer: NonNull<u8>,
    size: u64,
) -> Result<(RawBuffer<'_>, vk::DeviceMemory)> {
    let (Some(functions), Some(alignment)) =
        (&device.host_memory, device.caps.host_import_alignment)
    else {
        return Err(Error::Unsupported("import of host memory".into()));
    };
    if pointer.as_ptr() as u64 % alignment != 0 || size % alignment != 0 {
        return Err(Error::InvalidUse(format!(
            "host memory to import is not aligned to {alignment}"
        )));
    }
    check_size(device, size)?;
    let handle_type = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let (buffer, requirements) = RawBuffer::for_import(device, size, handle_type)?;
    let mut host = vk::MemoryHostPointerPropertiesEXT::default();
    // SAFETY: the extension is enabled, and `host` is a valid struct to fill.
    let queried = unsafe {
        (functions.fp().get_memory_host_pointer_properties_ext)(
            device.raw.handle(),
            handle_type,
            pointer.as_ptr().cast_const().cast(),
            &mut host,
        )
    };
    queried
        .result()
        .call("vkGetMemoryHostPointerPropertiesEXT")?;
    let bits = requirements.memory_type_bits & host.memory_type_bits;
    // Without coherence the host would have to flush, which nobody does.
    let wanted = vk::MemoryPropertyFlags::HOST_COHERENT;
    let coherent = (0_u32..)
        .zip(&device.memory_types)
        .find(|(index, kind)| bits & (1 << index) != 0 && kind.property_flags.contains(wanted));
    let Some((memory_type, _)) = coherent.filter(|_| requirements.size <= size) else {
        return Err(Error::Unsupported("this host memory as a buffer".into()));
    };
    let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
        .handle_type(handle_type)
        .host_pointer(pointer.as_ptr().cast());
    fault::check("vkAllocateMemory")?;
    // SAFETY: the pointer is valid by this function's contract and aligned as checked.
    let memory = unsafe { allocate_imported(device, size, memory_type, &mut import) };
    let memory = memory.call("vkAllocateMemory")?;
    // SAFETY: the memory was just imported, with a type that the buffer accepts, and its size.
    let buffer = unsafe { buffer.bind_imported(memory) }?;
    Ok((buffer, memory))
}

impl LogicalDevice {
    /// Makes the application's memory a buffer, without a copy.
    ///
    /// # Safety
    /// `size` bytes from `pointer` on must be valid for reads and writes until the last clone of
    /// the buffer is gone and the device no longer uses it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device cannot import host memory,
    /// [`Error::InvalidUse`] where pointer or size are not multiples of
    /// [`crate::Capabilities::host_import_alignment`]; the driver may refuse some memory as well.
    pub unsafe fn import_host_memory(&self, pointer: NonNull<u8>, size: u64) -> Result<Buffer> {
        // SAFETY: the caller's promise.
        let (buffer, memory) = unsafe { import(&self.shared, pointer, size) }?;
        Ok(Buffer::finish(
            &self.shared,
            buffer,
            size,
            MemoryClass::Imported,
            Some(pointer),
            Backing::Imported(memory),
        ))
    }
}
