//! Sizes that nobody writes by hand: everything compiles, and what comes out grows with what goes
//! in. Steps that are quadratic or worse in time show as a test that does not end.

use std::fmt::Write;

use pumice_compiler::target::{Checks, QuirkKind, Quirks};
use pumice_compiler::{
    CompileOptions, KernelModule, LowerOptions, NoIncludes, Source, Target, compile, lower,
};
use pumice_test_support::build::linked;
use pumice_test_support::on_large_stack;

fn kernel_module(text: &str) -> KernelModule {
    let module = on_large_stack(|| linked(text, "", &Target::reference()));
    module.unwrap_or_else(|log| panic!("{}", &log[..log.len().min(2000)]))
}

fn vulkan_module(text: &str) -> Vec<u32> {
    let module = kernel_module(text);
    let lowered = lower(&module, &Target::reference(), &LowerOptions::default());
    lowered.output.expect(&lowered.log).words
}

fn vulkan_words(text: &str) -> usize {
    vulkan_module(text).len()
}

/// Output for twice the input is at most a little over twice as long.
fn grows_linearly(measure: impl Fn(usize) -> usize, size: usize) {
    let (half, whole) = (measure(size / 2), measure(size));
    assert!(whole * 10 <= half * 22, "{half} words became {whole}");
}

#[test]
fn a_thousand_levels_compile() {
    let n = |s: &str| s.repeat(1000);
    let statement = |body: &str| {
        let text = format!("kernel void k(global int *p, int x) {{ {body} }}\n");
        kernel_module(&text);
    };
    statement(&format!("p[0] = {}x{};", n("("), n(")")));
    statement(&format!("p[0] = {}x{};", n("(1 + "), n(")")));
    statement(&format!("{}p[0] = x;{}", n("{"), n("}")));
    statement(&format!("{} p[0] = x;", n("if (x)")));
    statement(&format!("{} p[0] = x;", n("for (;x;) ")));
    statement(&format!("if (x) ; {}", n("else if (p[1]) ;")));
    statement(&format!("p[0] = {}x;", n("- ")));
    statement(&format!("p[0] = {}x;", n("(int)")));
    statement(&format!("p[0] = {}x;", n("x ? x : ")));
    statement(&format!("p[0] = {}1;", n("x = ")));
    statement(&format!("p[0] = {}0{};", n("p["), n("]")));
    statement(&format!("p[0] = {}x{};", n("abs("), n(")")));
    kernel_module(&format!(
        "typedef {} int x; {};\nkernel void k() {{}}\n",
        n("struct {"),
        n("} s;")
    ));
    kernel_module(&format!(
        "#define F(x) x\nkernel void k(global int *p) {{ *p = {}1{}; }}\n",
        n("F("),
        n(")")
    ));
    kernel_module(&format!(
        "{}{}\nkernel void k() {{}}\n",
        n("#if 1\n"),
        n("#endif\n")
    ));
}

#[test]
fn lines_of_a_megabyte_compile() {
    let mega = 1 << 20;
    // More operands in one sum would nest deeper than the front end goes.
    let sum = format!("+{}x", " ".repeat(98)).repeat(mega / 100);
    kernel_module(&format!(
        "kernel void k(global int *p, int x) {{ *p = x{sum}; }}\n"
    ));
    let text = "a".repeat(mega);
    kernel_module(&format!(
        "constant char s[] = \"{text}\";\nkernel void k(global char *p) {{ *p = s[7]; }}\n"
    ));
    kernel_module(&format!("/* {text} */ kernel void k() {{}} // {text}\n"));
    kernel_module(&format!(
        "#define ID(x) x\nkernel void k(global int *p, int x) {{ *p = ID(x{sum}); }}\n"
    ));
    let statements = "*p+=1;".repeat(mega / 6);
    kernel_module(&format!(
        "kernel void k(global int *p) {{ {statements} }}\n"
    ));
}

fn chain(functions: usize) -> String {
    let mut text = String::from("int f0(int x) { return x; }\n");
    for i in 1..functions {
        let before = i - 1;
        let _ = writeln!(text, "int f{i}(int x) {{ return f{before}(x) + {i}; }}");
    }
    let last = functions - 1;
    let _ = writeln!(
        text,
        "kernel void k(global int *p) {{ p[0] = f{last}(p[1]); }}"
    );
    text
}

