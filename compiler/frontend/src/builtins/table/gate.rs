//! Language versions, extensions and device features that built-in functions need.

use crate::lang::options::{LangOptions, first_version};
use pumice_target::options::ClStd;

/// Language version, extension or device feature that the rows of a table need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    None,
    /// A language version or later.
    Std(ClStd),
    /// An extension.
    Name(&'static str),
    /// OpenCL C 2.0, or a feature from 3.0 on.
    Feature(&'static str),
    /// An extension, or a feature from 3.0 on.
    Either(&'static str, &'static str),
    /// One of two extensions, or a feature from 3.0 on.
    AnyOf([&'static str; 2], &'static str),
    /// A feature of the device, in every language version.
    Device(&'static str),
    /// The same, from OpenCL C 2.0 on.
    Core(&'static str),
}

impl Gate {
    /// Returns the feature or version that is missing; `None` if the gate is open. Pragmas do not
    /// matter: as in clang, a function is there if the device has its extension.
    pub fn missing(self, lang: &LangOptions) -> Option<&'static str> {
        let unless = |open: bool, name| (!open).then_some(name);
        let since_cl30 = |name| lang.std >= ClStd::Cl30 && lang.feature(name);
        match self {
            Gate::None => None,
            Gate::Std(std) => unless(lang.std >= std, version(std)),
            Gate::Name(name) => extension(name, lang),
            Gate::Either(_, name) | Gate::AnyOf(_, name) if since_cl30(name) => None,
            Gate::Either(name, _) => extension(name, lang),
            Gate::AnyOf([first, second], _) => {
                extension(first, lang).filter(|_| extension(second, lang).is_some())
            }
            Gate::Device(name) => unless(lang.feature(name), name),
            Gate::Feature(_) | Gate::Core(_) if lang.std < ClStd::Cl20 => {
                Some(version(ClStd::Cl20))
            }
            Gate::Feature(name) => unless(lang.std == ClStd::Cl20 || lang.feature(name), name),
            Gate::Core(name) => unless(lang.feature(name), name),
        }
    }
}

/// Returns the extension if the device lacks it, or the language version that has its functions first.
fn extension(name: &'static str, lang: &LangOptions) -> Option<&'static str> {
    if !lang.knows_extension(name) {
        return Some(name);
    }
    let first = first_version(name);
    (lang.std < first).then(|| version(first))
}

fn version(std: ClStd) -> &'static str {
    match std {
        ClStd::Cl10 => "OpenCL C 1.0",
        ClStd::Cl11 => "OpenCL C 1.1",
        ClStd::Cl12 => "OpenCL C 1.2",
        ClStd::Cl20 => "OpenCL C 2.0",
        ClStd::Cl30 => "OpenCL C 3.0",
        ClStd::Cl31 => "OpenCL C 3.1",
    }
}
