//! Every reflection instruction that needs no image, in modules that our compiler wrote: one form
//! of interface or the other, dispatched, with checked results.

use std::collections::BTreeSet;

use pumice_compiler::Target;
use pumice_compiler::abi::{Abi, DescriptorOptions, PodPlace, RangeForm};
use pumice_reflection::TABLE;
use pumice_runtime::executable::{ArgValue, Executable, NdRange};

use crate::kit::{Kit, bytes, pod, range, whole, with_kit};
use pumice_test_support::build::vulkan_module;

/// Instructions that only images and samplers have, which `compiled_images.rs` looks at, and the
/// one that is not the seed's.
pub const NOT_HERE: &[&str] = &[
    "ArgumentSampledImage",
    "ArgumentStorageImage",
    "ArgumentSampler",
    "LiteralSampler",
    "ImageArgumentInfoChannelOrderPushConstant",
    "ImageArgumentInfoChannelDataTypePushConstant",
    "ImageArgumentInfoChannelOrderUniform",
    "ImageArgumentInfoChannelDataTypeUniform",
    "ArgumentStorageTexelBuffer",
    "ArgumentUniformTexelBuffer",
    "NormalizedSamplerMaskPushConstant",
    "WorkgroupVariableSize",
];

pub fn descriptors(change: impl FnOnce(&mut DescriptorOptions)) -> Abi {
    let mut options = DescriptorOptions::default();
    change(&mut options);
    Abi::Descriptors(options)
}

/// Compiles and dispatches programs; notes the instructions seen.
pub struct Cases<'k> {
    pub kit: &'k Kit,
    pub seen: BTreeSet<&'static str>,
}

impl Cases<'_> {
    /// Compiles a program; its module has these instructions.
    pub fn build(&mut self, source: &str, abi: Abi, instructions: &[&str]) -> Executable {
        let words = self.compile(source, abi, instructions);
        self.kit.executable(&words)
    }

    pub fn compile(&mut self, source: &str, abi: Abi, instructions: &[&str]) -> Vec<u32> {
        let mut target = Target::reference();
        target.abi = abi;
        target.max_subgroup_size = self.kit.caps().subgroup.size;
        let features = [
            "__opencl_c_subgroups",
            "__opencl_c_program_scope_global_variables",
        ];
        target.features.extend(features.map(String::from));
        let words = vulkan_module(source, "-cl-std=CL3.0", &target)
            .unwrap()
            .words;
        let reflection = pumice_reflection::read(&words).unwrap();
        let written: BTreeSet<&'static str> = (reflection.instructions.iter())
            .map(|inst| inst.row().name)
            .collect();
        for name in instructions {
            assert!(written.contains(name), "{name} is not in {written:?}");
        }
        self.seen.extend(written);
        words
    }

    pub fn launch(
        &self,
        executable: &Executable,
        range: &NdRange,
        args: &[Option<ArgValue>],
    ) -> String {
        let name = executable.kernels()[0].name.clone();
        self.kit.launch(executable, &name, range, args).unwrap()
    }
}

fn local(size: u64) -> Option<ArgValue> {
    Some(ArgValue::Local { size })
}

