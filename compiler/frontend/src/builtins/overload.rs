//! Overload resolution over the table's signatures.
//!
//! Takes a looked-up name and argument types; gives the one best candidate, ranked per
//! argument as clang does (exact, promotion, conversion, widening). Element types and lanes
//! are inferred from the arguments, so a family costs a handful of comparisons, not one per
//! instance. Conversions themselves are sema's.

use smallvec::SmallVec;

use super::names::{Name, pack};
use super::table::{Gate, Lower, ROWS};
use super::{Arg, Resolution, ResolveError};
use crate::lang::options::LangOptions;
use crate::lang::types::{
    Access, AddrSpace, ImageKind, IntKind, OpaqueKind, QualType, Quals, Type, TypeId, TypeTable,
};
use pumice_target::options::ClStd;

const INTS: [TypeId; 8] = [
    TypeTable::CHAR,
    TypeTable::UCHAR,
    TypeTable::SHORT,
    TypeTable::USHORT,
    TypeTable::INT,
    TypeTable::UINT,
    TypeTable::LONG,
    TypeTable::ULONG,
];

/// Class of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    Num(TypeId, u8),
    Ptr(QualType, AddrSpace),
    Opaque(OpaqueKind),
    Null,
    Other,
}

/// Type that a pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pointee {
    Num(TypeId, u8),
    Atomic(TypeId),
    Opaque(OpaqueKind),
    Void,
}

/// An instantiated parameter or result.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spec {
    Void,
    Opaque(OpaqueKind),
    Num(TypeId, u8),
    Ptr(Pointee, AddrSpace, Quals),
}

struct Candidate {
    row: u16,
    params: SmallVec<[Spec; 5]>,
    result: Spec,
    ranks: SmallVec<[u8; 5]>,
}

/// Returns the feature or version that a gate misses; `None` if the gate is open.
pub fn missing(gate: Gate, lang: &LangOptions) -> Option<String> {
    let feature = |name: &str| lang.std == ClStd::Cl20 || lang.feature(name);
    match gate {
        Gate::None => None,
        Gate::Std(std) => (lang.std < std).then(|| {
            match std {
                ClStd::Cl10 => "OpenCL C 1.0",
                ClStd::Cl11 => "OpenCL C 1.1",
                ClStd::Cl12 => "OpenCL C 1.2",
                ClStd::Cl20 => "OpenCL C 2.0",
                ClStd::Cl30 => "OpenCL C 3.0",
                ClStd::Cl31 => "OpenCL C 3.1",
            }
            .to_string()
        }),
        Gate::Name(name) => (!lang.extension(name)).then(|| name.to_string()),
        Gate::Feature(name) => {
            if lang.std < ClStd::Cl20 {
                Some("OpenCL C 2.0".to_string())
            } else {
                (!feature(name)).then(|| name.to_string())
            }
        }
        Gate::Either(extension, name) => {
            let open = lang.extension(extension) || (lang.std >= ClStd::Cl30 && lang.feature(name));
            (!open).then(|| extension.to_string())
        }
        Gate::Device(name) => (!lang.feature(name)).then(|| name.to_string()),
        Gate::Core(_) if lang.std < ClStd::Cl20 => Some("OpenCL C 2.0".to_string()),
        Gate::Core(name) => (!lang.feature(name)).then(|| name.to_string()),
    }
}

/// Element types of a class.
fn kinds(class: u8, lang: &LangOptions) -> SmallVec<[TypeId; 12]> {
    let mut out: SmallVec<[TypeId; 12]> = SmallVec::new();
    match class {
        b'i' | b'g' | b'o' => out.extend(INTS),
        b'j' => out.extend(INTS.into_iter().step_by(2)),
        b'w' => out.extend(INTS.into_iter().take(6)),
        b'l' => out.extend(INTS.into_iter().take(4)),
        b'n' => out.extend([TypeTable::INT, TypeTable::UINT]),
        b'L' => out.extend([TypeTable::LONG, TypeTable::ULONG]),
        b'K' | b'k' | b'c' => out.extend(INTS.into_iter().skip(4)),
        // One instance without a K.
        b'-' => out.push(TypeTable::INT),
        _ => {}
    }
    if matches!(class, b'f' | b'g' | b'o' | b'c') && lang.fp16() {
        out.push(TypeTable::HALF);
    }
    if matches!(class, b'f' | b'x' | b'h' | b'g' | b'o' | b'c' | b'k') {
        out.push(TypeTable::FLOAT);
    }
    if matches!(class, b'f' | b'h' | b'g' | b'o' | b'c' | b'k') && lang.fp64() {
        out.push(TypeTable::DOUBLE);
    }
    out
}

