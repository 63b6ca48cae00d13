//! Programs: source, IL or binary in, executables per device out.
//!
//! - `build.rs`: the calls that build, for each distinct target; the build log; `link.rs`: the call that links; `begun.rs`: builds
//!   that run
//! - `stages.rs`: compile, link and lower; `compile_thread.rs`: the thread that they run on
//! - `binary.rs`: what CL_PROGRAM_BINARIES gives and clCreateProgramWithBinary takes
//! - `cached.rs`: entries of the cache
//! - `coarse_form.rs`: the form with coarse copies of kernels; `groups_of_one.rs`: the form for work-groups of one work-item;
//!   `large_local.rs`: the form for launches with much local memory; `lowering.rs`: the program that forms are made from
//! - `input.rs`: the input of a build
//! - `includes.rs`: the files of `#include`
//! - `release.rs`: the end of a program, or of a build of it: finalizers, callbacks
//! - `kernel.rs`: kernel objects; `arguments.rs`: their arguments; `kernel_checks.rs`: checks of their arguments; `kernel_pointers.rs`: pointers
//!   without handles
//! - `own_kernels.rs`: kernels of the driver's own
//! - `dump.rs`: every stage as files
//! - `spec.rs`: specialization constants of IL

pub mod arguments;
mod begun;
pub mod binary;
pub mod build;
mod cached;
pub mod coarse_form;
mod compile_thread;
pub mod device_kernel;
mod dump;
pub mod groups_of_one;
pub mod includes;
mod input;
pub mod kernel;
mod kernel_checks;
mod kernel_pointers;
mod kernel_queries;
mod large_local;
pub mod link;
mod lowering;
pub mod own_kernels;
mod release;
pub mod spec;
mod stages;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opencl_sys as cl;
use parking_lot::{Condvar, Mutex};
use pumice_compiler::options::MathOptions;
use pumice_compiler::{KernelModule, VulkanModule};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::context::{Context, Destructor};
use crate::device::Device;
use crate::executable::Executable;
use crate::program::coarse_form::CoarseForm;
use crate::program::groups_of_one::GroupsOfOne;
use crate::program::large_local::LargeLocal;

/// The origin of a program.
#[derive(Debug)]
pub enum Origin {
    /// clCreateProgramWithSource.
    Source(Vec<u8>),
    /// clCreateProgramWithIL: the bytes as given, and their words in host byte order.
    Il {
        /// The bytes as given.
        bytes: Vec<u8>,
        /// The words.
        words: Vec<u32>,
    },
    /// clCreateProgramWithBinary.
    Binary,
    /// clLinkProgram.
    Linked,
}

/// The state of a program for one device.
#[derive(Clone, Default)]
pub struct Build {
    /// CL_BUILD_*.
    pub status: i32,
    /// The options of the last build, compile or link.
    pub options: Vec<u8>,
    /// The log of the last build, compile or link.
    pub log: String,
    /// Compiled Kernel SPIR-V, before or after linking.
    pub kernel_module: Option<Arc<KernelModule>>,
    /// Lowered for the device.
    pub vulkan_module: Option<Arc<VulkanModule>>,
    /// Ready to run.
    pub executable: Option<Arc<Executable>>,
    /// The program lowered a second time, with descriptors for buffers, if the device wants that and the program allows it.
    pub descriptor_module: Option<Arc<VulkanModule>>,
    /// The second form, ready to run.
    pub by_descriptors: Option<Arc<Executable>>,
    /// The program's form with coarse copies, if it may get that.
    pub coarse: Option<Arc<CoarseForm>>,
    /// Its form for work-groups of one work-item, if it may get that.
    pub groups_of_one: Option<Arc<GroupsOfOne>>,
    /// Its form with local memory in buffers, if it may get that.
    pub large_local: Option<Arc<LargeLocal>>,
    /// The options that the Vulkan module was lowered with, or was when the binary was made.
    pub lowered_with: MathOptions,
    /// CL_PROGRAM_BINARY_TYPE_*.
    pub binary_type: u32,
    /// The build failed because the system has no more memory: CL_OUT_OF_HOST_MEMORY.
    pub host_is_out_of_memory: bool,
    /// `-cl-uniform-work-group-size`, or source before OpenCL C 2.0: local sizes must divide global sizes.
    pub uniform_groups: bool,
    /// Built in robust mode.
    pub robust: bool,
    /// Compiled from source without `-cl-kernel-arg-info`: clGetKernelArgInfo tells nothing
    /// (OpenCL 3.0 API §5.9.4).
    pub hides_arguments: bool,
}

impl Build {
    /// The executable, unless another one is being built.
    pub fn runnable(&self) -> Option<&Arc<Executable>> {
        self.executable.as_ref().filter(|_| !self.is_running())
    }

    /// Tells whether a build has begun and not ended.
    fn is_running(&self) -> bool {
        self.status == cl::CL_BUILD_IN_PROGRESS
    }

