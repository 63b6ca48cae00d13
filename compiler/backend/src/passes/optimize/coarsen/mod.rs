//! Copies of kernels whose invocations run several work-items each.
//!
//! A processor runs a chain of dependent instructions far below its speed, and Vulkan drivers for processors give it
//! one chain for each vector of invocations. A copy holds the chains of eight, four or two neighbours in the first dimension
//! side by side; barriers, counters and addresses that they share are there once. Launches choose between a kernel and
//! its copy ([`Coarse`]).
//!
//! - [`plan`] finds what differs between neighbours, and the branches on it. Each of these leads through code that runs for
//!   one neighbour after the other, up to the block where all ways meet. If only one way is more than nothing, and all
//!   neighbours take it, they take it together. A slow path is taken together if one neighbour needs it.
//! - [`loops`] prepares loops that neighbours leave in different rounds: they run the rounds that all of them run together, and the rest
//!   one after the other.
//! - [`copy`] writes the copy, [`conditions`] finds out whether all neighbours go the same way at a branch.
//! - [`strides`] finds accesses of neighbours that lie side by side. Launches of copies promise that pointer arguments are
//!   aligned to 16 bytes, so that these accesses become one, and point into objects that are small enough.
//! - [`lanes`] lets the lanes of a sub-group be neighbours, for drivers that load vectors then.
//! - [`callees`] finds functions that may be called.
//! - [`disjoint`] copies kernels for launches whose arguments do not overlap; these have copies for several work-items too.
//!
//! No copy is made of kernels that ask for sub-groups, or have images. The pass takes time and
//! memory that are linear in the size of the copies, which is bounded.

mod callees;
mod conditions;
mod copy;
pub mod disjoint;
mod group_functions;
mod lanes;
mod loops;
mod plan;
mod strides;

use super::{cse, dce, simplify_cfg, vectorize_memory};
use crate::pass::{Changed, Ctx};
use crate::passes::driver_quirks::widen_memory;
use callees::callees;
use copy::Copier;
use group_functions::group_function;
use plan::{Plan, is_meeting};
use pumice_budget as budget;
use pumice_ir::{
    ArgLayout, Cfg, Coarse, Function, KernelArgKind, KernelInfo, LowerError, Module, Type,
};
use pumice_target::coarse::NUMBER_MULTIPLE;
use pumice_target::{Abi, QuirkKind};
use std::cell::Cell;
use strides::Strides;

/// Numbers of work-items that are tried, and the most instructions that a copy of so many may have. More values than a
/// processor has registers for are kept in memory.
const SIZES: [(u32, usize); 3] = [(8, 400), (4, 800), (2, 2400)];

/// Runs the pass.
///
/// # Errors
/// More memory than a build may take.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let finish = |module: &Module, copy: &mut Function| join_accesses(copy, ctx, module);
    let changed = copy_kernels(module, lanes::width(ctx.target), ctx, |_| true, finish)?;
    disjoint::drop_equal(module, ctx);
    Ok(changed)
}

/// Runs the pass for kernels that call functions of work-groups, as long as these are there.
///
/// # Errors
/// More memory than a build may take.
pub fn run_on_group_functions(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let has_group_functions = |func: &Function| {
        let mut insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
        insts.any(|&inst| group_function(func, &func.insts[inst].kind).is_some())
    };
    // Accesses side by side are joined for all kernels later.
    copy_kernels(module, None, ctx, has_group_functions, |_, _| {})
}

