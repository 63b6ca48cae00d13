//! The command line, in both of its forms.

use std::collections::BTreeSet;
use std::time::Duration;

use pumice_compiler::abi::Abi;
use pumice_compiler::extensions::{self, ExtensionChange};
use pumice_compiler::options::{ClStd, Define, OptionError};
use pumice_compiler::target::flags::DescriptorFlags;
use pumice_compiler::target::similar::unknown_option;
use pumice_compiler::target::{DESCRIBED, Described};
use pumice_compiler::{CompileOptions, LinkOptions, options};

use super::command_line::{completions, option_names, unknown, usage, version};
use super::remarks::subjects;

/// Output to produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// Messages alone.
    Nothing,
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

/// Values of `--emit` with their meanings.
pub const EMITS: &[(&str, &str)] = &[
    ("pp", "the preprocessed source"),
    ("ast", "the syntax tree"),
    ("typed", "the checked, typed tree"),
    ("kernel", "Kernel SPIR-V (the default)"),
    ("ir", "the intermediate representation as imported"),
    ("lowered", "the same after all passes"),
    ("vulkan", "Vulkan SPIR-V"),
    (
        "reflection",
        "what the Vulkan module says about its kernels",
    ),
    (
        "descriptor-map",
        "the same in the old comma-separated format",
    ),
    ("none", "nothing: errors and warnings alone"),
];

/// Values of `--device` that are no real devices, with their meanings.
const PRESETS: &[(&str, &str)] = &[
    (
        "reference",
        "what a Vulkan driver on the CPU offers (the default)",
    ),
    ("coarse", "the same, with samplers coarser than OpenCL's"),
    (
        "matrices",
        "every extension, and its own products of matrices",
    ),
    ("full", "every optional feature and extension of OpenCL C"),
];

/// Values of `--device` with their meanings; none needs a device at hand.
pub const DEVICES: &[(&str, &str)] = &{
    let mut all = [("", ""); PRESETS.len() + DESCRIBED.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at < PRESETS.len() {
            true => PRESETS[at],
            false => {
                let device = &DESCRIBED[at - PRESETS.len()];
                (device.name, device.meaning)
            }
        };
        at += 1;
    }
    all
};

/// Values of `--abi` with their meanings.
pub const FORMS: &[(&str, &str)] = &[
    ("addresses", "pointers are device addresses (the default)"),
    ("descriptors", "pointers are buffers with descriptors"),
];

/// Values of `--address-bits` with their meanings.
pub const ADDRESS_BITS: &[(&str, &str)] = &[
    ("64", "as Vulkan devices have them (the default)"),
    ("32", "Kernel SPIR-V for other consumers"),
];

