//! Execution-graph nodes: SPV_AMDX_shader_enqueue.
//!
//! A payload is a structure of its group counts, if it has them, and an array of words; both
//! laid out by the byte. An array value of the IR is the pointer that allocated it, or the
//! variable of the kernel's input.

use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{NodeInfo, NodeName, NodeOp, PayloadId, Scope, Value};
use pumice_spirv::string_words;
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};

/// The declarations for a type of payload arrays.
#[derive(Clone, Copy, Debug)]
pub struct PayloadIds {
    /// OpTypeNodePayloadArrayAMDX.
    array: Id,
    /// The pointer to it.
    pointer: Id,
}

impl Emitter<'_> {
    /// Declares the extension; true if the module has nodes at all.
    pub fn declare_nodes(&mut self) -> Result<(), LowerError> {
        let has_nodes = self
            .module
            .kernels
            .iter()
            .any(|kernel| kernel.node.is_some());
        if !has_nodes && self.module.payloads.is_empty() {
            return Ok(());
        }
        if !self.target.shader_enqueue {
            return Err(LowerError::new(
                "this device has no execution graphs (VK_AMDX_shader_enqueue)",
            ));
        }
        if self.target.spirv_version < (1, 4) {
            return Err(LowerError::new("execution graphs need SPIR-V 1.4"));
        }
        self.b.capability(Capability::ShaderEnqueueAMDX);
        self.b.extension("SPV_AMDX_shader_enqueue");
        // A type that others share its limits with stands before them.
        let mut arrays: Vec<PayloadId> = self.module.payloads.keys().collect();
        arrays.sort_by_key(|&id| self.module.payloads[id].shares_limits_with.is_some());
        for id in arrays {
            self.declare_payload(id);
        }
        Ok(())
    }

    fn declare_payload(&mut self, id: PayloadId) {
        let payload = &self.module.payloads[id];
        let word = self.b.ty_int(32);
        let mut members = Vec::new();
        if let Some(lanes) = payload.dispatch {
            members.push(match lanes {
                1 => word,
                lanes => self.b.ty_vector(word, u32::from(lanes)),
            });
        }
        if payload.words != 0 {
            let length = self.b.const_u32(payload.words);
            let words = self.b.global(Op::TypeArray, None, &[word, length]);
            self.b.decorate(words, Decoration::ArrayStride, &[4]);
            members.push(words);
        }
        let record = self.b.global(Op::TypeStruct, None, &members);
        self.b.decorate(record, Decoration::Block, &[]);
        if payload.track_finish {
            self.b
                .decorate(record, Decoration::TrackFinishWritingAMDX, &[]);
        }
        let mut offset = 0;
        if let Some(lanes) = payload.dispatch {
            self.b.decorate_member(record, 0, Decoration::Offset, &[0]);
            self.b
                .decorate_member(record, 0, Decoration::PayloadDispatchIndirectAMDX, &[]);
            offset = 4 * u32::from(lanes);
        }
        if payload.words != 0 {
            let last = members.len() as u32 - 1;
            self.b
                .decorate_member(record, last, Decoration::Offset, &[offset]);
        }
        // What decorations name stands before the type that they decorate.
        let mut by_id = vec![(
            Decoration::NodeMaxPayloadsAMDX,
            self.b.const_u32(payload.max),
        )];
        if let Some(node) = &payload.node {
            by_id.push((Decoration::PayloadNodeNameAMDX, self.node_name(node)));
        }
        if payload.base_index != 0 {
            let base = self.b.const_u32(payload.base_index);
            by_id.push((Decoration::PayloadNodeBaseIndexAMDX, base));
        }
        if let Some(size) = payload.array_size {
            by_id.push((Decoration::PayloadNodeArraySizeAMDX, self.b.const_u32(size)));
        }
        if let Some(other) = payload.shares_limits_with {
            let other = self.payload_ids[&other].array;
            by_id.push((Decoration::NodeSharesPayloadLimitsWithAMDX, other));
        }
        let array = self.b.global(Op::TypeNodePayloadArrayAMDX, None, &[record]);
        for (decoration, operand) in by_id {
            self.b.decorate_id(array, decoration, &[operand]);
        }
        if payload.sparse {
            self.b
                .decorate(array, Decoration::PayloadNodeSparseArrayAMDX, &[]);
        }
        let pointer = self.b.ty_pointer(StorageClass::NodePayloadAMDX, array);
        self.payload_ids.insert(id, PayloadIds { array, pointer });
    }

    /// A node's name as a string constant.
    fn node_name(&mut self, name: &NodeName) -> Id {
        let words = string_words(&name.text);
        match name.spec_id {
            None => self.b.unique(Op::ConstantStringAMDX, None, &words),
            Some(spec_id) => {
                let id = self.b.global(Op::SpecConstantStringAMDX, None, &words);
                self.b.decorate(id, Decoration::SpecId, &[spec_id]);
                id
            }
        }
    }

    /// The execution modes of a kernel as a node.
    pub fn node_modes(&mut self, entry: Id, node: &NodeInfo) {
        if node.coalescing {
            self.b
                .execution_mode(entry, ExecutionMode::CoalescingAMDX, &[]);
        }
        let mut by_id: Vec<(ExecutionMode, Vec<Id>)> = Vec::new();
        if let Some(api_entry) = node.api_entry {
            let bool_ty = self.b.ty_bool();
            let op = if api_entry {
                Op::ConstantTrue
            } else {
                Op::ConstantFalse
            };
            let value = self.b.unique(op, Some(bool_ty), &[]);
            by_id.push((ExecutionMode::IsApiEntryAMDX, vec![value]));
        }
        for (mode, number) in [
            (ExecutionMode::MaxNodeRecursionAMDX, node.max_recursion),
            (ExecutionMode::ShaderIndexAMDX, node.shader_index),
        ] {
            if let Some(number) = number {
                by_id.push((mode, vec![self.b.const_u32(number)]));
            }
        }
        for (mode, groups) in [
            (ExecutionMode::StaticNumWorkgroupsAMDX, node.static_groups),
            (ExecutionMode::MaxNumWorkgroupsAMDX, node.max_groups),
        ] {
            if let Some(groups) = groups {
                by_id.push((mode, groups.iter().map(|&n| self.b.const_u32(n)).collect()));
            }
        }
        if let Some((name, index)) = &node.shares_input_with {
            let (name, index) = (self.node_name(name), self.b.const_u32(*index));
            by_id.push((ExecutionMode::SharesInputWithAMDX, vec![name, index]));
        }
        for (mode, operands) in by_id {
            self.b.execution_mode_id(entry, mode, &operands);
        }
    }

    /// The variable of the payloads that the current kernel receives.
    fn input_payloads(&mut self) -> Result<(Id, PayloadId), LowerError> {
        let kernel = self.kernel_of[self.cur].map(|k| &self.module.kernels[k as usize]);
        let payload = kernel
            .and_then(|kernel| kernel.node.as_deref())
            .and_then(|node| node.input)
            .ok_or_else(|| LowerError::new("internal: a kernel without payloads reads them"))?;
        let pointer = self.payload_ids[&payload].pointer;
        let variable = match self.payload_inputs.get(&self.cur) {
            Some(&variable) => variable,
            None => {
                let variable = self.b.variable(pointer, StorageClass::NodePayloadAMDX);
                self.payload_inputs.insert(self.cur, variable);
                variable
            }
        };
        self.cur_uses.insert(variable);
        Ok((variable, payload))
    }

    /// The numbers of work-groups that the current kernel's payload begins with, in two dimensions; `None` where
    /// it has no payload with three of them. Lavapipe's nodes have NumWorkgroups 1.
    pub fn payload_counts(&mut self) -> Option<[Id; 2]> {
        let k = self.kernel_of[self.cur]? as usize;
        let input = self.module.kernels[k].node.as_deref()?.input?;
        if self.module.payloads[input].dispatch != Some(3) {
            return None;
        }
        let (variable, _) = self.input_payloads().ok()?;
        let word = self.b.ty_int(32);
        let pointer = self.b.ty_pointer(StorageClass::NodePayloadAMDX, word);
        let zero = self.b.const_u32(0);
        Some([0, 1].map(|lane| {
            let lane = self.b.const_u32(lane);
            let place = (self.b).op(Op::AccessChain, pointer, &[variable, zero, zero, lane]);
            self.b.op(Op::Load, word, &[place])
        }))
    }

    /// The type of an array value: of its allocation, or the kernel's input.
    fn payload_of(&self, array: Value) -> Result<PayloadId, LowerError> {
        let func = &self.module.functions[self.cur];
        let source = match func.def(array) {
            pumice_ir::ValueDef::Result(inst, _) => Some(&func.insts[*inst].kind),
            _ => None,
        };
        let payload = match source {
            Some(pumice_ir::InstKind::Node { op, .. }) => match op {
                NodeOp::Allocate { payload, .. } => Some(*payload),
                NodeOp::Input => {
                    let kernel = self.kernel_of[self.cur].map(|k| &self.module.kernels[k as usize]);
                    kernel.and_then(|kernel| kernel.node.as_deref()?.input)
                }
                _ => None,
            },
            _ => None,
        };
        payload.ok_or_else(|| LowerError::new("internal: an array of payloads of unknown type"))
    }

    /// The pointer to a word of a payload.
    fn payload_word(&mut self, args: &[Value]) -> Result<Id, LowerError> {
        let payload = self.payload_of(args[0])?;
        let payload = &self.module.payloads[payload];
        let lanes = u32::from(payload.dispatch.unwrap_or(0));
        let (array, record, index) = (self.value(args[0]), self.value(args[1]), args[2]);
        let known = self.module.functions[self.cur].const_bits(index);
        // Group counts and words are different members: which one must be known.
        let (member, place) = match known {
            Some(word) if word < u64::from(lanes) => (0, Some(word as u32)),
            Some(word) if word < u64::from(payload.total_words()) => {
                (u32::from(lanes != 0), Some(word as u32 - lanes))
            }
            None if lanes == 0 => (0, None),
            _ => {
                return Err(LowerError::new(
                    "a word of a payload is outside it, or its number is not constant beside \
                     group counts",
                ));
            }
        };
        let member_id = self.b.const_u32(member);
        let word = self.b.ty_int(32);
        let pointer = self.b.ty_pointer(StorageClass::NodePayloadAMDX, word);
        let mut operands = vec![array, record, member_id];
        if lanes != 1 || member != 0 {
            operands.push(match place {
                Some(place) => self.b.const_u32(place),
                None => self.value(index),
            });
        }
        Ok(self.b.op(Op::AccessChain, pointer, &operands))
    }

    /// An operation on payloads; its result, if it has one.
    pub fn node(&mut self, op: NodeOp, args: &[Value]) -> Result<Option<Id>, LowerError> {
        let word = self.b.ty_int(32);
        Ok(Some(match op {
            NodeOp::Allocate {
                payload,
                visibility,
            } => {
                let pointer = self.payload_ids[&payload].pointer;
                // Vulkan's numbers of the two scopes.
                let scope = if visibility == Scope::Workgroup { 2 } else { 4 };
                let scope = self.b.const_u32(scope);
                let (count, index) = (self.value(args[0]), self.value(args[1]));
                self.b.op(
                    Op::AllocateNodePayloadsAMDX,
                    pointer,
                    &[scope, count, index],
                )
            }
            NodeOp::Input => self.input_payloads()?.0,
            NodeOp::Enqueue => {
                let array = self.value(args[0]);
                self.b.stmt(Op::EnqueueNodePayloadsAMDX, &[array]);
                return Ok(None);
            }
            NodeOp::Count => {
                let array = self.value(args[0]);
                self.b.op(Op::NodePayloadArrayLengthAMDX, word, &[array])
            }
            NodeOp::IsValid { payload } => {
                let (ty, index) = (self.payload_ids[&payload].array, self.value(args[0]));
                let bool_ty = self.b.ty_bool();
                self.b.op(Op::IsNodePayloadValidAMDX, bool_ty, &[ty, index])
            }
            NodeOp::Finish => {
                let array = self.value(args[0]);
                let bool_ty = self.b.ty_bool();
                self.b
                    .op(Op::FinishWritingNodePayloadAMDX, bool_ty, &[array])
            }
            NodeOp::Load => {
                let place = self.payload_word(args)?;
                self.b.op(Op::Load, word, &[place])
            }
            NodeOp::Store => {
                let place = self.payload_word(args)?;
                let value = self.value(args[3]);
                self.b.stmt(Op::Store, &[place, value]);
                return Ok(None);
            }
        }))
    }
}
