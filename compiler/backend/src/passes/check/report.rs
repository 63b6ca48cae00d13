//! The functions that tested places call: one that writes a report, and one that looks an address up.
//!
//! Both take the memory of the launch's checks as their first parameter.

use crate::expand::Expander;
use crate::pass::Ctx;
use pumice_check::layout::{
    self, MOST_OF_PLACE, MOST_RECORDS, RECORD_BYTES, RECORD_CODE, RECORD_GLOBAL_ID,
    RECORD_LOCAL_ID, RECORD_SITE, RECORD_SIZE, RECORD_VALUE, RECORDS,
};
use pumice_ir::{
    AccessFlags, AddressSpace, AtomicOp, BinaryOp, Block, BlockCall, BuiltIn, CheckSite, ConvertOp,
    FloatFlags, FuncId, Function, InstKind, IntCond, LowerError, MemoryOrder, Module, Scope,
    SourceLoc, Type, Value,
};
use smallvec::{SmallVec, smallvec};

const REPORT: &str = "__pumice_check_report";
const FIND: &str = "__pumice_check_find";
const SLICES: &str = "__pumice_check_slices";
const SPEND: &str = "__pumice_check_spend";

/// Returns whether a function is one of these, which stay calls.
pub(crate) fn is_helper(func: &Function) -> bool {
    [REPORT, FIND, SLICES, SPEND].contains(&func.name.as_str())
}

/// Returns whether kernels of a module can have checks.
pub(super) fn applies(module: &Module, ctx: &Ctx<'_>) -> bool {
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

/// The function of a name, made at its first use.
fn helper(module: &mut Module, name: &str, make: fn() -> Function) -> FuncId {
    let mut all = module.functions.iter();
    let found = all.find(|(_, func)| func.name == name).map(|(id, _)| id);
    found.unwrap_or_else(|| module.functions.push(make()))
}

/// `report(memory, place, code, value, size)`.
pub(crate) fn report(module: &mut Module) -> FuncId {
    helper(module, REPORT, make_report)
}

/// `find(memory, address, size)`: true if an allocation has these bytes.
pub(super) fn find(module: &mut Module) -> FuncId {
    helper(module, FIND, make_find)
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
pub(crate) struct Sites<'a>(pub &'a mut Vec<CheckSite>);

impl Sites<'_> {
    /// The number of a new place.
    pub fn add(&mut self, site: CheckSite) -> u32 {
        self.0.push(site);
        self.0.len() as u32 - 1
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
    let args: SmallVec<[Value; 4]> = smallvec![memory, site, code, value, size];
    let func = function;
    x.emit(InstKind::Call { func, args }, &[]);
}

/// Writes a function block by block.
struct Writer {
    func: Function,
    block: Block,
}

impl Writer {
    fn new(name: &str, params: &[Type], results: &[Type]) -> (Self, Vec<Value>) {
        let mut func = Function::new(name, params.to_vec(), results.to_vec());
        func.no_inline = true;
        let block = func.append_block();
        let values = params.iter().map(|&ty| func.append_param(block, ty));
        let values = values.collect();
        (Self { func, block }, values)
    }

    fn value(&mut self, kind: InstKind, ty: Type) -> Value {
        let loc = SourceLoc::default();
        self.func.append_value(self.block, kind, ty, loc)
    }

    fn effect(&mut self, kind: InstKind) {
        let loc = SourceLoc::default();
        self.func.append(self.block, kind, &[], loc);
    }

    fn bin(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        let flags = FloatFlags::empty();
        self.value(
            InstKind::Binary {
                op,
                args: [a, b],
                flags,
            },
            ty,
        )
    }

    fn bin_const(&mut self, op: BinaryOp, a: Value, b: u64) -> Value {
        let b = self.func.splat_constant(self.func.ty(a), b);
        self.bin(op, a, b)
    }

    fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.value(InstKind::ICmp { cond, args: [a, b] }, Type::BOOL)
    }

    fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        let rounding = None;
        self.value(InstKind::Convert { op, arg, rounding }, ty)
    }

    fn add(&mut self, base: Value, offset: Value) -> Value {
        let ty = self.func.ty(base);
        self.value(InstKind::PtrAdd { base, offset }, ty)
    }

    fn add_const(&mut self, base: Value, offset: u64) -> Value {
        let offset = self.func.i64(offset as i64);
        self.add(base, offset)
    }

    fn load(&mut self, base: Value, offset: u64, ty: Type) -> Value {
        let ptr = self.add_const(base, offset);
        let (align, flags) = (ty.access_bytes(), AccessFlags::empty());
        self.value(InstKind::Load { ptr, align, flags }, ty)
    }

    fn store(&mut self, base: Value, offset: u64, value: Value) {
        let ptr = self.add_const(base, offset);
        let (align, flags) = (self.func.ty(value).access_bytes(), AccessFlags::empty());
        self.effect(InstKind::Store {
            ptr,
            value,
            align,
            flags,
        });
    }

    /// Adds 1 to a counter; gives what it was.
    fn count(&mut self, ptr: Value) -> Value {
        let value = self.func.i32(1);
        let (op, order, scope) = (AtomicOp::Add, MemoryOrder::Relaxed, Scope::Device);
        let rmw = InstKind::AtomicRmw {
            op,
            ptr,
            value,
            order,
            scope,
        };
        self.value(rmw, Type::I32)
    }

    /// The slices that the launch has; 0 once one of its work-items needed more.
    fn load_slices(&mut self, memory: Value) -> Value {
        let ptr = self.add_const(memory, layout::SLICES_AT);
        let (order, scope) = (MemoryOrder::Relaxed, Scope::Device);
        self.value(InstKind::AtomicLoad { ptr, order, scope }, Type::I32)
    }

    fn built_in(&mut self, which: BuiltIn) -> [Value; 3] {
        let vector = self.value(InstKind::BuiltIn { which }, which.ty());
        [0, 1, 2].map(|lane| self.value(InstKind::Extract { vector, lane }, Type::I64))
    }

    fn jump(&mut self, block: Block, args: &[Value]) {
        let dest = to(block, args);
        self.effect(InstKind::Jump { dest });
    }

    /// Ends the block; goes on in `then`.
    fn branch(&mut self, cond: Value, then: Block, other: BlockCall) {
        let then_call = to(then, &[]);
        self.effect(InstKind::Branch {
            cond,
            then: then_call,
            other,
        });
        self.block = then;
    }

    fn give(&mut self, values: &[Value]) {
        let values = values.iter().copied().collect();
        self.effect(InstKind::Return { values });
    }
}

