//! The low words of 64-bit integers, computed in 32 bits.
//!
//! OpenCL's ids, sizes and offsets are 64 bits wide, and most programs take them as `int` or
//! index local memory by them: 64-bit arithmetic that real devices do in several steps. Where
//! only the low word of sums, products and bit operations is wanted, that of their operands
//! does, down to values that were widened or are built-ins. What nobody uses any more then is
//! left to the driver, which drops it.

use super::builder::Id;
use super::emitter::Emitter;
use crate::ir::{BinaryOp, ConvertOp, InstKind, Scalar, Type, Value, ValueDef};
use crate::passes::LowerError;
use rspirv::spirv::Op;

/// How deep operands are looked at; an operand may be reached along several ways.
const MAX_DEPTH: u32 = 5;

impl Emitter<'_> {
    /// The low word of a 64-bit integer of the current function.
    pub fn low_word(&mut self, value: Value) -> Result<Id, LowerError> {
        if self.is_narrow(value, MAX_DEPTH) {
            return self.narrow(value);
        }
        let id = self.value(value);
        let u32_ty = self.b.int(32);
        Ok(self.b.op(Op::UConvert, u32_ty, &[id]))
    }

    /// Whether the low word needs no 64-bit operation.
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
        let u32_ty = self.b.int(32);
        let inst = match f.def(value) {
            ValueDef::Const(lanes) => {
                let low = lanes[0] as u32;
                return Ok(self.b.u32(low));
            }
            ValueDef::Result(inst, _) => *inst,
            _ => return Err(LowerError::new("internal: a parameter is no narrow value")),
        };
        Ok(match f.insts[inst].kind {
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
                let [a, b] = args;
                let (a, b) = (self.narrow(a)?, self.narrow(b)?);
                self.b.op(opcode, u32_ty, &[a, b])
            }
            _ => return Err(LowerError::new("internal: no narrow value")),
        })
    }
}
