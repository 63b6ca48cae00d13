//! Work graphs: pipelines whose kernels start one another on the device (VK_AMDX_shader_enqueue).

use std::ffi::CString;
use std::sync::Arc;

use ash::vk;

use super::buffer::{Buffer, MemoryClass};
use super::pipeline::{PipelineLayout, ShaderModule, Specialization, entry_name, pipeline_error};
use crate::device::{DeviceShared, LogicalDevice, fault};
use crate::error::{Error, Result};
use crate::raw::enqueue;

/// A kernel of a graph.
#[derive(Clone, Copy)]
pub struct NodeDesc<'a> {
    /// The module.
    pub module: &'a ShaderModule,
    /// The entry point's name.
    pub entry: &'a str,
    /// The node's name (PayloadNodeNameAMDX) and its index among nodes of that name (ShaderIndexAMDX).
    pub name: (&'a str, u32),
    /// Specialization ids with their 32-bit values; ids that the module lacks are ignored.
    pub specialization: &'a [(u32, u32)],
    /// Work-items of its sub-groups, if it requires a number of them.
    pub subgroup_size: Option<u32>,
}

/// Creation parameters of a graph.
#[derive(Clone, Copy)]
pub struct GraphDesc<'a> {
    /// The nodes; no two with one name and index.
    pub nodes: &'a [NodeDesc<'a>],
    /// The layout of all nodes: push constants alone, no descriptor sets.
    pub layout: &'a PipelineLayout,
}

/// A graph. Cheap to clone.
#[derive(Clone)]
pub struct Graph(pub(crate) Arc<GraphInner>);

pub(crate) struct GraphInner {
    device: Arc<DeviceShared>,
    pub raw: vk::Pipeline,
    pub layout: PipelineLayout,
    /// The number that dispatches name each node of the description by.
    pub node_indices: Vec<u32>,
    /// Bytes of scratch memory that a dispatch needs at least.
    scratch_size: u64,
    /// The nodes' names, which lavapipe reads for as long as the pipeline lives.
    _names: Vec<CString>,
}

/// Memory in which the device keeps the payloads of one graph. Only one dispatch may use it at a time.
#[derive(Clone)]
pub struct Scratch {
    pub(crate) graph: Graph,
    pub(crate) buffer: Buffer,
}

impl LogicalDevice {
    /// Makes a graph.
    ///
    /// # Errors
    /// [`Error::Unsupported`] without shaderEnqueue, [`Error::Pipeline`] where the driver refuses it,
    /// [`Error::InvalidUse`] for no node, names with a NUL, a layout with descriptor sets or objects of
    /// another device.
    pub fn create_graph(&self, desc: &GraphDesc<'_>) -> Result<Graph> {
        let Some(functions) = &self.shared.graphs else {
            return Err(Error::Unsupported("work graphs".into()));
        };
        self.check_graph(desc)?;
        let names = |text: fn(&NodeDesc<'_>) -> String| {
            let names = desc.nodes.iter().map(|node| entry_name(&text(node)));
            names.collect::<Result<Vec<CString>>>()
        };
        let entries = names(|node| node.entry.into())?;
        let names = names(|node| node.name.0.into())?;
        let values: Vec<_> = (desc.nodes.iter())
            .map(|node| Specialization::of(node.specialization))
            .collect();
        let specializations: Vec<_> = values.iter().map(Specialization::info).collect();
        let mut infos = node_infos(desc, &names);
        let mut sizes: Vec<_> = (desc.nodes.iter())
            .map(|node| {
                vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
                    .required_subgroup_size(node.subgroup_size.unwrap_or(0))
            })
            .collect();
        let stages: Vec<_> = (desc.nodes.iter().zip(&entries))
            .zip(specializations.iter().zip(infos.iter_mut().zip(&mut sizes)))
            .map(|((node, entry), (specialization, (info, size)))| {
                let stage = vk::PipelineShaderStageCreateInfo::default()
                    .stage(vk::ShaderStageFlags::COMPUTE)
                    .module(node.module.0.raw)
                    .name(entry)
                    .specialization_info(specialization)
                    .push_next(info);
                match node.subgroup_size {
                    Some(_) => stage.push_next(size),
                    None => stage,
                }
            })
            .collect();
        let info = vk::ExecutionGraphPipelineCreateInfoAMDX::default()
            .stages(&stages)
            .layout(desc.layout.0.raw);
        fault::check("vkCreateExecutionGraphPipelinesAMDX")?;
        let mut raw = vk::Pipeline::null();
        // SAFETY: modules and layout are alive and of this device; `info` lives through the call.
        let result = unsafe {
            (functions.create_pipelines)(
                self.shared.raw.handle(),
                self.shared.pipeline_cache,
                1,
                &info,
                std::ptr::null(),
                &mut raw,
            )
        };
        if result != vk::Result::SUCCESS {
            // SAFETY: a failed creation leaves a null handle, which destruction ignores.
            unsafe { self.shared.raw.destroy_pipeline(raw, None) };
            return Err(pipeline_error(
                "vkCreateExecutionGraphPipelinesAMDX",
                result,
            ));
        }
        let mut graph = GraphInner {
            device: Arc::clone(&self.shared),
            raw,
            layout: desc.layout.clone(),
            node_indices: Vec::new(),
            scratch_size: 0,
            _names: Vec::new(),
        };
        graph.ask(functions, &node_infos(desc, &names))?;
        graph._names = names;
        Ok(Graph(Arc::new(graph)))
    }

