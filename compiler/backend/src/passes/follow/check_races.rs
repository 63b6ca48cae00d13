//! Accesses of one place by two work-items, one of them a write, with nothing to order the two, are reported.
//!
//! Memory has marks: which work-item wrote a place last, which one read it last, and what was written. A mark is the
//! number of the work-item below the number of barriers that its group has passed. The marks of local memory are local
//! memory and cover parts of 1, 2 or 4 bytes, as small as the object's accesses; those of global memory lie in the memory of
//! the launch's checks and cover 4 bytes. Atomic and volatile accesses are left out. Work-items that write one value are no
//! race. Kernels that order accesses by other means than barriers are left as they are.
//!
//! The pass stands behind the tests of accesses: without those a work-item that leaves its object reaches other marks,
//! so that an access of local memory is looked at only inside of them.

use super::race_functions::{self, HAS_READ};
use super::race_plan::{LOCAL_MARK_BYTES, LocalMarks, Plain, Plan, accesses, orders_itself};
use crate::expand::{Expander, Replacement, expand, int_like};
use crate::pass::{Changed, Ctx, FunctionCtx};
use crate::passes::check::code::{
    add, built_in, has_places, load, load_slot, local_item, own, store_slot, zero_local,
};
use crate::passes::check::offsets::Offsets;
use crate::passes::check::report::{self, Sites, call_report};
use crate::passes::check::roots::{Root, Roots};
use crate::passes::lower::lower_collectives::barrier;
use crate::passes::optimize::sroa;
use cranelift_entity::PrimaryMap;
use pumice_check::layout::{
    ARGUMENT_BEFORE, ARGUMENT_BYTES, ARGUMENT_MARKS, ARGUMENT_MEMORY, ARGUMENTS, Code,
    ITEM_BITS_AT, LOCAL_MANY, MARK_BYTES,
};
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BuiltIn, CheckKind, CheckSite, CheckedObject, ConvertOp,
    FuncId, GlobalData, GlobalId, Inst, InstKind, IntCond, LowerError, MemoryOrder, Module, Scalar,
    Scope, StackSlot, StackSlotData, Type, Value,
};
use pumice_target::Check;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Bits of a work-item's number in the marks of local memory.
const LOCAL_ITEM_BITS: u64 = 16;

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.checks.has(Check::Race) || !report::applies(module, ctx) {
        return Ok(Changed::No);
    }
    let functions = Functions {
        report: report::report(module, ctx),
        read: race_functions::read(module),
        write: race_functions::write(module),
    };
    for kernel in &module.kernels {
        let func = &mut module.functions[kernel.func];
        if func.entry().is_none() || orders_itself(func) {
            continue;
        }
        let roots = Roots::new(func, kernel);
        let plan = Plan::new(func, &roots, &mut module.globals, ctx.target);
        if plan.is_empty() {
            continue;
        }
        let offsets = Offsets::new(func, &roots);
        let word = StackSlotData { size: 4, align: 4 };
        let mut pass = Races {
            functions,
            located: has_places(func),
            globals: &module.globals,
            sites: Sites(&mut module.checks),
            local_count: func.slots.push(word),
            global_count: func.slots.push(word),
            plan,
            roots,
            offsets,
            launch: None,
            arguments: FxHashMap::default(),
        };
        let mut first = true;
        let _ = expand(func, |x, inst| {
            if std::mem::take(&mut first) {
                own(x, |x| pass.begin(x));
            }
            pass.rule(x, inst);
            Ok(None::<Replacement>)
        })?;
        let ctx = FunctionCtx {
            target: ctx.target,
            options: ctx.options,
            globals: &module.globals,
        };
        let _ = sroa::run(func, &ctx);
    }
    report::mark_checked(module);
    Ok(Changed::Yes)
}

/// The functions that kernels call.
#[derive(Clone, Copy)]
struct Functions {
    report: FuncId,
    read: FuncId,
    write: FuncId,
}

/// Facts about the launch that global memory's marks need.
#[derive(Clone, Copy)]
struct LaunchValues {
    memory: Value,
    bits: Value,
    /// The number of the group's first work-item, and of this one.
    first: Value,
    item: Value,
    /// Work-items of a group.
    size: Value,
}

