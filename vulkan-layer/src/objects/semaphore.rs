//! Binary semaphores that other APIs and processes can have too.

use std::sync::Arc;

use ash::vk;

use crate::caps::Capabilities;
use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::os::{self, Fd};

/// The kind of a file descriptor that stands for a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreFd {
    /// One of a Vulkan device: a reference to the semaphore.
    Opaque,
    /// A sync file: a copy of the semaphore's state.
    Sync,
}

impl SemaphoreFd {
    fn raw(self) -> vk::ExternalSemaphoreHandleTypeFlags {
        match self {
            SemaphoreFd::Opaque => vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD,
            SemaphoreFd::Sync => vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD,
        }
    }
}

/// Returns whether a device imports and exports semaphores of a kind.
pub fn shares(caps: &Capabilities, kind: SemaphoreFd) -> bool {
    match kind {
        SemaphoreFd::Opaque => caps.semaphore_fds[0],
        SemaphoreFd::Sync => caps.semaphore_fds[1],
    }
}

/// A binary semaphore. Cheap to clone.
#[derive(Clone)]
pub struct BinarySemaphore(Arc<Inner>);

struct Inner {
    device: Arc<DeviceShared>,
    raw: vk::Semaphore,
}

impl LogicalDevice {
    /// Makes a semaphore that can give handles of a kind.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device does not share such semaphores, out of memory.
    pub fn create_semaphore(&self, kind: SemaphoreFd) -> Result<BinarySemaphore> {
        let device = &self.shared;
        if !shares(&device.caps, kind) {
            return Err(Error::Unsupported("semaphores of other APIs".into()));
        }
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(kind.raw());
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        fault::check("vkCreateSemaphore")?;
        // SAFETY: `info` and what it points at live through the call.
        let raw = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
        Ok(BinarySemaphore(Arc::new(Inner {
            device: Arc::clone(device),
            raw,
        })))
    }
}

impl BinarySemaphore {
    fn functions(&self) -> Result<&ash::khr::external_semaphore_fd::Device> {
        let functions = self.0.device.semaphore_fd.as_ref();
        functions.ok_or_else(|| Error::Unsupported("semaphores of other APIs".into()))
    }

    pub(crate) fn raw(&self) -> vk::Semaphore {
        self.0.raw
    }

    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        Arc::ptr_eq(&self.0.device, device)
    }

    /// Gives it the state that a handle stands for; a sync file's until the next wait. `None` is a sync
    /// file of something that is over.
    ///
    /// # Errors
    /// The driver's, for a handle of another kind.
    pub fn import(&self, kind: SemaphoreFd, fd: Option<Fd>) -> Result<()> {
        let flags = match kind {
            SemaphoreFd::Opaque => vk::SemaphoreImportFlags::empty(),
            SemaphoreFd::Sync => vk::SemaphoreImportFlags::TEMPORARY,
        };
        let raw = fd.map_or(-1, os::into_raw);
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(self.0.raw)
            .flags(flags)
            .handle_type(kind.raw())
            .fd(raw);
        // SAFETY: the semaphore is alive, nothing waits for it by the caller's use, and the driver checks
        // the descriptor, which it owns if it succeeds.
        let imported = unsafe { self.functions()?.import_semaphore_fd(&info) };
        if imported.is_err() {
            // SAFETY: the driver has not taken the descriptor.
            drop(unsafe { os::adopt(raw) });
        }
        imported.call("vkImportSemaphoreFdKHR")
    }

    /// Makes a handle of it. A signal must have been submitted for a sync file, whose copy of the state ends
    /// this one's as a wait would; `None` is a sync file of something that is over.
    ///
    /// # Errors
    /// Out of descriptors or memory, also where the driver succeeds without a descriptor.
    pub fn export(&self, kind: SemaphoreFd) -> Result<Option<Fd>> {
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(self.0.raw)
            .handle_type(kind.raw());
        // SAFETY: the semaphore is alive and was made to give such handles.
        let raw = unsafe { self.functions()?.get_semaphore_fd(&info) };
        let raw = raw.call("vkGetSemaphoreFdKHR")?;
        if raw < 0 && kind == SemaphoreFd::Opaque {
            return Err(Error::Unsupported("a descriptor of this semaphore".into()));
        }
        // SAFETY: a descriptor that the driver has made for the caller.
        Ok(unsafe { os::adopt(raw) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: submissions keep what they wait for and signal until they are done.
        unsafe { self.device.raw.destroy_semaphore(self.raw, None) };
    }
}
