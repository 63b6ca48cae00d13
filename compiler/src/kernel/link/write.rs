//! The merged module's words.

use pumice_spirv as spirv;
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Linker;
use crate::kernel::compat::cast_call;
use crate::kernel::merge::{Inst, Sections, opcode, recount, result_positions, text_at};

/// The version from which an entry point's interface names every variable that it uses.
const ALL_GLOBALS: u32 = 0x1_0400;

impl Linker {
    /// Writes the merged module.
    pub(super) fn write(mut self) -> Vec<u32> {
        let modules = std::mem::take(&mut self.modules);
        let version = modules.iter().map(|m| m.version).max().unwrap_or(0x1_0200);
        self.drop_contents(&modules);
        let mut out = vec![spirv::MAGIC, version, 0, 0, 0];
        let mut seen = FxHashSet::default();
        for capability in modules.iter().flat_map(|m| &m.capabilities) {
            if seen.insert(*capability) {
                spirv::push_inst(&mut out, spirv::op::CAPABILITY, &[*capability]);
            }
        }
        let mut seen = FxHashSet::default();
        for extension in modules.iter().flat_map(|m| &m.extensions) {
            if seen.insert(extension.clone()) {
                out.extend(extension);
            }
        }
        for (id, name) in modules.iter().flat_map(|m| &m.imports) {
            if !self.map.is_replaced(*id) {
                let name = spirv::string_words(name);
                spirv::push_parts(&mut out, spirv::op::EXT_INST_IMPORT, [&[*id], &name]);
            }
        }
        if let Some((addressing, memory)) = modules[0].memory_model {
            spirv::push_inst(&mut out, spirv::op::MEMORY_MODEL, &[addressing, memory]);
        }
        let sections: [fn(&Sections) -> &Vec<Inst>; 3] =
            [|m| &m.entry_points, |m| &m.execution_modes, |m| &m.strings];
        for section in sections {
            for inst in modules.iter().flat_map(section) {
                let mut inst = inst.clone();
                if opcode(&inst) == Op::EntryPoint as u32 {
                    self.list_variables(&mut inst, &modules, version);
                }
                self.push(&mut out, inst);
            }
        }
        for inst in modules.iter().flat_map(|m| &m.names) {
            if opcode(inst) == Op::ModuleProcessed as u32 || self.is_kept(inst[1]) {
                self.push(&mut out, inst.clone());
            }
        }
        for inst in modules.iter().flat_map(|m| &m.decorations) {
            self.push_decoration(&mut out, inst);
        }
        self.push_globals(&mut out, &modules);
        let functions = || modules.iter().flat_map(|m| &m.functions);
        for body in [false, true] {
            for function in functions().filter(|f| f.has_body == body) {
                if !self.dropped.contains(&function.id) {
                    for inst in &function.insts {
                        self.push_body(&mut out, inst);
                    }
                }
            }
        }
        out[3] = self.bound;
        out
    }

    /// Drops the ids defined in dropped functions too, so that nothing decorates or names them.
    fn drop_contents(&mut self, modules: &[Sections]) {
        for function in modules.iter().flat_map(|m| &m.functions) {
            if self.dropped.contains(&function.id) {
                for inst in &function.insts {
                    if let Some(at) = result_positions(inst).1 {
                        self.dropped.insert(inst[at]);
                    }
                }
            }
        }
    }

    /// Completes an entry point's interface to all variables, which functions of another
    /// program may use: input, and from SPIR-V 1.4 on those of every storage class.
    fn list_variables(&self, entry: &mut Inst, modules: &[Sections], version: u32) {
        let (_, name_end) = text_at(entry, 3);
        let listed: FxHashSet<u32> = entry[name_end..].iter().copied().collect();
        for inst in modules.iter().flat_map(|m| &m.globals) {
            let is_listed = opcode(inst) == Op::Variable as u32
                && (version >= ALL_GLOBALS || inst[3] == StorageClass::Input as u32);
            if is_listed && self.is_kept(inst[2]) && !listed.contains(&inst[2]) {
                entry.push(inst[2]);
            }
        }
        recount(entry);
    }

    fn is_kept(&self, id: u32) -> bool {
        !self.map.is_replaced(id) && !self.dropped.contains(&id)
    }

    fn push(&mut self, out: &mut Vec<u32>, mut inst: Inst) {
        self.renamer.rename(&mut inst, &self.map);
        out.extend(inst);
    }

    /// An instruction of a function; a call may need casts.
    fn push_body(&mut self, out: &mut Vec<u32>, inst: &Inst) {
        let is_call = opcode(inst) == Op::FunctionCall as u32;
        let Some(cast) = self
            .casts
            .get(&inst[inst.len().min(4) - 1])
            .filter(|_| is_call)
        else {
            self.push(out, inst.clone());
            return;
        };
        let mut bound = self.bound;
        let fresh = || {
            bound += 1;
            bound - 1
        };
        let insts = cast_call(inst, cast, fresh);
        self.bound = bound;
        for inst in insts {
            self.push(out, inst);
        }
    }

    fn push_decoration(&mut self, out: &mut Vec<u32>, inst: &Inst) {
        let step = match Op::from_u32(opcode(inst)) {
            Some(Op::GroupDecorate) => 1,
            Some(Op::GroupMemberDecorate) => 2,
            _ => {
                if self.is_kept(inst[1]) {
                    self.push(out, inst.clone());
                }
                return;
            }
        };
        let mut kept = vec![inst[0], inst[1]];
        for target in inst[2..].chunks(step) {
            if self.is_kept(target[0]) {
                kept.extend(target);
            }
        }
        recount(&mut kept);
        self.push(out, kept);
    }

    /// Globals in an order in which every operand precedes its use.
    fn push_globals(&mut self, out: &mut Vec<u32>, modules: &[Sections]) {
        let mut insts: Vec<Inst> = Vec::new();
        let mut owner: FxHashMap<u32, usize> = FxHashMap::default();
        let mut forward: FxHashSet<u32> = FxHashSet::default();
        for inst in modules.iter().flat_map(|m| &m.globals) {
            if opcode(inst) == Op::TypeForwardPointer as u32 {
                // The pointer itself may come later: no ordering edge to it.
                forward.insert(inst[1]);
                out.extend(inst);
                continue;
            }
            if let Some(at) = result_positions(inst).1 {
                if !self.is_kept(inst[at]) {
                    continue;
                }
                owner.insert(inst[at], insts.len());
            }
            let mut inst = inst.clone();
            self.renamer.rename(&mut inst, &self.map);
            insts.push(inst);
        }
        let mut state = vec![0u8; insts.len()];
        let mut stack: Vec<usize> = Vec::new();
        for root in 0..insts.len() {
            stack.push(root);
            while let Some(&top) = stack.last() {
                if state[top] == 2 {
                    stack.pop();
                    continue;
                }
                let first_visit = state[top] == 0;
                state[top] = 1;
                let own = result_positions(&insts[top]).1;
                let mut waits = false;
                if first_visit {
                    for at in self.renamer.ids(&insts[top]).to_vec() {
                        let id = insts[top][at];
                        if Some(at) == own || forward.contains(&id) {
                            continue;
                        }
                        if let Some(next) = owner.get(&id) {
                            if state[*next] == 0 {
                                stack.push(*next);
                                waits = true;
                            }
                        }
                    }
                }
                if !waits {
                    state[top] = 2;
                    out.extend(&insts[top]);
                    stack.pop();
                }
            }
        }
    }
}
