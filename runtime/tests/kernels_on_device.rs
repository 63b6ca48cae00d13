//! The kernel files of the compiler, from source to the machine's Vulkan device: the buffers
//! hold what the files' comments expect. Without a device the test says so and passes.

mod device_dispatch;
#[path = "../../compiler/tests/kernel_runs/mod.rs"]
mod kernel_runs;
#[path = "../../compiler/tests/run_target/mod.rs"]
mod run_target;
#[path = "../../compiler/tests/support/mod.rs"]
mod support;

use device_dispatch::{device, dispatch, for_driver};
use kernel_runs::{Run, check_expectations, parse};
use pumice_compiler::abi::{Abi, DescriptorOptions};
use pumice_compiler::options::CompileOptions;
use pumice_compiler::target::SmallStorage;
use pumice_compiler::{LinkOptions, LowerOptions, NoIncludes, Source, Target};
use pumice_interp::{Inputs, NdRange};
use pumice_vulkan_layer::Device;
use std::path::Path;

fn build(text: &str, options: &str, target: &Target) -> Result<Vec<u32>, String> {
    let options = CompileOptions::parse(options).map_err(|e| format!("{e:?}"))?;
    let source = Source {
        name: "<source>",
        text: text.as_bytes(),
    };
    let compiled = pumice_compiler::compile(source, &options, target, &NoIncludes);
    let module = compiled.output.ok_or(compiled.log)?;
    let linked = pumice_compiler::link(&[&module], &LinkOptions::default());
    let module = linked.output.ok_or(linked.log)?;
    let lowered = pumice_compiler::lower(&module, target, &LowerOptions::default());
    Ok(lowered.output.ok_or(lowered.log)?.words)
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

fn run_one(device: &Device, words: &[u32], run: &Run) -> Result<bool, String> {
    let [global, local, offset] = run.range;
    let local = if local == [0; 3] {
        if global.iter().product::<u64>() <= 256 {
            global
        } else {
            [1; 3]
        }
    } else {
        local.map(|n| n.max(1))
    };
    if (0..3).any(|i| global[i] % local[i] != 0) {
        // Remainders need regions, which are the runtime's work.
        return Ok(false);
    }
    let range = NdRange {
        work_dim: run.dims,
        global,
        local,
        offset,
    };
    let inputs = Inputs {
        buffers: run.buffers.clone(),
        args: run.args.clone(),
    };
    let (output, _) = dispatch(device, words, &run.kernel, &inputs, &range);
    check_expectations(run, &output.buffers)?;
    Ok(true)
}

#[test]
fn kernel_files_give_what_they_expect() {
    let Some(device) = device() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/filetests/run");
    let only = std::env::var("PUMICE_FILE").unwrap_or_default();
    let mut target = for_driver(&device, run_target::run_target());
    // As the driver has it: without, signed zeros and NaN are the device's to lose.
    for (to, from) in (target.float_controls.iter_mut()).zip(&device.capabilities().float_controls)
    {
        to.signed_zero_inf_nan_preserve = from.signed_zero_inf_nan_preserve;
    }
    // Without device addresses, and without what choosing between buffers is easy with.
    let descriptors = Target {
        abi: Abi::Descriptors(DescriptorOptions::of_driver()),
        ..target.clone()
    };
    let poor = Target {
        variable_pointers: false,
        storage8: SmallStorage::default(),
        storage16: SmallStorage::default(),
        ..descriptors.clone()
    };
    let list = include_str!("../../compiler/filetests/needs_addresses.txt");
    let needs_addresses: Vec<&str> = (list.lines().filter(|line| !line.starts_with('#')))
        .filter_map(|line| Some(line.split_once(':')?.0))
        .collect();
    let others = [
        ("source, descriptors", descriptors),
        ("source, words", poor),
    ];
    let mut failures = Vec::new();
    let mut ran = 0;
    for entry in std::fs::read_dir(folder).expect("filetests/run") {
        let path = entry.expect("entry").path();
        let name = path.display().to_string();
        if path.extension().is_none_or(|e| e != "cl") || !name.contains(&only) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let (options, runs) = parse(&text);
        if runs.is_empty() {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut builds = vec![("source", build(&text, &options, &target))];
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        for (from, target) in &others {
            let built = build(&text, &options, target);
            if needs_addresses.contains(&file.as_ref()) {
                let diagnosed = built.is_err_and(|log| log.contains("device addresses"));
                assert!(diagnosed, "{name} builds without device addresses");
            } else {
                builds.push((from, built));
            }
        }
        for level in ["O0", "O1", "O2"] {
            builds.extend(foreign(&stem, level, &target).map(|build| (level, build)));
        }
        for (from, built) in builds {
            let name = format!("{name} from {from}");
            let words = match built {
                Ok(words) => words,
                Err(e) => {
                    failures.push(format!("{name}: {e}"));
                    continue;
                }
            };
            if let Err(e) = support::validate(&words, "vulkan1.2") {
                failures.push(format!("{name}: {e}"));
                continue;
            }
            for run in &runs {
                match run_one(&device, &words, run) {
                    Ok(true) => ran += 1,
                    Ok(false) => {}
                    Err(e) => failures.push(format!("{name}: {}: {e}", run.kernel)),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran > 0 || !only.is_empty(), "something ran");
}
