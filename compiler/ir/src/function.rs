//! Functions: data-flow graph, layout and private variables.

use super::effort::{Counted, look};
use super::{Block, FuncId, Inst, InstKind, Scalar, StackSlot, Type, Value};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_budget as budget;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

/// A source position that survives from `OpLine`; 0 means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLoc {
    /// One-based number in the module's list of files; 0 means unknown.
    pub file: u32,
    /// One-based line.
    pub line: u32,
    /// One-based column.
    pub column: u32,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// The n-th result of an instruction.
    Result(Inst, u16),
    /// The n-th parameter of a block. The entry block's are the function's parameters.
    Param(Block, u16),
    /// A constant: one bit pattern per lane, zero-extended (Bool: 0 or 1; pointers: address).
    Const(SmallVec<[u64; 1]>),
    /// Any value of the type, possibly another one at each use.
    Undef,
}

/// A value's type and origin.
#[derive(Clone, Debug)]
struct ValueData {
    ty: Type,
    def: ValueDef,
}

/// An instruction with its results.
#[derive(Clone, Debug)]
pub struct InstData {
    /// The operation.
    pub kind: InstKind,
    /// Its results; none for stores and terminators, several only for calls.
    pub results: SmallVec<[Value; 1]>,
    /// Source position.
    pub loc: SourceLoc,
}

/// The source's wish about a loop (SPIR-V's loop control).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnrollHint {
    /// Nothing.
    #[default]
    None,
    /// Unroll it.
    Unroll,
    /// So many rounds at a time.
    Partial(u32),
    /// Keep it.
    DontUnroll,
}

/// A merge instruction of structured control flow, written just before its block's terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// OpSelectionMerge.
    Selection {
        /// The merge block. May be a block without predecessors that ends in `Unreachable`.
        merge: Block,
    },
    /// OpLoopMerge. The header ends in a `Jump` (OpBranch).
    Loop {
        /// The merge block. May be a block without predecessors that ends in `Unreachable`.
        merge: Block,
        /// The continue target: the only block that branches back to the header.
        continue_target: Block,
        /// The source's wish about the loop.
        unroll: UnrollHint,
        /// All work-items of a sub-group leave the loop in the same round.
        left_together: bool,
    },
}

impl Merge {
    /// The merge block.
    pub fn merge(self) -> Block {
        match self {
            Merge::Selection { merge } | Merge::Loop { merge, .. } => merge,
        }
    }
}

/// A block's parameters, and what is known of it.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Parameters (phis).
    pub params: SmallVec<[Value; 4]>,
    /// About the loop that the block is the header of.
    pub unroll: UnrollHint,
    /// The block computes what the branch's other way does, slowly and for all operands: any work-item may take it, and
    /// nearly none needs to.
    pub slow_path: bool,
    /// The construct that the block is the header of. Made by the back end's `structurize`. A
    /// comment in the text form.
    pub merge: Option<Merge>,
}

/// A private variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackSlotData {
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes that its type asks for.
    pub align: u32,
    /// It stands for a local variable; made by `groups_of_one`.
    #[serde(skip)]
    pub was_local: bool,
}

impl StackSlotData {
    /// A variable of a work-item's own.
    pub fn new(size: u32, align: u32) -> Self {
        Self {
            size,
            align,
            was_local: false,
        }
    }

    /// Returns the alignment in bytes that its place has: up to 8 where it is large enough, whatever its type. Programs take arrays of
    /// bytes for words.
    pub fn placed_align(&self) -> u32 {
        let natural = self.size.checked_ilog2().map_or(1, |log| 1 << log.min(3));
        self.align.max(natural)
    }
}

/// Who may refer to a function or variable by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Linkage {
    /// Only this module.
    #[default]
    Internal,
    /// Defined here, visible to other modules.
    Export,
    /// Defined here, one of several equal definitions is kept.
    LinkOnceOdr,
    /// Defined elsewhere.
    Import,
}

/// The order of blocks, and of instructions in each. The first block is the entry.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Blocks in order.
    pub blocks: Vec<Block>,
    /// Instructions of each block; the last one is the terminator.
    pub insts: Counted<SecondaryMap<Block, Vec<Inst>>>,
}

/// The beginning of the names of the built-in library's functions.
pub const LIBRARY_PREFIX: &str = "__pumice_";

