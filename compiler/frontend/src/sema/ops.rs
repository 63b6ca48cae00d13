//! Operators on scalars and vectors.
use super::convert::Purpose;
use super::member::has_duplicates;
use super::typed::{ArithOp, ExprId, ExprKind, Init, LvalueId, LvalueKind};
use super::{Operand, Sema, compare};
use crate::diagnostics::Warning;
use crate::lang::types::{AddrSpace, QualType, Quals, Type, TypeId, TypeTable};
use crate::parse::ast::{self, BinaryOp};
use crate::source::Span;

impl<'a> Sema<'a> {
    pub(super) fn invalid_operands(&mut self, left: TypeId, right: TypeId, op_span: Span) {
        let message = format!(
            "invalid operands to binary expression ({} and {})",
            self.show(left),
            self.show(right)
        );
        self.error(op_span, message);
    }

    fn invalid_unary(&mut self, ty: TypeId, span: Span) {
        let message = format!(
            "invalid argument type {} to unary expression",
            self.show(ty)
        );
        self.error(span, message);
    }

    /// The lvalue of an operand that is to be written.
    pub(super) fn modifiable(&mut self, operand: Operand, span: Span) -> Option<LvalueId> {
        let lvalue = match operand {
            Operand::Lvalue(lvalue) => lvalue,
            _ => {
                self.error(span, "expression is not assignable");
                return None;
            }
        };
        let node = self.body.lvalue(lvalue);
        let (q, space) = (node.ty, node.space);
        if let LvalueKind::Lanes { lanes, repeats, .. } = &node.kind {
            if *repeats || has_duplicates(lanes) {
                self.error(
                    span,
                    "vector is not assignable (contains duplicate components)",
                );
                return None;
            }
        }
        if self.is_temporary(lvalue) {
            self.error(span, "expression is not assignable");
            return None;
        }
        if q.quals.contains(Quals::CONST) || space == AddrSpace::Constant {
            self.read_only(lvalue, span);
            return None;
        }
        match self.module.types.get(q.ty) {
            Type::Array { .. } => {
                let message = format!("array type {} is not assignable", self.show(q.ty));
                self.error(span, message);
                None
            }
            Type::Opaque(kind) if kind.is_handle() => {
                let message = format!("non-object type {} is not assignable", self.show(q.ty));
                self.error(span, message);
                None
            }
            Type::Atomic(_) => {
                let message = format!(
                    "atomic type {} is not assignable; use an atomic function such as atomic_store",
                    self.show(q.ty)
                );
                self.error(span, message);
                None
            }
            _ if !self.module.types.is_complete(q.ty) => {
                let message = format!("incomplete type {} is not assignable", self.show(q.ty));
                self.error(span, message);
                None
            }
            _ => {
                if let Some((member, declared)) = self.const_member(q.ty) {
                    let message = format!(
                        "cannot assign to lvalue with const-qualified data member '{member}'"
                    );
                    self.error(span, message).note(
                        declared,
                        format!("data member '{member}' declared const here"),
                    );
                    return None;
                }
                self.check_half_access(q.ty, "store", span)?;
                self.note_written(lvalue);
                Some(lvalue)
            }
        }
    }

    /// Finds a member of a record, or of a record in it, that is const: it makes the whole one not
    /// modifiable (C99 6.3.2.1p1). Like clang, it leaves out members of arrays' elements.
    fn const_member(&self, ty: TypeId) -> Option<(String, Span)> {
        let record = self.module.types.record_id(ty)?;
        let fields = &self.module.types.record(record).fields;
        fields
            .iter()
            .find_map(|field| match field.ty.quals.contains(Quals::CONST) {
                true => Some((field.name.clone(), field.span)),
                false => self.const_member(field.ty.ty),
            })
    }

    fn is_temporary(&self, lvalue: LvalueId) -> bool {
        match &self.body.lvalue(lvalue).kind {
            LvalueKind::Temporary(_) => true,
            LvalueKind::Field { base, .. }
            | LvalueKind::Lanes { base, .. }
            | LvalueKind::Lane { base, .. } => self.is_temporary(*base),
            _ => false,
        }
    }

    fn read_only(&mut self, lvalue: LvalueId, span: Span) {
        let node = self.body.lvalue(lvalue);
        let prefix = match node.space {
            AddrSpace::Constant => "__constant ",
            _ => "",
        };
        let shown = self.module.types.message_text(prefix, node.ty);
        let declared = match &node.kind {
            LvalueKind::Local(local) => {
                let variable = self.body.local(*local);
                Some((variable.name.clone(), variable.span))
            }
            LvalueKind::Global(global) => {
                let variable = self.module.global(*global);
                Some((variable.name.clone(), variable.span))
            }
            _ => None,
        };
        let message = match &declared {
            Some((name, _)) => {
                format!("cannot assign to variable '{name}' with const-qualified type {shown}")
            }
            None => "read-only variable is not assignable".to_string(),
        };
        let report = self.error(span, message);
        if let Some((name, at)) = declared {
            report.note(at, format!("variable '{name}' declared const here"));
        }
    }

