//! Command queues and events.
//!
//! - `properties.rs`: the properties of queues
//! - `event.rs`: the state of a command, and the commands that wait for it
//! - `order.rs`: the order that the queue itself asks for
//! - `open_batch.rs`: the batch that is being recorded
//! - `batch.rs`: recording and submission, without knowledge of events' ends
//! - `schedule.rs`: the one place that decides when a command runs and ends it
//! - `watch.rs`: batches whose ends no thread is woken for
//! - `spent.rs`: batches that have ended, and the time that the device has spent on them
//! - `untold.rs`: failures of commands whose events nobody has
//! - `wait.rs`: waiting and polling, which move commands on
//! - `enqueue.rs`: the one entry of commands
//! - `blocking.rs`: the return of calls that block
//! - `join.rs`: commands that need no event of their own
//! - `gl.rs`: events of OpenGL's fences, and the order between a queue and OpenGL
//! - `worker.rs`: the helper threads of a queue
//!
//! docs/runtime.md tells the life of a command.

mod batch;
mod blocking;
mod enqueue;
pub mod event;
pub mod gl;
mod join;
mod open_batch;
mod order;
mod pace;
pub mod properties;
mod schedule;
mod spent;
mod untold;
mod wait;
mod watch;
mod worker;

use std::sync::{Arc, Weak};

use opencl_sys as cl;
use parking_lot::{Mutex, ReentrantMutex};

use self::batch::Lane;
use self::event::{Event, Node};
use self::order::QueueOrder;
use self::properties::{CL_QUEUE_FAMILY_INTEL, CL_QUEUE_INDEX_INTEL, QueueProperties};
use self::untold::Untold;
use self::wait::Spinning;
use self::watch::Waiting;
use self::worker::Worker;
use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::log;
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::base::trace;
use crate::context::{Context, Placement};
use crate::device::Device;
use crate::device::gpu;

/// The events that an enqueue call waits for, and whether it gives one.
#[derive(Default)]
pub struct WaitList {
    /// The events of the wait list.
    pub events: Vec<Ref<Event>>,
    /// True if the application takes the command's own event.
    pub gives_event: bool,
}

/// The most VkQueues that the commands of one out-of-order queue are spread over.
const MOST_LANES: u32 = 4;

/// A command queue object.
pub struct Queue {
    on: Placement,
    properties: u64,
    /// The list given to clCreateCommandQueueWithProperties, with its terminator.
    property_list: Option<Vec<u64>>,
    /// Its track in a trace.
    track: u64,
    order: QueueOrder,
    /// One at least.
    lanes: Vec<Lane>,
    /// Held by the thread that ends finished batches, so that they end in their order.
    ending: ReentrantMutex<()>,
    /// Runs host commands.
    host_thread: Worker<Arc<Node>>,
    untold: Untold,
    /// The last command whose call blocked and returned before its end.
    left: Mutex<Weak<Object<Event>>>,
    spinning: Spinning,
    waiting: Waiting,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("properties", &self.properties)
            .finish_non_exhaustive()
    }
}

impl Kind for Queue {
    const TAG: u64 = u64::from_le_bytes(*b"pmcQUEUE");
    const INVALID: Error = Error::InvalidCommandQueue;

    fn error_callback(&self) -> Option<Callback> {
        self.on.context().error_callback()
    }
}

/// Guards the queues of all contexts.
static QUEUES: Mutex<Vec<Weak<Object<Queue>>>> = Mutex::new(Vec::new());

/// The queues of a context.
fn of_context(context: &Ref<Context>) -> Vec<Ref<Queue>> {
    let all: Vec<_> = QUEUES.lock().iter().filter_map(Weak::upgrade).collect();
    let is_its = |queue: &Ref<Queue>| queue.context().handle() == context.handle();
    all.into_iter().filter(is_its).collect()
}

/// Waits until all commands of a context have ended, as clFinish does for one queue.
pub fn finish_all(context: &Ref<Context>) {
    of_context(context).iter().for_each(Object::wait_all);
}

