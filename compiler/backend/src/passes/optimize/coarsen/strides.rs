//! Distances between what neighbours access.

use super::plan::{Plan, Source, source};
use pumice_ir::{
    BinaryOp, Block, Cfg, ConvertOp, Function, InstKind, Type, UnaryOp, Value, ValueDef,
};
use pumice_target::coarse::{ARGUMENT_ALIGN, ARGUMENT_BYTES, Multiples, NUMBER_MULTIPLE};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// The depth to which operands are looked at; an operand may be reached along several ways.
const MAX_DEPTH: u32 = 8;

/// Answers questions about one kernel.
pub(super) struct Strides<'a> {
    pub func: &'a Function,
    pub plan: &'a Plan<'a>,
    /// The distance between two of an invocation's work-items: 1, or the number of a sub-group's lanes, which then are neighbours.
    pub spacing: u32,
    /// Offsets of the pointer arguments in the argument block.
    pub arguments: &'a [u32],
    /// Offsets and places of the integers among the arguments, as far as launches may promise something of them.
    pub numbers: &'a [(u32, u32)],
    /// Promises that are relied on: alignments on multiples of [`NUMBER_MULTIPLE`], distances on multiples of the span.
    pub multiples: Cell<Multiples>,
    pub cfg: &'a Cfg,
}

/// The question about one pointer.
struct Question {
    /// It points into an argument's object.
    in_argument: bool,
    /// The steps of parameters of blocks, as far as they are known or being shown.
    params: FxHashMap<Value, i64>,
    /// A parameter has another step than was assumed, and others may have been concluded from that.
    has_failed: bool,
}

