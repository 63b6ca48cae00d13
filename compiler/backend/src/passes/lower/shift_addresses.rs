//! Accesses of global memory get the device's address delta added.
//!
//! On devices whose addresses are not the host's, a pointer has the value that the host knows
//! ([`Target::address_delta`](pumice_target::Target::address_delta)); a byte lies at that value plus the delta.
//! Every access here goes through a second pointer, which is nothing but an address: what is stored, compared or
//! turned into a number stays the first one.
//!
//! The delta is added where a pointer comes from (an argument, a variable, a load, a block parameter), and the
//! pointer's arithmetic is repeated behind it. So each pointer costs one addition, outside of the loop that
//! moves along it; the arithmetic on the first pointer goes where nothing else uses it.

use crate::pass::{Changed, FunctionCtx};
use crate::passes::legalize::legalize_memory::with_pointer;
use pumice_ir::{
    AddressSpace, Block, BuiltIn, Function, Inst, InstKind, SourceLoc, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// Runs the pass.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let Some(entry) = func.entry() else {
        return Changed::No;
    };
    let accesses: Vec<(Inst, Value)> = (func.layout.blocks.iter())
        .flat_map(|&block| &func.layout.insts[block])
        .filter_map(|&inst| Some((inst, global_pointer(func, inst)?)))
        .collect();
    if accesses.is_empty() {
        return Changed::No;
    }
    let delta = InstKind::BuiltIn {
        which: BuiltIn::AddressDelta,
    };
    let delta = func.make_inst(delta, &[Type::I64], SourceLoc::default());
    let mut shift = Shift {
        delta: func.result(delta),
        shifted: FxHashMap::default(),
        behind: FxHashMap::default(),
        heads: FxHashMap::default(),
        entry,
    };
    shift.heads.entry(entry).or_default().push(delta);
    for (inst, pointer) in accesses {
        let pointer = shift.of(func, pointer);
        func.insts[inst].kind = with_pointer(&func.insts[inst].kind, pointer);
    }
    shift.place(func);
    Changed::Yes
}

/// The pointer of an access of memory that has addresses.
pub(crate) fn global_pointer(func: &Function, inst: Inst) -> Option<Value> {
    let pointer = func.insts[inst].kind.pointer()?;
    let space = func.ty(pointer).address_space();
    matches!(space, Some(AddressSpace::Global | AddressSpace::Constant)).then_some(pointer)
}

/// Returns whether an access goes through a pointer with the delta in it.
pub(crate) fn is_shifted(func: &Function, mut pointer: Value) -> bool {
    while let Some(inst) = func.def_inst(pointer) {
        let InstKind::PtrAdd { base, offset } = func.insts[inst].kind else {
            return false;
        };
        let which = func.def_inst(offset).map(|inst| &func.insts[inst].kind);
        let is_delta = |kind: &InstKind| {
            matches!(
                kind,
                InstKind::BuiltIn {
                    which: BuiltIn::AddressDelta
                }
            )
        };
        if which.is_some_and(is_delta) {
            return true;
        }
        pointer = base;
    }
    false
}

/// The pointers with the delta in them, and the new instructions until they have their places.
struct Shift {
    delta: Value,
    shifted: FxHashMap<Value, Value>,
    /// New instructions right behind others.
    behind: FxHashMap<Inst, Vec<Inst>>,
    /// New instructions at the beginning of blocks.
    heads: FxHashMap<Block, Vec<Inst>>,
    entry: Block,
}

impl Shift {
    /// The pointer with the delta in it.
    fn of(&mut self, func: &mut Function, pointer: Value) -> Value {
        // Pointers whose arithmetic is to be repeated, the last one first.
        let mut chain = Vec::new();
        let mut at = pointer;
        let mut shifted = loop {
            if let Some(&shifted) = self.shifted.get(&at) {
                break shifted;
            }
            let arithmetic = func.def_inst(at).and_then(|inst| {
                let InstKind::PtrAdd { base, offset } = func.insts[inst].kind else {
                    return None;
                };
                Some((inst, base, offset))
            });
            let Some((inst, base, offset)) = arithmetic else {
                break self.add(func, at);
            };
            chain.push((at, inst, offset));
            at = base;
        };
        for (value, inst, offset) in chain.into_iter().rev() {
            let base = shifted;
            let (ty, loc) = (func.ty(value), func.insts[inst].loc);
            let add = func.make_inst(InstKind::PtrAdd { base, offset }, &[ty], loc);
            self.behind.entry(inst).or_default().push(add);
            shifted = func.result(add);
            self.shifted.insert(value, shifted);
        }
        shifted
    }

    /// Adds the delta where the pointer comes from.
    fn add(&mut self, func: &mut Function, pointer: Value) -> Value {
        let add = InstKind::PtrAdd {
            base: pointer,
            offset: self.delta,
        };
        let add = func.make_inst(add, &[func.ty(pointer)], SourceLoc::default());
        match *func.def(pointer) {
            ValueDef::Result(inst, _) => self.behind.entry(inst).or_default().push(add),
            ValueDef::Param(block, _) => self.heads.entry(block).or_default().push(add),
            // Constants have no place of their own.
            _ => self.heads.entry(self.entry).or_default().push(add),
        }
        let shifted = func.result(add);
        self.shifted.insert(pointer, shifted);
        shifted
    }

    /// Puts the new instructions into the layout.
    fn place(mut self, func: &mut Function) {
        for block in func.layout.blocks.clone() {
            let old = std::mem::take(&mut func.layout.insts[block]);
            let mut new = self.heads.remove(&block).unwrap_or_default();
            for inst in old {
                new.push(inst);
                new.extend(self.behind.remove(&inst).unwrap_or_default());
            }
            func.layout.insts[block] = new;
        }
    }
}
