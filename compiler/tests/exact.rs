//! Devices whose division, root and fma are not correctly rounded get results that are: the
//! interpreter before against after lowering and linking, bit for bit.

use pumice_backend::pass::Ctx;
use pumice_compiler::target::Arithmetic;
use pumice_compiler::{LowerOptions, Target};
use pumice_ir::{InstKind, MathOp};
use pumice_test_support::link_library;
use pumice_test_support::number_kernels::{interpret, is_nan, kernel, renumbered};

/// A device that promises nothing about rounding.
fn plain_target() -> Target {
    Target {
        float64: false,
        arithmetic: Arithmetic {
            exact_fma_f16: false,
            exact_fma_f32: false,
            exact_fma_f64: false,
            exact_div_f16: false,
            exact_div_f32: false,
            exact_div_f64: false,
            exact_sqrt_f32: false,
            exact_sqrt_f64: false,
            ..Arithmetic::exact()
        },
        ..Target::reference()
    }
}

/// Rows of operands: random bits, numbers near one, and every pair of special ones.
fn rows(bits: u32, operands: usize) -> Vec<Vec<u64>> {
    let (fraction, bias) = match bits {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023_u64),
    };
    let mask = u64::MAX >> (64 - bits);
    let infinity = (2 * bias + 1) << fraction;
    let sign = 1 << (bits - 1);
    let one = bias << fraction;
    let special = [
        0,
        1,
        2,
        3,
        (1 << fraction) - 1,
        1 << fraction,
        one,
        one + 1,
        one - 1,
        one + (1 << (fraction - 1)),
        infinity - 1,
        infinity,
        infinity + 1,
    ];
    let special: Vec<u64> = special.iter().flat_map(|&s| [s, s | sign]).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let mut rows: Vec<Vec<u64>> = (special.iter())
        .flat_map(|&a| special.iter().map(move |&b| [a, b, a ^ b]))
        .map(|row| row[..operands].to_vec())
        .collect();
    // Roots by digits take the interpreter a while.
    for index in 0..[400, 1000, 1000][operands - 1] {
        let row = (0..operands).map(|_| match index % 4 {
            0 => next() & mask,
            // Few digits: ties, and sums that cancel.
            1 => (one & !(31 << (fraction - 2))) + ((next() % 64) << (fraction - 2)),
            _ => {
                let near = one - (8 << fraction) + ((next() % 16) << fraction);
                (next() & sign) | (near + next() % (1 << fraction)) & mask
            }
        });
        rows.push(row.collect());
    }
    if operands == 3 {
        // Products beside addends of every distance, down to where the sum is denormal or nothing.
        for index in 0..1000 {
            let digits = |bits: u64| match index % 3 {
                0 => bits & ((1 << fraction) - 1),
                1 => bits & (3 << (fraction - 2)),
                _ => bits & 3,
            };
            let of_product = next() % (bias + 200);
            let a = of_product.saturating_sub(100).max(1) / 2 + next() % (bias / 2);
            let b = (of_product + bias).saturating_sub(100 + a).min(2 * bias);
            let c = (of_product.saturating_sub(100) + next() % (4 * fraction))
                .saturating_sub(2 * fraction)
                .min(2 * bias);
            let row = [a, b, c]
                .map(|e| (next() & sign) | (e.min(2 * bias) << fraction) | digits(next() & mask));
            rows.push(row.to_vec());
        }
        // Products of half the addend's last place, very little less or more: (1 + x) (1 - x) is 1 - x^2, and
        // (1 + x) (1 - x + x^2) is 1 + x^3.
        let unit = |places: u64| (1 << fraction) >> places;
        for index in 0..1000 {
            let exponent = if index % 4 == 0 {
                0
            } else {
                next() % (2 * bias)
            };
            let addend = exponent << fraction | next() & (unit(0) - 1);
            // Biased twice.
            let of_product = exponent.max(1) + bias - fraction - 1;
            let a = (of_product / 2 + next() % 8).min(2 * bias);
            // The second factor is below 1.
            let b = of_product.saturating_sub(a + 1).clamp(1, 2 * bias);
            let more = next() % 2 == 0;
            let places = match more {
                true => fraction / 2,
                false => fraction / 2 + 1 + next() % (fraction / 2),
            };
            let third = if more { unit(2 * places - 1) } else { 0 };
            let factors = [unit(places), unit(0) - unit(places - 1) + third];
            let row = [
                a << fraction | factors[0],
                b << fraction | factors[1],
                addend,
            ];
            rows.push(row.map(|number| (next() & sign) | number).to_vec());
        }
    }
    rows
}

