//! Builder of modules: ids, sections in their logical layout, types and constants once each.
//!
//! Takes opcodes and operands, gives a module's words. Declares the capabilities that types need;
//! judges nothing else. The front end, the back end, the writer of reflection and the probes put
//! what is their own on top of it.

use crate::words::{MAGIC, push_inst, push_parts, string_words};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    MemoryModel, Op, StorageClass,
};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::ops::Range;

/// A result id.
pub type Id = u32;

/// Types and constants by their content.
#[derive(Debug, Default)]
struct Known {
    /// Ids by the hash of the content, or by the next number that was free.
    by_hash: FxHashMap<u64, (Range<u32>, Id)>,
    /// The contents, one behind the other: opcode, type or 0, operands.
    words: Vec<u32>,
}

impl Known {
    /// The id of a content, or the number under which it is to be kept.
    fn find(&self, op: Op, ty: Option<Id>, operands: &[u32]) -> Result<Id, u64> {
        let head = [op as u32, ty.unwrap_or(0)];
        let mut hasher = FxHasher::default();
        for &word in head.iter().chain(operands) {
            hasher.write_u32(word);
        }
        let mut key = hasher.finish();
        while let Some((place, id)) = self.by_hash.get(&key) {
            let words = &self.words[place.start as usize..place.end as usize];
            if words.len() == 2 + operands.len() && words[..2] == head && words[2..] == *operands {
                return Ok(*id);
            }
            key = key.wrapping_add(1);
        }
        Err(key)
    }

    /// Keeps an id under the number that [`Self::find`] gave.
    fn keep(&mut self, key: u64, op: Op, ty: Option<Id>, operands: &[u32], id: Id) {
        let start = self.words.len() as u32;
        self.words.extend([op as u32, ty.unwrap_or(0)]);
        self.words.extend_from_slice(operands);
        let place = start..self.words.len() as u32;
        self.by_hash.insert(key, (place, id));
    }
}

/// Sections of the logical layout (SPIR-V §2.4) that are instructions in the order of their
/// writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// OpExtInstImport
    Imports,
    /// OpEntryPoint
    EntryPoints,
    /// OpExecutionMode and OpExecutionModeId
    ExecutionModes,
    /// OpString and OpSource
    Strings,
    /// OpName and OpMemberName
    Names,
    /// Decorations
    Annotations,
    /// Types, constants and variables
    Globals,
    /// Functions without a body
    Declarations,
    /// Functions with a body
    Functions,
}

/// Words of the function under construction.
#[derive(Clone, Debug, Default)]
pub struct FunctionWords {
    /// OpFunction, its parameters and the entry block's label.
    pub head: Vec<u32>,
    /// Variables: the first instructions of the entry block.
    pub variables: Vec<u32>,
    /// Everything behind them.
    pub body: Vec<u32>,
}

/// A module under construction.
#[derive(Debug)]
pub struct Builder {
    version: (u8, u8),
    next: Id,
    /// Capability to declare for 16-bit floats.
    half: Capability,
    capabilities: Vec<Capability>,
    extensions: Vec<&'static str>,
    memory_model: [u32; 2],
    imports: Vec<(String, Id)>,
    sections: [Vec<u32>; Section::Functions as usize + 1],
    known: Known,
    /// Bits and id of the integer and of the float that were asked for last.
    int: (u32, Id),
    float: (u32, Id),
    known_strings: FxHashMap<Vec<u8>, Id>,
    /// OpConstant made by [`Self::unique`]: type and low word.
    constants: FxHashMap<Id, (Id, u32)>,
    /// The function under construction.
    pub function: FunctionWords,
    /// Told of the bytes that an instruction takes, before it is written.
    spend: fn(u64),
}

impl Builder {
    /// An empty module of a version. `half` is the capability that its 16-bit floats declare;
    /// `spend` is told of the bytes that each instruction takes.
    pub fn new(version: (u8, u8), half: Capability, spend: fn(u64)) -> Self {
        Self {
            spend,
            version,
            next: 1,
            half,
            capabilities: Vec::new(),
            extensions: Vec::new(),
            memory_model: [AddressingModel::Logical as u32, MemoryModel::GLSL450 as u32],
            imports: Vec::new(),
            // Room for a small kernel, so that its build need not move them.
            sections: std::array::from_fn(|_| Vec::with_capacity(64)),
            known: Known {
                by_hash: FxHashMap::with_capacity_and_hasher(56, Default::default()),
                words: Vec::with_capacity(256),
            },
            int: (0, 0),
            float: (0, 0),
            known_strings: FxHashMap::default(),
            constants: FxHashMap::default(),
            function: FunctionWords::default(),
        }
    }

