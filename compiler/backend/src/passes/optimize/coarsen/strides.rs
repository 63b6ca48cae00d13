//! Distances between what neighbours access.

use super::plan::{Plan, Source, source};
use pumice_ir::{BinaryOp, Block, Cfg, ConvertOp, Function, InstKind, Type, Value, ValueDef};
use pumice_target::coarse::{ARGUMENT_ALIGN, ARGUMENT_BYTES};
use rustc_hash::FxHashMap;

/// The depth to which operands are looked at; an operand may be reached along several ways.
const MAX_DEPTH: u32 = 8;

/// Answers questions about one kernel.
pub(super) struct Strides<'a> {
    pub func: &'a Function,
    pub plan: &'a Plan<'a>,
    /// Offsets of the pointer arguments in the argument block.
    pub arguments: &'a [u32],
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
        let stride = self.pointer_stride(pointer, &mut question, MAX_DEPTH)?;
        let farthest = stride.checked_mul(i64::from(self.plan.items()))?;
        let is_near = !in_argument || farthest.unsigned_abs() < ARGUMENT_BYTES;
        (is_near && !question.has_failed).then_some(stride)
    }

    /// Returns whether a pointer is an argument, as it was given.
    fn is_argument(&self, pointer: Value) -> bool {
        let inst = self.func.def_inst(pointer);
        inst.is_some_and(|inst| match self.func.insts[inst].kind {
            InstKind::LoadArg { offset } => self.arguments.contains(&offset),
            _ => false,
        })
    }

    /// The alignment of the first neighbour's pointer, as far as it is known.
    pub fn alignment(&self, pointer: Value) -> u64 {
        self.pointer_multiple(pointer, MAX_DEPTH)
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

    /// The step of a number whose first neighbour's is a multiple of the step times the number of neighbours, so that no
    /// neighbour's wraps around: a power of two.
    fn step(&self, value: Value, depth: u32) -> Option<u64> {
        let inst = self.func.def_inst(value)?;
        let width = self.func.ty(value).scalar.bits();
        let fits = |step: u64, width: u32| {
            let items = u64::from(self.plan.items());
            step.checked_mul(items)
                .is_some_and(|most| most.ilog2() < width)
        };
        if let Some(Source::Id(_)) = source(self.func, inst) {
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

    fn pointer_multiple(&self, pointer: Value, depth: u32) -> u64 {
        let Some(inst) = self.func.def_inst(pointer) else {
            return 1;
        };
        match self.func.insts[inst].kind {
            InstKind::LoadArg { .. } if self.is_argument(pointer) => ARGUMENT_ALIGN,
            InstKind::PtrAdd { base, offset } if depth > 0 => {
                let base = self.pointer_multiple(base, depth - 1);
                base.min(self.multiple(offset, depth - 1))
            }
            _ => 1,
        }
    }

    /// A power of two, at most [`ARGUMENT_ALIGN`], that divides the first neighbour's number.
    fn multiple(&self, value: Value, depth: u32) -> u64 {
        let factor = |number: u64| match number {
            0 => ARGUMENT_ALIGN,
            _ => ARGUMENT_ALIGN.min(1 << number.trailing_zeros().min(32)),
        };
        if let Some(bits) = self.func.const_bits(value) {
            return factor(bits);
        }
        let Some(inst) = self.func.def_inst(value) else {
            return 1;
        };
        if let Some(Source::Id(_)) = source(self.func, inst) {
            return factor(u64::from(self.plan.items()));
        }
        if depth == 0 || self.func.ty(value).is_vector() {
            return 1;
        }
        match self.func.insts[inst].kind {
            InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            } => self.multiple(arg, depth - 1),
            InstKind::Binary {
                op, args: [a, b], ..
            } => {
                let one = self.multiple(a, depth - 1);
                match op {
                    BinaryOp::IAdd | BinaryOp::ISub => one.min(self.multiple(b, depth - 1)),
                    BinaryOp::IMul => factor(one * self.multiple(b, depth - 1)),
                    BinaryOp::Shl => match self.func.const_bits(b) {
                        Some(by) if by < 32 => factor(one << by),
                        _ => one,
                    },
                    _ => 1,
                }
            }
            _ => 1,
        }
    }
}

/// A constant as a signed number.
fn signed(bits: u64, ty: Type) -> i64 {
    match ty {
        Type::I32 => i64::from(bits as u32 as i32),
        _ => bits as i64,
    }
}
