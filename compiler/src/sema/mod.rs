//! Syntax tree to typed tree.

pub mod lang;
pub mod names;
pub mod typed;
pub mod types;
