//! Queues and their timelines.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::vk;
use parking_lot::Mutex;

use crate::commands::recorder::{Kept, Recorder};
use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::objects::query::TimestampPools;

/// A queue with one timeline: each submission has a value, and values are reached in order.
/// Cheap to clone. Several queues may share one VkQueue where the device has few.
#[derive(Clone)]
pub struct Queue(pub(crate) Arc<QueueShared>);

/// The order of a queue's submissions: the values reached so far. Cheap to clone.
#[derive(Clone)]
pub struct Timeline(Arc<TimelineInner>);

struct TimelineInner {
    device: Arc<DeviceShared>,
    semaphore: vk::Semaphore,
    /// The last value submitted.
    last: AtomicU64,
    /// The highest value that the driver has told of. A counter that lags behind its waits does not take
    /// it back.
    reached: AtomicU64,
}

pub(crate) struct QueueShared {
    timeline: Timeline,
    pub timestamps: Arc<TimestampPools>,
    /// Index into the device's VkQueues.
    index: usize,
    /// Guards the order of submissions and the command buffers that can be reused.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last value submitted.
    last: u64,
    in_flight: VecDeque<InFlight>,
    free: Vec<Commands>,
}

struct InFlight {
    value: u64,
    commands: Commands,
    kept: Vec<Kept>,
}

/// A command buffer with a pool of its own, so that recorders need no common lock.
pub(crate) struct Commands {
    pool: vk::CommandPool,
    pub buffer: vk::CommandBuffer,
}

impl Wait {
    /// Returns whether it waits for the same.
    pub fn same(&self, other: &Self) -> bool {
        self.timeline.same(&other.timeline) && self.value == other.value
    }

    /// Returns whether the value is known to be reached.
    pub fn is_over(&self) -> bool {
        self.timeline.completed().is_ok_and(|at| at >= self.value)
    }
}

impl Commands {
    /// A new command buffer in a new pool.
    pub fn allocate(device: &DeviceShared, level: vk::CommandBufferLevel) -> Result<Self> {
        let flags = match level {
            vk::CommandBufferLevel::PRIMARY => vk::CommandPoolCreateFlags::TRANSIENT,
            _ => vk::CommandPoolCreateFlags::empty(),
        };
        let info = vk::CommandPoolCreateInfo::default()
            .flags(flags)
            .queue_family_index(device.family);
        fault::check("vkCreateCommandPool")?;
        // SAFETY: the family is the one that the device's queues are of.
        let pool = unsafe { device.raw.create_command_pool(&info, None) };
        let pool = pool.call("vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is fresh and owned here alone.
        match unsafe { device.raw.allocate_command_buffers(&info) } {
            Ok(buffers) => Ok(Commands {
                pool,
                buffer: buffers[0],
            }),
            Err(result) => {
                // SAFETY: the pool has no command buffer.
                unsafe { device.raw.destroy_command_pool(pool, None) };
                Err(Error::from_vk("vkAllocateCommandBuffers", result))
            }
        }
    }

    /// # Safety
    /// The device does not use the command buffer, and `raw` is what it was made from.
    pub unsafe fn destroy(&self, raw: &ash::Device) {
        // SAFETY: the caller's promise; the pool is this command buffer's alone.
        unsafe { raw.destroy_command_pool(self.pool, None) };
    }
}

/// A submission waits until the timeline reaches the value. The value must have been submitted.
#[derive(Clone)]
pub struct Wait {
    /// Timeline to wait for.
    pub timeline: Timeline,
    /// The value.
    pub value: u64,
}

/// Time for which a wait polls before it blocks: longer than a short kernel takes, shorter than a
/// scheduler's time slice.
const SPIN: Duration = Duration::from_micros(30);

/// Time for which a wait blocks at once on a device that takes one call at a time.
const TURN: Duration = Duration::from_micros(100);

impl LogicalDevice {
    /// Makes a queue, on the next of the device's VkQueues.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_queue(&self) -> Result<Queue> {
        self.create_queue_at(None)
    }

