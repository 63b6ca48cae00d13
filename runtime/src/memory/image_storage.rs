//! The texels of an image: one Vulkan image per device that uses it, and the host's view of them.
//!
//! Invariant: as in [`crate::memory::storage`], at least one device holds the newest texels once
//! something was written, and an image that nothing has written reads as zero.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{Image, ImageBox, ImageDesc, ImageKind};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::host_ptr::{HostBlock, HostSlice};
use crate::memory::region::Layout;
use crate::memory::storage::Access;
use crate::object::Ref;

/// The texels of an image.
pub struct ImageStorage {
    desc: ImageDesc,
    devices: Vec<Ref<Device>>,
    /// Where texels lie in the host's view.
    layout: Layout,
    /// Bytes of the host's view.
    host_size: usize,
    /// CL_MEM_USE_HOST_PTR: the application's memory.
    use_host: Option<HostSlice>,
    /// Guards where the texels are.
    residency: Mutex<Residency>,
}

struct Residency {
    /// The image of each device of the context.
    copies: Vec<Option<Image>>,
    /// Which of them hold the newest texels.
    newest: Vec<bool>,
    /// Host memory for maps.
    shadow: Option<HostBlock>,
}

impl ImageStorage {
    /// Makes the image on the first device, with its first contents if there are any.
    pub fn new(
        devices: &[Ref<Device>],
        desc: ImageDesc,
        layout: Layout,
        host_size: usize,
        contents: Option<HostSlice>,
        use_host: Option<HostSlice>,
    ) -> Result<Arc<Self>> {
        let storage = Self {
            desc,
            devices: devices.to_vec(),
            layout,
            host_size,
            use_host,
            residency: Mutex::new(Residency {
                copies: devices.iter().map(|_| None).collect(),
                newest: vec![false; devices.len()],
                shadow: None,
            }),
        };
        match contents.or(use_host) {
            Some(contents) => {
                let image = storage.on_device(0, Access::Overwrite)?;
                let gpu = storage.devices[0].gpu()?;
                gpu.write_image(&image, storage.whole(), contents, layout)?;
            }
            None => drop(storage.allocation(0)?),
        }
        Ok(Arc::new(storage))
    }

    /// What it was made of.
    pub fn desc(&self) -> &ImageDesc {
        &self.desc
    }

    /// All of its texels.
    pub fn whole(&self) -> ImageBox {
        let [width, height, depth] = self.desc.extent;
        ImageBox {
            origin: [0; 3],
            extent: match self.desc.kind {
                ImageKind::D3 => [width, height, depth],
                _ => [width, height, self.desc.layers],
            },
        }
    }

    /// What a command does that writes a box and reads nothing.
    pub fn writing(&self, part: ImageBox) -> Access {
        match part == self.whole() {
            true => Access::Overwrite,
            false => Access::Write,
        }
    }

    /// The image on a device of the context, whatever it holds.
    pub fn allocation(&self, index: usize) -> Result<Image> {
        self.allocate(&mut self.residency.lock(), index)
    }

    fn allocate(&self, residency: &mut Residency, index: usize) -> Result<Image> {
        match &residency.copies[index] {
            Some(image) => Ok(image.clone()),
            None => {
                let made = self.devices[index].gpu()?.create_image(&self.desc);
                let image = made.map_err(|error| match error {
                    Error::OutOfHostMemory => error,
                    _ => Error::MemObjectAllocationFailure,
                })?;
                residency.copies[index] = Some(image.clone());
                Ok(image)
            }
        }
    }

    /// The image on a device of the context, holding the newest texels.
    pub fn on_device(&self, index: usize, access: Access) -> Result<Image> {
        let mut guard = self.residency.lock();
        let residency = &mut *guard;
        let image = self.allocate(residency, index)?;
        if !residency.newest[index] {
            let newest = residency.newest.iter().position(|newest| *newest);
            let source = newest.and_then(|from| Some((from, residency.copies[from].clone()?)));
            if let Some((from, source)) = source {
                let layout = self.tight();
                let size = self.desc.format.texel_size() * self.texels();
                let mut block = HostBlock::new(size).ok_or(Error::OutOfHostMemory)?;
                let bytes = block.slice();
                let (from, to) = (self.devices[from].gpu()?, self.devices[index].gpu()?);
                from.read_image(&source, self.whole(), bytes, layout)?;
                to.write_image(&image, self.whole(), bytes, layout)?;
            } else if access != Access::Overwrite {
                self.devices[index].gpu()?.clear_image(&image)?;
            }
            residency.newest[index] = true;
        }
        if access != Access::Read {
            for (other, newest) in residency.newest.iter_mut().enumerate() {
                *newest = other == index;
            }
        }
        Ok(image)
    }

    fn texels(&self) -> usize {
        let extent = self.whole().extent;
        extent.iter().map(|&n| n as usize).product()
    }

    fn tight(&self) -> Layout {
        let [width, height, _] = self.whole().extent;
        let row_pitch = width as usize * self.desc.format.texel_size();
        Layout {
            offset: 0,
            row_pitch,
            slice_pitch: row_pitch * height as usize,
        }
    }

    /// Copies texels from a device of the context to the host.
    pub fn read(&self, index: usize, part: ImageBox, to: HostSlice, layout: Layout) -> Result<()> {
        let image = self.on_device(index, Access::Read)?;
        let gpu = self.devices[index].gpu()?;
        gpu.read_image(&image, part, to, layout)
    }

    /// Copies texels from the host to a device of the context.
    pub fn write(
        &self,
        index: usize,
        part: ImageBox,
        from: HostSlice,
        layout: Layout,
    ) -> Result<()> {
        let image = self.on_device(index, self.writing(part))?;
        let gpu = self.devices[index].gpu()?;
        gpu.write_image(&image, part, from, layout)
    }

    /// Where the host finds a box in its view: the memory, and the box's place in it.
    pub fn host_view(&self, part: ImageBox) -> Result<(HostSlice, Layout)> {
        let [x, y, z] = part.origin.map(|n| n as usize);
        let texel = self.desc.format.texel_size();
        let layout = Layout {
            offset: self.layout.row(y, z) + x * texel,
            ..self.layout
        };
        if let Some(host) = self.use_host {
            return Ok((host, layout));
        }
        let mut residency = self.residency.lock();
        if residency.shadow.is_none() {
            let shadow = HostBlock::new(self.host_size).ok_or(Error::MapFailure)?;
            residency.shadow = Some(shadow);
        }
        match residency.shadow.as_mut() {
            Some(shadow) => Ok((shadow.slice(), layout)),
            None => Err(Error::MapFailure),
        }
    }
}
