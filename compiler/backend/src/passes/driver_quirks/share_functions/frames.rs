//! A function in the form in which its calls leave it: each place that control comes back to is a block of its own, which
//! loads what it needs.
//!
//! Values that live into such blocks (`crossing`) are stored where they are made, and loaded where they are used behind.
//!
//! A function's frame is a part of the kernel's private array: the number of the block to go on at behind the call, the
//! arguments, the results, then what the function keeps. Values that are never needed at once share words.

use super::crossing::{self, Crossing};
use super::cuts::{self, Cuts};
use crate::rewrite::Replacements;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use pumice_ir::{
    AccessFlags, AddressSpace, Block, BlockCall, Cfg, ConvertOp, DomTree, FuncId, Function, Inst,
    InstKind, IntCond, LowerError, Scalar, SourceLoc, StackSlot, StackSlotData, Step, Type, Value,
    reachable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Bytes of a word of the array.
pub(super) const WORD: u32 = 4;

/// A load from words of the array.
pub(super) fn load_from(ptr: Value) -> InstKind {
    InstKind::Load {
        ptr,
        align: WORD,
        flags: AccessFlags::empty(),
    }
}

/// A store to words of the array.
pub(super) fn store_to(ptr: Value, value: Value) -> InstKind {
    InstKind::Store {
        ptr,
        value,
        align: WORD,
        flags: AccessFlags::empty(),
    }
}

/// The words at the start of a function's frame. Word 0 is the number of the block to go on at behind the call.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    args: Vec<u32>,
    results: Vec<u32>,
    words: u32,
}

impl Head {
    /// The head of a function's frame.
    pub fn of(func: &Function) -> Self {
        let mut words = 1;
        let mut place = |&ty: &Type| {
            let word = words;
            words += words_of(ty);
            word
        };
        let args = func.params.iter().map(&mut place).collect();
        let results = func.results.iter().map(&mut place).collect();
        Self {
            args,
            results,
            words,
        }
    }
}

/// The way on from a block.
#[derive(Clone, Copy)]
pub(super) enum Exit {
    /// To a function; control comes back to start number `start`.
    Call { callee: FuncId, start: usize },
    /// To the function's own start of this number.
    Start(usize),
    /// To the place behind the call.
    Return,
}

/// A function whose calls of shared functions leave it.
pub(super) struct Part {
    pub id: FuncId,
    /// Its entry block only leads to the starts, for the order of blocks.
    pub func: Function,
    /// The block that control enters first, then those that it comes back to.
    pub starts: Vec<Block>,
    /// The blocks that control leaves from. Each ends in `Unreachable`.
    pub exits: Vec<(Block, Exit)>,
    /// Words of the frame.
    pub words: u32,
    /// Stands for the array.
    pub array: StackSlot,
    /// Addresses of words of the array: of which function's frame, and which one.
    pub addresses: Vec<(Inst, FuncId, u32)>,
}

impl Part {
    /// The functions that it calls through the dispatch.
    pub fn callees(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.exits.iter().filter_map(|(_, exit)| match exit {
            Exit::Call { callee, .. } => Some(*callee),
            _ => None,
        })
    }
}

/// A value that is kept in the frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kept(u32);
entity_impl!(Kept, "kept");

/// The words of a value in the array.
fn words_of(ty: Type) -> u32 {
    memory_type(ty).access_bytes() / WORD
}

/// The type that a value has in the array, whose elements are words.
fn memory_type(ty: Type) -> Type {
    match ty.scalar {
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::F16 => ty.with_scalar(Scalar::I32),
        _ => ty,
    }
}

/// Makes the part of a function.
///
/// # Errors
/// A function that takes too much memory or time.
pub(super) fn part_of(
    mut func: Function,
    id: FuncId,
    shared: &BTreeSet<FuncId>,
    heads: &FxHashMap<FuncId, Head>,
    int64: bool,
) -> Result<Part, LowerError> {
    let reached = reachable(&func);
    func.layout.blocks.retain(|&block| reached.contains(block));
    let cuts = cuts::cut(&mut func, shared);
    let crossing = crossing::find(&mut func, &cuts)?;
    let head = heads.get(&id).cloned().unwrap_or_default();
    let array = func.slots.push(StackSlotData::new(WORD, WORD));
    let mut frame = Frame {
        part: Part {
            id,
            starts: Vec::new(),
            exits: Vec::new(),
            words: head.words,
            array,
            addresses: Vec::new(),
            func,
        },
        head,
        heads,
        int64,
        kept: PrimaryMap::new(),
        kept_of: FxHashMap::default(),
        out: Vec::new(),
        base: None,
        known: FxHashMap::default(),
    };
    frame.place(&crossing);
    frame.leave_and_resume(&cuts);
    frame.enter(&cuts);
    frame.load_uses();
    Ok(frame.part)
}

