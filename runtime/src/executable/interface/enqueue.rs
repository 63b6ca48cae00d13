//! The kernels of device-side enqueue: blocks and the scheduler.

use super::{ArgKind, KernelInterface};

/// The part of a kernel that the application does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) enum EnqueuePart {
    /// A block that kernels enqueue.
    Block {
        /// Its number in records.
        number: u32,
        /// Bytes of captured variables.
        captured: u32,
    },
    /// Runs between dispatches.
    Scheduler {
        /// It reads their times.
        times: bool,
    },
    /// A block as a node of a work graph.
    BlockNode {
        /// The block's number.
        number: u32,
    },
    /// The scheduler as a node of a work graph.
    SchedulerNode,
}

/// The kernels of a module that run what others enqueue.
#[derive(Debug, Default)]
pub(in crate::executable) struct EnqueueKernels {
    /// Indices of the blocks, by number.
    pub blocks: Vec<usize>,
    /// The most bytes that a block captures.
    pub captured: u32,
    /// Index of the scheduler.
    pub scheduler: Option<usize>,
    /// The scheduler reads the times of dispatches.
    pub times: bool,
    /// The same as nodes of a work graph, if the module has them.
    pub nodes: Option<NodeKernels>,
}

/// The nodes of a work graph that run what kernels enqueue.
#[derive(Debug)]
pub(in crate::executable) struct NodeKernels {
    /// Indices of the blocks, by number.
    pub blocks: Vec<usize>,
    /// Index of the scheduler.
    pub scheduler: usize,
}

impl EnqueueKernels {
    /// Finds them.
    ///
    /// # Errors
    /// Numbers of blocks that are not 0 and so on, two schedulers, or none where a kernel enqueues.
    pub fn find(kernels: &[KernelInterface]) -> Result<Self, String> {
        let mut found = Self::default();
        let (mut blocks, mut nodes, mut scheduler) = (Vec::new(), Vec::new(), None);
        for (index, kernel) in kernels.iter().enumerate() {
            let mut args = kernel.info.args.iter();
            let is_node = matches!(
                kernel.part,
                Some(EnqueuePart::BlockNode { .. } | EnqueuePart::SchedulerNode)
            );
            let fits =
                kernel.info.enqueues != is_node && args.all(|arg| arg.kind == ArgKind::Local);
            if kernel.part.is_some() && !fits {
                return Err(format!("kernel `{}` cannot be enqueued", kernel.info.name));
            }
            match kernel.part {
                Some(EnqueuePart::Block { number, captured }) => {
                    blocks.push((number as usize, index));
                    found.captured = found.captured.max(captured);
                }
                Some(EnqueuePart::Scheduler { times }) => {
                    found.times = times;
                    if found.scheduler.replace(index).is_some() {
                        return Err("two schedulers of device queues".into());
                    }
                }
                Some(EnqueuePart::BlockNode { number }) => nodes.push((number as usize, index)),
                Some(EnqueuePart::SchedulerNode) if scheduler.is_none() => scheduler = Some(index),
                Some(EnqueuePart::SchedulerNode) => {
                    return Err("two schedulers of a work graph".into());
                }
                None => {}
            }
        }
        found.blocks = by_number(blocks)?;
        let nodes = by_number(nodes)?;
        found.nodes = match scheduler {
            Some(scheduler) if nodes.len() == found.blocks.len() => Some(NodeKernels {
                blocks: nodes,
                scheduler,
            }),
            None if nodes.is_empty() => None,
            _ => return Err("the nodes of the work graph are not those of the blocks".into()),
        };
        let enqueues = kernels.iter().any(|kernel| kernel.info.enqueues);
        if enqueues && found.scheduler.is_none() {
            return Err("a kernel enqueues, and there is no scheduler".into());
        }
        Ok(found)
    }
}

/// The indices of blocks in the order of their numbers.
fn by_number(mut blocks: Vec<(usize, usize)>) -> Result<Vec<usize>, String> {
    blocks.sort_unstable();
    if blocks
        .iter()
        .enumerate()
        .any(|(n, (number, _))| n != *number)
    {
        return Err("the blocks are not numbered from 0 on".into());
    }
    Ok(blocks.into_iter().map(|(_, index)| index).collect())
}
