//! Known contents of memory, and the effects that may change them.
//!
//! Two accesses may meet unless their addresses are constant distances from one value that keep
//! them apart, are built on two objects, or lie in two address spaces. Objects are variables, what a kernel's local arguments
//! point at, and what those of [`Function::restrict_args`] point at.

use crate::{
    AccessFlags, AddressSpace, Block, Cfg, ConvertOp, Function, GlobalId, Inst, InstKind, MatrixOp,
    StackSlot, Type, Value,
};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Memory that holds a value: what was loaded from or stored to it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The address.
    pub ptr: Value,
    /// The contents.
    pub value: Value,
}

/// The effect of an instruction on memory that others may have looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Writes so many bytes at an address, any number if unknown.
    Writes(Value, Option<i64>),
    /// Makes other work-items' writes visible; nobody else writes private memory.
    Syncs,
    /// May change anything.
    Anything,
}

/// Gives the effect of an instruction on memory.
pub fn effect(func: &Function, kind: &InstKind) -> Effect {
    match *kind {
        InstKind::Load { flags, .. } if !flags.contains(AccessFlags::VOLATILE) => Effect::None,
        InstKind::Store { ptr, value, .. } => {
            Effect::Writes(ptr, Some(i64::from(func.ty(value).access_bytes())))
        }
        InstKind::MemCopy { dst, size, .. } => {
            Effect::Writes(dst, func.const_signed(size).filter(|&bytes| bytes >= 0))
        }
        InstKind::Matrix { op, ref args } => match op {
            MatrixOp::Store { .. } => Effect::Writes(args[0], None),
            _ => Effect::None,
        },
        InstKind::Barrier { .. } | InstKind::Fence { .. } => Effect::Syncs,
        _ if kind.is_terminator() || !kind.has_side_effects() => Effect::None,
        _ => Effect::Anything,
    }
}

/// Returns whether an effect may change `bytes` bytes at an address.
pub fn may_change(func: &Function, effect: Effect, ptr: Value, bytes: i64) -> bool {
    match effect {
        Effect::None => false,
        Effect::Writes(at, count) => may_overlap(func, (ptr, bytes), at, count),
        Effect::Syncs => space(func, ptr) != Some(AddressSpace::Private),
        Effect::Anything => true,
    }
}

/// The address space of a pointer.
pub fn space(func: &Function, ptr: Value) -> Option<AddressSpace> {
    func.ty(ptr).address_space()
}

/// Gives the value that an address is built on, whatever is added to it.
pub fn base(func: &Function, mut ptr: Value) -> Value {
    while let Some(inst) = func.def_inst(ptr) {
        let InstKind::PtrAdd { base, .. } = func.insts[inst].kind else {
            break;
        };
        ptr = base;
    }
    ptr
}

/// Gives the value that an address is built on, and the constant bytes added to it.
pub fn root(func: &Function, ptr: Value) -> (Value, i64) {
    let (mut at, mut offset) = (ptr, 0i64);
    while let Some(inst) = func.def_inst(at) {
        match func.insts[inst].kind {
            InstKind::PtrAdd { base, offset: by } => match func.const_signed(by) {
                Some(by) => {
                    offset = offset.wrapping_add(by);
                    at = base;
                }
                None => break,
            },
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                arg,
                ..
            } => at = arg,
            _ => break,
        }
    }
    (at, offset)
}

/// Returns whether writing `bytes` bytes (any number if unknown) at `ptr` may change what is known.
fn may_overlap(
    func: &Function,
    (known, known_bytes): (Value, i64),
    ptr: Value,
    bytes: Option<i64>,
) -> bool {
    let ((a, a_offset), (b, b_offset)) = (root(func, known), root(func, ptr));
    let (a_space, b_space) = (space(func, a), space(func, b));
    if a_space != b_space
        && a_space != Some(AddressSpace::Generic)
        && b_space != Some(AddressSpace::Generic)
    {
        // Constant memory may be a buffer that is global to somebody else, but a kernel
        // that writes it while reading it as constant is undefined.
        return false;
    }
    if a == b {
        let Some(bytes) = bytes else { return true };
        let (Some(a_end), Some(b_end)) = (
            a_offset.checked_add(known_bytes),
            b_offset.checked_add(bytes),
        ) else {
            return true;
        };
        return a_offset < b_end && b_offset < a_end;
    }
    !are_disjoint(func, a, b)
}

/// The object that an address is built on, as far as objects are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A private variable.
    Slot(StackSlot),
    /// A variable of the program, or a local one.
    Variable(GlobalId),
    /// The local memory of a kernel's argument.
    LocalArgument(u32),
    /// The object of the pointer that stands at an offset in the argument block.
    Argument(u32),
}

