//! The arguments and literal samplers that the handles of image operations may be.
//!
//! Handles take any way through a function: block parameters and choices. This module follows each back.

use crate::passes::lower::image_bytes;
use pumice_ir::LowerError;
use pumice_ir::analysis::{Incoming, incoming};
use pumice_ir::{
    Function, ImageOp, Inst, InstKind, KernelArgKind, KernelInfo, SourceLoc, Value, ValueDef,
    literal_mask, literal_sampler,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The origin of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Root {
    /// A kernel argument, by its ordinal.
    Arg(u32),
    /// A literal sampler, by its mask.
    Literal(u32),
}

impl Root {
    /// The handle's number.
    pub fn number(self) -> u64 {
        match self {
            Root::Arg(ordinal) => u64::from(ordinal),
            Root::Literal(mask) => literal_sampler(mask),
        }
    }
}

pub(super) type Roots = SmallVec<[Root; 2]>;

/// An operation's image and, if it has one, its sampler.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub images: Roots,
    pub samplers: Roots,
}

/// The image operations of a kernel with what their handles are.
pub(super) fn find_uses(
    func: &Function,
    kernel: &KernelInfo,
) -> Result<FxHashMap<Inst, Use>, LowerError> {
    let mut uses = FxHashMap::default();
    let mut passed: Option<Incoming> = None;
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let data = &func.insts[inst];
            let InstKind::Image { op, image, args } = &data.kind else {
                continue;
            };
            let passed = passed.get_or_insert_with(|| incoming(func));
            let of = |value: Value, fits: &dyn Fn(Root) -> bool| {
                let roots = roots(func, passed, value)
                    .filter(|roots| !roots.is_empty() && roots.iter().all(|&root| fits(root)));
                roots.ok_or_else(|| unknown(kernel, data.loc))
            };
            let kind = |root: Root| match root {
                Root::Arg(ordinal) => kernel.args.get(ordinal as usize).map(|arg| &arg.kind),
                Root::Literal(_) => Some(&KernelArgKind::Sampler),
            };
            let images = of(args[0], &|root| {
                kind(root) == Some(&KernelArgKind::Image(*image))
            })?;
            let samplers = match op {
                ImageOp::Sample { .. } => {
                    of(args[1], &|root| kind(root) == Some(&KernelArgKind::Sampler))?
                }
                _ => Roots::new(),
            };
            uses.insert(inst, Use { images, samplers });
        }
    }
    Ok(uses)
}

fn unknown(kernel: &KernelInfo, loc: SourceLoc) -> LowerError {
    let at = image_bytes::line(loc);
    LowerError::new(format!(
        "{at}an image or sampler in '{}' is not known to be a kernel argument or a literal: \
         there are none in memory",
        kernel.name
    ))
}

/// Gives the possible origins of a handle; `None` where it comes from elsewhere.
fn roots(func: &Function, passed: &Incoming, handle: Value) -> Option<Roots> {
    let mut found = Roots::new();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut work = vec![handle];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        let root = match func.def(value) {
            ValueDef::Const(_) => Root::Literal(literal_mask(func.const_bits(value)?)?),
            ValueDef::Undef => continue,
            ValueDef::Param(..) => {
                work.extend_from_slice(passed.get(&value)?);
                continue;
            }
            &ValueDef::Result(inst, _) => match func.insts[inst].kind {
                InstKind::HandleArg { ordinal } => Root::Arg(ordinal),
                InstKind::Select { then, other, .. } => {
                    work.extend([then, other]);
                    continue;
                }
                _ => return None,
            },
        };
        if !found.contains(&root) {
            found.push(root);
        }
    }
    found.sort();
    Some(found)
}
