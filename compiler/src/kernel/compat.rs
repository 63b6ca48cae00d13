//! Layout compatibility of two types with different ids, and the casts between them.
//!
//! Modules of different front ends spell one C type differently: a pointer inside a record,
//! the width of an array's length, a record that refers to itself. Takes the merged module's
//! types; says whether a declaration fits a definition, and how to call across the difference.

use rspirv::spirv::{Decoration, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::merge::{Inst, Sections, inst, opcode};

/// The types and constants of the merged module, ids already unified.
pub struct Types<'m> {
    by_id: FxHashMap<u32, &'m [u32]>,
    packed: FxHashSet<u32>,
}

/// Casts of a call through an import's declaration to the definition.
#[derive(Clone, Debug)]
pub struct CallCast {
    /// For each parameter the type to cast the argument to.
    pub params: Vec<Option<u32>>,
    /// The definition's result type where the declaration has another.
    pub result: Option<u32>,
}

impl<'m> Types<'m> {
    /// Collects what [`Self::fits`] looks at.
    pub fn new(modules: &'m [Sections]) -> Self {
        let mut by_id: FxHashMap<u32, &'m [u32]> = FxHashMap::default();
        let mut packed = FxHashSet::default();
        for module in modules {
            let forward = Op::TypeForwardPointer as u32;
            for inst in module.globals.iter().filter(|i| opcode(i) != forward) {
                let at = if opcode(inst) == Op::Constant as u32 {
                    2
                } else {
                    1
                };
                if let Some(id) = inst.get(at) {
                    by_id.entry(*id).or_insert(inst);
                }
            }
            for inst in &module.decorations {
                if opcode(inst) == Op::Decorate as u32 && inst[2] == Decoration::CPacked as u32 {
                    packed.insert(inst[1]);
                }
            }
        }
        Self { by_id, packed }
    }

    fn inst(&self, id: u32) -> Option<(Op, &'m [u32])> {
        let inst = *self.by_id.get(&id)?;
        Some((Op::from_u32(opcode(inst))?, inst))
    }

    /// The value of an integer constant.
    fn number(&self, id: u32) -> Option<u64> {
        let (op, inst) = self.inst(id)?;
        let high = inst.get(4).copied().unwrap_or(0);
        (op == Op::Constant).then(|| u64::from(inst[3]) | u64::from(high) << 32)
    }

    /// Returns whether objects of both types have the same layout. Pointers inside need only the
    /// same storage class.
    pub fn fits(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let (Some((x, left)), Some((y, right))) = (self.inst(a), self.inst(b)) else {
            return false;
        };
        match (x, y) {
            (Op::TypePointer, Op::TypePointer) => left[2] == right[2],
            (Op::TypeArray, Op::TypeArray) => {
                self.number(left[3]).is_some()
                    && self.number(left[3]) == self.number(right[3])
                    && self.fits(left[2], right[2])
            }
            (Op::TypeStruct, Op::TypeStruct) => {
                // clang spells the padding at a record's end as an array of bytes.
                let common = left.len().min(right.len());
                let rest = left[common..].iter().chain(&right[common..]);
                self.packed.contains(&a) == self.packed.contains(&b)
                    && rest.copied().all(|member| self.is_padding(member))
                    && left[2..]
                        .iter()
                        .zip(&right[2..])
                        .all(|(x, y)| self.fits(*x, *y))
            }
            _ => false,
        }
    }

    fn is_bytes(&self, id: u32) -> bool {
        matches!(self.inst(id), Some((Op::TypeInt, inst)) if inst[2] == 8)
    }

    fn is_padding(&self, id: u32) -> bool {
        matches!(self.inst(id), Some((Op::TypeArray, inst)) if self.is_bytes(inst[2]))
    }

    /// Returns whether both pointers point to the same layout, or one of them to bytes.
    pub fn pointers_fit(&self, a: u32, b: u32) -> bool {
        let (Some((Op::TypePointer, left)), Some((Op::TypePointer, right))) =
            (self.inst(a), self.inst(b))
        else {
            return false;
        };
        let bytes = |id| matches!(self.inst(id), Some((Op::TypeInt, inst)) if inst[2] == 8);
        left[2] == right[2] && (self.fits(left[3], right[3]) || bytes(left[3]) || bytes(right[3]))
    }

    /// Returns whether a variable's declaration fits its definition, both pointers: their layouts fit, or
    /// the declaration is of an array of no size, which SPIR-V spells as one of a single element.
    pub fn variables_fit(&self, declaration: u32, definition: u32) -> bool {
        let array = |pointer| {
            let (Op::TypePointer, inst) = self.inst(pointer)? else {
                return None;
            };
            let (Op::TypeArray, array) = self.inst(inst[3])? else {
                return None;
            };
            Some((inst[2], array[2], self.number(array[3])))
        };
        let open_array = match (array(declaration), array(definition)) {
            (Some((class, elem, Some(1))), Some((own_class, own_elem, _))) => {
                class == own_class && self.fits(elem, own_elem)
            }
            _ => false,
        };
        open_array || self.pointers_fit(declaration, definition)
    }

    /// Returns the casts to call a function of type `definition` through `declaration`, both
    /// OpTypeFunction.
    pub fn call_cast(&self, declaration: u32, definition: u32) -> Option<CallCast> {
        let (_, left) = self.inst(declaration)?;
        let (_, right) = self.inst(definition)?;
        if left.len() != right.len() {
            return None;
        }
        let mut pairs = left[2..].iter().zip(&right[2..]).map(|(x, y)| {
            if x == y {
                Some(None)
            } else {
                self.pointers_fit(*x, *y).then_some(Some(*y))
            }
        });
        let result = pairs.next()??;
        let params = pairs.collect::<Option<Vec<_>>>()?;
        Some(CallCast { params, result })
    }
}

/// A call whose arguments and result are cast; `fresh` gives ids. Operands are not renamed.
pub fn cast_call(call: &[u32], cast: &CallCast, mut fresh: impl FnMut() -> u32) -> Vec<Inst> {
    let bitcast = |ty, id, operand| inst(Op::Bitcast, &[ty, id, operand]);
    let mut out = Vec::new();
    let mut call = call.to_vec();
    for (at, ty) in cast.params.iter().enumerate() {
        if let (Some(ty), Some(argument)) = (ty, call.get_mut(4 + at)) {
            let id = fresh();
            out.push(bitcast(*ty, id, *argument));
            *argument = id;
        }
    }
    match cast.result {
        None => out.push(call),
        Some(result) => {
            let (ty, id, raw) = (call[1], call[2], fresh());
            call[1] = result;
            call[2] = raw;
            out.push(call);
            out.push(bitcast(ty, id, raw));
        }
    }
    out
}
