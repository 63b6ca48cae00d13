//! Start-up probes of floating-point arithmetic in 16, 32 and 64 bits.
//!
//! A shader computes fma, quotient, root, product and sum of cases where a shortcut would show;
//! the host's IEEE arithmetic says what they are. The shader declares what kernels do: what the device
//! offers to promise (denormals, rounding to nearest).

use pumice_numerics::{half_from_f64, nearest_half};

use super::{Random, arithmetic_module, run_module};
use crate::asm::Module;
use crate::caps::FloatControls;
use crate::device::LogicalDevice;
use crate::error::Result;

/// Number of cases of a width.
const CASES: usize = 512;
/// Results of a case: fma, quotient, root, product, sum, magnitude.
const RESULTS: usize = 6;

/// Results of the probe for one width.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    pub denorms: bool,
    pub fma: bool,
    pub div: bool,
    pub sqrt: bool,
    /// Products and sums are rounded to nearest.
    pub nearest: bool,
}

/// A binary format and where its cases lie (exponents).
struct Format {
    width: u32,
    /// Bits of the significand.
    digits: u32,
    /// The least denormal and the least normal number.
    least: f64,
    least_normal: f64,
    near: std::ops::Range<i64>,
    /// Two numbers of these ranges have a denormal product.
    low: [std::ops::Range<i64>; 2],
    wide: std::ops::Range<i64>,
}

const FORMATS: [Format; 3] = [
    Format {
        width: 16,
        digits: 11,
        least: 1.0 / 16_777_216.0,
        least_normal: 1.0 / 16384.0,
        near: -5..5,
        low: [-10..-6, -12..-8],
        wide: -7..7,
    },
    Format {
        width: 32,
        digits: 24,
        least: f32::from_bits(1) as f64,
        least_normal: f32::MIN_POSITIVE as f64,
        near: -8..8,
        low: [-80..-66, -70..-60],
        wide: -60..60,
    },
    Format {
        width: 64,
        digits: 53,
        least: f64::from_bits(1),
        least_normal: f64::MIN_POSITIVE,
        near: -8..8,
        low: [-520..-510, -520..-510],
        wide: -300..300,
    },
];

/// Probes the width with this index (0: 16 bits, 1: 32, 2: 64), in a shader that declares `controls`.
///
/// # Errors
/// Errors of Vulkan calls.
pub(crate) fn run(device: &LogicalDevice, index: usize, controls: FloatControls) -> Result<Found> {
    let format = &FORMATS[index];
    let words = module(format.width, controls);
    let cases = format.cases();
    let input: Vec<u8> = (cases.iter().flatten())
        .flat_map(|&value| format.bytes(value))
        .collect();
    let size = format.width as usize / 8;
    let output = run_module(device, &words, CASES as u32, &input, CASES * RESULTS * size)?;
    let mut same = Vec::with_capacity(CASES);
    for (case, got) in cases.iter().zip(output.chunks_exact(RESULTS * size)) {
        let expected = format.expected(*case);
        let mut row = [false; RESULTS];
        for (index, value) in expected.iter().enumerate() {
            row[index] = format.bytes(*value) == got[index * size..(index + 1) * size];
        }
        let small = |x: f64| x != 0.0 && x.abs() < format.least_normal;
        // Small ones are judged apart: a device may flush them.
        let smalls = expected.map(|value| small(value) || case.iter().any(|&x| small(x)));
        same.push((row, smalls));
    }
    let all = |index: usize, with_small: bool| {
        (same.iter()).all(|(row, smalls)| row[index] || (smalls[index] && !with_small))
    };
    // Drivers that keep denormals in products and sums may flush them elsewhere: NVIDIA's takes a denormal's magnitude for 0,
    // and fma's operands and results. A fma that is wrong for others too is not used.
    let fma_flushes = all(0, false) && !all(0, true);
    let denorms = [3, 4, 5].iter().all(|&index| all(index, true)) && !fma_flushes;
    // With denormals kept, rounding must hold for them too.
    Ok(Found {
        denorms,
        fma: all(0, denorms),
        div: all(1, denorms),
        sqrt: all(2, denorms),
        nearest: all(3, denorms) && all(4, denorms),
    })
}

