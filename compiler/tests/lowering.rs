//! The lowering passes by numbers: the interpreter before against after, and OpenCL.std
//! integer functions against arithmetic in 128 bits.

use pumice_backend::vulkan;
use pumice_compiler::target::{QuirkKind, Quirks};
use pumice_compiler::{LowerOptions, Target};
use pumice_test_support::number_kernels::{
    ROUNDING_MODES, every_exponent, floats, integers, interpret, is_nan, kernel, mask, pairs,
    pairs_of_bits, renumbered,
};
use pumice_test_support::spirv_tools;

/// Lowers for the reference device.
fn lowered(text: &str, rows: &[Vec<u64>]) -> Vec<u64> {
    lowered_for(&Target::reference(), text, rows)
}

/// Lowers, checks that the emitted module is valid, and gives the lowered results.
fn lowered_for(target: &Target, text: &str, rows: &[Vec<u64>]) -> Vec<u64> {
    let mut module = renumbered(text);
    pumice_test_support::lowering_passes::lower(&mut module, target)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let results = interpret(&module, rows);
    let words = vulkan::emit(&module, target, &LowerOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .words;
    spirv_tools::validate(&words, "vulkan1.2").unwrap_or_else(|e| panic!("{e}\n{text}"));
    results
}

fn same_before_and_after(instruction: &str, types: &[&str], result: &str, rows: &[Vec<u64>]) {
    same_on(&Target::reference(), instruction, types, result, rows);
}

fn same_on(target: &Target, instruction: &str, types: &[&str], result: &str, rows: &[Vec<u64>]) {
    let text = kernel(instruction, types, result);
    let before = interpret(&renumbered(&text), rows);
    let after = lowered_for(target, &text, rows);
    for ((row, b), a) in rows.iter().zip(before).zip(after) {
        assert_eq!(
            b, a,
            "{instruction} {types:?} -> {result} of {row:x?}: {b:#x}, lowered {a:#x}"
        );
    }
}

/// Checks a conversion in each rounding mode.
fn same_in_each_mode(op: &str, from: &str, to: &str, rows: &[Vec<u64>]) {
    for mode in ROUNDING_MODES {
        same_before_and_after(&format!("{op}{mode}"), &[from], to, rows);
    }
}

/// A device that divides integers as doubles.
fn doubles() -> Target {
    Target {
        quirks: Quirks::NONE.with(QuirkKind::DivideInDoubles),
        ..Target::reference()
    }
}

fn signed(bits: u32, value: u64) -> i128 {
    i128::from(((value << (64 - bits)) as i64) >> (64 - bits))
}

#[test]
fn integer_instructions_survive_lowering() {
    for bits in [8, 16, 32, 64] {
        let ty = format!("i{bits}");
        let values = integers(bits);
        let all = pairs(&values);
        let min = 1u64 << (bits - 1);
        let divisible: Vec<Vec<u64>> = all
            .iter()
            .filter(|r| r[1] != 0 && !(r[0] == min && r[1] == mask(bits)))
            .cloned()
            .collect();
        for op in ["sdiv", "srem", "udiv", "urem"] {
            same_before_and_after(op, &[&ty, &ty], &ty, &divisible);
            same_on(&doubles(), op, &[&ty, &ty], &ty, &divisible);
        }
        for op in ["smul_hi", "umul_hi", "shl", "lshr", "ashr", "smin", "umax"] {
            same_before_and_after(op, &[&ty, &ty], &ty, &all);
        }
        let single: Vec<Vec<u64>> = values.iter().map(|&v| vec![v]).collect();
        for op in ["math.popcount", "math.clz", "math.ctz", "math.bit_reverse"] {
            same_before_and_after(op, &[&ty], &ty, &single);
        }
    }
}

#[test]
fn division_by_zero_gives_a_value() {
    for op in ["sdiv", "srem", "udiv", "urem"] {
        let text = kernel(op, &["i32", "i32"], "i32");
        let rows = [vec![5, 0], vec![0x8000_0000, 0xFFFF_FFFF]];
        assert_eq!(lowered(&text, &rows).len(), 2);
        assert_eq!(lowered_for(&doubles(), &text, &rows).len(), 2);
    }
}

/// Dividends beside multiples of the divisor, where a rounded quotient is cut off.
#[test]
fn quotients_of_doubles_are_exact() {
    let mut rows = Vec::new();
    let mut state = 1u64;
    for _ in 0..2000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let divisor = (state >> 32 >> (state >> 8 & 31)).max(1);
        let multiple = (state >> 20) % (0x1_0000_0000 / divisor) * divisor;
        for dividend in [multiple.wrapping_sub(1), multiple, multiple + 1] {
            rows.push(vec![dividend & 0xFFFF_FFFF, divisor]);
        }
    }
    for op in ["sdiv", "srem", "udiv", "urem"] {
        same_on(&doubles(), op, &["i32", "i32"], "i32", &rows);
    }
}

