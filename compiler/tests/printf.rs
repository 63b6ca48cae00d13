//! Strings of printf that a function was given: they show once it is inlined.

use pumice_compiler::{LowerOptions, Outcome, Target, VulkanModule, lower};
use pumice_test_support::build::linked;
use pumice_test_support::spirv_tools;

fn lowered(text: &str) -> Outcome<VulkanModule> {
    let target = Target::reference();
    let module = linked(text, "", &target).expect("links");
    lower(&module, &target, &LowerOptions::default())
}

#[test]
fn strings_pass_through_functions() {
    let outcome = lowered(
        "constant char *constant kept = \"delta\";\n\
         void say(constant char *what, int n) { printf(\"%s %d\\n\", what, n); }\n\
         kernel void k(int n) { say(\"alpha\", 1); say(\"gamma\" + 1, 2); say(0, 3); say(kept, 4); }\n",
    );
    let module = outcome.output.expect(&outcome.log);
    spirv_tools::validate(&module.words, "vulkan1.2").expect("valid");
    let reflection = pumice_reflection::read(&module.words).expect("readable");
    let shown = format!("{reflection}");
    for text in ["alpha", "amma", "delta", "(null)", "%s %d\n"] {
        let bytes = format!("{:?}", text.as_bytes());
        assert!(shown.contains(&bytes), "{text} in\n{shown}");
    }
}

#[test]
fn a_string_from_memory_is_refused_by_name() {
    let outcome = lowered(
        "void say(constant char *s) { printf(\"%s\\n\", s); }\n\
         kernel void k(constant char *s) { say(s); }\n",
    );
    assert!(outcome.output.is_none());
    let expected = "error: an argument of '%s' in printf is not a string literal\n";
    assert!(outcome.log.contains(expected), "{}", outcome.log);
}