fn module(width: u32, controls: FloatControls) -> Vec<u32> {
    let body = |m: &mut Module, glsl: u32, float: u32, values: &[u32]| {
        let &[a, b, c] = values else {
            return Vec::new();
        };
        let fma = m.op(12, float, &[glsl, 50, a, b, c]);
        let div = m.op(136, float, &[a, b]);
        let positive = m.op(12, float, &[glsl, 4, a]);
        let sqrt = m.op(12, float, &[glsl, 31, positive]);
        let mul = m.op(133, float, &[a, b]);
        let add = m.op(129, float, &[a, c]);
        // Without it Fma may be a product and a sum (GLSL.std.450, Fma); kernels have it too.
        for id in [fma, div, mul, add] {
            m.decorate(id, 42, &[]);
        }
        vec![fma, div, sqrt, mul, add, positive]
    };
    let mut modes = Vec::new();
    if controls.denorm_preserve {
        modes.push((4464, 4459));
    }
    if controls.rounding_rte {
        modes.push((4467, 4462));
    }
    arithmetic_module(width, 3, &modes, body)
}

impl Format {
    /// A number with a random significand and an exponent in the range given.
    fn random(&self, random: &mut Random, exponents: &std::ops::Range<i64>) -> f64 {
        let span = (exponents.end - exponents.start) as u64;
        let exponent = exponents.start + (random.next() % span) as i64;
        let bits = random.next();
        let fraction = bits & ((1 << 52) - 1) & !((1 << (53 - self.digits)) - 1);
        f64::from_bits((bits >> 63) << 63 | ((exponent + 1023) as u64) << 52 | fraction)
    }

    fn cases(&self) -> Vec<[f64; 3]> {
        let mut random = Random(0x1234_5678_9abc_def1);
        (0..CASES)
            .map(|index| {
                let (a, b) = match index % 4 {
                    // The sum below cancels all but what a product rounded first has lost.
                    0 => (
                        self.random(&mut random, &self.near),
                        self.random(&mut random, &self.near),
                    ),
                    // Products that are denormal.
                    1 => (
                        self.random(&mut random, &self.low[0]),
                        self.random(&mut random, &self.low[1]),
                    ),
                    // Denormal operands.
                    2 => {
                        let steps = random.next() % ((1 << (self.digits - 1)) - 1) + 1;
                        let factor = self.random(&mut random, &(-3..8));
                        (steps as f64 * self.least, factor)
                    }
                    _ => (
                        self.random(&mut random, &self.wide),
                        self.random(&mut random, &self.wide),
                    ),
                };
                let c = if index % 4 == 0 {
                    -self.round(a * b)
                } else {
                    a
                };
                [a, b, c]
            })
            .collect()
    }

    /// Returns the expected results.
    fn expected(&self, [a, b, c]: [f64; 3]) -> [f64; RESULTS] {
        if self.width == 32 {
            let (a, b, c) = (a as f32, b as f32, c as f32);
            let results = [
                a.mul_add(b, c),
                a / b,
                a.abs().sqrt(),
                a * b,
                a + c,
                a.abs(),
            ];
            return results.map(f64::from);
        }
        // In 64 bits the first rounding is the only one; for halves it is exact (sums and
        // products) or has more than twice the digits (quotient and root).
        let results = [
            a.mul_add(b, c),
            a / b,
            a.abs().sqrt(),
            a * b,
            a + c,
            a.abs(),
        ];
        results.map(|value| self.round(value))
    }

    /// To the nearest number of the format, ties to even. Values below overflow only.
    fn round(&self, value: f64) -> f64 {
        match self.width {
            16 => nearest_half(value),
            32 => f64::from(value as f32),
            _ => value,
        }
    }

    /// A number of the format as it lies in memory.
    fn bytes(&self, value: f64) -> Vec<u8> {
        match self.width {
            16 => half_from_f64(value).to_ne_bytes().to_vec(),
            32 => (value as f32).to_ne_bytes().to_vec(),
            _ => value.to_ne_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FORMATS;

    #[test]
    fn cases_are_numbers_of_their_format() {
        for format in &FORMATS {
            for case in format.cases() {
                for value in case {
                    assert_eq!(format.round(value), value, "{} bits", format.width);
                }
                for value in format.expected(case) {
                    assert!(value.is_finite() && format.round(value) == value);
                }
            }
        }
    }
}
