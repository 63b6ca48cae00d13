//! `link`: imports find their exports, and what cannot be linked is named.

use pumice_compiler::{KernelModule, LinkOptions, Outcome, link};
use pumice_test_support::build::compiled;
use pumice_test_support::spirv_tools;

const HEADER: &str = "
    OpCapability Addresses
    OpCapability Linkage
    OpCapability Kernel
    %std = OpExtInstImport \"OpenCL.std\"
    OpMemoryModel Physical64 OpenCL
";

fn module(body: &str) -> KernelModule {
    let words = spirv_tools::assemble(&format!("{HEADER}{body}"));
    KernelModule {
        words,
        is_library: false,
    }
}

fn run(modules: &[&KernelModule], create_library: bool) -> Outcome<KernelModule> {
    let options = LinkOptions {
        create_library,
        ..LinkOptions::default()
    };
    link(modules, &options)
}

fn caller() -> KernelModule {
    module(
        "
        OpEntryPoint Kernel %k \"k\"
        OpName %helper \"helper\"
        OpDecorate %helper LinkageAttributes \"helper\" Import
        OpDecorate %table LinkageAttributes \"table\" Import
        %int = OpTypeInt 32 0
        %four = OpConstant %int 4
        %array = OpTypeArray %int %four
        %ptr_array = OpTypePointer UniformConstant %array
        %ptr = OpTypePointer UniformConstant %int
        %pair = OpTypeStruct %int %ptr
        %ptr_pair = OpTypePointer Function %pair
        %table = OpVariable %ptr_array UniformConstant
        %first = OpSpecConstantOp %ptr Bitcast %table
        %void = OpTypeVoid
        %fn = OpTypeFunction %int %ptr_pair
        %fk = OpTypeFunction %void
        %helper = OpFunction %int None %fn
        %p = OpFunctionParameter %ptr_pair
        OpFunctionEnd
        %k = OpFunction %void None %fk
        %l = OpLabel
        %v = OpVariable %ptr_pair Function
        %c = OpCompositeConstruct %pair %four %first
        OpStore %v %c
        %r = OpFunctionCall %int %helper %v
        OpReturn
        OpFunctionEnd",
    )
}

fn callee(linkage: &str) -> KernelModule {
    module(&format!(
        "
        OpName %helper \"helper\"
        OpDecorate %helper LinkageAttributes \"helper\" {linkage}
        OpDecorate %table LinkageAttributes \"table\" {linkage}
        OpDecorate %table Constant
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 0
        %one = OpConstant %int 1
        %four = OpConstant %int 4
        %array = OpTypeArray %int %four
        %ptr = OpTypePointer UniformConstant %int
        %pair = OpTypeStruct %int %ptr
        %ptr_pair = OpTypePointer Function %pair
        %fn = OpTypeFunction %int %ptr_pair
        %ptr_array = OpTypePointer UniformConstant %array
        %init = OpConstantComposite %array %one %four %one %four
        %table = OpVariable %ptr_array UniformConstant %init
        %helper = OpFunction %int None %fn
        %p = OpFunctionParameter %ptr_pair
        %l = OpLabel
        %x = OpExtInst %int %std s_abs %one
        OpSwitch %x %d 0 %a 7 %b
        %a = OpLabel
        OpBranch %d
        %b = OpLabel
        OpBranch %d
        %d = OpLabel
        OpReturnValue %x
        OpFunctionEnd"
    ))
}

#[test]
fn imports_find_functions_and_variables() {
    if spirv_tools::missing() {
        return;
    }
    let (caller, callee) = (caller(), callee("Export"));
    for modules in [[&caller, &callee], [&callee, &caller]] {
        let outcome = run(&modules, false);
        let linked = outcome.output.expect(&outcome.log);
        assert!(!linked.is_library);
        spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
        let text = spirv_tools::disassemble(&linked.words);
        assert_eq!(text.matches("OpTypeInt 32 0").count(), 1, "{text}");
        assert_eq!(text.matches("OpTypeStruct").count(), 1, "{text}");
        assert_eq!(text.matches("= OpFunction ").count(), 2, "{text}");
        assert_eq!(text.matches("Import").count(), 1, "only the set: {text}");
        assert!(text.contains("OpSwitch"), "{text}");
    }
}

