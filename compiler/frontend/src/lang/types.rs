//! Interned types of OpenCL C and their layout on the 64-bit device.
//!
//! A [`TypeId`] is canonical: typedefs and `size_t` have disappeared, so equal ids are equal
//! types (an id still knows the name that it was written with, for messages: `spelling`).
//! Qualifiers never sit on a [`TypeId`]; they sit on a [`QualType`] (an object, a
//! pointee, an array element, a field). Address spaces sit on pointer types and objects.
use rustc_hash::FxHashMap;

pub use super::numbers::{FloatKind, IntKind};
pub use super::opaque::{Access, ImageKind, MatrixKind, OpaqueKind};
use super::spelling::Spelling;
pub use super::spelling::TypeId;
use crate::source::Span;

/// A record (struct or union) of one [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

/// An enumeration of one [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u32);

/// Address space of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddrSpace {
    /// Function storage.
    Private,
    /// `__global`
    Global,
    /// `__constant`
    Constant,
    /// `__local`
    Local,
    /// Any of private, global and local; pointers only.
    Generic,
    /// Global memory of the device: `__attribute__((opencl_global_device))`; pointers only.
    GlobalDevice,
    /// Global memory of the host: `__attribute__((opencl_global_host))`; pointers only.
    GlobalHost,
    /// Functions; pointers only.
    Code,
}

impl AddrSpace {
    /// The qualifier as diagnostics spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "__private",
            Self::Global => "__global",
            Self::Constant => "__constant",
            Self::Local => "__local",
            Self::Generic => "__generic",
            Self::GlobalDevice => "__global_device",
            Self::GlobalHost => "__global_host",
            Self::Code => "",
        }
    }

    /// The address space of OpenCL C that the memory belongs to.
    pub fn of_language(self) -> Self {
        match self {
            Self::GlobalDevice | Self::GlobalHost => Self::Global,
            other => other,
        }
    }

    /// Returns whether pointers into `other` convert to pointers into this space.
    pub fn contains(self, other: Self) -> bool {
        self == other
            || match self {
                Self::Generic => !matches!(other, Self::Constant | Self::Code),
                Self::Global => other.of_language() == Self::Global,
                _ => false,
            }
    }
}

bitflags::bitflags! {
    /// Qualifiers without address spaces.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Quals: u8 {
        /// `const`
        const CONST = 1;
        /// `volatile`
        const VOLATILE = 2;
        /// `restrict` (pointers only)
        const RESTRICT = 4;
    }
}

/// A type with qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    /// Type.
    pub ty: TypeId,
    /// Qualifiers.
    pub quals: Quals,
}

impl QualType {
    /// `ty` without qualifiers.
    pub fn plain(ty: TypeId) -> Self {
        Self {
            ty,
            quals: Quals::empty(),
        }
    }

    /// `ty` with `quals`.
    pub fn new(ty: TypeId, quals: Quals) -> Self {
        Self { ty, quals }
    }

    /// The same type with more qualifiers.
    pub fn with(self, quals: Quals) -> Self {
        Self {
            ty: self.ty,
            quals: self.quals | quals,
        }
    }
}

