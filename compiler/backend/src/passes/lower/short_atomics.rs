//! 16-bit atomics, which Vulkan has for no memory: they are done on the word around them.
//!
//! The other half of the word may change meanwhile: then the exchange goes round again. Variables and
//! local arguments begin and end at whole words where a function has such atomics.

use crate::expand::expand;
use crate::pass::{Changed, Ctx};
use crate::passes::lower::part_atomics::{self, SHORT};
use pumice_ir::{Function, Inst, InstKind, KernelArgKind, LowerError, Module, Scalar};

/// Bytes of a word.
const WORD: u32 = 4;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let has_some = |func: &Function| {
        let mut insts = func
            .layout
            .blocks
            .iter()
            .flat_map(|&b| &func.layout.insts[b]);
        insts.any(|&inst| is_short_atomic(func, inst))
    };
    let mut changed = Changed::No;
    for func in module.functions.values_mut().filter(|func| has_some(func)) {
        changed |= expand(func, |x, inst| {
            if !is_short_atomic(x.func, inst) {
                return Ok(None);
            }
            let kind = x.func.insts[inst].kind.clone();
            Ok(part_atomics::lower(x, &kind, SHORT))
        })?;
    }
    if changed == Changed::Yes {
        align_memory(module);
    }
    Ok(changed)
}

fn is_short_atomic(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let value = match data.kind {
        InstKind::AtomicLoad { .. } => data.results.first().copied(),
        InstKind::AtomicStore { value, .. } | InstKind::AtomicRmw { value, .. } => Some(value),
        InstKind::AtomicCmpXchg { expected, .. } => Some(expected),
        _ => None,
    };
    value.is_some_and(|value| func.ty(value).scalar == Scalar::I16)
}

fn align_memory(module: &mut Module) {
    for global in module.globals.values_mut() {
        global.align = global.align.max(WORD);
        global.size = global.size.next_multiple_of(u64::from(WORD));
        if !global.init.is_empty() {
            global.init.resize(global.size as usize, 0);
        }
    }
    for kernel in &mut module.kernels {
        for arg in &mut kernel.args {
            if let KernelArgKind::Local { align } = &mut arg.kind {
                *align = (*align).max(WORD);
            }
        }
    }
}