    /// Takes over what an earlier build was made of, if this one failed: a program that was made from a binary has it
    /// nowhere else.
    fn keep_binary(&mut self, old: &Build) {
        if self.status != cl::CL_BUILD_ERROR {
            return;
        }
        self.kernel_module.clone_from(&old.kernel_module);
        self.vulkan_module.clone_from(&old.vulkan_module);
        self.descriptor_module.clone_from(&old.descriptor_module);
        self.lowered_with = old.lowered_with;
        self.binary_type = old.binary_type;
    }
}

/// A program object.
pub struct Program {
    context: Ref<Context>,
    devices: Vec<Ref<Device>>,
    origin: Origin,
    /// Guards the state of each device of `devices`.
    builds: Mutex<Vec<Build>>,
    /// Told when builds have ended.
    build_ended: Condvar,
    /// Guards the values set by clSetProgramSpecializationConstant.
    spec_constants: Mutex<BTreeMap<u32, Vec<u8>>>,
    /// Kernel objects attached to the program.
    kernels: AtomicUsize,
    /// Guards the callbacks of clSetProgramReleaseCallback, in order of registration.
    release_callbacks: Mutex<Vec<Destructor>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}

impl Kind for Program {
    const TAG: u64 = u64::from_le_bytes(*b"pmcPROGR");
    const INVALID: Error = Error::InvalidProgram;

    fn error_callback(&self) -> Option<Callback> {
        self.context.error_callback()
    }
}

fn new_builds(count: usize) -> Vec<Build> {
    (0..count)
        .map(|_| Build {
            status: cl::CL_BUILD_NONE,
            ..Build::default()
        })
        .collect()
}

impl Program {
    pub(crate) fn make(
        context: &Ref<Context>,
        devices: &[Ref<Device>],
        origin: Origin,
        builds: Vec<Build>,
    ) -> Ref<Program> {
        Object::new(Program {
            context: context.clone(),
            devices: devices.to_vec(),
            origin,
            builds: Mutex::new(builds),
            build_ended: Condvar::new(),
            spec_constants: Mutex::default(),
            kernels: AtomicUsize::new(0),
            release_callbacks: Mutex::default(),
        })
    }

    /// clCreateProgramWithSource; the strings are already joined.
    pub fn with_source(context: &Ref<Context>, source: Vec<u8>) -> Ref<Program> {
        let devices = context.devices();
        let builds = new_builds(devices.len());
        Self::make(context, devices, Origin::Source(source), builds)
    }

    /// clCreateProgramWithIL.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateProgramWithIL, in its order.
    pub fn with_il(context: &Ref<Context>, bytes: &[u8]) -> Result<Ref<Program>> {
        // CL_INVALID_VALUE if il is NULL or length is zero, or the IL is not known.
        let words = pumice_spirv::module_words(bytes).ok_or_else(|| {
            let why = pumice_spirv::why_no_module(bytes);
            Error::InvalidValue.because(format!("the IL is not a SPIR-V module: {why}"))
        })?;
        let devices = context.devices();
        let origin = Origin::Il {
            bytes: bytes.to_vec(),
            words,
        };
        let builds = new_builds(devices.len());
        Ok(Self::make(context, devices, origin, builds))
    }

    /// clCreateProgramWithBinary: one binary for each device; gives the status of each with the
    /// program or the error.
    pub fn with_binary(
        context: &Ref<Context>,
        devices: &[Ref<Device>],
        binaries: &[&[u8]],
    ) -> (Vec<i32>, Result<Ref<Program>>) {
        let mut statuses = vec![cl::CL_SUCCESS; devices.len()];
        // CL_INVALID_DEVICE if a device is not of the context.
        if devices.iter().any(|d| context.device_index(d).is_none()) {
            let error = Error::InvalidDevice.because("a device is not one of the context");
            return (statuses, Err(error));
        }
        let mut builds = new_builds(devices.len());
        let mut failure = None;
        for (index, (device, bytes)) in devices.iter().zip(binaries).enumerate() {
            // CL_INVALID_VALUE if a binary is NULL or its length is 0.
            if bytes.is_empty() {
                let reason = format!("binary {index} is NULL or has no bytes");
                statuses[index] = Error::InvalidValue.code();
                failure.get_or_insert_with(|| Error::InvalidValue.because(reason));
                continue;
            }
            // CL_INVALID_BINARY if a binary is not one for the device.
            match binary::read(bytes, device) {
                Ok(contents) => contents.store(&mut builds[index]),
                Err(reason) => {
                    let reason = format!("binary {index}: {reason}");
                    statuses[index] = Error::InvalidBinary.code();
                    failure.get_or_insert_with(|| Error::InvalidBinary.because(reason));
                }
            }
        }
        match failure {
            Some(error) => (statuses, Err(error)),
            None => (
                statuses,
                Ok(Self::make(context, devices, Origin::Binary, builds)),
            ),
        }
    }
}

