//! Instructions of any SPIR-V module, for readers that look at a part of it.

use super::reader::{MAGIC, Words};
use rspirv::spirv::Op;

/// An instruction: its operands are checked for nothing.
#[derive(Clone, Copy, Debug)]
pub struct RawInst<'a> {
    /// Opcode.
    pub op: Op,
    /// Result type id, 0 if the opcode has none.
    pub ty: u32,
    /// Result id, 0 if the opcode has none.
    pub id: u32,
    /// The other operands.
    pub args: &'a [u32],
}

impl RawInst<'_> {
    /// The literal string at operand `n` (up to the end where it has none) and the operand
    /// behind it.
    pub fn text(&self, n: usize) -> (String, usize) {
        let mut bytes = Vec::new();
        for (i, word) in self.args.get(n..).unwrap_or(&[]).iter().enumerate() {
            for byte in word.to_le_bytes() {
                if byte == 0 {
                    return (String::from_utf8_lossy(&bytes).into_owned(), n + i + 1);
                }
                bytes.push(byte);
            }
        }
        (
            String::from_utf8_lossy(&bytes).into_owned(),
            self.args.len(),
        )
    }
}

/// The minor version and the instructions of a module in host byte order.
///
/// # Errors
/// Words that are no SPIR-V.
pub fn instructions(words: &[u32]) -> Result<(u8, Vec<RawInst<'_>>), String> {
    let header = Words::new(words).map_err(|e| e.message)?;
    if words[0] != MAGIC {
        return Err("the module has the other byte order".into());
    }
    let mut insts = Vec::new();
    let mut offset = 5;
    while let Some((inst, next)) = header.inst_at(offset).map_err(|e| e.message)? {
        insts.push(RawInst {
            op: inst.op,
            ty: inst.ty,
            id: inst.id,
            args: words.get(next - inst.args.len()..next).unwrap_or(&[]),
        });
        offset = next;
    }
    Ok((header.minor, insts))
}
