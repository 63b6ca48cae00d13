//! Nodes of an execution graph: kernels that the device itself starts (SPV_AMDX_shader_enqueue).
//!
//! A kernel enqueues work by allocating an array of payloads for a node, filling their words and
//! handing the array over. An array is a value of type I32 that only node operations take: it
//! must be the result of [`NodeOp::Allocate`] or [`NodeOp::Input`] in the same function.

use super::{PayloadId, Scope};
use smallvec::SmallVec;

/// A node's name: a string constant, or the default of one that can be specialised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeName {
    /// The name.
    pub text: String,
    /// SpecId of a specialisation constant.
    pub spec_id: Option<u32>,
}

/// A type of payload arrays (OpTypeNodePayloadArrayAMDX). A payload is the dispatch's group
/// counts, where it has them, and then `words` 32-bit words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PayloadArray {
    /// Words of one payload behind its group counts.
    pub words: u32,
    /// NodeMaxPayloadsAMDX: the most payloads in an array.
    pub max: u32,
    /// PayloadNodeNameAMDX: the node that the payloads are for; none for an input.
    pub node: Option<NodeName>,
    /// NodeSharesPayloadLimitsWithAMDX.
    pub shares_limits_with: Option<PayloadId>,
    /// PayloadNodeBaseIndexAMDX.
    pub base_index: u32,
    /// PayloadNodeArraySizeAMDX.
    pub array_size: Option<u32>,
    /// PayloadNodeSparseArrayAMDX.
    pub sparse: bool,
    /// TrackFinishWritingAMDX: the receivers may write and say when they have finished.
    pub track_finish: bool,
    /// PayloadDispatchIndirectAMDX: how many group counts a payload begins with, 1 to 3.
    pub dispatch: Option<u8>,
}

/// The behaviour of a kernel as a node: its execution modes of the extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeInfo {
    /// CoalescingAMDX: a work-group takes several payloads at once.
    pub coalescing: bool,
    /// IsApiEntryAMDX: whether the host may dispatch it; unsaid means yes.
    pub api_entry: Option<bool>,
    /// MaxNodeRecursionAMDX.
    pub max_recursion: Option<u32>,
    /// StaticNumWorkgroupsAMDX.
    pub static_groups: Option<[u32; 3]>,
    /// MaxNumWorkgroupsAMDX.
    pub max_groups: Option<[u32; 3]>,
    /// ShaderIndexAMDX.
    pub shader_index: Option<u32>,
    /// SharesInputWithAMDX: the node and index whose payloads this one gets too.
    pub shares_input_with: Option<(NodeName, u32)>,
    /// The payloads that it receives.
    pub input: Option<PayloadId>,
}

/// Operations on payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeOp {
    /// Allocates payloads for one work-item or the work-group: count, node index; an array.
    Allocate {
        /// The array's type.
        payload: PayloadId,
        /// Invocation or Workgroup.
        visibility: Scope,
    },
    /// The payloads that the kernel received: an array.
    Input,
    /// Hands an allocated array over.
    Enqueue,
    /// The number of payloads of an array: I32.
    Count,
    /// True if a node with this index can be allocated for: index; Bool.
    IsValid {
        /// The array's type.
        payload: PayloadId,
    },
    /// Says that the work-group writes its input no more; Bool: it was the last one.
    Finish,
    /// A word of a payload: array, payload, word; I32. Group counts come first.
    Load,
    /// Stores a word: array, payload, word, value.
    Store,
}

impl NodeOp {
    /// Operands besides the array: all are I32.
    pub fn numbers(self) -> usize {
        match self {
            NodeOp::Input | NodeOp::Enqueue | NodeOp::Count | NodeOp::Finish => 0,
            NodeOp::IsValid { .. } => 1,
            NodeOp::Allocate { .. } | NodeOp::Load => 2,
            NodeOp::Store => 3,
        }
    }

    /// Returns whether the first operand is an array.
    pub fn takes_array(self) -> bool {
        !matches!(
            self,
            NodeOp::Allocate { .. } | NodeOp::Input | NodeOp::IsValid { .. }
        )
    }

    /// The dotted words of the text form, without the payload type.
    pub fn name(self) -> SmallVec<[&'static str; 2]> {
        match self {
            NodeOp::Allocate { visibility, .. } => {
                SmallVec::from_slice(&["allocate", visibility.name()])
            }
            NodeOp::Input => SmallVec::from_slice(&["input"]),
            NodeOp::Enqueue => SmallVec::from_slice(&["enqueue"]),
            NodeOp::Count => SmallVec::from_slice(&["count"]),
            NodeOp::IsValid { .. } => SmallVec::from_slice(&["is_valid"]),
            NodeOp::Finish => SmallVec::from_slice(&["finish"]),
            NodeOp::Load => SmallVec::from_slice(&["load"]),
            NodeOp::Store => SmallVec::from_slice(&["store"]),
        }
    }

    /// The type of payload array in the operation itself.
    pub fn payload(self) -> Option<PayloadId> {
        match self {
            NodeOp::Allocate { payload, .. } | NodeOp::IsValid { payload } => Some(payload),
            _ => None,
        }
    }
}

impl PayloadArray {
    /// The words of one payload, its group counts included.
    pub fn total_words(&self) -> u32 {
        self.words + u32::from(self.dispatch.unwrap_or(0))
    }

    /// The extension's rules for one type; `shared` is the type whose limits it shares.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn check(&self, shared: Option<&PayloadArray>) -> Result<(), String> {
        if self.total_words() == 0 {
            return Err("a payload has no words".into());
        }
        if self.dispatch.is_some_and(|lanes| !(1..=3).contains(&lanes)) {
            return Err("a payload has one to three group counts".into());
        }
        if shared.is_some_and(|shared| shared.shares_limits_with.is_some()) {
            return Err("the limits are shared with a type that shares them itself".into());
        }
        if let Some(size) = self.array_size {
            if self.base_index >= size {
                return Err("the base index is outside the array of nodes".into());
            }
        }
        Ok(())
    }
}

impl NodeInfo {
    /// The extension's rules for execution modes.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn check(&self) -> Result<(), String> {
        let sized = [
            self.coalescing,
            self.static_groups.is_some(),
            self.max_groups.is_some(),
        ];
        if sized.into_iter().filter(|&said| said).count() > 1 {
            return Err(
                "CoalescingAMDX, StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX exclude one \
                 another"
                    .into(),
            );
        }
        if self.shares_input_with.is_some() && self.api_entry != Some(false) {
            return Err("SharesInputWithAMDX needs IsApiEntryAMDX false".into());
        }
        Ok(())
    }
}
