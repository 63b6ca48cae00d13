//! A rewriter that replaces instructions by sequences: what most lowering passes need.
//!
//! [`expand`] walks the blocks in reverse postorder and shows each instruction, operands
//! already replaced, to a rule. The rule keeps it or builds others through the [`Expander`]
//! and names the values that take the place of the results. A rule may end the current block
//! and go on in a new one; branches into the original block still find its start, and its
//! terminator ends whatever block is current then.

use crate::pass::Changed;
use pumice_ir::LowerError;
use pumice_ir::{
    AccessFlags, BinaryOp, Block, BlockCall, ConvertOp, FloatCond, FloatFlags, Function, Inst,
    InstKind, IntCond, MathOp, Rounding, Scalar, SourceLoc, StackSlot, StackSlotData, Type,
    UnaryOp, Value, reverse_postorder,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Values that replace the results of an instruction.
pub(crate) type Replacement = SmallVec<[Value; 1]>;

/// A conversion with the type of its result.
pub(crate) struct Conversion {
    pub op: ConvertOp,
    pub arg: Value,
    pub rounding: Option<Rounding>,
    pub ty: Type,
}

/// The state of a walk.
pub(crate) struct Expander<'f> {
    /// The function.
    pub func: &'f mut Function,
    /// Source position of the instruction being replaced.
    pub loc: SourceLoc,
    /// True at the function's first instruction: what is built there comes before all others.
    pub at_entry: bool,
    /// The instructions of the block that the walk is in, as they were.
    given: Vec<Inst>,
    /// So many of them stand as they were, and nothing else is in the block: most blocks stay so.
    /// `None` once the block is written to `out` instead.
    unchanged: Option<usize>,
    out: Vec<Inst>,
    block: Block,
    order: Vec<Block>,
    replaced: FxHashMap<Value, Value>,
}

