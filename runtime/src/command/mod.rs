//! Commands as data: each is validated when it is made, and later recorded for the device or run
//! on the host. What a command needs it holds strong references to.

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

use opencl_sys as cl;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::gpu;
use crate::object::Ref;
use crate::queue::Queue;

/// Everything that a queue can run.
pub enum Command {
    /// clEnqueueRead/WriteBuffer(Rect).
    Transfer(transfer::Transfer),
    /// clEnqueueCopyBuffer(Rect).
    Copy(copy::Copy),
    /// clEnqueueFillBuffer.
    Fill(fill::Fill),
    /// clEnqueueRead/WriteImage.
    ImageTransfer(image::ImageTransfer),
    /// clEnqueueCopyImage(ToBuffer), clEnqueueCopyBufferToImage, clEnqueueFillImage.
    ImageCopy(Box<image_copy::ImageCopy>),
    /// clEnqueueMapBuffer, clEnqueueMapImage.
    Map(map::Map),
    /// clEnqueueUnmapMemObject.
    Unmap(map::Unmap),
    /// clEnqueueMigrateMemObjects.
    Migrate(migrate::Migrate),
    /// clEnqueueNDRangeKernel, clEnqueueTask.
    NdRange(Box<ndrange::NdRange>),
    /// clEnqueueNativeKernel.
    Native(native::Native),
    /// clEnqueueSVM*.
    Svm(svm::Svm),
    /// clEnqueueMarkerWithWaitList.
    Marker,
    /// clEnqueueBarrierWithWaitList.
    Barrier,
}

/// Where a command does its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Recorded for the device.
    Device,
    /// On the host, by any thread of ours or the enqueuing one.
    Host,
    /// On the host, in the application's code: only on the queue's host thread.
    Callback,
    /// Nothing but its place in the order.
    Nothing,
}

/// What is left to do when the device has run a command.
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
    pub fn run(self) -> Result<()> {
        self.0.map_or(Ok(()), |job| job())
    }
}

impl Command {
    /// CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> u32 {
        match self {
            Command::Transfer(transfer) => transfer.command_type,
            Command::Copy(copy) => copy.command_type,
            Command::Fill(_) => cl::CL_COMMAND_FILL_BUFFER,
            Command::ImageTransfer(transfer) => transfer.command_type(),
            Command::ImageCopy(copy) => copy.command_type,
            Command::Map(map) => map.command_type(),
            Command::Unmap(_) => cl::CL_COMMAND_UNMAP_MEM_OBJECT,
            Command::Migrate(_) => cl::CL_COMMAND_MIGRATE_MEM_OBJECTS,
            Command::NdRange(ndrange) => ndrange.command_type,
            Command::Native(_) => cl::CL_COMMAND_NATIVE_KERNEL,
            Command::Svm(svm) => svm.command_type,
            Command::Marker => cl::CL_COMMAND_MARKER,
            Command::Barrier => cl::CL_COMMAND_BARRIER,
        }
    }

    /// What a trace calls it.
    pub fn name(&self) -> &str {
        match self {
            Command::Transfer(_) => "transfer",
            Command::Copy(_) => "copy",
            Command::Fill(_) => "fill",
            Command::ImageTransfer(_) => "image transfer",
            Command::ImageCopy(_) => "image copy",
            Command::Map(_) => "map",
            Command::Unmap(_) => "unmap",
            Command::Migrate(_) => "migrate",
            Command::NdRange(ndrange) => ndrange.name(),
            Command::Native(_) => "native kernel",
            Command::Svm(_) => "SVM",
            Command::Marker => "marker",
            Command::Barrier => "barrier",
        }
    }

    /// Where it does its work.
    pub fn class(&self) -> Class {
        match self {
            Command::Transfer(_)
            | Command::ImageTransfer(_)
            | Command::Map(_)
            | Command::Unmap(_)
            | Command::Migrate(_) => Class::Host,
            Command::Copy(_) | Command::Fill(_) | Command::ImageCopy(_) => Class::Device,
            Command::NdRange(ndrange) => ndrange.class(),
            Command::Native(_) => Class::Callback,
            Command::Svm(svm) => svm.class(),
            Command::Marker | Command::Barrier => Class::Nothing,
        }
    }

    /// What the device must have reached before the command runs, besides its events: that of the
    /// program's initializers.
    pub fn startup(&self) -> Option<gpu::Wait> {
        match self {
            Command::NdRange(ndrange) => ndrange.startup(),
            _ => None,
        }
    }

    /// Records a [`Class::Device`] command.
    pub fn record(&self, queue: &Ref<Queue>, recorder: &mut gpu::Recorder) -> Result<Retire> {
        match self {
            Command::Copy(copy) => copy.record(queue, recorder),
            Command::Fill(fill) => fill.record(queue, recorder),
            Command::ImageCopy(copy) => copy.record(queue, recorder),
            Command::NdRange(ndrange) => ndrange.record(queue, recorder),
            Command::Transfer(_)
            | Command::ImageTransfer(_)
            | Command::Map(_)
            | Command::Unmap(_)
            | Command::Migrate(_)
            | Command::Native(_)
            | Command::Svm(_)
            | Command::Marker
            | Command::Barrier => Err(Error::InvalidOperation),
        }
    }

    /// Runs a command of the host's classes.
    pub fn run_on_host(&self, queue: &Ref<Queue>) -> Result<()> {
        match self {
            Command::Transfer(transfer) => transfer.run(queue),
            Command::ImageTransfer(transfer) => transfer.run(queue),
            Command::Map(map) => map.run(queue),
            Command::Unmap(unmap) => unmap.run(queue),
            Command::Migrate(migrate) => migrate.run(queue),
            Command::Native(native) => native.run(queue),
            Command::Svm(svm) => svm.run(queue),
            Command::Marker | Command::Barrier => Ok(()),
            Command::Copy(_) | Command::Fill(_) | Command::ImageCopy(_) | Command::NdRange(_) => {
                Err(Error::InvalidOperation)
            }
        }
    }
}

/// CL_INVALID_CONTEXT if a queue and an object belong to different contexts.
pub fn check_context(queue: &Ref<Queue>, context: &Ref<crate::context::Context>) -> Result<()> {
    if queue.context().handle() != context.handle() {
        return Err(Error::InvalidContext);
    }
    Ok(())
}

/// The events that an enqueue call waits for, and whether it gives one.
pub struct WaitList {
    /// The events of the wait list.
    pub events: Vec<Ref<Event>>,
    /// Whether the application takes the command's own event.
    pub gives_event: bool,
}

/// Enqueues a command that needs no check but its wait list's.
pub fn enqueue_plain(queue: &Ref<Queue>, command: Command, wait: WaitList) -> Result<Ref<Event>> {
    crate::scheduler::enqueue(queue, command, wait, false)
}
