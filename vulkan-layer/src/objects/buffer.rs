//! Buffers and the memory behind them.

use std::ptr::NonNull;
use std::sync::Arc;

use ash::prelude::VkResult;
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use crate::device::fault;
use crate::device::host_pages::HostPages;
use crate::device::memory::{self, DEDICATED_FROM};
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::objects::host_memory::{self, Pages};

/// Kind of memory that a buffer is allocated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryClass {
    /// On the device; mapped only where all of its memory can be.
    DeviceLocal,
    /// Mapped, on the device where the device has such memory.
    HostVisibleDevice,
    /// Mapped, in host memory: written by the host, read by the device.
    Staging,
    /// Mapped and cached by the host: written by the device, read by the host.
    Readback,
    /// Memory of the application's or of another API, imported.
    Imported,
}

/// A buffer, with an address where the device has them. Cheap to clone; the memory goes with the last clone.
#[derive(Clone)]
pub struct Buffer(Arc<BufferInner>);

struct BufferInner {
    device: Arc<DeviceShared>,
    raw: vk::Buffer,
    size: u64,
    address: u64,
    mapped: Option<NonNull<u8>>,
    class: MemoryClass,
    backing: Backing,
    /// The host's pages at the buffer's pointer. They go after the memory, which may lie there.
    pages: Option<HostPages>,
}

pub(crate) enum Backing {
    /// Taken out once, by Drop.
    Allocated(Option<Allocation>),
    Imported(vk::DeviceMemory),
    /// Memory of another API. The same memory may be imported more than once, at other addresses.
    External(vk::DeviceMemory),
    /// Memory of the process's own, which goes after the import.
    Pages(
        vk::DeviceMemory,
        #[expect(dead_code, reason = "keeps the memory")] Pages,
    ),
}

// SAFETY: the mapped pointer stays valid for the buffer's whole life on every thread; access
// through it is either unsafe at the caller or a bounds-checked copy of bytes.
unsafe impl Send for BufferInner {}
// SAFETY: as above.
unsafe impl Sync for BufferInner {}

/// OpenCL's largest type is long16: buffers begin at its size at least, and at a cache line pair.
const ALIGNMENT: u64 = 256;
/// Descriptors show whole words: so much of a buffer's last one is there, too.
const WORD: u64 = 4;

pub(crate) fn usage(device: &DeviceShared) -> vk::BufferUsageFlags {
    let address = match has_addresses(device) {
        true => vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
        false => vk::BufferUsageFlags::empty(),
    };
    address
        | vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::INDIRECT_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
}

pub(crate) fn has_addresses(device: &DeviceShared) -> bool {
    device.caps.features.buffer_device_address
}

/// Makes memory that is there already, which `import` names, memory of a type for a buffer.
///
/// # Safety
/// `import` names such memory, of `size` bytes.
pub(crate) unsafe fn allocate_imported(
    device: &DeviceShared,
    size: u64,
    memory_type: u32,
    import: &mut impl vk::ExtendsMemoryAllocateInfo,
) -> VkResult<vk::DeviceMemory> {
    let mut flags =
        vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut info = vk::MemoryAllocateInfo::default()
        .allocation_size(size)
        .memory_type_index(memory_type)
        .push_next(import);
    if has_addresses(device) {
        info = info.push_next(&mut flags);
    }
    // SAFETY: the caller's promise.
    unsafe { device.raw.allocate_memory(&info, None) }
}

/// A VkBuffer that is destroyed unless it is handed on.
pub(crate) struct RawBuffer<'a> {
    device: &'a DeviceShared,
    pub raw: vk::Buffer,
}

impl<'a> RawBuffer<'a> {
    pub fn create(device: &'a DeviceShared, info: &vk::BufferCreateInfo<'_>) -> Result<Self> {
        fault::check("vkCreateBuffer")?;
        // Copies beside kernels need no change of owners then, and drivers do not care for buffers.
        let families = device.families.sharing();
        let mut info = *info;
        if let Some(families) = &families {
            info = info
                .sharing_mode(vk::SharingMode::CONCURRENT)
                .queue_family_indices(families);
        }
        // SAFETY: `info` and what it points at live through the call.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        Ok(Self { device, raw })
    }

