//! Address space qualifier functions.

use super::Lower::{GetFence, ToSpace};
use super::{Gate, NO_GENTYPE, Table, by_rule};
use crate::lang::types::AddrSpace;

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Feature("__opencl_c_generic_address_space"),
        gentype: NO_GENTYPE,
        rows: &[
            by_rule("to_global", ToSpace(AddrSpace::Global)),
            by_rule("to_local", ToSpace(AddrSpace::Local)),
            by_rule("to_private", ToSpace(AddrSpace::Private)),
            by_rule("get_fence", GetFence),
        ],
    },
];
