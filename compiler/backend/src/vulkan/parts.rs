//! Loads and stores of a part of a word: of I32 values with [`AccessFlags::BYTE`] or `SHORT`.

use super::access::Place;
use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{AccessFlags, Scope, Value};
use rspirv::spirv::{Op, StorageClass};

/// A word in memory that holds the part.
struct Word {
    ptr: Id,
    class: StorageClass,
    /// Bytes of the word: of a local or private array the element's.
    unit: u32,
    /// The part's byte; its low bits are those within the word.
    byte: Id,
}

impl Emitter<'_> {
    fn word_at(&mut self, place: Place) -> Option<Word> {
        let u32_ty = self.b.ty_int(32);
        Some(match place {
            Place::Nowhere => return None,
            Place::Physical(address) => {
                let byte = self.wide_low(address);
                let start = self.wide_masked(Op::BitwiseAnd, address, !3);
                Word {
                    ptr: self.physical_pointer(start, u32_ty),
                    class: StorageClass::PhysicalStorageBuffer,
                    unit: 4,
                    byte,
                }
            }
            Place::Array {
                var,
                class,
                unit,
                offset,
            } => Word {
                ptr: self.element(var, class, unit, offset, 0),
                class,
                unit,
                byte: offset,
            },
            Place::Buffer(place) => Word {
                ptr: self.buffer_element(&place, 4, 1, 0),
                class: place.class(),
                unit: 4,
                byte: place.offset,
            },
        })
    }

    /// Loads `bytes` bytes, zero-extended to a word.
    pub fn load_part(
        &mut self,
        ptr: Value,
        bytes: u32,
        flags: AccessFlags,
    ) -> Result<Id, LowerError> {
        let place = self.load_place(ptr)?;
        let Some(word) = self.word_at(place) else {
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
        let value = self.value(value);
        let place = self.place(ptr)?;
        if let Place::Buffer(place) = &place {
            if place.is_read_only() {
                return Err(LowerError::new("a store to constant memory"));
            }
        }
        let Some(word) = self.word_at(place) else {
            return Ok(());
        };
        let widths = [bytes, word.unit];
        let scope = match word.class {
            StorageClass::Workgroup => Scope::Workgroup,
            StorageClass::Function | StorageClass::Private => {
                self.replace(word.class, word.ptr, (word.byte, value, 4), widths, flags);
                return Ok(());
            }
            _ => Scope::Device,
        };
        self.paste(word.ptr, (word.byte, value, 4), widths, scope);
        Ok(())
    }
}
