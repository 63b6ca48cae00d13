//! Loads and stores: the memory forms of each address space.
//!
//! A lane of `size` bytes is accessed in pieces of `min(size, alignment, element)` bytes:
//! physical pointers have no element of their own, arrays have their partition's. Pieces
//! narrower than the element (only beside atomics) are read by shifts and written by atomic
//! and/or, so that a sub-word store never disturbs its neighbours.

use super::buffers::BufferLocation;
use super::builder::Id;
use super::emitter::Emitter;
use super::parts::Word;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases;
use pumice_ir::{AccessFlags, AddressSpace, BuiltIn, Scalar, Type, Value};
use pumice_target::QuirkKind;
use rspirv::spirv::{Capability, Op, StorageClass};
use smallvec::SmallVec;

const VOLATILE: u32 = 1;
const ALIGNED: u32 = 2;
const NONTEMPORAL: u32 = 4;
const NON_PRIVATE: u32 = 0x20;

/// The target of an access.
pub(crate) enum MemoryLocation {
    /// A constant address where no object lies: loads give zero, stores are dropped.
    Nowhere,
    /// A 64-bit device address.
    Physical(Id),
    /// An array.
    Array(ArrayLocation),
    /// A descriptor, at a byte offset.
    Buffer(BufferLocation),
}

/// The target of an access to an array of `unit`-byte elements, at a byte offset.
#[derive(Clone, Copy)]
pub(crate) struct ArrayLocation {
    pub var: Id,
    pub class: StorageClass,
    pub unit: u32,
    pub offset: Id,
}

/// The memory of a piece.
enum Piece {
    /// An element of the piece's width: its storage class and a pointer.
    Element(StorageClass, Id),
    /// A part of an element.
    Part(Word),
}

