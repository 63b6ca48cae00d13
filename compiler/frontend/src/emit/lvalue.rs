//! Lvalues: addresses, loads and stores.

use rspirv::spirv::Op;

use super::EmitError;
use super::bit_field::Bits;
use super::function::FunctionEmitter;
use super::types::storage_class;
use crate::lang::types::{AddrSpace, Quals, Type, TypeId, TypeTable};
use crate::sema::typed::{ExprId, ExprKind, LvalueId, LvalueKind, NO_LANE};

/// An evaluated lvalue.
#[derive(Clone, Debug)]
pub(super) enum Addr {
    /// An object in memory.
    Memory {
        /// Pointer to its memory form.
        pointer: u32,
        /// Type of the object.
        ty: TypeId,
        /// Address space of the object.
        space: AddrSpace,
        /// Alignment in bytes.
        align: u64,
        /// `volatile`
        volatile: bool,
    },
    /// A bit-field.
    Bits(Bits),
    /// Some lanes of a vector.
    Lanes(Box<Addr>, Vec<u8>),
    /// A lane by number.
    Lane(Box<Addr>, u32),
}

impl FunctionEmitter<'_, '_> {
    /// Evaluates an lvalue once.
    pub fn lvalue(&mut self, id: LvalueId) -> Result<Addr, EmitError> {
        let body = self.body;
        let lvalue = body.lvalue(id);
        let pointer = match &lvalue.kind {
            LvalueKind::Local(local) => self.local(*local),
            LvalueKind::Global(global) => self.e.global(*global)?,
            LvalueKind::Deref(pointer) => {
                let value = self.expr(*pointer)?;
                self.retype(value, body.expr(*pointer).ty, lvalue.ty.ty, lvalue.space)
            }
            LvalueKind::Field { base, field } => {
                let pointer = self.field(*base, *field)?;
                let volatile = lvalue.ty.quals.contains(Quals::VOLATILE);
                let bits = self.bits_in(body.lvalue(*base).ty.ty, *field);
                if let Some(bits) = bits {
                    return Ok(Addr::Bits(Bits {
                        pointer,
                        bits,
                        ty: lvalue.ty.ty,
                        space: lvalue.space,
                        volatile,
                    }));
                }
                pointer
            }
            LvalueKind::Lanes { base, lanes, .. } => {
                let base = self.lvalue(*base)?;
                return Ok(Addr::Lanes(Box::new(base), lanes.clone()));
            }
            LvalueKind::Lane { base, index } => {
                let base = self.lvalue(*base)?;
                if let ExprKind::Int(lane) = body.expr(*index).kind {
                    return Ok(Addr::Lanes(Box::new(base), vec![(lane & 15) as u8]));
                }
                let index = self.expr(*index)?;
                return Ok(Addr::Lane(Box::new(base), index));
            }
            LvalueKind::Literal { local, init } => {
                let pointer = self.local(*local);
                self.initialise(*local, init)?;
                pointer
            }
            LvalueKind::Temporary(value) => self.record_in_memory(*value)?,
        };
        Ok(Addr::Memory {
            pointer,
            ty: lvalue.ty.ty,
            space: lvalue.space,
            align: lvalue.align,
            volatile: lvalue.ty.quals.contains(Quals::VOLATILE),
        })
    }

    /// A pointer value as a pointer to the memory form of `to` (void and incomplete pointees
    /// have bytes).
    fn retype(&mut self, value: u32, pointer: TypeId, to: TypeId, space: AddrSpace) -> u32 {
        let from = self.e.value_type(pointer);
        let wanted = self.e.pointer_to(to, space);
        if from == wanted {
            value
        } else {
            self.e.b.op(Op::Bitcast, wanted, &[value])
        }
    }

    /// Address of a field.
    fn field(&mut self, base: LvalueId, field: u32) -> Result<u32, EmitError> {
        let body = self.body;
        let record_ty = body.lvalue(base).ty.ty;
        let Addr::Memory { pointer, space, .. } = self.lvalue(base)? else {
            unreachable!("a record is never a vector's lane");
        };
        Ok(self.field_address(pointer, record_ty, field, space))
    }

    /// Address of a field of a record in memory.
    pub fn field_address(
        &mut self,
        pointer: u32,
        record_ty: TypeId,
        field: u32,
        space: AddrSpace,
    ) -> u32 {
        let module = self.e.module;
        let Some(record) = module.types.record_id(record_ty) else {
            unreachable!("a field of what is no record");
        };
        let def = &module.types.record(record).fields[field as usize];
        // A bit-field's address is that of its first byte.
        let ty = def.bits.map_or(def.ty.ty, |_| TypeTable::UCHAR);
        let wanted = self.e.pointer_to(ty, space);
        let shape = self.e.record_shape(record);
        if let Some(Some(member)) = shape.members.get(field as usize) {
            let zero = self.e.b.const_u32(0);
            let member = self.e.b.const_u32(*member);
            let operands = [pointer, zero, member];
            return self.e.b.op(Op::InBoundsPtrAccessChain, wanted, &operands);
        }
        if def.offset == 0 {
            return self.e.b.op(Op::Bitcast, wanted, &[pointer]);
        }
        let bytes = self.e.pointer_to(TypeTable::CHAR, space);
        let base = self.e.b.op(Op::Bitcast, bytes, &[pointer]);
        let offset = self.e.b.const_int(64, def.offset);
        let moved = self
            .e
            .b
            .op(Op::InBoundsPtrAccessChain, bytes, &[base, offset]);
        self.e.b.op(Op::Bitcast, wanted, &[moved])
    }

