//! Rounds as a work graph: a dispatch starts the scheduler's node, which starts those of the variants that have work;
//! their last work-group starts the scheduler of the next level (`compiler/backend`'s pass `graph_nodes`).
//!
//! Each level is a pipeline for the scheduler and for each variant, so a graph begins with one level and gets the
//! others when launches turn out to be long.

use pumice_compiler::target::device_queue::{Key, VARIANTS, graph};
use pumice_vulkan_layer::caps::Limits;
use pumice_vulkan_layer::{Buffer, LogicalDevice, NodePayloads, Recorder, Scratch};

use super::{local_arguments, one_group};
use crate::executable::Executable;
use crate::executable::compiled_module::NodeEntry;
use crate::executable::launch::{ArgValue, Launch, LaunchError, NodeConstants, Result};

/// Nodes of a graph at most: each is a pipeline, so more variants make fewer levels.
const MOST_NODES: usize = 128;

/// The nodes of an executable on a device.
pub(super) struct Nodes {
    constants: NodeConstants,
    /// With the present variants.
    graph: Option<WorkGraph>,
    /// The next graph has all levels.
    is_long: bool,
}

/// A graph with the memory that its dispatches use in turn.
struct WorkGraph {
    scratch: Scratch,
    levels: u32,
    /// Starts the first level.
    payload: Vec<u8>,
    /// A submission has initialized the memory.
    is_initialized: bool,
}

/// A kernel with everything that a node sets.
struct Specialized {
    kernel: usize,
    specialization: Vec<(u32, u32)>,
    subgroup_size: Option<u32>,
}

/// Tells why an executable's rounds cannot be a graph; `None` if they can.
pub(super) fn obstacle(executable: &Executable, device: &LogicalDevice) -> Option<&'static str> {
    let enqueue = &executable.interface.enqueue;
    let limits = &device.capabilities().limits;
    if !device.capabilities().features.shader_enqueue {
        return Some("the device has no work graphs");
    }
    if enqueue.times {
        return Some("the program asks for the times of commands");
    }
    let Some(nodes) = &enqueue.nodes else {
        return Some("the program was compiled without nodes");
    };
    let kernels = nodes.blocks.iter().chain([&nodes.scheduler]);
    for &kernel in kernels {
        let kernel = &executable.interface.kernels[kernel];
        if kernel.info.private_bytes.is_some() {
            return Some("a block has private variables in a buffer");
        }
        if !kernel.layout.sets.is_empty() {
            return Some("the program has descriptors");
        }
    }
    // A scheduler starts each variant; a payload has the numbers of work-groups besides.
    let payload_bytes = 4 * (graph::COUNTS + graph::WORDS);
    let fits = limits.max_graph_depth >= 2
        && limits.max_payloads as usize >= VARIANTS
        && limits.max_payload_size >= payload_bytes;
    (!fits).then_some("the device's work graphs are too small")
}

/// The levels of a graph with so many variants, if launches are long.
fn all_levels(limits: &Limits, variants: usize) -> u32 {
    let most = MOST_NODES / (variants + 1);
    (most as u32)
        .min(limits.max_graph_depth / 2)
        .clamp(1, graph::MOST_LEVELS)
}

impl Nodes {
    /// Makes what all graphs of an executable share. It has no [`obstacle`].
    pub fn new(
        executable: &Executable,
        device: &LogicalDevice,
        termination: Option<&Buffer>,
    ) -> Result<Self> {
        let nodes = executable.interface.enqueue.nodes.as_ref();
        let kernels: Vec<usize> = nodes.map_or_else(Vec::new, |nodes| {
            let all = nodes.blocks.iter().chain([&nodes.scheduler]);
            all.copied().collect()
        });
        let device_module = executable.device_module(device)?;
        Ok(Self {
            constants: executable.node_constants(&device_module, &kernels, termination)?,
            graph: None,
            is_long: false,
        })
    }

    /// Forgets the graph: its variants are not those of the memory any more.
    pub fn forget(&mut self) {
        self.graph = None;
        self.is_long = false;
    }

    /// Lets the next graph have all levels; forgets one that has fewer.
    pub fn lengthen(&mut self, limits: &Limits, variants: usize) {
        self.is_long = true;
        self.graph =
            (self.graph.take()).filter(|graph| graph.levels >= all_levels(limits, variants));
    }