/// A type. Components are canonical.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// `bool`: one byte in memory, 0 or 1.
    Bool,
    /// An integer.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// 2, 3, 4, 8 or 16 integers, floats or (as a condition only, never in source) nothing else.
    Vector {
        /// Element type: [`Type::Int`] or [`Type::Float`].
        elem: TypeId,
        /// Number of elements.
        len: u8,
    },
    /// A pointer.
    Pointer {
        /// Type that it points to.
        pointee: QualType,
        /// Address space of that object.
        space: AddrSpace,
    },
    /// An array; the length is `None` only while an object's initialiser has yet to give it.
    Array {
        /// Element.
        elem: QualType,
        /// Number of elements.
        len: Option<u64>,
    },
    /// A struct or union.
    Record(RecordId),
    /// An enumeration; behaves as [`EnumDef::underlying`].
    Enum(EnumId),
    /// `atomic_int` and the like: the value type is `Int` or `Float`.
    Atomic(TypeId),
    /// An opaque type.
    Opaque(OpaqueKind),
    /// A function (never an object's type).
    Function {
        /// Return type.
        ret: TypeId,
        /// Parameter types, decayed, unqualified.
        params: Vec<TypeId>,
        /// `...`
        variadic: bool,
    },
    /// A block, by its function type (never a value's type).
    Block(TypeId),
    /// Stands in for a type after a diagnosed error; never reaches emission.
    Error,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct RecordDef {
    /// Tag or, for `typedef struct {…} T`, the typedef's name; empty when there is none.
    pub name: String,
    /// True when the name is a typedef's: messages then write it without `struct`.
    pub typedef_name: bool,
    /// True for `union`.
    pub is_union: bool,
    /// Fields in order; empty until complete.
    pub fields: Vec<Field>,
    /// Size in bytes, a multiple of `align`.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// `packed` attribute: fields lie without padding.
    pub packed: bool,
    /// False while only declared.
    pub complete: bool,
    /// True after an error in a member, which may be missing: an error about the record's members
    /// would only follow from that one.
    pub faulty: bool,
    /// Position of the tag's first mention.
    pub span: Span,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name; empty for an anonymous struct or union.
    pub name: String,
    /// Type and qualifiers.
    pub ty: QualType,
    /// Byte offset; of a bit-field's first byte.
    pub offset: u64,
    /// The bits that a bit-field takes from there.
    pub bits: Option<BitField>,
    /// Position of the declaration.
    pub span: Span,
}

/// The place of a bit-field in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Bits of the first byte that are not its own, from 0 to 7.
    pub shift: u8,
    /// Its number of bits, from 1 to 64.
    pub width: u8,
}

