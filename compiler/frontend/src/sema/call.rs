//! Calls: functions of the program with overloads, and built-in functions.
use super::convert::Purpose;
use super::scope::Entity;
use super::typed::{ConvertKind, ExprId, ExprKind, FuncId};
use super::{Operand, Sema};
use crate::builtins::{self, Arg, ResolveError};
use crate::lang::types::{FloatKind, Quals, Type, TypeId, TypeTable};
use crate::parse::ast::{self, ExternalDecl};
use crate::source::{Span, Symbol};

/// Rank of an argument's conversion to a parameter; lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Promotion,
    Conversion,
    /// A scalar in all elements of a vector.
    Splat,
    /// A pointer that C takes with a warning: to another type, or with a qualifier less.
    Warned,
}

/// Returns the value of `INFINITY`, `NAN`, `HUGE_VAL` and `HUGE_VALF` (OpenCL C §6.15.2). They
/// are constants, so that initialisers can use them.
fn special_value(name: &str) -> Option<(f64, FloatKind)> {
    Some(match name {
        "__builtin_inff" | "__builtin_huge_valf" => (f64::INFINITY, FloatKind::Float),
        "__builtin_inf" | "__builtin_huge_val" => (f64::INFINITY, FloatKind::Double),
        "__builtin_nanf" => (f64::NAN, FloatKind::Float),
        "__builtin_nan" => (f64::NAN, FloatKind::Double),
        _ => return None,
    })
}

/// `as_size_t` and its like where addresses have 32 bits; other names stay.
fn narrow_conversion(name: &str) -> &str {
    match name {
        "as_size_t" | "as_uintptr_t" => "as_uint",
        "as_ptrdiff_t" | "as_intptr_t" => "as_int",
        "convert_size_t" | "convert_uintptr_t" => "convert_uint",
        "convert_ptrdiff_t" | "convert_intptr_t" => "convert_int",
        other => other,
    }
}

impl<'a> Sema<'a> {
    pub(super) fn call(
        &mut self,
        callee: ast::ExprId,
        args: &'a [ast::ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let callee_span = self.ast.expr(callee).span;
        if let ast::ExprKind::Ident(name) = self.ast.expr(callee).kind {
            if let Some((value, kind)) = special_value(self.name(name)) {
                // The string of a NaN names no payload that OpenCL C can see.
                return Some(self.mk(ExprKind::Float(value), TypeTable::float(kind), span));
            }
        }
        let target = self.callee(callee);
        if let Some(Operand::Builtin(name)) = target {
            // Said before the arguments are looked at, whose names may be as new.
            let text = self.name(name);
            if let Some(needs) = builtins::unavailable(text, &self.lang) {
                self.requires(callee_span, &format!("declaration '{text}'"), &needs);
                return None;
            }
        }
        if let Some(Operand::Builtin(name)) = target {
            if let Some(checked) = self.enqueueing_call(name, args, rparen, span) {
                return checked;
            }
        }
        let Some(target) = target else {
            // The callee was refused already; so would be a block as its argument.
            for &arg in args {
                self.operand(arg);
            }
            return None;
        };
        let values: Vec<Option<ExprId>> = args.iter().map(|&a| self.rvalue(a)).collect();
        let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
        match target {
            Operand::Function(name) => self.call_function(name, values, rparen, callee_span, span),
            Operand::Builtin(name) => self.call_builtin(name, values, rparen, callee_span, span),
            Operand::Block(block) => self.call_block(block, &values, rparen, span),
            Operand::Value(expr) => {
                let ty = self.ty(expr);
                if self.pointed_function(ty).is_some() {
                    return self.call_pointer(expr, &values, rparen, span);
                }
                self.not_a_function(ty, callee_span);
                None
            }
            Operand::Lvalue(lvalue) => {
                let ty = self.body.lvalue(lvalue).ty.ty;
                if self.pointed_function(ty).is_some() {
                    let pointer = self.value_of(target, callee_span)?;
                    return self.call_pointer(pointer, &values, rparen, span);
                }
                self.not_a_function(ty, callee_span);
                None
            }
        }
    }

    /// Checks the called expression. An unknown name gets a message of its own.
    fn callee(&mut self, id: ast::ExprId) -> Option<Operand> {
        if let ast::ExprKind::Ident(name) = self.ast.expr(id).kind {
            let text = self.name(name);
            let known = self.lookup(name).is_some()
                || builtins::is_builtin(text)
                || builtins::constant(text, &self.lang).is_some();
            let of_c =
                || builtins::hint_arguments(text).is_some() || builtins::c_function(text).is_some();
            if !known && of_c() {
                return Some(Operand::Builtin(name));
            }
            if !known {
                let span = self.ast.expr(id).span;
                self.undeclared(text, span);
                return None;
            }
        }
        self.operand(id)
    }

