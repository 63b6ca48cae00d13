//! Calls of a function by itself, the result of which it returns: jumps to its start.
//!
//! OpenCL C has no recursion, but compilers that optimise make loops of such calls, and programs rely on that. A jump
//! gives the function's variables to the next call, so none of them may have been pointed to.
use super::Sema;
use super::typed::{
    ExprId, ExprKind, FuncId, LabelId, LocalId, LvalueId, LvalueKind, StmtId, StmtKind,
};
use super::typed_stmt::Init;
use crate::lang::opaque::OpaqueKind;
use crate::lang::types::{AddrSpace, TypeTable};
use crate::source::Span;

impl Sema<'_> {
    /// Makes jumps of the calls in tail position of a function's body, and takes them off the call graph. Returns the body.
    pub(super) fn jump_for_tail_calls(&mut self, func: FuncId, root: StmtId) -> StmtId {
        let recursive = self
            .calls
            .iter()
            .any(|&(from, to, _)| from == func && to == func);
        if !recursive || self.module.function(func).kernel.is_some() || self.points_to_locals() {
            return root;
        }
        let start = self.new_label();
        let before = self.calls.len();
        self.jump_for_calls_of(func, root, true, start);
        if self.calls.len() == before {
            return root;
        }
        let span = self.body.stmt(root).span;
        let label = self.mk_stmt(StmtKind::Label(start), span);
        self.mk_stmt(StmtKind::Block(vec![label, root]), span)
    }

    /// Returns whether the address of a variable of the function is taken.
    fn points_to_locals(&self) -> bool {
        self.body.exprs.iter().any(|expr| match expr.kind {
            ExprKind::AddrOf(lvalue) | ExprKind::Decay(lvalue) => self.is_in_local(lvalue),
            _ => false,
        })
    }

    fn is_in_local(&self, lvalue: LvalueId) -> bool {
        match &self.body.lvalue(lvalue).kind {
            LvalueKind::Local(_) | LvalueKind::Literal { .. } | LvalueKind::Temporary(_) => true,
            LvalueKind::Global(_) | LvalueKind::Deref(_) => false,
            LvalueKind::Field { base, .. }
            | LvalueKind::Lanes { base, .. }
            | LvalueKind::Lane { base, .. } => self.is_in_local(*base),
        }
    }

    /// Replaces the calls in tail position within a statement. `last`: behind it the function returns nothing.
    fn jump_for_calls_of(&mut self, func: FuncId, stmt: StmtId, last: bool, start: LabelId) {
        let kind = match self.body.stmt(stmt).kind.clone() {
            StmtKind::Block(stmts) => {
                for (index, &inner) in stmts.iter().enumerate() {
                    let last = match stmts.get(index + 1) {
                        Some(&next) => matches!(self.body.stmt(next).kind, StmtKind::Return(None)),
                        None => last,
                    };
                    self.jump_for_calls_of(func, inner, last, start);
                }
                return;
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                for branch in [Some(then), otherwise].into_iter().flatten() {
                    self.jump_for_calls_of(func, branch, last, start);
                }
                return;
            }
            StmtKind::Loop { body, .. } | StmtKind::Switch { body, .. } => {
                return self.jump_for_calls_of(func, body, false, start);
            }
            StmtKind::Return(Some(value)) => self.jump_for_value(func, value, start),
            StmtKind::Expr(value) if last && self.ty(value) == TypeTable::VOID => {
                self.jump_for_call(func, value, start)
            }
            _ => None,
        };
        if let Some(kind) = kind {
            self.body.stmts[stmt.0 as usize].kind = kind;
        }
    }

    /// Returns what stands for the return of a value that is a call of the function, or chooses one.
    fn jump_for_value(&mut self, func: FuncId, value: ExprId, start: LabelId) -> Option<StmtKind> {
        let ExprKind::Cond {
            cond,
            then,
            otherwise,
        } = self.body.expr(value).kind
        else {
            return self.jump_for_call(func, value, start);
        };
        let branches = [then, otherwise].map(|value| self.jump_for_value(func, value, start));
        if branches.iter().all(Option::is_none) {
            return None;
        }
        let [then, otherwise] = [then, otherwise].map(|value| (value, self.span(value)));
        let [jump, other] = branches;
        let then = self.mk_stmt(jump.unwrap_or(StmtKind::Return(Some(then.0))), then.1);
        let returned = other.unwrap_or(StmtKind::Return(Some(otherwise.0)));
        let otherwise = Some(self.mk_stmt(returned, otherwise.1));
        Some(StmtKind::If {
            cond,
            then,
            otherwise,
        })
    }

    /// Returns the jump that stands for a call of the function by itself: the arguments become its parameters.
    fn jump_for_call(&mut self, func: FuncId, value: ExprId, start: LabelId) -> Option<StmtKind> {
        let ExprKind::Call { func: callee, args } = &self.body.expr(value).kind else {
            return None;
        };
        if *callee != func {
            return None;
        }
        let changed: Vec<(LocalId, ExprId)> = (0..)
            .map(LocalId)
            .zip(args.iter().copied())
            .filter(|&(param, arg)| !self.is_value_of(arg, param))
            .collect();
        let is_handle = |&(_, arg): &(LocalId, ExprId)| {
            let opaque = self.module.types.opaque(self.ty(arg));
            opaque.is_some_and(OpaqueKind::is_handle)
        };
        // Images and samplers are in no variables.
        if changed.iter().any(is_handle) {
            return None;
        }
        let span = self.span(value);
        let is_this = |&(from, to, at): &(FuncId, FuncId, Span)| {
            from == func && to == func && at.start() == span.start()
        };
        let call = self.calls.iter().position(is_this)?;
        self.calls.remove(call);
        // All arguments are evaluated before a parameter changes.
        let mut stmts = Vec::with_capacity(2 * changed.len() + 1);
        let mut assignments = Vec::with_capacity(changed.len());
        for (param, arg) in changed {
            let ty = self.body.local(param).ty;
            let copy = self.add_local(String::new(), ty, 0, span);
            let init = Some(Init::Expr(arg));
            stmts.push(self.mk_stmt(StmtKind::Decl { local: copy, init }, span));
            let [from, lvalue] = [copy, param].map(|local| {
                let align = self.body.local(local).align;
                let kind = LvalueKind::Local(local);
                self.mk_lvalue(kind, ty, AddrSpace::Private, align, span)
            });
            let value = self.mk(ExprKind::Load(from), ty.ty, span);
            let assignment = self.mk(ExprKind::Assign { lvalue, value }, ty.ty, span);
            assignments.push(self.mk_stmt(StmtKind::Expr(assignment), span));
        }
        stmts.append(&mut assignments);
        stmts.push(self.mk_stmt(StmtKind::Goto(start), span));
        Some(StmtKind::Block(stmts))
    }

    /// Returns whether an argument is the value that a parameter has.
    fn is_value_of(&self, arg: ExprId, param: LocalId) -> bool {
        match self.body.expr(arg).kind {
            ExprKind::Load(lvalue) => self.body.lvalue(lvalue).kind == LvalueKind::Local(param),
            _ => false,
        }
    }
}
