//! Cases that file tests cannot say: errors, sub-groups, printf.

use super::{Arg, ErrorKind, Inputs, NdRange, Options, Output, PrintfValue, run};
use pumice_ir::text::parse_module;
use pumice_ir::{Type, verify};

fn run_text(body: &str, buffer: Vec<u8>, local: u64) -> Result<Output, super::InterpError> {
    run_on(body, buffer, &NdRange::linear(local * 2, local), false)
}

fn run_on(
    body: &str,
    buffer: Vec<u8>,
    range: &NdRange,
    flush_denormals: bool,
) -> Result<Output, super::InterpError> {
    let text = format!(
        "string str0 = \"v=%d %s\\n\"\nstring str1 = \"abc\"\n\
         kernel \"k\" fn0 {{\n  pointer global\n  local align 4\n}}\n\
         func fn0 \"k\"(ptr.global, ptr.local) -> () export {{\n  slot0 = size 8 align 4\n\
         block0(v0: ptr.global, v1: ptr.local):\n{body}\n}}\n"
    );
    let module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let inputs = Inputs {
        buffers: vec![buffer],
        args: vec![
            Arg::Buffer {
                index: 0,
                offset: 0,
            },
            Arg::Local(16),
        ],
    };
    run(
        &module,
        "k",
        &inputs,
        range,
        &Options {
            subgroup_size: 4,
            fuel: 100_000,
            flush_denormals,
            ..Options::default()
        },
    )
}

fn kind(body: &str) -> ErrorKind {
    run_text(body, vec![0; 16], 2).expect_err(body).kind
}

#[test]
fn errors_are_typed() {
    assert!(matches!(
        kind("  v2: ptr.global = ptr_add v0, i64 16\n  store v2, i8 1, align 1\n  return"),
        ErrorKind::OutOfBounds { size: 1, .. }
    ));
    assert!(matches!(
        kind("  v2: ptr.global = ptr_add v0, i64 -1\n  v3: i32 = load v2, align 1\n  return"),
        ErrorKind::OutOfBounds { size: 4, .. }
    ));
    assert!(matches!(
        kind("  v2: ptr.global = ptr_add v0, i64 2\n  v3: i32 = load v2, align 4\n  return"),
        ErrorKind::Misaligned { align: 4, .. }
    ));
    assert!(matches!(
        kind("  v2: i32 = load ptr.local 0x0, align 4\n  return"),
        ErrorKind::OutOfBounds { address: 0, .. }
    ));
    assert!(matches!(
        kind("  v2: ptr.private = stack_addr slot0\n  v3: i32 = load v2, align 4\n  return"),
        ErrorKind::Uninitialised { .. }
    ));
    assert_eq!(
        kind("  jump block1\nblock1:\n  jump block1"),
        ErrorKind::OutOfFuel
    );
    assert_eq!(kind("  unreachable"), ErrorKind::Unreachable);
    assert_eq!(kind("  call fn0(v0, v1)\n  return"), ErrorKind::CallDepth);
    assert_eq!(
        kind(
            "  v2: i64 = builtin.local_linear_id\n  v3: bool = icmp.eq v2, i64 0\n  \
             branch v3, block1, block2\nblock1:\n  \
             barrier.workgroup.workgroup.acq_rel.local\n  jump block2\nblock2:\n  return"
        ),
        ErrorKind::DivergentBarrier
    );
    assert_eq!(
        kind("  v2: f32 = math.ocl.sin f32 1.0\n  return"),
        ErrorKind::Unsupported("math.ocl.sin".into())
    );
}

#[test]
fn an_error_names_the_instruction() {
    let error = run_text("  store v0, i64x4 [1], align 4\n  return", vec![0; 16], 2)
        .expect_err("too small");
    assert_eq!(
        error.to_string(),
        "out of bounds: 32 bytes at 0x100000000 in \"k\", block0: \
         store v0, i64x4 [1], align 4 by work-item (0, 0, 0)"
    );
}

#[test]
fn printf_is_recorded() {
    let output = run_text(
        "  v2: i64 = builtin.global_linear_id\n  v3: i32 = trunc v2\n  \
         v4: i32 = printf str0(v3, str1)\n  return",
        vec![],
        1,
    )
    .expect("runs");
    assert_eq!(output.printf.len(), 2);
    assert_eq!(output.printf[1].format, b"v=%d %s\n");
    assert_eq!(
        output.printf[1].args,
        [
            PrintfValue::Value(Type::I32, vec![1]),
            PrintfValue::String(b"abc".to_vec())
        ]
    );
}

