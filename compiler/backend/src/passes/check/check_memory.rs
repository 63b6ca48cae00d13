//! Accesses test that memory has their bytes, and that their pointer is aligned.
//!
//! The object of most pointers is known (`roots.rs`): then the test is one comparison of the pointer's offset with a
//! number of the object's. The sizes of arguments are in the memory of the launch's checks, those of variables in the
//! program. Other pointers to global memory are looked up in the table of all allocations. A failed access is
//! left out; what it reads is 0. An access of a variable at a place that is constant and inside it needs no test.
//!
//! Not tested: pointers to local or private memory with an unknown object, but for NULL.

use super::offsets::Offsets;
use super::report::{self, OWN_PREFIX, Sites, call_report};
use super::roots::{Root, Roots};
use crate::expand::{Expander, Replacement, call, expand};
use crate::pass::{Changed, Ctx};
use cranelift_entity::PrimaryMap;
use pumice_check::layout::{
    ARGUMENT_BEFORE, ARGUMENT_BYTES, ARGUMENT_SIZE, ARGUMENTS, Code, NULL_BYTES,
};
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, BuiltIn, CheckKind, CheckSite, CheckedObject, ConvertOp,
    FuncId, Function, GlobalData, GlobalId, Inst, InstKind, IntCond, KernelInfo, LowerError,
    Module, SourceLoc, Type, Value,
};
use pumice_target::{Check, Checks};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.checks.any() || !report::applies(module, ctx) {
        return Ok(Changed::No);
    }
    let mut checks = ctx.target.checks;
    let kinds = [Check::Bounds, Check::Null, Check::Align];
    let reports = kinds.into_iter().any(|check| checks.has(check));
    if checks.robust() {
        checks = checks.with(Check::Bounds);
    }
    if checks.of_memory() {
        let (report, find) = (report::report(module, ctx), report::find(module));
        for kernel in &module.kernels {
            let func = &mut module.functions[kernel.func];
            if func.entry().is_none() {
                continue;
            }
            let memory = prepend(
                func,
                InstKind::BuiltIn {
                    which: BuiltIn::CheckMemory,
                },
            );
            let roots = Roots::new(func, kernel);
            let offsets = Offsets::new(func, &roots);
            let mut tests = Tests {
                checks,
                reports,
                memory,
                roots,
                offsets,
                globals: &module.globals,
                sites: Sites(&mut module.checks),
                report,
                find,
                limits: FxHashMap::default(),
                before: FxHashMap::default(),
                own: Vec::new(),
            };
            tests.limits(func, kernel);
            let _ = expand(func, |x, inst| Ok(tests.rule(x, inst)))?;
        }
    }
    report::mark_checked(module);
    Ok(Changed::Yes)
}

/// A new first instruction of a function.
fn prepend(func: &mut Function, kind: InstKind) -> Value {
    let global = Type::ptr(AddressSpace::Global);
    let inst = func.make_inst(kind, &[global], SourceLoc::default());
    if let Some(entry) = func.entry() {
        func.layout.insts[entry].insert(0, inst);
    }
    func.result(inst)
}

/// The tests of a kernel.
pub(super) struct Tests<'a> {
    checks: Checks,
    /// False in robust mode alone.
    reports: bool,
    pub(super) memory: Value,
    pub(super) roots: Roots,
    pub(super) offsets: Offsets,
    pub(super) globals: &'a PrimaryMap<GlobalId, GlobalData>,
    sites: Sites<'a>,
    report: FuncId,
    find: FuncId,
    /// Bytes of arguments, and how many offsets in one have so many bytes behind them.
    limits: FxHashMap<(u32, Option<u64>), Value>,
    /// Bytes of an argument's object before its pointer.
    before: FxHashMap<u32, Value>,
    /// Accesses of the pass's own.
    own: Vec<Inst>,
}

/// An access as the program has it.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub kind: CheckKind,
    pub ptr: Value,
    pub size: Size,
    align: u32,
}

