//! The cost of checks: instructions that the interpreter executes for the benchmark's kernels, with and without them.
//!
//! Indices of local and private memory are confined where the module is written: that is not counted.

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline;
use pumice_check::layout::MOST_MARKS;
use pumice_check::{Object, Place, Range, Table};
use pumice_compiler::{LowerOptions, Target, lower};
use pumice_interp::{Arg, ErrorKind, Inputs, NdRange, Options, buffer_address};
use pumice_ir::Module;
use pumice_reflection::CheckSite;
use pumice_target::{Check, Checks};
use pumice_test_support::build::linked;
use pumice_test_support::run_target;

const TEXT: &str = include_str!("../../cts-harness/bench/kernels.cl");

/// Bytes of each of the three buffers.
const BYTES: usize = 1 << 16;

/// An argument.
#[derive(Clone, Copy)]
enum Give {
    Buf(usize),
    Int(i32),
    Float(f32),
    Local(u64),
}

use Give::{Buf, Float, Int, Local};

/// A kernel with its arguments, and its global and local size.
type Launch = (&'static str, &'static [Give], [u64; 2], [u64; 2]);

const LAUNCHES: &[Launch] = &[
    ("saxpy", &[Buf(0), Buf(1), Float(0.5)], [64, 1], [64, 1]),
    ("copy4", &[Buf(0), Buf(1)], [64, 1], [64, 1]),
    ("reduction", &[Buf(0), Buf(2), Local(256)], [64, 1], [64, 1]),
    ("scan", &[Buf(0), Buf(2), Local(256)], [64, 1], [64, 1]),
    ("histogram", &[Buf(0), Buf(2), Int(64)], [64, 1], [64, 1]),
    ("sgemm", &[Buf(0), Buf(1), Buf(2), Int(64)], [8, 8], [8, 8]),
    (
        "sgemm_tiled",
        &[Buf(0), Buf(1), Buf(2), Int(32)],
        [16, 16],
        [16, 16],
    ),
    ("nbody", &[Buf(0), Buf(2), Int(64)], [64, 1], [64, 1]),
    ("mandelbrot", &[Buf(2), Int(16), Int(16)], [16, 16], [8, 8]),
    ("black_scholes", &[Buf(0), Buf(2)], [64, 1], [64, 1]),
    ("hash", &[Buf(2)], [64, 1], [64, 1]),
    ("stencil", &[Buf(0), Buf(2), Int(32)], [16, 16], [8, 8]),
    ("transpose", &[Buf(0), Buf(2), Int(32)], [16, 16], [16, 16]),
    ("bitonic", &[Buf(2), Int(16), Int(32)], [64, 1], [64, 1]),
    ("spmv", &[Buf(0), Buf(1), Buf(2), Int(64)], [64, 1], [64, 1]),
    ("sha256", &[Buf(2)], [16, 1], [16, 1]),
    ("fft", &[Buf(0), Buf(2), Local(2048)], [128, 1], [128, 1]),
];

/// The kernels after all passes, and the places that they test.
fn build(target: &Target) -> (Module, Vec<CheckSite>) {
    let module = linked(TEXT, "", target).expect("links");
    let mut ir = import(&module.words, &SpecConstants::default()).expect("is read");
    let options = &LowerOptions::default();
    let vulkan = lower(&module, target, options).output.expect("lowers");
    let reflection = pumice_reflection::read(&vulkan.words).expect("is read");
    let ctx = Ctx { target, options };
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).expect("lowers");
    (ir, reflection.checks)
}

