//! Whatever the source is, the front end answers: no panic, no overflow, no endless work.
//! All inputs come from fixed seeds.

use std::path::Path;
use std::time::{Duration, Instant};

use pumice_compiler::{CompileOptions, NoIncludes, Source, Target, compile, frontend};
use pumice_test_support::mutants::{Random, tokens};
use pumice_test_support::on_large_stack;

/// Runs the whole front end.
fn run(text: &[u8]) {
    let source = Source {
        name: "fuzz.cl",
        text,
    };
    let start = Instant::now();
    let outcome = on_large_stack(|| {
        compile(
            source,
            &CompileOptions::default(),
            &Target::reference(),
            &NoIncludes,
        )
    });
    let took = start.elapsed();
    let shown = || String::from_utf8_lossy(&text[..text.len().min(2000)]).into_owned();
    assert!(
        !outcome.log.contains("which is a bug"),
        "{}\n{}",
        outcome.log,
        shown()
    );
    // Ten minutes is a hang, whatever the machine does besides.
    assert!(took < Duration::from_secs(600), "{took:?}\n{}", shown());
    let counts = outcome.log.lines().last().unwrap_or_default();
    assert_eq!(
        outcome.output.is_none(),
        counts.contains("error"),
        "{}",
        outcome.log
    );
}

fn corpus() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    for folder in ["pp", "parse", "sema", "emit", "run"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder exists") {
            let path = entry.expect("readable").path();
            let is_blowup = path.ends_with("blowup.cl");
            if path.extension().is_some_and(|e| e == "cl") && !is_blowup {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .iter()
        .map(|p| std::fs::read(p).expect("readable"))
        .collect()
}

#[test]
fn random_bytes() {
    let mut random = Random(0x1234_5678);
    for round in 0..300 {
        let length = random.below(if round % 10 == 0 { 20_000 } else { 300 });
        let text: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        run(&text);
    }
}

#[test]
fn random_tokens() {
    const WORDS: &[&str] = &[
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "=",
        "*",
        "+",
        "-",
        "?",
        ":",
        ".",
        "->",
        "++",
        "#",
        "##",
        "\n#define ",
        "\n#if ",
        "\n#endif\n",
        "\n#else\n",
        "\n#include ",
        "\n#pragma ",
        "\n",
        "\\\n",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "int",
        "float4",
        "struct",
        "union",
        "enum",
        "typedef",
        "kernel",
        "__global",
        "__attribute__",
        "((",
        "))",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "goto",
        "return",
        "sizeof",
        "x",
        "y",
        "F",
        "F(",
        "0",
        "1.5f",
        "0x",
        "1e",
        "...",
        "__VA_ARGS__",
        "_Pragma(\"unroll\")",
        "defined",
        "unroll",
        "^",
        "OPENCL EXTENSION x : enable",
        "__builtin_offsetof",
        "__builtin_astype",
        "__builtin_convertvector",
        "__builtin_types_compatible_p",
        "__builtin_choose_expr",
        "__builtin_add_overflow",
        "__builtin_shufflevector",
        "pipe",
        "<",
        ">",
    ];
    let mut random = Random(42);
    for _ in 0..600 {
        let mut text = String::new();
        for _ in 0..random.below(150) {
            text.push_str(WORDS[random.below(WORDS.len())]);
            if random.below(3) > 0 {
                text.push(' ');
            }
        }
        run(text.as_bytes());
    }
}

#[test]
fn truncated_and_changed_sources() {
    let mut random = Random(7);
    for text in corpus() {
        for _ in 0..12 {
            run(&text[..random.below(text.len() + 1)]);
            let mut changed = text.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(changed.len());
                match random.below(4) {
                    0 => changed[at] = random.bits() as u8,
                    1 => {
                        changed.remove(at);
                    }
                    2 => {
                        let end = (at + random.below(40)).min(changed.len());
                        changed.drain(at..end);
                    }
                    _ => {
                        let end = (at + random.below(40)).min(changed.len());
                        let copy = changed[at..end].to_vec();
                        let to = random.below(changed.len());
                        changed.splice(to..to, copy);
                    }
                }
                if changed.is_empty() {
                    break;
                }
            }
            run(&changed);
        }
    }
}