    /// Sections to be added to a finished module whose ids are below `bound`.
    pub fn addition(bound: u32) -> Self {
        Self {
            next: bound,
            ..Self::new((1, 0), Capability::Float16, |_| ())
        }
    }

    /// A fresh id.
    pub fn id(&mut self) -> Id {
        let id = self.next;
        self.next += 1;
        id
    }

    /// All ids given so far are below it.
    pub fn bound(&self) -> u32 {
        self.next
    }

    // ---- the module as a whole ----

    /// The version so far.
    pub fn version(&self) -> (u8, u8) {
        self.version
    }

    /// Raises the version where a feature needs it.
    pub fn need_version(&mut self, version: (u8, u8)) {
        self.version = self.version.max(version);
    }

    /// Declares a capability once.
    pub fn capability(&mut self, capability: Capability) {
        if !self.has_capability(capability) {
            self.capabilities.push(capability);
        }
    }

    /// Returns whether a capability is declared.
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Declares an extension once.
    pub fn extension(&mut self, name: &'static str) {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    /// Sorts capabilities by number and extensions by name; else they stand in the order of their
    /// first use.
    pub fn sort_declarations(&mut self) {
        self.capabilities
            .sort_by_key(|&capability| capability as u32);
        self.extensions.sort_unstable();
    }

    /// The id of an extended instruction set, which is imported once.
    pub fn import(&mut self, name: &str) -> Id {
        if let Some((_, id)) = self.imports.iter().find(|(known, _)| known == name) {
            return *id;
        }
        let id = self.id();
        let words = string_words(name);
        self.push(Section::Imports, Op::ExtInstImport, [&[id], &words]);
        self.imports.push((name.to_string(), id));
        id
    }

    /// Sets the addressing and memory model; Logical and GLSL450 without it.
    pub fn memory_model(&mut self, addressing: AddressingModel, model: MemoryModel) {
        self.memory_model = [addressing as u32, model as u32];
    }

    /// Appends an instruction to a section.
    pub fn push<const N: usize>(&mut self, section: Section, op: Op, parts: [&[u32]; N]) {
        self.spend(parts);
        push_parts(&mut self.sections[section as usize], op as u16, parts);
    }

    fn spend<const N: usize>(&self, parts: [&[u32]; N]) {
        let words = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
        // In a section, in the finished module and in the table of known instructions.
        (self.spend)(12 * words as u64);
    }

    /// The words of a section.
    pub fn section(&self, section: Section) -> &[u32] {
        &self.sections[section as usize]
    }

    /// OpEntryPoint.
    pub fn entry_point(
        &mut self,
        model: ExecutionModel,
        function: Id,
        name: &str,
        interface: &[Id],
    ) {
        let head = [model as u32, function];
        let parts = [&head, &string_words(name)[..], interface];
        self.push(Section::EntryPoints, Op::EntryPoint, parts);
    }

    /// OpExecutionMode.
    pub fn execution_mode(&mut self, function: Id, mode: ExecutionMode, operands: &[u32]) {
        let parts = [&[function, mode as u32], operands];
        self.push(Section::ExecutionModes, Op::ExecutionMode, parts);
    }

    /// OpExecutionModeId.
    pub fn execution_mode_id(&mut self, function: Id, mode: ExecutionMode, operands: &[Id]) {
        let parts = [&[function, mode as u32], operands];
        self.push(Section::ExecutionModes, Op::ExecutionModeId, parts);
    }

    /// The OpString of bytes without a NUL, once for each content.
    pub fn string(&mut self, text: impl AsRef<[u8]>) -> Id {
        let text = text.as_ref();
        if let Some(&id) = self.known_strings.get(text) {
            return id;
        }
        let id = self.id();
        self.push(Section::Strings, Op::String, [&[id], &string_words(text)]);
        self.known_strings.insert(text.to_vec(), id);
        id
    }

    /// OpName, for people who read dumps; nothing without a name.
    pub fn name(&mut self, id: Id, name: &str) {
        if !name.is_empty() {
            self.push(Section::Names, Op::Name, [&[id], &string_words(name)]);
        }
    }

    /// OpMemberName.
    pub fn member_name(&mut self, id: Id, member: u32, name: &str) {
        let parts = [&[id, member], &string_words(name)[..]];
        self.push(Section::Names, Op::MemberName, parts);
    }

    /// OpDecorate.
    pub fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        let parts = [&[id, decoration as u32], operands];
        self.push(Section::Annotations, Op::Decorate, parts);
    }

    /// OpDecorateId.
    pub fn decorate_id(&mut self, id: Id, decoration: Decoration, operands: &[Id]) {
        let parts = [&[id, decoration as u32], operands];
        self.push(Section::Annotations, Op::DecorateId, parts);
    }

