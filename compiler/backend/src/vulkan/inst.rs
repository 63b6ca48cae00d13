//! Instruction selection: each IR instruction in the SPIR-V it stands for.
//!
//! Takes only what the lowering passes leave; anything else is an error that names it.

use super::builder::Id;
use super::emitter::Emitter;
use super::narrow::Parts;
use pumice_ir::LowerError;
use pumice_ir::analysis::partition::Object;
use pumice_ir::{AddressSpace, Inst, InstKind, Type, Value};
use rspirv::spirv::{GlslStd450Op, Op};
use smallvec::SmallVec;

/// Generic pointers: the tag of local addresses, above any device address.
pub(crate) const GENERIC_LOCAL: u64 = 0x4000_0000_0000_0000;
/// Generic pointers: the tag of private addresses.
pub(crate) const GENERIC_PRIVATE: u64 = 0x8000_0000_0000_0000;

/// An error that names what no pass has lowered.
pub(super) fn internal(what: impl std::fmt::Debug) -> LowerError {
    LowerError::new(format!("internal: {what:?} reached emission"))
}

impl Emitter<'_> {
    /// Writes one instruction that is no terminator.
    pub fn inst(&mut self, inst: Inst) -> Result<(), LowerError> {
        let module = self.module;
        let data = &module.functions[self.cur].insts[inst];
        self.loc = data.loc;
        let result = data.results.first().copied();
        let ty = result.map(|r| self.value_ty(r));
        if ty.is_some_and(|t| t.lanes > 4) {
            return Err(internal(&data.kind));
        }
        let typed = || ty.ok_or_else(|| internal(&data.kind));
        let id = match &data.kind {
            InstKind::Unary { op, arg } => self.unary(*op, *arg, typed()?),
            InstKind::Binary { args, .. } if self.rotations.is_right_shift(inst) => {
                self.rotation_shift(*args, typed()?)
            }
            InstKind::Binary { op, args, flags } => self.binary(*op, *args, *flags, typed()?)?,
            InstKind::ICmp { cond, args } => {
                self.check_comparison(*args)?;
                self.icmp(*cond, *args, typed()?)
            }
            InstKind::FCmp { cond, args, .. } => self.fcmp(*cond, *args, typed()?),
            InstKind::Select { cond, then, other } => {
                let ty = typed()?;
                let mut condition = self.value(*cond);
                if ty.lanes > 1 && self.value_ty(*cond).lanes == 1 {
                    condition = self.splat(Type::BOOL.with_lanes(ty.lanes), condition);
                }
                let (then, other) = (self.value(*then), self.value(*other));
                if ty.lanes == 1 && ty.scalar.is_ptr() && !self.is_offset_pointer(ty) {
                    self.wide_select(condition, then, other)
                } else {
                    let ty = self.ty(ty);
                    self.b.op(Op::Select, ty, &[condition, then, other])
                }
            }
            InstKind::Convert { op, arg, rounding } => {
                if rounding.is_some() {
                    return Err(internal(&data.kind));
                }
                self.convert(*op, *arg, typed()?)?
            }
            InstKind::Math { op, args, .. } => self.math(*op, args, typed()?)?,
            InstKind::Build { lanes } => {
                let ids: SmallVec<[Id; 4]> = lanes.iter().map(|&v| self.value(v)).collect();
                self.build(typed()?, &ids)
            }
            InstKind::Splat { arg } => {
                let id = self.value(*arg);
                self.splat(typed()?, id)
            }
            InstKind::Extract { vector, lane } if self.lane_builtins.contains_key(vector) => {
                let which = self.lane_builtins[vector];
                self.builtin_lane(which, u32::from(*lane))?
            }
            InstKind::Extract { vector, lane } => {
                let vector_ty = self.value_ty(*vector);
                let id = self.value(*vector);
                self.lane(id, vector_ty, u32::from(*lane))
            }
            InstKind::Insert {
                vector,
                scalar,
                lane,
            } => {
                let (vector, scalar) = (self.value(*vector), self.value(*scalar));
                let ty = self.ty(typed()?);
                self.b
                    .op(Op::CompositeInsert, ty, &[scalar, vector, u32::from(*lane)])
            }
            InstKind::ExtractDyn { vector, index } => {
                let index = self.lane_index(*index, *vector);
                let vector = self.value(*vector);
                let ty = self.ty(typed()?);
                self.b.op(Op::VectorExtractDynamic, ty, &[vector, index])
            }
            InstKind::InsertDyn {
                vector,
                scalar,
                index,
            } => {
                let index = self.lane_index(*index, *vector);
                let (vector, scalar) = (self.value(*vector), self.value(*scalar));
                let ty = self.ty(typed()?);
                self.b
                    .op(Op::VectorInsertDynamic, ty, &[vector, scalar, index])
            }
            InstKind::Shuffle { args, mask } => self.shuffle(*args, mask, typed()?),
            InstKind::StackAddr { slot } => {
                let object = Object::Slot(self.cur, *slot);
                self.object_address(object)?
            }
            InstKind::GlobalAddr { global } => {
                if module.globals[*global].space == AddressSpace::Local {
                    self.object_address(Object::Global(*global))?
                } else {
                    let offset = self.data_offsets.get(global).copied();
                    let offset = offset.ok_or_else(|| internal(&data.kind))?;
                    match self.has_buffers() {
                        true => self.buffer_offset(offset)?,
                        false => self.program_scope_address(offset)?,
                    }
                }
            }
            InstKind::LocalArg { ordinal } => match self.argument_in_buffer(*ordinal) {
                Some(pointer) => pointer,
                None => {
                    let kernel = self.kernel_of[self.cur].ok_or_else(|| internal(&data.kind))?;
                    self.local_args
                        .get(&(kernel, *ordinal))
                        .copied()
                        .ok_or_else(|| internal(&data.kind))?
                }
            },
            InstKind::PtrAdd { base, offset } => {
                let sum = self.ptr_add(*base, *offset, typed()?)?;
                self.note_near(result, [*base, *offset], sum)?;
                sum
            }
            InstKind::Load { ptr, align, flags } => self.load(*ptr, typed()?, *align, *flags)?,
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } => return self.store(*ptr, *value, *align, *flags),
            InstKind::AtomicLoad { ptr, order, scope } => {
                self.atomic_load(*ptr, typed()?.scalar, *order, *scope)?
            }
            InstKind::AtomicStore {
                ptr,
                value,
                order,
                scope,
            } => return self.atomic_store(*ptr, *value, *order, *scope),
            InstKind::AtomicRmw {
                op,
                ptr,
                value,
                order,
                scope,
            } => self.atomic_rmw(*op, *ptr, *value, *order, *scope)?,
            InstKind::AtomicCmpXchg {
                ptr,
                expected,
                desired,
                success,
                failure,
                scope,
            } => self.atomic_cmpxchg(*ptr, [*expected, *desired], [*success, *failure], *scope)?,
            InstKind::Fence {
                scope,
                order,
                global,
                local,
            } => {
                self.fence(*scope, *order, *global, *local);
                return Ok(());
            }
            InstKind::Barrier {
                execution,
                memory,
                order,
                global,
                local,
            } => return self.barrier(*execution, *memory, *order, *global, *local),
            InstKind::ReadClock { scope } => self.read_clock(*scope)?,
            InstKind::BuiltIn { .. }
                if result.is_some_and(|r| self.lane_builtins.contains_key(&r)) =>
            {
                return Ok(());
            }
            InstKind::BuiltIn { which } => self.builtin(*which)?,
            InstKind::BuiltInWord { which, lane, high } => {
                self.builtin_word(*which, u32::from(*lane), *high)?
            }
            InstKind::Group { op, scope, args } => self.group(*op, *scope, args, typed()?)?,
            InstKind::Node { op, args } => match self.node(*op, args)? {
                Some(id) => id,
                None => return Ok(()),
            },
            InstKind::Matrix { op, args } => match self.matrix(*op, args, ty)? {
                Some(id) => id,
                None => return Ok(()),
            },
            InstKind::Image { op, image, args } => match self.image(*op, *image, args)? {
                Some(id) => id,
                None => return Ok(()),
            },
            // Operations know their argument; a choice between several goes by number.
            InstKind::HandleArg { ordinal } => self.b.const_u32(*ordinal),
            InstKind::HandleInfo { ordinal, which } => self.handle_info(*ordinal, *which)?,
            InstKind::LoadArg { offset } => self.load_arg(*offset, typed()?)?,
            InstKind::LoadArgWord { offset, index } => {
                let index = self.value(*index);
                self.load_arg_word(*offset, index)?
            }
            InstKind::Call { func, args } => {
                let ids = self.call(*func, args)?;
                for (&value, id) in data.results.iter().zip(ids) {
                    self.define(value, id)?;
                }
                return Ok(());
            }
            InstKind::MemCopy { .. } | InstKind::Printf { .. } => {
                return Err(internal(&data.kind));
            }
            InstKind::Jump { .. }
            | InstKind::Branch { .. }
            | InstKind::Switch { .. }
            | InstKind::Return { .. }
            | InstKind::Unreachable => return Err(internal(&data.kind)),
        };
        match result {
            Some(value) => self.define(value, id),
            None => Ok(()),
        }
    }

    /// Gives a value its id. A value that a phi has named already gets a copy under that name.
    fn define(&mut self, value: Value, id: Id) -> Result<(), LowerError> {
        let named = self.vals[value];
        if named == 0 {
            self.vals[value] = id;
        } else {
            let ty = self.value_ty(value);
            let ty = self.ty(ty);
            self.b.inst_at(named, Op::CopyObject, ty, &[id]);
        }
        Ok(())
    }

    pub(super) fn splat(&mut self, ty: Type, id: Id) -> Id {
        let lanes: SmallVec<[Id; 4]> = std::iter::repeat_n(id, usize::from(ty.lanes)).collect();
        self.build(ty, &lanes)
    }

    /// A run-time lane index as 32 bits, kept inside the vector: out of range is unspecified
    /// in the IR but undefined in SPIR-V.
    fn lane_index(&mut self, index: Value, vector: Value) -> Id {
        let bits = self.value_ty(index).scalar.bits();
        let lanes = u32::from(self.value_ty(vector).lanes);
        let id = self.value(index);
        let u32_ty = self.b.ty_int(32);
        let index = if bits == 32 {
            id
        } else {
            self.b.op(Op::UConvert, u32_ty, &[id])
        };
        if lanes.is_power_of_two() {
            let mask = self.b.const_u32(lanes - 1);
            return self.b.op(Op::BitwiseAnd, u32_ty, &[index, mask]);
        }
        let last = self.b.const_u32(lanes - 1);
        self.b.glsl(GlslStd450Op::UMin, u32_ty, &[index, last])
    }

    fn shuffle(&mut self, args: [Value; 2], mask: &[Option<u8>], ty: Type) -> Id {
        let types = args.map(|a| self.value_ty(a));
        let ids = args.map(|a| self.value(a));
        let first = types[0].lanes;
        if types[0].lanes > 1 && types[1].lanes > 1 && ty.lanes > 1 {
            let ty = self.ty(ty);
            let mut operands: SmallVec<[u32; 8]> = SmallVec::from_slice(&ids);
            operands.extend(mask.iter().map(|m| u32::from(m.unwrap_or(0))));
            return self.b.op(Op::VectorShuffle, ty, &operands);
        }
        let lanes: SmallVec<[Id; 4]> = mask
            .iter()
            .map(|m| {
                let lane = m.unwrap_or(0);
                if lane < first {
                    self.lane(ids[0], types[0], u32::from(lane))
                } else {
                    self.lane(ids[1], types[1], u32::from(lane - first))
                }
            })
            .collect();
        self.build(ty, &lanes)
    }

    fn object_address(&mut self, object: Object) -> Result<Id, LowerError> {
        if let Some(pointer) = self.variable_in_buffer(object) {
            return Ok(self.b.const_u32(pointer));
        }
        let partition = self
            .parts
            .of_object(object)
            .ok_or_else(|| internal(object))?;
        let part = &self.parts.list[partition as usize];
        let offset = part
            .objects
            .iter()
            .find(|(o, _)| *o == object)
            .map(|&(_, offset)| offset)
            .ok_or_else(|| internal(object))?;
        let address = part.bias + offset;
        Ok(self.b.const_u32(address))
    }

    fn ptr_add(&mut self, base: Value, offset: Value, ty: Type) -> Result<Id, LowerError> {
        let base = self.value(base);
        if !self.is_offset_pointer(ty) {
            let amount = self.value(offset);
            return Ok(self.wide_sum(Op::IAdd, base, amount));
        }
        let constant = self.module.functions[self.cur].const_lanes(offset);
        let amount = match constant {
            Some(lanes) => self.b.const_u32(lanes[0] as u32),
            None => self.low_word(offset)?,
        };
        let ty = self.ty(ty);
        let sum = self.b.op(Op::IAdd, ty, &[base, amount]);
        if sum != base && sum != amount {
            self.parts_of.insert(sum, Parts::Sum(base, amount));
        }
        Ok(sum)
    }
}
