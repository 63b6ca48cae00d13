//! Modules that are refused, with the line that the build log gets.

use pumice_reflection::{
    BlockArgument, ByteString, DataDescriptor, DataPush, DescriptorArgument, HexBytes,
    ImageInfoPush, Instruction as I, KernelRef, LiteralSampler, Need, PrintfInfo, PushArgument,
    PushRange, Reflection, Relocation, RequiredWorkgroupSize, SpecId, WorkgroupArgument,
};
use pumice_runtime::executable::Executable;
use pumice_vulkan_layer::asm::class;
use pumice_vulkan_layer::caps::Limits;
use pumice_vulkan_layer::{Capabilities, Features};

use crate::kit::Draft;

/// A device with small limits; no Vulkan is needed to refuse a module.
fn caps() -> Capabilities {
    let features = Features {
        shader_int64: true,
        buffer_device_address: true,
        ..Features::default()
    };
    Capabilities {
        api_version: (1, 2, 0),
        limits: Limits {
            max_push_constants: 128,
            max_bound_sets: 4,
            max_storage_buffers: 4,
            max_uniform_buffers: 4,
            max_resources: 8,
            max_uniform_buffer_range: 65536,
            max_storage_buffer_range: 1 << 27,
            max_buffer: 1 << 30,
            ..Limits::default()
        },
        features,
        ..Capabilities::default()
    }
}

const K: KernelRef = KernelRef(0);

fn refused(instructions: Vec<I>) -> String {
    let mut d = Draft::new();
    d.kernel("k", 4, 0);
    d.m.end();
    for inst in instructions {
        d.push(inst);
    }
    Executable::new(&d.finish(), &caps()).map_or_else(|log| log, |_| "accepted".into())
}

/// Log of a kernel that uses a push-constant block of a word at an offset.
fn pushed_word(offset: u32) -> String {
    let mut d = Draft::new();
    let uint = d.m.uint(32);
    let block =
        d.m.block(class::PUSH_CONSTANT, &[(uint, 0), (uint, offset)]);
    d.kernel("k", 0, 0);
    d.member(class::PUSH_CONSTANT, uint, block, 0);
    d.m.end();
    Executable::new(&d.finish(), &caps()).map_or_else(|log| log, |_| "accepted".into())
}

/// A layout holds all of a block, also what reflection says nothing of.
#[test]
fn push_constant_blocks_beyond_the_limit() {
    assert_eq!(pushed_word(124), "accepted");
    let refusal = "error: kernel `k`: push constants up to 0+132 bytes, the device takes 128\n";
    assert_eq!(pushed_word(128), refusal);
}

fn descriptor(ordinal: u32, set: u32, binding: u32) -> DescriptorArgument {
    DescriptorArgument {
        kernel: K,
        ordinal,
        set,
        binding,
        info: None,
    }
}

fn block(ordinal: u32, offset: u32, size: u32) -> BlockArgument {
    BlockArgument {
        kernel: K,
        ordinal,
        set: 0,
        binding: 0,
        offset,
        size,
        info: None,
    }
}

fn push(ordinal: u32, offset: u32, size: u32) -> PushArgument {
    PushArgument {
        kernel: K,
        ordinal,
        offset,
        size,
        info: None,
    }
}

fn data(bytes: usize) -> DataPush {
    DataPush {
        offset: 0,
        size: 8,
        data: HexBytes(vec![0; bytes]),
    }
}

fn relocation(object_offset: u32, pointer_offset: u32, pointer_size: u32) -> I {
    I::ProgramScopeVariablePointerRelocation(Relocation {
        object_offset,
        pointer_offset,
        pointer_size,
    })
}

