//! Cooperative matrices of the device's own (SPV_KHR_cooperative_matrix).
//!
//! Components are read and written in a variable of the function, since their numbers are not constants. Memory is
//! accessed through a pointer into an array; kernels with matrices have their work-items in one row, which is made of
//! whole sub-groups.

use super::access::MemoryLocation;
use super::builder::Id;
use super::emitter::Emitter;
use super::inst::internal;
use pumice_ir::{
    AccessFlags, ConvertOp, FuncId, LowerError, MatrixOp, MatrixType, Scalar, Type, Value,
};
use rspirv::spirv::{
    Capability, CooperativeMatrixLayout, CooperativeMatrixOperands, Decoration, GlslStd450Op, Op,
    Scope as SpvScope, StorageClass,
};
use rustc_hash::FxHashMap;

/// Types and variables of matrices that are written once.
#[derive(Debug, Default)]
pub(crate) struct Matrices {
    /// Blocks of one array without a length, by its component.
    blocks: FxHashMap<Id, Id>,
    /// The variable in which a function has the components of a type.
    variables: FxHashMap<(FuncId, MatrixType), Id>,
}

/// Strides in bytes are below that, so that their elements' number is one word.
const STRIDE_BITS: u32 = 31;

impl Emitter<'_> {
    /// The type of a matrix.
    pub fn matrix_ty(&mut self, matrix: MatrixType) -> Id {
        self.b.capability(Capability::CooperativeMatrixKHR);
        self.b.extension("SPV_KHR_cooperative_matrix");
        let component = self.component_ty(matrix);
        let numbers = [
            SpvScope::Subgroup as u32,
            u32::from(matrix.rows),
            u32::from(matrix.columns),
            matrix.which as u32,
        ];
        let [scope, rows, columns, which] = numbers.map(|number| self.b.const_u32(number));
        let operands = [component, scope, rows, columns, which];
        self.b.unique(Op::TypeCooperativeMatrixKHR, None, &operands)
    }

    /// The type of components: integers that count as signed are said to be.
    fn component_ty(&mut self, matrix: MatrixType) -> Id {
        let ty = self.scalar_ty(matrix.component_type().scalar);
        match matrix.component.is_signed() {
            true => {
                let operands = [matrix.component.bits(), 1];
                self.b.unique(Op::TypeInt, None, &operands)
            }
            false => ty,
        }
    }

    /// A component from its usual type to the matrix's.
    fn component_form(&mut self, matrix: MatrixType, id: Id) -> Id {
        match matrix.component.is_signed() {
            true => {
                let ty = self.component_ty(matrix);
                self.b.op(Op::Bitcast, ty, &[id])
            }
            false => id,
        }
    }

    /// A matrix of zeros.
    pub fn zero_matrix(&mut self, matrix: MatrixType) -> Id {
        let (ty, component) = (self.matrix_ty(matrix), self.component_ty(matrix));
        let zero = match matrix.component.bits() {
            64 => self.b.unique(Op::Constant, Some(component), &[0, 0]),
            _ => self.b.unique(Op::Constant, Some(component), &[0]),
        };
        self.b.unique(Op::ConstantComposite, Some(ty), &[zero])
    }

    fn matrix_of(&self, value: Value) -> Result<MatrixType, LowerError> {
        let found = self.module.functions[self.cur].matrix_type(value);
        found.ok_or_else(|| LowerError::new("internal: a matrix operation without a matrix"))
    }

    /// Writes an operation on matrices; `None` for one without a result.
    pub fn matrix(
        &mut self,
        op: MatrixOp,
        args: &[Value],
        ty: Option<Type>,
    ) -> Result<Option<Id>, LowerError> {
        let result = || ty.ok_or_else(|| internal(op));
        let result_matrix = || {
            ty.and_then(|ty| ty.scalar.matrix())
                .ok_or_else(|| internal(op))
        };
        Ok(Some(match op {
            MatrixOp::Load { row_major } => {
                let matrix = result_matrix()?;
                let memory = self.matrix_memory(matrix, (args[0], args[1]), row_major)?;
                let ty = self.matrix_ty(matrix);
                self.b.inst(Op::CooperativeMatrixLoadKHR, ty, &memory)
            }
            MatrixOp::Store { row_major } => {
                let matrix = self.matrix_of(args[1])?;
                let mut operands = self.matrix_memory(matrix, (args[0], args[2]), row_major)?;
                operands.insert(1, self.value(args[1]));
                self.b.stmt(Op::CooperativeMatrixStoreKHR, &operands);
                return Ok(None);
            }
            MatrixOp::Fits { ty, row_major } => {
                self.fits(ty.alignment(row_major), args[0], args[1])?
            }
            MatrixOp::MultiplyAdd { saturating } => {
                let mut operands = args.iter().map(|&arg| self.value(arg)).collect::<Vec<_>>();
                let signs = self.matrix_operands(args, saturating)?;
                if !signs.is_empty() {
                    operands.push(signs.bits());
                }
                let ty = self.ty(result()?);
                self.b.inst(Op::CooperativeMatrixMulAddKHR, ty, &operands)
            }
            MatrixOp::Length(matrix) => {
                let (ty, matrix) = (self.b.ty_int(32), self.matrix_ty(matrix));
                self.b.inst(Op::CooperativeMatrixLengthKHR, ty, &[matrix])
            }
            MatrixOp::Fill => {
                let matrix = result_matrix()?;
                let value = self.value(args[0]);
                let value = self.component_form(matrix, value);
                let ty = self.matrix_ty(matrix);
                self.b.inst(Op::CompositeConstruct, ty, &[value])
            }
            MatrixOp::Get => {
                let matrix = self.matrix_of(args[0])?;
                let place = self.component_place(matrix, args);
                let component = self.component_ty(matrix);
                let id = self.b.inst(Op::Load, component, &[place]);
                match matrix.component.is_signed() {
                    true => {
                        let ty = self.ty(matrix.component_type());
                        self.b.op(Op::Bitcast, ty, &[id])
                    }
                    false => id,
                }
            }
            MatrixOp::Set => {
                let matrix = result_matrix()?;
                let place = self.component_place(matrix, args);
                let value = self.value(args[2]);
                let value = self.component_form(matrix, value);
                self.b.stmt(Op::Store, &[place, value]);
                let (ty, variable) = (self.matrix_ty(matrix), self.matrix_variable(matrix));
                self.b.inst(Op::Load, ty, &[variable])
            }
            MatrixOp::Convert(op) => {
                let matrix = result_matrix()?;
                let op = conversion(op, matrix)?;
                let (ty, value) = (self.matrix_ty(matrix), self.value(args[0]));
                self.b.inst(op, ty, &[value])
            }
        }))
    }

    /// The variable in which the components of a matrix type are.
    fn matrix_variable(&mut self, matrix: MatrixType) -> Id {
        let key = (self.cur, matrix);
        if let Some(&variable) = self.matrices.variables.get(&key) {
            return variable;
        }
        let ty = self.matrix_ty(matrix);
        let pointer = self.b.ty_pointer(StorageClass::Function, ty);
        let variable = self.b.local(pointer);
        self.matrices.variables.insert(key, variable);
        variable
    }

    /// Puts a matrix into its variable; gives the address of the component of that number, which is kept inside: drivers
    /// trust it.
    fn component_place(&mut self, matrix: MatrixType, args: &[Value]) -> Id {
        let variable = self.matrix_variable(matrix);
        let [whole, number] = [args[0], args[1]].map(|arg| self.value(arg));
        self.b.stmt(Op::Store, &[variable, whole]);
        let (u32_ty, one) = (self.b.ty_int(32), self.b.const_u32(1));
        let ty = self.matrix_ty(matrix);
        let length = self.b.inst(Op::CooperativeMatrixLengthKHR, u32_ty, &[ty]);
        let last = self.b.op(Op::ISub, u32_ty, &[length, one]);
        let number = self.b.glsl(GlslStd450Op::UMin, u32_ty, &[number, last]);
        let component = self.component_ty(matrix);
        let pointer = self.b.ty_pointer(StorageClass::Function, component);
        self.b.inst(Op::AccessChain, pointer, &[variable, number])
    }

    /// The signs of a product's integers, and whether it saturates.
    fn matrix_operands(
        &self,
        args: &[Value],
        saturating: bool,
    ) -> Result<CooperativeMatrixOperands, LowerError> {
        let mut operands = CooperativeMatrixOperands::empty();
        let flags = [
            CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR,
            CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR,
            CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR
                | CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR,
        ];
        for (flag, &arg) in flags.into_iter().zip(args) {
            operands.set(flag, self.matrix_of(arg)?.component.is_signed());
        }
        let flag = CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR;
        operands.set(flag, saturating);
        Ok(operands)
    }

    /// The operands of a load or store, the object left out: pointer, layout, stride, memory operands.
    fn matrix_memory(
        &mut self,
        matrix: MatrixType,
        (ptr, stride): (Value, Value),
        row_major: bool,
    ) -> Result<Vec<u32>, LowerError> {
        let component = matrix.component_type();
        let bytes = component.access_bytes();
        let (pointer, class, unit) = match self.location(ptr)? {
            MemoryLocation::Physical(address) => {
                let class = StorageClass::PhysicalStorageBuffer;
                self.declare_small(class, bytes);
                let pointee = self.ty(component);
                let block = self.matrix_block(pointee, bytes);
                let whole = self.physical_pointer(address, block);
                let (zero, ty) = (self.b.const_u32(0), self.b.ty_pointer(class, pointee));
                let pointer = self.b.inst(Op::AccessChain, ty, &[whole, zero, zero]);
                (pointer, class, bytes)
            }
            MemoryLocation::Array(array) => (self.element(array, 0), array.class, array.unit),
            MemoryLocation::Nowhere | MemoryLocation::Buffer(_) => {
                return Err(LowerError::new("internal: a matrix in no memory"));
            }
        };
        let stride = self.elements_of(stride, unit);
        let layout = match row_major {
            true => CooperativeMatrixLayout::RowMajorKHR,
            false => CooperativeMatrixLayout::ColumnMajorKHR,
        };
        let layout = self.b.const_u32(layout as u32);
        let align = matrix.alignment(row_major);
        let [mask, align] = self.memory_operands(class, align, AccessFlags::empty());
        let mut operands = vec![pointer, layout, stride, mask];
        if class == StorageClass::PhysicalStorageBuffer {
            operands.push(align);
        }
        Ok(operands)
    }

    /// A block of one array without a length.
    fn matrix_block(&mut self, pointee: Id, bytes: u32) -> Id {
        if let Some(&block) = self.matrices.blocks.get(&pointee) {
            return block;
        }
        let array = self.b.global(Op::TypeRuntimeArray, None, &[pointee]);
        self.b.decorate(array, Decoration::ArrayStride, &[bytes]);
        let block = self.block(array);
        self.matrices.blocks.insert(pointee, block);
        block
    }

    /// A stride in elements of `unit` bytes: one word.
    fn elements_of(&mut self, stride: Value, unit: u32) -> Id {
        if let Some(bytes) = self.module.functions[self.cur].const_bits(stride) {
            return self.b.const_u32((bytes / u64::from(unit)) as u32);
        }
        let id = self.value(stride);
        let low = self.wide_low(id);
        let (u32_ty, shift) = (self.b.ty_int(32), self.b.const_u32(unit.trailing_zeros()));
        self.b.op(Op::ShiftRightLogical, u32_ty, &[low, shift])
    }

    /// Bool: a pointer and a stride are multiples of `align`, and the stride is not too large.
    fn fits(&mut self, align: u32, ptr: Value, stride: Value) -> Result<Id, LowerError> {
        let (bool_ty, u32_ty) = (self.b.ty_bool(), self.b.ty_int(32));
        let low = match self.location(ptr)? {
            MemoryLocation::Physical(address) => self.wide_low(address),
            MemoryLocation::Array(array) => array.offset,
            MemoryLocation::Nowhere => self.b.const_u32(0),
            MemoryLocation::Buffer(_) => return Err(internal("a matrix in a buffer")),
        };
        let mask = self.b.const_u32(align - 1);
        let mut odd = self.b.op(Op::BitwiseAnd, u32_ty, &[low, mask]);
        match self.module.functions[self.cur].const_bits(stride) {
            Some(bytes) if bytes % u64::from(align) == 0 && bytes >> STRIDE_BITS == 0 => {}
            Some(_) => return Ok(self.b.unique(Op::ConstantFalse, Some(bool_ty), &[])),
            None => {
                let id = self.value(stride);
                let low = self.wide_low(id);
                let (wide_ty, by) = (self.wide_ty(), self.b.const_u32(STRIDE_BITS));
                let high = self.b.op(Op::ShiftRightLogical, wide_ty, &[id, by]);
                let high = self.wide_low(high);
                let low = self.b.op(Op::BitwiseAnd, u32_ty, &[low, mask]);
                let both = self.b.op(Op::BitwiseOr, u32_ty, &[low, high]);
                odd = self.b.op(Op::BitwiseOr, u32_ty, &[odd, both]);
            }
        }
        let zero = self.b.const_u32(0);
        Ok(self.b.op(Op::IEqual, bool_ty, &[odd, zero]))
    }
}

/// The instruction for a conversion to a matrix type, which must have the sign that the instruction gives.
fn conversion(op: ConvertOp, to: MatrixType) -> Result<Op, LowerError> {
    let signed = to.component.is_signed();
    match op {
        ConvertOp::FToF => Ok(Op::FConvert),
        ConvertOp::SToF => Ok(Op::ConvertSToF),
        ConvertOp::UToF => Ok(Op::ConvertUToF),
        ConvertOp::FToS if signed => Ok(Op::ConvertFToS),
        ConvertOp::FToU if !signed => Ok(Op::ConvertFToU),
        ConvertOp::SExt | ConvertOp::Trunc if signed => Ok(Op::SConvert),
        ConvertOp::ZExt | ConvertOp::Trunc if !signed => Ok(Op::UConvert),
        _ => Err(LowerError::new(
            "a conversion of matrices that the device lacks",
        )),
    }
}

/// The type of a number in a value: a matrix's components.
pub(super) fn number_of(scalar: Scalar) -> Scalar {
    scalar
        .matrix()
        .map_or(scalar, |matrix| matrix.component_type().scalar)
}
