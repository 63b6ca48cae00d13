//! The pipeline: the one list of passes that turns imported IR into what the Vulkan emitter
//! takes.
//!
//! Takes: a verified [`Module`] as [`crate::import`] gives it.
//! Gives: a module with the properties that the rows of [`PIPELINE`] ensure.
//! Never: I/O, globals, or knowledge of the device beyond [`pumice_target::Target`].
//!
//! Invariant: a pass is one file with one `run`, its algorithm told at the top. It runs once;
//! a row whose function stands twice in the list says why (`again`).
//! Invariant: after every pass the module is valid and has every property that the rows so far
//! ensure ([`crate::properties`], checked in debug builds and tests).

use crate::pass::PassFn::{Function, Module as WholeModule, TryFunction, TryModule};
use crate::pass::PassKind::{Check, DriverQuirk, Legalize, Lower, Optimize};
use crate::pass::Property::{
    AddressesShifted, ArgsLowered, AtomicsLowered, BuiltinsLinked, CollectivesLowered,
    DoublesLegal, GenericLowered, HalvesLegal, ImagesLowered, Inlined, Linked, LongsLegal,
    MathLowered, PrintfLowered, SlotsPromoted, SmallIntsLegal, SpacesInferred, Structured,
    SubgroupsLowered, VectorsNarrow,
};
use crate::pass::{Changed, Ctx, FunctionCtx, Observer, Pass, Property};
use crate::passes::check::{check_arithmetic, check_memory};
use crate::passes::driver_quirks::{
    convert_in_doubles, copied_calls, deep_nests, early_barrier, fix_signed_zero, flush_min_max,
    halves_by_floats, loop_values, round_doubles, share_functions, skipped_branches,
    split_bit_joins, widen_memory, widened_compares,
};
use crate::passes::follow::{check_barriers, check_races, check_uninit, check_unwritten};
use crate::passes::legalize::{
    legalize_conversions, legalize_doubles, legalize_half, legalize_int64, legalize_memory,
    legalize_small_ints, local_in_buffers, lower_integers, lower_wide_vectors, private_alignment,
    soft_doubles, spill_private,
};
use crate::passes::lower::{
    args_in_place, contract, graph_nodes, infer_address_spaces, link_builtins, loop_arg_copies,
    lower_atomics, lower_collectives, lower_images, lower_kernel_args, lower_math, lower_printf,
    lower_subgroups, mixed_atomics, place_blocks, poll_termination, select_buffers,
    shift_addresses, short_atomics, widen_subgroups, zero_private,
};
use crate::passes::optimize::{
    bitwise_words, bound_unrolling, bounded_forms, coarsen, cse, dce, find_waits, fold,
    forward_local, groups_of_one, inline, licm, loop_elements, mark_read_only, narrow_doubles,
    pad_vectors, promote_constant_arrays, promote_pointees, select_elements, simplify_cfg,
    speculate, sroa, unroll_rounds, unroll_series, unroll_tables, vectorize_memory,
};
use crate::passes::robust::check_loops;
use crate::properties::{verify, verify_more};
use crate::structurize;
use pumice_budget as budget;
use pumice_ir::{LowerError, Module};
use pumice_target::QuirkKind;

