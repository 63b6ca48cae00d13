//! The lowering passes as the file tests run them.

use pumice_backend::pass::{Changed, Ctx, FunctionCtx};
use pumice_backend::passes::driver_quirks::round_doubles;
use pumice_backend::passes::legalize::{
    legalize_conversions, legalize_memory, local_in_buffers, lower_integers, lower_wide_vectors,
};
use pumice_backend::passes::lower::{
    lower_atomics, lower_collectives, lower_images, lower_kernel_args, lower_math, lower_printf,
    lower_subgroups, select_buffers,
};
use pumice_backend::pipeline::run_structurize;
use pumice_compiler::{LowerOptions, Target};
use pumice_ir::LowerError;
use pumice_ir::text::module_to_text;
use pumice_ir::{Function, Module, verify};
use pumice_target::QuirkKind;

type FunctionPass = fn(&mut Function, &FunctionCtx<'_>) -> Result<Changed, LowerError>;

/// The lowering passes in the pipeline's order, the module verified after each.
///
/// # Errors
/// The pass that failed, with its reason.
pub fn lower(module: &mut Module, target: &Target) -> Result<(), String> {
    let options = LowerOptions::default();
    let ctx = Ctx {
        target,
        options: &options,
    };
    let check = |module: &Module, pass: &str, result: Result<(), LowerError>| {
        result.map_err(|e| format!("{pass}: {e}"))?;
        verify(module).map_err(|e| format!("after {pass}: {e}\n{}", module_to_text(module)))
    };
    let result = lower_kernel_args::run(module, &ctx).map(|_| ());
    check(module, "lower_kernel_args", result)?;
    let result = lower_images::run(module, &ctx).map(|_| ());
    check(module, "lower_images", result)?;
    let result = lower_math::run(module, &ctx).map(|_| ());
    check(module, "lower_math", result)?;
    let result = local_in_buffers::run(module, &ctx).map(|_| ());
    check(module, "local_in_buffers", result)?;
    let result = lower_printf::run(module, &ctx).map(|_| ());
    check(module, "lower_printf", result)?;
    let result = lower_collectives::run(module, &ctx).map(|_| ());
    check(module, "lower_collectives", result)?;
    let result = legalize_memory::run(module, &ctx).map(|_| ());
    check(module, "legalize_memory", result)?;
    let result = lower_subgroups::run(module, &ctx).map(|_| ());
    check(module, "lower_subgroups", result)?;
    for (name, pass) in [
        ("lower_atomics", lower_atomics::run as FunctionPass),
        ("legalize_conversions", legalize_conversions::run),
        ("lower_integers", lower_integers::run),
        ("round_doubles", round_doubles::run),
    ] {
        if name == "round_doubles" && !target.quirks.has(QuirkKind::RoundDoubles) {
            continue;
        }
        let globals = module.globals.clone();
        let ctx = FunctionCtx {
            target,
            options: &options,
            globals: &globals,
        };
        for f in module.functions.values_mut() {
            let _ = pass(f, &ctx).map_err(|e| format!("{name}: {e}"))?;
        }
        check(module, name, Ok(()))?;
    }
    let result = lower_wide_vectors::run(module, &ctx).map(|_| ());
    check(module, "lower_wide_vectors", result)?;
    let result = select_buffers::run(module, &ctx).map(|_| ());
    check(module, "select_buffers", result)?;
    let result = run_structurize(module, &ctx);
    check(module, "structurize", result)
}
