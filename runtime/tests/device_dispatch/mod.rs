//! A dispatch made from the reflection alone, sharing no code with the runtime's.
#![allow(dead_code, reason = "each test uses a part")]

mod images;

use std::collections::BTreeMap;

use pumice_compiler::Target;
use pumice_compiler::target::Arithmetic;
use pumice_filetests::skip::skip;
use pumice_interp::{Arg, Inputs, NdRange, Output};
use pumice_reflection::{Instruction, KernelRef, Reflection};
use pumice_vulkan_layer::{
    Binding, BindingKind, Buffer, Instance, InstanceConfig, LogicalDevice, MemoryClass,
    PipelineDesc, PipelineLayoutDesc, Queue, Recorder, Resource, quirks,
};

/// The target with what the driver at hand needs. Local memory is the device's own: buffers for it are the runtime's work.
pub fn for_driver(device: &LogicalDevice, target: Target) -> Target {
    Target {
        quirks: quirks::kinds(&device.capabilities().driver)
            .without(quirks::QuirkKind::LocalMemoryInBuffers),
        arithmetic: Arithmetic {
            exact_fma_f32: device.probes().arithmetic.exact_fma_f32,
            ..target.arithmetic
        },
        ..target
    }
}

/// Bytes of the argument blocks and everything else that a dispatch needs.
struct Dispatch {
    push: Vec<u8>,
    /// Blocks by set and binding.
    blocks: BTreeMap<(u32, u32), (BindingKind, Vec<u8>)>,
    /// Buffers, or ranges of them, by set and binding.
    bound: BTreeMap<(u32, u32), (BindingKind, Resource)>,
    spec: Vec<(u32, u32)>,
    keep: Vec<Buffer>,
    printf: Option<Buffer>,
}

fn put(block: &mut Vec<u8>, offset: u32, bytes: &[u8]) {
    let end = offset as usize + bytes.len();
    if block.len() < end {
        block.resize(end, 0);
    }
    block[offset as usize..end].copy_from_slice(bytes);
}

fn triple64(values: [u64; 3]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn triple32(values: [u64; 3]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|v| (*v as u32).to_le_bytes())
        .collect()
}

/// As wide as the module takes them.
fn triple(values: [u64; 3], size: u32) -> Vec<u8> {
    match size {
        12 => triple32(values),
        _ => triple64(values),
    }
}

fn whole(buffer: Buffer) -> Resource {
    let range = buffer.size();
    Resource::Buffer {
        buffer,
        offset: 0,
        range,
    }
}

/// A buffer with these bytes.
pub fn create(device: &LogicalDevice, bytes: &[u8]) -> Buffer {
    // Whole words: devices may have no narrower accesses.
    let size = bytes.len().max(4).next_multiple_of(4);
    let buffer = device
        .create_buffer(size as u64, MemoryClass::HostVisibleDevice)
        .expect("buffer");
    buffer.write(0, bytes).expect("write");
    buffer
}

fn argument_bytes(arg: &Arg, buffers: &[Buffer], size: u32) -> Vec<u8> {
    let mut bytes = match arg {
        Arg::Bytes(bytes) => bytes.clone(),
        Arg::Buffer { index, offset } => {
            (buffers[*index].address() + offset).to_le_bytes().to_vec()
        }
        Arg::Null => vec![0; 8],
        Arg::Local(_) => Vec::new(),
        Arg::Queue(_) => panic!("a dispatch alone has no device queues"),
        Arg::Image(_) | Arg::Sampler(_) => panic!("images and samplers are no bytes"),
    };
    bytes.truncate(size as usize);
    bytes
}

