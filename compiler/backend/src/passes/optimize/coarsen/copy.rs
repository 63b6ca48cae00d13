//! Writes the copy that a plan describes.

use super::group_functions::group_function;
use super::lanes::Lanes;
use super::plan::{Plan, Region, Source, source};
use super::strides::Strides;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use pumice_ir::analysis::alias::root;
use pumice_ir::{
    AddressSpace, BinaryOp, Block, BlockCall, ConvertOp, FloatFlags, Function, Inst, InstKind,
    SourceLoc, StackSlot, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// The kernel, and the copy so far.
pub(super) struct Copier<'a> {
    pub(super) old: &'a Function,
    plan: &'a Plan<'a>,
    pub(super) strides: &'a Strides<'a>,
    new: Function,
    /// Values that neighbours share.
    shared: SecondaryMap<Value, PackedOption<Value>>,
    /// Values of each neighbour.
    own: Vec<SecondaryMap<Value, PackedOption<Value>>>,
    /// The blocks that neighbours are in together.
    blocks: SecondaryMap<Block, PackedOption<Block>>,
    /// The lanes of a sub-group, where these are neighbours.
    pub(super) lanes: Option<Lanes>,
    /// Values of the first lane's first neighbour, where lanes are neighbours, as far as addresses need them.
    pub(super) first: SecondaryMap<Value, PackedOption<Value>>,
}

/// Places that neighbours access, one beside the other.
pub(super) struct Row {
    /// The kernel's pointer.
    pointer: Value,
    /// The bytes from a work-item's to the next one's.
    pub(super) stride: i64,
    /// The known alignment of each neighbour's.
    alignments: Vec<u64>,
}

/// The code that runs for one neighbour alone.
struct Alone {
    item: usize,
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
}

impl<'a> Copier<'a> {
    pub fn new(old: &'a Function, plan: &'a Plan<'a>, strides: &'a Strides<'a>) -> Self {
        let items = plan.items() as usize;
        let mut new = Function::new(old.name.clone(), old.params.clone(), old.results.clone());
        new.linkage = old.linkage;
        new.passes_handles = old.passes_handles;
        new.restrict_args.clone_from(&old.restrict_args);
        for _ in 0..items {
            for &slot in old.slots.values() {
                new.slots.push(slot);
            }
        }
        Self {
            old,
            plan,
            strides,
            new,
            shared: SecondaryMap::new(),
            own: vec![SecondaryMap::new(); items],
            blocks: SecondaryMap::new(),
            lanes: None,
            first: SecondaryMap::new(),
        }
    }

    /// Writes all of it.
    pub fn copy(mut self) -> Function {
        let joint = |&&block: &&Block| self.plan.is_joint(block);
        let joint: Vec<Block> = self.plan.order.iter().filter(joint).copied().collect();
        for &block in &joint {
            self.declare_joint(block);
        }
        if let Some(&entry) = joint.first() {
            self.number_lanes(self.joint(entry));
        }
        for &block in &joint {
            let at = self.joint(block);
            let insts = &self.old.layout.insts[block];
            let Some((&last, rest)) = insts.split_last() else {
                continue;
            };
            for &inst in rest {
                self.inst_of_all(at, inst);
            }
            match self.plan.region(block) {
                Some(region) => self.part(at, (block, last), region),
                None => self.end_of_all(at, last),
            }
        }
        self.new
    }

    pub(super) fn items(&self) -> usize {
        self.own.len()
    }

    /// The distance between two of an invocation's work-items.
    pub(super) fn spacing(&self) -> u32 {
        self.strides.spacing
    }

    /// Returns whether neighbours have different values.
    pub(super) fn differs(&self, old: Value) -> bool {
        self.plan.differs(old)
    }

    fn declare_joint(&mut self, block: Block) {
        let made = self.new.append_block();
        self.blocks[block] = made.into();
        self.new.blocks[made].unroll = self.old.blocks[block].unroll;
        for &param in &self.old.blocks[block].params {
            let ty = self.old.ty(param);
            if !self.plan.differs(param) {
                self.shared[param] = self.new.append_param(made, ty).into();
                continue;
            }
            for item in 0..self.items() {
                self.own[item][param] = self.new.append_param(made, ty).into();
            }
        }
    }

    fn joint(&self, block: Block) -> Block {
        self.blocks[block]
            .expand()
            .expect("blocks that neighbours are in together have been made")
    }

