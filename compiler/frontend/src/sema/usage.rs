//! Uses of private variables, for the warnings about unused and uninitialized ones.
//!
//! Expressions are checked in the order of the text, so the first use noted is the first in the
//! text. A variable counts as uninitialized only if that first use reads it and no jump leads back
//! from an assignment: a warning is right whenever the line runs.
use rustc_hash::FxHashMap;

use super::Sema;
use super::typed::{LocalId, LvalueId, LvalueKind};
use crate::diagnostics::Warning;
use crate::source::Span;

/// A read before any assignment.
#[derive(Clone, Copy, Debug)]
struct EarlyRead {
    span: Span,
    /// The outermost loop around it that is inside the variable's scope.
    in_loop: Option<u32>,
}

/// The uses of one variable.
#[derive(Debug)]
struct Use {
    name: String,
    span: Span,
    is_parameter: bool,
    initialized: bool,
    /// Loops around its declaration.
    loops: usize,
    named: bool,
    read: bool,
    written: bool,
    early: Option<EarlyRead>,
}

/// The uses of a function's variables.
#[derive(Debug, Default)]
pub(super) struct Usage {
    locals: FxHashMap<LocalId, Use>,
    /// Loops around the current statement, outermost first, by number.
    loops: Vec<u32>,
    loop_count: u32,
    /// Operands around the current one that are not evaluated.
    unevaluated: u32,
}

impl Usage {
    /// Forgets a variable that a block takes.
    pub(super) fn capture(&mut self, local: LocalId) {
        self.locals.remove(&local);
    }

    fn is_open(&self, number: Option<u32>) -> bool {
        number.is_some_and(|number| self.loops.contains(&number))
    }
}

impl Sema<'_> {
    fn usage(&mut self) -> Option<&mut Usage> {
        self.func.as_mut().map(|func| &mut func.usage)
    }

    /// Notes a declared variable or parameter.
    pub(super) fn note_declared(&mut self, local: LocalId, initialized: bool, is_parameter: bool) {
        let variable = self.body.local(local);
        let (name, span) = (variable.name.clone(), variable.span);
        if name.is_empty() {
            return;
        }
        let Some(usage) = self.usage() else { return };
        let noted = Use {
            name,
            span,
            is_parameter,
            initialized,
            loops: usage.loops.len(),
            named: false,
            read: false,
            written: false,
            early: None,
        };
        usage.locals.insert(local, noted);
    }

    /// Notes that a variable is named.
    pub(super) fn note_named(&mut self, local: LocalId) {
        if let Some(noted) = self.usage().and_then(|u| u.locals.get_mut(&local)) {
            noted.named = true;
        }
    }

    /// Forgets a variable whose uses cannot be followed.
    pub(super) fn note_unknown(&mut self, lvalue: LvalueId) {
        if let (Some(local), Some(usage)) = (self.root_local(lvalue), self.usage()) {
            usage.locals.remove(&local);
        }
    }

    /// The variable that an lvalue is part of.
    fn root_local(&self, mut lvalue: LvalueId) -> Option<LocalId> {
        loop {
            match &self.body.lvalue(lvalue).kind {
                LvalueKind::Local(local) => return Some(*local),
                LvalueKind::Field { base, .. }
                | LvalueKind::Lanes { base, .. }
                | LvalueKind::Lane { base, .. } => lvalue = *base,
                _ => return None,
            }
        }
    }

    /// Notes that the value of an lvalue is read.
    pub(super) fn note_read(&mut self, lvalue: LvalueId, span: Span) {
        let whole = matches!(self.body.lvalue(lvalue).kind, LvalueKind::Local(_));
        let (Some(local), Some(usage)) = (self.root_local(lvalue), self.usage()) else {
            return;
        };
        let unevaluated = usage.unevaluated > 0;
        let Some(noted) = usage.locals.get_mut(&local) else {
            return;
        };
        let in_loop = usage.loops.get(noted.loops).copied();
        noted.read = true;
        let early = whole && !noted.written && !noted.initialized && noted.early.is_none();
        if early && !noted.is_parameter && !unevaluated {
            noted.early = Some(EarlyRead { span, in_loop });
        }
    }

    /// Notes that an lvalue is written.
    pub(super) fn note_written(&mut self, lvalue: LvalueId) {
        let (Some(local), Some(usage)) = (self.root_local(lvalue), self.usage()) else {
            return;
        };
        let in_loop = usage.locals.get(&local).and_then(|u| u.early?.in_loop);
        let leads_back = usage.is_open(in_loop);
        if let Some(noted) = usage.locals.get_mut(&local) {
            noted.written = true;
            if leads_back {
                noted.early = None;
                noted.initialized = true;
            }
        }
    }

    /// Notes the begin of a loop.
    pub(super) fn enter_loop(&mut self) {
        if let Some(usage) = self.usage() {
            usage.loop_count += 1;
            usage.loops.push(usage.loop_count);
        }
    }

    /// Notes the end of a loop.
    pub(super) fn leave_loop(&mut self) {
        if let Some(usage) = self.usage() {
            usage.loops.pop();
        }
    }

    /// Checks an operand that is not evaluated.
    pub(super) fn without_evaluation<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.note_unevaluated(1);
        let checked = check(self);
        self.note_unevaluated(-1);
        checked
    }

    /// Notes the begin (1) or end (-1) of an operand that is not evaluated.
    fn note_unevaluated(&mut self, change: i32) {
        if let Some(usage) = self.usage() {
            usage.unevaluated = usage.unevaluated.saturating_add_signed(change);
        }
    }

    /// Warns about the variables of a function that was checked without errors.
    pub(super) fn report_usage(&mut self, usage: &Usage, has_labels: bool) {
        let mut locals: Vec<&Use> = usage.locals.values().collect();
        locals.sort_by_key(|noted| (noted.span.lo, noted.span.hi));
        for noted in locals {
            let name = &noted.name;
            if let (Some(early), false) = (noted.early, has_labels) {
                let message = format!("variable '{name}' is uninitialized when used here");
                let note = format!("initialize the variable '{name}' to silence this warning");
                self.warning(Warning::Uninitialized, early.span, message)
                    .note(noted.span, note);
            }
            let (warning, message) = if !noted.named && noted.is_parameter {
                (
                    Warning::UnusedParameter,
                    format!("unused parameter '{name}'"),
                )
            } else if !noted.named {
                (Warning::UnusedVariable, format!("unused variable '{name}'"))
            } else if !noted.read && !noted.is_parameter {
                let message = format!("variable '{name}' set but not used");
                (Warning::UnusedButSetVariable, message)
            } else {
                continue;
            };
            self.warning(warning, noted.span, message);
        }
    }
}
