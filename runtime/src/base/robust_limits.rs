//! The limits of robust mode (`PUMICE_LOOP_LIMIT`, `PUMICE_BUILD_LIMIT`).

use std::sync::OnceLock;
use std::time::Duration;

use pumice_check::layout::SLICE;

use crate::base::config;

/// Rounds that the loops of a work-item may go, in millions, on a processor.
const MILLIONS: u32 = 256;

/// The same on other devices, which drivers take from a kernel that runs for some seconds: 256 million additions to a word of
/// memory lost an H100, 64 million took 1.4 s.
const MILLIONS_BEFORE_RESET: u32 = 64;

/// Seconds that a build may take.
const SECONDS: u32 = 60;

/// Slices of [`SLICE`] rounds that the loops of a work-item may go on a device.
pub fn slices(is_processor: bool) -> u32 {
    static ASKED: OnceLock<Option<u32>> = OnceLock::new();
    let asked = ASKED.get_or_init(|| match config::LOOP_LIMIT.value()?.parse() {
        Ok(number) if number > 0 => Some(number),
        _ => {
            config::LOOP_LIMIT.refused(&format!(
                "not a number of millions above 0; the limit is {MILLIONS} million rounds, {MILLIONS_BEFORE_RESET} on GPUs"
            ));
            None
        }
    });
    let millions = asked.unwrap_or(match is_processor {
        true => MILLIONS,
        false => MILLIONS_BEFORE_RESET,
    });
    let slices = u64::from(millions) * 1_000_000 / u64::from(SLICE);
    slices.min(u64::from(u32::MAX - 1)) as u32
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
