//! Kernel objects and their arguments.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::base::error::{Error, Result};
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::context::svm::Allocation;
use crate::device::Device;
use crate::executable::{ArgBytes, ArgKind, ArgMeta, ArgValue, KernelInfo};
use crate::memory::Mem;
use crate::program::Program;
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel_checks::unknown_name;

pub use crate::program::arguments::{ArgBlock, Argument};

/// An argument as the kernel object stores it: clSetKernelArg retains no memory, whose
/// destructor callbacks and release do not wait for the kernel.
#[derive(Clone)]
enum Stored {
    /// Everything but memory.
    Held(Argument),
    Memory(Weak<Object<Mem>>),
    /// A pointer into shared memory, and the allocation that it led into when it was set.
    Shared {
        allocation: Weak<Allocation>,
        address: usize,
    },
}

impl Stored {
    fn of(value: Argument) -> Self {
        match value {
            Argument::Memory(object) => Stored::Memory(Arc::downgrade(&object)),
            Argument::Shared { allocation, offset } => Stored::Shared {
                allocation: Arc::downgrade(&allocation),
                address: allocation.start() + offset,
            },
            value => Stored::Held(value),
        }
    }

    /// Its bytes, if it is no object or size.
    fn bytes(&self) -> Option<&ArgBytes> {
        match self {
            Stored::Held(Argument::Value(ArgValue::Bytes(bytes))) => Some(bytes),
            _ => None,
        }
    }

    /// Tells whether a launch with either is the same.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Stored::Memory(one), Stored::Memory(other)) => one.ptr_eq(other),
            (
                Stored::Shared {
                    allocation: one,
                    address,
                },
                Stored::Shared {
                    allocation: other,
                    address: at,
                },
            ) => one.ptr_eq(other) && address == at,
            (Stored::Held(one), Stored::Held(other)) => one.same(other),
            _ => false,
        }
    }
}

/// The arguments of the next enqueue, as the kernel object holds them.
#[derive(Clone, Default)]
struct Arguments {
    values: Vec<Option<Stored>>,
    /// As in [`ArgBlock`].
    indirect: Vec<u64>,
}

/// A launch as the kernel object knows it.
pub type AnyLaunch = dyn Any + Send + Sync;

/// Ordinals of arguments with their bytes.
pub type Rewritten = SmallVec<[(u32, ArgBytes); 2]>;

/// The launch that was last made with the arguments.
pub struct LastLaunch {
    /// The number of changes of the arguments so far.
    pub changes: u64,
    /// It, if a queue or the application still has it.
    pub launch: Option<Arc<AnyLaunch>>,
    /// The arguments of which only the bytes have changed since. All others are as they were.
    pub rewritten: Rewritten,
}

/// The arguments, and the launch that was last made with them.
#[derive(Default)]
struct State {
    args: Arguments,
    /// The number of changes of the arguments.
    changes: u64,
    /// It holds memory objects, so the kernel object does not hold it.
    launch: Option<Weak<AnyLaunch>>,
    /// Ordinals of the arguments of which only the bytes have changed since.
    rewritten: SmallVec<[u32; 4]>,
}

impl State {
    /// Notes a change of the arguments.
    fn changed(&mut self) {
        self.changes += 1;
        self.launch = None;
        self.rewritten.clear();
    }

    /// Notes that an argument has other bytes.
    fn rewrote(&mut self, index: u32) {
        self.changes += 1;
        if self.launch.is_some() && !self.rewritten.contains(&index) {
            self.rewritten.push(index);
        }
    }

    /// The bytes of an argument that has some.
    fn bytes(&self, index: u32) -> Option<(u32, ArgBytes)> {
        let stored = self.args.values[index as usize].as_ref()?;
        Some((index, stored.bytes()?.clone()))
    }
}

