//! The choice of the variables that become values, and the order in which their function is read.

use super::body::Body;
use super::locals::Val;
use super::memory;
use super::reader::{Inst, Result};
use super::types::Ty;
use super::variables::{Variable, VariableData, Variables};
use cranelift_entity::PrimaryMap;
use pumice_budget as budget;
use pumice_ir::phis::{self, Accesses};
use pumice_ir::{AccessFlags, AddressSpace, Block, Cfg, DomTree, Step, Type};
use rspirv::spirv::{Decoration, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Returns whether an access whose memory operands begin at operand `n` may be one of a value: those of volatile ones and
/// of malformed ones may not.
fn is_plain(access: &Inst<'_>, n: usize) -> bool {
    memory::access(access, n).is_ok_and(|(access, _)| !access.flags.contains(AccessFlags::VOLATILE))
}

impl<'a> Body<'a, '_> {
    /// Chooses the variables that become values and gives the blocks parameters for them, after `declare_block`.
    /// `order` holds the labels of the blocks in the blocks' order. Gives the tree in whose order the blocks have to
    /// be filled, if any variable is chosen.
    pub(super) fn choose_variables(
        &mut self,
        zero: bool,
        body: &[Inst<'a>],
        order: &[u32],
    ) -> Result<Option<DomTree>> {
        self.variables = Variables::new(zero);
        self.find_candidates(body, order[0]);
        // A single block hands nothing on.
        if self.variables.by_id.is_empty() || order.len() == 1 {
            return Ok(None);
        }
        let successors: Vec<SmallVec<[Block; 2]>> =
            order.iter().map(|&label| self.successors(label)).collect();
        let entry = self.labels[&order[0]].block;
        let cfg = Cfg::with_successors(entry, order.len(), |block| {
            successors[block.as_u32() as usize].clone()
        });
        let dom = DomTree::new(&cfg);
        let accesses = self.accesses(body, order);
        let parameters = phis::place(&cfg, &dom, order.len(), &accesses)?;
        let Variables { data, values, .. } = &mut self.variables;
        let types = |variable: Variable| data[variable].leaf;
        values.add_parameters(&mut self.func, parameters, types);
        Ok(Some(dom))
    }

    /// The blocks that a block branches to, each once.
    fn successors(&self, label: u32) -> SmallVec<[Block; 2]> {
        let mut blocks = SmallVec::new();
        for successor in &self.labels[&label].successors {
            if let Some(block) = self.labels[successor].block {
                if !blocks.contains(&block) {
                    blocks.push(block);
                }
            }
        }
        blocks
    }

    /// Finds the variables of the entry block that are only loaded and stored whole, in the module's order, which is
    /// that of the parameters. Malformed ones are left to the walk, which refuses them.
    fn find_candidates(&mut self, body: &[Inst<'a>], entry: u32) {
        let declared = body[self.labels[&entry].body.clone()].iter();
        let declared: Vec<(u32, VariableData)> = declared
            .filter_map(|inst| Some((inst.id, self.variable_data(inst)?)))
            .collect();
        let mut types: FxHashMap<u32, Ty> =
            declared.iter().map(|&(id, data)| (id, data.ty)).collect();
        let (Some(least), Some(most)) = (types.keys().min().copied(), types.keys().max().copied())
        else {
            return;
        };
        for inst in body {
            let refused = match inst.op {
                Op::Load if is_plain(inst, 1) && self.loads_whole(inst, &types) => &[],
                Op::Store if is_plain(inst, 2) => inst.args.get(1..2).unwrap_or(&[]),
                Op::Line | Op::LifetimeStart | Op::LifetimeStop => &[],
                _ => inst.args,
            };
            for id in refused.iter().filter(|id| (least..=most).contains(*id)) {
                types.remove(id);
            }
        }
        for (id, data) in declared {
            if types.contains_key(&id) {
                let variable = self.variables.data.push(data);
                self.variables.by_id.insert(id, variable);
            }
        }
    }

    /// The types of a variable that is declared, if values can have them.
    fn variable_data(&self, inst: &Inst<'a>) -> Option<VariableData> {
        if inst.op != Op::Variable || self.pre.decoration(inst.id, Decoration::Volatile).is_some() {
            return None;
        }
        let (pointer, leaf) = self.result_type(inst).ok()?;
        let ty = self.pre.pointee(inst, pointer).ok()?;
        let is_private = leaf == Type::ptr(AddressSpace::Private);
        let leaf = self.pre.types.get(ty).leaf.filter(|_| is_private)?;
        Some(VariableData { ty, leaf })
    }

    /// Returns whether a load is of the variable's own type, if it is of one of these variables.
    fn loads_whole(&self, load: &Inst<'a>, types: &FxHashMap<u32, Ty>) -> bool {
        let ty = load.args.first().and_then(|id| types.get(id));
        ty.is_none_or(|&ty| self.pre.type_of_id(load, load.ty) == Ok(ty))
    }

    fn accesses(&self, body: &[Inst<'a>], order: &[u32]) -> PrimaryMap<Variable, Accesses> {
        let data = self.variables.data.values();
        let mut all: PrimaryMap<Variable, Accesses> = data.map(|_| Accesses::default()).collect();
        for label in order {
            let label = &self.labels[label];
            let Some(block) = label.block else { continue };
            for inst in &body[label.body.clone()] {
                let (id, writes) = match inst.op {
                    Op::Load => (inst.args.first(), false),
                    Op::Store => (inst.args.first(), true),
                    // One with an initializer is written where it stands.
                    Op::Variable if inst.args.len() > 1 => (Some(&inst.id), true),
                    _ => continue,
                };
                let Some(variable) = id.and_then(|&id| self.variables.of(id)) else {
                    continue;
                };
                match writes {
                    true => all[variable].write(block),
                    false => all[variable].read(block),
                }
            }
        }
        all
    }

    /// Fills the blocks, each after those that dominate it.
    pub(super) fn fill_by_dominance(
        &mut self,
        dom: &DomTree,
        order: &[u32],
        mut fill: impl FnMut(&mut Self, u32) -> Result<()>,
    ) -> Result<()> {
        let Some(entry) = self.labels[&order[0]].block else {
            return Ok(());
        };
        for step in dom.walk(entry) {
            match step {
                Step::Enter(block) => {
                    budget::check()?;
                    self.variables.values.enter(&self.func, block);
                    fill(self, order[block.as_u32() as usize])?;
                }
                Step::Leave => self.variables.values.leave(),
            }
        }
        Ok(())
    }

    /// Defines the id of a variable that becomes values.
    pub(super) fn define_variable(&mut self, inst: &Inst<'_>, variable: Variable) -> Result<()> {
        let pointer = self.pre.type_of_id(inst, inst.ty)?;
        if let Some(&init) = inst.args.get(1) {
            self.set_variable(inst, variable, init)?;
        }
        self.define(inst, pointer, Val::Variable(variable))
    }

    /// Defines the id of a load of a variable.
    pub(super) fn load_variable(&mut self, inst: &Inst<'_>, variable: Variable) -> Result<()> {
        let value = self.variables.value(&mut self.func, variable);
        let ty = self.variables.data[variable].ty;
        self.define(inst, ty, Val::Leaves(SmallVec::from_elem(value, 1)))
    }

    /// Makes the value of an id a variable's.
    pub(super) fn set_variable(
        &mut self,
        inst: &Inst<'_>,
        variable: Variable,
        id: u32,
    ) -> Result<()> {
        let value = self.value(inst, id)?;
        if self.func.ty(value) != self.variables.data[variable].leaf {
            return Err(inst.error("the value does not fit the variable"));
        }
        self.variables.values.set(variable, value);
        Ok(())
    }
}
