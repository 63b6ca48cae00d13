//! Reading the execution-graph nodes of a Vulkan module (SPV_AMDX_shader_enqueue): what its
//! entry points are as nodes, and which payloads they exchange.
//!
//! Takes words that nobody has checked. Gives the same model as the IR's, checked by the
//! extension's rules. Never: panics, or looks at anything that the extension does not add.

use crate::import::reader::{Inst, ModuleWords};
use cranelift_entity::{EntityRef, PrimaryMap};
use pumice_ir::text::{node_to_text, payload_to_text};
use pumice_ir::{NodeInfo, NodeName, PayloadArray, PayloadId};
use rspirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The nodes of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Types of payload arrays.
    pub payloads: PrimaryMap<PayloadId, PayloadArray>,
    /// Entry points by name, with what they are as nodes.
    pub nodes: Vec<(String, NodeInfo)>,
    /// The extension's built-in variables in use.
    pub built_ins: Vec<BuiltIn>,
    /// The counts of the extension's instructions on payloads in a function.
    pub operations: Vec<(Op, u32)>,
}

impl std::fmt::Display for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (id, payload) in self.payloads.iter() {
            f.write_str(&payload_to_text(id, payload))?;
        }
        for (name, node) in &self.nodes {
            writeln!(f, "node {name:?}{}", node_to_text(node))?;
        }
        for built_in in &self.built_ins {
            writeln!(f, "built-in {built_in:?}")?;
        }
        for (op, count) in &self.operations {
            writeln!(f, "Op{op:?} {count}")?;
        }
        Ok(())
    }
}

/// Facts about ids while reading.
#[derive(Default)]
struct Reader<'a> {
    defs: FxHashMap<u32, Inst<'a>>,
    decorations: FxHashMap<u32, Vec<&'a [u32]>>,
    /// Of structures: member, decoration and operands.
    members: FxHashMap<u32, Vec<&'a [u32]>>,
    arrays: Vec<u32>,
    graph: Graph,
}

const OPERATIONS: [Op; 5] = [
    Op::AllocateNodePayloadsAMDX,
    Op::EnqueueNodePayloadsAMDX,
    Op::NodePayloadArrayLengthAMDX,
    Op::IsNodePayloadValidAMDX,
    Op::FinishWritingNodePayloadAMDX,
];

/// Reads the nodes of a module.
///
/// # Errors
/// Words that are no SPIR-V, or a rule of the extension that is broken.
pub fn read(words: &[u32]) -> Result<Graph, String> {
    let words = ModuleWords::new(words).map_err(|e| e.message)?;
    let insts = words.insts().map_err(|e| e.message)?;
    let mut reader = Reader::default();
    let (mut declared, mut extension) = (false, false);
    for inst in &insts {
        match inst.op {
            Op::Capability
                if inst.args.first() == Some(&(Capability::ShaderEnqueueAMDX as u32)) =>
            {
                declared = true;
            }
            Op::Extension => extension |= text(inst, 0)?.0 == "SPV_AMDX_shader_enqueue",
            Op::Decorate | Op::DecorateId if inst.args.len() >= 2 => {
                let list = reader.decorations.entry(inst.args[0]).or_default();
                list.push(&inst.args[1..]);
            }
            Op::MemberDecorate if inst.args.len() >= 3 => {
                let list = reader.members.entry(inst.args[0]).or_default();
                list.push(&inst.args[1..]);
            }
            Op::TypeNodePayloadArrayAMDX => reader.arrays.push(inst.id),
            _ => {}
        }
        if inst.id != 0 {
            reader.defs.insert(inst.id, *inst);
        }
    }
    let uses = insts
        .iter()
        .any(|inst| inst.op == Op::TypeNodePayloadArrayAMDX || OPERATIONS.contains(&inst.op));
    if uses && !(declared && extension) {
        return Err("payloads without ShaderEnqueueAMDX and its extension".into());
    }
    if declared && words.minor < 4 {
        return Err("SPV_AMDX_shader_enqueue needs SPIR-V 1.4".into());
    }
    reader.payloads()?;
    reader.nodes(&insts)?;
    reader.functions(&insts)?;
    Ok(reader.graph)
}