impl Object<Program> {
    /// clGetProgramInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Program>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_PROGRAM_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_PROGRAM_CONTEXT => Info::object(&self.context),
            cl::CL_PROGRAM_NUM_DEVICES => Info::u32(self.devices.len() as u32),
            cl::CL_PROGRAM_DEVICES => Info::objects(&self.devices),
            cl::CL_PROGRAM_SOURCE => match &self.origin {
                Origin::Source(text) => {
                    let mut bytes = text.clone();
                    bytes.push(0);
                    Info::raw(bytes)
                }
                Origin::Il { .. } | Origin::Binary | Origin::Linked => Info::string(""),
            },
            cl::CL_PROGRAM_IL => match &self.origin {
                Origin::Il { bytes, .. } => Info::raw(bytes.clone()),
                Origin::Source(_) | Origin::Binary | Origin::Linked => Info::empty(),
            },
            cl::CL_PROGRAM_BINARY_SIZES => {
                let sizes: Vec<usize> = self.binaries().iter().map(Vec::len).collect();
                Info::sizes(&sizes)
            }
            cl::CL_PROGRAM_NUM_KERNELS => Info::size(self.kernel_names()?.len()),
            cl::CL_PROGRAM_KERNEL_NAMES => Info::string(&self.kernel_names()?.join(";")),
            cl::CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT => {
                Info::bool(self.first_executable()?.has_initializers())
            }
            cl::CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                Info::bool(self.first_executable()?.has_finalizers())
            }
            _ => return Err(Error::InvalidValue),
        })
    }

    /// The executable of the first device that has one.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE if there is none.
    fn first_executable(self: &Ref<Program>) -> Result<Arc<Executable>> {
        let builds = self.ended_builds();
        builds
            .iter()
            .find_map(|b| b.runnable().cloned())
            .ok_or_else(|| {
                let reason = "the program has not been built for any device";
                Error::InvalidProgramExecutable.because(reason)
            })
    }

    /// The names of the kernels of the first device with an executable. Initializers and
    /// finalizers are none that clCreateKernel could create.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE if there is none.
    pub fn kernel_names(self: &Ref<Program>) -> Result<Vec<String>> {
        let executable = self.first_executable()?;
        let kernels = executable.kernels().iter();
        Ok(kernels.map(|k| k.name.clone()).collect())
    }

    /// CL_PROGRAM_BINARIES: one for each device, empty where there is none.
    pub fn binaries(self: &Ref<Program>) -> Vec<Vec<u8>> {
        let builds = self.ended_builds().clone();
        self.devices
            .iter()
            .zip(&builds)
            .map(|(device, build)| binary::write(build, device))
            .collect()
    }

    /// clGetProgramBuildInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetProgramBuildInfo.
    pub fn build_info(self: &Ref<Program>, device: &Ref<Device>, name: u32) -> Result<Info> {
        // CL_INVALID_DEVICE if device is not of the program.
        let index = self
            .device_index(device)
            .ok_or_else(|| Error::InvalidDevice.because("the device is not one of the program"))?;
        let builds = self.builds.lock();
        let build = &builds[index];
        Ok(match name {
            cl::CL_PROGRAM_BUILD_STATUS => Info::i32(build.status),
            cl::CL_PROGRAM_BUILD_OPTIONS => Info::string_of_bytes(&build.options),
            cl::CL_PROGRAM_BUILD_LOG => Info::string(&build.log),
            cl::CL_PROGRAM_BINARY_TYPE => Info::u32(build.binary_type),
            cl::CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                let executable = build.executable.as_ref();
                Info::size(executable.map_or(0, |e| e.program_scope_bytes()))
            }
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clSetProgramSpecializationConstant.
    ///
    /// # Errors
    /// Those that the specification lists for clSetProgramSpecializationConstant, in its order.
    pub fn set_spec_constant(self: &Ref<Program>, id: u32, value: &[u8]) -> Result<()> {
        // CL_INVALID_PROGRAM if the program was not made from IL.
        let Origin::Il { words, .. } = &self.origin else {
            let reason = "only programs made from SPIR-V have specialization constants";
            return Err(Error::InvalidProgram.because(reason));
        };
        // CL_INVALID_SPEC_ID if the module has no such constant.
        let size = spec::size(words, id).ok_or_else(|| {
            Error::InvalidSpecId.because(format!("the module has no constant with SpecId {id}"))
        })?;
        // CL_INVALID_VALUE if the size is not that of the constant's type.
        if size != value.len() {
            let given = value.len();
            let reason = format!("SpecId {id}: {given} bytes given, {size} expected");
            return Err(Error::InvalidValue.because(reason));
        }
        self.spec_constants.lock().insert(id, value.to_vec());
        Ok(())
    }
}

impl Program {
    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The devices that the program is for.
    pub fn devices(&self) -> &[Ref<Device>] {
        &self.devices
    }

    /// Its origin.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The place of a device in [`Program::devices`].
    pub fn device_index(&self, device: &Ref<Device>) -> Option<usize> {
        self.devices
            .iter()
            .position(|d| d.handle() == device.handle())
    }

    /// The state of the program for each of its devices.
    pub fn builds(&self) -> Vec<Build> {
        self.builds.lock().clone()
    }

    /// A kernel object was made, or went.
    pub(crate) fn count_kernel(&self, delta: isize) {
        self.kernels.fetch_add(delta as usize, Ordering::AcqRel);
    }

    /// Tells whether kernel objects are attached.
    pub(crate) fn has_kernels(&self) -> bool {
        self.kernels.load(Ordering::Acquire) != 0
    }
}
