//! What every stage of the front end shares: interned names and source positions.

pub use crate::diagnostics::{Loc, Span};
pub use crate::symbol::{Interner, Symbol};