/// Shows every instruction to `rule`. `Ok(None)` keeps it, `Ok(Some(values))` replaces it, with
/// no values if nothing uses the results any more.
///
/// # Errors
/// The error that `rule` returns.
pub(crate) fn expand(
    func: &mut Function,
    mut rule: impl FnMut(&mut Expander<'_>, Inst) -> Result<Option<Replacement>, LowerError>,
) -> Result<Changed, LowerError> {
    let Some(entry) = func.entry() else {
        return Ok(Changed::No);
    };
    let blocks = reverse_postorder(func);
    let mut x = Expander {
        loc: SourceLoc::default(),
        at_entry: true,
        given: Vec::new(),
        unchanged: None,
        out: Vec::new(),
        block: entry,
        order: Vec::with_capacity(blocks.len()),
        replaced: FxHashMap::default(),
        func,
    };
    let mut changed = blocks.len() != x.func.layout.blocks.len();
    for block in blocks {
        x.start(block);
        x.given = std::mem::take(&mut x.func.layout.insts[block]);
        x.unchanged = Some(0);
        for index in 0..x.given.len() {
            let inst = x.given[index];
            x.loc = x.func.insts[inst].loc;
            if !x.replaced.is_empty() {
                let replaced = &x.replaced;
                x.func.insts[inst]
                    .kind
                    .for_each_value_mut(|v| *v = resolve(replaced, *v));
            }
            let replacement = rule(&mut x, inst)?;
            x.at_entry = false;
            match replacement {
                None => match &mut x.unchanged {
                    Some(count) => *count += 1,
                    None => x.out.push(inst),
                },
                Some(values) => {
                    changed = true;
                    x.write();
                    let results = x.func.insts[inst].results.clone();
                    debug_assert!(values.is_empty() || results.len() == values.len());
                    for (old, new) in results.into_iter().zip(values) {
                        if old != new {
                            x.replaced.insert(old, new);
                        }
                    }
                }
            }
        }
        x.close();
    }
    let Expander {
        func,
        order,
        replaced,
        ..
    } = x;
    func.layout.blocks = order;
    if !replaced.is_empty() {
        func.rewrite_values(|v| resolve(&replaced, v));
    }
    Ok(Changed::from_bool(changed))
}

fn resolve(replaced: &FxHashMap<Value, Value>, mut value: Value) -> Value {
    while let Some(&next) = replaced.get(&value) {
        value = next;
    }
    value
}

impl Expander<'_> {
    /// Goes over to writing the block's instructions to a list of their own.
    fn write(&mut self) {
        if let Some(count) = self.unchanged.take() {
            self.out.reserve(self.given.len() + 1);
            self.out.extend_from_slice(&self.given[..count]);
        }
    }

    fn close(&mut self) {
        self.func.layout.insts[self.block] = std::mem::take(match self.unchanged {
            Some(_) => &mut self.given,
            None => &mut self.out,
        });
    }

    /// Goes on in `block`, which comes next in the layout.
    pub fn start(&mut self, block: Block) {
        self.block = block;
        self.order.push(block);
    }

    /// Puts a value in the place of another in all that follows, and where the other was used before.
    pub fn replace(&mut self, old: Value, new: Value) {
        self.replaced.insert(old, new);
    }

    /// A new block, not yet in the layout.
    pub fn new_block(&mut self) -> Block {
        self.func.make_block()
    }

    /// Ends the current block and goes on in `next`.
    pub fn end_block(&mut self, terminator: InstKind, next: Block) {
        self.emit(terminator, &[]);
        self.close();
        self.start(next);
    }

    /// `br block(args)`.
    pub fn jump(&mut self, block: Block, args: &[Value], next: Block) {
        self.end_block(
            InstKind::Jump {
                dest: BlockCall::new(block, args),
            },
            next,
        );
    }

    /// `if cond { then } else { other }`.
    pub fn branch(&mut self, cond: Value, then: BlockCall, other: BlockCall, next: Block) {
        self.end_block(InstKind::Branch { cond, then, other }, next);
    }

    /// A branch that hands nothing on.
    pub fn branch_bare(&mut self, cond: Value, [then, other]: [Block; 2], next: Block) {
        let [then, other] = [then, other].map(|block| BlockCall::new(block, &[]));
        self.branch(cond, then, other, next);
    }

    /// `if cond { body }`.
    pub fn when(&mut self, cond: Value, body: impl FnOnce(&mut Self)) {
        let (then, done) = (self.new_block(), self.new_block());
        self.branch_bare(cond, [then, done], then);
        body(self);
        self.jump(done, &[], done);
    }

    /// `for i in from..to { sum = body(i, sum) }` over unsigned I32 numbers; gives the sum.
    pub fn fold_range(
        &mut self,
        range: [Value; 2],
        start: Value,
        body: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let one = self.func.i32(1);
        self.fold_steps(range, one, start, body)
    }

    /// The same in steps: `for (i = from; i < to; i += step)`.
    pub fn fold_steps(
        &mut self,
        [from, to]: [Value; 2],
        step: Value,
        start: Value,
        body: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let (head, inner, done) = (self.new_block(), self.new_block(), self.new_block());
        let index = self.func.append_param(head, Type::I32);
        let ty = self.ty(start);
        let sum = self.func.append_param(head, ty);
        self.jump(head, &[from, start], head);
        let more = self.icmp(IntCond::Ult, index, to);
        self.branch_bare(more, [inner, done], inner);
        let next_sum = body(self, index, sum);
        let next = self.bin(BinaryOp::IAdd, index, step);
        self.jump(head, &[next, next_sum], done);
        sum
    }

    /// Appends an instruction.
    pub fn emit(&mut self, kind: InstKind, results: &[Type]) -> Inst {
        self.write();
        let inst = self.func.make_inst(kind, results, self.loc);
        self.out.push(inst);
        inst
    }

    /// Appends an instruction with one result.
    pub fn value(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.emit(kind, &[ty]);
        self.func.result(inst)
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    /// A constant with the same bits in each lane.
    pub fn splat(&mut self, ty: Type, bits: u64) -> Value {
        self.func.splat_constant(ty, bits)
    }

    /// A float constant in each lane.
    pub fn float(&mut self, ty: Type, value: f64) -> Value {
        let bits = match ty.scalar {
            Scalar::F32 => u64::from((value as f32).to_bits()),
            Scalar::F16 => u64::from(pumice_numerics::half_from_f64(value)),
            _ => value.to_bits(),
        };
        self.func.splat_constant(ty, bits)
    }

    /// Two-operand arithmetic.
    pub fn bin(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.fbin(op, a, b, FloatFlags::empty())
    }

    /// Two-operand arithmetic with flags.
    pub fn fbin(&mut self, op: BinaryOp, a: Value, b: Value, flags: FloatFlags) -> Value {
        let ty = self.ty(a);
        self.value(
            InstKind::Binary {
                op,
                args: [a, b],
                flags,
            },
            ty,
        )
    }

    /// Two-operand arithmetic with a constant in every lane.
    pub fn bin_const(&mut self, op: BinaryOp, a: Value, bits: u64) -> Value {
        let ty = self.ty(a);
        let b = self.splat(ty, bits);
        self.bin(op, a, b)
    }

    /// One-operand arithmetic.
    pub fn un(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = self.ty(arg);
        self.value(InstKind::Unary { op, arg }, ty)
    }

    /// Integer comparison.
    pub fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        let ty = self.ty(a).as_bool();
        self.value(InstKind::ICmp { cond, args: [a, b] }, ty)
    }

    /// Integer comparison with a constant in every lane.
    pub fn icmp_const(&mut self, cond: IntCond, a: Value, bits: u64) -> Value {
        let ty = self.ty(a);
        let b = self.splat(ty, bits);
        self.icmp(cond, a, b)
    }

    /// Float comparison.
    pub fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        let ty = self.ty(a).as_bool();
        self.value(
            InstKind::FCmp {
                cond,
                args: [a, b],
                flags: FloatFlags::empty(),
            },
            ty,
        )
    }

    /// `cond ? then : other`.
    pub fn select(&mut self, cond: Value, then: Value, other: Value) -> Value {
        let ty = self.ty(then);
        self.value(InstKind::Select { cond, then, other }, ty)
    }

    /// The conversion that an instruction with a result is.
    pub fn conversion(&self, inst: Inst) -> Option<Conversion> {
        let data = &self.func.insts[inst];
        let InstKind::Convert { op, arg, rounding } = data.kind else {
            return None;
        };
        let ty = self.ty(*data.results.first()?);
        Some(Conversion {
            op,
            arg,
            rounding,
            ty,
        })
    }

    /// A conversion in the default rounding.
    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        if self.ty(arg) == ty && op != ConvertOp::AddressSpaceCast {
            return arg;
        }
        self.value(
            InstKind::Convert {
                op,
                arg,
                rounding: None,
            },
            ty,
        )
    }

    /// A float of 32 bits, or a zero of its sign where it is denormal.
    pub fn flush_denormal(&mut self, value: Value) -> Value {
        const SIGN: u64 = 0x8000_0000;
        const LEAST_NORMAL: u64 = 0x0080_0000;
        let ty = self.ty(value);
        let bits = self.bits_of(value);
        let size = self.bin_const(BinaryOp::And, bits, SIGN - 1);
        let sign = self.bin_const(BinaryOp::And, bits, SIGN);
        let denormal = self.icmp_const(IntCond::Ult, size, LEAST_NORMAL);
        let bits = self.select(denormal, sign, bits);
        self.convert(ConvertOp::Bitcast, bits, ty)
    }

    /// `a * b + c` of floats whose product is exact, as of halves, rounded to odd. The error of the sum tells on which side
    /// of it the exact value lies. An inexact sum with an even last bit steps to that side.
    pub fn fma_to_odd(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.bin(BinaryOp::FMul, a, b);
        let sum = self.bin(BinaryOp::FAdd, product, c);
        let second = self.bin(BinaryOp::FSub, sum, product);
        let first = self.bin(BinaryOp::FSub, sum, second);
        let of_first = self.bin(BinaryOp::FSub, product, first);
        let of_second = self.bin(BinaryOp::FSub, c, second);
        let error = self.bin(BinaryOp::FAdd, of_first, of_second);
        let single = self.ty(sum);
        let zero = self.splat(single, 0);
        let inexact = self.fcmp(FloatCond::One, error, zero);
        let bits = self.bits_of(sum);
        let words = self.ty(bits);
        let last = self.bin_const(BinaryOp::And, bits, 1);
        let even = self.icmp_const(IntCond::Eq, last, 0);
        let steps = self.bin(BinaryOp::And, inexact, even);
        let error = self.bits_of(error);
        let apart = self.bin(BinaryOp::Xor, bits, error);
        let outward = self.icmp_const(IntCond::Sge, apart, 0);
        let (one, minus) = (self.splat(words, 1), self.splat(words, u64::MAX));
        let step = self.select(outward, one, minus);
        let none = self.splat(words, 0);
        let step = self.select(steps, step, none);
        let bits = self.bin(BinaryOp::IAdd, bits, step);
        self.convert(ConvertOp::Bitcast, bits, single)
    }

    /// The same bits as integers of the same width.
    pub fn bits_of(&mut self, arg: Value) -> Value {
        let ty = self.ty(arg);
        let int = int_like(ty);
        self.convert(ConvertOp::Bitcast, arg, int)
    }

    /// A mathematical operation whose result has the type of its first operand.
    pub fn math(&mut self, op: MathOp, args: &[Value]) -> Value {
        let mut ty = self.ty(args[0]);
        if matches!(op, MathOp::IsNan | MathOp::IsInf) {
            ty = ty.as_bool();
        }
        self.value(
            InstKind::Math {
                op,
                args: SmallVec::from_slice(args),
                flags: FloatFlags::empty(),
            },
            ty,
        )
    }

    /// One lane (the value itself for a scalar).
    pub fn lane(&mut self, vector: Value, lane: u8) -> Value {
        let ty = self.ty(vector);
        if ty.lanes == 1 {
            return vector;
        }
        self.value(InstKind::Extract { vector, lane }, ty.lane())
    }

    /// All lanes of a vector (the value itself for one).
    pub fn lanes(&mut self, vector: Value) -> SmallVec<[Value; 4]> {
        let count = self.ty(vector).lanes;
        (0..count).map(|n| self.lane(vector, n)).collect()
    }

    /// A vector from lanes (the lane itself for one).
    pub fn build(&mut self, lanes: &[Value]) -> Value {
        if let [one] = lanes {
            return *one;
        }
        let ty = self.ty(lanes[0]).with_lanes(lanes.len() as u8);
        self.value(
            InstKind::Build {
                lanes: SmallVec::from_slice(lanes),
            },
            ty,
        )
    }

    /// A value of `ty` from its I32 words.
    pub fn of_words(&mut self, words: &[Value], ty: Type) -> Value {
        if ty.access_bytes() > 16 {
            let per = (ty.scalar.bytes() / 4) as usize;
            let lanes: SmallVec<[Value; 4]> = words
                .chunks(per)
                .map(|words| self.of_words(words, ty.lane()))
                .collect();
            return self.build(&lanes);
        }
        let vector = self.build(words);
        self.convert(ConvertOp::Bitcast, vector, ty)
    }

    /// `base + bytes`.
    pub fn offset(&mut self, base: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return base;
        }
        let offset = self.func.i64(bytes as i64);
        let ty = self.ty(base);
        self.value(InstKind::PtrAdd { base, offset }, ty)
    }

    /// Reads a value of this alignment.
    pub fn load(&mut self, ptr: Value, ty: Type, align: u32) -> Value {
        let flags = AccessFlags::empty();
        self.value(InstKind::Load { ptr, align, flags }, ty)
    }

    /// Writes a value of this alignment.
    pub fn store(&mut self, ptr: Value, value: Value, align: u32) {
        let flags = AccessFlags::empty();
        let store = InstKind::Store {
            ptr,
            value,
            align,
            flags,
        };
        self.emit(store, &[]);
    }

    /// A new private variable and its address.
    pub fn slot(&mut self, size: u32, align: u32) -> (StackSlot, Value) {
        let slot = self.func.slots.push(StackSlotData::new(size, align));
        let ty = Type::ptr(pumice_ir::AddressSpace::Private);
        (slot, self.value(InstKind::StackAddr { slot }, ty))
    }
}

/// The integer type with the lanes and width of a float type.
pub(crate) fn int_like(ty: Type) -> Type {
    ty.with_scalar(Scalar::int_of_bits(ty.scalar.bits()).unwrap_or(ty.scalar))
}
