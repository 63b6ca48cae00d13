//! Kernels whose calls multiply get one copy of each function, for drivers that put a copy of the function in the place of
//! each call ([`ShareFunctions`](pumice_target::QuirkKind::ShareFunctions)).
//!
//! Thirty functions that each call the next one twice are a billion copies; LuxCore's path tracer is as bad. Where the
//! copies are too many, the kernel and the larger functions that it leads to become one function: a loop that
//! branches to the block to go on at (`dispatch`). A call stores its arguments and the number of the block behind it in a
//! private array, and goes to the callee's first block; values that are needed behind a call lie in the array meanwhile
//! (`frames`). Nothing is recursive, so that each function needs one place there. Arguments that all calls pass along from
//! the kernel are not stored (`passed_along`).
//!
//! Smaller functions stay calls. So does everything where work-items must meet, since those that went different ways go
//! through the loop a different number of times.

mod crossing;
mod cuts;
mod dispatch;
mod frames;
mod passed_along;

use crate::pass::{Changed, Ctx};
use crate::passes::driver_quirks::copied_calls::with_copies;
use crate::passes::legalize::spill_private::move_partitions;
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::partition::Partitions;
use pumice_ir::analysis::{functions_called_from, reachable_functions};
use pumice_ir::{AddressSpace, FuncId, Function, LowerError, Module};
use std::collections::BTreeSet;

/// The sizes that decide what is shared, in instructions.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Kernels of at most this size with all copies are built as they are, since calls cost less time than the loop.
    pub copied: u64,
    /// Kernels that become as small as this are small enough, whatever else could be shared.
    pub small: u64,
    /// Kernels may be larger by one part in so many than they would be with the most functions shared.
    pub parts: u64,
    /// A call through the loop takes about so many: those that store and load arguments and values.
    pub call: u64,
    /// Accesses by kept addresses, each counted for every element that it may be to, from which on those lie in memory.
    pub looked_for: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            copied: 1 << 16,
            small: 1 << 14,
            parts: 4,
            call: 24,
            looked_for: 1 << 14,
        }
    }
}

/// Runs the pass.
///
/// # Errors
/// Values that take too much memory or time.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    share(module, ctx, Limits::default())
}

/// Runs the pass with other limits than the usual ones.
///
/// # Errors
/// As [`run`].
pub fn share(module: &mut Module, ctx: &Ctx<'_>, limits: Limits) -> Result<Changed, LowerError> {
    if ctx.target.abi.descriptors().is_some() {
        return Ok(Changed::No);
    }
    let order = reachable_functions(module)?;
    let sizes = Sizes::of(module, &order);
    let kernels: Vec<usize> = (0..module.kernels.len())
        .filter(|&k| {
            let kernel = &module.kernels[k];
            let id = kernel.func;
            sizes.copied[id] > limits.copied && !sizes.meets[id] && kernel.node.is_none()
        })
        .collect();
    let roots: Vec<FuncId> = kernels.iter().map(|&k| module.kernels[k].func).collect();
    let reached: Vec<BTreeSet<FuncId>> = (roots.iter())
        .map(|&kernel| functions_called_from(module, kernel))
        .collect();
    let mut shared = sizes.choose(module, &roots, &reached, limits);
    if shared.is_empty() {
        return Ok(Changed::No);
    }
    add_pointer_functions(module, &order, &reached, &mut shared);
    for k in kernels {
        let copies = passed_along::copies(module, &order, &shared, module.kernels[k].func)?;
        let func = dispatch::merge(copies, &shared, ctx.target)?;
        module.kernels[k].func = module.functions.push(func);
        if !ctx.target.address_delta {
            move_pointed_at(module, k, limits, ctx)?;
        }
    }
    Ok(Changed::Yes)
}

/// Adds the functions that pointers to private variables may cross, and those that lead to them: only the kernel's own
/// variables can move to memory.
fn add_pointer_functions(
    module: &Module,
    order: &[FuncId],
    reached: &[BTreeSet<FuncId>],
    shared: &mut BTreeSet<FuncId>,
) {
    let is_reached = |id: &&FuncId| reached.iter().any(|reached| reached.contains(id));
    for &id in order.iter().filter(is_reached) {
        let func = &module.functions[id];
        let mut types = func.params.iter().chain(&func.results);
        let crossed = types.any(|ty| {
            let space = ty.address_space();
            matches!(space, Some(AddressSpace::Private | AddressSpace::Generic))
        });
        if crossed || func.calls().any(|callee| shared.contains(&callee)) {
            shared.insert(id);
        }
    }
}

