//! Async copies from global to local memory, from local to global memory, and prefetch.

use super::Lower::{AsyncCopy, MemFence, Prefetch, WaitEvents};
use super::{Gate, Gentype, NO_GENTYPE, NUMBERS, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::of(NUMBERS),
        rows: &[
            row("event_t async_work_group_copy(__local gentype *dst, const __global gentype *src, size_t num_gentypes, event_t event)", AsyncCopy(false)),
            row("event_t async_work_group_copy(__global gentype *dst, const __local gentype *src, size_t num_gentypes, event_t event)", AsyncCopy(false)),
            row("event_t async_work_group_strided_copy(__local gentype *dst, const __global gentype *src, size_t num_gentypes, size_t src_stride, event_t event)", AsyncCopy(true)),
            row("event_t async_work_group_strided_copy(__global gentype *dst, const __local gentype *src, size_t num_gentypes, size_t dst_stride, event_t event)", AsyncCopy(true)),
            row("void wait_group_events(int num_events, event_t *event_list)", WaitEvents),
            row("void prefetch(const __global gentype *p, size_t num_gentypes)", Prefetch),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_async_work_group_copy_fence"),
        gentype: NO_GENTYPE,
        rows: &[
            row("void async_work_group_copy_fence(cl_mem_fence_flags flags)", MemFence(8)),
        ],
    },
];
