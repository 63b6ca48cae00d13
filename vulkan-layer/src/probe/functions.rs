//! Start-up probe of functions in 32 bits: may those of OpenCL be made of them?
//!
//! Vulkan promises 3 + 2 |x| ULP of Exp2, an absolute error of Log2 between a half and two, and nothing of use of
//! Sqrt and of denormal arguments; many devices are far better. The arguments are a sample: the bounds of
//! [`pumice_target::Arithmetic`] leave room below those of OpenCL. Relaxed arithmetic asks for about as much as Vulkan
//! promises.

use super::{Random, arithmetic_module, run_module};
use crate::asm::Module;
use crate::caps::FloatControls;
use crate::device::LogicalDevice;
use crate::error::Result;
use std::f32::consts::{FRAC_PI_2, LN_2, LOG10_2, PI};

/// Number of arguments of each function.
const CASES: usize = 4096;
/// The largest errors, in units of the last place: what is made of them stays below 3.
const EXP2_ULPS: f64 = 2.0;
const LOG2_ULPS: f64 = 1.5;
const ROOT_ULPS: f64 = 1.5;
/// The part of relaxed arithmetic's 3 + 2 |x| ULP that exp leaves to the exp2 it is made of, by the argument of that.
const RELAXED_EXP2_ULPS: f64 = 2.0;
const RELAXED_EXP2_ULPS_A_UNIT: f64 = 0.75;
/// The largest error of logarithms in relaxed arithmetic, below 3 for arguments that are not in the sample, and the
/// absolute one between a half and two.
const RELAXED_LOG_ULPS: f64 = 2.75;
const RELAXED_LOG_ERROR: f64 = 1.0 / 2_097_152.0;
/// The largest absolute error of Sin and Cos, up to [`LARGEST_ANGLE`]: that of relaxed arithmetic, which asks for
/// it up to pi.
const SINE_ERROR: f64 = 1.0 / 2048.0;
const LARGEST_ANGLE: f32 = 256.0;
/// The largest error of quotients, below 2.5 for operands that are not in the sample.
const DIVIDE_ULPS: f64 = 2.25;

/// Arguments of Exp2, Log2, both roots, both of Sin and Cos, dividends and divisors.
const ARGUMENTS: usize = 6;
/// Results of Exp2, Log2, Sqrt, InverseSqrt, Sin, Cos and OpFDiv.
const RESULTS: usize = 7;

/// The functions that are accurate enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccurateFunctions {
    /// Exp2 errs by at most 2 ULP where its result is normal; infinities and NaN are right.
    pub exp2: bool,
    /// Log2 errs by at most 1.5 ULP for normal arguments; infinities, zero and NaN are right.
    pub log2: bool,
    /// Exp2 errs by at most 2 + 0.75 |x| ULP where its result is normal; infinities and NaN are right.
    pub relaxed_exp2: bool,
    /// The products of Log2 with 1, ln 2 and log10 2 err by at most 2.75 ULP, and by 2^-21 for arguments
    /// between a half and two; infinities, zero and NaN are right. Denormal arguments count where the device keeps
    /// denormals.
    pub relaxed_log2: bool,
    /// Sqrt and InverseSqrt err by at most 1.5 ULP; zeros, infinities and NaN are right. Denormal arguments count where
    /// the device keeps denormals.
    pub roots: bool,
    /// Sin and Cos err by at most 2^-11 up to 256.
    pub sine: bool,
    /// OpFDiv errs by at most 2.25 ULP; zeros, infinities and NaN are right. Denormal operands and results count where the
    /// device keeps denormals.
    pub divide: bool,
}

