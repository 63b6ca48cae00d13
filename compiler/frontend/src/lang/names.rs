//! Built-in type names that are not keywords.
use crate::lang::types::{OpaqueKind, TypeId, TypeTable};

/// Meaning of a built-in type name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedType {
    /// A type of the table.
    Type(TypeId),
    /// A vector of a scalar type.
    Vector(TypeId, u8),
    /// An `atomic_*` type of a scalar.
    Atomic(TypeId),
    /// An opaque type.
    Opaque(OpaqueKind),
}

/// The scalar types that have vectors.
pub const NUMBERS: [(&str, TypeId); 11] = [
    ("char", TypeTable::CHAR),
    ("uchar", TypeTable::UCHAR),
    ("short", TypeTable::SHORT),
    ("ushort", TypeTable::USHORT),
    ("int", TypeTable::INT),
    ("uint", TypeTable::UINT),
    ("long", TypeTable::LONG),
    ("ulong", TypeTable::ULONG),
    ("half", TypeTable::HALF),
    ("float", TypeTable::FLOAT),
    ("double", TypeTable::DOUBLE),
];

const OTHERS: &[(&str, NamedType)] = &[
    ("bool", NamedType::Type(TypeTable::BOOL)),
    ("size_t", NamedType::Type(TypeTable::ULONG)),
    ("ptrdiff_t", NamedType::Type(TypeTable::LONG)),
    ("intptr_t", NamedType::Type(TypeTable::LONG)),
    ("uintptr_t", NamedType::Type(TypeTable::ULONG)),
    ("cl_mem_fence_flags", NamedType::Type(TypeTable::UINT)),
    ("memory_order", NamedType::Type(TypeTable::INT)),
    ("memory_scope", NamedType::Type(TypeTable::INT)),
    ("atomic_flag", NamedType::Atomic(TypeTable::INT)),
    ("atomic_int", NamedType::Atomic(TypeTable::INT)),
    ("atomic_uint", NamedType::Atomic(TypeTable::UINT)),
    ("atomic_long", NamedType::Atomic(TypeTable::LONG)),
    ("atomic_ulong", NamedType::Atomic(TypeTable::ULONG)),
    ("atomic_float", NamedType::Atomic(TypeTable::FLOAT)),
    ("atomic_double", NamedType::Atomic(TypeTable::DOUBLE)),
    ("atomic_half", NamedType::Atomic(TypeTable::HALF)),
    ("atomic_size_t", NamedType::Atomic(TypeTable::ULONG)),
    ("atomic_ptrdiff_t", NamedType::Atomic(TypeTable::LONG)),
    ("atomic_intptr_t", NamedType::Atomic(TypeTable::LONG)),
    ("atomic_uintptr_t", NamedType::Atomic(TypeTable::ULONG)),
    ("clk_profiling_info", NamedType::Type(TypeTable::INT)),
    ("kernel_enqueue_flags_t", NamedType::Type(TypeTable::INT)),
];

/// Returns the built-in type of a name that no declaration hides; `None` if it is no type name.
pub fn lookup(name: &str) -> Option<NamedType> {
    if let Some(&(_, named)) = OTHERS.iter().find(|(other, _)| *other == name) {
        return Some(named);
    }
    if let Some(kind) = OpaqueKind::named(name) {
        return Some(NamedType::Opaque(kind));
    }
    let digits = name
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(name.len());
    let (base, count) = name.split_at(digits);
    let &(_, elem) = NUMBERS.iter().find(|(scalar, _)| *scalar == base)?;
    match count {
        "" => Some(NamedType::Type(elem)),
        "2" => Some(NamedType::Vector(elem, 2)),
        "3" => Some(NamedType::Vector(elem, 3)),
        "4" => Some(NamedType::Vector(elem, 4)),
        "8" => Some(NamedType::Vector(elem, 8)),
        "16" => Some(NamedType::Vector(elem, 16)),
        _ => None,
    }
}

/// Returns the type where addresses have 32 bits: `size_t` and its like are narrower.
pub fn narrowed(name: &str, named: NamedType) -> NamedType {
    let own = name.strip_prefix("atomic_").unwrap_or(name);
    if own == "bool" || !forbidden_in_kernels(own) {
        return named;
    }
    let narrow = |ty| match ty == TypeTable::LONG {
        true => TypeTable::INT,
        false => TypeTable::UINT,
    };
    match named {
        NamedType::Type(ty) => NamedType::Type(narrow(ty)),
        NamedType::Atomic(ty) => NamedType::Atomic(narrow(ty)),
        other => other,
    }
}

/// Returns whether `name` is a built-in type name that is not a keyword. The parser asks this only
/// for names that no declaration hides.
pub fn is_type_name(name: &str) -> bool {
    lookup(name).is_some()
}

/// Returns whether a type of this name may not be a kernel argument (OpenCL C 3.0 §6.11.k).
pub fn forbidden_in_kernels(name: &str) -> bool {
    matches!(
        name,
        "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" | "bool"
    )
}

/// Words that stand where a type begins, for "did you mean".
const QUALIFIERS: &[&str] = &[
    "__kernel",
    "__global",
    "__local",
    "__constant",
    "__private",
    "kernel",
    "global",
    "local",
    "constant",
    "private",
    "const",
    "volatile",
    "static",
    "inline",
    "unsigned",
    "signed",
    "struct",
    "typedef",
    "extern",
];

/// The names of scalars of numbers and of vectors.
pub fn numbers() -> impl Iterator<Item = String> {
    NUMBERS.iter().flat_map(|(name, _)| {
        ["", "2", "3", "4", "8", "16"]
            .iter()
            .map(move |count| format!("{name}{count}"))
    })
}

/// All built-in type names, for "did you mean".
pub fn all() -> impl Iterator<Item = String> {
    let qualifiers = QUALIFIERS.iter().map(|name| (*name).to_string());
    let others = OTHERS.iter().map(|(name, _)| (*name).to_string());
    let opaque = OpaqueKind::names().map(String::from);
    numbers().chain(others).chain(opaque).chain(qualifiers)
}

#[cfg(test)]
mod tests {
    use super::{NamedType, is_type_name, lookup};
    use crate::lang::types::TypeTable;

    #[test]
    fn names_of_vectors() {
        assert_eq!(
            lookup("uchar16"),
            Some(NamedType::Vector(TypeTable::UCHAR, 16))
        );
        assert!(!is_type_name("float5"));
        assert!(!is_type_name("bool2"));
        assert!(!is_type_name("size_t2"));
    }
}
