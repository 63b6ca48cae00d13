//! Constants that the language demands: array sizes, case labels, enumerators.
use super::Sema;
use super::const_eval::Value;
use crate::lang::types::TypeId;
use crate::parse::ast;

/// Objects may not be larger than this.
const MAX_OBJECT: u64 = 1 << 47;

impl<'a> Sema<'a> {
    /// An integer constant expression's value, with its sign.
    pub(super) fn integer_constant(&mut self, id: ast::ExprId, what: &str) -> Option<i128> {
        let value = self.rvalue(id)?;
        let ty = self.ty(value);
        let span = self.ast.expr(id).span;
        if !self.module.types.is_integer(ty) {
            let message = format!("{what} must have integer type, not {}", self.show(ty));
            self.error(span, message);
            return None;
        }
        match self.eval(value) {
            Some(Value::Int(bits)) => Some(self.signed_value(bits, ty)),
            _ => {
                self.error(
                    span,
                    format!("{what} is not an integer constant expression"),
                );
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

    /// The number of elements that an array declarator asks for.
    pub(super) fn array_size(&mut self, id: ast::ExprId, elem: TypeId) -> Option<u64> {
        let span = self.ast.expr(id).span;
        let value = self.rvalue(id)?;
        let ty = self.ty(value);
        if !self.module.types.is_integer(ty) {
            let message = format!(
                "the length of an array must be an integer, not {}",
                self.show(ty)
            );
            self.error(span, message);
            return None;
        }
        let Some(Value::Int(bits)) = self.eval(value) else {
            self.error(
                span,
                "OpenCL C has no variable length arrays: the length must be a constant",
            );
            return None;
        };
        let size = self.signed_value(bits, ty);
        if size < 0 {
            self.error(span, "the length of an array cannot be negative");
            return None;
        }
        let bytes = (size as u128) * u128::from(self.module.types.size(elem).max(1));
        if bytes >= u128::from(MAX_OBJECT) {
            self.error(span, format!("an array of {size} elements is too large"));
            return None;
        }
        if size == 0 {
            self.error(span, "an array must have at least one element");
            return None;
        }
        Some(size as u64)
    }
}
