//! Each instruction in both directions, against a table written from the specification.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::common::Arg::{C, Function, Info, Kernel as K, S, Variable};
use crate::common::{Arg, FUNCTION, Module, VARIABLE, plain_module};
use crate::table::{INFO, descriptor, table};
use pumice_filetests::skip::skip;
use pumice_reflection::{
    DescriptorArgument, FunctionId, Instruction, Kernel, PushArgument, ReadError, Reflection,
    SpecId, TABLE, embed, read, strip_non_semantic,
};
use pumice_spirv::{instructions, op, string};

/// A kernel and an argument info come first, so that references have something to name.
fn prologue(revision: u32) -> Module {
    let mut module = Module::with_kernel(revision);
    module.instructions.push((2, vec![S("x")]));
    module
}

#[test]
fn the_table_covers_every_instruction() {
    let mut covered: Vec<(u32, u32)> = table().iter().map(|row| (row.0, row.1)).collect();
    covered.dedup();
    let listed: Vec<(u32, u32)> = TABLE.iter().map(|row| (row.number, row.since)).collect();
    assert_eq!(covered, listed);
    assert_eq!(
        listed.iter().map(|row| row.0).collect::<Vec<_>>(),
        (1..=42).collect::<Vec<_>>()
    );
}

#[test]
fn each_instruction_is_read() {
    for (number, since, operands, expected) in table() {
        // Kernel in the table has its revision 5 operands.
        for revision in since.max(5)..=7 {
            let mut module = prologue(revision);
            module.instructions.push((number, operands.clone()));
            let reflection = read(&module.words()).unwrap_or_else(|e| panic!("{number}: {e}"));
            assert_eq!(reflection.revision, revision);
            assert_eq!(reflection.instructions.last(), Some(&expected), "{number}");
        }
    }
}

#[test]
fn each_instruction_is_gated_by_its_revision() {
    for (number, since, operands, _) in table() {
        let before = since - 1;
        if before == 0 || number == 42 {
            continue;
        }
        let mut module = prologue(before);
        module.instructions.push((number, operands));
        match read(&module.words()) {
            Err(ReadError::NewerInstruction {
                since: s, revision, ..
            }) => {
                assert_eq!((s, revision), (since, before), "{number}");
            }
            other => panic!("{number}: {other:?}"),
        }
    }
}

#[test]
fn each_instruction_needs_its_operands_and_no_more() {
    for (number, since, operands, _) in table() {
        let optional = match number {
            2 => operands.len() - 1,
            38 => operands.len() - 2,
            _ => usize::from(operands.last() == Some(&Info)),
        };
        let required = operands.len() - optional;
        for count in 0..operands.len() {
            let mut module = prologue(since.max(5));
            module
                .instructions
                .push((number, operands[..count].to_vec()));
            let result = read(&module.words());
            if count < required {
                assert!(
                    matches!(result, Err(ReadError::MissingOperand { .. })),
                    "{number} with {count}: {result:?}"
                );
            } else {
                assert!(result.is_ok(), "{number} with {count}: {result:?}");
            }
        }
        if number != 38 {
            let mut more = operands.clone();
            more.resize(7.max(operands.len()) + 1, Info);
            let mut module = prologue(since.max(5));
            module.instructions.push((number, more));
            let result = read(&module.words());
            assert!(
                matches!(
                    result,
                    Err(ReadError::ExtraOperands { .. } | ReadError::WrongOperand { .. })
                ),
                "{number}: {result:?}"
            );
        }
    }
}

#[test]
fn each_operand_kind_is_checked() {
    for (number, since, operands, _) in table() {
        for index in 0..operands.len() {
            // The module's label is none of the things that an operand can be.
            let mut wrong = operands.clone();
            wrong[index] = Arg::Id(crate::common::LABEL);
            let mut module = prologue(since.max(5));
            module.instructions.push((number, wrong));
            let result = read(&module.words());
            assert!(
                matches!(
                    result,
                    Err(ReadError::WrongOperand {
                        id: crate::common::LABEL,
                        ..
                    })
                ),
                "{number} operand {index}: {result:?}"
            );
        }
    }
}

