//! Spelling of types in messages.
//!
//! Types are canonical, but people look for the names they wrote. So a [`TypeId`] carries,
//! beside its identity, the typedef it was declared with; messages then say
//! `'counter *' (aka 'int *')`, as clang does. The name takes no part in comparisons and gets
//! lost where types are computed (promotion, vector elements); messages then show the
//! canonical type alone.
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::opaque::OpaqueKind;
use super::types::{AddrSpace, QualType, Quals, Type, TypeTable};

/// A canonical type of one [`TypeTable`], and the name it has in messages.
#[derive(Clone, Copy, Debug)]
pub struct TypeId {
    index: u32,
    /// 0, or one more than an index into [`TypeTable::spellings`].
    spelling: u32,
}

impl PartialEq for TypeId {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for TypeId {}

impl PartialOrd for TypeId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TypeId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.cmp(&other.index)
    }
}

impl Hash for TypeId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl TypeId {
    pub(super) const fn plain(index: u32) -> Self {
        Self { index, spelling: 0 }
    }

    /// Its number in the table, equal for equal types.
    pub(crate) const fn index(self) -> usize {
        self.index as usize
    }

    /// The same type with another's name.
    pub(super) fn spelt_like(self, other: Self) -> Self {
        Self {
            spelling: other.spelling,
            ..self
        }
    }

    fn forget(&mut self) {
        self.spelling = 0;
    }
}

impl QualType {
    /// The same type with another's name.
    pub(super) fn spelt_like(self, other: TypeId) -> Self {
        Self {
            ty: self.ty.spelt_like(other),
            ..self
        }
    }
}

/// A name for a type; whatever is derived from that type is written with it too.
#[derive(Clone, Debug)]
pub(super) struct Spelling {
    name: String,
    ty: QualType,
}

impl Type {
    /// Makes all components plain, so that equal types are stored once whatever their names.
    /// The id returned has the name that the whole type takes from its component.
    pub(super) fn forget_spelling(&mut self) -> TypeId {
        let mut whole = TypeTable::VOID;
        match self {
            Self::Pointer { pointee: part, .. } | Self::Array { elem: part, .. } => {
                whole = part.ty;
                part.ty.forget();
            }
            Self::Vector { elem: part, .. }
            | Self::Atomic(part)
            | Self::Block(part)
            | Self::Opaque(OpaqueKind::Pipe(part, _)) => part.forget(),
            Self::Function { ret, params, .. } => {
                ret.forget();
                params.iter_mut().for_each(TypeId::forget);
            }
            _ => {}
        }
        whole
    }
}

impl TypeTable {
    /// `ty` under the name `name`.
    pub(crate) fn named(&mut self, name: &str, ty: QualType) -> QualType {
        self.spellings.push(Spelling {
            name: name.to_string(),
            ty,
        });
        let spelling = self.spellings.len() as u32;
        QualType {
            ty: TypeId { spelling, ..ty.ty },
            ..ty
        }
    }

    /// The canonical type with OpenCL C's names.
    pub fn display(&self, id: TypeId) -> String {
        self.display_qual(QualType::plain(id))
    }

    /// The same with qualifiers.
    pub fn display_qual(&self, ty: QualType) -> String {
        self.spell(ty, String::new(), None)
    }

    /// The type as messages write it, in quotes: its name in the source, with the canonical
    /// type behind where that differs. `prefix` (an address space) precedes both.
    pub(crate) fn message_text(&self, prefix: &str, ty: QualType) -> String {
        let canonical = self.display_qual(ty);
        let named = (ty.ty.spelling as usize)
            .checked_sub(1)
            .map(|index| self.spell(ty, String::new(), Some(&self.spellings[index])));
        match named {
            Some(named) if named != canonical => {
                format!("'{prefix}{named}' (aka '{prefix}{canonical}')")
            }
            _ => format!("'{prefix}{canonical}'"),
        }
    }

