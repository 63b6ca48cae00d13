//! Word builder for one SPIR-V module.
//!
//! Sections are plain word vectors joined at the end; types and constants are hash-consed
//! by their encoded operands, so asking twice gives the same id.

use pumice_budget as budget;
use pumice_spirv::string_words;
use rspirv::spirv::{Capability, Decoration, GlslStd450Op, Op, StorageClass};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// A SPIR-V result id.
pub(crate) type Id = u32;

/// The parts of a function under construction.
#[derive(Default)]
pub(crate) struct FunctionWords {
    /// OpFunction and its parameters.
    pub head: Vec<u32>,
    /// Function-storage variables: the first instructions of the entry block.
    pub variables: Vec<u32>,
    /// Everything else; the entry block's OpLabel comes from `entry`.
    pub body: Vec<u32>,
    /// The entry block's label.
    pub entry: Id,
}

/// A module under construction.
pub(crate) struct Builder {
    version: (u8, u8),
    next: Id,
    capabilities: BTreeSet<u32>,
    imports: Vec<u32>,
    glsl: Option<Id>,
    amd_ballot: Option<Id>,
    extensions: BTreeSet<&'static str>,
    memory_model: Vec<u32>,
    entry_points: Vec<u32>,
    modes: Vec<u32>,
    names: Vec<u32>,
    annotations: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    interned: FxHashMap<SmallVec<[u32; 8]>, Id>,
    /// The 32-bit constants, by id.
    words: FxHashMap<Id, u32>,
    /// The function being written.
    pub f: FunctionWords,
}

/// Appends one instruction.
pub(crate) fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    // In a section, in the finished module and in the table of known instructions.
    budget::spend(12 * (operands.len() as u64 + 1));
    words.push(((operands.len() as u32 + 1) << 16) | op as u32);
    words.extend_from_slice(operands);
}

impl Builder {
    /// An empty module of the given SPIR-V version.
    pub fn new(version: (u8, u8)) -> Self {
        Self {
            version,
            next: 1,
            capabilities: BTreeSet::new(),
            imports: Vec::new(),
            glsl: None,
            amd_ballot: None,
            extensions: BTreeSet::new(),
            memory_model: Vec::new(),
            entry_points: Vec::new(),
            modes: Vec::new(),
            names: Vec::new(),
            annotations: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            interned: FxHashMap::default(),
            words: FxHashMap::default(),
            f: FunctionWords::default(),
        }
    }

    /// A fresh id.
    pub fn id(&mut self) -> Id {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Declares a capability.
    pub fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Returns whether a capability is declared.
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(&(capability as u32))
    }

    /// Declares the use of an extension of SPIR-V.
    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// Imports an extended instruction set.
    pub fn import_set(&mut self, name: &str) -> Id {
        let id = self.id();
        let mut operands = vec![id];
        operands.extend(string_words(name));
        push(&mut self.imports, Op::ExtInstImport, &operands);
        id
    }

    /// Sets the addressing and memory model.
    pub fn memory_model(&mut self, addressing: u32, model: u32) {
        self.memory_model.clear();
        push(
            &mut self.memory_model,
            Op::MemoryModel,
            &[addressing, model],
        );
    }

    /// Adds a GLCompute entry point.
    pub fn entry_point(&mut self, function: Id, name: &str, interface: &[Id]) {
        const GL_COMPUTE: u32 = 5;
        let mut operands = vec![GL_COMPUTE, function];
        operands.extend(string_words(name));
        operands.extend_from_slice(interface);
        push(&mut self.entry_points, Op::EntryPoint, &operands);
    }

    /// Adds an execution mode; `operands` start with the entry point.
    pub fn execution_mode(&mut self, operands: &[u32]) {
        push(&mut self.modes, Op::ExecutionMode, operands);
    }

    /// Adds an execution mode whose operands are ids.
    pub fn execution_mode_id(&mut self, operands: &[u32]) {
        push(&mut self.modes, Op::ExecutionModeId, operands);
    }

    /// Names an id, for people who read dumps.
    pub fn name(&mut self, id: Id, name: &str) {
        if name.is_empty() {
            return;
        }
        let mut operands = vec![id];
        operands.extend(string_words(name));
        push(&mut self.names, Op::Name, &operands);
    }

