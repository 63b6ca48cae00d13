//! Determines whether control can reach the end of a function, for the warning about a missing
//! `return`.
//!
//! Errs on the side of silence: conditions count as unknown unless they are constant.

use super::Sema;
use super::const_eval::is_true;
use super::typed::{StmtId, StmtKind};

impl Sema<'_> {
    /// Returns whether control can pass the end of a statement that it has reached.
    pub(super) fn can_fall_through(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => false,
            StmtKind::Block(stmts) => {
                let mut reached = true;
                for &stmt in stmts {
                    // A label may be reached from elsewhere.
                    reached = (reached || self.has_label(stmt)) && self.can_fall_through(stmt);
                }
                reached
            }
            StmtKind::If {
                then, otherwise, ..
            } => self.can_fall_through(*then) || otherwise.is_none_or(|s| self.can_fall_through(s)),
            StmtKind::Loop {
                cond,
                post_test,
                body,
                ..
            } => {
                let endless = cond
                    .is_none_or(|c| self.eval(c).and_then(|value| is_true(&value)) == Some(true));
                // The condition behind the body is reached from its end or by `continue`.
                let tested = !*post_test || self.can_fall_through(*body) || self.jumps(*body, true);
                self.jumps(*body, false) || (!endless && tested)
            }
            StmtKind::Switch { default, body, .. } => {
                default.is_none() || self.jumps(*body, false) || self.can_fall_through(*body)
            }
            _ => true,
        }
    }

    fn has_label(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::Label(_) => true,
            StmtKind::Block(stmts) => stmts.iter().any(|&s| self.has_label(s)),
            StmtKind::If {
                then, otherwise, ..
            } => self.has_label(*then) || otherwise.is_some_and(|s| self.has_label(s)),
            StmtKind::Loop { body, .. } | StmtKind::Switch { body, .. } => self.has_label(*body),
            _ => false,
        }
    }

    /// Returns whether a `break`, or with `continues` a `continue`, leads out of a body.
    fn jumps(&self, id: StmtId, continues: bool) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::Break => !continues,
            StmtKind::Continue => continues,
            StmtKind::Block(stmts) => stmts.iter().any(|&s| self.jumps(s, continues)),
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.jumps(*then, continues) || otherwise.is_some_and(|s| self.jumps(s, continues))
            }
            // A switch takes `break` for itself.
            StmtKind::Switch { body, .. } => continues && self.jumps(*body, true),
            _ => false,
        }
    }
}
