//! Attributes.
use super::Sema;
use crate::diagnostics::Warning;
use crate::lang::attributes::KNOWN;
use crate::lang::types::TypeId;
use crate::parse::ast::{Attr, AttrArg, ExprKind};
use pumice_target::options::ClStd;

/// Attributes of functions that take no arguments.
const WITHOUT_ARGUMENTS: &[&str] = &[
    "always_inline",
    "convergent",
    "kernel",
    "noinline",
    "overloadable",
];

/// Attributes that only kernels have.
const OF_KERNELS: &[&str] = &[
    "intel_reqd_sub_group_size",
    "reqd_work_group_size",
    "vec_type_hint",
    "work_group_size_hint",
];

impl<'a> Sema<'a> {
    pub(super) fn attr_name(&self, attr: &Attr) -> &'a str {
        self.name(attr.name)
    }

    /// Warns of attributes that nobody knows.
    pub(super) fn check_attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            let name = self.attr_name(attr);
            if WITHOUT_ARGUMENTS.contains(&name) && !attr.args.is_empty() {
                let message = format!("'{name}' attribute takes no arguments");
                self.error(attr.name_span, message);
            }
            if !KNOWN.contains(&name) {
                self.warning(
                    Warning::UnknownAttributes,
                    attr.name_span,
                    format!("unknown attribute '{name}' ignored"),
                );
            }
        }
    }

    /// Refuses attributes of parameters that the language version lacks.
    pub(super) fn check_param_attrs(&mut self, attrs: &[Attr]) {
        if self.lang.std >= ClStd::Cl20 {
            return;
        }
        for attr in attrs.iter().filter(|a| self.attr_name(a) == "nosvm") {
            let message = "attribute 'nosvm' is supported in the OpenCL version 2.0 onwards";
            self.error(attr.name_span, message);
        }
    }

    pub(super) fn find_attr<'b>(&self, attrs: &'b [Attr], name: &str) -> Option<&'b Attr> {
        attrs.iter().find(|a| self.attr_name(a) == name)
    }

    pub(super) fn has_attr(&self, attrs: &[Attr], name: &str) -> bool {
        self.find_attr(attrs, name).is_some()
    }

    /// The largest `aligned` of a list in bytes, or 0.
    pub(super) fn aligned_attr(&mut self, attrs: &[Attr]) -> u64 {
        let mut align = 0;
        for attr in attrs {
            if self.attr_name(attr) != "aligned" {
                continue;
            }
            let bytes = match attr.args.first() {
                // Without a number: the largest alignment of any type.
                None => Some(128),
                Some(AttrArg::Expr(expr)) => self.integer_constant(*expr),
                Some(AttrArg::Type(_)) => {
                    self.error(
                        attr.span,
                        "'aligned' attribute requires an integer constant",
                    );
                    None
                }
            };
            match bytes {
                Some(n) if n > 0 && n <= 1 << 28 && (n & (n - 1)) == 0 => {
                    align = align.max(n as u64)
                }
                Some(_) => {
                    self.error(attr.span, "requested alignment is not a power of 2");
                }
                None => {}
            }
        }
        align
    }

    /// `count` positive 32-bit numbers as an attribute's arguments.
    pub(super) fn attr_numbers<const N: usize>(&mut self, attr: &Attr) -> Option<[u32; N]> {
        let name = self.attr_name(attr);
        if attr.args.len() != N {
            let count = match N {
                1 => "takes one argument".to_string(),
                _ => format!("requires exactly {N} arguments"),
            };
            self.error(attr.span, format!("'{name}' attribute {count}"));
            return None;
        }
        let mut out = [0; N];
        let mut zero = None;
        for (slot, arg) in out.iter_mut().zip(&attr.args) {
            let AttrArg::Expr(expr) = arg else {
                self.error(
                    attr.span,
                    format!("'{name}' attribute requires an integer constant"),
                );
                return None;
            };
            let value = self.integer_constant(*expr)?;
            match u32::try_from(value) {
                Ok(0) => zero = zero.or(Some(*expr)),
                Ok(n) => *slot = n,
                _ => {
                    self.error(
                        self.ast.expr(*expr).span,
                        format!("'{name}' attribute must be greater than 0"),
                    );
                    return None;
                }
            }
        }
        match zero {
            // Zeros alone ask for nothing.
            Some(_) if N > 1 && out == [0; N] => None,
            Some(expr) => {
                let message = format!("'{name}' attribute must be greater than 0");
                self.error(self.ast.expr(expr).span, message);
                None
            }
            None => Some(out),
        }
    }

    /// Refuses attributes of kernels on other functions.
    pub(super) fn check_kernel_attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            let name = self.attr_name(attr);
            if OF_KERNELS.contains(&name) {
                let message =
                    format!("attribute '{name}' can only be applied to an OpenCL kernel function");
                self.error(attr.span, message);
            }
        }
    }

    /// Refuses attributes of kernels on variables.
    pub(super) fn check_function_attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            let name = self.attr_name(attr);
            if OF_KERNELS.contains(&name) {
                let message = format!("'{name}' attribute only applies to functions");
                self.error(attr.span, message);
            }
        }
    }

    /// The type of `vec_type_hint`.
    pub(super) fn hinted_type(&mut self, attr: &Attr) -> Option<TypeId> {
        let ty = self.attr_type(attr)?;
        let types = &self.module.types;
        let (elem, _) = types.elem_lanes(ty);
        if types.int_kind(elem).is_some() || types.is_float(elem) {
            return Some(ty);
        }
        let message = "a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'";
        self.error(attr.span, message);
        None
    }

    /// The type that an attribute's argument names.
    pub(super) fn attr_type(&mut self, attr: &Attr) -> Option<TypeId> {
        match attr.args.first() {
            Some(AttrArg::Type(name)) => self.type_name(*name).map(|t| t.q.ty),
            Some(AttrArg::Expr(expr)) => {
                let message = match self.ast.expr(*expr).kind {
                    ExprKind::Ident(name) => format!("unknown type name '{}'", self.name(name)),
                    _ => "expected a type".to_string(),
                };
                self.error(attr.span, message);
                None
            }
            None => {
                let name = self.attr_name(attr);
                self.error(attr.span, format!("'{name}' attribute takes one argument"));
                None
            }
        }
    }

    /// `ext_vector_type(n)` and `vector_size(bytes)` on a declaration of a scalar: the vector type.
    pub(super) fn ext_vector(&mut self, attrs: &[Attr], ty: TypeId) -> Option<TypeId> {
        let of_vectors = |a: &&Attr| {
            let name = self.attr_name(a);
            name == "ext_vector_type" || name == "vector_size"
        };
        let Some(attr) = attrs.iter().find(of_vectors) else {
            return Some(ty);
        };
        let [number] = self.attr_numbers::<1>(attr)?;
        let in_bytes = self.attr_name(attr) == "vector_size";
        let types = &mut self.module.types;
        let size = types.size(ty).max(1) as u32;
        let len = match in_bytes {
            true if number % size != 0 => {
                let message = "vector size not an integral multiple of component size";
                self.error(attr.span, message);
                return None;
            }
            true => number / size,
            false => number,
        };
        let scalar = types.int_kind(ty).is_some() || types.is_float(ty);
        if !scalar || !matches!(len, 2 | 3 | 4 | 8 | 16) {
            let message = match scalar {
                true => format!(
                    "vector size {len} is not supported; supported sizes are 2, 3, 4, 8 and 16"
                ),
                false => format!("invalid vector element type {}", self.show(ty)),
            };
            self.error(attr.span, message);
            return None;
        }
        Some(types.vector(ty, len as u8))
    }
}
