//! Specifiers, parameters and type names to types.
use super::Sema;
use super::scope::{Entity, SpacedType};
use crate::diagnostics::Warning;
use crate::lang::foreign;
use crate::lang::names::{self, NamedType};
use crate::lang::types::{Access, AddrSpace, FloatKind, OpaqueKind, QualType, Quals, Type, TypeId};
use crate::parse::ast::{self, DeclSpecs, Qual, TypeSpec};
use crate::source::{Span, Symbol};
use pumice_target::options::ClStd;

impl<'a> Sema<'a> {
    /// The type of specifiers, with qualifiers and address space.
    pub(super) fn spec_type(&mut self, specs: &'a DeclSpecs) -> Option<SpacedType> {
        let base = self.base_type(&specs.ty, specs)?;
        if let TypeSpec::Named(name) = specs.ty {
            self.check_typedef_access(name, base.q.ty, &specs.quals)?;
        }
        if specs.attrs.is_empty() {
            return self.qualify(base, &specs.quals);
        }
        let mut quals = specs.quals.clone();
        let spaces = specs.attrs.iter().filter_map(|attr| {
            let qual = space_of_attr(self.attr_name(attr))?;
            Some((qual, attr.name_span))
        });
        quals.extend(spaces);
        self.qualify(base, &quals)
    }

    /// Refuses another access qualifier on a typedef of an image type, which has one already.
    fn check_typedef_access(
        &mut self,
        name: Symbol,
        ty: TypeId,
        quals: &[(Qual, Span)],
    ) -> Option<()> {
        let Some(OpaqueKind::Image(_, of_typedef)) = self.module.types.opaque(ty) else {
            return Some(());
        };
        for &(qual, span) in quals {
            let other = access_of(qual).is_some_and(|access| access != of_typedef);
            if other && self.lookup(name).is_some() {
                self.error(span, "multiple access qualifiers");
                return None;
            }
        }
        Some(())
    }

    fn base_type(&mut self, spec: &'a TypeSpec, specs: &'a DeclSpecs) -> Option<SpacedType> {
        let span = specs.ty_span;
        match spec {
            TypeSpec::Missing => {
                self.error(
                    specs.span,
                    "a type specifier is required for all declarations",
                );
                None
            }
            TypeSpec::Words(words) => self.word_type(words).map(SpacedType::plain),
            TypeSpec::Named(name) => self.named_type(*name, span),
            TypeSpec::Record(record) => self.record_type(record, specs).map(SpacedType::plain),
            TypeSpec::Enum(spec) => self.enum_type(spec).map(SpacedType::plain),
            TypeSpec::Auto => {
                self.error(span, "'__auto_type' not allowed here");
                None
            }
            TypeSpec::TypeofExpr(expr) => {
                let operand = self.unevaluated(*expr)?;
                Some(SpacedType::qual(operand))
            }
            TypeSpec::TypeofType(name) => self.type_name(*name),
            TypeSpec::Atomic(_) => {
                self.no_atomic_word(span);
                None
            }
            TypeSpec::Pipe(packet) => {
                let packet = self.base_type(packet, specs)?.q.ty;
                self.pipe_type(packet, span).map(SpacedType::plain)
            }
            TypeSpec::Error => None,
        }
    }

