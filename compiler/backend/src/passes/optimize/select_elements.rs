//! Arrays of a few elements leave memory though their index is not known: all elements are read, or written, and the index
//! selects among them.
//!
//! ```text
//! float slabs[2];                         float slab0, slab1;
//! near = slabs[sign];                     near = sign == 0 ? slab0 : slab1;
//! slabs[i] = far;                         slab0 = i == 0 ? far : slab0; slab1 = i == 1 ? far : slab1;
//! ```
//!
//! An access of memory at a place that each work-item has for itself costs as much as the selections among [`MOST_ELEMENTS`], and
//! a variable in memory is in the way of all that drivers do with values. On lavapipe (25.0.7), a loop that adds to elements
//! takes a third of the time with arrays of two, half with four, the same with eight and twice the time with sixteen.
//!
//! All uses of such a variable are loads, stores and copies, each at a constant place or at the sum of a constant and one index.
//! Arrays that only the counters of loops index which drivers unroll unasked stay: then the places are constants.
//! An index outside of the array selects one of its elements, or none to be written. Under checks all arrays stay, since
//! they test the places of the source.

use super::bound_unrolling::{UNASKED, UNASKED_ROUNDS};
use super::trip_count::{counters_of_short_loops, is_counted};
use super::{dce, sroa};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::analysis::eval::mask;
use pumice_ir::analysis::slots::Uses;
use pumice_ir::{
    AddressSpace, BinaryOp, Cfg, ConvertOp, Function, Inst, InstKind, IntCond, Loop, LoopNest,
    LowerError, StackSlot, Type, Value, align_at,
};
use rustc_hash::FxHashMap;

/// Elements of an array from which is selected.
const MOST_ELEMENTS: i64 = 8;

/// Elements of all accesses of a function together, which become selections: with more, its arrays stay in memory, so that the
/// code grows within bounds.
const MOST_SELECTIONS: usize = 1 << 16;

/// Additions between an address and its variable.
const MOST_ADDITIONS: u32 = 8;

/// Runs the pass.
///
/// # Errors
/// Those of [`sroa::run`].
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    if func.slots.is_empty() || ctx.target.checks.any() {
        return Ok(Changed::No);
    }
    let found = find(func, &Cfg::new(func));
    if found.is_empty() {
        return Ok(Changed::No);
    }
    let changed = expand(func, |x, inst| {
        let Some(place) = found.get(&inst) else {
            return Ok(None);
        };
        Ok(MemoryAccess::of(x.func, inst).map(|access| place.select(x, &access)))
    })?;
    // The addresses that nobody uses any more.
    let _ = dce::run(func, ctx);
    let _ = sroa::run(func, ctx)?;
    Ok(changed)
}

/// The elements that an access with an index may mean.
struct Place {
    slot: StackSlot,
    /// The number that selects.
    index: Value,
    elements: Vec<Element>,
}

/// An element of an array.
struct Element {
    /// The index that means it, of which the index's type has the lower bits.
    index: u64,
    /// Bytes from the variable's start.
    offset: u32,
}

impl Place {
    /// The place of an access of `bytes` bytes; `None` if its address has another form, or there are too many elements.
    fn of(func: &Function, ptr: Value, bytes: u32) -> Option<Self> {
        let (slot, fixed, offset) = parts(func, ptr)?;
        let fixed = i64::from(i32::try_from(fixed).ok()?);
        let Index {
            value,
            per_element,
            stride,
        } = Index::of(func, offset)?;
        let first = -fixed.div_euclid(stride);
        let last = (i64::from(func.slots[slot].size) - i64::from(bytes) - fixed).div_euclid(stride);
        if !(first..first + MOST_ELEMENTS).contains(&last) {
            return None;
        }
        let elements = (first..=last).map(|number| Element {
            index: (number * per_element) as u64,
            offset: (fixed + number * stride) as u32,
        });
        Some(Self {
            slot,
            index: value,
            elements: elements.collect(),
        })
    }

    /// Writes the access as one of all elements.
    fn select(&self, x: &mut Expander<'_>, access: &MemoryAccess) -> Replacement {
        let slot = self.slot;
        let align = x.func.slots[slot].placed_align();
        let ty = Type::ptr(AddressSpace::Private);
        let start = x.value(InstKind::StackAddr { slot }, ty);
        let index = match x.ty(self.index) {
            // The variable has fewer bytes than the other half counts.
            Type::I64 => x.convert(ConvertOp::Trunc, self.index, Type::I32),
            _ => self.index,
        };
        let scalar = x.ty(index).scalar;
        let mut loaded = None;
        for element in &self.elements {
            let ptr = x.offset(start, element.offset.into());
            let align = align_at(align, element.offset.into());
            let old = x.load(ptr, access.ty, align);
            if access.stored.is_none() && loaded.is_none() {
                loaded = Some(old);
                continue;
            }
            let is_meant = x.icmp_const(IntCond::Eq, index, mask(scalar, element.index));
            match access.stored {
                Some(new) => {
                    let value = x.select(is_meant, new, old);
                    x.store(ptr, value, align);
                }
                None => loaded = loaded.map(|others| x.select(is_meant, old, others)),
            }
        }
        loaded.into_iter().collect()
    }
}

