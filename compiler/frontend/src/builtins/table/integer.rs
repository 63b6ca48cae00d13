//! Integer functions.

use rspirv::spirv::{Op, OpenclStd100Op as Std};

use super::Lower::{BitOp, Ocl, OclSign};
use super::{Gate, Gentype, INTEGERS, Table, row};
use pumice_target::options::ClStd;

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::of(INTEGERS),
        rows: &[
            row("ugentype abs(gentype x)", OclSign(Std::s_abs, Std::u_abs)),
            row("ugentype abs_diff(gentype x, gentype y)", OclSign(Std::s_abs_diff, Std::u_abs_diff)),
            row("gentype add_sat(gentype x, gentype y)", OclSign(Std::s_add_sat, Std::u_add_sat)),
            row("gentype hadd(gentype x, gentype y)", OclSign(Std::s_hadd, Std::u_hadd)),
            row("gentype rhadd(gentype x, gentype y)", OclSign(Std::s_rhadd, Std::u_rhadd)),
            row("gentype mul_hi(gentype x, gentype y)", OclSign(Std::s_mul_hi, Std::u_mul_hi)),
            row("gentype sub_sat(gentype x, gentype y)", OclSign(Std::s_sub_sat, Std::u_sub_sat)),
            row("gentype mad_hi(gentype a, gentype b, gentype c)", OclSign(Std::s_mad_hi, Std::u_mad_hi)),
            row("gentype mad_sat(gentype a, gentype b, gentype c)", OclSign(Std::s_mad_sat, Std::u_mad_sat)),
            row("gentype clz(gentype x)", Ocl(Std::clz)),
            row("gentype popcount(gentype x)", Ocl(Std::popcount)),
            row("gentype rotate(gentype v, gentype i)", Ocl(Std::rotate)),
            row("shortn upsample(charn hi, ucharn lo)", OclSign(Std::s_upsample, Std::u_upsample)),
            row("ushortn upsample(ucharn hi, ucharn lo)", OclSign(Std::s_upsample, Std::u_upsample)),
            row("intn upsample(shortn hi, ushortn lo)", OclSign(Std::s_upsample, Std::u_upsample)),
            row("uintn upsample(ushortn hi, ushortn lo)", OclSign(Std::s_upsample, Std::u_upsample)),
            row("longn upsample(intn hi, uintn lo)", OclSign(Std::s_upsample, Std::u_upsample)),
            row("ulongn upsample(uintn hi, uintn lo)", OclSign(Std::s_upsample, Std::u_upsample)),
            row("gentype max(gentype x, gentype y)", OclSign(Std::s_max, Std::u_max)),
            row("gentypen max(gentypen x, sgentype y)", OclSign(Std::s_max, Std::u_max)),
            row("gentype min(gentype x, gentype y)", OclSign(Std::s_min, Std::u_min)),
            row("gentypen min(gentypen x, sgentype y)", OclSign(Std::s_min, Std::u_min)),
            row("gentype clamp(gentype x, gentype minval, gentype maxval)", OclSign(Std::s_clamp, Std::u_clamp)),
            row("gentypen clamp(gentypen x, sgentype minval, sgentype maxval)", OclSign(Std::s_clamp, Std::u_clamp)),
        ],
    },
    Table {
        needs: Gate::Std(ClStd::Cl20),
        gentype: Gentype::of(INTEGERS),
        rows: &[
            row("gentype ctz(gentype x)", Ocl(Std::ctz)),
        ],
    },
    Table {
        needs: Gate::Name("cl_khr_extended_bit_ops"),
        gentype: Gentype::of(INTEGERS),
        rows: &[
            row("gentype bit_reverse(gentype base)", BitOp(Op::BitReverse)),
            row("gentype bitfield_insert(gentype base, gentype insert, uint offset, uint count)", BitOp(Op::BitFieldInsert)),
            row("igentype bitfield_extract_signed(gentype base, uint offset, uint count)", BitOp(Op::BitFieldSExtract)),
            row("ugentype bitfield_extract_unsigned(gentype base, uint offset, uint count)", BitOp(Op::BitFieldUExtract)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of("int, uint"),
        rows: &[
            row("gentype mad24(gentype x, gentype y, gentype z)", OclSign(Std::s_mad24, Std::u_mad24)),
            row("gentype mul24(gentype x, gentype y)", OclSign(Std::s_mul24, Std::u_mul24)),
        ],
    },
];
