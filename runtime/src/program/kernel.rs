//! Kernel objects and their arguments.

use std::sync::{Arc, Weak};

use opencl_sys as cl;
use parking_lot::{Mutex, MutexGuard};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::context::device_queue::DeviceQueue;
use crate::context::svm::Allocation;
use crate::device::Device;
use crate::device::extensions;
use crate::executable::{ArgKind, ArgMeta, ArgValue, KernelInfo};
use crate::memory::Mem;
use crate::memory::sampler::Sampler;
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel_checks::unknown_name;
use crate::program::{Origin, Program};

/// The value given to clSetKernelArg, its handle resolved.
#[derive(Clone)]
pub enum Argument {
    /// A value that is the same for all devices.
    Value(ArgValue),
    /// A buffer or image.
    Memory(Ref<Mem>),
    /// A sampler.
    Sampler(Ref<Sampler>),
    /// A device queue.
    Queue(Ref<DeviceQueue>),
    /// A pointer into shared memory.
    Shared {
        /// The allocation.
        allocation: Arc<Allocation>,
        /// The byte in it.
        offset: usize,
    },
    /// The address of a byte of a buffer on the device that the kernel is enqueued for.
    DevicePointer(u64),
}

/// The arguments of one enqueue: an immutable snapshot that keeps its buffers.
#[derive(Clone, Default)]
pub struct ArgBlock {
    /// One for each argument, `None` for those that are not set.
    pub values: Vec<Option<Argument>>,
    /// Addresses of bytes of the buffers that the kernel uses beside its arguments.
    pub indirect: Vec<u64>,
}

/// An argument as the kernel object stores it: clSetKernelArg retains no memory object, whose
/// destructor callbacks and memory do not wait for the kernel.
#[derive(Clone)]
enum Stored {
    /// Everything but a buffer or image.
    Held(Argument),
    Memory(Weak<Object<Mem>>),
}

impl Stored {
    fn of(value: Argument) -> Self {
        match value {
            Argument::Memory(object) => Stored::Memory(Arc::downgrade(&object)),
            value => Stored::Held(value),
        }
    }
}

/// The arguments of the next enqueue, as the kernel object holds them.
#[derive(Clone, Default)]
pub(super) struct Arguments {
    values: Vec<Option<Stored>>,
    /// As in [`ArgBlock`].
    pub indirect: Vec<u64>,
}

