//! Loads, stores and bit casts of numbers of two words, which lie in memory low word first.

use super::Splitter;
use super::words::Words;
use crate::expand::Expander;
use pumice_ir::{AccessFlags, ConvertOp, InstKind, Scalar, Type, Value, align_at};
use smallvec::SmallVec;

/// Words of one access.
const WIDEST: usize = 4;

/// `base + bytes`.
pub(super) fn offset(x: &mut Expander<'_>, base: Value, bytes: u32) -> Value {
    if bytes == 0 {
        return base;
    }
    let offset = x.func.offset(bytes, false);
    let ty = x.ty(base);
    x.value(InstKind::PtrAdd { base, offset }, ty)
}

/// A load of so many numbers.
pub(super) fn load(
    x: &mut Expander<'_>,
    base: Value,
    lanes: u8,
    align: u32,
    flags: AccessFlags,
) -> Words {
    let count = 2 * usize::from(lanes);
    let mut parts: SmallVec<[Value; 2]> = SmallVec::new();
    for first in (0..count).step_by(WIDEST) {
        let at = 4 * first as u32;
        let ty = Type::vector(Scalar::I32, (count - first).min(WIDEST) as u8);
        let kind = InstKind::Load {
            ptr: offset(x, base, at),
            align: align_at(align, at.into()),
            flags,
        };
        parts.push(x.value(kind, ty));
    }
    apart(x, &parts, lanes)
}

/// A store of numbers.
pub(super) fn store(
    x: &mut Expander<'_>,
    base: Value,
    value: Words,
    align: u32,
    flags: AccessFlags,
) {
    for (part, at) in together(x, value).into_iter().zip([0, 16]) {
        let kind = InstKind::Store {
            ptr: offset(x, base, at),
            value: part,
            align: align_at(align, at.into()),
            flags,
        };
        x.emit(kind, &[]);
    }
}

/// The low and high words of numbers that lie one behind the other in one vector or two.
pub(super) fn apart(x: &mut Expander<'_>, parts: &[Value], lanes: u8) -> Words {
    if lanes == 1 {
        return Words {
            low: x.lane(parts[0], 0),
            high: x.lane(parts[0], 1),
        };
    }
    let args = [parts[0], parts[parts.len() - 1]];
    let mut pick = |odd: u8| {
        let mask = (0..lanes).map(|lane| Some(2 * lane + odd)).collect();
        let ty = Type::vector(Scalar::I32, lanes);
        x.value(InstKind::Shuffle { args, mask }, ty)
    };
    Words {
        low: pick(0),
        high: pick(1),
    }
}

/// Numbers one behind the other: one vector of words or two.
pub(super) fn together(x: &mut Expander<'_>, value: Words) -> SmallVec<[Value; 2]> {
    let lanes = x.ty(value.low).lanes;
    if lanes == 1 {
        return SmallVec::from_slice(&[x.build(&[value.low, value.high])]);
    }
    let order: SmallVec<[u8; 8]> = (0..lanes).flat_map(|lane| [lane, lanes + lane]).collect();
    let args = [value.low, value.high];
    let mut parts = SmallVec::new();
    for chunk in order.chunks(WIDEST) {
        let mask = chunk.iter().map(|&lane| Some(lane)).collect();
        let ty = Type::vector(Scalar::I32, chunk.len() as u8);
        parts.push(x.value(InstKind::Shuffle { args, mask }, ty));
    }
    parts
}

/// Doubles or a pointer from their words.
pub(super) fn from_words(x: &mut Expander<'_>, value: Words, ty: Type) -> Value {
    let op = match ty.scalar {
        Scalar::Ptr(_) => ConvertOp::IntToPtr,
        _ => ConvertOp::Bitcast,
    };
    let numbers: SmallVec<[Value; 4]> = (0..ty.lanes)
        .map(|lane| {
            let words = [x.lane(value.low, lane), x.lane(value.high, lane)];
            let pair = x.build(&words);
            x.convert(op, pair, ty.lane())
        })
        .collect();
    x.build(&numbers)
}

impl Splitter<'_> {
    /// The words of numbers, doubles, a pointer, or of what else has their bits.
    pub(super) fn cast_into(&mut self, x: &mut Expander<'_>, arg: Value, lanes: u8) -> Words {
        let from = x.ty(arg);
        let op = match from.scalar {
            Scalar::I64 => return self.of(x, arg),
            Scalar::F64 => ConvertOp::Bitcast,
            Scalar::Ptr(_) => ConvertOp::PtrToInt,
            _ => {
                let words = Type::vector(Scalar::I32, 2 * lanes);
                let words = x.convert(ConvertOp::Bitcast, arg, words);
                return apart(x, &[words], lanes);
            }
        };
        let pairs: SmallVec<[Words; 4]> = (0..lanes)
            .map(|lane| {
                let number = x.lane(arg, lane);
                let pair = x.convert(op, number, Type::vector(Scalar::I32, 2));
                apart(x, &[pair], 1)
            })
            .collect();
        let low: SmallVec<[Value; 4]> = pairs.iter().map(|pair| pair.low).collect();
        let high: SmallVec<[Value; 4]> = pairs.iter().map(|pair| pair.high).collect();
        Words {
            low: x.build(&low),
            high: x.build(&high),
        }
    }

    /// A bit cast of numbers of two words to another type.
    pub(super) fn cast_out(&mut self, x: &mut Expander<'_>, arg: Value, ty: Type) -> Value {
        let value = self.of(x, arg);
        if ty.scalar == Scalar::F64 {
            return from_words(x, value, ty);
        }
        // Four lanes at most: two numbers.
        let words = together(x, value)[0];
        x.convert(ConvertOp::Bitcast, words, ty)
    }
}
