//! Finds the values that differ between neighbours, and the branches where these go apart.

use super::callees::Callees;
use super::group_functions::{GroupFunction, group_function};
use super::loops::{may_repeat, pass_out};
use crate::passes::optimize::bound_unrolling::{UNASKED, UNASKED_ROUNDS};
use crate::passes::optimize::trip_count::rounds;
use cranelift_entity::EntitySet;
use pumice_ir::{
    AccessFlags, Block, BuiltIn, Cfg, DomTree, Ends, Function, Inst, InstKind, LoopNest, Type,
    Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// The bytes of private arrays that a copy may have: drivers keep them in registers, or near.
const MOST_PRIVATE: u64 = 1 << 10;

/// The most neighbours that leave loops in different rounds: the more, the fewer rounds they have in common.
const FEW: u32 = 4;

/// So many instructions of slow paths count as one: their values take registers of nothing else.
const SLOW: usize = 8;
/// The most instructions of a short region.
const SHORT: usize = 16;

/// Bytes of a line of processors' caches.
const LINE: u64 = 64;

/// Facts about a kernel for a number of neighbours.
pub(super) struct Plan<'a> {
    items: u32,
    callees: &'a Callees,
    differs: EntitySet<Value>,
    regions: FxHashMap<Block, Region>,
    /// Blocks that are only in what runs for one neighbour after the other.
    apart: EntitySet<Block>,
    /// The blocks that the entry reaches, in reverse postorder.
    pub order: Vec<Block>,
}

/// The blocks behind a branch on what differs, up to where all ways meet.
pub(super) struct Region {
    /// The block where all ways meet, which is not one of the region.
    pub meet: Block,
    /// The blocks, in reverse postorder; the one that the branch ends is the first of a loop's.
    pub blocks: Vec<Block>,
    /// The way through the region, if the other one is nothing: true for the branch's first target.
    pub only_way: Option<bool>,
}

/// A value that the copy computes from an invocation's own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An id of the work-item, of a built-in: the invocation's times the number of neighbours, plus the neighbour's own number.
    Id(Type, BuiltIn),
    /// A size in work-items: the invocations' times the number of neighbours.
    Size(Type),
}

impl<'a> Plan<'a> {
    /// Makes the plan of a kernel that has one return; `None` if it has no copy with that many neighbours and at most `most`
    /// instructions.
    pub fn new(func: &mut Function, callees: &'a Callees, items: u32, most: usize) -> Option<Self> {
        let cfg = Cfg::new(func);
        let ends = Ends::new(func, &cfg);
        let private: u64 = func.slots.values().map(|slot| u64::from(slot.size)).sum();
        if private * u64::from(items) > MOST_PRIVATE || !is_simple(func, &cfg, callees) {
            return None;
        }
        let mut plan = Self {
            items,
            callees,
            differs: EntitySet::new(),
            regions: FxHashMap::default(),
            apart: EntitySet::new(),
            order: cfg.reverse_postorder().to_vec(),
        };
        plan.find_differences(func, &ends)?;
        if plan.pass_out_of_loops(func, &cfg, &ends)? {
            plan.differs = EntitySet::new();
            plan.find_differences(func, &ends)?;
        }
        if plan.differs.is_empty() {
            return None;
        }
        plan.check_broadcasts(func)?;
        plan.find_regions(func, &cfg, &ends)?;
        let parts_in_loop = |(&block, region): (&Block, &Region)| region.blocks.contains(&block);
        let is_worth_it = items <= FEW || !plan.regions.iter().any(parts_in_loop);
        let dom = DomTree::new(&cfg);
        let nest = LoopNest::new(&cfg, &dom);
        let is_worth_it = is_worth_it && plan.keeps_unrolling(func, &cfg, &dom, &nest);
        let is_worth_it = is_worth_it && (items <= FEW || plan.is_narrow(func, &nest));
        (is_worth_it && plan.size(func) <= most).then_some(plan)
    }

