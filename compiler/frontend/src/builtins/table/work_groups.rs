//! Work-group collective functions.

use rspirv::spirv::{
    GroupOperation::{ExclusiveScan, InclusiveScan, Reduce},
    Op, Scope,
};

use super::Lower::{GroupArith, GroupBroadcast, GroupVote};
use super::{Gate, Gentype, Table, row};

const ADD: [Op; 3] = [Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd];
const MIN: [Op; 3] = [Op::GroupSMin, Op::GroupUMin, Op::GroupFMin];
const MAX: [Op; 3] = [Op::GroupSMax, Op::GroupUMax, Op::GroupFMax];
const MUL: [Op; 3] = [Op::GroupIMulKHR, Op::GroupIMulKHR, Op::GroupFMulKHR];
const LOGICAL_AND: [Op; 3] = [Op::GroupLogicalAndKHR; 3];
const LOGICAL_OR: [Op; 3] = [Op::GroupLogicalOrKHR; 3];
const LOGICAL_XOR: [Op; 3] = [Op::GroupLogicalXorKHR; 3];
const AND: [Op; 3] = [Op::GroupBitwiseAndKHR; 3];
const OR: [Op; 3] = [Op::GroupBitwiseOrKHR; 3];
const XOR: [Op; 3] = [Op::GroupBitwiseXorKHR; 3];

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Feature("__opencl_c_work_group_collective_functions"),
        gentype: Gentype::scalar("int, uint, long, ulong, half, float, double"),
        rows: &[
            row("int work_group_all(int predicate)", GroupVote(Op::GroupAll, Scope::Workgroup)),
            row("int work_group_any(int predicate)", GroupVote(Op::GroupAny, Scope::Workgroup)),
            row("gentype work_group_broadcast(gentype a, size_t local_id)", GroupBroadcast(Scope::Workgroup)),
            row("gentype work_group_broadcast(gentype a, size_t local_id_x, size_t local_id_y)", GroupBroadcast(Scope::Workgroup)),
            row("gentype work_group_broadcast(gentype a, size_t local_id_x, size_t local_id_y, size_t local_id_z)", GroupBroadcast(Scope::Workgroup)),
            row("gentype work_group_reduce_add(gentype x)", GroupArith(ADD, Reduce, Scope::Workgroup)),
            row("gentype work_group_reduce_min(gentype x)", GroupArith(MIN, Reduce, Scope::Workgroup)),
            row("gentype work_group_reduce_max(gentype x)", GroupArith(MAX, Reduce, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_add(gentype x)", GroupArith(ADD, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_min(gentype x)", GroupArith(MIN, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_max(gentype x)", GroupArith(MAX, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_add(gentype x)", GroupArith(ADD, InclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_min(gentype x)", GroupArith(MIN, InclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_max(gentype x)", GroupArith(MAX, InclusiveScan, Scope::Workgroup)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_work_group_uniform_arithmetic"),
        gentype: Gentype::scalar("int, uint, long, ulong, half, float, double"),
        rows: &[
            row("gentype work_group_reduce_mul(gentype x)", GroupArith(MUL, Reduce, Scope::Workgroup)),
            row("int work_group_reduce_logical_and(int predicate)", GroupArith(LOGICAL_AND, Reduce, Scope::Workgroup)),
            row("int work_group_reduce_logical_or(int predicate)", GroupArith(LOGICAL_OR, Reduce, Scope::Workgroup)),
            row("int work_group_reduce_logical_xor(int predicate)", GroupArith(LOGICAL_XOR, Reduce, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_mul(gentype x)", GroupArith(MUL, ExclusiveScan, Scope::Workgroup)),
            row("int work_group_scan_exclusive_logical_and(int predicate)", GroupArith(LOGICAL_AND, ExclusiveScan, Scope::Workgroup)),
            row("int work_group_scan_exclusive_logical_or(int predicate)", GroupArith(LOGICAL_OR, ExclusiveScan, Scope::Workgroup)),
            row("int work_group_scan_exclusive_logical_xor(int predicate)", GroupArith(LOGICAL_XOR, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_mul(gentype x)", GroupArith(MUL, InclusiveScan, Scope::Workgroup)),
            row("int work_group_scan_inclusive_logical_and(int predicate)", GroupArith(LOGICAL_AND, InclusiveScan, Scope::Workgroup)),
            row("int work_group_scan_inclusive_logical_or(int predicate)", GroupArith(LOGICAL_OR, InclusiveScan, Scope::Workgroup)),
            row("int work_group_scan_inclusive_logical_xor(int predicate)", GroupArith(LOGICAL_XOR, InclusiveScan, Scope::Workgroup)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_work_group_uniform_arithmetic"),
        gentype: Gentype::scalar("int, uint, long, ulong"),
        rows: &[
            row("gentype work_group_reduce_and(gentype x)", GroupArith(AND, Reduce, Scope::Workgroup)),
            row("gentype work_group_reduce_or(gentype x)", GroupArith(OR, Reduce, Scope::Workgroup)),
            row("gentype work_group_reduce_xor(gentype x)", GroupArith(XOR, Reduce, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_and(gentype x)", GroupArith(AND, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_or(gentype x)", GroupArith(OR, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_exclusive_xor(gentype x)", GroupArith(XOR, ExclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_and(gentype x)", GroupArith(AND, InclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_or(gentype x)", GroupArith(OR, InclusiveScan, Scope::Workgroup)),
            row("gentype work_group_scan_inclusive_xor(gentype x)", GroupArith(XOR, InclusiveScan, Scope::Workgroup)),
        ],
    },
];