/// Targets that `--device` names.
#[derive(Clone, Copy, Debug)]
pub enum NamedDevice {
    /// Features of a Vulkan driver on the CPU.
    Reference,
    /// The same, with samplers coarser than OpenCL wants them.
    Coarse,
    /// Every optional feature and extension, and products of matrices of its own.
    Matrices,
    /// Every optional feature and extension.
    Full,
    /// A real device.
    Described(&'static Described),
}

/// The Make rule to write.
#[derive(Debug, Default)]
pub struct DependencyOptions {
    /// `-M`: the rule instead of the output.
    pub alone: bool,
    /// `-MD`: the rule beside the output.
    pub beside: bool,
    /// `-MF`.
    pub file: Option<String>,
    /// `-MT`, in order.
    pub targets: Vec<String>,
    /// `-MP`.
    pub phony: bool,
}

/// A command line.
#[derive(Debug)]
pub struct Arguments {
    /// Output to produce.
    pub emit: Emit,
    /// Output file; standard output if `None`.
    pub output: Option<String>,
    /// The input files, one at least; `-` is standard input.
    pub inputs: Vec<String>,
    /// True if the inputs are to be linked.
    pub link: bool,
    /// Options of the link.
    pub link_options: LinkOptions,
    /// The Make rule to write.
    pub dependencies: DependencyOptions,
    /// A device info file, which changes the target.
    pub device_info: Option<String>,
    /// The report that describes the device instead of `device`.
    pub device_report: Option<String>,
    /// Device to compile for.
    pub device: NamedDevice,
    /// Changes of the device's extensions and features, in order.
    pub extensions: Vec<ExtensionChange>,
    /// The build options.
    pub options: CompileOptions,
    /// Argument passing convention of kernels.
    pub abi: Option<Abi>,
    /// The subjects of remarks.
    pub remarks: BTreeSet<&'static str>,
    /// Time that compiling may take.
    pub time_limit: Option<Duration>,
    /// True for messages in colours; `None` leaves it to the terminal.
    pub colours: Option<bool>,
    /// Features hidden from the target, and the choice of built-in functions.
    pub flags: DescriptorFlags,
}

/// A command line, or a text that it asks for.
pub enum Request {
    /// Compile.
    Compile(Box<Arguments>),
    /// Write this text to standard output.
    Text(String),
}

/// The words of a command line, before they are held against each other.
struct Words {
    emit: Emit,
    output: Option<String>,
    inputs: Vec<String>,
    compile_only: bool,
    /// Words for the parser of build options.
    build: Vec<String>,
    /// Words for the parser of link options.
    link: Vec<String>,
    forced_includes: Vec<String>,
    dependencies: DependencyOptions,
    device_info: Option<String>,
    device_report: Option<String>,
    device: NamedDevice,
    extensions: Vec<ExtensionChange>,
    error_limit: Option<usize>,
    time_limit: Option<Duration>,
    narrow_addresses: bool,
    half_by_pragma: bool,
    descriptors: Option<bool>,
    remarks: BTreeSet<&'static str>,
    colours: Option<bool>,
    flags: DescriptorFlags,
}

impl Request {
    /// Reads a command line.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut words = Words {
            emit: Emit::Kernel,
            output: None,
            inputs: Vec::new(),
            compile_only: false,
            build: Vec::new(),
            link: Vec::new(),
            forced_includes: Vec::new(),
            dependencies: DependencyOptions::default(),
            device_info: None,
            device_report: None,
            device: NamedDevice::Reference,
            extensions: Vec::new(),
            error_limit: None,
            time_limit: None,
            narrow_addresses: false,
            half_by_pragma: false,
            descriptors: None,
            remarks: BTreeSet::new(),
            colours: None,
            flags: DescriptorFlags::default(),
        };
        let mut args = args;
        while let Some(arg) = args.next() {
            if let Some(text) = words.take(arg, &mut args)? {
                return Ok(Request::Text(text));
            }
        }
        Ok(Request::Compile(Box::new(words.finish()?)))
    }
}

impl Words {
    /// Takes an argument, with those behind it that are its values. Gives the text that it asks for.
    fn take(
        &mut self,
        arg: String,
        args: &mut dyn Iterator<Item = String>,
    ) -> Result<Option<String>, String> {
        if self.flags.take(&arg)? {
            return Ok(None);
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
            "--emit" => self.emit = emit_named(&value()?)?,
            "--abi" => self.descriptors = Some(is_descriptors(&value()?)?),
            "--cl-native-math" => self.build.push("-cl-native-math".to_string()),
            "--mode" => check_mode(&value()?)?,
            "--output" | "-o" => self.output = Some(value()?),
            "--cl-device-info" => self.device_info = Some(value()?),
            "--device-report" => self.device_report = Some(value()?),
            "--source" => self.inputs.push(value()?),
            "--device" => self.device = device_named(&value()?)?,
            "--help" | "-h" => return Ok(Some(usage())),
            "--version" => return Ok(Some(version())),
            "--completions" => return completions(&value()?).map(Some),
            "-c" => self.compile_only = true,
            "-E" => self.emit = Emit::Preprocessed,
            _ if arg.starts_with("-cl-ext=") => self.extensions.extend(extensions::parse(&arg)?),
            _ if arg.starts_with("-ferror-limit=") => {
                let limit = arg["-ferror-limit=".len()..].parse();
                let why = |_| format!("'{arg}' does not end with a number");
                self.error_limit = Some(limit.map_err(why)?);
            }
            "--time-limit" => {
                let seconds = value()?;
                let why = |_| format!("'{seconds}' is no number of seconds");
                self.time_limit = Some(Duration::from_secs(
                    seconds.parse::<u32>().map_err(why)?.into(),
                ));
            }
            _ if arg.starts_with("-Rpass=") => {
                self.remarks.extend(subjects(&arg["-Rpass=".len()..])?);
            }
            "--half-by-pragma" => self.half_by_pragma = true,
            "--address-bits" => self.narrow_addresses = narrow(&value()?)?,
            "-fcolor-diagnostics" => self.colours = Some(true),
            "-fno-color-diagnostics" => self.colours = Some(false),
            "-fsyntax-only" => self.emit = Emit::Nothing,
            "-create-library" | "-enable-link-options" => self.link.push(arg),
            "-include" => self.forced_includes.push(value()?),
            "-M" | "-MM" => self.dependencies.alone = true,
            "-MD" | "-MMD" => self.dependencies.beside = true,
            "-MF" => self.dependencies.file = Some(value()?),
            "-MT" => self.dependencies.targets.push(value()?),
            "-MP" => self.dependencies.phony = true,
            "--" => self.build.extend(args),
            "-D" | "-U" | "-I" | "-x" => {
                self.build.push(arg);
                self.build.extend(args.next());
            }
            _ if arg.starts_with('-') && arg != "-" => self.build.push(arg),
            _ => self.inputs.push(arg),
        }
        Ok(None)
    }

