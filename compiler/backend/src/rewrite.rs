//! Replacing values by others, collected first and applied in one walk.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_ir::{Function, Value};

/// A set of "use this instead of that".
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    map: SecondaryMap<Value, PackedOption<Value>>,
    any: bool,
}

impl Replacements {
    /// Returns whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Uses of `old` become uses of `new`.
    pub fn replace(&mut self, old: Value, new: Value) {
        let new = self.resolve(new);
        if old != new {
            self.map[old] = new.into();
            self.any = true;
        }
    }

    /// Gives the value that stands for `value` now; shortens the chain on the way.
    pub fn resolve(&mut self, value: Value) -> Value {
        let Some(mut last) = self.map[value].expand() else {
            return value;
        };
        while let Some(next) = self.map[last].expand() {
            last = next;
        }
        let mut at = value;
        while at != last {
            match self.map[at].expand() {
                Some(next) => {
                    self.map[at] = last.into();
                    at = next;
                }
                None => break,
            }
        }
        last
    }

    /// Rewrites every operand in the layout.
    pub fn apply(&mut self, func: &mut Function) {
        if self.any {
            func.rewrite_values(|value| self.resolve(value));
        }
    }
}
