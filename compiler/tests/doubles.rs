//! Doubles on a device that takes their denormals for zeros (`legalize_doubles`), in an interpreter that flushes, and on
//! devices without any (`soft_doubles`): they are the host's, bit for bit.

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::run_pipeline;
use pumice_compiler::{LowerOptions, Target};
use pumice_interp::{self as interp, Arg, Inputs, NdRange, Options};
use pumice_ir::Module;
use pumice_test_support::build::linked;
use pumice_test_support::low_target;
use pumice_test_support::mutants::Random;
use pumice_test_support::number_kernels::{
    ROUNDING_MODES, every_exponent, interpret, interpret_flushing_doubles, is_nan, kernel,
    pairs_of_bits, renumbered,
};
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// The devices, each with a name.
fn devices() -> [(&'static str, Target); 4] {
    let flushing = Target {
        flushes_f64: true,
        ..Target::reference()
    };
    let mut rounding = flushing.clone();
    rounding.arithmetic.exact_fma_f64 = false;
    [
        ("a device that flushes", flushing),
        ("a device that flushes and whose fma rounds twice", rounding),
        ("a device without doubles", soft()),
        ("a device with words only", low_target()),
    ]
}

fn soft() -> Target {
    Target::reference().with_soft_doubles()
}

/// Lowers for a device.
fn lowered(mut module: Module, target: &Target) -> Module {
    let options = LowerOptions::default();
    let ctx = Ctx {
        target,
        options: &options,
    };
    run_pipeline(&mut module, &ctx, &mut |_, _| {}).expect("lowering");
    module
}

struct Operands(Random);

impl Operands {
    fn of(seed: u64) -> Self {
        Self(Random(seed))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound as usize) as u64
    }

    /// A number of one of the sizes that matter: denormal, beside the least normal number, where two make a
    /// denormal product, beside the bounds of the flags and of scaling (2^±400), of any size, and the special ones.
    fn number(&mut self) -> f64 {
        let fraction = match self.below(4) {
            0 => self.0.bits() & ((1 << 52) - 1),
            1 => (self.0.bits() & 0xff) << 44,
            2 => ((1 << 52) - 1) & !self.below(4),
            _ => self.below(4),
        };
        let exponent = match self.below(9) {
            0 | 1 => 0,
            2 => self.below(4),
            3 => 1023 - 511 + self.below(60),
            4 => 1023 - 511 - self.below(60),
            5 => 50 + self.below(90),
            6 => [1023 - 4, 1023 - 404, 1023 + 396][self.below(3) as usize] + self.below(8),
            7 => self.below(2047),
            _ => {
                let special = [
                    0,
                    1 << 52,
                    0x7ff << 52,
                    (0x7ff << 52) | 1 << 51,
                    1,
                    1023 << 52,
                ];
                let bits = special[self.below(6) as usize] | self.0.bits() & 1 << 63;
                return f64::from_bits(bits);
            }
        };
        // Denormals of all lengths.
        let shift = if exponent == 0 { self.below(52) } else { 0 };
        f64::from_bits(self.0.bits() & 1 << 63 | exponent << 52 | fraction >> shift)
    }

    /// Operands of an fma: any, or an addend that takes nearly all of the product away.
    fn triple(&mut self) -> [f64; 3] {
        let [a, mut b, c] = [self.number(), self.number(), self.number()];
        if self.below(2) == 0 && a != 0.0 && a.is_finite() {
            // A product of the size that is wanted.
            let wanted = self.number() * 2f64.powi(self.below(110) as i32);
            b = wanted / a;
        }
        let c = match self.below(3) {
            0 => c,
            1 => -(a * b),
            _ => f64::from_bits(
                (-(a * b))
                    .to_bits()
                    .wrapping_add(self.below(7))
                    .wrapping_sub(3),
            ),
        };
        [a, b, c]
    }
}

/// Checks an instruction on rows of operands.
fn check(instruction: &str, rows: &[[f64; 3]], result: &str, expected: impl Fn([f64; 3]) -> u64) {
    let operands = match instruction {
        "math.fma" => 3,
        "math.sqrt" | "math.floor" | "math.ceil" | "math.trunc" | "math.round_even" => 1,
        _ => 2,
    };
    let cells: Vec<Vec<u64>> = (rows.iter())
        .map(|row| row[..operands].iter().map(|x| x.to_bits()).collect())
        .collect();
    for (device, target) in devices() {
        let text = kernel(instruction, &["f64"; 3][..operands], result);
        let module = lowered(renumbered(&text), &target);
        let got = interpret_flushing_doubles(&module, &cells);
        for (row, got) in rows.iter().zip(got) {
            let want = expected(*row);
            let same = got == want || result == "f64" && is_nan(64, got) && is_nan(64, want);
            assert!(
                same,
                "{device}: {instruction} of {:x?}: {got:#018x}, expected {want:#018x}",
                row.map(f64::to_bits)
            );
        }
    }
}

