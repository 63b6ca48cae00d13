//! The one table of spellings: every enum of the IR and its words in the text form.

use super::super::{
    AccessFlags, AddressSpace, ArgAccess, ArgAddress, AtomicOp, BinaryOp, BuiltIn, ConvertOp,
    FloatCond, GroupOp, GroupOperation, HandleInfo, ImageAccess, ImageDim, IntCond, Linkage, Lod,
    MathOp, MatrixType, MemoryOrder, Scalar, Scope, Texel, Type, UnaryOp,
};
use rspirv::spirv::OpenclStd100Op;

macro_rules! names {
    ($($ty:ident { $($variant:ident = $name:literal),* $(,)? })*) => { $(
        impl $ty {
            /// The word of the text form.
            pub fn name(self) -> &'static str {
                match self { $($ty::$variant => $name),* }
            }

            /// The variant that a word of the text form names.
            pub fn from_name(name: &str) -> Option<Self> {
                Some(match name { $($name => $ty::$variant,)* _ => return None })
            }
        }
    )* };
}

names! {
    AddressSpace {
        Private = "private", Global = "global", Constant = "constant", Local = "local",
        Generic = "generic",
    }
    Linkage {
        Internal = "internal", Export = "export", LinkOnceOdr = "linkonce_odr",
        Import = "import",
    }
    ArgAddress {
        Global = "global", Local = "local", Constant = "constant", Private = "private",
    }
    ArgAccess {
        ReadOnly = "read_only", WriteOnly = "write_only", ReadWrite = "read_write",
        None = "none",
    }
    UnaryOp { INeg = "ineg", Not = "not", FNeg = "fneg" }
    BinaryOp {
        IAdd = "iadd", ISub = "isub", IMul = "imul", SMulHi = "smul_hi", UMulHi = "umul_hi",
        SDiv = "sdiv", UDiv = "udiv", SRem = "srem", URem = "urem", And = "and", Or = "or",
        Xor = "xor", Shl = "shl", LShr = "lshr", AShr = "ashr", SMin = "smin", SMax = "smax",
        UMin = "umin", UMax = "umax", FAdd = "fadd", FSub = "fsub", FMul = "fmul",
        FDiv = "fdiv", FRem = "frem",
    }
    IntCond {
        Eq = "eq", Ne = "ne", Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge", Ult = "ult",
        Ule = "ule", Ugt = "ugt", Uge = "uge",
    }
    FloatCond {
        Oeq = "oeq", One = "one", Olt = "olt", Ole = "ole", Ogt = "ogt", Oge = "oge",
        Ueq = "ueq", Une = "une", Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
        Ord = "ord", Uno = "uno",
    }
    ConvertOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", SatSToS = "sat_s_to_s",
        SatSToU = "sat_s_to_u", SatUToS = "sat_u_to_s", SatUToU = "sat_u_to_u",
        FToS = "f_to_s", FToU = "f_to_u", FToSSat = "f_to_s_sat", FToUSat = "f_to_u_sat",
        SToF = "s_to_f", UToF = "u_to_f", FToF = "f_to_f", Bitcast = "bitcast",
        PtrToInt = "ptr_to_int", IntToPtr = "int_to_ptr",
        AddressSpaceCast = "address_space_cast",
    }
    ImageDim { D1 = "1d", D2 = "2d", D3 = "3d", Buffer = "buffer" }
    ImageAccess { Read = "read_only", Write = "write_only", ReadWrite = "read_write" }
    Texel { Float = "float", Signed = "signed", Unsigned = "unsigned", Raw = "raw" }
    Lod { Explicit = "lod", Gradient = "grad" }
    HandleInfo {
        ChannelOrder = "channel_order", ChannelDataType = "channel_data_type",
        SamplerMask = "sampler_mask", Levels = "levels", Samples = "samples",
        LodMin = "lod_min", LodMax = "lod_max",
        SizeX = "size_x", SizeY = "size_y", SizeZ = "size_z", WritesSrgb = "writes_srgb",
    }
    AtomicOp {
        Xchg = "xchg", Add = "add", Sub = "sub", SMin = "smin", SMax = "smax", UMin = "umin",
        UMax = "umax", And = "and", Or = "or", Xor = "xor", FAdd = "fadd", FMin = "fmin",
        FMax = "fmax",
    }
    MemoryOrder {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
    Scope {
        Invocation = "invocation", Subgroup = "subgroup", Workgroup = "workgroup",
        Device = "device", CrossDevice = "cross_device",
    }
    BuiltIn {
        GlobalId = "global_id", LocalId = "local_id", GroupId = "group_id",
        GlobalSize = "global_size", LocalSize = "local_size",
        EnqueuedLocalSize = "enqueued_local_size", NumGroups = "num_groups",
        GlobalOffset = "global_offset", WorkDim = "work_dim",
        GlobalLinearId = "global_linear_id", LocalLinearId = "local_linear_id",
        SubgroupSize = "subgroup_size", SubgroupMaxSize = "subgroup_max_size",
        NumSubgroups = "num_subgroups", NumEnqueuedSubgroups = "num_enqueued_subgroups",
        SubgroupId = "subgroup_id", SubgroupLocalId = "subgroup_local_id",
        SubgroupEqMask = "subgroup_eq_mask", SubgroupGeMask = "subgroup_ge_mask",
        SubgroupGtMask = "subgroup_gt_mask", SubgroupLeMask = "subgroup_le_mask",
        SubgroupLtMask = "subgroup_lt_mask", PrintfBuffer = "printf_buffer",
        AddressDelta = "address_delta", TerminationFlag = "termination_flag",
        PrivateMemory = "private_memory", CheckMemory = "check_memory",
        MaxWorkGroupSize = "max_work_group_size",
        RemainingRecursionLevels = "remaining_recursion_levels", ShaderIndex = "shader_index",
        DeviceLaunch = "device_launch", DeviceRecord = "device_record",
        DispatchGroup = "dispatch_group",
    }
    GroupOperation {
        Reduce = "reduce", InclusiveScan = "inclusive_scan", ExclusiveScan = "exclusive_scan",
        ClusteredReduce = "clustered_reduce",
    }
}

