//! Modes of floats: an entry point has those of the widths that its kernel has.

use pumice_compiler::target::Arithmetic;
use pumice_compiler::{LowerOptions, Target, lower};
use pumice_test_support::build::linked;
use pumice_test_support::{KEEPING_MODES, run_target, spirv_tools};

/// A driver divides integers by floats on its own, which costs more where denormals are kept.
const SOURCE: &str = "
float half_of(float x) { return x * 0.5f; }
kernel void divide(global uint *x) { x[0] = x[1] / x[2]; }
kernel void halve(global float *x) { x[0] = half_of(x[1]); }
kernel void narrow(global float *x, global int *y) { y[0] = (int)x[0]; }
";

/// The Vulkan module of a source, disassembled.
fn disassembled(source: &str, target: &Target, options: &LowerOptions) -> String {
    let module = linked(source, "", target).expect("links");
    let lowered = lower(&module, target, options);
    let words = lowered.output.expect(&lowered.log).words;
    spirv_tools::disassemble(&words)
}

/// The modes for f32 of a kernel.
fn modes<'a>(text: &'a str, kernel: &str) -> Vec<&'a str> {
    let its = format!("OpExecutionMode %{kernel} ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&its));
    lines.filter(|mode| mode.ends_with(" 32")).collect()
}

#[test]
fn entry_points_have_the_modes_of_their_widths() {
    let target = Target {
        float_controls: [KEEPING_MODES; 3],
        ..run_target()
    };
    let text = disassembled(SOURCE, &target, &LowerOptions::default());
    let all = [
        "DenormPreserve 32",
        "SignedZeroInfNanPreserve 32",
        "RoundingModeRTE 32",
    ];
    assert_eq!(modes(&text, "divide"), [""; 0]);
    assert_eq!(modes(&text, "halve"), all);
    assert_eq!(modes(&text, "narrow"), all);
}

/// Rounding to nearest that holds unasked, and that makes divisions exact and slow where it is asked for, is asked for by
/// programs that need exact ones. The others' divisions are the device's, those of large divisors too.
#[test]
fn exact_divisions_ask_for_rounding_to_nearest() {
    let target = Target {
        float_controls: [KEEPING_MODES; 3],
        arithmetic: Arithmetic {
            nearest_unasked_f32: true,
            accurate_div_f32: true,
            exact_sqrt_f32: false,
            ..run_target().arithmetic
        },
        ..run_target()
    };
    let source = "
        kernel void divide(global float *x) { x[0] = x[1] / x[2]; }
        kernel void logarithm(global float *x) { x[0] = log1p(x[1]); }
    ";
    let mut options = LowerOptions::default();
    let divides_alone = |text: &str| {
        let end = text.find("%logarithm = OpFunction").expect("two kernels");
        let start = text.find("%divide = OpFunction").expect("two kernels");
        let of_divide = &text[start..end];
        assert_eq!(of_divide.matches("OpFDiv").count(), 1, "{of_divide}");
        assert_eq!(of_divide.matches("OpFMul").count(), 0, "{of_divide}");
    };
    let plain = disassembled(source, &target, &options);
    divides_alone(&plain);
    for kernel in ["divide", "logarithm"] {
        assert!(!modes(&plain, kernel).contains(&"RoundingModeRTE 32"));
    }
    // The library's quotient is refined.
    assert!(plain.contains(" Fma "), "{plain}");
    options.math.correctly_rounded_divide_sqrt = true;
    let exact = disassembled(source, &target, &options);
    divides_alone(&exact);
    for kernel in ["divide", "logarithm"] {
        assert!(modes(&exact, kernel).contains(&"RoundingModeRTE 32"));
    }
}
