//! The instructions of the set, written from the specification.

use crate::common::Arg::{self, C, Function, Info, Kernel as K, S, Variable};
use crate::common::{FUNCTION, VARIABLE};
use pumice_reflection::{
    ArgumentInfo, BlockArgument, ByteString, DataDescriptor, DataPush, DescriptorArgument,
    FunctionId, HexBytes, ImageInfoPush, ImageInfoUniform, InfoRef, Instruction, Kernel,
    KernelProperties, KernelRef, LiteralSampler, PrintfBufferDescriptor, PrintfBufferPush,
    PrintfInfo, PushArgument, PushRange, Relocation, RequiredWorkgroupSize, SpecId, SpecIds3,
    VariableId, WorkgroupArgument, WorkgroupVariableSize,
};

const KERNEL: KernelRef = KernelRef(0);
pub(crate) const INFO: Option<InfoRef> = Some(InfoRef(0));

pub(crate) fn descriptor(info: Option<InfoRef>) -> DescriptorArgument {
    DescriptorArgument {
        kernel: KERNEL,
        ordinal: 0,
        set: 11,
        binding: 12,
        info,
    }
}

fn block(info: Option<InfoRef>) -> BlockArgument {
    BlockArgument {
        kernel: KERNEL,
        ordinal: 0,
        set: 11,
        binding: 12,
        offset: 13,
        size: 14,
        info,
    }
}

fn push_argument(info: Option<InfoRef>) -> PushArgument {
    PushArgument {
        kernel: KERNEL,
        ordinal: 0,
        offset: 13,
        size: 14,
        info,
    }
}

fn range() -> PushRange {
    PushRange {
        offset: 16,
        size: 12,
    }
}

fn data() -> DataDescriptor {
    DataDescriptor {
        set: 1,
        binding: 2,
        data: HexBytes(vec![0x00, 0x7f, 0xab, 0xff]),
    }
}

fn data_push() -> DataPush {
    DataPush {
        offset: 8,
        size: 8,
        data: HexBytes(vec![1, 0x20]),
    }
}

fn image_push() -> ImageInfoPush {
    ImageInfoPush {
        kernel: KERNEL,
        ordinal: 0,
        offset: 13,
        size: 4,
    }
}

fn image_uniform() -> ImageInfoUniform {
    ImageInfoUniform {
        kernel: KERNEL,
        ordinal: 0,
        set: 11,
        binding: 12,
        offset: 13,
        size: 4,
    }
}