/// clTerminateContextKHR.
///
/// # Errors
/// Those that the specification lists for clTerminateContextKHR, in its order.
pub fn terminate(context: &Ref<Context>) -> Result<()> {
    context.terminate()?;
    let queues = of_context(context);
    let ended: usize = queues.iter().map(|queue| queue.terminate()).sum();
    let line = format!("the context is terminated; {ended} commands had not ended");
    log::info!("{line}");
    context.notify(&line);
    Ok(())
}

impl Queue {
    /// clCreateCommandQueueWithProperties, after the list.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateCommandQueueWithProperties, in its order.
    pub fn create(
        context: &Ref<Context>,
        device: &Ref<Device>,
        properties: QueueProperties,
        property_list: Option<Vec<u64>>,
    ) -> Result<Ref<Queue>> {
        // CL_INVALID_DEVICE if device is not associated with context.
        let on = Placement::new(context, device)?;
        let out_of_order = properties.bits & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let lanes = match (out_of_order, properties.index) {
            (true, None) => MOST_LANES.min(device.capabilities().opened_queues()),
            _ => 1,
        };
        let gpu = device.gpu()?;
        let streams = (0..lanes).map(|_| gpu.create_stream(properties.index));
        let streams = streams.collect::<Result<_>>()?;
        let properties = properties.bits;
        let queue = Object::new(Queue {
            on,
            properties,
            property_list,
            track: trace::queue_track(device.name(), || {
                let driver = &device.capabilities().driver;
                format!("{} {}", driver.name, driver.info)
            }),
            order: QueueOrder::new(out_of_order),
            lanes: Lane::all(streams, out_of_order),
            ending: ReentrantMutex::new(()),
            host_thread: Worker::new("pumice-host"),
            untold: Untold::default(),
            left: Mutex::default(),
            spinning: Spinning::new(gpu.raw().poll_time()),
            waiting: Waiting::default(),
        });
        let keeper = Arc::downgrade(&queue);
        gpu.add_keeper(keeper);
        let mut all = QUEUES.lock();
        all.retain(|queue| queue.strong_count() > 0);
        all.push(Arc::downgrade(&queue));
        drop(all);
        let others = of_context(context);
        others.iter().for_each(|other| other.wait_left());
        Ok(queue)
    }

    /// The device, in its context, that commands of this queue are made for.
    pub fn on(&self) -> &Placement {
        &self.on
    }

    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        self.on.context()
    }

    /// The device.
    pub fn device(&self) -> &Ref<Device> {
        self.on.device()
    }

    /// Tells whether CL_QUEUE_PROFILING_ENABLE is set.
    pub fn profiling(&self) -> bool {
        self.properties & cl::CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// CL_QUEUE_PROPERTIES.
    pub fn properties(&self) -> u64 {
        self.properties
    }

    /// Begins commands of the queue's device that are to be run more than once.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY.
    pub fn reusable_recorder(&self) -> Result<gpu::Recorder> {
        self.lanes[0].stream().reusable_recorder()
    }

    /// Tells whether CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE is set.
    pub fn out_of_order(&self) -> bool {
        self.properties & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
    }
}

impl Object<Queue> {
    /// clGetCommandQueueInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names, [`Error::InvalidCommandQueue`] for those of device
    /// queues.
    pub fn info(self: &Ref<Queue>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_QUEUE_CONTEXT => Info::object(self.context()),
            cl::CL_QUEUE_DEVICE => Info::object(self.device()),
            cl::CL_QUEUE_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_QUEUE_PROPERTIES => Info::u64(self.properties),
            cl::CL_QUEUE_PROPERTIES_ARRAY => {
                Info::u64s(self.property_list.as_deref().unwrap_or_default())
            }
            cl::CL_QUEUE_DEVICE_DEFAULT => {
                Info::optional(self.context().default_device_queue(self.device()).as_ref())
            }
            CL_QUEUE_FAMILY_INTEL => Info::u32(0),
            CL_QUEUE_INDEX_INTEL => Info::u32(self.lanes[0].stream().index()),
            // CL_INVALID_COMMAND_QUEUE: CL_QUEUE_SIZE is a device queue's.
            cl::CL_QUEUE_SIZE => return Err(Error::InvalidCommandQueue),
            _ => return Err(Error::InvalidValue),
        })
    }
}
