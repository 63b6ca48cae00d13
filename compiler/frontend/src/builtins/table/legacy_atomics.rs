//! Atomic functions of OpenCL C 1.x.

use rspirv::spirv::Op;

use super::Lower::LegacyAtomic;
use super::{Gate, Gentype, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::scalar("int, uint"),
        rows: &[
            row("gentype atomic_add(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("gentype atom_add(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("gentype atomic_sub(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
            row("gentype atom_sub(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
            row("gentype atomic_inc(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
            row("gentype atom_inc(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
            row("gentype atomic_dec(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
            row("gentype atom_dec(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
            row("gentype atomic_min(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
            row("gentype atom_min(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
            row("gentype atomic_max(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
            row("gentype atom_max(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
            row("gentype atomic_and(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
            row("gentype atom_and(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
            row("gentype atomic_or(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
            row("gentype atom_or(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
            row("gentype atomic_xor(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
            row("gentype atom_xor(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
            row("gentype atomic_xchg(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
            row("gentype atom_xchg(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
            row("gentype atomic_cmpxchg(volatile __global|__local gentype *p, gentype cmp, gentype val)", LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
            row("gentype atom_cmpxchg(volatile __global|__local gentype *p, gentype cmp, gentype val)", LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::scalar("float"),
        rows: &[
            row("gentype atomic_xchg(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
            row("gentype atom_xchg(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_int64_base_atomics"),
        gentype: Gentype::scalar("long, ulong"),
        rows: &[
            row("gentype atomic_add(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("gentype atom_add(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicIAdd, Op::AtomicIAdd)),
            row("gentype atomic_sub(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
            row("gentype atom_sub(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicISub, Op::AtomicISub)),
            row("gentype atomic_inc(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
            row("gentype atom_inc(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIIncrement, Op::AtomicIIncrement)),
            row("gentype atomic_dec(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
            row("gentype atom_dec(volatile __global|__local gentype *p)", LegacyAtomic(Op::AtomicIDecrement, Op::AtomicIDecrement)),
            row("gentype atomic_xchg(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
            row("gentype atom_xchg(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicExchange, Op::AtomicExchange)),
            row("gentype atomic_cmpxchg(volatile __global|__local gentype *p, gentype cmp, gentype val)", LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
            row("gentype atom_cmpxchg(volatile __global|__local gentype *p, gentype cmp, gentype val)", LegacyAtomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_int64_extended_atomics"),
        gentype: Gentype::scalar("long, ulong"),
        rows: &[
            row("gentype atomic_min(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
            row("gentype atom_min(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMin, Op::AtomicUMin)),
            row("gentype atomic_max(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
            row("gentype atom_max(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicSMax, Op::AtomicUMax)),
            row("gentype atomic_and(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
            row("gentype atom_and(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicAnd, Op::AtomicAnd)),
            row("gentype atomic_or(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
            row("gentype atom_or(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicOr, Op::AtomicOr)),
            row("gentype atomic_xor(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
            row("gentype atom_xor(volatile __global|__local gentype *p, gentype val)", LegacyAtomic(Op::AtomicXor, Op::AtomicXor)),
        ],
    },
];
