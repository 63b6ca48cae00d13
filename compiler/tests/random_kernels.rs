//! Random programs (`pumice_test_support::random_programs`) through the compiler: the passes keep what a program
//! computes, and what is emitted is valid. `pumice-difffuzz` runs many more, on devices.

use pumice_compiler::{LowerOptions, lower};
use pumice_filetests::directive;
use pumice_test_support::build::{compiled, linked_alone};
use pumice_test_support::random_programs::{
    check_low_devices, enqueueing_program, expectations, grid_program, program, target_of,
};
use pumice_test_support::spirv_tools;
use std::ops::RangeInclusive;

/// Checks that the passes keep what the programs of these seeds compute.
fn check(generate: fn(u64) -> String, seeds: RangeInclusive<u64>) {
    for seed in seeds {
        let text = generate(seed);
        if let Err(why) = expectations(&text) {
            panic!("seed {seed}: {why}\n{text}");
        }
    }
}

#[test]
fn passes_keep_what_programs_compute() {
    check(program, 1..=60);
}

#[test]
fn passes_keep_what_enqueued_kernels_compute() {
    check(enqueueing_program, 1..=12);
}

#[test]
fn passes_keep_what_grids_compute() {
    check(grid_program, 1..=40);
}

/// The seeds of a longer run by hand, FIRST..LAST.
const SEEDS: &str = "PUMICE_SEEDS";

#[test]
fn low_devices_compute_the_same() {
    let seeds = std::env::var(SEEDS).unwrap_or_else(|_| "200..215".to_string());
    let (first, last) = seeds.split_once("..").expect("FIRST..LAST");
    let [first, last] = [first, last].map(|seed| seed.parse::<u64>().expect("a seed"));
    let mut wrong = Vec::new();
    for seed in first..last {
        let text = program(seed);
        if let Err(why) = check_low_devices(&text) {
            eprintln!("seed {seed}: {why}");
            wrong.push(seed);
        }
    }
    assert!(wrong.is_empty(), "seeds {wrong:?}");
}

#[test]
fn a_seed_always_gives_the_same_program() {
    assert_eq!(program(7), program(7));
    assert_ne!(program(7), program(8));
}

#[test]
fn what_is_emitted_is_valid() {
    if spirv_tools::missing() {
        return;
    }
    for seed in 100..130 {
        let text = program(seed);
        let target = target_of(&text);
        let options = directive::value(&text, "options").unwrap_or_default();
        let module =
            compiled(&text, options, &target).unwrap_or_else(|log| panic!("seed {seed}: {log}"));
        let listing = spirv_tools::disassemble(&module.words);
        let environment = spirv_tools::kernel_environment(&module.words, &listing);
        spirv_tools::validate(&module.words, environment)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let linked = linked_alone(&module).expect("links");
        for opt_disable in [false, true] {
            let mut options = LowerOptions::default();
            options.math.opt_disable = opt_disable;
            let lowered = lower(&linked, &target, &options);
            let module = lowered
                .output
                .unwrap_or_else(|| panic!("seed {seed}: {}", lowered.log));
            // Validators may not know the reflection's version.
            let words = pumice_reflection::strip_non_semantic(&module.words);
            spirv_tools::validate(&words, "vulkan1.2")
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}
