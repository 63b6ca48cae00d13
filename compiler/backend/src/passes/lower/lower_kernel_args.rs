//! Kernel parameters become reads of the argument block.
//!
//! Plain data and pointers become `LoadArg` at the place that [`ArgLayout`] gives them, local
//! pointers `LocalArg`, images and samplers `HandleArg`, structs by value a private variable that is filled word by word (SROA
//! takes it apart afterwards). A kernel that is called as a function keeps its old form under
//! a second function, so that its parameters still come from the caller.

use crate::pass::{Changed, Ctx};
use pumice_ir::ArgLayout;
use pumice_ir::LowerError;
use pumice_ir::{
    AccessFlags, AddressSpace, ArgInfo, FuncId, Inst, InstKind, KernelArgKind, KernelInfo, Module,
    SourceLoc, StackSlotData, Type, Value,
};
use pumice_target::abi::Abi;
use rustc_hash::FxHashMap;

/// Runs the pass.
///
/// # Errors
/// Arguments that take more bytes than the device has for them.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    for kernel in &module.kernels {
        check_size(kernel, ctx.target.max_parameter_size)?;
    }
    keep_called_kernels(module);
    let mut changed = false;
    for k in 0..module.kernels.len() {
        changed |= lower(module, k, &ctx.target.abi);
    }
    Ok(Changed::from_bool(changed))
}

/// Refuses arguments of more than `limit` bytes, before anything is made of them.
fn check_size(kernel: &KernelInfo, limit: u32) -> Result<(), LowerError> {
    let mut total: u64 = 0;
    for (ordinal, arg) in kernel.args.iter().enumerate() {
        let size = arg.kind.block_bytes().unwrap_or(0);
        total += u64::from(size);
        if total > u64::from(limit) {
            let name = arg.info.as_ref().map(|info| info.name.as_str());
            let name = match name {
                Some(name) if !name.is_empty() => format!(" ('{name}')"),
                _ => String::new(),
            };
            let before = match total - u64::from(size) {
                0 => String::new(),
                before => format!(", those before it {before}"),
            };
            return Err(LowerError::new(format!(
                "kernel '{}': argument {ordinal}{name} takes {size} bytes{before}; all arguments \
                 of a kernel can take {limit} on this device",
                kernel.name
            )));
        }
    }
    Ok(())
}

/// Gives calls of kernels a plain function to call.
fn keep_called_kernels(module: &mut Module) {
    let kernels: Vec<FuncId> = module.kernels.iter().map(|k| k.func).collect();
    let mut copies: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    let callers: Vec<FuncId> = module.functions.keys().collect();
    let mut work = callers;
    while let Some(caller) = work.pop() {
        let f = &module.functions[caller];
        let mut calls: Vec<(Inst, FuncId)> = Vec::new();
        for &block in &f.layout.blocks {
            for &inst in &f.layout.insts[block] {
                if let InstKind::Call { func, .. } = f.insts[inst].kind {
                    if kernels.contains(&func) {
                        calls.push((inst, func));
                    }
                }
            }
        }
        for (inst, callee) in calls {
            let copy = match copies.get(&callee) {
                Some(&copy) => copy,
                None => {
                    let copy = module.functions[callee].clone();
                    let copy = module.functions.push(copy);
                    copies.insert(callee, copy);
                    work.push(copy);
                    copy
                }
            };
            if let InstKind::Call { func, .. } = &mut module.functions[caller].insts[inst].kind {
                *func = copy;
            }
        }
    }
}

fn lower(module: &mut Module, k: usize, abi: &Abi) -> bool {
    let layout = ArgLayout::of(&module.kernels[k], abi);
    let kernel = &module.kernels[k];
    let f = &mut module.functions[kernel.func];
    let Some(entry) = f.entry() else { return false };
    let params = f.blocks[entry].params.to_vec();
    if params.is_empty() {
        return false;
    }
    let loc = SourceLoc::default();
    let mut head: Vec<Inst> = Vec::new();
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    for (ordinal, (&param, arg)) in params.iter().zip(&kernel.args).enumerate() {
        let ty = f.ty(param);
        let place = layout.places[ordinal];
        let (kind, ty) = match (&arg.kind, place) {
            (KernelArgKind::Image(_) | KernelArgKind::Sampler, _) => (
                InstKind::HandleArg {
                    ordinal: ordinal as u32,
                },
                Type::I32,
            ),
            (KernelArgKind::Local { .. }, _) | (_, None) => (
                InstKind::LocalArg {
                    ordinal: ordinal as u32,
                },
                Type::ptr(AddressSpace::Local),
            ),
            (KernelArgKind::ByVal { size, align }, Some(place)) => {
                let slot = f.slots.push(StackSlotData::new(
                    size.next_multiple_of(4),
                    (*align).max(4),
                ));
                let ptr_ty = Type::ptr(AddressSpace::Private);
                let base = f.make_inst(InstKind::StackAddr { slot }, &[ptr_ty], loc);
                head.push(base);
                let base = f.result(base);
                for word in 0..size.div_ceil(4) {
                    let load = InstKind::LoadArg {
                        offset: place.offset + word * 4,
                    };
                    let load = f.make_inst(load, &[Type::I32], loc);
                    let value = f.result(load);
                    let offset = f.i64(i64::from(word) * 4);
                    let add = f.make_inst(InstKind::PtrAdd { base, offset }, &[ptr_ty], loc);
                    let ptr = f.result(add);
                    let store = InstKind::Store {
                        ptr,
                        value,
                        align: 4,
                        flags: AccessFlags::empty(),
                    };
                    let store = f.make_inst(store, &[], loc);
                    head.extend([load, add, store]);
                }
                replaced.insert(param, base);
                continue;
            }
            (KernelArgKind::Value(_) | KernelArgKind::Pointer(_), Some(place)) => (
                InstKind::LoadArg {
                    offset: place.offset,
                },
                ty,
            ),
        };
        let is_restrict = arg.info.as_ref().is_some_and(ArgInfo::is_restrict);
        if let (KernelArgKind::Pointer(_), Some(place), true) = (&arg.kind, place, is_restrict) {
            f.restrict_args.push(place.offset);
        }
        let inst = f.make_inst(kind, &[ty], loc);
        head.push(inst);
        replaced.insert(param, f.result(inst));
    }
    f.retain_params(entry, |_, _| false);
    f.params.clear();
    let body = std::mem::take(&mut f.layout.insts[entry]);
    head.extend(body);
    f.layout.insts[entry] = head;
    f.rewrite_values(|v| replaced.get(&v).copied().unwrap_or(v));
    true
}
