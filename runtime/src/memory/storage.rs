//! The bytes of a buffer, and the host's view of them.

use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use pumice_vulkan_layer::{Buffer, Recorder};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::object::Ref;
use crate::base::region::{Extent, Layout, Sides};
use crate::context::Context;
use crate::device::Device;
use crate::device::gpu;
use crate::memory::residency::{Access, Backing, Residency, Resident};
use crate::memory::written::Written;

/// The bytes of a buffer (shared with its sub-buffers).
pub struct Storage {
    residency: Residency<Bytes>,
    /// CL_MEM_USE_HOST_PTR: the application's memory.
    use_host: Option<HostSlice>,
    /// True if the only device's memory is the application's itself.
    imported: bool,
    /// True if the application's memory is the host's copy of shared memory.
    copied: bool,
    /// The bytes that something wrote.
    written: Written,
    /// Memory of the only device's that the host has mapped, in which maps show a copy of the bytes; `None` in it where there
    /// is not enough.
    view: OnceLock<Option<Buffer>>,
}

/// Shared memory that a buffer is made over.
pub struct Shared {
    /// The device's memory.
    pub memory: Buffer,
    /// True if the host has a copy.
    pub copied: bool,
}

/// Buffers of one size.
pub(super) struct Bytes {
    size: usize,
    /// True if the host will often access it (CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR).
    host_cached: bool,
    /// Guards the place of the number of bytes that mean something (cl_pocl_content_size).
    content_size: Mutex<Option<(Weak<Storage>, usize)>>,
}

impl Bytes {
    fn new(size: usize, host_cached: bool) -> Self {
        Self {
            size,
            host_cached,
            content_size: Mutex::default(),
        }
    }

    /// The number of bytes that mean something: all, unless the application keeps it in a buffer.
    fn meaningful(&self) -> usize {
        let place = self.content_size.lock().clone();
        let told = place.and_then(|(storage, offset)| storage.upgrade()?.number(offset));
        told.map_or(self.size, |told| {
            self.size.min(usize::try_from(told).unwrap_or(usize::MAX))
        })
    }
}

impl Backing for Bytes {
    type Memory = Buffer;

    fn allocate(&self, gpu: &gpu::OpenDevice) -> Result<Buffer> {
        gpu.allocate(self.size as u64, self.host_cached)
    }

    fn clear_by_host(&self, gpu: &gpu::OpenDevice, memory: &Buffer, access: Access) -> bool {
        access == Access::Overwrite || gpu.clear_by_host(memory)
    }

    fn record_clear(&self, recorder: &mut Recorder, memory: &Buffer, _: Access) -> Result<()> {
        recorder.clear_buffer(memory).map_err(gpu::error)
    }

    fn is_mapped(&self, memory: &Buffer) -> bool {
        gpu::host_view(memory).is_some()
    }

    fn migrate(
        &self,
        (from_device, from): (&gpu::OpenDevice, &Buffer),
        (to_device, to): (&gpu::OpenDevice, &Buffer),
    ) -> Result<()> {
        gpu::migrate(from_device, from, to_device, to, self.meaningful())
    }

    fn host_size(&self) -> usize {
        self.size
    }
}

impl std::fmt::Debug for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Storage")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl Resident for Storage {
    type Backing = Bytes;

    fn residency(&self) -> &Residency<Bytes> {
        &self.residency
    }

    /// Nobody knows what is written: all counts.
    fn is_used(&self, access: Access) {
        if access != Access::Read {
            self.written.lose();
        }
    }
}

