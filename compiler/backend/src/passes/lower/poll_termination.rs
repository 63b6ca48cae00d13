//! Kernels that may run for long look at a flag and end when it is set (cl_khr_terminate_context).
//!
//! A loop looks once a round, unless its number of rounds, with those of the loops inside of it, is known to be at most
//! [`MOST_ROUNDS`]. A work-item that finds the flag set returns at once, so that it writes nothing that depends on a
//! loop which has not come to its end. A function that is called returns zeros then, and its caller looks
//! behind the call.
//!
//! In a loop that comes to a barrier in each round, the whole work-group has to leave in the same round: the first
//! work-item looks, before the barrier, and tells the others in local memory. That adds two barriers a round.
//! Elsewhere each work-item looks by itself.
//!
//! Kernels whose launch ends at the first report of their checks look at a second flag, in the memory of the checks, and
//! look at their start too. If they have barriers, they look at it only as a work-group: nobody is left waiting.

use crate::expand::{Expander, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::work_groups::barrier;
use crate::passes::optimize::long_cycles;
use cranelift_entity::SecondaryMap;
use pumice_check::layout::STOPPED_AT;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{
    AddressSpace, BinaryOp, Block, BuiltIn, Cfg, DomTree, FuncId, Function, GlobalData, GlobalId,
    Inst, InstKind, IntCond, Linkage, Loop, LoopNest, LowerError, MemoryOrder, Module, Scope, Type,
    Value,
};
use pumice_target::Check;
use rustc_hash::FxHashMap;

/// Rounds that loops may run in sum without a look at the flag.
const MOST_ROUNDS: u64 = 1 << 16;

/// Runs the pass.
///
/// # Errors
/// Recursive calls, which the inliner has refused before.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let order = reachable_functions(module)?;
    let mut ends: SecondaryMap<FuncId, bool> = SecondaryMap::new();
    let mut shared = None;
    for id in order {
        let func = &module.functions[id];
        let flags = Flags::of(module, id, ctx);
        let mut looks = looks(func, &ends);
        if flags.of_group.stop {
            let entry = func
                .entry()
                .and_then(|entry| func.layout.insts[entry].first());
            let look = match flags.of_item.stop {
                true => Look::Item,
                false => Look::Group,
            };
            looks.extend(entry.map(|&first| (first, look)));
        }
        looks.retain(|_, look| match look {
            Look::Item => flags.of_item.any(),
            Look::Group => flags.of_group.any(),
            Look::BehindCall => true,
        });
        if looks.is_empty() {
            continue;
        }
        ends[id] = true;
        if looks.values().any(|look| *look == Look::Group) && shared.is_none() {
            shared = Some(module.globals.push(shared_word()));
        }
        let func = &mut module.functions[id];
        let zeros = func.results.clone();
        let zeros: Vec<Value> = (zeros.iter())
            .map(|&ty| func.splat_constant(ty, 0))
            .collect();
        let _ = expand(func, |x, inst| {
            match looks.get(&inst) {
                Some(Look::BehindCall) => {
                    let data = x.func.insts[inst].clone();
                    let types: Vec<Type> = data.results.iter().map(|&value| x.ty(value)).collect();
                    let again = x.emit(data.kind, &types);
                    let stop = flag(x, flags.of_item);
                    end_if(x, stop, &zeros);
                    return Ok(Some(x.func.insts[again].results.iter().copied().collect()));
                }
                Some(Look::Item) => {
                    let stop = flag(x, flags.of_item);
                    end_if(x, stop, &zeros);
                }
                Some(Look::Group) => {
                    if let Some(word) = shared {
                        let stop = flag_of_group(x, word, flags.of_group);
                        end_if(x, stop, &zeros);
                    }
                }
                None => {}
            }
            Ok(None)
        })?;
    }
    Ok(Changed::from_bool(
        module.functions.keys().any(|id| ends[id]),
    ))
}

/// The flags that a look takes.
#[derive(Clone, Copy)]
struct Flag {
    /// The context has been terminated.
    termination: bool,
    /// The launch ends because of a report.
    stop: bool,
}

impl Flag {
    fn any(self) -> bool {
        self.termination || self.stop
    }
}

/// The flags that looks of a function take.
#[derive(Clone, Copy)]
struct Flags {
    of_item: Flag,
    of_group: Flag,
}

impl Flags {
    fn of(module: &Module, id: FuncId, ctx: &Ctx<'_>) -> Self {
        let termination = ctx.target.terminable;
        let mut kernels = module.kernels.iter();
        let checked = kernels.any(|kernel| kernel.func == id && kernel.checked);
        let stop = checked && ctx.target.checks.has(Check::Stop);
        let waits = meets(&module.functions[id]);
        Self {
            of_item: Flag {
                termination,
                stop: stop && !waits,
            },
            of_group: Flag { termination, stop },
        }
    }
}

