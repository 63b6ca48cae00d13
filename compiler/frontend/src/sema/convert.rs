//! Implicit conversions: promotion, usual arithmetic conversions, assignment.
use super::const_eval::Value;
use super::typed::{ConvertKind, ExprId, ExprKind};
use super::{Operand, Sema};
use crate::diagnostics::{Report, Warning};
use crate::lang::options::FUNCTION_POINTERS;
use crate::lang::types::{
    AddrSpace, IntKind, OpaqueKind, QualType, Quals, Type, TypeId, TypeTable,
};
use crate::source::{Span, Symbol};

/// A parameter where its function is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    /// Its name, if it has one.
    pub(super) name: Option<Symbol>,
    /// Its position.
    pub(super) span: Span,
}

/// Purpose of an implicit conversion; its error message depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// `a = b`; the operator.
    Assign(Span),
    /// `T a = b`; the declared name, or nothing for a part of an aggregate.
    Init(Span),
    /// An argument; the parameter's declaration for a note.
    Argument(Option<Parameter>),
    /// `return b`
    Return,
}

impl Purpose {
    /// Returns the position of clang's caret: the operator, the declared name, else the value.
    fn caret(self, value: Span) -> Span {
        match self {
            Self::Assign(at) | Self::Init(at) if at.lo.is_some() => at,
            _ => value,
        }
    }
}

impl<'a> Sema<'a> {
    /// The value of an operand: lvalues are read, arrays decay.
    pub(super) fn value_of(&mut self, operand: Operand, span: Span) -> Option<ExprId> {
        match operand {
            Operand::Value(expr) => Some(expr),
            Operand::Lvalue(id) => {
                let lvalue = self.body.lvalue(id);
                let (q, space) = (lvalue.ty, lvalue.space);
                match *self.module.types.get(q.ty) {
                    Type::Array { elem, .. } => {
                        self.note_unknown(id);
                        let ty = self.module.types.pointer(elem, space);
                        Some(self.mk(ExprKind::Decay(id), ty, span))
                    }
                    Type::Atomic(_) => {
                        let message = format!(
                            "value of atomic type {} cannot be read directly; use an atomic function such as atomic_load",
                            self.show(q.ty)
                        );
                        self.error(span, message);
                        None
                    }
                    Type::Void => {
                        self.error(span, "invalid use of a value of type 'void'");
                        None
                    }
                    _ if !self.module.types.is_complete(q.ty) => {
                        let message = format!(
                            "incomplete type {} where a complete type is required",
                            self.show(q.ty)
                        );
                        self.error(span, message);
                        None
                    }
                    _ => {
                        self.check_half_access(q.ty, "load", span)?;
                        self.note_read(id, span);
                        Some(self.mk(ExprKind::Load(id), q.ty, span))
                    }
                }
            }
            Operand::Block(_) => {
                self.error(
                    span,
                    "a block can only be called or passed to enqueue_kernel",
                );
                None
            }
            Operand::Function(name) if self.lang.clang_extension(FUNCTION_POINTERS) => {
                self.address_of_function(name, span)
            }
            Operand::Function(name) | Operand::Builtin(name) => {
                let message = "taking address of function is not allowed";
                self.error(span, message)
                    .hint(format!("'{}' can only be called", self.name(name)));
                None
            }
        }
    }

    /// Without cl_khr_fp16 a half in memory is for vload_half and vstore_half alone.
    pub(super) fn check_half_access(&mut self, ty: TypeId, word: &str, span: Span) -> Option<()> {
        if !self.lacks_half(ty) {
            return Some(());
        }
        let doing = match word {
            "load" => "loading directly from",
            _ => "assigning directly to",
        };
        let message = format!(
            "{doing} pointer to type {} requires cl_khr_fp16; use the v{word}_half functions instead",
            self.show(ty)
        );
        let report = self.error(span, message);
        self.extension_note(report, "cl_khr_fp16");
        None
    }

