//! The syntax tree of an OpenCL C translation unit, as the parser builds it.
//!
//! Expressions, statements and type names live in arenas of [`Ast`] and refer to each other by
//! index, so that dropping a deep tree never recurses. Nothing here is resolved: names are
//! symbols, types are specifier lists. Constraint checking beyond grammar is sema's work, so
//! the parser keeps duplicates and conflicts (two address spaces, `int float`) as written.
use crate::source::{Span, Symbol};
use pumice_budget as budget;

pub use super::ast_expr::{BinaryOp, BlockLit, Expr, ExprKind, FloatSuffix, Trait, UnaryOp};
pub use super::ast_stmt::{Stmt, StmtKind};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub u32);
    };
}

id! {
    /// An expression in [`Ast::exprs`].
    ExprId
}
id! {
    /// A statement in [`Ast::stmts`].
    StmtId
}
id! {
    /// A type name in [`Ast::type_names`].
    TypeNameId
}

/// A parsed translation unit.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Arena of expressions.
    pub exprs: Vec<Expr>,
    /// Arena of statements.
    pub stmts: Vec<Stmt>,
    /// Arena of type names (casts, sizeof, compound literals, …).
    pub type_names: Vec<TypeName>,
    /// External declarations in source order.
    pub decls: Vec<ExternalDecl>,
}

impl Ast {
    /// Adds an expression.
    pub fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        budget::push(&mut self.exprs, Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds a statement.
    pub fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        budget::push(&mut self.stmts, Stmt { kind, span });
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// Adds a type name.
    pub fn add_type_name(&mut self, name: TypeName) -> TypeNameId {
        self.type_names.push(name);
        TypeNameId(self.type_names.len() as u32 - 1)
    }

    /// The expression `id`.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The statement `id`.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// The type name `id`.
    pub fn type_name(&self, id: TypeNameId) -> &TypeName {
        &self.type_names[id.0 as usize]
    }
}

/// A declaration at program scope.
#[derive(Clone, Debug)]
pub enum ExternalDecl {
    /// Variables, typedefs, prototypes, tag declarations.
    Declaration(Declaration),
    /// A function with a body.
    Function(Box<FunctionDef>),
    /// `_Static_assert(e, "text");`
    StaticAssert(StaticAssert),
    /// `#pragma OPENCL EXTENSION name : behaviour`, at its place among the declarations.
    Pragma(Pragma),
    /// A stray `;` (pedantic only).
    Empty,
}

/// A pragma that has a meaning after preprocessing.
#[derive(Clone, Debug)]
pub struct Pragma {
    /// Kind and operands of the pragma.
    pub kind: PragmaKind,
    /// The directive.
    pub span: Span,
}

/// The pragmas known after preprocessing.
#[derive(Clone, Debug)]
pub enum PragmaKind {
    /// `#pragma OPENCL EXTENSION name : behaviour`; the name may be `all`.
    Extension {
        /// Extension name or `all`.
        name: Symbol,
        /// Its position.
        name_span: Span,
        /// True for `enable`, false for `disable`.
        enable: bool,
    },
    /// `#pragma OPENCL FP_CONTRACT` / `#pragma STDC FP_CONTRACT`: `None` is DEFAULT.
    FpContract(Option<bool>),
    /// `#undef` of a feature's macro.
    Undefine(Symbol),
    /// `#pragma unroll [n]`, before a loop; `None` without a count.
    Unroll(Option<ExprId>),
    /// `#pragma nounroll`, before a loop.
    NoUnroll,
}

/// `_Static_assert(cond, message)`.
#[derive(Clone, Debug)]
pub struct StaticAssert {
    /// The condition.
    pub cond: ExprId,
    /// The message, without quotes.
    pub message: Option<Vec<u8>>,
    /// The whole declaration.
    pub span: Span,
}

/// `specifiers declarator = init, …;`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Specifiers, shared by the declarators.
    pub specs: DeclSpecs,
    /// Declarators; empty for a lone `struct S {…};`.
    pub declarators: Vec<InitDeclarator>,
    /// From the first specifier to the semicolon.
    pub span: Span,
}

/// A declarator with its initialiser.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The declarator.
    pub declarator: Declarator,
    /// The initialiser, if any.
    pub init: Option<Init>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct FunctionDef {
    /// Specifiers (return type, `__kernel`, attributes, …).
    pub specs: DeclSpecs,
    /// The declarator; its innermost part is [`DeclPart::Function`], or the parser has
    /// reported an error and dropped the definition.
    pub declarator: Declarator,
    /// A [`StmtKind::Compound`].
    pub body: StmtId,
}

