//! Members, swizzles and indices.
use super::typed::{ExprKind, LvalueId, LvalueKind, NO_LANE};
use super::{Operand, Sema};
use crate::diagnostics::Warning;
use crate::lang::types::{QualType, Type, TypeId, TypeTable};
use crate::parse::ast;
use crate::source::{Span, Symbol};
use pumice_target::similar::closest;

impl<'a> Sema<'a> {
    pub(super) fn member(
        &mut self,
        base: ast::ExprId,
        arrow: bool,
        name: Symbol,
        name_span: Span,
        span: Span,
    ) -> Option<Operand> {
        let base_span = self.ast.expr(base).span;
        let operand = if arrow {
            let pointer = self.rvalue(base)?;
            let ty = self.ty(pointer);
            if !self.module.types.is_pointer(ty) {
                let message = format!(
                    "member reference type {} is not a pointer; did you mean to use '.'?",
                    self.show(ty)
                );
                self.error(name_span, message).highlight(base_span);
                return None;
            }
            Operand::Lvalue(self.deref_lvalue(pointer, base_span)?)
        } else {
            self.operand(base)?
        };
        let ty = match operand {
            Operand::Value(expr) => self.ty(expr),
            Operand::Lvalue(lvalue) => self.body.lvalue(lvalue).ty.ty,
            function => {
                self.value_of(function, base_span);
                return None;
            }
        };
        match *self.module.types.get(ty) {
            Type::Record(_) => self.field(operand, ty, name, name_span, span),
            Type::Vector { elem, len } => {
                self.swizzle(operand, ty, elem, len, name, name_span, span)
            }
            Type::Pointer { .. } => {
                let message = format!(
                    "member reference type {} is a pointer; did you mean to use '->'?",
                    self.show(ty)
                );
                self.error(name_span, message).highlight(base_span);
                None
            }
            _ => {
                let message = format!(
                    "member reference base type {} is not a structure or union",
                    self.show(ty)
                );
                self.error(name_span, message).highlight(base_span);
                None
            }
        }
    }

    fn field(
        &mut self,
        operand: Operand,
        ty: TypeId,
        name: Symbol,
        name_span: Span,
        span: Span,
    ) -> Option<Operand> {
        let text = self.name(name);
        let record = self.module.types.record_id(ty)?;
        if !self.module.types.record(record).complete {
            let message = format!("incomplete definition of type {}", self.show(ty));
            let declared = self.module.types.record(record).span;
            self.error(name_span, message).note(
                declared,
                format!("forward declaration of {}", self.show(ty)),
            );
            return None;
        }
        let Some(path) = self.find_field(record, text) else {
            if self.module.types.is_faulty(ty) {
                return None;
            }
            let fields: Vec<String> = self
                .module
                .types
                .record(record)
                .fields
                .iter()
                .map(|f| f.name.clone())
                .collect();
            let near = closest(text, fields.into_iter().filter(|f| !f.is_empty()));
            let mut message = format!("no member named '{text}' in {}", self.show(ty));
            if let Some(near) = near {
                message.push_str(&format!("; did you mean '{near}'?"));
            }
            self.error(name_span, message);
            return None;
        };
        let mut current = operand;
        for index in path {
            current = self.field_step(current, index, span)?;
        }
        Some(current)
    }

    fn field_step(&mut self, operand: Operand, index: u32, span: Span) -> Option<Operand> {
        match operand {
            Operand::Lvalue(base) => Some(Operand::Lvalue(self.field_lvalue(base, index, span)?)),
            Operand::Value(base) => {
                let record = self.module.types.record_id(self.ty(base))?;
                let ty = self.module.types.record(record).fields[index as usize].ty;
                if matches!(self.module.types.get(ty.ty), Type::Array { .. }) {
                    // Only memory can be indexed.
                    let whole = self.ty(base);
                    let align = self.module.types.align(whole);
                    let temporary = self.mk_lvalue(
                        LvalueKind::Temporary(base),
                        QualType::plain(whole),
                        crate::lang::types::AddrSpace::Private,
                        align,
                        span,
                    );
                    return Some(Operand::Lvalue(self.field_lvalue(temporary, index, span)?));
                }
                let value = self.mk(ExprKind::ExtractField { base, field: index }, ty.ty, span);
                Some(Operand::Value(value))
            }
            _ => None,
        }
    }

