//! Expressions: each has exactly the type asked for, no side effect and no undefined behaviour.

use super::Gen;
use super::types::{INTEGERS, Scalar, Ty};

/// Component names of a vector, in order.
const LANES: &[u8; 16] = b"0123456789abcdef";

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

impl Gen {
    /// A type to compute in.
    pub(crate) fn any_type(&mut self) -> Ty {
        let scalar = if self.has(Self::FLOATS) && self.random.chance(20) {
            if self.has(Self::DOUBLES) && self.random.chance(30) {
                Scalar::Double
            } else if self.has(Self::HALVES) && self.random.chance(40) {
                Scalar::Half
            } else {
                Scalar::Float
            }
        } else {
            *self.random.pick(&INTEGERS)
        };
        let lanes = if self.has(Self::VECTORS) {
            *self
                .random
                .pick(&[1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 4, 8, 1, 1, 2, 16])
        } else {
            1
        };
        Ty { scalar, lanes }
    }

    pub(crate) fn any_integer(&mut self) -> Ty {
        Ty::scalar(*self.random.pick(&INTEGERS))
    }

    /// A literal of a scalar type.
    pub(crate) fn literal(&mut self, scalar: Scalar) -> String {
        if scalar.is_float() {
            let quarters = self.random.below(256) as i32 - 128;
            let suffix = match scalar {
                Scalar::Half => "h",
                Scalar::Float => "f",
                _ => "",
            };
            return format!("({:?}{suffix})", f64::from(quarters) / 4.0);
        }
        let bits = scalar.bits();
        let raw = match self.random.below(4) {
            0 => u64::from(self.random.below(8)),
            1 => self.random.next(),
            2 => 1 << self.random.below(bits),
            _ => u64::from(self.random.below(128)).wrapping_sub(64),
        };
        match scalar {
            Scalar::Uint => format!("{}u", raw as u32),
            Scalar::Ulong => format!("{raw}UL"),
            Scalar::Int => match raw as i32 {
                i32::MIN => "(-2147483647 - 1)".to_string(),
                n => format!("({n})"),
            },
            Scalar::Long => match raw as i64 {
                i64::MIN => "(-9223372036854775807L - 1)".to_string(),
                n => format!("({n}L)"),
            },
            _ if scalar.is_signed() => {
                let n = (raw << (64 - bits)) as i64 >> (64 - bits);
                format!("(({}){n})", scalar.name())
            }
            _ => format!("(({}){})", scalar.name(), raw & ((1 << bits) - 1)),
        }
    }

    /// `text` of type `from` as a `to`.
    pub(crate) fn convert(&mut self, text: &str, from: Ty, to: Ty) -> String {
        if from == to {
            return text.to_string();
        }
        if from.lanes == to.lanes {
            let name = to.name();
            return if from.is_float() && !to.is_float() {
                format!("convert_{name}_sat({text})")
            } else if to.is_vector() || self.random.chance(20) {
                format!("convert_{name}({text})")
            } else {
                format!("({name})({text})")
            };
        }
        if from.lanes == 1 {
            let lane = self.convert(text, from, to.lane());
            return format!("({})({lane})", to.name());
        }
        if to.lanes == 1 {
            let lane = self.component(text, from);
            return self.convert(&lane, from.lane(), to);
        }
        if to.lanes == 2 * from.lanes {
            let half = self.convert(
                text,
                from,
                Ty {
                    lanes: from.lanes,
                    ..to
                },
            );
            return format!("({})({half}, {half})", to.name());
        }
        if to.lanes < 16 {
            let swizzled = self.swizzle(text, from, to.lanes);
            return self.convert(
                &swizzled,
                Ty {
                    lanes: to.lanes,
                    ..from
                },
                to,
            );
        }
        let lane = self.component(text, from);
        self.convert(&lane, from.lane(), to)
    }