/// Declaration specifiers in source order, sorted by sort.
#[derive(Clone, Debug, Default)]
pub struct DeclSpecs {
    /// `typedef extern static auto register` as written.
    pub storage: Vec<(StorageClass, Span)>,
    /// `inline`, `__kernel`, `_Noreturn` as written.
    pub function: Vec<(FunctionSpec, Span)>,
    /// Qualifiers as written, address spaces included.
    pub quals: Vec<(Qual, Span)>,
    /// The type.
    pub ty: TypeSpec,
    /// The type specifier's position (of all words together).
    pub ty_span: Span,
    /// `__attribute__` lists among the specifiers (before the declarator).
    pub attrs: Vec<Attr>,
    /// All specifiers.
    pub span: Span,
}

/// Storage classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
    /// `_Thread_local`/`__thread`: never legal in OpenCL C.
    ThreadLocal,
}

/// Function specifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionSpec {
    /// `inline`, `__inline`, `__inline__`
    Inline,
    /// `kernel`, `__kernel`
    Kernel,
    /// `_Noreturn`
    Noreturn,
}

/// Type qualifiers, address spaces and access qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Qual {
    /// `const`
    Const,
    /// `volatile`
    Volatile,
    /// `restrict`, `__restrict`, `__restrict__`
    Restrict,
    /// `_Atomic` as a qualifier
    Atomic,
    /// `private`, `__private`
    Private,
    /// `global`, `__global`
    Global,
    /// `local`, `__local`
    Local,
    /// `constant`, `__constant`
    Constant,
    /// `generic`, `__generic`
    Generic,
    /// `__attribute__((opencl_global_device))`
    GlobalDevice,
    /// `__attribute__((opencl_global_host))`
    GlobalHost,
    /// `read_only`, `__read_only`
    ReadOnly,
    /// `write_only`, `__write_only`
    WriteOnly,
    /// `read_write`, `__read_write`
    ReadWrite,
}

/// The type part of specifiers.
#[derive(Clone, Debug, Default)]
pub enum TypeSpec {
    /// No type specifier at all.
    #[default]
    Missing,
    /// Keyword words in source order: `unsigned long int`.
    Words(Vec<(TypeWord, Span)>),
    /// A typedef name, or a built-in type name (`uint`, `float4`, `size_t`, `image2d_t`).
    Named(Symbol),
    /// `struct` or `union`.
    Record(Box<RecordSpec>),
    /// `enum`.
    Enum(Box<EnumSpec>),
    /// `typeof(expression)`
    TypeofExpr(ExprId),
    /// `typeof(type)`
    TypeofType(TypeNameId),
    /// `__auto_type`: the type of the initializer's value.
    Auto,
    /// `_Atomic(type)`
    Atomic(TypeNameId),
    /// `pipe T` (the `pipe` keyword makes of the rest an element type).
    Pipe(Box<TypeSpec>),
    /// The parser has reported an error here; sema stays silent.
    Error,
}

/// Keywords that are type specifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeWord {
    /// `void`
    Void,
    /// `bool`, `_Bool`
    Bool,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `half`
    Half,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `signed`
    Signed,
    /// `unsigned`
    Unsigned,
    /// `_Complex`, `_Imaginary`: never legal.
    Complex,
}

/// `struct`/`union` specifier.
#[derive(Clone, Debug)]
pub struct RecordSpec {
    /// True for `union`.
    pub is_union: bool,
    /// The tag.
    pub tag: Option<(Symbol, Span)>,
    /// Members between braces; `None` for a reference or forward declaration.
    pub members: Option<Vec<MemberDecl>>,
    /// The alignment that `#pragma pack` limits members to.
    pub pack: Option<u64>,
    /// Attributes after the keyword or after the closing brace.
    pub attrs: Vec<Attr>,
    /// From the keyword to the tag or closing brace.
    pub span: Span,
}

/// Declaration between the braces of a record.
#[derive(Clone, Debug)]
pub enum MemberDecl {
    /// A member declaration; without declarators an anonymous record.
    Field {
        /// Specifiers.
        specs: DeclSpecs,
        /// Declarators.
        declarators: Vec<MemberDeclarator>,
        /// From the first specifier to the semicolon.
        span: Span,
    },
    /// `_Static_assert`
    StaticAssert(StaticAssert),
    /// Something that could not be read.
    Broken,
}

