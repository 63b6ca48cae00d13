//! One broken module per rule, with the message it gets.

use super::text::parse_module;
use super::verify;

fn message(text: &str) -> String {
    let module = parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match verify(&module) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

/// The message for a function `f(i32, ptr.global, bool)` with these lines.
fn body(lines: &str) -> String {
    message(&format!(
        "global global0 \"g\" local size 4 align 4 internal\n\
         func fn0 \"f\"(i32, ptr.global, bool) -> () internal {{\n\
         block0(v0: i32, v1: ptr.global, v2: bool):\n  {lines}\n}}\n"
    ))
}

#[test]
fn each_rule_names_the_place() {
    for (lines, expected) in [
        ("v3: i32 = iadd v0, v0\n  return", ""),
        (
            "v3: i32 = iadd v0, v0",
            "the last instruction is no terminator",
        ),
        ("return\n  return", "a terminator before the end"),
        (
            "v3: i32 = iadd v4, v0\n  v4: i32 = iadd v0, v0\n  return",
            "v4 is not defined on every path",
        ),
        (
            "branch v2, block1, block2\nblock1:\n  v3: i32 = ineg v0\n  jump block2\nblock2:\n  \
             v4: i32 = ineg v3\n  return",
            "block2: v4: i32 = ineg v3: v3 is not defined on every path to here",
        ),
        (
            "v3: i32 = iadd v0, i64 1\n  return",
            "the second operand is i64, expected i32",
        ),
        (
            "v3: i32 = fadd v0, v0\n  return",
            "the operand is i32, no float",
        ),
        (
            "v3: f32 = ineg f32 1.0\n  return",
            "the operand is f32, no integer",
        ),
        (
            "v3: i32 = icmp.eq v0, v0\n  return",
            "the result is i32, expected bool",
        ),
        ("v3: bool = icmp.slt v2, v2\n  return", "compares bool"),
        (
            "v3: i32 = select v0, v0, v0\n  return",
            "the condition is i32",
        ),
        ("v3: i64 = trunc v0\n  return", "trunc from i32 to i64"),
        ("v3: i64 = bitcast v0\n  return", "bitcast from i32 to i64"),
        (
            "v3: i32 = math.fma v0, v0\n  return",
            "2 operands, expected 3",
        ),
        (
            "v3: i32x4 = build v0, v0\n  return",
            "2 operands, expected 4",
        ),
        (
            "v3: i32 = extract i32x4 [0], 4\n  return",
            "no lane 4 in i32x4",
        ),
        (
            "v3: i32x2 = shuffle i32x2 [0], i32x2 [0], [0, 4]\n  return",
            "a mask lane above 3",
        ),
        (
            "v3: ptr.global = global_addr global0\n  return",
            "the result is ptr.global, expected ptr.local",
        ),
        (
            "v3: ptr.local = global_addr global1\n  return",
            "global1 does not exist",
        ),
        (
            "v3: ptr.global = ptr_add v1, v0\n  return",
            "the offset is i32, expected i64",
        ),
        (
            "v3: i32 = load v1, align 3\n  return",
            "alignment 3 is no power of two",
        ),
        (
            "v3: bool = load v1, align 1\n  return",
            "bool is never in memory",
        ),
        (
            "store v0, v0, align 4\n  return",
            "the address is i32, no pointer",
        ),
        (
            "v3: i8 = atomic_load.relaxed.device v1\n  return",
            "atomic access to i8",
        ),
        (
            "barrier.device.device.acq_rel\n  return",
            "execution scope device",
        ),
        (
            "v3: i32 = builtin.global_id\n  return",
            "the result is i32, expected i64x3",
        ),
        ("call fn7()\n  return", "fn7 does not exist"),
        ("call fn0(v0)\n  return", "the arguments do not fit fn0"),
        ("v3: i32 = printf str0()\n  return", "str0 does not exist"),
        (
            "jump block1(v0)\nblock1:\n  return",
            "block1 takes 0 arguments, not 1",
        ),
        (
            "jump block1(v0)\nblock1(v3: i64):\n  return",
            "v3 of block1 is i64, not i32",
        ),
        (
            "branch v0, block1, block1\nblock1:\n  return",
            "the condition is i32, expected bool",
        ),
        (
            "switch v0, block1, [1: block1, 1: block1]\nblock1:\n  return",
            "case 1 twice",
        ),
        ("return v0", "the values do not fit the function's results"),
    ] {
        let found = body(lines);
        if expected.is_empty() {
            assert_eq!(found, "", "{lines}");
        } else {
            assert!(found.contains(expected), "{lines}\n{found}\n{expected}");
        }
    }
}

#[test]
fn module_rules() {
    for (text, expected) in [
        (
            "global global0 \"\" global size 4 align 3 internal\n",
            "global0: alignment 3",
        ),
        (
            "global global0 \"\" private size 4 align 4 internal\n",
            "global0: address space private",
        ),
        (
            "global global0 \"\" global size 4 align 4 internal init \"a\"\n",
            "1 initial bytes for size 4",
        ),
        (
            "global global0 \"\" local size 1 align 4 internal init \"a\"\n",
            "a local variable has no initial value",
        ),
        (
            "global global0 \"\" global size 8 align 8 internal reloc [1: global0 + 0]\n",
            "relocation at 1 lies outside",
        ),
        (
            "kernel \"k\" fn0 {\n}\n",
            "kernel \"k\": fn0 does not exist",
        ),
        (
            "kernel \"k\" fn0 {\n  value i32\n}\nfunc fn0 \"k\"(i64) -> () export {\nblock0(v0: i64):\n  return\n}\n",
            "arguments and parameters of the function differ",
        ),
        (
            "func fn0 \"f\"(i32) -> () internal {\nblock0:\n  return\n}\n",
            "the entry's parameters are not the function's",
        ),
        (
            "declare fn0 \"f\"() -> () internal\n",
            "an internal function has no body",
        ),
    ] {
        let found = message(text);
        assert!(found.contains(expected), "{text}\n{found}");
    }
}
