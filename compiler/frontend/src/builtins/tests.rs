//! The table resolves calls as clang's overload rules do.

use super::names::unpack;
use super::{Arg, ResolveError, is_builtin, resolve, similar};
use crate::lang::options::LangOptions;
use crate::lang::types::{AddrSpace, IntKind, QualType, Quals, Type, TypeId, TypeTable};
use pumice_target::Target;
use pumice_target::options::{ClStd, CompileOptions};

fn lang(std: ClStd) -> LangOptions<'static> {
    let options = CompileOptions {
        std: Some(std),
        ..CompileOptions::default()
    };
    let mut target = Target::reference();
    target.features.extend(
        [
            "__opencl_c_generic_address_space",
            "__opencl_c_atomic_order_seq_cst",
            "__opencl_c_atomic_scope_device",
            "__opencl_c_subgroups",
            "__opencl_c_work_group_collective_functions",
        ]
        .map(String::from),
    );
    LangOptions::new(&options, Box::leak(Box::new(target)))
}

/// Reads a type such as `float4`, `global const int*`, `local atomic_uint*`, `0`.
fn ty(types: &mut TypeTable, text: &str) -> Arg {
    if text == "0" {
        return Arg {
            ty: TypeTable::INT,
            null: true,
        };
    }
    let Some(pointee) = text.strip_suffix('*') else {
        return Arg {
            ty: value(types, text),
            null: false,
        };
    };
    let mut space = AddrSpace::Private;
    let mut quals = Quals::empty();
    let mut ty = TypeTable::INT;
    for word in pointee.split(' ') {
        match word {
            "global" => space = AddrSpace::Global,
            "local" => space = AddrSpace::Local,
            "constant" => space = AddrSpace::Constant,
            "generic" => space = AddrSpace::Generic,
            "const" => quals |= Quals::CONST,
            "volatile" => quals |= Quals::VOLATILE,
            name => ty = value(types, name),
        }
    }
    Arg {
        ty: types.pointer(QualType::new(ty, quals), space),
        null: false,
    }
}

fn value(types: &mut TypeTable, text: &str) -> TypeId {
    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = text[stem.len()..].parse().unwrap_or(1);
    if let Some(base) = stem.strip_prefix("atomic_") {
        let base = value(types, base);
        return types.intern(Type::Atomic(base));
    }
    let elem = match stem {
        "bool" => TypeTable::BOOL,
        "half" => TypeTable::HALF,
        "float" => TypeTable::FLOAT,
        "double" => TypeTable::DOUBLE,
        "event" => TypeTable::EVENT,
        "size_t" => TypeTable::ULONG,
        _ => {
            let kind = [
                IntKind::Char,
                IntKind::UChar,
                IntKind::Short,
                IntKind::UShort,
                IntKind::Int,
                IntKind::UInt,
                IntKind::Long,
                IntKind::ULong,
            ]
            .into_iter()
            .find(|k| k.name() == stem)
            .expect("a type name");
            TypeTable::int(kind)
        }
    };
    types.lanes(elem, lanes)
}

/// `name(a, b)` to `result name(params)`, or the error in a word.
fn call(text: &str, std: ClStd) -> String {
    let mut types = TypeTable::new();
    let (name, args) = text
        .strip_suffix(')')
        .expect("a call")
        .split_once('(')
        .expect("a call");
    let args: Vec<Arg> = args
        .split(", ")
        .filter(|a| !a.is_empty())
        .map(|a| ty(&mut types, a))
        .collect();
    match resolve(name, &args, &mut types, &lang(std)) {
        Ok(found) => {
            let params: Vec<String> = found.params.iter().map(|p| types.display(*p)).collect();
            let dots = if found.variadic { ", ..." } else { "" };
            format!("{}({}{dots})", types.display(found.ret), params.join(", "))
        }
        Err(ResolveError::Unknown) => "unknown".to_string(),
        Err(ResolveError::Disabled { needs }) => format!("needs {needs}"),
        Err(ResolveError::Count { min, max }) => format!("count {min}..{max}"),
        Err(ResolveError::NoMatch { .. }) => "no match".to_string(),
        Err(ResolveError::Ambiguous { .. }) => "ambiguous".to_string(),
    }
}