/// A kernel object.
pub struct Kernel {
    program: Ref<Program>,
    name: String,
    /// By the program's devices; `None` where it has no executable for the device.
    device_kernels: Vec<Option<DeviceKernel>>,
    /// Guards the arguments.
    state: Mutex<State>,
    /// [`State::changes`], for reading without the lock.
    changes: AtomicU64,
    /// The nanoseconds that its last launch to end took at most.
    last_time: AtomicU64,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Kind for Kernel {
    const TAG: u64 = u64::from_le_bytes(*b"pmcKERNL");
    const INVALID: Error = Error::InvalidKernel;

    fn error_callback(&self) -> Option<Callback> {
        self.program.error_callback()
    }
}

impl Kernel {
    /// clCreateKernel.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateKernel, in its order.
    pub fn create(program: &Ref<Program>, name: &str) -> Result<Ref<Kernel>> {
        program.context().check_live()?;
        let builds = program.ended_builds().clone();
        // CL_INVALID_PROGRAM_EXECUTABLE if there is no executable for any device.
        if builds.iter().all(|b| b.runnable().is_none()) {
            let reason = "the program has not been built for any device";
            return Err(Error::InvalidProgramExecutable.because(reason));
        }
        let device_kernels: Vec<Option<DeviceKernel>> = builds
            .into_iter()
            .map(|build| {
                let executable = build.runnable()?.clone();
                let index = executable.kernels().iter().position(|k| k.name == name)?;
                Some(DeviceKernel {
                    executable,
                    by_descriptors: build.by_descriptors,
                    coarse: build.coarse,
                    groups_of_one: build.groups_of_one,
                    large_local: build.large_local,
                    index,
                    uniform_groups: build.uniform_groups,
                    robust: build.robust,
                })
            })
            .collect();
        // CL_INVALID_KERNEL_NAME if no device has a kernel of this name.
        let mut infos = device_kernels.iter().flatten().map(DeviceKernel::info);
        let first = infos.next().ok_or_else(|| unknown_name(program, name))?;
        // CL_INVALID_KERNEL_DEFINITION if its arguments differ between devices.
        let kinds = |info: &KernelInfo| info.args.iter().map(|a| a.kind).collect::<Vec<_>>();
        if infos.any(|info| kinds(info) != kinds(first)) {
            let reason = format!("the arguments of kernel {name} differ between devices");
            return Err(Error::InvalidKernelDefinition.because(reason));
        }
        let args = Arguments {
            values: vec![None; first.args.len()],
            indirect: Vec::new(),
        };
        Ok(Self::attached(
            program,
            name.to_string(),
            device_kernels,
            args,
        ))
    }

    /// clCreateKernelsInProgram.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateKernelsInProgram, in its order.
    pub fn create_all(program: &Ref<Program>) -> Result<Vec<Ref<Kernel>>> {
        program.context().check_live()?;
        program
            .kernel_names()?
            .iter()
            .map(|name| Self::create(program, name))
            .collect()
    }

    fn attached(
        program: &Ref<Program>,
        name: String,
        device_kernels: Vec<Option<DeviceKernel>>,
        args: Arguments,
    ) -> Ref<Kernel> {
        program.count_kernel(1);
        Object::new(Kernel {
            program: program.clone(),
            name,
            device_kernels,
            state: Mutex::new(State {
                args,
                ..State::default()
            }),
            changes: AtomicU64::new(0),
            last_time: AtomicU64::new(0),
        })
    }

