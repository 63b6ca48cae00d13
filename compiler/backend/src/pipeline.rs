//! The pipeline: the one list of passes that turns imported IR into what the Vulkan emitter
//! takes.
//!
//! Takes: a verified [`Module`] as [`crate::import`] gives it.
//! Gives: a module with the properties that the last rows of [`PIPELINE`] ensure.
//! Never: I/O, globals, or knowledge of the device beyond [`pumice_target::Target`].
//!
//! Invariant: a pass is one file with one `run`, its algorithm told at the top. It runs once;
//! a row that stands twice in the list says why.
//! Invariant: the verifier accepts the module after every pass (checked in debug builds and tests).

use crate::pass::{Changed, Ctx, FunctionCtx, Pass, PassFn, Property};
use crate::passes::driver_quirks::{fix_signed_zero, split_bit_joins, widened_compares};
use crate::passes::legalize::{
    legalize_conversions, legalize_memory, lower_integers, lower_wide_vectors, spill_private,
};
use crate::passes::lower::{
    infer_address_spaces, link_builtins, loop_arg_copies, lower_atomics, lower_collectives,
    lower_images, lower_kernel_args, lower_printf, lower_subgroups, mixed_atomics, select_buffers,
};
use crate::passes::optimize::{
    bound_unrolling, cse, dce, fold, inline, licm, promote_constant_arrays, simplify_cfg,
    speculate, sroa, vectorize_memory, widen_memory,
};
use pumice_budget as budget;
use pumice_ir::verify::verify;
use pumice_ir::{LowerError, Module};

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
        name: "infer_address_spaces",
        optional: false,
        run: PassFn::Function(infer_address_spaces::run),
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
        name: "promote_constant_arrays",
        optional: true,
        run: PassFn::Module(promote_constant_arrays::run),
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
        name: "vectorize_memory",
        optional: true,
        run: PassFn::Function(vectorize_memory::run),
        requires: &[Property::VectorsNarrow, Property::GenericLowered],
        ensures: &[],
    },
    Pass {
        name: "widen_memory",
        optional: true,
        run: PassFn::Function(widen_memory::run),
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
        name: "fix_signed_zero",
        optional: false,
        run: PassFn::TryFunction(fix_signed_zero::run),
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
                    budget::check()?;
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
                    budget::check()?;
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
        budget::check()?;
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
    use pumice_target::{LowerOptions, Target};

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
