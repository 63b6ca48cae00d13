//! Finds elements that loops access at one address.

use super::{Entry, FirstBranch, Held, Written};
use crate::passes::optimize::licm;
use cranelift_entity::{EntitySet, SecondaryMap};
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::analysis::alias::{Effect, Object, effect, object, root, space};
use pumice_ir::{
    AddressSpace, Block, Cfg, DomTree, Function, Inst, InstKind, Loop, LoopNest, Type, Value,
    ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::collections::hash_map::Entry as MapEntry;

/// Elements of one array that a loop may access.
const MOST_ELEMENTS: usize = 8;

/// The loops around an access that may hold its element, the innermost first.
const MOST_AROUND: usize = 8;

/// Accesses by one address that are looked at.
const MOST_ACCESSES: usize = 64;

/// Instructions that may compute an address, and the condition of a loop's first round.
const MOST_COPIED: usize = 16;

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

/// Facts about the accesses of memory.
#[derive(Default)]
struct Facts {
    accesses: FxHashMap<Value, (Object, Vec<Access>)>,
    /// The order of the first accesses.
    order: Vec<Value>,
    elements: FxHashMap<(Loop, Object), Elements>,
    /// The objects that each loop accesses, by their memory.
    objects: FxHashMap<(Loop, AddressSpace), SmallVec<[Object; 4]>>,
    /// Loops that access memory of which nothing is known, or wait for other work-items.
    refused: FxHashSet<(Loop, AddressSpace)>,
}

/// The kinds of memory whose elements are held.
const SPACES: [AddressSpace; 3] = [
    AddressSpace::Private,
    AddressSpace::Local,
    AddressSpace::Global,
];

/// Returns whether an address may be one of a kind of memory.
fn may_be(func: &Function, ptr: Value, kind: AddressSpace) -> bool {
    let own = space(func, ptr);
    own == Some(kind) || own == Some(AddressSpace::Generic)
}

impl Facts {
    fn new(func: &Function, cfg: &Cfg, nest: &LoopNest) -> Self {
        let mut facts = Self::default();
        for &block in cfg.reverse_postorder() {
            for &inst in &func.layout.insts[block] {
                facts.add(func, nest, inst, block);
            }
        }
        // Loops come after those inside of them.
        for (this, data) in &nest.loops {
            let Some(parent) = data.parent else { continue };
            for memory in SPACES {
                if facts.refused.contains(&(this, memory)) {
                    facts.refused.insert((parent, memory));
                }
            }
        }
        facts
    }

    fn add(&mut self, func: &Function, nest: &LoopNest, inst: Inst, block: Block) {
        let kind = &func.insts[inst].kind;
        let innermost = nest.innermost(block);
        let Some(access) = MemoryAccess::of(func, inst) else {
            return self.add_other(func, kind, innermost);
        };
        let MemoryAccess {
            ptr,
            ty,
            align,
            flags,
            ..
        } = access;
        let memory = space(func, ptr).filter(|memory| SPACES.contains(memory));
        let object = object(func, ptr).filter(|_| flags.is_empty());
        let Some((memory, object)) = memory.zip(object) else {
            return self.refuse(innermost, |kind| may_be(func, ptr, kind));
        };
        let (_, accesses) = match self.accesses.entry(ptr) {
            MapEntry::Occupied(known) => known.into_mut(),
            MapEntry::Vacant(new) => {
                self.order.push(ptr);
                new.insert((object, Vec::new()))
            }
        };
        accesses.push(Access {
            inst,
            block,
            ty,
            align,
            is_store: access.is_store(),
        });
        let (root, offset) = root(func, ptr);
        let element = Element {
            ptr,
            root,
            offset,
            bytes: i64::from(ty.access_bytes()),
        };
        let mut around = nest.around(block);
        for this in around.by_ref().take(MOST_AROUND) {
            let objects = self.objects.entry((this, memory)).or_default();
            if !objects.contains(&object) {
                objects.push(object);
            }
            let elements = self.elements.entry((this, object)).or_default();
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
        // Those further out know nothing of the access.
        self.refuse(around.next(), |kind| kind == memory);
    }

    /// Notes that nothing is known of what a loop does with some kinds of memory.
    fn refuse(&mut self, this: Option<Loop>, is_accessed: impl Fn(AddressSpace) -> bool) {
        let Some(this) = this else { return };
        let kinds = SPACES.into_iter().filter(|&kind| is_accessed(kind));
        self.refused.extend(kinds.map(|kind| (this, kind)));
    }

    /// Notes an instruction that is no load or store.
    fn add_other(&mut self, func: &Function, kind: &InstKind, innermost: Option<Loop>) {
        let is_call = matches!(kind, InstKind::Call { .. });
        let does = kind.has_side_effects() || kind.pointer().is_some();
        // Others may see what was stored when they wait.
        let is_seen = !kind.is_terminator() && effect(func, kind) != Effect::None;
        self.refuse(innermost, |memory| {
            let mut is_named = is_call;
            kind.for_each_value(|value| is_named |= may_be(func, value, memory));
            let is_shared = memory != AddressSpace::Private;
            is_named && does || is_shared && is_seen
        });
    }

    /// Returns whether a loop accesses an object by the addresses that are known alone.
    fn is_alone(&self, func: &Function, this: Loop, object: Object, memory: AddressSpace) -> bool {
        let mut objects = self.objects[&(this, memory)].iter();
        let is_apart = |&other: &Object| other == object || object.is_disjoint(other, func);
        !self.refused.contains(&(this, memory))
            && !self.elements[&(this, object)].is_full
            && objects.all(is_apart)
    }
}

/// Finds what loops keep in variables.
pub(super) fn find(func: &Function, cfg: &Cfg, dom: &DomTree, nest: &LoopNest) -> Vec<Held> {
    let facts = Facts::new(func, cfg, nest);
    let finder = Finder {
        func,
        cfg,
        nest,
        blocks: OnceCell::new(),
        edges: OnceCell::new(),
    };
    let mut found = Vec::new();
    for &ptr in &facts.order {
        let (object, ref accesses) = facts.accesses[&ptr];
        let Some(memory) = space(func, ptr) else {
            continue;
        };
        if accesses.len() > MOST_ACCESSES {
            continue;
        }
        let mut taken: EntitySet<Inst> = EntitySet::new();
        let mut loops: Vec<Loop> = (accesses.iter())
            .flat_map(|access| nest.around(access.block).take(MOST_AROUND))
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
            let is_alone = facts.is_alone(func, this, object, memory)
                && of_loop.iter().all(|access| access.ty == first.ty);
            if !is_alone || !of_loop.iter().any(|access| access.is_store) {
                continue;
            }
            let Some((before, after)) = finder.edges_of(this) else {
                continue;
            };
            let is_known = |access: &Access| {
                let is_outside = !nest.contains(this, access.block);
                is_outside && access.ty == first.ty && dom.dominates(access.block, before)
            };
            let known: Vec<Access> = accesses.iter().copied().filter(is_known).collect();
            let is_private = memory == AddressSpace::Private;
            let form = match is_private {
                true if known.is_empty() => None,
                true => Some((Entry::Anywhere, Written::Always)),
                false => finder.form(this, before, &known, &of_loop),
            };
            let Some((entry, written)) = form else {
                continue;
            };
            let mut address = Vec::new();
            if finder.take_address(this, ptr, &mut address).is_none() {
                continue;
            }
            // Blocks are in the order in which they are executed, up to the first branch.
            let is_loaded = matches!(entry, Entry::Anywhere) || !first.is_store;
            let insts: Vec<Inst> = of_loop.iter().map(|access| access.inst).collect();
            taken.extend(insts.iter().copied());
            found.push(Held {
                ptr,
                ty: first.ty,
                align: of_loop.iter().map(|access| access.align).min().unwrap_or(1),
                accesses: insts,
                address,
                header: nest.loops[this].header,
                before,
                after,
                entry,
                is_loaded,
                written,
            });
        }
    }
    found
}

/// A function whose loops are looked at.
struct Finder<'f> {
    func: &'f Function,
    cfg: &'f Cfg,
    nest: &'f LoopNest,
    blocks: OnceCell<SecondaryMap<Inst, Option<Block>>>,
    edges: OnceCell<SecondaryMap<Loop, Edges>>,
}

