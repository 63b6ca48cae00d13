//! Overload resolution over the table's signatures.
//!
//! Takes a looked-up name and argument types; gives the one best candidate, ranked per
//! argument as clang does (exact, promotion, conversion, widening). Element types and lanes
//! are inferred from the arguments, so a family costs a handful of comparisons, not one per
//! instance. Conversions themselves are sema's.

use smallvec::SmallVec;

use super::instance::{Instance, Spec, infer_lanes, type_of};
use super::names::{Name, pack};
use super::rank::{Given, given, misfit, rank, rank_with_warnings};
use super::table::ROWS;
use super::table::signature::{Signature, Width};
use super::{Arg, Resolution, ResolveError};
use crate::lang::options::LangOptions;
use crate::lang::types::{TypeId, TypeTable};

struct Candidate {
    row: u16,
    params: SmallVec<[Spec; 5]>,
    result: Spec,
    ranks: SmallVec<[u8; 5]>,
    variadic: bool,
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
    if ROWS[found.first as usize].signature.is_none() {
        return super::special::resolve(name, found, args, types, lang);
    }
    let given: SmallVec<[Given; 6]> = args.iter().map(|a| given(types, *a)).collect();
    let mut candidates = Candidates::gather(types, found, &given, lang, Taken::Fitting)?;
    if let Some((target, lanes)) = found.target {
        check_target(types, found, target, lanes, lang, &mut candidates.viable)?;
    }
    let viable = &candidates.viable;
    let warned = match viable.is_empty() && found.target.is_none() {
        true => Candidates::gather(types, found, &given, lang, Taken::WithWarnings)?.viable,
        false => Vec::new(),
    };
    let Some(best) = best_of(viable).or_else(|| best_of(&warned)) else {
        let nearest = |types: &mut TypeTable, from: &[Candidate]| {
            // A family's name says what it takes.
            let shown = if found.target.is_some() { 0 } else { SHOWN };
            let nearest = nearest(types, from, &given).into_iter().take(shown);
            nearest.map(|c| prototype(types, name, c)).collect()
        };
        return Err(if viable.is_empty() {
            ResolveError::NoMatch {
                candidates: {
                    let all =
                        Candidates::gather(types, found, &given, lang, Taken::FittingAndRefused)?;
                    nearest(types, &all.refused)
                },
            }
        } else {
            ResolveError::Ambiguous {
                candidates: nearest(types, viable),
            }
        });
    };
    Ok(Resolution {
        id: pack(best.row, found.suffix),
        ret: type_of(types, best.result),
        params: best.params.iter().map(|p| type_of(types, *p)).collect(),
        variadic: best.variadic,
    })
}

/// The candidate that is better than all others, or has the same parameters.
fn best_of(viable: &[Candidate]) -> Option<&Candidate> {
    viable.iter().find(|a| {
        let mut others = viable.iter();
        others.all(|b| std::ptr::eq(*a, b) || is_better(a, b) || a.params == b.params)
    })
}

/// Most candidates that messages list.
const SHOWN: usize = 4;

/// Sorts candidates: those that most arguments fit come first.
fn nearest<'a>(types: &TypeTable, from: &'a [Candidate], given: &[Given]) -> Vec<&'a Candidate> {
    let misfits = |c: &Candidate| -> u32 {
        let pairs = given.iter().zip(&c.params);
        pairs.map(|(g, p)| misfit(types, *g, *p)).sum()
    };
    let mut sorted: Vec<(u32, &Candidate)> = from.iter().map(|c| (misfits(c), c)).collect();
    sorted.sort_by_key(|(misfits, _)| *misfits);
    sorted.into_iter().map(|(_, c)| c).collect()
}

