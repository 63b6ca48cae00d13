//! Functions: declarations, definitions, overloads, recursion.
use rustc_hash::FxHashMap;

use super::Sema;
use super::convert::Parameter;
use super::program_variable::WEAK_STATIC;
use super::scope::{Binding, Entity, FuncMeta, SpacedType};
use super::typed::{Body, FuncId, Function, Inlining, LabelId, Linkage, StmtId};
use super::usage::Usage;
use crate::diagnostics::Warning;
use crate::lang::types::{QualType, Type, TypeId, TypeTable};
use crate::parse::ast::{
    DeclPart, DeclSpecs, Declarator, FunctionDef, FunctionSpec, ParamDecl, StorageClass,
};
use crate::source::{Span, Symbol};
use pumice_target::options::ClStd;

/// The function being checked.
#[derive(Debug)]
pub(super) struct FuncState {
    pub(super) id: FuncId,
    pub(super) name: String,
    pub(super) is_kernel: bool,
    pub(super) ret: TypeId,
    pub(super) labels: FxHashMap<Symbol, LabelState>,
    pub(super) label_count: u32,
    /// Loops around the current statement.
    pub(super) loops: u32,
    /// Switches around the current statement, innermost last.
    pub(super) switches: Vec<super::stmt::SwitchState>,
    /// Loops and switches, for `break`.
    pub(super) breakable: u32,
    pub(super) returns_value: bool,
    /// Statement expressions around the current statement.
    pub(super) in_expression: u32,
    /// The first `return` decides the type of the result (blocks).
    pub(super) infer_ret: bool,
    pub(super) usage: Usage,
}

impl FuncState {
    pub(super) fn new(id: FuncId, name: String, ret: TypeId) -> Self {
        Self {
            id,
            name,
            is_kernel: false,
            ret,
            labels: FxHashMap::default(),
            label_count: 0,
            loops: 0,
            switches: Vec::new(),
            breakable: 0,
            returns_value: false,
            in_expression: 0,
            infer_ret: false,
            usage: Usage::default(),
        }
    }
}

/// A `goto` label.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelState {
    pub(super) id: LabelId,
    pub(super) defined: Option<Span>,
    pub(super) used: Option<Span>,
}

/// The parameters of a function's declarator.
fn parameters(declarator: &Declarator) -> Vec<Parameter> {
    let Some(DeclPart::Function { params, .. }) = declarator.parts.first() else {
        return Vec::new();
    };
    let parameter = |param: &ParamDecl| match param.declarator.name {
        Some((name, span)) => Parameter {
            name: Some(name),
            span,
        },
        None => Parameter {
            name: None,
            span: param.span,
        },
    };
    params.iter().map(parameter).collect()
}

/// A function's declarator, resolved.
struct Signature {
    name: Symbol,
    span: Span,
    ret: TypeId,
    params: Vec<SpacedType>,
    variadic: bool,
    /// True if a type was refused; it is `ERROR` here.
    broken: bool,
}

/// The words of a declaration about a function, its type aside.
struct Traits {
    overloadable: bool,
    is_static: bool,
    linkage: Linkage,
    inlining: Inlining,
    must_use: bool,
    used: bool,
    weak: bool,
}

