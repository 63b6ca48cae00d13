//! Designators of initialisers.
use super::Sema;
use super::convert::Purpose;
use super::init::Gathered;
use super::typed::ExprId;
use crate::lang::types::{Type, TypeId};
use crate::parse::ast::{self, Designator, InitItem};
use crate::source::Span;
use pumice_reflection::MAX_INITIAL_DATA;

impl<'a> Sema<'a> {
    /// An item with designators: where the next item goes, and the number of elements named.
    pub(super) fn designated(
        &mut self,
        ty: TypeId,
        item: &'a InitItem,
        out: &mut Gathered,
    ) -> Option<(u64, u64)> {
        let last = self.designated_range(ty, &item.designators, &item.init, out)?;
        Some((last + 1, last + 1))
    }

    /// Initialises the elements that the first designator names; gives the last one's index.
    fn designated_range(
        &mut self,
        ty: TypeId,
        designators: &'a [Designator],
        init: &'a ast::Init,
        out: &mut Gathered,
    ) -> Option<u64> {
        let (first, last, path) = self.designator(ty, &designators[0])?;
        if last - first > 1 << 20 {
            self.error(self.init_span(init), "designator range is too large");
            return None;
        }
        for index in first..=last {
            self.afford(0, self.init_span(init))?;
            let depth = out.path.len();
            out.path.push(index);
            out.path.extend(&path);
            let mut sub = ty;
            for &step in &out.path[depth..] {
                sub = self.subobject_type(sub, step)?;
            }
            let result = self.designated_rest(sub, &designators[1..], init, out);
            out.path.truncate(depth);
            result?;
        }
        Some(last)
    }

    fn designated_rest(
        &mut self,
        ty: TypeId,
        rest: &'a [Designator],
        init: &'a ast::Init,
        out: &mut Gathered,
    ) -> Option<()> {
        if !rest.is_empty() {
            return self.designated_range(ty, rest, init, out).map(|_| ());
        }
        match init {
            ast::Init::List(list) => self.braced(ty, list, out).map(|_| ()),
            ast::Init::Expr(expr) => {
                if let Type::Array { elem, len } = *self.module.types.get(ty) {
                    if let Some(bytes) = self.string_for(*expr, elem.ty) {
                        return self
                            .string_elems(bytes, elem.ty, len, *expr, out)
                            .map(|_| ());
                    }
                }
                let value = self.rvalue(*expr)?;
                let value = self.first_scalar(value, ty, out)?;
                self.put_at(value, out);
                Some(())
            }
        }
    }

    /// A value for a designated aggregate without braces initialises its first member.
    fn first_scalar(
        &mut self,
        value: ExprId,
        ty: TypeId,
        out: &mut Gathered,
    ) -> Option<(ExprId, usize)> {
        let mut target = ty;
        let mut pushed = 0;
        while target != self.ty(value)
            && matches!(
                self.module.types.get(target),
                Type::Record(_) | Type::Array { .. }
            )
        {
            target = self.subobject_type(target, 0)?;
            out.path.push(0);
            pushed += 1;
        }
        match self.assign_convert(value, target, Purpose::Init(Span::NONE)) {
            Some(value) => Some((value, pushed)),
            None => {
                out.path.truncate(out.path.len() - pushed);
                None
            }
        }
    }

    fn put_at(&mut self, (value, pushed): (ExprId, usize), out: &mut Gathered) {
        self.put(value, out);
        out.path.truncate(out.path.len() - pushed);
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
