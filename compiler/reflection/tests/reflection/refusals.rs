//! Broken modules are refused with an error that names what is wrong, and never more than that.

use crate::common::Arg::{C, Function, Info, Kernel as K, S};
use crate::common::{Arg, FUNCTION, Module, SET, U32, VARIABLE, VOID, plain_module};
use pumice_reflection::{
    DataDescriptor, HexBytes, Instruction, ReadError, embed, read, strip_non_semantic, strip_set,
};
use pumice_spirv::{Malformed, instructions, op, push_inst, push_string};

#[test]
fn headers() {
    let words = Module::with_kernel(5).words();
    assert_eq!(
        read(&[]),
        Err(ReadError::Malformed(Malformed::NoHeader { words: 0 }))
    );
    assert_eq!(
        read(&words[..4]),
        Err(ReadError::Malformed(Malformed::NoHeader { words: 4 }))
    );
    let mut swapped = words.clone();
    swapped[0] = swapped[0].swap_bytes();
    assert_eq!(
        read(&swapped),
        Err(ReadError::Malformed(Malformed::BadMagic {
            word: 0x0302_2307
        }))
    );
    for bound in [0, 4_194_304, u32::MAX] {
        let mut bad = words.clone();
        bad[3] = bound;
        assert_eq!(
            read(&bad),
            Err(ReadError::Malformed(Malformed::BadBound { bound }))
        );
    }
    let mut low = words;
    low[3] = 4;
    assert!(matches!(
        read(&low),
        Err(ReadError::IdOutOfBound { bound: 4, .. })
    ));
}

#[test]
fn imports() {
    assert_eq!(read(&plain_module()), Err(ReadError::NoReflection));
    for bad in ["", "0", "x", "+5", " 5", "5 ", "99999999999", "5.1"] {
        let mut module = Module::with_kernel(5);
        let name = format!("NonSemantic.ClspvReflection.{bad}");
        module.import = Some(name.clone());
        assert_eq!(read(&module.words()), Err(ReadError::BadRevision { name }));
    }
    let mut other = Module::with_kernel(5);
    other.import = Some("NonSemantic.Other.5".into());
    assert_eq!(read(&other.words()), Err(ReadError::NoReflection));

    let mut without = Module::with_kernel(5);
    without.extension = false;
    assert_eq!(read(&without.words()), Err(ReadError::MissingExtension));
    without.version = (1, 6);
    assert!(read(&without.words()).is_ok());

    let mut twice = Module::with_kernel(5).words();
    twice[3] += 1;
    let mut import = vec![twice[3] - 1];
    push_string(&mut import, b"NonSemantic.ClspvReflection.5");
    push_inst(&mut twice, op::EXT_INST_IMPORT, &import);
    assert_eq!(read(&twice), Err(ReadError::DuplicateImport));
}

#[test]
fn unknown_numbers() {
    for (revision, number) in [(1, 0), (5, 43), (6, 99), (7, 43)] {
        let mut module = Module::with_kernel(revision);
        module.instructions.push((number, vec![]));
        assert_eq!(
            read(&module.words()),
            Err(ReadError::UnknownInstruction { number, revision })
        );
    }
    // A newer revision may have brought it: skipped and told.
    let mut newer = Module::with_kernel(8);
    newer.instructions.push((43, vec![C(1), S("x")]));
    newer.instructions.push((14, vec![C(6)]));
    let reflection = read(&newer.words()).unwrap();
    assert_eq!(
        (reflection.skipped, reflection.instructions.len()),
        (vec![43], 2)
    );
    // WorkgroupVariableSize is met in modules of revision 5.
    let mut old = Module::with_kernel(5);
    old.instructions.push((42, vec![Arg::Variable, C(16)]));
    assert_eq!(read(&old.words()).unwrap().instructions.len(), 2);
}

