//! One function: blocks in structured order, phis, merges, terminators.

use super::builder::Id;
use super::emitter::Emitter;
use super::rotations::Rotations;
use cranelift_entity::SecondaryMap;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases::Bases;
use pumice_ir::{Block, BlockCall, FuncId, InstKind, Merge, Type, UnrollHint, Value};
use rspirv::spirv::{FunctionControl, LoopControl, Op};
use smallvec::SmallVec;

impl Emitter<'_> {
    fn result_ty(&mut self, results: &[Type]) -> Id {
        match results {
            [] => self.b.ty_void(),
            [one] => self.ty(*one),
            many => {
                let members: Vec<Id> = many.iter().map(|&t| self.ty(t)).collect();
                self.b.unique(Op::TypeStruct, None, &members)
            }
        }
    }

    /// The id of a function, also before it is written.
    pub fn func_id(&mut self, func: FuncId) -> Id {
        if self.func_ids[func] == 0 {
            self.func_ids[func] = self.b.id();
        }
        self.func_ids[func]
    }

    /// Writes a function.
    pub fn function(&mut self, id: FuncId) -> Result<(), LowerError> {
        let f = &self.module.functions[id];
        self.cur = id;
        self.vals = SecondaryMap::new();
        self.labels = f.block_map();
        self.cur_uses.clear();
        self.frame.clear();
        self.near_of.clear();
        self.find_lane_builtins();
        // LLVM knows rotations of two numbers, and drivers for processors compile with it.
        self.rotations = match self.target.launch_promises {
            true => Rotations::of(f),
            false => Rotations::default(),
        };
        if self.has_buffers() {
            self.bases = Some(Bases::of(self.module, f));
        }
        if let Some(sizes) = &self.fixed_group_sizes {
            let mut kernels = self.module.kernels.iter().zip(sizes);
            if let Some((_, size)) = kernels.find(|(kernel, _)| kernel.func == id) {
                self.group_size = size.map(|n| self.b.const_u32(n));
            }
        }

        let func_id = self.func_id(id);
        let result = self.result_ty(&f.results);
        let mut signature = vec![result];
        for &param in &f.params {
            signature.push(self.ty(param));
        }
        let func_ty = self.b.unique(Op::TypeFunction, None, &signature);
        if self.kernel_of[id].is_none() {
            self.b.name(func_id, &f.name);
        }
        let entry = f
            .entry()
            .ok_or_else(|| LowerError::new(format!("undefined function '{}'", f.name)))?;
        let params = self.b.begin_function(
            func_id,
            func_ty,
            result,
            FunctionControl::NONE,
            &signature[1..],
        );
        for (&param, id) in f.blocks[entry].params.iter().zip(params) {
            self.vals[param] = id;
        }
        for &block in &f.layout.blocks {
            self.labels[block] = self.b.id();
        }
        self.b.entry_block(self.labels[entry]);
        self.local_base = self.start_of_local_buffer()?;

        // Incoming edges, for phis.
        let mut incoming: SecondaryMap<Block, Vec<(Block, &[Value])>> = f.block_map();
        for &block in &f.layout.blocks {
            let Some(term) = f.terminator(block) else {
                continue;
            };
            let mut targets: SmallVec<[Block; 4]> = SmallVec::new();
            for call in f.insts[term].kind.successors() {
                if call.args.is_empty() || targets.contains(&call.block) {
                    // Two edges from one block: a phi has one entry per predecessor, the
                    // terminator selects the arguments.
                    continue;
                }
                targets.push(call.block);
                incoming[call.block].push((block, &call.args));
            }
        }

        for &block in &f.layout.blocks {
            self.low_words.clear();
            self.behind_branch = block != entry || self.kernel_of[id].is_none();
            if block != entry {
                self.b.label(self.labels[block]);
                self.phis(block, &incoming[block])?;
            }
            let insts = &f.layout.insts[block];
            let Some((&last, rest)) = insts.split_last() else {
                return Err(LowerError::new("internal: empty block reached emission"));
            };
            for &inst in rest {
                self.inst(inst)?;
            }
            self.terminator(&f.insts[last].kind, f.blocks[block].merge)?;
        }
        self.b.end_function();
        self.uses.insert(id, std::mem::take(&mut self.cur_uses));
        Ok(())
    }

    /// get_global_id(0) uses one lane of three: the others need not be computed.
    fn find_lane_builtins(&mut self) {
        self.lane_builtins.clear();
        let f = &self.module.functions[self.cur];
        let insts = || {
            let blocks = f.layout.blocks.iter();
            blocks.flat_map(|&block| f.layout.insts[block].iter().map(|&i| &f.insts[i]))
        };
        for data in insts() {
            if let InstKind::BuiltIn { which } = data.kind {
                let result = data.results[0];
                if f.ty(result).lanes == 3 {
                    self.lane_builtins.insert(result, which);
                }
            }
        }
        for data in insts() {
            if !matches!(data.kind, InstKind::Extract { .. }) {
                data.kind.for_each_value(|v| {
                    self.lane_builtins.remove(&v);
                });
            }
        }
    }

    fn phis(&mut self, block: Block, incoming: &[(Block, &[Value])]) -> Result<(), LowerError> {
        let f = &self.module.functions[self.cur];
        for (i, &param) in f.blocks[block].params.iter().enumerate() {
            let ty = self.ty(f.ty(param));
            let id = self.value(param);
            if incoming.is_empty() {
                // Unreachable merge block.
                self.b.inst_at(id, Op::Undef, ty, &[]);
                continue;
            }
            let mut operands = Vec::with_capacity(incoming.len() * 2);
            for (pred, args) in incoming {
                let arg = *args
                    .get(i)
                    .ok_or_else(|| LowerError::new("internal: branch with missing arguments"))?;
                operands.push(self.value(arg));
                operands.push(self.labels[*pred]);
            }
            self.b.inst_at(id, Op::Phi, ty, &operands);
        }
        Ok(())
    }

    fn merge(&mut self, merge: Option<Merge>) {
        match merge {
            None => {}
            Some(Merge::Selection { merge }) => {
                let label = self.labels[merge];
                self.b.stmt(Op::SelectionMerge, &[label, 0]);
            }
            Some(Merge::Loop {
                merge,
                continue_target,
                unroll,
                ..
            }) => {
                let mut operands = vec![self.labels[merge], self.labels[continue_target]];
                // A count alone: beside Unroll, drivers unroll the whole loop.
                let (control, count) = match unroll {
                    UnrollHint::DontUnroll => (LoopControl::DONT_UNROLL, None),
                    UnrollHint::Unroll => (LoopControl::UNROLL, None),
                    UnrollHint::Partial(count) if self.target.spirv_version >= (1, 4) => {
                        (LoopControl::PARTIAL_COUNT, Some(count))
                    }
                    UnrollHint::None | UnrollHint::Partial(_) => (LoopControl::NONE, None),
                };
                operands.push(control.bits());
                operands.extend(count);
                self.b.stmt(Op::LoopMerge, &operands);
            }
        }
    }

    fn jump(&mut self, call: &BlockCall, merge: Option<Merge>) {
        self.merge(merge);
        let label = self.labels[call.block];
        self.b.stmt(Op::Branch, &[label]);
    }

    fn terminator(&mut self, kind: &InstKind, merge: Option<Merge>) -> Result<(), LowerError> {
        match kind {
            InstKind::Jump { dest } => self.jump(dest, merge),
            InstKind::Branch { cond, then, other } if then.block == other.block => {
                if then.args != other.args {
                    return Err(LowerError::new(
                        "internal: branch with two different edges to one block",
                    ));
                }
                let _ = cond;
                self.jump(then, merge);
            }
            InstKind::Branch { cond, then, other } => {
                let cond = self.value(*cond);
                self.merge(merge);
                let (then, other) = (self.labels[then.block], self.labels[other.block]);
                self.b.stmt(Op::BranchConditional, &[cond, then, other]);
            }
            InstKind::Switch {
                value,
                default,
                cases,
            } => {
                let ty = self.value_ty(*value);
                let selector = self.value(*value);
                self.merge(merge);
                let mut operands = vec![selector, self.labels[default.block]];
                for (literal, call) in cases {
                    push_literal(&mut operands, *literal, ty.scalar.bits());
                    operands.push(self.labels[call.block]);
                }
                self.b.stmt(Op::Switch, &operands);
            }
            InstKind::Return { values } => match values[..] {
                [] => self.b.stmt(Op::Return, &[]),
                [one] => {
                    let id = self.value(one);
                    self.b.stmt(Op::ReturnValue, &[id]);
                }
                _ => {
                    let ids: Vec<Id> = values.iter().map(|&v| self.value(v)).collect();
                    let types: Vec<Type> = values.iter().map(|&v| self.value_ty(v)).collect();
                    let ty = self.result_ty(&types);
                    let all = self.b.op(Op::CompositeConstruct, ty, &ids);
                    self.b.stmt(Op::ReturnValue, &[all]);
                }
            },
            InstKind::Unreachable => self.b.stmt(Op::Unreachable, &[]),
            other => {
                return Err(LowerError::new(format!(
                    "internal: block ends in {other:?}"
                )));
            }
        }
        Ok(())
    }

    /// A call; gives the results.
    pub fn call(&mut self, func: FuncId, args: &[Value]) -> Result<Vec<Id>, LowerError> {
        let results = self.module.functions[func].results.clone();
        let ty = self.result_ty(&results);
        let mut operands = vec![self.func_id(func)];
        for &arg in args {
            operands.push(self.value(arg));
        }
        let result = self.b.op(Op::FunctionCall, ty, &operands);
        Ok(match results.len() {
            0 => Vec::new(),
            1 => vec![result],
            n => (0..n)
                .map(|i| {
                    let ty = self.ty(results[i]);
                    self.b.op(Op::CompositeExtract, ty, &[result, i as u32])
                })
                .collect(),
        })
    }
}

fn push_literal(operands: &mut Vec<u32>, literal: u64, bits: u32) {
    operands.push(match bits {
        8 => literal as u32 & 0xFF,
        16 => literal as u32 & 0xFFFF,
        _ => literal as u32,
    });
    if bits == 64 {
        operands.push((literal >> 32) as u32);
    }
}
