//! Pipe functions.

use rspirv::spirv::{Op, Scope};

use super::Lower::{Device, Pipe};
use super::{Gate, NO_GENTYPE, Table, by_rule, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Core("__opencl_c_pipes"),
        gentype: NO_GENTYPE,
        rows: &[
            by_rule("read_pipe", Pipe(Op::ReadPipe, None)),
            by_rule("write_pipe", Pipe(Op::WritePipe, None)),
            by_rule("reserve_read_pipe", Pipe(Op::ReserveReadPipePackets, None)),
            by_rule("reserve_write_pipe", Pipe(Op::ReserveWritePipePackets, None)),
            by_rule("commit_read_pipe", Pipe(Op::CommitReadPipe, None)),
            by_rule("commit_write_pipe", Pipe(Op::CommitWritePipe, None)),
            by_rule("work_group_reserve_read_pipe", Pipe(Op::GroupReserveReadPipePackets, Some(Scope::Workgroup))),
            by_rule("work_group_reserve_write_pipe", Pipe(Op::GroupReserveWritePipePackets, Some(Scope::Workgroup))),
            by_rule("work_group_commit_read_pipe", Pipe(Op::GroupCommitReadPipe, Some(Scope::Workgroup))),
            by_rule("work_group_commit_write_pipe", Pipe(Op::GroupCommitWritePipe, Some(Scope::Workgroup))),
            by_rule("sub_group_reserve_read_pipe", Pipe(Op::GroupReserveReadPipePackets, Some(Scope::Subgroup))),
            by_rule("sub_group_reserve_write_pipe", Pipe(Op::GroupReserveWritePipePackets, Some(Scope::Subgroup))),
            by_rule("sub_group_commit_read_pipe", Pipe(Op::GroupCommitReadPipe, Some(Scope::Subgroup))),
            by_rule("sub_group_commit_write_pipe", Pipe(Op::GroupCommitWritePipe, Some(Scope::Subgroup))),
            by_rule("get_pipe_num_packets", Pipe(Op::GetNumPipePackets, None)),
            by_rule("get_pipe_max_packets", Pipe(Op::GetMaxPipePackets, None)),
            row("bool is_valid_reserve_id(reserve_id_t reserve_id)", Device(Op::IsValidReserveId)),
        ],
    },
];