#[test]
fn kernel_operands_by_revision() {
    let two = vec![Function, S("k")];
    let five = [two.clone(), vec![C(0), C(0), S("")]].concat();
    for revision in 1..=7 {
        for (operands, of_revision_5) in [(&two, false), (&five, true)] {
            let mut module = Module::new(revision);
            module.instructions.push((1, operands.clone()));
            let result = read(&module.words());
            assert_eq!(
                result.is_ok(),
                of_revision_5 == (revision >= 5),
                "{revision}: {result:?}"
            );
        }
    }
}

#[test]
fn kernels_are_entry_points() {
    let mut module = Module::new(1);
    module.instructions.push((1, vec![Function, S("other")]));
    let name = "other".to_string();
    assert_eq!(
        read(&module.words()),
        Err(ReadError::NotAnEntryPoint {
            name,
            function: FUNCTION
        })
    );
}

#[test]
fn forward_references() {
    let mut module = Module::new(5);
    module.instructions.push((24, vec![K, C(1), C(1), C(1)]));
    module
        .instructions
        .push((1, vec![Function, S("k"), C(0), C(0), S("")]));
    assert!(matches!(
        read(&module.words()),
        Err(ReadError::WrongOperand {
            operand: "Kernel",
            ..
        })
    ));
    let mut module = Module::with_kernel(5);
    module
        .instructions
        .push((3, vec![K, C(0), C(0), C(0), Info]));
    module.instructions.push((2, vec![S("late")]));
    assert!(matches!(
        read(&module.words()),
        Err(ReadError::WrongOperand {
            operand: "ArgInfo",
            ..
        })
    ));
}

#[test]
fn result_type_and_ids() {
    // Retype the last instruction, and give it the id of the one before.
    let words = Module::with_kernel(5).words();
    let last = instructions(&words).map(Result::unwrap).last().unwrap();
    let mut typed = words.clone();
    typed[last.at + 1] = U32;
    assert_eq!(
        read(&typed),
        Err(ReadError::NotVoid {
            instruction: "Kernel"
        })
    );
    let mut again = words.clone();
    again[last.at + 2] = VARIABLE;
    assert_eq!(read(&again), Err(ReadError::DuplicateId { id: VARIABLE }));
    assert_ne!((VOID, SET), (U32, VARIABLE));
}

#[test]
fn hexadecimal_data() {
    for bad in ["0", "0g", "ab c", "0x12", "é"] {
        let mut module = Module::with_kernel(5);
        module.instructions.push((21, vec![C(0), C(0), S(bad)]));
        assert!(
            matches!(read(&module.words()), Err(ReadError::BadHex { .. })),
            "{bad}"
        );
    }
    let mut module = Module::with_kernel(5);
    module
        .instructions
        .push((21, vec![C(0), C(0), S("aAFf09")]));
    let reflection = read(&module.words()).unwrap();
    let expected = Instruction::ConstantDataStorageBuffer(DataDescriptor {
        set: 0,
        binding: 0,
        data: HexBytes(vec![0xaa, 0xff, 0x09]),
    });
    assert_eq!(reflection.instructions.last(), Some(&expected));
}

/// Every prefix is refused or read; none panics. Shorter than the last reflection instruction, it
/// cannot read the same.
#[test]
fn truncation() {
    let whole = full_module();
    let complete = read(&whole).unwrap();
    for length in 0..whole.len() {
        if let Ok(reflection) = read(&whole[..length]) {
            assert_ne!(reflection, complete, "{length}");
        }
        let _ = strip_non_semantic(&whole[..length]);
        let _ = embed(&whole[..length], &complete);
    }
}

/// Words replaced, swapped, removed and repeated by a fixed generator: any answer but a panic,
/// and what is read can be written and read again.
#[test]
fn mutations() {
    let original = full_module();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let mut read_well = 0;
    for _ in 0..20_000 {
        let mut words = original.clone();
        for _ in 0..=random(3) {
            let at = random(words.len());
            match random(6) {
                0 => words[at] = random(usize::MAX) as u32,
                1 => words[at] ^= 1 << random(32),
                2 => words[at] = random(64) as u32,
                3 => {
                    let other = random(words.len());
                    words.swap(at, other);
                }
                4 => {
                    words.remove(at);
                }
                _ => words.insert(at, random(1 << 20) as u32),
            }
        }
        let _ = strip_non_semantic(&words);
        if let Ok(reflection) = read(&words) {
            read_well += 1;
            let written = embed(&strip_non_semantic(&words), &reflection);
            if let Some(again) = written.ok().and_then(|written| read(&written).ok()) {
                assert_eq!(again.instructions, reflection.instructions);
            }
        }
    }
    assert!(read_well > 100, "{read_well}");
}

