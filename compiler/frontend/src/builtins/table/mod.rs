//! THE list of built-in functions, by the sections of the OpenCL C specification.
//!
//! A section's file has tables as the specification has them: each says what its functions need and
//! what types `gentype` stands for in it, and has a row for each function with its signature and
//! its lowering. Signatures are parsed at compile time, so that a row with an error does not
//! compile. Words of signatures:
//!
//! | word | type |
//! |---|---|
//! | `int`, `float4`, `size_t`, `sampler_t` ... | as in OpenCL C; `memory_order`, `memory_scope` and `clk_profiling_info` are int, `cl_mem_fence_flags` is uint |
//! | `gentype` | each of the table's types |
//! | `gentypen` | those of them that are vectors |
//! | `gentypem` | the same with a second number of components, m |
//! | `sgentype` | gentype's element type |
//! | `igentype`, `ugentype` | the signed, unsigned integer type as wide as gentype, with as many components |
//! | `rgentype` | a relation's result: int for scalars, `igentype` for vectors |
//! | `intn`, `charn` ... | that type with as many components as gentype, or as the arguments where there is no gentype; a scalar if they are scalars |
//! | `destType` | the type in the function's name |
//! | `A`, `C`, `M` | atomic gentype, the value in it, the operand of an arithmetic operation |
//! | `image2d_t`, `image{2d\|3d}_t`, `image_t` | an image, one of several, any |
//!
//! In `vloadn` and its like, n is the number in the function's name.
//!
//! | qualifier | meaning |
//! |---|---|
//! | `read_only`, `read_only\|read_write`, `write_only\|read_write` | the image's access qualifier is one of these |
//! | `aQual` | the access qualifier is any |
//! | `__global`, `__local`, `__constant` | the pointer's address space is that one |
//! | `__global\|__local` | the address space is one of these or generic |
//! | no address space | it is any but constant; with `const` it may be constant too |
//! | `__generic` | it is any but constant, and the function gets a generic pointer |

mod address_spaces;
mod amd_media;
mod amd_shader_ballot;
mod async_copies;
mod atomics;
mod clocks;
mod common;
mod dot_products;
mod enqueue;
mod gate;
mod geometric;
mod images;
mod integer;
mod intel_sub_groups;
mod legacy_atomics;
mod lower;
mod math;
mod matrices;
mod motion_estimation;
mod parse;
mod pipes;
mod printf;
mod relational;
pub mod signature;
mod sub_group_extensions;
mod sub_groups;
mod synchronization;
mod vector_data;
mod work_groups;
mod work_items;

use crate::lang::options::LangOptions;
pub use gate::Gate;
pub use lower::{ImageOp, Lower, MatrixFunction, MediaFunction, Three};
pub(super) use parse::equal;
use pumice_target::options::ClStd;
use signature::{Accesses, Base, Components, Gentype, Signature};

/// The sections. Overloads are tried in this order.
const SECTIONS: &[&[Table]] = &[
    work_items::TABLES,
    math::TABLES,
    integer::TABLES,
    common::TABLES,
    geometric::TABLES,
    dot_products::TABLES,
    relational::TABLES,
    vector_data::TABLES,
    synchronization::TABLES,
    address_spaces::TABLES,
    async_copies::TABLES,
    atomics::TABLES,
    legacy_atomics::TABLES,
    printf::TABLES,
    images::TABLES,
    work_groups::TABLES,
    pipes::TABLES,
    enqueue::TABLES,
    sub_groups::TABLES,
    sub_group_extensions::TABLES,
    intel_sub_groups::TABLES,
    motion_estimation::TABLES,
    amd_shader_ballot::TABLES,
    amd_media::TABLES,
    clocks::TABLES,
    matrices::TABLES,
];

/// Functions that need the same.
struct Table {
    needs: Gate,
    /// The types that gentype stands for.
    gentype: Gentype,
    rows: &'static [Entry],
}

/// A row of a table.
struct Entry {
    #[cfg(test)]
    text: &'static str,
    line: parse::Line,
    by_rule: bool,
    lower: Lower,
}

const FLOATS: &str = "half, float, double";
const INTEGERS: &str = "char, uchar, short, ushort, int, uint, long, ulong";
const NUMBERS: &str = "char, uchar, short, ushort, int, uint, long, ulong, half, float, double";

/// For tables whose signatures do without gentype.
const NO_GENTYPE: Gentype = Gentype::of("");

impl Gentype {
    /// The types in a list and their vectors.
    const fn of(list: &str) -> Self {
        match parse::scalars(list) {
            Ok(scalars) => Self {
                scalars,
                components: Components::ANY,
            },
            Err(message) => panic!("{}", message),
        }
    }

    /// The types in a list without their vectors.
    const fn scalar(list: &str) -> Self {
        Self::of(list).with_components(&[1])
    }

