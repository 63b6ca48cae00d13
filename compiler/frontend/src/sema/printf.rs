//! What a printf format says of its arguments (OpenCL C 3.0 §6.15.14).
use super::Sema;
use super::typed::{ExprId, ExprKind, PlaceKind};
use crate::lang::types::TypeId;
use pumice_printf::conversions;

impl Sema<'_> {
    /// Warns about arguments that a literal format does not expect; printing them is undefined.
    pub(super) fn check_printf(&mut self, args: &[ExprId]) {
        let Some((&format, values)) = args.split_first() else {
            return;
        };
        let Some(letters) = self.format_text(format).map(|text| conversions(&text)) else {
            return;
        };
        if let Some(&extra) = values.get(letters.len()) {
            self.warning(self.span(extra), "the format does not print this argument");
        }
        if let Some(&missing) = letters.get(values.len()) {
            let message = format!("no argument is given for '%{}'", char::from(missing));
            self.warning(self.span(format), message);
        }
        for (&letter, &value) in letters.iter().zip(values) {
            let ty = self.ty(value);
            if self.module.types.is_pointer(ty) && self.is_null_constant(value) && letter == b's' {
                continue;
            }
            if let Some(wanted) = self.expected_by(letter, ty) {
                let letter = char::from(letter);
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

    /// What a conversion prints, if that is not `ty` or a vector of such.
    fn expected_by(&self, letter: u8, ty: TypeId) -> Option<&'static str> {
        let types = &self.module.types;
        if !types.is_scalar(ty) && !types.is_vector(ty) {
            // An error already.
            return None;
        }
        let (elem, _) = types.elem_lanes(ty);
        let pointee = types.pointer_parts(ty).map(|(pointee, _)| pointee.ty);
        let (fits, wanted) = match letter {
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' => (types.is_integer(elem), "integers"),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                (types.is_float(elem), "floating-point values")
            }
            b's' => (
                pointee.is_some_and(|p| types.size(p) == 1 && types.is_integer(p)),
                "strings",
            ),
            b'p' => (pointee.is_some(), "pointers"),
            _ => return None,
        };
        (!fits).then_some(wanted)
    }
}
