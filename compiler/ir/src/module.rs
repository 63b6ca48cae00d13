//! Modules: functions, kernels, program-scope data, strings.

use super::{
    AddressSpace, CheckSite, FuncId, Function, GlobalId, ImageType, Linkage, NodeInfo,
    PayloadArray, PayloadId, SourceFile, StringId, Type,
};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_target::coarse::Multiples;
use serde::{Deserialize, Serialize};

/// A whole program after linking, or the set of functions that one test reads.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// All functions; those without blocks are declarations.
    pub functions: PrimaryMap<FuncId, Function>,
    /// The kernels (entry points), in source order.
    pub kernels: Vec<KernelInfo>,
    /// Program-scope variables and the local variables of kernels.
    pub globals: PrimaryMap<GlobalId, GlobalData>,
    /// Types of the payloads that kernels of an execution graph exchange.
    pub payloads: PrimaryMap<PayloadId, PayloadArray>,
    /// printf strings.
    pub strings: PrimaryMap<StringId, Vec<u8>>,
    /// Records that `lower_printf` writes into the printf buffer: what the reflection tells the
    /// runtime about each.
    pub printf: Vec<PrintfRecord>,
    /// The files that positions refer to. Not in the text form.
    pub files: Vec<SourceFile>,
    /// The tested places, by number. Not in the text form.
    pub checks: Vec<CheckSite>,
}

impl Module {
    /// The functions that stay although nothing calls them: kernels, and what later passes call.
    pub fn roots(&self) -> impl Iterator<Item = FuncId> + '_ {
        let kept = self.functions.iter().filter(|(_, func)| func.kept);
        let kernels = self.kernels.iter().map(|kernel| kernel.func);
        kernels.chain(kept.map(|(id, _)| id))
    }

    /// The kernel whose arguments a function has, for functions that are kernels: a coarse copy has the other kernel's.
    pub fn kernel_of_each(&self) -> SecondaryMap<FuncId, Option<u32>> {
        let mut kernel_of = SecondaryMap::new();
        for (kernel, k) in self.kernels.iter().zip(0..) {
            kernel_of[kernel.func] = Some(kernel.coarse.map_or(k, |coarse| coarse.of));
        }
        kernel_of
    }
}

/// One PrintfInfo: a format with the sizes of its arguments, or a `%s` string without any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrintfRecord {
    /// The first word of a record in the printf buffer, or the word that stands for a string.
    pub id: u32,
    /// Format or string, without terminator.
    pub text: StringId,
    /// Bytes of each argument in the record.
    pub argument_sizes: Vec<u32>,
}

/// A variable with program or work-group lifetime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalData {
    /// Name, for dumps and linking; may be empty.
    pub name: String,
    /// Global, Constant or Local.
    pub space: AddressSpace,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Initial bytes: empty means zeros (uninitialised for Local), else `size` bytes.
    pub init: Vec<u8>,
    /// Pointers inside `init`.
    pub relocations: Vec<Relocation>,
    /// Linkage.
    pub linkage: Linkage,
}

impl GlobalData {
    /// Returns whether the initial bytes are what every load finds: constant data that is defined here.
    pub fn is_known_constant(&self) -> bool {
        self.space == AddressSpace::Constant && self.linkage != Linkage::Import
    }
}

/// A pointer inside a variable's initial bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Relocation {
    /// Byte offset of the 8-byte pointer.
    pub offset: u64,
    /// The variable whose address is stored.
    pub target: GlobalId,
    /// Bytes added to that address.
    pub addend: i64,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name that clCreateKernel takes.
    pub name: String,
    /// The function. Before `lower_kernel_args` it has one parameter per argument (more for
    /// exploded aggregates, see [`KernelArgKind::Value`]); afterwards none.
    pub func: FuncId,
    /// Arguments in order.
    pub args: Vec<KernelArg>,
    /// reqd_work_group_size.
    pub required_work_group_size: Option<[u32; 3]>,
    /// work_group_size_hint.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// intel_reqd_sub_group_size and the SPIR-V SubgroupSize mode.
    pub required_sub_group_size: Option<u32>,
    /// Its sub-groups are made of local memory and barriers; by `widen_subgroups`.
    pub made_sub_groups: bool,
    /// SPIR-V SubgroupsPerWorkgroup: sub-groups of each work-group.
    pub required_sub_groups: Option<u32>,
    /// Its work-groups are made of whole sub-groups.
    pub whole_sub_groups: bool,
    /// Execution mode Initializer: the program runs it once, as one work-item without arguments,
    /// before every other kernel. Applications do not see it.
    pub initializer: bool,
    /// Execution mode Finalizer: likewise when the program is deleted.
    pub finalizer: bool,
    /// Bytes of each work-item's private memory in a buffer; made by `spill_private`.
    pub private_bytes: u32,
    /// Its local memory is in a buffer, with a part for each work-group; chosen by `local_in_buffers`.
    pub local_in_buffer: bool,
    /// It has checks, and memory for them; made by `check_memory`.
    pub checked: bool,
    /// Its work-items wait for no other; found by `find_waits`.
    pub no_waits: bool,
    /// It is another kernel's copy whose invocations run several work-items each; made by `coarsen`.
    pub coarse: Option<Coarse>,
    /// Its part in device-side enqueue, if it has one.
    pub enqueue: Option<EnqueueRole>,
    /// The arguments that are device queues: their ordinals.
    pub queues: Vec<u32>,
    /// The pointer arguments that are nothing but addresses, with the address delta in them: their ordinals; made by
    /// `shift_addresses`.
    pub followed: Vec<u32>,
    /// Its part as a node of an execution graph, if it is one.
    pub node: Option<Box<NodeInfo>>,
    /// CL_KERNEL_ATTRIBUTES: space-separated attributes as written; empty for IL.
    pub attributes: String,
}