/// Bytes of an access.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Bytes(u64),
    Value(Value),
}

/// A test that stands in the program.
struct Test {
    /// True if the access may go on.
    ok: Value,
    /// True if the memory has the bytes.
    within: Value,
    value: Value,
    size: Value,
    site: u32,
}

impl Tests<'_> {
    /// Reads the sizes of arguments at the kernel's start, and derives the limits of their accesses.
    fn limits(&mut self, func: &mut Function, kernel: &KernelInfo) {
        if !self.checks.has(Check::Bounds) {
            return;
        }
        let mut wanted: Vec<(u32, Option<u64>)> = Vec::new();
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                for access in accesses(func, inst) {
                    if let Some(Root::Argument(ordinal)) = self.roots.of(access.ptr) {
                        wanted.push((ordinal, None));
                        if let Size::Bytes(bytes) = access.size {
                            wanted.push((ordinal, Some(bytes)));
                        }
                    }
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        debug_assert!(
            wanted
                .iter()
                .all(|(arg, _)| (*arg as usize) < kernel.args.len())
        );
        let mut head: Vec<Inst> = Vec::new();
        for (ordinal, bytes) in wanted {
            let limit = match bytes {
                None => {
                    let before = self.argument_number(func, &mut head, ordinal, ARGUMENT_BEFORE);
                    self.before.insert(ordinal, before);
                    self.argument_number(func, &mut head, ordinal, ARGUMENT_SIZE)
                }
                Some(bytes) => self.argument_limit(func, &mut head, ordinal, bytes),
            };
            self.limits.insert((ordinal, bytes), limit);
        }
        if let Some(entry) = func.entry() {
            // Behind the memory's address.
            let insts = &mut func.layout.insts[entry];
            insts.splice(1..1, head);
        }
    }

    /// A number at a byte of an argument's entry.
    fn argument_number(
        &mut self,
        func: &mut Function,
        head: &mut Vec<Inst>,
        ordinal: u32,
        at: u64,
    ) -> Value {
        let loc = SourceLoc::default();
        let offset = func.i64((ARGUMENTS + u64::from(ordinal) * ARGUMENT_BYTES + at) as i64);
        let base = self.memory;
        let ptr = InstKind::PtrAdd { base, offset };
        let ptr = func.make_inst(ptr, &[Type::ptr(AddressSpace::Global)], loc);
        let load = InstKind::Load {
            ptr: func.result(ptr),
            align: 8,
            flags: AccessFlags::empty(),
        };
        let load = func.make_inst(load, &[Type::I64], loc);
        head.extend([ptr, load]);
        self.own.push(load);
        func.result(load)
    }

    /// `size < bytes ? 0 : size - (bytes - 1)`
    fn argument_limit(
        &mut self,
        func: &mut Function,
        head: &mut Vec<Inst>,
        ordinal: u32,
        bytes: u64,
    ) -> Value {
        let size = self.limits[&(ordinal, None)];
        if bytes == 1 {
            return size;
        }
        let loc = SourceLoc::default();
        let (zero, less, needed) = (
            func.i64(0),
            func.i64(bytes as i64 - 1),
            func.i64(bytes as i64),
        );
        let left = InstKind::Binary {
            op: BinaryOp::ISub,
            args: [size, less],
            flags: pumice_ir::FloatFlags::empty(),
        };
        let left = func.make_inst(left, &[Type::I64], loc);
        let short = InstKind::ICmp {
            cond: IntCond::Ult,
            args: [size, needed],
        };
        let short = func.make_inst(short, &[Type::BOOL], loc);
        let limit = InstKind::Select {
            cond: func.result(short),
            then: zero,
            other: func.result(left),
        };
        let limit = func.make_inst(limit, &[Type::I64], loc);
        head.extend([left, short, limit]);
        func.result(limit)
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) -> Option<Replacement> {
        if self.own.contains(&inst) {
            return None;
        }
        let accesses = accesses(x.func, inst);
        if !self.reports {
            return self.confine(x, inst, &accesses);
        }
        let tests: Vec<Test> = (accesses.into_iter())
            .filter_map(|access| self.test(x, access))
            .collect();
        let all_ok = tests.iter().map(|test| test.ok).collect::<Vec<_>>();
        let (&first, others) = all_ok.split_first()?;
        let ok = others
            .iter()
            .fold(first, |ok, &other| x.bin(BinaryOp::And, ok, other));

        let (good, bad, done) = (x.new_block(), x.new_block(), x.new_block());
        x.branch(ok, call(good, &[]), call(bad, &[]), good);
        let data = x.func.insts[inst].clone();
        let types: Vec<Type> = data.results.iter().map(|&value| x.ty(value)).collect();
        let again = x.emit(data.kind, &types);
        let results: Vec<Value> = x.func.insts[again].results.to_vec();
        x.jump(done, &results, bad);
        match &tests[..] {
            [only] => self.fail(x, only),
            _ => {
                for test in &tests {
                    let failed = x.un(pumice_ir::UnaryOp::Not, test.ok);
                    x.when(failed, |x| self.fail(x, test));
                }
            }
        }
        let zeros: Vec<Value> = types.iter().map(|&ty| x.splat(ty, 0)).collect();
        x.jump(done, &zeros, done);
        let params = types.iter().map(|&ty| x.func.append_param(done, ty));
        Some(params.collect())
    }

    fn fail(&self, x: &mut Expander<'_>, test: &Test) {
        let (bounds, align) = (Code::Bounds as i32, Code::Align as i32);
        let (bounds, align) = (x.func.i32(bounds), x.func.i32(align));
        let code = x.select(test.within, align, bounds);
        let what = [test.value, test.size];
        call_report(x, self.report, self.memory, (test.site, code), what);
    }

    /// The test of an access; `None` if it needs none.
    fn test(&mut self, x: &mut Expander<'_>, access: Access) -> Option<Test> {
        let root = self.roots.of(access.ptr);
        if self.is_own(root) {
            return None;
        }
        let space = x.ty(access.ptr).address_space()?;
        if root.is_none() && matches!(space, AddressSpace::Local | AddressSpace::Private) {
            return self.test_null(x, access);
        }
        let value = self.number(x, access.ptr, root);
        let size = match access.size {
            Size::Bytes(bytes) => x.func.i64(bytes as i64),
            Size::Value(value) => value,
        };
        let within = self.within(x, access, root, value, size);
        let aligned = self.aligned(x, access, root, value);
        let ok = match (within, aligned) {
            (None, None) => return None,
            (Some(ok), None) | (None, Some(ok)) => ok,
            (Some(a), Some(b)) => x.bin(BinaryOp::And, a, b),
        };
        let within = within.unwrap_or_else(|| x.splat(Type::BOOL, 1));
        let site = self.site(x, access, root);
        Some(Test {
            ok,
            within,
            value,
            size,
            site,
        })
    }

    /// Returns whether a variable is one that checks have added.
    fn is_own(&self, root: Option<Root>) -> bool {
        matches!(root, Some(Root::Variable(global)) if self.globals[global].name.starts_with(OWN_PREFIX))
    }

    /// The offset of a pointer in its object; its address where the object is not known.
    pub(super) fn number(&self, x: &mut Expander<'_>, ptr: Value, root: Option<Root>) -> Value {
        match root {
            Some(Root::Argument(ordinal)) if self.before.contains_key(&ordinal) => {
                let offset = self.offsets.of(ptr);
                x.bin(BinaryOp::IAdd, offset, self.before[&ordinal])
            }
            Some(_) => self.offsets.of(ptr),
            None => x.convert(ConvertOp::PtrToInt, ptr, Type::I64),
        }
    }

    /// A number of what only its own address space knows; 0 is NULL.
    fn test_null(&mut self, x: &mut Expander<'_>, access: Access) -> Option<Test> {
        if !self.checks.has(Check::Bounds) && !self.checks.has(Check::Null) {
            return None;
        }
        let null = x.splat(x.ty(access.ptr), 0);
        let ok = x.icmp(IntCond::Ne, access.ptr, null);
        let (value, size) = (
            x.func.i64(0),
            match access.size {
                Size::Bytes(bytes) => x.func.i64(bytes as i64),
                Size::Value(value) => value,
            },
        );
        let site = self.site(x, access, None);
        Some(Test {
            ok,
            within: ok,
            value,
            size,
            site,
        })
    }

    /// True if the object has the bytes; `None` if it is known to have them, or nobody asks.
    pub(super) fn within(
        &self,
        x: &mut Expander<'_>,
        access: Access,
        root: Option<Root>,
        value: Value,
        size: Value,
    ) -> Option<Value> {
        if !self.checks.has(Check::Bounds) {
            return self.not_null(x, access, root);
        }
        let Some(root) = root else {
            return Some(self.look_up(x, access, value, size));
        };
        let bytes = match access.size {
            Size::Bytes(bytes) => bytes,
            Size::Value(size) => {
                let all = match root {
                    Root::Argument(ordinal) => self.limits[&(ordinal, None)],
                    root => {
                        let all = self.object_size(x.func, root);
                        x.func.i64(all as i64)
                    }
                };
                let fits = x.icmp(IntCond::Ule, size, all);
                let left = x.bin(BinaryOp::ISub, all, size);
                let begins = x.icmp(IntCond::Ule, value, left);
                return Some(x.bin(BinaryOp::And, fits, begins));
            }
        };
        let limit = match root {
            Root::Argument(ordinal) => self.limits[&(ordinal, Some(bytes))],
            root => {
                let limit = (self.object_size(x.func, root) + 1).saturating_sub(bytes);
                if x.func
                    .const_bits(value)
                    .is_some_and(|offset| offset < limit)
                {
                    return None;
                }
                x.func.i64(limit as i64)
            }
        };
        Some(x.icmp(IntCond::Ult, value, limit))
    }

    /// The test for NULL alone.
    fn not_null(&self, x: &mut Expander<'_>, access: Access, root: Option<Root>) -> Option<Value> {
        let space = x.ty(access.ptr).address_space()?;
        let outside = matches!(space, AddressSpace::Local | AddressSpace::Private);
        let variable = matches!(root, Some(Root::Variable(_) | Root::Private(_)));
        if !self.checks.has(Check::Null) || outside || variable {
            return None;
        }
        let address = x.convert(ConvertOp::PtrToInt, access.ptr, Type::I64);
        Some(x.icmp_const(IntCond::Uge, address, NULL_BYTES))
    }

    /// Looks an address up in the table. Generic pointers into other memory pass.
    fn look_up(&self, x: &mut Expander<'_>, access: Access, value: Value, size: Value) -> Value {
        let look = |x: &mut Expander<'_>| {
            let (func, args) = (self.find, smallvec![self.memory, value, size]);
            x.value(InstKind::Call { func, args }, Type::BOOL)
        };
        if x.ty(access.ptr).address_space() != Some(AddressSpace::Generic) {
            return look(x);
        }
        let tag = x.bin_const(BinaryOp::LShr, value, 62);
        let other = x.icmp_const(IntCond::Ne, tag, 0);
        let found = look(x);
        x.bin(BinaryOp::Or, other, found)
    }

    /// True if the pointer is aligned; `None` if it must not be.
    fn aligned(
        &self,
        x: &mut Expander<'_>,
        access: Access,
        root: Option<Root>,
        value: Value,
    ) -> Option<Value> {
        if !self.checks.has(Check::Align) || access.align <= 1 {
            return None;
        }
        // Variables lie somewhere; arguments and other pointers are addresses.
        let number = match root {
            Some(Root::Argument(_)) if self.is_global(x, access.ptr) => {
                x.convert(ConvertOp::PtrToInt, access.ptr, Type::I64)
            }
            _ => value,
        };
        let mask = u64::from(access.align - 1);
        if x.func
            .const_bits(number)
            .is_some_and(|bits| bits & mask == 0)
        {
            return None;
        }
        let low = x.bin_const(BinaryOp::And, number, mask);
        Some(x.icmp_const(IntCond::Eq, low, 0))
    }

    fn is_global(&self, x: &Expander<'_>, ptr: Value) -> bool {
        let space = x.ty(ptr).address_space();
        matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
    }

    pub(super) fn object_size(&self, func: &Function, root: Root) -> u64 {
        match root {
            Root::Argument(_) => 0,
            Root::Variable(global) => self.globals[global].size,
            Root::Private(slot) => u64::from(func.slots[slot].size),
        }
    }

    fn site(&mut self, x: &Expander<'_>, access: Access, root: Option<Root>) -> u32 {
        let object = match root {
            None => CheckedObject::Unknown,
            Some(Root::Argument(ordinal)) => CheckedObject::Argument(ordinal),
            Some(Root::Variable(global)) => CheckedObject::Variable {
                name: self.globals[global].name.clone(),
                size: self.globals[global].size,
            },
            Some(Root::Private(slot)) => CheckedObject::Private {
                size: x.func.slots[slot].size,
            },
        };
        let size = match access.size {
            Size::Bytes(bytes) => bytes as u32,
            Size::Value(_) => 0,
        };
        self.sites.add(CheckSite {
            kind: access.kind,
            size,
            align: access.align,
            object,
            loc: x.loc,
        })
    }
}

