//! Constant data and program-scope variables.

use pumice_reflection::{DataDescriptor, DataPush, HexBytes, Instruction, Relocation};
use pumice_vulkan_layer::asm::class;

use crate::kit::{Draft, bind, bytes, range, whole, with_kit};

/// 21, 22, 36: constant data in a storage buffer, a uniform buffer and by address.
#[test]
fn constant_data() {
    let mut d = Draft::with_addresses();
    let (uint, ulong) = (d.uint, d.m.uint(64));
    let out = d.m.word_buffer(0, 0);
    let stored = d.m.word_buffer(1, 0);
    let uniform = d.m.block(class::UNIFORM, &[(uint, 0), (uint, 4)]);
    bind(&mut d.m, uniform, 1, 1);
    let push = d.m.block(class::PUSH_CONSTANT, &[(ulong, 16)]);
    let kernel = d.kernel("k", 1, 0);
    let one = d.m.u32(1);
    let address = d.member(class::PUSH_CONSTANT, ulong, push, 0);
    let values = [
        d.word(stored, one),
        d.member(class::UNIFORM, uint, uniform, 1),
        d.word_at(address, 4),
    ];
    d.set_words(out, &values);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    let descriptor = |binding, words: &[u32]| DataDescriptor {
        set: 1,
        binding,
        data: HexBytes(bytes(words)),
    };
    d.push(Instruction::ConstantDataStorageBuffer(descriptor(
        0,
        &[1, 0xdead_beef],
    )));
    d.push(Instruction::ConstantDataUniform(descriptor(
        1,
        &[2, 0x1234_5678],
    )));
    d.push(Instruction::ConstantDataPointerPushConstant(DataPush {
        offset: 16,
        size: 8,
        data: HexBytes(bytes(&[3, 42])),
    }));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let out = kit.buffer(&[0; 3]);
        kit.launch(&executable, "k", &range(1, 1), &[whole(&out)])
            .unwrap();
        assert_eq!(kit.words(&out), [0xdead_beef, 0x1234_5678, 42]);
    });
}

/// The variables of both tests below: a counter, 4 bytes of nothing, a pointer to the word at 16.
const VARIABLES: [u32; 5] = [100, 0, 0, 0, 77];

fn relocation() -> Instruction {
    Instruction::ProgramScopeVariablePointerRelocation(Relocation {
        object_offset: 16,
        pointer_offset: 8,
        pointer_size: 8,
    })
}

/// 28, 29: variables in a storage buffer, shared by kernels, kept between launches.
#[test]
fn program_scope_variables_in_a_storage_buffer() {
    let mut d = Draft::with_addresses();
    let (uint, ulong) = (d.uint, d.m.uint(64));
    let out = d.m.word_buffer(0, 0);
    let variables =
        d.m.block(class::STORAGE_BUFFER, &[(uint, 0), (ulong, 8), (uint, 16)]);
    bind(&mut d.m, variables, 0, 5);
    for name in ["first", "second"] {
        let kernel = d.kernel(name, 1, 0);
        let zero = d.zero;
        let counter = d.m.access(class::STORAGE_BUFFER, uint, variables, &[zero]);
        let one = d.m.u32(1);
        let scope = d.m.u32(1);
        let before = d.m.op(234, uint, &[counter, scope, zero, one]);
        let pointer = d.member(class::STORAGE_BUFFER, ulong, variables, 1);
        let through = d.word_at(pointer, 0);
        d.set_words(out, &[before, through]);
        d.m.end();
        d.storage_argument(kernel, 0, 0, 0);
    }
    d.push(Instruction::ProgramScopeVariablesStorageBuffer(
        DataDescriptor {
            set: 0,
            binding: 5,
            data: HexBytes(bytes(&VARIABLES)),
        },
    ));
    d.push(relocation());
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let out = kit.buffer(&[0; 2]);
        for (count, name) in (100..).zip(["first", "second", "second", "first"]) {
            kit.launch(&executable, name, &range(1, 1), &[whole(&out)])
                .unwrap();
            assert_eq!(kit.words(&out), [count, 77]);
        }
        // Another executable of the module has variables of its own.
        let other = kit.executable(&words);
        kit.launch(&other, "first", &range(1, 1), &[whole(&out)])
            .unwrap();
        assert_eq!(kit.words(&out), [100, 77]);
    });
}

/// 37, 29: the same by address.
#[test]
fn program_scope_variables_by_address() {
    let mut d = Draft::with_addresses();
    let (uint, ulong) = (d.uint, d.m.uint(64));
    let out = d.m.word_buffer(0, 0);
    let push = d.m.block(class::PUSH_CONSTANT, &[(ulong, 0)]);
    let kernel = d.kernel("k", 1, 0);
    let zero = d.zero;
    let base = d.member(class::PUSH_CONSTANT, ulong, push, 0);
    let counter = d.at_address(uint, base, zero);
    let before = d.m.load_aligned(uint, counter, 4);
    let one = d.m.u32(1);
    let after = d.add(before, one);
    d.m.store_aligned(counter, after, 4);
    let eight = d.m.u32(8);
    let place = d.at_address(ulong, base, eight);
    let pointer = d.m.load_aligned(ulong, place, 8);
    let through = d.word_at(pointer, 0);
    d.set_words(out, &[before, through]);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    d.push(relocation());
    d.push(Instruction::ProgramScopeVariablePointerPushConstant(
        DataPush {
            offset: 0,
            size: 8,
            data: HexBytes(bytes(&VARIABLES)),
        },
    ));
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let out = kit.buffer(&[0; 2]);
        for count in 100..103 {
            kit.launch(&executable, "k", &range(1, 1), &[whole(&out)])
                .unwrap();
            assert_eq!(kit.words(&out), [count, 77]);
        }
    });
}
