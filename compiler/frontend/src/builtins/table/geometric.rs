//! Geometric functions.

use rspirv::spirv::OpenclStd100Op as Std;

use super::Lower::{Dot, Ocl};
use super::{FLOATS, Gate, Gentype, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::of(FLOATS).with_components(&[3, 4]),
        rows: &[
            row("gentype cross(gentype p0, gentype p1)", Ocl(Std::cross)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of(FLOATS).with_components(&[1, 2, 3, 4]),
        rows: &[
            row("sgentype dot(gentype p0, gentype p1)", Dot),
            row("sgentype distance(gentype p0, gentype p1)", Ocl(Std::distance)),
            row("sgentype length(gentype p)", Ocl(Std::length)),
            row("gentype normalize(gentype p)", Ocl(Std::normalize)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of("float").with_components(&[1, 2, 3, 4]),
        rows: &[
            row("sgentype fast_distance(gentype p0, gentype p1)", Ocl(Std::fast_distance)),
            row("sgentype fast_length(gentype p)", Ocl(Std::fast_length)),
            row("gentype fast_normalize(gentype p)", Ocl(Std::fast_normalize)),
        ],
    },
];
