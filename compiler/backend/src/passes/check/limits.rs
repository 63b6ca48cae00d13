//! Numbers about the objects of a kernel's arguments, which it reads at its start from the memory of the launch's checks.

use pumice_check::layout::{
    ARGUMENT_ALIGNED_LIMITS, ARGUMENT_BEFORE, ARGUMENT_BYTES, ARGUMENT_LIMITS, ARGUMENT_SIZE,
    ARGUMENTS, MOST_LIMITED,
};
use pumice_ir::analysis::low_zeros;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, FloatFlags, Function, Inst, InstKind, IntCond, SourceLoc,
    Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most steps on the way to an offset's origin.
const MOST_STEPS: u32 = 8;

/// A number about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Limit {
    /// Its bytes before the argument's pointer.
    Before,
    /// All its bytes.
    Size,
    /// The offsets in it that have so many bytes behind them.
    Bytes(u64),
    /// The same, 0 if the argument's pointer is no multiple of so many bytes, a power of two.
    Aligned(u64),
}

impl Limit {
    /// The place of the number in an argument's entry.
    pub fn at(self) -> Option<u64> {
        let log = |bytes: u64| {
            let has = bytes.is_power_of_two() && bytes <= MOST_LIMITED;
            has.then(|| u64::from(bytes.trailing_zeros()) * 8)
        };
        match self {
            Limit::Before => Some(ARGUMENT_BEFORE),
            Limit::Size => Some(ARGUMENT_SIZE),
            Limit::Bytes(bytes) => Some(ARGUMENT_LIMITS + log(bytes)?),
            Limit::Aligned(bytes) => Some(ARGUMENT_ALIGNED_LIMITS + log(bytes)?),
        }
    }
}

/// The place of a number in the memory of checks.
pub(crate) fn place(ordinal: u32, at: u64) -> u64 {
    ARGUMENTS + u64::from(ordinal) * ARGUMENT_BYTES + at
}

/// The numbers that a kernel has read.
#[derive(Default)]
pub(super) struct Limits {
    values: FxHashMap<(u32, Limit), Value>,
    /// The instructions that read them.
    loads: FxHashSet<Inst>,
}

impl Limits {
    /// Has a kernel read numbers behind its first instruction, which gives the memory's address.
    pub fn read(func: &mut Function, memory: Value, mut wanted: Vec<(u32, Limit)>) -> Self {
        wanted.sort_unstable();
        wanted.dedup();
        let mut limits = Self::default();
        let mut head: Vec<Inst> = Vec::new();
        for (ordinal, limit) in wanted {
            let value = limits.number(func, &mut head, memory, (ordinal, limit));
            limits.values.insert((ordinal, limit), value);
        }
        if let Some(entry) = func.entry() {
            func.layout.insts[entry].splice(1..1, head);
        }
        limits
    }

    /// A number that the kernel has read.
    pub fn of(&self, ordinal: u32, limit: Limit) -> Option<Value> {
        self.values.get(&(ordinal, limit)).copied()
    }

    /// Returns whether an instruction reads one of the numbers.
    pub fn reads(&self, inst: Inst) -> bool {
        self.loads.contains(&inst)
    }

    fn number(
        &mut self,
        func: &mut Function,
        head: &mut Vec<Inst>,
        memory: Value,
        (ordinal, limit): (u32, Limit),
    ) -> Value {
        match (limit.at(), limit) {
            (Some(at), _) => self.load(func, head, memory, place(ordinal, at)),
            (None, Limit::Bytes(bytes) | Limit::Aligned(bytes)) => {
                let size = self.load(func, head, memory, place(ordinal, ARGUMENT_SIZE));
                less(func, head, size, bytes)
            }
            (None, _) => func.i64(0),
        }
    }

    fn load(&mut self, func: &mut Function, head: &mut Vec<Inst>, memory: Value, at: u64) -> Value {
        let loc = SourceLoc::default();
        let offset = func.i64(at as i64);
        let ptr = InstKind::PtrAdd {
            base: memory,
            offset,
        };
        let ptr = func.make_inst(ptr, &[Type::ptr(AddressSpace::Global)], loc);
        let load = InstKind::Load {
            ptr: func.result(ptr),
            align: 8,
            flags: AccessFlags::empty(),
        };
        let load = func.make_inst(load, &[Type::I64], loc);
        head.extend([ptr, load]);
        self.loads.insert(load);
        func.result(load)
    }
}

/// `size < bytes ? 0 : size - (bytes - 1)`
fn less(func: &mut Function, head: &mut Vec<Inst>, size: Value, bytes: u64) -> Value {
    let loc = SourceLoc::default();
    let (zero, less, needed) = (
        func.i64(0),
        func.i64(bytes as i64 - 1),
        func.i64(bytes as i64),
    );
    let left = InstKind::Binary {
        op: BinaryOp::ISub,
        args: [size, less],
        flags: FloatFlags::empty(),
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

/// Returns whether an integer is known to be a multiple of a power of two.
pub(super) fn is_multiple(func: &Function, value: Value, of: u64) -> bool {
    low_zeros(func, value, MOST_STEPS) >= of.trailing_zeros()
}
