//! A SPIR-V word builder: sections in order, types and constants once each.
//!
//! Takes opcodes and operand words, gives a module's words. Never judges what it writes
//! beyond de-duplication; [`super::Emitter`] knows what is legal.

use pumice_budget as budget;
use pumice_spirv::string_words;
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    LinkageType, MAGIC_NUMBER, MemoryModel, Op, StorageClass,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

type Key = SmallVec<[u32; 8]>;

/// Builds one module.
pub struct Builder {
    next_id: u32,
    version: (u8, u8),
    capabilities: Vec<u32>,
    capability_set: FxHashSet<u32>,
    extensions: Vec<&'static str>,
    ext_import: u32,
    /// The import of SPV_AMD_shader_ballot, where something uses it.
    amd_import: Option<u32>,
    entry_points: Vec<u32>,
    execution_modes: Vec<u32>,
    strings: Vec<u32>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    known: FxHashMap<Key, u32>,
    known_strings: FxHashMap<String, u32>,
    /// Constants of scalar type: they may be parts of a constant vector.
    scalars: FxHashSet<u32>,
    declarations: Vec<u32>,
    functions: Vec<u32>,
    /// OpFunction, parameters and the first label of the function being written.
    head: Vec<u32>,
    /// Its OpVariable instructions.
    variables: Vec<u32>,
    /// Everything behind them.
    body: Vec<u32>,
    /// The label of the open block; `None` behind a terminator.
    block: Option<u32>,
}