    /// A field of a record in memory.
    pub(super) fn field_lvalue(
        &mut self,
        base: LvalueId,
        index: u32,
        span: Span,
    ) -> Option<LvalueId> {
        let lvalue = self.body.lvalue(base);
        let (base_q, space, base_align) = (lvalue.ty, lvalue.space, lvalue.align);
        let record = self.module.types.record_id(base_q.ty)?;
        let field = self
            .module
            .types
            .record(record)
            .fields
            .get(index as usize)?;
        let (q, offset) = (field.ty, field.offset);
        let q = self.add_quals(q, base_q.quals);
        let align = if offset == 0 {
            base_align
        } else {
            base_align.min(1 << offset.trailing_zeros())
        };
        Some(self.mk_lvalue(
            LvalueKind::Field { base, field: index },
            q,
            space,
            align,
            span,
        ))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a swizzle")]
    fn swizzle(
        &mut self,
        operand: Operand,
        ty: TypeId,
        elem: TypeId,
        len: u8,
        name: Symbol,
        name_span: Span,
        span: Span,
    ) -> Option<Operand> {
        let text = self.name(name);
        let lanes = match swizzle_lanes(text, len) {
            Ok(lanes) => lanes,
            Err(SwizzleError::Name(c)) => {
                let message = match c {
                    Some(c) => format!("illegal vector component name '{c}'"),
                    None => format!("illegal vector component name '{text}'"),
                };
                self.error(name_span, message);
                return None;
            }
            Err(SwizzleError::Range) => {
                let message = format!("vector component access exceeds type {}", self.show(ty));
                self.error(name_span, message);
                return None;
            }
            Err(SwizzleError::Length(n)) => {
                self.error(
                    name_span,
                    format!(
                        "vector component access has invalid length {n}; supported lengths are: 1,2,3,4,8,16"
                    ),
                );
                return None;
            }
        };
        self.pick_lanes(operand, elem, lanes, span)
    }

    /// Some lanes of a vector.
    pub(super) fn pick_lanes(
        &mut self,
        operand: Operand,
        elem: TypeId,
        lanes: Vec<u8>,
        span: Span,
    ) -> Option<Operand> {
        let ty = self.module.types.lanes(elem, lanes.len() as u8);
        match operand {
            Operand::Lvalue(base) => {
                let lvalue = self.body.lvalue(base);
                let (space, quals) = (lvalue.space, lvalue.ty.quals);
                let (base, lanes, repeats) = match &lvalue.kind {
                    LvalueKind::Lanes {
                        base,
                        lanes: outer,
                        repeats,
                    } => (
                        *base,
                        lanes
                            .iter()
                            .map(|&l| outer.get(usize::from(l)).copied().unwrap_or(NO_LANE))
                            .collect(),
                        *repeats || has_duplicates(outer),
                    ),
                    _ => (base, lanes, false),
                };
                let align = self
                    .module
                    .types
                    .align(elem)
                    .min(self.body.lvalue(base).align);
                let lvalue = self.mk_lvalue(
                    LvalueKind::Lanes {
                        base,
                        lanes,
                        repeats,
                    },
                    QualType::new(ty, quals),
                    space,
                    align,
                    span,
                );
                Some(Operand::Lvalue(lvalue))
            }
            Operand::Value(base) => {
                let value = self.mk(ExprKind::Swizzle { base, lanes }, ty, span);
                Some(Operand::Value(value))
            }
            _ => None,
        }
    }

    /// `base[index]`
    pub(super) fn index(
        &mut self,
        base: ast::ExprId,
        index: ast::ExprId,
        span: Span,
    ) -> Option<Operand> {
        let base_span = self.ast.expr(base).span;
        let operand = self.operand(base);
        let second = self.rvalue(index);
        let (operand, second) = (operand?, second?);
        let base_ty = match operand {
            Operand::Value(expr) => self.ty(expr),
            Operand::Lvalue(lvalue) => self.body.lvalue(lvalue).ty.ty,
            _ => TypeTable::ERROR,
        };
        if let Some((elem, len)) = self.module.types.vector_parts(base_ty) {
            return self.vector_index(operand, elem, len, second, span);
        }
        let first = self.value_of(operand, base_span)?;
        let (pointer, number) = if self.module.types.is_pointer(self.ty(first)) {
            (first, second)
        } else {
            (second, first)
        };
        let ty = self.ty(pointer);
        if !self.module.types.is_pointer(ty) {
            self.error(
                span,
                "subscripted value is not an array, pointer, or vector",
            );
            return None;
        }
        if !self.module.types.is_integer(self.ty(number)) {
            self.error(self.span(number), "array subscript is not an integer");
            return None;
        }
        self.check_constant_index(pointer, number);
        let moved = self.pointer_add(pointer, number, false, span)?;
        Some(Operand::Lvalue(self.deref_lvalue(moved, span)?))
    }

    /// Warns of constant indices outside a known array.
    fn check_constant_index(
        &mut self,
        pointer: super::typed::ExprId,
        number: super::typed::ExprId,
    ) {
        let ExprKind::Decay(lvalue) = self.body.expr(pointer).kind else {
            return;
        };
        let Type::Array { len: Some(len), .. } =
            *self.module.types.get(self.body.lvalue(lvalue).ty.ty)
        else {
            return;
        };
        // In GNU C such an array is followed by as many elements as its object has room for.
        if len == 0 {
            return;
        }
        let ExprKind::Int(_) = self.body.expr(number).kind else {
            return;
        };
        let Some(index) = self.constant_number(number) else {
            return;
        };
        let span = self.span(number);
        if index < 0 {
            self.warning(
                Warning::ArrayBounds,
                span,
                format!("array index {index} is before the beginning of the array"),
            );
        } else if index >= i128::from(len) {
            self.warning(
                Warning::ArrayBounds,
                span,
                format!(
                    "array index {index} is past the end of the array (that has type {})",
                    self.show(self.body.lvalue(lvalue).ty.ty)
                ),
            );
        }
    }

    fn vector_index(
        &mut self,
        operand: Operand,
        elem: TypeId,
        len: u8,
        index: super::typed::ExprId,
        span: Span,
    ) -> Option<Operand> {
        if !self.module.types.is_integer(self.ty(index)) {
            self.error(self.span(index), "array subscript is not an integer");
            return None;
        }
        if let Some(number) = self.constant_number(index) {
            if number < 0 || number >= i128::from(len) {
                self.warning(
                    Warning::ArrayBounds,
                    self.span(index),
                    format!("vector index {number} is outside the {len} elements of the vector"),
                );
            }
            let number = number.clamp(0, i128::from(len) - 1);
            return self.pick_lanes(operand, elem, vec![number as u8], span);
        }
        let index = self.promote(index);
        match operand {
            Operand::Value(base) => {
                let value = self.mk(ExprKind::ExtractLane { base, index }, elem, span);
                Some(Operand::Value(value))
            }
            Operand::Lvalue(base)
                if matches!(self.body.lvalue(base).kind, LvalueKind::Lanes { .. }) =>
            {
                let base = self.value_of(operand, span)?;
                let value = self.mk(ExprKind::ExtractLane { base, index }, elem, span);
                Some(Operand::Value(value))
            }
            Operand::Lvalue(base) => {
                let lvalue = self.body.lvalue(base);
                let (space, quals, align) = (lvalue.space, lvalue.ty.quals, lvalue.align);
                let align = align.min(self.module.types.align(elem));
                let lvalue = self.mk_lvalue(
                    LvalueKind::Lane { base, index },
                    QualType::new(elem, quals),
                    space,
                    align,
                    span,
                );
                Some(Operand::Lvalue(lvalue))
            }
            _ => None,
        }
    }
}

/// Returns whether a swizzle names a lane twice.
pub(super) fn has_duplicates(lanes: &[u8]) -> bool {
    let mut seen = [false; 16];
    let mut known = lanes.iter().filter(|lane| **lane != NO_LANE);
    known.any(|&lane| std::mem::replace(&mut seen[usize::from(lane)], true))
}

#[derive(Debug, PartialEq, Eq)]
enum SwizzleError {
    /// Not a component name; the first bad letter.
    Name(Option<char>),
    /// A lane that the vector does not have.
    Range,
    /// A number of lanes that no vector has.
    Length(usize),
}

/// The lanes that a swizzle of a vector of `len` lanes names.
fn swizzle_lanes(text: &str, len: u8) -> Result<Vec<u8>, SwizzleError> {
    // The halves of a 3-vector are those of a 4-vector whose last lane is undefined.
    let wide = if len == 3 { 4 } else { len };
    let clamp = |lane: u8| if lane < len { lane } else { NO_LANE };
    let half = wide / 2;
    match text {
        "lo" => return Ok((0..half).map(clamp).collect()),
        "hi" => return Ok((half..wide).map(clamp).collect()),
        "even" => return Ok((0..half).map(|l| clamp(l * 2)).collect()),
        "odd" => return Ok((0..half).map(|l| clamp(l * 2 + 1)).collect()),
        _ => {}
    }
    let mut lanes = Vec::with_capacity(text.len());
    let numbered = text.len() > 1 && text.starts_with(['s', 'S']);
    if numbered {
        for c in text[1..].chars() {
            let lane = c.to_digit(16).ok_or(SwizzleError::Name(Some(c)))?;
            lanes.push(lane as u8);
        }
    } else {
        let sets = ["xyzw", "rgba"];
        let first = text.chars().next().ok_or(SwizzleError::Name(None))?;
        let set = sets
            .iter()
            .find(|set| set.contains(first))
            .ok_or(SwizzleError::Name(None))?;
        for c in text.chars() {
            let lane = set.find(c).ok_or(SwizzleError::Name(Some(c)))?;
            lanes.push(lane as u8);
        }
    }
    if lanes.iter().any(|&lane| lane >= len) {
        return Err(SwizzleError::Range);
    }
    if !matches!(lanes.len(), 1 | 2 | 3 | 4 | 8 | 16) {
        return Err(SwizzleError::Length(lanes.len()));
    }
    Ok(lanes)
}

#[cfg(test)]
mod tests {
    use super::{NO_LANE, SwizzleError, swizzle_lanes};

    #[test]
    fn swizzles() {
        assert_eq!(swizzle_lanes("wzyx", 4), Ok(vec![3, 2, 1, 0]));
        assert_eq!(swizzle_lanes("sF0", 16), Ok(vec![15, 0]));
        assert_eq!(swizzle_lanes("rg", 2), Ok(vec![0, 1]));
        assert_eq!(swizzle_lanes("odd", 8), Ok(vec![1, 3, 5, 7]));
        assert_eq!(swizzle_lanes("hi", 3), Ok(vec![2, NO_LANE]));
        assert_eq!(swizzle_lanes("odd", 3), Ok(vec![1, NO_LANE]));
        assert_eq!(swizzle_lanes("z", 2), Err(SwizzleError::Range));
        assert_eq!(swizzle_lanes("xxxxx", 4), Err(SwizzleError::Length(5)));
        assert_eq!(swizzle_lanes("xr", 4), Err(SwizzleError::Name(Some('r'))));
        assert_eq!(swizzle_lanes("foo", 4), Err(SwizzleError::Name(None)));
    }
}
