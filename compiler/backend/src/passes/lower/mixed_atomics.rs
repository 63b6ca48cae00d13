//! 32-bit atomics on local memory that 64-bit atomics touch too.
//!
//! Local memory is one array for all that may alias ([`crate::vulkan`]'s partitions), with
//! elements as wide as the widest atomic. A 32-bit atomic on an array of 64-bit elements is done
//! on the element: loads cut their half out, and/or/xor leave the other half alone by their
//! operand, and everything else is a loop that exchanges the element if it is still the same.
//!
//! The address tells the half that is meant, so the pointer becomes an integer, which may put more
//! memory into its partition: the pass goes round until nothing is mixed any more.

use crate::expand::{Expander, Replacement, call, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::lower_atomics::combine;
use pumice_ir::LowerError;
use pumice_ir::analysis::partition::Partitions;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, ConvertOp, FuncId, Inst, InstKind, IntCond, MemoryOrder,
    Module, Scope, Type, Value,
};
use rustc_hash::FxHashSet;

/// Runs the pass.
///
/// # Errors
/// Recursion or an undefined function: then the partitions cannot be found.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    if !has_both_widths(module) {
        return Ok(changed);
    }
    loop {
        let mixed = mixed(module)?;
        if mixed.is_empty() {
            return Ok(changed);
        }
        for id in module.functions.keys().collect::<Vec<_>>() {
            changed |= expand(&mut module.functions[id], |x, inst| {
                if !mixed.contains(&(id, inst)) {
                    return Ok(None);
                }
                let kind = x.func.insts[inst].kind.clone();
                Ok(lower(x, &kind))
            })?;
        }
    }
}

/// Pointer and width in bytes of an atomic on local memory.
fn local_atomic(module: &Module, func: FuncId, inst: Inst) -> Option<(Value, u32)> {
    let f = &module.functions[func];
    let (ptr, ty) = match f.insts[inst].kind {
        InstKind::AtomicLoad { ptr, .. } => (ptr, f.ty(*f.insts[inst].results.first()?)),
        InstKind::AtomicStore { ptr, value, .. } | InstKind::AtomicRmw { ptr, value, .. } => {
            (ptr, f.ty(value))
        }
        InstKind::AtomicCmpXchg { ptr, expected, .. } => (ptr, f.ty(expected)),
        _ => return None,
    };
    let local = f.ty(ptr).address_space() == Some(AddressSpace::Local);
    local.then_some((ptr, ty.scalar.bytes()))
}

fn atomics(module: &Module) -> impl Iterator<Item = (FuncId, Inst, Value, u32)> {
    module.functions.iter().flat_map(move |(id, f)| {
        let insts = f
            .layout
            .blocks
            .iter()
            .flat_map(|&block| &f.layout.insts[block]);
        insts.filter_map(move |&inst| {
            let (ptr, bytes) = local_atomic(module, id, inst)?;
            Some((id, inst, ptr, bytes))
        })
    })
}

fn has_both_widths(module: &Module) -> bool {
    let mut seen = [false; 2];
    for (.., bytes) in atomics(module) {
        seen[usize::from(bytes == 8)] = true;
    }
    seen == [true; 2]
}

/// The 32-bit atomics on memory that has 64-bit ones.
fn mixed(module: &Module) -> Result<FxHashSet<(FuncId, Inst)>, LowerError> {
    let functions = reachable_functions(module)?;
    let partitions = Partitions::compute(module, &functions)?;
    let narrow = atomics(module).filter(|&(id, _, ptr, bytes)| {
        let partition = partitions
            .of_value(id, ptr)
            .or_else(|| partitions.escaped(AddressSpace::Local));
        bytes == 4 && partition.is_some_and(|p| partitions.list[p as usize].unit == 8)
    });
    let reached: FxHashSet<FuncId> = functions.iter().copied().collect();
    Ok(narrow
        .filter(|(id, ..)| reached.contains(id))
        .map(|(id, inst, ..)| (id, inst))
        .collect())
}

/// The element with a 32-bit word in it.
struct Half {
    /// Pointer to the element.
    base: Value,
    /// Bits below the word.
    shift: Value,
    /// The bits of the other word.
    other: Value,
}

impl Half {
    fn of(x: &mut Expander<'_>, ptr: Value) -> Self {
        let address = x.convert(ConvertOp::PtrToInt, ptr, Type::I64);
        let within = x.bin_const(BinaryOp::And, address, 4);
        let zero = x.func.i64(0);
        let back = x.bin(BinaryOp::ISub, zero, within);
        let ty = x.ty(ptr);
        let base = x.value(
            InstKind::PtrAdd {
                base: ptr,
                offset: back,
            },
            ty,
        );
        let shift = x.bin_const(BinaryOp::IMul, within, 8);
        let word = x.func.i64(0xFFFF_FFFF);
        let own = x.bin(BinaryOp::Shl, word, shift);
        let other = x.bin_const(BinaryOp::Xor, own, u64::MAX);
        Self { base, shift, other }
    }