    /// A queue on the Vulkan queue of an index below [`Capabilities::opened_queues`](crate::Capabilities::opened_queues), or on any.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_queue_at(&self, index: Option<u32>) -> Result<Queue> {
        let idle = self.shared.timelines.idle.lock().pop();
        let semaphore = match idle {
            Some(semaphore) => semaphore,
            None => self.create_timeline()?,
        };
        let timeline = Timeline(Arc::new(TimelineInner {
            device: Arc::clone(&self.shared),
            semaphore,
            last: AtomicU64::new(0),
            reached: AtomicU64::new(0),
        }));
        let last = timeline.completed()?;
        timeline.0.last.store(last, Ordering::Release);
        Ok(Queue(Arc::new(QueueShared {
            timeline,
            timestamps: TimestampPools::new(&self.shared),
            index: match index {
                Some(index) => index as usize % self.shared.queues.len(),
                None => self.shared.pick_queue(),
            },
            state: Mutex::new(State {
                last,
                ..State::default()
            }),
        })))
    }

    fn create_timeline(&self) -> Result<vk::Semaphore> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(0);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        fault::check("vkCreateSemaphore")?;
        // SAFETY: `info` lives through the call; timelineSemaphore is in the floor.
        let semaphore = unsafe { self.shared.raw.create_semaphore(&info, None) };
        semaphore.call("vkCreateSemaphore")
    }
}

impl Queue {
    /// The index of the Vulkan queue.
    pub fn index(&self) -> u32 {
        self.0.index as u32
    }

    /// Begins a recording. Any number may be open at once, on any thread.
    ///
    /// # Errors
    /// Out of memory.
    pub fn recorder(&self) -> Result<Recorder> {
        let commands = self.0.commands()?;
        Recorder::begin(&self.0, commands, vk::CommandBufferLevel::PRIMARY)
    }

    /// Submits a recording of this queue; it runs after what was submitted before has begun, and
    /// after every wait. Gives the value that the timeline reaches when it is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory, a recording of another queue.
    pub fn submit(&self, recorder: Recorder, waits: &[Wait]) -> Result<u64> {
        self.0.submit(recorder, waits)
    }

    /// The queue's timeline.
    pub fn timeline(&self) -> &Timeline {
        &self.0.timeline
    }

    /// The value of the last submission; before the first, the value that the timeline starts at.
    pub fn last_submitted(&self) -> u64 {
        self.0.state.lock().last
    }

    /// Waits until the timeline reaches a value, see [`Timeline::wait`].
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn wait(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        self.0.timeline.wait(value, timeout)
    }

    /// Lets go of what submissions kept that are known to be finished. Submitting does so too.
    pub fn reclaim(&self) {
        let mut state = self.0.state.lock();
        let kept = self.0.collect(&mut state, self.0.timeline.known());
        drop(state);
        drop(kept);
    }

    /// Returns whether both handles refer to the same queue.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Timeline {
    /// Returns whether both handles refer to the same timeline.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The highest value reached.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn completed(&self) -> Result<u64> {
        fault::check("vkGetSemaphoreCounterValue")?;
        self.poll()
    }

    /// The highest value that is known to be reached, without asking the driver.
    fn known(&self) -> u64 {
        self.0.reached.load(Ordering::Acquire)
    }

    fn poll(&self) -> Result<u64> {
        let value = self.0.counter().call("vkGetSemaphoreCounterValue")?;
        // A lost device may report any value.
        if value == u64::MAX {
            Err(Error::DeviceLost)
        } else {
            let before = self.0.reached.fetch_max(value, Ordering::AcqRel);
            Ok(value.max(before))
        }
    }

    /// Waits until the timeline reaches a value; false when the time ran out first, which with
    /// `None` it never does. Polls for some tens of microseconds, then blocks.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn wait(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        let start = Instant::now();
        let spin = timeout.map_or(SPIN, |timeout| timeout.min(SPIN));
        // A wait is one call to a plan of faults, however long it takes.
        let mut reached = self.completed()?;
        loop {
            if reached >= value {
                return Ok(true);
            }
            if start.elapsed() >= spin {
                break;
            }
            std::hint::spin_loop();
            reached = self.poll()?;
        }
        self.block(
            value,
            timeout.map(|timeout| timeout.saturating_sub(start.elapsed())),
        )
    }

    /// Like [`Timeline::wait`], without polling first: for threads that others do not wait for.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn block(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        fault::check("vkWaitSemaphores")?;
        if !self.0.device.turnstile.is_narrow() {
            return self.block_once(value, timeout);
        }
        let start = Instant::now();
        loop {
            let left = timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
            let turn = left.map_or(TURN, |left| left.min(TURN));
            if self.block_once(value, Some(turn))? {
                return Ok(true);
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
            // Whoever waits at the turnstile goes first.
            std::thread::sleep(TURN);
        }
    }

    fn block_once(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        let timeout = timeout.map_or(u64::MAX, |timeout| {
            u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)
        });
        let semaphores = [self.0.semaphore];
        let values = [value];
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        let _turn = self.0.device.turnstile.enter();
        // SAFETY: the semaphore is alive and of the timeline kind.
        match unsafe { self.0.device.raw.wait_semaphores(&info, timeout) } {
            Ok(()) => {
                self.0.reached.fetch_max(value, Ordering::AcqRel);
                Ok(true)
            }
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(Error::from_vk("vkWaitSemaphores", result)),
        }
    }
}

