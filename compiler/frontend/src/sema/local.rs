//! Variables that functions declare.
use super::Sema;
use super::const_eval::Value;
use super::decl::{NO_INITIALIZER, Variable};
use super::requires::version_name;
use super::scope::{Entity, SpacedType};
use super::typed::{Init, Linkage, Local, LocalId, StmtId, StmtKind};
use crate::lang::types::{AddrSpace, QualType, Quals, Type};
use crate::parse::ast::{self, Attr, DeclSpecs, InitDeclarator, StorageClass};
use crate::source::{Span, Symbol};
use pumice_target::options::ClStd;

impl<'a> Sema<'a> {
    pub(super) fn local_variable(
        &mut self,
        v: Variable<'a>,
        attrs: &[Attr],
        out: &mut Vec<StmtId>,
    ) -> Option<()> {
        self.check_variable_type(&v)?;
        if self.has_attr(attrs, "address_space") {
            let message = "automatic variable qualified with an invalid address space";
            self.error(v.span, message);
            return None;
        }
        if self.is_sampler(v.ty.q.ty) {
            return self.sampler_variable(&v);
        }
        match (v.storage, v.ty.space) {
            (Some(StorageClass::Static), space) => return self.static_local(v, space),
            (Some(StorageClass::Extern), space) => return self.extern_local(v, space),
            (_, None | Some(AddrSpace::Private)) => {}
            (_, Some(AddrSpace::Local)) => return self.work_group_variable(v),
            (_, Some(AddrSpace::Constant)) => {
                self.check_kernel_scope(&v, "constant")?;
                if v.init.is_none() {
                    self.error(v.span, NO_INITIALIZER);
                    return None;
                }
                return self.static_variable(v, AddrSpace::Constant);
            }
            (_, Some(space)) => {
                let space = space.name().trim_start_matches('_');
                let message =
                    format!("function scope variable cannot be declared in {space} address space");
                self.error(v.span, message);
                return None;
            }
        }
        if v.init.is_some() && matches!(self.module.types.get(v.ty.q.ty), Type::Atomic(_)) {
            let message =
                "atomic variable can be initialized to a variable only in global address space";
            self.error(v.span, message)
                .hint("use atomic_init to initialize it");
            return None;
        }
        let id = self.add_local(self.name(v.name).to_string(), v.ty.q, v.align, v.span);
        self.bind_new(v.name, Entity::Local(id), v.span);
        if !v.unused && !self.has_attr(attrs, "unused") {
            self.note_declared(id, v.init.is_some(), false);
        }
        let init = match v.init {
            None => None,
            Some(init) => {
                let (ty, init) = self.initialiser(v.ty.q.ty, init, v.span)?;
                self.body.locals[id.0 as usize].ty.ty = ty;
                let align = self.module.types.align(ty);
                let local = &mut self.body.locals[id.0 as usize];
                local.align = local.align.max(align);
                self.remember_constant(id, v.ty.q, &init);
                Some(init)
            }
        };
        let stmt = self.mk_stmt(StmtKind::Decl { local: id, init }, v.span);
        out.push(stmt);
        Some(())
    }

    /// `__auto_type name = value;`, a variable of the value's type. Its own name is not known there.
    pub(super) fn deduced_variable(
        &mut self,
        specs: &'a DeclSpecs,
        item: &'a InitDeclarator,
        out: &mut Vec<StmtId>,
    ) {
        let Some((name, span)) = item.declarator.name else {
            return;
        };
        if self.deduced(specs, item, (name, span), out).is_none() {
            self.bind(name, Entity::Poisoned, span);
        }
    }

    fn deduced(
        &mut self,
        specs: &'a DeclSpecs,
        item: &'a InitDeclarator,
        (name, span): (Symbol, Span),
        out: &mut Vec<StmtId>,
    ) -> Option<()> {
        self.check_attrs(&item.declarator.attrs);
        let text = self.name(name);
        let value = match &item.init {
            Some(ast::Init::Expr(value)) if item.declarator.parts.is_empty() => {
                self.rvalue(*value)?
            }
            _ => {
                let message = match (&item.init, item.declarator.parts.is_empty()) {
                    (_, false) => "'__auto_type' not allowed here".to_string(),
                    (Some(_), true) => {
                        "cannot use '__auto_type' with initializer list in C".to_string()
                    }
                    (None, true) => format!(
                        "declaration of variable '{text}' with deduced type '__auto_type' requires an initializer"
                    ),
                };
                self.error(span, message);
                return None;
            }
        };
        let ty = self.ty(value);
        if self.is_immaterial(ty) || !self.module.types.is_complete(ty) {
            let shown = self.show(ty);
            let message = format!("variable '{text}' of type {shown} cannot be declared");
            self.error(span, message);
            return None;
        }
        let ty = self.qualify(SpacedType::plain(ty), &specs.quals)?;
        if !matches!(ty.space, None | Some(AddrSpace::Private)) {
            self.error(span, "'__auto_type' not allowed here");
            return None;
        }
        let attrs = [&specs.attrs, &item.declarator.attrs];
        let align = attrs.map(|attrs| self.aligned_attr(attrs));
        let id = self.add_local(text.to_string(), ty.q, align[0].max(align[1]), span);
        self.bind_new(name, Entity::Local(id), span);
        if !attrs.iter().any(|attrs| self.has_attr(attrs, "unused")) {
            self.note_declared(id, true, false);
        }
        let init = Init::Expr(value);
        self.remember_constant(id, ty.q, &init);
        let init = Some(init);
        out.push(self.mk_stmt(StmtKind::Decl { local: id, init }, span));
        Some(())
    }

