//! Syntax tree to typed tree.
