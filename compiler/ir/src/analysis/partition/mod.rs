//! Alias partitions of local and private memory.
//!
//! Takes: lowered IR. Gives: for every local or private pointer value the partition it points
//! into, and for every partition its element width, its objects and where each begins.
//!
//! Algorithm: union-find over pointer values, variables, slots and local arguments. Whatever
//! meets by data flow (selects, block parameters, calls), by comparison, or through memory,
//! integers and generic pointers (one "escaped" node per address space) becomes one partition.
//! Constants (NULL) join nothing. A partition becomes one array; its element is the atomics'
//! width if it has atomics, else the narrowest access, or what is cheapest if it is private. A private partition that stays in one
//! function is a Function variable, else a module-scope Private variable in which every
//! function has its own part (OpenCL C has no recursion).
//!
//! Invariant: a pointer is `bias + offset in the array`. The bias is above 0, so that NULL is
//! 0, unless nobody can see the address (no comparison, no escape).

mod classes;
mod layout;

use crate::LowerError;
use crate::{AddressSpace, FuncId, GlobalId, Module, Scalar, StackSlot, Type, Value};
use classes::Classes;
use rustc_hash::FxHashMap;

/// Variables of atomic operations of at most so many bytes are as fast in shared memory as in a buffer.
const MOST_ATOMIC_BYTES: u32 = 8 << 10;

/// A memory object inside a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A local variable.
    Global(GlobalId),
    /// A private variable.
    Slot(FuncId, StackSlot),
    /// A local argument: kernel number and ordinal.
    LocalArg(u32, u32),
}

/// One array.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Local or Private.
    pub space: AddressSpace,
    /// Element width in bytes: 1, 2, 4 or 8.
    pub unit: u32,
    /// True if atomics touch it.
    pub atomic: bool,
    /// True if a function that is no kernel names one of its local variables.
    pub named_by_called: bool,
    /// Added to array offsets to give pointers.
    pub bias: u32,
    /// Objects of known size with their byte offset in the array.
    pub objects: Vec<(Object, u32)>,
    /// Local arguments, behind the objects, with their alignment.
    pub args: Vec<(Object, u32)>,
    /// Bytes of `objects`.
    pub fixed_bytes: u32,
    /// The single function that uses a private partition.
    pub single_function: Option<FuncId>,
}

impl Partition {
    /// Returns whether it is in a buffer, in kernels whose local memory is. Variables of atomic operations stay in arrays unless
    /// they are large, and those that called functions name: each kernel has its own layout.
    pub fn is_for_buffers(&self) -> bool {
        let is_small = self.args.is_empty() && self.fixed_bytes <= MOST_ATOMIC_BYTES;
        let stays = (self.atomic && is_small) || self.named_by_called;
        self.space == AddressSpace::Local && !stays
    }
}

/// All partitions of a module.
pub struct Partitions {
    /// The partitions.
    pub list: Vec<Partition>,
    values: FxHashMap<(FuncId, Value), u32>,
    objects: FxHashMap<Object, u32>,
    escaped: [Option<u32>; 2],
}

fn space_index(space: AddressSpace) -> Option<usize> {
    match space {
        AddressSpace::Local => Some(0),
        AddressSpace::Private => Some(1),
        _ => None,
    }
}

impl Partitions {
    /// Finds the partitions of the given functions (those reachable from kernels).
    ///
    /// # Errors
    /// A variable that is too large, or a pointer for which no partition is found.
    pub fn compute(module: &Module, functions: &[FuncId]) -> Result<Self, LowerError> {
        layout::lay_out(Classes::of(module, functions, true)?)
    }

    /// The same before emission, where no number becomes a pointer to private memory.
    ///
    /// # Errors
    /// As [`Partitions::compute`].
    pub fn without_numbers(module: &Module, functions: &[FuncId]) -> Result<Self, LowerError> {
        layout::lay_out(Classes::of(module, functions, false)?)
    }

    /// The partition that a pointer value points into; none for constants.
    pub fn of_value(&self, func: FuncId, value: Value) -> Option<u32> {
        self.values.get(&(func, value)).copied()
    }

    /// The partition of an object.
    pub fn of_object(&self, object: Object) -> Option<u32> {
        self.objects.get(&object).copied()
    }

    /// The bias of the escaped partition of a space: what generic pointers hold.
    pub fn escaped(&self, space: AddressSpace) -> Option<u32> {
        self.escaped[space_index(space)?]
    }
}

/// Returns whether a type holds a local or private pointer.
pub fn is_offset_pointer(ty: Type) -> bool {
    matches!(
        ty.scalar,
        Scalar::Ptr(AddressSpace::Local | AddressSpace::Private)
    )
}
