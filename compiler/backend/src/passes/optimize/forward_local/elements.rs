//! The elements of a local variable that work-items access, by their local ids.

use pumice_ir::{BinaryOp, BuiltIn, ConvertOp, Function, InstKind, Type, Value};

/// The dimensions of an index space.
pub(super) const DIMS: usize = 3;

/// The depth to which a number's operands are looked at.
const MAX_DEPTH: u32 = 12;

/// A number that grows with local ids: a constant, and so many times the id in each dimension. None of it is negative, nor of
/// what it is computed from, so that it is right in any width that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub constant: u64,
    pub factors: [u64; DIMS],
}

impl Linear {
    /// The number that a value is, if it is such a one.
    pub fn of(func: &Function, value: Value) -> Option<Self> {
        Self::look(func, value, MAX_DEPTH)
    }

    fn look(func: &Function, value: Value, depth: u32) -> Option<Self> {
        if ![Type::I32, Type::I64].contains(&func.ty(value)) {
            return None;
        }
        if let Some(constant) = func.const_signed(value) {
            let constant = u64::try_from(constant).ok()?;
            return Some(Self {
                constant,
                ..Self::default()
            });
        }
        let depth = depth.checked_sub(1)?;
        if let Some((BuiltIn::LocalId, dim)) = id(func, value) {
            let mut found = Self::default();
            found.factors[dim] = 1;
            return Some(found);
        }
        match func.insts[func.def_inst(value)?].kind {
            InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt,
                arg,
                ..
            } => Self::look(func, arg, depth),
            InstKind::Binary { op, args, .. } => {
                let [a, b] = args;
                let first = Self::look(func, a, depth)?;
                match op {
                    BinaryOp::IAdd => first.plus(Self::look(func, b, depth)?),
                    BinaryOp::Shl => {
                        let by = u32::try_from(func.const_bits(b)?).ok()?;
                        (by < i32::BITS).then(|| first.times(1 << by))?
                    }
                    BinaryOp::IMul => {
                        let factor = u64::try_from(func.const_signed(b)?).ok()?;
                        first.times(factor)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The sum of two.
    pub fn plus(self, other: Self) -> Option<Self> {
        let mut sum = Self {
            constant: self.constant.checked_add(other.constant)?,
            ..self
        };
        for (factor, more) in sum.factors.iter_mut().zip(other.factors) {
            *factor = factor.checked_add(more)?;
        }
        Some(sum)
    }

    /// So many times the number, and no less than once.
    fn times(self, factor: u64) -> Option<Self> {
        let mut product = Self {
            constant: self.constant.checked_mul(factor)?,
            ..self
        };
        for own in &mut product.factors {
            *own = own.checked_mul(factor)?;
        }
        (factor > 0).then_some(product)
    }
}

/// The built-in vector and the dimension that a value is taken from.
pub(super) fn id(func: &Function, value: Value) -> Option<(BuiltIn, usize)> {
    let InstKind::Extract { vector, lane } = func.insts[func.def_inst(value)?].kind else {
        return None;
    };
    match func.insts[func.def_inst(vector)?].kind {
        InstKind::BuiltIn { which } => Some((which, usize::from(lane))),
        _ => None,
    }
}

/// A condition on the sizes of a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The size in a dimension is no more than so many.
    AtMost(usize, u64),
    /// The size in the first dimension is no more than that in the second one.
    NotAbove(usize, usize),
}

/// The conditions under which each work-item has an element of its own, of `bytes` bytes, in a variable of `size` bytes, at a
/// place; `None` if they have none.
pub(super) fn apart(place: Linear, bytes: u64, size: u64) -> Option<Vec<Condition>> {
    let mut dims: Vec<usize> = (0..DIMS).filter(|&dim| place.factors[dim] > 0).collect();
    dims.sort_by_key(|&dim| place.factors[dim]);
    let unused = (0..DIMS).filter(|&dim| place.factors[dim] == 0);
    let mut conditions: Vec<Condition> = unused.map(|dim| Condition::AtMost(dim, 1)).collect();
    // The bytes from the first to the last element of the dimensions so far.
    let mut extent = bytes;
    for (at, &dim) in dims.iter().enumerate() {
        let factor = place.factors[dim];
        // Elements that differ in this dimension alone.
        if factor < extent {
            return None;
        }
        let room = match dims.get(at + 1) {
            Some(&next) if place.factors[next] > factor => place.factors[next],
            Some(_) => return None,
            None => size.checked_sub(place.constant)?,
        };
        let most = room.checked_sub(extent)? / factor + 1;
        conditions.push(Condition::AtMost(dim, most));
        extent += (most - 1) * factor;
    }
    (!dims.is_empty()).then_some(conditions)
}

/// The dimensions whose ids of a work-item that loads are the ids, dimension by dimension, of the one that has stored the element.
pub(super) type Source = [usize; DIMS];

/// Finds the work-item whose element a load reads: its id in a dimension is the loading one's in another.
pub(super) fn source(stored: Linear, loaded: Linear) -> Option<Source> {
    let count = |place: Linear| place.factors.iter().filter(|&&factor| factor > 0).count();
    if stored.constant != loaded.constant || count(stored) != count(loaded) {
        return None;
    }
    let mut source = [0, 1, 2];
    for (dim, from) in source.iter_mut().enumerate() {
        if stored.factors[dim] > 0 {
            let factor = stored.factors[dim];
            *from = loaded.factors.iter().position(|&other| other == factor)?;
        }
    }
    Some(source)
}
