//! Checks printf's arguments against its format (OpenCL C 3.0 §6.15.14).
use super::Sema;
use super::typed::{ExprId, ExprKind, PlaceKind};
use crate::lang::types::TypeId;
use pumice_printf::{Directive, Kind, directives};

impl Sema<'_> {
    /// Warns about arguments that a literal format does not expect; printing them is undefined.
    pub(super) fn check_printf(&mut self, args: &[ExprId]) {
        let Some((&format, values)) = args.split_first() else {
            return;
        };
        let Some(text) = self.format_text(format) else {
            return;
        };
        let directives: Vec<Directive<'_>> = directives(&text).collect();
        if let Some(&extra) = values.get(directives.len()) {
            self.warning(self.span(extra), "the format does not print this argument");
        }
        if let Some(missing) = directives.get(values.len()) {
            let message = format!("no argument is given for '%{}'", char::from(missing.letter));
            self.warning(self.span(format), message);
        }
        for (directive, &value) in directives.iter().zip(values) {
            let ty = self.ty(value);
            let is_null = self.module.types.is_pointer(ty) && self.is_null_constant(value);
            if is_null && directive.kind == Kind::String {
                continue;
            }
            if !self.prints(directive.kind, ty) {
                let (letter, wanted) = (char::from(directive.letter), directive.kind.name());
                let message = format!("'%{letter}' prints {wanted}, not {}", self.show(ty));
                self.warning(self.span(value), message);
            }
        }
    }

    /// The characters of a string literal.
    fn format_text(&self, mut format: ExprId) -> Option<Vec<u8>> {
        while let ExprKind::Convert { operand, .. } = self.body.expr(format).kind {
            format = operand;
        }
        let ExprKind::Decay(place) = self.body.expr(format).kind else {
            return None;
        };
        let PlaceKind::Global(id) = self.body.place(place).kind else {
            return None;
        };
        let global = self.module.global(id);
        let bytes = &global.init.as_ref().filter(|_| global.is_string)?.bytes;
        Some(bytes.iter().copied().take_while(|&b| b != 0).collect())
    }

    /// Returns whether a conversion of this kind prints a value of type `ty`, or a vector of them.
    fn prints(&self, kind: Kind, ty: TypeId) -> bool {
        let types = &self.module.types;
        if !types.is_scalar(ty) && !types.is_vector(ty) {
            // An error already.
            return true;
        }
        let (elem, _) = types.elem_lanes(ty);
        let pointee = types.pointer_parts(ty).map(|(pointee, _)| pointee.ty);
        match kind {
            Kind::Signed | Kind::Unsigned | Kind::Character => types.is_integer(elem),
            Kind::Float => types.is_float(elem),
            Kind::String => pointee.is_some_and(|p| types.size(p) == 1 && types.is_integer(p)),
            Kind::Pointer => pointee.is_some(),
        }
    }
}
