//! What printf's arguments say: directives of a format, literals behind pointers.

use cranelift_entity::PrimaryMap;

use super::{AddressSpace, ConvertOp, Function, GlobalData, GlobalId, InstKind, Value, ValueDef};

/// The conversion letter of each directive of a printf format that takes an argument.
pub(crate) fn conversions(format: &[u8]) -> Vec<u8> {
    let mut letters = Vec::new();
    let mut bytes = format.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            continue;
        }
        if bytes.next_if_eq(&b'%').is_some() {
            continue;
        }
        // Flags, width, precision, vector and length specifiers.
        let is_part = |b: u8| b"-+ #0123456789.vhlzt".contains(&b);
        while bytes.next_if(|&b| is_part(b)).is_some() {}
        letters.extend(bytes.next());
    }
    letters
}

/// The zero-terminated bytes that a pointer to constant data leads to.
pub(crate) fn literal(
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

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn conversions_are_counted_as_printf_does() {
        assert_eq!(
            conversions(b"100%% %d %-5.3s|%v4hlf %#x %zu %td %"),
            b"dsfxud"
        );
        assert_eq!(conversions(b"none"), b"");
    }
}
