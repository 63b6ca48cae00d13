//! Every row is read as it is written, and lines that are no signatures are refused.

use super::parse::line;
use super::signature::{
    Accesses, Base, Components, Element, SCALARS, Signature, Spaces, Term, Width,
};
use super::{ROWS, SECTIONS};
use crate::lang::opaque::{IMAGES, OPAQUES};
use crate::lang::types::{AddrSpace, Quals};

/// Words that mean the same as another.
const SYNONYMS: &[(&str, &str)] = &[
    ("C", "sgentype"),
    ("M", "sgentype"),
    ("cl_mem_fence_flags", "uint"),
    ("memory_order", "int"),
    ("memory_scope", "int"),
    ("clk_profiling_info", "int"),
    // That these are vectors alone stands in `Signature::components`.
    ("gentypen", "gentype"),
    ("ugentypen", "ugentype"),
];

/// A type as it stands in a row, without the parameter's name.
fn written(text: &str, is_param: bool) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let pointer = text.contains('*');
    if is_param {
        words.pop();
    }
    if let Some(last) = words.last_mut() {
        let synonym = SYNONYMS.iter().find(|(word, _)| word == last);
        *last = synonym.map_or(*last, |(_, meaning)| meaning);
    }
    words.join(" ") + if pointer { " *" } else { "" }
}

/// Returns a type in the words of rows.
fn shown(term: &Term) -> String {
    let mut words: Vec<String> = Vec::new();
    if let Some(pointer) = term.pointer {
        let quals = [(Quals::CONST, "const"), (Quals::VOLATILE, "volatile")];
        let quals = quals.iter().filter(|(one, _)| pointer.quals.contains(*one));
        words.extend(quals.map(|(_, name)| name.to_string()));
        words.extend(match pointer.spaces {
            Spaces::Only(space) => Some(space.name().to_string()),
            Spaces::GlobalOrLocal => Some("__global|__local".to_string()),
            Spaces::NotPrivate => Some("__global|__local|__generic".to_string()),
            Spaces::Generic => Some(AddrSpace::Generic.name().to_string()),
            Spaces::Readable | Spaces::Writable => None,
        });
    }
    words.push(match term.base {
        Base::Void => "void".to_string(),
        Base::Atomic(Element::Gentype) => "A".to_string(),
        Base::Atomic(_) => "atomic_flag".to_string(),
        Base::Opaque(at) => OPAQUES[usize::from(at)].0.to_string(),
        Base::Image(kinds, accesses) => images(kinds, accesses),
        Base::Number(number) => {
            let stem = match number.element {
                Element::Gentype if number.width == Width::Fixed(1) => "sgentype",
                Element::Gentype => "gentype",
                Element::Signed => "igentype",
                Element::Unsigned => "ugentype",
                Element::Relation => "rgentype",
                Element::Destination => "destType",
                Element::Size => "size_t",
                Element::Scalar(at) => SCALARS[usize::from(at)].0,
            };
            let lanes = match (number.width, number.element) {
                (Width::Fixed(1), _) => String::new(),
                (Width::Fixed(lanes), _) => lanes.to_string(),
                (Width::N, Element::Scalar(_)) => "n".to_string(),
                (Width::N, _) => String::new(),
                (Width::M, _) => "m".to_string(),
                // The same word as for N.
                (Width::Name, Element::Gentype) => String::new(),
                (Width::Name, _) => "n".to_string(),
            };
            format!("{stem}{lanes}")
        }
    });
    words.join(" ") + if term.pointer.is_some() { " *" } else { "" }
}

