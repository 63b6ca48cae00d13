//! Gives the values of one type another type, in place.

use cranelift_entity::EntityRef;
use pumice_ir::{Function, Scalar, Type, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Gives all values for whose type `applies` holds the element type `to`. Constants get values of
/// their own, so that a constant of the old type asked for later is none of these; `undef` makes
/// what takes the place of undefined values. Returns whether anything changed.
pub(super) fn retype(
    f: &mut Function,
    applies: impl Fn(Type) -> bool,
    to: Scalar,
    undef: impl Fn(&mut Function, Type) -> Value,
) -> bool {
    let mut defined: Vec<Value> = Vec::new();
    for &block in &f.layout.blocks {
        defined.extend(&f.blocks[block].params);
        for &inst in &f.layout.insts[block] {
            defined.extend(&f.insts[inst].results);
        }
    }
    let mut changed = false;
    for value in defined {
        let ty = f.ty(value);
        if applies(ty) {
            let def = f.def(value).clone();
            f.place_value(value, ty.with_scalar(to), def);
            changed = true;
        }
    }
    let mut used: Vec<Value> = Vec::new();
    f.rewrite_values(|value| {
        used.push(value);
        value
    });
    let mut new: FxHashMap<Value, Value> = FxHashMap::default();
    for value in used {
        let ty = f.ty(value);
        if !applies(ty) || new.contains_key(&value) {
            continue;
        }
        let ty = ty.with_scalar(to);
        let replacement = match f.def(value).clone() {
            ValueDef::Const(bits) => constant_of_its_own(f, ty, bits),
            _ => undef(f, ty),
        };
        new.insert(value, replacement);
    }
    f.rewrite_values(|value| new.get(&value).copied().unwrap_or(value));
    changed || !new.is_empty()
}

/// A new constant, whether or not there is an equal one.
pub(super) fn constant_of_its_own(f: &mut Function, ty: Type, bits: SmallVec<[u64; 1]>) -> Value {
    let value = Value::new(f.num_values());
    f.place_value(value, ty, ValueDef::Const(bits));
    value
}
