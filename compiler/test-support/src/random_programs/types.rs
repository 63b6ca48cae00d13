//! The types of generated programs.

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Half,
    Float,
    Double,
}

/// The integer types; a signed one stands before its unsigned one.
pub(crate) const INTEGERS: [Scalar; 8] = [
    Scalar::Char,
    Scalar::Uchar,
    Scalar::Short,
    Scalar::Ushort,
    Scalar::Int,
    Scalar::Uint,
    Scalar::Long,
    Scalar::Ulong,
];

impl Scalar {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scalar::Char => "char",
            Scalar::Uchar => "uchar",
            Scalar::Short => "short",
            Scalar::Ushort => "ushort",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Long => "long",
            Scalar::Ulong => "ulong",
            Scalar::Half => "half",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }

    pub(crate) fn bytes(self) -> u32 {
        match self {
            Scalar::Char | Scalar::Uchar => 1,
            Scalar::Short | Scalar::Ushort | Scalar::Half => 2,
            Scalar::Int | Scalar::Uint | Scalar::Float => 4,
            Scalar::Long | Scalar::Ulong | Scalar::Double => 8,
        }
    }

    pub(crate) fn bits(self) -> u32 {
        self.bytes() * 8
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// Returns whether it is a signed integer.
    pub(crate) fn is_signed(self) -> bool {
        INTEGERS
            .iter()
            .position(|s| *s == self)
            .is_some_and(|i| i % 2 == 0)
    }

    /// The integer type of the same size.
    pub(crate) fn integer(self, signed: bool) -> Scalar {
        let at = self.bytes().trailing_zeros() as usize * 2;
        INTEGERS[at + usize::from(!signed)]
    }

    /// The unsigned type that arithmetic on it takes place in without undefined behaviour.
    pub(crate) fn wrapping(self) -> Scalar {
        if self.bytes() == 8 {
            Scalar::Ulong
        } else {
            Scalar::Uint
        }
    }
}

/// A scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ty {
    pub scalar: Scalar,
    pub lanes: u32,
}

impl Ty {
    pub(crate) fn scalar(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    pub(crate) fn name(self) -> String {
        if self.lanes == 1 {
            self.scalar.name().to_string()
        } else {
            format!("{}{}", self.scalar.name(), self.lanes)
        }
    }

    pub(crate) fn is_vector(self) -> bool {
        self.lanes > 1
    }

    pub(crate) fn is_float(self) -> bool {
        self.scalar.is_float()
    }

    pub(crate) fn of(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }

    pub(crate) fn lane(self) -> Self {
        Self::scalar(self.scalar)
    }

    /// The signed or unsigned integers of the same shape.
    pub(crate) fn integer(self, signed: bool) -> Self {
        self.of(self.scalar.integer(signed))
    }
}

/// Address spaces of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Private,
    Global,
    Local,
    Constant,
}

impl Space {
    pub(crate) fn qualifier(self) -> &'static str {
        match self {
            Space::Private => "__private ",
            Space::Global => "__global ",
            Space::Local => "__local ",
            Space::Constant => "__constant ",
        }
    }
}

/// SplitMix64: small, good, and the same everywhere.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 33) as u32 % n.max(1)
    }

    /// True `percent` times of a hundred.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u32) as usize]
    }
}