impl KernelInfo {
    /// A kernel without arguments and attributes.
    pub fn new(name: String, func: FuncId) -> Self {
        Self {
            name,
            func,
            args: Vec::new(),
            required_work_group_size: None,
            work_group_size_hint: None,
            required_sub_group_size: None,
            made_sub_groups: false,
            required_sub_groups: None,
            whole_sub_groups: false,
            initializer: false,
            finalizer: false,
            private_bytes: 0,
            local_in_buffer: false,
            checked: false,
            no_waits: false,
            coarse: None,
            enqueue: None,
            queues: Vec::new(),
            followed: Vec::new(),
            node: None,
            attributes: String::new(),
        }
    }

    /// The lists of ordinals, each with its word in the text form.
    pub(crate) fn ordinals(&self) -> impl Iterator<Item = (&'static str, u32)> {
        let queues = self.queues.iter().map(|&ordinal| ("queue", ordinal));
        let followed = self.followed.iter().map(|&ordinal| ("followed", ordinal));
        queues.chain(followed)
    }

    /// Returns whether applications alone launch it, and it takes no part in device-side enqueue.
    pub fn is_of_application(&self) -> bool {
        self.enqueue.is_none() && self.node.is_none() && !self.initializer && !self.finalizer
    }

    /// Returns whether it asks for sub-groups of some size or number.
    pub fn asks_for_sub_groups(&self) -> bool {
        self.required_sub_group_size.is_some()
            || self.required_sub_groups.is_some()
            || self.whole_sub_groups
    }

    /// Returns whether the memory of device-side enqueue is an argument of the kernel.
    pub fn takes_launch(&self) -> bool {
        self.enqueue.is_some_and(|role| !role.is_node())
    }
}

/// A kernel that is run in place of another one, whose invocations may run several work-items each. Applications do not see it.
///
/// Invocation i of a row runs the work-items from i times `items` on. Where these are not next to each other, they are those
/// whose rest by [`Coarse::spacing`] is the invocation's lane, out of as many as its sub-group runs. Its launches have work-groups
/// whose first size is `items` times Vulkan's and made of whole sub-groups where the spacing is not 1, an offset in the first
/// dimension that is a multiple of `items` times `spacing`, and pointer arguments that are aligned to 16 bytes, each into an
/// object of at most 2 GiB; no two of the objects overlap if [`Coarse::disjoint`] says so. Of the integers among the arguments
/// those that [`Coarse::multiples`] names are multiples of four, or of `items` times `spacing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coarse {
    /// The other kernel: its place in [`Module::kernels`].
    pub of: u32,
    /// The number of work-items.
    pub items: u32,
    /// The distance between two of them, in work-items: 1, or the number of lanes of a sub-group.
    pub spacing: u32,
    /// Arguments that are multiples of a number.
    pub multiples: Multiples,
    /// The objects that pointer arguments point at do not overlap.
    pub disjoint: bool,
}

impl Coarse {
    /// The work-items that are neighbours: an invocation's, or those of a sub-group.
    pub fn span(&self) -> u64 {
        u64::from(self.items) * u64::from(self.spacing)
    }
}

