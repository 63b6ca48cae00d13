//! Growth of the compiler's work with its input, for sources of many shapes (`pumice_test_support::shapes`): counts, not
//! times. `cargo run --release -p pumice-compiler --example shapes -- time 10000,100000` shows times.

use pumice_compiler::Target;
use pumice_compiler::target::Checks;
use pumice_ir::effort::looks;
use pumice_test_support::build::vulkan_module;
use pumice_test_support::on_large_stack;
use pumice_test_support::shapes::{SHAPES, Shape};
use std::process::Command;

/// The highest exponent `e` of `work = c * size ^ e` that is taken for linear.
const LINEAR: f64 = 1.3;

/// Shapes that are refused for how deeply they nest, from some size on.
const NEST_TOO_DEEP: &[&str] = &["gotos_crossing"];

/// Shapes that are refused for what their cycles with many entries change, from some size on.
const TOO_TANGLED: &[&str] = &["gotos_counting"];

/// Returns whether a shape is compiled at any size.
fn is_served(shape: &&Shape) -> bool {
    !NEST_TOO_DEEP.contains(&shape.name) && !TOO_TANGLED.contains(&shape.name)
}

fn exponent(sizes: [usize; 2], work: [u64; 2]) -> f64 {
    let ratio = work[1] as f64 / work[0].max(1) as f64;
    ratio.ln() / (sizes[1] as f64 / sizes[0] as f64).ln()
}

/// Compiles a text to Vulkan SPIR-V: what the compiler has looked at, and words written.
fn build(text: &str, target: &Target) -> Result<[u64; 2], String> {
    let before = looks();
    let lowered = vulkan_module(text, "-cl-std=CL3.0", target)?;
    Ok([looks() - before, lowered.words.len() as u64])
}

/// The exponents of looks and words between two sizes, where they are above the limit.
fn too_much(shape: &Shape, sizes: [usize; 2], target: &Target) -> Option<String> {
    let [small, large] = sizes.map(|tokens| build(&shape.of_tokens(tokens), target));
    let (small, large) = match (small, large) {
        (Ok(small), Ok(large)) => (small, large),
        (Err(why), _) | (_, Err(why)) => return Some(format!("{}: {why}", shape.name)),
    };
    let looks = exponent(sizes, [small[0], large[0]]);
    let words = exponent(sizes, [small[1], large[1]]);
    let line = format!("{:<28} looks {looks:.2} words {words:.2}", shape.name);
    println!("{line} {small:?} {large:?}");
    (looks > LINEAR || words > LINEAR || large[0] == 0).then_some(line)
}

#[test]
fn work_grows_in_proportion() {
    on_large_stack(|| {
        let shapes = SHAPES.iter().filter(is_served);
        let target = Target::reference();
        let bad = shapes.filter_map(|s| too_much(s, [3000, 12_000], &target));
        let bad: Vec<String> = bad.collect();
        assert!(bad.is_empty(), "{bad:#?}");
    });
}

/// A target whose kernels have checks.
fn with_checks(words: &str) -> Target {
    let checks = Checks::parse(words).expect("checks");
    Target {
        checks,
        zero_private: checks.robust(),
        ..Target::reference()
    }
}

/// Shapes of control flow and of accesses, which checks add to.
const CHECKED: &[&str] = &[
    "nested_loops",
    "gotos_random",
    "gotos_into_loops",
    "loops_inside_a_loop",
    "loops_with_break",
    "kernels",
    "variables_across_branches",
    "switches",
    "returns",
    "local_arrays",
    "private_arrays",
];

/// Kernels of strangers, cycles with many entries among them.
#[test]
fn work_of_checks_grows_in_proportion() {
    on_large_stack(|| {
        let mut bad = Vec::new();
        for words in ["robust", "all"] {
            println!("{words}:");
            let target = with_checks(words);
            for name in CHECKED {
                let shape = Shape::find(name).expect("a shape");
                bad.extend(too_much(shape, [1500, 6000], &target));
            }
        }
        assert!(bad.is_empty(), "{bad:#?}");
    });
}

/// The depth of one nest of loops, not the number of nests.
#[test]
fn a_nest_of_loops_grows_in_proportion_to_its_depth() {
    on_large_stack(|| {
        let shape = Shape::find("nested_loops").expect("a shape");
        let target = Target::reference();
        assert_eq!(too_much(shape, [125 * 13, 500 * 13], &target), None);
    });
}

#[test]
fn labels_that_nest_too_deeply_are_refused() {
    for name in NEST_TOO_DEEP {
        let shape = Shape::find(name).expect("a shape");
        let target = Target::reference();
        let error = build(&shape.of_tokens(40_000), &target).expect_err("refused");
        assert_eq!(
            error,
            "error: function `k`: control flow nests more than 1023 deep\n"
        );
    }
}

/// Values that many entries hand on are bounded: 40 KiB of source would else become millions of words.
#[test]
fn gotos_that_change_too_much_are_refused() {
    on_large_stack(|| {
        for name in TOO_TANGLED {
            let shape = Shape::find(name).expect("a shape");
            let target = Target::reference();
            let [_, words] = build(&shape.of_tokens(2000), &target).expect("words");
            assert!(words < 1_000_000, "{words}");
            let error = build(&shape.of_tokens(30_000), &target).expect_err("refused");
            assert_eq!(
                error,
                "error: function `k`: gotos enter its loops at too many places\n"
            );
        }
    });
}

/// Machine instructions of the whole compiler, front end, import and reflection included.
#[test]
#[ignore = "minutes under valgrind"]
fn machine_instructions_grow_in_proportion() {
    let folder = std::env::temp_dir().join(format!("pumice-growth-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("shape.cl");
    let instructions = |text: &str| -> u64 {
        std::fs::write(&file, text).expect("writable");
        let run = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .args(["--main-stacksize=16000000", env!("CARGO_BIN_EXE_pumicec")])
            .args(["-cl-std=CL3.0", "--emit=vulkan", "-o"])
            .args([&folder.join("out.spv"), &file])
            .output();
        let log = String::from_utf8_lossy(&run.expect("valgrind runs").stderr).into_owned();
        let count = log.lines().find_map(|line| line.split_once("Collected : "));
        count.and_then(|(_, n)| n.trim().parse().ok()).expect(&log)
    };
    let empty = instructions("kernel void k() {}\n");
    let mut bad = Vec::new();
    for shape in SHAPES.iter().filter(is_served) {
        let sizes = [4000, 16_000];
        let counts = sizes.map(|size| instructions(&shape.of_tokens(size)).saturating_sub(empty));
        let growth = exponent(sizes, counts);
        println!("{:<28} {growth:.2} {counts:?}", shape.name);
        if growth > LINEAR {
            bad.push((shape.name, growth));
        }
    }
    std::fs::remove_dir_all(&folder).expect("removable");
    assert!(bad.is_empty(), "{bad:?}");
}
