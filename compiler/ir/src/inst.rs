//! Instructions.
//!
//! Lane-wise unless said otherwise: operands and result of unary, binary, compare, select and
//! convert instructions have the same number of lanes (a `Select` condition may be one lane).

use super::{
    AccessFlags, AtomicOp, Block, ConvertOp, FloatFlags, FuncId, GlobalId, GroupOp, HandleInfo,
    ImageOp, ImageType, MatrixOp, MemoryOrder, NodeOp, Scalar, Scope, StackSlot, StringId, Value,
};
use pumice_numerics::Rounding;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// One-operand arithmetic; the result type is the operand's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Two's-complement negation.
    INeg,
    /// Bitwise not (logical not on Bool).
    Not,
    /// Floating negation (flips the sign bit).
    FNeg,
}

/// Two-operand arithmetic. Shift counts are taken modulo the width (OpenCL C §6.3.j).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Wrapping add.
    IAdd,
    /// Wrapping subtract.
    ISub,
    /// Wrapping multiply.
    IMul,
    /// High half of the signed product.
    SMulHi,
    /// High half of the unsigned product.
    UMulHi,
    /// Signed division; by zero and MIN / -1 give an unspecified value, never a trap.
    SDiv,
    /// Unsigned division; by zero gives an unspecified value, never a trap.
    UDiv,
    /// Signed remainder with the sign of the dividend (C's `%`).
    SRem,
    /// Unsigned remainder.
    URem,
    /// Bitwise and (also on Bool).
    And,
    /// Bitwise or (also on Bool).
    Or,
    /// Bitwise exclusive or (also on Bool).
    Xor,
    /// Shift left.
    Shl,
    /// Logical shift right.
    LShr,
    /// Arithmetic shift right.
    AShr,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Floating add.
    FAdd,
    /// Floating subtract.
    FSub,
    /// Floating multiply.
    FMul,
    /// Floating divide (2.5 ULP for f32 unless the module asks for correct rounding).
    FDiv,
    /// fmod: result with the sign of the dividend.
    FRem,
}

impl UnaryOp {
    /// Returns whether it works on values of such lanes.
    pub fn takes(self, lanes: Scalar) -> bool {
        match self {
            Self::INeg => lanes.is_int(),
            Self::Not => lanes.is_int() || lanes == Scalar::Bool,
            Self::FNeg => lanes.is_float(),
        }
    }
}

impl BinaryOp {
    /// Returns whether it works on floats, and on nothing else.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem
        )
    }

    /// Returns whether it works on values of such lanes.
    pub fn takes(self, lanes: Scalar) -> bool {
        match self {
            _ if self.is_float() => lanes.is_float(),
            Self::And | Self::Or | Self::Xor => lanes.is_int() || lanes == Scalar::Bool,
            _ => lanes.is_int(),
        }
    }
}

/// Integer and pointer comparisons; the result is Bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntCond {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
    /// Signed greater.
    Sgt,
    /// Signed greater or equal.
    Sge,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Unsigned greater.
    Ugt,
    /// Unsigned greater or equal.
    Uge,
}

impl IntCond {
    /// The condition that holds for `b, a` where this one does for `a, b`.
    pub fn swapped(self) -> IntCond {
        match self {
            IntCond::Eq | IntCond::Ne => self,
            IntCond::Slt => IntCond::Sgt,
            IntCond::Sle => IntCond::Sge,
            IntCond::Sgt => IntCond::Slt,
            IntCond::Sge => IntCond::Sle,
            IntCond::Ult => IntCond::Ugt,
            IntCond::Ule => IntCond::Uge,
            IntCond::Ugt => IntCond::Ult,
            IntCond::Uge => IntCond::Ule,
        }
    }

    /// The condition that holds where this one does not.
    pub fn inverted(self) -> IntCond {
        match self {
            IntCond::Eq => IntCond::Ne,
            IntCond::Ne => IntCond::Eq,
            IntCond::Slt => IntCond::Sge,
            IntCond::Sle => IntCond::Sgt,
            IntCond::Sgt => IntCond::Sle,
            IntCond::Sge => IntCond::Slt,
            IntCond::Ult => IntCond::Uge,
            IntCond::Ule => IntCond::Ugt,
            IntCond::Ugt => IntCond::Ule,
            IntCond::Uge => IntCond::Ult,
        }
    }
}

