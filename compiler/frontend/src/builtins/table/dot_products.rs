//! Integer dot products: cl_khr_integer_dot_product and the same by the names of ARM's extensions.

use rspirv::spirv::Op;

use super::Lower::IntDot;
use super::{Gate, NO_GENTYPE, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"),
        gentype: NO_GENTYPE,
        rows: &[
            row("uint dot(uchar4 a, uchar4 b)", IntDot(Op::UDot, false)),
            row("int dot(char4 a, char4 b)", IntDot(Op::SDot, false)),
            row("int dot(char4 a, uchar4 b)", IntDot(Op::SUDot, false)),
            row("int dot(uchar4 a, char4 b)", IntDot(Op::SUDot, true)),
            row("uint dot_acc_sat(uchar4 a, uchar4 b, uint acc)", IntDot(Op::UDotAccSat, false)),
            row("int dot_acc_sat(char4 a, char4 b, int acc)", IntDot(Op::SDotAccSat, false)),
            row("int dot_acc_sat(char4 a, uchar4 b, int acc)", IntDot(Op::SUDotAccSat, false)),
            row("int dot_acc_sat(uchar4 a, char4 b, int acc)", IntDot(Op::SUDotAccSat, true)),
        ],
    },
    Table {
        needs: Gate::Name("cl_arm_integer_dot_product_int8"),
        gentype: NO_GENTYPE,
        rows: &[
            row("uint arm_dot(uchar4 a, uchar4 b)", IntDot(Op::UDot, false)),
            row("int arm_dot(char4 a, char4 b)", IntDot(Op::SDot, false)),
        ],
    },
    Table {
        needs: Gate::Name("cl_arm_integer_dot_product_accumulate_int8"),
        gentype: NO_GENTYPE,
        rows: &[
            row("uint arm_dot_acc(uchar4 a, uchar4 b, uint acc)", IntDot(Op::UDot, false)),
            row("int arm_dot_acc(char4 a, char4 b, int acc)", IntDot(Op::SDot, false)),
        ],
    },
    Table {
        needs: Gate::Name("cl_arm_integer_dot_product_accumulate_int16"),
        gentype: NO_GENTYPE,
        rows: &[
            row("uint arm_dot_acc(ushort2 a, ushort2 b, uint acc)", IntDot(Op::UDot, false)),
            row("int arm_dot_acc(short2 a, short2 b, int acc)", IntDot(Op::SDot, false)),
        ],
    },
    Table {
        needs: Gate::Name("cl_arm_integer_dot_product_accumulate_saturate_int8"),
        gentype: NO_GENTYPE,
        rows: &[
            row("uint arm_dot_acc_sat(uchar4 a, uchar4 b, uint acc)", IntDot(Op::UDotAccSat, false)),
            row("int arm_dot_acc_sat(char4 a, char4 b, int acc)", IntDot(Op::SDotAccSat, false)),
        ],
    },
    Table {
        needs: Gate::Either("cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"),
        gentype: NO_GENTYPE,
        rows: &[
            row("uint dot_4x8packed_uu_uint(uint a, uint b)", IntDot(Op::UDot, false)),
            row("int dot_4x8packed_ss_int(uint a, uint b)", IntDot(Op::SDot, false)),
            row("int dot_4x8packed_su_int(uint a, uint b)", IntDot(Op::SUDot, false)),
            row("int dot_4x8packed_us_int(uint a, uint b)", IntDot(Op::SUDot, true)),
            row("uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint acc)", IntDot(Op::UDotAccSat, false)),
            row("int dot_acc_sat_4x8packed_ss_int(uint a, uint b, int acc)", IntDot(Op::SDotAccSat, false)),
            row("int dot_acc_sat_4x8packed_su_int(uint a, uint b, int acc)", IntDot(Op::SUDotAccSat, false)),
            row("int dot_acc_sat_4x8packed_us_int(uint a, uint b, int acc)", IntDot(Op::SUDotAccSat, true)),
        ],
    },
];