fn arguments(cases: &mut Cases<'_>) {
    let source = "
        __attribute__((reqd_work_group_size(4, 1, 1)))
        kernel void k(global int *a, constant int *c, int n, local int *l, float4 v)
        {
            uint id = get_local_id(0);
            l[id] = c[id] * n;
            barrier(CLK_LOCAL_MEM_FENCE);
            a[id] = l[3 - id] + (int)v.w;
        }";
    let kit = cases.kit;
    let forms = [
        (
            Abi::Addresses,
            &["ArgumentPointerPushConstant", "ArgumentPodPushConstant"][..],
        ),
        (
            descriptors(|_| {}),
            &["ArgumentStorageBuffer", "ArgumentPodStorageBuffer"],
        ),
        (
            descriptors(|o| o.pods = PodPlace::Uniform),
            &["ArgumentPodUniform"],
        ),
        (
            descriptors(|o| o.pods = PodPlace::PushConstant),
            &["ArgumentPodPushConstant"],
        ),
        (
            descriptors(|o| o.pods = PodPlace::PushConstantOrStorage),
            &["ArgumentPodPushConstant"],
        ),
        (
            descriptors(|o| o.cluster_pods = false),
            &["ArgumentPodStorageBuffer"],
        ),
        (
            descriptors(|o| o.distinct_sets = true),
            &["ArgumentStorageBuffer", "PropertyRequiredWorkgroupSize"],
        ),
    ];
    for (abi, instructions) in forms {
        let name = format!("{abi:?}");
        let executable = cases.build(source, abi, instructions);
        let required = executable.kernels()[0].required_work_group_size;
        assert_eq!(required, Some([4, 1, 1]));
        let (a, c) = (kit.buffer(&[0; 4]), kit.buffer(&[1, 2, 3, 4]));
        let v = [0, 0, 0, 100.0_f32.to_bits()];
        let args = [whole(&a), whole(&c), pod(&[10]), local(16), pod(&v)];
        cases.launch(&executable, &range(4, 4), &args);
        assert_eq!(kit.words(&a), [140, 130, 120, 110], "{name}");
    }
}

/// More arguments than push constants hold are a uniform block.
fn many_arguments(cases: &mut Cases<'_>) {
    let source = "kernel void k(int16 a, int16 b, int16 c, global int *o) { *o = a.s1 + c.sf; }";
    let instructions = ["ArgumentPodUniform", "ArgumentPointerUniform"];
    let executable = cases.build(source, Abi::Addresses, &instructions);
    let o = cases.kit.buffer(&[0]);
    let vector = |n: u32| pod(&std::array::from_fn::<u32, 16, _>(|i| n + i as u32));
    let args = [vector(100), vector(0), vector(1000), whole(&o)];
    cases.launch(&executable, &range(1, 1), &args);
    assert_eq!(cases.kit.words(&o), [101 + 1015]);
}

fn constant_arguments(cases: &mut Cases<'_>) {
    let source = "
        typedef struct { int4 v[2]; short s; uchar c; } S;
        kernel void k(constant int4 *a, constant S *s, global int *o, int i)
        {
            o[0] = a[i].y + s[i].v[1].z + s[i].s * 1000 + s[i].c * 10000;
        }";
    let abi = descriptors(|o| o.constant_args_uniform = true);
    let executable = cases.build(source, abi, &["ArgumentUniform"]);
    let a = cases.kit.buffer(&[0, 0, 0, 0, 1, 2, 3, 4]);
    let mut s = [0; 24];
    (s[12 + 6], s[12 + 8]) = (50, 0x0003_0007);
    let (s, o) = (cases.kit.buffer(&s), cases.kit.buffer(&[0]));
    let args = [whole(&a), whole(&s), whole(&o), pod(&[1])];
    cases.launch(&executable, &range(1, 1), &args);
    assert_eq!(cases.kit.words(&o), [2 + 50 + 7000 + 30000]);
}

