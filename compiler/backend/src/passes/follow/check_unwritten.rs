//! Reads of buffers that nothing wrote are reported.
//!
//! A buffer whose contents are followed has a shadow: a byte for each of its own, which is not 0 where that was written. The
//! host marks what it and its commands write. Kernels mark what they write, and look at the shadow when they read. The
//! shadow of an argument's object is found by a number in the memory of the launch's checks, that of other pointers by the
//! table of all allocations. What has no shadow counts as written.
//!
//! A value that is only stored elsewhere is copied and not read, since it may be padding of a structure. What is copied marks
//! what it is copied to.
//!
//! The pass stands behind the tests of accesses, so that each is inside its object.

use super::shadow::{bits_of, lacks_ones, ones, used_lanes};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::check::code::{built_in, has_places, load, own};
use crate::passes::check::gathered::{self, Groups};
use crate::passes::check::limits::place;
use crate::passes::check::report::{self, Sites, call_report, call_report_of, helper};
use crate::passes::check::roots::{Root, Roots};
use crate::passes::check::writer::Writer;
use pumice_check::layout::{ARGUMENT_SHADOW, Code};
use pumice_ir::analysis::alias::base;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BlockCall, BuiltIn, CheckKind, CheckSite, CheckedObject,
    ConvertOp, FuncId, Function, Inst, InstKind, IntCond, LowerError, Module, SourceLoc, Type,
    Value,
};
use pumice_target::Check;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

const MARK: &str = "__pumice_check_mark";

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.checks.has(Check::Uninit) || !report::applies(module, ctx) {
        return Ok(Changed::No);
    }
    let functions = Functions {
        report: report::report(module, ctx),
        shadow: report::shadow(module),
        mark: helper(module, MARK, make_mark),
    };
    for (index, kernel) in module.kernels.iter().enumerate() {
        let func = &mut module.functions[kernel.func];
        if func.entry().is_none() {
            continue;
        }
        let roots = Roots::new(func, kernel);
        let mut pass = Pass {
            functions,
            located: has_places(func),
            sites: Sites::new(&mut module.checks, Some(index)),
            used: used_lanes(func, false),
            arguments: arguments(func, &roots),
            roots,
            shadows: FxHashMap::default(),
            gathered: gathered::is_long(func, |inst| access(func, inst).iter().len())
                .then(Vec::new),
            groups: Groups::of(func, functions.report, true),
            waiting: Vec::new(),
        };
        let _ = expand(func, |x, inst| {
            if x.at_entry {
                own(x, |x| pass.begin(x));
            }
            pass.rule(x, inst);
            Ok(None::<Replacement>)
        })?;
    }
    report::mark_checked(module);
    Ok(Changed::Yes)
}

/// The functions that kernels call.
#[derive(Clone, Copy)]
struct Functions {
    report: FuncId,
    /// `shadow(memory, address)`: what is added to the address, or 0.
    shadow: FuncId,
    /// `mark(shadow, bytes)`.
    mark: FuncId,
}

/// An access of memory.
enum Access {
    Read {
        ptr: Value,
        ty: Type,
        align: u32,
    },
    Write {
        ptr: Value,
        ty: Type,
        align: u32,
    },
    /// Both, in this order.
    Change {
        ptr: Value,
        ty: Type,
    },
    /// So many bytes are written.
    Copy {
        ptr: Value,
        bytes: Value,
    },
}

impl Access {
    fn ptr(&self) -> Value {
        match *self {
            Access::Read { ptr, .. }
            | Access::Write { ptr, .. }
            | Access::Change { ptr, .. }
            | Access::Copy { ptr, .. } => ptr,
        }
    }
}

