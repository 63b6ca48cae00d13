//! Build options: the one table of them, and their parsed form.
//!
//! The parser takes the string of clBuildProgram, clCompileProgram or clLinkProgram as the
//! application gave it (OpenCL 3.0 API §5.8.6 and §5.8.7): bytes, which need not be UTF-8.

use std::path::PathBuf;

use crate::checks::Checks;
use crate::similar::unknown_option;
use crate::words::split;

/// Parsed options of the front end (clBuildProgram, clCompileProgram).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// `-D` and `-U` in order: the text after the flag, e.g. `N=4`, `F(x)=((x)+1)`.
    pub defines: Vec<Define>,
    /// `-I` folders in order.
    pub include_dirs: Vec<PathBuf>,
    /// Files that are read before the source, in order (`pumicec -include FILE`; no build option).
    pub forced_includes: Vec<String>,
    /// Errors after which a compile stops, 0: never (`pumicec -ferror-limit=N`; no build option);
    /// `None` means 20.
    pub error_limit: Option<usize>,
    /// Pointers and `size_t` have 32 bits (`pumicec --address-bits=32`; no build option).
    pub narrow_addresses: bool,
    /// cl_khr_fp16 is off until its pragma enables it (`pumicec --half-by-pragma`; no build option).
    pub half_by_pragma: bool,
    /// `-cl-std=`; `None` selects the highest OpenCL C 1.x the device offers (the spec's default).
    pub std: Option<ClStd>,
    /// `-cl-arm-non-uniform-work-group-size`: kernels of OpenCL C 1.x take work-groups of unequal sizes.
    pub non_uniform_groups: bool,
    /// `-w`: no warnings.
    pub no_warnings: bool,
    /// `-W` options in order, without `-W`: `all`, `no-format`, `error`.
    pub warning_flags: Vec<String>,
    /// `-g`: keep line information.
    pub debug_info: bool,
    /// `-cl-kernel-arg-info`; the information is kept without it too.
    pub kernel_arg_info: bool,
    /// `-pumice-check=`: checks that the kernels get beside those of the device.
    pub checks: Checks,
    /// Floating-point and optimisation switches.
    pub math: MathOptions,
}

/// One `-D` or `-U`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Define {
    /// `-D name`, `-D name=value`, `-D name(params)=value`.
    Define(Vec<u8>),
    /// `-U name`.
    Undefine(Vec<u8>),
}

/// `-cl-std=` values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClStd {
    /// CL1.0
    Cl10,
    /// CL1.1
    Cl11,
    /// CL1.2
    Cl12,
    /// CL2.0
    Cl20,
    /// CL3.0
    Cl30,
    /// CL3.1
    Cl31,
}

/// The `-cl-…` switches that change arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MathOptions {
    /// `-cl-single-precision-constant`
    pub single_precision_constant: bool,
    /// `-cl-denorms-are-zero`
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-opt-disable`
    pub opt_disable: bool,
    /// `-cl-mad-enable`
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`
    pub fast_relaxed: bool,
    /// `-cl-uniform-work-group-size`
    pub uniform_work_group_size: bool,
    /// `-cl-no-subgroup-ifp`
    pub no_subgroup_ifp: bool,
    /// `-cl-native-math`: native functions in place of exact ones, without any promise.
    pub native: bool,
}

/// Parsed options of clLinkProgram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkOptions {
    /// `-create-library`
    pub create_library: bool,
    /// `-enable-link-options`
    pub enable_link_options: bool,
    /// `-pumice-check=`, as in [`CompileOptions`].
    pub checks: Checks,
    /// Floating-point switches given at link time.
    pub math: MathOptions,
}

/// Options of [`crate::lower`]. Whatever the front end knew travels inside the Kernel module;
/// these are the switches that apply to IL as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LowerOptions {
    /// Floating-point and optimisation switches.
    pub math: MathOptions,
    /// clSetProgramSpecializationConstant: SpecId and the constant's bits, zero-extended.
    pub spec_constants: Vec<(u32, u64)>,
}

/// The fault of a string of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option as written.
    pub option: String,
    /// The reason of the refusal, for the build log.
    pub message: String,
}

