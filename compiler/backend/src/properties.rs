//! The checks of what holds of a module between two passes: one for each [`Property`].
//!
//! Takes: a verified module, its target and the properties that the rows of the pipeline so far
//! ensure. Gives: nothing, or the first instruction that breaks one. Functions that no kernel
//! reaches are not looked at. Runs in debug builds and tests: all of them after a pass that changed something, else
//! those that the pass ensures.

use crate::pass::{Ctx, Property};
use crate::passes::lower::lower_atomics::is_native_float_atomic;
use crate::passes::lower::{lower_subgroups, shift_addresses};
use crate::passes::optimize::inline;
use crate::structurize;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::analysis::slots::{Pieces, Uses};
use pumice_ir::text::inst_to_text;
use pumice_ir::verify::verify as verify_ir;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, Cfg, ConvertOp, Function, ImageOp, Inst, InstKind, MathOp,
    Module, Scalar, Scope, Type, Value,
};
use pumice_target::Target;

/// Checks the IR's own rules and the properties that are held.
///
/// # Errors
/// The first rule that is broken, with its place.
pub fn verify(module: &Module, ctx: &Ctx<'_>, held: &[Property]) -> Result<(), String> {
    verify_ir(module).map_err(|error| error.to_string())?;
    verify_more(module, ctx, held, held)
}

/// Checks some of the properties that are held, of a module whose other properties and whose IR are known to be right.
///
/// # Errors
/// The first property that is broken, with its place.
pub fn verify_more(
    module: &Module,
    ctx: &Ctx<'_>,
    held: &[Property],
    checked: &[Property],
) -> Result<(), String> {
    if checked.is_empty() {
        return Ok(());
    }
    if !held.contains(&Property::Linked) {
        let mut functions = module.functions.values();
        return functions.try_for_each(|func| check_function(module, func, ctx, checked));
    }
    let functions = reachable_functions(module).map_err(|error| error.to_string())?;
    let mut functions = functions.into_iter().map(|id| &module.functions[id]);
    functions.try_for_each(|func| check_function(module, func, ctx, checked))
}