/// A function. Without blocks in its layout it is a declaration.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name, for dumps, linking and stack traces.
    pub name: String,
    /// Linkage.
    pub linkage: Linkage,
    /// Parameter types.
    pub params: Vec<Type>,
    /// Result types.
    pub results: Vec<Type>,
    /// All instructions ever made; only those in `layout` are live.
    pub insts: Counted<PrimaryMap<Inst, InstData>>,
    /// All blocks ever made.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Private variables.
    pub slots: PrimaryMap<StackSlot, StackSlotData>,
    /// Block and instruction order.
    pub layout: Layout,
    /// `noinline` (a request), `alwaysinline`.
    pub no_inline: bool,
    /// Inline even above the budget.
    pub always_inline: bool,
    /// Handles of images or samplers cross its calls: it must become part of the kernels that
    /// have them.
    pub passes_handles: bool,
    /// A later pass calls the function: until then it stays although nothing does.
    pub kept: bool,
    /// The pointers among a kernel's arguments, by their offsets in the argument block, whose objects the kernel reaches through
    /// no other argument or variable, unless nothing writes them (C11 6.7.3.1).
    pub restrict_args: SmallVec<[u32; 4]>,
    values: PrimaryMap<Value, ValueData>,
    /// By the hash of type and lanes, or by the next number that was free.
    constants: FxHashMap<u64, Value>,
}

impl Function {
    /// An empty declaration.
    pub fn new(name: impl Into<String>, params: Vec<Type>, results: Vec<Type>) -> Self {
        Self {
            name: name.into(),
            linkage: Linkage::Internal,
            params,
            results,
            insts: Counted::default(),
            blocks: PrimaryMap::new(),
            slots: PrimaryMap::new(),
            layout: Layout::default(),
            no_inline: false,
            always_inline: false,
            passes_handles: false,
            kept: false,
            restrict_args: SmallVec::new(),
            values: PrimaryMap::new(),
            constants: FxHashMap::default(),
        }
    }

    /// Returns whether the function is one of the built-in library's.
    pub fn is_builtin(&self) -> bool {
        self.name.starts_with(LIBRARY_PREFIX)
    }

    /// The instructions in the layout.
    pub fn size(&self) -> usize {
        let blocks = self.layout.blocks.iter();
        blocks.map(|&block| self.layout.insts[block].len()).sum()
    }

