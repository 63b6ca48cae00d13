//! Files: inputs, includes, outputs and the Make rule. Every message names its file.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pumice_compiler::{IncludeResolver, IncludedFile, KernelModule};

use super::arguments::{Arguments, DependencyOptions, Emit};

/// Contents of an input file.
pub enum Contents {
    /// OpenCL C.
    Source(Vec<u8>),
    /// SPIR-V, whose kind and contents nobody has checked.
    Module(Vec<u8>),
}

/// An input file.
pub struct Input {
    /// The name for messages.
    pub name: String,
    /// The bytes.
    pub contents: Contents,
}

/// The words of an I/O error without the number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_string(),
        None => text,
    }
}

/// Reads an input; `-` is standard input. The error is a message.
pub fn read_input(path: &str) -> Result<Input, String> {
    let mut bytes = Vec::new();
    let (name, read) = match path {
        "-" => (
            "<stdin>",
            std::io::stdin().read_to_end(&mut bytes).map(drop),
        ),
        _ => (path, std::fs::read(path).map(|read| bytes = read)),
    };
    read.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("no such file or directory: '{name}'"),
        _ => format!("cannot read '{name}': {}", reason(&error)),
    })?;
    let contents = match pumice_spirv::has_magic(&bytes) {
        true => Contents::Module(bytes),
        // A byte that is zero stands in no source.
        false if bytes.iter().take(4096).any(|byte| *byte == 0) => {
            let why = pumice_spirv::why_no_module(&bytes);
            return Err(format!("'{name}' is neither OpenCL C nor SPIR-V: {why}"));
        }
        false => Contents::Source(bytes),
    };
    let name = name.to_string();
    Ok(Input { name, contents })
}

/// Reads a text file. The error is a message.
pub fn read_text(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read '{path}': {}", reason(&error)))
}

/// Takes the bytes of a module with the capability Kernel. The error is a message.
pub fn kernel_module(bytes: &[u8]) -> Result<KernelModule, String> {
    let words = pumice_spirv::module_words(bytes);
    let words = words.ok_or("a SPIR-V module that is cut off")?;
    pumice_spirv::header(&words).map_err(|error| error.to_string())?;
    let capabilities = pumice_spirv::instructions(&words)
        .map_while(Result::ok)
        .take_while(|inst| inst.opcode == pumice_spirv::op::CAPABILITY);
    let kernel = pumice_spirv::Capability::Kernel as u32;
    if !capabilities
        .into_iter()
        .any(|inst| inst.operands == [kernel])
    {
        return Err("not Kernel SPIR-V: the module lacks the capability Kernel".to_string());
    }
    let is_library = false;
    Ok(KernelModule { words, is_library })
}

/// Finds includes beside the including file and in the `-I` folders, and remembers them.
pub struct Folders<'a> {
    folders: &'a [PathBuf],
    /// Paths of the files that were read, in order, each once.
    read: Mutex<Vec<String>>,
}

impl<'a> Folders<'a> {
    /// Searches these `-I` folders.
    pub fn new(folders: &'a [PathBuf]) -> Self {
        let read = Mutex::default();
        Folders { folders, read }
    }

    /// The paths of the files that were read.
    pub fn into_paths(self) -> Vec<String> {
        self.read
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl IncludeResolver for Folders<'_> {
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile> {
        let beside = Path::new(from).parent().filter(|_| !angled);
        let folders = beside
            .into_iter()
            .chain(self.folders.iter().map(PathBuf::as_path));
        for folder in folders {
            let path = folder.join(name);
            if let Ok(text) = std::fs::read(&path) {
                let path = path.to_string_lossy().into_owned();
                let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
                if !read.contains(&path) {
                    read.push(path.clone());
                }
                return Some(IncludedFile { path, text });
            }
        }
        None
    }
}

/// Refuses to write SPIR-V to a terminal.
pub fn check_output(args: &Arguments) -> Result<(), String> {
    let binary = matches!(args.emit, Emit::Kernel | Emit::Vulkan) && !args.dependencies.alone;
    if binary && args.output.is_none() && std::io::stdout().is_terminal() {
        return Err("SPIR-V is not written to a terminal; use '-o FILE' or a pipe".to_string());
    }
    Ok(())
}

/// Writes to a file, or to standard output. The error is a message.
pub fn write_output(path: Option<&str>, bytes: &[u8]) -> Result<(), String> {
    match path {
        Some(path) => std::fs::write(path, bytes)
            .map_err(|error| format!("unable to open output file '{path}': {}", reason(&error))),
        None => std::io::stdout()
            .write_all(bytes)
            .map_err(|error| format!("cannot write to standard output: {}", reason(&error))),
    }
}

/// A path of Make's language.
fn escaped(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        match c {
            ' ' | '#' | '\\' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            _ => text.push(c),
        }
    }
    text
}

/// Returns the rule by which the targets need the sources and includes.
pub fn make_rule(
    options: &DependencyOptions,
    target: &str,
    sources: &[String],
    includes: &[String],
) -> String {
    let mut text = match options.targets.as_slice() {
        [] => escaped(target),
        // As in gcc, -MT's text is taken as it stands.
        targets => targets.join(" "),
    };
    text.push(':');
    for path in sources.iter().chain(includes) {
        text += &format!(" \\\n  {}", escaped(path));
    }
    text.push('\n');
    if options.phony {
        for path in includes {
            text += &format!("\n{}:\n", escaped(path));
        }
    }
    text
}

/// The module that a source's rule is for, unless `-o` or `-MT` names it.
pub fn default_target(source: &str) -> String {
    let stem = Path::new(source).file_stem().unwrap_or_default();
    format!("{}.spv", stem.to_string_lossy())
}

/// The file for the rule of `-MD`.
pub fn rule_file(args: &Arguments) -> String {
    let beside = || {
        let output = args.output.clone();
        let module = output.unwrap_or_else(|| default_target(&args.inputs[0]));
        Path::new(&module)
            .with_extension("d")
            .to_string_lossy()
            .into_owned()
    };
    args.dependencies.file.clone().unwrap_or_else(beside)
}

#[cfg(test)]
mod tests {
    use super::{DependencyOptions, make_rule};

    #[test]
    fn rules_are_written_in_makes_language() {
        let mut options = DependencyOptions::default();
        let (sources, includes) = (["my a.cl".to_string()], ["x$#/b.h".to_string()]);
        assert_eq!(
            make_rule(&options, "a.spv", &sources, &includes),
            "a.spv: \\\n  my\\ a.cl \\\n  x$$\\#/b.h\n"
        );
        options.targets.push("$(OUT)".to_string());
        options.phony = true;
        assert_eq!(
            make_rule(&options, "a.spv", &sources, &includes),
            "$(OUT): \\\n  my\\ a.cl \\\n  x$$\\#/b.h\n\nx$$\\#/b.h:\n"
        );
    }
}