    /// One component of a vector.
    fn component(&mut self, text: &str, from: Ty) -> String {
        let lane = self.random.below(from.lanes) as usize;
        if from.lanes <= 4 && self.random.chance(50) {
            format!("({text}).{}", ["x", "y", "z", "w"][lane])
        } else {
            format!("({text}).s{}", LANES[lane] as char)
        }
    }

    /// `lanes` components in any order, some more than once.
    fn swizzle(&mut self, text: &str, from: Ty, lanes: u32) -> String {
        if from.lanes == 2 * lanes && self.random.chance(50) {
            let half = *self.random.pick(&["lo", "hi", "even", "odd"]);
            return format!("({text}).{half}");
        }
        let names: String = (0..lanes)
            .map(|_| LANES[self.random.below(from.lanes) as usize] as char)
            .collect();
        format!("({text}).s{names}")
    }

    /// An index below a power of two.
    pub(crate) fn index(&mut self, len: u32) -> String {
        if len == 1 {
            return "0".to_string();
        }
        match self.random.below(3) {
            0 => self.random.below(len).to_string(),
            1 => format!("(lid & {})", len - 1),
            _ => {
                let ty = self.any_integer();
                let value = self.scalar_variable(ty);
                format!("({value} & {})", len - 1)
            }
        }
    }

    /// A variable without an index of its own, or a literal: what indices are made of.
    fn scalar_variable(&mut self, ty: Ty) -> String {
        for _ in 0..4 {
            if self.lvalues.is_empty() {
                break;
            }
            let lvalue = self.random.below(self.lvalues.len() as u32) as usize;
            let lvalue = &self.lvalues[lvalue];
            if lvalue.lens.is_empty() && !lvalue.ty.is_vector() && !lvalue.ty.is_float() {
                let (text, from) = (lvalue.text.clone(), lvalue.ty);
                return self.convert(&text, from, ty);
            }
        }
        "gid".to_string()
    }

    /// The text of lvalue `at`, its indices filled in.
    pub(crate) fn lvalue(&mut self, at: usize) -> String {
        let lens = self.lvalues[at].lens.clone();
        let mut text = self.lvalues[at].text.clone();
        for len in lens {
            let index = self.index(len);
            text = text.replacen('@', &index, 1);
        }
        text
    }

    /// Something without operands.
    pub(crate) fn leaf(&mut self, ty: Ty) -> String {
        if self.lvalues.is_empty() || self.random.chance(15) {
            let literal = self.literal(ty.scalar);
            if !ty.is_vector() {
                return literal;
            }
            if ty.lanes <= 4 && self.random.chance(60) {
                let lanes: Vec<String> = (0..ty.lanes).map(|_| self.literal(ty.scalar)).collect();
                return format!("({})({})", ty.name(), lanes.join(", "));
            }
            return format!("({})({literal})", ty.name());
        }
        let mut at = self.random.below(self.lvalues.len() as u32) as usize;
        // Prefer what needs no conversion.
        for _ in 0..3 {
            if self.lvalues[at].ty == ty {
                break;
            }
            at = self.random.below(self.lvalues.len() as u32) as usize;
        }
        let from = self.lvalues[at].ty;
        let text = self.lvalue(at);
        self.convert(&text, from, ty)
    }

