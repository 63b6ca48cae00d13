//! Elements of private arrays that a loop accesses at one address are variables while it runs.
//!
//! ```text
//! t[j] = a[j];
//! for (int i = 0; i < n; i++) { t[j] = t[j] * t[j] + b; }
//! ```
//!
//! An array whose index is not known stays in memory, and each round's load waits for the store of the round before. Drivers that
//! do not unroll the loop leave it so. The variable has the element's value from before the loop, and the element gets it back
//! where the loop is left. Somebody has accessed the element before the loop, so that it is inside its array.
//!
//! The array is not accessed elsewhere in the loop, but for other elements at constant distances. Of loops inside one another
//! the outermost takes the element. Takes time that is linear in the accesses times the depth of their loops.

use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::sroa;
use cranelift_entity::EntitySet;
use pumice_ir::analysis::alias::{base, root, space};
use pumice_ir::{
    AccessFlags, AddressSpace, Block, Cfg, DomTree, Function, Inst, InstKind, Loop, LoopNest,
    LowerError, SourceLoc, StackSlot, StackSlotData, Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of one array that a loop may access.
const MOST_ELEMENTS: usize = 8;

/// Runs the pass.
///
/// # Errors
/// Those of [`sroa::run`].
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    if func.slots.is_empty() || ctx.target.checks.any() {
        return Ok(Changed::No);
    }
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Ok(Changed::No);
    };
    if nest.loops.is_empty() {
        return Ok(Changed::No);
    }
    let found = find(func, &cfg, &dom, &nest);
    if found.is_empty() {
        return Ok(Changed::No);
    }
    for element in &found {
        hold(func, element);
    }
    let _ = sroa::run(func, ctx)?;
    Ok(Changed::Yes)
}

/// A load or store of an element.
#[derive(Clone, Copy)]
struct Access {
    inst: Inst,
    block: Block,
    ty: Type,
    align: u32,
    is_store: bool,
}

/// The elements of an array that a loop accesses.
#[derive(Default)]
struct Elements {
    known: Vec<Element>,
    /// There are more, or some may overlap.
    is_full: bool,
}

/// An element that is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Element {
    ptr: Value,
    /// The value that the address is built on, and the bytes from there.
    root: Value,
    offset: i64,
    bytes: i64,
}

impl Element {
    /// Returns whether the two do not overlap.
    fn is_apart(&self, other: &Self) -> bool {
        self.root == other.root
            && (self.offset + self.bytes <= other.offset
                || other.offset + other.bytes <= self.offset)
    }
}

/// An element that a loop keeps in a variable.
struct Held {
    ptr: Value,
    ty: Type,
    /// The alignment that all of the loop's accesses name.
    align: u32,
    /// The loop's own accesses.
    accesses: Vec<Inst>,
    /// The block that leads into the loop.
    before: Block,
    /// The blocks where the loop is left, which nobody else comes to.
    after: Vec<Block>,
}

/// Facts about the accesses of private memory.
#[derive(Default)]
struct Facts {
    accesses: FxHashMap<Value, Vec<Access>>,
    /// The order of the first accesses.
    order: Vec<Value>,
    elements: FxHashMap<(Loop, StackSlot), Elements>,
    /// Loops that access private memory of which nothing is known.
    refused: FxHashSet<Loop>,
}

/// The variable that an address is built on.
fn slot_of(func: &Function, ptr: Value) -> Option<StackSlot> {
    let inst = func.def_inst(base(func, ptr))?;
    match func.insts[inst].kind {
        InstKind::StackAddr { slot } => Some(slot),
        _ => None,
    }
}

/// Returns whether an address may be one of private memory.
fn may_be_private(func: &Function, ptr: Value) -> bool {
    matches!(
        space(func, ptr),
        Some(AddressSpace::Private | AddressSpace::Generic)
    )
}

impl Facts {
    fn new(func: &Function, cfg: &Cfg, nest: &LoopNest) -> Self {
        let mut facts = Self::default();
        for &block in cfg.reverse_postorder() {
            for &inst in &func.layout.insts[block] {
                facts.add(func, nest, inst, block);
            }
        }
        facts
    }

    fn add(&mut self, func: &Function, nest: &LoopNest, inst: Inst, block: Block) {
        let kind = &func.insts[inst].kind;
        let loops = || nest.around(block);
        let (ptr, ty, align, flags) = match *kind {
            InstKind::Load { ptr, align, flags } => (ptr, func.ty(func.result(inst)), align, flags),
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } => (ptr, func.ty(value), align, flags),
            _ => {
                let mut may_access = matches!(kind, InstKind::Call { .. });
                kind.for_each_value(|value| may_access |= may_be_private(func, value));
                if may_access && (kind.has_side_effects() || kind.pointer().is_some()) {
                    self.refused.extend(loops());
                }
                return;
            }
        };
        if !may_be_private(func, ptr) {
            return;
        }
        let Some(slot) = slot_of(func, ptr).filter(|_| flags.is_empty()) else {
            return self.refused.extend(loops());
        };
        let accesses = self.accesses.entry(ptr).or_default();
        if accesses.is_empty() {
            self.order.push(ptr);
        }
        accesses.push(Access {
            inst,
            block,
            ty,
            align,
            is_store: matches!(kind, InstKind::Store { .. }),
        });
        let (root, offset) = root(func, ptr);
        let element = Element {
            ptr,
            root,
            offset,
            bytes: i64::from(ty.access_bytes()),
        };
        for this in loops() {
            let elements = self.elements.entry((this, slot)).or_default();
            let known = &mut elements.known;
            if known.contains(&element) {
                continue;
            }
            if known.len() < MOST_ELEMENTS && known.iter().all(|other| element.is_apart(other)) {
                known.push(element);
            } else {
                elements.is_full = true;
            }
        }
    }
}

