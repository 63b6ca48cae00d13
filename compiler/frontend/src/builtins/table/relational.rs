//! Relational functions.

use rspirv::spirv::Op;

use super::Lower::{AnyAll, BitSelect, Relation, Select};
use super::{FLOATS, Gate, Gentype, NUMBERS, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::of(FLOATS),
        rows: &[
            row("rgentype isequal(gentype x, gentype y)", Relation(Op::FOrdEqual)),
            row("rgentype isnotequal(gentype x, gentype y)", Relation(Op::FUnordNotEqual)),
            row("rgentype isgreater(gentype x, gentype y)", Relation(Op::FOrdGreaterThan)),
            row("rgentype isgreaterequal(gentype x, gentype y)", Relation(Op::FOrdGreaterThanEqual)),
            row("rgentype isless(gentype x, gentype y)", Relation(Op::FOrdLessThan)),
            row("rgentype islessequal(gentype x, gentype y)", Relation(Op::FOrdLessThanEqual)),
            row("rgentype islessgreater(gentype x, gentype y)", Relation(Op::FOrdNotEqual)),
            row("rgentype isordered(gentype x, gentype y)", Relation(Op::Ordered)),
            row("rgentype isunordered(gentype x, gentype y)", Relation(Op::Unordered)),
            row("rgentype isfinite(gentype x)", Relation(Op::IsFinite)),
            row("rgentype isinf(gentype x)", Relation(Op::IsInf)),
            row("rgentype isnan(gentype x)", Relation(Op::IsNan)),
            row("rgentype isnormal(gentype x)", Relation(Op::IsNormal)),
            row("rgentype signbit(gentype x)", Relation(Op::SignBitSet)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of("char, short, int, long"),
        rows: &[
            row("int any(igentype x)", AnyAll(Op::Any)),
            row("int all(igentype x)", AnyAll(Op::All)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of(NUMBERS),
        rows: &[
            row("gentype bitselect(gentype a, gentype b, gentype c)", BitSelect),
            row("gentype select(gentype a, gentype b, igentype c)", Select),
            row("gentype select(gentype a, gentype b, ugentype c)", Select),
        ],
    },
];