/// Instructions of a launch, to a hundredth.
fn instructions((ir, sites): &(Module, Vec<CheckSite>), launch: &Launch) -> u64 {
    let (name, give, global, local) = *launch;
    let mut inputs = Inputs::default();
    for buffer in 0..3 {
        let floats = (0..BYTES / 4).map(|at| (at % 97 + buffer) as f32 / 97.0);
        inputs
            .buffers
            .push(floats.flat_map(f32::to_le_bytes).collect());
    }
    inputs.args.extend(give.iter().map(|arg| match *arg {
        Buf(index) => Arg::Buffer { index, offset: 0 },
        Int(value) => Arg::Bytes(value.to_le_bytes().to_vec()),
        Float(value) => Arg::Bytes(value.to_le_bytes().to_vec()),
        Local(size) => Arg::Local(size),
    }));
    // As launches of an application that has written its buffers; those that it has not, have shadows.
    let shadows = buffer_address(3);
    let shadow = shadows.wrapping_sub(buffer_address(0));
    inputs.buffers.push(vec![u8::MAX; 3 * BYTES]);
    let objects = give.iter().map(|arg| match *arg {
        Buf(index) => Object {
            shadow: shadow
                .wrapping_sub(index as u64 * (buffer_address(1) - buffer_address(0)))
                .wrapping_add((index * BYTES) as u64),
            ..Object::at(buffer_address(index), BYTES as u64)
        },
        Local(size) => Object::local(size),
        Int(_) | Float(_) => Object::default(),
    });
    let table = Table {
        arguments: objects.collect(),
        allocations: (0..3)
            .map(|index| Range {
                first: buffer_address(index),
                size: BYTES as u64,
                shadow: 0,
            })
            .collect(),
        items: global.iter().product(),
        ..Table::default()
    };
    let kernel = ir.kernels.iter().position(|kernel| kernel.name == name);
    let kernel = kernel.expect("is there") as u32;
    let marks = table.marks_size(sites, kernel, MOST_MARKS);
    let mut bytes = table.bytes(&Place {
        sites,
        kernel,
        address: buffer_address(4),
        most_marks: marks,
    });
    bytes.resize(bytes.len().next_multiple_of(8) + marks as usize, 0);
    inputs.buffers.push(bytes);
    let range = NdRange {
        work_dim: 2,
        global: [global[0], global[1], 1],
        local: [local[0], local[1], 1],
        offset: [0; 3],
    };
    let suffices = |fuel: u64| {
        let options = Options {
            fuel,
            check_memory: buffer_address(4),
            check_uninitialised: false,
            ..Options::default()
        };
        match pumice_interp::run(ir, name, &inputs, &range, &options) {
            Ok(_) => true,
            Err(error) if error.kind == ErrorKind::OutOfFuel => false,
            Err(error) => panic!("{name}: {error}"),
        }
    };
    let (mut low, mut high) = (0, 1024);
    while !suffices(high) {
        (low, high) = (high, high * 2);
    }
    while high - low > high / 100 {
        let middle = low.midpoint(high);
        match suffices(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

/// The geometric mean and the most of how many times as many instructions a target's kernels execute.
fn cost(target: &Target) -> (f64, f64) {
    let modules = [build(&run_target()), build(target)];
    let (mut product, mut most) = (1.0, 1.0);
    for launch in LAUNCHES {
        let [plain, checked] = [0, 1].map(|which| instructions(&modules[which], launch));
        let ratio = checked as f64 / plain as f64;
        println!("{:15} {plain:8} {checked:8} {ratio:5.2}", launch.0);
        product *= ratio;
        most = f64::max(most, ratio);
    }
    let mean = f64::powf(product, 1.0 / LAUNCHES.len() as f64);
    println!("{:15} {mean:23.2}", "geometric mean");
    (mean, most)
}

fn with(checks: Checks) -> Target {
    Target {
        checks,
        ..run_target()
    }
}

#[test]
fn robust_kernels_cost_little_more() {
    let robust = Target {
        zero_private: true,
        ..with(Checks::NONE.with(Check::Robust))
    };
    // Most of it is the start of kernels with little work.
    let (mean, _) = cost(&robust);
    assert!(mean < 1.7, "{mean}");
}

#[test]
fn tests_of_bounds_cost_three_times_at_most() {
    let (mean, most) = cost(&with(Checks::NONE.with(Check::Bounds)));
    // The most is a kernel of ten instructions, which reads numbers about two arguments first.
    assert!(mean < 1.5 && most < 3.0, "{mean}, {most}");
}

#[test]
fn all_checks_cost_some_times_as_much() {
    let (mean, most) = cost(&with(Checks::all()));
    // Each part that is written has a mark of its own, which weighs most in kernels of few instructions.
    assert!(mean < 3.5 && most < 10.0, "{mean}, {most}");
}
