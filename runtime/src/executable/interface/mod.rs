//! The interface of a module: where each argument goes, layouts, module-wide values.
//!
//! - `gather.rs`, `gather_images.rs`: from the reflection to an [`Interface`]
//! - `kernel_draft.rs`: a kernel while it is gathered, and its bindings and layout afterwards
//! - `module_scan.rs`: what only the module's own instructions tell
//! - `image_reads.rs`: the storage images without a format that it reads
//! - `capabilities.rs`: the module's capabilities against the device's
//! - `limits.rs`: what it asks for against the device's limits
//! - `init_fini.rs`: the kernels that the program runs by itself
//! - `enqueue.rs`: those of device-side enqueue
//! - `coarse.rs`: copies that run several work-items in an invocation
//! - `local_buffer.rs`: local memory in a buffer

pub(super) mod capabilities;
pub(super) mod coarse;
pub(super) mod enqueue;
pub(super) mod gather;
mod gather_images;
mod image_reads;
mod init_fini;
mod kernel_draft;
mod limits;
pub(super) mod local_buffer;
pub(super) mod module_scan;

use std::collections::{BTreeMap, HashMap};

use opencl_sys::CL_KERNEL_ARG_TYPE_PIPE;
use pumice_compiler::target::coarse::Multiples;
use pumice_reflection::{ArgumentInfo, CheckSite, Fact, Need, Promise, Relocation};
use pumice_vulkan_layer::{BindingKind, ImageKind, PipelineLayoutDesc, SamplerDesc};

use self::coarse::{CoarseCopy, CopyOf};
use self::enqueue::{EnqueueKernels, EnqueuePart};
use self::init_fini::InitFini;
use self::local_buffer::LocalBuffer;
use super::printf::Formats;

/// A kernel as clGetKernel*Info sees it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct KernelInfo {
    /// CL_KERNEL_FUNCTION_NAME.
    pub name: String,
    /// CL_KERNEL_ATTRIBUTES.
    pub attributes: String,
    /// The arguments, by ordinal.
    pub args: Vec<ArgMeta>,
    /// CL_KERNEL_COMPILE_WORK_GROUP_SIZE.
    pub required_work_group_size: Option<[u32; 3]>,
    /// Work-items that its sub-groups must have.
    pub required_sub_group_size: Option<u32>,
    /// These sub-groups are the code's own, not the device's.
    pub made_sub_groups: bool,
    /// Sub-groups that each of its work-groups must have.
    pub required_sub_groups: Option<u32>,
    /// Work-groups are made of whole sub-groups.
    pub whole_sub_groups: bool,
    /// The size of its sub-groups is the one that the device tells, or the required one; the driver chooses that of
    /// other kernels.
    pub sees_sub_groups: bool,
    /// Bytes of a work-item's private memory that a launch gives it in a buffer.
    pub private_bytes: Option<u32>,
    /// Launches give it memory of device-side enqueue.
    pub enqueues: bool,
    /// Launches give it memory of checks.
    pub checked: bool,
    /// Its number in the module.
    pub number: u32,
    /// The kernel may write to the printf buffer.
    pub may_use_printf: bool,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgMeta {
    /// The kind of value that clSetKernelArg takes.
    pub kind: ArgKind,
    /// clGetKernelArgInfo's answers; `None` where it is not available.
    pub info: Option<ArgumentInfo>,
    /// One more than the highest mip level that the kernel has as a storage image of its own; 0 for none.
    pub level_images: u32,
    /// The specialization constant that is 1 if what the kernel writes to the image becomes sRGB.
    pub srgb_spec: Option<u32>,
}

impl ArgMeta {
    /// Tells whether the argument is a pipe.
    pub fn is_pipe(&self) -> bool {
        let qualifier = self.info.as_ref().and_then(|info| info.type_qualifier);
        qualifier.is_some_and(|bits| bits & CL_KERNEL_ARG_TYPE_PIPE != 0)
    }

    /// Tells whether the argument is declared as an image that a kernel only writes. Modules need not tell.
    pub fn is_write_only(&self) -> bool {
        let qualifier = self.info.as_ref().and_then(|info| info.access_qualifier);
        qualifier == Some(opencl_sys::CL_KERNEL_ARG_ACCESS_WRITE_ONLY)
    }

    /// Tells whether the argument is declared as an image that a kernel reads and writes. Modules need not tell.
    pub fn is_read_write(&self) -> bool {
        let qualifier = self.info.as_ref().and_then(|info| info.access_qualifier);
        qualifier == Some(opencl_sys::CL_KERNEL_ARG_ACCESS_READ_WRITE)
    }

