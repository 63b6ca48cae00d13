//! Vulkan modules from outside: one that is sound, and what is refused of it when a line is another.

use pumice_compiler::vulkan_check::check;
use pumice_test_support::spirv_tools;
use std::path::Path;

/// The module of the client that passes one to clCreateProgramWithBinary.
fn text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/vulkan_module.spvasm");
    std::fs::read_to_string(path).expect("vulkan_module.spvasm")
}

fn assemble(text: &str) -> Vec<u32> {
    spirv_tools::assemble(&format!("; version: 1.3\n{text}"))
}

#[test]
fn a_sound_module_is_taken() {
    if spirv_tools::missing() {
        return;
    }
    let words = assemble(&text());
    spirv_tools::validate(&pumice_reflection::strip_non_semantic(&words), "vulkan1.1").unwrap();
    assert_eq!(check(&words), Ok(()));
}

/// A line, another in its place, and how the message ends.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "%uint = OpTypeInt 32 0",
        "%uint = OpTypeInt 33 0",
        "width 33, sign 0",
    ),
    (
        "%v3 = OpTypeVector %uint 3",
        "%v3 = OpTypeVector %uint 5",
        "5 components",
    ),
    (
        "OpDecorate %sx SpecId 0",
        "OpDecorate %buf SpecId 0",
        "decoration 1 on something else than it is for",
    ),
    (
        "OpDecorate %wgsize BuiltIn WorkgroupSize",
        "OpDecorate %wgsize Constant",
        "decoration 22 is none of compute modules",
    ),
    (
        "OpDecorate %wgsize BuiltIn WorkgroupSize",
        "OpDecorate %wgsize BuiltIn FragCoord",
        "built-in 15 is none of compute modules",
    ),
    (
        "OpDecorate %wgsize BuiltIn WorkgroupSize\n",
        "",
        "the kernel has no work-group size",
    ),
    (
        "OpMemberDecorate %pcblock 1 Offset 16",
        "OpMemberDecorate %pcblock 7 Offset 16",
        "has no member 7",
    ),
    (
        "OpEntryPoint GLCompute %scale \"scale\"",
        "OpEntryPoint GLCompute %uint \"scale\"",
        "is a Type, not a [Function]",
    ),
    (
        "OpReturn\nOpFunctionEnd\n%reverse",
        "OpFunctionEnd\n%reverse",
        "the block before it has no end",
    ),
    (
        "OpReturn\nOpFunctionEnd\n%reverse",
        "OpReturn\nOpReturn\nOpFunctionEnd\n%reverse",
        "outside blocks",
    ),
];

#[test]
fn what_does_not_hold_is_named() {
    if spirv_tools::missing() {
        return;
    }
    let text = text();
    for (line, other, message) in BROKEN {
        assert!(text.contains(line), "{line}");
        let words = assemble(&text.replacen(line, other, 1));
        let error = check(&words).expect_err(other);
        assert!(error.ends_with(message), "{other}: {error}");
    }
}

/// Changes a module.
type Spoil<'a> = &'a dyn Fn(&mut Vec<u32>);

/// The word of `words` that the first instruction of this opcode has at `operand`.
fn operand(words: &mut [u32], opcode: u32, operand: usize) -> &mut u32 {
    let found = pumice_spirv::instructions(words)
        .flatten()
        .find(|inst| u32::from(inst.opcode) == opcode);
    let at = found.expect("an instruction of the opcode").at;
    &mut words[at + operand]
}

#[test]
fn ids_and_types_are_held_together() {
    if spirv_tools::missing() {
        return;
    }
    let sound = assemble(&text());
    let bound = sound[3];
    let spoilt = |spoil: Spoil<'_>| {
        let mut words = sound.clone();
        spoil(&mut words);
        check(&words).expect_err("spoilt")
    };
    let cases: [(Spoil<'_>, &str); 8] = [
        (
            &|w| w[3] = u32::MAX,
            "the id bound 4294967295 is above the limit of 4194303",
        ),
        (&|w| *operand(w, 61, 3) = bound, "an id out of bounds"),
        (&|w| *operand(w, 61, 3) = 0, "an id out of bounds"),
        (&|w| w[3] += 1, ""),
        // OpLoad through what is no pointer, and with another type than its pointer's.
        (
            &|w| *operand(w, 61, 3) = *operand(w, 43, 2),
            "is no pointer",
        ),
        (&|w| *operand(w, 61, 1) = *operand(w, 21, 1), "is wanted"),
        // OpIMul, OpExtInst's set, OpTypePointer's pointee.
        (
            &|w| *operand(w, 132, 1) = *operand(w, 23, 1),
            "operands and result are of different types",
        ),
        (
            &|w| *operand(w, 12, 3) = *operand(w, 21, 1),
            "is a Type, not a [InstructionSet]",
        ),
    ];
    for (spoil, message) in cases {
        if message.is_empty() {
            // A bound that is larger than need be is sound.
            let mut words = sound.clone();
            spoil(&mut words);
            assert_eq!(check(&words), Ok(()));
            continue;
        }
        let error = spoilt(spoil);
        assert!(error.ends_with(message), "{error}, not {message}");
    }
    // Cut anywhere, and any word anything: an answer, never a panic.
    for length in 0..sound.len() {
        let _ = check(&sound[..length]);
    }
    for at in 0..sound.len() {
        for bit in 0..32 {
            let mut words = sound.clone();
            words[at] ^= 1 << bit;
            let _ = check(&words);
        }
    }
}