impl Strides<'_> {
    /// The work-items that are neighbours: an invocation's, or those of a sub-group.
    pub fn span(&self) -> u64 {
        u64::from(self.plan.items()) * u64::from(self.spacing)
    }

    /// The bytes from a neighbour's pointer to the next one's; `None` if they are not the same between all. For pointers
    /// that all neighbours access.
    pub fn of_pointer(&self, pointer: Value) -> Option<i64> {
        let mut base = pointer;
        while let Some(inst) = self.func.def_inst(base) {
            let InstKind::PtrAdd { base: next, .. } = self.func.insts[inst].kind else {
                break;
            };
            base = next;
        }
        let in_argument = self.is_argument(base);
        let mut question = Question {
            in_argument,
            params: FxHashMap::default(),
            has_failed: false,
        };
        self.asked(|| {
            let stride = self.pointer_stride(pointer, &mut question, MAX_DEPTH)?;
            let farthest = stride.checked_mul(self.span() as i64)?;
            let is_near = !in_argument || farthest.unsigned_abs() < ARGUMENT_BYTES;
            (is_near && !question.has_failed).then_some(stride)
        })
    }

    /// Returns whether a pointer is an argument, as it was given.
    fn is_argument(&self, pointer: Value) -> bool {
        let inst = self.func.def_inst(pointer);
        inst.is_some_and(|inst| match self.func.insts[inst].kind {
            InstKind::LoadArg { offset } => self.arguments.contains(&offset),
            _ => false,
        })
    }

    /// The alignment of each neighbour's pointer, as far as it is known, of pointers that are `stride` bytes apart.
    pub fn alignments(&self, pointer: Value, stride: i64) -> Vec<u64> {
        if self.spacing > 1 {
            // Lanes are no farther apart than elements.
            return vec![1; self.plan.items() as usize];
        }
        let of = |first: Residue| -> Vec<u64> {
            let items = 0..i64::from(self.plan.items());
            items
                .map(|item| first.plus(stride.wrapping_mul(item)).alignment())
                .collect()
        };
        let known = of(self.pointer_residue(pointer, &mut None, MAX_DEPTH));
        let mut relied_on = Some(0);
        let promised = of(self.pointer_residue(pointer, &mut relied_on, MAX_DEPTH));
        if known == promised {
            return known;
        }
        self.rely_on_fours(relied_on.unwrap_or_default());
        promised
    }

    /// The rest of the first neighbour's pointer by 8, where launches know it or promise what it follows from.
    pub fn rest_by_8(&self, pointer: Value) -> Option<u64> {
        let of = |found: Residue| (found.modulus % 8 == 0).then_some(found.rest % 8);
        let known = of(self.pointer_residue(pointer, &mut None, MAX_DEPTH));
        known.or_else(|| {
            let mut relied_on = Some(0);
            let rest = of(self.pointer_residue(pointer, &mut relied_on, MAX_DEPTH))?;
            self.rely_on_fours(relied_on.unwrap_or_default());
            Some(rest)
        })
    }

    fn rely_on_fours(&self, places: u32) {
        let mut multiples = self.multiples.get();
        multiples.of_four |= places;
        self.multiples.set(multiples);
    }

    /// Gives a question's answer, and forgets what it relies on if there is none.
    fn asked<T>(&self, question: impl FnOnce() -> Option<T>) -> Option<T> {
        let before = self.multiples.get();
        let answer = question();
        if answer.is_none() {
            self.multiples.set(before);
        }
        answer
    }

    fn pointer_stride(&self, pointer: Value, question: &mut Question, depth: u32) -> Option<i64> {
        if !self.plan.differs(pointer) {
            return Some(0);
        }
        let inst = self.func.def_inst(pointer)?;
        match self.func.insts[inst].kind {
            InstKind::PtrAdd { base, offset } if depth > 0 => {
                let base = self.pointer_stride(base, question, depth - 1)?;
                let offset = self.number_stride(offset, question, depth - 1)?;
                Some(base.wrapping_add(offset))
            }
            _ => None,
        }
    }

    /// The step of a number from neighbour to neighbour, modulo 2⁶⁴ as addresses are.
    ///
    /// A number of 32 bits that is extended may wrap around between neighbours. Their addresses in an argument's object
    /// would then be a multiple of 4 GiB farther apart, and cannot both lie in it ([`ARGUMENT_BYTES`]): `in_argument`
    /// leaves that out.
    fn number_stride(&self, value: Value, question: &mut Question, depth: u32) -> Option<i64> {
        if !self.plan.differs(value) {
            return Some(0);
        }
        if let Some(step) = self.step(value, depth) {
            return Some(step as i64);
        }
        let ty = self.func.ty(value);
        let fits = ty == Type::I64 || (ty == Type::I32 && question.in_argument);
        if !fits || depth == 0 {
            return None;
        }
        if let &ValueDef::Param(block, index) = self.func.def(value) {
            return self.param_stride(value, (block, index), question, depth - 1);
        }
        let mut step = |value| self.number_stride(value, question, depth - 1);
        let inst = self.func.def_inst(value)?;
        match self.func.insts[inst].kind {
            InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            } => step(arg),
            InstKind::Binary {
                op, args: [a, b], ..
            } => {
                let constant = self.func.const_bits(b);
                match (op, constant) {
                    (BinaryOp::IAdd, _) => Some(step(a)?.wrapping_add(step(b)?)),
                    (BinaryOp::ISub, _) => Some(step(a)?.wrapping_sub(step(b)?)),
                    (BinaryOp::IMul, Some(by)) => Some(step(a)?.wrapping_mul(signed(by, ty))),
                    (BinaryOp::Shl, Some(by)) if by < 32 => Some(step(a)? << by),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The step of a block's parameter: what all values that it gets have, those of later rounds of a loop if it has it itself.
    fn param_stride(
        &self,
        param: Value,
        (block, index): (Block, u16),
        question: &mut Question,
        depth: u32,
    ) -> Option<i64> {
        if let Some(&step) = question.params.get(&param) {
            return Some(step);
        }
        // Neighbours may have come different ways.
        if self.plan.is_meet(block) {
            return None;
        }
        let mut given: Vec<Value> = Vec::new();
        let mut preds: Vec<Block> = self.cfg.preds(block).to_vec();
        preds.sort_by_key(|&pred| self.cfg.rpo_number(pred));
        for pred in preds {
            let last = self.func.terminator(pred)?;
            let calls = self.func.insts[last].kind.successors();
            let calls = calls.into_iter().filter(|call| call.block == block);
            given.extend(calls.map(|call| call.args[usize::from(index)]));
        }
        let (&first, others) = given.split_first()?;
        let step = self.number_stride(first, question, depth)?;
        question.params.insert(param, step);
        let mut others = others.iter();
        let holds = others.all(|&value| self.number_stride(value, question, depth) == Some(step));
        question.has_failed |= !holds;
        holds.then_some(step)
    }

    /// The step of a number that does not wrap around between neighbours, neither as a signed one nor as an unsigned one.
    pub fn of_number(&self, value: Value) -> Option<u64> {
        self.asked(|| self.step(value, MAX_DEPTH))
    }

    /// Returns whether two numbers have the same step as [`Self::of_number`], so that a comparison of them has the same outcome
    /// for all neighbours.
    pub fn are_parallel(&self, numbers: [Value; 2]) -> bool {
        let steps = self.asked(|| {
            let [a, b] = numbers.map(|number| self.step(number, MAX_DEPTH));
            (a? == b?).then_some(())
        });
        steps.is_some()
    }

    /// The place among the arguments of the integer at an offset, if launches may promise something of it.
    fn number_argument(&self, offset: u32) -> Option<u32> {
        let found = self.numbers.iter().find(|&&(at, _)| at == offset);
        found.map(|&(_, argument)| argument)
    }

    /// Returns whether a number that neighbours share is a multiple of the span, or launches promise it.
    fn is_multiple_of_span(&self, number: Value) -> bool {
        if let Some(bits) = self.func.const_bits(number) {
            return bits % self.span() == 0;
        }
        let Some(inst) = self.func.def_inst(number) else {
            return false;
        };
        match self.func.insts[inst].kind {
            InstKind::LoadArg { offset } => {
                let Some(argument) = self.number_argument(offset) else {
                    return false;
                };
                let mut multiples = self.multiples.get();
                multiples.of_span |= 1 << argument;
                self.multiples.set(multiples);
                true
            }
            InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            } => self.is_multiple_of_span(arg),
            _ => false,
        }
    }

    /// The step of a number whose first neighbour's is a multiple of the step times the number of neighbours, so that no
    /// neighbour's wraps around: a power of two.
    fn step(&self, value: Value, depth: u32) -> Option<u64> {
        let inst = self.func.def_inst(value)?;
        let width = self.func.ty(value).scalar.bits();
        let fits = |step: u64, width: u32| {
            step.checked_mul(self.span())
                .is_some_and(|most| most.ilog2() < width)
        };
        if let Some(Source::Id(..)) = source(self.func, inst) {
            return Some(1).filter(|&step| fits(step, width));
        }
        if depth == 0 || self.func.ty(value).is_vector() {
            return None;
        }
        match self.func.insts[inst].kind {
            InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            } => {
                let step = self.step(arg, depth - 1)?;
                // The uppermost bit is the sign, and the same for all.
                let narrow = width.min(self.func.ty(arg).scalar.bits());
                fits(step, narrow).then_some(step)
            }
            // The bits that tell neighbours apart stay as they are.
            InstKind::Binary {
                op: BinaryOp::Xor,
                args: [a, b],
                ..
            } => {
                let [number, mask] = if self.plan.differs(a) { [a, b] } else { [b, a] };
                let is_kept = !self.plan.differs(mask) && self.step(number, depth - 1) == Some(1);
                (is_kept && self.is_multiple_of_span(mask)).then_some(1)
            }
            InstKind::Binary {
                op, args: [a, b], ..
            } => {
                let by = self.func.const_bits(b)?;
                let factor = match op {
                    BinaryOp::Shl if by < 32 => 1 << by,
                    BinaryOp::IMul if by.is_power_of_two() => by,
                    _ => return None,
                };
                let step = self.step(a, depth - 1)?.checked_mul(factor)?;
                fits(step, width).then_some(step)
            }
            _ => None,
        }
    }

    /// `promised` gets the integers that are taken to be multiples, if that is asked for.
    fn pointer_residue(&self, pointer: Value, promised: &mut Option<u32>, depth: u32) -> Residue {
        let Some(inst) = self.func.def_inst(pointer) else {
            return Residue::UNKNOWN;
        };
        match self.func.insts[inst].kind {
            InstKind::LoadArg { .. } if self.is_argument(pointer) => Residue::of(0),
            InstKind::PtrAdd { base, offset } if depth > 0 => {
                let base = self.pointer_residue(base, promised, depth - 1);
                base.sum(self.residue(offset, promised, depth - 1))
            }
            _ => Residue::UNKNOWN,
        }
    }

    /// The known rest of the first neighbour's number.
    fn residue(&self, value: Value, promised: &mut Option<u32>, depth: u32) -> Residue {
        if let Some(bits) = self.func.const_bits(value) {
            return Residue::of(bits);
        }
        let Some(inst) = self.func.def_inst(value) else {
            return Residue::UNKNOWN;
        };
        if let Some(Source::Id(..)) = source(self.func, inst) {
            return Residue::multiple_of(self.span());
        }
        if depth == 0 || self.func.ty(value).is_vector() {
            return Residue::UNKNOWN;
        }
        match self.func.insts[inst].kind {
            InstKind::LoadArg { offset } => match (self.number_argument(offset), promised) {
                (Some(argument), Some(promised)) => {
                    *promised |= 1 << argument;
                    Residue::multiple_of(NUMBER_MULTIPLE)
                }
                _ => Residue::UNKNOWN,
            },
            InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            } => self.residue(arg, promised, depth - 1),
            InstKind::Unary {
                op: UnaryOp::INeg,
                arg,
            } => self.residue(arg, promised, depth - 1).negated(),
            InstKind::Binary {
                op, args: [a, b], ..
            } => {
                let one = self.residue(a, promised, depth - 1);
                match (op, self.func.const_bits(b)) {
                    (BinaryOp::IAdd, _) => one.sum(self.residue(b, promised, depth - 1)),
                    (BinaryOp::ISub, _) => one.sum(self.residue(b, promised, depth - 1).negated()),
                    (BinaryOp::IMul, _) => one.product(self.residue(b, promised, depth - 1)),
                    (BinaryOp::Xor, _) => one.xor(self.residue(b, promised, depth - 1)),
                    (BinaryOp::Shl, Some(by)) if by < 32 => one.product(Residue::of(1 << by)),
                    _ => Residue::UNKNOWN,
                }
            }
            _ => Residue::UNKNOWN,
        }
    }
}