    /// Returns whether an invocation loads and stores within lines of the cache, in kernels that do little else: those without
    /// loops and barriers.
    fn is_narrow(&self, func: &Function, nest: &LoopNest) -> bool {
        let insts = || (self.order.iter()).flat_map(|&block| &func.layout.insts[block]);
        let does_more =
            !nest.loops.is_empty() || insts().any(|&inst| is_meeting(&func.insts[inst].kind));
        let most = LINE / u64::from(self.items);
        let accesses_most = |&inst: &Inst| {
            let (pointer, value) = match func.insts[inst].kind {
                InstKind::Load { ptr, .. } => (ptr, func.result(inst)),
                InstKind::Store { ptr, value, .. } => (ptr, value),
                _ => return true,
            };
            !self.differs(pointer) || u64::from(func.ty(value).alloc_bytes()) <= most
        };
        does_more || insts().all(accesses_most)
    }

    /// Returns whether drivers unroll the loops of the copy whole that they unroll in the kernel.
    fn keeps_unrolling(&self, func: &Function, cfg: &Cfg, dom: &DomTree, nest: &LoopNest) -> bool {
        nest.loops.keys().all(|this| {
            let rounds = rounds(func, cfg, dom, nest, this, UNASKED_ROUNDS);
            let inside = self
                .order
                .iter()
                .filter(|&&block| nest.contains(this, block));
            let insts = inside.flat_map(|&block| &func.layout.insts[block]);
            let (before, after) = insts.fold((0, 0), |(before, after), &inst| {
                let copies = match self.is_repeated(func, inst) {
                    true => u64::from(self.items),
                    false => 1,
                };
                (before + 1, after + copies)
            });
            rounds.is_none_or(|rounds| before * rounds > UNASKED || after * rounds <= UNASKED)
        })
    }

    /// The number of neighbours.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Returns whether neighbours have different values.
    pub fn differs(&self, value: Value) -> bool {
        self.differs.contains(value)
    }

    /// Returns whether neighbours are in the block together.
    pub fn is_joint(&self, block: Block) -> bool {
        !self.apart.contains(block)
    }

    /// The region behind a block's branch, if neighbours go apart there.
    pub fn region(&self, block: Block) -> Option<&Region> {
        self.regions.get(&block)
    }

    /// Returns whether neighbours may have come to a block different ways.
    pub fn is_meet(&self, block: Block) -> bool {
        self.regions.values().any(|region| region.meet == block)
    }

    /// Returns whether each neighbour executes the instruction for itself.
    pub fn is_repeated(&self, func: &Function, inst: Inst) -> bool {
        let data = &func.insts[inst];
        if let Some(function) = group_function(func, &data.kind) {
            return matches!(function, GroupFunction::Scan { .. });
        }
        let mut any = is_of_item(&data.kind, self.callees);
        data.kind.for_each_value(|value| any |= self.differs(value));
        any || data.results.iter().any(|&value| self.differs(value))
    }

    /// Marks values, up to the fixed point; `None` if a branch has no block where all ways meet.
    fn find_differences(&mut self, func: &Function, ends: &Ends) -> Option<()> {
        let order = std::mem::take(&mut self.order);
        let mut before = usize::MAX;
        let mut count = 0;
        while before != count {
            before = count;
            for &block in &order {
                for &inst in &func.layout.insts[block] {
                    count += self.mark_results(func, inst);
                }
                let Some(last) = func.terminator(block) else {
                    continue;
                };
                for call in func.insts[last].kind.successors() {
                    let params = &func.blocks[call.block].params;
                    for (&param, &arg) in params.iter().zip(&call.args) {
                        if self.differs(arg) {
                            count += usize::from(self.differs.insert(param));
                        }
                    }
                }
                if self.is_parted(func, last) {
                    let meet = ends.meet(block)?;
                    for &param in &func.blocks[meet].params {
                        count += usize::from(self.differs.insert(param));
                    }
                }
            }
        }
        self.order = order;
        Some(())
    }

