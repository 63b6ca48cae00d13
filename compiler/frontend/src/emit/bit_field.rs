//! Bit-fields: read and written by the bytes that they have a part in, so that no neighbour is.

use rspirv::spirv::Op;

use super::EmitError;
use super::function::FunctionEmitter;
use super::lvalue::Addr;
use crate::lang::types::{AddrSpace, BitField, Type, TypeId, TypeTable};
use crate::sema::typed::LocalId;

/// A bit-field in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    /// Pointer to its first byte.
    pub(super) pointer: u32,
    /// Its bits from there.
    pub(super) bits: BitField,
    /// Its type.
    pub(super) ty: TypeId,
    /// The address space.
    pub(super) space: AddrSpace,
    /// `volatile`
    pub(super) volatile: bool,
}

impl Bits {
    /// The same in private memory.
    pub(super) fn private(pointer: u32, bits: BitField, ty: TypeId) -> Self {
        let space = AddrSpace::Private;
        let volatile = false;
        Self {
            pointer,
            bits,
            ty,
            space,
            volatile,
        }
    }

    /// Bits of the word that the bytes are joined in.
    fn word(self) -> u32 {
        match self.bits.bytes() {
            0..=4 => 32,
            _ => 64,
        }
    }
}

impl FunctionEmitter<'_, '_> {
    /// Clears a variable with bit-fields that has no initialiser: to write one of them reads its
    /// neighbours, which check mode takes for a use of what nothing wrote.
    pub(super) fn clear_bit_fields(&mut self, local: LocalId) -> Result<(), EmitError> {
        let variable = self.body.local(local);
        let (ty, align) = (variable.ty.ty, variable.align);
        if !self.holds_bit_fields(ty) {
            return Ok(());
        }
        let pointer = self.local(local);
        self.clear(pointer, ty, align)
    }

    fn holds_bit_fields(&self, ty: TypeId) -> bool {
        let types = &self.e.module.types;
        match types.get(ty) {
            Type::Array { elem, .. } => self.holds_bit_fields(elem.ty),
            Type::Record(record) => (types.record(*record).fields.iter())
                .any(|field| field.bits.is_some() || self.holds_bit_fields(field.ty.ty)),
            _ => false,
        }
    }

    /// The bits of a record's field, if it is a bit-field.
    pub(super) fn bits_in(&self, record: TypeId, field: u32) -> Option<BitField> {
        let types = &self.e.module.types;
        let record = types.record(types.record_id(record)?);
        record.fields.get(field as usize)?.bits
    }

    fn byte_address(&mut self, place: Bits, index: u8) -> u32 {
        if index == 0 {
            return place.pointer;
        }
        let bytes = self.e.pointer_to(TypeTable::UCHAR, place.space);
        let index = self.e.b.const_int(64, index.into());
        let operands = [place.pointer, index];
        (self.e.b).op(Op::InBoundsPtrAccessChain, bytes, &operands)
    }

    fn byte(&mut self, place: Bits, index: u8) -> u32 {
        let pointer = self.byte_address(place, index);
        self.load_value(pointer, TypeTable::UCHAR, 1, place.volatile)
    }

    fn shifted(&mut self, op: Op, bits: u32, value: u32, by: u32) -> u32 {
        if by == 0 {
            return value;
        }
        let ty = self.e.b.ty_int(bits);
        let by = self.e.b.const_int(bits, by.into());
        self.e.b.op(op, ty, &[value, by])
    }

    /// An integer of one width as one of another, extended with zeros.
    fn resized(&mut self, value: u32, from: u32, to: u32) -> u32 {
        if from == to {
            return value;
        }
        let ty = self.e.b.ty_int(to);
        self.e.b.op(Op::UConvert, ty, &[value])
    }