    /// The same with these numbers of components alone; 1 is a scalar.
    const fn with_components(self, members: &[u8]) -> Self {
        Self {
            components: Components::of(members),
            ..self
        }
    }
}

/// A function by its signature.
const fn row(text: &'static str, lower: Lower) -> Entry {
    match parse::line(text) {
        Ok(line) => Entry {
            #[cfg(test)]
            text,
            line,
            by_rule: false,
            lower,
        },
        Err(message) => panic!("{}", message),
    }
}

/// A function whose parameters no signature can say; `special` or sema knows them.
const fn by_rule(name: &'static str, lower: Lower) -> Entry {
    Entry {
        #[cfg(test)]
        text: name,
        line: parse::Line {
            name,
            signature: Signature::NONE,
            uses_gentype: false,
        },
        by_rule: true,
        lower,
    }
}

/// One row, complete.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Name, or the family's name (`vloadn`).
    pub name: &'static str,
    /// Signature; `None` if a rule takes its place.
    pub signature: Option<Signature>,
    /// Condition.
    pub gate: Gate,
    /// Lowering.
    pub lower: Lower,
    /// True if the name stands for many names.
    pub is_family: bool,
}

impl Row {
    /// Returns the feature or version that the row lacks; `None` if it is there.
    pub fn missing(&self, lang: &LangOptions) -> Option<&'static str> {
        let version =
            || (self.reads_without_sampler()).then(|| Gate::Std(ClStd::Cl12).missing(lang));
        let scope = || {
            (self.omits_scope())
                .then(|| Gate::Feature("__opencl_c_atomic_scope_device").missing(lang))
        };
        self.gate
            .missing(lang)
            .or_else(|| version().flatten())
            .or_else(|| scope().flatten())
    }

    /// Returns whether the row is an atomic function without a scope, which then is the device.
    fn omits_scope(&self) -> bool {
        let with_scope = match self.lower {
            Lower::AtomicLoad | Lower::AtomicFlagTestAndSet | Lower::AtomicFlagClear => 3,
            Lower::AtomicStore | Lower::AtomicRmw(..) | Lower::AtomicFloat(..) => 4,
            Lower::AtomicCompareExchange => 6,
            _ => return false,
        };
        let params = self.signature.as_ref().map(|s| s.params().len());
        params.is_some_and(|params| params < with_scope)
    }

    /// Returns whether the row reads an image without a sampler, as OpenCL C 1.2 has it first.
    fn reads_without_sampler(&self) -> bool {
        let first = self.signature.as_ref().and_then(|s| s.params().first());
        first.is_some_and(|term| matches!(term.base, Base::Image(_, Accesses::Read)))
    }
}

/// Families whose names end in a number of components.
const SIZED_FAMILIES: [&str; 6] = [
    "vloadn",
    "vstoren",
    "vload_halfn",
    "vloada_halfn",
    "vstore_halfn",
    "vstorea_halfn",
];

/// Families whose names end in a type.
const TYPED_FAMILIES: [&str; 2] = ["convert_destType", "as_type"];

const fn is_among(name: &str, list: &[&str]) -> bool {
    let mut at = 0;
    while at < list.len() {
        if equal(name.as_bytes(), list[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_sized_family(name: &str) -> bool {
    is_among(name, &SIZED_FAMILIES)
}

/// The number of rows.
const COUNT: usize = {
    let (mut count, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut table = 0;
        while table < SECTIONS[section].len() {
            count += SECTIONS[section][table].rows.len();
            table += 1;
        }
        section += 1;
    }
    count
};

/// All rows, in the order of the sections.
pub static ROWS: [Row; COUNT] = {
    let mut rows = [Row {
        name: "",
        signature: None,
        gate: Gate::None,
        lower: Lower::Nan,
        is_family: false,
    }; COUNT];
    let (mut at, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut table = 0;
        while table < SECTIONS[section].len() {
            let of = &SECTIONS[section][table];
            let mut entry = 0;
            while entry < of.rows.len() {
                rows[at] = complete(&of.rows[entry], of);
                (at, entry) = (at + 1, entry + 1);
            }
            table += 1;
        }
        section += 1;
    }
    rows
};

const fn complete(entry: &Entry, table: &Table) -> Row {
    let name = entry.line.name;
    Row {
        name,
        signature: match entry.line.with(&table.gentype) {
            _ if entry.by_rule => None,
            Some(signature) => Some(signature),
            // The table gives gentype no type that the row can use.
            None => panic!("{}", name),
        },
        gate: table.needs,
        lower: entry.lower,
        is_family: is_sized_family(name) || is_among(name, &TYPED_FAMILIES),
    }
}

#[cfg(test)]
mod tests;
