//! The object that each pointer of a kernel is derived from, where all ways to it say the same.
//!
//! An optimistic fixed point over pointers: a loop's pointer is its start's until a round finds another. NULL, pointers
//! from memory or integers, results of calls, and a choice between two objects are unknown.

use pumice_ir::{
    ArgLayout, BlockCall, Cfg, ConvertOp, Function, GlobalId, InstKind, KernelArgKind, KernelInfo,
    StackSlot, Value, ValueDef,
};
use pumice_target::Abi;
use rustc_hash::FxHashMap;

/// An object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// The object that an argument points to.
    Argument(u32),
    /// A variable of program scope, or a local one.
    Variable(GlobalId),
    /// A private variable.
    Private(StackSlot),
}

/// Found so far; a pointer without a state was not met yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Known(Root),
    Unknown,
}

/// The objects of a kernel's pointers.
pub(crate) struct Roots {
    states: FxHashMap<Value, State>,
    /// Ordinals of pointer arguments by their place in the argument block.
    arguments: FxHashMap<u32, u32>,
    changed: bool,
}

impl Roots {
    /// Finds the objects.
    pub fn new(func: &Function, kernel: &KernelInfo) -> Self {
        let layout = ArgLayout::of(kernel, &Abi::Addresses);
        let places = layout.places.iter().zip(&kernel.args).enumerate();
        let arguments = places.filter_map(|(ordinal, (place, arg))| {
            let is_pointer = matches!(arg.kind, KernelArgKind::Pointer(_));
            Some(((*place)?.offset, ordinal as u32)).filter(|_| is_pointer)
        });
        let mut roots = Self {
            states: FxHashMap::default(),
            arguments: arguments.collect(),
            changed: true,
        };
        let order = Cfg::new(func).reverse_postorder().to_vec();
        while std::mem::take(&mut roots.changed) {
            for &block in &order {
                for &inst in &func.layout.insts[block] {
                    roots.inst(func, inst);
                }
            }
        }
        roots
    }

    /// The object of a pointer.
    pub fn of(&self, pointer: Value) -> Option<Root> {
        match self.states.get(&pointer) {
            Some(State::Known(root)) => Some(*root),
            _ => None,
        }
    }

    fn get(&self, func: &Function, value: Value) -> Option<State> {
        match func.def(value) {
            ValueDef::Const(_) => Some(State::Unknown),
            ValueDef::Undef => None,
            _ => self.states.get(&value).copied(),
        }
    }

    /// Joins what is known of a value with what another way to it says.
    fn meet(&mut self, value: Value, state: Option<State>) {
        let Some(state) = state else { return };
        let slot = self.states.entry(value);
        let slot = slot.or_insert_with(|| {
            self.changed = true;
            state
        });
        if *slot != state && *slot != State::Unknown {
            *slot = State::Unknown;
            self.changed = true;
        }
    }

    fn inst(&mut self, func: &Function, inst: pumice_ir::Inst) {
        let data = &func.insts[inst];
        for call in data.kind.successors() {
            self.branch(func, call);
        }
        let Some(&result) = data.results.first() else {
            return;
        };
        if func.ty(result).address_space().is_none() {
            return;
        }
        let root = |root| Some(State::Known(root));
        let state = match data.kind {
            InstKind::LoadArg { offset } => match self.arguments.get(&offset) {
                Some(&ordinal) => root(Root::Argument(ordinal)),
                None => Some(State::Unknown),
            },
            InstKind::LocalArg { ordinal } => root(Root::Argument(ordinal)),
            InstKind::GlobalAddr { global } => root(Root::Variable(global)),
            InstKind::StackAddr { slot } => root(Root::Private(slot)),
            InstKind::PtrAdd { base, .. } => self.get(func, base),
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast | ConvertOp::Bitcast,
                arg,
                ..
            } => self.get(func, arg),
            InstKind::Select { then, other, .. } => {
                let (then, other) = (self.get(func, then), self.get(func, other));
                self.meet(result, then);
                other
            }
            _ => Some(State::Unknown),
        };
        // A pointer among several results, or several pointers in one value, is nothing of these.
        let single = data.results.len() == 1 && !func.ty(result).is_vector();
        self.meet(result, if single { state } else { Some(State::Unknown) });
    }

    fn branch(&mut self, func: &Function, call: &BlockCall) {
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            if func.ty(param).address_space().is_some() {
                self.meet(param, self.get(func, arg));
            }
        }
    }
}