impl<'a> Sema<'a> {
    fn signature(&mut self, declarator: &'a Declarator, base: SpacedType) -> Option<Signature> {
        let (name, span) = declarator.name?;
        let Some(DeclPart::Function {
            params, variadic, ..
        }) = declarator.parts.first()
        else {
            return None;
        };
        let mut good = base.q.ty != TypeTable::ERROR;
        let ret = match good {
            true => self.derive(base, &declarator.parts[1..], declarator.span)?,
            false => base,
        };
        match self.module.types.get(ret.q.ty) {
            Type::Array { .. } | Type::Function { .. } => {
                let message = format!(
                    "function cannot return {} type {}",
                    if matches!(self.module.types.get(ret.q.ty), Type::Array { .. }) {
                        "array"
                    } else {
                        "function"
                    },
                    self.show(ret.q.ty)
                );
                self.error(span, message);
                return None;
            }
            _ => {}
        }
        if self.is_immaterial(ret.q.ty) {
            let message = format!(
                "declaring function return value of type {} is not allowed",
                self.show(ret.q.ty)
            );
            self.error(span, message);
            return None;
        }
        if ret.space.is_some() {
            self.error(span, "return type cannot be qualified with address space");
            return None;
        }
        let half = self.check_half_value(ret.q.ty, span, "function return value");
        good &= half.is_some();
        let text = self.name(name);
        if let Some(dots) = variadic {
            // As in clang, names of implementations may have them.
            let is_printf = text == "printf" && self.lang.std >= ClStd::Cl12;
            if !is_printf && !text.starts_with("__") {
                self.check_variadic(*dots)?;
            }
        }
        let mut types = Vec::with_capacity(params.len());
        for param in params {
            self.check_attrs(&param.specs.attrs);
            self.check_param_attrs(&param.specs.attrs);
            let at = param.declarator.name.map_or(param.span, |(_, span)| span);
            let ty = self.param_type(param).filter(|ty| {
                let half = self.check_half_value(ty.q.ty, at, "function parameter");
                half.is_some()
            });
            good &= ty.is_some();
            types.push(ty.unwrap_or(SpacedType::plain(TypeTable::ERROR)));
        }
        Some(Signature {
            broken: !good,
            name,
            span,
            ret: ret.q.ty,
            params: types,
            variadic: variadic.is_some(),
        })
    }

    /// A prototype.
    pub(super) fn function_declaration(
        &mut self,
        specs: &'a DeclSpecs,
        declarator: &'a Declarator,
        base: SpacedType,
    ) -> Option<FuncId> {
        let signature = self.signature(declarator, base).filter(|s| !s.broken)?;
        if signature.variadic && self.name(signature.name) == "printf" {
            // A declaration of printf by hand means the built-in.
            return Some(FuncId(0));
        }
        let id = self.declare(specs, declarator, &signature)?;
        if self.is_kernel(specs, declarator) {
            let DeclPart::Function { params, .. } = &declarator.parts[0] else {
                return None;
            };
            self.kernel_checks(
                id,
                specs,
                declarator,
                params,
                &signature.params,
                signature.span,
            );
        }
        Some(id)
    }

    /// A prototype whose type a typedef gives: `typedef int F(int); F f;` (C99 6.7.5.3). The type of a
    /// definition stands in its own declarator (C99 6.9.1p2).
    pub(super) fn function_by_typedef(
        &mut self,
        specs: &'a DeclSpecs,
        declarator: &'a Declarator,
        ty: TypeId,
    ) -> Option<FuncId> {
        let (name, span) = declarator.name?;
        let Type::Function {
            ret,
            params,
            variadic,
        } = self.module.types.get(ty)
        else {
            return None;
        };
        let signature = Signature {
            name,
            span,
            ret: *ret,
            params: params.iter().copied().map(SpacedType::plain).collect(),
            variadic: *variadic,
            broken: false,
        };
        let id = self.declare(specs, declarator, &signature)?;
        let known = self.module.function(id).kernel.is_some();
        if !known && self.is_kernel(specs, declarator) {
            // The definition names the arguments.
            self.kernel_checks(id, specs, declarator, &[], &[], span);
        }
        Some(id)
    }

    /// Refuses kernels of which no declaration says `kernel` and names the arguments.
    pub(super) fn finish_kernels(&mut self) {
        for function in &self.module.functions {
            let Some(kernel) = &function.kernel else {
                continue;
            };
            if function.body.is_some() && kernel.args.len() != function.params.len() {
                let name = &function.name;
                let message = format!(
                    "'{name}' is declared as a kernel through a typedef: its definition must say 'kernel' too"
                );
                self.diags.error(function.span, message);
            }
        }
    }

