//! 64-bit integers on devices without them: a number becomes two words of 32 bits.
//!
//! Every I64 value is replaced by its low and its high word, a vector by a vector of each, so that
//! lane-wise operations stay lane-wise. Block parameters, function parameters, results and arguments list
//! the other values first, then the pairs. Pointers stay pointers: an offset, and the number that a
//! pointer is in memory, become a vector of the two words. Addition and subtraction carry by a
//! comparison, a product is made of `UMulHi` and three products of words, division is in
//! [`division`], conversions are in [`floats`]. Built-in values are read word by word.
//!
//! Cost: two instructions for one in bit operations, selections and copies; four for an addition; a
//! dozen for a shift by an unknown count; a hundred for a division of large numbers, a branch more
//! for one of small numbers.
//!
//! Atomic operations on 64 bits and vectors of device addresses are an error.

mod division;
mod floats;
mod memory;
mod words;

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, Block, BlockCall, ConvertOp, FuncId, Function, GroupOp, Inst,
    InstKind, IntCond, LowerError, Module, Scalar, Type, UnaryOp, Value, ValueDef,
};
use pumice_target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use words::Words;

fn is_long(ty: Type) -> bool {
    ty.scalar == Scalar::I64
}

fn word_ty(ty: Type) -> Type {
    ty.with_scalar(Scalar::I32)
}

fn pair_ty() -> Type {
    Type::vector(Scalar::I32, 2)
}

/// Other types first, then the words of long ones.
fn flatten_types(types: &[Type]) -> Vec<Type> {
    let others = types.iter().copied().filter(|&ty| !is_long(ty));
    let long = types.iter().copied().filter(|&ty| is_long(ty));
    others.chain(long.flat_map(|ty| [word_ty(ty); 2])).collect()
}

/// Runs the pass.
///
/// # Errors
/// An atomic operation on 64 bits, or a vector of device addresses.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if ctx.target.int64 {
        return Ok(Changed::No);
    }
    let signatures: FxHashMap<FuncId, Vec<Type>> = (module.functions.iter())
        .map(|(id, f)| (id, f.results.clone()))
        .collect();
    let mut changed = Changed::No;
    for f in module.functions.values_mut() {
        if f.params.iter().chain(&f.results).any(|&ty| is_long(ty)) {
            f.params = flatten_types(&f.params);
            f.results = flatten_types(&f.results);
            changed = Changed::Yes;
        }
        if f.entry().is_some() && split(f, &signatures, ctx.target)? == Changed::Yes {
            changed = Changed::Yes;
        }
    }
    Ok(changed)
}

fn split(
    f: &mut Function,
    signatures: &FxHashMap<FuncId, Vec<Type>>,
    target: &Target,
) -> Result<Changed, LowerError> {
    let mut splitter = Splitter {
        words: FxHashMap::default(),
        signatures,
        target,
        changed: false,
    };
    for block in f.layout.blocks.clone() {
        splitter.split_params(f, block);
    }
    let changed = expand(f, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let results = x.func.insts[inst].results.clone();
        splitter.rule(x, inst, kind, &results)
    })?;
    let own = splitter.changed;
    Ok(Changed::from_bool(own || changed.is_yes()))
}

struct Splitter<'s> {
    words: FxHashMap<Value, Words>,
    signatures: &'s FxHashMap<FuncId, Vec<Type>>,
    target: &'s Target,
    changed: bool,
}

