//! Images of an open device: made ready for use, read and written by the host through staging
//! memory.

use pumice_vulkan_layer::{self as vk, Buffer, Image, ImageBox, ImageDesc, MemoryClass};

use crate::base::error::Result;
use crate::base::host_ptr::HostSlice;
use crate::base::region::{Extent, Layout, extent_of, pieces};
use crate::device::gpu::{OpenDevice, STAGING, run};

/// Cuts a box into ones that staging memory can hold, or single rows.
fn cut(part: ImageBox, texel: usize, into: &mut Vec<ImageBox>) {
    let size: usize = extent_of(part, texel).iter().product();
    let longest = if part.extent[2] > 1 { 2 } else { 1 };
    if size <= STAGING || part.extent[longest] == 1 {
        into.push(part);
        return;
    }
    let half = part.extent[longest] / 2;
    let (mut low, mut high) = (part, part);
    low.extent[longest] = half;
    high.origin[longest] += half;
    high.extent[longest] -= half;
    cut(low, texel, into);
    cut(high, texel, into);
}

impl OpenDevice {
    /// Makes an image, which [`vk::Recorder::initialize_image`] makes ready.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_image(&self, desc: &ImageDesc) -> Result<Image> {
        self.with_room(|| self.raw().create_image(desc))
    }

    /// Makes an image that is ready for use; its texels are undefined.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn create_ready_image(&self, desc: &ImageDesc) -> Result<Image> {
        let image = self.create_image(desc)?;
        self.run(|recorder| recorder.initialize_image(&image))?;
        Ok(image)
    }

    /// Copies a box of an image to the host, once all commands that write it have ended. `layout`
    /// says where the box lies in the host's memory.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read_image(
        &self,
        image: &Image,
        part: ImageBox,
        to: HostSlice,
        layout: Layout,
    ) -> Result<()> {
        let class = MemoryClass::Readback;
        self.image_staged(
            image,
            part,
            layout,
            class,
            |staging, mapped, queue, piece| {
                run(queue, |recorder| {
                    recorder.copy_image_to_buffer(image, piece.part, staging, 0)
                })?;
                for (from, at, length) in pieces(piece.packed, piece.host, piece.extent) {
                    to.part(at, length).copy_from(mapped.part(from, length));
                }
                Ok(())
            },
        )
    }

    /// Copies a box of an image from the host, while no command uses it.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write_image(
        &self,
        image: &Image,
        part: ImageBox,
        from: HostSlice,
        layout: Layout,
    ) -> Result<()> {
        let class = MemoryClass::Staging;
        self.image_staged(
            image,
            part,
            layout,
            class,
            |staging, mapped, queue, piece| {
                for (at, to, length) in pieces(piece.host, piece.packed, piece.extent) {
                    mapped.part(to, length).copy_from(from.part(at, length));
                }
                run(queue, |recorder| {
                    recorder.copy_buffer_to_image(staging, 0, image, piece.part)
                })
            },
        )
    }

    fn image_staged(
        &self,
        image: &Image,
        part: ImageBox,
        layout: Layout,
        class: MemoryClass,
        job: impl Fn(&Buffer, HostSlice, &vk::Queue, &Piece) -> Result<()>,
    ) -> Result<()> {
        let texel = image.desc().format.texel_size();
        let mut parts = Vec::new();
        cut(part, texel, &mut parts);
        let size = |part: &ImageBox| extent_of(*part, texel).iter().product::<usize>();
        let largest = parts.iter().map(size).max().unwrap_or(0);
        self.staged(largest, class, |staging, mapped, queue| {
            for piece in &parts {
                let extent = extent_of(*piece, texel);
                let [x, y, z] = [0, 1, 2].map(|d| (piece.origin[d] - part.origin[d]) as usize);
                let host = Layout {
                    offset: layout.row(y, z) + x * texel,
                    ..layout
                };
                let piece = Piece {
                    part: *piece,
                    extent,
                    packed: Layout::packed(extent),
                    host,
                };
                job(staging, mapped, queue, &piece)?;
            }
            Ok(())
        })
    }
}

/// A part of a box that goes through staging memory at once.
struct Piece {
    part: ImageBox,
    /// In bytes, rows and planes.
    extent: Extent,
    packed: Layout,
    host: Layout,
}

#[cfg(test)]
mod tests {
    use super::{ImageBox, STAGING, cut, extent_of};

    #[test]
    fn boxes_are_cut_until_they_fit() {
        let part = ImageBox {
            level: 0,
            origin: [1, 2, 3],
            extent: [1000, 1000, 7],
        };
        let mut parts = Vec::new();
        cut(part, 16, &mut parts);
        let size = |part: &ImageBox| extent_of(*part, 16).iter().product::<usize>();
        assert!(parts.len() > 1 && parts.iter().all(|part| size(part) <= STAGING));
        assert_eq!(parts.iter().map(size).sum::<usize>(), size(&part));
        assert_eq!(parts[0].origin, part.origin);
    }
}
