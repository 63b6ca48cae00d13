//! Kernels that apply one instruction to rows of operands, and operands worth trying.

use pumice_interp::{self as interp, Arg, Inputs, NdRange, Options};
use pumice_ir::text::parse_module;
use pumice_ir::verify;

/// A kernel that applies one instruction to operands of `types` in rows of 8-byte cells.
pub fn kernel(instruction: &str, types: &[&str], result: &str) -> String {
    let mut body = String::new();
    let n = types.len();
    let mut next = 10;
    let mut operands = Vec::new();
    for (i, ty) in types.iter().enumerate() {
        body += &format!(
            "  v{}: ptr.global = ptr_add v5, i64 {}\n  v{}: {ty} = load v{}, align 8\n",
            next,
            i * 8,
            next + 1,
            next
        );
        operands.push(format!("v{}", next + 1));
        next += 2;
    }
    let (value, stored) = if result == "bool" {
        (
            format!(
                "  v{next}: bool = {instruction} {}\n  v{}: i8 = zext v{next}\n",
                operands.join(", "),
                next + 1
            ),
            next + 1,
        )
    } else {
        (
            format!(
                "  v{next}: {result} = {instruction} {}\n",
                operands.join(", ")
            ),
            next,
        )
    };
    format!(
        "kernel \"k\" fn0 {{\n  pointer global\n  pointer global\n}}\n\
         func fn0 \"k\"(ptr.global, ptr.global) -> () internal {{\n\
         block0(v0: ptr.global, v1: ptr.global):\n  v2: i64x3 = builtin.global_id\n  \
         v3: i64 = extract v2, 0\n  v4: i64 = imul v3, i64 {}\n  v5: ptr.global = ptr_add v0, v4\n  \
         v6: i64 = shl v3, i64 3\n  v7: ptr.global = ptr_add v1, v6\n{body}{value}  \
         store v7, v{stored}, align 8\n  return\n}}\n",
        n * 8
    )
}

/// Results of a module of [`kernel`] on rows of operands, in the interpreter.
///
/// # Panics
/// If the interpreter refuses the module.
pub fn interpret(module: &pumice_ir::Module, rows: &[Vec<u64>]) -> Vec<u64> {
    interpret_with(module, rows, &Options::default())
}

/// Results as [`interpret`] gives them, on a device that takes denormal floats for zeros.
///
/// # Panics
/// If the interpreter refuses the module.
pub fn interpret_flushed(module: &pumice_ir::Module, rows: &[Vec<u64>]) -> Vec<u64> {
    let options = Options {
        flush_denormals: true,
        ..Options::default()
    };
    interpret_with(module, rows, &options)
}

/// Results as [`interpret`] gives them, on a device that takes denormal doubles for zeros.
///
/// # Panics
/// If the interpreter refuses the module.
pub fn interpret_flushing_doubles(module: &pumice_ir::Module, rows: &[Vec<u64>]) -> Vec<u64> {
    let options = Options {
        flush_doubles: true,
        fuel: 1_000_000_000,
        ..Options::default()
    };
    interpret_with(module, rows, &options)
}

fn interpret_with(module: &pumice_ir::Module, rows: &[Vec<u64>], options: &Options) -> Vec<u64> {
    let input: Vec<u8> = rows
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let inputs = Inputs {
        buffers: vec![input, vec![0; rows.len() * 8]],
        args: vec![
            Arg::Buffer {
                index: 0,
                offset: 0,
            },
            Arg::Buffer {
                index: 1,
                offset: 0,
            },
        ],
    };
    let range = NdRange::linear(rows.len() as u64, 1);
    let output =
        interp::run(module, "k", &inputs, &range, options).unwrap_or_else(|e| panic!("{e:?}"));
    output.buffers[1]
        .chunks(8)
        .map(|c| u64::from_le_bytes(c.try_into().expect("8 bytes")))
        .collect()
}