    fn finish(self) -> Result<Arguments, String> {
        let (mut options, _) = options::parse_build(&quoted(&self.build)).map_err(refusal)?;
        let mut link_options =
            LinkOptions::parse(&self.link.join(" ")).map_err(|e| e.to_string())?;
        link_options.math = options.math;
        options.forced_includes = self.forced_includes;
        options.error_limit = self.error_limit;
        options.narrow_addresses = self.narrow_addresses;
        options.half_by_pragma = self.half_by_pragma;
        let abi = if self.descriptors == Some(true) || self.flags.any() {
            let regions = options.std.is_some_and(|std| std >= ClStd::Cl20);
            let resolved =
                (self.flags).resolve(regions && !options.math.uniform_work_group_size)?;
            // The mapping is that of Vulkan 1.0.
            options.defines.push(Define::Define(b"VULKAN=100".to_vec()));
            Some(Abi::Descriptors(resolved))
        } else {
            self.descriptors.map(|_| Abi::Addresses)
        };
        check_inputs(&self.inputs)?;
        let several = self.inputs.len() > 1;
        let (library, emit) = (link_options.create_library, self.emit);
        if several && self.compile_only {
            return Err("'-c' takes one input; several are linked".to_string());
        }
        if library && self.compile_only {
            return Err("'-create-library' links, '-c' does not".to_string());
        }
        if library && emit != Emit::Kernel {
            return Err(
                "a library is Kernel SPIR-V: '-create-library' goes with --emit=kernel".into(),
            );
        }
        let dependencies = self.dependencies;
        let of_one = matches!(emit, Emit::Preprocessed | Emit::Ast | Emit::Typed);
        if several && of_one && !dependencies.alone {
            return Err("this output is of one input; several are given".to_string());
        }
        if dependencies.file.is_some() && !(dependencies.alone || dependencies.beside) {
            return Err("'-MF' goes with '-M' or '-MD'".to_string());
        }
        Ok(Arguments {
            emit,
            output: self.output.filter(|name| name != "-"),
            link: several || library,
            inputs: self.inputs,
            link_options,
            dependencies,
            device_info: self.device_info,
            device_report: self.device_report,
            device: self.device,
            extensions: self.extensions,
            options,
            abi,
            remarks: self.remarks,
            time_limit: self.time_limit,
            colours: self.colours,
            flags: self.flags,
        })
    }
}

/// The message for a word that is no option names those of pumicec too.
fn refusal(error: OptionError) -> String {
    match error.message.starts_with("unknown argument") {
        true => unknown_option(&error.option, option_names()),
        false => error.message,
    }
}

/// There is one input at least, and standard input is read once.
fn check_inputs(inputs: &[String]) -> Result<(), String> {
    if inputs.is_empty() {
        return Err("no input files".to_string());
    }
    match inputs.iter().filter(|name| *name == "-").count() {
        0 | 1 => Ok(()),
        _ => Err("standard input can be one input only".to_string()),
    }
}