/// The pipeline, in order.
///
/// The lowering passes write plain, wasteful code on purpose (bounds checks on constants, splits
/// of vectors that are put together again): cleaning up once behind all of them keeps each of
/// them simple. Scalar replacement is not optional, since pointers have a form in registers only.
pub const PIPELINE: &[Pass] = &[
    Pass::new("dce_module", Optimize, WholeModule(dce::run_module)),
    // Before the library's own arithmetic is there.
    Pass::new("check_arithmetic", Check, TryModule(check_arithmetic::run))
        .only(|target| target.checks.any()),
    // While quotients, roots and minima of doubles are single instructions.
    Pass::new("narrow_doubles", Optimize, TryFunction(narrow_doubles::run)).optional(),
    Pass::new("lower_math", Lower, TryModule(lower_math::run)).ensures(&[MathLowered]),
    Pass::new("link_builtins", Lower, TryModule(link_builtins::run))
        .requires(&[MathLowered])
        .ensures(&[BuiltinsLinked]),
    Pass::new("inline", Lower, TryModule(inline::run))
        .requires(&[BuiltinsLinked])
        .ensures(&[Linked, Inlined]),
    Pass::new("place_blocks", Lower, TryModule(place_blocks::run)).requires(&[Inlined]),
    // Copies of what the pass before it has made.
    Pass::new("graph_nodes", Lower, TryModule(graph_nodes::run))
        .only(|target| target.shader_enqueue)
        .requires(&[Inlined]),
    Pass::new("dce_functions", Optimize, WholeModule(dce::run_module))
        .requires(&[Inlined])
        .again("inlining leaves functions behind that nothing calls"),
    Pass::new(
        "lower_kernel_args",
        Lower,
        TryModule(lower_kernel_args::run),
    )
    .requires(&[Inlined])
    .ensures(&[ArgsLowered]),
    // Where all passes that look at memory are still to come.
    Pass::new(
        "disjoint_kernels",
        Optimize,
        TryModule(coarsen::disjoint::run),
    )
    .optional()
    .only(|target| target.coarse && target.abi.descriptors().is_none())
    .requires(&[Inlined, ArgsLowered]),
    Pass::new("simplify_cfg", Optimize, Function(simplify_cfg::run)).optional(),
    Pass::new("check_uninit", Check, TryModule(check_uninit::run_values))
        .only(|target| target.checks.has(pumice_target::Check::Uninit))
        .requires(&[Inlined, ArgsLowered]),
    Pass::new("sroa", Optimize, TryFunction(sroa::run))
        .requires(&[Inlined, ArgsLowered])
        .ensures(&[SlotsPromoted]),
    Pass::new("args_in_place", Optimize, TryModule(args_in_place::run))
        .optional()
        .requires(&[Inlined, ArgsLowered, SlotsPromoted]),
    Pass::new("loop_arg_copies", Lower, TryFunction(loop_arg_copies::run))
        .requires(&[ArgsLowered, SlotsPromoted]),
    Pass::new("zero_private", Lower, TryFunction(zero_private::run))
        .only(|target| target.zero_private)
        .requires(&[SlotsPromoted]),
    // Where branches show what they depend on, and before pointers' objects are looked for.
    Pass::new("check_barriers", Check, TryModule(check_barriers::run))
        .only(|target| target.checks.has(pumice_target::Check::Barrier))
        .requires(&[Inlined, ArgsLowered, SlotsPromoted, MathLowered]),
    Pass::new(
        "infer_address_spaces",
        Lower,
        TryModule(infer_address_spaces::run),
    )
    .requires(&[Inlined, SlotsPromoted])
    .ensures(&[SpacesInferred]),
    Pass::new("check_loops", Check, TryModule(check_loops::run))
        .only(|target| target.checks.robust())
        .requires(&[Inlined, ArgsLowered, SlotsPromoted]),
    // Before anything is derived from accesses that must not be.
    Pass::new("check_memory", Check, TryModule(check_memory::run))
        .only(|target| target.checks.any())
        .requires(&[
            Inlined,
            ArgsLowered,
            SlotsPromoted,
            SpacesInferred,
            MathLowered,
        ]),
    Pass::new(
        "check_uninit_memory",
        Check,
        TryModule(check_uninit::run_memory),
    )
    .only(|target| target.checks.has(pumice_target::Check::Uninit))
    .requires(&[Inlined, ArgsLowered, SlotsPromoted]),
    // Behind the tests of accesses, so that each is inside its object.
    Pass::new("check_unwritten", Check, TryModule(check_unwritten::run))
        .only(|target| target.checks.has(pumice_target::Check::Uninit))
        .requires(&[Inlined, ArgsLowered, SlotsPromoted, SpacesInferred]),
    Pass::new("check_races", Check, TryModule(check_races::run))
        .only(|target| target.checks.has(pumice_target::Check::Race))
        .requires(&[Inlined, ArgsLowered, SlotsPromoted, SpacesInferred]),
    // Where pointers show their kind of memory, and before anything looks for barriers.
    Pass::new("groups_of_one", Optimize, TryModule(groups_of_one::run))
        .only(|target| target.groups_of_one && !target.zero_local)
        .optional()
        .requires(&[Inlined, ArgsLowered, SlotsPromoted, SpacesInferred]),
    Pass::new("sroa_of_groups", Optimize, TryFunction(sroa::run))
        .only(|target| target.groups_of_one)
        .requires(&[Inlined, ArgsLowered])
        .again("local variables of work-groups of one work-item are private ones"),
    // Where all private variables are there, and before anything looks at values.
    Pass::new(
        "promote_pointees",
        Optimize,
        TryModule(promote_pointees::run),
    )
    .optional()
    .requires(&[Inlined, ArgsLowered, SlotsPromoted, SpacesInferred]),
    // Before accesses are split or joined, which gives them other alignments.
    Pass::new("pad_vectors", Optimize, Function(pad_vectors::run))
        .optional()
        .requires(&[SpacesInferred]),
    Pass::new("fold", Optimize, Function(fold::run)).optional(),
    // Decides branches too.
    Pass::new("bounded_forms", Optimize, Function(bounded_forms::run))
        .optional()
        .requires(&[SlotsPromoted]),
    Pass::new("speculate", Optimize, Function(speculate::run))
        .optional()
        .requires(&[SlotsPromoted]),
    Pass::new("decide_branches", Optimize, Function(simplify_cfg::run))
        .optional()
        .again("folding and speculation decide branches and empty blocks"),
    Pass::new("cse", Optimize, Function(cse::run)).optional(),
    Pass::new("dce", Optimize, Function(dce::run)).optional(),
    // Where equal addresses are one value, and loops are left where nobody else comes to.
    Pass::new("loop_elements", Optimize, TryFunction(loop_elements::run))
        .optional()
        .requires(&[Inlined, ArgsLowered, SlotsPromoted]),
    Pass::new("bounded_loops", Optimize, Function(bounded_forms::run))
        .optional()
        .requires(&[SlotsPromoted])
        .again("where branches are decided, comparisons bound what loops count"),
    // Where equal addresses are one value, and before functions of work-groups use local memory.
    Pass::new("forward_local", Optimize, TryModule(forward_local::run))
        .optional()
        .only(|target| target.coarse && target.abi.descriptors().is_none())
        .requires(&[
            Inlined,
            ArgsLowered,
            SlotsPromoted,
            SpacesInferred,
            MathLowered,
        ]),
    // Where loops are as simple as they get, and before barriers and atomics are lowered.
    Pass::new("find_waits", Optimize, TryModule(find_waits::run))
        .optional()
        .requires(&[Linked, ArgsLowered, SlotsPromoted]),
    // Before functions of work-groups have local variables of their own, which they seldom access.
    Pass::new(
        "local_in_buffers",
        Legalize,
        TryModule(local_in_buffers::run),
    )
    .requires(&[Linked, ArgsLowered, SlotsPromoted]),
    Pass::new("poll_termination", Lower, TryModule(poll_termination::run))
        .only(|target| target.terminable || target.checks.has(pumice_target::Check::Stop))
        .requires(&[Linked, ArgsLowered, SlotsPromoted]),
    Pass::new("contract", Lower, TryFunction(contract::run)).requires(&[Inlined, MathLowered]),
    // Where loops hold what they access at one address, and before tables become constant data.
    Pass::new(
        "select_elements",
        Optimize,
        TryFunction(select_elements::run),
    )
    .optional()
    .requires(&[Inlined, ArgsLowered, SlotsPromoted]),
    Pass::new(
        "promote_constant_arrays",
        Optimize,
        WholeModule(promote_constant_arrays::run),
    )
    .optional()
    .requires(&[SlotsPromoted]),
    Pass::new("unroll_tables", Optimize, TryFunction(unroll_tables::run))
        .optional()
        .requires(&[Inlined, ArgsLowered, SlotsPromoted]),
    // Where arrays that loops index can still leave memory.
    Pass::new(
        "unroll_series",
        DriverQuirk(&[QuirkKind::UnrollSeries]),
        TryModule(unroll_series::run),
    )
    .optional()
    .requires(&[Linked, Inlined, ArgsLowered, SlotsPromoted]),
    Pass::new("spill_private", Legalize, TryModule(spill_private::run)).requires(&[
        Inlined,
        ArgsLowered,
        SlotsPromoted,
        MathLowered,
    ]),
    Pass::new("lower_images", Lower, TryModule(lower_images::run))
        .requires(&[Inlined, ArgsLowered, SlotsPromoted])
        .ensures(&[ImagesLowered]),
    Pass::new("lower_printf", Lower, TryModule(lower_printf::run))
        .requires(&[Linked])
        .ensures(&[PrintfLowered]),
    Pass::new("widen_subgroups", Lower, TryModule(widen_subgroups::run)).requires(&[
        Inlined,
        SlotsPromoted,
        MathLowered,
    ]),
    Pass::new(
        "coarsen_group_functions",
        Optimize,
        TryModule(coarsen::run_on_group_functions),
    )
    .optional()
    .only(|target| target.coarse && target.abi.descriptors().is_none())
    .requires(&[Inlined, ArgsLowered, MathLowered]),
    Pass::new(
        "lower_collectives",
        Lower,
        TryModule(lower_collectives::run),
    )
    .requires(&[Linked, MathLowered])
    .ensures(&[CollectivesLowered]),
    Pass::new("lower_subgroups", Lower, TryModule(lower_subgroups::run))
        .requires(&[CollectivesLowered])
        .ensures(&[SubgroupsLowered]),
    Pass::new("legalize_memory", Legalize, TryModule(legalize_memory::run))
        .requires(&[SpacesInferred])
        .ensures(&[GenericLowered]),
    // Before accesses are split and joined by their alignment.
    Pass::new(
        "private_alignment",
        Legalize,
        Function(private_alignment::run),
    )
    .requires(&[Inlined, SlotsPromoted, GenericLowered]),
    Pass::new("lower_atomics", Lower, TryFunction(lower_atomics::run))
        .requires(&[GenericLowered, PrintfLowered])
        .ensures(&[AtomicsLowered]),
    Pass::new("short_atomics", Lower, TryModule(short_atomics::run)).requires(&[AtomicsLowered]),
    Pass::new("mixed_atomics", Lower, TryModule(mixed_atomics::run))
        .requires(&[Linked, AtomicsLowered]),
    Pass::new(
        "legalize_conversions",
        Legalize,
        TryFunction(legalize_conversions::run),
    )
    .requires(&[MathLowered]),
    Pass::new("lower_integers", Legalize, TryFunction(lower_integers::run))
        .requires(&[MathLowered]),
    Pass::new(
        "lower_wide_vectors",
        Legalize,
        TryModule(lower_wide_vectors::run),
    )
    .requires(&[MathLowered, PrintfLowered])
    .ensures(&[VectorsNarrow]),
    Pass::new(
        "vectorize_memory",
        Optimize,
        Function(vectorize_memory::run),
    )
    .optional()
    .requires(&[VectorsNarrow, GenericLowered]),
    Pass::new("bitwise_words", Optimize, Function(bitwise_words::run))
        .optional()
        .requires(&[VectorsNarrow, GenericLowered]),
    Pass::new(
        "widen_memory",
        DriverQuirk(&[QuirkKind::VectorsByWords]),
        Function(widen_memory::run),
    )
    .optional()
    .requires(&[VectorsNarrow, GenericLowered]),
    Pass::new("select_buffers", Lower, TryModule(select_buffers::run)).requires(&[
        Inlined,
        GenericLowered,
        AtomicsLowered,
        VectorsNarrow,
    ]),
    Pass::new("soft_doubles", Legalize, TryModule(soft_doubles::run))
        .only(|target| target.soft_f64)
        .requires(&[MathLowered, AtomicsLowered, SubgroupsLowered, VectorsNarrow])
        .ensures(&[DoublesLegal]),
    Pass::new("legalize_half", Legalize, TryModule(legalize_half::run))
        .requires(&[MathLowered, VectorsNarrow])
        .ensures(&[HalvesLegal]),
    Pass::new(
        "halves_by_floats",
        DriverQuirk(&[QuirkKind::HalvesByFloats]),
        TryFunction(halves_by_floats::run),
    )
    .only(|target| target.has_halves())
    .requires(&[MathLowered, VectorsNarrow]),
    Pass::new(
        "legalize_small_ints",
        Legalize,
        TryModule(legalize_small_ints::run),
    )
    .requires(&[HalvesLegal, VectorsNarrow, GenericLowered])
    .ensures(&[SmallIntsLegal]),
    Pass::new("shift_addresses", Lower, WholeModule(shift_addresses::run))
        .only(|target| target.address_delta)
        .requires(&[GenericLowered, PrintfLowered, SmallIntsLegal])
        .ensures(&[AddressesShifted]),
    // Behind all that computes with doubles, and before constants decide what it looks at.
    Pass::new(
        "legalize_doubles",
        Legalize,
        TryFunction(legalize_doubles::run),
    )
    .only(|target| target.flushes_f64)
    .requires(&[MathLowered, AtomicsLowered, SubgroupsLowered, VectorsNarrow]),
    // Before the pass that rounds doubles, which it does itself.
    Pass::new(
        "convert_in_doubles",
        DriverQuirk(&[QuirkKind::ConvertInDoubles]),
        TryFunction(convert_in_doubles::run),
    )
    .requires(&[MathLowered, VectorsNarrow, HalvesLegal, SmallIntsLegal]),
    Pass::new(
        "round_doubles",
        DriverQuirk(&[QuirkKind::RoundDoubles]),
        TryFunction(round_doubles::run),
    )
    .requires(&[MathLowered, VectorsNarrow]),
    Pass::new("fold_lowered", Optimize, Function(fold::run)).again(
        "lowering passes write plain code with constants; the passes for drivers look for those",
    ),
    Pass::new("cse_lowered", Optimize, Function(cse::run))
        .optional()
        .again("lowering passes repeat bounds checks and the splits of vectors"),
    Pass::new(
        "fix_signed_zero",
        DriverQuirk(&[QuirkKind::GuardZeroSums, QuirkKind::GuardZeroProducts]),
        TryFunction(fix_signed_zero::run),
    )
    .requires(&[VectorsNarrow]),
    Pass::new(
        "flush_min_max",
        DriverQuirk(&[QuirkKind::FlushMinMax]),
        TryFunction(flush_min_max::run),
    )
    .only(|target| !target.arithmetic.denorms_f32)
    .requires(&[VectorsNarrow]),
    Pass::new(
        "widened_compares",
        DriverQuirk(&[QuirkKind::GuardWidenedCompares]),
        TryFunction(widened_compares::run),
    )
    .requires(&[VectorsNarrow]),
    Pass::new(
        "split_bit_joins",
        DriverQuirk(&[QuirkKind::SplitBitJoins]),
        TryFunction(split_bit_joins::run),
    )
    .requires(&[VectorsNarrow]),
    // The passes for drivers before it look at the bits of doubles.
    Pass::new("legalize_int64", Legalize, TryModule(legalize_int64::run))
        .requires(&[SmallIntsLegal, VectorsNarrow, GenericLowered])
        .ensures(&[LongsLegal]),
    Pass::new("fold_words", Optimize, Function(fold::run))
        .only(|target| !target.int64)
        .again("sums, shifts and divisions of words have constants that are zero"),
    Pass::new("licm", Optimize, Function(licm::run))
        .optional()
        .requires(&[MathLowered]),
    Pass::new("dce_lowered", Optimize, Function(dce::run))
        .optional()
        .again("what lowering, folding and hoisting leave unused goes once for all of them"),
    Pass::new("dce_unused", Optimize, WholeModule(dce::run_module))
        .requires(&[Inlined])
        .again("lowering leaves variables and functions behind that nothing names"),
    Pass::new("mark_read_only", Optimize, TryModule(mark_read_only::run))
        .optional()
        .requires(&[Inlined, ArgsLowered, AtomicsLowered]),
    Pass::new("bound_unrolling", Optimize, TryModule(bound_unrolling::run)).requires(&[Linked]),
    // All else is said of the kernels by now, and holds for their copies.
    Pass::new("coarsen", Optimize, TryModule(coarsen::run))
        .optional()
        .only(|target| target.coarse && target.abi.descriptors().is_none())
        .requires(&[Inlined, ArgsLowered, AtomicsLowered, GenericLowered]),
    // Only in the form of programs that have run for long: larger code takes longer to build.
    Pass::new(
        "unroll_rounds",
        DriverQuirk(&[QuirkKind::UnrollRounds]),
        Function(unroll_rounds::run),
    )
    .only(|target| target.coarse)
    .optional(),
    // Behind all that looks at values through memory, and before branches get their final form.
    Pass::new(
        "share_functions",
        DriverQuirk(&[QuirkKind::ShareFunctions]),
        TryModule(share_functions::run),
    )
    .requires(&[Linked, Inlined, ArgsLowered, GenericLowered, VectorsNarrow]),
    Pass::new(
        "dce_shared",
        DriverQuirk(&[QuirkKind::ShareFunctions]),
        Function(dce::run),
    )
    .again("functions that are shared load all that may be needed behind a call"),
    Pass::new(
        "dce_shared_functions",
        DriverQuirk(&[QuirkKind::ShareFunctions]),
        WholeModule(dce::run_module),
    )
    .requires(&[Inlined])
    .again("kernels that share functions leave those behind"),
    Pass::new("structurize", Legalize, TryFunction(structurize::run)).ensures(&[Structured]),
    Pass::new(
        "loop_values",
        DriverQuirk(&[QuirkKind::LoopValuesByPhi]),
        Function(loop_values::run),
    )
    .requires(&[Structured]),
    Pass::new(
        "skipped_branches",
        DriverQuirk(&[QuirkKind::SkippedBranches]),
        Function(skipped_branches::run),
    )
    .requires(&[Structured]),
    Pass::new(
        "deep_nests",
        DriverQuirk(&[QuirkKind::NestsOf80, QuirkKind::LoopsOf38]),
        TryModule(deep_nests::run),
    )
    .requires(&[Inlined, Structured]),
    Pass::new(
        "early_barrier",
        DriverQuirk(&[QuirkKind::EarlyBarrier]),
        TryModule(early_barrier::run),
    )
    .requires(&[Linked, Inlined, Structured]),
    Pass::new(
        "copied_calls",
        DriverQuirk(&[QuirkKind::CopiedCalls]),
        TryModule(copied_calls::run),
    )
    .requires(&[Linked, Inlined]),
];

