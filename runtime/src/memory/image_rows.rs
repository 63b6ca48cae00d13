//! Images whose texels are rows of a buffer (2D images made of buffers, cl_ext_image_from_buffer).
//!
//! Commands that copy use the buffer's bytes. Vulkan's images cannot lie in any rows that the application likes, so a
//! launch has an image of its own: the rows are copied to it before, and back afterwards if the kernel may write.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{Image, ImageBox, ImageDesc, ImageView};

use crate::base::error::Result;
use crate::base::region::Layout;
use crate::device::format::ImageFormat;
use crate::device::gpu;
use crate::memory::storage::Storage;

/// The rows of an image, and the images that launches have for them.
pub struct Rows {
    /// The buffer's bytes.
    pub storage: Arc<Storage>,
    /// The first byte.
    pub offset: usize,
    /// The image for launches.
    pub desc: ImageDesc,
    /// Guards the images made for launches.
    staged: Mutex<Vec<Arc<Staged>>>,
}

/// An image for launches on a queue.
pub struct Staged {
    /// The place of the device in the context.
    index: usize,
    /// The number of the queue whose launches use the image in turn; `None` for one launch at a time.
    queue: Option<usize>,
    image: Image,
    /// The whole of it.
    whole: ImageBox,
}

impl Rows {
    /// The rows from a byte on.
    pub fn new(storage: Arc<Storage>, offset: usize, desc: ImageDesc) -> Self {
        Self {
            storage,
            offset,
            desc,
            staged: Mutex::default(),
        }
    }

    /// An image for a launch: its queue's own, or for `None` one that no other launch has until this one gives it
    /// back.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn staged(
        &self,
        index: usize,
        queue: Option<usize>,
        device: &gpu::OpenDevice,
    ) -> Result<Arc<Staged>> {
        let mut all = self.staged.lock();
        let free = |staged: &Arc<Staged>| queue.is_some() || Arc::strong_count(staged) == 1;
        let own = (all.iter()).find(|s| s.index == index && s.queue == queue && free(s));
        if let Some(staged) = own {
            return Ok(staged.clone());
        }
        // What no launch holds is another queue's no longer.
        all.retain(|staged| Arc::strong_count(staged) > 1);
        let staged = Arc::new(Staged {
            index,
            queue,
            image: device.create_image(&self.desc)?,
            whole: self.desc.level_box(0),
        });
        all.push(staged.clone());
        Ok(staged)
    }
}

impl Staged {
    /// A view for a kernel.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn view(
        &self,
        device: &gpu::OpenDevice,
        format: &ImageFormat,
        components: [pumice_vulkan_layer::Component; 4],
    ) -> Result<ImageView> {
        let view = (device.raw()).create_image_view(&self.image, format.vulkan, components, None);
        view.map_err(gpu::error)
    }
}

/// The use of an image of rows by a launch.
pub struct StagedUse {
    storage: Arc<Storage>,
    /// The place of the rows in the buffer.
    place: Layout,
    texel: usize,
    staged: Arc<Staged>,
    /// True if the kernel may write.
    writes: bool,
}

impl StagedUse {
    /// The use of rows that are apart as `layout` says.
    pub fn new(rows: &Rows, layout: Layout, staged: Arc<Staged>, writes: bool) -> Self {
        Self {
            storage: rows.storage.clone(),
            place: layout.shifted(rows.offset),
            texel: rows.desc.format.texel_size(),
            staged,
            writes,
        }
    }

    /// Records the copy of the rows to the image.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES for pitches that Vulkan does not have.
    pub fn before(&self, recorder: &mut gpu::Recorder) -> Result<()> {
        self.copy(recorder, true)
    }

    /// Records the copy of what the kernel has written to the rows.
    ///
    /// # Errors
    /// As [`StagedUse::before`].
    pub fn after(&self, recorder: &mut gpu::Recorder) -> Result<()> {
        match self.writes {
            true => self.copy(recorder, false),
            false => Ok(()),
        }
    }

    fn copy(&self, recorder: &mut gpu::Recorder, to_image: bool) -> Result<()> {
        let rows = self.place.texel_rows(self.texel);
        let rows = rows.ok_or(crate::base::error::Error::OutOfResources)?;
        let bytes = self.storage.allocation(self.staged.index)?;
        let (image, whole) = (&self.staged.image, self.staged.whole);
        let copied = match to_image {
            true => recorder.copy_buffer_to_image(&bytes, rows, image, whole),
            false => recorder.copy_image_to_buffer(image, whole, &bytes, rows),
        };
        // No other queue gets the image before the recording has gone.
        recorder.keep(self.staged.clone());
        copied.map_err(gpu::error)
    }
}
