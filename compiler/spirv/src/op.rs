//! Opcodes as the numbers that stand in instruction words (SPIR-V §3.49), from rspirv's grammar.

use rspirv::spirv::Op;

/// OpName
pub const NAME: u16 = Op::Name as u16;
/// OpMemberName
pub const MEMBER_NAME: u16 = Op::MemberName as u16;
/// OpString
pub const STRING: u16 = Op::String as u16;
/// OpExtension
pub const EXTENSION: u16 = Op::Extension as u16;
/// OpExtInstImport
pub const EXT_INST_IMPORT: u16 = Op::ExtInstImport as u16;
/// OpExtInst
pub const EXT_INST: u16 = Op::ExtInst as u16;
/// OpMemoryModel
pub const MEMORY_MODEL: u16 = Op::MemoryModel as u16;
/// OpEntryPoint
pub const ENTRY_POINT: u16 = Op::EntryPoint as u16;
/// OpExecutionMode
pub const EXECUTION_MODE: u16 = Op::ExecutionMode as u16;
/// OpCapability
pub const CAPABILITY: u16 = Op::Capability as u16;
/// OpTypeVoid
pub const TYPE_VOID: u16 = Op::TypeVoid as u16;
/// OpTypeBool
pub const TYPE_BOOL: u16 = Op::TypeBool as u16;
/// OpTypeInt
pub const TYPE_INT: u16 = Op::TypeInt as u16;
/// OpTypeFloat
pub const TYPE_FLOAT: u16 = Op::TypeFloat as u16;
/// OpTypeVector
pub const TYPE_VECTOR: u16 = Op::TypeVector as u16;
/// OpTypeMatrix
pub const TYPE_MATRIX: u16 = Op::TypeMatrix as u16;
/// OpTypeImage
pub const TYPE_IMAGE: u16 = Op::TypeImage as u16;
/// OpTypeArray
pub const TYPE_ARRAY: u16 = Op::TypeArray as u16;
/// OpTypeStruct
pub const TYPE_STRUCT: u16 = Op::TypeStruct as u16;
/// OpTypePointer
pub const TYPE_POINTER: u16 = Op::TypePointer as u16;
/// OpConstant
pub const CONSTANT: u16 = Op::Constant as u16;
/// OpSpecConstantTrue
pub const SPEC_CONSTANT_TRUE: u16 = Op::SpecConstantTrue as u16;
/// OpSpecConstantFalse
pub const SPEC_CONSTANT_FALSE: u16 = Op::SpecConstantFalse as u16;
/// OpSpecConstant
pub const SPEC_CONSTANT: u16 = Op::SpecConstant as u16;
/// OpSpecConstantComposite
pub const SPEC_CONSTANT_COMPOSITE: u16 = Op::SpecConstantComposite as u16;
/// OpSpecConstantOp
pub const SPEC_CONSTANT_OP: u16 = Op::SpecConstantOp as u16;
/// OpFunction
pub const FUNCTION: u16 = Op::Function as u16;
/// OpFunctionEnd
pub const FUNCTION_END: u16 = Op::FunctionEnd as u16;
/// OpFunctionCall
pub const FUNCTION_CALL: u16 = Op::FunctionCall as u16;
/// OpVariable
pub const VARIABLE: u16 = Op::Variable as u16;
/// OpLoad
pub const LOAD: u16 = Op::Load as u16;
/// OpDecorate
pub const DECORATE: u16 = Op::Decorate as u16;
/// OpGroupDecorate
pub const GROUP_DECORATE: u16 = Op::GroupDecorate as u16;
/// OpMemberDecorate
pub const MEMBER_DECORATE: u16 = Op::MemberDecorate as u16;
/// OpExecutionModeId
pub const EXECUTION_MODE_ID: u16 = Op::ExecutionModeId as u16;
/// OpDecorateId
pub const DECORATE_ID: u16 = Op::DecorateId as u16;
/// OpExtInstWithForwardRefsKHR
pub const EXT_INST_FORWARD: u16 = Op::ExtInstWithForwardRefsKHR as u16;
/// OpDecorateString
pub const DECORATE_STRING: u16 = Op::DecorateString as u16;