    /// A neighbour's value; any neighbour's, where they share it.
    pub(super) fn value(&mut self, value: Value, item: usize) -> Value {
        match self.old.def(value) {
            ValueDef::Const(lanes) => {
                let ty = self.old.ty(value);
                return self.new.constant(ty, lanes);
            }
            ValueDef::Undef => return self.new.undef(self.old.ty(value)),
            ValueDef::Result(..) | ValueDef::Param(..) => {}
        }
        let made = match self.plan.differs(value) {
            true => self.own[item][value],
            false => self.shared[value],
        };
        made.expand().expect("values are made before their uses")
    }

    fn value_alone(&mut self, value: Value, alone: &Alone) -> Value {
        match alone.values.get(&value) {
            Some(&value) => value,
            None => self.value(value, alone.item),
        }
    }

    fn slot(&self, slot: StackSlot, item: usize) -> StackSlot {
        StackSlot::new(item * self.old.slots.len() + slot.index())
    }

    /// An instruction for one neighbour, with the operands that `value` gives.
    fn kind_of(
        &mut self,
        inst: Inst,
        item: usize,
        mut value: impl FnMut(&mut Self, Value) -> Value,
    ) -> InstKind {
        let mut kind = self.old.insts[inst].kind.clone();
        if let InstKind::StackAddr { slot } = &mut kind {
            *slot = self.slot(*slot, item);
        }
        kind.for_each_value_mut(|operand| *operand = value(self, *operand));
        kind
    }

    fn emit(&mut self, at: Block, inst: Inst, kind: InstKind) -> SmallVec<[Value; 1]> {
        let data = &self.old.insts[inst];
        let types: SmallVec<[Type; 1]> = data.results.iter().map(|&v| self.old.ty(v)).collect();
        let made = self.new.append(at, kind, &types, data.loc);
        self.new.insts[made].results.clone()
    }

    pub(super) fn binary(
        &mut self,
        at: Block,
        op: BinaryOp,
        args: [Value; 2],
        loc: SourceLoc,
    ) -> Value {
        let ty = self.new.ty(args[0]);
        let flags = FloatFlags::empty();
        let kind = InstKind::Binary { op, args, flags };
        self.new.append_value(at, kind, ty, loc)
    }

    /// An instruction with one result.
    pub(super) fn append(&mut self, at: Block, kind: InstKind, ty: Type, loc: SourceLoc) -> Value {
        self.new.append_value(at, kind, ty, loc)
    }

    /// An instruction without a result.
    pub(super) fn append_effect(&mut self, at: Block, kind: InstKind, loc: SourceLoc) {
        self.new.append(at, kind, &[], loc);
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.new.ty(value)
    }

    pub(super) fn splat(&mut self, ty: Type, bits: u64) -> Value {
        self.new.splat_constant(ty, bits)
    }

    /// Gives all neighbours one value.
    pub(super) fn share(&mut self, old: Value, new: Value) {
        self.shared[old] = new.into();
    }

    /// Gives a neighbour its value.
    pub(super) fn give(&mut self, old: Value, item: usize, new: Value) {
        self.own[item][old] = new.into();
    }

    /// An invocation's number times the number of neighbours.
    pub(super) fn times_items(
        &mut self,
        at: Block,
        number: Value,
        ty: Type,
        loc: SourceLoc,
    ) -> Value {
        let items = self.new.splat_constant(ty, self.items() as u64);
        self.binary(at, BinaryOp::IMul, [number, items], loc)
    }

    /// A neighbour's id, from that of the first one.
    fn id_of(&mut self, at: Block, first: Value, item: usize, loc: SourceLoc) -> Value {
        if item == 0 {
            return first;
        }
        let distance = item as u64 * u64::from(self.spacing());
        let distance = self.new.splat_constant(self.new.ty(first), distance);
        self.binary(at, BinaryOp::IAdd, [first, distance], loc)
    }

    /// A number as an unsigned one of another width.
    pub(super) fn converted(&mut self, at: Block, arg: Value, ty: Type, loc: SourceLoc) -> Value {
        let widths = [self.new.ty(arg), ty].map(|ty| ty.scalar.bits());
        let op = match widths[0].cmp(&widths[1]) {
            Ordering::Less => ConvertOp::ZExt,
            Ordering::Equal => return arg,
            Ordering::Greater => ConvertOp::Trunc,
        };
        let kind = InstKind::Convert {
            op,
            arg,
            rounding: None,
        };
        self.append(at, kind, ty, loc)
    }

