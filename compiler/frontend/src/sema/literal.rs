//! Types and values of literals.
use super::Sema;
use super::typed::{ExprId, ExprKind};
use crate::diagnostics::Warning;
use crate::lang::types::{FloatKind, TypeId, TypeTable};
use crate::parse::ast::{self, FloatSuffix};
use crate::source::{Span, Symbol};

/// An integer literal's parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntLiteral {
    pub(super) value: u64,
    pub(super) too_large: bool,
    pub(super) decimal: bool,
    pub(super) unsigned: bool,
    pub(super) long: bool,
}

impl<'a> Sema<'a> {
    pub(super) fn int_literal(&mut self, literal: IntLiteral, span: Span) -> ExprId {
        let value = literal.value;
        if literal.too_large {
            self.error(
                span,
                "integer literal is too large to be represented in any integer type",
            );
        }
        let ty = int_type(literal);
        if ty == TypeTable::ULONG && literal.decimal && !literal.unsigned && !literal.too_large {
            let message = "integer literal is too large to be represented in a signed integer type, interpreting as unsigned";
            self.warning(Warning::ImplicitlyUnsignedLiteral, span, message);
        }
        self.mk(ExprKind::Int(value), ty, span)
    }

    /// The least long, where `operand` is the decimal literal 9223372036854775808 behind a minus.
    ///
    /// No signed type of 64 bits has the literal's value. Clang gives it a type of 128 bits, and programs count on a negative number.
    pub(super) fn least_long(&mut self, operand: ast::ExprId, span: Span) -> Option<ExprId> {
        match self.ast.expr(operand).kind {
            ast::ExprKind::Paren(inner) => self.least_long(inner, span),
            ast::ExprKind::Int {
                value,
                too_large: false,
                decimal: true,
                unsigned: false,
                ..
            } if value == i64::MIN.unsigned_abs() => {
                Some(self.mk(ExprKind::Int(value), TypeTable::LONG, span))
            }
            _ => None,
        }
    }

    pub(super) fn float_literal(
        &mut self,
        text: Symbol,
        suffix: FloatSuffix,
        span: Span,
    ) -> Option<ExprId> {
        let kind = match suffix {
            FloatSuffix::Float => FloatKind::Float,
            FloatSuffix::Half => {
                if !self.lang.half_values(false) {
                    let report = self.error(span, "half precision constant requires cl_khr_fp16");
                    self.extension_note(report, "cl_khr_fp16");
                    return None;
                }
                FloatKind::Half
            }
            FloatSuffix::None | FloatSuffix::Long => {
                if self.lang.math.single_precision_constant {
                    FloatKind::Float
                } else if self.lang.double_literals() {
                    FloatKind::Double
                } else {
                    let message = "double precision constant requires cl_khr_fp64, casting to single precision";
                    let written = self.name(text);
                    self.warning(Warning::Unnamed, span, message)
                        .hint(format!("write '{written}f' for a float constant"));
                    FloatKind::Float
                }
            }
        };
        let text = self.name(text);
        let Some(value) = parse_float(text, kind) else {
            self.error(span, format!("invalid floating constant '{text}'"));
            return None;
        };
        if value.is_infinite() {
            let most = match kind {
                FloatKind::Half => "65504",
                FloatKind::Float => "3.40282347E+38",
                FloatKind::Double => "1.7976931348623157E+308",
            };
            let message = format!(
                "magnitude of floating-point constant too large for type '{}'; maximum is {most}",
                kind.name()
            );
            self.warning(Warning::LiteralRange, span, message);
        }
        Some(self.mk(ExprKind::Float(value), TypeTable::float(kind), span))
    }
}

fn int_type(literal: IntLiteral) -> TypeId {
    let value = literal.value;
    let may_unsigned = literal.unsigned || !literal.decimal;
    let may_signed = !literal.unsigned;
    if !literal.long && !literal.too_large {
        if may_signed && i32::try_from(value).is_ok() {
            return TypeTable::INT;
        }
        if may_unsigned && u32::try_from(value).is_ok() {
            return TypeTable::UINT;
        }
    }
    if may_signed && i64::try_from(value).is_ok() {
        TypeTable::LONG
    } else {
        TypeTable::ULONG
    }
}

/// The value of a literal without suffix, rounded once to its type.
fn parse_float(text: &str, kind: FloatKind) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        let value = parse_hex(hex)?;
        return Some(match kind {
            FloatKind::Half => pumice_numerics::nearest_half(value),
            FloatKind::Float => f64::from(value as f32),
            FloatKind::Double => value,
        });
    }
    match kind {
        FloatKind::Double => lower.parse().ok(),
        FloatKind::Float => lower.parse::<f32>().ok().map(f64::from),
        FloatKind::Half => lower.parse().ok().map(pumice_numerics::nearest_half),
    }
}

/// Hexadecimal digits with an optional point and a binary exponent.
fn parse_hex(text: &str) -> Option<f64> {
    let (digits, exponent) = match text.split_once('p') {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut mantissa: u64 = 0;
    let mut scale = exponent;
    let mut sticky = false;
    for (index, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let after_point = index >= whole.len();
        if mantissa >> 59 == 0 {
            mantissa = mantissa << 4 | digit;
            scale -= if after_point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            scale += if after_point { 0 } else { 4 };
        }
    }
    // 60 or more digits' bits are kept, so one bit below them decides every rounding.
    mantissa |= u64::from(sticky);
    let scale = scale.clamp(-5000, 5000) as i32;
    let value = mantissa as f64;
    let half = scale / 2;
    Some(value * 2f64.powi(half) * 2f64.powi(scale - half))
}

#[cfg(test)]
mod tests {
    use super::{parse_float, parse_hex};
    use crate::lang::types::FloatKind;

    #[test]
    fn hexadecimal_floats() {
        assert_eq!(parse_hex("1.8p1"), Some(3.0));
        assert_eq!(parse_hex("1.921fb54442d18p1"), Some(std::f64::consts::PI));
        assert_eq!(parse_hex("10p-4"), Some(1.0));
        assert_eq!(parse_hex("1p99999999"), Some(f64::INFINITY));
        assert_eq!(parse_hex("g"), None);
    }

    #[test]
    fn floats_round_once() {
        // Halfway between two floats plus a little: rounding through double would go to even.
        let text = "1.00000017881393432617187499";
        assert_eq!(
            parse_float(text, FloatKind::Float),
            Some(f64::from(
                "1.00000017881393432617187499"
                    .parse::<f32>()
                    .expect("a float")
            ))
        );
    }
}