#[test]
fn calls_resolve() {
    for (text, expected) in [
        ("sin(float4)", "float4(float4)"),
        ("sin(double)", "double(double)"),
        ("sin(half2)", "half2(half2)"),
        ("sin(int)", "ambiguous"),
        ("sin(int4)", "no match"),
        ("sin()", "count 1..1"),
        ("fmax(float4, float)", "float4(float4, float)"),
        ("fmax(float4, float4)", "float4(float4, float4)"),
        ("pow(float, int)", "float(float, float)"),
        ("pown(double8, int8)", "double8(double8, int8)"),
        ("ldexp(float4, int)", "float4(float4, int)"),
        ("ilogb(double2)", "int2(double2)"),
        ("nan(ulong)", "double(ulong)"),
        (
            "fract(float2, global float2*)",
            "float2(float2, __global float2 *)",
        ),
        ("frexp(float, int*)", "float(float, __private int *)"),
        ("frexp(float, constant int*)", "no match"),
        ("native_sin(double)", "float(float)"),
        ("abs(char4)", "uchar4(char4)"),
        ("max(int, uint)", "ambiguous"),
        ("max(uchar4, int)", "uchar4(uchar4, uchar)"),
        (
            "clamp(short8, short, short)",
            "short8(short8, short, short)",
        ),
        ("upsample(char2, uchar2)", "short2(char2, uchar2)"),
        ("mul24(int, int)", "int(int, int)"),
        (
            "mix(float4, float4, float)",
            "float4(float4, float4, float)",
        ),
        (
            "smoothstep(float, float, float3)",
            "float3(float, float, float3)",
        ),
        ("dot(float3, float3)", "float(float3, float3)"),
        ("dot(float8, float8)", "no match"),
        ("cross(float4, float4)", "float4(float4, float4)"),
        ("isnan(double4)", "long4(double4)"),
        ("isnan(float)", "int(float)"),
        ("isless(double, double)", "int(double, double)"),
        ("any(char16)", "int(char16)"),
        (
            "select(float4, float4, int4)",
            "float4(float4, float4, int4)",
        ),
        (
            "select(float4, float4, uint4)",
            "float4(float4, float4, uint4)",
        ),
        ("select(float, float, uint)", "float(float, float, uint)"),
        (
            "select(double, double, long)",
            "double(double, double, long)",
        ),
        (
            "bitselect(float, float, float)",
            "float(float, float, float)",
        ),
        (
            "vload4(int, global const float*)",
            "float4(ulong, __global const float *)",
        ),
        (
            "vload3(size_t, constant uchar*)",
            "uchar3(ulong, __constant const uchar *)",
        ),
        (
            "vstore16(char16, int, local char*)",
            "void(char16, ulong, __local char *)",
        ),
        ("vstore2(float2, int, constant float*)", "no match"),
        (
            "vload_half(int, global half*)",
            "float(ulong, __global const half *)",
        ),
        (
            "vload_half4(int, global half*)",
            "float4(ulong, __global const half *)",
        ),
        (
            "vstore_half8_rtz(double8, int, global half*)",
            "void(double8, ulong, __global half *)",
        ),
        (
            "vstorea_half3(float3, int, half*)",
            "void(float3, ulong, __private half *)",
        ),
        ("vload5(int, global int*)", "unknown"),
        ("shuffle(float4, uint2)", "float2(float4, uint2)"),
        (
            "shuffle2(short8, short8, ushort16)",
            "short16(short8, short8, ushort16)",
        ),
        ("convert_uchar4_sat_rte(float4)", "uchar4(float4)"),
        ("convert_float(uint)", "float(uint)"),
        ("convert_float4(int2)", "no match"),
        ("convert_float4_sat(int4)", "unknown"),
        ("convert_int(bool)", "int(int)"),
        ("as_uint(float)", "uint(float)"),
        ("as_float4(int3)", "float4(int3)"),
        ("as_int(short)", "no match"),
        ("get_global_id(int)", "ulong(uint)"),
        ("get_work_dim()", "uint()"),
        ("barrier(uint)", "void(uint)"),
        (
            "atomic_add(global int*, int)",
            "int(__global volatile int *, int)",
        ),
        (
            "atomic_inc(volatile local uint*)",
            "uint(__local volatile uint *)",
        ),
        (
            "atomic_xchg(global float*, float)",
            "float(__global volatile float *, float)",
        ),
        ("atomic_add(global float*, float)", "no match"),
        ("atom_add(global long*, long)", "no match"),
        (
            "atomic_cmpxchg(local int*, int, int)",
            "int(__local volatile int *, int, int)",
        ),
        (
            "async_work_group_copy(local float*, global const float*, int, 0)",
            "event_t(__local float *, __global const float *, ulong, event_t)",
        ),
        (
            "wait_group_events(int, event*)",
            "void(int, __private event_t *)",
        ),
        (
            "prefetch(global float4*, int)",
            "void(__global const float4 *, ulong)",
        ),
        (
            "printf(constant char*)",
            "int(__constant const char *, ...)",
        ),
        (
            "printf(constant char*, int, float)",
            "int(__constant const char *, ...)",
        ),
        ("work_group_barrier(uint)", "needs OpenCL C 2.0"),
        ("sub_group_all(int)", "needs cl_khr_subgroups"),
        ("dot(uchar4, uchar4)", "uint(uchar4, uchar4)"),
        ("dot(uchar4, char4)", "int(uchar4, char4)"),
        ("dot(char2, char2)", "no match"),
        ("dot_acc_sat(char4, uchar4, int)", "int(char4, uchar4, int)"),
        ("dot_4x8packed_su_int(uint, uint)", "int(uint, uint)"),
        (
            "amd_bitalign(uint4, uint4, uint4)",
            "uint4(uint4, uint4, uint4)",
        ),
        ("amd_bitalign(int, uint, int)", "uint(uint, uint, uint)"),
        ("amd_bfe(int2, uint2, uint2)", "int2(int2, uint2, uint2)"),
        ("amd_qsad(ulong, uint, ulong)", "ulong(ulong, uint, ulong)"),
        ("amd_unpack3(uint8)", "float8(uint8)"),
        ("amd_sad(uint4, uint2, uint)", "no match"),
        ("clock_read_device()", "needs cl_khr_kernel_clock"),
        ("read_imagef(int)", "count 2..3"),
        ("get_image_num_mip_levels(int)", "needs cl_khr_mipmap_image"),
        ("nonsense(int)", "unknown"),
        ("as_type(int)", "unknown"),
        ("vloadn(int, global int*)", "unknown"),
    ] {
        assert_eq!(call(text, ClStd::Cl12), expected, "{text}");
    }
}

