//! The runtime's view of the Vulkan layer: errors as OpenCL errors, memory that can be read and
//! written wherever it lies, a stream of batches per queue.

use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pumice_vulkan_layer as vk;
use pumice_vulkan_layer::{Buffer, MemoryClass, Timestamp};

use crate::base::config;
use crate::base::error::{Error, Result};
use crate::base::exit::{self, Stage};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::log;
use crate::device::pipelines;
use crate::device::staging::Staging;

pub use vk::{Probes, Recorder, Timeline, Wait};

/// The most bytes of staging that one transfer uses at a time.
pub(crate) const STAGING: usize = 8 << 20;
/// Up to so many bytes of mapped memory the host clears itself.
const HOST_CLEARS: usize = 64 << 10;
/// The most bytes of a buffer whose maps show memory that the device copies to and from: all of it is allocated at once.
const MOST_IN_VIEW: usize = 256 << 20;
/// The time that an allocation waits for memory that commands use.
const PATIENCE: Duration = Duration::from_secs(1);
/// The number of times that a call which ran out of memory is repeated.
const ASK_AGAIN: usize = 8;

/// Turns an error of the Vulkan layer into the one that the API reports.
pub fn error(error: vk::Error) -> Error {
    log::warn!("{error}");
    let code = match error {
        vk::Error::OutOfHostMemory => Error::OutOfHostMemory,
        vk::Error::OutOfDeviceMemory | vk::Error::OverBudget { .. } => {
            Error::MemObjectAllocationFailure
        }
        _ => Error::OutOfResources,
    };
    code.because(error.to_string())
}

/// Asks again when a question about submitted work ran out of memory, which says nothing about the
/// work: it goes on, and ends well. The last answer stands.
fn retry_on_out_of_memory<T>(ask: impl Fn() -> vk::Result<T>) -> vk::Result<T> {
    for _ in 0..ASK_AGAIN {
        match ask() {
            Err(vk::Error::OutOfHostMemory | vk::Error::OutOfDeviceMemory) => {}
            answer => return answer,
        }
    }
    ask()
}

/// Tells whether what nothing has written reads as zero.
pub fn zero_memory() -> bool {
    static ZERO_MEMORY: OnceLock<bool> = OnceLock::new();
    *ZERO_MEMORY.get_or_init(|| config::ZERO_MEMORY.flag(true))
}

fn staging_only() -> bool {
    static STAGING_ONLY: OnceLock<bool> = OnceLock::new();
    *STAGING_ONLY.get_or_init(|| config::STAGING_ONLY.flag(false))
}

/// A buffer's memory, where the host can reach it and is meant to.
pub fn host_view(buffer: &Buffer) -> Option<HostSlice> {
    if staging_only() {
        return None;
    }
    HostSlice::of_buffer(buffer)
}

/// Blocks until a value that was submitted is reached, without polling.
///
/// # Errors
/// A lost device.
pub fn wait(wait: &Wait) -> Result<()> {
    let blocked = retry_on_out_of_memory(|| wait.timeline.block(wait.value, None));
    blocked.map(|_| ()).map_err(error)
}

/// Blocks until a value that was submitted is reached, and polls first: for threads that wait for nothing but a short copy.
///
/// # Errors
/// A lost device.
pub fn wait_for_copy(wait: &Wait) -> Result<()> {
    let waited = retry_on_out_of_memory(|| wait.timeline.wait(wait.value, None));
    waited.map(|_| ()).map_err(error)
}

/// An open device.
pub struct OpenDevice {
    raw: vk::LogicalDevice,
    /// Guards the queue for clears, and for transfers of images that are not mapped, once there is one.
    transfers: Mutex<Option<vk::Queue>>,
    /// Guards the queue for copies between the host and buffers that are not mapped, once there is one.
    copies: Mutex<Option<vk::Queue>>,
    staging: Arc<Staging>,
    /// Guards those who keep memory until commands have ended.
    keepers: Mutex<Vec<Weak<dyn Keeper>>>,
}

/// Somebody who keeps memory until commands have ended.
pub trait Keeper: Send + Sync {
    /// The indices of the device's queues that have commands of its.
    fn busy_queues(&self) -> Vec<u32>;

    /// Waits for the commands, but not beyond `end`, and frees what they used.
    fn let_go(self: Arc<Self>, end: Instant);
}

