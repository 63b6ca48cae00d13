//! Values as pieces of 1, 2 or 4 bytes, which are cut from words and joined to words.

use super::Small;
use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, Scalar, Type, Value};
use smallvec::SmallVec;

/// A word whose low bytes are a part of a value and whose others are zero, and the number of those bytes.
pub(super) type Piece = (Value, u32);

/// Pieces in the order in which they lie in memory.
pub(super) type Pieces = SmallVec<[Piece; 8]>;

/// The low bytes of a word.
pub(super) fn masked(x: &mut Expander<'_>, word: Value, bytes: u32) -> Value {
    match bytes {
        4.. => word,
        _ => x.bin_const(BinaryOp::And, word, (1 << (8 * bytes)) - 1),
    }
}

/// The same bytes in pieces of other sizes. Each new piece is a part of an old one or made of whole
/// ones.
pub(super) fn regroup(
    x: &mut Expander<'_>,
    pieces: &[Piece],
    sizes: impl Iterator<Item = u32>,
) -> Pieces {
    let mut starts: SmallVec<[u32; 8]> = SmallVec::new();
    let mut end = 0;
    for &(_, bytes) in pieces {
        starts.push(end);
        end += bytes;
    }
    let mut out = Pieces::new();
    let mut at = 0;
    for size in sizes {
        let mut word = None;
        for (&(value, bytes), &start) in pieces.iter().zip(&starts) {
            let part = if start <= at && at + size <= start + bytes {
                let moved = match at - start {
                    0 => value,
                    by => x.bin_const(BinaryOp::LShr, value, u64::from(8 * by)),
                };
                // The bytes above the topmost are zero.
                match at + size == start + bytes {
                    true => moved,
                    false => masked(x, moved, size),
                }
            } else if at <= start && start + bytes <= at + size {
                match start - at {
                    0 => value,
                    by => x.bin_const(BinaryOp::Shl, value, u64::from(8 * by)),
                }
            } else {
                continue;
            };
            word = Some(match word {
                None => part,
                Some(below) => x.bin(BinaryOp::Or, below, part),
            });
        }
        let word = word.unwrap_or_else(|| x.splat(Type::I32, 0));
        out.push((word, size));
        at += size;
    }
    out
}

/// The sizes of the pieces of a lane.
pub(super) fn sizes_of(ty: Type) -> impl Iterator<Item = u32> {
    let bytes = ty.scalar.bytes();
    let pieces = u32::from(ty.lanes) * bytes.div_ceil(4);
    std::iter::repeat_n(bytes.min(4), pieces as usize)
}

impl Small<'_> {
    /// The pieces of a value of the type `ty` that it had before.
    pub(super) fn pieces_of(&self, x: &mut Expander<'_>, value: Value, ty: Type) -> Pieces {
        let mut out = Pieces::new();
        let pair = Type::vector(Scalar::I32, 2);
        for lane in 0..ty.lanes {
            let one = x.lane(value, lane);
            let word = match ty.scalar {
                Scalar::I8 | Scalar::I16 if !self.is_small(ty.scalar) => {
                    x.convert(ConvertOp::ZExt, one, Type::I32)
                }
                Scalar::F16 => {
                    let zero = x.splat(Type::F16, 0);
                    let both = x.build(&[one, zero]);
                    x.convert(ConvertOp::Bitcast, both, Type::I32)
                }
                Scalar::F32 => x.convert(ConvertOp::Bitcast, one, Type::I32),
                Scalar::I64 | Scalar::F64 | Scalar::Ptr(_) => {
                    let number = match ty.scalar {
                        Scalar::Ptr(_) => x.convert(ConvertOp::PtrToInt, one, Type::I64),
                        _ => one,
                    };
                    let both = x.convert(ConvertOp::Bitcast, number, pair);
                    out.push((x.lane(both, 0), 4));
                    out.push((x.lane(both, 1), 4));
                    continue;
                }
                _ => one,
            };
            out.push((word, ty.scalar.bytes()));
        }
        out
    }

    /// A value of the type that was `ty` before, of pieces as `sizes_of` gives them.
    pub(super) fn value_of(&self, x: &mut Expander<'_>, pieces: &[Piece], ty: Type) -> Value {
        let per_lane = ty.scalar.bytes().div_ceil(4) as usize;
        let lanes: SmallVec<[Value; 4]> = pieces
            .chunks(per_lane)
            .map(|pieces| {
                let word = pieces[0].0;
                match ty.scalar {
                    Scalar::I8 | Scalar::I16 if !self.is_small(ty.scalar) => {
                        x.convert(ConvertOp::Trunc, word, ty.lane())
                    }
                    Scalar::F16 => {
                        let both =
                            x.convert(ConvertOp::Bitcast, word, Type::vector(Scalar::F16, 2));
                        x.lane(both, 0)
                    }
                    Scalar::F32 => x.convert(ConvertOp::Bitcast, word, Type::F32),
                    Scalar::I64 | Scalar::F64 => {
                        let both = x.build(&[word, pieces[1].0]);
                        x.convert(ConvertOp::Bitcast, both, ty.lane())
                    }
                    Scalar::Ptr(_) => {
                        let both = x.build(&[word, pieces[1].0]);
                        let number = x.convert(ConvertOp::Bitcast, both, Type::I64);
                        x.convert(ConvertOp::IntToPtr, number, ty.lane())
                    }
                    _ => word,
                }
            })
            .collect();
        x.build(&lanes)
    }
}