#[test]
fn an_open_symbol_is_named_unless_it_is_a_library() {
    if spirv_tools::missing() {
        return;
    }
    let caller = caller();
    let outcome = run(&[&caller], false);
    assert!(outcome.output.is_none());
    assert_eq!(
        outcome.log,
        "error: undefined reference to 'helper'\nerror: undefined reference to 'table'\n"
    );
    let library = run(&[&caller], true).output.expect("a library");
    assert!(library.is_library);
    spirv_tools::validate(&library.words, "opencl2.2").unwrap();
    let callee = callee("Export");
    let outcome = run(&[&library, &callee], false);
    let linked = outcome.output.expect(&outcome.log);
    spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
}

#[test]
fn unused_declarations_disappear() {
    if spirv_tools::missing() {
        return;
    }
    let unused = module(
        "
        OpDecorate %helper LinkageAttributes \"helper\" Import
        %int = OpTypeInt 32 0
        %fn = OpTypeFunction %int
        %helper = OpFunction %int None %fn
        OpFunctionEnd",
    );
    let outcome = run(&[&unused], false);
    let linked = outcome.output.expect(&outcome.log);
    let text = spirv_tools::disassemble(&linked.words);
    assert!(!text.contains("OpFunction "), "{text}");
}

#[test]
fn two_definitions_and_two_kernels_are_refused() {
    if spirv_tools::missing() {
        return;
    }
    let callee = callee("Export");
    let log = run(&[&callee, &callee], false).log;
    assert_eq!(
        log,
        "error: multiple definitions of 'helper'; declare it static, or extern in all but one\nerror: multiple definitions of 'table'; declare it static, or extern in all but one\n"
    );
    let caller = caller();
    let log = run(&[&caller, &caller, &callee], false).log;
    assert_eq!(log, "error: kernel 'k' is defined more than once\n");
}

/// A module whose initializer has a name that clang makes of its source file's.
fn with_initializer(kernel: &str, version: &str) -> KernelModule {
    let text = format!(
        "; version: {version}
        {HEADER}
        OpEntryPoint Kernel %init \"_GLOBAL__sub_I_a.cl\"
        OpEntryPoint Kernel %k \"{kernel}\"
        OpExecutionMode %init Initializer
        %int = OpTypeInt 32 0
        %ptr = OpTypePointer CrossWorkgroup %int
        %one = OpConstant %int 1
        %value = OpVariable %ptr CrossWorkgroup %one
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %init = OpFunction %void None %fn
        %il = OpLabel
        OpStore %value %one
        OpReturn
        OpFunctionEnd
        %k = OpFunction %void None %fn
        %kl = OpLabel
        OpReturn
        OpFunctionEnd"
    );
    KernelModule {
        words: spirv_tools::assemble(&text),
        is_library: false,
    }
}

#[test]
fn initializers_of_one_name_are_all_kept() {
    if spirv_tools::missing() {
        return;
    }
    let modules = [
        with_initializer("k", "1.1"),
        with_initializer("_GLOBAL__sub_I_a.cl.1", "1.1"),
        with_initializer("l", "1.4"),
    ];
    let outcome = run(&[&modules[0], &modules[1], &modules[2]], false);
    let linked = outcome.output.expect(&outcome.log);
    spirv_tools::validate(&linked.words, "spv1.4").unwrap();
    let text = spirv_tools::disassemble(&linked.words);
    assert_eq!(text.matches(" Initializer").count(), 3, "{text}");
    for name in ["", ".2", ".3"] {
        let name = format!("\"_GLOBAL__sub_I_a.cl{name}\"");
        assert_eq!(text.matches(&name).count(), 1, "{name}: {text}");
    }
    // Kernels that applications create are another matter.
    let log = run(&[&modules[0], &modules[0]], false).log;
    assert_eq!(log, "error: kernel 'k' is defined more than once\n");
}

fn once(value: u32, linkage: &str) -> KernelModule {
    module(&format!(
        "
        OpDecorate %f LinkageAttributes \"f\" {linkage}
        %int = OpTypeInt 32 0
        %v = OpConstant %int {value}
        %fn = OpTypeFunction %int
        %f = OpFunction %int None %fn
        %l = OpLabel
        OpReturnValue %v
        OpFunctionEnd"
    ))
}

