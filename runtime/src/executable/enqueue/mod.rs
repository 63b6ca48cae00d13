//! Runs a kernel that enqueues others, and all that it leads to (docs/device-enqueue.md).
//!
//! - `arena.rs`: the memory that kernels and scheduler share
//!
//! The kernel is followed by rounds: the scheduler, then one indirect dispatch for each variant, which
//! is a block with its sizes of work-group and local memory. Many rounds are submitted at a time; the
//! host looks at the scheduler's state after each submission, makes variants that were missing, and
//! goes on until all work has ended.

mod arena;

use pumice_compiler::target::device_queue::{Key, QUEUES, State, VARIANTS};
use pumice_vulkan_layer::{Buffer, LogicalDevice, Queue, Recorder, Recording, Timer, Wait};

use std::collections::BTreeMap;

use self::arena::Arena;
use super::Executable;
use super::launch::{ArgValue, Launch, LaunchError, NdRange, Prepared, Result};
use crate::base::clock::host_time;
use crate::base::exit;
use crate::base::log;

/// Rounds of a recording.
const ROUNDS: usize = 8;
/// The most runs of the recording in a submission.
const MOST_RUNS: usize = 32;
/// Bytes of private memory of a variant's dispatch, unless one work-group needs more.
const PRIVATE_BYTES: u64 = 64 << 20;
/// Idle memories that an executable keeps.
const KEPT: usize = 2;

/// The device queues that a launch can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceQueues {
    /// Bytes of each by its number; 0 for those that it cannot reach.
    pub bytes: [u32; QUEUES],
    /// The number of the default one.
    pub default: Option<u32>,
}

/// Everything that one launch at a time uses.
pub(super) struct Scheduler {
    arena: Arena,
    queue: Queue,
    /// The times of dispatches, if the scheduler reads them.
    timer: Option<Timer>,
    /// Tells its launches' private memory from that of queues.
    number: usize,
    /// The word that tells its kernels to end.
    termination: Option<Buffer>,
    scheduler: Prepared,
    /// Kernels of blocks, each for one size of work-groups and local memory.
    variants: Vec<Prepared>,
    /// [`ROUNDS`] rounds with the present variants.
    rounds: Option<Recording>,
    /// Kernels of each variant that a trace has been told of.
    told: [u32; VARIANTS],
}

/// Kernels that a submission ran.
pub struct Ran<'a> {
    /// Start and end of the submission in nanoseconds of the host's clock.
    pub times: (u64, u64),
    /// Names of blocks with the number of their kernels that ended, by name.
    pub kernels: &'a [(&'a str, u64)],
}

/// Takes [`Ran`] after each submission.
pub type TellRan<'a> = dyn Fn(&Ran<'_>) + 'a;

/// Listens to a run while it goes on.
pub struct Observer<'a> {
    /// Gets the printf buffers that may hold something.
    pub print: &'a mut dyn FnMut(&Buffer) -> Result<()>,
    /// Gets each submission's kernels and times.
    pub tell: Option<&'a TellRan<'a>>,
    /// Tells whether no more is to be submitted.
    pub is_over: &'a dyn Fn() -> bool,
}

/// Records the dispatches of the host's launch.
pub type RecordLaunch<'a> = dyn Fn(&Prepared, &mut Recorder) -> Result<()> + 'a;

/// The recording of the host's launch, and what it waits for.
type FirstSubmission<'a> = (&'a dyn Fn(&mut Recorder) -> Result<()>, &'a [Wait]);

impl Executable {
    /// Tells whether the kernel takes memory of device-side enqueue, so that
    /// [`Executable::run_enqueueing`] runs it.
    pub fn enqueues(&self, kernel: usize) -> bool {
        (self.interface.kernels.get(kernel)).is_some_and(|kernel| kernel.info.enqueues)
    }

    /// Runs a kernel after `waits`, and waits until all that it has enqueued has ended. `record` records its
    /// dispatches.
    ///
    /// # Errors
    /// See [`LaunchError`]: of the launch or of what it enqueued. Nothing of it runs any more then,
    /// unless the device is lost.
    pub fn run_enqueueing(
        &self,
        device: &LogicalDevice,
        launch: &Launch<'_>,
        queues: &DeviceQueues,
        waits: &[Wait],
        record: &RecordLaunch<'_>,
        observer: Observer<'_>,
    ) -> Result<()> {
        let Observer {
            print,
            tell,
            is_over,
        } = observer;
        let mut scheduler = self.take_scheduler(device, queues, launch.termination)?;
        let launch = Launch {
            enqueue: Some(scheduler.arena.address()),
            // The scheduler's queue runs beside the application's, which has private memory of its own.
            queue: scheduler.number,
            checks: None,
            ..*launch
        };
        let mut prepared = self.prepare(device, &launch)?;
        let record_launch = |recorder: &mut Recorder| record(&prepared, recorder);
        let first = (
            &record_launch as &dyn Fn(&mut Recorder) -> Result<()>,
            waits,
        );
        scheduler.run(self, device, first, queues, (tell, is_over))?;
        if let Some(buffer) = prepared.take_printf() {
            let printed = print(&buffer);
            self.keep_printf(buffer);
            printed?;
        }
        for buffer in scheduler.variants.iter().filter_map(Prepared::printf) {
            print(buffer)?;
        }
        let mut idle = self.schedulers.lock();
        if idle.len() < KEPT {
            idle.push(scheduler);
        }
        Ok(())
    }