/// Ids, sizes and offsets: in the driver's form, in the document's, and without regions.
fn ranges(cases: &mut Cases<'_>) {
    let source = "
        kernel void k(global uint *o)
        {
            size_t id = (get_global_id(2) - get_global_offset(2)) * get_global_size(1);
            id = (id + get_global_id(1) - get_global_offset(1)) * get_global_size(0);
            global uint *p = o + 8 * (id + get_global_id(0) - get_global_offset(0));
            p[0] = get_global_id(0);
            p[1] = get_global_id(1) | get_global_offset(0) << 16;
            p[2] = get_group_id(0) | get_num_groups(0) << 8 | get_local_id(0) << 16;
            p[3] = get_local_size(0) | get_enqueued_local_size(0) << 8;
            p[4] = get_work_dim();
            p[5] = get_max_sub_group_size();
            p[6] = get_global_linear_id();
            p[7] = get_global_size(0);
        }";
    let six = [
        "PushConstantGlobalOffset",
        "PushConstantEnqueuedLocalSize",
        "PushConstantGlobalSize",
        "PushConstantRegionOffset",
        "PushConstantNumWorkgroups",
        "PushConstantRegionGroupOffset",
        "SpecConstantWorkDim",
        "SpecConstantSubgroupMaxSize",
        "SpecConstantWorkgroupSize",
    ];
    let of_range = |range| descriptors(move |o| o.range = range);
    let size = cases.kit.caps().subgroup.size;
    for (abi, instructions, offsets, remainder) in [
        (Abi::Addresses, &six[..], true, true),
        (of_range(RangeForm::Regions), &six, true, true),
        (of_range(RangeForm::WideRegions), &six, true, true),
        (
            of_range(RangeForm::OffsetSpec),
            &["SpecConstantGlobalOffset"],
            true,
            false,
        ),
        (
            of_range(RangeForm::OffsetPush),
            &["PushConstantGlobalOffset"],
            true,
            false,
        ),
        (of_range(RangeForm::BuiltIns), &[], false, false),
    ] {
        let name = format!("{abi:?}");
        let executable = cases.build(source, abi, instructions);
        let (x, local) = if remainder { (7, 4) } else { (8, 4) };
        let offset = if offsets { [5, 30, 0] } else { [0; 3] };
        let range = NdRange {
            work_dim: 2,
            global_offset: offset,
            global_size: [x, 2, 1],
            local_size: [local, 1, 1],
        };
        let o = cases.kit.buffer(&vec![0; x as usize * 2 * 8]);
        cases.launch(&executable, &range, &[whole(&o)]);
        let words = cases.kit.words(&o);
        for j in 0..2 {
            for i in 0..x as u32 {
                let at = j * x as u32 + i;
                let (group, within) = (i / local, i % local);
                let here = if group == 1 { x as u32 - local } else { local };
                let expected = [
                    i + offset[0] as u32,
                    (j + offset[1] as u32) | (offset[0] as u32) << 16,
                    group | 2 << 8 | within << 16,
                    here | local << 8,
                    2,
                    size,
                    at,
                    x as u32,
                ];
                let got = &words[at as usize * 8..][..8];
                assert_eq!(got, expected, "{name} item {i},{j}");
            }
        }
    }
}

/// Plain data lies behind the module's push constants.
fn both_kinds_of_push_constants(cases: &mut Cases<'_>) {
    let source = "
        kernel void k(global uint *o, uint n, uint4 v)
        {
            o[get_global_id(0) - get_global_offset(0)] = n + v.w + get_global_size(0);
        }";
    for range_form in [RangeForm::Regions, RangeForm::WideRegions] {
        let abi = descriptors(|o| {
            o.pods = PodPlace::PushConstant;
            o.range = range_form;
        });
        let instructions = ["ArgumentPodPushConstant", "PushConstantRegionOffset"];
        let executable = cases.build(source, abi, &instructions);
        let o = cases.kit.buffer(&[0; 3]);
        let mut range = range(3, 2);
        range.global_offset = [9, 0, 0];
        let args = [whole(&o), pod(&[100]), pod(&[0, 0, 0, 20])];
        cases.launch(&executable, &range, &args);
        assert_eq!(cases.kit.words(&o), [123; 3]);
    }
}

