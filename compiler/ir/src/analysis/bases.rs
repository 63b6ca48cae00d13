//! Finds the buffers that a global or constant pointer may point into, for the descriptor form.
//!
//! Takes: a function of lowered IR. Gives: for every pointer, and for every integer made of
//! pointers, the set of its buffers, or why that is not known.
//!
//! Algorithm: sets grow from the roots (arguments, variables, the printf buffer, NULL) along data
//! flow until nothing changes. Integers keep the buffers of the pointers that they were made of,
//! so that a pointer may go through arithmetic and come back; a difference of pointers is no
//! pointer any more. What comes out of memory is not known.

use crate::{
    AddressSpace, BinaryOp, Block, ConvertOp, Function, GlobalId, InstKind, Module, Scalar, Value,
    ValueDef,
};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// A buffer of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// No buffer: the pointer is NULL.
    Null,
    /// Constant variables of the program.
    Constants,
    /// Global variables of the program.
    Variables,
    /// The printf buffer.
    Printf,
    /// The argument that `LoadArg` reads at that offset.
    Arg(u32),
}

impl Base {
    /// The high word of an integer made of a pointer, and how the buffer is named at run time.
    pub fn number(self) -> u32 {
        match self {
            Base::Null => 0,
            Base::Constants => 1,
            Base::Variables => 2,
            Base::Printf => 3,
            Base::Arg(offset) => 4 + offset / 4,
        }
    }

    /// The buffer of a program-scope variable.
    pub fn of_global(module: &Module, global: GlobalId) -> Self {
        match module.globals[global].space {
            AddressSpace::Constant => Base::Constants,
            _ => Base::Variables,
        }
    }
}

/// The reason why a pointer's buffer is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It comes out of memory.
    Loaded,
    /// It was made of an integer that no pointer went into.
    FromInteger,
    /// It is a parameter of a function that is not a kernel.
    Parameter,
    /// Any other reason.
    Other,
}

impl Lost {
    /// Says in words what the pointer is.
    pub fn what(self) -> &'static str {
        match self {
            Lost::Loaded => "a pointer loaded from memory",
            Lost::FromInteger => "a pointer made of an integer",
            Lost::Parameter => "a pointer passed to a function",
            Lost::Other => "a pointer of unknown origin",
        }
    }
}

/// The buffers that a value may point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaseSet {
    /// Sorted.
    pub bases: SmallVec<[Base; 2]>,
    /// Set where others are possible.
    pub lost: Option<Lost>,
}

impl BaseSet {
    fn one(base: Base) -> Self {
        Self {
            bases: SmallVec::from_slice(&[base]),
            lost: None,
        }
    }

    fn lost(why: Lost) -> Self {
        Self {
            bases: SmallVec::new(),
            lost: Some(why),
        }
    }

    /// Adds a buffer.
    pub fn add(&mut self, base: Base) -> bool {
        let place = self.bases.binary_search(&base);
        if let Err(at) = place {
            self.bases.insert(at, base);
        }
        place.is_err()
    }

    /// Adds another set's members.
    pub fn join(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for &base in &other.bases {
            changed |= self.add(base);
        }
        if self.lost.is_none() && other.lost.is_some() {
            self.lost = other.lost;
            changed = true;
        }
        changed
    }

    /// The buffers, without NULL.
    pub fn buffers(&self) -> &[Base] {
        match self.bases.first() {
            Some(Base::Null) => &self.bases[1..],
            _ => &self.bases,
        }
    }
}

/// The sets of one function.
pub struct Bases {
    sets: SecondaryMap<Value, BaseSet>,
}

/// Returns whether a type is that of a pointer which the descriptor form keeps as an offset.
pub fn is_buffer_pointer(ty: crate::Type) -> bool {
    matches!(
        ty.address_space(),
        Some(AddressSpace::Global | AddressSpace::Constant)
    )
}