/// Floating comparisons: `O…` is false, `U…` true when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatCond {
    /// Ordered and equal.
    Oeq,
    /// Ordered and not equal.
    One,
    /// Ordered and less.
    Olt,
    /// Ordered and less or equal.
    Ole,
    /// Ordered and greater.
    Ogt,
    /// Ordered and greater or equal.
    Oge,
    /// Unordered or equal.
    Ueq,
    /// Unordered or not equal (C's `!=`).
    Une,
    /// Unordered or less.
    Ult,
    /// Unordered or less or equal.
    Ule,
    /// Unordered or greater.
    Ugt,
    /// Unordered or greater or equal.
    Uge,
    /// Neither is NaN.
    Ord,
    /// One is NaN.
    Uno,
}

/// Values that a work-item has without computing them. Vectors are `v3 I64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BuiltIn {
    /// get_global_id: v3 I64.
    GlobalId,
    /// get_local_id: v3 I64.
    LocalId,
    /// get_group_id: v3 I64.
    GroupId,
    /// get_global_size: v3 I64.
    GlobalSize,
    /// get_local_size: v3 I64, smaller in a remainder group.
    LocalSize,
    /// get_enqueued_local_size: v3 I64.
    EnqueuedLocalSize,
    /// get_num_groups: v3 I64.
    NumGroups,
    /// get_global_offset: v3 I64.
    GlobalOffset,
    /// get_work_dim: I32.
    WorkDim,
    /// get_global_linear_id: I64.
    GlobalLinearId,
    /// get_local_linear_id: I64.
    LocalLinearId,
    /// get_sub_group_size: I32.
    SubgroupSize,
    /// get_max_sub_group_size: I32.
    SubgroupMaxSize,
    /// get_num_sub_groups: I32.
    NumSubgroups,
    /// get_enqueued_num_sub_groups: I32.
    NumEnqueuedSubgroups,
    /// get_sub_group_id: I32.
    SubgroupId,
    /// get_sub_group_local_id: I32.
    SubgroupLocalId,
    /// Sub-group lane masks: v4 I32 each.
    SubgroupEqMask,
    /// Lanes at or above.
    SubgroupGeMask,
    /// Lanes above.
    SubgroupGtMask,
    /// Lanes at or below.
    SubgroupLeMask,
    /// Lanes below.
    SubgroupLtMask,
    /// The address of the work-item's private memory in a buffer, of as many bytes as the kernel
    /// says: a global pointer. Only in kernels.
    PrivateMemory,
    /// The most work-items of a work-group on this device: I32.
    MaxWorkGroupSize,
    /// The number of times that a node may still enqueue itself: I32.
    RemainingRecursionLevels,
    /// The index of this node among those of its name: I32.
    ShaderIndex,
    /// The printf buffer: a global pointer. Made by the lowering of printf.
    PrintfBuffer,
    /// Memory of the launch's checks: a global pointer. Only in kernels.
    CheckMemory,
    /// Memory of the launch's device-side enqueue: a global pointer. Only in kernels.
    DeviceLaunch,
    /// The number of the record that enqueued the kernel, 0 for the host's: I32. Gone after
    /// `place_blocks`.
    DeviceRecord,
    /// The number of the work-group among those of the dispatch: I32.
    DispatchGroup,
    /// The number that makes a device address of a global pointer: I64. Made where it is added.
    AddressDelta,
    /// A word that is not 0 once the context has been terminated: a global pointer. Made by `poll_termination`.
    TerminationFlag,
}