#[test]
fn a_strong_definition_beats_link_once() {
    if spirv_tools::missing() {
        return;
    }
    let (weak, strong) = (once(11, "LinkOnceODR"), once(22, "Export"));
    for modules in [[&weak, &strong], [&strong, &weak]] {
        let outcome = run(&modules, false);
        let linked = outcome.output.expect(&outcome.log);
        let text = spirv_tools::disassemble(&linked.words);
        assert_eq!(text.matches("= OpFunction ").count(), 1, "{text}");
        let constant = text.lines().find(|l| l.contains(" 22")).expect("strong");
        let id = constant.split(' ').next().expect("an id");
        assert!(text.contains(&format!("OpReturnValue {id}")), "{text}");
    }
    let outcome = run(&[&weak, &weak], false);
    let text = spirv_tools::disassemble(&outcome.output.expect(&outcome.log).words);
    assert_eq!(text.matches("= OpFunction ").count(), 1, "{text}");
}

#[test]
fn differing_types_are_refused() {
    if spirv_tools::missing() {
        return;
    }
    let import = module(
        "
        OpEntryPoint Kernel %k \"k\"
        OpDecorate %f LinkageAttributes \"f\" Import
        %float = OpTypeFloat 32
        %void = OpTypeVoid
        %fn = OpTypeFunction %float
        %fk = OpTypeFunction %void
        %f = OpFunction %float None %fn
        OpFunctionEnd
        %k = OpFunction %void None %fk
        %l = OpLabel
        %r = OpFunctionCall %float %f
        OpReturn
        OpFunctionEnd",
    );
    let log = run(&[&import, &once(1, "Export")], false).log;
    assert_eq!(
        log,
        "error: 'f' is declared with a type that differs from its definition\n"
    );
}

#[test]
fn other_models_and_garbage_are_refused() {
    if spirv_tools::missing() {
        return;
    }
    let mut narrow = once(1, "Export");
    let at = narrow.words.iter().position(|w| *w == (3 << 16) | 14);
    narrow.words[at.expect("OpMemoryModel") + 1] = 1;
    let log = run(&[&once(1, "LinkOnceODR"), &narrow], false).log;
    assert_eq!(
        log,
        "error: the programs differ in addressing or memory model: the first has Physical64 and OpenCL, number 2 has Physical32 and OpenCL\n"
    );
    let good = caller().words;
    for end in 0..good.len() {
        let cut = KernelModule {
            words: good[..end].to_vec(),
            is_library: true,
        };
        // No panic; an early cut is an error, a late one may still be whole instructions.
        let _ = run(&[&cut], false);
    }
    for at in 0..good.len() {
        for value in [0, 1, u32::MAX, 0x0001_0000, 0x0003_0036] {
            let mut words = good.clone();
            words[at] = value;
            let broken = KernelModule {
                words,
                is_library: true,
            };
            let _ = run(&[&broken, &callee("Export")], false);
        }
    }
    assert_eq!(run(&[], false).log, "error: no program to link\n");
}

fn from_source(text: &str) -> KernelModule {
    compiled(text, "", &pumice_compiler::Target::reference()).expect("compiles")
}

const HEADER_TEXT: &str = "
    typedef struct list { int value; struct list *next; } list;
    typedef struct __attribute__((packed)) { char tag; list head; union { float f; int i; } u; } box;
    extern __constant int table[4];
    int sum(box b, list *l);
    box fill(int i);
    static int twice(int i) { return 2 * i; }
";

#[test]
fn programs_from_source_link() {
    if spirv_tools::missing() {
        return;
    }
    let main = from_source(&format!(
        "{HEADER_TEXT}
        kernel void k(global int *o) {{
            box b = fill(twice(3));
            o[0] = sum(b, &b.head) + table[1];
        }}"
    ));
    let library = from_source(&format!(
        "{HEADER_TEXT}
        __constant int table[4] = {{ 1, 2, 3, 4 }};
        int sum(box b, list *l) {{ return b.head.value + l->value + twice(b.u.i); }}
        box fill(int i) {{ box b = {{ 1, {{ i, 0 }}, {{ 2.0f }} }}; return b; }}"
    ));
    let log = run(&[&main], false).log;
    assert_eq!(
        log.lines().count(),
        3,
        "fill, sum and table are open, twice is not: {log}"
    );
    for modules in [[&main, &library], [&library, &main]] {
        let outcome = run(&modules, false);
        let linked = outcome.output.expect(&outcome.log);
        spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
        let text = spirv_tools::disassemble(&linked.words);
        // Records of one layout are one type, so that the calls fit.
        assert_eq!(text.matches("= OpTypeStruct").count(), 3, "{text}");
        assert!(!text.contains("Import\n"), "{text}");
    }
    let archive = run(&[&library], true).output.expect("a library");
    let outcome = run(&[&main, &archive], false);
    assert!(outcome.output.is_some(), "{}", outcome.log);
}