    fn not_a_function(&mut self, ty: TypeId, span: Span) {
        let message = format!(
            "called object type {} is not a function or function pointer",
            self.show(ty)
        );
        self.error(span, message);
    }

    fn call_function(
        &mut self,
        name: Symbol,
        args: Vec<ExprId>,
        rparen: Span,
        callee_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let ids = match self.lookup(name).map(|b| &b.entity) {
            Some(Entity::Functions(ids)) => ids.clone(),
            _ => return None,
        };
        let text = self.name(name);
        let overloaded = ids
            .first()
            .is_some_and(|id| self.funcs[id.0 as usize].overloadable);
        let func = if overloaded {
            match self.pick_overload(text, &ids, &args, callee_span) {
                Ok(Some(id)) => id,
                Ok(None) if builtins::is_builtin(text) => {
                    return self.call_builtin(name, args, rparen, callee_span, span);
                }
                Ok(None) => {
                    self.no_match(text, &ids, &args, callee_span);
                    return None;
                }
                Err(()) => return None,
            }
        } else {
            ids[0]
        };
        if overloaded && self.is_builtin_declared_again(name, func) {
            return self.call_builtin(name, args, rparen, callee_span, span);
        }
        self.funcs[func.0 as usize].used = true;
        let function = self.module.function(func);
        let (ret, params, declared) = (function.ret, function.params.clone(), function.span);
        let variadic = self.funcs[func.0 as usize].variadic;
        let taken = super::call_arguments::taken(params.len(), variadic);
        if let Err(report) = self.check_argument_count("function", &args, taken, rparen) {
            report.note(declared, format!("'{text}' declared here"));
            return None;
        }
        let mut converted = Vec::with_capacity(args.len());
        let mut good = true;
        let declared = self.funcs[func.0 as usize].params.clone();
        for (index, (&arg, &param)) in args.iter().zip(&params).enumerate() {
            let purpose = Purpose::Argument(declared.get(index).copied());
            match self.assign_convert(arg, param, purpose) {
                Some(value) => converted.push(value),
                None => good = false,
            }
        }
        if !good {
            return None;
        }
        self.check_returned(&format!("'{text}'"), ret, callee_span)?;
        if let Some(current) = &self.func {
            self.calls.push((current.id, func, callee_span));
        } else {
            self.not_constant(span);
            return None;
        }
        let kind = ExprKind::Call {
            func,
            args: converted,
        };
        let dropped = args.get(params.len()..).unwrap_or_default();
        Some(self.call_value(kind, ret, dropped, span))
    }

    /// Tells whether a declaration names a built-in function, with its parameters, that the program gives no body of its own.
    fn is_builtin_declared_again(&mut self, name: Symbol, func: FuncId) -> bool {
        let text = self.name(name);
        if !builtins::is_builtin(text) || self.has_body(name) {
            return false;
        }
        let params = self.module.function(func).params.clone();
        let args: Vec<Arg> = (params.iter()).map(|&ty| Arg { ty, null: false }).collect();
        builtins::resolve(text, &args, &mut self.module.types, &self.lang)
            .is_ok_and(|found| found.params == params)
    }

    /// Tells whether some function of a name has a body, be it further down.
    fn has_body(&self, name: Symbol) -> bool {
        let defined = |decl: &ExternalDecl| match decl {
            ExternalDecl::Function(function) => function.declarator.name.map(|(name, _)| name),
            _ => None,
        };
        let names = || self.ast.decls.iter().filter_map(defined).collect();
        self.defined_names.get_or_init(names).contains(&name)
    }

    /// The overloads that no other one is better than, of those whose parameters the arguments fit at least like `worst`.
    fn best_overloads(&self, ids: &[FuncId], args: &[ExprId], worst: Fit) -> Vec<FuncId> {
        let mut best: Vec<(FuncId, Vec<Fit>)> = Vec::new();
        for &id in ids {
            let params = &self.module.function(id).params;
            if params.len() != args.len() {
                continue;
            }
            let fit = |(&arg, &param)| self.fit(arg, param).filter(|fit| *fit <= worst);
            let fits: Option<Vec<Fit>> = args.iter().zip(params).map(fit).collect();
            let Some(fits) = fits else { continue };
            let better = |a: &[Fit], b: &[Fit]| a.iter().zip(b).all(|(x, y)| x <= y) && a != b;
            if best.iter().any(|(_, other)| better(other, &fits)) {
                continue;
            }
            best.retain(|(_, other)| !better(&fits, other));
            best.push((id, fits));
        }
        best.into_iter().map(|(id, _)| id).collect()
    }

