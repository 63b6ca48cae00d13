//! From a name to rows of the table, and the packing of [`BuiltinId`].
//!
//! Takes an identifier; gives the rows of that name and what the name itself says: lanes,
//! rounding mode, saturation, target type. Families of names are taken apart here, so that
//! the table needs one row for each.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::table::{ROWS, Row};
use crate::lang::types::{FloatKind, IntKind, TypeId, TypeTable};

/// Rounding mode in a name, as SPIR-V's FPRoundingMode numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// `_rte`
    Rte = 0,
    /// `_rtz`
    Rtz = 1,
    /// `_rtp`
    Rtp = 2,
    /// `_rtn`
    Rtn = 3,
}

/// Parts of a built-in function's name besides its family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suffix {
    /// Lanes in the name (`vload4`), 0 when there are none.
    pub lanes: u8,
    /// Rounding mode in the name.
    pub rounding: Option<Rounding>,
    /// `_sat`
    pub saturate: bool,
}

/// A name, looked up.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// First row of the family.
    pub first: u16,
    /// Number of rows, all adjacent.
    pub count: u16,
    /// Parts of the name besides the family.
    pub suffix: Suffix,
    /// Target of `convert_T` and `as_T`: scalar type and lanes.
    pub target: Option<(TypeId, u8)>,
}

/// A row of the table and a suffix, packed by [`pack`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuiltinId(pub(super) u32);

/// Packs a row and a suffix.
pub fn pack(row: u16, suffix: Suffix) -> BuiltinId {
    let rounding = suffix.rounding.map_or(0, |r| r as u32 + 1);
    BuiltinId(
        u32::from(row)
            | u32::from(suffix.lanes) << 16
            | rounding << 21
            | u32::from(suffix.saturate) << 24,
    )
}

/// The row and the suffix of an id made by [`pack`].
pub fn unpack(id: BuiltinId) -> (&'static Row, Suffix) {
    let suffix = Suffix {
        lanes: (id.0 >> 16 & 0x1f) as u8,
        rounding: match id.0 >> 21 & 7 {
            1 => Some(Rounding::Rte),
            2 => Some(Rounding::Rtz),
            3 => Some(Rounding::Rtp),
            4 => Some(Rounding::Rtn),
            _ => None,
        },
        saturate: id.0 >> 24 & 1 != 0,
    };
    (&ROWS[(id.0 & 0xffff) as usize], suffix)
}

fn index() -> &'static FxHashMap<&'static str, (u16, u16)> {
    static INDEX: OnceLock<FxHashMap<&'static str, (u16, u16)>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut map: FxHashMap<&'static str, (u16, u16)> = FxHashMap::default();
        for (i, row) in ROWS.iter().enumerate() {
            map.entry(row.name)
                .and_modify(|(_, count)| *count += 1)
                .or_insert((i as u16, 1));
        }
        map
    })
}

/// Finds a name; `None` for names that no OpenCL C version has.
pub fn lookup(name: &str) -> Option<Name> {
    if name.contains('#') {
        return None;
    }
    let found = |family: &str, suffix, target| {
        index().get(family).map(|(first, count)| Name {
            first: *first,
            count: *count,
            suffix,
            target,
        })
    };
    if let Some(plain) = found(name, Suffix::default(), None) {
        return Some(plain);
    }
    if let Some(rest) = name.strip_prefix("as_") {
        return found("as_#", Suffix::default(), Some(type_name(rest)?));
    }
    if let Some(rest) = name.strip_prefix("convert_") {
        let (rest, rounding) = split_rounding(rest);
        let (rest, saturate) = match rest.strip_suffix("_sat") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let suffix = Suffix {
            lanes: 0,
            rounding,
            saturate,
        };
        let target = type_name(rest)?;
        if saturate && target.0 >= TypeTable::HALF && target.0 <= TypeTable::DOUBLE {
            return None;
        }
        return found("convert_#", suffix, Some(target));
    }
    if !name.starts_with('v') {
        return None;
    }
    let (rest, rounding) = split_rounding(name);
    let (stem, lanes) = split_lanes(rest);
    let suffix = Suffix {
        lanes,
        rounding,
        saturate: false,
    };
    let family = match (stem, lanes, rounding) {
        ("vload", 2.., None) => "vload#",
        ("vstore", 2.., None) => "vstore#",
        ("vload_half", _, None) => "vload_half#",
        ("vloada_half", _, None) => "vloada_half#",
        ("vstore_half", _, _) => "vstore_half#",
        ("vstorea_half", _, _) => "vstorea_half#",
        _ => return None,
    };
    found(family, suffix, None)
}

fn split_rounding(name: &str) -> (&str, Option<Rounding>) {
    let Some((rest, mode)) = name.rsplit_once('_') else {
        return (name, None);
    };
    let mode = match mode {
        "rte" => Rounding::Rte,
        "rtz" => Rounding::Rtz,
        "rtp" => Rounding::Rtp,
        "rtn" => Rounding::Rtn,
        _ => return (name, None),
    };
    (rest, Some(mode))
}

/// Splits a vector width off; 0 lanes when there is none.
fn split_lanes(name: &str) -> (&str, u8) {
    for (digits, lanes) in [("16", 16), ("2", 2), ("3", 3), ("4", 4), ("8", 8)] {
        if let Some(stem) = name.strip_suffix(digits) {
            return (stem, lanes);
        }
    }
    (name, 0)
}

/// The scalar or vector type of a name such as `uchar16`: element and lanes (1 for scalars).
fn type_name(name: &str) -> Option<(TypeId, u8)> {
    let (stem, lanes) = split_lanes(name);
    let elem = match stem {
        "char" => TypeTable::int(IntKind::Char),
        "uchar" => TypeTable::int(IntKind::UChar),
        "short" => TypeTable::int(IntKind::Short),
        "ushort" => TypeTable::int(IntKind::UShort),
        "int" => TypeTable::int(IntKind::Int),
        "uint" => TypeTable::int(IntKind::UInt),
        "long" => TypeTable::int(IntKind::Long),
        "ulong" => TypeTable::int(IntKind::ULong),
        "half" => TypeTable::float(FloatKind::Half),
        "float" => TypeTable::float(FloatKind::Float),
        "double" => TypeTable::float(FloatKind::Double),
        // 64-bit device: the pointer-sized names convert as well.
        "size_t" | "uintptr_t" if lanes == 0 => TypeTable::ULONG,
        "ptrdiff_t" | "intptr_t" if lanes == 0 => TypeTable::LONG,
        _ => return None,
    };
    Some((elem, lanes.max(1)))
}
