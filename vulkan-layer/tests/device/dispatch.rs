//! Pipelines and dispatches.

use std::collections::HashMap;

use pumice_vulkan_layer::{
    Binding, BindingKind, Buffer, Error, LogicalDevice, MemoryClass, Pipeline, PipelineDesc,
    PipelineLayout, PipelineLayoutDesc, Resource, ShaderModule,
};

use crate::modules::{add_by_addresses, add_by_descriptors, mark};
use crate::setup::with_device;

pub fn words(buffer: &Buffer) -> Vec<u32> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    let word = |b: &[u8]| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

pub fn buffer_of(device: &LogicalDevice, class: MemoryClass, values: &[u32]) -> Buffer {
    let buffer = device
        .create_buffer(values.len() as u64 * 4, class)
        .unwrap();
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_ne_bytes())
        .collect();
    buffer.write(0, &bytes).unwrap();
    buffer
}

pub fn storage_layout(
    device: &LogicalDevice,
    bindings: u32,
    push_constant_size: u32,
) -> PipelineLayout {
    let kind = BindingKind::StorageBuffer;
    let set = (0..bindings)
        .map(|binding| Binding { binding, kind })
        .collect();
    device
        .create_pipeline_layout(&PipelineLayoutDesc {
            sets: vec![set],
            push_constant_size,
        })
        .unwrap()
}

pub fn whole(buffer: &Buffer) -> Resource {
    Resource::Buffer {
        buffer: buffer.clone(),
        offset: 0,
        range: buffer.size(),
    }
}

pub fn pipeline(
    device: &LogicalDevice,
    module: &ShaderModule,
    entry: &str,
    layout: &PipelineLayout,
    specialization: &[(u32, u32)],
) -> Pipeline {
    device
        .create_pipeline(&PipelineDesc {
            module,
            entry,
            layout,
            specialization,
            dispatch_base: true,
            subgroup_size: None,
            full_subgroups: false,
        })
        .unwrap()
}

const N: u32 = 1024;

fn inputs(device: &LogicalDevice) -> (Buffer, Buffer, Buffer, Vec<u32>) {
    let a: Vec<u32> = (0..N).map(|i| i * 3).collect();
    let b: Vec<u32> = (0..N).map(|i| i ^ 0x5555).collect();
    let sums = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    (
        buffer_of(device, MemoryClass::HostVisibleDevice, &a),
        buffer_of(device, MemoryClass::Staging, &b),
        buffer_of(device, MemoryClass::Readback, &vec![0; N as usize]),
        sums,
    )
}

#[test]
fn vector_add_through_descriptors() {
    with_device(|device| {
        let (a, b, out, expected) = inputs(device);
        let module = device.create_shader_module(&add_by_descriptors()).unwrap();
        let layout = storage_layout(device, 3, 0);
        let pipeline = pipeline(device, &module, "add", &layout, &[(0, 64)]);
        let resources = [(0, whole(&a)), (1, whole(&b)), (2, whole(&out))];
        let set = device
            .create_descriptor_set(&layout, 0, &resources)
            .unwrap();
        let queue = device.create_queue().unwrap();
        let mut recorder = queue.recorder().unwrap();
        recorder.bind_pipeline(&pipeline);
        recorder.bind_descriptors(&set).unwrap();
        recorder.dispatch([N / 64, 1, 1]).unwrap();
        // Everything goes before the device is done: the recorder keeps what it needs.
        drop((a, b, set, resources, pipeline, module));
        let value = queue.submit(recorder, &[]).unwrap();
        assert!(queue.wait(value, None).unwrap());
        assert_eq!(words(&out), expected);
    });
}

#[test]
fn vector_add_through_addresses() {
    with_device(|device| {
        let (a, b, out, expected) = inputs(device);
        let module = device.create_shader_module(&add_by_addresses()).unwrap();
        let layout = storage_layout(device, 0, 24);
        let pipeline = pipeline(device, &module, "add", &layout, &[(0, 32), (1, 1), (99, 5)]);
        let queue = device.create_queue().unwrap();
        let mut recorder = queue.recorder().unwrap();
        recorder.bind_pipeline(&pipeline);
        let push: Vec<u8> = [&a, &b, &out]
            .iter()
            .flat_map(|buffer| buffer.address().to_ne_bytes())
            .collect();
        recorder.push_constants(0, &push).unwrap();
        recorder.keep((a, b, out.clone()));
        recorder.dispatch_base([0; 3], [N / 64, 1, 1]).unwrap();
        recorder
            .dispatch_base([N / 64, 0, 0], [N / 64, 1, 1])
            .unwrap();
        let value = queue.submit(recorder, &[]).unwrap();
        queue.wait(value, None).unwrap();
        assert_eq!(words(&out), expected);
    });
}