    /// A buffer for memory that comes from elsewhere, and the memory that it requires.
    pub fn for_import(
        device: &'a DeviceShared,
        size: u64,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<(Self, vk::MemoryRequirements)> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_type);
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage(device))
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        let buffer = Self::create(device, &info)?;
        // SAFETY: the buffer belongs to the device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        Ok((buffer, requirements))
    }

    /// Binds imported memory to the whole buffer. If that fails, both are gone: the buffer first, since memory that
    /// a buffer may be bound to must outlive it.
    ///
    /// # Safety
    /// The memory is of a type and size that the buffer requires, and belongs to nothing else.
    pub unsafe fn bind_imported(self, memory: vk::DeviceMemory) -> Result<Self> {
        let device = self.device;
        // SAFETY: the caller's promise.
        match unsafe { device.raw.bind_buffer_memory(self.raw, memory, 0) } {
            Ok(()) => Ok(self),
            Err(result) => {
                drop(self);
                // SAFETY: nothing is bound to the memory any more.
                unsafe { device.raw.free_memory(memory, None) };
                Err(Error::from_vk("vkBindBufferMemory", result))
            }
        }
    }

    fn hand_on(self) -> vk::Buffer {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }
}

impl Drop for RawBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the buffer was created from the device and was not handed on.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
    }
}

pub(crate) fn check_size(device: &DeviceShared, size: u64) -> Result<()> {
    let limits = &device.caps.limits;
    let limit = limits.max_buffer.min(limits.max_allocation);
    if size == 0 {
        return Err(Error::InvalidUse("a buffer of 0 bytes".into()));
    }
    if size > limit {
        return Err(Error::TooLarge {
            what: "a buffer",
            size,
            limit,
        });
    }
    Ok(())
}

impl Buffer {
    pub(crate) fn allocate(
        device: &Arc<DeviceShared>,
        size: u64,
        class: MemoryClass,
    ) -> Result<Self> {
        Self::allocate_for(device, size, class, vk::BufferUsageFlags::empty())
    }

    /// Like [`Buffer::allocate`], at a multiple of `alignment`, a power of two up to 4096.
    pub(crate) fn allocate_aligned(
        device: &Arc<DeviceShared>,
        size: u64,
        class: MemoryClass,
        alignment: u64,
    ) -> Result<Self> {
        Self::allocate_with(
            device,
            size,
            class,
            vk::BufferUsageFlags::empty(),
            alignment,
        )
    }

    /// Like [`Buffer::allocate`], with uses that other buffers do not have.
    pub(crate) fn allocate_for(
        device: &Arc<DeviceShared>,
        size: u64,
        class: MemoryClass,
        more: vk::BufferUsageFlags,
    ) -> Result<Self> {
        Self::allocate_with(device, size, class, more, ALIGNMENT)
    }

    fn allocate_with(
        device: &Arc<DeviceShared>,
        size: u64,
        class: MemoryClass,
        more: vk::BufferUsageFlags,
        alignment: u64,
    ) -> Result<Self> {
        check_size(device, size)?;
        let in_host_memory = matches!(
            class,
            MemoryClass::HostVisibleDevice | MemoryClass::Readback
        );
        // Drivers align what they map to 64 bytes, whatever the memory's own alignment.
        let by_pages = size >= DEDICATED_FROM || alignment > ALIGNMENT;
        if by_pages && in_host_memory && more.is_empty() {
            // Refused for whatever reason, the driver allocates, and says the reason.
            if let Some(buffer) = host_memory::allocate(device, size, class) {
                return Ok(buffer);
            }
        }
        let info = vk::BufferCreateInfo::default()
            .size(size.next_multiple_of(WORD))
            .usage(usage(device) | more)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        let buffer = RawBuffer::create(device, &info)?;
        // SAFETY: the buffer belongs to the device.
        let mut requirements = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        requirements.alignment = requirements.alignment.max(ALIGNMENT).max(alignment);
        let location = match class {
            MemoryClass::DeviceLocal => MemoryLocation::GpuOnly,
            MemoryClass::HostVisibleDevice => {
                requirements.memory_type_bits = cached_types(device, requirements.memory_type_bits);
                MemoryLocation::CpuToGpu
            }
            MemoryClass::Staging => {
                requirements.memory_type_bits =
                    host_only_types(device, requirements.memory_type_bits);
                MemoryLocation::CpuToGpu
            }
            MemoryClass::Readback => MemoryLocation::GpuToCpu,
            MemoryClass::Imported => {
                return Err(Error::InvalidUse("imported memory is not allocated".into()));
            }
        };
        let scheme = if size >= DEDICATED_FROM {
            AllocationScheme::DedicatedBuffer(buffer.raw)
        } else {
            AllocationScheme::GpuAllocatorManaged
        };
        let desc = AllocationCreateDesc {
            name: "buffer",
            requirements,
            location,
            linear: true,
            allocation_scheme: scheme,
        };
        let alone = AllocationScheme::DedicatedBuffer(buffer.raw);
        let allocation = memory::allocate(device, &desc, alone)?;
        // SAFETY: the memory is the allocator's and meets the buffer's requirements.
        let bound = unsafe {
            (device.raw).bind_buffer_memory(buffer.raw, allocation.memory(), allocation.offset())
        };
        if let Err(result) = bound {
            drop(buffer);
            let _ = device.allocator.lock().free(allocation);
            return Err(Error::from_vk("vkBindBufferMemory", result));
        }
        let mapped = allocation.mapped_ptr().map(NonNull::cast);
        Ok(Self::finish(
            device,
            buffer,
            size,
            class,
            mapped,
            Backing::Allocated(Some(allocation)),
        ))
    }

