//! The functions that tested places call: one that writes a report, and those that look an address up.
//!
//! Both take the memory of the launch's checks as their first parameter.

use super::writer::Writer;
use crate::expand::Expander;
use crate::pass::Ctx;
use pumice_check::layout::{
    self, ALLOCATION_BYTES, ALLOCATION_END, ALLOCATION_SHADOW, MOST_OF_PLACE, MOST_RECORDS,
    RECORD_BYTES, RECORD_CODE, RECORD_GLOBAL_ID, RECORD_LOCAL_ID, RECORD_SITE, RECORD_SIZE,
    RECORD_VALUE, RECORDS,
};
use pumice_ir::{
    AddressSpace, BinaryOp, Block, BlockCall, BuiltIn, CheckSite, ConvertOp, FuncId, Function,
    InstKind, IntCond, LowerError, Module, Type, Value,
};
use pumice_target::Check;
use smallvec::{SmallVec, smallvec};

const REPORT: &str = "__pumice_check_report";
const FIND: &str = "__pumice_check_find";
const SHADOW: &str = "__pumice_check_shadow";
const SLICES: &str = "__pumice_check_slices";
const SPEND: &str = "__pumice_check_spend";

/// Begins the names of functions and variables that checks add to a module.
pub(crate) const OWN_PREFIX: &str = "__pumice_check_";

/// Returns whether a function is one of these, which stay calls.
pub(crate) fn is_helper(func: &Function) -> bool {
    func.name.starts_with(OWN_PREFIX)
}

/// Returns whether kernels of a module can have checks.
pub(crate) fn applies(module: &Module, ctx: &Ctx<'_>) -> bool {
    let enqueues = |kernel: &pumice_ir::KernelInfo| kernel.enqueue.is_some();
    ctx.target.abi.descriptors().is_none()
        && !module.kernels.is_empty()
        && !module.kernels.iter().any(enqueues)
}

/// Fails where robust mode is asked for and cannot keep what it promises.
///
/// # Errors
/// The reason, for the build log.
pub(crate) fn refuse_unprotected(module: &Module, ctx: &Ctx<'_>) -> Result<(), LowerError> {
    if !ctx.target.checks.robust() || module.kernels.is_empty() {
        return Ok(());
    }
    // Nobody reads what they report.
    let runs_unseen = |kernel: &pumice_ir::KernelInfo| kernel.initializer || kernel.finalizer;
    let why = if ctx.target.abi.descriptors().is_some() {
        "robust mode needs a device with addresses"
    } else if module.kernels.iter().any(runs_unseen) {
        "robust mode does not protect initializers and finalizers"
    } else if !applies(module, ctx) {
        "robust mode does not protect kernels that enqueue kernels"
    } else {
        return Ok(());
    };
    Err(LowerError::new(why))
}

/// Tells which kernels have memory for their checks.
pub(crate) fn mark_checked(module: &mut Module) {
    for kernel in &mut module.kernels {
        let func = &module.functions[kernel.func];
        kernel.checked = func.built_ins().any(|which| which == BuiltIn::CheckMemory);
    }
}

/// The function of a name, made at its first use.
pub(crate) fn helper(module: &mut Module, name: &str, make: impl FnOnce() -> Function) -> FuncId {
    let mut all = module.functions.iter();
    let found = all.find(|(_, func)| func.name == name).map(|(id, _)| id);
    found.unwrap_or_else(|| module.functions.push(make()))
}

/// `report(memory, place, code, value, size)`. The first report ends the launch where that is asked for.
pub(crate) fn report(module: &mut Module, ctx: &Ctx<'_>) -> FuncId {
    let stops = ctx.target.checks.has(Check::Stop);
    helper(module, REPORT, || make_report(stops))
}

/// `find(memory, address, size)`: true if an allocation has these bytes.
pub(crate) fn find(module: &mut Module) -> FuncId {
    helper(module, FIND, make_find)
}

/// `shadow(memory, address)`: what is added to the address to get that of its shadow; NULL if it has none.
pub(crate) fn shadow(module: &mut Module) -> FuncId {
    helper(module, SHADOW, make_shadow)
}

/// `slices(memory)`: how many slices of rounds the loops of a work-item may go.
pub(crate) fn slices(module: &mut Module) -> FuncId {
    helper(module, SLICES, make_slices)
}

