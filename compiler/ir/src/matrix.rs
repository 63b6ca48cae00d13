//! Cooperative matrices that the device holds itself: their types and operations.
//!
//! A value of such a type is a whole matrix, held by the work-items of a sub-group together. It never lies in memory as
//! it is: private variables that hold one leave memory, or the module is made without such values.

use super::{AddressSpace, ConvertOp, Function, InstKind, LowerError, Module, Scalar, Type, Value};
use pumice_target::matrix::{Component, Use};

/// The type of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatrixType {
    /// The components' type, with its sign.
    pub component: Component,
    /// The operand of a product that it can be.
    pub which: Use,
    /// Rows.
    pub rows: u8,
    /// Columns.
    pub columns: u8,
}

/// The most bytes to which pointer and stride of a load or store are aligned.
const MOST_ALIGNMENT: u32 = 16;

impl MatrixType {
    /// Bytes of a value in a private variable: any number will do that all types share.
    pub const BYTES: u32 = 8;

    /// The type of one component.
    pub fn component_type(self) -> Type {
        Type::scalar(match self.component {
            Component::Half => Scalar::F16,
            Component::Float => Scalar::F32,
            Component::Double => Scalar::F64,
            Component::Char | Component::Uchar => Scalar::I8,
            Component::Int | Component::Uint => Scalar::I32,
        })
    }

    /// Bytes to which a pointer and a stride must be aligned: those of a row, or column, up to 16.
    pub fn alignment(self, row_major: bool) -> u32 {
        let across = if row_major { self.columns } else { self.rows };
        let bytes = u32::from(across) * self.component.bits() / 8;
        bytes.min(MOST_ALIGNMENT)
    }
}

/// Operations on matrices. A stride counts bytes and is of type I64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOp {
    /// The matrix in memory: pointer, stride. Only where `Fits` says so.
    Load {
        /// Rows lie one behind the other, else columns do.
        row_major: bool,
    },
    /// Writes a matrix to memory: pointer, matrix, stride. Only where `Fits` says so.
    Store {
        /// Rows lie one behind the other, else columns do.
        row_major: bool,
    },
    /// Bool: pointer and stride are such as the device's loads and stores of this type take.
    Fits {
        /// The type.
        ty: MatrixType,
        /// Rows lie one behind the other, else columns do.
        row_major: bool,
    },
    /// A × B + C; integers by the signs of their types.
    MultiplyAdd {
        /// The sum saturates.
        saturating: bool,
    },
    /// The number of components that the work-item holds: I32, one number for each type.
    Length(MatrixType),
    /// All components are the operand.
    Fill,
    /// One component that the work-item holds: matrix, number.
    Get,
    /// The matrix with another such component: matrix, number, component.
    Set,
    /// Components converted.
    Convert(ConvertOp),
}

impl MatrixOp {
    /// Returns whether all work-items of a sub-group come to it together, so that it stays where it is.
    pub fn is_collective(self) -> bool {
        matches!(
            self,
            MatrixOp::Load { .. }
                | MatrixOp::Store { .. }
                | MatrixOp::MultiplyAdd { .. }
                | MatrixOp::Convert(_)
        )
    }

    /// Returns whether the first operand is a pointer to memory that is read or written.
    pub fn is_access(self) -> bool {
        matches!(self, MatrixOp::Load { .. } | MatrixOp::Store { .. })
    }
}

impl Scalar {
    /// The type of a matrix.
    pub fn matrix(self) -> Option<MatrixType> {
        match self {
            Scalar::Matrix(ty) => Some(ty),
            _ => None,
        }
    }
}

impl Function {
    /// The type of a value that is a matrix.
    pub fn matrix_type(&self, value: Value) -> Option<MatrixType> {
        self.ty(value).scalar.matrix()
    }

    /// The components that a load or store of a matrix accesses one by one; `None` for other operations, which show
    /// nobody an address.
    pub fn accessed_component(
        &self,
        op: MatrixOp,
        args: &[Value],
        result: Option<Value>,
    ) -> Option<Type> {
        let matrix = match op {
            MatrixOp::Load { .. } => result?,
            MatrixOp::Store { .. } => args[1],
            _ => return None,
        };
        Some(self.matrix_type(matrix)?.component_type())
    }
}

/// Checks that matrices are where the device has them: in operations of their own, and in parameters of blocks.
///
/// # Errors
/// An instruction that no device has for matrices.
pub fn check_places(module: &Module) -> Result<(), LowerError> {
    let refused = |text: String| Err(LowerError::new(format!("no matrix of the device: {text}")));
    for func in module.functions.values() {
        let has = |ty: &Type| ty.scalar.matrix().is_some();
        if func.params.iter().chain(&func.results).any(has) {
            return refused(format!("a parameter or result of '{}'", func.name));
        }
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                let data = &func.insts[inst];
                let mut found = data
                    .results
                    .iter()
                    .any(|&value| func.matrix_type(value).is_some());
                data.kind
                    .for_each_value(|value| found |= func.matrix_type(value).is_some());
                let fits = match &data.kind {
                    InstKind::Matrix { op, args } if op.is_access() => matches!(
                        func.ty(args[0]).address_space(),
                        Some(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local)
                    ),
                    InstKind::Matrix { .. } | InstKind::Jump { .. } => true,
                    InstKind::Branch { then, other, .. } if found => {
                        then.block != other.block || then.args == other.args
                    }
                    InstKind::Switch { .. } => !found,
                    InstKind::Branch { .. } => true,
                    _ => !found,
                };
                if !fits {
                    return refused(format!("{:?}", data.kind));
                }
            }
        }
    }
    Ok(())
}
