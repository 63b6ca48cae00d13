//! Instructions of `NonSemantic.Pumice.1` are written, read, listed, stripped and refused.

use crate::common::{FOUR, FUNCTION, Module, U32, VOID, plain_module};
use crate::instructions::validate;
use pumice_reflection::{
    AddressDelta, CheckKind, CheckSite, CheckedObject, KernelRef, KernelRole, Need, ReadError,
    Reflection, TerminationFlag, WriteError, embed, read, strip_set,
};
use pumice_spirv::{instructions, op, push_inst, push_string};

/// A module with a kernel, to which an import of our own set and one instruction of it are added.
pub(crate) fn with_own(ty: u32, number: u32, operands: &[u32]) -> Vec<u32> {
    let mut words = Module::with_kernel(5).words();
    let set = words[3];
    words[3] += 2;
    let mut import = vec![set];
    push_string(&mut import, b"NonSemantic.Pumice.1");
    push_inst(&mut words, op::EXT_INST_IMPORT, &import);
    let mut inst = vec![ty, set + 1, set, number];
    inst.extend(operands);
    push_inst(&mut words, op::EXT_INST, &inst);
    words
}

#[test]
fn roles() {
    // The id of the one Kernel instruction is the last that the module uses.
    let kernel = Module::with_kernel(5).words()[3] - 1;
    for (number, role) in [
        (1, KernelRole::Initializer(KernelRef(0))),
        (2, KernelRole::Finalizer(KernelRef(0))),
    ] {
        let instruction = role.name();
        let reflection = read(&with_own(VOID, number, &[kernel])).unwrap();
        assert_eq!(reflection.roles, [role]);
        // Written and read again.
        let words = embed(&plain_module(), &reflection).unwrap();
        assert_eq!(read(&words).unwrap().roles, [role]);
        validate(&words);
        let listed = format!("{instruction} kernel: KernelRef(0)\n");
        assert!(reflection.to_string().contains(&listed), "{reflection}");

        let refused = |ty, operands: &[u32]| read(&with_own(ty, number, operands)).unwrap_err();
        assert_eq!(refused(U32, &[kernel]), ReadError::NotVoid { instruction });
        assert_eq!(
            refused(VOID, &[]),
            ReadError::MissingOperand {
                instruction,
                operand: "Kernel"
            }
        );
        assert!(matches!(
            refused(VOID, &[FUNCTION]),
            ReadError::WrongOperand {
                operand: "Kernel",
                id: FUNCTION,
                ..
            }
        ));
        assert_eq!(
            refused(VOID, &[kernel, kernel]),
            ReadError::ExtraOperands {
                instruction,
                extra: 1,
                revision: 1
            }
        );
    }
    for number in [0, 1000] {
        assert_eq!(
            read(&with_own(VOID, number, &[kernel])),
            Err(ReadError::UnknownRole { number })
        );
    }
    let mut twice = with_own(VOID, 1, &[kernel]);
    let mut import = vec![twice[3]];
    twice[3] += 1;
    push_string(&mut import, b"NonSemantic.Pumice.1");
    push_inst(&mut twice, op::EXT_INST_IMPORT, &import);
    assert_eq!(read(&twice), Err(ReadError::DuplicateImport));
    // A role of a kernel that is not there cannot be written.
    let reflection = Reflection {
        roles: vec![KernelRole::Finalizer(KernelRef(0))],
        ..Reflection::default()
    };
    assert_eq!(
        embed(&plain_module(), &reflection),
        Err(WriteError::BadKernelRef {
            instruction: "Finalizer",
            index: 0
        })
    );
}

