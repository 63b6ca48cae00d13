//! The compiler's IR file tests on the machine's Vulkan device: what a dispatch leaves in the
//! buffers is what the interpreter says. Without a device the test says so and passes.

mod device_dispatch;
#[path = "../../compiler/tests/kernel_runs/mod.rs"]
mod kernel_runs;
#[path = "../../compiler/tests/lowering_passes/mod.rs"]
mod lowering_passes;
#[path = "../../compiler/tests/random_cfg/mod.rs"]
mod random_cfg;
#[path = "../../compiler/tests/run_line/mod.rs"]
mod run_line;

use device_dispatch::{device, dispatch};
use pumice_compiler::interp::{self, Arg, Inputs, NdRange, Options};
use pumice_compiler::ir::text::parse_module;
use pumice_compiler::{LowerOptions, Target, vulkan};
use pumice_vulkan_layer::Device;
use std::path::Path;

fn run_file(device: &Device, path: &Path, target: &Target) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let Some(line) = text.lines().find_map(|l| l.strip_prefix("; run ")) else {
        return Ok(false);
    };
    let (range, inputs) = run_line::parse_run(line);
    let mut module = parse_module(&text).map_err(|e| e.to_string())?;
    let kernel = module.kernels[0].name.clone();
    let want = interp::run(&module, &kernel, &inputs, &range, &Options::default())
        .map_err(|e| format!("{e:?}"))?;
    lowering_passes::lower(&mut module, target)?;
    let words = vulkan::emit(&mut module, target, &LowerOptions::default())
        .map_err(|e| e.to_string())?
        .words;
    let (got, _) = dispatch(device, &words, &kernel, &inputs, &range);
    if want.buffers != got.buffers {
        return Err(format!(
            "the device differs\ninterpreter {:x?}\ndevice      {:x?}",
            want.buffers, got.buffers
        ));
    }
    Ok(true)
}

