//! Tokens to syntax tree.

pub mod ast;

/// Attributes that mean something to the compiler, without surrounding underscores: what
/// `__has_attribute` answers.
pub const KNOWN_ATTRIBUTES: &[&str] = &[
    "aligned",
    "packed",
    "endian",
    "reqd_work_group_size",
    "work_group_size_hint",
    "vec_type_hint",
    "opencl_unroll_hint",
    "always_inline",
    "noinline",
    "unused",
];