    /// The best of several overloads: `Ok(None)` when none fits.
    fn pick_overload(
        &mut self,
        text: &str,
        ids: &[FuncId],
        args: &[ExprId],
        span: Span,
    ) -> Result<Option<FuncId>, ()> {
        match self.best_overloads(ids, args, Fit::Splat).as_slice() {
            // A built-in function of the name may fit better.
            [] if builtins::is_builtin(text) => Ok(None),
            [] => match self.best_overloads(ids, args, Fit::Warned).as_slice() {
                [id] => Ok(Some(*id)),
                _ => Ok(None),
            },
            [id] => Ok(Some(*id)),
            several => {
                let mut report = self.error(span, format!("call to '{text}' is ambiguous"));
                for &id in several {
                    let at = self.module.function(id).span;
                    report = report.note(at, "candidate function");
                }
                Err(())
            }
        }
    }

    fn no_match(&mut self, text: &str, ids: &[FuncId], args: &[ExprId], span: Span) {
        let mut report = self.error(span, format!("no matching function for call to '{text}'"));
        for &id in ids {
            let at = self.module.function(id).span;
            let why = self.not_viable(id, args);
            report = report.note(at, format!("candidate function not viable: {why}"));
        }
    }

    /// The reason why a function does not take some arguments.
    fn not_viable(&self, id: FuncId, args: &[ExprId]) -> String {
        let params = &self.module.function(id).params;
        let (want, have) = (params.len(), args.len());
        if want != have {
            return format!(
                "requires {want} argument{}, but {have} {} provided",
                if want == 1 { "" } else { "s" },
                if have == 1 { "was" } else { "were" }
            );
        }
        let misfit = |&(&arg, &param): &(&ExprId, &TypeId)| {
            self.fit(arg, param).is_none_or(|fit| fit == Fit::Warned)
        };
        let position = args.iter().zip(params).position(|pair| misfit(&pair));
        let index = position.unwrap_or(0);
        format!(
            "no known conversion from {} to {} for {} argument",
            self.show(self.ty(args[index])),
            self.show(params[index]),
            ordinal(index + 1)
        )
    }

    fn fit(&self, arg: ExprId, param: TypeId) -> Option<Fit> {
        let ty = self.ty(arg);
        if ty == param {
            return Some(Fit::Exact);
        }
        let types = &self.module.types;
        if types.is_arithmetic(ty) && types.is_arithmetic(param) {
            let promoted = self.promoted(ty) == param
                || matches!(
                    (types.float_kind(ty), types.float_kind(param)),
                    (Some(FloatKind::Float), Some(FloatKind::Double))
                );
            return Some(if promoted {
                Fit::Promotion
            } else {
                Fit::Conversion
            });
        }
        if types.is_vector(param) && types.is_arithmetic(ty) {
            return Some(Fit::Splat);
        }
        if let Type::Opaque(kind) = types.get(param) {
            let null = kind.has_zero() && self.is_null_constant(arg);
            return null.then_some(Fit::Conversion);
        }
        let (to, to_space) = types.pointer_parts(param)?;
        if self.is_null_constant(arg) {
            return Some(Fit::Conversion);
        }
        let (from, from_space) = types.pointer_parts(ty)?;
        let spaces = to_space.contains(from_space);
        let quals = to
            .quals
            .contains(from.quals & (Quals::CONST | Quals::VOLATILE));
        if !spaces {
            return None;
        }
        if !quals {
            return Some(Fit::Warned);
        }
        if from.ty == to.ty {
            return Some(if from_space == to_space {
                Fit::Promotion
            } else {
                Fit::Conversion
            });
        }
        match to.ty == TypeTable::VOID || from.ty == TypeTable::VOID {
            true => Some(Fit::Conversion),
            false => Some(Fit::Warned),
        }
    }

    fn call_builtin(
        &mut self,
        name: Symbol,
        args: Vec<ExprId>,
        rparen: Span,
        callee_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let text = match self.lang.narrow_addresses {
            true => narrow_conversion(self.name(name)),
            false => self.name(name),
        };
        // An enumerator's type is an integer to the table.
        let is_enum = |arg: &ExprId| matches!(self.module.types.get(self.ty(*arg)), Type::Enum(_));
        let enums: Vec<bool> = args.iter().map(is_enum).collect();
        let mut args = args;
        for (arg, _) in args.iter_mut().zip(enums).filter(|(_, is)| *is) {
            *arg = self.promote(*arg);
        }
        match (text, args.as_slice()) {
            ("__builtin_expect", [value, _])
            | ("__builtin_expect_with_probability", [value, _, _])
            | ("__builtin_unpredictable", [value]) => {
                return self.assign_convert(*value, TypeTable::LONG, Purpose::Argument(None));
            }
            // The assumed condition is not evaluated.
            ("__builtin_assume", [_]) | ("__builtin_unreachable", []) => {
                let operand = self.mk(ExprKind::Int(0), TypeTable::INT, span);
                let kind = ExprKind::Convert {
                    kind: ConvertKind::ToVoid,
                    operand,
                };
                return Some(self.mk(kind, TypeTable::VOID, span));
            }
            _ => {}
        }
        let spans = [rparen, callee_span, span];
        match builtins::c_function(text) {
            Some(function) => self.c_function_call(function, text, args, spans),
            None => self.call_table(text, &args, spans),
        }
    }