impl QueueShared {
    pub fn device(&self) -> &Arc<DeviceShared> {
        &self.timeline.0.device
    }

    fn commands(&self) -> Result<Commands> {
        // The driver is asked only where nothing that is known to be done frees a command buffer.
        let free = match self.reuse(self.timeline.known()) {
            Some(free) => Some(free),
            None => self.reuse(self.timeline.completed()?),
        };
        match free {
            Some(free) => Ok(free),
            None => Commands::allocate(self.device(), vk::CommandBufferLevel::PRIMARY),
        }
    }

    /// A command buffer that nothing uses once the timeline has reached `done`.
    fn reuse(&self, done: u64) -> Option<Commands> {
        let mut state = self.state.lock();
        let kept = self.collect(&mut state, done);
        let free = state.free.pop();
        drop(state);
        drop(kept);
        free
    }

    /// Takes back commands that the device does not use.
    pub fn recycle(&self, commands: Commands) {
        let raw = &self.device().raw;
        let none = vk::CommandPoolResetFlags::empty();
        // SAFETY: nothing else has the pool, and its command buffer is not pending.
        let reset = unsafe { raw.reset_command_pool(commands.pool, none) };
        if reset.is_ok() {
            self.state.lock().free.push(commands);
        } else {
            // SAFETY: as above.
            unsafe { raw.destroy_command_pool(commands.pool, None) };
        }
    }

    /// Moves the commands of finished submissions to the free list and gives what they kept, to
    /// be dropped without the lock.
    fn collect(&self, state: &mut State, done: u64) -> Vec<Vec<Kept>> {
        let mut kept = Vec::new();
        while state
            .in_flight
            .front()
            .is_some_and(|front| front.value <= done)
        {
            let Some(finished) = state.in_flight.pop_front() else {
                break;
            };
            let raw = &self.device().raw;
            let none = vk::CommandPoolResetFlags::empty();
            // SAFETY: the submission is done, so its command buffer is not pending.
            match unsafe { raw.reset_command_pool(finished.commands.pool, none) } {
                Ok(()) => state.free.push(finished.commands),
                // SAFETY: as above.
                Err(_) => unsafe { raw.destroy_command_pool(finished.commands.pool, None) },
            }
            kept.push(finished.kept);
        }
        kept
    }

