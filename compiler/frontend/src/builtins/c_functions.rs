//! Built-in functions of C compilers: `__builtin_sqrtf`, `__builtin_popcount`, `__atomic_load_n`.
//!
//! Takes a name; gives its meaning in OpenCL C. Sema writes calls of them as calls of the table's
//! functions, or as the operators that do the same.

use super::{names, table};
use crate::lang::types::{FloatKind, TypeId, TypeTable};

/// clang's functions that tell an optimiser something, and how many arguments they take; here
/// they change nothing.
const HINTS: &[(&str, usize)] = &[
    ("__builtin_expect", 2),
    ("__builtin_expect_with_probability", 3),
    ("__builtin_unpredictable", 1),
    ("__builtin_assume", 1),
    ("__builtin_unreachable", 0),
];

/// The number of arguments of one of [`HINTS`].
pub fn hint_arguments(name: &str) -> Option<usize> {
    let hint = HINTS.iter().find(|(other, _)| *other == name);
    hint.map(|(_, count)| *count)
}

/// Math functions that C compilers have as `__builtin_sqrt`, `__builtin_sqrtf` and, of clang's,
/// `__builtin_elementwise_sqrt`; all arguments have the type of the result.
const C_MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// The same under other names, or with further arguments that are no such floats.
const C_MATH_OF_ONE: &[(&str, &str)] = &[
    ("frexp", "frexp"),
    ("ilogb", "ilogb"),
    ("ldexp", "ldexp"),
    ("modf", "modf"),
    ("nearbyint", "rint"),
    ("powi", "pown"),
    ("roundeven", "rint"),
    ("scalbn", "ldexp"),
];