fn given(types: &TypeTable, arg: Arg) -> Given {
    if arg.null && types.is_pointer(arg.ty) {
        return Given::Null;
    }
    match types.get(arg.ty) {
        Type::Bool | Type::Int(_) | Type::Float(_) => Given::Num(arg.ty, 1),
        Type::Enum(_) => types
            .int_kind(arg.ty)
            .map_or(Given::Other, |kind| Given::Num(TypeTable::int(kind), 1)),
        Type::Vector { elem, len } => Given::Num(*elem, *len),
        Type::Pointer { pointee, space } => Given::Ptr(*pointee, *space),
        Type::Opaque(kind) => Given::Opaque(*kind),
        _ => Given::Other,
    }
}

/// One alternative of a signature, split but not instantiated.
struct Signature<'a> {
    class: u8,
    modifier: u8,
    result: &'a str,
    params: SmallVec<[&'a str; 5]>,
}

fn parse(text: &str) -> Option<Signature<'_>> {
    let (class, rest) = text.split_once(' ')?;
    let (result, params) = rest.strip_suffix(')')?.split_once('(')?;
    let class = class.as_bytes();
    Some(Signature {
        class: *class.first()?,
        modifier: class.get(1).copied().unwrap_or(0),
        result,
        params: params.split(',').filter(|p| !p.is_empty()).collect(),
    })
}

/// The types and sizes that the terms of a row stand for in one overload.
#[derive(Clone, Copy)]
struct Instance {
    k: TypeId,
    n: u8,
    m: u8,
    name_lanes: u8,
    target: (TypeId, u8),
}

fn bits(types: &TypeTable, id: TypeId) -> u32 {
    (types.size(id) * 8) as u32
}

/// The opaque type that a letter stands for.
fn opaque(letter: u8) -> Option<OpaqueKind> {
    Some(match letter {
        b'e' => OpaqueKind::Event,
        b'm' => OpaqueKind::Sampler,
        b'q' => OpaqueKind::Queue,
        b'n' => OpaqueKind::NdRange,
        b'E' => OpaqueKind::ClkEvent,
        b'r' => OpaqueKind::ReserveId,
        _ => return None,
    })
}

/// `M`, letters of kinds, access: the argument's own type where it fits, for lists of
/// candidates the first.
fn image(term: &[u8], arg: Given) -> Option<Spec> {
    let (access, kinds) = term.split_last()?;
    let allows = |a: Access| match access {
        b'r' => a != Access::Write,
        b'w' => a != Access::Read,
        b'o' => a == Access::Read,
        _ => true,
    };
    let has = |kind: ImageKind| kinds == b"*" || kinds.contains(&kind.shape().letter);
    match arg {
        Given::Opaque(OpaqueKind::Image(kind, a)) if has(kind) && allows(a) => {
            Some(Spec::Opaque(OpaqueKind::Image(kind, a)))
        }
        Given::Null => {
            let kind = ImageKind::with_letter(*kinds.first()?).unwrap_or(ImageKind(0));
            let access = if *access == b'w' {
                Access::Write
            } else {
                Access::Read
            };
            Some(Spec::Opaque(OpaqueKind::Image(kind, access)))
        }
        _ => None,
    }
}

fn number(types: &TypeTable, term: &[u8], at: &Instance) -> Option<(TypeId, u8)> {
    let (term, lanes) = match term {
        [letter] => (*letter, None),
        [letter, digit] => (*letter, Some(digit - b'0')),
        _ => return None,
    };
    let (elem, n) = letter(types, term, at)?;
    Some((elem, lanes.unwrap_or(n)))
}