/// Number, first revision, operands as the specification lists them, and the model.
pub(crate) fn table() -> Vec<(u32, u32, Vec<Arg>, Instruction)> {
    use Instruction as I;
    let six = || vec![K, C(0), C(11), C(12), C(13), C(14)];
    let rows = vec![
        (
            1,
            1,
            vec![
                Function,
                S("k"),
                C(1),
                C(1),
                S("reqd_work_group_size(1,1,1)"),
            ],
            I::Kernel(Kernel {
                function: FunctionId(FUNCTION),
                name: "k".into(),
                properties: Some(KernelProperties {
                    num_arguments: 1,
                    flags: 1,
                    attributes: "reqd_work_group_size(1,1,1)".into(),
                }),
            }),
        ),
        (
            2,
            1,
            vec![S("a"), S("int*"), C(0x119B), C(0x11A3), C(4)],
            I::ArgumentInfo(ArgumentInfo {
                name: "a".into(),
                type_name: Some("int*".into()),
                address_qualifier: Some(0x119B),
                access_qualifier: Some(0x11A3),
                type_qualifier: Some(4),
            }),
        ),
        (
            2,
            1,
            vec![S("a"), S("int*"), C(0x119B), C(0x11A3)],
            I::ArgumentInfo(ArgumentInfo {
                name: "a".into(),
                type_name: Some("int*".into()),
                address_qualifier: Some(0x119B),
                access_qualifier: Some(0x11A3),
                type_qualifier: None,
            }),
        ),
        (
            2,
            1,
            vec![S("ä")],
            I::ArgumentInfo(ArgumentInfo {
                name: "ä".into(),
                type_name: None,
                address_qualifier: None,
                access_qualifier: None,
                type_qualifier: None,
            }),
        ),
        (
            3,
            1,
            vec![K, C(0), C(11), C(12)],
            I::ArgumentStorageBuffer(descriptor(None)),
        ),
        (
            3,
            1,
            vec![K, C(0), C(11), C(12), Info],
            I::ArgumentStorageBuffer(descriptor(INFO)),
        ),
        (
            4,
            1,
            vec![K, C(0), C(11), C(12)],
            I::ArgumentUniform(descriptor(None)),
        ),
        (5, 1, six(), I::ArgumentPodStorageBuffer(block(None))),
        (
            6,
            1,
            [six(), vec![Info]].concat(),
            I::ArgumentPodUniform(block(INFO)),
        ),
        (
            7,
            1,
            vec![K, C(0), C(13), C(14)],
            I::ArgumentPodPushConstant(push_argument(None)),
        ),
        (
            8,
            1,
            vec![K, C(0), C(11), C(12)],
            I::ArgumentSampledImage(descriptor(None)),
        ),
        (
            9,
            1,
            vec![K, C(0), C(11), C(12)],
            I::ArgumentStorageImage(descriptor(None)),
        ),
        (
            10,
            1,
            vec![K, C(0), C(11), C(12)],
            I::ArgumentSampler(descriptor(None)),
        ),
        (
            11,
            1,
            vec![K, C(0), C(3), C(4), Info],
            I::ArgumentWorkgroup(WorkgroupArgument {
                kernel: KERNEL,
                ordinal: 0,
                spec_id: 3,
                elem_size: 4,
                info: INFO,
            }),
        ),
        (
            12,
            1,
            vec![C(0), C(1), C(2)],
            I::SpecConstantWorkgroupSize(SpecIds3 { x: 0, y: 1, z: 2 }),
        ),
        (
            13,
            1,
            vec![C(3), C(4), C(5)],
            I::SpecConstantGlobalOffset(SpecIds3 { x: 3, y: 4, z: 5 }),
        ),
        (14, 1, vec![C(6)], I::SpecConstantWorkDim(SpecId { id: 6 })),
        (
            15,
            1,
            vec![C(16), C(12)],
            I::PushConstantGlobalOffset(range()),
        ),
        (
            16,
            1,
            vec![C(16), C(12)],
            I::PushConstantEnqueuedLocalSize(range()),
        ),
        (
            17,
            1,
            vec![C(16), C(12)],
            I::PushConstantGlobalSize(range()),
        ),
        (
            18,
            1,
            vec![C(16), C(12)],
            I::PushConstantRegionOffset(range()),
        ),
        (
            19,
            1,
            vec![C(16), C(12)],
            I::PushConstantNumWorkgroups(range()),
        ),
        (
            20,
            1,
            vec![C(16), C(12)],
            I::PushConstantRegionGroupOffset(range()),
        ),
        (
            21,
            1,
            vec![C(1), C(2), S("007fabff")],
            I::ConstantDataStorageBuffer(data()),
        ),
        (
            22,
            1,
            vec![C(1), C(2), S("007fabff")],
            I::ConstantDataUniform(data()),
        ),
        (
            23,
            1,
            vec![C(1), C(2), C(18)],
            I::LiteralSampler(LiteralSampler {
                set: 1,
                binding: 2,
                mask: 18,
            }),
        ),
        (
            24,
            1,
            vec![K, C(8), C(4), C(2)],
            I::PropertyRequiredWorkgroupSize(RequiredWorkgroupSize {
                kernel: KERNEL,
                x: 8,
                y: 4,
                z: 2,
            }),
        ),
        (
            25,
            2,
            vec![C(7)],
            I::SpecConstantSubgroupMaxSize(SpecId { id: 7 }),
        ),
        (
            26,
            3,
            vec![K, C(0), C(13), C(14)],
            I::ArgumentPointerPushConstant(push_argument(None)),
        ),
        (27, 3, six(), I::ArgumentPointerUniform(block(None))),
        (
            28,
            3,
            vec![C(1), C(2), S("007fabff")],
            I::ProgramScopeVariablesStorageBuffer(data()),
        ),
        (
            29,
            3,
            vec![C(16), C(24), C(8)],
            I::ProgramScopeVariablePointerRelocation(Relocation {
                object_offset: 16,
                pointer_offset: 24,
                pointer_size: 8,
            }),
        ),
        (
            30,
            3,
            vec![K, C(0), C(13), C(4)],
            I::ImageArgumentInfoChannelOrderPushConstant(image_push()),
        ),
        (
            31,
            3,
            vec![K, C(0), C(13), C(4)],
            I::ImageArgumentInfoChannelDataTypePushConstant(image_push()),
        ),
        (
            32,
            3,
            vec![K, C(0), C(11), C(12), C(13), C(4)],
            I::ImageArgumentInfoChannelOrderUniform(image_uniform()),
        ),
        (
            33,
            3,
            vec![K, C(0), C(11), C(12), C(13), C(4)],
            I::ImageArgumentInfoChannelDataTypeUniform(image_uniform()),
        ),
        (
            34,
            4,
            vec![K, C(0), C(11), C(12), Info],
            I::ArgumentStorageTexelBuffer(descriptor(INFO)),
        ),
        (
            35,
            4,
            vec![K, C(0), C(11), C(12)],
            I::ArgumentUniformTexelBuffer(descriptor(None)),
        ),
        (
            36,
            5,
            vec![C(8), C(8), S("0120")],
            I::ConstantDataPointerPushConstant(data_push()),
        ),
        (
            37,
            5,
            vec![C(8), C(8), S("0120")],
            I::ProgramScopeVariablePointerPushConstant(data_push()),
        ),
        (
            38,
            5,
            vec![C(0), S("%d %s\n"), C(4), C(4)],
            I::PrintfInfo(PrintfInfo {
                id: 0,
                format: ByteString(b"%d %s\n".to_vec()),
                argument_sizes: vec![4, 4],
            }),
        ),
        (
            38,
            5,
            vec![C(1), S("")],
            I::PrintfInfo(PrintfInfo {
                id: 1,
                format: ByteString(Vec::new()),
                argument_sizes: Vec::new(),
            }),
        ),
        (
            39,
            5,
            vec![C(1), C(2), C(4096)],
            I::PrintfBufferStorageBuffer(PrintfBufferDescriptor {
                set: 1,
                binding: 2,
                size: 4096,
            }),
        ),
        (
            40,
            5,
            vec![C(8), C(8), C(4096)],
            I::PrintfBufferPointerPushConstant(PrintfBufferPush {
                offset: 8,
                size: 8,
                buffer_size: 4096,
            }),
        ),
        (
            41,
            6,
            vec![K, C(0), C(13), C(4)],
            I::NormalizedSamplerMaskPushConstant(image_push()),
        ),
        (
            42,
            7,
            vec![Variable, C(16)],
            I::WorkgroupVariableSize(WorkgroupVariableSize {
                variable: VariableId(VARIABLE),
                size: 16,
            }),
        ),
    ];
    rows
}