/// A number's rest by a power of two that is at most [`ARGUMENT_ALIGN`].
#[derive(Clone, Copy)]
struct Residue {
    modulus: u64,
    rest: u64,
}

impl Residue {
    const UNKNOWN: Self = Self {
        modulus: 1,
        rest: 0,
    };

    fn of(number: u64) -> Self {
        Self {
            modulus: ARGUMENT_ALIGN,
            rest: number % ARGUMENT_ALIGN,
        }
    }

    /// A multiple of a number that is not 0.
    fn multiple_of(number: u64) -> Self {
        Self {
            modulus: ARGUMENT_ALIGN.min(power_of_two(number)),
            rest: 0,
        }
    }

    fn plus(self, number: i64) -> Self {
        self.sum(Self::of(number as u64))
    }

    fn sum(self, other: Self) -> Self {
        let modulus = self.modulus.min(other.modulus);
        let rest = (self.rest + other.rest) % modulus;
        Self { modulus, rest }
    }

    fn xor(self, other: Self) -> Self {
        let modulus = self.modulus.min(other.modulus);
        let rest = (self.rest ^ other.rest) % modulus;
        Self { modulus, rest }
    }

    fn negated(self) -> Self {
        let rest = (self.modulus - self.rest) % self.modulus;
        Self { rest, ..self }
    }

    /// (a m + r) (b n + s) is r s but for multiples of m n, m s and n r.
    fn product(self, other: Self) -> Self {
        let crossed = [
            self.modulus * other.modulus,
            self.modulus * power_of_two(other.rest),
            other.modulus * power_of_two(self.rest),
        ];
        let modulus = crossed.into_iter().fold(ARGUMENT_ALIGN, u64::min);
        let rest = self.rest * other.rest % modulus;
        Self { modulus, rest }
    }

    /// The greatest power of two that certainly divides the number.
    fn alignment(self) -> u64 {
        self.modulus.min(power_of_two(self.rest))
    }
}

/// The greatest power of two that divides a number; [`ARGUMENT_ALIGN`] for 0.
fn power_of_two(number: u64) -> u64 {
    match number {
        0 => ARGUMENT_ALIGN,
        _ => 1 << number.trailing_zeros(),
    }
}

/// A constant as a signed number.
fn signed(bits: u64, ty: Type) -> i64 {
    match ty {
        Type::I32 => i64::from(bits as u32 as i32),
        _ => bits as i64,
    }
}