fn letter(types: &TypeTable, term: u8, at: &Instance) -> Option<(TypeId, u8)> {
    let int = |signed| TypeTable::int(IntKind::of(bits(types, at.k), signed));
    Some(match term {
        b'T' => (at.k, at.n),
        b's' => (at.k, 1),
        b'V' => (at.k, at.name_lanes),
        b'F' => (TypeTable::FLOAT, at.name_lanes),
        b'L' => at.target,
        b'U' => (int(false), at.n),
        b'S' => (int(true), at.n),
        b'R' if at.n == 1 => (TypeTable::INT, 1),
        b'R' => (int(true), at.n),
        b'I' => (TypeTable::INT, at.n),
        b'P' => (at.k, at.m),
        b'Q' => (int(false), at.m),
        b'W' => {
            let wide = IntKind::of(bits(types, at.k) * 2, types.is_signed(at.k));
            (TypeTable::int(wide), at.n)
        }
        b'i' => (TypeTable::INT, 1),
        b'u' => (TypeTable::UINT, 1),
        b'z' => (TypeTable::ULONG, 1),
        b'b' => (TypeTable::BOOL, 1),
        b'h' => (TypeTable::HALF, 1),
        b'k' => (TypeTable::CHAR, 1),
        b'x' => (TypeTable::FLOAT, 1),
        b'y' => (TypeTable::UCHAR, 1),
        b'N' => (TypeTable::USHORT, 1),
        b'H' => (TypeTable::SHORT, 1),
        b'O' => (TypeTable::ULONG, 1),
        b'B' => (TypeTable::UINT, 4),
        _ => return None,
    })
}

/// Instantiates a term; `arg` decides the space of a pointer that may point to several.
fn instantiate(types: &TypeTable, term: &str, at: &Instance, arg: Given) -> Option<Spec> {
    let bytes = term.as_bytes();
    match bytes[0] {
        b'v' => return Some(Spec::Void),
        b'M' => return image(&bytes[1..], arg),
        b'*' => {}
        letter => {
            if let Some(kind) = opaque(letter) {
                return Some(Spec::Opaque(kind));
            }
            return number(types, bytes, at).map(|(k, n)| Spec::Num(k, n));
        }
    }
    let set = bytes[1];
    let mut quals = Quals::empty();
    let mut rest = &bytes[2..];
    while let Some((first, more)) = rest.split_first() {
        match first {
            b'c' => quals |= Quals::CONST,
            b'v' => quals |= Quals::VOLATILE,
            _ => break,
        }
        rest = more;
    }
    let pointee = match rest[0] {
        b'A' => Pointee::Atomic(at.k),
        b'X' => Pointee::Atomic(TypeTable::INT),
        b'o' => Pointee::Void,
        letter => match opaque(letter) {
            Some(kind) => Pointee::Opaque(kind),
            None => {
                let (k, n) = number(types, rest, at)?;
                Pointee::Num(k, n)
            }
        },
    };
    let allowed: &[AddrSpace] = match set {
        b'g' => &[AddrSpace::Global],
        b'l' => &[AddrSpace::Local],
        b'c' => &[AddrSpace::Constant],
        b'p' => &[AddrSpace::Private],
        b'm' => &[AddrSpace::Global, AddrSpace::Local, AddrSpace::Generic],
        b'G' => &[
            AddrSpace::Generic,
            AddrSpace::Private,
            AddrSpace::Global,
            AddrSpace::Local,
        ],
        b'a' => &[
            AddrSpace::Private,
            AddrSpace::Global,
            AddrSpace::Local,
            AddrSpace::Generic,
        ],
        _ => &[
            AddrSpace::Private,
            AddrSpace::Global,
            AddrSpace::Local,
            AddrSpace::Constant,
            AddrSpace::Generic,
        ],
    };
    let space = match arg {
        Given::Ptr(_, space) if set == b'G' && allowed.contains(&space) => AddrSpace::Generic,
        Given::Ptr(_, space) if allowed.contains(&space) => space,
        Given::Ptr(..) => return None,
        _ => allowed[0],
    };
    Some(Spec::Ptr(pointee, space, quals))
}

