//! Editing conveniences for passes.

use super::{Block, BlockCall, Function, Inst, InstKind, SourceLoc, Type, Value};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

impl Function {
    /// A default value for each block.
    pub fn block_map<T: Clone + Default>(&self) -> SecondaryMap<Block, T> {
        let mut map = SecondaryMap::new();
        map.resize(self.blocks.len());
        map
    }

    /// A default value for each instruction.
    pub fn inst_map<T: Clone + Default>(&self) -> SecondaryMap<Inst, T> {
        let mut map = SecondaryMap::new();
        map.resize(self.insts.len());
        map
    }

    /// The block of every instruction in the layout.
    pub fn inst_blocks(&self) -> SecondaryMap<Inst, Option<Block>> {
        let mut map = self.inst_map();
        for &block in &self.layout.blocks {
            for &inst in &self.layout.insts[block] {
                map[inst] = Some(block);
            }
        }
        map
    }

    /// The place of every block in the layout.
    pub fn block_places(&self) -> SecondaryMap<Block, usize> {
        let mut map = self.block_map();
        for (place, &block) in self.layout.blocks.iter().enumerate() {
            map[block] = place;
        }
        map
    }

    /// Puts a new instruction at position `index` of a block.
    pub fn insert(
        &mut self,
        block: Block,
        index: usize,
        kind: InstKind,
        result_types: &[Type],
        loc: SourceLoc,
    ) -> Inst {
        let inst = self.make_inst(kind, result_types, loc);
        self.layout.insts[block].insert(index, inst);
        inst
    }

    /// Puts a new instruction with one result at position `index` of a block.
    pub fn insert_value(
        &mut self,
        block: Block,
        index: usize,
        kind: InstKind,
        ty: Type,
        loc: SourceLoc,
    ) -> Value {
        let inst = self.insert(block, index, kind, &[ty], loc);
        self.result(inst)
    }

    /// Moves the instructions from position `index` on to a new block behind `block` in the
    /// layout. The caller ends `block` with a new terminator.
    pub fn split_block(&mut self, block: Block, index: usize) -> Block {
        let tail = self.make_block();
        let insts = self.layout.insts[block].split_off(index);
        self.layout.insts[tail] = insts;
        let place = self.layout.blocks.iter().position(|&b| b == block);
        let place = place.map_or(self.layout.blocks.len(), |place| place + 1);
        self.layout.blocks.insert(place, tail);
        tail
    }

    /// Lets all returns of a function without results meet in one block.
    pub fn join_returns(&mut self) {
        let exit = self.make_block();
        for &block in &self.layout.blocks.clone() {
            let Some(last) = self.terminator(block) else {
                continue;
            };
            if matches!(self.insts[last].kind, InstKind::Return { .. }) {
                let dest = BlockCall::new(exit, &[]);
                self.insts[last].kind = InstKind::Jump { dest };
            }
        }
        self.layout.blocks.push(exit);
        let values = SmallVec::new();
        self.append(exit, InstKind::Return { values }, &[], SourceLoc::default());
    }

    /// Counts the uses of each value as an operand in the layout.
    pub fn use_counts(&self) -> SecondaryMap<Value, u32> {
        let mut uses = SecondaryMap::new();
        uses.resize(self.num_values());
        for &block in &self.layout.blocks {
            for &inst in &self.layout.insts[block] {
                let kind = &self.insts[inst].kind;
                kind.for_each_value(|value| uses[value] += 1);
            }
        }
        uses
    }

    /// Replaces every use of `old` in the layout. For many values at once use
    /// [`Function::rewrite_values`].
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        self.rewrite_values(|value| if value == old { new } else { value });
    }
}
