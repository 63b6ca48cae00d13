//! A Vulkan module made ready to run, from its reflection alone.
//!
//! ```text
//! Executable::new(words, &Capabilities)   checks the module; a String for the build log otherwise
//!   .kernels()                            KernelInfo: what clGetKernel*Info answers
//!   .local_memory(kernel, sizes)          CL_KERNEL_LOCAL_MEM_SIZE
//!   .prepare(&Device, &Launch)            everything of one NDRange: pipelines, descriptors, push
//!                                         constants, regions; LaunchError otherwise
//! Prepared::record(&mut Recorder)         binds and dispatches; no barrier before or after
//!   .take_printf()                        the printf buffer of this launch, if the kernel may print
//! Executable::decode_printf(buffer, sink) once the submission is done
//!   .start(&Device), .finish(&Device, …)  runs the program's own kernels, initializers and finalizers
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

mod bind;
mod facts;
mod gather;
mod gather_images;
mod interface;
mod launch;
mod ndrange;
mod needs;
mod on_device;
mod own_kernels;
mod printf;
mod printf_number;
mod private_memory;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{self as vk, Capabilities};

use self::facts::{Facts, SpecValues};
pub use self::interface::{ArgKind, ArgMeta, KernelInfo};
use self::interface::{Interface, Place};
pub use self::launch::{ArgValue, ImageArg, Launch, LaunchError, Prepared};
pub use self::ndrange::{MAX_REGIONS, NdRange, Region, regions};
use self::on_device::OnDevice;
pub use self::own_kernels::Started;
pub use self::printf::Decoded;
pub use self::private_memory::MOST_BYTES as MOST_PRIVATE_BYTES;

/// A module that passed every check for one device.
pub struct Executable {
    words: Vec<u32>,
    facts: Facts,
    interface: Interface,
    infos: Vec<KernelInfo>,
    warnings: String,
    /// Made at the first launch.
    on_device: Mutex<Option<Arc<OnDevice>>>,
    /// Set once the program's own kernels have a reason to run.
    started: Mutex<Option<Arc<Started>>>,
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
        let facts = Facts::read(words).map_err(error)?;
        needs::check(facts.version, &facts.capabilities, caps).map_err(error)?;
        let interface = gather::build(&reflection, &facts, caps).map_err(error)?;
        let infos = interface
            .kernels
            .iter()
            .take(interface.own.first)
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
            words: words.to_vec(),
            facts,
            interface,
            infos,
            warnings,
            on_device: Mutex::default(),
            started: Mutex::default(),
        })
    }

    /// The kernels of applications, in the module's order.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.infos
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
            if let Place::Local { spec_id, elem_size } = place {
                let size = sizes
                    .iter()
                    .find(|(o, _)| *o == ordinal)
                    .map_or(0, |(_, size)| *size);
                let count = size.div_ceil(u64::from(elem_size));
                spec.insert(spec_id, u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
        self.local_memory_with(kernel, &spec)
    }

    fn local_memory_with(&self, kernel: &interface::KernelInterface, spec: &SpecValues) -> u64 {
        let known: &HashMap<u32, u32> = &self.interface.variable_sizes;
        self.facts.local_memory(kernel.function, spec, known)
    }

    /// Whether ranges of a kernel may have smaller work-groups at their end.
    pub fn allows_non_uniform(&self, kernel: usize) -> bool {
        let interface = self.interface.kernels.get(kernel);
        interface.is_some_and(|kernel| kernel.fixed_local_size.is_none())
            && launch::splitting(&self.interface, &self.facts).is_some()
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
        let mut asked = [0; 4];
        buffer.read(0, &mut asked)?;
        let length = (u64::from(u32::from_le_bytes(asked)) * 4 + 4).min(buffer.size());
        let mut bytes = vec![0; length as usize];
        buffer.read(0, &mut bytes)?;
        let decoded = Decoded {
            room: buffer.size().saturating_sub(4),
            ..self.interface.formats.decode(&bytes, sink)
        };
        let on_device = self.on_device.lock().clone();
        if let Some(on_device) = on_device {
            on_device.recycle_printf(buffer, length)?;
        }
        Ok(decoded)
    }

    fn on_device(&self, device: &vk::Device) -> vk::Result<Arc<OnDevice>> {
        let mut slot = self.on_device.lock();
        if let Some(on_device) = &*slot {
            return Ok(Arc::clone(on_device));
        }
        let made = Arc::new(OnDevice::new(device, &self.words, &self.interface)?);
        *slot = Some(Arc::clone(&made));
        Ok(made)
    }
}
