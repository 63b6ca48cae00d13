//! printf.

use super::Lower::Printf;
use super::{Gate, NO_GENTYPE, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: NO_GENTYPE,
        rows: &[
            row("int printf(const __constant char *format, ...)", Printf),
        ],
    },
];