/// The access of an instruction that is looked at. Reads of less than their value's bytes are not.
fn access(func: &Function, inst: Inst) -> Option<Access> {
    let data = &func.insts[inst];
    let result = data.results.first().map(|&value| func.ty(value));
    Some(match (&data.kind, result) {
        (&InstKind::Load { ptr, align, flags }, Some(ty)) if flags.part_bytes().is_none() => {
            Access::Read { ptr, ty, align }
        }
        (
            &InstKind::Store {
                ptr,
                value,
                align,
                flags,
            },
            _,
        ) => {
            let ty = match flags.part_bytes() {
                Some(1) => Type::I8,
                Some(_) => Type::I16,
                None => func.ty(value),
            };
            Access::Write { ptr, ty, align }
        }
        (&InstKind::AtomicLoad { ptr, .. }, Some(ty)) => Access::Read {
            ptr,
            ty,
            align: ty.access_bytes(),
        },
        (&InstKind::AtomicStore { ptr, value, .. }, _) => {
            let ty = func.ty(value);
            Access::Write {
                ptr,
                ty,
                align: ty.access_bytes(),
            }
        }
        (
            &InstKind::AtomicRmw { ptr, value, .. }
            | &InstKind::AtomicCmpXchg {
                ptr,
                expected: value,
                ..
            },
            _,
        ) => Access::Change {
            ptr,
            ty: func.ty(value),
        },
        (&InstKind::MemCopy { dst, size, .. }, _) => Access::Copy {
            ptr: dst,
            bytes: size,
        },
        _ => return None,
    })
}