#[test]
fn arithmetic_keeps_denormals() {
    let mut random = Operands::of(0x9e37_79b9_7f4a_7c15);
    let rows: Vec<[f64; 3]> = (0..20_000)
        .map(|_| [random.number(), random.number(), random.number()])
        .collect();
    let bits = |f: fn(f64, f64) -> f64| move |[a, b, _]: [f64; 3]| f(a, b).to_bits();
    check("fadd", &rows, "f64", bits(|a, b| a + b));
    check("fsub", &rows, "f64", bits(|a, b| a - b));
    check("fmul", &rows, "f64", bits(|a, b| a * b));
    check("fdiv", &rows, "f64", bits(|a, b| a / b));
    check("math.sqrt", &rows, "f64", bits(|a, _| a.sqrt()));
    check("math.floor", &rows, "f64", bits(|a, _| a.floor()));
    check("math.ceil", &rows, "f64", bits(|a, _| a.ceil()));
    check("math.trunc", &rows, "f64", bits(|a, _| a.trunc()));
    check(
        "math.round_even",
        &rows,
        "f64",
        bits(|a, _| a.round_ties_even()),
    );
}

#[test]
fn fused_products_keep_denormals() {
    let mut random = Operands::of(0x0123_4567_89ab_cdef);
    let rows: Vec<[f64; 3]> = (0..60_000).map(|_| random.triple()).collect();
    check("math.fma", &rows, "f64", |[a, b, c]| {
        a.mul_add(b, c).to_bits()
    });
}

#[test]
fn comparisons_tell_denormals_apart() {
    let mut random = Operands::of(0xfeed_f00d_dead_beef);
    let rows: Vec<[f64; 3]> = (0..4000)
        .map(|_| {
            let a = random.number();
            let b = if random.below(3) == 0 {
                a
            } else {
                random.number()
            };
            [a, b, 0.0]
        })
        .collect();
    let test = |name: &str, holds: fn(Option<Ordering>) -> bool| {
        check(&format!("fcmp.{name}"), &rows, "bool", |[a, b, _]| {
            u64::from(holds(a.partial_cmp(&b)))
        });
    };
    test("oeq", |order| order == Some(Equal));
    test("one", |order| matches!(order, Some(Less | Greater)));
    test("olt", |order| order == Some(Less));
    test("ole", |order| matches!(order, Some(Less | Equal)));
    test("ogt", |order| order == Some(Greater));
    test("oge", |order| matches!(order, Some(Greater | Equal)));
    test("ueq", |order| matches!(order, None | Some(Equal)));
    test("une", |order| order != Some(Equal));
    test("ult", |order| matches!(order, None | Some(Less)));
    test("ule", |order| order != Some(Greater));
    test("ugt", |order| matches!(order, None | Some(Greater)));
    test("uge", |order| order != Some(Less));
    // Either of two zeros may be the minimum.
    let rows: Vec<[f64; 3]> = (rows.into_iter())
        .filter(|[a, b, _]| *a != 0.0 || *b != 0.0)
        .collect();
    check("math.fmin", &rows, "f64", |[a, b, _]| a.min(b).to_bits());
    check("math.fmax", &rows, "f64", |[a, b, _]| a.max(b).to_bits());
}

/// Checks a conversion in each rounding mode against the interpreter before lowering.
fn check_conversion(op: &str, from: &str, to: &str, rows: &[Vec<u64>]) {
    for mode in ROUNDING_MODES {
        let text = kernel(&format!("{op}{mode}"), &[from], to);
        let expected = interpret(&renumbered(&text), rows);
        for (device, target) in devices() {
            let module = lowered(renumbered(&text), &target);
            let got = interpret_flushing_doubles(&module, rows);
            for ((row, want), got) in rows.iter().zip(&expected).zip(got) {
                let value = row[0];
                assert_eq!(*want, got, "{device}: {op}{mode} of {value:#x} to {to}");
            }
        }
    }
}