/// Moves the variables whose addresses are kept in the array to memory, where many accesses would look for their
/// variable among many: lavapipe's compiler makes a branch of each element that an access may be to.
fn move_pointed_at(
    module: &mut Module,
    k: usize,
    limits: Limits,
    ctx: &Ctx<'_>,
) -> Result<(), LowerError> {
    let id = module.kernels[k].func;
    let mut functions: Vec<FuncId> = functions_called_from(module, id).into_iter().collect();
    functions.push(id);
    let partitions = Partitions::compute(module, &functions)?;
    let Some(escaped) = partitions.escaped(AddressSpace::Private) else {
        return Ok(());
    };
    let partition = &partitions.list[escaped as usize];
    let elements = u64::from(partition.fixed_bytes / partition.unit);
    let func = &module.functions[id];
    let accesses = (func.layout.blocks.iter())
        .flat_map(|&block| &func.layout.insts[block])
        .filter_map(|&inst| func.insts[inst].kind.pointer())
        .filter(|&ptr| partitions.of_value(id, ptr) == Some(escaped))
        .count() as u64;
    if partition.single_function == Some(id)
        && accesses.saturating_mul(elements) > limits.looked_for
    {
        let moved = [escaped].into_iter().collect();
        let _ = move_partitions(module, k, &partitions, &moved, ctx)?;
    }
    Ok(())
}

/// The sizes of functions in instructions.
#[derive(Default)]
struct Sizes {
    /// Those of the function alone.
    own: SecondaryMap<FuncId, u64>,
    /// With a copy in the place of each call.
    copied: SecondaryMap<FuncId, u64>,
    /// Work-items meet in the function or in one that it calls.
    meets: SecondaryMap<FuncId, bool>,
}

impl Sizes {
    /// Those of functions that come callees first.
    fn of(module: &Module, order: &[FuncId]) -> Self {
        let mut sizes = Self {
            copied: with_copies(module, order, Function::size),
            ..Self::default()
        };
        for &id in order {
            let func = &module.functions[id];
            sizes.own[id] = func.size() as u64;
            let mut insts =
                (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
            sizes.meets[id] = insts.any(|&inst| func.insts[inst].kind.is_convergent())
                || func.calls().any(|callee| sizes.meets[callee]);
        }
        sizes
    }

    /// Chooses the functions that some kernels share: those that are largest with their copies, as few as make the kernels
    /// not much larger than they have to be. With a function all that lead to it are chosen.
    /// `reached` holds what each kernel calls.
    fn choose(
        &self,
        module: &Module,
        kernels: &[FuncId],
        reached: &[BTreeSet<FuncId>],
        limits: Limits,
    ) -> BTreeSet<FuncId> {
        // The kernels' sizes where functions are shared that have more instructions than `least` with their copies.
        let total = |least: u64| {
            (kernels.iter().zip(reached)).fold(0, |sum: u64, (&kernel, reached)| {
                let is_shared = |id: FuncId| self.copied[id] > least;
                let parts = reached.iter().copied().filter(|&id| is_shared(id));
                parts.chain([kernel]).fold(sum, |sum, id| {
                    let each = module.functions[id]
                        .calls()
                        .map(|callee| match is_shared(callee) {
                            true => limits.call,
                            false => self.copied[callee],
                        });
                    each.fold(sum.saturating_add(self.own[id]), u64::saturating_add)
                })
            })
        };
        // The last one shares nothing, which is right for large functions that are called once.
        let choices = (0..16).map(|log| 1 << log).chain([u64::MAX]);
        let least = choices.clone().map(total).min().unwrap_or(0);
        let small = limits.small.saturating_mul(kernels.len() as u64);
        let enough = small.max(least.saturating_add(least / limits.parts));
        let limit = choices.rev().find(|&least| total(least) <= enough);
        let all = reached.iter().flatten().copied();
        all.filter(|&id| limit.is_some_and(|limit| self.copied[id] > limit))
            .collect()
    }
}