impl LogicalDevice {
    /// Runs the functions over a sample of arguments in a shader that declares `controls`, and compares with the host's.
    /// `keeps_denormals`: see [`AccurateFunctions::relaxed_log2`].
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn probe_functions(
        &self,
        controls: FloatControls,
        keeps_denormals: bool,
    ) -> Result<AccurateFunctions> {
        let cases = cases();
        let input: Vec<u8> = (cases.iter().flatten())
            .flat_map(|value| value.to_ne_bytes())
            .collect();
        let words = module(controls);
        let output = run_module(self, &words, CASES as u32, &input, CASES * RESULTS * 4)?;
        let number = |bytes: &[u8]| bytes.try_into().map(f32::from_ne_bytes).unwrap_or(f32::NAN);
        let results: Vec<[f32; RESULTS]> = (output.chunks_exact(RESULTS * 4))
            .map(|row| std::array::from_fn(|index| number(&row[index * 4..index * 4 + 4])))
            .collect();
        Ok(judge(&cases, &results, keeps_denormals))
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
    let inputs = ARGUMENTS as u32;
    arithmetic_module(32, inputs, &modes, |m: &mut Module, glsl, float, values| {
        let &[a, b, c, d, dividend, divisor] = values else {
            return Vec::new();
        };
        let calls = [(29, a), (30, b), (31, c), (32, c), (13, d), (14, d)];
        let mut results: Vec<u32> = (calls.iter())
            .map(|&(op, x)| m.op(12, float, &[glsl, op, x]))
            .collect();
        let quotient = m.op(136, float, &[dividend, divisor]);
        // Quotients of kernels have it.
        m.decorate(quotient, 42, &[]);
        results.push(quotient);
        results
    })
}

fn cases() -> Vec<[f32; ARGUMENTS]> {
    let special = [
        [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0, 1.0, 0.0],
        [f32::NEG_INFINITY, 0.0, 0.0, -0.0, -1.0, 0.0],
        [f32::NAN, f32::NAN, f32::NAN, 1.0, 0.0, 0.0],
        [200.0, -1.0, -1.0, -1.0, 0.0, -3.0],
        [
            -1000.0,
            f32::NEG_INFINITY,
            f32::NEG_INFINITY,
            LARGEST_ANGLE,
            f32::INFINITY,
            3.0,
        ],
        [0.0, 1.0, -0.0, -LARGEST_ANGLE, 3.0, f32::NEG_INFINITY],
        [
            -126.0,
            f32::MIN_POSITIVE,
            1e-45,
            PI,
            f32::INFINITY,
            f32::INFINITY,
        ],
        [127.999_99, f32::MAX, f32::MAX, FRAC_PI_2, f32::NAN, 1.0],
        [1.0, 1e-45, 1.0, 1.0, f32::MAX, f32::MAX],
        [1.0, 1e-40, 1.0, 1.0, f32::MAX, f32::MIN_POSITIVE],
        [1.0, 1.0, 1.0, 1.0, f32::MIN_POSITIVE, f32::MAX],
        [1.0, 1.0, 1.0, 1.0, f32::MIN_POSITIVE, f32::MIN_POSITIVE],
        [1.0, 1.0, 1.0, 1.0, 3e-39, 1e-40],
    ];
    let mut random = Random(0x0bad_5eed_0bad_5eed);
    let mut unit = || (random.next() >> 40) as f32 / (1 << 24) as f32;
    let mut cases = special.to_vec();
    while cases.len() < CASES {
        let (x, y, exponent) = (unit(), unit(), (unit() * 252.0) as i32 - 126);
        let [power, logarithm] = match cases.len() % 4 {
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
        };
        // Every positive exponent, denormal ones too.
        let root = f32::from_bits((unit() * f32::INFINITY.to_bits() as f32) as u32);
        let limit = if cases.len() % 2 == 0 {
            3.2
        } else {
            LARGEST_ANGLE
        };
        let angle = (unit() * 2.0 - 1.0) * limit;
        // Dividends of quotients and divisors of all exponents, those at the ends often.
        let edge = |x: f32| match cases.len() % 3 {
            0 => (x * 4.0) as i32 - 126,
            1 => 127 - (x * 4.0) as i32,
            _ => (x * 254.0) as i32 - 126,
        };
        let divisor = (1.0 + unit()) * 2f32.powi(edge(unit()));
        let quotient = f64::from(1.0 + unit()) * 2f64.powi((unit() * 254.0) as i32 - 126);
        let dividend = (quotient * f64::from(divisor)) as f32;
        let divisor = if x < 0.5 { -divisor } else { divisor };
        cases.push([power, logarithm, root, angle, dividend, divisor]);
    }
    cases
}

/// Tells which function kept its bound.
fn judge(
    cases: &[[f32; ARGUMENTS]],
    results: &[[f32; RESULTS]],
    keeps_denormals: bool,
) -> AccurateFunctions {
    let pairs = || cases.iter().zip(results);
    let roots = |x: f32, root: f32, inverse: f32| {
        let exact = f64::from(x).sqrt();
        let zero = x == 0.0 && root.to_bits() != x.to_bits();
        let fits = error(root, exact) <= ROOT_ULPS && error(inverse, 1.0 / exact) <= ROOT_ULPS;
        x.is_subnormal() && !keeps_denormals || !zero && fits
    };
    let power_fits = |x: f32, got: f32| {
        // Infinities and NaN are bounded too.
        let magnitude = f64::from(x).abs().min(128.0);
        let bound = RELAXED_EXP2_ULPS + RELAXED_EXP2_ULPS_A_UNIT * magnitude;
        error(got, f64::from(x).exp2()) <= bound
    };
    let logarithm_fits = |x: f32, got: f32| {
        let exact = f64::from(x).log2();
        [1.0, LN_2, LOG10_2].iter().all(|&factor| {
            let (got, exact) = (got * factor, exact * f64::from(factor));
            match (0.5..=2.0).contains(&x) {
                true => (f64::from(got) - exact).abs() <= RELAXED_LOG_ERROR,
                false => error(got, exact) <= RELAXED_LOG_ULPS,
            }
        })
    };
    let quotient_fits = |x: f32, y: f32, got: f32| {
        let exact = f64::from(x) / f64::from(y);
        let is_small = |value: f64| value != 0.0 && value.abs() < f64::from(f32::MIN_POSITIVE);
        if keeps_denormals && is_small(exact) {
            return (f64::from(got) - exact).abs() <= DIVIDE_ULPS * f64::from(f32::from_bits(1));
        }
        let flushed = !keeps_denormals && (x.is_subnormal() || y.is_subnormal());
        let zero = x == 0.0 && exact == 0.0 && f64::from(got).to_bits() != exact.to_bits();
        flushed || !zero && error(got, exact) <= DIVIDE_ULPS
    };
    let close = |got: f32, exact: f64| (f64::from(got) - exact).abs() <= SINE_ERROR;
    AccurateFunctions {
        exp2: pairs().all(|(x, got)| error(got[0], f64::from(x[0]).exp2()) <= EXP2_ULPS),
        log2: pairs().all(|(x, got)| {
            x[1].is_subnormal() || error(got[1], f64::from(x[1]).log2()) <= LOG2_ULPS
        }),
        relaxed_exp2: pairs().all(|(x, got)| power_fits(x[0], got[0])),
        relaxed_log2: pairs().all(|(x, got)| {
            x[1].is_subnormal() && !keeps_denormals || logarithm_fits(x[1], got[1])
        }),
        roots: pairs().all(|(x, got)| roots(x[2], got[2], got[3])),
        sine: pairs().all(|(x, got)| {
            let angle = f64::from(x[3]);
            close(got[4], angle.sin()) && close(got[5], angle.cos())
        }),
        divide: pairs().all(|(x, got)| quotient_fits(x[4], x[5], got[6])),
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
    use super::{ARGUMENTS, AccurateFunctions, RESULTS, cases, judge};

    fn results(change: impl Fn(f64) -> f64) -> Vec<[f32; RESULTS]> {
        let made = |arguments: &[f32; ARGUMENTS]| {
            let [a, b, c, d, x, y] = arguments.map(f64::from);
            let root = c.sqrt();
            let inverse = 1.0 / root;
            [a.exp2(), b.log2(), root, inverse, d.sin(), d.cos(), x / y]
        };
        (cases().iter())
            .map(|arguments| made(arguments).map(|value| change(value) as f32))
            .collect()
    }

    #[test]
    fn bounds_are_kept_or_not() {
        let of = |[exp2, log2, roots, sine, divide]: [bool; 5],
                  [relaxed_exp2, relaxed_log2]: [bool; 2]| {
            AccurateFunctions {
                exp2,
                log2,
                relaxed_exp2,
                relaxed_log2,
                roots,
                sine,
                divide,
            }
        };
        let judged = |change: &dyn Fn(f64) -> f64| judge(&cases(), &results(change), true);
        let all = of([true; 5], [true; 2]);
        assert_eq!(judged(&|x| x), all);
        // Up to twice as many units of the last place, and half of one by rounding.
        let unit = 2f64.powi(-23);
        assert_eq!(judged(&|x| x * (1.0 + 0.4 * unit)), all);
        assert_eq!(
            judged(&|x| x * (1.0 - 0.7 * unit)),
            of([true, false, false, true, true], [true; 2])
        );
        // Six units where the mantissa is near two.
        assert_eq!(
            judged(&|x| x * (1.0 + 3.0 * unit)),
            of([false, false, false, true, false], [false; 2])
        );
        // Right but near one, as many devices have it.
        assert_eq!(
            judged(&|x| x + 2f64.powi(-23)),
            of([false, false, false, true, false], [false, true])
        );
        let infinite = |x: f64| {
            if x.is_infinite() {
                f64::from(f32::MAX)
            } else {
                x
            }
        };
        assert_eq!(
            judged(&infinite),
            of([false, false, false, true, false], [false; 2])
        );
        // An error that grows with the argument of exp2, as relaxed arithmetic allows.
        let growing = |factor: f64| {
            let mut growing = results(|x| x);
            for (case, row) in cases().iter().enumerate() {
                if row[0].is_finite() {
                    growing[case][0] *= 1.0 + (f64::from(row[0]).abs() * factor * unit) as f32;
                }
            }
            judge(&cases(), &growing, true)
        };
        assert_eq!(
            growing(0.25),
            of([false, true, true, true, true], [true; 2])
        );
        assert_eq!(
            growing(1.0),
            of([false, true, true, true, true], [false, true])
        );
        // Denormal arguments taken for zeros, a zero without its sign, and sines as far as they are asked for.
        let mut flushed = results(|x| x);
        let mut unsigned = flushed.clone();
        let mut coarse = flushed.clone();
        let mut normal = flushed.clone();
        for (case, row) in cases().iter().enumerate() {
            if row[2].is_subnormal() {
                flushed[case][2] = 0.0;
            }
            if row[2] == 0.0 {
                unsigned[case][2] = 0.0;
            }
            coarse[case][5] += 0.001;
            if row[1].is_subnormal() {
                normal[case][1] = -127.0;
            }
        }
        // The logarithm of a denormal matters where the device keeps them.
        assert_eq!(judge(&cases(), &normal, true), of([true; 5], [true, false]));
        assert_eq!(judge(&cases(), &normal, false), all);
        let without_roots = of([true, true, false, true, true], [true; 2]);
        assert_eq!(judge(&cases(), &flushed, true), without_roots);
        assert_eq!(judge(&cases(), &flushed, false), all);
        assert_eq!(judge(&cases(), &unsigned, true), without_roots);
        assert_eq!(
            judge(&cases(), &coarse, true),
            of([true, true, true, false, true], [true; 2])
        );
    }
}