    /// Address of an array's element.
    pub fn element_address(
        &mut self,
        pointer: u32,
        elem: TypeId,
        index: u64,
        space: AddrSpace,
    ) -> u32 {
        let wanted = self.e.pointer_to(elem, space);
        let zero = self.e.b.const_int(64, 0);
        let index = self.e.b.const_int(64, index);
        self.e
            .b
            .op(Op::InBoundsPtrAccessChain, wanted, &[pointer, zero, index])
    }

    /// The value of an lvalue that is no record.
    pub fn load(&mut self, addr: &Addr) -> u32 {
        match addr {
            Addr::Memory {
                pointer,
                ty,
                align,
                volatile,
                ..
            } => self.load_value(*pointer, *ty, *align, *volatile),
            Addr::Bits(place) => self.load_bits(*place),
            Addr::Lanes(base, lanes) => {
                let vector = self.load(base);
                let (elem, _) = self.shape(base);
                self.swizzle(vector, elem, lanes)
            }
            Addr::Lane(base, index) => {
                let vector = self.load(base);
                let (elem, _) = self.shape(base);
                let elem = self.e.value_type(elem);
                self.e
                    .b
                    .op(Op::VectorExtractDynamic, elem, &[vector, *index])
            }
        }
    }

    /// Stores a value (no record).
    pub fn store(&mut self, addr: &Addr, value: u32) {
        match addr {
            Addr::Memory {
                pointer,
                ty,
                align,
                volatile,
                ..
            } => self.store_value(*pointer, *ty, value, *align, *volatile),
            Addr::Bits(place) => self.store_bits(*place, value),
            Addr::Lanes(base, lanes) => self.store_lanes(base, lanes, value),
            Addr::Lane(base, index) => {
                if let Some((pointer, elem, align, volatile)) = self.lane_pointer(base, *index) {
                    self.store_value(pointer, elem, value, align, volatile);
                    return;
                }
                let vector = self.load(base);
                let shape = self.shape(base);
                let ty = self.vector_type(shape);
                let operands = [vector, value, *index];
                let changed = self.e.b.op(Op::VectorInsertDynamic, ty, &operands);
                self.store(base, changed);
            }
        }
    }

    fn store_lanes(&mut self, base: &Addr, lanes: &[u8], value: u32) {
        let (elem, width) = self.shape(base);
        let elem_ty = self.e.value_type(elem);
        if matches!(base, Addr::Memory { space, .. } if *space != AddrSpace::Private) {
            // Other work-items may write the other lanes meanwhile.
            for (position, lane) in lanes.iter().enumerate() {
                if *lane == NO_LANE {
                    continue;
                }
                let part = if lanes.len() == 1 {
                    value
                } else {
                    let operands = [value, position as u32];
                    self.e.b.op(Op::CompositeExtract, elem_ty, &operands)
                };
                let index = self.e.b.const_u32(u32::from(*lane));
                if let Some((pointer, elem, align, volatile)) = self.lane_pointer(base, index) {
                    self.store_value(pointer, elem, part, align, volatile);
                }
            }
            return;
        }
        let vector_ty = self.vector_type((elem, width));
        let vector = self.load(base);
        let changed = if let [NO_LANE] = lanes {
            return;
        } else if let [lane] = lanes {
            let operands = [value, vector, u32::from(*lane)];
            self.e.b.op(Op::CompositeInsert, vector_ty, &operands)
        } else {
            let mut operands = vec![vector, value];
            for lane in 0..width {
                let source = lanes.iter().position(|l| *l == lane);
                operands.push(source.map_or(u32::from(lane), |p| u32::from(width) + p as u32));
            }
            self.e.b.op(Op::VectorShuffle, vector_ty, &operands)
        };
        self.store(base, changed);
    }

    /// Pointer to one lane of a shared vector, its type, alignment and volatility; `None` for
    /// private ones, which are written whole.
    fn lane_pointer(&mut self, base: &Addr, index: u32) -> Option<(u32, TypeId, u64, bool)> {
        let Addr::Memory {
            pointer,
            ty,
            space,
            align,
            volatile,
        } = base
        else {
            return None;
        };
        if *space == AddrSpace::Private {
            return None;
        }
        let (elem, _) = self.e.module.types.elem_lanes(*ty);
        let wanted = self.e.pointer_to(elem, *space);
        let zero = self.e.b.const_u32(0);
        let lane = self
            .e
            .b
            .op(Op::InBoundsPtrAccessChain, wanted, &[*pointer, zero, index]);
        let align = self.e.module.types.align(elem).min(*align);
        Some((lane, elem, align, *volatile))
    }

