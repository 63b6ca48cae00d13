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
}

impl EnqueueKernels {
    /// Finds them.
    ///
    /// # Errors
    /// Numbers of blocks that are not 0 and so on, two schedulers, or none where a kernel enqueues.
    pub fn find(kernels: &[KernelInterface]) -> Result<Self, String> {
        let mut found = Self::default();
        let mut blocks = Vec::new();
        for (index, kernel) in kernels.iter().enumerate() {
            let mut args = kernel.info.args.iter();
            let fits = kernel.info.enqueues && args.all(|arg| arg.kind == ArgKind::Local);
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
                None => {}
            }
        }
        blocks.sort_unstable();
        if blocks
            .iter()
            .enumerate()
            .any(|(n, (number, _))| n != *number)
        {
            return Err("the blocks are not numbered from 0 on".into());
        }
        found.blocks = blocks.into_iter().map(|(_, index)| index).collect();
        let enqueues = kernels.iter().any(|kernel| kernel.info.enqueues);
        if enqueues && found.scheduler.is_none() {
            return Err("a kernel enqueues, and there is no scheduler".into());
        }
        Ok(found)
    }
}
