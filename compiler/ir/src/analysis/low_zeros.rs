//! The bits at the low end of numbers and addresses that are known to be 0: what they are multiples of.

use crate::cfg::Cfg;
use crate::{BinaryOp, ConvertOp, Function, Inst, InstKind, Value, ValueDef};
use cranelift_entity::SecondaryMap;

/// More zeros than any number has bits: of what is not known to have any other bit.
const ALL: u32 = 64;

/// Zeros at the low end of an integer, from at most `steps` operations before it.
pub fn low_zeros(func: &Function, value: Value, steps: u32) -> u32 {
    let bits = func.ty(value).scalar.bits();
    if let Some(number) = func.const_bits(value) {
        return number.trailing_zeros().min(bits);
    }
    match (func.def(value), steps.checked_sub(1)) {
        (&ValueDef::Result(inst, _), Some(steps)) => {
            let of = |value| low_zeros(func, value, steps);
            of_operation(func, inst, of).unwrap_or(0).min(bits)
        }
        _ => 0,
    }
}

/// Zeros at the low end of an operation's result, if it is one whose result has zeros that its operands have.
fn of_operation(func: &Function, inst: Inst, of: impl Fn(Value) -> u32) -> Option<u32> {
    Some(match func.insts[inst].kind {
        InstKind::Convert {
            op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc | ConvertOp::AddressSpaceCast,
            arg,
            ..
        } => of(arg),
        InstKind::Binary {
            op, args: [a, b], ..
        } => match op {
            BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::Or => of(a).min(of(b)),
            BinaryOp::And => of(a).max(of(b)),
            BinaryOp::IMul => of(a).saturating_add(of(b)),
            BinaryOp::Shl => match func.const_bits(b) {
                Some(count) if count < u64::from(func.ty(a).scalar.bits()) => of(a) + count as u32,
                _ => of(a),
            },
            _ => return None,
        },
        InstKind::PtrAdd { base, offset } => of(base).min(of(offset)),
        InstKind::Select { then, other, .. } => of(then).min(of(other)),
        _ => return None,
    })
}

/// The zeros of all addresses of a function that are computed in it from variables, rounds of loops included.
pub struct AddressZeros {
    zeros: SecondaryMap<Value, u32>,
}

impl AddressZeros {
    /// Finds them. Addresses that come from elsewhere count as multiples of whatever is asked for.
    pub fn of(func: &Function) -> Self {
        let cfg = Cfg::new(func);
        // From all zeros down to what holds: a loop's address keeps what its start and its step have in common.
        let mut found = AddressZeros {
            zeros: SecondaryMap::with_default(ALL),
        };
        let params = func.entry().map(|block| func.blocks[block].params.iter());
        for &param in params.into_iter().flatten() {
            if !func.ty(param).scalar.is_ptr() {
                found.zeros[param] = 0;
            }
        }
        while found.look_again(func, &cfg) {}
        found
    }

    /// The alignment of an address in bytes, `most` if it is unknown or more.
    pub fn alignment(&self, address: Value, most: u32) -> u32 {
        match self.zeros[address] {
            zeros @ 0..=30 => most.min(1 << zeros),
            _ => most,
        }
    }

    /// Goes through the function once; returns whether anything has fewer zeros than before.
    fn look_again(&mut self, func: &Function, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &block in cfg.reverse_postorder() {
            for &inst in &func.layout.insts[block] {
                let kind = &func.insts[inst].kind;
                for call in kind.successors() {
                    for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                        changed |= self.lower(param, self.get(func, arg));
                    }
                }
                let of = |value| self.get(func, value);
                let known = match *kind {
                    InstKind::StackAddr { slot } => {
                        Some(func.slots[slot].placed_align().trailing_zeros())
                    }
                    _ => of_operation(func, inst, of),
                };
                for &result in &func.insts[inst].results {
                    let pointer = func.ty(result).scalar.is_ptr();
                    let known = known.unwrap_or(if pointer { ALL } else { 0 });
                    changed |= self.lower(result, known);
                }
            }
        }
        changed
    }

    fn get(&self, func: &Function, value: Value) -> u32 {
        if let Some(number) = func.const_bits(value) {
            return number.trailing_zeros();
        }
        match func.def(value) {
            ValueDef::Const(_) => 0,
            _ => self.zeros[value],
        }
    }

    fn lower(&mut self, value: Value, zeros: u32) -> bool {
        let lower = zeros < self.zeros[value];
        if lower {
            self.zeros[value] = zeros;
        }
        lower
    }
}