/// The variables of a signature that the arguments decide; `None` if it has no overload of those
/// numbers of components.
fn infer(
    types: &TypeTable,
    signature: &Signature,
    found: &Name,
    given: &[Given],
) -> Option<Instance> {
    let lanes = |width| infer_lanes(types, signature, given, width);
    let n = if signature.is_scalar() {
        1
    } else {
        lanes(Width::N)
    };
    let m = lanes(Width::M);
    let has_m = signature
        .params()
        .iter()
        .any(|p| p.width() == Some(Width::M));
    let exists = signature.components.has(n) && (!has_m || signature.components.has(m));
    exists.then(|| Instance {
        gentype: TypeTable::INT,
        n,
        m,
        name_lanes: found.suffix.lanes.max(1),
        target: found.target.unwrap_or((TypeTable::INT, 1)),
    })
}

/// The overloads that take as many arguments as are given.
#[derive(Default)]
struct Candidates {
    /// Those that the arguments convert to.
    viable: Vec<Candidate>,
    /// The others, if they are kept.
    refused: Vec<Candidate>,
}

/// The overloads that are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// Those that the arguments convert to.
    Fitting,
    /// The same with conversions of pointers that C makes with a warning.
    WithWarnings,
    /// Those that the arguments convert to, and those that they do not: messages list them.
    FittingAndRefused,
}

impl Candidates {
    /// Instantiates the signatures of a name that are available.
    fn gather(
        types: &TypeTable,
        found: &Name,
        given: &[Given],
        lang: &LangOptions,
        taken: Taken,
    ) -> Result<Self, ResolveError> {
        let mut candidates = Self::default();
        let mut counts: Option<(usize, usize)> = None;
        let mut needs: Option<&str> = None;
        for (row, entry) in found.rows() {
            if let Some(missing) = entry.missing(lang) {
                needs.get_or_insert(missing);
                continue;
            }
            let Some(signature) = &entry.signature else {
                continue;
            };
            let expected = signature.params().len();
            let upper = if signature.variadic {
                usize::MAX
            } else {
                expected
            };
            let (min, max) = counts.unwrap_or((expected, expected));
            counts = Some((min.min(expected), max.max(upper)));
            if !(expected..=upper).contains(&given.len()) {
                continue;
            }
            let Some(mut at) = infer(types, signature, found, given) else {
                continue;
            };
            let scalars = signature.scalars.available(lang.fp16(), lang.fp64());
            // A signature without gentype is one overload.
            let single = signature.scalars.is_empty().then_some(TypeTable::INT);
            for gentype in scalars.iter().chain(single) {
                at.gentype = gentype;
                candidates.add(types, row, signature, &at, given, taken);
            }
        }
        match counts {
            None => Err(ResolveError::Disabled {
                needs: needs.unwrap_or_default().to_string(),
            }),
            Some((min, max)) if given.len() < min || given.len() > max => {
                Err(ResolveError::Count { min, max })
            }
            Some(_) => Ok(candidates),
        }
    }

    /// Files one overload under viable or refused.
    fn add(
        &mut self,
        types: &TypeTable,
        row: u16,
        signature: &Signature,
        at: &Instance,
        given: &[Given],
        taken: Taken,
    ) {
        let Some(result) = at.term(types, &signature.result, Given::Null) else {
            return;
        };
        let mut candidate = Candidate {
            row,
            params: SmallVec::new(),
            result,
            ranks: SmallVec::new(),
            variadic: signature.variadic,
        };
        let mut is_viable = true;
        for (term, arg) in signature.params().iter().zip(given) {
            let spec = at.term(types, term, *arg);
            let rank = match taken {
                Taken::WithWarnings => rank_with_warnings,
                Taken::Fitting | Taken::FittingAndRefused => rank,
            };
            let fits = spec.and_then(|spec| rank(types, *arg, spec));
            let Some(spec) = spec.or_else(|| at.term(types, term, Given::Null)) else {
                return;
            };
            candidate.params.push(spec);
            match fits {
                Some(rank) => candidate.ranks.push(rank),
                None => is_viable = false,
            }
        }
        if is_viable {
            self.viable.push(candidate);
        } else if taken == Taken::FittingAndRefused {
            self.refused.push(candidate);
        }
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
    let is_convert = found.is_conversion();
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
