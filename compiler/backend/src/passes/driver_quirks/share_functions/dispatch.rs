//! A kernel and the functions that it shares as one function: a loop whose rounds go on at the block of a number.
//!
//! ```text
//! entry:          goes to header(number of the kernel's first block)
//! header(next):   goes to dispatch(next), below zero by way of back
//! back:           loads the number of the block behind a call from word -next of the array
//! dispatch(next): branches to the part of this number and there to the block, by trees of comparisons
//! …               each part's blocks, which go to the part's join(next) where control leaves them
//! join(next):     one for each branch of the tree; the last one goes to header
//! ```
//!
//! Without the joins, thousands of blocks would go to the header: Mesa takes time that grows with their number squared.
//!
//! That `back` reads the array at an address that is not known beforehand keeps drivers from making a register of each
//! word, whose values would meet in the header.

use super::frames::{Exit, Head, Part, WORD, load_from, part_of, store_to};
use super::passed_along::is_same_everywhere;
use crate::rewrite::{Copies, Replacements};
use cranelift_entity::SecondaryMap;
use pumice_budget as budget;
use pumice_ir::{
    AddressSpace, BinaryOp, Block, BlockCall, ConvertOp, FloatFlags, FuncId, Function, Inst,
    InstKind, IntCond, LowerError, Scalar, SourceLoc, StackSlot, StackSlotData, Type, UnaryOp,
    Value,
};
use pumice_target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Makes one function of a kernel, which comes first, and those that it shares, callers first.
///
/// # Errors
/// Functions that take too much memory or time.
pub(super) fn merge(
    functions: Vec<(FuncId, Function)>,
    shared: &BTreeSet<FuncId>,
    target: &Target,
) -> Result<Function, LowerError> {
    // Nothing calls the kernel.
    let heads: FxHashMap<FuncId, Head> = (functions[1..].iter())
        .map(|(id, func)| (*id, Head::of(func)))
        .collect();
    let parts: Result<Vec<Part>, LowerError> = (functions.into_iter())
        .map(|(id, func)| part_of(func, id, shared, &heads, target.int64))
        .collect();
    let parts = parts?;
    let (frames, words) = lay_out(&parts);
    let of = &parts[0].func;
    let mut func = Function::new(of.name.clone(), Vec::new(), Vec::new());
    func.linkage = of.linkage;
    let array = func.slots.push(StackSlotData::new(words * WORD, WORD));
    let entry = func.append_block();
    let mut x = Merge {
        func,
        array,
        frames,
        int64: target.int64,
        num_starts: 0,
        placed: FxHashMap::default(),
    };
    let mut exits = Vec::new();
    let ids: Vec<FuncId> = parts.iter().map(|part| part.id).collect();
    for part in parts {
        x.add(part, &mut exits);
        budget::check()?;
    }
    let header = x.func.append_block();
    let (dispatch, number) = x.write_header(header);
    let first = x.placed[&ids[0]].first;
    x.compute_at_entry(entry);
    x.go(entry, header, first);
    let last = x.branch_to_part(dispatch, number, &ids);
    x.hand_on(last, header);
    for (id, block, exit) in exits {
        x.finish(id, block, exit);
    }
    Ok(x.func)
}

/// Gives each frame its first word, behind those of all callers, and the words of the array. Word 0 is nobody's.
fn lay_out(parts: &[Part]) -> (SecondaryMap<FuncId, u32>, u32) {
    let mut frames: SecondaryMap<FuncId, u32> = SecondaryMap::with_default(1);
    let mut words = 1;
    for part in parts {
        let end = frames[part.id] + part.words;
        words = words.max(end);
        for callee in part.callees() {
            frames[callee] = frames[callee].max(end);
        }
    }
    (frames, words)
}

/// The place of a part.
struct Placed {
    /// The number of the first start.
    first: u32,
    starts: Vec<Block>,
    /// The block where control leaves the part, with the number to go on at.
    join: Block,
}

struct Merge {
    func: Function,
    array: StackSlot,
    /// The first word of each function's frame.
    frames: SecondaryMap<FuncId, u32>,
    int64: bool,
    num_starts: u32,
    placed: FxHashMap<FuncId, Placed>,
}

