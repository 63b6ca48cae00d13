//! Facts that passes and the emitter ask of a function: what may alias, what is known, what
//! pieces memory falls into.
//!
//! Nothing here changes the IR.

pub mod alias;
pub mod bases;
mod call_graph;
pub mod eval;
mod incoming;
pub mod known_values;
mod literals;
mod local_callers;
mod low_zeros;
pub mod matrices;
mod memory_access;
pub mod partition;
pub mod slots;

pub use call_graph::{
    FunctionSummary, functions_called_from, reachable_functions, summarize_functions,
};
pub use incoming::{Incoming, incoming};
pub use literals::{Place, literal, places, text_at};
pub use local_callers::{LocalCallers, has_pointers, local_variables};
pub use low_zeros::{AddressZeros, low_zeros};
pub use memory_access::MemoryAccess;
