//! Variables at program scope: declarations that come together, linkage, and string literals.
use super::Sema;
use super::decl::{NO_INITIALIZER, Variable};
use super::scope::{Entity, GlobalMeta};
use super::typed::{ConstData, Global, GlobalId, Linkage};
use crate::diagnostics::Warning;
use crate::lang::names::{self, NamedType};
use crate::lang::types::{AddrSpace, QualType, Type, TypeId, TypeTable};
use crate::parse::ast::{self, StorageClass};
use crate::source::Span;
use pumice_target::options::ClStd;

/// clang's message.
pub(super) const WEAK_STATIC: &str = "weak declaration cannot have internal linkage";

impl<'a> Sema<'a> {
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

    pub(super) fn program_variable(&mut self, v: Variable<'a>) -> Option<()> {
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
        if v.weak {
            if self.module.global(id).linkage == Linkage::Internal {
                self.error(v.span, WEAK_STATIC);
                return None;
            }
            self.global_meta[id.0 as usize].weak = true;
        }
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
            self.static_after_other(text, v.span, previous.span);
            return None;
        }
        self.module.globals[id.0 as usize].ty = ty;
        Some(Some(id))
    }

    /// Reports a static declaration of what is visible to other programs (C99 6.2.2p7).
    pub(super) fn static_after_other(&self, name: &str, span: Span, previous: Span) {
        let message = format!("static declaration of '{name}' follows non-static declaration");
        self.error(span, message)
            .note(previous, "previous declaration is here");
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

    /// Finishes what later declarations could have changed: the type and the zeros of variables
    /// without initialiser, and the linkage of weak ones.
    pub(super) fn finish_globals(&mut self) {
        for index in 0..self.module.globals.len() {
            let meta = &self.global_meta[index];
            let (is_weak, is_open) = (meta.weak, meta.tentative && !meta.defined);
            let global = &mut self.module.globals[index];
            if is_weak && global.linkage == Linkage::External {
                global.linkage = Linkage::Weak;
            }
            if is_open {
                self.finish_tentative(index);
            }
        }
    }

    /// Variables declared without initialiser hold zeros; an array of no size has one element
    /// (C99 6.9.2p5).
    fn finish_tentative(&mut self, index: usize) -> Option<()> {
        let global = &self.module.globals[index];
        let (span, mut ty) = (global.span, global.ty.ty);
        if let Type::Array { elem, len: None } = *self.module.types.get(ty) {
            let message = "tentative array definition assumed to have one element";
            self.warning(Warning::Unnamed, span, message);
            ty = self.module.types.array(elem, Some(1));
        }
        if !self.module.types.is_complete(ty) {
            let message = format!(
                "tentative definition has type {} that is never completed",
                self.show(ty)
            );
            self.error(span, message);
            return None;
        }
        let size = self.module.types.size(ty);
        self.check_data_size(size, span)?;
        let align = self.module.types.align(ty);
        let global = &mut self.module.globals[index];
        global.ty.ty = ty;
        global.align = global.align.max(align);
        global.init = Some(ConstData {
            bytes: vec![0; size as usize],
            relocs: Vec::new(),
        });
        Some(())
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
