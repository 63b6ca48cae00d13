//! Callers' variables become registers of the functions that get pointers to them.
//!
//! A function that is not inlined reads and writes its callers' variables by pointers, which keeps each access in memory.
//! If it accesses them at constant places alone, it copies what it accesses to a variable of its own at its start, and
//! what it writes back before it returns. The variable is no one else's, so that scalar replacement makes registers of it.
//! Calls that may access the bytes too are between such copies.
//!
//! `pointees` finds what functions access through their parameters, callees first; `given` what their calls give them,
//! callers first. The bytes must be there in all calls, since they are read even where the function would not. No
//! other pointer that the function gets may lead to a byte that one of both writes, and it may not access private memory by
//! addresses that came from anywhere else.
//!
//! Copies must be worth it: see [`WORTH`].

mod copies;
mod given;
mod pointees;

use crate::pass::{Changed, Ctx};
use crate::passes::optimize::sroa;
use copies::promote;
use cranelift_entity::SecondaryMap;
use given::{Given, note_calls};
use pointees::{Bytes, Reach, is_private, plain_accesses};
use pumice_ir::analysis::reachable_functions;
use pumice_ir::analysis::slots::{AddressRoot, RootedAddress, SlotAddresses};
use pumice_ir::{Block, Cfg, FuncId, Function, InstKind, LoopNest, LowerError, Module, Value};

/// So many accesses must become registers for each piece that is copied.
const WORTH: u64 = 2;
/// Bytes of all variables that a function holds in registers in this way.
const MOST_BYTES: i64 = 512;
/// An access in a loop is about so many.
const ROUNDS: u64 = 8;
/// Loops inside one another that count.
const MAX_DEPTH: usize = 3;

/// Runs the pass.
///
/// # Errors
/// Those of [`sroa::run`].
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let order = reachable_functions(module)?;
    let takes_pointers = |&id: &FuncId| gets_pointers(&module.functions[id]);
    if !order.iter().any(takes_pointers) {
        return Ok(Changed::No);
    }
    let mut reach: SecondaryMap<FuncId, Reach> = SecondaryMap::new();
    for &id in &order {
        reach[id] = Reach::of(&module.functions[id], &reach);
    }
    let mut given: SecondaryMap<FuncId, Given> = SecondaryMap::new();
    for &id in order.iter().rev() {
        note_calls(&mut given, id, &module.functions[id], &reach);
    }
    let mut changed = Changed::No;
    let ctx = ctx.of_functions(&module.globals);
    for &id in &order {
        let promotable = promotable(&reach[id], &given[id]);
        // Later passes call those that are kept.
        if promotable.is_empty() || module.functions[id].kept {
            continue;
        }
        let func = &mut module.functions[id];
        let chosen = choose(func, &promotable);
        if !chosen.is_empty() {
            promote(func, &chosen, &given[id], &reach);
            changed = Changed::Yes;
            changed |= sroa::run(func, &ctx)?;
        }
    }
    Ok(changed)
}

/// Returns whether pointers that may be to private memory are among the parameters.
fn gets_pointers(func: &Function) -> bool {
    let params = func.entry().map(|entry| &func.blocks[entry].params);
    let mut params = params.into_iter().flatten();
    params.any(|&param| is_private(func, param))
}

/// The parameters of which a function may keep in registers what they point at.
fn promotable(reach: &Reach, given: &Given) -> Vec<usize> {
    let pointees = &reach.pointees;
    if reach.is_unknown || given.objects.len() != pointees.len() {
        return Vec::new();
    }
    let is_apart = |n: usize| (0..pointees.len()).all(|other| !given.may_meet(n, other));
    let is_there = |n: usize| given.objects[n].bytes.holds(pointees[n].bytes);
    let numbers = 0..pointees.len();
    let accessed = numbers.filter(|&n| !pointees[n].bytes.is_empty());
    accessed.filter(|&n| is_there(n) && is_apart(n)).collect()
}

