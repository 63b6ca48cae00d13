//! Notes that say how to mend common mistakes.
//!
//! Each takes a report that was just made and adds one note below it, if it has something to say.
use super::Sema;
use super::typed::ExprId;
use crate::diagnostics::Report;
use crate::lang::types::{Access, AddrSpace, FloatKind, OpaqueKind, Type, TypeId};
use pumice_target::options::ClStd;

/// Returns whether a function for atomics is one of OpenCL C 2.0's, which take `atomic_int` and its like.
fn takes_atomic_type(name: &str) -> bool {
    let stems = [
        "fetch_",
        "load",
        "store",
        "exchange",
        "compare_exchange_",
        "init",
        "flag_",
    ];
    let rest = name.strip_prefix("atomic_").unwrap_or_default();
    stems.iter().any(|stem| rest.starts_with(stem))
}

impl<'a> Sema<'a> {
    /// Explains a frequent mistake in the arguments of a built-in function that no overload takes.
    pub(super) fn builtin_hint(&self, report: Report<'a>, text: &str, args: &[ExprId]) {
        let family = |stems: &[&str]| stems.iter().any(|stem| text.starts_with(stem));
        let hint = if family(&["vload", "vstore"]) {
            self.vector_data_hint(text, args)
        } else if family(&["read_image", "write_image"]) {
            self.image_hint(text, args)
        } else if family(&["atomic_", "atom_"]) {
            self.atomic_hint(text, args)
        } else {
            None
        };
        if let Some(hint) = hint {
            report.hint(hint);
        }
    }

    fn vector_data_hint(&self, text: &str, args: &[ExprId]) -> Option<String> {
        let stores = text.starts_with("vstore");
        let types = &self.module.types;
        Some(match types.pointer_parts(self.ty(*args.last()?)) {
            None => format!("the last argument of '{text}' must be a pointer to elements"),
            Some((to, _)) if types.is_vector(to.ty) => format!(
                "'{text}' takes a pointer to '{}', not to {}; cast the pointer",
                types.display(types.elem_lanes(to.ty).0),
                self.show(to.ty)
            ),
            Some((_, AddrSpace::Constant)) if stores => {
                format!("'{text}' cannot write to the constant address space")
            }
            _ => return None,
        })
    }

    fn image_hint(&self, text: &str, args: &[ExprId]) -> Option<String> {
        let types = &self.module.types;
        let opaque = |arg: &ExprId| types.opaque(self.ty(*arg));
        let Some(OpaqueKind::Image(_, access)) = opaque(args.first()?) else {
            return Some(format!("the first argument of '{text}' must be an image"));
        };
        let has_sampler = args.get(1).and_then(opaque) == Some(OpaqueKind::Sampler);
        let (needed, refused) = match text.starts_with("write") {
            true => (Access::Write, Access::Read),
            false => (Access::Read, Access::Write),
        };
        if access == refused {
            return Some(match self.lang.std < ClStd::Cl20 {
                true => format!("'{text}' takes images declared '{}'", needed.name()),
                false => format!(
                    "'{text}' takes images declared '{}' or '{}'",
                    needed.name(),
                    Access::ReadWrite.name()
                ),
            });
        }
        (has_sampler && access == Access::ReadWrite)
            .then(|| format!("a '{}' image is read without a sampler", access.name()))
    }

    fn atomic_hint(&self, text: &str, args: &[ExprId]) -> Option<String> {
        let (pointee, space) = self.module.types.pointer_parts(self.ty(*args.first()?))?;
        if matches!(space, AddrSpace::Private | AddrSpace::Constant) {
            return Some(format!(
                "'{text}' takes a pointer into global or local memory"
            ));
        }
        let is_float = |ty| self.module.types.is_float(ty);
        let extension = "cl_ext_float_atomics";
        match *self.module.types.get(pointee.ty) {
            Type::Atomic(value) => (is_float(value) && !self.lang.knows_extension(extension))
                .then(|| format!("this device does not support {extension}")),
            _ if takes_atomic_type(text) => Some(format!(
                "'{text}' takes a pointer to an atomic type, such as 'atomic_int'"
            )),
            _ => is_float(pointee.ty).then(|| {
                format!(
                    "'{text}' takes integers; for floats repeat 'atomic_cmpxchg' on their bits ('as_int') until it succeeds"
                )
            }),
        }
    }