    /// `++` and `--`.
    pub(super) fn increment(
        &mut self,
        operand: ast::ExprId,
        up: bool,
        post: bool,
        span: Span,
    ) -> Option<ExprId> {
        let operand = self.operand(operand)?;
        let lvalue = self.modifiable(operand, span)?;
        let ty = self.body.lvalue(lvalue).ty.ty;
        self.note_read(lvalue, span);
        let old = self.mk(ExprKind::OldValue, ty, span);
        let old = self.promoted_bits(old, lvalue);
        let value = if self.module.types.is_pointer(ty) {
            let one = self.mk(ExprKind::Int(1), TypeTable::INT, span);
            self.pointer_add(old, one, !up, span)?
        } else {
            let (elem, _) = self.module.types.elem_lanes(ty);
            let types = &self.module.types;
            // OpenCL C 3.0 §6.4.2: of vectors, only those of integers.
            let float_vector = types.is_vector(ty) && types.is_float(elem);
            if !types.is_arithmetic(elem) || float_vector {
                let message = format!(
                    "cannot {} value of type {}",
                    if up { "increment" } else { "decrement" },
                    self.show(ty)
                );
                self.error(span, message);
                return None;
            }
            self.check_half_arith(ty, span)?;
            let one = self.mk(ExprKind::Int(1), TypeTable::INT, span);
            let one = self.arith_convert(one, elem);
            let op = if up { ArithOp::Add } else { ArithOp::Sub };
            let (lhs, rhs, common) = self.unify(old, one, span)?;
            let sum = self.mk_binary(op, lhs, rhs, common, span);
            self.arith_convert(sum, ty)
        };
        Some(self.mk(
            ExprKind::Update {
                lvalue,
                value,
                old: post,
            },
            ty,
            span,
        ))
    }