    fn mark_results(&mut self, func: &Function, inst: Inst) -> usize {
        let is_id = matches!(source(func, inst), Some(Source::Id(..)));
        if !is_id && !self.is_repeated(func, inst) {
            return 0;
        }
        let results = func.insts[inst].results.iter();
        results.filter(|&&value| self.differs.insert(value)).count()
    }

    /// `None` if neighbours ask for the values of different work-items.
    fn check_broadcasts(&self, func: &Function) -> Option<()> {
        let mut insts = (self.order.iter()).flat_map(|&block| &func.layout.insts[block]);
        let is_shared = insts.all(|&inst| match &func.insts[inst].kind {
            InstKind::Group { args, .. } => args[1..].iter().all(|&arg| !self.differs(arg)),
            _ => true,
        });
        is_shared.then_some(())
    }

    /// Returns whether neighbours may go different ways at a terminator.
    fn is_parted(&self, func: &Function, last: Inst) -> bool {
        match func.insts[last].kind {
            InstKind::Branch { cond: value, .. } | InstKind::Switch { value, .. } => {
                self.differs(value)
            }
            _ => false,
        }
    }

    /// Prepares the loops that neighbours leave in different rounds. Returns whether values have changed; `None` if one of the
    /// loops does not allow it.
    fn pass_out_of_loops(&self, func: &mut Function, cfg: &Cfg, ends: &Ends) -> Option<bool> {
        let mut changed = false;
        for &block in &self.order {
            let last = func.terminator(block);
            let Some(last) = last.filter(|&last| self.is_parted(func, last)) else {
                continue;
            };
            let region = Region::new(func, cfg, ends, (block, last))?;
            if region.blocks.contains(&block) {
                changed |= pass_out(func, cfg, block, &region)?;
            }
        }
        Some(changed)
    }

    /// Finds the regions; `None` if one of them cannot be run for one neighbour after the other, or is not worth it.
    fn find_regions(&mut self, func: &Function, cfg: &Cfg, ends: &Ends) -> Option<()> {
        for block in self.order.clone() {
            let Some(last) = func
                .terminator(block)
                .filter(|&last| self.is_parted(func, last))
            else {
                continue;
            };
            let region = Region::new(func, cfg, ends, (block, last))?;
            if region.only_way.is_none() {
                if region.has_loop(cfg) {
                    return None;
                }
                self.apart.extend(region.blocks.iter().copied());
            }
            self.regions.insert(block, region);
        }
        Some(())
    }

    /// Instructions of the copy.
    fn size(&self, func: &Function) -> usize {
        let items = self.items as usize;
        let weight = |inst: Inst| match func.insts[inst].kind {
            InstKind::Call { func, .. } => self.callees[func].map_or(1, |callee| callee.size),
            _ => 1,
        };
        let share = |block: Block, size: usize| match func.blocks[block].slow_path {
            true => size / SLOW,
            false => size,
        };
        let of_block =
            |block: Block| -> usize { func.layout.insts[block].iter().map(|&i| weight(i)).sum() };
        let joint = self.order.iter().filter(|&&block| self.is_joint(block));
        let together: usize = joint
            .map(|&block| {
                let insts = func.layout.insts[block].iter();
                let times = |inst| match self.is_repeated(func, inst) {
                    true => items,
                    false => 1,
                };
                share(block, insts.map(|&inst| weight(inst) * times(inst)).sum())
            })
            .sum();
        let regions = (self.regions.iter())
            .filter(|&(&block, region)| self.is_joint(block) && !region.is_slow_path(func));
        let apart: usize = regions
            .flat_map(|(_, region)| &region.blocks)
            .map(|&block| share(block, items * of_block(block)))
            .sum();
        together + apart
    }
}

