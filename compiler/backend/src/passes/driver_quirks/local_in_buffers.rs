//! Chooses the kernels whose local memory is in a buffer, for drivers that access a buffer faster
//! ([`LocalMemoryInBuffers`](pumice_target::QuirkKind::LocalMemoryInBuffers)).
//!
//! Such a kernel's local pointers stay what they are; the emitter adds them to the address of the work-group's part of a buffer,
//! which the launch provides. It pays where loops load and store local variables, or much code does. Atomic operations are
//! as fast in local memory of the device's own.
//!
//! A kernel keeps such memory if it takes part in device-side enqueue, since nobody knows how many work-groups a dispatch of
//! those has, and a module if functions that are no kernels reach local memory, since they serve several kernels.

use crate::pass::{Changed, Ctx};
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{AddressSpace, Cfg, Function, InstKind, KernelInfo, LoopNest, LowerError, Module};

/// So many loads and stores pay where they are in no loop.
const MANY: usize = 16;

/// Runs the pass.
///
/// # Errors
/// Functions that call one another in a circle, which the inliner has refused before.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.keeps_local_in_buffers() {
        return Ok(Changed::No);
    }
    let kernel_of = module.kernel_of_each();
    let functions = reachable_functions(module)?;
    let mut others = functions.iter().filter(|&&id| kernel_of[id].is_none());
    if others.any(|&id| reaches_local_memory(&module.functions[id])) {
        return Ok(Changed::No);
    }
    let mut changed = Changed::No;
    for kernel in &mut module.kernels {
        if may_have_buffer(kernel) && pays(&module.functions[kernel.func]) {
            kernel.local_in_buffer = true;
            changed = Changed::Yes;
        }
    }
    Ok(changed)
}

fn may_have_buffer(kernel: &KernelInfo) -> bool {
    kernel.enqueue.is_none() && kernel.node.is_none() && !kernel.initializer && !kernel.finalizer
}

fn pays(func: &Function) -> bool {
    if !reaches_local_memory(func) {
        return false;
    }
    let loops = LoopNest::find(&Cfg::new(func));
    let mut count = 0;
    for &block in &func.layout.blocks {
        let mut insts = func.layout.insts[block].iter();
        let here = insts.by_ref().filter(|&&inst| {
            let (InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. }) = func.insts[inst].kind
            else {
                return false;
            };
            func.ty(ptr).address_space() == Some(AddressSpace::Local)
        });
        let here = here.count();
        let in_loop = || {
            let nest = loops.as_ref().map(|(_, nest)| nest);
            nest.is_some_and(|nest| nest.innermost(block).is_some())
        };
        count += here;
        if count >= MANY || (here > 0 && in_loop()) {
            return true;
        }
    }
    false
}

fn reaches_local_memory(func: &Function) -> bool {
    let mut values = func.values();
    values.any(|value| func.ty(value).address_space() == Some(AddressSpace::Local))
}
