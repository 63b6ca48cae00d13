//! Every kind of argument, and what a kernel says of itself.

use pumice_reflection::{
    ArgumentInfo, BlockArgument, DescriptorArgument, FunctionId, Instruction, Kernel,
    KernelProperties, PushArgument, RequiredWorkgroupSize, VariableId, WorkgroupArgument,
    WorkgroupVariableSize,
};
use pumice_runtime::executable::{ArgKind, ArgValue, LaunchError, NdRange};
use pumice_vulkan_layer::MemoryClass;
use pumice_vulkan_layer::asm::class;

use crate::kit::{Draft, bind, bytes, pod, range, whole, with_kit};

/// 3, 4, 5, 6, 7: a storage buffer, a uniform buffer, PODs in a storage block, in a uniform block
/// and in push constants; argument 5 is not used.
fn descriptors_module() -> Vec<u32> {
    let mut d = Draft::new();
    let uint = d.uint;
    let out = d.m.word_buffer(0, 0);
    let uniform = d.m.block(class::UNIFORM, &[(uint, 0), (uint, 4)]);
    bind(&mut d.m, uniform, 0, 1);
    let stored = d.m.block(class::STORAGE_BUFFER, &[(uint, 0), (uint, 8)]);
    bind(&mut d.m, stored, 1, 0);
    let in_uniform = d.m.block(class::UNIFORM, &[(uint, 4), (uint, 16)]);
    bind(&mut d.m, in_uniform, 1, 3);
    let pushed = d.m.block(class::PUSH_CONSTANT, &[(uint, 4)]);
    let kernel = d.kernel("k", 8, 0);
    let values = [
        d.member(class::UNIFORM, uint, uniform, 0),
        d.member(class::UNIFORM, uint, uniform, 1),
        d.member(class::STORAGE_BUFFER, uint, stored, 0),
        d.member(class::STORAGE_BUFFER, uint, stored, 1),
        d.member(class::UNIFORM, uint, in_uniform, 0),
        d.member(class::UNIFORM, uint, in_uniform, 1),
        d.member(class::PUSH_CONSTANT, uint, pushed, 0),
    ];
    d.set_words(out, &values);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    d.push(Instruction::ArgumentUniform(DescriptorArgument {
        kernel,
        ordinal: 1,
        set: 0,
        binding: 1,
        info: None,
    }));
    let block = |ordinal, binding, offset| BlockArgument {
        kernel,
        ordinal,
        set: 1,
        binding,
        offset,
        size: 4,
        info: None,
    };
    d.push(Instruction::ArgumentPodStorageBuffer(block(2, 0, 0)));
    d.push(Instruction::ArgumentPodStorageBuffer(block(3, 0, 8)));
    d.push(Instruction::ArgumentPodUniform(block(4, 3, 4)));
    d.push(Instruction::ArgumentPodUniform(block(6, 3, 16)));
    d.push(Instruction::ArgumentPodPushConstant(PushArgument {
        kernel,
        ordinal: 7,
        offset: 4,
        size: 4,
        info: None,
    }));
    d.finish()
}

