//! Barriers that not all work-items of a work-group reach are reported before any is executed.
//!
//! A kernel whose barriers stand where all work-items of a group are together ([`Divergence`]) is left as it is. In
//! others each barrier, each work-group function and the kernel's end become a jump to one meeting. There each
//! work-item tells the number of the place that it comes from; the meeting has the barriers, which thus are the same for
//! all. If the numbers differ, one of the work-items that wait reports. Each work-item then goes on from its place;
//! one that has ended comes to the meetings until all have. A work-group function has the result 0 for work-items
//! that are not together.
//!
//! The kernel becomes one loop: a switch to the places, the kernel's start among them, and the meeting, which all ways
//! through the switch end in. So the work-items of a sub-group are together there.
//!
//! Numbers are compared by a minimum and a maximum in local memory: the place's number above that of the work-item.
//! There are two pairs, one for even and one for odd meetings, so that one is made ready while the other is read.

use super::demote::{demote, hoist_constants, is_constant};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::check::code::{
    add, built_in, changed_word, load, load_slot, local_item, own, store, store_slot,
};
use crate::passes::check::report::{self, OWN_PREFIX, Sites};
use crate::passes::lower::work_groups::barrier;
use crate::passes::optimize::sroa;
use crate::structurize::divergence::Divergence;
use pumice_check::layout::Code;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, Block, BlockCall, BuiltIn, CheckKind, CheckSite,
    CheckedObject, ConvertOp, FuncId, Function, GlobalData, GlobalId, Inst, InstKind, IntCond,
    Linkage, LowerError, MemoryOrder, Module, Scope, SourceLoc, StackSlot, StackSlotData, Type,
    Value,
};
use pumice_target::Check;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Bits of a work-item's number below a place's.
const ITEM_BITS: u64 = 16;
/// The most places, and the most work-items of a group.
const MOST: usize = (1 << ITEM_BITS) - 1;
/// The place of work-items that have ended.
const ENDED: i32 = 0;

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.checks.has(Check::Barrier)
        || !report::applies(module, ctx)
        || ctx.target.max_work_group_size as usize > MOST
    {
        return Ok(Changed::No);
    }
    let mut changed = Changed::No;
    for index in 0..module.kernels.len() {
        let func = &mut module.functions[module.kernels[index].func];
        let places = places(func);
        if func.entry().is_none() || places.is_empty() || places.len() > MOST {
            continue;
        }
        let divergence = Divergence::new(func);
        if !places.iter().any(|&(_, block)| divergence.is_apart(block)) {
            continue;
        }
        let report = report::report(module, ctx);
        let id = module.kernels[index].func;
        let words = module.globals.push(words());
        let func = &mut module.functions[id];
        hoist_constants(func);
        let mut sites = Sites::new(&mut module.checks, Some(index));
        let mut meeting = Meeting::new(func, &places, &mut sites, report, words);
        let _ = expand(func, |x, inst| Ok(meeting.rule(x, inst)))?;
        demote(func)?;
        let _ = sroa::run(func, &ctx.of_functions(&module.globals))?;
        changed = Changed::Yes;
    }
    Ok(changed)
}

/// The barriers and work-group functions, each with its block.
fn places(func: &Function) -> Vec<(Inst, Block)> {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| {
        let insts = func.layout.insts[block].iter();
        insts.map(move |&inst| (inst, block))
    });
    let places = insts.filter(|&(inst, _)| {
        matches!(
            func.insts[inst].kind,
            InstKind::Barrier {
                execution: Scope::Workgroup,
                ..
            } | InstKind::Group {
                scope: Scope::Workgroup,
                ..
            }
        )
    });
    places.collect()
}

/// Two pairs of a minimum and a maximum.
fn words() -> GlobalData {
    GlobalData {
        name: format!("{OWN_PREFIX}barriers"),
        space: AddressSpace::Local,
        size: 16,
        align: 4,
        init: Vec::new(),
        relocations: Vec::new(),
        linkage: Linkage::Internal,
    }
}

/// The run on one kernel.
struct Meeting {
    report: FuncId,
    words: GlobalId,
    /// The first instruction of the kernel that is not the same everywhere.
    first: Option<Inst>,
    /// Numbers of places, from 1.
    numbers: FxHashMap<Inst, u32>,
    /// The block that follows each place.
    behind: Vec<Block>,
    /// The block with the switch, which takes the number of a place.
    choice: Block,
    /// The meeting, which takes it too.
    head: Block,
    /// True once the meeting is written.
    written: bool,
    /// The number of the first place's site.
    first_site: u32,
    /// 8 at odd meetings, else 0.
    parity: StackSlot,
    /// 1 if the last meeting had all work-items at one place.
    together: StackSlot,
    /// The barrier that stands for all, and a place of the source that it has.
    barrier: InstKind,
    place: SourceLoc,
}

