//! The model: THE list of reflection instructions, and the payloads that they share.

use crate::address_delta::AddressDelta;
use crate::check::CheckSite;
use crate::error::{ReadError, WriteError};
use crate::needs::Need;
use crate::operand::{
    ByteString, FunctionId, HexBytes, InfoRef, KernelRef, Operand, Sink, Source, VariableId,
};
use crate::promise::Promise;
use crate::roles::KernelRole;
use crate::termination_flag::TerminationFlag;

/// Bit of [`KernelProperties::flags`]: the kernel may call printf.
pub const MAY_USE_PRINTF: u32 = 1 << 0;

/// A payload: named fields in operand order.
macro_rules! payloads {
    ($(
        $(#[$meta:meta])*
        $name:ident { $( $(#[$field_meta:meta])* $field:ident : $ty:ty = $operand:literal, )* }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name { $( $(#[$field_meta])* pub $field: $ty, )* }

        impl $name {
            fn decode(source: &mut Source<'_>) -> Result<Self, ReadError> {
                Ok(Self { $( $field: <$ty as Operand>::decode(source, $operand)?, )* })
            }

            fn encode(&self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
                $( self.$field.encode(sink, $operand)?; )*
                Ok(())
            }
        }
    )* };
}

payloads! {
    /// A shader entry point that is a kernel.
    Kernel {
        /// The OpFunction, a GLCompute entry point.
        function: FunctionId = "Kernel",
        /// The entry point's name.
        name: String = "Name",
        /// The operands that came with revision 5; `None` below it.
        properties: Option<KernelProperties> = "NumArguments",
    }
    /// Answers of clGetKernelArgInfo; an absent operand means "not available".
    ArgumentInfo {
        /// The argument's name.
        name: String = "Name",
        /// The argument's type as written.
        type_name: Option<String> = "TypeName",
        /// CL_KERNEL_ARG_ADDRESS_* value.
        address_qualifier: Option<u32> = "AddressQualifier",
        /// CL_KERNEL_ARG_ACCESS_* value.
        access_qualifier: Option<u32> = "AccessQualifier",
        /// CL_KERNEL_ARG_TYPE_* bits.
        type_qualifier: Option<u32> = "TypeQualifier",
    }
    /// An argument that is a descriptor of its own.
    DescriptorArgument {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Zero-based argument ordinal.
        ordinal: u32 = "Ordinal",
        /// Descriptor set.
        set: u32 = "DescriptorSet",
        /// Binding in the set.
        binding: u32 = "Binding",
        /// Answers for clGetKernelArgInfo.
        info: Option<InfoRef> = "ArgInfo",
    }
    /// An argument inside a buffer that it may share with others.
    BlockArgument {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Zero-based argument ordinal.
        ordinal: u32 = "Ordinal",
        /// Descriptor set of the buffer.
        set: u32 = "DescriptorSet",
        /// Binding in the set.
        binding: u32 = "Binding",
        /// Offset in the buffer in bytes.
        offset: u32 = "Offset",
        /// Size of the argument in bytes.
        size: u32 = "Size",
        /// Answers for clGetKernelArgInfo.
        info: Option<InfoRef> = "ArgInfo",
    }
    /// An argument inside the push constants.
    PushArgument {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Zero-based argument ordinal.
        ordinal: u32 = "Ordinal",
        /// Offset in bytes.
        offset: u32 = "Offset",
        /// Size of the argument in bytes.
        size: u32 = "Size",
        /// Answers for clGetKernelArgInfo.
        info: Option<InfoRef> = "ArgInfo",
    }
    /// A local pointer argument: a Workgroup array sized by a specialization constant.
    WorkgroupArgument {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Zero-based argument ordinal.
        ordinal: u32 = "Ordinal",
        /// Specialization id of the number of elements.
        spec_id: u32 = "SpecId",
        /// Size of an element in bytes.
        elem_size: u32 = "ElemSize",
        /// Answers for clGetKernelArgInfo.
        info: Option<InfoRef> = "ArgInfo",
    }
    /// Three specialization ids, one per dimension.
    SpecIds3 {
        /// Specialization id of the x dimension.
        x: u32 = "X",
        /// Specialization id of the y dimension.
        y: u32 = "Y",
        /// Specialization id of the z dimension.
        z: u32 = "Z",
    }
    /// One specialization id.
    SpecId {
        /// The specialization id.
        id: u32 = "SpecId",
    }
    /// A value of the module inside the push constants of every kernel.
    PushRange {
        /// Offset in bytes.
        offset: u32 = "Offset",
        /// Size in bytes.
        size: u32 = "Size",
    }
    /// A buffer with initial contents, bound to every kernel.
    DataDescriptor {
        /// Descriptor set.
        set: u32 = "DescriptorSet",
        /// Binding in the set.
        binding: u32 = "Binding",
        /// The initial contents.
        data: HexBytes = "Data",
    }
    /// A sampler that the source spells out.
    LiteralSampler {
        /// Descriptor set.
        set: u32 = "DescriptorSet",
        /// Binding in the set.
        binding: u32 = "Binding",
        /// Normalised 1; address none 0, edge 2, clamp 4, repeat 6, mirror 8; nearest 0x10,
        /// linear 0x20.
        mask: u32 = "Mask",
    }
    /// reqd_work_group_size.
    RequiredWorkgroupSize {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Work-items in the x dimension.
        x: u32 = "X",
        /// Work-items in the y dimension.
        y: u32 = "Y",
        /// Work-items in the z dimension.
        z: u32 = "Z",
    }
    /// A pointer inside the program-scope variables that points at one of them.
    Relocation {
        /// Offset of the object in the buffer, in bytes.
        object_offset: u32 = "ObjectOffset",
        /// Offset of the pointer in the buffer, in bytes.
        pointer_offset: u32 = "PointerOffset",
        /// Size of the pointer in bytes.
        pointer_size: u32 = "PointerSize",
    }
    /// A property of an image or sampler argument inside the push constants.
    ImageInfoPush {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Zero-based ordinal of the image or sampler argument.
        ordinal: u32 = "Ordinal",
        /// Offset in bytes.
        offset: u32 = "Offset",
        /// Size in bytes.
        size: u32 = "Size",
    }
    /// A property of an image argument inside a uniform buffer.
    ImageInfoUniform {
        /// The kernel.
        kernel: KernelRef = "Kernel",
        /// Zero-based ordinal of the image argument.
        ordinal: u32 = "Ordinal",
        /// Descriptor set of the buffer.
        set: u32 = "DescriptorSet",
        /// Binding in the set.
        binding: u32 = "Binding",
        /// Offset in the buffer in bytes.
        offset: u32 = "Offset",
        /// Size in bytes.
        size: u32 = "Size",
    }
    /// A buffer with initial contents whose address is a push constant of every kernel.
    DataPush {
        /// Offset of the address in the push constants, in bytes.
        offset: u32 = "Offset",
        /// Size of the address in bytes.
        size: u32 = "Size",
        /// The initial contents.
        data: HexBytes = "Data",
    }
    /// A printf format string, or a string that is a printf argument.
    PrintfInfo {
        /// The number that stands for the string in the printf buffer.
        id: u32 = "PrintfID",
        /// The string.
        format: ByteString = "FormatString",
        /// Storage size of each argument in bytes.
        argument_sizes: Vec<u32> = "ArgumentSizes",
    }
    /// The printf buffer as a descriptor.
    PrintfBufferDescriptor {
        /// Descriptor set.
        set: u32 = "DescriptorSet",
        /// Binding in the set.
        binding: u32 = "Binding",
        /// Size of the buffer in bytes.
        size: u32 = "Size",
    }
    /// The printf buffer's address as a push constant.
    PrintfBufferPush {
        /// Offset of the address in the push constants, in bytes.
        offset: u32 = "Offset",
        /// Size of the address in bytes.
        size: u32 = "Size",
        /// Size of the buffer in bytes.
        buffer_size: u32 = "BufferSize",
    }
    /// Size of a work-group memory variable, in bytes.
    WorkgroupVariableSize {
        /// The Workgroup variable.
        variable: VariableId = "Variable",
        /// Size in bytes.
        size: u32 = "Size",
    }
}

/// Properties of a kernel; part of Kernel since revision 5.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelProperties {
    /// CL_KERNEL_NUM_ARGS.
    pub num_arguments: u32,
    /// [`MAY_USE_PRINTF`]; other bits are kept.
    pub flags: u32,
    /// CL_KERNEL_ATTRIBUTES, verbatim.
    pub attributes: String,
}

/// The three operands come together, and only since revision 5.
impl Operand for Option<KernelProperties> {
    fn decode(source: &mut Source<'_>, _operand: &'static str) -> Result<Self, ReadError> {
        if source.revision < 5 {
            return Ok(None);
        }
        Ok(Some(KernelProperties {
            num_arguments: u32::decode(source, "NumArguments")?,
            flags: u32::decode(source, "Flags")?,
            attributes: String::decode(source, "Attributes")?,
        }))
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, _operand: &'static str) -> Result<(), WriteError> {
        match self {
            Some(properties) if sink.revision >= 5 => {
                properties.num_arguments.encode(sink, "NumArguments")?;
                properties.flags.encode(sink, "Flags")?;
                properties.attributes.encode(sink, "Attributes")
            }
            None if sink.revision < 5 => Ok(()),
            _ => Err(WriteError::Revision {
                instruction: sink.instruction,
                revision: sink.revision,
            }),
        }
    }
}

/// A row of the list of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The instruction number.
    pub number: u32,
    /// The instruction's name.
    pub name: &'static str,
    /// The first revision that has it.
    pub since: u32,
}

macro_rules! instructions {
    ($( $(#[$meta:meta])* $number:literal since $since:literal $name:ident($payload:ident), )*) => {
        /// A reflection instruction.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Instruction { $( $(#[$meta])* $name($payload), )* }

        /// Every instruction, in number order.
        pub const TABLE: &[TableRow] = &[
            $( TableRow { number: $number, name: stringify!($name), since: $since }, )*
        ];

        impl Instruction {
            /// The instruction's row in [`TABLE`].
            pub fn row(&self) -> TableRow {
                match self { $(
                    Self::$name(_) => TableRow {
                        number: $number,
                        name: stringify!($name),
                        since: $since,
                    },
                )* }
            }

            /// Decodes the operands of instruction `number`; `None` for an unknown number.
            pub(crate) fn decode(
                number: u32,
                source: &mut Source<'_>,
            ) -> Result<Option<Self>, ReadError> {
                Ok(Some(match number {
                    $( $number => Self::$name($payload::decode(source)?), )*
                    _ => return Ok(None),
                }))
            }

            /// Encodes the operands.
            pub(crate) fn encode(&self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
                match self { $( Self::$name(payload) => payload.encode(sink), )* }
            }
        }
    };
}

instructions! {
    /// Declares a kernel.
    1 since 1 Kernel(Kernel),
    /// Describes an argument for clGetKernelArgInfo.
    2 since 1 ArgumentInfo(ArgumentInfo),
    /// A pointer argument as a storage buffer.
    3 since 1 ArgumentStorageBuffer(DescriptorArgument),
    /// A pointer argument as a uniform buffer.
    4 since 1 ArgumentUniform(DescriptorArgument),
    /// A POD argument inside a storage buffer.
    5 since 1 ArgumentPodStorageBuffer(BlockArgument),
    /// A POD argument inside a uniform buffer.
    6 since 1 ArgumentPodUniform(BlockArgument),
    /// A POD argument inside the push constants.
    7 since 1 ArgumentPodPushConstant(PushArgument),
    /// An image argument as a sampled image.
    8 since 1 ArgumentSampledImage(DescriptorArgument),
    /// An image argument as a storage image.
    9 since 1 ArgumentStorageImage(DescriptorArgument),
    /// A sampler argument.
    10 since 1 ArgumentSampler(DescriptorArgument),
    /// A local pointer argument.
    11 since 1 ArgumentWorkgroup(WorkgroupArgument),
    /// Specialization ids of the work-group size.
    12 since 1 SpecConstantWorkgroupSize(SpecIds3),
    /// Specialization ids of the global offset.
    13 since 1 SpecConstantGlobalOffset(SpecIds3),
    /// Specialization id of the number of dimensions.
    14 since 1 SpecConstantWorkDim(SpecId),
    /// Push constant: the NDRange's global offset.
    15 since 1 PushConstantGlobalOffset(PushRange),
    /// Push constant: the NDRange's local size.
    16 since 1 PushConstantEnqueuedLocalSize(PushRange),
    /// Push constant: the NDRange's global size.
    17 since 1 PushConstantGlobalSize(PushRange),
    /// Push constant: the region's first global id.
    18 since 1 PushConstantRegionOffset(PushRange),
    /// Push constant: the NDRange's number of work-groups.
    19 since 1 PushConstantNumWorkgroups(PushRange),
    /// Push constant: the region's first work-group.
    20 since 1 PushConstantRegionGroupOffset(PushRange),
    /// The module's constant data as a storage buffer.
    21 since 1 ConstantDataStorageBuffer(DataDescriptor),
    /// The module's constant data as a uniform buffer.
    22 since 1 ConstantDataUniform(DataDescriptor),
    /// A sampler that the source spells out.
    23 since 1 LiteralSampler(LiteralSampler),
    /// reqd_work_group_size.
    24 since 1 PropertyRequiredWorkgroupSize(RequiredWorkgroupSize),
    /// Specialization id of the maximum sub-group size.
    25 since 2 SpecConstantSubgroupMaxSize(SpecId),
    /// A pointer argument as an address in the push constants.
    26 since 3 ArgumentPointerPushConstant(PushArgument),
    /// A pointer argument as an address inside a uniform buffer.
    27 since 3 ArgumentPointerUniform(BlockArgument),
    /// Program-scope variables as a storage buffer.
    28 since 3 ProgramScopeVariablesStorageBuffer(DataDescriptor),
    /// A pointer inside the program-scope variables.
    29 since 3 ProgramScopeVariablePointerRelocation(Relocation),
    /// Push constant: an image argument's channel order.
    30 since 3 ImageArgumentInfoChannelOrderPushConstant(ImageInfoPush),
    /// Push constant: an image argument's channel data type.
    31 since 3 ImageArgumentInfoChannelDataTypePushConstant(ImageInfoPush),
    /// An image argument's channel order inside a uniform buffer.
    32 since 3 ImageArgumentInfoChannelOrderUniform(ImageInfoUniform),
    /// An image argument's channel data type inside a uniform buffer.
    33 since 3 ImageArgumentInfoChannelDataTypeUniform(ImageInfoUniform),
    /// A buffer-image argument as a storage texel buffer.
    34 since 4 ArgumentStorageTexelBuffer(DescriptorArgument),
    /// A buffer-image argument as a uniform texel buffer.
    35 since 4 ArgumentUniformTexelBuffer(DescriptorArgument),
    /// The module's constant data by address.
    36 since 5 ConstantDataPointerPushConstant(DataPush),
    /// Program-scope variables by address.
    37 since 5 ProgramScopeVariablePointerPushConstant(DataPush),
    /// A string of printf.
    38 since 5 PrintfInfo(PrintfInfo),
    /// The printf buffer as a storage buffer.
    39 since 5 PrintfBufferStorageBuffer(PrintfBufferDescriptor),
    /// The printf buffer by address.
    40 since 5 PrintfBufferPointerPushConstant(PrintfBufferPush),
    /// Push constant: the mask of a sampler argument.
    41 since 6 NormalizedSamplerMaskPushConstant(ImageInfoPush),
    /// Size of a work-group memory variable.
    42 since 7 WorkgroupVariableSize(WorkgroupVariableSize),
}

macro_rules! with_data {
    ($($name:ident)*) => {
        impl Instruction {
            /// The initial contents of the buffer that the instruction declares.
            pub fn data(&self) -> Option<&HexBytes> {
                match self {
                    $( Self::$name(payload) => Some(&payload.data), )*
                    _ => None,
                }
            }

            /// The same, to be filled in.
            pub(crate) fn data_mut(&mut self) -> Option<&mut HexBytes> {
                match self {
                    $( Self::$name(payload) => Some(&mut payload.data), )*
                    _ => None,
                }
            }
        }
    };
}

with_data! {
    ConstantDataStorageBuffer
    ConstantDataUniform
    ProgramScopeVariablesStorageBuffer
    ConstantDataPointerPushConstant
    ProgramScopeVariablePointerPushConstant
}

/// The reflection of one module: its instructions in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reflection {
    /// The import's revision. When writing, 0 asks for [`Reflection::lowest_revision`].
    pub revision: u32,
    /// The instructions in module order; [`KernelRef`] and [`InfoRef`] count those of their kind.
    pub instructions: Instructions,
    /// Numbers of instructions that a revision newer than this crate knows brought, and that were
    /// skipped. Ignored when writing.
    pub skipped: Vec<u32>,
    /// Roles of kernels from the set `NonSemantic.Pumice.1`, in module order.
    pub roles: Vec<KernelRole>,
    /// Requirements of launches from the same set, in module order.
    pub needs: Vec<Need>,
    /// The number between pointers and device addresses, from the same set; `None` where they are the same.
    pub address_delta: Option<AddressDelta>,
    /// The place of the pointer to the word that tells kernels to end, from the same set; `None` where no kernel
    /// looks at it.
    pub termination_flag: Option<TerminationFlag>,
    /// Tested places from the same set, in module order.
    pub checks: Vec<CheckSite>,
    /// Promises that a launch may make, from the same set.
    pub promises: Vec<Promise>,
}

/// A list of instructions that knows how many kernels and argument infos it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instructions {
    list: Vec<Instruction>,
    kernels: u32,
    infos: u32,
}

impl Instructions {
    /// Appends an instruction.
    pub fn push(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Kernel(_) => self.kernels += 1,
            Instruction::ArgumentInfo(_) => self.infos += 1,
            _ => {}
        }
        self.list.push(instruction);
    }

    /// The initial data of the instruction at `index`, if it has any.
    pub(crate) fn data_mut(&mut self, index: usize) -> Option<&mut HexBytes> {
        self.list.get_mut(index)?.data_mut()
    }
}

impl Extend<Instruction> for Instructions {
    fn extend<T: IntoIterator<Item = Instruction>>(&mut self, list: T) {
        list.into_iter().for_each(|inst| self.push(inst));
    }
}

impl std::ops::Deref for Instructions {
    type Target = [Instruction];

    fn deref(&self) -> &[Instruction] {
        &self.list
    }
}

impl<'a> IntoIterator for &'a Instructions {
    type Item = &'a Instruction;
    type IntoIter = std::slice::Iter<'a, Instruction>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl From<Vec<Instruction>> for Instructions {
    fn from(list: Vec<Instruction>) -> Self {
        let mut instructions = Self::default();
        instructions.extend(list);
        instructions
    }
}

impl Reflection {
    /// Appends a Kernel and gives the reference that its arguments use.
    pub fn add_kernel(&mut self, kernel: Kernel) -> KernelRef {
        let index = self.instructions.kernels;
        self.instructions.push(Instruction::Kernel(kernel));
        KernelRef(index)
    }

    /// Appends an ArgumentInfo and gives the reference that its argument uses.
    pub fn add_info(&mut self, info: ArgumentInfo) -> InfoRef {
        let index = self.instructions.infos;
        self.instructions.push(Instruction::ArgumentInfo(info));
        InfoRef(index)
    }

    /// Appends any other instruction.
    pub fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    /// The kernels; [`KernelRef`] is the index.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.instructions.iter().filter_map(|inst| match inst {
            Instruction::Kernel(kernel) => Some(kernel),
            _ => None,
        })
    }

    /// The argument infos; [`InfoRef`] is the index.
    pub fn infos(&self) -> impl Iterator<Item = &ArgumentInfo> {
        self.instructions.iter().filter_map(|inst| match inst {
            Instruction::ArgumentInfo(info) => Some(info),
            _ => None,
        })
    }

    /// The lowest revision that has every instruction here with the operands given.
    pub fn lowest_revision(&self) -> u32 {
        let needs = |inst: &Instruction| match inst {
            Instruction::Kernel(kernel) if kernel.properties.is_some() => 5,
            inst => inst.row().since,
        };
        self.instructions.iter().map(needs).max().unwrap_or(1)
    }
}
