//! Labels of `goto`.
use super::Sema;
use super::func::LabelState;
use super::typed::LabelId;
use crate::source::{Span, Symbol};

impl Sema<'_> {
    pub(super) fn label(&mut self, name: Symbol, span: Span, define: bool) -> LabelId {
        let known = self
            .func
            .as_ref()
            .and_then(|f| f.labels.get(&name).copied());
        let mut state = match known {
            Some(state) => state,
            None => LabelState {
                id: self.new_label(),
                defined: None,
                used: None,
            },
        };
        if define {
            if let Some(previous) = state.defined {
                self.error(span, format!("redefinition of label '{}'", self.name(name)))
                    .note(previous, "previous definition is here");
                // A second place for one label would break the tree's promise.
                return self.new_label();
            }
            state.defined = Some(span);
        } else if state.used.is_none() {
            state.used = Some(span);
        }
        if let Some(func) = &mut self.func {
            func.labels.insert(name, state);
        }
        state.id
    }

    /// Every label used must be somewhere.
    pub(super) fn finish_labels(&mut self) {
        let Some(func) = &self.func else { return };
        let mut missing: Vec<(Span, Symbol)> = func
            .labels
            .iter()
            .filter(|(_, state)| state.defined.is_none())
            .filter_map(|(&name, state)| state.used.map(|span| (span, name)))
            .collect();
        missing.sort_by_key(|(_, name)| *name);
        for (span, name) in missing {
            self.error(
                span,
                format!("use of undeclared label '{}'", self.name(name)),
            );
        }
    }
}
