//! Parts of memory objects, for the commands that copy and map them.

use std::sync::Arc;

use pumice_vulkan_layer::{Buffer, CopyRegion, ImageBox, Recorder};

use crate::base::error::Result;
use crate::base::host_ptr::HostSlice;
use crate::base::region::{Extent, Layout, Sides, boxes_intersect, overlap, pieces};
use crate::device::gpu;
use crate::memory::image_storage::ImageStorage;
use crate::memory::residency::{Access, Contents};
use crate::memory::storage::Storage;
use crate::memory::written;

/// A part of a memory object's contents.
#[derive(Clone)]
pub enum Part {
    /// A box of an image that has texels of its own.
    Texels {
        /// The image's texels.
        storage: Arc<ImageStorage>,
        /// The box.
        area: ImageBox,
    },
    /// Bytes of a buffer, or of the buffer that an image shows.
    Bytes {
        /// The buffer's bytes.
        storage: Arc<Storage>,
        /// The places of the rows.
        place: Layout,
        /// Bytes of a row, rows and slices.
        extent: Extent,
    },
}

/// The host's view of a part.
#[derive(Clone, Copy, Debug)]
pub struct HostView {
    /// The memory that holds it.
    pub memory: HostSlice,
    /// The part's place there.
    pub layout: Layout,
    /// True if it is a copy that maps and unmaps must bring up to date.
    pub copied: bool,
}

fn region((from, to, size): (usize, usize, usize)) -> CopyRegion {
    CopyRegion {
        from: from as u64,
        to: to as u64,
        size: size as u64,
    }
}

impl HostView {
    /// The address of the first byte.
    pub fn address(&self) -> usize {
        self.memory.from(self.layout.offset).address()
    }
}

/// The places of bytes in a buffer and on the host.
fn sides(buffer: Layout, extent: Extent, host: Layout) -> Sides {
    Sides {
        buffer,
        host,
        extent,
    }
}

impl Part {
    /// Tells whether both parts have bytes or texels in common.
    pub fn overlaps(&self, other: &Part) -> bool {
        match (self, other) {
            (
                Part::Texels { storage, area },
                Part::Texels {
                    storage: there,
                    area: other,
                },
            ) => {
                let [a, b] = [area, other].map(|area| {
                    let origin = area.origin.map(|n| n as usize);
                    (origin, area.extent.map(|n| n as usize))
                });
                Arc::ptr_eq(storage, there) && area.level == other.level && boxes_intersect(a, b)
            }
            (
                Part::Bytes {
                    storage,
                    place,
                    extent,
                },
                Part::Bytes {
                    storage: there,
                    place: other,
                    extent: of_other,
                },
            ) if Arc::ptr_eq(storage, there) => overlap((*place, *extent), (*other, *of_other)),
            _ => false,
        }
    }

    /// Bytes of one slice with a slice for each row, and those of slices of one row with a row for each slice. Texels stay
    /// as they are.
    pub fn transposed(self) -> Part {
        match self {
            Part::Bytes {
                storage,
                place,
                extent,
            } => {
                let (place, extent) = place.transposed(extent);
                Part::Bytes {
                    storage,
                    place,
                    extent,
                }
            }
            texels => texels,
        }
    }

    /// The contents that it is a part of.
    pub fn contents(&self) -> Arc<dyn Contents> {
        match self {
            Part::Texels { storage, .. } => storage.clone(),
            Part::Bytes { storage, .. } => storage.clone(),
        }
    }

    /// [`Part::contents`] for a command that marks what it writes.
    pub fn marked(&self) -> Arc<dyn Contents> {
        match self {
            Part::Texels { storage, .. } => storage.clone(),
            Part::Bytes { storage, .. } => written::marked(storage),
        }
    }

    /// Bytes of a row, rows and slices.
    pub fn extent(&self) -> Extent {
        match self {
            Part::Texels { storage, area } => storage.extent(*area),
            Part::Bytes { extent, .. } => *extent,
        }
    }

    /// Its place where it lies without gaps.
    pub fn packed(&self) -> Layout {
        Layout::packed(self.extent())
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.extent().iter().product()
    }

