//! Kernels that enqueue kernels: a command of the host, which ends when everything that the kernel has
//! led to has ended (docs/device-enqueue.md).

use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Result;
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::trace;
use crate::command::image_arguments;
use crate::command::ndrange;
use crate::command::output::Output;
use crate::command::traced;
use crate::command::{Command, HostCommand, Part};
use crate::context::Placement;
use crate::context::device_queue::DeviceQueue;
use crate::device::gpu;
use crate::device::queue_limits::LEAST_SIZE;
use crate::executable::{DeviceQueues, Launch, LaunchError, NdRange, Observer, QueueDevice, Ran};
use crate::memory::Mem;
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel::{ArgBlock, Argument, Kernel};
use crate::program::own_kernels;

/// A kernel over a range, with the queues that it can reach.
struct Enqueuing {
    command_type: u32,
    kernel: Ref<Kernel>,
    device_kernel: DeviceKernel,
    args: ArgBlock,
    range: NdRange,
    /// The buffers behind device pointers.
    pointed_at: Vec<Ref<Mem>>,
    default: Option<Ref<DeviceQueue>>,
    /// Of the last run, while there is a trace.
    parts: Mutex<Vec<Part>>,
    /// The end of the last run's launch.
    end: Mutex<Option<gpu::Time>>,
}

/// The command of a launch whose arguments and range have been checked.
///
/// # Errors
/// Those of a launch that cannot be made.
pub(super) fn command(
    on: &Placement,
    command_type: u32,
    (kernel, device_kernel): (&Ref<Kernel>, DeviceKernel),
    args: ArgBlock,
    range: NdRange,
) -> Result<Command> {
    // The memory that the kernel enqueues into is there only when it runs: the rest is reported now.
    drop(ndrange::prepare(on, kernel, &device_kernel, &args, &range)?);
    Ok(Command::Host(Arc::new(Enqueuing {
        command_type,
        kernel: kernel.clone(),
        device_kernel,
        pointed_at: ndrange::pointed_at(on, &args),
        args,
        range,
        parts: Mutex::default(),
        end: Mutex::default(),
        default: on.context().default_device_queue(on.device()),
    })))
}

/// A submission's kernels as a trace shows them.
fn part(ran: &Ran<'_>) -> Part {
    let all: u64 = ran.kernels.iter().map(|(_, count)| count).sum();
    let counts = (ran.kernels.iter()).fold(Fields::default(), |fields, (name, count)| {
        fields.with(name, count)
    });
    let counts = match ran.by_graph {
        true => counts.text("by", "a work graph"),
        false => counts,
    };
    Part {
        name: match ran.kernels {
            [(name, _)] => (*name).to_string(),
            _ => format!("{all} enqueued kernels"),
        },
        times: ran.times,
        details: counts,
    }
}

impl Enqueuing {
    fn queues(&self) -> DeviceQueues {
        let mut queues = DeviceQueues::default();
        let given = self.args.values.iter().filter_map(|arg| match arg {
            Some(Argument::Queue(queue)) => Some(queue),
            _ => None,
        });
        for queue in given.chain(&self.default) {
            queues.bytes[queue.number() as usize] = queue.size().max(LEAST_SIZE);
        }
        queues.default = self.default.as_ref().map(|queue| queue.number());
        queues.uniform_groups = self.device_kernel.uniform_groups;
        queues
    }
}

impl HostCommand for Enqueuing {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn details(&self) -> Fields {
        traced::launch(
            (&self.kernel, &self.device_kernel),
            (&self.range, 1),
            (&self.args, &self.pointed_at),
        )
    }

    fn is_for_device(&self) -> bool {
        true
    }

    fn takes_long(&self) -> bool {
        true
    }

    fn own_end(&self) -> Option<u64> {
        self.end.lock().as_ref()?.read()
    }

    fn parts(&self) -> Vec<Part> {
        std::mem::take(&mut self.parts.lock())
    }

    fn run(&self, on: &Placement) -> Result<()> {
        let used = (&self.args, &self.pointed_at[..]);
        ndrange::uses(used, &self.device_kernel, &mut |contents, access| {
            contents.bring(on.index(), access)?;
            // The kernel runs on a queue of its own.
            contents.finish_clear()
        })?;
        let initializers = ndrange::run_initializers(on, &self.device_kernel)?;
        let waits: Vec<_> = (initializers.iter()).filter_map(|run| run.wait()).collect();
        // It runs beside the queue's other launches: images of buffers are not theirs in turn.
        let (values, staged) = ndrange::values(on, None, &self.device_kernel, &self.args)?;
        let launch = Launch {
            kernel: self.device_kernel.index,
            range: &self.range,
            args: &values,
            enqueue: None,
            checks: None,
            termination: on.context().termination_flag(on.index()),
            queue: on.number(),
            may_slice: false,
        };
        let executable = self.device_kernel.executable.clone();
        let mut output = Output::new(&executable, &self.kernel, on, initializers);
        output.print()?;
        let run = executable.run_enqueueing(
            QueueDevice {
                device: on.device().gpu()?.raw(),
                scheduler: &|| {
                    let own = own_kernels::of_device_queues(on.device());
                    own.map_err(|error| LaunchError::Resources(error.to_string()))
                },
            },
            &launch,
            &self.queues(),
            &waits,
            &|prepared, recorder| {
                let recorded = image_arguments::record_staged(prepared, &staged, .., recorder);
                recorded.map_err(|error| LaunchError::Resources(error.to_string()))
            },
            Observer {
                print: &mut |buffer| {
                    let printed = output.print_buffer(buffer);
                    printed.map_err(|error| LaunchError::Resources(error.to_string()))
                },
                tell: trace::enabled()
                    .then_some(&|ran: &Ran<'_>| self.parts.lock().push(part(ran))),
                end_of_launch: &|timestamp| {
                    *self.end.lock() = on.device().gpu().ok().map(|gpu| gpu.time(timestamp));
                },
                is_over: &|| on.context().is_terminated(),
            },
        );
        crate::base::printf::flush();
        run.map_err(|error| ndrange::refused(&self.kernel, &error))
    }
}