/// Parses the text of [`kernel`] with its values numbered densely.
///
/// # Panics
/// On text that is no module.
pub fn renumbered(text: &str) -> pumice_ir::Module {
    // Values are numbered densely: v8 and v9 are left out above.
    let mut text = text.to_string();
    for i in 10..40 {
        text = text.replace(&format!("v{i}:"), &format!("v{}:", i - 2));
        text = text.replace(&format!("v{i},"), &format!("v{},", i - 2));
        text = text.replace(&format!("v{i}\n"), &format!("v{}\n", i - 2));
    }
    let module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

/// The ones of a number of that many bits.
pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Integers of that many bits: small ones, powers of two, and the limits.
pub fn integers(bits: u32) -> Vec<u64> {
    let min = 1u64 << (bits - 1);
    [
        0,
        1,
        2,
        3,
        7,
        100,
        min - 1,
        min,
        min + 1,
        min >> 1,
        u64::MAX,
        u64::MAX - 1,
        0x5555_5555_5555_5555,
        0x0123_4567_89AB_CDEF,
        0xF0E1_D2C3_B4A5_9687,
        0xFF80,
    ]
    .iter()
    .map(|v| v & mask(bits))
    .collect()
}

/// The endings of conversions: the mode that the operation has by itself, and each that it can be given.
pub const ROUNDING_MODES: [&str; 5] = ["", ".rte", ".rtz", ".rtp", ".rtn"];

/// Every pair of values, as rows of two operands.
pub fn pairs(values: &[u64]) -> Vec<Vec<u64>> {
    values
        .iter()
        .flat_map(|&a| values.iter().map(move |&b| vec![a, b]))
        .collect()
}

/// Returns the integers with one or two bits set, their neighbours and what is negative of them, as rows of one cell.
pub fn pairs_of_bits(width: u32) -> Vec<Vec<u64>> {
    let bits = || (0..width).map(|bit| 1u64 << bit);
    let sums = bits().flat_map(|high| bits().map(move |low| high | low));
    sums.flat_map(|sum| {
        [
            sum,
            sum.wrapping_sub(1),
            sum.wrapping_add(1),
            sum.wrapping_neg(),
        ]
    })
    .map(|value| vec![value & mask(width)])
    .collect()
}

/// Returns the numbers of each finite exponent as rows of one cell: powers of two, their neighbours and the numbers
/// half way to the next power, of both signs. `fraction` is the number of bits of the type's fraction.
pub fn every_exponent(bits: u32, fraction: u32) -> Vec<Vec<u64>> {
    let powers = (0..(1 << (bits - 1 - fraction)) - 1).map(|exponent: u64| exponent << fraction);
    // Denormal powers of two.
    let powers = powers.chain((0..fraction).map(|bit| 1 << bit));
    powers
        .flat_map(|power| {
            [
                power,
                power.saturating_sub(1),
                power + 1,
                power | 1 << (fraction - 1),
            ]
        })
        .flat_map(|magnitude| [vec![magnitude], vec![magnitude | 1 << (bits - 1)]])
        .collect()
}

/// Bits of floats of that many bits in rows of one operand: limits of every format, halves, NaN.
pub fn floats(bits: u32) -> Vec<Vec<u64>> {
    let numbers: &[f64] = &[
        0.0,
        -0.0,
        0.5,
        1.0,
        1.5,
        2.5,
        -2.5,
        3.5,
        0.3,
        -0.3,
        99.99,
        -100.5,
        127.5,
        128.0,
        254.5,
        255.5,
        256.0,
        32767.5,
        65535.5,
        65504.0,
        65519.0,
        65520.0,
        70000.0,
        -70000.0,
        16777217.0,
        2147483647.0,
        2147483648.0,
        -2147483648.0,
        -2147483649.0,
        4294967295.0,
        4294967296.0,
        9.2e18,
        1.8e19,
        1.9e19,
        -9.3e18,
        1e30,
        -1e30,
        6.1e-5,
        6.0e-5,
        5.96e-8,
        2.98e-8,
        2.99e-8,
        1e-9,
        1e-40,
        3.0e38,
        3.5e38,
        1e300,
        -1e300,
        1e-300,
        1.0000001,
        1.00048828125,
        1.000732421875,
        0.1,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    numbers
        .iter()
        .map(|&n| {
            vec![match bits {
                16 => u64::from(interp::half::f64_to_f16(n)),
                32 => u64::from((n as f32).to_bits()),
                _ => n.to_bits(),
            }]
        })
        .collect()
}

/// Returns whether the bits of a float of this width are a NaN.
pub fn is_nan(bits: u32, value: u64) -> bool {
    match bits {
        16 => value & 0x7FFF > 0x7C00,
        32 => f32::from_bits(value as u32).is_nan(),
        _ => f64::from_bits(value).is_nan(),
    }
}