#[test]
fn conversions_round_at_every_exponent() {
    let rows = every_exponent(64, 52);
    check_conversion("f_to_f", "f64", "f16", &rows);
    check_conversion("f_to_f", "f64", "f32", &rows);
    for to in ["i16", "i32", "i64"] {
        check_conversion("f_to_s_sat", "f64", to, &rows);
        check_conversion("f_to_u_sat", "f64", to, &rows);
    }
    let rows = pairs_of_bits(64);
    check_conversion("s_to_f", "i64", "f64", &rows);
    check_conversion("u_to_f", "i64", "f64", &rows);
}

/// The module of a kernel that writes one value for each row of `x`, `y`, `z` and `n`.
fn compiled(target: &Target, code: &str) -> Module {
    let text = format!(
        "kernel void k(global double *xs, global double *ys, global double *zs, global int *ns, global double *r) {{\n\
         size_t g = get_global_id(0);\ndouble x = xs[g], y = ys[g], z = zs[g], f;\nint n = ns[g], i;\n{code}\n}}\n"
    );
    let module = linked(&text, "", target).unwrap_or_else(|log| panic!("{code}: {log}"));
    let ir = import(&module.words, &SpecConstants::default()).expect("a module");
    lowered(ir, target)
}

/// The results of a module on rows of operands.
fn results(module: &Module, rows: &[([f64; 3], i32)], flush_doubles: bool) -> Vec<u64> {
    let doubles = |index: usize| -> Vec<u8> {
        rows.iter()
            .flat_map(|row| row.0[index].to_le_bytes())
            .collect()
    };
    let inputs = Inputs {
        buffers: vec![
            doubles(0),
            doubles(1),
            doubles(2),
            rows.iter().flat_map(|row| row.1.to_le_bytes()).collect(),
            vec![0; rows.len() * 8],
        ],
        args: (0..5)
            .map(|index| Arg::Buffer { index, offset: 0 })
            .collect(),
    };
    let options = Options {
        flush_doubles,
        fuel: 1_000_000_000,
        ..Options::default()
    };
    let range = NdRange::linear(rows.len() as u64, 1);
    let output = interp::run(module, "k", &inputs, &range, &options).expect("a run");
    (output.buffers[4].chunks(8))
        .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")))
        .collect()
}