    /// An instruction that neighbours come to together.
    fn inst_of_all(&mut self, at: Block, inst: Inst) {
        let data = &self.old.insts[inst];
        if let Some(source) = source(self.old, inst) {
            let kind = self.kind_of(inst, 0, |this, value| this.value(value, 0));
            let number = self.emit(at, inst, kind)[0];
            let result = data.results[0];
            match source {
                Source::Size(ty) => {
                    self.shared[result] = self.times_items(at, number, ty, data.loc).into();
                }
                Source::Id(ty, which) => {
                    let [first, own] = self.first_ids(at, number, (ty, which), data.loc);
                    self.first[result] = first.into();
                    for item in 0..self.items() {
                        self.own[item][result] = self.id_of(at, own, item, data.loc).into();
                    }
                }
            }
            return;
        }
        if let Some(function) = group_function(self.old, &data.kind) {
            self.group_function_of_all(at, inst, function);
            return;
        }
        if !self.plan.is_repeated(self.old, inst) {
            let kind = self.kind_of(inst, 0, |this, value| this.value(value, 0));
            let made = self.emit(at, inst, kind);
            for (&old, new) in data.results.iter().zip(made) {
                self.shared[old] = new.into();
            }
            return;
        }
        let row = self.row(inst);
        let mut by_lanes =
            |row: &Row| self.load_by_lanes(at, inst, row) || self.store_by_lanes(at, inst, row);
        if row.as_ref().is_some_and(&mut by_lanes) {
            return;
        }
        self.first_of(at, inst);
        for item in 0..self.items() {
            let mut kind = self.kind_of(inst, item, |this, value| this.value(value, item));
            if let Some(row) = &row {
                self.place_beside(at, &mut kind, (item, row), data.loc);
            }
            let made = self.emit(at, inst, kind);
            for (&old, new) in data.results.iter().zip(made) {
                self.own[item][old] = new.into();
            }
        }
    }

