//! Initial contents that no single OpString holds.

use super::common::*;
use pumice_reflection::{
    DataPush, HexBytes, Instruction, MAX_INITIAL_DATA, PUMICE_SET, ReadError, Reflection,
    WriteError, embed, read, strip_set,
};
use pumice_spirv::{instructions, op};

/// The most bytes that one OpString holds in hexadecimal digits.
const MAX_INLINE: usize = 131_065;

fn reflection(data: Vec<u8>) -> Reflection {
    Reflection {
        checks: Vec::new(),
        revision: 5,
        instructions: vec![Instruction::ConstantDataPointerPushConstant(DataPush {
            offset: 0,
            size: 8,
            data: HexBytes(data),
        })]
        .into(),
        skipped: vec![],
        roles: vec![],
        needs: vec![],
        address_delta: None,
        termination_flag: None,
        promises: Vec::new(),
    }
}

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at * 7 + at / 256) as u8 | 1).collect()
}

fn with(data: Vec<u8>) -> Vec<u32> {
    embed(&plain_module(), &reflection(data)).unwrap()
}

#[test]
fn any_size_is_read_as_it_was_written() {
    for size in [
        1,
        MAX_INLINE - 1,
        MAX_INLINE,
        MAX_INLINE + 1,
        2 * MAX_INLINE,
        5_000_003,
    ] {
        let data = pattern(size);
        let words = with(data.clone());
        assert!(read(&words).unwrap() == reflection(data), "{size}");
        // Two words for eight bytes and little else.
        assert!(words.len() < size / 2 + 200 + size / 1000, "{size}");
        let small = size <= MAX_INLINE;
        let bare = strip_set(&words, PUMICE_SET);
        assert_eq!(bare == words, small, "{size}");
        if !small {
            let instruction = "ConstantDataPointerPushConstant";
            assert_eq!(read(&bare), Err(ReadError::NoData { instruction }));
        }
    }
}

#[test]
fn zeros_take_no_words() {
    let mut data = vec![0; 100 << 20];
    data[50 << 20] = 7;
    let words = with(data.clone());
    assert!(words.len() < 100_000, "{} words", words.len());
    assert!(read(&words).unwrap() == reflection(data));
    let words = with(vec![0; MAX_INITIAL_DATA as usize]);
    assert!(words.len() < 200, "{} words", words.len());
    let result = embed(
        &plain_module(),
        &reflection(vec![0; MAX_INITIAL_DATA as usize + 1]),
    );
    assert!(
        matches!(result, Err(WriteError::TooLong { .. })),
        "{result:?}"
    );
}

/// The operands of the one InitialData, by position: result type, result, set and number first.
fn change(words: &[u32], operand: usize, value: u32) -> Vec<u32> {
    let data = instructions(words).map(Result::unwrap).last().unwrap();
    assert_eq!(data.opcode, op::EXT_INST);
    let mut changed = words.to_vec();
    changed[data.at + 1 + operand] = value;
    changed
}

#[test]
fn wrong_pieces_are_refused() {
    let words = with(pattern(200_000));
    let data = instructions(&words).map(Result::unwrap).last().unwrap();
    let [
        void,
        result,
        _,
        5,
        buffer,
        size,
        zero,
        first,
        offset,
        second,
    ] = *data.operands
    else {
        panic!("{:?}", data.operands);
    };
    let wrong = |operand, value| read(&change(&words, operand, value)).unwrap_err();
    assert!(matches!(wrong(0, zero), ReadError::NotVoid { .. }));
    for not_a_buffer in [void, result, 0, first] {
        let error = wrong(4, not_a_buffer);
        assert!(matches!(error, ReadError::WrongOperand { .. }), "{error}");
    }
    // Too small for both pieces, or for the second.
    assert_eq!(wrong(5, zero), ReadError::BadPiece { offset: 0 });
    assert_eq!(wrong(5, offset), ReadError::BadPiece { offset: 120 << 10 });
    // Out of order, overlapping, beyond the end.
    assert_eq!(wrong(8, zero), ReadError::BadPiece { offset: 0 });
    assert_eq!(wrong(6, offset), ReadError::BadPiece { offset: 120 << 10 });
    assert_eq!(wrong(8, size), ReadError::BadPiece { offset: 200_000 });
    assert!(matches!(wrong(9, zero), ReadError::WrongOperand { .. }));
    assert_ne!(second, first);
    // A second one for the same buffer.
    let mut twice = words.clone();
    let mut again = words[data.at..data.end()].to_vec();
    again[2] = twice[3];
    twice[3] += 1;
    twice.extend(again);
    let error = read(&twice).unwrap_err();
    assert!(matches!(error, ReadError::WrongOperand { .. }), "{error}");
    // A size that no reader takes.
    let at = instructions(&words)
        .map(Result::unwrap)
        .find(|inst| inst.opcode == op::CONSTANT && inst.operands[2] == 200_000)
        .unwrap()
        .at;
    let mut huge = words.clone();
    huge[at + 3] = u32::MAX;
    assert_eq!(read(&huge), Err(ReadError::TooMuchData { size: u32::MAX }));
    assert_ne!(buffer, 0);
}