fn check_function(
    module: &Module,
    func: &Function,
    ctx: &Ctx<'_>,
    properties: &[Property],
) -> Result<(), String> {
    for property in properties {
        whole_function(*property, module, func)
            .map_err(|what| format!("{property:?}: function `{}`: {what}", func.name))?;
    }
    for &block in &func.layout.blocks {
        for &property in properties {
            let params = &func.blocks[block].params;
            let legal = |&param: &Value| allows_type(property, ctx.target, func.ty(param));
            if !params.iter().all(legal) {
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

/// Returns whether a value of a type may stand where the property holds.
fn allows_type(property: Property, target: &Target, ty: Type) -> bool {
    match property {
        Property::VectorsNarrow => ty.lanes <= 4,
        Property::DoublesLegal => ty.scalar != Scalar::F64 || target.has_doubles(),
        Property::HalvesLegal => ty.scalar != Scalar::F16 || target.has_halves(),
        Property::SmallIntsLegal => {
            !matches!(ty.scalar, Scalar::I8 | Scalar::I16) || target.has_integers(ty.scalar.bytes())
        }
        Property::LongsLegal => ty.scalar != Scalar::I64 || target.int64,
        _ => true,
    }
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
                    !inline::must_inline(&self.module.functions[func], self.ctx.target)
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
            Property::AddressesShifted => shift_addresses::global_pointer(self.func, inst)
                .is_none_or(|pointer| {
                    let abi = &self.ctx.target.abi;
                    let followed = shift_addresses::followed_of(self.module, self.func, abi);
                    shift_addresses::is_shifted(self.func, pointer, &followed)
                }),
            Property::VectorsNarrow
            | Property::DoublesLegal
            | Property::HalvesLegal
            | Property::SmallIntsLegal
            | Property::LongsLegal => {
                let legal =
                    |value: Value| allows_type(property, self.ctx.target, self.func.ty(value));
                let mut all = data.results.iter().all(|&value| legal(value));
                kind.for_each_value(|value| all &= legal(value));
                all
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
        let InstKind::Image { op, image, args } = kind else {
            return true;
        };
        let is_sampler = |v| self.is_argument(v) || self.func.const_bits(v).is_some();
        match op {
            // The driver tells these.
            ImageOp::Order | ImageOp::Format => false,
            // Reads and writes of pixels take their place.
            ImageOp::ReadBytes | ImageOp::WriteBytes => false,
            ImageOp::SizeOfLevel => false,
            ImageOp::Levels if !image.is_sampled() => false,
            ImageOp::ReadLevel { .. } | ImageOp::WriteLevel { .. } if !image.is_sampled() => {
                let level = args.last().and_then(|&level| self.func.const_bits(level));
                self.is_argument(args[0]) && level.is_some()
            }
            ImageOp::Sample { .. } => self.is_argument(args[0]) && is_sampler(args[1]),
            _ => self.is_argument(args[0]),
        }
    }

    fn is_lowered_atomic(self, kind: &InstKind) -> bool {
        let ptr = match *kind {
            InstKind::AtomicRmw {
                op: AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax,
                ..
            } => return is_native_float_atomic(self.func, kind, self.ctx.target),
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
        InstKind::MemCopy { dst, src, .. } => vec![dst, src],
        _ => kind.pointer().into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::pass::Ctx;
    use crate::pass::Property::{self, *};
    use pumice_ir::text::parse_module;
    use pumice_target::{LowerOptions, Target};

    /// Verifies a function of these instructions with one property held.
    fn check(property: Property, head: &str, insts: &str) -> Result<(), String> {
        let text = format!(
            "{head}\nfunc fn0 \"f\"(ptr.global, ptr.generic, f32, bool) -> () internal {{\n  \
             slot0 = size 4 align 4\n\
             block0(v0: ptr.global, v1: ptr.generic, v2: f32, v3: bool):\n{insts}}}\n\
             declare fn1 \"__pumice_sin_f32\"(f32) -> (f32) import\n"
        );
        let module = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let target = Target::reference();
        let options = LowerOptions::default();
        let ctx = Ctx {
            target: &target,
            options: &options,
        };
        verify(&module, &ctx, &[property])
    }

    #[test]
    fn each_broken_property_is_named_with_its_place() {
        let cases = [
            (BuiltinsLinked, "  v4: f32 = call fn1(v2)\n"),
            (
                SlotsPromoted,
                "  v4: ptr.private = stack_addr slot0\n  store v4, v2, align 4\n  \
                 v5: f32 = load v4, align 4\n",
            ),
            (
                SpacesInferred,
                "  v4: ptr.generic = address_space_cast v0\n  store v4, v2, align 4\n",
            ),
            (MathLowered, "  v4: f32 = math.ocl.sin v2\n"),
            (MathLowered, "  v4: f32 = frem v2, v2\n"),
            (PrintfLowered, "  v4: i32 = printf str0()\n"),
            (CollectivesLowered, "  v4: bool = group.workgroup.any v3\n"),
            (
                SubgroupsLowered,
                "  v4: f32 = group.subgroup.rotate v2, i32 3\n",
            ),
            (GenericLowered, "  store v1, v2, align 4\n"),
            (GenericLowered, "  memcopy v0, v0, i64 32, align 4, 4\n"),
            (
                AtomicsLowered,
                "  v4: f32 = atomic_rmw.fadd.relaxed.device v0, v2\n",
            ),
            (VectorsNarrow, "  v4: f32x8 = splat v2\n"),
        ];
        for (property, insts) in cases {
            let head = "string str0 = \"x\"";
            let broken = check(property, head, &format!("{insts}  return\n"));
            let error = broken.expect_err(insts);
            assert!(
                error.starts_with(&format!("{property:?}: function `f`")),
                "{error}"
            );
            assert_eq!(check(property, head, "  return\n"), Ok(()));
        }
        let branch = "  branch v3, block1, block2\nblock1:\n  return\nblock2:\n  return\n";
        let error = check(Structured, "", branch).expect_err("no merge");
        assert!(
            error.starts_with("Structured: function `f`: block0"),
            "{error}"
        );
        let kernel = "kernel \"f\" fn0 {\n  pointer global\n  pointer generic\n  value f32\n  \
                      value bool\n}";
        let error = check(ArgsLowered, kernel, "  return\n").expect_err("parameters");
        assert_eq!(error, "ArgsLowered: function `f`: a kernel with parameters");
        let call = "  v4: f32 = call fn1(v2)\n  return\n";
        let error = check(Linked, kernel, call).expect_err("no body");
        assert_eq!(error, "undefined function '__pumice_sin_f32'");
    }
}
