//! The two forms of a Vulkan module's interface, by which kernels get at their arguments, and the
//! options of the second.
//!
//! With [`Abi::Addresses`] pointers are device addresses among the other arguments. With
//! [`Abi::Descriptors`] they are descriptors, as the document "OpenCL C 1.2 Language on Vulkan"
//! maps them; the option names are that document's ([`crate::flags`] reads them).

use serde::{Deserialize, Serialize};

/// The form of a Vulkan module's interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Abi {
    /// Global and constant pointers are 64-bit device addresses.
    #[default]
    Addresses,
    /// Global and constant pointers are storage or uniform buffers.
    Descriptors(DescriptorOptions),
}

impl Abi {
    /// The options of the descriptor form, if it is that.
    pub fn descriptors(&self) -> Option<&DescriptorOptions> {
        match self {
            Abi::Addresses => None,
            Abi::Descriptors(options) => Some(options),
        }
    }
}

/// The place of plain data arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PodPlace {
    /// A storage buffer.
    #[default]
    StorageBuffer,
    /// A uniform buffer (`-pod-ubo`).
    Uniform,
    /// Push constants (`-pod-pushconstant`).
    PushConstant,
    /// Push constants where a kernel's data fits there, else a storage buffer. No option: that document has one place for
    /// all kernels.
    PushConstantOrStorage,
}

/// The source of ids, sizes and offsets of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RangeForm {
    /// Vulkan's built-ins alone: no global offset, work-groups of one size.
    #[default]
    BuiltIns,
    /// The same, with the global offset in specialization constants (`-global-offset`).
    OffsetSpec,
    /// The same, with the global offset in a push constant (`-global-offset-push-constant`).
    OffsetPush,
    /// The six push constants of three 32-bit numbers each: any range of OpenCL C 2.0 and later.
    Regions,
    /// The same with 64-bit sizes and offsets, which the driver asks for.
    WideRegions,
}

impl RangeForm {
    /// Returns whether work-groups at a range's end may be smaller.
    pub fn has_regions(self) -> bool {
        matches!(self, RangeForm::Regions | RangeForm::WideRegions)
    }
}

/// Options of the descriptor form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DescriptorOptions {
    /// The place of plain data arguments.
    pub pods: PodPlace,
    /// All plain data of a kernel in one block (`-cluster-pod-kernel-args`, on by default).
    pub cluster_pods: bool,
    /// Constant pointers are uniform buffers (`-constant-args-ubo`).
    pub constant_args_uniform: bool,
    /// Every kernel has a descriptor set of its own (`-distinct-kernel-descriptor-sets`).
    pub distinct_sets: bool,
    /// Constant data of the module is a buffer (`-module-constants-in-storage-buffer`), else a
    /// private array.
    pub constants_in_buffer: bool,
    /// The source of ids, sizes and offsets of the range.
    pub range: RangeForm,
    /// get_work_dim is a specialization constant (`-work-dim`, on by default), else 3.
    pub work_dim: bool,
    /// The runtime binds less than a word where an argument is NULL and whole words otherwise, so
    /// that kernels can tell. No option: the mapping does not say what NULL is.
    pub null_is_empty: bool,
    /// A program that looks at the bits of a pointer is refused: the other form of the same program would see others.
    pub opaque_pointers: bool,
}

impl Default for DescriptorOptions {
    fn default() -> Self {
        Self {
            pods: PodPlace::default(),
            cluster_pods: true,
            constant_args_uniform: false,
            distinct_sets: false,
            constants_in_buffer: false,
            range: RangeForm::default(),
            work_dim: true,
            null_is_empty: false,
            opaque_pointers: false,
        }
    }
}

impl DescriptorOptions {
    /// The options of the driver for a device that has no addresses: every range and any size of
    /// constant data.
    pub fn of_driver() -> Self {
        Self {
            constants_in_buffer: true,
            range: RangeForm::WideRegions,
            null_is_empty: true,
            ..Self::default()
        }
    }

    /// The options of the driver for programs that exist with addresses too.
    pub fn beside_addresses() -> Self {
        Self {
            opaque_pointers: true,
            pods: PodPlace::PushConstantOrStorage,
            ..Self::of_driver()
        }
    }
}
