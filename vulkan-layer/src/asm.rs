//! A small SPIR-V assembler for start-up probes and tests: it puts instructions into their
//! sections and gives equal types and constants one id. It checks nothing.

use pumice_spirv::{
    AddressingModel, Builder, Capability, Decoration, ExecutionMode, ExecutionModel,
    FunctionControl, MemoryModel, Op, op,
};

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

/// A module under construction. Its opcodes and enumerants are SPIR-V's numbers.
#[derive(Debug)]
pub struct Module {
    builder: Builder,
    interface: Vec<u32>,
}

impl Default for Module {
    fn default() -> Self {
        Self::new()
    }
}

/// The enumerant of a number.
fn known<T>(enumerant: Option<T>) -> T {
    enumerant.expect("a number of SPIR-V's grammar")
}

fn op_of(opcode: u16) -> Op {
    known(Op::from_u32(opcode.into()))
}

impl Module {
    /// An empty module of SPIR-V 1.3 with capability Shader.
    pub fn new() -> Self {
        let mut builder = Builder::new((1, 3), Capability::Float16, |_| ());
        builder.capability(Capability::Shader);
        Self {
            builder,
            interface: Vec::new(),
        }
    }

    /// A fresh id.
    pub fn id(&mut self) -> u32 {
        self.builder.id()
    }

    /// OpCapability; 5347 (PhysicalStorageBufferAddresses) also selects the addressing model, 5345 (VulkanMemoryModel)
    /// the memory model.
    pub fn capability(&mut self, capability: u32) {
        let capability = known(Capability::from_u32(capability));
        if capability == Capability::PhysicalStorageBufferAddresses {
            let model = AddressingModel::PhysicalStorageBuffer64;
            self.builder.memory_model(model, MemoryModel::GLSL450);
        }
        if capability == Capability::VulkanMemoryModel {
            let model = AddressingModel::Logical;
            self.builder.memory_model(model, MemoryModel::Vulkan);
        }
        self.builder.capability(capability);
    }

    /// OpExtension.
    pub fn extension(&mut self, name: &'static str) {
        self.builder.extension(name);
    }

    /// OpExtInstImport.
    pub fn import(&mut self, name: &str) -> u32 {
        self.builder.import(name)
    }

    /// OpDecorate.
    pub fn decorate(&mut self, target: u32, decoration: u32, operands: &[u32]) {
        let decoration = known(Decoration::from_u32(decoration));
        self.builder.decorate(target, decoration, operands);
    }

    /// OpMemberDecorate.
    pub fn member_decorate(&mut self, target: u32, member: u32, decoration: u32, operands: &[u32]) {
        let decoration = known(Decoration::from_u32(decoration));
        self.builder
            .decorate_member(target, member, decoration, operands);
    }

    /// A type: the opcode with its operands after the result id. Equal ones share an id. The
    /// capabilities that it needs are the caller's to declare.
    pub fn ty(&mut self, opcode: u16, operands: &[u32]) -> u32 {
        self.builder.unique(op_of(opcode), None, operands)
    }

    /// A type with an id of its own, to be decorated.
    pub fn unique_ty(&mut self, opcode: u16, operands: &[u32]) -> u32 {
        self.builder.global(op_of(opcode), None, operands)
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
        self.builder.unique(Op::Constant, Some(ty), words)
    }

    /// A 32-bit unsigned OpConstant.
    pub fn u32(&mut self, value: u32) -> u32 {
        let ty = self.uint(32);
        self.constant(ty, &[value])
    }

    /// A 32-bit unsigned OpSpecConstant with a specialization id.
    pub fn spec_u32(&mut self, spec_id: u32, default: u32) -> u32 {
        let ty = self.uint(32);
        let id = self.global(op::SPEC_CONSTANT, ty, &[default]);
        self.decorate(id, 1, &[spec_id]);
        id
    }

    /// A module-level instruction with a result type and id.
    pub fn global(&mut self, opcode: u16, ty: u32, operands: &[u32]) -> u32 {
        self.builder.global(op_of(opcode), Some(ty), operands)
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
        let b = &mut self.builder;
        b.entry_point(ExecutionModel::GLCompute, function, name, &self.interface);
        b.begin_function(function, ty, void, FunctionControl::NONE, &[]);
        let label = b.id();
        b.entry_block(label);
        function
    }

    /// OpExecutionMode.
    pub fn mode(&mut self, function: u32, mode: u32, operands: &[u32]) {
        let mode = known(ExecutionMode::from_u32(mode));
        self.builder.execution_mode(function, mode, operands);
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
        self.builder.inst(op_of(opcode), ty, operands)
    }

    /// An instruction of the current function without a result.
    pub fn op0(&mut self, opcode: u16, operands: &[u32]) {
        self.builder.stmt(op_of(opcode), operands);
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

    /// A pointer of `ty` to the address `address` (two words, low first) plus `offset` (a word).
    /// Devices without 64-bit integers have it too.
    pub fn at_address(&mut self, ty: u32, address: u32, offset: u32) -> u32 {
        let (uint, flag) = (self.uint(32), self.ty(op::TYPE_BOOL, &[]));
        let pair = self.vector(uint, 2);
        let [low, high] = [0, 1].map(|word| self.op(81, uint, &[address, word]));
        let sum = self.op(128, uint, &[low, offset]);
        let carries = self.op(176, flag, &[sum, low]);
        let (zero, one) = (self.u32(0), self.u32(1));
        let carry = self.op(169, uint, &[carries, one, zero]);
        let high = self.op(128, uint, &[high, carry]);
        let sum = self.op(80, pair, &[sum, high]);
        let pointer = self.pointer(class::PHYSICAL, ty);
        self.op(124, pointer, &[sum])
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
        self.builder.end_function();
    }

    /// The module's words.
    pub fn finish(self) -> Vec<u32> {
        self.builder.finish()
    }
}
