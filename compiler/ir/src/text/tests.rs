//! Round trips and refusals.

use super::{module_to_text, parse_module};

const SAMPLE: &str = r#"string str0 = "x=%d %s\n"
string str1 = "q\"\\\x00"
global global0 "table" constant size 8 align 4 internal init "\x01\x00\x00\x00\x02\x00\x00\x00"
global global1 "p" global size 8 align 8 export reloc [0: global0 + 4]
global global2 "" local size 64 align 16 internal

kernel "k" fn0 reqd(8, 1, 1) hint(1, 2, 3) subgroup(8) attributes "reqd_work_group_size(8,1,1)" {
  pointer global info(name "out", type "int*", address global, access none, quals 3)
  value i32x4
  byval size 16 align 4
  local align 128
}

kernel "setup" fn1 reqd(1, 1, 1) initializer finalizer {
}

func fn0 "k"(ptr.global, i32x4, ptr.private, ptr.local) -> () export {
  slot0 = size 16 align 4
  slot1 = size 1 align 1
block0(v0: ptr.global, v1: i32x4, v2: ptr.private, v3: ptr.local):
  v4: i32x4 = iadd v1, i32x4 [1, -2, 3, 4] @12:3
  v5: i32x4 = ineg v4
  v6: f32 = fmul.nnan.contract f32 1.5, f32 0x7fc00000
  v7: f16 = f_to_f.rtz v6
  v8: bool = fcmp.olt.ninf v7, f16 -0.5
  v9: bool = icmp.slt i8 -128, i8 5
  v10: bool = select v8, v9, bool true
  v11: f32 = math.fma v6, v6, f32 1e-45
  v12: f32 = math.ocl.sin.nsz v11
  v13: i32x4 = build i32 1, i32 2, undef i32, i32 -1
  v14: i64x16 = splat i64 -9223372036854775808
  v15: i64 = extract v14, 15
  v16: i32x4 = insert v13, i32 7, 2
  v17: i32 = extract_dyn v16, v15
  v18: i32x4 = insert_dyn v16, v17, i8 1
  v19: i32x3 = shuffle v16, v18, [0, _, 7]
  v20: ptr.private = stack_addr slot1
  v21: ptr.global = global_addr global1
  v22: ptr.global = ptr_add v21, i64 -4
  v23: i32x3 = load.volatile.nontemporal v22, align 4
  store v22, v23, align 16
  memcopy.volatile v2, v20, i64 1, align 1, 4
  v24: i32 = atomic_load.acquire.device v22
  atomic_store.seq_cst.cross_device v22, v24
  v25: i32 = atomic_rmw.umax.relaxed.workgroup v3, i32 4
  v26: i32 = atomic_cmpxchg.acq_rel.acquire.subgroup v3, v24, v25
  fence.workgroup.release.global.local
  barrier.workgroup.device.acq_rel.local
  v27: i64x3 = builtin.global_id
  v28: bool = group.subgroup.elect
  v29: i32 = group.workgroup.arith.add.inclusive_scan v26
  v30: i32 = load_arg 8
  v31: ptr.local = local_arg 3
  v32: i32, v33: f32x2 = call fn1(v30, f32 0.0)
  v34: i32 = printf str0(v32, str1, f32x2 [0.0, -0.0])
  v35: ptr.generic = address_space_cast v22
  branch v10, block3(v35), block2
block3(v36: ptr.generic):
  switch v32, block2, [1: block3(v36), 4294967295: block4, 7: block2]
block2:
  return
block4:
  unreachable
}

declare fn1 "g"(i32, f32) -> (i32, f32x2) import noinline alwaysinline
"#;

#[test]
fn everything_round_trips() {
    let module = parse_module(SAMPLE).expect("sample parses");
    assert_eq!(module_to_text(&module), SAMPLE);
}

#[test]
fn every_constant_width_round_trips() {
    for text in [
        "i8 -1",
        "i16 -32768",
        "i64 9223372036854775807",
        "f64 1.7976931348623157e308",
        "f64 5e-324",
        "f16 0x7c00",
        "f16 65504.0",
        "f16 5.960464477539063e-8",
        "bool false",
        "ptr.local 0x0",
        "f64 0xfff0000000000000",
        "i32x8 [-1]",
        "boolx2 [true, false]",
    ] {
        let source = format!("func fn0 \"f\"() -> () internal {{\nblock0:\n  return {text}\n}}\n");
        let module = parse_module(&source).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(module_to_text(&module), source);
    }
}

#[test]
fn refusals_name_the_place() {
    let body = |line: &str| {
        format!("func fn0 \"f\"() -> () internal {{\nblock0:\n  {line}\n  return\n}}\n")
    };
    for (source, expected) in [
        (body("v1: i32 = iadd v2, v2"), "3:18: v2 is not defined"),
        (
            body("v1: i32 = frobnicate v1"),
            "3:13: unknown instruction or suffix",
        ),
        (body("v1: i32 = iadd i32 1"), "3:23: expected `,`"),
        (
            body("v1: i8 = ineg i8 256"),
            "3:20: `256` is no 8-bit integer",
        ),
        (body("jump block7"), "3:8: the block is not defined"),
        (
            body("v1: i32 = iadd i32 1, i32 2, i32 3"),
            "3:30: expected the end of the line",
        ),
        (
            body("v99999999: i32 = ineg i32 1"),
            "3:3: unknown instruction or suffix",
        ),
        (body("v1: i32x5 = ineg i32 1"), "3:7: expected a type"),
        (
            "string str1 = \"\"\n".into(),
            "1:8: expected str0: numbers are consecutive",
        ),
        ("string str0 = \"a\n".into(), "1:15: unterminated string"),
        (
            "func fn0 \"f\"() -> () internal {\n".into(),
            "2:1: expected `}`",
        ),
        ("?".into(), "1:1: unexpected character"),
    ] {
        let error = parse_module(&source).expect_err(&source);
        assert_eq!(error.to_string(), expected, "{source}");
    }
}
