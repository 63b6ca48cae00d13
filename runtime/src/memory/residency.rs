//! Keeps the copies of a memory object's contents: one per device of the context that uses it.
//!
//! Invariant: once something was written, at least one copy holds the newest contents
//! (`State::newest`); a device that uses them elsewhere gets a copy first. OpenCL makes the application
//! order accesses of different devices by events, and the scheduler waits for another device's events on
//! the host, so the copy finds finished data. Only parts that do not meet may be used by several devices without order, as
//! sub-buffers: a copy waits for the command that last wrote any part ([`Writer`]).
//!
//! Contents that nothing has written read as zero, while their memory holds what another object left
//! there: the first use clears it, unless it overwrites everything. An image also gets its layout then. A
//! command of the device's has the clear recorded before it ([`Contents::find`], [`Contents::clear`]); the
//! host has it done ([`Contents::bring`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use pumice_vulkan_layer::Recorder;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::object::Ref;
use crate::device::Device;
use crate::device::gpu;
use crate::memory::clearing::Clearing;

/// See [`changes`].
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// The number of changes so far, of all contents, that a command would notice which finds the same contents again. A
/// command that has found contents without a wait or a clear need not look for them again until there is another one.
pub fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// Notes a change. To be called with the contents locked.
fn changed() {
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

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
    /// Makes a device of the context hold the newest, unless they are about to be overwritten, for the
    /// host, for the transfer queue and for commands that are made afterwards.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
    fn bring(&self, index: usize, access: Access) -> Result<()>;

    /// Waits until a clear that was submitted for them has ended: then they are there for every queue. No lock of a queue may
    /// be held.
    ///
    /// # Errors
    /// A lost device.
    fn finish_clear(&self) -> Result<()>;

    /// Like [`Contents::bring`], for a command that is about to be recorded for the queue of that timeline.
    /// No lock of a queue may be held.
    ///
    /// # Errors
    /// As there.
    fn find(&self, index: usize, access: Access, recording: &Recording<'_>) -> Result<Found>;

    /// Records the clear of contents that were found unwritten by a command of that access; it is part of
    /// `clearing`. A barrier must follow.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    fn clear(
        &self,
        index: usize,
        access: Access,
        recorder: &mut Recorder,
        clearing: &Clearing,
    ) -> Result<Cleared>;

    /// The number of uses so far that wrote: a command counts when it is about to be recorded or begins on the host.
    fn writes(&self) -> u64;
}

/// A command that is about to be recorded.
pub struct Recording<'a> {
    /// The timeline of its queue.
    pub queue: &'a gpu::Timeline,
    /// The command, where another device of the context may want what it writes.
    pub writer: Option<&'a Arc<dyn Writer>>,
}

/// A command that writes contents.
pub trait Writer: Send + Sync {
    /// Submits it, and waits until the device has done it. No lock of contents may be held.
    fn finish(&self);
}

/// Contents as a command finds them that is about to be recorded.
pub enum Found {
    /// They are there, once the wait is over.
    There(Option<gpu::Wait>),
    /// Nothing has written them: the command must be recorded behind their clear.
    Unwritten,
}

/// The outcome of an attempt to record a clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleared {
    /// It is recorded now.
    Now,
    /// The same queue has recorded it already.
    Before,
    /// Something else has happened to the contents: they must be looked for again.
    Elsewhere,
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

    /// Makes a new copy ready for `access`, and zero unless that overwrites everything, where the device need not do it; false
    /// where it must.
    fn clear_by_host(&self, gpu: &gpu::OpenDevice, memory: &Self::Memory, access: Access) -> bool;

    /// Records that a new copy is made ready and filled with zeros, unless `access` overwrites everything or nobody wants that.
    ///
    /// # Errors
    /// Memory of another device.
    fn record_clear(
        &self,
        recorder: &mut Recorder,
        memory: &Self::Memory,
        access: Access,
    ) -> Result<()>;

    /// Tells whether the host reaches a copy without commands of the device.
    fn is_mapped(&self, memory: &Self::Memory) -> bool;

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

