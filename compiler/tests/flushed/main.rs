//! The math functions for float on devices that take denormals for zeros, in the interpreter: results
//! that are normal keep their error bounds, whatever happens to small values on the way.
//!
//! The references are doubles; the limits are those of the full profile (OpenCL C specification,
//! "Relative Error as ULPs").

mod relaxed;

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_compiler::target::Arithmetic;
use pumice_compiler::{LowerOptions, Target};
use pumice_interp::{self as interp, Arg, Inputs, NdRange, Options};
use pumice_test_support::build::linked;
use pumice_test_support::link_library;
use pumice_test_support::reference::{erf, erfc, remainder, tgamma};
use std::f64::consts::PI;

/// The least normal number.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// A reference for the operands of a call.
enum Reference {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    Whole(fn(f64, i32) -> f64),
}
use Reference::{One, Three, Two, Whole};

/// A call of `x`, `y`, `z` and the int `n`, its limit in ULP, and its reference.
type Row = (&'static str, f64, Reference);

fn tanpi(x: f64) -> f64 {
    // Halves are poles: infinities of alternating signs.
    let sign = if x.rem_euclid(2.0) < 1.0 { 1.0 } else { -1.0 };
    if x.abs() % 1.0 == 0.5 {
        sign * f64::INFINITY
    } else {
        (PI * (x % 1.0)).tan()
    }
}

/// powr of |x|, which is not defined at two zeros.
fn powr(x: f64, y: f64) -> f64 {
    if x == 0.0 && y == 0.0 {
        f64::NAN
    } else {
        x.abs().powf(y)
    }
}

/// The sign and the low seven bits of the quotient of IEEE's remainder; 0 for a divisor of 0.
fn low_quotient(x: f64, y: f64) -> f64 {
    if y == 0.0 {
        return 0.0;
    }
    let size = y.abs();
    let rest = x.abs() % (128.0 * size);
    let quotient = ((rest - remainder(rest, size)) / size).round() % 128.0;
    quotient * x.signum() * y.signum()
}

fn maxmag(x: f64, y: f64) -> f64 {
    if x.abs() == y.abs() {
        x.max(y)
    } else if x.abs() > y.abs() {
        x
    } else {
        y
    }
}

fn minmag(x: f64, y: f64) -> f64 {
    if x.abs() == y.abs() {
        x.min(y)
    } else if x.abs() < y.abs() {
        x
    } else {
        y
    }
}

/// Functions whose results near the limits of the range are of interest.
fn functions() -> Vec<Row> {
    vec![
        ("x / y", 2.5, Two(|x, y| x / y)),
        ("x / n", 2.5, Whole(|x, n| x / f64::from(n))),
        ("fma(x, y, z)", 0.5, Three(f64::mul_add)),
        ("sqrt(x)", 3.0, One(f64::sqrt)),
        ("rsqrt(x)", 2.0, One(|x| 1.0 / x.sqrt())),
        ("cbrt(x)", 2.0, One(f64::cbrt)),
        ("hypot(x, y)", 4.0, Two(f64::hypot)),
        ("exp(x)", 3.0, One(f64::exp)),
        ("exp2(x)", 3.0, One(f64::exp2)),
        ("exp10(x)", 3.0, One(|x| 10f64.powf(x))),
        ("expm1(x)", 3.0, One(f64::exp_m1)),
        ("log(x)", 3.0, One(f64::ln)),
        ("log2(x)", 3.0, One(f64::log2)),
        ("log10(x)", 3.0, One(f64::log10)),
        ("log1p(x)", 2.0, One(f64::ln_1p)),
        ("pow(x, y)", 16.0, Two(f64::powf)),
        ("powr(fabs(x), y)", 16.0, Two(powr)),
        ("pown(x, n)", 16.0, Whole(f64::powi)),
        (
            "rootn(fabs(x), n)",
            16.0,
            Whole(|x, n| x.abs().powf(1.0 / f64::from(n))),
        ),
        ("sin(x)", 4.0, One(f64::sin)),
        ("cos(x)", 4.0, One(f64::cos)),
        ("tan(x)", 5.0, One(f64::tan)),
        ("sincos(x, &f)", 4.0, One(f64::sin)),
        ("(sincos(x, &f), f)", 4.0, One(f64::cos)),
        ("asin(x)", 4.0, One(f64::asin)),
        ("acos(x)", 4.0, One(f64::acos)),
        ("atan(x)", 5.0, One(f64::atan)),
        ("atan2(y, x)", 6.0, Two(|x, y| y.atan2(x))),
        (
            "sinpi(x)",
            4.0,
            One(|x| (PI * (x % 2.0)).sin() * f64::from(u8::from(x % 1.0 != 0.0))),
        ),
        ("tanpi(x)", 6.0, One(tanpi)),
        ("asinpi(x)", 5.0, One(|x| x.asin() / PI)),
        ("acospi(x)", 5.0, One(|x| x.acos() / PI)),
        ("atanpi(x)", 5.0, One(|x| x.atan() / PI)),
        ("atan2pi(y, x)", 6.0, Two(|x, y| y.atan2(x) / PI)),
        ("sinh(x)", 4.0, One(f64::sinh)),
        ("cosh(x)", 4.0, One(f64::cosh)),
        ("tanh(x)", 5.0, One(f64::tanh)),
        ("asinh(x)", 4.0, One(f64::asinh)),
        ("acosh(x)", 4.0, One(f64::acosh)),
        ("atanh(x)", 5.0, One(f64::atanh)),
        ("erf(x)", 16.0, One(erf)),
        ("erfc(x)", 16.0, One(erfc)),
        ("tgamma(x)", 16.0, One(tgamma)),
        ("fmod(x, y)", 0.0, Two(|x, y| x % y)),
        ("remainder(x, y)", 0.0, Two(remainder)),
        ("remquo(x, y, &i)", 0.0, Two(remainder)),
        ("(remquo(x, y, &i), (float)i)", 0.0, Two(low_quotient)),
        ("fdim(x, y)", 0.5, Two(|x, y| (x - y).max(0.0))),
        (
            "fract(x, &f)",
            0.5,
            One(|x| (x - x.floor()).min(1.0 - 2f64.powi(-24))),
        ),
        ("modf(x, &f)", 0.0, One(f64::fract)),
        ("ldexp(x, n)", 0.5, Whole(|x, n| x * f64::from(n).exp2())),
        ("nextafter(x, y)", 1.0, Two(|x, _| x)),
        ("logb(x)", 0.0, One(|x| x.abs().log2().floor())),
        (
            "frexp(x, &i)",
            0.0,
            One(|x| x / (x.abs().log2().floor() + 1.0).exp2()),
        ),
        ("fmin(x, y)", 0.0, Two(f64::min)),
        ("fmax(x, y)", 0.0, Two(f64::max)),
        ("maxmag(x, y)", 0.0, Two(maxmag)),
        ("minmag(x, y)", 0.0, Two(minmag)),
        ("floor(x)", 0.0, One(f64::floor)),
        ("ceil(x)", 0.0, One(f64::ceil)),
        ("rint(x)", 0.0, One(f64::round_ties_even)),
        ("round(x)", 0.0, One(f64::round)),
        (
            "sign(x)",
            0.0,
            One(|x| if x == 0.0 { x } else { x.signum() }),
        ),
        ("degrees(x)", 2.0, One(f64::to_degrees)),
        ("radians(x)", 2.0, One(f64::to_radians)),
        ("length((float2)(x, y))", 3.75, Two(f64::hypot)),
        (
            "normalize((float2)(x, y)).x",
            4.0,
            Two(|x, y| x / x.hypot(y)),
        ),
        (
            "normalize((float4)(x, y, y, x)).x",
            6.0,
            Two(|x, y| x / (2.0 * x * x + 2.0 * y * y).sqrt()),
        ),
        ("half_divide(x, y)", 8192.0, Two(|x, y| x / y)),
        ("half_recip(x)", 8192.0, One(|x| 1.0 / x)),
        ("half_rsqrt(x)", 8192.0, One(|x| 1.0 / x.sqrt())),
    ]
}

/// Normal numbers of both signs: many among the least, where intermediate results vanish, fewer above.
fn operands(step: usize) -> Vec<f32> {
    let exponents = (-126..=-90)
        .step_by(step)
        .chain((-90..90).step_by(step * 7))
        .chain((90..=127).step_by(step * 2));
    let digits = [0, 0x2_b3c5, 0x3f_ffff, 0x5a_8279, 0x7f_ffff];
    let positive = exponents.flat_map(|e: i32| {
        let digits = digits.iter().take(if step > 1 { 3 } else { 5 });
        digits.map(move |&d| f32::from_bits(((e + 127) as u32) << 23 | d))
    });
    positive.flat_map(|x| [x, -x]).collect()
}

/// Denormals, which the device may take for zeros.
fn denormals() -> impl Iterator<Item = f32> {
    let digits = [1, 0x100, 0x1_2345, 0x40_0000, 0x7f_ffff];
    (digits.into_iter()).flat_map(|d| [f32::from_bits(d), -f32::from_bits(d)])
}

/// The operands of a row: every number, pairs of them, or numbers beside ones of similar size.
fn rows(reference: &Reference) -> Vec<(f32, f32, f32, i32)> {
    let pairs = || {
        let (xs, ys) = (operands(9), operands(13));
        let pairs = xs.into_iter().flat_map(move |x| {
            let near = [x * 1.5, x * 0.75, x * 3.7, x * 300.1, x / 20.3];
            ys.clone().into_iter().chain(near).map(move |y| (x, y))
        });
        pairs.filter(|(_, y)| y.is_normal())
    };
    match reference {
        One(_) => (operands(1).into_iter().chain(denormals()))
            .map(|x| (x, 1.0, 1.0, 1))
            .collect(),
        Two(_) => (pairs().chain(denormals().flat_map(|d| [(d, 1.5), (-0.7, d), (d, d)])))
            .map(|(x, y)| (x, y, 1.0, 1))
            .collect(),
        Three(_) => pairs()
            .flat_map(|(x, y)| {
                let product = x * y;
                [-product, product * 1.7, 1e-37].map(|z| (x, y, z, 1))
            })
            .filter(|(_, _, z, _)| z.is_normal())
            .collect(),
        Whole(_) => {
            let whole = [-150, -30, -3, -2, -1, 1, 2, 3, 5, 24, 100, 149, 250];
            let xs = operands(2).into_iter();
            xs.flat_map(|x| whole.map(|n| (x, 1.0, 1.0, n))).collect()
        }
    }
}

fn words<T>(rows: &[T], word: impl Fn(&T) -> u32) -> Vec<u8> {
    rows.iter()
        .flat_map(|row| word(row).to_le_bytes())
        .collect()
}

/// The results of a call on rows of operands, on a device that flushes.
fn results(target: &Target, call: &str, rows: &[(f32, f32, f32, i32)]) -> Vec<f32> {
    results_with(target, &LowerOptions::default(), call, rows)
}

fn results_with(
    target: &Target,
    lower: &LowerOptions,
    call: &str,
    rows: &[(f32, f32, f32, i32)],
) -> Vec<f32> {
    let text = format!(
        "kernel void k(global float *xs, global float *ys, global float *zs, global int *ns, global float *r) {{\n\
         size_t g = get_global_id(0);\nfloat x = xs[g], y = ys[g], z = zs[g], f;\nint n = ns[g], i;\n\
         r[g] = {call};\n}}\n"
    );
    let module = linked(&text, "", target).unwrap_or_else(|log| panic!("{call}: {log}"));
    let mut ir = import(&module.words, &SpecConstants::default()).expect("a module");
    let ctx = Ctx {
        target,
        options: lower,
    };
    let _ = link_library(&mut ir, &ctx).expect("lowering");
    let inputs = Inputs {
        buffers: vec![
            words(rows, |row| row.0.to_bits()),
            words(rows, |row| row.1.to_bits()),
            words(rows, |row| row.2.to_bits()),
            words(rows, |row| row.3 as u32),
            vec![0; rows.len() * 4],
        ],
        args: (0..5)
            .map(|index| Arg::Buffer { index, offset: 0 })
            .collect(),
    };
    let options = Options {
        flush_denormals: true,
        fuel: 1_000_000_000,
        ..Options::default()
    };
    let range = NdRange::linear(rows.len() as u64, 1);
    let output = interp::run(&ir, "k", &inputs, &range, &options)
        .unwrap_or_else(|error| panic!("{call}: {error}"));
    let bytes = output.buffers[4].chunks(4);
    bytes
        .map(|b| f32::from_le_bytes(b.try_into().expect("four bytes")))
        .collect()
}

/// The error of a result in units of the last place of what was expected. A zero, or the least
/// normal number's neighbourhood, stands for anything that lies below the normal numbers.
fn error(got: f32, expected: f64, limit: f64) -> f64 {
    let got_wide = f64::from(got);
    if got.is_nan() || expected.is_nan() {
        return if got.is_nan() && expected.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = expected.abs().max(LEAST).log2().floor().min(127.0);
    let ulp = (exponent - 23.0).exp2();
    let beyond = 128f64.exp2();
    if expected.is_infinite() || expected.abs() >= beyond - 0.5 * ulp {
        let near = got.is_infinite() || beyond - got_wide.abs() <= limit * ulp;
        return if near && got_wide * expected > 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if expected.abs() - limit * ulp < LEAST && got == 0.0 {
        return 0.0;
    }
    let got_wide = if got.is_infinite() {
        beyond.copysign(got_wide)
    } else {
        got_wide
    };
    (got_wide - expected).abs() / ulp
}

/// The values that a device may take an operand for.
fn taken_for(x: f32) -> [f32; 3] {
    if x.is_subnormal() {
        [x, 0.0, -0.0]
    } else {
        [x; 3]
    }
}

/// Returns a message for each function whose worst error is beyond its limit.
fn check(target: &Target) -> Vec<String> {
    let mut wrong = Vec::new();
    for (call, limit, reference) in functions() {
        let rows = rows(&reference);
        let mut worst = (0.0, String::new());
        let mut beyond = 0;
        for (&(x, y, z, n), got) in rows.iter().zip(results(target, call, &rows)) {
            let expected = |x: f32, y: f32| {
                let [a, b, c] = [x, y, z].map(f64::from);
                match reference {
                    One(f) => f(a),
                    Two(f) => f(a, b),
                    Three(f) => f(a, b, c),
                    Whole(f) => f(a, n),
                }
            };
            let errors = (taken_for(x).into_iter())
                .flat_map(|x| taken_for(y).map(|y| error(got, expected(x, y), limit)));
            let error = errors.fold(f64::INFINITY, f64::min);
            let expected = expected(x, y);
            beyond += u32::from(error > limit);
            if error > worst.0 {
                worst = (
                    error,
                    format!("{x:e}, {y:e}, {z:e}, {n}: {got:e}, expected {expected:e}"),
                );
            }
        }
        if worst.0 > limit {
            wrong.push(format!(
                "{call}: {beyond} of {} beyond {limit} ULP, the worst {} at {}",
                rows.len(),
                worst.0,
                worst.1
            ));
        }
    }
    wrong
}

/// A device without doubles that flushes.
fn flushing() -> Target {
    Target {
        float64: false,
        arithmetic: Arithmetic {
            denorms_f32: false,
            ..Arithmetic::exact()
        },
        ..Target::reference()
    }
}

#[test]
fn normal_results_keep_their_bounds() {
    let wrong = check(&flushing());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same where quotients, roots and fma come from the library.
#[test]
fn normal_results_keep_their_bounds_on_inexact_devices() {
    let wrong = check(&Target {
        arithmetic: Arithmetic {
            exact_fma_f32: false,
            exact_div_f32: false,
            exact_sqrt_f32: false,
            ..flushing().arithmetic
        },
        ..flushing()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same where quotients and roots are refined by an exact fma.
#[test]
fn normal_results_keep_their_bounds_by_fma() {
    let wrong = check(&Target {
        arithmetic: Arithmetic {
            exact_div_f32: false,
            exact_sqrt_f32: false,
            ..flushing().arithmetic
        },
        ..flushing()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lanes that are infinite count as ones and all others as zeros; NaN goes to all lanes.
#[test]
fn infinite_lanes_are_the_whole_length() {
    let rsqrt = Target {
        arithmetic: Arithmetic {
            exact_div_f32: false,
            exact_sqrt_f32: false,
            ..flushing().arithmetic
        },
        ..flushing()
    };
    let infinity = f32::INFINITY;
    let rows = [
        (infinity, 1.0, -2.0, 1),
        (-2.0, -infinity, infinity, 1),
        (f32::MAX, -infinity, f32::MIN_POSITIVE, 1),
        (-infinity, infinity, infinity, 1),
        (infinity, f32::NAN, 1.0, 1),
        (f32::NAN, -1.0, infinity, 1),
    ];
    let expected = |[x, y, z]: [f32; 3]| {
        if [x, y, z].iter().any(|lane| lane.is_nan()) {
            return f32::NAN;
        }
        let [x, y, z] = [x, y, z].map(|lane| match lane.is_infinite() {
            true => 1f32.copysign(lane),
            false => 0.0 * lane,
        });
        x / (x * x + y * y + z * z).sqrt()
    };
    for target in [&rsqrt, &flushing()] {
        for (lanes, turn) in [("x, y, z", 0), ("y, z, x", 1), ("z, x, y", 2)] {
            let call = format!("normalize((float3)({lanes})).x");
            for (row, got) in rows.iter().zip(results(target, &call, &rows)) {
                let mut lanes = [row.0, row.1, row.2];
                lanes.rotate_left(turn);
                let expected = expected(lanes);
                let same = got.to_bits() == expected.to_bits()
                    || (got - expected).abs() < 1e-6 && expected != 0.0
                    || got.is_nan() && expected.is_nan();
                assert!(same, "{call} of {row:?} is {got}, not {expected}");
            }
        }
    }
}

/// The greatest numbers have roots too: no square on the way overflows.
#[test]
fn roots_of_the_greatest_numbers() {
    let by_rsqrt = |exact_fma_f32| Target {
        arithmetic: Arithmetic {
            exact_fma_f32,
            exact_sqrt_f32: false,
            ..flushing().arithmetic
        },
        ..flushing()
    };
    let bits = f32::MAX.to_bits();
    let rows: Vec<_> = (bits - 500..=bits)
        .map(|bits| (f32::from_bits(bits), 1.0, 1.0, 1))
        .collect();
    for target in [by_rsqrt(false), by_rsqrt(true)] {
        for (row, got) in rows.iter().zip(results(&target, "sqrt(x)", &rows)) {
            let expected = f64::from(row.0).sqrt();
            let error = error(got, expected, 3.0);
            assert!(error <= 3.0, "sqrt of {:e} is {got:e}", row.0);
        }
    }
}

/// The same where the device's own exp2 and log2 carry other functions.
#[test]
fn normal_results_keep_their_bounds_by_the_devices_functions() {
    let wrong = check(&Target {
        arithmetic: Arithmetic {
            exact_sqrt_f32: false,
            accurate_exp2_f32: true,
            accurate_log2_f32: true,
            accurate_roots_f32: true,
            ..flushing().arithmetic
        },
        ..flushing()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An exp2 and a log2 that are right leave as much of the bound as those of devices may take.
#[test]
fn the_devices_functions_have_room_for_their_errors() {
    let target = Target {
        arithmetic: Arithmetic {
            accurate_exp2_f32: true,
            accurate_log2_f32: true,
            ..flushing().arithmetic
        },
        ..flushing()
    };
    let numbers: Vec<f32> = (0..=u32::MAX)
        .step_by(0x5_4321)
        .map(f32::from_bits)
        .collect();
    let near = (0..2000).map(|step| f32::from_bits(1f32.to_bits() - 1000 + step));
    let numbers: Vec<f32> = numbers
        .into_iter()
        .chain(near)
        .chain((0..2000).map(|step| step as f32 / 16.0 - 60.0))
        .collect();
    let rows: Vec<_> = numbers.iter().map(|&x| (x, 1.0, 1.0, 1)).collect();
    for (call, limit, reference) in [
        ("exp(x)", 1.0, f64::exp as fn(f64) -> f64),
        ("exp2(x)", 0.75, f64::exp2),
        ("exp10(x)", 1.0, |x| 10f64.powf(x)),
        ("log(x)", 1.25, f64::ln),
        ("log2(x)", 0.75, f64::log2),
        ("log10(x)", 1.25, f64::log10),
    ] {
        for (&x, got) in numbers.iter().zip(results(&target, call, &rows)) {
            let errors = taken_for(x).map(|x| error(got, reference(f64::from(x)), limit));
            let error = errors.into_iter().fold(f64::INFINITY, f64::min);
            assert!(error <= limit, "{call} of {x:e} is {got:e}: {error} ULP");
        }
    }
}
