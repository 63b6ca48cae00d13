//! Kernels: restrictions and what clGetKernelArgInfo shows.
use super::Sema;
use super::scope::SpacedType;
use super::typed::{FuncId, KernelArg, KernelInfo};
use crate::lang::types::{AddrSpace, FloatKind, OpaqueKind, Quals, Type, TypeId, TypeTable};
use crate::parse::ast::{
    Attr, DeclPart, DeclSpecs, Declarator, ParamDecl, StorageClass, TypeSpec, TypeWord,
};
use crate::source::Span;
use pumice_target::options::ClStd;

impl<'a> Sema<'a> {
    /// Checks a kernel's signature and fills its [`KernelInfo`].
    pub(super) fn kernel_checks(
        &mut self,
        id: FuncId,
        specs: &'a DeclSpecs,
        declarator: &'a Declarator,
        params: &'a [ParamDecl],
        types: &[SpacedType],
        span: Span,
    ) {
        if self.module.function(id).ret != TypeTable::VOID {
            self.error(specs.ty_span, "kernel must have void return type");
        }
        let mut args = Vec::with_capacity(params.len());
        for (param, ty) in params.iter().zip(types) {
            self.check_kernel_param(param, ty);
            args.push(self.kernel_arg(param, ty));
        }
        let mut info = KernelInfo {
            args,
            ..KernelInfo::default()
        };
        let attrs: Vec<&Attr> = specs.attrs.iter().chain(&declarator.attrs).collect();
        for attr in attrs {
            match self.attr_name(attr) {
                "reqd_work_group_size" => info.reqd_work_group_size = self.attr_numbers(attr),
                "work_group_size_hint" => info.work_group_size_hint = self.attr_numbers(attr),
                "intel_reqd_sub_group_size" => {
                    info.reqd_sub_group_size = self.attr_numbers::<1>(attr).map(|[n]| n);
                }
                "vec_type_hint" => info.vec_type_hint = self.hinted_type(attr),
                "overloadable" => {
                    self.name_overloadable_kernel(id, attr.span);
                    continue;
                }
                _ => continue,
            }
            info.attributes.push(attr.text.clone());
        }
        if let Some(old) = &self.module.function(id).kernel {
            // A prototype's attributes hold for the definition as well.
            info.reqd_work_group_size = info.reqd_work_group_size.or(old.reqd_work_group_size);
            info.work_group_size_hint = info.work_group_size_hint.or(old.work_group_size_hint);
            info.reqd_sub_group_size = info.reqd_sub_group_size.or(old.reqd_sub_group_size);
            info.vec_type_hint = info.vec_type_hint.or(old.vec_type_hint);
            for text in &old.attributes {
                if !info.attributes.contains(text) {
                    info.attributes.push(text.clone());
                }
            }
        }
        let function = &mut self.module.functions[id.0 as usize];
        function.kernel = Some(info);
        if function.linkage == super::typed::Linkage::Internal {
            // `inline` alone says nothing of who may call it, the application included.
            function.linkage = super::typed::Linkage::External;
            let mut classes = specs.storage.iter().map(|(class, _)| *class);
            if classes.any(|class| class == StorageClass::Static) {
                self.error(span, "kernel functions cannot be declared static");
            }
        }
    }

    /// Keeps the plain name of a kernel that is marked `overloadable`: the API knows no other. Only one
    /// of the overloads can be a kernel.
    fn name_overloadable_kernel(&mut self, id: FuncId, span: Span) {
        let name = self.module.function(id).name.clone();
        let functions = self.module.functions.iter().enumerate();
        let mut others = functions.filter(|(index, _)| *index != id.0 as usize);
        if others.any(|(_, f)| f.kernel.is_some() && f.name == name) {
            self.error(span, "kernel functions cannot be overloaded");
            return;
        }
        self.module.functions[id.0 as usize].link_name = name;
    }

    fn check_kernel_param(&mut self, param: &'a ParamDecl, ty: &SpacedType) {
        let span = param.declarator.name.map_or(param.span, |(_, span)| span);
        let id = ty.q.ty;
        if let Some((pointee, space)) = self.module.types.pointer_parts(id) {
            if self.leads_outside(pointee.ty) || is_not_shared(space) {
                let report = self.error(
                    span,
                    "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space",
                );
                if space == AddrSpace::Private && !self.module.types.is_pointer(pointee.ty) {
                    let pointer = self.module.types.display_qual(pointee);
                    report.hint(format!("for a buffer, write '__global {pointer} *'"));
                }
            } else if self.module.types.is_pointer(pointee.ty) && self.lang.std < ClStd::Cl20 {
                let message = "kernel parameter cannot be declared as a pointer to a pointer";
                self.error(span, message);
            }
            return;
        }
        if ty.not_for_kernels || self.forbidden_value(id) {
            let shown = match &param.specs.ty {
                TypeSpec::Named(name) => format!("'{}'", self.name(*name)),
                _ => self.show(id),
            };
            let message = format!("{shown} cannot be used as the type of a kernel parameter");
            let report = self.error(span, message);
            if let Some(other) = host_type(&shown) {
                report.hint(format!(
                    "its size differs between host and device; use {other}"
                ));
            } else {
                self.field_notes(report, id);
            }
            return;
        }
        let types = &self.module.types;
        if types.record_id(id).is_some() && types.is_complete(id) && types.size(id) == 0 {
            let shown = self.show(id);
            let message = format!("{shown} cannot be used as the type of a kernel parameter");
            self.error(span, message)
                .hint("it has no bytes, and clSetKernelArg cannot set an argument of size 0");
            return;
        }
        if self.lang.std < ClStd::Cl20 && self.holds_private_pointer(id) {
            self.error(span, "struct kernel parameters may not contain pointers");
        }
    }

