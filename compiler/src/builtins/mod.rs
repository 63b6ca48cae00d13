//! The table of built-in functions: one row per family.