impl Splitter<'_> {
    fn split_params(&mut self, f: &mut Function, block: Block) {
        let params = f.blocks[block].params.iter().copied();
        let long: Vec<Value> = params.filter(|&param| is_long(f.ty(param))).collect();
        if long.is_empty() {
            return;
        }
        self.changed = true;
        for &param in &long {
            let ty = word_ty(f.ty(param));
            let low = f.append_param(block, ty);
            let high = f.append_param(block, ty);
            self.words.insert(param, Words { low, high });
        }
        f.retain_params(block, |_, value| !long.contains(&value));
    }

    /// The words of a long value.
    fn of(&mut self, x: &mut Expander<'_>, value: Value) -> Words {
        if let Some(&words) = self.words.get(&value) {
            return words;
        }
        let ty = word_ty(x.ty(value));
        let words = match x.func.def(value).clone() {
            ValueDef::Const(bits) => {
                let mut word = |shift: u32| {
                    let lanes: SmallVec<[u64; 4]> =
                        (bits.iter().map(|&lane| lane >> shift & 0xffff_ffff)).collect();
                    x.func.constant(ty, &lanes)
                };
                Words {
                    low: word(0),
                    high: word(32),
                }
            }
            // Undef, or code that nothing reaches.
            _ => Words {
                low: x.func.undef(ty),
                high: x.func.undef(ty),
            },
        };
        self.words.insert(value, words);
        words
    }

    /// Both words of a scalar in one vector.
    fn pair(&mut self, x: &mut Expander<'_>, value: Value) -> Value {
        if let Some(bits) = x.func.const_bits(value) {
            return x
                .func
                .constant(pair_ty(), &[bits & 0xffff_ffff, bits >> 32]);
        }
        let words = self.of(x, value);
        x.build(&[words.low, words.high])
    }

    /// The low word of a long number; others as they are.
    fn narrow(&mut self, x: &mut Expander<'_>, value: Value) -> Value {
        match is_long(x.ty(value)) {
            true => self.of(x, value).low,
            false => value,
        }
    }

    fn flatten(&mut self, x: &mut Expander<'_>, values: &[Value]) -> Vec<Value> {
        let others = values.iter().copied().filter(|&v| !is_long(x.ty(v)));
        let mut out: Vec<Value> = others.collect();
        for &value in values {
            if is_long(x.ty(value)) {
                let words = self.of(x, value);
                out.extend([words.low, words.high]);
            }
        }
        out
    }

    fn flatten_call(&mut self, x: &mut Expander<'_>, call: &mut BlockCall) {
        if call.args.iter().any(|&arg| is_long(x.ty(arg))) {
            call.args = self.flatten(x, &call.args).into();
            self.changed = true;
        }
    }

    fn rule(
        &mut self,
        x: &mut Expander<'_>,
        inst: Inst,
        mut kind: InstKind,
        results: &[Value],
    ) -> Result<Option<Replacement>, LowerError> {
        match &mut kind {
            InstKind::Switch { value, .. } if is_long(x.ty(*value)) => {
                self.switch(x, kind);
                return Ok(Some(Replacement::new()));
            }
            InstKind::Jump { .. } | InstKind::Branch { .. } | InstKind::Switch { .. } => {
                for call in kind.successors_mut() {
                    self.flatten_call(x, call);
                }
                x.func.insts[inst].kind = kind;
                return Ok(None);
            }
            InstKind::Return { values } => {
                if values.iter().any(|&value| is_long(x.ty(value))) {
                    *values = self.flatten(x, values).into();
                    x.func.insts[inst].kind = kind;
                    self.changed = true;
                }
                return Ok(None);
            }
            InstKind::Call { func, args } => return Ok(self.call(x, *func, args, results)),
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } if x.ty(*value).scalar.bytes() == 8 => {
                let lanes = x.ty(*value).lanes;
                let words = self.cast_into(x, *value, lanes);
                memory::store(x, *ptr, words, *align, *flags);
                return Ok(Some(Replacement::new()));
            }
            _ => {}
        }
        if is_atomic(x, &kind, results) {
            return Err(LowerError::new("this device has no 64-bit atomics"));
        }
        let Some(&result) = results.first() else {
            return Ok(None);
        };
        let ty = x.ty(result);
        if ty.is_vector() && self.is_wide_pointer(ty) {
            return Err(LowerError::new("this device has no vectors of pointers"));
        }
        if is_long(ty) {
            let words = self.long_result(x, &kind, ty)?;
            self.words.insert(result, words);
            return Ok(Some(Replacement::new()));
        }
        let value = self.other_result(x, kind, ty);
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    }

    fn call(
        &mut self,
        x: &mut Expander<'_>,
        func: FuncId,
        args: &[Value],
        results: &[Value],
    ) -> Option<Replacement> {
        let types = &self.signatures[&func];
        let any_long = types.iter().any(|&ty| is_long(ty));
        if !any_long && !args.iter().any(|&arg| is_long(x.ty(arg))) {
            return None;
        }
        let flat = flatten_types(types);
        let args = self.flatten(x, args).into();
        let inst = x.emit(InstKind::Call { func, args }, &flat);
        let mut new = x.func.insts[inst].results.clone().into_iter();
        let mut replacement = Replacement::from_slice(results);
        for value in &mut replacement {
            if !is_long(x.ty(*value)) {
                *value = new.next().unwrap_or(*value);
            }
        }
        for &value in results.iter().filter(|&&value| is_long(x.ty(value))) {
            if let (Some(low), Some(high)) = (new.next(), new.next()) {
                self.words.insert(value, Words { low, high });
            }
        }
        Some(replacement)
    }

    /// A switch becomes one comparison a case.
    fn switch(&mut self, x: &mut Expander<'_>, mut kind: InstKind) {
        for call in kind.successors_mut() {
            self.flatten_call(x, call);
        }
        let InstKind::Switch {
            value,
            default,
            cases,
        } = kind
        else {
            return;
        };
        let value = self.of(x, value);
        for (bits, target) in cases {
            let case = Words::splat(x, Type::I32, bits);
            let here = words::icmp(x, IntCond::Eq, value, case);
            let next = x.new_block();
            x.branch(here, target, BlockCall::new(next, &[]), next);
        }
        x.emit(InstKind::Jump { dest: default }, &[]);
    }

    /// Values that are no long integers, of operands that may be.
    fn other_result(
        &mut self,
        x: &mut Expander<'_>,
        mut kind: InstKind,
        ty: Type,
    ) -> Option<Value> {
        if let InstKind::Load { ptr, align, flags } = kind {
            // Local and private memory cannot have elements of 8 bytes.
            let buffer = ty.scalar.is_ptr() && !self.is_number(ty);
            return (ty.scalar.bytes() == 8 && !buffer).then(|| {
                let words = memory::load(x, ptr, ty.lanes, align, flags);
                memory::from_words(x, words, ty)
            });
        }
        let mut long = false;
        kind.for_each_value(|value| long |= is_long(x.ty(value)));
        if let InstKind::ICmp { cond, args } = kind {
            let pointers = self.is_wide_pointer(x.ty(args[0]));
            if !long && !pointers {
                return None;
            }
            let [a, b] = args.map(|arg| match pointers {
                true => {
                    let pair = x.convert(ConvertOp::PtrToInt, arg, pair_ty());
                    memory::apart(x, &[pair], 1)
                }
                false => self.of(x, arg),
            });
            return Some(words::icmp(x, cond, a, b));
        }
        if !long {
            return None;
        }
        match &mut kind {
            InstKind::Convert { op, arg, .. } => return Some(self.convert_out(x, *op, *arg, ty)),
            InstKind::PtrAdd { offset, .. } => *offset = self.pair(x, *offset),
            InstKind::Extract { .. } | InstKind::Shuffle { .. } => return None,
            InstKind::Group { op, scope, args } if *op == GroupOp::AllEqual => {
                let (op, scope) = (*op, *scope);
                let both = self.of(x, args[0]).map(|word| {
                    let args = SmallVec::from_slice(&[word]);
                    x.value(InstKind::Group { op, scope, args }, ty)
                });
                return Some(x.bin(BinaryOp::And, both.low, both.high));
            }
            // Indices and numbers of lanes: what does not fit a word is out of range.
            _ => kind.for_each_value_mut(|value| *value = self.narrow(x, *value)),
        }
        Some(x.value(kind, ty))
    }

    /// Returns whether pointers of a type are 64-bit numbers in registers.
    fn is_wide_pointer(&self, ty: Type) -> bool {
        let offset = matches!(
            ty.address_space(),
            Some(AddressSpace::Local | AddressSpace::Private)
        );
        ty.scalar.is_ptr() && !offset && self.is_number(ty)
    }

    /// Returns whether a number can become a pointer of the type: not where it would have to name a
    /// buffer.
    fn is_number(&self, ty: Type) -> bool {
        let buffer = matches!(
            ty.address_space(),
            Some(AddressSpace::Global | AddressSpace::Constant)
        );
        !buffer || self.target.abi.descriptors().is_none()
    }

    fn convert_out(&mut self, x: &mut Expander<'_>, op: ConvertOp, arg: Value, ty: Type) -> Value {
        match op {
            ConvertOp::IntToPtr => {
                let pair = self.pair(x, arg);
                x.convert(op, pair, ty)
            }
            ConvertOp::SToF | ConvertOp::UToF => {
                let words = self.of(x, arg);
                floats::from_words(x, words, op == ConvertOp::SToF, ty)
            }
            ConvertOp::Bitcast => self.cast_out(x, arg, ty),
            _ => {
                let low = self.of(x, arg).low;
                x.convert(ConvertOp::Trunc, low, ty)
            }
        }
    }

    fn convert_into(&mut self, x: &mut Expander<'_>, op: ConvertOp, arg: Value, ty: Type) -> Words {
        let words = word_ty(ty);
        match op {
            ConvertOp::PtrToInt => {
                let pair = x.convert(op, arg, pair_ty());
                memory::apart(x, &[pair], 1)
            }
            ConvertOp::Bitcast => self.cast_into(x, arg, ty.lanes),
            ConvertOp::FToS | ConvertOp::FToU => floats::to_words(x, arg, op == ConvertOp::FToS),
            _ => {
                let low = x.convert(op, arg, words);
                words::extended(x, low, op == ConvertOp::SExt)
            }
        }
    }

    fn long_result(
        &mut self,
        x: &mut Expander<'_>,
        kind: &InstKind,
        ty: Type,
    ) -> Result<Words, LowerError> {
        Ok(match *kind {
            InstKind::Binary { op, args, .. } => {
                let [a, b] = args.map(|arg| self.of(x, arg));
                binary(x, op, a, b)?
            }
            InstKind::Unary { op, arg } => {
                let arg = self.of(x, arg);
                match op {
                    UnaryOp::INeg => words::neg(x, arg),
                    _ => arg.map(|word| x.un(op, word)),
                }
            }
            InstKind::Select { cond, then, other } => {
                let (then, other) = (self.of(x, then), self.of(x, other));
                words::select(x, cond, then, other)
            }
            InstKind::Convert { op, arg, .. } => self.convert_into(x, op, arg, ty),
            InstKind::Load { ptr, align, flags } => memory::load(x, ptr, ty.lanes, align, flags),
            InstKind::LoadArg { offset } => {
                let mut word = |high: u32| {
                    let lanes: SmallVec<[Value; 4]> = (0..u32::from(ty.lanes))
                        .map(|lane| {
                            let offset = offset + 8 * lane + 4 * high;
                            x.value(InstKind::LoadArg { offset }, Type::I32)
                        })
                        .collect();
                    x.build(&lanes)
                };
                Words {
                    low: word(0),
                    high: word(1),
                }
            }
            InstKind::BuiltIn { which } => {
                let mut word = |high: bool| {
                    let lanes: SmallVec<[Value; 4]> = (0..ty.lanes)
                        .map(|lane| x.value(InstKind::BuiltInWord { which, lane, high }, Type::I32))
                        .collect();
                    x.build(&lanes)
                };
                Words {
                    low: word(false),
                    high: word(true),
                }
            }
            InstKind::ReadClock { scope } => {
                let pair = x.value(InstKind::ReadClock { scope }, pair_ty());
                memory::apart(x, &[pair], 1)
            }
            InstKind::Group { op, .. } if !is_word_by_word(op) => {
                return Err(LowerError::new(format!(
                    "this device has no {op:?} of 64-bit integers"
                )));
            }
            InstKind::Build { .. }
            | InstKind::Splat { .. }
            | InstKind::Extract { .. }
            | InstKind::Insert { .. }
            | InstKind::ExtractDyn { .. }
            | InstKind::InsertDyn { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Group { .. } => self.word_by_word(x, kind, ty),
            ref other => {
                return Err(LowerError::new(format!(
                    "internal: {other:?} gives a 64-bit integer"
                )));
            }
        })
    }

    /// The same instruction on the low words, and on the high ones.
    fn word_by_word(&mut self, x: &mut Expander<'_>, kind: &InstKind, ty: Type) -> Words {
        let mut low = kind.clone();
        let mut high = kind.clone();
        let mut of = |value: Value, is_high: bool| {
            if !is_long(x.ty(value)) {
                return value;
            }
            let words = self.of(x, value);
            match is_high {
                true => words.high,
                false => words.low,
            }
        };
        low.for_each_value_mut(|value| *value = of(*value, false));
        high.for_each_value_mut(|value| *value = of(*value, true));
        if let (Some(index), Some(word)) = (lane_operand(&mut high), lane_operand(&mut low)) {
            *index = *word;
        }
        let ty = word_ty(ty);
        Words {
            low: x.value(low, ty),
            high: x.value(high, ty),
        }
    }
}