    /// OpMemberDecorate.
    pub fn decorate_member(
        &mut self,
        id: Id,
        member: u32,
        decoration: Decoration,
        operands: &[u32],
    ) {
        let parts = [&[id, member, decoration as u32], operands];
        self.push(Section::Annotations, Op::MemberDecorate, parts);
    }

    // ---- types, constants and variables ----

    /// A type or constant, written once for each content.
    pub fn unique(&mut self, op: Op, ty: Option<Id>, operands: &[u32]) -> Id {
        let key = match self.known.find(op, ty, operands) {
            Ok(id) => return id,
            Err(key) => key,
        };
        let id = self.global(op, ty, operands);
        if let (Op::Constant, Some(ty), Some(&low)) = (op, ty, operands.first()) {
            self.constants.insert(id, (ty, low));
        }
        self.known.keep(key, op, ty, operands, id);
        id
    }

    /// Lets [`Self::unique`] find a type or constant that a finished module has.
    pub fn know(&mut self, id: Id, op: Op, ty: Option<Id>, operands: &[u32]) {
        if let Err(key) = self.known.find(op, ty, operands) {
            self.known.keep(key, op, ty, operands, id);
        }
    }

    /// A type, constant or variable with an id of its own.
    pub fn global(&mut self, op: Op, ty: Option<Id>, operands: &[u32]) -> Id {
        let id = self.id();
        self.global_at(id, op, ty, operands);
        id
    }

    /// The same with an id that was taken before.
    pub fn global_at(&mut self, id: Id, op: Op, ty: Option<Id>, operands: &[u32]) {
        match ty {
            Some(ty) => self.push(Section::Globals, op, [&[ty, id], operands]),
            None => self.push(Section::Globals, op, [&[id], operands]),
        }
    }

    /// OpTypeVoid.
    pub fn ty_void(&mut self) -> Id {
        self.unique(Op::TypeVoid, None, &[])
    }

    /// OpTypeBool.
    pub fn ty_bool(&mut self) -> Id {
        self.unique(Op::TypeBool, None, &[])
    }

    /// OpTypeInt of 8, 16, 32 or 64 bits, signedness 0.
    pub fn ty_int(&mut self, bits: u32) -> Id {
        match bits {
            8 => self.capability(Capability::Int8),
            16 => self.capability(Capability::Int16),
            64 => self.capability(Capability::Int64),
            _ => {}
        }
        if self.int.0 != bits {
            self.int = (bits, self.unique(Op::TypeInt, None, &[bits, 0]));
        }
        self.int.1
    }

    /// OpTypeInt of 8 or 16 bits for values that are only loaded, stored and converted, which needs no [`Capability::Int8`]
    /// or [`Capability::Int16`].
    pub fn ty_stored_int(&mut self, bits: u32) -> Id {
        self.unique(Op::TypeInt, None, &[bits, 0])
    }

    /// OpTypeFloat of 16, 32 or 64 bits.
    pub fn ty_float(&mut self, bits: u32) -> Id {
        match bits {
            16 => self.capability(self.half),
            64 => self.capability(Capability::Float64),
            _ => {}
        }
        if self.float.0 != bits {
            self.float = (bits, self.unique(Op::TypeFloat, None, &[bits]));
        }
        self.float.1
    }

    /// OpTypeVector, or the scalar for one component.
    pub fn ty_vector(&mut self, scalar: Id, lanes: u32) -> Id {
        if lanes == 1 {
            return scalar;
        }
        if lanes > 4 {
            self.capability(Capability::Vector16);
        }
        self.unique(Op::TypeVector, None, &[scalar, lanes])
    }

    /// OpTypePointer.
    pub fn ty_pointer(&mut self, class: StorageClass, pointee: Id) -> Id {
        if class == StorageClass::Generic {
            self.capability(Capability::GenericPointer);
        }
        self.unique(Op::TypePointer, None, &[class as u32, pointee])
    }

    /// An integer constant of 8, 16, 32 or 64 bits; the value is cut to them.
    pub fn const_int(&mut self, bits: u32, value: u64) -> Id {
        let ty = self.ty_int(bits);
        let (low, high) = (value as u32, (value >> 32) as u32);
        match bits {
            64 => self.unique(Op::Constant, Some(ty), &[low, high]),
            // Narrow literals with signedness 0 are zero-extended.
            8 => self.unique(Op::Constant, Some(ty), &[low & 0xff]),
            16 => self.unique(Op::Constant, Some(ty), &[low & 0xffff]),
            _ => self.unique(Op::Constant, Some(ty), &[low]),
        }
    }

    /// A 32-bit integer constant.
    pub fn const_u32(&mut self, value: u32) -> Id {
        self.const_int(32, u64::from(value))
    }

