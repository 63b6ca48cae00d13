//! Runs IR on the CPU: the oracle of differential tests.
