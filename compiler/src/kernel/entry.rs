//! Kernels that another program calls (`extern __kernel void f(...)` there).
//!
//! An entry point must not be called (SPIR-V 2.16.1), so such a kernel keeps its function and
//! gets a second one, which only calls it, as its entry point.

use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use super::merge::{Function, Inst, Sections, inst, opcode};

/// Makes a wrapper of `kernel` the entry point; ids from `bound` on are free.
pub fn wrap(modules: &mut [Sections], kernel: u32, bound: &mut u32) {
    let mut fresh = || {
        *bound += 1;
        *bound - 1
    };
    let owner = modules
        .iter_mut()
        .find(|m| m.functions.iter().any(|f| f.id == kernel));
    let Some(module) = owner else { return };
    let Some(function) = module.functions.iter().find(|f| f.id == kernel) else {
        return;
    };
    let head = &function.insts[0];
    let (result, ty) = (head[1], head[4]);
    // The wrapper's function and parameters by the kernel's.
    let mut copies: FxHashMap<u32, u32> = FxHashMap::default();
    let wrapper = fresh();
    copies.insert(kernel, wrapper);
    let mut insts = vec![inst(Op::Function, &[result, wrapper, 0, ty])];
    let mut call = vec![result, fresh(), kernel];
    for param in &function.insts {
        if opcode(param) == Op::FunctionParameter as u32 {
            let copy = fresh();
            copies.insert(param[2], copy);
            insts.push(inst(Op::FunctionParameter, &[param[1], copy]));
            call.push(copy);
        }
    }
    insts.push(inst(Op::Label, &[fresh()]));
    insts.push(inst(Op::FunctionCall, &call));
    insts.push(inst(Op::Return, &[]));
    insts.push(inst(Op::FunctionEnd, &[]));
    module.functions.push(Function {
        id: wrapper,
        insts,
        has_body: true,
    });
    for list in [&mut module.names, &mut module.decorations] {
        let copied: Vec<Inst> = list
            .iter()
            .filter(|old| [Op::Name as u32, Op::Decorate as u32].contains(&opcode(old)))
            .filter_map(|old| {
                let copy = copies.get(&old[1])?;
                let mut new = old.clone();
                new[1] = *copy;
                Some(new)
            })
            .collect();
        list.extend(copied);
    }
    for entry in &mut module.entry_points {
        if entry[2] == kernel {
            entry[2] = wrapper;
        }
    }
    for mode in &mut module.execution_modes {
        if mode[1] == kernel {
            mode[1] = wrapper;
        }
    }
}