/// An argument that points to global memory.
#[derive(Clone, Copy)]
struct ArgumentValues {
    before: Value,
    /// The first mark; 0 if there are none.
    marks: Value,
}

/// The run on one kernel.
struct Races<'a> {
    functions: Functions,
    /// Accesses without a place are not the program's.
    located: bool,
    globals: &'a PrimaryMap<GlobalId, GlobalData>,
    sites: Sites<'a>,
    /// The numbers of barriers for local and for global memory that the work-item has passed, from 1 on.
    local_count: StackSlot,
    global_count: StackSlot,
    plan: Plan,
    roots: Roots,
    offsets: Offsets,
    launch: Option<LaunchValues>,
    arguments: FxHashMap<u32, ArgumentValues>,
}

impl Races<'_> {
    fn begin(&mut self, x: &mut Expander<'_>) {
        let one = x.func.i32(1);
        store_slot(x, self.local_count, one);
        store_slot(x, self.global_count, one);
        let mut marks: Vec<LocalMarks> = self.plan.local.values().copied().collect();
        marks.sort_unstable_by_key(|marks| marks.global);
        if !self.plan.written.is_empty() {
            self.begin_global(x);
        }
        for one in &marks {
            zero_local(x, one.global, self.globals[one.global].size);
        }
        if !marks.is_empty() {
            barrier(x);
        }
    }

    fn begin_global(&mut self, x: &mut Expander<'_>) {
        let memory = built_in(x, BuiltIn::CheckMemory);
        let bits = load(x, memory, ITEM_BITS_AT, Type::I32);
        let [size, group, groups] = [
            BuiltIn::EnqueuedLocalSize,
            BuiltIn::GroupId,
            BuiltIn::NumGroups,
        ]
        .map(|which| {
            let vector = built_in(x, which);
            [0, 1, 2].map(|lane| {
                let lane = x.lane(vector, lane);
                x.convert(ConvertOp::Trunc, lane, Type::I32)
            })
        });
        let all = x.bin(BinaryOp::IMul, size[0], size[1]);
        let all = x.bin(BinaryOp::IMul, all, size[2]);
        let number = x.bin(BinaryOp::IMul, group[2], groups[1]);
        let number = x.bin(BinaryOp::IAdd, number, group[1]);
        let number = x.bin(BinaryOp::IMul, number, groups[0]);
        let number = x.bin(BinaryOp::IAdd, number, group[0]);
        let first = x.bin(BinaryOp::IMul, number, all);
        let inside = local_item(x);
        let item = x.bin(BinaryOp::IAdd, first, inside);
        self.launch = Some(LaunchValues {
            memory,
            bits,
            first,
            item,
            size: all,
        });
        let mut ordinals = [&self.plan.read[..], &self.plan.written[..]].concat();
        ordinals.sort_unstable();
        ordinals.dedup();
        let mut parts: FxHashMap<u32, Value> = FxHashMap::default();
        for &ordinal in &ordinals {
            let at = ARGUMENTS + u64::from(ordinal) * ARGUMENT_BYTES;
            let [before, marks, part] = [ARGUMENT_BEFORE, ARGUMENT_MARKS, ARGUMENT_MEMORY]
                .map(|field| load(x, memory, at + field, Type::I64));
            parts.insert(ordinal, part);
            let values = ArgumentValues { before, marks };
            self.arguments.insert(ordinal, values);
        }
        // What nobody writes needs no look.
        for ordinal in ordinals {
            if self.plan.written.contains(&ordinal) {
                continue;
            }
            let mut any = x.splat(Type::BOOL, 0);
            for other in &self.plan.written {
                let same = x.icmp(IntCond::Eq, parts[&ordinal], parts[other]);
                any = x.bin(BinaryOp::Or, any, same);
            }
            let none = x.func.i64(0);
            if let Some(values) = self.arguments.get_mut(&ordinal) {
                values.marks = x.select(any, values.marks, none);
            }
        }
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) {
        if self.located && x.loc.line == 0 {
            return;
        }
        match x.func.insts[inst].kind {
            InstKind::Barrier {
                execution: Scope::Workgroup,
                global,
                local,
                ..
            } => self.count(x, local, global),
            InstKind::Group {
                scope: Scope::Workgroup,
                ..
            } => self.count(x, true, true),
            _ => {
                for access in accesses(x.func, inst) {
                    self.look(x, access);
                }
            }
        }
    }

    fn count(&self, x: &mut Expander<'_>, local: bool, global: bool) {
        for (slot, counts) in [(self.local_count, local), (self.global_count, global)] {
            if counts {
                let before = load_slot(x, slot, Type::I32);
                let more = x.bin_const(BinaryOp::IAdd, before, 1);
                store_slot(x, slot, more);
            }
        }
    }

    fn look(&mut self, x: &mut Expander<'_>, access: Plain) {
        let Some(root) = self.roots.of(access.ptr) else {
            return;
        };
        let space = x.ty(access.ptr).address_space();
        match root {
            _ if self.plan.local.contains_key(&root) => {
                let marks = self.plan.local[&root];
                self.look_local(x, root, access, marks);
            }
            Root::Argument(ordinal) if space == Some(AddressSpace::Global) => {
                self.look_global(x, ordinal, access);
            }
            _ => {}
        }
    }

    fn site(&mut self, x: &Expander<'_>, root: Root, access: Plain) -> u32 {
        let object = match root {
            Root::Argument(ordinal) => CheckedObject::Argument(ordinal),
            Root::Variable(global) => CheckedObject::Variable {
                name: self.globals[global].name.clone(),
                size: self.globals[global].size,
            },
            Root::Private(_) => CheckedObject::Unknown,
        };
        let kind = match access.writes {
            true => CheckKind::WriteRace,
            false => CheckKind::ReadRace,
        };
        self.sites.add(CheckSite {
            kind,
            size: access.bytes as u32,
            align: 1,
            object,
            loc: x.loc,
        })
    }

    /// Reports another work-item's access of the place, if there was one.
    fn tell(&self, x: &mut Expander<'_>, site: u32, found: Value, at: Value, bytes: u64) {
        let any = x.icmp_const(IntCond::Ne, found, 0);
        let report = self.functions.report;
        x.when(any, |x| {
            let memory = built_in(x, BuiltIn::CheckMemory);
            let code = x.func.i32(Code::Operation as i32);
            let other = x.convert(ConvertOp::ZExt, found, Type::I64);
            let place = x.bin_const(BinaryOp::Shl, at, 32);
            let value = x.bin(BinaryOp::Or, place, other);
            let size = x.func.i64(bytes as i64);
            call_report(x, report, memory, (site, code), [value, size]);
        });
    }

    fn look_global(&mut self, x: &mut Expander<'_>, ordinal: u32, access: Plain) {
        let (Some(launch), Some(&argument)) = (self.launch, self.arguments.get(&ordinal)) else {
            return;
        };
        if access.part != 4 {
            return;
        }
        let site = self.site(x, Root::Argument(ordinal), access);
        let looks = x.icmp_const(IntCond::Ne, argument.marks, 0);
        x.when(looks, |x| {
            let offset = self.offsets.of(access.ptr);
            let at = x.bin(BinaryOp::IAdd, offset, argument.before);
            let word = x.bin_const(BinaryOp::LShr, at, 2);
            let place = x.bin_const(BinaryOp::IMul, word, MARK_BYTES);
            let place = x.bin(BinaryOp::IAdd, argument.marks, place);
            let marks = add(x, launch.memory, place);
            let mark = self.global_mark(x, launch);
            let own = [mark, launch.first, launch.size, launch.bits];
            let found = self.global_clash(x, access, marks, own);
            self.tell(x, site, found, at, access.bytes);
        });
    }

    /// The work-item's mark in global memory.
    fn global_mark(&self, x: &mut Expander<'_>, launch: LaunchValues) -> Value {
        let count = load_slot(x, self.global_count, Type::I32);
        let ones = x.func.i32(-1);
        let most = x.bin(BinaryOp::LShr, ones, launch.bits);
        let fits = x.icmp(IntCond::Ult, count, most);
        let count = x.select(fits, count, most);
        let high = x.bin(BinaryOp::Shl, count, launch.bits);
        x.bin(BinaryOp::Or, high, launch.item)
    }

    fn global_clash(
        &self,
        x: &mut Expander<'_>,
        access: Plain,
        marks: Value,
        [mark, first, size, bits]: [Value; 4],
    ) -> Value {
        let words = access.bytes / 4;
        if !access.writes {
            let words = x.func.i32(words as i32);
            let (func, args) = (
                self.functions.read,
                smallvec![marks, mark, first, size, bits, words],
            );
            return x.value(InstKind::Call { func, args }, Type::I32);
        }
        let values = access.value.and_then(|value| parts_of(x, value, 4));
        let compare = x.splat(Type::BOOL, u64::from(values.is_some()));
        let mut found = x.func.i32(0);
        for word in 0..words {
            let value = values.as_ref().map(|values| values[word as usize]);
            let value = value.unwrap_or_else(|| x.func.i32(0));
            let place = x.offset(marks, word * MARK_BYTES);
            let (func, args) = (
                self.functions.write,
                smallvec![place, mark, first, size, bits, value, compare],
            );
            let clash = x.value(InstKind::Call { func, args }, Type::I32);
            found = either(x, clash, found);
        }
        found
    }

    fn look_local(&mut self, x: &mut Expander<'_>, root: Root, access: Plain, marks: LocalMarks) {
        let site = self.site(x, root, access);
        let at = self.offsets.of(access.ptr);
        let first = x.bin_const(BinaryOp::LShr, at, marks.part.trailing_zeros().into());
        let parts = access.bytes / marks.part;
        let limit = (marks.parts + 1).saturating_sub(parts);
        if marks.whole && (x.func.const_bits(first)).is_some_and(|first| first < limit) {
            self.look_inside(x, site, access, (marks, first, at));
            return;
        }
        let inside = x.icmp_const(IntCond::Ult, first, limit);
        x.when(inside, |x| {
            self.look_inside(x, site, access, (marks, first, at))
        });
    }

    fn look_inside(
        &self,
        x: &mut Expander<'_>,
        site: u32,
        access: Plain,
        (marks, first, at): (LocalMarks, Value, Value),
    ) {
        let count = load_slot(x, self.local_count, Type::I32);
        let high = x.bin_const(BinaryOp::Shl, count, LOCAL_ITEM_BITS);
        let item = local_item(x);
        let mark = x.bin(BinaryOp::Or, high, item);
        let ty = Type::ptr(AddressSpace::Local);
        let global = marks.global;
        let base = x.value(InstKind::GlobalAddr { global }, ty);
        let offset = x.bin_const(BinaryOp::IMul, first, LOCAL_MARK_BYTES);
        let base = add(x, base, offset);
        let parts = access.bytes / marks.part;
        let values = access
            .value
            .and_then(|value| parts_of(x, value, marks.part));
        let mut found = x.func.i32(0);
        for part in 0..parts {
            let place = x.offset(base, part * LOCAL_MARK_BYTES);
            let clash = match access.writes {
                false => local_read(x, place, mark),
                true => {
                    let value = values.as_ref().map(|values| values[part as usize]);
                    local_write(x, place, mark, value)
                }
            };
            found = either(x, clash, found);
        }
        // The count has no more bits: marks of long ago look like those of now.
        let counts = x.icmp_const(IntCond::Ult, count, 1 << (32 - LOCAL_ITEM_BITS));
        let none = x.func.i32(0);
        let found = x.select(counts, found, none);
        self.tell(x, site, found, at, access.bytes);
    }
}