#[test]
fn declarations_of_another_front_end_fit() {
    if spirv_tools::missing() {
        return;
    }
    // As the LLVM translator spells them: 64-bit array lengths, a record that refers to
    // itself, padding at the end, decorated parameters of a declaration.
    let foreign = module(
        "
        OpCapability Int8
        OpCapability Int64
        OpEntryPoint Kernel %k \"k\"
        OpDecorate %use LinkageAttributes \"use\" Import
        OpDecorate %table LinkageAttributes \"table\" Import
        OpDecorate %p FuncParamAttr ByVal
        OpTypeForwardPointer %next CrossWorkgroup
        %byte = OpTypeInt 8 0
        %int = OpTypeInt 32 0
        %long = OpTypeInt 64 0
        %seven = OpConstant %long 7
        %four = OpConstant %long 4
        %zero = OpConstant %int 0
        %pad = OpTypeArray %byte %seven
        %node = OpTypeStruct %long %next %byte %pad
        %next = OpTypePointer CrossWorkgroup %node
        %local = OpTypePointer Function %node
        %array = OpTypeArray %int %four
        %ptr_array = OpTypePointer UniformConstant %array
        %ptr_int = OpTypePointer UniformConstant %int
        %table = OpVariable %ptr_array UniformConstant
        %void = OpTypeVoid
        %fn = OpTypeFunction %next %local %int
        %fk = OpTypeFunction %void
        %use = OpFunction %next None %fn
        %p = OpFunctionParameter %local
        %i = OpFunctionParameter %int
        OpFunctionEnd
        %k = OpFunction %void None %fk
        %l = OpLabel
        %v = OpVariable %local Function
        %e = OpInBoundsPtrAccessChain %ptr_int %table %zero %zero
        %x = OpLoad %int %e Aligned 4
        %r = OpFunctionCall %next %use %v %x
        %n = OpLoad %node %r Aligned 8
        OpReturn
        OpFunctionEnd",
    );
    let ours = from_source(
        "typedef struct node { long value; global struct node *next; char c; } node;
         constant int table[4] = { 1, 2, 3, 4 };
         global node *use(node n, int i) { return n.next + i; }",
    );
    for modules in [[&foreign, &ours], [&ours, &foreign]] {
        let outcome = run(&modules, false);
        let linked = outcome.output.expect(&outcome.log);
        spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
        let text = spirv_tools::disassemble(&linked.words);
        assert_eq!(text.matches("= OpBitcast").count(), 3, "{text}");
    }
    let other = from_source("constant int table[5] = { 1 }; int use(int a, int i) { return i; }");
    assert_eq!(
        run(&[&foreign, &other], false).log,
        "error: 'use' is declared with a type that differs from its definition\n\
         error: 'table' is declared with a type that differs from its definition\n"
    );
}

#[test]
fn built_in_variables_need_no_definition() {
    if spirv_tools::missing() {
        return;
    }
    // As llvm-spirv writes them: with import linkage, which nothing ever satisfies.
    let header = HEADER.replace(
        "OpCapability Kernel",
        "OpCapability Kernel\nOpCapability Int64",
    );
    let body = "
        OpEntryPoint Kernel %k \"k\" %id
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %id Constant
        OpDecorate %id LinkageAttributes \"__spirv_BuiltInGlobalInvocationId\" Import
        %long = OpTypeInt 64 0
        %v3 = OpTypeVector %long 3
        %ptr = OpTypePointer Input %v3
        %id = OpVariable %ptr Input
        %void = OpTypeVoid
        %fk = OpTypeFunction %void
        %k = OpFunction %void None %fk
        %l = OpLabel
        %v = OpLoad %v3 %id
        OpReturn
        OpFunctionEnd";
    let user = KernelModule {
        words: spirv_tools::assemble(&format!("{header}{body}")),
        is_library: false,
    };
    let outcome = run(&[&user], false);
    let linked = outcome.output.expect(&outcome.log);
    spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
}

