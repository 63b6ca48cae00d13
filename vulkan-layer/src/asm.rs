//! A small SPIR-V assembler for start-up probes and tests: it puts instructions into their
//! sections and gives equal types and constants one id. It checks nothing.

use std::collections::HashMap;

use pumice_spirv::{MAGIC, op, push_inst, push_string};

/// Storage classes.
pub mod class {
    /// UniformConstant
    pub const UNIFORM_CONSTANT: u32 = 0;
    /// Input
    pub const INPUT: u32 = 1;
    /// Uniform
    pub const UNIFORM: u32 = 2;
    /// Workgroup
    pub const WORKGROUP: u32 = 4;
    /// Function
    pub const FUNCTION: u32 = 7;
    /// PushConstant
    pub const PUSH_CONSTANT: u32 = 9;
    /// StorageBuffer
    pub const STORAGE_BUFFER: u32 = 12;
    /// PhysicalStorageBuffer
    pub const PHYSICAL: u32 = 5349;
}

/// A module under construction.
#[derive(Debug, Default)]
pub struct Module {
    next: u32,
    capabilities: Vec<u32>,
    extensions: Vec<u32>,
    imports: Vec<u32>,
    entry_points: Vec<u32>,
    modes: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    code: Vec<u32>,
    interned: HashMap<(u16, Vec<u32>), u32>,
    interface: Vec<u32>,
    physical: bool,
}

impl Module {
    /// An empty module with capability Shader.
    pub fn new() -> Self {
        let mut module = Self {
            next: 1,
            ..Self::default()
        };
        module.capability(1);
        module
    }

    /// A fresh id.
    pub fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// OpCapability; 5347 (PhysicalStorageBufferAddresses) also selects the addressing model.
    pub fn capability(&mut self, capability: u32) {
        self.physical |= capability == 5347;
        push_inst(&mut self.capabilities, op::CAPABILITY, &[capability]);
    }

    /// OpExtension.
    pub fn extension(&mut self, name: &str) {
        let mut operands = Vec::new();
        push_string(&mut operands, name.as_bytes());
        push_inst(&mut self.extensions, op::EXTENSION, &operands);
    }

    /// OpExtInstImport.
    pub fn import(&mut self, name: &str) -> u32 {
        let id = self.id();
        let mut operands = vec![id];
        push_string(&mut operands, name.as_bytes());
        push_inst(&mut self.imports, op::EXT_INST_IMPORT, &operands);
        id
    }

    /// OpDecorate.
    pub fn decorate(&mut self, target: u32, decoration: u32, operands: &[u32]) {
        let words = [&[target, decoration], operands].concat();
        push_inst(&mut self.decorations, op::DECORATE, &words);
    }

    /// OpMemberDecorate.
    pub fn member_decorate(&mut self, target: u32, member: u32, decoration: u32, operands: &[u32]) {
        let words = [&[target, member, decoration], operands].concat();
        push_inst(&mut self.decorations, op::MEMBER_DECORATE, &words);
    }

    /// A type: the opcode with its operands after the result id. Equal ones share an id.
    pub fn ty(&mut self, opcode: u16, operands: &[u32]) -> u32 {
        let key = (opcode, operands.to_vec());
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.unique_ty(opcode, operands);
        self.interned.insert(key, id);
        id
    }

    /// A type with an id of its own, to be decorated.
    pub fn unique_ty(&mut self, opcode: u16, operands: &[u32]) -> u32 {
        let id = self.id();
        push_inst(&mut self.globals, opcode, &[&[id], operands].concat());
        id
    }

    /// OpTypeVoid.
    pub fn void(&mut self) -> u32 {
        self.ty(op::TYPE_VOID, &[])
    }

    /// OpTypeInt, unsigned.
    pub fn uint(&mut self, width: u32) -> u32 {
        self.ty(op::TYPE_INT, &[width, 0])
    }

    /// OpTypeFloat.
    pub fn float(&mut self, width: u32) -> u32 {
        self.ty(op::TYPE_FLOAT, &[width])
    }

    /// OpTypeVector.
    pub fn vector(&mut self, of: u32, count: u32) -> u32 {
        self.ty(op::TYPE_VECTOR, &[of, count])
    }

    /// OpTypePointer.
    pub fn pointer(&mut self, class: u32, to: u32) -> u32 {
        self.ty(op::TYPE_POINTER, &[class, to])
    }

    /// OpConstant of a type with its literal words. Equal ones share an id.
    pub fn constant(&mut self, ty: u32, words: &[u32]) -> u32 {
        let key = (op::CONSTANT, [&[ty], words].concat());
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.id();
        push_inst(
            &mut self.globals,
            op::CONSTANT,
            &[&[ty, id], words].concat(),
        );
        self.interned.insert(key, id);
        id
    }

    /// A 32-bit unsigned OpConstant.
    pub fn u32(&mut self, value: u32) -> u32 {
        let ty = self.uint(32);
        self.constant(ty, &[value])
    }

    /// A 32-bit unsigned OpSpecConstant with a specialization id.
    pub fn spec_u32(&mut self, spec_id: u32, default: u32) -> u32 {
        let ty = self.uint(32);
        let id = self.id();
        push_inst(&mut self.globals, op::SPEC_CONSTANT, &[ty, id, default]);
        self.decorate(id, 1, &[spec_id]);
        id
    }

    /// A module-level instruction with a result type and id.
    pub fn global(&mut self, opcode: u16, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        push_inst(&mut self.globals, opcode, &[&[ty, id], operands].concat());
        id
    }

    /// A module-level OpVariable; Input ones join the interface of entry points made later.
    pub fn variable(&mut self, class: u32, of: u32) -> u32 {
        let pointer = self.pointer(class, of);
        let id = self.global(op::VARIABLE, pointer, &[class]);
        if class == class::INPUT {
            self.interface.push(id);
        }
        id
    }

