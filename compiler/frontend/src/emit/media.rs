//! Functions of cl_amd_media_ops and cl_amd_media_ops2, made of integer operations on whole words.

use rspirv::spirv::{Op, OpenclStd100Op as Std};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::table::{Lower, MediaFunction, Three};
use crate::lang::types::TypeId;
use crate::sema::typed::ExprId;

/// Integers of one width, scalars or vectors.
#[derive(Clone, Copy)]
struct Words {
    ty: u32,
    bits: u32,
    lanes: u32,
}

impl FunctionEmitter<'_, '_> {
    /// Functions on packed bytes; `None` for other rows.
    pub fn media(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let Lower::Media(function) = lower else {
            return Ok(None);
        };
        let first = args.first().map_or(ty, |arg| self.body.expr(*arg).ty);
        let lanes = u32::from(self.e.module.types.elem_lanes(first).1);
        let mut v = Vec::with_capacity(args.len());
        for arg in args {
            v.push(self.expr(*arg)?);
        }
        let w = self.words(32, lanes);
        Ok(Some(match function {
            MediaFunction::Align(shift) => self.align_words(w, &v, shift),
            MediaFunction::Lerp => self.lerp(w, &v),
            MediaFunction::SumBytes { masked, shift } => {
                let sum = self.sum_parts(w, [v[0], v[1]], 8, masked);
                let sum = self.shift(w, Op::ShiftLeftLogical, sum, shift);
                self.e.b.op(Op::IAdd, w.ty, &[v[2], sum])
            }
            MediaFunction::SumBytesOf4 => {
                let sums = self.sum_parts(w, [v[0], v[1]], 8, false);
                let uint = self.e.b.ty_int(32);
                (0..4).fold(v[2], |sum, lane| {
                    let part = self.e.b.op(Op::CompositeExtract, uint, &[sums, lane]);
                    self.e.b.op(Op::IAdd, uint, &[sum, part])
                })
            }
            MediaFunction::SumShorts => {
                let sum = self.sum_parts(w, [v[0], v[1]], 16, false);
                self.e.b.op(Op::IAdd, w.ty, &[v[2], sum])
            }
            MediaFunction::SumWords => {
                let distance = self.e.b.ext(Std::u_abs_diff as u32, w.ty, &[v[0], v[1]]);
                self.e.b.op(Op::IAdd, w.ty, &[v[2], distance])
            }
            MediaFunction::Quads { masked } => self.quads(lanes, &v, masked),
            MediaFunction::Pack => self.pack(&v),
            MediaFunction::Unpack(from) => {
                let byte = self.part(w, v[0], from, 8);
                let floats = self.e.value_type(ty);
                self.e.b.op(Op::ConvertUToF, floats, &[byte])
            }
            MediaFunction::BitMask => {
                let width = self.low_bits(w, v[0], 31);
                let offset = self.low_bits(w, v[1], 31);
                let ones = self.ones(w, width);
                let shifted = [ones, offset];
                self.e.b.op(Op::ShiftLeftLogical, w.ty, &shifted)
            }
            MediaFunction::BitField { signed } => self.bit_field(w, &v, signed),
            MediaFunction::OfThree(which, of) => self.of_three(which, of, &v, ty),
        }))
    }

    fn words(&mut self, bits: u32, lanes: u32) -> Words {
        let scalar = self.e.b.ty_int(bits);
        let ty = self.e.b.ty_vector(scalar, lanes);
        Words { ty, bits, lanes }
    }

    /// A constant in each component.
    fn all(&mut self, w: Words, value: u64) -> u32 {
        let scalar = self.e.b.const_int(w.bits, value);
        match w.lanes {
            1 => scalar,
            lanes => self.e.b.construct(w.ty, &vec![scalar; lanes as usize]),
        }
    }

    /// A shift by a constant; none for 0.
    fn shift(&mut self, w: Words, op: Op, value: u32, by: u32) -> u32 {
        if by == 0 {
            return value;
        }
        let by = self.all(w, by.into());
        self.e.b.op(op, w.ty, &[value, by])
    }

