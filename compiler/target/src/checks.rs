//! The checks that kernels can be built with ("check mode"), by the words of `PUMICE_CHECK` and of the
//! build option `-pumice-check=`.

/// One check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// Accesses of memory that no buffer, allocation or variable has.
    Bounds,
    /// Accesses through null pointers.
    Null,
    /// Accesses below the alignment of their type.
    Align,
    /// Integer divisions by zero.
    Div,
    /// Shifts by the width of the value or more.
    Shift,
    /// Reads of private and local memory that nothing wrote.
    Uninit,
    /// Barriers that not all work-items of a work-group reach.
    Barrier,
    /// Data races between work-items.
    Race,
    /// No check: the launch ends at the first report.
    Stop,
    /// Robust mode: kernels stay within their memory and end, without reports of single accesses.
    Robust,
}

impl Check {
    /// The checks that report faults, in the order of the documentation: what `all` stands for.
    pub const ALL: [Check; 8] = [
        Check::Bounds,
        Check::Null,
        Check::Align,
        Check::Div,
        Check::Shift,
        Check::Uninit,
        Check::Barrier,
        Check::Race,
    ];

    /// The word that asks for the check.
    pub fn word(self) -> &'static str {
        match self {
            Check::Bounds => "bounds",
            Check::Null => "null",
            Check::Align => "align",
            Check::Div => "div",
            Check::Shift => "shift",
            Check::Uninit => "uninit",
            Check::Barrier => "barrier",
            Check::Race => "race",
            Check::Stop => "stop",
            Check::Robust => "robust",
        }
    }

    /// The check of a word.
    fn of(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter().chain([Check::Stop, Check::Robust]);
        all.find(|check| check.word() == word)
    }
}

/// A set of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checks(u16);

impl Checks {
    /// No check.
    pub const NONE: Checks = Checks(0);

    /// All checks.
    pub fn all() -> Self {
        Check::ALL.into_iter().fold(Self::NONE, Checks::with)
    }

    /// Reads words separated by commas: those of [`Check::word`], `all`, `off`.
    ///
    /// # Errors
    /// The first word that is none of them.
    pub fn parse(words: &str) -> Result<Self, String> {
        let mut checks = Self::NONE;
        for word in words
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            match Check::of(word) {
                Some(check) => checks = checks.with(check),
                None if matches!(word, "all" | "on" | "1") => checks = checks.or(Self::all()),
                None if matches!(word, "off" | "0") => {}
                None => return Err(word.to_string()),
            }
        }
        Ok(checks)
    }

    /// The set with one check more.
    #[must_use]
    pub fn with(self, check: Check) -> Self {
        Checks(self.0 | 1 << check as u8)
    }

    /// The checks of both sets.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Checks(self.0 | other.0)
    }

    /// Returns whether a check is in the set.
    pub fn has(self, check: Check) -> bool {
        self.0 & 1 << check as u8 != 0
    }

    /// Returns whether there is any.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns whether kernels stay within their memory and end.
    pub fn robust(self) -> bool {
        self.has(Check::Robust)
    }

    /// Returns whether a check of memory accesses is in the set.
    pub fn of_memory(self) -> bool {
        [Check::Bounds, Check::Null, Check::Align, Check::Robust]
            .into_iter()
            .any(|check| self.has(check))
    }

    /// Returns whether a check of integer arithmetic is in the set.
    pub fn of_arithmetic(self) -> bool {
        [Check::Div, Check::Shift]
            .into_iter()
            .any(|check| self.has(check))
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, Checks};

    #[test]
    fn words_are_read() {
        let two = Checks::NONE.with(Check::Bounds).with(Check::Div);
        assert_eq!(Checks::parse("bounds, div"), Ok(two));
        assert_eq!(Checks::parse("all"), Ok(Checks::all()));
        assert_eq!(Checks::parse("off"), Ok(Checks::NONE));
        assert_eq!(Checks::parse("bound"), Err("bound".to_string()));
        assert!(two.of_memory() && two.of_arithmetic() && !two.has(Check::Shift));
        let both = Checks::parse("robust,all").unwrap();
        assert!(both.robust() && both.has(Check::Bounds));
        assert!(!Checks::all().robust());
    }
}
