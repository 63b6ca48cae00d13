//! The call graph.

use crate::{AddressSpace, BuiltIn, FuncId, InstKind, LowerError, Module};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// Functions that the kernels reach, callees first.
///
/// # Errors
/// A call of a function that has no body, or recursion.
pub fn reachable_functions(module: &Module) -> Result<Vec<FuncId>, LowerError> {
    let mut state: SecondaryMap<FuncId, u8> = SecondaryMap::new();
    let mut order = Vec::new();
    // Explicit stack: call chains of hostile input must not exhaust ours.
    let mut stack: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
    let callees = |id: FuncId| module.functions[id].calls().collect();
    for kernel in &module.kernels {
        if state[kernel.func] == 0 {
            state[kernel.func] = 1;
            stack.push((kernel.func, callees(kernel.func)));
        }
        while let Some((func, rest)) = stack.last_mut() {
            let func = *func;
            match rest.pop() {
                Some(callee) if module.functions[callee].entry().is_none() => {
                    return Err(LowerError::new(format!(
                        "undefined function '{}'",
                        module.functions[callee].name
                    )));
                }
                Some(callee) => match state[callee] {
                    0 => {
                        state[callee] = 1;
                        stack.push((callee, callees(callee)));
                    }
                    1 => {
                        return Err(LowerError::new(format!(
                            "recursion through function '{}' is not allowed in OpenCL C",
                            module.functions[callee].name
                        )));
                    }
                    _ => {}
                },
                None => {
                    state[func] = 2;
                    order.push(func);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

/// The functions that a function calls, directly or through others.
pub fn functions_called_from(module: &Module, caller: FuncId) -> BTreeSet<FuncId> {
    let mut called = BTreeSet::new();
    let mut work: Vec<FuncId> = module.functions[caller].calls().collect();
    while let Some(id) = work.pop() {
        if called.insert(id) {
            work.extend(module.functions[id].calls());
        }
    }
    called
}

/// Facts about a function and all that it calls.
#[derive(Clone, Debug, Default)]
pub struct FunctionSummary {
    /// The functions that it calls itself, each once.
    pub calls: Vec<FuncId>,
    /// True if it uses the printf buffer.
    pub printf: bool,
    /// True if it has operations of groups.
    pub collective: bool,
    /// True if its results may depend on how work-items are grouped.
    pub sees_groups: bool,
    /// True if they may depend on which work-items make a sub-group.
    pub sees_sub_groups: bool,
}

/// Summaries of functions that come callees first.
pub fn summarize_functions(
    module: &Module,
    functions: &[FuncId],
) -> SecondaryMap<FuncId, FunctionSummary> {
    let mut summaries: SecondaryMap<FuncId, FunctionSummary> = SecondaryMap::new();
    for &id in functions {
        let f = &module.functions[id];
        let mut own = FunctionSummary::default();
        for &block in &f.layout.blocks {
            for &inst in &f.layout.insts[block] {
                let kind = &f.insts[inst].kind;
                own.sees_groups |= sees_groups(module, kind);
                own.sees_sub_groups |= kind.sees_sub_groups();
                match *kind {
                    InstKind::Call { func, .. } => own.calls.push(func),
                    InstKind::Group { .. } | InstKind::Matrix { .. } => own.collective = true,
                    InstKind::BuiltIn {
                        which: BuiltIn::PrintfBuffer,
                    } => own.printf = true,
                    _ => {}
                }
            }
        }
        own.calls.sort_unstable();
        own.calls.dedup();
        for &callee in &own.calls {
            own.printf |= summaries[callee].printf;
            own.collective |= summaries[callee].collective;
            own.sees_groups |= summaries[callee].sees_groups;
            own.sees_sub_groups |= summaries[callee].sees_sub_groups;
        }
        summaries[id] = own;
    }
    summaries
}

/// Returns whether an instruction's effect may depend on which work-items are in a group together.
fn sees_groups(module: &Module, kind: &InstKind) -> bool {
    let unseen = [
        BuiltIn::GlobalId,
        BuiltIn::GlobalSize,
        BuiltIn::GlobalOffset,
        BuiltIn::GlobalLinearId,
        BuiltIn::WorkDim,
        BuiltIn::MaxWorkGroupSize,
        BuiltIn::PrivateMemory,
        BuiltIn::PrintfBuffer,
        BuiltIn::CheckMemory,
        BuiltIn::AddressDelta,
        BuiltIn::TerminationFlag,
    ];
    match *kind {
        InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => {
            !unseen.contains(&which)
        }
        InstKind::GlobalAddr { global } => module.globals[global].space == AddressSpace::Local,
        _ => kind.is_convergent(),
    }
}