impl Region {
    /// The region behind the terminator of a block; `None` if it has other ways in or a barrier. It has the block itself where
    /// that is a loop's first one, whose other way leaves the loop.
    fn new(func: &Function, cfg: &Cfg, ends: &Ends, (block, last): (Block, Inst)) -> Option<Self> {
        let meet = ends.meet(block)?;
        let mut inside: EntitySet<Block> = EntitySet::new();
        let mut work: Vec<Block> = cfg.succs(block).to_vec();
        while let Some(next) = work.pop() {
            if next != meet && inside.insert(next) {
                work.extend(cfg.succs(next));
            }
        }
        let number = |block: &Block| cfg.rpo_number(*block);
        let mut blocks: Vec<Block> = inside.keys().filter(|&b| inside.contains(b)).collect();
        blocks.sort_by_key(number);
        let is_loop = inside.contains(block);
        let is_closed = blocks
            .iter()
            .filter(|&&inner| inner != block)
            .all(|&inner| {
                let mut preds = cfg.preds(inner).iter();
                preds.all(|&pred| pred == block || inside.contains(pred))
            });
        let has_barrier = blocks.iter().any(|&inner| {
            let mut insts = func.layout.insts[inner].iter();
            insts.any(|&inst| is_meeting(&func.insts[inst].kind))
        });
        if !is_closed || has_barrier {
            return None;
        }
        let only_way = match &func.insts[last].kind {
            InstKind::Branch { then, other, .. } => {
                match [then.block == meet, other.block == meet] {
                    [true, false] => Some(false),
                    [false, true] => Some(true),
                    _ => None,
                }
            }
            _ => None,
        };
        if is_loop && (only_way.is_none() || !may_repeat(func, block)) {
            return None;
        }
        Some(Self {
            meet,
            blocks,
            only_way,
        })
    }

    /// Returns whether the region behind the branch of `block` is a few instructions that compute values and store them.
    pub fn is_short(&self, func: &Function, block: Block) -> bool {
        let &[only] = self.blocks.as_slice() else {
            return false;
        };
        let mut insts = func.layout.insts[only].iter();
        let is_plain = |&inst: &Inst| {
            let kind = &func.insts[inst].kind;
            computes(kind) || matches!(kind, InstKind::Store { .. })
        };
        only != block && insts.len() <= SHORT && insts.all(is_plain)
    }

    /// Returns whether the region is a slow path that only computes: neighbours take it together if one of them does.
    pub fn is_slow_path(&self, func: &Function) -> bool {
        let &[only] = self.blocks.as_slice() else {
            return false;
        };
        let mut insts = func.layout.insts[only].iter();
        func.blocks[only].slow_path
            && self.only_way.is_some()
            && insts.all(|&inst| computes(&func.insts[inst].kind))
    }

    fn has_loop(&self, cfg: &Cfg) -> bool {
        let number = |block: Block| cfg.rpo_number(block);
        let goes_back = |&block: &Block| {
            let mut succs = cfg.succs(block).iter();
            succs.any(|&succ| succ != self.meet && number(succ) <= number(block))
        };
        self.blocks.iter().any(goes_back)
    }
}

fn computes(kind: &InstKind) -> bool {
    kind.is_computation() || kind.is_terminator()
}

/// Returns whether all work-items of a group must come to an instruction together.
pub(super) fn is_meeting(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Barrier { .. } | InstKind::Group { .. })
}

/// Returns whether an instruction is executed for each work-item whatever its operands are.
fn is_of_item(kind: &InstKind, callees: &Callees) -> bool {
    match kind {
        InstKind::Call { func, .. } => !callees[*func].is_some_and(|callee| callee.is_pure),
        InstKind::StackAddr { .. }
        | InstKind::AtomicLoad { .. }
        | InstKind::AtomicStore { .. }
        | InstKind::AtomicRmw { .. }
        | InstKind::AtomicCmpXchg { .. } => true,
        InstKind::Load { flags, .. } | InstKind::Store { flags, .. } => {
            flags.contains(AccessFlags::VOLATILE)
        }
        InstKind::Image { op, .. } => op.has_side_effects(),
        _ => false,
    }
}