    pub(crate) fn finish(
        device: &Arc<DeviceShared>,
        buffer: RawBuffer<'_>,
        size: u64,
        class: MemoryClass,
        mapped: Option<NonNull<u8>>,
        backing: Backing,
    ) -> Self {
        let raw = buffer.hand_on();
        let info = vk::BufferDeviceAddressInfo::default().buffer(raw);
        // SAFETY: the buffer has memory and was made with SHADER_DEVICE_ADDRESS, since the feature
        // is enabled.
        let address =
            || unsafe { (device.functions.get_buffer_device_address)(device.raw.handle(), &info) };
        let address = if has_addresses(device) { address() } else { 0 };
        Self(Arc::new(BufferInner {
            device: Arc::clone(device),
            raw,
            size,
            address,
            mapped,
            class,
            backing,
            pages: None,
        }))
    }

    /// The buffer as the owner of the host's pages at its pointer. It has no clone yet.
    pub(crate) fn with_pages(mut self, pages: HostPages) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.pages = Some(pages);
        }
        self
    }

    pub(crate) fn pages(&self) -> Option<&HostPages> {
        self.0.pages.as_ref()
    }

    /// The device that it was allocated on.
    pub(crate) fn device(&self) -> LogicalDevice {
        LogicalDevice {
            shared: Arc::clone(&self.0.device),
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// The size up to the end of the last word, which descriptors may show.
    pub fn size_in_words(&self) -> u64 {
        self.0.size.next_multiple_of(WORD)
    }

    /// Returns whether other buffers may have the same memory at other addresses.
    pub fn is_external(&self) -> bool {
        matches!(self.0.backing, Backing::External(_))
    }

    /// The device address of the first byte: 0 where the device has no addresses, and only there.
    pub fn address(&self) -> u64 {
        self.0.address
    }

    /// Returns the kind of memory that the buffer was allocated from.
    pub fn memory_class(&self) -> MemoryClass {
        self.0.class
    }

    /// The host address of the first byte, where the memory is mapped. It stays valid while a
    /// clone of the buffer lives; when the device may write there is the caller's to know.
    pub fn mapped(&self) -> Option<NonNull<u8>> {
        self.0.mapped
    }

    /// Returns whether every byte was 0 when the buffer was made.
    pub fn was_zero(&self) -> bool {
        matches!(self.0.backing, Backing::Pages(..))
    }

    /// Returns whether both handles refer to the same buffer.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn host_range(&self, offset: u64, length: usize) -> Result<NonNull<u8>> {
        let mapped =
            (self.0.mapped).ok_or_else(|| Error::InvalidUse("the buffer is not mapped".into()))?;
        let end = offset.checked_add(length as u64);
        if end.is_none_or(|end| end > self.0.size) {
            return Err(Error::InvalidUse(
                "a range beyond the end of the buffer".into(),
            ));
        }
        // SAFETY: the offset is within the mapped range, as checked.
        Ok(unsafe { mapped.add(offset as usize) })
    }

    /// Copies bytes out of mapped memory. What the device writes meanwhile is read before or after.
    ///
    /// # Errors
    /// Memory that is not mapped, a range beyond the end.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<()> {
        let from = self.host_range(offset, into.len())?;
        // SAFETY: the source range is mapped memory inside the buffer, which is coherent; `into`
        // is exclusive and cannot overlap memory that Rust does not own.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Copies bytes into mapped memory. Submissions made afterwards see them.
    ///
    /// # Errors
    /// Memory that is not mapped, a range beyond the end.
    pub fn write(&self, offset: u64, from: &[u8]) -> Result<()> {
        let into = self.host_range(offset, from.len())?;
        // SAFETY: the target range is mapped memory inside the buffer, which is coherent; `from`
        // cannot overlap memory that Rust does not own.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), into.as_ptr(), from.len()) };
        Ok(())
    }

    pub(crate) fn raw(&self) -> vk::Buffer {
        self.0.raw
    }

    /// Returns whether this is the only handle: no recorder and no submission keeps the buffer.
    pub fn is_only(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        Arc::ptr_eq(&self.0.device, device)
    }

    /// Checks that a range lies inside the buffer.
    pub(crate) fn check_range(&self, offset: u64, length: u64) -> Result<()> {
        if offset
            .checked_add(length)
            .is_none_or(|end| end > self.size())
        {
            return Err(Error::InvalidUse(format!(
                "a range of {length} bytes at {offset} in a buffer of {}",
                self.size()
            )));
        }
        Ok(())
    }
}

