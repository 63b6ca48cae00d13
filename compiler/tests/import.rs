//! File tests of the importer: SPIR-V assembly in, IR text out, pinned beside the file.
//! Bad modules end in an error that is pinned the same way, and never in a panic.

use pumice_backend::import::{SpecConstants, VariableForm, import, import_as};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::run_pipeline;
use pumice_compiler::{KernelModule, LowerOptions, Target, backend, lower};
use pumice_filetests::golden::{Failures, compare, files};
use pumice_ir::text::module_to_text;
use pumice_test_support::filetests;
use pumice_test_support::spirv_tools;
use std::path::{Path, PathBuf};

fn all_files() -> Vec<PathBuf> {
    files(&filetests("import"), &["spvasm"], 1)
}

/// `; spec: <SpecId> = <value>` lines.
fn spec_constants(text: &str) -> SpecConstants {
    text.lines()
        .filter_map(|line| line.strip_prefix("; spec: "))
        .map(|line| {
            let (id, value) = line.split_once(" = ").expect("; spec: id = value");
            (id.parse().expect("an id"), value.parse().expect("a value"))
        })
        .collect()
}

/// The form that a line `; variables: values` or `; variables: zeroed values` asks for.
fn variable_form(text: &str) -> VariableForm {
    let line = (text.lines()).find_map(|line| line.strip_prefix("; variables: "));
    match line {
        None => VariableForm::Memory,
        Some("values") => VariableForm::Values { zero: false },
        Some("zeroed values") => VariableForm::Values { zero: true },
        Some(other) => panic!("variables are not {other}"),
    }
}

#[test]
fn every_file_is_imported_as_blessed() {
    if spirv_tools::missing() {
        return;
    }
    let mut failures = Failures::default();
    for path in all_files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let words = spirv_tools::assemble(&text);
        // Modules that are wrong on purpose say so.
        if !text.contains("; invalid") {
            // The environment of OpenCL 2.2 ends at SPIR-V 1.2.
            let environment = match spirv_tools::version(&text) {
                "1.0" | "1.1" | "1.2" => "opencl2.2".to_string(),
                version => format!("spv{version}"),
            };
            failures.take(&path, spirv_tools::validate(&words, &environment));
        }
        let got = match import_as(&words, &spec_constants(&text), variable_form(&text)) {
            Ok(module) => module_to_text(&module),
            Err(error) => format!("error: {error}\n"),
        };
        failures.take(&path, compare(&path, "ir", &got));
    }
    failures.finish();
}

#[test]
fn the_other_byte_order_gives_the_same_module() {
    if spirv_tools::missing() {
        return;
    }
    for path in all_files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let words = spirv_tools::assemble(&text);
        let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
        let spec = spec_constants(&text);
        let show = |words: &[u32]| import(words, &spec).map(|module| module_to_text(&module));
        assert_eq!(show(&words), show(&swapped), "{}", path.display());
    }
}

#[test]
fn broken_headers_are_refused() {
    if spirv_tools::missing() {
        return;
    }
    let spec = SpecConstants::default();
    let message = |words: &[u32]| import(words, &spec).expect_err("refused").message;
    assert_eq!(message(&[]), "a SPIR-V module has at least five words");
    assert_eq!(
        message(&[1, 0x1_0200, 0, 1, 0]),
        "this is no SPIR-V: wrong magic number"
    );
    assert_eq!(
        message(&[0x0723_0203, 0x1_0700, 0, 1, 0]),
        "SPIR-V version word 0x00010700 is not one of 1.0 to 1.6"
    );
    assert_eq!(
        message(&[0x0723_0203, 0x1_0200, 0, 1, 0]),
        "the module has no OpMemoryModel"
    );
}

/// Initializers and finalizers reach the runtime in a set of our own, and without it they are
/// kernels like others.
#[test]
fn the_vulkan_module_names_initializers_and_finalizers() {
    if spirv_tools::missing() {
        return;
    }
    let path = "filetests/import/initializer_kernels.spvasm";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let module = KernelModule {
        words: spirv_tools::assemble(&std::fs::read_to_string(path).expect("readable")),
        is_library: false,
    };
    let outcome = lower(&module, &Target::reference(), &LowerOptions::default());
    let vulkan = outcome.output.expect(&outcome.log);
    let reflection = pumice_reflection::read(&vulkan.words).expect("reflection");
    let kernels: Vec<&str> = reflection.kernels().map(|k| k.name.as_str()).collect();
    let roles: Vec<(&str, &str)> = (reflection.roles.iter())
        .map(|role| (role.name(), kernels[role.kernel().0 as usize]))
        .collect();
    assert_eq!(
        roles,
        [
            ("Initializer", "_GLOBAL__sub_I_a.cl"),
            ("Initializer", "both"),
            ("Finalizer", "both"),
            ("Finalizer", "down"),
        ]
    );
    let bare = pumice_reflection::strip_set(&vulkan.words, pumice_reflection::PUMICE_SET);
    let without = pumice_reflection::read(&bare).expect("reflection");
    assert!(without.roles.is_empty());
    assert_eq!(without.instructions, reflection.instructions);
    let stripped = pumice_reflection::strip_non_semantic(&vulkan.words);
    spirv_tools::validate(&stripped, "vulkan1.2").unwrap();
}

/// Deterministic noise (xorshift64).
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }
}

/// Changes words, swaps them, drops and repeats instructions, cuts the end off.
fn mutate(words: &[u32], noise: &mut Noise) -> Vec<u32> {
    let mut words = words.to_vec();
    for _ in 0..1 + noise.next(4) {
        let at = 3 + noise.next(words.len() - 3);
        match noise.next(7) {
            0 => words[at] = noise.next(64) as u32,
            1 => words[at] ^= 1 << noise.next(32),
            2 => words[at] = words[3 + noise.next(words.len() - 3)],
            3 => {
                let other = 3 + noise.next(words.len() - 3);
                words.swap(at, other);
            }
            4 => words[at] = u32::MAX,
            5 => words[at] = words[at].wrapping_add(1),
            _ => words.truncate(at.max(8)),
        }
    }
    words
}

#[test]
fn mutated_modules_never_panic() {
    if spirv_tools::missing() {
        return;
    }
    let (rounds, target) = (400, Target::reference());
    for path in all_files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let words = spirv_tools::assemble(&text);
        let options = LowerOptions {
            spec_constants: spec_constants(&text).into_iter().collect(),
            ..LowerOptions::default()
        };
        let mut noise = Noise(0x1234_5678_9ABC_DEF1);
        for _ in 0..rounds {
            let mutated = mutate(&words, &mut noise);
            // Either result is fine; the test is that the call returns.
            let module = KernelModule {
                words: mutated,
                is_library: false,
            };
            let _ = import_as(
                &module.words,
                &SpecConstants::default(),
                VariableForm::Memory,
            );
            if let Ok(mut ir) = backend::to_ir(&module.words, &target, &options) {
                let ctx = Ctx {
                    target: &target,
                    options: &options,
                };
                let _ = run_pipeline(&mut ir, &ctx, &mut |_, _| {});
            }
        }
    }
}
