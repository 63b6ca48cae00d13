//! Expressions of the syntax tree; the arenas and everything else are in [`super::ast`].

use super::ast::{Declarator, Designator, ExprId, InitList, ParamDecl, StmtId, TypeNameId};
pub use crate::pp::literal::FloatSuffix;
use crate::source::{Span, Symbol};

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Kind and operands.
    pub kind: ExprKind,
    /// The whole expression. Operators' own positions are in the kinds that need a caret.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name: variable, function, enumerator or built-in.
    Ident(Symbol),
    /// Integer literal.
    Int {
        /// Value, modulo 2^64.
        value: u64,
        /// True when the digits do not fit in 64 bits.
        too_large: bool,
        /// True for decimal digits (they never become unsigned by size).
        decimal: bool,
        /// `u` suffix.
        unsigned: bool,
        /// `l` (1) or `ll` (2) suffix.
        long: u8,
    },
    /// Floating literal; sema rounds it directly to its type.
    Float {
        /// Digits without suffix, decimal or hexadecimal form.
        text: Symbol,
        /// Suffix.
        suffix: FloatSuffix,
    },
    /// Character literal; the value has type int in C, char's value sign-extended.
    Char {
        /// Value.
        value: i32,
    },
    /// Adjacent string literals joined, escapes resolved, without the terminating NUL.
    Str(Vec<u8>),
    /// `(e)`: kept for diagnostics and for "parentheses" warnings.
    Paren(ExprId),
    /// Prefix operator.
    Unary {
        /// Operator.
        op: UnaryOp,
        /// Operand.
        operand: ExprId,
    },
    /// `e++`, `e--`
    Postfix {
        /// True for `++`.
        increment: bool,
        /// Operand.
        operand: ExprId,
    },
    /// Binary operator, without assignment and comma.
    Binary {
        /// Operator.
        op: BinaryOp,
        /// Operator's position (the caret).
        op_span: Span,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// `lhs = rhs` or `lhs op= rhs`
    Assign {
        /// Operator of a compound assignment.
        op: Option<BinaryOp>,
        /// Operator's position.
        op_span: Span,
        /// Target.
        lhs: ExprId,
        /// Value.
        rhs: ExprId,
    },
    /// `cond ? then : otherwise`
    Cond {
        /// Condition.
        cond: ExprId,
        /// `None` in GNU's `a ?: b`.
        then: Option<ExprId>,
        /// Else.
        otherwise: ExprId,
        /// Position of `?`.
        op_span: Span,
    },
    /// `a, b`
    Comma {
        /// Evaluated first.
        lhs: ExprId,
        /// The value.
        rhs: ExprId,
    },
    /// `callee(args)`
    Call {
        /// Callee.
        callee: ExprId,
        /// Arguments.
        args: Vec<ExprId>,
        /// Position of the closing parenthesis.
        rparen: Span,
    },
    /// `base[index]`
    Index {
        /// Base.
        base: ExprId,
        /// Index.
        index: ExprId,
    },
    /// `base.name`, `base->name`; swizzles too.
    Member {
        /// Base.
        base: ExprId,
        /// True for `->`.
        arrow: bool,
        /// Member or swizzle.
        name: Symbol,
        /// Position of the name.
        name_span: Span,
    },
    /// `(type)operand`, also `(float4)(x)` with one operand.
    Cast {
        /// Type.
        ty: TypeNameId,
        /// Operand.
        operand: ExprId,
    },
    /// `(type)(a, b, …)` with two or more: a vector literal when the type is a vector, else a
    /// cast of a comma expression (sema decides).
    VectorLit {
        /// Type.
        ty: TypeNameId,
        /// Elements.
        elems: Vec<ExprId>,
    },
    /// `(type){ … }`
    CompoundLit {
        /// Type.
        ty: TypeNameId,
        /// Initialiser.
        init: InitList,
    },
    /// `sizeof e`, `_Alignof e`/`__alignof__ e`, `vec_step(e)`
    TraitExpr {
        /// The trait.
        which: Trait,
        /// Operand, not evaluated.
        operand: ExprId,
    },
    /// `sizeof(type)`, `_Alignof(type)`, `vec_step(type)`
    TraitType {
        /// The trait.
        which: Trait,
        /// Type.
        ty: TypeNameId,
    },
    /// `__builtin_astype(operand, type)`, `__builtin_bit_cast(type, operand)`
    AsType {
        /// Operand.
        operand: ExprId,
        /// Type.
        ty: TypeNameId,
    },
    /// `__builtin_convertvector(operand, type)`
    ConvertVector {
        /// Operand.
        operand: ExprId,
        /// Type.
        ty: TypeNameId,
    },
    /// `__builtin_types_compatible_p(type, type)`
    TypesCompatible {
        /// First type.
        first: TypeNameId,
        /// Second type.
        second: TypeNameId,
    },
    /// `__builtin_offsetof(type, a.b[2])`, `offsetof(…)`
    OffsetOf {
        /// Record type.
        ty: TypeNameId,
        /// Path.
        path: Vec<Designator>,
    },
    /// `^ … { … }`: a block.
    BlockLit(Box<BlockLit>),
    /// `_Generic(control, type: value, …, default: value)`
    Generic {
        /// Chooses by its type; not evaluated.
        control: ExprId,
        /// The arms in order; a type name of `None` is `default`.
        arms: Vec<(Option<TypeNameId>, ExprId, Span)>,
    },
    /// `({ … })`: GNU statement expression.
    StmtExpr(StmtId),
    /// The parser has reported an error here.
    Error,
}

/// `^ type (params) { … }`
#[derive(Clone, Debug)]
pub struct BlockLit {
    /// The type name in front, parameters included; `None` when there is none.
    pub ret: Option<TypeNameId>,
    /// Declarator that, with that name's specifiers, forms the result type.
    pub result: Declarator,
    /// Parameters.
    pub params: Vec<ParamDecl>,
    /// Position of `...`.
    pub variadic: Option<Span>,
    /// The body, a compound statement.
    pub body: StmtId,
}

/// Trait that [`ExprKind::TraitExpr`] and [`ExprKind::TraitType`] query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// `sizeof`
    SizeOf,
    /// `_Alignof`, `__alignof__`
    AlignOf,
    /// `vec_step`
    VecStep,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    BitNot,
    /// `!`
    Not,
    /// `*`
    Deref,
    /// `&`
    AddrOf,
    /// `++`
    PreInc,
    /// `--`
    PreDec,
    /// `__extension__`
    Extension,
    /// `__real`/`__imag`: never legal.
    Complex,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    /// The operator as written.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Lt => "<",
            Self::Gt => ">",
            Self::Le => "<=",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::BitAnd => "&",
            Self::BitXor => "^",
            Self::BitOr => "|",
            Self::And => "&&",
            Self::Or => "||",
        }
    }
}
