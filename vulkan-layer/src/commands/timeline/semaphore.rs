//! A timeline by one timeline semaphore, whose counter is the timeline's value.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ash::prelude::VkResult;
use ash::vk;

use super::{Points, Submission, Used, Wait, nanoseconds};
use crate::device::DeviceShared;
use crate::device::fault;
use crate::error::{Context, Error, Result};

pub(super) struct TimelineSemaphore {
    raw: vk::Semaphore,
    /// The last value submitted.
    last: AtomicU64,
}

impl TimelineSemaphore {
    /// Takes a semaphore that no timeline uses, or makes one.
    pub fn take(device: &DeviceShared) -> Result<Self> {
        let idle = device.timelines.idle.lock().pop();
        let raw = match idle {
            Some(semaphore) => semaphore,
            None => create(device)?,
        };
        Ok(Self {
            raw,
            last: AtomicU64::new(0),
        })
    }

    /// Gives the semaphore back. Submissions that signal or wait on it have kept it until they were done.
    pub fn give_back(&self, device: &DeviceShared) {
        let list = if self.counter(device) == Ok(self.last.load(Ordering::Acquire)) {
            &device.timelines.idle
        } else {
            &device.timelines.stuck
        };
        list.lock().push(self.raw);
    }

    /// Notes the last value submitted.
    pub fn submitted(&self, value: u64) {
        self.last.store(value, Ordering::Release);
    }

    pub fn counter(&self, device: &DeviceShared) -> VkResult<u64> {
        let _turn = device.turnstile.enter();
        let get = device.functions.get_semaphore_counter_value;
        // A driver of which the kernel's half is missing succeeds and writes nothing.
        let mut value = 0;
        // SAFETY: the semaphore is alive and of the timeline kind, and `value` can be written.
        unsafe { get(device.raw.handle(), self.raw, &mut value) }.result_with_success(value)
    }

    /// Waits for the value; false when the time ran out.
    pub fn block(
        &self,
        device: &DeviceShared,
        value: u64,
        timeout: Option<Duration>,
    ) -> Result<bool> {
        let semaphores = [self.raw];
        let values = [value];
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        let wait = device.functions.wait_semaphores;
        let _turn = device.turnstile.enter();
        // SAFETY: the semaphore is alive and of the timeline kind.
        match unsafe { wait(device.raw.handle(), &info, nanoseconds(timeout)) } {
            vk::Result::SUCCESS => Ok(true),
            vk::Result::TIMEOUT => Ok(false),
            result => Err(Error::from_vk("vkWaitSemaphores", result)),
        }
    }

    pub fn submit(&self, device: &Arc<DeviceShared>, submission: Submission<'_>) -> Result<Used> {
        // Binary semaphores have a value that is ignored.
        let of_timeline = |wait: &Wait| match &wait.timeline.0.points {
            Points::Semaphore(semaphore) => Some((semaphore.raw, wait.value)),
            Points::Fences(_) => None,
        };
        let waits = submission.waits.iter().filter_map(of_timeline);
        let (mut semaphores, mut values): (Vec<_>, Vec<_>) = waits.unzip();
        semaphores.extend(&submission.awaited);
        values.resize(semaphores.len(), 0);
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; semaphores.len()];
        // Once the timeline has its value, what the submission kept may be destroyed. A batch's signals have no
        // order, but a later batch's come after them (Vulkan, "Signal Operation Order"): so others' semaphores are
        // signalled by a batch before the timeline's.
        let signals = &submission.signaled;
        let (ours, own) = (vec![0; signals.len()], [self.raw]);
        let own_value = [submission.value];
        let mut of_work = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
        let mut of_end = vk::TimelineSemaphoreSubmitInfo::default();
        let mut work = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(submission.command_buffers);
        let infos = match signals.is_empty() {
            true => {
                of_work = of_work.signal_semaphore_values(&own_value);
                work = work.signal_semaphores(&own);
                vec![work.push_next(&mut of_work)]
            }
            false => {
                of_work = of_work.signal_semaphore_values(&ours);
                work = work.signal_semaphores(signals);
                of_end = of_end.signal_semaphore_values(&own_value);
                let end = vk::SubmitInfo::default().signal_semaphores(&own);
                vec![work.push_next(&mut of_work), end.push_next(&mut of_end)]
            }
        };
        // SAFETY: the caller of `Timeline::submit` has locked the timeline's order, its command buffers are
        // complete, and what they use is kept until the value is reached.
        unsafe { device.submit(submission.queue, &infos, vk::Fence::null())? };
        self.submitted(submission.value);
        // The timelines that it waits for must outlive the submission.
        let timelines = submission.waits.iter().map(|wait| wait.timeline.clone());
        Ok(timelines.map(|timeline| Box::new(timeline) as _).collect())
    }
}

fn create(device: &DeviceShared) -> Result<vk::Semaphore> {
    let mut kind = vk::SemaphoreTypeCreateInfo::default()
        .semaphore_type(vk::SemaphoreType::TIMELINE)
        .initial_value(0);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    fault::check("vkCreateSemaphore")?;
    // SAFETY: `info` lives through the call; the device has timeline semaphores.
    let semaphore = unsafe { device.raw.create_semaphore(&info, None) };
    semaphore.call("vkCreateSemaphore")
}
