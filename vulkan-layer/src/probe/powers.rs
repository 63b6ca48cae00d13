//! Start-up probe of exp2 and log2 in 32 bits: may functions of the library be made of them?
//!
//! Vulkan promises 3 + 2 |x| ULP of Exp2 and, between a half and two, an absolute error of Log2; many devices
//! are far better. The arguments are a sample: the bounds of [`pumice_target::Target`] leave room below those of OpenCL.

use super::{Random, arithmetic_module, run_module};
use crate::asm::Module;
use crate::caps::FloatControls;
use crate::device::LogicalDevice;
use crate::error::Result;

/// Number of arguments of each function.
const CASES: usize = 4096;
/// The largest errors, in units of the last place: what is made of them stays below 3.
const EXP2_ULPS: f64 = 2.0;
const LOG2_ULPS: f64 = 1.5;

/// The functions that are accurate enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccuratePowers {
    /// Exp2 errs by at most 2 ULP where its result is normal; infinities and NaN are right.
    pub exp2: bool,
    /// Log2 errs by at most 1.5 ULP for normal arguments; infinities, zero and NaN are right.
    pub log2: bool,
}

impl LogicalDevice {
    /// Runs exp2 and log2 over a sample of arguments, and compares with the host's.
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn probe_powers(&self) -> Result<AccuratePowers> {
        let cases = cases();
        let input: Vec<u8> = (cases.iter().flatten())
            .flat_map(|value| value.to_ne_bytes())
            .collect();
        let words = module(self.capabilities().float_controls[1]);
        let output = run_module(self, &words, CASES as u32, &input, CASES * 8)?;
        let number = |bytes: &[u8]| bytes.try_into().map(f32::from_ne_bytes).unwrap_or(f32::NAN);
        let results: Vec<[f32; 2]> = (output.chunks_exact(8))
            .map(|pair| [number(&pair[..4]), number(&pair[4..])])
            .collect();
        Ok(judge(&cases, &results))
    }
}

fn module(controls: FloatControls) -> Vec<u32> {
    let mut modes = Vec::new();
    for (offered, capability, mode) in [
        (controls.denorm_preserve, 4464, 4459),
        (controls.signed_zero_inf_nan_preserve, 4466, 4461),
        (controls.rounding_rte, 4467, 4462),
    ] {
        if offered {
            modes.push((capability, mode));
        }
    }
    arithmetic_module(32, 2, &modes, |m: &mut Module, glsl, float, values| {
        let &[a, b] = values else {
            return Vec::new();
        };
        vec![
            m.op(12, float, &[glsl, 29, a]),
            m.op(12, float, &[glsl, 30, b]),
        ]
    })
}

/// Arguments of exp2 and of log2.
fn cases() -> Vec<[f32; 2]> {
    let special = [
        [f32::INFINITY, f32::INFINITY],
        [f32::NEG_INFINITY, 0.0],
        [f32::NAN, f32::NAN],
        [200.0, -1.0],
        [-1000.0, f32::NEG_INFINITY],
        [0.0, 1.0],
        [-126.0, f32::MIN_POSITIVE],
        [127.999_99, f32::MAX],
    ];
    let mut random = Random(0x0bad_5eed_0bad_5eed);
    let mut unit = || (random.next() >> 40) as f32 / (1 << 24) as f32;
    let mut cases = special.to_vec();
    while cases.len() < CASES {
        let (x, y, exponent) = (unit(), unit(), (unit() * 252.0) as i32 - 126);
        cases.push(match cases.len() % 4 {
            // All normal results; all normal arguments.
            0 => [x * 254.0 - 126.0, (1.0 + y) * 2f32.powi(exponent)],
            // Near zero, where results are near one; near one, where results are near zero.
            1 => [
                (x - 0.5) * 2f32.powi(-(cases.len() as i32 % 23)),
                0.5 + y * 1.5,
            ],
            // Beside whole numbers.
            2 => [
                (x * 254.0).floor() - 126.0 + y * 2f32.powi(-12),
                1.0 + (y - 0.5) * 2f32.powi(-12),
            ],
            _ => [
                x - 0.5,
                f32::from_bits(
                    1f32.to_bits()
                        .wrapping_add((x * 2048.0) as u32)
                        .wrapping_sub(1024),
                ),
            ],
        });
    }
    cases
}

/// Tells which function kept its bound.
fn judge(cases: &[[f32; 2]], results: &[[f32; 2]]) -> AccuratePowers {
    let pairs = || cases.iter().zip(results);
    AccuratePowers {
        exp2: pairs().all(|(x, got)| error(got[0], f64::from(x[0]).exp2()) <= EXP2_ULPS),
        log2: pairs().all(|(x, got)| error(got[1], f64::from(x[1]).log2()) <= LOG2_ULPS),
    }
}

/// The error of a result in units of the last place; infinite where it is of another kind.
fn error(got: f32, expected: f64) -> f64 {
    let nearest = expected as f32;
    let same = got == nearest || got.is_nan() && nearest.is_nan();
    if same || expected != 0.0 && expected.abs() < f64::from(f32::MIN_POSITIVE) {
        // Results that are denormal may be flushed.
        return if same || got.abs() <= f32::MIN_POSITIVE {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if !got.is_finite() || !nearest.is_finite() {
        return f64::INFINITY;
    }
    let exponent = (expected.abs().to_bits() >> 52) as i32 - 1023;
    (f64::from(got) - expected).abs() / 2f64.powi(exponent - 23)
}

#[cfg(test)]
mod tests {
    use super::{AccuratePowers, cases, judge};

    fn results(change: impl Fn(f64) -> f64) -> Vec<[f32; 2]> {
        let made = |x: f32| [f64::from(x).exp2(), f64::from(x).log2()];
        (cases().iter())
            .map(|&[x, y]| [change(made(x)[0]) as f32, change(made(y)[1]) as f32])
            .collect()
    }

    #[test]
    fn bounds_are_kept_or_not() {
        let of = |exp2, log2| AccuratePowers { exp2, log2 };
        assert_eq!(judge(&cases(), &results(|x| x)), of(true, true));
        // Up to twice as many units of the last place, and half of one by rounding.
        let unit = 2f64.powi(-23);
        assert_eq!(
            judge(&cases(), &results(|x| x * (1.0 + 0.4 * unit))),
            of(true, true)
        );
        assert_eq!(
            judge(&cases(), &results(|x| x * (1.0 - 0.7 * unit))),
            of(true, false)
        );
        assert_eq!(
            judge(&cases(), &results(|x| x * (1.0 + 3.0 * unit))),
            of(false, false)
        );
        // What is right but near one, as many devices have it.
        assert_eq!(
            judge(&cases(), &results(|x| x + 2f64.powi(-22))),
            of(false, false)
        );
        let infinite = |x: f64| {
            if x.is_infinite() {
                f64::from(f32::MAX)
            } else {
                x
            }
        };
        assert_eq!(judge(&cases(), &results(infinite)), of(false, false));
    }
}