/// Mathematical operations that Vulkan has as one instruction with a known result, plus every
/// OpenCL.std instruction on its way to a lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MathOp {
    /// An OpenCL.std extended instruction as imported; gone after `lower_math`.
    Ocl(#[serde(with = "ocl_number")] rspirv::spirv::OpenclStd100Op),
    /// Fused multiply-add, one rounding (only where the target's is exact).
    Fma,
    /// Square root as the device has it.
    Sqrt,
    /// Absolute value of a float.
    FAbs,
    /// Round down.
    Floor,
    /// Round up.
    Ceil,
    /// Round toward zero.
    Trunc,
    /// Round to nearest even.
    RoundEven,
    /// Minimum where a NaN loses (fmin).
    FMin,
    /// Maximum where a NaN loses (fmax).
    FMax,
    /// Population count; result type as the operand.
    PopCount,
    /// Count of leading zeros; width for 0.
    Clz,
    /// Count of trailing zeros; width for 0.
    Ctz,
    /// Bit reversal.
    BitReverse,
    /// IEEE test: is NaN; Bool.
    IsNan,
    /// IEEE test: is infinite; Bool.
    IsInf,
    /// Device-precision approximations for native_ functions.
    NativeSin,
    /// Approximate cosine.
    NativeCos,
    /// Approximate 2^x.
    NativeExp2,
    /// Approximate log2.
    NativeLog2,
    /// Approximate square root.
    NativeSqrt,
    /// Approximate 1/sqrt, within 2 ULP for normal operands.
    NativeRsqrt,
}

/// A branch target with the arguments for its block parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlockCall {
    /// The target.
    pub block: Block,
    /// One value per block parameter.
    pub args: SmallVec<[Value; 4]>,
}

impl BlockCall {
    /// A branch to `block` with these arguments.
    pub fn new(block: Block, args: &[Value]) -> BlockCall {
        BlockCall {
            block,
            args: SmallVec::from_slice(args),
        }
    }
}