/// `spend(memory, slices)`: one slice less, or -1 if none is left here or elsewhere in the launch.
pub(crate) fn spend(module: &mut Module) -> FuncId {
    helper(module, SPEND, make_spend)
}

/// The tested places of a module, while passes add some.
pub(crate) struct Sites<'a> {
    all: &'a mut Vec<CheckSite>,
    kernel: Option<u32>,
}

impl<'a> Sites<'a> {
    /// Places of a kernel, by its number, or of functions of several.
    pub fn new(all: &'a mut Vec<CheckSite>, kernel: Option<usize>) -> Self {
        let kernel = kernel.map(|kernel| kernel as u32);
        Self { all, kernel }
    }

    /// The number of a new place.
    pub fn add(&mut self, site: CheckSite) -> u32 {
        let kernel = self.kernel;
        self.all.push(CheckSite { kernel, ..site });
        self.all.len() as u32 - 1
    }

    /// The number that the next place gets.
    pub fn next(&self) -> u32 {
        self.all.len() as u32
    }
}

/// Calls the report function.
pub(crate) fn call_report(
    x: &mut Expander<'_>,
    function: FuncId,
    memory: Value,
    (site, code): (u32, Value),
    [value, size]: [Value; 2],
) {
    let site = x.splat(Type::I32, u64::from(site));
    call_report_of(x, function, memory, [site, code], [value, size]);
}

/// Calls the report function for a place whose number is known when the kernel runs.
pub(crate) fn call_report_of(
    x: &mut Expander<'_>,
    func: FuncId,
    memory: Value,
    [site, code]: [Value; 2],
    [value, size]: [Value; 2],
) {
    let args: SmallVec<[Value; 4]> = smallvec![memory, site, code, value, size];
    x.emit(InstKind::Call { func, args }, &[]);
}

fn make_report(stops: bool) -> Function {
    let global = Type::ptr(AddressSpace::Global);
    let params = [global, Type::I32, Type::I32, Type::I64, Type::I64];
    let (mut w, values) = Writer::new(REPORT, &params, &[]);
    let [memory, site, code, value, size] = values[..] else {
        unreachable!("as many values as types");
    };
    let [counted, write, done] = [(); 3].map(|()| w.func.append_block());
    // Count the failure; a place that failed often says no more.
    let counters = w.load(memory, layout::COUNTERS_AT, Type::I32);
    let counters = w.convert(ConvertOp::ZExt, counters, Type::I64);
    let number = w.convert(ConvertOp::ZExt, site, Type::I64);
    let number = w.bin_const(BinaryOp::Shl, number, 2);
    let at = w.bin(BinaryOp::IAdd, counters, number);
    let counter = w.add(memory, at);
    let before = w.count(counter);
    if stops {
        let one = w.func.i32(1);
        w.atomic_store(memory, layout::STOPPED_AT, one);
    }
    let most = w.func.i32(MOST_OF_PLACE as i32);
    let first = w.icmp(IntCond::Ult, before, most);
    w.branch(first, counted, BlockCall::new(done, &[]));
    let index = w.count(memory);
    let most = w.func.i32(if stops { 1 } else { MOST_RECORDS as i32 });
    let fits = w.icmp(IntCond::Ult, index, most);
    w.branch(fits, write, BlockCall::new(done, &[]));
    let index = w.convert(ConvertOp::ZExt, index, Type::I64);
    let at = w.bin_const(BinaryOp::IMul, index, RECORD_BYTES);
    let at = w.bin_const(BinaryOp::IAdd, at, RECORDS);
    let record = w.add(memory, at);
    w.store(record, RECORD_SITE, site);
    w.store(record, RECORD_CODE, code);
    w.store(record, RECORD_VALUE, value);
    w.store(record, RECORD_SIZE, size);
    for (d, id) in w.built_in(BuiltIn::GlobalId).into_iter().enumerate() {
        w.store(record, RECORD_GLOBAL_ID + d as u64 * 8, id);
    }
    for (d, id) in w.built_in(BuiltIn::LocalId).into_iter().enumerate() {
        let id = w.convert(ConvertOp::Trunc, id, Type::I32);
        w.store(record, RECORD_LOCAL_ID + d as u64 * 4, id);
    }
    w.jump(done, &[]);
    w.block = done;
    w.give(&[]);
    w.func
}

