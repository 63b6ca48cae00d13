//! Keeps the copies of a memory object's contents: one per device of the context that uses it.
//!
//! Invariant: once something was written, at least one copy holds the newest contents
//! (`State::newest`); a device that uses them elsewhere gets a copy first. OpenCL makes the application
//! order accesses of different devices by events, and the scheduler waits for another device's events on
//! the host, so the copy finds finished data.
//!
//! Contents that nothing has written read as zero, while their memory holds what another object left
//! there: the first use clears it, unless it overwrites everything.

use parking_lot::Mutex;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::object::Ref;
use crate::device::Device;
use crate::device::gpu;

/// The use that a command makes of contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It writes, perhaps a part, and may read.
    Write,
    /// It writes everything and reads nothing.
    Overwrite,
}

impl Access {
    /// The access of a command that does first this and then `later`.
    pub fn then(self, later: Access) -> Access {
        match (self, later) {
            (Access::Overwrite, _) => Access::Overwrite,
            (Access::Read, Access::Read) => Access::Read,
            _ => Access::Write,
        }
    }

    /// The access of a write that covers the contents as a `whole`, or a part of them.
    pub fn writing(whole: bool) -> Self {
        match whole {
            true => Access::Overwrite,
            false => Access::Write,
        }
    }
}

/// Contents of a memory object, shared with its sub-buffers and views.
pub trait Contents: Send + Sync {
    /// Makes a device of the context hold the newest, unless they are about to be overwritten.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
    fn bring(&self, index: usize, access: Access) -> Result<()>;
}

/// A kind of device memory: buffers or images.
pub trait Backing {
    /// A handle of one copy.
    type Memory: Clone;

    /// Makes a copy on a device, its contents undefined.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    fn allocate(&self, gpu: &gpu::OpenDevice) -> Result<Self::Memory>;

    /// Fills a new copy with zeros.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    fn clear(&self, gpu: &gpu::OpenDevice, memory: &Self::Memory) -> Result<()>;

    /// Copies all contents from one device's copy to another's.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    fn migrate(
        &self,
        from: (&gpu::OpenDevice, &Self::Memory),
        to: (&gpu::OpenDevice, &Self::Memory),
    ) -> Result<()>;

    /// Bytes of the host's view.
    fn host_size(&self) -> usize;
}

/// The copies of contents.
pub struct Residency<B: Backing> {
    backing: B,
    devices: Vec<Ref<Device>>,
    /// Guards the copies and which of them are the newest.
    state: Mutex<State<B::Memory>>,
}

struct State<M> {
    /// The copy of each device of the context.
    copies: Vec<Option<M>>,
    /// Marks the copies that hold the newest contents.
    newest: Vec<bool>,
    /// Host memory for maps, where no pointer into a device's memory serves.
    shadow: Option<HostBlock>,
}

impl<B: Backing> Residency<B> {
    /// Nothing written yet. `first` is memory that a device has already, by the device's place.
    pub fn new(devices: &[Ref<Device>], backing: B, first: Option<(usize, B::Memory)>) -> Self {
        let mut copies: Vec<Option<B::Memory>> = devices.iter().map(|_| None).collect();
        if let Some((index, memory)) = first {
            copies[index] = Some(memory);
        }
        Self {
            backing,
            devices: devices.to_vec(),
            state: Mutex::new(State {
                newest: vec![false; copies.len()],
                copies,
                shadow: None,
            }),
        }
    }

    /// Its kind of memory, with sizes.
    pub fn backing(&self) -> &B {
        &self.backing
    }

    /// The devices of the context.
    pub fn devices(&self) -> &[Ref<Device>] {
        &self.devices
    }

    /// A device of the context, open.
    ///
    /// # Errors
    /// The device cannot be opened.
    pub fn gpu(&self, index: usize) -> Result<&gpu::OpenDevice> {
        self.devices[index].gpu()
    }

    /// The copy of a device, with undefined contents if the device has none yet.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn allocation(&self, index: usize) -> Result<B::Memory> {
        self.allocate(&mut self.state.lock(), index)
    }

    fn allocate(&self, state: &mut State<B::Memory>, index: usize) -> Result<B::Memory> {
        if let Some(memory) = &state.copies[index] {
            return Ok(memory.clone());
        }
        let made = self.backing.allocate(self.gpu(index)?);
        let memory = made.map_err(|error| match error {
            Error::OutOfHostMemory => error,
            _ => Error::MemObjectAllocationFailure,
        })?;
        state.copies[index] = Some(memory.clone());
        Ok(memory)
    }

    /// The copy of a device, holding the newest contents unless they are about to be overwritten.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn on_device(&self, index: usize, access: Access) -> Result<B::Memory> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let memory = self.allocate(state, index)?;
        if !state.newest[index] {
            let newest = state.newest.iter().position(|newest| *newest);
            let source = newest.and_then(|from| Some((from, state.copies[from].clone()?)));
            if let Some((from, source)) = source {
                let from = (self.gpu(from)?, &source);
                self.backing.migrate(from, (self.gpu(index)?, &memory))?;
            } else if access != Access::Overwrite {
                self.backing.clear(self.gpu(index)?, &memory)?;
            }
            state.newest[index] = true;
        }
        if access != Access::Read {
            for (other, newest) in state.newest.iter_mut().enumerate() {
                *newest = other == index;
            }
        }
        Ok(memory)
    }

    /// A device whose copy holds the newest contents, and that copy; `None` if there is none, or if another thread is
    /// at it. Never waits, so it may be asked under the lock of other contents.
    pub fn newest(&self) -> Option<(usize, B::Memory)> {
        let state = self.state.try_lock()?;
        let index = state.newest.iter().position(|newest| *newest)?;
        Some((index, state.copies[index].clone()?))
    }

    /// Host memory of the size of the host's view, the same at every call.
    ///
    /// # Errors
    /// CL_MAP_FAILURE if there is not enough.
    pub fn shadow(&self) -> Result<HostSlice> {
        let mut state = self.state.lock();
        let shadow = match state.shadow.take() {
            Some(shadow) => shadow,
            None => HostBlock::new(self.backing.host_size()).ok_or(Error::MapFailure)?,
        };
        Ok(state.shadow.insert(shadow).slice())
    }
}