#[test]
fn arguments_through_descriptors_and_pods() {
    let words = descriptors_module();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let kinds: Vec<_> = executable.kernels()[0]
            .args
            .iter()
            .map(|arg| arg.kind)
            .collect();
        let four = ArgKind::Pod { size: 4 };
        assert_eq!(
            kinds,
            [
                ArgKind::Buffer,
                ArgKind::Buffer,
                four,
                four,
                four,
                ArgKind::Unused,
                four,
                four
            ]
        );
        let out = kit.buffer(&[0; 8]);
        let uniform = kit.buffer(&[11, 12]);
        let args = [
            whole(&out),
            whole(&uniform),
            pod(&[21]),
            pod(&[22]),
            pod(&[31]),
            None,
            pod(&[32]),
            pod(&[41]),
        ];
        kit.launch(&executable, "k", &range(1, 1), &args).unwrap();
        assert_eq!(kit.words(&out), [11, 12, 21, 22, 31, 32, 41, 0]);

        // An argument that is missing, of another kind or size; one that is not used may be any.
        for (ordinal, value) in [
            (0, None),
            (0, pod(&[1])),
            (0, Some(ArgValue::Local { size: 4 })),
            (2, pod(&[1, 2])),
            (2, whole(&out)),
            (7, Some(ArgValue::Null)),
            // A descriptor cannot be made of an address.
            (0, Some(ArgValue::Pointer(4096))),
        ] {
            let mut args = args.clone();
            args[ordinal] = value;
            let result = kit.launch(&executable, "k", &range(1, 1), &args);
            assert_eq!(result, Err(LaunchError::Args(ordinal)));
        }
        let mut any = args.clone();
        any[5] = whole(&out);
        assert!(kit.launch(&executable, "k", &range(1, 1), &any).is_ok());
        let few = kit.launch(&executable, "k", &range(1, 1), &args[..7]);
        assert_eq!(few, Err(LaunchError::Args(7)));

        // Sub-buffers: the offset holds, where it is aligned.
        let alignment = kit.caps().limits.min_storage_buffer_alignment.max(4);
        let large = kit.buffer(&vec![0; alignment as usize / 2 + 16]);
        let part = |offset| {
            let buffer = large.clone();
            Some(ArgValue::Buffer {
                buffer,
                offset,
                size: 32,
            })
        };
        let mut sub = args.clone();
        sub[0] = part(alignment);
        kit.launch(&executable, "k", &range(1, 1), &sub).unwrap();
        let at = alignment as usize / 4;
        assert_eq!(kit.words(&large)[at..at + 3], [11, 12, 21]);
        if alignment > 4 {
            sub[0] = part(4);
            let result = kit.launch(&executable, "k", &range(1, 1), &sub);
            assert_eq!(result, Err(LaunchError::Misaligned(0)));
        }
        // A uniform buffer beyond the device's range.
        let most = kit.caps().limits.max_uniform_buffer_range;
        if most < 1 << 28 {
            let size = u64::from(most) + 4;
            let buffer = kit
                .device
                .create_buffer(size, MemoryClass::DeviceLocal)
                .unwrap();
            let mut long = args.clone();
            long[1] = whole(&buffer);
            let result = kit.launch(&executable, "k", &range(1, 1), &long);
            assert!(
                matches!(result, Err(LaunchError::Resources(_))),
                "{result:?}"
            );
        }
        // NULL for a descriptor is something harmless.
        let mut null = args.clone();
        null[1] = Some(ArgValue::Null);
        kit.launch(&executable, "k", &range(1, 1), &null).unwrap();
        assert_eq!(kit.words(&out)[..3], [0, 0, 21]);
    });
}

/// 26, 27: pointers as addresses in push constants and in a uniform block; NULL is 0.
#[test]
fn arguments_through_addresses() {
    let mut d = Draft::with_addresses();
    let (uint, ulong) = (d.uint, d.m.uint(64));
    let out = d.m.word_buffer(0, 0);
    let pushed = d.m.block(class::PUSH_CONSTANT, &[(ulong, 8)]);
    let block = d.m.block(class::UNIFORM, &[(uint, 0), (ulong, 8)]);
    bind(&mut d.m, block, 0, 1);
    let kernel = d.kernel("k", 4, 0);
    let a = d.member(class::PUSH_CONSTANT, ulong, pushed, 0);
    let b = d.member(class::UNIFORM, ulong, block, 1);
    let number = d.member(class::UNIFORM, uint, block, 0);
    let low = d.m.op(113, uint, &[b]);
    let at_a = d.word_at(a, 4);
    d.set_words(out, &[at_a, number, low]);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    d.push(Instruction::ArgumentPointerPushConstant(PushArgument {
        kernel,
        ordinal: 1,
        offset: 8,
        size: 8,
        info: None,
    }));
    let place = |ordinal, offset, size| BlockArgument {
        kernel,
        ordinal,
        set: 0,
        binding: 1,
        offset,
        size,
        info: None,
    };
    d.push(Instruction::ArgumentPointerUniform(place(2, 8, 8)));
    d.push(Instruction::ArgumentPodUniform(place(3, 0, 4)));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let out = kit.buffer(&[7; 3]);
        let a = kit.buffer(&[1, 2, 3, 4]);
        let from = |offset| {
            let buffer = a.clone();
            Some(ArgValue::Buffer {
                buffer,
                offset,
                size: 8,
            })
        };
        for (value, low, expected) in [
            (from(0), Some(ArgValue::Null), [2, 99, 0]),
            (from(8), Some(ArgValue::Pointer(0x1234)), [4, 99, 0x1234]),
            (
                Some(ArgValue::Pointer(a.address() + 4)),
                from(4),
                [3, 99, a.address() as u32 + 4],
            ),
        ] {
            let args = [whole(&out), value, low, pod(&[99])];
            kit.launch(&executable, "k", &range(1, 1), &args).unwrap();
            assert_eq!(kit.words(&out), expected);
        }
    });
}

