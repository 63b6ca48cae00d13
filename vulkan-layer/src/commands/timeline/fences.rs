//! A timeline by fences, on devices without timeline semaphores: each submission has one.
//!
//! A submission that waits for another's value waits for a binary semaphore. The semaphore is signalled
//! only then, behind everything that the other's VkQueue was given so far: a signal comes after all
//! commands that were submitted to the queue before it (Vulkan, "Semaphore Signaling"). Since a value must be
//! submitted before anything waits for it, the longer wait ends too.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::prelude::VkResult;
use ash::vk;
use parking_lot::{Condvar, Mutex};

use super::{Points, Submission, Used, Wait, nanoseconds};
use crate::device::DeviceShared;
use crate::device::fault;
use crate::device::pools::Recycled;
use crate::error::{Context, Error, Result};

pub(super) struct Fences {
    /// Index of the VkQueue that the timeline's submissions go to.
    queue: usize,
    /// Guards the values not known to be reached, in their order, each with the fence of its submission.
    in_flight: Mutex<VecDeque<(u64, Arc<Fence>)>>,
    /// Notified when a value is added.
    added: Condvar,
}

/// A fence of one submission. It is used again when nobody waits for it any more.
struct Fence {
    device: Arc<DeviceShared>,
    raw: vk::Fence,
    submitted: AtomicBool,
}

/// A binary semaphore that one VkQueue signals and another, or the same, waits for.
struct Link {
    device: Arc<DeviceShared>,
    raw: vk::Semaphore,
    /// True if nothing is to signal it, or a submission waits for the signal: it is not signalled in
    /// the end.
    settled: bool,
}

impl Fences {
    pub fn new(queue: usize) -> Self {
        Self {
            queue,
            in_flight: Mutex::default(),
            added: Condvar::new(),
        }
    }

    /// Raises `reached` to the highest value of which the fence is signalled.
    pub fn poll(&self, device: &DeviceShared, reached: &AtomicU64) -> VkResult<()> {
        let mut in_flight = self.in_flight.lock();
        while let Some((value, fence)) = in_flight.front() {
            let turn = device.turnstile.enter();
            // SAFETY: the fence is alive; nobody resets it while it is in the list.
            if !unsafe { device.raw.get_fence_status(fence.raw) }? {
                break;
            }
            drop(turn);
            // Before the entry goes: who does not find it takes the value for reached.
            reached.fetch_max(*value, Ordering::AcqRel);
            in_flight.pop_front();
        }
        Ok(())
    }

    /// Forgets the fences of values that are reached, so that later submissions use them: a timeline that is waited for and
    /// never polled would have a new one for each.
    fn forget(&self, reached: u64) {
        let mut in_flight = self.in_flight.lock();
        while in_flight
            .front()
            .is_some_and(|(value, _)| *value <= reached)
        {
            in_flight.pop_front();
        }
    }

    /// Waits for the value; false when the time ran out, which it does for a value that nobody submits.
    pub fn block(
        &self,
        device: &DeviceShared,
        reached: &AtomicU64,
        value: u64,
        timeout: Option<Duration>,
    ) -> Result<bool> {
        let start = Instant::now();
        let left = || timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
        let mut in_flight = self.in_flight.lock();
        let (value, fence) = loop {
            if reached.load(Ordering::Acquire) >= value {
                return Ok(true);
            }
            // Fences are signalled in the order of their submissions.
            if let Some((value, fence)) = in_flight.iter().find(|(at, _)| *at >= value) {
                break (*value, Arc::clone(fence));
            }
            match left() {
                Some(left) if left.is_zero() => return Ok(false),
                Some(left) => drop(self.added.wait_for(&mut in_flight, left)),
                None => self.added.wait(&mut in_flight),
            }
        };
        drop(in_flight);
        let turn = device.turnstile.enter();
        let fences = [fence.raw];
        // SAFETY: the fence is alive, and not reset before this handle of it goes.
        let waited = unsafe { (device.raw).wait_for_fences(&fences, true, nanoseconds(left())) };
        drop(turn);
        match waited {
            Ok(()) => {
                reached.fetch_max(value, Ordering::AcqRel);
                self.forget(value);
                Ok(true)
            }
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(Error::from_vk("vkWaitForFences", result)),
        }
    }

