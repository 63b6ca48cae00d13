//! The meanings of ids inside a function.

use super::types::Ty;
use super::variables::Variable;
use pumice_ir::{BuiltIn, MatrixType, Value};
use smallvec::SmallVec;

/// The values of an id: one for each leaf of its type.
pub(super) type Leaves = SmallVec<[Value; 1]>;

/// The value of an id inside a function.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// One value per leaf of the type.
    Leaves(Leaves),
    /// A pointer to memory that holds the aggregate and never changes.
    Memory(Value),
    /// The address of a built-in variable, or of one lane of it.
    BuiltIn(BuiltIn, Option<Value>),
    /// The address of a component of a matrix of the device's own: its type, its address, the component's number.
    Component(MatrixType, Value, Value),
    /// The address of a variable that becomes values.
    Variable(Variable),
}

/// The meaning of an id: its type and value.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub ty: Ty,
    pub val: Val,
    /// A pointer into a packed structure: natural alignment does not hold.
    pub packed: bool,
}

/// The meanings of a function's ids.
///
/// One table serves the functions of a module one after another: it has a number for each id in use, which
/// are far more than most functions define.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// One-based places in `list` by id; 0 for ids that mean nothing here.
    places: Vec<u32>,
    list: Vec<(u32, Local)>,
}

impl Locals {
    /// The meaning of an id.
    pub fn get(&self, id: u32) -> Option<&Local> {
        let place = *self.places.get(id as usize)?;
        Some(&self.list.get((place as usize).checked_sub(1)?)?.1)
    }

    /// Defines an id; false if it has a meaning already.
    pub fn define(&mut self, id: u32, local: Local) -> bool {
        if self.get(id).is_some() {
            return false;
        }
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, 0);
        }
        self.list.push((id, local));
        self.places[id as usize] = self.list.len() as u32;
        true
    }

    /// Forgets all ids, at the end of a function.
    pub fn clear(&mut self) {
        for (id, _) in self.list.drain(..) {
            self.places[id as usize] = 0;
        }
    }
}