    /// Tells whether the argument is declared as a pointer that a kernel may write through. Modules need not tell.
    pub fn is_mutable_pointer(&self) -> bool {
        let Some(info) = &self.info else {
            return false;
        };
        let is_const = |bits: u32| bits & opencl_sys::CL_KERNEL_ARG_TYPE_CONST != 0;
        info.address_qualifier == Some(opencl_sys::CL_KERNEL_ARG_ADDRESS_GLOBAL)
            && info.type_qualifier.is_some_and(|bits| !is_const(bits))
    }
}

impl ArgMeta {
    /// An argument that the kernel does not use.
    pub(super) fn unused() -> Self {
        Self::new(ArgKind::Unused, None)
    }

    /// An argument without images of levels.
    pub(super) fn new(kind: ArgKind, info: Option<ArgumentInfo>) -> Self {
        Self {
            kind,
            info,
            level_images: 0,
            srgb_spec: None,
        }
    }
}

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// The kernel does not use it: anything may be set, and is ignored.
    Unused,
    /// A global or constant pointer: a buffer, an address, or nothing; or a pipe.
    Buffer,
    /// Bytes of that size.
    Pod {
        /// In bytes.
        size: u32,
    },
    /// A local pointer: a size.
    Local,
    /// A device queue: its number, 8 bytes.
    Queue,
    /// An image.
    Image {
        /// The kernel's binding: a sampled or storage image, or either kind of texel buffer.
        binding: BindingKind,
        /// Its shape; `None` where the module does not tell.
        kind: Option<ImageKind>,
        /// The kernel sees each pixel as one unsigned integer of its bits.
        raw: bool,
        /// The image has samples a pixel; the binding shows them as layers of planes.
        samples: bool,
    },
    /// A sampler.
    Sampler,
}

/// The place of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) enum ArgPlace {
    Descriptor {
        set: u32,
        binding: u32,
        kind: BindingKind,
    },
    Block {
        set: u32,
        binding: u32,
        offset: u32,
        size: u32,
        content: Content,
    },
    Push {
        offset: u32,
        size: u32,
        content: Content,
    },
    Local {
        spec_id: u32,
        elem_size: u32,
    },
    /// A storage image of one mip level: the level, set and binding.
    ImageLevel(u32, u32, u32),
}

/// The part of an argument that lies in a block or push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) enum Content {
    /// A POD's bytes.
    Bytes,
    /// A pointer, without the address delta.
    Pointer,
    /// A pointer with the address delta in it, a device address.
    Address,
    /// An image's channel order, OpenCL's number.
    ChannelOrder,
    /// An image's channel data type, OpenCL's number.
    ChannelDataType,
    /// A sampler's properties, as LiteralSampler encodes them.
    SamplerMask,
    /// Another fact about an image or sampler.
    Fact(Fact),
}

/// The source of a binding's contents, when a dispatch is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) enum BindingSource {
    /// The argument of that ordinal.
    Argument(usize),
    /// A mip level of the image that is an argument.
    ImageLevel {
        ordinal: usize,
        level: u32,
    },
    /// A block of that many bytes, from the PODs and pointers placed in it.
    Block(u32),
    /// A sampler that the source spells out.
    Sampler(SamplerDesc),
    /// The module's data buffer of that index.
    Data(usize),
    Printf,
}

impl BindingSource {
    /// The argument that the binding shows.
    pub fn argument(self) -> Option<usize> {
        match self {
            Self::Argument(ordinal) | Self::ImageLevel { ordinal, .. } => Some(ordinal),
            _ => None,
        }
    }
}

/// A kernel, ready for dispatch.
#[derive(Debug, Default)]
pub(in crate::executable) struct KernelInterface {
    pub info: KernelInfo,
    pub function: u32,
    /// One place per use of an argument.
    pub places: Vec<(usize, ArgPlace)>,
    pub bindings: BTreeMap<(u32, u32), (BindingKind, BindingSource)>,
    pub layout: PipelineLayoutDesc,
    /// Variables whose images the pipeline must name the format of, and the arguments that they are.
    pub read_images: Vec<(u32, usize)>,
    /// The work-group size that the module fixes.
    pub fixed_local_size: Option<[u32; 3]>,
    /// Its part in device-side enqueue; applications do not see such a kernel.
    pub part: Option<EnqueuePart>,
    /// The kernel that it is a coarse copy of. Applications do not see it.
    pub coarse: Option<CopyOf>,
    /// It gives the same results however its work-items are grouped.
    pub unseen_groups: bool,
    /// Its work-items wait for no other.
    pub no_waits: bool,
    /// Local memory that launches give it in a buffer.
    pub local_buffer: Option<LocalBuffer>,
}