    /// Notes the value of a `const` scalar, which array sizes and case labels may use.
    fn remember_constant(&mut self, id: LocalId, q: QualType, init: &Init) {
        if !q.quals.contains(Quals::CONST) || q.quals.contains(Quals::VOLATILE) {
            return;
        }
        if let Init::Expr(expr) = init {
            if let Some(value @ (Value::Int(_) | Value::Float(_))) = self.eval(*expr) {
                self.const_locals.insert(id, value);
            }
        }
    }

    /// A new private variable of the current function.
    pub(super) fn add_local(
        &mut self,
        name: String,
        ty: QualType,
        align: u64,
        span: Span,
    ) -> LocalId {
        let align = self.module.types.align(ty.ty).max(align);
        self.body.locals.push(Local {
            name,
            ty,
            align,
            span,
        });
        LocalId(self.body.locals.len() as u32 - 1)
    }

    /// `__local` and `__constant` variables belong to the outermost scope of kernels.
    fn check_kernel_scope(&mut self, v: &Variable<'a>, space: &str) -> Option<()> {
        let in_kernel = self.func.as_ref().is_some_and(|f| f.is_kernel);
        let message = if !in_kernel {
            format!("non-kernel function variable cannot be declared in {space} address space")
        } else if self.scopes.len() > 2 {
            format!(
                "variables in the {space} address space can only be declared in the outermost scope of a kernel function"
            )
        } else {
            return Some(());
        };
        let report = self.error(v.span, message);
        if space == "local" {
            report
                .hint("declare it at the top of the kernel; other functions take a pointer to it");
        }
        None
    }

    fn work_group_variable(&mut self, v: Variable<'a>) -> Option<()> {
        self.check_kernel_scope(&v, "local")?;
        if let Some(init) = v.init {
            let at = self.init_span(init);
            self.error(v.span, "'__local' variable cannot have an initializer")
                .highlight(at)
                .hint(
                    "assign to it, then call 'barrier(CLK_LOCAL_MEM_FENCE)' before others read it",
                );
            return None;
        }
        let id = self.add_global(&v, AddrSpace::Local, Linkage::Internal, None);
        self.bind_new(v.name, Entity::Global(id), v.span);
        Some(())
    }

    fn static_local(&mut self, v: Variable<'a>, space: Option<AddrSpace>) -> Option<()> {
        if self.lang.std < ClStd::Cl20 {
            let message = format!(
                "{} does not support the 'static' storage class specifier",
                version_name(self.lang.std)
            );
            self.error(v.span, message)
                .hint("build with '-cl-std=CL2.0' or later");
            return None;
        }
        let space = match space {
            Some(AddrSpace::Constant) => AddrSpace::Constant,
            Some(AddrSpace::Global) | None if self.lang.program_scope_globals() => {
                AddrSpace::Global
            }
            _ => {
                self.wrong_space(v.span, "static local");
                return None;
            }
        };
        if space == AddrSpace::Constant && v.init.is_none() {
            self.error(v.span, NO_INITIALIZER);
            return None;
        }
        self.static_variable(v, space)
    }

    fn static_variable(&mut self, v: Variable<'a>, space: AddrSpace) -> Option<()> {
        let id = self.add_global(&v, space, Linkage::Internal, None);
        self.bind_new(v.name, Entity::Global(id), v.span);
        match v.init {
            Some(init) => self.initialise_global(id, init),
            None => {
                self.global_meta[id.0 as usize].tentative = true;
                Some(())
            }
        }
    }

    fn extern_local(&mut self, v: Variable<'a>, space: Option<AddrSpace>) -> Option<()> {
        if let Some(init) = v.init {
            let at = self.init_span(init);
            let message =
                "declaration of block scope identifier with linkage cannot have an initializer";
            self.error(at, message);
            return None;
        }
        let existing = self.scopes[0].names.get(&v.name).map(|b| b.entity.clone());
        if let Some(Entity::Global(id)) = existing {
            self.bind(v.name, Entity::Global(id), v.span);
            return Some(());
        }
        let space = match space {
            Some(AddrSpace::Constant) => AddrSpace::Constant,
            Some(AddrSpace::Global) | None if self.lang.program_scope_globals() => {
                AddrSpace::Global
            }
            _ => {
                self.wrong_space(v.span, "extern");
                return None;
            }
        };
        let id = self.add_global(&v, space, Linkage::Import, None);
        let global = &mut self.module.globals[id.0 as usize];
        global.name = self.names.resolve(v.name).to_string();
        global.owner = None;
        self.bind(v.name, Entity::Global(id), v.span);
        Some(())
    }
}
