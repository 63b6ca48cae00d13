//! Tests, or parts of them, that the system cannot run: named, counted, and refused in CI.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The environment variable that makes a skip a failure; `cargo xtask test` sets it.
pub const REQUIRE_ALL: &str = "PUMICE_REQUIRE_ALL";

/// Tests and reasons told so far by this process.
static TOLD: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());

/// Tells once per test and reason, past the capture of cargo's test runner:
/// `skipped: NAME: REASON (2 in this run)`. The name is the test's.
///
/// # Panics
/// If [`REQUIRE_ALL`] is set.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a thread of a test").to_string();
    let required = std::env::var_os(REQUIRE_ALL).is_some();
    assert!(!required, "{name} may not be skipped: {reason}");
    // A test that panicked while it held the lock left the set whole.
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert((name.clone(), reason.to_string())) {
        let line = format!("skipped: {name}: {reason} ({} in this run)\n", told.len());
        // Without standard error nobody reads the line.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}