/// The meaning of a C compiler's built-in function in OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CFunction<'n> {
    /// The OpenCL C function of this name with the arguments as they are.
    Same(&'n str),
    /// The same with arguments of this type.
    Of(&'n str, FloatKind),
    /// The same with a first argument of this type.
    FirstOf(&'n str, FloatKind),
    /// The same atomic function; its object may be private.
    Atomic(&'n str),
    /// The atomic function of this name on an object of plain type.
    PlainAtomic(&'n str),
    /// The same with the new value behind a pointer, and with a word that says whether it may fail.
    PlainCompareExchange {
        /// The new value is behind a pointer.
        by_pointer: bool,
    },
    /// `old = *p; *p = ~(old & value)`, atomic.
    PlainNand,
    /// `vload_half(0, p)`
    LoadHalf,
    /// `vstore_half(value, 0, p)`
    StoreHalf,
    /// Bytes copied from the second pointer to the first, as many as the third argument says.
    CopyBytes,
    /// The second argument in the bytes behind the first, as many as the third says.
    FillBytes,
    /// The value behind a pointer.
    LoadOnce,
    /// The first argument stored behind the second, a pointer.
    StoreOnce,
    /// A function on integers of this type.
    Integer(IntegerOp, TypeId),
    /// The exact result of an operator, cut to the integer behind the third argument, and whether
    /// that changed it; on operands of this type, or of any integer types.
    Overflow(ExactOp, Option<TypeId>),
    /// `a + b + carry`, or `a - b - carry`, on this type; the new carry goes behind the fourth argument.
    Carry(ExactOp, TypeId),
    /// A function of each lane: of integers, of floats, or of both.
    Elementwise(Elementwise<'n>),
    /// All lanes of a vector brought together.
    Reduce(Reduction),
    /// Lanes of two vectors by constant numbers, or of one by the numbers in another.
    ShuffleVector,
    /// Tells whether the argument, which is not evaluated, is a constant.
    IsConstant,
    /// The second argument if the first is not 0, else the third.
    Choose,
}

/// Functions on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerOp {
    /// The magnitude.
    Abs,
    /// Bits in the opposite order.
    ReverseBits,
    /// Bytes in the opposite order.
    SwapBytes,
    /// Bits rotated to the left by the second argument.
    RotateLeft,
    /// Bits rotated to the right by the second argument.
    RotateRight,
    /// The number of bits set.
    PopCount,
    /// 1 if an odd number of bits is set.
    Parity,
    /// The number of zeros above the most significant bit that is set.
    LeadingZeros,
    /// The number of zeros below the least significant bit that is set.
    TrailingZeros,
    /// 1 above the number of the least significant bit that is set; 0 if there is none.
    FirstSet,
    /// The number of bits below the sign that equal it.
    SignCopies,
}

impl IntegerOp {
    /// Returns the number of arguments.
    pub fn arguments(self) -> usize {
        match self {
            Self::RotateLeft | Self::RotateRight => 2,
            _ => 1,
        }
    }

    /// Returns whether the result has the type of the operand; else it is an int.
    pub fn keeps_type(self) -> bool {
        matches!(
            self,
            Self::Abs | Self::ReverseBits | Self::SwapBytes | Self::RotateLeft | Self::RotateRight
        )
    }
}

/// Operators whose exact results the overflow functions compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
}

/// The OpenCL C functions behind one of `__builtin_elementwise_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elementwise<'n> {
    /// The function of integers.
    pub integer: Option<&'n str>,
    /// The function of floats.
    pub float: Option<&'n str>,
    /// Unsigned integers have none.
    pub signed: bool,
    /// The number of arguments.
    pub arguments: usize,
}

/// Operators of `__builtin_reduce_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Sum of integers.
    Add,
    /// Product of integers.
    Mul,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// The greatest.
    Max,
    /// The least.
    Min,
}

const INTEGERS: &[(&str, IntegerOp, TypeId)] = &[
    // `long long` has the 64 bits that C compilers give it.
    ("abs", IntegerOp::Abs, TypeTable::INT),
    ("labs", IntegerOp::Abs, TypeTable::LONG),
    ("llabs", IntegerOp::Abs, TypeTable::LONG),
    ("bitreverse8", IntegerOp::ReverseBits, TypeTable::UCHAR),
    ("bitreverse16", IntegerOp::ReverseBits, TypeTable::USHORT),
    ("bitreverse32", IntegerOp::ReverseBits, TypeTable::UINT),
    ("bitreverse64", IntegerOp::ReverseBits, TypeTable::ULONG),
    ("bswap16", IntegerOp::SwapBytes, TypeTable::USHORT),
    ("bswap32", IntegerOp::SwapBytes, TypeTable::UINT),
    ("bswap64", IntegerOp::SwapBytes, TypeTable::ULONG),
    ("rotateleft8", IntegerOp::RotateLeft, TypeTable::UCHAR),
    ("rotateleft16", IntegerOp::RotateLeft, TypeTable::USHORT),
    ("rotateleft32", IntegerOp::RotateLeft, TypeTable::UINT),
    ("rotateleft64", IntegerOp::RotateLeft, TypeTable::ULONG),
    ("rotateright8", IntegerOp::RotateRight, TypeTable::UCHAR),
    ("rotateright16", IntegerOp::RotateRight, TypeTable::USHORT),
    ("rotateright32", IntegerOp::RotateRight, TypeTable::UINT),
    ("rotateright64", IntegerOp::RotateRight, TypeTable::ULONG),
    ("popcount", IntegerOp::PopCount, TypeTable::UINT),
    ("popcountl", IntegerOp::PopCount, TypeTable::ULONG),
    ("popcountll", IntegerOp::PopCount, TypeTable::ULONG),
    ("parity", IntegerOp::Parity, TypeTable::UINT),
    ("parityl", IntegerOp::Parity, TypeTable::ULONG),
    ("parityll", IntegerOp::Parity, TypeTable::ULONG),
    ("clzs", IntegerOp::LeadingZeros, TypeTable::USHORT),
    ("clz", IntegerOp::LeadingZeros, TypeTable::UINT),
    ("clzl", IntegerOp::LeadingZeros, TypeTable::ULONG),
    ("clzll", IntegerOp::LeadingZeros, TypeTable::ULONG),
    ("ctzs", IntegerOp::TrailingZeros, TypeTable::USHORT),
    ("ctz", IntegerOp::TrailingZeros, TypeTable::UINT),
    ("ctzl", IntegerOp::TrailingZeros, TypeTable::ULONG),
    ("ctzll", IntegerOp::TrailingZeros, TypeTable::ULONG),
    ("ffs", IntegerOp::FirstSet, TypeTable::INT),
    ("ffsl", IntegerOp::FirstSet, TypeTable::LONG),
    ("ffsll", IntegerOp::FirstSet, TypeTable::LONG),
    ("clrsb", IntegerOp::SignCopies, TypeTable::INT),
    ("clrsbl", IntegerOp::SignCopies, TypeTable::LONG),
    ("clrsbll", IntegerOp::SignCopies, TypeTable::LONG),
];

/// Types in the names of the overflow functions: `__builtin_umull_overflow`.
const OVERFLOW_TYPES: &[(&str, &str, TypeId)] = &[
    ("s", "", TypeTable::INT),
    ("s", "l", TypeTable::LONG),
    ("s", "ll", TypeTable::LONG),
    ("u", "", TypeTable::UINT),
    ("u", "l", TypeTable::ULONG),
    ("u", "ll", TypeTable::ULONG),
];

/// Types in the names of the functions with a carry: `__builtin_addcl`.
const CARRY_TYPES: &[(&str, TypeId)] = &[
    ("b", TypeTable::UCHAR),
    ("s", TypeTable::USHORT),
    ("", TypeTable::UINT),
    ("l", TypeTable::ULONG),
    ("ll", TypeTable::ULONG),
];

const EXACT_OPS: &[(&str, ExactOp)] = &[
    ("add", ExactOp::Add),
    ("sub", ExactOp::Sub),
    ("mul", ExactOp::Mul),
];

const REDUCTIONS: &[(&str, Reduction)] = &[
    ("add", Reduction::Add),
    ("mul", Reduction::Mul),
    ("and", Reduction::And),
    ("or", Reduction::Or),
    ("xor", Reduction::Xor),
    ("max", Reduction::Max),
    ("min", Reduction::Min),
];

/// Functions of each lane beside [`C_MATH`].
const ELEMENTWISE: &[(&str, Elementwise)] = &[
    ("abs", elementwise(Some("abs"), Some("fabs"), 1).signed()),
    ("max", elementwise(Some("max"), Some("fmax"), 2)),
    ("min", elementwise(Some("min"), Some("fmin"), 2)),
    ("add_sat", elementwise(Some("add_sat"), None, 2)),
    ("sub_sat", elementwise(Some("sub_sat"), None, 2)),
    ("popcount", elementwise(Some("popcount"), None, 1)),
    ("bitreverse", elementwise(Some("bit_reverse"), None, 1)),
    ("nearbyint", elementwise(None, Some("rint"), 1)),
    ("roundeven", elementwise(None, Some("rint"), 1)),
];

const fn elementwise<'n>(
    integer: Option<&'n str>,
    float: Option<&'n str>,
    arguments: usize,
) -> Elementwise<'n> {
    Elementwise {
        integer,
        float,
        signed: false,
        arguments,
    }
}