/// Returns whether work-items wait for their work-group.
fn meets(func: &Function) -> bool {
    let blocks = func.layout.blocks.iter();
    let mut insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts.any(|&inst| waits_for_group(&func.insts[inst].kind))
}

fn waits_for_group(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Barrier {
            execution: Scope::Workgroup,
            ..
        } | InstKind::Group {
            scope: Scope::Workgroup,
            ..
        }
    )
}

/// A look at the flag, at an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Before it, by each work-item.
    Item,
    /// Before it, by the work-group.
    Group,
    /// Behind it, a call, by each work-item.
    BehindCall,
}

/// The looks of a function; `ends` tells which callees may have ended before their time.
fn looks(func: &Function, ends: &SecondaryMap<FuncId, bool>) -> FxHashMap<Inst, Look> {
    let mut looks = FxHashMap::default();
    if func.entry().is_none() {
        return looks;
    }
    let cfg = Cfg::new(func);
    for &block in cfg.reverse_postorder() {
        for &inst in &func.layout.insts[block] {
            if matches!(func.insts[inst].kind, InstKind::Call { func, .. } if ends[func]) {
                looks.insert(inst, Look::BehindCall);
            }
        }
    }
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return looks;
    };
    for head in long_cycles::heads(func, &cfg, &dom, &nest, MOST_ROUNDS) {
        let barrier = (head.natural)
            .and_then(|this| group_barrier(func, &cfg, &dom, &nest, this, &head.latches));
        match barrier {
            Some(inst) => {
                looks.insert(inst, Look::Group);
            }
            // A terminator at least. Behind a call there is a look each round anyway.
            None => {
                if let Some(&first) = func.layout.insts[head.block].first() {
                    looks.entry(first).or_insert(Look::Item);
                }
            }
        }
    }
    looks
}

/// A barrier of the work-group that each round of a loop comes to.
fn group_barrier(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
    this: Loop,
    latches: &[Block],
) -> Option<Inst> {
    let each_round = |block: Block| {
        nest.contains(this, block) && latches.iter().all(|&latch| dom.dominates(block, latch))
    };
    let blocks = cfg
        .reverse_postorder()
        .iter()
        .copied()
        .filter(|&block| each_round(block));
    let mut insts = blocks.flat_map(|block| func.layout.insts[block].iter().copied());
    insts.find(|&inst| waits_for_group(&func.insts[inst].kind))
}

/// Local memory in which the first work-item of a work-group tells the others what it found.
pub(super) fn shared_word() -> GlobalData {
    GlobalData {
        name: String::new(),
        space: AddressSpace::Local,
        size: 4,
        align: 4,
        init: Vec::new(),
        relocations: Vec::new(),
        linkage: Linkage::Internal,
    }
}

/// Returns from the function if `stop` is true.
fn end_if(x: &mut Expander<'_>, stop: Value, zeros: &[Value]) {
    let (end, go) = (x.new_block(), x.new_block());
    x.branch_bare(stop, [end, go], end);
    let values = zeros.iter().copied().collect();
    x.end_block(InstKind::Return { values }, go);
}

/// The flags' words as they are now: 0 if none is set.
fn word(x: &mut Expander<'_>, flag: Flag) -> Value {
    let mut all = None;
    let words = [
        (flag.termination, BuiltIn::TerminationFlag, 0),
        (flag.stop, BuiltIn::CheckMemory, STOPPED_AT),
    ];
    for (_, which, at) in words.into_iter().filter(|(is_read, ..)| *is_read) {
        let base = x.value(InstKind::BuiltIn { which }, which.ty());
        let ptr = x.offset(base, at);
        let load = InstKind::AtomicLoad {
            ptr,
            order: MemoryOrder::Relaxed,
            scope: Scope::Device,
        };
        let word = x.value(load, Type::I32);
        all = Some(match all {
            Some(all) => x.bin(BinaryOp::Or, all, word),
            None => word,
        });
    }
    all.unwrap_or_else(|| x.func.i32(0))
}

/// True if a flag is set.
fn flag(x: &mut Expander<'_>, flag: Flag) -> Value {
    let word = word(x, flag);
    x.icmp_const(IntCond::Ne, word, 0)
}

/// True if the flag is set for the first work-item of the work-group, all of which are here.
fn flag_of_group(x: &mut Expander<'_>, shared: GlobalId, flag: Flag) -> Value {
    let which = BuiltIn::LocalLinearId;
    let id = x.value(InstKind::BuiltIn { which }, which.ty());
    let first = x.icmp_const(IntCond::Eq, id, 0);
    let ptr = InstKind::GlobalAddr { global: shared };
    let ptr = x.value(ptr, Type::ptr(AddressSpace::Local));
    x.when(first, |x| {
        let value = word(x, flag);
        x.store(ptr, value, 4);
    });
    barrier(x);
    let found = x.load(ptr, Type::I32, 4);
    // The next round's store comes after all loads.
    barrier(x);
    x.icmp_const(IntCond::Ne, found, 0)
}
