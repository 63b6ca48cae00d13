//! Signatures as overload resolution reads them: types that depend on gentype.

use crate::lang::names::NUMBERS;
use crate::lang::types::{Access, AddrSpace, Quals, TypeId, TypeTable};

/// The scalar types of signatures, in the order in which overloads are tried.
pub const SCALARS: [(&str, TypeId); NUMBERS.len() + 1] = {
    let mut all = [("bool", TypeTable::BOOL); NUMBERS.len() + 1];
    let mut at = 0;
    while at < NUMBERS.len() {
        all[at] = NUMBERS[at];
        at += 1;
    }
    all
};

/// A set of [`SCALARS`], one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalars(pub(super) u16);

impl Scalars {
    /// No type.
    pub const NONE: Self = Self(0);

    /// Returns whether the set holds nothing.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The same without half, double or both where the language lacks them.
    #[must_use]
    pub fn available(self, fp16: bool, fp64: bool) -> Self {
        let bit = |ty| SCALARS.iter().position(|(_, other)| *other == ty);
        let lacking = |has: bool, ty| {
            if has {
                0
            } else {
                bit(ty).map_or(0, |at| 1 << at)
            }
        };
        Self(self.0 & !lacking(fp16, TypeTable::HALF) & !lacking(fp64, TypeTable::DOUBLE))
    }

    /// The types in order.
    pub fn iter(self) -> impl Iterator<Item = TypeId> {
        let all = SCALARS.iter().enumerate();
        all.filter(move |(at, _)| self.0 >> at & 1 != 0)
            .map(|(_, (_, ty))| *ty)
    }
}

/// A set of numbers of components: bit 1 for scalars, bits 2, 3, 4, 8 and 16 for vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Components(u32);

impl Components {
    /// Scalars.
    pub const SCALAR: Self = Self::of(&[1]);
    /// Vectors.
    pub const VECTOR: Self = Self::of(&[2, 3, 4, 8, 16]);
    /// Scalars and vectors.
    pub const ANY: Self = Self::of(&[1, 2, 3, 4, 8, 16]);

    /// A set by its members.
    pub const fn of(members: &[u8]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < members.len() {
            bits |= 1 << members[at];
            at += 1;
        }
        Self(bits)
    }

    /// The members of both sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether the set has a member.
    pub const fn has(self, components: u8) -> bool {
        self.0 >> components & 1 != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Types that `gentype` stands for in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gentype {
    /// Its element types.
    pub(super) scalars: Scalars,
    /// Its numbers of components.
    pub(super) components: Components,
}

/// Element type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// gentype's: `gentype`, `sgentype`, `C`, `M`.
    Gentype,
    /// The signed integer as wide: `igentype`.
    Signed,
    /// The unsigned integer as wide: `ugentype`.
    Unsigned,
    /// The result of a relation, int for scalars and the signed integer for vectors: `rgentype`.
    Relation,
    /// The type in the function's name: `destType`.
    Destination,
    /// `size_t`.
    Size,
    /// One of [`SCALARS`], by place.
    Scalar(u8),
}

/// Number of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A number in the signature: 1 for scalars.
    Fixed(u8),
    /// gentype's, found from the arguments: `gentype`, `intn`.
    N,
    /// A second one, found from the arguments: `gentypem`.
    M,
    /// The one in the function's name: `vloadn`.
    Name,
}

/// A number type: scalar or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Element type.
    pub element: Element,
    /// Number of components.
    pub width: Width,
}

/// A type without a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `void`
    Void,
    /// A scalar or vector.
    Number(Number),
    /// An atomic type: `A`, `atomic_flag`.
    Atomic(Element),
    /// One of [`OPAQUES`](crate::lang::opaque::OPAQUES), by place.
    Opaque(u8),
    /// Images: a bit for each of [`IMAGES`](crate::lang::opaque::IMAGES), and the access
    /// qualifiers.
    Image(u16, Accesses),
}