impl Elementwise<'_> {
    const fn signed(mut self) -> Self {
        self.signed = true;
        self
    }
}

/// A function of [`C_MATH`], which the table has with as many arguments.
fn elementwise_math(name: &str) -> Option<Elementwise<'_>> {
    let found = names::lookup(name).filter(|_| C_MATH.contains(&name))?;
    let signature = table::ROWS[usize::from(found.first)].signature?;
    Some(elementwise(None, Some(name), signature.params().len()))
}

/// Atomic functions that clang's and gcc's have under the same names.
const FETCH_ATOMICS: &[(&str, &str)] = &[
    ("fetch_add", "atomic_fetch_add_explicit"),
    ("fetch_sub", "atomic_fetch_sub_explicit"),
    ("fetch_and", "atomic_fetch_and_explicit"),
    ("fetch_or", "atomic_fetch_or_explicit"),
    ("fetch_xor", "atomic_fetch_xor_explicit"),
    ("fetch_min", "atomic_fetch_min_explicit"),
    ("fetch_max", "atomic_fetch_max_explicit"),
];

/// clang's other atomic functions, whose arguments are those of OpenCL C's.
const CLANG_ATOMICS: &[(&str, &str)] = &[
    ("init", "atomic_init"),
    ("load", "atomic_load_explicit"),
    ("store", "atomic_store_explicit"),
    ("exchange", "atomic_exchange_explicit"),
    (
        "compare_exchange_strong",
        "atomic_compare_exchange_strong_explicit",
    ),
    (
        "compare_exchange_weak",
        "atomic_compare_exchange_weak_explicit",
    ),
];