impl Storage {
    /// Allocates the bytes for the context's devices and stores the first contents, if there are
    /// any.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn new(
        devices: &[Ref<Device>],
        size: usize,
        contents: Option<HostSlice>,
        use_host: Option<HostSlice>,
        svm: Option<Shared>,
        host_cached: bool,
    ) -> Result<Arc<Self>> {
        let copied = svm.as_ref().is_some_and(|svm| svm.copied);
        let import = match (devices, use_host, svm) {
            // Shared virtual memory is a buffer already.
            ([_], Some(_), Some(svm)) => Some(svm.memory),
            ([device], Some(host), None) => device.gpu()?.import(host),
            _ => None,
        };
        let imported = import.is_some();
        let is_new = contents.or(use_host).is_none() && !imported;
        let written = match devices {
            [device] if is_new => Written::of_new(device.gpu()?, size),
            _ => Written::default(),
        };
        let storage = Self {
            residency: Residency::new(
                devices,
                Bytes::new(size, host_cached),
                import.map(|memory| (0, memory)),
            ),
            use_host,
            imported,
            copied,
            written,
            view: OnceLock::new(),
        };
        // The first device gets its memory now, so that the application learns of a failure from
        // clCreateBuffer; the others when they use it.
        storage.residency.allocate_first()?;
        if let Some(contents) = contents.or(use_host) {
            let memory = storage.on_device(0, Access::Overwrite)?;
            if !imported {
                storage.residency.gpu(0)?.write(&memory, 0, contents)?;
            }
        }
        Ok(Arc::new(storage))
    }

    /// The bytes of memory of the application's, on a context's only device; `None` where the device cannot use
    /// the memory itself.
    ///
    /// # Errors
    /// The device cannot be opened.
    pub fn of_host(device: &Ref<Device>, memory: HostSlice) -> Result<Option<Arc<Self>>> {
        let Some(buffer) = device.gpu()?.import(memory) else {
            return Ok(None);
        };
        let bytes = Bytes::new(memory.len(), true);
        let devices = std::slice::from_ref(device);
        let storage = Self {
            residency: Residency::new(devices, bytes, Some((0, buffer))),
            use_host: Some(memory),
            imported: true,
            copied: false,
            written: Written::default(),
            view: OnceLock::new(),
        };
        // The memory has contents, which nobody clears.
        storage.on_device(0, Access::Overwrite)?;
        Ok(Some(Arc::new(storage)))
    }

    /// The bytes of CL_MEM_USE_HOST_PTR's memory and where they begin, on a context's only device; `None` where
    /// that is at the start of a page, or the device is given a copy. Processors use the memory itself wherever it
    /// begins: programs written for processors look at it without a map.
    ///
    /// # Errors
    /// The device cannot be opened.
    pub fn of_used_host(
        devices: &[Ref<Device>],
        memory: HostSlice,
    ) -> Result<Option<(Arc<Self>, usize)>> {
        let [device] = devices else {
            return Ok(None);
        };
        let pages = memory.whole_pages();
        let origin = memory.address() - pages.address();
        let is_bound = device.abi().descriptors().is_some();
        if origin == 0
            || origin % device.offset_alignment() != 0
            || is_bound
            || !device.has_host_addresses()
        {
            return Ok(None);
        }
        Ok(Self::of_host(device, pages)?.map(|storage| (storage, origin)))
    }

    /// The bytes of memory that another API has allocated, on a device of the context.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn external(
        devices: &[Ref<Device>],
        size: usize,
        (index, memory): (usize, Buffer),
    ) -> Result<Arc<Self>> {
        let bytes = Bytes::new(size, false);
        let storage = Self {
            residency: Residency::new(devices, bytes, Some((index, memory))),
            use_host: None,
            imported: false,
            copied: false,
            written: Written::default(),
            view: OnceLock::new(),
        };
        // The memory has contents, which nobody clears.
        storage.on_device(index, Access::Overwrite)?;
        Ok(Arc::new(storage))
    }

    /// Names the place of the number of bytes that mean something, in another storage.
    pub fn set_content_size(&self, storage: &Arc<Storage>, offset: usize) {
        let place = (Arc::downgrade(storage), offset);
        *self.residency.backing().content_size.lock() = Some(place);
    }

    /// A 64-bit number among the newest bytes; `None` if nobody wrote it, or it cannot be read now.
    fn number(&self, offset: usize) -> Option<u64> {
        let (index, memory) = self.residency.newest()?;
        let mut block = HostBlock::new(8)?;
        let slice = block.slice();
        let gpu = self.residency.gpu(index).ok()?;
        gpu.read(&memory, offset as u64, slice).ok()?;
        Some(u64::from_le_bytes(slice.to_vec().try_into().ok()?))
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.residency.backing().size
    }

    /// The bytes that something wrote.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// Notes that the host has written bytes in the memory of a device of the context itself.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn written_in_place(&self, index: usize, offset: usize, size: usize) -> Result<()> {
        let access = self.writing(Layout::linear(offset), [size, 1, 1]);
        self.residency.on_device(index, access)?;
        self.written.note(offset, size);
        Ok(())
    }

    /// The access of a command that writes a region and reads nothing.
    pub fn writing(&self, place: Layout, extent: Extent) -> Access {
        Access::writing(place.offset == 0 && extent == [self.size(), 1, 1])
    }

    /// The memory on a device of the context, if it has some.
    pub fn present(&self, index: usize) -> Option<Buffer> {
        self.residency.present(index)
    }

    /// The memory on a device of the context, whatever it holds.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn allocation(&self, index: usize) -> Result<Buffer> {
        self.residency.allocation(index)
    }

    /// The memory on a device of the context, holding the newest bytes.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn on_device(&self, index: usize, access: Access) -> Result<Buffer> {
        self.is_used(access);
        self.residency.on_device(index, access)
    }

    /// Copies a region from a device of the context to the host.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read(&self, index: usize, sides: Sides, into: HostSlice) -> Result<()> {
        let memory = self.on_device(index, Access::Read)?;
        let gpu = self.residency.gpu(index)?;
        gpu.read_region(&memory, sides, into)
    }

    /// Copies a region from the host to a device of the context.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write(&self, index: usize, sides: Sides, from: HostSlice) -> Result<()> {
        self.write_by(index, sides, |gpu, memory| {
            gpu.write_region(memory, sides, from)
        })
    }

    /// Has `copy` write a region on a device of the context, to the memory that it is given.
    fn write_by(
        &self,
        index: usize,
        sides: Sides,
        copy: impl FnOnce(&gpu::OpenDevice, &Buffer) -> Result<()>,
    ) -> Result<()> {
        let access = self.writing(sides.buffer, sides.extent);
        let memory = self.residency.on_device(index, access)?;
        copy(self.residency.gpu(index)?, &memory)?;
        for run in sides.runs() {
            self.written.note(run.buffer, run.size);
        }
        Ok(())
    }

    /// Copies a region from a device of the context to the memory of [`Storage::host_view`], where that is a copy.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read_to_view(&self, index: usize, sides: Sides, view: HostSlice) -> Result<()> {
        let Some(buffer) = self.view() else {
            return self.read(index, sides, view);
        };
        let memory = self.on_device(index, Access::Read)?;
        let gpu = self.residency.gpu(index)?;
        gpu.copy_region(&memory, buffer, sides)
    }

    /// Copies a region from the memory of [`Storage::host_view`], where that is a copy, to a device of the context.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write_from_view(&self, index: usize, sides: Sides, view: HostSlice) -> Result<()> {
        match self.view() {
            None => self.write(index, sides, view),
            Some(buffer) => self.write_by(index, sides, |gpu, memory| {
                gpu.copy_region(buffer, memory, sides.turned())
            }),
        }
    }

    /// The memory of [`Storage::host_view`], where the device copies to and from it.
    fn view(&self) -> Option<&Buffer> {
        self.view.get()?.as_ref()
    }

    /// The same, which it makes once for all maps.
    fn make_view(&self) -> Result<Option<HostSlice>> {
        let gpu = self.residency.gpu(0)?;
        let view = (self.view).get_or_init(|| gpu.allocate_view(self.size()));
        Ok(view.as_ref().and_then(HostSlice::of_buffer))
    }

    /// The memory in which the host finds the bytes once they are brought to the device, and whether that
    /// is a copy that maps and unmaps must bring up to date.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn host_view(&self, index: usize) -> Result<(HostSlice, bool)> {
        if let Some(host) = self.use_host {
            return Ok((host, !self.imported || self.copied));
        }
        if self.residency.devices().len() == 1 {
            let memory = self.allocation(index)?;
            if let Some(mapped) = gpu::host_view(&memory) {
                return Ok((mapped, false));
            }
            if let Some(view) = self.make_view()? {
                return Ok((view, true));
            }
        }
        Ok((self.residency.shadow()?, true))
    }
}

/// Checks host_ptr where it is shared memory.
pub(super) fn check_shared(context: &Ref<Context>, host: HostSlice, is_used: bool) -> Result<()> {
    let Some((allocation, offset)) = context.svm_find(host.address()) else {
        return Ok(());
    };
    // CL_INVALID_BUFFER_SIZE if host_ptr is of clSVMAlloc and size beyond its end.
    if host.len() > allocation.size() - offset {
        let reason = "host_ptr is of clSVMAlloc and has fewer bytes";
        return Err(Error::InvalidBufferSize.because(reason));
    }
    // CL_INVALID_HOST_PTR if it is memory that the host cannot use, or a part of a copy, which would not be the
    // buffer's memory.
    let is_part = is_used && allocation.is_away() && offset != 0;
    if is_part || !allocation.has_host() {
        let reason = "host_ptr is no memory of the host's, nor the beginning of an SVM allocation";
        return Err(Error::InvalidHostPtr.because(reason));
    }
    Ok(())
}