/// The operand that names a lane or a distance between lanes, which is no part of the numbers.
fn lane_operand(kind: &mut InstKind) -> Option<&mut Value> {
    match kind {
        InstKind::ExtractDyn { index, .. } | InstKind::InsertDyn { index, .. } => Some(index),
        InstKind::Group {
            op:
                GroupOp::Broadcast
                | GroupOp::Shuffle
                | GroupOp::ShuffleXor
                | GroupOp::ShuffleUp
                | GroupOp::ShuffleDown
                | GroupOp::Rotate,
            args,
            ..
        } => args.get_mut(1),
        _ => None,
    }
}

/// Returns whether an instruction is an atomic one on a long integer.
fn is_atomic(x: &Expander<'_>, kind: &InstKind, results: &[Value]) -> bool {
    match *kind {
        InstKind::AtomicLoad { .. }
        | InstKind::AtomicRmw { .. }
        | InstKind::AtomicCmpXchg { .. } => results.iter().any(|&value| is_long(x.ty(value))),
        InstKind::AtomicStore { value, .. } => is_long(x.ty(value)),
        _ => false,
    }
}

/// Returns whether a collective on numbers of two words can be done on each word by itself.
pub(crate) fn is_word_by_word(op: GroupOp) -> bool {
    match op {
        GroupOp::Broadcast
        | GroupOp::BroadcastFirst
        | GroupOp::Shuffle
        | GroupOp::ShuffleXor
        | GroupOp::ShuffleUp
        | GroupOp::ShuffleDown
        | GroupOp::Rotate
        | GroupOp::AmdSwizzle(_)
        | GroupOp::AmdSwizzleMasked(_)
        | GroupOp::AmdWriteInvocation => true,
        GroupOp::Arithmetic(op, _) | GroupOp::AmdArithmetic(op, _) => {
            matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor)
        }
        _ => false,
    }
}

