//! Buffers of memory that another API or process has allocated.

use std::ptr::NonNull;
use std::sync::Arc;

use ash::vk;

use crate::caps::Capabilities;
use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::objects::buffer::{
    Backing, Buffer, MemoryClass, RawBuffer, allocate_imported, check_size,
};
use crate::os::{self, Fd};

/// The kind of a file descriptor that stands for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFd {
    /// One of a Vulkan device, for devices of the same driver and hardware.
    Opaque,
    /// A dma-buf.
    DmaBuf,
}

impl MemoryFd {
    /// Vulkan's flag.
    pub(crate) fn raw(self) -> vk::ExternalMemoryHandleTypeFlags {
        match self {
            MemoryFd::Opaque => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
            MemoryFd::DmaBuf => vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
        }
    }
}

/// Returns whether a device imports memory of a kind.
pub fn imports(caps: &Capabilities, kind: MemoryFd) -> bool {
    match kind {
        MemoryFd::Opaque => caps.memory_fds[0],
        MemoryFd::DmaBuf => caps.memory_fds[1],
    }
}

impl LogicalDevice {
    /// Makes memory that another API has allocated a buffer, without a copy.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device does not import such memory, or has no memory for it;
    /// the driver may refuse the memory as well, for example if it is smaller.
    pub fn import_memory(&self, kind: MemoryFd, fd: Fd, size: u64) -> Result<Buffer> {
        let device = &self.shared;
        let Some(functions) = device
            .memory_fd
            .as_ref()
            .filter(|_| imports(&device.caps, kind))
        else {
            return Err(Error::Unsupported("import of memory".into()));
        };
        check_size(device, size)?;
        let (buffer, requirements) = RawBuffer::for_import(device, size, kind.raw())?;
        let mut bits = requirements.memory_type_bits;
        if kind == MemoryFd::DmaBuf {
            let mut properties = vk::MemoryFdPropertiesKHR::default();
            let raw = os::number(&fd);
            // SAFETY: the extension is enabled, and the descriptor is ours.
            let asked =
                unsafe { functions.get_memory_fd_properties(kind.raw(), raw, &mut properties) };
            asked.call("vkGetMemoryFdPropertiesKHR")?;
            bits &= properties.memory_type_bits;
        }
        fault::check("vkAllocateMemory")?;
        check_file(&fd, size)?;
        // Vulkan wants the type that the memory was allocated with, which nothing tells.
        let mut outcome = Err(Error::Unsupported("this memory as a buffer".into()));
        for memory_type in memory_types(device, bits) {
            outcome = import(device, kind, &fd, requirements.size, memory_type);
            if outcome.is_ok() {
                break;
            }
        }
        let (memory, memory_type) = outcome?;
        // SAFETY: the memory was just imported, with a type that the buffer accepts, and its size.
        let buffer = unsafe { buffer.bind_imported(memory) }?;
        let mapped = map(device, memory, memory_type);
        let (class, backing) = (MemoryClass::Imported, Backing::External(memory));
        Ok(Buffer::finish(device, buffer, size, class, mapped, backing))
    }
}

/// Refuses a file that is smaller than the buffer: SwiftShader does not look, and an access behind the
/// file's end kills the process. A dma-buf is no regular file; its driver knows its size.
fn check_file(fd: &Fd, size: u64) -> Result<()> {
    match os::file_size(fd).is_some_and(|own| own < size) {
        true => Err(Error::InvalidUse("memory smaller than its buffer".into())),
        false => Ok(()),
    }
}

/// Imports memory as one of a type, through a descriptor of its own.
fn import(
    device: &DeviceShared,
    kind: MemoryFd,
    fd: &Fd,
    size: u64,
    memory_type: u32,
) -> Result<(vk::DeviceMemory, u32)> {
    let duplicate = || os::duplicate_own(fd).ok_or(Error::OutOfHostMemory);
    let (given, same) = (duplicate()?, duplicate()?);
    let raw = os::into_raw(given);
    let mut import = vk::ImportMemoryFdInfoKHR::default()
        .handle_type(kind.raw())
        .fd(raw);
    // SAFETY: the descriptor is ours, and of that kind by the application's word, which the driver checks. The driver
    // owns it if it succeeds.
    match unsafe { allocate_imported(device, size, memory_type, &mut import) } {
        Ok(memory) => Ok((memory, memory_type)),
        Err(result) => {
            os::close_refused(raw, same);
            Err(Error::from_vk("vkAllocateMemory", result))
        }
    }
}

/// The memory types among some, the device's own first.
fn memory_types(device: &DeviceShared, bits: u32) -> impl Iterator<Item = u32> {
    let all = (0_u32..).zip(&device.memory_types);
    let fitting = all.filter(move |(index, _)| bits & (1 << index) != 0);
    let local = |kind: &vk::MemoryType| {
        let flags = kind.property_flags;
        flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
    };
    let (own, others): (Vec<_>, Vec<_>) = fitting.partition(|(_, kind)| local(kind));
    own.into_iter().chain(others).map(|(index, _)| index)
}

/// Maps memory where the host sees it without flushes.
fn map(device: &Arc<DeviceShared>, memory: vk::DeviceMemory, index: u32) -> Option<NonNull<u8>> {
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let kind = device.memory_types.get(index as usize)?;
    if !kind.property_flags.contains(wanted) {
        return None;
    }
    let (all, flags) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
    // SAFETY: the memory is host-visible and not mapped; freeing it ends the mapping.
    let mapped = unsafe { device.raw.map_memory(memory, 0, all, flags) }.ok()?;
    NonNull::new(mapped.cast())
}
