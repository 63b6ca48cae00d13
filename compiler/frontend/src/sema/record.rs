//! Structs and unions.
use super::Sema;
use super::layout::{FieldSpec, Packing, lay_out};
use super::scope::Tag;
use crate::diagnostics::Warning;
use crate::lang::types::{AddrSpace, OpaqueKind, RecordId, Type, TypeId};
use crate::parse::ast::{DeclSpecs, MemberDecl, RecordSpec};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Members of a structure at most: OpTypeStruct has 16,383 (SPIR-V §2.17), and each may need
/// padding before it.
const MAX_MEMBERS: usize = 8191;

impl<'a> Sema<'a> {
    /// The type of a `struct` or `union` specifier, declared or defined by it.
    pub(super) fn record_type(
        &mut self,
        spec: &'a RecordSpec,
        specs: &'a DeclSpecs,
    ) -> Option<TypeId> {
        self.check_attrs(&spec.attrs);
        let (id, ty) = self.record_tag(spec)?;
        let Some(members) = &spec.members else {
            return Some(ty);
        };
        let packed = self.has_attr(&spec.attrs, "packed") || self.has_attr(&specs.attrs, "packed");
        let errors = self.diags.error_count();
        let mut faulty = false;
        let mut fields = Vec::new();
        for member in members {
            match member {
                MemberDecl::StaticAssert(assert) => self.static_assert(assert),
                MemberDecl::Field { .. } => faulty |= self.fields(member, &mut fields).is_none(),
                MemberDecl::Broken => faulty = true,
            }
        }
        self.check_duplicates(&fields);
        self.check_flexible(&fields, spec.is_union);
        faulty = faulty
            || self.diags.error_count() > errors
            || fields.iter().any(|f| self.module.types.is_faulty(f.ty.ty));
        if let Some(index) = fields.iter().position(|f| f.host_sized) {
            self.host_sized.insert(id, index);
        }
        let min_align = self
            .aligned_attr(&spec.attrs)
            .max(self.aligned_attr(&specs.attrs));
        let is_union = spec.is_union;
        if fields.len() > MAX_MEMBERS {
            let message = format!(
                "too many members in struct ({}, at most {MAX_MEMBERS})",
                fields.len()
            );
            self.error(spec.span, message);
            return None;
        }
        let packing = Packing {
            packed,
            limit: spec.pack,
            align: min_align,
        };
        let Some(layout) = lay_out(&self.module.types, fields, is_union, packing) else {
            self.error(spec.span, "struct is too large");
            return None;
        };
        let def = &mut self.module.types.records[id.0 as usize];
        def.fields = layout.fields;
        def.size = layout.size;
        def.align = layout.align;
        def.packed = packed;
        def.faulty = faulty;
        def.complete = true;
        Some(ty)
    }

    fn record_tag(&mut self, spec: &'a RecordSpec) -> Option<(RecordId, TypeId)> {
        let Some((name, name_span)) = spec.tag else {
            return Some(self.module.types.add_record("", spec.is_union, spec.span));
        };
        let previous = if spec.members.is_some() {
            self.lookup_tag_here(name)
        } else {
            self.lookup_tag(name)
        };
        if let Some((tag, previous_span)) = previous {
            match tag {
                Tag::Record(id, ty) if self.module.types.record(id).is_union == spec.is_union => {
                    if spec.members.is_some() && self.module.types.record(id).complete {
                        let message = format!("redefinition of '{}'", self.name(name));
                        self.error(name_span, message)
                            .note(previous_span, "previous definition is here");
                        return None;
                    }
                    return Some((id, ty));
                }
                _ => {
                    self.other_tag(self.name(name), name_span, previous_span);
                    return None;
                }
            }
        }
        let text = self.name(name);
        let (id, ty) = self.module.types.add_record(text, spec.is_union, name_span);
        self.bind_tag(name, Tag::Record(id, ty), name_span);
        Some((id, ty))
    }

    pub(super) fn other_tag(&self, text: &str, span: Span, previous: Span) {
        let message =
            format!("use of '{text}' with tag type that does not match previous declaration");
        self.error(span, message)
            .note(previous, "previous use is here");
    }

    fn no_field(&self, ty: TypeId) -> String {
        let shown = self.show(ty);
        format!("the {shown} type cannot be used to declare a structure or union field")
    }

