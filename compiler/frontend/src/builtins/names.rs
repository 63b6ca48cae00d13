//! From a name to rows of the table, and the packing of [`BuiltinId`].
//!
//! Takes an identifier; gives the rows of that name and what the name itself says: lanes,
//! rounding mode, saturation, target type. Families of names are taken apart here, so that
//! the table needs one row for each.

use super::table::{self, Lower, ROWS, Row};
use crate::lang::names::numbers;
use crate::lang::types::{FloatKind, IntKind, TypeId, TypeTable};
use pumice_numerics::Rounding;
use pumice_target::similar::closest;

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
    /// First row of the family; [`Name::rows`] gives all.
    pub first: u16,
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
        rounding: (id.0 >> 21 & 7)
            .checked_sub(1)
            .and_then(|number| Rounding::ALL.get(number as usize).copied()),
        saturate: id.0 >> 24 & 1 != 0,
    };
    (&ROWS[(id.0 & 0xffff) as usize], suffix)
}

/// Marks an empty place of [`INDEX`] and the end of a list in [`NEXT`].
const NONE: u16 = u16::MAX;

/// Places of [`INDEX`], a power of two: half of them stay empty.
const PLACES: usize = (2 * ROWS.len()).next_power_of_two();

/// First row of each name, at the name's hash or the next free place.
static INDEX: [u16; PLACES] = LINKS.0;

/// For each row the next one of the same name.
static NEXT: [u16; ROWS.len()] = LINKS.1;

const LINKS: ([u16; PLACES], [u16; ROWS.len()]) = {
    let mut index = [NONE; PLACES];
    let mut next = [NONE; ROWS.len()];
    // From the last row to the first, so that lists begin at the first.
    let mut row = ROWS.len();
    while row > 0 {
        row -= 1;
        let name = ROWS[row].name.as_bytes();
        let mut at = hash(name) % PLACES;
        while index[at] != NONE && !table::equal(ROWS[index[at] as usize].name.as_bytes(), name) {
            at = (at + 1) % PLACES;
        }
        next[row] = index[at];
        index[at] = row as u16;
    }
    (index, next)
};

/// FNV-1a.
const fn hash(name: &[u8]) -> usize {
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < name.len() {
        hash = (hash ^ name[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash as usize
}

/// The first row of a name or of a family's name.
fn first_row(name: &str) -> Option<u16> {
    let mut at = hash(name.as_bytes()) % PLACES;
    loop {
        let row = INDEX[at];
        if row == NONE {
            return None;
        }
        if ROWS[usize::from(row)].name == name {
            return Some(row);
        }
        at = (at + 1) % PLACES;
    }
}

impl Name {
    /// The rows of the name with their numbers, in order.
    pub fn rows(&self) -> impl Iterator<Item = (u16, &'static Row)> {
        let following = |row: &u16| Some(NEXT[usize::from(*row)]).filter(|next| *next != NONE);
        std::iter::successors(Some(self.first), following).map(|row| (row, &ROWS[usize::from(row)]))
    }

    /// Returns whether the name is `convert_T`.
    pub fn is_conversion(&self) -> bool {
        ROWS[usize::from(self.first)].lower == Lower::Convert
    }
}

/// Finds a name; `None` for names that no OpenCL C version has.
pub fn lookup(name: &str) -> Option<Name> {
    let found = |family: &str, suffix, target| {
        first_row(family).map(|first| Name {
            first,
            suffix,
            target,
        })
    };
    if let Some(plain) = found(name, Suffix::default(), None) {
        let is_family = ROWS[usize::from(plain.first)].is_family;
        return (!is_family).then_some(plain);
    }
    if let Some(rest) = name.strip_prefix("as_") {
        return found("as_type", Suffix::default(), Some(type_name(rest)?));
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
        return found("convert_destType", suffix, Some(target));
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
        ("vload", 2.., None) => "vloadn",
        ("vstore", 2.., None) => "vstoren",
        ("vload_half", _, None) => "vload_halfn",
        ("vloada_half", _, None) => "vloada_halfn",
        ("vstore_half", _, _) => "vstore_halfn",
        ("vstorea_half", _, _) => "vstorea_halfn",
        _ => return None,
    };
    found(family, suffix, None)
}

/// The name of a conversion most like `name`, which is none: `convert_int4_sat_rte` for
/// `convert_int4_rte_sat`.
pub fn similar_conversion(name: &str) -> Option<String> {
    let rest = name.strip_prefix("convert_")?;
    let (target, suffix) = match rest.split_once('_') {
        Some((target, suffix)) => (target, suffix),
        None => (rest, ""),
    };
    let target = match type_name(target) {
        Some(_) => target.to_string(),
        None => closest(target, numbers())?,
    };
    let modes = Rounding::ALL.iter().map(|mode| Some(mode.name()));
    let modes: Vec<Option<&str>> = std::iter::once(None).chain(modes).collect();
    let mut words: Vec<&str> = suffix.split('_').filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    let names = || {
        let of = |saturate: bool, mode: Option<&str>| {
            let sat = if saturate { "_sat" } else { "" };
            let mode = mode.map_or(String::new(), |mode| format!("_{mode}"));
            format!("convert_{target}{sat}{mode}")
        };
        let both = modes
            .iter()
            .flat_map(move |&mode| [of(false, mode), of(true, mode)]);
        both.filter(|name| lookup(name).is_some())
    };
    // The right words in another order.
    let same_words = |other: &String| {
        let mut own: Vec<&str> = other.split('_').skip(2).collect();
        own.sort_unstable();
        own == words
    };
    names().find(same_words).or_else(|| closest(name, names()))
}

fn split_rounding(name: &str) -> (&str, Option<Rounding>) {
    name.rsplit_once('_')
        .and_then(|(rest, mode)| Some((rest, Some(Rounding::from_name(mode)?))))
        .unwrap_or((name, None))
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
