//! Tests of the reflection crate through its public interface.

mod common;
mod instructions;
mod large_data;
mod own_set;
mod promises;
mod refusals;
mod table;
mod writer;
