//! Skeleton of the compiler command.
fn main() {}