/// The built-in vector that an instruction reads, if it is an invocation's own in the first dimension.
fn own_vector(kind: &InstKind) -> Option<BuiltIn> {
    match *kind {
        InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => Some(which),
        _ => None,
    }
    .filter(|which| {
        matches!(
            which,
            BuiltIn::GlobalId | BuiltIn::LocalId | BuiltIn::LocalSize
        )
    })
}

/// The way in which the copy computes an instruction's result from an invocation's own.
pub(super) fn source(func: &Function, inst: Inst) -> Option<Source> {
    let data = &func.insts[inst];
    let which = match data.kind {
        InstKind::BuiltIn {
            which: BuiltIn::LocalLinearId,
        } => BuiltIn::LocalLinearId,
        InstKind::BuiltInWord { lane: 0, .. } => own_vector(&data.kind)?,
        InstKind::Extract { vector, lane: 0 } => {
            let inst = func.def_inst(vector)?;
            own_vector(&func.insts[inst].kind)?
        }
        _ => return None,
    };
    let ty = func.ty(func.result(inst));
    Some(match which {
        BuiltIn::LocalSize => Source::Size(ty),
        which => Source::Id(ty, which),
    })
}

/// Returns whether the kernel has only what a copy can have.
fn is_simple(func: &Function, cfg: &Cfg, callees: &Callees) -> bool {
    let blocks = cfg.reverse_postorder().iter();
    let mut insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts.all(|&inst| {
        let kind = &func.insts[inst].kind;
        let mut fits = is_simple_kind(func, kind, callees);
        // Vectors of ids are taken apart.
        kind.for_each_value(|value| {
            let vector = match func.def(value) {
                &ValueDef::Result(inst, _) => own_vector(&func.insts[inst].kind),
                _ => None,
            };
            let is_vector = vector.is_some() && func.ty(value).is_vector();
            fits &= !is_vector || matches!(kind, InstKind::Extract { .. });
        });
        fits
    })
}

fn is_simple_kind(func: &Function, kind: &InstKind, callees: &Callees) -> bool {
    match *kind {
        InstKind::Group { .. } => group_function(func, kind).is_some(),
        InstKind::BuiltIn { which } => is_shared(which) || is_own(which),
        InstKind::BuiltInWord {
            which, lane, high, ..
        } => is_shared(which) || (is_own(which) && !(high && lane == 0)),
        InstKind::Call { func, .. } => callees[func].is_some(),
        InstKind::Node { .. }
        | InstKind::Matrix { .. }
        | InstKind::Printf { .. }
        | InstKind::MemCopy { .. }
        | InstKind::ReadClock { .. } => false,
        _ => true,
    }
}

/// Returns whether a built-in is the same for all work-items of a work-group, and Vulkan does not count it.
fn is_shared(which: BuiltIn) -> bool {
    matches!(
        which,
        BuiltIn::GroupId
            | BuiltIn::GlobalSize
            | BuiltIn::EnqueuedLocalSize
            | BuiltIn::NumGroups
            | BuiltIn::GlobalOffset
            | BuiltIn::WorkDim
            | BuiltIn::MaxWorkGroupSize
            | BuiltIn::PrintfBuffer
            | BuiltIn::DispatchGroup
            | BuiltIn::AddressDelta
            | BuiltIn::TerminationFlag
    )
}

/// Returns whether a built-in of the work-item comes from the invocation's.
fn is_own(which: BuiltIn) -> bool {
    matches!(
        which,
        BuiltIn::GlobalId | BuiltIn::LocalId | BuiltIn::LocalSize | BuiltIn::LocalLinearId
    )
}
