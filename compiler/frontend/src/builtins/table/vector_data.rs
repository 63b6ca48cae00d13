//! Vector data load and store functions, shuffles and conversions.

use super::Lower::{AsType, Convert, Shuffle, VLoad, VLoadHalf, VStore, VStoreHalf};
use super::{Gate, Gentype, NUMBERS, Table, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::None,
        gentype: Gentype::scalar(NUMBERS),
        rows: &[
            row("gentypen vloadn(size_t offset, const gentype *p)", VLoad),
            row("void vstoren(gentypen data, size_t offset, gentype *p)", VStore),
            row("floatn vload_halfn(size_t offset, const half *p)", VLoadHalf(false)),
            row("floatn vloada_halfn(size_t offset, const half *p)", VLoadHalf(true)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::scalar("float, double"),
        rows: &[
            row("void vstore_halfn(gentypen data, size_t offset, half *p)", VStoreHalf(false)),
            row("void vstorea_halfn(gentypen data, size_t offset, half *p)", VStoreHalf(true)),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of(NUMBERS).with_components(&[2, 4, 8, 16]),
        rows: &[
            row("gentypen shuffle(gentypem x, ugentypen mask)", Shuffle),
            row("gentypen shuffle2(gentypem x, gentypem y, ugentypen mask)", Shuffle),
        ],
    },
    Table {
        needs: Gate::None,
        gentype: Gentype::of(NUMBERS),
        rows: &[
            row("destType convert_destType(gentype x)", Convert),
            row("destType as_type(gentype x)", AsType),
        ],
    },
];
