//! Images whose texels are rows of a buffer: 2D images made of buffers, cl_ext_image_from_buffer, and images of a packing that
//! Vulkan does not have, whose buffer is their own.
//!
//! Commands that copy use the buffer's bytes. Vulkan's images cannot lie in any rows that the application likes, so a
//! launch has an image of its own: the rows are copied to it before, and back afterwards if the kernel may write. Kernels of
//! the driver's own (`texels.cl`) convert other packings on the way. They also find what the kernel has changed, where a launch on
//! another queue may write other texels meanwhile: only that is brought back.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use pumice_vulkan_layer::quirks::{self, QuirkKind};
use pumice_vulkan_layer::{Buffer, Capabilities, Image, ImageBox, ImageDesc, ImageView};

use crate::base::error::{Error, Result};
use crate::base::region::Layout;
use crate::device::format::{Class, ImageFormat, Packing};
use crate::device::gpu;
use crate::executable::{
    ArgBytes, ArgValue, Executable, Launch, LaunchError, Prepared, RangeRequest,
};
use crate::memory::image::Shown;
use crate::memory::storage::Storage;

/// The source of the kernels that convert texels.
pub const KERNELS: &str = include_str!("texels.cl");

/// Devices bind a part of a buffer from a multiple of this on.
const PART_ALIGNMENT: u64 = 256;

/// The rows of an image, and the images that launches have for them.
pub struct Rows {
    /// The buffer's bytes.
    pub storage: Arc<Storage>,
    /// The first byte.
    pub offset: usize,
    /// The image for launches.
    pub desc: ImageDesc,
    /// The places of each level's rows behind the first byte.
    pub layouts: Vec<Layout>,
    format: &'static ImageFormat,
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
    /// Room for its texels before a launch, and after it, without gaps; made where a launch needs it.
    texels: [OnceLock<Buffer>; 2],
}

/// The launch that an image is used by.
pub struct Using<'a> {
    /// The place of the device in the context.
    pub index: usize,
    /// The number of the queue whose launches use the image in turn; `None` for one launch at a time.
    pub queue: Option<usize>,
    /// The device.
    pub device: &'a gpu::OpenDevice,
    /// True if launches on other queues may run at the same time ([`queues_overlap`]).
    pub overlaps: bool,
    /// Gives [`KERNELS`] for the device.
    pub kernels: &'a dyn Fn() -> Result<Arc<Executable>>,
}

/// Tells whether launches on different queues may run at the same time.
pub fn queues_overlap(caps: &Capabilities) -> bool {
    caps.opened_queues() > 1 || !quirks::has(&caps.driver, QuirkKind::RunsInOrder)
}

impl Rows {
    /// The rows from a byte on, by the levels' places behind it.
    pub fn new(
        storage: Arc<Storage>,
        offset: usize,
        layouts: Vec<Layout>,
        desc: ImageDesc,
        format: &'static ImageFormat,
    ) -> Self {
        Self {
            storage,
            offset,
            desc,
            layouts,
            format,
            staged: Mutex::default(),
        }
    }

    /// Bytes that all levels have as the image's texels, each level from a multiple of [`PART_ALIGNMENT`] on.
    fn texel_bytes(&self, level: u32) -> u64 {
        let count: u64 = (self.desc.level_box(level).extent.iter())
            .map(|&n| u64::from(n))
            .product();
        let bytes = count * self.desc.format.texel_size() as u64;
        bytes.next_multiple_of(PART_ALIGNMENT)
    }

    /// An image for a launch: its queue's own, or one that no other launch has until this one gives it back.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn staged(&self, using: &Using<'_>) -> Result<Arc<Staged>> {
        let &Using {
            index,
            queue,
            device,
            ..
        } = using;
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
            image: device.create_ready_image(&self.desc)?,
            texels: Default::default(),
        });
        all.push(staged.clone());
        Ok(staged)
    }
}

impl Staged {
    /// Room for `bytes` of texels before a launch, or (1) after it.
    fn room(&self, which: usize, bytes: u64, device: &gpu::OpenDevice) -> Result<Buffer> {
        let room = &self.texels[which];
        match room.get() {
            Some(buffer) => Ok(buffer.clone()),
            // Another thread may have been first; either will do.
            None => {
                let made = device.allocate(bytes, false)?;
                Ok(room.get_or_init(|| made).clone())
            }
        }
    }

    /// The image itself.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// A view for a kernel.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn view(&self, device: &gpu::OpenDevice, shown: Shown) -> Result<ImageView> {
        let view = (device.raw()).create_image_view(
            &self.image,
            shown.format,
            shown.components,
            shown.level,
        );
        view.map_err(gpu::error)
    }
}

impl StagedUse {
    /// A view for a kernel, of a level.
    ///
    /// # Errors
    /// As [`Staged::view`].
    pub fn level_view(&self, device: &gpu::OpenDevice, shown: Shown) -> Result<ImageView> {
        self.staged.view(device, shown)
    }
}

