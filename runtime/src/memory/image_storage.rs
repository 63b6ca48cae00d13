//! The texels of an image, and the host's view of them.

use std::sync::Arc;

use pumice_vulkan_layer::{Image, ImageBox, ImageDesc, ImageKind, Recorder};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::device::Device;
use crate::device::gpu;
use crate::memory::clearing::Clearing;
use crate::memory::residency::{Access, Backing, Cleared, Contents, Found, Residency};

/// The texels of an image.
pub struct ImageStorage {
    residency: Residency<Texels>,
    /// The places of texels in the host's view.
    layout: Layout,
    /// CL_MEM_USE_HOST_PTR: the application's memory.
    use_host: Option<HostSlice>,
}

/// Images of one description.
struct Texels {
    desc: ImageDesc,
    /// Bytes of the host's view.
    host_size: usize,
}

impl Texels {
    /// All texels.
    fn whole(&self) -> ImageBox {
        let [width, height, depth] = self.desc.extent;
        ImageBox {
            origin: [0; 3],
            extent: match self.desc.kind {
                ImageKind::D3 => [width, height, depth],
                _ => [width, height, self.desc.layers],
            },
        }
    }
}

impl Backing for Texels {
    type Memory = Image;

    fn allocate(&self, gpu: &gpu::OpenDevice) -> Result<Image> {
        gpu.create_image(&self.desc)
    }

    fn clear_by_host(&self, _: &gpu::OpenDevice, _: &Image) -> bool {
        !gpu::zero_memory()
    }

    fn record_clear(&self, recorder: &mut Recorder, memory: &Image) -> Result<()> {
        recorder.clear_image(memory).map_err(gpu::error)
    }

    fn is_mapped(&self, _: &Image) -> bool {
        false
    }

    fn migrate(
        &self,
        (from_device, from): (&gpu::OpenDevice, &Image),
        (to_device, to): (&gpu::OpenDevice, &Image),
    ) -> Result<()> {
        let whole = self.whole();
        let [width, height, depth] = whole.extent.map(|n| n as usize);
        let row_pitch = width * self.desc.format.texel_size();
        let tight = Layout {
            offset: 0,
            row_pitch,
            slice_pitch: row_pitch * height,
        };
        let mut block = HostBlock::new(tight.slice_pitch * depth).ok_or(Error::OutOfHostMemory)?;
        let bytes = block.slice();
        from_device.read_image(from, whole, bytes, tight)?;
        to_device.write_image(to, whole, bytes, tight)
    }

    fn host_size(&self) -> usize {
        self.host_size
    }
}

impl Contents for ImageStorage {
    fn bring(&self, index: usize, access: Access) -> Result<()> {
        self.on_device(index, access).map(drop)
    }

    fn find(&self, index: usize, access: Access, queue: &gpu::Timeline) -> Result<Found> {
        self.residency.find(index, access, queue)
    }

    fn clear(
        &self,
        index: usize,
        access: Access,
        recorder: &mut Recorder,
        clearing: &Clearing,
    ) -> Result<Cleared> {
        self.residency.clear(index, access, recorder, clearing)
    }
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
            residency: Residency::new(devices, Texels { desc, host_size }, None),
            layout,
            use_host,
        };
        match contents.or(use_host) {
            Some(contents) => {
                let image = storage.on_device(0, Access::Overwrite)?;
                let whole = storage.residency.backing().whole();
                let gpu = storage.residency.gpu(0)?;
                gpu.write_image(&image, whole, contents, layout)?;
            }
            None => drop(storage.allocation(0)?),
        }
        Ok(Arc::new(storage))
    }

    /// All texels.
    pub fn whole(&self) -> ImageBox {
        self.residency.backing().whole()
    }

    /// The access of a command that writes a box and reads nothing.
    pub fn writing(&self, area: ImageBox) -> Access {
        Access::writing(area == self.residency.backing().whole())
    }

    /// The image on a device of the context, whatever it holds.
    pub fn allocation(&self, index: usize) -> Result<Image> {
        self.residency.allocation(index)
    }

    /// The image on a device of the context, holding the newest texels.
    pub fn on_device(&self, index: usize, access: Access) -> Result<Image> {
        self.residency.on_device(index, access)
    }

    /// Copies texels from a device of the context to the host.
    pub fn read(&self, index: usize, area: ImageBox, to: HostSlice, layout: Layout) -> Result<()> {
        let image = self.on_device(index, Access::Read)?;
        let gpu = self.residency.gpu(index)?;
        gpu.read_image(&image, area, to, layout)
    }

    /// Copies texels from the host to a device of the context.
    pub fn write(
        &self,
        index: usize,
        area: ImageBox,
        from: HostSlice,
        layout: Layout,
    ) -> Result<()> {
        let image = self.on_device(index, self.writing(area))?;
        let gpu = self.residency.gpu(index)?;
        gpu.write_image(&image, area, from, layout)
    }

    /// The memory in which the host finds a box, and the box's place in it.
    pub fn host_view(&self, area: ImageBox) -> Result<(HostSlice, Layout)> {
        let [x, y, z] = area.origin.map(|n| n as usize);
        let texel = self.residency.backing().desc.format.texel_size();
        let layout = Layout {
            offset: self.layout.row(y, z) + x * texel,
            ..self.layout
        };
        let memory = match self.use_host {
            Some(host) => host,
            None => self.residency.shadow()?,
        };
        Ok((memory, layout))
    }
}
