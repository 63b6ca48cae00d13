//! The compiler's IR file tests on the machine's Vulkan device: what a dispatch leaves in the
//! buffers is what the interpreter says. Without a device the test says so and passes.

mod device_dispatch;

use device_dispatch::{device, dispatch, for_driver};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::run_pipeline;
use pumice_backend::vulkan;
use pumice_compiler::abi::{Abi, DescriptorOptions};
use pumice_compiler::target::{QuirkKind, Quirks, SmallStorage};
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{Arg as FileArg, KernelFile, Run, directive};
use pumice_interp::{self as interp, Arg, Inputs, NdRange, Options};
use pumice_ir::LowerError;
use pumice_ir::text::parse_module;
use pumice_test_support::runs::{Arguments, range};
use pumice_test_support::{filetests, lowering_passes, random_cfg};
use pumice_vulkan_layer::LogicalDevice;
use std::path::Path;

fn run_file(device: &LogicalDevice, path: &Path, target: &Target) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let Some(run) = KernelFile::parse(&text)?.runs.pop() else {
        return Ok(false);
    };
    let (inputs, range) = (Arguments::of(&run)?.inputs, range(&run));
    let mut module = parse_module(&text).map_err(|e| e.to_string())?;
    let want = interp::run(&module, &run.kernel, &inputs, &range, &Options::default())
        .map_err(|e| format!("{e:?}"))?;
    lowering_passes::lower(&mut module, target)?;
    let words = vulkan::emit(&module, target, &LowerOptions::default())
        .map_err(|e| e.to_string())?
        .words;
    let (got, _) = dispatch(device, &words, &run.kernel, &inputs, &range);
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
    let mut failures = Failures::default();
    let mut ran = 0;
    for path in files(&filetests("ir/vulkan"), &["ir"], 10) {
        match run_file(&device, &path, target) {
            Err(e) if needs_addresses(target, &path) => {
                assert!(e.contains("device addresses"), "{}: {e}", path.display());
            }
            Ok(_) if needs_addresses(target, &path) => {
                failures.add(&path, "needs no addresses");
            }
            Ok(true) => ran += 1,
            Ok(false) => {}
            Err(e) => failures.add(&path, e),
        }
    }
    failures.finish();
    assert!(ran >= 10 || filtered(), "the file tests are there");
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

/// Without device addresses; files that load pointers from memory are diagnosed.
#[test]
fn files_run_with_descriptors() {
    for target in descriptor_targets(Target::reference()) {
        run_all(&target);
    }
}

/// Devices without addresses: one with everything else, one that takes words only and has no
/// variable pointers.
fn descriptor_targets(target: Target) -> [Target; 2] {
    let rich = Target {
        abi: Abi::Descriptors(DescriptorOptions::of_driver()),
        ..target
    };
    let poor = Target {
        variable_pointers: false,
        storage8: SmallStorage::default(),
        storage16: SmallStorage::default(),
        ..rich.clone()
    };
    [rich, poor]
}

fn needs_addresses(target: &Target, path: &Path) -> bool {
    let list = include_str!("../../compiler/filetests/needs_addresses.txt");
    let mut names = list.lines().filter_map(|line| line.split_once(':'));
    let name = path.file_name().unwrap_or_default();
    target.abi != Abi::Addresses && names.any(|(n, _)| name == n)
}

#[test]
fn printf_writes_whole_records() {
    let Some(device) = device() else { return };
    let text = std::fs::read_to_string(filetests("ir/vulkan/printf.ir")).expect("printf.ir");
    let mut module = parse_module(&text).expect("parses");
    let target = for_driver(&device, Target::reference());
    lowering_passes::lower(&mut module, &target).expect("lowers");
    let words = vulkan::emit(&module, &target, &LowerOptions::default())
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
    let with_addresses = for_driver(&device, Target::reference());
    let [rich, poor] = descriptor_targets(with_addresses.clone());
    for target in [with_addresses, rich, poor] {
        run_interpreter_files(&device, &target);
    }
}

/// Returns whether a dispatch of this test can run it: each argument has a buffer of its own, and
/// buffers are all that is compared.
fn on_device(run: &Run) -> bool {
    let plain = |arg: &FileArg| match arg {
        FileArg::Buffer { addresses, .. } => addresses.is_empty(),
        FileArg::Alias { .. } | FileArg::Pipe { .. } | FileArg::Queue => false,
        FileArg::Image { .. } | FileArg::Sampler(_) => false,
        _ => true,
    };
    run.args.iter().all(plain) && run.printf.is_empty() && run.error.is_none()
}

fn emitted(text: &str, target: &Target) -> Result<Vec<u32>, LowerError> {
    let mut module = parse_module(text).expect("parses");
    let options = LowerOptions::default();
    let ctx = Ctx {
        target,
        options: &options,
    };
    run_pipeline(&mut module, &ctx, &mut |_, _| {})?;
    Ok(vulkan::emit(&module, target, &options)?.words)
}