    fn low_bits(&mut self, w: Words, value: u32, mask: u64) -> u32 {
        let mask = self.all(w, mask);
        self.e.b.op(Op::BitwiseAnd, w.ty, &[value, mask])
    }

    /// The `bits` bits from a bit on.
    fn part(&mut self, w: Words, value: u32, from: u32, bits: u32) -> u32 {
        let shifted = self.shift(w, Op::ShiftRightLogical, value, from);
        match from + bits == w.bits {
            true => shifted,
            false => self.low_bits(w, shifted, (1 << bits) - 1),
        }
    }

    /// `(1 << width) - 1`
    fn ones(&mut self, w: Words, width: u32) -> u32 {
        let one = self.all(w, 1);
        let power = self.e.b.op(Op::ShiftLeftLogical, w.ty, &[one, width]);
        self.e.b.op(Op::ISub, w.ty, &[power, one])
    }

    /// The low word of a pair of words shifted right by the low bits of `v[2]`, times eight for
    /// bytes (a scale of 3). The high word moves in two steps, since a shift by 32 is none.
    fn align_words(&mut self, w: Words, v: &[u32], scale: u32) -> u32 {
        let by = self.low_bits(w, v[2], 31 >> scale);
        let by = self.shift(w, Op::ShiftLeftLogical, by, scale);
        let last = self.all(w, 31);
        let rest = self.e.b.op(Op::BitwiseXor, w.ty, &[by, last]);
        let low = self.e.b.op(Op::ShiftRightLogical, w.ty, &[v[1], by]);
        let high = self.shift(w, Op::ShiftLeftLogical, v[0], 1);
        let high = self.e.b.op(Op::ShiftLeftLogical, w.ty, &[high, rest]);
        self.e.b.op(Op::BitwiseOr, w.ty, &[low, high])
    }

    /// The averages of pairs of bytes, rounded up where the third byte is odd: what both bytes have,
    /// and half of what one has.
    fn lerp(&mut self, w: Words, v: &[u32]) -> u32 {
        let both = self.e.b.op(Op::BitwiseAnd, w.ty, &[v[0], v[1]]);
        let one = self.e.b.op(Op::BitwiseXor, w.ty, &[v[0], v[1]]);
        let up = self.e.b.op(Op::BitwiseAnd, w.ty, &[one, v[2]]);
        let up = self.low_bits(w, up, 0x0101_0101);
        let half = self.shift(w, Op::ShiftRightLogical, one, 1);
        let half = self.low_bits(w, half, 0x7f7f_7f7f);
        let sum = self.e.b.op(Op::IAdd, w.ty, &[both, half]);
        self.e.b.op(Op::IAdd, w.ty, &[sum, up])
    }

    /// The sum of the distances of the words' parts; with `masked` without those whose second part is 0.
    fn sum_parts(&mut self, w: Words, pair: [u32; 2], bits: u32, masked: bool) -> u32 {
        let mut sum = None;
        for from in (0..32).step_by(bits as usize) {
            let [a, b] = pair.map(|word| self.part(w, word, from, bits));
            let mut distance = self.e.b.ext(Std::u_abs_diff as u32, w.ty, &[a, b]);
            if masked {
                let zero = self.all(w, 0);
                let none = self.compare_words(w, Op::IEqual, b, zero);
                distance = self.e.b.op(Op::Select, w.ty, &[none, zero, distance]);
            }
            sum = Some(match sum {
                None => distance,
                Some(sum) => self.e.b.op(Op::IAdd, w.ty, &[sum, distance]),
            });
        }
        sum.unwrap_or(pair[0])
    }

    fn compare_words(&mut self, w: Words, op: Op, a: u32, b: u32) -> u32 {
        let bool_ty = self.e.b.ty_bool();
        let bools = self.e.b.ty_vector(bool_ty, w.lanes);
        self.e.b.op(op, bools, &[a, b])
    }

