//! Robust mode's own pass. It stands beside `check`, which the optimizer knows and which must not know the optimizer.

pub mod check_loops;
