//! Syntax tree to typed tree.

pub mod typed;
pub mod types;
