//! Pointers to functions (`__cl_clang_function_pointers`): addresses and calls.
use super::Sema;
use super::call_arguments::taken;
use super::convert::Purpose;
use super::scope::Entity;
use super::typed::{ExprId, ExprKind};
use crate::lang::options::FUNCTION_POINTERS;
use crate::lang::types::{AddrSpace, QualType, Type, TypeId};
use crate::source::{Span, Symbol};

/// The type of a function that a pointer points to.
pub(super) struct PointedFunction {
    ret: TypeId,
    params: Vec<TypeId>,
    variadic: bool,
}

impl Sema<'_> {
    /// The pointer to a function type, where the extension is on.
    pub(super) fn pointer_to_function(&mut self, function: TypeId, span: Span) -> Option<TypeId> {
        if !self.lang.clang_extension(FUNCTION_POINTERS) {
            self.error(span, "pointers to functions are not allowed");
            return None;
        }
        let pointee = QualType::plain(function);
        Some(self.module.types.pointer(pointee, AddrSpace::Code))
    }

    /// Returns the function type behind a pointer to a function.
    pub(super) fn pointed_function(&self, pointer: TypeId) -> Option<PointedFunction> {
        let (pointee, _) = self.module.types.pointer_parts(pointer)?;
        match self.module.types.get(pointee.ty) {
            Type::Function {
                ret,
                params,
                variadic,
            } => Some(PointedFunction {
                ret: *ret,
                params: params.clone(),
                variadic: *variadic,
            }),
            _ => None,
        }
    }

    /// The address of a function of this program.
    pub(super) fn address_of_function(&mut self, name: Symbol, span: Span) -> Option<ExprId> {
        let ids = match self.lookup(name).map(|binding| &binding.entity) {
            Some(Entity::Functions(ids)) => ids.clone(),
            _ => return None,
        };
        let text = self.name(name);
        let &[func] = &ids[..] else {
            self.error(
                span,
                format!("address of overloaded function '{text}' is ambiguous"),
            );
            return None;
        };
        self.funcs[func.0 as usize].used = true;
        let function = self.module.function(func);
        let signature = Type::Function {
            ret: function.ret,
            params: function.params.clone(),
            variadic: self.funcs[func.0 as usize].variadic,
        };
        let pointee = QualType::plain(self.module.types.intern(signature));
        let ty = self.module.types.pointer(pointee, AddrSpace::Code);
        Some(self.mk(ExprKind::AddrOfFunction(func), ty, span))
    }

    /// A call through a pointer to a function.
    pub(super) fn call_pointer(
        &mut self,
        callee: ExprId,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let function = self.pointed_function(self.ty(callee))?;
        let (ret, params) = (function.ret, function.params);
        let taken = taken(params.len(), function.variadic);
        self.check_argument_count("function", args, taken, rparen)
            .ok()?;
        let mut converted = Vec::with_capacity(args.len());
        for (&arg, &param) in args.iter().zip(&params) {
            converted.push(self.assign_convert(arg, param, Purpose::Argument(None)));
        }
        let converted = converted.into_iter().collect::<Option<Vec<_>>>()?;
        self.check_returned("a function", ret, span)?;
        self.within_function(span)?;
        let kind = ExprKind::CallPointer {
            callee,
            args: converted,
        };
        let dropped = args.get(params.len()..).unwrap_or_default();
        Some(self.call_value(kind, ret, dropped, span))
    }
}
