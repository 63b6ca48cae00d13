//! Vocabulary of passes: what they may look at, what they require and ensure.

use cranelift_entity::PrimaryMap;
use pumice_ir::{Function, GlobalData, GlobalId, LowerError, Module};
use pumice_target::{LowerOptions, Target};

/// What a module-level pass may look at.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// The device.
    pub target: &'a Target,
    /// Build options that change arithmetic.
    pub options: &'a LowerOptions,
}

/// What a function-level pass may look at.
#[derive(Clone, Copy, Debug)]
pub struct FunctionCtx<'a> {
    /// The device.
    pub target: &'a Target,
    /// Build options that change arithmetic.
    pub options: &'a LowerOptions,
    /// The module's variables, read-only: constant data may be folded.
    pub globals: &'a PrimaryMap<GlobalId, GlobalData>,
}

/// Whether a pass changed anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub enum Changed {
    /// The input stands as it was.
    #[default]
    No,
    /// Something was rewritten.
    Yes,
}

impl Changed {
    /// `Yes` if `changed`.
    pub fn from_bool(changed: bool) -> Self {
        if changed { Changed::Yes } else { Changed::No }
    }

    /// Whether something was rewritten.
    pub fn is_yes(self) -> bool {
        self == Changed::Yes
    }
}

impl std::ops::BitOrAssign for Changed {
    fn bitor_assign(&mut self, other: Self) {
        if other.is_yes() {
            *self = Changed::Yes;
        }
    }
}

/// What holds of a module between two passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Every function that is called has a body.
    Linked,
    /// No call passes a private or local pointer, or returns one.
    Inlined,
    /// Private variables that remain have escaping or variable addresses.
    SlotsPromoted,
    /// Constants are folded, nothing is unused, straight-line code is one block.
    Simplified,
    /// Generic pointers remain only where inference cannot name the space.
    SpacesInferred,
    /// No `MathOp::Ocl`.
    MathLowered,
    /// Image operations name their arguments, in forms that Vulkan has.
    ImagesLowered,
    /// No `Printf`.
    PrintfLowered,
    /// Collectives of sub-groups only, and only in forms that the target has.
    CollectivesLowered,
    /// No access through a generic pointer, and no `MemCopy`.
    GenericLowered,
    /// Atomics only in forms that the target has.
    AtomicsLowered,
    /// Vectors have at most four lanes.
    VectorsNarrow,
    /// Kernels take no parameters; arguments are `LoadArg` and `LocalArg`.
    ArgsLowered,
}

/// How a pass is called.
#[derive(Clone, Copy)]
pub enum PassFn {
    /// Runs on each function with a body.
    Function(fn(&mut Function, &FunctionCtx<'_>) -> Changed),
    /// Runs on each function with a body; may find what cannot be lowered.
    TryFunction(fn(&mut Function, &FunctionCtx<'_>) -> Result<Changed, LowerError>),
    /// Runs on the module.
    Module(fn(&mut Module, &Ctx<'_>) -> Changed),
    /// Runs on the module; may find what cannot be lowered.
    TryModule(fn(&mut Module, &Ctx<'_>) -> Result<Changed, LowerError>),
}

/// One row of [`PIPELINE`].
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name, as `pumicec` and the file tests know it.
    pub name: &'static str,
    /// Whether the module is as legal without it: left out under `-cl-opt-disable`.
    pub optional: bool,
    /// The pass.
    pub run: PassFn,
    /// What must hold before.
    pub requires: &'static [Property],
    /// What holds afterwards, and until the end unless a later row says otherwise.
    pub ensures: &'static [Property],
}
