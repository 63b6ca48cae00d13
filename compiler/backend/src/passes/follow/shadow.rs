//! Parts that the checks for memory that nothing wrote share: shadows, whose bytes are all ones where that was written.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, Function, Inst, InstKind, IntCond, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The lanes of values that are used, one bit for each: a vector that gets lanes is carried along, and so is what a block's
/// parameter without a use takes. What is stored counts if `stores_use`; the neighbours of a bit-field never do.
pub(super) fn used_lanes(func: &Function, stores_use: bool) -> FxHashMap<Value, u32> {
    let mut used: FxHashMap<Value, u32> = FxHashMap::default();
    let mut carried: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let blocks = func.layout.blocks.iter();
    for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
        let kind = &func.insts[inst].kind;
        let mut carries: Vec<Value> = Vec::new();
        for call in kind.successors() {
            let params = &func.blocks[call.block].params;
            for (&param, &arg) in params.iter().zip(&call.args) {
                carried.entry(param).or_default().push(arg);
                carries.push(arg);
            }
        }
        match *kind {
            InstKind::Insert { vector, .. } => carries.push(vector),
            InstKind::Store { value, .. } if !stores_use => carries.push(value),
            // Other lanes of a vector are set this way too.
            InstKind::Shuffle { .. } => continue,
            InstKind::Extract { vector, lane } => {
                *used.entry(vector).or_default() |= 1 << lane;
                continue;
            }
            _ => {}
        }
        kind.for_each_value(|value| match carries.iter().position(|&one| one == value) {
            Some(at) => drop(carries.swap_remove(at)),
            None => drop(used.insert(value, u32::MAX)),
        });
    }
    let mut new: Vec<Value> = used.keys().copied().collect();
    while let Some(param) = new.pop() {
        let lanes = used[&param];
        for &arg in carried.get(&param).into_iter().flatten() {
            let known = used.entry(arg).or_default();
            if *known | lanes != *known {
                *known |= lanes;
                new.push(arg);
            }
        }
    }
    for value in neighbours(func) {
        used.remove(&value);
    }
    used
}

/// Bytes that are read for those of their bits that the same byte keeps when a bit-field in it is written.
fn neighbours(func: &Function) -> Vec<Value> {
    let insts = || (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    let byte = |inst: Inst| match (&func.insts[inst].kind, &func.insts[inst].results[..]) {
        (&InstKind::Load { ptr, .. }, &[result]) if func.ty(result) == Type::I8 => {
            Some((ptr, result))
        }
        _ => None,
    };
    let bytes: Vec<(Value, Value)> = insts().filter_map(|&inst| byte(inst)).collect();
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
    for &inst in insts() {
        (func.insts[inst].kind).for_each_value(|value| users.entry(value).or_default().push(inst));
    }
    (bytes.into_iter())
        .filter(|&(ptr, byte)| is_kept(func, &users, ptr, byte))
        .map(|(_, byte)| byte)
        .collect()
}

/// Returns whether a byte that was read is only masked, joined with other bits, and written back where it was.
fn is_kept(func: &Function, users: &FxHashMap<Value, Vec<Inst>>, ptr: Value, byte: Value) -> bool {
    let mut is_masked = false;
    let mut met: FxHashSet<Value> = FxHashSet::default();
    let mut new = vec![byte];
    while let Some(value) = new.pop() {
        if !met.insert(value) {
            continue;
        }
        for &user in users.get(&value).into_iter().flatten() {
            let data = &func.insts[user];
            match data.kind {
                InstKind::Binary {
                    op: op @ (BinaryOp::And | BinaryOp::Or),
                    args,
                    ..
                } => {
                    let by_constant = args.iter().any(|&arg| func.const_bits(arg).is_some());
                    is_masked |= op == BinaryOp::And && by_constant;
                    new.extend(data.results.first());
                }
                InstKind::Store { ptr: to, .. } if to == ptr => {}
                _ => {
                    let mut others = 0;
                    data.kind
                        .for_each_value(|used| others += u32::from(used == value));
                    for call in data.kind.successors() {
                        let params = &func.blocks[call.block].params;
                        let taken = params.iter().zip(&call.args);
                        for (&param, _) in taken.filter(|&(_, &arg)| arg == value) {
                            new.push(param);
                            others -= 1;
                        }
                    }
                    if others != 0 {
                        return false;
                    }
                }
            }
        }
    }
    is_masked
}

/// True if a byte of a shadow does not say that it was written; only some lanes count.
pub(super) fn lacks_ones(
    x: &mut Expander<'_>,
    shadow: Value,
    (ty, lanes): (Type, u32),
    align: u32,
) -> Value {
    let written = x.load(shadow, ty, align);
    let bad = x.icmp_const(IntCond::Ne, written, u64::MAX >> (64 - ty.scalar.bits()));
    let chosen = (0..ty.lanes).filter(|&lane| lanes >> lane & 1 != 0);
    let all: Vec<Value> = chosen.map(|lane| x.lane(bad, lane)).collect();
    let any = all
        .into_iter()
        .reduce(|any, one| x.bin(BinaryOp::Or, any, one));
    any.unwrap_or_else(|| x.splat(Type::BOOL, 0))
}

/// The type of a value's shadow.
pub(super) fn bits_of(ty: Type) -> Type {
    ty.with_scalar(Scalar::int_of_bits(ty.scalar.bytes() * 8).unwrap_or(Scalar::I8))
}

/// Marks bytes of a shadow as written.
pub(super) fn ones(x: &mut Expander<'_>, shadow: Value, at: u64, ty: Type, align: u32) {
    let ptr = x.offset(shadow, at);
    let value = x.splat(ty, u64::MAX >> (64 - ty.scalar.bits()));
    x.store(ptr, value, align);
}

/// Marks bytes of a shadow that a copy writes.
pub(super) fn mark(x: &mut Expander<'_>, shadow: Value, bytes: u64, align: u32) {
    let words = if align >= 4 { bytes / 4 } else { 0 };
    for word in 0..words {
        ones(x, shadow, word * 4, Type::I32, 4);
    }
    for byte in words * 4..bytes {
        ones(x, shadow, byte, Type::I8, 1);
    }
}
