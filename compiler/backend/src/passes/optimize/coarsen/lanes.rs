//! Copies whose neighbours are lanes of a sub-group.
//!
//! The work-items of an invocation are then as far apart as a sub-group has lanes, so that the lanes access what lies side by
//! side. Some drivers make one scalar load where all lanes load from one address, and one vector load of several such loads
//! from consecutive addresses; where each lane has an address of its own, they make a load for each lane
//! ([`QuirkKind::LoadsByLanes`]). So all lanes load what the lanes need, and each takes its own.
//!
//! A lane may load only what some work-item loads: so all lanes take a branch together, or none of them takes it as part of
//! what neighbours do together.

use super::copy::{Copier, Row};
use super::plan::{Plan, Source, source};
use super::strides::Strides;
use pumice_ir::analysis::{MemoryAccess, alias};
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, Block, BuiltIn, ConvertOp, Function, GroupOp, Inst,
    InstKind, IntCond, Scalar, Scope, SourceLoc, Type, Value,
};
use pumice_target::{QuirkKind, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// Instructions of a kernel for each access that lanes make side by side, at most: the copy pays where loads and stores
/// take most of the time.
const INSTS_PER_ACCESS: usize = 20;

/// The words that are loaded at once.
const LOADED: usize = 4;

/// The lanes of a copy's sub-groups.
#[derive(Clone)]
pub(super) struct Lanes {
    /// The invocation's lane: I32.
    number: Value,
    /// For each lane but the last, whether it is the invocation's.
    is: Vec<Value>,
}

impl Lanes {
    pub(super) fn width(&self) -> usize {
        self.is.len() + 1
    }
}

/// The number of a sub-group's lanes, if the driver makes vector loads of their loads.
pub(super) fn width(target: &Target) -> Option<u32> {
    let width = target.max_subgroup_size;
    let is_served = target.quirks.has(QuirkKind::LoadsByLanes)
        && target.subgroup.arithmetic
        && target.subgroup.ballot
        && target.subgroup.shuffle
        && target.quirks.has(QuirkKind::LocalIdsFromLanes);
    (is_served && width.is_power_of_two() && (4..=16).contains(&width)).then_some(width)
}

/// Returns whether a copy whose neighbours are lanes is better than one whose neighbours are an invocation's: all that work-items
/// access at equal distances lies side by side.
pub(super) fn pays(strides: &Strides<'_>) -> bool {
    let (func, plan) = (strides.func, strides.plan);
    let mut known = FxHashMap::default();
    let mut side_by_side = 0;
    let mut count = 0;
    let usual = |block: &&Block| plan.is_joint(**block) && !func.blocks[**block].slow_path;
    let joint = plan.order.iter().filter(usual);
    for &inst in joint.flat_map(|&block| &func.layout.insts[block]) {
        count += 1;
        let Some(access) = MemoryAccess::of(func, inst) else {
            continue;
        };
        let (pointer, space) = (access.ptr, access.space(func));
        let is_memory = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
        if !is_memory || !plan.differs(pointer) {
            continue;
        }
        let Some(stride) = strides.of_pointer(pointer) else {
            continue;
        };
        let is_element = is_element(access.ty, stride, access.align, access.flags);
        if !is_element || !is_of_ids(func, plan, pointer, &mut known) {
            return false;
        }
        side_by_side += 1;
    }
    side_by_side * INSTS_PER_ACCESS >= count.max(1)
}

/// Returns whether lanes that access elements `stride` bytes apart access words or vectors of words, one beside the other.
fn is_element(ty: Type, stride: i64, align: u32, flags: AccessFlags) -> bool {
    let word = ty.scalar.bytes();
    let is_of_words = (ty.scalar.is_int() || ty.scalar.is_float()) && (word == 4 || word == 8);
    let bytes = i64::from(word) * i64::from(ty.lanes);
    is_of_words && stride == bytes && align >= word && flags.is_plain()
}

/// Returns whether [`Copier::first_of`] finds a value, and drivers find that all lanes share it. They compute the id of all
/// dimensions together for each lane.
fn is_of_ids(
    func: &Function,
    plan: &Plan<'_>,
    value: Value,
    known: &mut FxHashMap<Value, bool>,
) -> bool {
    if !plan.differs(value) {
        return true;
    }
    if let Some(&is) = known.get(&value) {
        return is;
    }
    let is = func.def_inst(value).is_some_and(|inst| {
        if let Some(Source::Id(_, which)) = source(func, inst) {
            return which != BuiltIn::LocalLinearId;
        }
        let kind = &func.insts[inst].kind;
        let mut is = is_address_arithmetic(kind);
        kind.for_each_value(|operand| is = is && is_of_ids(func, plan, operand, known));
        is
    });
    known.insert(value, is);
    is
}

/// Returns whether a value is computed of one loaded value, and constants.
fn is_of_one_load(func: &Function, value: Value) -> bool {
    let mut value = value;
    while let Some(inst) = func.def_inst(value) {
        value = match &func.insts[inst].kind {
            InstKind::Load { .. } => return true,
            InstKind::Unary { arg, .. }
            | InstKind::Convert { arg, .. }
            | InstKind::Extract { vector: arg, .. } => *arg,
            InstKind::Math { args, .. } if args.len() == 1 => args[0],
            InstKind::Binary { args: [a, b], .. } => {
                match [a, b].map(|&arg| func.const_bits(arg).is_some()) {
                    [false, true] => *a,
                    [true, false] => *b,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    false
}

/// Returns whether no work-item accesses the same object behind a store, up to a barrier. Another lane stores for the
/// work-item, and Vulkan does not promise that lanes go in step.
fn is_last_access(func: &Function, store: Inst, ptr: Value) -> bool {
    let object = alias::base(func, ptr);
    let accesses = |inst: Inst| {
        let kind = &func.insts[inst].kind;
        let mut does = false;
        kind.for_each_value(|value| {
            let is_pointer = func.ty(value).address_space().is_some();
            does |= is_pointer && alias::base(func, value) == object;
        });
        does && !is_address_arithmetic(kind) && !kind.is_terminator()
    };
    let all = |block: Block| func.layout.insts[block].as_slice();
    let mut blocks = func.layout.blocks.iter().map(|&block| all(block));
    let behind = blocks.find_map(|insts| {
        let place = insts.iter().position(|&inst| inst == store)?;
        Some(&insts[place + 1..])
    });
    let mut parts: Vec<&[Inst]> = behind.into_iter().collect();
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    while let Some(part) = parts.pop() {
        for &inst in part {
            let kind = &func.insts[inst].kind;
            if matches!(kind, InstKind::Barrier { .. }) {
                break;
            }
            if inst != store && accesses(inst) {
                return false;
            }
            let next = kind.targets().into_iter().filter(|&next| seen.insert(next));
            parts.extend(next.map(all));
        }
    }
    true
}

fn is_address_arithmetic(kind: &InstKind) -> bool {
    match kind {
        InstKind::Convert { .. } | InstKind::PtrAdd { .. } => true,
        InstKind::Binary { op, .. } => matches!(
            op,
            BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::IMul | BinaryOp::Shl | BinaryOp::Xor
        ),
        _ => false,
    }
}

impl Copier<'_> {
    /// Writes what tells the lanes apart, at the start of the copy.
    pub(super) fn number_lanes(&mut self, at: Block) {
        let spacing = self.spacing();
        if spacing == 1 {
            return;
        }
        let (loc, which) = (SourceLoc::default(), BuiltIn::SubgroupLocalId);
        let number = self.append(at, InstKind::BuiltIn { which }, which.ty(), loc);
        let is = (0..spacing - 1).map(|lane| {
            let args = [number, self.splat(Type::I32, u64::from(lane))];
            let cond = IntCond::Eq;
            self.append(at, InstKind::ICmp { cond, args }, Type::BOOL, loc)
        });
        let is = is.collect();
        self.lanes = Some(Lanes { number, is });
    }

    /// The first neighbour's ids: of the sub-group's first lane, and of the invocation's own. `number` is the invocation's.
    pub(super) fn first_ids(
        &mut self,
        at: Block,
        number: Value,
        (ty, which): (Type, BuiltIn),
        loc: SourceLoc,
    ) -> [Value; 2] {
        let Some(lane) = self.lanes.as_ref().map(|lanes| lanes.number) else {
            let first = self.times_items(at, number, ty, loc);
            return [first, first];
        };
        // Drivers see the lane added and subtracted again where both stand together.
        let within = match which {
            BuiltIn::GlobalId | BuiltIn::LocalId => self.first_word(at, BuiltIn::LocalId, loc),
            _ => self.converted(at, number, Type::I32, loc),
        };
        let start = self.binary(at, BinaryOp::ISub, [within, lane], loc);
        let start = self.converted(at, start, ty, loc);
        let mut first = self.times_items(at, start, ty, loc);
        if which == BuiltIn::GlobalId {
            let before = self.start_of_group(at, loc);
            let before = self.converted(at, before, ty, loc);
            first = self.binary(at, BinaryOp::IAdd, [before, first], loc);
        }
        let lane = self.converted(at, lane, ty, loc);
        let own = self.binary(at, BinaryOp::IAdd, [first, lane], loc);
        [first, own]
    }

    /// The id of the work-group's first work-item, which has 32 bits. A smaller group at the end of a row starts where
    /// one of the enqueued size would.
    fn start_of_group(&mut self, at: Block, loc: SourceLoc) -> Value {
        let group = [BuiltIn::GroupId, BuiltIn::EnqueuedLocalSize];
        let group = group.map(|which| self.first_word(at, which, loc));
        let before = self.binary(at, BinaryOp::IMul, group, loc);
        let offset = self.first_word(at, BuiltIn::GlobalOffset, loc);
        self.binary(at, BinaryOp::IAdd, [before, offset], loc)
    }

    /// The low word of a built-in's number in the first dimension.
    fn first_word(&mut self, at: Block, which: BuiltIn, loc: SourceLoc) -> Value {
        let kind = InstKind::BuiltInWord {
            which,
            lane: 0,
            high: false,
        };
        self.append(at, kind, Type::I32, loc)
    }

    /// Finds what an instruction gives the first lane's first neighbour, if it computes addresses of ids.
    pub(super) fn first_of(&mut self, at: Block, inst: Inst) {
        let old = self.old;
        let data = &old.insts[inst];
        let (true, &[result]) = (
            is_address_arithmetic(&data.kind) && self.lanes.is_some(),
            data.results.as_slice(),
        ) else {
            return;
        };
        let mut kind = data.kind.clone();
        let mut is_found = true;
        kind.for_each_value_mut(|operand| match self.first_value(*operand) {
            Some(value) => *operand = value,
            None => is_found = false,
        });
        if is_found {
            let value = self.append(at, kind, old.ty(result), data.loc);
            self.first[result] = value.into();
        }
    }

    /// A value of the first neighbour: of the sub-group's first lane's, where lanes are neighbours.
    pub(super) fn first_value(&mut self, old: Value) -> Option<Value> {
        match self.differs(old) && self.lanes.is_some() {
            true => self.first[old].expand(),
            false => Some(self.value(old, 0)),
        }
    }

    /// Loads what a row's neighbours and lanes load, if lanes load words side by side; returns whether it did.
    pub(super) fn load_by_lanes(&mut self, at: Block, inst: Inst, row: &Row) -> bool {
        let old = self.old;
        let data = &old.insts[inst];
        let (Some(lanes), &InstKind::Load { ptr, align, flags }) = (self.lanes.clone(), &data.kind)
        else {
            return false;
        };
        let result = old.result(inst);
        let ty = old.ty(result);
        let Some(first) = self.first_value(ptr) else {
            return false;
        };
        if !is_element(ty, row.stride, align, flags) {
            return false;
        }
        let width = lanes.width();
        let parts = usize::from(ty.lanes);
        for item in 0..self.items() {
            let mut words = Vec::new();
            for word in (0..width * parts).step_by(LOADED) {
                let distance =
                    row.stride as usize * item * width + ty.scalar.bytes() as usize * word;
                let kind = InstKind::Load {
                    ptr: self.beside(at, first, distance as i64, data.loc),
                    align,
                    flags: flags | AccessFlags::TOGETHER,
                };
                let vector = Type::vector(ty.scalar, LOADED as u8);
                let vector = self.append(at, kind, vector, data.loc);
                words.extend((0..LOADED as u8).map(|lane| {
                    let kind = InstKind::Extract { vector, lane };
                    self.append(at, kind, ty.lane(), data.loc)
                }));
            }
            let own = (0..parts).map(|part| {
                let words: Vec<Value> = words[part..].iter().copied().step_by(parts).collect();
                self.of_own_lane(at, &lanes, &words, data.loc)
            });
            let own: SmallVec<[Value; 4]> = own.collect();
            let value = match own[..] {
                [word] => word,
                _ => self.append(at, InstKind::Build { lanes: own }, ty, data.loc),
            };
            self.give(result, item, value);
        }
        true
    }

    /// Stores what a row's neighbours and lanes store in words of 64 bits, if lanes store words of 32 bits side by side and the
    /// first one's alignment is known; returns whether it did. A store takes as long as there are lanes, whatever these store.
    pub(super) fn store_by_lanes(&mut self, at: Block, inst: Inst, row: &Row) -> bool {
        let old = self.old;
        let data = &old.insts[inst];
        let InstKind::Store {
            ptr,
            value,
            align,
            flags,
        } = data.kind
        else {
            return false;
        };
        let ty = old.ty(value);
        let is_half =
            ty.scalar.bytes() == 4 && !ty.is_vector() && is_element(ty, row.stride, align, flags);
        let (Some(lanes), true) = (self.lanes.clone(), is_half) else {
            return false;
        };
        let (Some(first), Some(rest)) = (self.first_value(ptr), self.strides.rest_by_8(ptr)) else {
            return false;
        };
        if !is_last_access(old, inst, ptr) {
            return false;
        }
        let (width, loc) = (lanes.width(), data.loc);
        let none = is_of_one_load(old, value).then(|| self.unknown_zero(at, first, loc));
        let words: Vec<Value> = (0..self.items())
            .map(|item| {
                let word = self.value(value, item);
                let word = self.bits(at, word, Type::I32, loc);
                match none {
                    Some(none) => self.binary(at, BinaryOp::Or, [word, none], loc),
                    None => word,
                }
            })
            .collect();
        let lane = self.converted(at, lanes.number, Type::I64, loc);
        let eight = self.splat(Type::I64, 8);
        let by_eight = self.binary(at, BinaryOp::IMul, [lane, eight], loc);
        let by_four = self.splat(Type::I64, 4);
        let by_four = self.binary(at, BinaryOp::IMul, [lane, by_four], loc);
        // Words before the first one of 64 bits.
        let single = (rest / 4) as usize;
        let rows = (words.len() * width / 2 - single) / width;
        for row in 0..rows {
            let start = single + 2 * row * width;
            let low = self.every_second(at, (&lanes, &words), start, loc);
            let high = self.every_second(at, (&lanes, &words), start + 1, loc);
            let pair = InstKind::Build {
                lanes: smallvec![low, high],
            };
            let pair = self.append(at, pair, Type::vector(Scalar::I32, 2), loc);
            let value = self.bits(at, pair, Type::I64, loc);
            let start = self.splat(Type::I64, 4 * start as u64);
            let offset = self.binary(at, BinaryOp::IAdd, [by_eight, start], loc);
            self.store_at(at, (first, offset), (value, 8, flags), loc);
        }
        // The words that are left: those before, and at the end.
        let done = 2 * rows * width;
        for row in 0..words.len() - 2 * rows {
            let start = done + row * width;
            let is_cut = row == 0 && single > 0;
            // The row's first word is in a word of 64 bits, and the very first one is not.
            let mut own = vec![words[start / width]; width];
            if is_cut {
                own[0] = words[0];
            }
            let value = self.of_own_lane(at, &lanes, &own, loc);
            let start = self.splat(Type::I64, 4 * start as u64);
            let mut offset = self.binary(at, BinaryOp::IAdd, [by_four, start], loc);
            if is_cut {
                let (cond, then) = (lanes.is[0], self.splat(Type::I64, 0));
                let kind = InstKind::Select {
                    cond,
                    then,
                    other: offset,
                };
                offset = self.append(at, kind, Type::I64, loc);
            }
            self.store_at(at, (first, offset), (value, 4, flags), loc);
        }
        true
    }

    /// A zero that drivers do not know: the lowest bits of a word's address. Mesa freezes what lanes exchange, and LLVM moves that
    /// to the one thing behind it that it does not know: to each word of a loaded vector, which is then loaded word by word.
    fn unknown_zero(&mut self, at: Block, word: Value, loc: SourceLoc) -> Value {
        let kind = InstKind::Convert {
            op: ConvertOp::PtrToInt,
            arg: word,
            rounding: None,
        };
        let address = self.append(at, kind, Type::I64, loc);
        let address = self.converted(at, address, Type::I32, loc);
        let lowest = self.splat(Type::I32, 3);
        self.binary(at, BinaryOp::And, [address, lowest], loc)
    }

    /// For each lane one of every two words of a row of neighbours' words, from `start` on.
    fn every_second(
        &mut self,
        at: Block,
        (lanes, words): (&Lanes, &[Value]),
        start: usize,
        loc: SourceLoc,
    ) -> Value {
        let width = lanes.width();
        let place = |lane: usize| start + 2 * lane;
        let [two, first, most] =
            [2, start % width, width - 1].map(|number| self.splat(Type::I32, number as u64));
        let from = self.binary(at, BinaryOp::IMul, [lanes.number, two], loc);
        let from = self.binary(at, BinaryOp::IAdd, [from, first], loc);
        let from = self.binary(at, BinaryOp::And, [from, most], loc);
        let mut own = None;
        for source in (place(0) / width..=place(width - 1) / width).rev() {
            let kind = InstKind::Group {
                op: GroupOp::Shuffle,
                scope: Scope::Subgroup,
                args: smallvec![words[source], from],
            };
            let taken = self.append(at, kind, Type::I32, loc);
            own = Some(match own {
                None => taken,
                Some(other) => {
                    let end = (0..width)
                        .take_while(|&lane| place(lane) / width <= source)
                        .count();
                    let args = [lanes.number, self.splat(Type::I32, end as u64)];
                    let cond = IntCond::Ult;
                    let cond = self.append(at, InstKind::ICmp { cond, args }, Type::BOOL, loc);
                    let kind = InstKind::Select {
                        cond,
                        then: taken,
                        other,
                    };
                    self.append(at, kind, Type::I32, loc)
                }
            });
        }
        own.expect("a lane takes one of the words")
    }

    /// The value that belongs to the invocation's lane.
    fn of_own_lane(&mut self, at: Block, lanes: &Lanes, values: &[Value], loc: SourceLoc) -> Value {
        let Some((&last, others)) = values.split_last() else {
            unreachable!("a sub-group has lanes");
        };
        let ty = self.ty(last);
        let mut own = last;
        for (&then, &cond) in others.iter().zip(&lanes.is).rev() {
            let other = own;
            if then != other {
                own = self.append(at, InstKind::Select { cond, then, other }, ty, loc);
            }
        }
        own
    }

    fn bits(&mut self, at: Block, arg: Value, ty: Type, loc: SourceLoc) -> Value {
        if self.ty(arg) == ty {
            return arg;
        }
        let kind = InstKind::Convert {
            op: ConvertOp::Bitcast,
            arg,
            rounding: None,
        };
        self.append(at, kind, ty, loc)
    }

    fn store_at(
        &mut self,
        at: Block,
        (base, offset): (Value, Value),
        (value, align, flags): (Value, u32, AccessFlags),
        loc: SourceLoc,
    ) {
        let ty = self.ty(base);
        let ptr = self.append(at, InstKind::PtrAdd { base, offset }, ty, loc);
        let kind = InstKind::Store {
            ptr,
            value,
            align,
            flags,
        };
        self.append_effect(at, kind, loc);
    }
}