/// Returns the distance between a parameter and an argument; messages list near overloads first.
fn misfit(types: &TypeTable, arg: Given, param: Spec) -> u32 {
    if let Some(rank) = rank(types, arg, param) {
        return u32::from(rank);
    }
    match (arg, param) {
        (Given::Num(from, _), Spec::Num(to, _)) if from == to => 4,
        (Given::Ptr(pointee, _), Spec::Ptr(Pointee::Num(k, n), ..)) => {
            match types.elem_lanes(pointee.ty) {
                (elem, lanes) if elem == k && lanes == n => 4,
                (elem, _) if elem == k => 5,
                _ => 7,
            }
        }
        (Given::Num(..), Spec::Num(..)) | (Given::Ptr(..), Spec::Ptr(..)) => 6,
        _ => 8,
    }
}

/// Ranks the conversion of an argument: 0 is exact, higher is worse, `None` does not fit.
fn rank(types: &TypeTable, arg: Given, param: Spec) -> Option<u8> {
    match (arg, param) {
        (Given::Num(from, from_lanes), Spec::Num(to, lanes)) => {
            if from == to && from_lanes == lanes {
                return Some(0);
            }
            match (from_lanes, lanes) {
                (1, 1) => Some(if is_promotion(types, from, to) { 1 } else { 2 }),
                (1, _) => Some(3),
                _ => None,
            }
        }
        (Given::Ptr(pointee, space), Spec::Ptr(to, to_space, quals)) => {
            let same = match (to, types.get(pointee.ty)) {
                (Pointee::Atomic(k), Type::Atomic(value)) => *value == k,
                (Pointee::Opaque(kind), Type::Opaque(own)) => kind == *own,
                (Pointee::Void, _) => true,
                (Pointee::Num(k, n), _) => {
                    let (mut elem, lanes) = types.elem_lanes(pointee.ty);
                    if let Some(kind) = types.int_kind(elem) {
                        elem = TypeTable::int(kind);
                    }
                    (elem, lanes) == (k, n)
                }
                _ => false,
            };
            let widens = to_space == AddrSpace::Generic && space != AddrSpace::Constant;
            if !same || (space != to_space && !widens) {
                return None;
            }
            let lost = pointee.quals.difference(quals | Quals::RESTRICT);
            if lost.contains(Quals::CONST) {
                None
            } else if lost.contains(Quals::VOLATILE) {
                Some(3)
            } else {
                Some(0)
            }
        }
        (Given::Null, Spec::Ptr(..)) => Some(2),
        // An event list may be `0`; sema refuses integers that are no null pointer constants.
        (Given::Num(ty, 1), Spec::Ptr(Pointee::Opaque(OpaqueKind::ClkEvent), ..))
            if ty == TypeTable::INT =>
        {
            Some(2)
        }
        (Given::Opaque(from), Spec::Opaque(to)) => (from == to).then_some(0),
        // `async_work_group_copy(…, 0)`: a literal zero is the null event; samplers are
        // integer constants.
        (
            Given::Num(from, 1),
            Spec::Opaque(
                OpaqueKind::Event
                | OpaqueKind::Sampler
                | OpaqueKind::Queue
                | OpaqueKind::ClkEvent
                | OpaqueKind::ReserveId,
            ),
        ) if types.is_integer(from) => Some(2),
        _ => None,
    }
}

fn is_promotion(types: &TypeTable, from: TypeId, to: TypeId) -> bool {
    if to == TypeTable::INT {
        return types.is_integer(from) && types.size(from) < 4;
    }
    (from == TypeTable::FLOAT && to == TypeTable::DOUBLE)
        || (from == TypeTable::HALF && to == TypeTable::FLOAT)
}

/// Lanes of the arguments in places whose term is one of `letters`.
fn infer_lanes(types: &TypeTable, params: &[&str], args: &[Given], letters: &[u8]) -> u8 {
    let mut lanes = 1;
    for (term, arg) in params.iter().zip(args) {
        let is_generic = term.bytes().last().is_some_and(|l| letters.contains(&l));
        if !is_generic {
            continue;
        }
        lanes = lanes.max(match arg {
            Given::Num(_, n) => *n,
            Given::Ptr(pointee, _) => types.elem_lanes(pointee.ty).1,
            _ => 1,
        });
    }
    lanes
}

