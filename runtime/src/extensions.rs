//! The one list of extensions; strings, versions and feature macros derive from it.

use crate::info::make_version;

/// Extensions of the platform itself.
const PLATFORM: &[(&str, u32)] = &[
    ("cl_khr_icd", make_version(2, 0, 0)),
    ("cl_khr_extended_versioning", make_version(1, 0, 0)),
];

/// CL_PLATFORM_EXTENSIONS.
pub fn platform_string() -> String {
    PLATFORM
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(" ")
}

/// CL_PLATFORM_EXTENSIONS_WITH_VERSION.
pub fn platform_versions() -> impl Iterator<Item = (&'static str, u32)> {
    PLATFORM.iter().copied()
}