    /// clCloneKernel.
    ///
    /// # Errors
    /// [`Error::ContextTerminated`].
    pub fn duplicate(&self) -> Result<Ref<Kernel>> {
        self.program.context().check_live()?;
        Ok(Self::attached(
            &self.program,
            self.name.clone(),
            self.device_kernels.clone(),
            self.state.lock().args.clone(),
        ))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program.
    pub fn program(&self) -> &Ref<Program> {
        &self.program
    }

    /// The kernel on a device.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE if the program was not built for the device.
    pub fn device_kernel(&self, device: &Ref<Device>) -> Result<&DeviceKernel> {
        self.program
            .device_index(device)
            .and_then(|index| self.device_kernels[index].as_ref())
            .ok_or_else(|| {
                let reason = format!("kernel {} has not been built for this device", self.name);
                Error::InvalidProgramExecutable.because(reason)
            })
    }

    /// Tells whether a launch took the form with descriptors where there is one with addresses too.
    pub fn is_second_form(&self, launched: &DeviceKernel) -> bool {
        let forms = self.device_kernels.iter().flatten();
        let mut forms = forms.filter_map(|kernel| kernel.by_descriptors.as_ref());
        forms.any(|form| Arc::ptr_eq(form, &launched.executable))
    }

    /// Its description, the same for all devices as far as arguments go.
    pub(super) fn description(&self) -> Result<&KernelInfo> {
        let first = self.device_kernels.iter().flatten().next();
        let first = first.ok_or(Error::InvalidProgramExecutable)?;
        Ok(first.info())
    }

    pub(super) fn arg(&self, index: u32) -> Result<&ArgMeta> {
        // CL_INVALID_ARG_INDEX if arg_index is not one of the kernel's.
        let args = &self.description()?.args;
        args.get(index as usize).ok_or_else(|| {
            let (name, count) = (&self.name, args.len());
            let plural = if count == 1 { "" } else { "s" };
            let reason = format!("kernel {name} has {count} argument{plural}, index {index} given");
            Error::InvalidArgIndex.because(reason)
        })
    }

    /// The kind of an argument, which decides what clSetKernelArg takes.
    ///
    /// # Errors
    /// [`Error::InvalidArgIndex`].
    pub fn arg_kind(&self, index: u32) -> Result<ArgKind> {
        self.arg(index).map(|arg| arg.kind)
    }

    /// Stores an argument whose handle, if it is one, is already resolved. `size` is arg_size.
    ///
    /// # Errors
    /// Those that the specification lists for clSetKernelArg, in its order.
    pub fn set_arg(&self, index: u32, size: usize, value: Option<Argument>) -> Result<()> {
        let kind = self.arg_kind(index)?;
        let value = match (kind, value) {
            (ArgKind::Unused, _) => Argument::Value(ArgValue::Null),
            // CL_INVALID_ARG_VALUE if arg_value is NULL for an argument that needs one, or is
            // not NULL for a local one.
            (ArgKind::Local, Some(_)) => {
                let reason = "arg_value of a local argument must be NULL";
                return Err(self.arg_error(Error::InvalidArgValue, index, reason));
            }
            (ArgKind::Pod { .. }, None) => {
                return Err(self.arg_error(Error::InvalidArgValue, index, "arg_value is NULL"));
            }
            // Since OpenCL 3.1 a local argument may have no bytes.
            (ArgKind::Local, None) => Argument::Value(ArgValue::Local { size: size as u64 }),
            (ArgKind::Pod { size: expected }, Some(value)) => {
                self.check_arg_size(index, size, expected as usize)?;
                value
            }
            (ArgKind::Buffer, value) if self.arg(index)?.is_pipe() => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                // CL_INVALID_MEM_OBJECT if arg_value is NULL or holds no pipe.
                let value = value.ok_or_else(|| {
                    self.arg_error(Error::InvalidMemObject, index, "arg_value is NULL")
                })?;
                let no_pipe = |error| self.arg_error(error, index, "a pipe is expected");
                let Argument::Memory(pipe) = &value else {
                    return Err(no_pipe(Error::InvalidMemObject));
                };
                self.check_memory(index, pipe)?;
                pipe.pipe().map_err(no_pipe)?;
                value
            }
            (ArgKind::Buffer, value) => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                let value = value.unwrap_or(Argument::Value(ArgValue::Null));
                if let Argument::Memory(buffer) = &value {
                    self.check_memory(index, buffer)?;
                    // CL_INVALID_MEM_OBJECT if it is no buffer.
                    buffer
                        .storage()
                        .map_err(|error| self.arg_error(error, index, "a buffer is expected"))?;
                    self.check_writes(index, buffer)?;
                }
                value
            }
            (meta @ ArgKind::Image { .. }, value) => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                // CL_INVALID_MEM_OBJECT if arg_value is NULL or holds no image.
                let value = value.ok_or_else(|| {
                    self.arg_error(Error::InvalidMemObject, index, "arg_value is NULL")
                })?;
                let Argument::Memory(image) = &value else {
                    return Err(self.arg_error(
                        Error::InvalidMemObject,
                        index,
                        "the image is NULL",
                    ));
                };
                self.check_memory(index, image)?;
                self.check_image(index, image, meta)?;
                value
            }
            (ArgKind::Queue, value) => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                self.check_queue(index, value)?
            }
            (ArgKind::Sampler, value) => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                // CL_INVALID_SAMPLER if arg_value is NULL or holds none of the kernel's context.
                match value {
                    Some(Argument::Sampler(sampler))
                        if sampler.context().handle() == self.program.context().handle() =>
                    {
                        Argument::Sampler(sampler)
                    }
                    _ => {
                        let reason = "a sampler of the kernel's context is expected";
                        return Err(self.arg_error(Error::InvalidSampler, index, reason));
                    }
                }
            }
        };
        self.store(index, value);
        Ok(())
    }

    /// Stores an argument that has passed its checks.
    pub(super) fn store(&self, index: u32, value: Argument) {
        let value = Stored::of(value);
        let mut state = self.state.lock();
        let slot = &mut state.args.values[index as usize];
        if slot.as_ref().is_some_and(|before| before.same(&value)) {
            return;
        }
        let only_bytes = value.bytes().is_some();
        let before = slot.replace(value);
        match before
            .as_ref()
            .is_some_and(|before| before.bytes().is_some())
            && only_bytes
        {
            true => state.rewrote(index),
            false => state.changed(),
        }
        self.changes.store(state.changes, Ordering::Release);
        drop(state);
        drop(before);
    }

    /// Stores the addresses of [`ArgBlock::indirect`].
    pub(super) fn store_indirect(&self, addresses: Vec<u64>) {
        let mut state = self.state.lock();
        state.args.indirect = addresses;
        state.changed();
        self.changes.store(state.changes, Ordering::Release);
    }

    /// The number of changes of the arguments so far.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// The nanoseconds that its last launch to end took on a device at most, its first one with the time to compile it.
    pub fn last_time(&self) -> u64 {
        self.last_time.load(Ordering::Relaxed)
    }

    /// Notes what [`Kernel::last_time`] gives.
    pub fn note_time(&self, nanoseconds: u64) {
        self.last_time.store(nanoseconds, Ordering::Relaxed);
    }

    /// The last launch, if it serves for another.
    pub fn last_launch(&self) -> LastLaunch {
        let state = self.state.lock();
        let launch = state.launch.as_ref().and_then(Weak::upgrade);
        let rewritten = state.rewritten.iter();
        LastLaunch {
            changes: state.changes,
            launch,
            rewritten: rewritten.filter_map(|&index| state.bytes(index)).collect(),
        }
    }

    /// Notes a launch that was made with the arguments as they were after so many changes.
    pub fn note_launch(&self, changes: u64, launch: Weak<AnyLaunch>) {
        let mut state = self.state.lock();
        if state.changes == changes {
            state.launch = Some(launch);
            state.rewritten.clear();
        }
    }

    /// The arguments as they are now, for one enqueue.
    ///
    /// # Errors
    /// CL_INVALID_KERNEL_ARGS if an argument in use is not set, or is a released buffer.
    pub fn snapshot(&self) -> Result<ArgBlock> {
        let args = self.arguments();
        let Some(index) = self.missing_argument(&args)? else {
            return Ok(args);
        };
        let reason = match self.state.lock().args.values[index] {
            Some(_) => "its memory has been released",
            None => "it has not been set",
        };
        Err(self.arg_error(Error::InvalidKernelArgs, index as u32, reason))
    }

    /// The arguments as they are now, `None` for those that are not set.
    pub fn arguments(&self) -> ArgBlock {
        let current = |arg: &Stored| match arg {
            Stored::Held(argument) => Some(argument.clone()),
            Stored::Memory(object) => object.upgrade().map(Argument::Memory),
            Stored::Shared {
                allocation,
                address,
            } => {
                let set = allocation.upgrade().map(|allocation| {
                    let offset = address - allocation.start();
                    (allocation, offset)
                });
                // Memory that was allocated since the other was freed may begin at the same pointer.
                let found = set.or_else(|| self.program.context().svm_find(*address));
                found.map(|(allocation, offset)| Argument::Shared { allocation, offset })
            }
        };
        let args = &self.state.lock().args;
        let values = args.values.iter();
        ArgBlock {
            values: (values.map(|arg| arg.as_ref().and_then(current))).collect(),
            indirect: args.indirect.clone(),
        }
    }

    /// The first argument that the kernel uses and that is not there.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE.
    pub fn missing_argument(&self, args: &ArgBlock) -> Result<Option<usize>> {
        let description = self.description()?;
        let mut pairs = description.args.iter().zip(&args.values);
        Ok(pairs.position(|(meta, value)| meta.kind != ArgKind::Unused && value.is_none()))
    }

    /// A copy of the kernel with other arguments.
    pub fn with_arguments(&self, args: &ArgBlock) -> Ref<Kernel> {
        let values = args.values.iter();
        let args = Arguments {
            values: (values.map(|arg| arg.clone().map(Stored::of))).collect(),
            indirect: args.indirect.clone(),
        };
        Self::attached(
            &self.program,
            self.name.clone(),
            self.device_kernels.clone(),
            args,
        )
    }

    /// The local arguments set so far: ordinal and bytes.
    pub(super) fn local_arguments(&self) -> Vec<(usize, u64)> {
        (self.state.lock().args.values)
            .iter()
            .enumerate()
            .filter_map(|(ordinal, arg)| match arg {
                Some(Stored::Held(Argument::Value(ArgValue::Local { size }))) => {
                    Some((ordinal, *size))
                }
                _ => None,
            })
            .collect()
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.count_kernel(-1);
    }
}