    /// Adds what a declaration of members declares; `None` if its type had errors.
    fn fields(&mut self, member: &'a MemberDecl, out: &mut Vec<FieldSpec>) -> Option<()> {
        let MemberDecl::Field {
            specs,
            declarators,
            span,
        } = member
        else {
            return Some(());
        };
        self.check_attrs(&specs.attrs);
        for &(_, class) in &specs.storage {
            self.error(class, "a member cannot have a storage class");
        }
        let base = self.spec_type(specs)?;
        let shared_align = self.aligned_attr(&specs.attrs);
        if declarators.is_empty() {
            let anonymous = self
                .module
                .types
                .record_id(base.q.ty)
                .is_some_and(|r| self.module.types.record(r).name.is_empty());
            if anonymous {
                out.push(FieldSpec {
                    name: String::new(),
                    ty: base.q,
                    align: shared_align,
                    packed: false,
                    host_sized: false,
                    bits: None,
                    span: *span,
                });
            } else {
                self.warning(
                    Warning::MissingDeclarations,
                    *span,
                    "declaration does not declare anything",
                );
            }
            return Some(());
        }
        for member in declarators {
            let declarator = &member.declarator;
            if let Some(width) = member.bit_width {
                let field = self.bit_field(base, declarator, width, shared_align);
                out.extend(field);
                continue;
            }
            let Some((name, name_span)) = declarator.name else {
                continue;
            };
            self.check_attrs(&declarator.attrs);
            let Some(ty) = self.variable_type(base, declarator, true) else {
                continue;
            };
            let align = shared_align
                .max(self.aligned_attr(&declarator.attrs))
                .max(ty.align);
            let Some(ty_id) = self.ext_vector(&declarator.attrs, ty.q.ty) else {
                continue;
            };
            if !matches!(ty.space, None | Some(AddrSpace::Private)) {
                self.error(
                    name_span,
                    "field may not be qualified with an address space",
                );
                continue;
            }
            let text = self.name(name);
            let bad = match self.module.types.get(ty_id) {
                Type::Function { .. } => Some(format!("field '{text}' declared as a function")),
                // A flexible array member takes no room; check_flexible sees to its place.
                Type::Array { len: None, .. } => None,
                Type::Opaque(OpaqueKind::Event | OpaqueKind::Matrix(_)) => {
                    Some(self.no_field(ty_id))
                }
                _ if self.is_immaterial(ty_id) => Some(self.no_field(ty_id)),
                _ if !self.module.types.is_complete(ty_id) => {
                    Some(format!("field has incomplete type {}", self.show(ty_id)))
                }
                _ => None,
            };
            if let Some(message) = bad {
                self.error(name_span, message);
                continue;
            }
            let packed = self.has_attr(&declarator.attrs, "packed");
            out.push(FieldSpec {
                name: text.to_string(),
                ty: crate::lang::types::QualType {
                    ty: ty_id,
                    quals: ty.q.quals,
                },
                align,
                packed,
                host_sized: ty.not_for_kernels,
                bits: None,
                span: name_span,
            });
        }
        Some(())
    }

    /// Checks that a member without a number of elements is the last of several of a struct
    /// (C99 6.7.2.1p2).
    fn check_flexible(&self, fields: &[FieldSpec], is_union: bool) {
        for (index, field) in fields.iter().enumerate() {
            if !matches!(
                self.module.types.get(field.ty.ty),
                Type::Array { len: None, .. }
            ) {
                continue;
            }
            let name = &field.name;
            let (why, next) = match fields.get(index + 1) {
                _ if is_union => ("in a union is not allowed".to_string(), None),
                Some(next) => {
                    let shown = self.show(field.ty.ty);
                    let why = format!("with type {shown} is not at the end of struct");
                    (why, Some(next.span))
                }
                None if index == 0 => ("not allowed in otherwise empty struct".to_string(), None),
                None => continue,
            };
            let report = self.error(field.span, format!("flexible array member '{name}' {why}"));
            if let Some(next) = next {
                report.note(next, "next field declaration is here");
            }
        }
    }

    fn check_duplicates(&mut self, fields: &[FieldSpec]) {
        let mut seen: FxHashMap<String, Span> = FxHashMap::default();
        for field in fields {
            let mut names = Vec::new();
            if field.name.is_empty() {
                self.anonymous_names(field.ty.ty, &mut names);
            } else {
                names.push((field.name.clone(), field.span));
            }
            for (name, span) in names {
                if let Some(&previous) = seen.get(&name) {
                    self.error(span, format!("duplicate member '{name}'"))
                        .note(previous, "previous declaration is here");
                } else {
                    seen.insert(name, span);
                }
            }
        }
    }

    fn anonymous_names(&self, ty: TypeId, out: &mut Vec<(String, Span)>) {
        let Some(id) = self.module.types.record_id(ty) else {
            return;
        };
        for field in &self.module.types.record(id).fields {
            if field.name.is_empty() {
                self.anonymous_names(field.ty.ty, out);
            } else {
                out.push((field.name.clone(), field.span));
            }
        }
    }

    /// Field numbers that lead to a member, through anonymous records.
    pub(super) fn find_field(&self, record: RecordId, name: &str) -> Option<Vec<u32>> {
        let fields = &self.module.types.record(record).fields;
        for (index, field) in fields.iter().enumerate() {
            if field.name == name && !name.is_empty() {
                return Some(vec![index as u32]);
            }
            if field.name.is_empty() {
                if let Some(inner) = self.module.types.record_id(field.ty.ty) {
                    if let Some(rest) = self.find_field(inner, name) {
                        let mut path = vec![index as u32];
                        path.extend(rest);
                        return Some(path);
                    }
                }
            }
        }
        None
    }
}