/// gcc's other atomic functions on objects of plain types that take their arguments as OpenCL C's do.
const PLAIN_ATOMICS: &[(&str, &str)] = &[
    ("load_n", "atomic_load_explicit"),
    ("store_n", "atomic_store_explicit"),
    ("exchange_n", "atomic_exchange_explicit"),
];

/// A C compiler's built-in function by name: `__builtin_isnan`.
pub fn c_function(name: &str) -> Option<CFunction<'_>> {
    if let Some(atomic) = name.strip_prefix("__opencl_atomic_") {
        return atomic_of(CLANG_ATOMICS, atomic).map(CFunction::Atomic);
    }
    if let Some(atomic) = name.strip_prefix("__atomic_") {
        return match atomic {
            "compare_exchange" => Some(CFunction::PlainCompareExchange { by_pointer: true }),
            "compare_exchange_n" => Some(CFunction::PlainCompareExchange { by_pointer: false }),
            "fetch_nand" => Some(CFunction::PlainNand),
            _ => atomic_of(PLAIN_ATOMICS, atomic).map(CFunction::PlainAtomic),
        };
    }
    let name = name.strip_prefix("__builtin_")?;
    let math = |name: &&str| C_MATH.contains(name);
    match name {
        "isfinite" | "isinf" | "isnan" | "isnormal" | "signbit" | "isgreater"
        | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered" => {
            Some(CFunction::Same(name))
        }
        "memcpy" | "memcpy_inline" => Some(CFunction::CopyBytes),
        "memset" => Some(CFunction::FillBytes),
        "load_half" | "load_halff" => Some(CFunction::LoadHalf),
        "store_half" | "store_halff" => Some(CFunction::StoreHalf),
        "nontemporal_load" => Some(CFunction::LoadOnce),
        "nontemporal_store" => Some(CFunction::StoreOnce),
        "shufflevector" => Some(CFunction::ShuffleVector),
        "constant_p" => Some(CFunction::IsConstant),
        "choose_expr" => Some(CFunction::Choose),
        _ => {
            if let Some(name) = name.strip_prefix("elementwise_") {
                return elementwise_math(name)
                    .or_else(|| found(ELEMENTWISE, name))
                    .map(CFunction::Elementwise);
            }
            if let Some(name) = name.strip_prefix("reduce_") {
                return found(REDUCTIONS, name).map(CFunction::Reduce);
            }
            let function = |name, kind| {
                let all = Some(name).filter(math);
                let first = || found(C_MATH_OF_ONE, name);
                all.map(|name| CFunction::Of(name, kind))
                    .or_else(|| first().map(|name| CFunction::FirstOf(name, kind)))
            };
            let float = name.strip_suffix('f');
            function(name, FloatKind::Double)
                .or_else(|| function(float?, FloatKind::Float))
                .or_else(|| integer_function(name))
        }
    }
}

/// The value of a name in a list.
fn found<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    let entry = list.iter().find(|(known, _)| *known == name);
    entry.map(|&(_, value)| value)
}

/// A function on integers, by the name behind `__builtin_`.
fn integer_function<'n>(name: &str) -> Option<CFunction<'n>> {
    if let Some(&(_, op, ty)) = INTEGERS.iter().find(|(known, _, _)| *known == name) {
        return Some(CFunction::Integer(op, ty));
    }
    if let Some(name) = name.strip_suffix("_overflow") {
        if let Some(op) = found(EXACT_OPS, name) {
            return Some(CFunction::Overflow(op, None));
        }
        return OVERFLOW_TYPES.iter().find_map(|&(sign, length, ty)| {
            let op = name.strip_prefix(sign)?.strip_suffix(length)?;
            Some(CFunction::Overflow(found(EXACT_OPS, op)?, Some(ty)))
        });
    }
    let (op, ty) = (name.strip_prefix("addc").map(|ty| (ExactOp::Add, ty)))
        .or(name.strip_prefix("subc").map(|ty| (ExactOp::Sub, ty)))?;
    found(CARRY_TYPES, ty).map(|ty| CFunction::Carry(op, ty))
}

/// The OpenCL C function of a C compiler's atomic function, by the name behind its prefix.
fn atomic_of(own: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    found(own, name).or_else(|| found(FETCH_ATOMICS, name))
}
