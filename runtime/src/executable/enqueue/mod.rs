//! Runs a kernel that enqueues others, and all that it leads to (docs/device-enqueue.md).
//!
//! - `arena.rs`: the memory that kernels and scheduler share
//! - `dispatches.rs`: rounds of indirect dispatches
//! - `graph.rs`: rounds as a work graph, where the device has them
//!
//! The kernel is followed by rounds: the scheduler, then the variants that it gave work to. A variant
//! is a block with its sizes of work-group and local memory. Many rounds are submitted at a time; the
//! host looks at the scheduler's state after each submission, makes variants that were missing, and
//! goes on until all work has ended.

mod arena;
mod dispatches;
mod graph;

use pumice_compiler::target::device_queue::{Key, QUEUES, State, VARIANTS};
use pumice_vulkan_layer::{Buffer, LogicalDevice, Queue, Recorder, Timestamp, Wait};

use std::collections::BTreeMap;
use std::sync::Arc;

use self::arena::Arena;
use self::dispatches::Dispatches;
use self::graph::Nodes;
use super::launch::{ArgValue, Launch, LaunchError, NdRange, Prepared, Result};
use super::{Executable, KernelInfo};
use crate::base::clock::host_time;
use crate::base::exit;
use crate::base::log;

/// Rounds of a recording.
const ROUNDS: usize = 8;
/// The most runs of the recording in a submission.
const MOST_RUNS: usize = 32;
/// Runs of the recording in a submission from which on a launch is long.
const LONG_RUNS: usize = 8;
/// Bytes of private memory of a variant's dispatch, unless one work-group needs more.
const PRIVATE_BYTES: u64 = 64 << 20;
/// Work-groups of a dispatch at most: counts of several of them stay within 32 bits.
const MOST_GROUPS: u32 = 1 << 30;
/// Idle memories that an executable keeps.
const KEPT: usize = 2;

/// The device queues that a launch can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceQueues {
    /// Bytes of each by its number; 0 for those that it cannot reach.
    pub bytes: [u32; QUEUES],
    /// The number of the default one.
    pub default: Option<u32>,
    /// Blocks run in work-groups of one size only.
    pub uniform_groups: bool,
}

/// Everything that one launch at a time uses.
pub(super) struct Scheduler {
    arena: Arena,
    queue: Queue,
    /// Tells its launches' private memory from that of queues.
    number: usize,
    /// The word that tells its kernels to end.
    termination: Option<Buffer>,
    /// The variants in the memory.
    variants: Vec<Key>,
    /// Their nodes, where rounds are a work graph.
    nodes: Option<Nodes>,
    /// Their kernels, where rounds are dispatches. A scheduler with both has given up its nodes.
    dispatches: Option<Dispatches>,
    /// Kernels of each variant that a trace has been told of.
    told: [u32; VARIANTS],
}

/// Kernels that a submission ran.
pub struct Ran<'a> {
    /// Start and end of the submission in nanoseconds of the host's clock.
    pub times: (u64, u64),
    /// Names of blocks with the number of their kernels that ended, by name.
    pub kernels: &'a [(&'a str, u64)],
    /// A work graph ran them, else indirect dispatches.
    pub by_graph: bool,
}

/// A device that runs what kernels enqueue.
#[derive(Clone, Copy)]
pub struct QueueDevice<'a> {
    /// The device.
    pub device: &'a LogicalDevice,
    /// Gives an executable with the scheduler: the same for all that enqueue, so that the driver compiles it once.
    pub scheduler: &'a dyn Fn() -> Result<Arc<Executable>>,
}

/// Takes [`Ran`] after each submission.
pub type TellRan<'a> = dyn Fn(&Ran<'_>) + 'a;

