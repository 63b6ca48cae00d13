//! Variables that become values (Cytron et al. 1991): the blocks where they need a parameter, and their values in a
//! walk over the dominator tree.
//!
//! A block needs a parameter for a variable if different writes of it may arrive there, and something behind reads it.

use super::{Block, Cfg, DomTree, Function, Type, Value};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use pumice_budget::{self as budget, Exhausted};
use smallvec::SmallVec;

/// The blocks that access a variable, gathered in any order of blocks.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    writes: SmallVec<[Block; 4]>,
    /// The blocks that read the variable before they write it.
    reads: SmallVec<[Block; 4]>,
}

impl Accesses {
    /// Notes a read; all accesses of a block are noted in their order, and no other block's between them.
    pub fn read(&mut self, block: Block) {
        if self.writes.last() != Some(&block) && self.reads.last() != Some(&block) {
            self.reads.push(block);
        }
    }

    /// Notes a write of the whole variable.
    pub fn write(&mut self, block: Block) {
        if self.writes.last() != Some(&block) {
            self.writes.push(block);
        }
    }
}

/// The variables for which each block needs a parameter, in their order.
pub type Parameters<V> = SecondaryMap<Block, Vec<V>>;

/// Gives the variables for which each block needs a parameter. `blocks` is more than any block's number.
///
/// # Errors
/// Loops inside one another, or variables of such loops, that take too much memory or time.
pub fn place<V: EntityRef>(
    cfg: &Cfg,
    dom: &DomTree,
    blocks: usize,
    variables: &PrimaryMap<V, Accesses>,
) -> Result<Parameters<V>, Exhausted> {
    let mut parameters = Parameters::new();
    parameters.resize(blocks);
    let mut frontiers = None;
    let [mut mark, mut live, mut writes] = std::array::from_fn(|_| {
        let mut rounds: SecondaryMap<Block, u32> = SecondaryMap::new();
        rounds.resize(blocks);
        rounds
    });
    for (round, (variable, accesses)) in (1u32..).zip(variables) {
        if accesses.writes.is_empty() || accesses.reads.is_empty() {
            continue;
        }
        budget::check()?;
        let frontiers = match &frontiers {
            Some(known) => known,
            None => frontiers.insert(dominance_frontiers(cfg, dom)?),
        };
        for &block in &accesses.writes {
            writes[block] = round;
        }
        // The blocks at whose start the variable's value is wanted, backwards from the reads.
        let mut work = accesses.reads.clone();
        while let Some(block) = work.pop() {
            if live[block] == round {
                continue;
            }
            live[block] = round;
            let preds = cfg.preds(block).iter().copied();
            work.extend(preds.filter(|&pred| writes[pred] != round));
        }
        let mut work = accesses.writes.clone();
        while let Some(block) = work.pop() {
            for &join in &frontiers[block] {
                if mark[join] != round && live[join] == round {
                    mark[join] = round;
                    // One argument on each edge.
                    budget::spend_on::<Value>(1 + cfg.preds(join).len());
                    parameters[join].push(variable);
                    work.push(join);
                }
            }
        }
    }
    Ok(parameters)
}

type Frontiers = SecondaryMap<Block, SmallVec<[Block; 2]>>;

/// The blocks that some edge leads to from what a block dominates, without its being dominated strictly. Loops inside one
/// another may have as many as their number squared.
fn dominance_frontiers(cfg: &Cfg, dom: &DomTree) -> Result<Frontiers, Exhausted> {
    let mut frontiers = Frontiers::new();
    let highest = cfg.reverse_postorder().iter().map(|block| block.index());
    frontiers.resize(highest.max().map_or(0, |highest| highest + 1));
    for &block in cfg.reverse_postorder() {
        let preds = cfg.preds(block);
        if preds.len() < 2 {
            continue;
        }
        budget::check()?;
        for &pred in preds {
            let mut runner = Some(pred);
            while let Some(at) = runner.filter(|&at| Some(at) != dom.idom(block)) {
                // From here on another predecessor has come the same way.
                if frontiers[at].last() == Some(&block) {
                    break;
                }
                frontiers[at].push(block);
                budget::spend_on::<Block>(1);
                runner = dom.idom(at);
            }
        }
    }
    Ok(frontiers)
}

/// The values of variables at the place that a walk over the dominator tree has come to.
#[derive(Clone, Debug)]
pub struct Values<V: EntityRef> {
    /// Gives zero for what nothing has written; else that is undefined.
    zero: bool,
    parameters: Parameters<V>,
    current: SecondaryMap<V, PackedOption<Value>>,
    /// The values before each write on the way from the entry.
    undo: Vec<(V, PackedOption<Value>)>,
    /// The number of writes before each block on the way.
    entered: Vec<usize>,
}

impl<V: EntityRef> Values<V> {
    /// No block has a parameter, and no variable a value. With `zero`, what nothing has written is zero.
    pub fn new(zero: bool) -> Self {
        Self {
            zero,
            parameters: Parameters::new(),
            current: SecondaryMap::new(),
            undo: Vec::new(),
            entered: Vec::new(),
        }
    }

    /// Gives the blocks parameters of these types, behind those that they have.
    pub fn add_parameters(
        &mut self,
        func: &mut Function,
        parameters: Parameters<V>,
        types: impl Fn(V) -> Type,
    ) {
        for (block, variables) in parameters.iter() {
            for &variable in variables {
                func.append_param(block, types(variable));
            }
        }
        self.parameters = parameters;
    }

    /// The variables for which a block has a parameter. Branches to it hand on their values.
    pub fn parameters(&self, block: Block) -> &[V] {
        &self.parameters[block]
    }

    /// Comes to a block: its parameters are their variables' values.
    pub fn enter(&mut self, func: &Function, block: Block) {
        self.entered.push(self.undo.len());
        let params = &func.blocks[block].params;
        let first = params.len() - self.parameters[block].len();
        for index in first..params.len() {
            self.set(self.parameters[block][index - first], params[index]);
        }
    }

    /// Goes back to the values as they were before the block that was entered last.
    pub fn leave(&mut self) {
        let before = self.entered.pop().unwrap_or(0);
        for (variable, value) in self.undo.drain(before..).rev() {
            self.current[variable] = value;
        }
    }

    /// Notes a write.
    pub fn set(&mut self, variable: V, value: Value) {
        self.undo.push((variable, self.current[variable]));
        self.current[variable] = value.into();
    }

    /// The value of a variable of this type.
    pub fn get(&self, func: &mut Function, variable: V, ty: Type) -> Value {
        let value = self.current[variable].expand();
        value.unwrap_or_else(|| self.unwritten(func, ty))
    }

    /// The value of what nothing has written.
    pub fn unwritten(&self, func: &mut Function, ty: Type) -> Value {
        match self.zero {
            true => func.splat_constant(ty, 0),
            false => func.undef(ty),
        }
    }
}
