//! Variables of a function that become values as its body is read.
//!
//! These are scalars, vectors and pointers that are only loaded and stored whole and have no volatile access: nearly
//! all that front ends write. They never come to lie in memory, so that no pass has to look at their loads and stores.

use super::types::Ty;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use pumice_ir::phis::Parameters;
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
#[derive(Debug, Default)]
pub(super) struct Variables {
    pub data: PrimaryMap<Variable, VariableData>,
    pub by_id: FxHashMap<u32, Variable>,
    /// The variables for which each block has a parameter, behind its phis' parameters.
    pub parameters: Parameters<Variable>,
    current: SecondaryMap<Variable, PackedOption<Value>>,
    /// The values before each write on the way from the entry.
    undo: Vec<(Variable, PackedOption<Value>)>,
    /// Gives zero for what nothing has written.
    pub zero: bool,
}

impl Variables {
    /// The variable that an `OpVariable` makes, if it becomes values.
    pub fn of(&self, id: u32) -> Option<Variable> {
        self.by_id.get(&id).copied()
    }

    /// Notes a write.
    pub fn set(&mut self, variable: Variable, value: Value) {
        self.undo.push((variable, self.current[variable]));
        self.current[variable] = value.into();
    }

    /// The value at this place; anything or zero if nothing has written.
    pub fn value(&self, func: &mut Function, variable: Variable) -> Value {
        let ty = self.data[variable].leaf;
        match self.current[variable].expand() {
            Some(value) => value,
            None if self.zero => func.splat_constant(ty, 0),
            None => func.undef(ty),
        }
    }

    /// Begins a block: its parameters are its variables' values.
    pub fn enter(&mut self, func: &Function, block: Block) {
        let params = &func.blocks[block].params;
        let first = params.len() - self.parameters[block].len();
        for index in first..params.len() {
            self.set(self.parameters[block][index - first], params[index]);
        }
    }

    /// The number of writes on the way here, for [`Variables::leave`].
    pub fn writes(&self) -> usize {
        self.undo.len()
    }

    /// Goes back to the values as they were when so many writes had been noted.
    pub fn leave(&mut self, writes: usize) {
        for (variable, value) in self.undo.drain(writes..).rev() {
            self.current[variable] = value;
        }
    }

    /// Adds what a branch to a block hands on.
    pub fn hand_on(&self, func: &mut Function, to: Block, args: &mut SmallVec<[Value; 4]>) {
        for &variable in &self.parameters[to] {
            args.push(self.value(func, variable));
        }
    }
}
