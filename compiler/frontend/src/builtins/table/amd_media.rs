//! Functions of cl_amd_media_ops and cl_amd_media_ops2: bytes packed in words.

use rspirv::spirv::OpenclStd100Op as Std;

use super::Lower::Media;
use super::lower::MediaFunction::{
    Align, BitField, BitMask, Lerp, OfThree, Pack, Quads, SumBytes, SumBytesOf4, SumShorts,
    SumWords, Unpack,
};
use super::lower::{MediaFunction, Three};
use super::{Gate, Gentype, NO_GENTYPE, Table, row};

const SIGNED: [Std; 2] = [Std::s_min, Std::s_max];
const UNSIGNED: [Std; 2] = [Std::u_min, Std::u_max];
const FLOAT: [Std; 2] = [Std::fmin, Std::fmax];

const fn least(of: [Std; 2]) -> MediaFunction {
    OfThree(Three::Least, of)
}

const fn median(of: [Std; 2]) -> MediaFunction {
    OfThree(Three::Median, of)
}

const fn greatest(of: [Std; 2]) -> MediaFunction {
    OfThree(Three::Greatest, of)
}

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Name("cl_amd_media_ops"),
        gentype: Gentype::of("uint"),
        rows: &[
            row("gentype amd_bitalign(gentype high, gentype low, gentype shift)", Media(Align(0))),
            row("gentype amd_bytealign(gentype high, gentype low, gentype shift)", Media(Align(3))),
            row("gentype amd_lerp(gentype a, gentype b, gentype round)", Media(Lerp)),
            row("gentype amd_sad(gentype a, gentype b, gentype sum)", Media(SumBytes { masked: false, shift: 0 })),
            row("gentype amd_sadhi(gentype a, gentype b, gentype sum)", Media(SumBytes { masked: false, shift: 16 })),
            row("uint amd_sad4(uint4 a, uint4 b, uint sum)", Media(SumBytesOf4)),
            row("uint amd_pack(float4 v)", Media(Pack)),
            row("floatn amd_unpack0(uintn v)", Media(Unpack(0))),
            row("floatn amd_unpack1(uintn v)", Media(Unpack(8))),
            row("floatn amd_unpack2(uintn v)", Media(Unpack(16))),
            row("floatn amd_unpack3(uintn v)", Media(Unpack(24))),
        ],
    },
    Table {
        needs: Gate::Name("cl_amd_media_ops2"),
        gentype: Gentype::of("uint"),
        rows: &[
            row("gentype amd_msad(gentype a, gentype b, gentype sum)", Media(SumBytes { masked: true, shift: 0 })),
            row("gentype amd_sadw(gentype a, gentype b, gentype sum)", Media(SumShorts)),
            row("gentype amd_sadd(gentype a, gentype b, gentype sum)", Media(SumWords)),
            row("gentype amd_bfm(gentype width, gentype offset)", Media(BitMask)),
            row("gentype amd_bfe(gentype v, gentype offset, gentype width)", Media(BitField { signed: false })),
            row("gentype amd_min3(gentype a, gentype b, gentype c)", Media(least(UNSIGNED))),
            row("gentype amd_median3(gentype a, gentype b, gentype c)", Media(median(UNSIGNED))),
            row("gentype amd_max3(gentype a, gentype b, gentype c)", Media(greatest(UNSIGNED))),
        ],
    },
    Table {
        needs: Gate::Name("cl_amd_media_ops2"),
        gentype: Gentype::of("int"),
        rows: &[
            row("gentype amd_bfe(gentype v, ugentype offset, ugentype width)", Media(BitField { signed: true })),
            row("gentype amd_min3(gentype a, gentype b, gentype c)", Media(least(SIGNED))),
            row("gentype amd_median3(gentype a, gentype b, gentype c)", Media(median(SIGNED))),
            row("gentype amd_max3(gentype a, gentype b, gentype c)", Media(greatest(SIGNED))),
        ],
    },
    Table {
        needs: Gate::Name("cl_amd_media_ops2"),
        gentype: Gentype::of("float"),
        rows: &[
            row("gentype amd_min3(gentype a, gentype b, gentype c)", Media(least(FLOAT))),
            row("gentype amd_median3(gentype a, gentype b, gentype c)", Media(median(FLOAT))),
            row("gentype amd_max3(gentype a, gentype b, gentype c)", Media(greatest(FLOAT))),
        ],
    },
    Table {
        needs: Gate::Name("cl_amd_media_ops2"),
        gentype: NO_GENTYPE,
        rows: &[
            row("ulongn amd_qsad(ulongn a, uintn b, ulongn sums)", Media(Quads { masked: false })),
            row("ulongn amd_mqsad(ulongn a, uintn b, ulongn sums)", Media(Quads { masked: true })),
        ],
    },
];
