//! Dead code: blocks that nothing reaches, instructions and block parameters that nothing
//! needs, and at module level functions and variables that no kernel leads to.
//!
//! Liveness starts at instructions with effects and spreads through operands; a branch
//! argument is needed only when its parameter is.

use crate::pass::{Changed, Ctx, FunctionCtx};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use pumice_ir::{
    Block, FuncId, Function, GlobalData, GlobalId, Inst, InstKind, MathOp, Module, StackSlot,
    Value, ValueDef, reachable,
};
use smallvec::SmallVec;

/// Removes dead code from one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let mut changed = remove_unreachable_blocks(func);
    changed |= remove_unused(func);
    changed |= remove_unused_slots(func);
    changed
}

/// Removes private variables whose address nobody takes, and renumbers the others.
fn remove_unused_slots(func: &mut Function) -> Changed {
    let mut used: EntitySet<StackSlot> = EntitySet::new();
    let mut addresses = Vec::new();
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            if let InstKind::StackAddr { slot } = func.insts[inst].kind {
                used.insert(slot);
                addresses.push(inst);
            }
        }
    }
    if func.slots.keys().all(|slot| used.contains(slot)) {
        return Changed::No;
    }
    let mut renumbered: SecondaryMap<StackSlot, PackedOption<StackSlot>> = SecondaryMap::new();
    for (slot, data) in std::mem::take(&mut func.slots) {
        if used.contains(slot) {
            renumbered[slot] = func.slots.push(data).into();
        }
    }
    for inst in addresses {
        if let InstKind::StackAddr { slot } = &mut func.insts[inst].kind {
            *slot = renumbered[*slot].expand().unwrap_or(*slot);
        }
    }
    Changed::Yes
}

/// Takes blocks that the entry does not reach out of the layout.
pub fn remove_unreachable_blocks(func: &mut Function) -> Changed {
    let reachable = reachable(func);
    let before = func.layout.blocks.len();
    func.layout
        .blocks
        .retain(|&block| reachable.contains(block));
    Changed::from_bool(func.layout.blocks.len() != before)
}

/// Returns whether the instruction must stay although nobody uses its results.
pub fn is_needed_for_itself(func: &Function, kind: &InstKind) -> bool {
    match kind {
        // Only OpenCL.std instructions with a pointer operand write memory.
        InstKind::Math {
            op: MathOp::Ocl(_),
            args,
            ..
        } => args.iter().any(|&arg| func.ty(arg).scalar.is_ptr()),
        _ => kind.has_side_effects(),
    }
}

fn remove_unused(func: &mut Function) -> Changed {
    let mut live_insts: EntitySet<Inst> = EntitySet::with_capacity(func.insts.len());
    let mut live_values: EntitySet<Value> = EntitySet::with_capacity(func.num_values());
    let mut work: Vec<Value> = Vec::new();
    // Arguments by parameter: what a parameter needs once it is needed itself.
    let mut incoming: SecondaryMap<Block, Vec<Inst>> = func.block_map();
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            if !is_needed_for_itself(func, kind) {
                continue;
            }
            live_insts.insert(inst);
            if kind.is_terminator() {
                for call in kind.successors() {
                    incoming[call.block].push(inst);
                }
                match kind {
                    InstKind::Branch { cond, .. } => work.push(*cond),
                    InstKind::Switch { value, .. } => work.push(*value),
                    InstKind::Return { values } => work.extend_from_slice(values),
                    _ => {}
                }
            } else {
                kind.for_each_value(|value| work.push(value));
            }
        }
    }
    while let Some(value) = work.pop() {
        if !live_values.insert(value) {
            continue;
        }
        match *func.def(value) {
            ValueDef::Result(inst, _) => {
                if live_insts.insert(inst) {
                    func.insts[inst]
                        .kind
                        .for_each_value(|operand| work.push(operand));
                }
            }
            ValueDef::Param(block, index) => {
                for &inst in &incoming[block] {
                    for call in func.insts[inst].kind.successors() {
                        if call.block == block {
                            work.extend(call.args.get(usize::from(index)));
                        }
                    }
                }
            }
            ValueDef::Const(_) | ValueDef::Undef => {}
        }
    }

    let mut changed = Changed::No;
    let blocks = func.layout.blocks.clone();
    let entry = func.entry();
    // The parameters that stay, for blocks that lose some.
    let mut kept: SecondaryMap<Block, Option<SmallVec<[bool; 8]>>> = SecondaryMap::new();
    for &block in &blocks {
        let insts = &mut func.layout.insts[block];
        let before = insts.len();
        insts.retain(|&inst| live_insts.contains(inst));
        changed |= Changed::from_bool(insts.len() != before);
        let params = &func.blocks[block].params;
        if Some(block) != entry && params.iter().any(|&param| !live_values.contains(param)) {
            let keep: SmallVec<[bool; 8]> = params
                .iter()
                .map(|&param| live_values.contains(param))
                .collect();
            func.retain_params(block, |index, _| keep[index]);
            kept[block] = Some(keep);
            changed = Changed::Yes;
        }
    }
    if changed.is_yes() {
        for &block in &blocks {
            let Some(inst) = func.terminator(block) else {
                continue;
            };
            for call in func.insts[inst].kind.successors_mut() {
                if let Some(keep) = &kept[call.block] {
                    let mut index = 0;
                    call.args.retain(|_| {
                        index += 1;
                        keep[index - 1]
                    });
                }
            }
        }
    }
    changed
}