/// A kernel object.
pub struct Kernel {
    program: Ref<Program>,
    name: String,
    /// By the program's devices; `None` where it has no executable for the device.
    device_kernels: Vec<Option<DeviceKernel>>,
    /// Guards the arguments.
    args: Mutex<Arguments>,
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
        let builds = program.builds();
        // CL_INVALID_PROGRAM_EXECUTABLE if there is no executable for any device.
        if builds.iter().all(|b| b.executable.is_none()) {
            let reason = "the program has not been built for any device";
            return Err(Error::InvalidProgramExecutable.because(reason));
        }
        let device_kernels: Vec<Option<DeviceKernel>> = builds
            .into_iter()
            .map(|build| {
                let executable = build.executable?;
                let index = executable.kernels().iter().position(|k| k.name == name)?;
                Some(DeviceKernel {
                    executable,
                    index,
                    uniform_groups: build.uniform_groups,
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
            args: Mutex::new(args),
        })
    }

    /// clCloneKernel.
    pub fn duplicate(&self) -> Ref<Kernel> {
        Self::attached(
            &self.program,
            self.name.clone(),
            self.device_kernels.clone(),
            self.args.lock().clone(),
        )
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

    /// Its description, the same for all devices as far as arguments go.
    fn description(&self) -> Result<&KernelInfo> {
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
                // CL_INVALID_ARG_VALUE if arg_value is NULL, CL_INVALID_MEM_OBJECT if it holds no
                // pipe.
                let value = value.ok_or_else(|| {
                    self.arg_error(Error::InvalidArgValue, index, "arg_value is NULL")
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
            (ArgKind::Image { binding, kind }, value) => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                // CL_INVALID_ARG_VALUE if arg_value is NULL, CL_INVALID_MEM_OBJECT if it holds no
                // image.
                let value = value.ok_or_else(|| {
                    self.arg_error(Error::InvalidArgValue, index, "arg_value is NULL")
                })?;
                let Argument::Memory(image) = &value else {
                    return Err(self.arg_error(
                        Error::InvalidMemObject,
                        index,
                        "the image is NULL",
                    ));
                };
                self.check_memory(index, image)?;
                self.check_image(index, image, binding, kind)?;
                value
            }
            (ArgKind::Queue, value) => {
                self.check_arg_size(index, size, size_of::<usize>())?;
                // CL_INVALID_DEVICE_QUEUE if arg_value is NULL or holds none of the kernel's context.
                match value {
                    Some(Argument::Queue(queue))
                        if queue.context().handle() == self.program.context().handle() =>
                    {
                        Argument::Queue(queue)
                    }
                    _ => {
                        let reason = "a device queue of the kernel's context is expected";
                        return Err(self.arg_error(Error::InvalidDeviceQueue, index, reason));
                    }
                }
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
        self.args.lock().values[index as usize] = Some(Stored::of(value));
    }

    /// The arguments of the next enqueue, locked.
    pub(super) fn arguments_mut(&self) -> MutexGuard<'_, Arguments> {
        self.args.lock()
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
        let reason = match self.args.lock().values[index] {
            Some(_) => "its memory object has been released",
            None => "it has not been set",
        };
        Err(self.arg_error(Error::InvalidKernelArgs, index as u32, reason))
    }

    /// The arguments as they are now, `None` for those that are not set.
    pub fn arguments(&self) -> ArgBlock {
        let current = |arg: &Stored| match arg {
            Stored::Held(argument) => Some(argument.clone()),
            Stored::Memory(object) => object.upgrade().map(Argument::Memory),
        };
        let args = self.args.lock();
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
    fn local_arguments(&self) -> Vec<(usize, u64)> {
        self.args
            .lock()
            .values
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

    /// The device that a query is about: the only one for `None`.
    fn query_device(&self, device: Option<Ref<Device>>) -> Result<Ref<Device>> {
        let devices = self.program.devices();
        match device {
            // CL_INVALID_DEVICE if device is not one of the kernel's.
            Some(device) => {
                let index = self
                    .program
                    .device_index(&device)
                    .ok_or(Error::InvalidDevice)?;
                Ok(devices[index].clone())
            }
            // CL_INVALID_DEVICE if it is NULL and there is more than one.
            None if devices.len() == 1 => Ok(devices[0].clone()),
            None => Err(Error::InvalidDevice),
        }
    }

    /// clGetKernelWorkGroupInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetKernelWorkGroupInfo.
    pub fn work_group_info(&self, device: Option<Ref<Device>>, name: u32) -> Result<Info> {
        let device = self.query_device(device)?;
        let device_kernel = self.device_kernel(&device)?;
        let limits = device_kernel.limits(&device);
        Ok(match name {
            cl::CL_KERNEL_WORK_GROUP_SIZE => Info::size(limits.group_size),
            cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                Info::sizes(&limits.required.unwrap_or([0; 3]))
            }
            cl::CL_KERNEL_LOCAL_MEM_SIZE => {
                let arguments = self.local_arguments();
                let executable = &device_kernel.executable;
                Info::u64(executable.local_memory(device_kernel.index, &arguments))
            }
            cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::size(limits.multiple),
            // Beside that, Vulkan does not tell how much a pipeline spills.
            cl::CL_KERNEL_PRIVATE_MEM_SIZE => {
                Info::u64(u64::from(device_kernel.info().private_bytes.unwrap_or(0)))
            }
            // CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels.
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clGetKernelSubGroupInfo. `input` holds the values of input_value, `None` for NULL;
    /// `capacity` is how many dimensions param_value has room for.
    ///
    /// # Errors
    /// Those that the specification lists for clGetKernelSubGroupInfo.
    pub fn sub_group_info(
        &self,
        device: Option<Ref<Device>>,
        name: u32,
        input: Option<&[usize]>,
        capacity: usize,
    ) -> Result<Info> {
        let device = self.query_device(device)?;
        let known = [
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
            cl::CL_KERNEL_MAX_NUM_SUB_GROUPS,
            cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
        ];
        // CL_INVALID_VALUE if param_name is not valid.
        if !known.contains(&name) {
            return Err(Error::InvalidValue);
        }
        // CL_INVALID_OPERATION if the device does not support sub-groups.
        let usual = extensions::sub_group_size(device.capabilities())
            .ok_or(Error::InvalidOperation)? as usize;
        let device_kernel = self.device_kernel(&device)?;
        let limits = device_kernel.limits(&device);
        let required = device_kernel.info().required_sub_group_size;
        let (sub_group, most) = match required.filter(|&size| size != 0) {
            Some(size) => (size as usize, limits.group_size.div_ceil(size as usize)),
            None => (usual, device.max_sub_groups() as usize),
        };
        let most = most.min(limits.group_size.div_ceil(sub_group));
        // CL_INVALID_VALUE if input_value is NULL or its size is not that of 1 to 3 sizes.
        let range = || {
            input
                .filter(|sizes| (1..=3).contains(&sizes.len()))
                .ok_or(Error::InvalidValue)
        };
        Ok(match name {
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
                range()?;
                Info::size(sub_group)
            }
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                let items = range()?
                    .iter()
                    .try_fold(1_usize, |items, size| items.checked_mul(*size))
                    .ok_or(Error::InvalidValue)?;
                Info::size(items.div_ceil(sub_group))
            }
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                // CL_INVALID_VALUE if input_value is not one size.
                let [count] = *range()? else {
                    return Err(Error::InvalidValue);
                };
                let items = count.saturating_mul(sub_group);
                let local = match limits.required {
                    Some(required) if required.iter().product::<usize>() == items => required,
                    // Zeros if no work-group size gives that many.
                    Some(_) => [0; 3],
                    None if count <= most && items <= limits.item_sizes[0] => [items, 1, 1],
                    None => [0; 3],
                };
                Info::sizes(&local[..capacity.clamp(1, 3)])
            }
            cl::CL_KERNEL_MAX_NUM_SUB_GROUPS => Info::size(most),
            // No kernel attribute asks for a number.
            _ => Info::size(0),
        })
    }

    /// clGetKernelArgInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetKernelArgInfo.
    pub fn arg_info(&self, index: u32, name: u32) -> Result<Info> {
        let arg = self.arg(index)?;
        let known = [
            cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER,
            cl::CL_KERNEL_ARG_ACCESS_QUALIFIER,
            cl::CL_KERNEL_ARG_TYPE_NAME,
            cl::CL_KERNEL_ARG_TYPE_QUALIFIER,
            cl::CL_KERNEL_ARG_NAME,
        ];
        // CL_INVALID_VALUE if param_name is not valid.
        if !known.contains(&name) {
            return Err(Error::InvalidValue);
        }
        // CL_KERNEL_ARG_INFO_NOT_AVAILABLE if source was compiled without -cl-kernel-arg-info, or if
        // the module does not tell.
        let hidden = self.program.builds().iter().any(|b| b.hides_arguments);
        let info = arg.info.as_ref().filter(|_| !hidden);
        let answer = match name {
            cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER => {
                info.and_then(|i| i.address_qualifier).map(Info::u32)
            }
            cl::CL_KERNEL_ARG_ACCESS_QUALIFIER => {
                info.and_then(|i| i.access_qualifier).map(Info::u32)
            }
            cl::CL_KERNEL_ARG_TYPE_NAME => {
                info.and_then(|i| i.type_name.as_deref()).map(Info::string)
            }
            cl::CL_KERNEL_ARG_TYPE_QUALIFIER => info
                .and_then(|i| i.type_qualifier)
                .map(|bits| Info::u64(u64::from(bits))),
            _ => info.map(|i| Info::string(&i.name)),
        };
        answer.ok_or(Error::KernelArgInfoNotAvailable)
    }
}

impl Object<Kernel> {
    /// clGetKernelInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Kernel>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_KERNEL_FUNCTION_NAME => Info::string(&self.name),
            cl::CL_KERNEL_NUM_ARGS => Info::u32(self.description()?.args.len() as u32),
            cl::CL_KERNEL_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_KERNEL_CONTEXT => Info::object(self.program.context()),
            cl::CL_KERNEL_PROGRAM => Info::object(&self.program),
            // Empty unless the program came from clCreateProgramWithSource (OpenCL 3.0 API §5.9.4).
            cl::CL_KERNEL_ATTRIBUTES => Info::string(match self.program.origin() {
                Origin::Source(_) | Origin::Linked => &self.description()?.attributes,
                Origin::Il { .. } | Origin::Binary => "",
            }),
            _ => return Err(Error::InvalidValue),
        })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.count_kernel(-1);
    }
}
