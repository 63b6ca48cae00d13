//! String literals behind the pointers that printf is called with.

use cranelift_entity::PrimaryMap;

use crate::{AddressSpace, ConvertOp, Function, GlobalData, GlobalId, InstKind, Value, ValueDef};

/// The zero-terminated bytes that a pointer to constant data leads to.
pub fn literal(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    ptr: Value,
) -> Option<Vec<u8>> {
    let (global, offset) = constant_address(func, globals, ptr)?;
    let data = &globals[global];
    let start = usize::try_from(offset).ok()?;
    if start as u64 >= data.size {
        return None;
    }
    let bytes = data.init.get(start..).unwrap_or(&[]);
    Some(bytes.iter().copied().take_while(|&b| b != 0).collect())
}

/// The variable and offset that a pointer holds, if that can be told: also one that constant
/// memory holds.
fn constant_address(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    mut ptr: Value,
) -> Option<(GlobalId, i64)> {
    let mut offset = 0i64;
    loop {
        let &ValueDef::Result(inst, _) = func.def(ptr) else {
            return None;
        };
        match func.insts[inst].kind {
            InstKind::PtrAdd { base, offset: by } => {
                offset = offset.wrapping_add(func.const_signed(by)?);
                ptr = base;
            }
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                arg,
                ..
            } => ptr = arg,
            InstKind::GlobalAddr { global } => return Some((global, offset)),
            InstKind::Load { ptr: from, .. } => {
                let (global, at) = constant_address(func, globals, from)?;
                let data = &globals[global];
                if data.space != AddressSpace::Constant {
                    return None;
                }
                let at = u64::try_from(at).ok()?;
                let known = data.relocations.iter().find(|r| r.offset == at)?;
                return Some((known.target, offset.wrapping_add(known.addend)));
            }
            _ => return None,
        }
    }
}
