//! Synchronization and memory fence functions.

use rspirv::spirv::Scope;

use super::Lower::{Barrier, MemFence, WorkItemFence};
use super::{Gate, NO_GENTYPE, Table, row};
use pumice_target::options::ClStd;

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: NO_GENTYPE,
        rows: &[
            row("void barrier(cl_mem_fence_flags flags)", Barrier(Scope::Workgroup)),
            row("void mem_fence(cl_mem_fence_flags flags)", MemFence(8)),
            row("void read_mem_fence(cl_mem_fence_flags flags)", MemFence(2)),
            row("void write_mem_fence(cl_mem_fence_flags flags)", MemFence(4)),
        ],
    },
    Table {
        needs: Gate::Std(ClStd::Cl20),
        gentype: NO_GENTYPE,
        rows: &[
            row("void work_group_barrier(cl_mem_fence_flags flags)", Barrier(Scope::Workgroup)),
            row("void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)", Barrier(Scope::Workgroup)),
            row("void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)", WorkItemFence),
        ],
    },
];
