//! Variables of a function that become values as its body is read.
//!
//! These are scalars, vectors and pointers that are only loaded and stored whole and have no volatile access: nearly
//! all that front ends write. They never come to lie in memory, so that no pass has to look at their loads and stores.

use super::types::Ty;
use cranelift_entity::{PrimaryMap, entity_impl};
use pumice_ir::phis::Values;
use pumice_ir::{Block, Function, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The form that variables of functions get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableForm {
    /// All lie in memory, as the module says.
    Memory,
    /// Those that can be are values.
    Values {
        /// Gives zero for what nothing has written; else that is undefined.
        zero: bool,
    },
}

/// A variable that becomes values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Variable(u32);
entity_impl!(Variable);

#[derive(Clone, Copy, Debug)]
pub(super) struct VariableData {
    /// The type of what it holds.
    pub ty: Ty,
    pub leaf: Type,
}

/// The variables of a function that become values, and the values that they have at the place that is read.
#[derive(Debug)]
pub(super) struct Variables {
    pub data: PrimaryMap<Variable, VariableData>,
    pub by_id: FxHashMap<u32, Variable>,
    /// The blocks' parameters stand behind their phis' parameters.
    pub values: Values<Variable>,
}

impl Variables {
    /// No variable becomes values yet. With `zero`, what nothing has written is zero.
    pub fn new(zero: bool) -> Self {
        Self {
            data: PrimaryMap::new(),
            by_id: FxHashMap::default(),
            values: Values::new(zero),
        }
    }

    /// The variable that an `OpVariable` makes, if it becomes values.
    pub fn of(&self, id: u32) -> Option<Variable> {
        self.by_id.get(&id).copied()
    }

    /// The value of a variable at this place.
    pub fn value(&self, func: &mut Function, variable: Variable) -> Value {
        self.values.get(func, variable, self.data[variable].leaf)
    }

    /// Adds what a branch to a block hands on.
    pub fn hand_on(&self, func: &mut Function, to: Block, args: &mut SmallVec<[Value; 4]>) {
        for &variable in self.values.parameters(to) {
            args.push(self.value(func, variable));
        }
    }
}
