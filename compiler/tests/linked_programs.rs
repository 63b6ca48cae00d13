//! Results of linked programs: declarations of one program see the definitions of another, in any
//! order of linking.

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline;
use pumice_compiler::{KernelModule, LinkOptions, LowerOptions, check_module, link};
use pumice_filetests::KernelFile;
use pumice_interp::Options;
use pumice_test_support::build::compiled;
use pumice_test_support::{run_target, runs, spirv_tools};

fn unit(text: &str) -> Result<KernelModule, String> {
    compiled(text, "-cl-std=CL3.0", &run_target())
}

/// Links programs and checks what their kernel `k` writes, before the passes and after them.
fn run(units: &[&str], expected: &str) -> Result<(), String> {
    let modules = units.iter().map(|text| unit(text));
    let modules = modules.collect::<Result<Vec<_>, _>>()?;
    let modules: Vec<&KernelModule> = modules.iter().collect();
    let linked = link(&modules, &LinkOptions::default());
    let linked = linked.output.ok_or(linked.log)?;
    if !spirv_tools::missing() {
        spirv_tools::validate(&linked.words, "opencl2.2")?;
    }
    let count = expected.split_whitespace().count();
    let directives = format!(
        "// test: run\n// kernel: k\n// global: 1\n// arg: buffer int {count}*0\n\
         // expect 0: int {expected}\n"
    );
    let runs = KernelFile::parse_test(&directives)?.runs;
    let mut ir = import(&linked.words, &SpecConstants::default()).map_err(|e| e.to_string())?;
    let (target, options) = (run_target(), LowerOptions::default());
    for after_passes in [false, true] {
        if after_passes {
            let ctx = Ctx {
                target: &target,
                options: &options,
            };
            pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).map_err(|e| format!("{e:?}"))?;
        }
        for run in &runs {
            let range = runs::range_of_single_items(run);
            runs::execute(&ir, run, &range, &Options::default())?;
        }
    }
    Ok(())
}

/// The same with two programs in both orders.
fn run_both(one: &str, other: &str, expected: &str) {
    for units in [[one, other], [other, one]] {
        if let Err(why) = run(&units, expected) {
            panic!("{why}\n{units:#?}");
        }
    }
}

#[test]
fn arrays_are_as_long_as_their_definition() {
    run_both(
        "extern constant int table[];
        extern global int counts[];
        extern global short rows[][3];
        kernel void k(global int *o) {
            int i = o[0];
            o[0] = table[i + 2];
            o[1] = *(counts + i + 1);
            counts[i + 2] += 5;
            o[2] = counts[2];
            o[3] = rows[i + 1][1];
        }",
        "constant int table[] = { 10, 20, 30 };
        global int counts[3] = { 4, 5, 6 };
        global short rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };",
        "30 5 11 5",
    );
    let two_declarations = "extern constant int table[];
        extern constant int table[3];
        int last(void) { return table[2]; }";
    let third = "constant int table[3] = { 7, 8, 9 };";
    let user = "int last(void); extern constant int table[];
        kernel void k(global int *o) { o[0] = last() * 100 + table[1]; }";
    for units in [
        [user, two_declarations, third],
        [third, two_declarations, user],
    ] {
        run(&units, "908").unwrap();
    }
}

#[test]
fn arrays_of_other_elements_do_not_link() {
    let user = "extern constant int table[]; kernel void k(global int *o) { o[0] = table[0]; }";
    for definition in [
        "constant float table[2] = { 1, 2 };",
        "constant int2 table[2] = { 1, 2 };",
        "constant int table[2][2] = { 1, 2 };",
    ] {
        let why = run(&[user, definition], "0").expect_err(definition);
        assert!(why.contains("'table' is declared with a type"), "{why}");
    }
    let sized = "extern constant int table[2]; kernel void k(global int *o) { o[0] = table[0]; }";
    let why = run(&[sized, "constant int table[3] = { 1 };"], "0").unwrap_err();
    assert!(why.contains("'table' is declared with a type"), "{why}");
}

#[test]
fn strong_definitions_replace_weak_ones() {
    let weak = "__attribute__((weak)) int f(int a) { return a; }
        __attribute__((weak)) constant int table[1] = { 7 };
        __attribute__((weak)) global int variable = 7;
        int inside(void) { return f(1) + table[0] * 100 + variable * 1000; }
        kernel void k(global int *o) { o[0] = inside(); }";
    run(&[weak], "7701").unwrap();
    run_both(
        weak,
        "int f(int a) { return a + 5; }
        constant int table[] = { 3, 2, 1 };
        global int variable = 4;",
        "4306",
    );
    // Of weak ones the first stays.
    let other = "int f(int) __attribute__((weak));
        int f(int a) { return a + 8; }";
    run(&[weak, other], "7701").unwrap();
    run(&[other, weak], "7709").unwrap();
    // A declaration alone defines nothing.
    let open = "__attribute__((weak)) int g(int); kernel void k(global int *o) { o[0] = g(0); }";
    let why = run(&[open], "0").unwrap_err();
    assert!(why.contains("undefined reference to 'g'"), "{why}");
    let strong = "int f(int a) { return a; }";
    let why = run(&[strong, strong], "0").unwrap_err();
    assert!(why.contains("multiple definitions of 'f'"), "{why}");
}

#[test]
fn modules_with_open_symbols_are_sound() {
    let mut module = unit(
        "extern constant int table[]; extern global float4 vectors[3]; struct s; extern constant struct s record;
        typedef struct { int a; float b; } pair;
        pair swap(pair p, global int *q, image2d_t i, local float *l);
        constant struct s *where(void) { return &record; }
        kernel void k(global int *o, read_only image2d_t i) {
            local float l;
            pair p = { o[0], table[1] };
            o[0] = swap(p, o, i, &l).a + vectors[1].x;
        }",
    )
    .unwrap();
    let checked = check_module(&module, &run_target());
    assert!(checked.output.is_some(), "{}", checked.log);
    // The last instruction is OpFunctionEnd.
    module.words.pop();
    let checked = check_module(&module, &run_target());
    assert!(checked.output.is_none());
    assert!(checked.log.starts_with("error: "), "{}", checked.log);
}
