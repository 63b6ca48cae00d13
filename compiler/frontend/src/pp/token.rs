//! Tokens, and the lists of punctuators and keywords.

use crate::diagnostics::Loc;
use crate::symbol::Symbol;

/// A token. The preprocessor and the parser use the same form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind of the token.
    pub kind: TokenKind,
    /// [`LINE_START`], [`SPACE_BEFORE`], [`NO_EXPAND`].
    pub flags: u8,
    /// Position of the token.
    pub loc: Loc,
}

/// The token is the first of its line.
pub const LINE_START: u8 = 1;
/// White space or a comment stands before the token.
pub const SPACE_BEFORE: u8 = 2;
/// The name was met inside its own expansion and is never expanded again.
pub const NO_EXPAND: u8 = 4;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// End of the text.
    Eof,
    /// A name that is not a keyword; during preprocessing any name.
    Ident(Symbol),
    /// A keyword; only after preprocessing.
    Keyword(Keyword),
    /// A preprocessing number with its spelling.
    Number(Symbol),
    /// A character literal with its spelling, quotes included.
    Char(Symbol),
    /// A string literal with its spelling, quotes included.
    Str(Symbol),
    /// A punctuator.
    Punct(Punct),
    /// A byte that begins no token; a quote when its literal is not terminated.
    Other(u8),
    /// `#pragma`; the directive's tokens follow, then [`Self::PragmaEnd`].
    Pragma,
    /// The end of a pragma.
    PragmaEnd,
    /// The end of a directive's line; never leaves the preprocessor.
    EndOfLine,
    /// A parameter in a macro's body; never leaves the macro's definition.
    Param(u16),
    /// `#` with a parameter in a macro's body.
    Stringify(u16),
    /// In the body of a macro: `__VA_OPT__` or `#__VA_OPT__`, whose content follows.
    VaOpt {
        /// Tokens of the content.
        length: u32,
        /// True behind `#`.
        stringify: bool,
    },
    /// `##` in a macro's body.
    Paste,
    /// Result of pasting two empty arguments.
    Placemarker,
}

macro_rules! punctuators {
    ($($name:ident $text:literal,)*) => {
        /// Punctuators. Digraphs are read as what they stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the spellings say it")]
        pub enum Punct { $($name,)* }

        impl Punct {
            /// The characters.
            pub fn spelling(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The punctuator that is written exactly so.
            pub fn from_spelling(text: &[u8]) -> Option<Self> {
                Some(match std::str::from_utf8(text).ok()? {
                    $($text => Self::$name,)*
                    _ => return None,
                })
            }
        }
    };
}

punctuators! {
    LBracket "[",
    RBracket "]",
    LParen "(",
    RParen ")",
    LBrace "{",
    RBrace "}",
    Dot ".",
    Arrow "->",
    PlusPlus "++",
    MinusMinus "--",
    Amp "&",
    Star "*",
    Plus "+",
    Minus "-",
    Tilde "~",
    Bang "!",
    Slash "/",
    Percent "%",
    LessLess "<<",
    GreaterGreater ">>",
    Less "<",
    Greater ">",
    LessEqual "<=",
    GreaterEqual ">=",
    EqualEqual "==",
    BangEqual "!=",
    Caret "^",
    Pipe "|",
    AmpAmp "&&",
    PipePipe "||",
    Question "?",
    Colon ":",
    Semicolon ";",
    Ellipsis "...",
    Equal "=",
    StarEqual "*=",
    SlashEqual "/=",
    PercentEqual "%=",
    PlusEqual "+=",
    MinusEqual "-=",
    LessLessEqual "<<=",
    GreaterGreaterEqual ">>=",
    AmpEqual "&=",
    CaretEqual "^=",
    PipeEqual "|=",
    Comma ",",
    Hash "#",
    HashHash "##",
}

macro_rules! keywords {
    ($($name:ident $($text:literal)*,)*) => {
        /// Keywords of OpenCL C. Alternative spellings share one keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the spellings say it")]
        pub enum Keyword { $($name,)* }

        /// Every spelling of every keyword.
        pub const KEYWORDS: &[(&str, Keyword)] = &[$($(($text, Keyword::$name),)*)*];

        impl Keyword {
            /// The plainest spelling.
            pub fn spelling(self) -> &'static str {
                match self {
                    $(Self::$name => [$($text),*][0],)*
                }
            }
        }
    };
}

keywords! {
    Auto "auto",
    Break "break",
    Case "case",
    Char "char",
    Const "const" "__const" "__const__",
    Continue "continue",
    Default "default",
    Do "do",
    Double "double",
    Else "else",
    Enum "enum",
    Extern "extern",
    Float "float",
    For "for",
    Goto "goto",
    If "if",
    Inline "inline" "__inline" "__inline__",
    Int "int",
    Long "long",
    Register "register",
    Restrict "restrict" "__restrict" "__restrict__",
    Return "return",
    Short "short",
    Signed "signed" "__signed" "__signed__",
    Sizeof "sizeof",
    Static "static",
    Struct "struct",
    Switch "switch",
    Typedef "typedef",
    Union "union",
    Unsigned "unsigned",
    Void "void",
    Volatile "volatile" "__volatile" "__volatile__",
    While "while",
    Bool "bool" "_Bool",
    Complex "_Complex" "_Imaginary",
    Alignof "_Alignof" "__alignof" "__alignof__",
    StaticAssert "_Static_assert",
    Noreturn "_Noreturn",
    Atomic "_Atomic",
    Generic_ "_Generic",
    ThreadLocal "_Thread_local" "__thread",
    Attribute "__attribute__" "__attribute",
    AutoType "__auto_type",
    Typeof "__typeof__" "__typeof" "typeof",
    Asm "__asm__" "__asm" "asm",
    Extension "__extension__",
    RealImag "__real__" "__imag__" "__real" "__imag",
    Half "half",
    Kernel "__kernel" "kernel",
    Global "__global" "global",
    Local "__local" "local",
    Constant "__constant" "constant",
    Private "__private" "private",
    Generic "__generic" "generic",
    ReadOnly "__read_only" "read_only",
    WriteOnly "__write_only" "write_only",
    ReadWrite "__read_write" "read_write",
    PipeType "pipe",
    VecStep "vec_step",
    Offsetof "__builtin_offsetof" "offsetof",
    Astype "__builtin_astype",
    BitCast "__builtin_bit_cast",
    ConvertVector "__builtin_convertvector",
    TypesCompatible "__builtin_types_compatible_p",
}

/// Keywords that are plain names before OpenCL C 2.0.
pub fn needs_cl20(spelling: &str) -> bool {
    matches!(spelling, "generic" | "pipe")
}
