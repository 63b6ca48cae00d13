//! Dispatches of work graphs.

use ash::vk;

use crate::commands::recorder::Recorder;
use crate::error::{Error, Result};
use crate::objects::graph::Scratch;
use crate::raw::enqueue;

/// Payloads with which a dispatch starts a node, each of them once.
#[derive(Clone, Copy, Debug)]
pub struct NodePayloads<'a> {
    /// The node's place in the graph's description.
    pub node: usize,
    /// Bytes of one payload, a multiple of 4. A payload begins with the numbers of work-groups, three words,
    /// unless the node says them itself (StaticNumWorkgroupsAMDX).
    pub size: u32,
    /// The payloads, one behind another. They are taken now.
    pub payloads: &'a [u8],
}

impl NodePayloads<'_> {
    fn count(&self) -> usize {
        self.payloads.len() / self.size as usize
    }
}

impl Recorder {
    /// Makes scratch memory ready for its graph. A [`Recorder::barrier`] stands between this and the dispatch.
    ///
    /// # Errors
    /// A graph of another device.
    pub fn initialize_scratch(&mut self, scratch: &Scratch) -> Result<()> {
        let functions = self.graph_functions(scratch)?;
        let (address, size) = (scratch.buffer.address(), scratch.buffer.size());
        // SAFETY: graph and memory are alive, kept, and made for each other; the command buffer is recording.
        unsafe {
            (functions.initialize_scratch)(self.raw(), scratch.graph.0.raw, address, size);
        }
        self.keep(scratch.clone());
        Ok(())
    }

    /// Starts nodes of a graph, which start others until none has a payload left. The push constants are all
    /// nodes'. Memory that they reach by addresses is the caller's to keep.
    ///
    /// # Errors
    /// Push constants of another size than the layout's, a node that the graph lacks, payloads of a size that
    /// is 0, no multiple of 4, larger than the device's limit or not that of their bytes.
    pub fn dispatch_graph(
        &mut self,
        scratch: &Scratch,
        push_constants: &[u8],
        starts: &[NodePayloads<'_>],
    ) -> Result<()> {
        let graph = &scratch.graph.0;
        let layout = &graph.layout.0;
        if push_constants.len() != layout.desc.push_constant_size as usize
            || push_constants.len() % 4 != 0
        {
            return Err(Error::InvalidUse("push constants of another size".into()));
        }
        for start in starts {
            self.check_payloads(start, graph.node_indices.len())?;
        }
        if starts.is_empty() {
            return Ok(());
        }
        // Words, so that payloads are aligned.
        let payloads: Vec<Vec<u32>> = starts.iter().map(|start| words(start.payloads)).collect();
        let infos: Vec<_> = (starts.iter().zip(&payloads))
            .map(|(start, payloads)| vk::DispatchGraphInfoAMDX {
                node_index: graph.node_indices[start.node],
                payload_count: start.count() as u32,
                payloads: vk::DeviceOrHostAddressConstAMDX {
                    host_address: payloads.as_ptr().cast(),
                },
                payload_stride: start.size.into(),
            })
            .collect();
        let counted = vk::DispatchGraphCountInfoAMDX {
            count: infos.len() as u32,
            infos: vk::DeviceOrHostAddressConstAMDX {
                host_address: infos.as_ptr().cast(),
            },
            stride: size_of::<vk::DispatchGraphInfoAMDX>() as u64,
        };
        let functions = self.graph_functions(scratch)?;
        let device = &self.device().raw;
        // SAFETY: graph, layout and scratch memory are alive and kept; the host's payloads and infos live
        // through the call, in which the driver reads them.
        unsafe {
            device.cmd_bind_pipeline(
                self.raw(),
                vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX,
                graph.raw,
            );
            if !push_constants.is_empty() {
                let stage = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(self.raw(), layout.raw, stage, 0, push_constants);
            }
            let (address, size) = (scratch.buffer.address(), scratch.buffer.size());
            (functions.dispatch_graph)(self.raw(), address, size, &counted);
        }
        // The push constants of the bound pipeline are gone.
        self.forget_pipeline();
        self.keep(scratch.clone());
        Ok(())
    }

    fn graph_functions(&self, scratch: &Scratch) -> Result<&enqueue::Functions> {
        self.own(&scratch.buffer)?;
        (self.device().graphs.as_ref()).ok_or_else(|| Error::Unsupported("work graphs".into()))
    }

    fn check_payloads(&self, start: &NodePayloads<'_>, nodes: usize) -> Result<()> {
        let invalid = |what: &str| Err(Error::InvalidUse(what.into()));
        if start.node >= nodes {
            return invalid("a node that the graph lacks");
        }
        if start.size == 0 || start.size % 4 != 0 {
            return invalid("payloads whose size is no whole number of words");
        }
        if start.payloads.len() % start.size as usize != 0 || u32::try_from(start.count()).is_err()
        {
            return invalid("payloads that are no whole number");
        }
        let limit = self.device().caps.limits.max_payload_size;
        if start.size > limit {
            return Err(Error::TooLarge {
                what: "a payload",
                size: start.size.into(),
                limit: limit.into(),
            });
        }
        Ok(())
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}