/// A member's declarator.
#[derive(Clone, Debug)]
pub struct MemberDeclarator {
    /// The declarator; nameless only for an unnamed bit-field.
    pub declarator: Declarator,
    /// `: width`, a bit-field (illegal in OpenCL C without an extension; sema says so).
    pub bit_width: Option<ExprId>,
}

/// `enum` specifier.
#[derive(Clone, Debug)]
pub struct EnumSpec {
    /// The tag.
    pub tag: Option<(Symbol, Span)>,
    /// `: type`
    pub underlying: Option<TypeNameId>,
    /// Enumerators between braces; `None` for a reference.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes.
    pub attrs: Vec<Attr>,
    /// From the keyword to the tag or closing brace.
    pub span: Span,
}

/// One enumerator.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Name.
    pub name: Symbol,
    /// Its position.
    pub span: Span,
    /// `= value`.
    pub value: Option<ExprId>,
}

/// `__attribute__((name(args)))`, one entry per attribute of a list.
#[derive(Clone, Debug)]
pub struct Attr {
    /// The name without surrounding underscores (`__packed__` is `packed`).
    pub name: Symbol,
    /// Position of the name.
    pub name_span: Span,
    /// Arguments.
    pub args: Vec<AttrArg>,
    /// Name and arguments as written, tokens joined without spaces except between two words:
    /// `reqd_work_group_size(8,1,1)`. For CL_KERNEL_ATTRIBUTES.
    pub text: String,
    /// Name and arguments.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, Debug)]
pub enum AttrArg {
    /// An expression (an identifier alone is an expression too).
    Expr(ExprId),
    /// A type name (`vec_type_hint(float4)`).
    Type(TypeNameId),
}

/// A declarator, possibly abstract.
#[derive(Clone, Debug, Default)]
pub struct Declarator {
    /// The declared name; `None` in an abstract declarator.
    pub name: Option<(Symbol, Span)>,
    /// Derivations from the name outwards: `int *a[3]` (array of pointers) is
    /// `[Array(3), Pointer]`, `int (*p)[3]` is `[Pointer, Array(3)]`.
    pub parts: Vec<DeclPart>,
    /// Attributes behind the declarator.
    pub attrs: Vec<Attr>,
    /// The declarator; for an empty one the empty span where it would stand.
    pub span: Span,
}

/// One derivation of a declarator.
#[derive(Clone, Debug)]
pub enum DeclPart {
    /// `*` with its qualifiers.
    Pointer {
        /// Qualifiers of the pointer itself.
        quals: Vec<(Qual, Span)>,
        /// Attributes after the star.
        attrs: Vec<Attr>,
        /// The star.
        span: Span,
    },
    /// `[size]`
    Array {
        /// The size; `None` for `[]`.
        size: Option<ExprId>,
        /// `[*]`
        is_star: bool,
        /// The brackets.
        span: Span,
    },
    /// `(params)`
    Function {
        /// Parameters. `(void)` and `()` have none.
        params: Vec<ParamDecl>,
        /// Position of `...`.
        variadic: Option<Span>,
        /// The parentheses.
        span: Span,
    },
    /// `^`: a block pointer.
    Block {
        /// The caret.
        span: Span,
    },
}

/// A function parameter.
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// Specifiers.
    pub specs: DeclSpecs,
    /// Declarator, possibly nameless.
    pub declarator: Declarator,
    /// The whole parameter.
    pub span: Span,
}

/// A type name: specifiers and an abstract declarator.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Specifiers; storage and function specifiers are empty.
    pub specs: DeclSpecs,
    /// Abstract declarator.
    pub declarator: Declarator,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    /// `= expression`
    Expr(ExprId),
    /// `= { … }`
    List(InitList),
}

/// A braced initialiser.
#[derive(Clone, Debug)]
pub struct InitList {
    /// Items in source order.
    pub items: Vec<InitItem>,
    /// Braces included.
    pub span: Span,
}

/// One item of a braced initialiser.
#[derive(Clone, Debug)]
pub struct InitItem {
    /// `.a[2] =`, outermost first; empty without designation.
    pub designators: Vec<Designator>,
    /// The value.
    pub init: Init,
}

/// A designator.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`
    Field(Symbol, Span),
    /// `[index]`
    Index(ExprId, Span),
    /// `[first ... last]` (GNU)
    Range(ExprId, ExprId, Span),
}