fn check(instruction: &str, bits: u32, operands: usize) {
    check_on(&plain_target(), instruction, bits, operands);
}

fn check_on(target: &Target, instruction: &str, bits: u32, operands: usize) {
    let ty = format!("f{bits}");
    let mut module = renumbered(&kernel(instruction, &vec![ty.as_str(); operands], &ty));
    let rows = rows(bits, operands);
    let before = if instruction == "math.ocl.fma" {
        let plain = renumbered(&kernel("math.fma", &vec![ty.as_str(); operands], &ty));
        interpret(&plain, &rows)
    } else {
        interpret(&module, &rows)
    };
    let mut options = LowerOptions::default();
    options.math.correctly_rounded_divide_sqrt = true;
    let ctx = Ctx {
        target,
        options: &options,
    };
    let changed = link_library(&mut module, &ctx).expect("lowering");
    assert!(changed.is_yes(), "{instruction} {ty} is left as it is");
    let after = interpret(&module, &rows);
    for ((row, b), a) in rows.iter().zip(before).zip(after) {
        let both_nan = is_nan(bits, a) && is_nan(bits, b);
        assert!(
            a == b || both_nan,
            "{instruction} {ty} of {row:x?}: {b:#x}, lowered {a:#x}"
        );
    }
}

/// A device whose fma alone is exact, and that keeps denormals.
fn fused_target() -> Target {
    Target {
        arithmetic: Arithmetic {
            exact_fma_f32: true,
            denorms_f32: true,
            ..plain_target().arithmetic
        },
        ..plain_target()
    }
}

#[test]
fn quotients_and_roots_by_fma_are_correctly_rounded() {
    for bits in [16, 32] {
        check_on(&fused_target(), "fdiv", bits, 2);
        check_on(&fused_target(), "math.sqrt", bits, 1);
    }
}

#[test]
fn quotients_are_correctly_rounded() {
    for bits in [16, 32, 64] {
        check("fdiv", bits, 2);
    }
}

#[test]
fn roots_are_correctly_rounded() {
    for bits in [16, 32, 64] {
        check("math.sqrt", bits, 1);
    }
}

