//! Modes of floats: an entry point has those of the widths that its kernel has.

use pumice_compiler::{
    CompileOptions, LinkOptions, LowerOptions, NoIncludes, Source, Target, compile, link, lower,
};
use pumice_test_support::{KEEPING_MODES, run_target, spirv_tools};

/// A driver divides integers by floats on its own, which costs more where denormals are kept.
const SOURCE: &str = "
float half_of(float x) { return x * 0.5f; }
kernel void divide(global uint *x) { x[0] = x[1] / x[2]; }
kernel void halve(global float *x) { x[0] = half_of(x[1]); }
kernel void narrow(global float *x, global int *y) { y[0] = (int)x[0]; }
";

#[test]
fn entry_points_have_the_modes_of_their_widths() {
    let target = Target {
        float_controls: [KEEPING_MODES; 3],
        ..run_target()
    };
    let source = Source {
        name: "<source>",
        text: SOURCE.as_bytes(),
    };
    let compiled = compile(source, &CompileOptions::default(), &target, &NoIncludes);
    let module = compiled.output.expect(&compiled.log);
    let linked = link(&[&module], &LinkOptions::default());
    let module = linked.output.expect(&linked.log);
    let lowered = lower(&module, &target, &LowerOptions::default());
    let words = lowered.output.expect(&lowered.log).words;
    let text = spirv_tools::disassemble(&words);
    let modes = |kernel: &str| {
        let its = format!("OpExecutionMode %{kernel} ");
        let lines = text.lines().filter_map(|line| line.strip_prefix(&its));
        lines
            .filter(|mode| mode.ends_with(" 32"))
            .collect::<Vec<_>>()
    };
    let all = [
        "DenormPreserve 32",
        "SignedZeroInfNanPreserve 32",
        "RoundingModeRTE 32",
    ];
    assert_eq!(modes("divide"), [""; 0]);
    assert_eq!(modes("halve"), all);
    assert_eq!(modes("narrow"), all);
}
