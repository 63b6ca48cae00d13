//! File tests of the lowering passes and the Vulkan emitter.
//!
//! Each `.ir` file is verified, lowered, verified after every pass and emitted; the module must
//! please spirv-val. What the file runs (see [`KernelFile`]) runs in the interpreter before and
//! after lowering: the buffers must agree. `; snapshot` pins the disassembly, for a driver with the quirks behind
//! `; quirks:`.

use pumice_backend::vulkan;
use pumice_compiler::target::{Arithmetic, FloatAtomics, QuirkKind, SubgroupOps};
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::golden::{Failures, compare, files};
use pumice_filetests::{KernelFile, Run, directive};
use pumice_interp::{self as interp, Options, Output};
use pumice_ir::text::{module_to_text, parse_module};
use pumice_ir::{Module, verify};
use pumice_test_support::runs::{Arguments, range};
use pumice_test_support::spirv_tools;
use pumice_test_support::{KEEPING_MODES, filetests};
use std::path::Path;

/// Devices that differ in what they promise: everything, and hardly anything.
fn other_targets() -> [Target; 2] {
    use QuirkKind::{
        DivideInDoubles, IndexesShiftedWide, LoadsIgnoreBranches, LocalIdsFromLanes,
        LocalMemoryInBuffers, LoopsOverLanes, ReadBySampler, SubGroupsInRows, VectorsByWords,
    };
    let rich = Target {
        float_controls: [KEEPING_MODES; 3],
        amd_shader_ballot: true,
        float_atomics: FloatAtomics {
            add_f32: true,
            add_f64: true,
            min_max_f32: true,
            min_max_f64: true,
        },
        subgroup: SubgroupOps {
            clustered: true,
            rotate: true,
            ..Target::reference().subgroup
        },
        quirks: [
            VectorsByWords,
            LocalIdsFromLanes,
            LoopsOverLanes,
            DivideInDoubles,
            IndexesShiftedWide,
            LocalMemoryInBuffers,
            ReadBySampler,
        ]
        .into_iter()
        .collect(),
        max_push_constants_size: 256,
        ..Target::reference()
    };
    let poor = Target {
        vulkan_memory_model: false,
        memory_model_device_scope: false,
        arithmetic: Arithmetic {
            exact_fma_f32: false,
            ..Arithmetic::exact()
        },
        quirks: [SubGroupsInRows, LoadsIgnoreBranches].into_iter().collect(),
        max_push_constants_size: 96,
        ..Target::reference()
    };
    [rich, poor]
}

fn check_other_targets(text: &str) -> Result<(), String> {
    for target in other_targets() {
        let mut module = parse_module(text).map_err(|e| e.to_string())?;
        pumice_test_support::lowering_passes::lower(&mut module, &target)?;
        let words = vulkan::emit(&module, &target, &LowerOptions::default())
            .map_err(|e| e.to_string())?
            .words;
        spirv_tools::validate(&pumice_reflection::strip_non_semantic(&words), "vulkan1.2")
            .map_err(|e| format!("{target:?}\n{e}\n{}", spirv_tools::disassemble(&words)))?;
    }
    Ok(())
}

/// Buffers after each run of a file.
fn outputs(module: &Module, runs: &[Run]) -> Result<Vec<Output>, String> {
    runs.iter()
        .map(|run| {
            let arguments = Arguments::of(run)?;
            let (inputs, range) = (&arguments.inputs, range(run));
            interp::run(module, &run.kernel, inputs, &range, &Options::default())
                .map_err(|e| format!("{e:?}\n{}", module_to_text(module)))
        })
        .collect()
}

fn check_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut module = parse_module(&text).map_err(|e| e.to_string())?;
    verify(&module).map_err(|e| e.to_string())?;
    let target = Target {
        quirks: directive::value(&text, "quirks")
            .unwrap_or_default()
            .parse()?,
        ..Target::reference()
    };
    let runs = KernelFile::parse(&text)?.runs;
    let before = outputs(&module, &runs).map_err(|e| format!("before: {e}"))?;
    pumice_test_support::lowering_passes::lower(&mut module, &target)?;
    // `; error: text` says what the emitter refuses.
    if let Some(expected) = directive::value(&text, "error") {
        let emitted = vulkan::emit(&module, &target, &LowerOptions::default());
        return match emitted {
            Err(e) if e.message == expected => Ok(()),
            Err(e) => Err(format!("says {e}")),
            Ok(_) => Err("is not refused".into()),
        };
    }
    let after = outputs(&module, &runs).map_err(|e| format!("after: {e}"))?;
    if before != after {
        return Err(format!(
            "the interpreter sees a difference\n{before:?}\n{after:?}"
        ));
    }
    let words = vulkan::emit(&module, &target, &LowerOptions::default())
        .map_err(|e| format!("{e}\n{}", module_to_text(&module)))?
        .words;
    // Older validators do not know the revision that some reflection needs.
    let stripped = pumice_reflection::strip_non_semantic(&words);
    spirv_tools::validate(&stripped, "vulkan1.2")
        .map_err(|e| format!("{e}\n{}", spirv_tools::disassemble(&words)))?;
    check_other_targets(&text)?;
    if directive::has_flag(&text, "snapshot") && !spirv_tools::missing() {
        compare(path, "spvasm", &spirv_tools::disassemble(&words))?;
    }
    Ok(())
}

#[test]
fn every_file_lowers_and_validates() {
    let mut failures = Failures::default();
    for path in files(&filetests("ir/vulkan"), &["ir"], 10) {
        failures.take(&path, check_file(&path));
    }
    failures.finish();
}

/// The kernels that use sub-groups, and no others, ask for maximal reconvergence where the device
/// has it.
#[test]
fn kernels_with_collectives_ask_for_reconvergence() {
    const EXECUTION_MODE: u32 = 3 << 16 | 16;
    const MAXIMALLY_RECONVERGES: u32 = 6023;
    let folder = filetests("ir/vulkan");
    for (name, has_mode, maximal_reconvergence) in [
        ("subgroups", true, true),
        ("subgroups", false, false),
        ("vector_add", false, true),
    ] {
        let path = folder.join(name).with_extension("ir");
        let text = std::fs::read_to_string(path).expect("readable");
        let mut module = parse_module(&text).expect("parses");
        let target = Target {
            maximal_reconvergence,
            ..Target::reference()
        };
        pumice_test_support::lowering_passes::lower(&mut module, &target).expect("lowers");
        let emitted = vulkan::emit(&module, &target, &LowerOptions::default()).expect("emits");
        let mut instructions = emitted.words.windows(3);
        let found = instructions.any(|w| w[0] == EXECUTION_MODE && w[2] == MAXIMALLY_RECONVERGES);
        assert_eq!(found, has_mode, "{name}");
        let bytes: Vec<u8> = emitted.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let named = bytes
            .windows(27)
            .any(|text| text == b"SPV_KHR_maximal_reconvergen");
        assert_eq!(named, has_mode, "{name}");
    }
}