/// A kernel's plain data lies in a storage buffer if it is longer than the push constants.
fn push_constants_where_data_fits(cases: &mut Cases<'_>) {
    let source = "
        struct many { uint n[1000]; };
        kernel void large(global uint *o, struct many all) { *o = all.n[999]; }
        kernel void small(global uint *o, uint n) { *o = n; }";
    let abi = descriptors(|o| o.pods = PodPlace::PushConstantOrStorage);
    let instructions = ["ArgumentPodPushConstant", "ArgumentPodStorageBuffer"];
    let executable = cases.build(source, abi, &instructions);
    let o = cases.kit.buffer(&[0]);
    let mut many = [0; 1000];
    many[999] = 7;
    for (name, data, expected) in [("large", &many[..], 7), ("small", &[5], 5)] {
        let args = [whole(&o), pod(data)];
        let launched = cases.kit.launch(&executable, name, &range(1, 1), &args);
        launched.unwrap();
        assert_eq!(cases.kit.words(&o), [expected], "{name}");
    }
}

fn constant_data(cases: &mut Cases<'_>) {
    let source = "
        constant int4 table[3] = {(int4)(1), (int4)(2), (int4)(3, 4, 5, 6)};
        constant uchar small[5] = {9, 8, 7, 6, 5};
        kernel void k(global int *o, int i) { *o = table[i].w * 100 + small[i + 1]; }";
    for (abi, instructions) in [
        (Abi::Addresses, &["ConstantDataPointerPushConstant"][..]),
        (
            descriptors(|o| o.constants_in_buffer = true),
            &["ConstantDataStorageBuffer"],
        ),
        (
            descriptors(|o| {
                o.constants_in_buffer = true;
                o.constant_args_uniform = true;
            }),
            &["ConstantDataUniform"],
        ),
        (descriptors(|_| {}), &[]),
    ] {
        let name = format!("{abi:?}");
        let executable = cases.build(source, abi, instructions);
        let o = cases.kit.buffer(&[0]);
        cases.launch(&executable, &range(1, 1), &[whole(&o), pod(&[2])]);
        assert_eq!(cases.kit.words(&o), [606], "{name}");
    }
}

/// Variables keep what kernels left in them; addresses in them are relocated.
fn program_scope(cases: &mut Cases<'_>) {
    let source = "
        global int count = 40;
        kernel void k(global int *o) { o[0] = count; count += 2; }";
    for (abi, instructions) in [
        (Abi::Addresses, ["ProgramScopeVariablePointerPushConstant"]),
        (descriptors(|_| {}), ["ProgramScopeVariablesStorageBuffer"]),
    ] {
        let name = format!("{abi:?}");
        let executable = cases.build(source, abi, &instructions);
        let o = cases.kit.buffer(&[0]);
        for expected in [40, 42, 44] {
            cases.launch(&executable, &range(1, 1), &[whole(&o)]);
            assert_eq!(cases.kit.words(&o), [expected], "{name}");
        }
    }
    let source = "
        global int values[4] = {1, 2, 3, 4};
        global int *global second = &values[1];
        kernel void k(global int *o) { o[0] = second[1]; second++; }";
    let instructions = ["ProgramScopeVariablePointerRelocation"];
    let executable = cases.build(source, Abi::Addresses, &instructions);
    let o = cases.kit.buffer(&[0]);
    for expected in [3, 4] {
        cases.launch(&executable, &range(1, 1), &[whole(&o)]);
        assert_eq!(cases.kit.words(&o), [expected]);
    }
}

fn printf(cases: &mut Cases<'_>) {
    let source = r#"
        kernel void k(int n) { printf("%d %s %v2hd\n", n, "text", (short2)(3, -4)); }"#;
    for (abi, instructions) in [
        (
            Abi::Addresses,
            ["PrintfInfo", "PrintfBufferPointerPushConstant"],
        ),
        (
            descriptors(|o| o.constants_in_buffer = true),
            ["PrintfInfo", "PrintfBufferStorageBuffer"],
        ),
    ] {
        let executable = cases.build(source, abi, &instructions);
        for n in [7, 8] {
            let text = cases.launch(&executable, &range(1, 1), &[pod(&[n])]);
            assert_eq!(text, format!("{n} text 3,-4\n"));
        }
    }
}

