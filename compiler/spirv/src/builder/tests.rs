//! Tests of the builder.

use super::{Builder, Section};
use crate::{MAX_BOUND, header, instructions};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, Op};

#[test]
fn sections_stand_in_the_logical_layout() {
    let mut b = Builder::new((1, 3), Capability::Float16, |_| ());
    let (void, half) = (b.ty_void(), b.ty_float(16));
    let signature = b.unique(Op::TypeFunction, None, &[void, half]);
    let function = b.id();
    let params = b.begin_function(function, signature, void, FunctionControl::NONE, &[half]);
    let entry = b.id();
    b.entry_block(entry);
    b.inst(Op::FAdd, half, &[params[0], params[0]]);
    let pointer = b.ty_pointer(rspirv::spirv::StorageClass::Function, half);
    b.local(pointer);
    b.stmt(Op::Return, &[]);
    b.end_function();
    b.decorate(params[0], Decoration::Restrict, &[]);
    b.name(function, "f");
    b.name(entry, "");
    b.execution_mode(function, ExecutionMode::LocalSize, &[1, 1, 1]);
    b.entry_point(ExecutionModel::GLCompute, function, "f", &[]);
    assert_eq!(b.import("GLSL.std.450"), b.import("GLSL.std.450"));
    b.extension("SPV_KHR_b");
    b.extension("SPV_KHR_a");
    b.capability(Capability::Shader);
    b.sort_declarations();
    let bound = b.bound();
    let words = b.finish();
    let head = header(&words).unwrap();
    assert_eq!((head.version, head.bound), ((1, 3), bound));
    let ops: Vec<_> = instructions(&words)
        .map(|inst| Op::from_u32(u32::from(inst.unwrap().opcode)).unwrap())
        .collect();
    assert_eq!(
        ops,
        [
            Op::Capability,
            Op::Capability,
            Op::Extension,
            Op::Extension,
            Op::ExtInstImport,
            Op::MemoryModel,
            Op::EntryPoint,
            Op::ExecutionMode,
            Op::Name,
            Op::Decorate,
            Op::TypeVoid,
            Op::TypeFloat,
            Op::TypeFunction,
            Op::TypePointer,
            Op::Function,
            Op::FunctionParameter,
            Op::Label,
            Op::Variable,
            Op::FAdd,
            Op::Return,
            Op::FunctionEnd,
        ]
    );
    assert_eq!(words[6], Capability::Shader as u32);
}

#[test]
fn equal_types_and_constants_are_one() {
    let mut b = Builder::new((1, 0), Capability::Float16, |_| ());
    let one = b.const_int(8, 0x101);
    assert_eq!(one, b.const_int(8, 1));
    assert_ne!(b.const_u32(1), one);
    let value = b.const_u32(7);
    assert_eq!(b.const_value(value), Some(7));
    assert_eq!(b.const_value(one), None);
    let float = b.const_float_bits(32, 7);
    assert_eq!(b.const_value(float), None);
    assert!(b.is_scalar_constant(float) && b.is_scalar_constant(one));
    let int = b.ty_int(32);
    assert!(!b.is_scalar_constant(int));
    assert_eq!(b.string("text"), b.string(b"text"));
}

#[test]
fn contents_that_begin_alike_are_told_apart() {
    let mut b = Builder::addition(10);
    let structs = [&[][..], &[1], &[1, 2], &[2, 1], &[0, 1], &[1, 0]];
    let ids = structs.map(|members| b.unique(Op::TypeStruct, None, members));
    assert_eq!(ids, [10, 11, 12, 13, 14, 15]);
    // The type is no operand, and another opcode is another content.
    assert_eq!(b.unique(Op::TypeStruct, Some(1), &[]), 16);
    assert_eq!(b.unique(Op::TypeFunction, None, &[1]), 17);
    let again = structs.map(|members| b.unique(Op::TypeStruct, None, members));
    assert_eq!(again, ids);
    // Types of numbers that are asked for in turns.
    let [int, long, float] = [b.ty_int(32), b.ty_int(64), b.ty_float(32)];
    let [half, double] = [b.ty_float(16), b.ty_float(64)];
    assert_eq!(
        [b.ty_int(32), b.ty_int(64), b.ty_float(32)],
        [int, long, float]
    );
    assert_eq!([b.ty_float(64), b.ty_float(16)], [double, half]);
    // What a finished module has twice is found once.
    b.know(7, Op::TypeBool, None, &[]);
    b.know(8, Op::TypeBool, None, &[]);
    assert_eq!(b.ty_bool(), 7);
}

#[test]
fn additions_use_what_the_module_has() {
    let mut b = Builder::addition(100);
    b.know(7, Op::TypeInt, None, &[32, 0]);
    assert_eq!(b.ty_int(32), 7);
    assert_eq!(b.const_u32(5), 100);
    assert_eq!(b.section(Section::Globals), [4 << 16 | 43, 7, 100, 5]);
    assert!(b.bound() < MAX_BOUND);
}
