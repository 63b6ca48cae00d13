//! Work graphs on devices without them. `runtime/tests/graphs_on_device.rs` has those with them.

use pumice_vulkan_layer::{Error, GraphDesc, NodeDesc, PipelineLayoutDesc};

use crate::modules::mark;
use crate::setup::with_device;

#[test]
fn a_device_without_work_graphs_refuses_them() {
    with_device(|device| {
        if device.capabilities().features.shader_enqueue {
            return;
        }
        let module = device.create_shader_module(&mark()).unwrap();
        let layout = device
            .create_pipeline_layout(&PipelineLayoutDesc::default())
            .unwrap();
        let node = NodeDesc {
            module: &module,
            entry: "mark",
            name: ("mark", 0),
            specialization: &[],
            subgroup_size: None,
        };
        let graph = device.create_graph(&GraphDesc {
            nodes: &[node],
            layout: &layout,
        });
        let error = graph.map(drop).unwrap_err();
        assert_eq!(error, Error::Unsupported("work graphs".into()));
    });
}
