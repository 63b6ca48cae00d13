//! Pointers: arithmetic, comparison, address and indirection.
use super::typed::{ArithOp, CompareOp, ConvertKind, ExprId, ExprKind, LvalueId, LvalueKind};
use super::{Operand, Sema};
use crate::diagnostics::Warning;
use crate::lang::types::{QualType, Type, TypeId, TypeTable};
use crate::parse::ast;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// `*operand`
    pub(super) fn deref(&mut self, operand: ast::ExprId, span: Span) -> Option<Operand> {
        let pointer = self.rvalue(operand)?;
        let ty = self.ty(pointer);
        if !self.module.types.is_pointer(ty) {
            let message = format!(
                "indirection requires pointer operand ({} invalid)",
                self.show(ty)
            );
            self.error(span, message);
            return None;
        }
        // A function's value is its address.
        if self.pointed_function(ty).is_some() {
            return Some(Operand::Value(pointer));
        }
        Some(Operand::Lvalue(self.deref_lvalue(pointer, span)?))
    }

    /// Makes the lvalue that a pointer points to.
    pub(super) fn deref_lvalue(&mut self, pointer: ExprId, span: Span) -> Option<LvalueId> {
        let (pointee, space) = self.module.types.pointer_parts(self.ty(pointer))?;
        if pointee.ty == TypeTable::VOID {
            let message = format!(
                "indirection not permitted on operand of type {}",
                self.show(self.ty(pointer))
            );
            self.error(span, message);
            return None;
        }
        let align = self.module.types.align(pointee.ty);
        let align = self.pointer_align(pointer).map_or(align, |a| a.min(align));
        Some(self.mk_lvalue(LvalueKind::Deref(pointer), pointee, space, align, span))
    }

    /// Returns the alignment in bytes, if known, of an address that comes straight from an object:
    /// an array in a packed record is aligned less than its element type.
    fn pointer_align(&self, pointer: ExprId) -> Option<u64> {
        match self.body.expr(pointer).kind {
            ExprKind::Decay(lvalue) | ExprKind::AddrOf(lvalue) => {
                Some(self.body.lvalue(lvalue).align)
            }
            ExprKind::PtrAdd { base, .. } => self.pointer_align(base),
            _ => None,
        }
    }

    /// `&operand`
    pub(super) fn address_of(&mut self, operand: ast::ExprId, span: Span) -> Option<ExprId> {
        let lvalue = match self.operand(operand)? {
            Operand::Lvalue(lvalue) => lvalue,
            Operand::Value(expr) => {
                let message = format!(
                    "cannot take the address of an rvalue of type {}",
                    self.show(self.ty(expr))
                );
                self.error(span, message);
                return None;
            }
            function => return self.value_of(function, span),
        };
        if self.is_capture(lvalue) {
            self.error(span, "taking address of a capture is not allowed");
            return None;
        }
        self.note_unknown(lvalue);
        let node = self.body.lvalue(lvalue);
        let (q, space) = (node.ty, node.space);
        if self.is_immaterial(q.ty) {
            let message = format!(
                "cannot take the address of a value of type {}",
                self.show(q.ty)
            );
            self.error(span, message);
            return None;
        }
        match node.kind {
            LvalueKind::Lanes { .. } | LvalueKind::Lane { .. } => {
                self.error(span, "address of vector element requested");
                None
            }
            LvalueKind::Temporary(_) => {
                let message = format!(
                    "cannot take the address of an rvalue of type {}",
                    self.show(q.ty)
                );
                self.error(span, message);
                None
            }
            LvalueKind::Deref(pointer) => Some(pointer),
            LvalueKind::Field { .. } if self.bits_of(lvalue).is_some() => {
                self.error(span, "address of bit-field requested");
                None
            }
            _ => {
                let ty = self.module.types.pointer(q, space);
                Some(self.mk(ExprKind::AddrOf(lvalue), ty, span))
            }
        }
    }

    /// `pointer + number`, or minus.
    pub(super) fn pointer_add(
        &mut self,
        pointer: ExprId,
        number: ExprId,
        minus: bool,
        span: Span,
    ) -> Option<ExprId> {
        let ty = self.ty(pointer);
        let (pointee, _) = self.module.types.pointer_parts(ty)?;
        if pointee.ty != TypeTable::VOID && !self.module.types.is_complete(pointee.ty) {
            let message = self.no_arithmetic(pointee.ty);
            self.error(span, message);
            return None;
        }
        let wide = if self.module.types.is_signed(self.ty(number)) || minus {
            TypeTable::LONG
        } else {
            TypeTable::ULONG
        };
        let mut index = self.arith_convert(number, wide);
        if minus {
            let at = self.span(index);
            index = self.negate(index, at);
        }
        Some(self.mk(
            ExprKind::PtrAdd {
                base: pointer,
                index,
            },
            ty,
            span,
        ))
    }

    /// The message about arithmetic on pointers to a type without a size.
    fn no_arithmetic(&self, pointee: TypeId) -> String {
        let kind = match self.module.types.get(pointee) {
            Type::Function { .. } => "the function",
            _ => "an incomplete",
        };
        format!(
            "arithmetic on a pointer to {kind} type {}",
            self.show(pointee)
        )
    }

    /// An arithmetic or bitwise operation.
    pub(super) fn mk_binary(
        &mut self,
        op: ArithOp,
        lhs: ExprId,
        rhs: ExprId,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let contract = self.contract();
        let kind = ExprKind::Binary {
            op,
            lhs,
            rhs,
            contract,
        };
        self.mk(kind, ty, span)
    }

    /// A negated value; literals at once.
    pub(super) fn negate(&mut self, operand: ExprId, span: Span) -> ExprId {
        let ty = self.ty(operand);
        let node = self.mk(ExprKind::Neg(operand), ty, span);
        if matches!(
            self.body.expr(operand).kind,
            ExprKind::Int(_) | ExprKind::Float(_)
        ) {
            match self.eval(node) {
                Some(super::const_eval::Value::Int(bits)) => {
                    return self.mk(ExprKind::Int(bits), ty, span);
                }
                Some(super::const_eval::Value::Float(x)) => {
                    return self.mk(ExprKind::Float(x), ty, span);
                }
                _ => {}
            }
        }
        node
    }

    /// `lhs - rhs` of two pointers.
    pub(super) fn pointer_difference(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let (a, _) = self.module.types.pointer_parts(self.ty(lhs))?;
        let (b, _) = self.module.types.pointer_parts(self.ty(rhs))?;
        if a.ty != b.ty {
            let message = format!(
                "{} and {} are not pointers to compatible types",
                self.show(self.ty(lhs)),
                self.show(self.ty(rhs))
            );
            self.error(op_span, message);
            return None;
        }
        if a.ty != TypeTable::VOID && !self.module.types.is_complete(a.ty) {
            let message = self.no_arithmetic(a.ty);
            self.error(op_span, message);
            return None;
        }
        let what = "arithmetic operation with operands of type";
        let (lhs, rhs) = self.common_pointers(lhs, rhs, what, op_span)?;
        let elem_size = self.module.types.size(a.ty).max(1);
        Some(self.mk(
            ExprKind::PtrDiff {
                lhs,
                rhs,
                elem_size,
            },
            self.module.types.difference_type(),
            span,
        ))
    }

    /// Two pointers as one type: same space (or generic), pointee of the left (void wins).
    pub(super) fn common_pointers(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        what: &str,
        op_span: Span,
    ) -> Option<(ExprId, ExprId)> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        if left == right {
            return Some((lhs, rhs));
        }
        let (a, x) = self.module.types.pointer_parts(left)?;
        let (b, y) = self.module.types.pointer_parts(right)?;
        let space = if x.contains(y) {
            x
        } else if y.contains(x) {
            y
        } else {
            let message = format!(
                "{what} ({} and {}) which are pointers to non-overlapping address spaces",
                self.show(left),
                self.show(right)
            );
            self.error(op_span, message);
            return None;
        };
        let pointee = if b.ty == TypeTable::VOID { b.ty } else { a.ty };
        let q = QualType::new(pointee, a.quals | b.quals);
        let ty = self.module.types.pointer(q, space);
        Some((self.pointer_convert(lhs, ty), self.pointer_convert(rhs, ty)))
    }

    /// Comparison where at least one operand is a pointer.
    pub(super) fn pointer_compare(
        &mut self,
        op: CompareOp,
        lhs: ExprId,
        rhs: ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        let types = &self.module.types;
        let (lhs, rhs) = match (types.pointer_parts(left), types.pointer_parts(right)) {
            (Some((a, _)), Some((b, _))) => {
                let void = a.ty == TypeTable::VOID || b.ty == TypeTable::VOID;
                if self.is_null_constant(rhs) {
                    let null = self.mk(ExprKind::Null, left, span);
                    (lhs, null)
                } else if self.is_null_constant(lhs) {
                    let null = self.mk(ExprKind::Null, right, span);
                    (null, rhs)
                } else {
                    if a.ty != b.ty && !void {
                        let message = format!(
                            "comparison of distinct pointer types ({} and {})",
                            self.show(left),
                            self.show(right)
                        );
                        self.warning(Warning::CompareDistinctPointerTypes, op_span, message);
                    }
                    self.common_pointers(lhs, rhs, "comparison between", op_span)?
                }
            }
            (Some(_), None) if types.is_integer(right) => {
                let rhs = self.integer_beside_pointer(rhs, left, op_span);
                (lhs, rhs)
            }
            (None, Some(_)) if types.is_integer(left) => {
                let lhs = self.integer_beside_pointer(lhs, right, op_span);
                (lhs, rhs)
            }
            _ => {
                self.invalid_operands(left, right, op_span);
                return None;
            }
        };
        Some(self.mk(ExprKind::Compare { op, lhs, rhs }, TypeTable::BOOL, span))
    }

    fn integer_beside_pointer(&mut self, number: ExprId, ty: TypeId, op_span: Span) -> ExprId {
        let span = self.span(number);
        if self.is_null_constant(number) {
            return self.mk(ExprKind::Null, ty, span);
        }
        let message = format!(
            "comparison between pointer and integer ({} and {})",
            self.show(ty),
            self.show(self.ty(number))
        );
        self.warning(Warning::PointerIntegerCompare, op_span, message);
        self.convert(ConvertKind::IntToPtr, number, ty)
    }

    /// `cond ? lhs : rhs` where at least one is a pointer: both as the common type.
    pub(super) fn conditional_pointers(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<(ExprId, ExprId)> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        let types = &self.module.types;
        match (types.is_pointer(left), types.is_pointer(right)) {
            (true, _) if self.is_null_constant(rhs) => {
                let null = self.mk(ExprKind::Null, left, span);
                Some((lhs, null))
            }
            (_, true) if self.is_null_constant(lhs) => {
                let null = self.mk(ExprKind::Null, right, span);
                Some((null, rhs))
            }
            (true, true) => {
                let pointee = |ty| {
                    self.module
                        .types
                        .pointer_parts(ty)
                        .map(|(q, _)| q.ty)
                        .unwrap_or(TypeTable::VOID)
                };
                let (a, b) = (pointee(left), pointee(right));
                if a != b && a != TypeTable::VOID && b != TypeTable::VOID {
                    let message = format!(
                        "pointer type mismatch ({} and {})",
                        self.show(left),
                        self.show(right)
                    );
                    self.warning(Warning::PointerTypeMismatch, op_span, message);
                }
                let what = "conditional operator with the second and third operands of type";
                self.common_pointers(lhs, rhs, what, op_span)
            }
            (true, false) if types.is_integer(right) => {
                let rhs = self.mixed_conditional(rhs, left, op_span);
                Some((lhs, rhs))
            }
            (false, true) if types.is_integer(left) => {
                let lhs = self.mixed_conditional(lhs, right, op_span);
                Some((lhs, rhs))
            }
            _ => {
                let message = format!(
                    "incompatible operand types ({} and {})",
                    self.show(left),
                    self.show(right)
                );
                self.error(op_span, message);
                None
            }
        }
    }

    fn mixed_conditional(&mut self, number: ExprId, ty: TypeId, op_span: Span) -> ExprId {
        let message = format!(
            "pointer/integer type mismatch in conditional expression ({} and {})",
            self.show(ty),
            self.show(self.ty(number))
        );
        self.warning(Warning::ConditionalTypeMismatch, op_span, message);
        self.convert(ConvertKind::IntToPtr, number, ty)
    }

    /// Returns whether the type is an array or pointer to one (for messages only).
    pub(super) fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(
            self.module.types.get(ty),
            Type::Array { .. } | Type::Record(_)
        )
    }
}
