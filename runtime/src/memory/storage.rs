//! The bytes of a buffer: one allocation per device that uses it, and the host's view of them.
//!
//! Invariant: once something was written, at least one place holds the newest bytes
//! (`Residency::newest`); a device that uses a buffer elsewhere gets a copy first. OpenCL makes the application order
//! accesses of different devices by events, and the scheduler waits for another device's events
//! on the host, so the copy finds finished data.
//!
//! A buffer that nothing has written reads as zero, while its memory holds what another one left
//! there: the first use clears it, unless it overwrites everything.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::Buffer;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::gpu;
use crate::memory::host_ptr::{HostBlock, HostSlice};
use crate::object::Ref;

/// What a command does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It writes, perhaps a part, and may read.
    Write,
    /// It writes everything and reads nothing.
    Overwrite,
}

/// The bytes of a buffer (shared with its sub-buffers).
pub struct Storage {
    size: usize,
    devices: Vec<Ref<Device>>,
    /// CL_MEM_USE_HOST_PTR: the application's memory.
    use_host: Option<HostSlice>,
    /// Whether the only device's memory is the application's itself.
    imported: bool,
    /// Whether the host will often access it (CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR).
    host_cached: bool,
    /// Guards where the bytes are.
    residency: Mutex<Residency>,
}

#[derive(Default)]
struct Residency {
    /// The allocation of each device of the context.
    copies: Vec<Option<Buffer>>,
    /// Which of them hold the newest bytes.
    newest: Vec<bool>,
    /// Host memory for maps, where no pointer into a device's memory serves.
    shadow: Option<HostBlock>,
}

impl std::fmt::Debug for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Storage")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Storage {
    /// Allocates the bytes for the context's devices and stores the first contents, if there are
    /// any.
    pub fn new(
        devices: &[Ref<Device>],
        size: usize,
        contents: Option<HostSlice>,
        use_host: Option<HostSlice>,
        svm: Option<Buffer>,
        host_cached: bool,
    ) -> Result<Arc<Self>> {
        let import = match (devices, use_host, svm) {
            // Shared virtual memory is a buffer already.
            ([_], Some(_), Some(svm)) => Some(svm),
            ([device], Some(host), None) => device.gpu()?.import(host),
            _ => None,
        };
        let imported = import.is_some();
        let mut copies: Vec<Option<Buffer>> = devices.iter().map(|_| None).collect();
        copies[0] = import;
        let storage = Self {
            size,
            devices: devices.to_vec(),
            use_host,
            imported,
            host_cached,
            residency: Mutex::new(Residency {
                newest: vec![false; copies.len()],
                copies,
                shadow: None,
            }),
        };
        // The first device gets its memory now, so that the application learns of a failure from
        // clCreateBuffer; the others when they use it.
        match contents.or(use_host) {
            Some(contents) => {
                let memory = storage.on_device(0, Access::Overwrite)?;
                if !imported {
                    storage.devices[0].gpu()?.write(&memory, 0, contents)?;
                }
            }
            None => drop(storage.allocation(0)?),
        }
        Ok(Arc::new(storage))
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What a command does that writes `size` bytes from `offset` on and reads none.
    pub fn writing(&self, offset: usize, size: usize) -> Access {
        match offset == 0 && size == self.size {
            true => Access::Overwrite,
            false => Access::Write,
        }
    }

    /// The memory on a device of the context, whatever it holds.
    pub fn allocation(&self, index: usize) -> Result<Buffer> {
        self.allocate(&mut self.residency.lock(), index)
    }

    fn allocate(&self, residency: &mut Residency, index: usize) -> Result<Buffer> {
        match &residency.copies[index] {
            Some(memory) => Ok(memory.clone()),
            None => {
                let memory = self.devices[index]
                    .gpu()?
                    .allocate(self.size as u64, self.host_cached)
                    .map_err(|error| match error {
                        Error::OutOfHostMemory => error,
                        _ => Error::MemObjectAllocationFailure,
                    })?;
                residency.copies[index] = Some(memory.clone());
                Ok(memory)
            }
        }
    }

    /// The memory on a device of the context, holding the newest bytes.
    pub fn on_device(&self, index: usize, access: Access) -> Result<Buffer> {
        let mut guard = self.residency.lock();
        let residency = &mut *guard;
        let memory = self.allocate(residency, index)?;
        if !residency.newest[index] {
            let source = residency
                .newest
                .iter()
                .position(|newest| *newest)
                .and_then(|from| Some((from, residency.copies[from].clone()?)));
            if let Some((from, source)) = source {
                let (from, to) = (self.devices[from].gpu()?, self.devices[index].gpu()?);
                gpu::migrate(from, &source, to, &memory, self.size)?;
            } else if access != Access::Overwrite {
                self.devices[index].gpu()?.clear(&memory)?;
            }
            residency.newest[index] = true;
        }
        if access != Access::Read {
            for (other, newest) in residency.newest.iter_mut().enumerate() {
                *newest = other == index;
            }
        }
        Ok(memory)
    }

    /// Copies bytes from a device of the context to the host.
    pub fn read(&self, index: usize, offset: usize, into: HostSlice) -> Result<()> {
        let memory = self.on_device(index, Access::Read)?;
        self.devices[index]
            .gpu()?
            .read(&memory, offset as u64, into)
    }

    /// Copies bytes from the host to a device of the context.
    pub fn write(&self, index: usize, offset: usize, from: HostSlice) -> Result<()> {
        let memory = self.on_device(index, self.writing(offset, from.len()))?;
        self.devices[index]
            .gpu()?
            .write(&memory, offset as u64, from)
    }

    /// Where the host finds the bytes of a mapped range, and whether that is a copy that maps
    /// and unmaps must bring up to date.
    pub fn host_view(&self, index: usize) -> Result<(HostSlice, bool)> {
        if let Some(host) = self.use_host {
            return Ok((host, !self.imported));
        }
        if self.devices.len() == 1 {
            let memory = self.on_device(index, Access::Read)?;
            if let Some(mapped) = gpu::host_view(&memory) {
                return Ok((mapped, false));
            }
        }
        let mut residency = self.residency.lock();
        if residency.shadow.is_none() {
            residency.shadow = Some(HostBlock::new(self.size).ok_or(Error::MapFailure)?);
        }
        match residency.shadow.as_mut() {
            Some(shadow) => Ok((shadow.slice(), true)),
            None => Err(Error::MapFailure),
        }
    }
}
