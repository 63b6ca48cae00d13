//! Coarse copies of kernels (`passes/optimize/coarsen`) compute in the interpreter what the kernels do.

use std::path::Path;

use pumice_compiler::Target;
use pumice_filetests::KernelFile;
use pumice_filetests::golden::{Failures, files};
use pumice_interp::Options;
use pumice_ir::Module;
use pumice_target::Quirks;
use pumice_test_support::build::lowered_ir;
use pumice_test_support::mutants::Random;
use pumice_test_support::{filetests, run_target, runs};

fn coarse_target() -> Target {
    Target {
        coarse: true,
        quirks: Quirks::all(),
        ..run_target()
    }
}

/// The module of a source behind the passes; `None` if it does not build.
fn lowered(text: &str, options: &str) -> Option<Module> {
    lowered_ir(text, options, &coarse_target())
}

/// Runs the copies that a file's runs can take; gives their number.
fn run_copies(path: &Path) -> Result<usize, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let file = KernelFile::parse_test(&text)?;
    let Some(module) = lowered(&text, &file.options) else {
        return match file.build_log.is_empty() {
            true => Err("does not build".into()),
            false => Ok(0),
        };
    };
    let mut count = 0;
    for run in file
        .runs
        .iter()
        .flat_map(|run| runs::of_copies(&module, run))
    {
        runs::execute(&module, &run, &runs::range(&run), &Options::default())
            .map_err(|error| format!("{}: {error}", run.kernel))?;
        count += 1;
    }
    Ok(count)
}

#[test]
fn copies_compute_what_kernel_files_say() {
    let mut failures = Failures::default();
    let count = std::sync::atomic::AtomicUsize::new(0);
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
        let runs = run_copies(path)?;
        count.fetch_add(runs, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    failures.finish();
    let count = count.into_inner();
    assert!(count > 60, "only {count} runs of copies");
}

/// Kernels that work on rows, in which work-items access what lies side by side.
struct Rows {
    random: Random,
    /// The type of elements.
    element: &'static str,
    /// Its words, of 32 bits.
    words: u64,
}

impl Rows {
    fn pick(&mut self, list: &[&str]) -> String {
        list[self.random.below(list.len())].to_string()
    }

    fn cond(&mut self) -> String {
        let simple = [
            "x < w",
            "x >= w",
            "w > x",
            "x + y > w",
            "(x ^ f) > x",
            "(in[at] & 4) == 0",
        ];
        // Vectors have no truth value.
        let simple = if self.element.ends_with(char::is_numeric) || self.element == "float" {
            &simple[..5]
        } else {
            &simple[..]
        };
        let one = self.pick(simple);
        match self.random.below(4) {
            0 => format!("{one} && y != 1"),
            1 => format!("{one} || {}", self.pick(simple)),
            _ => one,
        }
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            let place = self.random.below(4);
            return match self.random.below(6) {
                0 => format!("in[at + {place}]"),
                1 => format!("more[at + 3 - {place}]"),
                2 => format!("({})(x)", self.element),
                3 => format!("({})(y + {place})", self.element),
                4 => "in[y * p + (x ^ f)]".into(),
                _ => format!("in[at] * ({})(3)", self.element),
            };
        }
        let [a, b] = [self.value(depth - 1), self.value(depth - 1)];
        match self.random.below(4) {
            0 => format!("({a} - {b})"),
            1 => format!("({a} * ({})(2) + {b})", self.element),
            2 => format!("({} ? {a} : {b})", self.cond()),
            _ => format!("({a} + {b})"),
        }
    }

    fn body(&mut self) -> String {
        let (value, cond, element) = (self.value(2), self.cond(), self.element);
        match self.random.below(7) {
            0 => format!("out[at] = {value};"),
            1 => format!("if ({cond}) out[at] = {value};"),
            2 => format!("if ({cond}) return;\n  out[at + 1] = {value};"),
            3 => format!(
                "if ({cond}) out[at] = {value};\n  else out[at] = {};",
                self.value(1)
            ),
            4 => format!(
                "{element} sum = ({element})(0);\n  for (int k = 0; k < n; k++)\n    sum += in[k * p + x];\n  \
                 out[at] = sum + {value};"
            ),
            5 => format!(
                "{element} sum = {value};\n  for (int k = 0; k < n && ({cond}); k++)\n    \
                 {{ sum += more[k * p + x + 1]; w += k; }}\n  out[at] = sum;"
            ),
            _ => format!(
                "out[at] = {value};\n  if ({cond}) out[at] = {};",
                self.value(1)
            ),
        }
    }

    /// A file with one kernel and one run.
    fn file(&mut self) -> String {
        let (number, local) = (self.pick(&["int", "size_t"]), self.pick(&["64 1", "128 1"]));
        let global = self.pick(&["128 3", "192 3"]);
        let offset = self.pick(&["", "// offset: 128 1\n"]);
        let body = self.body();
        let mut one_of = |list: &[u32]| list[self.random.below(list.len())];
        let (first, pitch) = (one_of(&[0, 1, 2, 3, 4, 7]), one_of(&[128, 132, 131, 160]));
        let (width, rounds) = (
            one_of(&[0, 1, 63, 64, 65, 100, 128, 1000]),
            one_of(&[0, 1, 5]),
        );
        let flipped = one_of(&[0, 1, 4, 8, 64, 64, 128, 192]);
        let (element, count) = (self.element, 1024 * self.words);
        format!(
            "// kernel: k\n// global: {global}\n// local: {local}\n{offset}// arg: buffer int 0..{count}\n\
             // arg: buffer int 7..{}\n// arg: buffer int {count}*-1\n// arg: int {first}\n// arg: int {pitch}\n\
             // arg: int {width}\n// arg: int {rounds}\n// arg: int {flipped}\n\
             kernel void k(global const {element} *in, global const {element} *more, global {element} *out,\n\
             \x20 int first, int p, int w, int n, int f)\n{{ {number} x = get_global_id(0), y = get_global_id(1), \
             at = first + y * p + x;\n  {body}\n}}\n",
            count + 7
        )
    }
}

#[test]
fn rows_are_the_same_where_lanes_are_neighbours() {
    const ELEMENTS: &[(&str, u64)] = &[
        ("int", 1),
        ("uint", 1),
        ("float", 1),
        ("long", 2),
        ("int2", 2),
        ("uint4", 4),
    ];
    let (mut of_lanes, mut others) = (0, 0);
    for seed in 1..=160 {
        let (element, words) = ELEMENTS[seed % ELEMENTS.len()];
        let mut rows = Rows {
            random: Random(seed as u64),
            element,
            words,
        };
        let text = rows.file();
        let file = KernelFile::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let module = lowered(&text, "").unwrap_or_else(|| panic!("does not build:\n{text}"));
        let [run] = &file.runs[..] else {
            panic!("one run:\n{text}");
        };
        let arguments = runs::Arguments::of(run).expect("arguments");
        let result = |run: &pumice_filetests::Run| {
            let range = runs::range(run);
            pumice_interp::run(
                &module,
                &run.kernel,
                &arguments.inputs,
                &range,
                &Options::default(),
            )
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", run.kernel))
            .buffers
        };
        let expected = result(run);
        for copy in runs::of_copies(&module, run) {
            assert!(
                result(&copy) == expected,
                "{} differs:\n{text}",
                copy.kernel
            );
            match copy.kernel.contains(".lanes") {
                true => of_lanes += 1,
                false => others += 1,
            }
        }
    }
    assert!(
        of_lanes > 100 && others > 100,
        "{of_lanes} of lanes, {others} others"
    );
}