/// Dividends beside multiples of divisors of all lengths, on devices that have no division of 64 bits.
#[test]
fn quotients_of_longs_are_exact() {
    let mut rows = Vec::new();
    let mut state = 1u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for index in 0..1500u32 {
        let divisor = match index % 4 {
            0 => (next() >> (index / 4 % 64)).max(1),
            1 => 1 << (index / 4 % 64),
            2 => u64::MAX >> (index / 4 % 64),
            _ => (1u64 << (index / 4 % 64)).wrapping_add(1),
        };
        let multiple = next() / divisor * divisor;
        for dividend in [multiple.wrapping_sub(1), multiple, multiple | 1, u64::MAX] {
            rows.push(vec![dividend, divisor]);
        }
    }
    for op in ["udiv", "urem"] {
        same_before_and_after(op, &["i64", "i64"], "i64", &rows);
    }
    rows.retain(|row| row[1] != u64::MAX || row[0] != 1 << 63);
    for op in ["sdiv", "srem"] {
        same_before_and_after(op, &["i64", "i64"], "i64", &rows);
    }
}

#[test]
fn saturating_conversions_survive_lowering() {
    for from in [8, 16, 32, 64] {
        for to in [8, 16, 32, 64] {
            let rows: Vec<Vec<u64>> = integers(from).iter().map(|&v| vec![v]).collect();
            for op in ["sat_s_to_s", "sat_s_to_u", "sat_u_to_s", "sat_u_to_u"] {
                same_before_and_after(op, &[&format!("i{from}")], &format!("i{to}"), &rows);
            }
        }
    }
}

#[test]
fn float_conversions_survive_lowering() {
    for from in [16, 32, 64] {
        let ty = format!("f{from}");
        let rows = floats(from);
        for mode in ROUNDING_MODES {
            for to in [16, 32, 64] {
                if to != from {
                    let rows: Vec<Vec<u64>> = rows
                        .iter()
                        .filter(|r| !is_nan(from, r[0]))
                        .cloned()
                        .collect();
                    same_before_and_after(
                        &format!("f_to_f{mode}"),
                        &[&ty],
                        &format!("f{to}"),
                        &rows,
                    );
                }
            }
            for to in [8, 16, 32, 64] {
                for op in ["f_to_s_sat", "f_to_u_sat"] {
                    same_before_and_after(&format!("{op}{mode}"), &[&ty], &format!("i{to}"), &rows);
                }
                let small: Vec<Vec<u64>> = rows.iter().take(12).cloned().collect();
                same_before_and_after(&format!("f_to_s{mode}"), &[&ty], &format!("i{to}"), &small);
            }
        }
    }
}

/// Powers of two are the numbers whose bits tell least of what a narrower type loses.
#[test]
fn every_exponent_survives_narrowing() {
    for (from, fraction) in [(32, 23), (64, 52)] {
        let rows: Vec<Vec<u64>> = every_exponent(from, fraction);
        for to in [16, 32].into_iter().filter(|&to| to < from) {
            same_in_each_mode("f_to_f", &format!("f{from}"), &format!("f{to}"), &rows);
        }
    }
}

#[test]
fn every_exponent_survives_saturation() {
    for (from, fraction) in [(16, 10), (32, 23), (64, 52)] {
        let one = (1u64 << (from - 2 - fraction)) - 1;
        let near = |bits: u64| ((bits & mask(from - 1)) >> fraction).abs_diff(one) < 70;
        let rows: Vec<Vec<u64>> = every_exponent(from, fraction)
            .into_iter()
            .filter(|row| near(row[0]))
            .collect();
        for to in [8, 16, 32, 64] {
            for op in ["f_to_s_sat", "f_to_u_sat"] {
                same_in_each_mode(op, &format!("f{from}"), &format!("i{to}"), &rows);
            }
        }
    }
}

#[test]
fn every_pair_of_bits_survives_conversion_to_float() {
    for from in [32, 64] {
        let rows = pairs_of_bits(from);
        for to in [16, 32, 64] {
            for op in ["s_to_f", "u_to_f"] {
                same_in_each_mode(op, &format!("i{from}"), &format!("f{to}"), &rows);
            }
        }
    }
}