    /// A call of a function of the table.
    pub(super) fn call_table(
        &mut self,
        text: &str,
        args: &[ExprId],
        [rparen, callee_span, span]: [Span; 3],
    ) -> Option<ExprId> {
        if let Some(count) = builtins::hint_arguments(text) {
            let error = ResolveError::Count {
                min: count,
                max: count,
            };
            self.builtin_error(text, error, args, rparen, callee_span);
            return None;
        }
        self.within_function(span)?;
        let shapes: Vec<Arg> = args
            .iter()
            .map(|&arg| Arg {
                ty: self.ty(arg),
                null: self.is_null_constant(arg),
            })
            .collect();
        if shapes.iter().any(|a| a.ty == TypeTable::VOID) {
            self.error(callee_span, "argument type 'void' is incomplete");
            return None;
        }
        let resolution = match builtins::resolve(text, &shapes, &mut self.module.types, &self.lang)
        {
            Ok(resolution) => resolution,
            Err(error) => {
                self.builtin_error(text, error, args, rparen, callee_span);
                return None;
            }
        };
        if text == "printf" {
            self.check_printf(args);
        }
        self.check_order(text, args);
        let mut converted = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let value = match resolution.params.get(index) {
                Some(&param) => self.assign_convert(arg, param, Purpose::Argument(None))?,
                None => self.promote_variadic(arg)?,
            };
            converted.push(value);
        }
        Some(self.mk(
            ExprKind::Builtin {
                id: resolution.id,
                args: converted,
            },
            resolution.ret,
            span,
        ))
    }

    /// Default argument promotions, for printf.
    fn promote_variadic(&mut self, arg: ExprId) -> Option<ExprId> {
        let ty = self.ty(arg);
        let types = &self.module.types;
        if let Some(kind) = types.float_kind(ty) {
            let to = if self.lang.fp64() {
                TypeTable::DOUBLE
            } else if kind == FloatKind::Half {
                TypeTable::FLOAT
            } else {
                ty
            };
            return Some(self.arith_convert(arg, to));
        }
        if types.is_integer(ty) {
            return Some(self.promote(arg));
        }
        if types.is_vector(ty) || types.is_pointer(ty) {
            return Some(arg);
        }
        let message = format!(
            "cannot pass object of type {} to variadic function",
            self.show(ty)
        );
        self.error(self.span(arg), message);
        None
    }

    fn builtin_error(
        &mut self,
        text: &str,
        error: ResolveError,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) {
        match error {
            ResolveError::Unknown => {
                self.error(span, format!("builtin function '{text}' is not supported"));
            }
            ResolveError::Disabled { needs } => {
                self.requires(span, &format!("declaration '{text}'"), &needs);
            }
            ResolveError::Count { min, max } => {
                let _ = self.check_argument_count("function", args, min..=max, rparen);
            }
            ResolveError::NoMatch { .. } if text.starts_with("as_") && args.len() == 1 => {
                let to = format!("'{}'", &text["as_".len()..]);
                self.invalid_reinterpretation(&to, self.ty(args[0]), span);
            }
            ResolveError::NoMatch { candidates } => {
                let shown: Vec<String> = args.iter().map(|&a| self.show(self.ty(a))).collect();
                let message = format!(
                    "no matching function for call to '{text}' with arguments of type ({})",
                    shown.join(", ")
                );
                let mut report = self.error(span, message);
                for candidate in candidates {
                    report = report.note(Span::NONE, format!("candidate function: {candidate}"));
                }
                self.builtin_hint(report, text, args);
            }
            ResolveError::Ambiguous { candidates } => {
                let mut report = self.error(span, format!("call to '{text}' is ambiguous"));
                for candidate in candidates {
                    report = report.note(Span::NONE, format!("candidate function: {candidate}"));
                }
                self.ambiguity_hint(report, text, args);
            }
        }
    }
}

/// `1st`, `2nd`, and so on.
fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}