/// Removes functions and variables that no kernel leads to, and renumbers the others.
pub fn run_module(module: &mut Module, _ctx: &Ctx<'_>) -> Changed {
    let mut live_funcs: EntitySet<FuncId> = EntitySet::new();
    let mut live_globals: EntitySet<GlobalId> = EntitySet::new();
    let mut work: Vec<FuncId> = module.roots().collect();
    let mut global_work: Vec<GlobalId> = Vec::new();
    while let Some(id) = work.pop() {
        if !live_funcs.insert(id) {
            continue;
        }
        let func = &module.functions[id];
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                match func.insts[inst].kind {
                    InstKind::Call { func, .. } => work.push(func),
                    InstKind::GlobalAddr { global } => global_work.push(global),
                    _ => {}
                }
            }
        }
    }
    while let Some(id) = global_work.pop() {
        if live_globals.insert(id) {
            global_work.extend(module.globals[id].relocations.iter().map(|r| r.target));
        }
    }
    let all = module.functions.keys().all(|id| live_funcs.contains(id))
        && module.globals.keys().all(|id| live_globals.contains(id));
    if all {
        return Changed::No;
    }

    let mut new_funcs: SecondaryMap<FuncId, PackedOption<FuncId>> = SecondaryMap::new();
    let mut functions: PrimaryMap<FuncId, Function> = PrimaryMap::new();
    for (id, func) in std::mem::take(&mut module.functions) {
        if live_funcs.contains(id) {
            new_funcs[id] = functions.push(func).into();
        }
    }
    let mut new_globals: SecondaryMap<GlobalId, PackedOption<GlobalId>> = SecondaryMap::new();
    let mut globals: PrimaryMap<GlobalId, GlobalData> = PrimaryMap::new();
    for (id, global) in std::mem::take(&mut module.globals) {
        if live_globals.contains(id) {
            new_globals[id] = globals.push(global).into();
        }
    }
    // Whatever is live refers only to what is live.
    let new_func = |id: FuncId| new_funcs[id].expand().unwrap_or(id);
    let new_global = |id: GlobalId| new_globals[id].expand().unwrap_or(id);
    for func in functions.values_mut() {
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                match &mut func.insts[inst].kind {
                    InstKind::Call { func, .. } => *func = new_func(*func),
                    InstKind::GlobalAddr { global } => *global = new_global(*global),
                    _ => {}
                }
            }
        }
    }
    for global in globals.values_mut() {
        for relocation in &mut global.relocations {
            relocation.target = new_global(relocation.target);
        }
    }
    for kernel in &mut module.kernels {
        kernel.func = new_func(kernel.func);
    }
    module.functions = functions;
    module.globals = globals;
    Changed::Yes
}
