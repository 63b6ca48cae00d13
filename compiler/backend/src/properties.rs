//! The checks of what holds of a module between two passes: one for each [`Property`].
//!
//! Takes: a verified module, its target and the properties that the rows of the pipeline so far
//! ensure. Gives: nothing, or the first instruction that breaks one. Functions that no kernel
//! reaches are not looked at. Runs after every pass in debug builds and tests.

use crate::pass::{Ctx, Property};
use crate::passes::lower::lower_subgroups;
use crate::passes::optimize::inline;
use crate::structurize;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::analysis::slots::{Pieces, Uses};
use pumice_ir::text::inst_to_text;
use pumice_ir::verify::verify as verify_ir;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, Cfg, ConvertOp, Function, ImageOp, Inst, InstKind, MathOp,
    Module, Scope, Type, Value,
};

/// Checks the IR's own rules and the properties that are held.
///
/// # Errors
/// The first rule that is broken, with its place.
pub fn verify(module: &Module, ctx: &Ctx<'_>, held: &[Property]) -> Result<(), String> {
    verify_ir(module).map_err(|error| error.to_string())?;
    if !held.contains(&Property::Linked) {
        let mut functions = module.functions.values();
        return functions.try_for_each(|func| check_function(module, func, ctx, held));
    }
    let functions = reachable_functions(module).map_err(|error| error.to_string())?;
    let mut functions = functions.into_iter().map(|id| &module.functions[id]);
    functions.try_for_each(|func| check_function(module, func, ctx, held))
}

fn check_function(
    module: &Module,
    func: &Function,
    ctx: &Ctx<'_>,
    held: &[Property],
) -> Result<(), String> {
    for property in held {
        whole_function(*property, module, func)
            .map_err(|what| format!("{property:?}: function `{}`: {what}", func.name))?;
    }
    for &block in &func.layout.blocks {
        for &property in held {
            let params = &func.blocks[block].params;
            if !params
                .iter()
                .all(|&param| allows_value(property, func, param))
            {
                return Err(format!("{property:?}: function `{}`: {block}", func.name));
            }
            for &inst in &func.layout.insts[block] {
                let look = Look { module, func, ctx };
                if !look.allows(property, inst) {
                    let (name, inst) = (&func.name, inst_to_text(func, inst));
                    return Err(format!("{property:?}: function `{name}`, {block}: {inst}"));
                }
            }
        }
    }
    Ok(())
}

/// The properties that concern more than one instruction.
fn whole_function(property: Property, module: &Module, func: &Function) -> Result<(), String> {
    match property {
        Property::ArgsLowered => {
            let mut kernels = module.kernels.iter();
            let is_kernel =
                kernels.any(|kernel| std::ptr::eq(&module.functions[kernel.func], func));
            if is_kernel && !func.params.is_empty() {
                return Err("a kernel with parameters".into());
            }
        }
        Property::SlotsPromoted if !func.slots.is_empty() => {
            let uses = Uses::new(func, &Cfg::new(func));
            if uses.copies.is_empty() && !Pieces::new(func, &uses).data.is_empty() {
                return Err("a private variable could leave memory".into());
            }
        }
        Property::Structured => structurize::check(func)?,
        _ => {}
    }
    Ok(())
}

/// Returns whether a block parameter may stand where the property holds.
fn allows_value(property: Property, func: &Function, value: Value) -> bool {
    property != Property::VectorsNarrow || func.ty(value).lanes <= 4
}

/// The function that is looked at.
#[derive(Clone, Copy)]
struct Look<'a> {
    module: &'a Module,
    func: &'a Function,
    ctx: &'a Ctx<'a>,
}