#[test]
fn ten_thousand_functions_compile() {
    grows_linearly(|n| kernel_module(&chain(n)).words.len(), 10_000);
    grows_linearly(|n| vulkan_words(&chain(n)), 10_000);
}

#[test]
fn ten_megabytes_compile() {
    let mut text = String::new();
    let mut i = 0;
    while text.len() < 10 << 20 {
        let _ = writeln!(
            text,
            "static int helper_{i}(global const int *p, int n) {{\n    int sum = {i};\n    \
             for (int j = 0; j < n; j++) sum += p[j] * {i}; // a comment that fills the line\n    \
             return sum;\n}}"
        );
        i += 1;
    }
    text.push_str("kernel void k(global int *p) { p[0] = helper_7(p, 3); }\n");
    let words = kernel_module(&text).words.len();
    // Nothing of what no kernel reaches comes out.
    assert!(words < 1000, "{words}");
}

#[test]
fn two_calls_each_thirty_deep_stay_small() {
    let mut text = String::from("int f0(int x) { return x * 3 + 1; }\n");
    for i in 1..=30 {
        let before = i - 1;
        let _ = writeln!(
            text,
            "int f{i}(int x) {{ return f{before}(x) ^ f{before}(x + {i}); }}"
        );
    }
    text.push_str("kernel void k(global int *p) { p[0] = f30(p[1]); }\n");
    let words = vulkan_words(&text);
    assert!(words < 1_000_000, "{words}");
}

/// Functions with pointer parameters are inlined only while that is cheap: five levels of nine calls
/// each would be 59,049 copies.
#[test]
fn calls_that_pass_pointers_stay_small() {
    let mut text = String::from("void f0(int *p, local int *l) { p[*l & 3] ^= p[0] * 3 + *l; }\n");
    for level in 1..=5 {
        let calls = format!("f{}(p, l); ", level - 1).repeat(9);
        writeln!(text, "void f{level}(int *p, local int *l) {{ {calls} }}").unwrap();
    }
    text.push_str(
        "kernel void k(global int *o, local int *l) { int a[4] = {1, 2, 3, 4}; f5(a, l); *o = a[o[1]]; }\n",
    );
    let words = vulkan_words(&text);
    assert!(words < 2_000_000, "{words} words");
}

/// SPIR-V 1.6 §2.17: a function has 255 parameters at most. One of OpenCL C may have more.
#[test]
fn no_function_has_more_parameters_than_spirv_allows() {
    const TYPE_FUNCTION: u32 = 33;
    let params: String = (0..300).map(|i| format!(", int *p{i}")).collect();
    let more: String = (0..150).map(|i| format!(", long8 v{i}")).collect();
    let [pointers, vectors] = [(", q", 300), (", x", 150)].map(|(one, count)| one.repeat(count));
    let text = format!(
        "__attribute__((noinline)) int f(int *q{params}) {{ return *q + *p299; }}\n\
         __attribute__((noinline)) long g(long8 x{more}) {{ return x.s0 + v149.s7; }}\n\
         kernel void k(global int *o, int n) {{\n\
         int a = n; int *q = n ? &a : 0; long8 x = n;\n\
         o[0] = f(q{pointers}) + f(q{pointers}) + g(x{vectors}) + g(x{vectors}); }}\n"
    );
    let words = vulkan_module(&text);
    let mut at = 5;
    while at < words.len() {
        let (length, opcode) = (words[at] >> 16, words[at] & 0xffff);
        assert!(
            opcode != TYPE_FUNCTION || length <= 3 + 255,
            "{length} words"
        );
        at += length as usize;
    }
}

