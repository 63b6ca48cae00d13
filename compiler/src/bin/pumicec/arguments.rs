//! The command line, in both of its forms.

use pumice_compiler::abi::Abi;
use pumice_compiler::options::{ClStd, Define};
use pumice_compiler::target::flags::{self, DescriptorFlags};
use pumice_compiler::{CompileOptions, options};

/// The first part of it.
const USAGE: &str = "\
usage: pumicec [OPTIONS] FILE.cl      ('-' reads standard input)

  -D NAME[=VALUE]  -U NAME  -I FOLDER  -cl-std=CL1.2|CL2.0|CL3.0  -cl-...  -w  -Werror  -g
                   the options of clBuildProgram
  --emit=WHAT      pp          the preprocessed source
                   ast         the syntax tree
                   typed       the checked, typed tree
                   kernel      Kernel SPIR-V (the default)
                   ir          the intermediate representation as imported
                   lowered     the same after all passes
                   vulkan      Vulkan SPIR-V
                   reflection  what the Vulkan module says about its kernels
                   descriptor-map  the same in the old comma-separated format
  --device=WHICH   reference   what a Vulkan driver on the CPU offers (the default)
                   coarse      the same, with samplers coarser than OpenCL wants them
                   full        every optional feature and extension of OpenCL C
  --abi=FORM       addresses   pointers are device addresses (the default)
                   descriptors pointers are buffers with descriptors; implied by the options below
  -o FILE          where the output goes

As the offline compiler of the OpenCL-CTS:
       pumicec --source FILE --output FILE --cl-device-info FILE --mode spir-v -- [OPTIONS]
";

/// Output to produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// Tokens as text.
    Preprocessed,
    /// The syntax tree.
    Ast,
    /// The checked tree.
    Typed,
    /// Kernel SPIR-V.
    Kernel,
    /// IR after import.
    Ir,
    /// IR after the passes.
    Lowered,
    /// Vulkan SPIR-V.
    Vulkan,
    /// The Vulkan module's reflection.
    Reflection,
    /// The same as a descriptor map.
    DescriptorMap,
}

const EMITS: &[(&str, Emit)] = &[
    ("pp", Emit::Preprocessed),
    ("ast", Emit::Ast),
    ("typed", Emit::Typed),
    ("kernel", Emit::Kernel),
    ("ir", Emit::Ir),
    ("lowered", Emit::Lowered),
    ("vulkan", Emit::Vulkan),
    ("reflection", Emit::Reflection),
    ("descriptor-map", Emit::DescriptorMap),
];

/// Targets that `--device` names; none needs a device at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicePreset {
    /// Features of a Vulkan driver on the CPU.
    Reference,
    /// The same, with samplers coarser than OpenCL wants them.
    Coarse,
    /// Every optional feature and extension.
    Full,
}

/// A command line.
#[derive(Debug)]
pub struct Arguments {
    /// Output to produce.
    pub emit: Emit,
    /// Output file; standard output if `None`.
    pub output: Option<String>,
    /// The source file, or `-`.
    pub input: String,
    /// A device info file, which changes the target.
    pub device_info: Option<String>,
    /// Device to compile for.
    pub device: DevicePreset,
    /// The build options.
    pub options: CompileOptions,
    /// Argument passing convention of kernels.
    pub abi: Abi,
    /// Features hidden from the target, and the choice of built-in functions.
    pub flags: DescriptorFlags,
}

/// Returns the text of `--help`.
pub fn usage() -> String {
    format!("{USAGE}\nOptions of --abi=descriptors:\n{}", flags::help())
}

