//! Conversions: the typed tree's implicit and explicit ones, and `convert_T`.

use rspirv::spirv::{Decoration, Op};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::names::Suffix;
use crate::lang::types::{AddrSpace, Type, TypeId, TypeTable};
use crate::sema::typed::{ConvertKind, ExprId, ExprKind};

impl FunctionEmitter<'_, '_> {
    /// An [`ExprKind::Convert`] node of type `to`.
    pub fn convert(
        &mut self,
        kind: ConvertKind,
        operand: ExprId,
        to: TypeId,
    ) -> Result<u32, EmitError> {
        let body = self.body;
        let from = body.expr(operand).ty;
        if kind == ConvertKind::IntToInt {
            if let ExprKind::Int(value) = body.expr(operand).kind {
                let module = self.e.module;
                let bits = module.types.size(from) * 8;
                let negative =
                    module.types.is_signed(from) && bits < 64 && value >> (bits - 1) & 1 != 0;
                let wide = if negative {
                    value | u64::MAX << bits
                } else {
                    value
                };
                return Ok(self.int_constant(to, wide));
            }
        }
        let value = self.expr(operand)?;
        Ok(self.convert_value(kind, value, from, to))
    }

    /// The same on a value.
    pub fn convert_value(
        &mut self,
        kind: ConvertKind,
        value: u32,
        from: TypeId,
        to: TypeId,
    ) -> u32 {
        let module = self.e.module;
        match kind {
            ConvertKind::ToVoid => 0,
            ConvertKind::Same => value,
            ConvertKind::IntToInt | ConvertKind::IntToFloat
                if *module.types.get(from) == Type::Bool =>
            {
                let (one, zero) = if kind == ConvertKind::IntToInt {
                    (self.int_constant(to, 1), self.int_constant(to, 0))
                } else {
                    (self.float_constant(to, 1.0), self.float_constant(to, 0.0))
                };
                let ty = self.e.value_type(to);
                self.e.b.op(Op::Select, ty, &[value, one, zero])
            }
            ConvertKind::IntToInt
            | ConvertKind::IntToFloat
            | ConvertKind::FloatToInt
            | ConvertKind::FloatToFloat => self.numeric(value, from, to, Suffix::default()),
            ConvertKind::ToBool => self.non_zero(value, from),
            ConvertKind::Splat => {
                let (_, lanes) = module.types.elem_lanes(to);
                let ty = self.e.value_type(to);
                let parts = vec![value; usize::from(lanes)];
                self.e.b.construct(ty, &parts)
            }
            ConvertKind::PtrToInt => {
                let long = self.e.b.ty_int(64);
                let address = self.e.b.op(Op::ConvertPtrToU, long, &[value]);
                self.numeric(address, TypeTable::ULONG, to, Suffix::default())
            }
            ConvertKind::IntToPtr => {
                let from = if *module.types.get(from) == Type::Bool {
                    return self.bool_to_pointer(value, to);
                } else {
                    from
                };
                let wide = self.numeric(value, from, TypeTable::ULONG, Suffix::default());
                let ty = self.e.value_type(to);
                self.e.b.op(Op::ConvertUToPtr, ty, &[wide])
            }
            ConvertKind::PtrToPtr => {
                let (own, ty) = (self.e.value_type(from), self.e.value_type(to));
                if own == ty {
                    value
                } else {
                    self.e.b.op(Op::Bitcast, ty, &[value])
                }
            }
            ConvertKind::SpaceCast => self.space_cast(value, from, to),
            ConvertKind::Bitcast => self.bitcast(value, from, to),
        }
    }

    fn bool_to_pointer(&mut self, value: u32, to: TypeId) -> u32 {
        let number = self.truth(value, TypeTable::ULONG);
        let ty = self.e.value_type(to);
        self.e.b.op(Op::ConvertUToPtr, ty, &[number])
    }

    /// Not equal to zero.
    pub fn non_zero(&mut self, value: u32, from: TypeId) -> u32 {
        let module = self.e.module;
        let bools = self.bool_type(from);
        match module.types.get(from) {
            Type::Bool => value,
            Type::Pointer { .. } => {
                let long = self.e.b.ty_int(64);
                let address = self.e.b.op(Op::ConvertPtrToU, long, &[value]);
                let zero = self.e.b.const_int(64, 0);
                self.e.b.op(Op::INotEqual, bools, &[address, zero])
            }
            _ => {
                let zero = self.zero(from);
                let op = if self.is_float(from) {
                    Op::FUnordNotEqual
                } else {
                    Op::INotEqual
                };
                self.e.b.op(op, bools, &[value, zero])
            }
        }
    }