#[test]
fn many_of_everything_compiles() {
    let list = |n: usize, each: &dyn Fn(usize) -> String| (0..n).map(each).collect::<String>();
    let body = |text: String| format!("kernel void k(global int *p, int x) {{ {text} }}\n");
    grows_linearly(
        |n| {
            let cases = list(n, &|i| format!("case {i}: p[{i}] = x; break;"));
            kernel_module(&body(format!("switch (x) {{ {cases} }}")))
                .words
                .len()
        },
        8000,
    );
    grows_linearly(
        |n| {
            let locals = list(n, &|i| format!("int v{i} = x + {i}; p[{i}] = v{i};"));
            kernel_module(&body(locals)).words.len()
        },
        8000,
    );
    grows_linearly(
        |n| {
            let labels = list(n, &|i| format!("l{i}: if (p[{i}]) goto l{};", n - 1 - i));
            kernel_module(&body(format!("{labels} ;"))).words.len()
        },
        4000,
    );
    let members = list(2000, &|i| format!("int m{i};"));
    kernel_module(&format!(
        "struct s {{ {members} }};\nkernel void k(global struct s *p) {{ p->m1999 = p->m0; }}\n"
    ));
    let params = list(255, &|i| format!(", int a{i}"));
    kernel_module(&format!(
        "kernel void k(global int *p{params}) {{ *p = a254; }}\n"
    ));
    let macros = list(20_000, &|i| format!("#define M{} M{i}\n", i + 1));
    kernel_module(&format!(
        "#define M0 1\n{macros}{}",
        body("*p = M20000;".to_string())
    ));
    let enumerators = list(20_000, &|i| format!("E{i},"));
    kernel_module(&format!(
        "enum {{ {enumerators} }};\n{}",
        body("*p = E19999;".to_string())
    ));
    let numbers = list(60_000, &|i| format!("{i},"));
    kernel_module(&format!(
        "constant int t[] = {{ {numbers} }};\n{}",
        body("*p = t[x];".to_string())
    ));
    let strings = list(5000, &|i| format!("printf(\"text {i}\\n\");"));
    kernel_module(&body(strings));
}

/// The log of a kernel that cannot be lowered.
fn lowering_error(text: &str) -> String {
    let module = kernel_module(text);
    let lowered = lower(&module, &Target::reference(), &LowerOptions::default());
    assert!(lowered.output.is_none());
    lowered.log
}

#[test]
fn arguments_have_the_size_that_the_device_reports() {
    let take = |ints: u64| format!("struct s {{ int x[{ints}]; }};\n");
    assert_eq!(
        lowering_error(&format!(
            "{}kernel void k(global int *o, struct s big) {{ o[0] = big.x[o[1]]; }}",
            take(1 << 24)
        )),
        "error: kernel 'k': argument 1 ('big') takes 67108864 bytes, those before it 8; all \
         arguments of a kernel can take 4096 on this device\n"
    );
    assert_eq!(
        lowering_error(&format!(
            "{}kernel void unused(struct s big, local int *l) {{ }}",
            take(1025)
        )),
        "error: kernel 'unused': argument 0 ('big') takes 4100 bytes; all arguments of a kernel \
         can take 4096 on this device\n"
    );
    // As many as fit are copied by a loop, however many there are.
    let copied = |ints| {
        vulkan_words(&format!(
            "{}kernel void k(global int *o, struct s a) {{ o[0] = a.x[o[1]]; }}",
            take(ints)
        ))
    };
    assert_eq!(copied(1022), copied(100));
}

/// SPIR-V's limit on members is a diagnostic; as many as fit compile, padding between them included.
#[test]
fn structures_have_as_many_members_as_spirv_allows() {
    let source = |count: usize| {
        let members: String = (0..count / 2)
            .map(|i| format!("char c{i}; int i{i};\n"))
            .collect();
        format!(
            "struct S {{ {members} }} __attribute__((aligned(64)));\n\
             kernel void k(global struct S *s) {{ s->i7 = s->c9; }}\n"
        )
    };
    vulkan_words(&source(8190));
    let text = source(8192);
    let source = Source {
        name: "big.cl",
        text: text.as_bytes(),
    };
    let options = CompileOptions::default();
    let outcome = compile(source, &options, &Target::reference(), &NoIncludes);
    let message = "error: too many members in struct (8192, at most 8191)\n";
    assert!(
        outcome.output.is_none() && outcome.log.contains(message),
        "{}",
        &outcome.log[..outcome.log.len().min(2000)]
    );
}

/// The error of a kernel with this body for a driver with this quirk, if there is one.
fn nest_error(body: &str, quirk: QuirkKind, checks: Checks) -> Option<String> {
    let text = format!("kernel void k(global int *p, int x) {{\n{body}}}\n");
    quirk_error(&text, quirk, checks)
}

