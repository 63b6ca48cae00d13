//! The Vulkan device of an OpenCL device, and the one that is opened after it was lost.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::device::gpu::OpenDevice;

/// The Vulkan devices that were opened one after the other. All but the last are lost. They stay as long as the OpenCL
/// device, since contexts go on using what belongs to them.
#[derive(Default)]
pub(super) struct Opened {
    first: OnceLock<Box<Link>>,
    /// Guards the opening, which is tried again after a failure.
    opening: Mutex<()>,
}

struct Link {
    gpu: OpenDevice,
    next: OnceLock<Box<Link>>,
}

impl Opened {
    /// The last one, and its number from 1 on; 0 for the first if there is none yet.
    fn last(&self) -> (usize, Option<&Link>) {
        let links = std::iter::successors(self.first.get(), |link| link.next.get());
        let last = links.enumerate().last();
        last.map_or((0, None), |(index, link)| (index + 1, Some(link)))
    }

    /// The number of the Vulkan device that new contexts get, from 1 on; 0 before the first is opened.
    pub fn number(&self) -> usize {
        self.last().0
    }

    /// Tells whether the one of a number is lost, or another was opened since.
    pub fn was_lost(&self, number: usize) -> bool {
        let (last, link) = self.last();
        last != number || link.is_some_and(|link| link.gpu.raw().is_lost())
    }

    /// The last one, lost or not; `open` makes the first.
    ///
    /// # Errors
    /// CL_DEVICE_NOT_AVAILABLE in a forked child that did not open it; those of `open`.
    pub fn get(&self, open: impl FnOnce() -> Result<OpenDevice>) -> Result<&OpenDevice> {
        match self.last() {
            (_, Some(link)) => Ok(&link.gpu),
            _ => self.open(|last| last.is_none(), open),
        }
    }

    /// The last one, or a new one if it is lost.
    ///
    /// # Errors
    /// As [`Opened::get`].
    pub fn renew(&self, open: impl FnOnce() -> Result<OpenDevice>) -> Result<&OpenDevice> {
        let is_lost = |last: Option<&Link>| last.is_none_or(|link| link.gpu.raw().is_lost());
        self.open(is_lost, open)
    }

    fn open(
        &self,
        must: impl Fn(Option<&Link>) -> bool,
        open: impl FnOnce() -> Result<OpenDevice>,
    ) -> Result<&OpenDevice> {
        // The Vulkan instance's threads are not in a forked child.
        if exit::is_forked() {
            return Err(Error::DeviceNotAvailable);
        }
        let _opening = self.opening.lock();
        let (_, last) = self.last();
        match last {
            Some(link) if !must(last) => Ok(&link.gpu),
            _ => {
                let place = last.map_or(&self.first, |link| &link.next);
                let gpu = open()?;
                let next = OnceLock::new();
                Ok(&place.get_or_init(|| Box::new(Link { gpu, next })).gpu)
            }
        }
    }
}