    fn is_kernel(&self, specs: &DeclSpecs, declarator: &Declarator) -> bool {
        specs
            .function
            .iter()
            .any(|(spec, _)| *spec == FunctionSpec::Kernel)
            || self.has_attr(&specs.attrs, "kernel")
            || self.has_attr(&declarator.attrs, "kernel")
    }

    /// Declares a function: the one of that name and those parameters, or a new one.
    fn declare(
        &mut self,
        specs: &'a DeclSpecs,
        declarator: &'a Declarator,
        signature: &Signature,
    ) -> Option<FuncId> {
        let text = self.name(signature.name);
        if text == "main" {
            let what = match self.is_kernel(specs, declarator) {
                true => "kernel",
                false => "function",
            };
            self.error(signature.span, format!("{what} cannot be called 'main'"));
        }
        let params: Vec<TypeId> = signature.params.iter().map(|p| p.q.ty).collect();
        let traits = self.traits(specs, declarator);
        let mut known = self.functions_of_name(signature)?;
        let mut same = known.iter().copied();
        let same = same.find(|&id| self.module.function(id).params == params);
        if let Some(id) = same {
            self.redeclare(id, &traits, signature)?;
            self.rebind_function(signature, known);
            return Some(id);
        }
        if let Some(&first) = known.first() {
            if !traits.overloadable || !self.funcs[first.0 as usize].overloadable {
                self.conflicting_types(first, signature);
                return None;
            }
        }
        let id = self.new_function(&traits, params, declarator, signature);
        known.push(id);
        self.rebind_function(signature, known);
        Some(id)
    }

    fn traits(&self, specs: &DeclSpecs, declarator: &Declarator) -> Traits {
        // An attribute of a declaration may stand behind the `*` of its type, too.
        let behind_stars = declarator.parts.iter().filter_map(|part| match part {
            DeclPart::Pointer { attrs, .. } => Some(attrs),
            _ => None,
        });
        let attributes: Vec<_> = behind_stars
            .chain([&specs.attrs, &declarator.attrs])
            .collect();
        let attribute = |name| attributes.iter().any(|attrs| self.has_attr(attrs, name));
        let is_inline = specs
            .function
            .iter()
            .any(|(spec, _)| *spec == FunctionSpec::Inline);
        let is_static = specs
            .storage
            .iter()
            .any(|(class, _)| *class == StorageClass::Static);
        Traits {
            overloadable: attribute("overloadable"),
            is_static,
            linkage: match is_inline || is_static {
                true => Linkage::Internal,
                false => Linkage::Import,
            },
            inlining: if attribute("noinline") {
                Inlining::Refused
            } else if is_inline || attribute("always_inline") {
                Inlining::Wanted
            } else {
                Inlining::Free
            },
            must_use: attribute("warn_unused_result"),
            used: attribute("unused") || attribute("used"),
            weak: attribute("weak"),
        }
    }

    /// The functions that have the name already.
    fn functions_of_name(&self, signature: &Signature) -> Option<Vec<FuncId>> {
        let Some(previous) = self.scopes[0].names.get(&signature.name) else {
            return Some(Vec::new());
        };
        match &previous.entity {
            Entity::Functions(ids) => Some(ids.clone()),
            Entity::Poisoned => Some(Vec::new()),
            _ => {
                let text = self.name(signature.name);
                let message = format!("redefinition of '{text}' as different kind of symbol");
                self.error(signature.span, message)
                    .note(previous.span, "previous definition is here");
                None
            }
        }
    }