    /// The value in a bit-field.
    pub(super) fn load_bits(&mut self, place: Bits) -> u32 {
        let BitField { shift, width } = place.bits;
        let word = place.word();
        let ty = self.e.b.ty_int(word);
        let mut joined = None;
        for index in 0..place.bits.bytes() {
            let byte = self.byte(place, index);
            let byte = self.resized(byte, 8, word);
            let place = u32::from(index) * 8;
            let byte = match place.checked_sub(shift.into()) {
                Some(left) => self.shifted(Op::ShiftLeftLogical, word, byte, left),
                None => self.shifted(Op::ShiftRightLogical, word, byte, shift.into()),
            };
            joined = Some(match joined {
                None => byte,
                Some(joined) => self.e.b.op(Op::BitwiseOr, ty, &[joined, byte]),
            });
        }
        let value = joined.unwrap_or(place.pointer);
        self.extended(value, word, width, place.ty)
    }

    /// The low bits of a word as a value of type `ty`, with their sign if it has one.
    fn extended(&mut self, value: u32, word: u32, width: u8, ty: TypeId) -> u32 {
        let types = &self.e.module.types;
        let signed = types.is_signed(ty);
        let own = types.size(ty) as u32 * 8;
        let is_bool = matches!(types.get(ty), Type::Bool);
        let unused = word - u32::from(width);
        let right = match signed {
            true => Op::ShiftRightArithmetic,
            false => Op::ShiftRightLogical,
        };
        let value = self.shifted(Op::ShiftLeftLogical, word, value, unused);
        let value = self.shifted(right, word, value, unused);
        if is_bool {
            let bool_ty = self.e.b.ty_bool();
            let zero = self.e.b.const_int(word, 0);
            return self.e.b.op(Op::INotEqual, bool_ty, &[value, zero]);
        }
        if own == word {
            return value;
        }
        let ty = self.e.b.ty_int(own);
        let op = if signed { Op::SConvert } else { Op::UConvert };
        self.e.b.op(op, ty, &[value])
    }

    /// A value of a bit-field's type as a word.
    fn as_word(&mut self, value: u32, ty: TypeId, word: u32) -> u32 {
        let types = &self.e.module.types;
        if matches!(types.get(ty), Type::Bool) {
            let int = self.e.b.ty_int(word);
            let [one, zero] = [1, 0].map(|number| self.e.b.const_int(word, number));
            return self.e.b.op(Op::Select, int, &[value, one, zero]);
        }
        let own = types.size(ty) as u32 * 8;
        self.resized(value, own, word)
    }

    /// Writes a bit-field's bytes; other bits keep their values.
    pub(super) fn store_bits(&mut self, place: Bits, value: u32) {
        let BitField { shift, width } = place.bits;
        let word = place.word();
        let value = self.as_word(value, place.ty, word);
        let char_ty = self.e.b.ty_int(8);
        let ones = ((1u128 << width) - 1) << shift;
        for index in 0..place.bits.bytes() {
            let at = u32::from(index) * 8;
            let mask = (ones >> at) as u8;
            let part = match at.checked_sub(shift.into()) {
                Some(right) => self.shifted(Op::ShiftRightLogical, word, value, right),
                None => self.shifted(Op::ShiftLeftLogical, word, value, shift.into()),
            };
            let mut part = self.resized(part, word, 8);
            if mask != u8::MAX {
                let own = self.e.b.const_int(8, mask.into());
                let others = self.e.b.const_int(8, (!mask).into());
                let old = self.byte(place, index);
                let old = self.e.b.op(Op::BitwiseAnd, char_ty, &[old, others]);
                part = self.e.b.op(Op::BitwiseAnd, char_ty, &[part, own]);
                part = self.e.b.op(Op::BitwiseOr, char_ty, &[old, part]);
            }
            let pointer = self.byte_address(place, index);
            self.store_value(pointer, TypeTable::UCHAR, part, 1, place.volatile);
        }
    }

    /// The value of an assignment: what the target holds then, which has fewer bits in a bit-field.
    pub(super) fn stored(&mut self, addr: &Addr, value: u32) -> u32 {
        let Addr::Bits(place) = addr else {
            return value;
        };
        let own = self.e.module.types.size(place.ty) as u32 * 8;
        let word = own.max(32);
        let value = self.as_word(value, place.ty, word);
        self.extended(value, word, place.bits.width, place.ty)
    }
}