#[test]
fn integer_to_float_survives_lowering() {
    for from in [8, 16, 32, 64] {
        let mut values = integers(from);
        values.extend(
            [
                16_777_217,
                33_554_431,
                65_519,
                65_520,
                1 << 53,
                (1 << 53) + 1,
            ]
            .map(|v: u64| v & mask(from)),
        );
        let rows: Vec<Vec<u64>> = values.iter().map(|&v| vec![v]).collect();
        for to in [16, 32, 64] {
            for op in ["s_to_f", "u_to_f"] {
                same_in_each_mode(op, &format!("i{from}"), &format!("f{to}"), &rows);
            }
        }
    }
}

/// Reference result of a function, from operands as unsigned bits.
type Oracle = fn(u32, &[u64]) -> i128;

fn clamp_s(bits: u32, v: i128) -> i128 {
    v.clamp(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
}

#[test]
fn integer_functions_are_exact() {
    let table: &[(&str, usize, Oracle)] = &[
        ("s_abs", 1, |n, a| signed(n, a[0]).abs()),
        ("s_abs_diff", 2, |n, a| {
            (signed(n, a[0]) - signed(n, a[1])).abs()
        }),
        ("u_abs_diff", 2, |_, a| {
            i128::from(a[0]) - i128::from(a[1]).min(i128::from(a[0]))
                + (i128::from(a[1]) - i128::from(a[0])).max(0)
        }),
        ("s_add_sat", 2, |n, a| {
            clamp_s(n, signed(n, a[0]) + signed(n, a[1]))
        }),
        ("u_add_sat", 2, |n, a| {
            (i128::from(a[0]) + i128::from(a[1])).min(i128::from(mask(n)))
        }),
        ("s_sub_sat", 2, |n, a| {
            clamp_s(n, signed(n, a[0]) - signed(n, a[1]))
        }),
        ("u_sub_sat", 2, |_, a| {
            (i128::from(a[0]) - i128::from(a[1])).max(0)
        }),
        ("s_hadd", 2, |n, a| (signed(n, a[0]) + signed(n, a[1])) >> 1),
        ("u_hadd", 2, |_, a| {
            (i128::from(a[0]) + i128::from(a[1])) >> 1
        }),
        ("s_rhadd", 2, |n, a| {
            (signed(n, a[0]) + signed(n, a[1]) + 1) >> 1
        }),
        ("u_rhadd", 2, |_, a| {
            (i128::from(a[0]) + i128::from(a[1]) + 1) >> 1
        }),
        ("s_mul_hi", 2, |n, a| {
            (signed(n, a[0]) * signed(n, a[1])) >> n
        }),
        ("u_mul_hi", 2, |n, a| {
            ((u128::from(a[0]) * u128::from(a[1])) >> n) as i128
        }),
        ("s_max", 2, |n, a| signed(n, a[0]).max(signed(n, a[1]))),
        ("u_min", 2, |_, a| i128::from(a[0].min(a[1]))),
        ("s_mad_sat", 3, |n, a| {
            clamp_s(n, signed(n, a[0]) * signed(n, a[1]) + signed(n, a[2]))
        }),
        ("u_mad_sat", 3, |n, a| {
            (u128::from(a[0]) * u128::from(a[1]) + u128::from(a[2])).min(u128::from(mask(n)))
                as i128
        }),
        ("s_mad_hi", 3, |n, a| {
            ((signed(n, a[0]) * signed(n, a[1])) >> n) + signed(n, a[2])
        }),
        ("u_mad_hi", 3, |n, a| {
            ((u128::from(a[0]) * u128::from(a[1])) >> n) as i128 + i128::from(a[2])
        }),
        ("rotate", 2, |n, a| {
            let by = (a[1] % u64::from(n)) as u32;
            let wide = u128::from(a[0]) << by;
            ((wide | wide >> n) & u128::from(mask(n))) as i128
        }),
        ("s_clamp", 3, |n, a| {
            signed(n, a[0]).max(signed(n, a[1])).min(signed(n, a[2]))
        }),
        ("bitselect", 3, |_, a| {
            i128::from((a[0] & !a[2]) | (a[1] & a[2]))
        }),
        ("clz", 1, |n, a| i128::from(a[0].leading_zeros() - (64 - n))),
        ("ctz", 1, |n, a| i128::from(a[0].trailing_zeros().min(n))),
        ("popcount", 1, |_, a| i128::from(a[0].count_ones())),
    ];
    for bits in [8u32, 16, 32, 64] {
        let ty = format!("i{bits}");
        let values = integers(bits);
        for &(name, arity, oracle) in table {
            let rows: Vec<Vec<u64>> = match arity {
                1 => values.iter().map(|&v| vec![v]).collect(),
                2 => pairs(&values),
                _ => pairs(&values)
                    .into_iter()
                    .enumerate()
                    .map(|(i, mut r)| {
                        r.push(values[i % values.len()]);
                        r
                    })
                    .collect(),
            };
            let types = vec![ty.as_str(); arity];
            let text = kernel(&format!("math.ocl.{name}"), &types, &ty);
            for (row, got) in rows.iter().zip(lowered(&text, &rows)) {
                let want = oracle(bits, row) as u64 & mask(bits);
                assert_eq!(want, got & mask(bits), "{name} i{bits} of {row:x?}");
            }
        }
    }
}

#[test]
fn float_functions_match_the_host() {
    type Host = fn(f64, f64) -> f64;
    let table: &[(&str, usize, Host)] = &[
        ("copysign", 2, f64::copysign),
        ("fdim", 2, |a, b| {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else {
                (a - b).max(0.0) * f64::from(u8::from(a > b))
            }
        }),
        ("round", 1, |a, _| a.round()),
        ("fmin", 2, f64::min),
        ("maxmag", 2, |a, b| {
            if a.abs() > b.abs() {
                a
            } else if b.abs() > a.abs() {
                b
            } else {
                a.max(b)
            }
        }),
        ("sign", 1, |a, _| {
            if a.is_nan() {
                0.0
            } else if a == 0.0 {
                a
            } else {
                a.signum()
            }
        }),
        ("step", 2, |a, b| if b < a { 0.0 } else { 1.0 }),
        ("logb", 1, |a, _| {
            if a == 0.0 {
                f64::NEG_INFINITY
            } else if a.is_nan() {
                a
            } else if a.is_infinite() {
                f64::INFINITY
            } else {
                exponent(a)
            }
        }),
    ];
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0.49999997,
        8388609.0,
        1e-310,
        3.0,
        -7.25,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for &(name, arity, host) in table {
        let rows: Vec<Vec<u64>> = numbers
            .iter()
            .flat_map(|a| numbers.iter().map(move |b| vec![a.to_bits(), b.to_bits()]))
            .map(|r| r[..arity].to_vec())
            .collect();
        let text = kernel(&format!("math.ocl.{name}"), &vec!["f64"; arity], "f64");
        for (row, got) in rows.iter().zip(lowered(&text, &rows)) {
            let a = f64::from_bits(row[0]);
            let b = row.get(1).map_or(0.0, |&b| f64::from_bits(b));
            let (want, got) = (host(a, b), f64::from_bits(got));
            let same = want == got || (want.is_nan() && got.is_nan());
            assert!(same, "{name}({a:e}, {b:e}) is {want:e}, lowered {got:e}");
        }
    }
}

fn exponent(a: f64) -> f64 {
    let mut e = 0.0;
    let mut m = a.abs();
    while m >= 2.0 {
        m /= 2.0;
        e += 1.0;
    }
    while m < 1.0 {
        m *= 2.0;
        e -= 1.0;
    }
    e
}

#[test]
fn neighbours_and_scaling_are_exact() {
    let text = kernel("math.ocl.nextafter", &["f32", "f32"], "f32");
    let f = |v: f32| u64::from(v.to_bits());
    let rows = vec![
        vec![f(1.0), f(2.0)],
        vec![f(1.0), f(0.0)],
        vec![f(0.0), f(-1.0)],
        vec![f(-0.0), f(1.0)],
        vec![f(f32::MAX), f(f32::INFINITY)],
        vec![f(f32::from_bits(1)), f(-1.0)],
        vec![f(0.0), f(-0.0)],
    ];
    let want = [
        f(f32::from_bits(0x3F80_0001)),
        f(f32::from_bits(0x3F7F_FFFF)),
        0x8000_0001,
        1,
        f(f32::INFINITY),
        0,
        f(-0.0),
    ];
    assert_eq!(lowered(&text, &rows), want);

    let text = kernel("math.ocl.ldexp", &["f64", "i32"], "f64");
    let cases: &[(f64, i32)] = &[
        (1.5, 10),
        (1.0, -1074),
        (1.0, -1075),
        (1.5, -1075),
        (f64::from_bits(1), 2097),
        (1.0, 5000),
        (1.0, i32::MIN),
        (f64::MAX, -2000),
        (1.75, -1073),
    ];
    let rows: Vec<Vec<u64>> = cases
        .iter()
        .map(|&(a, n)| vec![a.to_bits(), u64::from(n as u32)])
        .collect();
    let want: Vec<f64> = vec![
        1536.0,
        f64::from_bits(1),
        0.0,
        f64::from_bits(1),
        f64::powi(2.0, 1023),
        f64::INFINITY,
        0.0,
        f64::MAX * f64::powi(2.0, -1000) * f64::powi(2.0, -1000),
        f64::from_bits(4),
    ];
    let got: Vec<f64> = lowered(&text, &rows)
        .into_iter()
        .map(f64::from_bits)
        .collect();
    assert_eq!(want, got);
}
