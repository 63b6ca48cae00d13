//! The table of built-in functions: one row per family.
//!
//! Sema asks [`is_builtin`], [`constant`] and [`resolve`]; the typed tree then carries the row's
//! [`BuiltinId`], from which emission finds the lowering.

mod c_functions;
mod instance;
mod matrix;
pub mod names;
mod overload;
mod rank;
mod special;
pub mod table;

use table::Gate;

use crate::lang::options::LangOptions;
use crate::lang::types::{TypeId, TypeTable};
pub use c_functions::{
    CFunction, Elementwise, ExactOp, IntegerOp, Reduction, c_function, hint_arguments,
};
pub use matrix::component_type;
pub use names::{BuiltinId, similar_conversion};
use pumice_target::options::ClStd;

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

/// Reason why no overload fits a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// The name is not in the table.
    Unknown,
    /// The name is in the table, but needs something that this language version or device lacks.
    Disabled {
        /// The missing feature or version, e.g. `cl_khr_subgroups` or `OpenCL C 2.0`.
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

/// A function whose arguments include a block, by name.
pub fn taking_blocks(name: &str) -> Option<(BuiltinId, table::Lower)> {
    let found = names::lookup(name)?;
    let lower = table::ROWS[usize::from(found.first)].lower;
    let takes = matches!(lower, table::Lower::Enqueue | table::Lower::KernelQuery(_));
    takes.then(|| (names::pack(found.first, found.suffix), lower))
}

/// Returns the first row of a function without a suffix in its name, be it available or not: for functions that are
/// written as calls of it.
pub fn row_of(name: &str) -> Option<BuiltinId> {
    names::lookup(name).map(|found| names::pack(found.first, found.suffix))
}

/// Returns whether `name` is a built-in function in any version.
pub fn is_builtin(name: &str) -> bool {
    names::lookup(name).is_some()
}

/// Returns the answer of `__has_builtin`; true also for `__builtin_astype` and other names that take types.
pub fn has_builtin(name: &str) -> bool {
    const WITH_TYPES: [&str; 5] = [
        "__builtin_astype",
        "__builtin_bit_cast",
        "__builtin_convertvector",
        "__builtin_offsetof",
        "__builtin_types_compatible_p",
    ];
    WITH_TYPES.contains(&name)
        || hint_arguments(name).is_some()
        || c_function(name).is_some()
        || is_builtin(name)
}

/// Returns the feature or version that every form of a built-in function misses; `None` if one
/// form is available.
pub fn unavailable(name: &str, lang: &LangOptions) -> Option<String> {
    let found = names::lookup(name)?;
    let missing: Option<Vec<&str>> = found.rows().map(|(_, row)| row.missing(lang)).collect();
    missing?.first().map(ToString::to_string)
}

/// Extensions of the language beside those that open rows of the table. The last three add no words: sRGB images can be
/// written, and the embedded profile writes arrays of images and has 64-bit integers.
const LANGUAGE_EXTENSIONS: &[&str] = &[
    "cl_khr_depth_images",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_srgb_image_writes",
    "cles_khr_2d_image_array_writes",
    "cles_khr_int64",
];

/// The names of all extensions that the front end knows, each once, in alphabetical order.
pub fn extensions() -> Vec<&'static str> {
    let mut names = LANGUAGE_EXTENSIONS.to_vec();
    for row in &table::ROWS {
        match row.gate {
            Gate::Name(name) | Gate::Either(name, _) => names.push(name),
            Gate::AnyOf(both, _) => names.extend(both),
            _ => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Enumerators and flags of the built-in functions. The numbers are this compiler's own
/// agreement between the table and its lowering; memory orders are C11's.
const CONSTANTS: &[(&str, ClStd, TypeId, u64)] = &[
    // OpenCL C's true and false are the integers 1 and 0 (OpenCL C 3.0 §6.3.1).
    ("true", ClStd::Cl10, TypeTable::INT, 1),
    ("false", ClStd::Cl10, TypeTable::INT, 0),
    ("CLK_LOCAL_MEM_FENCE", ClStd::Cl10, TypeTable::UINT, 1),
    ("CLK_GLOBAL_MEM_FENCE", ClStd::Cl10, TypeTable::UINT, 2),
    ("CLK_IMAGE_MEM_FENCE", ClStd::Cl20, TypeTable::UINT, 4),
    ("memory_order_relaxed", ClStd::Cl20, TypeTable::INT, 0),
    ("memory_order_acquire", ClStd::Cl20, TypeTable::INT, 2),
    ("memory_order_release", ClStd::Cl20, TypeTable::INT, 3),
    ("memory_order_acq_rel", ClStd::Cl20, TypeTable::INT, 4),
    ("memory_order_seq_cst", ClStd::Cl20, TypeTable::INT, 5),
    ("memory_scope_work_item", ClStd::Cl20, TypeTable::INT, 0),
    ("memory_scope_work_group", ClStd::Cl20, TypeTable::INT, 1),
    ("memory_scope_device", ClStd::Cl20, TypeTable::INT, 2),
    (
        "memory_scope_all_svm_devices",
        ClStd::Cl20,
        TypeTable::INT,
        3,
    ),
    ("memory_scope_all_devices", ClStd::Cl30, TypeTable::INT, 3),
    ("memory_scope_sub_group", ClStd::Cl20, TypeTable::INT, 4),
];

/// A named constant that is no macro: enumerators such as `memory_order_relaxed`.
pub fn constant(name: &str, lang: &LangOptions) -> Option<(TypeId, u64)> {
    CONSTANTS
        .iter()
        .find(|c| c.0 == name && lang.std >= c.1)
        .map(|c| (c.2, c.3))
}

/// The names of the constants that [`constant`] knows, for "did you mean".
pub fn constants(lang: &LangOptions) -> impl Iterator<Item = String> {
    let known = CONSTANTS.iter().filter(move |c| lang.std >= c.1);
    known.map(|c| c.0.to_string())
}

/// Names for "did you mean", those most alike to `name` first; empty when none is close.
pub fn similar(name: &str) -> Vec<&'static str> {
    let limit = if name.len() < 5 { 1 } else { 2 };
    // Of equally close names the one that begins most alike, then the shortest.
    let alike = |other: &str| {
        let pairs = name.bytes().zip(other.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let mut found: Vec<(usize, &'static str)> = table::ROWS
        .iter()
        .filter(|row| !row.is_family && row.name.len().abs_diff(name.len()) <= limit)
        .map(|row| (distance(name.as_bytes(), row.name.as_bytes()), row.name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    found.sort_unstable_by_key(|&(distance, other)| {
        (distance, usize::MAX - alike(other), other.len(), other)
    });
    found.dedup();
    found.into_iter().map(|(_, name)| name).collect()
}

/// Levenshtein distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let old = row[j + 1];
            row[j + 1] = (corner + usize::from(x != y)).min(old + 1).min(row[j] + 1);
            corner = old;
        }
    }
    row[b.len()]
}

/// Finds the overload that `name(args)` means, ranking as clang does: exact types first, then
/// integer and float promotions, then conversions; equal ranks are ambiguous.
///
/// # Errors
/// No built-in function of that name, none that takes the arguments, or several that fit equally.
pub fn resolve(
    name: &str,
    args: &[Arg],
    types: &mut TypeTable,
    lang: &LangOptions,
) -> Result<Resolution, ResolveError> {
    let found = names::lookup(name).ok_or(ResolveError::Unknown)?;
    overload::resolve(name, &found, args, types, lang)
}

#[cfg(test)]
mod tests;
