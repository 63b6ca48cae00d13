//! Constants that the language demands: array sizes, case labels, enumerators.
use super::Sema;
use super::const_eval::Value;
use super::typed::ExprKind;
use crate::lang::types::TypeId;
use crate::parse::ast;

/// Objects may not be larger than this.
const MAX_OBJECT: u64 = 1 << 47;

impl<'a> Sema<'a> {
    /// An integer constant expression's value, with its sign.
    pub(super) fn integer_constant(&mut self, id: ast::ExprId) -> Option<i128> {
        self.constant_or(id, "expression is not an integer constant expression")
    }

    /// The same with a message of its own for what is not constant.
    pub(super) fn constant_or(&mut self, id: ast::ExprId, not_constant: &str) -> Option<i128> {
        let value = self.rvalue(id)?;
        let ty = self.ty(value);
        let span = self.ast.expr(id).span;
        if !self.module.types.is_integer(ty) {
            let message = format!(
                "integer constant expression must have integer type, not {}",
                self.show(ty)
            );
            self.error(span, message);
            return None;
        }
        match self.eval(value) {
            Some(Value::Int(bits)) => Some(self.signed_value(bits, ty)),
            _ => {
                self.error(span, not_constant);
                None
            }
        }
    }

    /// Constant bits of an integer type as a number.
    pub(super) fn signed_value(&self, bits: u64, ty: TypeId) -> i128 {
        match self.module.types.int_kind(ty) {
            Some(kind) if kind.signed() => {
                let shift = 64 - kind.bits();
                i128::from(((bits << shift) as i64) >> shift)
            }
            _ => i128::from(bits),
        }
    }

    /// The number of elements that an array declarator asks for; 0 only if it `may_be_empty`.
    pub(super) fn array_size(
        &mut self,
        id: ast::ExprId,
        elem: TypeId,
        may_be_empty: bool,
    ) -> Option<u64> {
        let span = self.ast.expr(id).span;
        let value = self.rvalue(id)?;
        let ty = self.ty(value);
        if !self.module.types.is_integer(ty) {
            let message = format!("size of array has non-integer type {}", self.show(ty));
            self.error(span, message);
            return None;
        }
        // A difference of pointers is no integer constant expression, though it is known.
        let is_difference = matches!(self.body.expr(value).kind, ExprKind::PtrDiff { .. });
        let known = self.eval(value).filter(|_| !is_difference);
        let Some(Value::Int(bits)) = known else {
            self.error(span, "variable length arrays are not supported in OpenCL")
                .hint("the size must be an integer constant, such as a macro of '-D'");
            return None;
        };
        let size = self.signed_value(bits, ty);
        if size < 0 {
            self.error(span, "array size is negative");
            return None;
        }
        let bytes = (size as u128) * u128::from(self.module.types.size(elem).max(1));
        if bytes >= u128::from(MAX_OBJECT) {
            self.error(span, format!("array is too large ({size} elements)"));
            return None;
        }
        if size == 0 && !may_be_empty {
            self.error(span, "array size must be greater than zero");
            return None;
        }
        Some(size as u64)
    }
}
