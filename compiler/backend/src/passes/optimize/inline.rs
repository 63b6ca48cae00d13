//! Inlining, bottom-up over the call graph.
//!
//! A call is inlined when a private, local or generic pointer crosses it (what it points at may
//! then leave memory), when the callee is small, or when it is the callee's only call. Everything
//! else stays a call: f1 calling f2 twice, thirty levels deep, stays linear because a callee that
//! has grown past the budget is no longer copied, whatever crosses its calls. `noinline` is
//! obeyed. Only six things must be inlined at any size: everything where kernels have checks, since these know the kernel's
//! arguments; what means something else in a block than in other kernels, pointers to a buffer that has to be known
//! (descriptor form), images and samplers, strings that a printf behind the call takes, and more parameters than a
//! function of SPIR-V has. Under `-cl-opt-disable` size is no reason.
//!
//! The calls that go are chosen first, from sizes that are summed bottom-up. A callee with one call
//! is then not touched by itself: its body moves to its caller as it is, and its calls are looked
//! at there, so that a chain of ten thousand functions is copied once and not once a link.
//!
//! Undefined functions and recursion, which Kernel SPIR-V forbids, are errors here.

use crate::pass::{Changed, Ctx};
use crate::passes::check::report;
use crate::passes::legalize::spill_private::MOST_BYTES as MOST_PRIVATE_BYTES;
use crate::rewrite::{Copies, Replacements};
use cranelift_entity::SecondaryMap;
use pumice_budget as budget;
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, Block, BlockCall, BuiltIn, FuncId, Function, Inst, InstKind, Module, SourceLoc,
    Type, Value,
};
use pumice_target::Target;
use rustc_hash::FxHashMap;

/// Callees of at most this many instructions are copied to every call.
const SMALL: usize = 30;
/// A callee with one call in all is inlined up to this size.
const SINGLE_CALL: usize = 20_000;
/// The copies of a callee that pointers cross may add this much in sum.
const COPIES: usize = 1 << 16;
/// A function that has grown beyond this many instructions leaves its largest callees called.
const LARGE: usize = 1 << 18;
/// No function grows beyond this many instructions.
const MAX_SIZE: usize = 1 << 20;

/// The most parameters of a function (SPIR-V 1.6 §2.17).
const MOST_PARAMETERS: u32 = 255;

/// Inlines calls in all functions that kernels lead to.
///
/// # Errors
/// A call of a function without a body, recursion, or code that grows without bound.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let (order, calls) = bottom_up(module)?;
    let fates = decide(module, &order, &calls, ctx)?;
    let mut changed = Changed::No;
    for id in order {
        if fates[id] == Fate::Moves || module.functions[id].calls().next().is_none() {
            continue;
        }
        // Callees come first in the order, so those that are copied are final.
        let mut func = take(module, id);
        changed |= inline_into(&mut func, module, &fates)?;
        module.functions[id] = func;
    }
    Ok(changed)
}

/// Takes a function out of its module.
fn take(module: &mut Module, id: FuncId) -> Function {
    let empty = Function::new("", Vec::new(), Vec::new());
    std::mem::replace(&mut module.functions[id], empty)
}

/// The fate of the calls of a function.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Fate {
    /// They stay calls.
    #[default]
    Stays,
    /// Each gets a copy of the finished body.
    Copied,
    /// The only one gets the body as it was.
    Moves,
}

/// Decides for every function of the order, callees first.
///
/// # Errors
/// A function that becomes too large.
fn decide(
    module: &Module,
    order: &[FuncId],
    calls: &SecondaryMap<FuncId, u32>,
    ctx: &Ctx<'_>,
) -> Result<SecondaryMap<FuncId, Fate>, LowerError> {
    let mut fates: SecondaryMap<FuncId, Fate> = SecondaryMap::new();
    let mut sizes: SecondaryMap<FuncId, usize> = SecondaryMap::new();
    let mut must: SecondaryMap<FuncId, bool> = SecondaryMap::new();
    let mut placed: SecondaryMap<FuncId, bool> = SecondaryMap::new();
    let has_blocks = module.kernels.iter().any(|kernel| kernel.enqueue.is_some());
    let mut is_root: SecondaryMap<FuncId, bool> = SecondaryMap::new();
    for root in module.roots() {
        is_root[root] = true;
    }
    for &id in order {
        let func = &module.functions[id];
        // What each callee adds.
        let mut added: FxHashMap<FuncId, usize> = FxHashMap::default();
        let mut grown = func.size();
        for callee in func.calls().filter(|&callee| fates[callee] != Fate::Stays) {
            *added.entry(callee).or_default() += sizes[callee];
            grown = grown.saturating_add(sizes[callee]);
        }
        if grown > LARGE {
            let mut copied: Vec<_> = added
                .iter()
                .filter(|&(&callee, _)| fates[callee] == Fate::Copied && !must[callee])
                .map(|(&callee, &size)| (size, callee))
                .collect();
            copied.sort_unstable_by(|a, b| b.cmp(a));
            for (size, callee) in copied {
                if grown <= LARGE {
                    break;
                }
                fates[callee] = Fate::Stays;
                grown -= size;
            }
        }
        // Known before anything is copied.
        check_size(func, grown)?;
        sizes[id] = grown;
        placed[id] = has_blocks
            && (func.built_ins().any(BuiltIn::depends_on_place)
                || func.calls().any(|callee| placed[callee]));
        must[id] = placed[id]
            || must_inline(func, ctx.target)
            || func
                .calls()
                .any(|callee| must[callee] && takes_constants(func));
        if must[id] || should_inline(func, sizes[id], calls[id], ctx) {
            // Without kernels every function is wanted as it is.
            let only = calls[id] == 1 && !is_root[id] && !module.kernels.is_empty();
            fates[id] = if only { Fate::Moves } else { Fate::Copied };
        }
    }
    Ok(fates)
}

