//! Vectors of small integers that are only loaded, joined bit by bit and stored are words in between.
//!
//! GPUs and processors compute with registers of 32 bits: four bytes in one are one operation where four bytes in
//! four are four, and nothing takes them apart. Global and constant memory only: other memory's arrays are made of what
//! is accessed.

use crate::pass::{Changed, FunctionCtx};
use cranelift_entity::SecondaryMap;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, Function, Inst, InstKind, Scalar, Type, UnaryOp, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bytes of a word.
const WORD: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Changed {
    let vectors = vectors(func);
    if vectors.is_empty() {
        return Changed::No;
    }
    let mut words = FxHashMap::default();
    for block in func.layout.blocks.clone() {
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let made = insts
            .into_iter()
            .map(|inst| in_words(func, inst, &vectors, &mut words));
        func.layout.insts[block] = made.collect();
    }
    Changed::Yes
}

/// The words that stand for a vector of small integers.
fn words_of(ty: Type) -> Option<Type> {
    let bytes = ty.scalar.bytes() * u32::from(ty.lanes);
    let small = matches!(ty.scalar, Scalar::I8 | Scalar::I16);
    (small && bytes % WORD == 0).then(|| Type::vector(Scalar::I32, (bytes / WORD) as u8))
}

/// Returns whether an access may be one of words.
fn may_access(func: &Function, ptr: Value, align: u32, flags: AccessFlags) -> bool {
    let space = func.ty(ptr).address_space();
    let global = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
    global && align >= WORD && flags.is_plain()
}

/// The operands of an operation bit by bit.
fn operands(func: &Function, inst: Inst) -> Option<[Value; 2]> {
    match func.insts[inst].kind {
        InstKind::Binary {
            op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
            args,
            ..
        } => Some(args),
        InstKind::Unary {
            op: UnaryOp::Not,
            arg,
        } => Some([arg, arg]),
        _ => None,
    }
}

/// The values that can be words: loads and operations that nothing but such operations and stores uses.
fn vectors(func: &Function) -> FxHashSet<Value> {
    let mut vectors: FxHashSet<Value> = FxHashSet::default();
    let insts = || {
        let blocks = func.layout.blocks.iter();
        blocks.flat_map(|&block| func.layout.insts[block].iter().copied())
    };
    for inst in insts() {
        let made = match func.insts[inst].kind {
            InstKind::Load { ptr, align, flags } => may_access(func, ptr, align, flags),
            _ => operands(func, inst).is_some(),
        };
        if made && words_of(func.ty(func.result(inst))).is_some() {
            vectors.insert(func.result(inst));
        }
    }
    if vectors.is_empty() {
        return vectors;
    }
    // What an operation that is left alone has to do with is left alone too.
    let mut left: Vec<Value> = Vec::new();
    let mut users: SecondaryMap<Value, Vec<Value>> = SecondaryMap::new();
    // Values are made before they are used in the order of the blocks too.
    let mut made: FxHashSet<Value> = FxHashSet::default();
    for inst in insts() {
        let kind = &func.insts[inst].kind;
        let result = func.insts[inst].results.first().copied();
        let result = result.filter(|&result| vectors.contains(&result));
        match (result, kind) {
            (Some(result), _) if operands(func, inst).is_some() => {
                kind.for_each_value(|arg| match func.const_lanes(arg) {
                    Some(_) => {}
                    None if made.contains(&arg) => users[arg].push(result),
                    None => left.push(result),
                });
            }
            (
                None,
                &InstKind::Store {
                    value,
                    ptr,
                    align,
                    flags,
                },
            ) if made.contains(&value) && may_access(func, ptr, align, flags) => {}
            (_, kind) => kind.for_each_value(|arg| left.push(arg)),
        }
        if let Some(result) = result {
            made.insert(result);
        }
    }
    while let Some(value) = left.pop() {
        if !vectors.contains(&value) {
            continue;
        }
        vectors.remove(&value);
        left.append(&mut users[value]);
        let args = func.def_inst(value).and_then(|inst| operands(func, inst));
        left.extend(args.into_iter().flatten());
    }
    vectors
}

/// The instruction in words, or as it was.
fn in_words(
    func: &mut Function,
    inst: Inst,
    vectors: &FxHashSet<Value>,
    words: &mut FxHashMap<Value, Value>,
) -> Inst {
    let mut kind = func.insts[inst].kind.clone();
    if let InstKind::Store { value, .. } = &mut kind {
        if let Some(&word) = words.get(value) {
            *value = word;
            func.insts[inst].kind = kind;
        }
        return inst;
    }
    let Some(&result) = func.insts[inst].results.first() else {
        return inst;
    };
    let Some(ty) = words_of(func.ty(result)).filter(|_| vectors.contains(&result)) else {
        return inst;
    };
    if operands(func, inst).is_some() {
        kind.for_each_value_mut(|arg| {
            *arg = match words.get(arg) {
                Some(&word) => word,
                None => constant(func, *arg, ty),
            };
        });
    }
    let loc = func.insts[inst].loc;
    let made = func.make_inst(kind, &[ty], loc);
    words.insert(result, func.result(made));
    made
}

/// A constant vector in words, its first lane lowest.
fn constant(func: &mut Function, value: Value, ty: Type) -> Value {
    let from = func.ty(value);
    let lanes = func.const_lanes(value).unwrap_or_default();
    let of_word = (WORD / from.scalar.bytes()) as usize;
    let bits = from.scalar.bits();
    let words: Vec<u64> = (0..usize::from(ty.lanes))
        .map(|word| {
            let parts = (0..of_word).map(|part| {
                let lane = lanes.get(word * of_word + part).copied().unwrap_or(0);
                lane << (part as u32 * bits)
            });
            parts.fold(0, |word, part| word | part)
        })
        .collect();
    func.constant(ty, &words)
}
