//! The recordings of a segment, and the command that runs them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_vulkan_layer::Recording;

use super::CommandBuffer;
use super::record::Entry;
use super::segment::Step;
use crate::base::error::Result;
use crate::base::object::Ref;
use crate::command::{Command, DeviceCommand, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::residency::{Access, Contents};
use crate::queue::Queue;

/// The most recordings of one chunk that are kept for later enqueues.
const KEPT: usize = 16;

/// Commands of a segment that are recorded together.
pub(super) struct Chunk {
    pub steps: Vec<Step>,
    /// Guards the recordings of the commands' current state.
    recordings: Mutex<Vec<Arc<Recorded>>>,
}

/// A recording that stays.
struct Recorded {
    /// The number of the queue that it was recorded for.
    queue: usize,
    recording: Recording,
    /// Guards the host's part of its commands.
    retire: Mutex<Vec<Retire>>,
    /// True if it must not run twice at the same time.
    exclusive: bool,
    /// True while an exclusive recording is in use.
    busy: AtomicBool,
}

/// The use of a recording, until it is dropped.
pub(super) struct Lease(Arc<Recorded>);

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}

/// The contents that the commands of a segment use, and the initializers that they wait for.
pub(super) struct SegmentUses {
    contents: Vec<(Arc<dyn Contents>, Access)>,
    waits: Vec<gpu::Wait>,
}

impl SegmentUses {
    /// The uses of the commands of some chunks.
    pub fn of(entries: &[Entry], chunks: &[Chunk]) -> Result<Self> {
        let mut uses = Self {
            contents: Vec::new(),
            waits: Vec::new(),
        };
        let mut places: HashMap<usize, usize> = HashMap::new();
        for step in chunks.iter().flat_map(|chunk| &chunk.steps) {
            let Some(Command::Device(command)) = &entries[step.entry].command else {
                continue;
            };
            for wait in command.initializers() {
                if !uses.waits.iter().any(|known| known.same(&wait)) {
                    uses.waits.push(wait);
                }
            }
            command.uses(&mut |contents, access| {
                let key = Arc::as_ptr(&contents).cast::<()>() as usize;
                match places.get(&key) {
                    Some(&place) => {
                        let known = &mut uses.contents[place].1;
                        *known = known.then(access);
                    }
                    None => {
                        places.insert(key, uses.contents.len());
                        uses.contents.push((contents, access));
                    }
                }
                Ok(())
            })?;
        }
        Ok(uses)
    }
}

impl Chunk {
    pub fn new(steps: Vec<Step>) -> Self {
        Self {
            steps,
            recordings: Mutex::default(),
        }
    }

    /// Drops the recordings, after a command has changed. Those in use live until their submission ends.
    pub fn invalidate(&self) {
        self.recordings.lock().clear();
    }

    /// Returns a free recording for a queue; records one if there is none.
    pub fn lease(&self, entries: &[Entry], queue: &Queue) -> Result<Lease> {
        let number = queue.on().number();
        let free = |recorded: &&Arc<Recorded>| {
            recorded.queue == number
                && (!recorded.exclusive || !recorded.busy.swap(true, Ordering::AcqRel))
        };
        let mut recordings = self.recordings.lock();
        if let Some(recorded) = recordings.iter().find(free) {
            return Ok(Lease(recorded.clone()));
        }
        let recorded = Arc::new(self.record(entries, queue)?);
        if recordings.len() >= KEPT {
            recordings.remove(0);
        }
        recordings.push(recorded.clone());
        Ok(Lease(recorded))
    }

    fn record(&self, entries: &[Entry], queue: &Queue) -> Result<Recorded> {
        let mut recorder = queue.reusable_recorder()?;
        let mut retire = Vec::new();
        let device_command = |step: &Step| match &entries[step.entry].command {
            Some(Command::Device(command)) => Some(command),
            _ => None,
        };
        let mut commands = self.steps.iter().filter_map(device_command);
        let only_dispatches = commands.all(|command| command.is_dispatch());
        for step in &self.steps {
            match step.barrier {
                true if only_dispatches => recorder.barrier_of_dispatches(),
                true => recorder.barrier(),
                false => {}
            }
            if let Some(command) = device_command(step) {
                retire.push(command.record(queue.on(), &mut recorder)?);
            }
        }
        retire.retain(Retire::is_alone);
        Ok(Recorded {
            queue: queue.on().number(),
            recording: recorder.into_recording().map_err(gpu::error)?,
            exclusive: !retire.is_empty(),
            busy: AtomicBool::new(true),
            retire: Mutex::new(retire),
        })
    }
}

/// The command of a queue that runs a segment's recordings.
pub(super) struct Replay {
    /// Lives until its commands have ended.
    pub _buffer: Ref<CommandBuffer>,
    pub leases: Vec<Lease>,
    pub uses: Arc<SegmentUses>,
}

impl DeviceCommand for Replay {
    fn command_type(&self) -> u32 {
        cl::CL_COMMAND_COMMAND_BUFFER_KHR
    }

    fn name(&self) -> &str {
        "command buffer"
    }

    fn initializers(&self) -> Vec<gpu::Wait> {
        let waits = self.uses.waits.iter();
        waits.filter(|wait| !wait.is_over()).cloned().collect()
    }

    fn takes_turns(&self, _on: &Placement) -> bool {
        // Some of the commands may.
        true
    }

    fn ends_on_host(&self) -> bool {
        self.leases.iter().any(|lease| lease.0.exclusive)
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        for (contents, access) in &self.uses.contents {
            visit(contents.clone(), *access)?;
        }
        Ok(())
    }

    fn record(&self, _: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let recordings: Vec<Recording> = (self.leases.iter())
            .map(|lease| lease.0.recording.clone())
            .collect();
        recorder.run(&recordings).map_err(gpu::error)?;
        let with_rest = self.leases.iter().filter(|lease| lease.0.exclusive);
        let rest: Vec<Arc<Recorded>> = with_rest.map(|lease| lease.0.clone()).collect();
        if rest.is_empty() {
            return Ok(Retire::nothing());
        }
        Ok(Retire::with(move || {
            let mut first = Ok(());
            for recorded in &rest {
                for retire in recorded.retire.lock().iter_mut() {
                    let result = retire.run();
                    first = first.and(result);
                }
            }
            first
        }))
    }
}