impl Bases {
    /// Finds the sets of a function.
    pub fn of(module: &Module, func: &Function) -> Self {
        let mut bases = Self {
            sets: SecondaryMap::new(),
        };
        if let Some(entry) = func.entry() {
            for &param in &func.blocks[entry].params {
                if is_pointer(func, param) {
                    bases.sets[param] = BaseSet::lost(Lost::Parameter);
                }
            }
        }
        loop {
            let mut changed = false;
            for &block in &func.layout.blocks {
                changed |= bases.block(module, func, block);
            }
            if !changed {
                return bases;
            }
        }
    }

    /// The set of a value.
    pub fn get(&self, func: &Function, value: Value) -> BaseSet {
        match func.def(value) {
            ValueDef::Const(bits) if is_pointer(func, value) => {
                if bits.iter().all(|&bits| bits == 0) {
                    BaseSet::one(Base::Null)
                } else {
                    BaseSet::lost(Lost::FromInteger)
                }
            }
            ValueDef::Const(_) | ValueDef::Undef => BaseSet::default(),
            _ => self.sets[value].clone(),
        }
    }

    fn block(&mut self, module: &Module, func: &Function, block: Block) -> bool {
        let mut changed = false;
        for &inst in &func.layout.insts[block] {
            let data = &func.insts[inst];
            for call in data.kind.successors() {
                for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    let set = self.get(func, arg);
                    changed |= self.sets[param].join(&set);
                }
            }
            for &result in &data.results {
                let set = self.result(module, func, &data.kind, result);
                changed |= self.sets[result].join(&set);
            }
        }
        changed
    }

    fn result(&self, module: &Module, func: &Function, kind: &InstKind, result: Value) -> BaseSet {
        let pointer = is_pointer(func, result);
        match kind {
            InstKind::LoadArg { offset } if pointer => BaseSet::one(Base::Arg(*offset)),
            InstKind::GlobalAddr { global } if pointer => {
                BaseSet::one(Base::of_global(module, *global))
            }
            InstKind::BuiltIn { .. } if pointer => BaseSet::one(Base::Printf),
            InstKind::PtrAdd { base, .. } if pointer => self.get(func, *base),
            InstKind::Select { then, other, .. } => {
                let mut set = self.get(func, *then);
                set.join(&self.get(func, *other));
                set
            }
            InstKind::Convert { op, arg, .. } => match op {
                ConvertOp::IntToPtr if pointer => {
                    let set = self.get(func, *arg);
                    if func.const_bits(*arg) == Some(0) {
                        BaseSet::one(Base::Null)
                    } else if set.bases.is_empty() {
                        BaseSet::lost(set.lost.unwrap_or(Lost::FromInteger))
                    } else {
                        set
                    }
                }
                ConvertOp::PtrToInt | ConvertOp::AddressSpaceCast => self.get(func, *arg),
                _ => BaseSet::default(),
            },
            InstKind::Binary { op, args, .. } if is_integer(func, result) => {
                let [a, b] = args.map(|arg| self.get(func, arg));
                let low_bits = args.iter().any(|&arg| {
                    func.const_bits(arg)
                        .is_some_and(|bits| bits <= u64::from(u32::MAX))
                });
                match op {
                    // Bits of an offset, as alignment checks take them.
                    BinaryOp::And if low_bits => BaseSet::default(),
                    BinaryOp::ISub if !a.bases.is_empty() && !b.bases.is_empty() => {
                        BaseSet::default()
                    }
                    BinaryOp::IAdd
                    | BinaryOp::ISub
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor => {
                        let mut set = a;
                        set.join(&b);
                        set
                    }
                    _ => BaseSet::default(),
                }
            }
            InstKind::Load { .. } | InstKind::AtomicLoad { .. } | InstKind::AtomicRmw { .. }
                if pointer =>
            {
                BaseSet::lost(Lost::Loaded)
            }
            _ if pointer => BaseSet::lost(Lost::Other),
            _ => BaseSet::default(),
        }
    }
}

fn is_pointer(func: &Function, value: Value) -> bool {
    matches!(
        func.ty(value).scalar,
        Scalar::Ptr(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic)
    )
}

fn is_integer(func: &Function, value: Value) -> bool {
    let ty = func.ty(value);
    ty == crate::Type::I64
}
