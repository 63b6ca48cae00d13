//! Recording of copies from and to images.

use ash::vk;

use crate::commands::recorder::Recorder;
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::image::{Image, ImageBox, ImageKind};

/// The layout that images have between commands: any command may come next.
const REST: vk::ImageLayout = vk::ImageLayout::GENERAL;
/// The layouts that they have while they are copied from and to, see [`Recorder::lay_out`].
const FROM: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
const TO: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;

/// The place of a box's texels in a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TexelRows {
    /// The first byte, a multiple of the texel's size.
    pub offset: u64,
    /// Texels from a row to the next; 0 for the box's width.
    pub row_texels: u32,
    /// Rows from a slice to the next; 0 for the box's height.
    pub slice_rows: u32,
}

impl From<u64> for TexelRows {
    /// Texels without gaps from a byte on.
    fn from(offset: u64) -> Self {
        Self {
            offset,
            ..Self::default()
        }
    }
}

impl TexelRows {
    /// Texels from the first to the end of a box's last row; `None` if rows or slices share some.
    fn texels(self, [width, height, depth]: [u32; 3]) -> Option<u64> {
        let row = if self.row_texels == 0 {
            width
        } else {
            self.row_texels
        };
        let rows = if self.slice_rows == 0 {
            height
        } else {
            self.slice_rows
        };
        let [width, height, depth, row, rows] = [width, height, depth, row, rows].map(u64::from);
        let slices = rows.checked_mul(row)?.checked_mul(depth.checked_sub(1)?)?;
        let before = slices.checked_add(row.checked_mul(height.checked_sub(1)?)?)?;
        (row >= width && rows >= height).then_some(before.checked_add(width)?)
    }
}

impl ImageBox {
    fn check(&self, image: &Image) -> Result<()> {
        let desc = image.desc();
        let size = desc.level_box(self.level).extent;
        let inside = self.level < desc.levels
            && (0..3).all(|d| {
                let end = self.origin[d].checked_add(self.extent[d]);
                self.extent[d] > 0 && end.is_some_and(|end| end <= size[d])
            });
        match inside {
            true => Ok(()),
            false => Err(Error::InvalidUse(format!("{self:?} in {desc:?}"))),
        }
    }

    fn layers(&self, image: &Image) -> vk::ImageSubresourceLayers {
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .mip_level(self.level)
            .layer_count(1);
        match image.desc().kind {
            ImageKind::D3 => layers,
            _ => layers
                .base_array_layer(self.origin[2])
                .layer_count(self.extent[2]),
        }
    }

    fn offset(&self, image: &Image) -> vk::Offset3D {
        let [x, y, z] = self.origin.map(|n| n as i32);
        match image.desc().kind {
            ImageKind::D3 => vk::Offset3D { x, y, z },
            _ => vk::Offset3D { x, y, z: 0 },
        }
    }

    fn extent(&self, image: &Image) -> vk::Extent3D {
        let [width, height, depth] = self.extent;
        vk::Extent3D {
            width,
            height,
            depth: match image.desc().kind {
                ImageKind::D3 => depth,
                _ => 1,
            },
        }
    }
}

impl Recorder {
    fn own_image(&self, image: &Image) -> Result<()> {
        if image.belongs_to(self.queue.device()) {
            Ok(())
        } else {
            Err(Error::InvalidUse("an image of another device".into()))
        }
    }

    /// Gives a new image the layout that it has between commands; its texels are undefined.
    ///
    /// # Errors
    /// An image of another device.
    pub fn initialize_image(&mut self, image: &Image) -> Result<()> {
        self.own_image(image)?;
        self.change_layout(image, image.range(), [vk::ImageLayout::UNDEFINED, REST]);
        self.keep(image.clone());
        Ok(())
    }

    /// Fills an image with texels whose bits are all 0, right behind [`Recorder::initialize_image`], which is a barrier.
    ///
    /// # Errors
    /// An image of another device.
    pub fn clear_image(&mut self, image: &Image) -> Result<()> {
        self.own_image(image)?;
        let zeros = vk::ClearColorValue { uint32: [0; 4] };
        // SAFETY: the image is alive, kept, at rest, and was made to be copied to.
        unsafe {
            (self.queue.device().raw).cmd_clear_color_image(
                self.raw(),
                image.raw(),
                REST,
                &zeros,
                &[image.range()],
            );
        }
        self.keep(image.clone());
        Ok(())
    }

    /// Gives an image the layout of a copy if that may be: on a device with several VkQueues another
    /// one may be reading the image, which then keeps its layout. Gives the layout that it has. The copy
    /// touches that level alone.
    fn lay_out(&mut self, image: &Image, level: u32, wanted: vk::ImageLayout) -> vk::ImageLayout {
        if self.queue.device().queues.len() > 1 {
            return REST;
        }
        self.change_layout(image, image.level_range(level), [REST, wanted]);
        wanted
    }

    /// Undoes [`Recorder::lay_out`].
    fn put_back(&mut self, image: &Image, level: u32, layout: vk::ImageLayout) {
        if layout != REST {
            self.change_layout(image, image.level_range(level), [layout, REST]);
        }
    }