/// An access of what a parameter points at, at a constant place.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// From the parameter on.
    bytes: Bytes,
    is_written: bool,
    /// The weight of the block that it is in.
    weight: u64,
}

/// Bytes that are copied together.
#[derive(Clone, Copy, Debug)]
struct Piece {
    bytes: Bytes,
    is_written: bool,
}

/// A parameter, and the pieces of what it points at, in their order.
struct Chosen {
    param: usize,
    pieces: Vec<Piece>,
}

/// Chooses the parameters for which the copies are worth it.
fn choose(func: &Function, params: &[usize]) -> Vec<Chosen> {
    let cfg = Cfg::new(func);
    let addresses = SlotAddresses::of(func, &cfg);
    let nest = LoopNest::find(&cfg).map(|(_, nest)| nest);
    let weight = |block: Block| {
        let depth = nest.as_ref().map_or(0, |nest| nest.around(block).count());
        ROUNDS.pow(depth.min(MAX_DEPTH) as u32)
    };
    let mut uses: Vec<Vec<Use>> = vec![Vec::new(); func.params.len()];
    let (mut returns, mut calls) = (0, 0);
    for &block in cfg.reverse_postorder() {
        let weight = weight(block);
        for &inst in &func.layout.insts[block] {
            match func.insts[inst].kind {
                InstKind::Return { .. } => returns += weight,
                InstKind::Call { .. } => calls += weight,
                _ => {}
            }
            for access in plain_accesses(func, inst) {
                if let Some((param, offset)) = constant_place(&addresses, access.ptr) {
                    uses[param].push(Use {
                        bytes: access.bytes.seen_from(Some(offset)),
                        is_written: access.is_written,
                        weight,
                    });
                }
            }
        }
    }
    let mut found: Vec<(u64, Chosen)> = Vec::new();
    for &param in params {
        let pieces = pieces(&uses[param]);
        let read = pieces.len() as u64;
        let written = pieces.iter().filter(|piece| piece.is_written).count() as u64;
        let gain: u64 = uses[param].iter().map(|used| used.weight).sum();
        // What is kept across any call lies in memory meanwhile.
        let cost = read + written * returns + (read + written) * calls;
        if read > 0 && gain >= WORTH * cost {
            found.push((gain / cost, Chosen { param, pieces }));
        }
    }
    found.sort_by_key(|&(ratio, _)| std::cmp::Reverse(ratio));
    let mut bytes = 0;
    let mut chosen = Vec::new();
    for (_, candidate) in found {
        let size: i64 = candidate.pieces.iter().map(|piece| piece.bytes.len()).sum();
        if bytes + size <= MOST_BYTES {
            bytes += size;
            chosen.push(candidate);
        }
    }
    chosen
}

/// The number of the parameter that an address is a constant number of bytes behind, and this number.
fn constant_place(addresses: &SlotAddresses, address: Value) -> Option<(usize, i64)> {
    let RootedAddress { root, offset } = addresses.rooted(address)?;
    match root {
        AddressRoot::Param(param) => Some((param, offset?)),
        AddressRoot::Slot(_) => None,
    }
}

/// The pieces of what is accessed: ranges that overlap are one.
fn pieces(uses: &[Use]) -> Vec<Piece> {
    let mut sorted: Vec<&Use> = uses.iter().collect();
    sorted.sort_unstable_by_key(|used| (used.bytes.start, used.bytes.end));
    let mut pieces: Vec<Piece> = Vec::new();
    for used in sorted {
        match pieces.last_mut() {
            Some(piece) if piece.bytes.meets(used.bytes) => {
                piece.bytes = piece.bytes.join(used.bytes);
                piece.is_written |= used.is_written;
            }
            _ => pieces.push(Piece {
                bytes: used.bytes,
                is_written: used.is_written,
            }),
        }
    }
    pieces
}
