//! The reasons why a context or an object cannot be used.

use thiserror::Error;

/// The reason why no context can be made that shares objects with the application's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The process has no library of that interface.
    #[error("{0}")]
    NoBinding(String),
    /// The handles are not those of a context, or its objects cannot be shared.
    #[error("{0}")]
    NotShareable(String),
}

/// The reason why an object cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectError {
    /// There is no such object, or it is empty, or OpenGL has refused.
    Invalid(String),
    /// It has no level of that number.
    Level(String),
    /// OpenCL has no images of its internal format.
    Format(u32),
    /// OpenCL has no images of its channels.
    Channels(String),
    /// It has a border or samples.
    Unsupported(&'static str),
}
