//! Types of IR values. There are no aggregates, so a type is a small `Copy` value.

use pumice_numerics::FloatFormat;
use pumice_target::matrix::{Component, Use};
use serde::{Deserialize, Serialize};

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AddressSpace {
    /// Private (SPIR-V Function).
    Private,
    /// Global (CrossWorkgroup).
    Global,
    /// Constant (UniformConstant): read-only program-scope data and constant arguments.
    Constant,
    /// Local (Workgroup).
    Local,
    /// Generic: any of private, global, local.
    Generic,
}

/// The type of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scalar {
    /// A truth value; never in memory (the importer converts to and from `I8`).
    Bool,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// A pointer: 8 bytes in memory in every address space. Its register form is chosen by
    /// the memory forms of the emitter.
    Ptr(AddressSpace),
    /// A cooperative matrix of the device's own.
    #[serde(skip)]
    Matrix(MatrixType),
}

impl Scalar {
    /// Size in bytes in memory (Bool counts as 1).
    #[inline]
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 => 1,
            Scalar::I16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::F64 | Scalar::Ptr(_) => 8,
            Scalar::Matrix(_) => MatrixType::BYTES,
        }
    }

    /// Width in bits of an integer, float or pointer; 1 for Bool.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            other => other.bytes() * 8,
        }
    }

    /// The format of a float; `None` for other scalars.
    pub fn float_format(self) -> Option<FloatFormat> {
        match self {
            Scalar::F16 => Some(FloatFormat::Half),
            Scalar::F32 => Some(FloatFormat::Single),
            Scalar::F64 => Some(FloatFormat::Double),
            _ => None,
        }
    }

    /// I8, I16, I32 or I64.
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// F16, F32 or F64.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// A pointer in any address space.
    pub fn is_ptr(self) -> bool {
        matches!(self, Scalar::Ptr(_))
    }

    /// The integer type of the given width in bits (8, 16, 32 or 64).
    pub fn int_of_bits(bits: u32) -> Option<Scalar> {
        Some(match bits {
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            64 => Scalar::I64,
            _ => return None,
        })
    }
}

/// A scalar or vector type: `lanes` is 1 for a scalar, else 2, 3, 4, 8 or 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Type {
    /// Type of each lane.
    pub scalar: Scalar,
    /// Number of lanes.
    pub lanes: u8,
}

impl Type {
    /// Scalar types by name.
    pub const BOOL: Type = Type::scalar(Scalar::Bool);
    /// 8-bit integer.
    pub const I8: Type = Type::scalar(Scalar::I8);
    /// 16-bit integer.
    pub const I16: Type = Type::scalar(Scalar::I16);
    /// 32-bit integer.
    pub const I32: Type = Type::scalar(Scalar::I32);
    /// 64-bit integer.
    pub const I64: Type = Type::scalar(Scalar::I64);
    /// binary16.
    pub const F16: Type = Type::scalar(Scalar::F16);
    /// binary32.
    pub const F32: Type = Type::scalar(Scalar::F32);
    /// binary64.
    pub const F64: Type = Type::scalar(Scalar::F64);

    /// A one-lane type.
    pub const fn scalar(scalar: Scalar) -> Type {
        Type { scalar, lanes: 1 }
    }

    /// A vector type (or the scalar itself for `lanes == 1`).
    pub const fn vector(scalar: Scalar, lanes: u8) -> Type {
        Type { scalar, lanes }
    }

    /// A pointer type.
    pub const fn ptr(space: AddressSpace) -> Type {
        Type::scalar(Scalar::Ptr(space))
    }

    /// Returns whether there is more than one lane.
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// The same number of lanes with another scalar.
    pub fn with_scalar(self, scalar: Scalar) -> Type {
        Type { scalar, ..self }
    }

    /// The same scalar in another number of lanes.
    pub const fn with_lanes(self, lanes: u8) -> Type {
        Type { lanes, ..self }
    }

    /// The type of one lane.
    pub fn lane(self) -> Type {
        Type::scalar(self.scalar)
    }

    /// The truth-value type with as many lanes.
    pub fn as_bool(self) -> Type {
        self.with_scalar(Scalar::Bool)
    }

    /// Bytes that a load or store of this type touches: lanes × scalar, so 12 for float3.
    pub fn access_bytes(self) -> u32 {
        self.scalar.bytes() * u32::from(self.lanes)
    }

    /// `sizeof` in OpenCL C: three lanes take the room of four.
    pub fn alloc_bytes(self) -> u32 {
        let lanes = if self.lanes == 3 {
            4
        } else {
            u32::from(self.lanes)
        };
        self.scalar.bytes() * lanes
    }

    /// The address space of a pointer type.
    pub fn address_space(self) -> Option<AddressSpace> {
        match self.scalar {
            Scalar::Ptr(space) => Some(space),
            _ => None,
        }
    }
}

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

impl Scalar {
    /// The type of a matrix.
    pub fn matrix(self) -> Option<MatrixType> {
        match self {
            Scalar::Matrix(ty) => Some(ty),
            _ => None,
        }
    }
}

/// The alignment that holds `offset` bytes behind an address aligned to `align`.
pub fn align_at(align: u32, offset: u64) -> u32 {
    match offset {
        0 => align,
        _ => align.min(1 << offset.trailing_zeros().min(31)),
    }
}
