//! File tests of execution-graph nodes (SPV_AMDX_shader_enqueue): `filetests/ir/node/*.ir` are
//! read, verified, written again, lowered and emitted; what the emitted module says of its nodes
//! is read back and pinned beside the file with the module. `bad_*.ir` pin what the verifier says.
//!
//! spirv-val knows the extension from 2024.4 on; `PUMICE_SPIRV_VAL` may name a newer one than the
//! machine's. What an older one cannot judge is left to our own reader of the extension.
//! `; spirv-val: text` allows an error with that text: 2025.1 refuses the type operand of
//! OpIsNodePayloadValidAMDX, which the extension requires.

use pumice_backend::vulkan::{self, graph};
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::golden::{self, Failures, files};
use pumice_filetests::{KernelFile, directive};
use pumice_interp::{self as interp, Arg, Inputs, NdRange, Options};
use pumice_ir::text::{module_to_text, parse_module};
use pumice_ir::verify;
use pumice_reflection::Need;
use pumice_test_support::build::vulkan_module;
use pumice_test_support::runs::{Arguments, range};
use pumice_test_support::{filetests, graphs, spirv_tools};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

fn all_files() -> Vec<PathBuf> {
    files(&filetests("ir/node"), &["ir"], 8)
}

fn target() -> Target {
    Target {
        shader_enqueue: true,
        ..Target::reference()
    }
}

fn emit(text: &str) -> Result<Vec<u32>, String> {
    let mut module = parse_module(text).map_err(|e| e.to_string())?;
    let written = module_to_text(&module);
    let again = parse_module(&written).map_err(|e| format!("{e}\n{written}"))?;
    if module_to_text(&again) != written {
        return Err("the text form does not round-trip".into());
    }
    verify(&module).map_err(|e| e.to_string())?;
    pumice_test_support::lowering_passes::lower(&mut module, &target())?;
    let emitted = vulkan::emit(&module, &target(), &LowerOptions::default());
    Ok(emitted.map_err(|e| e.to_string())?.words)
}

/// Validates a module with spirv-val; errors from what spirv-val does not know do not count.
fn validate(words: &[u32], allowed: Option<&str>) -> Result<(), String> {
    operands_stand_first(words)?;
    let tool = std::env::var("PUMICE_SPIRV_VAL").unwrap_or_else(|_| "spirv-val".into());
    let words = pumice_reflection::strip_non_semantic(words);
    match spirv_tools::validate_with(&tool, &words, "vulkan1.2") {
        Ok(()) => Ok(()),
        // ShaderEnqueueAMDX is unknown to it.
        Err(e) if e.contains("5067") => Ok(()),
        Err(e) if allowed.is_some_and(|text| e.contains(text)) => Ok(()),
        Err(e) => Err(e),
    }
}

/// Checks that what decorates a type of payload arrays stands before the type, which spirv-val asks for only
/// where it knows the extension.
fn operands_stand_first(words: &[u32]) -> Result<(), String> {
    let opcode = |op: Op| op as u32;
    let mut places = FxHashMap::default();
    let mut decorations = Vec::new();
    let mut at = 5;
    while at < words.len() {
        let (length, op) = ((words[at] >> 16) as usize, words[at] & 0xFFFF);
        let inst = &words[at..at + length];
        let is_typed = op == opcode(Op::Constant);
        let has_id = [
            Op::TypeNodePayloadArrayAMDX,
            Op::ConstantStringAMDX,
            Op::SpecConstantStringAMDX,
        ];
        if is_typed || has_id.into_iter().any(|known| op == opcode(known)) {
            places.insert(inst[1 + usize::from(is_typed)], at);
        } else if op == opcode(Op::DecorateId) {
            decorations.push((inst[1], inst[3]));
        }
        at += length;
    }
    for (target, operand) in decorations {
        let place = |id: u32| places.get(&id).ok_or(format!("id {id} is nowhere"));
        if place(operand)? > place(target)? {
            return Err(format!(
                "id {operand} stands behind {target}, which it decorates"
            ));
        }
    }
    Ok(())
}

fn check(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if stem.starts_with("bad_") {
        return match emit(&text) {
            Ok(_) => Err("it is accepted".into()),
            Err(message) => Ok(format!("{message}\n")),
        };
    }
    let words = emit(&text)?;
    let allowed = directive::value(&text, "spirv-val");
    validate(&words, allowed)?;
    let graph = graph::read(&words)?;
    Ok(graph.to_string())
}

#[test]
fn every_file_is_what_it_was_blessed_as() {
    golden::run_files(&filetests("ir/node"), &["ir"], 8, "graph", check);
}

fn interpret(
    name: &str,
    items: u64,
    buffers: Vec<Vec<u8>>,
    received: &[Vec<u32>],
) -> interp::Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/ir/node");
    let text = std::fs::read_to_string(folder.join(format!("{name}.ir"))).expect("readable");
    let module = parse_module(&text).expect("reads");
    let args = (0..buffers.len()).map(|index| Arg::Buffer { index, offset: 0 });
    let inputs = Inputs {
        args: args.collect(),
        buffers,
    };
    let range = NdRange {
        work_dim: 1,
        global: [items, 1, 1],
        local: [items, 1, 1],
        offset: [0; 3],
    };
    let options = Options::default();
    interp::run_node(&module, name, &inputs, &range, &options, received).expect("runs")
}

