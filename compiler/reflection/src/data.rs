//! Initial contents of a buffer that no single OpString holds.
//!
//! ClspvReflection's *Data* is one OpString of hexadecimal digits, so at most [`MAX_INLINE`](crate::operand::MAX_INLINE) bytes.
//! Larger contents stand in our own set, and *Data* is the empty string: a reader that does not
//! know the set, or that gets the module without it, has no bytes at all to make a buffer of,
//! instead of the wrong ones.
//!
//! `InitialData` has the operands *Buffer* (a ClspvReflection instruction with *Data*), *Size* in
//! bytes, then pairs of *Offset* and *Data* by rising offset. Bytes that no pair covers are zero.

use crate::MAX_INITIAL_DATA;
use crate::definitions::Definitions;
use crate::error::{ReadError, WriteError};
use crate::model::Instructions;
use crate::operand::{HexBytes, Operand, Source, hex_digits};
use crate::pools::Pools;

/// The instruction's number in our own set.
pub(crate) const NUMBER: u32 = 5;
/// The instruction's name.
pub(crate) const NAME: &str = "InitialData";
/// Bytes of each pair but the last.
const PIECE: usize = 120 << 10;

/// Writes the contents of `buffer`, the id of its instruction.
pub(crate) fn encode(
    buffer: u32,
    data: &[u8],
    pools: &mut Pools<'_>,
) -> Result<Vec<u32>, WriteError> {
    let too_long = WriteError::TooLong {
        instruction: NAME,
        operand: "Size",
    };
    if data.len() as u64 > MAX_INITIAL_DATA {
        return Err(too_long);
    }
    let mut operands = vec![buffer, pools.constant(data.len() as u32)];
    for (index, piece) in data.chunks(PIECE).enumerate() {
        if piece.iter().all(|&byte| byte == 0) {
            continue;
        }
        operands.push(pools.constant((index * PIECE) as u32));
        operands.push(pools.new_string(&hex_digits(piece)));
    }
    Ok(operands)
}

/// Reads the contents into the instruction that they belong to.
pub(crate) fn decode(
    operands: &[u32],
    defined: &Definitions,
    instructions: &mut Instructions,
) -> Result<(), ReadError> {
    let mut source = Source {
        instruction: NAME,
        revision: 1,
        operands,
        defined,
    };
    let buffer = source.take("Buffer")?;
    let target = defined.buffers.get(&buffer);
    let target = target.and_then(|&index| instructions.data_mut(index));
    let Some(HexBytes(bytes)) = target.filter(|data| data.0.is_empty()) else {
        return Err(source.wrong("Buffer", buffer, "an instruction with empty Data"));
    };
    let size = u32::decode(&mut source, "Size")?;
    if u64::from(size) > MAX_INITIAL_DATA {
        return Err(ReadError::TooMuchData { size });
    }
    let mut contents = vec![0; size as usize];
    let mut end = 0;
    while !source.operands.is_empty() {
        let offset = u32::decode(&mut source, "Offset")?;
        let HexBytes(piece) = HexBytes::decode(&mut source, "Data")?;
        let at = offset as usize;
        let place = (at >= end)
            .then(|| contents.get_mut(at..at.checked_add(piece.len())?))
            .flatten();
        let place = place.ok_or(ReadError::BadPiece { offset })?;
        place.copy_from_slice(&piece);
        end = at + piece.len();
    }
    *bytes = contents;
    Ok(())
}
