//! Accesses of private memory claim no more alignment than their addresses are seen to have.
//!
//! Programs written for processors cast a pointer to bytes to one to words, and add any number of bytes before or
//! behind: 64 bits are then read at addresses that are not multiples of 8. OpenCL C leaves that undefined
//! (OpenCL C 6.3.5), but processors and most GPUs' memory do what was meant, and so do accesses by device addresses.
//! Private arrays have elements, which an index rounded down would miss. Accesses at addresses that are
//! not seen to be aligned are taken apart instead. Addresses that come out of memory are trusted, and so is local memory:
//! programs lay it out by offsets that the host gives.

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::analysis::AddressZeros;
use pumice_ir::{AddressSpace, Function, InstKind};

/// Runs the pass.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Changed {
    let mut zeros = None;
    let mut changed = Changed::No;
    for block in func.layout.blocks.clone() {
        for inst in func.layout.insts[block].clone() {
            let (InstKind::Load { ptr, align, .. } | InstKind::Store { ptr, align, .. }) =
                func.insts[inst].kind
            else {
                continue;
            };
            if func.ty(ptr).address_space() != Some(AddressSpace::Private) || align <= 1 {
                continue;
            }
            let zeros = zeros.get_or_insert_with(|| AddressZeros::of(func));
            let seen = zeros.alignment(ptr, align);
            if seen == align {
                continue;
            }
            if let InstKind::Load { align, .. } | InstKind::Store { align, .. } =
                &mut func.insts[inst].kind
            {
                *align = seen;
                changed = Changed::Yes;
            }
        }
    }
    changed
}