    /// Adds to a function what another declaration of it says.
    fn redeclare(&mut self, id: FuncId, traits: &Traits, signature: &Signature) -> Option<()> {
        let old = self.module.function(id);
        let (old_span, old_ret) = (old.span, old.ret);
        if old_ret != signature.ret {
            self.conflicting_types(id, signature);
            return None;
        }
        if traits.is_static && !self.funcs[id.0 as usize].is_static {
            let text = self.name(signature.name);
            self.static_after_other(text, signature.span, old_span);
            return None;
        }
        let function = &mut self.module.functions[id.0 as usize];
        function.inlining = match (function.inlining, traits.inlining) {
            (Inlining::Refused, _) | (_, Inlining::Free) => function.inlining,
            (_, newer) => newer,
        };
        if traits.linkage == Linkage::Internal {
            function.linkage = Linkage::Internal;
        }
        self.funcs[id.0 as usize].weak |= traits.weak;
        Some(())
    }

    fn conflicting_types(&self, old: FuncId, signature: &Signature) {
        let text = self.name(signature.name);
        let old_span = self.module.function(old).span;
        self.error(signature.span, format!("conflicting types for '{text}'"))
            .note(old_span, "previous declaration is here");
    }

    fn new_function(
        &mut self,
        traits: &Traits,
        params: Vec<TypeId>,
        declarator: &'a Declarator,
        signature: &Signature,
    ) -> FuncId {
        let text = self.name(signature.name);
        let id = FuncId(self.module.functions.len() as u32);
        let link_name = match traits.overloadable {
            true => self.mangle(text, &params),
            false => text.to_string(),
        };
        self.module.functions.push(Function {
            name: text.to_string(),
            link_name,
            ret: signature.ret,
            params,
            linkage: traits.linkage,
            inlining: traits.inlining,
            kernel: None,
            body: None,
            span: signature.span,
        });
        self.funcs.push(FuncMeta {
            overloadable: traits.overloadable,
            variadic: signature.variadic,
            defined: false,
            params: parameters(declarator),
            must_use: traits.must_use,
            is_static: traits.is_static,
            weak: traits.weak,
            used: traits.used,
        });
        id
    }

    /// Gives weak functions their linkage, which any of their declarations may ask for.
    pub(super) fn finish_weak_functions(&mut self) {
        for (meta, function) in self.funcs.iter().zip(&mut self.module.functions) {
            if meta.weak && meta.is_static {
                self.diags.error(function.span, WEAK_STATIC.to_string());
            }
            if meta.weak && function.linkage == Linkage::External && function.kernel.is_none() {
                function.linkage = Linkage::Weak;
            }
        }
    }

    /// Functions belong to program scope; a prototype inside a function is visible there too.
    fn rebind_function(&mut self, signature: &Signature, ids: Vec<FuncId>) {
        let binding = Binding {
            entity: Entity::Functions(ids),
            span: signature.span,
        };
        let last = self.scopes.len() - 1;
        self.scopes[0].names.insert(signature.name, binding.clone());
        if last > 0 {
            self.scopes[last].names.insert(signature.name, binding);
        }
    }