impl KernelInterface {
    /// Returns whether it serves other kernels' launches, and is none of applications.
    pub fn is_hidden(&self) -> bool {
        self.part.is_some() || self.coarse.is_some()
    }
}

impl KernelInterface {
    /// Takes the last argument, which is not the application's, from the kernel; returns whether it is a pointer of that ordinal.
    fn take_pointer(&mut self, ordinal: u32) -> bool {
        let last = self.info.args.pop();
        let is_pointer = last.is_some_and(|arg| arg.kind == ArgKind::Buffer);
        is_pointer && ordinal as usize == self.info.args.len()
    }

    /// Notes what our own instruction set says of the kernel.
    ///
    /// # Errors
    /// It contradicts the rest.
    pub fn add_need(&mut self, need: Need) -> Result<(), String> {
        let fits = match need {
            Need::SubgroupSize { size, .. } => {
                let slot = &mut self.info.required_sub_group_size;
                slot.replace(size).is_none()
            }
            Need::MadeSubgroups { .. } => !std::mem::replace(&mut self.info.made_sub_groups, true),
            Need::SubgroupCount { count, .. } => {
                let slot = &mut self.info.required_sub_groups;
                slot.replace(count).is_none()
            }
            Need::WholeSubgroups { .. } => {
                !std::mem::replace(&mut self.info.whole_sub_groups, true)
            }
            Need::UnseenGroups { .. } => !std::mem::replace(&mut self.unseen_groups, true),
            Need::NoWaits { .. } => !std::mem::replace(&mut self.no_waits, true),
            Need::SeenSubgroups { .. } => !std::mem::replace(&mut self.info.sees_sub_groups, true),
            Need::PrivateMemory { ordinal, bytes, .. } => {
                let is_last = self.take_pointer(ordinal);
                let before = self.info.private_bytes.replace(bytes);
                is_last && bytes > 0 && before.is_none()
            }
            Need::LocalMemory {
                ordinal,
                bytes,
                align,
                ..
            } => {
                let is_last = self.take_pointer(ordinal);
                let before = self.local_buffer.take();
                self.local_buffer = LocalBuffer::new(bytes, align);
                is_last && before.is_none() && self.local_buffer.is_some()
            }
            Need::DeviceLaunch { ordinal, .. } => {
                let is_last = self.take_pointer(ordinal);
                is_last && !std::mem::replace(&mut self.info.enqueues, true)
            }
            Need::CheckMemory { ordinal, .. } => {
                let is_last = self.take_pointer(ordinal);
                is_last && !std::mem::replace(&mut self.info.checked, true)
            }
            Need::QueueArgument { ordinal, .. } => {
                let arg = self.info.args.get_mut(ordinal as usize);
                match arg {
                    // The kernel does not use it.
                    Some(arg) if arg.kind == ArgKind::Unused => true,
                    Some(arg) if arg.kind == (ArgKind::Pod { size: 8 }) => {
                        arg.kind = ArgKind::Queue;
                        true
                    }
                    _ => false,
                }
            }
            Need::FollowedArgument { ordinal, .. } => {
                let ordinal = ordinal as usize;
                for (_, place) in self.places.iter_mut().filter(|of| of.0 == ordinal) {
                    if let ArgPlace::Push { content, .. } | ArgPlace::Block { content, .. } = place
                    {
                        *content = Content::Address;
                    }
                }
                let arg = self.info.args.get(ordinal);
                arg.is_some_and(|arg| matches!(arg.kind, ArgKind::Unused | ArgKind::Buffer))
            }
            Need::RawImage { ordinal, .. } => {
                let arg = self.info.args.get_mut(ordinal as usize);
                match arg.map(|arg| &mut arg.kind) {
                    Some(ArgKind::Image { raw, .. }) => !std::mem::replace(raw, true),
                    _ => false,
                }
            }
            Need::SampledPixels {
                ordinal, arrayed, ..
            } => {
                let arg = self.info.args.get_mut(ordinal as usize);
                match arg.map(|arg| &mut arg.kind) {
                    Some(ArgKind::Image { kind, samples, .. }) => {
                        let layers = kind.is_none_or(|kind| kind == ImageKind::D2Array);
                        *kind = Some(match arrayed {
                            0 => ImageKind::D2,
                            _ => ImageKind::D2Array,
                        });
                        layers && !std::mem::replace(samples, true)
                    }
                    _ => false,
                }
            }
            Need::SrgbWrites {
                ordinal, spec_id, ..
            } => {
                let arg = self.info.args.get_mut(ordinal as usize);
                let image = arg.filter(|arg| matches!(arg.kind, ArgKind::Image { .. }));
                image.is_some_and(|arg| arg.srgb_spec.replace(spec_id).is_none())
            }
            Need::Block {
                number, captured, ..
            } => {
                let part = EnqueuePart::Block { number, captured };
                self.part.replace(part).is_none()
            }
            Need::Coarse {
                of,
                items,
                spacing,
                multiples,
                span_multiples,
                disjoint,
                ..
            } => {
                let of = of.0;
                let copy = CopyOf {
                    of,
                    items,
                    spacing,
                    multiples: Multiples {
                        of_four: multiples,
                        of_span: span_multiples,
                    },
                    disjoint: disjoint != 0,
                };
                items > 0 && spacing > 0 && self.coarse.replace(copy).is_none()
            }
            Need::GraphNode { part, .. } => {
                let part = match part.checked_sub(1) {
                    Some(number) => EnqueuePart::BlockNode { number },
                    None => EnqueuePart::SchedulerNode,
                };
                self.part.replace(part).is_none()
            }
            // Those of images are places of arguments (`gather_images.rs`).
            Need::HandleFactPushConstant { .. }
            | Need::HandleFactUniform { .. }
            | Need::ImageLevel { .. } => true,
            Need::Scheduler { times, .. } => {
                let part = EnqueuePart::Scheduler { times: times != 0 };
                self.part.replace(part).is_none()
            }
        };
        match fits {
            true => Ok(()),
            false => Err(format!(
                "kernel `{}`: {} does not fit it",
                self.info.name,
                need.name()
            )),
        }
    }
}

