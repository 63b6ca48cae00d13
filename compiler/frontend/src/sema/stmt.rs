//! Statements.
use super::Sema;
use super::convert::Purpose;
use super::typed::{ExprId, LabelId, LoopHint, Stmt, StmtId, StmtKind, SwitchCase};
use crate::diagnostics::Warning;
use crate::lang::types::{TypeId, TypeTable};
use crate::parse::ast::{self, PragmaKind};
use crate::source::Span;
use pumice_budget as budget;

/// A switch while its body is checked.
#[derive(Debug)]
pub(super) struct SwitchState {
    /// The promoted type of its value; `ERROR` when that was wrong.
    ty: TypeId,
    cases: Vec<SwitchCase>,
    /// Values as numbers, for duplicates.
    ranges: Vec<(i128, i128, Span)>,
    default: Option<(LabelId, Span)>,
}

impl<'a> Sema<'a> {
    pub(super) fn mk_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        budget::push(&mut self.body.stmts, Stmt { kind, span });
        StmtId(self.body.stmts.len() as u32 - 1)
    }

    /// A function's body; its scope is that of the parameters.
    pub(super) fn function_body(&mut self, id: ast::StmtId) -> StmtId {
        let stmt = self.ast.stmt(id);
        let mut out = Vec::new();
        if let ast::StmtKind::Compound(stmts) = &stmt.kind {
            self.statements(stmts, &mut out);
        }
        self.mk_stmt(StmtKind::Block(out), stmt.span)
    }

    fn statements(&mut self, stmts: &'a [ast::StmtId], out: &mut Vec<StmtId>) {
        let mut hint: Option<(LoopHint, &ast::Pragma)> = None;
        let mut at_start = true;
        for &stmt in stmts {
            if self.diags.should_stop() {
                return;
            }
            if let ast::StmtKind::Pragma(pragma) = &self.ast.stmt(stmt).kind {
                if !at_start && matches!(pragma.kind, PragmaKind::FpContract(_)) {
                    let message = "'#pragma fp_contract' can only appear at file scope or at the \
                                   start of a compound statement";
                    self.warning(Warning::IgnoredPragmas, pragma.span, message);
                }
                if let Some(newer) = self.pragma_hint(pragma) {
                    hint = Some((newer, pragma));
                } else {
                    self.statement(stmt, LoopHint::None, out);
                }
                continue;
            }
            at_start = false;
            let hint = match hint.take() {
                Some((_, pragma)) if !self.is_loop(stmt) => {
                    self.loop_expected(pragma);
                    LoopHint::None
                }
                Some((hint, _)) => hint,
                None => LoopHint::None,
            };
            self.statement(stmt, hint, out);
        }
        if let Some((_, pragma)) = hint {
            self.loop_expected(pragma);
        }
    }

    /// `({ … })`: a block whose last expression statement is the value.
    pub(super) fn statement_expression(&mut self, id: ast::StmtId, span: Span) -> Option<ExprId> {
        let ast::StmtKind::Compound(stmts) = &self.ast.stmt(id).kind else {
            return None;
        };
        let Some(func) = &mut self.func else {
            self.error(span, "statement expression not allowed at file scope");
            return None;
        };
        // Jumps lead out of the expression, but no case of a switch around it leads in.
        let switches = std::mem::take(&mut func.switches);
        func.in_expression += 1;
        self.push_scope();
        let mut inner = Vec::new();
        let last = stmts
            .split_last()
            .and_then(|(&last, rest)| match self.ast.stmt(last).kind {
                ast::StmtKind::Expr(expr) => Some((expr, rest)),
                _ => None,
            });
        let value = match last {
            Some((expr, rest)) => {
                self.statements(rest, &mut inner);
                self.rvalue(expr).map(Some)
            }
            None => {
                self.statements(stmts, &mut inner);
                Some(None)
            }
        };
        self.pop_scope();
        if let Some(func) = &mut self.func {
            func.switches = switches;
            func.in_expression -= 1;
        }
        let value = value?;
        let ty = value.map_or(TypeTable::VOID, |v| self.ty(v));
        if self.module.types.record_id(ty).is_some() {
            let message = format!(
                "statement expression of type {} is not supported",
                self.show(ty)
            );
            self.error(span, message);
            return None;
        }
        let kind = super::typed::ExprKind::Stmts {
            stmts: inner,
            value,
        };
        Some(self.mk(kind, ty, span))
    }

    /// Checks a statement into the list of its block.
    fn statement(&mut self, id: ast::StmtId, hint: LoopHint, out: &mut Vec<StmtId>) {
        let span = self.ast.stmt(id).span;
        if self.enter(span).is_none() {
            return;
        }
        self.statement_inner(id, span, hint, out);
        self.leave();
    }

    fn statement_inner(
        &mut self,
        id: ast::StmtId,
        span: Span,
        hint: LoopHint,
        out: &mut Vec<StmtId>,
    ) {
        let ast = self.ast;
        match &ast.stmt(id).kind {
            ast::StmtKind::Null | ast::StmtKind::Error => {}
            ast::StmtKind::Expr(expr) => {
                if let Some(value) = self.discarded(*expr) {
                    self.warn_unused_value(*expr, value);
                    let stmt = self.mk_stmt(StmtKind::Expr(value), span);
                    out.push(stmt);
                }
            }
            ast::StmtKind::Compound(stmts) => {
                self.push_scope();
                let mut inner = Vec::new();
                self.statements(stmts, &mut inner);
                self.pop_scope();
                let stmt = self.mk_stmt(StmtKind::Block(inner), span);
                out.push(stmt);
            }
            ast::StmtKind::Decl(decl) => self.declaration(decl, out),
            ast::StmtKind::StaticAssert(assert) => self.static_assert(assert),
            ast::StmtKind::Pragma(pragma) => self.pragma(pragma),
            ast::StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                if otherwise.is_none() {
                    self.warn_empty_body(*then, "if statement");
                }
                let cond = self.condition(*cond);
                let then = self.scoped(*then);
                let otherwise = otherwise.map(|s| self.scoped(s));
                if let Some(cond) = cond {
                    let kind = StmtKind::If {
                        cond,
                        then,
                        otherwise,
                    };
                    let stmt = self.mk_stmt(kind, span);
                    out.push(stmt);
                }
            }
            ast::StmtKind::Switch { value, body } => self.switch(*value, *body, span, out),
            ast::StmtKind::Case { lo, hi, body } => {
                self.case(*lo, *hi, span, out);
                self.statement(*body, LoopHint::None, out);
            }
            ast::StmtKind::Default { body } => {
                self.default(span, out);
                self.statement(*body, LoopHint::None, out);
            }
            ast::StmtKind::While { cond, body } => {
                self.enter_loop();
                let cond = self.condition(*cond);
                let body = self.loop_body(*body);
                self.leave_loop();
                if let Some(cond) = cond {
                    self.push_loop(Vec::new(), Some(cond), false, None, body, hint, span, out);
                }
            }
            ast::StmtKind::DoWhile { body, cond } => {
                self.enter_loop();
                let body = self.loop_body(*body);
                let cond = self.condition(*cond);
                self.leave_loop();
                if let Some(cond) = cond {
                    self.push_loop(Vec::new(), Some(cond), true, None, body, hint, span, out);
                }
            }
            ast::StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.push_scope();
                let mut first = Vec::new();
                if let Some(init) = init {
                    self.check_loop_declaration(*init);
                    self.statement(*init, LoopHint::None, &mut first);
                }
                self.enter_loop();
                let test = cond.map(|c| self.condition(c));
                let step = step.and_then(|s| self.discarded(s));
                let body = self.loop_body(*body);
                self.leave_loop();
                self.pop_scope();
                if test != Some(None) {
                    self.push_loop(first, test.flatten(), false, step, body, hint, span, out);
                }
            }
            ast::StmtKind::Goto { label, label_span } => {
                let target = self.label(*label, *label_span, false);
                let stmt = self.mk_stmt(StmtKind::Goto(target), span);
                out.push(stmt);
            }
            ast::StmtKind::Label {
                label,
                label_span,
                body,
            } => {
                if self.func.as_ref().is_some_and(|f| f.in_expression > 0) {
                    let message = "label inside a statement expression is not supported";
                    self.error(*label_span, message);
                    return;
                }
                let here = self.label(*label, *label_span, true);
                let stmt = self.mk_stmt(StmtKind::Label(here), *label_span);
                out.push(stmt);
                self.statement(*body, hint, out);
            }
            ast::StmtKind::Break => {
                if self.func.as_ref().is_some_and(|f| f.breakable == 0) {
                    self.error(span, "'break' statement not in loop or switch statement");
                    return;
                }
                let stmt = self.mk_stmt(StmtKind::Break, span);
                out.push(stmt);
            }
            ast::StmtKind::Continue => {
                if self.func.as_ref().is_some_and(|f| f.loops == 0) {
                    self.error(span, "'continue' statement not in loop statement");
                    return;
                }
                let stmt = self.mk_stmt(StmtKind::Continue, span);
                out.push(stmt);
            }
            ast::StmtKind::Return(value) => self.return_stmt(*value, span, out),
            ast::StmtKind::Attributed { attrs, body } => {
                self.check_attrs(attrs);
                self.check_hinted(attrs, *body);
                let hint = self.unroll_hint(attrs).unwrap_or(hint);
                self.statement(*body, hint, out);
            }
        }
    }

    /// A statement with a scope of its own, as one statement.
    fn scoped(&mut self, id: ast::StmtId) -> StmtId {
        self.push_scope();
        let mut inner = Vec::new();
        self.statement(id, LoopHint::None, &mut inner);
        self.pop_scope();
        if inner.len() == 1 {
            return inner[0];
        }
        let span = self.ast.stmt(id).span;
        self.mk_stmt(StmtKind::Block(inner), span)
    }

    fn loop_body(&mut self, id: ast::StmtId) -> StmtId {
        if let Some(func) = &mut self.func {
            func.loops += 1;
            func.breakable += 1;
        }
        let body = self.scoped(id);
        if let Some(func) = &mut self.func {
            func.loops -= 1;
            func.breakable -= 1;
        }
        body
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a loop")]
    fn push_loop(
        &mut self,
        init: Vec<StmtId>,
        cond: Option<ExprId>,
        post_test: bool,
        step: Option<ExprId>,
        body: StmtId,
        hint: LoopHint,
        span: Span,
        out: &mut Vec<StmtId>,
    ) {
        let kind = StmtKind::Loop {
            init,
            cond,
            post_test,
            step,
            body,
            hint,
        };
        let stmt = self.mk_stmt(kind, span);
        out.push(stmt);
    }

    /// The condition of `if` and loops.
    fn condition(&mut self, id: ast::ExprId) -> Option<ExprId> {
        if let ast::ExprKind::Assign {
            op: None, op_span, ..
        } = self.ast.expr(id).kind
        {
            self.warning(
                Warning::Parentheses,
                op_span,
                "using the result of an assignment as a condition without parentheses",
            );
        }
        let value = self.rvalue(id)?;
        let ty = self.ty(value);
        if !self.module.types.is_scalar(ty) && ty != TypeTable::ERROR {
            let message = format!(
                "statement requires expression of scalar type ({} invalid)",
                self.show(ty)
            );
            let report = self.error(self.span(value), message);
            self.condition_hint(report, ty);
            return None;
        }
        self.truth(value)
    }

    fn switch(&mut self, value: ast::ExprId, body: ast::StmtId, span: Span, out: &mut Vec<StmtId>) {
        let checked = self.rvalue(value);
        let mut promoted = None;
        if let Some(checked) = checked {
            let ty = self.ty(checked);
            if self.module.types.is_integer(ty) {
                promoted = Some(self.promote(checked));
            } else {
                let message = format!(
                    "statement requires expression of integer type ({} invalid)",
                    self.show(ty)
                );
                self.error(self.ast.expr(value).span, message);
            }
        }
        let state = SwitchState {
            ty: promoted.map_or(TypeTable::ERROR, |v| self.ty(v)),
            cases: Vec::new(),
            ranges: Vec::new(),
            default: None,
        };
        if let Some(func) = &mut self.func {
            func.switches.push(state);
            func.breakable += 1;
        }
        let body = self.scoped(body);
        let Some(func) = &mut self.func else { return };
        func.breakable -= 1;
        let Some(state) = func.switches.pop() else {
            return;
        };
        let Some(value) = promoted else { return };
        let kind = StmtKind::Switch {
            value,
            cases: state.cases,
            default: state.default.map(|(label, _)| label),
            body,
        };
        let stmt = self.mk_stmt(kind, span);
        out.push(stmt);
    }

    pub(super) fn new_label(&mut self) -> LabelId {
        match &mut self.func {
            Some(func) => {
                func.label_count += 1;
                LabelId(func.label_count - 1)
            }
            None => LabelId(0),
        }
    }

    fn switch_type(&self) -> Option<TypeId> {
        self.func
            .as_ref()
            .and_then(|f| f.switches.last())
            .map(|s| s.ty)
    }

    fn case(
        &mut self,
        lo: ast::ExprId,
        hi: Option<ast::ExprId>,
        span: Span,
        out: &mut Vec<StmtId>,
    ) {
        let Some(ty) = self.switch_type() else {
            self.error(span.start(), "'case' statement not in switch statement");
            return;
        };
        let at = self.ast.expr(lo).span;
        let first = self.case_value(lo, ty);
        let last = hi.map(|hi| self.case_value(hi, ty));
        let (Some(first), last) = (first, last.unwrap_or(first)) else {
            return;
        };
        let Some(last) = last else { return };
        if last < first {
            self.warning(Warning::Switch, at, "empty case range specified");
        }
        let label = self.new_label();
        let stmt = self.mk_stmt(StmtKind::Label(label), span.start());
        out.push(stmt);
        if last < first {
            return;
        }
        let bits = self.module.types.size(ty).max(4) * 8;
        let mask = if bits >= 64 {
            u64::MAX
        } else {
            (1 << bits) - 1
        };
        let Some(state) = self.func.as_mut().and_then(|f| f.switches.last_mut()) else {
            return;
        };
        let clash = state
            .ranges
            .iter()
            .find(|(lo, hi, _)| first <= *hi && *lo <= last)
            .copied();
        if let Some((_, _, previous)) = clash {
            self.error(at, format!("duplicate case value '{first}'"))
                .note(previous, "previous case defined here");
            return;
        }
        state.ranges.push((first, last, at));
        state.cases.push(SwitchCase {
            lo: first as u64 & mask,
            hi: last as u64 & mask,
            label,
        });
    }

    /// A case label's value as the switch's type has it.
    fn case_value(&mut self, id: ast::ExprId, ty: TypeId) -> Option<i128> {
        let value = self.integer_constant(id)?;
        if ty == TypeTable::ERROR {
            return Some(value);
        }
        let super::const_eval::Value::Int(bits) = self.int_value(value as u64, ty) else {
            return None;
        };
        let cut = self.signed_value(bits, ty);
        if cut != value {
            self.warning(
                Warning::Switch,
                self.ast.expr(id).span,
                format!(
                    "overflow converting case value to switch condition type ({value} to {cut})"
                ),
            );
        }
        Some(cut)
    }

    fn default(&mut self, span: Span, out: &mut Vec<StmtId>) {
        if self.switch_type().is_none() {
            self.error(span.start(), "'default' statement not in switch statement");
            return;
        }
        let label = self.new_label();
        let Some(state) = self.func.as_mut().and_then(|f| f.switches.last_mut()) else {
            return;
        };
        if let Some((_, previous)) = state.default {
            self.error(span.start(), "multiple default labels in one switch")
                .note(previous, "previous case defined here");
            return;
        }
        state.default = Some((label, span.start()));
        let stmt = self.mk_stmt(StmtKind::Label(label), span.start());
        out.push(stmt);
    }

    fn return_stmt(&mut self, value: Option<ast::ExprId>, span: Span, out: &mut Vec<StmtId>) {
        let Some(func) = &mut self.func else { return };
        if std::mem::take(&mut func.infer_ret) {
            if let Some(value) = value {
                let value = self.rvalue(value);
                let ty = value.map_or(TypeTable::ERROR, |v| self.ty(v));
                if let Some(func) = &mut self.func {
                    func.ret = ty;
                }
                let Some(value) = value else { return };
                let value = (ty != TypeTable::VOID).then_some(value);
                let stmt = self.mk_stmt(StmtKind::Return(value), span);
                out.push(stmt);
                return;
            }
        }
        let Some(func) = &mut self.func else { return };
        let ret = func.ret;
        let name = func.name.clone();
        func.returns_value |= value.is_some();
        let value = match (value, ret == TypeTable::VOID) {
            (None, true) => None,
            // The type was refused.
            (None, _) if ret == TypeTable::ERROR => None,
            (None, false) => {
                self.error(
                    span,
                    format!("non-void function '{name}' should return a value"),
                );
                // Said once is enough.
                if let Some(func) = &mut self.func {
                    func.returns_value = true;
                }
                return;
            }
            (Some(value), true) => {
                let at = self.ast.expr(value).span;
                let Some(value) = self.discarded(value) else {
                    return;
                };
                if self.ty(value) != TypeTable::VOID {
                    self.error(
                        at,
                        format!("void function '{name}' should not return a value"),
                    );
                    return;
                }
                let stmt = self.mk_stmt(StmtKind::Expr(value), span);
                out.push(stmt);
                None
            }
            (Some(value), false) => {
                let Some(value) = self.rvalue(value) else {
                    return;
                };
                let Some(value) = self.assign_convert(value, ret, Purpose::Return) else {
                    return;
                };
                Some(value)
            }
        };
        let stmt = self.mk_stmt(StmtKind::Return(value), span);
        out.push(stmt);
    }
}