/// Returns the factor by which the mutation test runs longer than usual.
fn rounds() -> usize {
    let asked = std::env::var("PUMICE_FUZZ_ROUNDS").ok();
    asked.and_then(|r| r.parse().ok()).unwrap_or(1)
}

/// Sources whose tokens trade places: many still parse and reach sema and emission.
#[test]
fn exchanged_tokens() {
    let mut random = Random(11);
    for text in corpus() {
        let places = tokens(&text);
        for _ in 0..20 * rounds() {
            let mut changed = text.clone();
            for _ in 0..=random.below(2) {
                let (from, to) = places[random.below(places.len())];
                let (a, b) = places[random.below(places.len())];
                if to <= changed.len() {
                    changed.splice(from..to, text[a..b].iter().copied());
                }
            }
            run(&changed);
        }
    }
}

/// Each construct nested to a depth.
fn nested(depth: usize) -> Vec<String> {
    let n = |s: &str| s.repeat(depth);
    let function = |body: String| format!("void f(int x) {{ {body} }}\n");
    vec![
        function(format!("x = {}1{};", n("("), n(")"))),
        function(format!("{}x;{}", n("{"), n("}"))),
        function(format!("{} x;", n("if (x)"))),
        function(format!("if (x) ; {}", n("else if (x) ;"))),
        function(format!("x = {}x;", n("- "))),
        function(format!("x = {}x;", n("(int)"))),
        function(format!("x = {}1;", n("x ? x : "))),
        function(format!("{}1;", n("x = "))),
        function(format!("x = {}x{};", n("f("), n(")"))),
        function(format!("x = {}x{};", n("x["), n("]"))),
        function(format!("x = {}2{};", n("(float4)(1, "), n(")"))),
        function(format!("x = {}x;", n("sizeof "))),
        function(format!("{}x;", n("case 1: "))),
        function(format!("x = {}x{};", n("_Generic(1, int: "), n(")"))),
        function(format!(
            "{}x{};",
            "^{ ".repeat(depth / 2),
            "; }()".repeat(depth / 2)
        )),
        function(format!(
            "x = {}x{};",
            "({".repeat(depth * 2 / 3),
            ";})".repeat(depth * 2 / 3)
        )),
        format!("int {}x{};\n", n("("), n(")")),
        format!("int x = {}1{};\n", n("{"), n("}")),
        format!("{} int x; {};\n", n("struct {"), n("};")),
        format!("void f{};\n", n("(int (*)") + &n(")")),
        format!("typeof({}int{}) x;\n", n("typeof("), n(")")),
        format!("#if {}1{}\n#endif\n", n("("), n(")")),
        format!("#define F(x) x\nint x = {}1{};\n", n("F("), n(")")),
        format!("{}{}\n", n("#if 1\n"), n("#endif\n")),
    ]
}

#[test]
fn a_thousand_levels_parse() {
    for text in nested(900) {
        run(text.as_bytes());
        let source = Source {
            name: "deep.cl",
            text: text.as_bytes(),
        };
        let options = CompileOptions::default();
        let outcome = frontend::parse(source, &options, &Target::reference(), &NoIncludes);
        assert!(
            outcome.output.is_some(),
            "{}\n{}",
            &text[..text.len().min(100)],
            outcome.log
        );
    }
}

#[test]
fn any_depth_is_answered() {
    for text in nested(20_000) {
        run(text.as_bytes());
    }
}

/// Inputs that tempt to quadratic work; each is a quarter of a megabyte.
#[test]
fn large_inputs_stay_linear() {
    let n = 1 << 18;
    for unit in [
        "'",
        "\\'",
        "\"\\",
        "\\\n",
        "\\ ",
        "/*",
        "/ ",
        "a ",
        "a",
        "1+",
        "#\n",
        "\n",
        "x;",
        "f(",
        "{",
        "}",
        "int x;\n",
        "#define A A\n",
        "-",
        "\u{e9}",
        "\0",
        "\"\"",
        "a,",
        "_Pragma(",
        "#if 0\n",
        "#if 0\n'\"\n#endif\n",
        "((",
        "[",
        "case 1:",
        "\"a\" ",
    ] {
        let count = n / unit.len();
        run(unit.repeat(count).as_bytes());
        run(format!("void f() {{ {}", unit.repeat(count)).as_bytes());
    }
}
