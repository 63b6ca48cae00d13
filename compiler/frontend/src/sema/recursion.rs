//! Recursion, which OpenCL C has not: cycles of the call graph. Calls that became jumps (`tail_call`) are not in it.
use rustc_hash::FxHashSet;

use super::Sema;
use super::typed::FuncId;
use crate::diagnostics::Warning;
use crate::source::Span;

/// Functions of a cycle that a message names.
const RECURSION_SHOWN: usize = 8;

impl Sema<'_> {
    /// Reports the call at `span` that closes a cycle of functions, given in the order of calls.
    /// Without a kernel that gets there it is a warning, as clang compiles it: nothing runs it.
    fn recursive_call(&self, cycle: &[FuncId], is_run: bool, span: Span) {
        let Some(&first) = cycle.first() else { return };
        let first = self.module.function(first);
        let text = &first.name;
        let message = format!("recursive call to '{text}' is not allowed in OpenCL C");
        let report = match is_run {
            true => self.error(span, message),
            false => self.warning(Warning::Unnamed, span, message),
        };
        let report = report.note(first.span, format!("'{text}' declared here"));
        if cycle.len() > 1 {
            let names = cycle.iter().chain(cycle.first());
            let names: Vec<String> = names
                .take(RECURSION_SHOWN)
                .map(|&id| format!("'{}'", self.module.function(id).name))
                .collect();
            report.note(span, format!("calls: {}", names.join(" -> ")));
        } else {
            report.hint(
                "write a loop; a function can call itself only as the last thing that it does",
            );
        }
    }

    /// OpenCL C has no recursion (OpenCL C 3.0 §6.11.i).
    pub(super) fn check_recursion(&mut self) {
        let count = self.module.functions.len();
        let mut callees: Vec<Vec<(FuncId, Span)>> = vec![Vec::new(); count];
        for &(from, to, span) in &self.calls {
            callees[from.0 as usize].push((to, span));
        }
        let run = self.run_by_kernels(&callees);
        // 0 not seen, 1 on the path, 2 done.
        let mut state = vec![0u8; count];
        let mut reported: FxHashSet<FuncId> = FxHashSet::default();
        for start in 0..count {
            if state[start] != 0 {
                continue;
            }
            state[start] = 1;
            let mut path: Vec<(usize, usize)> = vec![(start, 0)];
            while let Some(&mut (node, ref mut next)) = path.last_mut() {
                let Some(&(callee, span)) = callees[node].get(*next) else {
                    state[node] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[callee.0 as usize] {
                    0 => {
                        state[callee.0 as usize] = 1;
                        path.push((callee.0 as usize, 0));
                    }
                    1 if reported.insert(callee) => {
                        let cycle = path.iter().skip_while(|(f, _)| *f != callee.0 as usize);
                        let cycle: Vec<FuncId> = cycle.map(|(f, _)| FuncId(*f as u32)).collect();
                        self.recursive_call(&cycle, run[callee.0 as usize], span);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Tells of each function whether a kernel or an enqueued block calls it, directly or not.
    fn run_by_kernels(&self, callees: &[Vec<(FuncId, Span)>]) -> Vec<bool> {
        let functions = self.module.functions.iter().enumerate();
        let kernels = functions.filter(|(_, f)| f.kernel.is_some());
        let mut open: Vec<usize> = kernels.map(|(index, _)| index).collect();
        open.extend(self.enqueued.iter().map(|func| func.0 as usize));
        let mut run = vec![false; callees.len()];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut run[index], true) {
                open.extend(callees[index].iter().map(|(callee, _)| callee.0 as usize));
            }
        }
        run
    }
}
