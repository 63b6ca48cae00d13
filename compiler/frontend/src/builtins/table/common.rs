//! Common functions.

use rspirv::spirv::OpenclStd100Op as Std;

use super::Lower::Ocl;
use super::{FLOATS, Gate, Gentype, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::of(FLOATS),
        rows: &[
            row("gentype max(gentype x, gentype y)", Ocl(Std::fmax_common)),
            row("gentypen max(gentypen x, sgentype y)", Ocl(Std::fmax_common)),
            row("gentype min(gentype x, gentype y)", Ocl(Std::fmin_common)),
            row("gentypen min(gentypen x, sgentype y)", Ocl(Std::fmin_common)),
            row("gentype clamp(gentype x, gentype minval, gentype maxval)", Ocl(Std::fclamp)),
            row("gentypen clamp(gentypen x, sgentype minval, sgentype maxval)", Ocl(Std::fclamp)),
            row("gentype degrees(gentype radians)", Ocl(Std::degrees)),
            row("gentype radians(gentype degrees)", Ocl(Std::radians)),
            row("gentype sign(gentype x)", Ocl(Std::sign)),
            row("gentype mix(gentype x, gentype y, gentype a)", Ocl(Std::mix)),
            row("gentypen mix(gentypen x, gentypen y, sgentype a)", Ocl(Std::mix)),
            row("gentype step(gentype edge, gentype x)", Ocl(Std::step)),
            row("gentypen step(sgentype edge, gentypen x)", Ocl(Std::step)),
            row("gentype smoothstep(gentype edge0, gentype edge1, gentype x)", Ocl(Std::smoothstep)),
            row("gentypen smoothstep(sgentype edge0, sgentype edge1, gentypen x)", Ocl(Std::smoothstep)),
        ],
    },
];
