//! The options of the command line: the one table that the help and the completions come from.

use pumice_compiler::options::build_option_names;
use pumice_compiler::target::flags;

use super::arguments::{ADDRESS_BITS, DEVICES, EMITS, FORMS};
use super::remarks::REMARKS;

/// Values that an option takes, for the completions.
enum Value {
    None,
    /// Any text.
    Text,
    /// A path.
    File,
    /// Any text behind `=`, called so in the help.
    Joined(&'static str),
    /// One of these, behind `=`.
    OneOf(&'static [(&'static str, &'static str)]),
}

/// An option of pumicec itself; those of clBuildProgram stand in the compiler's own list.
struct Row {
    name: &'static str,
    value: Value,
    help: &'static str,
}

/// The shells that `--completions` knows.
const SHELLS: &[(&str, &str)] = &[("bash", ""), ("zsh", ""), ("fish", "")];

const fn row(name: &'static str, value: Value, help: &'static str) -> Row {
    Row { name, value, help }
}

/// THE list of pumicec's own options.
const OPTIONS: &[Row] = &[
    row(
        "-o",
        Value::File,
        "write the output to FILE; '-' is standard output",
    ),
    row("--emit", Value::OneOf(EMITS), "what to write:"),
    row("-c", Value::None, "do not link"),
    row("-E", Value::None, "preprocess only: --emit=pp"),
    row("-fsyntax-only", Value::None, "write nothing: --emit=none"),
    row(
        "-create-library",
        Value::None,
        "link into a library: symbols may stay open",
    ),
    row(
        "-enable-link-options",
        Value::None,
        "the library takes options of whoever links it",
    ),
    row(
        "-include",
        Value::File,
        "read FILE before each source, as #include \"FILE\" would",
    ),
    row(
        "-M",
        Value::None,
        "write a Make rule of the files that each source reads, and no more",
    ),
    row("-MM", Value::None, "the same"),
    row(
        "-MD",
        Value::None,
        "compile, and write the rule to the output's name with .d",
    ),
    row("-MMD", Value::None, "the same"),
    row("-MF", Value::File, "write the rule to FILE"),
    row("-MT", Value::Text, "the rule's target"),
    row(
        "-MP",
        Value::None,
        "add an empty rule for each included file",
    ),
    row(
        "--device",
        Value::OneOf(DEVICES),
        "the device to compile for:",
    ),
    row(
        "--device-report",
        Value::File,
        "the first device in FILE, which pumice-info --json wrote",
    ),
    row(
        "--cl-device-info",
        Value::File,
        "the device as OpenCL-CTS describes it in FILE",
    ),
    row(
        "-cl-ext",
        Value::Joined("LIST"),
        "change the device's extensions: +NAME, -NAME, +all, -all",
    ),
    row(
        "-ferror-limit",
        Value::Joined("N"),
        "stop after N errors, 0: never (20)",
    ),
    row(
        "--time-limit",
        Value::Joined("SECONDS"),
        "fail where compiling takes longer than so many seconds",
    ),
    row(
        "--half-by-pragma",
        Value::None,
        "cl_khr_fp16 is off until its pragma enables it",
    ),
    row(
        "--address-bits",
        Value::OneOf(ADDRESS_BITS),
        "the width of pointers and size_t:",
    ),
    row(
        "-fcolor-diagnostics",
        Value::None,
        "messages in colours, as on a terminal",
    ),
    row(
        "-fno-color-diagnostics",
        Value::None,
        "messages without colours",
    ),
    row(
        "-Rpass",
        Value::OneOf(REMARKS),
        "remark on what lowering does; -g adds positions:",
    ),
    row(
        "--abi",
        Value::OneOf(FORMS),
        "the form in which kernels get buffers:",
    ),
    row("--source", Value::File, "an input, as OpenCL-CTS gives it"),
    row("--output", Value::File, "the same as -o"),
    row("--mode", Value::OneOf(&[("spir-v", "")]), "for OpenCL-CTS"),
    row(
        "--completions",
        Value::OneOf(SHELLS),
        "write the completions of a shell",
    ),
    row("--version", Value::None, "write the version"),
    row("--help", Value::None, "write this"),
];

const INTRODUCTION: &str = "\
usage: pumicec [OPTIONS] INPUT...

Compiles OpenCL C to SPIR-V. An INPUT is a source, a Kernel SPIR-V module (known by its magic
number) or '-', standard input. Several inputs are compiled and linked; one source is not linked
unless the output is for Vulkan or a library. Output goes to standard output unless -o is given.

";

const ENDING: &str = "
Exit status: 0 success; 1 the program has errors; 2 the command line is wrong or a file cannot be
read or written; 3 the compiler has failed.
";

/// Returns the text of `--help`.
pub fn usage() -> String {
    let mut text = INTRODUCTION.to_string();
    for option in OPTIONS {
        let form = match option.value {
            Value::None => option.name.to_string(),
            Value::Text => format!("{} NAME", option.name),
            Value::File => format!("{} FILE", option.name),
            Value::Joined(what) => format!("{}={what}", option.name),
            Value::OneOf(_) => format!("{}=WHICH", option.name),
        };
        text += &format!("  {form:26} {}\n", option.help);
        if let Value::OneOf(values) = option.value {
            for (value, meaning) in values {
                text += &format!("  {:26}   {value:14} {meaning}\n", "").replace(" \n", "\n");
            }
        }
    }
    text += "\nOptions of clBuildProgram:\n ";
    let mut column = 1;
    for name in build_option_names() {
        if column + name.len() >= 98 {
            text += "\n ";
            column = 1;
        }
        text += &format!(" {name}");
        column += name.len() + 1;
    }
    text += "\n\nOptions of --abi=descriptors, which each implies:\n";
    text + &flags::help() + ENDING
}

/// Returns the text of `--version`.
pub fn version() -> String {
    let device = pumice_compiler::full_target();
    let (c, il, vulkan) = (
        device.opencl_c_version,
        device.il_version,
        device.spirv_version,
    );
    format!(
        "pumicec {}\nOpenCL C up to {}.{}, Kernel SPIR-V up to {}.{}, Vulkan SPIR-V {}.{}\n",
        env!("CARGO_PKG_VERSION"),
        c.0,
        c.1,
        il.0,
        il.1,
        vulkan.0,
        vulkan.1
    )
}

/// Every word that can begin an argument, with values where they are known.
fn words() -> Vec<String> {
    let mut words = Vec::new();
    for option in OPTIONS {
        match option.value {
            Value::OneOf(values) => {
                words.extend(values.iter().map(|(v, _)| format!("{}={v}", option.name)));
            }
            Value::Joined(_) => words.push(format!("{}=", option.name)),
            _ => words.push(option.name.to_string()),
        }
    }
    words.extend(build_option_names().map(String::from));
    words
}

/// The names of all options; those that end in `=` take a value behind it.
pub fn option_names() -> impl Iterator<Item = String> {
    let own = OPTIONS.iter().map(|option| match option.value {
        Value::OneOf(_) | Value::Joined(_) => format!("{}=", option.name),
        _ => option.name.to_string(),
    });
    own.chain(build_option_names().map(String::from))
}

/// Returns a shell's completions.
pub fn completions(shell: &str) -> Result<String, String> {
    match shell {
        "bash" => Ok(bash()),
        "zsh" => Ok(zsh()),
        "fish" => Ok(fish()),
        _ => Err(unknown("shell", shell, SHELLS)),
    }
}

/// The message for a value that is none of those known.
pub fn unknown(what: &str, value: &str, known: &[(&str, &str)]) -> String {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    format!("unknown {what} '{value}'; known: {}", names.join(", "))
}

/// Bash cuts words at `=`, so that it asks for a value apart from its option.
fn bash() -> String {
    format!(
        "\
_pumicec() {{
    local words='{}'
    local current=${{COMP_WORDS[COMP_CWORD]}} option=
    if [ \"$current\" = = ]; then
        option=${{COMP_WORDS[COMP_CWORD - 1]}}= current=
    elif [ \"$COMP_CWORD\" -gt 2 ] && [ \"${{COMP_WORDS[COMP_CWORD - 1]}}\" = = ]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}=
    fi
    COMPREPLY=()
    case $option$current in
    -*)
        local word
        for word in $(compgen -W \"$words\" -- \"$option$current\"); do
            COMPREPLY+=(\"${{word#\"$option\"}}\")
        done
        ;;
    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;
    esac
}}
complete -o filenames -F _pumicec pumicec
",
        words().join(" ")
    )
}

fn zsh() -> String {
    let mut text = "#compdef pumicec\n_arguments \\\n".to_string();
    for option in OPTIONS {
        let (name, help) = (option.name, option.help.replace(['\'', '"', ':'], ""));
        text += &match option.value {
            Value::None => format!("  '{name}[{help}]' \\\n"),
            Value::Text => format!("  '{name}[{help}]:name:' \\\n"),
            Value::Joined(what) => format!("  '{name}=-[{help}]:{what}:' \\\n"),
            Value::File => format!("  '{name}[{help}]:file:_files' \\\n"),
            Value::OneOf(values) => {
                let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
                format!("  '{name}=[{help}]:which:({})' \\\n", names.join(" "))
            }
        };
    }
    for name in build_option_names() {
        text += &match name {
            "-I" => "  '*-I+[add a folder for #include]:folder:_files -/' \\\n".to_string(),
            name if name.ends_with('=') || name.len() == 2 => {
                format!("  '*{name}-[as clBuildProgram]:value:' \\\n")
            }
            name => format!("  '{name}[as clBuildProgram]' \\\n"),
        };
    }
    text + "  '*:input:_files'\n"
}

fn fish() -> String {
    let mut text = String::new();
    for option in OPTIONS {
        let (flag, name) = match option.name.strip_prefix("--") {
            Some(long) => ("-l", long),
            None if option.name.len() == 2 => ("-s", &option.name[1..]),
            None => ("-o", &option.name[1..]),
        };
        let value = match option.value {
            Value::None => String::new(),
            Value::Text | Value::Joined(_) => " -x".to_string(),
            Value::File => " -r -F".to_string(),
            Value::OneOf(values) => {
                let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
                format!(" -x -a '{}'", names.join(" "))
            }
        };
        let help = option.help.replace('\'', "");
        text += &format!("complete -c pumicec {flag} {name}{value} -d '{help}'\n");
    }
    for name in build_option_names().filter(|name| name.len() > 2) {
        let name = &name[1..];
        text += &format!("complete -c pumicec -o '{name}' -d 'as clBuildProgram'\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, completions, usage, words};
    use std::path::Path;

    /// The manual page names every option of pumicec's own.
    #[test]
    fn the_manual_page_has_every_option() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/man/pumicec.1");
        let page = std::fs::read_to_string(path).expect("the manual page");
        for option in OPTIONS {
            let name = option.name.replace('-', "\\-");
            assert!(page.contains(&format!("\\fB{name}\\fR")), "{name}");
        }
    }

    #[test]
    fn help_and_completions_have_every_option() {
        let help = usage();
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
        for word in words() {
            let name = word.split('=').next().unwrap_or_default();
            assert!(help.contains(name), "{word}");
            for shell in ["bash", "zsh"] {
                let text = completions(shell).expect("known");
                assert!(text.contains(name), "{shell}: {word}");
            }
        }
        let fish = completions("fish").expect("known");
        assert!(fish.contains("-l emit -x -a 'pp ast typed kernel"));
        assert!(completions("ksh").unwrap_err().contains("bash, zsh, fish"));
    }
}