/// Contents whose copies a [`Residency`] keeps.
pub(super) trait Resident: Send + Sync {
    /// The kind of their memory.
    type Backing: Backing;

    /// Their copies.
    fn residency(&self) -> &Residency<Self::Backing>;

    /// Learns of a use that the contents' own methods do not see.
    fn is_used(&self, access: Access);
}

impl<R: Resident> Contents for R {
    fn bring(&self, index: usize, access: Access) -> Result<()> {
        self.is_used(access);
        self.residency().on_device(index, access).map(drop)
    }

    fn finish_clear(&self) -> Result<()> {
        let pending = self.residency().state.lock().pending(None);
        pending.map_or(Ok(()), |clearing| clearing.finish())
    }

    fn find(&self, index: usize, access: Access, recording: &Recording<'_>) -> Result<Found> {
        self.is_used(access);
        self.residency().find(index, access, recording)
    }

    fn clear(
        &self,
        index: usize,
        access: Access,
        recorder: &mut Recorder,
        clearing: &Clearing,
    ) -> Result<Cleared> {
        self.residency().clear(index, access, recorder, clearing)
    }

    fn writes(&self) -> u64 {
        let state = self.residency().state.lock();
        // Who asks is told of later ones: repeated commands are counted again.
        changed();
        state.writes
    }
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
    /// [`Contents::writes`].
    writes: u64,
    /// The command that was the last to write each device's copy, until somebody has waited for it.
    writers: Vec<Option<Arc<dyn Writer>>>,
    /// The clear of what nothing had written, until it is known to have ended.
    clearing: Option<Clearing>,
    /// Host memory for maps, where no pointer into a device's memory serves.
    shadow: Option<HostBlock>,
}

impl<M> State<M> {
    /// The clear that whoever is not on the queue of `own` must wait for. A failed one leaves the contents
    /// unwritten: what was recorded behind it has failed too.
    fn pending(&mut self, own: Option<&gpu::Timeline>) -> Option<Clearing> {
        let clearing = self.clearing.as_ref()?;
        if clearing.has_failed() {
            self.newest.fill(false);
            self.clearing = None;
            changed();
            return None;
        }
        if own.is_some_and(|own| clearing.is_on(own)) {
            return None;
        }
        if clearing.is_over() {
            self.clearing = None;
        }
        self.clearing.clone()
    }

    /// The command to wait for before a device gets a copy of the newest contents. None that has been waited for when there
    /// were as many writes as in `finished`.
    fn writer_before(&self, index: usize, finished: Option<u64>) -> Option<Arc<dyn Writer>> {
        if self.newest[index] || finished == Some(self.writes) {
            return None;
        }
        let from = self.newest.iter().position(|newest| *newest)?;
        self.writers[from].clone()
    }

    /// Notes a use of a copy that holds the newest contents, or gets them by it.
    fn used(&mut self, index: usize, access: Access) {
        let reads = access == Access::Read;
        self.writes += u64::from(!reads);
        for (other, newest) in self.newest.iter_mut().enumerate() {
            let now = other == index || reads && *newest;
            if *newest != now {
                *newest = now;
                changed();
            }
        }
    }
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
                writers: vec![None; copies.len()],
                copies,
                writes: 0,
                clearing: None,
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

    /// Allocates the copy of the first device, for a call that makes the object: no lock is held there, so that
    /// memory which commands keep can be waited for.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, or a lost device.
    pub fn allocate_first(&self) -> Result<()> {
        match self.allocation(0) {
            Err(Error::MemObjectAllocationFailure | Error::OutOfHostMemory) => {
                self.gpu(0)?.make_room();
                self.allocation(0).map(drop)
            }
            allocated => allocated.map(drop),
        }
    }

