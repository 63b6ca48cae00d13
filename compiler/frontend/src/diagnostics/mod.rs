//! Errors, warnings and notes in clang's layout.
//!
//! Takes reports against [`Span`]s from every stage of the front end, gives the build log.
//! Nothing is rendered before [`Diagnostics::render`], so reporting is cheap and works through a
//! shared reference; only the preprocessor changes the [`SourceMap`].

use std::cell::RefCell;

mod render;
mod source;
mod warning;

pub use warning::{Warning, WarningOptions};

pub use source::{
    ExpansionId, FileId, Loc, MacroNameId, OutOfLocations, Position, SourceMap, Span,
};

/// Measures the token that a text begins with, in bytes.
pub type TokenLength = fn(&[u8]) -> usize;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Explains the diagnostic before it.
    Note,
    /// The program compiles; it may not mean what was meant.
    Warning,
    /// The program does not compile.
    Error,
    /// The rest of the program was not looked at.
    Fatal,
}

#[derive(Debug)]
struct Record {
    severity: Severity,
    span: Span,
    highlights: Vec<Span>,
    message: String,
    /// Of a warning, which option controls it and whether one turned it into an error.
    warning: Option<(Warning, bool)>,
}

#[derive(Debug, Default)]
struct State {
    records: Vec<Record>,
    errors: usize,
    warnings: usize,
    fatal: bool,
}

/// The diagnostics of one compile, with the sources they point into.
#[derive(Debug, Default)]
pub struct Diagnostics {
    /// The sources.
    pub sources: SourceMap,
    /// `-w`.
    pub no_warnings: bool,
    /// The `-W` options.
    pub warning_options: WarningOptions,
    /// Errors after which the compile stops, 0: never; `None` means as many as clang takes.
    pub error_limit: Option<usize>,
    state: RefCell<State>,
}

/// After this many errors the compile stops, as clang does.
const ERROR_LIMIT: usize = 20;

/// Warnings beyond this number are dropped: a build log is for people.
const WARNING_LIMIT: usize = 200;

impl Diagnostics {
    /// No diagnostics, no sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports an error at the first token of `span`; a longer span is underlined.
    pub fn error(&self, span: impl Into<Span>, message: impl Into<String>) -> Report<'_> {
        self.report(Severity::Error, span.into(), message.into())
    }

    /// Reports a warning, if options do not turn it off.
    pub fn warning(
        &self,
        warning: Warning,
        span: impl Into<Span>,
        message: impl Into<String>,
    ) -> Report<'_> {
        if self.no_warnings || !self.warning_options.is_on(warning) {
            return Report {
                diagnostics: self,
                index: None,
            };
        }
        let is_error = self.warning_options.is_error(warning);
        let severity = match is_error {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let kind = Some((warning, is_error));
        self.record(severity, kind, span.into(), message.into())
    }

    /// Reports an error after which nothing more is said; [`Self::should_stop`] turns true.
    pub fn fatal(&self, span: impl Into<Span>, message: impl Into<String>) -> Report<'_> {
        self.report(Severity::Fatal, span.into(), message.into())
    }

    /// Returns whether an error was reported.
    pub fn has_errors(&self) -> bool {
        self.state.borrow().errors > 0
    }

    /// Returns the number of errors reported.
    pub fn error_count(&self) -> usize {
        self.state.borrow().errors
    }

    /// Returns whether the compiler must stop: after a fatal error, or after too many errors.
    pub fn should_stop(&self) -> bool {
        self.state.borrow().fatal
    }

    /// The build log.
    ///
    /// `token_length` measures the token at the end of a span, which is underlined whole.
    pub fn render(&self, token_length: TokenLength) -> String {
        render::render(self, token_length)
    }

    fn report(&self, severity: Severity, span: Span, message: String) -> Report<'_> {
        self.record(severity, None, span, message)
    }

    fn record(
        &self,
        severity: Severity,
        warning: Option<(Warning, bool)>,
        span: Span,
        message: String,
    ) -> Report<'_> {
        let dropped = Report {
            diagnostics: self,
            index: None,
        };
        let mut state = self.state.borrow_mut();
        if state.fatal {
            return dropped;
        }
        // A macro that uses its argument twice must not say everything twice.
        let again = |r: &Record| r.severity == severity && r.span == span && r.message == message;
        if span.lo.is_some() && state.records.iter().any(again) {
            return dropped;
        }
        match severity {
            Severity::Warning => {
                state.warnings += 1;
                if state.warnings > WARNING_LIMIT {
                    return dropped;
                }
            }
            Severity::Error | Severity::Fatal => {
                if state.errors > 0 && state.errors == self.error_limit.unwrap_or(ERROR_LIMIT) {
                    state.fatal = true;
                    state.records.push(Record {
                        severity: Severity::Fatal,
                        span: Span::NONE,
                        highlights: Vec::new(),
                        message: "too many errors emitted, stopping now".to_string(),
                        warning: None,
                    });
                    return dropped;
                }
                state.errors += 1;
                state.fatal = severity == Severity::Fatal;
            }
            Severity::Note => {}
        }
        state.records.push(Record {
            severity,
            span,
            highlights: Vec::new(),
            message,
            warning,
        });
        Report {
            diagnostics: self,
            index: Some(state.records.len() - 1),
        }
    }
}

/// A diagnostic just reported, to which notes and ranges can be added.
#[derive(Debug)]
pub struct Report<'a> {
    diagnostics: &'a Diagnostics,
    /// `None` when the diagnostic was suppressed.
    index: Option<usize>,
}

impl Report<'_> {
    /// Adds a note below it.
    pub fn note(self, span: impl Into<Span>, message: impl Into<String>) -> Self {
        if self.index.is_some() {
            self.diagnostics.state.borrow_mut().records.push(Record {
                severity: Severity::Note,
                span: span.into(),
                highlights: Vec::new(),
                message: message.into(),
                warning: None,
            });
        }
        self
    }

    /// Adds the cure of what was reported as a note without a place of its own.
    pub fn hint(self, message: impl Into<String>) -> Self {
        self.note(Span::NONE, message)
    }

    /// Underlines another range of the line, for example an operand.
    pub fn highlight(self, span: impl Into<Span>) -> Self {
        if let Some(index) = self.index {
            self.diagnostics.state.borrow_mut().records[index]
                .highlights
                .push(span.into());
        }
        self
    }
}
