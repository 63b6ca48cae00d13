//! Finds values that a driver may know and this compiler does not: it sees the work-group's size,
//! and the contents of private and local memory. Passes for drivers that go wrong with constants
//! ask here.

use crate::{
    AddressSpace, BinaryOp, Block, BlockCall, BuiltIn, Cfg, ConvertOp, Function, Inst, InstKind,
    Loop, LoopNest, Value, ValueDef, reachable_by,
};
use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Returns whether a driver may find out an integer, however it is computed: not if it is made of
/// what lies in buffers, nor of what the dispatch decides.
pub fn may_be_known(func: &Function, value: Value, depth: u32) -> bool {
    let (Some(inst), Some(depth)) = (func.def_inst(value), depth.checked_sub(1)) else {
        return true;
    };
    match &func.insts[inst].kind {
        InstKind::Load { ptr, .. } => !in_buffer(func, *ptr),
        InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => of_group(*which),
        InstKind::LoadArg { .. } | InstKind::LoadArgWord { .. } | InstKind::AtomicRmw { .. } => {
            false
        }
        InstKind::Convert { arg, .. } | InstKind::Splat { arg } => may_be_known(func, *arg, depth),
        InstKind::Extract { vector, .. } => may_be_known(func, *vector, depth),
        InstKind::Build { lanes } => lanes.iter().any(|&lane| may_be_known(func, lane, depth)),
        InstKind::Shuffle { args, .. } => args.iter().any(|&arg| may_be_known(func, arg, depth)),
        _ => true,
    }
}

fn in_buffer(func: &Function, ptr: Value) -> bool {
    let space = func.ty(ptr).address_space();
    matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
}

/// Returns whether it follows from the work-group's size alone where that is one.
fn of_group(which: BuiltIn) -> bool {
    !matches!(
        which,
        BuiltIn::GlobalId
            | BuiltIn::GroupId
            | BuiltIn::GlobalSize
            | BuiltIn::NumGroups
            | BuiltIn::GlobalOffset
            | BuiltIn::WorkDim
            | BuiltIn::GlobalLinearId
            | BuiltIn::AddressDelta
            | BuiltIn::TerminationFlag
    )
}

/// Values, constants aside, that a driver may know: loads that may see a stored zero, local ids,
/// and what is computed of these and of constants alone.
///
/// Values that change from round to round of a loop count if the driver may unroll it: it is left by what is known.
pub fn known_values(func: &Function) -> FxHashSet<Value> {
    let cfg = Cfg::new(func);
    let reached = reachable_by(func, |block| taken(func, block));
    let mut loops = loops_by_counters(func, &cfg);
    for _ in 0..MOST_REFUTATIONS {
        let known = known_from(func, &cfg, &reached, &loops);
        let mut refuted = false;
        for this in &mut loops {
            refuted |= this.refute(func, &cfg, &known);
        }
        if !refuted {
            return known;
        }
    }
    known_from(func, &cfg, &reached, &loops)
}

/// Times that what is assumed of loops is compared with what follows from it. What is left then stays assumed, which
/// costs time, but is never wrong.
const MOST_REFUTATIONS: u32 = 8;

/// A loop, while all rounds of it may be known.
struct KnownRounds {
    header: Block,
    /// The conditions by which it is left.
    exits: Vec<Value>,
    /// The values that change from round to round, and are known in each.
    params: Vec<(usize, Value)>,
}

impl KnownRounds {
    /// Drops what is not known if all that was assumed is; returns whether there was some.
    fn refute(&mut self, func: &Function, cfg: &Cfg, known: &FxHashSet<Value>) -> bool {
        let before = self.params.len();
        let is_left_by_known = self.exits.iter().any(|exit| known.contains(exit));
        let header = self.header;
        self.params.retain(|&(index, _)| {
            let mut preds = cfg.preds(header).iter();
            is_left_by_known
                && preds.all(|&pred| {
                    let mut calls = taken(func, pred).into_iter();
                    calls
                        .all(|call| call.block != header || is_known(func, known, call.args[index]))
                })
        });
        self.params.len() != before
    }
}

