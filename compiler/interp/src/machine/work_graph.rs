//! Device-side enqueue as a work graph: runs a module's nodes one after the other, as they start one another.

use super::Machine;
use super::device_queue::bad;
use crate::args::prepare;
use crate::nodes::{Enqueued, Payloads};
use crate::{Arg, ErrorKind, Inputs, InterpError, NdRange};
use pumice_ir::{EnqueueRole, KernelInfo};
use pumice_target::device_queue::graph;

/// A node with the ranges of its work-groups.
struct Node<'a> {
    kernel: &'a KernelInfo,
    locals: Vec<u32>,
    local_size: [u32; 3],
}

impl<'a> Machine<'a> {
    /// Returns whether the module has the nodes of a work graph for device-side enqueue.
    pub(super) fn has_work_graph(&self) -> bool {
        let role = Some(EnqueueRole::SchedulerNode);
        self.module.kernels.iter().any(|k| k.enqueue == role)
    }

    /// Starts the scheduler's node of the first level and runs what follows: the rounds of one dispatch.
    pub(super) fn run_work_graph(&mut self, memory: u64) -> Result<(), InterpError> {
        let node = self.scheduler_node()?;
        let start = graph::start(memory, graph::MOST_LEVELS);
        let mut waiting = self.run_node(&node, &start)?;
        while let Some(next) = waiting.pop() {
            let node = self.node_of(&next)?;
            for record in &next.records {
                waiting.extend(self.run_node(&node, record)?);
            }
        }
        Ok(())
    }

    fn scheduler_node(&self) -> Result<Node<'a>, InterpError> {
        Ok(Node {
            kernel: self.kernel_with(|role| role == EnqueueRole::SchedulerNode)?,
            locals: Vec::new(),
            local_size: [1; 3],
        })
    }

    fn node_of(&self, array: &Enqueued) -> Result<Node<'a>, InterpError> {
        let name = self.module.payloads[array.payload].node.as_ref();
        if name.is_some_and(|name| name.text == graph::SCHEDULER) {
            return match array.index < graph::MOST_LEVELS {
                true => self.scheduler_node(),
                false => Err(bad("a level that the graph lacks")),
            };
        }
        let (_, variant) = graph::level_and_variant(array.index);
        let key = self.variant_key(variant as usize)?;
        let number = key.block;
        let kernel = self.kernel_with(|role| role == EnqueueRole::BlockNode { number })?;
        Ok(Node {
            kernel,
            locals: key.locals[..kernel.args.len().min(key.locals.len())].to_vec(),
            local_size: key.local_size,
        })
    }

    /// Runs the work-groups of one payload. Returns what they have enqueued.
    fn run_node(&mut self, node: &Node<'a>, record: &[u32]) -> Result<Vec<Enqueued>, InterpError> {
        let info = node.kernel.node.as_deref();
        let counts = match info.and_then(|info| info.static_groups) {
            Some(counts) => counts,
            None => match record {
                [x, y, z, ..] => [*x, *y, *z],
                _ => return Err(ErrorKind::BadArguments("received payloads".into()).into()),
            },
        };
        let inputs = Inputs {
            buffers: Vec::new(),
            args: (node.locals.iter())
                .map(|&size| Arg::Local(size.into()))
                .collect(),
        };
        self.begin_kernel(node.kernel, 0, 0);
        self.prepared = prepare(node.kernel, &inputs)?;
        let groups = counts.iter().map(|&n| u64::from(n)).product();
        let received = [record.to_vec()];
        self.payloads = Payloads::new(self.module, node.kernel, &received, groups)?;
        let local = node.local_size.map(u64::from);
        self.range = NdRange {
            work_dim: 3,
            global: [0, 1, 2].map(|d| u64::from(counts[d]) * local[d]),
            local,
            offset: [0; 3],
        };
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    self.group_id = [x, y, z].map(u64::from);
                    self.run_group()?;
                }
            }
        }
        Ok(std::mem::take(&mut self.payloads.enqueued))
    }
}
