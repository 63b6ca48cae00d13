//! The table of built-in functions: one row per family.
//!
//! Sema asks [`is_builtin`], [`constant`] and [`resolve`]; the typed tree then carries the row's
//! [`BuiltinId`], from which emission finds the lowering.

use crate::sema::lang::LangOptions;
pub use crate::sema::typed::BuiltinId;
use crate::sema::types::{TypeId, TypeTable};

/// An argument of a call as overload resolution sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its type after decay of arrays, without qualifiers.
    pub ty: TypeId,
    /// True for a null pointer constant (`0`, `NULL`), which converts to any pointer.
    pub null: bool,
}

/// The overload that a call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Row of the table.
    pub id: BuiltinId,
    /// Return type.
    pub ret: TypeId,
    /// Parameter types; sema converts each argument to its parameter as C's assignment does.
    pub params: Vec<TypeId>,
    /// True for printf: further arguments are promoted only.
    pub variadic: bool,
}

/// Why a call means no overload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// The name is not in the table.
    Unknown,
    /// The name is in the table, but needs something that this language version or device lacks.
    Disabled {
        /// What is missing, e.g. `cl_khr_subgroups` or `OpenCL C 2.0`.
        needs: String,
    },
    /// No overload takes that many arguments.
    Count {
        /// Fewest.
        min: usize,
        /// Most.
        max: usize,
    },
    /// No overload takes these types.
    NoMatch {
        /// Some of the overloads as prototypes, for notes.
        candidates: Vec<String>,
    },
    /// Several overloads are equally good.
    Ambiguous {
        /// Those, as prototypes, for notes.
        candidates: Vec<String>,
    },
}

/// Whether `name` is a built-in function in any version.
pub fn is_builtin(name: &str) -> bool {
    let _ = name;
    false
}

/// A named constant that is no macro: enumerators such as `memory_order_relaxed`.
pub fn constant(name: &str, lang: &LangOptions) -> Option<(TypeId, u64)> {
    let _ = (name, lang);
    None
}

/// Names for "did you mean", those most alike to `name` first; empty when none is close.
pub fn similar(name: &str) -> Vec<&'static str> {
    let _ = name;
    Vec::new()
}

/// Finds the overload that `name(args)` means, ranking as clang does: exact types first, then
/// integer and float promotions, then conversions; equal ranks are ambiguous.
pub fn resolve(
    name: &str,
    args: &[Arg],
    types: &mut TypeTable,
    lang: &LangOptions,
) -> Result<Resolution, ResolveError> {
    let _ = (name, args, types, lang);
    Err(ResolveError::Unknown)
}
