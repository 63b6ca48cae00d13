//! A Vulkan module made ready to run, from its reflection alone.
//!
//! ```text
//! Executable::new(words, &Capabilities)   checks the module; a String for the build log otherwise
//!   .kernels()                            KernelInfo: what clGetKernel*Info answers
//!   .local_memory(kernel, sizes)          CL_KERNEL_LOCAL_MEM_SIZE
//!   .limits(kernel, &Capabilities)        the checks of a range, which give the NdRange of a launch
//!   .prepare(&LogicalDevice, &Launch)     everything of one NDRange: pipelines, descriptors, push
//!                                         constants, regions; LaunchError otherwise
//! Prepared::record(&mut Recorder)         binds and dispatches; no barrier before or after
//!   .take_printf()                        the printf buffer of this launch, if the kernel may print
//! Executable::decode_printf(buffer, sink) once the submission is done
//!   .run_initializers(&LogicalDevice), .run_finalizers(&LogicalDevice, …)
//! ```
//!
//! Any module with `NonSemantic.ClspvReflection` will do, whoever made it. Nothing in it is
//! trusted: offsets, sets, sizes and needs are held against the device when the executable is
//! made, so that a launch can fail only on its own arguments or for want of memory.
//!
//! The module's data (constants, program-scope variables) is one buffer each per executable, made
//! at the first launch, initialised once and kept.
//!
//! Invariant: a pipeline's key holds every specialization constant that the launch sets.

mod compiled_module;
mod device_module;
mod enqueue;
mod image_formats;
mod init_fini;
mod interface;
mod launch;
mod printf;
mod printf_number;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{self as vk, Capabilities};

use self::device_module::DeviceModule;
use self::enqueue::Scheduler;
pub use self::enqueue::{DeviceQueues, Observer, QueueDevice, Ran};
pub use self::init_fini::InitRun;
use self::interface::capabilities::check_capabilities;
use self::interface::gather::gather;
pub(crate) use self::interface::local_buffer::end_of_arguments;
use self::interface::module_scan::{ModuleScan, SpecValues};
pub use self::interface::{ArgKind, ArgMeta, KernelInfo};
use self::interface::{ArgPlace, Interface};
pub use self::launch::{
    ArgBytes, ArgValue, CheckMemory, ImageArg, Launch, LaunchError, LeastGroups, NdRange, Prepared,
    RangeLimits, RangeRequest,
};
use crate::base::printf::Decoded;

/// A module that passed every check for one device.
pub struct Executable {
    words: Arc<[u32]>,
    scan: ModuleScan,
    interface: Interface,
    infos: Vec<KernelInfo>,
    warnings: String,
    /// Made at the first launch.
    device_module: Mutex<Option<Arc<DeviceModule>>>,
    /// See [`launch::splitting`].
    splitting: Option<launch::Splitting>,
    /// The last plan of each kernel.
    plans: Vec<Mutex<Option<Arc<launch::Plan>>>>,
    /// Work-group sizes that each kernel has pipelines for, the first few.
    group_sizes: Vec<Mutex<Vec<[u32; 3]>>>,
    /// Schedulers of device queues that no launch uses.
    schedulers: Mutex<Vec<Scheduler>>,
    /// Set by the first launch of a program that has initializers or finalizers.
    init_run: Mutex<Option<Arc<InitRun>>>,
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.infos.iter().map(|info| &info.name).collect();
        f.debug_struct("Executable")
            .field("kernels", &names)
            .finish_non_exhaustive()
    }
}

impl Executable {
    /// Checks a module against the device.
    ///
    /// # Errors
    /// Text for the build log that names what is wrong: reflection that cannot be read, needs
    /// that the device does not meet, or what is not supported yet.
    pub fn new(words: &[u32], caps: &Capabilities) -> Result<Self, String> {
        let error = |text: String| format!("error: {text}\n");
        let reflection = pumice_reflection::read(words).map_err(|e| error(e.to_string()))?;
        let scan = ModuleScan::read(words).map_err(error)?;
        check_capabilities(&scan, caps).map_err(error)?;
        let interface = gather(&reflection, &scan, caps).map_err(error)?;
        let infos = interface
            .kernels
            .iter()
            .take(interface.init_fini.first)
            .map(|kernel| kernel.info.clone())
            .collect();
        let warnings = (reflection.skipped.iter())
            .map(|number| {
                format!(
                    "warning: reflection instruction {number} of revision {} is skipped\n",
                    reflection.revision
                )
            })
            .collect();
        Ok(Self {
            words: words.into(),
            splitting: launch::splitting(&interface, &scan),
            plans: interface.kernels.iter().map(|_| Mutex::default()).collect(),
            group_sizes: interface.kernels.iter().map(|_| Mutex::default()).collect(),
            scan,
            interface,
            infos,
            warnings,
            device_module: Mutex::default(),
            schedulers: Mutex::default(),
            init_run: Mutex::default(),
        })
    }