#[test]
fn every_instruction_is_written_and_dispatched() {
    with_kit(|kit| {
        let mut cases = Cases {
            kit,
            seen: BTreeSet::new(),
        };
        arguments(&mut cases);
        many_arguments(&mut cases);
        constant_arguments(&mut cases);
        ranges(&mut cases);
        both_kinds_of_push_constants(&mut cases);
        push_constants_where_data_fits(&mut cases);
        constant_data(&mut cases);
        program_scope(&mut cases);
        printf(&mut cases);
        let missing: Vec<&str> = (TABLE.iter().map(|row| row.name))
            .filter(|name| !cases.seen.contains(name) && !NOT_HERE.contains(name))
            .collect();
        assert!(missing.is_empty(), "never written: {missing:?}");
        let both: Vec<_> = NOT_HERE
            .iter()
            .filter(|n| cases.seen.contains(*n))
            .collect();
        assert!(both.is_empty(), "written after all: {both:?}");
    });
}

/// More buffers than the device has descriptors for are said when the program is built.
#[test]
fn too_many_buffers() {
    with_kit(|kit| {
        let limit = kit.caps().limits.max_storage_buffers;
        if limit > 200 {
            return;
        }
        let params: Vec<String> = (0..=limit).map(|n| format!("global int *a{n}")).collect();
        let source = format!(
            "kernel void k({}) {{ *a0 = *a{limit}; }}",
            params.join(", ")
        );
        let mut cases = Cases {
            kit,
            seen: BTreeSet::new(),
        };
        let words = cases.compile(&source, descriptors(|_| {}), &[]);
        let error = Executable::new(&words, kit.caps()).unwrap_err();
        let expected = format!("{} storage buffers, the device takes {limit}", limit + 1);
        assert!(error.contains(&expected), "{error}");
        // Addresses have no such limit.
        let words = cases.compile(&source, Abi::Addresses, &[]);
        assert!(Executable::new(&words, kit.caps()).is_ok());
    });
}

/// A kernel with descriptors knows a NULL argument, and a sub-buffer's bounds and alignment are
/// the device's.
#[test]
fn null_and_sub_buffers() {
    with_kit(|kit| {
        let mut cases = Cases {
            kit,
            seen: BTreeSet::new(),
        };
        let source = "
            kernel void k(global int *a, global uchar *b, global int *o)
            {
                o[0] = a != 0;
                o[1] = b == 0;
                if (a) o[2] = a[1];
                if (b) b[1] = 7;
            }";
        let abi = descriptors(|o| o.null_is_empty = true);
        let executable = cases.build(source, abi, &[]);
        let (a, o) = (kit.buffer(&[5, 6]), kit.buffer(&[9; 3]));
        let b = kit.buffer(&[u32::MAX; 65]);
        let null = || Some(ArgValue::Null);
        let part = |offset: u64, size: u64| {
            Some(ArgValue::Buffer {
                buffer: b.clone(),
                offset,
                size,
            })
        };
        cases.launch(&executable, &range(1, 1), &[whole(&a), null(), whole(&o)]);
        assert_eq!(kit.words(&o), [1, 1, 6]);
        // Two bytes are a buffer, too.
        cases.launch(
            &executable,
            &range(1, 1),
            &[null(), part(256, 2), whole(&o)],
        );
        assert_eq!(kit.words(&o), [0, 0, 6]);
        assert_eq!(bytes(&kit.words(&b)[64..]), [0xff, 7, 0xff, 0xff]);
        let alignment = kit.caps().limits.min_storage_buffer_alignment;
        if alignment > 1 {
            let args = [null(), part(alignment + 1, 2), whole(&o)];
            let launched = kit.launch(&executable, "k", &range(1, 1), &args);
            assert!(launched.is_err());
        }
    });
}
