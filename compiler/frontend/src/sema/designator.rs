//! Designators of initialisers.
use super::Sema;
use super::init::{Gathered, Items};
use crate::lang::types::{Type, TypeId};
use crate::parse::ast::{self, Designator};
use crate::source::Span;
use pumice_reflection::MAX_INITIAL_DATA;

impl<'a> Sema<'a> {
    /// Initialises what the designators of the next item name, and what follows it within the
    /// subobject of the first designator (C99 6.7.8p17). Gives the index of that subobject.
    pub(super) fn designated(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        out: &mut Gathered,
    ) -> Option<u64> {
        let item = items.follow()?;
        self.designated_range(ty, &item.designators, true, items, out)
    }

    /// Initialises the elements that the first designator names; gives the last one's index. That one
    /// takes the items that follow too, if `finish`.
    fn designated_range(
        &mut self,
        ty: TypeId,
        designators: &'a [Designator],
        finish: bool,
        items: &mut Items<'a>,
        out: &mut Gathered,
    ) -> Option<u64> {
        let (designator, rest) = designators.split_first()?;
        let span = self.init_span(&items.next()?.init);
        let (first, last, path) = self.designator(ty, designator)?;
        if last - first > 1 << 20 {
            self.error(span, "designator range is too large");
            return None;
        }
        let start = items.at;
        for index in first..=last {
            self.afford(0, span)?;
            // Each element of a range has the same items.
            items.at = start;
            let finish = finish && index == last;
            self.designated_part(ty, (index, &path), rest, finish, items, out)?;
        }
        Some(last)
    }

    /// Initialises what `rest` names in one subobject, at the end of a way through anonymous members.
    fn designated_part(
        &mut self,
        ty: TypeId,
        (index, path): (u64, &[u64]),
        rest: &'a [Designator],
        finish: bool,
        items: &mut Items<'a>,
        out: &mut Gathered,
    ) -> Option<()> {
        let part = self.subobject_type(ty, index)?;
        out.path.push(index);
        let result = self.designated_in(part, path, rest, finish, items, out);
        out.path.pop();
        result
    }

    fn designated_in(
        &mut self,
        ty: TypeId,
        path: &[u64],
        rest: &'a [Designator],
        finish: bool,
        items: &mut Items<'a>,
        out: &mut Gathered,
    ) -> Option<()> {
        if !(path.is_empty() && rest.is_empty()) {
            let span = items
                .next()
                .map_or(Span::NONE, |item| self.init_span(&item.init));
            if self.refuse_flexible(ty, span) {
                return None;
            }
        }
        let index = match path {
            [] if rest.is_empty() => return self.element(ty, items, out),
            [] => self.designated_range(ty, rest, finish, items, out)?,
            [index, path @ ..] => {
                self.designated_part(ty, (*index, path), rest, finish, items, out)?;
                *index
            }
        };
        if finish {
            self.aggregate(ty, index + 1, items, false, out)?;
        }
        Some(())
    }

    /// First and last index of a designator, and the way through anonymous members.
    fn designator(&mut self, ty: TypeId, designator: &Designator) -> Option<(u64, u64, Vec<u64>)> {
        match designator {
            Designator::Field(name, span) => {
                let text = self.name(*name);
                let Some(record) = self.module.types.record_id(ty) else {
                    let message = format!(
                        "field designator cannot initialize a non-struct, non-union type {}",
                        self.show(ty)
                    );
                    self.error(*span, message);
                    return None;
                };
                let Some(path) = self.find_field(record, text) else {
                    let message = format!(
                        "field designator '{text}' does not refer to any field in type {}",
                        self.show(ty)
                    );
                    self.error(*span, message);
                    return None;
                };
                let first = u64::from(path[0]);
                let rest = path[1..].iter().map(|&i| u64::from(i)).collect();
                Some((first, first, rest))
            }
            Designator::Index(index, span) => {
                let at = self.array_index(ty, *index, *span)?;
                Some((at, at, Vec::new()))
            }
            Designator::Range(first, last, span) => {
                let first = self.array_index(ty, *first, *span)?;
                let last = self.array_index(ty, *last, *span)?;
                if last < first {
                    self.error(
                        *span,
                        format!("array designator range [{first}, {last}] is empty"),
                    );
                    return None;
                }
                Some((first, last, Vec::new()))
            }
        }
    }

    fn array_index(&mut self, ty: TypeId, index: ast::ExprId, span: Span) -> Option<u64> {
        let Type::Array { len, .. } = *self.module.types.get(ty) else {
            let message = format!(
                "array designator cannot initialize non-array type {}",
                self.show(ty)
            );
            self.error(span, message);
            return None;
        };
        let value = self.integer_constant(index)?;
        let limit = len.unwrap_or(MAX_INITIAL_DATA);
        match u64::try_from(value) {
            Ok(value) if value < limit => Some(value),
            _ => {
                let message = match (value < 0, len) {
                    (true, _) => format!("array designator value '{value}' is negative"),
                    (_, None) => format!("array designator index ({value}) is too large"),
                    (_, Some(len)) => {
                        format!("array designator index ({value}) exceeds array bounds ({len})")
                    }
                };
                self.error(span, message);
                None
            }
        }
    }
}
