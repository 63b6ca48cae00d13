//! Commands as data: validated when they are made, then recorded for the device or run on the host,
//! as often as their holder likes. A command holds strong references to all that it needs.
//!
//! Each function that makes a command takes the [`Placement`] that it is for and returns
//! `Result<Command>`; it checks its arguments in the order of the specification's errors. Commands know
//! no queue and no event: [`crate::queue::Queue::enqueue`] gives them their place and their time.
//!
//! Invariant: recording or running a command changes nothing in it that another recording or run could
//! notice.

pub mod copy;
pub mod fill;
pub mod image;
pub mod image_copy;
pub mod map;
pub mod migrate;
pub mod native;
pub mod ndrange;
pub mod svm;
pub mod transfer;

use std::any::Any;
use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::Result;
use crate::context::Placement;
use crate::device::gpu;

/// A command that the device does.
pub trait DeviceCommand: Send + Sync {
    /// CL_EVENT_COMMAND_TYPE.
    fn command_type(&self) -> u32;

    /// Its name in a trace.
    fn name(&self) -> &str;

    /// The wait for the program's initializers, which the device must have ended before.
    fn initializers(&self) -> Option<gpu::Wait> {
        None
    }

    /// Records the work.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire>;
}

/// A command that the host does.
pub trait HostCommand: Send + Sync {
    /// CL_EVENT_COMMAND_TYPE.
    fn command_type(&self) -> u32;

    /// Its name in a trace.
    fn name(&self) -> &str;

    /// Tells whether it runs the application's code, which only the queue's host thread does; any other
    /// command runs on a thread of ours or the enqueuing one.
    fn calls_application(&self) -> bool {
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

    /// Takes back what making the command noted in its objects.
    pub fn withdraw(&self) {
        if let Command::Host(command) = self {
            command.withdraw();
        }
    }
}

/// The rest of a command, once the device has done its part.
#[derive(Default)]
pub struct Retire(Option<Box<dyn FnOnce() -> Result<()> + Send>>);

impl Retire {
    /// Nothing.
    pub fn nothing() -> Self {
        Self(None)
    }

    /// `job`, which also owns whatever must live until then.
    pub fn with(job: impl FnOnce() -> Result<()> + Send + 'static) -> Self {
        Self(Some(Box::new(job)))
    }

    /// Does it.
    ///
    /// # Errors
    /// The status that the command's event ends with.
    pub fn run(self) -> Result<()> {
        self.0.map_or(Ok(()), |job| job())
    }
}
