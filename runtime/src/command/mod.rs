//! Commands as data: validated when they are made, then recorded for the device or run on the host,
//! as often as their holder likes. A command holds strong references to all that it needs.
//!
//! Each function that makes a command takes the [`Placement`] that it is for and returns
//! `Result<Command>`; it checks its arguments in the order of the specification's errors. Commands know
//! no queue and no event: [`crate::queue::Queue::enqueue`] gives them their place and their time.
//!
//! Invariant: recording or running a command changes nothing in it that another recording or run could
//! notice.

mod checks;
pub mod copy;
mod enqueuing;
pub mod external;
pub mod fill;
mod formed;
pub mod gl;
pub mod image;
mod image_arguments;
pub mod image_copy;
pub mod map;
pub mod migrate;
pub mod native;
pub mod ndrange;
mod output;
mod slices;
pub mod svm;
mod traced;
pub mod transfer;

use std::any::Any;
use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::Result;
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::context::Placement;
use crate::device::gpu;
use crate::executable::RangeRequest;
use crate::memory::residency::{Access, Contents};
use crate::program::kernel::Kernel;

/// A command that the device does.
pub trait DeviceCommand: Send + Sync {
    /// CL_EVENT_COMMAND_TYPE.
    fn command_type(&self) -> u32;

    /// Its name in a trace.
    fn name(&self) -> &str;

    /// Sizes and the like for a trace.
    fn details(&self) -> Fields {
        Fields::default()
    }

    /// The waits for initializers of programs, which the device must have ended before.
    fn initializers(&self) -> Vec<gpu::Wait> {
        Vec::new()
    }

    /// Tells whether the command has a submission of its own: it waits for something outside of OpenCL, or
    /// somebody outside waits for it.
    fn is_alone(&self) -> bool {
        false
    }

    /// Tells whether the command uses memory that commands of its queue share in turn, with barriers between them: they
    /// are all given to one VkQueue.
    fn takes_turns(&self, _on: &Placement) -> bool {
        false
    }

    /// Tells whether a queue may record the command behind another and end both by one event: nothing is left to do
    /// when the device has run it, it takes one submission and no turns, and no initializer comes before it.
    fn joins(&self) -> bool {
        false
    }

    /// Tells whether the command is dispatches alone: a barrier between two such commands is one of dispatches.
    fn is_dispatch(&self) -> bool {
        false
    }

    /// Tells whether something may be left to do for the host when the device has run the command ([`Retire::with`]). Commands
    /// of other queues, and of queues without order, that follow it wait for the end of its event then, and not for the
    /// device's part alone.
    fn ends_on_host(&self) -> bool {
        false
    }

    /// Tells whether the command reads the application's memory when it is recorded, and neither reads nor writes it later: a call
    /// that blocks for the sake of that memory may return then.
    fn only_takes_from_host(&self) -> bool {
        false
    }

    /// Names the contents that the command uses, in the order of use. Whoever has it recorded and
    /// submitted makes the device hold them before ([`Contents::bring`]).
    ///
    /// # Errors
    /// Those of `visit`.
    fn uses(&self, visit: &mut Visit<'_>) -> Result<()>;

    /// Records what is no part of the command's time, before it. Returns whether something was recorded.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    fn record_untimed(&self, _on: &Placement, _recorder: &mut gpu::Recorder) -> Result<bool> {
        Ok(false)
    }

    /// Records the work on memory that the device has already, whatever is in it.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire>;

    /// Records a command that [joins](Self::joins) right behind itself, with the barrier between the two: what it has
    /// bound is bound still.
    ///
    /// # Errors
    /// As [`Self::record`].
    fn record_again(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<()> {
        recorder.barrier();
        self.record(on, recorder).map(drop)
    }

    /// Tells whether the command may run long, or until the host does something: events of commands before it are not to
    /// wait for its end.
    fn may_take_long(&self) -> bool {
        false
    }

    /// Tells whether the command took so little time when it last ran that spreading it over the device's queues takes longer.
    fn is_short(&self) -> bool {
        false
    }

    /// Told of the nanoseconds that the device has spent on it, at most and on average of its batch.
    fn note_time(&self, _nanoseconds: u64) {}

    /// Tells whether the command is what a launch for its queue would be, as things are now.
    fn is_launch(&self, _launch: &Launched<'_>) -> bool {
        false
    }

    /// True of a launch that holds nothing of its own until its batch ends, so that the batch may be large. Staging memory
    /// is in the processor's caches only where it is soon used again.
    fn is_light(&self) -> bool {
        false
    }

    /// The number of submissions that a queue spreads the command over.
    fn slices(&self, _on: &Placement) -> usize {
        1
    }

    /// Records the part for one of the submissions. What is left to do belongs to the last.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    fn record_slice(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
        _slice: usize,
    ) -> Result<Retire> {
        self.record(on, recorder)
    }
}

/// A launch that is asked for.
pub struct Launched<'a> {
    /// CL_COMMAND_NDRANGE_KERNEL or CL_COMMAND_TASK.
    pub command_type: u32,
    /// The kernel.
    pub kernel: &'a Ref<Kernel>,
    /// The range.
    pub request: &'a RangeRequest,
}

