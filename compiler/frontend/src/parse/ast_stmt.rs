//! Statements of the syntax tree.
use super::ast::{Attr, Declaration, ExprId, Pragma, StaticAssert, StmtId};
use crate::source::{Span, Symbol};

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Kind and operands.
    pub kind: StmtKind,
    /// Position in the source.
    pub span: Span,
}

/// Statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Null,
    /// `expression;`
    Expr(ExprId),
    /// `{ … }`
    Compound(Vec<StmtId>),
    /// A declaration in a block.
    Decl(Declaration),
    /// `_Static_assert`
    StaticAssert(StaticAssert),
    /// A pragma in a block.
    Pragma(Pragma),
    /// `if (cond) then else otherwise`
    If {
        /// Condition.
        cond: ExprId,
        /// Taken when nonzero.
        then: StmtId,
        /// Taken when zero.
        otherwise: Option<StmtId>,
    },
    /// `switch (value) body`
    Switch {
        /// Value.
        value: ExprId,
        /// Body.
        body: StmtId,
    },
    /// `case lo [... hi]: body`
    Case {
        /// Value, or first of a GNU range.
        lo: ExprId,
        /// Last value of a GNU range.
        hi: Option<ExprId>,
        /// The labelled statement.
        body: StmtId,
    },
    /// `default: body`
    Default {
        /// The labelled statement.
        body: StmtId,
    },
    /// `while (cond) body`
    While {
        /// Condition.
        cond: ExprId,
        /// Body.
        body: StmtId,
    },
    /// `do body while (cond);`
    DoWhile {
        /// Body.
        body: StmtId,
        /// Condition.
        cond: ExprId,
    },
    /// `for (init; cond; step) body`
    For {
        /// A [`StmtKind::Decl`] or [`StmtKind::Expr`]; a declaration's scope is the loop.
        init: Option<StmtId>,
        /// Condition.
        cond: Option<ExprId>,
        /// Step.
        step: Option<ExprId>,
        /// Body.
        body: StmtId,
    },
    /// `goto label;`
    Goto {
        /// Label.
        label: Symbol,
        /// Its position.
        label_span: Span,
    },
    /// `label: body`
    Label {
        /// Label.
        label: Symbol,
        /// Its position.
        label_span: Span,
        /// The labelled statement.
        body: StmtId,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<ExprId>),
    /// `__attribute__((…)) statement` (loop hints).
    Attributed {
        /// Attributes.
        attrs: Vec<Attr>,
        /// The statement.
        body: StmtId,
    },
    /// The parser has reported an error here.
    Error,
}
