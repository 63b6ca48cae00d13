//! Tables of the SPIR-V opcodes that are lane-wise IR operations: function bodies and
//! `OpSpecConstantOp` share them.

use pumice_ir::{AtomicOp, BinaryOp, ConvertOp, FloatCond, IntCond, UnaryOp};
use rspirv::spirv::Op;

/// One-operand arithmetic.
pub(super) fn unary(op: Op) -> Option<UnaryOp> {
    Some(match op {
        Op::SNegate => UnaryOp::INeg,
        Op::FNegate => UnaryOp::FNeg,
        Op::Not | Op::LogicalNot => UnaryOp::Not,
        _ => return None,
    })
}

/// Two-operand arithmetic whose operands and result have one type (shift counts aside).
pub(super) fn binary(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::IAdd => BinaryOp::IAdd,
        Op::FAdd => BinaryOp::FAdd,
        Op::ISub => BinaryOp::ISub,
        Op::FSub => BinaryOp::FSub,
        Op::IMul => BinaryOp::IMul,
        Op::FMul => BinaryOp::FMul,
        Op::UDiv => BinaryOp::UDiv,
        Op::SDiv => BinaryOp::SDiv,
        Op::FDiv => BinaryOp::FDiv,
        Op::UMod => BinaryOp::URem,
        Op::SRem => BinaryOp::SRem,
        Op::FRem => BinaryOp::FRem,
        Op::ShiftRightLogical => BinaryOp::LShr,
        Op::ShiftRightArithmetic => BinaryOp::AShr,
        Op::ShiftLeftLogical => BinaryOp::Shl,
        Op::BitwiseOr | Op::LogicalOr => BinaryOp::Or,
        Op::BitwiseXor | Op::LogicalNotEqual => BinaryOp::Xor,
        Op::BitwiseAnd | Op::LogicalAnd => BinaryOp::And,
        _ => return None,
    })
}

/// Returns whether the second operand is a shift count, whose type may differ.
pub(super) fn is_shift(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr)
}

/// Integer and pointer comparisons.
pub(super) fn icmp(op: Op) -> Option<IntCond> {
    Some(match op {
        Op::IEqual | Op::PtrEqual => IntCond::Eq,
        Op::INotEqual | Op::PtrNotEqual => IntCond::Ne,
        Op::UGreaterThan => IntCond::Ugt,
        Op::SGreaterThan => IntCond::Sgt,
        Op::UGreaterThanEqual => IntCond::Uge,
        Op::SGreaterThanEqual => IntCond::Sge,
        Op::ULessThan => IntCond::Ult,
        Op::SLessThan => IntCond::Slt,
        Op::ULessThanEqual => IntCond::Ule,
        Op::SLessThanEqual => IntCond::Sle,
        _ => return None,
    })
}

/// Floating comparisons.
pub(super) fn fcmp(op: Op) -> Option<FloatCond> {
    Some(match op {
        Op::FOrdEqual => FloatCond::Oeq,
        Op::FUnordEqual => FloatCond::Ueq,
        Op::FOrdNotEqual | Op::LessOrGreater => FloatCond::One,
        Op::FUnordNotEqual => FloatCond::Une,
        Op::FOrdLessThan => FloatCond::Olt,
        Op::FUnordLessThan => FloatCond::Ult,
        Op::FOrdGreaterThan => FloatCond::Ogt,
        Op::FUnordGreaterThan => FloatCond::Ugt,
        Op::FOrdLessThanEqual => FloatCond::Ole,
        Op::FUnordLessThanEqual => FloatCond::Ule,
        Op::FOrdGreaterThanEqual => FloatCond::Oge,
        Op::FUnordGreaterThanEqual => FloatCond::Uge,
        Op::Ordered => FloatCond::Ord,
        Op::Unordered => FloatCond::Uno,
        _ => return None,
    })
}

/// Numeric conversions. `from` and `to` are the widths in bits of one lane; `None` inside
/// means that the bits stay as they are.
pub(super) fn convert(op: Op, from: u32, to: u32, saturate: bool) -> Option<Option<ConvertOp>> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(match op {
        Op::ConvertFToU if saturate => Some(ConvertOp::FToUSat),
        Op::ConvertFToU => Some(ConvertOp::FToU),
        Op::ConvertFToS if saturate => Some(ConvertOp::FToSSat),
        Op::ConvertFToS => Some(ConvertOp::FToS),
        Op::ConvertSToF => Some(ConvertOp::SToF),
        Op::ConvertUToF => Some(ConvertOp::UToF),
        Op::FConvert => (from != to).then_some(ConvertOp::FToF),
        Op::SatConvertSToU => Some(ConvertOp::SatSToU),
        Op::SatConvertUToS => Some(ConvertOp::SatUToS),
        Op::UConvert | Op::SConvert => match (to.cmp(&from), op) {
            (Equal, _) => None,
            (Less, Op::UConvert) if saturate => Some(ConvertOp::SatUToU),
            (Less, _) if saturate => Some(ConvertOp::SatSToS),
            (Less, _) => Some(ConvertOp::Trunc),
            (Greater, Op::UConvert) => Some(ConvertOp::ZExt),
            (Greater, _) => Some(ConvertOp::SExt),
        },
        _ => return None,
    })
}

/// Returns whether an instruction is a numeric conversion.
pub(super) fn is_conversion(op: Op) -> bool {
    convert(op, 0, 0, false).is_some()
}

/// An instruction that cooperative matrices take component by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByComponent {
    /// A negation.
    Unary(UnaryOp),
    /// Arithmetic of two matrices.
    Binary(BinaryOp),
    /// A numeric conversion.
    Convert,
}

/// The instructions that SPV_KHR_cooperative_matrix allows on components, OpBitcast aside.
pub(super) fn by_component(op: Op) -> Option<ByComponent> {
    match op {
        Op::SNegate | Op::FNegate => unary(op).map(ByComponent::Unary),
        Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::SDiv
        | Op::UDiv
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv => binary(op).map(ByComponent::Binary),
        Op::SatConvertSToU | Op::SatConvertUToS => None,
        _ => is_conversion(op).then_some(ByComponent::Convert),
    }
}

/// Read-modify-write atomics with a value operand.
pub(super) fn atomic_rmw(op: Op) -> Option<AtomicOp> {
    Some(match op {
        Op::AtomicExchange => AtomicOp::Xchg,
        Op::AtomicIAdd => AtomicOp::Add,
        Op::AtomicISub => AtomicOp::Sub,
        Op::AtomicSMin => AtomicOp::SMin,
        Op::AtomicUMin => AtomicOp::UMin,
        Op::AtomicSMax => AtomicOp::SMax,
        Op::AtomicUMax => AtomicOp::UMax,
        Op::AtomicAnd => AtomicOp::And,
        Op::AtomicOr => AtomicOp::Or,
        Op::AtomicXor => AtomicOp::Xor,
        Op::AtomicFAddEXT => AtomicOp::FAdd,
        Op::AtomicFMinEXT => AtomicOp::FMin,
        Op::AtomicFMaxEXT => AtomicOp::FMax,
        _ => return None,
    })
}
