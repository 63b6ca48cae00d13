//! Kernel files ([`pumice_filetests::KernelFile`] describes their directives) on a device.

use crate::cl::{Arg, Buffer, Error, Image, Program, Sampler, Session};
use pumice_filetests::{Arg as FileArg, KernelFile, Run};

/// CL_BUILD_PROGRAM_FAILURE
const BUILD_FAILURE: i32 = -11;

/// CL_IMAGE_FORMAT_NOT_SUPPORTED
const IMAGE_FORMAT_NOT_SUPPORTED: i32 = -10;

/// The beginning of the message for a device without images of a file's format.
pub const NO_IMAGES: &str = "this device has no images of the format ";

/// CL_OUT_OF_RESOURCES
const OUT_OF_RESOURCES: i32 = -5;

/// Builds a file and runs what it says, with `more` build options behind the file's own.
///
/// # Errors
/// A difference from the expectations, or a call that fails.
pub fn check(file: &KernelFile, device: &Session, source: &str, more: &str) -> Result<(), String> {
    let options = format!("{} {more}", file.options);
    let built = device.build(source.as_bytes(), options.trim());
    if file.build_log.is_empty() {
        let program = built.map_err(|(error, log)| format!("{error}\n{log}"))?;
        let _default = match needs(source, "device-queues") {
            true => Some(
                device
                    .device_queue(true)
                    .map_err(|error| error.to_string())?,
            ),
            false => None,
        };
        let checked =
            file.options.contains("-pumice-check") || std::env::var_os("PUMICE_CHECK").is_some();
        return file.runs.iter().try_for_each(|run| {
            check_run(run, device, &program, checked)
                .map_err(|why| format!("kernel {}: {why}", run.kernel))
        });
    }
    let log = match built {
        Ok(_) => return Err("the build succeeds but must fail".to_string()),
        Err((error, log)) if error.code == BUILD_FAILURE => log,
        Err((error, log)) => {
            return Err(format!(
                "{error}, expected {BUILD_FAILURE} from clBuildProgram\n{log}"
            ));
        }
    };
    let missing = file.build_log.iter().find(|text| !log.contains(*text));
    missing.map_or(Ok(()), |text| {
        Err(format!("the build log lacks {text:?}:\n{log}"))
    })
}

/// The query of what atomic operations on halves can do (cl_ext_float_atomics).
const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4233;

/// The query of the sizes that sub-groups may have, as `size_t` (cl_intel_required_subgroup_size).
const CL_DEVICE_SUB_GROUP_SIZES_INTEL: u32 = 0x4108;

/// The words of a file's `needs:` lines.
pub fn needed(source: &str) -> Vec<&str> {
    let lines = pumice_filetests::directive::directives(source);
    let lines = lines.filter(|line| line.key == "needs");
    lines
        .flat_map(|line| line.value.split_whitespace())
        .collect()
}

/// Returns whether a file's `needs:` lines name a thing.
fn needs(source: &str, thing: &str) -> bool {
    needed(source).contains(&thing)
}

/// Builds a file and launches every kernel once, whatever its results. A file that must not build, or that
/// needs extensions that the device lacks, is left alone. A result, too, is that kernels which a kernel enqueues come
/// to no good end: on a device that executes nothing, clFinish says so.
///
/// # Errors
/// The build's log, and the kernels that could not be launched.
pub fn launch_all(device: &Session, source: &str, more: &str) -> Result<(), String> {
    let of_file = |key: &str| {
        let mut all = pumice_filetests::directive::directives(source);
        all.find(|directive| directive.key == key)
    };
    if of_file("build-log").is_some() {
        return Ok(());
    }
    let options = of_file("options").map(|directive| directive.value.to_string());
    let options = options.unwrap_or_else(|| asked_by_run_lines(source));
    let options = format!("{options} {more} -cl-kernel-arg-info");
    if lacks(device, source) {
        return Ok(());
    }
    let program = match device.build(source.as_bytes(), options.trim()) {
        Ok(program) => program,
        Err((_, log)) if names_what_is_missing(device, &log)? => return Ok(()),
        Err((error, log)) => return Err(format!("{error}\n{log}")),
    };
    let enqueues = needs(source, "device-queues");
    let mut failed = Vec::new();
    for name in program.kernel_names().map_err(|error| error.to_string())? {
        let outcome = program
            .kernel(&name)
            .and_then(|kernel| device.launch_once(&kernel));
        match outcome {
            Err(error)
                if enqueues && error.call == "clFinish" && error.code == OUT_OF_RESOURCES => {}
            Err(error) => failed.push(format!("kernel {name}: {error}")),
            Ok(()) => {}
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("\n")),
    }
}

