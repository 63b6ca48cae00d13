//! Loads and stores of a part of an element: of narrow pieces, and of I32 values with
//! [`AccessFlags::BYTE`] or `SHORT`.

use super::access::{ArrayLocation, MemoryLocation};
use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{AccessFlags, Scope, Value};
use pumice_target::QuirkKind;
use rspirv::spirv::{Capability, GlslStd450Op, Op, StorageClass};

/// An element in memory, mostly a word, that holds the part.
pub(super) struct Word {
    pub ptr: Id,
    pub class: StorageClass,
    /// Bytes of the element.
    pub unit: u32,
    /// The part's byte; its low bits are those within the element.
    pub byte: Id,
}

impl Emitter<'_> {
    /// Remembers the last element of an array, in robust mode.
    pub fn confine_array(&mut self, var: Id, length: Id) {
        if !self.target.checks.robust() {
            return;
        }
        let last = match self.b.const_value(length) {
            Some(length) => self.b.const_u32(length - 1),
            None => {
                let (u32_ty, one) = (self.b.ty_int(32), self.b.const_u32(1));
                self.b.spec_op(Op::ISub, u32_ty, &[length, one])
            }
        };
        self.last_elements.insert(var, last);
    }

    /// The index of an element, or the last one's in robust mode: no access leaves its array then.
    pub fn confined_index(&mut self, var: Id, index: Id) -> Id {
        let Some(&last) = self.last_elements.get(&var) else {
            return index;
        };
        match (self.b.const_value(index), self.b.const_value(last)) {
            (Some(index), Some(last)) => self.b.const_u32(index.min(last)),
            _ => {
                let u32_ty = self.b.ty_int(32);
                self.b.glsl(GlslStd450Op::UMin, u32_ty, &[index, last])
            }
        }
    }

    /// The element of an array at a location.
    pub(super) fn array_word(&mut self, array: ArrayLocation) -> Word {
        Word {
            ptr: self.element(array, 0),
            class: array.class,
            unit: array.unit,
            byte: array.offset,
        }
    }

    /// Returns whether a load of so many bytes at an address takes a byte out of the word that holds it, for drivers that load words
    /// faster ([`QuirkKind::BytesByWord`]). Loads that the lanes make together are one vector as they are.
    pub(super) fn loads_by_word(&self, bytes: u32, flags: AccessFlags) -> bool {
        bytes == 1
            && self.target.quirks.has(QuirkKind::BytesByWord)
            && !flags.intersects(AccessFlags::TOGETHER | AccessFlags::VOLATILE)
    }

    /// The word, or the element of an array, that holds the byte at a location; `None` where there is none.
    pub(super) fn word_at(&mut self, location: MemoryLocation) -> Option<Word> {
        let u32_ty = self.b.ty_int(32);
        Some(match location {
            MemoryLocation::Nowhere => return None,
            MemoryLocation::Physical(address) => {
                let byte = self.wide_low(address);
                let start = self.wide_masked(Op::BitwiseAnd, address, !3);
                Word {
                    ptr: self.physical_pointer(start, u32_ty),
                    class: StorageClass::PhysicalStorageBuffer,
                    unit: 4,
                    byte,
                }
            }
            MemoryLocation::Array(array) => self.array_word(array),
            MemoryLocation::Buffer(location) => Word {
                ptr: self.buffer_element(&location, 4, 1, 0),
                class: location.class(),
                unit: 4,
                byte: location.offset,
            },
        })
    }

    /// A pointer to `bytes` bytes at a location where the device has such elements in memory, whether it computes with them or
    /// not: between two conversions it need not.
    fn narrow_element(
        &mut self,
        location: &MemoryLocation,
        bytes: u32,
    ) -> Option<(StorageClass, Id)> {
        let MemoryLocation::Physical(address) = *location else {
            return None;
        };
        let is_there = match bytes {
            1 => self.target.storage8.storage_buffer,
            _ => self.target.storage16.storage_buffer,
        };
        let class = StorageClass::PhysicalStorageBuffer;
        is_there.then(|| {
            self.declare_small(class, bytes);
            let narrow = self.b.ty_stored_int(8 * bytes);
            (class, self.physical_pointer(address, narrow))
        })
    }

    /// Loads `bytes` bytes, zero-extended to a word.
    pub fn load_part(
        &mut self,
        ptr: Value,
        bytes: u32,
        flags: AccessFlags,
    ) -> Result<Id, LowerError> {
        let location = self.load_location(ptr, flags)?;
        match location {
            MemoryLocation::Array(array) if array.unit < bytes => {
                return Ok(self.load_of_units(array, bytes, flags));
            }
            _ => {}
        }
        let by_word = self.loads_by_word(bytes, flags);
        let element = (!by_word).then(|| self.narrow_element(&location, bytes));
        if let Some((class, ptr)) = element.flatten() {
            let (u32_ty, narrow) = (self.b.ty_int(32), self.b.ty_stored_int(8 * bytes));
            let loaded = self.raw_load(class, ptr, narrow, bytes, flags);
            return Ok(self.b.op(Op::UConvert, u32_ty, &[loaded]));
        }
        let Some(word) = self.word_at(location) else {
            return Ok(self.b.const_u32(0));
        };
        let u32_ty = self.b.ty_int(32);
        let unit_ty = self.b.ty_int(word.unit * 8);
        let loaded = self.raw_load(word.class, word.ptr, unit_ty, word.unit, flags);
        let shift = self.bit_position(word.byte, word.unit);
        let mut value = self.b.op(Op::ShiftRightLogical, unit_ty, &[loaded, shift]);
        if word.unit != 4 {
            value = self.b.op(Op::UConvert, u32_ty, &[value]);
        }
        let mask = self.b.const_u32((1 << (8 * bytes)) - 1);
        Ok(self.b.op(Op::BitwiseAnd, u32_ty, &[value, mask]))
    }

    /// Stores the low `bytes` bytes of a word, whose others are zero. In memory that others may see
    /// the bytes around them stay theirs.
    pub fn store_part(
        &mut self,
        ptr: Value,
        value: Value,
        bytes: u32,
        flags: AccessFlags,
    ) -> Result<(), LowerError> {
        let stores_alone = self.stores_alone(value, bytes);
        let value = self.value(value);
        let location = self.location(ptr)?;
        if let MemoryLocation::Buffer(location) = &location {
            if location.is_read_only() {
                return Err(LowerError::new("a store to constant memory"));
            }
        }
        match location {
            MemoryLocation::Array(array) if array.unit < bytes => {
                self.store_of_units(array, (value, bytes), flags);
                return Ok(());
            }
            _ => {}
        }
        let element = (stores_alone.then(|| self.narrow_element(&location, bytes))).flatten();
        if let Some((class, ptr)) = element {
            let narrow = self.b.ty_stored_int(8 * bytes);
            let value = self.b.op(Op::UConvert, narrow, &[value]);
            self.raw_store(class, ptr, value, bytes, flags);
            return Ok(());
        }
        let Some(word) = self.word_at(location) else {
            return Ok(());
        };
        self.store_in_word(&word, (value, 4), bytes, flags);
        Ok(())
    }

    /// The elements of an array that hold `bytes` bytes: a pointer and the first bit of each.
    fn units(&mut self, array: ArrayLocation, bytes: u32) -> Vec<(Id, Id)> {
        (0..bytes / array.unit)
            .map(|n| {
                let ptr = self.element(array, n);
                (ptr, self.b.const_u32(8 * array.unit * n))
            })
            .collect()
    }

    /// Loads a part of an array whose elements are smaller.
    fn load_of_units(&mut self, array: ArrayLocation, bytes: u32, flags: AccessFlags) -> Id {
        let ArrayLocation { class, unit, .. } = array;
        let (u32_ty, unit_ty) = (self.b.ty_int(32), self.b.ty_int(8 * unit));
        let mut value = self.b.const_u32(0);
        for (ptr, first_bit) in self.units(array, bytes) {
            let loaded = self.raw_load(class, ptr, unit_ty, unit, flags);
            let wide = self.b.op(Op::UConvert, u32_ty, &[loaded]);
            let shifted = (self.b).op(Op::ShiftLeftLogical, u32_ty, &[wide, first_bit]);
            value = self.b.op(Op::BitwiseOr, u32_ty, &[value, shifted]);
        }
        value
    }

    /// Stores a part into an array whose elements are smaller.
    fn store_of_units(
        &mut self,
        array: ArrayLocation,
        (value, bytes): (Id, u32),
        flags: AccessFlags,
    ) {
        let ArrayLocation { class, unit, .. } = array;
        let (u32_ty, unit_ty) = (self.b.ty_int(32), self.b.ty_int(8 * unit));
        for (ptr, first_bit) in self.units(array, bytes) {
            let shifted = (self.b).op(Op::ShiftRightLogical, u32_ty, &[value, first_bit]);
            let narrow = self.b.op(Op::UConvert, unit_ty, &[shifted]);
            self.raw_store(class, ptr, narrow, unit, flags);
        }
    }

    /// Stores the low `bytes` bytes of a value of `width` bytes into an element.
    pub(super) fn store_in_word(
        &mut self,
        word: &Word,
        (value, width): (Id, u32),
        bytes: u32,
        flags: AccessFlags,
    ) {
        let (bits, widths) = ((word.byte, value, width), [bytes, word.unit]);
        match word.class {
            StorageClass::Workgroup => self.paste(word.ptr, bits, widths, Scope::Workgroup),
            StorageClass::Function | StorageClass::Private => {
                self.replace(word.class, word.ptr, bits, widths, flags);
            }
            _ => self.paste(word.ptr, bits, widths, Scope::Device),
        }
    }

    /// Writes bytes of an element and leaves the others alone. `value` is an integer of so many
    /// bytes, beginning at byte `at`.
    pub fn paste(&mut self, ptr: Id, bits: (Id, Id, u32), widths: [u32; 2], scope: Scope) {
        let unit = widths[1];
        let unit_ty = self.b.ty_int(unit * 8);
        let [keep, bits] = self.field(bits, widths);
        if unit == 8 {
            self.b.capability(Capability::Int64Atomics);
        }
        let (scope, relaxed) = (self.scope(scope), self.b.const_u32(0));
        self.b
            .op(Op::AtomicAnd, unit_ty, &[ptr, scope, relaxed, keep]);
        self.b
            .op(Op::AtomicOr, unit_ty, &[ptr, scope, relaxed, bits]);
    }

    /// The same where nobody else writes meanwhile.
    pub fn replace(
        &mut self,
        class: StorageClass,
        ptr: Id,
        bits: (Id, Id, u32),
        widths: [u32; 2],
        flags: AccessFlags,
    ) {
        let unit = widths[1];
        let unit_ty = self.b.ty_int(unit * 8);
        let [keep, bits] = self.field(bits, widths);
        let old = self.raw_load(class, ptr, unit_ty, unit, flags);
        let kept = self.b.op(Op::BitwiseAnd, unit_ty, &[old, keep]);
        let new = self.b.op(Op::BitwiseOr, unit_ty, &[kept, bits]);
        self.raw_store(class, ptr, new, unit, flags);
    }

    /// The bits of its element that a narrower value leaves, and its own bits in their place.
    fn field(&mut self, (at, value, bytes): (Id, Id, u32), [width, unit]: [u32; 2]) -> [Id; 2] {
        let unit_ty = self.b.ty_int(unit * 8);
        let shift = self.bit_position(at, unit);
        let ones = self.b.const_int(unit * 8, (1u64 << (width * 8)) - 1);
        let field = self.b.op(Op::ShiftLeftLogical, unit_ty, &[ones, shift]);
        let keep = self.b.op(Op::Not, unit_ty, &[field]);
        let wide = match bytes == unit {
            true => value,
            false => self.b.op(Op::UConvert, unit_ty, &[value]),
        };
        let bits = self.b.op(Op::ShiftLeftLogical, unit_ty, &[wide, shift]);
        [keep, bits]
    }

    /// The bit within its element at which a byte begins: a 32-bit number.
    pub fn bit_position(&mut self, byte: Id, unit: u32) -> Id {
        let u32_ty = self.b.ty_int(32);
        let (mask, three) = (self.b.const_u32(unit - 1), self.b.const_u32(3));
        let within = self.b.op(Op::BitwiseAnd, u32_ty, &[byte, mask]);
        self.b.op(Op::ShiftLeftLogical, u32_ty, &[within, three])
    }
}