    /// A definition.
    pub(super) fn function_definition(&mut self, def: &'a FunctionDef) {
        self.check_attrs(&def.specs.attrs);
        self.check_attrs(&def.declarator.attrs);
        let Some((name, name_span)) = def.declarator.name else {
            return;
        };
        if let Some(StorageClass::Typedef) = self.storage_class(&def.specs) {
            self.error(name_span, "function definition declared 'typedef'");
        }
        let base = self.spec_type(&def.specs);
        let base = base.unwrap_or(SpacedType::plain(TypeTable::ERROR));
        let signature = self.signature(&def.declarator, base);
        let is_known = self.lookup_here(name).is_some();
        let broken = signature.as_ref().is_none_or(|signature| signature.broken);
        if broken && !is_known {
            self.bind(name, Entity::Poisoned, name_span);
        }
        // The body of a new function is checked in spite of its signature.
        let Some(signature) = signature.filter(|_| !broken || !is_known) else {
            return;
        };
        if signature.variadic && self.name(name) == "printf" {
            self.error(name_span, "definition of builtin function 'printf'");
            return;
        }
        if signature.ret != TypeTable::VOID && !self.module.types.is_complete(signature.ret) {
            let message = format!(
                "incomplete result type {} in function definition",
                self.show(signature.ret)
            );
            self.error(name_span, message);
            return;
        }
        let Some(id) = self.declare(&def.specs, &def.declarator, &signature) else {
            return;
        };
        if broken {
            self.bind(name, Entity::Poisoned, name_span);
        }
        if self.funcs[id.0 as usize].defined {
            let old = self.module.function(id).span;
            self.error(name_span, format!("redefinition of '{}'", self.name(name)))
                .note(old, "previous definition is here");
            return;
        }
        self.funcs[id.0 as usize].defined = true;
        let DeclPart::Function { params, .. } = &def.declarator.parts[0] else {
            return;
        };
        let is_kernel = self.is_kernel(&def.specs, &def.declarator)
            || self.module.function(id).kernel.is_some();
        if !is_kernel {
            self.check_kernel_attrs(&def.specs.attrs);
            self.check_kernel_attrs(&def.declarator.attrs);
        }
        if is_kernel && !broken {
            self.kernel_checks(
                id,
                &def.specs,
                &def.declarator,
                params,
                &signature.params,
                name_span,
            );
        }
        let function = &mut self.module.functions[id.0 as usize];
        function.span = name_span;
        if function.linkage == Linkage::Import {
            function.linkage = Linkage::External;
        }
        self.body = Body::default();
        self.const_locals.clear();
        self.func = Some(FuncState {
            is_kernel,
            ..FuncState::new(id, self.name(name).to_string(), signature.ret)
        });
        self.push_scope();
        self.bind_params(params, &signature.params);
        let root = self.function_body(def.body);
        self.pop_scope();
        self.finish_labels();
        let root = self.jump_for_tail_calls(id, root);
        if let Some(func) = self.func.take() {
            self.body.label_count = func.label_count;
            let end = self.ast.stmt(def.body).span.end();
            self.warn_of_body(func, root, end);
        }
        self.body.root = Some(root);
        let body = std::mem::take(&mut self.body);
        self.module.functions[id.0 as usize].body = Some(body);
    }

    /// Warns of what a whole body lacks or does not use. After an error it may lack the very `return`.
    fn warn_of_body(&mut self, func: FuncState, root: StmtId, end: Span) {
        if self.diags.has_errors() {
            return;
        }
        self.report_usage(&func.usage, !func.labels.is_empty());
        // A warning may count as an error.
        let complete = !self.diags.has_errors();
        if func.ret != TypeTable::VOID && complete && self.can_fall_through(root) {
            let message = match func.returns_value {
                true => "non-void function does not return a value in all control paths",
                false => "non-void function does not return a value",
            };
            self.warning(Warning::ReturnType, end, message);
        }
    }

    fn bind_params(&mut self, params: &'a [ParamDecl], types: &[SpacedType]) {
        for (param, ty) in params.iter().zip(types) {
            let (text, span) = match param.declarator.name {
                Some((name, span)) => (self.name(name).to_string(), span),
                None => (String::new(), param.span),
            };
            if !self.module.types.is_complete(ty.q.ty) {
                let message = format!("variable has incomplete type {}", self.show(ty.q.ty));
                self.error(span, message);
            }
            let q: QualType = ty.q;
            let id = self.add_local(text, q, 0, span);
            let unused = self.has_attr(&param.specs.attrs, "unused")
                || self.has_attr(&param.declarator.attrs, "unused");
            if !unused {
                self.note_declared(id, true, true);
            }
            if let Some((name, span)) = param.declarator.name {
                if ty.q.ty == TypeTable::ERROR {
                    self.bind(name, Entity::Poisoned, span);
                } else if let Some(previous) = self.lookup_here(name) {
                    let previous = previous.span;
                    let message = format!("redefinition of parameter '{}'", self.name(name));
                    self.error(span, message)
                        .note(previous, "previous declaration is here");
                } else {
                    self.bind(name, Entity::Local(id), span);
                }
            }
        }
    }
}