fn modifier_allows(modifier: u8, n: u8, m: u8) -> bool {
    match modifier {
        b'v' => n > 1,
        b's' => n == 1,
        b'4' => n <= 4,
        b'3' => n == 3 || n == 4,
        b'2' => n != 1 && n != 3 && m != 1 && m != 3,
        _ => true,
    }
}

fn type_of(types: &mut TypeTable, spec: Spec) -> TypeId {
    match spec {
        Spec::Void => TypeTable::VOID,
        Spec::Opaque(kind) => types.intern(Type::Opaque(kind)),
        Spec::Num(k, n) => types.lanes(k, n),
        Spec::Ptr(pointee, space, quals) => {
            let ty = match pointee {
                Pointee::Num(k, n) => types.lanes(k, n),
                Pointee::Atomic(k) => types.intern(Type::Atomic(k)),
                Pointee::Opaque(kind) => types.intern(Type::Opaque(kind)),
                Pointee::Void => TypeTable::VOID,
            };
            types.pointer(QualType::new(ty, quals), space)
        }
    }
}

fn prototype(types: &mut TypeTable, name: &str, candidate: &Candidate) -> String {
    let result = type_of(types, candidate.result);
    let params: Vec<String> = candidate
        .params
        .iter()
        .map(|p| {
            let ty = type_of(types, *p);
            types.display(ty)
        })
        .collect();
    format!("{} {name}({})", types.display(result), params.join(", "))
}

/// Resolves a call of a looked-up name.
pub fn resolve(
    name: &str,
    found: &Name,
    args: &[Arg],
    types: &mut TypeTable,
    lang: &LangOptions,
) -> Result<Resolution, ResolveError> {
    if ROWS[found.first as usize].signature.is_empty() {
        return super::special::resolve(name, found, args, types, lang);
    }
    let given: SmallVec<[Given; 6]> = args.iter().map(|a| given(types, *a)).collect();
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut refused: Vec<Candidate> = Vec::new();
    let mut counts: Option<(usize, usize)> = None;
    let mut needs: Option<String> = None;
    let mut any_open = false;
    for row in found.first..found.first + found.count {
        let entry = &ROWS[row as usize];
        if let Some(missing) = missing(entry.gate, lang) {
            needs.get_or_insert(missing);
            continue;
        }
        any_open = true;
        let variadic = entry.lower == Lower::Printf;
        for text in entry.signature.split(';') {
            let Some(signature) = parse(text) else {
                continue;
            };
            let expected = signature.params.len();
            let (min, max) = counts.unwrap_or((expected, expected));
            let upper = if variadic { usize::MAX } else { expected };
            counts = Some((min.min(expected), max.max(upper)));
            if given.len() < expected || (given.len() > expected && !variadic) {
                continue;
            }
            let mut at = Instance {
                k: TypeTable::INT,
                n: infer_lanes(types, &signature.params, &given, b"TUSRIW"),
                m: infer_lanes(types, &signature.params, &given, b"PQ"),
                name_lanes: found.suffix.lanes.max(1),
                target: found.target.unwrap_or((TypeTable::INT, 1)),
            };
            if !modifier_allows(signature.modifier, at.n, at.m) {
                continue;
            }
            for kind in kinds(signature.class, lang) {
                at.k = kind;
                collect(
                    types,
                    row,
                    &signature,
                    &at,
                    &given,
                    &mut candidates,
                    &mut refused,
                );
            }
        }
    }
    if !any_open {
        return Err(ResolveError::Disabled {
            needs: needs.unwrap_or_default(),
        });
    }
    let (min, max) = counts.unwrap_or((0, 0));
    if args.len() < min || args.len() > max {
        return Err(ResolveError::Count { min, max });
    }
    if let Some((target, lanes)) = found.target {
        check_target(types, found, target, lanes, lang, &mut candidates)?;
    }
    let best = candidates.iter().position(|a| {
        candidates
            .iter()
            .all(|b| std::ptr::eq(a, b) || is_better(a, b) || a.params == b.params)
    });
    let list = |types: &mut TypeTable, from: &[Candidate]| {
        // Those that most arguments fit come first; a family's name says what it takes.
        let misfits = |c: &Candidate| -> u32 {
            let pairs = given.iter().zip(&c.params);
            pairs.map(|(g, p)| misfit(types, *g, *p)).sum()
        };
        let mut sorted: Vec<(u32, &Candidate)> = from.iter().map(|c| (misfits(c), c)).collect();
        sorted.sort_by_key(|(misfits, _)| *misfits);
        let named = found.target.is_some();
        sorted.truncate(if named { 0 } else { 4 });
        let shown = sorted.into_iter();
        shown.map(|(_, c)| prototype(types, name, c)).collect()
    };
    let Some(best) = best else {
        return Err(if candidates.is_empty() {
            ResolveError::NoMatch {
                candidates: list(types, &refused),
            }
        } else {
            ResolveError::Ambiguous {
                candidates: list(types, &candidates),
            }
        });
    };
    let chosen = &candidates[best];
    Ok(Resolution {
        id: pack(chosen.row, found.suffix),
        ret: type_of(types, chosen.result),
        params: chosen.params.iter().map(|p| type_of(types, *p)).collect(),
        variadic: ROWS[chosen.row as usize].lower == Lower::Printf,
    })
}

