//! Loads, stores, copies, access chains and pointer operations.

use super::access_chain::ChainStep;
use super::body::Body;
use super::locals::{Leaves, Local, Val};
use super::reader::{Inst, Result};
use super::types::{MAX_VALUE_LEAVES, Ty, TypeKind};
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, BuiltIn, ConvertOp, InstKind, IntCond, Scalar, Type,
    Value, align_at,
};
use rspirv::spirv::Op;
use smallvec::SmallVec;

/// The memory operands of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    pub align: Option<u32>,
    pub flags: AccessFlags,
}

/// Reads memory operands from word `n` on; gives the position behind them.
pub(super) fn access(inst: &Inst<'_>, n: usize) -> Result<(Access, usize)> {
    let mut access = Access::default();
    let Some(&mask) = inst.args.get(n) else {
        return Ok((access, n));
    };
    let mut next = n + 1;
    if mask & 1 != 0 {
        access.flags |= AccessFlags::VOLATILE;
    }
    if mask & 2 != 0 {
        let align = inst.arg(next)?;
        if !align.is_power_of_two() {
            return Err(inst.error(format_args!("alignment {align} is not a power of two")));
        }
        access.align = Some(align);
        next += 1;
    }
    if mask & 4 != 0 {
        access.flags |= AccessFlags::NONTEMPORAL;
    }
    // MakePointerAvailable and MakePointerVisible carry a scope; NonPrivate (32) and the
    // alias lists (two ids at most) change nothing here.
    next += (mask & 8 != 0) as usize + (mask & 16 != 0) as usize;
    next += (mask & 0x1_0000 != 0) as usize + (mask & 0x2_0000 != 0) as usize;
    if mask & !0x3_003F != 0 {
        return Err(inst.error(format_args!("unknown memory operands {mask:#x}")));
    }
    Ok((access, next))
}