/// Finds what loops keep in variables.
fn find(func: &Function, cfg: &Cfg, dom: &DomTree, nest: &LoopNest) -> Vec<Held> {
    let facts = Facts::new(func, cfg, nest);
    let mut edges_of = FxHashMap::default();
    let mut found = Vec::new();
    for &ptr in &facts.order {
        let accesses = &facts.accesses[&ptr];
        let Some(slot) = slot_of(func, ptr) else {
            continue;
        };
        let mut taken: EntitySet<Inst> = EntitySet::new();
        let mut loops: Vec<Loop> = (accesses.iter())
            .flat_map(|access| nest.around(access.block))
            .collect();
        // Loops have higher numbers than those inside of them.
        loops.sort_unstable_by_key(|&this| std::cmp::Reverse(this));
        loops.dedup();
        for this in loops {
            let of_loop: Vec<&Access> = (accesses.iter())
                .filter(|access| nest.contains(this, access.block) && !taken.contains(access.inst))
                .collect();
            let Some(first) = of_loop.first() else {
                continue;
            };
            let header = nest.loops[this].header;
            let is_alone = !facts.refused.contains(&this)
                && !facts.elements[&(this, slot)].is_full
                && of_loop.iter().all(|access| access.ty == first.ty);
            let is_valid = accesses.iter().any(|access| {
                !nest.contains(this, access.block)
                    && access.ty == first.ty
                    && dom.dominates(access.block, header)
            });
            if !is_alone || !is_valid || !of_loop.iter().any(|access| access.is_store) {
                continue;
            }
            let edges = edges_of
                .entry(this)
                .or_insert_with(|| edges(cfg, nest, this));
            let Some((before, after)) = edges.clone() else {
                continue;
            };
            let insts: Vec<Inst> = of_loop.iter().map(|access| access.inst).collect();
            taken.extend(insts.iter().copied());
            found.push(Held {
                ptr,
                ty: first.ty,
                align: of_loop.iter().map(|access| access.align).min().unwrap_or(1),
                accesses: insts,
                before,
                after,
            });
        }
    }
    found
}

/// The block that alone leads into a loop, and the blocks where it is left; `None` if others come there too.
fn edges(cfg: &Cfg, nest: &LoopNest, this: Loop) -> Option<(Block, Vec<Block>)> {
    let header = nest.loops[this].header;
    let mut outside = (cfg.preds(header).iter()).filter(|&&pred| !nest.contains(this, pred));
    let before = *outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let mut after = Vec::new();
    for &block in cfg.reverse_postorder() {
        if !nest.contains(this, block) {
            continue;
        }
        for &target in cfg.succs(block) {
            if nest.contains(this, target) || after.contains(&target) {
                continue;
            }
            let mut preds = cfg.preds(target).iter();
            if !preds.all(|&pred| nest.contains(this, pred)) {
                return None;
            }
            after.push(target);
        }
    }
    Some((before, after))
}

/// Makes an element a variable of its loop.
fn hold(func: &mut Function, element: &Held) {
    let Held { ptr, ty, .. } = *element;
    let align = ty.alloc_bytes().next_power_of_two().min(16);
    let slot = (func.slots).push(StackSlotData::new(ty.alloc_bytes(), align));
    let loc = func.insts[element.accesses[0]].loc;
    let variable = func.make_inst(InstKind::StackAddr { slot }, &[func.ty(ptr)], loc);
    let place = func.result(variable);
    let from_array = moved(func, (ptr, element.align), (place, align), (ty, loc));
    let insts = &mut func.layout.insts[element.before];
    let jump = insts.pop();
    insts.push(variable);
    insts.extend(from_array);
    insts.extend(jump);
    for &inst in &element.accesses {
        if let InstKind::Load { ptr, align: of, .. } | InstKind::Store { ptr, align: of, .. } =
            &mut func.insts[inst].kind
        {
            (*ptr, *of) = (place, align);
        }
    }
    for &block in &element.after {
        let to_array = moved(func, (place, align), (ptr, element.align), (ty, loc));
        func.layout.insts[block].splice(0..0, to_array);
    }
}

/// A load from one address and a store to the other, of known alignments.
fn moved(
    func: &mut Function,
    from: (Value, u32),
    to: (Value, u32),
    (ty, loc): (Type, SourceLoc),
) -> [Inst; 2] {
    let flags = AccessFlags::empty();
    let load = InstKind::Load {
        ptr: from.0,
        align: from.1,
        flags,
    };
    let load = func.make_inst(load, &[ty], loc);
    let store = InstKind::Store {
        ptr: to.0,
        value: func.result(load),
        align: to.1,
        flags,
    };
    [load, func.make_inst(store, &[], loc)]
}