/// Listens to a run while it goes on.
pub struct Observer<'a> {
    /// Gets the printf buffers that may hold something.
    pub print: &'a mut dyn FnMut(&Buffer) -> Result<()>,
    /// Gets each submission's kernels and times.
    pub tell: Option<&'a TellRan<'a>>,
    /// Gets the moment at which the launch itself ends, before what it has enqueued.
    pub end_of_launch: &'a dyn Fn(Timestamp),
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
        on: QueueDevice<'_>,
        launch: &Launch<'_>,
        queues: &DeviceQueues,
        waits: &[Wait],
        record: &RecordLaunch<'_>,
        observer: Observer<'_>,
    ) -> Result<()> {
        let Observer {
            print,
            tell,
            end_of_launch,
            is_over,
        } = observer;
        let mut scheduler = self.take_scheduler(on, queues, launch.termination)?;
        let launch = Launch {
            enqueue: Some(scheduler.arena.address()),
            // The scheduler's queue runs beside the application's, which has private memory of its own.
            queue: scheduler.number,
            checks: None,
            ..*launch
        };
        let mut prepared = self.prepare(on.device, &launch)?;
        let record_launch = |recorder: &mut Recorder| {
            record(&prepared, recorder)?;
            // A device without timestamps has no better answer than the end of everything.
            let _ = recorder.write_timestamp().map(end_of_launch);
            Ok(())
        };
        let first = (
            &record_launch as &dyn Fn(&mut Recorder) -> Result<()>,
            waits,
        );
        let ran = scheduler.run(self, on, first, queues, (tell, is_over))?;
        log::debug!(
            "device-side enqueue ran {ran} kernels by {}",
            scheduler.way()
        );
        if let Some(buffer) = prepared.take_printf() {
            let printed = print(&buffer);
            self.keep_printf(buffer);
            printed?;
        }
        let of_nodes = scheduler.nodes.iter().filter_map(Nodes::printf);
        let of_dispatches = scheduler.dispatches.iter().flat_map(Dispatches::printf);
        for buffer in of_nodes.chain(of_dispatches) {
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
        on: QueueDevice<'_>,
        queues: &DeviceQueues,
        termination: Option<&Buffer>,
    ) -> Result<Scheduler> {
        let device = on.device;
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
        let nodes = match graph::obstacle(self, device) {
            Some(obstacle) => {
                log::debug!("device-side enqueue by indirect dispatches: {obstacle}");
                None
            }
            None => Some(Nodes::new(self, device, termination)?),
        };
        let mut scheduler = Scheduler {
            arena,
            queue: device.create_queue()?,
            number,
            termination: termination.cloned(),
            variants: Vec::new(),
            nodes,
            dispatches: None,
            told: [0; VARIANTS],
        };
        if scheduler.nodes.is_none() {
            scheduler.dispatches = Some(self.dispatches(on, &scheduler)?);
        }
        Ok(scheduler)
    }

    /// Rounds of dispatches with the variants that a scheduler has.
    fn dispatches(&self, on: QueueDevice<'_>, scheduler: &Scheduler) -> Result<Dispatches> {
        let device = on.device;
        let own = (on.scheduler)()?;
        let kernel = own.interface.enqueue.scheduler.unwrap_or(usize::MAX);
        let prepared = own.prepare(
            device,
            &Launch {
                kernel,
                range: &one_group([1; 3], 1),
                args: &[],
                enqueue: Some(scheduler.arena.address()),
                checks: None,
                termination: scheduler.termination.as_ref(),
                queue: scheduler.number,
                may_slice: false,
            },
        )?;
        let timer = match self.interface.enqueue.times {
            true => Some(device.create_timer()?),
            false => None,
        };
        let mut dispatches = Dispatches::new(prepared, timer);
        for (index, key) in scheduler.variants.iter().enumerate() {
            dispatches.add(self.variant(device, scheduler, key, index)?.0);
        }
        Ok(dispatches)
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
        let args = local_arguments(info, key);
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
            None => most.min(MOST_GROUPS.into()),
        };
        Ok((prepared, most as u32))
    }
}

