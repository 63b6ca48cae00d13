//! Variables with static storage and constants made of bytes.
//!
//! Takes sema's byte images with relocations, gives OpConstantComposite trees; addresses
//! become OpSpecConstantOp. Variables are written on first use.

use rspirv::spirv::{Decoration, LinkageType, Op};

use super::types::{Member, storage_class};
use super::{EmitError, Emitter};
use crate::lang::types::{AddrSpace, Type, TypeId, TypeTable};
use crate::sema::typed::{ConstData, GlobalId, Linkage, Reloc};
use crate::source::Span;

/// OpConstantComposite is one instruction of at most 65535 words.
const MAX_PARTS: u64 = 65_000;

/// A window into a constant's bytes.
#[derive(Clone, Copy)]
struct Image<'c> {
    data: &'c ConstData,
    span: Span,
}

impl Image<'_> {
    fn bits(&self, offset: u64, bytes: u64) -> u64 {
        let start = offset as usize;
        let mut value = 0;
        for (i, byte) in self
            .data
            .bytes
            .iter()
            .skip(start)
            .take(bytes as usize)
            .enumerate()
        {
            value |= u64::from(*byte) << (8 * i);
        }
        value
    }

    fn reloc(&self, offset: u64) -> Option<Reloc> {
        let found = self.data.relocs.binary_search_by_key(&offset, |r| r.offset);
        found.ok().map(|i| self.data.relocs[i])
    }

    fn has_reloc_in(&self, offset: u64, size: u64) -> bool {
        let first = self.data.relocs.partition_point(|r| r.offset < offset);
        self.data
            .relocs
            .get(first)
            .is_some_and(|r| r.offset < offset + size)
    }

    fn is_zero(&self, offset: u64, size: u64) -> bool {
        let end = ((offset + size) as usize).min(self.data.bytes.len());
        let start = (offset as usize).min(end);
        self.data.bytes[start..end].iter().all(|b| *b == 0) && !self.has_reloc_in(offset, size)
    }
}

/// SPIR-V's linkage type, which symbols of one module lack. A link-once definition is replaced by
/// an exported one, which is more than other consumers promise of weak ones.
pub(super) fn linkage_type(linkage: Linkage) -> Option<LinkageType> {
    match linkage {
        Linkage::Internal => None,
        Linkage::External => Some(LinkageType::Export),
        Linkage::Weak => Some(LinkageType::LinkOnceODR),
        Linkage::Import => Some(LinkageType::Import),
    }
}

impl Linkage {
    /// Returns whether it is defined here and visible to other modules.
    pub fn is_exported(self) -> bool {
        matches!(self, Self::External | Self::Weak)
    }
}