    fn spell(&self, ty: QualType, inner: String, named: Option<&Spelling>) -> String {
        let base_with = |quals: Quals, name: &str| {
            let mut text = quals_text(quals);
            text.push_str(name);
            if !inner.is_empty() {
                if !inner.starts_with('[') {
                    text.push(' ');
                }
                text.push_str(&inner);
            }
            text
        };
        if let Some(own) = own_name(named, ty) {
            return base_with(ty.quals.difference(own.ty.quals), &own.name);
        }
        let base = |name: &str| base_with(ty.quals, name);
        match self.get(ty.ty) {
            Type::Void => base("void"),
            Type::Bool => base("bool"),
            Type::Int(kind) => base(kind.name()),
            Type::Float(kind) => base(kind.name()),
            Type::Vector { elem, len } => base(&format!("{}{len}", self.display(*elem))),
            Type::Atomic(value) => base(&format!("_Atomic({})", self.display(*value))),
            Type::Opaque(OpaqueKind::Pipe(packet, access)) => {
                base(&format!("{} pipe {}", access.name(), self.display(*packet)))
            }
            Type::Opaque(OpaqueKind::Image(kind, access)) => {
                base(&format!("{} {}", access.name(), kind.shape().name))
            }
            Type::Opaque(kind) => base(kind.name()),
            Type::Error => base("<error>"),
            Type::Record(record) => {
                let def = self.record(*record);
                let word = if def.is_union { "union" } else { "struct" };
                if def.name.is_empty() {
                    base(&format!("{word} <unnamed>"))
                } else if def.typedef_name {
                    base(&def.name)
                } else {
                    base(&format!("{word} {}", def.name))
                }
            }
            Type::Enum(e) => {
                let def = &self.enums[e.0 as usize];
                if def.name.is_empty() {
                    base("enum <unnamed>")
                } else {
                    base(&format!("enum {}", def.name))
                }
            }
            Type::Pointer { pointee, space } => {
                let mut star = String::from("*");
                star.push_str(quals_text(ty.quals).trim_end());
                if !inner.is_empty() && !inner.starts_with('[') && !ty.quals.is_empty() {
                    star.push(' ');
                }
                star.push_str(&inner);
                let is_named = own_name(named, *pointee).is_some();
                let wrap = !is_named
                    && matches!(
                        self.get(pointee.ty),
                        Type::Array { .. } | Type::Function { .. }
                    );
                let star = if wrap { format!("({star})") } else { star };
                // An array's or pointer's own space reads best before everything else.
                let text = self.spell(*pointee, star, named);
                if *space == AddrSpace::Code {
                    text
                } else if matches!(self.get(pointee.ty), Type::Pointer { .. }) {
                    if *space == AddrSpace::Private {
                        text
                    } else {
                        insert_space_before_last_star(&text, space.name())
                    }
                } else {
                    format!("{} {text}", space.name())
                }
            }
            Type::Array { elem, len } => {
                let len = len.map_or(String::new(), |n| n.to_string());
                self.spell(elem.with(ty.quals), format!("{inner}[{len}]"), named)
            }
            Type::Block(function) => {
                self.spell(QualType::plain(*function), format!("(^{inner})"), None)
            }
            Type::Function {
                ret,
                params,
                variadic,
            } => {
                let mut list: Vec<String> = params.iter().map(|&p| self.display(p)).collect();
                if *variadic {
                    list.push("...".to_string());
                }
                if list.is_empty() {
                    list.push("void".to_string());
                }
                self.spell(
                    QualType::plain(*ret),
                    format!("{inner}({})", list.join(", ")),
                    None,
                )
            }
        }
    }
}

/// The name, if it is this very type's. A type does not contain itself, so the name fits at one
/// place of a derived type at most.
fn own_name(named: Option<&Spelling>, ty: QualType) -> Option<&Spelling> {
    named.filter(|own| own.ty.ty == ty.ty && ty.quals.contains(own.ty.quals))
}

fn insert_space_before_last_star(text: &str, space: &str) -> String {
    match text.rfind('*') {
        Some(at) => format!("{}{space} {}", &text[..at], &text[at..]),
        None => text.to_string(),
    }
}

fn quals_text(quals: Quals) -> String {
    let mut text = String::new();
    if quals.contains(Quals::CONST) {
        text.push_str("const ");
    }
    if quals.contains(Quals::VOLATILE) {
        text.push_str("volatile ");
    }
    if quals.contains(Quals::RESTRICT) {
        text.push_str("restrict ");
    }
    text
}