fn images(kinds: u16, accesses: Accesses) -> String {
    let qualifier = match accesses {
        Accesses::ReadOnly => "read_only",
        Accesses::Read => "read_only|read_write",
        Accesses::Write => "write_only|read_write",
        Accesses::Any => "aQual",
    };
    let all = IMAGES.iter().enumerate();
    let names: Vec<&str> = all
        .filter(|(at, _)| kinds >> at & 1 != 0)
        .map(|(_, shape)| shape.name)
        .collect();
    let middles: Vec<&str> = names.iter().map(|name| &name[5..name.len() - 2]).collect();
    match names.len() {
        1 => format!("{qualifier} {}", names[0]),
        all if all == IMAGES.len() => format!("{qualifier} image_t"),
        _ => format!("{qualifier} image{{{}}}_t", middles.join("|")),
    }
}

fn check_row(text: &str, signature: &Signature) {
    let (head, params) = text.split_once('(').expect("a list of parameters");
    let (result, _) = head.rsplit_once(' ').expect("a result");
    let params = params.trim_end_matches(')');
    let params = params.split(',').filter(|p| !p.is_empty() && *p != " ...");
    let mut expected = vec![written(result, false)];
    expected.extend(params.map(|param| written(param, true)));
    let terms = std::iter::once(&signature.result).chain(signature.params());
    let actual: Vec<String> = terms.clone().map(shown).collect();
    assert_eq!(actual, expected, "{text}");
    assert_eq!(signature.variadic, text.contains("..."), "{text}");
    let is_sized = terms.clone().any(|t| t.width() == Some(Width::Name));
    let vectors = text.contains("gentypen") && !is_sized;
    let components = if vectors {
        Components::VECTOR
    } else {
        Components::ANY
    };
    assert_eq!(signature.components, components, "{text}");
    let is_family = text.contains("vload") || text.contains("vstore");
    assert_eq!(is_sized, is_family, "{text}");
}

#[test]
fn every_row_is_read_as_it_is_written() {
    let entries = SECTIONS
        .iter()
        .flat_map(|tables| tables.iter().flat_map(|table| table.rows));
    let mut count = 0;
    for (entry, row) in entries.zip(ROWS.iter()) {
        count += 1;
        assert_eq!(entry.line.name, row.name);
        match &row.signature {
            None => assert_eq!(entry.text, row.name),
            Some(_) => {
                let line = line(entry.text).expect("a signature");
                check_row(entry.text, &line.signature);
            }
        }
    }
    assert_eq!(count, ROWS.len());
}

#[test]
fn lines_that_are_no_signatures_are_refused() {
    for (text, message) in [
        ("gentype sin(gentyp x)", "a type is unknown"),
        ("gentype sin(gentype)", "a parameter has no name"),
        (
            "gentype sin(gentype x",
            "the parameters stand in parentheses",
        ),
        ("gentype sin", "the parameters stand in parentheses"),
        ("sin(gentype x)", "a type is missing"),
        ("gentype pow(gentype x,)", "a type is missing"),
        ("gentype pow(gentype x, , gentype y)", "a type is missing"),
        (
            "gentype pow(gentype x gentype y)",
            "a type has too many words",
        ),
        ("gentype5 sin(gentype5 x)", "a type is unknown"),
        ("float5 f(float5 x)", "a type is unknown"),
        ("void f(const float x)", "a qualifier is for pointers alone"),
        (
            "void f(__global float x)",
            "a qualifier is for pointers alone",
        ),
        ("void f(__global|__constant float *x)", "a type is unknown"),
        (
            "void f(volatile A object)",
            "a qualifier is for pointers alone",
        ),
        ("void f(A object)", "an atomic type is behind a pointer"),
        (
            "void f(read_only float x)",
            "an access qualifier is for images alone",
        ),
        ("void f(image2d_t x)", "a type is unknown"),
        (
            "void f(aQual image{2d|4d}_t x)",
            "an access qualifier is for images alone",
        ),
        (
            "void f(aQual image2d x)",
            "an access qualifier is for images alone",
        ),
        ("int f(..., int x)", "a type is missing"),
        ("int f(int x, ..., int y)", "there are too many parameters"),
        (
            "int f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n)",
            "there are too many parameters",
        ),
    ] {
        assert_eq!(line(text).map(|line| line.name), Err(message), "{text}");
    }
}