    /// The word of an element.
    fn cut(&self, x: &mut Expander<'_>, element: Value) -> Value {
        let low = x.bin(BinaryOp::LShr, element, self.shift);
        x.convert(ConvertOp::Trunc, low, Type::I32)
    }

    /// A word at its place, zeros beside it.
    fn placed(&self, x: &mut Expander<'_>, word: Value) -> Value {
        let wide = x.convert(ConvertOp::ZExt, word, Type::I64);
        x.bin(BinaryOp::Shl, wide, self.shift)
    }

    /// The element with another word.
    fn pasted(&self, x: &mut Expander<'_>, element: Value, word: Value) -> Value {
        let kept = x.bin(BinaryOp::And, element, self.other);
        let placed = self.placed(x, word);
        x.bin(BinaryOp::Or, kept, placed)
    }

    /// Exchanges the word for what `new` makes of it, unless that is `None` at run time: then
    /// `new`'s condition is false. Gives the old word.
    fn exchange(
        &self,
        x: &mut Expander<'_>,
        [success, failure]: [MemoryOrder; 2],
        scope: Scope,
        expected: Option<Value>,
        new: impl FnOnce(&mut Expander<'_>, Value) -> Value,
    ) -> Value {
        let first = x.value(
            InstKind::AtomicLoad {
                ptr: self.base,
                order: failure,
                scope,
            },
            Type::I64,
        );
        let (head, done) = (x.new_block(), x.new_block());
        let element = x.func.append_param(head, Type::I64);
        let old = x.func.append_param(done, Type::I32);
        x.jump(head, &[first], head);
        let word = self.cut(x, element);
        if let Some(expected) = expected {
            let body = x.new_block();
            let same = x.icmp(IntCond::Eq, word, expected);
            x.branch(same, call(body, &[]), call(done, &[word]), body);
        }
        let new = new(x, word);
        let desired = self.pasted(x, element, new);
        let found = x.value(
            InstKind::AtomicCmpXchg {
                ptr: self.base,
                expected: element,
                desired,
                success,
                failure,
                scope,
            },
            Type::I64,
        );
        let exchanged = x.icmp(IntCond::Eq, found, element);
        x.branch(exchanged, call(done, &[word]), call(head, &[found]), done);
        old
    }
}

fn lower(x: &mut Expander<'_>, kind: &InstKind) -> Option<Replacement> {
    let value = match *kind {
        InstKind::AtomicLoad { ptr, order, scope } => {
            let half = Half::of(x, ptr);
            let ptr = half.base;
            let element = x.value(InstKind::AtomicLoad { ptr, order, scope }, Type::I64);
            half.cut(x, element)
        }
        InstKind::AtomicStore {
            ptr,
            value,
            order,
            scope,
        } => {
            let half = Half::of(x, ptr);
            let orders = [order, MemoryOrder::Relaxed];
            half.exchange(x, orders, scope, None, |_, _| value);
            return Some(Replacement::new());
        }
        InstKind::AtomicRmw {
            op: op @ (AtomicOp::And | AtomicOp::Or | AtomicOp::Xor),
            ptr,
            value,
            order,
            scope,
        } => {
            let half = Half::of(x, ptr);
            let mut operand = half.placed(x, value);
            if op == AtomicOp::And {
                operand = x.bin(BinaryOp::Or, operand, half.other);
            }
            let kind = InstKind::AtomicRmw {
                op,
                ptr: half.base,
                value: operand,
                order,
                scope,
            };
            let element = x.value(kind, Type::I64);
            half.cut(x, element)
        }
        InstKind::AtomicRmw {
            op,
            ptr,
            value,
            order,
            scope,
        } => {
            let half = Half::of(x, ptr);
            let orders = [order, MemoryOrder::Relaxed];
            half.exchange(x, orders, scope, None, |x, old| combine(x, op, old, value))
        }
        InstKind::AtomicCmpXchg {
            ptr,
            expected,
            desired,
            success,
            failure,
            scope,
        } => {
            let half = Half::of(x, ptr);
            half.exchange(x, [success, failure], scope, Some(expected), |_, _| desired)
        }
        _ => return None,
    };
    Some(Replacement::from_slice(&[value]))
}
