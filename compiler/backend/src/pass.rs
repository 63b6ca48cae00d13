//! Vocabulary of passes: their context, kinds, properties and observers.

use cranelift_entity::PrimaryMap;
use pumice_ir::{Function, GlobalData, GlobalId, LowerError, Module};
use pumice_target::{LowerOptions, QuirkKind, Target};

/// Told of each stage of lowering as it ends: `import` or the name of a pass, and the module or the
/// reason why there is none.
pub type Observer<'a> = dyn FnMut(&'static str, Result<&Module, &LowerError>) + 'a;

/// The context of a module-level pass.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// The device.
    pub target: &'a Target,
    /// Build options that change arithmetic.
    pub options: &'a LowerOptions,
}

impl<'a> Ctx<'a> {
    /// The context of the functions of a module with these variables.
    pub fn of_functions(&self, globals: &'a PrimaryMap<GlobalId, GlobalData>) -> FunctionCtx<'a> {
        FunctionCtx {
            target: self.target,
            options: self.options,
            globals,
        }
    }
}

/// The context of a function-level pass.
#[derive(Clone, Copy, Debug)]
pub struct FunctionCtx<'a> {
    /// The device.
    pub target: &'a Target,
    /// Build options that change arithmetic.
    pub options: &'a LowerOptions,
    /// The module's variables, read-only: constant data may be folded.
    pub globals: &'a PrimaryMap<GlobalId, GlobalData>,
}

/// The answer of a pass: it changed something, or nothing.
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

    /// Returns whether something was rewritten.
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

/// A fact about a module between two passes, from the row that ensures it until the end.
/// `crate::properties` holds a check for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// No call of a built-in library's function that has no body.
    BuiltinsLinked,
    /// Every function that is called has a body, and none calls itself.
    Linked,
    /// No call that must be inlined: of functions that images, samplers, strings for printf or,
    /// without device addresses, pointers cross.
    Inlined,
    /// Private variables that remained after scalar replacement had escaping or variable addresses.
    /// Later passes may fold an address, so it is checked only there.
    SlotsPromoted,
    /// After inference no access went through a generic pointer that was just made of one in a named
    /// space. Later passes may decide where a pointer comes from, so it is checked only there.
    SpacesInferred,
    /// No `MathOp::Ocl`, and no `FRem`.
    MathLowered,
    /// Image operations name their arguments, in forms that Vulkan has.
    ImagesLowered,
    /// No `Printf`.
    PrintfLowered,
    /// Collectives of sub-groups only.
    CollectivesLowered,
    /// Collectives of sub-groups only in forms that the target has.
    SubgroupsLowered,
    /// No access through a generic pointer, and no `MemCopy`.
    GenericLowered,
    /// Atomics only in forms that Vulkan has.
    AtomicsLowered,
    /// Vectors have at most four lanes.
    VectorsNarrow,
    /// No double, unless the device has them.
    DoublesLegal,
    /// No half, unless the device has them.
    HalvesLegal,
    /// No access of global memory without the address delta. Later passes may join additions, so it is checked
    /// only there.
    AddressesShifted,
    /// No 8- or 16-bit integer, unless the device has them.
    SmallIntsLegal,
    /// No 64-bit integer, unless the device has them.
    LongsLegal,
    /// Kernels take no parameters; arguments are `LoadArg`, `LocalArg` and `HandleArg`.
    ArgsLowered,
    /// Control flow is SPIR-V's structured form: headers have their `Merge`.
    Structured,
}

impl Property {
    /// Returns whether later passes keep the property. Otherwise it tells what a pass did.
    pub fn lasts(self) -> bool {
        !matches!(
            self,
            Property::SlotsPromoted | Property::SpacesInferred | Property::AddressesShifted
        )
    }
}

/// The function of a pass.
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

/// The purpose of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassKind {
    /// Makes the code smaller or faster and changes no form.
    Optimize,
    /// Turns OpenCL's operations into those that Vulkan has.
    Lower,
    /// Turns types, widths and control flow that the device lacks into those that it has.
    Legalize,
    /// Tests what programs do. Runs for targets that ask for it.
    Check,
    /// Works around drivers' faults. Runs for targets that have one of these quirks.
    DriverQuirk(&'static [QuirkKind]),
}

/// One row of the pipeline.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name, as `pumicec` and the file tests know it.
    pub name: &'static str,
    /// The purpose of the pass.
    pub kind: PassKind,
    /// The module is as legal without the pass, which `-cl-opt-disable` leaves out.
    pub optional: bool,
    /// The pass.
    pub run: PassFn,
    /// Properties that must hold before.
    pub requires: &'static [Property],
    /// Properties that hold afterwards, and until the end.
    pub ensures: &'static [Property],
    /// The reason why the row's function stands in an earlier row too.
    pub again: Option<&'static str>,
    /// Accepts the targets that the pass runs for; `None` for all.
    pub targets: Option<fn(&Target) -> bool>,
}

impl Pass {
    /// A row that requires and ensures nothing and is not optional.
    pub const fn new(name: &'static str, kind: PassKind, run: PassFn) -> Self {
        Pass {
            name,
            kind,
            optional: false,
            run,
            requires: &[],
            ensures: &[],
            again: None,
            targets: None,
        }
    }

    /// Marks the pass as one that the module is as legal without.
    pub const fn optional(self) -> Self {
        Pass {
            optional: true,
            ..self
        }
    }

    /// Names the properties that must hold before.
    pub const fn requires(self, requires: &'static [Property]) -> Self {
        Pass { requires, ..self }
    }

    /// Names the properties that hold afterwards.
    pub const fn ensures(self, ensures: &'static [Property]) -> Self {
        Pass { ensures, ..self }
    }

    /// Says why the row's function stands in an earlier row too.
    pub const fn again(self, why: &'static str) -> Self {
        Pass {
            again: Some(why),
            ..self
        }
    }

    /// Restricts the row to the targets that `accepts` is true for.
    pub const fn only(self, accepts: fn(&Target) -> bool) -> Self {
        Pass {
            targets: Some(accepts),
            ..self
        }
    }

    /// Returns whether the pass has work for a target with these options.
    ///
    /// Under `-cl-opt-disable` only the passes run that make the module legal. Without device
    /// addresses all do, since every one may be what tells a pointer's buffer.
    pub fn applies(&self, ctx: &Ctx<'_>) -> bool {
        if let PassKind::DriverQuirk(kinds) = self.kind {
            if !kinds.iter().any(|kind| ctx.target.quirks.has(*kind)) {
                return false;
            }
        }
        if self.targets.is_some_and(|accepts| !accepts(ctx.target)) {
            return false;
        }
        let all = !ctx.options.math.opt_disable || ctx.target.abi.descriptors().is_some();
        all || !self.optional
    }
}
