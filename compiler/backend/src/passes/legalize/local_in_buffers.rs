//! Chooses the kernels whose local memory is in a buffer: those with more of it than Vulkan's shared memory holds, all where a
//! launch asks for that much, and those that drivers run faster so
//! ([`LocalMemoryInBuffers`](pumice_target::QuirkKind::LocalMemoryInBuffers)).
//!
//! Such a kernel's local pointers stay what they are; the emitter adds them to the address of the work-group's part of a buffer,
//! which the launch provides. With the quirk it pays where loops load and store local variables, or much code does. Atomic
//! operations are as fast in local memory of the device's own.
//!
//! A kernel keeps such memory if it takes part in device-side enqueue, since nobody knows how many work-groups a dispatch of
//! those has. Kernels that call the same function with local pointers are decided on together, since the function serves them
//! all; they keep such memory if the function has generic pointers, or names local variables itself.

use crate::pass::{Changed, Ctx};
use pumice_ir::analysis::partition::Partitions;
use pumice_ir::analysis::{LocalCallers, has_pointers, local_variables, reachable_functions};
use pumice_ir::{
    AddressSpace, Block, Cfg, FuncId, Function, GlobalId, Inst, InstKind, LoopNest, LowerError,
    Module,
};
use pumice_target::QuirkKind;
use std::collections::BTreeSet;

/// So many loads and stores pay where they are in no loop.
const MANY: usize = 16;

/// Runs the pass.
///
/// # Errors
/// Functions that call one another in a circle, which the inliner has refused before.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let target = ctx.target;
    let faster = target.quirks.has(QuirkKind::LocalMemoryInBuffers);
    if !target.keeps_local_in_buffers() && !target.keeps_large_local_in_buffers() {
        return Ok(Changed::No);
    }
    let mut kernels = module.kernels.iter();
    let local = [AddressSpace::Local];
    if !kernels.any(|kernel| has_pointers(&module.functions[kernel.func], &local)) {
        return Ok(Changed::No);
    }
    let functions = reachable_functions(module)?;
    let partitions = Partitions::compute(module, &functions)?;
    let callers = LocalCallers::of(module);
    let mut changed = Changed::No;
    for (group, called) in callers.groups() {
        let may_be_in_buffers = group.iter().all(|&k| module.kernels[k].is_of_application())
            && called.iter().all(|&id| is_given_local(module, id));
        let kernels = group.iter().map(|&k| module.kernels[k].func);
        let mut all = kernels.chain(called.iter().copied());
        let mut does_pay = || all.any(|id| pays((id, &module.functions[id]), &partitions));
        let is_asked = |&k: &usize| {
            let most = u64::from(target.max_shared_memory_size);
            target.local_in_buffers || bytes_of_variables(module, k, &called) > most
        };
        let is_in_buffer = group.iter().any(is_asked) || (faster && does_pay());
        if may_be_in_buffers && is_in_buffer {
            for k in group {
                module.kernels[k].local_in_buffer = true;
            }
            changed = Changed::Yes;
        }
    }
    Ok(changed)
}

/// The bytes of local variables that a kernel, or the one that it is a copy of, and the functions that it calls name.
fn bytes_of_variables(module: &Module, kernel: usize, called: &[FuncId]) -> u64 {
    let kernel = &module.kernels[kernel];
    let of = kernel.coarse.map(|copy| &module.kernels[copy.of as usize]);
    let functions = [of.unwrap_or(kernel).func].into_iter();
    let named = functions.chain(called.iter().copied()).flat_map(|id| {
        let func = &module.functions[id];
        local_variables(func, &module.globals)
    });
    let named: BTreeSet<GlobalId> = named.collect();
    let sizes = named.iter().map(|&global| module.globals[global].size);
    sizes.fold(0, u64::saturating_add)
}

/// Returns whether a called function knows local memory by the local pointers that it is given alone.
fn is_given_local(module: &Module, id: FuncId) -> bool {
    let func = &module.functions[id];
    let named = local_variables(func, &module.globals);
    !has_pointers(func, &[AddressSpace::Generic]) && named.is_empty()
}

/// Returns whether loads and stores of what would be in the buffer take much of the kernel's time, or of its code.
fn pays((id, func): (FuncId, &Function), partitions: &Partitions) -> bool {
    let is_access = |inst: &&Inst| {
        let (InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. }) = func.insts[**inst].kind
        else {
            return false;
        };
        let partition = partitions.of_value(id, ptr);
        partition.is_some_and(|p| partitions.list[p as usize].is_for_buffers())
    };
    let blocks = func.layout.blocks.iter();
    let counts = blocks.map(|&block| {
        let insts = func.layout.insts[block].iter();
        (block, insts.filter(is_access).count())
    });
    let counts: Vec<(Block, usize)> = counts.filter(|&(_, count)| count > 0).collect();
    let all: usize = counts.iter().map(|&(_, count)| count).sum();
    let in_loops = || {
        let loops = LoopNest::find(&Cfg::new(func));
        let is_in_loop = |(_, nest): &(_, LoopNest)| {
            let mut blocks = counts.iter();
            blocks.any(|&(block, _)| nest.innermost(block).is_some())
        };
        loops.as_ref().is_some_and(is_in_loop)
    };
    all >= MANY || (all > 0 && in_loops())
}