/// Every half whatever the device's 1/sqrt errs by within more than the 2 ULP of float that Vulkan allows it, as
/// OpenCL.std's instruction and as the IR's.
#[test]
fn roots_of_halves_are_correctly_rounded_by_inexact_inverse_roots() {
    let rows: Vec<[u64; 2]> = (0..0x1_0000_u64)
        .flat_map(|half| {
            let number = pumice_numerics::half_to_f32(half as u16);
            let inverse = (1.0 / f64::from(number).sqrt()) as f32;
            let errors = if number > 0.0 && number.is_finite() {
                -4..=4
            } else {
                0..=0
            };
            errors.map(move |ulp| [half, u64::from(inverse.to_bits().wrapping_add_signed(ulp))])
        })
        .collect();
    for instruction in ["math.sqrt", "math.ocl.sqrt"] {
        // The inverse root is a value of the kernel, so that it can take the place of the device's.
        let text = format!(
            "kernel \"k\" fn0 {{\n  pointer global\n  pointer global\n}}\n\
             func fn0 \"k\"(ptr.global, ptr.global) -> () internal {{\n\
             block0(v0: ptr.global, v1: ptr.global):\n\
             \x20 v2: i64x3 = builtin.global_id\n\
             \x20 v3: i64 = extract v2, 0\n\
             \x20 v4: i64 = imul v3, i64 16\n\
             \x20 v5: ptr.global = ptr_add v0, v4\n\
             \x20 v6: i64 = shl v3, i64 3\n\
             \x20 v7: ptr.global = ptr_add v1, v6\n\
             \x20 v8: f16 = load v5, align 8\n\
             \x20 v9: ptr.global = ptr_add v5, i64 8\n\
             \x20 v10: f32 = load v9, align 8\n\
             \x20 v11: f32 = math.fabs v10\n\
             \x20 v12: f16 = {instruction} v8\n\
             \x20 store v7, v11, align 8\n\
             \x20 store v7, v12, align 2\n  return\n}}\n"
        );
        let mut module = pumice_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}"));
        let ctx = Ctx {
            target: &plain_target(),
            options: &LowerOptions::default(),
        };
        let _ = link_library(&mut module, &ctx).expect("lowering");
        let given: Vec<InstKind> = (module.functions.values())
            .flat_map(|f| f.insts.values().map(|inst| inst.kind.clone()))
            .filter(|kind| {
                matches!(
                    kind,
                    InstKind::Math {
                        op: MathOp::FAbs,
                        ..
                    }
                )
            })
            .collect();
        let mut replaced = 0;
        for inst in (module.functions.values_mut()).flat_map(|f| f.insts.values_mut()) {
            if matches!(
                &inst.kind,
                InstKind::Math {
                    op: MathOp::NativeRsqrt,
                    ..
                }
            ) {
                inst.kind = given[0].clone();
                replaced += 1;
            }
        }
        assert_eq!((given.len(), replaced), (1, 1));
        for rows in rows.chunks(1 << 14) {
            let cells: Vec<Vec<u64>> = rows.iter().map(|row| row.to_vec()).collect();
            for (&[half, inverse], got) in rows.iter().zip(interpret(&module, &cells)) {
                let root = f64::from(pumice_numerics::half_to_f32(half as u16)).sqrt();
                let expected = u64::from(pumice_interp::half::f64_to_f16(root));
                let got = got & 0xffff;
                assert!(
                    got == expected || (is_nan(16, got) && is_nan(16, expected)),
                    "{instruction} of {half:#x} by {inverse:#x}: {expected:#x}, lowered {got:#x}"
                );
            }
        }
    }
}

#[test]
fn fused_operations_round_once() {
    for bits in [16, 32, 64] {
        check("math.ocl.fma", bits, 3);
    }
    let doubles = Target {
        float64: true,
        ..plain_target()
    };
    for bits in [16, 32] {
        check_on(&doubles, "math.ocl.fma", bits, 3);
    }
}

#[test]
fn remainders_are_exact() {
    for bits in [16, 32, 64] {
        check("frem", bits, 2);
    }
}

/// Without the option a single-precision quotient is the device's, its divisor scaled.
#[test]
fn quotients_within_the_limit_need_no_library() {
    let mut module = renumbered(&kernel("fdiv", &["f32", "f32"], "f32"));
    let rows = rows(32, 2);
    let before = interpret(&module, &rows);
    let (target, options) = (plain_target(), LowerOptions::default());
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let _ = link_library(&mut module, &ctx).expect("lowering");
    assert_eq!(module.functions.len(), 1);
    let after = interpret(&module, &rows);
    for ((row, b), a) in rows.iter().zip(before).zip(after) {
        // In the interpreter the division is exact; scaling rounds a denormal quotient again.
        let near = a.abs_diff(b) <= 1 || (is_nan(32, a) && is_nan(32, b));
        assert!(near, "{row:x?}: {b:#x}, lowered {a:#x}");
    }
}

/// The reciprocal root is the device's, special cases apart.
#[test]
fn reciprocal_roots_have_their_special_cases() {
    let mut module = renumbered(&kernel("math.ocl.rsqrt", &["f32"], "f32"));
    let rows = rows(32, 1);
    let (target, options) = (plain_target(), LowerOptions::default());
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let _ = link_library(&mut module, &ctx).expect("lowering");
    for (row, got) in rows.iter().zip(interpret(&module, &rows)) {
        let x = f32::from_bits(row[0] as u32);
        let exact = if x == 0.0 {
            f32::INFINITY.copysign(x)
        } else {
            (1.0 / f64::from(x).sqrt()) as f32
        };
        let near = got.abs_diff(u64::from(exact.to_bits())) <= 2;
        assert!(
            near || (exact.is_nan() && is_nan(32, got)),
            "{x:e}: {got:#x}"
        );
    }
}