/// `a` if it is not 0, else `b`.
fn either(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    let is_one = x.icmp_const(IntCond::Ne, a, 0);
    x.select(is_one, a, b)
}

/// Returns whether a mark is another work-item's since the last barrier.
fn clashes(x: &mut Expander<'_>, other: Value, mark: Value) -> Value {
    let differ = x.bin(BinaryOp::Xor, other, mark);
    let less = x.bin_const(BinaryOp::ISub, differ, 1);
    x.icmp_const(IntCond::Ult, less, (1 << LOCAL_ITEM_BITS) - 1)
}

/// The number in a mark from 1 on.
fn name(x: &mut Expander<'_>, mark: Value) -> Value {
    let item = x.bin_const(BinaryOp::And, mark, (1 << LOCAL_ITEM_BITS) - 1);
    x.bin_const(BinaryOp::IAdd, item, 1)
}

/// Marks a read; gives the number of the work-item that it clashes with, or 0.
fn local_read(x: &mut Expander<'_>, place: Value, mark: Value) -> Value {
    let writer = atomic_load(x, place);
    let wrote = clashes(x, writer, mark);
    let number = name(x, writer);
    let none = x.func.i32(0);
    let found = x.select(wrote, number, none);
    let reader = x.offset(place, 4);
    let many = x.bin_const(BinaryOp::Or, mark, LOCAL_MANY);
    let old = atomic_load(x, reader);
    let [is_new, is_one] = [mark, many].map(|mark| x.icmp(IntCond::Ne, old, mark));
    let tells = x.bin(BinaryOp::And, is_new, is_one);
    x.when(tells, |x| {
        let old = exchange(x, reader, mark);
        let several = clashes(x, old, mark);
        x.when(several, |x| {
            exchange(x, reader, many);
        });
    });
    found
}

