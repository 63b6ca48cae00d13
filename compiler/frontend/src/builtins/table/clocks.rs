//! Functions of cl_khr_kernel_clock.

use rspirv::spirv::Scope;

use super::Lower::ReadClock;
use super::{Gate, NO_GENTYPE, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Name("cl_khr_kernel_clock"),
        gentype: NO_GENTYPE,
        rows: &[
            row("ulong clock_read_device()", ReadClock(Scope::Device)),
            row("uint2 clock_read_hilo_device()", ReadClock(Scope::Device)),
            // The device's clock is the same for all of a work-group; spirv-val knows no Workgroup here.
            row("ulong clock_read_work_group()", ReadClock(Scope::Device)),
            row("uint2 clock_read_hilo_work_group()", ReadClock(Scope::Device)),
            row("ulong clock_read_sub_group()", ReadClock(Scope::Subgroup)),
            row("uint2 clock_read_hilo_sub_group()", ReadClock(Scope::Subgroup)),
        ],
    },
];
