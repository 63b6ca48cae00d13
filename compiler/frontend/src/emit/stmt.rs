//! Statements: plain branches between blocks; the back half structures them.

use rspirv::spirv::{LoopControl, Op};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::sema::typed::{
    ExprId, LabelId, LoopHint, LvalueId, LvalueKind, StmtId, StmtKind, SwitchCase,
};
use crate::source::Span;

/// Ranges of case values up to this length become single cases.
const MAX_RANGE: u64 = 64;

/// Cases of one OpSwitch, whose length has 16 bits.
const MAX_CASES: usize = 16_000;

impl FunctionEmitter<'_, '_> {
    /// Writes a statement.
    pub fn stmt(&mut self, id: StmtId) -> Result<(), EmitError> {
        let body = self.body;
        let stmt = body.stmt(id);
        // Nothing reaches code behind a jump, unless a label in it does.
        if self.e.b.block().is_none() && !self.has_label(id) {
            return Ok(());
        }
        self.line(id);
        match &stmt.kind {
            StmtKind::Expr(value) => {
                if self.e.is_record(body.expr(*value).ty) {
                    self.record_effects(*value)?;
                } else {
                    self.expr(*value)?;
                }
            }
            StmtKind::Decl { local, init } => match init {
                Some(init) => self.initialise(*local, init)?,
                None => self.clear_bit_fields(*local)?,
            },
            StmtKind::Block(stmts) => {
                for stmt in stmts {
                    self.stmt(*stmt)?;
                }
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.if_else(*cond, *then, *otherwise)?,
            StmtKind::Loop {
                init,
                cond,
                post_test,
                step,
                body,
                hint,
            } => {
                for stmt in init {
                    self.stmt(*stmt)?;
                }
                self.repeat(*cond, *post_test, *step, *body, *hint)?;
            }
            StmtKind::Switch {
                value,
                cases,
                default,
                body,
            } => self.switch(*value, cases, *default, *body)?,
            StmtKind::Label(label) => {
                let block = self.label(*label);
                self.e.b.start_block(block);
            }
            StmtKind::Goto(label) => {
                let block = self.label(*label);
                self.e.b.branch(block);
            }
            StmtKind::Break => {
                let target = *self
                    .breaks
                    .last()
                    .expect("break is inside a loop or switch");
                self.e.b.branch(target);
            }
            StmtKind::Continue => {
                let target = *self.continues.last().expect("continue is inside a loop");
                self.e.b.branch(target);
            }
            StmtKind::Return(None) => self.e.b.ret(None),
            StmtKind::Return(Some(value)) => match self.sret {
                Some(target) => {
                    // The caller's memory is fresh: nothing here can refer to it.
                    let align = self.align(self.ret);
                    let space = crate::lang::types::AddrSpace::Private;
                    self.record_into(*value, target, space, align)?;
                    self.e.b.ret(None);
                }
                None => {
                    let result = self.expr(*value)?;
                    self.e.b.ret((result != 0).then_some(result));
                }
            },
        }
        Ok(())
    }

    /// Returns whether a statement contains a label.
    fn has_label(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::Label(_) => true,
            StmtKind::Block(stmts) => stmts.iter().any(|s| self.has_label(*s)),
            StmtKind::If {
                then, otherwise, ..
            } => self.has_label(*then) || otherwise.is_some_and(|s| self.has_label(s)),
            StmtKind::Loop { body, .. } | StmtKind::Switch { body, .. } => self.has_label(*body),
            _ => false,
        }
    }

    /// OpLine of a statement.
    fn line(&mut self, id: StmtId) {
        self.position(self.body.stmt(id).span);
    }

    /// OpLine of an access or operation that a check may report.
    pub fn checked_at(&mut self, span: Span) {
        if self.e.checks.any() {
            self.position(span);
        }
    }

    /// OpLine of an access of an lvalue; whole variables need no check.
    pub fn checked_access(&mut self, id: LvalueId) {
        let lvalue = self.body.lvalue(id);
        if !matches!(lvalue.kind, LvalueKind::Local(_) | LvalueKind::Global(_)) {
            self.checked_at(lvalue.span);
        }
    }

    fn position(&mut self, span: Span) {
        let Some(position) = self.e.sources.and_then(|sources| sources.position(span.lo)) else {
            return;
        };
        let file = self.e.b.string(position.name.as_bytes());
        self.e.files.entry(position.name).or_insert(file);
        self.e.b.line(file, position.line, position.column);
    }

