//! clEnqueueNDRangeKernel and clEnqueueTask.

use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use pumice_vulkan_layer::BindingKind;
use smallvec::SmallVec;

use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::command::checks::Known;
use crate::command::enqueuing;
use crate::command::formed::{Asks, Formed, resolve};
use crate::command::image_arguments::{Staging, image_value};
use crate::command::traced;
use crate::command::{Command, DeviceCommand, Empty, Launched, Retire, Visit};
use crate::context::Placement;
use crate::device::{checks, gpu};
use crate::executable::{
    ArgBytes, ArgKind, ArgMeta, ArgValue, InitRun, Launch, LaunchError, NdRange, Prepared,
    RangeLimits, RangeRequest,
};
use crate::memory::image_rows::StagedUse;
use crate::memory::residency::Access;
use crate::memory::{Mem, device_address, written};
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel::{ArgBlock, Argument, Kernel, Rewritten};

/// The nanoseconds from which a launch takes long: a submission more or less is nothing beside it.
const LONG: u64 = 1_000_000;

/// The nanoseconds up to which a launch is short: NVIDIA's driver takes 20 µs for each launch where short ones are spread over
/// four queues (H100), 2 on one queue.
const SHORT: u64 = 50_000;

/// A kernel over a range.
pub(super) struct KernelLaunch {
    pub(super) command_type: u32,
    /// Keeps the kernel and its program.
    pub(super) kernel: Ref<Kernel>,
    pub(super) device_kernel: DeviceKernel,
    pub(super) args: ArgBlock,
    /// The buffers behind device pointers, among the arguments and beside them.
    pub(super) pointed_at: Vec<Ref<Mem>>,
    pub(super) request: RangeRequest,
    pub(super) range: NdRange,
    /// The number of the queue that it was prepared for, whose launches share memory in turn.
    pub(super) queue: usize,
    /// Everything that the dispatches need. Guards the printf buffer, which belongs to one recording:
    /// a launch that prints is prepared anew for each further one.
    pub(super) prepared: Mutex<Option<Ready>>,
    /// The program's initializers, while they may not have ended.
    pub(super) initializers: Option<Arc<InitRun>>,
    asks: Asks,
    /// See [`DeviceCommand::joins`].
    pub(super) joins: bool,
    /// [`Kernel::changes`] when it was made, if it serves for a later launch.
    made_at: OnceLock<u64>,
}

/// Everything that the dispatches of a launch need.
pub(super) struct Ready {
    pub(super) prepared: Prepared,
    /// Images that are rows of buffers.
    pub(super) staged: Vec<StagedUse>,
    /// The memory that it may access, for kernels with checks.
    pub(super) known: Option<Arc<Known>>,
}

/// CL_INVALID_WORK_DIMENSION if it is not 1, 2 or 3.
///
/// # Errors
/// [`Error::InvalidWorkDimension`].
pub fn check_dimensions(dimensions: u32) -> Result<()> {
    if !(1..=3).contains(&dimensions) {
        let reason = format!("work_dim is {dimensions}, not 1, 2 or 3");
        return Err(Error::InvalidWorkDimension.because(reason));
    }
    Ok(())
}

/// A command that is made of a launch.
enum Made {
    Launch(Arc<KernelLaunch>),
    /// A range of no work-items, or a kernel that enqueues others.
    Other(Command),
}

impl From<Made> for Command {
    fn from(made: Made) -> Self {
        match made {
            Made::Launch(launch) => Command::Device(launch),
            Made::Other(command) => command,
        }
    }
}

