//! Control flow of a function body: labels, phis and terminators.

use super::body::{Body, Label};
use super::locals::{Leaves, Val};
use super::reader::{Inst, Result};
use super::types::Ty;
use pumice_ir::{BlockCall, InstKind, Scalar, Type, UnrollHint};
use rspirv::spirv::{LoopControl, Op};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

impl<'a> Body<'a, '_> {
    /// The reachable blocks in reverse postorder, so that definitions come before uses
    /// whatever order the module has. Blocks that nothing reaches may use anything; they are
    /// left out.
    pub(super) fn block_order(&mut self, first: &Inst<'_>, entry: u32) -> Result<Vec<u32>> {
        let mut postorder = Vec::new();
        let mut stack = vec![(entry, 0)];
        while let Some((id, next)) = stack.last_mut() {
            let id = *id;
            let label = self
                .labels
                .get_mut(&id)
                .ok_or_else(|| first.error(format_args!("id {id} is not a label here")))?;
            label.reachable = true;
            // The last successor first, so that the first one follows its block.
            let at = label.successors.len().checked_sub(*next + 1);
            let Some(successor) = at.map(|at| label.successors[at]) else {
                postorder.push(id);
                stack.pop();
                continue;
            };
            *next += 1;
            if successor == entry {
                return Err(first.error("a branch to the entry block"));
            }
            if self
                .labels
                .get(&successor)
                .is_none_or(|label| !label.reachable)
            {
                stack.push((successor, 0));
            }
        }
        postorder.reverse();
        Ok(postorder)
    }

    /// Finds labels, phis and branches; gives the entry's label.
    pub(super) fn scan_labels(&mut self, body: &[Inst<'a>]) -> Result<u32> {
        let (mut entry, mut current, mut open) = (0, 0, false);
        for (at, inst) in body.iter().enumerate() {
            if inst.op == Op::Label {
                if current == 0 {
                    entry = inst.id;
                } else if open {
                    return Err(inst.error("the block before has no terminator"));
                }
                current = inst.id;
                let label = Label {
                    block: None,
                    phis: Vec::new(),
                    successors: SmallVec::new(),
                    body: at + 1..at + 1,
                    reachable: false,
                };
                if self.labels.insert(current, label).is_some() {
                    return Err(inst.error("the id is already defined"));
                }
                open = true;
                continue;
            }
            if current == 0 {
                if matches!(inst.op, Op::Line | Op::NoLine | Op::Nop) {
                    continue;
                }
                return Err(inst.error("an instruction outside a block"));
            }
            if !open {
                return Err(inst.error("an instruction behind its block's terminator"));
            }
            let mut successors: SmallVec<[u32; 2]> = SmallVec::new();
            match inst.op {
                Op::Phi => {
                    if let Some(label) = self.labels.get_mut(&current) {
                        label.phis.push(*inst);
                    }
                    continue;
                }
                Op::Branch => successors.push(inst.arg(0)?),
                Op::BranchConditional => {
                    successors.push(inst.arg(1)?);
                    successors.push(inst.arg(2)?);
                }
                // The literals' width depends on the selector's type, which only the walk
                // knows; every other word is a label, or every third.
                Op::Switch => {
                    successors.push(inst.arg(1)?);
                    let width = self.switch_literal_words(inst, body)?;
                    for case in inst.rest(2).chunks(width + 1) {
                        if case.len() != width + 1 {
                            return Err(inst.error("the last case has no label"));
                        }
                        successors.push(case[width]);
                    }
                }
                Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill => {}
                _ => continue,
            }
            if let Some(label) = self.labels.get_mut(&current) {
                label.successors = successors;
                label.body.end = at + 1;
            }
            open = false;
        }
        if open {
            let message = "the last block has no terminator";
            return Err(body[body.len() - 1].error(message));
        }
        Ok(entry)
    }

    /// Words per case literal: two for 64-bit selectors.
    fn switch_literal_words(&mut self, switch: &Inst<'_>, body: &[Inst<'_>]) -> Result<usize> {
        let selector = switch.arg(0)?;
        let ty = match self.pre.constant_or_none(selector) {
            Some(constant) => Some(constant.ty),
            None => {
                let types = self.result_types.get_or_insert_with(|| {
                    let results = body.iter().filter(|inst| inst.ty != 0);
                    results.map(|inst| (inst.id, inst.ty)).collect()
                });
                let ty = types.get(&selector).copied();
                ty.or_else(|| self.decls.param_type(selector))
                    .map(|ty| self.pre.type_of_id(switch, ty))
                    .transpose()?
            }
        };
        let leaf = ty.and_then(|ty| self.pre.types.get(ty).leaf);
        match leaf {
            Some(leaf) if leaf.scalar.is_int() && leaf.lanes == 1 => {
                Ok(if leaf.scalar == Scalar::I64 { 2 } else { 1 })
            }
            _ => Err(switch.error("the selector is not an integer")),
        }
    }

    /// Makes the block of a label, its phis as parameters.
    pub(super) fn declare_block(&mut self, id: u32) -> Result<()> {
        let block = self.func.append_block();
        let phis = match self.labels.get_mut(&id) {
            Some(label) => {
                label.block = Some(block);
                label.phis.clone()
            }
            None => Vec::new(),
        };
        for phi in &phis {
            let ty = self.pre.type_of_id(phi, phi.ty)?;
            let leaves: Leaves = self
                .type_leaves(phi, ty)?
                .iter()
                .map(|leaf| self.func.append_param(block, leaf.ty))
                .collect();
            self.define(phi, ty, Val::Leaves(leaves))?;
        }
        Ok(())
    }

    fn target(&mut self, inst: &Inst<'_>, id: u32) -> Result<BlockCall> {
        let label = self
            .labels
            .get(&id)
            .ok_or_else(|| inst.error(format_args!("id {id} is not a label here")))?;
        let (block, phis) = (label.block, label.phis.clone());
        let block = block.ok_or_else(|| inst.error("a branch to a missing block"))?;
        let mut args = SmallVec::new();
        for phi in &phis {
            let from = self.label;
            let value = phi
                .args
                .chunks(2)
                .find(|pair| pair.len() == 2 && pair[1] == from)
                .map(|pair| pair[0])
                .ok_or_else(|| phi.error(format_args!("no value for predecessor {from}")))?;
            let (ty, leaves) = self.leaves(phi, value)?;
            let phi_ty = self.pre.type_of_id(phi, phi.ty)?;
            if !self.pre.types.same_leaves(ty, phi_ty) {
                return Err(phi.error("a value's type is not the result type"));
            }
            args.extend(leaves);
        }
        self.variables.hand_on(&mut self.func, block, &mut args);
        Ok(BlockCall { block, args })
    }

    /// Terminators and calls of control flow.
    pub(super) fn terminator(&mut self, inst: &Inst<'_>, decl_ret: Ty) -> Result<()> {
        let kind = match inst.op {
            Op::Branch => InstKind::Jump {
                dest: self.target(inst, inst.arg(0)?)?,
            },
            Op::BranchConditional => {
                let cond = self.arg(inst, 0)?;
                if self.func.ty(cond) != Type::BOOL {
                    return Err(inst.error("the condition is not a bool"));
                }
                InstKind::Branch {
                    cond,
                    then: self.target(inst, inst.arg(1)?)?,
                    other: self.target(inst, inst.arg(2)?)?,
                }
            }
            Op::Switch => {
                let value = self.arg(inst, 0)?;
                let ty = self.func.ty(value);
                if !ty.scalar.is_int() || ty.lanes != 1 {
                    return Err(inst.error("the selector is not an integer"));
                }
                let width = if ty.scalar == Scalar::I64 { 2 } else { 1 };
                let default = self.target(inst, inst.arg(1)?)?;
                let mut seen = FxHashSet::default();
                let mut cases = Vec::new();
                for case in inst.rest(2).chunks(width + 1) {
                    let [literal @ .., label] = case else {
                        continue;
                    };
                    let bits = literal
                        .iter()
                        .rev()
                        .fold(0, |bits, &word| bits << 32 | u64::from(word));
                    let bits = pumice_ir::analysis::eval::mask(ty.scalar, bits);
                    if !seen.insert(bits) {
                        return Err(inst.error(format_args!("case {bits} stands twice")));
                    }
                    cases.push((bits, self.target(inst, *label)?));
                }
                InstKind::Switch {
                    value,
                    default,
                    cases,
                }
            }
            Op::Return => InstKind::Return {
                values: SmallVec::new(),
            },
            Op::ReturnValue => {
                let (ty, leaves) = self.leaves(inst, inst.arg(0)?)?;
                if !self.pre.types.same_leaves(ty, decl_ret) {
                    return Err(inst.error("the value is not of the function's type"));
                }
                InstKind::Return {
                    values: leaves.into_iter().collect(),
                }
            }
            _ => InstKind::Unreachable,
        };
        if let InstKind::Return { values } = &kind {
            if values.len() != self.func.results.len() {
                return Err(inst.error("the function returns a value"));
            }
        }
        self.terminate(kind);
        Ok(())
    }
}

/// Gives the unroll hint of a loop's control, the operand `at`. Its promises about iterations and
/// dependencies are not used.
pub(super) fn unroll_hint(inst: &Inst<'_>, at: usize) -> Result<UnrollHint> {
    let control = inst.arg(at)?;
    let has = |bit: LoopControl| control & bit.bits() != 0;
    if has(LoopControl::PARTIAL_COUNT) {
        // Literals follow in the order of their bits; only later versions' stand behind.
        let before = LoopControl::DEPENDENCY_LENGTH
            | LoopControl::MIN_ITERATIONS
            | LoopControl::MAX_ITERATIONS
            | LoopControl::ITERATION_MULTIPLE
            | LoopControl::PEEL_COUNT;
        let skipped = (control & before.bits()).count_ones() as usize;
        return Ok(UnrollHint::Partial(inst.arg(at + 1 + skipped)?));
    }
    Ok(if has(LoopControl::UNROLL) {
        UnrollHint::Unroll
    } else if has(LoopControl::DONT_UNROLL) {
        UnrollHint::DontUnroll
    } else {
        UnrollHint::None
    })
}