    /// Element type and lanes of the scalar or vector that an address stands for.
    fn shape(&self, addr: &Addr) -> (TypeId, u8) {
        match addr {
            Addr::Memory { ty, .. } | Addr::Bits(Bits { ty, .. }) => {
                self.e.module.types.elem_lanes(*ty)
            }
            Addr::Lanes(base, lanes) => (self.shape(base).0, lanes.len() as u8),
            Addr::Lane(base, _) => (self.shape(base).0, 1),
        }
    }

    /// The value form of `lanes` elements.
    pub fn vector_type(&mut self, (elem, lanes): (TypeId, u8)) -> u32 {
        let elem = self.e.value_type(elem);
        self.e.b.ty_vector(elem, u32::from(lanes))
    }

    /// Memory operands.
    fn access(align: u64, volatile: bool) -> [u32; 2] {
        [2 | u32::from(volatile), align.max(1) as u32]
    }

    /// Loads a value form.
    pub fn load_value(&mut self, pointer: u32, ty: TypeId, align: u64, volatile: bool) -> u32 {
        let memory = self.e.memory_type(ty);
        let [mask, align] = Self::access(align, volatile);
        let raw = self.e.b.op(Op::Load, memory, &[pointer, mask, align]);
        if !self.e.forms_differ(ty) {
            return raw;
        }
        let value = self.e.value_type(ty);
        match self.e.module.types.get(ty) {
            Type::Bool => {
                let zero = self.e.b.const_int(8, 0);
                self.e.b.op(Op::INotEqual, value, &[raw, zero])
            }
            _ => self.e.b.op(Op::Bitcast, value, &[raw]),
        }
    }

    /// Stores a value form.
    pub fn store_value(
        &mut self,
        pointer: u32,
        ty: TypeId,
        value: u32,
        align: u64,
        volatile: bool,
    ) {
        let mut raw = value;
        if self.e.forms_differ(ty) {
            let memory = self.e.memory_type(ty);
            raw = match self.e.module.types.get(ty) {
                Type::Bool => {
                    let one = self.e.b.const_int(8, 1);
                    let zero = self.e.b.const_int(8, 0);
                    self.e.b.op(Op::Select, memory, &[value, one, zero])
                }
                _ => self.e.b.op(Op::Bitcast, memory, &[value]),
            };
        }
        let [mask, align] = Self::access(align, volatile);
        self.e.b.op_void(Op::Store, &[pointer, raw, mask, align]);
    }

    /// The address in an lvalue, as a value of the pointer type `ty`.
    pub fn address_of(&mut self, lvalue: LvalueId, ty: TypeId) -> Result<u32, EmitError> {
        let Addr::Memory {
            pointer,
            ty: object,
            space,
            ..
        } = self.lvalue(lvalue)?
        else {
            return Err(EmitError {
                span: self.body.lvalue(lvalue).span,
                message: "address of vector element requested".to_string(),
            });
        };
        let own = self.e.pointer_to(object, space);
        let wanted = self.e.value_type(ty);
        Ok(if own == wanted {
            pointer
        } else {
            self.e.b.op(Op::Bitcast, wanted, &[pointer])
        })
    }

    /// Address of the first element of the array in an lvalue.
    pub fn decay(&mut self, lvalue: LvalueId, ty: TypeId) -> Result<u32, EmitError> {
        let Addr::Memory {
            pointer,
            ty: object,
            space,
            ..
        } = self.lvalue(lvalue)?
        else {
            unreachable!("an array is never a vector's lane");
        };
        let module = self.e.module;
        let wanted = self.e.value_type(ty);
        let Type::Array { elem, .. } = module.types.get(object) else {
            return Ok(self.e.b.op(Op::Bitcast, wanted, &[pointer]));
        };
        let first = self.element_address(pointer, elem.ty, 0, space);
        let own = self.e.pointer_to(elem.ty, space);
        Ok(if own == wanted {
            first
        } else {
            self.e.b.op(Op::Bitcast, wanted, &[first])
        })
    }

    /// A pointer moved by elements.
    pub fn pointer_add(
        &mut self,
        base: ExprId,
        index: ExprId,
        ty: TypeId,
    ) -> Result<u32, EmitError> {
        let pointer = self.expr(base)?;
        let index = self.expr(index)?;
        let wanted = self.e.value_type(ty);
        let module = self.e.module;
        let (pointee, space) = module
            .types
            .pointer_parts(ty)
            .expect("pointer arithmetic on pointers");
        debug_assert_eq!(
            self.e.pointer_to(pointee.ty, space),
            wanted,
            "{:?}",
            storage_class(space)
        );
        Ok(self
            .e
            .b
            .op(Op::InBoundsPtrAccessChain, wanted, &[pointer, index]))
    }
}