/// The error of a source for a driver with this quirk, if there is one.
fn quirk_error(text: &str, quirk: QuirkKind, checks: Checks) -> Option<String> {
    let target = Target {
        quirks: Quirks::NONE.with(quirk),
        checks,
        zero_private: checks.robust(),
        ..Target::reference()
    };
    let module = kernel_module(text);
    let lowered = on_large_stack(|| lower(&module, &target, &LowerOptions::default()));
    assert_eq!(lowered.output.is_none(), !lowered.log.is_empty());
    lowered.output.is_none().then_some(lowered.log)
}

/// A text for each of `n` numbers.
fn list(n: usize, each: fn(usize) -> String) -> String {
    (0..n).map(each).collect()
}

#[test]
fn nests_of_branches_are_cut_where_a_driver_takes_few() {
    let ifs =
        |n| list(n, |i| format!("if (p[{i}]) {{ x += p[{i}];\n")) + "p[0] = x;" + &"}".repeat(n);
    let chain = |n| list(n, |i| format!("if (x == {i}) p[{i}] = x; else ")) + "p[x] = 1;";
    let returns = |n| list(n, |i| format!("if (p[{i}]) return; p[x] = {i};\n"));
    for n in [40, 82, 300] {
        for text in [ifs(n), chain(n), returns(n)] {
            assert_eq!(
                nest_error(&text, QuirkKind::NestsOf80, Checks::NONE),
                None,
                "{text}"
            );
            // In a loop too.
            let text = format!("for (int r = 0; r < x; r++) {{ {text} }}");
            assert_eq!(
                nest_error(&text, QuirkKind::NestsOf80, Checks::NONE),
                None,
                "{text}"
            );
        }
    }
}

#[test]
fn nests_that_a_driver_cannot_take_are_refused() {
    let loops =
        |n| list(n, |i| format!("for (int i{i} = 0; i{i} < p[0]; i{i}++)\n")) + "p[i0] += x;\n";
    for (quirk, most) in [(QuirkKind::NestsOf80, 80), (QuirkKind::LoopsOf38, 38)] {
        for checks in [Checks::NONE, Checks::parse("robust").expect("checks")] {
            assert_eq!(nest_error(&loops(most), quirk, checks), None);
            let error = nest_error(&loops(most + 1), quirk, checks).expect("refused");
            let expected = format!(
                "error: kernel `k`: loops nest {} deep; the device's driver takes {most}\n",
                most + 1
            );
            assert_eq!(error, expected);
        }
    }
}

/// Functions that each call the next one twice, `levels` deep, above one that is too large to be inlined and ends with
/// `last`.
fn doubled_calls(levels: usize, last: &str) -> String {
    let leaf = list(100, |i| {
        format!("x = x * p[{i}] + {i}; if (x > p[{i}]) x -= 7;\n")
    });
    let mut text = format!("int f0(int x, global int *p) {{\n{leaf}{last} return x; }}\n");
    for level in 1..=levels {
        let callee = level - 1;
        text += &format!(
            "__attribute__((noinline)) int f{level}(int x, global int *p) {{\n\
             x = f{callee}(x + {level}, p); return f{callee}(x * p[{level}], p + 1); }}\n"
        );
    }
    text + &format!("kernel void k(global int *p, int x) {{ p[0] = f{levels}(x, p); }}\n")
}

#[test]
fn calls_that_multiply_share_functions_where_a_driver_copies_them() {
    for levels in [6, 12, 60, 90] {
        let text = doubled_calls(levels, "");
        let error = quirk_error(&text, QuirkKind::ShareFunctions, Checks::NONE);
        assert_eq!(error, None, "{levels}");
    }
}

/// Work-items that meet in a function cannot go through the loop that shares it.
#[test]
fn calls_that_multiply_are_refused_where_a_driver_copies_functions() {
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
    let error = |levels, quirk| quirk_error(&doubled_calls(levels, barrier), quirk, Checks::NONE);
    assert_eq!(error(6, QuirkKind::CopiedCalls), None);
    assert_eq!(error(60, QuirkKind::SplitBitJoins), None);
    for levels in [12, 60, 90] {
        let error = error(levels, QuirkKind::CopiedCalls).expect("refused");
        let start = "error: kernel `k`: functions that call others several times become ";
        let end = " instructions, as the device's driver copies a function for each call; it takes 262144\n";
        let count = error
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end));
        let count: u64 = count.expect(&error).parse().expect(&error);
        assert!(count > 1 << 18, "{count}");
        // More than any number tells.
        assert_eq!(count == u64::MAX, levels > 58, "{levels}: {count}");
    }
}
