//! Random graphs through the structurizer, spirv-val and hand-picked shapes.

use super::carriers::MANY;
use super::irreducible::make_reducible;
use super::loops::make_single_exit;
use super::prepare::prepare;
use super::tidy::tidy;
use super::{Form, check, structure, structure_as};
use crate::pass::Ctx;
use crate::pipeline::run_pipeline;
use crate::vulkan::emit;
use cranelift_entity::SecondaryMap;
use pumice_budget as budget;
use pumice_interp::{self as interp, Arg, Inputs, InterpError, NdRange, Options};
use pumice_ir::text::{module_to_text, parse_module};
use pumice_ir::{
    AccessFlags, Cfg, DomTree, Function, Inst, InstKind, LowerError, MemoryOrder, Merge, Module,
    Scope, SourceLoc, Type, Value, verify,
};
use pumice_target::{LowerOptions, Target};
use pumice_test_support::random_cfg::{Random, random_function};
use pumice_test_support::spirv_tools;
use std::fmt::Write;

fn structure_all(module: &mut Module) {
    structure_all_as(module, Form::default());
}

fn structure_all_as(module: &mut Module, form: Form) {
    verify(module).expect("the input is right");
    for func in module.functions.values_mut() {
        structure_as(func, form).expect("nesting is small");
        if let Err(error) = check(func) {
            panic!("{error}\n{}", pumice_ir::text::function_to_text(func));
        }
    }
    if let Err(error) = verify(module) {
        panic!("{error}\n{}", module_to_text(module));
    }
}

/// The control flow alone as SPIR-V text: conditions are undefined values.
fn spirv_skeleton(func: &Function) -> String {
    let mut text = String::from(
        "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n\
         %void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n\
         %fnty = OpTypeFunction %void\n%cond = OpUndef %bool\n%sel = OpUndef %int\n\
         %f = OpFunction %void None %fnty\n",
    );
    for &block in &func.layout.blocks {
        let _ = writeln!(text, "%{block} = OpLabel");
        match func.blocks[block].merge {
            Some(Merge::Selection { merge }) => {
                let _ = writeln!(text, "OpSelectionMerge %{merge} None");
            }
            Some(Merge::Loop {
                merge,
                continue_target,
                ..
            }) => {
                let _ = writeln!(text, "OpLoopMerge %{merge} %{continue_target} None");
            }
            None => {}
        }
        let inst = func.terminator(block).expect("terminator");
        let _ = match &func.insts[inst].kind {
            InstKind::Jump { dest } => writeln!(text, "OpBranch %{}", dest.block),
            InstKind::Branch { then, other, .. } => writeln!(
                text,
                "OpBranchConditional %cond %{} %{}",
                then.block, other.block
            ),
            InstKind::Switch { default, cases, .. } => {
                let _ = write!(text, "OpSwitch %sel %{}", default.block);
                for (value, call) in cases {
                    let _ = write!(text, " {} %{}", value, call.block);
                }
                writeln!(text)
            }
            InstKind::Return { .. } => writeln!(text, "OpReturn"),
            InstKind::Unreachable => writeln!(text, "OpUnreachable"),
            other => panic!("{other:?} ends {block}"),
        };
    }
    text.push_str("OpFunctionEnd\n");
    text
}

/// Validates a module text of SPIR-V 1.5; skips where the tools are missing.
fn validate(text: &str) -> Result<(), String> {
    if spirv_tools::missing() {
        return Ok(());
    }
    let words = spirv_tools::assemble(&format!("; version: 1.5\n{text}"));
    spirv_tools::validate_with("spirv-val", &words, "spv1.5")
}

/// Runs a group of `items` work-items on a seed, each with 512 bytes of the buffer.
fn try_trace(module: &Module, seed: i32, items: u64) -> Result<interp::Output, InterpError> {
    let inputs = Inputs {
        buffers: vec![vec![0; 512 * items as usize]],
        args: vec![
            Arg::Buffer {
                index: 0,
                offset: 0,
            },
            Arg::Bytes(seed.to_le_bytes().to_vec()),
        ],
    };
    let range = NdRange::linear(items, items);
    interp::run(module, "k", &inputs, &range, &Options::default())
}

/// Gives the contents of the buffer that one work-item leaves for a seed.
fn trace(module: &Module, seed: i32) -> interp::Output {
    try_trace(module, seed, 1).unwrap_or_else(|e| panic!("{e}\n{}", module_to_text(module)))
}