fn prepare(
    device: &LogicalDevice,
    reflection: &Reflection,
    kernel: &str,
    inputs: &Inputs,
    range: &NdRange,
    buffers: &[Buffer],
) -> Dispatch {
    let mut d = Dispatch {
        push: Vec::new(),
        blocks: BTreeMap::new(),
        bound: BTreeMap::new(),
        spec: Vec::new(),
        keep: Vec::new(),
        printf: None,
    };
    let groups = [0, 1, 2].map(|i| range.global[i] / range.local[i]);
    let number = reflection.kernels().position(|k| k.name == kernel);
    let number = KernelRef(number.expect("the kernel is there") as u32);
    let others = |inst: &Instruction| match inst {
        Instruction::ArgumentWorkgroup(a) => a.kernel != number,
        Instruction::ArgumentPodPushConstant(a) | Instruction::ArgumentPointerPushConstant(a) => {
            a.kernel != number
        }
        Instruction::ArgumentPodUniform(a)
        | Instruction::ArgumentPointerUniform(a)
        | Instruction::ArgumentPodStorageBuffer(a) => a.kernel != number,
        Instruction::ArgumentStorageBuffer(a) | Instruction::ArgumentUniform(a) => {
            a.kernel != number
        }
        _ => false,
    };
    for inst in &reflection.instructions {
        if others(inst) {
            continue;
        }
        match inst {
            Instruction::SpecConstantWorkgroupSize(ids) => {
                for (id, size) in [ids.x, ids.y, ids.z].into_iter().zip(range.local) {
                    d.spec.push((id, size as u32));
                }
            }
            Instruction::SpecConstantWorkDim(id) => d.spec.push((id.id, range.work_dim)),
            Instruction::ArgumentWorkgroup(a) => {
                let Arg::Local(size) = inputs.args[a.ordinal as usize] else {
                    panic!("argument {} is local", a.ordinal);
                };
                d.spec.push((a.spec_id, size as u32 / a.elem_size));
            }
            Instruction::ArgumentPodPushConstant(a)
            | Instruction::ArgumentPointerPushConstant(a) => {
                let bytes = argument_bytes(&inputs.args[a.ordinal as usize], buffers, a.size);
                put(&mut d.push, a.offset, &bytes);
            }
            Instruction::ArgumentPodUniform(a)
            | Instruction::ArgumentPointerUniform(a)
            | Instruction::ArgumentPodStorageBuffer(a) => {
                let kind = match inst {
                    Instruction::ArgumentPodStorageBuffer(_) => BindingKind::StorageBuffer,
                    _ => BindingKind::UniformBuffer,
                };
                let bytes = argument_bytes(&inputs.args[a.ordinal as usize], buffers, a.size);
                let block = d.blocks.entry((a.set, a.binding));
                put(&mut block.or_insert((kind, Vec::new())).1, a.offset, &bytes);
            }
            Instruction::ArgumentStorageBuffer(a) | Instruction::ArgumentUniform(a) => {
                let kind = match inst {
                    Instruction::ArgumentStorageBuffer(_) => BindingKind::StorageBuffer,
                    _ => BindingKind::UniformBuffer,
                };
                let resource = match inputs.args[a.ordinal as usize] {
                    Arg::Buffer { index, offset } => Resource::Buffer {
                        buffer: buffers[index].clone(),
                        offset,
                        range: buffers[index].size() - offset,
                    },
                    Arg::Null => Resource::Buffer {
                        buffer: create(device, &[0; 4]),
                        offset: 0,
                        range: 1,
                    },
                    ref other => panic!("argument {} is a buffer: {other:?}", a.ordinal),
                };
                d.bound.insert((a.set, a.binding), (kind, resource));
            }
            Instruction::ConstantDataStorageBuffer(data)
            | Instruction::ConstantDataUniform(data)
            | Instruction::ProgramScopeVariablesStorageBuffer(data) => {
                let kind = match inst {
                    Instruction::ConstantDataUniform(_) => BindingKind::UniformBuffer,
                    _ => BindingKind::StorageBuffer,
                };
                d.blocks
                    .insert((data.set, data.binding), (kind, data.data.0.clone()));
            }
            Instruction::PrintfBufferStorageBuffer(p) => {
                let buffer = create(device, &vec![0; p.size as usize]);
                let kind = BindingKind::StorageBuffer;
                d.bound
                    .insert((p.set, p.binding), (kind, whole(buffer.clone())));
                d.printf = Some(buffer);
            }
            Instruction::SpecConstantGlobalOffset(ids) => {
                for (id, offset) in [ids.x, ids.y, ids.z].into_iter().zip(range.offset) {
                    d.spec.push((id, offset as u32));
                }
            }
            Instruction::PushConstantRegionOffset(r) | Instruction::PushConstantGlobalOffset(r) => {
                put(&mut d.push, r.offset, &triple(range.offset, r.size));
            }
            Instruction::PushConstantGlobalSize(r) => {
                put(&mut d.push, r.offset, &triple(range.global, r.size));
            }
            Instruction::PushConstantEnqueuedLocalSize(r) => {
                put(&mut d.push, r.offset, &triple32(range.local));
            }
            Instruction::PushConstantNumWorkgroups(r) => {
                put(&mut d.push, r.offset, &triple32(groups));
            }
            Instruction::PushConstantRegionGroupOffset(r) => {
                put(&mut d.push, r.offset, &triple32([0; 3]));
            }
            Instruction::ProgramScopeVariablePointerPushConstant(data)
            | Instruction::ConstantDataPointerPushConstant(data) => {
                let mut bytes = data.data.0.clone();
                let buffer = create(device, &bytes);
                for inst in &reflection.instructions {
                    if let Instruction::ProgramScopeVariablePointerRelocation(r) = inst {
                        let address = buffer.address() + u64::from(r.object_offset);
                        put(&mut bytes, r.pointer_offset, &address.to_le_bytes());
                    }
                }
                buffer.write(0, &bytes).expect("write");
                put(&mut d.push, data.offset, &buffer.address().to_le_bytes());
                d.keep.push(buffer);
            }
            Instruction::PrintfBufferPointerPushConstant(p) => {
                let buffer = create(device, &vec![0; p.buffer_size as usize]);
                put(&mut d.push, p.offset, &buffer.address().to_le_bytes());
                d.printf = Some(buffer);
            }
            _ => {}
        }
    }
    d
}