    /// Explains why several overloads fit equally well.
    pub(super) fn ambiguity_hint(&self, report: Report<'a>, text: &str, args: &[ExprId]) {
        let types = &self.module.types;
        let element = |arg: &ExprId| types.elem_lanes(self.ty(*arg)).0;
        let floats = args
            .iter()
            .filter(|arg| types.is_float(element(arg)))
            .count();
        if text == "abs" && floats == args.len() {
            report.hint("'abs' takes integers; the function for floats is 'fabs'");
            return;
        }
        let (Some(first), true) = (args.first().map(element), args.len() > 1) else {
            return;
        };
        let numbers = args.iter().all(|arg| types.is_arithmetic(element(arg)));
        if numbers && args.iter().any(|arg| element(arg) != first) {
            let hint = match floats {
                0 => "cast the arguments to one type",
                _ => {
                    "give all arguments one type: write '1.0f' instead of '1' or '1.0' for a float"
                }
            };
            report.hint(hint);
        }
    }

    /// Says how to declare a pointer that a pointer of type `from` was meant for.
    pub(super) fn space_hint(&self, report: Report<'a>, from: TypeId, space: AddrSpace) {
        let of = self.module.types.pointer_parts(from);
        if of.is_some_and(|(_, space)| space == AddrSpace::Code) {
            return;
        }
        match space {
            AddrSpace::Private => report.hint(format!(
                "without an address space, a pointer is one to private memory; declare it as {}",
                self.show(from)
            )),
            AddrSpace::Generic => report.hint("generic pointers cannot point to constant memory"),
            _ => report,
        };
    }

    /// Says how to get from one vector type to another of as many elements or as many bytes.
    pub(super) fn vector_hint(&self, report: Report<'a>, from: TypeId, to: TypeId) {
        let types = &self.module.types;
        if !types.is_vector(from) || !types.is_vector(to) {
            return;
        }
        let name = types.display(to);
        if types.elem_lanes(from).1 == types.elem_lanes(to).1 {
            report.hint(format!("use 'convert_{name}' to convert each element"));
        } else if types.size(from) == types.size(to) {
            report.hint(format!("use 'as_{name}' to reinterpret the bits"));
        }
    }

    /// Says how a scalar beside a vector with elements of type `elem` is written.
    pub(super) fn rank_hint(&self, report: Report<'a>, scalar: TypeId, elem: TypeId) {
        let types = &self.module.types;
        let (from, to) = (types.float_kind(scalar), types.float_kind(elem));
        if (from, to) == (Some(FloatKind::Double), Some(FloatKind::Float)) {
            report.hint(
                "a constant needs the suffix 'f' to be a float; cast other values to 'float'",
            );
        } else {
            report.hint(format!(
                "cast the scalar to the element type: '({})'",
                types.display(elem)
            ));
        }
    }

    /// Says how to use a vector as a condition.
    pub(super) fn condition_hint(&self, report: Report<'a>, ty: TypeId) {
        let types = &self.module.types;
        if types.is_vector(ty) && types.is_integer(types.elem_lanes(ty).0) {
            report.hint("use 'any' or 'all' to combine the elements of a vector");
        }
    }

    /// The elements' type of an array of arrays, or the type itself.
    fn innermost(&self, mut ty: TypeId) -> TypeId {
        while let Type::Array { elem, .. } = self.module.types.get(ty) {
            ty = elem.ty;
        }
        ty
    }

    /// Points to the field because of which a record cannot be a kernel's argument, in clang's words.
    pub(super) fn field_notes(&self, mut report: Report<'a>, ty: TypeId) {
        let mut place = self.innermost(ty);
        while let Type::Record(record) = *self.module.types.get(place) {
            let fields = &self.module.types.record(record).fields;
            let of_host = self.host_sized.get(&record).copied();
            let index =
                of_host.or_else(|| fields.iter().position(|f| self.forbidden_value(f.ty.ty)));
            let Some(field) = index.and_then(|index| fields.get(index)) else {
                return;
            };
            let shown = self.show(field.ty.ty);
            place = self.innermost(field.ty.ty);
            let is_record = matches!(self.module.types.get(place), Type::Record(_));
            let words = match is_record {
                true => format!("within field of type {shown} declared here"),
                false => format!("field of illegal type {shown} declared here"),
            };
            report = report.note(field.span, words);
        }
    }
}