    fn space_cast(&mut self, value: u32, from: TypeId, to: TypeId) -> u32 {
        let types = &self.e.module.types;
        let ((pointee, from_space), (_, to_space)) =
            match (types.pointer_parts(from), types.pointer_parts(to)) {
                (Some(from), Some(to)) => (from, to),
                _ => unreachable!("an address space cast of what is no pointer"),
            };
        let wanted = self.e.value_type(to);
        if from_space.of_language() == to_space.of_language() {
            return self.convert_value(ConvertKind::PtrToPtr, value, from, to);
        }
        let op = if to_space == AddrSpace::Generic {
            Op::PtrCastToGeneric
        } else if from_space == AddrSpace::Generic {
            Op::GenericCastToPtr
        } else {
            // Between two named spaces only the bits survive.
            let long = self.e.b.ty_int(64);
            let address = self.e.b.op(Op::ConvertPtrToU, long, &[value]);
            return self.e.b.op(Op::ConvertUToPtr, wanted, &[address]);
        };
        let same_pointee = self.e.pointer_to(pointee.ty, to_space);
        let cast = self.e.b.op(op, same_pointee, &[value]);
        if same_pointee == wanted {
            cast
        } else {
            self.e.b.op(Op::Bitcast, wanted, &[cast])
        }
    }

    /// The same bits; 3-vectors count as 4.
    pub fn bitcast(&mut self, value: u32, from: TypeId, to: TypeId) -> u32 {
        let (own, wanted) = (self.e.value_type(from), self.e.value_type(to));
        if own == wanted {
            return value;
        }
        let types = &self.e.module.types;
        let ((from_elem, from_lanes), (to_elem, to_lanes)) =
            (types.elem_lanes(from), types.elem_lanes(to));
        if from_lanes == to_lanes || (from_lanes != 3 && to_lanes != 3) {
            return self.e.b.op(Op::Bitcast, wanted, &[value]);
        }
        let mut value = value;
        let mut from_four = own;
        if from_lanes == 3 {
            from_four = self.vector_type((from_elem, 4));
            let undef = u32::MAX;
            let operands = [value, value, 0, 1, 2, undef];
            value = self.e.b.op(Op::VectorShuffle, from_four, &operands);
        }
        let to_room = if to_lanes == 3 { 4 } else { to_lanes };
        let to_four = self.vector_type((to_elem, to_room));
        if from_four != to_four {
            value = self.e.b.op(Op::Bitcast, to_four, &[value]);
        }
        if to_lanes == 3 {
            value = self.swizzle(value, to_elem, &[0, 1, 2]);
        }
        value
    }

    /// Between integers and floats, element by element, with what a `convert_T` name says.
    pub fn numeric(&mut self, value: u32, from: TypeId, to: TypeId, how: Suffix) -> u32 {
        let types = &self.e.module.types;
        let (from_elem, _) = types.elem_lanes(from);
        let (to_elem, _) = types.elem_lanes(to);
        let (from_size, to_size) = (types.size(from_elem), types.size(to_elem));
        let (from_signed, to_signed) = (types.is_signed(from), types.is_signed(to));
        let (from_float, to_float) = (types.is_float(from_elem), types.is_float(to_elem));
        let (own, wanted) = (self.e.value_type(from), self.e.value_type(to));
        let op = match (from_float, to_float) {
            (true, true) => Op::FConvert,
            (true, false) if to_signed => Op::ConvertFToS,
            (true, false) => Op::ConvertFToU,
            (false, true) if from_signed => Op::ConvertSToF,
            (false, true) => Op::ConvertUToF,
            (false, false) => match (how.saturate, from_signed, to_signed) {
                (true, true, false) => Op::SatConvertSToU,
                (true, false, true) => Op::SatConvertUToS,
                (_, true, _) => Op::SConvert,
                (_, false, _) => Op::UConvert,
            },
        };
        let keeps_bits = matches!(op, Op::FConvert | Op::SConvert | Op::UConvert);
        if own == wanted && keeps_bits {
            return value;
        }
        let result = self.e.b.op(op, wanted, &[value]);
        // Narrowing is where a plain conversion would wrap; the Sat opcodes say it themselves.
        let narrows = from_float || to_size < from_size;
        if how.saturate
            && !to_float
            && narrows
            && !matches!(op, Op::SatConvertSToU | Op::SatConvertUToS)
        {
            self.e
                .b
                .decorate(result, Decoration::SaturatedConversion, &[]);
        }
        if let Some(mode) = how.rounding {
            if from_float || to_float {
                self.e
                    .b
                    .decorate(result, Decoration::FPRoundingMode, &[mode as u32]);
            }
        }
        result
    }
}