    /// The kernels of applications, in the module's order.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.infos
    }

    /// Tells whether launches of its kernels may be launches of another module's. Neither has variables of its own, of which
    /// there would be two.
    pub fn stands_for(&self, other: &Self, caps: &Capabilities) -> bool {
        let limits = |one: &Self| -> Vec<_> {
            let kernels = 0..one.infos.len();
            kernels.map(|kernel| one.limits(kernel, caps)).collect()
        };
        self.is_stateless()
            && other.is_stateless()
            && self.infos == other.infos
            && limits(self) == limits(other)
    }

    /// Returns whether launches find what they give to the other's kernels in the same places.
    pub fn takes_arguments_of(&self, other: &Self) -> bool {
        let kernels = self.infos.iter().zip(&other.infos);
        let same = |(one, other): (&KernelInfo, &KernelInfo)| {
            one.name == other.name && one.args == other.args
        };
        self.infos.len() == other.infos.len() && kernels.into_iter().all(same)
    }

    /// Tells whether the module has no variables of its own, and no kernels that it runs by itself.
    pub fn is_stateless(&self) -> bool {
        let runs_more = self.has_initializers() || self.has_finalizers();
        self.program_scope_bytes() == 0 && !runs_more
    }

    /// The index of the kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<usize> {
        self.infos.iter().position(|info| info.name == name)
    }

    /// Bytes of program-scope variables (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub fn program_scope_bytes(&self) -> usize {
        self.interface.program_scope_bytes
    }

    /// Lines for the build log that are no errors.
    pub fn warnings(&self) -> &str {
        &self.warnings
    }

    /// Work-group memory that a kernel takes, in bytes, with these sizes of its local arguments
    /// (ordinal, bytes); arguments left out count as 0 (CL_KERNEL_LOCAL_MEM_SIZE).
    pub fn local_memory(&self, kernel: usize, sizes: &[(usize, u64)]) -> u64 {
        let Some(kernel) = self.interface.kernels.get(kernel) else {
            return 0;
        };
        let mut spec = SpecValues::new();
        for &(ordinal, place) in &kernel.places {
            if let ArgPlace::Local { spec_id, elem_size } = place {
                let size = sizes
                    .iter()
                    .find(|(o, _)| *o == ordinal)
                    .map_or(0, |(_, size)| *size);
                let count = size.div_ceil(u64::from(elem_size));
                spec.insert(spec_id, u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
        let in_buffer = kernel.local_buffer.is_some();
        if !in_buffer && !spec.is_empty() && spec.values().all(|&count| count == 0) {
            // An array of arguments without bytes has an element, as Vulkan asks. It is no memory that the kernel was given.
            let larger: SpecValues = spec.keys().map(|&id| (id, 1 << 16)).collect();
            let (scan, known) = (&self.scan, &self.interface.variable_sizes);
            return scan.constant_local_memory(kernel.function, [&spec, &larger], known);
        }
        let (shared, in_buffer) = self.local_memory_with(kernel, &spec);
        shared.saturating_add(in_buffer)
    }

    /// The bytes of shared memory and of the work-group's part of a buffer that a kernel takes.
    fn local_memory_with(
        &self,
        kernel: &interface::KernelInterface,
        spec: &SpecValues,
    ) -> (u64, u64) {
        let known: &HashMap<u32, u32> = &self.interface.variable_sizes;
        let shared = self.scan.local_memory(kernel.function, spec, known);
        let in_buffer = kernel
            .local_buffer
            .map(|local| local.bytes(&kernel.local_sizes(spec)));
        (shared, in_buffer.unwrap_or(0))
    }

    /// The limits of a kernel's work-groups.
    pub fn limits(&self, kernel: usize, caps: &Capabilities) -> RangeLimits {
        let interface = self.interface.kernels.get(kernel);
        let info = interface.map(|kernel| &kernel.info);
        let required = info.and_then(|info| info.required_work_group_size);
        let required = required.map(|size| size.map(|n| n as usize));
        let sub_group = info.and_then(|info| info.required_sub_group_size);
        let of_device = info.is_some_and(|info| !info.made_sub_groups);
        let sub_group = sub_group.filter(|&size| size != 0 && of_device);
        let by_sub_groups = sub_group.and_then(|size| caps.subgroup.most_work_items(size));
        let private_bytes = info.and_then(|info| info.private_bytes);
        let by_memory = private_bytes.map(launch::most_work_items);
        let device_group_size = caps.limits.max_group_invocations as usize;
        let most = [by_sub_groups.map(|most| most as usize), by_memory];
        let most = most
            .into_iter()
            .flatten()
            .fold(device_group_size, usize::min);
        let fixed = interface.is_none_or(|kernel| kernel.fixed_local_size.is_some());
        let whole = info.is_some_and(|info| info.whole_sub_groups);
        let non_uniform = !fixed && !whole && self.splitting.is_some();
        RangeLimits {
            group_size: required.map_or(most, |size| size.iter().product()),
            device_group_size,
            item_sizes: caps.limits.max_group_size.map(|n| n as usize),
            required,
            sub_groups: info.and_then(|info| info.required_sub_groups),
            whole_sub_groups: whole,
            multiple: sub_group.unwrap_or(caps.subgroup.size.max(1)) as usize,
            neighbours: 1,
            large_groups: false,
            non_uniform,
            uneven_choice: non_uniform,
            least_joined: None,
        }
    }

    /// Returns whether a kernel has a pipeline: the driver has compiled it, or will.
    pub fn has_pipeline(&self, kernel: usize) -> bool {
        let sizes = self.group_sizes.get(kernel);
        sizes.is_some_and(|sizes| !sizes.lock().is_empty())
    }

    /// Returns whether a kernel gives the same results however its work-items are grouped, for all that is known.
    pub fn hides_groups(&self, kernel: usize) -> bool {
        let interface = self.interface.kernels.get(kernel);
        interface.is_some_and(|kernel| kernel.unseen_groups)
    }

    /// Returns whether a kernel has its local memory in a buffer.
    pub fn has_local_buffer(&self, kernel: usize) -> bool {
        let interface = self.interface.kernels.get(kernel);
        interface.is_some_and(|kernel| kernel.local_buffer.is_some())
    }

    /// Returns whether work-groups of a kernel may be joined: nothing tells which of them run at the same time.
    pub fn may_join_groups(&self, kernel: usize) -> bool {
        let interface = self.interface.kernels.get(kernel);
        interface.is_some_and(|kernel| {
            let takes_part = kernel.info.enqueues || kernel.info.checked;
            kernel.unseen_groups && kernel.no_waits && !takes_part
        })
    }

    /// The range with a work-group size that the kernel has pipelines for, where one serves as well as the chosen size
    /// ([`NdRange::shared_local_size`]): drivers take far longer to compile another than such launches run.
    pub fn with_known_size(&self, kernel: usize, range: NdRange, multiple: usize) -> NdRange {
        let known = self.group_sizes.get(kernel).map(|sizes| sizes.lock());
        let shared = known.and_then(|known| range.shared_local_size(&known, multiple));
        NdRange {
            local_size: shared.unwrap_or(range.local_size),
            ..range
        }
    }

    /// Decodes the printf buffer of a finished launch, one call of `sink` per record, and keeps
    /// the buffer for the next. Says what there was no room for.
    ///
    /// # Errors
    /// A buffer that is not one of [`Prepared::take_printf`].
    pub fn decode_printf(
        &self,
        buffer: vk::Buffer,
        sink: &mut dyn FnMut(&[u8]),
    ) -> vk::Result<Decoded> {
        let decoded = self.read_printf(&buffer, sink)?;
        self.keep_printf(buffer);
        Ok(decoded)
    }

    /// Decodes a printf buffer like [`Executable::decode_printf`] and leaves it empty, for the next
    /// run of the recording that it belongs to.
    ///
    /// # Errors
    /// As there.
    pub fn read_printf(
        &self,
        buffer: &vk::Buffer,
        sink: &mut dyn FnMut(&[u8]),
    ) -> vk::Result<Decoded> {
        let mut asked = [0; 4];
        buffer.read(0, &mut asked)?;
        let length = (u64::from(u32::from_le_bytes(asked)) * 4 + 4).min(buffer.size());
        let mut bytes = vec![0; length as usize];
        buffer.read(0, &mut bytes)?;
        let decoded = Decoded {
            room: buffer.size().saturating_sub(4),
            ..self.interface.formats.decode(&bytes, sink)
        };
        device_module::empty_printf(buffer, length)?;
        Ok(decoded)
    }

    /// Takes back an empty printf buffer that nothing uses any more.
    pub fn keep_printf(&self, buffer: vk::Buffer) {
        let device_module = self.device_module.lock().clone();
        if let Some(device_module) = device_module {
            device_module.keep_printf(buffer);
        }
    }

    fn device_module(&self, device: &vk::LogicalDevice) -> vk::Result<Arc<DeviceModule>> {
        let mut slot = self.device_module.lock();
        if let Some(device_module) = &*slot {
            return Ok(Arc::clone(device_module));
        }
        let made = Arc::new(DeviceModule::new(device, &self.words, &self.interface)?);
        *slot = Some(Arc::clone(&made));
        Ok(made)
    }
}