impl Emitter<'_> {
    pub fn location(&mut self, ptr: Value) -> Result<MemoryLocation, LowerError> {
        let space = self.value_ty(ptr).address_space().ok_or_else(|| {
            LowerError::new("internal: access through a value that is no pointer")
        })?;
        let id = self.value(ptr);
        match space {
            AddressSpace::Global | AddressSpace::Constant if self.has_buffers() => {
                self.buffer_location(ptr)
            }
            AddressSpace::Global | AddressSpace::Constant => {
                let near = self.near_of.get(&ptr).map(|near| near.address);
                Ok(MemoryLocation::Physical(near.unwrap_or(id)))
            }
            AddressSpace::Generic => {
                Err(LowerError::new("internal: generic access reached emission"))
            }
            AddressSpace::Local | AddressSpace::Private => {
                let Some(partition) = self
                    .parts
                    .of_value(self.cur, ptr)
                    .or_else(|| self.parts.escaped(space))
                else {
                    return Ok(MemoryLocation::Nowhere);
                };
                let part = &self.parts.list[partition as usize];
                if let Some(base) = self.local_base.filter(|_| part.is_for_buffers()) {
                    let offset = self.widen(id);
                    let address = self.wide_sum(Op::IAdd, base, offset);
                    return Ok(MemoryLocation::Physical(address));
                }
                let (unit, bias) = (part.unit, part.bias);
                let array = self.array(partition);
                let offset = if bias == 0 {
                    id
                } else {
                    let u32_ty = self.b.ty_int(32);
                    let bias = self.b.const_u32(bias);
                    self.b.op(Op::ISub, u32_ty, &[id, bias])
                };
                Ok(MemoryLocation::Array(ArrayLocation {
                    var: array.var,
                    class: array.class,
                    unit,
                    offset,
                }))
            }
        }
    }

    pub fn memory_operands(&self, class: StorageClass, align: u32, flags: AccessFlags) -> [u32; 2] {
        let mut mask = 0;
        if flags.contains(AccessFlags::VOLATILE) {
            mask |= VOLATILE;
        }
        if flags.contains(AccessFlags::NONTEMPORAL) {
            mask |= NONTEMPORAL;
        }
        let shared = matches!(
            class,
            StorageClass::PhysicalStorageBuffer
                | StorageClass::StorageBuffer
                | StorageClass::Workgroup
        );
        if shared && self.target.vulkan_memory_model {
            mask |= NON_PRIVATE;
        }
        if class == StorageClass::PhysicalStorageBuffer {
            mask |= ALIGNED;
        }
        [mask, align]
    }

    /// Type of a value as it lies in memory: pointers are 64-bit integers.
    fn memory_ty(&mut self, ty: Type) -> Id {
        match ty.scalar {
            Scalar::Ptr(_) if !self.target.int64 => self.wide_ty(),
            Scalar::Ptr(_) => self.ty(ty.with_scalar(Scalar::I64)),
            _ => self.ty(ty),
        }
    }

    pub fn declare_small(&mut self, class: StorageClass, bytes: u32) {
        if matches!(
            class,
            StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer
        ) {
            match bytes {
                1 => self.b.capability(Capability::StorageBuffer8BitAccess),
                2 => self.b.capability(Capability::StorageBuffer16BitAccess),
                _ => {}
            }
        }
    }

    pub fn raw_load(
        &mut self,
        class: StorageClass,
        ptr: Id,
        ty: Id,
        align: u32,
        flags: AccessFlags,
    ) -> Id {
        let [mask, align] = self.memory_operands(class, align, flags);
        match (mask, mask & ALIGNED) {
            (0, _) => self.b.op(Op::Load, ty, &[ptr]),
            (_, 0) => self.b.op(Op::Load, ty, &[ptr, mask]),
            _ => self.b.op(Op::Load, ty, &[ptr, mask, align]),
        }
    }

    pub fn raw_store(
        &mut self,
        class: StorageClass,
        ptr: Id,
        value: Id,
        align: u32,
        flags: AccessFlags,
    ) {
        let [mask, align] = self.memory_operands(class, align, flags);
        match (mask, mask & ALIGNED) {
            (0, _) => self.b.stmt(Op::Store, &[ptr, value]),
            (_, 0) => self.b.stmt(Op::Store, &[ptr, value, mask]),
            _ => self.b.stmt(Op::Store, &[ptr, value, mask, align]),
        }
    }

    /// `address + bytes` for a device address.
    fn add_to_address(&mut self, address: Id, bytes: u32) -> Id {
        if bytes == 0 {
            return address;
        }
        let bytes = self.wide_constant(u64::from(bytes));
        self.wide_sum(Op::IAdd, address, bytes)
    }

    /// `id + bytes` for an offset.
    pub fn add_bytes(&mut self, id: Id, bytes: u32) -> Id {
        if bytes == 0 {
            return id;
        }
        let ty = self.b.ty_int(32);
        let bytes = self.b.const_u32(bytes);
        self.b.op(Op::IAdd, ty, &[id, bytes])
    }

    /// The number of the element that holds byte `offset`, plus `more` elements.
    pub fn element_index(&mut self, offset: Id, unit: u32, more: u32) -> Id {
        let u32_ty = self.b.ty_int(32);
        let mut index = offset;
        if unit > 1 {
            index = self.divided(offset, unit).unwrap_or_else(|| {
                let shift = self.b.const_u32(unit.trailing_zeros());
                self.b.op(Op::ShiftRightLogical, u32_ty, &[offset, shift])
            });
        }
        self.add_bytes(index, more)
    }

    /// A pointer to the element `more` elements behind that of a location.
    pub fn element(&mut self, array: ArrayLocation, more: u32) -> Id {
        let index = self.element_index(array.offset, array.unit, more);
        let index = self.confined_index(array.var, index);
        let element = self.b.ty_int(array.unit * 8);
        let ptr = self.b.ty_pointer(array.class, element);
        self.b.op(Op::AccessChain, ptr, &[array.var, index])
    }

    /// A pointer to the whole element at `ptr`, for atomics of `bytes` bytes; `None` where no object lies, which
    /// only code that never runs reaches: a test of the pointer guards it.
    pub fn atomic_pointer(
        &mut self,
        ptr: Value,
        bytes: u32,
    ) -> Result<Option<(Id, StorageClass)>, LowerError> {
        Ok(Some(match self.location(ptr)? {
            MemoryLocation::Nowhere => return Ok(None),
            MemoryLocation::Physical(address) => {
                let ty = self.b.ty_int(bytes * 8);
                let ptr = self.physical_pointer(address, ty);
                (ptr, StorageClass::PhysicalStorageBuffer)
            }
            MemoryLocation::Array(array) => {
                if array.unit != bytes {
                    return Err(LowerError::new(
                        "internal: atomics of two widths on one array",
                    ));
                }
                (self.element(array, 0), array.class)
            }
            MemoryLocation::Buffer(location) => {
                let class = StorageClass::StorageBuffer;
                if location.is_read_only() {
                    return Err(LowerError::new("atomic operation on constant memory"));
                }
                (self.buffer_element(&location, bytes, 1, 0), class)
            }
        }))
    }

    /// The memory of a piece of `width` bytes, `at` bytes behind the location; `None` where there
    /// is none.
    fn piece(&mut self, location: &MemoryLocation, at: u32, width: u32) -> Option<Piece> {
        Some(match *location {
            MemoryLocation::Nowhere => return None,
            MemoryLocation::Physical(address) => {
                let class = StorageClass::PhysicalStorageBuffer;
                self.declare_small(class, width);
                let address = self.add_to_address(address, at);
                let piece_ty = self.b.ty_int(width * 8);
                Piece::Element(class, self.physical_pointer(address, piece_ty))
            }
            MemoryLocation::Array(array) => {
                if width == array.unit {
                    let ptr = self.element(array, at / width);
                    return Some(Piece::Element(array.class, ptr));
                }
                let offset = self.add_bytes(array.offset, at);
                Piece::Part(self.array_word(ArrayLocation { offset, ..array }))
            }
            MemoryLocation::Buffer(ref location) => {
                let class = location.class();
                let unit = self.buffer_unit(location, width);
                if width == unit {
                    self.declare_small(class, width);
                    let ptr = self.buffer_element(location, unit, 1, at);
                    return Some(Piece::Element(class, ptr));
                }
                let location = self.moved(location, at);
                Piece::Part(Word {
                    ptr: self.buffer_element(&location, unit, 1, 0),
                    class,
                    unit,
                    byte: location.offset,
                })
            }
        })
    }

    /// Loads one piece of `width` bytes, `at` bytes behind the location, as an integer.
    fn load_piece(
        &mut self,
        location: &MemoryLocation,
        at: u32,
        width: u32,
        flags: AccessFlags,
    ) -> Id {
        let piece_ty = self.b.ty_int(width * 8);
        let piece = match *location {
            MemoryLocation::Physical(address) if self.loads_by_word(width, flags) => {
                let address = self.add_to_address(address, at);
                let word = self.word_at(MemoryLocation::Physical(address));
                word.map(Piece::Part)
            }
            _ => self.piece(location, at, width),
        };
        match piece {
            None => self.b.unique(Op::ConstantNull, Some(piece_ty), &[]),
            Some(Piece::Element(class, ptr)) => self.raw_load(class, ptr, piece_ty, width, flags),
            Some(Piece::Part(word)) => {
                let unit_ty = self.b.ty_int(word.unit * 8);
                let loaded = self.raw_load(word.class, word.ptr, unit_ty, word.unit, flags);
                self.cut(loaded, word.byte, width, word.unit)
            }
        }
    }

    /// `width` bytes of an element, from the byte on that `byte` is within it.
    fn cut(&mut self, word: Id, byte: Id, width: u32, unit: u32) -> Id {
        let (unit_ty, piece_ty) = (self.b.ty_int(unit * 8), self.b.ty_int(width * 8));
        let shift = self.bit_position(byte, unit);
        let shifted = self.b.op(Op::ShiftRightLogical, unit_ty, &[word, shift]);
        self.b.op(Op::UConvert, piece_ty, &[shifted])
    }

    /// Stores one piece of `width` bytes, `at` bytes behind the location.
    fn store_piece(
        &mut self,
        location: &MemoryLocation,
        at: u32,
        width: u32,
        value: Id,
        flags: AccessFlags,
    ) {
        match self.piece(location, at, width) {
            None => {}
            Some(Piece::Element(class, ptr)) => self.raw_store(class, ptr, value, width, flags),
            Some(Piece::Part(word)) => self.store_in_word(&word, (value, width), width, flags),
        }
    }

    /// Joins integer pieces, low first, into one integer.
    fn join_pieces(&mut self, pieces: &[Id], width: u32, bytes: u32) -> Id {
        if let [one] = pieces {
            return *one;
        }
        if bytes == 8 && (width == 4 || !self.target.int64) {
            let (low, high) = pieces.split_at(pieces.len() / 2);
            let words = [low, high].map(|half| self.join_pieces(half, width, 4));
            return self.wide_of_words(words);
        }
        let ty = self.b.ty_int(bytes * 8);
        let mut sum = None;
        for (i, &piece) in pieces.iter().enumerate() {
            let mut wide = self.b.op(Op::UConvert, ty, &[piece]);
            if i > 0 {
                let shift = self.b.const_u32(i as u32 * width * 8);
                wide = self.b.op(Op::ShiftLeftLogical, ty, &[wide, shift]);
            }
            sum = Some(match sum {
                None => wide,
                Some(low) => self.b.op(Op::BitwiseOr, ty, &[low, wide]),
            });
        }
        sum.unwrap_or(0)
    }

    fn split_pieces(&mut self, value: Id, width: u32, bytes: u32) -> SmallVec<[Id; 8]> {
        if width == bytes {
            return SmallVec::from_slice(&[value]);
        }
        if bytes == 8 && !self.target.int64 {
            let words = self
                .wide_words(value)
                .map(|word| self.split_pieces(word, width, 4));
            return words.into_iter().flatten().collect();
        }
        let ty = self.b.ty_int(bytes * 8);
        let piece_ty = self.b.ty_int(width * 8);
        (0..bytes / width)
            .map(|i| {
                let mut piece = value;
                if i > 0 {
                    let shift = self.b.const_u32(i * width * 8);
                    piece = self.b.op(Op::ShiftRightLogical, ty, &[piece, shift]);
                }
                self.b.op(Op::UConvert, piece_ty, &[piece])
            })
            .collect()
    }

    /// From an integer of the scalar's width in memory to the register form.
    pub fn register_form(&mut self, bits: Id, scalar: Scalar) -> Id {
        match scalar {
            Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                let ty = self.scalar_ty(scalar);
                self.b.op(Op::Bitcast, ty, &[bits])
            }
            Scalar::Ptr(_) if self.is_offset_pointer(Type::scalar(scalar)) => self.wide_low(bits),
            _ => bits,
        }
    }

    /// From the register form to an integer of the scalar's width in memory.
    pub fn memory_form(&mut self, value: Id, scalar: Scalar) -> Id {
        match scalar {
            Scalar::F64 => {
                let ty = self.wide_ty();
                self.b.op(Op::Bitcast, ty, &[value])
            }
            Scalar::F16 | Scalar::F32 => {
                let ty = self.b.ty_int(scalar.bits());
                self.b.op(Op::Bitcast, ty, &[value])
            }
            Scalar::Ptr(AddressSpace::Local | AddressSpace::Private) => self.widen(value),
            _ => value,
        }
    }

    fn piece_width(&self, location: &MemoryLocation, size: u32, align: u32) -> u32 {
        let widest = if self.target.int64 { 8 } else { 4 };
        let width = size.min(align.max(1)).min(widest);
        match location {
            MemoryLocation::Physical(_) | MemoryLocation::Nowhere => width,
            MemoryLocation::Array(array) => width.min(array.unit),
            // Uniform buffers are rows of words.
            MemoryLocation::Buffer(location) if location.class() == StorageClass::Uniform => {
                width.min(4)
            }
            MemoryLocation::Buffer(_) => width,
        }
    }

    /// The location of a load. For drivers that ignore branches ([`QuirkKind::LoadsIgnoreBranches`]) an
    /// address gets a zero added that is different in every lane, as far as anybody knows: a lane's
    /// number has no bit 31. Loads that the lanes make together keep theirs: the branch to them is skipped by all, and
    /// too long to be made part of what is before.
    pub fn load_location(
        &mut self,
        ptr: Value,
        flags: AccessFlags,
    ) -> Result<MemoryLocation, LowerError> {
        let ignores_branches = self.target.quirks.has(QuirkKind::LoadsIgnoreBranches)
            && !flags.contains(AccessFlags::TOGETHER);
        let location = self.location(ptr)?;
        match location {
            MemoryLocation::Physical(address) if self.behind_branch && ignores_branches => {
                let u32_ty = self.b.ty_int(32);
                let lane = self.builtin(BuiltIn::SubgroupLocalId)?;
                let top = self.b.const_u32(31);
                let zero = self.b.op(Op::ShiftRightLogical, u32_ty, &[lane, top]);
                let zero = self.widen(zero);
                let address = self.wide_sum(Op::IAdd, address, zero);
                Ok(MemoryLocation::Physical(address))
            }
            MemoryLocation::Buffer(buffer) => Ok(MemoryLocation::Buffer(buffer.for_load(flags))),
            location => Ok(location),
        }
    }

    /// A load of `ty` into register form.
    pub fn load(
        &mut self,
        ptr: Value,
        ty: Type,
        align: u32,
        flags: AccessFlags,
    ) -> Result<Id, LowerError> {
        if let Some(bytes) = flags.part_bytes() {
            return self.load_part(ptr, bytes, flags);
        }
        let location = self.load_location(ptr, flags)?;
        let size = ty.scalar.bytes();
        if let MemoryLocation::Physical(address) = location {
            if align >= size && !self.loads_by_word(size, flags) {
                let class = StorageClass::PhysicalStorageBuffer;
                self.declare_small(class, size);
                let memory = self.memory_ty(ty);
                let ptr = match flags.contains(AccessFlags::READ_ONLY) && self.target.int64 {
                    true => self.read_only_pointer(address, memory),
                    false => self.physical_pointer(address, memory),
                };
                let loaded = self.raw_load(class, ptr, memory, align, flags);
                return Ok(match ty.scalar {
                    Scalar::Ptr(_) => self.register_form(loaded, ty.scalar),
                    _ => loaded,
                });
            }
        }
        if let MemoryLocation::Buffer(location) = &location {
            if let Some(loaded) = self.load_vector(location, ty, align, flags) {
                return Ok(loaded);
            }
        }
        let width = self.piece_width(&location, size, align);
        let mut lanes: SmallVec<[Id; 4]> = SmallVec::new();
        for lane in 0..u32::from(ty.lanes) {
            let pieces: SmallVec<[Id; 8]> = (0..size / width)
                .map(|i| self.load_piece(&location, lane * size + i * width, width, flags))
                .collect();
            let bits = self.join_pieces(&pieces, width, size);
            lanes.push(self.register_form(bits, ty.scalar));
        }
        Ok(self.build(ty, &lanes))
    }

    /// A vector from its lanes, or the lane itself.
    pub fn build(&mut self, ty: Type, lanes: &[Id]) -> Id {
        if let [one] = lanes {
            return *one;
        }
        let ty = self.ty(ty);
        self.b.op(Op::CompositeConstruct, ty, lanes)
    }

    /// One lane of a value in register form.
    pub fn lane(&mut self, value: Id, ty: Type, lane: u32) -> Id {
        if ty.lanes == 1 {
            return value;
        }
        let scalar = self.scalar_ty(ty.scalar);
        self.b.op(Op::CompositeExtract, scalar, &[value, lane])
    }

    /// A store.
    pub fn store(
        &mut self,
        ptr: Value,
        value: Value,
        align: u32,
        flags: AccessFlags,
    ) -> Result<(), LowerError> {
        if let Some(bytes) = flags.part_bytes() {
            return self.store_part(ptr, value, bytes, flags);
        }
        let mut ty = self.value_ty(value);
        let mut id = self.value(value);
        if self.has_buffers() && bases::is_buffer_pointer(ty) {
            // In memory it says which buffer it points into.
            (ty, id) = (Type::ptr(AddressSpace::Generic), self.number_of(value)?);
        }
        let location = self.location(ptr)?;
        let size = ty.scalar.bytes();
        if let MemoryLocation::Physical(address) = location {
            if align >= size {
                let class = StorageClass::PhysicalStorageBuffer;
                self.declare_small(class, size);
                let memory = self.memory_ty(ty);
                let id = match ty.scalar {
                    Scalar::Ptr(_) => self.memory_form(id, ty.scalar),
                    _ => id,
                };
                let ptr = self.physical_pointer(address, memory);
                self.raw_store(class, ptr, id, align, flags);
                return Ok(());
            }
        }
        if let MemoryLocation::Buffer(location) = &location {
            if location.is_read_only() {
                return Err(LowerError::new("a store to constant memory"));
            }
            if self.store_vector(location, id, ty, align, flags) {
                return Ok(());
            }
        }
        let width = self.piece_width(&location, size, align);
        for lane in 0..u32::from(ty.lanes) {
            let scalar = self.lane(id, ty, lane);
            let bits = self.memory_form(scalar, ty.scalar);
            for (i, piece) in self.split_pieces(bits, width, size).into_iter().enumerate() {
                self.store_piece(
                    &location,
                    lane * size + i as u32 * width,
                    width,
                    piece,
                    flags,
                );
            }
        }
        Ok(())
    }
}
