//! The functions that copies may call.

use crate::passes::optimize::inline::bottom_up;
use cranelift_entity::SecondaryMap;
use pumice_ir::{AddressSpace, FuncId, Function, InstKind, LowerError, Module};

/// A function that does not ask which work-item it is, and waits for no other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callee {
    /// Instructions, with what it calls itself.
    pub size: usize,
    /// Calls with the same operands give the same and do nothing else.
    pub is_pure: bool,
}

/// Facts about functions; `None` for those that no copy may call.
pub(super) type Callees = SecondaryMap<FuncId, Option<Callee>>;

/// Looks at all functions.
///
/// # Errors
/// Recursive calls, which the inliner has refused before.
pub(super) fn callees(module: &Module) -> Result<Callees, LowerError> {
    let (order, _) = bottom_up(module)?;
    let mut found = Callees::new();
    for id in order {
        found[id] = callee(&module.functions[id], &found);
    }
    Ok(found)
}

fn callee(func: &Function, found: &Callees) -> Option<Callee> {
    let mut all = Callee {
        size: 0,
        is_pure: true,
    };
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            all.size += 1;
            match *kind {
                InstKind::Call { func, .. } => {
                    let inner = found[func]?;
                    all.size = all.size.saturating_add(inner.size);
                    all.is_pure &= inner.is_pure;
                }
                InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. } => {
                    let space = func.ty(ptr).address_space();
                    all.is_pure &= space == Some(AddressSpace::Private);
                }
                InstKind::BuiltIn { .. }
                | InstKind::BuiltInWord { .. }
                | InstKind::Barrier { .. }
                | InstKind::Group { .. }
                | InstKind::Node { .. }
                | InstKind::Matrix { .. }
                | InstKind::Printf { .. }
                | InstKind::MemCopy { .. }
                | InstKind::ReadClock { .. } => return None,
                _ => all.is_pure &= kind.is_terminator() || !kind.has_side_effects(),
            }
        }
    }
    // A pointer to the caller's variables may be written through.
    all.is_pure &= func.params.iter().all(|ty| !ty.scalar.is_ptr());
    Some(all)
}
