//! The graphs of `compiler/filetests/ir/graph` on a Vulkan device with work graphs
//! (VK_AMDX_shader_enqueue). Hardly any driver has them, so the tests are ignored unless
//! `cargo xtask test graphs` runs them.

mod device_dispatch;

use device_dispatch::{arguments, create, device, for_driver};
use pumice_backend::vulkan;
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::KernelFile;
use pumice_filetests::golden::{Failures, files};
use pumice_interp::NdRange;
use pumice_ir::KernelInfo;
use pumice_ir::text::parse_module;
use pumice_test_support::runs::{Arguments, range};
use pumice_test_support::{filetests, graphs, lowering_passes};
use pumice_vulkan_layer::{
    Buffer, Error, Graph, GraphDesc, LogicalDevice, NodeDesc, NodePayloads, PipelineLayoutDesc,
};
use std::path::Path;

fn target(device: &LogicalDevice) -> Target {
    let target = Target {
        shader_enqueue: true,
        ..Target::reference()
    };
    for_driver(device, target)
}

/// A graph with one node for each kernel of a file.
struct Made {
    graph: Graph,
    push: Vec<u8>,
    buffers: Vec<Buffer>,
    /// The place of the kernel that the host starts.
    start: usize,
    /// The payload that it is started with: its numbers of work-groups.
    payload: Vec<u8>,
    run: pumice_filetests::Run,
    arguments: Arguments,
}

fn make(device: &LogicalDevice, path: &Path) -> Result<Made, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let run = KernelFile::parse(&text)?.runs.pop().ok_or("no run")?;
    let mut module = parse_module(&text).map_err(|e| e.to_string())?;
    let target = target(device);
    lowering_passes::lower(&mut module, &target)?;
    let words = vulkan::emit(&module, &target, &LowerOptions::default())
        .map_err(|e| e.to_string())?
        .words;
    let arguments_of_run = Arguments::of(&run)?;
    let inputs = &arguments_of_run.inputs;
    let range = range(&run);
    let buffers: Vec<Buffer> = inputs.buffers.iter().map(|b| create(device, b)).collect();
    // All nodes get the push constants of the one that the host starts.
    let (push, _) = arguments(device, &words, &run.kernel, inputs, &range, &buffers);
    let specialization = |kernel: &KernelInfo| {
        let local = kernel
            .required_work_group_size
            .unwrap_or([1; 3])
            .map(u64::from);
        let range = NdRange {
            work_dim: 3,
            global: local,
            local,
            offset: [0; 3],
        };
        arguments(device, &words, &kernel.name, inputs, &range, &buffers).1
    };
    let specializations: Vec<_> = module.kernels.iter().map(specialization).collect();
    let layout = device
        .create_pipeline_layout(&PipelineLayoutDesc {
            sets: Vec::new(),
            push_constant_size: push.len() as u32,
        })
        .map_err(|e| e.to_string())?;
    let shaders = device
        .create_shader_module(&words)
        .map_err(|e| e.to_string())?;
    let nodes: Vec<NodeDesc<'_>> = (module.kernels.iter().zip(&specializations))
        .map(|(kernel, specialization)| NodeDesc {
            module: &shaders,
            entry: &kernel.name,
            name: graphs::node_of(kernel),
            specialization,
            subgroup_size: None,
        })
        .collect();
    let graph = device
        .create_graph(&GraphDesc {
            nodes: &nodes,
            layout: &layout,
        })
        .map_err(|e| e.to_string())?;
    let start = module.kernels.iter().position(|k| k.name == run.kernel);
    let groups = [0, 1, 2].map(|axis| (range.global[axis] / range.local[axis]) as u32);
    Ok(Made {
        graph,
        push,
        buffers,
        start: start.ok_or("the kernel is missing")?,
        payload: groups.iter().flat_map(|n| n.to_le_bytes()).collect(),
        run,
        arguments: arguments_of_run,
    })
}

fn check(device: &LogicalDevice, path: &Path) -> Result<(), String> {
    let made = make(device, path)?;
    let scratch = made.graph.create_scratch().map_err(|e| e.to_string())?;
    let queue = device.create_queue().map_err(|e| e.to_string())?;
    let mut recorder = queue.recorder().map_err(|e| e.to_string())?;
    recorder
        .initialize_scratch(&scratch)
        .map_err(|e| e.to_string())?;
    recorder.barrier();
    let start = NodePayloads {
        node: made.start,
        size: made.payload.len() as u32,
        payloads: &made.payload,
    };
    recorder
        .dispatch_graph(&scratch, &made.push, &[start])
        .map_err(|e| e.to_string())?;
    recorder.keep(made.buffers.clone());
    let value = queue.submit(recorder, &[]).map_err(|e| e.to_string())?;
    assert!(queue.wait(value, None).map_err(|e| e.to_string())?);
    let read = |buffer: &Buffer, size: usize| {
        let mut bytes = vec![0; size];
        buffer.read(0, &mut bytes).map(|()| bytes)
    };
    let sizes = made.arguments.inputs.buffers.iter().map(Vec::len);
    let buffers: Result<Vec<_>, Error> = (made.buffers.iter().zip(sizes))
        .map(|(buffer, size)| read(buffer, size))
        .collect();
    let buffers = buffers.map_err(|e| e.to_string())?;
    made.arguments.check(&made.run, &buffers)
}

/// The device; the test fails where it has no work graphs.
fn with_graphs(test: impl FnOnce(&LogicalDevice)) {
    let device = device().expect("a device");
    assert!(device.capabilities().features.shader_enqueue);
    test(&device);
}

#[test]
#[ignore = "needs a driver with work graphs: cargo xtask test graphs"]
fn graphs_run_on_the_device() {
    with_graphs(|device| {
        let mut failures = Failures::default();
        for path in files(&filetests("ir/graph"), &["ir"], 4) {
            println!("{}", path.display());
            if let Err(error) = check(device, &path) {
                failures.add(&path, error);
            }
        }
        failures.finish();
    });
}

#[test]
#[ignore = "needs a driver with work graphs: cargo xtask test graphs"]
fn broken_use_is_refused() {
    with_graphs(|device| {
        let made = make(device, &filetests("ir/graph").join("recursion.ir")).unwrap();
        let scratch = made.graph.create_scratch().unwrap();
        let queue = device.create_queue().unwrap();
        let mut recorder = queue.recorder().unwrap();
        let limit = device.capabilities().limits.max_payload_size;
        let large = vec![0; limit as usize / 4 * 4 + 4];
        let cases = [
            (usize::MAX, 12, &made.payload[..]),
            (made.start, 0, &made.payload),
            (made.start, 6, &made.payload),
            (made.start, 8, &made.payload),
            (made.start, large.len() as u32, &large),
        ];
        for (node, size, payloads) in cases {
            let start = NodePayloads {
                node,
                size,
                payloads,
            };
            let result = recorder.dispatch_graph(&scratch, &made.push, &[start]);
            let refused = matches!(
                result,
                Err(Error::InvalidUse(_)) | Err(Error::TooLarge { .. })
            );
            assert!(refused, "node {node}, size {size}: {result:?}");
        }
        let few = recorder.dispatch_graph(&scratch, &[], &[]);
        assert!(matches!(few, Err(Error::InvalidUse(_))));
        let layout = device
            .create_pipeline_layout(&PipelineLayoutDesc::default())
            .unwrap();
        let none = device.create_graph(&GraphDesc {
            nodes: &[],
            layout: &layout,
        });
        assert!(matches!(none, Err(Error::InvalidUse(_))));
    });
}