fn make_find() -> Function {
    let global = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(FIND, &[global, Type::I64, Type::I64], &[Type::BOOL]);
    let [memory, address, size] = values[..] else {
        unreachable!("as many values as types");
    };
    let none = w.func.append_block();
    let entry = search(&mut w, memory, address, none);
    let end = w.load(entry, ALLOCATION_END, Type::I64);
    let left = w.bin(BinaryOp::ISub, end, address);
    let begins = w.icmp(IntCond::Ule, address, end);
    let fits = w.icmp(IntCond::Ule, size, left);
    let ok = w.bin(BinaryOp::And, begins, fits);
    w.give(&[ok]);
    w.block = none;
    let no = w.func.splat_constant(Type::BOOL, 0);
    w.give(&[no]);
    w.func
}

fn make_shadow() -> Function {
    let global = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(SHADOW, &[global, Type::I64], &[global]);
    let [memory, address] = values[..] else {
        unreachable!("as many values as types");
    };
    let none = w.func.append_block();
    let entry = search(&mut w, memory, address, none);
    let end = w.load(entry, ALLOCATION_END, Type::I64);
    let shadow = w.load(entry, ALLOCATION_SHADOW, global);
    let inside = w.icmp(IntCond::Ult, address, end);
    let null = w.func.splat_constant(global, 0);
    let shadow = w.select(inside, shadow, null);
    w.give(&[shadow]);
    w.block = none;
    w.give(&[null]);
    w.func
}

/// A binary search for the last allocation that begins at the address or before: its entry. Goes to `none` if there is none.
fn search(w: &mut Writer, memory: Value, address: Value, none: Block) -> Value {
    let [head, inner, found, there] = [(); 4].map(|()| w.func.append_block());
    let count = w.load(memory, layout::ALLOCATIONS_AT, Type::I32);
    let table = w.load(memory, layout::TABLE_AT, Type::I32);
    let table = w.convert(ConvertOp::ZExt, table, Type::I64);
    let table = w.add(memory, table);
    let zero = w.func.i32(0);
    w.jump(head, &[zero, count]);
    let low = w.func.append_param(head, Type::I32);
    let high = w.func.append_param(head, Type::I32);
    w.block = head;
    let more = w.icmp(IntCond::Ult, low, high);
    w.branch(more, inner, BlockCall::new(found, &[]));
    let sum = w.bin(BinaryOp::IAdd, low, high);
    let middle = w.bin_const(BinaryOp::LShr, sum, 1);
    let entry = self::entry(w, table, middle);
    let first = w.load(entry, 0, Type::I64);
    let starts = w.icmp(IntCond::Ule, first, address);
    let next = w.bin_const(BinaryOp::IAdd, middle, 1);
    let select = |w: &mut Writer, then, other| {
        let cond = starts;
        w.value(InstKind::Select { cond, then, other }, Type::I32)
    };
    let new_low = select(w, next, low);
    let new_high = select(w, high, middle);
    w.jump(head, &[new_low, new_high]);
    w.block = found;
    let any = w.icmp(IntCond::Ne, low, zero);
    w.branch(any, there, BlockCall::new(none, &[]));
    let index = w.bin_const(BinaryOp::ISub, low, 1);
    self::entry(w, table, index)
}

/// The address of an entry of the table.
fn entry(w: &mut Writer, table: Value, index: Value) -> Value {
    let index = w.convert(ConvertOp::ZExt, index, Type::I64);
    let at = w.bin_const(BinaryOp::IMul, index, ALLOCATION_BYTES);
    w.add(table, at)
}

fn make_slices() -> Function {
    let global = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(SLICES, &[global], &[Type::I32]);
    let slices = w.load_slices(values[0]);
    w.give(&[slices]);
    w.func
}

fn make_spend() -> Function {
    let global = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(SPEND, &[global, Type::I32], &[Type::I32]);
    let [memory, left] = values[..] else {
        unreachable!("as many values as types");
    };
    let [goes_on, ends] = [(); 2].map(|()| w.func.append_block());
    let zero = w.func.i32(0);
    let all = w.load_slices(memory);
    let goes = w.icmp(IntCond::Ne, all, zero);
    let more = w.icmp(IntCond::Ne, left, zero);
    let both = w.bin(BinaryOp::And, goes, more);
    w.branch(both, goes_on, BlockCall::new(ends, &[]));
    let less = w.bin_const(BinaryOp::ISub, left, 1);
    w.give(&[less]);
    w.block = ends;
    w.atomic_store(memory, layout::SLICES_AT, zero);
    let none = w.func.i32(-1);
    w.give(&[none]);
    w.func
}