/// One of the six push constants that describe the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) struct RangePush {
    pub offset: u32,
    /// 64-bit values, else 32-bit ones.
    pub wide: bool,
}

/// The place in which kernels find the printf buffer or a data buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) enum ModulePlace {
    Descriptor,
    Push { offset: u32, size: u32 },
}

/// Constant data or program-scope variables.
#[derive(Debug)]
pub(in crate::executable) struct ModuleData {
    pub place: ModulePlace,
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
    pub uniform: bool,
}

/// The module's printf buffer.
#[derive(Clone, Copy, Debug)]
pub(in crate::executable) struct PrintfBuffer {
    pub place: ModulePlace,
    /// In bytes.
    pub size: u32,
}

/// Everything that the reflection says.
#[derive(Debug, Default)]
pub(in crate::executable) struct Interface {
    /// Those of applications, then those that the program runs by itself.
    pub kernels: Vec<KernelInterface>,
    pub init_fini: InitFini,
    pub enqueue: EnqueueKernels,
    /// Copies of the kernels, by the kernels' indices.
    pub coarse: Vec<Vec<CoarseCopy>>,
    pub spec_local_size: Option<[u32; 3]>,
    pub spec_global_offset: Option<[u32; 3]>,
    pub spec_work_dim: Option<u32>,
    pub spec_subgroup_size: Option<u32>,
    pub global_offset: Option<RangePush>,
    pub enqueued_local_size: Option<RangePush>,
    pub global_size: Option<RangePush>,
    pub region_offset: Option<RangePush>,
    pub num_groups: Option<RangePush>,
    pub region_group_offset: Option<RangePush>,
    pub data: Vec<ModuleData>,
    pub printf: Option<PrintfBuffer>,
    /// Variables whose images pipelines must name the format of.
    pub read_images: Vec<u32>,
    /// The places that kernels test.
    pub checks: Vec<CheckSite>,
    /// The byte of the push constants at which the address delta begins; `None` where pointers are addresses.
    pub address_delta: Option<u32>,
    /// The byte of the push constants at which the pointer to the word begins that tells kernels to end.
    pub termination_flag: Option<u32>,
    /// Promises that launches may make.
    pub promises: Vec<Promise>,
    pub formats: Formats,
    /// Sizes of Workgroup variables that the module tells.
    pub variable_sizes: HashMap<u32, u32>,
    /// Bytes of program-scope variables.
    pub program_scope_bytes: usize,
}