impl std::fmt::Display for OptionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OptionError {}

impl CompileOptions {
    /// Parses the options of clCompileProgram (OpenCL 3.0 API §5.8.6).
    ///
    /// # Errors
    /// The first option that is unknown or has a wrong value.
    pub fn parse(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Self, OptionError> {
        let mut compile = Self::default();
        let mut link = LinkOptions::default();
        parse(text.as_ref(), COMPILE, &mut compile, &mut link)?;
        Ok(compile)
    }

    /// The switches of what is made of source: work-groups of OpenCL C before 2.0 have one size (OpenCL 3.0 API §5.10).
    pub fn math_of_source(&self) -> MathOptions {
        let mut math = self.math;
        let is_old = self.std.is_none_or(|std| std < ClStd::Cl20);
        math.uniform_work_group_size |= is_old && !self.non_uniform_groups;
        math
    }
}

impl LinkOptions {
    /// Parses the options of clLinkProgram (OpenCL 3.0 API §5.8.7).
    ///
    /// # Errors
    /// The first option that is unknown or has a wrong value.
    pub fn parse(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Self, OptionError> {
        let mut compile = CompileOptions::default();
        let mut link = Self::default();
        parse(text.as_ref(), LINK, &mut compile, &mut link)?;
        if link.enable_link_options && !link.create_library {
            return Err(OptionError {
                option: "-enable-link-options".to_string(),
                message: "'-enable-link-options' requires '-create-library'".to_string(),
            });
        }
        Ok(link)
    }
}

/// Parses the options of clBuildProgram: those of compiling, and their part for linking.
///
/// # Errors
/// The first option that is unknown or has a wrong value.
pub fn parse_build(
    text: &(impl AsRef<[u8]> + ?Sized),
) -> Result<(CompileOptions, LinkOptions), OptionError> {
    let mut compile = CompileOptions::default();
    let mut link = LinkOptions::default();
    parse(text.as_ref(), COMPILE, &mut compile, &mut link)?;
    link.math = compile.math;
    Ok((compile, link))
}

/// Legal for clBuildProgram and clCompileProgram.
const COMPILE: u8 = 1;
/// Legal for clLinkProgram.
const LINK: u8 = 2;

/// The text behind an option's name.
#[derive(Clone, Copy)]
enum Form {
    /// Nothing.
    Alone(fn(&mut Parsed<'_>)),
    /// A value of any bytes in the same word or in the next one (`-DX`, `-D X`).
    Joined(fn(&mut Parsed<'_>, Vec<u8>) -> Result<(), String>),
    /// A value in the same word behind the name (`-cl-std=CL3.0`).
    Suffix(fn(&mut Parsed<'_>, String) -> Result<(), String>),
    /// A value in the next word (`-x spir`).
    Next(fn(&mut Parsed<'_>, String) -> Result<(), String>),
}

struct Parsed<'a> {
    compile: &'a mut CompileOptions,
    link: &'a mut LinkOptions,
    math: MathOptions,
}

fn ignore(_: &mut Parsed<'_>) {}

fn ignore_value(_: &mut Parsed<'_>, _: String) -> Result<(), String> {
    Ok(())
}

/// THE list of options. An earlier row wins over a later one.
const OPTIONS: &[(&str, u8, Form)] = &[
    (
        "-D",
        COMPILE,
        Form::Joined(|p, v| {
            let text = shown(&v);
            if !text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')) {
                return Err(format!("macro name must be an identifier: '-D{text}'"));
            }
            p.compile.defines.push(Define::Define(v));
            Ok(())
        }),
    ),
    (
        "-U",
        COMPILE,
        Form::Joined(|p, v| {
            p.compile.defines.push(Define::Undefine(v));
            Ok(())
        }),
    ),
    (
        "-I",
        COMPILE,
        Form::Joined(|p, v| {
            p.compile.include_dirs.push(path(v));
            Ok(())
        }),
    ),
    (
        "-cl-std=",
        COMPILE,
        Form::Suffix(|p, v| {
            let std = match v.as_str() {
                "CL1.0" => ClStd::Cl10,
                "CL1.1" => ClStd::Cl11,
                "CL1.2" => ClStd::Cl12,
                "CL2.0" => ClStd::Cl20,
                "CL3.0" => ClStd::Cl30,
                "CL3.1" => ClStd::Cl31,
                _ => {
                    return Err(format!(
                        "invalid value '{v}' in '-cl-std={v}'; known: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1"
                    ));
                }
            };
            p.compile.std = Some(std);
            Ok(())
        }),
    ),
    ("-w", COMPILE, Form::Alone(|p| p.compile.no_warnings = true)),
    ("-g", COMPILE, Form::Alone(|p| p.compile.debug_info = true)),
    (
        "-cl-kernel-arg-info",
        COMPILE,
        Form::Alone(|p| p.compile.kernel_arg_info = true),
    ),
    (
        "-cl-single-precision-constant",
        COMPILE,
        Form::Alone(|p| p.math.single_precision_constant = true),
    ),
    (
        "-cl-denorms-are-zero",
        COMPILE | LINK,
        Form::Alone(|p| p.math.denorms_are_zero = true),
    ),
    (
        "-cl-fp32-correctly-rounded-divide-sqrt",
        COMPILE,
        Form::Alone(|p| p.math.correctly_rounded_divide_sqrt = true),
    ),
    (
        "-cl-opt-disable",
        COMPILE,
        Form::Alone(|p| p.math.opt_disable = true),
    ),
    (
        "-cl-mad-enable",
        COMPILE | LINK,
        Form::Alone(|p| p.math.mad_enable = true),
    ),
    (
        "-cl-no-signed-zeros",
        COMPILE | LINK,
        Form::Alone(|p| p.math.no_signed_zeros = true),
    ),
    (
        "-cl-unsafe-math-optimizations",
        COMPILE | LINK,
        Form::Alone(unsafe_math),
    ),
    (
        "-cl-finite-math-only",
        COMPILE | LINK,
        Form::Alone(|p| p.math.finite_math_only = true),
    ),
    (
        "-cl-fast-relaxed-math",
        COMPILE | LINK,
        Form::Alone(|p| {
            unsafe_math(p);
            p.math.finite_math_only = true;
            p.math.fast_relaxed = true;
        }),
    ),
    // Goes beyond -cl-fast-relaxed-math; from "OpenCL C 1.2 Language on Vulkan".
    (
        "-cl-native-math",
        COMPILE | LINK,
        Form::Alone(|p| p.math.native = true),
    ),
    (
        "-cl-uniform-work-group-size",
        COMPILE,
        Form::Alone(|p| p.math.uniform_work_group_size = true),
    ),
    (
        "-cl-arm-non-uniform-work-group-size",
        COMPILE,
        Form::Alone(|p| p.compile.non_uniform_groups = true),
    ),
    (
        "-cl-no-subgroup-ifp",
        COMPILE | LINK,
        Form::Alone(|p| p.math.no_subgroup_ifp = true),
    ),
    // Deprecated since 1.1, without effect.
    ("-cl-strict-aliasing", COMPILE, Form::Alone(ignore)),
    // From cl_khr_spir; programs that load SPIR-V still pass them.
    (
        "-x",
        COMPILE,
        Form::Next(|_, v| match v.as_str() {
            "spir" | "cl" | "CL" => Ok(()),
            _ => Err(format!("language not recognized: '{v}'")),
        }),
    ),
    ("-spir-std=", COMPILE, Form::Suffix(ignore_value)),
    (
        "-create-library",
        LINK,
        Form::Alone(|p| p.link.create_library = true),
    ),
    (
        "-enable-link-options",
        LINK,
        Form::Alone(|p| p.link.enable_link_options = true),
    ),
    // Unknown warnings have no effect.
    (
        "-W",
        COMPILE,
        Form::Suffix(|p, v| {
            p.compile.warning_flags.push(v);
            Ok(())
        }),
    ),
    (
        "-pumice-check=",
        COMPILE | LINK,
        Form::Suffix(|p, v| {
            let checks = Checks::parse(&v)
                .map_err(|word| format!("invalid value '{word}' in '-pumice-check={v}'"))?;
            p.compile.checks = p.compile.checks.or(checks);
            p.link.checks = p.compile.checks;
            Ok(())
        }),
    ),
    // Optimisation levels of other compilers: accepted, without effect.
    ("-O", COMPILE, Form::Suffix(ignore_value)),
];

/// The names of the options of clBuildProgram; those that end in `=` take a value.
pub fn build_option_names() -> impl Iterator<Item = &'static str> {
    let of_build = OPTIONS
        .iter()
        .filter(|(_, places, _)| places & COMPILE != 0);
    of_build.map(|(name, ..)| *name)
}

/// Unsafe arithmetic and what it includes (OpenCL 3.0 API §5.8.6.3).
fn unsafe_math(p: &mut Parsed<'_>) {
    p.math.unsafe_math = true;
    p.math.denorms_are_zero = true;
    p.math.no_signed_zeros = true;
    p.math.mad_enable = true;
}

/// Bytes as text for people, with a sign in place of what is not UTF-8.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The path that bytes name.
#[cfg(unix)]
fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

/// The path that bytes name: where paths are no bytes, they are UTF-8.
#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> PathBuf {
    shown(&bytes).into()
}

fn parse(
    text: &[u8],
    place: u8,
    compile: &mut CompileOptions,
    link: &mut LinkOptions,
) -> Result<(), OptionError> {
    let mut parsed = Parsed {
        compile,
        link,
        math: MathOptions::default(),
    };
    let unclosed = || OptionError {
        option: shown(text),
        message: "missing closing quote in the build options".to_string(),
    };
    let mut words = split(text).ok_or_else(unclosed)?.into_iter();
    while let Some(bytes) = words.next() {
        let word = shown(&bytes);
        let row = OPTIONS.iter().find(|(name, _, form)| match form {
            Form::Alone(_) | Form::Next(_) => word == *name,
            Form::Joined(_) | Form::Suffix(_) => word.starts_with(name),
        });
        let refuse = |message: String| OptionError {
            option: word.clone(),
            message,
        };
        let Some((name, places, form)) = row else {
            return Err(refuse(unknown_option(
                &word,
                build_option_names().map(String::from),
            )));
        };
        if places & place == 0 {
            let stage = if place == LINK {
                "linking"
            } else {
                "compiling"
            };
            return Err(refuse(format!(
                "argument '{word}' is not allowed when {stage}"
            )));
        }
        let rest = bytes[name.len()..].to_vec();
        let missing = || {
            refuse(format!(
                "argument to '{word}' is missing (expected 1 value)"
            ))
        };
        let result = match form {
            Form::Alone(apply) => {
                apply(&mut parsed);
                Ok(())
            }
            Form::Suffix(apply) => apply(&mut parsed, shown(&rest)),
            Form::Joined(apply) if !rest.is_empty() => apply(&mut parsed, rest),
            Form::Joined(apply) => apply(&mut parsed, words.next().ok_or_else(missing)?),
            Form::Next(apply) => apply(&mut parsed, shown(&words.next().ok_or_else(missing)?)),
        };
        result.map_err(refuse)?;
    }
    if place == LINK {
        parsed.link.math = parsed.math;
    } else {
        parsed.compile.math = parsed.math;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ClStd, CompileOptions, Define, LinkOptions, parse_build, shown};
    use std::path::PathBuf;

    fn defines(text: &str) -> Vec<String> {
        let options = CompileOptions::parse(text).expect(text);
        let text = |d: &Define| match d {
            Define::Define(d) => shown(d),
            Define::Undefine(d) => format!("-{}", shown(d)),
        };
        options.defines.iter().map(text).collect()
    }

    #[test]
    fn defines_and_quotes() {
        assert_eq!(
            defines(r#"-DA -D B=2 -D "F(x)=((x) + 1)" -DS=\"s\" -U C -DT='a b'"#),
            ["A", "B=2", "F(x)=((x) + 1)", "S=\"s\"", "-C", "T=a b"]
        );
        let options = CompileOptions::parse("-I/a\\ b -I \"c d\"").expect("valid");
        assert_eq!(options.include_dirs, ["/a b", "c d"].map(PathBuf::from));
    }

    /// Values are bytes; what is not UTF-8 reaches macros and paths as it is.
    #[test]
    fn values_that_are_not_utf8() {
        let options = CompileOptions::parse(b"-DA=\"caf\xe9\" -I/\xff/b").expect("valid");
        assert_eq!(options.defines, [Define::Define(b"A=caf\xe9".to_vec())]);
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::ffi::OsStrExt::as_bytes(options.include_dirs[0].as_os_str()),
            b"/\xff/b"
        );
        let error = CompileOptions::parse(b"-cl-caf\xe9").expect_err("unknown");
        assert_eq!(error.to_string(), "unknown argument: '-cl-caf\u{fffd}'");
        assert!(CompileOptions::parse(b"-D\xe9").is_err());
    }

    /// Unsafe arithmetic includes other switches (OpenCL 3.0 API §5.8.6.3).
    #[test]
    fn unsafe_arithmetic_includes_others() {
        for text in ["-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"] {
            let (compile, link) = parse_build(text).expect(text);
            for math in [compile.math, link.math] {
                assert!(math.unsafe_math && math.no_signed_zeros, "{text}");
                assert!(math.mad_enable && math.denorms_are_zero, "{text}");
                assert_eq!(math.finite_math_only, text.contains("relaxed"));
            }
        }
    }

    #[test]
    fn switches() {
        let (compile, link) = parse_build(
            " -cl-std=CL2.0\t-cl-fast-relaxed-math -Werror -O3 -g -x spir -spir-std=1.2 ",
        )
        .expect("valid");
        assert_eq!(compile.std, Some(ClStd::Cl20));
        assert!(compile.math.fast_relaxed && compile.math.mad_enable && link.math.unsafe_math);
        assert!(compile.warning_flags == ["error"] && compile.debug_info);
        assert!(LinkOptions::parse("-create-library -enable-link-options").is_ok());
    }

    #[test]
    fn refusals_name_the_option() {
        for (text, message) in [
            ("-cl-foo", "unknown argument: '-cl-foo'"),
            (
                "-DA=unsigned int",
                "unknown argument: 'int'; options begin with '-', and values with blanks need quotes",
            ),
            (
                "-cl-fast-relaxed-maths",
                "unknown argument: '-cl-fast-relaxed-maths'; did you mean '-cl-fast-relaxed-math'?",
            ),
            (
                "-cl_mad_enable",
                "unknown argument: '-cl_mad_enable'; did you mean '-cl-mad-enable'?",
            ),
            (
                "--cl-mad-enable",
                "unknown argument: '--cl-mad-enable'; did you mean '-cl-mad-enable'?",
            ),
            (
                "-fast-relaxed-math",
                "unknown argument: '-fast-relaxed-math'; did you mean '-cl-fast-relaxed-math'?",
            ),
            (
                "-ffast-math",
                "unknown argument: '-ffast-math'; did you mean '-cl-fast-relaxed-math'?",
            ),
            (
                "-std=CL2.0",
                "unknown argument: '-std=CL2.0'; did you mean '-cl-std=CL2.0'?",
            ),
            ("-cl-nv-verbose", "unknown argument: '-cl-nv-verbose'"),
            ("-w -D", "argument to '-D' is missing (expected 1 value)"),
            ("-D 1X", "macro name must be an identifier: '-D1X'"),
            (
                "-cl-std=CL9",
                "invalid value 'CL9' in '-cl-std=CL9'; known: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1",
            ),
            (
                "-create-library",
                "argument '-create-library' is not allowed when compiling",
            ),
            ("-D \"X", "missing closing quote in the build options"),
        ] {
            let error = CompileOptions::parse(text).expect_err(text);
            assert_eq!(error.to_string(), message);
        }
        for text in ["-DX", "-enable-link-options", "-cl-kernel-arg-info"] {
            assert!(LinkOptions::parse(text).is_err(), "{text}");
        }
    }
}