#[test]
fn a_thousand_pipelines_by_specialization() {
    with_device(|device| {
        let out = buffer_of(device, MemoryClass::Readback, &[0; 4]);
        let module = device.create_shader_module(&mark()).unwrap();
        let layout = storage_layout(device, 1, 4);
        let set = device
            .create_descriptor_set(&layout, 0, &[(0, whole(&out))])
            .unwrap();
        let queue = device.create_queue().unwrap();
        let pipelines: HashMap<u32, Pipeline> = (0..1000)
            .map(|key| (key, pipeline(device, &module, "mark", &layout, &[(3, key)])))
            .collect();
        for key in [0, 1, 500, 999] {
            let mut recorder = queue.recorder().unwrap();
            recorder.bind_pipeline(&pipelines[&key]);
            recorder.bind_descriptors(&set).unwrap();
            recorder
                .push_constants(0, &10_000_u32.to_ne_bytes())
                .unwrap();
            recorder.dispatch_base([key % 4, 0, 0], [1, 1, 1]).unwrap();
            let value = queue.submit(recorder, &[]).unwrap();
            queue.wait(value, None).unwrap();
            assert_eq!(words(&out)[key as usize % 4], 10_000 + key);
        }
        // Unspecialized, the default holds.
        let plain = pipeline(device, &module, "mark", &layout, &[]);
        let mut recorder = queue.recorder().unwrap();
        recorder.bind_pipeline(&plain);
        recorder.bind_descriptors(&set).unwrap();
        recorder.push_constants(0, &0_u32.to_ne_bytes()).unwrap();
        recorder.dispatch([1, 1, 1]).unwrap();
        queue
            .wait(queue.submit(recorder, &[]).unwrap(), None)
            .unwrap();
        assert_eq!(words(&out)[0], 7);

        let data = device.pipeline_cache_data().unwrap();
        device.add_pipeline_cache_data(&data).unwrap();
        device.add_pipeline_cache_data(&[]).unwrap();
    });
}

#[test]
fn broken_use_is_refused() {
    with_device(|device| {
        let pipeline_error = |words: &[u32]| {
            let result = device.create_shader_module(words);
            matches!(result, Err(Error::Pipeline(_)))
        };
        assert!(pipeline_error(&[]));
        assert!(pipeline_error(&[0x0302_2307, 0x0001_0300, 0, 9, 0]));
        let mut cut = mark();
        // The last store loses a word.
        cut.truncate(cut.len() - 3);
        assert!(pipeline_error(&cut));

        let limits = &device.capabilities().limits;
        let push = limits.max_push_constants + 4;
        let layout = device.create_pipeline_layout(&PipelineLayoutDesc {
            sets: vec![],
            push_constant_size: push,
        });
        assert!(matches!(layout, Err(Error::TooLarge { .. })));
        let binding = Binding {
            binding: 1,
            kind: BindingKind::Sampler,
        };
        let twice = device.create_pipeline_layout(&PipelineLayoutDesc {
            sets: vec![vec![binding, binding]],
            push_constant_size: 0,
        });
        assert!(matches!(twice, Err(Error::InvalidUse(_))));

        let module = device.create_shader_module(&mark()).unwrap();
        let layout = storage_layout(device, 1, 4);
        let marked = pipeline(device, &module, "mark", &layout, &[]);
        let out = device
            .create_buffer(4096, MemoryClass::DeviceLocal)
            .unwrap();
        let set = |offset, range| {
            let resource = Resource::Buffer {
                buffer: out.clone(),
                offset,
                range,
            };
            device
                .create_descriptor_set(&layout, 0, &[(0, resource)])
                .map(drop)
        };
        assert_eq!(set(0, 4096), Ok(()));
        assert!(matches!(set(0, 0), Err(Error::InvalidUse(_))));
        assert!(matches!(set(0, 4097), Err(Error::InvalidUse(_))));
        assert!(matches!(set(1, 16), Err(Error::InvalidUse(_))));
        assert!(device.create_descriptor_set(&layout, 1, &[]).is_err());
        assert!(device.create_descriptor_set(&layout, 0, &[]).is_err());
        let set = device
            .create_descriptor_set(&layout, 0, &[(0, whole(&out))])
            .unwrap();

        let queue = device.create_queue().unwrap();
        let mut recorder = queue.recorder().unwrap();
        assert!(recorder.dispatch([1; 3]).is_err());
        assert!(recorder.push_constants(0, &[0; 4]).is_err());
        assert!(recorder.bind_descriptors(&set).is_err());
        recorder.bind_pipeline(&marked);
        assert!(recorder.push_constants(0, &[0; 8]).is_err());
        assert!(recorder.push_constants(2, &[0; 2]).is_err());
        recorder.push_constants(0, &[0; 4]).unwrap();
        recorder.bind_descriptors(&set).unwrap();
        let most = limits.max_group_count[0];
        assert!(matches!(recorder.dispatch([most, 1, 1]), Ok(())));
        if let Some(more) = most.checked_add(1) {
            let result = recorder.dispatch([more, 1, 1]);
            assert!(matches!(result, Err(Error::TooLarge { .. })));
        }
        assert!(recorder.dispatch_base([most, 0, 0], [1; 3]).is_err());
        let other = device.create_queue().unwrap();
        assert!(matches!(
            other.submit(recorder, &[]),
            Err(Error::InvalidUse(_))
        ));
    });
}
