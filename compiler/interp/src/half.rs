//! binary16 in software, by way of f64 (which holds every binary16 value exactly).

/// The value of binary16 bits.
pub fn f16_to_f64(bits: u16) -> f64 {
    let sign = u64::from(bits >> 15) << 63;
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = u64::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction as f64 * f64::from_bits((1023 - 24) << 52),
        31 if fraction == 0 => f64::INFINITY,
        31 => f64::from_bits(0x7ff << 52 | fraction << 42),
        _ => f64::from_bits(((exponent + 1023 - 15) as u64) << 52 | fraction << 42),
    };
    f64::from_bits(magnitude.to_bits() | sign)
}

/// The nearest binary16, ties to even.
pub fn f64_to_f16(value: f64) -> u16 {
    crate::float::round_to_format(value, crate::float::F16, pumice_ir::Rounding::Rte) as u16
}