    pub fn submit(&self, device: &Arc<DeviceShared>, submission: Submission<'_>) -> Result<Used> {
        let fence = Fence::take(device)?;
        let mut links = Vec::new();
        // Signalled by the same call as the work that waits for it.
        let mut own = Vec::new();
        for queue in queues_to_wait_for(submission.queue, submission.waits) {
            let mut link = Link::take(device)?;
            match queue == submission.queue {
                true => own.push(link.raw),
                false => link.signal(queue)?,
            }
            links.push(link);
        }
        let mut semaphores: Vec<_> = links.iter().map(|link| link.raw).collect();
        semaphores.extend(&submission.awaited);
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; semaphores.len()];
        let work = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(submission.command_buffers)
            .signal_semaphores(&submission.signaled);
        let mut infos = Vec::new();
        if !own.is_empty() {
            infos.push(vk::SubmitInfo::default().signal_semaphores(&own));
        }
        infos.push(work);
        // SAFETY: the caller of `Timeline::submit` has locked the timeline's order, its command buffers are
        // complete, and what they use is kept until the value is reached. The fence is new or reset.
        unsafe { device.submit(submission.queue, &infos, fence.raw)? };
        fence.submitted.store(true, Ordering::Release);
        let mut in_flight = self.in_flight.lock();
        in_flight.push_back((submission.value, Arc::new(fence)));
        self.added.notify_all();
        drop(in_flight);
        for link in &mut links {
            link.settled = true;
        }
        Ok(links.into_iter().map(|link| Box::new(link) as _).collect())
    }
}

/// The indices of the VkQueues whose commands a submission to the VkQueue `own` is to wait for. What has ended
/// needs no wait, but its memory must be visible: any semaphore makes it so.
fn queues_to_wait_for(own: usize, waits: &[Wait]) -> Vec<usize> {
    let queue = |wait: &Wait| match &wait.timeline.0.points {
        Points::Fences(fences) if !wait.is_over() => fences.queue,
        _ => own,
    };
    let mut queues: Vec<_> = waits.iter().map(queue).collect();
    queues.sort_unstable();
    queues.dedup();
    queues
}

impl Fence {
    fn take(device: &Arc<DeviceShared>) -> Result<Self> {
        let idle = device.fences.idle.lock().pop();
        let raw = match idle {
            Some(fence) => fence,
            None => {
                fault::check("vkCreateFence")?;
                let info = vk::FenceCreateInfo::default();
                // SAFETY: `info` lives through the call.
                let fence = unsafe { device.raw.create_fence(&info, None) };
                fence.call("vkCreateFence")?
            }
        };
        Ok(Self {
            device: Arc::clone(device),
            raw,
            submitted: AtomicBool::new(false),
        })
    }

    /// Makes a fence unsignalled; false if its submission has not ended, or never will.
    fn reset(&self) -> bool {
        if !self.submitted.load(Ordering::Acquire) {
            return true;
        }
        let _turn = self.device.turnstile.enter();
        let raw = &self.device.raw;
        // SAFETY: the fence is alive, nothing else has it, and it is reset only if it is not pending.
        unsafe {
            raw.get_fence_status(self.raw) == Ok(true) && raw.reset_fences(&[self.raw]).is_ok()
        }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        let fences = &self.device.fences;
        fences.give_back(self.raw, self.reset());
    }
}

impl Link {
    fn take(device: &Arc<DeviceShared>) -> Result<Self> {
        let idle = device.links.idle.lock().pop();
        let raw = match idle {
            Some(semaphore) => semaphore,
            None => {
                fault::check("vkCreateSemaphore")?;
                let info = vk::SemaphoreCreateInfo::default();
                // SAFETY: `info` lives through the call.
                let semaphore = unsafe { device.raw.create_semaphore(&info, None) };
                semaphore.call("vkCreateSemaphore")?
            }
        };
        Ok(Self {
            device: Arc::clone(device),
            raw,
            settled: true,
        })
    }

    /// Lets a VkQueue signal it behind all that the queue was given.
    fn signal(&mut self, queue: usize) -> Result<()> {
        let own = [self.raw];
        let infos = [vk::SubmitInfo::default().signal_semaphores(&own)];
        // SAFETY: nothing signals the semaphore or waits for it, and it lives as long as the device.
        unsafe { self.device.submit(queue, &infos, vk::Fence::null())? };
        self.settled = false;
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let links: &Recycled<vk::Semaphore> = &self.device.links;
        links.give_back(self.raw, self.settled);
    }
}