    /// A float constant by its bit pattern.
    pub fn const_float_bits(&mut self, bits: u32, value: u64) -> Id {
        let ty = self.ty_float(bits);
        let words = [value as u32, (value >> 32) as u32];
        let count = if bits == 64 { 2 } else { 1 };
        self.unique(Op::Constant, Some(ty), &words[..count])
    }

    /// OpConstantNull.
    pub fn const_null(&mut self, ty: Id) -> Id {
        self.unique(Op::ConstantNull, Some(ty), &[])
    }

    /// OpConstantComposite.
    pub fn const_composite(&mut self, ty: Id, parts: &[Id]) -> Id {
        self.unique(Op::ConstantComposite, Some(ty), parts)
    }

    /// Returns whether an id is an OpConstant.
    pub fn is_scalar_constant(&self, id: Id) -> bool {
        self.constants.contains_key(&id)
    }

    /// The value of a 32-bit integer constant.
    pub fn const_value(&self, id: Id) -> Option<u32> {
        let &(ty, value) = self.constants.get(&id)?;
        (self.known.find(Op::TypeInt, None, &[32, 0]) == Ok(ty)).then_some(value)
    }

    // ---- functions ----

    /// Begins a function; gives its parameters' ids. Its first block is to be opened.
    pub fn begin_function(
        &mut self,
        id: Id,
        ty: Id,
        result: Id,
        control: FunctionControl,
        params: &[Id],
    ) -> Vec<Id> {
        let operands = [result, id, control.bits(), ty];
        push_inst(&mut self.function.head, Op::Function as u16, &operands);
        let mut ids = Vec::with_capacity(params.len());
        for &param in params {
            let id = self.id();
            let head = &mut self.function.head;
            push_inst(head, Op::FunctionParameter as u16, &[param, id]);
            ids.push(id);
        }
        ids
    }

    /// Opens the first block of the function.
    pub fn entry_block(&mut self, label: Id) {
        push_inst(&mut self.function.head, Op::Label as u16, &[label]);
    }

    /// Opens another block of the function.
    pub fn label(&mut self, label: Id) {
        self.stmt(Op::Label, &[label]);
    }

    /// An OpVariable of the function.
    pub fn local(&mut self, pointer: Id) -> Id {
        let id = self.id();
        let operands = [pointer, id, StorageClass::Function as u32];
        self.spend([&operands]);
        push_inst(&mut self.function.variables, Op::Variable as u16, &operands);
        id
    }

    /// An OpVariable of the function that holds a constant at first.
    pub fn local_with(&mut self, pointer: Id, constant: Id) -> Id {
        let id = self.id();
        let operands = [pointer, id, StorageClass::Function as u32, constant];
        self.spend([&operands]);
        push_inst(&mut self.function.variables, Op::Variable as u16, &operands);
        id
    }

    /// An instruction of the function with a result.
    pub fn inst(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        self.inst_at(id, op, ty, operands);
        id
    }

    /// The same with an id that was taken before.
    pub fn inst_at(&mut self, id: Id, op: Op, ty: Id, operands: &[u32]) {
        self.spend([&[ty, id], operands]);
        push_parts(&mut self.function.body, op as u16, [&[ty, id], operands]);
    }

    /// An instruction of the function without a result.
    pub fn stmt(&mut self, op: Op, operands: &[u32]) {
        self.spend([operands]);
        push_inst(&mut self.function.body, op as u16, operands);
    }

    /// Ends the function.
    pub fn end_function(&mut self) {
        let out = &mut self.sections[Section::Functions as usize];
        let function = &mut self.function;
        for part in [
            &mut function.head,
            &mut function.variables,
            &mut function.body,
        ] {
            out.append(part);
        }
        push_inst(out, Op::FunctionEnd as u16, &[]);
    }

    /// The finished module.
    pub fn finish(self) -> Vec<u32> {
        let (major, minor) = self.version;
        // Pumice has no registered generator number yet: tool 0.
        let mut out = vec![
            MAGIC,
            u32::from_be_bytes([0, major, minor, 0]),
            0,
            self.next,
            0,
        ];
        for &capability in &self.capabilities {
            push_inst(&mut out, Op::Capability as u16, &[capability as u32]);
        }
        for name in &self.extensions {
            push_inst(&mut out, Op::Extension as u16, &string_words(name));
        }
        let [imports, rest @ ..] = &self.sections;
        out.extend_from_slice(imports);
        push_inst(&mut out, Op::MemoryModel as u16, &self.memory_model);
        out.reserve_exact(rest.iter().map(Vec::len).sum());
        for section in rest {
            out.extend_from_slice(section);
        }
        out
    }
}

#[cfg(test)]
mod tests;
