//! Relaxed arithmetic and halves by the device's own functions.

use super::{flushing, results, results_with};
use pumice_compiler::target::Arithmetic;
use pumice_compiler::{LowerOptions, Target};
use pumice_target::options::MathOptions;
use std::f64::consts::{LN_2, LOG10_2, PI};

/// The error that relaxed arithmetic allows a function.
#[derive(Clone, Copy)]
enum Allowed {
    /// 3 + 2 |x| ULP, rounded down.
    Exponential,
    /// 3 ULP, or 2^-21 between a half and two.
    Logarithm,
    /// 2^-11 in the domain.
    Wave,
    /// 8192 ULP, or the error of a derivation, which is smaller here.
    Derived,
}

impl Allowed {
    fn holds(self, x: f64, got: f64, expected: f64) -> bool {
        let absolute = (got - expected).abs();
        let ulps = absolute / (expected.abs().log2().floor() - 23.0).exp2();
        match self {
            Self::Exponential => ulps <= 3.0 + (2.0 * x.abs()).floor(),
            Self::Logarithm if (0.5..=2.0).contains(&x) => absolute <= 2f64.powi(-21),
            Self::Logarithm => ulps <= 3.0,
            Self::Wave => absolute <= 2f64.powi(-11),
            Self::Derived => expected == got || ulps <= 8192.0,
        }
    }
}

