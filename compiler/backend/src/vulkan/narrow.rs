//! The low words of 64-bit integers, computed in 32 bits.
//!
//! OpenCL's ids, sizes and offsets are 64 bits wide, and most programs take them as `int` or
//! index local memory by them: 64-bit arithmetic that real devices do in several steps. Where
//! only the low word of sums, products and bit operations is wanted, that of their operands
//! does, down to values that were widened or are built-ins. What nobody uses any more then is
//! left to the driver, which drops it.

use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{BinaryOp, ConvertOp, InstKind, Scalar, Type, Value, ValueDef};
use rspirv::spirv::Op;

/// The depth to which operands are looked at; an operand may be reached along several ways.
const MAX_DEPTH: u32 = 5;

/// The parts of a low word: the 64-bit number is that multiple, or that sum, of the numbers whose low words these are.
#[derive(Clone, Copy, Debug)]
pub enum Parts {
    /// A number times a constant.
    Times(Id, u32),
    /// A sum.
    Sum(Id, Id),
}

impl Emitter<'_> {
    /// An offset in bytes divided by a power of two, if it is seen to be a multiple: an index
    /// of an array needs no shift then. Parts may have bits above the word, and their multiples may have lost some
    /// above 2⁶⁴. The quotient has none of them: offsets are below 2³².
    pub fn divided(&mut self, offset: Id, unit: u32) -> Option<Id> {
        self.is_multiple(offset, unit, MAX_DEPTH)
            .then(|| self.quotient(offset, unit))
    }

    fn is_multiple(&self, offset: Id, unit: u32, depth: u32) -> bool {
        match self.parts_of.get(&offset) {
            _ if self
                .b
                .const_value(offset)
                .is_some_and(|word| word % unit == 0) =>
            {
                true
            }
            Some(&Parts::Times(_, factor)) => factor % unit == 0,
            Some(&Parts::Sum(a, b)) if depth > 0 => {
                self.is_multiple(a, unit, depth - 1) && self.is_multiple(b, unit, depth - 1)
            }
            _ => false,
        }
    }

    fn quotient(&mut self, offset: Id, unit: u32) -> Id {
        if let Some(word) = self.b.const_value(offset) {
            // An offset back is a negative number.
            return self.b.const_u32((word as i32 / unit as i32) as u32);
        }
        let u32_ty = self.b.ty_int(32);
        match self.parts_of.get(&offset).copied() {
            Some(Parts::Times(number, factor)) => {
                let factor = factor / unit;
                if factor == 1 {
                    number
                } else if factor.is_power_of_two() {
                    let shift = self.b.const_u32(factor.trailing_zeros());
                    self.b.op(Op::ShiftLeftLogical, u32_ty, &[number, shift])
                } else {
                    let factor = self.b.const_u32(factor);
                    self.b.op(Op::IMul, u32_ty, &[number, factor])
                }
            }
            Some(Parts::Sum(a, b)) => {
                let (a, b) = (self.quotient(a, unit), self.quotient(b, unit));
                self.b.op(Op::IAdd, u32_ty, &[a, b])
            }
            None => offset,
        }
    }

    /// The low word of a 64-bit integer of the current function.
    pub fn low_word(&mut self, value: Value) -> Result<Id, LowerError> {
        let f = &self.module.functions[self.cur];
        if f.ty(value).is_vector() {
            // Two words, often just put together.
            if let Some(InstKind::Build { lanes }) =
                f.def_inst(value).map(|inst| &f.insts[inst].kind)
            {
                return Ok(self.value(lanes[0]));
            }
            let pair = self.value(value);
            return Ok(self.wide_words(pair)[0]);
        }
        if self.is_narrow(value, MAX_DEPTH) {
            return self.narrow(value);
        }
        let id = self.value(value);
        let u32_ty = self.b.ty_int(32);
        Ok(self.b.op(Op::UConvert, u32_ty, &[id]))
    }

    /// Returns whether the low word needs no 64-bit operation.
    fn is_narrow(&self, value: Value, depth: u32) -> bool {
        let f = &self.module.functions[self.cur];
        let inst = match f.def(value) {
            ValueDef::Const(_) => return true,
            ValueDef::Result(inst, _) => *inst,
            _ => return false,
        };
        match &f.insts[inst].kind {
            InstKind::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            } => matches!(f.ty(*arg), Type::I32 | Type::I16 | Type::I8),
            InstKind::Convert {
                op: ConvertOp::PtrToInt,
                arg,
                ..
            } => self.has_buffers() && pumice_ir::analysis::bases::is_buffer_pointer(f.ty(*arg)),
            InstKind::Extract { vector, .. } => self.lane_builtins.contains_key(vector),
            InstKind::Binary { op, args, .. } if depth > 0 => match op {
                BinaryOp::IAdd
                | BinaryOp::ISub
                | BinaryOp::IMul
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor => args.iter().all(|&arg| self.is_narrow(arg, depth - 1)),
                BinaryOp::Shl => {
                    f.const_bits(args[1]).is_some_and(|n| n < 32)
                        && self.is_narrow(args[0], depth - 1)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The low word of what `is_narrow` holds for.
    fn narrow(&mut self, value: Value) -> Result<Id, LowerError> {
        let f = &self.module.functions[self.cur];
        let u32_ty = self.b.ty_int(32);
        let inst = match f.def(value) {
            ValueDef::Const(lanes) => {
                let low = lanes[0] as u32;
                return Ok(self.b.const_u32(low));
            }
            ValueDef::Result(inst, _) => *inst,
            _ => return Err(LowerError::new("internal: a parameter is no narrow value")),
        };
        Ok(match f.insts[inst].kind {
            InstKind::Convert {
                op: ConvertOp::PtrToInt,
                arg,
                ..
            } => self.value(arg),
            InstKind::Convert { op, arg, .. } => {
                let scalar = f.ty(arg).scalar;
                let id = self.value(arg);
                match op {
                    _ if scalar == Scalar::I32 => id,
                    ConvertOp::SExt => self.b.op(Op::SConvert, u32_ty, &[id]),
                    _ => self.b.op(Op::UConvert, u32_ty, &[id]),
                }
            }
            InstKind::Extract { vector, lane } => {
                let which = self.lane_builtins[&vector];
                self.builtin_low_word(which, u32::from(lane))?
            }
            InstKind::Binary { op, args, .. } => {
                let opcode = match op {
                    BinaryOp::IAdd => Op::IAdd,
                    BinaryOp::ISub => Op::ISub,
                    BinaryOp::IMul => Op::IMul,
                    BinaryOp::And => Op::BitwiseAnd,
                    BinaryOp::Or => Op::BitwiseOr,
                    BinaryOp::Xor => Op::BitwiseXor,
                    _ => Op::ShiftLeftLogical,
                };
                let by = self.module.functions[self.cur].const_bits(args[1]);
                let [a, b] = args;
                let (a, b) = (self.narrow(a)?, self.narrow(b)?);
                let result = self.b.op(opcode, u32_ty, &[a, b]);
                let parts = match (op, by) {
                    (BinaryOp::IAdd, _) => Some(Parts::Sum(a, b)),
                    (BinaryOp::Shl, Some(by @ 0..=20)) => Some(Parts::Times(a, 1 << by)),
                    (BinaryOp::IMul, Some(by @ 1..=0x10_0000)) => Some(Parts::Times(a, by as u32)),
                    _ => None,
                };
                if result != a && result != b {
                    self.parts_of.extend(parts.map(|parts| (result, parts)));
                }
                result
            }
            _ => return Err(LowerError::new("internal: no narrow value")),
        })
    }
}