    /// A conversion node; constants are converted at once.
    pub(super) fn convert(&mut self, kind: ConvertKind, operand: ExprId, ty: TypeId) -> ExprId {
        let span = self.span(operand);
        let from = self.ty(operand);
        if let ExprKind::Int(_) | ExprKind::Float(_) = self.body.expr(operand).kind {
            let value = self
                .eval(operand)
                .and_then(|v| self.convert_value(kind, v, from, ty));
            match value {
                Some(Value::Int(bits)) => return self.mk(ExprKind::Int(bits), ty, span),
                Some(Value::Float(x)) => return self.mk(ExprKind::Float(x), ty, span),
                _ => {}
            }
        }
        self.mk(ExprKind::Convert { kind, operand }, ty, span)
    }

    /// Converts between arithmetic types (or vectors of equal length of such).
    pub(super) fn arith_convert(&mut self, operand: ExprId, ty: TypeId) -> ExprId {
        let from = self.ty(operand);
        if from == ty {
            return operand;
        }
        let (from_elem, _) = self.module.types.elem_lanes(from);
        let (to_elem, _) = self.module.types.elem_lanes(ty);
        let types = &self.module.types;
        let kind = match (types.is_float(from_elem), types.is_float(to_elem)) {
            _ if to_elem == TypeTable::BOOL => ConvertKind::ToBool,
            (false, false) => ConvertKind::IntToInt,
            (false, true) => ConvertKind::IntToFloat,
            (true, false) => ConvertKind::FloatToInt,
            (true, true) => ConvertKind::FloatToFloat,
        };
        if kind == ConvertKind::ToBool {
            // A Bool that was widened to int is itself again.
            if let ExprKind::Convert {
                kind: ConvertKind::IntToInt,
                operand: inner,
            } = self.body.expr(operand).kind
            {
                if self.ty(inner) == TypeTable::BOOL {
                    return inner;
                }
            }
        }
        self.convert(kind, operand, ty)
    }

    /// A scalar as a condition.
    pub(super) fn truth(&mut self, operand: ExprId) -> Option<ExprId> {
        let ty = self.ty(operand);
        if self.module.types.is_arithmetic(ty) {
            return Some(self.arith_convert(operand, TypeTable::BOOL));
        }
        if self.module.types.is_pointer(ty) {
            return Some(self.convert(ConvertKind::ToBool, operand, TypeTable::BOOL));
        }
        let message = format!(
            "used type {} where arithmetic or pointer type is required",
            self.show(ty)
        );
        self.error(self.span(operand), message);
        None
    }

    /// A Bool as the int that C gives comparisons.
    pub(super) fn bool_to_int(&mut self, operand: ExprId) -> ExprId {
        self.arith_convert(operand, TypeTable::INT)
    }

    /// Integer promotion of a scalar type.
    pub(super) fn promoted(&self, ty: TypeId) -> TypeId {
        match *self.module.types.get(ty) {
            Type::Bool => TypeTable::INT,
            Type::Int(kind) if kind.bits() < 32 => TypeTable::INT,
            Type::Enum(e) => {
                let underlying = self.module.types.enums[e.0 as usize].underlying;
                self.promoted(TypeTable::int(underlying))
            }
            _ => ty,
        }
    }

    /// Integer promotion of a scalar value.
    pub(super) fn promote(&mut self, operand: ExprId) -> ExprId {
        let ty = self.promoted_value(operand);
        if ty == self.ty(operand) {
            operand
        } else {
            self.arith_convert(operand, ty)
        }
    }

    /// The common type of two arithmetic scalars.
    pub(super) fn common_type(&self, a: TypeId, b: TypeId) -> TypeId {
        let types = &self.module.types;
        match (types.float_kind(a), types.float_kind(b)) {
            (Some(x), Some(y)) => return TypeTable::float(x.max(y)),
            (Some(x), None) | (None, Some(x)) => return TypeTable::float(x),
            (None, None) => {}
        }
        self.greater_rank(self.promoted(a), self.promoted(b))
    }

