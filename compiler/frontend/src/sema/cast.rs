//! Explicit conversions.
use super::Sema;
use super::const_eval::Value;
use super::typed::{ConvertKind, ExprId, ExprKind};
use crate::lang::types::{AddrSpace, OpaqueKind, Type, TypeId, TypeTable};
use crate::parse::ast;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// `(type)operand`
    pub(super) fn cast(
        &mut self,
        name: ast::TypeNameId,
        operand: ast::ExprId,
        span: Span,
    ) -> Option<ExprId> {
        let named = self.type_name(name);
        if named.is_some_and(|t| t.q.ty == TypeTable::VOID) {
            let value = self.discarded(operand)?;
            return Some(self.mk(
                ExprKind::Convert {
                    kind: ConvertKind::ToVoid,
                    operand: value,
                },
                TypeTable::VOID,
                span,
            ));
        }
        let value = self.rvalue(operand);
        let (named, mut value) = (named?, value?);
        let to = named.q.ty;
        if self.module.types.is_vector(to)
            && self.ty(value) == TypeTable::BOOL
            && matches!(self.ast.expr(operand).kind, ast::ExprKind::Paren(_))
        {
            // `(int4)(b)` is a vector literal of one element: an element's value, not a cast.
            value = self.bool_to_int(value);
        }
        self.explicit_cast(value, to, span)
    }

    /// A scalar in all lanes of a vector type.
    pub(super) fn splat(&mut self, value: ExprId, elem: TypeId, to: TypeId) -> ExprId {
        let span = self.span(value);
        let truth = self.ty(value) == TypeTable::BOOL && self.module.types.is_integer(elem);
        let scalar = self.arith_convert(value, elem);
        // True becomes all ones in an integer vector (OpenCL C 3.0 §6.4.2).
        let scalar = if truth {
            self.negate(scalar, span)
        } else {
            scalar
        };
        self.convert(ConvertKind::Splat, scalar, to)
    }

    /// A value cast to a type.
    pub(super) fn explicit_cast(
        &mut self,
        value: ExprId,
        to: TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let from = self.ty(value);
        if self.lacks_half(to) {
            let message = format!("casting to type {} is not allowed", self.show(to));
            let report = self.error(span, message);
            self.extension_note(report, "cl_khr_fp16");
            return None;
        }
        if from == to {
            return Some(value);
        }
        let types = &self.module.types;
        let from_pointer = types.is_pointer(from);
        let from_arith = types.is_arithmetic(from);
        match *types.get(to) {
            Type::Void => {
                let kind = ExprKind::Convert {
                    kind: ConvertKind::ToVoid,
                    operand: value,
                };
                return Some(self.mk(kind, TypeTable::VOID, span));
            }
            Type::Bool if from_pointer || from_arith => return self.truth(value),
            Type::Int(_) | Type::Enum(_) if from_pointer => {
                return Some(self.convert(ConvertKind::PtrToInt, value, to));
            }
            Type::Int(_) | Type::Enum(_) | Type::Float(_) if from_arith => {
                return Some(self.arith_convert(value, to));
            }
            Type::Pointer { space, .. } if from_pointer => {
                return self.pointer_cast(value, to, space, span);
            }
            Type::Pointer { .. } if types.is_integer(from) => {
                if let ExprKind::Int(0) = self.body.expr(value).kind {
                    return Some(self.mk(ExprKind::Null, to, span));
                }
                return Some(self.convert(ConvertKind::IntToPtr, value, to));
            }
            Type::Vector { elem, .. } if from_arith => {
                return Some(self.splat(value, elem, to));
            }
            // `(event_t)0`
            Type::Opaque(kind) if kind.has_zero() && self.is_null_constant(value) => {
                return Some(self.mk(ExprKind::Zero, to, span));
            }
            _ => {}
        }
        let types = &self.module.types;
        let (a, b) = (self.show(from), self.show(to));
        let vectors = types.is_vector(from) && types.is_vector(to);
        let message = if vectors {
            format!("invalid conversion between ext-vector type {a} and {b}")
        } else if types.is_vector(from) {
            format!("invalid conversion between vector type {a} and scalar type {b}")
        } else if self.is_aggregate(to) {
            format!("used type {b} where arithmetic or pointer type is required")
        } else if self.is_aggregate(from) {
            format!("operand of type {a} where arithmetic or pointer type is required")
        } else if types.is_pointer(from) {
            format!("pointer cannot be cast to type {b}")
        } else if types.is_pointer(to) {
            format!("operand of type {a} cannot be cast to a pointer type")
        } else {
            format!("invalid conversion from {a} to {b}")
        };
        let report = self.error(span, message);
        self.vector_hint(report, from, to);
        None
    }

    /// Returns whether a value is CLK_NULL_EVENT or CLK_NULL_RESERVE_ID as clang's headers write
    /// them: all bits set, reinterpreted.
    fn is_null_of_headers(&self, value: ExprId, to: TypeId) -> bool {
        let kind = self.module.types.opaque(to);
        matches!(kind, Some(OpaqueKind::ClkEvent | OpaqueKind::ReserveId))
            && self.module.types.size(self.ty(value)) == 8
            && self.eval(value) == Some(Value::Int(u64::MAX))
    }

    fn pointer_cast(
        &mut self,
        value: ExprId,
        to: TypeId,
        space: AddrSpace,
        span: Span,
    ) -> Option<ExprId> {
        let from = self.ty(value);
        let (_, from_space) = self.module.types.pointer_parts(from)?;
        let overlap = space.contains(from_space) || from_space.contains(space);
        if !overlap && !self.is_null_constant(value) {
            let message = format!(
                "casting {} to type {} changes address space of pointer",
                self.show(from),
                self.show(to)
            );
            self.error(span, message);
            return None;
        }
        Some(self.pointer_convert(value, to))
    }

    /// Returns whether pointers point to different named address spaces, between which no cast leads.
    fn crosses_spaces(&self, from: TypeId, to: TypeId) -> bool {
        let space = |ty| self.module.types.pointer_parts(ty).map(|(_, space)| space);
        match (space(from), space(to)) {
            (Some(from), Some(to)) => {
                let functions = from == AddrSpace::Code || to == AddrSpace::Code;
                !functions && !from.contains(to) && !to.contains(from)
            }
            _ => false,
        }
    }

    /// Returns whether the `as_type` functions take a type: all numbers and their vectors.
    fn has_bits(&self, ty: TypeId) -> bool {
        let (elem, _) = self.module.types.elem_lanes(ty);
        self.module.types.is_arithmetic(elem) && elem != TypeTable::BOOL
    }

    fn no_reinterpretation(&self, ty: TypeId) -> String {
        let shown = self.show(ty);
        format!("invalid reinterpretation: values of type {shown} cannot be reinterpreted")
    }

    fn sizes_differ(&self, to: &str, from: TypeId) -> String {
        let from = self.show(from);
        format!("invalid reinterpretation: sizes of {to} and {from} must match")
    }

    /// Reports a call of an `as_type` function that takes no values of type `from`.
    pub(super) fn invalid_reinterpretation(&self, to: &str, from: TypeId, span: Span) {
        let message = match self.has_bits(from) {
            true => self.sizes_differ(to, from),
            false => self.no_reinterpretation(from),
        };
        let report = self.error(span, message);
        if self.module.types.is_pointer(from) {
            report.hint("a cast gives the address: '(ulong)pointer'");
        }
    }

    /// `__builtin_astype(operand, type)` and `as_type(operand)`.
    pub(super) fn as_type(
        &mut self,
        operand: ast::ExprId,
        name: ast::TypeNameId,
        span: Span,
    ) -> Option<ExprId> {
        let named = self.type_name(name);
        let value = self.rvalue(operand);
        let (named, value) = (named?, value?);
        let (from, to) = (self.ty(value), named.q.ty);
        if self.is_null_of_headers(value, to) {
            return Some(self.mk(ExprKind::Zero, to, span));
        }
        let types = &self.module.types;
        let scalar = |ty| self.has_bits(ty) || types.is_pointer(ty);
        if !scalar(from) || !scalar(to) || types.size(from) != types.size(to) {
            let message = match [from, to].into_iter().find(|&ty| !scalar(ty)) {
                Some(ty) => self.no_reinterpretation(ty),
                None => self.sizes_differ(&self.show(to), from),
            };
            self.error(span, message);
            return None;
        }
        if from == to {
            return Some(value);
        }
        let kind = match (types.is_pointer(from), types.is_pointer(to)) {
            (true, true) if self.crosses_spaces(from, to) => ConvertKind::SpaceCast,
            (true, true) => return self.explicit_cast(value, to, span),
            (true, false) => ConvertKind::PtrToInt,
            (false, true) => ConvertKind::IntToPtr,
            (false, false) => ConvertKind::Bitcast,
        };
        Some(self.convert(kind, value, to))
    }
}
