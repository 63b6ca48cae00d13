//! The arithmetic types.

/// Integer types; `size_t` is `ULong`, `ptrdiff_t` and `intptr_t` are `Long`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntKind {
    /// 8 bits, signed.
    Char,
    /// 8 bits, unsigned.
    UChar,
    /// 16 bits, signed.
    Short,
    /// 16 bits, unsigned.
    UShort,
    /// 32 bits, signed.
    Int,
    /// 32 bits, unsigned.
    UInt,
    /// 64 bits, signed.
    Long,
    /// 64 bits, unsigned.
    ULong,
}

impl IntKind {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Char | Self::UChar => 8,
            Self::Short | Self::UShort => 16,
            Self::Int | Self::UInt => 32,
            Self::Long | Self::ULong => 64,
        }
    }

    /// True for the signed kinds.
    pub fn signed(self) -> bool {
        matches!(self, Self::Char | Self::Short | Self::Int | Self::Long)
    }

    /// The signed kind of the same width.
    pub fn to_signed(self) -> Self {
        Self::of(self.bits(), true)
    }

    /// The unsigned kind of the same width.
    pub fn to_unsigned(self) -> Self {
        Self::of(self.bits(), false)
    }

    /// The kind of `bits` (8, 16, 32 or else 64) bits.
    pub fn of(bits: u32, signed: bool) -> Self {
        match (bits, signed) {
            (8, true) => Self::Char,
            (8, false) => Self::UChar,
            (16, true) => Self::Short,
            (16, false) => Self::UShort,
            (32, true) => Self::Int,
            (32, false) => Self::UInt,
            (_, true) => Self::Long,
            (_, false) => Self::ULong,
        }
    }

    /// OpenCL C name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::UChar => "uchar",
            Self::Short => "short",
            Self::UShort => "ushort",
            Self::Int => "int",
            Self::UInt => "uint",
            Self::Long => "long",
            Self::ULong => "ulong",
        }
    }
}

/// Floating types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    /// 16 bits.
    Half,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
}

impl FloatKind {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Half => 16,
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// OpenCL C name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
        }
    }
}
