//! The function while its edges are bare: block parameters stand as variables.

use super::MAX_NESTING;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use pumice_ir::LowerError;
use pumice_ir::{Block, BlockCall, DomTree, Function, InstKind, IntCond, SourceLoc, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// A value that may have several definitions: a former block parameter, a label, or the
/// result of an instruction that was cloned or that no longer dominates its uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Var(u32);
entity_impl!(Var, "var");

#[derive(Clone, Debug)]
pub(super) struct VarData {
    pub ty: Type,
    /// The original block that dominated all uses: elsewhere the variable is never needed.
    pub home: Option<Block>,
    /// True if the home block itself starts with the variable's value (a parameter).
    pub live_into_home: bool,
}

/// A function on its way to structured form.
pub(super) struct Work<'a> {
    pub func: &'a mut Function,
    pub vars: PrimaryMap<Var, VarData>,
    /// Operands that stand for a variable.
    pub var_of: FxHashMap<Value, Var>,
    /// The former parameters of a block of the original function, each of which stands for a variable.
    pub params: SecondaryMap<Block, Vec<Value>>,
    /// Definitions on the edge out of a block that ends in a jump.
    pub edge_defs: FxHashMap<Block, Vec<(Var, Value)>>,
    /// Definitions by instructions of a block.
    pub block_defs: FxHashMap<(Var, Block), Value>,
    /// The block of the original function that a block is, or is a copy of.
    pub origin: SecondaryMap<Block, Option<Block>>,
    /// The blocks of the original function that have a copy.
    pub copied: SecondaryMap<Block, bool>,
    /// The blocks in loops that end in a branch which all work-items take alike.
    pub uniform: SecondaryMap<Block, bool>,
    /// Dominance in the original function.
    pub original_dom: DomTree,
    /// Holds the number of the block to go to where several are possible.
    pub label: Var,
    /// The operand that stands for `label`.
    pub label_value: Value,
}