/// Access qualifiers that an image argument may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accesses {
    /// `read_only`
    ReadOnly,
    /// `read_only|read_write`
    Read,
    /// `write_only|read_write`
    Write,
    /// `aQual`: any.
    Any,
}

impl Accesses {
    /// Returns whether an image with the qualifier fits.
    pub fn allows(self, access: Access) -> bool {
        match self {
            Accesses::ReadOnly => access == Access::Read,
            Accesses::Read => access != Access::Write,
            Accesses::Write => access != Access::Read,
            Accesses::Any => true,
        }
    }

    /// The qualifier that messages show.
    pub fn shown(self) -> Access {
        match self {
            Accesses::Write => Access::Write,
            _ => Access::Read,
        }
    }
}

/// Address spaces that a pointer parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spaces {
    /// The one that the signature names.
    Only(AddrSpace),
    /// `__global|__local`
    GlobalOrLocal,
    /// `__global|__local|__generic`
    NotPrivate,
    /// No qualifier: all but constant.
    Writable,
    /// No qualifier on a pointer to const: all.
    Readable,
    /// `__generic`: the argument converts to a generic pointer.
    Generic,
}

impl Spaces {
    /// The spaces of arguments that fit; the first one is shown in messages.
    pub fn allowed(self) -> &'static [AddrSpace] {
        use AddrSpace::{
            Code, Constant, Generic, Global, GlobalDevice, GlobalHost, Local, Private,
        };
        match self {
            Spaces::Only(Private) => &[Private],
            Spaces::Only(Global | GlobalDevice | GlobalHost) => &[Global],
            Spaces::Only(Constant) => &[Constant],
            Spaces::Only(Local) => &[Local],
            Spaces::Only(Code) => &[Code],
            Spaces::GlobalOrLocal => &[Global, Local],
            Spaces::NotPrivate => &[Global, Local, Generic],
            Spaces::Writable => &[Private, Global, Local, Generic],
            Spaces::Readable => &[Private, Global, Local, Constant, Generic],
            Spaces::Generic | Spaces::Only(Generic) => &[Generic, Private, Global, Local],
        }
    }
}

/// A pointer of a signature, without its pointee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Address spaces.
    pub spaces: Spaces,
    /// Qualifiers of the pointee.
    pub quals: Quals,
}

/// Type of a parameter or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The type, or the pointee of a pointer.
    pub base: Base,
    /// `None` if it is no pointer.
    pub pointer: Option<Pointer>,
}

impl Term {
    /// `void`
    pub(super) const VOID: Self = Self {
        base: Base::Void,
        pointer: None,
    };

    /// The number of components, if it is a number or a pointer to one.
    pub fn width(&self) -> Option<Width> {
        match self.base {
            Base::Number(number) => Some(number.width),
            _ => None,
        }
    }
}

/// Most parameters of a signature.
pub(super) const MAX_PARAMS: usize = 13;

/// A signature: one overload for each element type and number of components of gentype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Element types of gentype; none if the signature does without.
    pub scalars: Scalars,
    /// Numbers of components that n and m may be.
    pub components: Components,
    /// Result.
    pub result: Term,
    pub(super) params: [Term; MAX_PARAMS],
    pub(super) count: u8,
    /// Further arguments may follow: `...`.
    pub variadic: bool,
}

impl Signature {
    /// Of a function without parameters and result.
    pub(super) const NONE: Self = Self {
        scalars: Scalars::NONE,
        components: Components::ANY,
        result: Term::VOID,
        params: [Term::VOID; MAX_PARAMS],
        count: 0,
        variadic: false,
    };

    /// Parameters.
    pub fn params(&self) -> &[Term] {
        &self.params[..usize::from(self.count)]
    }

    /// Returns whether gentype is a scalar, so that vector arguments do not choose n.
    pub fn is_scalar(&self) -> bool {
        self.components == Components::SCALAR
    }
}
