//! Declarations of variables and typedefs.
use super::Sema;
use super::requires::version_name;
use super::scope::{Entity, SpacedType};
use super::typed::StmtId;
use crate::diagnostics::Warning;
use crate::lang::names;
use crate::lang::options::STORAGE_CLASSES;
use crate::lang::types::{OpaqueKind, QualType, Type};
use crate::parse::ast::{
    self, DeclPart, DeclSpecs, Declaration, FunctionSpec, InitDeclarator, StorageClass, TypeSpec,
};
use crate::source::{Span, Symbol};
use pumice_target::options::ClStd;

/// One variable's declaration, its type known.
pub(super) struct Variable<'a> {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) ty: SpacedType,
    pub(super) storage: Option<StorageClass>,
    pub(super) init: Option<&'a ast::Init>,
    pub(super) align: u64,
    /// `__attribute__((unused))` behind its name.
    pub(super) unused: bool,
    /// `__attribute__((weak))`.
    pub(super) weak: bool,
}

/// clang's message.
const INITIALIZED: &str = "illegal initializer (only variables can be initialized)";

pub(super) const NO_INITIALIZER: &str = "variable in constant address space must be initialized";

impl<'a> Sema<'a> {
    /// Reports a variable of static storage in an address space that has none.
    pub(super) fn wrong_space(&self, span: Span, what: &str) {
        let allowed = match self.lang.program_scope_globals() {
            true => "global or constant",
            false => "constant",
        };
        let message = format!("{what} variable must reside in {allowed} address space");
        let report = self.error(span, message);
        let feature = "__opencl_c_program_scope_global_variables";
        if self.lang.program_scope_globals() {
        } else if !self.lang.feature(feature) {
            report.hint(format!("this device does not support {feature}"));
        } else if self.lang.std < ClStd::Cl20 {
            report.hint("add '__constant', or build with '-cl-std=CL2.0' or later");
        }
    }

    pub(super) fn declaration_at_program_scope(&mut self, decl: &'a Declaration) {
        let mut none = Vec::new();
        self.declaration(decl, &mut none);
    }

    /// Checks a declaration; statements that initialise private variables go to `out`.
    pub(super) fn declaration(&mut self, decl: &'a Declaration, out: &mut Vec<StmtId>) {
        self.check_attrs(&decl.specs.attrs);
        let storage = self.storage_class(&decl.specs);
        if let (TypeSpec::Auto, false, None) = (&decl.specs.ty, self.at_program_scope(), storage) {
            for item in &decl.declarators {
                self.deduced_variable(&decl.specs, item, out);
            }
            return;
        }
        let base = self.spec_type(&decl.specs);
        if decl.declarators.is_empty() {
            let declares = match &decl.specs.ty {
                TypeSpec::Record(r) => r.tag.is_some(),
                TypeSpec::Enum(e) => e.tag.is_some() || e.enumerators.is_some(),
                TypeSpec::Error => true,
                _ => false,
            };
            if !declares && base.is_some() {
                self.warning(
                    Warning::MissingDeclarations,
                    decl.span,
                    "declaration does not declare anything",
                );
            }
            return;
        }
        for item in &decl.declarators {
            let Some((name, span)) = item.declarator.name else {
                continue;
            };
            let done = base.and_then(|base| self.declarator(decl, item, base, storage, out));
            if done.is_none() && self.lookup_here(name).is_none() {
                self.bind(name, Entity::Poisoned, span);
            }
        }
    }

    /// The one storage class of specifiers.
    pub(super) fn storage_class(&mut self, specs: &DeclSpecs) -> Option<StorageClass> {
        let mut found: Option<StorageClass> = None;
        for &(class, span) in &specs.storage {
            match class {
                StorageClass::ThreadLocal => {
                    self.error(span, "thread-local storage is not supported in OpenCL C");
                }
                StorageClass::Auto | StorageClass::Register if self.at_program_scope() => {
                    self.error(span, "illegal storage class on file-scoped variable");
                }
                StorageClass::Auto | StorageClass::Register if !self.supports(class) => {
                    let message = format!(
                        "{} does not support the '{}' storage class specifier",
                        version_name(self.lang.std),
                        if class == StorageClass::Auto {
                            "auto"
                        } else {
                            "register"
                        }
                    );
                    self.error(span, message);
                }
                StorageClass::Auto => {}
                _ if found.is_some_and(|f| f != class) => {
                    self.error(span, "cannot combine with previous storage class specifier");
                }
                _ => found = Some(class),
            }
        }
        found
    }

