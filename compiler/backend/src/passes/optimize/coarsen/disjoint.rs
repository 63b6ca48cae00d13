//! Copies of kernels for launches whose pointer arguments point at objects that do not overlap.
//!
//! Few kernels say `restrict`, and few launches pass one object twice. Where nothing is known, each store may change what is
//! loaded behind it: values stay in memory, and accesses that lie side by side cannot be joined. The copies are there from the
//! start, so that all passes know; those that come out like the kernel are dropped at the end.

use super::{SIZES, may_have_copy, pointer_arguments};
use crate::pass::{Changed, Ctx};
use crate::passes::optimize::dce;
use pumice_ir::text::function_to_text;
use pumice_ir::{AddressSpace, Coarse, Function, InstKind, KernelInfo, LowerError, Module};
use pumice_target::coarse::Multiples;
use rustc_hash::FxHashMap;

/// Copies the kernels that may be better so.
///
/// # Errors
/// None.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut copies = Vec::new();
    for (kernel, of) in module.kernels.iter().zip(0..) {
        let func = &module.functions[kernel.func];
        let name = format!("{}.disjoint", kernel.name);
        let is_taken = module.kernels.iter().any(|other| other.name == name);
        let pointers = pointer_arguments(kernel);
        if is_taken || !may_have_copy(kernel) || !may_pay(func, &pointers) {
            continue;
        }
        let mut copy = func.clone();
        copy.spend();
        copy.restrict_args = pointers.into_iter().collect();
        let info = KernelInfo {
            name,
            coarse: Some(Coarse {
                disjoint: true,
                ..own_form(of)
            }),
            attributes: String::new(),
            ..kernel.clone()
        };
        copies.push((info, copy));
    }
    let changed = Changed::from_bool(!copies.is_empty());
    for (mut info, func) in copies {
        info.func = module.functions.push(func);
        module.kernels.push(info);
    }
    Ok(changed)
}

/// Returns whether a kernel stores what it or others may load through another argument, and is small enough for copies.
fn may_pay(func: &Function, pointers: &[u32]) -> bool {
    let is_plain = |offset: &&u32| !func.restrict_args.contains(offset);
    let insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    let mut count = 0;
    let mut stores = false;
    for &inst in insts {
        count += 1;
        if let InstKind::Store { ptr, .. } = func.insts[inst].kind {
            let space = func.ty(ptr).address_space();
            stores |= matches!(space, Some(AddressSpace::Global | AddressSpace::Generic));
        }
    }
    // Most code is shorter behind the passes than before.
    let most = SIZES.iter().map(|&(_, most)| 2 * most).max();
    stores && pointers.iter().filter(is_plain).count() > 1 && Some(count) <= most
}

/// Drops the copies whose code is that of others, which launches need not promise anything for.
pub(super) fn drop_equal(module: &mut Module, ctx: &Ctx<'_>) {
    let mut texts = FxHashMap::default();
    let promised: Vec<Coarse> = (module.kernels.iter())
        .filter_map(|kernel| kernel.coarse.filter(|coarse| coarse.disjoint))
        .collect();
    if promised.is_empty() {
        return;
    }
    for (kernel, index) in module.kernels.iter().zip(0..) {
        let form = kernel.coarse.unwrap_or(own_form(index));
        let is_compared = |other: &Coarse| other.of == form.of;
        if promised.iter().any(is_compared) {
            texts.insert(form, code(&module.functions[kernel.func]));
        }
    }
    let count = module.kernels.len();
    module.kernels.retain(|kernel| {
        let Some(form) = kernel.coarse.filter(|coarse| coarse.disjoint) else {
            return true;
        };
        let other = texts.get(&Coarse {
            disjoint: false,
            ..form
        });
        other.is_none() || other != texts.get(&form)
    });
    if module.kernels.len() < count {
        let _ = dce::run_module(module, ctx);
    }
}

/// The form of a kernel that is no copy.
fn own_form(of: u32) -> Coarse {
    Coarse {
        of,
        items: 1,
        spacing: 1,
        multiples: Multiples::default(),
        disjoint: false,
    }
}

/// A function's code, without its name and what is known of its arguments.
fn code(func: &Function) -> String {
    let mut plain = func.clone();
    plain.name.clear();
    plain.restrict_args.clear();
    function_to_text(&plain)
}