impl Arguments {
    /// Reads a command line. The empty error asks for the usage.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut emit = Emit::Kernel;
        let mut device = DevicePreset::Reference;
        let (mut output, mut input, mut device_info) = (None, None, None);
        let mut words = Vec::new();
        let mut descriptors = false;
        let mut flags = DescriptorFlags::default();
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            if flags.take(&arg)? {
                continue;
            }
            let (key, mut value) = match arg.split_once('=') {
                Some((key, value)) if key.starts_with("--") => (key, Some(value.to_string())),
                _ => (arg.as_str(), None),
            };
            let mut value = || {
                value
                    .take()
                    .or_else(|| args.next())
                    .ok_or_else(|| format!("option '{key}' lacks its value"))
            };
            match key {
                "--emit" => emit = emit_named(&value()?)?,
                "--abi" => descriptors = is_descriptors(&value()?)?,
                "--cl-native-math" => words.push("-cl-native-math".to_string()),
                "--mode" => check_mode(&value()?)?,
                "--output" | "-o" => output = Some(value()?),
                "--cl-device-info" => device_info = Some(value()?),
                "--source" => one_input(&mut input, value()?)?,
                "--device" => device = device_named(&value()?)?,
                "--help" | "-h" => return Err(String::new()),
                "--" => words.extend(args.by_ref()),
                "-D" | "-U" | "-I" | "-x" => {
                    words.push(arg);
                    words.extend(args.next());
                }
                _ if arg.starts_with('-') && arg != "-" => words.push(arg),
                _ => one_input(&mut input, arg)?,
            }
        }
        // The option parser takes one string; each word is quoted into it.
        let quoted: Vec<String> = words
            .iter()
            .map(|w| format!("\"{}\"", w.replace('\\', "\\\\").replace('"', "\\\"")))
            .collect();
        let (mut options, _) =
            options::parse_build(&quoted.join(" ")).map_err(|e| e.to_string())?;
        let abi = if descriptors || flags.any() {
            let regions = options.std.is_some_and(|std| std >= ClStd::Cl20);
            let resolved = flags.resolve(regions && !options.math.uniform_work_group_size)?;
            // The mapping is that of Vulkan 1.0.
            options.defines.push(Define::Define("VULKAN=100".into()));
            Abi::Descriptors(resolved)
        } else {
            Abi::Addresses
        };
        Ok(Arguments {
            emit,
            output,
            input: input.ok_or("no input file")?,
            device_info,
            device,
            options,
            abi,
            flags,
        })
    }
}

fn one_input(input: &mut Option<String>, name: String) -> Result<(), String> {
    match input.replace(name) {
        None => Ok(()),
        Some(_) => Err("more than one input file".to_string()),
    }
}

fn is_descriptors(form: &str) -> Result<bool, String> {
    match form {
        "addresses" => Ok(false),
        "descriptors" => Ok(true),
        _ => Err(format!("'{form}' is no form of interface")),
    }
}

fn emit_named(what: &str) -> Result<Emit, String> {
    EMITS
        .iter()
        .find(|(name, _)| *name == what)
        .map(|(_, emit)| *emit)
        .ok_or_else(|| format!("unknown output '{what}'"))
}

/// Parses the name of a device.
fn device_named(which: &str) -> Result<DevicePreset, String> {
    match which {
        "reference" => Ok(DevicePreset::Reference),
        "coarse" => Ok(DevicePreset::Coarse),
        "full" => Ok(DevicePreset::Full),
        _ => Err(format!("unknown device '{which}'")),
    }
}

/// Device binaries belong to a driver, which pumicec is not.
fn check_mode(mode: &str) -> Result<(), String> {
    match mode {
        "spir-v" => Ok(()),
        _ => Err(format!("mode '{mode}' is not supported, only 'spir-v' is")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Emit};
    use pumice_compiler::options::{ClStd, Define};

    fn parse(words: &[&str]) -> Result<Arguments, String> {
        Arguments::parse(words.iter().map(|w| (*w).to_string()))
    }

    #[test]
    fn the_conformance_tests_call_it_so() {
        let args = parse(&[
            "--mode=spir-v",
            "--source=a.cl",
            "--output=a.spv64",
            "--cl-device-info=info.txt",
            "--",
            "-cl-std=CL3.0",
            "-D",
            "X=1",
        ])
        .expect("valid");
        assert_eq!((args.emit, args.input.as_str()), (Emit::Kernel, "a.cl"));
        assert_eq!(args.output.as_deref(), Some("a.spv64"));
        assert_eq!(args.device_info.as_deref(), Some("info.txt"));
        assert_eq!(args.options.std, Some(ClStd::Cl30));
        assert_eq!(args.options.defines, [Define::Define("X=1".to_string())]);
        let apart = parse(&["--source", "a.cl", "--mode", "spir-v", "--output", "b"]);
        assert_eq!(apart.expect("valid").output.as_deref(), Some("b"));
    }

    #[test]
    fn what_it_cannot_do_is_said() {
        for words in [
            &["--mode", "binary", "a.cl"][..],
            &["--device=other", "a.cl"],
            &["--source"],
            &["a.cl", "b.cl"],
            &[],
        ] {
            let why = parse(words).expect_err("refused");
            assert!(!why.is_empty(), "{words:?}");
        }
    }
}