#[test]
fn check_sites() {
    let site = |kernel, kind, object| CheckSite {
        kernel,
        kind,
        size: 4,
        align: 4,
        object,
        file: "a.cl".to_string(),
        line: 3,
        column: 5,
        text: "    p[i] = 1;".to_string(),
    };
    let name = "tile".to_string();
    let sites = vec![
        site(Some(0), CheckKind::Write, CheckedObject::Argument(2)),
        site(
            Some(1),
            CheckKind::Read,
            CheckedObject::Variable { name, size: 64 },
        ),
        site(
            Some(0),
            CheckKind::Atomic,
            CheckedObject::Private { size: 8 },
        ),
        site(None, CheckKind::Shift, CheckedObject::Unknown),
    ];
    let mut reflection = read(&Module::with_kernel(5).words()).unwrap();
    reflection.checks.clone_from(&sites);
    let words = embed(&plain_module(), &reflection).unwrap();
    assert_eq!(read(&words).unwrap().checks, sites);
    validate(&words);
    let listed = "CheckSite kernel: Some(0), kind: Write, size: 4, align: 4, object: Argument(2), file: \"a.cl\", line: 3";
    assert!(reflection.to_string().contains(listed), "{reflection}");
    let refused = |operands: &[u32]| read(&with_own(VOID, 17, operands)).unwrap_err();
    let missing = |operand| ReadError::MissingOperand {
        instruction: "CheckSite",
        operand,
    };
    assert_eq!(refused(&[]), missing("Kernel"));
    let id = Module::with_kernel(5).words()[3] - 1;
    assert!(matches!(
        refused(&[id]),
        ReadError::WrongOperand {
            operand: "Kernel",
            ..
        }
    ));
    assert_eq!(refused(&[FOUR]), missing("Kind"));
    assert!(matches!(
        refused(&[FOUR, id]),
        ReadError::WrongOperand {
            operand: "Kind",
            ..
        }
    ));
}

