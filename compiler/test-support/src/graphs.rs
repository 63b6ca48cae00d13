//! Work graphs in the interpreter: kernels of one module that start one another.

use pumice_interp::{self as interp, Inputs, NdRange, Options};
use pumice_ir::{KernelInfo, Module, NodeInfo};

/// The node that a kernel is: its name before the first dot, and its ShaderIndexAMDX.
pub fn node_of(kernel: &KernelInfo) -> (&str, u32) {
    let name = kernel.name.split('.').next().unwrap_or_default();
    let index = kernel.node.as_ref().and_then(|node| node.shader_index);
    (name, index.unwrap_or(0))
}

/// Payloads that wait for their node.
struct Waiting {
    /// The node's name and index.
    node: (String, u32),
    records: Vec<Vec<u32>>,
}

/// Runs a kernel and everything that it starts; gives the buffers afterwards.
///
/// # Errors
/// The interpreter's, a node that the module lacks, more than 10,000 payloads.
pub fn run(
    module: &Module,
    kernel: &str,
    mut inputs: Inputs,
    range: &NdRange,
) -> Result<Vec<Vec<u8>>, String> {
    let mut waiting = step(module, kernel, &mut inputs, range, &[])?;
    let mut taken = 0;
    while let Some(next) = waiting.pop() {
        taken += next.records.len();
        if taken > 10_000 {
            return Err("the graph starts too much".into());
        }
        let (name, index) = &next.node;
        let is_it = |kernel: &&KernelInfo| node_of(kernel) == (name.as_str(), *index);
        let kernel = module.kernels.iter().find(is_it);
        let kernel = kernel.ok_or_else(|| format!("no node {name}[{index}]"))?;
        let info = kernel.node.as_deref().cloned().unwrap_or_default();
        // A node that coalesces takes all of an array's payloads at once.
        let takes = if info.coalescing { usize::MAX } else { 1 };
        for records in next.records.chunks(takes.min(next.records.len().max(1))) {
            let range = range_of(kernel, &info, &records[0]);
            waiting.extend(step(module, &kernel.name, &mut inputs, &range, records)?);
        }
    }
    Ok(inputs.buffers)
}

fn step(
    module: &Module,
    kernel: &str,
    inputs: &mut Inputs,
    range: &NdRange,
    received: &[Vec<u32>],
) -> Result<Vec<Waiting>, String> {
    let options = Options::default();
    let output = interp::run_node(module, kernel, inputs, range, &options, received)
        .map_err(|error| format!("{kernel}: {error}"))?;
    inputs.buffers = output.buffers;
    let waiting = output.enqueued.into_iter().map(|array| {
        let payload = &module.payloads[array.payload];
        let name = payload.node.as_ref().ok_or("payloads for no node")?;
        Ok(Waiting {
            node: (name.text.clone(), array.index),
            records: array.records,
        })
    });
    waiting.collect()
}

/// The range of a node: its own numbers of work-groups, or those that its payload begins with.
fn range_of(kernel: &KernelInfo, info: &NodeInfo, record: &[u32]) -> NdRange {
    let local = kernel.required_work_group_size.unwrap_or([1; 3]);
    let groups = match (info.static_groups, info.coalescing) {
        (Some(groups), _) => groups,
        (None, true) => [1; 3],
        (None, false) => [0, 1, 2].map(|axis| record.get(axis).copied().unwrap_or(1)),
    };
    NdRange {
        work_dim: 3,
        global: [0, 1, 2].map(|axis| u64::from(groups[axis]) * u64::from(local[axis])),
        local: local.map(u64::from),
        offset: [0; 3],
    }
}