    /// A uvec3 Input variable with that built-in.
    pub fn builtin3(&mut self, built_in: u32) -> u32 {
        let uint = self.uint(32);
        let uvec3 = self.vector(uint, 3);
        let id = self.variable(class::INPUT, uvec3);
        self.decorate(id, 11, &[built_in]);
        id
    }

    /// A block with members of these types at these offsets, as a variable; for storage classes
    /// with an explicit layout.
    pub fn block(&mut self, class: u32, members: &[(u32, u32)]) -> u32 {
        let types: Vec<u32> = members.iter().map(|member| member.0).collect();
        let block = self.unique_ty(op::TYPE_STRUCT, &types);
        self.decorate(block, 2, &[]);
        for (index, member) in (0..).zip(members) {
            self.member_decorate(block, index, 35, &[member.1]);
        }
        self.variable(class, block)
    }

    /// A runtime array of 4-byte words in a storage buffer block at a set and binding, as a
    /// variable.
    pub fn word_buffer(&mut self, set: u32, binding: u32) -> u32 {
        let uint = self.uint(32);
        self.array_buffer(uint, 4, set, binding)
    }

    /// The same with elements of type `of` and `stride` bytes.
    pub fn array_buffer(&mut self, of: u32, stride: u32, set: u32, binding: u32) -> u32 {
        let array = self.unique_ty(29, &[of]);
        self.decorate(array, 6, &[stride]);
        let variable = self.block(class::STORAGE_BUFFER, &[(array, 0)]);
        self.decorate(variable, 34, &[set]);
        self.decorate(variable, 33, &[binding]);
        variable
    }

    /// Begins `void name()` as a GLCompute entry point.
    pub fn begin(&mut self, name: &str) -> u32 {
        let void = self.void();
        let ty = self.ty(33, &[void]);
        let function = self.id();
        let mut entry = vec![5, function];
        push_string(&mut entry, name.as_bytes());
        entry.extend(&self.interface);
        push_inst(&mut self.entry_points, op::ENTRY_POINT, &entry);
        push_inst(&mut self.code, op::FUNCTION, &[void, function, 0, ty]);
        let label = self.id();
        push_inst(&mut self.code, 248, &[label]);
        function
    }

    /// OpExecutionMode.
    pub fn mode(&mut self, function: u32, mode: u32, operands: &[u32]) {
        let words = [&[function, mode], operands].concat();
        push_inst(&mut self.modes, op::EXECUTION_MODE, &words);
    }

    /// A work-group size of three specialization constants.
    pub fn spec_group_size(&mut self, ids: [u32; 3]) {
        let uint = self.uint(32);
        let uvec3 = self.vector(uint, 3);
        let parts = ids.map(|id| self.spec_u32(id, 1));
        let size = self.global(op::SPEC_CONSTANT_COMPOSITE, uvec3, &parts);
        self.decorate(size, 11, &[25]);
    }

    /// An instruction of the current function with a result.
    pub fn op(&mut self, opcode: u16, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        push_inst(&mut self.code, opcode, &[&[ty, id], operands].concat());
        id
    }

    /// An instruction of the current function without a result.
    pub fn op0(&mut self, opcode: u16, operands: &[u32]) {
        push_inst(&mut self.code, opcode, operands);
    }

    /// OpLoad.
    pub fn load(&mut self, ty: u32, pointer: u32) -> u32 {
        self.op(61, ty, &[pointer])
    }

    /// OpAccessChain into `base` and OpLoad, by constant and other indices.
    pub fn load_at(&mut self, class: u32, ty: u32, base: u32, indices: &[u32]) -> u32 {
        let pointer = self.access(class, ty, base, indices);
        self.load(ty, pointer)
    }

    /// OpAccessChain.
    pub fn access(&mut self, class: u32, ty: u32, base: u32, indices: &[u32]) -> u32 {
        let pointer = self.pointer(class, ty);
        self.op(65, pointer, &[&[base], indices].concat())
    }

    /// A pointer of `ty` to the address `address` (a 64-bit integer) plus `offset` (a 32-bit
    /// integer).
    pub fn at_address(&mut self, ty: u32, address: u32, offset: u32) -> u32 {
        let ulong = self.uint(64);
        let wide = self.op(113, ulong, &[offset]);
        let sum = self.op(128, ulong, &[address, wide]);
        let pointer = self.pointer(class::PHYSICAL, ty);
        self.op(120, pointer, &[sum])
    }

    /// OpLoad with Aligned.
    pub fn load_aligned(&mut self, ty: u32, pointer: u32, alignment: u32) -> u32 {
        self.op(61, ty, &[pointer, 2, alignment])
    }

    /// OpStore with Aligned.
    pub fn store_aligned(&mut self, pointer: u32, value: u32, alignment: u32) {
        self.op0(62, &[pointer, value, 2, alignment]);
    }

    /// OpReturn and OpFunctionEnd.
    pub fn end(&mut self) {
        self.op0(253, &[]);
        self.op0(op::FUNCTION_END, &[]);
    }

    /// The module's words, SPIR-V 1.3.
    pub fn finish(self) -> Vec<u32> {
        let mut out = vec![MAGIC, 0x0001_0300, 0, self.next, 0];
        out.extend(self.capabilities);
        out.extend(self.extensions);
        out.extend(self.imports);
        let addressing = if self.physical { 5348 } else { 0 };
        push_inst(&mut out, op::MEMORY_MODEL, &[addressing, 1]);
        for section in [
            self.entry_points,
            self.modes,
            self.decorations,
            self.globals,
            self.code,
        ] {
            out.extend(section);
        }
        out
    }
}