    /// Returns whether `auto` or `register` may be written. The specification has neither (OpenCL C
    /// 3.0 §6.9); old programs write `register`.
    fn supports(&self, class: StorageClass) -> bool {
        let in_version = class == StorageClass::Register && self.lang.std > ClStd::Cl10;
        in_version || self.lang.clang_extension(STORAGE_CLASSES)
    }

    fn declarator(
        &mut self,
        decl: &'a Declaration,
        item: &'a InitDeclarator,
        base: SpacedType,
        storage: Option<StorageClass>,
        out: &mut Vec<StmtId>,
    ) -> Option<()> {
        let declarator = &item.declarator;
        let (name, span) = declarator.name?;
        self.check_attrs(&declarator.attrs);
        if storage != Some(StorageClass::Typedef)
            && matches!(declarator.parts.first(), Some(DeclPart::Function { .. }))
        {
            if let Some(init) = &item.init {
                self.error(self.init_span(init), INITIALIZED);
            }
            return self
                .function_declaration(&decl.specs, declarator, base)
                .map(|_| ());
        }
        // clang takes arrays without elements; programs have them where a macro is 0.
        let may_be_empty = storage.is_none() && item.init.is_none() && !self.at_program_scope();
        let derived = self.variable_type(base, declarator, may_be_empty);
        if let (None, Some(ast::Init::Expr(init))) = (derived, &item.init) {
            // What a block does is checked in spite of its variable.
            if self.is_block_literal(*init) {
                self.operand(*init);
            }
        }
        let mut ty = derived?;
        ty.q.ty = self.ext_vector(&declarator.attrs, ty.q.ty)?;
        ty.q.ty = self.ext_vector(&decl.specs.attrs, ty.q.ty)?;
        let align = self
            .aligned_attr(&decl.specs.attrs)
            .max(self.aligned_attr(&declarator.attrs))
            .max(ty.align);
        if storage == Some(StorageClass::Typedef) {
            if let Some(init) = &item.init {
                self.error(self.init_span(init), INITIALIZED);
            }
            return self.typedef(name, span, SpacedType { align, ..ty });
        }
        if matches!(self.module.types.get(ty.q.ty), Type::Function { .. }) {
            if let Some(init) = &item.init {
                self.error(self.init_span(init), INITIALIZED);
            }
            if ty.space.is_some() {
                let message = "function type may not be qualified with an address space";
                self.error(span, message);
                return None;
            }
            return self
                .function_by_typedef(&decl.specs, declarator, ty.q.ty)
                .map(|_| ());
        }
        for &(spec, spec_span) in &decl.specs.function {
            let word = match spec {
                FunctionSpec::Inline => "inline",
                FunctionSpec::Kernel => "__kernel",
                FunctionSpec::Noreturn => "_Noreturn",
            };
            self.error(spec_span, format!("'{word}' can only appear on functions"));
        }
        self.check_function_attrs(&decl.specs.attrs);
        self.check_function_attrs(&declarator.attrs);
        let variable = Variable {
            name,
            span,
            ty,
            storage,
            init: item.init.as_ref(),
            align,
            unused: self.has_attr(&declarator.attrs, "unused"),
            weak: self.has_attr(&decl.specs.attrs, "weak")
                || self.has_attr(&declarator.attrs, "weak"),
        };
        if let Type::Block(_) = self.module.types.get(ty.q.ty) {
            if storage == Some(StorageClass::Extern) {
                self.error(span, "invalid block variable declaration - using 'extern' storage class is disallowed");
                return None;
            }
            return self.block_variable((name, span), ty.q.ty, item.init.as_ref(), out);
        }
        if self.at_program_scope() {
            self.program_variable(variable)
        } else {
            self.local_variable(variable, &decl.specs.attrs, out)
        }
    }