    /// The access of a command that writes it and reads nothing.
    pub fn writing(&self) -> Access {
        match self {
            Part::Texels { storage, area } => storage.writing(*area),
            Part::Bytes {
                storage,
                place,
                extent,
            } => storage.writing(*place, *extent),
        }
    }

    /// Copies it from a device of the context to the host; `layout` is its place in `to`.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read(&self, index: usize, to: HostSlice, layout: Layout) -> Result<()> {
        match self {
            Part::Texels { storage, area } => storage.read(index, *area, to, layout),
            Part::Bytes {
                storage,
                place,
                extent,
            } => storage.read(index, sides(*place, *extent, layout), to),
        }
    }

    /// Copies it from a device of the context to the host's view, where that is a copy.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read_to_view(&self, index: usize, view: HostView) -> Result<()> {
        match self {
            Part::Texels { .. } => self.read(index, view.memory, view.layout),
            Part::Bytes {
                storage,
                place,
                extent,
            } => storage.read_to_view(index, sides(*place, *extent, view.layout), view.memory),
        }
    }

    /// Copies it from the host's view, where that is a copy, to a device of the context.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write_from_view(&self, index: usize, view: HostView) -> Result<()> {
        match self {
            Part::Texels { .. } => self.write(index, view.memory, view.layout),
            Part::Bytes {
                storage,
                place,
                extent,
            } => storage.write_from_view(index, sides(*place, *extent, view.layout), view.memory),
        }
    }

    /// Copies it from the host to a device of the context; `layout` is its place in `from`.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write(&self, index: usize, from: HostSlice, layout: Layout) -> Result<()> {
        match self {
            Part::Texels { storage, area } => storage.write(index, *area, from, layout),
            Part::Bytes {
                storage,
                place,
                extent,
            } => storage.write(index, sides(*place, *extent, layout), from),
        }
    }

    /// Records a copy of it to the beginning of a buffer, without gaps.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn record_read(&self, index: usize, recorder: &mut Recorder, to: &Buffer) -> Result<()> {
        let copied = match self {
            Part::Texels { storage, area } => {
                recorder.copy_image_to_buffer(&storage.allocation(index)?, *area, to, 0)
            }
            Part::Bytes {
                storage,
                place,
                extent,
            } => {
                let pieces = pieces(*place, self.packed(), *extent);
                let regions: Vec<_> = pieces.map(region).collect();
                recorder.copy_buffer(&storage.allocation(index)?, to, &regions)
            }
        };
        copied.map_err(gpu::error)
    }

    /// Records a copy to it from the beginning of a buffer, where it lies without gaps.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn record_write(&self, index: usize, recorder: &mut Recorder, from: &Buffer) -> Result<()> {
        match self {
            Part::Texels { storage, area } => {
                let image = storage.allocation(index)?;
                let copied = recorder.copy_buffer_to_image(from, 0, &image, *area);
                copied.map_err(gpu::error)
            }
            Part::Bytes {
                storage,
                place,
                extent,
            } => {
                let pieces = pieces(self.packed(), *place, *extent);
                let regions: Vec<_> = pieces.map(region).collect();
                let copied = recorder.copy_buffer(from, &storage.allocation(index)?, &regions);
                copied.map_err(gpu::error)?;
                let written = storage.written();
                (regions.iter()).try_for_each(|to| written.record(recorder, to.to, to.size))
            }
        }
    }

    /// Notes that the host has written it in the memory of a device of the context itself.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn written_in_place(&self, index: usize) -> Result<()> {
        match self {
            Part::Texels { .. } => self.contents().bring(index, self.writing()),
            Part::Bytes {
                storage,
                place,
                extent,
            } => pieces(*place, *place, *extent)
                .try_for_each(|(at, _, size)| storage.written_in_place(index, at, size)),
        }
    }

    /// The host's view of it.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn host_view(&self, index: usize) -> Result<HostView> {
        Ok(match self {
            Part::Texels { storage, area } => {
                let (memory, layout) = storage.host_view(*area)?;
                HostView {
                    memory,
                    layout,
                    copied: true,
                }
            }
            Part::Bytes { storage, place, .. } => {
                let (memory, copied) = storage.host_view(index)?;
                HostView {
                    memory,
                    layout: *place,
                    copied,
                }
            }
        })
    }
}
