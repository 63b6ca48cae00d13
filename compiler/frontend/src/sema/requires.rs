//! Reports of what the device or the language version lacks, with the cure.
use super::Sema;
use crate::diagnostics::Report;
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
        } else if self.lang.is_undefined(name) {
            format!("the source undefines {name}")
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
}