    /// Changes the layout of a part of an image once everything before has ended. The image must be the
    /// device's and kept.
    fn change_layout(
        &mut self,
        image: &Image,
        part: vk::ImageSubresourceRange,
        [from, to]: [vk::ImageLayout; 2],
    ) {
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(everything)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.raw())
            .subresource_range(part)];
        // SAFETY: the image is alive and kept; the command buffer is recording.
        unsafe {
            self.queue.device().raw.cmd_pipeline_barrier(
                self.raw(),
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &barrier,
            );
        }
    }

    /// The region of a copy between the rows of a buffer and a box of an image.
    fn buffer_region(
        &self,
        buffer: &Buffer,
        rows: TexelRows,
        image: &Image,
        part: ImageBox,
    ) -> Result<vk::BufferImageCopy> {
        self.own(buffer)?;
        self.own_image(image)?;
        part.check(image)?;
        let texel = image.desc().format.texel_size() as u64;
        let offset = rows.offset;
        let wrong = || Error::InvalidUse(format!("{rows:?} for {part:?}"));
        let texels = rows.texels(part.extent).ok_or_else(wrong)?;
        buffer.check_range(offset, texels.checked_mul(texel).ok_or_else(wrong)?)?;
        if offset % texel != 0 {
            return Err(Error::InvalidUse(format!(
                "texels of {texel} bytes at {offset}"
            )));
        }
        Ok(vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .buffer_row_length(rows.row_texels)
            .buffer_image_height(rows.slice_rows)
            .image_subresource(part.layers(image))
            .image_offset(part.offset(image))
            .image_extent(part.extent(image)))
    }

    /// Copies texels from a buffer into a box of an image; a number is the place of texels without gaps.
    ///
    /// # Errors
    /// A range or box outside, an offset that is no multiple of the texel's size, rows that overlap.
    pub fn copy_buffer_to_image(
        &mut self,
        buffer: &Buffer,
        rows: impl Into<TexelRows>,
        image: &Image,
        part: ImageBox,
    ) -> Result<()> {
        let region = [self.buffer_region(buffer, rows.into(), image, part)?];
        let layout = self.lay_out(image, part.level, TO);
        // SAFETY: both are alive, kept, and hold the region; the image has that layout.
        unsafe {
            self.queue.device().raw.cmd_copy_buffer_to_image(
                self.raw(),
                buffer.raw(),
                image.raw(),
                layout,
                &region,
            );
        }
        self.put_back(image, part.level, layout);
        self.keep((buffer.clone(), image.clone()));
        Ok(())
    }

    /// Copies a box of an image into a buffer.
    ///
    /// # Errors
    /// As [`Recorder::copy_buffer_to_image`].
    pub fn copy_image_to_buffer(
        &mut self,
        image: &Image,
        part: ImageBox,
        buffer: &Buffer,
        rows: impl Into<TexelRows>,
    ) -> Result<()> {
        let region = [self.buffer_region(buffer, rows.into(), image, part)?];
        let layout = self.lay_out(image, part.level, FROM);
        // SAFETY: both are alive, kept, and hold the region; the image has that layout.
        unsafe {
            self.queue.device().raw.cmd_copy_image_to_buffer(
                self.raw(),
                image.raw(),
                layout,
                buffer.raw(),
                &region,
            );
        }
        self.put_back(image, part.level, layout);
        self.keep((buffer.clone(), image.clone()));
        Ok(())
    }

    /// Copies a box between images of one kind and one size of texels; boxes of one image must
    /// not overlap.
    ///
    /// # Errors
    /// A box outside, boxes of different sizes, images of different kinds or sizes of texels.
    pub fn copy_image(
        &mut self,
        (from, source): (&Image, ImageBox),
        (to, target): (&Image, ImageBox),
    ) -> Result<()> {
        self.own_image(from)?;
        self.own_image(to)?;
        let (a, b) = (from.desc(), to.desc());
        let alike = a.kind == b.kind && a.format.texel_size() == b.format.texel_size();
        if !alike || source.extent != target.extent {
            return Err(Error::InvalidUse("a copy between unlike images".into()));
        }
        source.check(from)?;
        target.check(to)?;
        let region = [vk::ImageCopy::default()
            .src_subresource(source.layers(from))
            .src_offset(source.offset(from))
            .dst_subresource(target.layers(to))
            .dst_offset(target.offset(to))
            .extent(source.extent(from))];
        // A level copied to itself has to have one layout for both.
        let is_same = from.raw() == to.raw() && source.level == target.level;
        let (source_layout, target_layout) = match is_same {
            true => (REST, REST),
            false => (
                self.lay_out(from, source.level, FROM),
                self.lay_out(to, target.level, TO),
            ),
        };
        // SAFETY: both are alive, kept, and hold the region; they have those layouts.
        unsafe {
            self.queue.device().raw.cmd_copy_image(
                self.raw(),
                from.raw(),
                source_layout,
                to.raw(),
                target_layout,
                &region,
            );
        }
        self.put_back(from, source.level, source_layout);
        self.put_back(to, target.level, target_layout);
        self.keep((from.clone(), to.clone()));
        Ok(())
    }
}