/// A program that declares another one's kernel and calls it.
#[test]
fn kernels_of_another_program_can_be_called() {
    if spirv_tools::missing() {
        return;
    }
    let record = "struct pair { int a; float b; };";
    let callee = from_source(&format!(
        "{record}
        kernel __attribute__((reqd_work_group_size(4, 1, 1)))
        void copy(global float *d, struct pair p) {{ d[get_global_id(0)] = p.b; }}"
    ));
    let caller = from_source(&format!(
        "{record}
        extern kernel void copy(global float *d, struct pair p);
        kernel void again(global float *d, struct pair p) {{ copy(d, p); copy(d + 4, p); }}"
    ));
    let archive = run(&[&callee], true).output.expect("a library");
    for modules in [[&caller, &callee], [&callee, &caller], [&caller, &archive]] {
        let outcome = run(&modules, false);
        let linked = outcome.output.expect(&outcome.log);
        spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
        let text = spirv_tools::disassemble(&linked.words);
        assert_eq!(text.matches("OpEntryPoint Kernel").count(), 2, "{text}");
        assert_eq!(text.matches("FuncParamAttr ByVal").count(), 3, "{text}");
        assert_eq!(text.matches("LocalSize 4 1 1").count(), 1, "{text}");
        let target = pumice_compiler::Target::reference();
        let options = pumice_compiler::LowerOptions::default();
        let lowered = pumice_compiler::lower(&linked, &target, &options);
        assert!(lowered.output.is_some(), "{}", lowered.log);
    }
}

#[test]
fn a_variable_of_an_unknown_record_can_be_declared() {
    if spirv_tools::missing() {
        return;
    }
    let user = from_source(
        "extern constant struct box unused;
        extern constant struct pair some;
        constant struct pair *where(void) { return &some; }
        struct pair { int a, b; };
        kernel void k(global int *o) { o[0] = where()->b; }",
    );
    let owner = from_source("struct pair { int a, b; }; constant struct pair some = { 1, 2 };");
    let outcome = run(&[&user, &owner], false);
    let linked = outcome.output.expect(&outcome.log);
    spirv_tools::validate(&linked.words, "opencl2.2").unwrap();
}

/// Opaque types of two modules are the same types after linking.
#[test]
fn opaque_arguments_cross_modules() {
    if spirv_tools::missing() {
        return;
    }
    let full = |text: &str| {
        let target = pumice_compiler::full_target();
        compiled(text, "-cl-std=CL3.0", &target).expect("compiles")
    };
    let helpers = full(
        "float4 look(read_only image2d_t i, sampler_t s) { return read_imagef(i, s, (int2)(1)); }\n\
         int take(read_only pipe int p, private int *x) { return read_pipe(p, x); }\n\
         void again(queue_t q, ndrange_t r, clk_event_t e) { enqueue_marker(q, 1, &e, 0); }\n",
    );
    let kernels = full(
        "float4 look(read_only image2d_t i, sampler_t s);\n\
         int take(read_only pipe int p, private int *x);\n\
         void again(queue_t q, ndrange_t r, clk_event_t e);\n\
         kernel void k(image2d_t i, sampler_t s, pipe int p, queue_t q, global float4 *out) {\n\
           int x = 0;\n\
           out[0] = look(i, s) + look(i, CLK_FILTER_NEAREST) + take(p, &x);\n\
           again(q, ndrange_1D(x), create_user_event());\n\
         }\n",
    );
    let linked = run(&[&kernels, &helpers], false);
    let module = linked.output.expect(&linked.log);
    spirv_tools::validate(&module.words, "opencl2.2").expect("valid");
}

#[test]
fn kernels_linked_with_a_library_are_not_contracted() {
    let function = |name: &str| {
        module(&format!(
            "{name}
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %f = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd"
        ))
    };
    let one = function("OpEntryPoint Kernel %f \"one\"");
    let two = function("OpEntryPoint Kernel %f \"two\"");
    let library = function("OpDecorate %f LinkageAttributes \"f\" Export");
    let modes = |modules: &[&KernelModule]| {
        let linked = run(modules, false).output.expect("modules that link");
        let text = spirv_tools::disassemble(&linked.words);
        text.matches("ContractionOff").count()
    };
    assert_eq!(
        [modes(&[&one, &two]), modes(&[&one, &library, &two])],
        [0, 2]
    );
}
