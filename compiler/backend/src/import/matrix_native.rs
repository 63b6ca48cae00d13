//! Cooperative matrices that are the device's own.
//!
//! Loads, stores and products are the device's instructions; components that a work-item holds are visited by their
//! numbers. A load or store whose pointer or stride is not aligned as the device wants it goes component by component
//! too: loads of two tables tell the row and the column of each number.

use super::body::Body;
use super::consts::ConstVal;
use super::locals::{Leaves, Local, Val};
use super::matrix::MatrixMemory;
use super::ops::{self, ByComponent};
use super::reader::{Inst, Result};
use super::types::Ty;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, Block, BlockCall, ConvertOp, GlobalData, InstKind,
    IntCond, Linkage, MatrixOp, MatrixType, Scalar, Type, UnrollHint, Value,
};
use rspirv::spirv::{CooperativeMatrixOperands, Decoration, Op};
use smallvec::SmallVec;

fn type_of(matrix: MatrixType) -> Type {
    Type::scalar(Scalar::Matrix(matrix))
}

impl Body<'_, '_> {
    /// Imports an instruction on matrices of the device's own; false if it is none.
    pub(super) fn native_matrix(&mut self, inst: &Inst<'_>) -> Result<bool> {
        match inst.op {
            Op::CooperativeMatrixStoreKHR => {
                let (ty, leaves) = self.leaves(inst, inst.arg(1)?)?;
                let Some(matrix) = self.pre.types.native_matrix_of(ty) else {
                    return Ok(false);
                };
                let memory = self.matrix_memory(inst, 0, 2, matrix.component_type())?;
                self.native_store(matrix, memory, leaves[0]);
                return Ok(true);
            }
            Op::CooperativeMatrixLengthKHR => {
                let ty = self.pre.type_of_id(inst, inst.arg(0)?)?;
                let Some(matrix) = self.pre.types.native_matrix_of(ty) else {
                    return Ok(false);
                };
                let length = self.length(matrix);
                self.define_value(inst, length)?;
                return Ok(true);
            }
            _ if inst.ty == 0 => return Ok(false),
            _ => {}
        }
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        let Some(matrix) = self.pre.types.native_matrix_of(ty) else {
            return Ok(false);
        };
        let value = match (inst.op, ops::by_component(inst.op)) {
            (Op::CooperativeMatrixLoadKHR, _) => {
                let memory = self.matrix_memory(inst, 0, 1, matrix.component_type())?;
                self.native_load(matrix, memory)
            }
            (Op::CooperativeMatrixMulAddKHR, _) => self.native_product(inst, matrix)?,
            (_, Some(ByComponent::Unary(op))) => {
                let arg = self.native_arg(inst, 0, ty)?;
                self.each_component(matrix, |body, i, whole| {
                    let value = body.get(matrix, arg, i);
                    let value = body.unary(op, value);
                    body.set(matrix, whole, i, value)
                })
            }
            (_, Some(ByComponent::Binary(op))) => self.native_pairs(inst, op, ty, matrix)?,
            (_, Some(ByComponent::Convert)) => self.native_converted(inst, matrix)?,
            (_, None) => return Ok(false),
        };
        self.define_value(inst, value)?;
        Ok(true)
    }

    /// An operand that is a matrix of a given type.
    fn native_arg(&mut self, inst: &Inst<'_>, n: usize, ty: Ty) -> Result<Value> {
        match self.leaves(inst, inst.arg(n)?)? {
            (found, leaves) if found == ty => Ok(leaves[0]),
            _ => Err(inst.error("the operand's type is wrong")),
        }
    }

    fn matrix_op(&mut self, op: MatrixOp, args: &[Value], ty: Type) -> Value {
        let args = SmallVec::from_slice(args);
        self.emit(InstKind::Matrix { op, args }, ty)
    }

    fn length(&mut self, matrix: MatrixType) -> Value {
        self.matrix_op(MatrixOp::Length(matrix), &[], Type::I32)
    }

    fn get(&mut self, matrix: MatrixType, whole: Value, number: Value) -> Value {
        self.matrix_op(MatrixOp::Get, &[whole, number], matrix.component_type())
    }