fn to(block: Block, args: &[Value]) -> BlockCall {
    let args = args.iter().copied().collect();
    BlockCall { block, args }
}

fn make_report() -> Function {
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
    let most = w.func.i32(MOST_OF_PLACE as i32);
    let first = w.icmp(IntCond::Ult, before, most);
    w.branch(first, counted, to(done, &[]));
    let index = w.count(memory);
    let most = w.func.i32(MOST_RECORDS as i32);
    let fits = w.icmp(IntCond::Ult, index, most);
    w.branch(fits, write, to(done, &[]));
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

/// A binary search for the last allocation that begins at the address or before.
fn make_find() -> Function {
    let global = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(FIND, &[global, Type::I64, Type::I64], &[Type::BOOL]);
    let [memory, address, size] = values[..] else {
        unreachable!("as many values as types");
    };
    let [head, inner, found, there, none] = [(); 5].map(|()| w.func.append_block());
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
    w.branch(more, inner, to(found, &[]));
    let sum = w.bin(BinaryOp::IAdd, low, high);
    let middle = w.bin_const(BinaryOp::LShr, sum, 1);
    let entry = entry(&mut w, table, middle);
    let first = w.load(entry, 0, Type::I64);
    let starts = w.icmp(IntCond::Ule, first, address);
    let next = w.bin_const(BinaryOp::IAdd, middle, 1);
    let select = |w: &mut Writer, then, other| {
        let cond = starts;
        w.value(InstKind::Select { cond, then, other }, Type::I32)
    };
    let new_low = select(&mut w, next, low);
    let new_high = select(&mut w, high, middle);
    w.jump(head, &[new_low, new_high]);
    w.block = found;
    let any = w.icmp(IntCond::Ne, low, zero);
    w.branch(any, there, to(none, &[]));
    let index = w.bin_const(BinaryOp::ISub, low, 1);
    let entry = self::entry(&mut w, table, index);
    let end = w.load(entry, 8, Type::I64);
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

/// The address of an entry of the table.
fn entry(w: &mut Writer, table: Value, index: Value) -> Value {
    let index = w.convert(ConvertOp::ZExt, index, Type::I64);
    let at = w.bin_const(BinaryOp::Shl, index, 4);
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
    w.branch(both, goes_on, to(ends, &[]));
    let less = w.bin_const(BinaryOp::ISub, left, 1);
    w.give(&[less]);
    w.block = ends;
    let ptr = w.add_const(memory, layout::SLICES_AT);
    let (order, scope) = (MemoryOrder::Relaxed, Scope::Device);
    let value = zero;
    w.effect(InstKind::AtomicStore {
        ptr,
        value,
        order,
        scope,
    });
    let none = w.func.i32(-1);
    w.give(&[none]);
    w.func
}