/// The loops that are left by a condition, with all values that may be a zero at their start and change from round to round.
fn loops_by_counters(func: &Function, cfg: &Cfg) -> Vec<KnownRounds> {
    let Some((dom, nest)) = LoopNest::find(cfg) else {
        return Vec::new();
    };
    let mut exits: SecondaryMap<Loop, Vec<Value>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        let condition = func.terminator(block).map(|inst| &func.insts[inst].kind);
        if let (Some(this), Some(&InstKind::Branch { cond, .. })) =
            (nest.innermost(block), condition)
        {
            if !cfg
                .succs(block)
                .iter()
                .all(|&next| nest.contains(this, next))
            {
                exits[this].push(cond);
            }
        }
    }
    let loops = nest
        .loops
        .iter()
        .filter(|&(this, _)| !exits[this].is_empty());
    let loops = loops.map(|(this, data)| {
        let header = data.header;
        let entries = cfg.preds(header).iter().copied();
        let entries: Vec<Block> = entries
            .filter(|&pred| !dom.dominates(header, pred))
            .collect();
        let starts_as_zero = |index: usize| {
            let calls = entries.iter().flat_map(|&pred| taken(func, pred));
            let mut args = calls
                .filter(|call| call.block == header)
                .map(|call| call.args[index]);
            args.all(|arg| {
                func.const_lanes(arg)
                    .is_none_or(|lanes| has_zero(func, arg, lanes))
            })
        };
        let params = func.blocks[header].params.iter().copied().enumerate();
        let params = params.filter(|&(index, param)| {
            // A product of numbers that are no zeros is none.
            !func.ty(param).scalar.is_float() || starts_as_zero(index)
        });
        KnownRounds {
            header,
            exits: exits[this].clone(),
            params: params.collect(),
        }
    });
    loops.collect()
}

