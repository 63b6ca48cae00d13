//! Ways to lower a call of a built-in function to SPIR-V; emission writes them.

use rspirv::spirv::{
    BuiltIn, CooperativeMatrixLayout, GroupOperation, Op, OpenclStd100Op as Std, Scope,
    SpvAmdShaderBallotOp as Amd,
};

use crate::lang::types::AddrSpace;

/// Lowering of a call to SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lower {
    /// An OpenCL.std instruction on the arguments; scalars widen to the result's lanes.
    Ocl(Std),
    /// The same by signedness of the first argument: signed, unsigned.
    OclSign(Std, Std),
    /// `nan(code)`
    Nan,
    /// `dot`
    Dot,
    /// An integer dot product of vectors or packed words; with true the factors trade places.
    IntDot(Op, bool),
    /// `clock_read_*`
    ReadClock(Scope),
    /// An opcode of SPV_KHR_bit_instructions.
    BitOp(Op),
    /// An opcode giving bool, widened to the relational result.
    Relation(Op),
    /// `any`, `all`
    AnyAll(Op),
    /// `bitselect`
    BitSelect,
    /// `select`
    Select,
    /// `vloadn`
    VLoad,
    /// `vstoren`
    VStore,
    /// `vload_halfn`, or with true `vloada_halfn`
    VLoadHalf(bool),
    /// `vstore_halfn`, or with true `vstorea_halfn`
    VStoreHalf(bool),
    /// `shuffle`, `shuffle2`
    Shuffle,
    /// `convert_T`
    Convert,
    /// `as_T`
    AsType,
    /// A built-in variable.
    WorkItem(BuiltIn),
    /// A component of a built-in variable, and the value outside the three dimensions.
    WorkItemDim(BuiltIn, u32),
    /// Control barrier.
    Barrier(Scope),
    /// Memory barrier with an order bit of memory semantics.
    MemFence(u32),
    /// `atomic_work_item_fence`
    WorkItemFence,
    /// `async_work_group_copy`, or with true the strided form
    AsyncCopy(bool),
    /// `async_work_group_copy_2D2D`, or with true `_3D3D`
    AsyncCopyLines(bool),
    /// `wait_group_events`
    WaitEvents,
    /// `prefetch`
    Prefetch,
    /// Relaxed atomic of OpenCL C 1.x: signed and unsigned opcode.
    LegacyAtomic(Op, Op),
    /// `atomic_init`
    AtomicInit,
    /// `atomic_store`
    AtomicStore,
    /// `atomic_load`
    AtomicLoad,
    /// Read, modify, write: signed and unsigned opcode.
    AtomicRmw(Op, Op),
    /// Add, minimum or maximum of floats; with true of the negated operand.
    AtomicFloat(Op, bool),
    /// `atomic_compare_exchange_*`
    AtomicCompareExchange,
    /// `atomic_flag_test_and_set`
    AtomicFlagTestAndSet,
    /// `atomic_flag_clear`
    AtomicFlagClear,
    /// `printf`
    Printf,
    /// Vote of a group.
    GroupVote(Op, Scope),
    /// Broadcast in a group.
    GroupBroadcast(Scope),
    /// Reduction or scan: signed, unsigned, float opcodes.
    GroupArith([Op; 3], GroupOperation, Scope),
    /// Sub-group shuffle.
    Shuffles(Op),
    /// Vote among active work-items of a sub-group.
    NonUniformVote(Op),
    /// Sub-group operation among active work-items; bit counts have an operation.
    NonUniform(Op, Option<GroupOperation>),
    /// Reduction or scan among active work-items: signed, unsigned, float opcodes.
    NonUniformArith([Op; 3], GroupOperation),
    /// A shuffle of SPV_INTEL_subgroups.
    IntelShuffle(Op),
    /// `intel_sub_group_block_read` and its like, from memory or from an image.
    BlockRead,
    /// `intel_sub_group_block_write` and its like, to memory or to an image.
    BlockWrite,
    /// SPV_AMD_shader_ballot's reduction or scan: signed, unsigned, float opcodes.
    AmdArith([Op; 3], GroupOperation, Scope),
    /// An extended instruction of SPV_AMD_shader_ballot.
    AmdBallot(Amd),
    /// `to_global` and its like
    ToSpace(AddrSpace),
    /// `get_fence`
    GetFence,
    /// A function of motion estimation.
    Motion(Op),
    /// A function of all kinds of motion estimation on one kind's payload or result: the conversion, then the function.
    MotionOfMce(Op, Op),
    /// An image function.
    Image(ImageOp),
    /// A pipe function, of a group if there is a scope.
    Pipe(Op, Option<Scope>),
    /// An instruction on queues, events or reservations as they are.
    Device(Op),
    /// `ndrange_1D` and its like, by dimensions.
    NdRange(u8),
    /// `enqueue_kernel`
    Enqueue,
    /// A query about a block as a kernel.
    KernelQuery(Op),
    /// A function of cl_pumice_cooperative_matrix.
    Matrix(MatrixFunction),
    /// A function of cl_amd_media_ops or cl_amd_media_ops2.
    Media(MediaFunction),
}

/// A function on bytes that are packed in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MediaFunction {
    /// Bits of a pair of words; the shift counts units of as many bits as this power of two says.
    Align(u32),
    /// Averages of bytes.
    Lerp,
    /// The sum of the distances of bytes, shifted left; with `masked` without those from 0.
    SumBytes {
        /// Leaves out bytes whose counterpart is 0.
        masked: bool,
        /// The number of bits to shift by.
        shift: u32,
    },
    /// The sum of the distances of sixteen bytes.
    SumBytesOf4,
    /// The sum of the distances of shorts.
    SumShorts,
    /// The distance of words, added to a sum.
    SumWords,
    /// Four sums of distances of bytes.
    Quads {
        /// Leaves out bytes whose counterpart is 0.
        masked: bool,
    },
    /// Four floats as bytes.
    Pack,
    /// A byte, from this bit on, as a float.
    Unpack(u32),
    /// A mask by width and offset.
    BitMask,
    /// A field by offset and width.
    BitField {
        /// Copies the sign.
        signed: bool,
    },
    /// One of three numbers, by the instructions for the lesser and the greater of two.
    OfThree(Three, [Std; 2]),
}

/// The choice of one of three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Three {
    /// The least.
    Least,
    /// The middle one.
    Median,
    /// The greatest.
    Greatest,
}

/// A function on cooperative matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFunction {
    /// Loads a matrix.
    Load(CooperativeMatrixLayout),
    /// Stores a matrix.
    Store(CooperativeMatrixLayout),
    /// A product and a sum, with true saturating.
    MultiplyAdd(bool),
    /// Sets all components.
    Fill,
    /// The number of components that a work-item holds.
    Length,
    /// One of the components that the work-item holds.
    Get,
    /// Sets one of them.
    Set,
    /// Arithmetic on pairs of components: of signed and of unsigned integers, and of floats.
    Pairs([Op; 3]),
    /// Negation.
    Negate,
    /// Conversion of the components.
    Convert,
}

/// Operation of an image function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImageOp {
    /// `read_image*`, with a sampler or without
    Read,
    /// `write_image*`
    Write,
    /// A component of the size; `None` is the last one, the number of layers.
    Size(Option<u8>),
    /// `get_image_dim`
    Dim,
    /// `get_image_channel_data_type`
    Format,
    /// `get_image_channel_order`
    Order,
    /// `get_image_num_samples`
    Samples,
    /// `get_image_num_mip_levels`
    Levels,
}