    /// A condition: an int, 0 or not.
    pub(crate) fn condition(&mut self, depth: u32) -> String {
        match self.random.below(if depth == 0 { 6 } else { 9 }) {
            6 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = *self.random.pick(&["&&", "||"]);
                format!("({a} {op} {b})")
            }
            7 => format!("(!{})", self.condition(depth - 1)),
            8 if self.has(Self::VECTORS) => {
                let ty = Ty {
                    scalar: Scalar::Int,
                    lanes: 4,
                };
                let (a, b) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                let (fold, op) = (*self.random.pick(&["any", "all"]), self.comparison());
                format!("{fold}({a} {op} {b})")
            }
            5 => {
                let ty = self.any_integer();
                let a = self.expr(ty, depth.min(1));
                let bit = self.random.below(ty.scalar.bits().min(31));
                format!("(({a} >> {bit}) & 1)")
            }
            _ => {
                let mut ty = self.any_type();
                ty.lanes = 1;
                let (a, b) = (self.expr(ty, depth.min(1)), self.expr(ty, depth.min(1)));
                let op = self.comparison();
                if ty == Ty::scalar(Scalar::Float) && self.has(Self::DOUBLES) {
                    let bound = self.double_of_float(0);
                    return format!("({a} {op} {bound})");
                }
                format!("({a} {op} {b})")
            }
        }
    }

    fn comparison(&mut self) -> &'static str {
        COMPARISONS[self.random.below(6) as usize]
    }

    /// Any expression of a type.
    pub(crate) fn expr(&mut self, ty: Ty, depth: u32) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if !self.images.is_empty() && self.random.chance(6) {
            if let Some(text) = self.image_value(ty, depth) {
                return text;
            }
        }
        if self.random.chance(8) {
            if let Some(text) = self.library_value(ty, depth) {
                return text;
            }
        }
        match self.random.below(12) {
            0 => {
                let from = Ty {
                    scalar: self.any_type().scalar,
                    ..ty
                };
                let inner = self.expr(from, depth);
                self.convert(&inner, from, ty)
            }
            1 => {
                let (c, a, b) = (
                    self.condition(depth),
                    self.expr(ty, depth),
                    self.expr(ty, depth),
                );
                self.typed(ty, format!("{c} ? {a} : {b}"))
            }
            2 => self.call(ty, depth).unwrap_or_else(|| self.leaf(ty)),
            3 if ty.is_vector() => self.built_vector(ty, depth),
            4 if self.has(Self::VECTORS) && !ty.is_vector() => {
                let from = Ty {
                    lanes: *self.random.pick(&[2, 3, 4, 8]),
                    ..ty
                };
                let inner = self.expr(from, depth);
                self.component(&inner, from)
            }
            5 if self.has(Self::VECTORS) && matches!(ty.lanes, 2..=4) => {
                let from = Ty {
                    lanes: *self.random.pick(&[2, 4, 8]),
                    ..ty
                };
                let inner = self.expr(from, depth);
                self.swizzle(&inner, from, ty.lanes)
            }
            _ if ty.is_float() => self.float_expr(ty, depth),
            6 | 7 => self.integer_builtin(ty, depth),
            _ => self.integer_expr(ty, depth),
        }
    }

    /// A vector made of smaller pieces.
    fn built_vector(&mut self, ty: Ty, depth: u32) -> String {
        let mut left = ty.lanes;
        let mut parts = Vec::new();
        while left > 0 {
            let lanes = *self.random.pick(&[1, 2, 4, 8]);
            if lanes <= left && lanes != ty.lanes && parts.len() < 5 || lanes == left {
                parts.push(self.expr(Ty { lanes, ..ty }, depth.min(1)));
                left -= lanes;
            } else if parts.len() >= 5 || lanes > left {
                parts.push(self.leaf(ty.lane()));
                left -= 1;
            }
        }
        format!("({})({})", ty.name(), parts.join(", "))
    }

    /// Arithmetic without overflow of signed types.
    fn integer_expr(&mut self, ty: Ty, depth: u32) -> String {
        let name = ty.name();
        let a = self.expr(ty, depth);
        match self.random.below(12) {
            0..=4 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                let b = self.expr(ty, depth);
                if ty.is_vector() {
                    let u = ty.integer(false).name();
                    if ty.scalar.is_signed() {
                        format!("as_{name}(as_{u}({a}) {op} as_{u}({b}))")
                    } else {
                        format!("({a} {op} {b})")
                    }
                } else {
                    let wide = ty.scalar.wrapping();
                    let plain = ty.scalar == wide && self.random.chance(70);
                    if plain {
                        format!("({a} {op} {b})")
                    } else {
                        format!("({name})(({w}){a} {op} ({w}){b})", w = wide.name())
                    }
                }
            }
            5 | 6 => {
                let op = *self.random.pick(&["&", "|", "^"]);
                let b = self.expr(ty, depth);
                self.typed(ty, format!("{a} {op} {b}"))
            }
            7 | 8 => {
                let op = *self.random.pick(&["<<", ">>"]);
                let count = if ty.is_vector() {
                    self.expr(ty, depth.min(1))
                } else {
                    let other = self.any_integer();
                    self.expr(other, depth.min(1))
                };
                self.typed(ty, format!("{a} {op} {count}"))
            }
            9 => self.quotient(ty, a, depth),
            10 => {
                let text = match self.random.below(3) {
                    0 => format!("~{a}"),
                    1 if !ty.is_vector() => format!("!{a}"),
                    _ if ty.is_vector() && ty.scalar.is_signed() => {
                        format!(
                            "~as_{name}(~as_{u}({a}) + ({u})(1))",
                            u = ty.integer(false).name()
                        )
                    }
                    _ if ty.is_vector() => format!("-{a}"),
                    _ => return format!("({name})(-({w}){a})", w = ty.scalar.wrapping().name()),
                };
                self.typed(ty, text)
            }
            _ => self.compared(ty, depth),
        }
    }

    /// Operators on small types promote: back to the type.
    fn typed(&mut self, ty: Ty, text: String) -> String {
        if ty.is_vector() || ty.scalar.bytes() >= 4 && !text.starts_with('!') {
            format!("({text})")
        } else {
            format!("({})({text})", ty.name())
        }
    }

    /// Division and remainder that cannot trap.
    fn quotient(&mut self, ty: Ty, a: String, depth: u32) -> String {
        let op = *self.random.pick(&["/", "%"]);
        let b = self.expr(ty, depth);
        let name = ty.name();
        if !ty.scalar.is_signed() {
            return self.typed(ty, format!("{a} {op} ({name})({b} | ({name})(1))"));
        }
        if !ty.is_vector() && self.random.chance(60) {
            let what = if op == "/" { "quotient" } else { "remainder" };
            let helper = format!("{what}_{name}");
            let lowest = 1u64 << (ty.scalar.bits() - 1);
            let text = format!(
                "{name} {helper}({name} a, {name} b) {{\n    \
                 if (b == 0 || (b == -1 && a == ({name}){lowest:#x}UL))\n        return a;\n    \
                 return a {op} b;\n}}\n"
            );
            self.helper(&helper, text);
            return format!("{helper}({a}, {b})");
        }
        let sign = if self.random.chance(50) { "" } else { "-" };
        self.typed(
            ty,
            format!("{a} {op} ({name})({sign}(({b} & ({name})(15)) + ({name})(2)))"),
        )
    }

    /// The result of a comparison as a value.
    fn compared(&mut self, ty: Ty, depth: u32) -> String {
        let op = self.comparison();
        if !ty.is_vector() {
            let other = Ty {
                lanes: 1,
                ..self.any_type()
            };
            let (a, b) = (self.expr(other, depth), self.expr(other, depth));
            return format!("({})({a} {op} {b})", ty.name());
        }
        let float = match ty.scalar.bytes() {
            2 if self.has(Self::HALVES) => Some(Scalar::Half),
            4 if self.has(Self::FLOATS) => Some(Scalar::Float),
            _ => None,
        };
        let operand = match float {
            Some(float) if self.random.chance(40) => ty.of(float),
            _ => ty,
        };
        let (a, b) = (self.expr(operand, depth), self.expr(operand, depth));
        let signed = ty.integer(true);
        if self.random.chance(50) {
            let (x, y) = (self.leaf(ty), self.leaf(ty));
            if self.random.chance(50) {
                return format!("(({a} {op} {b}) ? {x} : {y})");
            }
            return format!("select({x}, {y}, {a} {op} {b})");
        }
        if ty == signed {
            format!("({a} {op} {b})")
        } else {
            format!("as_{}({a} {op} {b})", ty.name())
        }
    }

    fn integer_builtin(&mut self, ty: Ty, depth: u32) -> String {
        let name = ty.name();
        let a = self.expr(ty, depth);
        let unary = ["popcount", "clz"];
        let binary = [
            "add_sat", "sub_sat", "hadd", "rhadd", "rotate", "mul_hi", "max", "min",
        ];
        match self.random.below(9) {
            0 => format!("{}({a})", self.random.pick(&unary)),
            1..=4 => {
                let function = *self.random.pick(&binary);
                let b = self.expr(ty, depth);
                format!("{function}({a}, {b})")
            }
            5 => {
                let b = self.expr(ty, depth);
                let function = *self.random.pick(&["abs", "abs_diff"]);
                let second = if function == "abs" {
                    String::new()
                } else {
                    format!(", {b}")
                };
                let text = format!("{function}({a}{second})");
                if ty.scalar.is_signed() {
                    format!("as_{name}({text})")
                } else {
                    text
                }
            }
            6 => {
                let (b, c) = (self.expr(ty, depth), self.expr(ty, depth));
                let all: &[&str] = if ty.scalar.is_signed() {
                    &["bitselect", "mad_sat"]
                } else {
                    &["bitselect", "mad_sat", "mad_hi"]
                };
                let function = *self.random.pick(all);
                format!("{function}({a}, {b}, {c})")
            }
            7 => {
                let (low, high) = (self.random.below(50), 50 + self.random.below(70));
                format!("clamp({a}, ({name})({low}), ({name})({high}))")
            }
            _ => self.upsampled(ty, depth).unwrap_or(a),
        }
    }

    fn upsampled(&mut self, ty: Ty, depth: u32) -> Option<String> {
        let at = INTEGERS.iter().position(|s| *s == ty.scalar)?;
        if at < 2 {
            return None;
        }
        let (high, low) = (INTEGERS[at - 2], INTEGERS[at - 2].integer(false));
        let (a, b) = (self.expr(ty.of(high), depth), self.expr(ty.of(low), depth));
        Some(format!("upsample({a}, {b})"))
    }

    /// Operations whose result is exact or correctly rounded.
    fn float_expr(&mut self, ty: Ty, depth: u32) -> String {
        let is_float = ty == Ty::scalar(Scalar::Float);
        if is_float && self.has(Self::DOUBLES) && self.random.chance(30) {
            let double = self.double_of_floats(depth);
            return format!("(float)({double})");
        }
        let a = self.expr(ty, depth);
        let name = ty.name();
        match self.random.below(10) {
            0..=3 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                let b = self.expr(ty, depth);
                format!("({a} {op} {b})")
            }
            4 => format!("(-{a})"),
            5 => {
                let function = *self
                    .random
                    .pick(&["fabs", "floor", "ceil", "trunc", "rint", "round"]);
                format!("{function}({a})")
            }
            6 => {
                // The sign of a zero from fmin and fmax is not specified.
                let b = self.expr(ty, depth);
                let function = *self.random.pick(&["fmin", "fmax"]);
                format!("({function}({a}, {b}) + ({name})(0))")
            }
            7 => {
                let (b, c) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("fma({a}, {b}, {c})")
            }
            8 => {
                // The sign of a NaN is not specified: the maximum is never one.
                let b = self.expr(ty, depth);
                format!("copysign({a}, fmax({b}, ({name})(-60000)))")
            }
            _ => {
                let from = ty.of(self.any_integer().scalar);
                let inner = self.expr(from, depth);
                self.convert(&inner, from, ty)
            }
        }
    }
}
