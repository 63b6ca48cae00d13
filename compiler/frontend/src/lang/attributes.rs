//! Names of attributes and of parts of the language.

/// Attributes that have a meaning here, or none that matters to correct programs; without surrounding underscores.
pub const KNOWN: &[&str] = &[
    "aligned",
    "always_inline",
    "address_space",
    "cold",
    "const",
    "convergent",
    "deprecated",
    "endian",
    "ext_vector_type",
    "flatten",
    "format",
    "hot",
    "intel_reqd_sub_group_size",
    "kernel",
    "may_alias",
    "noduplicate",
    "noinline",
    "nonnull",
    "noreturn",
    "nosvm",
    "nothrow",
    "opencl_constant",
    "opencl_generic",
    "opencl_global",
    "opencl_global_device",
    "opencl_global_host",
    "opencl_local",
    "opencl_private",
    "opencl_unroll_hint",
    "optnone",
    "overloadable",
    "packed",
    "pure",
    "reqd_work_group_size",
    "unused",
    "used",
    "vec_type_hint",
    "vector_size",
    "visibility",
    "warn_unused_result",
    "weak",
    "work_group_size_hint",
];

/// Parts of the language for which `__has_feature` and `__has_extension` are 1 on every device, in clang's words.
pub const LANGUAGE_FEATURES: &[&str] = &["attribute_overloadable", "c_static_assert"];

/// The answer of `__has_attribute`. An address space by number is known, and refused.
pub fn is_served(name: &str) -> bool {
    name != "address_space" && KNOWN.contains(&name)
}