/// Appends one instruction.
fn write(out: &mut Vec<u32>, op: Op, parts: [&[u32]; 2]) {
    let count = 1 + parts[0].len() + parts[1].len();
    // Word counts have 16 bits; the emitter splits or refuses what could be longer.
    assert!(count < 0x1_0000, "instruction too long");
    // In a section, in the finished module and in the table of known instructions.
    budget::spend(12 * count as u64);
    out.push(((count as u32) << 16) | op as u32);
    out.extend_from_slice(parts[0]);
    out.extend_from_slice(parts[1]);
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

const AMD_BALLOT: &str = "SPV_AMD_shader_ballot";

impl Builder {
    /// An empty Kernel module (Physical64, OpenCL).
    pub fn new() -> Self {
        let mut b = Self {
            next_id: 1,
            version: (1, 2),
            capabilities: Vec::new(),
            capability_set: FxHashSet::default(),
            extensions: Vec::new(),
            ext_import: 0,
            amd_import: None,
            entry_points: Vec::new(),
            execution_modes: Vec::new(),
            strings: Vec::new(),
            names: Vec::new(),
            decorations: Vec::new(),
            globals: Vec::new(),
            known: FxHashMap::default(),
            known_strings: FxHashMap::default(),
            scalars: FxHashSet::default(),
            declarations: Vec::new(),
            functions: Vec::new(),
            head: Vec::new(),
            variables: Vec::new(),
            body: Vec::new(),
            block: None,
        };
        b.ext_import = b.id();
        for capability in [
            Capability::Addresses,
            Capability::Linkage,
            Capability::Kernel,
        ] {
            b.capability(capability);
        }
        b
    }

    /// A fresh id.
    pub fn id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Declares a capability once.
    pub fn capability(&mut self, capability: Capability) {
        if self.capability_set.insert(capability as u32) {
            self.capabilities.push(capability as u32);
        }
    }

    /// Declares an extension once.
    pub fn extension(&mut self, name: &'static str) {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    /// Raises the module's version where a feature needs it.
    pub fn need_version(&mut self, version: (u8, u8)) {
        self.version = self.version.max(version);
    }

    /// The version so far.
    pub fn version(&self) -> (u8, u8) {
        self.version
    }

    /// A type or constant, written once per distinct content.
    pub fn unique(&mut self, op: Op, ty: Option<u32>, operands: &[u32]) -> u32 {
        let mut key: Key = SmallVec::new();
        key.push(op as u32);
        key.push(ty.unwrap_or(0));
        key.extend_from_slice(operands);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.global(op, ty, operands);
        self.known.insert(key, id);
        if op == Op::Constant {
            self.scalars.insert(id);
        }
        id
    }

    /// A global instruction with a fresh result.
    pub fn global(&mut self, op: Op, ty: Option<u32>, operands: &[u32]) -> u32 {
        let id = self.id();
        self.global_at(id, op, ty, operands);
        id
    }

    /// A global instruction whose result id was taken before.
    pub fn global_at(&mut self, id: u32, op: Op, ty: Option<u32>, operands: &[u32]) {
        match ty {
            Some(ty) => write(&mut self.globals, op, [&[ty, id], operands]),
            None => write(&mut self.globals, op, [&[id], operands]),
        }
    }

    // ---- types ----

    /// OpTypeVoid.
    pub fn ty_void(&mut self) -> u32 {
        self.unique(Op::TypeVoid, None, &[])
    }

    /// OpTypeBool.
    pub fn ty_bool(&mut self) -> u32 {
        self.unique(Op::TypeBool, None, &[])
    }

    /// OpTypeInt of 8, 16, 32 or 64 bits.
    pub fn ty_int(&mut self, bits: u32) -> u32 {
        match bits {
            8 => self.capability(Capability::Int8),
            16 => self.capability(Capability::Int16),
            64 => self.capability(Capability::Int64),
            _ => {}
        }
        self.unique(Op::TypeInt, None, &[bits, 0])
    }

    /// OpTypeFloat of 16, 32 or 64 bits.
    pub fn ty_float(&mut self, bits: u32) -> u32 {
        match bits {
            16 => self.capability(Capability::Float16Buffer),
            64 => self.capability(Capability::Float64),
            _ => {}
        }
        self.unique(Op::TypeFloat, None, &[bits])
    }

    /// OpTypeVector, or the scalar for one component.
    pub fn ty_vector(&mut self, scalar: u32, lanes: u32) -> u32 {
        if lanes == 1 {
            return scalar;
        }
        if lanes > 4 {
            self.capability(Capability::Vector16);
        }
        self.unique(Op::TypeVector, None, &[scalar, lanes])
    }

    /// OpTypeArray with a 32- or 64-bit length constant.
    pub fn ty_array(&mut self, element: u32, length: u64) -> u32 {
        let length = if let Ok(short) = u32::try_from(length) {
            self.const_u32(short)
        } else {
            self.const_u64(length)
        };
        self.unique(Op::TypeArray, None, &[element, length])
    }

    /// OpTypePointer.
    pub fn ty_pointer(&mut self, class: StorageClass, pointee: u32) -> u32 {
        if class == StorageClass::Generic {
            self.capability(Capability::GenericPointer);
        }
        self.unique(Op::TypePointer, None, &[class as u32, pointee])
    }

    /// OpTypeFunction.
    pub fn ty_function(&mut self, result: u32, params: &[u32]) -> u32 {
        let mut operands: SmallVec<[u32; 12]> = SmallVec::new();
        operands.push(result);
        operands.extend_from_slice(params);
        self.unique(Op::TypeFunction, None, &operands)
    }

    // ---- constants ----

    /// A 32-bit integer constant.
    pub fn const_u32(&mut self, value: u32) -> u32 {
        let ty = self.ty_int(32);
        self.unique(Op::Constant, Some(ty), &[value])
    }

    /// A 64-bit integer constant.
    pub fn const_u64(&mut self, value: u64) -> u32 {
        let ty = self.ty_int(64);
        self.unique(
            Op::Constant,
            Some(ty),
            &[value as u32, (value >> 32) as u32],
        )
    }

    /// An integer constant of any width; the value is cut to it.
    pub fn const_int(&mut self, bits: u32, value: u64) -> u32 {
        let ty = self.ty_int(bits);
        match bits {
            64 => self.const_u64(value),
            // Narrow literals are stored zero-extended: all our integer types are signless.
            8 => self.unique(Op::Constant, Some(ty), &[value as u32 & 0xff]),
            16 => self.unique(Op::Constant, Some(ty), &[value as u32 & 0xffff]),
            _ => self.unique(Op::Constant, Some(ty), &[value as u32]),
        }
    }

    /// A float constant by its bit pattern.
    pub fn const_float_bits(&mut self, bits: u32, value: u64) -> u32 {
        let ty = self.ty_float(bits);
        if bits == 64 {
            self.unique(
                Op::Constant,
                Some(ty),
                &[value as u32, (value >> 32) as u32],
            )
        } else {
            self.unique(Op::Constant, Some(ty), &[value as u32])
        }
    }

    /// OpConstantNull.
    pub fn const_null(&mut self, ty: u32) -> u32 {
        self.unique(Op::ConstantNull, Some(ty), &[])
    }

    /// OpConstantComposite.
    pub fn const_composite(&mut self, ty: u32, parts: &[u32]) -> u32 {
        self.unique(Op::ConstantComposite, Some(ty), parts)
    }

    /// The OpString of a text.
    pub fn string(&mut self, text: &str) -> u32 {
        if let Some(id) = self.known_strings.get(text) {
            return *id;
        }
        let id = self.id();
        write(&mut self.strings, Op::String, [&[id], &string_words(text)]);
        self.known_strings.insert(text.to_string(), id);
        id
    }

    // ---- annotations ----

    /// OpSource OpenCL_C with a version such as 102000.
    pub fn source(&mut self, version: u32) {
        write(&mut self.strings, Op::Source, [&[3], &[version]]);
    }

    /// OpName.
    pub fn name(&mut self, id: u32, name: &str) {
        write(&mut self.names, Op::Name, [&[id], &string_words(name)]);
    }

    /// OpMemberName.
    pub fn member_name(&mut self, id: u32, member: u32, name: &str) {
        write(
            &mut self.names,
            Op::MemberName,
            [&[id, member], &string_words(name)],
        );
    }

    /// OpDecorate.
    pub fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        write(
            &mut self.decorations,
            Op::Decorate,
            [&[id, decoration as u32], operands],
        );
    }

    /// OpDecorate LinkageAttributes.
    pub fn linkage(&mut self, id: u32, name: &str, linkage: LinkageType) {
        let mut operands = string_words(name);
        operands.push(linkage as u32);
        if linkage == LinkageType::LinkOnceODR {
            self.extension("SPV_KHR_linkonce_odr");
        }
        self.decorate(id, Decoration::LinkageAttributes, &operands);
    }

    /// OpEntryPoint Kernel.
    pub fn entry_point(&mut self, function: u32, name: &str, interface: &[u32]) {
        let mut operands = vec![ExecutionModel::Kernel as u32, function];
        operands.extend(string_words(name));
        write(
            &mut self.entry_points,
            Op::EntryPoint,
            [&operands, interface],
        );
    }

    /// OpExecutionMode.
    pub fn execution_mode(&mut self, function: u32, mode: ExecutionMode, operands: &[u32]) {
        write(
            &mut self.execution_modes,
            Op::ExecutionMode,
            [&[function, mode as u32], operands],
        );
    }

    // ---- functions ----

    /// Declares a function without a body.
    pub fn declare(&mut self, id: u32, ty: u32, result: u32, params: &[u32]) {
        let control = FunctionControl::NONE.bits();
        let out = &mut self.declarations;
        write(out, Op::Function, [&[result, id], &[control, ty]]);
        for param in params {
            let id = self.next_id;
            self.next_id += 1;
            write(out, Op::FunctionParameter, [&[*param, id], &[]]);
        }
        write(out, Op::FunctionEnd, [&[], &[]]);
    }

    /// Begins a function; gives the parameters' ids. The first block is open.
    pub fn begin_function(
        &mut self,
        id: u32,
        ty: u32,
        result: u32,
        control: FunctionControl,
        params: &[u32],
    ) -> Vec<u32> {
        self.head.clear();
        self.variables.clear();
        self.body.clear();
        let operands = [control.bits(), ty];
        write(&mut self.head, Op::Function, [&[result, id], &operands]);
        let mut ids = Vec::with_capacity(params.len());
        for param in params {
            let id = self.id();
            write(&mut self.head, Op::FunctionParameter, [&[*param, id], &[]]);
            ids.push(id);
        }
        let entry = self.id();
        write(&mut self.head, Op::Label, [&[entry], &[]]);
        self.block = Some(entry);
        ids
    }

    /// Ends the function. The open block must be terminated.
    pub fn end_function(&mut self) {
        debug_assert!(self.block.is_none(), "open block at the function's end");
        self.functions.append(&mut self.head);
        self.functions.append(&mut self.variables);
        self.functions.append(&mut self.body);
        write(&mut self.functions, Op::FunctionEnd, [&[], &[]]);
    }

    /// An OpVariable of the function being written.
    pub fn local(&mut self, pointer: u32) -> u32 {
        let id = self.id();
        write(
            &mut self.variables,
            Op::Variable,
            [&[pointer, id], &[StorageClass::Function as u32]],
        );
        id
    }

    /// The open block's label.
    pub fn block(&self) -> Option<u32> {
        self.block
    }

    /// Starts the block `label`; an open block branches to it.
    pub fn start_block(&mut self, label: u32) {
        if self.block.is_some() {
            self.branch(label);
        }
        write(&mut self.body, Op::Label, [&[label], &[]]);
        self.block = Some(label);
    }

    /// Makes sure that a block is open, so that unreachable code has a place.
    fn open(&mut self) {
        if self.block.is_none() {
            let label = self.id();
            write(&mut self.body, Op::Label, [&[label], &[]]);
            self.block = Some(label);
        }
    }

    /// An instruction with a result.
    pub fn op(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.open();
        let id = self.id();
        write(&mut self.body, op, [&[ty, id], operands]);
        id
    }

    /// A vector from parts: a constant when every part is a scalar constant.
    pub fn construct(&mut self, ty: u32, parts: &[u32]) -> u32 {
        if parts.iter().all(|p| self.scalars.contains(p)) {
            self.const_composite(ty, parts)
        } else {
            self.op(Op::CompositeConstruct, ty, parts)
        }
    }

    /// An instruction without a result.
    pub fn op_void(&mut self, op: Op, operands: &[u32]) {
        self.open();
        write(&mut self.body, op, [operands, &[]]);
    }

    /// OpLine; allowed only inside an open block.
    pub fn line(&mut self, file: u32, line: u32, column: u32) {
        if self.block.is_some() {
            write(&mut self.body, Op::Line, [&[file, line, column], &[]]);
        }
    }

    /// OpExtInst of SPV_AMD_shader_ballot.
    pub fn amd_ballot(&mut self, number: u32, ty: u32, operands: &[u32]) -> u32 {
        self.extension(AMD_BALLOT);
        let set = match self.amd_import {
            Some(set) => set,
            None => self.id(),
        };
        self.amd_import = Some(set);
        let operands = [&[set, number], operands].concat();
        self.op(Op::ExtInst, ty, &operands)
    }

    /// OpExtInst of OpenCL.std.
    pub fn ext(&mut self, inst: u32, ty: u32, operands: &[u32]) -> u32 {
        self.open();
        let id = self.id();
        write(
            &mut self.body,
            Op::ExtInst,
            [&[ty, id, self.ext_import, inst], operands],
        );
        id
    }

    fn terminate(&mut self, op: Op, operands: &[u32]) {
        self.open();
        write(&mut self.body, op, [operands, &[]]);
        self.block = None;
    }

    /// OpBranch.
    pub fn branch(&mut self, target: u32) {
        self.terminate(Op::Branch, &[target]);
    }

    /// OpBranchConditional.
    pub fn branch_if(&mut self, condition: u32, yes: u32, no: u32) {
        self.terminate(Op::BranchConditional, &[condition, yes, no]);
    }

    /// OpSwitch; `cases` are literal words and labels as they stand in the instruction.
    pub fn switch(&mut self, selector: u32, default: u32, cases: &[u32]) {
        let mut operands = vec![selector, default];
        operands.extend_from_slice(cases);
        self.terminate(Op::Switch, &operands);
    }

    /// OpReturn or OpReturnValue.
    pub fn ret(&mut self, value: Option<u32>) {
        match value {
            Some(value) => self.terminate(Op::ReturnValue, &[value]),
            None => self.terminate(Op::Return, &[]),
        }
    }

    /// The finished module.
    pub fn finish(self) -> Vec<u32> {
        let version = (u32::from(self.version.0) << 16) | (u32::from(self.version.1) << 8);
        let mut out = vec![MAGIC_NUMBER, version, 0, self.next_id, 0];
        for capability in &self.capabilities {
            write(&mut out, Op::Capability, [&[*capability], &[]]);
        }
        for extension in &self.extensions {
            write(&mut out, Op::Extension, [&string_words(extension), &[]]);
        }
        let set = string_words("OpenCL.std");
        write(&mut out, Op::ExtInstImport, [&[self.ext_import], &set]);
        if let Some(import) = self.amd_import {
            let set = string_words(AMD_BALLOT);
            write(&mut out, Op::ExtInstImport, [&[import], &set]);
        }
        let model = [
            AddressingModel::Physical64 as u32,
            MemoryModel::OpenCL as u32,
        ];
        write(&mut out, Op::MemoryModel, [&model, &[]]);
        for section in [
            &self.entry_points,
            &self.execution_modes,
            &self.strings,
            &self.names,
            &self.decorations,
            &self.globals,
            &self.declarations,
            &self.functions,
        ] {
            out.extend_from_slice(section);
        }
        out
    }
}