/// The arguments of a variant: sizes of local memory alone.
fn local_arguments(info: &KernelInfo, key: &Key) -> Vec<Option<ArgValue>> {
    (info.args.iter().zip(key.locals))
        .map(|(_, size)| Some(ArgValue::Local { size: size.into() }))
        .collect()
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
    /// Tells that the present variants run as a work graph.
    fn is_graph(&self) -> bool {
        self.dispatches.is_none()
    }

    /// The way in which blocks run, for the log.
    fn way(&self) -> &'static str {
        match self.is_graph() {
            true => "a work graph",
            false => "indirect dispatches",
        }
    }

    /// Runs a launch and everything that it leads to. Returns how many kernels that were.
    fn run(
        &mut self,
        executable: &Executable,
        on: QueueDevice<'_>,
        first: FirstSubmission<'_>,
        queues: &DeviceQueues,
        (tell, is_over): (Option<&TellRan<'_>>, &dyn Fn() -> bool),
    ) -> Result<u32> {
        let device = on.device;
        let limits = &device.capabilities().limits;
        let across = match self.is_graph() {
            true => limits.max_node_groups[0],
            false => limits.max_group_count[0],
        };
        (self.arena).begin(device, queues, self.variants.len(), across)?;
        if tell.is_some() {
            for index in 0..self.variants.len() {
                self.told[index] = self.arena.ended(index)?.1;
            }
        }
        let mut first = Some(first);
        let mut runs = 1;
        loop {
            let start = host_time();
            self.make_graph(executable, on)?;
            self.submit(first.take(), runs)?;
            if let Some(tell) = tell {
                self.tell_ran(executable, start, tell)?;
            }
            if is_over() {
                return Err(LaunchError::Resources("the context is terminated".into()));
            }
            let (progress, missing) = self.arena.state()?;
            match progress.state {
                State::Done => return Ok(progress.executed),
                State::Running => {
                    runs = (runs * 2).min(MOST_RUNS);
                    if let Some(nodes) = self.nodes.as_mut().filter(|_| runs >= LONG_RUNS) {
                        nodes.lengthen(limits, self.variants.len());
                    }
                }
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
        let mut recorder = self.queue.recorder()?;
        let mut waits: &[Wait] = &[];
        if let Some((record_launch, before)) = first {
            record_launch(&mut recorder)?;
            waits = before;
        }
        match (&mut self.dispatches, &mut self.nodes) {
            (Some(dispatches), _) => {
                dispatches.record(&mut recorder, (&self.queue, &self.arena), runs)?;
            }
            (None, Some(nodes)) => {
                nodes.record(&mut recorder, runs * ROUNDS)?;
                recorder.keep(self.arena.buffer.clone());
            }
            (None, None) => {}
        }
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

    /// Makes the graph of the present variants. Where there can be none, the rounds are dispatches from now on.
    fn make_graph(&mut self, executable: &Executable, on: QueueDevice<'_>) -> Result<()> {
        let (Some(nodes), None) = (&mut self.nodes, &self.dispatches) else {
            return Ok(());
        };
        let memory = self.arena.base();
        if let Err(error) = nodes.make(executable, on.device, memory, &self.variants) {
            log::info!("device-side enqueue goes on by indirect dispatches: {error}");
            self.dispatches = Some(executable.dispatches(on, self)?);
        }
        Ok(())
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
                by_graph: self.is_graph(),
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
            let mut printing = self.dispatches.iter().flat_map(Dispatches::printf);
            if printing.next().is_some() {
                let text = "blocks that print run with too many sizes of work-groups";
                return Err(LaunchError::Resources(text.into()));
            }
            drop(printing);
            self.variants.clear();
            if let Some(dispatches) = &mut self.dispatches {
                dispatches.forget();
            }
        }
        if let Some(nodes) = &mut self.nodes {
            nodes.forget();
        }
        let [_, most_groups] = device.capabilities().limits.max_node_groups;
        for key in missing {
            let index = self.variants.len();
            let most = match self.is_graph() {
                true => most_groups.min(MOST_GROUPS),
                false => {
                    let (prepared, most) = executable.variant(device, self, &key, index)?;
                    if let Some(dispatches) = &mut self.dispatches {
                        dispatches.add(prepared);
                    }
                    most
                }
            };
            self.arena.write_variant(index, &key, most)?;
            self.told[index] = 0;
            self.variants.push(key);
        }
        log::debug!("device-side enqueue has {} kernels", self.variants.len());
        self.arena.go_on(self.variants.len())
    }
}