impl BitField {
    /// The number of bytes that it has a part in, from 1 to 9.
    pub fn bytes(self) -> u8 {
        (self.shift + self.width).div_ceil(8)
    }
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumDef {
    /// Tag or empty.
    pub name: String,
    /// `uint` when no enumerator is negative, else `int`; `ulong` or `long` when those are
    /// too narrow.
    pub underlying: IntKind,
    /// The declaration says the underlying type (`enum e : short`), which its enumerators have too.
    pub fixed: bool,
    /// False while only declared.
    pub complete: bool,
    /// Position of the tag's first mention.
    pub span: Span,
}

/// All types of one translation unit.
#[derive(Clone, Debug)]
pub struct TypeTable {
    /// Bytes of a pointer and of `size_t`.
    address_size: u64,
    types: Vec<Type>,
    map: FxHashMap<Type, TypeId>,
    /// Typedef names from the source that [`TypeId`]s carry.
    pub(super) spellings: Vec<Spelling>,
    /// Records, indexed by [`RecordId`].
    pub records: Vec<RecordDef>,
    /// Enumerations, indexed by [`EnumId`].
    pub enums: Vec<EnumDef>,
}

macro_rules! well_known {
    ($($(#[$doc:meta])* $name:ident = $index:expr, $ty:expr;)*) => {
        impl TypeTable {
            $($(#[$doc])* pub const $name: TypeId = TypeId::plain($index);)*
        }
        fn well_known() -> Vec<Type> {
            vec![$($ty),*]
        }
    };
}

well_known! {
    /// `void`
    VOID = 0, Type::Void;
    /// `bool`
    BOOL = 1, Type::Bool;
    /// `char`
    CHAR = 2, Type::Int(IntKind::Char);
    /// `uchar`
    UCHAR = 3, Type::Int(IntKind::UChar);
    /// `short`
    SHORT = 4, Type::Int(IntKind::Short);
    /// `ushort`
    USHORT = 5, Type::Int(IntKind::UShort);
    /// `int`
    INT = 6, Type::Int(IntKind::Int);
    /// `uint`
    UINT = 7, Type::Int(IntKind::UInt);
    /// `long`
    LONG = 8, Type::Int(IntKind::Long);
    /// `ulong`
    ULONG = 9, Type::Int(IntKind::ULong);
    /// `half`
    HALF = 10, Type::Float(FloatKind::Half);
    /// `float`
    FLOAT = 11, Type::Float(FloatKind::Float);
    /// `double`
    DOUBLE = 12, Type::Float(FloatKind::Double);
    /// `event_t`
    EVENT = 13, Type::Opaque(OpaqueKind::Event);
    /// The type after an error.
    ERROR = 14, Type::Error;
}

impl Default for TypeTable {
    fn default() -> Self {
        Self::new()
    }
}

impl TypeTable {
    /// A table with the scalar types.
    pub fn new() -> Self {
        let types = well_known();
        let map = types
            .iter()
            .enumerate()
            .map(|(index, ty)| (ty.clone(), TypeId::plain(index as u32)))
            .collect();
        Self {
            address_size: 8,
            types,
            map,
            spellings: Vec::new(),
            records: Vec::new(),
            enums: Vec::new(),
        }
    }

    /// Makes pointers and `size_t` 32 bits wide.
    pub fn narrow_addresses(&mut self) {
        self.address_size = 4;
    }

    /// Bytes of a pointer.
    pub fn address_size(&self) -> u64 {
        self.address_size
    }

    /// `size_t` and `uintptr_t`.
    pub fn size_type(&self) -> TypeId {
        TypeTable::int(IntKind::of(self.address_size as u32 * 8, false))
    }

    /// `ptrdiff_t` and `intptr_t`.
    pub fn difference_type(&self) -> TypeId {
        TypeTable::int(IntKind::of(self.address_size as u32 * 8, true))
    }

    /// The type behind an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// The id of a type. A pointer or array is spelt with its component's name.
    pub fn intern(&mut self, mut ty: Type) -> TypeId {
        let spelt = ty.forget_spelling();
        if let Some(&id) = self.map.get(&ty) {
            return id.spelt_like(spelt);
        }
        let id = TypeId::plain(self.types.len() as u32);
        self.types.push(ty.clone());
        self.map.insert(ty, id);
        id.spelt_like(spelt)
    }

    /// The id of an integer kind.
    pub fn int(kind: IntKind) -> TypeId {
        TypeId::plain(Self::CHAR.index() as u32 + kind as u32)
    }

    /// The id of a float kind.
    pub fn float(kind: FloatKind) -> TypeId {
        TypeId::plain(Self::HALF.index() as u32 + kind as u32)
    }

    /// A vector type.
    pub fn vector(&mut self, elem: TypeId, len: u8) -> TypeId {
        self.intern(Type::Vector { elem, len })
    }

    /// `elem` itself for one lane, else a vector of it.
    pub fn lanes(&mut self, elem: TypeId, len: u8) -> TypeId {
        if len == 1 {
            elem
        } else {
            self.vector(elem, len)
        }
    }

    /// A pointer type.
    pub fn pointer(&mut self, pointee: QualType, space: AddrSpace) -> TypeId {
        self.intern(Type::Pointer { pointee, space })
    }

    /// An array type.
    pub fn array(&mut self, elem: QualType, len: Option<u64>) -> TypeId {
        self.intern(Type::Array { elem, len })
    }

    /// Adds a record, incomplete.
    pub fn add_record(&mut self, name: &str, is_union: bool, span: Span) -> (RecordId, TypeId) {
        let id = RecordId(self.records.len() as u32);
        self.records.push(RecordDef {
            name: name.to_string(),
            typedef_name: false,
            is_union,
            fields: Vec::new(),
            size: 0,
            align: 1,
            packed: false,
            faulty: false,
            complete: false,
            span,
        });
        (id, self.intern(Type::Record(id)))
    }

    /// Adds an enumeration, incomplete, with underlying type `uint`.
    pub fn add_enum(&mut self, name: &str, span: Span) -> (EnumId, TypeId) {
        let id = EnumId(self.enums.len() as u32);
        self.enums.push(EnumDef {
            name: name.to_string(),
            underlying: IntKind::UInt,
            fixed: false,
            complete: false,
            span,
        });
        (id, self.intern(Type::Enum(id)))
    }

    /// The record behind an id.
    pub fn record(&self, id: RecordId) -> &RecordDef {
        &self.records[id.0 as usize]
    }

    /// The integer kind of an integer or enumeration (not bool).
    pub fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match *self.get(id) {
            Type::Int(kind) => Some(kind),
            Type::Enum(e) => Some(self.enums[e.0 as usize].underlying),
            _ => None,
        }
    }

    /// The float kind of a scalar float.
    pub fn float_kind(&self, id: TypeId) -> Option<FloatKind> {
        match *self.get(id) {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// Element type and length of a vector.
    pub fn vector_parts(&self, id: TypeId) -> Option<(TypeId, u8)> {
        match *self.get(id) {
            Type::Vector { elem, len } => Some((elem, len)),
            _ => None,
        }
    }

    /// Element type and lane count of a vector or (with one lane) any other type.
    pub fn elem_lanes(&self, id: TypeId) -> (TypeId, u8) {
        self.vector_parts(id).unwrap_or((id, 1))
    }

    /// The kind of an opaque type.
    pub fn opaque(&self, id: TypeId) -> Option<OpaqueKind> {
        match *self.get(id) {
            Type::Opaque(kind) => Some(kind),
            _ => None,
        }
    }

    /// Pointee and address space of a pointer.
    pub fn pointer_parts(&self, id: TypeId) -> Option<(QualType, AddrSpace)> {
        match *self.get(id) {
            Type::Pointer { pointee, space } => Some((pointee.spelt_like(id), space)),
            _ => None,
        }
    }

    /// The record of a struct or union type.
    pub fn record_id(&self, id: TypeId) -> Option<RecordId> {
        match *self.get(id) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// True for bool, integers and enumerations.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Bool | Type::Int(_) | Type::Enum(_))
    }

    /// True for scalar floats.
    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Float(_))
    }

    /// True for bool, integers, enumerations and scalar floats.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_float(id)
    }

    /// True for pointers.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer { .. })
    }

    /// True for arithmetic types and pointers.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || self.is_pointer(id)
    }

    /// True for vectors.
    pub fn is_vector(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Vector { .. })
    }

