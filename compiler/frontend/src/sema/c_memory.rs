//! `__builtin_memcpy` and `__builtin_memset`: one assignment of an array for small constant sizes, else
//! a loop over bytes. They have no value here.
use super::Sema;
use super::const_eval::Value;
use super::convert::Purpose;
use super::typed::{
    ArithOp, CompareOp, ConstData, ConvertKind, ExprId, ExprKind, Init, LocalId, LoopHint,
    LvalueId, LvalueKind, StmtId, StmtKind,
};
use crate::lang::types::{AddrSpace, IntKind, QualType, Type, TypeTable};
use crate::source::Span;

/// The largest size in bytes that is copied without a loop.
const MOST_COPIED: u64 = 4096;

/// The source of the bytes that are written.
#[derive(Clone, Copy)]
enum Bytes {
    /// Those behind a pointer.
    Behind(LocalId),
    /// The same one.
    Same(LocalId),
}

impl Sema<'_> {
    /// `__builtin_memcpy(to, from, size)`
    pub(super) fn copy_bytes(
        &mut self,
        text: &str,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        (self.check_argument_count("function", args, 3..=3, rparen)).ok()?;
        let (to, from, size) = (args[0], args[1], args[2]);
        let space = |arg| self.module.types.pointer_parts(self.ty(arg));
        if space(to).is_none() || space(from).is_none() {
            self.error(span, format!("'{text}' takes two pointers and a size"));
            return None;
        }
        self.check_written(text, to)?;
        let size = self.byte_count(size)?;
        match self.small_size(size) {
            Some(0) => {
                let both = ExprKind::Comma { lhs: to, rhs: from };
                let both = self.mk(both, self.ty(from), span);
                Some(self.without_value(both, span))
            }
            Some(bytes) => {
                let unit = self.unit(to, bytes).min(self.unit(from, bytes));
                let target = self.unit_array(to, bytes, unit);
                let source = self.unit_array(from, bytes, unit);
                Some(self.assign_bytes(target, source, span))
            }
            None => {
                let mut steps = Vec::new();
                let (to, from) = (self.as_bytes(to), self.as_bytes(from));
                let (to, from) = (self.kept(to, &mut steps), self.kept(from, &mut steps));
                self.byte_loop(to, Bytes::Behind(from), size, steps, span)
            }
        }
    }

    /// `__builtin_memset(to, value, size)`
    pub(super) fn fill_bytes(
        &mut self,
        text: &str,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        (self.check_argument_count("function", args, 3..=3, rparen)).ok()?;
        let (to, value, size) = (args[0], args[1], args[2]);
        if self.module.types.pointer_parts(self.ty(to)).is_none() {
            let message = format!("'{text}' takes a pointer, a value and a size");
            self.error(span, message);
            return None;
        }
        self.check_written(text, to)?;
        let value = self.assign_convert(value, TypeTable::INT, Purpose::Argument(None))?;
        let value = self.arith_convert(value, TypeTable::UCHAR);
        let size = self.byte_count(size)?;
        match (self.small_size(size), self.eval(value)) {
            (Some(0), Some(_)) => Some(self.without_value(to, span)),
            (Some(bytes), Some(Value::Int(byte))) => {
                let unit = self.unit(to, bytes);
                let target = self.unit_array(to, bytes, unit);
                let q = self.body.lvalue(target).ty;
                let data = ConstData {
                    bytes: vec![byte as u8; bytes as usize],
                    relocs: Vec::new(),
                };
                let source = self.temporary(q, Init::Const(data), span);
                Some(self.assign_bytes(target, source, span))
            }
            _ => {
                let mut steps = Vec::new();
                let to = self.as_bytes(to);
                let (to, value) = (self.kept(to, &mut steps), self.kept(value, &mut steps));
                self.byte_loop(to, Bytes::Same(value), size, steps, span)
            }
        }
    }

    /// Refuses a pointer into constant memory to a function that writes behind it.
    pub(super) fn check_written(&self, text: &str, to: ExprId) -> Option<()> {
        let parts = self.module.types.pointer_parts(self.ty(to));
        if parts.is_some_and(|(_, space)| space == AddrSpace::Constant) {
            let message = format!("'{text}' cannot write to the constant address space");
            self.error(self.span(to), message);
            return None;
        }
        Some(())
    }

    /// A size as a `size_t`.
    fn byte_count(&mut self, size: ExprId) -> Option<ExprId> {
        let ty = self.module.types.size_type();
        self.assign_convert(size, ty, Purpose::Argument(None))
    }

    fn small_size(&self, size: ExprId) -> Option<u64> {
        let number = self.constant_number(size)?;
        u64::try_from(number).ok().filter(|&n| n <= MOST_COPIED)
    }

    /// A pointer as one to bytes, in the same address space and as volatile.
    fn as_bytes(&mut self, pointer: ExprId) -> ExprId {
        match self.module.types.pointer_parts(self.ty(pointer)) {
            Some((to, space)) => {
                let byte = QualType::new(TypeTable::UCHAR, to.quals);
                let ty = self.module.types.pointer(byte, space);
                self.pointer_convert(pointer, ty)
            }
            None => pointer,
        }
    }

    /// The size of the integers in which `bytes` bytes behind a pointer are accessed: that of the
    /// object's numbers, so that its elements stay whole.
    fn unit(&mut self, pointer: ExprId, bytes: u64) -> u64 {
        let Some((to, _)) = self.module.types.pointer_parts(self.ty(pointer)) else {
            return 1;
        };
        let mut ty = to.ty;
        while let Type::Array { elem, .. } = *self.module.types.get(ty) {
            ty = elem.ty;
        }
        let types = &self.module.types;
        let (elem, _) = types.elem_lanes(ty);
        let own = match types.is_scalar(elem) {
            true => types.size(elem),
            false => types.align(elem).min(4),
        };
        if to.ty == TypeTable::VOID || !types.is_complete(ty) || bytes % own != 0 {
            return 1;
        }
        let span = self.span(pointer);
        let object = self.deref_lvalue(pointer, span);
        object.map_or(1, |object| own.min(self.body.lvalue(object).align))
    }

    /// The bytes behind a pointer as an array of integers of `unit` bytes.
    fn unit_array(&mut self, pointer: ExprId, bytes: u64, unit: u64) -> LvalueId {
        let span = self.span(pointer);
        let space = self.module.types.pointer_parts(self.ty(pointer));
        let space = space.map_or(AddrSpace::Private, |(_, space)| space);
        let elem = TypeTable::int(IntKind::of(unit as u32 * 8, false));
        let array = self
            .module
            .types
            .array(QualType::plain(elem), Some(bytes / unit));
        let array = QualType::plain(array);
        let ty = self.module.types.pointer(array, space);
        let pointer = self.pointer_convert(pointer, ty);
        self.mk_lvalue(LvalueKind::Deref(pointer), array, space, unit, span)
    }

    fn assign_bytes(&mut self, lvalue: LvalueId, source: LvalueId, span: Span) -> ExprId {
        let ty = self.body.lvalue(lvalue).ty.ty;
        let value = self.loaded(source, span);
        let assign = self.mk(ExprKind::Assign { lvalue, value }, ty, span);
        self.without_value(assign, span)
    }

    /// An expression without its value.
    pub(super) fn without_value(&mut self, operand: ExprId, span: Span) -> ExprId {
        let kind = ConvertKind::ToVoid;
        self.mk(ExprKind::Convert { kind, operand }, TypeTable::VOID, span)
    }

    /// `for (size_t i = 0; i < size; i++) to[i] = …;`
    fn byte_loop(
        &mut self,
        to: LocalId,
        source: Bytes,
        size: ExprId,
        mut steps: Vec<StmtId>,
        span: Span,
    ) -> Option<ExprId> {
        self.within_function(span)?;
        let ty = self.ty(size);
        let size = self.kept(size, &mut steps);
        let zero = self.number(0, ty, span);
        let index = self.kept(zero, &mut steps);
        let (at, end) = (self.local_value(index, span), self.local_value(size, span));
        let cond = self.compare_of(CompareOp::Lt, at, end);
        let lvalue = self.byte_at(to, index, span)?;
        let value = match source {
            Bytes::Same(byte) => self.local_value(byte, span),
            Bytes::Behind(from) => {
                let from = self.byte_at(from, index, span)?;
                self.loaded(from, span)
            }
        };
        let assign = ExprKind::Assign { lvalue, value };
        let assign = self.mk(assign, TypeTable::UCHAR, span);
        let body = self.mk_stmt(StmtKind::Expr(assign), span);
        let (old, one) = (
            self.mk(ExprKind::OldValue, ty, span),
            self.number(1, ty, span),
        );
        let value = self.arith_of(ArithOp::Add, old, one);
        let lvalue = self.local_lvalue(index, span);
        let step = ExprKind::Update {
            lvalue,
            value,
            old: false,
        };
        let kind = StmtKind::Loop {
            init: Vec::new(),
            cond: Some(cond),
            post_test: false,
            step: Some(self.mk(step, ty, span)),
            body,
            hint: LoopHint::None,
        };
        steps.push(self.mk_stmt(kind, span));
        let kind = ExprKind::Stmts {
            stmts: steps,
            value: None,
        };
        Some(self.mk(kind, TypeTable::VOID, span))
    }

    fn byte_at(&mut self, pointer: LocalId, index: LocalId, span: Span) -> Option<LvalueId> {
        let (base, index) = (
            self.local_value(pointer, span),
            self.local_value(index, span),
        );
        let moved = self.pointer_add(base, index, false, span)?;
        self.deref_lvalue(moved, span)
    }
}
