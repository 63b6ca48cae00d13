//! Kernel SPIR-V that no device of ours takes, for other consumers: motion estimation, addresses of 32 bits; and the option that
//! asks for the pragma of halves.

use pumice_compiler::{
    CompileOptions, KernelModule, NoIncludes, Outcome, Source, compile, full_target,
};
use pumice_test_support::spirv_tools;
use rspirv::spirv::{AddressingModel, Op};

fn build(text: &str, options: &CompileOptions) -> Outcome<KernelModule> {
    let source = Source {
        name: "a.cl",
        text: text.as_bytes(),
    };
    compile(source, options, &full_target(), &NoIncludes)
}

fn options(text: &str) -> CompileOptions {
    CompileOptions::parse(text).expect("valid options")
}

fn words(text: &str, options: &CompileOptions) -> Vec<u32> {
    let built = build(text, options);
    built.output.expect(&built.log).words
}

/// Opcodes and operands of a module.
fn instructions(words: &[u32]) -> Vec<(u16, Vec<u32>)> {
    let all = pumice_spirv::instructions(words);
    all.map(|inst| inst.expect("whole"))
        .map(|inst| (inst.opcode, inst.operands.to_vec()))
        .collect()
}

#[test]
fn motion_estimation_has_its_instructions() {
    let text = "
kernel void k(read_only image2d_t src, read_only image2d_t ref, global ulong *out) {
    const sampler_t sampler = CLK_AVC_ME_INITIALIZE_INTEL;
    intel_sub_group_avc_ime_payload_t payload = CLK_AVC_IME_PAYLOAD_INITIALIZE_INTEL;
    payload = intel_sub_group_avc_ime_initialize((ushort2)(0, 0), CLK_AVC_ME_PARTITION_MASK_ALL_INTEL, CLK_AVC_ME_SAD_ADJUST_MODE_NONE_INTEL);
    payload = intel_sub_group_avc_ime_set_inter_shape_penalty(7, payload);
    intel_sub_group_avc_ime_result_t result = intel_sub_group_avc_ime_evaluate_with_single_reference(src, ref, sampler, payload);
    *out = intel_sub_group_avc_ime_get_motion_vectors(result);
}";
    let words = words(text, &options("-cl-std=CL1.2"));
    let all = instructions(&words);
    let mut ops = all.iter().map(|(op, _)| *op);
    // The payload's own kind, to all kinds' and back; images with the sampler.
    for wanted in [
        Op::SubgroupAvcImeInitializeINTEL,
        Op::SubgroupAvcImeConvertToMcePayloadINTEL,
        Op::SubgroupAvcMceSetInterShapePenaltyINTEL,
        Op::SubgroupAvcMceConvertToImePayloadINTEL,
        Op::VmeImageINTEL,
        Op::VmeImageINTEL,
        Op::SubgroupAvcImeEvaluateWithSingleReferenceINTEL,
        Op::SubgroupAvcImeConvertToMceResultINTEL,
        Op::SubgroupAvcMceGetMotionVectorsINTEL,
    ] {
        assert!(ops.any(|op| op == wanted as u16), "{wanted:?}");
    }
    let evaluate = Op::SubgroupAvcImeEvaluateWithSingleReferenceINTEL as u16;
    let evaluate = all.iter().find(|(op, _)| *op == evaluate);
    assert_eq!(evaluate.map(|(_, operands)| operands.len()), Some(5));
}

#[test]
fn addresses_have_32_bits() {
    let narrow = CompileOptions {
        narrow_addresses: true,
        ..options("-cl-std=CL2.0")
    };
    let text = "
typedef struct { char c; void *v; void *w; } pointers;
constant int table[2] = { 1, 2 };
constant int *constant place[2] = { table, table + 1 };
int sizes[sizeof(size_t) == 4 && sizeof(ptrdiff_t) == 4 && sizeof(void *) == 4 && sizeof(pointers) == 12 ? 1 : -1];
int macros[sizeof(__SIZE_TYPE__) == 4 && __SIZE_MAX__ == 0xffffffff ? 1 : -1];
kernel void k(global size_t *out, global int *p, queue_t q, local char *l) {
    size_t i = get_global_id(0) + get_local_size(get_work_dim()) + get_global_linear_id();
    out[i] = as_size_t(p[1]) + convert_size_t(1.5f) + *place[i];
    out[1] = (size_t)p + (&p[i] - p) + __builtin_offsetof(pointers, w) + work_group_broadcast(i, i, i);
    out[2] = (size_t)__builtin_astype(5, global int *);
    event_t e = async_work_group_copy((local int *)l, p, i, 0);
    e = async_work_group_copy_2D2D(l, 0, (global void *)p, 0, 4, i, 2, 8, 8, e);
    wait_group_events(1, &e);
    size_t two[2] = { 2, 2 };
    ndrange_t range = ndrange_2D(two);
    enqueue_kernel(q, 0, ndrange_1D(i), ^{ out[3] = i; });
    float4 f = vload4(i, (global float *)p);
    vstore4(f, i, (global float *)p);
}";
    let module = words(text, &narrow);
    let model = instructions(&module);
    let model = model.iter().find(|(op, _)| *op == Op::MemoryModel as u16);
    assert_eq!(
        model.map(|(_, operands)| operands[0]),
        Some(AddressingModel::Physical32 as u32)
    );
    if !spirv_tools::missing() {
        spirv_tools::validate(&module, "spv1.6").expect("valid");
    }
    // No device of ours has such addresses.
    let error = pumice_backend::import::import(&module, &Default::default());
    let message = error.expect_err("refused").message;
    assert!(message.contains("addressing model Physical32"), "{message}");
}

#[test]
fn scalar_halves_wait_for_their_pragma() {
    let by_pragma = CompileOptions {
        half_by_pragma: true,
        ..options("-cl-std=CL1.2")
    };
    let text = "
half f(half *p, half h) {
  half a[2];
  half b = 1.0h;
  *p = p[1];
  return (half)1;
}
float g(half2 v, half *p) { return vload_half(0, p) + convert_float2(v).x; }
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half h(half h) { half a = 1.0h; return a + h; }
";
    let built = build(text, &by_pragma);
    let places: Vec<&str> = (built.log.lines())
        .filter_map(|line| line.split_once(": error:"))
        .map(|(place, _)| place)
        .collect();
    // Result, parameter, both variables, store, load and cast; vectors and pointers are free.
    let expected = [
        "a.cl:2:6",
        "a.cl:2:22",
        "a.cl:3:8",
        "a.cl:4:8",
        "a.cl:5:3",
        "a.cl:5:8",
        "a.cl:6:10",
    ];
    assert_eq!(places, expected, "{}", built.log);
    assert!(build(text, &options("-cl-std=CL1.2")).output.is_some());
}