    /// The printf buffer of all nodes, if one of them prints.
    pub fn printf(&self) -> Option<&Buffer> {
        self.constants.printf.as_ref()
    }

    /// Makes a graph of these variants for the memory at a pointer, unless there is one.
    ///
    /// # Errors
    /// The driver refuses it, or a variant needs more than the device has.
    pub fn make(
        &mut self,
        executable: &Executable,
        device: &LogicalDevice,
        memory: u64,
        keys: &[Key],
    ) -> Result<()> {
        if self.graph.is_some() {
            return Ok(());
        }
        let Some(nodes) = &executable.interface.enqueue.nodes else {
            return Err(LaunchError::Resources("there are no nodes".into()));
        };
        let specialized = |kernel: usize, local_size, args: &[Option<ArgValue>]| {
            let launch = Launch {
                kernel,
                range: &one_group(local_size, 1),
                args,
                enqueue: None,
                checks: None,
                termination: None,
                queue: 0,
                may_slice: false,
            };
            let node = executable.node_specialization(device, &launch)?;
            Ok::<_, LaunchError>(Specialized {
                kernel,
                specialization: node.constants,
                subgroup_size: node.subgroup_size,
            })
        };
        let scheduler = specialized(nodes.scheduler, [1; 3], &[])?;
        let block = |key: &Key| {
            let kernel = (nodes.blocks.get(key.block as usize)).copied();
            let kernel = kernel.ok_or_else(|| {
                LaunchError::Resources(format!("there is no block {}", key.block))
            })?;
            let info = &executable.interface.kernels[kernel].info;
            specialized(kernel, key.local_size, &local_arguments(info, key))
        };
        let blocks: Vec<Specialized> = keys.iter().map(block).collect::<Result<_>>()?;
        let levels = match self.is_long {
            true => all_levels(&device.capabilities().limits, keys.len()),
            false => 1,
        };
        let mut entries = Vec::new();
        for level in 0..levels {
            let of_level = (blocks.iter().zip(0..))
                .map(|(block, n)| (block, (graph::BLOCK, graph::block_index(level, n))));
            for (node, name) in [(&scheduler, (graph::SCHEDULER, level))]
                .into_iter()
                .chain(of_level)
            {
                entries.push(NodeEntry {
                    entry: &executable.interface.kernels[node.kernel].info.name,
                    name,
                    specialization: &node.specialization,
                    subgroup_size: node.subgroup_size,
                });
            }
        }
        let device_module = executable.device_module(device)?;
        let made = device_module
            .compiled
            .graph(&entries, self.constants.kernel)?;
        let payload = graph::start(memory, levels);
        self.graph = Some(WorkGraph {
            scratch: made.create_scratch()?,
            levels,
            payload: payload.iter().flat_map(|word| word.to_le_bytes()).collect(),
            is_initialized: false,
        });
        Ok(())
    }

    /// Records so many rounds or a few more.
    ///
    /// # Errors
    /// There is no graph.
    pub fn record(&mut self, recorder: &mut Recorder, rounds: usize) -> Result<()> {
        let Some(made) = &mut self.graph else {
            return Err(LaunchError::Resources("there is no work graph".into()));
        };
        // A submission that fails ends the use of this graph.
        if !std::mem::replace(&mut made.is_initialized, true) {
            recorder.initialize_scratch(&made.scratch)?;
        }
        // The scheduler is the first node.
        let start = NodePayloads {
            node: 0,
            size: made.payload.len() as u32,
            payloads: &made.payload,
        };
        for _ in 0..rounds.div_ceil(made.levels as usize) {
            recorder.barrier();
            recorder.dispatch_graph(&made.scratch, &self.constants.push, &[start])?;
        }
        recorder.barrier();
        recorder.keep(self.constants.keep.to_vec());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_NODES, all_levels};
    use pumice_vulkan_layer::caps::Limits;

    #[test]
    fn more_variants_make_fewer_levels() {
        let limits = |max_graph_depth| Limits {
            max_graph_depth,
            ..Limits::default()
        };
        assert_eq!(all_levels(&limits(32), 1), 4);
        assert_eq!(all_levels(&limits(5), 1), 2);
        assert_eq!(all_levels(&limits(2), 1), 1);
        assert_eq!(all_levels(&limits(32), 64), 1);
        for variants in 0..=64 {
            let levels = all_levels(&limits(32), variants) as usize;
            assert!(levels * (variants + 1) <= MOST_NODES);
        }
    }
}