impl Merge {
    /// Moves what is the same everywhere to the entry, once each.
    fn compute_at_entry(&mut self, entry: Block) {
        let func = &mut self.func;
        let mut moved: FxHashMap<(InstKind, Type), Inst> = FxHashMap::default();
        let mut replaced = Replacements::default();
        for &block in &func.layout.blocks {
            let mut insts = std::mem::take(&mut func.layout.insts[block]);
            insts.retain(|&inst| {
                let kind = &func.insts[inst].kind;
                if !is_same_everywhere(kind) {
                    return true;
                }
                let result = func.result(inst);
                let key = (kind.clone(), func.ty(result));
                let first = *moved.entry(key).or_insert(inst);
                replaced.replace(result, func.result(first));
                false
            });
            func.layout.insts[block] = insts;
        }
        let mut insts: Vec<Inst> = moved.into_values().collect();
        insts.sort_unstable();
        func.layout.insts[entry].extend(insts);
        replaced.apply(func);
    }

    /// Moves a part's blocks; notes where control leaves them.
    fn add(&mut self, part: Part, exits: &mut Vec<(FuncId, Block, Exit)>) {
        let mut from = part.func;
        for &(inst, owner, word) in &part.addresses {
            let at = (self.frames[owner] + word) * WORD;
            let at = from.offset(at, self.int64);
            if let InstKind::PtrAdd { offset, .. } = &mut from.insts[inst].kind {
                *offset = at;
            }
        }
        // The block before all starts.
        from.layout.blocks.remove(0);
        let mut copies = Copies::new(&mut self.func, &from);
        copies.slots[part.array] = self.array.into();
        copies.copy(&mut self.func, &mut from, true, |loc| loc);
        let blocks = &copies.blocks;
        let starts = part.starts.iter();
        let starts: Vec<Block> = starts.filter_map(|&start| blocks[start].expand()).collect();
        for &(block, exit) in &part.exits {
            exits.extend(blocks[block].expand().map(|block| (part.id, block, exit)));
        }
        self.func.layout.blocks.extend_from_slice(&copies.order);
        let first = self.num_starts;
        self.num_starts += starts.len() as u32;
        let join = self.join();
        let placed = Placed {
            first,
            starts,
            join,
        };
        self.placed.insert(part.id, placed);
    }

    /// A block that is given the number to go on at.
    fn join(&mut self) -> Block {
        let join = self.func.append_block();
        self.func.append_param(join, Type::I32);
        join
    }

    /// Ends a block with a jump that gives a number.
    fn go(&mut self, block: Block, to: Block, number: u32) {
        let number = self.func.i32(number as i32);
        let dest = BlockCall::new(to, &[number]);
        self.end(block, InstKind::Jump { dest });
    }

    /// Ends a block with a jump that gives its own number.
    fn hand_on(&mut self, block: Block, to: Block) {
        let dest = BlockCall::new(to, &self.func.blocks[block].params.clone());
        self.end(block, InstKind::Jump { dest });
    }

    fn end(&mut self, block: Block, kind: InstKind) {
        self.func.append(block, kind, &[], SourceLoc::default());
    }

    fn value(&mut self, block: Block, kind: InstKind, ty: Type) -> Value {
        (self.func).append_value(block, kind, ty, SourceLoc::default())
    }

