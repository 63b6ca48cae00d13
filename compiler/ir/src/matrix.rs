//! Operations on cooperative matrices that the device holds itself.
//!
//! A value of such a type is a whole matrix, held by the work-items of a sub-group together. It never lies in memory as
//! it is: private variables that hold one leave memory, or the module is made without such values.

use super::{ConvertOp, MatrixType};

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
