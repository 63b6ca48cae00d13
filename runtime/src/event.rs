//! Events.

use crate::error::Error;
use crate::object::Kind;

/// An event.
#[derive(Debug)]
pub struct Event {}

impl Kind for Event {
    const TAG: u64 = u64::from_le_bytes(*b"pmcEVENT");
    const INVALID: Error = Error::InvalidEvent;
}