#[test]
fn needs() {
    let kernel = KernelRef(0);
    let (ordinal, bytes) = (1, 4096);
    for (need, listed, operands) in [
        (
            Need::SubgroupSize { kernel, size: 16 },
            "SubgroupSize kernel: KernelRef(0), size: 16\n",
            ["Kernel", "Size"].as_slice(),
        ),
        (
            Need::SubgroupCount { kernel, count: 4 },
            "SubgroupCount kernel: KernelRef(0), count: 4\n",
            &["Kernel", "Count"],
        ),
        (
            Need::MadeSubgroups { kernel },
            "MadeSubgroups kernel: KernelRef(0)\n",
            &["Kernel"],
        ),
        (
            Need::WholeSubgroups { kernel },
            "WholeSubgroups kernel: KernelRef(0)\n",
            &["Kernel"],
        ),
        (
            Need::UnseenGroups { kernel },
            "UnseenGroups kernel: KernelRef(0)\n",
            &["Kernel"],
        ),
        (
            Need::NoWaits { kernel },
            "NoWaits kernel: KernelRef(0)\n",
            &["Kernel"],
        ),
        (
            Need::SeenSubgroups { kernel },
            "SeenSubgroups kernel: KernelRef(0)\n",
            &["Kernel"],
        ),
        (
            Need::PrivateMemory {
                kernel,
                ordinal,
                bytes,
            },
            "PrivateMemory kernel: KernelRef(0), ordinal: 1, bytes: 4096\n",
            &["Kernel", "Ordinal", "Bytes"],
        ),
        (
            Need::LocalMemory {
                kernel,
                ordinal,
                bytes,
                align: 16,
            },
            "LocalMemory kernel: KernelRef(0), ordinal: 1, bytes: 4096, align: 16\n",
            &["Kernel", "Ordinal", "Bytes", "Align"],
        ),
        (
            Need::DeviceLaunch { kernel, ordinal },
            "DeviceLaunch kernel: KernelRef(0), ordinal: 1\n",
            &["Kernel", "Ordinal"],
        ),
        (
            Need::CheckMemory { kernel, ordinal },
            "CheckMemory kernel: KernelRef(0), ordinal: 1\n",
            &["Kernel", "Ordinal"],
        ),
        (
            Need::QueueArgument { kernel, ordinal },
            "QueueArgument kernel: KernelRef(0), ordinal: 1\n",
            &["Kernel", "Ordinal"],
        ),
        (
            Need::FollowedArgument { kernel, ordinal },
            "FollowedArgument kernel: KernelRef(0), ordinal: 1\n",
            &["Kernel", "Ordinal"],
        ),
        (
            Need::Block {
                kernel,
                number: 2,
                captured: 24,
            },
            "Block kernel: KernelRef(0), number: 2, captured: 24\n",
            &["Kernel", "Number", "Captured"],
        ),
        (
            Need::Scheduler { kernel, times: 1 },
            "Scheduler kernel: KernelRef(0), times: 1\n",
            &["Kernel", "Times"],
        ),
        (
            Need::GraphNode { kernel, part: 3 },
            "GraphNode kernel: KernelRef(0), part: 3\n",
            &["Kernel", "Part"],
        ),
        (
            Need::RawImage { kernel, ordinal },
            "RawImage kernel: KernelRef(0), ordinal: 1\n",
            &["Kernel", "Ordinal"],
        ),
        (
            Need::SampledPixels {
                kernel,
                ordinal,
                arrayed: 1,
            },
            "SampledPixels kernel: KernelRef(0), ordinal: 1, arrayed: 1\n",
            &["Kernel", "Ordinal", "Arrayed"],
        ),
        (
            Need::Coarse {
                kernel,
                of: kernel,
                items: 4,
                spacing: 8,
                multiples: 5,
                span_multiples: 2,
                disjoint: 1,
            },
            "Coarse kernel: KernelRef(0), of: KernelRef(0), items: 4, spacing: 8, multiples: 5, span_multiples: 2, disjoint: 1\n",
            &[
                "Kernel",
                "Of",
                "Items",
                "Spacing",
                "Multiples",
                "SpanMultiples",
                "Disjoint",
            ],
        ),
        (
            Need::SrgbWrites {
                kernel,
                ordinal,
                spec_id: 7,
            },
            "SrgbWrites kernel: KernelRef(0), ordinal: 1, spec_id: 7\n",
            &["Kernel", "Ordinal", "SpecId"],
        ),
        (
            Need::HandleFactPushConstant {
                kernel,
                ordinal,
                fact: 2,
                offset: 8,
            },
            "HandleFactPushConstant kernel: KernelRef(0), ordinal: 1, fact: 2, offset: 8\n",
            &["Kernel", "Ordinal", "Fact", "Offset"],
        ),
        (
            Need::HandleFactUniform {
                kernel,
                ordinal,
                fact: 0,
                set: 3,
                binding: 4,
                offset: 16,
            },
            "HandleFactUniform kernel: KernelRef(0), ordinal: 1, fact: 0, set: 3, binding: 4, offset: 16\n",
            &["Kernel", "Ordinal", "Fact", "Set", "Binding", "Offset"],
        ),
        (
            Need::ImageLevel {
                kernel,
                ordinal,
                level: 5,
                set: 3,
                binding: 4,
            },
            "ImageLevel kernel: KernelRef(0), ordinal: 1, level: 5, set: 3, binding: 4\n",
            &["Kernel", "Ordinal", "Level", "Set", "Binding"],
        ),
    ] {
        let mut reflection = read(&Module::with_kernel(5).words()).unwrap();
        reflection.needs.push(need);
        let words = embed(&plain_module(), &reflection).unwrap();
        assert_eq!(read(&words).unwrap().needs, [need]);
        validate(&words);
        assert!(reflection.to_string().contains(listed), "{reflection}");
        let stripped = strip_set(&words, "NonSemantic.Pumice.1");
        assert_eq!(read(&stripped).unwrap().needs, []);

        let number = match need {
            Need::SubgroupSize { .. } => 3,
            Need::PrivateMemory { .. } => 4,
            Need::DeviceLaunch { .. } => 8,
            Need::QueueArgument { .. } => 9,
            Need::FollowedArgument { .. } => 25,
            Need::Block { .. } => 10,
            Need::Scheduler { .. } => 11,
            Need::HandleFactPushConstant { .. } => 12,
            Need::HandleFactUniform { .. } => 13,
            Need::ImageLevel { .. } => 14,
            Need::SubgroupCount { .. } => 15,
            Need::CheckMemory { .. } => 16,
            Need::RawImage { .. } => 18,
            Need::SrgbWrites { .. } => 21,
            Need::GraphNode { .. } => 22,
            Need::WholeSubgroups { .. } => 23,
            Need::MadeSubgroups { .. } => 26,
            Need::SampledPixels { .. } => 24,
            Need::Coarse { .. } => 27,
            Need::UnseenGroups { .. } => 28,
            Need::SeenSubgroups { .. } => 29,
            Need::NoWaits { .. } => 30,
            Need::LocalMemory { .. } => 31,
        };
        let id = Module::with_kernel(5).words()[3] - 1;
        let instruction = need.name();
        let refused = |ty, operands: &[u32]| read(&with_own(ty, number, operands)).unwrap_err();
        assert_eq!(refused(U32, &[id]), ReadError::NotVoid { instruction });
        let &[_, second, ..] = operands else {
            continue;
        };
        assert_eq!(
            refused(VOID, &[id]),
            ReadError::MissingOperand {
                instruction,
                operand: second
            }
        );
        assert!(matches!(
            refused(VOID, &[id, FUNCTION]),
            ReadError::WrongOperand { id: FUNCTION, operand, .. } if operand == second
        ));
    }
}