/// Group operations without a payload.
const PLAIN_GROUP_OPS: &[(GroupOp, &str)] = &[
    (GroupOp::Elect, "elect"),
    (GroupOp::All, "all"),
    (GroupOp::Any, "any"),
    (GroupOp::AllEqual, "all_equal"),
    (GroupOp::Broadcast, "broadcast"),
    (GroupOp::BroadcastFirst, "broadcast_first"),
    (GroupOp::Ballot, "ballot"),
    (GroupOp::InverseBallot, "inverse_ballot"),
    (GroupOp::BallotBitExtract, "ballot_bit_extract"),
    (GroupOp::BallotFindLsb, "ballot_find_lsb"),
    (GroupOp::BallotFindMsb, "ballot_find_msb"),
    (GroupOp::Shuffle, "shuffle"),
    (GroupOp::ShuffleXor, "shuffle_xor"),
    (GroupOp::ShuffleUp, "shuffle_up"),
    (GroupOp::ShuffleDown, "shuffle_down"),
    (GroupOp::Rotate, "rotate"),
    (GroupOp::AmdWriteInvocation, "amd_write_invocation"),
    (GroupOp::AmdMbcnt, "amd_mbcnt"),
];

impl GroupOp {
    /// The dotted words of the text form, e.g. `arith.add.reduce`.
    pub fn name(self) -> String {
        match self {
            GroupOp::Arithmetic(op, operation) => {
                format!("arith.{}.{}", op.name(), operation.name())
            }
            GroupOp::AmdArithmetic(op, operation) => {
                format!("amd_arith.{}.{}", op.name(), operation.name())
            }
            GroupOp::AmdSwizzle(lanes) => format!("amd_swizzle.{lanes}"),
            GroupOp::AmdSwizzleMasked([and, or, xor]) => {
                format!("amd_swizzle_masked.{and}.{or}.{xor}")
            }
            GroupOp::IMul(operation) => format!("imul.{}", operation.name()),
            GroupOp::FMul(operation) => format!("fmul.{}", operation.name()),
            GroupOp::FAddRelaxed(operation) => format!("fadd_relaxed.{}", operation.name()),
            GroupOp::BallotBitCount(operation) => {
                format!("ballot_bit_count.{}", operation.name())
            }
            plain => PLAIN_GROUP_OPS
                .iter()
                .find(|(op, _)| *op == plain)
                .map_or_else(|| format!("{plain:?}"), |(_, name)| (*name).to_string()),
        }
    }

    /// The operation that dotted words name.
    pub fn from_words(words: &[&str]) -> Option<Self> {
        Some(match *words {
            ["arith", op, operation] => GroupOp::Arithmetic(
                AtomicOp::from_name(op)?,
                GroupOperation::from_name(operation)?,
            ),
            ["amd_arith", op, operation] => GroupOp::AmdArithmetic(
                AtomicOp::from_name(op)?,
                GroupOperation::from_name(operation)?,
            ),
            ["amd_swizzle", lanes] => GroupOp::AmdSwizzle(lanes.parse().ok()?),
            ["amd_swizzle_masked", and, or, xor] => {
                GroupOp::AmdSwizzleMasked([and.parse().ok()?, or.parse().ok()?, xor.parse().ok()?])
            }
            ["imul", operation] => GroupOp::IMul(GroupOperation::from_name(operation)?),
            ["fmul", operation] => GroupOp::FMul(GroupOperation::from_name(operation)?),
            ["fadd_relaxed", operation] => {
                GroupOp::FAddRelaxed(GroupOperation::from_name(operation)?)
            }
            ["ballot_bit_count", operation] => {
                GroupOp::BallotBitCount(GroupOperation::from_name(operation)?)
            }
            [word] => PLAIN_GROUP_OPS.iter().find(|(_, name)| *name == word)?.0,
            _ => return None,
        })
    }
}