/// 11, 42: local arguments are sized by specialization; local memory is counted.
#[test]
fn local_arguments() {
    let build = |told: bool| {
        let mut d = Draft::new();
        let uint = d.uint;
        let out = d.m.word_buffer(0, 0);
        let length = d.m.spec_u32(3, 1);
        let array = d.m.unique_ty(28, &[uint, length]);
        let local = d.m.variable(class::WORKGROUP, array);
        let hundred = d.m.u32(100);
        let fixed = d.m.ty(28, &[uint, hundred]);
        let own = d.m.variable(class::WORKGROUP, fixed);
        // Another kernel's memory does not count here.
        let other = d.m.variable(class::WORKGROUP, fixed);
        let second = d.kernel("second", 0, 0);
        let pointer = d.m.access(class::WORKGROUP, uint, other, &[length]);
        d.m.op0(62, &[pointer, length]);
        d.m.end();
        assert_eq!(second.0, 0);
        let kernel = d.kernel("k", 2, 0);
        let one = d.m.u32(1);
        let last = d.m.op(130, uint, &[length, one]);
        let pointer = d.m.access(class::WORKGROUP, uint, local, &[last]);
        d.m.op0(62, &[pointer, length]);
        let zero = d.zero;
        let there = d.m.access(class::WORKGROUP, uint, own, &[zero]);
        d.m.op0(62, &[there, length]);
        let value = d.m.load(uint, pointer);
        d.set_words(out, &[length, value]);
        d.m.end();
        d.storage_argument(kernel, 0, 0, 0);
        d.push(Instruction::ArgumentWorkgroup(WorkgroupArgument {
            kernel,
            ordinal: 1,
            spec_id: 3,
            elem_size: 4,
            info: None,
        }));
        if told {
            d.push(Instruction::WorkgroupVariableSize(WorkgroupVariableSize {
                variable: VariableId(own),
                size: 404,
            }));
        }
        d.finish()
    };
    let (words, told) = (build(false), build(true));
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let k = executable.kernel("k").unwrap();
        assert_eq!(executable.kernels()[k].args[1].kind, ArgKind::Local);
        assert_eq!(executable.local_memory(k, &[]), 400);
        assert_eq!(executable.local_memory(k, &[(1, 64)]), 464);
        assert_eq!(executable.local_memory(k, &[(1, 1)]), 404);
        let second = executable.kernel("second").unwrap();
        assert_eq!(executable.local_memory(second, &[]), 400);
        assert_eq!(kit.executable(&told).local_memory(k, &[(1, 64)]), 468);

        let out = kit.buffer(&[0; 2]);
        for (size, count) in [(64, 16), (65, 17), (4, 1), (1, 1), (0, 1), (4096, 1024)] {
            let args = [whole(&out), Some(ArgValue::Local { size })];
            kit.launch(&executable, "k", &range(1, 1), &args).unwrap();
            assert_eq!(kit.words(&out), [count, count], "{size}");
        }
        for size in [
            u64::from(kit.caps().limits.max_shared_memory),
            1 << 34,
            u64::MAX,
        ] {
            let args = [whole(&out), Some(ArgValue::Local { size })];
            let result = kit.launch(&executable, "k", &range(1, 1), &args);
            assert!(
                matches!(result, Err(LaunchError::Resources(_))),
                "{result:?}"
            );
        }
    });
}

/// Array lengths that are computed: from sizes of arguments, in 32 bits, and over very many paths.
#[test]
fn computed_local_memory() {
    let mut d = Draft::new();
    let uint = d.uint;
    let (a, b) = (d.m.spec_u32(3, 1), d.m.spec_u32(4, 1));
    let spec_op = |d: &mut Draft, opcode: u32, operands: &[u32]| {
        d.m.global(52, uint, &[&[opcode], operands].concat())
    };
    let [three, mask, four] = [3, !3, 4].map(|value| d.m.u32(value));
    // (a + 3 & ~3) + b, over 4
    let sum = spec_op(&mut d, 128, &[a, three]);
    let rounded = spec_op(&mut d, 199, &[sum, mask]);
    let sum = spec_op(&mut d, 128, &[rounded, b]);
    let length = spec_op(&mut d, 134, &[sum, four]);
    let array = d.m.ty(28, &[uint, length]);
    let first = d.m.variable(class::WORKGROUP, array);
    // 2^60 paths lead to this one, whose value wraps to 5.
    let mut doubled = d.m.u32(1);
    for _ in 0..60 {
        doubled = spec_op(&mut d, 128, &[doubled, doubled]);
    }
    let five = d.m.u32(5);
    let length = spec_op(&mut d, 128, &[doubled, five]);
    let array = d.m.ty(28, &[uint, length]);
    let second = d.m.variable(class::WORKGROUP, array);
    let kernel = d.kernel("k", 2, 0);
    for variable in [first, second] {
        let zero = d.zero;
        let pointer = d.m.access(class::WORKGROUP, uint, variable, &[zero]);
        d.m.op0(62, &[pointer, zero]);
    }
    d.m.end();
    for (ordinal, spec_id) in [(0, 3), (1, 4)] {
        d.push(Instruction::ArgumentWorkgroup(WorkgroupArgument {
            kernel,
            ordinal,
            spec_id,
            elem_size: 1,
            info: None,
        }));
    }
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        assert_eq!(executable.local_memory(0, &[]), 20);
        assert_eq!(executable.local_memory(0, &[(0, 5), (1, 16)]), 24 + 20);
        let local = |size| Some(ArgValue::Local { size });
        kit.launch(&executable, "k", &range(4, 4), &[local(64), local(64)])
            .unwrap();
    });
}