/// The part that a kernel has in device-side enqueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnqueueRole {
    /// A kernel of the application that enqueues, or asks for queues or events; made by
    /// `place_blocks`.
    Parent,
    /// A block that kernels enqueue. Applications do not see it.
    Block {
        /// Its number among the module's blocks.
        number: u32,
        /// Bytes of captured variables.
        captured: u32,
    },
    /// Decides between dispatches what runs next. Applications do not see it.
    Scheduler {
        /// It wants to know the times of dispatches.
        times: bool,
    },
    /// A block as a node of a work graph; made by `graph_nodes`. Applications do not see it.
    BlockNode {
        /// The block's number.
        number: u32,
    },
    /// The scheduler as a node of a work graph; made by `graph_nodes`. Applications do not see it.
    SchedulerNode,
}

impl EnqueueRole {
    /// Returns whether the kernel is a node of a work graph, whose payload takes the place of arguments.
    pub fn is_node(self) -> bool {
        matches!(
            self,
            EnqueueRole::BlockNode { .. } | EnqueueRole::SchedulerNode
        )
    }
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArg {
    /// The kind of argument that the application passes.
    pub kind: KernelArgKind,
    /// The answers of clGetKernelArgInfo, if known.
    pub info: Option<ArgInfo>,
    /// The pointee of a pointer, if known. Not in the text form.
    pub pointee: Option<Pointee>,
}

/// The declared pointee of a pointer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointee {
    /// sizeof in bytes, not 0.
    pub size: u32,
    /// True if an array of it obeys Vulkan's standard uniform buffer layout.
    pub standard_uniform: bool,
}

/// The kind of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelArgKind {
    /// Plain data passed by value; one function parameter of this type.
    Value(Type),
    /// A struct by value: one function parameter, a private pointer to a copy.
    ByVal {
        /// Size in bytes.
        size: u32,
        /// Alignment in bytes.
        align: u32,
    },
    /// A global, constant (or generic) pointer.
    Pointer(AddressSpace),
    /// Local memory whose size the application gives; `align` of the pointee in bytes.
    Local {
        /// Alignment in bytes, at least 1; 128 when unknown.
        align: u32,
    },
    /// An image; one function parameter, a handle.
    Image(ImageType),
    /// A sampler; one function parameter, a handle.
    Sampler,
}

impl KernelArgKind {
    /// An image or a sampler.
    pub fn is_handle(&self) -> bool {
        matches!(self, KernelArgKind::Image(_) | KernelArgKind::Sampler)
    }

    /// Bytes that the application passes, if they are what the kernel reads.
    pub fn block_bytes(&self) -> Option<u32> {
        match *self {
            KernelArgKind::Value(ty) => Some(ty.alloc_bytes()),
            KernelArgKind::ByVal { size, .. } => Some(size),
            KernelArgKind::Pointer(_) => Some(8),
            KernelArgKind::Local { .. } | KernelArgKind::Image(_) | KernelArgKind::Sampler => None,
        }
    }
}

/// clGetKernelArgInfo's answers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ArgInfo {
    /// Argument name.
    pub name: String,
    /// Type as written, e.g. `float4*`; empty when unknown.
    pub type_name: String,
    /// CL_KERNEL_ARG_ADDRESS_*.
    pub address: Option<ArgAddress>,
    /// CL_KERNEL_ARG_ACCESS_*.
    pub access: Option<ArgAccess>,
    /// CL_KERNEL_ARG_TYPE_* bits: const 1, restrict 2, volatile 4, pipe 8.
    pub type_qualifier: Option<u32>,
}

impl ArgInfo {
    /// Returns whether the argument is a pipe (CL_KERNEL_ARG_TYPE_PIPE).
    pub fn is_pipe(&self) -> bool {
        self.type_qualifier.is_some_and(|bits| bits & 8 != 0)
    }

    /// Returns whether the argument is a pointer that is declared `restrict` (CL_KERNEL_ARG_TYPE_RESTRICT).
    pub fn is_restrict(&self) -> bool {
        self.type_qualifier.is_some_and(|bits| bits & 2 != 0)
    }
}

/// CL_KERNEL_ARG_ADDRESS_*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgAddress {
    /// CL_KERNEL_ARG_ADDRESS_GLOBAL
    Global,
    /// CL_KERNEL_ARG_ADDRESS_LOCAL
    Local,
    /// CL_KERNEL_ARG_ADDRESS_CONSTANT
    Constant,
    /// CL_KERNEL_ARG_ADDRESS_PRIVATE
    Private,
}

/// CL_KERNEL_ARG_ACCESS_*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgAccess {
    /// CL_KERNEL_ARG_ACCESS_READ_ONLY
    ReadOnly,
    /// CL_KERNEL_ARG_ACCESS_WRITE_ONLY
    WriteOnly,
    /// CL_KERNEL_ARG_ACCESS_READ_WRITE
    ReadWrite,
    /// CL_KERNEL_ARG_ACCESS_NONE
    None,
}