/// The work on a part.
struct Frame<'a> {
    part: Part,
    head: Head,
    heads: &'a FxHashMap<FuncId, Head>,
    int64: bool,
    /// The type and the word of each value.
    kept: PrimaryMap<Kept, (Type, u32)>,
    /// By the value that is made.
    kept_of: FxHashMap<Value, Kept>,
    /// The instructions of the block that is written.
    out: Vec<Inst>,
    /// The array's address in this block.
    base: Option<Value>,
    /// The addresses of words in this block.
    known: FxHashMap<(FuncId, u32), Value>,
}

impl Frame<'_> {
    fn take_words(&mut self, words: u32) -> u32 {
        let word = self.part.words;
        self.part.words += words;
        word
    }

    /// Gives every value that is kept its words. Arguments stay where the caller has stored them.
    fn place(&mut self, crossing: &[Crossing]) {
        let func = &self.part.func;
        let entry = func.entry();
        let is_entered_once = entry.is_some_and(|entry| Cfg::new(func).preds(entry).is_empty());
        let args: FxHashMap<Value, u32> = match entry.filter(|_| is_entered_once) {
            Some(entry) => {
                let params = func.blocks[entry].params.iter().copied();
                params.zip(self.head.args.iter().copied()).collect()
            }
            None => FxHashMap::default(),
        };
        // Words that are taken in the blocks of each set, by their number.
        let mut taken: FxHashMap<u32, Vec<(u32, EntitySet<Block>)>> = FxHashMap::default();
        for found in crossing {
            let ty = self.part.func.ty(found.value);
            let words = words_of(ty);
            let word = args.get(&found.value).copied().unwrap_or_else(|| {
                let places = taken.entry(words).or_default();
                let is_free = |(_, blocks): &&mut (u32, EntitySet<Block>)| {
                    !found.blocks.iter().any(|&block| blocks.contains(block))
                };
                if let Some((word, blocks)) = places.iter_mut().find(is_free) {
                    blocks.extend(found.blocks.iter().copied());
                    return *word;
                }
                let word = self.part.words;
                self.part.words += words;
                let mut blocks = EntitySet::new();
                blocks.extend(found.blocks.iter().copied());
                places.push((word, blocks));
                word
            });
            let kept = self.kept.push((ty, word));
            self.kept_of.insert(found.value, kept);
        }
    }

    /// Writes the stores and loads of values, and what passes a block's end.
    fn leave_and_resume(&mut self, cuts: &Cuts) {
        let mut stop_of: FxHashMap<Block, usize> = FxHashMap::default();
        for (index, stop) in cuts.stops.iter().enumerate() {
            stop_of.insert(stop.block, index);
        }
        // Where the parameters of each block that control comes back to lie.
        let mut passed: Vec<(FuncId, Vec<u32>)> =
            vec![(self.part.id, Vec::new()); cuts.resumes.len()];
        for stop in &cuts.stops {
            if let Some(callee) = stop.call.and_then(|call| self.callee(call)) {
                passed[stop.resume] = (callee, self.heads[&callee].results.clone());
            }
        }
        for (resume, (owner, words)) in cuts.resumes.iter().zip(&mut passed) {
            let params = self.part.func.blocks[*resume].params.clone();
            if *owner == self.part.id && words.len() < params.len() {
                let types = params.iter().map(|&param| self.part.func.ty(param));
                *words = (types.collect::<Vec<_>>().into_iter())
                    .map(|ty| self.take_words(words_of(ty)))
                    .collect();
            }
        }
        let resume_of: FxHashMap<Block, usize> = cuts.resumes.iter().copied().zip(0..).collect();
        let mut replaced = Replacements::default();
        for block in self.part.func.layout.blocks.clone() {
            let insts = std::mem::take(&mut self.part.func.layout.insts[block]);
            let params = self.part.func.blocks[block].params.clone();
            if let Some(&resume) = resume_of.get(&block) {
                let (owner, words) = &passed[resume];
                for (&param, &word) in params.iter().zip(words) {
                    let value = self.load(*owner, word, self.part.func.ty(param));
                    replaced.replace(param, value);
                    if let Some(kept) = self.kept_of.remove(&param) {
                        self.kept_of.insert(value, kept);
                        self.keep(value);
                    }
                }
                self.part.func.retain_params(block, |_, _| false);
            } else {
                for param in params {
                    self.keep(param);
                }
            }
            let stop = stop_of.get(&block).map(|&index| &cuts.stops[index]);
            for inst in insts {
                match (stop, &self.part.func.insts[inst].kind) {
                    (Some(stop), InstKind::Call { func, args }) if stop.call == Some(inst) => {
                        let (func, args) = (*func, args.clone());
                        let words = self.heads[&func].args.clone();
                        self.pass(func, &words, &args);
                    }
                    (Some(stop), InstKind::Jump { dest }) => {
                        let args = dest.args.clone();
                        let exit = match stop.call.and_then(|call| self.callee(call)) {
                            Some(callee) => Exit::Call {
                                callee,
                                start: stop.resume + 1,
                            },
                            None => {
                                let (owner, words) = &passed[stop.resume];
                                self.pass(*owner, words, &args);
                                Exit::Start(stop.resume + 1)
                            }
                        };
                        self.leave(block, exit);
                    }
                    (_, InstKind::Return { values }) if self.heads.contains_key(&self.part.id) => {
                        let values = values.clone();
                        let words = self.head.results.clone();
                        self.pass(self.part.id, &words, &values);
                        self.leave(block, Exit::Return);
                    }
                    _ => {
                        self.out.push(inst);
                        for result in self.part.func.insts[inst].results.clone() {
                            self.keep(result);
                        }
                    }
                }
            }
            self.part.func.layout.insts[block] = self.take_block();
        }
        replaced.apply(&mut self.part.func);
    }

    fn callee(&self, call: Inst) -> Option<FuncId> {
        match self.part.func.insts[call].kind {
            InstKind::Call { func, .. } => Some(func),
            _ => None,
        }
    }

    /// Notes that control leaves a block, which is at its end.
    fn leave(&mut self, block: Block, exit: Exit) {
        self.part.exits.push((block, exit));
        let end = (self.part.func).make_inst(InstKind::Unreachable, &[], SourceLoc::default());
        self.out.push(end);
    }

    /// Stores a value that was just made, if it is kept.
    fn keep(&mut self, value: Value) {
        let Some(&kept) = self.kept_of.get(&value) else {
            return;
        };
        let word = self.kept[kept].1;
        // Below it are the arguments, which are there.
        if word >= self.head.words {
            self.store(self.part.id, word, value);
        }
    }

    /// Stores values in the words of a frame.
    fn pass(&mut self, owner: FuncId, words: &[u32], values: &[Value]) {
        for (&word, &value) in words.iter().zip(values) {
            self.store(owner, word, value);
        }
    }

    /// Writes the block that control enters first, and the one before all starts.
    fn enter(&mut self, cuts: &Cuts) {
        let Some(entry) = self.part.func.entry() else {
            return;
        };
        let params = self.part.func.blocks[entry].params.clone();
        let words = self.head.args.clone();
        let args: Vec<Value> = (params.iter().zip(words))
            .map(|(&param, word)| self.load(self.part.id, word, self.part.func.ty(param)))
            .collect();
        let insts = self.take_block();
        let func = &mut self.part.func;
        let start = func.make_block();
        func.layout.insts[start] = insts;
        let dest = BlockCall::new(entry, &args);
        func.append(start, InstKind::Jump { dest }, &[], SourceLoc::default());
        self.part.starts.push(start);
        self.part.starts.extend_from_slice(&cuts.resumes);
        let before = func.make_block();
        let cases = (1..).zip(&cuts.resumes);
        let kind = InstKind::Switch {
            value: func.i32(0),
            default: BlockCall::new(start, &[]),
            cases: cases
                .map(|(number, &block)| (number, BlockCall::new(block, &[])))
                .collect(),
        };
        func.append(before, kind, &[], SourceLoc::default());
        func.layout.blocks.splice(..0, [before, start]);
    }

    /// Loads what is kept where it is used, unless a block before has made or loaded it and control has not left since.
    fn load_uses(&mut self) {
        let cfg = Cfg::new(&self.part.func);
        let dom = DomTree::new(&cfg);
        let Some(entry) = self.part.func.entry() else {
            return;
        };
        let mut current: SecondaryMap<Kept, PackedOption<Value>> = SecondaryMap::new();
        // The values before, and how many of them there were before each block on the way from the entry.
        let mut undo: Vec<(Kept, PackedOption<Value>)> = Vec::new();
        let mut entered: Vec<usize> = Vec::new();
        for step in dom.walk(entry) {
            let Step::Enter(block) = step else {
                let before = entered.pop().unwrap_or(0);
                for (kept, value) in undo.drain(before..).rev() {
                    current[kept] = value;
                }
                continue;
            };
            entered.push(undo.len());
            let mut set = |current: &mut SecondaryMap<_, _>, kept: Kept, value: Value| {
                undo.push((kept, current[kept]));
                current[kept] = value.into();
            };
            for param in &self.part.func.blocks[block].params {
                if let Some(&kept) = self.kept_of.get(param) {
                    set(&mut current, kept, *param);
                }
            }
            for inst in std::mem::take(&mut self.part.func.layout.insts[block]) {
                let kind = &mut self.part.func.insts[inst].kind;
                let mut kind = std::mem::replace(kind, InstKind::Unreachable);
                kind.for_each_value_mut(|value| {
                    let Some(&kept) = self.kept_of.get(value) else {
                        return;
                    };
                    *value = current[kept].expand().unwrap_or_else(|| {
                        let (ty, word) = self.kept[kept];
                        let loaded = self.load(self.part.id, word, ty);
                        set(&mut current, kept, loaded);
                        loaded
                    });
                });
                self.part.func.insts[inst].kind = kind;
                self.out.push(inst);
                for result in &self.part.func.insts[inst].results {
                    if let Some(&kept) = self.kept_of.get(result) {
                        set(&mut current, kept, *result);
                    }
                }
            }
            self.part.func.layout.insts[block] = self.take_block();
        }
    }

    /// Ends the block that is written; gives its instructions.
    fn take_block(&mut self) -> Vec<Inst> {
        self.base = None;
        self.known.clear();
        std::mem::take(&mut self.out)
    }

    fn value(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = (self.part.func).make_inst(kind, &[ty], SourceLoc::default());
        self.out.push(inst);
        self.part.func.result(inst)
    }

    /// The address of a word of a function's frame.
    fn address(&mut self, owner: FuncId, word: u32) -> Value {
        if let Some(&known) = self.known.get(&(owner, word)) {
            return known;
        }
        let private = Type::ptr(AddressSpace::Private);
        let base = self.base.unwrap_or_else(|| {
            let slot = self.part.array;
            self.value(InstKind::StackAddr { slot }, private)
        });
        self.base = Some(base);
        let offset = self.part.func.offset(0, self.int64);
        let address = self.value(InstKind::PtrAdd { base, offset }, private);
        if let Some(inst) = self.part.func.def_inst(address) {
            self.part.addresses.push((inst, owner, word));
        }
        self.known.insert((owner, word), address);
        address
    }

    fn load(&mut self, owner: FuncId, word: u32, ty: Type) -> Value {
        let in_memory = memory_type(ty);
        let ptr = self.address(owner, word);
        let value = self.value(load_from(ptr), in_memory);
        match ty.scalar {
            Scalar::Bool => {
                let zero = self.part.func.splat_constant(in_memory, 0);
                let compare = InstKind::ICmp {
                    cond: IntCond::Ne,
                    args: [value, zero],
                };
                self.value(compare, ty)
            }
            Scalar::I8 | Scalar::I16 => self.convert(ConvertOp::Trunc, value, ty),
            Scalar::F16 => {
                let lanes = self.lanes(value, Type::I32);
                let pair = Type::vector(Scalar::F16, 2);
                let lanes = (lanes.into_iter())
                    .map(|lane| {
                        let vector = self.convert(ConvertOp::Bitcast, lane, pair);
                        self.value(InstKind::Extract { vector, lane: 0 }, Type::F16)
                    })
                    .collect();
                self.vector(lanes, ty)
            }
            _ => value,
        }
    }

    fn store(&mut self, owner: FuncId, word: u32, value: Value) {
        let ty = self.part.func.ty(value);
        let in_memory = memory_type(ty);
        let value = match ty.scalar {
            Scalar::Bool | Scalar::I8 | Scalar::I16 => {
                self.convert(ConvertOp::ZExt, value, in_memory)
            }
            // Devices with halves need not have integers of 16 bits.
            Scalar::F16 => {
                let pair = Type::vector(Scalar::F16, 2);
                let lanes = (self.lanes(value, Type::F16).into_iter())
                    .map(|lane| {
                        let vector = self.value(InstKind::Splat { arg: lane }, pair);
                        self.convert(ConvertOp::Bitcast, vector, Type::I32)
                    })
                    .collect();
                self.vector(lanes, in_memory)
            }
            _ => value,
        };
        let ptr = self.address(owner, word);
        let store = store_to(ptr, value);
        let inst = (self.part.func).make_inst(store, &[], SourceLoc::default());
        self.out.push(inst);
    }

    fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        let kind = InstKind::Convert {
            op,
            arg,
            rounding: None,
        };
        self.value(kind, ty)
    }

    fn lanes(&mut self, vector: Value, lane_ty: Type) -> SmallVec<[Value; 4]> {
        match self.part.func.ty(vector).lanes {
            1 => SmallVec::from_slice(&[vector]),
            count => (0..count)
                .map(|lane| self.value(InstKind::Extract { vector, lane }, lane_ty))
                .collect(),
        }
    }

    fn vector(&mut self, lanes: SmallVec<[Value; 4]>, ty: Type) -> Value {
        match lanes[..] {
            [only] => only,
            _ => self.value(InstKind::Build { lanes }, ty),
        }
    }
}
