//! The bytes of a buffer that something wrote, which check mode follows (`uninit`).
//!
//! The shadow of a buffer is as large as the buffer; a byte of it is not 0 where that byte was written. Who writes to the
//! buffer marks the shadow at the same place in the order of commands: host writes and unmaps, fills, copies, and kernels that
//! were built with the check. Whoever writes otherwise has the buffer followed no longer: all of it counts as written, also
//! for launches that are on their way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pumice_vulkan_layer::{Buffer, MemoryClass, Recorder};

use crate::base::error::Result;
use crate::device::{checks, gpu};
use crate::memory::residency::{Access, Residency, Resident};
use crate::memory::storage::{Bytes, Storage};

/// The most bytes of a buffer that is followed.
const MOST: usize = 64 << 20;
/// Bytes that the host marks at once.
const PIECE: usize = 1 << 16;

/// Knowledge of a buffer's bytes: which of them were written.
#[derive(Default)]
pub struct Written {
    shadow: Option<Buffer>,
    is_lost: AtomicBool,
}

impl Written {
    /// A new buffer on its only device. It is not followed where nobody asks, or where memory is short.
    pub fn of_new(gpu: &gpu::OpenDevice, size: usize) -> Self {
        if !checks::follows_buffers() || size > MOST {
            return Self::default();
        }
        let shadow = gpu.raw().create_buffer(size as u64, MemoryClass::Readback);
        let written = Self {
            shadow: shadow.ok(),
            is_lost: AtomicBool::new(false),
        };
        if written.set(0, size, 0).is_err() {
            written.lose();
        }
        written
    }

    /// The shadow, while the buffer is followed.
    pub fn shadow(&self) -> Option<&Buffer> {
        let lost = self.is_lost.load(Ordering::Acquire);
        self.shadow.as_ref().filter(|_| !lost)
    }

    /// Follows the buffer no longer.
    pub fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }

    /// Notes that the host has written bytes.
    pub fn note(&self, offset: usize, size: usize) {
        if self.set(offset, size, u8::MAX).is_err() {
            self.lose();
        }
    }

    /// Writes to the shadow by the host.
    fn set(&self, mut offset: usize, mut size: usize, value: u8) -> Result<()> {
        let Some(shadow) = self.shadow() else {
            return Ok(());
        };
        let piece = vec![value; PIECE.min(size)];
        while size > 0 {
            let now = size.min(piece.len());
            let written = shadow.write(offset as u64, &piece[..now]);
            written.map_err(gpu::error)?;
            (offset, size) = (offset + now, size - now);
        }
        Ok(())
    }

    /// Records that bytes are written by a command that is being recorded.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn record(&self, recorder: &mut Recorder, offset: u64, size: u64) -> Result<()> {
        let Some(shadow) = self.shadow() else {
            return Ok(());
        };
        let filled = recorder.fill_buffer(shadow, offset, size, &[u8::MAX]);
        filled.map_err(gpu::error)
    }
}

/// A buffer's bytes for a command that marks what it writes.
struct Marked(Arc<Storage>);

impl Resident for Marked {
    type Backing = Bytes;

    fn residency(&self) -> &Residency<Bytes> {
        self.0.residency()
    }

    fn is_used(&self, _: Access) {}
}

/// The contents of a buffer for a command that marks what it writes.
pub fn marked(storage: &Arc<Storage>) -> Arc<dyn crate::memory::residency::Contents> {
    match storage.written().shadow() {
        Some(_) => Arc::new(Marked(storage.clone())),
        None => storage.clone(),
    }
}
