//! The limit of loops in robust mode (`PUMICE_LOOP_LIMIT`).

use std::sync::OnceLock;

use pumice_check::layout::SLICE;

use crate::base::config;

/// Rounds that the loops of a work-item may go, in millions.
const MILLIONS: u32 = 256;

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