fn full_module() -> Vec<u32> {
    let mut module = Module::with_kernel(6);
    module.instructions.extend([
        (2, vec![S("x"), S("int"), C(3), C(4), C(0)]),
        (7, vec![K, C(0), C(0), C(4), Info]),
        (12, vec![C(0), C(1), C(2)]),
        (24, vec![K, C(1), C(1), C(1)]),
        (37, vec![C(8), C(8), S("0011223344556677")]),
        (29, vec![C(0), C(0), C(8)]),
        (38, vec![C(0), S("%d\n"), C(4)]),
        (40, vec![C(16), C(8), C(1024)]),
        (41, vec![K, C(0), C(24), C(4)]),
    ]);
    module.words()
}

#[test]
fn stripping() {
    let plain = plain_module();
    let with = full_module();
    let stripped = strip_non_semantic(&with);
    assert!(stripped.len() < with.len());
    for inst in instructions(&stripped).map(Result::unwrap) {
        assert!(![op::EXT_INST, op::EXT_INST_IMPORT, op::EXTENSION].contains(&inst.opcode));
    }
    assert_eq!(strip_non_semantic(&plain), plain);

    // A second set: an import, an instruction, a name for it.
    let mut two = embed(&plain, &read(&with).unwrap()).unwrap();
    let before = two.clone();
    let (set, result) = (two[3], two[3] + 1);
    two[3] += 2;
    let first_import = instructions(&two)
        .map(Result::unwrap)
        .find(|inst| inst.opcode == op::EXT_INST_IMPORT)
        .unwrap()
        .at;
    let mut operands = vec![set];
    push_string(&mut operands, b"NonSemantic.Pumice.1");
    let mut import = Vec::new();
    push_inst(&mut import, op::EXT_INST_IMPORT, &operands);
    two.splice(first_import..first_import, import);
    push_inst(&mut two, op::EXT_INST, &[VOID, result, set, 1]);
    let mut name = vec![result];
    push_string(&mut name, b"named");
    push_inst(&mut two, op::NAME, &name);
    let mut one = strip_set(&two, "NonSemantic.Pumice.1");
    one[3] = before[3];
    assert_eq!(one, before);
    let mut none = strip_non_semantic(&two);
    none[3] = before[3];
    assert_eq!(none, strip_non_semantic(&before));
    assert_eq!(strip_set(&two, "NonSemantic.Absent.1"), two);
}

/// A format string need not be UTF-8; a name must be.
#[test]
fn strings_that_are_not_utf8() {
    let mut module = Module::with_kernel(5);
    module.instructions.push((38, vec![C(0), S("~~~~"), C(4)]));
    let mut words = module.words();
    let at = words
        .iter()
        .position(|&word| word == u32::from_le_bytes(*b"~~~~"))
        .unwrap();
    words[at] = 0xfefd_fcff;
    let reflection = read(&words).unwrap();
    let Some(Instruction::PrintfInfo(info)) = reflection.instructions.last() else {
        panic!("{reflection:?}");
    };
    assert_eq!(info.format.0, [0xff, 0xfc, 0xfd, 0xfe]);
    assert_eq!(
        read(&embed(&plain_module(), &reflection).unwrap()).unwrap(),
        reflection
    );

    let mut module = Module::with_kernel(5);
    module.instructions.push((2, vec![S("~~~~")]));
    let mut words = module.words();
    words[at] = 0xfefd_fcff;
    let result = read(&words);
    assert!(
        matches!(result, Err(ReadError::NotUtf8 { .. })),
        "{result:?}"
    );
}
