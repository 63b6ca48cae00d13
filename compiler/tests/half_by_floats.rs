//! Arithmetic on halves by floats: every half, on a device without halves and on one that is slow with them, gives what the
//! interpreter gives for the program before the pass, bit for bit. Both take denormal floats for zeros.

use pumice_backend::pass::Ctx;
use pumice_backend::passes::driver_quirks::halves_by_floats;
use pumice_backend::passes::legalize::{legalize_conversions, legalize_half};
use pumice_compiler::target::Arithmetic;
use pumice_compiler::{LowerOptions, Target};
use pumice_ir::{Module, verify};
use pumice_target::QuirkKind;
use pumice_test_support::number_kernels::{
    interpret, interpret_flushed, is_nan, kernel, renumbered,
};

/// Rows that the interpreter takes at a time, so that no run is out of fuel.
const AT_ONCE: usize = 1 << 14;

/// A device without halves.
fn without_halves() -> Target {
    Target {
        float16: false,
        arithmetic: Arithmetic {
            denorms_f32: false,
            ..Arithmetic::exact()
        },
        ..Target::reference()
    }
}

/// A device that is slow with halves.
fn slow_with_halves() -> Target {
    let target = Target::reference();
    Target {
        quirks: target.quirks.with(QuirkKind::HalvesByFloats),
        arithmetic: Arithmetic {
            denorms_f32: false,
            ..target.arithmetic
        },
        ..target
    }
}

