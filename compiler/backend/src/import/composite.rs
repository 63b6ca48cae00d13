//! Vectors and exploded aggregates.

use super::body::Body;
use super::locals::{Leaves, Local, Val};
use super::reader::{Inst, Result};
use super::types::{Ty, TypeKind};
use pumice_ir::{AccessFlags, InstKind, Type, Value, align_at};
use rspirv::spirv::Op;
use smallvec::SmallVec;

impl Body<'_, '_> {
    /// Imports an instruction on composites; false if the opcode is none.
    pub(super) fn composite(&mut self, inst: &Inst<'_>) -> Result<bool> {
        match inst.op {
            Op::VectorExtractDynamic => {
                let (vector, index) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let ty = self.vector_type(inst, vector)?;
                self.check_index(inst, index)?;
                let value = self.emit(InstKind::ExtractDyn { vector, index }, ty.lane());
                self.define_value(inst, value)?;
            }
            Op::VectorInsertDynamic => {
                let (vector, scalar) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let index = self.arg(inst, 2)?;
                let ty = self.vector_type(inst, vector)?;
                self.check_index(inst, index)?;
                if self.func.ty(scalar) != ty.lane() {
                    return Err(inst.error("the component's type is wrong"));
                }
                let kind = InstKind::InsertDyn {
                    vector,
                    scalar,
                    index,
                };
                let value = self.emit(kind, ty);
                self.define_value(inst, value)?;
            }
            Op::VectorShuffle => self.vector_shuffle(inst)?,
            Op::CompositeConstruct => self.construct(inst, inst.args)?,
            Op::CompositeConstructReplicateEXT => {
                let ty = self.pre.type_of_id(inst, inst.ty)?;
                self.construct(inst, &self.pre.replicated(inst, ty)?)?;
            }
            Op::CompositeExtract => self.extract(inst)?,
            Op::CompositeInsert => self.insert(inst)?,
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR | Op::ArithmeticFenceEXT => {
                let local = self.local(inst, inst.arg(0)?)?;
                let ty = self.pre.type_of_id(inst, inst.ty)?;
                if ty != local.ty && !self.pre.types.same_leaves(ty, local.ty) {
                    return Err(inst.error("the result type does not fit the operand"));
                }
                self.define_local(inst, Local { ty, ..local })?;
            }
            Op::Undef => {
                let ty = self.pre.type_of_id(inst, inst.ty)?;
                if self.is_big(ty) {
                    let (size, align) = self.size_align(ty);
                    let slot = self.slot(inst, size, align)?;
                    self.define(inst, ty, Val::Memory(slot))?;
                } else {
                    let leaves = self.type_leaves(inst, ty)?;
                    let leaves = leaves.iter().map(|leaf| self.func.undef(leaf.ty)).collect();
                    self.define(inst, ty, Val::Leaves(leaves))?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn vector_type(&self, inst: &Inst<'_>, vector: Value) -> Result<Type> {
        let ty = self.func.ty(vector);
        if !ty.is_vector() {
            return Err(inst.error("the operand is not a vector"));
        }
        Ok(ty)
    }

    fn check_index(&self, inst: &Inst<'_>, index: Value) -> Result<()> {
        let ty = self.func.ty(index);
        if !ty.scalar.is_int() || ty.lanes != 1 {
            return Err(inst.error("the index is not an integer"));
        }
        Ok(())
    }

    fn vector_shuffle(&mut self, inst: &Inst<'_>) -> Result<()> {
        let args = [self.arg(inst, 0)?, self.arg(inst, 1)?];
        let (a, b) = (
            self.vector_type(inst, args[0])?,
            self.vector_type(inst, args[1])?,
        );
        let mut mask: SmallVec<[Option<u8>; 4]> = SmallVec::new();
        for &lane in inst.rest(2) {
            mask.push(match lane {
                u32::MAX => None,
                _ if lane < u32::from(a.lanes + b.lanes) => Some(lane as u8),
                _ => return Err(inst.error(format_args!("there is no component {lane}"))),
            });
        }
        let (_, to) = self.result_type(inst)?;
        let fits = a.scalar == b.scalar
            && to.scalar == a.scalar
            && mask.len() == usize::from(to.lanes)
            && to.is_vector();
        if !fits {
            return Err(inst.error("the operands' types are wrong"));
        }
        let value = self.emit(InstKind::Shuffle { args, mask }, to);
        self.define_value(inst, value)
    }

    fn construct(&mut self, inst: &Inst<'_>, ids: &[u32]) -> Result<()> {
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        if matches!(self.pre.types.get(ty).kind, TypeKind::Matrix(_)) {
            return self.matrix_of_one(inst);
        }
        if let Some(leaf) = self.pre.types.get(ty).leaf {
            let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
            for &id in ids {
                let part = self.value(inst, id)?;
                let part_ty = self.func.ty(part);
                if part_ty.scalar != leaf.scalar {
                    return Err(inst.error("a constituent has the wrong type"));
                }
                if part_ty.is_vector() {
                    for lane in 0..part_ty.lanes {
                        let kind = InstKind::Extract { vector: part, lane };
                        lanes.push(self.emit(kind, part_ty.lane()));
                    }
                } else {
                    lanes.push(part);
                }
            }
            if !leaf.is_vector() || lanes.len() != usize::from(leaf.lanes) {
                return Err(inst.error("the number of constituents is wrong"));
            }
            let value = self.emit(InstKind::Build { lanes }, leaf);
            return self.define_value(inst, value);
        }
        if self.pre.types.member_count(ty) != Some(ids.len() as u64) {
            return Err(inst.error("the number of constituents is wrong"));
        }
        if self.is_big(ty) {
            let (size, align) = self.size_align(ty);
            let slot = self.slot(inst, size, align)?;
            for (i, &id) in ids.iter().enumerate() {
                let part = self.local(inst, id)?;
                self.store_member(inst, slot, ty, i as u64, &part)?;
            }
            return self.define(inst, ty, Val::Memory(slot));
        }
        let mut leaves = Leaves::new();
        for &id in ids {
            leaves.extend(self.leaves(inst, id)?.1);
        }
        self.define_leaves(inst, leaves)
    }

    fn store_member(
        &mut self,
        inst: &Inst<'_>,
        ptr: Value,
        ty: Ty,
        index: u64,
        part: &Local,
    ) -> Result<()> {
        let (member, offset) = self
            .pre
            .types
            .member(ty, index)
            .ok_or_else(|| inst.error(format_args!("there is no member {index}")))?;
        let ptr = self.offset(ptr, offset);
        let align = align_at(self.size_align(ty).1, offset);
        self.store_local(inst, ptr, part, member, align, AccessFlags::empty())
    }

    /// Follows literal indices into an aggregate: the member's type, the number of leaves
    /// before it, its byte offset, and a lane if the last index picks one.
    fn follow(
        &self,
        inst: &Inst<'_>,
        mut ty: Ty,
        indices: &[u32],
    ) -> Result<(Ty, usize, u64, Option<u8>)> {
        let (mut before, mut offset) = (0usize, 0u64);
        for (i, &index) in indices.iter().enumerate() {
            let missing = || inst.error(format_args!("there is no member {index}"));
            if let Some(leaf) = self.pre.types.get(ty).leaf {
                if index >= u32::from(leaf.lanes) || !leaf.is_vector() || i + 1 != indices.len() {
                    return Err(missing());
                }
                return Ok((ty, before, offset, Some(index as u8)));
            }
            let (member, at) = self
                .pre
                .types
                .member(ty, u64::from(index))
                .ok_or_else(missing)?;
            before = before.saturating_add(self.leaves_before(ty, index));
            offset += at;
            ty = member;
        }
        Ok((ty, before, offset, None))
    }

    fn leaves_before(&self, ty: Ty, index: u32) -> usize {
        let types = &self.pre.types;
        if let Some((elem, _)) = types.elements(ty) {
            return (index as usize).saturating_mul(types.get(elem).leaves as usize);
        }
        match &types.get(ty).kind {
            TypeKind::Struct { members, .. } => members[..index as usize]
                .iter()
                .map(|&member| types.get(member).leaves as usize)
                .sum(),
            _ => 0,
        }
    }

    fn extract(&mut self, inst: &Inst<'_>) -> Result<()> {
        let whole = self.local(inst, inst.arg(0)?)?;
        if let (Some(matrix), &[number]) = (self.pre.types.native_matrix_of(whole.ty), inst.rest(1))
        {
            let value = self.value(inst, inst.arg(0)?)?;
            return self.literal_component(inst, matrix, (value, number), None);
        }
        let (ty, before, offset, lane) = self.follow(inst, whole.ty, inst.rest(1))?;
        let count = self.pre.types.get(ty).leaves as usize;
        let leaves = match whole.val {
            Val::Leaves(leaves) => leaves
                .get(before..before + count)
                .map(Leaves::from_slice)
                .ok_or_else(|| inst.error("the member has no value"))?,
            Val::Memory(ptr) => {
                let ptr = self.offset(ptr, offset);
                let align = align_at(self.size_align(whole.ty).1, offset);
                let flags = AccessFlags::empty();
                if self.is_big(ty) {
                    let result = self.pre.type_of_id(inst, inst.ty)?;
                    if result != ty {
                        return Err(inst.error("the result type is not the member's"));
                    }
                    let (size, natural) = self.size_align(ty);
                    if align >= natural {
                        return self.define(inst, ty, Val::Memory(ptr));
                    }
                    // A member of a packed structure: what is kept in memory is aligned.
                    let copy = self.slot(inst, size, natural)?;
                    self.mem_copy(copy, ptr, size, natural, align, flags);
                    return self.define(inst, ty, Val::Memory(copy));
                }
                self.load_at(inst, ptr, ty, align, flags)?
            }
            Val::BuiltIn(..) | Val::Component(..) | Val::Variable(..) => {
                return Err(inst.error("a built-in variable is used for more than loading"));
            }
        };
        match (lane, leaves.as_slice()) {
            (Some(lane), &[vector]) => {
                let ty = self.func.ty(vector).lane();
                let value = self.emit(InstKind::Extract { vector, lane }, ty);
                self.define_value(inst, value)
            }
            _ => self.define_leaves(inst, leaves),
        }
    }

    fn insert(&mut self, inst: &Inst<'_>) -> Result<()> {
        let object = self.local(inst, inst.arg(0)?)?;
        let whole = self.local(inst, inst.arg(1)?)?;
        if let (Some(matrix), &[number]) = (self.pre.types.native_matrix_of(whole.ty), inst.rest(2))
        {
            let object = self.leaves(inst, inst.arg(0)?)?.1;
            let value = self.value(inst, inst.arg(1)?)?;
            return self.literal_component(inst, matrix, (value, number), Some(&object));
        }
        let (member, before, offset, lane) = self.follow(inst, whole.ty, inst.rest(2))?;
        let result = self.pre.type_of_id(inst, inst.ty)?;
        if result != whole.ty {
            return Err(inst.error("the result type is not the composite's"));
        }
        match whole.val {
            Val::Memory(ptr) => {
                let (size, align) = self.size_align(whole.ty);
                let copy = self.slot(inst, size, align)?;
                let flags = AccessFlags::empty();
                self.mem_copy(copy, ptr, size, align, align, flags);
                let lane_offset = match lane {
                    Some(lane) => {
                        let leaf = self.pre.types.get(member).leaf;
                        leaf.map_or(0, |leaf| u64::from(leaf.scalar.bytes()) * u64::from(lane))
                    }
                    None => 0,
                };
                let offset = offset + lane_offset;
                let place = self.offset(copy, offset);
                let align = align_at(align, offset);
                self.store_local(inst, place, &object, object.ty, align, flags)?;
                self.define(inst, result, Val::Memory(copy))
            }
            Val::Leaves(mut leaves) => {
                let (_, parts) = self.leaves(inst, inst.arg(0)?)?;
                if let Some(lane) = lane {
                    let (Some(slot), &[scalar]) = (leaves.get_mut(before), parts.as_slice()) else {
                        return Err(inst.error("the object does not fit the member"));
                    };
                    let vector = *slot;
                    let ty = self.func.ty(vector);
                    if self.func.ty(scalar) != ty.lane() {
                        return Err(inst.error("the object does not fit the member"));
                    }
                    let kind = InstKind::Insert {
                        vector,
                        scalar,
                        lane,
                    };
                    let value = self.emit(kind, ty);
                    leaves[before] = value;
                } else {
                    let count = self.pre.types.get(member).leaves as usize;
                    let place = leaves.get_mut(before..before + count);
                    match place {
                        Some(place) if place.len() == parts.len() => {
                            place.copy_from_slice(&parts);
                        }
                        _ => return Err(inst.error("the object does not fit the member")),
                    }
                }
                self.define_leaves(inst, leaves)
            }
            Val::BuiltIn(..) | Val::Component(..) | Val::Variable(..) => {
                Err(inst.error("a built-in variable is used for more than loading"))
            }
        }
    }
}
