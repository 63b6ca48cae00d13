//! Replacing values by others, collected first and applied in one walk; copying a function's blocks into another one.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_ir::{Block, Function, Inst, InstKind, SourceLoc, StackSlot, Type, Value, ValueDef};
use smallvec::SmallVec;

/// A set of "use this instead of that".
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    map: SecondaryMap<Value, PackedOption<Value>>,
    any: bool,
}

impl Replacements {
    /// Returns whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Uses of `old` become uses of `new`.
    pub fn replace(&mut self, old: Value, new: Value) {
        let new = self.resolve(new);
        if old != new {
            self.map[old] = new.into();
            self.any = true;
        }
    }

    /// Gives the value that stands for `value` now; shortens the chain on the way.
    pub fn resolve(&mut self, value: Value) -> Value {
        let Some(mut last) = self.map[value].expand() else {
            return value;
        };
        while let Some(next) = self.map[last].expand() {
            last = next;
        }
        let mut at = value;
        while at != last {
            match self.map[at].expand() {
                Some(next) => {
                    self.map[at] = last.into();
                    at = next;
                }
                None => break,
            }
        }
        last
    }

    /// Rewrites every operand in the layout.
    pub fn apply(&mut self, func: &mut Function) {
        if self.any {
            func.rewrite_values(|value| self.resolve(value));
        }
    }
}

/// Copies of a function's blocks inside another function.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    /// The values that stand for the original's. Parameters of blocks that have one before the copy get no copy.
    pub values: SecondaryMap<Value, PackedOption<Value>>,
    /// The variables that stand for the original's.
    pub slots: SecondaryMap<StackSlot, PackedOption<StackSlot>>,
    /// The copy of each block.
    pub blocks: SecondaryMap<Block, PackedOption<Block>>,
    /// The copies in the original's order.
    pub order: Vec<Block>,
}

impl Copies {
    /// Makes blocks and variables in `func` for those of `from`. The blocks are not yet in the layout.
    pub fn new(func: &mut Function, from: &Function) -> Self {
        let mut values = SecondaryMap::new();
        values.resize(from.num_values());
        let mut slots: SecondaryMap<StackSlot, PackedOption<StackSlot>> = SecondaryMap::new();
        for (slot, &data) in from.slots.iter() {
            slots[slot] = func.slots.push(data).into();
        }
        let mut blocks: SecondaryMap<Block, PackedOption<Block>> = from.block_map();
        let mut order = Vec::with_capacity(from.layout.blocks.len());
        for &block in &from.layout.blocks {
            let copy = func.make_block();
            func.blocks[copy].unroll = from.blocks[block].unroll;
            blocks[block] = copy.into();
            order.push(copy);
        }
        Self {
            values,
            slots,
            blocks,
            order,
        }
    }

    /// Fills the blocks; `at` gives the source position of an instruction's copy. With `moves`, `from` loses its
    /// instructions.
    pub fn copy(
        &mut self,
        func: &mut Function,
        from: &mut Function,
        moves: bool,
        at: impl Fn(SourceLoc) -> SourceLoc,
    ) {
        let size = from.size();
        func.layout.insts.resize(func.blocks.len());
        func.reserve(size);
        for (&block, &copy) in from.layout.blocks.iter().zip(&self.order) {
            for &param in &from.blocks[block].params {
                if self.values[param].is_none() {
                    self.values[param] = func.append_param(copy, from.ty(param)).into();
                }
            }
        }
        // Results first: blocks need not stand in an order of definition before use.
        let mut copies: Vec<(Block, Inst, Inst)> = Vec::with_capacity(size);
        for (&block, &copy) in from.layout.blocks.iter().zip(&self.order) {
            func.layout.insts[copy] = Vec::with_capacity(from.layout.insts[block].len());
            for &inst in &from.layout.insts[block] {
                let data = &from.insts[inst];
                let types: SmallVec<[Type; 2]> = data.results.iter().map(|&v| from.ty(v)).collect();
                let new = func.make_inst(InstKind::Unreachable, &types, at(data.loc));
                for (&old, &result) in data.results.iter().zip(&func.insts[new].results) {
                    self.values[old] = result.into();
                }
                copies.push((copy, inst, new));
            }
        }
        for (block, old, new) in copies {
            let kind = &mut from.insts[old].kind;
            let mut kind = match moves {
                true => std::mem::replace(kind, InstKind::Unreachable),
                false => kind.clone(),
            };
            kind.for_each_value_mut(|value| *value = self.value(func, from, *value));
            if let InstKind::StackAddr { slot } = &mut kind {
                *slot = self.slots[*slot].expand().unwrap_or(*slot);
            }
            for call in kind.successors_mut() {
                call.block = self.blocks[call.block].expand().unwrap_or(call.block);
            }
            func.insts[new].kind = kind;
            func.layout.insts[block].push(new);
        }
    }

    /// The value that stands for one of the original's; constants are made.
    fn value(&mut self, func: &mut Function, from: &Function, value: Value) -> Value {
        if let Some(copy) = self.values[value].expand() {
            return copy;
        }
        let copy = match from.def(value) {
            ValueDef::Const(lanes) => func.constant(from.ty(value), lanes),
            // Every use of undef may differ, so one copy is as good as any.
            _ => func.undef(from.ty(value)),
        };
        self.values[value] = copy.into();
        copy
    }
}
