//! Declarations of variables and typedefs.
use super::Sema;
use super::requires::version_name;
use super::scope::{Entity, GlobalMeta, SpacedType};
use super::typed::{ConstData, Global, GlobalId, Linkage, StmtId};
use crate::diagnostics::Warning;
use crate::lang::names::{self, NamedType};
use crate::lang::options::STORAGE_CLASSES;
use crate::lang::types::{AddrSpace, OpaqueKind, QualType, Type, TypeId, TypeTable};
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
}

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
                let at = self.init_span(init);
                self.error(
                    at,
                    "illegal initializer (only variables can be initialized)",
                );
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
                let at = self.init_span(init);
                self.error(
                    at,
                    "illegal initializer (only variables can be initialized)",
                );
            }
            return self.typedef(name, span, SpacedType { align, ..ty });
        }
        if matches!(self.module.types.get(ty.q.ty), Type::Function { .. }) {
            self.error(
                span,
                "declaring a function through a typedef is not supported in OpenCL C",
            );
            return None;
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
        // C99 6.7p7: only what is not a definition may have an incomplete type.
        let is_declaration = v.storage == Some(StorageClass::Extern) && v.init.is_none();
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

    /// Refuses a variable that has the name of an atomic type.
    fn check_atomic_name(&mut self, v: &Variable<'a>) -> Option<()> {
        let text = self.name(v.name);
        let atomic = self.lang.std >= ClStd::Cl20
            && text.starts_with("atomic_")
            && matches!(names::lookup(text), Some(NamedType::Atomic(_)));
        if atomic {
            let message = format!("redefinition of '{text}' as different kind of symbol");
            self.error(v.span, message);
        }
        (!atomic).then_some(())
    }

    fn program_variable(&mut self, v: Variable<'a>) -> Option<()> {
        self.check_variable_type(&v)?;
        self.check_atomic_name(&v)?;
        if self.is_sampler(v.ty.q.ty) {
            return self.sampler_variable(&v);
        }
        let globals_allowed = self.lang.program_scope_globals();
        let space = match v.ty.space {
            Some(AddrSpace::Constant) => AddrSpace::Constant,
            Some(AddrSpace::Global) | None if globals_allowed => AddrSpace::Global,
            _ => {
                self.wrong_space(v.span, "program scope");
                return None;
            }
        };
        if matches!(self.module.types.get(v.ty.q.ty), Type::Opaque(_)) {
            let message = format!(
                "the {} type cannot be used to declare a program scope variable",
                self.show(v.ty.q.ty)
            );
            self.error(v.span, message);
            return None;
        }
        let is_extern = v.storage == Some(StorageClass::Extern);
        let linkage = match (v.storage, v.init) {
            (Some(StorageClass::Static), _) => Linkage::Internal,
            (Some(StorageClass::Extern), None) => Linkage::Import,
            _ => Linkage::External,
        };
        let id = match self.previous_global(&v, space)? {
            Some(id) => {
                let global = &mut self.module.globals[id.0 as usize];
                if global.linkage == Linkage::Import {
                    global.linkage = linkage;
                }
                global.align = global.align.max(v.align);
                id
            }
            None => {
                let id = self.add_global(&v, space, linkage, None);
                self.bind(v.name, Entity::Global(id), v.span);
                id
            }
        };
        if let Some(init) = v.init {
            self.initialise_global(id, init)?;
        } else if !is_extern {
            if space == AddrSpace::Constant {
                self.error(v.span, NO_INITIALIZER);
                return None;
            }
            self.global_meta[id.0 as usize].tentative = true;
        }
        Some(())
    }

    /// The earlier declaration of a program-scope variable, if there is one that agrees.
    fn previous_global(&mut self, v: &Variable<'a>, space: AddrSpace) -> Option<Option<GlobalId>> {
        let Some(previous) = self.lookup_here(v.name).cloned() else {
            return Some(None);
        };
        let text = self.name(v.name);
        let id = match previous.entity {
            Entity::Global(id) => id,
            Entity::Poisoned => return Some(None),
            _ => {
                let message = format!("redefinition of '{text}' as different kind of symbol");
                self.error(v.span, message)
                    .note(previous.span, "previous definition is here");
                return None;
            }
        };
        let old = self.module.global(id);
        let (old_ty, old_space, old_linkage) = (old.ty, old.space, old.linkage);
        let same = self.composite(old_ty, v.ty.q);
        let (Some(ty), true) = (same, old_space == space) else {
            let message = format!(
                "redefinition of '{text}' with a different type: {} vs {}",
                self.show_qual(v.ty.q),
                self.show_qual(old_ty)
            );
            self.error(v.span, message)
                .note(previous.span, "previous definition is here");
            return None;
        };
        if self.global_meta[id.0 as usize].defined && v.init.is_some() {
            self.error(v.span, format!("redefinition of '{text}'"))
                .note(previous.span, "previous definition is here");
            return None;
        }
        if v.storage == Some(StorageClass::Static) && old_linkage != Linkage::Internal {
            self.error(
                v.span,
                format!("static declaration of '{text}' follows non-static declaration"),
            )
            .note(previous.span, "previous definition is here");
            return None;
        }
        self.module.globals[id.0 as usize].ty = ty;
        Some(Some(id))
    }

    /// The type of two declarations of one object.
    fn composite(&self, a: QualType, b: QualType) -> Option<QualType> {
        if a == b {
            return Some(a);
        }
        let parts = |q: QualType| match *self.module.types.get(q.ty) {
            Type::Array { elem, len } => Some((elem, len)),
            _ => None,
        };
        match (parts(a), parts(b)) {
            (Some((x, None)), Some((y, Some(_)))) if x == y => Some(b),
            (Some((x, Some(_))), Some((y, None))) if x == y => Some(a),
            _ => None,
        }
    }

    pub(super) fn add_global(
        &mut self,
        v: &Variable<'a>,
        space: AddrSpace,
        linkage: Linkage,
        init: Option<ConstData>,
    ) -> GlobalId {
        let own = self.name(v.name);
        let (name, owner) = match &self.func {
            Some(func) => (format!("{}.{own}", func.name), Some(func.id)),
            None => (own.to_string(), None),
        };
        let ty = v.ty.q;
        let align = self.module.types.align(ty.ty).max(v.align);
        self.push_global(Global {
            name,
            ty,
            space,
            linkage,
            align,
            init,
            owner,
            is_string: false,
            span: v.span,
        })
    }

    pub(super) fn push_global(&mut self, global: Global) -> GlobalId {
        self.module.globals.push(global);
        self.global_meta.push(GlobalMeta::default());
        GlobalId(self.module.globals.len() as u32 - 1)
    }

    pub(super) fn initialise_global(&mut self, id: GlobalId, init: &'a ast::Init) -> Option<()> {
        self.global_meta[id.0 as usize].defined = true;
        let q = self.module.global(id).ty;
        let (ty, data) = self.constant_initialiser(q.ty, init, self.module.global(id).span)?;
        let align = self.module.types.align(ty);
        let global = &mut self.module.globals[id.0 as usize];
        global.ty.ty = ty;
        global.align = global.align.max(align);
        global.init = Some(data);
        Some(())
    }

    /// Variables declared without initialiser hold zeros.
    pub(super) fn finish_tentative(&mut self) {
        for index in 0..self.module.globals.len() {
            let meta = &self.global_meta[index];
            if !meta.tentative || meta.defined {
                continue;
            }
            let global = &self.module.globals[index];
            let size = self.module.types.size(global.ty.ty);
            if self.check_data_size(size, global.span).is_none() {
                continue;
            }
            let size = size as usize;
            self.module.globals[index].init = Some(ConstData {
                bytes: vec![0; size],
                relocs: Vec::new(),
            });
        }
    }

    pub(super) fn init_span(&self, init: &ast::Init) -> Span {
        match init {
            ast::Init::Expr(expr) => self.ast.expr(*expr).span,
            ast::Init::List(list) => list.span,
        }
    }

    /// The string literal's variable; equal literals share one.
    pub(super) fn string_literal(&mut self, bytes: &[u8], span: Span) -> GlobalId {
        if let Some(&id) = self.strings.get(bytes) {
            return id;
        }
        let mut data = bytes.to_vec();
        data.push(0);
        let elem = QualType::plain(TypeTable::CHAR);
        let ty: TypeId = self.module.types.array(elem, Some(data.len() as u64));
        let name = match self.strings.len() {
            0 => ".str".to_string(),
            n => format!(".str.{n}"),
        };
        let id = self.push_global(Global {
            name,
            ty: QualType::plain(ty),
            space: AddrSpace::Constant,
            linkage: Linkage::Internal,
            align: 1,
            init: Some(ConstData {
                bytes: data,
                relocs: Vec::new(),
            }),
            owner: None,
            is_string: true,
            span,
        });
        self.strings.insert(bytes.to_vec(), id);
        id
    }
}