fn run_all(target: &Target) {
    let Some(device) = device() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/filetests/ir/vulkan");
    let mut failures = Vec::new();
    let mut ran = 0;
    for entry in std::fs::read_dir(folder).expect("file tests") {
        let path = entry.expect("entry").path();
        if path.extension().is_none_or(|e| e != "ir") {
            continue;
        }
        match run_file(&device, &path, target) {
            Ok(true) => ran += 1,
            Ok(false) => {}
            Err(e) => failures.push(format!("{}: {e}", path.display())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(ran >= 10, "the file tests are there");
}

#[test]
fn files_run_as_the_interpreter_says() {
    run_all(&Target::reference());
}

/// Hardly any push constants: arguments go through the uniform buffer.
#[test]
fn files_run_with_arguments_in_a_uniform_buffer() {
    let target = Target {
        max_push_constants_size: 84,
        ..Target::reference()
    };
    run_all(&target);
    let target = Target {
        max_push_constants_size: 32,
        ..Target::reference()
    };
    run_all(&target);
}

#[test]
fn printf_writes_whole_records() {
    let Some(device) = device() else { return };
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/filetests/ir/vulkan/printf.ir");
    let text = std::fs::read_to_string(path).expect("printf.ir");
    let mut module = parse_module(&text).expect("parses");
    let target = Target::reference();
    lowering_passes::lower(&mut module, &target).expect("lowers");
    let words = vulkan::emit(&mut module, &target, &LowerOptions::default())
        .expect("emits")
        .words;
    let inputs = Inputs {
        buffers: Vec::new(),
        args: vec![Arg::Bytes(41i32.to_le_bytes().to_vec())],
    };
    let (_, printf) = dispatch(&device, &words, "k", &inputs, &NdRange::linear(1, 1));
    let words: Vec<u32> = printf
        .chunks(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    // Five words: the format's id, x, three i16 in two words, the string's id.
    let [used, format, x, low, high, string, ..] = words[..] else {
        panic!("too short");
    };
    assert_eq!(used, 5);
    assert_eq!((x, low, high & 0xFFFF), (41, 0x0002_0001, 3));
    assert_ne!(format, string);
}

/// The interpreter's own files, through the whole pipeline. Left out are those that hold the
/// interpreter's addresses or errors.
#[test]
fn interpreter_files_run_on_the_device() {
    let Some(device) = device() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/filetests/ir/run");
    let only = std::env::var("PUMICE_FILE").unwrap_or_default();
    let target = Target::reference();
    let options = LowerOptions::default();
    let mut failures = Vec::new();
    let mut ran = 0;
    for entry in std::fs::read_dir(folder).expect("file tests") {
        let path = entry.expect("entry").path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("readable");
        let foreign = [
            "@",
            "alias ",
            "expect error",
            "expect printf",
            "no pipeline",
            " half ",
        ];
        let comments: Vec<&str> = text.lines().filter(|l| l.starts_with(';')).collect();
        let skip = comments
            .iter()
            .any(|l| foreign.iter().any(|f| l.contains(f)));
        if skip || !name.contains(&only) {
            continue;
        }
        let (_, runs) = kernel_runs::parse(&text.replace("; ", "// "));
        let mut module = parse_module(&text).expect("parses");
        let ctx = pumice_compiler::passes::Ctx {
            target: &target,
            options: &options,
        };
        pumice_compiler::passes::run_pipeline(&mut module, &ctx).expect("lowers");
        let words = match vulkan::emit(&mut module, &target, &options) {
            Ok(module) => module.words,
            Err(e) => {
                failures.push(format!("{name}: {e}"));
                continue;
            }
        };
        for run in &runs {
            let [global, local, offset] = run.range;
            let local = if local == [0; 3] {
                global
            } else {
                local.map(|n| n.max(1))
            };
            if (0..3).any(|i| local[i] == 0 || global[i] % local[i] != 0) {
                continue;
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
            let (output, _) = dispatch(&device, &words, &run.kernel, &inputs, &range);
            match kernel_runs::check_expectations(run, &output.buffers) {
                Ok(()) => ran += 1,
                Err(e) => failures.push(format!("{name}: {e}")),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran > 20 || !only.is_empty(), "the file tests are there");
}

/// Random control flow with divergent work-items: the structurizer's output on a device.
#[test]
fn random_control_flow_on_the_device() {
    let Some(device) = device() else { return };
    let mut random = random_cfg::Random(5);
    let target = Target::reference();
    let options = LowerOptions::default();
    let ctx = pumice_compiler::passes::Ctx {
        target: &target,
        options: &options,
    };
    let range = NdRange::linear(32, 32);
    for _ in 0..40 {
        let size = 3 + random.below(12);
        let text = random_cfg::by_work_item(&random_cfg::random_function(&mut random, size), 31);
        let mut module = parse_module(&text).expect("parses");
        let seed = random.below(1 << 30) as i32;
        let inputs = Inputs {
            buffers: vec![vec![0; 512 * 32]],
            args: vec![
                Arg::Buffer {
                    index: 0,
                    offset: 0,
                },
                Arg::Bytes(seed.to_le_bytes().to_vec()),
            ],
        };
        let want = interp::run(&module, "k", &inputs, &range, &Options::default()).expect("runs");
        pumice_compiler::passes::run_pipeline(&mut module, &ctx).expect("lowers");
        let words = vulkan::emit(&mut module, &target, &options)
            .expect("emits")
            .words;
        let (got, _) = dispatch(&device, &words, "k", &inputs, &range);
        let lanes = want.buffers[0].chunks(512).zip(got.buffers[0].chunks(512));
        for (lane, (want, got)) in lanes.enumerate() {
            let words =
                |bytes: &[u8]| -> Vec<u8> { bytes.iter().copied().step_by(4).take(64).collect() };
            assert!(
                want == got,
                "seed {seed}, work-item {lane}\ninterpreter {:?}\ndevice      {:?}\n{text}",
                words(want),
                words(got)
            );
        }
    }
}