/// Receives what a command uses.
pub type Visit<'a> = dyn FnMut(Arc<dyn Contents>, Access) -> Result<()> + 'a;

/// A part of a command's run, which a trace shows under the command.
pub struct Part {
    /// Its name.
    pub name: String,
    /// Start and end in nanoseconds of the host's clock.
    pub times: (u64, u64),
    /// Numbers and the like.
    pub details: Fields,
}

/// A command that the host does.
pub trait HostCommand: Send + Sync {
    /// CL_EVENT_COMMAND_TYPE.
    fn command_type(&self) -> u32;

    /// Its name in a trace.
    fn name(&self) -> &str;

    /// Sizes and the like for a trace.
    fn details(&self) -> Fields {
        Fields::default()
    }

    /// Parts of the run that has just ended, for a trace.
    fn parts(&self) -> Vec<Part> {
        Vec::new()
    }

    /// The end of its own work in the run that has just ended, in nanoseconds of the host's clock; `None` if that is the end
    /// of the run.
    fn own_end(&self) -> Option<u64> {
        None
    }

    /// Tells whether the device does the work, and the host only leads it.
    fn is_for_device(&self) -> bool {
        false
    }

    /// Tells whether it takes as long as the application likes: its code, or kernels that enqueue
    /// others. No call waits for that; it runs on the queue's host thread or one of its own.
    fn takes_long(&self) -> bool {
        false
    }

    /// Does the work.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    fn run(&self, on: &Placement) -> Result<()>;

    /// Takes back what making the command noted in its objects: the call that enqueues it fails.
    fn withdraw(&self) {}
}

/// A command as queues take it. Clones share their data.
#[derive(Clone)]
pub enum Command {
    /// Recorded for the device.
    Device(Arc<dyn DeviceCommand>),
    /// Run on the host.
    Host(Arc<dyn HostCommand>),
    /// No work, only a place in the order.
    Empty(Empty),
    /// clEnqueueMarkerWithWaitList.
    Marker,
    /// clEnqueueBarrierWithWaitList.
    Barrier,
}

/// A command without work.
#[derive(Clone)]
pub struct Empty {
    /// CL_EVENT_COMMAND_TYPE.
    pub command_type: u32,
    /// Lives until the command has ended.
    pub keeps: Option<Arc<dyn Any + Send + Sync>>,
    /// The commands that it is the end of, which its wait list names too.
    pub parts: Option<Arc<dyn Parts>>,
}

/// The times of commands that are one, in nanoseconds of the host's clock: the first ones but for the ends, which are the last.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// CL_PROFILING_COMMAND_QUEUED
    pub queued: u64,
    /// CL_PROFILING_COMMAND_SUBMIT
    pub submitted: u64,
    /// CL_PROFILING_COMMAND_START
    pub started: u64,
    /// CL_PROFILING_COMMAND_END
    pub ended: u64,
    /// CL_PROFILING_COMMAND_COMPLETE
    pub completed: u64,
}

/// Commands that the application knows as one.
pub trait Parts: Send + Sync {
    /// Their times as one command's, once all have ended. `None` if there are none.
    fn times(&self) -> Option<Times>;

    /// Tells whether they are in several queues, of which none is the queue of all.
    fn in_several_queues(&self) -> bool;
}

impl Command {
    /// CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> u32 {
        match self {
            Command::Device(command) => command.command_type(),
            Command::Host(command) => command.command_type(),
            Command::Empty(empty) => empty.command_type,
            Command::Marker => cl::CL_COMMAND_MARKER,
            Command::Barrier => cl::CL_COMMAND_BARRIER,
        }
    }

    /// The commands that this one is the end of.
    pub fn parts(&self) -> Option<&Arc<dyn Parts>> {
        match self {
            Command::Empty(empty) => empty.parts.as_ref(),
            _ => None,
        }
    }

    /// [`DeviceCommand::ends_on_host`], of a command of the device.
    pub fn ends_on_host(&self) -> bool {
        matches!(self, Command::Device(command) if command.ends_on_host())
    }

    /// Takes back what making the command noted in its objects.
    pub fn withdraw(&self) {
        if let Command::Host(command) = self {
            command.withdraw();
        }
    }
}

/// The rest of a command, once the device has done its part. A recording that runs more than once has
/// it each time.
#[derive(Default)]
pub struct Retire {
    job: Option<Box<dyn FnMut() -> Result<()> + Send>>,
    alone: bool,
}

impl Retire {
    /// Nothing.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// `job`, which also owns whatever must live until then. What it reads is the recording's own, so
    /// that the recording runs alone.
    pub fn with(job: impl FnMut() -> Result<()> + Send + 'static) -> Self {
        Self {
            job: Some(Box::new(job)),
            alone: true,
        }
    }

    /// Nothing, for a recording that must not run twice at the same time: it writes memory of its own.
    pub fn alone() -> Self {
        Self {
            job: None,
            alone: true,
        }
    }

    /// Tells whether the recording must not run twice at the same time.
    pub fn is_alone(&self) -> bool {
        self.alone
    }

    /// Does it.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    pub fn run(&mut self) -> Result<()> {
        self.job.as_mut().map_or(Ok(()), |job| job())
    }
}
