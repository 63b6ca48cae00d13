//! Kernel files with faults (`filetests/check/*.cl`), built with checks, in the interpreter: what the tests in them must
//! report. `pumice-clrun` runs the same files on devices.

use std::path::Path;

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline;
use pumice_check::layout::MOST_MARKS;
use pumice_check::{Allocation, Argument, Launch, Object, Place, Range, Table, read};
use pumice_compiler::{CompileOptions, LowerOptions, Target, lower};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run};
use pumice_interp::{Arg, NdRange, Options, buffer_address};
use pumice_ir::Module;
use pumice_reflection::CheckSite;
use pumice_test_support::build::linked;
use pumice_test_support::runs::{Arguments, range};
use pumice_test_support::{filetests, low_targets, run_target};

/// Slices of rounds that loops may go in robust mode.
const SLICES: u32 = 1;

/// A file's module after all passes, and the places that it tests.
fn build(
    file: &KernelFile,
    text: &str,
    target: &Target,
) -> Result<(Module, Vec<CheckSite>), String> {
    let options = CompileOptions::parse(&file.options).map_err(|e| format!("{e:?}"))?;
    let target = &Target {
        checks: options.checks,
        ..target.clone()
    };
    let module = linked(text, &file.options, target)?;
    let options = &LowerOptions::default();
    let vulkan = lower(&module, target, options);
    let vulkan = vulkan.output.ok_or(vulkan.log)?;
    let reflection = pumice_reflection::read(&vulkan.words).map_err(|e| e.to_string())?;
    let mut ir = import(&module.words, &SpecConstants::default()).map_err(|e| e.to_string())?;
    let ctx = Ctx { target, options };
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).map_err(|e| format!("{e:?}"))?;
    Ok((ir, reflection.checks))
}

/// The memory that a launch may access, as the runtime tells it.
fn arguments(ir: &Module, run: &Run, given: &Arguments) -> Vec<Argument> {
    let kernel = ir.kernels.iter().find(|kernel| kernel.name == run.kernel);
    let infos = kernel.into_iter().flat_map(|kernel| &kernel.args);
    let all = given.inputs.args.iter().zip(infos).map(|(arg, meta)| {
        let (size, object) = match arg {
            Arg::Buffer { index, .. } => {
                let size = given.inputs.buffers[*index].len() as u64;
                (
                    size,
                    format!("a buffer of {size} bytes from clCreateBuffer"),
                )
            }
            Arg::Local(size) => (*size, format!("local memory of {size} bytes")),
            _ => (0, String::new()),
        };
        Argument {
            name: meta
                .info
                .as_ref()
                .map_or_else(String::new, |info| info.name.clone()),
            null: *arg == Arg::Null,
            local: matches!(arg, Arg::Local(_)),
            first: match arg {
                Arg::Buffer { index, offset } => buffer_address(*index) + offset,
                _ => 0,
            },
            is_followed: true,
            size,
            object,
        }
    });
    all.collect()
}

/// Work-items of a range, whole work-groups counted.
fn items(range: &NdRange) -> u64 {
    let groups = (0..3).map(|d| range.global[d].div_ceil(range.local[d]) * range.local[d]);
    groups.product()
}

/// The shadows of buffers that begin unwritten.
struct Shadows(Vec<u64>);

impl Shadows {
    /// Adds a buffer behind the run's own for each that nothing has written (`unwritten: ARGUMENT...`).
    fn new(run: &Run, given: &mut Arguments, allocations: &[(u64, u64)]) -> Self {
        let mut shadows = vec![0; allocations.len()];
        for &ordinal in &run.unwritten {
            if let Some(Arg::Buffer { index, .. }) = given.inputs.args.get(ordinal as usize) {
                let (first, size) = allocations[*index];
                let shadow = buffer_address(given.inputs.buffers.len());
                given.inputs.buffers.push(vec![0; size as usize]);
                shadows[*index] = shadow.wrapping_sub(first);
            }
        }
        Self(shadows)
    }

    fn of(&self, buffer: usize) -> u64 {
        self.0[buffer]
    }
}

