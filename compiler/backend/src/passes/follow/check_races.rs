//! Accesses of one place by two work-items, one of them a write, with nothing to order the two, are reported.
//!
//! Memory has marks: which work-item wrote a place last, which one read it last, and what was written
//! (`race_contents.rs`). A mark is the number of the work-item below the number of barriers that its group has passed.
//! Marks cover parts of 1, 2 or 4 bytes, as small as the writes are, and in global memory of 8 or 16 where no access is
//! smaller. Those of local memory are local memory (`race_local.rs`), those of global memory lie in the memory of the
//! launch's checks (`race_global.rs`). A writer changes its mark and looks at the reader's, a reader the other way
//! round, so that of two that come together one sees the other. Atomic and volatile accesses are left out. Work-items that write one
//! value are no race. Kernels that order accesses by other means than barriers are left as they are.
//!
//! The pass stands behind the tests of accesses: without those a work-item that leaves its object reaches other marks,
//! so that an access of local memory is looked at only inside of them.

use super::race_contents::parts_of;
use super::race_functions::RaceFunctions;
use super::race_gathered::Told;
use super::race_global::GlobalRaces;
use super::race_local::{self, LOCAL_ITEM_BITS};
use super::race_plan::{LOCAL_MARK_BYTES, LocalMarks, Plain, Plan, accesses, orders_itself};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::check::code::{
    add, built_in, first_of, has_places, load_slot, local_item, own, store_slot, zero_local,
};
use crate::passes::check::gathered::Groups;
use crate::passes::check::offsets::Offsets;
use crate::passes::check::report::{self, Sites, call_report_of};
use crate::passes::check::roots::{Root, Roots};
use crate::passes::lower::work_groups::barrier;
use crate::passes::optimize::sroa;
use cranelift_entity::PrimaryMap;
use pumice_check::layout::Code;
use pumice_ir::{
    AddressSpace, BinaryOp, BuiltIn, CheckKind, CheckSite, CheckedObject, ConvertOp, FuncId,
    GlobalData, GlobalId, Inst, InstKind, IntCond, LowerError, Module, Scope, SourceLoc, StackSlot,
    StackSlotData, Type, Value,
};
use pumice_target::Check;

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.checks.has(Check::Race) || !report::applies(module, ctx) {
        return Ok(Changed::No);
    }
    let report = report::report(module, ctx);
    let functions = RaceFunctions::of(module);
    for (index, kernel) in module.kernels.iter().enumerate() {
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
        let word = StackSlotData::new(4, 4);
        let mut pass = Races {
            report,
            functions,
            located: has_places(func),
            globals: &module.globals,
            sites: Sites::new(&mut module.checks, Some(index)),
            local: [(); 2].map(|()| func.slots.push(word)),
            global_slots: [(); 2].map(|()| func.slots.push(word)),
            plan,
            roots,
            offsets,
            global: None,
            groups: Groups::of(func, report, true),
            waiting: Vec::new(),
        };
        let _ = expand(func, |x, inst| {
            if x.at_entry {
                own(x, |x| pass.begin(x));
            }
            pass.rule(x, inst);
            Ok(None::<Replacement>)
        })?;
        let _ = sroa::run(func, &ctx.of_functions(&module.globals))?;
    }
    report::mark_checked(module);
    Ok(Changed::Yes)
}

/// The run on one kernel.
struct Races<'a> {
    report: FuncId,
    functions: RaceFunctions,
    /// Accesses without a place are not the program's.
    located: bool,
    globals: &'a PrimaryMap<GlobalId, GlobalData>,
    sites: Sites<'a>,
    /// The number of barriers that the work-item has passed, from 1 on, and that at the last one for local memory.
    local: [StackSlot; 2],
    /// Its mark in global memory, and the number of barriers in it at the last one for global memory.
    global_slots: [StackSlot; 2],
    plan: Plan,
    roots: Roots,
    offsets: Offsets,
    global: Option<GlobalRaces>,
    groups: Groups,
    /// The accesses that are looked at behind the block that they are in.
    waiting: Vec<Waiting>,
}

/// An access through an argument that was made under a condition.
struct Waiting {
    condition: Value,
    loc: SourceLoc,
    ordinal: u32,
    access: Plain,
}