impl OpenDevice {
    /// Opens a device.
    ///
    /// # Errors
    /// The error of vkCreateDevice, as one of OpenCL.
    pub fn open(physical: &vk::PhysicalDevice) -> Result<Self> {
        let raw = physical.open().map_err(error)?;
        let driver = &raw.capabilities().driver;
        for quirk in vk::quirks::of(driver) {
            let (kind, name, info) = (quirk.kind, &driver.name, &driver.info);
            if kind.leaves_out() {
                // Wrong results are told of without being asked.
                let (reason, cure) = (quirk.reason, quirk.cure());
                log::error!("{name} {info} gives wrong results: {reason}; {cure}");
            } else {
                log::info!("{name} {info}: {kind:?}: {}", quirk.reason);
            }
        }
        exit::device_opened(vk::quirks::has(driver, vk::quirks::QuirkKind::ForkedExits));
        let known = pipelines::load(&raw);
        let opened = raw.clone();
        exit::at_end(Stage::Devices, move |ending| {
            // Batches have ended when their timelines say so; the driver's own threads may still be
            // tidying up after them, and would do so in the middle of its destructors.
            if ending.idle {
                opened.wait_idle();
                pipelines::store(&opened, known);
            }
        });
        Ok(Self {
            raw,
            transfers: Mutex::new(None),
            copies: Mutex::new(None),
            staging: Arc::default(),
            keepers: Mutex::default(),
        })
    }

    /// The Vulkan layer's device.
    pub fn raw(&self) -> &vk::LogicalDevice {
        &self.raw
    }

    /// The time of a timestamp of the device's.
    pub fn time(&self, timestamp: Timestamp) -> Time {
        let device = self.raw.clone();
        Time { device, timestamp }
    }

    /// The staging memory of transfers.
    pub fn staging(&self) -> &Arc<Staging> {
        &self.staging
    }

    /// The findings of the start-up probes.
    pub fn probes(&self) -> Probes {
        self.raw.probes().clone()
    }

    /// A stream for one command queue, on the device's queue with the index, or on any.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn create_stream(&self, index: Option<u32>) -> Result<Stream> {
        // A queue is no memory object, whatever ran out.
        let queue = self
            .raw
            .create_queue_at(index)
            .map_err(|failure| match error(failure) {
                Error::MemObjectAllocationFailure => Error::OutOfResources,
                other => other,
            })?;
        Ok(Stream {
            device: self.raw.clone(),
            queue,
        })
    }

    /// Allocates `size` bytes; `host_cached` for memory that the host reads often.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn allocate(&self, size: u64, host_cached: bool) -> Result<Buffer> {
        let class = if host_cached {
            MemoryClass::Readback
        } else if self.raw.capabilities().unified_memory {
            MemoryClass::HostVisibleDevice
        } else {
            MemoryClass::DeviceLocal
        };
        self.with_room(|| self.raw.create_buffer(size, class))
    }

    /// Allocates `size` bytes that the host has mapped and reads with caches, to and from which the device copies; `None` where
    /// there is no such memory, or not enough.
    pub fn allocate_view(&self, size: usize) -> Option<Buffer> {
        if size > MOST_IN_VIEW || !self.raw.has_cached_readback() {
            return None;
        }
        let make = || (self.raw).create_buffer(size as u64, MemoryClass::Readback);
        self.with_room(make).ok()
    }

    /// Allocates; where there is no memory, once more without what is kept for later.
    ///
    /// # Errors
    /// Those of `allocate`.
    pub(super) fn with_room<T>(&self, allocate: impl Fn() -> vk::Result<T>) -> Result<T> {
        use vk::Error::{OutOfDeviceMemory, OutOfHostMemory, OverBudget};
        let made = match allocate() {
            Err(OutOfDeviceMemory | OutOfHostMemory | OverBudget { .. }) => {
                self.staging.forget_idle();
                allocate()
            }
            made => made,
        };
        made.map_err(error)
    }

    /// Notes somebody who keeps memory until commands have ended.
    pub fn add_keeper(&self, keeper: Weak<dyn Keeper>) {
        let mut keepers = self.keepers.lock();
        keepers.retain(|keeper| keeper.strong_count() > 0);
        keepers.push(keeper);
    }

    /// The indices of the device's queues that have commands.
    pub fn busy_queues(&self) -> Vec<u32> {
        let keepers = self.living_keepers();
        let busy = keepers.iter().flat_map(|keeper| keeper.busy_queues());
        busy.collect()
    }

    fn living_keepers(&self) -> Vec<Arc<dyn Keeper>> {
        let keepers = self.keepers.lock();
        keepers.iter().filter_map(Weak::upgrade).collect()
    }

    /// Frees memory of objects that the application has released and commands were using. Waits for those commands,
    /// but no longer than a second. No lock of a queue or of contents may be held.
    pub fn make_room(&self) {
        let end = Instant::now() + PATIENCE;
        for keeper in self.living_keepers() {
            keeper.let_go(end);
        }
    }

    /// A buffer that is the application's memory itself, on devices that share the host's memory;
    /// `None` where a copy must do.
    pub fn import(&self, host: HostSlice) -> Option<Buffer> {
        if staging_only() || !self.raw.capabilities().unified_memory {
            return None;
        }
        host.import(&self.raw)
    }

    /// Makes new memory zero, unless that is not wanted. No command uses it yet.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn clear(&self, memory: &Buffer) -> Result<()> {
        if self.clear_by_host(memory) {
            return Ok(());
        }
        let end = self.submit_clear(|recorder| recorder.clear_buffer(memory).map_err(error))?;
        wait(&end)
    }

    /// Makes new memory zero where the device need not do it: it is zero, or the host is quicker, or nobody
    /// wants it. False where the device must. No command uses it yet.
    pub fn clear_by_host(&self, memory: &Buffer) -> bool {
        if !zero_memory() || memory.was_zero() {
            return true;
        }
        // Commands cost more than the host needs for a little; processors clear no faster than their
        // host.
        let by_host = |view: &HostSlice| view.len() <= HOST_CLEARS || self.is_processor();
        let view = host_view(memory).filter(by_host);
        if let Some(view) = view {
            view.fill(&[0]);
        }
        view.is_some()
    }

    /// Submits a clear to the transfer queue, whose later commands come behind it; gives its end.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn submit_clear(&self, record: impl FnOnce(&mut Recorder) -> Result<()>) -> Result<Wait> {
        let queue = self.transfers()?;
        let mut recorder = queue.recorder().map_err(error)?;
        record(&mut recorder)?;
        recorder.barrier();
        let value = queue.submit(recorder, &[]).map_err(error)?;
        let timeline = queue.timeline().clone();
        Ok(Wait { timeline, value })
    }

    fn is_processor(&self) -> bool {
        self.raw.capabilities().device_type == vk::caps::DeviceType::Cpu
    }

    /// Runs `job` with staging memory and the transfer queue.
    pub(crate) fn staged(
        &self,
        size: usize,
        class: MemoryClass,
        job: impl FnOnce(&Buffer, HostSlice, &vk::Queue) -> Result<()>,
    ) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        let staging = self.take_staging(class, size)?;
        let mapped = HostSlice::of_buffer(&staging).ok_or(Error::OutOfResources)?;
        let queue = self.transfers()?;
        let done = job(&staging, mapped, &queue);
        // The next transfer is to find the memory.
        queue.reclaim();
        done
    }

    /// Records, submits and waits, on the transfer queue.
    pub(crate) fn run(
        &self,
        record: impl FnOnce(&mut vk::Recorder) -> vk::Result<()>,
    ) -> Result<()> {
        run(&self.transfers()?, record)
    }

    /// The transfer queue.
    fn transfers(&self) -> Result<vk::Queue> {
        made_once(&self.transfers, || self.raw.create_queue())
    }

    /// The queue for copies between the host and buffers that are not mapped, and what its next submission must wait
    /// for to find what the transfer queue has cleared.
    pub(super) fn copies(&self) -> Result<(vk::Queue, Option<Wait>)> {
        let queue = made_once(&self.copies, || self.raw.create_transfer_queue())?;
        let cleared = self.transfers.lock().as_ref().map(|transfers| Wait {
            timeline: transfers.timeline().clone(),
            value: transfers.last_submitted(),
        });
        Ok((queue, cleared.filter(|wait| !wait.is_over())))
    }
}

