//! Access chains: the types that their indices lead to, and the byte offsets of constant ones.

use super::preamble::Preamble;
use super::reader::{Inst, Result};
use super::types::{Ty, TypeKind};
use pumice_ir::analysis::eval;

/// One step of an access chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChainStep {
    /// A structure's member.
    Member { ty: Ty, offset: u64, packed: bool },
    /// An array's element.
    Element { ty: Ty, stride: u64 },
    /// A vector's lane; nothing can follow.
    Lane { bytes: u32 },
}

impl Preamble<'_> {
    /// The byte offset of an access chain with constant indices.
    pub(super) fn constant_offset(
        &self,
        inst: &Inst<'_>,
        base: Ty,
        indices: &[u32],
        ptr_chain: bool,
    ) -> Result<i64> {
        let mut ty = self.pointee(inst, base)?;
        let mut offset = 0i64;
        let mut indices = indices.iter();
        let index_of = |id: u32| -> Result<i64> {
            let index = self.constant(inst, id)?;
            let leaf = self.types.get(index.ty).leaf;
            match (index.scalar(&self.types), leaf) {
                (Some(bits), Some(leaf)) if leaf.scalar.is_int() => {
                    Ok(eval::sign_extend(leaf.scalar, bits))
                }
                _ => Err(inst.error("an index is not a constant integer")),
            }
        };
        if ptr_chain {
            if let Some(&id) = indices.next() {
                let size = self.types.get(ty).size as i64;
                offset = index_of(id)?.wrapping_mul(size);
            }
        }
        for &id in indices {
            let index = index_of(id)?;
            let step = self.chain_step(inst, ty, Some(index))?;
            offset = offset.wrapping_add(match step {
                ChainStep::Member { offset, .. } => offset as i64,
                ChainStep::Element { stride, .. } => index.wrapping_mul(stride as i64),
                ChainStep::Lane { bytes, .. } => index.wrapping_mul(i64::from(bytes)),
            });
            match step {
                ChainStep::Member { ty: next, .. } | ChainStep::Element { ty: next, .. } => {
                    ty = next;
                }
                ChainStep::Lane { .. } => break,
            }
        }
        Ok(offset)
    }

    /// Takes one index of an access chain.
    pub(super) fn chain_step(
        &self,
        inst: &Inst<'_>,
        ty: Ty,
        index: Option<i64>,
    ) -> Result<ChainStep> {
        let info = self.types.get(ty);
        if let Some((elem, _)) = self.types.elements(ty) {
            return Ok(ChainStep::Element {
                ty: elem,
                stride: self.types.get(elem).size,
            });
        }
        match &info.kind {
            TypeKind::Struct { packed, .. } => {
                let index =
                    index.ok_or_else(|| inst.error("a structure's index must be a constant"))?;
                let (ty, offset) = u64::try_from(index)
                    .ok()
                    .and_then(|index| self.types.member(ty, index))
                    .ok_or_else(|| inst.error(format_args!("there is no member {index}")))?;
                Ok(ChainStep::Member {
                    ty,
                    offset,
                    packed: *packed,
                })
            }
            _ => match info.leaf {
                Some(leaf) if leaf.is_vector() => Ok(ChainStep::Lane {
                    bytes: leaf.scalar.bytes(),
                }),
                _ => Err(inst.error("an index into something that has no parts")),
            },
        }
    }

    /// The type that a pointer type points to.
    pub(super) fn pointee(&self, inst: &Inst<'_>, pointer: Ty) -> Result<Ty> {
        match self.types.get(pointer).kind {
            TypeKind::Pointer { pointee, .. } => self.type_of_id(inst, pointee),
            _ => Err(inst.error("the base is not a pointer")),
        }
    }
}