#[test]
fn a_kernel_enqueues_payloads() {
    let output = interpret("producer", 8, vec![vec![0; 4]], &[]);
    let (group, items) = output.enqueued.split_first().expect("something");
    // Three group counts, then the first of four words.
    let expected: Vec<Vec<u32>> = (0..8).map(|item| vec![1, 1, 1, item, 0, 0, 0]).collect();
    assert_eq!(group.records, expected);
    assert_eq!(group.index, 2, "the base index counts");
    assert_eq!(items.len(), 8);
    assert!(items.iter().all(|array| array.records == [[0, 0]]));
}

#[test]
fn a_node_reads_and_finishes_its_payload() {
    let output = interpret("consumer", 1, Vec::new(), &[vec![1, 2, 3, 4]]);
    assert_eq!(output.enqueued, []);
    let output = interpret("coalescing", 64, Vec::new(), &[vec![5], vec![6]]);
    assert_eq!(output.enqueued, []);
    // One payload comes in and goes on to another node.
    let output = interpret("specialised_names", 1, Vec::new(), &[vec![42]]);
    assert_eq!(output.enqueued[0].records, [[42]]);
}

/// `filetests/ir/graph/*.ir` are whole graphs with their directives: they are emitted, and run in the
/// interpreter. `runtime/tests/graphs_on_device.rs` runs them on a driver that has work graphs.
#[test]
fn graphs_run_in_the_interpreter() {
    let mut failures = Failures::default();
    for path in files(&filetests("ir/graph"), &["ir"], 4) {
        if let Err(error) = check_graph(&path) {
            failures.add(&path, error);
        }
    }
    failures.finish();
}

fn check_graph(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let words = emit(&text)?;
    validate(&words, directive::value(&text, "spirv-val"))?;
    graph::read(&words)?;
    let run = KernelFile::parse(&text)?.runs.pop().ok_or("no run")?;
    let module = parse_module(&text).map_err(|e| e.to_string())?;
    let arguments = Arguments::of(&run)?;
    let inputs = arguments.inputs.clone();
    let buffers = graphs::run(&module, &run.kernel, inputs, &range(&run))?;
    arguments.check(&run, &buffers)
}

/// Blocks that kernels of OpenCL C enqueue are nodes beside their kernels, in a module that is valid.
#[test]
fn blocks_are_nodes() {
    let text = "void step(global uint *r, uint left) {\n\
                  r[0] += 1;\n\
                  if (left > 0)\n\
                    enqueue_kernel(get_default_queue(), 0, ndrange_1D(4, 2), ^{ step(r, left - 1); });\n\
                }\n\
                kernel void chain(global uint *r, uint left) { step(r, left); }\n";
    let target = Target {
        shader_enqueue: true,
        ..pumice_test_support::run_target()
    };
    let built = vulkan_module(text, "-cl-std=CL3.0", &target);
    let words = built.expect("builds").words;
    validate(&words, None).expect("valid");
    let nodes = graph::read(&words).expect("nodes").nodes;
    let named = |part: &str| {
        nodes
            .iter()
            .filter(|(name, _)| name.ends_with(part))
            .count()
    };
    assert_eq!(named(".node"), 2, "{nodes:?}");
    let (_, scheduler) = (nodes.iter())
        .find(|(name, _)| name == "schedule.device_queues.node")
        .expect("a scheduler");
    assert_eq!(scheduler.static_groups, Some([1; 3]));
    let parts = pumice_reflection::read(&words).expect("reflection").needs;
    let parts: Vec<u32> = (parts.iter())
        .filter_map(|need| match need {
            Need::GraphNode { part, .. } => Some(*part),
            _ => None,
        })
        .collect();
    assert_eq!(parts, [1, 0]);
}

#[test]
fn a_device_without_graphs_refuses_nodes() {
    let text = std::fs::read_to_string(all_files().last().expect("a file")).expect("readable");
    let mut module = parse_module(&text).expect("reads");
    let target = Target::reference();
    pumice_test_support::lowering_passes::lower(&mut module, &target).expect("lowers");
    let error = vulkan::emit(&module, &target, &LowerOptions::default()).expect_err("refused");
    assert!(error.message.contains("VK_AMDX_shader_enqueue"), "{error}");
}

/// Reading never panics, whatever the words.
#[test]
fn damaged_modules_are_refused() {
    let mut state = 0x9E37_79B9_u32;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below
    };
    for path in all_files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Ok(words) = emit(&text) else { continue };
        for _ in 0..500 {
            let mut damaged = words.clone();
            for _ in 0..1 + next(3) {
                let at = 5 + next(damaged.len() - 5);
                damaged[at] = match next(3) {
                    0 => damaged[at] ^ 1 << next(32),
                    1 => next(80) as u32,
                    _ => damaged[5 + next(words.len() - 5)],
                };
            }
            let _ = graph::read(&damaged);
        }
    }
}