    fn if_else(
        &mut self,
        cond: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    ) -> Result<(), EmitError> {
        let cond = self.expr(cond)?;
        let (yes, end) = (self.e.b.id(), self.e.b.id());
        let no = if otherwise.is_some() {
            self.e.b.id()
        } else {
            end
        };
        self.e.b.branch_if(cond, yes, no);
        self.e.b.start_block(yes);
        self.stmt(then)?;
        let mut reached = otherwise.is_none();
        if self.e.b.block().is_some() {
            reached = true;
            self.e.b.branch(end);
        }
        if let Some(otherwise) = otherwise {
            self.e.b.start_block(no);
            self.stmt(otherwise)?;
            reached |= self.e.b.block().is_some();
        }
        if reached {
            self.e.b.start_block(end);
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        cond: Option<ExprId>,
        post_test: bool,
        step: Option<ExprId>,
        body: StmtId,
        hint: LoopHint,
    ) -> Result<(), EmitError> {
        let head = self.e.b.id();
        let inside = self.e.b.id();
        let next = self.e.b.id();
        let end = self.e.b.id();
        self.e.b.start_block(head);
        let control = match hint {
            LoopHint::None => None,
            LoopHint::UnrollCount(rounds) if self.e.il_version >= (1, 4) => {
                self.e.b.need_version((1, 4));
                Some((LoopControl::PARTIAL_COUNT, Some(rounds)))
            }
            LoopHint::Unroll | LoopHint::UnrollCount(_) => Some((LoopControl::UNROLL, None)),
            LoopHint::DontUnroll => Some((LoopControl::DONT_UNROLL, None)),
        };
        let before = if post_test { None } else { cond };
        let test = before.map(|c| self.expr(c)).transpose()?;
        if let Some((control, rounds)) = control {
            let mut operands = vec![end, next, control.bits()];
            operands.extend(rounds);
            self.e.b.op_void(Op::LoopMerge, &operands);
        }
        match test {
            Some(test) => self.e.b.branch_if(test, inside, end),
            None => self.e.b.branch(inside),
        }
        self.e.b.start_block(inside);
        self.breaks.push(end);
        self.continues.push(next);
        self.stmt(body)?;
        self.breaks.pop();
        self.continues.pop();
        self.e.b.start_block(next);
        if let Some(step) = step {
            if self.e.is_record(self.body.expr(step).ty) {
                self.record_effects(step)?;
            } else {
                self.expr(step)?;
            }
        }
        match cond.filter(|_| post_test) {
            Some(cond) => {
                let test = self.expr(cond)?;
                self.e.b.branch_if(test, head, end);
            }
            None => self.e.b.branch(head),
        }
        self.e.b.start_block(end);
        Ok(())
    }

    fn switch(
        &mut self,
        value: ExprId,
        cases: &[SwitchCase],
        default: Option<LabelId>,
        body: StmtId,
    ) -> Result<(), EmitError> {
        let ty = self.body.expr(value).ty;
        let module = self.e.module;
        let bits = (module.types.size(ty) * 8) as u32;
        let selector = self.expr(value)?;
        let end = self.e.b.id();
        let otherwise = match default {
            Some(label) => self.label(label),
            None => end,
        };
        let mask = if bits == 64 {
            u64::MAX
        } else {
            (1 << bits) - 1
        };
        let mut literals = Vec::new();
        for case in cases {
            let target = self.label(case.label);
            let length = case.hi.wrapping_sub(case.lo) & mask;
            if length <= MAX_RANGE {
                for i in 0..=length {
                    let literal = case.lo.wrapping_add(i) & mask;
                    literals.push(literal as u32);
                    if bits == 64 {
                        literals.push((literal >> 32) as u32);
                    }
                    literals.push(target);
                }
                continue;
            }
            // A long range: lo <= value && value <= hi, by one unsigned comparison, which
            // two's complement makes right for signed types as well.
            let int = self.e.b.ty_int(bits);
            let bool_ty = self.e.b.ty_bool();
            let low = self.e.b.const_int(bits, case.lo);
            let length = self.e.b.const_int(bits, length);
            let distance = self.e.b.op(Op::ISub, int, &[selector, low]);
            let inside = self
                .e
                .b
                .op(Op::ULessThanEqual, bool_ty, &[distance, length]);
            let next = self.e.b.id();
            self.e.b.branch_if(inside, target, next);
            self.e.b.start_block(next);
        }
        let words = if bits == 64 { 3 } else { 2 };
        let mut chunks = literals.chunks(words * MAX_CASES).peekable();
        if chunks.peek().is_none() {
            self.e.b.branch(otherwise);
        }
        while let Some(chunk) = chunks.next() {
            if chunks.peek().is_none() {
                self.e.b.switch(selector, otherwise, chunk);
            } else {
                let next = self.e.b.id();
                self.e.b.switch(selector, next, chunk);
                self.e.b.start_block(next);
            }
        }
        self.breaks.push(end);
        self.stmt(body)?;
        self.breaks.pop();
        self.e.b.start_block(end);
        Ok(())
    }
}