#[test]
fn contradictions_and_limits() {
    let printf = |id| {
        let format = ByteString(b"x".to_vec());
        I::PrintfInfo(PrintfInfo {
            id,
            format,
            argument_sizes: vec![],
        })
    };
    let required = |x| {
        I::PropertyRequiredWorkgroupSize(RequiredWorkgroupSize {
            kernel: K,
            x,
            y: 1,
            z: 1,
        })
    };
    let image_of = |offset, size| ImageInfoPush {
        kernel: K,
        ordinal: 0,
        offset,
        size,
    };
    let image = image_of(0, 4);
    for (instructions, expected) in [
        (
            vec![I::ArgumentStorageBuffer(descriptor(4, 0, 0))],
            "kernel `k` has no argument 4".to_string(),
        ),
        (
            vec![
                I::ArgumentStorageBuffer(descriptor(0, 0, 0)),
                I::ArgumentStorageBuffer(descriptor(0, 0, 1)),
            ],
            "argument 0 of kernel `k` is declared twice".into(),
        ),
        (
            vec![
                I::ArgumentStorageBuffer(descriptor(0, 0, 0)),
                I::ArgumentUniform(descriptor(1, 0, 0)),
            ],
            "kernel `k`: set 0 binding 0 has two uses".into(),
        ),
        (
            vec![
                I::ArgumentPodUniform(block(0, 0, 4)),
                I::ArgumentPodStorageBuffer(block(1, 4, 4)),
            ],
            "kernel `k`: set 0 binding 0 has two kinds".into(),
        ),
        (
            vec![
                I::ArgumentStorageBuffer(descriptor(0, 0, 0)),
                I::ArgumentPodUniform(block(1, 0, 4)),
            ],
            "kernel `k`: set 0 binding 0 has two uses".into(),
        ),
        (
            vec![I::ArgumentStorageBuffer(descriptor(0, 4, 0))],
            "kernel `k`: descriptor set 4, the device takes 4".into(),
        ),
        (
            vec![I::ArgumentStorageBuffer(descriptor(0, u32::MAX, 0))],
            "kernel `k`: descriptor set 4294967295, the device takes 4".into(),
        ),
        (
            vec![I::ArgumentPodUniform(block(0, 65533, 4))],
            "kernel `k`: argument 0 lies beyond 65536 bytes".into(),
        ),
        (
            vec![I::ArgumentPodUniform(block(0, u32::MAX, u32::MAX))],
            "kernel `k`: argument 0 lies beyond 65536 bytes".into(),
        ),
        (
            vec![I::ArgumentPodPushConstant(push(0, 125, 4))],
            "kernel `k`: push constants up to 125+4 bytes, the device takes 128".into(),
        ),
        (
            vec![I::ArgumentPodPushConstant(push(0, u32::MAX, 4))],
            "kernel `k`: push constants up to 4294967295+4 bytes, the device takes 128".into(),
        ),
        (
            vec![I::ArgumentPointerPushConstant(push(0, 0, 3))],
            "a pointer of 3 bytes".into(),
        ),
        (
            vec![I::PushConstantGlobalSize(PushRange {
                offset: 120,
                size: 12,
            })],
            "push constants up to 120+12 bytes, the device takes 128".into(),
        ),
        (
            vec![I::PushConstantGlobalSize(PushRange { offset: 0, size: 8 })],
            "PushConstantGlobalSize has 8 bytes, 12 or 24 are supported".into(),
        ),
        (
            vec![
                I::SpecConstantWorkDim(SpecId { id: 5 }),
                I::SpecConstantWorkDim(SpecId { id: 6 }),
            ],
            "the reflection has SpecConstantWorkDim twice".into(),
        ),
        (
            vec![I::ArgumentWorkgroup(WorkgroupArgument {
                kernel: K,
                ordinal: 0,
                spec_id: 3,
                elem_size: 0,
                info: None,
            })],
            "a local argument has elements of 0 bytes".into(),
        ),
        (
            vec![required(0)],
            "kernel `k` requires groups of size 0".into(),
        ),
        (
            vec![required(1), required(1)],
            "the reflection has PropertyRequiredWorkgroupSize twice".into(),
        ),
        (
            vec![printf(1), printf(1)],
            "PrintfInfo 1 is declared twice".into(),
        ),
        (
            vec![relocation(0, 0, 8)],
            "a pointer relocation without program-scope variables".into(),
        ),
        (
            vec![
                I::ProgramScopeVariablePointerPushConstant(data(15)),
                relocation(0, 8, 8),
            ],
            "a pointer relocation beyond the program-scope variables".into(),
        ),
        (
            vec![
                I::ProgramScopeVariablePointerPushConstant(data(16)),
                relocation(17, 8, 8),
            ],
            "a pointer relocation beyond the program-scope variables".into(),
        ),
        (
            vec![
                I::ProgramScopeVariablePointerPushConstant(data(16)),
                relocation(0, u32::MAX, 8),
            ],
            "a pointer relocation beyond the program-scope variables".into(),
        ),
        (
            vec![I::ConstantDataUniform(DataDescriptor {
                set: 0,
                binding: 0,
                data: HexBytes(vec![0; 65537]),
            })],
            "65537 bytes of constant data, the device takes 65536".into(),
        ),
        (
            vec![I::LiteralSampler(LiteralSampler {
                set: 0,
                binding: 0,
                mask: 0x31,
            })],
            "a literal sampler of mask 0x31".into(),
        ),
        (
            vec![
                I::ArgumentSampler(descriptor(0, 0, 0)),
                I::ImageArgumentInfoChannelOrderPushConstant(image),
            ],
            "kernel `k`: argument 0 has no ChannelOrder".into(),
        ),
        (
            vec![
                I::ArgumentSampledImage(descriptor(0, 0, 0)),
                I::NormalizedSamplerMaskPushConstant(image_of(0, 4)),
            ],
            "kernel `k`: argument 0 has no SamplerMask".into(),
        ),
        (
            vec![
                I::ArgumentSampledImage(descriptor(0, 0, 0)),
                I::ImageArgumentInfoChannelDataTypePushConstant(image_of(0, 3)),
            ],
            "ImageArgumentInfoChannelDataTypePushConstant has 3 bytes, 4 are supported".into(),
        ),
    ] {
        assert_eq!(
            refused(instructions.clone()),
            format!("error: {expected}\n"),
            "{instructions:?}"
        );
    }
    assert_eq!(
        refused(vec![I::ArgumentPodPushConstant(push(0, 124, 4))]),
        "accepted"
    );
}

