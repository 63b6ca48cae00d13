//! Since which version of SPIR-V a token exists, for the tokens that the importer takes. A
//! module that declares less is refused, unless it declares an extension that has the token.

use super::reader::{Inst, Result};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op};

/// SPIR-V 1.`minor`, or one of these extensions.
type Since = (u8, &'static [&'static str]);

fn of_op(op: Op) -> Option<Since> {
    Some(match op as u32 {
        // OpSizeOf to OpModuleProcessed
        321..=330 => (1, &[]),
        // OpExecutionModeId
        331 => (2, &[]),
        // OpDecorateId; the extension decorates by it and named 1.0 until its third revision
        332 => (2, &["SPV_INTEL_memory_access_aliasing"]),
        // OpGroupNonUniformElect to OpGroupNonUniformQuadSwap
        333..=366 => (3, &[]),
        // OpCopyLogical, OpPtrEqual, OpPtrNotEqual, OpPtrDiff
        400..=403 => (4, &[]),
        // OpTypeCooperativeMatrixKHR to OpCooperativeMatrixLengthKHR
        4456..=4460 => (3, &[]),
        // OpSDot to OpSUDotAccSat
        4450..=4455 => (6, &["SPV_KHR_integer_dot_product"]),
        // OpDecorateString, OpMemberDecorateString
        5632 | 5633 => (
            4,
            &[
                "SPV_GOOGLE_decorate_string",
                "SPV_GOOGLE_hlsl_functionality1",
            ],
        ),
        _ => return None,
    })
}

fn of_capability(number: u32) -> Option<Since> {
    Some(match Capability::from_u32(number)? {
        Capability::GroupNonUniform
        | Capability::GroupNonUniformVote
        | Capability::GroupNonUniformArithmetic
        | Capability::GroupNonUniformBallot
        | Capability::GroupNonUniformShuffle
        | Capability::GroupNonUniformShuffleRelative
        | Capability::GroupNonUniformClustered
        | Capability::GroupNonUniformQuad => (3, &[]),
        Capability::DenormPreserve
        | Capability::DenormFlushToZero
        | Capability::SignedZeroInfNanPreserve
        | Capability::RoundingModeRTE
        | Capability::RoundingModeRTZ => (4, &["SPV_KHR_float_controls"]),
        Capability::DotProduct
        | Capability::DotProductInputAll
        | Capability::DotProductInput4x8Bit
        | Capability::DotProductInput4x8BitPacked => (6, &["SPV_KHR_integer_dot_product"]),
        Capability::UniformDecoration => (6, &[]),
        Capability::CooperativeMatrixKHR => (3, &[]),
        _ => return None,
    })
}

fn of_mode(number: u32) -> Option<Since> {
    Some(match ExecutionMode::from_u32(number)? {
        ExecutionMode::Initializer
        | ExecutionMode::Finalizer
        | ExecutionMode::SubgroupSize
        | ExecutionMode::SubgroupsPerWorkgroup => (1, &[]),
        ExecutionMode::SubgroupsPerWorkgroupId
        | ExecutionMode::LocalSizeId
        | ExecutionMode::LocalSizeHintId => (2, &[]),
        ExecutionMode::DenormPreserve
        | ExecutionMode::DenormFlushToZero
        | ExecutionMode::SignedZeroInfNanPreserve
        | ExecutionMode::RoundingModeRTE
        | ExecutionMode::RoundingModeRTZ => (4, &["SPV_KHR_float_controls"]),
        _ => return None,
    })
}

fn of_decoration(number: u32) -> Option<Since> {
    Some(match Decoration::from_u32(number)? {
        Decoration::MaxByteOffset => (1, &[]),
        Decoration::AlignmentId | Decoration::MaxByteOffsetId => (2, &[]),
        Decoration::UniformId => (4, &[]),
        Decoration::NoSignedWrap | Decoration::NoUnsignedWrap => {
            (4, &["SPV_KHR_no_integer_wrap_decoration"])
        }
        Decoration::UserSemantic => (
            4,
            &["SPV_GOOGLE_user_type", "SPV_GOOGLE_hlsl_functionality1"],
        ),
        _ => return None,
    })
}

/// Refuses a module with something newer than the version that it declares.
pub(super) fn check_all(insts: &[Inst<'_>], minor: u8) -> Result<()> {
    let mut extensions = Vec::new();
    for inst in insts.iter().filter(|inst| inst.op == Op::Extension) {
        extensions.push(inst.string(0)?.0);
    }
    insts
        .iter()
        .try_for_each(|inst| check(inst, minor, &extensions))
}

/// Refuses an instruction, or an enumerant among its operands, that is newer than the module.
fn check(inst: &Inst<'_>, minor: u8, extensions: &[String]) -> Result<()> {
    let known = |since: Option<Since>| match since {
        Some((needed, others)) if needed > minor => {
            if extensions
                .iter()
                .any(|name| others.contains(&name.as_str()))
            {
                None
            } else {
                Some(needed)
            }
        }
        _ => None,
    };
    let refuse = |what: &str, needed: u8| {
        Err(inst.error(format_args!(
            "{what} needs SPIR-V 1.{needed}, the module declares 1.{minor}"
        )))
    };
    if let Some(needed) = known(of_op(inst.op)) {
        return refuse("the instruction", needed);
    }
    let (place, look_up): (usize, fn(u32) -> Option<Since>) = match inst.op {
        Op::Capability => (0, of_capability),
        Op::ExecutionMode | Op::ExecutionModeId => (1, of_mode),
        Op::Decorate | Op::DecorateId | Op::DecorateString => (1, of_decoration),
        Op::MemberDecorate | Op::MemberDecorateString => (2, of_decoration),
        _ => return Ok(()),
    };
    let number = inst.arg(place)?;
    let Some(needed) = known(look_up(number)) else {
        return Ok(());
    };
    let name = match inst.op {
        Op::Capability => Capability::from_u32(number).map(|c| format!("capability {c:?}")),
        Op::ExecutionMode | Op::ExecutionModeId => {
            ExecutionMode::from_u32(number).map(|m| format!("execution mode {m:?}"))
        }
        _ => Decoration::from_u32(number).map(|d| format!("decoration {d:?}")),
    };
    refuse(&name.unwrap_or_default(), needed)
}
