//! The warnings, by clang's names, and the options that turn them on and off.

/// The state of a warning without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On.
    On,
    /// On with `-Wall`.
    All,
    /// On with `-Wextra`.
    Extra,
}

macro_rules! warnings {
    ($($name:ident $text:literal $state:ident;)*) => {
        /// A warning, or a group of them that one option controls.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Warning {
            $(
                #[doc = concat!("`-W", $text, "`")]
                $name,
            )*
        }

        /// All warnings: name behind `-W` and default.
        const WARNINGS: &[(&str, State)] = &[$(($text, State::$state),)*];
    };
}

// A warning without a name can be turned off with -w only.
warnings! {
    Unnamed "" On;
    ArrayBounds "array-bounds" On;
    AtomicMemoryOrdering "atomic-memory-ordering" On;
    BuiltinMacroRedefined "builtin-macro-redefined" On;
    CompareDistinctPointerTypes "compare-distinct-pointer-types" On;
    ConditionalTypeMismatch "conditional-type-mismatch" On;
    ConstantConversion "constant-conversion" On;
    DivisionByZero "division-by-zero" On;
    DuplicateDeclSpecifier "duplicate-decl-specifier" On;
    EmptyBody "empty-body" On;
    ExcessInitializers "excess-initializers" On;
    ExtraTokens "extra-tokens" On;
    Format "format" On;
    FormatExtraArgs "format-extra-args" On;
    FormatInsufficientArgs "format-insufficient-args" On;
    IgnoredPragmas "ignored-pragmas" On;
    ImplicitConstIntFloatConversion "implicit-const-int-float-conversion" On;
    ImplicitlyUnsignedLiteral "implicitly-unsigned-literal" On;
    IncompatiblePointerTypes "incompatible-pointer-types" On;
    DiscardsQualifiers "incompatible-pointer-types-discards-qualifiers" On;
    LiteralConversion "literal-conversion" On;
    LiteralRange "literal-range" On;
    MacroRedefined "macro-redefined" On;
    MissingDeclarations "missing-declarations" On;
    Multichar "multichar" On;
    Parentheses "parentheses" On;
    PointerIntegerCompare "pointer-integer-compare" On;
    PointerSign "pointer-sign" On;
    PointerTypeMismatch "pointer-type-mismatch" On;
    PoundWarning "#warnings" On;
    ReturnType "return-type" On;
    SelfAssign "self-assign" All;
    ShiftCountNegative "shift-count-negative" All;
    ShiftCountOverflow "shift-count-overflow" All;
    SignCompare "sign-compare" All;
    SpirCompat "spir-compat" On;
    Switch "switch" On;
    Uninitialized "uninitialized" All;
    UnknownAttributes "unknown-attributes" On;
    UnusedButSetVariable "unused-but-set-variable" All;
    UnusedComparison "unused-comparison" On;
    UnusedFunction "unused-function" All;
    UnusedParameter "unused-parameter" Extra;
    UnusedResult "unused-result" On;
    UnusedValue "unused-value" On;
    UnusedVariable "unused-variable" All;
}

impl Warning {
    /// Its name behind `-W`; empty if it has none.
    pub fn name(self) -> &'static str {
        WARNINGS[self as usize].0
    }
}

/// The effect of the `-W` options on every warning.
#[derive(Clone, Debug)]
pub struct WarningOptions {
    on: Vec<bool>,
    /// `None` follows `-Werror`.
    error: Vec<Option<bool>>,
    all_errors: bool,
}

impl Default for WarningOptions {
    fn default() -> Self {
        Self::new(std::iter::empty())
    }
}

impl WarningOptions {
    /// Reads `-W` options in order, without `-W`: `all`, `no-unused-variable`, `error=format`.
    /// Unknown names have no effect.
    pub fn new<'a>(flags: impl Iterator<Item = &'a str>) -> Self {
        let mut options = Self {
            on: WARNINGS.iter().map(|(_, s)| *s == State::On).collect(),
            error: vec![None; WARNINGS.len()],
            all_errors: false,
        };
        for flag in flags {
            options.apply(flag);
        }
        options
    }

    fn apply(&mut self, flag: &str) {
        let (name, on) = match flag.strip_prefix("no-") {
            Some(name) => (name, false),
            None => (flag, true),
        };
        if name == "error" {
            self.all_errors = on;
            return;
        }
        let (name, as_error) = match name.strip_prefix("error=") {
            Some(name) => (name, true),
            None => (name, false),
        };
        for (index, &(other, state)) in WARNINGS.iter().enumerate() {
            let named = match name {
                "everything" => true,
                "all" | "most" => state == State::All,
                "extra" => state != State::On,
                // A group names the warnings below it as well.
                "unused" => other.starts_with("unused-") && state != State::Extra,
                "format" => other.starts_with("format"),
                "conversion" => other.ends_with("conversion"),
                _ => other == name && !other.is_empty(),
            };
            if !named {
                continue;
            }
            if as_error {
                self.error[index] = Some(on);
            }
            if on || !as_error {
                self.on[index] = on;
            }
        }
    }

    /// Returns whether a warning is reported.
    pub fn is_on(&self, warning: Warning) -> bool {
        self.on[warning as usize]
    }

    /// Returns whether a warning is an error.
    pub fn is_error(&self, warning: Warning) -> bool {
        self.error[warning as usize].unwrap_or(self.all_errors)
    }
}

#[cfg(test)]
mod tests {
    use super::{Warning, WarningOptions};

    fn of(text: &str) -> WarningOptions {
        WarningOptions::new(text.split_whitespace())
    }

    #[test]
    fn options_apply_in_order() {
        let on = |text: &str, warning| of(text).is_on(warning);
        assert!(!on("", Warning::UnusedVariable) && on("", Warning::Format));
        assert!(on("all", Warning::UnusedVariable) && !on("all", Warning::UnusedParameter));
        assert!(on("extra", Warning::UnusedParameter));
        assert!(!on("all no-unused-variable", Warning::UnusedVariable));
        assert!(on("no-unused-variable all", Warning::UnusedVariable));
        assert!(!on("no-format", Warning::FormatExtraArgs));
        assert!(!on("no-everything", Warning::Unnamed));
        assert!(on("made-up no-made-up error=made-up", Warning::Format));
    }

    #[test]
    fn errors_can_be_chosen() {
        let error = |text: &str, warning| of(text).is_error(warning);
        assert!(error("error", Warning::Format) && !error("error no-error", Warning::Format));
        assert!(!error("error no-error=format", Warning::Format));
        let chosen = of("error=unused-variable");
        assert!(chosen.is_error(Warning::UnusedVariable) && chosen.is_on(Warning::UnusedVariable));
        assert!(!chosen.is_error(Warning::Format));
    }
}
