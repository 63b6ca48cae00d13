//! THE list of built-in functions: one row per name and lowering.
//!
//! Rows of one name stand together. A signature is `class result(parameters)`, alternatives
//! separated by `;`. The class says which element types K and how many lanes N the row stands
//! for; terms say how parameters derive from K and N:
//!
//! | class | K | | class | K |
//! |---|---|---|---|---|
//! | `f` | half, float, double | | `n` | int, uint |
//! | `y` `N` | uchar, ushort | | `H` `O` | short, ulong |
//! | `x` | float | | `L` | long, ulong |
//! | `h` | float, double | | `w` | 8- to 32-bit integers |
//! | `i` | all integers | | `j` | signed integers |
//! | `g` | all integers and floats | | `c` | `n`, `L` and `f` |
//! | `k` | `n`, `L`, float, double | | `K` | `n`, `L` |
//! | `o` | the same as `g` | | `l` | 8- and 16-bit integers |
//! | `-` | no K | | | |
//!
//! Behind the class: `v` only vectors, `s` only scalars, `4` up to 4 lanes, `3` 3 or 4 lanes,
//! `2` vectors of other than 3 lanes; nothing: any.
//!
//! | term | meaning | | term | meaning |
//! |---|---|---|---|---|
//! | `T` | K, N lanes | | `V` | K, lanes of the name |
//! | `s` | K | | `F` | float, lanes of the name |
//! | `U` `S` | unsigned, signed integer as wide as K, N lanes | | `L` | type in the name |
//! | `R` | result of a relation: int, or `S` for vectors | | `P` `Q` | K and `U` with M lanes |
//! | `I` | int, N lanes | | `W` | twice as wide as K, N lanes |
//! | `i` `u` `z` `b` `h` `k` | int, uint, size_t, bool, half, char | | `v` `e` | void, event_t |
//! | `A` `X` | atomic K, atomic int | | `B` | uint4 |
//! | `y` `N` | uchar, ushort | | `H` `O` | short, ulong |
//! | `x` | float | | `m` `q` `n` | sampler_t, queue_t, ndrange_t |
//! | `E` `r` | clk_event_t, reserve_id_t | | `M` | image, see below |
//! | `*` | pointer, see below | | `o` | behind a pointer: void |
//!
//! A number behind a letter gives lanes: `i2`, `x4`. An image is `M`, the letters of its types in
//! `sema::opaque` (`*` is all) and what it must allow: `r`eading or `w`riting, reading `o`nly,
//! `*` anything.
//!
//! A pointer is `*`, a space (`g` `l` `c` `p`, `a` any but constant, `G` the same as a
//! generic pointer, `r` any, `m` global or local; generic counts wherever the language has it), `c` const or `v` volatile, and the
//! pointee's term.

use rspirv::spirv::{
    BuiltIn, GroupOperation, Op, OpenclStd100Op as Std, Scope, SpvAmdShaderBallotOp as Amd,
};

use crate::lang::types::AddrSpace;
use pumice_target::options::ClStd;

