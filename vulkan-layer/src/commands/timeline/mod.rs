//! Timelines: the order of a queue's submissions, and waits for their ends.
//!
//! A device with timeline semaphores has one for each timeline ([`semaphore`]); on others, each submission has a fence,
//! and queues wait for each other by binary semaphores ([`fences`]).

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::vk;

use crate::caps::DeviceType;
use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};

mod fences;
mod semaphore;

use fences::Fences;
use semaphore::TimelineSemaphore;

/// The order of a queue's submissions: the values reached so far. Cheap to clone.
#[derive(Clone)]
pub struct Timeline(Arc<TimelineInner>);

struct TimelineInner {
    device: Arc<DeviceShared>,
    points: Points,
    /// The highest value that is known to be reached. A counter that lags behind its waits does not
    /// take it back.
    reached: AtomicU64,
}

/// The Vulkan objects that tell whether a value is reached.
enum Points {
    Semaphore(TimelineSemaphore),
    Fences(Fences),
}

/// A submission waits until the timeline reaches the value. The value must have been submitted.
#[derive(Clone)]
pub struct Wait {
    /// Timeline to wait for.
    pub timeline: Timeline,
    /// The value.
    pub value: u64,
}

/// A submission to a VkQueue.
pub(super) struct Submission<'a> {
    /// Index of the VkQueue.
    pub queue: usize,
    pub command_buffers: &'a [vk::CommandBuffer],
    /// All of the timeline's device.
    pub waits: &'a [Wait],
    /// Binary semaphores to wait for.
    pub awaited: Vec<vk::Semaphore>,
    /// Binary semaphores to signal.
    pub signaled: Vec<vk::Semaphore>,
    /// The value that the timeline reaches at its end.
    pub value: u64,
}

/// Objects that a submission uses until its end.
pub(super) type Used = Vec<Box<dyn Any + Send>>;

/// Time for which a wait polls before it blocks, on a device that is a processor: longer than a short kernel takes, and short,
/// because the device needs the core.
const SPIN_BESIDE_KERNEL: Duration = Duration::from_micros(40);

/// Time for which a wait polls before it blocks, on other devices. To be woken takes 20 to 30 µs there: NVIDIA's driver on an
/// H100.
const SPIN: Duration = Duration::from_micros(400);

/// Time for which a wait blocks at once on a device that takes one call at a time.
const TURN: Duration = Duration::from_micros(100);

impl DeviceShared {
    fn poll_time(&self) -> Duration {
        match self.caps.device_type {
            DeviceType::Cpu => SPIN_BESIDE_KERNEL,
            _ => SPIN,
        }
    }
}

impl LogicalDevice {
    /// Returns the time for which a wait polls before it blocks.
    pub fn poll_time(&self) -> Duration {
        self.shared.poll_time()
    }
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

impl Timeline {
    /// Makes a timeline for the queue of submissions to a VkQueue; gives the value that it starts at too.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn create(device: &Arc<DeviceShared>, queue: usize) -> Result<(Self, u64)> {
        let points = match device.caps.features.timeline_semaphore {
            true => Points::Semaphore(TimelineSemaphore::take(device)?),
            false => Points::Fences(Fences::new(queue)),
        };
        let timeline = Self(Arc::new(TimelineInner {
            device: Arc::clone(device),
            points,
            reached: AtomicU64::new(0),
        }));
        let start = match &timeline.0.points {
            Points::Semaphore(semaphore) => {
                let start = timeline.completed()?;
                semaphore.submitted(start);
                start
            }
            Points::Fences(_) => 0,
        };
        Ok((timeline, start))
    }

    pub(super) fn device(&self) -> &Arc<DeviceShared> {
        &self.0.device
    }

    /// Returns whether both handles refer to the same timeline.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Submits to the device, where submissions of this timeline come in the order of their values.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub(super) fn submit(&self, submission: Submission<'_>) -> Result<Used> {
        match &self.0.points {
            Points::Semaphore(semaphore) => semaphore.submit(self.device(), submission),
            Points::Fences(fences) => fences.submit(self.device(), submission),
        }
    }

    /// The highest value reached.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn completed(&self) -> Result<u64> {
        let checked = fault::check(match self.0.points {
            Points::Semaphore(_) => "vkGetSemaphoreCounterValue",
            Points::Fences(_) => "vkGetFenceStatus",
        });
        self.0.device.note_loss(checked)?;
        self.poll()
    }

    /// The highest value that is known to be reached, without asking the driver.
    pub(super) fn known(&self) -> u64 {
        self.0.reached.load(Ordering::Acquire)
    }

    fn poll(&self) -> Result<u64> {
        self.0.device.check_loss()?;
        self.0.device.note_loss(self.ask())
    }

    fn ask(&self) -> Result<u64> {
        let (device, reached) = (&self.0.device, &self.0.reached);
        match &self.0.points {
            Points::Semaphore(semaphore) => {
                let value = semaphore.counter(device);
                let value = value.call("vkGetSemaphoreCounterValue")?;
                // A lost device may report any value.
                match value == u64::MAX {
                    true => Err(Error::DeviceLost),
                    false => Ok(value.max(reached.fetch_max(value, Ordering::AcqRel))),
                }
            }
            Points::Fences(fences) => {
                fences.poll(device, reached).call("vkGetFenceStatus")?;
                Ok(reached.load(Ordering::Acquire))
            }
        }
    }

    /// Waits until the timeline reaches a value; false when the time ran out first, which with
    /// `None` it never does. Polls for [`LogicalDevice::poll_time`], then blocks.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn wait(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        let start = Instant::now();
        let spin = self.device().poll_time();
        let spin = timeout.map_or(spin, |timeout| timeout.min(spin));
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
        let checked = fault::check(match self.0.points {
            Points::Semaphore(_) => "vkWaitSemaphores",
            Points::Fences(_) => "vkWaitForFences",
        });
        self.0.device.note_loss(checked)?;
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
        self.0.device.check_loss()?;
        self.0.device.note_loss(self.block_on(value, timeout))
    }

    fn block_on(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        let (device, reached) = (&self.0.device, &self.0.reached);
        match &self.0.points {
            Points::Semaphore(semaphore) => {
                let over = semaphore.block(device, value, timeout)?;
                if over {
                    reached.fetch_max(value, Ordering::AcqRel);
                }
                Ok(over)
            }
            Points::Fences(fences) => fences.block(device, reached, value, timeout),
        }
    }
}

impl Drop for TimelineInner {
    fn drop(&mut self) {
        if let Points::Semaphore(semaphore) = &self.points {
            semaphore.give_back(&self.device);
        }
    }
}

/// A timeout as Vulkan takes it.
fn nanoseconds(timeout: Option<Duration>) -> u64 {
    timeout.map_or(u64::MAX, |timeout| {
        u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)
    })
}