#[test]
fn barriers_that_all_reached_are_reached_by_all() {
    let mut random = Random(3);
    let (mut met, mut divergent) = (0, 0);
    for _ in 0..300 {
        let size = 3 + random.below(8);
        let mask = [0, 1, 1, 3][random.below(4) as usize];
        let text = pumice_test_support::random_cfg::by_work_item(
            &random_function(&mut random, size),
            mask,
        );
        let mut module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let func = module.functions.values_mut().next().expect("one");
        for _ in 0..1 + random.below(2) {
            let blocks = &func.layout.blocks;
            let block = blocks[1 + random.below(blocks.len() as u64 - 1) as usize];
            let barrier = InstKind::Barrier {
                execution: Scope::Workgroup,
                memory: Scope::Workgroup,
                order: MemoryOrder::AcqRel,
                global: false,
                local: true,
            };
            func.insert(block, 0, barrier, &[], SourceLoc::default());
        }
        let seeds: Vec<i32> = (0..4).map(|_| random.below(1 << 30) as i32).collect();
        let before: Vec<_> = seeds.iter().map(|&s| try_trace(&module, s, 4)).collect();
        let text = module_to_text(&module);
        structure_all(&mut module);
        for (&seed, expected) in seeds.iter().zip(before) {
            let Ok(expected) = expected else {
                divergent += 1;
                continue;
            };
            met += 1;
            match try_trace(&module, seed, 4) {
                Ok(output) if output == expected => {}
                Ok(_) => panic!("seed {seed}: other results\n{text}"),
                Err(e) => panic!("seed {seed}: {e}\n{text}\n{}", module_to_text(&module)),
            }
        }
    }
    // Both kinds occur, or the test says nothing.
    assert!(met > 100 && divergent > 100, "{met} {divergent}");
}

/// Makes each block store a value of one of its dominators too, 256 bytes further on, so that
/// rerouted edges break dominance.
fn use_distant_values(module: &mut Module, random: &mut Random) {
    let func = module.functions.values_mut().next().expect("one");
    let dom = DomTree::new(&Cfg::new(func));
    let mut planned = Vec::new();
    for &block in &func.layout.blocks {
        let Some(mut from) = dom.idom(block) else {
            continue;
        };
        for _ in 0..random.below(4) {
            from = dom.idom(from).unwrap_or(from);
        }
        let is_store = |inst: &Inst| matches!(func.insts[*inst].kind, InstKind::Store { .. });
        let insts = &func.layout.insts;
        let Some(at) = insts[block].iter().position(is_store) else {
            continue;
        };
        let InstKind::Store { ptr, .. } = func.insts[insts[block][at]].kind else {
            continue;
        };
        let results = insts[from]
            .iter()
            .flat_map(|&i| func.insts[i].results.clone());
        let values = results.chain(func.blocks[from].params.iter().copied());
        let values: Vec<Value> = values.filter(|&v| func.ty(v) == Type::I32).collect();
        if !values.is_empty() {
            let value = values[random.below(values.len() as u64) as usize];
            planned.push((block, at + 1, ptr, value));
        }
    }
    for (block, at, ptr, value) in planned {
        let loc = SourceLoc::default();
        let offset = func.i64(256);
        let add = InstKind::PtrAdd { base: ptr, offset };
        let ptr = func.insert_value(block, at, add, func.ty(ptr), loc);
        let store = InstKind::Store {
            ptr,
            value,
            align: 4,
            flags: AccessFlags::empty(),
        };
        func.insert(block, at + 1, store, &[], loc);
    }
}