/// The literal string at an operand, and the operand behind it.
fn text(inst: &Inst<'_>, n: usize) -> Result<(String, usize), String> {
    inst.string(n).map_err(|e| e.message)
}

impl<'a> Reader<'a> {
    fn decoration(&self, id: u32, kind: Decoration) -> Option<&'a [u32]> {
        let list = self.decorations.get(&id)?;
        let found = list.iter().find(|deco| deco[0] == kind as u32)?;
        Some(&found[1..])
    }

    fn number(&self, id: u32) -> Result<u32, String> {
        match self.defs.get(&id) {
            Some(inst) if matches!(inst.op, Op::Constant | Op::SpecConstant) => inst
                .args
                .first()
                .copied()
                .ok_or_else(|| format!("constant {id} has no value")),
            _ => Err(format!("id {id} is no constant")),
        }
    }

    fn name(&self, id: u32) -> Result<NodeName, String> {
        match self.defs.get(&id) {
            Some(inst)
                if matches!(inst.op, Op::ConstantStringAMDX | Op::SpecConstantStringAMDX) =>
            {
                let spec_id = self.decoration(id, Decoration::SpecId);
                Ok(NodeName {
                    text: text(inst, 0)?.0,
                    spec_id: spec_id.and_then(|operands| operands.first().copied()),
                })
            }
            _ => Err(format!("id {id} is no string constant")),
        }
    }

    /// The number of a type of payload arrays.
    fn payload_id(&self, id: u32) -> Result<PayloadId, String> {
        let at = self.arrays.iter().position(|&array| array == id);
        at.map(PayloadId::new)
            .ok_or_else(|| format!("id {id} is no type of payload arrays"))
    }

    /// The type of payload arrays behind a pointer type.
    fn pointee(&self, pointer: u32) -> Result<PayloadId, String> {
        match self.defs.get(&pointer) {
            Some(inst)
                if inst.op == Op::TypePointer
                    && inst.args.first() == Some(&(StorageClass::NodePayloadAMDX as u32)) =>
            {
                self.payload_id(inst.args.get(1).copied().unwrap_or(0))
            }
            _ => Err(format!("id {pointer} is no pointer to payloads")),
        }
    }

    /// Bytes of a type with explicit layout.
    fn size(&self, id: u32, depth: u32) -> Result<u32, String> {
        let unknown = || format!("type {id} has no explicit layout");
        let inst = self
            .defs
            .get(&id)
            .filter(|_| depth < 64)
            .ok_or_else(unknown)?;
        let arg = |n: usize| inst.args.get(n).copied().ok_or_else(unknown);
        Ok(match inst.op {
            Op::TypeInt | Op::TypeFloat => arg(0)?.div_ceil(8),
            Op::TypeVector => self.size(arg(0)?, depth + 1)?.saturating_mul(arg(1)?),
            Op::TypeArray => {
                let stride = self.decoration(id, Decoration::ArrayStride);
                let stride = *stride.and_then(|s| s.first()).ok_or_else(unknown)?;
                stride.saturating_mul(self.number(arg(1)?)?)
            }
            Op::TypeStruct => {
                let mut end = 0;
                for (at, &member) in inst.args.iter().enumerate() {
                    let decorations = self.members.get(&id).ok_or_else(unknown)?;
                    let offset = decorations
                        .iter()
                        .find(|d| d[0] as usize == at && d[1] == Decoration::Offset as u32)
                        .and_then(|d| d.get(2))
                        .ok_or_else(unknown)?;
                    end = end.max(offset.saturating_add(self.size(member, depth + 1)?));
                }
                end
            }
            _ => return Err(unknown()),
        })
    }

    fn payloads(&mut self) -> Result<(), String> {
        for &id in &self.arrays.clone() {
            let payload = self
                .payload(id)
                .map_err(|e| format!("payload type {id}: {e}"))?;
            self.graph.payloads.push(payload);
        }
        for (id, payload) in self.graph.payloads.iter() {
            let shared = payload.shares_limits_with;
            if shared == Some(id) {
                return Err(format!("{id} shares its limits with itself"));
            }
            let shared = shared.and_then(|other| self.graph.payloads.get(other));
            payload.check(shared).map_err(|e| format!("{id}: {e}"))?;
        }
        Ok(())
    }

    fn payload(&self, id: u32) -> Result<PayloadArray, String> {
        let by_id =
            |kind: Decoration| -> Option<u32> { self.decoration(id, kind)?.first().copied() };
        let number = |kind: Decoration| by_id(kind).map(|id| self.number(id)).transpose();
        let record = self.defs[&id].args.first().copied().unwrap_or(0);
        let dispatch = self.members.get(&record).and_then(|members| {
            let indirect = Decoration::PayloadDispatchIndirectAMDX as u32;
            members.iter().find(|member| member[1] == indirect)
        });
        let dispatch = match dispatch {
            None => None,
            Some(member) => {
                let types = self.defs.get(&record).map_or(&[][..], |inst| inst.args);
                let ty = types.get(member[0] as usize).copied().unwrap_or(0);
                let bytes = self.size(ty, 0)?;
                Some(u8::try_from(bytes / 4).unwrap_or(u8::MAX))
            }
        };
        let bytes = self.size(record, 0)?;
        let counts = u32::from(dispatch.unwrap_or(0));
        Ok(PayloadArray {
            words: bytes.div_ceil(4).saturating_sub(counts),
            max: number(Decoration::NodeMaxPayloadsAMDX)?.ok_or("it has no NodeMaxPayloadsAMDX")?,
            node: by_id(Decoration::PayloadNodeNameAMDX)
                .map(|id| self.name(id))
                .transpose()?,
            shares_limits_with: by_id(Decoration::NodeSharesPayloadLimitsWithAMDX)
                .map(|id| self.payload_id(id))
                .transpose()?,
            base_index: number(Decoration::PayloadNodeBaseIndexAMDX)?.unwrap_or(0),
            array_size: number(Decoration::PayloadNodeArraySizeAMDX)?,
            sparse: self
                .decoration(id, Decoration::PayloadNodeSparseArrayAMDX)
                .is_some(),
            track_finish: self
                .decoration(record, Decoration::TrackFinishWritingAMDX)
                .is_some(),
            dispatch,
        })
    }

    fn nodes(&mut self, insts: &[Inst<'a>]) -> Result<(), String> {
        for entry in insts.iter().filter(|inst| inst.op == Op::EntryPoint) {
            let func = entry.args.get(1).copied().unwrap_or(0);
            let (name, next) = text(entry, 2)?;
            let mut node = NodeInfo::default();
            for mode in insts {
                let is_mode = matches!(mode.op, Op::ExecutionMode | Op::ExecutionModeId);
                if is_mode && mode.args.first() == Some(&func) {
                    self.mode(mode, &mut node)
                        .map_err(|e| format!("{name}: {e}"))?;
                }
            }
            for id in entry.args.get(next..).unwrap_or(&[]) {
                let Some(variable) = self.defs.get(id).filter(|inst| inst.op == Op::Variable)
                else {
                    continue;
                };
                if variable.args.first() != Some(&(StorageClass::NodePayloadAMDX as u32)) {
                    continue;
                }
                if variable.args.len() > 1 {
                    return Err(format!("{name}: received payloads have an initial value"));
                }
                node.input = Some(self.pointee(variable.ty)?);
            }
            node.check().map_err(|e| format!("{name}: {e}"))?;
            self.graph.nodes.push((name, node));
        }
        for inst in insts.iter().filter(|inst| inst.op == Op::Decorate) {
            if inst.args.get(1) == Some(&(Decoration::BuiltIn as u32)) {
                let built_in = inst
                    .args
                    .get(2)
                    .and_then(|&number| BuiltIn::from_u32(number));
                self.graph.built_ins.extend(built_in.filter(|built_in| {
                    matches!(
                        built_in,
                        BuiltIn::RemainingRecursionLevelsAMDX | BuiltIn::ShaderIndexAMDX
                    )
                }));
            }
        }
        Ok(())
    }

    fn mode(&self, mode: &Inst<'_>, node: &mut NodeInfo) -> Result<(), String> {
        let operands = mode.args.get(2..).unwrap_or(&[]);
        let number = |n: usize| match operands.get(n) {
            Some(&id) => self.number(id),
            None => Err("an execution mode lacks an operand".to_string()),
        };
        let groups = || Ok::<_, String>([number(0)?, number(1)?, number(2)?]);
        match mode
            .args
            .get(1)
            .and_then(|&number| ExecutionMode::from_u32(number))
        {
            Some(ExecutionMode::CoalescingAMDX) => node.coalescing = true,
            Some(ExecutionMode::IsApiEntryAMDX) => {
                let value = operands.first().and_then(|id| self.defs.get(id));
                node.api_entry = Some(match value.map(|inst| inst.op) {
                    Some(Op::ConstantTrue | Op::SpecConstantTrue) => true,
                    Some(Op::ConstantFalse | Op::SpecConstantFalse) => false,
                    _ => return Err("IsApiEntryAMDX is no truth value".into()),
                });
            }
            Some(ExecutionMode::MaxNodeRecursionAMDX) => node.max_recursion = Some(number(0)?),
            Some(ExecutionMode::StaticNumWorkgroupsAMDX) => node.static_groups = Some(groups()?),
            Some(ExecutionMode::MaxNumWorkgroupsAMDX) => node.max_groups = Some(groups()?),
            Some(ExecutionMode::ShaderIndexAMDX) => node.shader_index = Some(number(0)?),
            Some(ExecutionMode::SharesInputWithAMDX) => {
                let name = self.name(operands.first().copied().unwrap_or(0))?;
                node.shares_input_with = Some((name, number(1)?));
            }
            _ => {}
        }
        Ok(())
    }

    fn functions(&mut self, insts: &[Inst<'a>]) -> Result<(), String> {
        let mut allocated: FxHashSet<u32> = FxHashSet::default();
        for inst in insts {
            let Some(at) = OPERATIONS.iter().position(|&op| op == inst.op) else {
                continue;
            };
            let arg = inst.args.first().copied().unwrap_or(0);
            match inst.op {
                Op::AllocateNodePayloadsAMDX => {
                    let id = self.pointee(inst.ty)?;
                    let payload = &self.graph.payloads[id];
                    if payload.node.is_none() || !(payload.sparse || payload.array_size.is_some()) {
                        return Err(format!(
                            "{id} is allocated without a node's name, or with neither a size \
                             nor sparse"
                        ));
                    }
                    // Workgroup or Invocation.
                    if !matches!(self.number(arg), Ok(2 | 4)) {
                        return Err("payloads are visible to a work-group or an item".into());
                    }
                    allocated.insert(inst.id);
                }
                Op::EnqueueNodePayloadsAMDX if !allocated.contains(&arg) => {
                    return Err(format!("id {arg} is enqueued but was not allocated"));
                }
                Op::IsNodePayloadValidAMDX => {
                    self.payload_id(arg)?;
                }
                Op::FinishWritingNodePayloadAMDX => self.check_finish(arg)?,
                _ => {}
            }
            let op = OPERATIONS[at];
            match self
                .graph
                .operations
                .iter_mut()
                .find(|(known, _)| *known == op)
            {
                Some((_, count)) => *count += 1,
                None => self.graph.operations.push((op, 1)),
            }
        }
        Ok(())
    }

    fn check_finish(&self, payload: u32) -> Result<(), String> {
        let variable = self
            .defs
            .get(&payload)
            .filter(|inst| inst.op == Op::Variable);
        let variable = variable.ok_or("only received payloads can be finished")?;
        let id = self.pointee(variable.ty)?;
        if !self.graph.payloads[id].track_finish {
            return Err(format!("{id} does not track who has finished writing"));
        }
        let coalesces = |(_, node): &(String, NodeInfo)| node.coalescing && node.input == Some(id);
        if self.graph.nodes.iter().any(coalesces) {
            return Err("a coalescing node cannot say that it has finished writing".into());
        }
        Ok(())
    }
}