    /// The element type of `vector ? a : b` for scalars: clang converts to the greater rank
    /// without promoting, so that two chars stay chars.
    pub(super) fn common_element(&self, a: TypeId, b: TypeId) -> TypeId {
        let types = &self.module.types;
        let is_int = |ty| matches!(types.get(ty), Type::Int(_));
        if a == b {
            a
        } else if is_int(a) && is_int(b) {
            self.greater_rank(a, b)
        } else {
            self.common_type(a, b)
        }
    }

    fn greater_rank(&self, a: TypeId, b: TypeId) -> TypeId {
        let types = &self.module.types;
        let (Some(x), Some(y)) = (types.int_kind(a), types.int_kind(b)) else {
            return a;
        };
        let bits = x.bits().max(y.bits());
        let unsigned = |kind: IntKind| kind.bits() == bits && !kind.signed();
        TypeTable::int(IntKind::of(bits, !(unsigned(x) || unsigned(y))))
    }

    /// Returns whether an expression is a null pointer constant. `(global void *)0` is none: it
    /// stays in its address space.
    pub(super) fn is_null_constant(&self, expr: ExprId) -> bool {
        let node = self.body.expr(expr);
        match self.module.types.get(node.ty) {
            Type::Pointer { pointee, space } => {
                *pointee == QualType::plain(TypeTable::VOID)
                    && *space == self.default_pointee_space()
                    && matches!(node.kind, ExprKind::Null)
            }
            Type::Int(_) | Type::Bool | Type::Enum(_) => {
                !matches!(node.kind, ExprKind::Load(_)) && self.eval(expr) == Some(Value::Int(0))
            }
            _ => false,
        }
    }

    /// Converts a value as assignment does, with clang's complaints.
    pub(super) fn assign_convert(
        &mut self,
        value: ExprId,
        to: TypeId,
        purpose: Purpose,
    ) -> Option<ExprId> {
        let from = self.ty(value);
        if from == to {
            return Some(value);
        }
        let span = self.span(value);
        if from == TypeTable::ERROR || to == TypeTable::ERROR {
            return None;
        }
        let at = purpose.caret(span);
        let types = &self.module.types;
        if types.is_arithmetic(from) && types.is_arithmetic(to) {
            self.warn_constant(value, to);
            return Some(self.arith_convert(value, to));
        }
        match *types.get(to) {
            Type::Vector { elem, .. } if types.is_arithmetic(from) => {
                return Some(self.splat(value, elem, to));
            }
            Type::Pointer { pointee, space } => {
                return self.pointer_assign(value, to, pointee, space, purpose);
            }
            Type::Bool if types.is_pointer(from) => {
                return Some(self.convert(ConvertKind::ToBool, value, to));
            }
            Type::Int(_) if types.is_pointer(from) => {
                let message = format!(
                    "incompatible pointer to integer conversion {}",
                    self.purpose_text(purpose, from, to)
                );
                let report = self.error(at, message).highlight(span);
                self.parameter_note(report, purpose);
                return None;
            }
            Type::Opaque(OpaqueKind::Sampler) => {
                if let Some(mask) = self
                    .constant_number(value)
                    .filter(|_| types.is_integer(from))
                {
                    let mask = self.checked_sampler(mask, span)?;
                    return Some(self.sampler(mask, span));
                }
            }
            Type::Opaque(kind) if kind.has_zero() && self.is_null_constant(value) => {
                return Some(self.mk(ExprKind::Zero, to, span));
            }
            Type::Atomic(inner) if matches!(purpose, Purpose::Init(_)) => {
                let value = self.assign_convert(value, inner, purpose)?;
                return Some(self.convert(ConvertKind::Same, value, to));
            }
            _ => {}
        }
        self.incompatible(span, from, to, purpose);
        None
    }

