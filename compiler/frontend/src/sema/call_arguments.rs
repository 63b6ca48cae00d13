//! The common part of calls of functions, pointers, blocks and built-ins: the number of arguments and the value.
use super::Sema;
use super::typed::{ExprId, ExprKind};
use crate::diagnostics::Report;
use crate::lang::types::{TypeId, TypeTable};
use crate::source::Span;
use std::ops::RangeInclusive;

/// The numbers of arguments that a function with `params` parameters takes.
pub(super) fn taken(params: usize, variadic: bool) -> RangeInclusive<usize> {
    params..=if variadic { usize::MAX } else { params }
}

impl<'a> Sema<'a> {
    /// Checks that `callee` ("function", "block") takes so many arguments; else reports the first that is too
    /// many, or the closing parenthesis.
    pub(super) fn check_argument_count(
        &self,
        callee: &str,
        args: &[ExprId],
        taken: RangeInclusive<usize>,
        rparen: Span,
    ) -> Result<(), Report<'a>> {
        let span = |arg: &ExprId| self.span(*arg);
        self.check_count(callee, args, span, taken, rparen)
    }

    /// The same for arguments of any form that have spans.
    pub(super) fn check_count<T>(
        &self,
        callee: &str,
        args: &[T],
        span: impl Fn(&T) -> Span,
        taken: RangeInclusive<usize>,
        rparen: Span,
    ) -> Result<(), Report<'a>> {
        let have = args.len();
        let (min, max) = (*taken.start(), *taken.end());
        let (few, at, bound) = if have < min {
            ("few", rparen, min)
        } else if let Some(extra) = args.get(max) {
            ("many", span(extra), max)
        } else {
            return Ok(());
        };
        let at_least = match have < min {
            _ if min == max => "",
            true => "at least ",
            false => "at most ",
        };
        let message = format!(
            "too {few} arguments to {callee} call, expected {at_least}{bound}, have {have}"
        );
        Err(self.error(at, message))
    }

    /// Reports a type without a size that a function returns.
    pub(super) fn check_returned(&self, callee: &str, ret: TypeId, span: Span) -> Option<()> {
        if ret == TypeTable::VOID || self.module.types.is_complete(ret) {
            return Some(());
        }
        let message = format!(
            "calling {callee} with incomplete return type {}",
            self.show(ret)
        );
        self.error(span, message);
        None
    }

    /// The value of a call with arguments that no parameter takes. OpenCL C has no va_arg: they are
    /// evaluated and dropped.
    pub(super) fn call_value(
        &mut self,
        call: ExprKind,
        ret: TypeId,
        dropped: &[ExprId],
        span: Span,
    ) -> ExprId {
        let mut value = self.mk(call, ret, span);
        for &lhs in dropped.iter().rev() {
            value = self.mk(ExprKind::Comma { lhs, rhs: value }, ret, span);
        }
        value
    }

    /// Refuses outside of functions what no constant expression holds.
    pub(super) fn within_function(&self, span: Span) -> Option<()> {
        if self.func.is_none() {
            self.not_constant(span);
            return None;
        }
        Some(())
    }

    /// Reports an initial value that is only known when a kernel runs.
    pub(super) fn not_constant(&self, span: Span) {
        self.error(span, "initializer element is not a compile-time constant");
    }
}