/// The language and macros that a test of another compiler asks for in its `RUN:` lines; of several languages the first.
fn asked_by_run_lines(source: &str) -> String {
    let lines = source.lines().filter(|line| line.contains("RUN:"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let language = words.iter().find_map(|word| {
        let language = word.trim_start_matches('-').strip_prefix("cl-std=CL")?;
        // `CLC` is clang's name for the version that is usual.
        let version = language.starts_with(|c: char| c.is_ascii_digit());
        version.then(|| format!("-cl-std=CL{language}"))
    });
    let macros = words.iter().filter(|word| word.starts_with("-D"));
    let mut all: Vec<String> = language.into_iter().collect();
    for word in macros {
        if !all.iter().any(|known| known == word) {
            all.push((*word).to_string());
        }
    }
    all.join(" ")
}

/// Tells whether a file needs functions that a device lacks without an extension's name in the build's log.
fn lacks(device: &Session, source: &str) -> bool {
    // A device without the extension does not know the query.
    let there = |query| (device.info(query)).is_ok_and(|bytes| bytes.iter().any(|byte| *byte != 0));
    let smallest = device
        .info(CL_DEVICE_SUB_GROUP_SIZES_INTEL)
        .ok()
        .and_then(|sizes| {
            let sizes = sizes.chunks_exact(size_of::<usize>());
            sizes
                .filter_map(|size| Some(usize::from_ne_bytes(size.try_into().ok()?)))
                .min()
        });
    needs(source, "half-atomics") && !there(CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT)
        || needs(source, "sub-groups-to-32") && smallest.is_some_and(|size| size > 32)
}

/// Tells whether a build's log names an extension, or arithmetic, that the device lacks.
fn names_what_is_missing(device: &Session, log: &str) -> Result<bool, String> {
    let offered = device.extensions().map_err(|error| error.to_string())?;
    let mut names = log
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("cl_khr_"));
    let lacks = |name: &str| !offered.split(' ').any(|other| other == name);
    Ok(log.contains("this device has no ") || names.any(lacks))
}

fn sizes(list: &[u64]) -> Vec<usize> {
    list.iter().map(|&size| size as usize).collect()
}

fn check_run(run: &Run, device: &Session, program: &Program, checked: bool) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    if !run.printf.is_empty() || run.error.is_some() {
        return Err("expects what only the interpreter tells".to_string());
    }
    let kernel = program.kernel(&run.kernel).map_err(text)?;
    let queues = run.args.contains(&FileArg::Queue);
    let queue = match queues {
        true => Some(device.device_queue(false).map_err(text)?),
        false => None,
    };
    let memory: Vec<Memory> = (run.args.iter())
        .map(|arg| memory_of(device, run, arg))
        .collect::<Result<_, _>>()?;
    let args: Vec<Arg<'_>> = (run.args.iter().zip(&memory))
        .map(|(arg, own)| match (arg, own) {
            (FileArg::Value(bytes), _) => Arg::Bytes(bytes),
            (FileArg::Local(size), _) => Arg::Local(*size),
            (FileArg::Queue, _) => queue.as_ref().map_or(Arg::Null, Arg::Queue),
            (FileArg::Alias { arg, .. }, _) => memory[*arg].arg(),
            (_, own) => own.arg(),
        })
        .collect();
    let (offset, local) = (
        run.offset.as_deref().map(sizes),
        run.local.as_deref().map(sizes),
    );
    let global = sizes(&run.global);
    device
        .run(&kernel, &args, offset.as_deref(), &global, local.as_deref())
        .map_err(text)?;
    if checked || run.has_faults() {
        run.check_reports(&device.messages().map_err(text)?)?;
    }
    run.check(|arg| match memory.get(arg) {
        Some(Memory::Buffer(buffer)) => device.read(buffer).map_err(text),
        Some(Memory::Image(image)) => device.read_image(image).map_err(text),
        _ => Err(format!("argument {arg} is no buffer")),
    })
}

/// The object that is made for an argument.
enum Memory {
    Buffer(Buffer),
    Image(Image),
    Sampler(Sampler),
    None,
}

impl Memory {
    fn arg(&self) -> Arg<'_> {
        match self {
            Memory::Buffer(buffer) => Arg::Buffer(buffer),
            Memory::Image(image) => Arg::Image(image),
            Memory::Sampler(sampler) => Arg::Sampler(sampler),
            Memory::None => Arg::Null,
        }
    }
}

fn memory_of(device: &Session, run: &Run, arg: &FileArg) -> Result<Memory, String> {
    let text = |error: Error| error.to_string();
    Ok(match arg {
        FileArg::Buffer { bytes, addresses } if addresses.is_empty() => {
            Memory::Buffer(device.buffer(bytes).map_err(text)?)
        }
        FileArg::Pipe {
            packet_size,
            max_packets,
        } => Memory::Buffer(device.pipe(*packet_size, *max_packets).map_err(text)?),
        FileArg::Image { image, bytes } => {
            let made = device.image(image, bytes);
            Memory::Image(made.map_err(|error| match error.code {
                IMAGE_FORMAT_NOT_SUPPORTED => format!("{NO_IMAGES}{}", image.format_name()),
                _ => error.to_string(),
            })?)
        }
        FileArg::Sampler(sampler) => Memory::Sampler(device.sampler(*sampler).map_err(text)?),
        // The same object once more.
        FileArg::Alias { arg, offset: 0 }
            if matches!(
                run.args[*arg],
                FileArg::Pipe { .. } | FileArg::Buffer { .. }
            ) =>
        {
            Memory::None
        }
        FileArg::Buffer { .. } | FileArg::Alias { .. } => {
            return Err("addresses and parts of buffers are the interpreter's".to_string());
        }
        FileArg::NullBuffer | FileArg::Queue | FileArg::Value(_) | FileArg::Local(_) => {
            Memory::None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::asked_by_run_lines;

    #[test]
    fn run_lines_ask_for_a_language_and_macros() {
        let cases = [
            (
                "// RUN: clspv %s -o %t.spv --cl-std=CL2.0 -int8",
                "-cl-std=CL2.0",
            ),
            (
                "// RUN: clspv -cl-std=CL3.0 -DA=1 %s\n// RUN: clspv -cl-std=CL2.0 -DA=1 -DB %s",
                "-cl-std=CL3.0 -DA=1 -DB",
            ),
            ("// RUN: clspv -cl-std=CLC %s", ""),
            ("kernel void f() {} // -DA", ""),
        ];
        for (source, options) in cases {
            assert_eq!(asked_by_run_lines(source), options);
        }
    }
}
