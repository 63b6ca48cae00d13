//! The typed tree: what sema proves about a translation unit and emission writes from.
//!
//! Everything is resolved. Each expression is an rvalue with a canonical type; lvalues are
//! a sort of their own ([`Lvalue`]), read only by [`ExprKind::Load`] and written only by
//! [`ExprKind::Assign`], [`ExprKind::Update`] and initialisers. Every implicit conversion is
//! an [`ExprKind::Convert`] node. Integer promotion has happened: operands of a
//! [`ExprKind::Binary`] have the node's type (shifts included).
use crate::builtins::BuiltinId;
use crate::lang::types::{AddrSpace, QualType, TypeId, TypeTable};
use crate::source::Span;

pub use super::typed_stmt::{Init, InitElem, LoopHint, Stmt, StmtKind, SwitchCase};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
    };
}

/// Lane number of the fourth element that `.hi` and `.odd` of a 3-element vector have: undefined
/// when read, nothing when written (OpenCL C 3.0 §6.3.7).
pub const NO_LANE: u8 = u8::MAX;

id! {
    /// A function in [`TypedModule::functions`].
    FuncId
}
id! {
    /// A variable with static storage in [`TypedModule::globals`].
    GlobalId
}
id! {
    /// A private variable or parameter in [`Body::locals`].
    LocalId
}
id! {
    /// An rvalue in [`Body::exprs`].
    ExprId
}
id! {
    /// An lvalue in [`Body::lvalues`].
    LvalueId
}
id! {
    /// A statement in [`Body::stmts`].
    StmtId
}
id! {
    /// A label of a function (0-based, below [`Body::label_count`]): of `goto`, or the target of
    /// a switch case.
    LabelId
}

/// A checked translation unit.
#[derive(Clone, Debug, Default)]
pub struct TypedModule {
    /// All types.
    pub types: TypeTable,
    /// Functions in order of first declaration; those without body are imports.
    pub functions: Vec<Function>,
    /// Program-scope variables, static locals, `__constant` and `__local` variables of
    /// functions, and string literals.
    pub globals: Vec<Global>,
}

impl TypedModule {
    /// The function `id`.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The variable `id`.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }
}

/// Visibility of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// This module only.
    Internal,
    /// Defined here, visible to other modules (SPIR-V Export).
    External,
    /// The same, unless another module defines it too (SPIR-V LinkOnceODR).
    Weak,
    /// Declared here, defined elsewhere (SPIR-V Import).
    Import,
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name for linking and debugging; string literals are `.str`, `.str.1`, …; variables of
    /// functions `function.name`.
    pub name: String,
    /// Type and qualifiers; complete.
    pub ty: QualType,
    /// Global, Constant or Local.
    pub space: AddrSpace,
    /// Linkage.
    pub linkage: Linkage,
    /// Alignment in bytes, at least the type's.
    pub align: u64,
    /// The initial bytes; `None` for `__local` variables and imports. Variables without an
    /// initialiser have zeros.
    pub init: Option<ConstData>,
    /// The function that declares it, for variables of functions.
    pub owner: Option<FuncId>,
    /// True for a string literal.
    pub is_string: bool,
    /// Declaration.
    pub span: Span,
}

/// A constant as the bytes it has in memory (little endian, padding zero).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstData {
    /// The bytes; as many as the type's size.
    pub bytes: Vec<u8>,
    /// Addresses stored in the bytes, by rising offset. The bytes there are zero.
    pub relocs: Vec<Reloc>,
}

/// The address of a variable inside a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Offset of the address in [`ConstData::bytes`].
    pub offset: u64,
    /// Variable whose address it is.
    pub target: GlobalId,
    /// Bytes added to the address.
    pub addend: i64,
}

