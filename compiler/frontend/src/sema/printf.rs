//! Checks printf's arguments against its format (OpenCL C 3.0 §6.15.14).
use super::Sema;
use super::typed::{ExprId, ExprKind, LvalueKind};
use crate::diagnostics::Warning;
use crate::lang::types::{AddrSpace, TypeId};
use crate::source::Span;
use pumice_printf::{Directive, Kind, Length, directives};

impl Sema<'_> {
    /// Warns about arguments that a literal format does not expect, whose printing is undefined,
    /// and refuses formats and strings that are no literals.
    pub(super) fn check_printf(&mut self, args: &[ExprId]) {
        let Some((&format, values)) = args.split_first() else {
            return;
        };
        let Some(text) = self.format_text(format) else {
            if self.is_loaded(format) {
                let at = self.span(format);
                self.error(at, "format string is not a string literal");
            }
            return;
        };
        let directives: Vec<Directive<'_>> = directives(&text).collect();
        if let Some(&extra) = values.get(directives.len()) {
            self.warning(
                Warning::FormatExtraArgs,
                self.span(extra),
                "data argument not used by format string",
            );
        }
        if let Some(missing) = directives.get(values.len()) {
            let message = "more '%' conversions than data arguments";
            let source = String::from_utf8_lossy(missing.source);
            self.warning(Warning::FormatInsufficientArgs, self.span(format), message)
                .note(Span::NONE, format!("'{source}' has no argument"));
        }
        for (directive, &value) in directives.iter().zip(values) {
            let ty = self.ty(value);
            let is_null = self.module.types.is_pointer(ty) && self.is_null_constant(value);
            if is_null && directive.kind == Kind::String {
                continue;
            }
            if directive.kind == Kind::String && !self.may_be_literal(value) {
                let message = "argument of '%s' must be a string literal";
                self.error(self.span(value), message);
                continue;
            }
            let fits = self.prints(directive.kind, ty) && self.has_length(directive, ty);
            if !fits || !self.has_components(directive, ty) {
                let message = format!(
                    "format specifies type '{}' but the argument has type {}",
                    expected_type(directive),
                    self.show(ty)
                );
                self.warning(Warning::Format, self.span(value), message);
            }
        }
    }

    /// Returns whether a value comes from a variable that is no constant.
    fn is_loaded(&self, mut value: ExprId) -> bool {
        while let ExprKind::Convert { operand, .. } = self.body.expr(value).kind {
            value = operand;
        }
        matches!(self.body.expr(value).kind, ExprKind::Load(_)) && self.eval(value).is_none()
    }

    /// Returns whether `%s` can print a value: a pointer that may lead to a string literal once
    /// functions are inlined (OpenCL C 3.0 §6.15.14).
    fn may_be_literal(&self, value: ExprId) -> bool {
        let parts = self.module.types.pointer_parts(self.ty(value));
        let Some((_, space)) = parts else {
            return false;
        };
        let is_kernel = self.func.as_ref().is_some_and(|f| f.is_kernel);
        let of_host = is_kernel && self.is_parameter(value);
        matches!(space, AddrSpace::Constant | AddrSpace::Generic) && !of_host
    }

    fn is_parameter(&self, mut value: ExprId) -> bool {
        while let ExprKind::Convert { operand, .. } = self.body.expr(value).kind {
            value = operand;
        }
        let ExprKind::Load(lvalue) = self.body.expr(value).kind else {
            return false;
        };
        let LvalueKind::Local(local) = self.body.lvalue(lvalue).kind else {
            return false;
        };
        let params = self
            .func
            .as_ref()
            .map(|f| &self.module.function(f.id).params);
        params.is_some_and(|params| (local.0 as usize) < params.len())
    }

    /// The characters of a string literal.
    fn format_text(&self, mut format: ExprId) -> Option<Vec<u8>> {
        while let ExprKind::Convert { operand, .. } = self.body.expr(format).kind {
            format = operand;
        }
        let ExprKind::Decay(lvalue) = self.body.expr(format).kind else {
            return None;
        };
        let LvalueKind::Global(id) = self.body.lvalue(lvalue).kind else {
            return None;
        };
        let global = self.module.global(id);
        let bytes = &global.init.as_ref().filter(|_| global.is_string)?.bytes;
        Some(bytes.iter().copied().take_while(|&b| b != 0).collect())
    }

    /// Returns whether a scalar integer has the length that a directive names: `long` or not.
    fn has_length(&self, directive: &Directive<'_>, ty: TypeId) -> bool {
        let integer = matches!(directive.kind, Kind::Signed | Kind::Unsigned);
        if !integer || !self.module.types.is_integer(ty) {
            return true;
        }
        (directive.length == Length::Long) == (self.module.types.size(ty) > 4)
    }

    /// Returns whether an argument has as many components as a directive names, and as wide ones if it
    /// names a length for them.
    fn has_components(&self, directive: &Directive<'_>, ty: TypeId) -> bool {
        let types = &self.module.types;
        if !types.is_scalar(ty) && !types.is_vector(ty) {
            // An error already.
            return true;
        }
        let (elem, lanes) = types.elem_lanes(ty);
        let Some(count) = directive.vector else {
            return !types.is_vector(ty);
        };
        let size = match directive.length {
            Length::None => types.size(elem),
            Length::Char => 1,
            Length::Short => 2,
            Length::Int => 4,
            Length::Long => 8,
        };
        usize::from(lanes) == count && types.size(elem) == size
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

/// The type that a directive prints, as clang spells it.
fn expected_type(directive: &Directive<'_>) -> String {
    let signed = directive.kind == Kind::Signed;
    let scalar = match (directive.kind, directive.length) {
        (Kind::Float, Length::Short) if directive.vector.is_some() => "half",
        (Kind::Float, Length::Int) if directive.vector.is_some() => "float",
        (Kind::Float, _) => "double",
        (Kind::Character, _) => "int",
        (Kind::String, _) => "__constant char *",
        (Kind::Pointer, _) => "void *",
        (_, Length::Char) if signed => "char",
        (_, Length::Char) => "uchar",
        (_, Length::Short) if signed => "short",
        (_, Length::Short) => "ushort",
        (_, Length::Long) if signed => "long",
        (_, Length::Long) => "ulong",
        _ if signed => "int",
        _ => "uint",
    };
    match directive.vector {
        Some(count) => format!("{scalar}{count}"),
        None => scalar.to_string(),
    }
}