/// Language version, extension or device feature that a row needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    None,
    /// A language version or later.
    Std(ClStd),
    /// An extension.
    Name(&'static str),
    /// OpenCL C 2.0, or a feature from 3.0 on.
    Feature(&'static str),
    /// An extension, or a feature from 3.0 on.
    Either(&'static str, &'static str),
    /// A feature of the device, in every language version.
    Device(&'static str),
    /// The same, from OpenCL C 2.0 on.
    Core(&'static str),
}

/// Lowering of a call to SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lower {
    /// An OpenCL.std instruction on the arguments; scalars widen to the result's lanes.
    Ocl(Std),
    /// The same by signedness of the first argument: signed, unsigned.
    OclSign(Std, Std),
    /// The same by kind: signed, unsigned, float.
    OclKind(Std, Std, Std),
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
    /// SPV_AMD_shader_ballot's reduction or scan: signed, unsigned, float opcodes.
    AmdArith([Op; 3], GroupOperation, Scope),
    /// An extended instruction of SPV_AMD_shader_ballot.
    AmdBallot(Amd),
    /// `to_global` and its like
    ToSpace(AddrSpace),
    /// `get_fence`
    GetFence,
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

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Name, or the family's name with `#`.
    pub name: &'static str,
    /// Signatures.
    pub signature: &'static str,
    /// Condition.
    pub gate: Gate,
    /// Lowering.
    pub lower: Lower,
}

const fn row(name: &'static str, signature: &'static str, gate: Gate, lower: Lower) -> Row {
    Row {
        name,
        signature,
        gate,
        lower,
    }
}

use Lower::{
    AmdArith, AmdBallot, AnyAll, AsType, AsyncCopy, AtomicCompareExchange, AtomicFlagClear,
    AtomicFlagTestAndSet, AtomicInit, AtomicLoad, AtomicRmw, AtomicStore, Barrier, BitOp,
    BitSelect, Convert, Device, Dot, Enqueue, GetFence, GroupArith, GroupBroadcast, GroupVote,
    Image, IntDot, KernelQuery, LegacyAtomic, MemFence, Nan, NdRange, NonUniform, NonUniformArith,
    NonUniformVote, Ocl, OclKind, OclSign, Pipe, Prefetch, Printf, ReadClock, Relation, Select,
    Shuffle, Shuffles, ToSpace, VLoad, VLoadHalf, VStore, VStoreHalf, WaitEvents, WorkItem,
    WorkItemDim, WorkItemFence,
};

/// All rows. Laid out by hand: one line each.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    // Math: one argument.
    row("acos", "f T(T)", Gate::None, Ocl(Std::acos)),
    row("acosh", "f T(T)", Gate::None, Ocl(Std::acosh)),
    row("acospi", "f T(T)", Gate::None, Ocl(Std::acospi)),
    row("asin", "f T(T)", Gate::None, Ocl(Std::asin)),
    row("asinh", "f T(T)", Gate::None, Ocl(Std::asinh)),
    row("asinpi", "f T(T)", Gate::None, Ocl(Std::asinpi)),
    row("atan", "f T(T)", Gate::None, Ocl(Std::atan)),
    row("atanh", "f T(T)", Gate::None, Ocl(Std::atanh)),
    row("atanpi", "f T(T)", Gate::None, Ocl(Std::atanpi)),
    row("cbrt", "f T(T)", Gate::None, Ocl(Std::cbrt)),
    row("ceil", "f T(T)", Gate::None, Ocl(Std::ceil)),
    row("cos", "f T(T)", Gate::None, Ocl(Std::cos)),
    row("cosh", "f T(T)", Gate::None, Ocl(Std::cosh)),
    row("cospi", "f T(T)", Gate::None, Ocl(Std::cospi)),
    row("erfc", "f T(T)", Gate::None, Ocl(Std::erfc)),
    row("erf", "f T(T)", Gate::None, Ocl(Std::erf)),
    row("exp", "f T(T)", Gate::None, Ocl(Std::exp)),
    row("exp2", "f T(T)", Gate::None, Ocl(Std::exp2)),
    row("exp10", "f T(T)", Gate::None, Ocl(Std::exp10)),
    row("expm1", "f T(T)", Gate::None, Ocl(Std::expm1)),
    row("fabs", "f T(T)", Gate::None, Ocl(Std::fabs)),
    row("floor", "f T(T)", Gate::None, Ocl(Std::floor)),
    row("lgamma", "f T(T)", Gate::None, Ocl(Std::lgamma)),
    row("log", "f T(T)", Gate::None, Ocl(Std::log)),
    row("log2", "f T(T)", Gate::None, Ocl(Std::log2)),
    row("log10", "f T(T)", Gate::None, Ocl(Std::log10)),
    row("log1p", "f T(T)", Gate::None, Ocl(Std::log1p)),
    row("logb", "f T(T)", Gate::None, Ocl(Std::logb)),
    row("rint", "f T(T)", Gate::None, Ocl(Std::rint)),
    row("round", "f T(T)", Gate::None, Ocl(Std::round)),
    row("rsqrt", "f T(T)", Gate::None, Ocl(Std::rsqrt)),
    row("sin", "f T(T)", Gate::None, Ocl(Std::sin)),
    row("sinh", "f T(T)", Gate::None, Ocl(Std::sinh)),
    row("sinpi", "f T(T)", Gate::None, Ocl(Std::sinpi)),
    row("sqrt", "f T(T)", Gate::None, Ocl(Std::sqrt)),
    row("tan", "f T(T)", Gate::None, Ocl(Std::tan)),
    row("tanh", "f T(T)", Gate::None, Ocl(Std::tanh)),
    row("tanpi", "f T(T)", Gate::None, Ocl(Std::tanpi)),
    row("tgamma", "f T(T)", Gate::None, Ocl(Std::tgamma)),
    row("trunc", "f T(T)", Gate::None, Ocl(Std::trunc)),
    // Math: two and three arguments.
    row("atan2", "f T(T,T)", Gate::None, Ocl(Std::atan2)),
    row("atan2pi", "f T(T,T)", Gate::None, Ocl(Std::atan2pi)),
    row("copysign", "f T(T,T)", Gate::None, Ocl(Std::copysign)),
    row("fdim", "f T(T,T)", Gate::None, Ocl(Std::fdim)),
    row("fmod", "f T(T,T)", Gate::None, Ocl(Std::fmod)),
    row("hypot", "f T(T,T)", Gate::None, Ocl(Std::hypot)),
    row("maxmag", "f T(T,T)", Gate::None, Ocl(Std::maxmag)),
    row("minmag", "f T(T,T)", Gate::None, Ocl(Std::minmag)),
    row("nextafter", "f T(T,T)", Gate::None, Ocl(Std::nextafter)),
    row("pow", "f T(T,T)", Gate::None, Ocl(Std::pow)),
    row("powr", "f T(T,T)", Gate::None, Ocl(Std::powr)),
    row("remainder", "f T(T,T)", Gate::None, Ocl(Std::remainder)),
    row("fmax", "f T(T,T);fv T(T,s)", Gate::None, Ocl(Std::fmax)),
    row("fmin", "f T(T,T);fv T(T,s)", Gate::None, Ocl(Std::fmin)),
    row("fma", "f T(T,T,T)", Gate::None, Ocl(Std::fma)),
    row("mad", "f T(T,T,T)", Gate::None, Ocl(Std::mad)),
    row("pown", "f T(T,I)", Gate::None, Ocl(Std::pown)),
    row("rootn", "f T(T,I)", Gate::None, Ocl(Std::rootn)),
    row("ldexp", "f T(T,I);fv T(T,i)", Gate::None, Ocl(Std::ldexp)),
    row("ilogb", "f I(T)", Gate::None, Ocl(Std::ilogb)),
    row("nan", "f T(U)", Gate::None, Nan),
    row("fract", "f T(T,*aT)", Gate::None, Ocl(Std::fract)),
    row("modf", "f T(T,*aT)", Gate::None, Ocl(Std::modf)),
    row("sincos", "f T(T,*aT)", Gate::None, Ocl(Std::sincos)),
    row("frexp", "f T(T,*aI)", Gate::None, Ocl(Std::frexp)),
    row("lgamma_r", "f T(T,*aI)", Gate::None, Ocl(Std::lgamma_r)),
    row("remquo", "f T(T,T,*aI)", Gate::None, Ocl(Std::remquo)),
    // Math: less precise, float only.
    row("half_cos", "x T(T)", Gate::None, Ocl(Std::half_cos)),
    row("native_cos", "x T(T)", Gate::None, Ocl(Std::native_cos)),
    row("half_exp", "x T(T)", Gate::None, Ocl(Std::half_exp)),
    row("native_exp", "x T(T)", Gate::None, Ocl(Std::native_exp)),
    row("half_exp2", "x T(T)", Gate::None, Ocl(Std::half_exp2)),
    row("native_exp2", "x T(T)", Gate::None, Ocl(Std::native_exp2)),
    row("half_exp10", "x T(T)", Gate::None, Ocl(Std::half_exp10)),
    row("native_exp10", "x T(T)", Gate::None, Ocl(Std::native_exp10)),
    row("half_log", "x T(T)", Gate::None, Ocl(Std::half_log)),
    row("native_log", "x T(T)", Gate::None, Ocl(Std::native_log)),
    row("half_log2", "x T(T)", Gate::None, Ocl(Std::half_log2)),
    row("native_log2", "x T(T)", Gate::None, Ocl(Std::native_log2)),
    row("half_log10", "x T(T)", Gate::None, Ocl(Std::half_log10)),
    row("native_log10", "x T(T)", Gate::None, Ocl(Std::native_log10)),
    row("half_recip", "x T(T)", Gate::None, Ocl(Std::half_recip)),
    row("native_recip", "x T(T)", Gate::None, Ocl(Std::native_recip)),
    row("half_rsqrt", "x T(T)", Gate::None, Ocl(Std::half_rsqrt)),
    row("native_rsqrt", "x T(T)", Gate::None, Ocl(Std::native_rsqrt)),
    row("half_sin", "x T(T)", Gate::None, Ocl(Std::half_sin)),
    row("native_sin", "x T(T)", Gate::None, Ocl(Std::native_sin)),
    row("half_sqrt", "x T(T)", Gate::None, Ocl(Std::half_sqrt)),
    row("native_sqrt", "x T(T)", Gate::None, Ocl(Std::native_sqrt)),
    row("half_tan", "x T(T)", Gate::None, Ocl(Std::half_tan)),
    row("native_tan", "x T(T)", Gate::None, Ocl(Std::native_tan)),
    row("half_divide", "x T(T,T)", Gate::None, Ocl(Std::half_divide)),
    row("native_divide", "x T(T,T)", Gate::None, Ocl(Std::native_divide)),
    row("half_powr", "x T(T,T)", Gate::None, Ocl(Std::half_powr)),
    row("native_powr", "x T(T,T)", Gate::None, Ocl(Std::native_powr)),
    // Integer.
    row("abs", "i U(T)", Gate::None, OclSign(Std::s_abs, Std::u_abs)),
    row("abs_diff", "i U(T,T)", Gate::None, OclSign(Std::s_abs_diff, Std::u_abs_diff)),
    row("add_sat", "i T(T,T)", Gate::None, OclSign(Std::s_add_sat, Std::u_add_sat)),
    row("hadd", "i T(T,T)", Gate::None, OclSign(Std::s_hadd, Std::u_hadd)),
    row("rhadd", "i T(T,T)", Gate::None, OclSign(Std::s_rhadd, Std::u_rhadd)),
    row("mul_hi", "i T(T,T)", Gate::None, OclSign(Std::s_mul_hi, Std::u_mul_hi)),
    row("sub_sat", "i T(T,T)", Gate::None, OclSign(Std::s_sub_sat, Std::u_sub_sat)),
    row("mad_hi", "i T(T,T,T)", Gate::None, OclSign(Std::s_mad_hi, Std::u_mad_hi)),
    row("mad_sat", "i T(T,T,T)", Gate::None, OclSign(Std::s_mad_sat, Std::u_mad_sat)),
    row("clz", "i T(T)", Gate::None, Ocl(Std::clz)),
    row("ctz", "i T(T)", Gate::Std(ClStd::Cl20), Ocl(Std::ctz)),
    row("popcount", "i T(T)", Gate::None, Ocl(Std::popcount)),
    row("rotate", "i T(T,T)", Gate::None, Ocl(Std::rotate)),
    row("upsample", "w W(T,U)", Gate::None, OclSign(Std::s_upsample, Std::u_upsample)),
    row("bit_reverse", "i T(T)", Gate::Name("cl_khr_extended_bit_ops"), BitOp(Op::BitReverse)),
    row("bitfield_insert", "i T(T,T,u,u)", Gate::Name("cl_khr_extended_bit_ops"), BitOp(Op::BitFieldInsert)),
    row("bitfield_extract_signed", "i S(T,u,u)", Gate::Name("cl_khr_extended_bit_ops"), BitOp(Op::BitFieldSExtract)),
    row("bitfield_extract_unsigned", "i U(T,u,u)", Gate::Name("cl_khr_extended_bit_ops"), BitOp(Op::BitFieldUExtract)),
    row("mad24", "n T(T,T,T)", Gate::None, OclSign(Std::s_mad24, Std::u_mad24)),
    row("mul24", "n T(T,T)", Gate::None, OclSign(Std::s_mul24, Std::u_mul24)),
    // Common; min, max and clamp serve integers and floats.
    row("max", "g T(T,T);gv T(T,s)", Gate::None, OclKind(Std::s_max, Std::u_max, Std::fmax_common)),
    row("min", "g T(T,T);gv T(T,s)", Gate::None, OclKind(Std::s_min, Std::u_min, Std::fmin_common)),
    row("clamp", "g T(T,T,T);gv T(T,s,s)", Gate::None, OclKind(Std::s_clamp, Std::u_clamp, Std::fclamp)),
    row("degrees", "f T(T)", Gate::None, Ocl(Std::degrees)),
    row("radians", "f T(T)", Gate::None, Ocl(Std::radians)),
    row("sign", "f T(T)", Gate::None, Ocl(Std::sign)),
    row("mix", "f T(T,T,T);fv T(T,T,s)", Gate::None, Ocl(Std::mix)),
    row("step", "f T(T,T);fv T(s,T)", Gate::None, Ocl(Std::step)),
    row("smoothstep", "f T(T,T,T);fv T(s,s,T)", Gate::None, Ocl(Std::smoothstep)),
    // Geometric.
    row("cross", "f3 T(T,T)", Gate::None, Ocl(Std::cross)),
    row("dot", "f4 s(T,T)", Gate::None, Dot),
    row("dot", "- u(y4,y4)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::UDot, false)),
    row("dot", "- i(k4,k4)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::SDot, false)),
    row("dot", "- i(k4,y4)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::SUDot, false)),
    row("dot", "- i(y4,k4)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::SUDot, true)),
    row("dot_acc_sat", "- u(y4,y4,u)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::UDotAccSat, false)),
    row("dot_acc_sat", "- i(k4,k4,i)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::SDotAccSat, false)),
    row("dot_acc_sat", "- i(k4,y4,i)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::SUDotAccSat, false)),
    row("dot_acc_sat", "- i(y4,k4,i)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"), IntDot(Op::SUDotAccSat, true)),
    // The same by ARM's names.
    row("arm_dot", "- u(y4,y4)", Gate::Name("cl_arm_integer_dot_product_int8"), IntDot(Op::UDot, false)),
    row("arm_dot", "- i(k4,k4)", Gate::Name("cl_arm_integer_dot_product_int8"), IntDot(Op::SDot, false)),
    row("arm_dot_acc", "- u(y4,y4,u)", Gate::Name("cl_arm_integer_dot_product_accumulate_int8"), IntDot(Op::UDot, false)),
    row("arm_dot_acc", "- i(k4,k4,i)", Gate::Name("cl_arm_integer_dot_product_accumulate_int8"), IntDot(Op::SDot, false)),
    row("arm_dot_acc", "- u(N2,N2,u)", Gate::Name("cl_arm_integer_dot_product_accumulate_int16"), IntDot(Op::UDot, false)),
    row("arm_dot_acc", "- i(H2,H2,i)", Gate::Name("cl_arm_integer_dot_product_accumulate_int16"), IntDot(Op::SDot, false)),
    row("arm_dot_acc_sat", "- u(y4,y4,u)", Gate::Name("cl_arm_integer_dot_product_accumulate_saturate_int8"), IntDot(Op::UDotAccSat, false)),
    row("arm_dot_acc_sat", "- i(k4,k4,i)", Gate::Name("cl_arm_integer_dot_product_accumulate_saturate_int8"), IntDot(Op::SDotAccSat, false)),
    row("dot_4x8packed_uu_uint", "- u(u,u)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::UDot, false)),
    row("dot_4x8packed_ss_int", "- i(u,u)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::SDot, false)),
    row("dot_4x8packed_su_int", "- i(u,u)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::SUDot, false)),
    row("dot_4x8packed_us_int", "- i(u,u)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::SUDot, true)),
    row("dot_acc_sat_4x8packed_uu_uint", "- u(u,u,u)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::UDotAccSat, false)),
    row("dot_acc_sat_4x8packed_ss_int", "- i(u,u,i)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::SDotAccSat, false)),
    row("dot_acc_sat_4x8packed_su_int", "- i(u,u,i)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::SUDotAccSat, false)),
    row("dot_acc_sat_4x8packed_us_int", "- i(u,u,i)", Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"), IntDot(Op::SUDotAccSat, true)),
    row("distance", "f4 s(T,T)", Gate::None, Ocl(Std::distance)),
    row("length", "f4 s(T)", Gate::None, Ocl(Std::length)),
    row("normalize", "f4 T(T)", Gate::None, Ocl(Std::normalize)),
    row("fast_distance", "x4 s(T,T)", Gate::None, Ocl(Std::fast_distance)),
    row("fast_length", "x4 s(T)", Gate::None, Ocl(Std::fast_length)),
    row("fast_normalize", "x4 T(T)", Gate::None, Ocl(Std::fast_normalize)),
    // Relational.
    row("isequal", "f R(T,T)", Gate::None, Relation(Op::FOrdEqual)),
    row("isnotequal", "f R(T,T)", Gate::None, Relation(Op::FUnordNotEqual)),
    row("isgreater", "f R(T,T)", Gate::None, Relation(Op::FOrdGreaterThan)),
    row("isgreaterequal", "f R(T,T)", Gate::None, Relation(Op::FOrdGreaterThanEqual)),
    row("isless", "f R(T,T)", Gate::None, Relation(Op::FOrdLessThan)),
    row("islessequal", "f R(T,T)", Gate::None, Relation(Op::FOrdLessThanEqual)),
    row("islessgreater", "f R(T,T)", Gate::None, Relation(Op::FOrdNotEqual)),
    row("isordered", "f R(T,T)", Gate::None, Relation(Op::Ordered)),
    row("isunordered", "f R(T,T)", Gate::None, Relation(Op::Unordered)),
    row("isfinite", "f R(T)", Gate::None, Relation(Op::IsFinite)),
    row("isinf", "f R(T)", Gate::None, Relation(Op::IsInf)),
    row("isnan", "f R(T)", Gate::None, Relation(Op::IsNan)),
    row("isnormal", "f R(T)", Gate::None, Relation(Op::IsNormal)),
    row("signbit", "f R(T)", Gate::None, Relation(Op::SignBitSet)),
    row("any", "j i(T)", Gate::None, AnyAll(Op::Any)),
    row("all", "j i(T)", Gate::None, AnyAll(Op::All)),
    row("bitselect", "g T(T,T,T)", Gate::None, BitSelect),
    row("select", "g T(T,T,S);g T(T,T,U)", Gate::None, Select),
    // Vector data. `#` marks families that `names` takes apart.
    row("vload#", "g V(z,*rcs)", Gate::None, VLoad),
    row("vstore#", "g v(V,z,*as)", Gate::None, VStore),
    row("vload_half#", "- F(z,*rch)", Gate::None, VLoadHalf(false)),
    row("vloada_half#", "- F(z,*rch)", Gate::None, VLoadHalf(true)),
    row("vstore_half#", "h v(V,z,*ah)", Gate::None, VStoreHalf(false)),
    row("vstorea_half#", "h v(V,z,*ah)", Gate::None, VStoreHalf(true)),
    row("shuffle", "g2 P(T,Q)", Gate::None, Shuffle),
    row("shuffle2", "g2 P(T,T,Q)", Gate::None, Shuffle),
    // Conversions.
    row("convert_#", "g L(T)", Gate::None, Convert),
    row("as_#", "g L(T)", Gate::None, AsType),
    // Work-items.
    row("get_work_dim", "- u()", Gate::None, WorkItem(BuiltIn::WorkDim)),
    row("get_global_size", "- z(u)", Gate::None, WorkItemDim(BuiltIn::GlobalSize, 1)),
    row("get_global_id", "- z(u)", Gate::None, WorkItemDim(BuiltIn::GlobalInvocationId, 0)),
    row("get_local_size", "- z(u)", Gate::None, WorkItemDim(BuiltIn::WorkgroupSize, 1)),
    row("get_local_id", "- z(u)", Gate::None, WorkItemDim(BuiltIn::LocalInvocationId, 0)),
    row("get_num_groups", "- z(u)", Gate::None, WorkItemDim(BuiltIn::NumWorkgroups, 1)),
    row("get_group_id", "- z(u)", Gate::None, WorkItemDim(BuiltIn::WorkgroupId, 0)),
    row("get_global_offset", "- z(u)", Gate::None, WorkItemDim(BuiltIn::GlobalOffset, 0)),
    row("get_enqueued_local_size", "- z(u)", Gate::Std(ClStd::Cl20), WorkItemDim(BuiltIn::EnqueuedWorkgroupSize, 1)),
    row("get_global_linear_id", "- z()", Gate::Std(ClStd::Cl20), WorkItem(BuiltIn::GlobalLinearId)),
    row("get_local_linear_id", "- z()", Gate::Std(ClStd::Cl20), WorkItem(BuiltIn::LocalInvocationIndex)),
    // Synchronisation.
    row("barrier", "- v(u)", Gate::None, Barrier(Scope::Workgroup)),
    row("work_group_barrier", "- v(u);- v(u,i)", Gate::Std(ClStd::Cl20), Barrier(Scope::Workgroup)),
    row("mem_fence", "- v(u)", Gate::None, MemFence(8)),
    row("read_mem_fence", "- v(u)", Gate::None, MemFence(2)),
    row("write_mem_fence", "- v(u)", Gate::None, MemFence(4)),
    row("atomic_work_item_fence", "- v(u,i,i)", Gate::Std(ClStd::Cl20), WorkItemFence),
    // Asynchronous copies and prefetch.
    row("async_work_group_copy", "g e(*lT,*gcT,z,e);g e(*gT,*lcT,z,e)", Gate::None, AsyncCopy(false)),
    row("async_work_group_strided_copy", "g e(*lT,*gcT,z,z,e);g e(*gT,*lcT,z,z,e)", Gate::None, AsyncCopy(true)),
    row("wait_group_events", "- v(i,*ae)", Gate::None, WaitEvents),
    row("prefetch", "g v(*gcT,z)", Gate::None, Prefetch),
    row("async_work_group_copy_fence", "- v(u)", Gate::Name("cl_khr_async_work_group_copy_fence"), MemFence(8)),
    // Clocks.
    row("clock_read_device", "- O()", Gate::Name("cl_khr_kernel_clock"), ReadClock(Scope::Device)),
    row("clock_read_hilo_device", "- u2()", Gate::Name("cl_khr_kernel_clock"), ReadClock(Scope::Device)),
    row("clock_read_sub_group", "- O()", Gate::Name("cl_khr_kernel_clock"), ReadClock(Scope::Subgroup)),
    row("clock_read_hilo_sub_group", "- u2()", Gate::Name("cl_khr_kernel_clock"), ReadClock(Scope::Subgroup)),
    // Atomic functions of OpenCL C 1.x.
    row("atomic_add", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
    row("atomic_add", "L s(*mvs,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
    row("atom_add", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
    row("atom_add", "L s(*mvs,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
    row("atomic_sub", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
    row("atomic_sub", "L s(*mvs,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
    row("atom_sub", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
    row("atom_sub", "L s(*mvs,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
    row("atomic_inc", "n s(*mvs)", Gate::None, LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
    row("atomic_inc", "L s(*mvs)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
    row("atom_inc", "n s(*mvs)", Gate::None, LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
    row("atom_inc", "L s(*mvs)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
    row("atomic_dec", "n s(*mvs)", Gate::None, LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
    row("atomic_dec", "L s(*mvs)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
    row("atom_dec", "n s(*mvs)", Gate::None, LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
    row("atom_dec", "L s(*mvs)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
    row("atomic_min", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
    row("atomic_min", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
    row("atom_min", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
    row("atom_min", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
    row("atomic_max", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
    row("atomic_max", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
    row("atom_max", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
    row("atom_max", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
    row("atomic_and", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
    row("atomic_and", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
    row("atom_and", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
    row("atom_and", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
    row("atomic_or", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
    row("atomic_or", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
    row("atom_or", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
    row("atom_or", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
    row("atomic_xor", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
    row("atomic_xor", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
    row("atom_xor", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
    row("atom_xor", "L s(*mvs,s)", Gate::Name("cl_khr_int64_extended_atomics"), LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
    row("atomic_xchg", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
    row("atomic_xchg", "x s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
    row("atomic_xchg", "L s(*mvs,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
    row("atom_xchg", "n s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
    row("atom_xchg", "x s(*mvs,s)", Gate::None, LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
    row("atom_xchg", "L s(*mvs,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
    row("atomic_cmpxchg", "n s(*mvs,s,s)", Gate::None, LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
    row("atomic_cmpxchg", "L s(*mvs,s,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
    row("atom_cmpxchg", "n s(*mvs,s,s)", Gate::None, LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
    row("atom_cmpxchg", "L s(*mvs,s,s)", Gate::Name("cl_khr_int64_base_atomics"), LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
    // C11 atomics.
    row("atomic_init", "k v(*mvA,s)", Gate::Std(ClStd::Cl20), AtomicInit),
    row("atomic_store", "k v(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicStore),
    row("atomic_store_explicit", "k v(*mvA,s,i);k v(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicStore),
    row("atomic_load", "k s(*mvA)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicLoad),
    row("atomic_load_explicit", "k s(*mvA,i);k s(*mvA,i,i)", Gate::Std(ClStd::Cl20), AtomicLoad),
    row("atomic_exchange", "k s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
    row("atomic_exchange_explicit", "k s(*mvA,s,i);k s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
    row("atomic_compare_exchange_strong", "k b(*mvA,*as,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicCompareExchange),
    row("atomic_compare_exchange_strong_explicit", "k b(*mvA,*as,s,i,i);k b(*mvA,*as,s,i,i,i)", Gate::Std(ClStd::Cl20), AtomicCompareExchange),
    row("atomic_compare_exchange_weak", "k b(*mvA,*as,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicCompareExchange),
    row("atomic_compare_exchange_weak_explicit", "k b(*mvA,*as,s,i,i);k b(*mvA,*as,s,i,i,i)", Gate::Std(ClStd::Cl20), AtomicCompareExchange),
    row("atomic_fetch_add", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicIAdd, Op::AtomicIAdd)),
    row("atomic_fetch_add_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicIAdd, Op::AtomicIAdd)),
    row("atomic_fetch_sub", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicISub, Op::AtomicISub)),
    row("atomic_fetch_sub_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicISub, Op::AtomicISub)),
    row("atomic_fetch_or", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicOr, Op::AtomicOr)),
    row("atomic_fetch_or_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicOr, Op::AtomicOr)),
    row("atomic_fetch_xor", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicXor, Op::AtomicXor)),
    row("atomic_fetch_xor_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicXor, Op::AtomicXor)),
    row("atomic_fetch_and", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicAnd, Op::AtomicAnd)),
    row("atomic_fetch_and_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicAnd, Op::AtomicAnd)),
    row("atomic_fetch_min", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicSMin, Op::AtomicUMin)),
    row("atomic_fetch_min_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicSMin, Op::AtomicUMin)),
    row("atomic_fetch_max", "K s(*mvA,s)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicRmw(Op::AtomicSMax, Op::AtomicUMax)),
    row("atomic_fetch_max_explicit", "K s(*mvA,s,i);K s(*mvA,s,i,i)", Gate::Std(ClStd::Cl20), AtomicRmw(Op::AtomicSMax, Op::AtomicUMax)),
    row("atomic_flag_test_and_set", "- b(*mvX)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicFlagTestAndSet),
    row("atomic_flag_test_and_set_explicit", "- b(*mvX,i);- b(*mvX,i,i)", Gate::Std(ClStd::Cl20), AtomicFlagTestAndSet),
    row("atomic_flag_clear", "- v(*mvX)", Gate::Feature("__opencl_c_atomic_order_seq_cst"), AtomicFlagClear),
    row("atomic_flag_clear_explicit", "- v(*mvX,i);- v(*mvX,i,i)", Gate::Std(ClStd::Cl20), AtomicFlagClear),
    // printf.
    row("printf", "- i(*cck)", Gate::None, Printf),
    // Sub-groups.
    row("get_sub_group_size", "- u()", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), WorkItem(BuiltIn::SubgroupSize)),
    row("get_max_sub_group_size", "- u()", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), WorkItem(BuiltIn::SubgroupMaxSize)),
    row("get_num_sub_groups", "- u()", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), WorkItem(BuiltIn::NumSubgroups)),
    row("get_enqueued_num_sub_groups", "- u()", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), WorkItem(BuiltIn::NumEnqueuedSubgroups)),
    row("get_sub_group_id", "- u()", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), WorkItem(BuiltIn::SubgroupId)),
    row("get_sub_group_local_id", "- u()", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), WorkItem(BuiltIn::SubgroupLocalInvocationId)),
    row("sub_group_barrier", "- v(u);- v(u,i)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), Barrier(Scope::Subgroup)),
    // Collectives.
    row("sub_group_all", "- i(i)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupVote(Op::GroupAll, Scope::Subgroup)),
    row("sub_group_any", "- i(i)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupVote(Op::GroupAny, Scope::Subgroup)),
    row("sub_group_broadcast", "cs s(s,u)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupBroadcast(Scope::Subgroup)),
    row("sub_group_broadcast", "ls s(s,u);gv T(T,u)", Gate::Name("cl_khr_subgroup_extended_types"), GroupBroadcast(Scope::Subgroup)),
    row("sub_group_reduce_add", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::Reduce, Scope::Subgroup)),
    row("sub_group_reduce_add", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::Reduce, Scope::Subgroup)),
    row("sub_group_reduce_min", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::Reduce, Scope::Subgroup)),
    row("sub_group_reduce_min", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::Reduce, Scope::Subgroup)),
    row("sub_group_reduce_max", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::Reduce, Scope::Subgroup)),
    row("sub_group_reduce_max", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::Reduce, Scope::Subgroup)),
    row("sub_group_scan_exclusive_add", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_exclusive_add", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_exclusive_min", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_exclusive_min", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_exclusive_max", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_exclusive_max", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_inclusive_add", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_inclusive_add", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_inclusive_min", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_inclusive_min", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_inclusive_max", "cs s(s)", Gate::Either("cl_khr_subgroups", "__opencl_c_subgroups"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("sub_group_scan_inclusive_max", "ls s(s)", Gate::Name("cl_khr_subgroup_extended_types"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("work_group_all", "- i(i)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupVote(Op::GroupAll, Scope::Workgroup)),
    row("work_group_any", "- i(i)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupVote(Op::GroupAny, Scope::Workgroup)),
    row("work_group_broadcast", "cs s(s,z);cs s(s,z,z);cs s(s,z,z,z)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupBroadcast(Scope::Workgroup)),
    row("work_group_reduce_add", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_min", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_max", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_scan_exclusive_add", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_min", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_max", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_add", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_min", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupSMin, Op::GroupUMin, Op::GroupFMin], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_max", "cs s(s)", Gate::Feature("__opencl_c_work_group_collective_functions"), GroupArith([Op::GroupSMax, Op::GroupUMax, Op::GroupFMax], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_reduce_mul", "cs s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupIMulKHR, Op::GroupIMulKHR, Op::GroupFMulKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_and", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseAndKHR, Op::GroupBitwiseAndKHR, Op::GroupBitwiseAndKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_or", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseOrKHR, Op::GroupBitwiseOrKHR, Op::GroupBitwiseOrKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_xor", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseXorKHR, Op::GroupBitwiseXorKHR, Op::GroupBitwiseXorKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_logical_and", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalAndKHR, Op::GroupLogicalAndKHR, Op::GroupLogicalAndKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_logical_or", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalOrKHR, Op::GroupLogicalOrKHR, Op::GroupLogicalOrKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_reduce_logical_xor", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalXorKHR, Op::GroupLogicalXorKHR, Op::GroupLogicalXorKHR], GroupOperation::Reduce, Scope::Workgroup)),
    row("work_group_scan_exclusive_mul", "cs s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupIMulKHR, Op::GroupIMulKHR, Op::GroupFMulKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_and", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseAndKHR, Op::GroupBitwiseAndKHR, Op::GroupBitwiseAndKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_or", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseOrKHR, Op::GroupBitwiseOrKHR, Op::GroupBitwiseOrKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_xor", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseXorKHR, Op::GroupBitwiseXorKHR, Op::GroupBitwiseXorKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_logical_and", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalAndKHR, Op::GroupLogicalAndKHR, Op::GroupLogicalAndKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_logical_or", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalOrKHR, Op::GroupLogicalOrKHR, Op::GroupLogicalOrKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_exclusive_logical_xor", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalXorKHR, Op::GroupLogicalXorKHR, Op::GroupLogicalXorKHR], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_mul", "cs s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupIMulKHR, Op::GroupIMulKHR, Op::GroupFMulKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_and", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseAndKHR, Op::GroupBitwiseAndKHR, Op::GroupBitwiseAndKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_or", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseOrKHR, Op::GroupBitwiseOrKHR, Op::GroupBitwiseOrKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_xor", "Ks s(s)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupBitwiseXorKHR, Op::GroupBitwiseXorKHR, Op::GroupBitwiseXorKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_logical_and", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalAndKHR, Op::GroupLogicalAndKHR, Op::GroupLogicalAndKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_logical_or", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalOrKHR, Op::GroupLogicalOrKHR, Op::GroupLogicalOrKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("work_group_scan_inclusive_logical_xor", "- i(i)", Gate::Name("cl_khr_work_group_uniform_arithmetic"), GroupArith([Op::GroupLogicalXorKHR, Op::GroupLogicalXorKHR, Op::GroupLogicalXorKHR], GroupOperation::InclusiveScan, Scope::Workgroup)),
    // Sub-group shuffles and votes (cl_khr_subgroup_*).
    row("sub_group_shuffle", "os s(s,u)", Gate::Name("cl_khr_subgroup_shuffle"), Shuffles(Op::GroupNonUniformShuffle)),
    row("sub_group_shuffle_xor", "os s(s,u)", Gate::Name("cl_khr_subgroup_shuffle"), Shuffles(Op::GroupNonUniformShuffleXor)),
    row("sub_group_shuffle_up", "os s(s,u)", Gate::Name("cl_khr_subgroup_shuffle_relative"), Shuffles(Op::GroupNonUniformShuffleUp)),
    row("sub_group_shuffle_down", "os s(s,u)", Gate::Name("cl_khr_subgroup_shuffle_relative"), Shuffles(Op::GroupNonUniformShuffleDown)),
    row("sub_group_elect", "- i()", Gate::Name("cl_khr_subgroup_non_uniform_vote"), NonUniformVote(Op::GroupNonUniformElect)),
    row("sub_group_non_uniform_all", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_vote"), NonUniformVote(Op::GroupNonUniformAll)),
    row("sub_group_non_uniform_any", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_vote"), NonUniformVote(Op::GroupNonUniformAny)),
    row("sub_group_non_uniform_all_equal", "os i(s)", Gate::Name("cl_khr_subgroup_non_uniform_vote"), NonUniformVote(Op::GroupNonUniformAllEqual)),
    // Further sub-group functions (cl_khr_subgroup_ballot, …_non_uniform_arithmetic, …_rotate).
    row("sub_group_non_uniform_broadcast", "o T(T,u)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBroadcast, None)),
    row("sub_group_broadcast_first", "cs s(s)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBroadcastFirst, None)),
    row("sub_group_ballot", "- B(i)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallot, None)),
    row("sub_group_inverse_ballot", "- i(B)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformInverseBallot, None)),
    row("sub_group_ballot_bit_extract", "- i(B,u)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallotBitExtract, None)),
    row("sub_group_ballot_find_lsb", "- u(B)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallotFindLSB, None)),
    row("sub_group_ballot_find_msb", "- u(B)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallotFindMSB, None)),
    row("sub_group_ballot_bit_count", "- u(B)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallotBitCount, Some(GroupOperation::Reduce))),
    row("sub_group_ballot_inclusive_scan", "- u(B)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallotBitCount, Some(GroupOperation::InclusiveScan))),
    row("sub_group_ballot_exclusive_scan", "- u(B)", Gate::Name("cl_khr_subgroup_ballot"), NonUniform(Op::GroupNonUniformBallotBitCount, Some(GroupOperation::ExclusiveScan))),
    row("get_sub_group_eq_mask", "- B()", Gate::Name("cl_khr_subgroup_ballot"), WorkItem(BuiltIn::SubgroupEqMask)),
    row("get_sub_group_ge_mask", "- B()", Gate::Name("cl_khr_subgroup_ballot"), WorkItem(BuiltIn::SubgroupGeMask)),
    row("get_sub_group_gt_mask", "- B()", Gate::Name("cl_khr_subgroup_ballot"), WorkItem(BuiltIn::SubgroupGtMask)),
    row("get_sub_group_le_mask", "- B()", Gate::Name("cl_khr_subgroup_ballot"), WorkItem(BuiltIn::SubgroupLeMask)),
    row("get_sub_group_lt_mask", "- B()", Gate::Name("cl_khr_subgroup_ballot"), WorkItem(BuiltIn::SubgroupLtMask)),
    row("sub_group_non_uniform_reduce_add", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_mul", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformIMul, Op::GroupNonUniformIMul, Op::GroupNonUniformFMul], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_min", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformSMin, Op::GroupNonUniformUMin, Op::GroupNonUniformFMin], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_max", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformSMax, Op::GroupNonUniformUMax, Op::GroupNonUniformFMax], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_and", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_or", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_xor", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_logical_and", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_logical_or", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr], GroupOperation::Reduce)),
    row("sub_group_non_uniform_reduce_logical_xor", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor], GroupOperation::Reduce)),
    row("sub_group_non_uniform_scan_inclusive_add", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_mul", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformIMul, Op::GroupNonUniformIMul, Op::GroupNonUniformFMul], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_min", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformSMin, Op::GroupNonUniformUMin, Op::GroupNonUniformFMin], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_max", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformSMax, Op::GroupNonUniformUMax, Op::GroupNonUniformFMax], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_and", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_or", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_xor", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_logical_and", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_logical_or", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_inclusive_logical_xor", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor], GroupOperation::InclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_add", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_mul", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformIMul, Op::GroupNonUniformIMul, Op::GroupNonUniformFMul], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_min", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformSMin, Op::GroupNonUniformUMin, Op::GroupNonUniformFMin], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_max", "os s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformSMax, Op::GroupNonUniformUMax, Op::GroupNonUniformFMax], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_and", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_or", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_xor", "is s(s)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_logical_and", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_logical_or", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr], GroupOperation::ExclusiveScan)),
    row("sub_group_non_uniform_scan_exclusive_logical_xor", "- i(i)", Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"), NonUniformArith([Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor], GroupOperation::ExclusiveScan)),
    row("sub_group_clustered_reduce_add", "os s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_mul", "os s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformIMul, Op::GroupNonUniformIMul, Op::GroupNonUniformFMul], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_min", "os s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformSMin, Op::GroupNonUniformUMin, Op::GroupNonUniformFMin], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_max", "os s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformSMax, Op::GroupNonUniformUMax, Op::GroupNonUniformFMax], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_and", "is s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseAnd], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_or", "is s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformBitwiseOr], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_xor", "is s(s,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformBitwiseXor], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_logical_and", "- i(i,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalAnd], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_logical_or", "- i(i,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalOr], GroupOperation::ClusteredReduce)),
    row("sub_group_clustered_reduce_logical_xor", "- i(i,u)", Gate::Name("cl_khr_subgroup_clustered_reduce"), NonUniformArith([Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor, Op::GroupNonUniformLogicalXor], GroupOperation::ClusteredReduce)),
    row("sub_group_rotate", "os s(s,i)", Gate::Name("cl_khr_subgroup_rotate"), NonUniform(Op::GroupNonUniformRotateKHR, None)),
    row("sub_group_clustered_rotate", "os s(s,i,u)", Gate::Name("cl_khr_subgroup_rotate"), NonUniform(Op::GroupNonUniformRotateKHR, None)),
    // SPV_AMD_shader_ballot (docs/cl_pumice_amd_shader_ballot.md).
    row("amd_sub_group_reduce_add", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupIAddNonUniformAMD, Op::GroupIAddNonUniformAMD, Op::GroupFAddNonUniformAMD], GroupOperation::Reduce, Scope::Subgroup)),
    row("amd_sub_group_reduce_min", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMinNonUniformAMD, Op::GroupUMinNonUniformAMD, Op::GroupFMinNonUniformAMD], GroupOperation::Reduce, Scope::Subgroup)),
    row("amd_sub_group_reduce_max", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMaxNonUniformAMD, Op::GroupUMaxNonUniformAMD, Op::GroupFMaxNonUniformAMD], GroupOperation::Reduce, Scope::Subgroup)),
    row("amd_sub_group_scan_inclusive_add", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupIAddNonUniformAMD, Op::GroupIAddNonUniformAMD, Op::GroupFAddNonUniformAMD], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("amd_sub_group_scan_inclusive_min", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMinNonUniformAMD, Op::GroupUMinNonUniformAMD, Op::GroupFMinNonUniformAMD], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("amd_sub_group_scan_inclusive_max", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMaxNonUniformAMD, Op::GroupUMaxNonUniformAMD, Op::GroupFMaxNonUniformAMD], GroupOperation::InclusiveScan, Scope::Subgroup)),
    row("amd_sub_group_scan_exclusive_add", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupIAddNonUniformAMD, Op::GroupIAddNonUniformAMD, Op::GroupFAddNonUniformAMD], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("amd_sub_group_scan_exclusive_min", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMinNonUniformAMD, Op::GroupUMinNonUniformAMD, Op::GroupFMinNonUniformAMD], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("amd_sub_group_scan_exclusive_max", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMaxNonUniformAMD, Op::GroupUMaxNonUniformAMD, Op::GroupFMaxNonUniformAMD], GroupOperation::ExclusiveScan, Scope::Subgroup)),
    row("amd_work_group_reduce_add", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupIAddNonUniformAMD, Op::GroupIAddNonUniformAMD, Op::GroupFAddNonUniformAMD], GroupOperation::Reduce, Scope::Workgroup)),
    row("amd_work_group_reduce_min", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMinNonUniformAMD, Op::GroupUMinNonUniformAMD, Op::GroupFMinNonUniformAMD], GroupOperation::Reduce, Scope::Workgroup)),
    row("amd_work_group_reduce_max", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMaxNonUniformAMD, Op::GroupUMaxNonUniformAMD, Op::GroupFMaxNonUniformAMD], GroupOperation::Reduce, Scope::Workgroup)),
    row("amd_work_group_scan_inclusive_add", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupIAddNonUniformAMD, Op::GroupIAddNonUniformAMD, Op::GroupFAddNonUniformAMD], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("amd_work_group_scan_inclusive_min", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMinNonUniformAMD, Op::GroupUMinNonUniformAMD, Op::GroupFMinNonUniformAMD], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("amd_work_group_scan_inclusive_max", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMaxNonUniformAMD, Op::GroupUMaxNonUniformAMD, Op::GroupFMaxNonUniformAMD], GroupOperation::InclusiveScan, Scope::Workgroup)),
    row("amd_work_group_scan_exclusive_add", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupIAddNonUniformAMD, Op::GroupIAddNonUniformAMD, Op::GroupFAddNonUniformAMD], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("amd_work_group_scan_exclusive_min", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMinNonUniformAMD, Op::GroupUMinNonUniformAMD, Op::GroupFMinNonUniformAMD], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("amd_work_group_scan_exclusive_max", "os s(s)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdArith([Op::GroupSMaxNonUniformAMD, Op::GroupUMaxNonUniformAMD, Op::GroupFMaxNonUniformAMD], GroupOperation::ExclusiveScan, Scope::Workgroup)),
    row("amd_sub_group_swizzle", "o T(T,u,u,u,u)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdBallot(Amd::SwizzleInvocationsAMD)),
    row("amd_sub_group_swizzle_masked", "o T(T,u,u,u)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdBallot(Amd::SwizzleInvocationsMaskedAMD)),
    row("amd_sub_group_write_invocation", "o T(T,T,u)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdBallot(Amd::WriteInvocationAMD)),
    row("amd_sub_group_mbcnt", "- u(u)", Gate::Name("cl_pumice_amd_shader_ballot"), AmdBallot(Amd::MbcntAMD)),
    // Address space qualifier functions; `overload` takes any pointer here.
    row("to_global", "", Gate::Feature("__opencl_c_generic_address_space"), ToSpace(AddrSpace::Global)),
    row("to_local", "", Gate::Feature("__opencl_c_generic_address_space"), ToSpace(AddrSpace::Local)),
    row("to_private", "", Gate::Feature("__opencl_c_generic_address_space"), ToSpace(AddrSpace::Private)),
    row("get_fence", "", Gate::Feature("__opencl_c_generic_address_space"), GetFence),
    // Images.
    row("read_imagef", "- x4(M1o,m,i);- x4(M1o,m,x);- x4(Ma2o,m,i2);- x4(Ma2o,m,x2);- x4(MA3o,m,i4);- x4(MA3o,m,x4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imagef", "- x4(M1br,i);- x4(Ma2r,i2);- x4(MA3r,i4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imagef", "- x4(Mmr,i2,i);- x4(Mnr,i4,i)", Gate::Name("cl_khr_gl_msaa_sharing"), Image(ImageOp::Read)),
    row("read_imagef", "- x4(M1o,m,x,x);- x4(M1o,m,x,x,x);- x4(Mao,m,x2,x);- x4(Mao,m,x2,x,x);- x4(M2o,m,x2,x);- x4(M2o,m,x2,x2,x2);- x4(MAo,m,x4,x);- x4(MAo,m,x4,x2,x2);- x4(M3o,m,x4,x);- x4(M3o,m,x4,x4,x4)", Gate::Name("cl_khr_mipmap_image"), Image(ImageOp::Read)),
    row("read_imagef", "- x(Mdo,m,i2);- x(Mdo,m,x2);- x(MDo,m,i4);- x(MDo,m,x4);- x(Mdr,i2);- x(MDr,i4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imagef", "- x(Mpr,i2,i);- x(Mqr,i4,i)", Gate::Name("cl_khr_gl_msaa_sharing"), Image(ImageOp::Read)),
    row("read_imagef", "- x(Mdo,m,x2,x);- x(Mdo,m,x2,x2,x2);- x(MDo,m,x4,x);- x(MDo,m,x4,x2,x2)", Gate::Name("cl_khr_mipmap_image"), Image(ImageOp::Read)),
    row("read_imagei", "- i4(M1o,m,i);- i4(M1o,m,x);- i4(Ma2o,m,i2);- i4(Ma2o,m,x2);- i4(MA3o,m,i4);- i4(MA3o,m,x4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imagei", "- i4(M1br,i);- i4(Ma2r,i2);- i4(MA3r,i4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imagei", "- i4(Mmr,i2,i);- i4(Mnr,i4,i)", Gate::Name("cl_khr_gl_msaa_sharing"), Image(ImageOp::Read)),
    row("read_imagei", "- i4(M1o,m,x,x);- i4(M1o,m,x,x,x);- i4(Mao,m,x2,x);- i4(Mao,m,x2,x,x);- i4(M2o,m,x2,x);- i4(M2o,m,x2,x2,x2);- i4(MAo,m,x4,x);- i4(MAo,m,x4,x2,x2);- i4(M3o,m,x4,x);- i4(M3o,m,x4,x4,x4)", Gate::Name("cl_khr_mipmap_image"), Image(ImageOp::Read)),
    row("read_imageui", "- u4(M1o,m,i);- u4(M1o,m,x);- u4(Ma2o,m,i2);- u4(Ma2o,m,x2);- u4(MA3o,m,i4);- u4(MA3o,m,x4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imageui", "- u4(M1br,i);- u4(Ma2r,i2);- u4(MA3r,i4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Read)),
    row("read_imageui", "- u4(Mmr,i2,i);- u4(Mnr,i4,i)", Gate::Name("cl_khr_gl_msaa_sharing"), Image(ImageOp::Read)),
    row("read_imageui", "- u4(M1o,m,x,x);- u4(M1o,m,x,x,x);- u4(Mao,m,x2,x);- u4(Mao,m,x2,x,x);- u4(M2o,m,x2,x);- u4(M2o,m,x2,x2,x2);- u4(MAo,m,x4,x);- u4(MAo,m,x4,x2,x2);- u4(M3o,m,x4,x);- u4(M3o,m,x4,x4,x4)", Gate::Name("cl_khr_mipmap_image"), Image(ImageOp::Read)),
    row("read_imageh", "- h4(M1o,m,i);- h4(M1o,m,x);- h4(Ma2o,m,i2);- h4(Ma2o,m,x2);- h4(MA3o,m,i4);- h4(MA3o,m,x4)", Gate::Name("cl_khr_fp16"), Image(ImageOp::Read)),
    row("read_imageh", "- h4(M1br,i);- h4(Ma2r,i2);- h4(MA3r,i4)", Gate::Name("cl_khr_fp16"), Image(ImageOp::Read)),
    row("write_imagef", "- v(M1bw,i,x4);- v(Ma2w,i2,x4);- v(MAw,i4,x4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Write)),
    row("write_imagef", "- v(M3w,i4,x4)", Gate::Either("cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"), Image(ImageOp::Write)),
    row("write_imagef", "- v(Mdw,i2,x);- v(MDw,i4,x)", Gate::Device("__opencl_c_images"), Image(ImageOp::Write)),
    row("write_imagei", "- v(M1bw,i,i4);- v(Ma2w,i2,i4);- v(MAw,i4,i4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Write)),
    row("write_imagei", "- v(M3w,i4,i4)", Gate::Either("cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"), Image(ImageOp::Write)),
    row("write_imageui", "- v(M1bw,i,u4);- v(Ma2w,i2,u4);- v(MAw,i4,u4)", Gate::Device("__opencl_c_images"), Image(ImageOp::Write)),
    row("write_imageui", "- v(M3w,i4,u4)", Gate::Either("cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"), Image(ImageOp::Write)),
    row("write_imageh", "- v(M1bw,i,h4);- v(Ma2w,i2,h4);- v(MAw,i4,h4)", Gate::Name("cl_khr_fp16"), Image(ImageOp::Write)),
    row("write_imageh", "- v(M3w,i4,h4)", Gate::Either("cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"), Image(ImageOp::Write)),
    row("get_image_width", "- i(M**)", Gate::Device("__opencl_c_images"), Image(ImageOp::Size(Some(0)))),
    row("get_image_height", "- i(M2AdDmnpq3*)", Gate::Device("__opencl_c_images"), Image(ImageOp::Size(Some(1)))),
    row("get_image_depth", "- i(M3*)", Gate::Device("__opencl_c_images"), Image(ImageOp::Size(Some(2)))),
    row("get_image_array_size", "- z(MaADnq*)", Gate::Device("__opencl_c_images"), Image(ImageOp::Size(None))),
    row("get_image_dim", "- i2(M2AdDmnpq*);- i4(M3*)", Gate::Device("__opencl_c_images"), Image(ImageOp::Dim)),
    row("get_image_channel_data_type", "- i(M**)", Gate::Device("__opencl_c_images"), Image(ImageOp::Format)),
    row("get_image_channel_order", "- i(M**)", Gate::Device("__opencl_c_images"), Image(ImageOp::Order)),
    row("get_image_num_samples", "- i(Mmnpq*)", Gate::Name("cl_khr_gl_msaa_sharing"), Image(ImageOp::Samples)),
    row("get_image_num_mip_levels", "- i(M1a2AdD3*)", Gate::Name("cl_khr_mipmap_image"), Image(ImageOp::Levels)),
    // Pipes; `special` takes any pipe here.
    row("read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::ReadPipe, None)),
    row("write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::WritePipe, None)),
    row("reserve_read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::ReserveReadPipePackets, None)),
    row("reserve_write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::ReserveWritePipePackets, None)),
    row("commit_read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::CommitReadPipe, None)),
    row("commit_write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::CommitWritePipe, None)),
    row("work_group_reserve_read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupReserveReadPipePackets, Some(Scope::Workgroup))),
    row("work_group_reserve_write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupReserveWritePipePackets, Some(Scope::Workgroup))),
    row("work_group_commit_read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupCommitReadPipe, Some(Scope::Workgroup))),
    row("work_group_commit_write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupCommitWritePipe, Some(Scope::Workgroup))),
    row("sub_group_reserve_read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupReserveReadPipePackets, Some(Scope::Subgroup))),
    row("sub_group_reserve_write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupReserveWritePipePackets, Some(Scope::Subgroup))),
    row("sub_group_commit_read_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupCommitReadPipe, Some(Scope::Subgroup))),
    row("sub_group_commit_write_pipe", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GroupCommitWritePipe, Some(Scope::Subgroup))),
    row("get_pipe_num_packets", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GetNumPipePackets, None)),
    row("get_pipe_max_packets", "", Gate::Core("__opencl_c_pipes"), Pipe(Op::GetMaxPipePackets, None)),
    row("is_valid_reserve_id", "- b(r)", Gate::Core("__opencl_c_pipes"), Device(Op::IsValidReserveId)),
    // Device-side enqueue; sema takes the blocks apart.
    row("enqueue_kernel", "", Gate::Core("__opencl_c_device_enqueue"), Enqueue),
    row("get_kernel_work_group_size", "", Gate::Core("__opencl_c_device_enqueue"), KernelQuery(Op::GetKernelWorkGroupSize)),
    row("get_kernel_preferred_work_group_size_multiple", "", Gate::Core("__opencl_c_device_enqueue"), KernelQuery(Op::GetKernelPreferredWorkGroupSizeMultiple)),
    row("get_kernel_sub_group_count_for_ndrange", "", Gate::Core("__opencl_c_device_enqueue"), KernelQuery(Op::GetKernelNDrangeSubGroupCount)),
    row("get_kernel_max_sub_group_size_for_ndrange", "", Gate::Core("__opencl_c_device_enqueue"), KernelQuery(Op::GetKernelNDrangeMaxSubGroupSize)),
    row("enqueue_marker", "- i(q,u,*GcE,*GE)", Gate::Core("__opencl_c_device_enqueue"), Device(Op::EnqueueMarker)),
    row("retain_event", "- v(E)", Gate::Core("__opencl_c_device_enqueue"), Device(Op::RetainEvent)),
    row("release_event", "- v(E)", Gate::Core("__opencl_c_device_enqueue"), Device(Op::ReleaseEvent)),
    row("create_user_event", "- E()", Gate::Core("__opencl_c_device_enqueue"), Device(Op::CreateUserEvent)),
    row("is_valid_event", "- b(E)", Gate::Core("__opencl_c_device_enqueue"), Device(Op::IsValidEvent)),
    row("set_user_event_status", "- v(E,i)", Gate::Core("__opencl_c_device_enqueue"), Device(Op::SetUserEventStatus)),
    row("capture_event_profiling_info", "- v(E,i,*go)", Gate::Core("__opencl_c_device_enqueue"), Device(Op::CaptureEventProfilingInfo)),
    row("get_default_queue", "- q()", Gate::Core("__opencl_c_device_enqueue"), Device(Op::GetDefaultQueue)),
    row("ndrange_1D", "- n(z);- n(z,z);- n(z,z,z)", Gate::Core("__opencl_c_device_enqueue"), NdRange(1)),
    row("ndrange_2D", "- n(*rcz);- n(*rcz,*rcz);- n(*rcz,*rcz,*rcz)", Gate::Core("__opencl_c_device_enqueue"), NdRange(2)),
    row("ndrange_3D", "- n(*rcz);- n(*rcz,*rcz);- n(*rcz,*rcz,*rcz)", Gate::Core("__opencl_c_device_enqueue"), NdRange(3)),
];