impl Races<'_> {
    fn begin(&mut self, x: &mut Expander<'_>) {
        let one = x.func.i32(1);
        for slot in self.local {
            store_slot(x, slot, one);
        }
        let mut marks: Vec<LocalMarks> = self.plan.local.values().copied().collect();
        marks.sort_unstable_by_key(|marks| marks.global);
        if !self.plan.written.is_empty() {
            let (functions, slots) = (self.functions, self.global_slots);
            self.global = Some(GlobalRaces::begin(x, functions, slots, &self.plan));
        }
        for one in &marks {
            zero_local(x, one.global, self.globals[one.global].size);
        }
        if !marks.is_empty() {
            barrier(x);
        }
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) {
        self.look_before(x, inst);
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
                let condition = self.groups.condition(inst);
                for access in accesses(x.func, inst) {
                    self.look(x, access, condition);
                }
            }
        }
    }

    /// Counts a barrier for local memory, for global memory, for both or for none.
    fn count(&self, x: &mut Expander<'_>, local: bool, global: bool) {
        let [passed, fenced] = self.local;
        let before = load_slot(x, passed, Type::I32);
        let more = x.bin_const(BinaryOp::IAdd, before, 1);
        store_slot(x, passed, more);
        if local {
            store_slot(x, fenced, more);
        }
        if let Some(marks) = &self.global {
            marks.count(x, global);
        }
    }

    fn look(&mut self, x: &mut Expander<'_>, access: Plain, condition: Option<Value>) {
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
                let gathers = self.global.as_ref().is_some_and(GlobalRaces::gathers);
                match condition.filter(|_| gathers) {
                    None => self.look_global(x, ordinal, access, None),
                    Some(condition) => self.waiting.push(Waiting {
                        condition,
                        loc: x.loc,
                        ordinal,
                        access,
                    }),
                }
            }
            _ => {}
        }
    }

    /// The number of an access's place; `part` is what one race mark covers.
    fn site(&mut self, x: &Expander<'_>, root: Root, access: Plain, part: u64) -> u32 {
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
            kernel: None,
            kind,
            size: access.bytes as u32,
            align: part as u32,
            object,
            loc: x.loc,
        })
    }

    /// Reports another work-item's access of the place, if there was one. `at` is the offset in the object, or the address of
    /// global memory.
    fn tell(&self, x: &mut Expander<'_>, site: u32, found: Value, at: Value, bytes: u64) {
        let any = x.icmp_const(IntCond::Ne, found, 0);
        let told = Told {
            site: x.func.i32(site as i32),
            address: at,
            bytes: x.func.i64(bytes as i64),
        };
        x.when(any, |x| tell(x, self.report, found, told));
    }

    fn look_global(
        &mut self,
        x: &mut Expander<'_>,
        ordinal: u32,
        access: Plain,
        condition: Option<Value>,
    ) {
        let Some(part) = self.global.as_ref().map(GlobalRaces::part) else {
            return;
        };
        let site = self.site(x, Root::Argument(ordinal), access, part);
        let report = self.report;
        if let Some(global) = &mut self.global {
            global.look(x, (ordinal, site), access, condition, |x, found, told| {
                tell(x, report, found, told);
            });
        }
    }

    /// Looks at what waits for an instruction: accesses for the end of their block, the marks of a group for its end.
    fn look_before(&mut self, x: &mut Expander<'_>, inst: Inst) {
        if !self.groups.is_inside(x.func, inst) {
            for waiting in std::mem::take(&mut self.waiting) {
                let loc = std::mem::replace(&mut x.loc, waiting.loc);
                self.look_global(x, waiting.ordinal, waiting.access, Some(waiting.condition));
                x.loc = loc;
            }
        }
        let ends = self.groups.end_before(x.func, inst);
        let (global, report) = (&mut self.global, self.report);
        if let Some(global) = global.as_mut().filter(|_| ends) {
            own(x, |x| {
                global.look_at_gathered(x, |x, found, told| tell(x, report, found, told));
            });
        }
    }

    fn look_local(&mut self, x: &mut Expander<'_>, root: Root, access: Plain, marks: LocalMarks) {
        let site = self.site(x, root, access, marks.part);
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
        let [count, fenced] = self.local.map(|slot| load_slot(x, slot, Type::I32));
        let high = x.bin_const(BinaryOp::Shl, count, LOCAL_ITEM_BITS);
        let fenced = x.bin_const(BinaryOp::Shl, fenced, LOCAL_ITEM_BITS);
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
                false => race_local::read(x, place, (mark, fenced)),
                true => {
                    let value = values.as_ref().map(|values| values[part as usize]);
                    race_local::write(x, place, (mark, fenced), value)
                }
            };
            found = first_of(x, clash, found);
        }
        // The count has no more bits: marks of long ago look like those of now.
        let counts = x.icmp_const(IntCond::Ult, count, 1 << (32 - LOCAL_ITEM_BITS));
        let none = x.func.i32(0);
        let found = x.select(counts, found, none);
        self.tell(x, site, found, at, access.bytes);
    }
}

/// Reports another work-item's access of a place.
fn tell(x: &mut Expander<'_>, report: FuncId, found: Value, told: Told) {
    let memory = built_in(x, BuiltIn::CheckMemory);
    let code = x.func.i32(Code::Operation as i32);
    let other = x.convert(ConvertOp::ZExt, found, Type::I64);
    let place = x.bin_const(BinaryOp::Shl, told.address, 32);
    let value = x.bin(BinaryOp::Or, place, other);
    call_report_of(x, report, memory, [told.site, code], [value, told.bytes]);
}
