//! Errors, warnings and notes in clang's layout.