fn binary(x: &mut Expander<'_>, op: BinaryOp, a: Words, b: Words) -> Result<Words, LowerError> {
    Ok(match op {
        BinaryOp::IAdd => words::add(x, a, b),
        BinaryOp::ISub => words::sub(x, a, b),
        BinaryOp::IMul => words::mul(x, a, b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Words {
            low: x.bin(op, a.low, b.low),
            high: x.bin(op, a.high, b.high),
        },
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => words::shift(x, op, a, b.low),
        BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMin | BinaryOp::UMax => {
            words::extremum(x, op, a, b)
        }
        BinaryOp::UDiv | BinaryOp::URem => {
            let mut low: SmallVec<[Value; 4]> = SmallVec::new();
            let mut high: SmallVec<[Value; 4]> = SmallVec::new();
            for lane in 0..x.ty(a.low).lanes {
                let [a, b] = [a, b].map(|words| words.map(|word| x.lane(word, lane)));
                let [quotient, rest] = division::divide(x, a, b);
                let wanted = match op {
                    BinaryOp::UDiv => quotient,
                    _ => rest,
                };
                low.push(wanted.low);
                high.push(wanted.high);
            }
            Words {
                low: x.build(&low),
                high: x.build(&high),
            }
        }
        other => return Err(LowerError::new(format!("internal: {other:?} of 64 bits"))),
    })
}
