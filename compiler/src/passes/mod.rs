//! The pipeline: the one list of passes that turns imported IR into what the Vulkan emitter
//! takes.
//!
//! Takes: a verified [`Module`] as [`crate::import`] gives it.
//! Gives: a module with the properties that the last rows of [`PIPELINE`] ensure.
//! Never: I/O, globals, or knowledge of the device beyond [`crate::Target`].
//!
//! Invariant: a pass is one file with one `run`, its algorithm told at the top. It runs once;
//! a row that stands twice in the list says why.
//! Invariant: the verifier accepts the module after every pass (checked in debug builds and tests).

pub mod address_space;
mod alias;
pub mod bound_unrolling;
pub mod const_tables;
pub mod cse;
pub mod dce;
pub mod eval;
mod expand;
pub mod fold;
mod fold_rules;
mod fold_vectors;
pub mod inline;
pub mod join_accesses;
mod known_values;
pub mod legalize_conversions;
pub mod legalize_memory;
pub mod licm;
pub mod link_builtins;
pub mod loop_arg_copies;
pub mod lower_atomics;
pub mod lower_collectives;
pub mod lower_images;
pub mod lower_integers;
pub mod lower_kernel_args;
pub mod lower_math;
pub mod lower_printf;
pub mod lower_subgroups;
pub mod lower_wide_vectors;
pub mod mem2reg;
pub mod mixed_atomics;
pub mod rewrite;
mod sample_exactly;
pub mod select_buffers;
pub mod simplify_cfg;
pub mod slots;
pub mod softfloat;
pub mod speculate;
pub mod spill_private;
pub mod split_bit_joins;
pub mod sroa;
pub mod structurize;
mod trip_count;
pub mod wide_words;
pub mod widened_compares;
pub mod zero_sums;

use crate::ir::verify::verify;
use crate::ir::{Function, GlobalData, GlobalId, Module};
use crate::{LowerOptions, Target};
use cranelift_entity::PrimaryMap;

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

/// Why a program cannot be lowered: something the application may see in the build log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// The text after `error: `, naming the construct.
    pub message: String,
}

impl LowerError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LowerError {}

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