/// Marks a write; gives the number of the work-item that it clashes with, or 0.
fn local_write(x: &mut Expander<'_>, place: Value, mark: Value, value: Option<Value>) -> Value {
    let contents = x.offset(place, 8);
    // In this order: who finds another's mark finds that one's value too.
    let equal = value.map(|value| {
        let before = exchange(x, contents, value);
        x.icmp(IntCond::Eq, before, value)
    });
    let writer = exchange(x, place, mark);
    let mut wrote = clashes(x, writer, mark);
    if let Some(equal) = equal {
        let no = x.splat(Type::BOOL, 0);
        wrote = x.select(equal, no, wrote);
    }
    let reader = x.offset(place, 4);
    let reader = atomic_load(x, reader);
    let read = clashes(x, reader, mark);
    let none = x.func.i32(0);
    let number = name(x, reader);
    let number = x.bin_const(BinaryOp::Or, number, HAS_READ);
    let found = x.select(read, number, none);
    let number = name(x, writer);
    x.select(wrote, number, found)
}

/// A value as words of so many bytes each; `None` for pointers.
fn parts_of(x: &mut Expander<'_>, value: Value, part: u64) -> Option<Vec<Value>> {
    let ty = x.ty(value);
    if ty.scalar.is_ptr() || ty.scalar == Scalar::Bool {
        return None;
    }
    let bits = x.convert(ConvertOp::Bitcast, value, int_like(ty));
    let per_lane = u64::from(ty.scalar.bytes()) / part;
    let small = Type::scalar(Scalar::int_of_bits(part as u32 * 8)?);
    let mut parts = Vec::new();
    for lane in 0..ty.lanes {
        let lane = x.lane(bits, lane);
        for index in 0..per_lane {
            let moved = match index {
                0 => lane,
                _ => x.bin_const(BinaryOp::LShr, lane, index * part * 8),
            };
            let low = x.convert(ConvertOp::Trunc, moved, small);
            parts.push(x.convert(ConvertOp::ZExt, low, Type::I32));
        }
    }
    Some(parts)
}

fn atomic_load(x: &mut Expander<'_>, ptr: Value) -> Value {
    let (order, scope) = (MemoryOrder::Relaxed, Scope::Workgroup);
    x.value(InstKind::AtomicLoad { ptr, order, scope }, Type::I32)
}

fn exchange(x: &mut Expander<'_>, ptr: Value, value: Value) -> Value {
    let (op, order, scope) = (AtomicOp::Xchg, MemoryOrder::Relaxed, Scope::Workgroup);
    let rmw = InstKind::AtomicRmw {
        op,
        ptr,
        value,
        order,
        scope,
    };
    x.value(rmw, Type::I32)
}