    /// `lhs = rhs`, `lhs op= rhs`
    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        op_span: Span,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
        span: Span,
    ) -> Option<ExprId> {
        let lhs_span = self.ast.expr(lhs).span;
        if op.is_none() {
            self.warn_self_assign(lhs, rhs, op_span);
        }
        let target = self.operand(lhs);
        let value = self.rvalue(rhs);
        let lvalue = self.modifiable_at(target?, op_span, lhs_span)?;
        let value = value?;
        let ty = self.body.lvalue(lvalue).ty.ty;
        let Some(op) = op else {
            let value = self.assign_convert(value, ty, Purpose::Assign(op_span))?;
            return Some(self.mk(ExprKind::Assign { lvalue, value }, ty, span));
        };
        self.note_read(lvalue, lhs_span);
        let old = self.mk(ExprKind::OldValue, ty, lhs_span);
        let old = self.promoted_bits(old, lvalue);
        let result = self.binary_values(op, op_span, old, value, span)?;
        let result_ty = self.ty(result);
        let types = &self.module.types;
        let value = if types.is_arithmetic(result_ty) && types.is_arithmetic(ty) {
            self.arith_convert(result, ty)
        } else {
            self.assign_convert(result, ty, Purpose::Assign(op_span))?
        };
        Some(self.mk(
            ExprKind::Update {
                lvalue,
                value,
                old: false,
            },
            ty,
            span,
        ))
    }

    /// Like [`Self::modifiable`], the caret under the operator as clang has it for rvalues.
    fn modifiable_at(&mut self, operand: Operand, op_span: Span, span: Span) -> Option<LvalueId> {
        match operand {
            Operand::Lvalue(_) => self.modifiable(operand, span),
            _ => self.modifiable(operand, op_span),
        }
    }

    /// `!operand`
    pub(super) fn logical_not(&mut self, operand: ast::ExprId, span: Span) -> Option<ExprId> {
        let value = self.rvalue(operand)?;
        let ty = self.ty(value);
        if self.module.types.is_vector(ty) {
            let result = self.truth_vector(ty);
            return Some(self.mk(ExprKind::Not(value), result, span));
        }
        if !self.module.types.is_scalar(ty) {
            self.invalid_unary(ty, span);
            return None;
        }
        let value = self.truth(value)?;
        let not = self.mk(ExprKind::Not(value), TypeTable::BOOL, span);
        Some(self.bool_to_int(not))
    }

    /// `~operand`
    pub(super) fn bit_not(&mut self, operand: ast::ExprId, span: Span) -> Option<ExprId> {
        let value = self.rvalue(operand)?;
        let ty = self.ty(value);
        let (elem, lanes) = self.module.types.elem_lanes(ty);
        if !self.module.types.is_integer(elem) {
            self.invalid_unary(ty, span);
            return None;
        }
        let value = if lanes == 1 {
            self.promote(value)
        } else {
            value
        };
        let ty = self.ty(value);
        Some(self.mk(ExprKind::BitNot(value), ty, span))
    }

    /// `-operand`, `+operand`
    pub(super) fn sign(&mut self, operand: ast::ExprId, minus: bool, span: Span) -> Option<ExprId> {
        let value = self.rvalue(operand)?;
        let ty = self.ty(value);
        let (elem, lanes) = self.module.types.elem_lanes(ty);
        if !self.module.types.is_arithmetic(elem) {
            self.invalid_unary(ty, span);
            return None;
        }
        self.check_half_arith(ty, span)?;
        let value = if lanes == 1 {
            self.promote(value)
        } else {
            value
        };
        Some(if minus {
            self.negate(value, span)
        } else {
            value
        })
    }

    /// Arithmetic on half needs the device.
    pub(super) fn check_half_arith(&mut self, ty: TypeId, span: Span) -> Option<()> {
        if self.lacks_half(ty) {
            self.requires(
                span,
                &format!("arithmetic on {}", self.show(ty)),
                "cl_khr_fp16",
            );
            return None;
        }
        Some(())
    }

    /// `lhs op rhs`
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
        span: Span,
    ) -> Option<ExprId> {
        self.warn_precedence(op, op_span, lhs, rhs);
        let left = self.rvalue(lhs);
        let right = self.rvalue(rhs);
        let (left, right) = (left?, right?);
        self.binary_values(op, op_span, left, right, span)
    }

    fn binary_values(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Option<ExprId> {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.logical(op == BinaryOp::And, op_span, lhs, rhs, span);
        }
        if let Some(op) = compare::operator(op) {
            return self.comparison(op, op_span, lhs, rhs, span);
        }
        let arith = match op {
            BinaryOp::Add => ArithOp::Add,
            BinaryOp::Sub => ArithOp::Sub,
            BinaryOp::Mul => ArithOp::Mul,
            BinaryOp::Div => ArithOp::Div,
            BinaryOp::Rem => ArithOp::Rem,
            BinaryOp::Shl => ArithOp::Shl,
            BinaryOp::Shr => ArithOp::Shr,
            BinaryOp::BitAnd => ArithOp::And,
            BinaryOp::BitOr => ArithOp::Or,
            _ => ArithOp::Xor,
        };
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        let types = &self.module.types;
        if matches!(arith, ArithOp::Add | ArithOp::Sub) {
            match (types.is_pointer(left), types.is_pointer(right)) {
                (true, true) if arith == ArithOp::Sub => {
                    return self.pointer_difference(lhs, rhs, op_span, span);
                }
                (true, false) if types.is_integer(right) => {
                    return self.pointer_add(lhs, rhs, arith == ArithOp::Sub, span);
                }
                (false, true) if arith == ArithOp::Add && types.is_integer(left) => {
                    return self.pointer_add(rhs, lhs, false, span);
                }
                _ => {}
            }
        }
        let (left_elem, _) = types.elem_lanes(left);
        let (right_elem, _) = types.elem_lanes(right);
        let integers_only = !matches!(
            arith,
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div
        );
        let fits = |ty| {
            if integers_only {
                types.is_integer(ty)
            } else {
                types.is_arithmetic(ty)
            }
        };
        if !fits(left_elem) || !fits(right_elem) {
            self.invalid_operands(left, right, op_span);
            return None;
        }
        if matches!(arith, ArithOp::Shl | ArithOp::Shr) {
            return self.shift(arith, op_span, lhs, rhs, span);
        }
        let (lhs, rhs, ty) = self.unify(lhs, rhs, op_span)?;
        self.check_half_arith(ty, op_span)?;
        if matches!(arith, ArithOp::Div | ArithOp::Rem)
            && matches!(self.body.expr(rhs).kind, ExprKind::Int(0))
        {
            let what = if arith == ArithOp::Div {
                "division"
            } else {
                "remainder"
            };
            self.warning(
                Warning::DivisionByZero,
                op_span,
                format!("{what} by zero is undefined"),
            );
        }
        Some(self.mk_binary(arith, lhs, rhs, ty, span))
    }

    fn shift(
        &mut self,
        op: ArithOp,
        op_span: Span,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Option<ExprId> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        self.warn_shift(self.promoted(left), rhs, op_span);
        let (elem, lanes) = self.module.types.elem_lanes(left);
        let (_, count) = self.module.types.elem_lanes(right);
        if lanes == 1 && count == 1 {
            let lhs = self.promote(lhs);
            let ty = self.ty(lhs);
            // Only the low bits of the count matter, so any width serves.
            let rhs = self.arith_convert(rhs, ty);
            return Some(self.mk_binary(op, lhs, rhs, ty, span));
        }
        if lanes != count && count != 1 {
            self.invalid_operands(left, right, op_span);
            return None;
        }
        let rhs = if count == 1 {
            let scalar = self.arith_convert(rhs, elem);
            self.convert(super::typed::ConvertKind::Splat, scalar, left)
        } else {
            self.arith_convert(rhs, left)
        };
        Some(self.mk_binary(op, lhs, rhs, left, span))
    }

    fn logical(
        &mut self,
        and: bool,
        op_span: Span,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Option<ExprId> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        if self.module.types.is_vector(left) || self.module.types.is_vector(right) {
            let (lhs, rhs, ty) = self.unify(lhs, rhs, op_span)?;
            let result = self.truth_vector(ty);
            let lhs = self.lanes_not_zero(lhs, result);
            let rhs = self.lanes_not_zero(rhs, result);
            return Some(self.mk(ExprKind::VectorLogical { and, lhs, rhs }, result, span));
        }
        let types = &self.module.types;
        if !types.is_scalar(left) || !types.is_scalar(right) {
            self.invalid_operands(left, right, op_span);
            return None;
        }
        let lhs = self.truth(lhs)?;
        let rhs = self.truth(rhs)?;
        let result = self.mk(ExprKind::Logical { and, lhs, rhs }, TypeTable::BOOL, span);
        Some(self.bool_to_int(result))
    }

    /// `cond ? then : otherwise`
    pub(super) fn conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let first = then.and_then(|then| self.refuse_block_operand(then));
        let second = self.refuse_block_operand(otherwise);
        if then.is_some() && first.is_none() || second.is_none() {
            return None;
        }
        let test = self.rvalue(cond);
        let (test, first) = match then {
            Some(then) => {
                let first = self.rvalue(then);
                (test, first)
            }
            None => {
                let [test, first] = self.evaluated_once(test?);
                (test, first)
            }
        };
        let second = self.rvalue(otherwise);
        let (test, first, second) = (test?, first?, second?);
        if self.module.types.is_vector(self.ty(test)) {
            return self.select(test, first, second, op_span, span);
        }
        if self.module.types.is_float(self.ty(test)) {
            let ty = self.show(self.ty(test));
            let message = format!("used type {ty} where floating point type is not allowed");
            self.error(self.span(test), message);
            return None;
        }
        let cond = self.truth(test)?;
        let (then, otherwise, ty) = self.alternatives(first, second, op_span, span)?;
        let kind = ExprKind::Cond {
            cond,
            then,
            otherwise,
        };
        Some(self.mk(kind, ty, span))
    }

    /// A value that is read twice, and evaluated into a variable where it is read first.
    fn evaluated_once(&mut self, value: ExprId) -> [Option<ExprId>; 2] {
        let (q, at) = (QualType::plain(self.ty(value)), self.span(value));
        let local = self.add_local(String::new(), q, 0, at);
        let made = self.initialised(local, Init::Expr(value), at);
        let again = self.local_lvalue(local, at);
        [made, again].map(|lvalue| self.value_of(Operand::Lvalue(lvalue), at))
    }

    /// The values of `?:` with a scalar condition, brought to one type (C99 6.5.15).
    fn alternatives(
        &mut self,
        first: ExprId,
        second: ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<(ExprId, ExprId, TypeId)> {
        let (left, right) = (self.ty(first), self.ty(second));
        let types = &self.module.types;
        let (elem, _) = types.elem_lanes(left);
        let (other, _) = types.elem_lanes(right);
        if left == TypeTable::VOID || right == TypeTable::VOID {
            let void = TypeTable::VOID;
            let first = self.explicit_cast(first, void, span)?;
            let second = self.explicit_cast(second, void, span)?;
            Some((first, second, void))
        } else if self.is_immaterial(left) {
            let message = format!(
                "type {} cannot be used in a ternary expression",
                self.show(left)
            );
            self.error(op_span, message);
            None
        } else if left == right && !types.is_arithmetic(left) {
            Some((first, second, left))
        } else if types.is_pointer(left) || types.is_pointer(right) {
            let (a, b) = self.conditional_pointers(first, second, op_span, span)?;
            Some((a, b, self.ty(a)))
        } else if types.is_arithmetic(elem) && types.is_arithmetic(other) {
            match left == right && types.is_float(left) {
                true => Some((first, second, left)),
                false => self.unify(first, second, op_span),
            }
        } else {
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
