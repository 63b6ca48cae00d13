//! Queues and their submissions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ash::vk;
use parking_lot::Mutex;

use crate::commands::recorder::{Kept, Recorder};
use crate::commands::timeline::{Submission, Timeline, Wait};
use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::objects::query::TimestampPools;
use crate::objects::semaphore::BinarySemaphore;

/// A queue with one timeline: each submission has a value, and values are reached in order.
/// Cheap to clone. Several queues may share one VkQueue where the device has few.
#[derive(Clone)]
pub struct Queue(pub(crate) Arc<QueueShared>);

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

impl Commands {
    /// A new command buffer for the queues of a family, in a new pool.
    pub fn allocate(
        device: &DeviceShared,
        family: u32,
        level: vk::CommandBufferLevel,
    ) -> Result<Self> {
        let flags = match level {
            vk::CommandBufferLevel::PRIMARY => vk::CommandPoolCreateFlags::TRANSIENT,
            _ => vk::CommandPoolCreateFlags::empty(),
        };
        let info = vk::CommandPoolCreateInfo::default()
            .flags(flags)
            .queue_family_index(family);
        fault::check("vkCreateCommandPool")?;
        // SAFETY: the family is that of a queue of the device's.
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
        let index = match index {
            Some(index) => index as usize % self.shared.caps.opened_queues() as usize,
            None => self.shared.pick_queue(),
        };
        self.queue_at(index)
    }

    /// Makes a queue for copies between buffers: on the VkQueue that only copies, or on the next of the others
    /// where there is none.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_transfer_queue(&self) -> Result<Queue> {
        let index = self.shared.copying_queue();
        self.queue_at(index.unwrap_or_else(|| self.shared.pick_queue()))
    }

    fn queue_at(&self, index: usize) -> Result<Queue> {
        let (timeline, last) = Timeline::create(&self.shared, index)?;
        Ok(Queue(Arc::new(QueueShared {
            timeline,
            timestamps: TimestampPools::new(&self.shared),
            index,
            state: Mutex::new(State {
                last,
                ..State::default()
            }),
        })))
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

impl QueueShared {
    pub fn device(&self) -> &Arc<DeviceShared> {
        self.timeline.device()
    }

    /// Returns whether it only copies: it has no compute stage.
    pub fn only_copies(&self) -> bool {
        self.device().copying_queue() == Some(self.index)
    }

    /// A new command buffer for it.
    pub fn new_commands(&self, level: vk::CommandBufferLevel) -> Result<Commands> {
        let device = self.device();
        Commands::allocate(device, device.family(self.index), level)
    }

    fn commands(&self) -> Result<Commands> {
        // The driver is asked only where nothing that is known to be done frees a command buffer.
        let free = match self.reuse(self.timeline.known()) {
            Some(free) => Some(free),
            None => self.reuse(self.timeline.completed()?),
        };
        match free {
            Some(free) => Ok(free),
            None => self.new_commands(vk::CommandBufferLevel::PRIMARY),
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
        let of_device = |wait: &Wait| Arc::ptr_eq(wait.timeline.device(), self.device());
        if !waits.iter().all(of_device) {
            return Err(Error::InvalidUse("a timeline of another device".into()));
        }
        let command_buffers = [recorder.finish()?];
        let [awaited, signaled] = &recorder.semaphores;
        let raw = |list: &[BinarySemaphore]| list.iter().map(BinarySemaphore::raw).collect();
        let mut state = self.state.lock();
        let value = state.last + 1;
        let used = self.timeline.submit(Submission {
            queue: self.index,
            command_buffers: &command_buffers,
            waits,
            awaited: raw(awaited),
            signaled: raw(signaled),
            value,
        })?;
        state.last = value;
        if let Some(commands) = recorder.commands.take() {
            let mut kept = std::mem::take(&mut recorder.kept);
            kept.extend(used.into_iter().map(Kept::Own));
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
        let device = Arc::clone(self.device());
        let state = self.state.get_mut();
        // A lost device has nothing pending. A wait that fails for want of memory says nothing, so
        // the VkQueue's own end is waited for then.
        if matches!(self.timeline.wait(state.last, None), Err(error) if error != Error::DeviceLost)
        {
            let queue = device.queues[self.index].lock();
            // SAFETY: the queue belongs to the device and is locked.
            let _ = unsafe { device.raw.queue_wait_idle(*queue) };
        }
        for commands in state
            .in_flight
            .drain(..)
            .map(|entry| entry.commands)
            .chain(state.free.drain(..))
        {
            // SAFETY: the queue's last submission is done, so no command buffer is pending.
            unsafe { commands.destroy(&device.raw) };
        }
    }
}
