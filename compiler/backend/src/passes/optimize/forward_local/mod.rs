//! Work-items compute what others of their group would have passed to them by local memory.
//!
//! A transpose stores the words of a tile that it loads by rows, waits, and loads them by columns. On a GPU this makes rows of
//! both accesses; on a processor local memory is memory like any other, and a barrier takes longer than both. So a kernel gets a
//! second way, without the local variable and the barrier: each load of the variable becomes what the work-item has stored there
//! whose local id the load's address tells, computed once more with that id.
//!
//! That holds where (`find`)
//! - the variable is the kernel's only local memory, its barrier the only one, and one store in front of it is the only one,
//! - each work-item stores to an element of its own, and each load reads the element of one that is there, which the way's
//!   condition asks of the work-group's sizes,
//! - what is stored depends on ids, arguments and memory that nothing in the kernel writes.
//!
//! Drivers know the work-group's size when they compile, so that one of both ways is left.

mod elements;
mod find;
mod ways;

use crate::pass::{Changed, Ctx};
use pumice_ir::{LowerError, Module};

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, _: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    for kernel in &module.kernels {
        if kernel.node.is_some() || kernel.enqueue.is_some() {
            continue;
        }
        let func = &mut module.functions[kernel.func];
        if let Some(exchange) = find::exchange(func, &module.globals) {
            ways::add(func, &exchange);
            changed = Changed::Yes;
        }
    }
    Ok(changed)
}