#[test]
fn needs_of_the_module() {
    let with = |capability: u32, caps: &Capabilities| {
        let mut d = Draft::new();
        d.kernel("k", 0, 0);
        d.m.end();
        d.m.capability(capability);
        // Not through `finish`: what is declared here need not be valid for Vulkan 1.2.
        let words = pumice_reflection::embed(&d.m.finish(), &d.reflection).unwrap();
        Executable::new(&words, caps).map_or_else(|log| log, |_| "accepted".into())
    };
    let mut device = caps();
    assert_eq!(
        with(10, &device),
        "error: the module needs Float64, which the device lacks\n"
    );
    device.features.shader_float64 = true;
    assert_eq!(with(10, &device), "accepted");
    assert_eq!(
        with(6, &device),
        "error: the module has capability Kernel: it is not Vulkan SPIR-V\n"
    );
    assert_eq!(
        with(4422, &device),
        "error: the module declares capability 4422, which is not supported\n"
    );

    let mut d = Draft::new();
    d.kernel("k", 0, 0);
    d.m.end();
    let mut words = d.finish();
    words[1] = 0x0001_0600;
    let log = Executable::new(&words, &device).unwrap_err();
    assert_eq!(
        log,
        "error: the module is SPIR-V 1.6, the device takes up to 1.5\n"
    );
    device.api_version = (1, 3, 0);
    assert!(Executable::new(&words, &device).is_ok());
}

#[test]
fn kernels_that_contradict_each_other() {
    let mut d = Draft::new();
    d.kernel("k", 4097, 0);
    d.m.end();
    let log = Executable::new(&d.finish(), &caps()).unwrap_err();
    assert_eq!(log, "error: kernel `k` has 4097 arguments\n");

    let mut d = Draft::new();
    let function = d.m.begin("k");
    d.m.mode(function, 17, &[1, 1, 1]);
    d.m.end();
    d.declare(function, "k", 0, 0);
    d.declare(function, "k", 0, 0);
    let log = Executable::new(&d.finish(), &caps()).unwrap_err();
    assert_eq!(log, "error: kernel `k` is declared twice\n");

    let without = Executable::new(&Draft::new().m.finish(), &caps()).unwrap_err();
    assert_eq!(
        without,
        "error: the module has no NonSemantic.ClspvReflection import\n"
    );
    assert!(Executable::new(&[], &caps()).is_err());
}

