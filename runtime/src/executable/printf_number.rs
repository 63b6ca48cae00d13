//! Numbers in C's conversions: flags, width, precision.

use pumice_printf::{Base, Directive, Flags};

/// The sign before a number's digits.
fn sign(flags: Flags, negative: bool) -> &'static str {
    match flags {
        _ if negative => "-",
        Flags { plus: true, .. } => "+",
        Flags { space: true, .. } => " ",
        _ => "",
    }
}

/// Appends `prefix` and `body`, padded to the width; zeros go between them, spaces around.
fn pad(prefix: &[u8], body: &[u8], zeros: bool, d: &Directive<'_>, out: &mut Vec<u8>) {
    let missing = d.width.saturating_sub(prefix.len() + body.len());
    let fill = |out: &mut Vec<u8>, byte| out.extend(std::iter::repeat_n(byte, missing));
    let zeros = zeros && !d.flags.left;
    if !d.flags.left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(prefix);
    if zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(body);
    if d.flags.left {
        fill(out, b' ');
    }
}

/// The same for what is never padded with zeros.
pub(super) fn pad_text(prefix: &[u8], body: &[u8], d: &Directive<'_>, out: &mut Vec<u8>) {
    pad(prefix, body, false, d, out);
}

/// The same for an integer: a precision takes the zero flag away.
fn pad_integer(prefix: &str, body: &str, d: &Directive<'_>, out: &mut Vec<u8>) {
    let zeros = d.flags.zero && d.precision.is_none();
    pad(prefix.as_bytes(), body.as_bytes(), zeros, d, out);
}

/// At least `precision` digits; no digit at all for 0 with precision 0.
fn digits(text: String, precision: Option<usize>) -> String {
    let least = precision.unwrap_or(1);
    if text == "0" {
        return "0".repeat(least);
    }
    format!("{text:0>least$}")
}

/// `%d` and `%i`.
pub(super) fn signed(value: i64, d: &Directive<'_>, out: &mut Vec<u8>) {
    let body = digits(value.unsigned_abs().to_string(), d.precision);
    pad_integer(sign(d.flags, value < 0), &body, d, out);
}

/// A number's digits in a base.
fn in_base(mut value: u64, base: Base) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = (value % u64::from(base.radix)) as u32;
        digits.extend(char::from_digit(digit, base.radix));
        value /= u64::from(base.radix);
        if value == 0 {
            break;
        }
    }
    let text: String = digits.iter().rev().collect();
    match base.upper {
        true => text.to_uppercase(),
        false => text,
    }
}

/// `%u`, `%o`, `%x` and `%X`.
pub(super) fn unsigned(value: u64, d: &Directive<'_>, out: &mut Vec<u8>) {
    let mut body = digits(in_base(value, d.base), d.precision);
    let prefix = match d.flags.alternate && value != 0 {
        true => d.base.prefix,
        false => "",
    };
    // The alternate form of octal numbers has one more digit instead of a prefix.
    if d.base.radix == 8 && d.flags.alternate && !body.starts_with('0') {
        body.insert(0, '0');
    }
    pad_integer(prefix, &body, d, out);
}

/// `%f`, `%e`, `%g`, `%a` and their capitals.
pub(super) fn float(value: f64, d: &Directive<'_>, out: &mut Vec<u8>) {
    let upper = d.letter.is_ascii_uppercase();
    let shown = |text: String| if upper { text.to_uppercase() } else { text };
    // A NaN's sign means nothing and differs between devices.
    let sign = sign(d.flags, value.is_sign_negative() && !value.is_nan());
    let magnitude = value.abs();
    if !value.is_finite() {
        let body = shown(if value.is_nan() { "nan" } else { "inf" }.to_string());
        pad_text(sign.as_bytes(), body.as_bytes(), d, out);
        return;
    }
    let precision = d.precision.unwrap_or(6);
    let (mut prefix, body) = (
        sign.to_string(),
        match d.letter.to_ascii_lowercase() {
            b'f' => fixed(magnitude, precision, d.flags.alternate),
            b'e' => exponential(magnitude, precision, d.flags.alternate),
            b'g' => shortest(magnitude, precision.max(1), d.flags.alternate),
            _ => hexadecimal(magnitude, d.precision, d.flags.alternate),
        },
    );
    if d.letter.eq_ignore_ascii_case(&b'a') {
        prefix.push_str(d.base.prefix);
    }
    let body = shown(body);
    pad(prefix.as_bytes(), body.as_bytes(), d.flags.zero, d, out);
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let point = if point && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// Mantissa digits and exponent, with `precision` digits behind the point.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_string(), exponent.parse().unwrap_or(0))
}

fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mut mantissa, exponent) = scientific(value, precision);
    if point && precision == 0 {
        mantissa.push('.');
    }
    with_exponent(&mantissa, exponent)
}

fn shortest(value: f64, precision: usize, keep_zeros: bool) -> String {
    let (mantissa, exponent) = scientific(value, precision - 1);
    let trim = |text: String| {
        if keep_zeros || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    let small = exponent >= -4 && i64::from(exponent) < precision as i64;
    if small {
        let behind = (precision as i64 - 1 - i64::from(exponent)) as usize;
        return trim(fixed(value, behind, keep_zeros));
    }
    let point = if keep_zeros && precision == 1 {
        "."
    } else {
        ""
    };
    with_exponent(&(trim(mantissa) + point), exponent)
}

/// The part behind `0x`.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const MANTISSA: u32 = 52;
    let bits = value.to_bits();
    let biased = (bits >> MANTISSA) as i32;
    let fraction = bits & ((1 << MANTISSA) - 1);
    let (mut mantissa, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (fraction, -1022),
        _ => (1 << MANTISSA | fraction, biased - 1023),
    };
    let all = MANTISSA as usize / 4;
    let shown = match precision {
        Some(precision) => precision,
        None => {
            let fraction = mantissa & ((1 << MANTISSA) - 1);
            if fraction == 0 {
                0
            } else {
                all - fraction.trailing_zeros() as usize / 4
            }
        }
    };
    if shown < all {
        // Rounds to the digits shown, ties to even.
        let dropped = MANTISSA - 4 * shown as u32;
        let (half, odd) = (1_u64 << (dropped - 1), mantissa >> dropped & 1);
        mantissa = (mantissa + (half - 1) + odd) >> dropped << dropped;
    }
    let lead = mantissa >> MANTISSA;
    let fraction = format!("{:013x}", mantissa & ((1 << MANTISSA) - 1));
    let fraction = format!("{fraction:0<shown$}");
    let sign = if exponent < 0 { '-' } else { '+' };
    let dot = if shown > 0 || point { "." } else { "" };
    format!(
        "{lead:x}{dot}{}p{sign}{}",
        &fraction[..shown],
        exponent.abs()
    )
}