/// Instantiates one signature for one K and files it under viable or refused.
#[allow(
    clippy::too_many_arguments,
    reason = "the loop's state, not an interface"
)]
fn collect(
    types: &TypeTable,
    row: u16,
    signature: &Signature<'_>,
    at: &Instance,
    given: &[Given],
    candidates: &mut Vec<Candidate>,
    refused: &mut Vec<Candidate>,
) {
    let mut candidate = Candidate {
        row,
        params: SmallVec::new(),
        result: Spec::Void,
        ranks: SmallVec::new(),
    };
    let Some(result) = instantiate(types, signature.result, at, Given::Null) else {
        return;
    };
    candidate.result = result;
    let mut viable = true;
    for (term, arg) in signature.params.iter().zip(given) {
        let spec = instantiate(types, term, at, *arg);
        let fits = spec.and_then(|spec| rank(types, *arg, spec));
        let Some(spec) = spec.or_else(|| instantiate(types, term, at, Given::Null)) else {
            return;
        };
        candidate.params.push(spec);
        match fits {
            Some(rank) => candidate.ranks.push(rank),
            None => viable = false,
        }
    }
    if viable {
        candidates.push(candidate);
    } else if refused.len() < 4 {
        refused.push(candidate);
    }
}

/// `convert_T` keeps the number of lanes, `as_T` the size; both keep only exact arguments.
fn check_target(
    types: &mut TypeTable,
    found: &Name,
    target: TypeId,
    lanes: u8,
    lang: &LangOptions,
    candidates: &mut Vec<Candidate>,
) -> Result<(), ResolveError> {
    if target == TypeTable::DOUBLE && !lang.fp64() {
        return Err(ResolveError::Disabled {
            needs: "cl_khr_fp64".to_string(),
        });
    }
    if target == TypeTable::HALF && !lang.fp16() {
        return Err(ResolveError::Disabled {
            needs: "cl_khr_fp16".to_string(),
        });
    }
    let is_convert = ROWS[found.first as usize].name == "convert_#";
    let whole = types.lanes(target, lanes);
    let size = types.size(whole);
    let rooms = |n: u8| if n == 3 { 4 } else { u64::from(n) };
    candidates.retain(|c| match c.params[0] {
        Spec::Num(k, n) if is_convert => n == lanes && c.ranks[0] <= 2 && k != TypeTable::BOOL,
        Spec::Num(k, n) => c.ranks[0] == 0 && types.size(k) * rooms(n) == size,
        _ => false,
    });
    Ok(())
}

fn is_better(a: &Candidate, b: &Candidate) -> bool {
    let pairs = || a.ranks.iter().zip(&b.ranks);
    pairs().all(|(x, y)| x <= y) && pairs().any(|(x, y)| x < y)
}