/// The memory types of `bits` on the device that the host maps with caches, or `bits` where none is. Devices
/// that share the host's memory have such types, often behind one that the host reads slowly.
fn cached_types(device: &DeviceShared, bits: u32) -> u32 {
    let wanted = vk::MemoryPropertyFlags::DEVICE_LOCAL
        | vk::MemoryPropertyFlags::HOST_VISIBLE
        | vk::MemoryPropertyFlags::HOST_COHERENT
        | vk::MemoryPropertyFlags::HOST_CACHED;
    let types = (0..).zip(&device.memory_types);
    let cached = types.filter(|(_, kind)| kind.property_flags.contains(wanted));
    let cached = cached.fold(0, |all, (index, _)| all | 1 << index) & bits;
    if cached == 0 { bits } else { cached }
}

/// The memory types of `bits` that are host memory proper, or `bits` where none is.
fn host_only_types(device: &DeviceShared, bits: u32) -> u32 {
    let mut host_only = 0;
    for (index, ty) in device.memory_types.iter().enumerate() {
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let on_device = ty
            .property_flags
            .contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
        if ty.property_flags.contains(wanted) && !on_device {
            host_only |= 1 << index;
        }
    }
    if bits & host_only == 0 {
        bits
    } else {
        bits & host_only
    }
}

impl LogicalDevice {
    /// Returns whether the host reads memory of [`MemoryClass::Readback`] with caches: some devices have no such memory that is
    /// coherent, too.
    pub fn has_cached_readback(&self) -> bool {
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT
            | vk::MemoryPropertyFlags::HOST_CACHED;
        let types = &self.shared.memory_types;
        types
            .iter()
            .any(|kind| kind.property_flags.contains(wanted))
    }

    /// Allocates a buffer of `size` bytes (not 0). Its contents are undefined; its address is a
    /// multiple of 256.
    ///
    /// # Errors
    /// Out of memory, or a size beyond the device's limit.
    pub fn create_buffer(&self, size: u64, class: MemoryClass) -> Result<Buffer> {
        Buffer::allocate(&self.shared, size, class)
    }

    /// The same with an address that is a multiple of `alignment`, a power of two up to 4096, where the driver's
    /// memory begins at such addresses.
    ///
    /// # Errors
    /// Those of [`LogicalDevice::create_buffer`].
    pub fn create_aligned_buffer(
        &self,
        size: u64,
        class: MemoryClass,
        alignment: u64,
    ) -> Result<Buffer> {
        Buffer::allocate_aligned(&self.shared, size, class, alignment)
    }
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        // SAFETY: recorders keep clones until the device is done, so nothing uses the buffer; it
        // goes before its memory.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        match &mut self.backing {
            Backing::Allocated(allocation) => {
                if let Some(allocation) = allocation.take() {
                    // Freeing fails only for allocations of another allocator.
                    let _ = self.device.allocator.lock().free(allocation);
                }
            }
            // SAFETY: the memory belongs to the device and nothing is bound to it any more.
            Backing::Imported(memory) | Backing::External(memory) | Backing::Pages(memory, _) => unsafe {
                self.device.raw.free_memory(*memory, None);
            },
        }
    }
}
