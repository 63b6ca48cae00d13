//! Builds whose time is over end in every stage, before the next pass is done.

use std::fmt::Write;
use std::time::{Duration, Instant};

use pumice_budget as budget;
use pumice_compiler::target::{Check, Checks};
use pumice_compiler::{
    CompileOptions, KernelModule, LinkOptions, LowerOptions, NoIncludes, Outcome, Source, Target,
    compile, link, lower_observed,
};
use pumice_test_support::build::linked;
use pumice_test_support::on_large_stack;

const TEXT: &str = "\
int twice(int x) { return 2 * x; }
kernel void k(global int *p, int n) {
  for (int i = 0; i < n; i++) p[i] = twice(p[i]);
}
kernel void other(global float *p) { p[get_global_id(0)] = 1.0f; }
";
const TOO_LONG: &str = "compiling this program takes too long";

fn compiled() -> Outcome<KernelModule> {
    let source = Source {
        name: "k.cl",
        text: TEXT.as_bytes(),
    };
    let options = CompileOptions::default();
    compile(source, &options, &Target::reference(), &NoIncludes)
}

/// Does work whose time is over.
fn late<T>(work: impl FnOnce() -> T) -> T {
    budget::end_at(Some(Instant::now()));
    let done = work();
    budget::end_at(None);
    done
}

#[test]
fn compiling_and_linking_end() {
    on_large_stack(|| {
        let module = compiled().output.expect("a module");
        let outcome = late(compiled);
        assert!(outcome.output.is_none());
        assert!(outcome.log.contains(TOO_LONG), "{}", outcome.log);
        let outcome = late(|| link(&[&module], &LinkOptions::default()));
        assert!(outcome.output.is_none());
        assert!(outcome.log.contains(TOO_LONG), "{}", outcome.log);
    });
}

/// The passes of a build whose time is over when `last` is done; all of them without one.
fn passes(module: &KernelModule, target: &Target, last: Option<&str>) -> (Vec<&'static str>, bool) {
    let mut names = Vec::new();
    let options = LowerOptions::default();
    let lowered = lower_observed(module, target, &options, &mut |name, _| {
        names.push(name);
        if Some(name) == last {
            budget::end_at(Some(Instant::now()));
        }
    });
    budget::end_at(None);
    let is_late = lowered.log.contains(TOO_LONG);
    assert_eq!(lowered.output.is_none(), is_late, "{}", lowered.log);
    (names, is_late)
}

#[test]
fn every_pass_is_the_last_one_when_its_time_is_over() {
    on_large_stack(|| {
        let module = linked(TEXT, "", &Target::reference()).expect("links");
        let target = Target {
            checks: Checks::NONE.with(Check::Robust),
            zero_private: true,
            ..Target::reference()
        };
        let (all, is_late) = passes(&module, &target, None);
        assert!(!is_late && all.len() > 20, "{all:?}");
        for (index, &name) in all.iter().enumerate() {
            let (names, is_late) = passes(&module, &target, Some(name));
            assert!(is_late, "behind {name}");
            assert_eq!(names, all[..(index + 2).min(all.len())], "behind {name}");
        }
    });
}

/// Loops by gotos inside one another, as many as `depth`. With `tangled`, each is entered at its end too.
fn nested(depth: u32, tangled: bool) -> String {
    let mut text = String::from("kernel void k(global int *p) { int x = p[0];\n");
    for i in 0..depth {
        if tangled {
            let _ = write!(text, "if (p[{i}]) goto m{i}; ");
        }
        let _ = writeln!(text, "l{i}: p[{i}] = x;");
    }
    for i in (0..depth).rev() {
        let _ = writeln!(text, "m{i}: p[{i}] = x; if (p[{i} + x++]) goto l{i};");
    }
    text + "}\n"
}

/// Lowers a text that takes a pass hours, with little time: it ends with an error, of time or of memory.
fn end_early(text: &str) {
    on_large_stack(|| {
        let module = linked(text, "", &Target::reference()).expect("links");
        budget::end_at(Some(Instant::now() + Duration::from_millis(500)));
        let options = LowerOptions::default();
        let lowered = lower_observed(&module, &Target::reference(), &options, &mut |_, _| {});
        budget::end_at(None);
        assert!(lowered.output.is_none());
    });
}

#[test]
fn deep_nests_of_loops_end() {
    end_early(&nested(20_000, false));
}

#[test]
fn deep_nests_of_cycles_with_two_entries_end() {
    end_early(&nested(1_500, true));
}
