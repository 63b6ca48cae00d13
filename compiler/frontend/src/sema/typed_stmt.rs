//! Statements and initialisers of the typed tree.
use super::typed::{ConstData, ExprId, LabelId, LocalId, StmtId};
use crate::source::Span;

/// Initializer of a private variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// By a value of its type (scalars, vectors, records).
    Expr(ExprId),
    /// By constant bytes (aggregates whose initialiser is constant, string arrays).
    Const(ConstData),
    /// An aggregate: zero everywhere if `zero_fill`, then the elements in order.
    List {
        /// False when the elements cover the object.
        zero_fill: bool,
        /// Scalars, vectors and whole records, each with its way from the object.
        elems: Vec<InitElem>,
    },
}

/// A value inside an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct InitElem {
    /// Field numbers and array indices, outermost first (the types tell which is which).
    pub path: Vec<u64>,
    /// The value, of the element's type.
    pub value: ExprId,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Kind and operands.
    pub kind: StmtKind,
    /// Source.
    pub span: Span,
}

/// Hints on a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopHint {
    /// None given.
    #[default]
    None,
    /// `opencl_unroll_hint` or `#pragma unroll` without a count.
    Unroll,
    /// `opencl_unroll_hint(1)`: keep the loop.
    DontUnroll,
    /// `opencl_unroll_hint(n)`
    UnrollCount(u32),
}

/// Statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Evaluates an expression for its effects.
    Expr(ExprId),
    /// Begins a variable's life; without initialiser its value is undefined.
    Decl {
        /// Variable.
        local: LocalId,
        /// Initialiser.
        init: Option<Init>,
    },
    /// Statements in order.
    Block(Vec<StmtId>),
    /// `if`
    If {
        /// Bool.
        cond: ExprId,
        /// Statement to run if the condition is true.
        then: StmtId,
        /// Statement to run if the condition is false.
        otherwise: Option<StmtId>,
    },
    /// `while`, `do` and `for` in one form: init; loop { if pre-tested and !cond break; body;
    /// step; if post-tested and !cond break }. `continue` goes to the step (or the post-test).
    Loop {
        /// Runs once before.
        init: Vec<StmtId>,
        /// Bool; `None` is true.
        cond: Option<ExprId>,
        /// True when tested after the body (`do … while`).
        post_test: bool,
        /// Evaluated after each round.
        step: Option<ExprId>,
        /// Body.
        body: StmtId,
        /// Unroll hint.
        hint: LoopHint,
    },
    /// `switch`: jumps to the label of the case that holds the value, else to the default,
    /// else behind the body. Labels are [`StmtKind::Label`]s anywhere inside the body, and
    /// `break` inside leaves it.
    Switch {
        /// An integer of at least 32 bits.
        value: ExprId,
        /// Cases, disjoint, in source order.
        cases: Vec<SwitchCase>,
        /// `default:`
        default: Option<LabelId>,
        /// Body.
        body: StmtId,
    },
    /// The place of a label.
    Label(LabelId),
    /// Jump.
    Goto(LabelId),
    /// Leaves the innermost loop or switch.
    Break,
    /// Next round of the innermost loop.
    Continue,
    /// Returns.
    Return(Option<ExprId>),
}

/// A case of a switch: the values from `lo` to `hi` inclusive, in the type's order, as bits of
/// the type zero-extended to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchCase {
    /// First value.
    pub lo: u64,
    /// Last value.
    pub hi: u64,
    /// Target.
    pub label: LabelId,
}
