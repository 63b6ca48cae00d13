//! Syntax tree to typed tree.

pub mod lang;
pub mod typed;
pub mod types;
