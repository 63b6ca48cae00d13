//! Work-item functions.

use rspirv::spirv::BuiltIn;

use super::Lower::{WorkItem, WorkItemDim};
use super::{Gate, NO_GENTYPE, Table, row};
use pumice_target::options::ClStd;

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: NO_GENTYPE,
        rows: &[
            row("uint get_work_dim()", WorkItem(BuiltIn::WorkDim)),
            row("size_t get_global_size(uint dimindx)", WorkItemDim(BuiltIn::GlobalSize, 1)),
            row("size_t get_global_id(uint dimindx)", WorkItemDim(BuiltIn::GlobalInvocationId, 0)),
            row("size_t get_local_size(uint dimindx)", WorkItemDim(BuiltIn::WorkgroupSize, 1)),
            row("size_t get_local_id(uint dimindx)", WorkItemDim(BuiltIn::LocalInvocationId, 0)),
            row("size_t get_num_groups(uint dimindx)", WorkItemDim(BuiltIn::NumWorkgroups, 1)),
            row("size_t get_group_id(uint dimindx)", WorkItemDim(BuiltIn::WorkgroupId, 0)),
            row("size_t get_global_offset(uint dimindx)", WorkItemDim(BuiltIn::GlobalOffset, 0)),
        ],
    },
    Table {
        needs: Gate::Std(ClStd::Cl20),
        gentype: NO_GENTYPE,
        rows: &[
            row("size_t get_enqueued_local_size(uint dimindx)", WorkItemDim(BuiltIn::EnqueuedWorkgroupSize, 1)),
            row("size_t get_global_linear_id()", WorkItem(BuiltIn::GlobalLinearId)),
            row("size_t get_local_linear_id()", WorkItem(BuiltIn::LocalInvocationIndex)),
        ],
    },
];
