//! Sub-group functions.

use rspirv::spirv::{
    BuiltIn,
    GroupOperation::{ExclusiveScan, InclusiveScan, Reduce},
    Op, Scope,
};

use super::Lower::{Barrier, GroupArith, GroupBroadcast, GroupVote, WorkItem};
use super::{Gate, Gentype, NUMBERS, Table, row};

pub(super) const ADD: [Op; 3] = [Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd];
pub(super) const MIN: [Op; 3] = [Op::GroupSMin, Op::GroupUMin, Op::GroupFMin];
pub(super) const MAX: [Op; 3] = [Op::GroupSMax, Op::GroupUMax, Op::GroupFMax];

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::AnyOf(["cl_khr_subgroups", "cl_intel_subgroups"], "__opencl_c_subgroups"),
        gentype: Gentype::scalar("int, uint, long, ulong, half, float, double"),
        rows: &[
            row("uint get_sub_group_size()", WorkItem(BuiltIn::SubgroupSize)),
            row("uint get_max_sub_group_size()", WorkItem(BuiltIn::SubgroupMaxSize)),
            row("uint get_num_sub_groups()", WorkItem(BuiltIn::NumSubgroups)),
            row("uint get_enqueued_num_sub_groups()", WorkItem(BuiltIn::NumEnqueuedSubgroups)),
            row("uint get_sub_group_id()", WorkItem(BuiltIn::SubgroupId)),
            row("uint get_sub_group_local_id()", WorkItem(BuiltIn::SubgroupLocalInvocationId)),
            row("void sub_group_barrier(cl_mem_fence_flags flags)", Barrier(Scope::Subgroup)),
            row("void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)", Barrier(Scope::Subgroup)),
            row("int sub_group_all(int predicate)", GroupVote(Op::GroupAll, Scope::Subgroup)),
            row("int sub_group_any(int predicate)", GroupVote(Op::GroupAny, Scope::Subgroup)),
            row("gentype sub_group_broadcast(gentype x, uint sub_group_local_id)", GroupBroadcast(Scope::Subgroup)),
            row("gentype sub_group_reduce_add(gentype x)", GroupArith(ADD, Reduce, Scope::Subgroup)),
            row("gentype sub_group_reduce_min(gentype x)", GroupArith(MIN, Reduce, Scope::Subgroup)),
            row("gentype sub_group_reduce_max(gentype x)", GroupArith(MAX, Reduce, Scope::Subgroup)),
            row("gentype sub_group_scan_exclusive_add(gentype x)", GroupArith(ADD, ExclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_exclusive_min(gentype x)", GroupArith(MIN, ExclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_exclusive_max(gentype x)", GroupArith(MAX, ExclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_inclusive_add(gentype x)", GroupArith(ADD, InclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_inclusive_min(gentype x)", GroupArith(MIN, InclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_inclusive_max(gentype x)", GroupArith(MAX, InclusiveScan, Scope::Subgroup)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_extended_types"),
        gentype: Gentype::scalar("char, uchar, short, ushort"),
        rows: &[
            row("gentype sub_group_broadcast(gentype x, uint sub_group_local_id)", GroupBroadcast(Scope::Subgroup)),
            row("gentype sub_group_reduce_add(gentype x)", GroupArith(ADD, Reduce, Scope::Subgroup)),
            row("gentype sub_group_reduce_min(gentype x)", GroupArith(MIN, Reduce, Scope::Subgroup)),
            row("gentype sub_group_reduce_max(gentype x)", GroupArith(MAX, Reduce, Scope::Subgroup)),
            row("gentype sub_group_scan_exclusive_add(gentype x)", GroupArith(ADD, ExclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_exclusive_min(gentype x)", GroupArith(MIN, ExclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_exclusive_max(gentype x)", GroupArith(MAX, ExclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_inclusive_add(gentype x)", GroupArith(ADD, InclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_inclusive_min(gentype x)", GroupArith(MIN, InclusiveScan, Scope::Subgroup)),
            row("gentype sub_group_scan_inclusive_max(gentype x)", GroupArith(MAX, InclusiveScan, Scope::Subgroup)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_extended_types"),
        gentype: Gentype::of(NUMBERS),
        rows: &[
            row("gentypen sub_group_broadcast(gentypen x, uint sub_group_local_id)", GroupBroadcast(Scope::Subgroup)),
        ],
    },
];
