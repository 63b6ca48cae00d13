//! Atomic functions of C11.

use rspirv::spirv::Op;

use super::Lower::{
    AtomicCompareExchange, AtomicFlagClear, AtomicFlagTestAndSet, AtomicFloat, AtomicInit,
    AtomicLoad, AtomicRmw, AtomicStore,
};
use super::{Entry, Gate, Gentype, Table, row};
use pumice_target::options::ClStd;

/// cl_ext_float_atomics: sums and differences.
#[rustfmt::skip]
const FLOAT_SUMS: &[Entry] = &[
    row("C atomic_fetch_add(volatile __global|__local|__generic A *object, M operand)", AtomicFloat(Op::AtomicFAddEXT, false)),
    row("C atomic_fetch_add_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicFloat(Op::AtomicFAddEXT, false)),
    row("C atomic_fetch_add_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicFloat(Op::AtomicFAddEXT, false)),
    row("C atomic_fetch_sub(volatile __global|__local|__generic A *object, M operand)", AtomicFloat(Op::AtomicFAddEXT, true)),
    row("C atomic_fetch_sub_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicFloat(Op::AtomicFAddEXT, true)),
    row("C atomic_fetch_sub_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicFloat(Op::AtomicFAddEXT, true)),
];

/// cl_ext_float_atomics: minima and maxima.
#[rustfmt::skip]
const FLOAT_LIMITS: &[Entry] = &[
    row("C atomic_fetch_min(volatile __global|__local|__generic A *object, M operand)", AtomicFloat(Op::AtomicFMinEXT, false)),
    row("C atomic_fetch_min_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicFloat(Op::AtomicFMinEXT, false)),
    row("C atomic_fetch_min_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicFloat(Op::AtomicFMinEXT, false)),
    row("C atomic_fetch_max(volatile __global|__local|__generic A *object, M operand)", AtomicFloat(Op::AtomicFMaxEXT, false)),
    row("C atomic_fetch_max_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicFloat(Op::AtomicFMaxEXT, false)),
    row("C atomic_fetch_max_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicFloat(Op::AtomicFMaxEXT, false)),
];

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Std(ClStd::Cl20),
        gentype: Gentype::scalar("int, uint, long, ulong, float, double"),
        rows: &[
            row("void atomic_init(volatile __global|__local|__generic A *object, C value)", AtomicInit),
            row("void atomic_store_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order)", AtomicStore),
            row("void atomic_store_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order, memory_scope scope)", AtomicStore),
            row("C atomic_load_explicit(volatile __global|__local|__generic A *object, memory_order order)", AtomicLoad),
            row("C atomic_load_explicit(volatile __global|__local|__generic A *object, memory_order order, memory_scope scope)", AtomicLoad),
            row("C atomic_exchange_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order)", AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
            row("C atomic_exchange_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
            row("bool atomic_compare_exchange_strong_explicit(volatile __global|__local|__generic A *object, C *expected, C desired, memory_order success, memory_order failure)", AtomicCompareExchange),
            row("bool atomic_compare_exchange_strong_explicit(volatile __global|__local|__generic A *object, C *expected, C desired, memory_order success, memory_order failure, memory_scope scope)", AtomicCompareExchange),
            row("bool atomic_compare_exchange_weak_explicit(volatile __global|__local|__generic A *object, C *expected, C desired, memory_order success, memory_order failure)", AtomicCompareExchange),
            row("bool atomic_compare_exchange_weak_explicit(volatile __global|__local|__generic A *object, C *expected, C desired, memory_order success, memory_order failure, memory_scope scope)", AtomicCompareExchange),
            row("bool atomic_flag_test_and_set_explicit(volatile __global|__local|__generic atomic_flag *object, memory_order order)", AtomicFlagTestAndSet),
            row("bool atomic_flag_test_and_set_explicit(volatile __global|__local|__generic atomic_flag *object, memory_order order, memory_scope scope)", AtomicFlagTestAndSet),
            row("void atomic_flag_clear_explicit(volatile __global|__local|__generic atomic_flag *object, memory_order order)", AtomicFlagClear),
            row("void atomic_flag_clear_explicit(volatile __global|__local|__generic atomic_flag *object, memory_order order, memory_scope scope)", AtomicFlagClear),
        ],
    },
    Table {
        needs: Gate::Feature("__opencl_c_atomic_order_seq_cst"),
        gentype: Gentype::scalar("int, uint, long, ulong, float, double"),
        rows: &[
            row("void atomic_store(volatile __global|__local|__generic A *object, C desired)", AtomicStore),
            row("C atomic_load(volatile __global|__local|__generic A *object)", AtomicLoad),
            row("C atomic_exchange(volatile __global|__local|__generic A *object, C desired)", AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
            row("bool atomic_compare_exchange_strong(volatile __global|__local|__generic A *object, C *expected, C desired)", AtomicCompareExchange),
            row("bool atomic_compare_exchange_weak(volatile __global|__local|__generic A *object, C *expected, C desired)", AtomicCompareExchange),
            row("bool atomic_flag_test_and_set(volatile __global|__local|__generic atomic_flag *object)", AtomicFlagTestAndSet),
            row("void atomic_flag_clear(volatile __global|__local|__generic atomic_flag *object)", AtomicFlagClear),
        ],
    },
    Table {
        needs: Gate::Feature("__opencl_c_atomic_order_seq_cst"),
        gentype: Gentype::scalar("int, uint, long, ulong"),
        rows: &[
            row("C atomic_fetch_add(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("C atomic_fetch_sub(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicISub, Op::AtomicISub)),
            row("C atomic_fetch_or(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicOr, Op::AtomicOr)),
            row("C atomic_fetch_xor(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicXor, Op::AtomicXor)),
            row("C atomic_fetch_and(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicAnd, Op::AtomicAnd)),
            row("C atomic_fetch_min(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicSMin, Op::AtomicUMin)),
            row("C atomic_fetch_max(volatile __global|__local|__generic A *object, M operand)", AtomicRmw(Op::AtomicSMax, Op::AtomicUMax)),
        ],
    },
    Table {
        needs: Gate::Std(ClStd::Cl20),
        gentype: Gentype::scalar("int, uint, long, ulong"),
        rows: &[
            row("C atomic_fetch_add_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("C atomic_fetch_add_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("C atomic_fetch_sub_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicISub, Op::AtomicISub)),
            row("C atomic_fetch_sub_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicISub, Op::AtomicISub)),
            row("C atomic_fetch_or_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicOr, Op::AtomicOr)),
            row("C atomic_fetch_or_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicOr, Op::AtomicOr)),
            row("C atomic_fetch_xor_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicXor, Op::AtomicXor)),
            row("C atomic_fetch_xor_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicXor, Op::AtomicXor)),
            row("C atomic_fetch_and_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicAnd, Op::AtomicAnd)),
            row("C atomic_fetch_and_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicAnd, Op::AtomicAnd)),
            row("C atomic_fetch_min_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicSMin, Op::AtomicUMin)),
            row("C atomic_fetch_min_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicSMin, Op::AtomicUMin)),
            row("C atomic_fetch_max_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order)", AtomicRmw(Op::AtomicSMax, Op::AtomicUMax)),
            row("C atomic_fetch_max_explicit(volatile __global|__local|__generic A *object, M operand, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicSMax, Op::AtomicUMax)),
        ],
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp16_global_atomic_add"),
        gentype: Gentype::scalar("half"),
        rows: FLOAT_SUMS,
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp16_global_atomic_min_max"),
        gentype: Gentype::scalar("half"),
        rows: FLOAT_LIMITS,
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp32_global_atomic_add"),
        gentype: Gentype::scalar("float"),
        rows: FLOAT_SUMS,
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp32_global_atomic_min_max"),
        gentype: Gentype::scalar("float"),
        rows: FLOAT_LIMITS,
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp64_global_atomic_add"),
        gentype: Gentype::scalar("double"),
        rows: FLOAT_SUMS,
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp64_global_atomic_min_max"),
        gentype: Gentype::scalar("double"),
        rows: FLOAT_LIMITS,
    },
    Table {
        needs: Gate::Core("__opencl_c_ext_fp16_global_atomic_load_store"),
        gentype: Gentype::scalar("half"),
        rows: &[
            row("void atomic_init(volatile __global|__local|__generic A *object, C value)", AtomicInit),
            row("void atomic_store(volatile __global|__local|__generic A *object, C desired)", AtomicStore),
            row("void atomic_store_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order)", AtomicStore),
            row("void atomic_store_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order, memory_scope scope)", AtomicStore),
            row("C atomic_load(volatile __global|__local|__generic A *object)", AtomicLoad),
            row("C atomic_load_explicit(volatile __global|__local|__generic A *object, memory_order order)", AtomicLoad),
            row("C atomic_load_explicit(volatile __global|__local|__generic A *object, memory_order order, memory_scope scope)", AtomicLoad),
            row("C atomic_exchange(volatile __global|__local|__generic A *object, C desired)", AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
            row("C atomic_exchange_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order)", AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
            row("C atomic_exchange_explicit(volatile __global|__local|__generic A *object, C desired, memory_order order, memory_scope scope)", AtomicRmw(Op::AtomicExchange, Op::AtomicExchange)),
        ],
    },
];