    fn check_graph(&self, desc: &GraphDesc<'_>) -> Result<()> {
        let invalid = |what: &str| Err(Error::InvalidUse(what.into()));
        let same = |device: &Arc<DeviceShared>| Arc::ptr_eq(device, &self.shared);
        if !same(&desc.layout.0.device) || !desc.nodes.iter().all(|n| same(&n.module.0.device)) {
            return invalid("objects of another device");
        }
        if desc.nodes.is_empty() {
            return invalid("a graph without nodes");
        }
        let required = desc.nodes.iter().any(|node| node.subgroup_size.is_some());
        if required && !self.shared.caps.subgroup.required_size {
            return Err(Error::Unsupported("a required subgroup size".into()));
        }
        if !desc.layout.0.sets.is_empty() {
            return invalid("a graph with descriptor sets");
        }
        let is_again = |(at, node): (usize, &NodeDesc<'_>)| {
            desc.nodes[..at].iter().any(|other| other.name == node.name)
        };
        if desc.nodes.iter().enumerate().any(is_again) {
            return invalid("two nodes of one name and index");
        }
        Ok(())
    }
}

fn node_infos<'a>(
    desc: &GraphDesc<'_>,
    names: &'a [CString],
) -> Vec<vk::PipelineShaderStageNodeCreateInfoAMDX<'a>> {
    let info = |(node, name): (&NodeDesc<'_>, &'a CString)| {
        vk::PipelineShaderStageNodeCreateInfoAMDX::default()
            .name(name)
            .index(node.name.1)
    };
    desc.nodes.iter().zip(names).map(info).collect()
}

impl GraphInner {
    /// Asks for the nodes' numbers and the size of scratch memory.
    fn ask(
        &mut self,
        functions: &enqueue::Functions,
        nodes: &[vk::PipelineShaderStageNodeCreateInfoAMDX<'_>],
    ) -> Result<()> {
        let device = self.device.raw.handle();
        for node in nodes {
            let mut index = 0;
            // SAFETY: the pipeline is alive; `node` lives through the call.
            let result = unsafe { (functions.get_node_index)(device, self.raw, node, &mut index) };
            if result != vk::Result::SUCCESS {
                return Err(pipeline_error(
                    "vkGetExecutionGraphPipelineNodeIndexAMDX",
                    result,
                ));
            }
            self.node_indices.push(index);
        }
        let mut size = enqueue::ScratchSize::default();
        // SAFETY: the pipeline is alive; `size` is the struct that the command fills.
        let result = unsafe { (functions.get_scratch_size)(device, self.raw, &mut size) };
        if result != vk::Result::SUCCESS {
            return Err(pipeline_error(
                "vkGetExecutionGraphPipelineScratchSizeAMDX",
                result,
            ));
        }
        self.scratch_size = size.min_size;
        Ok(())
    }
}

impl Graph {
    /// Makes scratch memory of the least size for this graph. It is to be initialized by
    /// [`crate::Recorder::initialize_scratch`] before its first dispatch.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_scratch(&self) -> Result<Scratch> {
        let buffer = Buffer::allocate_for(
            &self.0.device,
            self.0.scratch_size.max(1),
            MemoryClass::DeviceLocal,
            vk::BufferUsageFlags::EXECUTION_GRAPH_SCRATCH_AMDX,
        )?;
        Ok(Scratch {
            graph: self.clone(),
            buffer,
        })
    }
}

impl Drop for GraphInner {
    fn drop(&mut self) {
        // SAFETY: recordings keep the graph until the device is done with it.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}