/// Checks an instruction about the whole module, given by number and name, whose one operand is an offset in the
/// push constants. The reflection has it with offset 24; `is_absent` tells that one does not have it.
fn check_offset(
    (number, instruction): (u32, &'static str),
    reflection: &Reflection,
    is_absent: fn(&Reflection) -> bool,
) {
    let words = embed(&plain_module(), reflection).unwrap();
    validate(&words);
    let listed = format!("{instruction} offset: 24\n");
    assert!(reflection.to_string().contains(&listed));
    let stripped = strip_set(&words, "NonSemantic.Pumice.1");
    assert!(is_absent(&read(&stripped).unwrap()));

    let refused = |ty, operands: &[u32]| read(&with_own(ty, number, operands)).unwrap_err();
    assert_eq!(refused(U32, &[]), ReadError::NotVoid { instruction });
    let operand = "Offset";
    assert_eq!(
        refused(VOID, &[]),
        ReadError::MissingOperand {
            instruction,
            operand
        }
    );
    assert!(matches!(
        refused(VOID, &[FUNCTION]),
        ReadError::WrongOperand { id: FUNCTION, .. }
    ));
    // A second one contradicts the first.
    let last = instructions(&words).map_while(Result::ok).last().unwrap();
    let mut operands = last.operands.to_vec();
    operands[1] = words[3];
    let mut twice = words.clone();
    twice[3] += 1;
    push_inst(&mut twice, op::EXT_INST, &operands);
    assert_eq!(read(&twice), Err(ReadError::Repeated { instruction }));
}

#[test]
fn address_delta() {
    let delta = AddressDelta { offset: 24 };
    let mut reflection = read(&Module::with_kernel(5).words()).unwrap();
    reflection.address_delta = Some(delta);
    let words = embed(&plain_module(), &reflection).unwrap();
    assert_eq!(read(&words).unwrap().address_delta, Some(delta));
    check_offset((6, "AddressDelta"), &reflection, |r| {
        r.address_delta.is_none()
    });
}

#[test]
fn termination_flag() {
    let flag = TerminationFlag { offset: 24 };
    let mut reflection = read(&Module::with_kernel(5).words()).unwrap();
    reflection.termination_flag = Some(flag);
    let words = embed(&plain_module(), &reflection).unwrap();
    assert_eq!(read(&words).unwrap().termination_flag, Some(flag));
    check_offset((20, "TerminationFlag"), &reflection, |r| {
        r.termination_flag.is_none()
    });
}