/// Functions and code: what a device that keeps denormals computes, one that flushes them does too.
#[test]
fn programs_give_what_they_do_elsewhere() {
    let calls = [
        "fma(x, y, z)",
        "log(x * y) - z",
        "x * exp(y * z)",
        "half_rsqrt((float)x) * y",
        "distance((double2)(x, y), (double2)(y, z))",
        "lgamma_r(x, &i) + i",
        "remquo(x, y, &i)",
        "sincos(x, &f) + f",
        "powr(fabs(x), y)",
        "atan2pi(y, x)",
        "atanpi(x)",
        "acospi(x)",
        "asinpi(x)",
        "cospi(x)",
        "sqrt(x)",
        "rsqrt(x)",
        "cbrt(x)",
        "hypot(x, y)",
        "exp(x)",
        "exp2(x)",
        "exp10(x)",
        "expm1(x)",
        "log(x)",
        "log2(x)",
        "log10(x)",
        "log1p(x)",
        "pow(x, y)",
        "pown(x, n)",
        "rootn(x, n)",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x)",
        "acos(x)",
        "atan(x)",
        "atan2(y, x)",
        "sinpi(x)",
        "tanpi(x)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "asinh(x)",
        "acosh(x)",
        "atanh(x)",
        "erf(x)",
        "erfc(x)",
        "tgamma(x)",
        "lgamma(x)",
        "fmod(x, y)",
        "remainder(x, y)",
        "fdim(x, y)",
        "fract(x, &f)",
        "modf(x, &f)",
        "ldexp(x, n)",
        "nextafter(x, y)",
        "logb(x)",
        "frexp(x, &i)",
        "maxmag(x, y)",
        "sign(x)",
        "degrees(x)",
        "mix(x, y, z)",
        "smoothstep(x, y, z)",
        "clamp(x, -1.0, 1e-310)",
        "length((double3)(x, y, z))",
        "mad(x, y, z)",
        "normalize((double2)(x, y)).y",
        "dot((double4)(x, y, z, 1), (double4)(y, x, 1, z))",
        "round(x)",
        "trunc(x)",
        "-x * y + fabs(z)",
        "(double)(float)x",
        "convert_double_rtp(convert_float_rtp(x))",
        "x < y ? x : z",
        "(double)ilogb(x)",
        "(double)as_long(x)",
        "(double)as_ulong(x)",
        "convert_double_rtn(as_long(x))",
        "convert_double_rtp(as_ulong(x))",
        "(double)as_int2(x).x",
        "(double)as_uint2(x).x",
        "(double)as_float2(x).x",
        "as_double(convert_long_sat(x))",
        "as_double(convert_long_sat_rte(x * 0x1p60))",
        "as_double(convert_ulong_sat_rtp(x * 0x1p40))",
        "(double)convert_uint_sat(x * 0x1p30)",
        "(double)convert_int_sat_rtn(x)",
        "(double)convert_char_sat_rte(x)",
        "as_double((ulong)as_uint((float)x))",
        "as_double((ulong)as_uint(convert_float_rtz(x)))",
        "as_double((ulong)as_ushort(convert_half(x)))",
        "rint(x * 0x1p50)",
        "floor(x * 0x1p20)",
        "isnormal(x) ? 1.0 : 2.0",
        "(double)convert_half_rtn(x)",
        "(double)(n / 3) * x",
        "(double)isequal(x, y)",
        "as_double(as_ulong(x) + 1) * y",
        "select(x, y, (long)(x > z))",
    ];
    let mut random = Operands::of(0x5eed);
    let rows: Vec<([f64; 3], i32)> = (0..2000)
        .map(|round| {
            if round % 4 == 0 {
                // Where exponentials and gamma end, and powers of the same.
                let x = [-1100.0, -750.0, -340.0, -190.0, -10.0, 22.0][random.below(6) as usize];
                let x = x + random.below(1 << 20) as f64 * [1e-4, 1e-5][random.below(2) as usize];
                let z = random.number();
                return (
                    [x, if random.below(2) == 0 { z } else { -x / 3.1 }, z],
                    x as i32,
                );
            }
            let [x, y, z] = random.triple();
            let n = random.below(2200) as i32 - 1100;
            if round % 3 == 0 {
                ([x, y, z], n)
            } else {
                ([random.number(), y, z], n % 5)
            }
        })
        .collect();
    let loops = "double sum = 0.0, product = 1.0;\nfor (i = 0; i < 40; ++i) {\n  sum += x * product;\n  product *= y;\n  \
                 if (sum < z) sum -= z * 0.5;\n}\nr[g] = sum + product;";
    let vectors = "double4 v = (double4)(x, y, z, x * y);\nv = v.wzyx * v + v;\nv = max(v, v.yxwz * 0.5);\n\
                   r[g] = v.x + v.y * v.z - v.w;";
    let pointers = "double3 w, v = modf((double3)(x, y, z), &w);\nint3 e;\nv += frexp(w.zxy, &e);\n\
                    r[g] = v.x + v.y * w.z + w.x + e.y;";
    let long = "double8 v = sqrt((double8)(x, y, z, x, y, z, x, y));\nv = atan2(v.s76543210, v) + lgamma(v);\n\
                r[g] = v.s1 + v.s7;";
    let stores = "ys[g] = x * y;\nf = ys[g];\nif (f * 2.0 == x) f = z * z;\nzs[g] = f + x;\nr[g] = zs[g] / y;";
    let codes = calls.iter().map(|call| format!("r[g] = {call};"));
    let codes = codes.chain([loops, vectors, pointers, long, stores].map(String::from));
    for code in codes {
        let expected = results(&compiled(&Target::reference(), &code), &rows, false);
        for (device, target) in devices() {
            // What is contracted elsewhere is rounded twice there.
            if !target.arithmetic.exact_fma_f64 && !code.contains("fma(x, y, z)") {
                continue;
            }
            // Of small numbers erf is one product there, elsewhere a product and a sum.
            let apart = u64::from(target.flushes_f64 && code.contains("erf(x)"));
            // Each operation takes the interpreter some hundred steps.
            let rows = if target.soft_f64 { &rows[..60] } else { &rows };
            let got = results(&compiled(&target, &code), rows, target.flushes_f64);
            for ((row, &expected), got) in rows.iter().zip(&expected).zip(got) {
                let same =
                    expected.abs_diff(got) <= apart || is_nan(64, expected) && is_nan(64, got);
                assert!(
                    same,
                    "{device}: {code} of {:x?}, {}: {got:#018x}, else {expected:#018x}",
                    row.0.map(f64::to_bits),
                    row.1
                );
            }
        }
    }
}