#[test]
fn calls_of_later_versions_resolve() {
    for (text, expected) in [
        ("ctz(uint)", "uint(uint)"),
        (
            "fract(float, generic float*)",
            "float(float, __generic float *)",
        ),
        ("work_group_barrier(uint, int)", "void(uint, int)"),
        (
            "atomic_fetch_add(volatile global atomic_int*, int)",
            "int(__global volatile _Atomic(int) *, int)",
        ),
        (
            "atomic_load_explicit(generic atomic_uint*, int, int)",
            "uint(__generic volatile _Atomic(uint) *, int, int)",
        ),
        (
            "atomic_compare_exchange_strong(global atomic_int*, int*, int)",
            "bool(__global volatile _Atomic(int) *, __private int *, int)",
        ),
        (
            "to_global(generic const float*)",
            "__global const float *(__generic const float *)",
        ),
        ("to_local(local int*)", "__local int *(__generic int *)"),
        ("to_private(constant int*)", "no match"),
        ("get_fence(generic int*)", "uint(__generic int *)"),
        ("sub_group_ballot(int)", "needs cl_khr_subgroup_ballot"),
        (
            "intel_sub_group_block_read(global uint*)",
            "needs cl_intel_subgroups",
        ),
        ("work_group_reduce_add(float)", "float(float)"),
        ("sub_group_scan_inclusive_max(uint)", "uint(uint)"),
        (
            "work_group_broadcast(int, size_t, size_t)",
            "int(int, ulong, ulong)",
        ),
    ] {
        assert_eq!(call(text, ClStd::Cl30), expected, "{text}");
    }
}

#[test]
fn suffixes_survive_packing() {
    let mut types = TypeTable::new();
    let args = [ty(&mut types, "float16")];
    let found = resolve(
        "convert_char16_sat_rtn",
        &args,
        &mut types,
        &lang(ClStd::Cl12),
    );
    let (row, suffix) = unpack(found.expect("resolves").id);
    assert_eq!(row.name, "convert_destType");
    assert!(suffix.saturate);
    assert_eq!(suffix.rounding, Some(pumice_numerics::Rounding::Rtn));
}

#[test]
fn near_misses_are_suggested() {
    assert_eq!(similar("get_globl_id"), ["get_global_id"]);
    assert_eq!(similar("clmap"), ["clamp"]);
    assert_eq!(similar("sinn")[0], "sin");
    assert!(similar("no_such_thing").is_empty());
    assert!(is_builtin("vstorea_half4_rtz") && !is_builtin("vstore"));
}
