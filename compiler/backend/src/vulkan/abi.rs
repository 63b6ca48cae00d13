//! Offsets in push constants and argument blocks.
//!
//! Invariant: arguments are read as 32-bit words, so every argument begins on a word.
//! [`crate::passes::lower::lower_kernel_args`] and the reflection both follow [`ArgLayout`].

use pumice_ir::{AddressSpace, BuiltIn, InstKind, Module};
use pumice_target::Target;
use pumice_target::abi::{Abi, RangeForm};
use std::collections::BTreeSet;

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
    AddressDelta,
    TerminationFlag,
}

/// All module push constants, in the order of their places.
pub(crate) const MODULE_CONSTANTS: [ModuleConstant; 10] = [
    ModuleConstant::RegionOffset,
    ModuleConstant::GlobalOffset,
    ModuleConstant::GlobalSize,
    ModuleConstant::EnqueuedLocalSize,
    ModuleConstant::NumWorkgroups,
    ModuleConstant::RegionGroupOffset,
    ModuleConstant::ProgramScope,
    ModuleConstant::PrintfBuffer,
    ModuleConstant::AddressDelta,
    ModuleConstant::TerminationFlag,
];

impl ModuleConstant {
    /// The numbers of those that every module for a target has.
    pub fn always(target: &Target) -> BTreeSet<u32> {
        // Pointers are without it in all of the module, also where no kernel follows one.
        let delta = target.address_delta.then_some(Self::AddressDelta as u32);
        delta.into_iter().collect()
    }

    /// Size in bytes; `wide` where sizes and offsets have 64 bits.
    pub fn size(self, wide: bool) -> u32 {
        match self {
            Self::RegionOffset | Self::GlobalOffset | Self::GlobalSize if wide => 24,
            Self::RegionOffset | Self::GlobalOffset | Self::GlobalSize => 12,
            Self::EnqueuedLocalSize | Self::NumWorkgroups | Self::RegionGroupOffset => 12,
            Self::ProgramScope
            | Self::PrintfBuffer
            | Self::AddressDelta
            | Self::TerminationFlag => 8,
        }
    }
}

/// The form of ids, sizes and offsets.
pub(crate) fn range_form(abi: &Abi) -> RangeForm {
    abi.descriptors()
        .map_or(RangeForm::WideRegions, |options| options.range)
}

/// The module push constants in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleConstants {
    offsets: [Option<u32>; 10],
    /// True if sizes and offsets have 64 bits.
    pub wide: bool,
    /// First byte behind them: where argument blocks begin.
    pub end: u32,
}

impl ModuleConstants {
    /// Lays out those for which `used` is true.
    pub fn new(wide: bool, used: impl Fn(ModuleConstant) -> bool) -> Self {
        let mut result = Self {
            wide,
            ..Self::default()
        };
        for (i, constant) in MODULE_CONSTANTS.into_iter().enumerate() {
            if used(constant) {
                let size = constant.size(wide);
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
pub(crate) fn constants_of(
    kind: &InstKind,
    module: &Module,
    abi: &Abi,
) -> &'static [ModuleConstant] {
    use ModuleConstant as M;
    let addresses = abi.descriptors().is_none();
    match kind {
        InstKind::GlobalAddr { global }
            if addresses && module.globals[*global].space != AddressSpace::Local =>
        {
            &[M::ProgramScope]
        }
        InstKind::BuiltIn {
            which: BuiltIn::PrintfBuffer,
        } if addresses => &[M::PrintfBuffer],
        InstKind::BuiltIn {
            which: BuiltIn::TerminationFlag,
        } => &[M::TerminationFlag],
        InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => {
            range_constants(*which, range_form(abi))
        }
        _ => &[],
    }
}

/// The push constants behind a built-in.
fn range_constants(which: BuiltIn, form: RangeForm) -> &'static [ModuleConstant] {
    use ModuleConstant as M;
    let regions = form.has_regions();
    let offset = form == RangeForm::OffsetPush;
    match which {
        BuiltIn::GlobalId if regions => &[M::RegionOffset],
        BuiltIn::GroupId if regions => &[M::RegionGroupOffset],
        BuiltIn::GlobalSize if regions => &[M::GlobalSize],
        BuiltIn::NumGroups if regions => &[M::NumWorkgroups],
        BuiltIn::GlobalLinearId if regions => &[M::RegionOffset, M::GlobalOffset, M::GlobalSize],
        BuiltIn::GlobalOffset if regions => &[M::GlobalOffset],
        BuiltIn::GlobalId | BuiltIn::GlobalOffset | BuiltIn::GlobalLinearId if offset => {
            &[M::GlobalOffset]
        }
        BuiltIn::EnqueuedLocalSize | BuiltIn::NumEnqueuedSubgroups => &[M::EnqueuedLocalSize],
        _ => &[],
    }
}
