//! Functions of cl_pumice_amd_shader_ballot (docs/cl_pumice_amd_shader_ballot.md).

use rspirv::spirv::{
    GroupOperation::{ExclusiveScan, InclusiveScan, Reduce},
    Op, Scope, SpvAmdShaderBallotOp as Amd,
};

use super::Lower::{AmdArith, AmdBallot};
use super::{Gate, Gentype, NUMBERS, Table, row};

const ADD: [Op; 3] = [
    Op::GroupIAddNonUniformAMD,
    Op::GroupIAddNonUniformAMD,
    Op::GroupFAddNonUniformAMD,
];
const MIN: [Op; 3] = [
    Op::GroupSMinNonUniformAMD,
    Op::GroupUMinNonUniformAMD,
    Op::GroupFMinNonUniformAMD,
];
const MAX: [Op; 3] = [
    Op::GroupSMaxNonUniformAMD,
    Op::GroupUMaxNonUniformAMD,
    Op::GroupFMaxNonUniformAMD,
];

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Name("cl_pumice_amd_shader_ballot"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentype amd_sub_group_reduce_add(gentype x)", AmdArith(ADD, Reduce, Scope::Subgroup)),
            row("gentype amd_sub_group_reduce_min(gentype x)", AmdArith(MIN, Reduce, Scope::Subgroup)),
            row("gentype amd_sub_group_reduce_max(gentype x)", AmdArith(MAX, Reduce, Scope::Subgroup)),
            row("gentype amd_sub_group_scan_inclusive_add(gentype x)", AmdArith(ADD, InclusiveScan, Scope::Subgroup)),
            row("gentype amd_sub_group_scan_inclusive_min(gentype x)", AmdArith(MIN, InclusiveScan, Scope::Subgroup)),
            row("gentype amd_sub_group_scan_inclusive_max(gentype x)", AmdArith(MAX, InclusiveScan, Scope::Subgroup)),
            row("gentype amd_sub_group_scan_exclusive_add(gentype x)", AmdArith(ADD, ExclusiveScan, Scope::Subgroup)),
            row("gentype amd_sub_group_scan_exclusive_min(gentype x)", AmdArith(MIN, ExclusiveScan, Scope::Subgroup)),
            row("gentype amd_sub_group_scan_exclusive_max(gentype x)", AmdArith(MAX, ExclusiveScan, Scope::Subgroup)),
            row("gentype amd_work_group_reduce_add(gentype x)", AmdArith(ADD, Reduce, Scope::Workgroup)),
            row("gentype amd_work_group_reduce_min(gentype x)", AmdArith(MIN, Reduce, Scope::Workgroup)),
            row("gentype amd_work_group_reduce_max(gentype x)", AmdArith(MAX, Reduce, Scope::Workgroup)),
            row("gentype amd_work_group_scan_inclusive_add(gentype x)", AmdArith(ADD, InclusiveScan, Scope::Workgroup)),
            row("gentype amd_work_group_scan_inclusive_min(gentype x)", AmdArith(MIN, InclusiveScan, Scope::Workgroup)),
            row("gentype amd_work_group_scan_inclusive_max(gentype x)", AmdArith(MAX, InclusiveScan, Scope::Workgroup)),
            row("gentype amd_work_group_scan_exclusive_add(gentype x)", AmdArith(ADD, ExclusiveScan, Scope::Workgroup)),
            row("gentype amd_work_group_scan_exclusive_min(gentype x)", AmdArith(MIN, ExclusiveScan, Scope::Workgroup)),
            row("gentype amd_work_group_scan_exclusive_max(gentype x)", AmdArith(MAX, ExclusiveScan, Scope::Workgroup)),
            row("uint amd_sub_group_mbcnt(uint mask)", AmdBallot(Amd::MbcntAMD)),
        ],
    },
    Table {
        needs: Gate::Name("cl_pumice_amd_shader_ballot"),
        gentype: Gentype::of(NUMBERS),
        rows: &[
            row("gentype amd_sub_group_swizzle(gentype x, uint p0, uint p1, uint p2, uint p3)", AmdBallot(Amd::SwizzleInvocationsAMD)),
            row("gentype amd_sub_group_swizzle_masked(gentype x, uint and_mask, uint or_mask, uint xor_mask)", AmdBallot(Amd::SwizzleInvocationsMaskedAMD)),
            row("gentype amd_sub_group_write_invocation(gentype x, gentype value, uint lane)", AmdBallot(Amd::WriteInvocationAMD)),
        ],
    },
];