    /// Returns whether an integer type (or a vector's element type) is signed; bool is not.
    pub fn is_signed(&self, id: TypeId) -> bool {
        let (elem, _) = self.elem_lanes(id);
        self.int_kind(elem).is_some_and(IntKind::signed)
    }

    /// True when objects of the type have a size.
    pub fn is_complete(&self, id: TypeId) -> bool {
        match *self.get(id) {
            Type::Void | Type::Function { .. } => false,
            Type::Record(record) => self.record(record).complete,
            Type::Enum(e) => {
                let def = &self.enums[e.0 as usize];
                def.complete || def.fixed
            }
            Type::Array { elem, len } => len.is_some() && self.is_complete(elem.ty),
            _ => true,
        }
    }

    /// Returns whether the members of a record, or of the elements of an array, had errors.
    pub fn is_faulty(&self, id: TypeId) -> bool {
        match *self.get(id) {
            Type::Record(record) => self.record(record).faulty,
            Type::Array { elem, .. } => self.is_faulty(elem.ty),
            _ => false,
        }
    }

    /// Size in bytes; 0 for incomplete types. A 3-vector takes 4 elements' room.
    pub fn size(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Void | Type::Function { .. } | Type::Error => 0,
            Type::Bool => 1,
            Type::Int(kind) => u64::from(kind.bits() / 8),
            Type::Float(kind) => u64::from(kind.bits() / 8),
            Type::Vector { elem, len } => {
                self.size(elem) * if len == 3 { 4 } else { u64::from(len) }
            }
            Type::Pointer { .. } | Type::Block(_) => self.address_size,
            Type::Opaque(kind) => kind.size(),
            Type::Array { elem, len } => self.size(elem.ty).saturating_mul(len.unwrap_or(0)),
            Type::Record(record) => self.record(record).size,
            Type::Enum(e) => u64::from(self.enums[e.0 as usize].underlying.bits() / 8),
            Type::Atomic(value) => self.size(value),
        }
    }

    /// Alignment in bytes; 1 for incomplete types.
    pub fn align(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Array { elem, .. } => self.align(elem.ty),
            Type::Record(record) => self.record(record).align,
            Type::Opaque(kind) => kind.align(),
            _ => self.size(id).max(1),
        }
    }
}
