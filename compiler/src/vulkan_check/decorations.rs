//! Decorations and execution modes in a module from outside: what drivers index their tables by.

use std::collections::{HashMap, HashSet};

use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op};

use super::{Definition, Inst, Kind};

/// Kind of target that a decoration may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A specialization constant.
    Constant,
    Type,
    Variable,
    /// A variable outside functions or a constant.
    BuiltIn,
    /// A member of a struct and nothing else.
    Member,
    Any,
}

/// The decorations of compute modules: their number of literals and what they are for.
const DECORATIONS: &[(Decoration, usize, Target)] = &[
    (Decoration::RelaxedPrecision, 0, Target::Any),
    (Decoration::SpecId, 1, Target::Constant),
    (Decoration::Block, 0, Target::Type),
    (Decoration::BufferBlock, 0, Target::Type),
    (Decoration::RowMajor, 0, Target::Member),
    (Decoration::ColMajor, 0, Target::Member),
    (Decoration::ArrayStride, 1, Target::Type),
    (Decoration::MatrixStride, 1, Target::Member),
    (Decoration::BuiltIn, 1, Target::BuiltIn),
    (Decoration::Invariant, 0, Target::Any),
    (Decoration::Restrict, 0, Target::Any),
    (Decoration::Aliased, 0, Target::Any),
    (Decoration::Volatile, 0, Target::Any),
    (Decoration::Coherent, 0, Target::Any),
    (Decoration::NonWritable, 0, Target::Any),
    (Decoration::NonReadable, 0, Target::Any),
    (Decoration::Uniform, 0, Target::Any),
    (Decoration::Binding, 1, Target::Variable),
    (Decoration::DescriptorSet, 1, Target::Variable),
    (Decoration::Offset, 1, Target::Member),
    (Decoration::FPRoundingMode, 1, Target::Any),
    (Decoration::NoContraction, 0, Target::Any),
    (Decoration::NoSignedWrap, 0, Target::Any),
    (Decoration::NoUnsignedWrap, 0, Target::Any),
    (Decoration::NonUniform, 0, Target::Any),
    (Decoration::RestrictPointer, 0, Target::Any),
    (Decoration::AliasedPointer, 0, Target::Any),
];

/// The built-in variables of compute modules.
const BUILT_INS: &[BuiltIn] = &[
    BuiltIn::NumWorkgroups,
    BuiltIn::WorkgroupSize,
    BuiltIn::WorkgroupId,
    BuiltIn::LocalInvocationId,
    BuiltIn::GlobalInvocationId,
    BuiltIn::LocalInvocationIndex,
    BuiltIn::SubgroupSize,
    BuiltIn::NumSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
    BuiltIn::DeviceIndex,
];

/// Checks the decorations, and that every kernel has a work-group size.
///
/// # Errors
/// The first that does not hold.
pub(super) fn check(
    insts: &[Inst<'_>],
    definitions: &HashMap<u32, Definition>,
) -> Result<(), String> {
    let mut members = HashMap::new();
    let mut sized = HashSet::new();
    let mut has_size = false;
    for inst in insts {
        let words = &inst.words[1..];
        match (inst.op, words) {
            (Op::TypeStruct, &[id, ref types @ ..]) => {
                members.insert(id, types.len());
            }
            (Op::ExecutionMode | Op::ExecutionModeId, &[function, mode, ref size @ ..]) => {
                let modes = [ExecutionMode::LocalSize, ExecutionMode::LocalSizeId];
                if modes.iter().any(|known| *known as u32 == mode) && size.len() == 3 {
                    sized.insert(function);
                }
            }
            _ => {}
        }
    }
    for inst in insts {
        let failed = |why: String| Err(inst.error(&why));
        match (inst.op, &inst.words[1..]) {
            (Op::Decorate, &[target, decoration, ref literals @ ..]) => {
                let kind = definitions.get(&target).map(|definition| definition.kind);
                if let Err(why) = suits(decoration, literals, kind) {
                    return failed(why);
                }
                has_size |= decoration == Decoration::BuiltIn as u32
                    && literals == [BuiltIn::WorkgroupSize as u32];
            }
            (Op::MemberDecorate, &[target, member, decoration, ref literals @ ..]) => {
                if members
                    .get(&target)
                    .is_none_or(|count| member as usize >= *count)
                {
                    return failed(format!("type {target} has no member {member}"));
                }
                if let Err(why) = suits(decoration, literals, None) {
                    return failed(why);
                }
            }
            _ => {}
        }
    }
    let entry_points = insts.iter().filter(|inst| inst.op == Op::EntryPoint);
    for inst in entry_points {
        if !has_size && !sized.contains(&inst.words[2]) {
            return Err(inst.error("the kernel has no work-group size"));
        }
    }
    Ok(())
}

/// Checks that a decoration is valid in compute modules, has all its literals and is applied to a
/// suitable target; `None` is a struct's member.
fn suits(decoration: u32, literals: &[u32], on: Option<Kind>) -> Result<(), String> {
    let known = DECORATIONS
        .iter()
        .find(|(known, ..)| *known as u32 == decoration);
    // Strings that say nothing to a driver.
    let texts = [Decoration::UserSemantic, Decoration::UserTypeGOOGLE];
    let Some((_, count, target)) = known else {
        return match texts.iter().any(|text| *text as u32 == decoration) {
            true => Ok(()),
            false => Err(format!(
                "decoration {decoration} is none of compute modules"
            )),
        };
    };
    if literals.len() != *count {
        return Err(format!(
            "{} literals for decoration {decoration}",
            literals.len()
        ));
    }
    let is_built_in = |number: &u32| BUILT_INS.iter().any(|known| *known as u32 == *number);
    if *target == Target::BuiltIn && !literals.iter().all(is_built_in) {
        return Err(format!(
            "built-in {} is none of compute modules",
            literals[0]
        ));
    }
    let fits = match (on, target) {
        (_, Target::Any) => true,
        (None, target) => [Target::Member, Target::BuiltIn].contains(target),
        (Some(kind), Target::Constant) => kind == Kind::Constant,
        (Some(kind), Target::Type) => kind == Kind::Type,
        (Some(kind), Target::Variable) => kind == Kind::Variable,
        (Some(kind), Target::BuiltIn) => [Kind::Variable, Kind::Constant].contains(&kind),
        (Some(_), Target::Member) => false,
    };
    match fits {
        true => Ok(()),
        false => Err(format!(
            "decoration {decoration} on something else than it is for"
        )),
    }
}
