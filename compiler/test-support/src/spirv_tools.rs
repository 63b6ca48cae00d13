//! The SPIR-V tools of Khronos as judges: spirv-as, spirv-dis, spirv-val.

use pumice_filetests::skip::skip;
use std::io::Write;
use std::process::{Command, Stdio};

/// Skips where one of the tools is missing: the caller is a test and returns at once.
pub fn missing() -> bool {
    ["spirv-as", "spirv-dis", "spirv-val"]
        .iter()
        .any(|tool| lacks(tool))
}

/// True, and a skip, if the system lacks a program.
fn lacks(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    // An absolute path replaces the folder it is joined to.
    let missing = !std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    if missing {
        skip(&format!("{program} is not installed"));
    }
    missing
}

/// Runs a filter over `input`; its output, or its complaint.
fn filter(program: &str, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{program}: {e} (install spirv-tools)"))?;
    let mut stdin = child.stdin.take().expect("piped");
    let bytes = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A tool that stops reading early reports why through its exit code.
        let _ = stdin.write_all(&bytes);
    });
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    writer.join().expect("writer thread");
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stdout));
        Err(text)
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Assembles SPIR-V text with spirv-as, for version 1.2 or what a line `; version: 1.6` says;
/// `; declares: 1.1` puts another version into the header.
pub fn assemble(text: &str) -> Vec<u32> {
    let version = version(text);
    let environment = format!("spv{version}");
    let args = ["--target-env", &environment, "-", "-o", "-"];
    let out = filter("spirv-as", &args, text.as_bytes()).expect("assembles");
    let mut words: Vec<u32> = out
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    let mut lines = text.lines();
    if let Some(declared) = lines.find_map(|line| line.strip_prefix("; declares: 1.")) {
        words[1] = 0x1_0000 | declared.trim().parse::<u32>().expect("a number") << 8;
    }
    words
}

/// The version of SPIR-V that a line `; version: 1.6` asks for, else 1.2.
pub fn version(text: &str) -> &str {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("; version: "));
    line.unwrap_or("1.2").trim()
}

/// Disassembles with spirv-dis, raw ids, no header comments.
pub fn disassemble(words: &[u32]) -> String {
    let args = ["--no-color", "--no-header", "--no-indent", "-"];
    let out = filter("spirv-dis", &args, &bytes(words)).expect("disassembles");
    String::from_utf8(out).expect("text")
}

/// Validates for an environment such as `opencl2.2` or `vulkan1.2`. What is valid for Vulkan also
/// passes the check of modules from outside.
///
/// # Errors
/// The messages of spirv-val.
pub fn validate(words: &[u32], environment: &str) -> Result<(), String> {
    validate_with("spirv-val", words, environment)?;
    match environment.starts_with("vulkan") {
        true => pumice_compiler::vulkan_check::check(words),
        false => Ok(()),
    }
}

/// The environment to validate a module of kernels for: OpenCL's own, where it allows what the module has. `listing` is the
/// module disassembled.
pub fn kernel_environment(words: &[u32], listing: &str) -> &'static str {
    // The OpenCL environments refuse what an extension of OpenCL adds.
    let has = |what: &str| listing.contains(what);
    let extended = has("OpCapability Float16\n")
        || has("OpCapability ImageMipmap\n")
        || has(" 1 0 Unknown ReadOnly\n");
    if words[1] > 0x0001_0200 {
        "spv1.6"
    } else if extended {
        "spv1.2"
    } else {
        "opencl2.2"
    }
}

/// Validates with a particular spirv-val; skips, and accepts, where there is none.
///
/// # Errors
/// The messages of spirv-val.
pub fn validate_with(tool: &str, words: &[u32], environment: &str) -> Result<(), String> {
    if lacks(tool) {
        return Ok(());
    }
    let args = ["--target-env", environment, "-"];
    filter(tool, &args, &bytes(words)).map(|_| ())
}