/// Gives the object that an address is built on, whatever is added to it.
pub fn object(func: &Function, ptr: Value) -> Option<Object> {
    let mut ptr = ptr;
    loop {
        match func.insts[func.def_inst(ptr)?].kind {
            InstKind::PtrAdd { base, .. } => ptr = base,
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                arg,
                ..
            } => ptr = arg,
            InstKind::StackAddr { slot } => return Some(Object::Slot(slot)),
            InstKind::GlobalAddr { global } => return Some(Object::Variable(global)),
            InstKind::LocalArg { ordinal } => return Some(Object::LocalArgument(ordinal)),
            InstKind::LoadArg { offset } => return Some(Object::Argument(offset)),
            _ => return None,
        }
    }
}

impl Object {
    /// Returns whether two objects do not overlap, or nothing writes them.
    pub fn is_disjoint(self, other: Self, func: &Function) -> bool {
        let is_restrict = |object: Self| match object {
            Object::Argument(offset) => func.restrict_args.contains(&offset),
            _ => false,
        };
        let may_be_same =
            matches!(self, Object::Argument(_)) || matches!(other, Object::Argument(_));
        self != other && (!may_be_same || is_restrict(self) || is_restrict(other))
    }
}

/// Returns whether two addresses are built on two objects that do not overlap, or that nothing writes.
pub fn are_disjoint(func: &Function, a: Value, b: Value) -> bool {
    let both = object(func, a).zip(object(func, b));
    both.is_some_and(|(a, b)| a.is_disjoint(b, func))
}

/// Values held in memory at one point of the program.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    list: Vec<Known>,
}

/// More than that is forgotten, the oldest first.
const MAX_KNOWN: usize = 64;

impl Memory {
    /// The value of type `ty` at an address.
    pub fn find(&self, func: &Function, ptr: Value, ty: Type) -> Option<Value> {
        let mut latest = self.list.iter().rev();
        let known = latest.find(|known| known.ptr == ptr && func.ty(known.value) == ty);
        known.map(|known| known.value)
    }

    /// Adds what an address holds.
    pub fn learn(&mut self, ptr: Value, value: Value) {
        if self.list.len() == MAX_KNOWN {
            self.list.remove(0);
        }
        self.list.push(Known { ptr, value });
    }

    /// Forgets what an effect may change.
    pub fn apply(&mut self, func: &Function, effect: Effect) {
        self.list.retain(|known| {
            let bytes = i64::from(func.ty(known.value).access_bytes());
            !may_change(func, effect, known.ptr, bytes)
        });
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The effects of each block, to ask what may happen on the ways between two of them.
pub struct Effects {
    of_block: SecondaryMap<Block, Rc<[Effect]>>,
    /// The number of blocks that may still be looked at.
    budget: usize,
}

/// A block with more effects counts as changing anything.
const MAX_EFFECTS: usize = 32;
/// Regions with more effects are not looked at.
const MAX_REGION: usize = 256;
/// The number of blocks that a function's questions may look at in all, beside some for each block.
const BLOCKS_LOOKED_AT: usize = 20_000;

impl Effects {
    /// Collects the effects of a function's blocks.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut of_block: SecondaryMap<Block, Rc<[Effect]>> =
            SecondaryMap::with_default(Rc::from([]));
        for &block in cfg.reverse_postorder() {
            let insts: &[Inst] = &func.layout.insts[block];
            let kinds = insts.iter().map(|&inst| &func.insts[inst].kind);
            let mut list: Vec<Effect> = kinds
                .map(|kind| effect(func, kind))
                .filter(|&effect| effect != Effect::None)
                .collect();
            if list.len() > MAX_EFFECTS || list.contains(&Effect::Anything) {
                list = vec![Effect::Anything];
            }
            if !list.is_empty() {
                of_block[block] = list.into();
            }
        }
        Self {
            of_block,
            budget: BLOCKS_LOOKED_AT + 8 * cfg.reverse_postorder().len(),
        }
    }

    /// Gives the effects between the end of `from`, which dominates `to`, and the start of `to`:
    /// those of all blocks on the ways, `to` itself among them if there is a way round.
    pub fn between(&mut self, cfg: &Cfg, from: Block, to: Block) -> Vec<Effect> {
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = cfg.preds(to).to_vec();
        let mut found: Vec<Effect> = Vec::new();
        while let Some(block) = work.pop() {
            if block == from || !seen.insert(block) {
                continue;
            }
            found.extend_from_slice(&self.of_block[block]);
            self.budget = self.budget.saturating_sub(1);
            let too_much = self.budget == 0 || found.len() > MAX_REGION;
            if too_much || found.contains(&Effect::Anything) {
                return vec![Effect::Anything];
            }
            work.extend_from_slice(cfg.preds(block));
        }
        found
    }

    /// The effects of a block.
    pub fn of(&self, block: Block) -> &[Effect] {
        &self.of_block[block]
    }
}

/// Adds effects to those of a region; too many count as changing anything.
pub fn join_effects(region: &mut Vec<Effect>, more: &[Effect]) {
    if region.first() == Some(&Effect::Anything) {
        return;
    }
    region.extend_from_slice(more);
    if region.len() > MAX_REGION || more.contains(&Effect::Anything) {
        *region = vec![Effect::Anything];
    }
}