/// Finds what is known if the rounds of these loops are.
fn known_from(
    func: &Function,
    cfg: &Cfg,
    reached: &EntitySet<Block>,
    loops: &[KnownRounds],
) -> FxHashSet<Value> {
    let params = loops.iter().flat_map(|this| &this.params);
    let mut known: FxHashSet<Value> = params.map(|&(_, param)| param).collect();
    // What is known may be stored, and what is loaded then is known too.
    loop {
        let before = known.len();
        let loads = loads_of_zeros(func, cfg, &known);
        for &block in cfg.reverse_postorder() {
            let preds = cfg.preds(block).iter().copied();
            let preds: Vec<Block> = preds.filter(|&pred| reached.contains(pred)).collect();
            known.extend(known_params(func, &preds, block, &known));
            for &inst in &func.layout.insts[block] {
                if follows(func, inst, &loads, &known) {
                    known.extend(func.insts[inst].results.iter().copied());
                }
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// Returns whether a driver knows a value. It takes any number for one that is undefined.
fn is_known(func: &Function, known: &FxHashSet<Value>, value: Value) -> bool {
    known.contains(&value)
        || func.const_lanes(value).is_some()
        || matches!(func.def(value), ValueDef::Undef)
}

/// Gives the branches that a block may take: not those whose condition is a constant that says
/// otherwise.
fn taken(func: &Function, block: Block) -> SmallVec<[&BlockCall; 2]> {
    let Some(inst) = func.terminator(block) else {
        return SmallVec::new();
    };
    match &func.insts[inst].kind {
        InstKind::Branch { cond, then, other } => match func.const_lanes(*cond) {
            Some(&[0]) => SmallVec::from_slice(&[other]),
            Some(_) => SmallVec::from_slice(&[then]),
            None => SmallVec::from_slice(&[then, other]),
        },
        kind => kind.successors(),
    }
}

/// The parameters of a block that are known because all that is passed to them is.
fn known_params(
    func: &Function,
    preds: &[Block],
    block: Block,
    known: &FxHashSet<Value>,
) -> Vec<Value> {
    let mut known_so_far: Vec<bool> = vec![!preds.is_empty(); func.blocks[block].params.len()];
    for &pred in preds {
        for call in taken(func, pred) {
            if call.block == block {
                for (so_far, arg) in known_so_far.iter_mut().zip(&call.args) {
                    *so_far &= is_known(func, known, *arg);
                }
            }
        }
    }
    let params = func.blocks[block].params.iter().copied();
    let pairs = params.zip(known_so_far);
    pairs.filter(|(_, known)| *known).map(|(p, _)| p).collect()
}

/// Returns whether the results of an instruction are known if `loads` and `known` are.
fn follows(func: &Function, inst: Inst, loads: &FxHashSet<Inst>, known: &FxHashSet<Value>) -> bool {
    let one = |value: Value| is_known(func, known, value);
    let all = |values: &[Value]| values.iter().all(|&value| one(value));
    let lane = |value: Value| one(value) || of_integer(func, value);
    match &func.insts[inst].kind {
        InstKind::Load { .. } => loads.contains(&inst),
        InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => of_group(*which),
        InstKind::Unary { arg, .. } | InstKind::Convert { arg, .. } | InstKind::Splat { arg } => {
            one(*arg)
        }
        // A product with one known zero is one, for drivers that are wrong there.
        InstKind::Binary {
            op: BinaryOp::FMul,
            args,
            ..
        } => args.iter().any(|arg| known.contains(arg)),
        InstKind::Binary { args, .. }
        | InstKind::ICmp { args, .. }
        | InstKind::FCmp { args, .. } => all(args),
        InstKind::Math { args, .. } => all(args),
        InstKind::Select { cond, then, other } => {
            all(&[*then, *other]) || one(*cond) && (one(*then) || one(*other))
        }
        // One lane is enough.
        InstKind::Build { lanes } => lanes.iter().any(|&value| lane(value)),
        InstKind::Extract { vector, .. } | InstKind::ExtractDyn { vector, .. } => one(*vector),
        InstKind::Insert { vector, scalar, .. } | InstKind::InsertDyn { vector, scalar, .. } => {
            one(*vector) || lane(*scalar)
        }
        InstKind::Shuffle { args, .. } => args.iter().any(|&arg| one(arg)),
        _ => false,
    }
}

/// Returns whether it is an integer made a float that a driver may find out, in a loop that it
/// unrolls too.
fn of_integer(func: &Function, value: Value) -> bool {
    let kind = func.def_inst(value).map(|inst| &func.insts[inst].kind);
    match kind {
        Some(InstKind::Convert {
            op: ConvertOp::SToF | ConvertOp::UToF,
            arg,
            ..
        }) => may_be_known(func, *arg, 6),
        _ => false,
    }
}

/// Memory that may hold stored zeros.
#[derive(Clone, Copy, Default, PartialEq)]
struct Zeros {
    private: bool,
    local: bool,
}

impl Zeros {
    fn at(&mut self, func: &Function, ptr: Value) -> Option<&mut bool> {
        match func.ty(ptr).address_space() {
            Some(AddressSpace::Private) => Some(&mut self.private),
            Some(AddressSpace::Local) => Some(&mut self.local),
            _ => None,
        }
    }

    fn step(&mut self, func: &Function, inst: Inst, known: &FxHashSet<Value>) {
        match &func.insts[inst].kind {
            InstKind::Store { ptr, value, .. } | InstKind::AtomicStore { ptr, value, .. } => {
                if let Some(zeros) = self.at(func, *ptr) {
                    *zeros |= may_be_zero(func, *value, known);
                }
            }
            InstKind::MemCopy { dst, src, .. } if !in_buffer(func, *src) => {
                if let Some(zeros) = self.at(func, *dst) {
                    *zeros = true;
                }
            }
            // Behind it, other work-items may have stored something else.
            InstKind::Barrier { local: true, .. } => self.local = false,
            _ => {}
        }
    }
}

/// Loads that may see a stored zero which the driver knows.
fn loads_of_zeros(func: &Function, cfg: &Cfg, known: &FxHashSet<Value>) -> FxHashSet<Inst> {
    let mut ends: SecondaryMap<Block, Zeros> = func.block_map();
    let begin = |ends: &SecondaryMap<Block, Zeros>, block| {
        let mut zeros = Zeros::default();
        for &pred in cfg.preds(block) {
            zeros.private |= ends[pred].private;
            zeros.local |= ends[pred].local;
        }
        zeros
    };
    loop {
        let mut changed = false;
        for &block in cfg.reverse_postorder() {
            let mut zeros = begin(&ends, block);
            for &inst in &func.layout.insts[block] {
                zeros.step(func, inst, known);
            }
            changed |= ends[block] != zeros;
            ends[block] = zeros;
        }
        if !changed {
            break;
        }
    }
    let mut loads = FxHashSet::default();
    for &block in cfg.reverse_postorder() {
        let mut zeros = begin(&ends, block);
        for &inst in &func.layout.insts[block] {
            zeros.step(func, inst, known);
            if let InstKind::Load { ptr, .. } = func.insts[inst].kind {
                if zeros.at(func, ptr).is_some_and(|zeros| *zeros) {
                    loads.insert(inst);
                }
            }
        }
    }
    loads
}

/// Returns whether a stored value is a zero for the driver, or what becomes one when other types
/// are loaded.
fn may_be_zero(func: &Function, value: Value, known: &FxHashSet<Value>) -> bool {
    let Some(lanes) = func.const_lanes(value) else {
        return known.contains(&value);
    };
    has_zero(func, value, lanes)
}

/// Returns whether a lane of a constant is a zero of either sign, or has a word that is one.
fn has_zero(func: &Function, value: Value, lanes: &[u64]) -> bool {
    let bits = func.ty(value).scalar.bits();
    let sign = 1 << (bits.min(32) - 1);
    lanes.iter().any(|lane| {
        let mut words = (0..bits.div_ceil(32)).map(|word| (lane >> (32 * word)) as u32);
        words.any(|word| word & !sign == 0)
    })
}
