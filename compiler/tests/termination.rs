//! Kernels of contexts that can be terminated, in the interpreter: they end when the flag is set, and write nothing then.

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline;
use pumice_compiler::{LowerOptions, Target, lower};
use pumice_filetests::{KernelFile, Run};
use pumice_interp::{Options, buffer_address};
use pumice_ir::Module;
use pumice_test_support::build::linked;
use pumice_test_support::run_target;
use pumice_test_support::runs::{Arguments, range};

/// Each writes 7 once the word that it waits for is not 0.
const ENDLESS: &str = "\
kernel void spins(global int *out) { while (((volatile global int *)out)[0] == 0) ; out[1] = 7; }
int find(global int *at, int from) { for (int i = from; ; i++) if (at[i & 1]) return i; }
kernel void calls(global int *out) { out[find(out, 5) + 1] = find(out, 9) + 7; out[1] = 7; }
kernel void meets(global int *out) {
  local int word;
  for (int i = 0; ; i++) {
    if (get_local_id(0) == 3) word = out[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (word) break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[1] = 7;
}
kernel void restarts(global int *out) {
  volatile global int *at = out;
  int i = 0, sum = 0;
  if (at[2] == 0) goto again;
  goto middle;
again:
  i = 0;
inner:
  sum += at[i & 1];
  i++;
  if (i < 4) goto inner;
middle:
  if (at[0] == 0) goto again;
  out[1] = sum + 7;
}
// kernel: spins
// global: 8
// local: 4
// arg: buffer int 0 0 0
// expect 0: int 0 0 0
// kernel: calls
// global: 8
// local: 4
// arg: buffer int 0 0 0
// expect 0: int 0 0 0
// kernel: meets
// global: 8
// local: 4
// arg: buffer int 0 0 0
// expect 0: int 0 0 0
// kernel: restarts
// global: 1
// arg: buffer int 0 0 0
// expect 0: int 0 0 0
";

fn target() -> Target {
    Target {
        terminable: true,
        ..run_target()
    }
}

/// The module after all passes, and whether it looks at the flag.
fn build(text: &str, target: &Target) -> (Module, bool) {
    let module = linked(text, "", target).expect("links");
    let options = &LowerOptions::default();
    let vulkan = lower(&module, target, options);
    let words = vulkan.output.expect(&vulkan.log).words;
    let reflection = pumice_reflection::read(&words).expect("a reflection");
    let mut ir = import(&module.words, &SpecConstants::default()).expect("a module");
    let ctx = Ctx { target, options };
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).expect("lowered");
    (ir, reflection.termination_flag.is_some())
}

fn execute(ir: &Module, run: &Run, flag: u32) -> Result<(), String> {
    let mut given = Arguments::of(run)?;
    let at = given.inputs.buffers.len();
    given.inputs.buffers.push(flag.to_le_bytes().to_vec());
    let options = Options {
        termination_flag: buffer_address(at),
        fuel: 100_000,
        ..Options::default()
    };
    let output = pumice_interp::run(ir, &run.kernel, &given.inputs, &range(run), &options);
    let output = output.map_err(|error| error.to_string())?;
    given.check(run, &output.buffers)
}

#[test]
fn endless_kernels_end_when_they_are_told_to() {
    let (ir, looks) = build(ENDLESS, &target());
    assert!(looks);
    let file = KernelFile::parse(ENDLESS).expect("a kernel file");
    assert_eq!(file.runs.len(), 4);
    for run in &file.runs {
        assert_eq!(execute(&ir, run, 1), Ok(()), "{}", run.kernel);
        let endless = execute(&ir, run, 0);
        assert!(
            endless.as_ref().is_err_and(|why| why.contains("fuel")),
            "{}: {endless:?}",
            run.kernel
        );
    }
}

#[test]
fn only_loops_that_may_be_long_in_such_a_context_look_at_the_flag() {
    let short = "kernel void k(global int *out) { for (int i = 0; i < 1000; i++) out[i] = i; }";
    let long = "kernel void k(global int *out, int n) { for (int i = 0; i < n; i++) out[i] = i; }";
    assert!(!build(short, &target()).1);
    assert!(build(long, &target()).1);
    assert!(!build(long, &run_target()).1);
}