impl Emitter<'_> {
    /// The OpVariable of a global.
    pub(super) fn global(&mut self, id: GlobalId) -> Result<u32, EmitError> {
        let index = id.0 as usize;
        if self.globals[index] != 0 {
            return Ok(self.globals[index]);
        }
        let module = self.module;
        let global = module.global(id);
        let pointer = self.pointer_to(global.ty.ty, global.space);
        let parts = self.parts(id);
        let variable = self.b.id();
        // Taken before the initialiser is written: a variable may hold its own address only
        // through another one, which `active_globals` refuses.
        if self.active_globals.contains(&id) {
            return Err(EmitError {
                span: global.span,
                message: "initializers that refer to each other are not supported".to_string(),
            });
        }
        self.active_globals.push(id);
        let mut operands = vec![storage_class(global.space) as u32];
        if let Some(data) = &global.init {
            let image = Image {
                data,
                span: global.span,
            };
            operands.push(match parts {
                Some((elem, count)) => self.split_constant(elem, count, image)?,
                None => self.constant(global.ty.ty, image, 0)?,
            });
        }
        self.active_globals.pop();
        if let Some((elem, count)) = parts {
            let whole = self.split_type(elem, count);
            let class = storage_class(global.space);
            let own = self.b.ty_pointer(class, whole);
            self.b
                .global_at(variable, Op::Variable, Some(own), &operands);
            let cast = [Op::Bitcast as u32, variable];
            let array = self.b.global(Op::SpecConstantOp, Some(pointer), &cast);
            self.globals[index] = array;
            self.split_globals.push((array, variable));
        } else {
            self.b
                .global_at(variable, Op::Variable, Some(pointer), &operands);
            self.globals[index] = variable;
        }
        self.b.name(variable, &global.name);
        if global.space == AddrSpace::Constant {
            self.b.decorate(variable, Decoration::Constant, &[]);
        }
        self.b
            .decorate(variable, Decoration::Alignment, &[global.align as u32]);
        if let Some(linkage) = linkage_type(global.linkage) {
            self.b.linkage(variable, &global.name, linkage);
        }
        Ok(self.globals[index])
    }

    /// Element and length of the array that a variable is written as where it holds one whose
    /// initialiser is too long for one instruction: it becomes a struct of shorter arrays. Their
    /// elements are 16-bit words, of which a module has few enough for its ids, or 64-bit ones
    /// where there are addresses.
    fn parts(&self, id: GlobalId) -> Option<(TypeId, u64)> {
        let global = self.module.global(id);
        let data = global.init.as_ref()?;
        let types = &self.module.types;
        if self.longest_array(global.ty.ty) <= MAX_PARTS {
            return None;
        }
        if data.relocs.is_empty() {
            if data.bytes.iter().all(|b| *b == 0) {
                return None;
            }
            return Some((TypeTable::USHORT, data.bytes.len().div_ceil(2) as u64));
        }
        match *types.get(global.ty.ty) {
            Type::Array {
                elem,
                len: Some(len),
            } if types.is_pointer(elem.ty) => Some((elem.ty, len)),
            _ => Some((
                types.size_type(),
                types.size(global.ty.ty) / types.address_size(),
            )),
        }
    }

    /// Elements of the longest array inside a type.
    fn longest_array(&self, ty: TypeId) -> u64 {
        match *self.module.types.get(ty) {
            Type::Array { elem, len } => len.unwrap_or(0).max(self.longest_array(elem.ty)),
            Type::Record(record) => {
                let fields = &self.module.types.record(record).fields;
                let lengths = fields.iter().map(|f| self.longest_array(f.ty.ty));
                lengths.max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn split_type(&mut self, elem: TypeId, count: u64) -> u32 {
        let elem = self.memory_type(elem);
        let mut members = Vec::new();
        let mut left = count;
        while left > 0 {
            let part = left.min(MAX_PARTS);
            members.push(self.b.ty_array(elem, part));
            left -= part;
        }
        self.b.unique(Op::TypeStruct, None, &members)
    }

    fn split_constant(
        &mut self,
        elem: TypeId,
        count: u64,
        image: Image<'_>,
    ) -> Result<u32, EmitError> {
        let step = self.module.types.size(elem);
        let memory = self.memory_type(elem);
        let mut members = Vec::new();
        let mut at = 0;
        while at < count {
            let part = (count - at).min(MAX_PARTS);
            let ty = self.b.ty_array(memory, part);
            self.check_memory(image.span)?;
            members.push(if image.is_zero(at * step, part * step) {
                self.b.const_null(ty)
            } else {
                let values = (at..at + part).map(|i| self.constant(elem, image, i * step));
                let values = values.collect::<Result<Vec<u32>, EmitError>>()?;
                self.b.const_composite(ty, &values)
            });
            at += part;
        }
        let ty = self.split_type(elem, count);
        Ok(self.b.const_composite(ty, &members))
    }

    /// A constant of a type's memory form from bytes.
    pub(super) fn constant_of(
        &mut self,
        ty: TypeId,
        data: &ConstData,
        span: Span,
    ) -> Result<u32, EmitError> {
        self.constant(ty, Image { data, span }, 0)
    }

    fn constant(&mut self, ty: TypeId, image: Image<'_>, offset: u64) -> Result<u32, EmitError> {
        let module = self.module;
        let size = module.types.size(ty);
        let memory = self.memory_type(ty);
        if image.is_zero(offset, size) && !matches!(module.types.get(ty), Type::Int(_)) {
            return Ok(self.b.const_null(memory));
        }
        match module.types.get(ty) {
            Type::Bool | Type::Int(_) | Type::Enum(_) => {
                self.word(image, offset, (size * 8) as u32)
            }
            Type::Atomic(value) => self.constant(*value, image, offset),
            Type::Float(kind) => {
                let value = image.bits(offset, size);
                self.value_type(ty);
                Ok(self.b.const_float_bits(kind.bits(), value))
            }
            Type::Vector { elem, len } => {
                let step = module.types.size(*elem);
                let mut parts = Vec::new();
                for lane in 0..u64::from(*len) {
                    parts.push(self.constant(*elem, image, offset + lane * step)?);
                }
                Ok(self.b.const_composite(memory, &parts))
            }
            Type::Array { elem, len } => {
                let count = len.unwrap_or(0);
                if count > MAX_PARTS {
                    return Err(EmitError {
                        span: image.span,
                        message: format!(
                            "initialized array of more than {MAX_PARTS} elements is not \
                             supported yet"
                        ),
                    });
                }
                let step = module.types.size(elem.ty);
                let mut parts = Vec::with_capacity(count as usize);
                for i in 0..count {
                    parts.push(self.constant(elem.ty, image, offset + i * step)?);
                }
                Ok(self.b.const_composite(memory, &parts))
            }
            Type::Pointer { .. } => match image.reloc(offset) {
                Some(reloc) => self.address(reloc, memory),
                None => {
                    // An integer cast to a pointer.
                    let bytes = module.types.address_size();
                    let value = self.size_constant(image.bits(offset, bytes));
                    let op = [Op::ConvertUToPtr as u32, value];
                    Ok(self.b.global(Op::SpecConstantOp, Some(memory), &op))
                }
            },
            Type::Record(record) => {
                let shape = self.record_shape(*record);
                let fields = &module.types.record(*record).fields;
                let types: Vec<TypeId> = fields.iter().map(|f| f.ty.ty).collect();
                let mut at = offset;
                let mut parts = Vec::new();
                for member in &shape.member_types {
                    let part = match *member {
                        Member::Field(number) => {
                            let field = &fields[number as usize];
                            at = offset + field.offset;
                            let part = self.constant(field.ty.ty, image, at)?;
                            at += module.types.size(field.ty.ty);
                            part
                        }
                        Member::Padding(bytes) => {
                            let ty = self.member_type(*member, &types);
                            at += bytes;
                            self.b.const_null(ty)
                        }
                        Member::Words(bits, lanes, count) => {
                            self.words(image, at, (bits, lanes, count))?
                        }
                    };
                    parts.push(part);
                }
                Ok(self.b.const_composite(memory, &parts))
            }
            Type::Void | Type::Block(_) | Type::Opaque(_) | Type::Function { .. } | Type::Error => {
                Ok(self.b.const_null(memory))
            }
        }
    }

    /// A union's words.
    fn words(
        &mut self,
        image: Image<'_>,
        offset: u64,
        (bits, lanes, count): (u32, u32, u64),
    ) -> Result<u32, EmitError> {
        let word = self.b.ty_int(bits);
        let element = self.b.ty_vector(word, lanes);
        let array = self.b.ty_array(element, count);
        let step = u64::from(bits / 8);
        let mut parts = Vec::new();
        for i in 0..count {
            let at = offset + i * step * u64::from(lanes);
            let mut values = Vec::new();
            for lane in 0..u64::from(lanes) {
                values.push(self.word(image, at + lane * step, bits)?);
            }
            parts.push(match values[..] {
                [only] => only,
                _ => self.b.const_composite(element, &values),
            });
        }
        Ok(self.b.const_composite(array, &parts))
    }

    /// An integer, which may be an address.
    fn word(&mut self, image: Image<'_>, offset: u64, bits: u32) -> Result<u32, EmitError> {
        let bytes = u64::from(bits / 8);
        if !image.has_reloc_in(offset, bytes) {
            return Ok(self.b.const_int(bits, image.bits(offset, bytes)));
        }
        let Some(reloc) = image
            .reloc(offset)
            .filter(|_| bytes == self.module.types.address_size())
        else {
            return Err(EmitError {
                span: image.span,
                message: "part of an address in an initializer is not supported".to_string(),
            });
        };
        let space = self.module.global(reloc.target).space;
        let byte = self.b.ty_int(8);
        let pointer = self.b.ty_pointer(storage_class(space), byte);
        let address = self.address(reloc, pointer)?;
        let word = self.size_type();
        let op = [Op::ConvertPtrToU as u32, address];
        Ok(self.b.global(Op::SpecConstantOp, Some(word), &op))
    }

    /// The address of a global plus an addend, as a constant of a pointer type.
    fn address(&mut self, reloc: Reloc, pointer: u32) -> Result<u32, EmitError> {
        let target = self.global(reloc.target)?;
        let module = self.module;
        let global = module.global(reloc.target);
        let own = self.pointer_to(global.ty.ty, global.space);
        let mut address = target;
        let mut ty = own;
        if reloc.addend != 0 {
            let byte = self.memory_type(TypeTable::CHAR);
            let bytes = self.b.ty_pointer(storage_class(global.space), byte);
            let op = [Op::Bitcast as u32, address];
            let base = self.b.global(Op::SpecConstantOp, Some(bytes), &op);
            let addend = self.b.const_int(64, reloc.addend as u64);
            let op = [Op::InBoundsPtrAccessChain as u32, base, addend];
            address = self.b.global(Op::SpecConstantOp, Some(bytes), &op);
            ty = bytes;
        }
        if ty != pointer {
            let op = [Op::Bitcast as u32, address];
            address = self.b.global(Op::SpecConstantOp, Some(pointer), &op);
        }
        Ok(address)
    }
}