    /// Decorates an id.
    pub fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        let mut all: SmallVec<[u32; 4]> = SmallVec::from_slice(&[id, decoration as u32]);
        all.extend_from_slice(operands);
        push(&mut self.annotations, Op::Decorate, &all);
    }

    /// Decorates an id; the operands are ids.
    pub fn decorate_id(&mut self, id: Id, decoration: Decoration, operands: &[Id]) {
        let mut all: SmallVec<[u32; 4]> = SmallVec::from_slice(&[id, decoration as u32]);
        all.extend_from_slice(operands);
        push(&mut self.annotations, Op::DecorateId, &all);
    }

    /// Decorates a struct member.
    pub fn decorate_member(&mut self, id: Id, member: u32, deco: Decoration, operands: &[u32]) {
        let mut all: SmallVec<[u32; 4]> = SmallVec::from_slice(&[id, member, deco as u32]);
        all.extend_from_slice(operands);
        push(&mut self.annotations, Op::MemberDecorate, &all);
    }

    /// A type: equal operands give the same id.
    pub fn ty(&mut self, op: Op, operands: &[u32]) -> Id {
        let mut key: SmallVec<[u32; 8]> = SmallVec::from_slice(&[op as u32]);
        key.extend_from_slice(operands);
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.id();
        let mut all: SmallVec<[u32; 8]> = SmallVec::from_slice(&[id]);
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        self.interned.insert(key, id);
        id
    }

    /// A type of its own, even if an equal one exists (for decorated arrays and structs).
    pub fn fresh_ty(&mut self, op: Op, operands: &[u32]) -> Id {
        let id = self.id();
        let mut all: SmallVec<[u32; 8]> = SmallVec::from_slice(&[id]);
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        id
    }

    /// A constant instruction with a result type: equal operands give the same id.
    pub fn constant_op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let mut key: SmallVec<[u32; 8]> = SmallVec::from_slice(&[op as u32 | 1 << 16, ty]);
        key.extend_from_slice(operands);
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.fresh_constant(op, ty, operands);
        self.interned.insert(key, id);
        id
    }

    /// A constant of its own (specialization constants).
    pub fn fresh_constant(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        let mut all: SmallVec<[u32; 8]> = SmallVec::from_slice(&[ty, id]);
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        id
    }

    /// OpSpecConstantOp.
    pub fn spec_op(&mut self, op: Op, ty: Id, operands: &[Id]) -> Id {
        let mut all: SmallVec<[u32; 8]> = SmallVec::from_slice(&[op as u32]);
        all.extend_from_slice(operands);
        self.fresh_constant(Op::SpecConstantOp, ty, &all)
    }

    /// A module-scope variable.
    pub fn variable(&mut self, pointer_ty: Id, class: StorageClass) -> Id {
        self.fresh_constant(Op::Variable, pointer_ty, &[class as u32])
    }

    /// void.
    pub fn void(&mut self) -> Id {
        self.ty(Op::TypeVoid, &[])
    }

    /// bool.
    pub fn bool(&mut self) -> Id {
        self.ty(Op::TypeBool, &[])
    }

    /// An integer type (signedness 0), with its capability.
    pub fn int(&mut self, bits: u32) -> Id {
        match bits {
            8 => self.capability(Capability::Int8),
            16 => self.capability(Capability::Int16),
            64 => self.capability(Capability::Int64),
            _ => {}
        }
        self.ty(Op::TypeInt, &[bits, 0])
    }

    /// A float type, with its capability.
    pub fn float(&mut self, bits: u32) -> Id {
        match bits {
            16 => self.capability(Capability::Float16),
            64 => self.capability(Capability::Float64),
            _ => {}
        }
        self.ty(Op::TypeFloat, &[bits])
    }

    /// A vector type, or the element itself for one lane.
    pub fn vector(&mut self, element: Id, lanes: u32) -> Id {
        if lanes == 1 {
            return element;
        }
        self.ty(Op::TypeVector, &[element, lanes])
    }

    /// A pointer type.
    pub fn pointer(&mut self, class: StorageClass, pointee: Id) -> Id {
        self.ty(Op::TypePointer, &[class as u32, pointee])
    }

    /// An integer constant of the given width.
    pub fn const_int(&mut self, bits: u32, value: u64) -> Id {
        let ty = self.int(bits);
        match bits {
            64 => self.constant_op(Op::Constant, ty, &[value as u32, (value >> 32) as u32]),
            32 => {
                let id = self.constant_op(Op::Constant, ty, &[value as u32]);
                self.words.insert(id, value as u32);
                id
            }
            _ => {
                // Narrow literals with signedness 0 are zero-extended.
                let mask = (1u64 << bits) - 1;
                self.constant_op(Op::Constant, ty, &[(value & mask) as u32])
            }
        }
    }

    /// The value of a 32-bit constant.
    pub fn word(&self, id: Id) -> Option<u32> {
        self.words.get(&id).copied()
    }

    /// A u32 constant.
    pub fn u32(&mut self, value: u32) -> Id {
        self.const_int(32, u64::from(value))
    }

    /// The GLSL.std.450 set.
    pub fn glsl_set(&mut self) -> Id {
        if let Some(id) = self.glsl {
            return id;
        }
        let id = self.import_set("GLSL.std.450");
        self.glsl = Some(id);
        id
    }

    /// SPV_AMD_shader_ballot's extended instructions.
    pub fn amd_ballot_set(&mut self) -> Id {
        const NAME: &str = "SPV_AMD_shader_ballot";
        if let Some(id) = self.amd_ballot {
            return id;
        }
        self.extension(NAME);
        let id = self.import_set(NAME);
        self.amd_ballot = Some(id);
        id
    }

    /// An instruction with a result in the current function.
    pub fn op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        if let &[a, b] = operands {
            match (self.words.get(&a).copied(), self.words.get(&b).copied()) {
                (Some(a), Some(b)) => {
                    if let Some(result) = folded(op, a, b) {
                        return self.u32(result);
                    }
                }
                (Some(0), None) if op == Op::IAdd => return b,
                (None, Some(0)) if op == Op::IAdd => return a,
                _ => {}
            }
        }
        let id = self.id();
        self.op_with_id(op, ty, id, operands);
        id
    }

    /// An instruction whose result id is already known.
    pub fn op_with_id(&mut self, op: Op, ty: Id, id: Id, operands: &[u32]) {
        let body = &mut self.f.body;
        body.push(((operands.len() as u32 + 3) << 16) | op as u32);
        body.push(ty);
        body.push(id);
        body.extend_from_slice(operands);
    }

    /// An instruction without a result in the current function.
    pub fn stmt(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.f.body, op, operands);
    }

    /// A GLSL.std.450 instruction.
    pub fn glsl(&mut self, inst: GlslStd450Op, ty: Id, args: &[Id]) -> Id {
        let set = self.glsl_set();
        let mut operands: SmallVec<[u32; 6]> = SmallVec::from_slice(&[set, inst as u32]);
        operands.extend_from_slice(args);
        self.op(Op::ExtInst, ty, &operands)
    }

    /// A Function-storage variable of the current function.
    pub fn local_variable(&mut self, pointer_ty: Id) -> Id {
        let id = self.id();
        push(
            &mut self.f.variables,
            Op::Variable,
            &[pointer_ty, id, StorageClass::Function as u32],
        );
        id
    }

    /// Ends the current function and starts anew.
    pub fn finish_function(&mut self) {
        let f = std::mem::take(&mut self.f);
        self.functions.extend(f.head);
        push(&mut self.functions, Op::Label, &[f.entry]);
        self.functions.extend(f.variables);
        self.functions.extend(f.body);
        push(&mut self.functions, Op::FunctionEnd, &[]);
    }

    /// Joins the sections.
    pub fn finish(self) -> Vec<u32> {
        const MAGIC: u32 = 0x0723_0203;
        // Pumice has no registered generator number yet: tool 0.
        const GENERATOR: u32 = 0;
        let mut words = vec![
            MAGIC,
            (u32::from(self.version.0) << 16) | (u32::from(self.version.1) << 8),
            GENERATOR,
            self.next,
            0,
        ];
        for capability in &self.capabilities {
            push(&mut words, Op::Capability, &[*capability]);
        }
        for name in &self.extensions {
            push(&mut words, Op::Extension, &string_words(name));
        }
        for section in [
            self.imports,
            self.memory_model,
            self.entry_points,
            self.modes,
            self.names,
            self.annotations,
            self.globals,
            self.functions,
        ] {
            words.extend(section);
        }
        words
    }
}

/// The result of an instruction of address arithmetic on two constants.
fn folded(op: Op, a: u32, b: u32) -> Option<u32> {
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::BitwiseAnd => a & b,
        Op::ShiftLeftLogical => a.checked_shl(b)?,
        Op::ShiftRightLogical => a.checked_shr(b)?,
        _ => return None,
    })
}