/// The use of an image of rows by a launch.
pub struct StagedUse {
    storage: Arc<Storage>,
    staged: Arc<Staged>,
    levels: Vec<LevelUse>,
    /// Texels without gaps before the launch and after it, where rows are converted or compared.
    before: Option<Buffer>,
    after: Option<Buffer>,
    /// True if the kernel may write.
    writes: bool,
}

/// The use of a level.
struct LevelUse {
    area: ImageBox,
    /// The place of the rows in the buffer.
    place: Layout,
    /// Bytes of a texel in the rows, where they are as Vulkan has them.
    texel: usize,
    /// The first byte of the level's texels without gaps.
    first: u64,
    /// Converts the rows to texels; `None` where these are equal.
    unpack: Option<Prepared>,
    /// Brings to the rows what the kernel has changed; `None` where all of the image is copied.
    pack: Option<Prepared>,
}

impl StagedUse {
    /// The use by a launch.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn new(rows: &Rows, staged: Arc<Staged>, writes: bool, using: &Using<'_>) -> Result<Self> {
        let device = using.device;
        let converts = rows.format.packing != Packing::Native;
        let compares = writes && (converts || using.overlaps);
        let bytes = (0..rows.desc.levels)
            .map(|level| rows.texel_bytes(level))
            .sum();
        let room = |which, needed: bool| {
            needed
                .then(|| staged.room(which, bytes, device))
                .transpose()
        };
        let (before, after) = (room(0, converts || compares)?, room(1, compares)?);
        let mut first = 0;
        let mut levels = Vec::new();
        for (level, layout) in (0..).zip(&rows.layouts) {
            let mut own = LevelUse {
                area: rows.desc.level_box(level),
                place: layout.shifted(rows.offset),
                texel: rows.format.texel_size(),
                first,
                unpack: None,
                pack: None,
            };
            if let Some(before) = &before {
                let conversion = Conversion {
                    bytes: rows.storage.allocation(staged.index)?,
                    texels: [before, after.as_ref().unwrap_or(before)],
                    level: &own,
                    size: rows.texel_bytes(level),
                };
                let kernels = (using.kernels)()?;
                let prepare = |choice: Choice| conversion.prepare(&choice, &kernels, using);
                let unpack = unpacking(rows.format, writes);
                let unpack = unpack.map(prepare).transpose()?;
                let pack = packing(rows.format).filter(|_| compares);
                let pack = pack.map(prepare).transpose()?;
                (own.unpack, own.pack) = (unpack, pack);
            }
            first += rows.texel_bytes(level);
            levels.push(own);
        }
        Ok(Self {
            storage: rows.storage.clone(),
            staged,
            levels,
            before,
            after,
            writes,
        })
    }

    /// Records how the rows come to the image.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES for pitches that Vulkan does not have.
    pub fn before(&self, recorder: &mut gpu::Recorder) -> Result<()> {
        // No other queue gets the image before the recording has gone.
        recorder.keep(self.staged.clone());
        let Some(before) = &self.before else {
            return self.copy_rows(recorder, true);
        };
        let converts = self.levels.iter().any(|level| level.unpack.is_some());
        if !converts {
            self.copy_rows(recorder, true)?;
            recorder.barrier();
            return self.copy_texels(recorder, before, false);
        }
        for unpack in self.levels.iter().filter_map(|level| level.unpack.as_ref()) {
            unpack.record(recorder).map_err(gpu::error)?;
        }
        recorder.barrier();
        self.copy_texels(recorder, before, true)
    }

    /// Records how what the kernel has written comes to the rows.
    ///
    /// # Errors
    /// As [`StagedUse::before`].
    pub fn after(&self, recorder: &mut gpu::Recorder) -> Result<()> {
        if !self.writes {
            return Ok(());
        }
        let Some(after) = &self.after else {
            return self.copy_rows(recorder, false);
        };
        self.copy_texels(recorder, after, false)?;
        recorder.barrier();
        for pack in self.levels.iter().filter_map(|level| level.pack.as_ref()) {
            pack.record(recorder).map_err(gpu::error)?;
        }
        Ok(())
    }

    /// Copies the rows to the image, or back.
    fn copy_rows(&self, recorder: &mut gpu::Recorder, to_image: bool) -> Result<()> {
        let bytes = self.storage.allocation(self.staged.index)?;
        for level in &self.levels {
            let rows = level.place.texel_rows(level.texel);
            let rows = rows.ok_or(Error::OutOfResources)?;
            let (image, area) = (&self.staged.image, level.area);
            let copied = match to_image {
                true => recorder.copy_buffer_to_image(&bytes, rows, image, area),
                false => recorder.copy_image_to_buffer(image, area, &bytes, rows),
            };
            copied.map_err(gpu::error)?;
        }
        Ok(())
    }

    /// Copies texels without gaps to the image, or back.
    fn copy_texels(
        &self,
        recorder: &mut gpu::Recorder,
        texels: &Buffer,
        to_image: bool,
    ) -> Result<()> {
        let image = &self.staged.image;
        for level in &self.levels {
            let copied = match to_image {
                true => recorder.copy_buffer_to_image(texels, level.first, image, level.area),
                false => recorder.copy_image_to_buffer(image, level.area, texels, level.first),
            };
            copied.map_err(gpu::error)?;
        }
        Ok(())
    }
}