/// A queue that is made when it is first asked for.
fn made_once(
    slot: &Mutex<Option<vk::Queue>>,
    make: impl FnOnce() -> vk::Result<vk::Queue>,
) -> Result<vk::Queue> {
    let mut slot = slot.lock();
    match slot.as_ref() {
        Some(queue) => Ok(queue.clone()),
        None => Ok(slot.insert(make().map_err(error)?).clone()),
    }
}

/// Records, submits and waits.
pub(super) fn run(
    queue: &vk::Queue,
    record: impl FnOnce(&mut vk::Recorder) -> vk::Result<()>,
) -> Result<()> {
    let run = || {
        let mut recorder = queue.recorder()?;
        record(&mut recorder)?;
        let value = queue.submit(recorder, &[])?;
        queue.wait(value, None)
    };
    run().map(|_| ()).map_err(error)
}

/// Copies everything from one device's memory to another's.
///
/// # Errors
/// Out of memory, or a lost device.
pub fn migrate(
    from_device: &OpenDevice,
    from: &Buffer,
    to_device: &OpenDevice,
    to: &Buffer,
    size: usize,
) -> Result<()> {
    if let Some(mapped) = host_view(from) {
        return to_device.write(to, 0, mapped.part(0, size));
    }
    if let Some(mapped) = host_view(to) {
        return from_device.read(from, 0, mapped.part(0, size));
    }
    let mut block = HostBlock::new(size).ok_or(Error::OutOfHostMemory)?;
    let slice = block.slice();
    from_device.read(from, 0, slice)?;
    to_device.write(to, 0, slice)
}

