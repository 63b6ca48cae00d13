//! Memory by words: a narrow load is cut from a word, a narrow store changes only its own bytes.

use super::Small;
use super::pieces::{Pieces, regroup, sizes_of};
use crate::expand::Expander;
use pumice_ir::{AccessFlags, InstKind, Scalar, Type, Value, align_at};
use smallvec::SmallVec;

/// The accesses of `bytes` bytes so aligned: words, and the largest parts of words for the rest.
fn accesses(bytes: u32, align: u32) -> SmallVec<[u32; 8]> {
    let mut sizes = SmallVec::new();
    let mut at = 0;
    while at < bytes {
        let aligned = align_at(align.max(1), at.into());
        let left = bytes - at;
        let size = aligned.min(4).min(1 << left.ilog2());
        sizes.push(size);
        at += size;
    }
    sizes
}

/// The flags of an access of `size` bytes.
fn part(flags: AccessFlags, size: u32) -> AccessFlags {
    match size {
        1 => flags | AccessFlags::BYTE,
        2 => flags | AccessFlags::SHORT,
        _ => flags,
    }
}

impl Small<'_> {
    /// Returns whether an access is by pieces that the device lacks.
    pub(super) fn is_small_access(&self, ty: Type, align: u32) -> bool {
        let width = ty.scalar.bytes().min(align.max(1));
        match ty.scalar {
            Scalar::I8 | Scalar::I16 => self.is_small(ty.scalar) || self.lacks(width),
            _ => self.lacks(width),
        }
    }

    pub(super) fn load(
        &self,
        x: &mut Expander<'_>,
        base: Value,
        ty: Type,
        align: u32,
        flags: AccessFlags,
    ) -> Value {
        let mut pieces = Pieces::new();
        let mut at = 0;
        for size in accesses(ty.access_bytes(), align) {
            let kind = InstKind::Load {
                ptr: x.offset(base, u64::from(at)),
                align: size,
                flags: part(flags, size),
            };
            pieces.push((x.value(kind, Type::I32), size));
            at += size;
        }
        let pieces = regroup(x, &pieces, sizes_of(ty));
        self.value_of(x, &pieces, ty)
    }

    pub(super) fn store(
        &self,
        x: &mut Expander<'_>,
        (base, value): (Value, Value),
        ty: Type,
        align: u32,
        flags: AccessFlags,
    ) {
        let pieces = self.pieces_of(x, value, ty);
        let sizes = accesses(ty.access_bytes(), align);
        let mut at = 0;
        for (value, size) in regroup(x, &pieces, sizes.into_iter()) {
            let kind = InstKind::Store {
                ptr: x.offset(base, u64::from(at)),
                value,
                align: size,
                flags: part(flags, size),
            };
            x.emit(kind, &[]);
            at += size;
        }
    }

    /// A kernel argument, from the words that hold it.
    pub(super) fn load_arg(&self, x: &mut Expander<'_>, offset: u32, ty: Type) -> Value {
        let size = ty.scalar.bytes();
        let mut pieces = Pieces::new();
        for lane in 0..u32::from(ty.lanes) {
            let at = offset + lane * size;
            let kind = InstKind::LoadArg { offset: at & !3 };
            let word = x.value(kind, Type::I32);
            let sizes = std::iter::repeat_n(size, (4 / size) as usize);
            let parts = regroup(x, &[(word, 4)], sizes);
            pieces.push(parts[(at % 4 / size) as usize]);
        }
        self.value_of(x, &pieces, ty)
    }
}
