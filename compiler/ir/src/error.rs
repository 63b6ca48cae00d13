//! The error of every stage of the back end.

use pumice_budget::Exhausted;

/// The reason why a program cannot be lowered; the application may see it in the build log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// The text after `error: `, naming the construct.
    pub message: String,
}

impl LowerError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl From<Exhausted> for LowerError {
    fn from(why: Exhausted) -> Self {
        Self::new(why.to_string())
    }
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LowerError {}