    /// The copy of a device, if it has one.
    pub fn present(&self, index: usize) -> Option<B::Memory> {
        self.state.lock().copies.get(index).cloned().flatten()
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

    /// Locks the copies once a device can get the newest contents: the command that wrote them has ended, if it was another
    /// device's.
    fn lock_to_use(&self, index: usize) -> MutexGuard<'_, State<B::Memory>> {
        let mut finished = None;
        loop {
            let state = self.state.lock();
            let Some(writer) = state.writer_before(index, finished) else {
                return state;
            };
            finished = Some(state.writes);
            drop(state);
            writer.finish();
        }
    }

    /// The copy of a device, holding the newest contents unless they are about to be overwritten. Where
    /// the host cannot reach the copy, they are there for the next commands of the transfer queue.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn on_device(&self, index: usize, access: Access) -> Result<B::Memory> {
        loop {
            let mut guard = self.lock_to_use(index);
            let state = &mut *guard;
            if let Some(clearing) = state.pending(None) {
                drop(guard);
                clearing.finish()?;
                continue;
            }
            let memory = self.allocate(state, index)?;
            if !self.gather(state, index, access)? {
                let gpu = self.gpu(index)?;
                let end = gpu.submit_clear(|recorder| {
                    self.backing.record_clear(recorder, &memory, access)
                })?;
                match self.backing.is_mapped(&memory) {
                    true => gpu::wait(&end)?,
                    false => state.clearing = Some(Clearing::submitted(end)),
                }
            }
            state.used(index, access);
            return Ok(memory);
        }
    }

    /// Makes a device's copy hold the newest contents, unless they are about to be overwritten. False if
    /// the device must clear it or make it ready, since nothing was written yet.
    fn gather(&self, state: &mut State<B::Memory>, index: usize, access: Access) -> Result<bool> {
        if state.newest[index] {
            return Ok(true);
        }
        let memory = self.allocate(state, index)?;
        let newest = state.newest.iter().position(|newest| *newest);
        let source = newest.and_then(|from| Some((from, state.copies[from].clone()?)));
        let gpu = self.gpu(index)?;
        if let Some((from, source)) = source {
            let from = (self.gpu(from)?, &source);
            self.backing.migrate(from, (gpu, &memory))?;
            state.writers.fill(None);
            return Ok(true);
        }
        Ok(self.backing.clear_by_host(gpu, &memory, access))
    }

    /// [`Contents::find`].
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn find(&self, index: usize, access: Access, recording: &Recording<'_>) -> Result<Found> {
        loop {
            let mut guard = self.lock_to_use(index);
            let state = &mut *guard;
            let mut wait = None;
            if let Some(clearing) = state.pending(Some(recording.queue)) {
                // Other devices get a copy from the host.
                if !state.newest[index] {
                    drop(guard);
                    clearing.finish()?;
                    continue;
                }
                let Some(end) = clearing.end() else {
                    drop(guard);
                    clearing.submit()?;
                    continue;
                };
                wait = Some(end.clone());
            } else if !self.gather(state, index, access)? {
                return Ok(Found::Unwritten);
            }
            state.used(index, access);
            if let (Some(writer), Access::Write | Access::Overwrite) = (recording.writer, access) {
                state.writers[index] = Some(writer.clone());
            }
            return Ok(Found::There(wait));
        }
    }

    /// [`Contents::clear`].
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn clear(
        &self,
        index: usize,
        access: Access,
        recorder: &mut Recorder,
        clearing: &Clearing,
    ) -> Result<Cleared> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let beside = (state.clearing.as_ref()).is_some_and(|other| other.is_beside(clearing));
        let outcome = match (beside && state.newest[index], state.newest.contains(&true)) {
            (true, _) => Cleared::Before,
            (false, true) => return Ok(Cleared::Elsewhere),
            (false, false) => {
                let memory = self.allocate(state, index)?;
                self.backing.record_clear(recorder, &memory, access)?;
                state.clearing = Some(clearing.clone());
                Cleared::Now
            }
        };
        state.used(index, access);
        Ok(outcome)
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