/// An instruction without its results (their types are those of its result values).
#[allow(missing_docs, reason = "each variant documents its operands together")]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InstKind {
    /// One-operand arithmetic.
    Unary { op: UnaryOp, arg: Value },
    /// Two-operand arithmetic.
    Binary {
        op: BinaryOp,
        args: [Value; 2],
        flags: FloatFlags,
    },
    /// Integer or pointer comparison.
    ICmp { cond: IntCond, args: [Value; 2] },
    /// Floating comparison.
    FCmp {
        cond: FloatCond,
        args: [Value; 2],
        flags: FloatFlags,
    },
    /// `cond ? then : other`; the condition is Bool, one lane or as many as the result.
    Select {
        cond: Value,
        then: Value,
        other: Value,
    },
    /// Conversion to the result's type.
    Convert {
        op: ConvertOp,
        arg: Value,
        rounding: Option<Rounding>,
    },
    /// Mathematical operation.
    Math {
        op: MathOp,
        args: SmallVec<[Value; 3]>,
        flags: FloatFlags,
    },

    /// A vector from scalars, one per lane.
    Build { lanes: SmallVec<[Value; 4]> },
    /// A vector whose lanes all hold one scalar.
    Splat { arg: Value },
    /// One lane.
    Extract { vector: Value, lane: u8 },
    /// The vector with one lane replaced.
    Insert {
        vector: Value,
        scalar: Value,
        lane: u8,
    },
    /// One lane by a run-time index (any integer type); out of range is unspecified.
    ExtractDyn { vector: Value, index: Value },
    /// One lane replaced by a run-time index.
    InsertDyn {
        vector: Value,
        scalar: Value,
        index: Value,
    },
    /// Lanes picked from the concatenation of both operands; `None` is unspecified.
    Shuffle {
        args: [Value; 2],
        mask: SmallVec<[Option<u8>; 4]>,
    },

    /// Address of a private variable.
    StackAddr { slot: StackSlot },
    /// Address of a program-scope or local variable.
    GlobalAddr { global: GlobalId },
    /// `base + offset` in bytes; the offset is I64 (signed) or its two words, the result in base's
    /// space.
    PtrAdd { base: Value, offset: Value },
    /// Load of the result's type. A three-lane vector touches 3 lanes only.
    Load {
        ptr: Value,
        align: u32,
        flags: AccessFlags,
    },
    /// Store.
    Store {
        ptr: Value,
        value: Value,
        align: u32,
        flags: AccessFlags,
    },
    /// Copy of `size` bytes (I64) between regions that are equal or disjoint.
    MemCopy {
        dst: Value,
        src: Value,
        size: Value,
        dst_align: u32,
        src_align: u32,
        flags: AccessFlags,
    },
    /// Atomic load.
    AtomicLoad {
        ptr: Value,
        order: MemoryOrder,
        scope: Scope,
    },
    /// Atomic store.
    AtomicStore {
        ptr: Value,
        value: Value,
        order: MemoryOrder,
        scope: Scope,
    },
    /// Atomic read-modify-write; the result is the old value.
    AtomicRmw {
        op: AtomicOp,
        ptr: Value,
        value: Value,
        order: MemoryOrder,
        scope: Scope,
    },
    /// Atomic compare-exchange; the result is the old value.
    AtomicCmpXchg {
        ptr: Value,
        expected: Value,
        desired: Value,
        success: MemoryOrder,
        failure: MemoryOrder,
        scope: Scope,
    },
    /// Memory fence over the given address spaces.
    Fence {
        scope: Scope,
        order: MemoryOrder,
        global: bool,
        local: bool,
    },
    /// Execution barrier with a fence.
    Barrier {
        execution: Scope,
        memory: Scope,
        order: MemoryOrder,
        global: bool,
        local: bool,
    },

    /// A work-item's built-in value.
    BuiltIn { which: BuiltIn },
    /// One word of one lane of a built-in value that is made of I64: I32.
    BuiltInWord {
        which: BuiltIn,
        lane: u8,
        high: bool,
    },
    /// A counter that goes up with time, shared by the device or the sub-group: I64, or its two
    /// words. Each read is one of its own.
    ReadClock { scope: Scope },
    /// The image or sampler that is kernel argument `ordinal`: a handle, I32. Made by
    /// `lower_kernel_args`, only in kernels.
    HandleArg { ordinal: u32 },
    /// A kernel argument's bytes at a constant offset in the argument block; made by
    /// `lower_kernel_args`, only in kernels.
    LoadArg { offset: u32 },
    /// Word `index` (I32) behind a constant offset in the argument block: I32. Made by
    /// `args_in_place` and `loop_arg_copies`, only in kernels.
    LoadArgWord { offset: u32, index: Value },
    /// The address of local memory passed as kernel argument `ordinal`.
    LocalArg { ordinal: u32 },
    /// Call; results are the callee's.
    Call {
        func: FuncId,
        args: SmallVec<[Value; 4]>,
    },
    /// printf; the result is I32 (0, or -1 on overflow). `%s` arguments are [`StringId`]s in
    /// `strings` at their position; other arguments are values after default promotions.
    Printf {
        format: StringId,
        args: SmallVec<[PrintfArg; 4]>,
    },

    /// Unconditional branch.
    Jump { dest: BlockCall },
    /// Two-way branch on a one-lane Bool.
    Branch {
        cond: Value,
        then: BlockCall,
        other: BlockCall,
    },
    /// Multi-way branch on an integer.
    Switch {
        value: Value,
        default: BlockCall,
        cases: Vec<(u64, BlockCall)>,
    },
    /// Return.
    Return { values: SmallVec<[Value; 2]> },
    /// Control never gets here.
    Unreachable,

    // Those without a stored form stand last, since serde counts them when it writes and not when it reads.
    /// A collective.
    #[serde(skip)]
    Group {
        op: GroupOp,
        scope: Scope,
        args: SmallVec<[Value; 3]>,
    },
    /// An operation on the payloads of execution-graph nodes.
    #[serde(skip)]
    Node {
        op: NodeOp,
        args: SmallVec<[Value; 4]>,
    },
    /// An operation on an image of the type.
    #[serde(skip)]
    Image {
        op: ImageOp,
        image: ImageType,
        args: SmallVec<[Value; 4]>,
    },
    /// An operation on matrices of the device's own.
    #[serde(skip)]
    Matrix {
        op: MatrixOp,
        args: SmallVec<[Value; 3]>,
    },
    /// A fact that the driver tells of the image or sampler that is argument `ordinal`: I32. Made
    /// by `lower_images`, only in kernels.
    #[serde(skip)]
    HandleInfo { ordinal: u32, which: HandleInfo },
}

/// An argument of printf after the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PrintfArg {
    /// A value.
    Value(Value),
    /// A string literal for `%s`.
    String(StringId),
}

/// The stored form of an OpenCL.std instruction: its number.
mod ocl_number {
    use rspirv::spirv::OpenclStd100Op;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(op: &OpenclStd100Op, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u32(*op as u32)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<OpenclStd100Op, D::Error> {
        let number = u32::deserialize(d)?;
        OpenclStd100Op::from_u32(number)
            .ok_or_else(|| D::Error::custom("no instruction of OpenCL.std"))
    }
}
