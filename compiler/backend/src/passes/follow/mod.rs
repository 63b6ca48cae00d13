//! Checks that follow what all work-items do: what was written, who waits at a barrier, who accessed a place last.
//!
//! They stand beside `check`, whose reports they use, since they need passes that know `check`.

pub mod check_barriers;
pub mod check_races;
pub mod check_uninit;
pub mod check_unwritten;
mod demote;
mod held_pointers;
mod race_contents;
mod race_functions;
mod race_gathered;
mod race_global;
mod race_local;
mod race_plan;
mod shadow;