    /// The functions that the calls in the layout call, one for each call.
    pub fn calls(&self) -> impl Iterator<Item = FuncId> + '_ {
        let blocks = self.layout.blocks.iter();
        let insts = blocks.flat_map(|&block| &self.layout.insts[block]);
        insts.filter_map(|&inst| match self.insts[inst].kind {
            InstKind::Call { func, .. } => Some(func),
            _ => None,
        })
    }

    /// The entry block; `None` for a declaration.
    pub fn entry(&self) -> Option<Block> {
        self.layout.blocks.first().copied()
    }

    /// Tells of the memory that the function takes, where it was copied.
    pub fn spend(&self) {
        budget::spend_on::<InstData>(self.insts.len());
        budget::spend_on::<ValueData>(self.values.len());
    }

    /// Makes `block` exist (and all before it), for readers that keep numbers.
    pub(crate) fn place_block(&mut self, block: Block) {
        while !self.blocks.is_valid(block) {
            self.blocks.push(BlockData::default());
        }
    }

    /// Makes `value` exist with this type and origin (numbers before it become unused
    /// values), for readers that keep numbers.
    pub fn place_value(&mut self, value: Value, ty: Type, def: ValueDef) {
        while !self.values.is_valid(value) {
            self.values.push(ValueData {
                ty: Type::I32,
                def: ValueDef::Undef,
            });
        }
        self.values[value] = ValueData { ty, def };
    }

    /// A new block, not yet in the layout.
    pub fn make_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }

    /// A new block at the end of the layout.
    pub fn append_block(&mut self) -> Block {
        let block = self.make_block();
        self.layout.blocks.push(block);
        block
    }

    /// Adds a parameter to a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        budget::spend_on::<ValueData>(1);
        let index = self.blocks[block].params.len() as u16;
        let value = self.values.push(ValueData {
            ty,
            def: ValueDef::Param(block, index),
        });
        self.blocks[block].params.push(value);
        value
    }

    /// Removes the parameters for which `keep` is false and renumbers the rest. Callers fix
    /// the branches.
    pub fn retain_params(&mut self, block: Block, mut keep: impl FnMut(usize, Value) -> bool) {
        let old = std::mem::take(&mut self.blocks[block].params);
        let kept: SmallVec<[Value; 4]> = old
            .into_iter()
            .enumerate()
            .filter(|&(i, v)| keep(i, v))
            .map(|(_, v)| v)
            .collect();
        for (index, &value) in kept.iter().enumerate() {
            self.values[value].def = ValueDef::Param(block, index as u16);
        }
        self.blocks[block].params = kept;
    }

    /// Makes room for about so many instructions more, with a result each.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.values.reserve(insts);
    }

    /// A new instruction with results of the given types, not yet in the layout.
    pub fn make_inst(&mut self, kind: InstKind, result_types: &[Type], loc: SourceLoc) -> Inst {
        budget::spend_on::<InstData>(1);
        budget::spend_on::<ValueData>(result_types.len());
        let inst = self.insts.next_key();
        let mut results = SmallVec::new();
        for (index, &ty) in result_types.iter().enumerate() {
            let def = ValueDef::Result(inst, index as u16);
            results.push(self.values.push(ValueData { ty, def }));
        }
        self.insts.push(InstData { kind, results, loc })
    }

    /// Appends an instruction without results or with results ignored.
    pub fn append(
        &mut self,
        block: Block,
        kind: InstKind,
        result_types: &[Type],
        loc: SourceLoc,
    ) -> Inst {
        let inst = self.make_inst(kind, result_types, loc);
        self.layout.insts[block].push(inst);
        inst
    }

    /// Appends an instruction with one result and returns it.
    pub fn append_value(
        &mut self,
        block: Block,
        kind: InstKind,
        ty: Type,
        loc: SourceLoc,
    ) -> Value {
        let inst = self.append(block, kind, &[ty], loc);
        self.insts[inst].results[0]
    }

    /// A constant; `lanes` holds one zero-extended bit pattern per lane.
    pub fn constant(&mut self, ty: Type, lanes: &[u64]) -> Value {
        debug_assert_eq!(lanes.len(), usize::from(ty.lanes));
        let mut key = FxBuildHasher.hash_one((ty, lanes));
        loop {
            match self.constants.entry(key) {
                Entry::Vacant(free) => {
                    let def = ValueDef::Const(SmallVec::from_slice(lanes));
                    return *free.insert(self.values.push(ValueData { ty, def }));
                }
                Entry::Occupied(known) => {
                    let data = &self.values[*known.get()];
                    if data.ty == ty
                        && matches!(&data.def, ValueDef::Const(bits) if **bits == *lanes)
                    {
                        return *known.get();
                    }
                    key = key.wrapping_add(1);
                }
            }
        }
    }

    /// A constant with the same bits in every lane; truncated to the lane's width.
    pub fn splat_constant(&mut self, ty: Type, bits: u64) -> Value {
        let width = ty.scalar.bits();
        let bits = if width == 64 {
            bits
        } else {
            bits & ((1 << width) - 1)
        };
        let lanes: SmallVec<[u64; 16]> = std::iter::repeat_n(bits, usize::from(ty.lanes)).collect();
        self.constant(ty, &lanes)
    }

    /// An I32 constant.
    pub fn i32(&mut self, value: i32) -> Value {
        self.splat_constant(Type::I32, value as u32 as u64)
    }

    /// An I64 constant.
    pub fn i64(&mut self, value: i64) -> Value {
        self.splat_constant(Type::I64, value as u64)
    }

    /// So many bytes as the offset of a pointer, with 64-bit integers or as their two words.
    pub fn offset(&mut self, bytes: u32, int64: bool) -> Value {
        match int64 {
            true => self.i64(i64::from(bytes)),
            false => self.constant(Type::vector(Scalar::I32, 2), &[u64::from(bytes), 0]),
        }
    }

    /// An unspecified value.
    pub fn undef(&mut self, ty: Type) -> Value {
        self.values.push(ValueData {
            ty,
            def: ValueDef::Undef,
        })
    }

    /// A value's type.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        look();
        self.values[value].ty
    }

    /// A value's origin.
    #[inline]
    pub fn def(&self, value: Value) -> &ValueDef {
        look();
        &self.values[value].def
    }

    /// The lanes of a constant value.
    pub fn const_lanes(&self, value: Value) -> Option<&[u64]> {
        match &self.values[value].def {
            ValueDef::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The bits of a one-lane constant.
    pub fn const_bits(&self, value: Value) -> Option<u64> {
        match self.const_lanes(value) {
            Some([bits]) => Some(*bits),
            _ => None,
        }
    }

    /// A one-lane integer constant, sign-extended from its width.
    pub fn const_signed(&self, value: Value) -> Option<i64> {
        let bits = self.const_bits(value)?;
        let shift = 64 - self.ty(value).scalar.bits();
        Some(((bits << shift) as i64) >> shift)
    }

    /// The instruction that defines a value.
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        }
    }

    /// The single result of an instruction.
    ///
    /// # Panics
    /// If the instruction has no result.
    pub fn result(&self, inst: Inst) -> Value {
        self.insts[inst].results[0]
    }

    /// All values ever made.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.values.keys()
    }

    /// The number of values ever made: the size for side tables.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The last instruction of a block, if it is a terminator.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let inst = *self.layout.insts[block].last()?;
        self.insts[inst].kind.is_terminator().then_some(inst)
    }

    /// Replaces uses: every operand `v` in the layout becomes `map(v)`.
    pub fn rewrite_values(&mut self, mut map: impl FnMut(Value) -> Value) {
        for &block in &self.layout.blocks {
            for &inst in &self.layout.insts[block] {
                self.insts[inst].kind.for_each_value_mut(|v| *v = map(*v));
            }
        }
    }
}
