//! Initialisers: braces, brace elision, designators, strings, constant data.
use super::Sema;
use super::convert::Purpose;
use super::typed::{ConstData, ExprId, ExprKind, Init, InitElem};
use crate::diagnostics::Warning;
use crate::lang::types::{QualType, Type, TypeId, TypeTable};
use crate::parse::ast::{self, InitItem, InitList};
use crate::source::Span;
use pumice_budget as budget;
use pumice_reflection::MAX_INITIAL_DATA;

/// A braced list while its items are handed out to subobjects.
pub(super) struct Items<'a> {
    items: &'a [InitItem],
    pub(super) at: usize,
    /// The item at `at`, if it is an expression that was looked at but not yet used.
    pub(super) peeked: Option<ExprId>,
    /// The item whose designators were followed: for the subobject that they name it has none.
    followed: Option<usize>,
}

impl<'a> Items<'a> {
    fn new(list: &'a InitList) -> Self {
        Self {
            items: &list.items,
            at: 0,
            peeked: None,
            followed: None,
        }
    }

    /// The next item.
    pub(super) fn next(&self) -> Option<&'a InitItem> {
        self.items.get(self.at)
    }

    /// Returns whether the next item names its place by designators that are still to be followed.
    fn at_designators(&self) -> bool {
        self.followed != Some(self.at) && self.next().is_some_and(|i| !i.designators.is_empty())
    }

    /// Takes the designators off the next item.
    pub(super) fn follow(&mut self) -> Option<&'a InitItem> {
        self.followed = Some(self.at);
        self.peeked = None;
        self.next()
    }

    /// Leaves out an item that was at `before` and that nothing could take.
    fn skip_from(&mut self, before: usize) {
        if self.at == before {
            self.at += 1;
            self.peeked = None;
        }
    }
}

/// Subobjects gathered so far.
#[derive(Default)]
pub(super) struct Gathered {
    elems: Vec<InitElem>,
    pub(super) path: Vec<u64>,
}

impl<'a> Sema<'a> {
    /// Checks the initialiser of an object; gives the completed type.
    pub(super) fn initialiser(
        &mut self,
        ty: TypeId,
        init: &'a ast::Init,
        name: Span,
    ) -> Option<(TypeId, Init)> {
        match init {
            ast::Init::List(list) => self.list_initialiser(ty, list),
            ast::Init::Expr(expr) => {
                if let Type::Array { elem, len } = *self.module.types.get(ty) {
                    return self.array_from_expr(*expr, elem, len);
                }
                let value = self.rvalue(*expr)?;
                let value = self.assign_convert(value, ty, Purpose::Init(name))?;
                Some((ty, Init::Expr(value)))
            }
        }
    }

    fn array_from_expr(
        &mut self,
        expr: ast::ExprId,
        elem: QualType,
        len: Option<u64>,
    ) -> Option<(TypeId, Init)> {
        let span = self.ast.expr(expr).span;
        if let Some(bytes) = self.string_for(expr, elem.ty) {
            let len = len.unwrap_or(bytes.len() as u64 + 1);
            let data = self.string_data(bytes, len, span)?;
            let ty = self.module.types.array(elem, Some(len));
            return Some((ty, Init::Const(data)));
        }
        self.rvalue(expr)?;
        self.error(span, "array initializer must be an initializer list");
        None
    }

