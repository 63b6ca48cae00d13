//! Where things lie in push constants and argument blocks.
//!
//! Invariant: arguments are read as 32-bit words, so every argument begins on a word.
//! [`crate::passes::lower_kernel_args`] and the reflection both follow [`ArgLayout`].

use crate::ir::{BuiltIn, InstKind, KernelArgKind, KernelInfo, Module};

/// Place of one argument in the argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgPlace {
    /// Byte offset in the block.
    pub offset: u32,
    /// Size in bytes that the application passes.
    pub size: u32,
}

/// The argument block of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgLayout {
    /// One place per argument; `None` for local arguments.
    pub places: Vec<Option<ArgPlace>>,
    /// Bytes of the whole block, a multiple of 4.
    pub size: u32,
}

impl ArgLayout {
    /// Lays out a kernel's arguments in order.
    pub fn of(kernel: &KernelInfo) -> Self {
        let mut layout = ArgLayout::default();
        for arg in &kernel.args {
            let size = match arg.kind {
                KernelArgKind::Value(ty) => ty.alloc_bytes(),
                KernelArgKind::ByVal { size, .. } => size,
                KernelArgKind::Pointer(_) => 8,
                KernelArgKind::Local { .. } => {
                    layout.places.push(None);
                    continue;
                }
            };
            layout.places.push(Some(ArgPlace {
                offset: layout.size,
                size,
            }));
            layout.size += size.next_multiple_of(4);
        }
        layout
    }
}

/// A module-wide push constant, in the order of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ModuleConstant {
    RegionOffset,
    GlobalOffset,
    GlobalSize,
    EnqueuedLocalSize,
    NumWorkgroups,
    RegionGroupOffset,
    ProgramScope,
    PrintfBuffer,
}

/// All module push constants with their sizes in bytes.
pub(crate) const MODULE_CONSTANTS: [(ModuleConstant, u32); 8] = [
    (ModuleConstant::RegionOffset, 24),
    (ModuleConstant::GlobalOffset, 24),
    (ModuleConstant::GlobalSize, 24),
    (ModuleConstant::EnqueuedLocalSize, 12),
    (ModuleConstant::NumWorkgroups, 12),
    (ModuleConstant::RegionGroupOffset, 12),
    (ModuleConstant::ProgramScope, 8),
    (ModuleConstant::PrintfBuffer, 8),
];

/// The module push constants in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleConstants {
    offsets: [Option<u32>; 8],
    /// First byte behind them: where argument blocks begin.
    pub end: u32,
}

impl ModuleConstants {
    /// Lays out those for which `used` is true.
    pub fn new(used: impl Fn(ModuleConstant) -> bool) -> Self {
        let mut result = Self::default();
        for (i, (constant, size)) in MODULE_CONSTANTS.into_iter().enumerate() {
            if used(constant) {
                if size == 8 {
                    result.end = result.end.next_multiple_of(8);
                }
                result.offsets[i] = Some(result.end);
                result.end += size;
            }
        }
        result.end = result.end.next_multiple_of(8);
        result
    }

    /// Byte offset of a constant, if used.
    pub fn offset(&self, constant: ModuleConstant) -> Option<u32> {
        self.offsets[constant as usize]
    }
}

/// The module push constants that an instruction needs.
pub(crate) fn constants_of(kind: &InstKind, module: &Module) -> &'static [ModuleConstant] {
    use ModuleConstant as M;
    match kind {
        InstKind::GlobalAddr { global }
            if module.globals[*global].space != crate::ir::AddressSpace::Local =>
        {
            &[M::ProgramScope]
        }
        InstKind::BuiltIn { which } => match which {
            BuiltIn::GlobalId => &[M::RegionOffset],
            BuiltIn::GroupId => &[M::RegionGroupOffset],
            BuiltIn::GlobalSize => &[M::GlobalSize],
            BuiltIn::EnqueuedLocalSize | BuiltIn::NumEnqueuedSubgroups => &[M::EnqueuedLocalSize],
            BuiltIn::NumGroups => &[M::NumWorkgroups],
            BuiltIn::GlobalOffset => &[M::GlobalOffset],
            BuiltIn::GlobalLinearId => &[M::RegionOffset, M::GlobalOffset, M::GlobalSize],
            BuiltIn::PrintfBuffer => &[M::PrintfBuffer],
            _ => &[],
        },
        _ => &[],
    }
}