    /// Writes the loop's header and what goes back behind calls; gives the block that branches, and its number.
    fn write_header(&mut self, header: Block) -> (Block, Value) {
        let next = self.func.append_param(header, Type::I32);
        let [back, dispatch] = [(); 2].map(|()| self.func.append_block());
        let number = self.func.append_param(dispatch, Type::I32);
        let zero = self.func.i32(0);
        let compare = InstKind::ICmp {
            cond: IntCond::Slt,
            args: [next, zero],
        };
        let cond = self.value(header, compare, Type::BOOL);
        let then = BlockCall::new(back, &[]);
        let other = BlockCall::new(dispatch, &[next]);
        self.end(header, InstKind::Branch { cond, then, other });
        let negated = InstKind::Unary {
            op: UnaryOp::INeg,
            arg: next,
        };
        let word = self.value(back, negated, Type::I32);
        let two = self.func.i32(WORD.trailing_zeros() as i32);
        let shifted = InstKind::Binary {
            op: BinaryOp::Shl,
            args: [word, two],
            flags: FloatFlags::empty(),
        };
        let at = self.value(back, shifted, Type::I32);
        let offset = match self.int64 {
            true => {
                let widened = InstKind::Convert {
                    op: ConvertOp::ZExt,
                    arg: at,
                    rounding: None,
                };
                self.value(back, widened, Type::I64)
            }
            false => {
                let lanes = SmallVec::from_slice(&[at, zero]);
                self.value(
                    back,
                    InstKind::Build { lanes },
                    Type::vector(Scalar::I32, 2),
                )
            }
        };
        let ptr = self.address(back, offset);
        let loaded = self.value(back, load_from(ptr), Type::I32);
        let dest = BlockCall::new(dispatch, &[loaded]);
        self.end(back, InstKind::Jump { dest });
        (dispatch, number)
    }

    /// The address at an offset in the array.
    fn address(&mut self, block: Block, offset: Value) -> Value {
        let private = Type::ptr(AddressSpace::Private);
        let base = self.value(block, InstKind::StackAddr { slot: self.array }, private);
        self.value(block, InstKind::PtrAdd { base, offset }, private)
    }

    /// Ends a block with a branch by whether the number is below a limit.
    fn branch(&mut self, block: Block, number: Value, limit: u32, [then, other]: [Block; 2]) {
        let limit = self.func.i32(limit as i32);
        let compare = InstKind::ICmp {
            cond: IntCond::Ult,
            args: [number, limit],
        };
        let cond = self.value(block, compare, Type::BOOL);
        let [then, other] = [then, other].map(|block| BlockCall::new(block, &[]));
        self.end(block, InstKind::Branch { cond, then, other });
    }

    /// Branches to one of some parts, the numbers of which follow on one another; gives the block where they meet.
    fn branch_to_part(&mut self, block: Block, number: Value, ids: &[FuncId]) -> Block {
        if let [only] = ids {
            let placed = &self.placed[only];
            let (first, join, starts) = (placed.first, placed.join, placed.starts.clone());
            self.branch_to_start(block, number, &starts, first);
            return join;
        }
        let halves = ids.split_at(ids.len() / 2);
        let limit = self.placed[&halves.1[0]].first;
        let blocks = [(); 2].map(|()| self.func.append_block());
        self.branch(block, number, limit, blocks);
        let joins = [(blocks[0], halves.0), (blocks[1], halves.1)]
            .map(|(block, ids)| self.branch_to_part(block, number, ids));
        let join = self.join();
        for half in joins {
            self.hand_on(half, join);
        }
        join
    }

    /// Branches to one of a part's starts; `first` is the number of the first one.
    fn branch_to_start(&mut self, block: Block, number: Value, starts: &[Block], first: u32) {
        if let [only] = starts {
            let dest = BlockCall::new(*only, &[]);
            return self.end(block, InstKind::Jump { dest });
        }
        let (low, high) = starts.split_at(starts.len() / 2);
        let middle = first + low.len() as u32;
        let blocks = [(); 2].map(|()| self.func.append_block());
        self.branch(block, number, middle, blocks);
        self.branch_to_start(blocks[0], number, low, first);
        self.branch_to_start(blocks[1], number, high, middle);
    }

    /// Lets control leave a block of a function.
    fn finish(&mut self, id: FuncId, block: Block, exit: Exit) {
        self.func.layout.insts[block].pop();
        let Placed { first, join, .. } = self.placed[&id];
        match exit {
            Exit::Call { callee, start } => {
                let value = self.func.i32((first + start as u32) as i32);
                let offset = self.func.offset(self.frames[callee] * WORD, self.int64);
                let ptr = self.address(block, offset);
                self.end(block, store_to(ptr, value));
                self.go(block, join, self.placed[&callee].first);
            }
            Exit::Start(start) => self.go(block, join, first + start as u32),
            Exit::Return => self.go(block, join, self.frames[id].wrapping_neg()),
        }
    }
}