impl Meeting {
    fn new(
        func: &mut Function,
        places: &[(Inst, Block)],
        sites: &mut Sites<'_>,
        report: FuncId,
        words: GlobalId,
    ) -> Self {
        let first_site = sites.next();
        let mut widest = Scope::Workgroup;
        let mut all_global = false;
        for &(inst, _) in places {
            let data = &func.insts[inst];
            let kind = match data.kind {
                InstKind::Barrier { memory, global, .. } => {
                    all_global |= global;
                    if matches!(memory, Scope::Device | Scope::CrossDevice) {
                        widest = Scope::Device;
                    }
                    CheckKind::Barrier
                }
                _ => CheckKind::Collective,
            };
            sites.add(CheckSite {
                kernel: None,
                kind,
                size: 0,
                align: 1,
                object: CheckedObject::Unknown,
                loc: data.loc,
            });
        }
        let word = StackSlotData::new(4, 4);
        let entry = func.layout.blocks[0];
        let numbers = places.iter().zip(1..).map(|(&(inst, _), n)| (inst, n));
        Self {
            report,
            words,
            first: (func.layout.insts[entry].iter().copied())
                .find(|&inst| !is_constant(&func.insts[inst].kind)),
            numbers: numbers.collect(),
            behind: places.iter().map(|_| func.make_block()).collect(),
            choice: func.make_block(),
            head: func.make_block(),
            written: false,
            first_site,
            parity: func.slots.push(word),
            together: func.slots.push(word),
            barrier: InstKind::Barrier {
                execution: Scope::Workgroup,
                memory: widest,
                order: MemoryOrder::AcqRel,
                global: all_global,
                local: true,
            },
            place: func.insts[places[0].0].loc,
        }
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) -> Option<Replacement> {
        if self.first == Some(inst) {
            own(x, |x| self.begin(x));
        }
        if matches!(x.func.insts[inst].kind, InstKind::Return { .. }) {
            let ended = x.func.i32(ENDED);
            let dest = self.meet(x, ended);
            x.emit(InstKind::Jump { dest }, &[]);
            return Some(Replacement::new());
        }
        let number = *self.numbers.get(&inst)?;
        let behind = self.behind[number as usize - 1];
        let place = x.func.i32(number as i32);
        let dest = self.meet(x, place);
        x.end_block(InstKind::Jump { dest }, behind);
        let data = x.func.insts[inst].clone();
        if data.results.is_empty() {
            return Some(Replacement::new());
        }
        let together = own(x, |x| {
            let together = load_slot(x, self.together, Type::I32);
            x.icmp_const(IntCond::Ne, together, 0)
        });
        let (good, bad, done) = (x.new_block(), x.new_block(), x.new_block());
        x.branch_bare(together, [good, bad], good);
        let types: Vec<Type> = data.results.iter().map(|&value| x.ty(value)).collect();
        let again = x.emit(data.kind, &types);
        let results: Vec<Value> = x.func.insts[again].results.to_vec();
        x.jump(done, &results, bad);
        let zeros: Vec<Value> = types.iter().map(|&ty| x.splat(ty, 0)).collect();
        x.jump(done, &zeros, done);
        let params = types.iter().map(|&ty| x.func.append_param(done, ty));
        Some(params.collect())
    }

    /// Prepares the first meeting, and writes the switch.
    fn begin(&self, x: &mut Expander<'_>) {
        let zero = x.func.i32(0);
        store_slot(x, self.parity, zero);
        store_slot(x, self.together, zero);
        let item = local_item(x);
        let first = x.icmp_const(IntCond::Eq, item, 0);
        x.when(first, |x| self.reset(x, zero));
        barrier(x);
        let number = self.behind.len() as u64 + 1;
        let start = x.func.i32(number as i32);
        x.jump(self.choice, &[start], self.choice);
        let place = x.func.append_param(self.choice, Type::I32);
        let body = x.new_block();
        let cases = self.behind.iter().zip(1..);
        let cases = cases.chain(std::iter::once((&body, number)));
        let ended = x.func.i32(ENDED);
        let choice = InstKind::Switch {
            value: place,
            default: BlockCall::new(self.head, &[ended]),
            cases: cases
                .map(|(&block, n)| (n, BlockCall::new(block, &[])))
                .collect(),
        };
        x.end_block(choice, body);
    }