/// Inlining that the source requests for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inlining {
    /// Nothing is said.
    Free,
    /// `inline` or `always_inline`.
    Wanted,
    /// `noinline`; it wins over `inline`.
    Refused,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name as written.
    pub name: String,
    /// Name for linking: the same, or mangled for `overloadable` functions.
    pub link_name: String,
    /// Return type.
    pub ret: TypeId,
    /// Parameters' types, unqualified.
    pub params: Vec<TypeId>,
    /// Linkage. `static` and `inline` functions are internal.
    pub linkage: Linkage,
    /// Inlining that the source requests.
    pub inlining: Inlining,
    /// For kernels.
    pub kernel: Option<KernelInfo>,
    /// The definition.
    pub body: Option<Body>,
    /// Position of the name.
    pub span: Span,
}

/// Arguments and attributes of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelInfo {
    /// Arguments, one per parameter.
    pub args: Vec<KernelArg>,
    /// `reqd_work_group_size(x, y, z)`
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint(x, y, z)`
    pub work_group_size_hint: Option<[u32; 3]>,
    /// `vec_type_hint(type)`
    pub vec_type_hint: Option<TypeId>,
    /// `intel_reqd_sub_group_size(n)`
    pub reqd_sub_group_size: Option<u32>,
    /// Attributes as written, for CL_KERNEL_ATTRIBUTES (separated by spaces when joined).
    pub attributes: Vec<String>,
}

/// A kernel argument as clGetKernelArgInfo shows it.
#[derive(Clone, Debug)]
pub struct KernelArg {
    /// Name.
    pub name: String,
    /// Type as written without qualifiers and address space: `float4*`, `uint`, `struct S`.
    pub type_name: String,
    /// CL_KERNEL_ARG_TYPE_CONST/RESTRICT/VOLATILE of the pointee, space-separated.
    pub type_qualifiers: String,
    /// Address space of the pointee; Private for values, Global for images and pipes.
    pub space: AddrSpace,
}

/// A function's definition.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Private variables. The first ones are the parameters, in order.
    pub locals: Vec<Local>,
    /// Arena of rvalues.
    pub exprs: Vec<Expr>,
    /// Arena of lvalues.
    pub lvalues: Vec<Lvalue>,
    /// Arena of statements.
    pub stmts: Vec<Stmt>,
    /// The outermost statement, a [`StmtKind::Block`].
    pub root: Option<StmtId>,
    /// Number of labels.
    pub label_count: u32,
}

impl Body {
    /// The rvalue `id`.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The lvalue `id`.
    pub fn lvalue(&self, id: LvalueId) -> &Lvalue {
        &self.lvalues[id.0 as usize]
    }

    /// The statement `id`.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// The variable `id`.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}

/// A private variable or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name; empty for compound literals and nameless parameters.
    pub name: String,
    /// Type and qualifiers; complete.
    pub ty: QualType,
    /// Alignment in bytes.
    pub align: u64,
    /// Declaration.
    pub span: Span,
}

/// An rvalue.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Kind and operands.
    pub kind: ExprKind,
    /// Its type; [`TypeTable::VOID`] for calls and conditionals without value.
    pub ty: TypeId,
    /// Source.
    pub span: Span,
}

/// An lvalue.
#[derive(Clone, Debug)]
pub struct Lvalue {
    /// Kind and operands.
    pub kind: LvalueKind,
    /// The object's type and qualifiers.
    pub ty: QualType,
    /// Address space of the object.
    pub space: AddrSpace,
    /// Alignment in bytes that an access may rely on (packed fields have less than their type).
    pub align: u64,
    /// Source.
    pub span: Span,
}

/// Lvalues.
#[derive(Clone, Debug, PartialEq)]
pub enum LvalueKind {
    /// A private variable.
    Local(LocalId),
    /// A variable with static storage.
    Global(GlobalId),
    /// Object that a pointer points to.
    Deref(ExprId),
    /// A field of a struct or union in memory.
    Field {
        /// The record.
        base: LvalueId,
        /// Field number.
        field: u32,
    },
    /// Lanes of a vector in memory; as a target the lanes are distinct. One lane is a scalar.
    Lanes {
        /// The vector.
        base: LvalueId,
        /// Lane numbers, in the order of the swizzle; [`NO_LANE`] for an undefined one.
        lanes: Vec<u8>,
        /// A swizzle that these lanes were taken from names one twice: it is no target.
        repeats: bool,
    },
    /// One lane of a vector in memory, by a computed number (`v[i]`).
    Lane {
        /// The vector.
        base: LvalueId,
        /// Number, of an integer type.
        index: ExprId,
    },
    /// A compound literal: the variable, initialised when the lvalue is evaluated.
    Literal {
        /// The variable.
        local: LocalId,
        /// Its initialiser.
        init: Init,
    },
    /// An rvalue record put into memory so that an array in it can be indexed. Not assignable.
    Temporary(ExprId),
}

/// Rvalues.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer, bool or enumeration constant, truncated to its type's width, zero-extended.
    Int(u64),
    /// A float constant, exactly representable in its type.
    Float(f64),
    /// The null pointer of the type.
    Null,
    /// Zero of any type (records, arrays, event_t).
    Zero,
    /// A sampler literal: the sum of its `CLK_*` constants.
    Sampler(u32),
    /// The value in an lvalue. Never of array type, except to initialise a temporary or a block's
    /// context.
    Load(LvalueId),
    /// The address of an lvalue; the type is a pointer to it. Not of Lanes, Lane.
    AddrOf(LvalueId),
    /// The address of a function.
    AddrOfFunction(FuncId),
    /// The address of the first element of an array.
    Decay(LvalueId),
    /// Conversion.
    Convert {
        /// Kind of the conversion.
        kind: ConvertKind,
        /// Operand.
        operand: ExprId,
    },
    /// Arithmetic negation (integers wrap).
    Neg(ExprId),
    /// Bitwise complement.
    BitNot(ExprId),
    /// `!`: on a Bool operand gives Bool; on a vector, lanes equal to 0 give -1, others 0.
    Not(ExprId),
    /// Arithmetic and bitwise operators, element by element on vectors. Both operands have the
    /// node's type. Shift counts are taken modulo the element width. Division of integers by
    /// zero gives an unspecified value and never traps.
    Binary {
        /// Operator.
        op: ArithOp,
        /// Left.
        lhs: ExprId,
        /// Right.
        rhs: ExprId,
        /// FP_CONTRACT is on: a float operation may be rounded with others of its expression.
        contract: bool,
    },
    /// Comparison of operands of one type. Scalars and pointers give Bool; vectors give the
    /// signed integer vector of the same lanes with -1 for true.
    Compare {
        /// Operator.
        op: CompareOp,
        /// Left.
        lhs: ExprId,
        /// Right.
        rhs: ExprId,
    },
    /// `&&` or `||` on Bool operands with short circuit, gives Bool.
    Logical {
        /// True for `&&`.
        and: bool,
        /// Left.
        lhs: ExprId,
        /// Right.
        rhs: ExprId,
    },
    /// `&&` or `||` lane by lane on vectors of one signed integer type holding 0 or -1 (sema
    /// compares with zero first); both sides are evaluated.
    VectorLogical {
        /// True for `&&`.
        and: bool,
        /// Left.
        lhs: ExprId,
        /// Right.
        rhs: ExprId,
    },
    /// `cond ? then : otherwise` with a Bool condition; one side is evaluated. May be void or a
    /// record.
    Cond {
        /// Bool.
        cond: ExprId,
        /// Value when true.
        then: ExprId,
        /// Value when false.
        otherwise: ExprId,
    },
    /// Lane by lane: the most significant bit of the condition's lane selects `then`.
    Select {
        /// An integer vector with as many lanes, of the same element width.
        cond: ExprId,
        /// Value where the bit is set.
        then: ExprId,
        /// Value where it is not.
        otherwise: ExprId,
    },
    /// A pointer moved by `index` elements of its pointee type (bytes for void).
    PtrAdd {
        /// Pointer.
        base: ExprId,
        /// A Long or ULong, signed meaning either way; negated for `p - i`.
        index: ExprId,
    },
    /// Difference of two pointers in elements, a `ptrdiff_t`.
    PtrDiff {
        /// Left.
        lhs: ExprId,
        /// Right, of the same type.
        rhs: ExprId,
        /// Size of the element in bytes (at least 1).
        elem_size: u64,
    },
    /// Stores a value; the node's value is the value stored.
    Assign {
        /// Target.
        lvalue: LvalueId,
        /// Value, of the target's type.
        value: ExprId,
    },
    /// Compound assignment and `++`/`--`: the lvalue is evaluated once and read once (on first
    /// use of [`ExprKind::OldValue`]), `value` is computed and stored.
    Update {
        /// Target.
        lvalue: LvalueId,
        /// The new value, of the target's type, containing one [`ExprKind::OldValue`].
        value: ExprId,
        /// True when the node's value is the old one (`x++`).
        old: bool,
    },
    /// The value read by the innermost enclosing [`ExprKind::Update`].
    OldValue,
    /// Evaluates both, gives the second.
    Comma {
        /// First.
        lhs: ExprId,
        /// Second.
        rhs: ExprId,
    },
    /// `({ … })`: runs statements, then gives the value, which is no record. No jump leaves the
    /// statements and no label stands in them.
    Stmts {
        /// Statements in order.
        stmts: Vec<StmtId>,
        /// The value; `None` when the type is void.
        value: Option<ExprId>,
    },
    /// Call of a function of this program.
    Call {
        /// Callee.
        func: FuncId,
        /// Arguments, of the parameters' types.
        args: Vec<ExprId>,
    },
    /// Call of the function that a pointer points to.
    CallPointer {
        /// Pointer to a function.
        callee: ExprId,
        /// Arguments, of the parameters' types.
        args: Vec<ExprId>,
    },
    /// Call of a built-in.
    Builtin {
        /// Row.
        id: BuiltinId,
        /// Arguments, of the resolved parameter types ([`ExprKind::Convert`] applied); printf's
        /// variable arguments follow their own promotions.
        args: Vec<ExprId>,
    },
    /// A block as an operand of the enqueueing functions.
    Block {
        /// The literal's function; its first parameter points to the context.
        func: FuncId,
        /// The context's address, a generic pointer to void.
        context: ExprId,
    },
    /// A vector put together from scalars and vectors of its element type, in order; the lanes
    /// add up exactly.
    VectorBuild(Vec<ExprId>),
    /// Lanes of an rvalue vector; one lane gives a scalar.
    Swizzle {
        /// Vector.
        base: ExprId,
        /// Lane numbers; [`NO_LANE`] for an undefined one.
        lanes: Vec<u8>,
    },
    /// One lane of an rvalue vector by a computed number.
    ExtractLane {
        /// Vector.
        base: ExprId,
        /// Number.
        index: ExprId,
    },
    /// A field of an rvalue record.
    ExtractField {
        /// Record.
        base: ExprId,
        /// Field number.
        field: u32,
    },
}

/// Conversions. "Element by element" ones apply to vectors of equal length as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvertKind {
    /// Integer, enumeration or Bool to integer: truncation, or extension by the source's
    /// signedness (Bool is 0 or 1). Element by element. Also a change of signedness alone.
    IntToInt,
    /// Integer or Bool to float, round to nearest even. Element by element.
    IntToFloat,
    /// Float to integer, toward zero. Element by element.
    FloatToInt,
    /// Float to float, round to nearest even. Element by element.
    FloatToFloat,
    /// Scalar or pointer to Bool: not equal to zero.
    ToBool,
    /// Scalar to a vector with that element type, in all lanes.
    Splat,
    /// Pointer to integer (then as wide as the node's type, truncated or zero-extended).
    PtrToInt,
    /// Integer to pointer.
    IntToPtr,
    /// Pointer to pointer in the same address space.
    PtrToPtr,
    /// Pointer to pointer into or out of the generic address space.
    SpaceCast,
    /// The same bits as another type of the same size (`as_type`); 3-vectors count 4.
    Bitcast,
    /// Evaluated for its effects; the type is void.
    ToVoid,
    /// Same representation, different type (`atomic` value to value and back).
    Same,
}

/// Operators of [`ExprKind::Binary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%` (integers)
    Rem,
    /// `<<`
    Shl,
    /// `>>` (arithmetic for signed types)
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// Operators of [`ExprKind::Compare`]. Float comparisons are ordered, except `Ne`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=` (true for NaN)
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}