/// Copies kernels. Those whose lanes may be neighbours, as many as `width` tells, have a copy of that form too.
fn copy_kernels(
    module: &mut Module,
    width: Option<u32>,
    ctx: &Ctx<'_>,
    wanted: impl Fn(&Function) -> bool,
    finish: impl Fn(&Module, &mut Function),
) -> Result<Changed, LowerError> {
    let callees = callees(module)?;
    let mut copies = Vec::new();
    for (kernel, index) in module.kernels.iter().zip(0..) {
        let func = &module.functions[kernel.func];
        let blocks = func.layout.blocks.iter();
        let count: usize = blocks.map(|&block| func.layout.insts[block].len()).sum();
        let (of, disjoint) = match kernel.coarse {
            Some(coarse) => (coarse.of, coarse.disjoint),
            None => (index, false),
        };
        let is_copy =
            |other: &Coarse| other.of == of && other.items > 1 && other.disjoint == disjoint;
        let mut kernels = module.kernels.iter();
        let has_copy = kernels.any(|other| other.coarse.as_ref().is_some_and(is_copy));
        // A copy has no fewer.
        if has_copy
            || !wanted(func)
            || !may_have_copy(kernel)
            || SIZES.iter().all(|&(_, most)| count > most)
        {
            continue;
        }
        let mut func = func.clone();
        func.spend();
        func.join_returns();
        // A branch around code leads to where the ways meet.
        let _ = simplify_cfg::run(&mut func, &ctx.of_functions(&module.globals));
        let size = kernel.required_work_group_size;
        let sizes = SIZES.iter().filter(|&&(items, _)| divides(items, size));
        let mut has_copy = false;
        for &(items, most) in sizes {
            let Some(plan) = Plan::new(&mut func, &callees, items, most) else {
                continue;
            };
            let of_kernel = OfKernel {
                kernel,
                of,
                disjoint,
                // Groups of other sizes take the copy of more neighbours or none.
                width: width.filter(|_| !has_copy),
            };
            for (info, mut copy) in of_kernel.copies(&func, &plan) {
                if module.kernels.iter().any(|other| other.name == info.name) {
                    break;
                }
                finish(module, &mut copy);
                copies.push((info, copy));
            }
            has_copy = true;
            // Launches without barriers choose other work-groups instead.
            if !meets(&func) {
                break;
            }
        }
        budget::check()?;
    }
    let changed = Changed::from_bool(!copies.is_empty());
    for (mut info, func) in copies {
        info.func = module.functions.push(func);
        module.kernels.push(info);
    }
    Ok(changed)
}

/// A kernel that gets copies.
struct OfKernel<'a> {
    kernel: &'a KernelInfo,
    of: u32,
    /// Launches promise that arguments do not overlap.
    disjoint: bool,
    /// The lanes that may be neighbours.
    width: Option<u32>,
}

impl OfKernel<'_> {
    /// Makes the copies of a plan: the kernel's code is `func`.
    fn copies(&self, func: &Function, plan: &Plan<'_>) -> Vec<(KernelInfo, Function)> {
        let Self {
            kernel,
            of,
            disjoint,
            width,
        } = *self;
        let items = plan.items();
        let size = kernel.required_work_group_size;
        let cfg = Cfg::new(func);
        let arguments = pointer_arguments(kernel);
        let numbers = number_arguments(kernel);
        let mut copies = Vec::new();
        // Launches that do not promise multiples need another copy, as those whose rows are not sub-groups do.
        for spacing in width.into_iter().chain([1]) {
            for numbers in [numbers.as_slice(), &[]] {
                let strides = Strides {
                    func,
                    plan,
                    spacing,
                    arguments: &arguments,
                    numbers,
                    multiples: Cell::default(),
                    cfg: &cfg,
                };
                if spacing > 1 && !(divides(items * spacing, size) && lanes::pays(&strides)) {
                    break;
                }
                let copy = Copier::new(func, plan, &strides).copy();
                let mut multiples = strides.multiples.get();
                // Multiples of the span are those of four, unless it is 2.
                if strides.span() % NUMBER_MULTIPLE == 0 {
                    multiples.of_four &= !multiples.of_span;
                }
                let lanes = if spacing == 1 { "" } else { ".lanes" };
                let mark = if multiples.is_empty() {
                    ""
                } else {
                    ".multiples"
                };
                let coarse = Coarse {
                    of,
                    items,
                    spacing,
                    multiples,
                    disjoint,
                };
                let info = KernelInfo {
                    name: format!("{}.x{items}{lanes}{mark}", kernel.name),
                    required_work_group_size: size.map(|[x, y, z]| [x / items, y, z]),
                    work_group_size_hint: None,
                    coarse: Some(coarse),
                    attributes: String::new(),
                    ..kernel.clone()
                };
                copies.push((info, copy));
                // Nothing relies on a promise.
                if multiples.is_empty() {
                    break;
                }
            }
        }
        copies
    }
}