    fn typedef(&mut self, name: Symbol, span: Span, ty: SpacedType) -> Option<()> {
        if let Some(previous) = self.lookup_here(name) {
            if let Entity::Typedef(old) = previous.entity {
                if old.q != ty.q || old.space != ty.space {
                    // Both have this very name, which would not tell them apart.
                    let message = format!(
                        "typedef redefinition with different types ('{}' vs '{}')",
                        self.module.types.display_qual(ty.q),
                        self.module.types.display_qual(old.q)
                    );
                    let previous = previous.span;
                    self.error(span, message)
                        .note(previous, "previous definition is here");
                }
                return Some(());
            }
        }
        self.check_image_name(name, span, ty.q)?;
        let ty = self.device_range(name, ty);
        // `typedef struct {…} T`: the record takes the typedef's name in messages.
        if let Some(record) = self.module.types.record_id(ty.q.ty) {
            let text = self.name(name).to_string();
            let def = &mut self.module.types.records[record.0 as usize];
            if def.name.is_empty() {
                def.name = text;
                def.typedef_name = true;
            }
        }
        let q = self.module.types.named(self.name(name), ty.q);
        // Also the program's own `size_t` has another size on the host.
        let text = self.name(name);
        let host_sized = text != "bool" && names::forbidden_in_kernels(text);
        let not_for_kernels = ty.not_for_kernels || host_sized;
        let typedef = SpacedType {
            q,
            not_for_kernels,
            ..ty
        };
        self.bind_new(name, Entity::Typedef(typedef), span);
        Some(())
    }

    /// Returns the type that a typedef gives a name: the built-in `ndrange_t` for a struct of that name,
    /// which headers for compilers without the type declare. Its members are not the program's to know.
    fn device_range(&mut self, name: Symbol, ty: SpacedType) -> SpacedType {
        let kind = OpaqueKind::NdRange;
        let is_record = matches!(self.module.types.get(ty.q.ty), Type::Record(_));
        if !is_record || self.name(name) != kind.name() || kind.missing(&self.lang).is_some() {
            return ty;
        }
        SpacedType::plain(self.opaque(kind))
    }

    /// Refuses a typedef that gives the name of an image type a meaning of its own: these names are
    /// keywords to clang.
    fn check_image_name(&mut self, name: Symbol, span: Span, q: QualType) -> Option<()> {
        let text = self.name(name);
        if !text.starts_with("image") {
            return Some(());
        }
        match OpaqueKind::named(text) {
            Some(kind) if self.module.types.opaque(q.ty) != Some(kind) => {
                if kind.missing(&self.lang).is_some() {
                    return Some(());
                }
                let message = format!(
                    "cannot combine with previous '{}' declaration specifier",
                    self.module.types.display_qual(q)
                );
                self.error(span, message);
                None
            }
            _ => Some(()),
        }
    }

    pub(super) fn check_variable_type(&mut self, v: &Variable<'a>) -> Option<()> {
        let ty = v.ty.q.ty;
        let is_open_array = matches!(self.module.types.get(ty), Type::Array { len: None, .. });
        let is_record = matches!(self.module.types.get(ty), Type::Record(_));
        // C99 6.7p7 and 6.9.2: what is no definition yet may have an incomplete type.
        let is_declaration = v.init.is_none()
            && (v.storage == Some(StorageClass::Extern) || self.at_program_scope());
        let complete = if is_open_array {
            v.init.is_some() || is_declaration
        } else {
            self.module.types.is_complete(ty) || is_record && is_declaration
        };
        if !complete {
            let message = if is_open_array {
                "definition of variable with array type needs an explicit size or an initializer"
                    .to_string()
            } else {
                format!("variable has incomplete type {}", self.show(ty))
            };
            self.error(v.span, message);
            return None;
        }
        let mut elem = ty;
        while let Type::Array { elem: inner, .. } = *self.module.types.get(elem) {
            elem = inner.ty;
        }
        if let Some(OpaqueKind::Image(..) | OpaqueKind::Pipe(..)) = self.module.types.opaque(elem) {
            let message = format!(
                "type {} can only be used as a function parameter in OpenCL",
                self.show(elem)
            );
            self.error(v.span, message);
            return None;
        }
        self.check_half_value(elem, v.span, "variable")
    }

    pub(super) fn init_span(&self, init: &ast::Init) -> Span {
        match init {
            ast::Init::Expr(expr) => self.ast.expr(*expr).span,
            ast::Init::List(list) => list.span,
        }
    }
}