/// A call, the arguments that it is defined for, its reference and its error.
type Relaxed = (&'static str, fn(f64) -> bool, fn(f64) -> f64, Allowed);

fn relaxed_functions() -> Vec<Relaxed> {
    let (power, positive, angle, half_turns) = (
        |x: f64| x.abs() < 80.0,
        |x: f64| x > 0.0,
        |x: f64| x.abs() < PI,
        |x: f64| x.abs() <= 9.0,
    );
    // Away from zeros and poles.
    let slope = |x: f64| x.abs() < PI && x.sin().abs() > 0.01 && x.cos().abs() > 0.01;
    vec![
        ("exp(x)", power, f64::exp, Allowed::Exponential),
        ("exp2(x)", power, f64::exp2, Allowed::Exponential),
        ("exp10(x)", power, |x| 10f64.powf(x), Allowed::Derived),
        ("log(x)", positive, f64::ln, Allowed::Logarithm),
        ("log2(x)", positive, f64::log2, Allowed::Logarithm),
        ("log10(x)", positive, f64::log10, Allowed::Logarithm),
        ("sin(x)", angle, f64::sin, Allowed::Wave),
        ("cos(x)", angle, f64::cos, Allowed::Wave),
        ("sincos(x, &f)", angle, f64::sin, Allowed::Wave),
        ("(sincos(x, &f), f)", angle, f64::cos, Allowed::Wave),
        ("tan(x)", slope, f64::tan, Allowed::Derived),
        ("sinpi(x)", half_turns, |x| (PI * x).sin(), Allowed::Wave),
        ("cospi(x)", half_turns, |x| (PI * x).cos(), Allowed::Wave),
        ("sinh(x)", power, f64::sinh, Allowed::Derived),
        ("cosh(x)", power, f64::cosh, Allowed::Derived),
        ("tanh(x)", power, f64::tanh, Allowed::Derived),
        ("powr(x, 2.5f)", positive, |x| x.powf(2.5), Allowed::Derived),
        ("pow(x, 2.5f)", positive, |x| x.powf(2.5), Allowed::Derived),
        ("pow(x, -3.0f)", power, |x| x.powi(-3), Allowed::Derived),
        ("pow(x, 4.0f)", power, |x| x.powi(4), Allowed::Derived),
        ("pown(x, 3)", power, |x| x.powi(3), Allowed::Derived),
        ("pown(x, -2)", power, |x| x.powi(-2), Allowed::Derived),
    ]
}

/// Relaxed arithmetic makes functions of the device's where a probe finds those close, and they keep their bounds (OpenCL C
/// 3.0 §7.4); elsewhere it changes nothing.
#[test]
fn relaxed_functions_keep_their_bounds() {
    let relaxed = LowerOptions {
        math: MathOptions {
            unsafe_math: true,
            ..MathOptions::default()
        },
        ..LowerOptions::default()
    };
    let device = Target {
        arithmetic: Arithmetic {
            relaxed_exp2_f32: true,
            relaxed_log2_f32: true,
            accurate_sine_f32: true,
            ..flushing().arithmetic
        },
        ..flushing()
    };
    for (call, concerns, reference, allowed) in relaxed_functions() {
        let rows: Vec<_> = (-3000..3000)
            .map(|step| step as f32 * 0.0125 + 0.001)
            .filter(|&x| concerns(f64::from(x)))
            .map(|x| (x, 1.0, 1.0, 1))
            .collect();
        let library = results(&flushing(), call, &rows);
        let got = results_with(&device, &relaxed, call, &rows);
        assert_ne!(got, library, "{call}: the device's function differs");
        let elsewhere = results_with(&flushing(), &relaxed, call, &rows);
        assert_eq!(elsewhere, library, "{call}");
        for (&(x, ..), got) in rows.iter().zip(got) {
            let (x, got) = (f64::from(x), f64::from(got));
            let expected = reference(x);
            let holds = allowed.holds(x, got, expected);
            assert!(holds, "{call} of {x} is {got}, not {expected}");
        }
    }
}

/// Roots in relaxed arithmetic: 3 ULP, zeros for denormals; infinity stays unless numbers are finite by an option.
#[test]
fn relaxed_roots_keep_their_bounds() {
    let inexact = [true, false].map(|exact_fma_f32| Target {
        arithmetic: Arithmetic {
            exact_fma_f32,
            exact_sqrt_f32: false,
            ..flushing().arithmetic
        },
        ..flushing()
    });
    let rows: Vec<_> = (0..=f32::INFINITY.to_bits())
        .step_by(0x5_4321)
        .chain([1, f32::MIN_POSITIVE.to_bits(), f32::INFINITY.to_bits()])
        .chain(f32::MIN_POSITIVE.to_bits()..f32::MIN_POSITIVE.to_bits() + 100)
        .chain(f32::MAX.to_bits() - 100..=f32::MAX.to_bits())
        .map(|bits| (f32::from_bits(bits), 1.0, 1.0, 1))
        .collect();
    for (target, finite_math_only) in inexact.iter().zip([false, true]) {
        let relaxed = LowerOptions {
            math: MathOptions {
                unsafe_math: true,
                finite_math_only,
                ..MathOptions::default()
            },
            ..LowerOptions::default()
        };
        for (&(x, ..), got) in rows
            .iter()
            .zip(results_with(target, &relaxed, "sqrt(x)", &rows))
        {
            let expected = if x.is_subnormal() {
                0.0
            } else {
                f64::from(x).sqrt()
            };
            if x.is_infinite() && finite_math_only {
                continue;
            }
            let unit = (expected.log2().floor() - 23.0).exp2();
            let holds =
                f64::from(got) == expected || (f64::from(got) - expected).abs() <= 3.0 * unit;
            assert!(holds, "sqrt of {x:e} is {got:e}, not {expected:e}");
        }
    }
}

/// Exponentials and logarithms of halves by the device's own functions are within 2 of a half's last place for every half,
/// also where those err by what is allowed to them.
#[test]
fn halves_are_served_by_the_devices_functions() {
    let device = Target {
        arithmetic: Arithmetic {
            relaxed_exp2_f32: true,
            relaxed_log2_f32: true,
            ..flushing().arithmetic
        },
        ..flushing()
    };
    let rows: Vec<_> = (0..=u16::MAX)
        .map(|bits| (pumice_numerics::half_to_f32(bits), 1.0, 1.0, 1))
        .collect();
    for (name, reference, logarithm_factor) in [
        ("exp", f64::exp as fn(f64) -> f64, None),
        ("exp2", f64::exp2, None),
        ("exp10", |x| 10f64.powf(x), None),
        ("log", f64::ln, Some(LN_2)),
        ("log2", f64::log2, Some(1.0)),
        ("log10", f64::log10, Some(LOG10_2)),
    ] {
        let call = format!("(float){name}((half)x)");
        let got = results(&device, &call, &rows);
        for (&(x, ..), got) in rows.iter().zip(got) {
            let expected = reference(f64::from(x));
            let nearest = pumice_numerics::half_from_f64(expected);
            let (nearest, got) = (
                f64::from(pumice_numerics::half_to_f32(nearest)),
                f64::from(got),
            );
            if nearest.is_nan() || nearest.is_infinite() {
                assert!(
                    got == nearest || got.is_nan() && nearest.is_nan(),
                    "{call} of {x}: {got}"
                );
                continue;
            }
            let unit = (expected.abs().log2().floor().max(-14.0) - 10.0).exp2();
            // The device's logarithm may err by 2^-21 near 1.
            let room = match logarithm_factor {
                Some(factor) if (0.5..=2.0).contains(&x) => 2f64.powi(-21) * factor / unit,
                _ => 0.1,
            };
            let error = (got - expected).abs() / unit;
            assert!(
                expected == 0.0 || error <= 2.0 - room,
                "{call} of {x} is {got}: {error}"
            );
        }
    }
}