/// One of [`KERNELS`] for a format.
struct Choice {
    name: &'static str,
    /// Work-items for so many texels of a row: `items` for each `texels`.
    items: u32,
    texels: u32,
    /// The last two arguments.
    numbers: [u32; 2],
}

impl Choice {
    fn new(name: &'static str, (items, texels): (u32, u32), numbers: [u32; 2]) -> Option<Self> {
        Some(Self {
            name,
            items,
            texels,
            numbers,
        })
    }
}

/// The kernel that makes texels of a format's rows, for a kernel that writes or not; `None` where these are texels.
fn unpacking(format: &ImageFormat, writes: bool) -> Option<Choice> {
    let channels = format.channels.len() as u32;
    match format.packing {
        Packing::Native => None,
        Packing::High(bits) => {
            // SHARES and MARKS of texels.cl.
            let form = u32::from(format.class == Class::Unorm) | u32::from(writes) << 1;
            Choice::new("unpack_high", (channels, 1), [bits, form])
        }
        Packing::Raw(bits) => {
            let low = bits - 8;
            Choice::new("unpack_raw", (1, 8 / low), [low, 0])
        }
        Packing::Yuv(places) => Choice::new("unpack_yuv", (1, 2), [places, 0]),
    }
}

/// The kernel that brings changed texels to a format's rows; `None` for formats that no kernel writes.
fn packing(format: &ImageFormat) -> Option<Choice> {
    let name = match (format.packing, format.texel_size()) {
        (Packing::Native, 1) => return Choice::new("merge_uchar", (1, 1), [0; 2]),
        (Packing::Native, 2) => return Choice::new("merge_ushort", (1, 1), [0; 2]),
        (Packing::Native, size) => {
            return Choice::new("merge_uint", (size as u32 / 4, 1), [0; 2]);
        }
        (Packing::High(_), _) => "pack_high",
        (Packing::Raw(_), _) => "pack_raw",
        (Packing::Yuv(_), _) => return None,
    };
    unpacking(format, true).map(|unpacking| Choice { name, ..unpacking })
}

/// A conversion of a level.
struct Conversion<'a> {
    /// The rows.
    bytes: Buffer,
    /// Those before a launch and after it.
    texels: [&'a Buffer; 2],
    level: &'a LevelUse,
    /// Bytes of the level's texels.
    size: u64,
}

impl Conversion<'_> {
    fn prepare(
        &self,
        choice: &Choice,
        kernels: &Arc<Executable>,
        using: &Using<'_>,
    ) -> Result<Prepared> {
        let failed = |error: LaunchError| {
            let reason = format!("{} of an image of rows: {error}", choice.name);
            Error::OutOfResources.because(reason)
        };
        let device = using.device.raw();
        let kernel = kernels.kernel(choice.name).ok_or(Error::OutOfResources)?;
        let [width, height, depth] = self.level.area.extent.map(|n| n as usize);
        let per_row = width / choice.texels as usize * choice.items as usize;
        let limits = kernels.limits(kernel, device.capabilities());
        let range = limits.resolve(&RangeRequest {
            dimensions: 3,
            offset: None,
            global: Some([per_row, height, depth]),
            local: None,
        });
        let range = range.map_err(failed)?;
        let Layout {
            offset,
            row_pitch,
            slice_pitch,
        } = self.level.place;
        let long = |number: usize| {
            let bytes = (number as u64).to_le_bytes();
            Some(ArgValue::Bytes(ArgBytes::from(&bytes[..])))
        };
        let int = |number: u32| {
            let bytes = number.to_le_bytes();
            Some(ArgValue::Bytes(ArgBytes::from(&bytes[..])))
        };
        let texels = |buffer: &Buffer| {
            Some(ArgValue::Buffer {
                buffer: buffer.clone(),
                offset: self.level.first,
                size: self.size,
            })
        };
        let args = [
            Some(ArgValue::Buffer {
                buffer: self.bytes.clone(),
                offset: 0,
                size: self.bytes.size(),
            }),
            long(offset),
            long(row_pitch),
            long(slice_pitch),
            texels(self.texels[0]),
            texels(self.texels[1]),
            int(choice.numbers[0]),
            int(choice.numbers[1]),
        ];
        let launch = Launch {
            kernel,
            range: &range,
            args: &args,
            enqueue: None,
            checks: None,
            termination: None,
            queue: using.queue.unwrap_or(0),
            may_slice: false,
        };
        kernels.prepare(device, &launch).map_err(failed)
    }
}
