//! Calls of C compilers' built-in functions as calls of OpenCL C's.
use super::Sema;
use super::convert::Purpose;
use super::typed::{ExprId, ExprKind};
use crate::builtins::CFunction;
use crate::lang::types::{FloatKind, TypeTable};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// The OpenCL C function that `text` means, and its arguments.
    pub(super) fn c_call(
        &mut self,
        function: CFunction<'a>,
        text: &str,
        mut args: Vec<ExprId>,
        span: Span,
    ) -> Option<(&'a str, Vec<ExprId>)> {
        let zero = |sema: &mut Self| sema.mk(ExprKind::Int(0), TypeTable::ULONG, span);
        Some(match function {
            CFunction::Same(name) => (name, args),
            CFunction::Of(name, kind) => {
                if kind == FloatKind::Double && !self.lang.fp64() {
                    self.requires(span, &format!("declaration '{text}'"), "cl_khr_fp64");
                    return None;
                }
                for arg in &mut args {
                    let ty = TypeTable::float(kind);
                    *arg = self.assign_convert(*arg, ty, Purpose::Argument(None))?;
                }
                (name, args)
            }
            CFunction::LoadHalf => {
                args.insert(0, zero(self));
                ("vload_half", args)
            }
            CFunction::StoreHalf => {
                args.insert(args.len().min(1), zero(self));
                ("vstore_half", args)
            }
        })
    }
}
