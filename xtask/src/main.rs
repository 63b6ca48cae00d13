//! Skeleton of the developer commands.
fn main() {}