#[test]
fn random_graphs_survive_the_whole_pipeline() {
    let mut random = Random(11);
    let target = Target::reference();
    let options = LowerOptions::default();
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    for round in 0..60 {
        let size = 3 + random.below(12);
        let text = random_function(&mut random, size);
        let mut module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        use_distant_values(&mut module, &mut random);
        let seeds: Vec<i32> = (0..3).map(|_| random.below(1 << 30) as i32).collect();
        let before: Vec<interp::Output> = seeds.iter().map(|&s| trace(&module, s)).collect();
        let text = module_to_text(&module);
        run_pipeline(&mut module, &ctx, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for (&seed, expected) in seeds.iter().zip(&before) {
            if trace(&module, seed) != *expected {
                panic!("seed {seed}\n{text}\n{}", module_to_text(&module));
            }
        }
        let emitted = emit(&module, &target, &options);
        let emitted = emitted.unwrap_or_else(|e| panic!("{e}\n{text}"));
        verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for (&seed, expected) in seeds.iter().zip(&before) {
            assert!(trace(&module, seed) == *expected, "seed {seed}\n{text}");
        }
        if round % 6 == 0 {
            let valid = spirv_tools::validate(&emitted.words, "vulkan1.2");
            valid.unwrap_or_else(|e| panic!("{e}\n{text}\n{}", module_to_text(&module)));
        }
    }
}

#[test]
fn random_graphs_become_structured() {
    let mut random = Random(7);
    for round in 0..200 {
        let size = 3 + random.below(14);
        let text = random_function(&mut random, size);
        let mut module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        use_distant_values(&mut module, &mut random);
        let text = module_to_text(&module);
        let seeds: Vec<i32> = (0..6).map(|_| random.below(1 << 30) as i32).collect();
        let before: Vec<interp::Output> = seeds.iter().map(|&s| trace(&module, s)).collect();
        // Graphs of this size have few places behind a selection.
        let many = [1, 2, MANY][round % 3];
        let nests = [None, Some(1), Some(2), Some(4)][round % 4];
        structure_all_as(&mut module, Form { many, nests });
        for (&seed, expected) in seeds.iter().zip(&before) {
            if trace(&module, seed) != *expected {
                panic!("seed {seed}\n{text}\n{}", module_to_text(&module));
            }
        }
        // The validator is the second opinion on the rules; it costs two processes.
        if round % 10 == 0 {
            let func = module.functions.values().next().expect("one");
            let skeleton = spirv_skeleton(func);
            if let Err(error) = validate(&skeleton) {
                panic!("{error}\n{skeleton}\n{}\n{text}", module_to_text(&module));
            }
        }
    }
}

/// The structured text of a function with these blocks; parameters are `v0: ptr.global`,
/// `v1: bool`, `v2: bool`, `v3: i32`.
fn structured_text(blocks: &str) -> String {
    let text = format!(
        "func fn0 \"f\"(ptr.global, bool, bool, i32) -> () export {{\n\
         block0(v0: ptr.global, v1: bool, v2: bool, v3: i32):\n{blocks}}}\n"
    );
    let mut module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    structure_all(&mut module);
    let func = module.functions.values().next().expect("one");
    validate(&spirv_skeleton(func)).unwrap_or_else(|e| panic!("{e}"));
    module_to_text(&module)
}

#[test]
fn plain_shapes_stay_as_they_are() {
    // A diamond whose value is a parameter of the meeting point: no label, no extra block.
    let text = structured_text(
        "  branch v1, block1, block2\nblock1:\n  store v0, i32 1, align 4\n  jump block3(i32 5)\n\
         block2:\n  store v0, i32 2, align 4\n  jump block3(i32 6)\n\
         block3(v4: i32):\n  store v0, v4, align 4\n  return\n",
    );
    assert_eq!(text.matches("\nblock").count(), 4, "{text}");
    assert_eq!(
        text.matches("switch").count() + text.matches("icmp").count(),
        0,
        "{text}"
    );
    // A loop with a break in the middle.
    let text = structured_text(
        "  jump block1(i32 0)\nblock1(v4: i32):\n  v5: i32 = iadd v4, i32 1\n  \
         v6: bool = icmp.slt v5, v3\n  branch v6, block2, block3\nblock2:\n  \
         store v0, v5, align 4\n  branch v1, block1(v5), block3\nblock3:\n  return\n",
    );
    assert_eq!(
        text.matches("icmp").count(),
        1,
        "no dispatch is needed\n{text}"
    );
    // Early returns do not nest what follows.
    let text = structured_text(
        "  branch v1, block3, block1\nblock1:\n  store v0, i32 1, align 4\n  \
         branch v2, block3, block2\nblock2:\n  store v0, i32 2, align 4\n  jump block3\n\
         block3:\n  return\n",
    );
    assert_eq!(text.matches("return").count(), 3, "{text}");
}

#[test]
fn barriers_are_never_duplicated() {
    // Two entries into a cycle; the barrier is in what splitting would copy.
    let text = structured_text(
        "  branch v1, block1, block2\nblock1:\n  store v0, i32 1, align 4\n  jump block2\n\
         block2:\n  barrier.workgroup.workgroup.acq_rel.local\n  branch v2, block3, block4\n\
         block3:\n  barrier.workgroup.workgroup.acq_rel.global\n  jump block1\n\
         block4:\n  return\n",
    );
    assert_eq!(text.matches("barrier").count(), 2, "{text}");
    let text = structured_text(
        "  branch v1, block1, block2\nblock1:\n  barrier.workgroup.workgroup.acq_rel.local\n  \
         jump block2\nblock2:\n  barrier.workgroup.workgroup.acq_rel.global\n  \
         branch v2, block1, block4\nblock4:\n  return\n",
    );
    assert_eq!(text.matches("barrier").count(), 2, "{text}");
    assert!(
        text.contains("icmp"),
        "a dispatch chooses the entry\n{text}"
    );
}

#[test]
fn long_functions_stay_long_only() {
    // 4000 diamonds and loops in a row. What is added must grow with the blocks, not with their
    // square; a step that is quadratic in time shows as a test that does not end.
    let mut text = String::from("  jump block1\n");
    for i in 0..4000u32 {
        let b = 1 + i * 4;
        let _ = write!(
            text,
            "block{b}:\n  branch v1, block{}, block{}\nblock{}:\n  store v0, i32 1, align 4\n  \
             branch v2, block{}, block{}\nblock{}:\n  branch v2, block{}, block{}\n\
             block{}:\n  jump block{}\n",
            b + 1,
            b + 2,
            b + 1,
            b + 1,
            b + 3,
            b + 2,
            b + 3,
            b + 4,
            b + 3,
            b + 4,
        );
    }
    let _ = write!(text, "block{}:\n  return\n", 1 + 4000 * 4);
    let text = format!(
        "func fn0 \"f\"(ptr.global, bool, bool, i32) -> () export {{\n\
         block0(v0: ptr.global, v1: bool, v2: bool, v3: i32):\n{text}}}\n"
    );
    let mut module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let func = module.functions.values_mut().next().expect("one");
    let count = |func: &Function| -> usize {
        let blocks = &func.layout.blocks;
        blocks.iter().map(|&b| func.layout.insts[b].len()).sum()
    };
    let before = count(func);
    structure(func).expect("nesting is small");
    let after = count(func);
    assert!(after <= 4 * before, "{before} instructions became {after}");
}

/// A step of the work on a function.
type Step = fn(&mut Function) -> Result<(), LowerError>;

#[test]
fn a_build_whose_time_is_over_ends_in_each_step() {
    let selection = "block0(v0: bool):\n  branch v0, block1, block2\n\
                     block1:\n  jump block2\nblock2:\n  return\n";
    let single_value = "block0(v0: bool):\n  branch v0, block1, block2(v0)\n\
                        block1:\n  jump block2(v0)\nblock2(v1: bool):\n  return\n";
    let cycle = "block0(v0: bool):\n  jump block1\nblock1:\n  branch v0, block1, block2\n\
                 block2:\n  return\n";
    let tangle = "block0(v0: bool):\n  branch v0, block1, block2\n\
                  block1:\n  branch v0, block2, block3\nblock2:\n  jump block1\n\
                  block3:\n  return\n";
    let irreducible: Step = |func| make_reducible(&mut prepare(func)).map(drop);
    let loops: Step = |func| {
        let forest = make_single_exit(&mut prepare(func), Form::default());
        Ok(forest.map(drop)?)
    };
    let tidy: Step = |func| Ok(tidy(func, &mut SecondaryMap::new())?);
    for (body, step) in [
        (selection, structure as Step),
        (tangle, irreducible),
        (cycle, loops),
        (single_value, tidy),
    ] {
        let text = format!("func fn0 \"f\"(bool) -> () export {{\n{body}}}\n");
        let mut module = parse_module(&text).expect("parses");
        let func = module.functions.values_mut().next().expect("one");
        budget::begin();
        assert_eq!(step(&mut func.clone()), Ok(()), "{text}");
        budget::end_at(Some(std::time::Instant::now()));
        let error = step(func).expect_err("no time is left");
        budget::end_at(None);
        assert_eq!(error.message, "compiling this program takes too long");
    }
}

#[test]
fn nesting_beyond_the_limit_is_an_error() {
    let mut text = String::from(
        "func fn0 \"f\"(bool, ptr.global) -> () export {\nblock0(v0: bool, v1: ptr.global):\n",
    );
    // if (c) { if (c) { … } store } store
    for i in 0..1100 {
        let _ = write!(
            text,
            "  branch v0, block{}, block{}\nblock{}:\n",
            i + 1,
            5000 - i,
            i + 1
        );
    }
    let _ = writeln!(text, "  jump block{}", 5000 - 1099);
    for i in (0..1100).rev() {
        let _ = write!(text, "block{}:\n  store v1, i32 {i}, align 4\n", 5000 - i);
        if i > 0 {
            let _ = writeln!(text, "  jump block{}", 5000 - i + 1);
        } else {
            text.push_str("  return\n}\n");
        }
    }
    let mut module = parse_module(&text).expect("parses");
    // Like every compilation, on a thread with a large stack.
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let structured = thread.spawn(move || {
        let func = module.functions.values_mut().next().expect("one");
        structure(func)
    });
    let structured = structured.expect("spawns").join().expect("no panic");
    let error = structured.expect_err("too deep");
    assert!(
        error.message.contains("nests more than 1023 deep"),
        "{error}"
    );
}
