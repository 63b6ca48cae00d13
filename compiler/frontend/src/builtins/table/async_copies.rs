//! Async copies from global to local memory, from local to global memory, and prefetch.

use rspirv::spirv::Scope;

use super::Lower::{AsyncCopy, AsyncCopyLines, Barrier, Prefetch, WaitEvents};
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
        needs: Gate::Name("cl_khr_extended_async_copies"),
        gentype: NO_GENTYPE,
        rows: &[
            row("event_t async_work_group_copy_2D2D(__local void *dst, size_t dst_offset, const __global void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines, size_t src_total_line_length, size_t dst_total_line_length, event_t event)", AsyncCopyLines(false)),
            row("event_t async_work_group_copy_2D2D(__global void *dst, size_t dst_offset, const __local void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines, size_t src_total_line_length, size_t dst_total_line_length, event_t event)", AsyncCopyLines(false)),
            row("event_t async_work_group_copy_3D3D(__local void *dst, size_t dst_offset, const __global void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines, size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area, size_t dst_total_line_length, size_t dst_total_plane_area, event_t event)", AsyncCopyLines(true)),
            row("event_t async_work_group_copy_3D3D(__global void *dst, size_t dst_offset, const __local void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines, size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area, size_t dst_total_line_length, size_t dst_total_plane_area, event_t event)", AsyncCopyLines(true)),
        ],
    },
    // The work-items share a copy out: what one copies later another may have copied before.
    Table {
        needs: Gate::Name("cl_khr_async_work_group_copy_fence"),
        gentype: NO_GENTYPE,
        rows: &[
            row("void async_work_group_copy_fence(cl_mem_fence_flags flags)", Barrier(Scope::Workgroup)),
        ],
    },
];