    /// The places that neighbours load or store; `None` if they do not lie in a row.
    fn row(&self, inst: Inst) -> Option<Row> {
        let kind = &self.old.insts[inst].kind;
        let (InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. }) = *kind else {
            return None;
        };
        let space = self.old.ty(ptr).address_space();
        let is_memory = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
        let stride = is_memory.then(|| self.strides.of_pointer(ptr))??;
        (stride != 0).then(|| Row {
            pointer: ptr,
            stride,
            alignments: self.strides.alignments(ptr, stride),
        })
    }

    /// Lets a neighbour's load or store find its place from the first one's, with the alignment that follows.
    fn place_beside(
        &mut self,
        at: Block,
        kind: &mut InstKind,
        (item, row): (usize, &Row),
        loc: SourceLoc,
    ) {
        let number = item as i64 * i64::from(self.spacing());
        let first = self.value(row.pointer, 0);
        let place = self.beside(at, first, row.stride.wrapping_mul(number), loc);
        if let InstKind::Load { ptr, align, .. } | InstKind::Store { ptr, align, .. } = kind {
            *ptr = place;
            *align = (*align).max(row.alignments[item] as u32);
        }
    }

    /// The pointer so many bytes from another one.
    pub(super) fn beside(
        &mut self,
        at: Block,
        pointer: Value,
        distance: i64,
        loc: SourceLoc,
    ) -> Value {
        let (base, from_base) = root(&self.new, pointer);
        match from_base.wrapping_add(distance) {
            0 => base,
            _ if distance == 0 => pointer,
            bytes => {
                let offset = self.new.i64(bytes);
                let ty = self.new.ty(base);
                let add = InstKind::PtrAdd { base, offset };
                self.new.append_value(at, add, ty, loc)
            }
        }
    }

    /// A branch of all neighbours.
    fn call_of_all(&mut self, call: &BlockCall) -> BlockCall {
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        let params = &self.old.blocks[call.block].params;
        for (&param, &arg) in params.iter().zip(&call.args) {
            let copies = match self.plan.differs(param) {
                true => self.items(),
                false => 1,
            };
            args.extend((0..copies).map(|item| self.value(arg, item)));
        }
        BlockCall {
            block: self.joint(call.block),
            args,
        }
    }

    /// The end of a block that all neighbours leave the same way.
    fn end_of_all(&mut self, at: Block, last: Inst) {
        let data = &self.old.insts[last];
        let kind = match &data.kind {
            InstKind::Jump { dest } => InstKind::Jump {
                dest: self.call_of_all(dest),
            },
            InstKind::Branch { cond, then, other } => InstKind::Branch {
                cond: self.value(*cond, 0),
                then: self.call_of_all(then),
                other: self.call_of_all(other),
            },
            InstKind::Switch {
                value,
                default,
                cases,
            } => InstKind::Switch {
                value: self.value(*value, 0),
                default: self.call_of_all(default),
                cases: (cases.iter())
                    .map(|(number, call)| (*number, self.call_of_all(call)))
                    .collect(),
            },
            other => other.clone(),
        };
        self.new.append(at, kind, &[], data.loc);
    }

    /// The end of a block that neighbours leave different ways.
    fn part(&mut self, at: Block, (block, last): (Block, Inst), region: &Region) {
        let data = &self.old.insts[last];
        let mut at = at;
        if let (
            &InstKind::Branch {
                cond,
                ref then,
                ref other,
            },
            Some(first),
        ) = (&data.kind, region.only_way)
        {
            let slow_path = region.is_slow_path(self.old);
            let shared = self
                .shared_condition(at, cond, data.loc)
                .or_else(|| slow_path.then(|| self.one_takes(at, (cond, first), data.loc)));
            if let Some(cond) = shared {
                let kind = InstKind::Branch {
                    cond,
                    then: self.call_of_all(then),
                    other: self.call_of_all(other),
                };
                self.new.append(at, kind, &[], data.loc);
                return;
            }
            let is_short = region.is_short(self.old, block);
            if let Some(together) = self.all_take(at, (cond, first), is_short, data.loc) {
                let one_by_one = self.new.append_block();
                let kind = InstKind::Branch {
                    cond: together,
                    then: self.call_of_all(if first { then } else { other }),
                    other: BlockCall::new(one_by_one, &[]),
                };
                self.new.append(at, kind, &[], data.loc);
                at = one_by_one;
            }
        }
        let meet = &self.old.blocks[region.meet].params;
        let mut outcomes: Vec<SmallVec<[Value; 4]>> = Vec::new();
        for item in 0..self.items() {
            let end = self.new.append_block();
            let params = meet.iter().map(|&param| self.old.ty(param));
            let params: Vec<Type> = params.collect();
            let params = params.into_iter().map(|ty| self.new.append_param(end, ty));
            outcomes.push(params.collect());
            let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
            blocks.insert(region.meet, end);
            let mut alone = Alone {
                item,
                values: FxHashMap::default(),
                blocks,
            };
            for &block in &region.blocks {
                self.declare_alone(block, &mut alone);
            }
            match region.blocks.contains(&block) {
                true => self.begin_again(at, (block, last), &alone),
                false => self.end_alone(at, last, &alone),
            }
            for &block in &region.blocks {
                self.block_alone(block, &mut alone);
            }
            at = end;
        }
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        for param in 0..meet.len() {
            args.extend(outcomes.iter().map(|outcome| outcome[param]));
        }
        let dest = BlockCall {
            block: self.joint(region.meet),
            args,
        };
        self.new.append(at, InstKind::Jump { dest }, &[], data.loc);
    }

    /// Goes to the first block of a loop for one neighbour, whose values of this round are there.
    fn begin_again(&mut self, at: Block, (first, last): (Block, Inst), alone: &Alone) {
        let params = self.old.blocks[first].params.iter();
        let args = params.map(|&param| self.value(param, alone.item)).collect();
        let block = alone.blocks[&first];
        let dest = BlockCall { block, args };
        let loc = self.old.insts[last].loc;
        self.new.append(at, InstKind::Jump { dest }, &[], loc);
    }

    fn declare_alone(&mut self, block: Block, alone: &mut Alone) {
        let made = self.new.append_block();
        alone.blocks.insert(block, made);
        self.new.blocks[made].unroll = self.old.blocks[block].unroll;
        for &param in &self.old.blocks[block].params {
            let value = self.new.append_param(made, self.old.ty(param));
            alone.values.insert(param, value);
        }
    }

    fn block_alone(&mut self, block: Block, alone: &mut Alone) {
        let at = alone.blocks[&block];
        let insts = &self.old.layout.insts[block];
        let Some((&last, rest)) = insts.split_last() else {
            return;
        };
        for &inst in rest {
            let data = &self.old.insts[inst];
            let kind = self.kind_of(inst, alone.item, |this, v| this.value_alone(v, alone));
            let made = self.emit(at, inst, kind);
            for (&old, new) in data.results.iter().zip(made) {
                let value = match source(self.old, inst) {
                    None => new,
                    Some(Source::Size(ty)) => self.times_items(at, new, ty, data.loc),
                    Some(Source::Id(ty, which)) => {
                        let [_, own] = self.first_ids(at, new, (ty, which), data.loc);
                        self.id_of(at, own, alone.item, data.loc)
                    }
                };
                alone.values.insert(old, value);
            }
        }
        self.end_alone(at, last, alone);
    }

    /// The end of a block for one neighbour.
    fn end_alone(&mut self, at: Block, last: Inst, alone: &Alone) {
        let mut kind = self.kind_of(last, alone.item, |this, v| this.value_alone(v, alone));
        for call in kind.successors_mut() {
            call.block = alone.blocks[&call.block];
        }
        let loc = self.old.insts[last].loc;
        self.new.append(at, kind, &[], loc);
    }
}