    /// An idle scheduler with room for these queues, or a new one.
    fn take_scheduler(
        &self,
        device: &LogicalDevice,
        queues: &DeviceQueues,
        termination: Option<&Buffer>,
    ) -> Result<Scheduler> {
        let mut idle = self.schedulers.lock();
        let known = idle.iter().position(|known| known.arena.serves(queues));
        if let Some(index) = known {
            return Ok(idle.swap_remove(index));
        }
        // Those that are too small make room.
        idle.clear();
        drop(idle);
        let device_module = self.device_module(device)?;
        let arena = Arena::new(device, queues, self.interface.enqueue.captured, |address| {
            device_module.pointer(address)
        })?;
        let number = usize::MAX - arena.address() as usize;
        let kernel = self.interface.enqueue.scheduler.unwrap_or(usize::MAX);
        let scheduler = self.prepare(
            device,
            &Launch {
                kernel,
                range: &one_group([1; 3], 1),
                args: &[],
                enqueue: Some(arena.address()),
                checks: None,
                termination,
                queue: number,
                may_slice: false,
            },
        )?;
        Ok(Scheduler {
            arena,
            queue: device.create_queue()?,
            timer: match self.interface.enqueue.times {
                true => Some(device.create_timer()?),
                false => None,
            },
            number,
            termination: termination.cloned(),
            scheduler,
            variants: Vec::new(),
            rounds: None,
            told: [0; VARIANTS],
        })
    }

    /// Makes a variant; gives the most work-groups of its dispatches too.
    fn variant(
        &self,
        device: &LogicalDevice,
        scheduler: &Scheduler,
        key: &Key,
        index: usize,
    ) -> Result<(Prepared, u32)> {
        let kernel = (self.interface.enqueue.blocks.get(key.block as usize)).copied();
        let kernel = kernel
            .ok_or_else(|| LaunchError::Resources(format!("there is no block {}", key.block)))?;
        let info = &self.interface.kernels[kernel].info;
        let args: Vec<Option<ArgValue>> = (info.args.iter().zip(key.locals))
            .map(|(_, size)| Some(ArgValue::Local { size: size.into() }))
            .collect();
        // Work-groups beyond 65,535 are rows of them.
        let [x, y, _] = device.capabilities().limits.max_group_count;
        let most = u64::from(x) * u64::from(y);
        let items: u64 = key.local_size.iter().map(|&n| u64::from(n)).product();
        let groups = match info.private_bytes {
            Some(bytes) => PRIVATE_BYTES / (u64::from(bytes) * items).max(1),
            None => 1,
        };
        let groups = groups.clamp(1, u64::from(x));
        let launch = Launch {
            kernel,
            range: &one_group(key.local_size, groups),
            args: &args,
            enqueue: Some(scheduler.arena.variant_address(index)),
            checks: None,
            termination: scheduler.termination.as_ref(),
            queue: scheduler.number,
            may_slice: false,
        };
        let prepared = self.prepare(device, &launch)?;
        let most = match info.private_bytes {
            Some(_) => prepared.groups(),
            None => most.min(1 << 30),
        };
        Ok((prepared, most as u32))
    }
}

/// A range of a row of work-groups.
fn one_group(local_size: [u32; 3], groups: u64) -> NdRange {
    let mut global_size = local_size.map(u64::from);
    global_size[0] *= groups;
    NdRange {
        work_dim: 3,
        global_offset: [0; 3],
        global_size,
        local_size,
    }
}

