//! The verifier's rules for operations on the payloads of execution-graph nodes.

use super::verify::Context;
use super::verify_inst::{count, ensure, same};
use super::{Inst, InstKind, NodeInfo, NodeOp, PayloadId, Scope, Type, Value, ValueDef};

impl Context<'_> {
    /// The node of the kernel whose function this is.
    fn node_input(&self) -> Option<(&NodeInfo, PayloadId)> {
        let kernel = self
            .module
            .kernels
            .iter()
            .find(|kernel| kernel.func == self.id)?;
        let node = kernel.node.as_deref()?;
        Some((node, node.input?))
    }

    pub(super) fn check_node(&self, op: NodeOp, args: &[Value], inst: Inst) -> Result<(), String> {
        count(args.len(), op.numbers() + usize::from(op.takes_array()))?;
        for &arg in args {
            same("an operand", self.ty(arg), Type::I32)?;
        }
        let results = &self.func.insts[inst].results;
        let result = match op {
            NodeOp::Enqueue | NodeOp::Store => None,
            NodeOp::IsValid { .. } | NodeOp::Finish => Some(Type::BOOL),
            _ => Some(Type::I32),
        };
        ensure(results.len() == usize::from(result.is_some()), || {
            format!("{} results", results.len())
        })?;
        if let (Some(expected), Some(&value)) = (result, results.first()) {
            same("the result", self.ty(value), expected)?;
        }
        if op == NodeOp::Input {
            ensure(self.node_input().is_some(), || {
                "the function is no kernel that receives payloads".into()
            })?;
        }
        if let Some(id) = op.payload() {
            let Some(payload) = self.module.payloads.get(id) else {
                return Err(format!("{id} does not exist"));
            };
            ensure(payload.node.is_some(), || format!("{id} names no node"))?;
            if let NodeOp::Allocate { visibility, .. } = op {
                ensure(
                    matches!(visibility, Scope::Invocation | Scope::Workgroup),
                    || format!("visibility {}", visibility.name()),
                )?;
                ensure(payload.sparse || payload.array_size.is_some(), || {
                    format!("{id} has neither a size nor is it sparse")
                })?;
            }
        }
        if !op.takes_array() {
            return Ok(());
        }
        let source = match self.func.def(args[0]) {
            ValueDef::Result(source, _) => match self.func.insts[*source].kind {
                InstKind::Node { op, .. } => Some(op),
                _ => None,
            },
            _ => None,
        };
        let allowed = match op {
            NodeOp::Enqueue => matches!(source, Some(NodeOp::Allocate { .. })),
            NodeOp::Finish => source == Some(NodeOp::Input),
            _ => matches!(source, Some(NodeOp::Allocate { .. } | NodeOp::Input)),
        };
        ensure(allowed, || "the operand is no array that fits".into())?;
        if op == NodeOp::Finish {
            let fits = self.node_input().is_some_and(|(node, input)| {
                !node.coalescing && self.module.payloads[input].track_finish
            });
            ensure(fits, || {
                "the input does not track who has finished writing, or the kernel coalesces".into()
            })?;
        }
        Ok(())
    }
}