/// Returns whether the work-items of a group meet in a kernel.
fn meets(func: &Function) -> bool {
    let mut insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    insts.any(|&inst| is_meeting(&func.insts[inst].kind))
}

/// Joins what neighbours access side by side, as the rows of the pipeline did with each work-item's own accesses.
fn join_accesses(copy: &mut Function, ctx: &Ctx<'_>, module: &Module) {
    let in_functions = ctx.of_functions(&module.globals);
    let by_words = ctx.target.quirks.has(QuirkKind::VectorsByWords);
    // Neighbours may load what others load, and some addresses are of no use any more.
    let _ = cse::run(copy, &in_functions);
    let _ = dce::run(copy, &in_functions);
    if by_words {
        // Bytes of neighbours may make words, but those of one work-item, as of a pixel of three bytes, do not.
        widen_memory::take_apart(copy);
    }
    let mut joined = vectorize_memory::run(copy, &in_functions);
    if by_words {
        joined |= widen_memory::run(copy, &in_functions);
    }
    if by_words && joined.is_yes() {
        // Words of bytes may lie side by side in turn.
        let _ = vectorize_memory::run(copy, &in_functions);
        let _ = widen_memory::run(copy, &in_functions);
    }
}

/// The offsets of a kernel's pointers in its argument block.
fn pointer_arguments(kernel: &KernelInfo) -> Vec<u32> {
    let layout = ArgLayout::of(kernel, &Abi::Addresses);
    let args = kernel.args.iter().zip(&layout.places);
    args.filter(|(arg, _)| matches!(arg.kind, KernelArgKind::Pointer(_)))
        .filter_map(|(_, place)| place.map(|place| place.offset))
        .collect()
}

/// The offsets and places of a kernel's integers in its argument block, of the first 32 arguments.
fn number_arguments(kernel: &KernelInfo) -> Vec<(u32, u32)> {
    let layout = ArgLayout::of(kernel, &Abi::Addresses);
    let is_number = |kind: &KernelArgKind| match *kind {
        KernelArgKind::Value(ty) => ty == Type::I32 || ty == Type::I64,
        _ => false,
    };
    let args = kernel.args.iter().zip(&layout.places).zip(0..u32::BITS);
    args.filter(|((arg, _), _)| is_number(&arg.kind))
        .filter_map(|((_, place), number)| place.map(|place| (place.offset, number)))
        .collect()
}

/// Returns whether a kernel is one of applications, and nobody counts its invocations.
fn may_have_copy(kernel: &KernelInfo) -> bool {
    let is_of_item = kernel.coarse.is_none_or(|coarse| coarse.items == 1);
    // Much that is known of images stands with the kernel: levels, samples, facts.
    let has_images = (kernel.args.iter())
        .any(|arg| matches!(arg.kind, KernelArgKind::Image(_) | KernelArgKind::Sampler));
    let has_memory = kernel.checked || kernel.private_bytes > 0;
    is_of_item
        && kernel.is_of_application()
        && !kernel.asks_for_sub_groups()
        && !has_images
        && !has_memory
}

/// Returns whether work-groups of the required size are made of whole invocations.
fn divides(items: u32, required: Option<[u32; 3]>) -> bool {
    required.is_none_or(|[x, ..]| x % items == 0)
}