    /// Sums of four neighbouring bytes, from each of the lower four on, each in 16 bits.
    fn quads(&mut self, lanes: u32, v: &[u32], masked: bool) -> u32 {
        let (w, long) = (self.words(32, lanes), self.words(64, lanes));
        let mut result = None;
        for lane in 0..4 {
            let bytes = self.shift(long, Op::ShiftRightLogical, v[0], lane * 8);
            let bytes = self.e.b.op(Op::UConvert, w.ty, &[bytes]);
            let sum = self.sum_parts(w, [bytes, v[1]], 8, masked);
            let before = self.part(long, v[2], lane * 16, 16);
            let before = self.e.b.op(Op::UConvert, w.ty, &[before]);
            let sum = self.e.b.op(Op::IAdd, w.ty, &[before, sum]);
            let sum = self.low_bits(w, sum, 0xffff);
            let sum = self.e.b.op(Op::UConvert, long.ty, &[sum]);
            let sum = self.shift(long, Op::ShiftLeftLogical, sum, lane * 16);
            result = Some(match result {
                None => sum,
                Some(result) => self.e.b.op(Op::BitwiseOr, long.ty, &[result, sum]),
            });
        }
        result.unwrap_or(v[2])
    }

    /// Four floats as bytes.
    fn pack(&mut self, v: &[u32]) -> u32 {
        let (uint, four) = (self.words(32, 1), self.words(32, 4));
        let words = self.e.b.op(Op::ConvertFToU, four.ty, &[v[0]]);
        let bytes = self.low_bits(four, words, 0xff);
        let mut result = None;
        for lane in 0..4 {
            let operands = [bytes, lane];
            let byte = self.e.b.op(Op::CompositeExtract, uint.ty, &operands);
            let byte = self.shift(uint, Op::ShiftLeftLogical, byte, lane * 8);
            result = Some(match result {
                None => byte,
                Some(result) => self.e.b.op(Op::BitwiseOr, uint.ty, &[result, byte]),
            });
        }
        result.unwrap_or(v[0])
    }

    /// `v[2] & 31` bits of `v[0]` from the bit `v[1] & 31` on; those behind the word's end are zeros,
    /// or copies of the sign.
    fn bit_field(&mut self, w: Words, v: &[u32], signed: bool) -> u32 {
        let offset = self.low_bits(w, v[1], 31);
        let width = self.low_bits(w, v[2], 31);
        if !signed {
            let mask = self.ones(w, width);
            let shifted = self.e.b.op(Op::ShiftRightLogical, w.ty, &[v[0], offset]);
            return self.e.b.op(Op::BitwiseAnd, w.ty, &[shifted, mask]);
        }
        let right = Op::ShiftRightArithmetic;
        let zero = self.all(w, 0);
        let shifted = self.e.b.op(right, w.ty, &[v[0], offset]);
        let rest = self.e.b.op(Op::ISub, w.ty, &[zero, width]);
        let rest = self.low_bits(w, rest, 31);
        let top = self.e.b.op(Op::ShiftLeftLogical, w.ty, &[shifted, rest]);
        let field = self.e.b.op(right, w.ty, &[top, rest]);
        let empty = self.compare_words(w, Op::IEqual, width, zero);
        self.e.b.op(Op::Select, w.ty, &[empty, zero, field])
    }

    /// The least, the middle or the greatest of three numbers.
    fn of_three(&mut self, which: Three, [min, max]: [Std; 2], v: &[u32], ty: TypeId) -> u32 {
        let op = match which {
            Three::Least => min,
            Three::Greatest => max,
            Three::Median => {
                let low = self.ext(min, ty, &[v[0], v[1]]);
                let high = self.ext(max, ty, &[v[0], v[1]]);
                let high = self.ext(min, ty, &[high, v[2]]);
                return self.ext(max, ty, &[low, high]);
            }
        };
        let pair = self.ext(op, ty, &[v[0], v[1]]);
        self.ext(op, ty, &[pair, v[2]])
    }
}
