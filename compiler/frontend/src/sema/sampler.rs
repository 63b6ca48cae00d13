//! Samplers: variables, which are names for constants, and the constants themselves.
use super::Sema;
use super::convert::Purpose;
use super::decl::Variable;
use super::scope::Entity;
use super::typed::{ExprId, ExprKind};
use crate::diagnostics::Warning;
use crate::lang::types::{AddrSpace, OpaqueKind, Quals, Type, TypeId};
use crate::parse::ast;
use crate::source::Span;
use pumice_target::image::sampler_mask::{ADDRESS, LINEAR, MIRRORED_REPEAT, NEAREST, NORMALIZED};

impl<'a> Sema<'a> {
    /// Returns whether a type is `sampler_t`.
    pub(super) fn is_sampler(&self, ty: TypeId) -> bool {
        self.module.types.opaque(ty) == Some(OpaqueKind::Sampler)
    }

    /// A sampler variable is a name for its constant (OpenCL C 3.0 §6.15.15.1).
    pub(super) fn sampler_variable(&mut self, v: &Variable<'a>) -> Option<()> {
        if let Some(AddrSpace::Global | AddrSpace::Local | AddrSpace::Generic) = v.ty.space {
            let message = "sampler type cannot be used with the __local and __global address space qualifiers";
            self.error(v.span, message);
            return None;
        }
        let at_program_scope = self.at_program_scope();
        let constant =
            v.ty.space == Some(AddrSpace::Constant) || v.ty.q.quals.contains(Quals::CONST);
        if at_program_scope && !constant {
            let message = "global sampler requires a const or constant address space qualifier";
            self.error(v.span, message);
            return None;
        }
        if v.init.is_none() && !at_program_scope && !constant {
            // Undefined, as any variable; nothing can assign to it later.
            let message = "variable of type 'sampler_t' is never initialized";
            self.warning(Warning::Unnamed, v.span, message);
            self.bind_new(v.name, Entity::Sampler(0), v.span);
            return Some(());
        }
        let Some(ast::Init::Expr(init)) = v.init else {
            self.error(v.span, "variable of type 'sampler_t' must be initialized");
            return None;
        };
        let value = self.rvalue(*init)?;
        if at_program_scope && self.is_sampler(self.ty(value)) {
            let at = self.ast.expr(*init).span;
            self.not_constant(at);
            return None;
        }
        let value = self.assign_convert(value, v.ty.q.ty, Purpose::Init(v.span))?;
        let ExprKind::Sampler(mask) = self.body.expr(value).kind else {
            let at = self.ast.expr(*init).span;
            self.not_constant(at);
            return None;
        };
        self.bind_new(v.name, Entity::Sampler(mask), v.span);
        Some(())
    }

    /// A sampler literal.
    pub(super) fn sampler(&mut self, mask: u32, span: Span) -> ExprId {
        let ty = self.module.types.intern(Type::Opaque(OpaqueKind::Sampler));
        self.mk(ExprKind::Sampler(mask), ty, span)
    }

    /// The constant of a sampler, checked: coordinates, addressing and filter. Invalid modes count
    /// as CLK_ADDRESS_NONE and CLK_FILTER_NEAREST.
    pub(super) fn checked_sampler(&mut self, value: i128, span: Span) -> Option<u32> {
        let mut mask = u32::try_from(value).unwrap_or(u32::MAX);
        let filters = NEAREST | LINEAR;
        if mask & !(NORMALIZED | ADDRESS | filters) != 0 {
            self.error(span, format!("invalid sampler initializer {value}"));
            return None;
        }
        if mask & ADDRESS > MIRRORED_REPEAT {
            let message = "sampler initializer has invalid Addressing Mode bits";
            self.warning(Warning::SpirCompat, span, message);
            mask &= !ADDRESS;
        }
        if mask & filters == filters {
            let message = "sampler initializer has invalid Filter Mode bits";
            self.warning(Warning::SpirCompat, span, message);
            mask &= !LINEAR;
        }
        Some(mask)
    }
}
