//! Functions of the cl_khr_subgroup_* extensions.

use rspirv::spirv::{
    BuiltIn,
    GroupOperation::{ClusteredReduce, ExclusiveScan, InclusiveScan, Reduce},
    Op,
};

use super::Lower::{NonUniform, NonUniformArith, NonUniformVote, Shuffles, WorkItem};
use super::{Gate, Gentype, INTEGERS, NUMBERS, Table, row};

const ADD: [Op; 3] = [
    Op::GroupNonUniformIAdd,
    Op::GroupNonUniformIAdd,
    Op::GroupNonUniformFAdd,
];
const MUL: [Op; 3] = [
    Op::GroupNonUniformIMul,
    Op::GroupNonUniformIMul,
    Op::GroupNonUniformFMul,
];
const MIN: [Op; 3] = [
    Op::GroupNonUniformSMin,
    Op::GroupNonUniformUMin,
    Op::GroupNonUniformFMin,
];
const MAX: [Op; 3] = [
    Op::GroupNonUniformSMax,
    Op::GroupNonUniformUMax,
    Op::GroupNonUniformFMax,
];
const LOGICAL_AND: [Op; 3] = [Op::GroupNonUniformLogicalAnd; 3];
const LOGICAL_OR: [Op; 3] = [Op::GroupNonUniformLogicalOr; 3];
const LOGICAL_XOR: [Op; 3] = [Op::GroupNonUniformLogicalXor; 3];
const AND: [Op; 3] = [Op::GroupNonUniformBitwiseAnd; 3];
const OR: [Op; 3] = [Op::GroupNonUniformBitwiseOr; 3];
const XOR: [Op; 3] = [Op::GroupNonUniformBitwiseXor; 3];

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Name("cl_khr_subgroup_shuffle"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentype sub_group_shuffle(gentype value, uint index)", Shuffles(Op::GroupNonUniformShuffle)),
            row("gentype sub_group_shuffle_xor(gentype value, uint mask)", Shuffles(Op::GroupNonUniformShuffleXor)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_shuffle_relative"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentype sub_group_shuffle_up(gentype value, uint delta)", Shuffles(Op::GroupNonUniformShuffleUp)),
            row("gentype sub_group_shuffle_down(gentype value, uint delta)", Shuffles(Op::GroupNonUniformShuffleDown)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_non_uniform_vote"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("int sub_group_elect()", NonUniformVote(Op::GroupNonUniformElect)),
            row("int sub_group_non_uniform_all(int predicate)", NonUniformVote(Op::GroupNonUniformAll)),
            row("int sub_group_non_uniform_any(int predicate)", NonUniformVote(Op::GroupNonUniformAny)),
            row("int sub_group_non_uniform_all_equal(gentype value)", NonUniformVote(Op::GroupNonUniformAllEqual)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_ballot"),
        gentype: Gentype::of(NUMBERS),
        rows: &[
            row("gentype sub_group_non_uniform_broadcast(gentype value, uint index)", NonUniform(Op::GroupNonUniformBroadcast, None)),
            row("uint4 sub_group_ballot(int predicate)", NonUniform(Op::GroupNonUniformBallot, None)),
            row("int sub_group_inverse_ballot(uint4 value)", NonUniform(Op::GroupNonUniformInverseBallot, None)),
            row("int sub_group_ballot_bit_extract(uint4 value, uint index)", NonUniform(Op::GroupNonUniformBallotBitExtract, None)),
            row("uint sub_group_ballot_find_lsb(uint4 value)", NonUniform(Op::GroupNonUniformBallotFindLSB, None)),
            row("uint sub_group_ballot_find_msb(uint4 value)", NonUniform(Op::GroupNonUniformBallotFindMSB, None)),
            row("uint sub_group_ballot_bit_count(uint4 value)", NonUniform(Op::GroupNonUniformBallotBitCount, Some(Reduce))),
            row("uint sub_group_ballot_inclusive_scan(uint4 value)", NonUniform(Op::GroupNonUniformBallotBitCount, Some(InclusiveScan))),
            row("uint sub_group_ballot_exclusive_scan(uint4 value)", NonUniform(Op::GroupNonUniformBallotBitCount, Some(ExclusiveScan))),
            row("uint4 get_sub_group_eq_mask()", WorkItem(BuiltIn::SubgroupEqMask)),
            row("uint4 get_sub_group_ge_mask()", WorkItem(BuiltIn::SubgroupGeMask)),
            row("uint4 get_sub_group_gt_mask()", WorkItem(BuiltIn::SubgroupGtMask)),
            row("uint4 get_sub_group_le_mask()", WorkItem(BuiltIn::SubgroupLeMask)),
            row("uint4 get_sub_group_lt_mask()", WorkItem(BuiltIn::SubgroupLtMask)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_ballot"),
        gentype: Gentype::scalar("int, uint, long, ulong, half, float, double"),
        rows: &[
            row("gentype sub_group_broadcast_first(gentype value)", NonUniform(Op::GroupNonUniformBroadcastFirst, None)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentype sub_group_non_uniform_reduce_add(gentype value)", NonUniformArith(ADD, Reduce)),
            row("gentype sub_group_non_uniform_reduce_mul(gentype value)", NonUniformArith(MUL, Reduce)),
            row("gentype sub_group_non_uniform_reduce_min(gentype value)", NonUniformArith(MIN, Reduce)),
            row("gentype sub_group_non_uniform_reduce_max(gentype value)", NonUniformArith(MAX, Reduce)),
            row("int sub_group_non_uniform_reduce_logical_and(int predicate)", NonUniformArith(LOGICAL_AND, Reduce)),
            row("int sub_group_non_uniform_reduce_logical_or(int predicate)", NonUniformArith(LOGICAL_OR, Reduce)),
            row("int sub_group_non_uniform_reduce_logical_xor(int predicate)", NonUniformArith(LOGICAL_XOR, Reduce)),
            row("gentype sub_group_non_uniform_scan_inclusive_add(gentype value)", NonUniformArith(ADD, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_inclusive_mul(gentype value)", NonUniformArith(MUL, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_inclusive_min(gentype value)", NonUniformArith(MIN, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_inclusive_max(gentype value)", NonUniformArith(MAX, InclusiveScan)),
            row("int sub_group_non_uniform_scan_inclusive_logical_and(int predicate)", NonUniformArith(LOGICAL_AND, InclusiveScan)),
            row("int sub_group_non_uniform_scan_inclusive_logical_or(int predicate)", NonUniformArith(LOGICAL_OR, InclusiveScan)),
            row("int sub_group_non_uniform_scan_inclusive_logical_xor(int predicate)", NonUniformArith(LOGICAL_XOR, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_add(gentype value)", NonUniformArith(ADD, ExclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_mul(gentype value)", NonUniformArith(MUL, ExclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_min(gentype value)", NonUniformArith(MIN, ExclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_max(gentype value)", NonUniformArith(MAX, ExclusiveScan)),
            row("int sub_group_non_uniform_scan_exclusive_logical_and(int predicate)", NonUniformArith(LOGICAL_AND, ExclusiveScan)),
            row("int sub_group_non_uniform_scan_exclusive_logical_or(int predicate)", NonUniformArith(LOGICAL_OR, ExclusiveScan)),
            row("int sub_group_non_uniform_scan_exclusive_logical_xor(int predicate)", NonUniformArith(LOGICAL_XOR, ExclusiveScan)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_non_uniform_arithmetic"),
        gentype: Gentype::scalar(INTEGERS),
        rows: &[
            row("gentype sub_group_non_uniform_reduce_and(gentype value)", NonUniformArith(AND, Reduce)),
            row("gentype sub_group_non_uniform_reduce_or(gentype value)", NonUniformArith(OR, Reduce)),
            row("gentype sub_group_non_uniform_reduce_xor(gentype value)", NonUniformArith(XOR, Reduce)),
            row("gentype sub_group_non_uniform_scan_inclusive_and(gentype value)", NonUniformArith(AND, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_inclusive_or(gentype value)", NonUniformArith(OR, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_inclusive_xor(gentype value)", NonUniformArith(XOR, InclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_and(gentype value)", NonUniformArith(AND, ExclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_or(gentype value)", NonUniformArith(OR, ExclusiveScan)),
            row("gentype sub_group_non_uniform_scan_exclusive_xor(gentype value)", NonUniformArith(XOR, ExclusiveScan)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_clustered_reduce"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentype sub_group_clustered_reduce_add(gentype value, uint clustersize)", NonUniformArith(ADD, ClusteredReduce)),
            row("gentype sub_group_clustered_reduce_mul(gentype value, uint clustersize)", NonUniformArith(MUL, ClusteredReduce)),
            row("gentype sub_group_clustered_reduce_min(gentype value, uint clustersize)", NonUniformArith(MIN, ClusteredReduce)),
            row("gentype sub_group_clustered_reduce_max(gentype value, uint clustersize)", NonUniformArith(MAX, ClusteredReduce)),
            row("int sub_group_clustered_reduce_logical_and(int predicate, uint clustersize)", NonUniformArith(LOGICAL_AND, ClusteredReduce)),
            row("int sub_group_clustered_reduce_logical_or(int predicate, uint clustersize)", NonUniformArith(LOGICAL_OR, ClusteredReduce)),
            row("int sub_group_clustered_reduce_logical_xor(int predicate, uint clustersize)", NonUniformArith(LOGICAL_XOR, ClusteredReduce)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_clustered_reduce"),
        gentype: Gentype::scalar(INTEGERS),
        rows: &[
            row("gentype sub_group_clustered_reduce_and(gentype value, uint clustersize)", NonUniformArith(AND, ClusteredReduce)),
            row("gentype sub_group_clustered_reduce_or(gentype value, uint clustersize)", NonUniformArith(OR, ClusteredReduce)),
            row("gentype sub_group_clustered_reduce_xor(gentype value, uint clustersize)", NonUniformArith(XOR, ClusteredReduce)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_subgroup_rotate"),
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentype sub_group_rotate(gentype value, int delta)", NonUniform(Op::GroupNonUniformRotateKHR, None)),
            row("gentype sub_group_clustered_rotate(gentype value, int delta, uint clustersize)", NonUniform(Op::GroupNonUniformRotateKHR, None)),
        ],
    },
];
