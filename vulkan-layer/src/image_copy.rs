//! Recording of copies from and to images.

use ash::vk;

use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::image::{Image, ImageKind};
use crate::recorder::Recorder;

/// A box of texels. The third coordinate of an array's box is the layer, the second one of an
/// array of rows is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageBox {
    /// The first texel.
    pub origin: [u32; 3],
    /// Texels in each dimension, none of them 0.
    pub extent: [u32; 3],
}

impl ImageBox {
    fn check(&self, image: &Image) -> Result<()> {
        let desc = image.desc();
        let size = match desc.kind {
            ImageKind::D3 => desc.extent,
            _ => [desc.extent[0], desc.extent[1], desc.layers],
        };
        let inside = (0..3).all(|d| {
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

    /// Gives a new image the layout that it keeps; its texels are undefined.
    ///
    /// # Errors
    /// An image of another device.
    pub fn initialize_image(&mut self, image: &Image) -> Result<()> {
        self.own_image(image)?;
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .dst_access_mask(everything)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.raw())
            .subresource_range(image.range())];
        // SAFETY: the image is alive and kept; the command buffer is recording.
        unsafe {
            self.queue.device().raw.cmd_pipeline_barrier(
                self.raw(),
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &barrier,
            );
        }
        self.keep(image.clone());
        Ok(())
    }

    /// The region of a copy between a buffer, where the box lies tightly packed from `offset` on,
    /// and an image.
    fn buffer_region(
        &self,
        buffer: &Buffer,
        offset: u64,
        image: &Image,
        part: ImageBox,
    ) -> Result<vk::BufferImageCopy> {
        self.own(buffer)?;
        self.own_image(image)?;
        part.check(image)?;
        let texel = image.desc().format.texel_size() as u64;
        let texels: u64 = part.extent.iter().map(|&n| u64::from(n)).product();
        buffer.check_range(offset, texels * texel)?;
        if offset % texel != 0 {
            return Err(Error::InvalidUse(format!(
                "texels of {texel} bytes at {offset}"
            )));
        }
        Ok(vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .image_subresource(part.layers(image))
            .image_offset(part.offset(image))
            .image_extent(part.extent(image)))
    }

    /// Copies tightly packed texels from a buffer into a box of an image.
    ///
    /// # Errors
    /// A range or box outside, an offset that is no multiple of the texel's size.
    pub fn copy_buffer_to_image(
        &mut self,
        buffer: &Buffer,
        offset: u64,
        image: &Image,
        part: ImageBox,
    ) -> Result<()> {
        let region = [self.buffer_region(buffer, offset, image, part)?];
        // SAFETY: both are alive, kept, and hold the region; the image has the general layout.
        unsafe {
            self.queue.device().raw.cmd_copy_buffer_to_image(
                self.raw(),
                buffer.raw(),
                image.raw(),
                vk::ImageLayout::GENERAL,
                &region,
            );
        }
        self.keep((buffer.clone(), image.clone()));
        Ok(())
    }

    /// Copies a box of an image into a buffer, tightly packed.
    ///
    /// # Errors
    /// As [`Recorder::copy_buffer_to_image`].
    pub fn copy_image_to_buffer(
        &mut self,
        image: &Image,
        part: ImageBox,
        buffer: &Buffer,
        offset: u64,
    ) -> Result<()> {
        let region = [self.buffer_region(buffer, offset, image, part)?];
        // SAFETY: both are alive, kept, and hold the region; the image has the general layout.
        unsafe {
            self.queue.device().raw.cmd_copy_image_to_buffer(
                self.raw(),
                image.raw(),
                vk::ImageLayout::GENERAL,
                buffer.raw(),
                &region,
            );
        }
        self.keep((buffer.clone(), image.clone()));
        Ok(())
    }

    /// Copies a box between images of one kind and one size of texels; boxes of one image must
    /// not overlap.
    ///
    /// # Errors
    /// A box outside, images of different kinds or sizes of texels.
    pub fn copy_image(
        &mut self,
        from: &Image,
        from_origin: [u32; 3],
        to: &Image,
        to_origin: [u32; 3],
        extent: [u32; 3],
    ) -> Result<()> {
        self.own_image(from)?;
        self.own_image(to)?;
        let (a, b) = (from.desc(), to.desc());
        if a.kind != b.kind || a.format.texel_size() != b.format.texel_size() {
            return Err(Error::InvalidUse("a copy between unlike images".into()));
        }
        let boxed = |origin| ImageBox { origin, extent };
        let (source, target) = (boxed(from_origin), boxed(to_origin));
        source.check(from)?;
        target.check(to)?;
        let region = [vk::ImageCopy::default()
            .src_subresource(source.layers(from))
            .src_offset(source.offset(from))
            .dst_subresource(target.layers(to))
            .dst_offset(target.offset(to))
            .extent(source.extent(from))];
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: both are alive, kept, and hold the region; they have the general layout.
        unsafe {
            self.queue.device().raw.cmd_copy_image(
                self.raw(),
                from.raw(),
                layout,
                to.raw(),
                layout,
                &region,
            );
        }
        self.keep((from.clone(), to.clone()));
        Ok(())
    }
}
