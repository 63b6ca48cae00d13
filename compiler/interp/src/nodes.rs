//! Payloads of execution-graph nodes: what a kernel receives and what it enqueues.

use super::ErrorKind;
use super::lanes::Lanes;
use pumice_ir::{KernelInfo, Module, NodeOp, PayloadArray, PayloadId, Scope};
use smallvec::smallvec;

/// An array of payloads that a kernel enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// Its type, which names the node.
    pub payload: PayloadId,
    /// The node's index, the type's base index included.
    pub index: u32,
    /// The words of each payload, group counts first.
    pub records: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Array {
    contents: Enqueued,
    /// Shared by the work-group.
    shared: bool,
    /// Still the kernel's: not yet enqueued.
    open: bool,
}

/// The arrays of a run. An array value is its number plus one.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    arrays: Vec<Array>,
    /// The payloads that were enqueued, in order.
    pub enqueued: Vec<Enqueued>,
    /// Work-groups that have not said that they finished writing the input.
    writing: u64,
}

fn bad(message: &str) -> ErrorKind {
    ErrorKind::BadArguments(message.into())
}

impl Payloads {
    /// The state at the start; array number 0 is what the kernel receives.
    pub fn new(
        module: &Module,
        kernel: &KernelInfo,
        received: &[Vec<u32>],
        groups: u64,
    ) -> Result<Self, ErrorKind> {
        let mut payloads = Self {
            writing: groups,
            ..Self::default()
        };
        let Some(payload) = kernel.node.as_deref().and_then(|node| node.input) else {
            return Ok(payloads);
        };
        let words = module.payloads[payload].total_words() as usize;
        if received.iter().any(|record| record.len() != words) {
            return Err(bad("received payloads"));
        }
        payloads.arrays.push(Array {
            contents: Enqueued {
                payload,
                index: 0,
                records: received.to_vec(),
            },
            shared: true,
            open: true,
        });
        Ok(payloads)
    }

    fn array(&mut self, handle: u64) -> Result<&mut Array, ErrorKind> {
        let number = usize::try_from(handle).ok().and_then(|h| h.checked_sub(1));
        let array = number.and_then(|number| self.arrays.get_mut(number));
        array
            .filter(|array| array.open)
            .ok_or_else(|| bad("an array of payloads that is none or was enqueued"))
    }

    /// Returns whether all work-items of the group do the operation as one.
    pub fn is_shared(&mut self, op: NodeOp, handle: u64) -> Result<bool, ErrorKind> {
        Ok(match op {
            NodeOp::Allocate { visibility, .. } => visibility == Scope::Workgroup,
            NodeOp::Finish => true,
            NodeOp::Enqueue => self.array(handle)?.shared,
            _ => false,
        })
    }

    /// The index of a node, if there may be one.
    fn node_index(payload: &PayloadArray, index: u64) -> Option<u32> {
        let index = u32::try_from(index).ok()?.checked_add(payload.base_index)?;
        (payload.array_size.is_none_or(|size| index < size)).then_some(index)
    }

    /// Does an operation.
    pub fn execute(
        &mut self,
        module: &Module,
        op: NodeOp,
        args: &[u64],
    ) -> Result<Lanes, ErrorKind> {
        Ok(match op {
            NodeOp::Allocate {
                payload,
                visibility,
            } => {
                let ty = &module.payloads[payload];
                let index = Self::node_index(ty, args[1]).ok_or_else(|| bad("a node's index"))?;
                if args[0] > u64::from(ty.max) {
                    return Err(bad("more payloads than the type allows"));
                }
                let record = vec![0; ty.total_words() as usize];
                self.arrays.push(Array {
                    contents: Enqueued {
                        payload,
                        index,
                        records: vec![record; args[0] as usize],
                    },
                    shared: visibility == Scope::Workgroup,
                    open: true,
                });
                smallvec![self.arrays.len() as u64]
            }
            NodeOp::Input => smallvec![1],
            NodeOp::Enqueue => {
                let array = self.array(args[0])?;
                array.open = false;
                let contents = array.contents.clone();
                self.enqueued.push(contents);
                Lanes::new()
            }
            NodeOp::Count => smallvec![self.array(args[0])?.contents.records.len() as u64],
            NodeOp::IsValid { payload } => {
                let valid = Self::node_index(&module.payloads[payload], args[0]).is_some();
                smallvec![u64::from(valid)]
            }
            NodeOp::Finish => {
                self.writing = self.writing.saturating_sub(1);
                smallvec![u64::from(self.writing == 0)]
            }
            NodeOp::Load | NodeOp::Store => {
                let records = &mut self.array(args[0])?.contents.records;
                let record = records.get_mut(args[1] as usize);
                let word = record.and_then(|record| record.get_mut(args[2] as usize));
                let word = word.ok_or_else(|| bad("a word outside a payload"))?;
                if op == NodeOp::Load {
                    smallvec![u64::from(*word)]
                } else {
                    *word = args[3] as u32;
                    Lanes::new()
                }
            }
        })
    }
}
