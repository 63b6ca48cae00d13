//! Scopes and what names mean in them.
use rustc_hash::FxHashMap;

use super::Sema;
use super::block::BlockValue;
use super::convert::Parameter;
use super::typed::{FuncId, GlobalId, LocalId};
use crate::builtins;
use crate::lang::names;
use crate::lang::types::{AddrSpace, EnumId, QualType, RecordId, TypeId};
use crate::source::{Span, Symbol};
use pumice_target::similar::closest;

/// Meaning of an ordinary identifier.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// A typedef.
    Typedef(SpacedType),
    /// A private variable or parameter.
    Local(LocalId),
    /// A variable with static storage.
    Global(GlobalId),
    /// Functions; more than one when overloadable.
    Functions(Vec<FuncId>),
    /// A sampler variable, by its constant.
    Sampler(u32),
    /// A block variable.
    Block(BlockValue),
    /// An enumerator: type and bits.
    Enumerator(TypeId, u64),
    /// Something whose declaration was wrong: uses stay silent.
    Poisoned,
}

/// A type as declarations build it: with qualifiers and perhaps an address space.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpacedType {
    /// Type and qualifiers.
    pub(super) q: QualType,
    /// Address space written (or inherited from a typedef).
    pub(super) space: Option<AddrSpace>,
    /// An `aligned` attribute of a typedef, or 0.
    pub(super) align: u64,
    /// True for `size_t` and other types that kernels may not take.
    pub(super) not_for_kernels: bool,
}

impl SpacedType {
    pub(super) fn plain(ty: TypeId) -> Self {
        Self::qual(QualType::plain(ty))
    }

    pub(super) fn qual(q: QualType) -> Self {
        Self {
            q,
            space: None,
            align: 0,
            not_for_kernels: false,
        }
    }
}

/// An ordinary identifier's binding.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) entity: Entity,
    pub(super) span: Span,
}

/// Meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Record(RecordId, TypeId),
    Enum(EnumId, TypeId),
}

/// One scope.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) names: FxHashMap<Symbol, Binding>,
    pub(super) tags: FxHashMap<Symbol, (Tag, Span)>,
    /// The state of `#pragma OPENCL FP_CONTRACT`, which ends with the scope.
    contract: bool,
}

impl Scope {
    /// An empty scope.
    pub(super) fn new(contract: bool) -> Self {
        Self {
            names: FxHashMap::default(),
            tags: FxHashMap::default(),
            contract,
        }
    }
}

/// Facts about a function that only sema needs; the typed tree lacks them.
#[derive(Clone, Debug)]
pub(super) struct FuncMeta {
    pub(super) overloadable: bool,
    /// Takes arguments behind its parameters, which it cannot read.
    pub(super) variadic: bool,
    pub(super) defined: bool,
    /// Its parameters as first declared.
    pub(super) params: Vec<Parameter>,
    /// `warn_unused_result`.
    pub(super) must_use: bool,
    pub(super) is_static: bool,
    /// A definition of another program takes its place.
    pub(super) weak: bool,
    /// Called somewhere, or marked as used.
    pub(super) used: bool,
}

/// Facts about a variable that only sema needs; the typed tree lacks them.
#[derive(Clone, Debug, Default)]
pub(super) struct GlobalMeta {
    /// Declared without initialiser and without `extern`.
    pub(super) tentative: bool,
    /// Has an initialiser.
    pub(super) defined: bool,
    /// A definition of another program takes its place.
    pub(super) weak: bool,
}

impl<'a> Sema<'a> {
    pub(super) fn push_scope(&mut self) {
        self.scopes.push(Scope::new(self.contract()));
    }

    /// The state of `#pragma OPENCL FP_CONTRACT` here; on at the beginning (OpenCL C 3.0 §6.8).
    pub(super) fn contract(&self) -> bool {
        self.scopes.last().is_none_or(|scope| scope.contract)
    }

    pub(super) fn set_contract(&mut self, on: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.contract = on;
        }
    }

    pub(super) fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn at_program_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    pub(super) fn lookup(&self, name: Symbol) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|s| s.names.get(&name))
    }

    pub(super) fn lookup_here(&self, name: Symbol) -> Option<&Binding> {
        self.scopes.last().and_then(|s| s.names.get(&name))
    }

    pub(super) fn lookup_tag(&self, name: Symbol) -> Option<(Tag, Span)> {
        self.scopes
            .iter()
            .rev()
            .find_map(|s| s.tags.get(&name).copied())
    }

    pub(super) fn lookup_tag_here(&self, name: Symbol) -> Option<(Tag, Span)> {
        self.scopes.last().and_then(|s| s.tags.get(&name).copied())
    }

    pub(super) fn bind(&mut self, name: Symbol, entity: Entity, span: Span) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, Binding { entity, span });
        }
    }

    pub(super) fn bind_tag(&mut self, name: Symbol, tag: Tag, span: Span) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name, (tag, span));
        }
    }

    /// Binds a name that must be new in its scope.
    pub(super) fn bind_new(&mut self, name: Symbol, entity: Entity, span: Span) {
        if let Some(previous) = self.lookup_here(name) {
            if !matches!(previous.entity, Entity::Poisoned) {
                let same =
                    std::mem::discriminant(&previous.entity) == std::mem::discriminant(&entity);
                let kind = if same {
                    ""
                } else {
                    " as different kind of symbol"
                };
                self.error(span, format!("redefinition of '{}'{kind}", self.name(name)))
                    .note(previous.span, "previous definition is here");
                return;
            }
        }
        self.bind(name, entity, span);
    }

    /// The variable or function name most like `name`.
    pub(super) fn suggest_value(&self, name: &str) -> Option<String> {
        let own = self.scopes.iter().flat_map(|s| {
            s.names
                .iter()
                .filter(|(_, b)| !matches!(b.entity, Entity::Typedef(_) | Entity::Poisoned))
                .map(|(&symbol, _)| self.name(symbol).to_string())
        });
        let mut own: Vec<String> = own.collect();
        own.sort();
        closest(name, own.into_iter())
            .or_else(|| builtins::similar_conversion(name))
            .or_else(|| builtins::similar(name).first().map(|s| (*s).to_string()))
            .or_else(|| closest(name, builtins::constants(&self.lang)))
    }

    /// The type name most like `name`.
    pub(super) fn suggest_type(&self, name: &str) -> Option<String> {
        let mut own: Vec<String> = self
            .scopes
            .iter()
            .flat_map(|s| {
                s.names
                    .iter()
                    .filter(|(_, b)| matches!(b.entity, Entity::Typedef(_)))
                    .map(|(&symbol, _)| self.name(symbol).to_string())
            })
            .collect();
        own.sort();
        closest(name, own.into_iter().chain(names::all()))
    }

    /// Returns the position of this program's declaration of a name.
    pub(super) fn declared_at(&self, name: &str) -> Option<Span> {
        let symbol = self.names.get(name)?;
        self.lookup(symbol).map(|b| b.span)
    }
}
