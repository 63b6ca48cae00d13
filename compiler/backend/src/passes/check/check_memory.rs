//! Accesses test that memory has their bytes, and that their pointer is aligned.
//!
//! The object of most pointers is known (`roots.rs`): then the test is one comparison of the pointer's offset with a
//! number of the object's. The sizes of arguments are in the memory of the launch's checks, those of variables in the
//! program. Other pointers to global memory are looked up in the table of all allocations. A failed access is
//! left out; what it reads is 0. An access of a variable at a place that is constant and inside it needs no test.
//!
//! Not tested: pointers to local or private memory with an unknown object, but for NULL.

use super::failures::{Failures, Test};
use super::gathered::{self, Groups};
use super::limits::{Limit, Limits, is_multiple};
use super::offsets::Offsets;
use super::report::{self, OWN_PREFIX, Sites};
use super::roots::{Root, Roots};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use cranelift_entity::PrimaryMap;
use pumice_check::layout::NULL_BYTES;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, BlockCall, BuiltIn, CheckKind, CheckSite, CheckedObject,
    ConvertOp, FuncId, Function, GlobalData, GlobalId, Inst, InstKind, IntCond, LowerError, Module,
    SourceLoc, Type, UnaryOp, Value,
};
use pumice_target::{Check, Checks};
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
        for (index, kernel) in module.kernels.iter().enumerate() {
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
            let is_long = gathered::is_long(func, |inst| accesses(func, inst).len());
            let gathered = (reports && is_long).then(Vec::new);
            let mut tests = Tests {
                checks,
                reports,
                memory,
                roots,
                offsets,
                globals: &module.globals,
                sites: Sites::new(&mut module.checks, Some(index)),
                failures: Failures {
                    memory,
                    report,
                    gathered,
                    groups: Groups::of(func, report, false),
                },
                find,
                limits: Limits::default(),
            };
            tests.limits = Limits::read(func, memory, tests.wanted(func));
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
    failures: Failures,
    find: FuncId,
    limits: Limits,
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

impl Tests<'_> {
    /// The numbers about arguments' objects that the tests take.
    fn wanted(&self, func: &Function) -> Vec<(u32, Limit)> {
        let mut wanted = Vec::new();
        if !self.checks.has(Check::Bounds) {
            return wanted;
        }
        let blocks = func.layout.blocks.iter();
        for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
            for access in accesses(func, inst) {
                if let Some(Root::Argument(ordinal)) = self.roots.of(access.ptr) {
                    wanted.push((ordinal, Limit::Before));
                    wanted.push((ordinal, self.limit(func, access)));
                }
            }
        }
        wanted
    }

    /// The number that the offset of an argument's access is compared with.
    fn limit(&self, func: &Function, access: Access) -> Limit {
        match access.size {
            Size::Value(_) => Limit::Size,
            Size::Bytes(bytes) if self.folds(func, access, bytes) => Limit::Aligned(bytes),
            Size::Bytes(bytes) => Limit::Bytes(bytes),
        }
    }

    /// Returns whether the access is aligned if its argument's pointer is: then one comparison tests both.
    fn folds(&self, func: &Function, access: Access, bytes: u64) -> bool {
        let space = func.ty(access.ptr).address_space();
        self.checks.has(Check::Align)
            && u64::from(access.align) == bytes
            && Limit::Aligned(bytes).at().is_some()
            && matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
            && is_multiple(func, self.offsets.of(access.ptr), bytes)
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) -> Option<Replacement> {
        if self.limits.reads(inst) {
            return None;
        }
        self.failures.before(x, inst);
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
        let results = x.func.insts[inst].results.clone();
        let types: Vec<Type> = results.iter().map(|&value| x.ty(value)).collect();
        let zeros: Vec<Value> = types.iter().map(|&ty| x.splat(ty, 0)).collect();
        let in_place = self.failures.in_place();
        let otherwise = match in_place {
            true => BlockCall::new(bad, &[]),
            false => BlockCall::new(done, &zeros),
        };
        x.branch(ok, BlockCall::new(good, &[]), otherwise, good);
        let kind = x.func.insts[inst].kind.clone();
        let again = x.emit(kind, &types);
        let results: Vec<Value> = x.func.insts[again].results.to_vec();
        match in_place {
            true => {
                x.jump(done, &results, bad);
                self.report_in_place(x, &tests);
                x.jump(done, &zeros, done);
            }
            false => x.jump(done, &results, done),
        }
        let params = types.iter().map(|&ty| x.func.append_param(done, ty));
        let params = params.collect();
        self.failures.gather(x, tests);
        Some(params)
    }

    /// Reports those of an instruction's tests that have failed; one has.
    fn report_in_place(&self, x: &mut Expander<'_>, tests: &[Test]) {
        if let [only] = tests {
            return self.failures.report(x, only);
        }
        for test in tests {
            let failed = x.un(UnaryOp::Not, test.ok);
            x.when(failed, |x| self.failures.report(x, test));
        }
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
            folded: self.folded(x.func, access, root),
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
            Some(Root::Argument(ordinal)) => {
                let offset = self.offsets.of(ptr);
                match self.limits.of(ordinal, Limit::Before) {
                    Some(before) => x.bin(BinaryOp::IAdd, offset, before),
                    None => offset,
                }
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
            folded: None,
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
                let all = self.limit_of(x, root, Limit::Size);
                let fits = x.icmp(IntCond::Ule, size, all);
                let left = x.bin(BinaryOp::ISub, all, size);
                let begins = x.icmp(IntCond::Ule, value, left);
                return Some(x.bin(BinaryOp::And, fits, begins));
            }
        };
        if !matches!(root, Root::Argument(_)) {
            let limit = (self.object_size(x.func, root) + 1).saturating_sub(bytes);
            let offset = x.func.const_bits(value);
            if offset.is_some_and(|offset| offset < limit) {
                return None;
            }
        }
        let limit = self.limit(x.func, access);
        let limit = self.limit_of(x, root, limit);
        Some(x.icmp(IntCond::Ult, value, limit))
    }

    /// A number about an object.
    fn limit_of(&self, x: &mut Expander<'_>, root: Root, limit: Limit) -> Value {
        let known = match root {
            Root::Argument(ordinal) => self.limits.of(ordinal, limit),
            _ => None,
        };
        let size = self.object_size(x.func, root);
        known.unwrap_or_else(|| match limit {
            Limit::Bytes(bytes) | Limit::Aligned(bytes) => {
                x.func.i64((size + 1).saturating_sub(bytes) as i64)
            }
            Limit::Before | Limit::Size => x.func.i64(size as i64),
        })
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
        // Tags 1 and 2 are local and private memory, all others parts of addresses: high ones have 3.
        let tag = x.bin_const(BinaryOp::LShr, value, 62);
        let beyond = x.bin_const(BinaryOp::ISub, tag, 1);
        let other = x.icmp_const(IntCond::Ult, beyond, 2);
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
        if self.folded(x.func, access, root).is_some() {
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

    /// The argument and the bytes of an access whose comparison with a limit tests the alignment too.
    fn folded(&self, func: &Function, access: Access, root: Option<Root>) -> Option<(u32, u64)> {
        let Some(Root::Argument(ordinal)) = root else {
            return None;
        };
        match self
            .checks
            .has(Check::Bounds)
            .then(|| self.limit(func, access))
        {
            Some(Limit::Aligned(bytes)) => Some((ordinal, bytes)),
            _ => None,
        }
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
            kernel: None,
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