    /// Reports that a value cannot become another type.
    fn incompatible(&mut self, span: Span, from: TypeId, to: TypeId, purpose: Purpose) {
        let types = (from, to);
        let (from, to) = (self.show(from), self.show(to));
        let message = match purpose {
            Purpose::Assign(_) => format!("assigning to {to} from incompatible type {from}"),
            Purpose::Init(_) => {
                format!("initializing {to} with an expression of incompatible type {from}")
            }
            Purpose::Argument(_) => {
                format!("passing {from} to parameter of incompatible type {to}")
            }
            Purpose::Return => {
                format!("returning {from} from a function with incompatible result type {to}")
            }
        };
        let report = self.error(purpose.caret(span), message).highlight(span);
        let report = self.parameter_note(report, purpose);
        self.vector_hint(report, types.0, types.1);
    }

    fn parameter_note(&self, report: Report<'a>, purpose: Purpose) -> Report<'a> {
        let Purpose::Argument(Some(parameter)) = purpose else {
            return report;
        };
        let name = match parameter.name {
            Some(name) => format!(" '{}'", self.name(name)),
            None => String::new(),
        };
        report.note(
            parameter.span,
            format!("passing argument to parameter{name} here"),
        )
    }

    pub(super) fn purpose_text(&self, purpose: Purpose, from: TypeId, to: TypeId) -> String {
        let (from, to) = (self.show(from), self.show(to));
        match purpose {
            Purpose::Assign(_) => format!("assigning to {to} from {from}"),
            Purpose::Init(_) => format!("initializing {to} with an expression of type {from}"),
            Purpose::Argument(_) => format!("passing {from} to parameter of type {to}"),
            Purpose::Return => {
                format!("returning {from} from a function with result type {to}")
            }
        }
    }

    /// [`Self::purpose_text`] in the order that clang has for address spaces.
    fn space_text(&self, purpose: Purpose, from: TypeId, to: TypeId) -> String {
        match purpose {
            Purpose::Assign(_) => format!("assigning {} to {}", self.show(from), self.show(to)),
            _ => self.purpose_text(purpose, from, to),
        }
    }

    fn pointer_assign(
        &mut self,
        value: ExprId,
        to: TypeId,
        pointee: QualType,
        space: AddrSpace,
        purpose: Purpose,
    ) -> Option<ExprId> {
        let from = self.ty(value);
        let span = self.span(value);
        let at = purpose.caret(span);
        if self.is_null_constant(value) {
            return Some(self.mk(ExprKind::Null, to, span));
        }
        let Some((from_pointee, from_space)) = self.module.types.pointer_parts(from) else {
            if self.module.types.is_integer(from) {
                let message = format!(
                    "incompatible integer to pointer conversion {}",
                    self.purpose_text(purpose, from, to)
                );
                let report = self.error(at, message).highlight(span);
                self.parameter_note(report, purpose);
                return None;
            }
            self.incompatible(span, from, to, purpose);
            return None;
        };
        if !space.contains(from_space) {
            let text = self.space_text(purpose, from, to);
            let message = format!("{text} changes address space of pointer");
            let report = self.error(at, message).highlight(span);
            let report = self.parameter_note(report, purpose);
            self.space_hint(report, from, space);
            return None;
        }
        let any = pointee.ty == TypeTable::VOID || from_pointee.ty == TypeTable::VOID;
        if from_pointee.ty != pointee.ty && !any {
            self.pointee_mismatch(value, to, from_pointee.ty, pointee.ty, purpose)?;
        }
        let mut lost = from_pointee.quals & (Quals::CONST | Quals::VOLATILE);
        if space == AddrSpace::Constant {
            // Objects in the constant address space are const even if the pointer does not say so.
            lost.remove(Quals::CONST);
        }
        if !pointee.quals.contains(lost) {
            let message = format!(
                "{} discards qualifiers",
                self.purpose_text(purpose, from, to)
            );
            self.warning(Warning::DiscardsQualifiers, at, message)
                .highlight(span);
        }
        Some(self.pointer_convert(value, to))
    }

    /// Different pointees: an error when address spaces inside differ, else a warning.
    fn pointee_mismatch(
        &mut self,
        value: ExprId,
        to: TypeId,
        from_pointee: TypeId,
        to_pointee: TypeId,
        purpose: Purpose,
    ) -> Option<()> {
        let from = self.ty(value);
        let span = purpose.caret(self.span(value));
        let text = self.purpose_text(purpose, from, to);
        let types = &self.module.types;
        if let (Some((a, x)), Some((b, y))) = (
            types.pointer_parts(from_pointee),
            types.pointer_parts(to_pointee),
        ) {
            if x != y {
                let text = self.space_text(purpose, from, to);
                let message = format!("{text} changes address space of nested pointer");
                let report = self.error(span, message);
                self.parameter_note(report, purpose);
                return None;
            }
            if a.ty == b.ty {
                self.warning(
                    Warning::DiscardsQualifiers,
                    span,
                    format!("{text} discards qualifiers in nested pointer types"),
                );
                return Some(());
            }
        }
        let sign_only = match (types.int_kind(from_pointee), types.int_kind(to_pointee)) {
            (Some(x), Some(y)) => x.bits() == y.bits(),
            _ => false,
        };
        let (warning, message) = if sign_only {
            let what = "converts between pointers to integer types with different sign";
            (Warning::PointerSign, format!("{text} {what}"))
        } else {
            let message = format!("incompatible pointer types {text}");
            (Warning::IncompatiblePointerTypes, message)
        };
        let report = self.warning(warning, span, message);
        self.parameter_note(report, purpose);
        Some(())
    }

    /// A pointer as another pointer type, checked by the caller.
    pub(super) fn pointer_convert(&mut self, value: ExprId, to: TypeId) -> ExprId {
        let from = self.ty(value);
        if from == to {
            return value;
        }
        if matches!(self.body.expr(value).kind, ExprKind::Null) {
            let span = self.span(value);
            return self.mk(ExprKind::Null, to, span);
        }
        let space = |ty| self.module.types.pointer_parts(ty).map(|(_, space)| space);
        let kind = if space(from) == space(to) {
            ConvertKind::PtrToPtr
        } else {
            ConvertKind::SpaceCast
        };
        self.convert(kind, value, to)
    }

    /// Warns when a literal does not survive its conversion.
    fn warn_constant(&mut self, value: ExprId, to: TypeId) {
        let from = self.ty(value);
        let span = self.span(value);
        let types = &self.module.types;
        let (warning, old, new) = match self.body.expr(value).kind {
            ExprKind::Int(bits) if types.is_float(to) => {
                let number = self.signed_value(bits, from);
                let Some(Value::Float(x)) =
                    self.convert_value(ConvertKind::IntToFloat, Value::Int(bits), from, to)
                else {
                    return;
                };
                if x.is_infinite() || x as i128 == number {
                    return;
                }
                let warning = Warning::ImplicitConstIntFloatConversion;
                (warning, number.to_string(), x.to_string())
            }
            ExprKind::Int(bits) => {
                let Some(kind) = types.int_kind(to) else {
                    return;
                };
                let number = self.signed_value(bits, from);
                let width = kind.bits();
                let fits = (-(1i128 << (width - 1))..1i128 << width).contains(&number);
                let flips =
                    kind.signed() && types.is_signed(from) && number >= 1i128 << (width - 1);
                if fits && !flips {
                    return;
                }
                let Value::Int(cut) = self.int_value(bits, to) else {
                    return;
                };
                let new = self.signed_value(cut, to).to_string();
                (Warning::ConstantConversion, number.to_string(), new)
            }
            ExprKind::Float(x) => {
                if types.int_kind(to).is_none() || x == x.trunc() && x.abs() < 9e18 {
                    return;
                }
                let Some(Value::Int(bits)) =
                    self.convert_value(ConvertKind::FloatToInt, Value::Float(x), from, to)
                else {
                    return;
                };
                let new = self.signed_value(bits, to).to_string();
                (Warning::LiteralConversion, x.to_string(), new)
            }
            _ => return,
        };
        let message = format!(
            "implicit conversion from {} to {} changes value from {old} to {new}",
            self.show(from),
            self.show(to)
        );
        self.warning(warning, span, message);
    }
}
