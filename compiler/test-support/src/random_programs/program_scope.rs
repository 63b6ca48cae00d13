//! Variables at program scope that are no constants, and pointers to them, as OpenCL C 2.0 and later have.

use super::Gen;
use super::types::{Space, Ty};

/// Elements of variables that work-items share out; no range is larger.
const ITEMS: u32 = 64;

impl Gen {
    /// Declares some variables that nothing writes, and pointers into them. Functions see them too.
    pub(crate) fn program_variables(&mut self) {
        if !self.has(Self::PROGRAM_SCOPE) {
            return;
        }
        for _ in 0..self.random.below(3) {
            let (name, ty) = (self.fresh("ps"), self.any_type());
            let len = 2 << self.random.below(3);
            let values = self.literals(ty, len);
            let ty_name = ty.name();
            self.top += &format!("__global {ty_name} {name}[{len}] = {{{values}}};\n");
            self.array_lvalue(&name, ty, len, Space::Global, false);
            if self.random.chance(50) {
                let (pointer, half) = (self.fresh("pp"), len / 2);
                let place = match self.random.chance(50) {
                    true => format!("{name} + {half}"),
                    false => format!("&{name}[{half}]"),
                };
                self.top += &format!("__global {ty_name} *__global {pointer} = {place};\n");
                self.array_lvalue(&pointer, ty, half, Space::Global, false);
            }
        }
        if self.has(Self::RECORDS) && self.random.chance(50) {
            let record = self.random.below(self.records.len() as u32) as usize;
            let (name, record_name) = (self.fresh("pr"), self.records[record].name.clone());
            self.top += &format!("__global {record_name} {name};\n");
            self.record_lvalues(&name, record, Space::Global, false);
        }
    }

    /// Declares a variable with an element for each work-item, which kernels change.
    pub(crate) fn shared_out_variable(&mut self) {
        if !self.has(Self::PROGRAM_SCOPE) || self.random.chance(40) {
            return;
        }
        let (name, ty) = (self.fresh("pw"), self.any_type());
        let values = self.literals(ty, 2);
        self.top += &format!("__global {} {name}[{ITEMS}] = {{{values}}};\n", ty.name());
        self.add_lvalue(format!("{name}[gid]"), Vec::new(), ty, true);
    }

    /// Literals of a type, as an initialiser has them.
    pub(crate) fn literals(&mut self, ty: Ty, count: u32) -> String {
        let values = (0..count).map(|_| {
            let literal = self.literal(ty.scalar);
            match ty.is_vector() {
                true => format!("({})({literal})", ty.name()),
                false => literal,
            }
        });
        values.collect::<Vec<_>>().join(", ")
    }
}