/// Runs a value computed from the sub-group of 4 in a group of 6, one i32 per work-item.
fn per_item(lines: &str) -> Vec<i32> {
    let body = format!(
        "  v2: i64 = builtin.local_linear_id\n  v3: i32 = trunc v2\n  {lines}\n  \
         v50: i64 = builtin.global_linear_id\n  v51: i64 = imul v50, i64 4\n  \
         v52: ptr.global = ptr_add v0, v51\n  store v52, v9, align 4\n  return"
    );
    let output = run_text(&body, vec![0; 48], 6).expect("runs");
    let words = output.buffers[0].chunks(4);
    let all: Vec<i32> = words
        .map(|w| i32::from_le_bytes(w.try_into().expect("four")))
        .collect();
    assert_eq!(all[..6], all[6..]);
    all[..6].to_vec()
}

#[test]
fn sub_group_collectives() {
    for (lines, expected) in [
        (
            "v9: i32 = group.subgroup.arith.add.reduce v3",
            [6, 6, 6, 6, 9, 9],
        ),
        (
            "v9: i32 = group.subgroup.arith.add.inclusive_scan v3",
            [0, 1, 3, 6, 4, 9],
        ),
        (
            "v9: i32 = group.subgroup.arith.smax.exclusive_scan v3",
            [i32::MIN, 0, 1, 2, i32::MIN, 4],
        ),
        (
            "v9: i32 = group.subgroup.broadcast v3, i32 1",
            [1, 1, 1, 1, 5, 5],
        ),
        ("v9: i32 = group.workgroup.broadcast v3, i64 4", [4; 6]),
        ("v9: i32 = group.workgroup.arith.umin.reduce v3", [0; 6]),
        (
            "v9: i32 = group.subgroup.shuffle_xor v3, i32 1",
            [1, 0, 3, 2, 5, 4],
        ),
        ("v9: i32 = builtin.subgroup_size", [4, 4, 4, 4, 2, 2]),
        ("v9: i32 = builtin.subgroup_id", [0, 0, 0, 0, 1, 1]),
        (
            "v4: bool = icmp.sgt v3, i32 1\n  v5: i32x4 = group.subgroup.ballot v4\n  \
             v9: i32 = extract v5, 0",
            [12, 12, 12, 12, 3, 3],
        ),
        (
            "v4: bool = group.subgroup.elect\n  v9: i32 = zext v4",
            [1, 0, 0, 0, 1, 0],
        ),
        (
            "v4: bool = icmp.eq v3, i32 5\n  v5: bool = group.workgroup.any v4\n  v9: i32 = zext v5",
            [1; 6],
        ),
    ] {
        assert_eq!(per_item(lines), expected, "{lines}");
    }
}

#[test]
fn denormals_are_flushed_in_arithmetic_alone() {
    let body = "  v2: f32 = load v0, align 4\n  v3: ptr.global = ptr_add v0, i64 4\n  \
                v4: f32 = load v3, align 4\n  v5: f32 = fmul v2, v4\n  v6: f32 = fadd v2, v2\n  \
                v7: bool = fcmp.oeq v2, f32 0x0\n  v8: f32 = select v7, v2, v4\n  \
                store v0, v5, align 4\n  store v3, v6, align 4\n  \
                v9: ptr.global = ptr_add v0, i64 8\n  store v9, v8, align 4\n  return";
    // A denormal, and a number that lifts it among the normal ones.
    let words = [0x8040_0000_u32, 0x4100_0000, 0];
    let buffer: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let result = |flush_denormals| {
        let output = run_on(
            body,
            buffer.clone(),
            &NdRange::linear(1, 1),
            flush_denormals,
        )
        .expect("runs");
        let chunks = output.buffers[0].chunks(4);
        let words = chunks.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
        words.collect::<Vec<u32>>()
    };
    assert_eq!(result(false), [0x8180_0000, 0x8080_0000, 0x4100_0000]);
    assert_eq!(result(true), [0x8000_0000, 0x8000_0000, 0x8040_0000]);
}