    fn set(&mut self, matrix: MatrixType, whole: Value, number: Value, value: Value) -> Value {
        let args = [whole, number, value];
        self.matrix_op(MatrixOp::Set, &args, type_of(matrix))
    }

    /// A matrix of one constituent.
    pub(super) fn native_fill(&mut self, matrix: MatrixType, value: Value) -> Value {
        self.matrix_op(MatrixOp::Fill, &[value], type_of(matrix))
    }

    /// Visits the numbers of the components that the work-item holds; gives the matrix that the visits make.
    fn each_component(
        &mut self,
        matrix: MatrixType,
        mut visit: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let length = self.length(matrix);
        let zero = self.func.i32(0);
        let start = self.func.undef(type_of(matrix));
        let [head, each, done] = [0; 3].map(|_| self.func.make_block());
        self.func.blocks[head].unroll = UnrollHint::Unroll;
        self.effect(InstKind::Jump {
            dest: BlockCall::new(head, &[zero, start]),
        });
        self.place(head);
        self.block = Some(head);
        let number = self.func.append_param(head, Type::I32);
        let whole = self.func.append_param(head, type_of(matrix));
        let more = self.icmp(IntCond::Ult, [number, length]);
        self.effect(InstKind::Branch {
            cond: more,
            then: BlockCall::new(each, &[]),
            other: BlockCall::new(done, &[]),
        });
        self.place(each);
        self.block = Some(each);
        let next = visit(self, number, whole);
        let one = self.func.i32(1);
        let after = self.binary(BinaryOp::IAdd, [number, one]);
        self.effect(InstKind::Jump {
            dest: BlockCall::new(head, &[after, next]),
        });
        self.place(done);
        self.block = Some(done);
        whole
    }

    fn native_pairs(
        &mut self,
        inst: &Inst<'_>,
        op: BinaryOp,
        ty: Ty,
        matrix: MatrixType,
    ) -> Result<Value> {
        let (a, b) = (self.native_arg(inst, 0, ty)?, self.native_arg(inst, 1, ty)?);
        if op.is_float() != matrix.component.is_float() {
            return Err(inst.error("the operands' types are wrong"));
        }
        let flags = self.binary_flags(inst.id, op);
        Ok(self.each_component(matrix, |body, i, whole| {
            let pair = [body.get(matrix, a, i), body.get(matrix, b, i)];
            let value = body.binary_with(op, pair, flags);
            body.set(matrix, whole, i, value)
        }))
    }

    fn native_converted(&mut self, inst: &Inst<'_>, matrix: MatrixType) -> Result<Value> {
        let (ty, leaves) = self.leaves(inst, inst.arg(0)?)?;
        let from = self.pre.types.native_matrix_of(ty);
        let from = from.ok_or_else(|| inst.error("the operand is no such matrix"))?;
        for kind in [Decoration::FPRoundingMode, Decoration::SaturatedConversion] {
            if self.pre.decoration(inst.id, kind).is_some() {
                return Err(inst.error("a conversion of matrices has no mode"));
            }
        }
        let [source, result] = [from, matrix].map(|matrix| matrix.component.bits());
        match ops::convert(inst.op, source, result, false).flatten() {
            Some(op) => Ok(self.matrix_op(MatrixOp::Convert(op), &[leaves[0]], type_of(matrix))),
            None => Ok(leaves[0]),
        }
    }

    fn native_product(&mut self, inst: &Inst<'_>, matrix: MatrixType) -> Result<Value> {
        let mut args: SmallVec<[Value; 3]> = SmallVec::new();
        for n in 0..3 {
            args.push(self.leaves(inst, inst.arg(n)?)?.1[0]);
        }
        let bits = inst.args.get(3).copied().unwrap_or(0);
        let flag = CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR;
        let saturating = bits & flag.bits() != 0;
        Ok(self.matrix_op(MatrixOp::MultiplyAdd { saturating }, &args, type_of(matrix)))
    }

