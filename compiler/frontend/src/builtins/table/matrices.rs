//! Functions of cl_pumice_cooperative_matrix (docs/cl_pumice_cooperative_matrix.md).

use rspirv::spirv::{CooperativeMatrixLayout as Layout, Op};

use super::Lower::Matrix;
use super::MatrixFunction::{
    Convert, Fill, Get, Length, Load, MultiplyAdd, Negate, Pairs, Set, Store,
};
use super::{Gate, NO_GENTYPE, Table, by_rule};
use crate::lang::opaque::MATRICES_EXTENSION;

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Name(MATRICES_EXTENSION),
        gentype: NO_GENTYPE,
        rows: &[
            by_rule("cooperative_matrix_load_row_major", Matrix(Load(Layout::RowMajorKHR))),
            by_rule("cooperative_matrix_load_column_major", Matrix(Load(Layout::ColumnMajorKHR))),
            by_rule("cooperative_matrix_store_row_major", Matrix(Store(Layout::RowMajorKHR))),
            by_rule("cooperative_matrix_store_column_major", Matrix(Store(Layout::ColumnMajorKHR))),
            by_rule("cooperative_matrix_multiply_add", Matrix(MultiplyAdd(false))),
            by_rule("cooperative_matrix_multiply_add_sat", Matrix(MultiplyAdd(true))),
            by_rule("cooperative_matrix_fill", Matrix(Fill)),
            by_rule("cooperative_matrix_length", Matrix(Length)),
            by_rule("cooperative_matrix_get", Matrix(Get)),
            by_rule("cooperative_matrix_set", Matrix(Set)),
            by_rule("cooperative_matrix_add", Matrix(Pairs([Op::IAdd, Op::IAdd, Op::FAdd]))),
            by_rule("cooperative_matrix_sub", Matrix(Pairs([Op::ISub, Op::ISub, Op::FSub]))),
            by_rule("cooperative_matrix_mul", Matrix(Pairs([Op::IMul, Op::IMul, Op::FMul]))),
            by_rule("cooperative_matrix_div", Matrix(Pairs([Op::SDiv, Op::UDiv, Op::FDiv]))),
            by_rule("cooperative_matrix_negate", Matrix(Negate)),
            by_rule("cooperative_matrix_convert", Matrix(Convert)),
        ],
    },
];