/// The push constants of a kernel all of whose arguments are there, and its specialization.
pub fn arguments(
    device: &LogicalDevice,
    words: &[u32],
    kernel: &str,
    inputs: &Inputs,
    range: &NdRange,
    buffers: &[Buffer],
) -> (Vec<u8>, Vec<(u32, u32)>) {
    let reflection = pumice_reflection::read(words).expect("reflection is well-formed");
    let mut d = prepare(device, &reflection, kernel, inputs, range, buffers);
    assert!(d.blocks.is_empty() && d.bound.is_empty() && d.keep.is_empty());
    d.push.resize(d.push.len().next_multiple_of(4), 0);
    (d.push, d.spec)
}

/// Runs a kernel; gives the buffers afterwards and the start of the printf buffer.
pub fn dispatch(
    device: &LogicalDevice,
    words: &[u32],
    kernel: &str,
    inputs: &Inputs,
    range: &NdRange,
) -> (Output, Vec<u8>) {
    let reflection = pumice_reflection::read(words).expect("reflection is well-formed");
    let buffers: Vec<Buffer> = inputs.buffers.iter().map(|b| create(device, b)).collect();
    let mut d = prepare(device, &reflection, kernel, inputs, range, &buffers);
    let handles = images::make(device, &inputs.args, &buffers);
    let number = reflection.kernels().position(|k| k.name == kernel);
    let number = KernelRef(number.expect("the kernel is there") as u32);
    images::bind(device, &reflection, number, &handles, &mut d);
    let module = device.create_shader_module(words).expect("module");
    let mut bound = d.bound;
    for (place, (kind, mut bytes)) in d.blocks {
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        bound.insert(place, (kind, whole(create(device, &bytes))));
    }
    let count = bound.keys().map(|(set, _)| set + 1).max().unwrap_or(0);
    let mut sets = vec![Vec::new(); count as usize];
    let mut resources = vec![Vec::new(); count as usize];
    for ((set, binding), (kind, resource)) in bound {
        sets[set as usize].push(Binding { binding, kind });
        resources[set as usize].push((binding, resource));
    }
    let layout = device
        .create_pipeline_layout(&PipelineLayoutDesc {
            sets,
            push_constant_size: d.push.len().next_multiple_of(4) as u32,
        })
        .expect("layout");
    let pipeline = device
        .create_pipeline(&PipelineDesc {
            module: &module,
            entry: kernel,
            layout: &layout,
            specialization: &d.spec,
            dispatch_base: false,
            subgroup_size: None,
            full_subgroups: false,
        })
        .expect("pipeline");
    let queue = device.create_queue().expect("queue");
    run(&queue, |recorder| images::upload(recorder, &handles));
    let mut recorder = queue.recorder().expect("recorder");
    recorder.bind_pipeline(&pipeline);
    for (index, resources) in resources.iter().enumerate() {
        if !resources.is_empty() {
            let set = device
                .create_descriptor_set(&layout, index as u32, resources)
                .expect("set");
            recorder.bind_descriptors(&set).expect("bind");
        }
    }
    if !d.push.is_empty() {
        recorder.push_constants(0, &d.push).expect("push");
    }
    recorder.keep((buffers.clone(), d.keep, d.printf.clone()));
    let groups = [0, 1, 2].map(|i| (range.global[i] / range.local[i]) as u32);
    recorder.dispatch(groups).expect("dispatch");
    let value = queue.submit(recorder, &[]).expect("submit");
    assert!(queue.wait(value, None).expect("wait"));
    run(&queue, |recorder| images::download(recorder, &handles));
    let read = |buffer: &Buffer, size: usize| {
        let mut bytes = vec![0; size];
        buffer.read(0, &mut bytes).expect("read");
        bytes
    };
    let output = Output {
        buffers: buffers
            .iter()
            .zip(&inputs.buffers)
            .map(|(b, i)| read(b, i.len()))
            .collect(),
        ..Output::default()
    };
    (output, d.printf.map_or(Vec::new(), |b| read(&b, 64)))
}