impl Body<'_, '_> {
    /// Imports an instruction on memory; false if the opcode is none.
    pub(super) fn memory(&mut self, inst: &Inst<'_>) -> Result<bool> {
        match inst.op {
            Op::Variable => self.private_variable(inst)?,
            Op::Load => self.load(inst)?,
            Op::Store => self.store(inst)?,
            Op::CopyMemory | Op::CopyMemorySized => self.copy(inst)?,
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => self.access_chain(inst)?,
            Op::PtrDiff => {
                let (first, a) = self.pointer(inst, 0)?;
                let b = self.arg(inst, 1)?;
                let elem = self.pre.pointee(inst, first.ty)?;
                let a = self.convert(ConvertOp::PtrToInt, a, Type::I64);
                let b = self.bitcast(inst, b, Type::I64)?;
                let bytes = self.binary(BinaryOp::ISub, [a, b]);
                let size = self.size_align(elem).0.max(1);
                let size = self.func.i64(size as i64);
                let count = self.binary(BinaryOp::SDiv, [bytes, size]);
                let (_, to) = self.result_type(inst)?;
                let count = self.resize_int(inst, count, to)?;
                self.define_value(inst, count)?;
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                let (local, arg) = self.pointer(inst, 0)?;
                let (ty, to) = self.result_type(inst)?;
                let from = self.func.ty(arg);
                if !to.scalar.is_ptr() {
                    return Err(inst.error("the result is not a pointer"));
                }
                let value = if from == to {
                    arg
                } else {
                    self.convert(ConvertOp::AddressSpaceCast, arg, to)
                };
                self.define_local(
                    inst,
                    Local {
                        ty,
                        val: Val::Leaves(SmallVec::from_elem(value, 1)),
                        packed: local.packed,
                    },
                )?;
            }
            Op::GenericCastToPtrExplicit => {
                let (_, ptr) = self.pointer(inst, 0)?;
                let (_, to) = self.result_type(inst)?;
                let value = self.checked_cast(inst, ptr, to)?;
                self.define_value(inst, value)?;
            }
            Op::GenericPtrMemSemantics => {
                let (_, ptr) = self.pointer(inst, 0)?;
                self.check_generic(inst, ptr)?;
                let (_, ty) = self.result_type(inst)?;
                if ty != Type::I32 {
                    return Err(inst.error("the result type is not a 32-bit integer"));
                }
                // WorkgroupMemory, CrossWorkgroupMemory, or none for private memory.
                let [workgroup, cross, none] = [0x100, 0x200, 0].map(|bits| self.func.i32(bits));
                let is_private = self.is_in_space(ptr, AddressSpace::Private);
                let is_local = self.is_in_space(ptr, AddressSpace::Local);
                let value = self.select_value(is_private, none, cross);
                let value = self.select_value(is_local, workgroup, value);
                self.define_value(inst, value)?;
            }
            Op::SizeOf => {
                let pointer = self.local(inst, inst.arg(0)?)?;
                let pointee = self.pre.pointee(inst, pointer.ty)?;
                let size = self.size_align(pointee).0;
                let (_, to) = self.result_type(inst)?;
                if !to.scalar.is_int() || to.lanes != 1 {
                    return Err(inst.error("the result type is not an integer"));
                }
                let value = self.func.splat_constant(to, size);
                self.define_value(inst, value)?;
            }
            Op::LifetimeStart | Op::LifetimeStop => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn check_generic(&self, inst: &Inst<'_>, ptr: Value) -> Result<()> {
        if self.func.ty(ptr) != Type::ptr(AddressSpace::Generic) {
            return Err(inst.error("the pointer is not generic"));
        }
        Ok(())
    }

    /// Makes a Bool: a generic pointer leads to private or local memory: only then does it
    /// survive the way there and back. NULL counts as being everywhere.
    fn is_in_space(&mut self, ptr: Value, space: AddressSpace) -> Value {
        let named = self.convert(ConvertOp::AddressSpaceCast, ptr, Type::ptr(space));
        let generic = Type::ptr(AddressSpace::Generic);
        let back = self.convert(ConvertOp::AddressSpaceCast, named, generic);
        self.icmp(IntCond::Eq, [back, ptr])
    }

    /// The pointer in a named space, or NULL if it leads elsewhere.
    fn checked_cast(&mut self, inst: &Inst<'_>, ptr: Value, to: Type) -> Result<Value> {
        self.check_generic(inst, ptr)?;
        let cast = self.convert(ConvertOp::AddressSpaceCast, ptr, to);
        let null = self.func.splat_constant(to, 0);
        match to.address_space() {
            Some(space @ (AddressSpace::Private | AddressSpace::Local)) => {
                let there = self.is_in_space(ptr, space);
                Ok(self.select_value(there, cast, null))
            }
            Some(AddressSpace::Global) => {
                let is_private = self.is_in_space(ptr, AddressSpace::Private);
                let is_local = self.is_in_space(ptr, AddressSpace::Local);
                let elsewhere = self.binary(BinaryOp::Or, [is_private, is_local]);
                Ok(self.select_value(elsewhere, null, cast))
            }
            _ => Err(inst.error("the result is not a pointer to a named address space")),
        }
    }

    fn private_variable(&mut self, inst: &Inst<'_>) -> Result<()> {
        if let Some(variable) = self.variables.of(inst.id) {
            return self.define_variable(inst, variable);
        }
        let (ty, leaf) = self.result_type(inst)?;
        if leaf != Type::ptr(AddressSpace::Private) {
            return Err(inst.error("a variable in a function must be in storage class Function"));
        }
        let pointee = self.pre.pointee(inst, ty)?;
        if !self.pre.types.is_sized(pointee) {
            return Err(inst.error("the variable's type has no size"));
        }
        let (size, align) = self.size_align(pointee);
        let align = self.pre.alignment(inst.id).unwrap_or(align).max(align);
        let ptr = self.slot(inst, size, align)?;
        if let Some(&init) = inst.args.get(1) {
            let init = self.local(inst, init)?;
            self.store_local(inst, ptr, &init, pointee, align, AccessFlags::empty())?;
        }
        self.define(inst, ty, Val::Leaves(SmallVec::from_elem(ptr, 1)))
    }

    /// The pointer operand `n`, as a local and a value.
    pub(super) fn pointer(&mut self, inst: &Inst<'_>, n: usize) -> Result<(Local, Value)> {
        let local = self.local(inst, inst.arg(n)?)?;
        let ptr = self.pointer_of(inst, &local)?;
        Ok((local, ptr))
    }

    fn pointer_of(&self, inst: &Inst<'_>, local: &Local) -> Result<Value> {
        match &local.val {
            Val::Leaves(leaves) if leaves.len() == 1 => {
                let ptr = leaves[0];
                if self.func.ty(ptr).scalar.is_ptr() {
                    return Ok(ptr);
                }
                Err(inst.error("the operand is not a pointer"))
            }
            _ => Err(inst.error("the operand is not a pointer to memory")),
        }
    }

    fn load(&mut self, inst: &Inst<'_>) -> Result<()> {
        if let Some(variable) = self.variable_operand(inst.arg(0)?) {
            return self.load_variable(inst, variable);
        }
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        let pointer = self.local(inst, inst.arg(0)?)?;
        if let Val::BuiltIn(which, lane) = pointer.val {
            return self.load_built_in(inst, which, lane);
        }
        if matches!(pointer.val, Val::Component(..)) {
            return self.load_component(inst, &pointer);
        }
        let ptr = self.pointer_of(inst, &pointer)?;
        let (access, _) = access(inst, 1)?;
        if !self.pre.types.is_sized(ty) {
            return Err(inst.error("the result type has no values"));
        }
        let natural = self.pre.types.get(ty).align;
        let align = access
            .align
            .unwrap_or(if pointer.packed { 1 } else { natural });
        if self.is_big(ty) {
            // The copy holds what the memory held at this point.
            let (size, own_align) = self.size_align(ty);
            let copy = self.slot(inst, size, own_align)?;
            self.mem_copy(copy, ptr, size, own_align, align, access.flags);
            return self.define(inst, ty, Val::Memory(copy));
        }
        let leaves = self.load_at(inst, ptr, ty, align, access.flags)?;
        self.define(inst, ty, Val::Leaves(leaves))
    }

    /// Returns whether values of the type are kept in memory.
    pub(super) fn is_big(&self, ty: Ty) -> bool {
        let info = self.pre.types.get(ty);
        // A matrix in memory would be read back for each product.
        let is_matrix = matches!(info.kind, TypeKind::Matrix(_));
        info.leaf.is_none() && !is_matrix && info.leaves > MAX_VALUE_LEAVES
    }

    pub(super) fn mem_copy(
        &mut self,
        dst: Value,
        src: Value,
        size: u64,
        dst_align: u32,
        src_align: u32,
        flags: AccessFlags,
    ) {
        let size = self.func.i64(size as i64);
        self.effect(InstKind::MemCopy {
            dst,
            src,
            size,
            dst_align,
            src_align,
            flags,
        });
    }

    /// All leaves of an aggregate that is kept in memory.
    pub(super) fn load_leaves(&mut self, inst: &Inst<'_>, ptr: Value, ty: Ty) -> Result<Leaves> {
        let align = self.size_align(ty).1;
        self.load_at(inst, ptr, ty, align, AccessFlags::empty())
    }

    pub(super) fn load_at(
        &mut self,
        inst: &Inst<'_>,
        ptr: Value,
        ty: Ty,
        align: u32,
        flags: AccessFlags,
    ) -> Result<Leaves> {
        let mut leaves = Leaves::new();
        for leaf in self.type_leaves(inst, ty)? {
            let ptr = self.offset(ptr, leaf.offset);
            let align = align_at(align, leaf.offset);
            leaves.push(self.load_leaf(ptr, leaf.ty, align, flags));
        }
        Ok(leaves)
    }

    pub(super) fn load_leaf(
        &mut self,
        ptr: Value,
        ty: Type,
        align: u32,
        flags: AccessFlags,
    ) -> Value {
        let kind = InstKind::Load { ptr, align, flags };
        if ty.scalar == Scalar::Bool {
            let byte = self.emit(kind, ty.with_scalar(Scalar::I8));
            return self.is_nonzero(byte);
        }
        self.emit(kind, ty)
    }

    pub(super) fn store_leaf(&mut self, ptr: Value, value: Value, align: u32, flags: AccessFlags) {
        let ty = self.func.ty(value);
        let value = if ty.scalar == Scalar::Bool {
            self.convert(ConvertOp::ZExt, value, ty.with_scalar(Scalar::I8))
        } else {
            value
        };
        self.effect(InstKind::Store {
            ptr,
            value,
            align,
            flags,
        });
    }

    fn store(&mut self, inst: &Inst<'_>) -> Result<()> {
        if let Some(variable) = self.variable_operand(inst.arg(0)?) {
            return self.set_variable(inst, variable, inst.arg(1)?);
        }
        if let Some(component) = self.component_address(inst.arg(0)?) {
            return self.store_component(inst, &component);
        }
        let (pointer, ptr) = self.pointer(inst, 0)?;
        let value = self.local(inst, inst.arg(1)?)?;
        let (access, _) = access(inst, 2)?;
        let natural = self.pre.types.get(value.ty).align;
        let align = access
            .align
            .unwrap_or(if pointer.packed { 1 } else { natural });
        self.store_local(inst, ptr, &value, value.ty, align, access.flags)
    }

    pub(super) fn store_local(
        &mut self,
        inst: &Inst<'_>,
        ptr: Value,
        value: &Local,
        ty: Ty,
        align: u32,
        flags: AccessFlags,
    ) -> Result<()> {
        match &value.val {
            Val::Memory(src) => {
                let (size, src_align) = self.size_align(value.ty);
                self.mem_copy(ptr, *src, size, align, src_align, flags);
            }
            Val::Leaves(values) => {
                let leaves = self.type_leaves(inst, ty)?;
                let fits = leaves.len() == values.len()
                    && leaves
                        .iter()
                        .zip(values)
                        .all(|(leaf, &value)| leaf.ty == self.func.ty(value));
                if !fits {
                    return Err(inst.error("the value does not fit the variable"));
                }
                for (leaf, &value) in leaves.iter().zip(values) {
                    let ptr = self.offset(ptr, leaf.offset);
                    self.store_leaf(ptr, value, align_at(align, leaf.offset), flags);
                }
            }
            Val::BuiltIn(..) | Val::Component(..) | Val::Variable(..) => {
                return Err(inst.error("a built-in variable is used for more than loading"));
            }
        }
        Ok(())
    }

    fn copy(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (to, dst) = self.pointer(inst, 0)?;
        let (from, src) = self.pointer(inst, 1)?;
        let natural = |body: &Self, local: &Local| -> Result<(u64, u32)> {
            let pointee = body.pre.pointee(inst, local.ty)?;
            if !body.pre.types.is_sized(pointee) {
                return Ok((0, 1));
            }
            let (size, align) = body.size_align(pointee);
            Ok((size, if local.packed { 1 } else { align }))
        };
        let (dst_size, dst_natural) = natural(self, &to)?;
        let (src_size, src_natural) = natural(self, &from)?;
        let sized = inst.op == Op::CopyMemorySized;
        let size = if sized {
            let size = self.arg(inst, 2)?;
            let ty = self.func.ty(size);
            if !ty.scalar.is_int() || ty.lanes != 1 {
                return Err(inst.error("the size is not an integer"));
            }
            self.resize_int(inst, size, Type::I64)?
        } else {
            if dst_size != src_size {
                return Err(inst.error("the pointers point to different types"));
            }
            self.func.i64(dst_size as i64)
        };
        let (first, next) = access(inst, if sized { 3 } else { 2 })?;
        // With two sets of operands the first is the target's, the second the source's.
        let (second, _) = access(inst, next)?;
        let src_align = if next < inst.args.len() {
            second.align
        } else {
            first.align
        };
        self.effect(InstKind::MemCopy {
            dst,
            src,
            size,
            // A sized copy moves bytes: only what is stated about the alignment holds.
            dst_align: first.align.unwrap_or(if sized { 1 } else { dst_natural }),
            src_align: src_align.unwrap_or(if sized { 1 } else { src_natural }),
            flags: first.flags | second.flags,
        });
        Ok(())
    }

    fn access_chain(&mut self, inst: &Inst<'_>) -> Result<()> {
        let base = self.local(inst, inst.arg(0)?)?;
        let ptr_chain = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let mut indices = inst.rest(1);
        if let Val::BuiltIn(which, None) = base.val {
            let ty = self.pre.type_of_id(inst, inst.ty)?;
            if ptr_chain {
                indices = inst.rest(2);
            }
            let lane = match indices {
                [] => None,
                &[index] => Some(self.value(inst, index)?),
                _ => return Err(inst.error("too many indices")),
            };
            return self.define(inst, ty, Val::BuiltIn(which, lane));
        }
        let mut ptr = self.pointer_of(inst, &base)?;
        let space = self.func.ty(ptr);
        let mut ty = self.pre.pointee(inst, base.ty)?;
        let mut packed = base.packed;
        let mut constant = 0u64;
        let scaled = |body: &mut Self, ptr: &mut Value, index: Value, stride: u64| -> Result<u64> {
            let index = body.index_i64(inst, index)?;
            if let Some(index) = body.func.const_signed(index) {
                return Ok((index as u64).wrapping_mul(stride));
            }
            let offset = match stride {
                0 => return Ok(0),
                1 => index,
                _ => {
                    let stride = body.func.i64(stride as i64);
                    body.binary(BinaryOp::IMul, [index, stride])
                }
            };
            *ptr = body.emit(InstKind::PtrAdd { base: *ptr, offset }, space);
            Ok(0)
        };
        if ptr_chain {
            let (&first, rest) = indices
                .split_first()
                .ok_or_else(|| inst.error("the element operand is missing"))?;
            indices = rest;
            let index = self.value(inst, first)?;
            let stride = self.size_align(ty).0;
            constant = constant.wrapping_add(scaled(self, &mut ptr, index, stride)?);
        }
        for (i, &id) in indices.iter().enumerate() {
            let index = self.value(inst, id)?;
            if let Some(matrix) = self.pre.types.native_matrix_of(ty) {
                if i + 1 != indices.len() {
                    return Err(inst.error("an index into something that has no parts"));
                }
                let ptr = self.offset(ptr, constant);
                let index = self.resize_int(inst, index, Type::I32)?;
                let result = self.pre.type_of_id(inst, inst.ty)?;
                return self.define(inst, result, Val::Component(matrix, ptr, index));
            }
            let step = self
                .pre
                .chain_step(inst, ty, self.func.const_signed(index))?;
            let add = match step {
                ChainStep::Member {
                    ty: next,
                    offset,
                    packed: here,
                } => {
                    ty = next;
                    packed |= here;
                    offset
                }
                ChainStep::Element { ty: next, stride } => {
                    ty = next;
                    scaled(self, &mut ptr, index, stride)?
                }
                ChainStep::Lane { bytes } => {
                    if i + 1 != indices.len() {
                        return Err(inst.error("an index into something that has no parts"));
                    }
                    scaled(self, &mut ptr, index, u64::from(bytes))?
                }
            };
            constant = constant.wrapping_add(add);
        }
        let ptr = self.offset(ptr, constant);
        let (ty, leaf) = self.result_type(inst)?;
        if leaf != space {
            return Err(inst.error("base and result are in different storage classes"));
        }
        self.define_local(
            inst,
            Local {
                ty,
                val: Val::Leaves(SmallVec::from_elem(ptr, 1)),
                packed,
            },
        )
    }

    /// A load of a built-in variable, converted to the type that the module gives it.
    fn load_built_in(
        &mut self,
        inst: &Inst<'_>,
        which: BuiltIn,
        lane: Option<Value>,
    ) -> Result<()> {
        let own = which.ty();
        let mut value = self.emit(InstKind::BuiltIn { which }, own);
        if let Some(index) = lane {
            if !own.is_vector() {
                return Err(inst.error("the built-in has no components"));
            }
            value = match self.func.const_bits(index) {
                Some(lane) if lane < u64::from(own.lanes) => {
                    let lane = lane as u8;
                    self.emit(
                        InstKind::Extract {
                            vector: value,
                            lane,
                        },
                        own.lane(),
                    )
                }
                Some(_) => return Err(inst.error("the component does not exist")),
                None => self.emit(
                    InstKind::ExtractDyn {
                        vector: value,
                        index,
                    },
                    own.lane(),
                ),
            };
        }
        let (_, to) = self.result_type(inst)?;
        let value = self.resize_int(inst, value, to)?;
        self.define_value(inst, value)
    }
}