/// Returns the written module's reflection instructions, with ids resolved.
fn resolve(words: &[u32]) -> (String, Vec<(u32, Vec<Arg>)>) {
    let mut ids: HashMap<u32, Arg> = HashMap::new();
    let (mut set, mut import, mut all) = (0, String::new(), Vec::new());
    ids.insert(FUNCTION, Function);
    ids.insert(VARIABLE, Variable);
    for inst in instructions(words) {
        let inst = inst.unwrap();
        let w = inst.operands;
        match inst.opcode {
            op::EXT_INST_IMPORT => {
                set = w[0];
                import = String::from_utf8(string(&w[1..]).unwrap().0).unwrap();
            }
            op::CONSTANT => {
                ids.insert(w[1], C(w[2]));
            }
            op::STRING => {
                let text = String::from_utf8(string(&w[1..]).unwrap().0).unwrap();
                ids.insert(w[0], S(text.leak()));
            }
            op::EXT_INST => {
                assert_eq!((w[0], w[2]), (crate::common::VOID, set));
                all.push((w[3], w[4..].iter().map(|id| ids[id].clone()).collect()));
                match w[3] {
                    1 => ids.insert(w[1], K),
                    2 => ids.insert(w[1], Info),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    (import, all)
}

#[test]
fn each_instruction_is_written() {
    for (number, since, operands, model) in table() {
        let mut reflection = read(&prologue(5).words()).unwrap();
        reflection.revision = 0;
        reflection.push(model.clone());
        let words = embed(&plain_module(), &reflection).unwrap();
        let (import, instructions) = resolve(&words);
        let revision = since.max(5);
        assert_eq!(
            import,
            format!("NonSemantic.ClspvReflection.{revision}"),
            "{number}"
        );
        assert_eq!(instructions.last(), Some(&(number, operands)), "{number}");

        let again = read(&words).unwrap();
        assert_eq!(again.instructions, reflection.instructions, "{number}");
        assert_eq!(again.revision, revision);

        let stripped = strip_non_semantic(&words);
        validate(&stripped);
        if revision <= 5 {
            validate(&words);
        }
    }
}

#[test]
fn the_lowest_revision_is_written() {
    let mut reflection = Reflection::default();
    let kernel = reflection.add_kernel(Kernel {
        function: FunctionId(FUNCTION),
        name: "k".into(),
        properties: None,
    });
    let cases = [
        (1, Instruction::SpecConstantWorkDim(SpecId { id: 1 })),
        (
            2,
            Instruction::SpecConstantSubgroupMaxSize(SpecId { id: 1 }),
        ),
        (
            3,
            Instruction::ArgumentPointerPushConstant(PushArgument {
                kernel,
                ordinal: 0,
                offset: 0,
                size: 8,
                info: None,
            }),
        ),
        (
            4,
            Instruction::ArgumentUniformTexelBuffer(DescriptorArgument {
                kernel,
                ordinal: 0,
                set: 0,
                binding: 0,
                info: None,
            }),
        ),
    ];
    for (revision, inst) in cases {
        reflection.push(inst);
        let words = embed(&plain_module(), &reflection).unwrap();
        assert_eq!(read(&words).unwrap().revision, revision);
    }
}

/// Runs spirv-val; skips where there is none.
pub fn validate(words: &[u32]) {
    let child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.2", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return skip("spirv-val is not installed");
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[test]
fn the_listing_names_every_operand() {
    let mut reflection = read(&prologue(5).words()).unwrap();
    reflection.push(Instruction::ArgumentStorageBuffer(descriptor(INFO)));
    reflection.push(Instruction::SpecConstantWorkDim(SpecId { id: 6 }));
    let text = reflection.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "revision 5");
    assert_eq!(
        lines[3],
        "ArgumentStorageBuffer kernel: KernelRef(0), ordinal: 0, set: 11, binding: 12, \
         info: Some(InfoRef(0))"
    );
    assert_eq!(lines[4], "SpecConstantWorkDim id: 6");
}