/// Returns an error for a function that becomes larger than [`MAX_SIZE`].
fn check_size(func: &Function, size: usize) -> Result<(), LowerError> {
    if size <= MAX_SIZE {
        return Ok(());
    }
    Err(LowerError::new(format!(
        "'{}' is too large once the calls are inlined that have to be",
        func.name
    )))
}

/// Functions reachable from kernels, callees first, and the number of calls of each.
pub(super) fn bottom_up(
    module: &Module,
) -> Result<(Vec<FuncId>, SecondaryMap<FuncId, u32>), LowerError> {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut state: SecondaryMap<FuncId, State> = SecondaryMap::new();
    let mut calls: SecondaryMap<FuncId, u32> = SecondaryMap::new();
    let mut order = Vec::new();
    let mut stack: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
    let mut roots: Vec<FuncId> = module.roots().collect();
    if module.kernels.is_empty() {
        // A module without kernels is a test's or a library's: all functions count.
        roots.extend(module.functions.keys());
    }
    for root in roots {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        stack.push((root, module.functions[root].calls().collect()));
        while let Some((id, callees)) = stack.last_mut() {
            let id = *id;
            let Some(callee) = callees.pop() else {
                state[id] = State::Done;
                order.push(id);
                stack.pop();
                continue;
            };
            calls[callee] += 1;
            let func = &module.functions[callee];
            if func.entry().is_none() {
                return Err(LowerError::new(format!(
                    "undefined reference to '{}', called from '{}'",
                    func.name, module.functions[id].name
                )));
            }
            match state[callee] {
                State::New => {
                    state[callee] = State::Open;
                    stack.push((callee, func.calls().collect()));
                }
                State::Open => {
                    return Err(LowerError::new(format!(
                        "recursive call of '{}' in '{}'",
                        func.name, module.functions[id].name
                    )));
                }
                State::Done => {}
            }
        }
    }
    Ok((order, calls))
}

fn any_type(func: &Function, wanted: impl Fn(AddressSpace) -> bool) -> bool {
    let mut types = func.params.iter().chain(&func.results);
    types.any(|ty| ty.address_space().is_some_and(&wanted))
}

/// Returns whether calls of a function must be inlined, whatever its size: a pointer crosses them
/// whose buffer must be known, or an image or sampler, or a string that the function prints; or there are too many
/// parameters.
pub fn must_inline(func: &Function, target: &Target) -> bool {
    let pointers = target.abi.descriptors().is_some() && any_type(func, |_| true);
    let checked = target.checks.any() && !report::is_helper(func);
    checked
        || pointers
        || func.passes_handles
        || prints_strings(func)
        || most_parameters(func) > MOST_PARAMETERS
}

/// The most parameters that a function can have once long vectors are split and wide integers made of words.
fn most_parameters(func: &Function) -> u32 {
    let of = |ty: &Type| {
        let vectors = u32::from(ty.lanes).div_ceil(4);
        let is_wide = ty.scalar.is_ptr() || ty.scalar.bytes() == 8;
        vectors * if is_wide { 2 } else { 1 }
    };
    func.params.iter().map(of).sum()
}

/// Returns whether a pointer crosses the call whose target may leave memory once it is inlined.
fn pointers_cross(func: &Function) -> bool {
    any_type(func, |space| {
        matches!(
            space,
            AddressSpace::Private | AddressSpace::Local | AddressSpace::Generic
        )
    })
}

fn takes_constants(func: &Function) -> bool {
    any_type(func, |space| {
        matches!(space, AddressSpace::Constant | AddressSpace::Generic)
    })
}

/// Returns whether a printf prints a string that may be a parameter: only literals can be printed.
fn prints_strings(func: &Function) -> bool {
    let mut insts = func
        .layout
        .blocks
        .iter()
        .flat_map(|&b| &func.layout.insts[b]);
    takes_constants(func)
        && insts.any(|&inst| matches!(func.insts[inst].kind, InstKind::Printf { .. }))
}