fn check_run(ir: &Module, sites: &[CheckSite], run: &Run) -> Result<(), String> {
    let mut given = Arguments::of(run)?;
    let arguments = arguments(ir, run, &given);
    let buffers = given.inputs.buffers.iter().enumerate();
    let allocations: Vec<(u64, u64)> = buffers
        .map(|(index, bytes)| (buffer_address(index), bytes.len() as u64))
        .collect();
    let range = range(run);
    let shadows = Shadows::new(run, &mut given, &allocations);
    let objects = given.inputs.args.iter().map(|arg| match arg {
        Arg::Buffer { index, offset } => {
            let (first, size) = allocations[*index];
            Object {
                shadow: shadows.of(*index),
                ..Object::at(first + offset, size - offset)
            }
        }
        Arg::Local(size) => Object::local(*size),
        _ => Object::default(),
    });
    let ranges = allocations.iter().enumerate();
    let ranges = ranges.map(|(index, &(first, size))| Range {
        first,
        size,
        shadow: shadows.of(index),
    });
    let table = Table {
        arguments: objects.collect(),
        allocations: ranges.collect(),
        items: items(&range),
        slices: SLICES,
    };
    let memory = given.inputs.buffers.len();
    let kernel = ir
        .kernels
        .iter()
        .position(|kernel| kernel.name == run.kernel);
    let kernel = kernel.unwrap_or_default() as u32;
    let marks = table.marks_size(sites, kernel, MOST_MARKS);
    let mut bytes = table.bytes(&Place {
        sites,
        kernel,
        address: buffer_address(memory),
        most_marks: marks,
    });
    bytes.resize(bytes.len().next_multiple_of(8) + marks as usize, 0);
    given.inputs.buffers.push(bytes);
    let options = Options {
        check_memory: buffer_address(memory),
        // What a suppressed store would have written.
        check_uninitialised: false,
        ..Options::default()
    };
    let output = pumice_interp::run(ir, &run.kernel, &given.inputs, &range, &options);
    let output = output.map_err(|error| error.to_string())?;
    let allocations = allocations.iter().map(|&(first, size)| Allocation {
        first,
        size,
        object: format!("a buffer of {size} bytes from clCreateBuffer"),
        released: false,
        shadow: 0,
        is_followed: true,
    });
    let launch = Launch {
        kernel: &run.kernel,
        sites,
        arguments: &arguments,
        allocations: &allocations.collect::<Vec<_>>(),
        dimensions: range.work_dim as usize,
        offset: range.offset,
        global_size: range.global,
        local_size: range.local,
    };
    let reports = read(&output.buffers[memory], &launch);
    let reports: Vec<String> = reports.places.into_iter().chain(reports.summary).collect();
    run.check_reports(&reports)?;
    given.check(run, &output.buffers)
}

fn kernel_file(path: &Path) -> Result<(String, KernelFile), String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let file = KernelFile::parse_test(&text)?;
    Ok((text, file))
}

fn check_file(path: &Path, target: &Target) -> Result<(), String> {
    let (text, file) = kernel_file(path)?;
    let (ir, sites) = build(&file, &text, target)?;
    file.runs.iter().try_for_each(|run| {
        check_run(&ir, &sites, run).map_err(|why| format!("kernel {}: {why}", run.kernel))
    })
}

#[test]
fn faults_are_reported() {
    let mut failures = Failures::default();
    let (mut faulty, mut correct) = (0, 0);
    for path in files(&filetests("check"), &["cl"], 14) {
        failures.take(&path, check_file(&path, &run_target()));
        let (_, file) = kernel_file(&path).expect("a kernel file");
        let faults = file.runs.iter().filter(|run| run.has_faults()).count();
        faulty += faults;
        correct += file.runs.len() - faults;
    }
    failures.finish();
    assert!(faulty >= 60, "{faulty} kernels with faults");
    assert!(correct >= 30, "{correct} kernels without");
}

/// Files with buffers that nothing has written, which only the interpreter runs: the host of a device must write none of them.
#[test]
fn reads_of_unwritten_buffers_are_reported() {
    let mut failures = Failures::default();
    for path in files(&filetests("unwritten"), &["cl"], 1) {
        failures.take(&path, check_file(&path, &run_target()));
        for (name, target) in low_targets() {
            let outcome = check_file(&path, &target);
            failures.take(&path, outcome.map_err(|why| format!("{name}: {why}")));
        }
    }
    failures.finish();
}

/// Files of robust mode, which only the interpreter runs: endless kernels take long on devices.
#[test]
fn robust_kernels_stay_in_their_memory_and_end() {
    let mut failures = Failures::default();
    for path in files(&filetests("robust"), &["cl"], 4) {
        failures.take(&path, check_file(&path, &run_target()));
        // Rounds are counted with words alone, many thousand times.
        let targets = match path.ends_with("loops.cl") {
            true => Vec::new(),
            false => low_targets(),
        };
        for (name, target) in targets {
            let outcome = check_file(&path, &target);
            failures.take(&path, outcome.map_err(|why| format!("{name}: {why}")));
        }
    }
    failures.finish();
}

#[test]
fn faults_are_reported_on_low_devices() {
    let mut failures = Failures::default();
    for (name, target) in low_targets() {
        for path in files(&filetests("check"), &["cl"], 14) {
            let outcome = check_file(&path, &target);
            failures.take(&path, outcome.map_err(|why| format!("{name}: {why}")));
        }
    }
    failures.finish();
}
