//! Passes that make the code smaller or faster and change no form.

pub mod bitwise_words;
pub mod bound_unrolling;
pub mod bounded_forms;
mod bounds;
pub mod coarsen;
mod copyable_loop;
pub mod cse;
pub mod dce;
pub mod find_waits;
pub mod fold;
pub mod fold_rules;
pub mod fold_vectors;
pub mod groups_of_one;
pub mod inline;
pub mod licm;
pub(crate) mod long_cycles;
pub mod loop_elements;
pub mod mark_read_only;
pub mod mem2reg;
pub mod promote_constant_arrays;
pub mod simplify_cfg;
pub mod speculate;
pub mod sroa;
pub mod trip_count;
pub mod unroll_rounds;
pub mod unroll_tables;
pub mod vectorize_memory;