/// The start of a command on the device.
pub struct Start {
    /// The time from which something was done that is no part of the command, if there was something.
    pub untimed_from: Option<Timestamp>,
    /// The time from which on it runs.
    pub start: Timestamp,
}

/// The start and end of a command on the device.
#[derive(Clone)]
pub struct Times {
    device: vk::LogicalDevice,
    untimed_from: Option<Timestamp>,
    start: Timestamp,
    end: Timestamp,
}

impl Times {
    /// Start and end in nanoseconds of the host's clock, once the command has ended.
    pub fn read(&self) -> Option<(u64, u64)> {
        let start = host_time_of(&self.device, &self.start)?;
        let end = host_time_of(&self.device, &self.end)?;
        Some((start, end.max(start)))
    }

    /// The time from which something was done right before the start that is no part of the command, in nanoseconds of the host's clock.
    pub fn untimed_from(&self) -> Option<u64> {
        host_time_of(&self.device, self.untimed_from.as_ref()?)
    }
}

/// The time of one point of a command.
pub struct Time {
    device: vk::LogicalDevice,
    timestamp: Timestamp,
}

impl Time {
    /// The time in nanoseconds of the host's clock, once it has come.
    pub fn read(&self) -> Option<u64> {
        host_time_of(&self.device, &self.timestamp)
    }
}

fn host_time_of(device: &vk::LogicalDevice, timestamp: &Timestamp) -> Option<u64> {
    device.to_host_time(timestamp.device_ns().ok()?).ok()
}

/// The Vulkan queue and timeline of a command queue.
pub struct Stream {
    device: vk::LogicalDevice,
    queue: vk::Queue,
}

impl Stream {
    /// The index of the device's queue that it submits to.
    pub fn index(&self) -> u32 {
        self.queue.index()
    }

    /// Tells whether the device measures commands. Otherwise the host does, a batch for each.
    pub fn has_timestamps(&self) -> bool {
        self.device.capabilities().timestamp_bits > 0
    }

    /// Tells whether the device has a processor of its own, beside the host's.
    pub fn runs_beside(&self) -> bool {
        self.device.capabilities().device_type != vk::DeviceType::Cpu
    }

    /// Opens a batch; gives the timeline value that its submission will reach.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn begin(&self) -> Result<(Recorder, u64)> {
        let recorder = self.queue.recorder().map_err(error)?;
        Ok((recorder, self.queue.last_submitted() + 1))
    }

    /// Begins commands that are to be run more than once.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn reusable_recorder(&self) -> Result<Recorder> {
        self.queue.reusable_recorder().map_err(error)
    }

    /// Starts the clock of a command, at the end of the one before if that has a clock; `None`
    /// where the device has no timestamps.
    pub fn start_clock(
        &self,
        recorder: &mut Recorder,
        before: Option<&Times>,
    ) -> Option<Timestamp> {
        let before = before.map(|times| times.end.clone());
        before.or_else(|| recorder.write_timestamp().ok())
    }

    /// Stops it.
    pub fn stop_clock(&self, recorder: &mut Recorder, start: Start) -> Option<Times> {
        let end = recorder.write_timestamp().ok()?;
        Some(Times {
            device: self.device.clone(),
            untimed_from: start.untimed_from,
            start: start.start,
            end,
        })
    }

    /// A wait for a value of this stream's.
    pub fn at(&self, value: u64) -> Wait {
        Wait {
            timeline: self.queue.timeline().clone(),
            value,
        }
    }

    /// Submits a batch behind the given values of other timelines of the device.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn submit(&self, recorder: Recorder, waits: &[Wait]) -> Result<u64> {
        self.queue.submit(recorder, waits).map_err(error)
    }

    /// The timeline.
    pub fn timeline(&self) -> &Timeline {
        self.queue.timeline()
    }

    /// The value of the last batch submitted.
    pub fn last_submitted(&self) -> u64 {
        self.queue.last_submitted()
    }

    /// The highest value reached.
    ///
    /// # Errors
    /// A lost device.
    pub fn reached(&self) -> Result<u64> {
        let timeline = self.queue.timeline();
        retry_on_out_of_memory(|| timeline.completed()).map_err(error)
    }

    /// Blocks until a submitted value is reached, without polling: who wants to poll has done so.
    ///
    /// # Errors
    /// A lost device.
    pub fn wait(&self, value: u64) -> Result<()> {
        wait(&self.at(value))
    }

    /// Blocks until all that was submitted has ended; false if it has not at `end`.
    pub fn wait_until(&self, end: Instant) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        let last = self.last_submitted();
        self.timeline().block(last, Some(left)).unwrap_or(false)
    }

    /// Lets go of what finished batches kept alive.
    pub fn reclaim(&self) {
        self.queue.reclaim();
    }
}