/// A length nested deeper than any stack counts as nothing. Not for a driver's ears.
#[test]
fn deeply_nested_lengths() {
    let mut d = Draft::new();
    let uint = d.uint;
    let four = d.m.u32(4);
    let mut deep = d.m.spec_u32(3, 1);
    for _ in 0..50_000 {
        deep = d.m.global(52, uint, &[199, deep, four]);
    }
    let array = d.m.ty(28, &[uint, deep]);
    let local = d.m.variable(class::WORKGROUP, array);
    d.kernel("k", 0, 0);
    let zero = d.zero;
    let pointer = d.m.access(class::WORKGROUP, uint, local, &[zero]);
    d.m.op0(62, &[pointer, zero]);
    d.m.end();
    let words = pumice_reflection::embed(&d.m.finish(), &d.reflection).unwrap();
    with_kit(|kit| assert_eq!(kit.executable(&words).local_memory(0, &[]), 0));
}

/// 1, 2, 24: name, attributes, argument info, required work-group size.
#[test]
fn what_a_kernel_says_of_itself() {
    let mut d = Draft::new();
    let out = d.m.word_buffer(0, 0);
    let function = d.m.begin("named");
    d.m.mode(function, 17, &[1, 1, 1]);
    let one = d.m.u32(1);
    d.set_words(out, &[one]);
    d.m.end();
    let kernel = d.reflection.add_kernel(Kernel {
        function: FunctionId(function),
        name: "named".into(),
        properties: Some(KernelProperties {
            num_arguments: 2,
            flags: 0,
            attributes: "reqd_work_group_size(2,3,1) vec_type_hint(int)".into(),
        }),
    });
    let info = ArgumentInfo {
        name: "result".into(),
        type_name: Some("uint*".into()),
        address_qualifier: Some(0x119b),
        access_qualifier: Some(0x11a3),
        type_qualifier: None,
    };
    let reference = d.reflection.add_info(info.clone());
    d.push(Instruction::ArgumentStorageBuffer(DescriptorArgument {
        kernel,
        ordinal: 0,
        set: 0,
        binding: 0,
        info: Some(reference),
    }));
    d.push(Instruction::PropertyRequiredWorkgroupSize(
        RequiredWorkgroupSize {
            kernel,
            x: 2,
            y: 3,
            z: 1,
        },
    ));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let named = &executable.kernels()[0];
        assert_eq!(named.name, "named");
        assert_eq!(
            named.attributes,
            "reqd_work_group_size(2,3,1) vec_type_hint(int)"
        );
        assert_eq!(named.required_work_group_size, Some([2, 3, 1]));
        assert_eq!(named.args[0].info, Some(info.clone()));
        assert_eq!(
            (named.args[1].kind, &named.args[1].info),
            (ArgKind::Unused, &None)
        );
        assert!(!named.may_use_printf);
        assert_eq!(executable.kernel("other"), None);

        let out = kit.buffer(&[0]);
        let args = [whole(&out), None];
        let mut range = NdRange {
            work_dim: 2,
            global_offset: [0; 3],
            global_size: [4, 6, 1],
            local_size: [2, 3, 1],
        };
        kit.launch(&executable, "named", &range, &args).unwrap();
        assert_eq!(kit.words(&out), [1]);
        range.local_size = [2, 2, 1];
        let result = kit.launch(&executable, "named", &range, &args);
        assert!(matches!(result, Err(LaunchError::WorkGroupSize(_))));
    });
}

/// Kernel before revision 5 has two operands: arguments by the highest ordinal.
#[test]
fn kernels_of_old_revisions() {
    let mut d = Draft::new();
    let out = d.m.word_buffer(0, 0);
    let function = d.m.begin("old");
    d.m.mode(function, 17, &[1, 1, 1]);
    let five = d.m.u32(5);
    d.set_words(out, &[five]);
    d.m.end();
    let kernel = d.reflection.add_kernel(Kernel {
        function: FunctionId(function),
        name: "old".into(),
        properties: None,
    });
    d.storage_argument(kernel, 2, 0, 0);
    assert_eq!(d.reflection.lowest_revision(), 1);
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        assert_eq!(executable.kernels()[0].args.len(), 3);
        assert_eq!(executable.kernels()[0].attributes, "");
        let out = kit.buffer(&[0]);
        kit.launch(&executable, "old", &range(1, 1), &[None, None, whole(&out)])
            .unwrap();
        assert_eq!(kit.words(&out), [5]);
        assert_eq!(bytes(&[1]), [1, 0, 0, 0]);
    });
}
