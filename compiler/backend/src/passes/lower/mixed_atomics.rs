//! 32-bit atomics on local memory that 64-bit atomics touch too.
//!
//! Local memory is one array for all that may alias ([`crate::vulkan`]'s partitions), with
//! elements as wide as the widest atomic. A 32-bit atomic on an array of 64-bit elements is done
//! on the element (`part_atomics.rs`).
//!
//! The address tells the half that is meant, so the pointer becomes an integer, which may put more
//! memory into its partition: the pass goes round until nothing is mixed any more.

use crate::expand::expand;
use crate::pass::{Changed, Ctx};
use crate::passes::lower::part_atomics::{self, WORD};
use pumice_ir::LowerError;
use pumice_ir::analysis::partition::Partitions;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{AddressSpace, FuncId, Inst, InstKind, Module, Value};
use rustc_hash::FxHashSet;

/// Runs the pass.
///
/// # Errors
/// Recursion or an undefined function: then the partitions cannot be found.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    if !has_both_widths(module) {
        return Ok(changed);
    }
    loop {
        let mixed = mixed(module)?;
        if mixed.is_empty() {
            return Ok(changed);
        }
        for id in module.functions.keys().collect::<Vec<_>>() {
            changed |= expand(&mut module.functions[id], |x, inst| {
                if !mixed.contains(&(id, inst)) {
                    return Ok(None);
                }
                let kind = x.func.insts[inst].kind.clone();
                Ok(part_atomics::lower(x, &kind, WORD))
            })?;
        }
    }
}

/// Pointer and width in bytes of an atomic on local memory.
fn local_atomic(module: &Module, func: FuncId, inst: Inst) -> Option<(Value, u32)> {
    let f = &module.functions[func];
    let (ptr, ty) = match f.insts[inst].kind {
        InstKind::AtomicLoad { ptr, .. } => (ptr, f.ty(*f.insts[inst].results.first()?)),
        InstKind::AtomicStore { ptr, value, .. } | InstKind::AtomicRmw { ptr, value, .. } => {
            (ptr, f.ty(value))
        }
        InstKind::AtomicCmpXchg { ptr, expected, .. } => (ptr, f.ty(expected)),
        _ => return None,
    };
    let local = f.ty(ptr).address_space() == Some(AddressSpace::Local);
    local.then_some((ptr, ty.scalar.bytes()))
}

fn atomics(module: &Module) -> impl Iterator<Item = (FuncId, Inst, Value, u32)> {
    module.functions.iter().flat_map(move |(id, f)| {
        let insts = f
            .layout
            .blocks
            .iter()
            .flat_map(|&block| &f.layout.insts[block]);
        insts.filter_map(move |&inst| {
            let (ptr, bytes) = local_atomic(module, id, inst)?;
            Some((id, inst, ptr, bytes))
        })
    })
}

fn has_both_widths(module: &Module) -> bool {
    let mut seen = [false; 2];
    for (.., bytes) in atomics(module) {
        seen[usize::from(bytes == 8)] = true;
    }
    seen == [true; 2]
}

/// The 32-bit atomics on memory that has 64-bit ones.
fn mixed(module: &Module) -> Result<FxHashSet<(FuncId, Inst)>, LowerError> {
    let functions = reachable_functions(module)?;
    let partitions = Partitions::compute(module, &functions)?;
    let narrow = atomics(module).filter(|&(id, _, ptr, bytes)| {
        let partition = partitions
            .of_value(id, ptr)
            .or_else(|| partitions.escaped(AddressSpace::Local));
        bytes == 4 && partition.is_some_and(|p| partitions.list[p as usize].unit == 8)
    });
    let reached: FxHashSet<FuncId> = functions.iter().copied().collect();
    Ok(narrow
        .filter(|(id, ..)| reached.contains(id))
        .map(|(id, inst, ..)| (id, inst))
        .collect())
}