impl Scheduler {
    /// Runs a launch and everything that it leads to.
    fn run(
        &mut self,
        executable: &Executable,
        device: &LogicalDevice,
        first: FirstSubmission<'_>,
        queues: &DeviceQueues,
        (tell, is_over): (Option<&TellRan<'_>>, &dyn Fn() -> bool),
    ) -> Result<()> {
        self.arena.begin(device, queues, self.variants.len())?;
        if tell.is_some() {
            for index in 0..self.variants.len() {
                self.told[index] = self.arena.ended(index)?.1;
            }
        }
        let mut first = Some(first);
        let mut runs = 1;
        loop {
            let start = host_time();
            self.submit(first.take(), runs)?;
            if let Some(tell) = tell {
                self.tell_ran(executable, start, tell)?;
            }
            if is_over() {
                return Err(LaunchError::Resources("the context is terminated".into()));
            }
            let (state, missing) = self.arena.state()?;
            match state {
                State::Done => return Ok(()),
                State::Running => runs = (runs * 2).min(MOST_RUNS),
                State::NeedsVariants => {
                    self.add_variants(executable, device, missing)?;
                    runs = 1;
                }
                State::Stuck => {
                    let text = "kernels wait for user events that no kernel is left to set";
                    return Err(LaunchError::Resources(text.into()));
                }
            }
        }
    }

    /// Submits the launch, if it has not run, and rounds; waits until the device is done.
    fn submit(&mut self, first: Option<FirstSubmission<'_>>, runs: usize) -> Result<()> {
        let rounds = self.rounds()?;
        let mut recorder = self.queue.recorder()?;
        let mut waits: &[Wait] = &[];
        if let Some((record_launch, before)) = first {
            record_launch(&mut recorder)?;
            waits = before;
        }
        recorder.run(&vec![rounds; runs])?;
        if !exit::begin_batch() {
            return Err(LaunchError::Resources("the process ends".into()));
        }
        let done =
            (self.queue.submit(recorder, waits)).and_then(|value| self.queue.wait(value, None));
        exit::batch_ended();
        done?;
        self.queue.reclaim();
        Ok(())
    }

    /// The recording of some rounds.
    fn rounds(&mut self) -> Result<Recording> {
        if let Some(rounds) = &self.rounds {
            return Ok(rounds.clone());
        }
        let mut recorder = self.queue.reusable_recorder()?;
        for _ in 0..ROUNDS {
            recorder.barrier();
            self.scheduler.record(&mut recorder)?;
            recorder.barrier();
            if let Some(timer) = &self.timer {
                recorder.start_timer(timer)?;
            }
            for (index, variant) in self.variants.iter().enumerate() {
                let dispatch = self.arena.dispatch(index);
                variant.record_indirect(&mut recorder, dispatch)?;
            }
            let (buffer, offset) = self.arena.times();
            if let Some(timer) = &self.timer {
                recorder.stop_timer(timer, buffer, offset)?;
            }
        }
        recorder.barrier();
        recorder.keep(self.arena.buffer.clone());
        let rounds = recorder.into_recording()?;
        self.rounds = Some(rounds.clone());
        Ok(rounds)
    }

    /// Tells what the submission that began at `start` has run.
    fn tell_ran(&mut self, executable: &Executable, start: u64, tell: &TellRan<'_>) -> Result<()> {
        let mut kernels: BTreeMap<&str, u64> = BTreeMap::new();
        for index in 0..self.variants.len() {
            let (block, ended) = self.arena.ended(index)?;
            let before = std::mem::replace(&mut self.told[index], ended);
            let count = u64::from(ended.wrapping_sub(before));
            let kernel = executable.interface.enqueue.blocks.get(block as usize);
            if let (Some(&kernel), true) = (kernel, count > 0) {
                let name = executable.interface.kernels[kernel].info.name.as_str();
                *kernels.entry(name).or_default() += count;
            }
        }
        let kernels: Vec<(&str, u64)> = kernels.into_iter().collect();
        if !kernels.is_empty() {
            let times = (start, host_time());
            tell(&Ran {
                times,
                kernels: &kernels,
            });
        }
        Ok(())
    }

    fn add_variants(
        &mut self,
        executable: &Executable,
        device: &LogicalDevice,
        missing: Vec<Key>,
    ) -> Result<()> {
        if self.variants.len() + missing.len() > VARIANTS {
            log::info!(
                "device-side enqueue forgets its {} kernels",
                self.variants.len()
            );
            // What they printed would go with them.
            if self
                .variants
                .iter()
                .any(|variant| variant.printf().is_some())
            {
                let text = "blocks that print run with too many sizes of work-groups";
                return Err(LaunchError::Resources(text.into()));
            }
            self.variants.clear();
        }
        self.rounds = None;
        for key in missing {
            let index = self.variants.len();
            let (prepared, most) = executable.variant(device, self, &key, index)?;
            self.arena.write_variant(index, &key, most)?;
            self.told[index] = 0;
            self.variants.push(prepared);
        }
        log::debug!("device-side enqueue has {} kernels", self.variants.len());
        self.arena.go_on(self.variants.len())
    }
}