    fn submit(self: &Arc<Self>, mut recorder: Recorder, waits: &[Wait]) -> Result<u64> {
        if !Arc::ptr_eq(&recorder.queue, self) {
            return Err(Error::InvalidUse("a recording of another queue".into()));
        }
        let of_device = |wait: &Wait| Arc::ptr_eq(&wait.timeline.0.device, self.device());
        if !waits.iter().all(of_device) {
            return Err(Error::InvalidUse("a timeline of another device".into()));
        }
        let command_buffers = [recorder.finish()?];
        // Binary semaphores have a value that is ignored.
        let [awaited, signaled] = &recorder.semaphores;
        let mut semaphores: Vec<_> = waits.iter().map(|wait| wait.timeline.0.semaphore).collect();
        let mut values: Vec<_> = waits.iter().map(|wait| wait.value).collect();
        semaphores.extend(awaited.iter().map(|semaphore| semaphore.raw()));
        values.resize(semaphores.len(), 0);
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; semaphores.len()];
        let mut state = self.state.lock();
        let value = state.last + 1;
        // Once the timeline has its value, what the submission kept may be destroyed. A batch's signals have no
        // order, but a later batch's come after them (Vulkan, "Signal Operation Order"): so others' semaphores are
        // signalled by a batch before the timeline's.
        let signals: Vec<_> = signaled.iter().map(|semaphore| semaphore.raw()).collect();
        let (ours, own) = (vec![0; signals.len()], [self.timeline.0.semaphore]);
        let mut of_work = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
        let own_value = [value];
        let mut of_end = vk::TimelineSemaphoreSubmitInfo::default();
        let mut work = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&command_buffers);
        let infos = match signals.is_empty() {
            true => {
                of_work = of_work.signal_semaphore_values(&own_value);
                work = work.signal_semaphores(&own);
                vec![work.push_next(&mut of_work)]
            }
            false => {
                of_work = of_work.signal_semaphore_values(&ours);
                work = work.signal_semaphores(&signals);
                of_end = of_end.signal_semaphore_values(&own_value);
                let end = vk::SubmitInfo::default().signal_semaphores(&own);
                vec![work.push_next(&mut of_work), end.push_next(&mut of_end)]
            }
        };
        fault::check("vkQueueSubmit")?;
        let queue = self.device().queues[self.index].lock();
        // A loss that another thread met waits for this lock before it takes the device for idle.
        if fault::lost() {
            return Err(Error::DeviceLost);
        }
        let turn = self.device().turnstile.enter();
        // SAFETY: the command buffer is complete and owned by the recorder, everything that it
        // uses is kept, and both the VkQueue and this timeline's order are locked.
        let submitted = unsafe {
            self.device()
                .raw
                .queue_submit(*queue, &infos, vk::Fence::null())
        };
        drop(turn);
        drop(queue);
        submitted.call("vkQueueSubmit")?;
        state.last = value;
        self.timeline.0.last.store(value, Ordering::Release);
        if let Some(commands) = recorder.commands.take() {
            let mut kept = std::mem::take(&mut recorder.kept);
            // The semaphores that it waits for must outlive the submission.
            for wait in waits {
                kept.push(Kept::Own(Box::new(wait.timeline.clone())));
            }
            state.in_flight.push_back(InFlight {
                value,
                commands,
                kept,
            });
        }
        Ok(value)
    }
}

impl Drop for QueueShared {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        // A lost device has nothing pending. A wait that fails for want of memory says nothing, so
        // the VkQueue's own end is waited for then.
        if matches!(self.timeline.wait(state.last, None), Err(error) if error != Error::DeviceLost)
        {
            let queue = self.timeline.0.device.queues[self.index].lock();
            // SAFETY: the queue belongs to the device and is locked.
            let _ = unsafe { self.timeline.0.device.raw.queue_wait_idle(*queue) };
        }
        for commands in state
            .in_flight
            .drain(..)
            .map(|entry| entry.commands)
            .chain(state.free.drain(..))
        {
            // SAFETY: the queue's last submission is done, so no command buffer is pending.
            unsafe {
                self.timeline
                    .0
                    .device
                    .raw
                    .destroy_command_pool(commands.pool, None)
            };
        }
    }
}

impl TimelineInner {
    fn counter(&self) -> ash::prelude::VkResult<u64> {
        let _turn = self.device.turnstile.enter();
        let raw = &self.device.raw;
        let get = raw.fp_v1_2().get_semaphore_counter_value;
        // A driver of which the kernel's half is missing succeeds and writes nothing.
        let mut value = 0;
        // SAFETY: the semaphore is alive and of the timeline kind, and `value` can be written.
        unsafe { get(raw.handle(), self.semaphore, &mut value) }.result_with_success(value)
    }
}

impl Drop for TimelineInner {
    fn drop(&mut self) {
        let value = self.counter();
        let timelines = &self.device.timelines;
        // Submissions that signal or wait on it have kept it until they were done.
        let list = if value == Ok(self.last.load(Ordering::Acquire)) {
            &timelines.idle
        } else {
            &timelines.stuck
        };
        list.lock().push(self.semaphore);
    }
}
