//! Common subexpressions: one computation per value.
//!
//! Pure instructions are numbered over the dominator tree: an equal one in a dominating
//! block stands for a later one. Loads are forwarded within a block, from stores and earlier
//! loads, until something may have written there; loads of constant memory are pure.

use super::rewrite::Replacements;
use super::{Changed, FunctionCtx};
use crate::ir::{
    AccessFlags, AddressSpace, Block, Cfg, ConvertOp, DomTree, Function, Inst, InstKind, MathOp,
    Type, Value,
};
use rustc_hash::FxHashMap;

/// Removes repeated computations from one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let Some(entry) = func.entry() else {
        return Changed::No;
    };
    let mut cse = Cse {
        known: FxHashMap::default(),
        replacements: Replacements::default(),
        changed: false,
    };
    enum Step {
        Enter(Block),
        Leave(Vec<Key>),
    }
    let mut steps = vec![Step::Enter(entry)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(block) => {
                let added = cse.block(func, block);
                steps.push(Step::Leave(added));
                steps.extend(dom.children(block).iter().map(|&b| Step::Enter(b)));
            }
            Step::Leave(added) => {
                for key in added {
                    cse.known.remove(&key);
                }
            }
        }
    }
    cse.replacements.apply(func);
    Changed::from_bool(cse.changed)
}

/// An operation with its operands and result type.
type Key = (InstKind, Type);

struct Cse {
    known: FxHashMap<Key, Value>,
    replacements: Replacements,
    changed: bool,
}

/// What memory is known to hold.
#[derive(Clone, Copy)]
struct Available {
    ptr: Value,
    value: Value,
}

impl Cse {
    /// Numbers a block; gives the keys to forget when its subtree is done.
    fn block(&mut self, func: &mut Function, block: Block) -> Vec<Key> {
        let mut added = Vec::new();
        let mut memory: Vec<Available> = Vec::new();
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let replacements = &mut self.replacements;
            if !replacements.is_empty() {
                func.insts[inst]
                    .kind
                    .for_each_value_mut(|value| *value = replacements.resolve(*value));
            }
            if let Some(value) = self.equal_value(func, inst, &mut added) {
                let result = func.result(inst);
                self.replacements.replace(result, value);
                self.changed = true;
                continue;
            }
            match func.insts[inst].kind {
                InstKind::Load { ptr, flags, .. } if !flags.contains(AccessFlags::VOLATILE) => {
                    let result = func.result(inst);
                    let ty = func.ty(result);
                    let found = memory
                        .iter()
                        .rev()
                        .find(|known| known.ptr == ptr && func.ty(known.value) == ty);
                    if let Some(&Available { value, .. }) = found {
                        self.replacements.replace(result, value);
                        self.changed = true;
                        continue;
                    }
                    memory.push(Available { ptr, value: result });
                }
                InstKind::Store {
                    ptr, value, flags, ..
                } => {
                    let bytes = i64::from(func.ty(value).access_bytes());
                    memory.retain(|known| !may_overlap(func, known, ptr, Some(bytes)));
                    if !flags.contains(AccessFlags::VOLATILE) {
                        memory.push(Available { ptr, value });
                    }
                }
                InstKind::MemCopy { dst, size, .. } => {
                    let bytes = func.const_signed(size).filter(|&bytes| bytes >= 0);
                    memory.retain(|known| !may_overlap(func, known, dst, bytes));
                }
                InstKind::Barrier { .. } | InstKind::Fence { .. } => {
                    // Others' writes become visible; nobody else writes private memory.
                    memory.retain(|known| space(func, known.ptr) == Some(AddressSpace::Private));
                }
                ref kind if kind.has_side_effects() => memory.clear(),
                _ => {}
            }
            kept.push(inst);
        }
        func.layout.insts[block] = kept;
        added
    }

    /// The value of an equal instruction that dominates this one; else remembers this one.
    fn equal_value(&mut self, func: &Function, inst: Inst, added: &mut Vec<Key>) -> Option<Value> {
        let data = &func.insts[inst];
        if data.results.len() != 1 || !is_pure(func, &data.kind) {
            return None;
        }
        let result = data.results[0];
        let key = (data.kind.clone(), func.ty(result));
        if let Some(&value) = self.known.get(&key) {
            return Some(value);
        }
        self.known.insert(key.clone(), result);
        added.push(key);
        None
    }
}

/// Whether equal operands always give an equal result.
fn is_pure(func: &Function, kind: &InstKind) -> bool {
    match kind {
        InstKind::Load { ptr, flags, .. } => {
            space(func, *ptr) == Some(AddressSpace::Constant)
                && !flags.contains(AccessFlags::VOLATILE)
        }
        InstKind::Math {
            op: MathOp::Ocl(_),
            args,
            ..
        } => !args.iter().any(|&arg| func.ty(arg).scalar.is_ptr()),
        _ => !kind.has_side_effects(),
    }
}

fn space(func: &Function, ptr: Value) -> Option<AddressSpace> {
    func.ty(ptr).address_space()
}

/// What an address is built on, and the constant bytes added to it.
fn root(func: &Function, ptr: Value) -> (Value, i64) {
    let (mut at, mut offset) = (ptr, 0i64);
    while let Some(inst) = func.def_inst(at) {
        match func.insts[inst].kind {
            InstKind::PtrAdd { base, offset: by } => match func.const_signed(by) {
                Some(by) => {
                    offset = offset.wrapping_add(by);
                    at = base;
                }
                None => break,
            },
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                arg,
                ..
            } => at = arg,
            _ => break,
        }
    }
    (at, offset)
}

/// Whether writing `bytes` bytes (any number if unknown) at `ptr` may change what is known.
fn may_overlap(func: &Function, known: &Available, ptr: Value, bytes: Option<i64>) -> bool {
    let ((a, a_offset), (b, b_offset)) = (root(func, known.ptr), root(func, ptr));
    let (a_space, b_space) = (space(func, a), space(func, b));
    if a_space != b_space
        && a_space != Some(AddressSpace::Generic)
        && b_space != Some(AddressSpace::Generic)
    {
        // Constant memory may be a buffer that is global to somebody else, but a kernel
        // that writes it while reading it as constant is undefined.
        return false;
    }
    if a == b {
        let known_bytes = i64::from(func.ty(known.value).access_bytes());
        let Some(bytes) = bytes else { return true };
        let (Some(a_end), Some(b_end)) = (
            a_offset.checked_add(known_bytes),
            b_offset.checked_add(bytes),
        ) else {
            return true;
        };
        return a_offset < b_end && b_offset < a_end;
    }
    // Two variables are two places.
    let variable = |value: Value| {
        func.def_inst(value)
            .map(|inst| &func.insts[inst].kind)
            .filter(|kind| {
                matches!(
                    kind,
                    InstKind::StackAddr { .. } | InstKind::GlobalAddr { .. }
                )
            })
    };
    match (variable(a), variable(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}