fn run_interpreter_files(device: &LogicalDevice, target: &Target) {
    let mut failures = Failures::default();
    let mut ran = 0;
    // What is written as SPIR-V there is the importer's and the interpreter's.
    for path in files(&filetests("ir/run"), &["ir"], 20) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let file = KernelFile::parse(&text).expect("directives");
        if directive::has_flag(&text, "no pipeline") || !file.runs.iter().all(on_device) {
            continue;
        }
        let words = match emitted(&text, target) {
            Ok(_) if needs_addresses(target, &path) => {
                failures.add(&path, "needs no addresses");
                continue;
            }
            Ok(words) => words,
            Err(e) if needs_addresses(target, &path) => {
                assert!(e.message.contains("device addresses"), "{e}");
                continue;
            }
            Err(e) => {
                failures.add(&path, e);
                continue;
            }
        };
        for run in &file.runs {
            let range = range(run);
            if (0..3).any(|i| range.global[i] % range.local[i] != 0) {
                continue;
            }
            let arguments = Arguments::of(run).expect("arguments");
            let (output, _) = dispatch(device, &words, &run.kernel, &arguments.inputs, &range);
            failures.take(&path, arguments.check(run, &output.buffers));
            ran += 1;
        }
    }
    failures.finish();
    assert!(ran > 20 || filtered(), "the file tests are there");
}

/// Returns whether only some files are asked for.
fn filtered() -> bool {
    std::env::var_os("PUMICE_FILETEST").is_some()
}

/// Random control flow with divergent work-items: the structurizer's output on a device.
#[test]
fn random_control_flow_on_the_device() {
    let Some(device) = device() else { return };
    let mut random = random_cfg::Random(5);
    let target = for_driver(&device, Target::reference());
    let options = LowerOptions::default();
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let range = NdRange::linear(32, 32);
    for _ in 0..150 {
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
        run_pipeline(&mut module, &ctx, &mut |_, _| {}).expect("lowers");
        let words = vulkan::emit(&module, &target, &options)
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

/// An inner loop with two exits, whose values the outer loop goes on with.
const TWO_EXITS: &str = r#"kernel "k" fn0 {
  pointer global
  value i32
}

func fn0 "k"(ptr.global, i32) -> () export {
block0(v0: ptr.global, v1: i32):
  v2: i64 = builtin.local_linear_id
  v3: i32 = trunc v2
  v4: i32 = and v3, i32 31
  v5: i32 = iadd v1, v4
  v6: i64 = imul v2, i64 512
  v7: ptr.global = ptr_add v0, v6
  jump block1(i32 0, v5)
block1(v100: i32, v101: i32):
  v102: i64 = zext v100
  v107: i64 = imul v102, i64 4
  v104: ptr.global = ptr_add v7, v107
  store v104, i32 1, align 4
  v103: i32 = iadd v100, i32 1
  v108: i32 = imul v101, i32 1664525
  v105: i32 = iadd v108, i32 1013904224
  v106: bool = icmp.uge v103, i32 60
  branch v106, block4, block1001
block1001:
  jump block3(v103, v105)
block2(v120: i32, v121: i32):
  v122: i64 = zext v120
  v127: i64 = imul v122, i64 4
  v124: ptr.global = ptr_add v7, v127
  store v124, i32 2, align 4
  v123: i32 = iadd v120, i32 1
  v128: i32 = imul v121, i32 1664525
  v125: i32 = iadd v128, i32 1013904225
  v126: bool = icmp.uge v123, i32 60
  branch v126, block4, block1002
block1002:
  v129: i32 = lshr v125, i32 21
  v130: i32 = and v129, i32 1
  v131: bool = icmp.eq v130, i32 0
  branch v131, block3(v123, v123), block1(v123, v123)
block3(v140: i32, v141: i32):
  v142: i64 = zext v140
  v147: i64 = imul v142, i64 4
  v144: ptr.global = ptr_add v7, v147
  store v144, i32 3, align 4
  v143: i32 = iadd v140, i32 1
  v148: i32 = imul v141, i32 1664525
  v145: i32 = iadd v148, i32 1013904226
  v146: bool = icmp.uge v143, i32 60
  branch v146, block4, block1003
block1003:
  v149: i32 = lshr v145, i32 13
  v150: i32 = and v149, i32 1
  v151: bool = icmp.eq v150, i32 0
  branch v151, block1(v143, v145), block2(v143, v145)
block4:
  return
}
"#;

/// The quirk's row is right: without its rewriting the driver that needs it gets the values of
/// another round, with it all are right everywhere.
#[test]
fn values_leave_loops_as_they_were_when_the_work_item_left() {
    let Some(device) = device() else { return };
    let kind = QuirkKind::LoopValuesByPhi;
    let needed = for_driver(&device, Target::reference()).quirks.has(kind);
    let text = TWO_EXITS;
    let inputs = Inputs {
        buffers: vec![vec![0; 512 * 32]],
        args: vec![
            Arg::Buffer {
                index: 0,
                offset: 0,
            },
            Arg::Bytes(117_939_872_i32.to_le_bytes().to_vec()),
        ],
    };
    let range = NdRange::linear(32, 32);
    let module = parse_module(text).expect("parses");
    let want = interp::run(&module, "k", &inputs, &range, &Options::default()).expect("runs");
    for quirks in [Quirks::NONE, Quirks::NONE.with(kind)] {
        let target = Target {
            quirks,
            ..Target::reference()
        };
        let options = LowerOptions::default();
        let ctx = Ctx {
            target: &target,
            options: &options,
        };
        let mut module = parse_module(text).expect("parses");
        run_pipeline(&mut module, &ctx, &mut |_, _| {}).expect("lowers");
        let words = vulkan::emit(&module, &target, &options)
            .expect("emits")
            .words;
        let (got, _) = dispatch(&device, &words, "k", &inputs, &range);
        assert_eq!(
            got.buffers == want.buffers,
            quirks.has(kind) || !needed,
            "{quirks:?}"
        );
    }
}
