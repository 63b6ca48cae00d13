//! The limits of robust mode (`PUMICE_LOOP_LIMIT`, `PUMICE_BUILD_LIMIT`).

use std::sync::OnceLock;
use std::time::Duration;

use pumice_check::layout::SLICE;

use crate::base::config;

/// Rounds that the loops of a work-item may go, in millions.
const MILLIONS: u32 = 256;

/// Seconds that a build may take.
const SECONDS: u32 = 60;

/// Slices of [`SLICE`] rounds that the loops of a work-item may go.
pub fn slices() -> u32 {
    static SLICES: OnceLock<u32> = OnceLock::new();
    *SLICES.get_or_init(|| {
        let millions = match config::LOOP_LIMIT.value().map(|text| text.parse()) {
            None => MILLIONS,
            Some(Ok(number)) if number > 0 => number,
            Some(_) => {
                config::LOOP_LIMIT.refused(&format!(
                    "not a number of millions above 0; the limit is {MILLIONS} million rounds"
                ));
                MILLIONS
            }
        };
        let slices = u64::from(millions) * 1_000_000 / u64::from(SLICE);
        slices.min(u64::from(u32::MAX - 1)) as u32
    })
}

/// Time that a build may take.
pub fn build_time() -> Duration {
    static TIME: OnceLock<Duration> = OnceLock::new();
    *TIME.get_or_init(|| {
        let seconds = match config::BUILD_LIMIT.value().map(|text| text.parse()) {
            None => SECONDS,
            Some(Ok(number)) => number,
            Some(Err(_)) => {
                config::BUILD_LIMIT.refused(&format!(
                    "not a number of seconds; the limit is {SECONDS} seconds"
                ));
                SECONDS
            }
        };
        Duration::from_secs(seconds.into())
    })
}