/// The words as one string for the option parser, each in quotes.
fn quoted(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn is_descriptors(form: &str) -> Result<bool, String> {
    match form {
        "addresses" => Ok(false),
        "descriptors" => Ok(true),
        _ => Err(unknown("form of --abi", form, FORMS)),
    }
}

fn emit_named(what: &str) -> Result<Emit, String> {
    Ok(match what {
        "none" => Emit::Nothing,
        "pp" => Emit::Preprocessed,
        "ast" => Emit::Ast,
        "typed" => Emit::Typed,
        "kernel" => Emit::Kernel,
        "ir" => Emit::Ir,
        "lowered" => Emit::Lowered,
        "vulkan" => Emit::Vulkan,
        "reflection" => Emit::Reflection,
        "descriptor-map" => Emit::DescriptorMap,
        _ => return Err(unknown("output of --emit", what, EMITS)),
    })
}

/// Parses the name of a device.
fn device_named(which: &str) -> Result<NamedDevice, String> {
    match which {
        "reference" => Ok(NamedDevice::Reference),
        "coarse" => Ok(NamedDevice::Coarse),
        "matrices" => Ok(NamedDevice::Matrices),
        "full" => Ok(NamedDevice::Full),
        _ => {
            let described = DESCRIBED.iter().find(|device| device.name == which);
            let described = described.ok_or_else(|| unknown("device", which, DEVICES))?;
            Ok(NamedDevice::Described(described))
        }
    }
}

/// Parses the width of addresses; true for 32 bits.
fn narrow(bits: &str) -> Result<bool, String> {
    match bits {
        "64" => Ok(false),
        "32" => Ok(true),
        _ => Err(unknown("width of addresses", bits, ADDRESS_BITS)),
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
    use super::{Arguments, DEVICES, EMITS, Emit, FORMS, Request};
    use pumice_compiler::options::{ClStd, Define};

    fn parse(words: &[&str]) -> Result<Box<Arguments>, String> {
        match Request::parse(words.iter().map(|w| (*w).to_string()))? {
            Request::Compile(arguments) => Ok(arguments),
            Request::Text(text) => Err(text),
        }
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
        assert_eq!(
            (args.emit, args.inputs.as_slice()),
            (Emit::Kernel, &["a.cl".to_string()][..])
        );
        assert_eq!(args.output.as_deref(), Some("a.spv64"));
        assert_eq!(args.device_info.as_deref(), Some("info.txt"));
        assert_eq!(args.options.std, Some(ClStd::Cl30));
        assert_eq!(args.options.defines, [Define::Define(b"X=1".to_vec())]);
        assert!(!args.link);
        let apart = parse(&["--source", "a.cl", "--mode", "spir-v", "--output", "b"]);
        assert_eq!(apart.expect("valid").output.as_deref(), Some("b"));
    }

    /// Every value that the help lists is taken, and the message for another one lists them.
    #[test]
    fn the_values_listed_are_those_taken() {
        for (option, values) in [("--emit", EMITS), ("--device", DEVICES), ("--abi", FORMS)] {
            for (value, _) in values {
                parse(&[&format!("{option}={value}"), "a.cl"]).expect(value);
            }
            let why = parse(&[option, "other", "a.cl"]).expect_err("refused");
            let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
            assert!(
                why.ends_with(&format!("known: {}", names.join(", "))),
                "{why}"
            );
        }
    }

    #[test]
    fn what_it_cannot_do_is_said() {
        for (words, expected) in [
            (
                &["--mode", "binary", "a.cl"][..],
                "mode 'binary' is not supported, only 'spir-v' is",
            ),
            (&["--source"], "option '--source' lacks its value"),
            (
                &["-c", "a.cl", "b.cl"],
                "'-c' takes one input; several are linked",
            ),
            (
                &["--emit=pp", "a.cl", "b.cl"],
                "this output is of one input; several are given",
            ),
            (&["-", "-"], "standard input can be one input only"),
            (&["-MF", "x.d", "a.cl"], "'-MF' goes with '-M' or '-MD'"),
            (
                &["-enable-link-options", "a.cl"],
                "'-enable-link-options' requires '-create-library'",
            ),
            (&["-cl-fast", "a.cl"], "unknown argument: '-cl-fast'"),
            (
                &["-fsyntax_only", "a.cl"],
                "unknown argument: '-fsyntax_only'; did you mean '-fsyntax-only'?",
            ),
            (
                &["--emitt=vulkan", "a.cl"],
                "unknown argument: '--emitt=vulkan'; did you mean '--emit=vulkan'?",
            ),
            (
                &["-verison"],
                "unknown argument: '-verison'; did you mean '--version'?",
            ),
            (
                &["-std=CL2.0", "a.cl"],
                "unknown argument: '-std=CL2.0'; did you mean '-cl-std=CL2.0'?",
            ),
            (
                &["-create-library", "--emit=vulkan", "a.cl"],
                "a library is Kernel SPIR-V: '-create-library' goes with --emit=kernel",
            ),
            (&[], "no input files"),
        ] {
            assert_eq!(parse(words).expect_err("refused"), expected, "{words:?}");
        }
    }
}