/// Records commands, and waits for their end.
fn run(queue: &Queue, record: impl FnOnce(&mut Recorder)) {
    let mut recorder = queue.recorder().expect("recorder");
    record(&mut recorder);
    let value = queue.submit(recorder, &[]).expect("submit");
    assert!(queue.wait(value, None).expect("wait"));
}

/// The machine's first device, if it has one, under the validation layer where it is installed.
pub struct TestDevice {
    instance: Instance,
    device: LogicalDevice,
}

impl std::ops::Deref for TestDevice {
    type Target = LogicalDevice;

    fn deref(&self) -> &LogicalDevice {
        &self.device
    }
}

impl Drop for TestDevice {
    fn drop(&mut self) {
        let mut messages = self.instance.validation_messages();
        // A layer that is older than the driver does not know all of its extensions.
        messages.retain(|message| {
            !message.contains("unknown VkStructureType")
                && !message.contains("is not supported by this layer")
        });
        if !std::thread::panicking() {
            assert!(messages.is_empty(), "{messages:#?}");
        }
    }
}

/// Opens the device; skips the test where there is none.
pub fn device() -> Option<TestDevice> {
    let mut config = InstanceConfig {
        // Off where the driver is newer than the layer: it reports what it does not know.
        validation: std::env::var_os("PUMICE_TEST_WITHOUT_VALIDATION").is_none(),
        ..InstanceConfig::default()
    };
    let mut instance = Instance::load(&config);
    if instance.is_err() {
        config.validation = false;
        instance = Instance::load(&config);
    }
    let instance = match instance {
        Ok(instance) => instance,
        Err(e) => {
            skip(&e.to_string());
            return None;
        }
    };
    let Some(physical) = instance.devices().first() else {
        skip("no Vulkan device above the floor");
        return None;
    };
    let device = physical.open().expect("device opens");
    Some(TestDevice { instance, device })
}