    /// Returns whether no object in memory can have the type: blocks, images, samplers and pipes.
    pub(super) fn is_immaterial(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Block(_) => true,
            Type::Opaque(kind) => kind.is_handle(),
            _ => false,
        }
    }

    /// An opaque type, if the device has it.
    fn opaque_type(&mut self, kind: OpaqueKind, span: Span) -> Option<TypeId> {
        let ty = self.module.types.intern(Type::Opaque(kind));
        if let Some(needs) = kind.missing(&self.lang) {
            let shown = match kind {
                OpaqueKind::Image(_, Access::ReadWrite | Access::Write) => {
                    self.module.types.display(ty)
                }
                _ => kind.name().to_string(),
            };
            self.requires(span, &format!("type '{shown}'"), needs);
            return None;
        }
        Some(ty)
    }

    /// `pipe T`: T is a scalar, a vector or a struct (OpenCL C 3.0 §6.15.16).
    fn pipe_type(&mut self, packet: TypeId, span: Span) -> Option<TypeId> {
        let ty = self.opaque_type(OpaqueKind::Pipe(packet, Access::Read), span)?;
        let types = &self.module.types;
        let good = match types.get(packet) {
            Type::Opaque(_) | Type::Pointer { .. } | Type::Error => false,
            _ => types.is_complete(packet),
        };
        if !good {
            let message = format!("invalid pipe packet type {}", self.show(packet));
            self.error(span, message);
            return None;
        }
        Some(ty)
    }

    /// An image or pipe type with an access qualifier.
    fn with_access(&mut self, ty: TypeId, qual: Qual, span: Span) -> Option<TypeId> {
        let access = access_of(qual).unwrap_or(Access::ReadWrite);
        match self.module.types.opaque(ty) {
            Some(OpaqueKind::Image(kind, _)) => {
                self.opaque_type(OpaqueKind::Image(kind, access), span)
            }
            Some(OpaqueKind::Pipe(..)) if access == Access::ReadWrite => {
                self.error(
                    span,
                    "access qualifier 'read_write' cannot be used for 'pipe'",
                );
                None
            }
            Some(OpaqueKind::Pipe(packet, _)) => {
                self.opaque_type(OpaqueKind::Pipe(packet, access), span)
            }
            _ => {
                let message = "access qualifier can only be used for pipe and image type";
                self.error(span, message);
                None
            }
        }
    }

    /// Refuses `_Atomic` (OpenCL C 3.0 §6.15.12.6).
    fn no_atomic_word(&mut self, span: Span) {
        self.error(span, "'_Atomic' is not supported in OpenCL C")
            .hint("use a type such as 'atomic_int'");
    }

    fn named_type(&mut self, name: Symbol, span: Span) -> Option<SpacedType> {
        if let Some(binding) = self.lookup(name) {
            return match &binding.entity {
                Entity::Typedef(spaced) => Some(*spaced),
                Entity::Poisoned => None,
                _ => {
                    self.error(span, format!("unknown type name '{}'", self.name(name)));
                    None
                }
            };
        }
        let text = self.name(name);
        let narrow = self.lang.narrow_addresses;
        let known = names::lookup(text).map(|named| match narrow {
            true => names::narrowed(text, named),
            false => named,
        });
        let found = match known {
            Some(NamedType::Type(ty)) => SpacedType::plain(self.builtin_name(name, ty)),
            Some(NamedType::Vector(elem, len)) => {
                SpacedType::plain(self.module.types.vector(elem, len))
            }
            Some(NamedType::Atomic(_)) if self.lang.std < ClStd::Cl20 => {
                self.requires(span, &format!("type '{text}'"), "OpenCL C 2.0");
                return None;
            }
            Some(NamedType::Atomic(value))
                if self.module.types.size(value) == 8 && !self.lang.int64_atomics =>
            {
                let extensions = "cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics";
                self.requires(span, &format!("type '{text}'"), extensions);
                return None;
            }
            Some(NamedType::Atomic(value)) => {
                let ty = self.module.types.intern(Type::Atomic(value));
                SpacedType::plain(self.builtin_name(name, ty))
            }
            Some(NamedType::Opaque(kind)) => SpacedType::plain(self.opaque_type(kind, span)?),
            None => {
                let advice = foreign::advice(text, || self.suggest_type(text));
                let message = advice.complete(format!("unknown type name '{text}'"));
                let report = self.error(span, message);
                if let Some(hint) = advice.hint {
                    report.hint(hint);
                }
                return None;
            }
        };
        let (elem, _) = self.module.types.elem_lanes(found.q.ty);
        self.check_float_allowed(elem, span)?;
        Some(SpacedType {
            not_for_kernels: names::forbidden_in_kernels(text),
            ..found
        })
    }

    /// `size_t` and its like are typedefs to messages.
    fn builtin_name(&mut self, name: Symbol, ty: TypeId) -> TypeId {
        if let Some(&named) = self.builtin_names.get(&name) {
            return named;
        }
        let named = self
            .module
            .types
            .named(self.name(name), QualType::plain(ty))
            .ty;
        self.builtin_names.insert(name, named);
        named
    }

    /// Doubles need the device; half does as a value, which is checked where values are declared.
    pub(super) fn check_float_allowed(&mut self, ty: TypeId, span: Span) -> Option<()> {
        let value = match *self.module.types.get(ty) {
            Type::Atomic(value) => value,
            _ => ty,
        };
        if self.module.types.float_kind(value) == Some(FloatKind::Double) && !self.lang.fp64() {
            self.requires(span, "type 'double'", "cl_khr_fp64");
            return None;
        }
        Some(())
    }

    /// Adds written qualifiers to a type.
    pub(super) fn qualify(
        &mut self,
        base: SpacedType,
        quals: &[(Qual, Span)],
    ) -> Option<SpacedType> {
        let mut out = base;
        let mut written: Option<AddrSpace> = None;
        let mut add = Quals::empty();
        let mut access: Option<Qual> = None;
        for &(qual, span) in quals {
            let space = match qual {
                Qual::Const => {
                    add |= Quals::CONST;
                    continue;
                }
                Qual::Volatile => {
                    add |= Quals::VOLATILE;
                    continue;
                }
                Qual::Restrict => {
                    if !self.module.types.is_pointer(out.q.ty) {
                        let message = format!(
                            "restrict requires a pointer ({} is invalid)",
                            self.show(out.q.ty)
                        );
                        self.error(span, message);
                        return None;
                    }
                    add |= Quals::RESTRICT;
                    continue;
                }
                Qual::Atomic => {
                    self.no_atomic_word(span);
                    return None;
                }
                Qual::ReadOnly | Qual::WriteOnly | Qual::ReadWrite => {
                    if access == Some(qual) {
                        let message =
                            format!("duplicate '{}' declaration specifier", access_name(qual));
                        self.warning(Warning::DuplicateDeclSpecifier, span, message);
                        continue;
                    }
                    if access.is_some() {
                        self.error(span, "multiple access qualifiers");
                        return None;
                    }
                    out.q.ty = self.with_access(out.q.ty, qual, span)?;
                    access = Some(qual);
                    continue;
                }
                Qual::Private => AddrSpace::Private,
                Qual::Global => AddrSpace::Global,
                Qual::Local => AddrSpace::Local,
                Qual::Constant => AddrSpace::Constant,
                Qual::GlobalDevice => AddrSpace::GlobalDevice,
                Qual::GlobalHost => AddrSpace::GlobalHost,
                Qual::Generic => {
                    if !self.lang.generic_address_space() {
                        self.no_generic(span);
                        return None;
                    }
                    AddrSpace::Generic
                }
            };
            match written.or(base.space) {
                Some(other) if other != space => {
                    self.error(span, "multiple address spaces specified for type");
                    return None;
                }
                Some(_) if written.is_some() => {
                    self.warning(
                        Warning::DuplicateDeclSpecifier,
                        span,
                        "multiple identical address spaces specified for type",
                    );
                }
                _ => {}
            }
            written = Some(space);
        }
        out.space = written.or(base.space);
        out.q = self.add_quals(out.q, add);
        Some(out)
    }

    /// Adds qualifiers; those of an array belong to its elements.
    pub(super) fn add_quals(&mut self, q: QualType, add: Quals) -> QualType {
        if add.is_empty() {
            return q;
        }
        if let Type::Array { elem, len } = *self.module.types.get(q.ty) {
            let elem = self.add_quals(elem, add);
            return QualType::plain(self.module.types.array(elem, len));
        }
        q.with(add)
    }

    /// Returns the address space of a pointee declared without one.
    pub(super) fn default_pointee_space(&self) -> AddrSpace {
        if self.lang.generic_address_space() {
            AddrSpace::Generic
        } else {
            AddrSpace::Private
        }
    }

    /// A parameter's type after decay.
    pub(super) fn param_type(&mut self, param: &'a ast::ParamDecl) -> Option<SpacedType> {
        let base = self.spec_type(&param.specs)?;
        let mut ty = self.declarator_type(base, &param.declarator)?;
        let span = param.declarator.name.map_or(param.span, |(_, span)| span);
        if let Some((_, at)) =
            (param.specs.function.iter()).find(|(spec, _)| *spec == ast::FunctionSpec::Kernel)
        {
            self.error(*at, "'kernel' attribute only applies to functions");
            return None;
        }
        match *self.module.types.get(ty.q.ty) {
            Type::Array { elem, .. } => {
                let space = ty.space.unwrap_or_else(|| self.default_pointee_space());
                ty.q = QualType::plain(self.module.types.pointer(elem, space));
                ty.space = None;
            }
            Type::Function { .. } => {
                ty = SpacedType::plain(self.pointer_to_function(ty.q.ty, span)?);
            }
            Type::Block(_) => {
                let message = format!(
                    "declaring function parameter of type {} is not allowed",
                    self.show(ty.q.ty)
                );
                self.error(span, message);
                return None;
            }
            Type::Void => {
                self.error(span, "argument may not have 'void' type");
                return None;
            }
            _ => {}
        }
        match ty.space {
            None | Some(AddrSpace::Private) => {}
            Some(_) => {
                self.error(span, "parameter may not be qualified with an address space");
                return None;
            }
        }
        ty.space = None;
        Some(ty)
    }

    /// The type that a type name means.
    pub(super) fn type_name(&mut self, id: ast::TypeNameId) -> Option<SpacedType> {
        let ast = self.ast;
        let name = ast.type_name(id);
        let base = self.spec_type(&name.specs)?;
        self.declarator_type(base, &name.declarator)
    }

    /// Returns whether a type is of halves that the language does not have here.
    pub(super) fn lacks_half(&self, ty: TypeId) -> bool {
        let (elem, lanes) = self.module.types.elem_lanes(ty);
        let is_half = self.module.types.float_kind(elem) == Some(FloatKind::Half);
        is_half && !self.lang.half_values(lanes > 1)
    }

    /// Refuses values of half where the device cannot compute with it.
    pub(super) fn check_half_value(&mut self, ty: TypeId, span: Span, what: &str) -> Option<()> {
        let mut elem = ty;
        while let Type::Array { elem: inner, .. } = self.module.types.get(elem) {
            elem = inner.ty;
        }
        if self.lacks_half(elem) {
            let pointer = match what {
                "variable" => "",
                _ => "; did you forget * ?",
            };
            let message = format!(
                "declaring {what} of type {} is not allowed{pointer}",
                self.show(ty)
            );
            let report = self.error(span, message);
            self.extension_note(report, "cl_khr_fp16");
            return None;
        }
        Some(())
    }
}

/// The address space that an attribute of clang's names.
fn space_of_attr(name: &str) -> Option<Qual> {
    Some(match name {
        "opencl_private" => Qual::Private,
        "opencl_global" => Qual::Global,
        "opencl_global_device" => Qual::GlobalDevice,
        "opencl_global_host" => Qual::GlobalHost,
        "opencl_local" => Qual::Local,
        "opencl_constant" => Qual::Constant,
        "opencl_generic" => Qual::Generic,
        _ => return None,
    })
}

/// The access that a qualifier names.
fn access_of(qual: Qual) -> Option<Access> {
    Some(match qual {
        Qual::ReadOnly => Access::Read,
        Qual::WriteOnly => Access::Write,
        Qual::ReadWrite => Access::ReadWrite,
        _ => return None,
    })
}

fn access_name(qual: Qual) -> &'static str {
    match qual {
        Qual::ReadOnly => "read_only",
        Qual::WriteOnly => "write_only",
        _ => "read_write",
    }
}