    fn native_load(&mut self, matrix: MatrixType, memory: MatrixMemory) -> Value {
        let Some(fits) = self.fits(matrix, &memory) else {
            return self.gathered(matrix, &memory);
        };
        let ty = type_of(matrix);
        let row_major = memory.row_major;
        let [whole, parts, done] = self.both_ways(fits);
        let result = self.func.append_param(done, ty);
        self.block = Some(whole);
        let args = [memory.base, memory.stride];
        let loaded = self.matrix_op(MatrixOp::Load { row_major }, &args, ty);
        self.effect(InstKind::Jump {
            dest: BlockCall::new(done, &[loaded]),
        });
        self.place(parts);
        self.block = Some(parts);
        let gathered = self.gathered(matrix, &memory);
        self.effect(InstKind::Jump {
            dest: BlockCall::new(done, &[gathered]),
        });
        self.place(done);
        self.block = Some(done);
        result
    }

    fn native_store(&mut self, matrix: MatrixType, memory: MatrixMemory, value: Value) {
        let Some(fits) = self.fits(matrix, &memory) else {
            return self.scattered(matrix, &memory, value);
        };
        let [whole, parts, done] = self.both_ways(fits);
        self.block = Some(whole);
        let op = MatrixOp::Store {
            row_major: memory.row_major,
        };
        let args = SmallVec::from_slice(&[memory.base, value, memory.stride]);
        self.effect(InstKind::Matrix { op, args });
        self.effect(InstKind::Jump {
            dest: BlockCall::new(done, &[]),
        });
        self.place(parts);
        self.block = Some(parts);
        self.scattered(matrix, &memory, value);
        self.effect(InstKind::Jump {
            dest: BlockCall::new(done, &[]),
        });
        self.place(done);
        self.block = Some(done);
    }

    /// Branches to the first of three new blocks if the condition holds, else to the second. Only the first has its
    /// place.
    fn both_ways(&mut self, cond: Value) -> [Block; 3] {
        let blocks = [0; 3].map(|_| self.func.make_block());
        let [whole, parts, _] = blocks;
        self.effect(InstKind::Branch {
            cond,
            then: BlockCall::new(whole, &[]),
            other: BlockCall::new(parts, &[]),
        });
        self.place(whole);
        blocks
    }

    /// Bool: the device can access such memory itself; `None` where it never can.
    fn fits(&mut self, matrix: MatrixType, memory: &MatrixMemory) -> Option<Value> {
        let space = self.func.ty(memory.base).address_space();
        let never =
            space == Some(AddressSpace::Private) || memory.flags.contains(AccessFlags::VOLATILE);
        let op = MatrixOp::Fits {
            ty: matrix,
            row_major: memory.row_major,
        };
        (!never).then(|| self.matrix_op(op, &[memory.base, memory.stride], Type::BOOL))
    }

    fn gathered(&mut self, matrix: MatrixType, memory: &MatrixMemory) -> Value {
        let tables = self.place_tables(matrix);
        self.each_component(matrix, |body, i, whole| {
            let place = body.component_place(matrix, memory, tables, i);
            let component = matrix.component_type();
            let value = body.load_leaf(place, component, memory.align, memory.flags);
            body.set(matrix, whole, i, value)
        })
    }

    fn scattered(&mut self, matrix: MatrixType, memory: &MatrixMemory, value: Value) {
        let tables = self.place_tables(matrix);
        self.each_component(matrix, |body, i, whole| {
            let place = body.component_place(matrix, memory, tables, i);
            let component = body.get(matrix, value, i);
            body.store_leaf(place, component, memory.align, memory.flags);
            whole
        });
    }

    /// Two matrices whose components are their own rows and columns: they are loaded from the numbers from 0 on, which
    /// a stride of 0 makes every column, or row.
    fn place_tables(&mut self, matrix: MatrixType) -> [Value; 2] {
        let component = matrix.component_type();
        let stride = self.func.i64(0);
        let init: Vec<u8> = (0..matrix.rows.max(matrix.columns))
            .flat_map(|number| component_bytes(component, number))
            .collect();
        let known = self.globals.iter().find(|(_, global)| {
            let constant = global.space == AddressSpace::Constant && global.name.is_empty();
            constant && global.align >= 16 && global.init == init
        });
        let global = match known {
            Some((known, _)) => known,
            None => self.globals.push(GlobalData {
                name: String::new(),
                space: AddressSpace::Constant,
                size: init.len() as u64,
                align: 16,
                init,
                relocations: Vec::new(),
                linkage: Linkage::Internal,
            }),
        };
        let address = InstKind::GlobalAddr { global };
        let base = self.emit(address, Type::ptr(AddressSpace::Constant));
        [false, true].map(|row_major| {
            let op = MatrixOp::Load { row_major };
            self.matrix_op(op, &[base, stride], type_of(matrix))
        })
    }

