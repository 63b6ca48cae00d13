//! Reports of what the device or the language version lacks, with the cure.
use super::Sema;
use super::typed::ExprId;
use crate::diagnostics::Report;
use crate::lang::types::AddrSpace;
use crate::source::Span;
use pumice_target::options::ClStd;

/// The language version in clang's words.
pub(super) fn version_name(std: ClStd) -> String {
    let number = match std {
        ClStd::Cl10 => "1.0",
        ClStd::Cl11 => "1.1",
        ClStd::Cl12 => "1.2",
        ClStd::Cl20 => "2.0",
        ClStd::Cl30 => "3.0",
        ClStd::Cl31 => "3.1",
    };
    format!("OpenCL C version {number}")
}

impl<'a> Sema<'a> {
    /// Reports the use of something that needs an extension, a feature or a later language
    /// version (`OpenCL C 2.0`).
    pub(super) fn requires(&self, span: Span, subject: &str, needs: &str) {
        if let Some(version) = needs.strip_prefix("OpenCL C ") {
            let message = format!("use of {subject} requires {needs} or later");
            self.error(span, message)
                .hint(format!("build with '-cl-std=CL{version}'"));
            return;
        }
        let report = self.error(span, format!("use of {subject} requires {needs} support"));
        self.extension_note(report, needs);
    }

    /// Says how to get an extension or feature, or that the device has none.
    pub(super) fn extension_note(&self, report: Report<'a>, name: &str) {
        let note = if self.lang.knows_extension(name) {
            format!("add '#pragma OPENCL EXTENSION {name} : enable'")
        } else {
            format!("this device does not support {name}")
        };
        report.hint(note);
    }

    /// Reports the generic address space where there is none.
    pub(super) fn no_generic(&self, span: Span) {
        let version = version_name(self.lang.std);
        let message = format!("{version} does not support the 'generic' type qualifier");
        let report = self.error(span, message);
        if self.lang.std < ClStd::Cl20 {
            report.hint("build with '-cl-std=CL2.0' or later");
        } else {
            report.note(
                span,
                "this device does not support __opencl_c_generic_address_space",
            );
        }
    }

    /// Explains a frequent mistake in the arguments of a built-in function.
    pub(super) fn builtin_hint(&self, report: Report<'a>, text: &str, args: &[ExprId]) {
        let stores = text.starts_with("vstore");
        let Some(&last) = args.last() else { return };
        if !stores && !text.starts_with("vload") {
            return;
        }
        let types = &self.module.types;
        let hint = match types.pointer_parts(self.ty(last)) {
            None => format!("the last argument of '{text}' must be a pointer to elements"),
            Some((to, _)) if types.is_vector(to.ty) => format!(
                "'{text}' takes a pointer to '{}', not to {}; cast the pointer",
                types.display(types.elem_lanes(to.ty).0),
                self.show(to.ty)
            ),
            Some((_, AddrSpace::Constant)) if stores => {
                format!("'{text}' cannot write to the constant address space")
            }
            _ => return,
        };
        report.hint(hint);
    }
}