/// The pipeline, in order.
///
/// `fold`, `cse` and `dce` stand twice: the lowering passes between them write plain, wasteful
/// code on purpose (bounds checks on constants, splits of vectors that are put together
/// again), and only cleaning up once for all of them keeps each of them simple.
/// `fold_lowered` is no option: the passes for drivers' faults behind it look for constants.
/// `dce_module` stands first so that unused functions never pull library code in, and last
/// because inlining leaves functions behind.
pub const PIPELINE: &[Pass] = &[
    Pass {
        name: "dce_module",
        optional: false,
        run: PassFn::Module(dce::run_module),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "lower_math",
        optional: false,
        run: PassFn::TryModule(link_builtins::run),
        requires: &[],
        ensures: &[Property::MathLowered],
    },
    Pass {
        name: "inline",
        optional: false,
        run: PassFn::TryModule(inline::run),
        requires: &[],
        ensures: &[Property::Linked, Property::Inlined],
    },
    Pass {
        name: "dce_functions",
        optional: false,
        run: PassFn::Module(dce::run_module),
        requires: &[Property::Inlined],
        ensures: &[],
    },
    Pass {
        name: "lower_kernel_args",
        optional: false,
        run: PassFn::TryModule(lower_kernel_args::run),
        requires: &[Property::Inlined],
        ensures: &[Property::ArgsLowered],
    },
    Pass {
        name: "simplify_cfg",
        optional: true,
        run: PassFn::Function(simplify_cfg::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "sroa",
        optional: false,
        run: PassFn::Function(sroa::run),
        requires: &[Property::Inlined, Property::ArgsLowered],
        ensures: &[Property::SlotsPromoted],
    },
    Pass {
        name: "loop_arg_copies",
        optional: false,
        run: PassFn::TryFunction(loop_arg_copies::run),
        requires: &[Property::ArgsLowered, Property::SlotsPromoted],
        ensures: &[],
    },
    Pass {
        name: "address_space",
        optional: false,
        run: PassFn::Function(address_space::run),
        requires: &[Property::Inlined, Property::SlotsPromoted],
        ensures: &[Property::SpacesInferred],
    },
    Pass {
        name: "fold",
        optional: true,
        run: PassFn::Function(fold::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "speculate",
        optional: true,
        run: PassFn::Function(speculate::run),
        requires: &[Property::SlotsPromoted],
        ensures: &[],
    },
    Pass {
        name: "decide_branches",
        optional: true,
        run: PassFn::Function(simplify_cfg::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "cse",
        optional: true,
        run: PassFn::Function(cse::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "dce",
        optional: true,
        run: PassFn::Function(dce::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "const_tables",
        optional: true,
        run: PassFn::Module(const_tables::run),
        requires: &[Property::SlotsPromoted],
        ensures: &[],
    },
    Pass {
        name: "spill_private",
        optional: false,
        run: PassFn::TryModule(spill_private::run),
        requires: &[
            Property::Inlined,
            Property::ArgsLowered,
            Property::SlotsPromoted,
            Property::MathLowered,
        ],
        ensures: &[],
    },
    Pass {
        name: "lower_images",
        run: PassFn::TryModule(lower_images::run),
        requires: &[
            Property::Inlined,
            Property::ArgsLowered,
            Property::SlotsPromoted,
        ],
        ensures: &[Property::ImagesLowered],
        optional: false,
    },
    Pass {
        name: "lower_printf",
        optional: false,
        run: PassFn::TryModule(lower_printf::run),
        requires: &[Property::Linked],
        ensures: &[Property::PrintfLowered],
    },
    Pass {
        name: "lower_collectives",
        optional: false,
        run: PassFn::TryModule(lower_collectives::run),
        requires: &[Property::Linked, Property::MathLowered],
        ensures: &[Property::CollectivesLowered],
    },
    Pass {
        name: "lower_subgroups",
        optional: false,
        run: PassFn::TryFunction(lower_subgroups::run),
        requires: &[Property::CollectivesLowered],
        ensures: &[],
    },
    Pass {
        name: "legalize_memory",
        optional: false,
        run: PassFn::TryModule(legalize_memory::run),
        requires: &[Property::SpacesInferred],
        ensures: &[Property::GenericLowered],
    },
    Pass {
        name: "lower_atomics",
        optional: false,
        run: PassFn::TryFunction(lower_atomics::run),
        requires: &[Property::GenericLowered, Property::PrintfLowered],
        ensures: &[Property::AtomicsLowered],
    },
    Pass {
        name: "mixed_atomics",
        optional: false,
        run: PassFn::TryModule(mixed_atomics::run),
        requires: &[Property::Linked, Property::AtomicsLowered],
        ensures: &[],
    },
    Pass {
        name: "legalize_conversions",
        optional: false,
        run: PassFn::TryFunction(legalize_conversions::run),
        requires: &[Property::MathLowered],
        ensures: &[],
    },
    Pass {
        name: "lower_integers",
        optional: false,
        run: PassFn::TryFunction(lower_integers::run),
        requires: &[Property::MathLowered],
        ensures: &[],
    },
    Pass {
        name: "lower_wide_vectors",
        optional: false,
        run: PassFn::TryModule(lower_wide_vectors::run),
        requires: &[Property::MathLowered, Property::PrintfLowered],
        ensures: &[Property::VectorsNarrow],
    },
    Pass {
        name: "join_accesses",
        optional: true,
        run: PassFn::Function(join_accesses::run),
        requires: &[Property::VectorsNarrow, Property::GenericLowered],
        ensures: &[],
    },
    Pass {
        name: "wide_words",
        optional: true,
        run: PassFn::Function(wide_words::run),
        requires: &[Property::VectorsNarrow, Property::GenericLowered],
        ensures: &[],
    },
    Pass {
        name: "select_buffers",
        optional: false,
        run: PassFn::TryModule(select_buffers::run),
        requires: &[
            Property::Inlined,
            Property::GenericLowered,
            Property::AtomicsLowered,
            Property::VectorsNarrow,
        ],
        ensures: &[],
    },
    Pass {
        name: "fold_lowered",
        optional: false,
        run: PassFn::Function(fold::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "cse_lowered",
        optional: true,
        run: PassFn::Function(cse::run),
        requires: &[],
        ensures: &[],
    },
    Pass {
        name: "zero_sums",
        optional: false,
        run: PassFn::TryFunction(zero_sums::run),
        requires: &[Property::VectorsNarrow],
        ensures: &[],
    },
    Pass {
        name: "widened_compares",
        optional: false,
        run: PassFn::TryFunction(widened_compares::run),
        requires: &[Property::VectorsNarrow],
        ensures: &[],
    },
    Pass {
        name: "split_bit_joins",
        optional: false,
        run: PassFn::TryFunction(split_bit_joins::run),
        requires: &[Property::VectorsNarrow],
        ensures: &[],
    },
    Pass {
        name: "licm",
        optional: true,
        run: PassFn::Function(licm::run),
        requires: &[Property::MathLowered],
        ensures: &[],
    },
    Pass {
        name: "dce_lowered",
        optional: true,
        run: PassFn::Function(dce::run),
        requires: &[],
        ensures: &[Property::Simplified],
    },
    Pass {
        name: "dce_unused",
        optional: false,
        run: PassFn::Module(dce::run_module),
        requires: &[Property::Inlined],
        ensures: &[],
    },
    Pass {
        name: "bound_unrolling",
        optional: false,
        run: PassFn::TryModule(bound_unrolling::run),
        requires: &[Property::Linked],
        ensures: &[],
    },
];

/// The rows that a module goes through: under `-cl-opt-disable` those alone that make it legal.
/// Scalar replacement is one of them, since pointers have a form in registers only; and without
/// device addresses all are, since every one may be what tells a pointer's buffer.
pub fn pipeline(ctx: &Ctx<'_>) -> impl Iterator<Item = &'static Pass> + use<> {
    let all = !ctx.options.math.opt_disable || ctx.target.abi.descriptors().is_some();
    PIPELINE.iter().filter(move |pass| all || !pass.optional)
}

/// Finds a pass by name, for `pumicec` and the file tests.
pub fn find(name: &str) -> Option<&'static Pass> {
    PIPELINE.iter().find(|pass| pass.name == name)
}

/// Runs one pass.
///
/// # Errors
/// What the pass cannot lower.
pub fn run_pass(pass: &Pass, module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    match pass.run {
        PassFn::Module(run) => changed |= run(module, ctx),
        PassFn::TryModule(run) => changed |= run(module, ctx)?,
        PassFn::Function(run) => {
            let ctx = FunctionCtx {
                target: ctx.target,
                options: ctx.options,
                globals: &module.globals,
            };
            for func in module.functions.values_mut() {
                if func.entry().is_some() {
                    changed |= run(func, &ctx);
                }
            }
        }
        PassFn::TryFunction(run) => {
            let ctx = FunctionCtx {
                target: ctx.target,
                options: ctx.options,
                globals: &module.globals,
            };
            for func in module.functions.values_mut() {
                if func.entry().is_some() {
                    changed |= run(func, &ctx)?;
                }
            }
        }
    }
    Ok(changed)
}

/// Runs the pipeline that the options ask for.
///
/// # Errors
/// What a pass cannot lower.
///
/// # Panics
/// In debug builds, when a pass breaks the IR: a bug of that pass, which the text names.
pub fn run_pipeline(module: &mut Module, ctx: &Ctx<'_>) -> Result<(), LowerError> {
    for pass in pipeline(ctx) {
        let _ = run_pass(pass, module, ctx)?;
        if cfg!(debug_assertions) {
            if let Err(error) = verify(module) {
                panic!("after {}: {error}", pass.name);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Ctx;
    use super::pipeline;
    use crate::{LowerOptions, Target};

    #[test]
    fn each_row_finds_what_it_requires() {
        for opt_disable in [false, true] {
            let mut options = LowerOptions::default();
            options.math.opt_disable = opt_disable;
            let mut held = Vec::new();
            let ctx = Ctx {
                target: &Target::reference(),
                options: &options,
            };
            for pass in pipeline(&ctx) {
                for property in pass.requires {
                    assert!(
                        held.contains(property),
                        "{} requires {property:?}, which no earlier row ensures",
                        pass.name
                    );
                }
                held.extend_from_slice(pass.ensures);
            }
        }
    }
}