impl Look<'_> {
    /// Returns whether an instruction may stand where the property holds.
    fn allows(self, property: Property, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        let kind = &data.kind;
        match property {
            // Of whole functions.
            Property::Linked
            | Property::ArgsLowered
            | Property::SlotsPromoted
            | Property::Structured => true,
            Property::BuiltinsLinked => match *kind {
                InstKind::Call { func, .. } => {
                    let callee = &self.module.functions[func];
                    !callee.is_builtin() || callee.entry().is_some()
                }
                _ => true,
            },
            Property::Inlined => match *kind {
                InstKind::Call { func, .. } => {
                    !inline::must_inline(&self.module.functions[func], &self.ctx.target.abi)
                }
                _ => true,
            },
            Property::SpacesInferred => accessed(kind).into_iter().all(|ptr| !self.widened(ptr)),
            Property::MathLowered => !matches!(
                kind,
                InstKind::Math {
                    op: MathOp::Ocl(_),
                    ..
                } | InstKind::Binary {
                    op: BinaryOp::FRem,
                    ..
                }
            ),
            Property::ImagesLowered => self.is_lowered_image(kind),
            Property::PrintfLowered => !matches!(kind, InstKind::Printf { .. }),
            Property::CollectivesLowered => {
                !matches!(kind, InstKind::Group { scope, .. } if *scope != Scope::Subgroup)
            }
            Property::SubgroupsLowered => match *kind {
                InstKind::Group { op, .. } => lower_subgroups::has(self.ctx.target, op),
                _ => true,
            },
            Property::GenericLowered => {
                let generic = |&ptr: &Value| self.space(ptr) == Some(AddressSpace::Generic);
                !matches!(kind, InstKind::MemCopy { .. }) && !accessed(kind).iter().any(generic)
            }
            Property::AtomicsLowered => self.is_lowered_atomic(kind),
            Property::VectorsNarrow => {
                let mut narrow = data.results.iter().all(|&v| self.func.ty(v).lanes <= 4);
                kind.for_each_value(|v| narrow &= self.func.ty(v).lanes <= 4);
                narrow
            }
        }
    }

    fn space(self, ptr: Value) -> Option<AddressSpace> {
        self.func.ty(ptr).address_space()
    }

    /// A generic pointer that is plainly one in a named space.
    fn widened(self, ptr: Value) -> bool {
        let def = self
            .func
            .def_inst(ptr)
            .map(|inst| &self.func.insts[inst].kind);
        matches!(
            def,
            Some(InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                ..
            })
        ) && self.func.ty(ptr) == Type::ptr(AddressSpace::Generic)
    }

    fn is_argument(self, handle: Value) -> bool {
        let def = self.func.def_inst(handle);
        def.is_some_and(|inst| matches!(self.func.insts[inst].kind, InstKind::HandleArg { .. }))
    }

    fn is_lowered_image(self, kind: &InstKind) -> bool {
        let InstKind::Image { op, args, .. } = kind else {
            return true;
        };
        let is_sampler = |v| self.is_argument(v) || self.func.const_bits(v).is_some();
        match op {
            // The driver tells these.
            ImageOp::Order | ImageOp::Format => false,
            ImageOp::Sample { .. } => self.is_argument(args[0]) && is_sampler(args[1]),
            _ => self.is_argument(args[0]),
        }
    }

    fn is_lowered_atomic(self, kind: &InstKind) -> bool {
        let ptr = match *kind {
            InstKind::AtomicRmw {
                op: AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax,
                ..
            } => return false,
            InstKind::AtomicLoad { ptr, .. }
            | InstKind::AtomicStore { ptr, .. }
            | InstKind::AtomicRmw { ptr, .. }
            | InstKind::AtomicCmpXchg { ptr, .. } => ptr,
            _ => return true,
        };
        self.space(ptr) != Some(AddressSpace::Private)
    }
}

/// The pointers that an instruction reads or writes through.
fn accessed(kind: &InstKind) -> Vec<Value> {
    match *kind {
        InstKind::Load { ptr, .. }
        | InstKind::Store { ptr, .. }
        | InstKind::AtomicLoad { ptr, .. }
        | InstKind::AtomicStore { ptr, .. }
        | InstKind::AtomicRmw { ptr, .. }
        | InstKind::AtomicCmpXchg { ptr, .. } => vec![ptr],
        InstKind::MemCopy { dst, src, .. } => vec![dst, src],
        _ => Vec::new(),
    }
}