/// clEnqueueNDRangeKernel and clEnqueueTask, by `command_type`. A launch that repeats the kernel's last one
/// is that command again, while it has not ended.
///
/// # Errors
/// Those that the specification lists for clEnqueueNDRangeKernel and clEnqueueTask, in its order.
pub fn launch(
    on: &Placement,
    command_type: u32,
    kernel: &Ref<Kernel>,
    request: &RangeRequest,
) -> Result<Command> {
    let last = kernel.last_launch();
    let changes = last.changes;
    let before = (last.launch).and_then(|last| last.downcast::<KernelLaunch>().ok());
    let before = before.filter(|before| before.is_of(on, command_type, request));
    let rewritten = match before {
        Some(before) if last.rewritten.is_empty() => return Ok(Command::Device(before)),
        Some(before) => before.with_bytes(&last.rewritten).map(Arc::new),
        None => None,
    };
    let made = match rewritten {
        Some(launch) => Made::Launch(launch),
        None => make(on, command_type, kernel, || kernel.snapshot(), request)?,
    };
    if let Made::Launch(launch) = &made {
        if launch.can_repeat() {
            // Nobody else has set it: the launch is new.
            let _ = launch.made_at.set(changes);
            let launch: Weak<KernelLaunch> = Arc::downgrade(launch);
            kernel.note_launch(changes, launch);
        }
    }
    Ok(made.into())
}

/// Checks everything of a launch but its arguments, which are not all set yet.
///
/// # Errors
/// Those that the specification lists for clEnqueueNDRangeKernel, but for those of arguments.
pub fn check(on: &Placement, kernel: &Ref<Kernel>, request: &RangeRequest) -> Result<()> {
    on.check_context(kernel.program().context())?;
    let device_kernel = kernel.device_kernel(on.device())?;
    let limits = device_kernel.limits(on.device());
    resolve(kernel, device_kernel, &limits, request).map(drop)
}

/// clEnqueueNDRangeKernel with other arguments than the kernel has now.
///
/// # Errors
/// Those that the specification lists for clEnqueueNDRangeKernel, in its order.
pub fn launch_with(
    on: &Placement,
    command_type: u32,
    kernel: &Ref<Kernel>,
    args: impl FnOnce() -> Result<ArgBlock>,
    request: &RangeRequest,
) -> Result<Command> {
    make(on, command_type, kernel, args, request).map(Command::from)
}

/// As [`launch_with`].
fn make(
    on: &Placement,
    command_type: u32,
    kernel: &Ref<Kernel>,
    args: impl FnOnce() -> Result<ArgBlock>,
    request: &RangeRequest,
) -> Result<Made> {
    on.check_context(kernel.program().context())?;
    // CL_INVALID_PROGRAM_EXECUTABLE if the program was not built for the queue's device.
    let device_kernel = kernel.device_kernel(on.device())?;
    // CL_INVALID_KERNEL_ARGS if an argument has not been set.
    let args = args()?;
    let Formed {
        device_kernel,
        range,
        asks,
    } = Formed::new(on, (kernel, device_kernel), &args, request)?;
    // CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset does not suit the device.
    for (index, arg) in (0_u32..).zip(&args.values) {
        if let Some(Argument::Memory(object)) = arg {
            let checked = object.check_alignment(on.device());
            checked.map_err(|error| {
                let (origin, align) = (object.origin(), on.device().base_alignment());
                let reason = format!(
                    "its sub-buffer begins at byte {origin}, no multiple of the device's {align}"
                );
                kernel.arg_error(error, index, &reason)
            })?;
        }
    }
    if range.is_empty() {
        return Ok(Made::Other(Command::Empty(Empty {
            command_type,
            keeps: Some(Arc::new((kernel.clone(), args))),
            parts: None,
        })));
    }
    if device_kernel.info().enqueues {
        let kernel = (kernel, device_kernel);
        return enqueuing::command(on, command_type, kernel, args, range).map(Made::Other);
    }
    let pointed_at = pointed_at(on, &args);
    let prepared = prepare(on, kernel, &device_kernel, &args, &range)?;
    let initializers = run_initializers(on, &device_kernel)?;
    let joins = initializers.is_none() && prepared.is_simple();
    Ok(Made::Launch(Arc::new(KernelLaunch {
        command_type,
        kernel: kernel.clone(),
        device_kernel,
        args,
        pointed_at,
        request: *request,
        range,
        queue: on.number(),
        prepared: Mutex::new(Some(prepared)),
        initializers,
        asks,
        joins,
        made_at: OnceLock::new(),
    })))
}