    /// The address of a component.
    fn component_place(
        &mut self,
        matrix: MatrixType,
        memory: &MatrixMemory,
        tables: [Value; 2],
        number: Value,
    ) -> Value {
        let bytes = i64::from(matrix.component_type().access_bytes());
        let bytes = self.func.i64(bytes);
        let steps = match memory.row_major {
            true => [memory.stride, bytes],
            false => [bytes, memory.stride],
        };
        let mut place = memory.base;
        for (table, step) in tables.into_iter().zip(steps) {
            let component = self.get(matrix, table, number);
            let op = match self.func.ty(component).scalar.is_float() {
                true => ConvertOp::FToU,
                false => ConvertOp::ZExt,
            };
            let index = self.convert(op, component, Type::I64);
            let offset = self.binary(BinaryOp::IMul, [index, step]);
            place = self.matrix_step(place, offset);
        }
        place
    }

    /// A constant: all its components are one number.
    pub(super) fn constant_matrix(
        &mut self,
        inst: &Inst<'_>,
        matrix: MatrixType,
        value: &ConstVal,
    ) -> Result<Value> {
        let component = matrix.component_type();
        let bits = match value {
            ConstVal::Undef => return Ok(self.func.undef(type_of(matrix))),
            ConstVal::Null => Some(0),
            ConstVal::Composite(parts) => {
                parts.first().and_then(|part| part.scalar(&self.pre.types))
            }
            _ => None,
        };
        let bits = bits.ok_or_else(|| inst.error("a constant does not fit its type"))?;
        let number = self.func.constant(component, &[bits]);
        Ok(self.native_fill(matrix, number))
    }

    /// Reads a component through a pointer to it.
    pub(super) fn load_component(&mut self, inst: &Inst<'_>, local: &Local) -> Result<()> {
        let Val::Component(matrix, pointer, number) = local.val else {
            return Err(inst.error("the operand is not a pointer to a component"));
        };
        let whole = self.load_leaf(pointer, type_of(matrix), 1, AccessFlags::empty());
        let value = self.get(matrix, whole, number);
        self.define_value(inst, value)
    }

    /// Writes a component through a pointer to it.
    pub(super) fn store_component(&mut self, inst: &Inst<'_>, local: &Local) -> Result<()> {
        let Val::Component(matrix, pointer, number) = local.val else {
            return Err(inst.error("the operand is not a pointer to a component"));
        };
        let value = self.arg(inst, 1)?;
        if self.func.ty(value) != matrix.component_type() {
            return Err(inst.error("the value does not fit the component"));
        }
        let none = AccessFlags::empty();
        let whole = self.load_leaf(pointer, type_of(matrix), 1, none);
        let whole = self.set(matrix, whole, number, value);
        self.store_leaf(pointer, whole, 1, none);
        Ok(())
    }

    /// An extracted component of a matrix, or the matrix with an inserted one.
    pub(super) fn literal_component(
        &mut self,
        inst: &Inst<'_>,
        matrix: MatrixType,
        (whole, number): (Value, u32),
        inserted: Option<&Leaves>,
    ) -> Result<()> {
        let number = self.func.i32(number as i32);
        let value = match inserted.map(Leaves::as_slice) {
            None => self.get(matrix, whole, number),
            Some(&[value]) if self.func.ty(value) == matrix.component_type() => {
                self.set(matrix, whole, number, value)
            }
            Some(_) => return Err(inst.error("the object does not fit the component")),
        };
        self.define_value(inst, value)
    }
}

/// The bytes of a small number as a component.
fn component_bytes(component: Type, number: u8) -> Vec<u8> {
    match component.scalar {
        Scalar::I8 => vec![number],
        Scalar::F16 => pumice_numerics::half_from_f32(f32::from(number))
            .to_le_bytes()
            .to_vec(),
        Scalar::F32 => f32::from(number).to_le_bytes().to_vec(),
        Scalar::F64 => f64::from(number).to_le_bytes().to_vec(),
        _ => u32::from(number).to_le_bytes().to_vec(),
    }
}
