//! Skeleton; the crate documentation states what it takes, gives and never does.
