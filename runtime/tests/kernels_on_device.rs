//! The kernel files of the compiler, from source to the machine's Vulkan device: the buffers
//! hold what the files' comments expect. Without a device the test says so and passes.
//!
//! They are built for a device that has words and descriptors alone. As the driver builds them, with device addresses and
//! without, they run end to end in `cargo xtask test clients` and `validation`.

mod device_dispatch;

use device_dispatch::{device, dispatch, for_driver};
use pumice_compiler::abi::{Abi, DescriptorOptions};
use pumice_compiler::target::SmallStorage;
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run, directive};
use pumice_interp::NdRange;
use pumice_reflection::Need;
use pumice_runtime::device::extensions;
use pumice_test_support::build::vulkan_module;
use pumice_test_support::runs::{Arguments, range, range_of_single_items};
use pumice_test_support::{filetests, run_target, spirv_tools};
use pumice_vulkan_layer::LogicalDevice;
use std::path::Path;

fn build(text: &str, options: &str, target: &Target) -> Result<Vec<u32>, String> {
    vulkan_module(text, options, target).map(|module| module.words)
}

/// Lowers Kernel SPIR-V that another compiler made of the file, if the folder named by
/// `PUMICE_FOREIGN_SPIRV` has any (`NAME.LEVEL.spv`).
fn foreign(name: &str, level: &str, target: &Target) -> Option<Result<Vec<u32>, String>> {
    let folder = std::env::var_os("PUMICE_FOREIGN_SPIRV")?;
    let bytes = std::fs::read(Path::new(&folder).join(format!("{name}.{level}.spv"))).ok()?;
    let module = pumice_compiler::KernelModule {
        words: bytes
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect(),
        is_library: false,
    };
    let lowered = pumice_compiler::lower(&module, target, &LowerOptions::default());
    Some(lowered.output.map(|m| m.words).ok_or(lowered.log))
}

/// Runs a kernel; false if its range has remainders or its private memory lies in a buffer, which
/// are the runtime's work.
fn run_one(device: &LogicalDevice, words: &[u32], run: &Run) -> Result<bool, String> {
    let whole = range(run);
    let range = if run.local.is_none() && whole.global.iter().product::<u64>() > 256 {
        range_of_single_items(run)
    } else {
        whole
    };
    let NdRange { global, local, .. } = range;
    let reflection = pumice_reflection::read(words).map_err(|e| e.to_string())?;
    let is_private = |need: &Need| matches!(need, Need::PrivateMemory { .. });
    if (0..3).any(|i| global[i] % local[i] != 0) || reflection.needs.iter().any(is_private) {
        return Ok(false);
    }
    let arguments = Arguments::of(run)?;
    let (output, _) = dispatch(device, words, &run.kernel, &arguments.inputs, &range);
    arguments.check(run, &output.buffers)?;
    Ok(true)
}

#[test]
fn kernel_files_give_what_they_expect() {
    let Some(device) = device() else { return };
    let mut target = for_driver(&device, run_target());
    // As the driver has it: without, signed zeros and NaN are the device's to lose.
    for (to, from) in (target.float_controls.iter_mut()).zip(&device.capabilities().float_controls)
    {
        to.signed_zero_inf_nan_preserve = from.signed_zero_inf_nan_preserve;
    }
    // Without device addresses, and without what choosing between buffers is easy with.
    let poor = Target {
        abi: Abi::Descriptors(DescriptorOptions::of_driver()),
        variable_pointers: false,
        storage8: SmallStorage::default(),
        storage16: SmallStorage::default(),
        ..target.clone()
    };
    let list = include_str!("../../compiler/filetests/needs_addresses.txt");
    let needs_addresses: Vec<&str> = (list.lines().filter(|line| !line.starts_with('#')))
        .filter_map(|line| Some(line.split_once(':')?.0))
        .collect();
    let mut failures = Failures::default();
    let mut ran = 0;
    for path in files(&filetests("run"), &["cl"], 60) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let file = KernelFile::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let KernelFile { options, runs, .. } = file;
        let caps = device.capabilities();
        let lacking = [
            // Rounds of the device queue are the runtime's work.
            ("device-queues", true),
            ("pipes", !extensions::pipes(caps)),
            ("images", !extensions::images(caps)),
            // The runtime names formats in modules; here the driver gets them as they are.
            (
                "read-write-images",
                !caps.features.shader_storage_image_read_without_format,
            ),
        ];
        let needs = directive::value(&text, "needs").unwrap_or_default();
        let lacks = |need| lacking.contains(&(need, true));
        if runs.is_empty() || needs.split_whitespace().any(lacks) {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut builds = Vec::new();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let built = build(&text, &options, &poor);
        if needs_addresses.contains(&file.as_ref()) {
            let diagnosed = built.is_err_and(|log| log.contains("device addresses"));
            assert!(diagnosed, "{file} builds without device addresses");
        } else {
            builds.push(("source", built));
        }
        for level in ["O0", "O1", "O2"] {
            builds.extend(foreign(&stem, level, &target).map(|build| (level, build)));
        }
        for (from, built) in builds {
            let valid =
                // Validators may not know the reflection's version.
                built.and_then(|words| {
                    let stripped = pumice_reflection::strip_non_semantic(&words);
                    spirv_tools::validate(&stripped, "vulkan1.2").map(|()| words)
                });
            let words = match valid {
                Ok(words) => words,
                Err(e) => {
                    failures.add(&path, format!("from {from}: {e}"));
                    continue;
                }
            };
            for run in &runs {
                match run_one(&device, &words, run) {
                    Ok(true) => ran += 1,
                    Ok(false) => {}
                    Err(e) => failures.add(&path, format!("from {from}: {}: {e}", run.kernel)),
                }
            }
        }
    }
    failures.finish();
    let filtered = std::env::var_os("PUMICE_FILETEST").is_some();
    assert!(ran > 0 || filtered, "something ran");
}
