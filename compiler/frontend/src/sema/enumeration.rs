//! Enumerations.
use super::Sema;
use super::const_eval::Value;
use super::scope::{Entity, Tag};
use crate::lang::types::{EnumId, IntKind, Type, TypeId, TypeTable};
use crate::parse::ast::{EnumSpec, Enumerator};
use crate::source::{Span, Symbol};

impl<'a> Sema<'a> {
    /// The type of an `enum` specifier, declared or defined by it.
    pub(super) fn enum_type(&mut self, spec: &'a EnumSpec) -> Option<TypeId> {
        self.check_attrs(&spec.attrs);
        let text = spec.tag.map_or("", |(name, _)| self.name(name));
        let previous = spec.tag.and_then(|(name, _)| {
            if spec.enumerators.is_some() {
                self.lookup_tag_here(name)
            } else {
                self.lookup_tag(name)
            }
        });
        let span = spec.tag.map_or(spec.span, |(_, span)| span);
        let (id, ty) = match previous {
            Some((Tag::Enum(id, ty), previous_span)) => {
                let complete = self.module.types.enums[id.0 as usize].complete;
                if spec.enumerators.is_some() && complete {
                    self.error(span, format!("redefinition of '{text}'"))
                        .note(previous_span, "previous definition is here");
                    return None;
                }
                (id, ty)
            }
            Some((Tag::Record(..), previous_span)) => {
                self.other_tag(text, span, previous_span);
                return None;
            }
            None => {
                if spec.enumerators.is_none() && spec.underlying.is_none() {
                    self.error(span, format!("use of undefined type 'enum {text}'"));
                    return None;
                }
                let (id, ty) = self.module.types.add_enum(text, span);
                if let Some((name, name_span)) = spec.tag {
                    self.bind_tag(name, Tag::Enum(id, ty), name_span);
                }
                (id, ty)
            }
        };
        let is_new = previous.is_none();
        self.fix_underlying(id, spec, is_new, span)?;
        let Some(enumerators) = &spec.enumerators else {
            return Some(ty);
        };
        let fixed = Some(ty).filter(|_| self.module.types.enums[id.0 as usize].fixed);
        let mut next: i128 = 0;
        let (mut lowest, mut highest) = (0, 0);
        for enumerator in enumerators {
            if let Some(value) = enumerator.value {
                match self.integer_constant(value) {
                    Some(value) => next = value,
                    None => {
                        self.bind(enumerator.name, Entity::Poisoned, enumerator.span);
                        continue;
                    }
                }
            }
            (lowest, highest) = (next.min(lowest), next.max(highest));
            match fixed {
                Some(ty) => self.fixed_enumerator(enumerator, next, ty),
                None => self.enumerator(enumerator.name, next, enumerator.span),
            }
            next += 1;
        }
        let def = &mut self.module.types.enums[id.0 as usize];
        def.complete = true;
        if def.fixed {
            return Some(ty);
        }
        let signed = lowest < 0;
        let narrow = i32::try_from(lowest).is_ok()
            && (i32::try_from(highest).is_ok() || (!signed && u32::try_from(highest).is_ok()));
        // C99 wants int; wider enumerators are what clang and its users have.
        let underlying = IntKind::of(if narrow { 32 } else { 64 }, signed);
        def.underlying = underlying;
        self.widen_enumerators(enumerators, TypeTable::int(underlying));
        Some(ty)
    }

    /// Notes the underlying type that a declaration says, and compares it with an earlier one's.
    fn fix_underlying(
        &mut self,
        id: EnumId,
        spec: &'a EnumSpec,
        is_new: bool,
        span: Span,
    ) -> Option<()> {
        let Some(name) = spec.underlying else {
            let def = &self.module.types.enums[id.0 as usize];
            if !is_new && def.fixed && spec.enumerators.is_some() {
                let message = "enumeration previously declared with fixed underlying type";
                (self.error(span, message)).note(def.span, "previous declaration is here");
                return None;
            }
            return Some(());
        };
        let named = self.type_name(name)?.q.ty;
        let Type::Int(kind) = *self.module.types.get(named) else {
            let shown = self.show(named);
            let message = match self.module.types.get(named) {
                Type::Bool => {
                    format!("an enumeration with underlying type {shown} is not supported")
                }
                _ => format!("non-integral type {shown} is an invalid underlying type"),
            };
            self.error(span, message);
            return None;
        };
        let def = &self.module.types.enums[id.0 as usize];
        let message = match (is_new, def.fixed) {
            (true, _) => None,
            (false, false) => {
                Some("enumeration previously declared with nonfixed underlying type".to_string())
            }
            (false, true) if def.underlying == kind => None,
            (false, true) => Some(format!(
                "enumeration redeclared with different underlying type {} (was '{}')",
                self.show(named),
                def.underlying.name()
            )),
        };
        if let Some(message) = message {
            (self.error(span, message)).note(def.span, "previous declaration is here");
            return None;
        }
        let def = &mut self.module.types.enums[id.0 as usize];
        (def.underlying, def.fixed) = (kind, true);
        Some(())
    }

    /// An enumerator of an enumeration with a fixed underlying type, which is its own.
    fn fixed_enumerator(&mut self, enumerator: &Enumerator, value: i128, ty: TypeId) {
        let Some(kind) = self.module.types.int_kind(ty) else {
            return;
        };
        let underlying = TypeTable::int(kind);
        let Value::Int(bits) = self.int_value(value as u64, underlying) else {
            return;
        };
        if self.signed_value(bits, underlying) != value {
            let shown = self.show(underlying);
            let message = format!(
                "enumerator value {value} is not representable in the underlying type {shown}"
            );
            self.error(enumerator.span, message);
        }
        let entity = Entity::Enumerator(underlying, bits);
        self.bind_new(enumerator.name, entity, enumerator.span);
    }

    /// Enumerators that are no int have the type of their enumeration from its end on, as with clang.
    fn widen_enumerators(&mut self, enumerators: &[Enumerator], underlying: TypeId) {
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        for enumerator in enumerators {
            let binding = scope.names.get_mut(&enumerator.name);
            if let Some(Entity::Enumerator(ty, _)) = binding.map(|b| &mut b.entity) {
                if *ty != TypeTable::INT {
                    *ty = underlying;
                }
            }
        }
    }

    fn enumerator(&mut self, name: Symbol, value: i128, span: Span) {
        let ty = if i32::try_from(value).is_ok() {
            TypeTable::INT
        } else if u32::try_from(value).is_ok() {
            TypeTable::UINT
        } else if i64::try_from(value).is_ok() {
            TypeTable::LONG
        } else if u64::try_from(value).is_ok() {
            TypeTable::ULONG
        } else {
            let message =
                format!("enumerator value {value} is not representable in any integer type");
            self.error(span, message);
            return;
        };
        let wide = ty == TypeTable::LONG || ty == TypeTable::ULONG;
        let bits = (value as u64) & if wide { u64::MAX } else { 0xffff_ffff };
        self.bind_new(name, Entity::Enumerator(ty, bits), span);
    }
}