    /// Returns whether a pointer behind a pointer leads into private memory or any.
    fn leads_outside(&self, ty: TypeId) -> bool {
        match self.module.types.pointer_parts(ty) {
            Some((pointee, space)) => is_not_shared(space) || self.leads_outside(pointee.ty),
            None => false,
        }
    }

    pub(super) fn forbidden_value(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Bool | Type::Atomic(_) => true,
            Type::Opaque(kind) => !kind.for_kernels(),
            Type::Float(FloatKind::Half) => self.lacks_half(ty),
            Type::Array { elem, .. } => self.forbidden_value(elem.ty),
            Type::Record(record) => {
                let fields = &self.module.types.record(*record).fields;
                self.host_sized.contains_key(record)
                    || fields.iter().any(|f| self.forbidden_value(f.ty.ty))
            }
            _ => false,
        }
    }

    /// Tells whether a type holds pointers to private memory. Others may come from the host (SVM), or are set to
    /// arguments by the kernel.
    fn holds_private_pointer(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Pointer { space, .. } => space.of_language() == AddrSpace::Private,
            Type::Array { elem, .. } => self.holds_private_pointer(elem.ty),
            Type::Record(record) => self
                .module
                .types
                .record(*record)
                .fields
                .iter()
                .any(|f| self.holds_private_pointer(f.ty.ty)),
            _ => false,
        }
    }

    fn kernel_arg(&self, param: &ParamDecl, ty: &SpacedType) -> KernelArg {
        let name = param
            .declarator
            .name
            .map_or(String::new(), |(name, _)| self.name(name).to_string());
        let mut qualifiers = Vec::new();
        let mut space = AddrSpace::Private;
        if let Some((pointee, pointee_space)) = self.module.types.pointer_parts(ty.q.ty) {
            space = pointee_space.of_language();
            if ty.q.quals.contains(Quals::RESTRICT) {
                qualifiers.push("restrict");
            }
            if pointee.quals.contains(Quals::CONST) || space == AddrSpace::Constant {
                qualifiers.push("const");
            }
            if pointee.quals.contains(Quals::VOLATILE) {
                qualifiers.push("volatile");
            }
        }
        if let Some(OpaqueKind::Image(..) | OpaqueKind::Pipe(..)) =
            self.module.types.opaque(ty.q.ty)
        {
            space = AddrSpace::Global;
        }
        if let Some(OpaqueKind::Pipe(..)) = self.module.types.opaque(ty.q.ty) {
            qualifiers.push("pipe");
        }
        let mut type_name = self.written_type(&param.specs, ty.q.ty);
        for part in &param.declarator.parts {
            match part {
                DeclPart::Pointer { .. } | DeclPart::Array { .. } => type_name.push('*'),
                _ => {}
            }
        }
        KernelArg {
            name,
            type_name,
            type_qualifiers: qualifiers.join(" "),
            space,
        }
    }

    /// A type as written, in the spelling of clGetKernelArgInfo: `unsigned int` is `uint`.
    fn written_type(&self, specs: &DeclSpecs, ty: TypeId) -> String {
        match &specs.ty {
            TypeSpec::Named(name) => self.name(*name).to_string(),
            TypeSpec::Words(words) => {
                let has = |word| words.iter().any(|(w, _)| *w == word);
                let base = if has(TypeWord::Char) {
                    "char"
                } else if has(TypeWord::Short) {
                    "short"
                } else if has(TypeWord::Long) {
                    "long"
                } else if has(TypeWord::Float) {
                    "float"
                } else if has(TypeWord::Double) {
                    "double"
                } else if has(TypeWord::Half) {
                    "half"
                } else if has(TypeWord::Void) {
                    "void"
                } else if has(TypeWord::Bool) {
                    "bool"
                } else {
                    "int"
                };
                if has(TypeWord::Unsigned) {
                    format!("u{base}")
                } else {
                    base.to_string()
                }
            }
            TypeSpec::Record(spec) => match spec.tag {
                Some((tag, _)) => format!(
                    "{} {}",
                    if spec.is_union { "union" } else { "struct" },
                    self.name(tag)
                ),
                None => self.module.types.display(ty),
            },
            TypeSpec::Enum(spec) => match spec.tag {
                Some((tag, _)) => format!("enum {}", self.name(tag)),
                None => self.module.types.display(ty),
            },
            TypeSpec::Pipe(_) => match self.module.types.opaque(ty) {
                Some(OpaqueKind::Pipe(packet, _)) => self.module.types.display(packet),
                _ => self.module.types.display(ty),
            },
            _ => {
                let mut inner = ty;
                while let Some((pointee, _)) = self.module.types.pointer_parts(inner) {
                    inner = pointee.ty;
                }
                self.module.types.display(inner)
            }
        }
    }
}

/// Returns whether no kernel argument can point into an address space.
fn is_not_shared(space: AddrSpace) -> bool {
    matches!(space, AddrSpace::Private | AddrSpace::Generic)
}

/// The type to take in place of one whose size the host cannot know.
fn host_type(shown: &str) -> Option<&'static str> {
    Some(match shown {
        "'bool'" => "'int' or 'uchar'",
        "'size_t'" | "'uintptr_t'" => "'ulong'",
        "'ptrdiff_t'" | "'intptr_t'" => "'long'",
        _ => return None,
    })
}