/// The arguments whose objects in global memory are accessed, in order.
fn arguments(func: &Function, roots: &Roots) -> Vec<u32> {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    let pointers = insts.filter_map(|&inst| access(func, inst).map(|access| access.ptr()));
    let mut all: Vec<u32> = pointers
        .filter(|&ptr| func.ty(ptr).address_space() != Some(AddressSpace::Local))
        .filter_map(|ptr| match roots.of(ptr)? {
            Root::Argument(ordinal) => Some(ordinal),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns whether a pointer leads into the memory of the launch's checks.
fn is_own(func: &Function, ptr: Value) -> bool {
    func.def_inst(base(func, ptr)).is_some_and(|inst| {
        let memory = BuiltIn::CheckMemory;
        matches!(func.insts[inst].kind, InstKind::BuiltIn { which } if which == memory)
    })
}

/// The run on one kernel.
struct Pass<'a> {
    functions: Functions,
    /// Accesses without a place are not the program's.
    located: bool,
    sites: Sites<'a>,
    /// The lanes of values that are more than carried along.
    used: FxHashMap<Value, u32>,
    arguments: Vec<u32>,
    roots: Roots,
    /// The pointer to which an address is added to find the shadow of an argument's object; NULL if there is none.
    shadows: FxHashMap<u32, Value>,
    /// The reads that are not reported yet; `None` in kernels that report in place.
    gathered: Option<Vec<Outcome>>,
    groups: Groups,
    /// The accesses that are looked at behind the block that they are in.
    waiting: Vec<Waiting>,
}

/// An access of a kernel that gathers reports.
struct Waiting {
    /// The condition under which it was made.
    condition: Option<Value>,
    loc: SourceLoc,
    root: Option<Root>,
    /// A read or a write.
    access: Access,
    /// The lanes of what is read that are more than carried along.
    lanes: u32,
}

/// A read that has looked at its shadow.
struct Outcome {
    /// True if something was not written.
    bad: Value,
    site: u32,
    ptr: Value,
    bytes: u32,
}

impl Pass<'_> {
    /// Reads where the shadows of arguments are.
    fn begin(&mut self, x: &mut Expander<'_>) {
        if self.arguments.is_empty() {
            return;
        }
        let memory = built_in(x, BuiltIn::CheckMemory);
        let ty = Type::ptr(AddressSpace::Global);
        for &ordinal in &self.arguments {
            let shadow = load(x, memory, place(ordinal, ARGUMENT_SHADOW), ty);
            self.shadows.insert(ordinal, shadow);
        }
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) {
        self.look_before(x, inst);
        let Some(access) = access(x.func, inst) else {
            return;
        };
        let ptr = access.ptr();
        let root = self.roots.of(ptr);
        let space = x.ty(ptr).address_space();
        let is_shadowed = match (root, space) {
            (
                Some(Root::Argument(_)),
                Some(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic),
            ) => true,
            (None, Some(AddressSpace::Global | AddressSpace::Generic)) => !is_own(x.func, ptr),
            _ => false,
        };
        if !is_shadowed {
            return;
        }
        let is_told = !self.located || x.loc.line != 0;
        let result = x.func.insts[inst].results.first().copied();
        let lanes = result.and_then(|result| self.used.get(&result)).copied();
        if matches!(access, Access::Read { .. }) && (!is_told || lanes.is_none()) {
            return;
        }
        // An exchange whose result nobody uses is a store.
        let is_exchange = matches!(
            x.func.insts[inst].kind,
            InstKind::AtomicRmw {
                op: AtomicOp::Xchg,
                ..
            }
        );
        let is_store = is_exchange && lanes.is_none();
        let is_simple = matches!(access, Access::Read { .. } | Access::Write { .. });
        if is_simple && self.gathered.is_some() {
            let waiting = Waiting {
                condition: self.groups.condition(inst),
                loc: x.loc,
                root,
                access,
                lanes: lanes.unwrap_or(u32::MAX),
            };
            return match waiting.condition {
                Some(_) => self.waiting.push(waiting),
                None => self.look(x, &waiting),
            };
        }
        self.with_shadow(x, root, ptr, |this, x, shadow, address| match access {
            Access::Read { ty, align, .. } => {
                let lanes = lanes.unwrap_or(u32::MAX);
                this.read(x, root, (shadow, address), (ty, lanes), align);
            }
            Access::Write { ty, align, .. } => ones(x, shadow, 0, bits_of(ty), align),
            Access::Change { ty, .. } => {
                let align = ty.access_bytes();
                if is_told && !is_store {
                    this.read(x, root, (shadow, address), (ty, u32::MAX), align);
                }
                ones(x, shadow, 0, bits_of(ty), align);
            }
            Access::Copy { bytes, .. } => {
                let (func, args) = (this.functions.mark, smallvec![shadow, bytes]);
                x.emit(InstKind::Call { func, args }, &[]);
            }
        });
    }

    /// Goes on with the address and that of its shadow, where it has one.
    fn with_shadow(
        &mut self,
        x: &mut Expander<'_>,
        root: Option<Root>,
        ptr: Value,
        body: impl FnOnce(&mut Self, &mut Expander<'_>, Value, Value),
    ) {
        let Some((found, there)) = self.shadow(x, root, ptr) else {
            return;
        };
        x.when(there, |x| {
            let (shadow, address) = shadow_at(x, found, ptr);
            body(self, x, shadow, address);
        });
    }

    /// Looks at what waits for an instruction: accesses for the end of their block, reports for that of their group.
    fn look_before(&mut self, x: &mut Expander<'_>, inst: Inst) {
        if !self.groups.is_inside(x.func, inst) {
            for waiting in std::mem::take(&mut self.waiting) {
                let loc = std::mem::replace(&mut x.loc, waiting.loc);
                self.look(x, &waiting);
                x.loc = loc;
            }
        }
        if self.groups.end_before(x.func, inst) {
            self.report_gathered(x);
        }
    }

    /// Looks at the shadow of an access whose report waits for others of its group.
    fn look(&mut self, x: &mut Expander<'_>, waiting: &Waiting) {
        let ptr = waiting.access.ptr();
        let Some((found, mut there)) = self.shadow(x, waiting.root, ptr) else {
            return;
        };
        if let Some(condition) = waiting.condition {
            there = x.bin(BinaryOp::And, there, condition);
        }
        let (shadow, _) = shadow_at(x, found, ptr);
        let (ty, align) = match waiting.access {
            Access::Read { ty, align, .. } => (ty, align),
            Access::Write { ty, align, .. } => {
                return x.when(there, |x| ones(x, shadow, 0, bits_of(ty), align));
            }
            _ => return,
        };
        let (look, done) = (x.new_block(), x.new_block());
        let no = x.splat(Type::BOOL, 0);
        let bad = x.func.append_param(done, Type::BOOL);
        x.branch(
            there,
            BlockCall::new(look, &[]),
            BlockCall::new(done, &[no]),
            look,
        );
        own(x, |x| {
            let lacks = lacks_ones(x, shadow, (bits_of(ty), waiting.lanes), align);
            x.jump(done, &[lacks], done);
        });
        let site = self.site(x, waiting.root, ty);
        let bytes = ty.access_bytes();
        let gathered = self.gathered.get_or_insert_default();
        gathered.push(Outcome {
            bad,
            site,
            ptr,
            bytes,
        });
        if gathered.len() == gathered::MOST {
            self.report_gathered(x);
        }
    }

    /// The pointer to which the address is added to find its shadow, and whether there is one.
    fn shadow(
        &self,
        x: &mut Expander<'_>,
        root: Option<Root>,
        ptr: Value,
    ) -> Option<(Value, Value)> {
        let ty = Type::ptr(AddressSpace::Global);
        let found = match root {
            Some(Root::Argument(ordinal)) => self.shadows.get(&ordinal).copied()?,
            _ => {
                let address = x.convert(ConvertOp::PtrToInt, ptr, Type::I64);
                let memory = built_in(x, BuiltIn::CheckMemory);
                let (func, args) = (self.functions.shadow, smallvec![memory, address]);
                x.value(InstKind::Call { func, args }, ty)
            }
        };
        let null = x.splat(ty, 0);
        let there = x.icmp(IntCond::Ne, found, null);
        Some((found, there))
    }

    fn read(
        &mut self,
        x: &mut Expander<'_>,
        root: Option<Root>,
        (shadow, address): (Value, Value),
        (ty, lanes): (Type, u32),
        align: u32,
    ) {
        let bad = lacks_ones(x, shadow, (bits_of(ty), lanes), align);
        let site = self.site(x, root, ty);
        let report = self.functions.report;
        x.when(bad, |x| {
            let memory = built_in(x, BuiltIn::CheckMemory);
            let code = x.func.i32(Code::Operation as i32);
            let size = x.func.i64(i64::from(ty.access_bytes()));
            call_report(x, report, memory, (site, code), [address, size]);
        });
    }

    fn site(&mut self, x: &Expander<'_>, root: Option<Root>, ty: Type) -> u32 {
        self.sites.add(CheckSite {
            kernel: None,
            kind: CheckKind::Unwritten,
            size: ty.access_bytes(),
            align: 1,
            object: match root {
                Some(Root::Argument(ordinal)) => CheckedObject::Argument(ordinal),
                _ => CheckedObject::Unknown,
            },
            loc: x.loc,
        })
    }

    /// Reports the reads that were gathered.
    fn report_gathered(&mut self, x: &mut Expander<'_>) {
        let outcomes = match &mut self.gathered {
            Some(gathered) => std::mem::take(gathered),
            None => return,
        };
        if outcomes.is_empty() {
            return;
        }
        own(x, |x| {
            let bad: Vec<Value> = outcomes.iter().map(|outcome| outcome.bad).collect();
            let bad = gathered::mask(x, &bad);
            gathered::for_each(x, bad, outcomes.len(), |x, picked| {
                let numbers =
                    |part: fn(&Outcome) -> u64| outcomes.iter().map(part).collect::<Vec<_>>();
                let site = picked.number(x, Type::I32, &numbers(|outcome| outcome.site.into()));
                let size = picked.number(x, Type::I64, &numbers(|outcome| outcome.bytes.into()));
                let pointers: Vec<Value> = outcomes.iter().map(|outcome| outcome.ptr).collect();
                let ptr = picked.sum(x, &pointers);
                let address = x.convert(ConvertOp::PtrToInt, ptr, Type::I64);
                let memory = built_in(x, BuiltIn::CheckMemory);
                let code = x.func.i32(Code::Operation as i32);
                let report = self.functions.report;
                call_report_of(x, report, memory, [site, code], [address, size]);
            });
        });
    }
}

/// The place of an access's shadow, and its address.
fn shadow_at(x: &mut Expander<'_>, base: Value, ptr: Value) -> (Value, Value) {
    let address = x.convert(ConvertOp::PtrToInt, ptr, Type::I64);
    let offset = address;
    let ty = Type::ptr(AddressSpace::Global);
    let shadow = x.value(InstKind::PtrAdd { base, offset }, ty);
    (shadow, address)
}

fn make_mark() -> Function {
    let params = [Type::ptr(AddressSpace::Global), Type::I64];
    let (mut w, values) = Writer::new(MARK, &params, &[]);
    let [shadow, bytes] = values[..] else {
        unreachable!("as many values as types");
    };
    let [head, body, done] = [(); 3].map(|()| w.func.append_block());
    let zero = w.func.i64(0);
    w.jump(head, &[zero]);
    let index = w.func.append_param(head, Type::I64);
    w.block = head;
    let more = w.icmp(IntCond::Ult, index, bytes);
    w.branch(more, body, BlockCall::new(done, &[]));
    let place = w.add(shadow, index);
    let written = w.func.splat_constant(Type::I8, u64::from(u8::MAX));
    w.store(place, 0, written);
    let next = w.bin_const(BinaryOp::IAdd, index, 1);
    w.jump(head, &[next]);
    w.block = done;
    w.give(&[]);
    w.func
}
