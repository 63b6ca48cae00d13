//! Declarators to types: pointers, arrays, functions and blocks.
use super::Sema;
use super::scope::SpacedType;
use crate::lang::options::VARIADIC_FUNCTIONS;
use crate::lang::types::{QualType, Type, TypeId};
use crate::parse::ast::{DeclPart, Declarator};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// Applies a declarator to its specifiers' type.
    pub(super) fn declarator_type(
        &mut self,
        base: SpacedType,
        declarator: &'a Declarator,
    ) -> Option<SpacedType> {
        self.derive(base, &declarator.parts, declarator.span)
    }

    /// Applies the declarator of a variable, which may be an array without elements if nothing but the
    /// variable's room depends on its size.
    pub(super) fn variable_type(
        &mut self,
        base: SpacedType,
        declarator: &'a Declarator,
        may_be_empty: bool,
    ) -> Option<SpacedType> {
        let is_array = |part| matches!(part, &DeclPart::Array { .. });
        let may_be_empty = may_be_empty && declarator.parts.iter().all(is_array);
        self.derive_sized(base, &declarator.parts, declarator.span, may_be_empty)
    }

    /// Applies derivations, given from the name outwards.
    pub(super) fn derive(
        &mut self,
        base: SpacedType,
        parts: &'a [DeclPart],
        span: Span,
    ) -> Option<SpacedType> {
        self.derive_sized(base, parts, span, false)
    }

    fn derive_sized(
        &mut self,
        base: SpacedType,
        parts: &'a [DeclPart],
        span: Span,
        may_be_empty: bool,
    ) -> Option<SpacedType> {
        let mut current = base;
        for part in parts.iter().rev() {
            current = match part {
                DeclPart::Pointer { quals, span, .. } => {
                    let ty = self.pointer_to(current, *span)?;
                    self.qualify(SpacedType::plain(ty), quals)?
                }
                DeclPart::Block { span, .. } => {
                    if !matches!(self.module.types.get(current.q.ty), Type::Function { .. }) {
                        self.error(*span, "block pointer to non-function type is invalid");
                        return None;
                    }
                    SpacedType::plain(self.module.types.intern(Type::Block(current.q.ty)))
                }
                DeclPart::Array {
                    size,
                    is_star,
                    span: brackets,
                    ..
                } => {
                    let elem = current.q;
                    if *is_star {
                        self.error(
                            *brackets,
                            "variable length arrays are not supported in OpenCL",
                        );
                        return None;
                    }
                    if !self.module.types.is_complete(elem.ty) {
                        let message = match self.module.types.get(elem.ty) {
                            Type::Function { .. } => {
                                "array of functions is not allowed".to_string()
                            }
                            _ => {
                                format!("array has incomplete element type {}", self.show(elem.ty))
                            }
                        };
                        self.error(span, message);
                        return None;
                    }
                    if self.is_immaterial(elem.ty) {
                        let message =
                            format!("array of {} type is invalid in OpenCL", self.show(elem.ty));
                        self.error(span, message);
                        return None;
                    }
                    let len = match size {
                        Some(size) => Some(self.array_size(*size, elem.ty, may_be_empty)?),
                        None => None,
                    };
                    SpacedType {
                        q: QualType::plain(self.module.types.array(elem, len)),
                        ..current
                    }
                }
                DeclPart::Function {
                    params,
                    variadic,
                    span,
                    ..
                } => {
                    if matches!(
                        self.module.types.get(current.q.ty),
                        Type::Function { .. } | Type::Array { .. }
                    ) {
                        let kind = match self.module.types.get(current.q.ty) {
                            Type::Array { .. } => "array",
                            _ => "function",
                        };
                        let message = format!(
                            "function cannot return {kind} type {}",
                            self.show(current.q.ty)
                        );
                        self.error(*span, message);
                        return None;
                    }
                    if let Some(dots) = variadic {
                        self.check_variadic(*dots)?;
                    }
                    let mut types = Vec::new();
                    for param in params {
                        types.push(self.param_type(param)?.q.ty);
                    }
                    SpacedType::plain(self.module.types.intern(Type::Function {
                        ret: current.q.ty,
                        params: types,
                        variadic: variadic.is_some(),
                    }))
                }
            };
        }
        Some(current)
    }

    /// Refuses `...` in a prototype without the extension for it.
    pub(super) fn check_variadic(&mut self, dots: Span) -> Option<()> {
        if self.lang.clang_extension(VARIADIC_FUNCTIONS) {
            return Some(());
        }
        let message = "invalid prototype, variadic arguments are not allowed in OpenCL";
        self.error(dots, message);
        None
    }

    fn pointer_to(&mut self, pointee: SpacedType, span: Span) -> Option<TypeId> {
        if matches!(self.module.types.get(pointee.q.ty), Type::Function { .. }) {
            return self.pointer_to_function(pointee.q.ty, span);
        }
        if self.is_immaterial(pointee.q.ty) {
            let message = format!(
                "pointer to type {} is invalid in OpenCL",
                self.show(pointee.q.ty)
            );
            self.error(span, message);
            return None;
        }
        let space = pointee
            .space
            .unwrap_or_else(|| self.default_pointee_space());
        Some(self.module.types.pointer(pointee.q, space))
    }
}