/// Math operations other than OpenCL.std's.
const PLAIN_MATH_OPS: &[(MathOp, &str)] = &[
    (MathOp::Fma, "fma"),
    (MathOp::Sqrt, "sqrt"),
    (MathOp::FAbs, "fabs"),
    (MathOp::Floor, "floor"),
    (MathOp::Ceil, "ceil"),
    (MathOp::Trunc, "trunc"),
    (MathOp::RoundEven, "round_even"),
    (MathOp::FMin, "fmin"),
    (MathOp::FMax, "fmax"),
    (MathOp::PopCount, "popcount"),
    (MathOp::Clz, "clz"),
    (MathOp::Ctz, "ctz"),
    (MathOp::BitReverse, "bit_reverse"),
    (MathOp::IsNan, "is_nan"),
    (MathOp::IsInf, "is_inf"),
    (MathOp::NativeSin, "native_sin"),
    (MathOp::NativeCos, "native_cos"),
    (MathOp::NativeExp2, "native_exp2"),
    (MathOp::NativeLog2, "native_log2"),
    (MathOp::NativeSqrt, "native_sqrt"),
    (MathOp::NativeRsqrt, "native_rsqrt"),
];

impl MathOp {
    /// The dotted words of the text form, e.g. `fma`, `ocl.sincos`.
    pub fn name(self) -> String {
        match self {
            MathOp::Ocl(op) => format!("ocl.{op:?}"),
            plain => PLAIN_MATH_OPS
                .iter()
                .find(|(op, _)| *op == plain)
                .map_or_else(|| format!("{plain:?}"), |(_, name)| (*name).to_string()),
        }
    }

    /// The operation at the start of `words`, and how many words it took.
    pub fn from_words(words: &[&str]) -> Option<(Self, usize)> {
        match *words {
            ["ocl", name, ..] => (0..=204)
                .filter_map(OpenclStd100Op::from_u32)
                .find(|op| format!("{op:?}") == name)
                .map(|op| (MathOp::Ocl(op), 2)),
            [word, ..] => PLAIN_MATH_OPS
                .iter()
                .find(|(_, name)| *name == word)
                .map(|&(op, _)| (op, 1)),
            [] => None,
        }
    }
}

impl Scalar {
    /// `i32`, `ptr.global`, …
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Ptr(AddressSpace::Private) => "ptr.private",
            Scalar::Ptr(AddressSpace::Global) => "ptr.global",
            Scalar::Ptr(AddressSpace::Constant) => "ptr.constant",
            Scalar::Ptr(AddressSpace::Local) => "ptr.local",
            Scalar::Ptr(AddressSpace::Generic) => "ptr.generic",
            Scalar::Matrix(_) => "matrix",
        }
    }

    /// The scalar that a word names.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Scalar::Bool,
            "i8" => Scalar::I8,
            "i16" => Scalar::I16,
            "i32" => Scalar::I32,
            "i64" => Scalar::I64,
            "f16" => Scalar::F16,
            "f32" => Scalar::F32,
            "f64" => Scalar::F64,
            other => match other.split('.').collect::<Vec<_>>()[..] {
                ["matrix", ref ty @ ..] => Scalar::Matrix(MatrixType::from_words(ty)?),
                _ => Scalar::Ptr(AddressSpace::from_name(other.strip_prefix("ptr.")?)?),
            },
        })
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.scalar.name())?;
        if let Some(matrix) = self.scalar.matrix() {
            write!(f, ".{matrix}")?;
        }
        if self.lanes != 1 {
            write!(f, "x{}", self.lanes)?;
        }
        Ok(())
    }
}

impl Type {
    /// The type that a word such as `f32x4` or `ptr.global` names.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(scalar) = Scalar::from_name(name) {
            return Some(Type::scalar(scalar));
        }
        let (scalar, lanes) = name.rsplit_once('x')?;
        let lanes = match lanes {
            "2" => 2,
            "3" => 3,
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        Some(Type::vector(Scalar::from_name(scalar)?, lanes))
    }
}

/// Words of the float flags, in printing order.
pub(super) const FLOAT_FLAGS: &[(super::super::FloatFlags, &str)] = {
    use super::super::FloatFlags as F;
    &[
        (F::NO_NAN, "nnan"),
        (F::NO_INF, "ninf"),
        (F::NO_SIGNED_ZERO, "nsz"),
        (F::ALLOW_RECIP, "arcp"),
        (F::REASSOC, "reassoc"),
        (F::CONTRACT, "contract"),
        (F::MAY_FLUSH, "mayflush"),
        (F::CORRECTLY_ROUNDED, "exact"),
    ]
};

/// The words of an access's flags, each behind a dot.
pub(super) fn access_flags(flags: AccessFlags) -> String {
    let mut out = String::new();
    if flags.contains(AccessFlags::VOLATILE) {
        out.push_str(".volatile");
    }
    if flags.contains(AccessFlags::NONTEMPORAL) {
        out.push_str(".nontemporal");
    }
    if flags.contains(AccessFlags::BYTE) {
        out.push_str(".byte");
    }
    if flags.contains(AccessFlags::SHORT) {
        out.push_str(".short");
    }
    if flags.contains(AccessFlags::READ_ONLY) {
        out.push_str(".readonly");
    }
    if flags.contains(AccessFlags::TOGETHER) {
        out.push_str(".together");
    }
    out
}