/// The rows that a module goes through for a target and options.
pub fn pipeline<'a>(ctx: &'a Ctx<'_>) -> impl Iterator<Item = &'static Pass> + 'a {
    PIPELINE.iter().filter(|pass| pass.applies(ctx))
}

/// Finds a pass by name, for `pumicec` and the file tests.
pub fn find(name: &str) -> Option<&'static Pass> {
    PIPELINE.iter().find(|pass| pass.name == name)
}

/// Runs one pass.
///
/// # Errors
/// A construct that the pass cannot lower.
pub fn run_pass(pass: &Pass, module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    match pass.run {
        WholeModule(run) => Ok(run(module, ctx)),
        TryModule(run) => run(module, ctx),
        Function(run) => run_functions(module, ctx, |func, ctx| Ok(run(func, ctx))),
        TryFunction(run) => run_functions(module, ctx, run),
    }
}

/// Runs a pass on each function that has a body.
fn run_functions(
    module: &mut Module,
    ctx: &Ctx<'_>,
    run: impl Fn(&mut pumice_ir::Function, &FunctionCtx<'_>) -> Result<Changed, LowerError>,
) -> Result<Changed, LowerError> {
    let ctx = ctx.of_functions(&module.globals);
    let mut changed = Changed::No;
    for func in module.functions.values_mut() {
        if func.entry().is_some() {
            changed |= run(func, &ctx)?;
            budget::check()?;
        }
    }
    Ok(changed)
}

/// Runs the pipeline for the context's target and options. The observer is told of each pass.
///
/// # Errors
/// A construct that a pass cannot lower.
///
/// # Panics
/// In debug builds, when a pass breaks the IR or a property: a bug of that pass, which the text
/// names.
pub fn run_pipeline(
    module: &mut Module,
    ctx: &Ctx<'_>,
    observer: &mut Observer<'_>,
) -> Result<(), LowerError> {
    run_rows(PIPELINE, module, ctx, observer)
}

/// Runs the rows from `structurize` on, on a module that was lowered up to there or written so.
///
/// # Errors
/// A construct that a pass cannot lower.
pub fn run_structurize(module: &mut Module, ctx: &Ctx<'_>) -> Result<(), LowerError> {
    let first = PIPELINE.iter().position(|pass| pass.name == "structurize");
    run_rows(&PIPELINE[first.unwrap_or(0)..], module, ctx, &mut |_, _| {})
}

fn run_rows(
    rows: &'static [Pass],
    module: &mut Module,
    ctx: &Ctx<'_>,
    observer: &mut Observer<'_>,
) -> Result<(), LowerError> {
    let mut held: Vec<Property> = Vec::new();
    for pass in rows.iter().filter(|pass| pass.applies(ctx)) {
        let done = run_pass(pass, module, ctx).and_then(|changed| {
            budget::check()?;
            Ok(changed)
        });
        let changed = match done {
            Ok(changed) => changed,
            Err(error) => {
                observer(pass.name, Err(&error));
                return Err(error);
            }
        };
        if cfg!(debug_assertions) {
            held.retain(|property| property.lasts());
            held.extend_from_slice(pass.ensures);
            // What held still does where nothing was changed.
            let checked = match changed {
                Changed::Yes => verify(module, ctx, &held),
                Changed::No => verify_more(module, ctx, &held, pass.ensures),
            };
            if let Err(error) = checked {
                panic!("after {}: {error}", pass.name);
            }
        }
        observer(pass.name, Ok(module));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
