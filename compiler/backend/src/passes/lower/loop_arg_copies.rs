//! Copies of large arguments that are passed by value become loops.
//!
//! `lower_kernel_args` fills the private copy of a struct word by word, so that scalar replacement
//! can take it apart. A struct that is still in memory after that is copied as a whole: the stores of
//! its words, which follow one another in the kernel's first block, are replaced by one loop.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::dce;
use pumice_ir::LowerError;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, ConvertOp, Function, Inst, InstKind, IntCond, StackSlot,
    Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Copies of up to so many words stay as they are.
const UNROLLED_WORDS: u32 = 16;

/// Runs the pass on one function.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let copies = find(func);
    if copies.is_empty() {
        return Ok(Changed::No);
    }
    let by_first: FxHashMap<Inst, &Copy> = copies.iter().map(|c| (c.stores[0], c)).collect();
    let stores = copies.iter().flat_map(|copy| &copy.stores);
    let gone: FxHashSet<Inst> = stores.copied().collect();
    let changed = expand(func, |x, inst| {
        if let Some(copy) = by_first.get(&inst) {
            copy.write(x);
        }
        Ok(gone.contains(&inst).then(Replacement::new))
    })?;
    // The words that were read one by one.
    let _ = dce::run(func, ctx);
    Ok(changed)
}

/// A copy of consecutive words of the argument block to consecutive words of a variable.
struct Copy {
    slot: StackSlot,
    /// Bytes from the variable's start.
    to: u32,
    /// Byte offset in the argument block.
    from: u32,
    stores: Vec<Inst>,
}

/// A word of the argument block that a store copies to a variable.
pub(crate) struct WordCopy {
    /// The store.
    pub inst: Inst,
    /// The variable.
    pub slot: StackSlot,
    /// Bytes from the variable's start.
    pub to: u32,
    /// Byte offset in the argument block.
    pub from: u32,
}

/// The word that a store copies.
fn word_of(func: &Function, inst: Inst) -> Option<WordCopy> {
    let InstKind::Store {
        ptr,
        value,
        align: 4,
        flags,
    } = func.insts[inst].kind
    else {
        return None;
    };
    let kind = |value| Some(&func.insts[func.def_inst(value)?].kind);
    let &InstKind::LoadArg { offset: from } = kind(value)? else {
        return None;
    };
    let (base, to) = match kind(ptr)? {
        InstKind::PtrAdd { base, offset } => (kind(*base)?, func.const_bits(*offset)?),
        base => (base, 0),
    };
    let &InstKind::StackAddr { slot } = base else {
        return None;
    };
    let plain = flags == AccessFlags::empty() && func.ty(value) == Type::I32;
    let to = u32::try_from(to).ok()?;
    plain.then_some(WordCopy {
        inst,
        slot,
        to,
        from,
    })
}

/// The words that a function copies at its start, before anything is loaded or written.
pub(crate) fn copied_words(func: &Function) -> Vec<WordCopy> {
    let mut words = Vec::new();
    let insts = func.entry().map(|entry| &func.layout.insts[entry]);
    for &inst in insts.into_iter().flatten() {
        let kind = &func.insts[inst].kind;
        match word_of(func, inst) {
            Some(word) => words.push(word),
            None if kind.has_side_effects() || matches!(kind, InstKind::Load { .. }) => break,
            None => {}
        }
    }
    words
}

/// The long copies at a function's start.
fn find(func: &Function) -> Vec<Copy> {
    let mut copies: Vec<Copy> = Vec::new();
    for word in copied_words(func) {
        let next = copies.last_mut().filter(|copy| {
            let bytes = 4 * copy.stores.len() as u32;
            copy.slot == word.slot && copy.to + bytes == word.to && copy.from + bytes == word.from
        });
        match next {
            Some(copy) => copy.stores.push(word.inst),
            None => copies.push(Copy {
                slot: word.slot,
                to: word.to,
                from: word.from,
                stores: vec![word.inst],
            }),
        }
    }
    copies.retain(|copy| copy.stores.len() > UNROLLED_WORDS as usize);
    copies
}

impl Copy {
    /// Writes the loop in place of the first store.
    fn write(&self, x: &mut Expander<'_>) {
        let ptr = Type::ptr(AddressSpace::Private);
        let base = x.value(InstKind::StackAddr { slot: self.slot }, ptr);
        let base = x.offset(base, u64::from(self.to));
        let (head, body, done) = (x.new_block(), x.new_block(), x.new_block());
        let index = x.func.append_param(head, Type::I32);
        let start = x.func.i32(0);
        x.jump(head, &[start], head);
        let more = x.icmp_const(IntCond::Ult, index, self.stores.len() as u64);
        x.branch_bare(more, [body, done], body);
        let word = InstKind::LoadArgWord {
            offset: self.from,
            index,
        };
        let value = x.value(word, Type::I32);
        let bytes = x.convert(ConvertOp::ZExt, index, Type::I64);
        let offset = x.bin_const(BinaryOp::Shl, bytes, 2);
        let to = x.value(InstKind::PtrAdd { base, offset }, ptr);
        let store = InstKind::Store {
            ptr: to,
            value,
            align: 4,
            flags: AccessFlags::empty(),
        };
        x.emit(store, &[]);
        let next = x.bin_const(BinaryOp::IAdd, index, 1);
        x.jump(head, &[next], done);
    }
}