/// Words changed at random: refused or accepted, never a panic.
#[test]
fn mutated_modules() {
    let mut d = Draft::with_addresses();
    let kernel = d.kernel("k", 4, 1);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    for inst in [
        I::ArgumentPodUniform(BlockArgument {
            binding: 1,
            ..block(1, 0, 4)
        }),
        I::ArgumentPointerPushConstant(push(2, 8, 8)),
        I::ArgumentWorkgroup(WorkgroupArgument {
            kernel,
            ordinal: 3,
            spec_id: 3,
            elem_size: 4,
            info: None,
        }),
        I::PushConstantRegionOffset(PushRange {
            offset: 16,
            size: 24,
        }),
        I::ProgramScopeVariablePointerPushConstant(data(32)),
        relocation(0, 8, 8),
    ] {
        d.push(inst);
    }
    let original = d.finish();
    let accepted = |words: &[u32]| Executable::new(words, &caps()).is_ok();
    assert!(
        accepted(&original),
        "{:?}",
        Executable::new(&original, &caps())
    );
    let mut state = 0x0dd0_5678_9abc_def1_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut counts = [0; 2];
    for _ in 0..20_000 {
        let mut words = original.clone();
        for _ in 0..=random(2) {
            let at = random(words.len());
            match random(4) {
                0 => words[at] = random(usize::MAX) as u32,
                1 => words[at] ^= 1 << random(32),
                2 => words[at] = random(32) as u32,
                _ => words[at] = words[random(words.len())],
            }
        }
        counts[usize::from(accepted(&words))] += 1;
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    assert_eq!(Reflection::default().revision, 0);
}

/// Kernels of device-side enqueue that contradict each other or their arguments.
#[test]
fn device_side_enqueue() {
    let refused = |needs: &[Need]| {
        let mut d = Draft::new();
        d.kernel("k", 1, 0);
        d.m.end();
        d.push(I::ArgumentPointerPushConstant(PushArgument {
            kernel: K,
            ordinal: 0,
            offset: 0,
            size: 8,
            info: None,
        }));
        d.reflection.needs.extend(needs);
        Executable::new(&d.finish(), &caps()).map_or_else(|log| log, |_| "accepted".into())
    };
    let launch = Need::DeviceLaunch {
        kernel: K,
        ordinal: 0,
    };
    let block = |number| Need::Block {
        kernel: K,
        number,
        captured: 8,
    };
    let scheduler = Need::Scheduler {
        kernel: K,
        times: 0,
    };
    let queue = Need::QueueArgument {
        kernel: K,
        ordinal: 0,
    };
    let fits_not = |name: &str| format!("error: kernel `k`: {name} does not fit it\n");
    assert_eq!(refused(&[launch, scheduler]), "accepted");
    assert_eq!(refused(&[launch, launch]), fits_not("DeviceLaunch"));
    assert_eq!(refused(&[launch, block(0), block(0)]), fits_not("Block"));
    assert_eq!(
        refused(&[launch, block(0), scheduler]),
        fits_not("Scheduler")
    );
    assert_eq!(refused(&[queue]), fits_not("QueueArgument"));
    let cannot = "error: kernel `k` cannot be enqueued\n";
    assert_eq!(refused(&[block(0)]), cannot);
    let numbers = "error: the blocks are not numbered from 0 on\n";
    assert_eq!(refused(&[launch, block(1)]), numbers);
    let none = "error: a kernel enqueues, and there is no scheduler\n";
    assert_eq!(refused(&[launch]), none);
    assert_eq!(refused(&[launch, block(0)]), none);
    // A node has no memory among its arguments, and there is a scheduler's where there is one.
    let node = |part| Need::GraphNode { kernel: K, part };
    assert_eq!(refused(&[launch, node(0)]), cannot);
    assert_eq!(refused(&[node(0), node(1)]), fits_not("GraphNode"));
    assert_eq!(
        refused(&[launch, scheduler, node(1)]),
        fits_not("GraphNode")
    );
}

/// Levels of images and facts about images and samplers that do not suit the arguments.
#[test]
fn mip_levels() {
    let refused = |need: Need| {
        let mut d = Draft::new();
        d.kernel("k", 2, 0);
        d.m.end();
        d.push(I::ArgumentStorageImage(descriptor(0, 0, 0)));
        d.push(I::ArgumentSampler(descriptor(1, 0, 1)));
        d.reflection.needs.push(need);
        let mut caps = caps();
        (caps.limits.max_storage_images, caps.limits.max_samplers) = (4, 4);
        Executable::new(&d.finish(), &caps).map_or_else(|log| log, |_| "accepted".into())
    };
    let level = |ordinal, level, binding| Need::ImageLevel {
        kernel: K,
        ordinal,
        level,
        set: 0,
        binding,
    };
    let fact = |ordinal, fact| Need::HandleFactPushConstant {
        kernel: K,
        ordinal,
        fact,
        offset: 0,
    };
    for (need, expected) in [
        (level(0, 1, 2), "accepted"),
        (level(0, 0, 2), "error: argument 0 has no level 0\n"),
        (level(0, 16, 2), "error: argument 0 has no level 16\n"),
        (level(1, 1, 2), "error: argument 1 is no storage image\n"),
        (
            level(0, 1, 0),
            "error: kernel `k`: set 0 binding 0 has two uses\n",
        ),
        (fact(0, 0), "accepted"),
        (fact(1, 2), "accepted"),
        (
            fact(0, 1),
            "error: kernel `k`: argument 0 has no Fact(LodMin)\n",
        ),
        (
            fact(1, 0),
            "error: kernel `k`: argument 1 has no Fact(Levels)\n",
        ),
        (
            fact(1, 6),
            "error: kernel `k`: argument 1 has no Fact(Samples)\n",
        ),
        (
            fact(1, 7),
            "error: there is no fact 7 about images and samplers\n",
        ),
    ] {
        assert_eq!(refused(need), expected, "{need:?}");
    }
}
