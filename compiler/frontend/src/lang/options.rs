//! The language as one compilation sees it: version, device extensions and features, pragmas.
use rustc_hash::FxHashSet;

use super::opaque::MOTION_ESTIMATION;
use pumice_target::Target;
use pumice_target::options::{ClStd, CompileOptions, MathOptions};

/// Version, extensions and features that decide which constructs are legal.
#[derive(Clone, Debug)]
pub struct LangOptions<'a> {
    /// The language version compiled for.
    pub std: ClStd,
    /// Floating-point switches.
    pub math: MathOptions,
    /// CL_DEVICE_LOCAL_MEM_SIZE in bytes.
    pub local_memory: u64,
    /// Pointers and `size_t` have 32 bits.
    pub narrow_addresses: bool,
    /// Variables and literals may be scalar halves where the device has cl_khr_fp16.
    scalar_half: bool,
    /// There are atomic types of 64 bits.
    pub int64_atomics: bool,
    /// Extensions that the device has.
    extensions: &'a [String],
    /// Extensions that a pragma has disabled.
    disabled: FxHashSet<&'a str>,
    /// Extensions of clang's language that a pragma has enabled.
    of_clang: FxHashSet<&'static str>,
    /// Feature macros that the source has undefined.
    undefined: FxHashSet<String>,
    /// Feature macros that the device has.
    features: &'a [String],
}

/// Extensions of clang's language, which no device lists. They are off until a pragma enables them.
pub const CLANG_EXTENSIONS: &[&str] = &[
    BIT_FIELDS,
    FUNCTION_POINTERS,
    STORAGE_CLASSES,
    VARIADIC_FUNCTIONS,
];

/// Members of structs and unions with a number of bits.
pub const BIT_FIELDS: &str = "__cl_clang_bitfields";

/// Pointers to functions, and calls through them.
pub const FUNCTION_POINTERS: &str = "__cl_clang_function_pointers";

/// `register` in OpenCL C 1.0, `auto` in all versions.
pub const STORAGE_CLASSES: &str = "cl_clang_storage_class_specifiers";

/// Prototypes with `...`.
pub const VARIADIC_FUNCTIONS: &str = "__cl_clang_variadic_functions";

/// Returns the language version that has an extension first.
pub fn first_version(extension: &str) -> ClStd {
    const SINCE_CL12: [&str; 5] = [
        "cl_khr_subgroup",
        "cl_intel_subgroup",
        "cl_khr_mipmap_image",
        "cl_khr_depth_images",
        MOTION_ESTIMATION,
    ];
    let is_newer = SINCE_CL12
        .iter()
        .any(|prefix| extension.starts_with(prefix));
    if is_newer { ClStd::Cl12 } else { ClStd::Cl10 }
}

impl<'a> LangOptions<'a> {
    /// The language of one set of options on one device. Without `-cl-std` it is OpenCL C 1.2
    /// (OpenCL 3.0 API §5.8.6.5).
    pub fn new(options: &CompileOptions, target: &'a Target) -> Self {
        Self {
            std: options.std.unwrap_or(ClStd::Cl12),
            narrow_addresses: options.narrow_addresses,
            math: options.math,
            local_memory: u64::from(target.max_local_memory_size),
            extensions: &target.extensions,
            disabled: FxHashSet::default(),
            scalar_half: !options.half_by_pragma,
            int64_atomics: target.int64_buffer_atomics
                || target.has_extension("cl_khr_int64_base_atomics"),
            of_clang: FxHashSet::default(),
            undefined: FxHashSet::default(),
            features: &target.features,
        }
    }

    /// Returns whether the device knows an extension at all.
    pub fn knows_extension(&self, name: &str) -> bool {
        self.extension_name(name).is_some()
    }

    fn extension_name(&self, name: &str) -> Option<&'a str> {
        let mut names = self.extensions.iter().map(String::as_str);
        names.find(|known| *known == name)
    }

    /// Applies `#pragma OPENCL EXTENSION`; false when the extension is unknown. Known
    /// extensions are usable from the start: many programs rely on it, none on the opposite.
    pub fn pragma_extension(&mut self, name: &str, enable: bool) -> bool {
        if name == "all" {
            if enable {
                return false;
            }
            self.disabled = self.extensions.iter().map(String::as_str).collect();
            self.of_clang.clear();
            return true;
        }
        if let Some(name) = CLANG_EXTENSIONS.iter().find(|known| **known == name) {
            match enable {
                true => self.of_clang.insert(name),
                false => self.of_clang.remove(name),
            };
            return true;
        }
        self.scalar_half |= enable && name == "cl_khr_fp16";
        let Some(name) = self.extension_name(name) else {
            return false;
        };
        if enable {
            self.disabled.remove(name);
        } else {
            self.disabled.insert(name);
        }
        true
    }

    /// Returns whether the source may use an extension here.
    pub fn extension(&self, name: &str) -> bool {
        self.knows_extension(name) && !self.disabled.contains(name)
    }

    /// Returns whether a pragma has enabled an extension of [`CLANG_EXTENSIONS`].
    pub fn clang_extension(&self, name: &str) -> bool {
        self.of_clang.contains(name)
    }

    /// Returns whether a `__opencl_c_*` feature is available: the device has it and no `#undef` of its
    /// macro stands above. Pragmas do not matter.
    pub fn feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name) && !self.undefined.contains(name)
    }

    /// Returns whether the source has undefined a feature's macro.
    pub fn is_undefined(&self, name: &str) -> bool {
        self.undefined.contains(name)
    }

    /// Takes a feature away whose macro the source undefines here.
    pub fn undefine_feature(&mut self, name: &str) {
        self.undefined.insert(name.to_string());
    }

    /// Returns whether a feature is available that OpenCL C 2.0 requires and 3.0 makes optional.
    pub fn core_feature(&self, name: &str) -> bool {
        self.std >= ClStd::Cl20 && self.feature(name)
    }

    /// Returns whether depth images are available; they are core in OpenCL C 2.0 only.
    pub fn depth_images(&self) -> bool {
        self.std == ClStd::Cl20 || self.extension("cl_khr_depth_images")
    }

    /// Returns whether arithmetic on half is legal.
    pub fn fp16(&self) -> bool {
        self.extension("cl_khr_fp16")
    }

    /// Returns whether values may be halves. As in clang, vectors need no pragma.
    pub fn half_values(&self, is_vector: bool) -> bool {
        self.fp16() && (is_vector || self.scalar_half)
    }

    /// Returns whether double exists. As in clang, the extension's pragma has no effect on it.
    pub fn fp64(&self) -> bool {
        self.knows_extension("cl_khr_fp64")
            || (self.std >= ClStd::Cl30 && self.feature("__opencl_c_fp64"))
    }

    /// Returns whether a literal without a suffix is a double. Before OpenCL C 1.2 the extension's
    /// pragma decides.
    pub fn double_literals(&self) -> bool {
        self.fp64() && (self.std >= ClStd::Cl12 || self.extension("cl_khr_fp64"))
    }

    /// Returns whether the generic address space exists.
    pub fn generic_address_space(&self) -> bool {
        self.std == ClStd::Cl20
            || (self.std >= ClStd::Cl30 && self.feature("__opencl_c_generic_address_space"))
    }

    /// Returns whether variables at program scope may live in the global address space.
    pub fn program_scope_globals(&self) -> bool {
        self.std == ClStd::Cl20
            || (self.std >= ClStd::Cl30
                && self.feature("__opencl_c_program_scope_global_variables"))
    }
}