/// clGetKernelSuggestedLocalWorkSize.
///
/// # Errors
/// Those that the specification lists for clGetKernelSuggestedLocalWorkSize, in its order.
pub fn suggest(on: &Placement, kernel: &Ref<Kernel>, request: &RangeRequest) -> Result<[u32; 3]> {
    on.check_context(kernel.program().context())?;
    let device_kernel = kernel.device_kernel(on.device())?;
    let device_kernel = device_kernel.for_arguments(&kernel.snapshot()?, on.device());
    // The application may give a launch what it is told: a size that is only chosen is no answer.
    let limits = device_kernel.limits(on.device());
    let limits = RangeLimits {
        uneven_choice: limits.non_uniform,
        ..limits
    };
    resolve(kernel, &device_kernel, &limits, request).map(|range| range.local_size)
}

/// Makes pipelines, descriptors and push constants, so that the call itself reports what is
/// missing.
pub(super) fn prepare(
    on: &Placement,
    kernel: &Kernel,
    device_kernel: &DeviceKernel,
    args: &ArgBlock,
    range: &NdRange,
) -> Result<Ready> {
    let (values, staged) = values(on, Some(on.number()), device_kernel, args)?;
    let known = (device_kernel.info().checked)
        .then(|| Arc::new(Known::new(on, device_kernel, args, &values, range)));
    let launch = Launch {
        checks: known.as_ref().map(|known| &known.table),
        kernel: device_kernel.index,
        range,
        args: &values,
        // Only checked: `enqueuing` prepares kernels that take the address.
        enqueue: Some(0),
        termination: on.context().termination_flag(on.index()),
        queue: on.number(),
        may_slice: true,
    };
    let gpu = on.device().gpu()?;
    let prepared = device_kernel.executable.prepare(gpu.raw(), &launch);
    let prepared = prepared.map_err(|error| refused(kernel, &error))?;
    Ok(Ready {
        prepared,
        staged,
        known,
    })
}

/// The arguments of a launch on the device.
pub(super) type Values = SmallVec<[Option<ArgValue>; 8]>;

/// The arguments on the device, and the images that are rows of buffers among them: those of the queue, or for `None`
/// of this launch alone.
pub(super) fn values(
    on: &Placement,
    queue: Option<usize>,
    device_kernel: &DeviceKernel,
    args: &ArgBlock,
) -> Result<(Values, Vec<StagedUse>)> {
    let mut staging = Staging {
        queue,
        uses: Vec::new(),
    };
    let mut values = Values::new();
    for (arg, meta) in args.values.iter().zip(&device_kernel.info().args) {
        let value = (arg.as_ref()).map(|arg| value(on, meta, arg, &mut staging));
        values.push(value.transpose()?);
    }
    Ok((values, staging.uses))
}

/// Names the contents that a kernel uses: those of its arguments and behind device pointers.
pub(super) fn uses(
    (args, pointed_at): (&ArgBlock, &[Ref<Mem>]),
    device_kernel: &DeviceKernel,
    visit: &mut Visit<'_>,
) -> Result<()> {
    // A kernel with checks marks what it writes.
    let marks = device_kernel.info().checked && checks::follows_buffers();
    let contents = |object: &Mem, kind| match (object.kernel_storage(), kind) {
        (Ok(storage), ArgKind::Buffer) if marks => written::marked(storage),
        _ => object.contents(),
    };
    for (arg, meta) in args.values.iter().zip(&device_kernel.info().args) {
        if let Some(Argument::Memory(object)) = arg {
            visit(contents(object, meta.kind), access(object, meta.kind))?;
        }
    }
    for object in pointed_at {
        let kind = ArgKind::Buffer;
        visit(contents(object, kind), access(object, kind))?;
    }
    Ok(())
}

/// Submits the program's initializers, before the first of its kernels on a device.
pub(super) fn run_initializers(
    on: &Placement,
    device_kernel: &DeviceKernel,
) -> Result<Option<Arc<InitRun>>> {
    let gpu = on.device().gpu()?;
    if !exit::begin_batch() {
        return Ok(None);
    }
    let run = device_kernel.executable.run_initializers(gpu.raw());
    // The end of the process waits until the device is idle.
    exit::batch_ended();
    run.map_err(|error| code(&error).because(format!("the program's initializer: {error}")))
}

/// The error of a launch that cannot be, with its reason.
pub(super) fn refused(kernel: &Kernel, error: &LaunchError) -> Error {
    match error {
        LaunchError::Args(index) => {
            kernel.arg_error(code(error), *index as u32, "its value is not of its kind")
        }
        _ => code(error).because(format!("kernel {}: {error}", kernel.name())),
    }
}

