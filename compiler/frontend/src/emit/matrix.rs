//! Cooperative matrices (SPV_KHR_cooperative_matrix).

use rspirv::spirv::{Capability, CooperativeMatrixOperands, Op, Scope};

use super::function::FunctionEmitter;
use super::types::storage_class;
use super::{EmitError, Emitter};
use crate::builtins::component_type;
use crate::builtins::table::{Lower, MatrixFunction};
use crate::lang::opaque::MatrixShape;
use crate::lang::types::{AddrSpace, MatrixKind, OpaqueKind, TypeId, TypeTable};
use crate::sema::typed::ExprId;

impl Emitter<'_> {
    /// The type of a matrix.
    pub(super) fn matrix_type(&mut self, kind: MatrixKind) -> u32 {
        let shape = kind.shape();
        self.b.need_version((1, 3));
        self.b.extension("SPV_KHR_cooperative_matrix");
        self.b.capability(Capability::CooperativeMatrixKHR);
        let component = self.value_type(component_type(shape.component));
        let scope = self.b.const_u32(Scope::Subgroup as u32);
        let [rows, columns, which] =
            [shape.rows, shape.columns, shape.which as u32].map(|number| self.b.const_u32(number));
        let operands = [component, scope, rows, columns, which];
        self.b.unique(Op::TypeCooperativeMatrixKHR, None, &operands)
    }
}

impl FunctionEmitter<'_, '_> {
    /// Functions on matrices; `None` for other rows.
    pub fn matrix(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let Lower::Matrix(function) = lower else {
            return Ok(None);
        };
        let types: Vec<TypeId> = args.iter().map(|arg| self.body.expr(*arg).ty).collect();
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(*arg)?);
        }
        let result = match ty {
            _ if ty == TypeTable::VOID => 0,
            _ => self.e.value_type(ty),
        };
        // The first argument is the matrix, or a pointer to it.
        let first = self.pointee(types[0]).unwrap_or(types[0]);
        let Some(shape) = self.matrix_shape(first) else {
            unreachable!("sema takes matrices only");
        };
        let matrix = self.e.value_type(first);
        Ok(Some(match function {
            MatrixFunction::Load(layout) => {
                let layout = self.e.b.const_u32(layout as u32);
                let operands = [values[1], layout, values[2]];
                let loaded = self.e.b.op(Op::CooperativeMatrixLoadKHR, matrix, &operands);
                self.put_matrix(values[0], loaded)
            }
            MatrixFunction::Store(layout) => {
                let layout = self.e.b.const_u32(layout as u32);
                let operands = [values[1], values[0], layout, values[2]];
                self.e.b.op_void(Op::CooperativeMatrixStoreKHR, &operands);
                0
            }
            MatrixFunction::MultiplyAdd(saturating) => {
                let operands = self.integer_operands(&types, saturating);
                let mut words = values;
                if !operands.is_empty() {
                    words.push(operands.bits());
                }
                self.e.b.op(Op::CooperativeMatrixMulAddKHR, result, &words)
            }
            MatrixFunction::Fill => {
                let filled = self.e.b.op(Op::CompositeConstruct, matrix, &[values[1]]);
                self.put_matrix(values[0], filled)
            }
            MatrixFunction::Length => {
                self.e
                    .b
                    .op(Op::CooperativeMatrixLengthKHR, result, &[matrix])
            }
            MatrixFunction::Get => {
                let place = self.component_place(types[0], shape, [values[0], values[1]]);
                self.e.b.op(Op::Load, result, &[place])
            }
            MatrixFunction::Set => {
                let place = self.component_place(types[0], shape, [values[0], values[1]]);
                self.put_matrix(place, values[2])
            }
            MatrixFunction::Pairs([signed, unsigned, float]) => {
                let op = match (shape.component.is_float(), shape.component.is_signed()) {
                    (true, _) => float,
                    (false, true) => signed,
                    (false, false) => unsigned,
                };
                self.e.b.op(op, result, &values)
            }
            MatrixFunction::Negate => {
                let op = match shape.component.is_float() {
                    true => Op::FNegate,
                    false => Op::SNegate,
                };
                self.e.b.op(op, result, &values)
            }
            MatrixFunction::Convert => {
                let converted = self.converted_matrix(types[1], shape, matrix, values[1]);
                self.put_matrix(values[0], converted)
            }
        }))
    }

    fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        let parts = self.e.module.types.pointer_parts(ty);
        parts.map(|(to, _)| to.ty)
    }

    fn matrix_shape(&self, ty: TypeId) -> Option<&'static MatrixShape> {
        match self.e.module.types.opaque(ty)? {
            OpaqueKind::Matrix(kind) => Some(kind.shape()),
            _ => None,
        }
    }

    /// Writes a matrix, or one component, to where it lies.
    fn put_matrix(&mut self, place: u32, value: u32) -> u32 {
        self.e.b.op_void(Op::Store, &[place, value]);
        0
    }

    /// The address of a component that the work-item holds.
    fn component_place(&mut self, pointer: TypeId, shape: &MatrixShape, operands: [u32; 2]) -> u32 {
        let space = self
            .e
            .module
            .types
            .pointer_parts(pointer)
            .map(|(_, space)| space);
        let component = self.e.value_type(component_type(shape.component));
        let class = storage_class(space.unwrap_or(AddrSpace::Private));
        let ty = self.e.b.ty_pointer(class, component);
        self.e.b.op(Op::InBoundsAccessChain, ty, &operands)
    }

    /// The signs of a product's matrices of integers.
    fn integer_operands(&self, types: &[TypeId], saturating: bool) -> CooperativeMatrixOperands {
        let mut operands = CooperativeMatrixOperands::empty();
        let flags = [
            CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR,
            CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR,
            CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR
                | CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR,
        ];
        for (flag, ty) in flags.into_iter().zip(types) {
            let shape = self.matrix_shape(*ty);
            operands.set(flag, shape.is_some_and(|shape| shape.component.is_signed()));
        }
        let sat = CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR;
        operands.set(sat, saturating);
        operands
    }

    /// A matrix with its components converted; integers of one width keep their bits.
    fn converted_matrix(&mut self, from: TypeId, to: &MatrixShape, result: u32, value: u32) -> u32 {
        let Some(from) = self.matrix_shape(from) else {
            return value;
        };
        let (from, to) = (from.component, to.component);
        let op = match (from.is_float(), to.is_float()) {
            _ if from.looks_like(to) => return value,
            (true, true) => Op::FConvert,
            (true, false) if to.is_signed() => Op::ConvertFToS,
            (true, false) => Op::ConvertFToU,
            (false, true) if from.is_signed() => Op::ConvertSToF,
            (false, true) => Op::ConvertUToF,
            (false, false) if from.is_signed() => Op::SConvert,
            (false, false) => Op::UConvert,
        };
        self.e.b.op(op, result, &[value])
    }
}