fn should_inline(callee: &Function, size: usize, calls: u32, ctx: &Ctx<'_>) -> bool {
    if callee.no_inline {
        return false;
    }
    let small = !ctx.options.math.opt_disable;
    // Large variables can leave registers in kernels only.
    let large = callee
        .slots
        .values()
        .any(|slot| slot.size > MOST_PRIVATE_BYTES);
    let wanted = callee.always_inline || pointers_cross(callee) || large;
    if calls <= 1 {
        return wanted || (small && size <= SINGLE_CALL);
    }
    if wanted {
        return size.saturating_mul(calls as usize - 1) <= COPIES;
    }
    small && size <= SMALL
}

fn inline_into(
    func: &mut Function,
    module: &mut Module,
    fates: &SecondaryMap<FuncId, Fate>,
) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    let mut total = func.size();
    let mut replacements = Replacements::default();
    let mut new_order = Vec::with_capacity(func.layout.blocks.len());
    // Blocks still to look at, the next one last, and what of each was not looked at yet.
    let mut work: Vec<(Block, Option<std::vec::IntoIter<Inst>>)> = Vec::new();
    work.extend(func.layout.blocks.iter().rev().map(|&block| (block, None)));
    while let Some((block, rest)) = work.pop() {
        new_order.push(block);
        let is_copied = |&inst: &Inst| match func.insts[inst].kind {
            InstKind::Call { func: callee, .. } => fates[callee] != Fate::Stays,
            _ => false,
        };
        if rest.is_none() && !func.layout.insts[block].iter().any(is_copied) {
            continue;
        }
        let all = &mut func.layout.insts[block];
        let mut rest = rest.unwrap_or_else(|| std::mem::take(all).into_iter());
        let mut found = None;
        for inst in rest.by_ref() {
            if is_copied(&inst) {
                found = Some(inst);
                break;
            }
            func.layout.insts[block].push(inst);
        }
        let Some(call) = found else { continue };
        let InstKind::Call { func: id, args, .. } = func.insts[call].kind.clone() else {
            continue;
        };
        let mut callee = take(module, id);
        total += callee.size();
        check_size(func, total)?;
        let after = continuation(func, call, &mut replacements);
        let loc = func.insts[call].loc;
        let moves = fates[id] == Fate::Moves;
        let body = copy_body(func, &mut callee, moves, &args, (after, loc));
        budget::check()?;
        let args = match func.blocks[body[0]].params.is_empty() {
            true => &[],
            false => args.as_slice(),
        };
        let dest = BlockCall::new(body[0], args);
        func.append(block, InstKind::Jump { dest }, &[], loc);
        work.push((after, Some(rest)));
        if moves {
            work.extend(body.iter().rev().map(|&block| (block, None)));
            module.functions[id] = husk(callee);
        } else {
            // A finished body: what is still called there stays called here.
            new_order.extend_from_slice(&body);
            module.functions[id] = callee;
        }
        changed = Changed::Yes;
    }
    func.layout.blocks = new_order;
    replacements.apply(func);
    Ok(changed)
}

/// Gives the rest of a function whose body has moved: its signature and one block that nothing
/// reaches.
fn husk(func: Function) -> Function {
    let mut husk = Function::new(func.name, func.params, func.results);
    husk.linkage = func.linkage;
    let entry = husk.append_block();
    for ty in husk.params.clone() {
        husk.append_param(entry, ty);
    }
    husk.append(entry, InstKind::Unreachable, &[], SourceLoc::default());
    husk
}

/// The block behind a call; its parameters take the place of the call's results.
fn continuation(func: &mut Function, call: Inst, replacements: &mut Replacements) -> Block {
    let after = func.make_block();
    for result in func.insts[call].results.clone() {
        let ty = func.ty(result);
        let param = func.append_param(after, ty);
        replacements.replace(result, param);
    }
    after
}

/// Copies a callee's blocks for a call at `loc`; returns jump to `after`. A body that moves loses its instructions.
fn copy_body(
    func: &mut Function,
    callee: &mut Function,
    moves: bool,
    args: &[Value],
    (after, loc): (Block, SourceLoc),
) -> Vec<Block> {
    debug_assert_eq!(args.len(), callee.params.len());
    let mut copies = Copies::new(func, callee);
    // Then its parameters are the arguments themselves.
    let entered_once = !callee.layout.blocks.iter().any(|&block| {
        let inst = callee.terminator(block);
        inst.is_some_and(|inst| {
            let calls = callee.insts[inst].kind.successors();
            calls.iter().any(|call| Some(call.block) == callee.entry())
        })
    });
    if let Some(entry) = callee.entry().filter(|_| entered_once) {
        for (&param, &arg) in callee.blocks[entry].params.iter().zip(args) {
            copies.values[param] = arg.into();
        }
    }
    // What a library or a lowering wrote has no place of its own in the source.
    let at = |own: SourceLoc| if own.line == 0 { loc } else { own };
    copies.copy(func, callee, moves, at);
    for &block in &copies.order {
        let Some(last) = func.terminator(block) else {
            continue;
        };
        if let InstKind::Return { values } = &mut func.insts[last].kind {
            let args = std::mem::take(values).into_iter().collect();
            let dest = BlockCall { block: after, args };
            func.insts[last].kind = InstKind::Jump { dest };
        }
    }
    copies.order
}