/// The accesses of an instruction.
pub(super) fn accesses(func: &Function, inst: Inst) -> Vec<Access> {
    let data = &func.insts[inst];
    let result = data.results.first().map(|&value| func.ty(value));
    let one = |kind, ptr, ty: Type, align, flags: AccessFlags| {
        let bytes = flags.part_bytes().unwrap_or_else(|| ty.access_bytes());
        let size = Size::Bytes(u64::from(bytes));
        vec![Access {
            kind,
            ptr,
            size,
            align,
        }]
    };
    let none = AccessFlags::empty();
    match (&data.kind, result) {
        (&InstKind::Load { ptr, align, flags }, Some(ty)) => {
            one(CheckKind::Read, ptr, ty, align, flags)
        }
        (
            &InstKind::Store {
                ptr,
                value,
                align,
                flags,
            },
            _,
        ) => one(CheckKind::Write, ptr, func.ty(value), align, flags),
        (&InstKind::AtomicLoad { ptr, .. }, Some(ty)) => {
            one(CheckKind::Atomic, ptr, ty, ty.access_bytes(), none)
        }
        (
            &InstKind::AtomicStore { ptr, value, .. }
            | &InstKind::AtomicRmw { ptr, value, .. }
            | &InstKind::AtomicCmpXchg {
                ptr,
                expected: value,
                ..
            },
            _,
        ) => {
            let ty = func.ty(value);
            one(CheckKind::Atomic, ptr, ty, ty.access_bytes(), none)
        }
        (
            &InstKind::MemCopy {
                dst,
                src,
                size,
                dst_align,
                src_align,
                ..
            },
            _,
        ) => {
            let size = match func.const_bits(size) {
                Some(0) => return Vec::new(),
                Some(bytes) => Size::Bytes(bytes),
                None => Size::Value(size),
            };
            let access = |kind, ptr, align| Access {
                kind,
                ptr,
                size,
                align,
            };
            vec![
                access(CheckKind::Read, src, src_align),
                access(CheckKind::Write, dst, dst_align),
            ]
        }
        _ => Vec::new(),
    }
}