    /// The bytes of a string literal that initialises an array of characters.
    pub(super) fn string_for(&self, expr: ast::ExprId, elem: TypeId) -> Option<&'a [u8]> {
        if elem != TypeTable::CHAR && elem != TypeTable::UCHAR {
            return None;
        }
        let mut expr = expr;
        loop {
            match &self.ast.expr(expr).kind {
                ast::ExprKind::Paren(inner) => expr = *inner,
                ast::ExprKind::Str(bytes) => return Some(bytes),
                _ => return None,
            }
        }
    }

    fn string_data(&mut self, bytes: &[u8], len: u64, span: Span) -> Option<ConstData> {
        if bytes.len() as u64 > len {
            self.warning(
                Warning::ExcessInitializers,
                span,
                "initializer-string for char array is too long",
            );
        }
        if len > MAX_INITIAL_DATA {
            self.error(span, "initialized object is too large");
            return None;
        }
        self.afford(len, span)?;
        let mut data = bytes.to_vec();
        data.resize(len as usize, 0);
        Some(ConstData {
            bytes: data,
            relocs: Vec::new(),
        })
    }

    /// Checks `{ … }` for an object of type `ty`.
    pub(super) fn list_initialiser(
        &mut self,
        ty: TypeId,
        list: &'a InitList,
    ) -> Option<(TypeId, Init)> {
        if self.module.types.is_faulty(ty) {
            return None;
        }
        let mut gathered = Gathered::default();
        let len = self.braced(ty, list, &mut gathered)?;
        let mut ty = ty;
        if let Type::Array { elem, len: None } = *self.module.types.get(ty) {
            if len == 0 {
                self.error(list.span, "array size must be greater than zero");
                return None;
            }
            ty = self.module.types.array(elem, Some(len));
        }
        if let [only] = gathered.elems.as_slice() {
            if only.path.is_empty() {
                return Some((ty, Init::Expr(only.value)));
            }
        }
        if !self.module.types.is_complete(ty) {
            return None;
        }
        let size = self.module.types.size(ty);
        if size > MAX_INITIAL_DATA {
            self.error(list.span, "initialized object is too large");
            return None;
        }
        let init = Init::List {
            zero_fill: self.bytes_covered(ty, &gathered.elems) < size,
            elems: gathered.elems,
        };
        if let Some(data) = self.init_data(&init, ty) {
            return Some((ty, Init::Const(data)));
        }
        Some((ty, init))
    }

    /// Counts the bytes of an object that have an initialiser; those that have several, as a member
    /// and a part of it, or two members of a union, count once.
    fn bytes_covered(&self, ty: TypeId, elems: &[InitElem]) -> u64 {
        let mut ranges = Vec::with_capacity(elems.len());
        for elem in elems {
            // Of bit-fields, some bits may have no initialiser.
            if self.bits_at(ty, &elem.path).is_none() {
                let place = self.path_offset(ty, &elem.path);
                ranges.extend(place.map(|(at, part)| (at, at + self.module.types.size(part))));
            }
        }
        ranges.sort_unstable();
        let (mut covered, mut end) = (0, 0);
        for (from, to) in ranges {
            covered += to.saturating_sub(from.max(end));
            end = end.max(to);
        }
        covered
    }

    pub(super) fn put(&mut self, value: ExprId, out: &mut Gathered) {
        // The element, its path, and its bytes among those covered.
        budget::spend_on::<InitElem>(1);
        budget::spend(3 * 8 * out.path.len() as u64 + 48);
        out.elems.push(InitElem {
            path: out.path.clone(),
            value,
        });
    }

    /// A braced list for one object; for arrays gives the number of elements named.
    pub(super) fn braced(
        &mut self,
        ty: TypeId,
        list: &'a InitList,
        out: &mut Gathered,
    ) -> Option<u64> {
        self.enter(list.span)?;
        let result = self.braced_inner(ty, list, out);
        self.leave();
        result
    }

    fn braced_inner(&mut self, ty: TypeId, list: &'a InitList, out: &mut Gathered) -> Option<u64> {
        let mut items = Items::new(list);
        match *self.module.types.get(ty) {
            Type::Record(_) | Type::Array { .. } => {
                if let Type::Array { elem, len } = *self.module.types.get(ty) {
                    if let [only] = list.items.as_slice() {
                        if let (ast::Init::Expr(expr), true) =
                            (&only.init, only.designators.is_empty())
                        {
                            if let Some(bytes) = self.string_for(*expr, elem.ty) {
                                return self.string_elems(bytes, elem.ty, len, *expr, out);
                            }
                        }
                    }
                }
                self.aggregate(ty, 0, &mut items, true, out)
            }
            Type::Vector { .. } => {
                if list.items.is_empty() {
                    let zero = self.mk(ExprKind::Zero, ty, list.span);
                    self.put(zero, out);
                    return Some(0);
                }
                self.vector_items(ty, &mut items, true, list.span, out)?;
                if let Some(item) = items.next() {
                    let span = self.init_span(&item.init);
                    self.error(span, "excess elements in vector initializer");
                    return None;
                }
                Some(0)
            }
            _ => {
                let Some(first) = list.items.first() else {
                    if self.module.types.is_scalar(ty) {
                        let zero = self.mk(ExprKind::Zero, ty, list.span);
                        self.put(zero, out);
                        return Some(0);
                    }
                    let message = format!("illegal initializer type {}", self.show(ty));
                    self.error(list.span, message);
                    return None;
                };
                if !first.designators.is_empty() {
                    let message = format!(
                        "designator in initializer for scalar type {}",
                        self.show(ty)
                    );
                    self.error(list.span, message);
                    return None;
                }
                match &first.init {
                    ast::Init::Expr(expr) => {
                        let value = self.rvalue(*expr)?;
                        let value = self.assign_convert(value, ty, Purpose::Init(Span::NONE))?;
                        self.put(value, out);
                    }
                    ast::Init::List(inner) => {
                        self.braced(ty, inner, out)?;
                    }
                }
                items.at = 1;
                self.excess(&items, "scalar");
                Some(0)
            }
        }
    }

    fn excess(&mut self, items: &Items<'a>, what: &str) {
        if let Some(item) = items.next() {
            let span = self.init_span(&item.init);
            self.warning(
                Warning::ExcessInitializers,
                span,
                format!("excess elements in {what} initializer"),
            );
        }
    }

    pub(super) fn string_elems(
        &mut self,
        bytes: &[u8],
        elem: TypeId,
        len: Option<u64>,
        expr: ast::ExprId,
        out: &mut Gathered,
    ) -> Option<u64> {
        let span = self.ast.expr(expr).span;
        let len = len.unwrap_or(bytes.len() as u64 + 1);
        let data = self.string_data(bytes, len, span)?;
        for (index, &byte) in data.bytes.iter().take(bytes.len().max(1)).enumerate() {
            let value = self.mk(ExprKind::Int(u64::from(byte)), elem, span);
            out.path.push(index as u64);
            self.put(value, out);
            out.path.pop();
        }
        Some(len)
    }

    /// Returns the number of subobjects of an aggregate; `None` for arrays of unknown length.
    fn subobjects(&self, ty: TypeId) -> Option<u64> {
        match *self.module.types.get(ty) {
            Type::Record(record) => Some(self.module.types.record(record).fields.len() as u64),
            Type::Array { len, .. } => len,
            _ => Some(1),
        }
    }

    pub(super) fn subobject_type(&self, ty: TypeId, index: u64) -> Option<TypeId> {
        match *self.module.types.get(ty) {
            Type::Record(record) => {
                let fields = &self.module.types.record(record).fields;
                fields.get(index as usize).map(|f| f.ty.ty)
            }
            Type::Array { elem, .. } => Some(elem.ty),
            _ => None,
        }
    }

    /// Hands items to the subobjects of an aggregate in order, from the one at `index` on. Without
    /// braces of its own it takes what it needs and leaves the rest. Gives the number of elements
    /// named.
    pub(super) fn aggregate(
        &mut self,
        ty: TypeId,
        mut index: u64,
        items: &mut Items<'a>,
        braced: bool,
        out: &mut Gathered,
    ) -> Option<u64> {
        let is_union = self
            .module
            .types
            .record_id(ty)
            .is_some_and(|r| self.module.types.record(r).is_union);
        let count = self.subobjects(ty);
        let mut named: u64 = 0;
        let mut good = true;
        while let Some(item) = items.next() {
            self.afford(0, self.init_span(&item.init))?;
            let before = items.at;
            if items.at_designators() {
                if !braced {
                    break;
                }
                match self.designated(ty, items, out) {
                    Some(last) => {
                        index = last + 1;
                        named = named.max(index);
                    }
                    None => good = false,
                }
                items.skip_from(before);
                continue;
            }
            let full = count.is_some_and(|count| index >= count) || (is_union && index > 0);
            if full {
                if braced {
                    let what = match self.module.types.get(ty) {
                        Type::Array { .. } => "array",
                        _ if is_union => "union",
                        _ => "struct",
                    };
                    self.excess(items, what);
                }
                break;
            }
            let sub = self.subobject_type(ty, index)?;
            out.path.push(index);
            good &= self.element(sub, items, out).is_some();
            items.skip_from(before);
            out.path.pop();
            index += 1;
            named = named.max(index);
        }
        good.then_some(named)
    }

    /// Refuses to initialise a flexible array member, for which an object has no room.
    pub(super) fn refuse_flexible(&self, ty: TypeId, span: Span) -> bool {
        let flexible = matches!(self.module.types.get(ty), Type::Array { len: None, .. });
        if flexible {
            let message = "initialization of flexible array member is not allowed";
            self.error(span, message);
        }
        flexible
    }

    /// Initialises one subobject from the next item or items.
    pub(super) fn element(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        out: &mut Gathered,
    ) -> Option<()> {
        let item = items.next()?;
        if self.refuse_flexible(ty, self.init_span(&item.init)) {
            return None;
        }
        let expr = match &item.init {
            ast::Init::List(list) => {
                items.at += 1;
                return self.braced(ty, list, out).map(|_| ());
            }
            ast::Init::Expr(expr) => *expr,
        };
        if let Type::Array { elem, len } = *self.module.types.get(ty) {
            if let Some(bytes) = self.string_for(expr, elem.ty) {
                items.at += 1;
                return self
                    .string_elems(bytes, elem.ty, len, expr, out)
                    .map(|_| ());
            }
        }
        let value = match items.peeked.take() {
            Some(value) => value,
            None => self.rvalue(expr)?,
        };
        if self.ty(value) == ty {
            items.at += 1;
            self.put(value, out);
            return Some(());
        }
        match *self.module.types.get(ty) {
            Type::Record(_) | Type::Array { .. } => {
                let span = self.span(value);
                if self.subobjects(ty) == Some(0) {
                    let message = "initializer for aggregate with no elements requires braces";
                    self.error(span, message);
                    return None;
                }
                items.peeked = Some(value);
                self.enter(span)?;
                let result = self.aggregate(ty, 0, items, false, out);
                self.leave();
                result.map(|_| ())
            }
            // A vector takes vectors until it is full; a scalar alone becomes all its elements, as in
            // an assignment.
            Type::Vector { .. } if self.module.types.vector_parts(self.ty(value)).is_some() => {
                items.peeked = Some(value);
                let span = self.span(value);
                self.vector_items(ty, items, false, span, out)
            }
            _ => {
                items.at += 1;
                let value = self.assign_convert(value, ty, Purpose::Init(Span::NONE))?;
                self.put(value, out);
                Some(())
            }
        }
    }

    /// Fills a vector from as many items as it takes; too few are an error.
    fn vector_items(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        braced: bool,
        span: Span,
        out: &mut Gathered,
    ) -> Option<()> {
        let (elem, lanes) = self.module.types.vector_parts(ty)?;
        let mut values = Vec::new();
        let mut have: u8 = 0;
        while have < lanes {
            let Some(item) = items.next() else {
                break;
            };
            if items.at_designators() {
                if braced {
                    let at = self.init_span(&item.init);
                    self.error(
                        at,
                        format!(
                            "designator in initializer for vector type {}",
                            self.show(ty)
                        ),
                    );
                    items.at += 1;
                    return None;
                }
                break;
            }
            let value = match (&item.init, items.peeked.take()) {
                (_, Some(value)) => value,
                (ast::Init::Expr(expr), None) => {
                    items.at += 1;
                    let value = self.rvalue(*expr)?;
                    items.at -= 1;
                    value
                }
                (ast::Init::List(list), None) => {
                    items.at += 1;
                    let mut inner = Gathered::default();
                    self.braced(elem, list, &mut inner)?;
                    items.at -= 1;
                    inner.elems.first()?.value
                }
            };
            items.at += 1;
            let (_, count) = self.module.types.elem_lanes(self.ty(value));
            have = have.saturating_add(count);
            values.push(value);
        }
        let value = self.build_vector(values, ty, elem, lanes, span)?;
        self.put(value, out);
        Some(())
    }

    /// An initialiser of an object with static storage: completed type and bytes.
    pub(super) fn constant_initialiser(
        &mut self,
        ty: TypeId,
        init: &'a ast::Init,
        name: Span,
    ) -> Option<(TypeId, ConstData)> {
        let (ty, typed) = self.initialiser(ty, init, name)?;
        if let Some(data) = self.init_data(&typed, ty) {
            return Some((ty, data));
        }
        let culprit = match &typed {
            Init::Expr(expr) => Some(*expr),
            Init::List { elems, .. } => elems
                .iter()
                .map(|e| e.value)
                .find(|&value| self.eval(value).is_none()),
            Init::Const(_) => None,
        };
        let span = culprit.map_or(self.init_span(init), |expr| self.span(expr));
        self.not_constant(span);
        None
    }
}
