//! The printf buffer in both forms.

use pumice_reflection::{
    ByteString, Instruction, PrintfBufferDescriptor, PrintfBufferPush, PrintfInfo,
};
use pumice_vulkan_layer::asm::class;

use crate::kit::{Draft, range, with_kit};

fn infos(d: &mut Draft) {
    for (id, format, argument_sizes) in [(3, "item %u says %s\n", vec![4, 4]), (4, "hello", vec![])]
    {
        let format = ByteString(format.as_bytes().to_vec());
        d.push(Instruction::PrintfInfo(PrintfInfo {
            id,
            format,
            argument_sizes,
        }));
    }
}

/// 38, 39, the kernel's flag: each work-group reserves three words and writes a record.
#[test]
fn through_a_storage_buffer() {
    const SIZE: u32 = 4 + 40 * 12 + 8;
    let mut d = Draft::new();
    let uint = d.uint;
    let buffer = d.m.word_buffer(0, 0);
    let group = d.m.builtin3(26);
    for (name, prints) in [("prints", true), ("quiet", false)] {
        let kernel = if prints {
            d.printing_kernel(name, 0)
        } else {
            d.kernel(name, 0, 0)
        };
        assert!(kernel.0 < 2);
        let (zero, one) = (d.zero, d.m.u32(1));
        let [two, three, four] = [2, 3, 4].map(|value| d.m.u32(value));
        let number = d.component(group, 0);
        let count =
            d.m.access(class::STORAGE_BUFFER, uint, buffer, &[zero, zero]);
        let place = d.m.op(234, uint, &[count, one, zero, three]);
        if prints {
            for (word, value) in [(one, three), (two, number), (three, four)] {
                let at = d.add(place, word);
                d.set_word(buffer, at, value);
            }
        }
        d.m.end();
    }
    infos(&mut d);
    d.push(Instruction::PrintfBufferStorageBuffer(
        PrintfBufferDescriptor {
            set: 0,
            binding: 0,
            size: SIZE,
        },
    ));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        assert!(executable.kernels()[0].may_use_printf);
        assert!(!executable.kernels()[1].may_use_printf);
        // The buffer begins empty at each launch.
        for groups in [5, 40, 1, 0] {
            let text = kit
                .launch(&executable, "prints", &range(groups, 1), &[])
                .unwrap();
            let mut lines: Vec<_> = text.lines().collect();
            lines.sort_unstable();
            let mut expected: Vec<_> = (0..groups)
                .map(|item| format!("item {item} says hello"))
                .collect();
            expected.sort_unstable();
            assert_eq!(lines, expected);
        }
        let text = kit.launch(&executable, "quiet", &range(3, 1), &[]).unwrap();
        assert_eq!(text, "");
    });
}

/// 38, 40: by address; the kernel asks for more than there is.
#[test]
fn by_address() {
    let mut d = Draft::with_addresses();
    let (uint, ulong) = (d.uint, d.m.uint(64));
    let push = d.m.block(class::PUSH_CONSTANT, &[(ulong, 8)]);
    let kernel = d.printing_kernel("k", 0);
    assert_eq!(kernel.0, 0);
    let address = d.member(class::PUSH_CONSTANT, ulong, push, 0);
    for (offset, value) in [
        (4, 3),
        (8, 17),
        (12, 4),
        (16, 3),
        (20, 18),
        (24, 4),
        (0, 1000),
    ] {
        let (offset, value) = (d.m.u32(offset), d.m.u32(value));
        let pointer = d.at_address(uint, address, offset);
        d.m.store_aligned(pointer, value, 4);
    }
    d.m.end();
    infos(&mut d);
    d.push(Instruction::PrintfBufferPointerPushConstant(
        PrintfBufferPush {
            offset: 8,
            size: 8,
            buffer_size: 32,
        },
    ));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let text = kit.launch(&executable, "k", &range(1, 1), &[]).unwrap();
        assert_eq!(text, "item 17 says hello\nitem 18 says hello\n");
    });
}

/// Room that a kernel reserves and does not write to shows nothing of an earlier launch.
#[test]
fn holes_show_nothing_old() {
    let mut d = Draft::new();
    let uint = d.uint;
    let buffer = d.m.word_buffer(0, 0);
    for (name, writes) in [("writes", true), ("reserves", false)] {
        d.printing_kernel(name, 0);
        let (zero, one) = (d.zero, d.m.u32(1));
        let count =
            d.m.access(class::STORAGE_BUFFER, uint, buffer, &[zero, zero]);
        let three = d.m.u32(3);
        d.m.op(234, uint, &[count, one, zero, three]);
        if writes {
            for (word, value) in [(1, 3), (2, 9), (3, 4)] {
                let (word, value) = (d.m.u32(word), d.m.u32(value));
                d.set_word(buffer, word, value);
            }
        }
        d.m.end();
    }
    infos(&mut d);
    d.push(Instruction::PrintfBufferStorageBuffer(
        PrintfBufferDescriptor {
            set: 0,
            binding: 0,
            size: 64,
        },
    ));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        for _ in 0..3 {
            let text = kit
                .launch(&executable, "writes", &range(1, 1), &[])
                .unwrap();
            assert_eq!(text, "item 9 says hello\n");
            let text = kit
                .launch(&executable, "reserves", &range(1, 1), &[])
                .unwrap();
            assert_eq!(text, "");
        }
    });
}
