//! String literals behind the pointers that printf is called with.

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashSet;

use super::alias::base;
use crate::{
    AddressSpace, Cfg, ConvertOp, Function, GlobalData, GlobalId, InstKind, Value, ValueDef,
};

/// The zero-terminated bytes that a pointer to constant data leads to.
pub fn literal(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    ptr: Value,
) -> Option<Vec<u8>> {
    let (global, offset) = constant_address(func, globals, ptr)?;
    text_at(&globals[global], offset)
}

/// The zero-terminated bytes from a place in constant data on.
pub fn text_at(data: &GlobalData, offset: i64) -> Option<Vec<u8>> {
    let start = usize::try_from(offset).ok()?;
    if start as u64 >= data.size {
        return None;
    }
    let bytes = data.init.get(start..).unwrap_or(&[]);
    Some(bytes.iter().copied().take_while(|&b| b != 0).collect())
}

/// A place that a pointer may lead to: a byte of a variable, or `None` for NULL.
pub type Place = Option<(GlobalId, i64)>;

/// A pointer that may lead to more places leads to any.
const MOST_PLACES: usize = 64;
/// Values that are looked at for one pointer.
const MOST_VALUES: usize = 250;

/// All places that a pointer may lead to, where each of them can be told: selected, chosen by branches, and held by a
/// table in constant memory. `cfg` gives the function's control flow, if it is needed.
pub fn places<'c>(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    cfg: impl Fn() -> &'c Cfg,
    ptr: Value,
) -> Option<Vec<Place>> {
    let mut found: Vec<Place> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![(ptr, 0i64)];
    while let Some((ptr, offset)) = work.pop() {
        if !seen.insert((ptr, offset)) {
            continue;
        }
        if seen.len() > MOST_VALUES || found.len() > MOST_PLACES {
            return None;
        }
        if func.const_bits(ptr) == Some(0) && offset == 0 {
            found.push(None);
            continue;
        }
        if let Some((global, at)) = constant_address(func, globals, ptr) {
            found.push(Some((global, at.wrapping_add(offset))));
            continue;
        }
        match *func.def(ptr) {
            ValueDef::Param(block, index) => {
                for &from in cfg().preds(block) {
                    let terminator = func.terminator(from);
                    let calls = terminator.map(|inst| func.insts[inst].kind.successors());
                    let calls = calls.into_iter().flatten();
                    let args = calls.filter(|call| call.block == block);
                    work.extend(args.map(|call| (call.args[usize::from(index)], offset)));
                }
                if func.entry() == Some(block) {
                    return None;
                }
            }
            ValueDef::Result(inst, _) => match func.insts[inst].kind {
                InstKind::PtrAdd { base, offset: by } => {
                    work.push((base, offset.wrapping_add(func.const_signed(by)?)));
                }
                InstKind::Convert {
                    op: ConvertOp::AddressSpaceCast,
                    arg,
                    ..
                } => work.push((arg, offset)),
                InstKind::Select { then, other, .. } => {
                    work.extend([(then, offset), (other, offset)]);
                }
                InstKind::Load { ptr: from, .. } => {
                    let table = func.def_inst(base(func, from))?;
                    let InstKind::GlobalAddr { global } = func.insts[table].kind else {
                        return None;
                    };
                    let data = &globals[global];
                    if data.space != AddressSpace::Constant {
                        return None;
                    }
                    let held = data.relocations.iter();
                    let held = held.map(|r| Some((r.target, offset.wrapping_add(r.addend))));
                    found.extend(held);
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    found.sort_unstable();
    found.dedup();
    (!found.is_empty() && found.len() <= MOST_PLACES).then_some(found)
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