    /// Makes a pair ready.
    fn reset(&self, x: &mut Expander<'_>, parity: Value) {
        for (at, number) in [(0, -1), (4, 0)] {
            let ptr = self.word(x, parity, at);
            let value = x.func.i32(number);
            store(x, ptr, 0, value);
        }
    }

    fn word(&self, x: &mut Expander<'_>, parity: Value, at: u64) -> Value {
        let ty = Type::ptr(AddressSpace::Local);
        let base = x.value(InstKind::GlobalAddr { global: self.words }, ty);
        let offset = x.convert(ConvertOp::ZExt, parity, Type::I64);
        let pair = add(x, base, offset);
        x.offset(pair, at)
    }

    /// Gives the branch to the meeting; at the first place writes the meeting, and gives the branch behind it.
    fn meet(&mut self, x: &mut Expander<'_>, place: Value) -> BlockCall {
        if std::mem::replace(&mut self.written, true) {
            return BlockCall::new(self.head, &[place]);
        }
        x.jump(self.head, &[place], self.head);
        let place = x.func.append_param(self.head, Type::I32);
        let (least, most) = own(x, |x| self.compare(x, place));
        own(x, |x| self.judge(x, place, (least, most)));
        let (end, go) = (x.new_block(), x.new_block());
        let none = x.icmp_const(IntCond::Ult, most, 1 << ITEM_BITS);
        x.branch_bare(none, [end, go], end);
        let values = smallvec![];
        x.end_block(InstKind::Return { values }, go);
        BlockCall::new(self.choice, &[place])
    }

    /// The least and the most of the group's numbers.
    fn compare(&self, x: &mut Expander<'_>, place: Value) -> (Value, Value) {
        let parity = load_slot(x, self.parity, Type::I32);
        let keys = self.keys(x, place);
        let ops = [AtomicOp::UMin, AtomicOp::UMax];
        for ((value, op), at) in keys.into_iter().zip(ops).zip([0, 4]) {
            let ptr = self.word(x, parity, at);
            x.value(changed_word(op, ptr, value, Scope::Workgroup), Type::I32);
        }
        barrier(x);
        let [least, most] = [0, 4].map(|at| {
            let ptr = self.word(x, parity, at);
            load(x, ptr, 0, Type::I32)
        });
        let next = x.bin_const(BinaryOp::Xor, parity, 8);
        store_slot(x, self.parity, next);
        let item = local_item(x);
        let first = x.icmp_const(IntCond::Eq, item, 0);
        x.when(first, |x| self.reset(x, next));
        x.loc = self.place;
        x.emit(self.barrier.clone(), &[]);
        x.loc = SourceLoc::default();
        (least, most)
    }

    /// The place above the work-item's number, which counts down for the maximum: of several at the place the first
    /// work-item is named.
    fn keys(&self, x: &mut Expander<'_>, place: Value) -> [Value; 2] {
        let item = local_item(x);
        let high = x.bin_const(BinaryOp::Shl, place, ITEM_BITS);
        let down = x.bin_const(BinaryOp::Xor, item, MOST as u64);
        [item, down].map(|low| x.bin(BinaryOp::Or, high, low))
    }

    /// Reports if the work-items are at different places.
    fn judge(&self, x: &mut Expander<'_>, place: Value, (least, most): (Value, Value)) {
        let [low, high] = [least, most].map(|key| x.bin_const(BinaryOp::LShr, key, ITEM_BITS));
        let same = x.icmp(IntCond::Eq, low, high);
        let together = x.convert(ConvertOp::ZExt, same, Type::I32);
        store_slot(x, self.together, together);
        let [_, key] = self.keys(x, place);
        let is_own = x.icmp(IntCond::Eq, key, most);
        let differ = x.icmp(IntCond::Ne, low, high);
        let tells = x.bin(BinaryOp::And, is_own, differ);
        x.when(tells, |x| {
            let memory = built_in(x, BuiltIn::CheckMemory);
            let before = i64::from(self.first_site) - 1;
            let site = x.bin_const(BinaryOp::IAdd, place, before as u64 & u64::from(u32::MAX));
            let code = x.func.i32(Code::Operation as i32);
            // The other's site counts from 1, since 0 says that it has ended.
            let other = x.bin_const(BinaryOp::IAdd, low, u64::from(self.first_site));
            let zero = x.func.i32(0);
            let ended = x.icmp_const(IntCond::Eq, low, 0);
            let other = x.select(ended, zero, other);
            let item = x.bin_const(BinaryOp::And, least, MOST as u64);
            let [other, item] = [other, item].map(|n| x.convert(ConvertOp::ZExt, n, Type::I64));
            let func = self.report;
            let args = smallvec![memory, site, code, other, item];
            x.emit(InstKind::Call { func, args }, &[]);
        });
    }
}