/// Lowers a module as the pipeline does.
fn legalized(mut module: Module, target: &Target, text: &str) -> Module {
    let options = LowerOptions::default();
    let ctx = Ctx {
        target,
        options: &options,
    };
    let globals = module.globals.clone();
    let functions = ctx.of_functions(&globals);
    for f in module.functions.values_mut() {
        let _ = legalize_conversions::run(f, &functions).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
    let changed = legalize_half::run(&mut module, &ctx).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(changed.is_yes(), !target.has_halves(), "{text}");
    if target.has_halves() {
        for f in module.functions.values_mut() {
            let _ = halves_by_floats::run(f, &functions).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

/// Compares the results of a kernel as numbers of `bits` bits in cells of eight bytes.
fn check(text: &str, module: Module, bits: u32, rows: &[Vec<u64>]) {
    for target in [without_halves(), slow_with_halves()] {
        check_on(&target, text, &module, bits, rows);
    }
}

fn check_on(target: &Target, text: &str, module: &Module, bits: u32, rows: &[Vec<u64>]) {
    let lowered = legalized(module.clone(), target, text);
    for rows in rows.chunks(AT_ONCE) {
        let before = interpret(module, rows);
        let after = interpret_flushed(&lowered, rows);
        for ((row, before), after) in rows.iter().zip(before).zip(after) {
            for lane in 0..64 / bits {
                let [b, a] =
                    [before, after].map(|cell| cell >> (lane * bits) & (u64::MAX >> (64 - bits)));
                assert!(
                    a == b || (is_nan(bits, a) && is_nan(bits, b)),
                    "{row:x?}, number {lane}: {b:#x}, by floats {a:#x}\n{text}"
                );
            }
        }
    }
}

fn check_instruction(instruction: &str, types: &[&str], result: &str, rows: &[Vec<u64>]) {
    let text = kernel(instruction, types, result);
    let bits = if result == "f32" { 32 } else { 16 };
    check(&text, renumbered(&text), bits, rows);
}

/// Every half, with others: limits, ties and neighbours for small numbers, any number for most.
fn halves(operands: usize) -> Vec<Vec<u64>> {
    const OTHERS: [u64; 16] = [
        0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x8401, 0x3c00, 0xbc01, 0x3800, 0x3555, 0x7bff,
        0xfbff, 0x7c00, 0xfc00, 0x7e01, 0x1400,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut other = |index: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match index % 4 {
            0 => OTHERS[(state >> 40) as usize % OTHERS.len()],
            // Of about the same size: sums cancel, and products of roots are near one.
            1 => (index ^ (state >> 40 & 0x83ff)) & 0xffff,
            2 => (0x7800 ^ index ^ (state >> 40 & 0x87ff)) & 0xffff,
            _ => state >> 40 & 0xffff,
        }
    };
    // The four kinds of others meet each half's last digits.
    (0..0x1_0000)
        .map(|half: u64| {
            let mut row = vec![half];
            row.extend((1..operands as u64).map(|at| other(half ^ (half >> 2) ^ at)));
            row
        })
        .collect()
}

#[test]
fn comparisons_tell_denormals_and_nans_apart() {
    let rows = halves(2);
    for condition in ["oeq", "une", "olt", "uge", "ord", "uno"] {
        let text = kernel(&format!("fcmp.{condition}"), &["f16", "f16"], "bool");
        check(&text, renumbered(&text), 8, &rows);
    }
}

#[test]
fn small_integers_become_the_nearest_halves() {
    let rows: Vec<Vec<u64>> = (0..0x1_0000).map(|bits| vec![bits]).collect();
    for (instruction, ty) in [("s_to_f", "i16"), ("u_to_f", "i16"), ("s_to_f", "i8")] {
        check_instruction(instruction, &[ty], "f16", &rows);
    }
}

#[test]
fn sums_and_products_of_halves_round_once() {
    let rows = halves(2);
    for instruction in ["fadd", "fsub", "fmul", "fdiv", "math.fmin", "math.fmax"] {
        check_instruction(instruction, &["f16", "f16"], "f16", &rows);
    }
    check_instruction("math.fma", &["f16"; 3], "f16", &halves(3));
}

#[test]
fn functions_of_halves_round_once() {
    let rows = halves(1);
    for name in ["sqrt", "floor", "ceil", "trunc", "round_even", "fabs"] {
        check_instruction(&format!("math.{name}"), &["f16"], "f16", &rows);
    }
    check_instruction("fneg", &["f16"], "f16", &rows);
    check_instruction("f_to_f", &["f16"], "f32", &rows);
}

/// Floats at every half, at the middle between it and the next, and beside both; and floats of all sizes.
#[test]
fn floats_become_the_nearest_halves() {
    let mut rows = Vec::new();
    for half in 0..0x7c00_u16 {
        let [here, next] = [half, half + 1].map(|bits| match bits {
            0x7c00 => 65536.0,
            _ => pumice_numerics::half_to_f32(bits),
        });
        for number in [here, here.midpoint(next)] {
            let bits = u64::from(number.to_bits());
            rows.extend(
                [bits, bits + 1, bits.wrapping_sub(1) & 0xffff_ffff].map(|bits| vec![bits]),
            );
            rows.push(vec![bits | 0x8000_0000]);
        }
    }
    let spread = (0..0x1_0000_u64)
        .map(|index| vec![index.wrapping_mul(0x0001_0001_0003) >> 8 & 0xffff_ffff]);
    rows.extend(spread);
    for bits in [
        0x7f80_0000,
        0x7f80_0001,
        0x7fff_ffff,
        0x7f7f_ffff,
        0x0000_0001,
    ] {
        rows.extend([vec![bits], vec![bits | 0x8000_0000]]);
    }
    check_instruction("f_to_f", &["f32"], "f16", &rows);
    check_instruction("f_to_f.rte", &["f32"], "f16", &rows);
}

/// Results that stay floats between operations: what uses them sees the rounded numbers.
#[test]
fn halves_on_the_way_are_rounded() {
    let text = "kernel \"k\" fn0 {\n  pointer global\n  pointer global\n}\n\
        func fn0 \"k\"(ptr.global, ptr.global) -> () internal {\n\
        block0(v0: ptr.global, v1: ptr.global):\n\
        \x20 v2: i64x3 = builtin.global_id\n\
        \x20 v3: i64 = extract v2, 0\n\
        \x20 v4: i64 = imul v3, i64 24\n\
        \x20 v5: ptr.global = ptr_add v0, v4\n\
        \x20 v6: i64 = shl v3, i64 3\n\
        \x20 v7: ptr.global = ptr_add v1, v6\n\
        \x20 v8: f16 = load v5, align 8\n\
        \x20 v9: ptr.global = ptr_add v5, i64 8\n\
        \x20 v10: f16 = load v9, align 8\n\
        \x20 v11: ptr.global = ptr_add v5, i64 16\n\
        \x20 v12: f16 = load v11, align 8\n\
        \x20 v13: f16 = fmul v8, v10\n\
        \x20 v14: f16 = fadd v13, v12\n\
        \x20 v15: f16 = fneg v14\n\
        \x20 v16: f16 = math.fabs v13\n\
        \x20 v17: bool = fcmp.olt v15, v16\n\
        \x20 v18: f16 = select v17, v15, v16\n\
        \x20 v19: f16x2 = build v18, v14\n\
        \x20 v20: f16x2 = insert v19, f16 1.5, 1\n\
        \x20 v21: f16x2 = fmul v20, v19\n\
        \x20 v22: f16x4 = shuffle v21, v20, [1, 0, 3, 2]\n\
        \x20 v23: f16x4 = fadd v22, v22\n\
        \x20 v24: f16 = extract v23, 3\n\
        \x20 v25: f16 = math.sqrt v24\n\
        \x20 v26: f16x4 = insert v23, v25, 2\n\
        \x20 store v7, v26, align 8\n  return\n}\n";
    let module = pumice_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}"));
    check(text, module, 16, &halves(3));
}
