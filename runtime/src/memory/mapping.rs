//! The parts of a memory object that the application has mapped.

use parking_lot::Mutex;

use crate::base::error::{Error, Result};
use crate::memory::part::Part;

/// A part that the application has mapped.
#[derive(Clone)]
pub struct Mapping {
    /// The pointer that the application got.
    pub address: usize,
    /// The part.
    pub part: Part,
    /// True if the application may write through it.
    pub writes: bool,
    /// Bytes that map and unmap copy; 0 where the pointer leads to the object's own memory.
    pub copied: usize,
}

impl Mapping {
    /// Tells whether the application may not have both mappings.
    fn excludes(&self, other: &Mapping) -> bool {
        self.writes && other.writes && self.part.overlaps(&other.part)
    }
}

/// The mappings of an object at the moment: those that an unmap was not yet enqueued for.
#[derive(Default)]
pub struct Mappings(Mutex<Vec<Mapping>>);

impl Mappings {
    /// CL_MEM_MAP_COUNT.
    pub fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Notes a mapping.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if parts with bytes in common would be mapped for writing.
    pub fn add(&self, mapping: Mapping) -> Result<()> {
        let mut mappings = self.0.lock();
        if mappings.iter().any(|there| mapping.excludes(there)) {
            let reason = "a region that overlaps this one is mapped for writing";
            return Err(Error::InvalidOperation.because(reason));
        }
        mappings.push(mapping);
        Ok(())
    }

    /// Ends the latest mapping that gave `address`.
    pub fn take(&self, address: usize) -> Option<Mapping> {
        let mut mappings = self.0.lock();
        let index = mappings.iter().rposition(|m| m.address == address)?;
        Some(mappings.remove(index))
    }

    /// Takes back the end of a mapping.
    pub fn put_back(&self, mapping: Mapping) {
        self.0.lock().push(mapping);
    }
}