/// The variable of an address, with the constant and the one other number that are added to it.
fn parts(func: &Function, ptr: Value) -> Option<(StackSlot, i64, Value)> {
    let (mut at, mut fixed, mut offset) = (ptr, 0_i64, None);
    for _ in 0..MOST_ADDITIONS {
        match func.insts[func.def_inst(at)?].kind {
            InstKind::StackAddr { slot } => return Some((slot, fixed, offset?)),
            InstKind::PtrAdd { base, offset: by } => {
                match func.const_signed(by) {
                    Some(by) => fixed = fixed.checked_add(by)?,
                    None if offset.is_none() => offset = Some(by),
                    None => return None,
                }
                at = base;
            }
            _ => return None,
        }
    }
    None
}

/// An offset as a multiple of an index.
struct Index {
    value: Value,
    /// The difference of the values of two neighbours.
    per_element: i64,
    /// Bytes from element to element.
    stride: i64,
}

impl Index {
    /// Looks through one product with a constant, and through extensions.
    fn of(func: &Function, offset: Value) -> Option<Self> {
        let product = extended(func, offset);
        let (factor, stride) = product_of(func, product)?;
        let of_product = Self {
            value: product,
            per_element: stride,
            stride,
        };
        let narrow = extended(func, factor);
        // Else two factors may have the same product, which has no more bits than they.
        Some(match narrow != factor && product == offset {
            true => Self {
                value: narrow,
                per_element: 1,
                ..of_product
            },
            false => of_product,
        })
    }
}

/// Looks through an extension.
fn extended(func: &Function, value: Value) -> Value {
    match func.def_inst(value).map(|inst| &func.insts[inst].kind) {
        Some(&InstKind::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt,
            arg,
            ..
        }) => arg,
        _ => value,
    }
}

/// A value that is multiplied by a positive constant, with that.
fn product_of(func: &Function, value: Value) -> Option<(Value, i64)> {
    let InstKind::Binary { op, args, .. } = func.insts[func.def_inst(value)?].kind else {
        return None;
    };
    let by = u32::try_from(func.const_bits(args[1])?).ok()?;
    let stride = match op {
        BinaryOp::IMul => i64::from(by),
        BinaryOp::Shl => 1_i64.checked_shl(by)?,
        _ => return None,
    };
    (1..=i64::from(u32::MAX))
        .contains(&stride)
        .then_some((args[0], stride))
}

/// The counters of the loops that drivers unroll unasked, with what a round adds to them.
fn unrolled_counters(func: &Function, cfg: &Cfg) -> FxHashMap<Value, i64> {
    let Some((dom, nest)) = LoopNest::find(cfg) else {
        return FxHashMap::default();
    };
    let mut sizes: SecondaryMap<Loop, u64> = SecondaryMap::with_default(1);
    for &block in cfg.reverse_postorder() {
        for this in nest.around(block) {
            sizes[this] += func.layout.insts[block].len() as u64;
        }
    }
    let limit = |this| UNASKED_ROUNDS.min(UNASKED / sizes[this]);
    counters_of_short_loops(func, cfg, &dom, &nest, limit)
}

/// Finds the loads and stores with an index of the arrays that may leave memory.
fn find(func: &Function, cfg: &Cfg) -> FxHashMap<Inst, Place> {
    let uses = Uses::new(func, cfg);
    let mut found = FxHashMap::default();
    let suits = |slot: StackSlot| uses.indexed[slot] && !uses.escaped[slot];
    if !func.slots.keys().any(suits) {
        return found;
    }
    let counters = unrolled_counters(func, cfg);
    // True for those that leave memory, false for those with an access of another form.
    let mut leaves: SecondaryMap<StackSlot, Option<bool>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        for &inst in &func.layout.insts[block] {
            let Some(access) = MemoryAccess::of(func, inst) else {
                continue;
            };
            let Some(slot) = uses.indexed_slot(access.ptr).filter(|&slot| suits(slot)) else {
                continue;
            };
            let place = Place::of(func, access.ptr, access.ty.access_bytes());
            let place = place.filter(|_| access.flags.is_empty());
            let leaves = &mut leaves[slot];
            *leaves = match &place {
                None => Some(false),
                Some(_) if *leaves == Some(false) => Some(false),
                Some(place) if is_counted(func, &counters, place.index) => *leaves,
                Some(_) => Some(true),
            };
            found.extend(place.map(|place| (inst, place)));
        }
    }
    found.retain(|_, place| leaves[place.slot] == Some(true));
    let selections: usize = found.values().map(|place| place.elements.len()).sum();
    if selections > MOST_SELECTIONS {
        found.clear();
    }
    found
}