impl Work<'_> {
    /// The error where control flow nests more deeply than SPIR-V allows.
    pub fn nests_too_deep(&self) -> LowerError {
        LowerError::new(format!(
            "function `{}`: control flow nests more than {MAX_NESTING} deep",
            self.func.name
        ))
    }

    /// The error where loops with several entries change more than can be handed from block to block.
    pub fn too_tangled(&self) -> LowerError {
        LowerError::new(format!(
            "function `{}`: gotos enter its loops at too many places",
            self.func.name
        ))
    }

    /// A new variable with an operand that stands for it.
    pub fn new_var(&mut self, ty: Type, home: Option<Block>) -> (Var, Value) {
        let var = self.vars.push(VarData {
            ty,
            home,
            live_into_home: true,
        });
        let value = self.func.undef(ty);
        self.var_of.insert(value, var);
        (var, value)
    }

    /// The variable of an instruction's result that is defined in `block`.
    pub fn result_var(&mut self, value: Value, block: Block) -> Var {
        if let Some(&var) = self.var_of.get(&value) {
            return var;
        }
        let var = self.vars.push(VarData {
            ty: self.func.ty(value),
            home: self.origin[block],
            live_into_home: false,
        });
        self.var_of.insert(value, var);
        self.block_defs.insert((var, block), value);
        var
    }

    /// Says that `copy` does what `block` does.
    pub fn note_copy(&mut self, block: Block, copy: Block) {
        self.origin[copy] = self.origin[block];
        if let Some(origin) = self.origin[block] {
            self.copied[origin] = true;
        }
    }

    /// The distinct targets of a block's terminator, in order.
    pub fn succs(&self, block: Block) -> SmallVec<[Block; 2]> {
        targets(self.func, block)
    }

    /// A new block that jumps to `target`.
    pub fn jump_block(&mut self, target: Block) -> Block {
        let block = self.func.make_block();
        self.set_terminator(block, jump(target));
        block
    }

    /// Gives a block without one its terminator, or replaces the one it has.
    pub fn set_terminator(&mut self, block: Block, kind: InstKind) {
        match self.func.terminator(block) {
            Some(inst) => self.func.insts[inst].kind = kind,
            None => {
                self.func.append(block, kind, &[], SourceLoc::default());
            }
        }
    }

    /// Turns every edge from `block` to `from` into one to `to`.
    pub fn retarget(&mut self, block: Block, from: Block, to: Block) {
        self.retarget_all(block, &[(from, to)]);
    }

    /// Turns the edges from `block` to the first of each pair into edges to the second.
    pub fn retarget_all(&mut self, block: Block, pairs: &[(Block, Block)]) {
        let Some(inst) = self.func.terminator(block) else {
            return;
        };
        let calls = self.func.insts[inst].kind.successors_mut();
        if let [(from, to)] = *pairs {
            let calls = calls.into_iter().filter(|call| call.block == from);
            calls.for_each(|call| call.block = to);
            return;
        }
        let map: FxHashMap<Block, Block> = pairs.iter().copied().collect();
        for call in calls {
            if let Some(&to) = map.get(&call.block) {
                call.block = to;
            }
        }
    }

    /// The block whose jump to `to` can stand for an edge out of `block`, so that definitions can
    /// be put there: `block` itself, or a new block in between. The caller retargets the edge.
    pub fn edge_with_defs(&mut self, block: Block, to: Block) -> Block {
        if self.ends_in_jump(block) {
            return block;
        }
        self.jump_block(to)
    }

    pub fn ends_in_jump(&self, block: Block) -> bool {
        self.func
            .terminator(block)
            .is_some_and(|inst| matches!(self.func.insts[inst].kind, InstKind::Jump { .. }))
    }

    pub fn ends_in_switch(&self, block: Block) -> bool {
        self.func
            .terminator(block)
            .is_some_and(|inst| matches!(self.func.insts[inst].kind, InstKind::Switch { .. }))
    }

    /// Records that the jump out of `block` sets `var` to the number of `target`.
    pub fn define_label(&mut self, block: Block, var: Var, target: Block) {
        let number = self.func.i32(target.as_u32() as i32);
        self.edge_defs.entry(block).or_default().push((var, number));
    }

    /// Ends `block` in `label == target ? way : other`, where `way` is the block that leads to `target`.
    pub fn branch_on_label(
        &mut self,
        block: Block,
        label: Value,
        (target, way): (Block, Block),
        other: Block,
    ) {
        let number = self.func.i32(target.as_u32() as i32);
        let cond = self.func.append_value(
            block,
            InstKind::ICmp {
                cond: IntCond::Eq,
                args: [label, number],
            },
            Type::BOOL,
            SourceLoc::default(),
        );
        self.set_terminator(
            block,
            InstKind::Branch {
                cond,
                then: BlockCall::new(way, &[]),
                other: BlockCall::new(other, &[]),
            },
        );
    }

    /// Ends `block` in a branch by label to one of `targets`, or else to `other`.
    pub fn dispatch(&mut self, block: Block, label: Value, targets: &[Block], other: Block) {
        match *targets {
            [] => self.set_terminator(block, jump(other)),
            [target] => self.branch_on_label(block, label, (target, target), other),
            _ => {
                let cases = targets
                    .iter()
                    .map(|&target| (u64::from(target.as_u32()), BlockCall::new(target, &[])))
                    .collect();
                self.set_terminator(
                    block,
                    InstKind::Switch {
                        value: label,
                        default: BlockCall::new(other, &[]),
                        cases,
                    },
                );
            }
        }
    }
}

/// Blocks in the order in which they were added, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockList {
    list: Vec<Block>,
    /// Those of a long list.
    known: FxHashSet<Block>,
}

/// A longer list keeps a set.
const SHORT: usize = 8;

impl BlockList {
    /// Adds a block unless it is there.
    pub fn add(&mut self, block: Block) {
        if self.contains(block) {
            return;
        }
        self.list.push(block);
        match self.list.len().cmp(&(SHORT + 1)) {
            Ordering::Less => {}
            Ordering::Equal => self.known = self.list.iter().copied().collect(),
            Ordering::Greater => {
                self.known.insert(block);
            }
        }
    }

    /// Returns whether a block is there.
    pub fn contains(&self, block: Block) -> bool {
        match self.list.len() {
            0..=SHORT => self.list.contains(&block),
            _ => self.known.contains(&block),
        }
    }

    /// The blocks in order.
    pub fn iter(&self) -> impl Iterator<Item = Block> + '_ {
        self.list.iter().copied()
    }
}

pub(super) fn jump(target: Block) -> InstKind {
    InstKind::Jump {
        dest: BlockCall::new(target, &[]),
    }
}

/// The distinct targets of a block's terminator, in order.
pub(super) fn targets(func: &Function, block: Block) -> SmallVec<[Block; 2]> {
    let inst = func.terminator(block);
    inst.map_or_else(SmallVec::new, |inst| func.insts[inst].kind.targets())
}