/// The OpenCL error of a launch that cannot be.
fn code(error: &LaunchError) -> Error {
    match error {
        LaunchError::Args(_) => Error::InvalidKernelArgs,
        LaunchError::WorkGroupSize(_) => Error::InvalidWorkGroupSize,
        LaunchError::WorkItemSize(_) => Error::InvalidWorkItemSize,
        LaunchError::GlobalOffset(_) => Error::InvalidGlobalOffset,
        LaunchError::GlobalSize(_) => Error::InvalidGlobalWorkSize,
        LaunchError::Misaligned(_) => Error::MisalignedSubBufferOffset,
        LaunchError::Format(_) => Error::ImageFormatNotSupported,
        LaunchError::Resources(_) => Error::OutOfResources,
        LaunchError::Vulkan(error) => gpu::error(error.clone()),
    }
}

/// An argument on the device; adds an image that is rows of a buffer to those that are staged.
fn value(
    on: &Placement,
    meta: &ArgMeta,
    arg: &Argument,
    staging: &mut Staging,
) -> Result<ArgValue> {
    match arg {
        Argument::Value(value) => Ok(value.clone()),
        Argument::Memory(object) => match meta.kind {
            ArgKind::Image { binding, raw, .. } => {
                image_value(on, object, (binding, raw), meta, staging)
            }
            _ => Ok(ArgValue::Buffer {
                buffer: object.kernel_storage()?.allocation(on.index())?,
                offset: object.origin() as u64,
                size: object.size() as u64,
            }),
        },
        // Another device gets the pointer alone.
        Argument::Shared { allocation, offset } if allocation.device() != on.index() => {
            Ok(ArgValue::Pointer((allocation.start() + offset) as u64))
        }
        Argument::Shared { allocation, offset } => Ok(ArgValue::Buffer {
            buffer: allocation.memory().clone(),
            offset: *offset as u64,
            size: (allocation.size() - offset) as u64,
        }),
        Argument::DevicePointer(address) => {
            let found = device_address::find(on.context(), on.index(), *address);
            let Some((buffer, offset)) = found else {
                return Ok(ArgValue::Pointer(*address));
            };
            Ok(ArgValue::Buffer {
                buffer: buffer.storage()?.allocation(on.index())?,
                offset,
                size: buffer.size() as u64 - offset,
            })
        }
        // As `enqueue.cl` numbers queues: 0 is CLK_NULL_QUEUE.
        Argument::Queue(queue) => {
            let handle = u64::from(queue.number()) + 1;
            Ok(ArgValue::Bytes(ArgBytes::from(&handle.to_le_bytes()[..])))
        }
        Argument::Sampler(sampler) => Ok(ArgValue::Sampler {
            desc: sampler.desc(),
            mask: sampler.mask(),
            lod: sampler.lod(),
        }),
    }
}

/// The buffers behind the device pointers of a launch.
pub(super) fn pointed_at(on: &Placement, args: &ArgBlock) -> Vec<Ref<Mem>> {
    let listed = args.values.iter().filter_map(|arg| match arg {
        Some(Argument::DevicePointer(address)) => Some(*address),
        _ => None,
    });
    let all = listed.chain(args.indirect.iter().copied());
    let found = all.filter_map(|address| device_address::find(on.context(), on.index(), address));
    found.map(|(buffer, _)| buffer).collect()
}

/// The use that a kernel makes of an argument that is a memory object.
fn access(mem: &Mem, kind: ArgKind) -> Access {
    let reads = matches!(
        kind,
        ArgKind::Image {
            binding: BindingKind::SampledImage | BindingKind::UniformTexelBuffer,
            ..
        }
    );
    match mem.kernel_writes() && !reads {
        true => Access::Write,
        false => Access::Read,
    }
}

impl KernelLaunch {
    /// Tells whether the command is of that kind, for that queue and of that range.
    fn is_of(&self, on: &Placement, command_type: u32, request: &RangeRequest) -> bool {
        let here = self.queue == on.number() && self.command_type == command_type;
        here && self.request == *request && self.has_right_form()
    }