/// The edges of a loop.
#[derive(Clone, Default)]
struct Edges {
    /// The blocks outside that lead into it.
    before: SmallVec<[Block; 2]>,
    /// The blocks where it is left.
    after: SmallVec<[Block; 2]>,
    /// Somebody else comes to one of them.
    is_shared: bool,
    /// There are others: edges that leave many loops at once.
    has_more: bool,
}

impl Finder<'_> {
    /// Finds where an element that others see is loaded, and when it is stored; `None` if it may be loaded nowhere. `known` are the
    /// accesses that come before the loop, `of_loop` its own.
    fn form(
        &self,
        this: Loop,
        before: Block,
        known: &[Access],
        of_loop: &[&Access],
    ) -> Option<(Entry, Written)> {
        let header = self.nest.loops[this].header;
        let loads_or_stores = |block: Block| of_loop.iter().any(|access| access.block == block);
        let stores = |block: Block| {
            let mut accesses = of_loop.iter();
            accesses.any(|access| access.is_store && access.block == block)
        };
        if known.iter().any(|access| self.is_own_store(access, before)) {
            return Some((Entry::Anywhere, Written::Always));
        }
        if stores(header) {
            return Some((Entry::IntoLoop, Written::Always));
        }
        let first = self.first_branch(this);
        if let Some((branch, blocks)) = &first {
            if blocks.iter().copied().any(stores) {
                return Some((Entry::IntoRound(branch.clone()), Written::InFirstRound));
            }
        }
        if !known.is_empty() {
            return Some((Entry::Anywhere, Written::WhereStored));
        }
        if loads_or_stores(header) {
            return Some((Entry::IntoLoop, Written::WhereStored));
        }
        let (branch, blocks) = first?;
        let is_loaded = blocks.into_iter().any(loads_or_stores);
        is_loaded.then_some((Entry::IntoRound(branch), Written::WhereStored))
    }

    /// Returns whether an access stores the element, and no other work-item can have been waited for between there and the end
    /// of `before`.
    fn is_own_store(&self, access: &Access, before: Block) -> bool {
        let func = self.func;
        let behind = func.layout.insts[before].iter();
        let mut behind = behind.skip_while(|&&inst| inst != access.inst);
        access.is_store
            && access.block == before
            && behind.all(|&inst| {
                let effect = effect(func, &func.insts[inst].kind);
                !matches!(effect, Effect::Syncs | Effect::Anything)
            })
    }

    /// The branch of a loop's first block, and the blocks that are executed behind it unless it leaves the loop; `None` if it
    /// is another branch, or its condition is more than can be computed before the loop.
    fn first_branch(&self, this: Loop) -> Option<(FirstBranch, SmallVec<[Block; 4]>)> {
        let Self {
            func, cfg, nest, ..
        } = *self;
        let header = nest.loops[this].header;
        let (&last, insts) = func.layout.insts[header].split_last()?;
        let InstKind::Branch { cond, then, other } = &func.insts[last].kind else {
            return None;
        };
        let targets = [then.block, other.block];
        let (inside, goes_on) = match targets.map(|block| nest.contains(this, block)) {
            [true, false] => (then.block, true),
            [false, true] => (other.block, false),
            _ => return None,
        };
        let is_plain = |&inst: &Inst| licm::may_move(&func.insts[inst].kind, true);
        if insts.len() > MOST_COPIED || !insts.iter().all(is_plain) {
            return None;
        }
        let mut found = SmallVec::new();
        let mut block = inside;
        while block != header && cfg.preds(block).len() == 1 {
            found.push(block);
            match cfg.succs(block) {
                &[next] => block = next,
                _ => break,
            }
        }
        let branch = FirstBranch {
            insts: insts.to_vec(),
            condition: *cond,
            goes_on,
        };
        Some((branch, found))
    }

    /// Collects what computes an address in a loop from values that are there before it; `None` if it is not the same in each
    /// round, or takes too much.
    fn take_address(&self, this: Loop, value: Value, taken: &mut Vec<Inst>) -> Option<()> {
        let func = self.func;
        let inst = match *func.def(value) {
            ValueDef::Param(block, _) => return (!self.nest.contains(this, block)).then_some(()),
            ValueDef::Result(inst, _) => inst,
            _ => return Some(()),
        };
        let blocks = self.blocks.get_or_init(|| func.inst_blocks());
        let is_inside = blocks[inst].is_some_and(|block| self.nest.contains(this, block));
        if !is_inside || taken.contains(&inst) {
            return Some(());
        }
        let kind = &func.insts[inst].kind;
        let mut operands: SmallVec<[Value; 4]> = SmallVec::new();
        kind.for_each_value(|value| operands.push(value));
        if !licm::may_move(kind, true) || taken.len() == MOST_COPIED {
            return None;
        }
        for operand in operands {
            self.take_address(this, operand, taken)?;
        }
        taken.push(inst);
        Some(())
    }

    /// The block that alone leads into a loop, and the blocks where it is left; `None` if others come there too.
    fn edges_of(&self, this: Loop) -> Option<(Block, SmallVec<[Block; 2]>)> {
        let edges = &self.edges.get_or_init(|| self.edges())[this];
        match edges.before[..] {
            [before] if !edges.is_shared && !edges.has_more => Some((before, edges.after.clone())),
            _ => None,
        }
    }

    fn edges(&self) -> SecondaryMap<Loop, Edges> {
        let Self { cfg, nest, .. } = *self;
        let mut edges: SecondaryMap<Loop, Edges> = SecondaryMap::new();
        for (this, data) in &nest.loops {
            let preds = cfg.preds(data.header).iter().copied();
            edges[this].before = preds.filter(|&pred| !nest.contains(this, pred)).collect();
        }
        for &block in cfg.reverse_postorder() {
            for &target in cfg.succs(block) {
                let mut left =
                    (nest.around(block)).take_while(|&this| !nest.contains(this, target));
                for this in left.by_ref().take(MOST_AROUND) {
                    let edges = &mut edges[this];
                    if edges.is_shared || edges.after.contains(&target) {
                        continue;
                    }
                    let mut preds = cfg.preds(target).iter();
                    edges.is_shared = !preds.all(|&pred| nest.contains(this, pred));
                    edges.after.push(target);
                }
                if let Some(beyond) = left.next() {
                    edges[beyond].has_more = true;
                }
            }
        }
        // Loops come after those inside of them.
        for (this, data) in &nest.loops {
            if let Some(parent) = data.parent.filter(|_| edges[this].has_more) {
                edges[parent].has_more = true;
            }
        }
        edges
    }
}
