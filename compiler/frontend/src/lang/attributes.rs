//! Names of attributes.

/// Attributes that mean something to the compiler, without surrounding underscores.
/// `__has_attribute` is 1 for these.
pub const KNOWN: &[&str] = &[
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