    /// Tells whether a launch that is made now would take the kernel in the form that this one does.
    fn has_right_form(&self) -> bool {
        Asks::of(&self.device_kernel) == self.asks
    }

    /// A launch that can be repeated, with other bytes for some arguments; `None` unless these are all that has to
    /// change.
    fn with_bytes(&self, rewritten: &Rewritten) -> Option<Self> {
        let prepared = self.prepared.lock();
        let ready = prepared.as_ref().filter(|_| self.joins)?;
        let prepared = (self.device_kernel).rewrite(&ready.prepared, rewritten)?;
        let mut args = self.args.clone();
        for (ordinal, bytes) in rewritten {
            let value = Argument::Value(ArgValue::Bytes(bytes.clone()));
            args.values[*ordinal as usize] = Some(value);
        }
        Some(Self {
            kernel: self.kernel.clone(),
            device_kernel: self.device_kernel.clone(),
            args,
            pointed_at: Vec::new(),
            prepared: Mutex::new(Some(Ready::of(prepared))),
            initializers: None,
            made_at: OnceLock::new(),
            ..*self
        })
    }

    /// Tells whether the command serves for a later launch with equal arguments: addresses may be found in other
    /// buffers then, initializers have ended, and what a launch prints or reports has a buffer of its own.
    fn can_repeat(&self) -> bool {
        let mut args = self.args.values.iter();
        let has_address = args.any(|arg| matches!(arg, Some(Argument::DevicePointer(_))));
        let prepared = self.prepared.lock();
        let prints = (prepared.as_ref()).is_none_or(|ready| ready.prepared.printf().is_some());
        !has_address
            && self.args.indirect.is_empty()
            && self.initializers.is_none()
            && !prints
            && !self.device_kernel.info().checked
    }
}

impl DeviceCommand for KernelLaunch {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn details(&self) -> Fields {
        let prepared = self.prepared.lock();
        let items = (prepared.as_ref()).map_or(1, |ready| ready.prepared.items_per_invocation());
        traced::launch(
            (&self.kernel, &self.device_kernel),
            (&self.range, items),
            (&self.args, &self.pointed_at),
        )
    }

    fn initializers(&self) -> Vec<gpu::Wait> {
        let run = self.initializers.iter();
        run.filter_map(|run| run.wait()).collect()
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        uses((&self.args, &self.pointed_at), &self.device_kernel, visit)
    }

    fn record_untimed(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<bool> {
        self.generate_code(on, recorder)
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        self.record_from(on, recorder, 0)
    }

    fn record_again(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<()> {
        self.dispatch_again(on, recorder)
    }

    fn is_light(&self) -> bool {
        self.joins
    }

    fn may_take_long(&self) -> bool {
        let polls = |arg: &Option<Argument>| matches!(arg, Some(Argument::Shared { allocation, .. }) if allocation.has_atomics());
        self.kernel.last_time() >= LONG || self.args.values.iter().any(polls)
    }

    fn is_short(&self) -> bool {
        (1..=SHORT).contains(&self.kernel.last_time())
    }

    fn note_time(&self, nanoseconds: u64) {
        self.kernel.note_time(nanoseconds);
        self.device_kernel.note_time(nanoseconds);
    }

    fn is_launch(&self, launch: &Launched<'_>) -> bool {
        Arc::ptr_eq(&self.kernel, launch.kernel)
            && self.made_at.get() == Some(&launch.kernel.changes())
            && self.has_right_form()
            && self.command_type == launch.command_type
            && self.request == *launch.request
    }

    fn takes_turns(&self, on: &Placement) -> bool {
        self.shares_memory(on)
    }

    fn ends_on_host(&self) -> bool {
        let info = self.device_kernel.info();
        self.initializers.is_some() || info.may_use_printf || info.checked
    }

    fn joins(&self) -> bool {
        self.joins
    }

    fn is_dispatch(&self) -> bool {
        self.joins
    }

    fn slices(&self, on: &Placement) -> usize {
        self.count_slices(on)
    }

    fn record_slice(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
        slice: usize,
    ) -> Result<Retire> {
        if slice + 1 < self.count_slices(on) {
            return self.record_early(recorder, slice);
        }
        self.record_from(on, recorder, slice)
    }
}
